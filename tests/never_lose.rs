//! The option `NeverLose`: play from a certificate.
//!
//! Most tests use a certificate that proves nothing. It is written here as docs/certificates.md describes:
//! without weights, so that of all turns those come first that take nothing and have the smallest slot.

use crate::common::{Engine as Session, Folder};
use crate::fuzzed::chance::fresh;
use millstone::certificate::{Certificate, Followed, Sides};
use millstone::search::Limits;
use millstone::{Color, Engine, Move, Position, Rules, notation};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom as _};
use rand::{Rng as _, SeedableRng as _};
use std::collections::BTreeSet;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// The number of stages of both sets of weights.
const STAGES: usize = 2 * 289;

/// Returns the bytes of a certificate without refused turns. The sectors in which each side has three or four
/// men are open, without lost positions.
fn bytes(sides: u8, rules: &str) -> Vec<u8> {
    bytes_with(sides, rules, 0)
}

/// The same, with this parameter of the code of the lost positions.
fn bytes_with(sides: u8, rules: &str, parameter: u8) -> Vec<u8> {
    let weights = zstd::encode_all(&[0; STAGES][..], 1).expect("packed");
    let mut body = vec![2, sides, 0, 0];
    body.extend(xxh3_64(rules.as_bytes()).to_le_bytes());
    body.extend([0; 16]);
    body.extend((weights.len() as u32).to_le_bytes());
    body.extend([4, 0, 0, 0]);
    for [own, theirs] in [[3, 3], [3, 4], [4, 3], [4, 4]] {
        body.extend([own, theirs, 0, 0, parameter, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    body.extend(weights);
    [b"MILLCERT", &xxh3_64(&body).to_le_bytes()[..], &body].concat()
}

const NINE: &str =
    "diagonals=false fly_at=3 least=3 mills_protect=true multiple=false blocked_draws=false men=9";

/// Writes a certificate for both sides.
fn written(name: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(name);
    let path = folder.write("nine.mcert", bytes(2, NINE));
    (folder, path)
}

fn session(path: &std::path::Path) -> Session {
    let mut session = Session::start();
    session.send(&format!("setoption name CertificateFile value {}", path.display()));
    session
}

/// The way in which a client tells the position.
#[derive(Clone, Copy)]
enum Told {
    /// With all moves from the initial position.
    WithMoves,
    /// Set up anew before each move.
    Anew,
}

/// Plays a game at one node a move against random moves. Returns the number of moves that the certificate
/// restricted, and the last position.
fn play(
    engine: &mut Engine,
    certificate: &Certificate,
    us: Color,
    told: Told,
    random: &mut StdRng,
) -> (usize, Position) {
    let mut pos = Position::new(&Rules::NINE);
    let mut certified = 0;
    for _ in 0..400 {
        let outcome = pos.outcome();
        if outcome.is_over() {
            break;
        }
        if pos.side_to_move() != us {
            let moves = pos.legal_moves();
            // Mills make the game go through many numbers of men.
            let closes_mill = |m: &Move| {
                let mut next = pos.clone();
                next.do_move(*m);
                next.is_take_due() && next.side_to_move() != us
            };
            let mill = moves.iter().copied().find(closes_mill).filter(|_| random.random_bool(0.8));
            pos.do_move(mill.unwrap_or_else(|| *moves.choose(random).expect("a move")));
            continue;
        }
        let shown = match told {
            Told::WithMoves => pos.clone(),
            Told::Anew => Position::from_fen(&Rules::NINE, &pos.fen()).expect("sound"),
        };
        let best = engine.search(&shown, Limits { nodes: Some(1), ..Limits::default() });
        let best = best.expect("a result").best.expect("a move");
        let Followed::Inside(turns) = certificate.follow(&pos).expect("sound") else {
            panic!("{pos:?} is outside the certificate");
        };
        assert!(turns.iter().any(|turn| turn[0] == best), "{best} in {pos:?}");
        certified += 1;
        pos.do_move(best);
    }
    (certified, pos)
}

#[test]
fn games_at_one_node_a_move_stay_inside() {
    let (_folder, path) = written("never-lose-games");
    let certificate = Certificate::open(&path, &Rules::NINE).expect("sound");
    let mut random = StdRng::seed_from_u64(fresh(22));
    let mut engine = Engine::new().expect("an engine");
    engine.set_option("CertificateFile", path.to_str()).expect("set");
    let mut certified = 0;
    for number in 0..60 {
        engine.new_game();
        let us = [Color::White, Color::Black][number % 2];
        // Some clients never tell the moves that led to a position.
        let told = [Told::WithMoves, Told::Anew][number / 2 % 2];
        certified += play(&mut engine, &certificate, us, told, &mut random).0;
    }
    assert!(certified > 500, "{certified}");
}

#[test]
fn the_built_in_certificate_loses_no_game_at_one_node_a_move() {
    let certificate = Certificate::built_in(&Rules::NINE).expect("built in");
    assert_eq!(certificate.sides(), Sides::Both);
    let mut random = StdRng::seed_from_u64(fresh(1993));
    let mut engine = Engine::new().expect("an engine");
    let mut won = 0;
    for number in 0..200 {
        engine.new_game();
        let us = [Color::White, Color::Black][number % 2];
        let told = [Told::WithMoves, Told::Anew][number / 2 % 2];
        let (_, end) = play(&mut engine, certificate, us, told, &mut random);
        let winner = end.outcome().winner;
        assert_ne!(winner, Some(!us), "{end:?}");
        won += usize::from(winner == Some(us));
    }
    // Against random moves most games are won, although the certificate asks for draws only.
    assert!(won > 100, "{won}");
}

#[test]
fn a_refused_file_that_is_set_again_leaves_the_game_certified() {
    let folder = Folder::new("never-lose-again");
    let path = folder.write("text", b"text");
    let mut session = session(&path);
    session.send("position startpos");
    let best = session.best("nodes 10");
    let mut pos = Position::new(&Rules::NINE);
    pos.do_move(notation::parse(&pos, &best).expect("legal"));
    pos.do_move(pos.legal_moves()[0]);
    // Some clients send all options before each turn, and no moves.
    session.send(&format!("setoption name CertificateFile value {}", path.display()));
    session.send(&format!("position fen {}", pos.fen()));
    let lines = session.go("nodes 10");
    assert!(lines.iter().any(|line| line.contains("CertificateFile")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("not certified")), "{lines:?}");
}

/// Returns the notes about the certificate.
fn notes(lines: &[String]) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| line.strip_prefix("info string "))
        .filter(|note| note.contains("certif"))
        .collect()
}

#[test]
fn a_line_of_the_log_names_the_side_of_the_border_when_it_changes() {
    let (_folder, path) = written("never-lose-notes");
    let certificate = Certificate::open(&path, &Rules::NINE).expect("sound");
    let mut session = session(&path);
    session.send("position startpos");
    assert_eq!(notes(&session.go("nodes 1")), ["certified"]);
    assert_eq!(notes(&session.go("nodes 1")), [""; 0]);
    // White's first turn is free. The second one is not.
    let mut pos = Position::new(&Rules::NINE);
    for text in ["a1", "d6"] {
        pos.do_move(notation::parse(&pos, text).expect("legal"));
    }
    session.send("position startpos moves a1 d6");
    assert_eq!(notes(&session.go("nodes 1")), [""; 0]);
    let Ok(Followed::Inside(turns)) = certificate.follow(&pos) else {
        panic!("{pos:?}");
    };
    let is_other = |m: &Move| turns.iter().all(|turn| turn[0] != *m);
    let other = pos.legal_moves().iter().copied().find(is_other).expect("another turn");
    pos.do_move(other);
    let reply = pos.legal_moves()[0];
    session.send(&format!("position startpos moves a1 d6 {other} {reply}"));
    assert_eq!(
        notes(&session.go("nodes 1")),
        ["not certified: turn 2 of the side to move left the certificate"]
    );
    session.send("position fen ********/********/******** w p p 0 8 0 8 0 0 0 0 0 0 0 0 0 1");
    assert_eq!(notes(&session.go("nodes 1")), [SET_UP]);
    // An open sector.
    session.send("position fen @**O*O*@/******O*/**@***** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1");
    assert_eq!(notes(&session.go("nodes 1")), ["certified"]);
}

/// Earlier turns are not looked up if a later position is in an open sector, but they count.
#[test]
fn the_latest_position_of_an_open_sector_decides() {
    let certificate = Certificate::built_in(&Rules::NINE).expect("built in");
    let fen = "**@**O*O/***@*O**/*@@**@** w m s 3 0 5 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
    let mut pos = Position::from_fen(&Rules::NINE, fen).expect("sound");
    for text in ["b2-a4", "e4-e5", "a4-b2", "e5-e4"] {
        pos.do_move(notation::parse(&pos, text).expect("legal"));
    }
    assert!(matches!(certificate.follow(&pos), Ok(Followed::Inside(_))));
    // The position after this reply is lost.
    for text in ["c5-d2", "a1-d1"] {
        pos.do_move(notation::parse(&pos, text).expect("legal"));
    }
    assert_eq!(certificate.follow(&pos).expect("sound"), Followed::Left(3));
}

#[test]
fn a_turn_that_has_begun_is_inside_only_if_a_take_is() {
    let mut session = Session::start();
    // White closed a mill of its own choice with the last move.
    session.send(
        "position startpos moves d6 e4 d3 b4 a1 d2 f4 c3 a4 a7 g1 d1 g7 g4 d5 d7 f2 c4 d6-f6 xg4 c4-c5 f4-g4",
    );
    assert_eq!(
        notes(&session.go("nodes 5")),
        ["not certified: turn 11 of the side to move left the certificate"]
    );
    // A take of an open sector, set up without the mill before it.
    session.send("position fen OOO*O*O*/@*@*@***/******@* w m r 5 0 4 0 1 0 0 0 0 0 0 0 1");
    assert_eq!(notes(&session.go("nodes 5")), ["certified"]);
}

/// The note about a game that began elsewhere than with a position known to be inside.
const SET_UP: &str = "not certified: unknown without the moves from the initial position";

/// The note that no certificate is meant for the position.
const NONE: &str = "not certified: there is no certificate for these rules and this side";

#[test]
fn a_position_that_says_more_than_a_game_can_is_outside() {
    let mut session = Session::start();
    let sound = "O*****O*/****O***/**@*@*@* w m s 3 0 3 0 0 0 0 3 -1 -1 0 0 20 ids:nodes";
    for (fen, expected) in [
        // The last mill of a side matters to other rules only.
        (sound, "certified"),
        // The opponent still has to take a man, and so will the side to move before its turn.
        ("O*****O*/****O***/**@*@*@* w m s 3 0 3 0 0 1 -1 -1 -1 -1 0 0 20 ids:nodes", SET_UP),
        // Two men to take.
        ("@OOO****/*@*@*@*@/******** w m r 3 0 5 0 2 0 -1 -1 -1 -1 0 0 21 ids:nodes", SET_UP),
        // A side was blocked under other rules.
        ("O*****O*/****O***/**@*@*@* w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 20 ids:nodes s:1", SET_UP),
    ] {
        session.send("ucinewgame");
        session.send(&format!("position fen {fen}"));
        assert_eq!(notes(&session.go("nodes 1")), [expected], "{fen}");
    }
}

/// Black never has fewer men in hand than White: it would place last, and White would move after itself.
#[test]
fn a_position_of_the_placing_phase_is_outside_with_the_wrong_side_to_move() {
    let mut session = Session::start();
    session.send("setoption name Shuffling value false");
    session.send("position startpos moves b4 d2");
    assert_eq!(notes(&session.go("nodes 1")), ["certified"]);
    session.send("position fen ****@***/**O*@*O*/******** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes");
    assert_eq!(notes(&session.go("nodes 1")), [""; 0], "certified as before");
    // The same with the colours exchanged.
    session.send("position fen ****O***/**@*O*@*/******** b p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes");
    assert_eq!(notes(&session.go("nodes 1")), [SET_UP]);
}

#[test]
fn a_search_that_is_not_bound_says_so_after_one_that_was() {
    let mut session = Session::start();
    session.send("position startpos");
    assert_eq!(notes(&session.go("nodes 5")), ["certified"]);
    session.send("setoption name SkillLevel value 10");
    assert_eq!(notes(&session.go("nodes 5")), ["not certified: this search is not bound to the certificate"]);
    assert_eq!(notes(&session.go("nodes 5")), [""; 0]);
    session.send("setoption name SkillLevel value 30");
    assert_eq!(notes(&session.go("nodes 5")), ["certified"]);
    session.send("setoption name UCI_Variant value lasker");
    assert_eq!(notes(&session.go("nodes 5")), [NONE]);
    assert_eq!(notes(&session.go("nodes 5")), [""; 0]);
    // Other notes stay as they are.
    session.send("setoption name UCI_Variant value nine");
    session.send("position fen ********/********/******** w p p 0 8 0 8 0 0 0 0 0 0 0 0 0 1");
    assert_eq!(notes(&session.go("nodes 5")), [SET_UP]);
    assert_eq!(notes(&session.go("mate 1 nodes 5")), [""; 0]);
    assert_eq!(notes(&session.go("nodes 5")), [""; 0]);
}

#[test]
fn a_certificate_for_the_other_side_alone_is_none() {
    let folder = Folder::new("never-lose-other-side");
    let path = folder.write("white", bytes(0, &NINE.replace("men=9", "men=10")));
    let mut session = session(&path);
    session.send("setoption name PiecesCount value 10");
    session.send("position startpos");
    assert_eq!(notes(&session.go("nodes 5")), ["certified"]);
    session.send("position startpos moves a1");
    assert_eq!(notes(&session.go("nodes 5")), [NONE]);
}

/// The turns of a certificate do not depend on these rules.
#[test]
fn a_position_still_follows_after_a_change_of_draw_rules() {
    let mut session = Session::start();
    session.send("setoption name Shuffling value false");
    session.send("position fen ********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
    let lines = session.go("nodes 1");
    assert_eq!(notes(&lines), ["certified"]);
    assert!(lines.iter().any(|line| line == "bestmove b4"), "{lines:?}");
    session.send("setoption name NMoveRule value 50");
    session.send("position fen ********/**@***O*/******** w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes");
    assert_eq!(notes(&session.go("nodes 1")), [""; 0], "certified as before");
}

/// In this dialect a bare `go` is play, although only `stop` ends it.
#[test]
fn a_move_that_is_asked_for_with_stop_is_certified() {
    let mut session = Session::start();
    session.send("gbgp");
    session.until("gbgpok");
    session.send("position startpos moves d6 f4");
    session.send("go");
    session.send("stop");
    let lines = session.until("bestmove");
    assert_eq!(notes(&lines), ["certified"]);
    let mut pos = Position::new(&Rules::NINE);
    for text in ["d6", "f4"] {
        pos.do_move(notation::parse(&pos, text).expect("legal"));
    }
    let certificate = Certificate::built_in(&Rules::NINE).expect("built in");
    let Ok(Followed::Inside(turns)) = certificate.follow(&pos) else { panic!("{pos:?}") };
    let best = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
    assert!(turns.iter().any(|turn| turn[0].to_string() == best), "{best}: {turns:?}");
}

#[test]
fn the_first_moves_vary() {
    let (_folder, path) = written("never-lose-first");
    let mut engine = Engine::new().expect("an engine");
    engine.set_option("CertificateFile", path.to_str()).expect("set");
    let pos = Position::new(&Rules::NINE);
    let mut first = || engine.search(&pos, Limits { nodes: Some(1), ..Limits::default() });
    let found: BTreeSet<String> =
        (0..60).filter_map(|_| Some(first().expect("a result").best?.to_string())).collect();
    assert!(found.len() > 2, "{found:?}");
}

#[test]
fn analysis_and_lower_levels_are_not_affected() {
    let (_folder, path) = written("never-lose-analysis");
    for setting in [
        "NeverLose value false",
        "SkillLevel value 29",
        "UCI_AnalyseMode value true",
        "MultiPV value 2",
        "Algorithm value 4",
    ] {
        let mut session = session(&path);
        session.send(&format!("setoption name {setting}"));
        session.send("position startpos");
        assert_eq!(notes(&session.go("nodes 100")), [""; 0], "{setting}");
    }
    let mut session = session(&path);
    session.send("position startpos");
    session.send("go infinite");
    session.send("stop");
    assert_eq!(notes(&session.until("bestmove")), [""; 0]);
    assert_eq!(notes(&session.go("nodes 100 searchmoves a1 a4")), [""; 0]);
}

#[test]
fn the_built_in_certificate_counts_once_a_chosen_one_turns_out_to_be_damaged() {
    let folder = Folder::new("never-lose-damaged-lists");
    // No code of lost positions has so large a parameter. They are decoded when a search needs them.
    let mut session = session(&folder.write("nine.mcert", bytes_with(2, NINE, 41)));
    session.send("position fen O*O*****/@*******/O**@*@** b m s 3 0 3 0 0 0 0 0 0 0 0 0 20");
    let answer = session.go("nodes 1");
    let [damage, certified] = notes(&answer)[..] else { panic!("two notes, not {answer:?}") };
    assert!(damage.ends_with("expected a sound certificate; the file is not used"), "{damage}");
    assert_eq!(certified, "certified");
    assert_eq!(notes(&session.go("nodes 1")), [""; 0]);
}

/// In this dialect a second search chooses the take if the line of the first one ends before it.
#[test]
fn the_take_of_an_analysis_or_of_chosen_moves_is_not_affected() {
    const MOVES: &str = "d6 c5 d2 f2 c3 e3 e5 g1 d7 b4 g7 d3 a7 xb4 e4 f6 c4";
    let mut session = Session::start();
    session.send("gbgp");
    session.until("gbgpok");
    for go in
        ["go infinite searchmoves b6", "go depth 1 searchmoves b6", "go depth 1 mate 1", "go topn 3 depth 1"]
    {
        session.send(&format!("position startpos moves {MOVES}"));
        session.send(go);
        session.send("stop");
        let answer = session.until("bestmove");
        assert_eq!(notes(&answer), [""; 0], "{go}: {answer:?}");
        assert!(!go.contains("b6") || answer.last().is_some_and(|line| line.contains("b6x")), "{answer:?}");
    }
}

/// In this dialect an answer is a whole turn: the certificate decides which man is taken too.
#[test]
fn whole_turns_come_from_the_certificate() {
    let (_folder, path) = written("never-lose-turns");
    let certificate = Certificate::open(&path, &Rules::NINE).expect("sound");
    let mut random = StdRng::seed_from_u64(fresh(7));
    let mut session = session(&path);
    // The tablebase knows that most of these positions are drawn with and without a mill.
    session.send("setoption name TablebaseEmbedded value false");
    session.send("gbgp");
    session.until("gbgpok");
    let mut takes = 0;
    for _ in 0..2_000 {
        // Four men against four, in an open sector.
        let mut board: Vec<char> = "OOOO@@@@****************".chars().collect();
        board.shuffle(&mut random);
        let board: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
        let fen = format!("{} w m s 4 0 4 0 0 0 0 0 0 0 0 0 1", board.join("/"));
        let pos = Position::from_fen(&Rules::NINE, &fen);
        let pos = pos.unwrap_or_else(|why| panic!("{fen}: {why}"));
        let closes_mill = |m: &Move| {
            let mut next = pos.clone();
            next.do_move(*m);
            next.is_take_due()
        };
        if !pos.legal_moves().iter().any(closes_mill) {
            continue;
        }
        let names = |side| pos.men(side).into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(",");
        let [white, black] = [Color::White, Color::Black].map(names);
        session.send(&format!("position pos w:w{white}:b{black}:20"));
        let turn = session.best("nodes 50");
        let Ok(Followed::Inside(turns)) = certificate.follow(&pos) else { panic!("{fen}") };
        let allowed: Vec<String> =
            turns.iter().map(|turn| turn.iter().map(ToString::to_string).collect()).collect();
        assert!(allowed.contains(&turn), "{turn} in {fen}: {allowed:?}");
        takes += usize::from(turn.contains('x'));
    }
    assert!(takes > 5, "{takes}");
}

#[test]
fn files_that_are_damaged_or_for_others_are_named_and_the_engine_plays() {
    let folder = Folder::new("never-lose-bad");
    let mut flipped = bytes(2, NINE);
    flipped[30] ^= 1;
    let other = NINE.replace("men=9", "men=10");
    for (name, bytes, expected) in [
        ("text", b"text".to_vec(), "another kind"),
        ("flipped", flipped, "found damage in the checksum"),
        ("other", bytes(2, &other), "other rules"),
        ("cut", bytes(2, NINE)[..60].to_vec(), "found damage"),
    ] {
        let path = folder.write(name, bytes);
        let mut session = session(&path);
        session.send("position startpos");
        let lines = session.go("nodes 10");
        let note = lines.iter().find(|line| line.contains("CertificateFile")).expect("a note");
        assert!(note.contains(expected) && note.contains(name), "{note}");
    }
    // Rules without certificates: only a certificate is that of other rules.
    for (name, expected) in [("text", "another kind"), ("other", "other rules")] {
        let mut session = session(&folder.file(name));
        session.send("setoption name UCI_Variant value lasker");
        session.send("position startpos");
        let lines = session.go("nodes 10");
        let note = lines.iter().find(|line| line.contains("CertificateFile")).expect("a note");
        assert!(note.contains(expected) && note.contains(name), "{note}");
    }
    // A certificate for White alone leaves Black to the built-in one.
    let path = folder.write("white", bytes(0, NINE));
    let mut session = session(&path);
    session.send("position startpos moves a1");
    assert_eq!(notes(&session.go("nodes 10")), ["certified"]);
    let built_in = Certificate::built_in(&Rules::NINE).expect("built in");
    let mut pos = Position::new(&Rules::NINE);
    pos.do_move(notation::parse(&pos, "a1").expect("legal"));
    let Ok(Followed::Inside(turns)) = built_in.follow(&pos) else { panic!("{pos:?}") };
    let best = session.best("nodes 10");
    assert!(turns.iter().any(|turn| turn[0].to_string() == best), "{best}: {turns:?}");
    // White as the second player has no certificate.
    session.send("ucinewgame");
    session.send("position fen ********/********/******** b p p 0 9 0 9 0 0 0 0 0 0 0 0 1 moves d6");
    assert_eq!(notes(&session.go("nodes 10")), [SET_UP]);
}
