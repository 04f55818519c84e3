//! The values 3 and 4 of the option `Algorithm`: Monte-Carlo tree search and random moves.

use crate::common;
use crate::naive;

use common::{Engine, LOST, field, largest};
use naive::{Game, Options};
use std::collections::HashSet;

/// White closes a mill and takes Black's third man.
const MATE_IN_ONE: &str = "O**@*@**/****@***/O*O***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 3 24 ids:nodes";

fn with_algorithm(number: u32) -> Engine {
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Algorithm value {number}"));
    engine
}

fn score_words(line: &str) -> String {
    line.split_once(" score ").and_then(|(_, rest)| rest.split_once(" nodes ")).expect("a score").0.to_owned()
}

#[test]
fn tree_search_proves_wins_and_losses_without_tablebases() {
    let mut engine = with_algorithm(3);
    engine.send("setoption name TablebaseEmbedded value false");
    for (fen, score) in [(MATE_IN_ONE, "mate 1"), (LOST, "mate -2")] {
        engine.send(&format!("position fen {fen}"));
        // Ten minutes: only a proof ends the search before the test gives up.
        let lines = engine.go("movetime 600000");
        assert_eq!(score_words(&lines[lines.len() - 2]), score, "{lines:#?}");
    }
}

#[test]
fn tree_search_keeps_its_limits() {
    let mut engine = with_algorithm(3);
    engine.send("setoption name Hash value 1");
    let lines = engine.go("nodes 400000");
    let nodes = largest(&lines, "nodes");
    assert!((400_000..=401_024).contains(&nodes), "{nodes}");
    engine.best("depth 4");
    engine.best("wtime 200 btime 200");
    engine.send("go infinite");
    assert!(!engine.ask("").iter().any(|line| line.contains("bestmove")));
    engine.send("stop");
    engine.until("bestmove");
    engine.send("go ponder movetime 20");
    engine.ask("");
    engine.send("ponderhit");
    engine.until("bestmove");
}

#[test]
fn tree_search_is_reproducible_with_a_fixed_seed() {
    let run = || {
        let mut engine = with_algorithm(3);
        engine.send("setoption name SearchShuffleSeed value 3");
        engine.send("position startpos moves d6 f4");
        engine.go("nodes 50000").pop()
    };
    assert_eq!(run(), run());
}

#[test]
fn tree_search_tells_several_lines_in_order_and_all_threads_vote() {
    let mut engine = with_algorithm(3);
    engine.send("setoption name MultiPV value 4");
    engine.send("setoption name Threads value 2");
    engine.send("position startpos moves d6 a1 f4 g1 d2 b4");
    let lines = engine.go("nodes 60000");
    let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" multipv ")).collect();
    assert!(!infos.is_empty() && infos.len().is_multiple_of(4));
    for group in infos.chunks(4) {
        let scores: Vec<i32> =
            group.iter().map(|line| field(line, "cp").expect("no proof here").parse().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{group:#?}");
        let firsts: HashSet<&str> = group.iter().filter_map(|line| field(line, "pv")).collect();
        assert_eq!(firsts.len(), 4, "{group:#?}");
    }
}

#[test]
fn tree_search_uses_tablebases_and_plays_only_what_is_asked_for() {
    let mut engine = with_algorithm(3);
    // The note about the certificate would come before the score.
    engine.send("setoption name NeverLose value false");
    // Three men against three: the root is in the embedded tablebase.
    engine.send("position fen ***O****/***@@@**/O**O**** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 3 24 ids:nodes");
    let score = score_words(&engine.go("nodes 2000")[0]);
    engine.send("setoption name Algorithm value 2");
    assert_eq!(score_words(&engine.go("nodes 2000")[0]), score);
    // Six against four with a take due: nodes below the root hit the embedded tablebase.
    engine.send("setoption name Algorithm value 3");
    engine.send("position fen @O*O*O**/@**OO***/***@O**@ b m s 6 0 4 0 0 0 -1 -1 -1 -1 0 3 38 ids:nodes");
    let hits: u64 = largest(&engine.go("nodes 50000"), "tbhits");
    assert!(hits > 0);
    engine.send("position startpos");
    assert_eq!(engine.best("nodes 5000 searchmoves a1"), "a1");
}

#[test]
fn random_moves_are_legal_various_and_chosen_among_those_asked_for() {
    let mut engine = with_algorithm(4);
    let options = Options::read("nine").unwrap();
    let mut game = Game::new(&options);
    let mut moves = String::new();
    let mut firsts = HashSet::new();
    for _ in 0..30 {
        firsts.insert(engine.best("movetime 1000"));
    }
    assert!(firsts.len() > 8, "{firsts:?}");
    for _ in 0..30 {
        let asked = engine.best("depth 3 searchmoves a1 d6 g7");
        assert!(["a1", "d6", "g7"].contains(&asked.as_str()), "{asked}");
    }
    while !game.terminal() && moves.len() < 600 {
        engine.send(&if moves.is_empty() {
            "position startpos".to_owned()
        } else {
            format!("position startpos moves{moves}")
        });
        let best = engine.best("nodes 1");
        let action = game.parse(&best).unwrap_or_else(|| panic!("{best} after{moves}"));
        game.apply(action);
        moves.push_str(&format!(" {best}"));
    }
}

#[test]
fn random_moves_are_evaluated_whatever_the_limit() {
    let values = |limits: &str| {
        let mut engine = with_algorithm(4);
        for setting in ["TablebaseEmbedded value false", "MultiPV value 24"] {
            engine.send(&format!("setoption name {setting}"));
        }
        engine.send("position fen O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
        let lines = engine.go(limits);
        let lines = lines.iter().filter(|line| line.contains(" multipv "));
        lines.map(|line| score_words(line)).collect::<Vec<_>>()
    };
    let all = values("depth 1");
    assert!(all.len() == 24 && all[0] != all[23], "{all:?}");
    for limits in ["nodes 1", "nodes 3"] {
        assert_eq!(values(limits), all, "{limits}");
    }
}
