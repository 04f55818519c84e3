//! Faulty input: the recorded cases and some of our own. The engine answers each one and keeps its state.

use crate::common;

use common::Engine;

const KNOWN: &str = "position startpos moves d6 f4 d2";

/// Decodes the escapes of the recorded file.
fn unescape(text: &str) -> Vec<u8> {
    let mut text = text.to_owned();
    while let Some(start) = text.find("{{") {
        let end = start + text[start..].find("}}").expect("a repetition ends");
        let (count, what) = text[start + 2..end].split_once(':').expect("a number and a text");
        let repeated = what.repeat(count.parse().expect("a number"));
        text.replace_range(start..end + 2, &repeated);
    }
    let mut bytes = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let kind = if c == '\\' { chars.next().expect("an escape ends") } else { '.' };
        let mut number = |digits| {
            let digits: String = chars.by_ref().take(digits).collect();
            u32::from_str_radix(&digits, 16).expect("hexadecimal digits")
        };
        match kind {
            '.' => bytes.extend(c.to_string().bytes()),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            '\\' => bytes.push(b'\\'),
            'x' => bytes.push(number(2) as u8),
            'u' => bytes.extend(char::from_u32(number(4)).expect("a character").to_string().bytes()),
            other => panic!("unknown escape {other}"),
        }
    }
    bytes
}

/// Sends a case to a fresh engine and checks the answer against the recorded expectations.
fn check(id: &str, demands: &str, input: &[u8]) {
    let demands: Vec<&str> = demands.split(',').map(str::trim).collect();
    let wants = |demand| demands.contains(&demand);
    let mut engine = Engine::start();
    engine.send(KNOWN);
    let before = engine.fen();
    engine.send_bytes(input);
    engine.send_bytes(b"\n");
    engine.send("isready");
    let mut lines = engine.until("readyok");
    lines.pop();
    for line in &lines {
        assert!(line.starts_with("info ") || line.starts_with("bestmove "), "{id}: {line}");
        assert!(line.len() < 4096 && line.is_ascii(), "{id}: {line}");
    }
    let has_error = lines.iter().any(|line| line.starts_with("info string "));
    assert!(has_error || !wants("error"), "{id}: no error line in {lines:?}");
    if wants("search") {
        engine.send("stop");
        if !lines.iter().any(|line| line.starts_with("bestmove ")) {
            engine.until("bestmove");
        }
    }
    let after = engine.ask("fen").pop().expect("a position");
    if wants("keep") {
        assert_eq!(after, format!("fen {before}"), "{id}");
    } else {
        assert!(after.starts_with("fen "), "{id}: {after}");
    }
    engine.send("position startpos");
    engine.best("depth 1");
    assert!(engine.quit().success(), "{id}");
}

#[test]
fn recorded_cases_are_answered_as_demanded() {
    let Some(path) = common::shared("oracle/badinput.txt") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut cases = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[id, demands, input, _] = fields.as_slice() else { panic!("four fields, not: {line}") };
        check(id, demands, &unescape(input));
        cases += 1;
    }
    assert!(cases > 50, "only {cases} cases");
}

#[test]
fn more_faulty_lines_are_reported_and_change_nothing() {
    let long_name = "setoption name ".to_owned() + &"x".repeat(300_000);
    let cases: &[(&str, &str)] = &[
        ("error,keep", "setoption name"),
        ("error,keep", "setoption Hash 16"),
        ("error,keep", "setoption name Hash value"),
        ("error,keep", "setoption name Hash value 16 MiB"),
        ("error,keep", "setoption name Hash value 0"),
        ("error,keep", "setoption name Threads value 513"),
        ("error,keep", "setoption name Ponder value maybe"),
        ("error,keep", "setoption name Protocol value chess"),
        ("error,keep", "setoption name UCI_Variant value custom"),
        ("error,keep", "setoption name SearchShuffleSeed value 0xg"),
        ("error,keep", &long_name),
        ("error,keep", "position startpos moves d6\u{a0}f4"),
        ("error,keep", "position startpos moves bestmove"),
        ("error,keep", "POSITION startpos"),
        ("error,keep", "gbgp2"),
        ("error,keep", "newgame"),
        ("error,keep", "query result"),
        ("error,keep", "perft"),
        ("error,keep", "perft x"),
        ("error,keep", "bench 0"),
        ("error,keep", "analyze"),
        ("error,keep", "analyze fen x"),
        ("quiet-ok,keep,search", "go movetime 99999999999999999999 depth 2"),
        ("quiet-ok,keep,search", "go nodes -5"),
        ("quiet-ok,keep,search", "go wtime -5 btime -5"),
        ("quiet-ok,keep,search", "go mate 0 depth 1"),
        ("quiet-ok,keep,search", "go searchmoves"),
        ("quiet-ok,keep,search", "go topn 0 depth 1"),
        ("error,keep", "go logical nodes 5"),
        ("quiet-ok,keep", "debug 7"),
        ("quiet-ok,keep", "ponderhit"),
        (
            "quiet-ok,any-pos",
            "position fen ********/********/******** b m r 0 0 0 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        ),
        (
            "quiet-ok,any-pos",
            "position fen OOO*****/@@@*****/******** w m ? 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        ),
    ];
    for (demands, input) in cases {
        check(&input[..input.len().min(60)], demands, input.as_bytes());
    }
    check("return and newline", "error,keep", b"nonsense\r\n\r\n\t \r\n");
    check("a zero byte", "error,keep", b"isready\0");
    check("bytes of a cut character", "error,keep", b"setoption name \xe2\x99");
}

#[test]
fn oddly_set_up_positions_are_played_without_a_crash() {
    let board = ["OOO*****/@@@*****/********", "********/********/********", "O*O*O*O*/@*@*@*@*/********"];
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 2");
    for board in board {
        let count = |c| board.matches(c).count();
        for side in ["w", "b"] {
            for phase in ["p", "m", "o", "r", "n"] {
                for action in ["p", "s", "r", "?"] {
                    for takes_due in ["0 0", "1 0", "-1 2", "0 -3"] {
                        let (white, black) = (count('O'), count('@'));
                        engine.send(&format!(
                            "position fen {board} {side} {phase} {action} {white} {} {black} 0 {takes_due} \
                             -1 -1 -1 -1 0 7 3 ids:nodes",
                            9 - white
                        ));
                        engine.best("depth 3");
                        engine.ask("d");
                        engine.ask("statejson");
                        engine.ask("eval");
                        engine.send("perft 2");
                        engine.until("Nodes searched");
                    }
                }
            }
        }
    }
    assert!(engine.quit().success());
}

#[test]
fn the_sanmill_dialects_mend_what_can_be_mended() {
    for protocol in ["sanmill7", "tgf"] {
        let mut engine = Engine::start_with(&["--protocol", protocol]);
        engine.send("setoption name MoveTimeMs value 5");
        let lines = engine.ask("position startpos moves d6 f4 d6 d2");
        assert!(lines.len() == 1 && lines[0].contains("illegal move ignored"), "{lines:?}");
        assert!(engine.fen().contains(" w p p 1 8 1 8 "));
        assert!(engine.best("").len() == 2);
        assert_eq!(engine.ask("position fen nonsense").len(), 1);
        assert!(engine.fen().contains(" w p p 0 9 0 9 "));
        for (position, fields) in [
            ("fen", " w p p 0 9 0 9 "),
            ("startpos d6 f4", " w p p 0 9 0 9 "),
            ("fen moves d6", " w p p 0 9 0 9 "),
            ("d6", " b p p 1 8 0 9 "),
        ] {
            engine.send("position startpos moves d6");
            let line = engine.ask_one(&format!("position {position}"));
            assert_eq!(
                line.ends_with("; the initial position is set up instead"),
                fields.contains('w'),
                "{line}"
            );
            assert!(engine.fen().contains(fields), "{position}");
        }
        let mismatch = "position fen OOO*****/********/******** b p z 7 9 0 9 0 0 0 0 0 0 0 0 1";
        let note = engine.ask_one(mismatch);
        assert!(note.contains("found 'z'") && note.ends_with("an unknown action is read as ?"), "{note}");
        assert!(engine.fen().contains(" b p ? 3 6 0 9 "));
    }
}

#[test]
fn strict_mode_refuses_whole_commands_with_an_object() {
    let mut engine = Engine::start_with(&["--protocol", "tgf"]);
    engine.send("setoption name StrictFailurePolicy value true");
    engine.send("position startpos moves d6");
    let before = engine.fen();
    for (bad, code) in [
        ("position", "invalid_position_command"),
        ("position fen nonsense", "invalid_fen"),
        ("position startpos moves d6 d6", "position_history_illegal_action"),
        ("position startpos moves d6 a1 f4 g1 d2 d1xd2", "position_history_illegal_action"),
    ] {
        let answer = engine.ask_one(bad);
        let object = answer.strip_prefix("info string sanmill_error ").expect("an error of strict mode");
        let object: serde_json::Value = serde_json::from_str(object).expect("an object");
        assert_eq!(object["code"], code, "{answer}");
        assert_eq!((&object["status"], &object["command"]), (&"error".into(), &"position".into()));
        assert_eq!(engine.fen(), before);
        let answer = engine.ask_one("go depth 1");
        assert!(answer.contains("sanmill_error") && answer.contains("position_unavailable"), "{answer}");
        let state = engine.ask_one("statejson");
        let state = state.strip_prefix("info string sanmill_state ").expect("a state");
        let state: serde_json::Value = serde_json::from_str(state).expect("an object");
        assert_eq!(
            (&state["status"], &state["position_error_code"]),
            (&"position_unavailable".into(), &code.into())
        );
    }
    engine.send("position startpos moves d6");
    engine.best("depth 1");
    let answer = engine.ask("position startpos moves \u{1F600}\"\\").pop().unwrap();
    let object = answer.strip_prefix("info string sanmill_error ").expect("an error of strict mode");
    serde_json::from_str::<serde_json::Value>(object).expect("an object whatever was sent");
}
