//! The thirteen points of the protocol's checklist, each a test of the built program. Times are measured by
//! `tests/measure/latency.py`; here deadlines of seconds only guard against hanging.

use crate::common;
use crate::fuzzed::chance::{Dice, fresh, nonsense};
use crate::naive;

use common::{Engine, field, largest, move_of};
use millstone::rules::Rules;
use naive::{Game, Options};
use std::collections::HashSet;

/// Plays the moves of a line; the error is the first illegal one.
fn replay(game: &mut Game, moves: &str) -> Result<(), String> {
    game.play_past_draws(true);
    for text in moves.split_whitespace() {
        let action = game.parse(text).ok_or_else(|| format!("{text} is illegal at {}", game.fen()))?;
        game.apply(action);
    }
    Ok(())
}

/// A random game under the rules, as far as `length` moves: after each, the moves so far and the game.
fn random_game(options: &Options, seed: u64, length: usize) -> Vec<(String, Game)> {
    let mut dice = Dice(fresh(seed));
    let mut game = Game::new(options);
    let mut moves = String::new();
    let mut stages = vec![(moves.clone(), game.clone())];
    while stages.len() <= length && !game.terminal() {
        let legal = game.legal();
        let action = legal[dice.below(legal.len())];
        game.apply(action);
        moves.push_str(&format!(" {action}"));
        stages.push((moves.clone(), game.clone()));
    }
    stages
}

fn position(moves: &str) -> String {
    if moves.is_empty() { "position startpos".to_owned() } else { format!("position startpos moves{moves}") }
}

fn pv(line: &str) -> Option<&str> {
    line.split_once(" pv ").map(|(_, pv)| pv)
}

#[test]
fn check_01_every_option_line_parses_and_its_default_lies_in_range() {
    for hello in ["uci", "gbgp", "ugi"] {
        let mut engine = Engine::start();
        engine.send(hello);
        let lines = engine.until(&format!("{hello}ok"));
        let options: Vec<&String> = lines.iter().filter(|line| line.starts_with("option ")).collect();
        assert!(options.len() > 40, "{hello}");
        for line in options {
            let (name, rest) = line
                .strip_prefix("option name ")
                .and_then(|rest| rest.split_once(" type "))
                .unwrap_or_else(|| panic!("{line}"));
            assert!(!name.is_empty());
            let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let after = |word: &str| {
                rest.split_once(&format!("{word} "))
                    .map(|(_, rest)| rest.split(' ').next().unwrap_or_default())
            };
            match kind {
                "button" => assert_eq!(rest, "", "{line}"),
                "check" => assert!(rest == "default true" || rest == "default false", "{line}"),
                "spin" => {
                    let [default, min, max]: [i64; 3] =
                        ["default", "min", "max"].map(|word| after(word).unwrap().parse().unwrap());
                    assert!(min <= default && default <= max, "{line}");
                    assert_eq!(rest, format!("default {default} min {min} max {max}"));
                }
                "combo" => {
                    let vars: Vec<&str> = rest.split(" var ").skip(1).collect();
                    assert!(vars.contains(&after("default").unwrap()), "{line}");
                }
                "string" => assert!(rest.starts_with("default ") && rest.len() > 8, "{line}"),
                other => panic!("{other} in {line}"),
            }
            let default = rest.strip_prefix("default ").map(|rest| rest.split(" min ").next().unwrap());
            let value = default.map(|rest| format!(" value {}", rest.split(" var ").next().unwrap()));
            assert!(engine_accepts(&mut engine, name, &value.unwrap_or_default()), "{line}");
        }
        assert_eq!(lines.last().unwrap(), &format!("{hello}ok"));
    }
}

fn engine_accepts(engine: &mut Engine, name: &str, value: &str) -> bool {
    engine.ask(&format!("setoption name {name}{value}")).is_empty()
}

#[test]
fn check_02_isready_stop_quit_and_end_of_input_act_during_an_endless_search() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    assert!(!engine.ask("").iter().any(|line| line.contains("bestmove")));
    engine.send("stop");
    engine.until("bestmove");
    engine.send("go infinite");
    engine.until("depth 4");
    assert_eq!(engine.quit().code(), Some(0));
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.until("depth 4");
    let (status, lines) = engine.close();
    assert_eq!(status.code(), Some(0));
    assert!(lines.last().unwrap().starts_with("bestmove "));
}

#[test]
fn check_03_every_go_is_answered_exactly_once_whatever_comes_between() {
    let between = [
        "stop",
        "isready",
        "ponderhit",
        "position startpos",
        "position startpos moves d6 f4",
        "position startpos moves d6 d6",
        "position fen nonsense",
        "ucinewgame",
        "setoption name Hash value 2",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name MultiPV value 3",
        "setoption name Foo value 3",
        "setoption name Clear Hash",
        "setoption name UCI_Variant value lasker",
        "debug on",
        "nonsense",
        "d",
        "eval",
        "statejson",
        "uci",
    ];
    let limits = [
        "depth 3",
        "infinite",
        "nodes 500",
        "movetime 5",
        "ponder depth 2",
        "wtime 200 btime 200",
        "mate 1 depth 2",
        "depth 2 searchmoves d6 xx",
        "depth deep movetime 3",
    ];
    for seed in 0..4 {
        let mut dice = Dice(fresh(seed));
        let mut engine = Engine::start();
        let mut asked = 0;
        for _ in 0..150 {
            if dice.below(3) == 0 {
                engine.send(&format!("go {}", dice.choose(&limits)));
                asked += 1;
            } else {
                engine.send(dice.choose(&between));
            }
        }
        engine.send("stop");
        let mut lines = engine.ask("stop");
        let (status, rest) = engine.close();
        assert!(status.success(), "seed {seed}");
        lines.extend(rest);
        let answers = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(answers, asked, "seed {seed}");
    }
}

#[test]
fn check_04_time_limits_end_the_search_and_a_game_on_a_clock_is_played() {
    let mut engine = Engine::start();
    assert_ne!(engine.best("movetime 100"), "(none)");
    let options = Options::read("nine").unwrap();
    let mut game = Game::new(&options);
    let (mut moves, mut clocks) = (String::new(), [300_i64, 300]);
    for _ in 0..300 {
        if game.terminal() {
            break;
        }
        let side = game.side().unwrap() as usize;
        engine.send(&position(&moves));
        let begin = std::time::Instant::now();
        let best = engine.best(&format!("wtime {} btime {}", clocks[0].max(1), clocks[1].max(1)));
        clocks[side] -= begin.elapsed().as_millis() as i64;
        replay(&mut game, &best).unwrap();
        moves.push_str(&format!(" {best}"));
    }
}

#[test]
fn check_05_a_number_of_nodes_gives_the_same_search_in_every_process() {
    let run = || {
        let mut engine = Engine::start();
        engine.send("setoption name SearchShuffleSeed value 7");
        engine.send("position startpos moves d6 f4 d2 b4");
        let lines = engine.go("nodes 10000");
        let strip = |line: &String| match (line.split_once(" nps "), line.split_once(" hashfull ")) {
            (Some((head, _)), _) => format!("{head} pv {}", pv(line).unwrap_or_default()),
            _ => line.clone(),
        };
        lines.iter().map(strip).collect::<Vec<_>>()
    };
    let first = run();
    assert_eq!(first, run());
    let nodes = largest(&first, "nodes");
    assert!((9_000..=14_096).contains(&nodes), "{nodes}");
}

#[test]
fn check_06_multipv_prints_different_moves_ordered_by_score() {
    let mut engine = Engine::start();
    engine.send("setoption name MultiPV value 3");
    for (moves, expected) in [(" d6 f4 d2 b4", 3), (" d6 a1 f4 g1 d2 d1", 3)] {
        engine.send(&position(moves));
        let lines = engine.go("depth 7");
        let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" multipv ")).collect();
        assert!(!infos.is_empty());
        assert_eq!(infos.len() % expected, 0, "{infos:#?}");
        for group in infos.chunks(expected) {
            let firsts: HashSet<&str> =
                group.iter().map(|line| pv(line).unwrap().split(' ').next().unwrap()).collect();
            assert_eq!(firsts.len(), expected, "{group:#?}");
            let ranks: Vec<&str> = group.iter().map(|line| field(line, "multipv").unwrap()).collect();
            assert_eq!(ranks, ["1", "2", "3"]);
            let scores: Vec<i64> = group.iter().map(|line| score(line)).collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "{group:#?}");
        }
    }
    engine.send("setoption name MultiPV value 500");
    engine.send("position startpos moves d6");
    let lines = engine.go("depth 2");
    assert!(lines.iter().any(|line| line.contains(" multipv 23 ")));
    assert!(!lines.iter().any(|line| line.contains(" multipv 24 ")));
}

/// Returns a score as a number with the same order.
fn score(line: &str) -> i64 {
    match (field(line, "cp"), field(line, "mate")) {
        (Some(cp), None) => cp.parse().unwrap(),
        (None, Some(mate)) => {
            let turns: i64 = mate.parse().unwrap();
            if turns > 0 { 100_000 - turns } else { -100_000 - turns }
        }
        _ => panic!("no score in {line}"),
    }
}

#[test]
fn check_07_every_line_and_best_move_is_legal_under_all_rules() {
    for (seed, name) in Rules::names().enumerate() {
        let options = Options::read(&name).unwrap();
        let mut engine = Engine::start();
        engine.send(&format!("setoption name UCI_Variant value {name}"));
        for (moves, game) in random_game(&options, seed as u64, 120).into_iter().step_by(7) {
            engine.send(&position(&moves));
            let lines = engine.go("depth 4");
            let best = move_of(lines.last().unwrap());
            if game.terminal()
                && !game.reason().starts_with("drawFifty")
                && !game.reason().starts_with("drawT")
            {
                assert_eq!(best, "(none)", "{name}:{moves}");
                continue;
            }
            for line in lines.iter().filter_map(|line| pv(line)).chain([best.as_str()]) {
                replay(&mut game.clone(), line)
                    .unwrap_or_else(|error| panic!("{name}:{moves}: {line}: {error}"));
            }
        }
    }
}

#[test]
fn check_08_a_take_is_the_next_token_of_the_same_side() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6 a1 f4 g1 d2 d1");
    assert!(engine.fen().contains(" b p r "));
    assert!(engine.best("depth 5").starts_with('x'));
    engine.send("position startpos moves d6 a1 f4 g1 d2 d1 xd2");
    assert!(engine.fen().contains(" w p p 2 "));
    assert!(!engine.best("depth 5").starts_with('x'));
}

/// Returns true if a line has the form `info score <int>[ aimovetype <word>] bestmove <move>`.
fn is_sanmill_result(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("info score ") else { return false };
    let Some((score, best)) = rest.split_once(" bestmove ") else { return false };
    let is_move = matches!(best.len(), 2 | 3 | 5) || best == "draw" || best == "none";
    score.parse::<i32>().is_ok_and(|score| score.abs() <= 125) && is_move && !best.contains(' ')
}

#[test]
fn check_09_sanmill_finds_its_result_line_and_a_piece_for_every_move() {
    let options = Options::read("nine").unwrap();
    let mut engine = Engine::start_with(&["--protocol", "sanmill7"]);
    engine.send("uci");
    engine.until("uciok");
    engine.send("setoption name MoveTimeMs value 20");
    for (moves, game) in random_game(&options, 5, 200) {
        engine.send(&position(&moves));
        let line = engine.go("").pop().unwrap();
        assert!(is_sanmill_result(&line), "{line}");
        engine.send(&format!("analyze {}", &position(&moves)["position ".len()..]));
        let line = engine.until("info analysis").pop().unwrap();
        assert!(line.len() < 4096);
        let pieces: Vec<&str> = line.strip_prefix("info analysis").unwrap().split_inclusive(')').collect();
        let named: HashSet<&str> =
            pieces.iter().map(|piece| piece.trim_start().split_once('=').unwrap().0).collect();
        let legal: Vec<String> = game.legal().iter().map(ToString::to_string).collect();
        assert_eq!(
            (pieces.len(), named),
            (legal.len(), legal.iter().map(String::as_str).collect()),
            "{line}"
        );
        for piece in pieces {
            let (_, rest) = piece.split_once('=').unwrap();
            let (word, rest) = rest.strip_suffix(')').and_then(|rest| rest.split_once('(')).unwrap();
            let (value, steps) = rest.split_once(' ').unwrap_or((rest, ""));
            let value: i32 = value.parse().unwrap();
            let is_known = ["win", "draw", "loss"].contains(&word);
            assert!(is_known || ["advantage", "unknown", "disadvantage"].contains(&word), "{piece}");
            assert!(if is_known { [-80, 0, 80].contains(&value) } else { value.abs() <= 80 }, "{piece}");
            let is_distance = steps.strip_prefix("in ").and_then(|rest| rest.strip_suffix(" steps"));
            assert!(steps.is_empty() || is_known && is_distance.is_some_and(|n| n.parse::<u32>().is_ok()));
        }
    }
}

#[test]
fn check_10_topn_ranks_as_many_moves_as_there_are() {
    let mut engine = Engine::start_with(&["--protocol", "tgf", "mill", "uci"]);
    // The tablebase would call most of these moves drawn. With shuffling, some orders of the moves give the
    // takes at the end equal scores.
    for option in ["TablebaseEmbedded", "Shuffling"] {
        engine.send(&format!("setoption name {option} value false"));
    }
    // In the last position Black takes a man. The scores of this dialect are those of White.
    for (moves, n, expected, sign) in [("", 3, 3, 1), (" d6", 30, 23, -1), (" d6 a1 f4 g1 d2 d1", 5, 3, -1)] {
        engine.send(&position(moves));
        let lines = engine.go(&format!("topn {n} depth 4"));
        let ranks: Vec<&String> = lines.iter().filter(|line| line.starts_with("info topn rank ")).collect();
        assert_eq!(ranks.len(), expected, "{lines:#?}");
        let scores: Vec<i32> =
            ranks.iter().map(|line| sign * field(line, "cp").unwrap().parse::<i32>().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{lines:#?}");
        assert!(!moves.contains("d1") || scores[0] > scores[2], "these takes differ: {lines:#?}");
        for (index, line) in ranks.iter().enumerate() {
            assert_eq!(field(line, "rank").unwrap(), (index + 1).to_string());
        }
        let result = lines.last().unwrap();
        assert!(result.starts_with("info depth ") && result.contains(" nodes "), "{result}");
        assert_eq!(lines.len(), expected + 1, "nothing but ranks and the result: {lines:#?}");
    }
}

#[test]
fn check_10_the_first_of_the_ranks_is_played() {
    let mut engine = Engine::start();
    for option in ["TablebaseEmbedded", "NeverLose"] {
        engine.send(&format!("setoption name {option} value false"));
    }
    // With some numbers of nodes the last iteration ends early, and has found another move by then.
    let mut newer = 0;
    engine.send(&position(" f6 a7 e4 b6 c4 a4 d1 g7 d2 b2 f2 a1 xd1 c3 d1 d5"));
    for nodes in (500..5_000).step_by(100) {
        engine.send("setoption name Clear Hash");
        let lines = engine.go(&format!("topn 1 nodes {nodes}"));
        let [.., line, rank, best] = lines.as_slice() else { panic!("{lines:#?}") };
        assert_eq!(field(rank, "move"), field(best, "bestmove"), "{lines:#?}");
        newer += usize::from(line.contains("bound"));
    }
    assert!(newer > 0);
}

#[test]
fn check_11_scores_have_the_sign_of_their_dialect() {
    let white = "O@OOO@O*/@O@@*O*@/@*O@*@O* w m s 9 0 9 0 0 0 -1 -1 -1 -1 0 0 35 ids:nodes";
    let black = "@O@@@O@*/O@OO*@*O/O*@O*O@* b m s 9 0 9 0 0 0 -1 -1 -1 -1 0 0 35 ids:nodes";
    let unequal_white = "*@*OOO**/*@@*@***/*@*@OO** w m s 5 0 6 0 0 0 -1 -1 -1 -1 0 3 14 ids:nodes";
    let unequal_black = "*O*@@@**/*OO*O***/*O*O@@** b m s 6 0 5 0 0 0 -1 -1 -1 -1 0 3 14 ids:nodes";
    for (white, black) in [(white, black), (unequal_white, unequal_black)] {
        for (protocol, sign) in [("standard", 1), ("sanmill7", -1), ("tgf", -1)] {
            let mut scores = Vec::new();
            for fen in [white, black] {
                let mut engine = Engine::start_with(&["--protocol", protocol]);
                engine.send("setoption name Shuffling value false");
                engine.send(&format!("position fen {fen}"));
                let lines = engine.go("depth 6");
                let line = lines.iter().rev().find(|line| line.contains(" score ")).unwrap();
                let number = field(line, "cp").or(field(line, "mate")).or(field(line, "score")).unwrap();
                scores.push(number.parse::<i32>().unwrap());
            }
            assert_eq!(scores[0], sign * scores[1], "{protocol}: {white}");
        }
    }
}

#[test]
fn check_12_words_that_clients_wait_for_occur_only_where_they_belong() {
    let echoed = [
        "bestmove d6",
        "nonsense uciok and readyok",
        "info analysis",
        "setoption name bestmove value 1",
        "setoption name Hash value readyok",
        "setoption name UCI_Variant value uciok",
        "setoption bestmove",
        "position bestmove",
        "position startpos bestmove",
        "position startpos moves bestmove",
        "position fen bestmove readyok uciok",
        "position fen ********/********/******** bestmove p p 0 9 0 9 0 0 0 0 0 0 0 0 1",
        "analyze readyok",
        "analyze info analysis",
        "go bestmove",
        "go depth readyok",
        "go searchmoves uciok depth 1",
        "perft readyok",
        "bench uciok",
        "setoption name Debug Log File value /no/such/bestmove/readyok",
        "d",
        "fen",
        "moves",
        "eval",
        "help",
        "key",
        "hist",
        "compiler",
        "statejson",
        "perft 2",
        "go depth 2",
        "analyze startpos",
        "go topn 2 depth 2",
        "uci",
    ];
    for strict in ["false", "true"] {
        for protocol in ["standard", "sanmill7", "tgf"] {
            let mut engine = Engine::start();
            engine.send("setoption name MoveTimeMs value 5");
            engine.send(&format!("setoption name Protocol value {protocol}"));
            engine.send(&format!("setoption name StrictFailurePolicy value {strict}"));
            for line in echoed {
                engine.send(line);
                engine.ask("stop");
                engine.send("ucinewgame");
            }
            let lines = [engine.ask("ucinewgame"), engine.seen.clone()].concat();
            for line in &lines {
                let count = |word: &str| line.to_ascii_lowercase().matches(word).count();
                let is_result = line.starts_with("bestmove ")
                    || line.starts_with("info score ")
                    || line.starts_with("info depth ");
                assert_eq!(count("bestmove"), usize::from(is_result && line.contains("bestmove")), "{line}");
                assert_eq!(count("readyok"), usize::from(line == "readyok"), "{line}");
                assert_eq!(count("uciok"), usize::from(line == "uciok"), "{line}");
                assert_eq!(count("info analysis"), usize::from(line.starts_with("info analysis")), "{line}");
            }
        }
    }
}

#[test]
fn check_13_random_lines_neither_crash_nor_stop_the_engine() {
    random_lines(20_000, 1);
}

/// The million lines of the checklist in full, for release builds.
#[test]
#[ignore = "takes minutes; run with: cargo test --release --test all checklist:: -- --ignored"]
fn check_13_a_million_random_lines() {
    random_lines(1_000_000, 2);
}

fn random_lines(number: usize, seed: u64) {
    let mut dice = Dice(fresh(seed));
    let mut engine = Engine::start();
    for done in 0..number {
        let mut line = nonsense(&mut dice);
        line.push(b'\n');
        engine.send_bytes(&line);
        if done % 500 == 499 {
            // Wait for commands that are still running.
            engine.send("stop");
            engine.send("isready");
            engine.until("readyok");
            engine.seen.clear();
        }
    }
    engine.send("stop");
    engine.send("isready");
    engine.until("readyok");
    assert!(engine.close().0.success());
}
