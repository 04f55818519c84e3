//! Answers: to questions about the position, and what a finished search leads to.

use super::analysis;
use super::task::{Logical, Search, Task};
use super::{Job, Session};
use crate::dialect::command::Command;
use crate::dialect::state;
use crate::dialect::text::tame;
use crate::dialect::ugi;
use crate::dialect::writer::{Answer, View};
use crate::engine::experience::Experience;
use crate::engine::options;
use crate::engine::{Manner, NoSearch, PositionRequest, searchable};
use crate::movegen;
use crate::position::Position;
use crate::rules::{NAMED, RULE_OPTIONS, Rules};
use crate::search::BestMove;
use crate::search::limits::Limits;
use crate::tablebase::despite_damage;
use crate::tools::diagram;
use crate::tools::experience::summary;
use crate::types::{Color, Move, MoveKind, VALUE_DRAW};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Nodes spent on finding the rest of a turn whose first move is settled.
const NODES_FOR_THE_REST: u64 = 20_000;

impl<W: Write> Session<W> {
    /// Answers a question about the position; the search, if there is one, goes on.
    pub(super) fn answer_question(&mut self, question: Command) -> io::Result<()> {
        if !matches!(self.job, Job::Search(_)) {
            self.prepare()?;
        }
        let pos = self.engine.position();
        match question {
            Command::Display { svg: false } => self.display(),
            Command::Display { svg: true } => {
                let picture = diagram::svg(pos, &diagram::Overlay::default());
                picture.lines().try_for_each(|line| self.out.line(line))
            }
            Command::Fen => self.out.line(&format!("fen {}", self.dialect.fen(pos))),
            Command::Moves => {
                let moves = movegen::legal(pos);
                let words: Vec<String> = moves.iter().map(Move::to_string).collect();
                self.out.line(format!("moves {}", words.join(" ")).trim_end())
            }
            Command::Eval => {
                let (value, terms) = self.engine.eval();
                let lines = self.dialect.eval(value, &terms, pos.side_to_move());
                lines.iter().try_for_each(|line| self.out.line(line))
            }
            Command::StateJson => {
                let object = if self.engine.is_refused() && self.manner() == Manner::Strict {
                    state::unavailable(self.refusal, &NoSearch::Unavailable.to_string())
                } else {
                    state::state(pos, self.engine.past(), &self.dialect.fen(pos))
                };
                self.out.line(&format!("info string sanmill_state {object}"))
            }
            Command::Key => self.out.line(&format!("key {}", pos.key())),
            Command::Hist => {
                let (length, count) = (pos.repetition_window(), pos.repetitions());
                self.out.line(&format!("hist key={} len={length} current_count={count}", pos.key()))
            }
            Command::Compiler => self.out.line(&format!("info string compiler {}", compiler())),
            Command::Query(what) => match ugi::query(pos, &what) {
                Some(answer) => self.out.line(&format!("response {answer}")),
                None => {
                    let what = options::shorten(&what);
                    self.out.note(&format!("query: found '{what}', expected p1turn, gameover or result"))
                }
            },
            Command::Help => self.help(),
            // Everything else is no question.
            _ => Ok(()),
        }
    }

    /// Answers `experience save|load|merge|stat`.
    pub(super) fn experience(&mut self, text: &str) -> io::Result<()> {
        let (word, name) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let name = name.trim_ascii();
        let Some(known) = self.engine.experience() else {
            return self
                .out
                .note("experience: found LearnEndgame off or its file refused, expected it to be on");
        };
        let path = Path::new(name);
        let result = match word {
            "save" if !name.is_empty() => {
                let mut both = known.clone();
                both.join(path).map(|()| format!("{} positions written", both.len()))
            }
            "load" if !name.is_empty() => Experience::load(path).map(|other| {
                self.engine.teach(&other);
                format!("{} positions read", other.len())
            }),
            "merge" if !name.is_empty() => {
                let mut both = known.clone();
                both.join(path).map(|()| {
                    self.engine.teach(&both);
                    format!("{} positions here and there", both.len())
                })
            }
            "stat" if name.is_empty() => Ok(summary(known).trim_ascii_end().replace('\n', "; ")),
            "stat" => {
                Experience::load(path).map(|other| summary(&other).trim_ascii_end().replace('\n', "; "))
            }
            _ => {
                let found = options::shorten(text);
                let expected = "save <file>, load <file>, merge <file> or stat [<file>]";
                return self.out.note(&format!("experience: found '{found}', expected {expected}"));
            }
        };
        match result {
            Ok(told) => self.out.note(&format!("experience: {told}")),
            Err(error) => self.out.note(&format!("experience: {name}: {error}")),
        }
    }

    fn display(&mut self) -> io::Result<()> {
        let pos = self.engine.position();
        let outcome = pos.outcome();
        let mut lines: Vec<String> = vec![String::new()];
        lines.extend(pos.drawing().lines().map(str::to_owned));
        lines.push(String::new());
        lines.push(format!("Fen: {}", self.dialect.fen(pos)));
        lines.push(format!("Key: {:016X}", pos.key()));
        lines.push(format!("Rules: {}", pos.rules().describe()));
        let side = pos.mover().map_or("nobody".to_owned(), |color| color.to_string());
        lines.push(format!("Side to move: {side}"));
        let phase =
            if outcome.is_over() { "over".to_owned() } else { format!("{:?}", pos.phase()).to_lowercase() };
        lines.push(format!("Phase: {phase}"));
        for color in Color::ALL {
            let (men, hand) = (pos.men(color).count(), pos.hand(color));
            let debt = pos.debt(color);
            let owes = if debt > 0 { format!(", {debt} to take") } else { String::new() };
            let name = if color == Color::White { "White (O)" } else { "Black (@)" };
            lines.push(format!("{name}: {men} on the board, {hand} in hand{owes}"));
        }
        lines.push(format!("Legal moves: {}", movegen::legal(pos).len()));
        if outcome.is_over() {
            let winner = match outcome.winner {
                Some(color) => format!("{color} wins"),
                None if outcome.is_draw() => "draw".to_owned(),
                None => "winner unknown".to_owned(),
            };
            lines.push(format!("Result: {winner} ({})", outcome.reason.name()));
        }
        lines.iter().try_for_each(|line| self.out.line(line))
    }

    fn help(&mut self) -> io::Result<()> {
        let words = self.dialect.words();
        let [wtime, btime, winc, binc] = words.clocks;
        let (hello, new_game, text) = (words.hello, words.new_game, words.text);
        let commands = [
            format!("{hello}: names the engine and its options"),
            "isready: answers once everything before has taken effect".to_owned(),
            "setoption name <option> [value <value>]: sets an option".to_owned(),
            format!("{new_game}: forgets earlier searches and sets up the initial position"),
            format!(
                "position startpos|{text} <text> [moves <m>...]: sets up a position, as in: position startpos moves d6 f4"
            ),
            format!(
                "go [depth <n>] [nodes <n>] [movetime <ms>] [{wtime} {btime} {winc} {binc} <ms>] [movestogo <n>] [mate <n>] [searchmoves <m>...] [infinite] [ponder] [topn <n>] [perft <n>]: searches"
            ),
            "stop, ponderhit: end a search, or turn pondering into one".to_owned(),
            "analyze startpos|fen <text> [moves <m>...]: rates every move".to_owned(),
            "d, fen, moves, eval, key, hist, statejson, compiler: show the position and what is known of it"
                .to_owned(),
            "d --svg: draws the board as a picture in SVG".to_owned(),
            "perft <n>, bench [<depth>]: count and measure".to_owned(),
            "experience save|load|merge|stat <file>: what LearnEndgame has learned".to_owned(),
            "quit: ends the program".to_owned(),
        ];
        for line in commands {
            self.out.note(&line)?;
        }
        for option in options::all().filter(|option| option.shown != options::Shown::Never) {
            let default = option.default_text();
            let default = if default.is_empty() { String::new() } else { format!("; default {default}") };
            self.out.note(&format!(
                "option {} ({}{default}): {}",
                option.name,
                option.expected(),
                option.summary
            ))?;
        }
        for row in &NAMED {
            self.out.note(&format!("rules {}: {}, {}", row.name, row.title, row.summary))?;
        }
        for (number, rules) in Rules::PRESETS.iter().enumerate() {
            self.out.note(&format!("rules preset{number}: {}", differences(rules)))?;
        }
        Ok(())
    }

    /// Starts `analyze`.
    pub(super) fn analyze(&mut self, request: Result<PositionRequest, String>) -> io::Result<()> {
        self.finish_search()?;
        self.prepare()?;
        let past_draws = self.dialect.past_draws();
        let read = request.and_then(|request| {
            let request = self.translate(request).map_err(|error| error.to_string())?;
            // A position that is only looked at is never mended: the answer would be about another one.
            let manner = if self.manner() == Manner::Strict { Manner::Strict } else { Manner::Refuse };
            let (pos, ..) =
                self.engine.read_position(&request, manner, past_draws).map_err(|error| error.to_string())?;
            searchable(&pos, past_draws).map_err(|reason| reason.to_string())
        });
        match read {
            Ok(root) => {
                // What tables know of every move needs no search.
                let mut notes = Vec::new();
                let ranked = self.engine.tablebase().and_then(|tables| {
                    despite_damage(|| tables.rank_moves(&root), |error| notes.push(error.to_string()))
                });
                notes.iter().try_for_each(|note| self.out.note(note))?;
                if let Some(ranked) = ranked {
                    let ranking: Vec<_> = ranked.iter().map(|ranked| (ranked.mv, VALUE_DRAW)).collect();
                    return self.write_analysis(&root, &ranking);
                }
                let movetime = Some(self.engine.bare_time());
                let limits = Limits { movetime, analysis: true, ..Limits::default() };
                self.start_search(root, limits, Task::Analysis)
            }
            Err(error) => {
                self.out.note(&format!("analyze: {error}"))?;
                self.out.line("info analysis")
            }
        }
    }

    /// Writes the answer to `analyze`: the moves in this order with the values of the search.
    fn write_analysis(&mut self, root: &Position, ranking: &[(Move, crate::types::Value)]) -> io::Result<()> {
        let mut notes = Vec::new();
        let ask = || analysis::known(root, ranking, self.engine.tablebase());
        let known = despite_damage(ask, |error| notes.push(error.to_string()));
        notes.iter().try_for_each(|note| self.out.note(note))?;
        self.out.line(&analysis::line(root, ranking, &known, self.engine.values().trap_awareness))
    }

    /// Deals with the result of a search: writes the answer, or starts the search for the rest of the turn.
    pub(super) fn finish(&mut self, best: &BestMove) -> io::Result<()> {
        let Job::Search(search) = std::mem::replace(&mut self.job, Job::None) else { return Ok(()) };
        let search = *search;
        if let Some(line) = search.found.first().filter(|line| line.pv.first().copied() == best.best) {
            self.engine.learn(&search.root, line);
        }
        match &search.task {
            Task::Analysis => self.write_analysis(&search.root, &search.ranking())?,
            Task::Answer { .. } => {
                if self.finish_answer(search, best)? {
                    return Ok(());
                }
            }
            Task::Logical(_) => {
                if self.finish_logical(search, best)? {
                    return Ok(());
                }
            }
        }
        self.settle()
    }

    /// Writes the answer to `go`; returns whether another search has to complete the turn first.
    fn finish_answer(&mut self, search: Search, best: &BestMove) -> io::Result<bool> {
        let ranking = search.ranking();
        let (root, found) = (search.root, search.found);
        let Task::Answer { topn, turn: mut moves } = search.task else { return Ok(false) };
        let side = root.side_to_move();
        if let Some(n) = topn {
            for (index, (m, value)) in ranking.iter().take(n).enumerate() {
                let score = self.dialect.score(*value, side);
                self.out.line(&format!("info topn rank {} move {m} score {score}", index + 1))?;
            }
        }
        let Some(first) = best.best else {
            self.out.line(&self.dialect.no_move(false))?;
            return Ok(false);
        };
        let mut ponder: Vec<Move> = best.ponder.into_iter().collect();
        if self.dialect.whole_turns() {
            let line = found.first().map(|info| info.pv.as_slice()).filter(|pv| pv.first() == Some(&first));
            let only = [first];
            let mut line = line.unwrap_or(&only).iter().copied();
            let mut pos = root.clone();
            let is_done = play_turn(&mut pos, &mut line, side, &mut moves);
            if !is_done && let Ok(rest) = searchable(&pos, true) {
                let limits = Limits { nodes: Some(NODES_FOR_THE_REST), ..Limits::default() };
                self.start_search(rest, limits, Task::Answer { topn: None, turn: moves })?;
                return Ok(true);
            }
            ponder.clear();
            if !play_turn(&mut pos, &mut line, !side, &mut ponder) {
                ponder.clear();
            }
        } else {
            moves.push(first);
        }
        let answer = Answer { turn: moves, ponder, score: best.score, depth: best.depth, nodes: best.nodes };
        let view = View { root: &root, several: false, wdl: false, draw: VALUE_DRAW };
        self.out.line(&self.dialect.answer(&answer, &view))?;
        Ok(false)
    }

    /// Adds a move to the turn of `go logical`; writes the object when the turn is complete. Returns whether the
    /// search for the next move was started.
    fn finish_logical(&mut self, search: Search, best: &BestMove) -> io::Result<bool> {
        let Task::Logical(mut logical) = search.task else { return Ok(false) };
        let Some(m) = best.best else {
            let error = state::error("search_missing_bestmove", "go", "the search found no move");
            self.strict_error(&error)?;
            return Ok(false);
        };
        let mut pos = search.root;
        let side = pos.side_to_move();
        if logical.calls == 0 {
            logical.score = best.score;
        }
        logical.calls += 1;
        logical.nodes += best.nodes;
        logical.turn.push(m);
        pos.do_move(m);
        if pos.side_to_move() == side && !pos.outcome().is_over() && pos.is_removal_due() {
            let limits = match logical.budget {
                _ if search.is_stopped => Limits { nodes: Some(NODES_FOR_THE_REST), ..Limits::default() },
                None => Limits { movetime: Some(self.engine.bare_time()), ..Limits::default() },
                nodes => Limits { nodes, ..Limits::default() },
            };
            self.start_search(pos, limits, Task::Logical(logical))?;
            return Ok(true);
        }
        let fen = self.dialect.fen(&pos);
        let object = logical_turn(&logical, &pos, &fen, best);
        self.out.line(&format!("info string sanmill_logical_turn {}", tame(&object.to_string())))?;
        Ok(false)
    }
}

/// Plays moves of `line` while `side` is to move and adds them to `turn`; returns whether its turn is complete.
fn play_turn(
    pos: &mut Position,
    line: &mut impl Iterator<Item = Move>,
    side: Color,
    turn: &mut Vec<Move>,
) -> bool {
    let before = turn.len();
    while pos.side_to_move() == side
        && (turn.len() == before || pos.is_removal_due())
        && !pos.outcome().is_over()
    {
        match line.next().filter(|m| pos.is_legal(*m)) {
            Some(m) => {
                pos.do_move(m);
                turn.push(m);
            }
            None => return false,
        }
    }
    turn.len() > before
}

/// The object that answers `go logical`.
fn logical_turn(logical: &Logical, pos: &Position, fen: &str, best: &BestMove) -> Value {
    let outcome = pos.outcome();
    let tokens: Vec<String> = logical.turn.iter().map(Move::to_string).collect();
    let mut action = json!({ "from": null, "to": null, "capture": null });
    for m in &logical.turn {
        match m.kind() {
            MoveKind::Place => action["to"] = json!(m.to().to_string()),
            MoveKind::Slide => {
                action["from"] = json!(m.from().to_string());
                action["to"] = json!(m.to().to_string());
            }
            MoveKind::Take => action["capture"] = json!(m.to().to_string()),
            MoveKind::None => {}
        }
    }
    let (kind, score) = match crate::search::Score::of(logical.score) {
        crate::search::Score::Cp(cp) => ("cp", cp),
        crate::search::Score::Mate(turns) => ("mate", turns),
    };
    json!({
        "protocol_version": 1,
        "status": if outcome.is_over() { "terminal" } else { "ok" },
        "full_turn_actions": tokens,
        "logical_move_id": tokens.concat(),
        "model_action": action,
        "resulting_fen": fen,
        "resulting_side_to_move": pos.mover().map(|color| color.to_string()),
        "terminal": outcome.is_over(),
        "winner": outcome.winner.map(|color| color.to_string()),
        "outcome_reason": outcome.reason.name(),
        "effective_depth": best.depth,
        "completed_depth": best.depth,
        "score_kind": kind,
        "score": score,
        "score_perspective": logical.start.side_to_move().to_string(),
        "node_budget": logical.budget,
        "total_nodes": logical.nodes,
        "search_calls": logical.calls,
    })
}

/// What the program was built with.
fn compiler() -> String {
    let checks = if cfg!(debug_assertions) { ", with checks" } else { "" };
    format!("{} for {} on {}{checks}", env!("MILLSTONE_RUSTC"), std::env::consts::ARCH, std::env::consts::OS)
}

/// What sets rules apart from nine men's morris, option by option.
fn differences(rules: &Rules) -> String {
    let differing = RULE_OPTIONS.iter().filter(|option| (option.get)(rules) != (option.get)(&Rules::NINE));
    let words: Vec<String> =
        differing.map(|option| format!("{} {}", option.name, rules.value_text(option))).collect();
    if words.is_empty() { "the standard game".to_owned() } else { words.join(", ") }
}
