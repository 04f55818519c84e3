//! Legal moves in a list of fixed size, their number without a list, and perft. Uses `position`, `bitboard`
//! and `types`.

use crate::bitboard::{Bitboard, Pair};
use crate::position::{Action, Phase, Position};
use crate::types::{Color, MAX_MOVES, Move};

/// A list of moves on the stack. Dereferences to a slice.
///
/// ```
/// use millstone::{Position, Rules};
///
/// let pos = Position::new(&Rules::NINE);
/// for m in pos.legal_moves() {
///     assert!(pos.is_legal(m));
/// }
/// ```
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MAX_MOVES],
    len: usize,
}

impl MoveList {
    /// Returns an empty list.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self { moves: [Move::NONE; MAX_MOVES], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, m: Move) {
        debug_assert!(self.len < MAX_MOVES, "more moves than the largest position has");
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = m;
            self.len += 1;
        }
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline(always)]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len.min(MAX_MOVES)]
    }
}

impl PartialEq for MoveList {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for MoveList {}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = std::iter::Take<std::array::IntoIter<Move, MAX_MOVES>>;

    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(self.len)
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Position {
    /// Returns the legal moves, none if the game is over for any reason.
    ///
    /// ```
    /// use millstone::{Position, Rules};
    ///
    /// assert_eq!(Position::new(&Rules::NINE).legal_moves().len(), 24);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        if self.outcome().is_over() { MoveList::new() } else { self.playable_moves() }
    }

    /// Returns all moves that the rules allow, even after a draw by repetition or by the move counters.
    ///
    /// Compare [`Position::legal_moves`].
    #[inline]
    pub fn playable_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        if self.phase() == Phase::Over {
            return list;
        }
        if self.has_extras() {
            generate::<true>(self, &mut list);
        } else {
            generate::<false>(self, &mut list);
        }
        list
    }
}

/// Appends all moves of a game that is not over. `EXTRAS` must equal [`Position::has_extras`].
#[inline(always)]
pub(crate) fn generate<const EXTRAS: bool>(pos: &Position, list: &mut MoveList) {
    generate_to::<EXTRAS>(pos, Bitboard::FULL, list);
}

/// As [`generate`], but appends only placings and slides to points of `targets`, and takes there.
#[inline(always)]
pub(crate) fn generate_to<const EXTRAS: bool>(pos: &Position, targets: Bitboard, list: &mut MoveList) {
    if pos.is_next::<EXTRAS>(Action::Take) {
        for at in pos.takeable::<EXTRAS>() & targets {
            list.push(Move::take(at));
        }
    } else {
        for_each_advance::<EXTRAS>(pos, targets, |m| list.push(m));
    }
}

/// Calls `visit` for each move that [`generate_to`] lists. No take may be due.
#[inline(always)]
pub(crate) fn for_each_advance<const EXTRAS: bool>(
    pos: &Position,
    targets: Bitboard,
    mut visit: impl FnMut(Move),
) {
    let us = pos.side_to_move();
    let placing = pos.is_next::<EXTRAS>(Action::Place);
    if placing {
        // Without extras this action means a man in hand.
        if !EXTRAS || pos.hand(us) > 0 {
            for to in pos.empty_as::<EXTRAS>() & targets {
                visit(Move::place(to));
            }
        }
        if !pos.may_slide_while_placing::<EXTRAS>() {
            return;
        }
    }
    if !placing && !pos.is_next::<EXTRAS>(Action::Slide) {
        return;
    }
    let flying = !placing && pos.can_fly(us);
    for from in pos.men(us) {
        for to in pos.destinations::<EXTRAS>(from, flying) & targets {
            visit(Move::slide(from, to));
        }
    }
}

/// Returns the number of moves that [`generate`] lists.
#[inline(always)]
fn count<const EXTRAS: bool>(pos: &Position) -> u64 {
    let us = pos.side_to_move();
    let action = pos.next_action::<EXTRAS>();
    let mut moves = 0;
    if action.is_take_or_none() {
        return if action == Action::Take { u64::from(pos.takeable::<EXTRAS>().count()) } else { 0 };
    }
    if action == Action::Place {
        if !EXTRAS || pos.hand(us) > 0 {
            moves = u64::from(pos.empty_as::<EXTRAS>().count());
        }
        if !pos.may_slide_while_placing::<EXTRAS>() {
            return moves;
        }
    }
    if !EXTRAS {
        let men = pos.men(us);
        let empty = pos.empty_as::<EXTRAS>();
        if pos.can_fly(us) {
            return u64::from(men.count() * empty.count());
        }
        // Each edge joins one man and one empty point at most once.
        let spokes = pos.compiled().spokes;
        let along = (men.clockwise() & empty).count() + (men.anticlockwise() & empty).count();
        let spoke_men = men & spokes;
        let across = (spoke_men.0 << 8 & empty.0).count_ones() + (spoke_men.0 >> 8 & empty.0).count_ones();
        return u64::from(along + across);
    }
    let flying = action == Action::Slide && pos.can_fly(us);
    moves
        + pos
            .men(us)
            .into_iter()
            .map(|from| u64::from(pos.destinations::<EXTRAS>(from, flying).count()))
            .sum::<u64>()
}

/// Returns the number of sequences of exactly `depth` legal moves.
///
/// Takes count as moves, and a finished game has no continuation. The last ply is counted without being
/// played, and placings that leave equally many replies are counted together.
///
/// ```
/// use millstone::{Position, Rules, movegen::perft};
///
/// assert_eq!(perft(&mut Position::new(&Rules::NINE), 3), 24 * 23 * 22);
/// ```
pub fn perft(pos: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if pos.phase() == Phase::Over {
        return 0;
    }
    if pos.has_extras() { perft_as::<true>(pos, depth) } else { perft_as::<false>(pos, depth) }
}

fn perft_as<const EXTRAS: bool>(pos: &mut Position, depth: u32) -> u64 {
    if depth == 1 {
        return leaves::<EXTRAS>(pos);
    }
    if pos.claimable_draw().is_some() {
        return 0;
    }
    // Most positions before the last ply come from placings.
    let placing = !EXTRAS && pos.next_action::<EXTRAS>() == Action::Place;
    if depth == 2 && placing && !pos.may_slide_while_placing::<EXTRAS>() && !pos.counts_origin() {
        return match pos.side_to_move() {
            Color::White => replies_to_placings(pos, Color::White),
            Color::Black => replies_to_placings(pos, Color::Black),
        };
    }
    let mut list = MoveList::new();
    generate::<EXTRAS>(pos, &mut list);
    let mut nodes = 0;
    for &m in list.iter() {
        pos.do_move_as::<EXTRAS>(m);
        // Most calls would be for the last ply: count it here.
        nodes += if depth == 2 { leaves::<EXTRAS>(pos) } else { perft_as::<EXTRAS>(pos, depth - 1) };
        pos.undo_move_as::<EXTRAS>();
    }
    nodes
}

/// Returns the number of replies to all placings of `us`, the side to move. No draw by counters follows them.
#[inline(always)]
fn replies_to_placings(pos: &mut Position, us: Color) -> u64 {
    let empty = pos.empty_as::<false>();
    if pos.hand(!us) == 0 || pos.compiled().stop_at_two_empty {
        return empty.into_iter().map(|to| pos.after_placing(us, to, count::<false>)).sum();
    }
    // The opponent will place again. There are as many replies to each placing that closes a mill, and to
    // each that does not.
    let men = Pair::new(pos.men(us), Bitboard::EMPTY);
    let closers = men.closers(empty, pos.compiled().spokes).all.first();
    let replies = |class: Bitboard| {
        class.first().map_or(0, |to| u64::from(class.count()) * pos.after_placing(us, to, count::<false>))
    };
    [closers, empty - closers].map(replies).into_iter().sum()
}

#[inline(always)]
fn leaves<const EXTRAS: bool>(pos: &Position) -> u64 {
    if pos.claimable_draw().is_some() { 0 } else { count::<EXTRAS>(pos) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{NAMED, Rules};
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    #[test]
    fn two_plies_are_counted_as_if_each_move_were_played() {
        let mut random = StdRng::seed_from_u64(3);
        for rules in NAMED.iter().map(|row| row.rules).chain(Rules::PRESETS) {
            for _ in 0..20 {
                let mut pos = Position::new(&rules);
                while pos.moves_played() < 60 {
                    let moves = pos.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let mut played = 0;
                    for &m in moves.iter() {
                        pos.do_move(m);
                        played += pos.legal_moves().len() as u64;
                        pos.undo_move();
                    }
                    assert_eq!(perft(&mut pos, 2), played, "{pos}");
                    pos.do_move(moves[random.random_range(0..moves.len())]);
                }
            }
        }
    }
}
