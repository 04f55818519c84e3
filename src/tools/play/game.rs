//! The state of a game: moves, undo and redo, and its record.

use super::settings::PlaySettings;
use crate::bitboard::Bitboard;
use crate::position::{Position, PositionError};
use crate::record::{Builder, GameRecord, GameResult, Numbering, RecordLine, Turn, TurnNumber};
use crate::search::limits::MAX_SKILL;
use crate::tools::game_end::{outcome_in_words, side_title};
use crate::types::{Color, Move, MoveKind};
use std::time::Duration;

/// An end of the game that does not follow from the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// None.
    Open,
    /// A side has resigned.
    Resigned(Color),
    /// A loaded record says how the game ended.
    Recorded(GameResult),
}

/// A placing or a move with the takes it earned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ShownTurn {
    /// The number of the pair of turns, from 1.
    pub(super) number: u32,
    /// The side.
    pub(super) side: Color,
    /// The text, such as `d5-d6xg7`.
    pub(super) text: String,
    /// The points that its moves touch.
    points: Bitboard,
}

/// A game with its history.
#[derive(Clone, Debug)]
pub(super) struct PlayedGame {
    settings: PlaySettings,
    /// The names of White and Black.
    names: [String; 2],
    /// The record that was loaded, or one without moves.
    loaded: GameRecord,
    pos: Position,
    moves: Vec<Move>,
    /// The turns as texts. The screen shows them many times a second.
    turns: Vec<ShownTurn>,
    /// The moves that were taken back, the latest last.
    undone: Vec<Move>,
    verdict: Verdict,
}

impl PlayedGame {
    /// Begins a game.
    pub(super) fn new(settings: &PlaySettings) -> Self {
        Self {
            pos: Position::new(&settings.rules),
            names: names(settings),
            settings: settings.clone(),
            loaded: GameRecord::new(settings.rules),
            moves: Vec::new(),
            turns: Vec::new(),
            undone: Vec::new(),
            verdict: Verdict::Open,
        }
    }

    /// The settings.
    pub(super) fn settings(&self) -> &PlaySettings {
        &self.settings
    }

    /// Changes the players and the strength of the engine, but not the rules.
    pub(super) fn change(&mut self, settings: &PlaySettings) {
        let PlaySettings { rules, side, .. } = self.settings;
        self.settings = PlaySettings { rules, ..settings.clone() };
        // A loaded game keeps its players.
        if side != self.settings.side {
            self.names = names(&self.settings);
        }
    }

    /// The current position.
    pub(super) fn position(&self) -> &Position {
        &self.pos
    }

    /// The name of a player.
    pub(super) fn name(&self, side: Color) -> &str {
        &self.names[side.index()]
    }

    /// True if no move was made.
    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// True if no move was made, not even one that was taken back.
    pub(super) fn is_untouched(&self) -> bool {
        self.moves.is_empty() && self.undone.is_empty()
    }

    /// True if nobody can move any more.
    pub(super) fn is_over(&self) -> bool {
        self.verdict != Verdict::Open || self.pos.outcome().is_over()
    }

    /// True if the engine plays the side to move.
    pub(super) fn is_engines_turn(&self) -> bool {
        !self.is_over() && self.settings.side.is_some_and(|side| side != self.pos.side_to_move())
    }

    /// Plays a move; returns false, and changes nothing, if it is not legal.
    pub(super) fn play(&mut self, m: Move) -> bool {
        if self.is_over() || !self.pos.is_legal(m) {
            return false;
        }
        self.pos.do_move(m);
        self.moves.push(m);
        // If a move that was taken back is played again, the others can still be redone.
        if self.undone.last() == Some(&m) {
            self.undone.pop();
        } else {
            self.undone.clear();
        }
        self.turns = shown_turns(&self.record());
        true
    }

    /// Takes back to the latest decision of the user before this position. Returns false if there is none.
    pub(super) fn undo(&mut self) -> bool {
        if self.verdict != Verdict::Open {
            self.verdict = Verdict::Open;
            return true;
        }
        let Some(pos) = decision_before(&self.pos, self.settings.side) else { return false };
        self.undone.extend(self.moves.drain(pos.moves_played()..).rev());
        self.pos = pos;
        self.turns = shown_turns(&self.record());
        true
    }

    /// Replays what was taken back, up to the next decision of the user. Returns false if there is nothing to
    /// replay, or the game has ended by a verdict.
    pub(super) fn redo(&mut self) -> bool {
        if self.verdict != Verdict::Open || self.undone.is_empty() {
            return false;
        }
        while let Some(m) = self.undone.pop() {
            self.pos.do_move(m);
            self.moves.push(m);
            if is_decision(&self.pos, self.settings.side) {
                break;
            }
        }
        self.turns = shown_turns(&self.record());
        true
    }

    /// Resigns the game for `side`.
    pub(super) fn resign(&mut self, side: Color) {
        if !self.is_over() {
            self.verdict = Verdict::Resigned(side);
        }
    }

    /// The end of the game as a sentence, once it is over.
    pub(super) fn ending(&self) -> Option<String> {
        let outcome = self.pos.outcome();
        match self.verdict {
            Verdict::Resigned(side) => {
                Some(format!("{} wins: {} has resigned", side_title(!side), side_title(side)))
            }
            _ if outcome.is_over() => Some(outcome_in_words(outcome, &self.settings.rules)),
            Verdict::Recorded(GameResult::Win(side)) => {
                Some(format!("{} wins, as the record says", side_title(side)))
            }
            Verdict::Recorded(_) => Some("Draw, as the record says".to_owned()),
            Verdict::Open => None,
        }
    }

    /// The result.
    pub(super) fn result(&self) -> GameResult {
        match self.verdict {
            Verdict::Resigned(side) => GameResult::Win(!side),
            Verdict::Recorded(result) => result,
            Verdict::Open => self.pos.outcome().into(),
        }
    }

    /// The points of the latest turn; none before the first.
    pub(super) fn last_points(&self) -> Bitboard {
        self.turns.last().map_or(Bitboard::EMPTY, |turn| turn.points)
    }

    /// The turns as texts.
    pub(super) fn turns(&self) -> &[ShownTurn] {
        &self.turns
    }

    /// The game as a record.
    pub(super) fn record(&self) -> GameRecord {
        let start = self.loaded.start.as_deref();
        // The initial position has been read before, and every move was legal.
        let Ok(mut builder) = Builder::new(self.settings.rules, start) else {
            return GameRecord::new(self.settings.rules);
        };
        for &m in &self.moves {
            if builder.push(m).is_err() {
                break;
            }
        }
        let (mut record, _) = builder.finish();
        record.lines = self.annotated(record.main());
        record.result = self.result();
        record.tags.clone_from(&self.loaded.tags);
        // It tells how the game came to its result.
        record.tags.retain(|(name, _)| {
            !name.eq_ignore_ascii_case("Termination") || record.result == self.loaded.result
        });
        record.set_tag("White", &self.names[0]);
        record.set_tag("Black", &self.names[1]);
        let side = self.settings.side.map_or("both".to_owned(), |side| side.to_string());
        record.set_tag("PlaySide", &side);
        record.set_tag("PlayLevel", &self.settings.level.to_string());
        record.set_tag("PlayMovetime", &self.settings.movetime.as_millis().to_string());
        if let Verdict::Resigned(_) = self.verdict {
            record.set_tag("Termination", "resigned");
        }
        record
    }

    /// Returns the lines of the loaded record up to the first turn that was played in another way, followed
    /// by the turns of `played` from there.
    fn annotated(&self, played: &RecordLine) -> Vec<RecordLine> {
        let mut lines = self.loaded.lines.clone();
        let Some((main, _)) = lines.split_first_mut() else { return vec![played.clone()] };
        let pairs = main.turns.iter().zip(&played.turns);
        let same = pairs.take_while(|(old, new)| old.side == new.side && old.moves == new.moves).count();
        let dropped: Vec<Turn> = main.turns.split_off(same);
        main.turns.extend_from_slice(&played.turns[same..]);
        // The reader puts the variations of a turn, and what branches from them, before those of the next.
        if let Some(&first) = dropped.iter().find_map(|turn| turn.variations.first()) {
            lines.truncate(first);
        }
        lines
    }

    /// Continues a recorded game. In games that this program did not write, the user plays both sides.
    ///
    /// # Errors
    /// If the first position cannot be read.
    pub(super) fn from_record(record: &GameRecord, settings: &PlaySettings) -> Result<Self, PositionError> {
        let number = |name: &str| record.tag(name).and_then(|value| value.parse::<u64>().ok());
        let side = match record.tag("PlaySide") {
            Some("white") => Some(Color::White),
            Some("black") => Some(Color::Black),
            _ => None,
        };
        let level = number("PlayLevel").map_or(settings.level, |level| level.min(MAX_SKILL.into()) as u32);
        let movetime = number("PlayMovetime")
            .map_or(settings.movetime, |time| Duration::from_millis(time.clamp(1, 600_000)));
        let settings = PlaySettings { rules: record.rules, level, movetime, side, ..settings.clone() };
        let mut game = Self { loaded: record.clone(), ..Self::new(&settings) };
        game.pos = record.start_position()?;
        for m in record.moves() {
            if !game.pos.is_legal(m) {
                break;
            }
            game.pos.do_move(m);
            game.moves.push(m);
        }
        for side in Color::ALL {
            let tag = if side == Color::White { "White" } else { "Black" };
            if let Some(name) = record.tag(tag) {
                name.clone_into(&mut game.names[side.index()]);
            }
        }
        game.verdict = match record.result {
            _ if game.pos.outcome().is_over() => Verdict::Open,
            GameResult::Unknown => Verdict::Open,
            GameResult::Win(side) if record.tag("Termination") == Some("resigned") => {
                Verdict::Resigned(!side)
            }
            result => Verdict::Recorded(result),
        };
        game.turns = shown_turns(&game.record());
        Ok(game)
    }
}

/// Returns true if the side to move has to take a man for the move that it has just made.
fn is_within_turn(pos: &Position) -> bool {
    if !pos.is_take_due() || pos.moves_played() == 0 {
        return false;
    }
    let mut before = pos.clone();
    before.undo_move();
    before.side_to_move() == pos.side_to_move()
}

/// Returns true if the user, who plays `side` or both, begins a turn here.
fn is_decision(pos: &Position, side: Option<Color>) -> bool {
    side.is_none_or(|side| side == pos.side_to_move()) && !is_within_turn(pos)
}

/// Returns the position of the latest decision before `pos` of the user, who plays `side` or both.
pub(super) fn decision_before(pos: &Position, side: Option<Color>) -> Option<Position> {
    let mut pos = pos.clone();
    while pos.moves_played() > 0 {
        pos.undo_move();
        if is_decision(&pos, side) {
            return Some(pos);
        }
    }
    None
}

/// Returns the first move of a line with the takes that it earns. Takes of the other side are its own turn.
pub(super) fn first_turn(pos: &Position, line: &[Move]) -> Vec<Move> {
    let mut pos = pos.clone();
    let mut turn = Vec::new();
    for &m in line {
        if !pos.is_legal(m) || !turn.is_empty() && !is_within_turn(&pos) {
            break;
        }
        pos.do_move(m);
        turn.push(m);
    }
    turn
}

/// Returns the names of White and Black.
fn names(settings: &PlaySettings) -> [String; 2] {
    Color::ALL.map(|side| match settings.side {
        Some(person) if person != side => "Millstone".to_owned(),
        Some(_) => "You".to_owned(),
        None => side_title(side).to_owned(),
    })
}

/// Returns the points that moves touch.
pub(super) fn points_of(moves: &[Move]) -> Bitboard {
    moves.iter().fold(Bitboard::EMPTY, |points, m| match m.kind() {
        MoveKind::Slide => points.with(m.from()).with(m.to()),
        _ => points.with(m.to()),
    })
}

/// Returns the turns of the main line of a record as texts with their numbers.
pub(super) fn shown_turns(record: &GameRecord) -> Vec<ShownTurn> {
    let mut numbering = Numbering::of(record);
    let shown = |turn: &Turn| {
        let TurnNumber { number, .. } = numbering.next(turn.side);
        let text = turn.moves.iter().map(Move::to_string).collect();
        ShownTurn { number, side: turn.side, text, points: points_of(&turn.moves) }
    };
    record.main().turns.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;
    use crate::record::{self, ReadOptions};
    use crate::rules::{NAMED, Rules};
    use rand::{Rng, SeedableRng, rngs::StdRng};

    /// All moves but the last of placing in El Filja. Both sides have closed mills, and take after the last.
    const BOTH_TAKE: &str = "c3 g7 c4 d1 d7 d6 f2 e3 d5 a4 e5 c5 b2 g4 d3 a1 d2 f4 a7 e4 g1 b4 b6";

    fn settings(rules: Rules, side: Option<Color>) -> PlaySettings {
        PlaySettings { rules, level: 7, movetime: Duration::from_millis(20), side, ..PlaySettings::default() }
    }

    fn play(game: &mut PlayedGame, moves: &str) {
        for text in moves.split_whitespace() {
            let m = notation::parse(game.position(), text).expect("a legal move");
            assert!(game.play(m));
        }
    }

    #[test]
    fn take_back_goes_to_the_own_decision_and_redo_returns() {
        let mut game = PlayedGame::new(&settings(Rules::NINE, Some(Color::White)));
        assert!(!game.undo() && !game.redo());
        play(&mut game, "d7 d6 g7 b4 a7 xd6 f4");
        assert_eq!(game.turns().last().map(|turn| turn.text.as_str()), Some("f4"));
        let fen = game.position().fen();
        assert!(game.undo());
        assert_eq!(game.record().moves().count(), 4, "White's mill and its take went too");
        assert!(game.redo());
        assert_eq!(game.position().fen(), fen);
        // Another move makes redo impossible; the same one does not.
        assert!(game.undo() && game.undo());
        play(&mut game, "g7");
        assert!(game.redo() && game.redo());
        assert_eq!(game.position().fen(), fen);
        assert!(game.undo());
        play(&mut game, "a4");
        assert!(!game.redo());
    }

    #[test]
    fn the_turns_are_those_of_the_record_after_every_change() {
        let rules = Rules { is_defender_move_first: true, pieces_count: 3, ..Rules::NINE };
        let mut game = PlayedGame::new(&settings(rules, None));
        play(&mut game, "d7 a7 d5 g1 b4 f2 a7-a4 b4-c4 f2-f4");
        let numbers: Vec<u32> = game.turns().iter().map(|turn| turn.number).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 3, 3, 4, 5, 5]);
        let loaded = PlayedGame::from_record(&game.record(), game.settings()).expect("a game");
        assert_eq!(loaded.turns(), game.turns());
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..100 {
            let moves = game.position().legal_moves();
            let _ = match rng.random_range(0..4) {
                0 => game.undo(),
                1 => game.redo(),
                _ if moves.is_empty() => game.undo(),
                _ => game.play(moves[rng.random_range(0..moves.len())]),
            };
            assert_eq!(game.turns(), shown_turns(&game.record()));
        }
    }

    #[test]
    fn a_take_of_the_other_side_is_a_turn_of_its_own() {
        let mut game = PlayedGame::new(&settings(Rules::EL_FILJA, None));
        assert_eq!(game.last_points(), Bitboard::EMPTY);
        play(&mut game, BOTH_TAKE);
        play(&mut game, "f6 xe4 xd5");
        assert_eq!(game.last_points(), Bitboard::EMPTY.with("d5".parse().expect("a point")));
    }

    #[test]
    fn the_first_turn_of_a_line_has_the_takes_of_its_own_side() {
        for (rules, before, line, expected) in [
            (Rules::NINE, "d7 d6 g7 b4", "a7 xd6 f4", "a7 xd6"),
            (Rules::NINE, "d7 d6 g7 b4 a7", "xd6 f4", "xd6"),
            (Rules::EL_FILJA, BOTH_TAKE, "f6 xd6 xb6", "f6"),
        ] {
            let mut game = PlayedGame::new(&settings(rules, None));
            play(&mut game, before);
            let pos = game.position().clone();
            play(&mut game, line);
            let moves: Vec<Move> = game.record().moves().skip(pos.moves_played()).collect();
            let turn: Vec<String> = first_turn(&pos, &moves).iter().map(Move::to_string).collect();
            assert_eq!(turn.join(" "), expected);
        }
    }

    #[test]
    fn a_take_of_the_other_side_is_a_decision_of_its_own() {
        for (side, lengths) in [
            (None, &[25, 24, 23, 22][..]),
            (Some(Color::White), &[24, 22]),
            (Some(Color::Black), &[25, 23, 21]),
        ] {
            let mut game = PlayedGame::new(&settings(Rules::EL_FILJA, side));
            play(&mut game, BOTH_TAKE);
            play(&mut game, "f6 xe4 xd5");
            for &length in lengths {
                assert!(game.undo());
                assert_eq!(game.position().moves_played(), length, "{side:?}");
            }
            for &length in lengths.iter().rev().skip(1).chain(&[26]) {
                assert!(game.redo());
                assert_eq!(game.position().moves_played(), length, "{side:?}");
            }
        }
    }

    #[test]
    fn the_engine_keeps_its_opening_move_until_the_user_has_moved() {
        let mut game = PlayedGame::new(&settings(Rules::NINE, Some(Color::Black)));
        play(&mut game, "d7");
        assert!(!game.undo() && !game.redo());
        assert_eq!(game.record().moves().count(), 1);
        play(&mut game, "d6 g7");
        assert!(game.undo() && !game.undo());
        assert_eq!(game.record().moves().count(), 1);
        // A take that is due at the start is the user's.
        let start = "********/O*O*O***/***@@@** b p r 3 6 3 6 0 1 -1 -1 -1 -1 0 0 3 ids:nodes";
        let text = format!("[FEN \"{start}\"]\n[SetUp \"1\"]\n[PlaySide \"black\"]\n\n1... xd6 b4 *\n");
        let reading = record::read("t", &text, &ReadOptions::default());
        let mut game = PlayedGame::from_record(&reading.games[0], &PlaySettings::default()).expect("a game");
        assert!(game.undo() && !game.undo() && game.position().is_take_due());
    }

    #[test]
    fn a_resigned_game_is_over_until_that_is_taken_back() {
        let mut game = PlayedGame::new(&settings(Rules::NINE, None));
        play(&mut game, "d7 d6");
        game.resign(Color::White);
        assert_eq!(game.ending().as_deref(), Some("Black wins: White has resigned"));
        assert!(game.is_over() && !game.play(Move::place("a1".parse().expect("a point"))));
        assert!(game.undo() && !game.is_over());
        assert!(game.undo());
        game.resign(Color::White);
        assert!(!game.redo());
        assert!(game.undo() && game.redo() && !game.is_over());
        assert_eq!(game.record().moves().count(), 2);
    }

    #[test]
    fn comments_variations_and_tags_survive_as_far_as_the_loaded_game_is_followed() {
        let text = "[Event \"Club\"]\n[Termination \"time\"]\n\n\
                    {before} 1. d6 {a} (1. a1 {b} a4) f4 $1 (1... g1) \
                    2. d2 {c} (2. b4 (2. b2 {d}) b6) b4 {e} 1-0\n";
        let reading = record::read("t", text, &ReadOptions::default());
        let mut game = PlayedGame::from_record(&reading.games[0], &PlaySettings::default()).expect("a game");
        let tags =
            |record: &GameRecord| ["Event", "Termination"].map(|name| record.tag(name).map(str::to_owned));
        assert_eq!(game.record().lines, reading.games[0].lines);
        assert_eq!(tags(&game.record()), tags(&reading.games[0]));
        assert!(game.undo() && game.undo() && game.undo());
        assert_eq!(tags(&game.record()), [Some("Club".to_owned()), None]);
        play(&mut game, "b2 b4");
        let pgn = game.record().to_pgn();
        assert!(pgn.contains("{before} 1. d6 {a} (1. a1 {b} a4) 1... f4! (1... g1) 2. b2 b4 *"), "{pgn}");
        game.undo();
        play(&mut game, "d3");
        assert!(game.record().to_pgn().contains("2. b2 d3 *"));
    }

    #[test]
    fn games_of_all_rules_survive_their_record() {
        let mut random = StdRng::seed_from_u64(20);
        for row in NAMED {
            for side in [None, Some(Color::White), Some(Color::Black)] {
                let mut game = PlayedGame::new(&settings(row.rules, side));
                for _ in 0..random.random_range(0..120) {
                    let list = game.position().legal_moves();
                    if game.is_over() || list.is_empty() {
                        break;
                    }
                    assert!(game.play(list[random.random_range(0..list.len())]));
                }
                if random.random_bool(0.3) {
                    game.resign(Color::Black);
                }
                let text = game.record().to_pgn();
                let reading = record::read("t", &text, &ReadOptions::default());
                assert!(reading.errors.is_empty(), "{}: {text}", row.name);
                let again =
                    PlayedGame::from_record(&reading.games[0], &PlaySettings::default()).expect("a game");
                assert_eq!(again.record(), game.record(), "{text}");
                assert_eq!(again.ending(), game.ending(), "{text}");
                assert_eq!(again.position().fen(), game.position().fen());
                while game.undo() {}
                while game.redo() {}
                assert_eq!(again.position().fen(), game.position().fen());
            }
        }
    }
}
