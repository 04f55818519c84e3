//! A perfect player that looks for moves which an engine answers badly.

use super::perfect::least_kept;
use crate::engine::Engine;
use crate::position::Position;
use crate::search::Limits;
use crate::tablebase::Tablebase;
use crate::tools::error::ToolError;
use crate::tools::exact_values::best;
use crate::types::Move;
use rand::rngs::StdRng;

/// The nodes of a search for an answer.
const NODES: u64 = 1_000;

/// Returns the move of perfect play that `prey` answers worst: first with a move that loses value, else so
/// that the smallest share of the moves that follow keep it.
///
/// # Errors
/// If a tablebase file is damaged, or the search of the prey fails.
pub(super) fn hunt(
    exact: &Tablebase,
    pos: &Position,
    prey: &mut Engine,
    random: &mut StdRng,
) -> Result<Option<Move>, ToolError> {
    least_kept(exact, pos, random, |_, m, _| share_that_keeps(exact, pos, m, prey))
}

/// Returns the share of the replies to `m` that keep the value, or zero if `prey` plays none of these. If `m`
/// closes a mill, returns the least share over all takes that keep it.
fn share_that_keeps(exact: &Tablebase, pos: &Position, m: Move, prey: &mut Engine) -> Result<f64, ToolError> {
    let mut after = pos.clone();
    after.do_move(m);
    if after.outcome().is_over() {
        return Ok(1.0);
    }
    let Some(values) = exact.move_results(&after)? else { return Ok(1.0) };
    let Some((_, keeping)) = best(&values) else { return Ok(1.0) };
    if after.side_to_move() == pos.side_to_move() {
        return keeping
            .into_iter()
            .try_fold(1.0, |least: f64, take| Ok(least.min(share_that_keeps(exact, &after, take, prey)?)));
    }
    // A reproducible search follows no certificate.
    let limits = Limits { nodes: Some(NODES), reproducible: true, ..Limits::default() };
    let answer = prey.search(&after, limits)?.best;
    let holds = answer.is_none_or(|answer| keeping.contains(&answer));
    Ok(if holds { keeping.len() as f64 / values.len() as f64 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tablebase::Wdl;
    use crate::tools::exact_values::built_in;
    use rand::SeedableRng as _;

    #[test]
    fn a_hunter_keeps_the_draw() {
        let exact = built_in(&Rules::NINE).unwrap().unwrap();
        let mut prey = Engine::new().unwrap();
        let mut random = StdRng::seed_from_u64(5);
        let text = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let pos = Position::from_fen(&Rules::NINE, text).unwrap();
        let (_, keeping) = best(&exact.move_results(&pos).unwrap().expect("built in")).unwrap();
        for _ in 0..5 {
            let chosen = hunt(&exact, &pos, &mut prey, &mut random).unwrap().unwrap();
            assert!(keeping.contains(&chosen));
        }
        // The prey holds this position; a prey that loses it would be worth more than any share.
        for &m in &keeping {
            let share = share_that_keeps(&exact, &pos, m, &mut prey).unwrap();
            assert!(share > 0.0 && share <= 1.0, "{m}: {share}");
        }
    }

    #[test]
    fn a_mill_is_worth_its_worst_take() {
        let exact = built_in(&Rules::NINE).unwrap().unwrap();
        let mut prey = Engine::new().unwrap();
        let text = "**OO*@**/*@*@@***/*@*O**** w m s 3 0 5 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let mut pos = Position::from_fen(&Rules::NINE, text).unwrap();
        let mill: Move = "g1-e5".parse().unwrap();
        let share = share_that_keeps(&exact, &pos, mill, &mut prey).unwrap();
        pos.do_move(mill);
        let (value, takes) = best(&exact.move_results(&pos).unwrap().expect("built in")).unwrap();
        assert_eq!((value, takes.len()), (Wdl::Draw, 5));
        let shares = takes.iter().map(|&take| share_that_keeps(&exact, &pos, take, &mut prey).unwrap());
        assert_eq!(shares.fold(1.0, f64::min), share);
        assert!(share < 1.0, "{share}");
    }
}
