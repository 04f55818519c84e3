//! `suite`: positions with the exact value of every move, for measuring accuracy. They come from random games
//! of players that know the tablebase, so that they look like those of real games. The file is compressed
//! text.

use super::arguments::number;
use super::error::{InputFault, Place, ToolError};
use super::exact_values::{self, best};
use super::files::{LONGEST_GAMES, check_writable, eprint_line, write_file};
use super::progress::Bar;
use crate::platform::files::read_whole;
use crate::platform::text::{counted, quoted, without_mark};
use crate::position::{Phase, Position};
use crate::rules::Rules;
use crate::tablebase::{Tablebase, TablebaseError, Wdl};
use crate::types::{Color, Move};
use clap::Args;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// The settings of a suite.
#[derive(Clone, Debug, Args)]
pub(crate) struct SuiteSettings {
    /// Rules of the positions.
    #[command(flatten)]
    rules: Rules,
    /// Number of positions, from 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    #[arg(value_parser = number::<u32>(1..=1_000_000))]
    count: u32,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Folder of tablebase files that hold every position of the games; may be given several times
    #[arg(long = "tablebase", required = true, alias = "tables", value_name = "FOLDER")]
    tablebases: Vec<PathBuf>,
    /// File to write when all positions are found; a run that is killed before writes none
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// The stage of the game that a position belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GameStage {
    /// A man is placed.
    Placing,
    /// Men slide.
    Moving,
    /// The side to move flies.
    Flying,
    /// A man is taken.
    Taking,
}

impl GameStage {
    /// All stages, in the order of the game.
    pub(crate) const ALL: [Self; 4] = [Self::Placing, Self::Moving, Self::Flying, Self::Taking];

    /// Returns the stage of a position that is not over.
    pub(crate) fn of(pos: &Position) -> Self {
        match pos.phase() {
            _ if pos.is_take_due() => Self::Taking,
            Phase::Moving if pos.can_fly(pos.side_to_move()) => Self::Flying,
            Phase::Moving => Self::Moving,
            _ => Self::Placing,
        }
    }

    /// Returns its name in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Placing => "placing",
            Self::Moving => "moving",
            Self::Flying => "flying",
            Self::Taking => "taking",
        }
    }
}

/// A position of a suite.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SuitePosition {
    /// Its position text.
    pub fen: String,
    /// Its legal moves, sorted by their text, with their values for the side that makes them.
    pub moves: Vec<(Move, Wdl)>,
}

/// The built-in suites: the rules, and the file.
static BUILT_IN: &[(Rules, &[u8])] = &[
    (Rules::NINE, include_bytes!("../../data/accuracy/nine.txt.zst")),
    (Rules::NO_FLYING, include_bytes!("../../data/accuracy/no-flying.txt.zst")),
    (Rules::TEN_MEN, include_bytes!("../../data/accuracy/ten-men.txt.zst")),
    (Rules::TWELVE, include_bytes!("../../data/accuracy/twelve.txt.zst")),
    (Rules::MORABARABA_FREE, include_bytes!("../../data/accuracy/morabaraba-free.txt.zst")),
    (Rules::MORABARABA, include_bytes!("../../data/accuracy/morabaraba.txt.zst")),
    (Rules::EL_FILJA, include_bytes!("../../data/accuracy/el-filja.txt.zst")),
    (Rules::LASKER, include_bytes!("../../data/accuracy/lasker.txt.zst")),
    (Rules::NERENCHI, include_bytes!("../../data/accuracy/nerenchi.txt.zst")),
    (Rules::MUL_MULAN, include_bytes!("../../data/accuracy/mul-mulan.txt.zst")),
    (Rules::DOOZ, include_bytes!("../../data/accuracy/dooz.txt.zst")),
];

/// Returns the built-in suite of a rule set, a file for [`Suite::read`].
pub(crate) fn built_in(rules: &Rules) -> Option<&'static [u8]> {
    BUILT_IN.iter().find(|(of, _)| of == rules).map(|&(_, bytes)| bytes)
}

/// Returns the built-in suite of a game, whatever draws by counters it has.
pub(crate) fn built_in_of_game(rules: &Rules) -> Option<&'static [u8]> {
    BUILT_IN.iter().find(|(of, _)| of.fingerprint() == rules.fingerprint()).map(|&(_, bytes)| bytes)
}

/// A suite in memory.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// The rules of its positions.
    pub rules: Rules,
    /// The positions.
    pub entries: Vec<SuitePosition>,
}

const FIRST_WORDS: &str = "# Accuracy suite, rules ";

/// Returns the legal moves of a position in the order of their text.
fn sorted_moves(pos: &Position) -> Vec<Move> {
    let mut list = pos.legal_moves().to_vec();
    list.sort_by_key(Move::to_string);
    list
}

impl Suite {
    /// Reads a suite, compressed or not.
    ///
    /// # Errors
    /// If a line cannot be read, which the error names, or there is no position.
    pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Self, ToolError> {
        const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
        let file = Path::new(name);
        let unpacked;
        let bytes = if bytes.starts_with(&ZSTD) {
            let decoder = zstd::Decoder::with_buffer(bytes);
            let decoded = decoder.and_then(|decoder| read_whole(decoder, LONGEST_GAMES, 0));
            let no_suite =
                |why: io::Error| io::Error::new(why.kind(), format!("expected a whole suite: {why}"));
            unpacked = decoded.map_err(no_suite).map_err(ToolError::io(file))?;
            &unpacked
        } else {
            bytes
        };
        let text =
            std::str::from_utf8(bytes).map_err(|_| ToolError::unexpected(file, "no text", "a suite"))?;
        let mut lines = without_mark(text).lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let place = Place::Line(file.to_owned(), 1);
        let Some(rules) = first.strip_prefix(FIRST_WORDS) else {
            let expected = format!("the header '{FIRST_WORDS}NAME'");
            return Err(ToolError::unexpected(place, quoted(first), expected));
        };
        let rules = Rules::parse(rules)
            .map_err(|cause| ToolError::input(place)(InputFault::SuiteHead { words: FIRST_WORDS, cause }))?;
        let mut entries = Vec::new();
        for (index, line) in lines {
            let place = Place::Line(file.to_owned(), index + 1);
            if line.starts_with(FIRST_WORDS) {
                return Err(ToolError::unexpected(
                    place,
                    "the header of another suite",
                    "one suite in a file",
                ));
            }
            if !line.is_empty() && !line.starts_with('#') {
                entries.push(read_entry(&rules, line, &place)?);
            }
        }
        if entries.is_empty() {
            return Err(ToolError::unexpected(file, "no position", "at least one"));
        }
        Ok(Self { rules, entries })
    }
}

fn read_entry(rules: &Rules, line: &str, place: &Place) -> Result<SuitePosition, ToolError> {
    let parts = line.split_once(' ').ok_or(InputFault::SuiteLine);
    let (letters, fen) = parts.map_err(ToolError::input(place.clone()))?;
    let pos = Position::from_fen(rules, fen).map_err(ToolError::input(place.clone()))?;
    let moves = sorted_moves(&pos);
    if letters.len() != moves.len() {
        let found = counted(letters.len(), "value");
        return Err(ToolError::unexpected(
            place.clone(),
            found,
            format!("one for each of {}", counted(moves.len(), "move")),
        ));
    }
    let value = |c: char| match c {
        'W' => Ok(Wdl::Win),
        'D' => Ok(Wdl::Draw),
        'L' => Ok(Wdl::Loss),
        _ => Err(ToolError::unexpected(place.clone(), format!("'{c}'"), "W, D or L")),
    };
    let values = letters.chars().map(value).collect::<Result<Vec<Wdl>, ToolError>>()?;
    if values.iter().all(|&value| value == Wdl::Loss) {
        let expected = "a move that wins or draws";
        return Err(ToolError::unexpected(place.clone(), "only moves that lose", expected));
    }
    Ok(SuitePosition { fen: fen.to_owned(), moves: moves.into_iter().zip(values).collect() })
}

/// Makes a suite and writes it.
///
/// # Errors
/// If a tablebase file is missing, or the suite cannot be written.
pub(crate) fn run(args: &SuiteSettings) -> Result<(), ToolError> {
    check_writable(&args.output)?;
    let exact = exact_values::open_folders(&args.tablebases, &args.rules)?;
    let option = "--tablebase with a folder of tablebase files";
    let exact = exact.ok_or(ToolError::Needs { choice: "a suite", option })?;
    let entries = make(args, &exact)?;
    let mut text = format!("{FIRST_WORDS}{}\n", args.rules.describe());
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "# Made by: millstone suite --rules {} --count {} --seed {} --tablebase FOLDER --output FILE",
        args.rules.describe(),
        args.count,
        args.seed
    );
    text += "# A line: the values of the legal moves, sorted by their text, for the side that makes them; \
        the position.\n";
    for SuitePosition { fen, moves } in &entries {
        let letters: String = moves.iter().map(|(_, value)| value.letter()).collect();
        let _ = writeln!(text, "{letters} {fen}");
    }
    let packed = zstd::encode_all(text.as_bytes(), 19).map_err(ToolError::io(Place::Job))?;
    write_file(&args.output, &packed)?;
    eprint_line(format_args!("{} in {}", counted(entries.len(), "position"), counted(packed.len(), "byte")));
    Ok(())
}

/// Returns the bucket of a position: stage, number of men placed or left, and side to move.
fn bucket(pos: &Position) -> (GameStage, u32, Color) {
    let stage = GameStage::of(pos);
    let men = match stage {
        GameStage::Placing => pos.men_in_hand(),
        _ => Color::ALL.iter().map(|&c| pos.material(c)).sum(),
    };
    (stage, men, pos.side_to_move())
}

fn make(args: &SuiteSettings, exact: &Tablebase) -> Result<Vec<SuitePosition>, ToolError> {
    let mut random = StdRng::seed_from_u64(args.seed);
    let mut seen = HashSet::new();
    let mut full: BTreeMap<(GameStage, u32, Color), u32> = BTreeMap::new();
    let mut entries = Vec::new();
    // Rare buckets fill slowly, so each of the seventy or so buckets may hold up to a twenty-fifth of the
    // suite.
    let most = (args.count / 25).max(1);
    let mut games: u64 = 0;
    let bar = Bar::new(args.count as usize);
    while entries.len() < args.count as usize {
        games += 1;
        if games > 1_000 + 200 * u64::from(args.count) {
            let found = format!("only {}", counted(entries.len(), "position"));
            return Err(ToolError::unexpected(Place::Job, found, args.count.to_string()));
        }
        let mut pos = Position::new(&args.rules);
        // The skill of both sides in this game, from nearly random to nearly perfect.
        let care: f64 = random.random();
        // Neighbouring positions of a game are too similar, so some plies are skipped.
        let mut pick = random.random_range(0..24);
        for ply in 0..120 {
            if pos.outcome().is_over() || pos.legal_moves().is_empty() {
                break;
            }
            if ply == pick {
                pick += random.random_range(8..32);
                let count = full.entry(bucket(&pos)).or_default();
                if *count < most
                    && let Some(entry) = test(exact, &pos)?
                    && seen.insert(canonical(&pos))
                {
                    *count += 1;
                    entries.push(entry);
                    let done = entries.len();
                    bar.show_every(Bar::INTERVAL, done, || {
                        format!(
                            "{done} of {} after {}",
                            counted(args.count, "position"),
                            counted(games, "game")
                        )
                    });
                }
                if entries.len() == args.count as usize {
                    break;
                }
            }
            let m = if random.random_bool(care) {
                let values = exact.move_results(&pos)?.ok_or_else(|| ToolError::result_missing(&pos))?;
                let Some((_, keeping)) = best(&values) else { break };
                keeping.choose(&mut random).copied()
            } else {
                pos.legal_moves().choose(&mut random).copied()
            };
            let Some(m) = m else { break };
            pos.do_move(m);
        }
    }
    Ok(entries)
}

/// Returns a position as a suite holds it; `None` if all moves have the same value.
///
/// The values are those of the position text, which has no history: in the game a move may be a draw by
/// repetition.
fn test(exact: &Tablebase, pos: &Position) -> Result<Option<SuitePosition>, TablebaseError> {
    let mut plain = pos.clone();
    plain.forget_history();
    let Some(mut moves) = exact.move_results(&plain)? else { return Ok(None) };
    moves.sort_by_key(|(m, _)| m.to_string());
    let is_test = moves.iter().any(|&(_, value)| value != moves[0].1);
    Ok(is_test.then(|| SuitePosition { fen: plain.fen(), moves }))
}

/// Returns a key that symmetric positions with the same hands and the same side to move share.
fn canonical(pos: &Position) -> (u64, [u32; 2], Color, bool) {
    (pos.canonical_men(), Color::ALL.map(|c| pos.hand(c)), pos.side_to_move(), pos.is_take_due())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_read_and_broken_lines_named() {
        let start = Position::new(&Rules::NINE).fen();
        let good = format!("{FIRST_WORDS}nine\n# made by hand\n{} {start}\n", "D".repeat(24));
        let suite = Suite::read("s", good.as_bytes()).unwrap();
        assert_eq!((suite.entries.len(), suite.entries[0].moves.len()), (1, 24));
        assert_eq!(suite.entries[0].moves[0].0.to_string(), "a1");
        let marked = format!("\u{feff}{good}");
        assert_eq!(Suite::read("s", marked.as_bytes()).unwrap().entries, suite.entries);
        let packed = zstd::encode_all(good.as_bytes(), 1).unwrap();
        assert_eq!(Suite::read("s", &packed).unwrap().entries, suite.entries);
        for (bad, why) in [
            (String::new(), "s: line 1: found nothing, expected the header '# Accuracy suite, rules NAME'"),
            (
                "some".to_owned(),
                "s: line 1: found 'some', expected the header '# Accuracy suite, rules NAME'",
            ),
            (
                good.replace("nine", "none"),
                "s: line 1: expected '# Accuracy suite, rules NAME': no such rule",
            ),
            (format!("{FIRST_WORDS}nine\n"), "s: found no position, expected at least one"),
            (good.replace("DDDD ", "DDD "), "s: line 3: found 23 values, expected one for each of 24 moves"),
            (good.replace("DDDD ", "DDDX "), "s: line 3: found 'X', expected W, D or L"),
            (good.replace('D', "L"), "s: line 3: found only moves that lose, expected a move that wins"),
            (good.replace("********/", "*******/"), "s: line 3: field 1"),
            (good.repeat(2), "s: line 4: found the header of another suite, expected one suite in a file"),
        ] {
            let found = Suite::read("s", bad.as_bytes()).unwrap_err().to_string();
            assert!(found.starts_with(why), "{found}");
        }
        let found = Suite::read("s", &packed[..20]).unwrap_err().to_string();
        assert_eq!(found, "s: expected a whole suite: incomplete frame");
    }

    #[test]
    fn built_in_suites_are_found_by_their_rules_and_hold_values_that_differ() {
        for &(rules, bytes) in BUILT_IN {
            let name = &rules.describe();
            assert_eq!(built_in(&rules), Some(bytes));
            let suite = Suite::read(name, bytes).unwrap();
            assert_eq!(suite.rules, rules);
            assert!(suite.entries.len() >= 5_000, "{name}");
            let differs = |entry: &SuitePosition| entry.moves.iter().any(|m| m.1 != entry.moves[0].1);
            assert!(suite.entries.iter().all(differs), "{name}");
        }
    }

    #[test]
    fn values_are_those_of_a_position_without_a_past() {
        let exact = exact_values::built_in(&Rules::NINE).unwrap().unwrap();
        let text = "O*******/**@****O/O***@@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let mut pos = Position::from_fen(&Rules::NINE, text).unwrap();
        let mut differed = false;
        for text in ["d5-c5", "f4-e4", "c5-d5", "e4-f4"].repeat(3) {
            let Some(mut in_game) = exact.move_results(&pos).unwrap() else { break };
            in_game.sort_by_key(|(m, _)| m.to_string());
            if let Some(entry) = test(&exact, &pos).unwrap() {
                let read = Position::from_fen(&Rules::NINE, &entry.fen).unwrap();
                assert_eq!(test(&exact, &read).unwrap().as_ref(), Some(&entry));
                differed |= in_game != entry.moves;
            }
            pos.do_move(crate::notation::parse(&pos, text).unwrap());
        }
        assert!(differed, "a repetition is a draw in the game alone");
    }
}
