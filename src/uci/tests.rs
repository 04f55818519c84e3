//! Sessions whose search threads fail, and the end of a background command.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::background::BackgroundCommand;
use super::background_report::BackgroundReport;
use super::client_pipe::ClientPipe;
use super::line::InputLine;
use super::logical_turn::LogicalTurn;
use super::output::Output;
use super::search::{ActiveSearch, NextSearch, Purpose};
use super::session::{Activity, Session};
use crate::certificate::{Certificate, Followed};
use crate::engine::Engine;
use crate::notation;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::{Limits, Report};
use crossbeam_channel::unbounded;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A client that reads everything at once.
struct ChannelWriter(Sender<Vec<u8>>);

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the position after moves of the standard game.
fn after(moves: &str) -> Position {
    let mut pos = Position::new(&Rules::NINE);
    moves.split(' ').for_each(|text| pos.do_move(notation::parse(&pos, text).unwrap()));
    pos
}

/// Returns a session, and what it writes in pieces.
fn session() -> (Session, Receiver<Vec<u8>>) {
    let (sender, written) = channel();
    let output =
        ClientPipe::start(ChannelWriter(sender), || None, || false, Duration::from_secs(3_600)).unwrap();
    (Session::new(Engine::new().unwrap(), Output::new(output)), written)
}

/// Returns the lines of a session that begins with the commands `hello` and whose search of `moves` fails.
fn lines_of_a_failed_search(hello: &str, moves: &str, purpose: fn(&Position) -> Purpose) -> Vec<String> {
    let (mut session, written) = session();
    hello.lines().for_each(|line| session.execute(line).unwrap());
    let root = after(moves);
    let purpose = purpose(&root);
    let (threads, reports) = unbounded::<Report>();
    let next = NextSearch { root, limits: Limits::default(), purpose };
    session.search_in_progress(ActiveSearch { reports, ..ActiveSearch::unstarted(next) });
    // The threads are gone, and with them their end of the channel.
    drop(threads);
    let (lines, no_lines) = unbounded();
    drop(lines);
    let result = session.run(&no_lines);
    session.close(result).unwrap();
    let text = String::from_utf8(written.iter().flatten().collect()).unwrap();
    let lines = text.lines().map(str::to_owned);
    lines.skip_while(|line| !line.contains("lost")).collect()
}

#[test]
fn a_go_whose_threads_fail_is_answered_with_a_note_and_a_legal_move() {
    let before_mill = "d6 a1 f4 g1 d2 d1";
    for (hello, answer) in [
        ("uci", "bestmove xd6"),
        ("ugi", "bestmove xd6"),
        ("gbgp", "bestmove xd6"),
        ("setoption name Protocol value sanmill7", "info score 0 bestmove xd6"),
        ("setoption name Protocol value tgf", "info depth 0 score cp 0 nodes 0 bestmove xd6"),
    ] {
        let lines = lines_of_a_failed_search(hello, before_mill, |_| Purpose::go(None));
        assert_eq!(lines, ["info string the search was lost: its thread failed", answer]);
    }
    // In GBGP the answer is a whole turn, taken together from legal moves.
    let lines = lines_of_a_failed_search("gbgp", "d6 a1 f4 g1 d2", |_| Purpose::go(Some(3)));
    assert!(lines.len() == 2 && lines[1].starts_with("bestmove "), "{lines:?}");
}

#[test]
fn a_go_inside_the_certificate_whose_threads_fail_is_answered_with_a_certified_move() {
    let moves = "d6 f4";
    let pos = after(moves);
    let certificate = Certificate::built_in(&Rules::NINE).unwrap();
    let Followed::Inside(turns) = certificate.follow(&pos).unwrap() else { panic!("not certified") };
    let answers: Vec<String> = turns.iter().map(|turn| format!("bestmove {}", turn[0])).collect();
    let any = format!("bestmove {}", pos.playable_moves()[0]);
    assert!(!answers.contains(&any), "{any} would be played without a certificate too");
    let asked = format!("position startpos moves {moves}\ngo nodes 1");
    let lines = lines_of_a_failed_search(&asked, moves, |_| Purpose::go(None));
    assert!(lines.len() == 2 && answers.contains(&lines[1]), "{lines:?} in place of {answers:?}");
}

#[test]
fn an_analysis_or_a_logical_turn_whose_threads_fail_is_answered_in_its_form() {
    let lines = lines_of_a_failed_search("uci", "d6", |_| Purpose::Analysis);
    assert_eq!(lines[1..], ["info analysis"]);
    let lines = lines_of_a_failed_search("uci", "d6", |root| {
        Purpose::Logical(Box::new(LogicalTurn::new(root, [1_000; 2], None)))
    });
    assert!(lines.len() == 2 && lines[1].contains("search_missing_best-move"), "{lines:?}");
}

#[test]
fn perft_has_ended_when_its_last_line_is_read() {
    let (mut session, written) = session();
    let (thread, reports) = unbounded();
    let mut command = BackgroundCommand::perft(after("d6"), 1, 1).unwrap();
    command.reports = reports;
    session.activity = Activity::Background(command);
    thread.send(BackgroundReport::Done(vec!["Nodes searched: 23".to_owned()])).unwrap();
    let (client, lines) = unbounded();
    let client = std::thread::spawn(move || {
        let mut text = String::new();
        let mut read_to = |end: &str| {
            while !text.contains(end) {
                text += std::str::from_utf8(&written.recv().unwrap()).unwrap();
            }
            text.clone()
        };
        read_to("23\n");
        for line in ["position startpos moves d6", "moves", "isready"] {
            client.send(Ok(InputLine { bytes: line.into(), is_cut: false, _share: None })).unwrap();
        }
        let text = read_to("readyok\n");
        // Only now does the thread end.
        drop(thread);
        text
    });
    let result = session.run(&lines);
    session.close(result).unwrap();
    let text = client.join().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 3 && lines[1].starts_with("moves ") && lines[2] == "readyok", "{lines:?}");
}
