//! `tune`: fits the evaluation of the standard game to exact values.
//!
//! Games of random quality are played, the tables tell the value of their positions, and the weights of
//! [`patterns`] are fitted so that the logistic function of their sum predicts the result, a draw being half a win, and
//! a win far away with few men a little less than one at hand.
//! Each stage of the game is a logistic regression of its own, solved by stochastic gradient descent with a rate for
//! each weight (AdaGrad: Duchi, Hazan and Singer, 2011). The same arguments and tables give the same weights.

use super::exact::{Exact, TablesArg};
use super::files::{Failure, tell, write_out, write_whole};
use super::progress::Progress;
use crate::bitboard::{Bitboard, Pair};
use crate::evaluate::{evaluate, patterns};
use crate::movegen;
use crate::position::{Phase, Position};
use crate::rules::Rules;
use crate::sync::Mutex;
use crate::tablebase::{Found, TablebaseError, Wdl};
use crate::types::{Color, Move, Value};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `tune` is asked.
#[derive(Clone, Debug, clap::Args)]
pub struct Tune {
    /// Tables that know the whole standard game
    #[command(flatten)]
    pub tables: TablesArg,
    /// How many positions to learn from
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000))]
    pub positions: u64,
    /// How often to go through them
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub epochs: u32,
    /// What the random games follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads that work
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=512))]
    pub threads: u32,
    /// File to write; the program carries `src/evaluate/patterns.bin`
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

/// A position to learn from.
#[derive(Clone, Copy)]
struct Sample {
    own: u32,
    other: u32,
    stage: u8,
    /// Result for the mover in points, as [`points`] tells.
    points: f32,
}

/// Positions that one piece of work finds; pieces have seeds of their own, so that their number and not the number of
/// threads decides what is found.
const PIECE: usize = 20_000;
/// One piece of so many is kept for measuring the error.
const HELD_OUT: usize = 20;
/// Step of the first change of a weight.
const RATE: f32 = 0.12;
/// Up to so many men the distance of a win counts: with more it takes long to ask for, and to win a man is the aim.
const FEW_MEN: u32 = 13;
/// What a win is worth that is endlessly far away, and the plies in which half of the difference to a whole point goes.
const FAR_WIN: f32 = 0.7;
const HALF_WAY: f32 = 40.0;

/// Fits the weights and writes them.
///
/// # Errors
/// When tables are missing or damaged, or the file cannot be written.
pub fn run(args: &Tune) -> Result<(), Failure> {
    let exact = args.tables.open(&Rules::NINE)?;
    let exact = exact.ok_or_else(|| Failure("tune needs --tables with a folder of tables".to_owned()))?;
    let (train, held_out) = collect(args, &exact)?;
    let classes = &*patterns::CLASSES;
    let mut weights = vec![0_i16; patterns::STAGES * classes.count];
    let rows: Vec<Mutex<Stage<'_>>> =
        weights.chunks_mut(classes.count).map(|row| Mutex::new(Stage::new(row))).collect();
    in_parallel(args.threads, rows.len(), |stage| {
        let of_stage = |samples: &[Sample]| -> Vec<Sample> {
            samples.iter().filter(|sample| usize::from(sample.stage) == stage).copied().collect()
        };
        let samples = of_stage(&train);
        let fitted = fit(&samples, args.epochs, args.seed);
        let row = &mut *rows[stage].lock();
        for (weight, fitted) in row.weights.iter_mut().zip(&fitted) {
            *weight = (fitted * patterns::UNIT).round().clamp(-3_000.0, 3_000.0) as i16;
        }
        row.learned = samples.len();
        for sample in of_stage(&held_out) {
            row.score.add(&sample, row.weights);
        }
    });
    let mut text =
        "stage   learned      kept   error  with no knowledge   losses taken for more\n".to_owned();
    let mut all = Score::default();
    for (stage, row) in rows.into_iter().enumerate() {
        let Stage { score, learned, .. } = row.into_inner();
        text += &format!("{stage:5} {learned:9} {score}\n");
        all.join(&score);
    }
    text += &format!("  all {:9} {all}\n", train.len());
    let [even, slope] = win_curve(&all.by_value);
    text += &format!(
        "half of the positions of value {even:.0} are won; the odds grow by a factor of e every {slope:.0}\n"
    );
    let packed = patterns::pack(&weights).map_err(|why| Failure(why.to_string()))?;
    write_whole(&args.output, &packed)?;
    write_out(None, &text)?;
    tell(format_args!("{} bytes", packed.len()));
    Ok(())
}

/// What becomes of one stage.
struct Stage<'a> {
    weights: &'a mut [i16],
    /// Positions it was fitted to.
    learned: usize,
    score: Score,
}

impl<'a> Stage<'a> {
    fn new(weights: &'a mut [i16]) -> Self {
        Self { weights, learned: 0, score: Score::default() }
    }
}

/// Calls `work` for every number below `count`, in several threads.
fn in_parallel(threads: u32, count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    work(number);
                }
            });
        }
    });
}

/// Positions to learn from, and others to measure the error with.
fn collect(args: &Tune, exact: &Exact) -> Result<(Vec<Sample>, Vec<Sample>), Failure> {
    let pieces = (args.positions as usize).div_ceil(PIECE);
    let found: Vec<Mutex<Result<Vec<Sample>, TablebaseError>>> =
        (0..pieces).map(|_| Mutex::new(Ok(Vec::new()))).collect();
    let done = AtomicUsize::new(0);
    let progress = Progress::new(pieces);
    in_parallel(args.threads, pieces, |piece| {
        let samples = play(exact, args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(piece as u64));
        *found[piece].lock() = samples;
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        progress.show(done, done.is_multiple_of(50), || {
            format!("{} of {} positions", done * PIECE, pieces * PIECE)
        });
    });
    let (mut train, mut held_out) = (Vec::new(), Vec::new());
    for (piece, samples) in found.into_iter().enumerate() {
        let samples = samples.into_inner();
        let samples = samples.map_err(|why| Failure(why.to_string()))?;
        if piece % HELD_OUT == HELD_OUT - 1 { &mut held_out } else { &mut train }.extend(samples);
    }
    Ok((train, held_out))
}

/// Plays games and values their positions.
fn play(exact: &Exact, seed: u64) -> Result<Vec<Sample>, TablebaseError> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut samples = Vec::with_capacity(PIECE);
    while samples.len() < PIECE {
        let mut pos =
            if random.random_bool(0.85) { Position::new(&Rules::NINE) } else { random_position(&mut random) };
        // How well each side plays: the value that makes a move e times as likely as another.
        let care = [0, 1].map(|_| *[5.0_f32, 15.0, 40.0, 100.0, 1e9].choose(&mut random).unwrap_or(&1e9));
        for _ in 0..80 {
            if pos.outcome().is_over() {
                break;
            }
            if !pos.is_removal_due()
                && random.random_bool(0.7)
                && let Some(points) = points(exact, &pos)?
            {
                samples.push(sample(&pos, points));
            }
            let values = values_of_moves(&mut pos);
            let best = values.iter().map(|&(_, value)| value).max().unwrap_or_default();
            let care = care[pos.side_to_move().index()];
            let chosen =
                values.choose_weighted(&mut random, |&(_, value)| ((value - best) as f32 / care).exp());
            let Ok(&(m, _)) = chosen else { break };
            pos.do_move(m);
        }
    }
    samples.truncate(PIECE);
    Ok(samples)
}

/// What a position is worth to the mover: 1 for a win, 0.5 for a draw, 0 for a loss, and with few men on the board less
/// than 1 and more than 0 by distance.
fn points(exact: &Exact, pos: &Position) -> Result<Option<f32>, TablebaseError> {
    let men = pos.men(Color::White).count() + pos.men(Color::Black).count();
    let found = if pos.phase() == Phase::Moving && men <= FEW_MEN {
        exact.tables().probe_distance(pos)?
    } else {
        exact.value(pos)?.map(|wdl| Found { wdl, plies: None })
    };
    Ok(found.map(|Found { wdl, plies }| {
        let win = plies.map_or(1.0, |plies| FAR_WIN + (1.0 - FAR_WIN) * (-(plies as f32) / HALF_WAY).exp2());
        match wdl {
            Wdl::Win => win,
            Wdl::Draw => 0.5,
            Wdl::Loss => 1.0 - win,
        }
    }))
}

fn sample(pos: &Position, points: f32) -> Sample {
    let us = pos.side_to_move();
    let (own, other) = (pos.men(us), pos.men(!us));
    let stage = patterns::stage(pos.hand(us) + pos.hand(!us), own.count(), other.count());
    Sample { own: own.0, other: other.0, stage: stage as u8, points }
}

/// The legal moves with the static value of what they lead to.
fn values_of_moves(pos: &mut Position) -> Vec<(Move, Value)> {
    let us = pos.side_to_move();
    let list = movegen::legal(pos);
    let value = |&m: &Move| {
        pos.do_move(m);
        let value = evaluate(pos);
        let value = if pos.side_to_move() == us { value } else { -value };
        pos.undo_move();
        (m, value)
    };
    list.iter().map(value).collect()
}

/// A position after placing with three to nine men a side, all equally likely.
fn random_position(random: &mut StdRng) -> Position {
    loop {
        let counts = [0, 1].map(|_| random.random_range(3..=9_usize));
        let mut points: Vec<usize> = (0..24).collect();
        points.shuffle(random);
        let mut letters = [b'*'; 24];
        points[..counts[0]].iter().for_each(|&point| letters[point] = b'O');
        points[counts[0]..counts[0] + counts[1]].iter().for_each(|&point| letters[point] = b'@');
        let board = letters.map(char::from);
        let rings: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
        let side = if random.random_bool(0.5) { Color::White } else { Color::Black };
        let letter = if side == Color::White { 'w' } else { 'b' };
        let fen = format!(
            "{} {letter} m s {} 0 {} 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
            rings.join("/"),
            counts[0],
            counts[1]
        );
        if let Ok(pos) = Position::from_fen(&Rules::NINE, &fen)
            && !pos.outcome().is_over()
        {
            return pos;
        }
    }
}

/// The classes of the weights that a sample adds.
fn classes_of(sample: &Sample) -> [u16; patterns::TABLES] {
    let men = Pair::new(Bitboard(sample.own), Bitboard(sample.other));
    let closers = men.closers(Bitboard::FULL - men.first() - men.second(), Bitboard::MIDPOINTS);
    patterns::places(men, &closers).map(|place| patterns::CLASSES.of[place])
}

fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// The weights of one stage, in natural units of the logarithm of odds.
fn fit(samples: &[Sample], epochs: u32, seed: u64) -> Vec<f32> {
    let count = patterns::CLASSES.count;
    let mut weights = vec![0_f32; count];
    let mut squares = vec![1e-2_f32; count];
    let mut rows: Vec<_> = samples.iter().map(|sample| (classes_of(sample), sample.points)).collect();
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..epochs {
        rows.shuffle(&mut random);
        for (classes, points) in &rows {
            let sum: f32 = classes.iter().map(|&class| weights[usize::from(class)]).sum();
            let gradient = logistic(sum) - *points;
            for &class in classes {
                let class = usize::from(class);
                squares[class] += gradient * gradient;
                weights[class] -= RATE * gradient / squares[class].sqrt();
            }
        }
    }
    weights
}

/// How well weights predict.
#[derive(Default)]
struct Score {
    count: u32,
    /// Sum of squared differences between predicted and real result.
    squares: f64,
    /// Sum of the results and of their squares.
    points: f64,
    points_squared: f64,
    losses: u32,
    /// Losses that the prediction takes for better than a draw.
    misjudged: u32,
    /// For each value how many positions were lost, drawn and won.
    by_value: BTreeMap<i32, [u32; 3]>,
}

impl Score {
    fn add(&mut self, sample: &Sample, weights: &[i16]) {
        let value: i32 = classes_of(sample).iter().map(|&class| i32::from(weights[usize::from(class)])).sum();
        let predicted = logistic(value as f32 / patterns::UNIT);
        let points = sample.points;
        self.count += 1;
        self.squares += f64::from((predicted - points).powi(2));
        self.points += f64::from(points);
        self.points_squared += f64::from(points * points);
        self.losses += u32::from(points < 0.5);
        self.misjudged += u32::from(points < 0.5 && predicted > 0.5);
        let result = if points < 0.5 { 0 } else { 1 + usize::from(points > 0.5) };
        self.by_value.entry(value).or_default()[result] += 1;
    }

    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.squares += other.squares;
        self.points += other.points;
        self.points_squared += other.points_squared;
        self.losses += other.losses;
        self.misjudged += other.misjudged;
        for (&value, counts) in &other.by_value {
            let sums = self.by_value.entry(value).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
}

/// The logistic curve of wins by value that fits best, losses being the wins of the other side: the value at which
/// half are won, and the step that changes the odds by a factor of e. Found by Newton's method.
fn win_curve(by_value: &BTreeMap<i32, [u32; 3]>) -> [f64; 2] {
    let [mut constant, mut rate] = [-2.0, 0.02];
    for _ in 0..50 {
        let (mut gradient, mut curvature) = ([0.0; 2], [0.0; 3]);
        for (&value, &[lost, drawn, won]) in by_value {
            let [lost, drawn, won] = [lost, drawn, won].map(f64::from);
            for (x, hits) in [(f64::from(value), won), (-f64::from(value), lost)] {
                let p = 1.0 / (1.0 + (-constant - rate * x).exp());
                let all = lost + drawn + won;
                let missed = hits - all * p;
                let weight = all * p * (1.0 - p);
                gradient = [gradient[0] + missed, gradient[1] + missed * x];
                curvature = [curvature[0] + weight, curvature[1] + weight * x, curvature[2] + weight * x * x];
            }
        }
        let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        if determinant <= f64::EPSILON {
            break;
        }
        constant += (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant;
        rate += (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant;
    }
    [-constant / rate, 1.0 / rate]
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = f64::from(self.count.max(1));
        let mean = self.points / n;
        let spread = (self.points_squared / n - mean * mean).max(0.0).sqrt();
        let misjudged = 100.0 * f64::from(self.misjudged) / f64::from(self.losses.max(1));
        let error = (self.squares / n).sqrt();
        write!(f, "{:9}  {error:.4}             {spread:.4}                {misjudged:6.2} %", self.count)
    }
}
