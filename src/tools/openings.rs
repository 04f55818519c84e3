//! `openings`: makes suites of balanced openings, no two of them symmetric.

use super::arguments::{expected, number, output_file, pair};
use super::error::{Place, ToolError};
use super::exact_values;
use super::files::{check_stdout, check_writable, write_out};
use super::progress::Bar;
use super::searcher::Searcher;
use crate::platform::text::counted;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::limits::Limits;
use crate::tablebase::{Tablebase, Wdl};
use crate::types::{Color, Depth, Move, MoveKind, Value, is_decisive};
use clap::Args;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The settings of a suite of openings.
#[derive(Clone, Debug, Args)]
pub(crate) struct OpeningSettings {
    /// Rules of the openings.
    #[command(flatten)]
    rules: Rules,
    /// Number of openings, from 1 to 1000000; if fewer can be found, none is written
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = number::<u32>(1..=1_000_000))]
    count: u32,
    /// Fewest and most placings of an opening; at most one for each man, 18 in nine [default: 2-10]
    #[arg(long, value_name = "MIN-MAX", value_parser = parse_range, allow_hyphen_values = true)]
    plies: Option<RangeInclusive<u32>>,
    /// Depth of the search that judges an opening if no tablebase does, from 1 to 60
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = number::<Depth>(1..=60))]
    #[arg(conflicts_with = "tablebases")]
    depth: Depth,
    /// Largest value of a balanced opening by search, from 0 to 1000 hundredths of a man
    #[arg(long, value_name = "CP", default_value_t = 30, conflicts_with = "tablebases")]
    #[arg(value_parser = number::<Value>(0..=1_000))]
    balance: Value,
    /// Only openings in which at most this percentage of the moves keeps the draw; needs --tablebase
    #[arg(long, value_name = "PERCENT", requires = "tablebases")]
    #[arg(value_parser = number::<u8>(1..=100))]
    hard: Option<u8>,
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Folder of tablebase files that judge the openings, in place of a search; may be given several times
    #[arg(long = "tablebase", alias = "tables", value_name = "FOLDER")]
    tablebases: Vec<PathBuf>,
    /// File to write when all openings are found; a run that is killed before writes none [default: standard
    /// output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

impl OpeningSettings {
    /// Returns the fewest and the most placings of an opening.
    fn plies(&self) -> RangeInclusive<u32> {
        self.plies.clone().unwrap_or(2..=most_placings(&self.rules).min(10))
    }
}

/// Reads the fewest and the most placings, as `2-10`.
fn parse_range(text: &str) -> Result<RangeInclusive<u32>, ToolError> {
    match pair(text, '-') {
        Some((least, most)) if 0 < least && least <= most => Ok(least..=most),
        _ => Err(expected("two numbers from 1 on such as 2-10, the smaller one first")),
    }
}

/// The built-in suites: the rules, and a text with one opening on each line.
static BUILT_IN: &[(Rules, &str)] = &[
    (Rules::NINE, include_str!("../../data/openings/nine.txt")),
    (Rules::NO_FLYING, include_str!("../../data/openings/no-flying.txt")),
    (Rules::TEN_MEN, include_str!("../../data/openings/ten-men.txt")),
    (Rules::TWELVE, include_str!("../../data/openings/twelve.txt")),
    (Rules::MORABARABA, include_str!("../../data/openings/morabaraba.txt")),
    (Rules::MORABARABA_FREE, include_str!("../../data/openings/morabaraba-free.txt")),
    (Rules::DOOZ, include_str!("../../data/openings/dooz.txt")),
    (Rules::LASKER, include_str!("../../data/openings/lasker.txt")),
    (Rules::RUSSIAN, include_str!("../../data/openings/russian.txt")),
    (Rules::CHAM_GONU, include_str!("../../data/openings/cham-gonu.txt")),
    (Rules::ZHI_QI, include_str!("../../data/openings/zhi-qi.txt")),
    (Rules::CHENG_SAN_QI, include_str!("../../data/openings/cheng-san-qi.txt")),
    (Rules::DA_SAN_QI, include_str!("../../data/openings/da-san-qi.txt")),
    (Rules::MUL_MULAN, include_str!("../../data/openings/mul-mulan.txt")),
    (Rules::NERENCHI, include_str!("../../data/openings/nerenchi.txt")),
    (Rules::EL_FILJA, include_str!("../../data/openings/el-filja.txt")),
];

/// Returns the built-in suite of a rule set as a token list.
pub(crate) fn built_in(rules: &Rules) -> Option<&'static str> {
    BUILT_IN.iter().find(|(of, _)| of == rules).map(|&(_, text)| text)
}

/// Returns the most placings of a game under these rules; there are fewer where mills take from the hand.
pub(crate) fn most_placings(rules: &Rules) -> u32 {
    2 * u32::from(rules.pieces_count)
}

/// Finds openings and writes them.
///
/// # Errors
/// If an opening may have more placings than the rules allow, there are fewer openings than `count`, or the
/// file cannot be written.
pub(crate) fn run(args: &OpeningSettings) -> Result<(), ToolError> {
    let most = most_placings(&args.rules);
    let longest = *args.plies().end();
    if longest > most {
        let (place, expected) = (Place::Argument("--plies"), format!("at most {most} placings"));
        return Err(ToolError::unexpected(place, longest.to_string(), expected));
    }
    args.output.as_deref().map_or_else(check_stdout, check_writable)?;
    let exact = exact_values::open_folders(&args.tablebases, &args.rules)?;
    let mut text = format!("# Openings of {}, ", args.rules);
    let found = match &exact {
        Some(exact) => {
            text += "draws by exact value";
            if let Some(percent) = args.hard {
                // Writing to a string cannot fail.
                let _ = write!(text, ", with at most {percent} % of the moves keeping the draw");
            }
            find(args, &mut |pos| is_drawn(exact, pos, args.hard))?
        }
        None => {
            let _ = write!(text, "balanced within {} hundredths of a man", args.balance);
            let _ = write!(text, " by a search of depth {}", args.depth);
            let mut searcher = Searcher::new(1, 16)?;
            find(args, &mut |pos| is_balanced(&mut searcher, pos, args))?
        }
    };
    let _ = writeln!(text, ".\n# Made by: {}", command(args));
    for opening in &found {
        let words: Vec<String> = opening.iter().map(Move::to_string).collect();
        let _ = writeln!(text, "{}", words.join(" "));
    }
    write_out(args.output.as_ref(), &text)
}

/// Returns the command that makes the same suite again.
fn command(args: &OpeningSettings) -> String {
    let plies = args.plies();
    let mut command = format!(
        "millstone openings --rules {} --count {} --plies {}-{} --seed {}",
        args.rules.describe(),
        args.count,
        plies.start(),
        plies.end(),
        args.seed
    );
    // Writing to a string cannot fail.
    let _ = match (args.tablebases.is_empty(), args.hard) {
        (true, _) => write!(command, " --depth {} --balance {}", args.depth, args.balance),
        (false, None) => write!(command, " --tablebase FOLDER"),
        (false, Some(percent)) => write!(command, " --tablebase FOLDER --hard {percent}"),
    };
    command
}

/// Returns true if a search finds the position balanced.
fn is_balanced(searcher: &mut Searcher, pos: &Position, args: &OpeningSettings) -> Result<bool, ToolError> {
    searcher.clear();
    let limits = Limits { depth: Some(args.depth), ..Limits::default() };
    let (best, _) = searcher.search(pos, limits)?;
    Ok(!is_decisive(best.score) && best.score.abs() <= args.balance)
}

/// Returns true if the position is a draw by exact value and, with `hard`, few enough moves keep the draw.
fn is_drawn(exact: &Tablebase, pos: &Position, hard: Option<u8>) -> Result<bool, ToolError> {
    let unknown = || ToolError::result_missing(pos);
    let value = exact.probe(pos)?.ok_or_else(unknown)?;
    let Some(percent) = hard.filter(|_| value == Wdl::Draw) else { return Ok(value == Wdl::Draw) };
    let values = exact.move_results(pos)?.ok_or_else(unknown)?;
    let keeping = values.iter().filter(|&&(_, value)| value == Wdl::Draw).count();
    Ok(keeping * 100 <= values.len() * usize::from(percent))
}

/// Returns `count` random openings that `judge` accepts.
fn find(
    args: &OpeningSettings,
    judge: &mut dyn FnMut(&Position) -> Result<bool, ToolError>,
) -> Result<Vec<Vec<Move>>, ToolError> {
    let mut random = StdRng::seed_from_u64(args.seed);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut fruitless = 0;
    let lengths = args.plies();
    let bar = Bar::new(args.count as usize);
    while found.len() < args.count as usize {
        // There are few short openings: after this many tries without a new one, assume that all have been
        // found.
        if fruitless > 20_000 {
            let found = format!("only {}", counted(found.len(), "opening"));
            let expected = format!("{}: ask for fewer, longer or less balanced ones", args.count);
            return Err(ToolError::unexpected(Place::Job, found, expected));
        }
        fruitless += 1;
        let plies = random.random_range(lengths.clone());
        let Some((moves, pos)) = random_placings(&args.rules, plies, &mut random) else { continue };
        if !seen.insert(pos.canonical_men()) {
            continue;
        }
        if judge(&pos)? {
            fruitless = 0;
            found.push(moves);
            let done = found.len();
            bar.show_every(Bar::INTERVAL, done, || format!("{done} of {}", counted(args.count, "opening")));
        }
    }
    Ok(found)
}

/// Returns `plies` random placings and the position after them; `None` if a placing would close a mill or
/// take a man.
fn random_placings(rules: &Rules, plies: u32, random: &mut StdRng) -> Option<(Vec<Move>, Position)> {
    let mut pos = Position::new(rules);
    let mut moves = Vec::new();
    for ply in 0..plies {
        let side = if ply % 2 == 0 { Color::White } else { Color::Black };
        let mut list = pos.legal_moves().to_vec();
        list.retain(|m| m.kind() == MoveKind::Place && !pos.compiled().closes_mill(pos.men(side), m.to()));
        if list.is_empty() {
            return None;
        }
        let m = list[random.random_range(0..list.len())];
        pos.do_move(m);
        moves.push(m);
        if pos.outcome().is_over() || pos.is_take_due() || pos.side_to_move() == side {
            return None;
        }
    }
    Some((moves, pos))
}

#[cfg(test)]
mod tests {
    use crate::record::{self, ReadOptions};
    use crate::rules::NAMED;

    use super::*;
    use crate::bitboard::{SYMMETRIES, transform_square};
    use crate::notation;

    #[test]
    fn built_in_suites_hold_legal_openings_without_doubles() {
        assert!(NAMED.iter().all(|row| built_in(&row.rules).is_some()));
        for &(rules, text) in BUILT_IN {
            let name = &rules.describe();
            assert_eq!(built_in(&rules), Some(text));
            let options = ReadOptions { rules: Some(rules), ..ReadOptions::default() };
            let reading = record::read(name, text, &options);
            assert!(reading.errors.is_empty(), "{:?}", reading.errors);
            assert!(reading.games.len() >= 200, "{name}");
            let mut seen = HashSet::new();
            for game in reading.games {
                let mut pos = game.start_position().unwrap();
                game.moves().for_each(|m| pos.do_move(m));
                assert!(seen.insert(pos.canonical_men()), "{name}: {}", game.to_tokens());
            }
        }
        assert!(built_in(&Rules::PRESETS[3]).is_none());
    }

    #[test]
    fn openings_are_balanced_and_no_two_are_symmetric() {
        let args = OpeningSettings {
            rules: Rules::NINE,
            count: 60,
            plies: Some(2..=6),
            depth: 2,
            balance: 50,
            hard: None,
            seed: 7,
            tablebases: Vec::new(),
            output: None,
        };
        let mut asked = 0;
        let found = find(&args, &mut |_| {
            asked += 1;
            Ok(asked % 3 != 0)
        })
        .unwrap();
        assert_eq!(found.len(), 60);
        let mut seen = HashSet::new();
        for moves in &found {
            assert!((2..=6).contains(&moves.len()));
            let mut pos = Position::new(&args.rules);
            for &m in moves {
                pos.do_move(notation::parse(&pos, &m.to_string()).unwrap());
            }
            assert!(seen.insert(pos.canonical_men()));
            for symmetry in 0..SYMMETRIES {
                let mut turned = Position::new(&args.rules);
                moves.iter().for_each(|m| turned.do_move(Move::place(transform_square(m.to(), symmetry))));
                assert_eq!(turned.canonical_men(), pos.canonical_men());
            }
        }
        let long = |rules| {
            run(&OpeningSettings { rules, plies: Some(1..=25), ..args.clone() }).unwrap_err().to_string()
        };
        assert_eq!(long(Rules::NINE), "--plies: found 25, expected at most 18 placings");
        assert_eq!(long(Rules::LASKER), "--plies: found 25, expected at most 20 placings");
        let few = OpeningSettings { count: 100, plies: Some(1..=1), ..args };
        let why = find(&few, &mut |_| Ok(true)).unwrap_err();
        assert!(why.to_string().starts_with("found only 4 openings, expected 100"), "{why}");
    }
}
