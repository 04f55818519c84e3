//! Monte-Carlo tree search.
//!
//! There are no random playouts: a leaf is expanded by a quiescence search of each of its moves, and the best
//! value is backed up. Wins, losses and draws found in this way, by the end of the game or by the tablebase,
//! are proven. That holds for repetitions too, since each node of the tree has one line from the root. Each
//! thread grows its own tree, and the threads vote.

use super::node::turns_ended;
use super::plan::SearchPlan;
use super::root_moves::compare_known_losses;
use super::tree::{NewChild, ROOT, Tree, value_of_reward};
use super::worker::{Frame, Worker};
use crate::movegen::{self, MoveList};
use crate::params::{mcts_noise, mcts_probe_visits};
use crate::platform::memory::half_available;
use crate::platform::random::SplitMix64;
use crate::platform::sorting::sort_short;
use crate::types::{Bound, Depth, MAX_MOVES, MAX_PLY, Move, VALUE_INFINITE, Value, is_decisive, is_loss};

/// Simulations between two looks at the best move and the optimum time. Not tunable: nodes count for `stop`.
const CHECK_SIMULATIONS: u64 = 32;
/// The most moves of a reported line. Not tunable: the search does not depend on it.
const LONGEST_LINE: usize = 40;

/// The largest tree of a reproducible search, whatever memory is free: two million nodes.
const REPRODUCIBLE_BYTES: usize = 64 << 20;

/// The state of the search of a tree.
pub(super) struct MonteCarlo {
    pub(super) plan: SearchPlan,
    tree: Tree,
    path: Vec<usize>,
    simulations: u64,
    /// The lengths of the lines of all simulations, added up.
    moves_made: u64,
    /// The move reported last.
    best: Move,
}

impl MonteCarlo {
    /// Returns true if the root is a proven win or loss.
    pub(super) fn is_decided(&self) -> bool {
        self.tree.node(ROOT).proven().is_some_and(is_decisive)
    }
}

impl Worker {
    /// Returns a tree without moves.
    pub(super) fn begin_monte_carlo(&mut self, plan: SearchPlan) -> MonteCarlo {
        let wanted = self.job.tt.size_mib() << 20;
        // The size decides when the tree is pruned.
        let bytes = if self.job.limits.reproducible {
            wanted.min(REPRODUCIBLE_BYTES)
        } else {
            half_available(wanted) / self.job.shared.threads()
        };
        let path = Vec::with_capacity(MAX_PLY + 1);
        MonteCarlo { plan, tree: Tree::new(bytes), path, simulations: 0, moves_made: 0, best: Move::NONE }
    }

    /// Grows the tree until the limits end it or the mean length of its lines is that of the plan. Returns
    /// false if the search pauses before that.
    pub(super) fn grow<const EXTRAS: bool>(&mut self, state: &mut MonteCarlo) -> bool {
        let MonteCarlo { plan, tree, path, simulations, moves_made, best } = state;
        let SearchPlan { deepest, lines, .. } = plan;
        let lines = *lines;
        loop {
            if tree.is_full() {
                tree.prune();
            }
            let Some(length) = self.simulate::<EXTRAS>(tree, path, lines) else { break };
            self.pauses = 0;
            *simulations += 1;
            *moves_made += length as u64;
            if tree.node(ROOT).proven().is_some_and(is_loss) {
                self.update_root_moves(tree, lines);
                if compare_known_losses(&mut self.root_moves) {
                    tree.clear();
                    continue;
                }
            }
            let depth = ((*moves_made / *simulations) as Depth).max(1);
            let is_deeper = depth > self.completed;
            self.completed = self.completed.max(depth);
            if is_deeper || simulations.is_multiple_of(CHECK_SIMULATIONS) {
                let front = tree.ranking(ROOT).first().map_or(Move::NONE, |&child| tree.node(child).m);
                if is_deeper || front != *best {
                    *best = front;
                    self.update_root_moves(tree, lines);
                    self.report_lines(Bound::Exact, lines, self.completed);
                }
                if is_deeper {
                    self.trend.update(front, self.root_moves[0].reported_score());
                }
                let depth_of_proof = if tree.node(ROOT).proven().is_some() { Depth::MAX } else { 0 };
                if self.is_time_up() || self.completed >= *deepest || self.is_settled(depth_of_proof) {
                    break;
                }
            }
        }
        if self.is_paused() {
            return false;
        }
        self.update_root_moves(tree, lines);
        true
    }

    /// Reports the best moves of the tree and puts the one to play in front.
    pub(super) fn end_monte_carlo(&mut self, state: &MonteCarlo) {
        self.report_last(Bound::Exact, state.plan.lines);
        self.weaken(state.plan.level, state.plan.lines);
    }

    /// Selects a leaf, expands it and backs its value up. Returns the length of the line, or `None` if the
    /// search has to end or the tree is solved.
    fn simulate<const EXTRAS: bool>(
        &mut self,
        tree: &mut Tree,
        path: &mut Vec<usize>,
        lines: usize,
    ) -> Option<usize> {
        path.clear();
        path.push(ROOT);
        let is_done = tree.node(ROOT).proven().is_some() && lines == 1;
        if self.aborted || is_done || tree.node(ROOT).is_expanded() && tree.select(ROOT).is_none() {
            return None;
        }
        let mut leaf = ROOT;
        // An expanded node that is not proven has a child that is not proven. The root may be proven and
        // searched on.
        while !self.aborted
            && let Some(child) = tree.select(leaf)
        {
            self.descend::<EXTRAS>(tree.node(child).m, path.len() - 1);
            path.push(child);
            leaf = child;
            if self.probes_tablebase && tree.node(child).visits == mcts_probe_visits() as u32 {
                let value = self.probe_tablebase(self.job.settings.tablebase_depth, path.len() - 1);
                if let Some(value) = value {
                    tree.prove(child, value);
                    break;
                }
            }
        }
        let ply = path.len() - 1;
        if !self.aborted && tree.node(leaf).proven().is_none() {
            self.expand::<EXTRAS>(tree, leaf, ply);
        }
        (0..ply).for_each(|_| self.pos.undo_move_as::<EXTRAS>());
        if self.aborted {
            return None;
        }
        tree.back_up(path);
        Some(ply + 1)
    }

    /// Plays a move of the tree.
    fn descend<const EXTRAS: bool>(&mut self, m: Move, ply: usize) {
        let us = self.pos.side_to_move();
        self.pos.do_move_as::<EXTRAS>(m);
        let turns = self.frames[ply].turns + turns_ended(&self.pos, self.pos.side_to_move() == us);
        self.frames[ply + 1] = Frame { last_move: m, turns };
        self.count_node();
    }

    /// Adds the children of the current position to its node, or proves the node if there are none.
    fn expand<const EXTRAS: bool>(&mut self, tree: &mut Tree, leaf: usize, ply: usize) {
        if ply >= MAX_PLY {
            return;
        }
        let mut list = MoveList::new();
        if ply > 0 {
            movegen::generate::<EXTRAS>(&self.pos, &mut list);
            if list.is_empty() {
                return tree.prove(leaf, self.value_without_moves(ply));
            }
        }
        let mut children = [NewChild::NONE; MAX_MOVES];
        let mut count = 0;
        let moves = if ply > 0 { list.len() } else { self.root_moves_to_search() };
        let us = self.pos.side_to_move();
        while count < moves {
            let m = if ply > 0 { list[count] } else { self.root_moves[count].m };
            let (mut is_proven, mut keeps_turn) = (false, false);
            let closes = self.pos.closes_mill(m);
            let value =
                self.value_of_child::<EXTRAS>(m, closes, ply, -VALUE_INFINITE, VALUE_INFINITE, |w, _, _| {
                    keeps_turn = w.pos.side_to_move() == us;
                    let (value, proven) = w.evaluate_leaf::<EXTRAS>(ply + 1);
                    is_proven = proven;
                    value
                });
            if self.aborted {
                return;
            }
            children[count] = NewChild { m, value, is_proven, keeps_turn };
            count += 1;
        }
        // Random priors at the root: without them all threads would grow the same tree, and all games would
        // be the same.
        let noise = match ply {
            0 if !self.is_main() => 1.0,
            0 if self.job.settings.shuffling => mcts_noise() as f32 / 100.0,
            _ => 0.0,
        };
        let mut rng = SplitMix64(self.job.seed ^ self.id as u64);
        tree.expand(leaf, &children[..count], |prior| {
            if noise == 0.0 { prior } else { prior * (1.0 + noise * (rng.next() % 1_000) as f32 / 1_000.0) }
        });
    }

    /// Returns the number of root moves, from the first on, that have the rank of the reported lines or a
    /// better one.
    fn root_moves_to_search(&self) -> usize {
        let wanted = self.job.settings.multi_pv.clamp(1, self.root_moves.len());
        let rank = self.root_moves[wanted - 1].probe.rank;
        self.root_moves.iter().take_while(|root_move| root_move.probe.rank >= rank).count()
    }

    /// Returns the value of a new leaf for the side to move, and true if it is proven.
    fn evaluate_leaf<const EXTRAS: bool>(&mut self, ply: usize) -> (Value, bool) {
        if let Some(value) = self.end_of_line(ply) {
            return (value, true);
        }
        if ply >= MAX_PLY {
            return (self.static_value(), false);
        }
        if self.probes_tablebase
            && let Some(value) = self.probe_tablebase(0, ply)
        {
            return (value, true);
        }
        // The quiescence search returns a loss only where it has searched all moves: for a side that is
        // blocked, or that has to take. Elsewhere the evaluation is the least value.
        let value = self.quiesce::<EXTRAS>(-VALUE_INFINITE, VALUE_INFINITE, 0, ply);
        (value, is_decisive(value))
    }

    /// Sets order, scores and lines of the root moves to those of the tree.
    fn update_root_moves(&mut self, tree: &Tree, lines: usize) {
        let ranking = tree.ranking(ROOT);
        let place = |m: Move| ranking.iter().position(|&child| tree.node(child).m == m);
        for root_move in &mut self.root_moves {
            let Some(place) = place(root_move.m) else { continue };
            let node = tree.node(ranking[place]);
            root_move.score = node.proven().unwrap_or_else(|| value_of_reward(node.reward()));
            root_move.seldepth = self.seldepth;
            root_move.pv = if place < lines { tree.line(ranking[place], LONGEST_LINE) } else { vec![node.m] };
        }
        // Moves that are not in the tree have a lower rank.
        sort_short(&mut self.root_moves, |root_move| {
            (std::cmp::Reverse(root_move.probe.rank), place(root_move.m).unwrap_or(usize::MAX))
        });
        self.sort_lines(lines);
        self.cut_lines_of_known_mates(lines);
    }
}
