//! The answer to `analyze`: one line with every move and its value in the tablebase, or else in the search.

use super::output::Output;
use super::search::{NextSearch, Purpose};
use crate::dialect::writer::points;
use crate::engine::Engine;
use crate::position::Position;
use crate::search::limits::Limits;
use crate::tablebase::{Found, Tablebase, TablebaseError, Wdl, despite_damage};
use crate::types::{Move, MoveKind, VALUE_DRAW, Value};
use std::io;

/// The maximum length of an `analyze` line in bytes.
const LONGEST: usize = 4096;

/// Writes the answer to `analyze` if the tablebase knows every move of `root`. Otherwise returns the search
/// to start.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn write_known(
    root: Position,
    engine: &Engine,
    out: &mut Output,
) -> io::Result<Option<NextSearch>> {
    let mut errors = Vec::new();
    let ranked = engine.tablebase().and_then(|tablebase| {
        despite_damage(|| tablebase.rank_moves(&root), |error| errors.push(error.clone()))
    });
    errors.iter().try_for_each(|error| out.note(error))?;
    if let Some(ranked) = ranked {
        let ranking: Vec<_> = ranked.iter().map(|ranked| (ranked.m, VALUE_DRAW)).collect();
        write(&root, &ranking, engine, out)?;
        return Ok(None);
    }
    let limits = Limits { movetime: Some(engine.bare_time()), analysis: true, ..Limits::default() };
    Ok(Some(NextSearch { root, limits, purpose: Purpose::Analysis }))
}

/// Writes the answer to `analyze`: the moves in the order of `ranking`, with its values where the tablebase
/// has none.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn write(
    root: &Position,
    ranking: &[(Move, Value)],
    engine: &Engine,
    out: &mut Output,
) -> io::Result<()> {
    let mut errors = Vec::new();
    let probe = || probe_moves(root, ranking, engine.tablebase());
    let known = despite_damage(probe, |error| errors.push(error.clone()));
    errors.iter().try_for_each(|error| out.note(error))?;
    out.line(&line(root, ranking, &known, engine.values().trap_awareness))
}

/// Returns the tablebase result of each move, where it is known.
fn probe_moves(
    root: &Position,
    ranking: &[(Move, Value)],
    tablebase: Option<&Tablebase>,
) -> Result<Vec<Option<Found>>, TablebaseError> {
    let probe = |m| tablebase.map_or(Ok(None), |tablebase| tablebase.after(root, m));
    ranking.iter().map(|&(m, _)| probe(m)).collect()
}

/// Returns the line: each move with its tablebase result, or else its search value; with `traps` also the
/// trap moves.
fn line(root: &Position, ranking: &[(Move, Value)], known: &[Option<Found>], traps: bool) -> String {
    let mut line = "info analysis".to_owned();
    // The longest list, 80 flying moves, fits. The limit is that of known clients.
    let mut add = |piece: &str| {
        let fits = line.len() + piece.len() + 1 < LONGEST;
        if fits {
            line.push_str(piece);
        }
        fits
    };
    for (&(m, value), known) in ranking.iter().zip(known) {
        add(&match known {
            Some(found) => format!(" {m}={}", tablebase_text(*found)),
            None => format!(" {m}={}", search_text(points(value))),
        });
    }
    if traps {
        let mut head = " trap";
        for m in trap_moves(root, ranking, known) {
            if add(&format!("{head} {m}")) {
                head = "";
            }
        }
    }
    line
}

fn search_text(value: i32) -> String {
    let word = match value {
        1.. => "advantage",
        0 => "unknown",
        _ => "disadvantage",
    };
    format!("{word}({value})")
}

fn tablebase_text(found: Found) -> String {
    let (word, value) = match found.wdl {
        Wdl::Win => ("win", 80),
        Wdl::Draw => ("draw", 0),
        Wdl::Loss => ("loss", -80),
    };
    match found.plies {
        Some(plies) => format!("{word}({value} in {plies} steps)"),
        None => format!("{word}({value})"),
    }
}

/// Returns the moves that close a mill or block one of the opponent and yet give away a better result.
fn trap_moves(root: &Position, ranking: &[(Move, Value)], known: &[Option<Found>]) -> Vec<Move> {
    let best = known.iter().flatten().map(|found| found.wdl).max();
    let (us, compiled) = (root.side_to_move(), root.compiled());
    let tempts = |m: Move| {
        let own = match m.kind() {
            MoveKind::Place => root.men(us),
            MoveKind::Slide => root.men(us) - m.from().into(),
            MoveKind::Take | MoveKind::None => return false,
        };
        compiled.closes_mill(own, m.to()) || compiled.closes_mill(root.men(!us), m.to())
    };
    let loses = |found: &Option<Found>| found.is_some_and(|found| Some(found.wdl) < best);
    let moves = ranking.iter().zip(known).filter(|((m, _), found)| loses(found) && tempts(*m));
    moves.map(|((m, _), _)| *m).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn after(moves: &str) -> (Position, Vec<(Move, Value)>) {
        let mut pos = Position::new(&Rules::NINE);
        for text in moves.split_whitespace() {
            pos.do_move(crate::notation::parse(&pos, text).unwrap());
        }
        let ranking = pos.playable_moves().iter().map(|&m| (m, 100)).collect();
        (pos, ranking)
    }

    #[test]
    fn what_the_tablebase_knows_comes_before_what_the_search_thinks() {
        let (pos, ranking) = after("d6 f4 d2 b4 f6");
        let mut known = vec![None; ranking.len()];
        known[0] = Some(Found { wdl: Wdl::Win, plies: Some(16) });
        known[1] = Some(Found::DRAW);
        known[2] = Some(Found::result(Wdl::Loss));
        let line = line(&pos, &ranking, &known, false);
        let pieces: Vec<&str> = line.strip_prefix("info analysis ").unwrap().split(") ").collect();
        assert!(pieces[0].ends_with("=win(80 in 16 steps"), "{line}");
        assert!(pieces[1].ends_with("=draw(0") && pieces[2].ends_with("=loss(-80"), "{line}");
        assert!(pieces[3].ends_with("=advantage(5") && !line.contains("trap"), "{line}");
    }

    #[test]
    fn a_trap_closes_or_blocks_a_mill_and_gives_a_better_result_away() {
        // White may close b6-d6-f6 with b6; Black's d2 and f2 wait for b2.
        let (pos, ranking) = after("d6 d2 f6 f2");
        let value =
            |m: &Move, best: &str| if m.to_string() == best { Found::result(Wdl::Win) } else { Found::DRAW };
        let traps = |best: &str| {
            let known: Vec<_> = ranking.iter().map(|(m, _)| Some(value(m, best))).collect();
            let line = line(&pos, &ranking, &known, true);
            line.split_once(" trap ").map(|(_, moves)| moves.to_owned())
        };
        let sorted = |text: Option<String>| {
            let mut words: Vec<String> = text.unwrap_or_default().split(' ').map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(sorted(traps("a1")), ["b2", "b6"]);
        assert_eq!(sorted(traps("b6")), ["b2"]);
        assert_eq!(traps("nothing is better"), None);
    }
}
