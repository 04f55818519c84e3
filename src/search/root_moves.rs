//! The root moves: their list, their ranking by the tablebase, and warnings about the move counter.

use super::limits::{Limits, SearchSettings};
use super::report::{SearchNote, shown_win};
use crate::params::take_horizon;
use crate::platform::clock::Instant;
use crate::platform::sorting::sort_short;
use crate::position::{Phase, Position};
use crate::tablebase::{Found, RankedMove, Tablebase, TablebaseError, Wdl, despite_damage};
use crate::types::{
    Move, VALUE_DRAW, VALUE_INFINITE, VALUE_MATE_IN_MAX, VALUE_TB_WIN, Value, is_loss, mate_in, mated_in,
};
use std::cmp::Reverse;
use std::time::Duration;

/// A root move with its state in the search.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    /// The move.
    pub m: Move,
    /// The score of this iteration, or minus infinity if the move was not better than those before it.
    pub score: Value,
    /// The score of the previous iteration.
    pub previous: Value,
    /// The length in plies of the longest line of the iteration when the move got its score.
    pub seldepth: usize,
    /// The line that begins with it.
    pub pv: Vec<Move>,
    /// The tablebase result.
    pub probe: RootProbe,
}

impl RootMove {
    /// Returns a root move that has not been searched.
    pub(super) fn new(m: Move, probe: RootProbe) -> Self {
        Self { m, score: -VALUE_INFINITE, previous: -VALUE_INFINITE, seldepth: 0, pv: vec![m], probe }
    }

    /// The score to report: that of the tablebase, unless the search has proved a mate distance that it
    /// lacks.
    pub(super) fn reported_score(&self) -> Value {
        let found = self.latest_score();
        match self.probe.value {
            None => found,
            Some(VALUE_TB_WIN) if found >= VALUE_MATE_IN_MAX => found,
            Some(value) if value == -VALUE_TB_WIN && found <= -VALUE_MATE_IN_MAX => found,
            Some(value) => value,
        }
    }

    /// The score to show: [`RootMove::reported_score`], where wins and losses of unknown distance differ by
    /// what the search found.
    pub(super) fn shown_score(&self) -> Value {
        // Before the first iteration `previous` is the result of the tablebase, which is no line found.
        let is_searched = self.seldepth > 0 || Some(self.latest_score()) != self.probe.value;
        let found = if is_searched { self.latest_score() } else { 0 };
        match self.probe.value {
            Some(VALUE_TB_WIN) => shown_win(found, self.probe.takes),
            Some(value) if value == -VALUE_TB_WIN => -shown_win(-found, false),
            _ => self.reported_score(),
        }
    }

    /// The score of this iteration, or else of the previous one.
    pub(super) fn latest_score(&self) -> Value {
        if self.score == -VALUE_INFINITE { self.previous } else { self.score }
    }
}

/// The tablebase result of a root move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RootProbe {
    /// The order in which the moves are preferred, larger first.
    ///
    /// Equal ranks are left to the search; without a tablebase all are equal.
    pub rank: i64,
    /// The value to report, if the tablebase holds it.
    pub value: Option<Value>,
    /// True if the move takes a man or a take follows.
    pub takes: bool,
}

/// The root moves of a search.
#[derive(Clone, Debug, Default)]
pub struct RootMoves {
    /// The moves with their tablebase results, preferred ones first.
    pub moves: Vec<(Move, RootProbe)>,
    /// True if the tablebase holds the values of all these moves, or of one that wins.
    pub is_known: bool,
    /// True if the next take of a won root matters more than the shortest win.
    ///
    /// The move counter is then close to its limit.
    pub needs_take: bool,
}

/// Returns the root moves of a search, ranked by the tablebase, and notes for the user.
///
/// The tablebase ranks them as far as it holds them. They are the playable moves among
/// [`Limits::searchmoves`], or all playable moves if there is none. Once `is_stopped`, the tablebase, which
/// may be on a slow disk, is not asked any more, and moves that it has not ranked count as unknown.
pub fn root_moves(
    pos: &Position,
    limits: &Limits,
    settings: &SearchSettings,
    tablebase: Option<&Tablebase>,
    is_stopped: impl Fn() -> bool,
) -> (RootMoves, Vec<SearchNote>) {
    let all = pos.playable_moves();
    let mut chosen: Vec<Move> = all.iter().copied().filter(|m| limits.searchmoves.contains(m)).collect();
    if chosen.is_empty() {
        chosen = all.to_vec();
    }
    let mut notes = Vec::new();
    let probed = tablebase.filter(|_| pos.phase() != Phase::Placing || settings.tablebase_placing);
    let Some(tablebase) = probed else {
        let moves = chosen.into_iter().map(|m| (m, RootProbe::default())).collect();
        return (RootMoves { moves, is_known: false, needs_take: false }, notes);
    };
    let outlasts_placing = despite_damage(
        || tablebase.outlast_placing(pos),
        |error| notes.push(SearchNote::Damage(error.clone())),
    );
    let counts_replies = outlasts_placing || settings.multi_pv > 1;
    // Counting replies takes far more probes than looking up the moves.
    let known = || tablebase.known_moves_while(pos, counts_replies, || !is_stopped());
    let (mut ranked, mut unknown) =
        despite_damage(known, |error| notes.push(SearchNote::Damage(error.clone())));
    // Nothing is better than a win. Without one an unknown move may be better than a draw, and the search has
    // to find out; a loss is never played for it.
    let is_decided = |ranked: &[RankedMove], unknown: &[Move]| unknown.is_empty() || is_won(ranked);
    let best = ranked.first().filter(|_| is_decided(&ranked, &unknown) && !is_stopped());
    let warning = best.and_then(|best| {
        let probe = || move_count_warning(pos, best, tablebase, limits.reproducible, &is_stopped);
        despite_damage(probe, |error| notes.push(SearchNote::Damage(error.clone())))
    });
    // The warning is about the position, all else about the moves to search.
    ranked.retain(|ranked| chosen.contains(&ranked.m));
    unknown.retain(|m| chosen.contains(m));
    let is_known = is_decided(&ranked, &unknown);
    // Close to the limit of the counter, the search finds out if another win takes a man in time.
    let needs_take =
        warning.is_some() && is_won(&ranked) && pos.moves_to_count_draw() <= take_horizon() as u32;
    let is_exact = |ranked: &RankedMove| ranked.value.wdl != Wdl::Loss || ranked.value.plies.is_some();
    let orders_losses = ranked.iter().all(is_exact);
    let is_counted = |ranked: &RankedMove| ranked.value.wdl != Wdl::Draw || ranked.drawing_replies.is_some();
    let orders_draws = counts_replies && ranked.iter().all(is_counted);
    let probe = |m: Move| match ranked.iter().find(|ranked| ranked.m == m) {
        Some(ranked) if is_known || ranked.value.wdl != Wdl::Draw => RootProbe {
            rank: rank(ranked, needs_take, orders_draws, orders_losses),
            value: Some(search_value(ranked.value)),
            takes: ranked.takes,
        },
        _ => RootProbe::default(),
    };
    let mut moves: Vec<_> = chosen.into_iter().map(|m| (m, probe(m))).collect();
    sort_short(&mut moves, |(_, probe)| Reverse(probe.rank));
    let is_averted = needs_take && ranked.iter().any(|r| r.value.wdl == Wdl::Win && r.takes);
    notes.extend(warning.filter(|_| !is_averted));
    (RootMoves { moves, is_known, needs_take }, notes)
}

/// Lets the search compare known losses with the moves preferred to them once these are lost too: now the
/// longest loss counts, wherever it is known from. Returns true if there are any.
pub(super) fn compare_known_losses(root_moves: &mut [RootMove]) -> bool {
    let front = &root_moves[0];
    let is_lost = front.probe.value.is_none() && is_loss(front.latest_score());
    let is_lower = |root_move: &RootMove| root_move.probe.rank < front.probe.rank;
    if !is_lost || !root_moves.iter().any(is_lower) {
        return false;
    }
    root_moves.iter_mut().for_each(|root_move| root_move.probe.rank = 0);
    true
}

/// Returns true if the first of these moves wins.
fn is_won(ranked: &[RankedMove]) -> bool {
    ranked.first().is_some_and(|best| best.value.wdl == Wdl::Win)
}

/// Returns the rank of a move: the preference of the tablebase, with these exceptions.
///
/// Among wins of unknown length, takes go first, since they reset the move counter. The same holds for all
/// wins longer than one ply if `needs_take`.
///
/// Unless `orders_draws`, draws are equal, so that the search decides. It is false if a number of drawing
/// replies is unknown. It is also false for a single line if the tablebase ends with the placing phase: a
/// move that is hard to answer may also be hard to follow up.
///
/// Unless `orders_losses`, losses are equal: one of them has no distance, and the search finds out which is
/// the longest.
fn rank(ranked: &RankedMove, needs_take: bool, orders_draws: bool, orders_losses: bool) -> i64 {
    let found = ranked.value;
    match found.wdl {
        Wdl::Win => {
            let found = Found { plies: found.plies.filter(|&plies| !needs_take || plies == 1), ..found };
            found.preference() + i64::from(found.plies.is_none() && ranked.takes)
        }
        // The fewer replies draw, the harder a drawn move is for the opponent.
        Wdl::Draw if orders_draws => found.preference() - i64::from(ranked.drawing_replies.unwrap_or(0)),
        Wdl::Loss if !orders_losses => Found::result(Wdl::Loss).preference(),
        Wdl::Draw | Wdl::Loss => found.preference(),
    }
}

/// Converts a tablebase result to a value of the search, with its distance if there is one.
fn search_value(found: Found) -> Value {
    match (found.wdl, found.plies) {
        (Wdl::Draw, _) => VALUE_DRAW,
        (Wdl::Win, Some(plies)) => mate_in(plies as i32),
        (Wdl::Loss, Some(plies)) => mated_in(plies as i32),
        (Wdl::Win, None) => VALUE_TB_WIN,
        (Wdl::Loss, None) => -VALUE_TB_WIN,
    }
}

/// The longest time to follow the winning line to its next take. Not tunable: it bounds the wait for a slow
/// disk.
const LINE_TIME: Duration = Duration::from_millis(20);

/// Returns a warning if a won position may be drawn by the move counter: the next take, or the win itself,
/// comes too late, or a counter or repetition takes every win away at once.
fn move_count_warning(
    pos: &Position,
    best: &RankedMove,
    tablebase: &Tablebase,
    is_patient: bool,
    is_stopped: &impl Fn() -> bool,
) -> Result<Option<SearchNote>, TablebaseError> {
    if pos.is_take_due() {
        return Ok(None);
    }
    let limit = u32::from(pos.move_count_limit().0);
    Ok(match best.value {
        Found { wdl: Wdl::Draw, .. } => {
            let is_won = !pos.outcome().is_over() && tablebase.probe(pos)? == Some(Wdl::Win);
            is_won.then_some(SearchNote::WinsDraw)
        }
        Found { wdl: Wdl::Win, plies: Some(plies) } if pos.move_counter() + plies >= limit => {
            let deadline = Instant::now() + LINE_TIME;
            let line = tablebase.line_while(pos, |line| {
                let is_open = !line.last().is_some_and(|m| m.is_take());
                is_open && (is_patient || Instant::now() < deadline) && !is_stopped()
            })?;
            let left = pos.moves_to_count_draw();
            // The move that fills the counter may still take a man, but not win by blocking.
            match line.iter().position(|m| m.is_take()) {
                Some(before) => {
                    let moves = before as u32;
                    (moves > left).then_some(SearchNote::LateTake { moves, limit })
                }
                None if line.len() as u32 == plies => {
                    (plies >= left).then_some(SearchNote::LateWin { moves: plies, limit })
                }
                None => Some(SearchNote::PerhapsLate { moves: plies, limit }),
            }
        }
        Found { wdl: Wdl::Win, plies: None }
            if pos.move_counter() + take_horizon() as u32 >= limit && !best.takes =>
        {
            Some(SearchNote::CounterEndsIn(pos.moves_to_count_draw()))
        }
        _ => None,
    })
}
