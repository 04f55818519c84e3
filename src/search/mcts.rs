//! Monte-Carlo tree search: grows a tree where it pays most, instead of searching everything to one depth.
//!
//! There are no random games. A leaf is expanded by valuing each of its moves with the quiescence search of
//! alpha-beta, and its best move is the sample that goes up. Wins and losses found that way, by the end of the game or
//! by tables are proofs, and so are draws: every node has one line to it, in which repetition can be seen. Several
//! threads grow a tree each and vote.

use super::tree::{ROOT, Sprout, Tree, value_of_worth};
use super::worker::{SplitMix64, Worker};
use crate::evaluate::evaluate;
use crate::movegen::{self, MoveList};
use crate::types::{Bound, Depth, MAX_MOVES, MAX_PLY, Move, VALUE_INFINITE, Value, is_decisive};

/// Simulations between two looks at the clock.
const LOOK_INTERVAL: u64 = 32;
/// Visits after which a position is worth waiting for a block of a table that is not in memory.
const TABLE_VISITS: u32 = 8;
/// Moves of a line that are reported at most.
const LONGEST_LINE: usize = 40;

impl Worker {
    /// Grows a tree until the limits end it, at `deepest` moves on the average at the latest; `cap` is the depth that
    /// options set. The best move is then in front of the root moves.
    pub(super) fn monte_carlo<const EXTRAS: bool>(
        &mut self,
        deepest: Depth,
        cap: Option<Depth>,
        lines: usize,
    ) {
        let bytes = (self.job.tt.size_mib() << 20) / self.job.shared.threads();
        let mut tree = Tree::new(bytes);
        let mut path = Vec::with_capacity(MAX_PLY + 1);
        let mut simulations = 0;
        let mut moves_made = 0;
        let mut best = Move::NONE;
        loop {
            if tree.is_full() {
                tree.prune();
            }
            let Some(length) = self.simulate::<EXTRAS>(&mut tree, &mut path, lines) else { break };
            simulations += 1;
            moves_made += length as u64;
            let depth = ((moves_made / simulations) as Depth).max(1);
            let is_deeper = depth > self.completed;
            self.completed = self.completed.max(depth);
            if is_deeper || simulations.is_multiple_of(LOOK_INTERVAL) {
                let front = tree.ranking(ROOT).first().map_or(Move::NONE, |&child| tree.node(child).m);
                if is_deeper || front != best {
                    best = front;
                    self.take_over(&tree, lines);
                    self.report_lines(Bound::Exact, lines, self.completed);
                }
                if is_deeper {
                    self.trend.update(front, self.root_moves[0].reported_score());
                }
                let depth_of_proof = if tree.node(ROOT).proven().is_some() { Depth::MAX } else { 0 };
                if self.is_time_up() || self.completed >= deepest || self.is_settled(depth_of_proof) {
                    break;
                }
            }
        }
        self.take_over(&tree, lines);
        if self.is_main() {
            let proven = tree.node(ROOT).proven().is_some_and(is_decisive);
            let settled = self.is_settled(if proven { Depth::MAX } else { 0 });
            self.hold_result(!self.has_reached(cap) && !settled);
        }
        self.report_lines(Bound::Exact, lines, self.completed);
    }

    /// Follows the most promising line to a node that is not expanded, expands it and counts what was found. Returns
    /// the length of the line, or `None` when the search was told to end or nothing is left to be found.
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
        // Whoever is expanded and not proven has a child that is not; the root may be proven and looked at further.
        while let Some(child) = tree.select(leaf) {
            self.descend::<EXTRAS>(tree.node(child).m, path.len() - 1);
            path.push(child);
            leaf = child;
            if self.probes_tablebase && tree.node(child).visits == TABLE_VISITS {
                let value = self.probe_tablebase(self.job.settings.table_depth, path.len() - 1);
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
        self.frames[ply].current = m;
        self.frames[ply + 1].turns = self.frames[ply].turns + i32::from(self.pos.side_to_move() != us);
        self.count_node();
    }

    /// Puts the moves of the present position behind its node, or proves the node if there is nothing to search.
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
        let mut sprouts = [Sprout::NONE; MAX_MOVES];
        let mut count = 0;
        let moves = if ply > 0 { list.len() } else { self.moves_worth_searching() };
        let us = self.pos.side_to_move();
        while count < moves {
            let m = if ply > 0 { list[count] } else { self.root_moves[count].m };
            let (mut is_proven, mut keeps_turn) = (false, false);
            let value = self.value_of_child::<EXTRAS>(m, ply, -VALUE_INFINITE, VALUE_INFINITE, |w, _, _| {
                keeps_turn = w.pos.side_to_move() == us;
                let (value, proven) = w.first_look::<EXTRAS>(ply + 1);
                is_proven = proven;
                value
            });
            sprouts[count] = Sprout { m, value, is_proven, keeps_turn };
            count += 1;
        }
        if self.aborted {
            return;
        }
        // Threads that all did the same would be of no use, and neither would the same game every time.
        let spread = match ply {
            0 if !self.is_main() => 1.0,
            0 if self.job.settings.shuffling => 0.1,
            _ => 0.0,
        };
        let mut rng = SplitMix64(self.job.seed ^ self.id as u64);
        tree.expand(leaf, &sprouts[..count], |prior| {
            if spread == 0.0 { prior } else { prior * (1.0 + spread * (rng.next() % 1_000) as f32 / 1_000.0) }
        });
    }

    /// The number of root moves, from the first on, that the tables do not call worse than what is asked for.
    fn moves_worth_searching(&self) -> usize {
        let wanted = self.job.settings.multi_pv.clamp(1, self.root_moves.len());
        let rank = self.root_moves[wanted - 1].probe.rank;
        self.root_moves.iter().take_while(|root_move| root_move.probe.rank >= rank).count()
    }

    /// The value of the present position for the side to move, without growing the tree, and whether it is proven.
    fn first_look<const EXTRAS: bool>(&mut self, ply: usize) -> (Value, bool) {
        if let Some(value) = self.end_of_line(ply) {
            return (value, true);
        }
        if ply >= MAX_PLY {
            return (self.styled(evaluate(&self.pos)), false);
        }
        if self.probes_tablebase
            && let Some(value) = self.probe_tablebase(0, ply)
        {
            return (value, true);
        }
        // The quiescence search looks at all moves wherever it says that a side has lost.
        let value = self.quiesce::<EXTRAS>(-VALUE_INFINITE, VALUE_INFINITE, 0, ply);
        (value, is_decisive(value))
    }

    /// Gives the root moves the order, scores and lines of the tree.
    fn take_over(&mut self, tree: &Tree, lines: usize) {
        let ranking = tree.ranking(ROOT);
        let place = |m: Move| ranking.iter().position(|&child| tree.node(child).m == m);
        for root_move in &mut self.root_moves {
            let Some(place) = place(root_move.m) else { continue };
            let node = tree.node(ranking[place]);
            root_move.score = node.proven().unwrap_or_else(|| value_of_worth(node.worth()));
            root_move.seldepth = self.seldepth;
            root_move.pv = if place < lines { tree.line(ranking[place], LONGEST_LINE) } else { vec![node.m] };
        }
        // Moves that are not in the tree are those the tables like less.
        self.root_moves.sort_by_key(|root_move| {
            (std::cmp::Reverse(root_move.probe.rank), place(root_move.m).unwrap_or(usize::MAX))
        });
        // Several lines are told in the order of their scores.
        self.root_moves[..lines]
            .sort_by_key(|root_move| std::cmp::Reverse((root_move.probe.rank, root_move.reported_score())));
    }
}
