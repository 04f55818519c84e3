//! The error of the tools. The sentences are made here, by `Display`.

use super::matches::fault::Fault;
use super::matches::limits::LimitsFault;
use super::tb::scope::Scope;
use crate::certificate::CertificateError;
use crate::engine::EngineError;
use crate::evaluate::NetworkError;
use crate::notation::MoveError;
use crate::platform::text::{printable, printable_path, quoted};
use crate::position::{Position, PositionError};
use crate::record::RecordError;
use crate::rules::{RuleError, Rules};
use crate::tablebase::format::error::RELISTING;
use crate::tablebase::format::folder::MANIFEST;
use crate::tablebase::solve::units::Unit;
use crate::tablebase::solve::verify::IndexFault;
use crate::tablebase::{TablebaseError, UnsupportedRule};
use crate::types::{Move, ParseError};
use plotters::drawing::DrawingAreaErrorKind;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The error of a tool.
#[derive(Debug)]
pub enum ToolError {
    /// The system refused to read, write or start something.
    Io {
        /// The file, stream or program.
        place: Place,
        /// The error of the system.
        cause: io::Error,
    },
    /// A text or a file cannot be read as what it should be.
    Input {
        /// The file or argument.
        place: Place,
        /// The reason.
        cause: InputFault,
    },
    /// Something else was found than expected.
    Unexpected {
        /// The file or argument.
        place: Place,
        /// The finding.
        found: String,
        /// The expectation.
        expected: String,
    },
    /// The value of an argument is not what is expected, given here.
    Expected(String),
    /// A file holds the results of another job.
    OtherJob {
        /// The file.
        path: PathBuf,
        /// The kind of job, as in [`ResumeJob::NAME`](super::resume::ResumeJob::NAME).
        job: &'static str,
        /// The first difference.
        difference: JobDifference,
    },
    /// A choice needs an option that is missing.
    Needs {
        /// The choice.
        choice: &'static str,
        /// The option, with its argument.
        option: &'static str,
    },
    /// The rules do not allow a move.
    Unplayable {
        /// The file or argument.
        place: Place,
        /// The move.
        m: Move,
        /// The position text, where the message has room for it.
        fen: Option<String>,
    },
    /// No game of any file could be read.
    NoGame,
    /// A record stands where the experience file belongs, or the other way round.
    SwappedRecords(PathBuf),
    /// A file has no game to play on.
    EmptyFile,
    /// `--adjudicate` has no tablebase: none is built in for these rules, and no folder is given.
    NoAdjudicator(Box<Rules>),
    /// There is no folder at this path.
    NoFolder(PathBuf),
    /// A folder has tablebase files, but no manifest.
    NoManifest(PathBuf),
    /// The manifest of a folder lists no file that is asked for.
    NothingListed {
        /// The folder.
        folder: PathBuf,
        /// The unit that is asked for; `None` for all.
        unit: Option<Unit>,
    },
    /// A folder has no usable tablebase file for the rules.
    NoUsableFile {
        /// The folder; `None` for the built-in set.
        folder: Option<PathBuf>,
        /// The rules.
        rules: Box<Rules>,
        /// The errors of the files that are there.
        refused: Vec<TablebaseError>,
    },
    /// The tablebase has no exact value for a position that needs one.
    NotHeld {
        /// True if a distance is missing, false if the result is.
        distance: bool,
        /// The position text.
        fen: String,
    },
    /// A file that a unit reads is missing.
    MissingSource {
        /// The file.
        path: PathBuf,
        /// The unit that makes it.
        maker: Unit,
        /// The unit that reads it.
        reader: Unit,
    },
    /// A scope holds nothing under the rules.
    EmptyScope {
        /// The scope.
        scope: Scope,
        /// The rules.
        rules: Box<Rules>,
        /// The fewest men of a scope that holds something.
        least: u8,
    },
    /// A unit needs more memory than there is.
    Memory {
        /// The unit.
        unit: Unit,
        /// The memory it needs, in MiB.
        needed: u64,
        /// The memory there is, in MiB.
        given: u64,
        /// True if `--memory` sets this limit, false if the machine does.
        is_chosen: bool,
    },
    /// A disk has too little room.
    Disk {
        /// The folder on it.
        folder: PathBuf,
        /// The most room that the files take, in MiB.
        needed: u64,
        /// The room there is, in MiB.
        free: u64,
    },
    /// The index of tablebases is wrong: an error of this program.
    Index(IndexFault),
    /// A tablebase cannot be made, read or used.
    Tablebase(TablebaseError),
    /// A certificate cannot be read, or the rules have none.
    Certificate(CertificateError),
    /// A search could not be started or has ended without a result, or an experience file cannot be used.
    Engine(EngineError),
    /// An engine does not start.
    Player {
        /// Its name.
        name: String,
        /// Its fault.
        fault: Fault,
    },
    /// This program refuses an option of `accuracy --option`.
    RefusedOption {
        /// The option.
        name: String,
        /// The answer.
        answer: String,
    },
    /// Players lost games of an iteration of `tune --spsa` by faults.
    Tuning {
        /// The number of the iteration, from 1.
        iteration: u32,
        /// The number of each game, and the fault.
        failures: Vec<(u32, String)>,
    },
    /// A chart cannot be drawn.
    Chart(DrawingAreaErrorKind<io::Error>),
}

/// The place of an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The job as a whole.
    Job,
    /// A file.
    File(PathBuf),
    /// A line of a file, from 1.
    Line(PathBuf, usize),
    /// A game of a file, from 1.
    Game(PathBuf, usize),
    /// A key of a file in JSON.
    Key(PathBuf, &'static str),
    /// An argument, by the name of its option.
    Argument(&'static str),
    /// Standard input.
    StandardInput,
    /// Standard output.
    StandardOutput,
    /// The terminal of a full-screen game.
    Terminal,
    /// The path of this program.
    ThisProgram,
    /// The temporary folder.
    TemporaryFolder,
}

/// The reason why a text or a file cannot be read.
#[derive(Debug)]
pub enum InputFault {
    /// It does not have the form of the tool's JSON.
    Json(serde_json::Error),
    /// It is no JSON.
    NoJson(serde_json::Error),
    /// It is no engine file.
    NoEngineFile(serde_json::Error),
    /// It is no position.
    Position(PositionError),
    /// It is no move of the position.
    Move(MoveError),
    /// It is no point of the board.
    Square(ParseError),
    /// It is no record of a game.
    Record(Box<RecordError>),
    /// They are no limits of a search.
    Limits(LimitsFault),
    /// A line is not that of a suite, which has values and a position text.
    SuiteLine,
    /// The first line of a suite does not name its rules.
    SuiteHead {
        /// The words before the rules.
        words: &'static str,
        /// The error of the rules.
        cause: RuleError,
    },
    /// It is no file of samples.
    Samples(SamplesFault),
    /// It is no network.
    Network(NetworkError),
}

/// The fault of a file of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SamplesFault {
    /// It does not begin as this version's files do.
    Version,
    /// It ends before its checksum.
    Short,
    /// The checksum or the length does not fit.
    Checksum,
    /// It holds positions of another game.
    Rules,
    /// A sample is impossible.
    Sample,
    /// It holds the games of another fit.
    Job,
}

/// The difference between the job of a file and that of the command.
#[derive(Debug)]
pub enum JobDifference {
    /// The first line is this, which is not that of such a job.
    NoJob(String),
    /// The file belongs to this other kind of job.
    OtherKind(&'static str),
    /// The first line of such a job cannot be read, for this reason.
    OtherForm(String),
    /// A property has another value.
    Property {
        /// The property.
        name: &'static str,
        /// The value in the file.
        found: String,
        /// The value of the command.
        expected: String,
    },
    /// The arguments differ.
    Arguments,
}

impl ToolError {
    /// Wraps an error of the system; one of the engine inside it is taken out.
    pub(crate) fn io(place: impl Into<Place>) -> impl FnOnce(io::Error) -> Self {
        let place = place.into();
        move |error| error.downcast().map_or_else(|cause| Self::Io { place, cause }, Self::Engine)
    }

    /// Says that the tablebase has no result for a position.
    pub(crate) fn result_missing(pos: &Position) -> Self {
        Self::NotHeld { distance: false, fen: pos.fen() }
    }

    /// Wraps the reason why a text or a file cannot be read.
    pub(crate) fn input<E: Into<InputFault>>(place: impl Into<Place>) -> impl FnOnce(E) -> Self {
        let place = place.into();
        move |cause| Self::Input { place, cause: cause.into() }
    }

    /// Returns the error of a wrong finding.
    pub(crate) fn unexpected(
        place: impl Into<Place>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Unexpected { place: place.into(), found: found.into(), expected: expected.into() }
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Place {
    fn from(path: &P) -> Self {
        Self::File(path.as_ref().to_owned())
    }
}

/// Implements `From` for errors that are the only content of a variant.
macro_rules! wrap {
    ($($error:ident: $($variant:ident($cause:ty)),*;)*) => {
        $($(impl From<$cause> for $error {
            fn from(cause: $cause) -> Self {
                Self::$variant(cause)
            }
        })*)*
    };
}

wrap! {
    ToolError: Certificate(CertificateError), Tablebase(TablebaseError), Engine(EngineError),
        Index(IndexFault);
    InputFault: Json(serde_json::Error), Position(PositionError), Move(MoveError), Square(ParseError),
        Limits(LimitsFault), Network(NetworkError), Samples(SamplesFault);
}

impl From<UnsupportedRule> for ToolError {
    fn from(rule: UnsupportedRule) -> Self {
        Self::Tablebase(rule.into())
    }
}

impl From<PositionError> for ToolError {
    fn from(cause: PositionError) -> Self {
        Self::Input { place: Place::Job, cause: cause.into() }
    }
}

impl From<RecordError> for ToolError {
    fn from(cause: RecordError) -> Self {
        Self::Input { place: Place::Job, cause: InputFault::Record(Box::new(cause)) }
    }
}

impl fmt::Display for Place {
    /// Writes the beginning of a message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job => Ok(()),
            Self::File(path) => write!(f, "{}: ", printable_path(path)),
            Self::Line(path, line) => write!(f, "{}: line {line}: ", printable_path(path)),
            Self::Game(path, game) => write!(f, "{}: game {game}: ", printable_path(path)),
            Self::Key(path, key) => write!(f, "{}: {key}: ", printable_path(path)),
            Self::Argument(name) => write!(f, "{name}: "),
            Self::StandardInput => f.write_str("standard input: "),
            Self::StandardOutput => f.write_str("standard output: "),
            Self::Terminal => f.write_str("terminal: "),
            Self::ThisProgram => f.write_str("no path to this program: "),
            Self::TemporaryFolder => f.write_str("no temporary folder: "),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { place, cause } => write!(f, "{place}{cause}"),
            Self::Input { place, cause } => write!(f, "{place}{cause}"),
            Self::Unexpected { place, found, expected } => {
                write!(f, "{place}found {}, expected {}", printable(found, 1000), printable(expected, 1000))
            }
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::OtherJob { path, job, difference } => {
                write!(f, "{}: ", printable_path(path))?;
                difference.write(job, f)
            }
            Self::Needs { choice, option } => write!(f, "{choice} needs {option}"),
            Self::Unplayable { place, m, fen: None } => write!(f, "{place}{m} cannot be played"),
            Self::Unplayable { place, m, fen: Some(fen) } => {
                write!(f, "{place}{m} cannot be played at {fen}")
            }
            Self::NoGame => f.write_str("no game could be read: nothing is written"),
            Self::SwappedRecords(path) => {
                let path = printable_path(path);
                write!(
                    f,
                    "{path}: the arguments are swapped, expected: experience save EXPERIENCE-FILE RECORD..."
                )
            }
            Self::EmptyFile => {
                f.write_str("found no game, expected PGN, PlayOK, GoldToken or a list of moves")
            }
            Self::NoAdjudicator(rules) => write!(
                f,
                "--adjudicate: no tablebase of the moving phase is built in for the rules {}; expected \
                 --tablebase",
                rules.describe()
            ),
            Self::NoFolder(path) => {
                write!(f, "{} holds no tablebase files: there is no such folder", printable_path(path))
            }
            Self::NoManifest(folder) => {
                write!(f, "{}: {MANIFEST} is missing; {RELISTING}", printable_path(folder))
            }
            Self::NothingListed { folder, unit } => {
                write!(f, "{}: {MANIFEST} lists no files", printable_path(folder))?;
                unit.map_or(Ok(()), |unit| write!(f, " of unit {unit}"))?;
                write!(f, "; {RELISTING}")
            }
            Self::NoUsableFile { folder, rules, refused } => {
                let place = folder.as_deref().map_or("the built-in set".to_owned(), printable_path);
                write!(f, "{place} holds no tablebase files for rules {}", rules.describe())?;
                refused.iter().try_for_each(|error| write!(f, "; {error}"))
            }
            Self::NotHeld { distance, fen } => write_not_held(*distance, fen, f),
            Self::MissingSource { path, maker, reader } => {
                write!(f, "{} is missing, expected unit {maker} before {reader}", printable_path(path))
            }
            Self::EmptyScope { scope, rules, least } => {
                let rules = rules.describe();
                write!(f, "scope {scope} holds nothing under rules {rules}, expected at least {least}-men")
            }
            Self::Memory { unit, needed, given, is_chosen } => {
                let limit = if *is_chosen { "--memory allows" } else { "the machine has left" };
                write!(f, "unit {unit} needs {needed} MiB of memory; {limit} {given} MiB")
            }
            Self::Disk { folder, needed, free } => {
                let folder = printable_path(folder);
                write!(f, "the tablebase may take {needed} MiB of disk; {folder} has {free} MiB free")
            }
            Self::Index(fault) => write!(f, "{fault}"),
            Self::Tablebase(cause) => write!(f, "{cause}"),
            Self::Certificate(cause) => write!(f, "{cause}"),
            Self::Engine(cause) => write!(f, "{cause}"),
            Self::Player { name, fault } => write!(f, "engine {}: {fault}", printable(name, 80)),
            Self::RefusedOption { name, answer } => write!(f, "--option {name}: {}", printable(answer, 1000)),
            Self::Tuning { iteration, failures } => {
                write!(f, "in iteration {iteration} a player failed")?;
                failures.iter().try_for_each(|(game, reason)| write!(f, "; game {game}: {reason}"))
            }
            Self::Chart(cause) => write!(f, "the chart cannot be drawn: {cause}"),
        }
    }
}

/// Writes that the tablebase holds no distance, or no result, of a position.
fn write_not_held(distance: bool, fen: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (missing, with) =
        if distance { ("distance", ", with distances of the moving phase,") } else { ("result", "") };
    write!(f, "found no {missing} of '{fen}' in the tablebase, expected the whole game{with} as ")?;
    f.write_str("`tb build --scope all` makes it")
}

impl JobDifference {
    /// Writes the difference of a file from a job of this kind.
    fn write(&self, job: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoJob(found) => {
                write!(f, "line 1: found {}, expected the first line of a {job}", quoted(found))
            }
            Self::OtherKind(kind) => write!(f, "found the file of a {kind}, expected that of a {job}"),
            Self::OtherForm(reason) => write!(
                f,
                "line 1: found a {job} of another version, expected one of this version: {}",
                printable(reason, 1000)
            ),
            Self::Property { name, found, expected } => {
                write!(f, "belongs to another {job}; {name}: found {found}, expected {expected}")
            }
            Self::Arguments => write!(f, "belongs to a {job} with other arguments"),
        }
    }
}

impl fmt::Display for InputFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(cause) => write!(f, "{cause}"),
            Self::NoJson(cause) => write!(f, "expected JSON: {cause}"),
            Self::NoEngineFile(cause) => write!(f, "expected an engine file: {cause}"),
            Self::Position(cause) => write!(f, "{cause}"),
            Self::Move(cause) => write!(f, "{cause}"),
            Self::Square(cause) => write!(f, "{cause}"),
            Self::Record(cause) => write!(f, "{cause}"),
            Self::Limits(cause) => write!(f, "{cause}"),
            Self::SuiteLine => f.write_str("expected values and a position text"),
            Self::SuiteHead { words, cause } => write!(f, "expected '{words}NAME': {cause}"),
            Self::Samples(fault) => f.write_str(match fault {
                SamplesFault::Version => "found a file of another kind or version, expected samples",
                SamplesFault::Short => "found an end before the checksum, expected a whole file of samples",
                SamplesFault::Checksum => "found a wrong checksum, expected that of the samples",
                SamplesFault::Rules => "found positions of another game, expected those of --rules",
                SamplesFault::Sample => "found an impossible sample, expected a position and its result",
                SamplesFault::Job => {
                    "found the games of another fit, expected the same rules, seed, nodes and networks"
                }
            }),
            Self::Network(cause) => write!(f, "{cause}"),
        }
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { cause, .. } => Some(cause),
            Self::Input { cause, .. } => cause.source(),
            Self::Tablebase(cause) => Some(cause),
            Self::Certificate(cause) => Some(cause),
            Self::Engine(cause) => Some(cause),
            Self::Chart(cause) => Some(cause),
            _ => None,
        }
    }
}

impl InputFault {
    /// Returns the error of another module that it holds.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Json(cause) | Self::NoJson(cause) | Self::NoEngineFile(cause) => Some(cause),
            Self::Position(cause) => Some(cause),
            Self::Move(cause) => Some(cause),
            Self::Square(cause) => Some(cause),
            Self::Record(cause) => Some(cause.as_ref()),
            Self::SuiteHead { cause, .. } => Some(cause),
            Self::Network(cause) => Some(cause),
            Self::Limits(_) | Self::SuiteLine | Self::Samples(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_place_finding_and_expectation_and_keeps_the_cause() {
        let path = PathBuf::from("some/file");
        let refused = || io::Error::from(io::ErrorKind::PermissionDenied);
        let text = refused().to_string();
        for (place, begin) in [
            (Place::from(&path), "some/file: "),
            (Place::Line(path.clone(), 7), "some/file: line 7: "),
            (Place::Game(path.clone(), 2), "some/file: game 2: "),
            (Place::Argument("--fen"), "--fen: "),
            (Place::StandardOutput, "standard output: "),
            (Place::Terminal, "terminal: "),
            (Place::Job, ""),
        ] {
            let error = ToolError::io(place.clone())(refused());
            assert_eq!(error.to_string(), format!("{begin}{text}"));
            assert_eq!(error.source().map(ToString::to_string), Some(text.clone()));
            let error = ToolError::unexpected(place, "nothing", "something");
            assert_eq!(error.to_string(), format!("{begin}found nothing, expected something"));
        }
        let fen = crate::position::Position::from_fen(&Rules::NINE, "x").expect_err("no position");
        let error = ToolError::from(fen.clone());
        assert_eq!(error.to_string(), fen.to_string());
        let sources: Vec<String> =
            std::iter::successors(error.source(), |&cause| cause.source()).map(ToString::to_string).collect();
        assert_eq!(sources, [fen.to_string()]);
        let difference =
            JobDifference::Property { name: "seed", found: "1".to_owned(), expected: "2".to_owned() };
        assert_eq!(
            ToolError::OtherJob { path, job: "match", difference }.to_string(),
            "some/file: belongs to another match; seed: found 1, expected 2"
        );
        let expected = |distance| ToolError::NotHeld { distance, fen: String::new() }.to_string();
        assert!(
            expected(true).contains("expected the whole game, with distances of the moving phase, as `tb")
        );
        assert!(expected(false).contains("expected the whole game as `tb"));
    }
}
