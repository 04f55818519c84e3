//! Iterative deepening at the root: windows, the list of root moves, several lines, reports.

use super::alphabeta::reduction_of;
use super::worker::{Dice, Known, RootMove, RootMoves, Worker};
use super::{Algorithm, BestMove, Info, Limits, Report, Score, SearchSettings};
use crate::evaluate::evaluate;
use crate::movegen;
use crate::params::search::{ASPIRATION, ASPIRATION_FROM, REDUCTION_AFTER, REDUCTION_FROM};
use crate::position::{Phase, Position};
use crate::search::levels::{self, Level};
use crate::tablebase::{Found, RankedMove, Tablebase, TablebaseError, Wdl, despite_damage};
use crate::types::{
    Bound, Depth, MAX_PLY, Move, VALUE_DRAW, VALUE_INFINITE, VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_TABLE_WIN,
    Value, is_decisive, is_loss, is_win, mate_in, mated_in,
};
use std::time::{Duration, Instant};

/// Deepest iteration.
pub const MAX_DEPTH: Depth = 200;

/// Bounds are reported from here on.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_secs(1);
/// The current root move is reported from here on.
const REPORT_MOVES_AFTER: Duration = Duration::from_secs(3);
/// Score from which on a game can be given up.
const HOPELESS: Value = -600;
/// Iterations by which a depth set by options is exceeded at most.
const MAX_EXTENSION: Depth = 2;

/// The moves to be searched at the root: those of the limits that can be played, or all; in the order in which the
/// tables prefer them, as far as they know them. The second value is what to tell the user.
pub fn root_moves(
    pos: &Position,
    limits: &Limits,
    settings: &SearchSettings,
    tablebase: Option<&Tablebase>,
) -> (RootMoves, Vec<String>) {
    let all = movegen::playable(pos);
    let mut chosen: Vec<Move> = all.iter().copied().filter(|m| limits.searchmoves.contains(m)).collect();
    if chosen.is_empty() {
        chosen = all.to_vec();
    }
    let mut notes = Vec::new();
    let asked = tablebase.filter(|_| pos.phase() != Phase::Placing || settings.table_placing);
    let Some(tablebase) = asked else {
        let moves = chosen.into_iter().map(|m| (m, Known::default())).collect();
        return (RootMoves { moves, is_known: false, hurries: false }, notes);
    };
    let (ranked, unknown) =
        despite_damage(|| tablebase.known_moves(pos), |error| notes.push(error.to_string()));
    let best = ranked.first();
    // Nothing is better than a win. Otherwise a move that is not known may be, and the search has to say whether it is
    // better than a draw; a loss is never played for it.
    let is_known = unknown.is_empty() || best.is_some_and(|best| best.value.wdl == Wdl::Win);
    let obstacle = best.filter(|_| is_known).and_then(|best| {
        let look = || counters_in_the_way(pos, best, tablebase);
        despite_damage(look, |error| notes.push(error.to_string()))
    });
    // Close to the counter the search sees whether another win takes a man in time.
    let is_won = best.is_some_and(|best| best.value.wdl == Wdl::Win);
    let hurries = obstacle.is_some() && is_won && pos.quiet_moves_left() <= IN_SIGHT;
    let is_followed =
        despite_damage(|| tablebase.outlast_placing(pos), |error| notes.push(error.to_string()));
    let known = |m: Move| match ranked.iter().find(|ranked| ranked.mv == m) {
        Some(ranked) if is_known || ranked.value.wdl != Wdl::Draw => {
            Known { rank: rank(ranked, hurries, is_followed), value: Some(table_value(ranked.value)) }
        }
        _ => Known::default(),
    };
    let mut moves: Vec<_> = chosen.into_iter().map(|m| (m, known(m))).collect();
    moves.sort_by_key(|(_, known)| std::cmp::Reverse(known.rank));
    let is_avoided = hurries && ranked.iter().any(|r| r.value.wdl == Wdl::Win && r.takes);
    notes.extend(obstacle.filter(|_| !is_avoided));
    (RootMoves { moves, is_known, hurries }, notes)
}

/// Moves before the draw by the counter from which on the search looks for a removal that keeps a win.
const IN_SIGHT: u32 = 40;

/// How much the root prefers a move: as the tables do, but among wins of unknown length, and where the shortest comes
/// too late for the move counter, those that take a man, which gets on in any case. Draws are equal where the tables
/// soon end: a move that is hard to answer now may be hard to follow up.
fn rank(ranked: &RankedMove, hurries: bool, is_followed: bool) -> i64 {
    let found = ranked.value;
    match found.wdl {
        Wdl::Win => {
            let found = Found { plies: found.plies.filter(|&plies| !hurries || plies == 1), ..found };
            found.preference() + i64::from(found.plies.is_none() && ranked.takes)
        }
        // The fewer replies draw, the harder a drawn move is for the opponent.
        Wdl::Draw if is_followed => found.preference() - i64::from(ranked.drawing_replies),
        Wdl::Draw => found.preference(),
        Wdl::Loss => found.preference(),
    }
}

/// A table's result as a value of the search: with its distance, or only as decided.
fn table_value(found: Found) -> Value {
    match (found.wdl, found.plies) {
        (Wdl::Draw, _) => VALUE_DRAW,
        (Wdl::Win, Some(plies)) => mate_in(plies as i32),
        (Wdl::Loss, Some(plies)) => mated_in(plies as i32),
        (Wdl::Win, None) => VALUE_TABLE_WIN,
        (Wdl::Loss, None) => -VALUE_TABLE_WIN,
    }
}

/// Longest time that the way to the next removal is looked for before a search: clients wait for it.
const LOOKING_AHEAD: Duration = Duration::from_millis(20);

/// Says so when the winner of a won position comes to its next removal, or to blocking the loser, only after the move
/// counter has drawn the game, or when a counter or repetition takes the win away at once.
fn counters_in_the_way(
    pos: &Position,
    best: &RankedMove,
    tablebase: &Tablebase,
) -> Result<Option<String>, TablebaseError> {
    if pos.is_removal_due() {
        return Ok(None);
    }
    let allowed = u32::from(pos.move_count_limit().0);
    Ok(match best.value {
        Found { wdl: Wdl::Draw, .. } => {
            let is_won = !pos.outcome().is_over() && tablebase.probe(pos)? == Some(Wdl::Win);
            is_won.then(|| {
                "the position is won, but every winning move draws by the move counter or by repetition"
                    .to_owned()
            })
        }
        Found { wdl: Wdl::Win, plies: Some(plies) } if pos.quiet() + plies >= allowed => {
            let deadline = Instant::now() + LOOKING_AHEAD;
            let line = tablebase.line_while(pos, |line| {
                !line.last().is_some_and(|m| m.is_take()) && Instant::now() < deadline
            })?;
            let left = pos.quiet_moves_left();
            // A removal still comes first on the move that fills the counter, a blocked side does not.
            let late = match line.iter().position(|m| m.is_take()) {
                Some(before) => (before as u32 > left).then_some(("next removal", before as u32)),
                None if line.len() as u32 == plies => (plies >= left).then_some(("win", plies)),
                None => {
                    return Ok(Some(format!(
                        "the win takes {plies} moves, more than the move counter of {allowed} leaves without a removal: it may be drawn"
                    )));
                }
            };
            late.map(|(what, needed)| {
                format!("the {what} takes {needed} moves, more than the move counter of {allowed} leaves: the win may be drawn")
            })
        }
        Found { wdl: Wdl::Win, plies: None } if pos.quiet() + IN_SIGHT >= allowed && !best.takes => {
            let left = pos.quiet_moves_left();
            Some(format!(
                "the position is won, nobody knows how far, and the move counter draws it in {left} moves"
            ))
        }
        _ => None,
    })
}

impl Worker {
    /// Searches deeper and deeper until the limits end it. The best move is then in front of the root moves.
    pub fn iterate(&mut self) {
        if self.root_moves.is_empty() {
            return;
        }
        if self.pos.has_extras() {
            self.iterate_as::<true>();
        } else {
            self.iterate_as::<false>();
        }
        self.publish_nodes();
    }

    fn iterate_as<const EXTRAS: bool>(&mut self) {
        let longest = self.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let is_analysis = self.settings.is_analysis(&self.limits);
        let cap = if is_analysis { None } else { levels::depth_cap(&self.pos, &self.settings) };
        let mut deepest = longest.min(cap.unwrap_or(MAX_DEPTH));
        let eval = self.styled(evaluate(&self.pos));
        for root_move in &mut self.root_moves {
            root_move.previous = root_move.known.value.unwrap_or(eval);
        }
        self.sort_before_first_iteration();
        let level = if is_analysis { None } else { Level::of(self.settings.skill) };
        let lines =
            level.map_or(0, |level| level.lines).max(self.settings.multi_pv).min(self.root_moves.len());
        match self.settings.algorithm {
            // Playing to the end of lines at random depth proves no distance.
            Algorithm::Mcts if self.limits.mate.is_none() => {
                self.monte_carlo::<EXTRAS>(deepest, cap, lines);
                return self.weaken(level, lines);
            }
            Algorithm::Random => return self.pick_any::<EXTRAS>(lines),
            Algorithm::AlphaBeta | Algorithm::Pvs | Algorithm::Mtdf | Algorithm::Mcts => {}
        }
        let mut finished = self.root_moves.clone();
        let mut bound = Bound::Exact;
        let shallowest = self.first_depth(deepest);
        for depth in shallowest..=longest {
            if depth > deepest {
                break;
            }
            // Helpers leave out some depths each, so that the threads spread over several.
            let is_left_out = (depth as usize + self.id).is_multiple_of(2 + self.id.min(2));
            if !self.is_main() && depth > shallowest.max(2) && is_left_out {
                continue;
            }
            self.seldepth = 0;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.known_score();
                root_move.score = -VALUE_INFINITE;
            }
            let best = self.root_moves[0].m;
            for first in 0..lines {
                self.search_line::<EXTRAS>(first, depth);
                if self.aborted {
                    break;
                }
            }
            if self.aborted {
                bound = self.settle_broken_iteration(best, lines, &finished);
                break;
            }
            self.completed = depth;
            // A later line can turn out better than one found before it.
            self.root_moves[..lines].sort_by_key(|line| std::cmp::Reverse((line.known.rank, line.score)));
            self.report_lines(Bound::Exact, lines, depth);
            finished.clone_from(&self.root_moves);
            self.trend.note(self.root_moves[0].m, self.root_moves[0].reported_score());
            let extended = cap.map_or(0, |cap| cap + MAX_EXTENSION);
            let is_last = depth == deepest && deepest < extended;
            if is_last && self.settings.depth_extension && self.trend.is_falling() {
                // A depth that options set is no reason to stop where things have just gone wrong.
                deepest = depth + 1;
            }
            if self.is_time_up() || self.is_settled(depth) {
                break;
            }
        }
        if self.is_main() {
            self.hold_back(!self.has_reached(cap) && !self.is_settled(self.completed));
        }
        let is_changed =
            self.hurries && !is_win(self.root_moves[0].known_score()) && self.prefer_shortest_win();
        if self.aborted || self.completed == 0 || is_changed {
            self.report_lines(bound, lines, self.completed);
        }
        self.weaken(level, lines);
    }

    /// Puts the move in front that wins soonest by the tables, where the search has not found any that takes a man in time.
    /// Returns whether it was another one.
    fn prefer_shortest_win(&mut self) -> bool {
        let value = |index: usize| self.root_moves[index].known.value.unwrap_or(-VALUE_INFINITE);
        // The first of equal ones.
        let shortest = (0..self.root_moves.len()).rev().max_by_key(|&index| value(index)).unwrap_or(0);
        self.root_moves[..=shortest].rotate_right(1);
        shortest > 0
    }

    /// The first iteration of a search to this depth: the last one too, where nothing but the depth limits it and
    /// deepening is off.
    fn first_depth(&self, deepest: Depth) -> Depth {
        let Limits { depth, nodes, movetime, time, infinite, ponder, .. } = &self.limits;
        let is_limited = nodes.is_some() || movetime.is_some() || time.is_some() || *infinite || *ponder;
        if self.settings.deepening || depth.is_none() || is_limited { 1 } else { deepest }
    }

    /// Whether the depth that was asked for, or for a search without limits `cap`, ends the search although there is
    /// time left.
    pub(super) fn has_reached(&self, cap: Option<Depth>) -> bool {
        self.limits.depth.is_some() || self.limits.may_end_early && cap.is_some()
    }

    /// Puts any of the root moves in front, without a search; the moves are told with their static values.
    fn pick_any<const EXTRAS: bool>(&mut self, lines: usize) {
        for index in 0..self.root_moves.len() {
            let m = self.root_moves[index].m;
            let value = self.value_of_child::<EXTRAS>(m, 0, -VALUE_INFINITE, VALUE_INFINITE, |w, _, _| {
                w.end_of_line(1).unwrap_or_else(|| w.styled(evaluate(&w.pos)))
            });
            self.root_moves[index].score = value;
        }
        self.root_moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.reported_score()));
        self.worth = self.root_moves[0].reported_score();
        // Every thread of the search rolls the same.
        let chosen = Dice(self.seed ^ self.pos.key()).roll() % self.root_moves.len() as u64;
        if lines == 1 {
            self.root_moves.swap(0, chosen as usize);
            self.report_lines(Bound::Exact, 1, 1);
        } else {
            self.report_lines(Bound::Exact, lines, 1);
            self.root_moves.swap(0, chosen as usize);
        }
        self.completed = 1;
        if self.is_main() {
            self.hold_back(false);
        }
    }

    /// Puts the root moves in order after an iteration was broken off that began with `best`; `finished` is how they
    /// stood before it. Returns what the score of the first one is.
    fn settle_broken_iteration(&mut self, best: Move, lines: usize, finished: &[RootMove]) -> Bound {
        if lines > 1 {
            // Several lines are comparable only within one iteration.
            self.root_moves.clone_from_slice(finished);
            return Bound::Exact;
        }
        self.sort_root_moves(0);
        if self.root_moves[0].m == best {
            // What a broken-off iteration says of the same move is only a bound.
            self.root_moves[0].score = -VALUE_INFINITE;
            return Bound::Exact;
        }
        if self.settings.algorithm == Algorithm::Mtdf { Bound::Lower } else { Bound::Exact }
    }

    /// Before anything is known, moves stand in the order of the picker.
    fn sort_before_first_iteration(&mut self) {
        let mut order = Vec::with_capacity(self.root_moves.len());
        let mut picker = crate::search::movepick::MovePicker::new(Move::NONE);
        loop {
            let context = self.context(0);
            let next = if self.pos.has_extras() {
                picker.next::<true>(&self.pos, context)
            } else {
                picker.next::<false>(&self.pos, context)
            };
            match next {
                Some(picked) => order.push(picked.m),
                None => break,
            }
        }
        self.root_moves
            .sort_by_key(|root_move| (-root_move.known.rank, order.iter().position(|m| *m == root_move.m)));
    }

    /// In the model a search ends at the root: it is about the threads, and a tree would only multiply their steps.
    #[cfg(loom)]
    fn search_line<const EXTRAS: bool>(&mut self, first: usize, _: Depth) {
        self.look_at_limits();
        if !self.aborted {
            self.root_moves[first].score = 0;
        }
    }

    /// Finds the best of the root moves from `first` on.
    #[cfg(not(loom))]
    fn search_line<const EXTRAS: bool>(&mut self, first: usize, depth: Depth) {
        let guess = self.root_moves[first].previous;
        match self.settings.algorithm {
            Algorithm::Mtdf => {
                let value = self.mtdf::<EXTRAS>(first, guess, depth);
                if !self.aborted {
                    // The last pass may have told of the move only that it is not better than this.
                    self.root_moves[first].score = value;
                    self.complete_line(first);
                }
            }
            Algorithm::AlphaBeta => {
                self.search_root::<EXTRAS>(first, -VALUE_INFINITE, VALUE_INFINITE, depth);
                if !self.aborted {
                    self.sort_root_moves(first);
                    self.complete_line(first);
                }
            }
            Algorithm::Pvs | Algorithm::Mcts | Algorithm::Random => {
                self.search_window::<EXTRAS>(first, guess, depth);
            }
        }
    }

    /// Principal variation search with a window around the value expected, widened until the value lies inside.
    fn search_window<const EXTRAS: bool>(&mut self, first: usize, guess: Value, depth: Depth) {
        let mut delta = ASPIRATION;
        let (mut alpha, mut beta) = (-VALUE_INFINITE, VALUE_INFINITE);
        if depth >= ASPIRATION_FROM && !is_decisive(guess) {
            (alpha, beta) = (guess - delta, guess + delta);
        }
        loop {
            let value = self.search_root::<EXTRAS>(first, alpha, beta, depth);
            if self.aborted {
                return;
            }
            self.sort_root_moves(first);
            let bound = if value <= alpha && alpha > -VALUE_INFINITE {
                alpha = (value - delta).max(-VALUE_INFINITE);
                Bound::Upper
            } else if value >= beta && beta < VALUE_INFINITE {
                beta = (value + delta).min(VALUE_INFINITE);
                Bound::Lower
            } else {
                return;
            };
            if self.is_main() && first == 0 && self.elapsed() >= REPORT_BOUNDS_AFTER {
                self.report_lines(bound, 1, depth);
            }
            delta *= 3;
            if is_decisive(value) || delta > 1_000 {
                (alpha, beta) = (-VALUE_INFINITE, VALUE_INFINITE);
            }
        }
    }

    /// One pass over the root moves from `first` on with the given window.
    pub(super) fn search_root<const EXTRAS: bool>(
        &mut self,
        first: usize,
        mut alpha: Value,
        beta: Value,
        depth: Depth,
    ) -> Value {
        let mut best = -VALUE_INFINITE;
        let open = beta - alpha > 1;
        // Moves that the tables like less are not looked at beside those they like more.
        let rank = self.root_moves[first].known.rank;
        let same =
            self.root_moves[first..].iter().take_while(|root_move| root_move.known.rank == rank).count();
        let end = first + same;
        for root_move in &mut self.root_moves[first..end] {
            root_move.score = -VALUE_INFINITE;
        }
        for index in first..end {
            let m = self.root_moves[index].m;
            if self.is_main() && index > 0 && self.elapsed_is_long() {
                self.report(Report::Current { depth, current: m, number: index + 1 });
            }
            self.pv.clear(1);
            let new_depth = depth - 1;
            let full = |w: &mut Self, a: Value, b: Value| w.search::<EXTRAS, true>(a, b, new_depth, 1);
            let value = if !open {
                // Late moves are searched less deep first, as below the root but a ply less so.
                let number = index - first + 1;
                let mut reduction = 0;
                if depth >= REDUCTION_FROM && number > REDUCTION_AFTER && !m.is_take() {
                    reduction = (reduction_of(depth, number) - 1).clamp(0, new_depth - 1);
                }
                let mut zero_window = |depth: Depth| {
                    self.value_of_child::<EXTRAS>(m, 0, alpha, beta, |w, a, b| {
                        w.search::<EXTRAS, false>(a, b, depth, 1)
                    })
                };
                let value = zero_window(new_depth - reduction);
                if reduction > 0 && value > alpha { zero_window(new_depth) } else { value }
            } else if index == first || self.plain {
                self.value_of_child::<EXTRAS>(m, 0, alpha, beta, full)
            } else {
                let value = self.value_of_child::<EXTRAS>(m, 0, alpha, alpha + 1, |w, a, b| {
                    w.search::<EXTRAS, false>(a, b, new_depth, 1)
                });
                if value > alpha && !self.aborted {
                    self.value_of_child::<EXTRAS>(m, 0, alpha, beta, full)
                } else {
                    value
                }
            };
            if self.aborted {
                break;
            }
            best = best.max(value);
            let is_better = index == first || value > alpha;
            let seldepth = self.seldepth;
            let root_move = &mut self.root_moves[index];
            if is_better {
                root_move.score = value;
                root_move.seldepth = seldepth;
                // A search that only asks for a bound collects no line.
                if open {
                    root_move.pv.truncate(1);
                    root_move.pv.extend_from_slice(self.pv.line(1));
                }
            }
            if value > alpha {
                alpha = value;
                if index > first && first == 0 && self.settings.multi_pv == 1 {
                    // The moves that have not been searched keep their places behind it.
                    self.sort_root_moves(0);
                    let bound = if alpha >= beta { Bound::Lower } else { Bound::Exact };
                    self.report_lines(bound, 1, depth);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    /// Brings the best root moves from `first` on to the front; equal ones keep their order.
    pub(super) fn sort_root_moves(&mut self, first: usize) {
        // A move that was not better in this iteration stays behind those that were, in the order of the iteration
        // before: its older score says nothing beside that of the best move, which is from a deeper search.
        self.root_moves[first..]
            .sort_by_key(|root_move| std::cmp::Reverse((root_move.known.rank, root_move.score)));
    }

    /// Continues the line of a root move by the table, for searches that do not collect lines.
    fn complete_line(&mut self, index: usize) {
        let mut line = vec![self.root_moves[index].m];
        self.pos.do_move(line[0]);
        while line.len() < MAX_PLY && !self.pos.outcome().is_over() {
            let next = self.tt_move();
            if next.is_none() || self.pos.has_repeated(line.len()) {
                break;
            }
            self.pos.do_move(next);
            line.push(next);
        }
        for _ in 0..line.len() {
            self.pos.undo_move();
        }
        if line.len() > self.root_moves[index].pv.len() {
            self.root_moves[index].pv = line;
        }
    }

    fn elapsed_is_long(&self) -> bool {
        // The clock is asked only once there is something to report.
        self.nodes > 1_000_000 && self.elapsed() >= REPORT_MOVES_AFTER
    }

    /// Whether going on cannot change the move: a single one to choose with a clock running, or a proven result.
    pub(super) fn is_settled(&self, depth: Depth) -> bool {
        if self.limits.infinite {
            return false;
        }
        let score = self.root_moves[0].reported_score();
        if let Some(turns) = self.limits.mate {
            let turns = turns.min(MAX_DEPTH as u32) as Value;
            let wanted = VALUE_MATE - 2 * turns;
            let is_found = is_win(score) && score >= wanted.max(VALUE_MATE_IN_MAX);
            // What the tables know exactly no search changes.
            let is_known = self.root_moves[0].known.value.is_some_and(|value| value != VALUE_TABLE_WIN);
            // A search that has looked past the last of so many turns, removals counted, will find none.
            let actions = 1 + self.pos.compiled().max_takes as Depth;
            if is_found || is_known || depth > (2 * turns - 1) * actions + 2 {
                return true;
            }
        }
        if self.settings.analysis {
            return false;
        }
        let timed = self.limits.movetime.is_some() || self.limits.time.is_some();
        // Several lines compare what is good with what is not.
        let is_forced = match self.settings.multi_pv {
            1 => self.has_no_choice(),
            _ => self.root_moves.len() == 1,
        };
        if timed && is_forced {
            return true;
        }
        // A proof stands once the search has looked past its end; every turn takes two actions at most.
        let distance = VALUE_MATE - score.abs();
        (is_win(score) || is_loss(score)) && timed && depth > 2 * distance + 2
    }

    /// Whether only one move is legal, or only one keeps what the tables say the position is worth.
    fn has_no_choice(&self) -> bool {
        let mut ranks = self.root_moves.iter().map(|root_move| root_move.known.rank);
        let first = ranks.next();
        ranks.next().is_none_or(|second| Some(second) < first)
    }

    pub(super) fn report_lines(&self, bound: Bound, lines: usize, depth: Depth) {
        if self.is_main() {
            self.report(Report::Lines(self.lines(bound, lines, depth)));
        }
    }

    /// The best lines as they are reported.
    pub(super) fn lines(&self, bound: Bound, lines: usize, depth: Depth) -> Vec<Info> {
        self.publish_nodes();
        let shown = self.settings.multi_pv.min(lines);
        let infos = self.root_moves.iter().take(shown).enumerate();
        let infos = infos.map(|(index, root_move)| Info {
            depth: depth.max(1),
            seldepth: root_move.seldepth.max(root_move.pv.len()),
            multipv: index + 1,
            score: root_move.reported_score(),
            bound,
            nodes: self.shared.nodes(),
            nps: self.shared.nps(),
            hashfull: self.tt.hashfull(),
            tbhits: self.shared.tb_hits(),
            time: self.elapsed(),
            pv: root_move.pv.clone(),
        });
        infos.collect()
    }

    /// Puts the move in front that a level chooses among the lines it has compared.
    fn weaken(&mut self, level: Option<Level>, lines: usize) {
        self.worth = self.root_moves[0].reported_score();
        if let Some(level) = level.filter(|_| self.is_main()) {
            let scores: Vec<Value> = self.root_moves[..lines].iter().map(RootMove::reported_score).collect();
            let roll = Dice(self.seed ^ self.nodes).roll();
            self.root_moves.swap(0, level.choose(&scores, roll));
        }
    }
}

/// Whether a score is that of a game that can be given up.
pub fn is_hopeless(score: Value) -> bool {
    is_loss(score) || score <= HOPELESS
}

/// Advice to give a game up.
pub fn resignation(score: Value) -> String {
    match Score::of(score) {
        Score::Mate(turns) => format!("advice: resign, the game is lost in {} turns", -turns),
        Score::Cp(_) if is_loss(score) => "advice: resign, the game is lost by the tables".to_owned(),
        Score::Cp(points) => format!("advice: resign, the position is worth {points} hundredths of a man"),
    }
}

/// Plies by which a thread that votes may lie behind the first one: helpers leave out some depths.
const BEHIND: Depth = 2;

/// The move to play and the opponent's expected answer, from what all threads found: each votes for its move by
/// depth and score; the first thread decides ties. Threads that have not finished an iteration have only looked at
/// the board, and those far behind the first one have found nothing unless it is a win: they do not vote.
pub fn vote(results: &[BestMove]) -> usize {
    let Some(least) = results.first().map(|first| first.depth - BEHIND) else { return 0 };
    let has_vote = |result: &BestMove| result.depth > 0 && (result.depth >= least || is_win(result.score));
    let voters = || results.iter().filter(|result| has_vote(result));
    let Some(lowest) = voters().map(|result| result.score).min() else { return 0 };
    let weight = |result: &BestMove| i64::from(result.score - lowest + 20) * i64::from(result.depth);
    let votes =
        |result: &BestMove| -> i64 { voters().filter(|other| other.best == result.best).map(weight).sum() };
    let decisive = |result: &BestMove| if is_win(result.score) { i64::from(result.score) } else { 0 };
    let rank =
        |index: &usize| (decisive(&results[*index]), votes(&results[*index]), weight(&results[*index]));
    (0..results.len()).rev().filter(|&index| has_vote(&results[index])).max_by_key(rank).unwrap_or(0)
}

impl Worker {
    /// The best line, as it is reported when another thread than the first found the move that is played.
    pub fn best_line(&self) -> Vec<Info> {
        if self.root_moves.is_empty() { Vec::new() } else { self.lines(Bound::Exact, 1, self.completed) }
    }

    /// What the best move is worth, whichever is played.
    pub fn worth(&self) -> Value {
        self.worth
    }

    /// The result with the expected answer of the opponent, if the second move of the line is his.
    pub fn result_with_ponder(&mut self) -> BestMove {
        let mut result = self.result();
        if let Some([first, second, ..]) = self.root_moves.first().map(|root_move| root_move.pv.as_slice()) {
            let us = self.pos.side_to_move();
            let (first, second) = (*first, *second);
            self.pos.do_move(first);
            if self.pos.side_to_move() != us && self.pos.is_legal(second) {
                result.ponder = Some(second);
            }
            self.pos.undo_move();
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Square, mate_in};

    fn result(square: usize, score: Value, depth: Depth) -> BestMove {
        BestMove { best: Some(Move::place(Square::new(square))), ponder: None, score, depth, nodes: 0 }
    }

    #[test]
    fn threads_that_agree_outvote_one_and_the_first_decides_ties() {
        assert_eq!(vote(&[result(1, 10, 8), result(2, 10, 8), result(2, 10, 8)]), 1);
        assert_eq!(vote(&[result(1, 10, 8), result(2, 10, 8)]), 0);
        assert_eq!(vote(&[result(1, 10, 8), result(2, 10, 8), result(3, mate_in(3), 4)]), 2);
    }

    #[test]
    fn threads_that_found_nothing_do_not_vote() {
        assert_eq!(vote(&[result(1, -26, 5), result(2, 500, 0)]), 0);
        assert_eq!(vote(&[result(1, -26, 9), result(2, 500, 6), result(2, 500, 6)]), 0);
        assert_eq!(vote(&[result(1, -26, 9), result(2, 500, 7)]), 1);
        assert_eq!(vote(&[result(1, 500, 0), result(2, -26, 1)]), 1);
        assert_eq!(vote(&[result(1, 500, 0), result(2, 600, 0)]), 0);
        assert_eq!(vote(&[]), 0);
    }
}
