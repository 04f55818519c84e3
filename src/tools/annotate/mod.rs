//! `annotate`: the value of each move of a recorded game, exact if a tablebase holds it, by search
//! elsewhere.

mod earlier;
mod judgement;
mod page;

pub(super) use judgement::{TurnValue, mark_sign, score_for_white};

use super::arguments::{RecordRulesArg, number, output_file};
use super::error::{Place, ToolError};
use super::exact_values::{self, best};
use super::files::{
    check_kept, check_other, check_stdout, check_writable, eprint_line, read_games, report_faults,
    write_file, write_out,
};
use super::progress::Bar;
use super::searcher::Searcher;
use crate::platform::text::{append, counted};
use crate::position::Position;
use crate::record::{self, Builder, GameRecord, ReadOptions, Reading, Turn};
use crate::rules::Rules;
use crate::search::Score;
use crate::search::limits::Limits;
use crate::tablebase::{Tablebase, TablebaseError, Wdl};
use crate::types::{Color, Move, Value, is_decisive, is_loss, is_win};
use clap::Args;
use earlier::{BETTER, SUMMARY};
use judgement::{Judgement, decided};
use std::path::PathBuf;

/// The settings of an annotation.
#[derive(Clone, Debug, Args)]
pub(crate) struct AnnotateSettings {
    /// File with recorded games; - for standard input
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Nodes of each search; positions in the tablebase need none
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = number(1..=u64::MAX))]
    nodes: u64,
    #[command(flatten)]
    rules: RecordRulesArg,
    /// Folder of tablebase files with exact values, in place of the built-in ones; may be given several times
    #[arg(long = "tablebase", alias = "tables", value_name = "FOLDER")]
    tablebases: Vec<PathBuf>,
    /// File to write the games to when all are annotated; a run that is killed before writes none [default:
    /// standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
    /// Write the games as one page, with boards, a curve and the value of every move; the arrow keys replay a
    /// game, and nothing is loaded from the internet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Let the output replace a record that has broken games, which are lost
    #[arg(long)]
    force: bool,
    /// Print players, summaries and White's expected score after each turn as JSON; needs --output or --html
    #[arg(long)]
    json: bool,
}

/// A move that loses at least this much by search, in hundredths of a man, is a mistake.
const MISTAKE: Value = 100;
/// A move that loses at least this much is a blunder.
const BLUNDER: Value = 300;

/// The counts of moves that keep the value.
#[derive(Clone, Copy, Default)]
pub(super) struct KeptCounts {
    pub(super) kept: u32,
    pub(super) all: u32,
    exact: u32,
}

/// The judgement of a turn.
pub(super) struct TurnJudgement {
    /// Its value and its mark.
    pub(super) value: TurnValue,
    /// The bracket command with the value of its last move.
    command: String,
    /// The number of moves before its worst mistake, and a better line from there.
    pub(super) better: Option<(usize, Vec<Move>)>,
}

/// Annotates all games of a file. Returns true if all of them could be read.
///
/// # Errors
/// If a file cannot be read or written, or a tablebase file is damaged; if no game can be read, or the output
/// would replace a record with broken games. Nothing is written then.
pub(crate) fn run(args: &AnnotateSettings) -> Result<bool, ToolError> {
    if args.json && args.output.is_none() && args.html.is_none() {
        return Err(ToolError::Needs { choice: "--json", option: "--output or --html for the games" });
    }
    // Without a page the games go to standard output.
    let is_printed = args.output.is_some() || args.html.is_none();
    for path in args.output.iter().chain(&args.html) {
        check_writable(path)?;
    }
    if args.json || (is_printed && args.output.is_none()) {
        check_stdout()?;
    }
    if let Some(page) = &args.html {
        let expected = "another file for the page";
        check_other(page, Some(&args.record), "the record", expected)?;
        check_other(page, args.output.as_deref(), "the file for the games", expected)?;
    }
    let options = ReadOptions { rules: args.rules.rules, ..ReadOptions::default() };
    let reading = read_games(&args.record, &options)?;
    report_faults(&reading);
    let Reading { games, errors, .. } = reading;
    if !args.force {
        check_kept(&args.record, args.output.as_deref(), errors.len())?;
    }
    if games.is_empty() {
        return Err(ToolError::NoGame);
    }
    let tablebases = tablebases_for(&games, &args.tablebases)?;
    let count = games.len();
    let bar = Bar::new(count);
    let mut searcher = Searcher::new(1, 16)?;
    let mut text = String::new();
    let mut pages = Vec::new();
    let mut summaries = Vec::new();
    for (number, game) in games.into_iter().enumerate() {
        bar.show(number, true, || format!("game {} of {count}", number + 1));
        let exact = tablebases.iter().find(|(rules, _)| *rules == game.rules);
        let exact = exact.and_then(|(_, exact)| exact.as_ref());
        let note = |line: &str| bar.note(line);
        let (annotated, summary, values) = annotate(game, exact, &mut searcher, args.nodes, note)?;
        if is_printed {
            append(&mut text, annotated.to_pgn());
        }
        if args.html.is_some() {
            pages.push(page::section(&annotated, &values)?);
        }
        if args.json {
            summaries.push(json(&annotated, summary, &values));
        }
    }
    if let Some(path) = &args.html {
        write_file(path, page::page(&pages).as_bytes())?;
    }
    if is_printed {
        write_out(args.output.as_ref(), &text)?;
    }
    if args.json {
        write_out(None, &format!("{}\n", serde_json::Value::from(summaries)))?;
    }
    Ok(errors.is_empty())
}

/// Returns what `--json` tells about a game.
fn json(game: &GameRecord, kept: [KeptCounts; 2], values: &[TurnValue]) -> serde_json::Value {
    let [white, black] = kept.map(
        |KeptCounts { kept, all, exact }| serde_json::json!({ "kept": kept, "moves": all, "exact": exact }),
    );
    let names = ["White", "Black"].map(|tag| page::player_name(game, tag));
    let white_points: Vec<f64> = values.iter().map(|value| value.points).collect();
    serde_json::json!({ "players": names, "white": white, "black": black, "white_points": white_points })
}

/// Returns the rules of these games, each with its tablebase: from the folders, or else the built-in one.
///
/// Notes tell for which rules the folders hold nothing.
///
/// # Errors
/// If a folder cannot be read, or the folders hold nothing for any of the games.
fn tablebases_for(
    games: &[GameRecord],
    folders: &[PathBuf],
) -> Result<Vec<(Rules, Option<Tablebase>)>, ToolError> {
    let mut tablebases: Vec<(Rules, Option<Tablebase>)> = Vec::new();
    let mut missing = Vec::new();
    for GameRecord { rules, .. } in games {
        if tablebases.iter().any(|(known, _)| known == rules) {
            continue;
        }
        let exact = match exact_values::open_folders(folders, rules) {
            Ok(Some(exact)) => Some(exact),
            Ok(None) => exact_values::built_in(rules)?,
            Err(
                why @ (ToolError::NoUsableFile { .. } | ToolError::Tablebase(TablebaseError::Unsupported(_))),
            ) => {
                missing.push(why);
                exact_values::built_in(rules)?
            }
            Err(why) => return Err(why),
        };
        tablebases.push((*rules, exact));
    }
    if missing.len() == tablebases.len()
        && let Some(why) = missing.pop()
    {
        return Err(why);
    }
    missing.iter().for_each(|why| {
        eprint_line(format_args!("note: {why}; such games get built-in values, or are searched"));
    });
    Ok(tablebases)
}

/// Returns the game with comments, the summary of each player, and the value of each turn. Calls `note` with
/// the summaries as text.
fn annotate(
    mut game: GameRecord,
    exact: Option<&Tablebase>,
    searcher: &mut Searcher,
    nodes: u64,
    note: impl Fn(&str),
) -> Result<(GameRecord, [KeptCounts; 2], Vec<TurnValue>), ToolError> {
    earlier::remove(&mut game);
    let start = game.start.as_deref();
    let mut builder = Builder::new(game.rules, start)?;
    let mut summary = [KeptCounts::default(); 2];
    let mut values = Vec::new();
    for turn in &game.main().turns {
        let counts = &mut summary[turn.side.index()];
        let TurnJudgement { value, command, better } =
            judge_turn(&mut builder, turn, exact, searcher, nodes, counts)?;
        values.push(value);
        let mark = value.mark;
        turn.marks.iter().filter(|&&old| mark == 0 || old > 6).for_each(|&old| _ = builder.mark(old));
        if mark > 0 {
            builder.mark(mark);
        }
        builder.comment(&command);
        turn.comments.iter().for_each(|comment| builder.comment(comment));
        if let Some((n, better)) = better
            && let Some(first) = better.first()
        {
            builder.comment(&format!("{BETTER}{first}"));
            builder.open();
            // A better line begins with the moves of the same turn before the mistake.
            for &m in turn.moves[..n].iter().chain(&better) {
                if builder.push(m).is_err() {
                    break;
                }
            }
            builder.close();
        }
        copy_variations(&mut builder, &game, turn)?;
    }
    let (mut annotated, _) = builder.finish();
    annotated.tags = std::mem::take(&mut game.tags);
    annotated.result = game.result;
    earlier::sign(&mut annotated);
    let mut comments = game.main().comments.clone();
    drop(game);
    for color in Color::ALL {
        let KeptCounts { kept, all, exact } = summary[color.index()];
        let name = if color == Color::White { "White" } else { "Black" };
        let line = if all == 0 {
            format!("{name}: no move")
        } else {
            let share = 100.0 * f64::from(kept) / f64::from(all);
            format!(
                "{name}: {kept} of {} kept the value ({share:.0} %); {exact} {SUMMARY}",
                counted(all, "move")
            )
        };
        note(&line);
        comments.push(line);
    }
    if let Some(main) = annotated.lines.first_mut() {
        main.comments = comments.iter().map(|text| record::comment(text)).collect();
    }
    Ok((annotated, summary, values))
}

/// Returns the error of a move that the position of a text does not allow.
fn unplayable(m: Move, fen: String) -> ToolError {
    ToolError::Unplayable { place: Place::Job, m, fen: Some(fen) }
}

/// Copies the variations of a turn of the game, with their own variations, to the same turn.
fn copy_variations(builder: &mut Builder, game: &GameRecord, turn: &Turn) -> Result<(), ToolError> {
    enum Step<'a> {
        Open(usize),
        Turn(&'a Turn),
        Close,
    }
    let open = |turn: &Turn| turn.variations.iter().rev().map(|&line| Step::Open(line)).collect::<Vec<_>>();
    let mut steps = open(turn);
    while let Some(step) = steps.pop() {
        match step {
            Step::Open(line) => {
                let Some(line) = game.lines.get(line) else { continue };
                builder.open();
                line.comments.iter().for_each(|comment| builder.comment(comment));
                steps.push(Step::Close);
                steps.extend(line.turns.iter().rev().map(Step::Turn));
            }
            Step::Turn(turn) => {
                for &m in &turn.moves {
                    let fen = builder.position().fen();
                    builder.push(m).map_err(|_| unplayable(m, fen))?;
                }
                turn.marks.iter().for_each(|&mark| _ = builder.mark(mark));
                turn.comments.iter().for_each(|comment| builder.comment(comment));
                steps.extend(open(turn));
            }
            Step::Close => _ = builder.close(),
        }
    }
    Ok(())
}

/// Plays the moves of a turn, judges and counts them.
///
/// # Errors
/// If a tablebase file cannot be read, the search fails, or a move is not legal.
pub(super) fn judge_turn(
    builder: &mut Builder,
    turn: &Turn,
    exact: Option<&Tablebase>,
    searcher: &mut Searcher,
    nodes: u64,
    counts: &mut KeptCounts,
) -> Result<TurnJudgement, ToolError> {
    let value = TurnValue { points: 0.5, ..TurnValue::default() };
    let mut found = TurnJudgement { value, command: String::new(), better: None };
    for (n, &m) in turn.moves.iter().enumerate() {
        let pos = builder.position();
        let judged = judge(pos, m, exact, searcher, nodes)?;
        let fen = pos.fen();
        builder.push(m).map_err(|_| unplayable(m, fen))?;
        counts.all += 1;
        counts.kept += u32::from(judged.kept);
        counts.exact += u32::from(judged.exact.is_some());
        found.command = command_of(&judged, turn.side);
        let earlier = found.value.mark;
        found.value = TurnValue::of(&judged, turn.side);
        if judged.mark > earlier {
            found.better = Some((n, judged.better));
        } else {
            found.value.mark = earlier;
        }
    }
    Ok(found)
}

/// Judges a move: by exact values if the tablebase has them, else by a search of `nodes` nodes.
///
/// # Errors
/// If a tablebase file cannot be read, or if the search fails.
fn judge(
    pos: &Position,
    m: Move,
    exact: Option<&Tablebase>,
    searcher: &mut Searcher,
    nodes: u64,
) -> Result<Judgement, ToolError> {
    let values = match exact {
        // Moves after a draw by a counter are judged as if the game continued.
        Some(exact) if !pos.outcome().is_over() => exact.move_results(pos)?,
        _ => None,
    };
    if let Some((top, keeping)) = values.as_deref().and_then(best) {
        let value = values.iter().flatten().find(|(other, _)| *other == m).map_or(top, |&(_, value)| value);
        let mark = match (top, value) {
            _ if top == value => 0,
            (Wdl::Win, Wdl::Draw) => 2,
            _ => 4,
        };
        let better = if mark == 0 { Vec::new() } else { keeping.into_iter().take(1).collect() };
        return Ok(Judgement { mark, kept: mark == 0, exact: Some(value), searched: None, better });
    }
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let (found, line) = searcher.search(pos, limits.clone())?;
    if found.best == Some(m) || found.best.is_none() {
        return Ok(Judgement {
            mark: 0,
            kept: true,
            exact: None,
            searched: Some(found.score),
            better: Vec::new(),
        });
    }
    let (played, _) = searcher.search(pos, Limits { searchmoves: vec![m], ..limits })?;
    let lost = found.score - played.score;
    let turned =
        is_win(found.score) && !is_win(played.score) || !is_loss(found.score) && is_loss(played.score);
    let mark = if turned && is_loss(played.score) || lost >= BLUNDER && !is_decisive(found.score) {
        4
    } else if turned || lost >= MISTAKE && !is_decisive(played.score) {
        2
    } else {
        0
    };
    let better = if mark == 0 { Vec::new() } else { line.into_iter().take(6).collect() };
    Ok(Judgement { mark, kept: mark == 0, exact: None, searched: Some(played.score), better })
}

/// Returns the bracket command with the value of a move: exact values for its side, searched ones for White.
fn command_of(judged: &Judgement, side: Color) -> String {
    match (decided(judged.exact, judged.searched), judged.searched) {
        (Some(value), _) => format!("[%wdl {}]", value.letter()),
        (None, Some(value)) => {
            let sign = if side == Color::White { 1 } else { -1 };
            match Score::of(value) {
                Score::Cp(cp) => format!("[%eval {:.2}]", f64::from(sign * cp) / 100.0),
                Score::Mate(turns) => format!("[%eval #{}]", sign * turns),
            }
        }
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variations_of_the_record_are_kept() {
        let text = "1. d7 d6 2. g7? (2. {quiet} d2! (2. b4 (2. f4 a1) a4) 2... d1 3. e5) b4 3. a7xd6 *";
        let game = record::read("t", text, &ReadOptions::default()).games.remove(0);
        let mut searcher = Searcher::new(1, 4).unwrap();
        let (annotated, ..) = annotate(game.clone(), None, &mut searcher, 2_000, |_| {}).unwrap();
        let written = annotated.to_pgn().replace('\n', " ");
        assert!(written.contains("({quiet} 2. d2! (2. b4 (2. f4 a1) 2... a4) 2... d1 3. e5)"), "{written}");
        assert_eq!(record::read("t", &annotated.to_pgn(), &ReadOptions::default()).games, [annotated]);
    }

    #[test]
    fn a_second_annotation_replaces_the_first() {
        let text = "[Annotator \"Ada\"]\n\n{start} 1. d7! {nice} {better f4} (1. f4 {mine}) d6 2. g7? \
                    (2. f4 {why}) b4 {[%clk 9]} {[%eval 7]} 3. a7xd6 f4 {better not} *";
        let game = record::read("t", text, &ReadOptions::default()).games.remove(0);
        let again = |game: &GameRecord| {
            let mut searcher = Searcher::new(1, 4).unwrap();
            let (annotated, ..) = annotate(game.clone(), None, &mut searcher, 2_000, |_| {}).unwrap();
            record::read("t", &annotated.to_pgn(), &ReadOptions::default()).games.remove(0)
        };
        let first = again(&game);
        assert!(
            first.main().turns.iter().any(|turn| turn.comments.iter().any(|text| text.starts_with(BETTER)))
        );
        assert_eq!(again(&first).to_pgn(), first.to_pgn());
        for kept in [
            "[Annotator \"Ada, Millstone\"]",
            "{start}",
            "{nice}",
            "f4 {why}",
            "{[%clk 9]} {[%eval 7]}",
            "1. d7!",
            "{better f4} (1. f4 {mine})",
            "{better not}",
        ] {
            assert!(first.to_pgn().replace('\n', " ").contains(kept), "{kept}: {}", first.to_pgn());
        }
    }

    #[test]
    fn a_mill_left_open_is_marked_with_the_better_move() {
        // Black closes nothing and lets White close a mill on the outer ring.
        let text = "1. d7 $18 d6 2. g7 b4 $10 (2... g4) 3. a7xd6 f4?? (3... g4) 4. c3 a1 *";
        let game = record::read("t", text, &ReadOptions::default()).games.remove(0);
        let mut searcher = Searcher::new(1, 4).unwrap();
        let (annotated, summary, values) =
            annotate(game.clone(), None, &mut searcher, 5_000, |_| {}).unwrap();
        assert_eq!(values.len(), game.main().turns.len());
        assert!(values.iter().all(|value| (0.0..=1.0).contains(&value.points)));
        assert_eq!(annotated.moves().collect::<Vec<_>>(), game.moves().collect::<Vec<_>>());
        assert_eq!(summary[0].all + summary[1].all, 9);
        let turns = annotated.main().turns.iter().zip(&values);
        let marked = turns.filter(|(_, value)| value.mark > 0).map(|(turn, _)| turn);
        assert!(marked.clone().all(|turn| !turn.variations.is_empty()));
        assert!(marked.clone().any(|turn| turn.marks.contains(&10)), "{}", annotated.to_pgn());
        // A mark of the record is its author's opinion.
        assert!(values[5].mark == 0 && annotated.to_pgn().contains("f4??"), "{}", annotated.to_pgn());
        let written = annotated.to_pgn();
        assert_eq!(
            record::read("t", &written, &ReadOptions::default()).games,
            std::slice::from_ref(&annotated)
        );
        let html = page::page(&[page::section(&annotated, &values).unwrap()]);
        assert_eq!(html.matches("<svg").count(), marked.count() + 2, "the replay and the curve come on top");
        // The page loads nothing. An address of SVG is only the name of a language.
        assert_eq!(html.matches("http://").count(), html.matches("xmlns=\"http://").count());
        assert!(!html.contains("https://"));
    }
}
