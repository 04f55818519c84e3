//! Runs an engine in a process of its own, in any dialect of this program.

use super::engine_file::{EngineFile, Protocol};
use super::limits::{Clock, GoLimits};
use crate::movegen;
use crate::notation;
use crate::position::Position;
use crate::record::{Builder, Turn};
use crate::rules::{RULE_OPTIONS, Rules};
use crate::types::{Color, Move};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use std::fmt::{self, Write as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A fault by which a player loses a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The program could not be started or does not answer the handshake.
    Start(String),
    /// The program ended or closed its output.
    Crashed(String),
    /// No line came within the timeout.
    Hung(String),
    /// The reply is not a legal move.
    Illegal(String),
    /// The reply came after the time was up.
    Late(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => write!(f, "not started: {why}"),
            Self::Crashed(why) => write!(f, "crashed: {why}"),
            Self::Hung(why) => write!(f, "hung: {why}"),
            Self::Illegal(why) => write!(f, "illegal: {why}"),
            Self::Late(why) => write!(f, "late: {why}"),
        }
    }
}

/// The reply to `go`: a move, or a whole turn in dialects that write it as one word, and its time.
#[derive(Clone, Debug)]
pub struct Reply {
    /// One action, or all actions of a turn.
    pub moves: Vec<Move>,
    /// Time from `go` to the reply.
    pub used: Duration,
}

/// A client of an engine. The process starts with the first game and again after each fault.
pub struct Client {
    engine: EngineFile,
    rules: Rules,
    timeout: Duration,
    process: Option<Process>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<(Instant, String)>,
    protocol: Protocol,
}

impl Drop for Process {
    fn drop(&mut self) {
        // The engine gets 300 ms to end by itself. If writing fails, it has ended already.
        let _ = self.input.write_all(b"quit\n").and_then(|()| self.input.flush());
        let deadline = Instant::now() + Duration::from_millis(300);
        while Instant::now() < deadline {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Longer lines are cut, so that a broken engine cannot fill the memory.
const MAX_LINE: u64 = 1 << 20;

impl Process {
    fn start(engine: &EngineFile) -> Result<Self, Fault> {
        let (program, arguments) =
            engine.cmd.split_first().ok_or_else(|| Fault::Start("no program".to_owned()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|why| Fault::Start(format!("{program}: {why}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Fault::Start(format!("{program}: no pipes")));
        };
        let (sender, lines) = crossbeam_channel::unbounded();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            loop {
                line.clear();
                match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send((Instant::now(), text)).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, lines, protocol: engine.protocol })
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = self.input.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|_| self.crashed())
    }

    /// Returns the fault of a process that ended.
    fn crashed(&mut self) -> Fault {
        // The pipe may close shortly before the process ends.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Fault::Crashed(status.to_string());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Fault::Crashed("closed its output".to_owned())
    }

    /// Returns the next line that `wanted` accepts and its time. The wait ends at `limit`, or after `silence`
    /// without any line.
    fn wait<T>(
        &mut self,
        what: &str,
        limit: Option<Instant>,
        silence: Duration,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), Fault> {
        loop {
            let deadline = limit.unwrap_or_else(|| Instant::now() + silence);
            match self.lines.recv_deadline(deadline) {
                Ok((at, line)) => {
                    if let Some(found) = wanted(&line) {
                        return Ok((found, at));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Fault::Hung(format!("no answer to '{what}'")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
            }
        }
    }

    /// Sends a handshake word and collects the lines up to the answer.
    fn shake(&mut self, word: &str, timeout: Duration) -> Result<Vec<String>, Fault> {
        let answer = format!("{word}ok");
        let mut lines = Vec::new();
        self.send(word)?;
        self.wait(word, Some(Instant::now() + timeout), timeout, |line| {
            lines.push(line.to_owned());
            line.split_whitespace().any(|w| w == answer).then_some(())
        })?;
        Ok(lines)
    }

    fn ready(&mut self, timeout: Duration) -> Result<(), Fault> {
        if self.protocol == Protocol::Sanmill7 {
            return Ok(());
        }
        self.send("isready")?;
        let limit = Some(Instant::now() + timeout);
        self.wait("isready", limit, timeout, |line| line.contains("readyok").then_some(())).map(|_| ())
    }
}

impl Client {
    /// Returns a client for a match. It does not start the process yet.
    pub fn new(engine: EngineFile, rules: Rules, timeout: Duration) -> Self {
        Self { engine, rules, timeout, process: None }
    }

    /// Starts the program if it does not run, and sets it up.
    ///
    /// # Errors
    /// [`Fault::Start`] with the reason.
    pub fn start(&mut self) -> Result<(), Fault> {
        if self.process.is_some() {
            return Ok(());
        }
        let starting = self.start_process();
        let process = starting.map_err(|fault| match fault {
            Fault::Start(_) => fault,
            other => Fault::Start(other.to_string()),
        })?;
        self.process = Some(process);
        Ok(())
    }

    fn start_process(&self) -> Result<Process, Fault> {
        let words: &[(&str, Protocol)] = match self.engine.protocol {
            Protocol::Auto => {
                &[("uci", Protocol::Standard), ("gbgp", Protocol::Gbgp), ("ugi", Protocol::Ugi)]
            }
            Protocol::Gbgp => &[("gbgp", Protocol::Gbgp)],
            Protocol::Ugi => &[("ugi", Protocol::Ugi)],
            _ => &[("uci", self.engine.protocol)],
        };
        let mut last = Fault::Start("no answer".to_owned());
        for &(word, protocol) in words {
            // A new process for each attempt, because the handshake of another dialect may confuse the
            // engine.
            let mut process = Process::start(&self.engine)?;
            let patience =
                if words.len() > 1 { self.timeout.min(Duration::from_secs(5)) } else { self.timeout };
            match process.shake(word, patience) {
                Ok(lines) => {
                    process.protocol = protocol;
                    self.set_up(&mut process, &lines)?;
                    return Ok(process);
                }
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    fn set_up(&self, process: &mut Process, lines: &[String]) -> Result<(), Fault> {
        for line in &self.engine.setup {
            process.send(line)?;
        }
        let announced: Vec<String> = lines.iter().filter_map(|line| option_name(line)).collect();
        let has = |name: &str| announced.iter().any(|a| a.eq_ignore_ascii_case(name));
        let forms = [(Protocol::Sanmill7, "sanmill7"), (Protocol::Tgf, "tgf")];
        if let Some((_, form)) = forms.iter().find(|(p, _)| *p == process.protocol && has("Protocol")) {
            process.send(&format!("setoption name Protocol value {form}"))?;
        }
        for line in rule_lines(&self.rules, process.protocol, &has)? {
            process.send(&line)?;
        }
        for (name, value) in &self.engine.options {
            let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
            process.send(&format!("setoption name {name}{value}"))?;
        }
        process.ready(self.timeout)
    }

    /// Prepares for a new game, with a new process if the last one had a fault.
    ///
    /// # Errors
    /// If the program does not start, has ended or does not reply.
    pub fn new_game(&mut self) -> Result<(), Fault> {
        self.start()?;
        let timeout = self.timeout;
        self.guarded(|process| {
            match process.protocol {
                Protocol::Sanmill7 => {}
                Protocol::Gbgp => process.send("newgame")?,
                Protocol::Ugi => process.send("uginewgame")?,
                _ => process.send("ucinewgame")?,
            }
            process.ready(timeout)
        })
    }

    /// Ends the process after a fault, so that the next game starts a new one.
    pub fn stop(&mut self) {
        if let Some(process) = &mut self.process {
            // A hung engine does not read `quit`. If this fails, it has ended already.
            let _ = process.child.kill();
        }
        self.process = None;
    }

    fn guarded<T>(&mut self, action: impl FnOnce(&mut Process) -> Result<T, Fault>) -> Result<T, Fault> {
        let Some(process) = &mut self.process else { return Err(Fault::Start("it does not run".to_owned())) };
        let result = action(process);
        if matches!(result, Err(Fault::Crashed(_) | Fault::Hung(_))) {
            self.stop();
        }
        result
    }

    /// Requests a move in the current position of `game`.
    ///
    /// # Errors
    /// If the engine ends, hangs, or replies with something else than a legal move.
    pub fn play(
        &mut self,
        game: &mut Builder,
        limits: &GoLimits,
        clocks: &[Clock; 2],
    ) -> Result<Reply, Fault> {
        let timeout = self.timeout;
        self.guarded(|process| {
            let position = position_line(process.protocol, game).map_err(Fault::Start)?;
            let go = go_line(process.protocol, limits, clocks);
            let side = game.position().side_to_move();
            let allowed = match limits.movetime {
                Some(time) => Some(time),
                None => clocks[side.index()].is_running().then(|| clocks[side.index()].left),
            };
            process.send(&position)?;
            // Drop late lines of an earlier search: they are not the reply to this one.
            while process.lines.try_recv().is_ok() {}
            let start = Instant::now();
            process.send(&go)?;
            let limit = allowed.map(|time| start + time + timeout);
            let (word, at) = process.wait(&go, limit, timeout, best_move)?;
            let moves = read_answer(process.protocol, game.position(), &word).map_err(Fault::Illegal)?;
            Ok(Reply { moves, used: at.saturating_duration_since(start) })
        })
    }
}

/// Returns the name in an `option name … type …` line.
fn option_name(line: &str) -> Option<String> {
    let rest = line.strip_prefix("option name ")?;
    Some(rest.split(" type ").next()?.trim().to_owned())
}

/// Returns the lines that set the rules in an engine with the announced options.
fn rule_lines(rules: &Rules, protocol: Protocol, has: &dyn Fn(&str) -> bool) -> Result<Vec<String>, Fault> {
    let unable = |what: &str| Fault::Start(format!("it cannot be told the rules: {what}"));
    if protocol == Protocol::Gbgp {
        let twelve = match rules.name().as_str() {
            "nine" => false,
            "twelve" => true,
            name => return Err(unable(&format!("'{name}' is not known in this dialect"))),
        };
        return match (has("TwelveMensMorris"), twelve) {
            (true, _) => Ok(vec![format!("setoption name TwelveMensMorris value {twelve}")]),
            (false, false) => Ok(Vec::new()),
            (false, true) => Err(unable("it has no option TwelveMensMorris")),
        };
    }
    let name = rules.name();
    if has("UCI_Variant") && name != "custom" {
        return Ok(vec![format!("setoption name UCI_Variant value {name}")]);
    }
    let mut lines = Vec::new();
    for option in RULE_OPTIONS {
        if has(option.name) {
            lines.push(format!("setoption name {} value {}", option.name, rules.value_text(option)));
        } else if (option.get)(rules) != (option.get)(&Rules::NINE) {
            return Err(unable(&format!("it has no option {}", option.name)));
        }
    }
    Ok(lines)
}

/// Returns the move in a line that replies to `go`.
fn best_move(line: &str) -> Option<String> {
    let mut words = line.split_whitespace().skip_while(|w| *w != "bestmove");
    words.next()?;
    Some(words.next().unwrap_or_default().to_owned())
}

fn read_answer(protocol: Protocol, pos: &Position, word: &str) -> Result<Vec<Move>, String> {
    let legal = || {
        let list: Vec<String> = movegen::legal(pos).iter().map(Move::to_string).collect();
        format!("{} at {}", list.join(" "), pos.fen())
    };
    let lower = word.to_ascii_lowercase();
    let parts: Vec<&str> =
        if protocol == Protocol::Gbgp { notation::split_turn(&lower).collect() } else { vec![&lower] };
    let side = pos.side_to_move();
    let mut after = pos.clone();
    let mut moves = Vec::new();
    for part in parts {
        let m = notation::read(part)
            .filter(|&m| after.is_legal(m) && (moves.is_empty() || after.side_to_move() == side))
            .ok_or_else(|| format!("found '{word}', expected one of {}", legal()))?;
        after.do_move(m);
        moves.push(m);
    }
    // A take that ends the game leaves the action of the position as it was.
    let owes = after.is_removal_due() && !after.outcome().is_over() && after.side_to_move() == side;
    if protocol == Protocol::Gbgp && owes {
        return Err(format!("found '{word}', expected its removal in the same word"));
    }
    Ok(moves)
}

/// Returns the `position` line of the game so far.
fn position_line(protocol: Protocol, game: &mut Builder) -> Result<String, String> {
    let record = game.game();
    let mut line = "position ".to_owned();
    match (&record.start, protocol) {
        (None, _) => line.push_str("startpos"),
        (Some(_), Protocol::Gbgp) => {
            let pos = record.start_position().map_err(|why| why.to_string())?;
            line.push_str(&format!("pos {}", gbgp_text(&pos)?));
        }
        (Some(text), Protocol::Sanmill7) => line.push_str(&format!("fen {}", old_ids(text)?)),
        (Some(text), _) => line.push_str(&format!("fen {text}")),
    }
    let turns = &record.main().turns;
    if !turns.is_empty() {
        line.push_str(" moves");
        for Turn { moves, .. } in turns {
            for (n, m) in moves.iter().enumerate() {
                let gap = if protocol == Protocol::Gbgp && n > 0 { "" } else { " " };
                // Writing to a string cannot fail.
                let _ = write!(line, "{gap}{m}");
            }
        }
    }
    Ok(line)
}

/// Returns the position text of the Generic Board Game Protocol: side, men, move number. Hands follow from
/// the number.
fn gbgp_text(pos: &Position) -> Result<String, String> {
    let men = |color| pos.men(color).into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(",");
    let count = u32::from(pos.rules().pieces_count);
    let turns = pos.ply();
    let placed = [count.min(turns.div_ceil(2)), count.min(turns / 2)];
    if Color::ALL.iter().any(|&c| pos.hand(c) != count - placed[c.index()]) || pos.is_removal_due() {
        return Err(format!("this dialect cannot express the position {}", pos.fen()));
    }
    let side = pos.side_to_move().letter();
    Ok(format!("{side}:w{}:b{}:{}", men(Color::White), men(Color::Black), turns / 2 + 1))
}

/// Returns a position text with the square numbers of older programs and without extension words.
fn old_ids(text: &str) -> Result<String, String> {
    let mut fields: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let nodes = fields.iter().skip(17).any(|word| word.eq_ignore_ascii_case("ids:nodes"));
    if fields.iter().skip(17).any(|word| !word.eq_ignore_ascii_case("ids:nodes")) {
        return Err(format!("this dialect cannot express the position {text}"));
    }
    fields.truncate(17);
    if nodes {
        for field in &mut fields[10..14] {
            let number: i64 = field.parse().map_err(|_| format!("bad position {text}"))?;
            *field = if number < 0 { 0 } else { number + 8 }.to_string();
        }
        let used: u64 = fields[14].parse().map_err(|_| format!("bad position {text}"))?;
        // Both halves have 24 bits, so the shift moves no bit from one to the other.
        fields[14] = (used << 8).to_string();
    }
    Ok(fields.join(" "))
}

fn go_line(protocol: Protocol, limits: &GoLimits, clocks: &[Clock; 2]) -> String {
    let mut line = "go".to_owned();
    let mut word = |name: &str, value: u128| line.push_str(&format!(" {name} {value}"));
    if clocks.iter().any(Clock::is_running) {
        let names = match protocol {
            Protocol::Ugi => ["p1time", "p2time", "p1inc", "p2inc"],
            _ => ["wtime", "btime", "winc", "binc"],
        };
        for side in [0, 1] {
            word(names[side], clocks[side].left.as_millis().max(1));
        }
        for side in [0, 1] {
            word(names[2 + side], clocks[side].increment().as_millis());
        }
    }
    if let Some(turns) = clocks.iter().find(|c| c.is_running()).and_then(|c| c.to_go) {
        word("movestogo", u128::from(turns));
    }
    if let Some(time) = limits.movetime {
        word("movetime", time.as_millis());
    }
    if let Some(nodes) = limits.nodes {
        word("nodes", u128::from(nodes));
    }
    if let Some(depth) = limits.depth {
        word("depth", u128::from(depth));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_in_every_dialect() {
        let pos = Position::new(&Rules::NINE);
        for line in [
            "bestmove d6 ponder f4",
            "info score 4 bestmove d6",
            "info score 0 aimovetype perfect bestmove d6",
            "info depth 7 score cp 3 nodes 5 bestmove D6",
        ] {
            let word = best_move(line).unwrap();
            assert_eq!(read_answer(Protocol::Standard, &pos, &word).unwrap()[0].to_string(), "d6", "{line}");
        }
        assert_eq!(best_move("info string best-move d6"), None);
        assert_eq!(best_move("bestmove"), Some(String::new()));
        for bad in ["", "(none)", "draw", "xd6", "d6xf4", "d4"] {
            let why = read_answer(Protocol::Standard, &pos, bad).unwrap_err();
            assert!(why.starts_with(&format!("found '{bad}', expected one of d5")), "{why}");
        }
    }

    #[test]
    fn whole_turns_are_read_and_written_where_the_dialect_has_them() {
        let mut game = Builder::new(Rules::NINE, None).unwrap();
        for m in ["d7", "a1", "g7", "d1"] {
            game.push(notation::read(m).unwrap()).unwrap();
        }
        let pos = game.position().clone();
        assert_eq!(read_answer(Protocol::Gbgp, &pos, "a7xd1").unwrap().len(), 2);
        assert!(read_answer(Protocol::Gbgp, &pos, "a7").unwrap_err().contains("removal"));
        assert!(read_answer(Protocol::Gbgp, &pos, "f4xd1").is_err());
        for m in ["a7", "xd1"] {
            game.push(notation::read(m).unwrap()).unwrap();
        }
        let line = |protocol, game: &mut Builder| position_line(protocol, game).unwrap();
        assert_eq!(line(Protocol::Gbgp, &mut game), "position startpos moves d7 a1 g7 d1 a7xd1");
        assert_eq!(line(Protocol::Ugi, &mut game), "position startpos moves d7 a1 g7 d1 a7 xd1");
    }

    #[test]
    fn positions_are_written_in_the_words_of_the_dialect() {
        let text = "********/***O**@*/**@****O b p p 2 7 2 7 0 0 -1 -1 9 8 4251872 0 3 ids:nodes";
        assert_eq!(
            old_ids(text).unwrap(),
            "********/***O**@*/**@****O b p p 2 7 2 7 0 0 0 0 17 16 1088479232 0 3"
        );
        assert!(old_ids(&format!("{text} s:1")).is_err());
        let start = "********/*****@O*/****@O** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let mut game = Builder::new(Rules::NINE, Some(start)).unwrap();
        assert_eq!(position_line(Protocol::Gbgp, &mut game).unwrap(), "position pos w:wb4,a1:bb2,d1:3");
        let odd = start.replace("7 0 0 -1", "6 0 0 -1");
        let mut game = Builder::new(Rules::NINE, Some(&odd)).unwrap();
        assert!(position_line(Protocol::Gbgp, &mut game).is_err());
    }

    #[test]
    fn rules_are_told_by_the_variant_or_option_by_option() {
        let lines = |rules: &Rules, protocol, known: &[&str]| {
            let has = |name: &str| known.contains(&name);
            rule_lines(rules, protocol, &has).map(|lines| lines.join("; "))
        };
        let twelve = Rules::TWELVE;
        assert_eq!(
            lines(&twelve, Protocol::Standard, &["UCI_Variant"]).unwrap(),
            "setoption name UCI_Variant value twelve"
        );
        assert_eq!(
            lines(&twelve, Protocol::Tgf, &["PiecesCount", "HasDiagonalLines"]).unwrap(),
            "setoption name PiecesCount value 12; setoption name HasDiagonalLines value true"
        );
        assert!(lines(&twelve, Protocol::Tgf, &["PiecesCount"]).is_err());
        assert!(lines(&twelve, Protocol::Gbgp, &[]).is_err());
        assert_eq!(lines(&Rules::NINE, Protocol::Gbgp, &[]).unwrap(), "");
    }
}
