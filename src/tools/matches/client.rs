//! Runs an engine in a process of its own, in any dialect of this program.

use super::connection::{Connection, LONGEST_LINE, Question};
use super::engine_file::{EngineFile, Protocol, is_rule_option};
use super::fault::{Fault, MoveFault, StartFault};
use super::limits::{Clock, GoLimits};
use crate::dialect::client::{self, AnnouncedOption};
use crate::dialect::writer::Dialect;
use crate::engine::{GoRequest, PositionOrigin, PositionRequest};
use crate::notation;
use crate::platform::text::printable;
use crate::position::Position;
use crate::record::Builder;
use crate::rules::{RULE_OPTIONS, Rules};
use crate::tools::error::ToolError;
use crate::types::{Color, Depth, Move};
use std::fmt;
use std::time::{Duration, Instant};

/// The reply to `go`: a move, or a whole turn in dialects that write it as one word, and its time.
#[derive(Clone, Debug)]
pub struct Reply {
    /// One move, or all moves of a turn.
    pub moves: Vec<Move>,
    /// Time from `go` to the reply.
    pub used: Duration,
}

/// A client of an engine. The process starts with the first game and again after each crash or hang.
pub struct Client {
    engine: EngineFile,
    rules: Rules,
    timeout: Duration,
    /// The time for the answer to `go` beyond its limit.
    move_timeout: Duration,
    process: Option<Process>,
    /// The number of shortened lines of earlier processes that are not reported yet.
    cut: u64,
}

/// The number of lines of an engine that were cut because of their length.
#[derive(Clone, Copy, Debug)]
pub struct CutLines(u64);

impl fmt::Display for CutLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lines longer than {LONGEST_LINE} bytes, which were cut: {}", self.0)
    }
}

const IS_READY: &str = "isready";

/// Returns the question whose answer is that of [`IS_READY`].
fn ready_ok() -> Question {
    Question::Word("readyok".to_owned())
}

/// A process and the dialect it speaks.
struct Process {
    connection: Connection,
    protocol: Protocol,
    /// The first word of a dialect to which there was no answer in time.
    missed: Option<&'static str>,
}

impl Process {
    /// Sends a handshake word and returns the lines up to the answer.
    fn handshake(&mut self, word: &str, timeout: Duration) -> Result<Vec<String>, Fault> {
        let reply = self.connection.ask(word, Question::Word(format!("{word}ok")), timeout)?;
        Ok(reply.before.into_iter().chain([reply.line]).collect())
    }

    /// Waits until the engine has executed all earlier lines.
    fn ready(&mut self, timeout: Duration) -> Result<(), Fault> {
        if self.protocol != Protocol::Sanmill7 {
            self.connection.ask(IS_READY, ready_ok(), timeout)?;
        }
        Ok(())
    }

    /// Sends a line, waits until the engine has executed it, and returns the lines it has printed meanwhile.
    fn execute(&mut self, line: &str, timeout: Duration) -> Result<Vec<String>, Fault> {
        if self.protocol == Protocol::Sanmill7 {
            self.connection.send(line, timeout)?;
            return Ok(Vec::new());
        }
        // Both lines as one question: what is printed before a question is dropped.
        let reply = self.connection.ask(&format!("{line}\n{IS_READY}"), ready_ok(), timeout)?;
        Ok(reply.before)
    }
}

impl Client {
    /// Returns a client for a match. It does not start the process yet.
    pub fn new(engine: EngineFile, rules: Rules, timeout: Duration) -> Self {
        Self { engine, rules, timeout, move_timeout: timeout, process: None, cut: 0 }
    }

    /// Sets another timeout for the answer to `go`, beyond its limit.
    #[must_use]
    pub fn with_move_timeout(self, move_timeout: Duration) -> Self {
        Self { move_timeout, ..self }
    }

    /// Returns the dialect of the engine file, or the one that the first start has found.
    pub const fn protocol(&self) -> Protocol {
        self.engine.protocol
    }

    /// Returns a note about a running engine that left the first word of a dialect without an answer.
    ///
    /// It may have been too slow, and be spoken to in the wrong one.
    pub fn dialect_note(&self) -> Option<String> {
        let Process { missed, protocol, .. } = self.process.as_ref()?;
        let (name, dialect) = (&self.engine.name, protocol.dialect().name());
        missed
            .map(|word| format!("engine {name}: no answer to '{word}' in time, so it is asked in {dialect}"))
    }

    /// Starts the program if it does not run, and sets it up. Later starts use the dialect of the first.
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
            other => Fault::Start(StartFault::Fault(Box::new(other))),
        })?;
        self.engine.protocol = process.protocol;
        self.process = Some(process);
        Ok(())
    }

    fn start_process(&self) -> Result<Process, Fault> {
        let protocols = match self.engine.protocol {
            Protocol::Auto => vec![Protocol::Standard, Protocol::Gbgp, Protocol::Ugi],
            protocol => vec![protocol],
        };
        let mut faults = Vec::new();
        for &protocol in &protocols {
            // A new process for each attempt, because the handshake of another dialect may confuse the
            // engine.
            let missed = faults.iter().find(|(_, fault)| matches!(fault, Fault::Hung(_)));
            let missed = missed.map(|&(hello, _)| hello);
            let mut process = Process { connection: Connection::start(&self.engine.cmd)?, protocol, missed };
            let patience =
                if protocols.len() > 1 { self.timeout.min(Duration::from_secs(5)) } else { self.timeout };
            let hello = protocol.dialect().words().hello;
            match process.handshake(hello, patience) {
                Ok(lines) => {
                    self.set_up(&mut process, &lines)?;
                    return Ok(process);
                }
                Err(fault) => faults.push((hello, fault)),
            }
        }
        if let [(_, fault)] = &faults[..] {
            return Err(fault.clone());
        }
        Err(Fault::Start(StartFault::NoDialect(faults)))
    }

    /// Tells an engine its setup lines, the rules and its options. `lines` is its answer to the handshake.
    fn set_up(&self, process: &mut Process, lines: &[String]) -> Result<(), Fault> {
        let options: Vec<_> = lines.iter().filter_map(|line| AnnouncedOption::read(line)).collect();
        let find = |name: &str| options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        for line in &self.engine.setup {
            self.tell(process, line)?;
        }
        if matches!(process.protocol, Protocol::Sanmill7 | Protocol::Tgf) && find("Protocol").is_some() {
            let form = process.protocol.dialect().name();
            self.tell(process, &format!("setoption name Protocol value {form}"))?;
        }
        for line in setoption_lines(&self.rules, process.protocol, &find)? {
            // Even if `lenient`: it would play by other rules.
            if let Some(answer) = self.refusal(process, &line)? {
                return Err(Fault::Start(StartFault::RefusedRule { line, answer }));
            }
        }
        for (name, value) in &self.engine.options {
            let problem = match find(name) {
                _ if is_rule_option(name) => Some(StartFault::RuleOption(name.clone())),
                None => Some(StartFault::NoOption(name.clone())),
                Some(option) => option.expects(value).map(|expected| StartFault::BadValue {
                    name: name.clone(),
                    value: value.clone(),
                    expected,
                }),
            };
            if let Some(problem) = problem.filter(|_| !self.engine.lenient) {
                return Err(Fault::Start(problem));
            }
            let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
            self.tell(process, &format!("setoption name {name}{value}"))?;
        }
        process.ready(self.timeout)
    }

    /// Sends a line of the setup, and waits for a refusal unless the engine file allows them.
    fn tell(&self, process: &mut Process, line: &str) -> Result<(), Fault> {
        if line.trim() == IS_READY {
            // Sent once: a second answer would become that to the next line.
            return process.ready(self.timeout);
        }
        if self.engine.lenient {
            return process.connection.send(line, self.timeout);
        }
        match self.refusal(process, line)? {
            Some(answer) => Err(Fault::Start(StartFault::Refused { line: line.to_owned(), answer })),
            None => Ok(()),
        }
    }

    /// Sends a line of the setup, and returns the answer that refuses it, if one does.
    fn refusal(&self, process: &mut Process, line: &str) -> Result<Option<String>, Fault> {
        let mut printed = process.execute(line, self.timeout)?.into_iter();
        Ok(printed.find(|printed| client::is_refusal(printed, line)))
    }

    /// Prepares for a new game, with a new process if the last one crashed or hung.
    ///
    /// Returns the fault of a program that has ended or does not reply.
    ///
    /// # Errors
    /// If the system does not start the program: that is no fault of the engine, and would lose all games
    /// that follow.
    pub fn new_game(&mut self) -> Result<Result<(), Fault>, ToolError> {
        match self.start() {
            Err(fault @ Fault::Start(StartFault::Program(..))) => {
                return Err(ToolError::Player { name: self.engine.name.clone(), fault });
            }
            Err(fault) => return Ok(Err(fault)),
            Ok(()) => {}
        }
        let timeout = self.timeout;
        Ok(self.guarded(|process| {
            // Sanmill 7 does not have the command.
            if process.protocol != Protocol::Sanmill7 {
                process.connection.send(process.protocol.dialect().words().new_game, timeout)?;
            }
            process.ready(timeout)
        }))
    }

    /// Ends the process after a crash or a hang, so that the next game starts a new one.
    pub fn stop(&mut self) {
        if let Some(process) = &mut self.process {
            self.cut += process.connection.take_cut();
            // A hung engine does not read `quit`.
            process.connection.kill();
        }
        self.process = None;
    }

    /// Returns the output of the engine that was cut since the last call, if any was.
    pub fn note(&mut self) -> Option<CutLines> {
        let running = self.process.as_mut().map_or(0, |process| process.connection.take_cut());
        let cut = std::mem::take(&mut self.cut) + running;
        (cut > 0).then_some(CutLines(cut))
    }

    fn guarded<T>(&mut self, action: impl FnOnce(&mut Process) -> Result<T, Fault>) -> Result<T, Fault> {
        let Some(process) = &mut self.process else { return Err(Fault::Start(StartFault::NotRunning)) };
        let result = action(process);
        if matches!(result, Err(Fault::Crashed(_) | Fault::Hung(_))) {
            self.stop();
        }
        result
    }

    /// Checks that the dialect of the running engine can express the beginning of a game.
    ///
    /// # Errors
    /// [`Fault::Start`] with the reason.
    pub fn check_beginning(&self, game: &mut Builder) -> Result<(), Fault> {
        let Some(process) = &self.process else { return Err(Fault::Start(StartFault::NotRunning)) };
        position_line(process.protocol.dialect(), game).map(drop)
    }

    /// Requests a move in the current position of `game`.
    ///
    /// # Errors
    /// If the engine ends, hangs, or replies with something other than a legal move.
    pub fn play(
        &mut self,
        game: &mut Builder,
        limits: &GoLimits,
        clocks: &[Clock; 2],
    ) -> Result<Reply, Fault> {
        let (timeout, move_timeout) = (self.timeout, self.move_timeout);
        self.guarded(|process| {
            let dialect = process.protocol.dialect();
            let position = position_line(dialect, game)?;
            let side = game.position().side_to_move();
            let go = go_line(dialect, limits, clocks, side);
            let allowed = match limits.movetime {
                Some(time) => Some(time),
                None => clocks[side.index()].is_running().then(|| clocks[side.index()].left),
            };
            let patience = allowed.unwrap_or_default().saturating_add(move_timeout);
            process.connection.send(&position, timeout)?;
            // A second answer to the last question must not become the answer to the next one.
            process.ready(timeout)?;
            let start = Instant::now();
            let reply = process.connection.ask(&go, Question::Move, patience)?;
            let word = client::best_move(&reply.line).unwrap_or_default();
            let moves = read_answer(dialect, game.position(), word)?;
            Ok(Reply { moves, used: reply.at.saturating_duration_since(start) })
        })
    }
}

/// Returns the lines that set the rules in an engine with the announced options.
fn setoption_lines<'a>(
    rules: &Rules,
    protocol: Protocol,
    find: &dyn Fn(&str) -> Option<&'a AnnouncedOption>,
) -> Result<Vec<String>, Fault> {
    let has = |name: &str| find(name).is_some();
    let takes = |name: &str, value: &str| find(name).is_some_and(|option| option.expects(value).is_none());
    if protocol == Protocol::Gbgp {
        let twelve = match rules.name().as_str() {
            "nine" => false,
            "twelve" => true,
            _ => return Err(Fault::Start(StartFault::UnknownRules(rules.describe()))),
        };
        return match (has("TwelveMensMorris"), twelve) {
            (true, _) => Ok(vec![format!("setoption name TwelveMensMorris value {twelve}")]),
            (false, false) => Ok(Vec::new()),
            (false, true) => Err(Fault::Start(StartFault::NoRuleOption("TwelveMensMorris"))),
        };
    }
    let name = rules.name();
    if name != "custom" && takes("UCI_Variant", &name) {
        return Ok(vec![format!("setoption name UCI_Variant value {name}")]);
    }
    let mut lines = Vec::new();
    for option in RULE_OPTIONS {
        let value = rules.value_text(option);
        if let Some(announced) = find(option.name) {
            if let Some(expected) = announced.expects(&value) {
                return Err(Fault::Start(StartFault::BadRule { name: option.name, value, expected }));
            }
            lines.push(format!("setoption name {} value {value}", option.name));
        } else if rules.differing_options().any(|other| other.name == option.name) {
            return Err(Fault::Start(StartFault::NoRuleOption(option.name)));
        }
    }
    // A program that names its rules, but not these, and has no options for them, plays others.
    if lines.is_empty()
        && name != "custom"
        && let Some(expected) = find("UCI_Variant").and_then(|option| option.expects(&name))
    {
        return Err(Fault::Start(StartFault::BadRule { name: "UCI_Variant", value: name, expected }));
    }
    Ok(lines)
}

/// Returns the moves of the word that answers `go`, if they are legal.
fn read_answer(dialect: &dyn Dialect, pos: &Position, word: &str) -> Result<Vec<Move>, Fault> {
    let shown = || printable(word, 60);
    let not_legal = || {
        let legal = pos.legal_moves().iter().copied().collect();
        Fault::Illegal(MoveFault::NotLegal { found: shown(), legal, fen: pos.fen() })
    };
    if !dialect.whole_turns() {
        return notation::parse(pos, word).map(|m| vec![m]).map_err(|_| not_legal());
    }
    let (moves, after) = notation::parse_turn(pos, word).map_err(|_| not_legal())?;
    let has_moved = after.side_to_move() != pos.side_to_move();
    // A take that ends the game leaves the action of the position as it was.
    if after.is_take_due() && !after.outcome().is_over() && !has_moved {
        return Err(Fault::Illegal(MoveFault::NoTake(shown())));
    }
    Ok(moves)
}

/// Returns the `position` line of the game so far.
fn position_line(dialect: &dyn Dialect, game: &mut Builder) -> Result<String, Fault> {
    let record = game.game();
    let origin = match &record.start {
        None => PositionOrigin::Start,
        Some(text) => {
            let pos = record.start_position().map_err(|why| Fault::Start(StartFault::Position(why)))?;
            let text = dialect.text_for_engine(text, &pos);
            PositionOrigin::Text(text.map_err(|why| Fault::Start(StartFault::Dialect(why)))?)
        }
    };
    let turns = record.main().turns.iter();
    let words = turns.flat_map(|turn| client::turn_words(&turn.moves, dialect.whole_turns()));
    let moves = words.collect::<Vec<_>>().join(" ");
    Ok(client::position_command(&PositionRequest { origin, moves }, dialect.words()))
}

/// Returns the `go` line for a search of `side` under these limits and clocks.
fn go_line(dialect: &dyn Dialect, limits: &GoLimits, clocks: &[Clock; 2], side: Color) -> String {
    // A player without a clock is not told that of the other one: it would take the time for its own.
    let own = Some(&clocks[side.index()]).filter(|clock| clock.is_running());
    let request = GoRequest {
        time: clocks.each_ref().map(|clock| own.filter(|_| clock.is_running()).map(|_| clock.left)),
        increment: clocks.each_ref().map(Clock::increment),
        movestogo: own.and_then(|clock| clock.to_go),
        movetime: limits.movetime,
        nodes: limits.nodes,
        depth: limits.depth.map(|depth| Depth::try_from(depth).unwrap_or(Depth::MAX)),
        ..GoRequest::default()
    };
    client::go_command(&request, dialect.words())
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
            let word = client::best_move(line).unwrap();
            assert_eq!(
                read_answer(Protocol::Standard.dialect(), &pos, word).unwrap()[0].to_string(),
                "d6",
                "{line}"
            );
        }
        assert_eq!(client::best_move("info string best-move d6"), None);
        assert_eq!(client::best_move("bestmove"), Some(""));
        for bad in ["", "(none)", "draw", "xd6", "d6xf4", "d4"] {
            let why = read_answer(Protocol::Standard.dialect(), &pos, bad).unwrap_err().to_string();
            assert!(why.starts_with(&format!("illegal: found '{bad}', expected one of d5")), "{why}");
        }
    }

    #[test]
    fn rules_without_a_name_are_told_as_they_were_given() {
        let rules = Rules { may_fly: false, n_move_rule: 30, ..Rules::NINE };
        let why = setoption_lines(&rules, Protocol::Gbgp, &|_| None).unwrap_err().to_string();
        assert!(why.contains(&format!("'{}' is not known in this dialect", rules.describe())), "{why}");
        assert!(why.contains("MayFly=false"), "{why}");
    }

    #[test]
    fn whole_turns_are_read_and_written_where_the_dialect_has_them() {
        let mut game = Builder::new(Rules::NINE, None).unwrap();
        for m in ["d7", "a1", "g7", "d1"] {
            game.push(m.parse().unwrap()).unwrap();
        }
        let pos = game.position().clone();
        assert_eq!(read_answer(Protocol::Gbgp.dialect(), &pos, "a7xd1").unwrap().len(), 2);
        let why = read_answer(Protocol::Gbgp.dialect(), &pos, "a7").unwrap_err().to_string();
        assert!(why.contains("its take"), "{why}");
        assert!(read_answer(Protocol::Gbgp.dialect(), &pos, "f4xd1").is_err());
        for m in ["a7", "xd1"] {
            game.push(m.parse().unwrap()).unwrap();
        }
        let line = |protocol: Protocol, game: &mut Builder| position_line(protocol.dialect(), game).unwrap();
        assert_eq!(line(Protocol::Gbgp, &mut game), "position startpos moves d7 a1 g7 d1 a7xd1");
        assert_eq!(line(Protocol::Ugi, &mut game), "position startpos moves d7 a1 g7 d1 a7 xd1");
    }

    #[test]
    fn positions_are_written_in_the_words_of_the_dialect() {
        let start = "********/*****@O*/****@O** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let mut game = Builder::new(Rules::NINE, Some(start)).unwrap();
        assert_eq!(
            position_line(Protocol::Gbgp.dialect(), &mut game).unwrap(),
            "position pos w:wb4,a1:bb2,d1:3"
        );
        let odd = start.replace("7 0 0 -1", "6 0 0 -1");
        let mut game = Builder::new(Rules::NINE, Some(&odd)).unwrap();
        assert!(position_line(Protocol::Gbgp.dialect(), &mut game).is_err());
    }

    #[test]
    fn a_player_is_told_its_own_turns_to_go_and_no_clock_if_it_has_none() {
        let timed = GoLimits::parse("wtime 400 movestogo 3").unwrap();
        let untimed = GoLimits::parse("nodes 100").unwrap();
        let go = |limits: &GoLimits, clocks: &[Clock; 2], side| {
            go_line(Protocol::Standard.dialect(), limits, clocks, side)
        };
        let mut clocks = Color::ALL.map(|side| Clock::new(&timed, side));
        clocks[Color::White.index()].to_go = Some(2);
        assert!(go(&timed, &clocks, Color::White).ends_with("movestogo 2"));
        assert!(go(&timed, &clocks, Color::Black).ends_with("movestogo 3"));
        clocks[Color::Black.index()] = Clock::new(&untimed, Color::Black);
        assert_eq!(go(&untimed, &clocks, Color::Black), "go nodes 100");
        assert!(go(&timed, &clocks, Color::White).starts_with("go wtime 400"));
    }

    #[test]
    fn rules_are_told_by_the_variant_or_option_by_option() {
        let lines = |rules: &Rules, protocol, known: &[&str]| {
            let read = |text: &&str| AnnouncedOption::read(&format!("option name {text}")).unwrap();
            let known: Vec<_> = known.iter().map(read).collect();
            let find = |name: &str| known.iter().find(|option| option.name == name);
            setoption_lines(rules, protocol, &find).map(|lines| lines.join("; "))
        };
        let twelve = Rules::TWELVE;
        let men = "PiecesCount type spin default 9 min 3 max 12";
        let diagonals = "HasDiagonalLines type check default false";
        let variants = "UCI_Variant type combo default nine var nine var twelve";
        assert_eq!(
            lines(&twelve, Protocol::Standard, &[variants]).unwrap(),
            "setoption name UCI_Variant value twelve"
        );
        let single = "setoption name PiecesCount value 12; setoption name HasDiagonalLines value true";
        assert_eq!(lines(&twelve, Protocol::Tgf, &[men, diagonals]).unwrap(), single);
        // A program that does not know the variant may know its options, but not with every value.
        let other = "UCI_Variant type combo default nine var nine";
        assert_eq!(lines(&twelve, Protocol::Standard, &[other, men, diagonals]).unwrap(), single);
        let custom = Rules { may_fly: false, n_move_rule: 60, ..Rules::NINE };
        let single = ["MayFly type check default true", "NMoveRule type spin default 100 min 10 max 200"];
        for variants in ["UCI_Variant type string", "UCI_Variant type combo default nine var nine var custom"]
        {
            let sent = lines(&custom, Protocol::Standard, &[variants, single[0], single[1]]).unwrap();
            assert!(sent.contains("MayFly value false") && !sent.contains("UCI_Variant"), "{sent}");
        }
        // `lenient` in its engine file would not help, so the reasons do not advise it.
        let why = |rules, known: &[&str]| lines(rules, Protocol::Tgf, known).unwrap_err().to_string();
        let reason = "not started: it cannot be told the rules: option ";
        let twelve_only = "UCI_Variant type combo default twelve var twelve";
        let expected = format!("{reason}UCI_Variant: found 'nine', expected one of twelve");
        assert_eq!(why(&Rules::NINE, &[twelve_only]), expected);
        let few = "PiecesCount type spin default 9 min 9 max 10";
        let expected = format!("{reason}PiecesCount: found '12', expected a number from 9 to 10");
        assert_eq!(why(&twelve, &[few, diagonals]), expected);
        assert!(lines(&twelve, Protocol::Tgf, &[men]).is_err());
        assert!(lines(&twelve, Protocol::Gbgp, &[]).is_err());
        assert_eq!(lines(&Rules::NINE, Protocol::Gbgp, &[]).unwrap(), "");
    }
}
