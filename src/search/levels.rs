//! Skill levels: the depth and the temperature of each, its measured strength, and the depths that other
//! options set.

use super::limits::{LevelScale, Limits, MAX_SKILL, SearchSettings};
use super::root_moves::RootMove;
use super::worker::Worker;
use crate::params::{style_developer_depth, style_developer_flying_depth, style_lazy_depth, style_lazy_men};
use crate::platform::random::SplitMix64;
use crate::position::{Phase, Position};
use crate::types::{Color, Depth, VALUE_MATE, Value, is_decisive, is_loss, is_win};

/// A skill level below full strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Level {
    /// The deepest iteration, in plies; `None` for as deep as the limits allow.
    pub depth: Option<Depth>,
    /// The number of moves to compare.
    pub lines: usize,
    /// The temperature of the random choice, in hundredths of a man.
    ///
    /// A move that loses this much is chosen e times less often.
    pub temperature: f64,
    /// True if the level never gives away a win or draw that it has found.
    pub keeps_result: bool,
}

/// The largest loss of a chosen move, as a multiple of the temperature.
const WORST: f64 = 6.0;
/// The least value of a win to a level without [`Level::keeps_result`], in hundredths of a man.
const DECIDED: Value = 300;
/// Added to the value of a win in one change of side; half of it for two, and so on.
const NEARNESS: Value = 100;

/// The first level that chooses among the best eight moves only, because its searches are deep and each move
/// takes one.
const FEW_LINES_FROM: u32 = 17;
/// The first level with [`Level::keeps_result`].
const KEEPS_RESULT_FROM: u32 = 15;

/// Depth and temperature of each level below full strength. Depth 0 is as deep as the limits allow.
/// [`ELO`] has their strengths.
const LEVELS: [(Depth, f64); MAX_SKILL as usize] = [
    (1, 400.0),
    (1, 325.0),
    (1, 264.0),
    (1, 214.0),
    (1, 172.0),
    (1, 138.0),
    (1, 111.0),
    (1, 90.0),
    (1, 73.0),
    (2, 72.0),
    (2, 63.0),
    (2, 55.0),
    (2, 48.0),
    (2, 42.0),
    (2, 37.0),
    (3, 40.0),
    (3, 36.0),
    (3, 32.0),
    (4, 29.0),
    (4, 26.0),
    (5, 25.0),
    (6, 24.0),
    (6, 21.0),
    (7, 19.0),
    (8, 17.0),
    (9, 14.0),
    (10, 12.0),
    (11, 10.0),
    (12, 8.0),
    (0, 6.0),
];

impl Level {
    /// Returns the level of a skill; `None` at full strength.
    pub(crate) fn of(skill: u32) -> Option<Self> {
        let &(depth, temperature) = LEVELS.get(skill as usize)?;
        let depth = (depth > 0).then_some(depth);
        let lines = if skill < FEW_LINES_FROM { usize::MAX } else { 8 };
        Some(Self { depth, lines, temperature, keeps_result: skill >= KEEPS_RESULT_FROM })
    }

    /// Returns the index of the move to play. `scores` begins with the best move; `random` is a random
    /// number.
    pub(crate) fn choose(&self, scores: &[Value], random: u64) -> usize {
        let Some(&best) = scores.first() else { return 0 };
        if self.keeps_result && is_win(best) {
            // Among moves that win sooner or later it would walk about until the move counter draws.
            return 0;
        }
        let undecided = || scores.iter().copied().filter(|&score| !is_decisive(score));
        let win = undecided().fold(DECIDED, Value::max);
        let loss = undecided().fold(-DECIDED, Value::min);
        // A level that may give a result away values a decided game at a few men, so that it does not play
        // endings perfectly even if the tablebase holds them.
        let valued = |score: Value| match score {
            _ if self.keeps_result => score,
            _ if is_win(score) => win + NEARNESS / (VALUE_MATE - score).max(1),
            _ if is_loss(score) => loss - NEARNESS / (VALUE_MATE + score).max(1),
            _ => score,
        };
        let likelihood = |&score: &Value| {
            // Not negative: the tablebase may rank a move above one with a better score.
            let loss = f64::from((valued(best) - valued(score)).max(0)) / self.temperature;
            let gives_away = is_loss(score) && !is_loss(best);
            if loss > WORST || self.keeps_result && gives_away { 0.0 } else { (-loss).exp() }
        };
        let likelihoods: Vec<f64> = scores.iter().map(likelihood).collect();
        let mut left = likelihoods.iter().sum::<f64>() * (random >> 11) as f64 / (1_u64 << 53) as f64;
        for (index, likelihood) in likelihoods.iter().enumerate() {
            left -= likelihood;
            if left < 0.0 {
                return index;
            }
        }
        0
    }
}

impl SearchSettings {
    /// Returns the level that plays other moves than the best; `None` if the best one is played.
    pub(crate) fn weakening(&self) -> Option<Level> {
        match self.level_scale {
            LevelScale::Measured => Level::of(self.skill),
            LevelScale::Depths => None,
        }
    }

    /// Returns the level of a search with these limits: analysis has none.
    pub(crate) fn level(&self, limits: &Limits) -> Option<Level> {
        if self.is_analysis(limits) { None } else { self.weakening() }
    }

    /// Returns true if all threads decide about the move. The choice of a level, and several lines, come from
    /// the first one.
    pub(super) fn votes(&self, limits: &Limits) -> bool {
        self.level(limits).is_none() && self.multi_pv == 1
    }
}

impl Worker {
    /// Moves the choice of a level among the best `lines` moves to the front.
    pub(super) fn weaken(&mut self, level: Option<Level>, lines: usize) {
        self.best_score = self.root_moves[0].reported_score();
        if let Some(level) = level.filter(|_| self.is_main()) {
            let scores: Vec<Value> = self.root_moves[..lines].iter().map(RootMove::reported_score).collect();
            let random = SplitMix64(self.job.seed ^ self.nodes()).next();
            self.root_moves.swap(0, level.choose(&scores, random));
        }
    }
}

/// The Elo of each level, on a scale where the built-in player `greedy` has 1000; see
/// `docs/lab/2026-11-levels.md`. Every third level was measured against the one three below it, level 30 at
/// 50 ms per move; the others are interpolated.
pub(crate) const ELO: [i32; MAX_SKILL as usize + 1] = [
    516, 564, 612, 661, 725, 789, 854, 921, 988, 1056, 1113, 1170, 1228, 1282, 1337, 1391, 1451, 1511, 1571,
    1626, 1682, 1737, 1790, 1843, 1896, 1933, 1971, 2008, 2073, 2138, 2203,
];

/// Returns the weakest level of at least this Elo.
pub(crate) fn skill_of(elo: i32) -> u32 {
    ELO.iter().position(|&measured| measured >= elo).map_or(MAX_SKILL, |skill| skill as u32)
}

/// The depth with [`SearchSettings::human_experience`] while placing, by pairs of occupied points: people
/// look ahead little at first and more as mills come into reach.
const HUMAN_DEPTH: [Depth; 13] = [2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8, 9, 9];
/// The depth with [`SearchSettings::developer`] while placing, by pairs of occupied points: a fuller board
/// leaves fewer moves.
const PLACING_DEPTH: [Depth; 13] = [6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12];

/// The depth of level 0 of [`LevelScale::Depths`] while placing, a little beyond the depth of TGF under any
/// level: 14 after eight placings, less before.
const LEAST_PLACING_DEPTH: Depth = 16;
/// The same while moving, where TGF searches 11 plies.
const LEAST_MOVING_DEPTH: Depth = 13;
/// The number of levels of [`LevelScale::Depths`] that share a depth.
const LEVELS_PER_DEPTH: u32 = 5;

/// Returns the depth that the settings limit a search of this position to. Not for analysis.
pub(crate) fn depth_cap(pos: &Position, settings: &SearchSettings, limits: &Limits) -> Option<Depth> {
    let us = pos.side_to_move();
    let placing = pos.phase() == Phase::Placing;
    let pairs = (pos.occupied().count() / 2) as usize;
    let flies = Color::ALL.iter().any(|&color| pos.can_fly(color));
    let by_phase = match (placing, flies) {
        (true, _) => PLACING_DEPTH[pairs],
        (false, false) => style_developer_depth(),
        (false, true) => style_developer_flying_depth(),
    };
    let least = if placing { LEAST_PLACING_DEPTH } else { LEAST_MOVING_DEPTH };
    let (level, by_phase, human) = match settings.level_scale {
        LevelScale::Measured => {
            let level = Level::of(settings.skill).and_then(|level| level.depth);
            (level, by_phase, HUMAN_DEPTH[pairs])
        }
        LevelScale::Depths => {
            let depth = least + (settings.skill / LEVELS_PER_DEPTH) as Depth;
            let is_limiting = limits.may_end_early && settings.skill < MAX_SKILL;
            (is_limiting.then_some(depth), by_phase.max(least), HUMAN_DEPTH[pairs].max(least))
        }
    };
    let ahead = pos.material(us) as i32 - pos.material(!us) as i32;
    let caps = [
        if settings.developer { Some(by_phase) } else { level },
        (settings.lazy && ahead >= style_lazy_men()).then_some(style_lazy_depth()),
        (settings.human_experience && placing).then_some(human),
    ];
    caps.into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::types::{mate_in, mated_in};

    fn shares(skill: u32, scores: &[Value]) -> Vec<u32> {
        let level = Level::of(skill).unwrap();
        let mut counts = vec![0; scores.len()];
        for n in 0..1_000_u64 {
            counts[level.choose(scores, crate::platform::mixing::mix(n))] += 1;
        }
        counts
    }

    #[test]
    fn levels_become_more_careful_step_by_step() {
        let mut before = 0;
        for skill in 0..MAX_SKILL {
            let level = Level::of(skill).unwrap();
            let best = shares(skill, &[50, 20, -10, -200])[0];
            if skill > 0 && Level::of(skill - 1).unwrap().depth == level.depth {
                assert!(best >= before, "level {skill}");
            }
            before = best;
        }
        assert_eq!(Level::of(MAX_SKILL), None);
        assert!(shares(0, &[50, 20, -10, -200]).iter().all(|&count| count > 100), "variety at the bottom");
        let top = shares(29, &[50, 20, -10, -200]);
        assert!(top[0] > 800 && top[3] == 0, "{top:?}");
        assert!(ELO.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn high_levels_never_give_a_win_or_a_draw_away() {
        for skill in 15..MAX_SKILL {
            assert_eq!(shares(skill, &[mate_in(9), 900])[0], 1_000);
            assert_eq!(shares(skill, &[mate_in(9), mate_in(11)])[0], 1_000, "a longer win may become a draw");
            assert_eq!(shares(skill, &[-5, -5, mated_in(30)])[2], 0);
            // If every move loses, any may be played.
            assert_eq!(shares(skill, &[mated_in(5), mated_in(5)]).iter().sum::<u32>(), 1_000);
        }
    }

    #[test]
    fn low_levels_see_a_decided_game_in_a_few_men() {
        for skill in 0..6 {
            let counts = shares(skill, &[mate_in(4), 50, mated_in(4)]);
            assert!(counts[0] > counts[1] && (1..500).contains(&counts[1]), "level {skill}: {counts:?}");
        }
        assert!(shares(0, &[mate_in(4), 50, mated_in(4)])[2] > 20);
        // A win is worth more than any undecided position, and a short win most.
        for skill in 0..15 {
            let counts = shares(skill, &[mate_in(1), 900, 100]);
            assert!(counts.is_sorted_by(|a, b| a > b), "level {skill}: {counts:?}");
        }
        assert_eq!(shares(14, &[mate_in(3), 900, 500])[2], 0);
    }

    #[test]
    fn an_elo_is_played_by_the_weakest_level_that_reaches_it() {
        assert_eq!(skill_of(ELO[0]), 0);
        assert_eq!(skill_of(ELO[30]), MAX_SKILL);
        assert_eq!(skill_of(ELO[7] + 1), 8);
        assert_eq!(skill_of(i32::MAX), MAX_SKILL);
    }

    #[test]
    fn options_cap_the_depth_where_they_say() {
        let start = Position::new(&Rules::NINE);
        let usual = SearchSettings::default();
        assert_eq!(depth_cap(&start, &usual, &Limits::default()), None);
        let level = SearchSettings { skill: 12, ..SearchSettings::default() };
        assert_eq!(depth_cap(&start, &level, &Limits::default()), Level::of(12).unwrap().depth);
        let developer = SearchSettings { developer: true, ..level };
        assert_eq!(depth_cap(&start, &developer, &Limits::default()), Some(PLACING_DEPTH[0]));
        let human = SearchSettings { human_experience: true, ..SearchSettings::default() };
        assert_eq!(depth_cap(&start, &human, &Limits::default()), Some(HUMAN_DEPTH[0]));
        let lazy = SearchSettings { lazy: true, ..SearchSettings::default() };
        assert_eq!(depth_cap(&start, &lazy, &Limits::default()), None);
        let ahead = "***@****/O*O*****/O*O*O*@@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        let ahead = Position::from_fen(&Rules::NINE, ahead).unwrap();
        assert_eq!(depth_cap(&ahead, &lazy, &Limits::default()), Some(style_lazy_depth()));
        assert_eq!(depth_cap(&ahead, &human, &Limits::default()), None);
        assert_eq!(depth_cap(&ahead, &developer, &Limits::default()), Some(style_developer_flying_depth()));
    }

    #[test]
    fn levels_by_depth_reach_that_of_tgf_and_never_play_a_worse_move() {
        let placed = "***O*@**/O*@**O*@/*@***O** w p p 4 5 4 5 0 0 -1 -1 -1 -1 0 0 5 ids:nodes";
        let moving = "***O@@**/O***@*@O/OOOO@@** w m s 7 0 6 0 0 0 -1 -1 -1 -1 0 0 23 ids:nodes";
        let flying = "***@****/O*O*****/O*O*O*@@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        let bare = Limits { may_end_early: true, ..Limits::default() };
        for (text, tgf) in [(placed, 14), (moving, 11), (flying, 11)] {
            let pos = Position::from_fen(&Rules::NINE, text).unwrap();
            let mut before = 0;
            for skill in 0..MAX_SKILL {
                let settings =
                    SearchSettings { skill, level_scale: LevelScale::Depths, ..SearchSettings::default() };
                assert!(settings.weakening().is_none());
                let depth = depth_cap(&pos, &settings, &bare).unwrap();
                assert!(depth > tgf && depth >= before, "level {skill}: {depth}");
                before = depth;
                // A search with limits of its own is at full strength.
                assert_eq!(depth_cap(&pos, &settings, &Limits::default()), None);
                let developer = SearchSettings { developer: true, ..settings.clone() };
                assert!(depth_cap(&pos, &developer, &bare).is_some_and(|depth| depth > tgf));
                let human = SearchSettings { human_experience: true, ..settings };
                assert!(depth_cap(&pos, &human, &bare).is_some_and(|depth| depth > tgf));
            }
            let full = SearchSettings { level_scale: LevelScale::Depths, ..SearchSettings::default() };
            assert_eq!(depth_cap(&pos, &full, &bare), None);
        }
    }
}
