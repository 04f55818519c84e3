//! The setup of a match: players, limits, openings and tablebase, read before the first game.

use super::builtin::{Builtin, BuiltinStyle};
use super::client::Client;
use super::engine_file::{EngineFile, Protocol};
use super::game::{Opening, Player, Side};
use super::identity::MatchIdentity;
use super::limits::GoLimits;
use super::settings::MatchSettings;
use crate::record::{self, ReadOptions};
use crate::tablebase::Tablebase;
use crate::tools::error::{Place, ToolError};
use crate::tools::exact_values;
use crate::tools::files::{eprint_line, read_games, report_notes, shown_input};
use crate::tools::openings;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Player B before the first game.
pub(super) enum Contestant {
    Engine(EngineFile),
    Builtin(BuiltinStyle),
}

/// A match that is ready to start.
pub(super) struct Plan<'a> {
    pub(super) args: &'a MatchSettings,
    pub(super) a: EngineFile,
    pub(super) b: Contestant,
    /// The dialects in which the engines have answered.
    pub(super) found: [Option<Protocol>; 2],
    pub(super) limits: [GoLimits; 2],
    pub(super) openings: Vec<Opening>,
    pub(super) exact: Option<Arc<Tablebase>>,
}

impl Plan<'_> {
    /// Returns a player. The random choices of a built-in one depend on the number of the game.
    pub(super) fn player(&self, side: Side, game: u32) -> Player {
        let engine = |file: &EngineFile| {
            let protocol = self.found[side.index()].unwrap_or(file.protocol);
            let name = self.names()[side.index()].clone();
            let file = EngineFile { name, protocol, ..file.clone() };
            Player::Engine(Box::new(Client::new(file, self.args.rules, self.args.timeout)))
        };
        match (side, &self.b) {
            (Side::A, _) => engine(&self.a),
            (Side::B, Contestant::Engine(file)) => engine(file),
            (Side::B, &Contestant::Builtin(style)) => Player::Builtin(Box::new(Builtin::new(
                style,
                self.exact.clone(),
                self.args.seed.wrapping_mul(1_000_003) ^ u64::from(game),
            ))),
        }
    }

    /// Returns the opening of a game, the same for both games of a pair.
    pub(super) fn opening(&self, game: u32) -> &Opening {
        &self.openings[(game as usize - 1) / 2 % self.openings.len()]
    }

    /// Returns the player of White, who changes from game to game.
    pub(super) const fn white(&self, game: u32) -> Side {
        if game % 2 == 1 { Side::A } else { Side::B }
    }

    /// Returns the names of both players, which tell them apart.
    pub(super) fn names(&self) -> [String; 2] {
        let b = match &self.b {
            Contestant::Engine(file) => file.name.clone(),
            Contestant::Builtin(style) => style.name().to_owned(),
        };
        let a = &self.a.name;
        if *a == b { [format!("{a} (A)"), format!("{b} (B)")] } else { [a.clone(), b] }
    }

    /// Returns the limits of A, and those of B if they differ; a built-in opponent has none.
    pub(super) fn time_control(&self) -> String {
        let [a, b] = self.go();
        if a == b || b.is_empty() { a } else { format!("{a} against {b}") }
    }

    /// Returns the limits of both players as words of `go`.
    fn go(&self) -> [String; 2] {
        let words = |file: &EngineFile| file.go.as_ref().unwrap_or(&self.args.go).clone();
        [words(&self.a), if let Contestant::Engine(file) = &self.b { words(file) } else { String::new() }]
    }

    /// Returns the identity of the match.
    pub(super) fn identity(&self) -> MatchIdentity {
        let describe = |file: &EngineFile| serde_json::to_string(file).unwrap_or_else(|_| file.name.clone());
        let b = match &self.b {
            Contestant::Engine(file) => describe(file),
            Contestant::Builtin(style) => format!("opponent {}", style.name()),
        };
        MatchIdentity {
            players: [describe(&self.a), b],
            go: self.go(),
            rules: self.args.rules.describe(),
            openings: format!("{} with checksum {:016x}", self.openings.len(), checksum(&self.openings)),
            seed: self.args.seed,
            adjudicate: self.args.adjudicate,
            margin: self.args.margin,
        }
    }
}

/// Returns the checksum of the openings. It only has to tell suites apart.
fn checksum(openings: &[Opening]) -> u64 {
    let texts: String = openings.iter().map(|o| format!("{:?} {:?}\n", o.start, o.moves)).collect();
    xxh3_64(texts.as_bytes())
}

/// Returns the openings of a match in the order in which they are played.
fn read_openings(args: &MatchSettings) -> Result<Vec<Opening>, ToolError> {
    if args.openings.as_deref() == Some(Path::new("startpos")) {
        return Ok(vec![Opening::default()]);
    }
    let options = ReadOptions { rules: Some(args.rules), ..ReadOptions::default() };
    let (path, reading) = match (&args.openings, openings::built_in(&args.rules)) {
        (Some(path), _) => (shown_input(path), read_games(path, &options)?),
        (None, Some(text)) => {
            let name = "built-in openings";
            (Path::new(name), record::read(name, text, &options))
        }
        (None, None) => {
            let rules = args.rules.describe();
            eprint_line(format_args!(
                "note: no openings are built in for the rules {rules}; all games begin with the initial \
                    position"
            ));
            return Ok(vec![Opening::default()]);
        }
    };
    report_notes(&reading);
    if let Some(error) = reading.errors.into_iter().next() {
        return Err(error.into());
    }
    let mut openings: Vec<Opening> = Vec::new();
    for (number, game) in reading.games.iter().enumerate() {
        let place = || Place::Game(path.to_owned(), number + 1);
        if game.rules != args.rules {
            let found = format!("rules {}", game.rules.describe());
            return Err(ToolError::unexpected(place(), found, args.rules.describe()));
        }
        if game.result != record::GameResult::Unknown {
            return Err(ToolError::unexpected(place(), "a finished game", "an opening"));
        }
        openings.push(Opening { start: game.start.clone(), moves: game.moves().collect() });
    }
    if openings.is_empty() {
        return Err(ToolError::unexpected(path, "no game", "openings"));
    }
    openings.shuffle(&mut StdRng::seed_from_u64(args.seed));
    Ok(openings)
}

/// Reads the files that `args` names.
///
/// # Errors
/// If a file cannot be read or does not fit the rules, or a tablebase is missing.
pub(super) fn plan(args: &MatchSettings) -> Result<Plan<'_>, ToolError> {
    let engine = |path: Option<&PathBuf>| path.map_or_else(EngineFile::own, |path| EngineFile::read(path));
    let a = engine(args.a.as_ref())?;
    let b = match args.opponent {
        Some(style) => Contestant::Builtin(style),
        None => Contestant::Engine(engine(args.b.as_ref())?),
    };
    let exact = match exact_values::open_folders(&args.tablebases, &args.rules)? {
        None if args.adjudicate => {
            // Some rules no tablebase can represent, so `--tablebase` would not help.
            Tablebase::new(&args.rules)?;
            match exact_values::built_in(&args.rules)? {
                Some(exact) if exact.has_moving_phase()? => Some(exact),
                _ => return Err(ToolError::NoAdjudicator(Box::new(args.rules))),
            }
        }
        given => given,
    };
    let exact = exact.map(Arc::new);
    if matches!(b, Contestant::Builtin(style) if style.is_perfect()) && args.tablebases.is_empty() {
        let option = "--tablebase with a folder of tablebase files";
        return Err(ToolError::Needs { choice: "a perfect opponent", option });
    }
    let go = |own: Option<&String>| {
        // Those of an engine file have been checked.
        GoLimits::parse(own.unwrap_or(&args.go)).map_err(ToolError::input(Place::Argument("--go")))
    };
    let b_go = match &b {
        Contestant::Engine(file) => go(file.go.as_ref())?,
        Contestant::Builtin(_) => GoLimits::default(),
    };
    let limits = [go(a.go.as_ref())?, b_go];
    Ok(Plan { args, a, b, found: [None; 2], limits, openings: read_openings(args)?, exact })
}
