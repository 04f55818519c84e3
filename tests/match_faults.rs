//! Matches with players that crash, hang, play illegal moves or are late: small shell scripts.

#![cfg(unix)]

use crate::common;

use common::{Folder, own_engine, plain, tablebase_files};
use millstone::internals::matches::client::Client;
use millstone::internals::matches::limits::{Clock, GoLimits};
use millstone::internals::matches::{BuiltinStyle, EngineFile, MatchSettings, Side, Standings, play};
use millstone::record::Builder;
use millstone::rules::Rules;
use millstone::types::Color;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An engine file whose program answers the handshake and then, for each `go`, runs `on_go`.
pub(crate) fn engine(folder: &Folder, name: &str, protocol: &str, on_go: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\nwhile read -r word rest; do case \"$word\" in\n\
         uci) echo 'id name fake'; echo uciok;;\n gbgp) echo gbgpok;;\n ugi) echo ugiok;;\n\
         isready) echo readyok;;\n go) {on_go};;\n quit) exit 0;;\nesac; done\n"
    );
    let program = folder.write(&format!("{name}.sh"), script);
    let engine = serde_json::json!({ "name": name, "cmd": ["sh", program], "protocol": protocol });
    folder.write(&format!("{name}.json"), engine.to_string())
}

/// Returns the settings of a match with the flags of `more`.
pub(crate) fn settings(a: &Path, more: &[&str]) -> MatchSettings {
    let mut settings = MatchSettings { a: Some(a.to_owned()), ..MatchSettings::default() };
    for pair in more.chunks(2) {
        let &[flag, value] = pair else { panic!("{pair:?} is no flag with its value") };
        match flag {
            "--b" => settings.b = Some(value.into()),
            "--opponent" => settings.opponent = Some(style(value)),
            "--games" => settings.games = value.parse().expect("a number"),
            "--go" => settings.go = value.to_owned(),
            "--concurrency" => settings.concurrency = value.parse().expect("a number"),
            "--openings" => settings.openings = Some(value.into()),
            "--records" => settings.records = Some(value.into()),
            "--resume" => settings.resume = Some(value.into()),
            "--rules" => settings.rules = Rules::parse(value).expect("rules"),
            "--timeout" => settings.timeout = Duration::from_secs_f64(value.parse().expect("seconds")),
            "--margin" => settings.margin = value.parse().expect("milliseconds"),
            _ => panic!("the flag {flag} is unknown here"),
        }
    }
    settings
}

/// Returns the built-in opponent of this name.
fn style(name: &str) -> BuiltinStyle {
    let all = [BuiltinStyle::Random, BuiltinStyle::Greedy, BuiltinStyle::Perfect, BuiltinStyle::Tricky];
    all.into_iter().find(|style| style.name() == name).expect("a style")
}

pub(crate) fn against_random(a: &Path, more: &[&str]) -> Standings {
    let words: Vec<&str> = ["--opponent", "random"].into_iter().chain(more.iter().copied()).collect();
    play(&settings(a, &words)).expect("the match goes on whatever a player does").0
}

/// Returns why an engine has no move for `go`, for which it gets `brief` more than its limit. Other answers
/// may take a minute: a busy machine may take seconds to start a script.
pub(crate) fn fault_of_move(engine: &Path, go: &str, brief: Duration) -> String {
    let limits = GoLimits::parse(go).expect("limits");
    let clocks = Color::ALL.map(|color| Clock::new(&limits, color));
    let file = EngineFile::read(engine).expect("an engine file");
    let mut client = Client::new(file, Rules::NINE, Duration::from_secs(60)).with_move_timeout(brief);
    client.start().expect("it answers the handshake");
    let mut game = Builder::new(Rules::NINE, None).expect("a game");
    client.play(&mut game, &limits, &clocks).map(|_| ()).expect_err("no move").to_string()
}

/// Checks that A lost every game for a reason that begins with `reason`.
pub(crate) fn all_lost(standings: &Standings, games: u32, reason: &str) {
    assert_eq!((standings.all.games(), standings.all.losses), (games, games));
    assert_eq!(standings.failures.len() as u32, games);
    for (_, side, why) in &standings.failures {
        assert_eq!(*side, Side::A);
        assert!(why.starts_with(reason), "{why}");
    }
}

#[test]
fn an_engine_that_ends_loses_each_game_and_is_started_again() {
    let folder = Folder::new("match crash");
    let crash = engine(&folder, "crash", "standard", "exit 3");
    all_lost(&against_random(&crash, &["--games", "4"]), 4, "crashed: exit status: 3");
    let killed = engine(&folder, "killed", "standard", "kill -9 $$");
    all_lost(&against_random(&killed, &["--games", "2"]), 2, "crashed: signal: 9");
}

#[test]
fn an_engine_that_no_longer_starts_does_not_lose_the_games_before() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new("match gone");
    let file = engine(&folder, "gone", "standard", "rm \"$0\"; exit 3");
    let program = folder.file("gone.sh");
    let script = fs::read_to_string(&program).expect("a script");
    let engine = serde_json::json!({ "name": "gone", "cmd": [program], "protocol": "standard" });
    fs::write(&file, engine.to_string()).expect("written");
    let records = folder.file("records.pgn");
    let games = ["match", "--opponent", "random", "--a", plain(&file), "--records", plain(&records)];
    let positions = ["accuracy", "--sample", "9", "--engine", plain(&file)];
    for (words, count) in [(&games[..], "games"), (&positions[..], "positions")] {
        fs::write(&program, &script).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        let output = common::millstone(&[words, &["--json"]].concat());
        let why = common::stderr_text(&output);
        assert!(output.status.code() == Some(2) && why.contains("engine gone: not started: "), "{why}");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(result[count], 1, "the first one is told");
    }
    let record = fs::read_to_string(&records).expect("records");
    assert_eq!(record.matches("[Termination \"crashed: exit status: 3\"]").count(), 1, "{record}");
}

#[test]
fn a_match_ends_as_soon_as_its_sequential_test_is_decided() {
    let folder = Folder::new("match test");
    let crash = engine(&folder, "crash", "standard", "exit 3");
    let limited = settings(&crash, &["--opponent", "random", "--games", "100"]);
    let standings = play(&MatchSettings { sprt: Some((-300.0, 300.0)), ..limited }).expect("a match").0;
    // One lost pair is not enough, and after two the rest of a hundred games would add nothing.
    assert_eq!(standings.played, 4);
    assert_eq!(standings.json()["sprt"]["result"], "rejected");
}

#[test]
fn an_engine_that_says_nothing_is_hung() {
    let folder = Folder::new("match hang");
    let hang = engine(&folder, "hang", "standard", "sleep 30");
    for go in ["nodes 10", "depth 3", "movetime 50", "wtime 100 btime 100", "wtime 50 btime 50 nodes 9"] {
        let why = fault_of_move(&hang, go, Duration::from_millis(300));
        assert!(why.starts_with("hung: no answer to 'go"), "{go}: {why}");
    }
    let limits = ["--games", "2", "--concurrency", "2", "--timeout", "5", "--go", "nodes 10"];
    all_lost(&against_random(&hang, &limits), 2, "hung: no answer to 'go");
}

#[test]
fn a_move_may_have_another_timeout_than_other_answers() {
    let folder = Folder::new("match timeouts");
    let (brief, long) = (Duration::from_millis(50), Duration::from_secs(60));
    let hangs = engine(&folder, "hangs", "standard", "sleep 60");
    let why = fault_of_move(&hangs, "nodes 10", brief);
    assert!(why.starts_with("hung: no answer to 'go nodes 10' in 50ms"), "{why}");
    let file = EngineFile::read(&hangs).expect("an engine file");
    let mute = EngineFile { cmd: ["sleep", "60"].map(str::to_owned).to_vec(), ..file };
    let mut mute = Client::new(mute, Rules::NINE, brief).with_move_timeout(long);
    let why = mute.start().expect_err("no handshake").to_string();
    assert!(why.starts_with("not started: hung: no answer to 'uci' in 50ms"), "{why}");
}

/// Processes that leave the group of their engine, with and without its environment and their parent.
#[cfg(target_os = "linux")]
#[test]
fn nothing_that_an_engine_starts_survives_it() {
    let folder = Folder::new("match strays");
    let sleeper = folder.write("sleeper", "exec sleep 1000");
    let sleeper = plain(&sleeper).replace(' ', "?");
    let strays = [
        "setsid sh SLEEPER &",
        "(setsid sh SLEEPER &)",
        "setsid sh -c '(sh SLEEPER & sh SLEEPER) &' &",
        "(env -i setsid sh -c 'sh SLEEPER & sh SLEEPER' &)",
    ];
    let pids = folder.file("pids");
    // Each notes its number, which `exec` keeps.
    folder.write("sleeper", format!("echo $$ >> '{}'; exec sleep 1000", plain(&pids)));
    let start = strays.join("\n").replace("SLEEPER", &sleeper);
    // Six of each of the two engines.
    let wait = format!("while [ $(cat '{}' | wc -l) -lt 12 ]; do sleep 0.05; done", plain(&pids));
    let sound = own_engine(&folder, serde_json::json!({}));
    for (end, fault) in [("echo bestmove xd6", "illegal"), ("exit 3", "crashed"), ("sleep 1000", "hung")] {
        let go = format!("{{ {start}\n{wait}\n}} > /dev/null 2>&1; {end}");
        let faulty = engine(&folder, fault, "standard", &go);
        let run = common::millstone(&[
            "match",
            "--a",
            plain(&faulty),
            "--b",
            plain(&sound),
            "--games",
            "2",
            "--concurrency",
            "2",
            "--go",
            "nodes 10",
            "--timeout",
            if fault == "hung" { "5" } else { "30" },
        ]);
        let text = String::from_utf8_lossy(&run.stdout).into_owned() + &common::stderr_text(&run);
        assert!(run.status.success() && text.contains(fault), "{}: {text}", run.status);
        let started = fs::read_to_string(&pids).expect("the numbers of the strays");
        assert_eq!(started.lines().count(), 2 * 6, "{fault}: {started}");
        for id in started.lines() {
            let name = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            assert!(name.trim() != "sleep" && name.trim() != "sh", "{fault}: {id} is left: {name}");
        }
        fs::remove_file(&pids).expect("removed");
    }
}

/// A shell that becomes the match leaves it its children, and some of them read its output.
#[cfg(target_os = "linux")]
#[test]
fn what_a_shell_has_started_outlives_the_match_that_it_becomes() {
    let folder = Folder::new("match heir");
    let pid = folder.file("pid");
    // If it kept the pipes of this test, their reader would wait for its end.
    let script = "sleep 1000 > /dev/null 2>&1 & echo $! > \"$0\"; exec \"$@\"";
    let run = std::process::Command::new("sh")
        .args(["-c", script, plain(&pid), env!("CARGO_BIN_EXE_millstone"), "match", "--opponent", "random"])
        .args(["--games", "1", "--go", "nodes 5", "--timeout", "60"])
        .output()
        .expect("a shell");
    assert!(run.status.success(), "{}", common::stderr_text(&run));
    let id = fs::read_to_string(&pid).expect("its number");
    let name = fs::read_to_string(format!("/proc/{}/comm", id.trim())).unwrap_or_default();
    assert_eq!(name.trim(), "sleep", "{}", common::stderr_text(&run));
    let killed = std::process::Command::new("kill").arg(id.trim()).status().expect("it runs");
    assert!(killed.success());
}

#[test]
fn an_illegal_answer_loses_and_names_the_legal_ones() {
    let folder = Folder::new("match illegal");
    for (name, answer) in [("taken", "xd6"), ("nonsense", "e2e4"), ("nothing", "(none)"), ("empty", "")] {
        let liar = engine(&folder, name, "standard", &format!("echo 'bestmove {answer}'"));
        let standings = against_random(&liar, &["--games", "2"]);
        all_lost(&standings, 2, &format!("illegal: found '{answer}', expected one of"));
    }
}

#[test]
fn an_answer_after_its_time_loses() {
    let folder = Folder::new("match late");
    let late = engine(&folder, "late", "standard", "sleep 0.4; echo 'bestmove d6'");
    for go in ["movetime 50", "wtime 200 btime 200"] {
        let standings = against_random(&late, &["--games", "2", "--go", go, "--margin", "20"]);
        all_lost(&standings, 2, "late: ");
    }
    let json = against_random(&late, &["--games", "2", "--go", "movetime 50"]).json();
    assert_eq!(json["failures"][0]["game"], 1);
    assert_eq!(json["failures"][0]["side"], "a");
    assert_eq!((json["losses"].as_u64(), json["elo"].is_null()), (Some(2), true));
    assert_eq!(json["as_black"]["losses"], 1);
    assert_eq!(json["pentanomial"], serde_json::json!([1, 0, 0, 0, 0]));
}

#[test]
fn every_kind_of_fault_is_recorded_in_one_match() {
    let folder = Folder::new("match faults");
    // The number of the game is in a file, because the program is started again after some faults.
    let count = folder.file("count");
    let on_go = format!(
        "echo >> '{0}'; case $(($(wc -l < '{0}') % 4)) in 1) kill -9 $$;; 2) sleep 5;; 3) echo bestmove \
            xd6;;\n\
         *) sleep 0.4; echo bestmove a7;; esac",
        plain(&count)
    );
    let kinds = ["crashed: signal: 9", "hung: no answer", "illegal: found 'xd6'", "late: "];
    let faulty = engine(&folder, "faulty", "standard", &on_go);
    // The first reply is a crossing of two lines, never a7.
    let options = serde_json::json!({ "Shuffling": false });
    let sound = own_engine(&folder, serde_json::json!({ "options": options, "go": "nodes 10" }));
    let limits = ["--games", "4", "--go", "movetime 30", "--timeout", "4", "--openings", "startpos"];
    for (a, b, side) in [(&faulty, &sound, Side::A), (&sound, &faulty, Side::B)] {
        let log = folder.file(format!("{side:?}.jsonl"));
        let words = [&["--b", plain(b), "--resume", plain(&log)], &limits[..]].concat();
        let standings = play(&settings(a, &words)).expect("the match goes on whatever a player does").0;
        let lost = if side == Side::A { standings.all.losses } else { standings.all.wins };
        assert_eq!((standings.all.games(), lost), (4, 4), "{:?}", standings.failures);
        let failures: Vec<_> = standings.failures.iter().map(|(game, who, _)| (*game, *who)).collect();
        assert_eq!(failures, [1, 2, 3, 4].map(|game| (game, side)));
        for ((_, _, why), kind) in standings.failures.iter().zip(kinds) {
            assert!(why.starts_with(kind), "'{why}' is not '{kind}'");
        }
        let kept = fs::read_to_string(&log).expect("a log");
        assert!(kinds.iter().all(|kind| kept.matches(kind).count() == 1), "{kept}");
    }
}

#[test]
fn a_second_answer_is_not_that_to_the_next_question() {
    let folder = Folder::new("match twice");
    let script = folder.write(
        "twice.sh",
        format!(
            "'{}' | while read -r line; do echo \"$line\"\n\
             case \"$line\" in bestmove*) sleep 0.1; echo bestmove nonsense;; esac; done\n",
            env!("CARGO_BIN_EXE_millstone")
        ),
    );
    let twice = serde_json::json!({ "name": "twice", "cmd": ["sh", script], "protocol": "standard" });
    let twice = folder.write("twice.json", twice.to_string());
    let standings = against_random(&twice, &["--games", "1", "--go", "nodes 5"]);
    assert_eq!((standings.all.games(), &standings.failures), (1, &Vec::new()));
}

#[test]
fn an_engine_that_is_too_slow_for_the_first_dialect_is_named() {
    let folder = Folder::new("match slow");
    let script = "#!/bin/sh\nwhile read -r word rest; do case \"$word\" in gbgp) echo gbgpok;;\n\
                  isready) echo readyok;;\n go) echo bestmove a1;;\n quit) exit 0;;\nesac; done\n";
    let program = folder.write("slow.sh", script);
    let engine = serde_json::json!({ "name": "slow", "cmd": ["sh", program] });
    let file = folder.write("slow.json", engine.to_string());
    let short = ["--games", "1", "--timeout", "1"];
    let output =
        common::millstone(&[&["match", "--a", plain(&file), "--opponent", "random"], &short[..]].concat());
    let notes = String::from_utf8_lossy(&output.stderr);
    let note = "engine slow: no answer to 'uci' in time, so it is asked in gbgp\n";
    assert!(output.status.success() && notes.matches(note).count() == 1, "{notes}");
}

#[test]
fn dialects_are_found_out() {
    let folder = Folder::new("match auto");
    let all = ["uci", "gbgp", "ugi"];
    for (name, other, asked) in [("gbgp", "uci|ugi", &all[..2]), ("ugi", "uci|gbgp", &all)] {
        let log = folder.file(format!("{name}.log"));
        let script = format!(
            "#!/bin/sh\nwhile read -r word rest; do\n\
             case \"$word\" in uci|gbgp|ugi) echo $word >> '{}';; esac\n\
             case \"$word\" in\n {other}) exit 1;;\n {name}) echo {name}ok;;\n\
             isready) echo readyok;;\n go) echo bestmove a1;;\n quit) exit 0;;\nesac; done\n",
            plain(&log)
        );
        let program = folder.write(&format!("{name}.sh"), script);
        let engine = serde_json::json!({ "name": name, "cmd": ["sh", program] });
        let file = folder.write(&format!("{name}.json"), engine.to_string());
        let accuracy = ["accuracy", "--sample", "9", "--nodes", "1", "--engine", plain(&file)];
        // The reply is always a1, which is soon occupied.
        let play = || all_lost(&against_random(&file, &["--games", "2"]), 2, "illegal: found 'a1'");
        let measure = || {
            let output = common::millstone(&accuracy);
            let report = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && !report.contains("not started"), "{report}");
        };
        let runs: [&dyn Fn(); 2] = [&play, &measure];
        // The first start, before the first game, finds the dialect. Those that play use it.
        for run in runs {
            run();
            let text = fs::read_to_string(&log).expect("a log");
            fs::remove_file(&log).expect("it exists");
            let words: Vec<&str> = text.lines().collect();
            let (first, later) = words.split_at(asked.len());
            assert_eq!(first, asked);
            assert!(!later.is_empty() && later.iter().all(|word| *word == name), "{later:?}");
        }
    }
}

#[test]
fn an_engine_that_knows_no_dialect_is_told_by_each_question() {
    let folder = Folder::new("match no dialect");
    let script = "#!/bin/sh\nyes 'info string what'\n";
    let program = folder.write("flood.sh", script);
    let engine = serde_json::json!({ "name": "flood", "cmd": ["sh", program] });
    let file = folder.write("flood.json", engine.to_string());
    let why =
        play(&settings(&file, &["--opponent", "random"])).map(|_| ()).expect_err("no answer").to_string();
    for hello in ["uci", "gbgp", "ugi"] {
        assert!(why.contains(&format!("after '{hello}' hung: ")), "{why}");
    }
}

#[test]
fn a_table_shows_no_score_without_games() {
    let folder = Folder::new("match one game");
    let cheat = engine(&folder, "cheat", "standard", "echo bestmove a1");
    let table = against_random(&cheat, &["--games", "1"]).table();
    let row = table.lines().find(|line| line.starts_with("as Black")).expect("a row");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["as", "Black", "0", "0", "0", "0", "-"]);
}

#[test]
fn what_cannot_be_started_at_all_is_an_error() {
    let folder = Folder::new("match start");
    let file = folder.write("none.json", r#"{"name": "none", "cmd": ["/no/such/program"]}"#);
    let why = play(&settings(&file, &["--opponent", "random"])).map(|_| ()).expect_err("no program");
    assert!(why.to_string().starts_with("engine none: not started: /no/such/program"), "{why}");
    let mute = engine(&folder, "mute", "gbgp", "true");
    let why = play(&settings(&mute, &["--opponent", "random", "--rules", "lasker"])).map(|_| ());
    assert!(why.expect_err("rules that the dialect does not know").to_string().contains("lasker"));
}

#[test]
fn an_engine_that_the_system_no_longer_starts_loses_no_further_game() {
    let folder = Folder::new("match vanished");
    let shell = folder.file("shell");
    std::os::unix::fs::symlink("/bin/sh", &shell).expect("a link");
    let on_go = format!("rm '{}'; exit 1", plain(&shell));
    engine(&folder, "brief", "standard", &on_go);
    let own = serde_json::json!({
        "name": "brief", "cmd": [plain(&shell), plain(&folder.file("brief.sh"))], "protocol": "standard"
    });
    let file = folder.write("own.json", own.to_string());
    let log = folder.file("games.jsonl");
    let more = ["--opponent", "random", "--games", "3", "--resume", plain(&log)];
    let why = play(&settings(&file, &more)).map(|_| ()).expect_err("it is gone").to_string();
    assert!(why.starts_with("engine brief: not started: "), "{why}");
    assert_eq!(fs::read_to_string(&log).expect("a log").lines().count(), 2, "one game was lost");
}

#[test]
fn a_match_goes_on_with_another_tablebase_but_not_with_a_damaged_one() {
    let folder = Folder::new("match tables");
    let build = ["build", "--scope", "7-men", "--distances", "none", "--quiet"];
    let tables = tablebase_files("match tables of seven men", &build);
    // White wins, but not by this move.
    let won = "fen O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes\n";
    let openings = folder.write("openings.txt", won);
    let fool = engine(&folder, "fool", "standard", "echo bestmove g4-a4");
    let log = folder.file("games.jsonl");
    let judged = |tablebases: Vec<PathBuf>| {
        let more = ["--opponent", "random", "--games", "1", "--openings", plain(&openings)];
        let resumed = settings(&fool, &[&more[..], &["--resume", plain(&log)]].concat());
        play(&MatchSettings { tablebases, ..resumed })
            .map(|(standings, _)| (standings.played, standings.value_lost.len()))
            .map_err(|why| why.to_string())
    };
    let run = |tables: &Path| judged(vec![tables.to_owned()]);
    // A tablebase also judges the games that were played without it.
    assert_eq!(judged(Vec::new()), Ok((1, 0)));
    assert_eq!(run(tables.path()), Ok((0, 1)));
    fs::remove_file(&log).expect("it exists");
    assert_eq!(run(tables.path()), Ok((1, 1)));
    // What is stored of the position is in a file that the other folder lacks.
    let copy = |name: &str, file: &str| {
        let other = folder.file(name);
        fs::create_dir_all(&other).expect("a folder");
        fs::copy(tables.path().join(file), other.join(file)).expect("a copy");
        other
    };
    assert_eq!(run(&copy("smaller", "4_3_0_0.wdl")), Ok((0, 1)));
    let damaged = copy("damaged", "3_3_0_0.wdl");
    let mut bytes = fs::read(damaged.join("3_3_0_0.wdl")).expect("a file");
    let (from, to) = (bytes.len() / 4, bytes.len() / 4 * 3);
    bytes[from..to].iter_mut().for_each(|byte| *byte ^= 1);
    fs::write(damaged.join("3_3_0_0.wdl"), bytes).expect("a file");
    let why = run(&damaged).expect_err("it is damaged");
    assert!(why.contains("expected a sound tablebase"), "{why}");
}

#[test]
fn the_built_in_tablebase_judges_moves_if_it_may_end_games() {
    let folder = Folder::new("match judged");
    // A draw, but not by this move.
    let drawn = "fen ******@*/@@*@*O*O/**O***** w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes\n";
    let openings = folder.write("openings.txt", drawn);
    let fool = engine(&folder, "fool", "standard", "echo bestmove g4-b4");
    let more = ["--opponent", "random", "--games", "1", "--openings", plain(&openings)];
    for (adjudicate, count) in [(true, 1), (false, 0)] {
        let match_settings = MatchSettings { adjudicate, ..settings(&fool, &more) };
        let (standings, _) = play(&match_settings).expect("a match");
        assert_eq!(standings.value_lost.len(), count);
    }
}

#[test]
fn a_match_goes_on_from_its_file() {
    let folder = Folder::new("match resume");
    let cheat = engine(&folder, "cheat", "standard", "echo bestmove a1");
    let log = folder.file("games.jsonl");
    let records = folder.file("games.pgn");
    let words = |games: &'static str| {
        let paths = [&log, &records].map(|path| plain(path).to_owned());
        vec![
            "--games".to_owned(),
            games.to_owned(),
            "--resume".to_owned(),
            paths[0].clone(),
            "--records".to_owned(),
            paths[1].clone(),
        ]
    };
    let run = |games| {
        let words = words(games);
        let words = ["--opponent", "random"].into_iter().chain(words.iter().map(String::as_str));
        play(&settings(&cheat, &words.collect::<Vec<_>>())).expect("a lost game ends no match")
    };
    assert_eq!((run("4").0.played, fs::read_to_string(&log).expect("a log").lines().count()), (4, 5));
    let mut text = fs::read_to_string(&log).expect("a log");
    // Simulates a match that was killed while it wrote a line.
    let cut = text.trim_end().rfind('\n').expect("lines") + 10;
    text.truncate(cut);
    fs::write(&log, text).expect("a log");
    let (standings, text_of_games) = run("6");
    assert_eq!((standings.played, standings.all.games()), (3, 6));
    assert!(!records.exists(), "the command writes them, after the result");
    let text = fs::read_to_string(&log).expect("a log");
    let mut numbers: Vec<u64> = text
        .lines()
        .skip(1)
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["game"].as_u64().expect("a number")
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    let reading = millstone::record::read("games.pgn", &text_of_games, &Default::default());
    assert!(reading.errors.is_empty());
    assert_eq!(reading.games.len(), 6);
    assert_eq!(reading.games[1].tag("White"), Some("random"));
}
