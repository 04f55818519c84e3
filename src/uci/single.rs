//! A session where there are no threads: its caller hands over the lines, and gives it slices of time.

use super::client_pipe::ClientPipe;
use super::error::SessionError;
use super::line::InputLine;
use super::output::Output;
use super::session::{Activity, Session};
use crate::engine::{Engine, WantedFile};
use crate::platform::clock::Instant;
use crate::search::Step;
use std::io;
use std::time::Duration;

/// The next need of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// A slice of time.
    Work,
    /// A slice of time once this much has passed, or a line.
    Wait(Duration),
    /// A line.
    Idle,
    /// Nothing: the client has quit.
    Over,
}

/// A session, and the lines it has written.
pub(crate) struct LineSession {
    session: Session,
    client: ClientPipe,
}

impl LineSession {
    /// Returns a session in the standard dialect.
    ///
    /// # Errors
    /// If memory is not available.
    pub(crate) fn new() -> Result<Self, SessionError> {
        let engine = Engine::new().map_err(SessionError::Start)?;
        let client = ClientPipe::default();
        Ok(Self { session: Session::new(engine, Output::new(client.clone())), client })
    }

    /// Takes a line of the client. It is executed now, or in a later slice if it has to wait.
    ///
    /// # Errors
    /// If a line cannot be written.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), SessionError> {
        if self.session.is_open {
            self.session.receive(InputLine::new(text))?;
            self.session.execute_waiting()?;
        }
        Ok(())
    }

    /// Ends the input: what has begun is finished.
    pub(crate) fn end(&mut self) {
        self.session.is_open = false;
    }

    /// Works for a slice of time.
    ///
    /// # Errors
    /// If a line cannot be written.
    pub(crate) fn advance(&mut self) -> Result<Progress, SessionError> {
        self.session.execute_waiting()?;
        let progress = self.session.advance()?;
        self.session.execute_waiting()?;
        Ok(match (&self.session.activity, progress) {
            (Activity::None, _) if !self.session.is_open => Progress::Over,
            (Activity::None, _) => Progress::Idle,
            // Another activity may have begun.
            (_, Progress::Over) => Progress::Work,
            (_, progress) => progress,
        })
    }

    /// Returns the lines written since the last call, each with its end.
    pub(crate) fn take_lines(&self) -> String {
        self.client.take()
    }

    /// Returns the name of the file that is to be fetched.
    pub(crate) fn wanted_file(&self) -> Option<String> {
        self.session.engine.wanted_file().map(WantedFile::name)
    }

    /// Returns true while a search waits for a file.
    pub(crate) fn awaits_file(&self) -> bool {
        matches!(&self.session.activity, Activity::Search(search) if search.is_delayed())
    }

    /// Takes the bytes of a file, or the reason why it cannot be fetched.
    pub(crate) fn provide_file(&mut self, name: &str, bytes: Result<Vec<u8>, String>) {
        self.session.engine.provide_file(name, bytes);
    }

    /// Returns the names of the tablebase files for the rules in force, with spaces between them, if a search
    /// has begun since the last call.
    pub(crate) fn wanted_tables(&mut self) -> String {
        self.session.engine.wanted_tables().join(" ")
    }

    /// Opens the built-in tablebase before the next search: it has just been provided.
    pub(crate) fn tablebase_arrived(&mut self) {
        self.session.engine.reopen_tablebase();
    }
}

impl Session {
    /// Works for a slice of time. Returns `Progress::Over` if the activity has ended.
    fn advance(&mut self) -> io::Result<Progress> {
        match &mut self.activity {
            Activity::None => Ok(Progress::Over),
            Activity::Held(_) => Ok(Progress::Idle),
            Activity::Search(search) => {
                if let Some(time) = search.wait(&mut self.engine) {
                    return Ok(Progress::Wait(time));
                }
                let reports = search.reports.clone();
                let step = self.engine.advance();
                for report in reports.try_iter() {
                    self.handle_report(report)?;
                }
                match step {
                    Step::Paused => Ok(Progress::Work),
                    Step::Waiting(None) => Ok(Progress::Idle),
                    Step::Waiting(Some(end)) => {
                        Ok(Progress::Wait(end.saturating_duration_since(Instant::now())))
                    }
                    Step::Done => {
                        if let Activity::Search(search) = &self.activity
                            && search.reports.same_channel(&reports)
                        {
                            self.lost_search("it cannot begin")?;
                        }
                        Ok(Progress::Over)
                    }
                }
            }
            Activity::Background(command) => {
                let Some(report) = command.advance() else { return Ok(Progress::Work) };
                report.write(&mut self.out)?;
                if report.is_last() {
                    self.activity = Activity::None;
                    return Ok(Progress::Over);
                }
                Ok(Progress::Work)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works as long as there is work. Returns the next need and the lines.
    fn work(session: &mut LineSession, lines: &[&str]) -> (Progress, String) {
        for line in lines {
            session.line(line).expect("written");
        }
        loop {
            let progress = session.advance().expect("written");
            if progress != Progress::Work {
                return (progress, session.take_lines());
            }
        }
    }

    #[test]
    fn stop_ends_a_deep_count_between_two_short_parts() {
        let mut session = LineSession::new().expect("memory");
        session.line("perft 30").expect("written");
        for _ in 0..30 {
            assert_eq!(session.advance().expect("written"), Progress::Work);
        }
        let (progress, lines) = work(&mut session, &["stop"]);
        assert_eq!(
            (progress, lines.as_str()),
            (Progress::Idle, "info string perft: stopped before the end\n")
        );
    }

    #[test]
    fn a_finished_game_is_answered_when_a_search_would_be() {
        let mut session = LineSession::new().expect("memory");
        let over = "position fen **OOO***/***@@***/******** b m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
        let (progress, lines) = work(&mut session, &[over, "go infinite", "isready"]);
        assert!(progress == Progress::Idle && lines.ends_with("\nreadyok\n"), "{progress:?} {lines}");
        assert_eq!(work(&mut session, &["stop"]).1, "bestmove (none)\n");
    }

    fn wants(session: &LineSession, file: &str) -> bool {
        session.wanted_file().is_some_and(|name| name == file)
    }

    const WAITS: &str = "info string waits for the certificate\n";

    #[test]
    fn a_search_waits_for_the_certificate_and_no_longer_than_it_may() {
        let mut session = LineSession::new().expect("memory");
        let waits = |progress: Progress, seconds: f64| {
            let longest = Duration::from_secs_f64(seconds);
            matches!(progress, Progress::Wait(time) if time <= longest)
        };
        let ends = |(progress, lines): &(Progress, String), note: &str| {
            assert_eq!(*progress, Progress::Idle);
            assert!(lines.contains(note) && lines.contains("bestmove "), "found {lines}, expected {note}");
        };

        // Analysis and weak play do not want it.
        let (_, lines) = work(&mut session, &["setoption name SkillLevel value 3", "go nodes 100"]);
        assert!(lines.contains("bestmove ") && session.wanted_file().is_none(), "{lines}");
        work(&mut session, &["setoption name SkillLevel value 30", "go infinite", "stop"]);
        assert!(session.wanted_file().is_none());

        let (progress, lines) = work(&mut session, &["go nodes 100", "isready"]);
        assert!(waits(progress, 20.0) && lines == format!("{WAITS}readyok\n"), "{progress:?} {lines}");
        assert!(wants(&session, "certificate") && session.awaits_file());
        let (_, lines) = work(&mut session, &["stop", "go nodes 100"]);
        assert!(
            lines.contains("not certified: the built-in certificate: it has not arrived yet\n"),
            "{lines}"
        );
        assert!(lines.ends_with(WAITS), "each search that waits says so: {lines}");
        work(&mut session, &["stop"]);
        let (progress, _) = work(&mut session, &["go wtime 4000 btime 1"]);
        assert!(waits(progress, 1.0) && !waits(progress, 0.5), "{progress:?}");
        session.provide_file("certificate", Err("gone".to_owned()));
        ends(&work(&mut session, &["stop"]), "not certified: the built-in certificate: gone\n");

        // In this game nothing waits any more, but the file is wanted again.
        let (progress, lines) = work(&mut session, &["position startpos moves d6 f4", "go nodes 100"]);
        assert!(progress == Progress::Idle && lines.contains("bestmove "), "{progress:?} {lines}");
        assert!(wants(&session, "certificate"));

        // Another game has begun: there are fewer men.
        let (progress, _) = work(&mut session, &["position startpos moves a1", "go nodes 100"]);
        assert!(waits(progress, 20.0), "{progress:?}");
        session.provide_file("certificate", Ok(b"something else".to_vec()));
        ends(
            &work(&mut session, &[]),
            "not certified: the built-in certificate: found a file of another kind",
        );
        // The search has all its time after the wait.
        let again = ["ucinewgame", "position startpos moves a4", "go movetime 300"];
        let (progress, _) = work(&mut session, &again);
        assert!(waits(progress, 20.0), "{progress:?}");
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(400) {}
        session.provide_file("certificate", Err("late".to_owned()));
        let (_, lines) = work(&mut session, &[]);
        assert!(lines.contains("info depth 2 "), "{lines}");
        // With White to move another game begins, but a search of the same position is none.
        work(&mut session, &["position startpos", "go nodes 100"]);
        let mut damaged = millstone_certificate::NINE.to_vec();
        damaged[5_000_000] ^= 1;
        session.provide_file("certificate", Ok(damaged));
        ends(
            &work(&mut session, &[]),
            "not certified: the built-in certificate: found damage in the checksum",
        );

        let (_, lines) = work(&mut session, &["go nodes 100"]);
        assert!(lines.contains("bestmove ") && wants(&session, "certificate"), "{lines}");

        work(&mut session, &["ucinewgame", "go nodes 100"]);
        assert!(session.awaits_file());
        session.provide_file("certificate", Ok(millstone_certificate::NINE.to_vec()));
        ends(&work(&mut session, &[]), "info string certified\n");
        ends(&work(&mut session, &["ucinewgame", "go nodes 100"]), "info string certified\n");
    }
    const TWELVE: &[u8] = include_bytes!("../evaluate/networks/twelve.bin");
    const DOOZ: &[u8] = include_bytes!("../evaluate/networks/dooz.bin");
    const NERENCHI: &[u8] = include_bytes!("../evaluate/networks/nerenchi.bin");

    #[test]
    fn every_search_of_another_game_waits_for_its_network() {
        let mut session = LineSession::new().expect("memory");
        let awaits = "info string waits for the network of these rules\n";
        let missing = "info string the network of these rules is missing: ";
        // Rules near to the standard game have its network, and wait for nothing.
        let (_, lines) = work(&mut session, &["setoption name FlyPieceCount value 4", "go nodes 100"]);
        assert!(!lines.contains("network"), "{lines}");

        let twelve = ["setoption name UCI_Variant value twelve", "go infinite"];
        let (progress, lines) = work(&mut session, &twelve);
        assert!(matches!(progress, Progress::Wait(_)) && lines == awaits, "{progress:?} {lines}");
        assert!(wants(&session, "network-twelve") && session.awaits_file());
        session.provide_file("network-twelve", Ok(TWELVE[..1000].to_vec()));
        let (_, lines) = work(&mut session, &["stop"]);
        assert!(lines.starts_with(&format!("{missing}found a wrong checksum")), "{lines}");
        // It is told once, and no search of this game waits again.
        let (_, lines) = work(&mut session, &["position startpos moves d6 f4", "go nodes 100"]);
        assert!(lines.contains("bestmove ") && !lines.contains("network"), "{lines}");
        let (_, lines) = work(&mut session, &["ucinewgame", "go nodes 100"]);
        assert_eq!(lines, awaits);
        session.provide_file("network-twelve", Ok(DOOZ.to_vec()));
        let (_, lines) = work(&mut session, &[]);
        assert!(lines.starts_with(&format!("{missing}found the network of another game\n")), "{lines}");

        let unknown = "analyze startpos moves d6 f4 d2 b4 a1 d1 g1 a4 a7 d7";
        work(&mut session, &["ucinewgame", unknown]);
        assert!(session.awaits_file(), "analysis waits too");
        session.provide_file("network-twelve", Err("gone".to_owned()));
        let (_, lines) = work(&mut session, &["stop"]);
        assert!(lines.starts_with(&format!("{missing}gone\n")) && lines.contains("info analysis"), "{lines}");

        // The network of another game ends no wait, that of the rules does. Then the values are its own.
        let eval = |session: &mut LineSession| work(session, &["position startpos", "eval"]).1;
        let without = eval(&mut session);
        work(&mut session, &["ucinewgame", "go nodes 100"]);
        session.provide_file("network-nerenchi", Ok(NERENCHI.to_vec()));
        assert!(session.awaits_file() && matches!(work(&mut session, &[]).0, Progress::Wait(_)));
        session.provide_file("network-twelve", Ok(TWELVE.to_vec()));
        let (_, lines) = work(&mut session, &[]);
        assert!(lines.contains("bestmove ") && !lines.contains("network"), "{lines}");
        assert!(session.wanted_file().is_none());
        assert_ne!(eval(&mut session), without);

        // A network that is packed as differences to another one waits for both; here this one is there. What
        // failed for other rules does not matter.
        work(&mut session, &["setoption name UCI_Variant value lasker", "go nodes 100"]);
        session.provide_file("network-lasker", Err("gone".to_owned()));
        work(&mut session, &["setoption name UCI_Variant value dooz"]);
        assert!(session.wanted_file().is_none(), "before a search nothing is wanted");
        let on_board =
            "position fen O@******/********/******** w p p 1 11 1 11 0 0 -1 -1 -1 -1 0 0 2 ids:nodes";
        work(&mut session, &[on_board, "go nodes 100"]);
        assert!(wants(&session, "network-dooz"));
        session.provide_file("network-dooz", Ok(DOOZ.to_vec()));
        let (_, lines) = work(&mut session, &[]);
        assert!(lines.contains("bestmove ") && !lines.contains("network"), "{lines}");
    }
}
