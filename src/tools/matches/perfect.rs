//! Players that probe the exact value of every move, and the search for moves that lose value.

use crate::position::Position;
use crate::tablebase::{Tablebase, TablebaseError, Wdl};
use crate::tools::exact_values::best;
use crate::types::{Color, Move};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde::{Deserialize, Serialize};

/// A move that lost value, as results and records hold it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueLost {
    /// The number of moves before it.
    pub ply: usize,
    /// The position.
    pub fen: String,
    /// The move.
    #[serde(rename = "move")]
    pub played: String,
    /// The value before it, for its side: `W` or `D`.
    pub before: char,
    /// The value after it: `D` or `L`.
    pub after: char,
    /// The moves that would have kept the value.
    pub better: Vec<String>,
}

/// Returns the value that a move loses; `None` if it keeps the value, or the values are unknown.
///
/// # Errors
/// If a tablebase file is damaged.
pub fn loss_of_value(
    exact: &Tablebase,
    pos: &Position,
    m: Move,
    ply: usize,
) -> Result<Option<ValueLost>, TablebaseError> {
    Ok(exact.move_results(pos)?.and_then(|values| value_lost(&values, pos, m, ply)))
}

/// Returns the value that a move loses, of the known values of all moves; `None` if it keeps the value.
pub(super) fn value_lost(values: &[(Move, Wdl)], pos: &Position, m: Move, ply: usize) -> Option<ValueLost> {
    let (before, keeping) = best(values)?;
    let after = values.iter().find(|(other, _)| *other == m).map_or(before, |&(_, value)| value);
    (after < before).then(|| ValueLost {
        ply,
        fen: pos.fen(),
        played: m.to_string(),
        before: before.letter(),
        after: after.letter(),
        better: keeping.iter().map(Move::to_string).collect(),
    })
}

/// Returns a move of perfect play, or `None` if the tablebase does not hold the position.
///
/// In a drawn position it is any such move, else one with the shortest win or the longest loss if distances
/// are stored.
///
/// # Errors
/// If a tablebase file is damaged.
pub fn perfect(
    exact: &Tablebase,
    pos: &Position,
    random: &mut StdRng,
) -> Result<Option<Move>, TablebaseError> {
    Ok(candidates(exact, pos)?.and_then(|(_, moves)| moves.choose(random).copied()))
}

/// Returns the value of a position and the moves of perfect play: all drawing moves, or those with the
/// shortest win or the longest loss if distances are stored. `None` if the tablebase does not hold the
/// position.
///
/// # Errors
/// If a tablebase file is damaged.
fn candidates(exact: &Tablebase, pos: &Position) -> Result<Option<(Wdl, Vec<Move>)>, TablebaseError> {
    let Some(values) = exact.move_results(pos)? else { return Ok(None) };
    let Some((value, mut keeping)) = best(&values) else { return Ok(None) };
    if value != Wdl::Draw {
        keeping = fastest(exact, pos, keeping)?;
    }
    Ok(Some((value, keeping)))
}

/// Returns the moves that win soonest or lose latest, of moves with the same value.
fn fastest(exact: &Tablebase, pos: &Position, moves: Vec<Move>) -> Result<Vec<Move>, TablebaseError> {
    let Some(ranked) = exact.rank_moves(pos)? else { return Ok(moves) };
    let Some(first) = ranked.iter().find(|ranked| moves.contains(&ranked.m)) else { return Ok(moves) };
    let top = first.value.preference();
    let ties: Vec<Move> =
        ranked.iter().filter(|r| r.value.preference() == top && moves.contains(&r.m)).map(|r| r.m).collect();
    Ok(ties)
}

/// The maximum number of moves searched in a node below the root; if there are more, they are chosen at
/// random.
const WIDTH: usize = 6;

/// Returns the move of perfect play that a random opponent answers worst.
///
/// That is the move after which it keeps its value least often over its next two turns.
///
/// # Errors
/// If a tablebase file is damaged.
pub fn tricky(
    exact: &Tablebase,
    pos: &Position,
    random: &mut StdRng,
) -> Result<Option<Move>, TablebaseError> {
    let us = pos.side_to_move();
    let mut after = pos.clone();
    least_kept(exact, pos, random, |value, m, random| {
        after.do_move(m);
        let chance = keeping_chance(exact, &mut after, us, value, 2, random)?;
        after.undo_move();
        Ok(chance)
    })
}

/// Returns the move of perfect play for which `chance`, given the value too, is least; of several a random
/// one. In a won position it is any, since no reply loses value.
///
/// # Errors
/// If a tablebase file is damaged, and those of `chance`.
pub(super) fn least_kept<E: From<TablebaseError>>(
    exact: &Tablebase,
    pos: &Position,
    random: &mut StdRng,
    mut chance: impl FnMut(Wdl, Move, &mut StdRng) -> Result<f64, E>,
) -> Result<Option<Move>, E> {
    let Some((value, moves)) = candidates(exact, pos)? else { return Ok(None) };
    if value == Wdl::Win {
        return Ok(moves.choose(random).copied());
    }
    let mut rated = Vec::with_capacity(moves.len());
    for m in moves {
        rated.push((chance(value, m, random)?, m));
    }
    let least = rated.iter().map(|&(chance, _)| chance).fold(f64::INFINITY, f64::min);
    let ties: Vec<Move> = rated.iter().filter(|&&(chance, _)| chance <= least).map(|&(_, m)| m).collect();
    Ok(ties.choose(random).copied())
}

/// Returns the chance that the opponent of `us` keeps its value over its next `turns` turns with random
/// moves, if `us`, for whom the value is `value`, plays the moves that are worst for it.
fn keeping_chance(
    exact: &Tablebase,
    pos: &mut Position,
    us: Color,
    value: Wdl,
    turns: u32,
    random: &mut StdRng,
) -> Result<f64, TablebaseError> {
    if turns == 0 || pos.outcome().is_over() {
        return Ok(1.0);
    }
    let Some(values) = exact.move_results(pos)? else { return Ok(1.0) };
    let mover = pos.side_to_move();
    let kept = if mover == us { value } else { value.opposite() };
    let keeping: Vec<Move> = values.iter().filter(|&&(_, value)| value == kept).map(|&(m, _)| m).collect();
    let share = keeping.len() as f64 / values.len() as f64;
    let chosen: Vec<Move> = keeping.choose_multiple(random, WIDTH).copied().collect();
    if chosen.is_empty() {
        return Ok(if mover == us { 1.0 } else { 0.0 });
    }
    let mut chances = Vec::with_capacity(chosen.len());
    for &m in &chosen {
        pos.do_move(m);
        let left = if mover != us && pos.side_to_move() == us { turns - 1 } else { turns };
        chances.push(keeping_chance(exact, pos, us, value, left, random)?);
        pos.undo_move();
    }
    Ok(if mover == us {
        chances.iter().copied().fold(1.0, f64::min)
    } else {
        share * chances.iter().sum::<f64>() / chances.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tools::exact_values::built_in;
    use rand::SeedableRng as _;

    const DRAWN: &str = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    /// One flight of White closes a mill and wins at once; others win later.
    const MATE_IN_ONE: &str = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";

    #[test]
    fn a_perfect_opponent_wins_as_soon_as_it_can() {
        let exact = built_in(&Rules::NINE).unwrap().unwrap();
        let mut random = StdRng::seed_from_u64(3);
        let pos = Position::from_fen(&Rules::NINE, MATE_IN_ONE).unwrap();
        let (value, keeping) = best(&exact.move_results(&pos).unwrap().expect("built in")).unwrap();
        assert!(value == Wdl::Win && keeping.len() > 1, "{keeping:?}");
        for _ in 0..20 {
            let chosen = perfect(&exact, &pos, &mut random).unwrap().unwrap();
            assert_eq!(chosen.to_string(), "d5-f4");
        }
    }

    #[test]
    fn of_the_drawn_moves_the_one_with_the_least_chance_is_chosen() {
        let exact = built_in(&Rules::NINE).unwrap().unwrap();
        let mut random = StdRng::seed_from_u64(3);
        let pos = Position::from_fen(&Rules::NINE, DRAWN).unwrap();
        let (_, keeping) = best(&exact.move_results(&pos).unwrap().expect("built in")).unwrap();
        assert!(keeping.len() > 1, "{keeping:?}");
        for &worst in &keeping {
            let chance = |_, m, _: &mut StdRng| Ok::<_, TablebaseError>(if m == worst { 0.1 } else { 0.9 });
            assert_eq!(least_kept(&exact, &pos, &mut random, chance).unwrap(), Some(worst));
        }
    }

    #[test]
    fn a_loss_of_unknown_length_is_made_hard_to_win() {
        let exact = built_in(&Rules::TWELVE).unwrap().unwrap();
        let mut pos = Position::new(&Rules::TWELVE);
        pos.do_move("a7".parse().unwrap());
        let (value, keeping) = candidates(&exact, &pos).unwrap().expect("built in");
        assert!(value == Wdl::Loss && keeping.len() == pos.legal_moves().len());
        let chances = keeping.iter().map(|&m| {
            pos.do_move(m);
            let mut random = StdRng::seed_from_u64(4);
            let chance = keeping_chance(&exact, &mut pos, Color::Black, value, 2, &mut random).unwrap();
            pos.undo_move();
            (chance, m)
        });
        let mut chances: Vec<(f64, Move)> = chances.collect();
        chances.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(chances[0].0 < 0.5 * chances[keeping.len() - 1].0, "{chances:?}");
        for seed in 0..5 {
            let chosen = tricky(&exact, &pos, &mut StdRng::seed_from_u64(seed)).unwrap();
            // Chance decides between moves that are nearly as good.
            assert!(chances[..6].iter().any(|&(_, m)| chosen == Some(m)), "{chosen:?}: {chances:?}");
        }
    }

    #[test]
    fn perfect_opponents_keep_the_value_and_lost_value_is_told() {
        let exact = built_in(&Rules::NINE).unwrap().unwrap();
        let mut random = StdRng::seed_from_u64(3);
        let mut losses = 0;
        for text in [DRAWN, "O*******/**@****O/O***@@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"] {
            let pos = Position::from_fen(&Rules::NINE, text).unwrap();
            let values = exact.move_results(&pos).unwrap().expect("small enough to be built in");
            let (value, keeping) = best(&values).unwrap();
            for _ in 0..20 {
                let chosen = perfect(&exact, &pos, &mut random).unwrap().unwrap();
                assert!(
                    keeping.contains(&chosen) && loss_of_value(&exact, &pos, chosen, 0).unwrap().is_none()
                );
            }
            assert!(keeping.contains(&tricky(&exact, &pos, &mut random).unwrap().unwrap()));
            for &m in pos.legal_moves().iter().filter(|m| !keeping.contains(m)) {
                let lost = loss_of_value(&exact, &pos, m, 7).unwrap().expect("a move that loses value");
                assert_eq!((lost.ply, lost.before, lost.better.len()), (7, value.letter(), keeping.len()));
                losses += 1;
            }
        }
        assert!(losses > 0);
    }
}
