//! Options that change the play of the engine, each tested by its effect on the output.

use crate::common;

use common::{Engine, LOST, field, largest, move_of};
use std::collections::HashSet;

/// White, to move, is two men ahead, and nobody flies.
const TWO_AHEAD: &str = "*@*OOO**/*@@*@***/*@*@OO*O w m s 6 0 6 0 0 0 -1 -1 -1 -1 0 3 14 ids:nodes";
/// A position with many men in which every quiet move draws the game by the move counter.
const NEARLY_DRAWN: &str = "*OOO@O@*/**OO@@@O/@@****@O w m s 8 0 8 0 0 0 -1 -1 -1 -1 0 99 80 ids:nodes";
/// White, to move, wins with some flights and loses with the others.
const WON_BY_SOME: &str = "*O*@****/*O**@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 3 80 ids:nodes";
/// White, to move, wins in two turns.
const WON_IN_TWO: &str = "O*O*****/@*******/O**@**@* w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

/// Returns an engine whose searches are reproducible.
fn engine() -> Engine {
    let mut engine = Engine::start();
    engine.send("setoption name Shuffling value false");
    engine.send("setoption name SearchShuffleSeed value 1");
    engine.send("setoption name MoveTimeMs value 300");
    engine
}

fn set(engine: &mut Engine, name: &str, value: &str) {
    assert!(engine.ask(&format!("setoption name {name} value {value}")).is_empty(), "{name} {value}");
}

fn depths(lines: &[String]) -> Vec<u32> {
    lines.iter().filter_map(|line| field(line, "depth")?.parse().ok()).collect()
}

fn deepest(lines: &[String]) -> u64 {
    largest(lines, "depth")
}

/// Returns the last score as printed.
fn score(lines: &[String]) -> String {
    let line = lines.iter().rev().find(|line| line.contains(" score ")).expect("a score");
    let (_, rest) = line.split_once(" score ").expect("found above");
    rest.split(" nodes ").next().unwrap_or_default().to_owned()
}

fn centipawns(lines: &[String]) -> i32 {
    score(lines).strip_prefix("cp ").expect("nothing proven").parse().expect("a number")
}

#[test]
fn ids_off_goes_to_the_depth_at_once() {
    let mut engine = engine();
    assert_eq!(depths(&engine.go("depth 6")).first(), Some(&1));
    set(&mut engine, "IDSEnabled", "false");
    assert!(depths(&engine.go("depth 6")).iter().all(|&depth| depth == 6));
    // A search with other limits still deepens iteratively.
    for limits in ["depth 6 movetime 50", "depth 30 nodes 2000", "depth 30 wtime 10000 btime 10000"] {
        assert_eq!(depths(&engine.go(limits)).first(), Some(&1), "{limits}");
    }
}

#[test]
fn quiescence_is_as_deep_as_it_is_told() {
    let nodes = |depth: &str| {
        let mut engine = engine();
        set(&mut engine, "MaxQuiescenceDepth", depth);
        engine.send(&format!("position fen {TWO_AHEAD}"));
        let lines = engine.go("depth 6");
        (largest(&lines, "nodes"), score(&lines))
    };
    assert_ne!(nodes("0"), nodes("4"));
    assert_eq!(nodes("4"), nodes("4"));
    // A side without a slide has lost, which takes no ply to see.
    let mut engine = engine();
    set(&mut engine, "MaxQuiescenceDepth", "0");
    set(&mut engine, "MayFly", "false");
    engine.send("position fen ********/****O***/O@O**@O@ w m s 4 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
    assert_eq!(engine.best("depth 1"), "d2-d1");
}

#[test]
fn the_lazy_engine_searches_little_when_far_ahead() {
    let mut engine = engine();
    set(&mut engine, "DepthExtension", "false");
    let ahead =
        TWO_AHEAD.replacen("@*@OO*O w m s 6", "**@OO*O w m s 6", 1).replacen(" 6 0 6 0", " 6 0 5 0", 1);
    let ahead = ahead.replacen("*@@*@***", "*@**@***", 1).replacen(" 6 0 5 0", " 6 0 4 0", 1);
    for (on, fen, is_short) in
        [("true", ahead.as_str(), true), ("true", TWO_AHEAD, false), ("false", &ahead, false)]
    {
        set(&mut engine, "AiIsLazy", on);
        set(&mut engine, "TablebaseEmbedded", "false");
        assert!(engine.ask(&format!("position fen {fen}")).is_empty());
        assert_eq!(deepest(&engine.go("")) == 4, is_short, "{on} {fen}");
    }
}

#[test]
fn human_experience_looks_less_far_ahead_while_placing_only() {
    let mut engine = engine();
    set(&mut engine, "DepthExtension", "false");
    set(&mut engine, "DrawOnHumanExperience", "true");
    let early = deepest(&engine.go(""));
    engine.send("position startpos moves d6 f4 d2 b4 a1 g7");
    let later = deepest(&engine.go(""));
    engine.send(&format!("position fen {TWO_AHEAD}"));
    let moving = deepest(&engine.go(""));
    assert!(early <= 2 && early < later && later < moving, "{early} {later} {moving}");
    set(&mut engine, "DrawOnHumanExperience", "false");
    engine.send("position startpos");
    assert!(deepest(&engine.go("")) > early);
}

#[test]
fn developer_mode_takes_the_depth_from_the_phase() {
    let mut engine = engine();
    // A search of a position in the tablebase ends when it has proved the tablebase value.
    set(&mut engine, "TablebaseEmbedded", "false");
    set(&mut engine, "DepthExtension", "false");
    set(&mut engine, "SkillLevel", "0");
    assert_eq!(deepest(&engine.go("")), 1);
    set(&mut engine, "DeveloperMode", "true");
    assert_eq!(deepest(&engine.go("")), 6);
    engine.send(&format!("position fen {TWO_AHEAD}"));
    assert_eq!(deepest(&engine.go("")), 10);
}

#[test]
fn a_set_depth_is_exceeded_only_where_the_score_falls_and_extension_is_on() {
    let mut engine = engine();
    set(&mut engine, "SkillLevel", "18");
    set(&mut engine, "SearchShuffleSeed", "5");
    let mut moves = String::new();
    let (mut longer, mut steps) = (0, 0);
    for _ in 0..40 {
        let position =
            if moves.is_empty() { "startpos".to_owned() } else { format!("startpos moves{moves}") };
        engine.send(&format!("position {position}"));
        let depth_with = |on: &str, engine: &mut Engine| {
            engine.send("setoption name Clear Hash");
            set(engine, "DepthExtension", on);
            let lines = engine.go("");
            (deepest(&lines), move_of(lines.last().expect("an answer")))
        };
        let (off, best) = depth_with("false", &mut engine);
        let (on, _) = depth_with("true", &mut engine);
        if best == "(none)" {
            break;
        }
        if off == 1 {
            // Only one move makes sense here, so both searches end at once.
            assert_eq!(on, 1, "after{moves}");
        } else {
            assert!(off == 4 && (4..=6).contains(&on), "{off} {on} after{moves}");
            longer += u32::from(on > off);
            steps += 1;
        }
        moves.push_str(&format!(" {best}"));
    }
    assert!(longer > 0 && longer < steps && steps > 30, "{longer} of {steps}");
}

#[test]
fn styles_change_what_a_position_is_worth() {
    let value = |name: &str, value: &str| {
        let mut engine = engine();
        set(&mut engine, name, value);
        engine.send("position fen ***@****/O*O*****/O*O*O*@@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
        engine.send("setoption name TablebaseEmbedded value false");
        centipawns(&engine.go("depth 1"))
    };
    let usual = value("ConsiderMobility", "true");
    assert_ne!(value("ConsiderMobility", "false"), usual);
    // Being two men ahead is no longer worth two men.
    assert!(value("FocusOnBlockingPaths", "true") < usual - 100);
}

#[test]
fn contempt_is_the_price_of_a_draw_but_not_in_analysis() {
    let mut engine = engine();
    // The tablebase would report the exact draw.
    set(&mut engine, "TablebaseEmbedded", "false");
    engine.send(&format!("position fen {NEARLY_DRAWN}"));
    assert_eq!(centipawns(&engine.go("depth 4")), 0);
    set(&mut engine, "UCI_ShowWDL", "true");
    let usual = score(&engine.go("depth 4"));
    let usual = usual.strip_prefix("cp 0 wdl ").expect("rates behind the score").to_owned();
    set(&mut engine, "UCI_ShowWDL", "false");
    for contempt in [50, -30] {
        set(&mut engine, "Contempt", &contempt.to_string());
        engine.send(&format!("position fen {NEARLY_DRAWN}"));
        assert_eq!(centipawns(&engine.go("depth 4")), -contempt);
        set(&mut engine, "UCI_ShowWDL", "true");
        let reported = score(&engine.go("depth 4"));
        assert_eq!(
            reported.split_once(" wdl "),
            Some((format!("cp {}", -contempt).as_str(), usual.as_str()))
        );
        set(&mut engine, "UCI_ShowWDL", "false");
        set(&mut engine, "Algorithm", "3");
        assert_eq!(centipawns(&engine.go("nodes 2000")), -contempt);
        set(&mut engine, "Algorithm", "2");
    }
    set(&mut engine, "UCI_AnalyseMode", "true");
    engine.send("setoption name Clear Hash");
    assert_eq!(centipawns(&engine.go("depth 4")), 0);
}

#[test]
fn resignation_is_only_advised() {
    let mut engine = engine();
    // Tablebase results below the root cut off the search before it finds the mate.
    set(&mut engine, "TablebaseEmbedded", "false");
    engine.send(&format!("position fen {LOST}"));
    let advice = |lines: &[String]| lines.iter().filter(|line| line.contains("advice: resign")).count();
    assert_eq!(advice(&engine.go("depth 8")), 0);
    set(&mut engine, "ResignIfMostLose", "true");
    let lines = engine.go("depth 8");
    assert_eq!(advice(&lines), 1, "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info string advice: resign, the game is lost in ")));
    assert_ne!(move_of(lines.last().expect("an answer")), "(none)");
    // An analysis gives no advice.
    engine.send("go infinite");
    engine.until("info depth 8");
    engine.send("stop");
    assert_eq!(advice(&engine.until("bestmove")), 0);
    set(&mut engine, "UCI_AnalyseMode", "true");
    assert_eq!(advice(&engine.go("depth 8")), 0);
    set(&mut engine, "UCI_AnalyseMode", "false");
    engine.send("position startpos");
    assert_eq!(advice(&engine.go("depth 6")), 0);
    // Nor does a loss by the moves that `searchmoves` leaves: d3-d6 wins.
    engine.send("position fen O***O***/**@*@***/O***@*** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
    let lines = engine.go("depth 6 searchmoves d3-a1");
    assert!(lines.iter().any(|line| line.contains("score mate -")), "{lines:#?}");
    assert_eq!(advice(&lines), 0, "{lines:#?}");
}

#[test]
fn giving_up_is_advised_for_the_position_and_not_for_the_move_of_a_low_level() {
    // The lowest level often walks into a loss here.
    let mut engine = Engine::start();
    set(&mut engine, "ResignIfMostLose", "true");
    set(&mut engine, "DepthExtension", "false");
    engine.send(&format!("position fen {WON_IN_TWO}"));
    for (option, value) in [("SkillLevel", "0"), ("Algorithm", "4")] {
        set(&mut engine, option, value);
        for _ in 0..30 {
            let lines = engine.go("depth 6");
            assert!(!lines.iter().any(|line| line.contains("advice: resign")), "{option}: {lines:#?}");
        }
    }
}

#[test]
fn the_lowest_level_plays_the_mate_that_it_is_told_to_look_for() {
    let mut engine = engine();
    set(&mut engine, "SkillLevel", "0");
    engine.send(&format!("position fen {WON_IN_TWO}"));
    let lines = engine.go("mate 2");
    let line = lines.iter().rev().find(|line| line.contains(" pv ")).expect("a line");
    assert_eq!(field(line, "mate"), Some("2"), "{line}");
    assert_eq!(field(line, "pv").expect("found above"), move_of(lines.last().expect("an answer")));
}

#[test]
fn levels_differ_in_depth_and_variety_but_not_in_analysis() {
    let mut engine = Engine::start();
    set(&mut engine, "SkillLevel", "0");
    set(&mut engine, "DepthExtension", "false");
    let firsts: HashSet<String> = (0..25).map(|_| engine.best("")).collect();
    assert!(firsts.len() > 8, "{firsts:?}");
    assert_eq!(deepest(&engine.go("nodes 100000")), 1);
    set(&mut engine, "Algorithm", "3");
    let firsts: HashSet<String> = (0..25).map(|_| engine.best("nodes 300")).collect();
    assert!(firsts.len() > 5, "{firsts:?}");
    set(&mut engine, "Algorithm", "2");
    set(&mut engine, "SkillLevel", "27");
    assert!(deepest(&engine.go("")) > 4);
    // Analysis ignores every option that weakens the play.
    set(&mut engine, "SkillLevel", "0");
    engine.send("go infinite");
    engine.until("info depth 5");
    engine.send("stop");
    engine.until("bestmove");
    set(&mut engine, "UCI_AnalyseMode", "true");
    for _ in 0..10 {
        let lines = engine.go("depth 5");
        assert_eq!(deepest(&lines), 5);
        let line = lines.iter().rev().find(|line| line.contains(" pv ")).expect("a line");
        assert_eq!(field(line, "pv").expect("found above"), move_of(lines.last().expect("an answer")));
    }
}

#[test]
fn what_changes_play_does_not_change_the_answer_to_analyze() {
    let analysis = |fen: &str, option: &str, value: &str| {
        let mut engine = engine();
        set(&mut engine, "TablebaseEmbedded", "false");
        // Counts nodes in place of time, so that the answer is reproducible.
        set(&mut engine, "nodestime", "100");
        set(&mut engine, option, value);
        engine.send(&format!("analyze fen {fen}"));
        engine.until("info analysis").pop().expect("found")
    };
    // Deeper searches find that all moves of the first position lose; a search of one ply does not. Proven
    // values depend on no style; those of the second position are estimates.
    for fen in [LOST, TWO_AHEAD] {
        let usual = analysis(fen, "SkillLevel", "30");
        for (option, value) in [("SkillLevel", "0"), ("Contempt", "100"), ("FocusOnBlockingPaths", "true")] {
            assert_eq!(analysis(fen, option, value), usual, "{option} {value}");
        }
    }
}

#[test]
fn low_levels_probe_tablebases_and_yet_let_a_win_go_and_high_ones_never_do() {
    let mut engine = Engine::start();
    engine.send(&format!("position fen {WON_BY_SOME}"));
    set(&mut engine, "MultiPV", "500");
    let lines = engine.go("depth 1");
    let wins = |line: &&String| field(line, "mate").is_some_and(|turns| !turns.starts_with('-'));
    let winning: HashSet<&str> = lines.iter().filter(wins).filter_map(|line| field(line, "pv")).collect();
    assert!((5..30).contains(&winning.len()), "{lines:#?}");
    set(&mut engine, "SkillLevel", "0");
    set(&mut engine, "DepthExtension", "false");
    let low = engine.go("");
    assert_eq!(low.iter().filter(wins).count(), winning.len(), "what a level sees is exact too");
    set(&mut engine, "MultiPV", "1");
    let kept = (0..50).filter(|_| winning.contains(engine.best("").as_str())).count();
    assert!((1..50).contains(&kept), "{kept} of 50 at level 0");
    // A second thread does not overrule the level.
    set(&mut engine, "Threads", "2");
    let kept = (0..50).filter(|_| winning.contains(engine.best("movetime 20").as_str())).count();
    assert!((1..50).contains(&kept), "{kept} of 50 at level 0 with two threads");
    set(&mut engine, "Threads", "1");
    for level in ["15", "29"] {
        set(&mut engine, "SkillLevel", level);
        assert!((0..20).all(|_| winning.contains(engine.best("depth 3").as_str())), "level {level}");
    }
}

#[test]
fn an_elo_overrides_the_level() {
    let mut engine = engine();
    engine.send("uci");
    let lines = engine.until("uciok");
    let line = lines.iter().find(|line| line.contains("UCI_Elo")).expect("it is announced");
    let lowest = field(line, "min").expect("a range").to_owned();
    set(&mut engine, "DepthExtension", "false");
    set(&mut engine, "UCI_Elo", &lowest);
    assert!(deepest(&engine.go("depth 6")) == 6, "not before UCI_LimitStrength is on");
    set(&mut engine, "UCI_LimitStrength", "true");
    assert_eq!(deepest(&engine.go("depth 6")), 1);
    set(&mut engine, "SkillLevel", "25");
    assert_eq!(deepest(&engine.go("depth 6")), 1);
    set(&mut engine, "UCI_LimitStrength", "false");
    assert_eq!(deepest(&engine.go("depth 6")), 6);
}

#[test]
fn the_highest_level_below_full_strength_never_plays_what_full_strength_sees_as_lost() {
    // White has three men; of some forty flights all but a few lose by force.
    for fen in [
        "**@O@*O@/@O**@@**/*****@** w m s 3 0 7 0 0 0 -1 -1 -1 -1 0 3 80 ids:nodes",
        "OO**@*O*/****@@*@/*****@*@ w m s 3 0 6 0 0 0 -1 -1 -1 -1 0 3 80 ids:nodes",
        "*@@**O*O/***@O@**/@**@@*** w m s 3 0 7 0 0 0 -1 -1 -1 -1 0 3 80 ids:nodes",
    ] {
        let mut full = Engine::start();
        set(&mut full, "TablebaseEmbedded", "false");
        set(&mut full, "MultiPV", "500");
        full.send(&format!("position fen {fen}"));
        let lines = full.go("depth 4");
        let last = deepest(&lines).to_string();
        let lost: HashSet<&str> = lines
            .iter()
            .filter(|line| field(line, "depth") == Some(&last) && line.contains("score mate -"))
            .filter_map(|line| field(line, "pv"))
            .collect();
        let all = lines.iter().filter(|line| field(line, "depth") == Some(&last)).count();
        assert!(lost.len() > 10 && lost.len() < all, "{} of {all} lose", lost.len());
        let mut engine = Engine::start();
        set(&mut engine, "TablebaseEmbedded", "false");
        set(&mut engine, "SkillLevel", "29");
        engine.send(&format!("position fen {fen}"));
        for _ in 0..20 {
            let best = engine.best("depth 4");
            assert!(!lost.contains(best.as_str()), "{best} in {fen}");
        }
    }
}

/// The built-in tablebase holds the length of a win: to the next take, or to the blocking of a side that
/// moves first.
#[test]
fn a_win_that_the_move_counter_forbids_is_announced_as_such() {
    let take = "O**O****/*@*****@/*@***O** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    let block = "**@*O*O*/**O@@@**/***OO*** w m s 5 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    // On a busy machine the engine may not look for the take long enough to name the move.
    for (fen, what, limits) in
        [(take, "take needs 23 moves", [22, 24]), (block, "the win needs 15 moves", [15, 16])]
    {
        for (limit, is_forbidden) in limits.into_iter().zip([true, false]) {
            let mut engine = engine();
            set(&mut engine, "NMoveRule", &limit.to_string());
            engine.send(&format!("position fen {fen}"));
            let lines = engine.go("depth 1");
            let said = lines.iter().any(|line| line.starts_with("info string") && line.contains(what));
            assert_eq!(said, is_forbidden, "{limit}: {lines:#?}");
        }
    }
}

#[test]
fn wins_that_the_move_counter_takes_are_announced() {
    let mut engine = engine();
    // No take is possible, and every quiet move fills the counter.
    engine.send("position fen O**O****/*@*****@/*@***O** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 99 20 ids:nodes");
    let lines = engine.go("depth 1");
    let said = |what: &str| lines.iter().any(|line| line.starts_with("info string") && line.contains(what));
    assert!(said("every winning move draws"), "{lines:#?}");
}

/// After e4-e3 White could only leap, which does not save it.
#[test]
fn a_block_that_leaves_only_a_leap_wins_at_once() {
    let fen = "O@@*OO@@/@*@*@***/*@O@**** b m s 4 0 9 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
    for algorithm in ["0", "1", "2", "3"] {
        let mut engine = engine();
        set(&mut engine, "LeapCaptureEnabled", "true");
        set(&mut engine, "Algorithm", algorithm);
        engine.send(&format!("position fen {fen}"));
        let lines = engine.go("depth 6 nodes 50000");
        assert_eq!(
            (score(&lines).as_str(), move_of(lines.last().expect("an answer")).as_str()),
            ("mate 1", "e4-e3")
        );
        set(&mut engine, "StalemateAction", "4");
        engine.send(&format!("position fen {fen}"));
        assert_eq!(centipawns(&engine.go("depth 6 nodes 50000 searchmoves e4-e3")), 0);
    }
}

#[test]
fn levels_of_the_tgf_dialect_search_much_deeper_than_measured_ones() {
    // The depths themselves are tested where they are computed; a slow build does not reach them in time.
    let depth = |protocol: &str, settings: &[&str], position: &str| {
        let mut engine = Engine::start_with(&["--protocol", protocol]);
        engine.send("setoption name MoveTime value 0");
        settings.iter().for_each(|setting| engine.send(&format!("setoption name {setting}")));
        engine.send(&format!("position {position}"));
        let lines = engine.go("depth 0");
        lines.iter().rev().find_map(|line| field(line, "depth")?.parse::<u32>().ok()).expect("a depth")
    };
    let placed = "startpos moves d6 f4 d2 b4 d7 e4 b6 c4";
    let moving = "fen ***O@@**/O***@*@O/OOOO@@** w m s 7 0 6 0 0 0 -1 -1 -1 -1 0 0 23 ids:nodes";
    for (position, least) in [(placed, 11), (moving, 8)] {
        assert!(depth("standard", &["SkillLevel value 2"], position) < 4);
        for settings in [
            &["SkillLevel value 2"][..],
            &["SkillLevel value 14", "DeveloperMode value true"],
            &["SkillLevel value 2", "DrawOnHumanExperience value true"],
        ] {
            let found = depth("tgf", settings, position);
            assert!(found >= least, "{settings:?} {position}: {found}");
        }
    }
}
