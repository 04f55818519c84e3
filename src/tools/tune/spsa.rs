//! Tuning of search parameters by matches: simultaneous perturbation stochastic approximation (J. C. Spall,
//! "Implementation of the simultaneous perturbation algorithm for stochastic optimization", 1998), with the
//! gains and the constants that Stockfish's fishtest uses (<https://www.chessprogramming.org/SPSA>).
//!
//! Each iteration moves all parameters at once by a random sign, plays a short match between the two opposite
//! moves, and steps towards the winner. The state is written after every iteration, and a run resumes from
//! its file.

use crate::params::{self, Param};
use crate::platform::files;
use crate::platform::mixing::scatter;
use crate::tools::error::{Place, ToolError};
use crate::tools::files::{check_stdout, check_writable, eprint_line, lock_beside, write_file, write_out};
use crate::tools::matches::{self, MatchSettings, Tally};
use crate::tools::own_program::own_program;
use crate::tools::resume::{JobTraits, differing};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// The settings of a tuning run.
#[derive(Clone, Debug)]
pub(crate) struct SpsaSettings {
    /// The file with the state of the run: written after every iteration; a run resumes from it if it exists.
    pub state: PathBuf,
    /// The names of the parameters to tune.
    pub params: Vec<String>,
    /// The number of matches.
    pub iterations: u32,
    /// Pairs of games per match.
    pub pairs: u32,
    /// The limits of each move, as words of `go`.
    pub go: String,
    /// Seed of the perturbations and of the order of the openings.
    pub seed: u64,
    /// Games played at a time.
    pub concurrency: u32,
}

/// Exponent of the decrease of the steps, alpha in Spall's paper.
const STEP_DECAY: f64 = 0.602;
/// Exponent of the decrease of the perturbations, gamma in Spall's paper.
const PERTURBATION_DECAY: f64 = 0.101;
/// Share of the iterations that is added to the number of each in the gain of its step, A in Spall's paper.
const STABILITY: f64 = 0.1;
/// The gain of the last step over the square of its perturbation, as in fishtest.
const LAST_RATE: f64 = 0.002;

/// The gains of one parameter: the size of each perturbation and the factor of each step.
struct Gains {
    perturbation: f64,
    step: f64,
}

impl Gains {
    /// Returns c_k and a_k / c_k of iteration `k`, from 1, of `iterations`. They are set by their last
    /// values: the perturbation ends at the step of the parameter, the ratio a_k / c_k² at [`LAST_RATE`].
    fn of(param: &Param, k: u32, iterations: u32) -> Self {
        let (k, n) = (f64::from(k), f64::from(iterations));
        let stability = STABILITY * n;
        let last = f64::from(param.step);
        let perturbation = last * (n / k).powf(PERTURBATION_DECAY);
        let gain = LAST_RATE * last * last * ((stability + n) / (stability + k)).powf(STEP_DECAY);
        Self { perturbation, step: gain / perturbation }
    }
}

/// The settings that a state file must share with its run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SpsaRun {
    params: Vec<String>,
    /// Their least and largest values and their steps, which the gains depend on.
    ranges: Vec<[i32; 3]>,
    iterations: u32,
    pairs: u32,
    go: String,
    seed: u64,
}

impl SpsaRun {
    fn new(args: &SpsaSettings) -> Self {
        let SpsaSettings { params, iterations, pairs, go, seed, .. } = args.clone();
        let found = params.iter().filter_map(|name| params::find(name));
        let ranges = found.map(|param| [param.min, param.max, param.step]).collect();
        Self { params, ranges, iterations, pairs, go, seed }
    }

    /// Returns the names and values of the settings.
    fn traits(&self) -> JobTraits {
        let Self { params, ranges, iterations, pairs, go, seed } = self;
        vec![
            ("--params", params.join(",")),
            ("minimum, maximum and step of each parameter", format!("{ranges:?}")),
            ("--iterations", iterations.to_string()),
            ("--pairs", pairs.to_string()),
            ("--go", go.clone()),
            ("--seed", seed.to_string()),
        ]
    }
}

/// The state of a run, as its file holds it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct SpsaState {
    run: SpsaRun,
    /// Finished iterations.
    done: u32,
    /// Games won, drawn and lost by the positive perturbations.
    games: [u64; 3],
    /// The value of each parameter.
    values: BTreeMap<String, f64>,
}

/// One iteration: the sign of the perturbation of each parameter, and the values of both players.
struct Perturbation {
    signs: Vec<f64>,
    players: [Vec<i32>; 2],
}

impl SpsaState {
    /// Returns the state of a run that has not begun: every parameter has its default.
    fn new(run: SpsaRun) -> Self {
        let values = run.params.iter().filter_map(|name| params::find(name));
        let values = values.map(|param| (param.name.to_owned(), f64::from(param.default))).collect();
        Self { run, done: 0, games: [0; 3], values }
    }

    /// The parameters that are tuned.
    fn params(&self) -> impl Iterator<Item = &'static Param> {
        self.run.params.iter().filter_map(|name| params::find(name))
    }

    /// The current value of a parameter.
    fn value(&self, param: &Param) -> f64 {
        self.values.get(param.name).copied().unwrap_or(f64::from(param.default))
    }

    /// Returns the perturbation of the next iteration. It depends on the seed and the number of the iteration
    /// only, so an interrupted run goes on with the same perturbations.
    fn perturbation(&self) -> Perturbation {
        let k = self.done + 1;
        let seed = scatter(self.run.seed).wrapping_add(k.into());
        let mut random = StdRng::seed_from_u64(seed);
        let signs: Vec<f64> =
            self.params().map(|_| if random.random_bool(0.5) { 1.0 } else { -1.0 }).collect();
        let player = |side: f64| {
            let value = |(param, sign): (&Param, &f64)| {
                let size = Gains::of(param, k, self.run.iterations).perturbation;
                let value = (self.value(param) + side * sign * size).round() as i32;
                value.clamp(param.min, param.max)
            };
            self.params().zip(&signs).map(value).collect()
        };
        Perturbation { players: [player(1.0), player(-1.0)], signs }
    }

    /// Steps towards the better player; `games` are won, drawn and lost by the first one.
    fn update(&mut self, signs: &[f64], games: [u64; 3]) {
        let k = self.done + 1;
        let result = games[0] as f64 - games[2] as f64;
        let params: Vec<&Param> = self.params().collect();
        for (param, sign) in params.into_iter().zip(signs) {
            let step = Gains::of(param, k, self.run.iterations).step * result * sign;
            let value = (self.value(param) + step).clamp(param.min.into(), param.max.into());
            // Few digits, so that the state file holds exactly this number.
            self.values.insert(param.name.to_owned(), (value * 1e6).round() / 1e6);
        }
        self.games.iter_mut().zip(games).for_each(|(sum, games)| *sum += games);
        self.done = k;
    }

    /// Returns the entries of the table in `src/params.rs` with their new values.
    fn table(&self) -> String {
        let entry = |param: &Param| {
            let Param { name, default, min, max, step } = param;
            let value = self.value(param);
            format!("{name} = {}, {min}, {max}, {step}; // {value:.2}, was {default}\n", value.round())
        };
        self.params().map(entry).collect()
    }
}

/// Returns the name of a parameter as `src/params.rs` writes it, in whatever letter case it is given.
pub(crate) fn parameter_name(text: &str) -> Option<&'static str> {
    params::find(text).map(|param| param.name)
}

/// Checks that no parameter is named twice: it would move twice, to two places.
fn check_names(names: &[String]) -> Result<(), ToolError> {
    let mut seen = HashSet::new();
    let Some(twice) = names.iter().find(|name| !seen.insert(*name)) else { return Ok(()) };
    let found = format!("{twice} more than once");
    Err(ToolError::unexpected(Place::Argument("--params"), found, "each parameter once"))
}

/// Tunes until all iterations are done and prints the table of parameters.
///
/// # Errors
/// If the program was built without the feature `tune`; if a parameter is named twice; if the state file is
/// damaged, belongs to another run or cannot be written; or if a match fails.
pub(crate) fn run(args: &SpsaSettings) -> Result<(), ToolError> {
    if !cfg!(feature = "tune") {
        let found = "a program without parameters as options";
        let place = Place::Argument("tune --spsa");
        return Err(ToolError::unexpected(place, found, "one built with --features tune"));
    }
    check_names(&args.params)?;
    let (iterations, path) = (args.iterations, args.state.as_path());
    let run = SpsaRun::new(args);
    // A finished run only prints its table.
    let is_finished = open(path, run.clone())?.done >= iterations;
    let _lock = if is_finished { None } else { Some(lock_beside(path)?) };
    let mut state = open(path, run)?;
    check_stdout()?;
    if state.done > 0 {
        eprint_line(format_args!("{} of {iterations} iterations finished before", state.done));
    }
    let folder = tempfile::tempdir().map_err(ToolError::io(Place::TemporaryFolder))?;
    while state.done < iterations {
        let Perturbation { signs, players } = state.perturbation();
        let games = play(&state, &players, folder.path(), args.concurrency)?;
        state.update(&signs, games);
        save(path, &state)?;
        // The match has told its own result.
        let [won, drawn, lost] = state.games;
        let done = state.done;
        eprint_line(format_args!("iteration {done} of {iterations}: all games +{won} ={drawn} -{lost}"));
    }
    write_out(None, &state.table())
}

/// The maximum length of the state file in bytes.
const LONGEST: u64 = 16 << 20;

/// Opens the state file of a run, or begins a new one.
fn open(path: &Path, run: SpsaRun) -> Result<SpsaState, ToolError> {
    let bytes = match files::read_regular(path, LONGEST) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            check_writable(path)?;
            return Ok(SpsaState::new(run));
        }
        Err(why) => return Err(ToolError::io(path)(why)),
    };
    let state: SpsaState = serde_json::from_slice(&bytes).map_err(ToolError::input(path))?;
    if state.run != run {
        let (path, difference) = (path.to_owned(), differing(state.run.traits(), run.traits()));
        return Err(ToolError::OtherJob { path, job: "run", difference });
    }
    Ok(state)
}

/// Writes the state file, in one step.
fn save(path: &Path, state: &SpsaState) -> Result<(), ToolError> {
    let text = serde_json::to_string_pretty(state).map_err(ToolError::input(path))?;
    write_file(path, format!("{text}\n").as_bytes())
}

/// Plays the match of an iteration, both players being this program with other parameters. Returns the games
/// won, drawn and lost by the first one.
fn play(
    state: &SpsaState,
    players: &[Vec<i32>; 2],
    folder: &Path,
    concurrency: u32,
) -> Result<[u64; 3], ToolError> {
    let program = own_program()?;
    let SpsaRun { pairs, go, seed, .. } = &state.run;
    let [plus, minus] = ["plus", "minus"].map(|name| folder.join(name).with_extension("json"));
    for (file, values) in [&plus, &minus].into_iter().zip(players) {
        let mut options: BTreeMap<&str, String> =
            state.params().map(|param| param.name).zip(values.iter().map(i32::to_string)).collect();
        // The certificate would answer for the search, and nobody would lose.
        options.insert("NeverLose", "false".to_owned());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let engine =
            serde_json::json!({ "name": name, "cmd": [program.to_string_lossy()], "options": options });
        write_file(file, engine.to_string().as_bytes())?;
    }
    let (standings, _) = matches::play(&MatchSettings {
        a: Some(plus),
        b: Some(minus),
        games: 2 * pairs,
        go: go.clone(),
        concurrency,
        // Each match has the openings in another order.
        seed: seed.wrapping_add(state.done.into()),
        ..MatchSettings::default()
    })?;
    // A fault of one player, such as a crash, would be taken for weakness.
    if !standings.failures.is_empty() {
        let failures = standings.failures.into_iter().map(|(game, _, reason)| (game, reason)).collect();
        return Err(ToolError::Tuning { iteration: state.done + 1, failures });
    }
    let Tally { wins, draws, losses } = standings.all;
    Ok([wins, draws, losses].map(u64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_is_named_twice_is_refused() {
        let names = ["futility_margin", "futility_depth", "futility_margin"].map(str::to_owned);
        check_names(&names[..2]).expect("different names");
        let error = check_names(&names).expect_err("named twice").to_string();
        assert!(error.starts_with("--params: found futility_margin more than once"), "{error}");
    }

    fn run_of(names: &[&str], iterations: u32) -> SpsaRun {
        let params = names.iter().map(|&name| name.to_owned()).collect();
        let (state, go) = (PathBuf::new(), "depth 1".to_owned());
        SpsaRun::new(&SpsaSettings { state, params, iterations, pairs: 1, go, seed: 7, concurrency: 1 })
    }

    #[test]
    fn the_last_step_has_the_gains_of_the_table() {
        let param = params::find("futility_margin").unwrap();
        let last = Gains::of(param, 500, 500);
        assert!((last.perturbation - f64::from(param.step)).abs() < 1e-9);
        assert!((last.step - LAST_RATE * f64::from(param.step)).abs() < 1e-9);
        let first = Gains::of(param, 1, 500);
        assert!((first.perturbation / last.perturbation - 500_f64.powf(0.101)).abs() < 1e-9);
        let gain = first.step * first.perturbation / (last.step * last.perturbation);
        assert!((gain - (550.0 / 51.0_f64).powf(0.602)).abs() < 1e-9);
    }

    #[test]
    fn a_step_goes_towards_the_winner_and_stays_in_the_range() {
        let mut state = SpsaState::new(run_of(&["futility_margin", "futility_depth"], 10));
        let before = state.values.clone();
        let Perturbation { signs, players } = state.perturbation();
        assert_eq!(state.perturbation().players, players, "it depends on the seed and the iteration only");
        assert!(players[0].iter().zip(&players[1]).all(|(plus, minus)| plus != minus));
        state.update(&signs, [3, 0, 1]);
        for (param, sign) in state.params().zip(&signs) {
            let moved = state.value(param) - before[param.name];
            assert!((moved - 2.0 * sign * Gains::of(param, 1, 10).step).abs() < 1e-6, "{moved}");
        }
        assert_eq!((state.done, state.games), (1, [3, 0, 1]));
        for _ in 0..3 {
            state.update(&[1.0, -1.0], [1_000_000, 0, 0]);
        }
        let values: Vec<f64> = state.params().map(|param| state.value(param)).collect();
        assert_eq!(values, [300.0, 0.0]);
        assert!(state.table().starts_with("futility_margin = 300, 10, 300, 10; // 300.00, was 80\n"));
    }

    #[test]
    fn a_run_finds_the_best_value_of_a_simple_function() {
        let mut state = SpsaState::new(run_of(&["futility_margin"], 2_000));
        // The player closer to 150 wins, by up to 64 games.
        let loss = |values: &[i32]| i64::from((values[0] - 150).abs());
        while state.done < 2_000 {
            let Perturbation { signs, players } = state.perturbation();
            let won = 64 * (loss(&players[1]) - loss(&players[0])).signum();
            state.update(&signs, [won.max(0) as u64, 0, (-won).max(0) as u64]);
        }
        let value = state.values["futility_margin"];
        assert!((value - 150.0).abs() < 15.0, "{value}");
    }

    #[test]
    fn a_run_goes_on_from_its_file_and_refuses_that_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let mut state = open(&path, run_of(&["futility_margin"], 10)).unwrap();
        state.update(&[1.0], [2, 1, 0]);
        save(&path, &state).unwrap();
        assert_eq!(open(&path, run_of(&["futility_margin"], 10)).unwrap(), state);
        let other = open(&path, run_of(&["futility_depth"], 10)).unwrap_err().to_string();
        let difference = "another run; --params: found futility_margin, expected futility_depth";
        assert!(other.ends_with(difference), "{other}");
        let changed = SpsaRun { ranges: vec![[10, 300, 20]], ..state.run.clone() };
        let other = open(&path, changed).unwrap_err().to_string();
        assert!(other.ends_with("found [[10, 300, 10]], expected [[10, 300, 20]]"), "{other}");
        std::fs::write(&path, "{").unwrap();
        assert!(open(&path, run_of(&["futility_margin"], 10)).is_err());
    }
}
