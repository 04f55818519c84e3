//! Compares implementations of the rules with the games recorded from Sanmill's engine in `../shared/oracle`,
//! ply by ply: side, position text, legal actions, repetitions, refusals, the end, and the same position read
//! from its text. Skipped with a note if that folder is absent.

use crate::common::skip;
use crate::naive;
use crate::subject;

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use subject::Subject;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/oracle");

/// Names of points, for actions that should be refused.
const POINTS: [&str; 24] = [
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5", "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", "d7",
    "g7", "g4", "g1", "d1", "a1", "a4", "a7",
];

/// The recorded file called `name`; `None` with a note if it is absent.
fn recorded(name: &str) -> Option<File> {
    let path = PathBuf::from(FOLDER).join(name);
    match File::open(&path) {
        Ok(file) => Some(file),
        Err(error) => {
            skip(format_args!("{} cannot be read ({error})", path.display()));
            None
        }
    }
}

/// Fails with both answers if they differ.
fn compare<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}\n  found    {found:?}\n  expected {expected:?}"))
    }
}

fn changes(options: &Value) -> Vec<(String, String)> {
    let options = options.as_object().expect("options are an object");
    options.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|item| item.as_str().expect("a string")).collect()
}

/// Compares all fields of a recorded position, except the keys of `exceptions`.
fn compare_position<S: Subject>(game: &S, record: &Value, exceptions: &[&str]) -> Result<(), String> {
    let wanted = |key: &str| !exceptions.contains(&key);
    // Only the last record of a game holds its end; at every other ply the game is not over.
    let terminal = record["terminal"].as_bool().unwrap_or(false);
    let reason = record["reason"].as_str().unwrap_or("ongoing");
    if wanted("terminal") {
        compare("terminal", game.terminal(), terminal)?;
    }
    if wanted("reason") {
        compare("reason", game.reason(), reason)?;
    }
    if wanted("winner") {
        compare("winner", game.winner(), record["winner"].as_str())?;
    }
    if wanted("stm") {
        compare("side to move", game.side(), record["stm"].as_str())?;
    }
    if wanted("fen") {
        compare("position text", game.fen().as_str(), record["fen"].as_str().expect("a text"))?;
    }
    if wanted("legal") {
        let mut legal = strings(&record["legal"]);
        legal.sort_unstable();
        compare("legal actions", game.legal().iter().map(String::as_str).collect(), legal)?;
    }
    if wanted("rep") {
        compare("repetitions", game.repetition_count() as u64, record["rep"].as_u64().unwrap_or(0))?;
    }
    Ok(())
}

/// Reads the recorded text as a new position. Fields that the record lists as different after a reload are
/// not compared.
fn compare_reloaded<S: Subject>(rules: &S::Rules, record: &Value) -> Result<(), String> {
    let fen = record["fen"].as_str().expect("a text");
    let mut exceptions = if record["reload"].is_array() { strings(&record["reload"]) } else { Vec::new() };
    exceptions.push("rep");
    match S::from_fen(rules, fen) {
        Ok(game) => compare_position(&game, record, &exceptions),
        Err(_) if exceptions.contains(&"rejected") => Ok(()),
        Err(error) => Err(error),
    }
    .map_err(|error| format!("read from its text: {error}"))
}

/// Offers actions that are not in the list and expects refusals; which ones changes from ply to ply.
fn offer_illegal_actions<S: Subject>(game: &mut S, legal: &[&str], ply: usize) -> Result<(), String> {
    let point = |n: usize| POINTS[(ply * 5 + n) % 24];
    let offers = [
        point(0).to_string(),
        point(7).to_string(),
        format!("x{}", point(3)),
        format!("x{}", point(11)),
        format!("{}-{}", point(1), point(2)),
        format!("{}-{}", point(9), point(ply % 23 + 10)),
        format!("{}-{}", point(4), point(4)),
        String::new(),
        "d4".to_string(),
    ];
    for offer in offers {
        if !legal.contains(&offer.as_str()) && game.play(&offer) {
            return Err(format!("`{offer}` is played, expected a refusal"));
        }
    }
    Ok(())
}

/// Replays one recorded game; the error names the ply of the first difference.
fn replay<S: Subject>(record: &Value) -> Result<usize, String> {
    let rules = S::rules(&changes(&record["options"]))?;
    let mut game = S::new(&rules);
    let plies = record["plies"].as_array().expect("plies are a list");
    let at = |ply: usize| move |error: String| format!("ply {ply}: {error}");
    for (i, ply) in plies.iter().enumerate() {
        compare_position(&game, ply, &[]).map_err(at(i))?;
        compare_reloaded::<S>(&rules, ply).map_err(at(i))?;
        offer_illegal_actions(&mut game, &strings(&ply["legal"]), i).map_err(at(i))?;
        let action = ply["move"].as_str().expect("a move");
        if !game.play(action) {
            return Err(at(i)(format!("`{action}` is refused")));
        }
    }
    let end = &record["end"];
    compare_position(&game, end, &[]).map_err(at(plies.len()))?;
    compare_reloaded::<S>(&rules, end).map_err(at(plies.len()))?;
    offer_illegal_actions(&mut game, &strings(&end["legal"]), plies.len()).map_err(at(plies.len()))?;
    Ok(plies.len())
}

fn replay_files<S: Subject>(names: &[String]) {
    let (mut games, mut plies) = (0, 0);
    let mut failures = Vec::new();
    for name in names {
        let Some(file) = recorded(name) else { continue };
        for line in BufReader::new(GzDecoder::new(file)).lines() {
            let record: Value =
                serde_json::from_str(&line.expect("readable")).expect("a line is a JSON object");
            games += 1;
            match replay::<S>(&record) {
                Ok(length) => plies += length,
                Err(error) => failures.push(format!("{} {} {error}", record["id"], record["options"])),
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{}: {} of {games} games differ, first\n{}",
        S::NAME,
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert!(games >= 40 * names.len() || !PathBuf::from(FOLDER).exists(), "only {games} games were found");
    eprintln!("{}: {games} games with {plies} plies agree", S::NAME);
}

fn preset_files() -> Vec<String> {
    (0..11).map(|preset| format!("preset_{preset:02}.jsonl.gz")).collect()
}

/// Checks the recorded counts below `limit` nodes, divided by first action where that is recorded.
fn count_recorded_perft<S: Subject>(limit: u64) {
    let Some(file) = recorded("perft.json") else { return };
    let data: Value = serde_json::from_reader(BufReader::new(file)).expect("perft.json is JSON");
    let mut counts = 0;
    for preset in data["presets"].as_array().expect("a list of presets") {
        let rules = S::rules(&changes(&preset["options"])).expect("options are known");
        let startpos = std::iter::once((S::new(&rules), &preset["startpos"]));
        let positions = preset["positions"].as_array().expect("a list of positions").iter().map(|position| {
            (S::from_fen(&rules, position["fen"].as_str().expect("a text")).expect("a legal text"), position)
        });
        for (game, record) in startpos.chain(positions) {
            let nodes: Vec<u64> = record["nodes"]
                .as_array()
                .expect("counts")
                .iter()
                .map(|n| n.as_u64().expect("a count"))
                .collect();
            for (depth, &nodes) in (1..).zip(&nodes).filter(|&(_, &nodes)| nodes < limit) {
                assert_eq!(game.perft(depth), nodes, "{} {} depth {depth}", preset["name"], game.fen());
                counts += 1;
            }
            let Some(divide) = record["divide"].as_object().filter(|_| nodes[nodes.len() - 1] < limit) else {
                continue;
            };
            for (action, nodes_below) in divide {
                let mut next = match record["fen"].as_str() {
                    Some(fen) => S::from_fen(&rules, fen).expect("a legal text"),
                    None => S::new(&rules),
                };
                assert!(next.play(action), "{} {}: `{action}` is refused", preset["name"], game.fen());
                assert_eq!(
                    next.perft(nodes.len() as u32 - 1),
                    nodes_below.as_u64().expect("a count"),
                    "{} {} {action}",
                    preset["name"],
                    game.fen()
                );
                counts += 1;
            }
        }
    }
    eprintln!("{}: {counts} counts of perft.json agree", S::NAME);
}

#[test]
fn naive_model_agrees_with_the_recorded_games_of_the_presets() {
    replay_files::<naive::Game>(&preset_files());
}

#[test]
fn naive_model_agrees_with_the_recorded_games_under_random_options() {
    replay_files::<naive::Game>(&["random_options.jsonl.gz".to_string()]);
}

#[test]
fn naive_model_agrees_with_the_recorded_perft_counts() {
    count_recorded_perft::<naive::Game>(if cfg!(debug_assertions) { 100_000 } else { 1_000_000 });
}

#[test]
fn engine_agrees_with_the_recorded_games_of_the_presets() {
    replay_files::<subject::EngineGame>(&preset_files());
}

#[test]
fn engine_agrees_with_the_recorded_games_under_random_options() {
    replay_files::<subject::EngineGame>(&["random_options.jsonl.gz".to_string()]);
}

#[test]
fn engine_agrees_with_the_recorded_perft_counts() {
    count_recorded_perft::<subject::EngineGame>(u64::MAX);
}
