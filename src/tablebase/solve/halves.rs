//! The two sectors of a pair. `pair.rs` and `results.rs` solve one in different ways; both first take in the
//! turns that leave it.

use super::finished::FinishedSector;
use super::units::Unit;
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::Sector;

/// Returns what a solver holds of `sector`, and of its mirror if that is another sector.
///
/// `new` allocates it. `take_in` adds the turns of one kind into finished sectors: first that after a placing
/// without a take, then those after one take, two and so on, without those that end the game. A slide without
/// a take stays in the pair. Only the sectors after one kind of turn are in memory at a time.
///
/// # Errors
/// If `load` or `take_in` fails.
pub(super) fn begin_pair<H, E>(
    game: &SolvedGame,
    sector: Sector,
    load: &mut dyn FnMut(Sector) -> Result<Vec<u8>, E>,
    new: impl Fn(Sector) -> H,
    take_in: impl Fn(&mut H, TurnKind, &[FinishedSector<'_>]) -> Result<(), E>,
) -> Result<Vec<H>, E> {
    let sectors = Unit::Pair(sector).sectors();
    let mut halves: Vec<H> = sectors.iter().map(|&sector| new(sector)).collect();
    for (half, sector) in halves.iter_mut().zip(sectors) {
        for kind in TurnKind::ALL.into_iter().filter(|&kind| game.allows(sector, kind)) {
            let takes = 1 - kind.placed()..=game.most_taken();
            let after = takes.filter_map(|taken| game.after(sector, kind, taken));
            let loaded: Vec<(Sector, Vec<u8>)> =
                after.map(|next| Ok((next, load(next)?))).collect::<Result<_, E>>()?;
            let finished: Vec<FinishedSector<'_>> =
                loaded.iter().map(|(sector, values)| FinishedSector { sector: *sector, values }).collect();
            take_in(half, kind, &finished)?;
        }
    }
    Ok(halves)
}
