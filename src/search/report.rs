//! The reports of a search: lines of each iteration, notes, the best move; and scores as clients show them.

use crate::evaluate::NetworkError;
use crate::platform::memory::MemoryError;
use crate::platform::sync::Receiver;
use crate::platform::text::counted;
use crate::tablebase::TablebaseError;
use crate::types::{
    Bound, Depth, Move, VALUE_EVAL_MAX, VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_TB_WIN, Value, is_loss,
};
use std::fmt;
use std::time::Duration;

/// One line of an iteration, as a client shows it.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Info {
    /// The iteration.
    pub depth: Depth,
    /// The length in plies of the longest line of this iteration; in Monte-Carlo tree search, of the search.
    pub seldepth: usize,
    /// The rank of the line, from 1.
    pub multipv: usize,
    /// The score for the side to move at the root; see [`Score`].
    pub score: Value,
    /// The kind of the score: exact, or a bound.
    pub bound: Bound,
    /// The number of nodes of all threads.
    pub nodes: u64,
    /// Nodes per second since `go`, pondering included.
    pub nps: u64,
    /// Use of the transposition table, per mille.
    pub hashfull: u32,
    /// The number of successful tablebase probes.
    pub tbhits: u64,
    /// The time since `go`.
    pub time: Duration,
    /// The principal variation: legal moves from the root.
    pub pv: Vec<Move>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BestMove {
    /// The move to play; `None` when there is none.
    pub best: Option<Move>,
    /// The expected reply, if the opponent moves next.
    pub ponder: Option<Move>,
    /// The score of the move for the side to move at the root.
    pub score: Value,
    /// The last finished iteration.
    pub depth: Depth,
    /// The number of nodes of all threads.
    pub nodes: u64,
}

/// A message of a running search.
///
/// [`Report::Done`] is the last one and comes once, unless the first thread fails: then the channel closes
/// after a note.
#[derive(Debug)]
pub enum Report {
    /// The lines of one iteration, best first: one, or as many as `MultiPV` sets. In a won game close to the
    /// draw by the move counter they are in the order in which the engine prefers them.
    Lines(Vec<Info>),
    /// The root move whose search begins; sent only after three seconds.
    Current {
        /// The iteration.
        depth: Depth,
        /// The move.
        current: Move,
        /// Its number, from 1.
        number: usize,
    },
    /// A note for the user.
    Note(SearchNote),
    /// The end.
    Done(BestMove),
}

/// A note of a search for the user. `Display` makes the sentence.
#[derive(Debug)]
pub enum SearchNote {
    /// A file of the tablebase is damaged; the search goes on without it.
    Damage(TablebaseError),
    /// The root is won, but every winning move draws at once.
    WinsDraw,
    /// The next take in a won game comes after the move counter has ended it.
    LateTake {
        /// The moves until the take.
        moves: u32,
        /// The limit of the move counter.
        limit: u32,
    },
    /// The win comes after the move counter has ended the game.
    LateWin {
        /// The moves until the win.
        moves: u32,
        /// The limit of the move counter.
        limit: u32,
    },
    /// The win comes late, and the time was too short to find the next take.
    PerhapsLate {
        /// The moves until the win.
        moves: u32,
        /// The limit of the move counter.
        limit: u32,
    },
    /// The root is won at an unknown distance, and the move counter ends the game in so many moves.
    CounterEndsIn(u32),
    /// The game is inside the certificate that the side to move never loses.
    Certified,
    /// The game is outside the certificate, or not known to be inside.
    ///
    /// The number is that of the turn of the side to move that left it; `None` if the game did not begin with
    /// a position that is known to belong to the certificate.
    NotCertified(Option<u32>),
    /// There is no certificate, for this reason: it is damaged, not there yet, or for other rules or the
    /// other side.
    NoCertificate(String),
    /// The certificate of the options is damaged, as this sentence says. The built-in one counts.
    CertificateFile(String),
    /// This search may leave the certificate that the one before followed.
    Unrestricted,
    /// The network of the rules is not there, for this reason: in browsers it has to be fetched. Another one
    /// counts, or the formula.
    NoNetwork(String),
    /// The game, with this value for the side to move, should be resigned.
    Resign(Value),
    /// A search thread ended early.
    ThreadFailed {
        /// The number of the thread, from 1.
        thread: usize,
        /// The error; `None` after a panic, whose message is on standard error.
        cause: Option<NetworkError>,
    },
    /// A search thread has no memory for its tables.
    NoThreadMemory {
        /// The number of the thread, from 1.
        thread: usize,
        /// The error.
        cause: MemoryError,
    },
}

impl fmt::Display for SearchNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let late = |f: &mut fmt::Formatter<'_>, event, moves, limit| {
            let needed = counted(moves, "move");
            let more = format!("more than the move counter of {limit} leaves");
            write!(f, "the {event} needs {needed}, {more}: the win may be drawn")
        };
        match *self {
            Self::Damage(ref error) => write!(f, "{error}"),
            Self::Certified => f.write_str("certified"),
            Self::NoCertificate(ref reason) => write!(f, "not certified: {reason}"),
            Self::CertificateFile(ref error) => f.write_str(error),
            Self::NoNetwork(ref reason) => write!(f, "the network of these rules is missing: {reason}"),
            Self::Unrestricted => f.write_str("not certified: this search is not bound to the certificate"),
            Self::NotCertified(None) => {
                f.write_str("not certified: unknown without the moves from the initial position")
            }
            Self::NotCertified(Some(turn)) => {
                write!(f, "not certified: turn {turn} of the side to move left the certificate")
            }
            Self::WinsDraw => f.write_str(
                "the position is won, but every winning move draws by the move counter or by repetition",
            ),
            Self::LateTake { moves, limit } => late(f, "next take", moves, limit),
            Self::LateWin { moves, limit } => late(f, "win", moves, limit),
            Self::PerhapsLate { moves, limit } => {
                let more = format!("more than the move counter of {limit} leaves without a take");
                write!(f, "the win needs {moves} moves, {more}: it may be drawn")
            }
            Self::CounterEndsIn(moves) => {
                let moves = counted(moves, "move");
                write!(
                    f,
                    "the position is won at an unknown distance, and the move counter draws it in {moves}"
                )
            }
            Self::Resign(value) => match Score::of(value) {
                Score::Mate(turns) => {
                    write!(f, "advice: resign, the game is lost in {}", counted(-turns, "turn"))
                }
                Score::Cp(_) if is_loss(value) => {
                    f.write_str("advice: resign, the game is lost by the tablebase")
                }
                Score::Cp(points) => {
                    write!(f, "advice: resign, the position is worth {points} hundredths of a man")
                }
            },
            Self::ThreadFailed { thread, cause: None } => {
                write!(f, "search thread {thread} failed: a bug of the engine")
            }
            Self::ThreadFailed { thread, cause: Some(ref cause) } => {
                write!(f, "search thread {thread} failed: {cause}")
            }
            Self::NoThreadMemory { thread, cause } => {
                write!(f, "search thread {thread} failed: no memory: {cause}")
            }
        }
    }
}

/// The middle of the scores of known wins without a distance: of moves that take a man, and of others. Takes
/// rank higher, since they reset the move counter.
const SHOWN_WINS: [Value; 2] = [29_700, 29_400];
/// The greatest distance from that middle.
const SHOWN_SPREAD: Value = 149;

/// Returns the score to show for a win that the tablebase knows without its distance, given what the search
/// found. A proven mate stays. A win that the search follows to another tablebase position loses one for each
/// change of side. Otherwise a quarter of the score of the search sorts the wins.
pub(super) fn shown_win(found: Value, takes: bool) -> Value {
    if found >= VALUE_MATE_IN_MAX {
        found
    } else if found >= VALUE_EVAL_MAX {
        found.clamp(SHOWN_WINS[0] + SHOWN_SPREAD + 1, VALUE_TB_WIN)
    } else {
        SHOWN_WINS[usize::from(!takes)] + (found / 4).clamp(-SHOWN_SPREAD, SHOWN_SPREAD)
    }
}

impl Info {
    /// Returns the value of the line: the score, without what orders known wins and losses.
    pub(crate) fn value(&self) -> Value {
        let highest = SHOWN_WINS[0] + SHOWN_SPREAD;
        match self.score {
            score if (VALUE_EVAL_MAX..=highest).contains(&score) => VALUE_TB_WIN,
            score if (-highest..=-VALUE_EVAL_MAX).contains(&score) => -VALUE_TB_WIN,
            score => score,
        }
    }
}

/// Waits for the end of a search, drops all other reports, and returns the result.
///
/// `None` if the sender is gone without one.
pub fn wait(reports: &Receiver<Report>) -> Option<BestMove> {
    while let Ok(report) = reports.recv() {
        if let Report::Done(best) = report {
            return Some(best);
        }
    }
    None
}

/// A value in the form that people and protocols read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Score {
    /// Hundredths of a man.
    Cp(i32),
    /// The mover wins (positive) or loses in this many of its own turns, never 0.
    Mate(i32),
}

impl Score {
    /// Converts a value. Mate distances count changes of side; every second one begins a turn of the mover.
    pub fn of(value: Value) -> Self {
        if value >= VALUE_MATE_IN_MAX {
            Self::Mate(((VALUE_MATE - value + 1) / 2).max(1))
        } else if value <= -VALUE_MATE_IN_MAX {
            Self::Mate(-((VALUE_MATE + value) / 2).max(1))
        } else {
            Self::Cp(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mate_in;

    #[test]
    fn results_pass_through_serde() {
        let best = BestMove { best: "a1-a4".parse().ok(), ponder: None, score: -12, depth: 7, nodes: 1_000 };
        let text = serde_json::to_string(&best).unwrap();
        assert_eq!(text, r#"{"best":"a1-a4","ponder":null,"score":-12,"depth":7,"nodes":1000}"#);
        assert_eq!(serde_json::from_str::<BestMove>(&text).unwrap(), best);
        let limits: crate::search::Limits = serde_json::from_str(r#"{"depth":3}"#).unwrap();
        assert_eq!((limits.depth, limits.nodes), (Some(3), None));
    }

    #[test]
    fn known_wins_are_shown_above_evaluations_and_below_mates_in_the_order_of_the_search() {
        let found =
            [-28_999, -500, 0, 40, 28_999, VALUE_TB_WIN - 400, VALUE_TB_WIN - 3, mate_in(40), mate_in(7)];
        for takes in [false, true] {
            let shown = found.map(|found| shown_win(found, takes));
            assert!(shown.is_sorted(), "{shown:?}");
            assert!(shown[..7].iter().all(|s| (VALUE_EVAL_MAX..VALUE_MATE_IN_MAX).contains(s)), "{shown:?}");
            assert_eq!(shown[7..], [mate_in(40), mate_in(7)]);
        }
        assert!(shown_win(28_999, false) < shown_win(-28_999, true), "takes go first");
        assert!(shown_win(28_999, true) < shown_win(VALUE_TB_WIN - 900, false));
    }

    #[test]
    fn the_value_of_a_line_is_that_of_the_tablebase() {
        let line = |score| Info {
            depth: 1,
            seldepth: 1,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            nps: 0,
            hashfull: 0,
            tbhits: 0,
            time: Duration::ZERO,
            pv: Vec::new(),
        };
        for found in [-900, 0, 31, 5_000] {
            assert_eq!(line(shown_win(found, true)).value(), VALUE_TB_WIN);
            assert_eq!(line(-shown_win(found, false)).value(), -VALUE_TB_WIN);
        }
        for score in [0, 28_000, VALUE_TB_WIN - 7, 7 - VALUE_TB_WIN, mate_in(9)] {
            assert_eq!(line(score).value(), score);
        }
    }
}
