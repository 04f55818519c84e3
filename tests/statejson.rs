//! Compares every key of `statejson` with games recorded from Sanmill's engine, finished ones included, and
//! with random games of the naive model under random rules. The three digests that the protocol leaves to the
//! engine are checked for their form and for when they differ. The recorded games are skipped with a note if
//! `../shared/oracle` is absent.

use crate::common::{Engine, shared};
use crate::fuzzed::chance::{Dice, fresh};
use crate::naive;
use crate::subject::Subject;

use flate2::read::GzDecoder;
use millstone::rules::{RULE_OPTIONS, RuleKind, Rules};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Positions between two that are compared; the end of each game always is. One of the tests that take
/// minutes compares all.
const STEP: usize = 18;

/// The keys of every answer to `statejson`.
const KEYS: [&str; 28] = [
    "action",
    "action_token_count",
    "fen",
    "history_origin",
    "history_sha256",
    "legal_actions",
    "logical_plies_by_side",
    "logical_ply_count",
    "no_capture_count",
    "outcome_reason",
    "outcome_reason_code",
    "pending_removal",
    "pending_removal_count",
    "pending_removals",
    "phase",
    "protocol_version",
    "repetition_current_count",
    "repetition_history_length",
    "rules_identity",
    "rules_options",
    "ruleset_id",
    "side_to_move",
    "snapshot_history_length",
    "status",
    "strict_referee_identity",
    "terminal",
    "winner",
    "winner_code",
];

/// A game in the form of the recorded ones, with its positions.
struct Recorded {
    game: Value,
    /// The name that the game's rules have in the tgf dialect.
    ruleset: String,
    moves: Vec<String>,
    /// The side to move of each position, and none after most endings.
    sides: Vec<Option<String>>,
}

impl Recorded {
    fn new(game: Value, ruleset: Option<&str>) -> Self {
        let mut rules = Rules::NINE;
        for (option, value) in game["options"].as_object().expect("an object") {
            rules.set_option(option, &value.to_string()).expect("a value");
        }
        let ruleset = ruleset.map_or_else(|| rules.name(), str::to_owned);
        let ruleset = if ruleset == "nine" { "nmm".to_owned() } else { ruleset };
        let plies = game["plies"].as_array().expect("a list");
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let moves = plies.iter().filter_map(|ply| text(&ply["move"])).collect();
        let sides = plies.iter().chain([&game["end"]]).map(|record| text(&record["stm"])).collect();
        Self { game, ruleset, moves, sides }
    }

    /// The record of the position after this many moves.
    fn position(&self, at: usize) -> &Value {
        self.game["plies"].get(at).unwrap_or(&self.game["end"])
    }

    /// The number of positions that repetition looks back on: those after moves on the board since the latest
    /// placing or take. The mover of a move that closes a mill goes on to take; that position is left out.
    fn window(&self, at: usize) -> usize {
        if self.game["options"]["ThreefoldRepetitionRule"] == json!(false) {
            return 0;
        }
        let is_counted = |&number: &usize| {
            let fen = self.position(number)["fen"].as_str().expect("a text");
            let is_take_due = fen.split(' ').nth(3) == Some("r");
            !(is_take_due && self.sides[number] == self.sides[number - 1])
        };
        let slides = (1..=at).rev().take_while(|number| self.moves[number - 1].contains('-'));
        slides.filter(is_counted).count()
    }

    /// The values of all rule options.
    fn options(&self) -> Value {
        let default = |text: String| serde_json::from_str(&text).expect("a number or a truth value");
        let mut all: Map<String, Value> = RULE_OPTIONS
            .iter()
            .map(|option| (option.name.to_owned(), default(Rules::NINE.value_text(option))))
            .collect();
        all.extend(self.game["options"].as_object().expect("an object").clone());
        Value::Object(all)
    }
}

/// The state of a game after `at` moves, according to its record.
fn recorded(game: &Recorded, at: usize) -> Vec<(&'static str, Value)> {
    let (record, moves, sides) = (game.position(at), &game.moves[..at], &game.sides);
    let fen = record["fen"].as_str().expect("a text");
    let fields: Vec<&str> = fen.split(' ').collect();
    let is_over = record["terminal"] == json!(true);
    let side = match record["stm"].as_str() {
        Some("w") => Some(0),
        Some("b") => Some(1),
        _ => None,
    };
    let takes_due: Vec<i64> =
        fields[8..10].iter().map(|due| due.parse::<i64>().expect("a number").abs()).collect();
    let pending = side.map_or(0, |side: usize| takes_due[side]);
    let plies = |side: &str| {
        let is_theirs = |(text, mover): &(&String, &Option<String>)| {
            !text.starts_with('x') && mover.as_deref() == Some(side)
        };
        moves.iter().zip(sides).filter(is_theirs).count()
    };
    let mut legal: Vec<&str> =
        record["legal"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    legal.sort_unstable();
    let reason = record["reason"].as_str().unwrap_or("ongoing");
    let is_claimable = reason == "drawThreefoldRepetition" || reason.ends_with("FiftyMove");
    let winner_code = match record["winner"].as_str() {
        Some("white") => json!(0),
        Some("black") => json!(1),
        _ if is_over && !is_claimable => json!(-1),
        _ => Value::Null,
    };
    vec![
        ("ruleset_id", json!(game.ruleset)),
        ("rules_options", game.options()),
        ("repetition_history_length", json!(game.window(at))),
        ("snapshot_history_length", json!(at + 1)),
        ("winner_code", winner_code),
        ("protocol_version", json!(1)),
        ("status", json!(if is_over { "terminal" } else { "ok" })),
        ("history_origin", json!("game_start")),
        ("fen", json!(fen)),
        ("side_to_move", side.map_or(Value::Null, |side| json!(["white", "black"][side]))),
        (
            "phase",
            json!(match fields[2] {
                "p" => "placing",
                "m" => "moving",
                _ => "game_over",
            }),
        ),
        (
            "action",
            json!(match fields[3] {
                "p" => "place",
                "s" => "select",
                "r" => "remove",
                _ => "game_over",
            }),
        ),
        ("pending_removals", json!(takes_due)),
        ("pending_removal", json!(pending > 0)),
        ("pending_removal_count", json!(pending)),
        ("legal_actions", json!(legal)),
        ("action_token_count", json!(moves.len())),
        ("logical_plies_by_side", json!([plies("w"), plies("b")])),
        ("logical_ply_count", json!(plies("w") + plies("b"))),
        ("no_capture_count", json!(fields[15].parse::<u32>().expect("a number"))),
        ("repetition_current_count", json!(record["rep"].as_u64().unwrap_or(0))),
        ("terminal", json!(is_over)),
        (
            "winner",
            match record["winner"].as_str() {
                Some(winner @ ("white" | "black")) => json!(winner),
                _ => Value::Null,
            },
        ),
        ("outcome_reason", json!(reason)),
        ("outcome_reason_code", json!(record["reason_code"].as_str().unwrap_or("ongoing"))),
    ]
}

/// The digests that the engine has given so far.
#[derive(Default)]
struct Digests {
    /// Those of the rules by the options, which differ from each other.
    rules: BTreeMap<String, Value>,
    /// Those of the games by their moves: without a set-up position the rules do not matter.
    histories: BTreeMap<String, Value>,
}

impl Digests {
    /// Checks the digests of a state; returns the first key that is wrong.
    fn fault(&mut self, state: &Value, moves: &[String]) -> Option<&'static str> {
        let is_hex = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_digest =
            |value: &Value| value.as_str().and_then(|text| text.strip_prefix("sha256:")).is_some_and(is_hex);
        let rules = &state["rules_identity"];
        if !is_digest(rules)
            || *self.rules.entry(state["rules_options"].to_string()).or_insert(rules.clone()) != *rules
        {
            return Some("rules_identity");
        }
        let history = &state["history_sha256"];
        if !history.as_str().is_some_and(is_hex)
            || *self.histories.entry(moves.join(" ")).or_insert(history.clone()) != *history
        {
            return Some("history_sha256");
        }
        let referee = &state["strict_referee_identity"];
        let is_live = referee["profile"] == "sanmill-live-v1"
            && referee["repetitionObservation"] == "post-move-only-v1"
            && referee["originCounted"] == json!(false)
            && referee["format"].is_string()
            && is_digest(&referee["semanticDigest"]);
        (!is_live).then_some("strict_referee_identity")
    }

    /// Checks that other rules and other games have other digests.
    fn check(&self) {
        for digests in [&self.rules, &self.histories] {
            let different: BTreeSet<String> = digests.values().map(Value::to_string).collect();
            assert_eq!(different.len(), digests.len());
        }
    }
}

/// Compares the positions of a game, one in `step` and the last one. Returns true if the game is finished.
fn compare(game: &Recorded, digests: &mut Digests, first: usize, step: usize) -> bool {
    let mut engine = Engine::start_with(&["--protocol", "tgf"]);
    engine.send("setoption name StrictFailurePolicy value true");
    for (option, value) in game.game["options"].as_object().expect("an object") {
        engine.send(&format!("setoption name {option} value {value}"));
    }
    let last = game.moves.len();
    let chosen: Vec<usize> = (first..last).step_by(step).chain([last]).collect();
    for &at in &chosen {
        engine.send(&format!("position startpos moves {}", game.moves[..at].join(" ")));
        engine.send("statejson");
    }
    for &at in &chosen {
        let place = format!("{} {} ply {at}", game.game["id"], game.game["options"]);
        let answer = engine.until("sanmill_state").pop().expect("a line");
        let object = answer.strip_prefix("info string sanmill_state ").expect("a state");
        let mut state: Value = serde_json::from_str(object).expect("an object");
        let keys: Vec<&str> = state.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, KEYS, "{place}");
        let legal = state["legal_actions"].as_array_mut().expect("a list");
        legal.sort_by_key(|text| text.as_str().map(str::to_owned));
        for (key, wanted) in recorded(game, at) {
            assert_eq!(state[key], wanted, "{key} of {place}: {}", state["fen"]);
        }
        let fault = digests.fault(&state, &game.moves[..at]);
        assert_eq!(fault, None, "{place}: {answer}");
    }
    assert!(engine.quit().success());
    game.game["end"]["terminal"] == json!(true)
}

/// Compares the games of one file; `ruleset` names their rules. Returns the number of games and of finished
/// ones.
fn compare_file(name: &str, ruleset: Option<&str>, step: usize) -> [usize; 2] {
    let file = File::open(shared("oracle").expect("the folder").join(name)).expect(name);
    let (mut games, mut finished) = (0, 0);
    let mut digests = Digests::default();
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let game = serde_json::from_str(&line.expect("readable")).expect("a line is a JSON object");
        let game = Recorded::new(game, ruleset);
        finished += usize::from(compare(&game, &mut digests, games % step, step));
        games += 1;
    }
    digests.check();
    [games, finished]
}

/// The names of the presets in the tgf dialect.
const PRESETS: [&str; 11] = [
    "nmm", "twelve", "preset2", "preset3", "preset4", "lasker", "preset6", "preset7", "preset8", "el-filja",
    "preset10",
];

/// Compares all files of recorded games.
fn compare_presets(step: usize) {
    for (number, ruleset) in PRESETS.iter().enumerate() {
        let name = format!("preset_{number:02}.jsonl.gz");
        let [games, finished] = compare_file(&name, Some(ruleset), step);
        assert!(games == 40 && finished > 0, "{name}: {finished} of {games} games are finished");
    }
}

fn compare_random_options(step: usize) {
    let [games, finished] = compare_file("random_options.jsonl.gz", None, step);
    assert!(games == 400 && finished > 300, "{finished} of {games} games are finished");
}

#[test]
fn statejson_tells_what_the_recorded_games_of_the_presets_tell() {
    if shared("oracle").is_some() {
        compare_presets(STEP);
    }
}

#[test]
fn statejson_tells_what_the_recorded_games_under_random_options_tell() {
    if shared("oracle").is_some() {
        compare_random_options(STEP);
    }
}

#[test]
#[ignore = "takes minutes; run with: cargo test --release --test all statejson:: -- --ignored"]
fn statejson_tells_what_every_position_of_the_recorded_games_tells() {
    if shared("oracle").is_some() {
        compare_presets(1);
        compare_random_options(1);
    }
}

/// Plays a random game of the naive model, in the form of the recorded ones. Options are changed with a
/// probability of one in four.
fn random_game(number: u64, dice: &mut Dice) -> Recorded {
    let mut options = Map::new();
    let mut changes = Vec::new();
    for option in RULE_OPTIONS {
        let value = match option.kind {
            RuleKind::Check => json!(dice.below(2) == 1),
            RuleKind::Spin { min, max } => json!(usize::from(min) + dice.below(usize::from(max - min) + 1)),
        };
        if dice.below(4) == 0 {
            changes.push((option.name.to_owned(), value.to_string()));
            options.insert(option.name.to_owned(), value);
        }
    }
    let mut game: naive::Game = Subject::new(&<naive::Game as Subject>::rules(&changes).expect("rules"));
    let record = |game: &naive::Game| {
        let reason = Subject::reason(game);
        let code: String = reason.chars().fold(String::new(), |mut code, c| {
            if c.is_ascii_uppercase() {
                code.push('_');
            }
            code.push(c.to_ascii_lowercase());
            code
        });
        json!({
            "fen": Subject::fen(game), "stm": Subject::side(game), "legal": Subject::legal(game),
            "rep": Subject::repetition_count(game), "terminal": Subject::terminal(game),
            "winner": Subject::winner(game), "reason": reason, "reason_code": code,
        })
    };
    let mut plies = Vec::new();
    let longest = 20 + dice.below(180);
    loop {
        let mut now = record(&game);
        let legal = Subject::legal(&game);
        if legal.is_empty() || plies.len() == longest {
            let game = json!({ "id": number, "options": options, "plies": plies, "end": now });
            return Recorded::new(game, None);
        }
        let text = legal[dice.below(legal.len())].clone();
        assert!(Subject::play(&mut game, &text));
        now["move"] = json!(text);
        plies.push(now);
    }
}

#[test]
fn statejson_tells_what_the_naive_model_tells_of_random_games() {
    const GAMES: u64 = 40;
    let mut dice = Dice(fresh(2_026));
    let mut digests = Digests::default();
    let mut finished = 0;
    for number in 0..GAMES {
        let game = random_game(number, &mut dice);
        finished += usize::from(compare(&game, &mut digests, dice.below(STEP), STEP));
    }
    digests.check();
    assert!((1..GAMES as usize).contains(&finished), "{finished} of {GAMES} games are finished");
}
