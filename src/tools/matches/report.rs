//! The standings of a match: counts, Elo and the sequential test, as a line, a table and JSON.

use super::game::{FinishedGame, Side};
use super::perfect::ValueLost;
use super::stats::{Pairs, Sprt, SprtVerdict, Tally, elo, interval};
use crate::platform::text::{counted, printable};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The state of a match, from the view of player A.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The names of both players.
    pub names: [String; 2],
    /// The limits of both players.
    pub limits: String,
    /// The sequential test, if there is one.
    pub sprt: Option<Sprt>,
    /// All games.
    pub all: Tally,
    /// The games in which A had White.
    pub as_white: Tally,
    /// The games in which A had Black.
    pub as_black: Tally,
    /// Finished pairs by half points of A.
    pub pairs: Pairs,
    /// The number of games without a fault, by end reason.
    pub endings: BTreeMap<String, u32>,
    /// Games lost by a fault: number, player, reason.
    pub failures: Vec<(u32, Side, String)>,
    /// Moves of A that lost value, with the number of the game and true if A had White.
    pub value_lost: Vec<(u32, bool, ValueLost)>,
    /// Seconds of this run.
    pub seconds: f64,
    /// Games played in this run.
    pub played: u32,
    /// Half points of A in pairs with one finished game, by pair.
    halves: BTreeMap<u32, u8>,
}

impl Standings {
    /// Returns the standings before the first game.
    pub fn new(names: [String; 2], limits: String, sprt: Option<Sprt>) -> Self {
        Self {
            names,
            limits,
            sprt,
            all: Tally::default(),
            as_white: Tally::default(),
            as_black: Tally::default(),
            pairs: [0; 5],
            endings: BTreeMap::new(),
            failures: Vec::new(),
            value_lost: Vec::new(),
            seconds: 0.0,
            played: 0,
            halves: BTreeMap::new(),
        }
    }

    /// Counts a finished game.
    pub fn add(&mut self, game: &FinishedGame) {
        self.all.add(game.points);
        if game.white == Side::A { &mut self.as_white } else { &mut self.as_black }.add(game.points);
        match game.fault {
            Some(side) => self.failures.push((game.game, side, game.reason.clone())),
            None => *self.endings.entry(game.reason.clone()).or_default() += 1,
        }
        let white = game.white == Side::A;
        self.value_lost.extend(game.value_lost.iter().map(|lost| (game.game, white, lost.clone())));
        let pair = (game.game - 1) / 2;
        match self.halves.remove(&pair) {
            Some(other) => self.pairs[usize::from((other + game.points).min(4))] += 1,
            None => {
                self.halves.insert(pair, game.points);
            }
        }
    }

    /// Returns true if the sequential test has ended.
    pub fn is_decided(&self) -> bool {
        self.sprt.is_some_and(|sprt| sprt.verdict(&self.pairs) != SprtVerdict::Undecided)
    }

    /// Returns the Elo difference of A to B and both ends of its interval; infinite if the score is 0 or 1.
    fn elo(&self) -> [f64; 3] {
        let interval = interval(&self.all, &self.pairs);
        [interval.score, interval.low, interval.high].map(elo)
    }

    /// Returns a line for the display of progress.
    pub fn line(&self, games: u32) -> String {
        let [middle, low, high] = self.elo();
        let Tally { wins, draws, losses } = self.all;
        let mut line = format!(
            "{}/{}  +{wins} ={draws} -{losses}  Elo {middle:+.1} [{low:+.1}, {high:+.1}]",
            self.all.games(),
            counted(games, "game")
        );
        if let Some(sprt) = &self.sprt {
            let (lower, upper) = sprt.bounds();
            // Writing to a string cannot fail.
            let _ = write!(line, "  LLR {:.2} [{lower:.2}, {upper:.2}]", sprt.llr(&self.pairs));
        }
        if !self.failures.is_empty() {
            let _ = write!(line, "  {}", counted(self.failures.len(), "failure"));
        }
        line
    }

    /// Returns the result as a table for people.
    pub fn table(&self) -> String {
        let names = self.names.each_ref().map(|name| printable(name, 80));
        let mut out = format!("A: {}\nB: {}\n\n", names[0], names[1]);
        out += "A         games   wins  draws losses   score\n";
        for (what, tally) in [("all", &self.all), ("as White", &self.as_white), ("as Black", &self.as_black)]
        {
            let Tally { wins, draws, losses } = tally;
            let score = match tally.games() {
                0 => "     -".to_owned(),
                _ => format!("{:6.1} %", 100.0 * tally.score()),
            };
            let _ = writeln!(out, "{what:8} {:6} {wins:6} {draws:6} {losses:6} {score}", tally.games());
        }
        let [middle, low, high] = self.elo();
        let _ = writeln!(out, "\nElo       {middle:+.1}, 95 % interval {low:+.1} to {high:+.1}");
        let _ = writeln!(out, "draws     {:.1} %", 100.0 * self.draw_rate());
        let [p0, p1, p2, p3, p4] = self.pairs;
        let _ = writeln!(
            out,
            "pairs     {p0} with 0, {p1} with ½, {p2} with 1, {p3} with 1½, {p4} with 2 points"
        );
        if let Some(sprt) = &self.sprt {
            let (lower, upper) = sprt.bounds();
            let verdict = match sprt.verdict(&self.pairs) {
                SprtVerdict::Accepted => "accepted",
                SprtVerdict::Rejected => "rejected",
                SprtVerdict::Undecided => "undecided",
            };
            let Sprt { elo0, elo1, .. } = sprt;
            let llr = sprt.llr(&self.pairs);
            let _ = writeln!(
                out,
                "SPRT      Elo {elo0} against {elo1}: {verdict}, ratio {llr:.2} in {lower:.2} to {upper:.2}"
            );
        }
        for (reason, count) in &self.endings {
            let _ = writeln!(out, "ended     {count:6} by {reason}");
        }
        for (game, side, reason) in &self.failures {
            let _ = writeln!(out, "failure   game {game}: {} {reason}", names[side.index()]);
        }
        for (game, white, lost) in &self.value_lost {
            let ValueLost { ply, fen, played, before, after, better } = lost;
            let color = if *white { "White" } else { "Black" };
            let _ = writeln!(
                out,
                "lost      game {game} as {color}, ply {ply}: {played} turned {before} into {after}, {} kept \
                    it, at {fen}",
                better.join(" ")
            );
        }
        if self.played > 0 {
            let speed = f64::from(self.played) / self.seconds.max(1e-9);
            let _ = writeln!(out, "time      {:.1} s, {speed:.2} games a second", self.seconds);
        }
        out
    }

    fn draw_rate(&self) -> f64 {
        f64::from(self.all.draws) / f64::from(self.all.games().max(1))
    }

    /// Returns the result as JSON; an infinite Elo is null.
    pub fn json(&self) -> Value {
        let [middle, low, high] = self.elo().map(|elo| elo.is_finite().then_some(elo));
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|(game, side, reason)| json!({ "game": game, "side": side, "reason": reason }))
            .collect();
        let value_lost: Vec<Value> = self
            .value_lost
            .iter()
            .map(|(game, white, lost)| {
                let mut entry = json!(lost);
                entry["game"] = json!(game);
                entry["color"] = json!(if *white { "white" } else { "black" });
                entry
            })
            .collect();
        let sprt = self.sprt.map(|sprt| {
            let (lower, upper) = sprt.bounds();
            json!({
                "elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta,
                "llr": sprt.llr(&self.pairs), "lower": lower, "upper": upper,
                "result": sprt.verdict(&self.pairs),
            })
        });
        json!({
            "a": self.names[0], "b": self.names[1], "go": self.limits, "games": self.all.games(),
            "wins": self.all.wins, "draws": self.all.draws, "losses": self.all.losses,
            "score": self.all.score(), "elo": middle, "elo_low": low, "elo_high": high,
            "draw_rate": self.draw_rate(), "as_white": self.as_white, "as_black": self.as_black,
            "pentanomial": self.pairs, "sprt": sprt, "endings": self.endings, "failures": failures,
            "value_lost": value_lost, "seconds": self.seconds, "played": self.played,
        })
    }
}
