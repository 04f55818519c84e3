//! Several lines in positions of the built-in tablebase: their scores and their order.

use crate::common;

use common::{Engine, field};
use millstone::{Position, Rules, Tablebase, notation};

/// A line: the first move, the kind of the score, and the score.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    first: String,
    kind: String,
    score: i32,
}

impl Line {
    /// A number that is larger for a better score.
    fn order(&self) -> i32 {
        match self.kind.as_str() {
            "mate" if self.score > 0 => 32_000 - self.score,
            "mate" => -32_000 - self.score,
            _ => self.score,
        }
    }
}

/// Returns the lines of the last iteration of a search, and the move played.
fn last_lines(position: &str, multi_pv: usize, depth: u32) -> (Vec<Line>, String) {
    last_lines_of(Engine::start(), position, multi_pv, &format!("depth {depth}"))
}

/// The same, by an engine that may have other options and with other limits.
fn last_lines_of(mut engine: Engine, position: &str, multi_pv: usize, limits: &str) -> (Vec<Line>, String) {
    engine.send("setoption name Shuffling value false");
    engine.send(&format!("setoption name MultiPV value {multi_pv}"));
    engine.send(&format!("position {position}"));
    let answer = engine.go(limits);
    let best = common::move_of(answer.last().expect("an answer"));
    let lines: Vec<Line> = answer
        .iter()
        .filter(|line| line.contains(" pv "))
        .map(|line| {
            let kind = field(line, "score").expect("a score").to_owned();
            let score = field(line, &kind).and_then(|n| n.parse().ok()).expect("a number");
            Line { first: field(line, "pv").expect("a move").to_owned(), kind, score }
        })
        .collect();
    let count = lines.len();
    assert!(count >= multi_pv, "{answer:#?}");
    (lines[count - multi_pv..].to_vec(), best)
}

fn assert_sorted(lines: &[Line], best: &str) {
    assert!(lines.windows(2).all(|pair| pair[0].order() >= pair[1].order()), "{lines:#?}");
    assert_eq!(lines[0].first, best, "the best line is played");
}

/// Returns the tablebase and the position after moves from the start.
fn known(moves: &str) -> (Tablebase, Position) {
    let mut pos = Position::new(&Rules::NINE);
    for text in moves.split_whitespace() {
        pos.play(notation::parse(&pos, text).expect("a move")).expect("it is legal");
    }
    let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game");
    tablebase.add_embedded().expect("sound files");
    (tablebase, pos)
}

#[test]
fn wins_and_losses_of_unknown_distance_differ_and_stay_beyond_evaluations() {
    // In the placing phase the built-in tablebase knows results alone.
    for (moves, sign) in [("d7 d6 a1 d2 g1 d1 a7", 1), ("d7 d6 a1 d2 g1 d1 a7 g7", -1)] {
        let (lines, best) = last_lines(&format!("startpos moves {moves}"), 6, 8);
        assert_sorted(&lines, &best);
        let decided: Vec<i32> =
            lines.iter().filter(|line| line.kind == "cp").map(|line| sign * line.score).collect();
        let won: Vec<i32> = decided.iter().copied().filter(|score| *score != 0).collect();
        assert!(won.iter().all(|score| (29_000..31_000).contains(score)), "{lines:#?}");
        let mut distinct = won.clone();
        distinct.dedup();
        assert!(distinct.len() >= 3, "they tell something: {lines:#?}");
    }
}

#[test]
fn a_move_that_takes_a_man_is_the_first_of_wins_of_unknown_distance() {
    let (tablebase, pos) = known("d7 d6 a1 d2 g1 d1 a7");
    let ranked = tablebase.rank_moves(&pos).expect("sound files").expect("all moves are known");
    let taking = ranked.iter().find(|ranked| ranked.takes && ranked.value.plies.is_none());
    let (lines, best) = last_lines("startpos moves d7 d6 a1 d2 g1 d1 a7", 6, 8);
    assert_eq!(lines[0].first, taking.expect("a move closes a mill").m.to_string());
    assert_eq!(best, lines[0].first);
}

#[test]
fn known_draws_are_in_the_order_of_the_replies_that_hold_them() {
    for moves in ["d6 f4", "d7 d6 a1 b4 f4 f2 d2", "d6 f4 d2"] {
        let (tablebase, pos) = known(moves);
        let ranked = tablebase.rank_moves(&pos).expect("sound files").expect("all moves are known");
        let replies = |line: &Line| {
            let found = ranked.iter().find(|ranked| ranked.m.to_string() == line.first);
            found.expect("a legal move").drawing_replies.expect("all replies are known")
        };
        let (lines, best) = last_lines(&format!("startpos moves {moves}"), 8, 6);
        assert_sorted(&lines, &best);
        let order: Vec<u32> = lines.iter().filter(|line| line.score == 0).map(replies).collect();
        assert!(order.len() >= 4 && order.is_sorted(), "{moves}: {order:?} {lines:#?}");
        assert!(order.first() < order.last(), "the position tells them apart: {order:?}");
    }
}

#[test]
fn distances_are_in_order_from_the_shortest_win_to_the_shortest_loss() {
    let fen = "fen O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    let (lines, best) = last_lines(fen, 12, 6);
    assert_sorted(&lines, &best);
    assert!(lines.iter().all(|line| line.kind == "mate"), "{lines:#?}");
    let losses: Vec<i32> = lines.iter().map(|line| line.score).filter(|score| *score < 0).collect();
    assert!(losses.len() > 6 && losses.first() < losses.last(), "{losses:?}");
}

#[test]
fn lines_of_a_search_that_a_limit_ends_are_those_of_one_iteration() {
    for nodes in (500..20_000).step_by(700) {
        let mut engine = Engine::start();
        engine.send("setoption name TablebaseEmbedded value false");
        engine.send("setoption name SearchShuffleSeed value 1");
        let (lines, best) = last_lines_of(engine, "startpos moves d6 f4 d2 b4", 4, &format!("nodes {nodes}"));
        assert_sorted(&lines, &best);
    }
}

#[test]
fn lines_of_the_tree_search_are_sorted_too() {
    for (variant, fen, lines) in [
        ("nine", "startpos moves f4 g1 d5", 21),
        ("el-filja", "fen *******O/*****@**/***@O*** w p p 2 10 2 10 0 0 -1 -1 -1 -1 0 0 3 ids:nodes", 20),
    ] {
        let mut engine = Engine::start();
        for option in [&format!("UCI_Variant value {variant}"), "NeverLose value false", "Algorithm value 3"]
        {
            engine.send(&format!("setoption name {option}"));
        }
        let (lines, best) = last_lines_of(engine, fen, lines, "nodes 2000");
        assert_sorted(&lines, &best);
    }
}

#[test]
fn random_moves_come_with_their_lines_in_order_too() {
    let mut engine = Engine::start();
    for option in ["UCI_Variant value twelve", "Algorithm value 4", "SearchShuffleSeed value 5"] {
        engine.send(&format!("setoption name {option}"));
    }
    let (lines, _) = last_lines_of(engine, "startpos moves e4 e3 g7 d1", 5, "depth 1");
    assert!(lines.windows(2).all(|pair| pair[0].order() >= pair[1].order()), "{lines:#?}");
}

#[test]
fn the_counters_of_several_threads_never_fall() {
    let mut engine = Engine::start();
    for option in ["Threads value 4", "NeverLose value false"] {
        engine.send(&format!("setoption name {option}"));
    }
    for _ in 0..40 {
        engine.send("ucinewgame");
        engine.send("position startpos moves d6 f4");
        let answer = engine.go("depth 4");
        let infos = answer.iter().filter(|line| line.contains(" pv "));
        let counters = ["nodes", "tbhits", "time"].map(|name| {
            let number = |line: &String| field(line, name).and_then(|n| n.parse::<u64>().ok());
            infos.clone().map(number).collect::<Option<Vec<u64>>>().expect("numbers")
        });
        assert!(counters.iter().all(|counter| counter.is_sorted()), "{answer:#?}");
    }
}
