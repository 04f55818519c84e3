//! The tree of the Monte-Carlo search, in one arena of bounded size.
//!
//! A node stands for a move. All its values are from the view of the side that played it, so selection takes
//! the largest of the children. Children are adjacent and come after their parent.

use crate::params::{mcts_exploration, mcts_minimax, mcts_prior_scale, mcts_scale};
use crate::platform::sorting::sort_short;
use crate::types::{MAX_MOVES, Move, Value, is_decisive, is_loss, is_win, limited_eval};

/// Converts a parameter in hundredths.
fn hundredths(param: i32) -> f32 {
    param as f32 / 100.0
}

/// Converts a value to a reward from -1 (a loss) to 1 (a win).
pub(super) fn reward(value: Value) -> f32 {
    if is_decisive(value) { value.signum() as f32 } else { (value as f32 / mcts_scale() as f32).tanh() }
}

/// The inverse of [`reward`] for undecided values.
pub(super) fn value_of_reward(reward: f32) -> Value {
    limited_eval((reward.atanh() * mcts_scale() as f32) as Value)
}

/// A child to add to the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewChild {
    /// The move.
    pub m: Move,
    /// The value for the side that plays it.
    pub value: Value,
    /// True if the value is proven.
    pub is_proven: bool,
    /// True if the same side is to move after it.
    pub keeps_turn: bool,
}

impl NewChild {
    /// A placeholder.
    pub(super) const NONE: Self = Self { m: Move::NONE, value: 0, is_proven: false, keeps_turn: false };
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The mean of all samples.
    mean: f32,
    /// The minimax value of the leaves below.
    best: f32,
    /// The prior probability among its siblings.
    prior: f32,
    /// The number of samples.
    pub visits: u32,
    parent: u32,
    first: u32,
    /// The move.
    pub m: Move,
    /// The proven value, counted from the root, or [`UNPROVEN`].
    proven: i16,
    count: u8,
    keeps_turn: bool,
}

const _: () = assert!(size_of::<Node>() == 32 && MAX_MOVES <= u8::MAX as usize);

const UNPROVEN: i16 = i16::MIN;
/// The parent of the root, and of nodes that are being pruned.
const NO_PARENT: u32 = u32::MAX;

/// The index of the root.
pub(super) const ROOT: usize = 0;

impl Node {
    /// A root that knows nothing yet.
    const ROOT: Self = Self {
        mean: 0.0,
        best: 0.0,
        prior: 1.0,
        visits: 0,
        parent: NO_PARENT,
        first: 0,
        m: Move::NONE,
        proven: UNPROVEN,
        count: 0,
        keeps_turn: true,
    };

    /// Returns the proven value, if there is one.
    pub(super) fn proven(&self) -> Option<Value> {
        (self.proven != UNPROVEN).then(|| Value::from(self.proven))
    }

    /// Returns the reward of the move: the proven one, or the weighted mean of samples and minimax value.
    pub(super) fn reward(&self) -> f32 {
        match self.proven() {
            Some(value) => reward(value),
            None if self.visits == 0 => self.best,
            // Lanctot, Winands, Pepels and Sturtevant, "Monte Carlo tree search with heuristic evaluations
            // using implicit minimax backups", 2014.
            None => {
                let minimax = hundredths(mcts_minimax());
                (1.0 - minimax) * self.mean + minimax * self.best
            }
        }
    }

    /// Returns true if the children of this node are in the tree.
    pub(super) fn is_expanded(&self) -> bool {
        self.count > 0
    }
}

/// The tree.
pub(super) struct Tree {
    nodes: Vec<Node>,
    limit: usize,
}

/// A summary of the children of a node, from the view of the side to move there.
struct ChildSummary {
    best: f32,
    best_proven: Option<Value>,
    all_proven: bool,
}

impl Tree {
    /// Returns a tree of the root alone that never uses more than about `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        let mut limit = (bytes / size_of::<Node>()).clamp(16 * MAX_MOVES, NO_PARENT as usize);
        let mut nodes = Vec::new();
        // If the system refuses the memory, use less.
        while nodes.try_reserve_exact(limit).is_err() && limit > 16 * MAX_MOVES {
            limit /= 2;
        }
        nodes.push(Node::ROOT);
        Self { nodes, limit }
    }

    /// Removes all nodes but the root, and what it knows.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::ROOT);
    }

    /// Returns the node with this index.
    pub(super) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// Returns the indices of the children of a node.
    pub(super) fn children(&self, index: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[index];
        node.first as usize..node.first as usize + usize::from(node.count)
    }

    /// Adds the children of a node. `adjust` changes their priors.
    pub(super) fn expand(&mut self, index: usize, children: &[NewChild], mut adjust: impl FnMut(f32) -> f32) {
        let top = children.iter().map(|child| reward(child.value)).fold(-1.0, f32::max);
        let first = self.nodes.len();
        let mut sum = 0.0;
        for child in children {
            let best = reward(child.value);
            let prior = adjust(((best - top) / hundredths(mcts_prior_scale())).exp());
            sum += prior;
            self.nodes.push(Node {
                mean: best,
                best,
                prior,
                visits: 0,
                parent: index as u32,
                first: 0,
                m: child.m,
                proven: if child.is_proven { child.value as i16 } else { UNPROVEN },
                count: 0,
                keeps_turn: child.keeps_turn,
            });
        }
        self.nodes[first..].iter_mut().for_each(|node| node.prior /= sum);
        let node = &mut self.nodes[index];
        node.first = first as u32;
        node.count = children.len() as u8;
    }

    /// Sets the proven value of a node, from the view of the side to move there.
    pub(super) fn prove(&mut self, index: usize, value: Value) {
        let node = &mut self.nodes[index];
        node.proven = if node.keeps_turn { value } else { -value } as i16;
        node.best = reward(node.proven.into());
    }

    /// Returns the child to search next, by PUCT (Rosin, "Multi-armed bandits with episode context", 2011).
    /// Proven children are left out; `None` if all are proven.
    pub(super) fn select(&self, index: usize) -> Option<usize> {
        let exploration = hundredths(mcts_exploration()) * (self.nodes[index].visits as f32).sqrt();
        let mut best = (f32::NEG_INFINITY, None);
        for child in self.children(index) {
            let node = &self.nodes[child];
            if node.proven != UNPROVEN {
                continue;
            }
            let score = node.reward() + exploration * node.prior / (1 + node.visits) as f32;
            if score > best.0 {
                best = (score, Some(child));
            }
        }
        best.1
    }

    fn summary(&self, index: usize) -> ChildSummary {
        let mut summary = ChildSummary { best: -1.0, best_proven: None, all_proven: true };
        for child in &self.nodes[self.children(index)] {
            summary.best = summary.best.max(child.best);
            summary.all_proven &= child.proven != UNPROVEN;
            summary.best_proven = summary.best_proven.max(child.proven());
        }
        summary
    }

    /// Backs the value of the last node of a path up to the root; the node was just expanded or proven.
    /// Proofs go up as far as they hold (Winands, Björnsson and Saito, "Monte-Carlo tree search solver",
    /// 2008).
    pub(super) fn back_up(&mut self, path: &[usize]) {
        let mut sample = None;
        for &index in path.iter().rev() {
            let sign = if self.nodes[index].keeps_turn { 1 } else { -1 };
            if self.nodes[index].is_expanded() {
                let ChildSummary { best, best_proven, all_proven } = self.summary(index);
                // A proven move can be played whatever the value of another.
                let seen = sample.unwrap_or(best).max(best_proven.map_or(-1.0, reward));
                sample = Some(sign as f32 * seen);
                let node = &mut self.nodes[index];
                node.best = sign as f32 * best;
                if let Some(value) = best_proven.filter(|&value| all_proven || is_win(value)) {
                    node.proven = (sign * value) as i16;
                }
            }
            let node = &mut self.nodes[index];
            if let Some(value) = node.proven() {
                node.best = reward(value);
                sample = Some(node.best);
            }
            // `select` adds one more.
            node.visits = node.visits.saturating_add(1).min(u32::MAX - 1);
            node.mean += (sample.unwrap_or(node.best) - node.mean) / node.visits as f32;
        }
    }

    /// Returns true if the moves of one more position might not fit.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() + MAX_MOVES > self.limit
    }

    /// Removes the children of the least visited nodes, at least half of the tree. The nodes themselves keep
    /// their statistics. Afterwards all indices but [`ROOT`] are invalid.
    pub(super) fn prune(&mut self) {
        // The children by the visits of their parents: entry `n` is for 2^n visits and more, below twice as
        // many.
        let mut children = [0; u32::BITS as usize];
        for node in &self.nodes {
            children[node.visits.max(1).ilog2() as usize] += usize::from(node.count);
        }
        // No node has more visits than its parent, so a node that keeps its children is kept itself.
        let mut power = 1;
        while 1 + children[power..].iter().sum::<usize>() > self.nodes.len() / 2 {
            power += 1;
        }
        let least = 1 << power;
        let mut to = ROOT;
        for from in 0..self.nodes.len() {
            let keeps_children = self.nodes[from].visits >= least;
            let is_kept = from == ROOT || self.nodes[from].parent != NO_PARENT;
            for child in self.children(from) {
                self.nodes[child].parent = if is_kept && keeps_children { to as u32 } else { NO_PARENT };
            }
            if !is_kept {
                continue;
            }
            if !keeps_children {
                self.nodes[from].count = 0;
            }
            // Parents come before their children and have moved already.
            if from != ROOT {
                let parent = self.nodes[from].parent as usize;
                if self.nodes[parent].first as usize == from {
                    self.nodes[parent].first = to as u32;
                }
            }
            self.nodes.swap(from, to);
            to += 1;
        }
        self.nodes.truncate(to);
    }

    /// Returns the children of a node, best first: proven wins, then by visits. Proven draws come before the
    /// children with a lower reward, proven losses last.
    pub(super) fn ranking(&self, index: usize) -> Vec<usize> {
        let (mut proven, mut open): (Vec<usize>, Vec<usize>) =
            self.children(index).partition(|&child| self.nodes[child].proven().is_some());
        sort_short(&mut open, |&child| {
            std::cmp::Reverse((self.nodes[child].visits, self.nodes[child].reward()))
        });
        sort_short(&mut proven, |&child| std::cmp::Reverse(self.nodes[child].proven()));
        for child in proven {
            let value = self.nodes[child].proven().unwrap_or_default();
            let is_worse = |&other: &usize| {
                let node = &self.nodes[other];
                // A proven loss goes behind everything that is not proven.
                node.proven().is_none()
                    && (is_win(value) || !is_loss(value) && node.reward() <= reward(value))
            };
            let place = open.iter().position(is_worse).unwrap_or(open.len());
            open.insert(place, child);
        }
        open
    }

    /// Returns the line of best moves that begins with a child of the root.
    pub(super) fn line(&self, child: usize, longest: usize) -> Vec<Move> {
        let mut line = vec![self.nodes[child].m];
        let mut at = child;
        while line.len() < longest {
            let Some(&next) = self.ranking(at).first() else { break };
            line.push(self.nodes[next].m);
            at = next;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Square, VALUE_EVAL_MAX, mate_in, mated_in};

    fn child(n: usize, value: Value, is_proven: bool) -> NewChild {
        NewChild { m: Move::place(Square::new(n)), value, is_proven, keeps_turn: false }
    }

    /// Grows a tree of made-up positions with `width` moves each, as a search would.
    fn grow(tree: &mut Tree, simulations: u32, width: usize) {
        for step in 0..simulations {
            let mut path = vec![ROOT];
            while tree.node(path[path.len() - 1]).is_expanded() {
                path.push(tree.select(path[path.len() - 1]).unwrap());
            }
            let leaf = path[path.len() - 1];
            let value = |n: usize| ((n as u32 * 7919 + step * 104_729) % 200) as Value - 100;
            let children: Vec<NewChild> = (0..width).map(|n| child(n, value(n), false)).collect();
            if tree.is_full() {
                tree.prune();
            } else {
                tree.expand(leaf, &children, |prior| prior);
                tree.back_up(&path);
            }
        }
    }

    fn check(tree: &Tree) {
        for index in 0..tree.nodes.len() {
            let visits: u32 = tree.children(index).map(|child| tree.node(child).visits).sum();
            assert!(visits <= tree.node(index).visits);
            for child in tree.children(index) {
                assert_eq!(tree.nodes[child].parent as usize, index);
                assert!(child > index);
            }
        }
        let children: usize = tree.nodes.iter().map(|node| usize::from(node.count)).sum();
        assert_eq!(children + 1, tree.nodes.len(), "every node has a parent");
    }

    #[test]
    fn the_tree_stays_within_its_bytes_and_in_one_piece() {
        let mut tree = Tree::new(100_000);
        grow(&mut tree, 20_000, 12);
        check(&tree);
        assert!(tree.nodes.capacity() * size_of::<Node>() <= 100_000);
        assert!(tree.node(ROOT).visits > 15_000);
        let before = tree.nodes.len();
        let root: Vec<(Move, u32)> =
            tree.children(ROOT).map(|n| (tree.node(n).m, tree.node(n).visits)).collect();
        tree.prune();
        check(&tree);
        assert!(tree.nodes.len() <= before / 2);
        let after: Vec<(Move, u32)> =
            tree.children(ROOT).map(|n| (tree.node(n).m, tree.node(n).visits)).collect();
        assert_eq!(root, after);
    }

    #[test]
    fn a_win_proves_its_parent_and_a_loss_needs_all_children() {
        let mut tree = Tree::new(1 << 20);
        tree.expand(ROOT, &[child(0, 10, false), child(1, 0, false)], |prior| prior);
        tree.back_up(&[ROOT]);
        let [a, b] = [1, 2];
        // The opponent wins at once after the first move.
        tree.expand(a, &[child(5, mate_in(2), true), child(6, 0, false)], |prior| prior);
        tree.back_up(&[ROOT, a]);
        assert_eq!(tree.node(a).proven(), Some(mated_in(2)));
        assert_eq!(tree.node(ROOT).proven(), None);
        assert_eq!(tree.select(ROOT), Some(b));
        // After the second, all replies lose.
        tree.expand(b, &[child(7, mated_in(5), true), child(8, mated_in(3), true)], |prior| prior);
        tree.back_up(&[ROOT, b]);
        assert_eq!(tree.node(b).proven(), Some(mate_in(5)));
        assert_eq!(tree.node(ROOT).proven(), Some(mate_in(5)));
        assert_eq!(tree.ranking(ROOT), [b, a]);
        assert_eq!(tree.line(b, 9).len(), 2);
    }

    #[test]
    fn visits_do_not_overflow() {
        let mut tree = Tree::new(1 << 20);
        tree.expand(ROOT, &[child(0, 10, false), child(1, 0, false)], |prior| prior);
        tree.nodes[ROOT].visits = u32::MAX - 2;
        tree.nodes[1].visits = u32::MAX - 2;
        for _ in 0..3 {
            tree.back_up(&[ROOT, 1]);
        }
        assert!(tree.node(ROOT).visits == u32::MAX - 1 && tree.node(ROOT).reward().is_finite());
        assert_eq!(tree.select(ROOT), Some(2));
    }

    #[test]
    fn a_proven_draw_goes_before_a_lower_reward() {
        let mut tree = Tree::new(1 << 20);
        let children = [child(0, -50, false), child(1, 0, true), child(2, mated_in(2), true)];
        tree.expand(ROOT, &children, |prior| prior);
        tree.back_up(&[ROOT]);
        assert_eq!(tree.ranking(ROOT), [2, 1, 3]);
        assert_eq!(tree.select(ROOT), Some(1));
        assert!(
            (value_of_reward(reward(120)) - 120).abs() <= 1 && value_of_reward(1.0) == VALUE_EVAL_MAX - 1
        );
    }
}
