//! Strict mode: refused histories, the state of finished games, the two ways to count repetitions,
//! identities, and whole turns within a number of nodes.

use crate::common::Engine;

use serde_json::{Value, json};

/// Four men each, none of which closes a mill in the cycle below.
const SET_UP: &str = "fen ********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
/// Four slides that lead back to the same position.
const CYCLE: [&str; 4] = ["g1-g4", "f4-f2", "g4-g1", "f2-f4"];
/// Black wins at once: White has two men.
const WON: &str = "fen **O**O**/**@**@**/******** w m s 2 0 2 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
/// White can close a mill, with d1 in the first and a4-a7 in the second.
const PLACES_A_MILL: &str = "startpos moves a1 d6 g1 f4";
const SLIDES_A_MILL: &str = "fen ***@****/**@O*@*@/OO****O* w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

const LIVE: &str = "StrictRefereeProfile value sanmill-live-v1";
const STABLE: &str = "StrictRefereeProfile value mif-stable-moving-v1";

/// A fresh process in strict mode with these options, each as `Name value X`.
fn strict(options: &[&str]) -> Engine {
    let mut engine = Engine::start_with(&["--protocol", "tgf", "mill", "uci"]);
    for option in ["StrictFailurePolicy value true"].iter().chain(options) {
        engine.send(&format!("setoption name {option}"));
    }
    engine
}

fn object(line: &str, head: &str) -> Value {
    let text = line.strip_prefix(head).unwrap_or_else(|| panic!("'{head}' before {line}"));
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// The one line that answers `line`, an error.
fn error(engine: &mut Engine, line: &str) -> Value {
    let error = object(&engine.ask_one(line), "info string sanmill_error ");
    assert_eq!((&error["protocol_version"], &error["status"]), (&json!(1), &json!("error")), "{error}");
    assert_eq!(error["command"].as_str(), line.split(' ').next());
    error
}

fn code(engine: &mut Engine, line: &str) -> String {
    error(engine, line)["code"].as_str().expect("a code").to_owned()
}

fn state(engine: &mut Engine) -> Value {
    object(&engine.ask_one("statejson"), "info string sanmill_state ")
}

/// The state of a position that is accepted without an answer.
fn state_of(engine: &mut Engine, position: &str) -> Value {
    assert_eq!(engine.ask(&format!("position {position}")), [""; 0], "{position}");
    state(engine)
}

/// A position and the first `plies` steps of the cycle.
fn cycle(plies: usize) -> String {
    let moves: Vec<&str> = CYCLE.iter().copied().cycle().take(plies).collect();
    format!("{SET_UP} moves {}", moves.join(" "))
}

fn turn_line(engine: &mut Engine, go: &str) -> String {
    engine.send(go);
    let line = engine.until("sanmill_").pop().expect("a line");
    assert!(line.starts_with("info string sanmill_logical_turn "), "{go}: {line}");
    line
}

fn turn(engine: &mut Engine, go: &str) -> Value {
    object(&turn_line(engine, go), "info string sanmill_logical_turn ")
}

#[test]
fn half_a_move_is_a_truncated_history() {
    let mut engine = strict(&[]);
    for half in ["a4-", "A4-", "a4-d", "x", "xb", "a"] {
        for position in ["startpos moves d6", SET_UP] {
            let list = if position == SET_UP { format!("{SET_UP} moves g1-g4") } else { position.to_owned() };
            let error = error(&mut engine, &format!("position {list} {half} f2"));
            assert_eq!(error["code"], "position_history_truncated", "{half}");
            assert_eq!((&error["action_index"], &error["token"]), (&json!(1), &json!(half)));
        }
    }
    // Words that are not the beginning of a move.
    for wrong in ["d4", "a4-d4", "d6d7", "0000", "pass", "a4-a1-", "-a4", "d1xd2"] {
        let error = error(&mut engine, &format!("position startpos moves d6 {wrong}"));
        assert_eq!(error["code"], "position_history_illegal_action", "{wrong}");
    }
}

#[test]
fn a_token_is_told_as_it_was_sent_up_to_sixty_characters() {
    let mut engine = strict(&[]);
    let (long, cut) = ("q".repeat(61), "q".repeat(60) + "...");
    for (sent, told) in [("é", "é"), ("\"♠\\", "\"♠\\"), (&long, &cut), ("\u{7f}", "\\u007f")] {
        let error = error(&mut engine, &format!("position startpos moves {sent}"));
        assert_eq!(error["token"], told);
        let message = error["message"].as_str().expect("a text");
        assert!(message.starts_with(&format!("move 1 ({told}): ")), "{message}");
    }
}

#[test]
fn a_move_after_the_end_of_the_game_is_illegal_whatever_ended_it() {
    let last_ply = SET_UP.replace(" 0 0 1 ids", " 0 99 1 ids");
    // The take leaves Black two men.
    let taken = SLIDES_A_MILL.replace("@*@/", "@**/").replace(" 4 0 4 0 ", " 4 0 3 0 ");
    let taken = format!("{taken} moves a4-a7 xe3");
    for (dialect, options) in
        [("tgf", &["MayFly value false"][..]), ("standard", &[]), ("sanmill7", &[]), ("standard", &[STABLE])]
    {
        let mut engine = Engine::start_with(&["--protocol", dialect]);
        engine.send("setoption name StrictFailurePolicy value true");
        options.iter().for_each(|option| engine.send(&format!("setoption name {option}")));
        let is_stable = options == [STABLE];
        let drawn = cycle(if is_stable { 8 } else { 9 });
        let next = if is_stable { "g1-g4" } else { "f4-f2" };
        for (over, next) in [
            (drawn, next),
            (format!("{last_ply} moves g1-g4"), "f4-f2"),
            (format!("{WON} moves"), "d6-d7"),
            (taken.clone(), "f4-f6"),
        ] {
            assert_eq!(state_of(&mut engine, over.trim_end_matches(" moves"))["terminal"], true, "{over}");
            let error = error(&mut engine, &format!("position {over} {next}"));
            assert_eq!(error["code"], "position_history_illegal_action", "{dialect} {over}");
            assert_eq!(error["token"], next);
        }
    }
}

#[test]
fn a_refused_position_leaves_none_until_a_good_one_comes() {
    let mut engine = strict(&[]);
    engine.send("position startpos moves d6");
    for (bad, code) in [
        ("position", "invalid_position_command"),
        ("position somewhere", "invalid_position_command"),
        ("position fen", "invalid_position_command"),
        ("position fen nonsense", "invalid_fen"),
        ("position fen OOO*****/********/******** b p z 7 9 0 9 0 0 0 0 0 0 0 0 1", "invalid_fen"),
        ("position startpos moves d6 d6", "position_history_illegal_action"),
        ("position startpos moves d6 a4-", "position_history_truncated"),
    ] {
        assert_eq!(self::code(&mut engine, bad), code);
        // Neither an option nor another command makes the position valid.
        engine.ask("setoption name NMoveRule value 60");
        engine.ask("setoption name NMoveRule value 100");
        for _ in 0..2 {
            let state = state(&mut engine);
            assert_eq!(
                (&state["status"], &state["code"]),
                (&json!("position_unavailable"), &json!("position_unavailable"))
            );
            assert_eq!(state["position_error_code"], code);
            assert!(
                state["message"].is_string() && state.get("fen").is_none() && state.get("terminal").is_none()
            );
            for go in ["go depth 1", "go", "go infinite", "go logical nodes 1000", "go perft 1", "perft 1"] {
                assert_eq!(self::code(&mut engine, go), "position_unavailable", "{bad}, {go}");
            }
        }
        assert_eq!(state_of(&mut engine, "startpos moves d6")["status"], "ok");
        assert!(engine.best("depth 1").len() == 2);
    }
}

#[test]
fn a_finished_game_is_terminal_and_no_move_is_given() {
    for protocol in ["standard", "sanmill7", "tgf"] {
        let mut engine = Engine::start_with(&["--protocol", protocol]);
        engine.send("setoption name StrictFailurePolicy value true");
        for (over, reason, winner) in [
            (cycle(9), "drawThreefoldRepetition", Value::Null),
            (SET_UP.replace(" 0 0 1 ids", " 0 100 1 ids"), "drawFiftyMove", Value::Null),
            (WON.to_owned(), "loseFewerThanThree", json!("black")),
        ] {
            let state = state_of(&mut engine, &over);
            assert_eq!((&state["status"], &state["terminal"]), (&json!("terminal"), &json!(true)), "{over}");
            assert_eq!((&state["outcome_reason"], &state["winner"]), (&json!(reason), &winner));
            assert_eq!((&state["phase"], &state["legal_actions"]), (&json!("game_over"), &json!([])));
            let error = error(&mut engine, "go depth 2");
            // With a hyphen, because clients wait for the word without it.
            assert_eq!(error["code"], "search_missing_best-move", "{protocol} {over}");
        }
    }
}

/// Current count, window and reason after each number of plies of the cycle.
fn counts(options: &[&str], plies: &[usize]) -> Vec<(u64, u64, String)> {
    let mut engine = strict(options);
    let count = |state: Value| {
        let number = |key: &str| state[key].as_u64().expect("a number");
        let reason = state["outcome_reason"].as_str().expect("a reason").to_owned();
        (number("repetition_current_count"), number("repetition_history_length"), reason)
    };
    plies.iter().map(|&plies| count(state_of(&mut engine, &cycle(plies)))).collect()
}

#[test]
fn the_two_profiles_count_repetitions_as_they_say() {
    let on = "ongoing".to_owned();
    let drawn = "drawThreefoldRepetition".to_owned();
    // The second rule set has extras.
    for rules in ["OneTimeUseMill value false", "OneTimeUseMill value true"] {
        let live = counts(&[rules], &[0, 4, 8, 9]);
        assert_eq!(live, [(0, 0, on.clone()), (1, 4, on.clone()), (2, 8, on.clone()), (3, 9, drawn.clone())]);
        assert_eq!(counts(&[rules, LIVE], &[0, 4, 8, 9]), live);
        let stable = counts(&[rules, STABLE], &[0, 1, 4, 7, 8]);
        let expected = [
            (1, 1, on.clone()),
            (1, 2, on.clone()),
            (2, 5, on.clone()),
            (2, 8, on.clone()),
            (3, 9, drawn.clone()),
        ];
        assert_eq!(stable, expected);
        let off = counts(&[rules, STABLE, "ThreefoldRepetitionRule value false"], &[0, 4, 8]);
        assert!(off.iter().all(|count| *count == (0, 0, on.clone())), "{off:?}");
    }
    // The profile applies to the current position, and in every dialect.
    let mut engine = Engine::start();
    engine.send(&format!("position {}", cycle(4)));
    for (profile, count) in [(STABLE, 2), (LIVE, 1), (STABLE, 2)] {
        assert!(engine.ask(&format!("setoption name {profile}")).is_empty());
        let state = state(&mut engine);
        assert_eq!(state["repetition_current_count"], count, "{profile}");
        assert!(state["fen"].as_str().is_some_and(|fen| fen.contains(" 0 4 3 ids:nodes")), "{state}");
    }
}

#[test]
fn the_window_of_the_stable_profile_begins_anew() {
    let window = |engine: &mut Engine, position: &str| {
        let state = state_of(engine, position);
        (state["repetition_current_count"].clone(), state["repetition_history_length"].clone())
    };
    let mut engine = strict(&[STABLE]);
    let is = |count: u32, length: u32| (json!(count), json!(length));
    // While placing nothing counts, and a game does not begin with a position that does.
    assert_eq!(window(&mut engine, "startpos"), is(0, 0));
    assert_eq!(window(&mut engine, PLACES_A_MILL), is(0, 0));
    // The end of placing.
    let last = "fen ********/**@**@**/O**O@**O w p p 3 1 3 1 0 0 -1 -1 -1 -1 0 0 9 ids:nodes";
    assert_eq!(window(&mut engine, &format!("{last} moves d6")), is(0, 0));
    assert_eq!(window(&mut engine, &format!("{last} moves d6 d2")), is(1, 1));
    assert_eq!(window(&mut engine, &format!("{last} moves d6 d2 d6-d5 d2-d3 d5-d6 d3-d2")), is(2, 5));
    // A take is due four plies after the origin; counting restarts once it is made.
    let returned = format!("{SLIDES_A_MILL} moves f2-d2 e3-e4 d2-f2 e4-e3");
    assert_eq!(window(&mut engine, &returned), is(2, 5));
    // A position in which a take is due does not count.
    assert_eq!(window(&mut engine, &format!("{returned} a4-a7")), is(0, 5));
    assert_eq!(state(&mut engine)["pending_removal"], true);
    assert_eq!(window(&mut engine, &format!("{returned} a4-a7 xe3")), is(1, 1));
    assert_eq!(window(&mut engine, &format!("{returned} a4-a7 xe3 f4-e4 a7-a4")), is(1, 3));
}

#[test]
fn a_hundred_single_turns_draw() {
    for profile in [LIVE, STABLE] {
        let mut engine = strict(&[profile, "ThreefoldRepetitionRule value true", "MayFly value false"]);
        let mut position = format!("{SET_UP} moves");
        for ply in 0..100 {
            let before = state_of(&mut engine, position.trim_end_matches(" moves"));
            assert_eq!((&before["no_capture_count"], &before["terminal"]), (&json!(ply), &json!(false)));
            let legal = before["legal_actions"].as_array().expect("a list").clone();
            // A slide that closes no mill, blocks nobody and leads to a position that has occurred at most
            // once.
            let next = (0..legal.len()).find_map(|n| {
                let token = legal[(n + ply * 7) % legal.len()].as_str().expect("a token");
                let after = state_of(&mut engine, &format!("{position} {token}"));
                let is_quiet = after["pending_removal"] == false
                    && after["repetition_current_count"].as_u64() <= Some(2)
                    && (after["terminal"] == false || ply == 99);
                is_quiet.then(|| token.to_owned())
            });
            position = format!("{position} {}", next.expect("a quiet step"));
        }
        let state = state_of(&mut engine, &position);
        assert_eq!((&state["no_capture_count"], &state["status"]), (&json!(100), &json!("terminal")));
        assert_eq!(state["outcome_reason"], "drawFiftyMove");
        assert_eq!(state["logical_ply_count"], 100);
    }
}

fn is_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[test]
fn the_identity_of_the_referee_depends_on_rules_and_profile_alone() {
    let identity = |options: &[&str], position: &str| {
        state_of(&mut strict(options), position)["strict_referee_identity"].clone()
    };
    let live = identity(&[], "startpos");
    assert_eq!(live["profile"], "sanmill-live-v1");
    assert_eq!(live["repetitionObservation"], "post-move-only-v1");
    assert_eq!(live["originCounted"], false);
    assert!(live["format"].is_string());
    let stable = identity(&[STABLE], "startpos");
    assert_eq!(stable["profile"], "mif-stable-moving-v1");
    assert_eq!(stable["repetitionObservation"], "stable-moving-v1");
    assert_eq!(stable["originCounted"], true);
    let digest = |identity: &Value| {
        let digest = identity["semanticDigest"].as_str().expect("a digest").to_owned();
        assert!(digest.strip_prefix("sha256:").is_some_and(is_hex), "{digest}");
        digest
    };
    // Other processes, other positions, and options that are not rule options.
    assert_eq!(identity(&[LIVE], &cycle(3)), live);
    assert_eq!(identity(&["SkillLevel value 3", "Hash value 4"], "startpos moves d6"), live);
    assert_eq!(identity(&["UCI_Variant value lasker", "UCI_Variant value nine"], "startpos"), live);
    let mut digests = vec![digest(&live), digest(&stable)];
    for rules in ["MayFly value false", "NMoveRule value 60", "UCI_Variant value twelve"] {
        digests.push(digest(&identity(&[rules], "startpos")));
        digests.push(digest(&identity(&[rules, STABLE], "startpos")));
    }
    let all = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), all);
}

#[test]
fn the_digest_of_the_history_depends_on_origin_and_tokens_alone() {
    let digest = |options: &[&str], position: &str| {
        let state = state_of(&mut strict(options), position);
        let digest = state["history_sha256"].as_str().expect("a digest").to_owned();
        assert!(is_hex(&digest), "{digest}");
        digest
    };
    // printf 'position startpos moves d6 f4' | sha256sum
    let two = digest(&[], "startpos moves d6 f4");
    assert_eq!(two, "93e3ab736de76d8e96562487de53ccb887357a6ed0b5b38c4b7b26676fc67861");
    for options in [&[STABLE][..], &["UCI_Variant value twelve"], &["SkillLevel value 2"]] {
        assert_eq!(digest(options, "startpos moves  D6 f4 "), two);
    }
    let others = [
        "startpos",
        "startpos moves d6",
        "startpos moves f4 d6",
        "startpos moves d6 f4 d7",
        SET_UP,
        &SET_UP.replace(" 0 0 1 ids", " 0 1 1 ids"),
        &cycle(1),
        // The same position, reached by other moves.
        &cycle(4),
        "fen ********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
    ];
    let mut digests: Vec<String> = others.iter().map(|position| digest(&[], position)).collect();
    digests.push(two);
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), others.len() + 1);
    assert_eq!(digest(&[], &cycle(5)), digest(&[], &cycle(5)));
}

#[test]
fn nine_mens_morris_is_nmm_in_strict_mode_and_in_the_tgf_dialect() {
    let id = |protocol: &str, strict: bool, rules: &str| {
        let mut engine = Engine::start_with(&["--protocol", protocol]);
        engine.send(&format!("setoption name StrictFailurePolicy value {strict}"));
        engine.send(&format!("setoption name UCI_Variant value {rules}"));
        state(&mut engine)["ruleset_id"].as_str().expect("a name").to_owned()
    };
    assert_eq!(id("standard", false, "nine"), "nine");
    assert_eq!(id("standard", true, "nine"), "nmm");
    assert_eq!(id("sanmill7", true, "nine"), "nmm");
    assert_eq!(id("tgf", false, "nine"), "nmm");
    assert_eq!(id("tgf", true, "twelve"), "twelve");
}

#[test]
fn a_whole_turn_needs_strict_mode_a_stable_position_and_enough_nodes() {
    for protocol in ["standard", "sanmill7", "tgf"] {
        let mut engine = Engine::start_with(&["--protocol", protocol]);
        assert_eq!(code(&mut engine, "go logical nodes 1000"), "strict_policy_required");
        let error = error(&mut engine, "go logical nodes 1000 depth 3");
        assert_eq!(error["code"], "strict_policy_required");
        assert_eq!(error["message"], "go logical: found StrictFailurePolicy off, expected it on");
        engine.send("setoption name StrictFailurePolicy value true");
        engine.send(&format!("position {PLACES_A_MILL} d1"));
        assert_eq!(code(&mut engine, "go logical nodes 1000"), "logical_turn_unstable_position");
        assert_eq!(code(&mut engine, "go logical nodes 1"), "logical_turn_unstable_position");
        for position in ["startpos", PLACES_A_MILL, SET_UP, SLIDES_A_MILL] {
            engine.send(&format!("position {position}"));
            for nodes in ["nodes 0", "nodes 1", "nodes 2 depth 9", "", "depth 3"] {
                let go = format!("go logical {nodes}");
                engine.send(&go);
                let answer = engine.until("sanmill_").pop().expect("a line");
                let error = object(&answer, "info string sanmill_error ");
                assert_eq!(error["code"], "logical_turn_budget_exhausted", "{position} {go}");
                assert_eq!(error["command"], "go");
            }
            engine.best("depth 1");
        }
    }
}

#[test]
fn a_whole_turn_does_not_begin_with_a_take_that_the_text_calls_a_placing() {
    let mut engine = strict(&[
        "PiecesCount value 11",
        "MayRemoveMultiple value true",
        "CustodianCaptureEnabled value true",
        "InterventionCaptureEnabled value true",
    ]);
    let board = "O@O@O*@@/@OOOOOOO/@@@@O@@*";
    let records = "i:w-1-2.10.13|b-1-2 s:2";
    let text = format!("fen {board} b p p 11 0 11 0 1 2 -1 -1 -1 -1 0 0 1 ids:nodes {records}");
    engine.send(&format!("position {text}"));
    let moves = engine.ask_one("moves");
    assert!(moves.starts_with("moves x"), "{moves}");
    assert_eq!(code(&mut engine, "go logical nodes 2000 depth 1"), "logical_turn_unstable_position");
}

/// Checks the object of a turn that is not the end of the game against what the position says after it.
fn check_turn(engine: &mut Engine, position: &str, turn: &Value, budget: u64) {
    let before = state_of(engine, position);
    let tokens: Vec<&str> =
        turn["full_turn_actions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let joint = if position.contains(" moves ") { "" } else { " moves" };
    let after = state_of(engine, &format!("{position}{joint} {}", tokens.join(" ")));
    assert_eq!(turn["protocol_version"], 1);
    assert_eq!(turn["status"], "ok");
    for (key, of_state) in [
        ("resulting_fen", "fen"),
        ("resulting_side_to_move", "side_to_move"),
        ("terminal", "terminal"),
        ("winner", "winner"),
        ("outcome_reason", "outcome_reason"),
    ] {
        assert_eq!(turn[key], after[of_state], "{key} after {tokens:?} in {position}");
    }
    assert_eq!(after["pending_removal"], false);
    assert_eq!(turn["logical_ply_delta"], 1);
    let plies = |state: &Value| state["logical_ply_count"].as_u64();
    assert_eq!(plies(&after), plies(&before).map(|plies| plies + 1));
    assert_eq!(turn["score_perspective"], before["side_to_move"]);
    assert_eq!(turn["logical_move_id"], json!(tokens.concat()));
    let (from, to) = match tokens[0].split_once('-') {
        Some((from, to)) => (json!(from), to),
        None => (Value::Null, tokens[0]),
    };
    let capture = tokens.get(1).map_or(Value::Null, |token| json!(&token[1..]));
    assert_eq!(turn["model_action"], json!({ "from": from, "to": to, "capture": capture }));
    assert_eq!(turn["search_calls"], tokens.len());
    let nodes = |key: &str| turn[key].as_u64().unwrap_or_else(|| panic!("{key} in {turn}"));
    assert_eq!(nodes("node_budget"), budget);
    assert_eq!(nodes("primary_nodes") + nodes("removal_nodes"), nodes("total_nodes"));
    assert!(nodes("total_nodes") <= budget && nodes("primary_nodes") > 0, "{turn}");
    assert_eq!(nodes("removal_nodes") > 0, tokens.len() > 1);
    assert!(nodes("completed_depth") >= 1 && nodes("effective_depth") >= nodes("completed_depth"), "{turn}");
    assert!(
        ["cp", "mate"].contains(&turn["score_kind"].as_str().unwrap_or_default()) && turn["score"].is_i64()
    );
}

#[test]
fn a_whole_turn_tells_moves_nodes_and_what_it_leads_to() {
    for algorithm in 0..5 {
        let mut engine = strict(&[&format!("Algorithm value {algorithm}"), "MultiPV value 2"]);
        for position in ["startpos", PLACES_A_MILL, SET_UP, SLIDES_A_MILL, "startpos moves d6 f4 d2"] {
            for budget in [300, 1_000, 5_000, 12_345] {
                engine.send(&format!("position {position}"));
                let turn = turn(&mut engine, &format!("go logical nodes {budget} depth 9"));
                check_turn(&mut engine, position, &turn, budget);
            }
        }
    }
    let mut engine = strict(&[]);
    for (position, mill) in [(PLACES_A_MILL, "d1"), (SLIDES_A_MILL, "a4-a7")] {
        for budget in [500, 20_000] {
            engine.send(&format!("position {position}"));
            let turn = turn(&mut engine, &format!("go logical nodes {budget} depth 20 searchmoves {mill}"));
            check_turn(&mut engine, position, &turn, budget);
            let tokens = turn["full_turn_actions"].as_array().expect("a list");
            assert!(tokens.len() == 2 && tokens[0] == mill, "{turn}");
            assert!(tokens[1].as_str().is_some_and(|token| token.starts_with('x')), "{turn}");
        }
    }
}

#[test]
fn a_turn_may_have_several_takes() {
    let mut engine = strict(&["MayRemoveMultiple value true"]);
    let position = "startpos moves a7 b2 d7 b4 g4 f2 g1 d3";
    for budget in [300, 5_000, 100_000] {
        engine.send(&format!("position {position}"));
        let turn = turn(&mut engine, &format!("go logical nodes {budget} searchmoves g7"));
        check_turn(&mut engine, position, &turn, budget);
        let tokens = turn["full_turn_actions"].as_array().expect("a list");
        assert!(tokens.len() == 3 && tokens[0] == "g7", "{turn}");
    }
}

#[test]
fn one_stop_ends_a_turn_of_three_searches() {
    let mut engine = strict(&["MayRemoveMultiple value true"]);
    engine.send("position startpos moves a7 b2 d7 b4 g4 f2 g1 d3");
    engine.send("go logical nodes 1000000000000 searchmoves g7");
    engine.send("stop");
    let turn = object(&engine.until("sanmill_").pop().expect("a line"), "info string sanmill_logical_turn ");
    assert_eq!(turn["search_calls"], 3, "{turn}");
}

#[test]
fn no_number_of_nodes_is_too_small_for_a_turn_that_a_smaller_one_completes() {
    for (variant, position) in [
        ("nine", "startpos moves c3 b2 d5 f4"),
        ("twelve", "startpos moves d6"),
        ("lasker", "startpos moves d6"),
        ("mul-mulan", "startpos moves d3 g1 c3"),
    ] {
        let mut engine = strict(&[&format!("UCI_Variant value {variant}")]);
        for budget in [300, 500, 700, 1_000, 3_000, 5_000, 7_000] {
            engine.send(&format!("position {position}"));
            let turn = turn(&mut engine, &format!("go logical nodes {budget}"));
            assert!(turn["total_nodes"].as_u64() <= Some(budget), "{variant}: {turn}");
        }
    }
}

#[test]
fn the_depth_ends_a_whole_turn_before_its_nodes() {
    let mut engine = strict(&[]);
    engine.send("position startpos moves d6 f4");
    let turn = turn(&mut engine, "go logical nodes 1000000 depth 2");
    assert_eq!((&turn["effective_depth"], &turn["completed_depth"]), (&json!(2), &json!(2)));
    assert!(turn["total_nodes"].as_u64() < Some(100_000), "{turn}");
    // No search is deeper than this.
    let turn = self::turn(&mut engine, "go logical nodes 300 depth 1000000");
    assert_eq!(turn["effective_depth"], 200);
}

#[test]
fn a_finished_game_has_no_turn() {
    for (position, reason, winner) in [
        (WON.to_owned(), "loseFewerThanThree", json!("black")),
        (cycle(9), "drawThreefoldRepetition", Value::Null),
    ] {
        let mut engine = strict(&[]);
        engine.send(&format!("position {position}"));
        let turn = turn(&mut engine, "go logical nodes 1000");
        assert_eq!((&turn["status"], &turn["terminal"]), (&json!("terminal"), &json!(true)));
        assert_eq!((&turn["full_turn_actions"], &turn["logical_ply_delta"]), (&json!([]), &json!(0)));
        for key in ["primary_nodes", "removal_nodes", "total_nodes", "search_calls"] {
            assert_eq!(turn[key], 0, "{key}");
        }
        assert_eq!((&turn["outcome_reason"], &turn["winner"]), (&json!(reason), &winner));
        assert_eq!((&turn["node_budget"], &turn["resulting_side_to_move"]), (&json!(1000), &Value::Null));
        assert_eq!(turn["resulting_fen"], state(&mut engine)["fen"]);
    }
}

#[test]
fn a_whole_turn_is_the_same_in_every_process() {
    let options: [&[&str]; 6] = [
        &[],
        &["Threads value 3"],
        &["SkillLevel value 4", "SearchShuffleSeed value 7"],
        &["Protocol value standard", "SkillLevel value 4"],
        &["Algorithm value 3", STABLE],
        &["Algorithm value 4"],
    ];
    for options in options {
        // The second process has already searched with a clock, and has entries in its transposition table.
        let lines: Vec<Vec<String>> = [false, true]
            .iter()
            .map(|&searches_before| {
                let mut engine = strict(options);
                if searches_before {
                    engine.send("position startpos moves d6 f4 d2");
                    engine.go("movetime 30");
                    engine.send(&format!("position {SLIDES_A_MILL}"));
                    engine.go("depth 6");
                }
                let mut line = |position: &str| {
                    engine.send(&format!("position {position}"));
                    turn_line(&mut engine, "go logical nodes 3000")
                };
                ["startpos", PLACES_A_MILL, SET_UP, SLIDES_A_MILL].map(&mut line).to_vec()
            })
            .collect();
        assert_eq!(lines[0], lines[1], "{options:?}");
    }
}
