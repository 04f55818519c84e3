//! The interface that the rule tests need from an implementation of the rules. A test is written once against
//! `Subject` and runs with each implementation. Uses the library and `naive`.

// No test file uses all of it.
#![allow(dead_code, unreachable_pub)]

use crate::naive;
use millstone::movegen;
use millstone::notation;
use millstone::position::{Position, Reason};
use millstone::rules::Rules;
use millstone::types::Color;

/// A game under some rules, as the tests see it.
pub trait Subject: Sized {
    /// The name of the implementation in messages.
    const NAME: &'static str;
    /// The rules, set up.
    type Rules;

    /// The default rules, changed by `Option` and value.
    fn rules(changes: &[(String, String)]) -> Result<Self::Rules, String>;
    /// The rule set that the data files write as a name, changes, or both, such as `preset0 MayFly=false`.
    fn rules_from(text: &str) -> Result<Self::Rules, String>;
    fn new(rules: &Self::Rules) -> Self;
    fn from_fen(rules: &Self::Rules, fen: &str) -> Result<Self, String>;
    /// Allows moves after a draw by repetition or by a move counter (`docs/protocol.md`, "Finished games").
    fn play_past_draws(&mut self);
    /// The actions that `play` takes, sorted as strings: the legal ones, and those past a draw where allowed.
    fn playable(&self) -> Vec<String>;
    /// Plays an action given in its printed form, or refuses it and changes nothing.
    fn play(&mut self, action: &str) -> bool;
    fn fen(&self) -> String;
    /// `w` or `b`; none after endings that leave no side.
    fn side(&self) -> Option<&'static str>;
    /// The legal actions, sorted as strings.
    fn legal(&self) -> Vec<String>;
    fn terminal(&self) -> bool;
    /// `white`, `black` or `draw`; `None` during the game or if the winner is unknown.
    fn winner(&self) -> Option<&'static str>;
    fn reason(&self) -> &'static str;
    fn repetition_count(&self) -> usize;
    fn perft(&self, depth: u32) -> u64;
}

fn sorted<T: ToString>(actions: &[T]) -> Vec<String> {
    let mut texts: Vec<String> = actions.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts
}

impl Subject for naive::Game {
    const NAME: &'static str = "naive model";
    type Rules = naive::Options;

    fn rules(changes: &[(String, String)]) -> Result<Self::Rules, String> {
        let mut options = naive::Options::default();
        for (name, value) in changes {
            options.set(name, value)?;
        }
        Ok(options)
    }

    fn rules_from(text: &str) -> Result<Self::Rules, String> {
        naive::Options::read(text)
    }

    fn new(rules: &Self::Rules) -> Self {
        Self::new(rules)
    }

    fn from_fen(rules: &Self::Rules, fen: &str) -> Result<Self, String> {
        Self::from_fen(rules, fen)
    }

    fn play_past_draws(&mut self) {
        self.play_past_draws(true);
    }

    fn playable(&self) -> Vec<String> {
        sorted(&self.playable())
    }

    fn play(&mut self, action: &str) -> bool {
        match self.parse(action) {
            Some(action) => {
                self.apply(action);
                true
            }
            None => false,
        }
    }

    fn fen(&self) -> String {
        self.fen()
    }

    fn side(&self) -> Option<&'static str> {
        self.side().map(|side| if side == naive::Side::White { "w" } else { "b" })
    }

    fn legal(&self) -> Vec<String> {
        sorted(&self.legal())
    }

    fn terminal(&self) -> bool {
        self.terminal()
    }

    fn winner(&self) -> Option<&'static str> {
        match self.winner() {
            Some(naive::Side::White) => Some("white"),
            Some(naive::Side::Black) => Some("black"),
            None => self.drawn().then_some("draw"),
        }
    }

    fn reason(&self) -> &'static str {
        self.reason()
    }

    fn repetition_count(&self) -> usize {
        self.repetition_count()
    }

    fn perft(&self, depth: u32) -> u64 {
        self.perft(depth)
    }
}

/// The engine's position as a test subject.
pub struct EngineGame {
    position: Position,
    past_draws: bool,
}

impl EngineGame {
    /// The engine's position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    fn is_final(&self) -> bool {
        let reason = self.position.outcome().reason;
        reason != Reason::Ongoing && !(self.past_draws && reason.is_claimable())
    }
}

impl Subject for EngineGame {
    const NAME: &'static str = "engine";
    type Rules = Rules;

    fn rules(changes: &[(String, String)]) -> Result<Rules, String> {
        let mut rules = Rules::NINE;
        for (name, value) in changes {
            rules.set_option(name, value).map_err(|error| error.to_string())?;
        }
        Ok(rules)
    }

    fn rules_from(text: &str) -> Result<Rules, String> {
        let mut rules = Rules::NINE;
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some((name, value)) => {
                    rules.set_option(name, value).map_err(|error| error.to_string())?;
                }
                None => rules = Rules::by_name(word).ok_or_else(|| format!("no rule set {word}"))?,
            }
        }
        Ok(rules)
    }

    fn new(rules: &Rules) -> Self {
        Self { position: Position::new(rules), past_draws: false }
    }

    fn from_fen(rules: &Rules, fen: &str) -> Result<Self, String> {
        let position = Position::from_fen(rules, fen).map_err(|error| error.to_string())?;
        Ok(Self { position, past_draws: false })
    }

    fn play_past_draws(&mut self) {
        self.past_draws = true;
    }

    fn playable(&self) -> Vec<String> {
        if self.past_draws { sorted(&self.position.playable_moves()) } else { self.legal() }
    }

    fn play(&mut self, action: &str) -> bool {
        if self.is_final() {
            return false;
        }
        match notation::parse(&self.position, action) {
            Ok(m) => {
                self.position.do_move(m);
                true
            }
            Err(_) => false,
        }
    }

    fn fen(&self) -> String {
        self.position.fen()
    }

    fn side(&self) -> Option<&'static str> {
        self.position.mover().map(|color| if color == Color::White { "w" } else { "b" })
    }

    fn legal(&self) -> Vec<String> {
        sorted(&self.position.legal_moves())
    }

    fn terminal(&self) -> bool {
        self.position.outcome().is_over()
    }

    fn winner(&self) -> Option<&'static str> {
        let outcome = self.position.outcome();
        match outcome.winner {
            Some(Color::White) => Some("white"),
            Some(Color::Black) => Some("black"),
            None => outcome.is_draw().then_some("draw"),
        }
    }

    fn reason(&self) -> &'static str {
        self.position.outcome().reason.name()
    }

    fn repetition_count(&self) -> usize {
        self.position.repetitions() as usize
    }

    fn perft(&self, depth: u32) -> u64 {
        movegen::perft(&mut self.position.clone(), depth)
    }
}
