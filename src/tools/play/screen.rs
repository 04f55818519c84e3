//! Draws a frame: title, board, players, moves or review, status, keys and dialog.

use super::app::App;
use super::board::put;
use super::dialog::{Dialog, LinePurpose, Setup};
use super::layout::{Layout, SMALLEST};
use super::look::{Look, Palette, Part};
use super::panel;
use super::review::value_in_words;
use super::thinker::Task;
use crate::platform::text::counted_as;
use crate::position::Position;
use crate::tools::game_end::side_title;
use crate::types::Color;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::text::Span;
use ratatui::widgets::{Block, Clear, Widget};
use std::time::Duration;

/// Draws everything.
pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let screen = buffer.area;
    let look = app.look;
    let Some(layout) = Layout::of(screen, app.flipped) else {
        let (width, height) = SMALLEST;
        let times = look.pick("×", "x");
        let text =
            format!("{}{times}{} is too small, needs {width}{times}{height}", screen.width, screen.height);
        put(buffer, 0, 0, &look.printable(&text, screen.width.into()), Style::new());
        return;
    };
    let (pos, marks) = app.board();
    draw_title(app, &layout, buffer);
    layout.board.draw(&pos, &marks, look, buffer);
    draw_players(app, &pos, &layout, buffer);
    draw_bar(app, &layout, buffer);
    match &app.review {
        Some(review) => panel::draw_review(review, &layout, look, buffer),
        None => panel::draw_moves(&app.game, &layout, look, buffer),
    }
    let (text, style) = status(app, &pos);
    let width = usize::from(layout.status.width.saturating_sub(2));
    put(buffer, layout.status.x + 1, layout.status.y, &look.printable(&text, width), style);
    if let Some(keys) = layout.keys {
        draw_keys(app, keys, buffer);
    }
    if let Some(dialog) = &app.dialog {
        draw_dialog(dialog, look, buffer);
    }
}

fn draw_title(app: &App, layout: &Layout, buffer: &mut Buffer) {
    let look = app.look;
    let area = layout.title;
    let settings = app.game.settings();
    buffer.set_style(area, look.style(Part::Bar));
    let dot = look.pick("·", "-");
    let rules = crate::record::variant_title(&settings.rules).unwrap_or("Custom rules");
    let mut text = format!("{rules} {dot} level {}", settings.level);
    if !layout.is_narrow {
        text = format!("Millstone {dot} {text} {dot} {} s a move", settings.movetime.as_secs_f64());
    }
    let help = "? help";
    let room = usize::from(area.width).saturating_sub(help.len() + 4);
    put(buffer, area.x + 1, area.y, &look.printable(&text, room), look.style(Part::Bar));
    put(buffer, area.right() - help.len() as u16 - 1, area.y, help, look.style(Part::Bar));
}

/// Draws the players, the side to move and the men of each side.
fn draw_players(app: &App, pos: &Position, layout: &Layout, buffer: &mut Buffer) {
    let look = app.look;
    // The side whose ranks are at the top of the board comes first.
    let sides = if app.flipped { [Color::White, Color::Black] } else { [Color::Black, Color::White] };
    for (area, side) in layout.players.into_iter().zip(sides) {
        let is_mover = pos.mover() == Some(side) && !pos.outcome().is_over();
        let style = if is_mover { look.style(Part::Strong) } else { Style::new() };
        if is_mover {
            put(buffer, area.x, area.y, look.pick("▸", ">"), style);
        }
        let ground = if look.palette == Palette::Full { look.style(Part::Board) } else { Style::new() };
        put(buffer, area.x + 1, area.y, "   ", ground);
        put(buffer, area.x + 2, area.y, &look.man_char(side).to_string(), ground.patch(look.man(side)));
        let men = pos.men(side).count();
        let count = match pos.hand(side) {
            0 if pos.can_fly(side) => format!("{}, flying", counted_as(men, "man", "men")),
            0 => counted_as(men, "man", "men"),
            hand => format!("{hand} in hand"),
        };
        let room = usize::from(area.width).saturating_sub(count.len() + 6);
        let (title, name) = (side_title(side), app.game.name(side));
        let name = if name == title { name.to_owned() } else { format!("{title}: {name}") };
        put(buffer, area.x + 4, area.y, &look.printable(&name, room), style);
        put(buffer, area.right() - count.len() as u16 - 1, area.y, &count, style);
    }
}

/// Draws the evaluation bar and the value beside it.
fn draw_bar(app: &App, layout: &Layout, buffer: &mut Buffer) {
    if !app.shows_value && app.review.is_none() {
        return;
    }
    let look = app.look;
    let share = app.white_share();
    let area = layout.bar;
    let white = |is_white: bool| match (look.palette, is_white) {
        (Palette::Full, true) => (" ", Style::new().bg(ratatui::style::Color::Indexed(254))),
        (Palette::Full, false) => (" ", Style::new().bg(ratatui::style::Color::Indexed(238))),
        (_, true) => (look.pick("█", "#"), Style::new()),
        (_, false) => (look.pick("░", "."), Style::new()),
    };
    let value = match (app.game.is_over() && app.review.is_none(), app.value) {
        (false, Some(value)) if app.review.is_none() => value_in_words(value),
        _ => String::new(),
    };
    if layout.is_narrow {
        let room = area.width.saturating_sub(if value.is_empty() { 2 } else { value.len() as u16 + 3 });
        let Some(share) = share else { return };
        let filled = (share * f64::from(room)).round() as u16;
        for x in 0..room {
            let (sign, style) = white(x < filled);
            put(buffer, area.x + 1 + x, area.y, sign, style);
        }
        put(buffer, area.x + room + 2, area.y, &value, Style::new());
        return;
    }
    if let Some(share) = share {
        let filled = (share * f64::from(area.height)).round() as u16;
        for row in 0..area.height {
            // White is where White's side of the board is.
            let from_below = if app.flipped { row } else { area.height - 1 - row };
            let (sign, style) = white(from_below < filled);
            (0..area.width).for_each(|x| put(buffer, area.x + x, area.y + row, sign, style));
        }
    }
    let player = layout.players[1];
    let text = if value.is_empty() { String::new() } else { format!("Value {value}") };
    put(buffer, player.x + 4, player.y + 1, &text, look.style(Part::Faint));
}

/// Returns the status line: the current event, or the next step of the user.
fn status(app: &App, pos: &Position) -> (String, Style) {
    let look = app.look;
    let strong = look.style(Part::Strong);
    if let Some(text) = &app.message {
        return (text.clone(), strong);
    }
    if let Some(review) = &app.review {
        return (panel::describe(review), Style::new());
    }
    let spinner = |time: Duration| {
        let signs = look.pick(["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"], ["|", "/", "-", "\\", "|", "/"]);
        let at = time.as_millis() as usize / 120 % signs.len();
        format!("{} {:.1} s", signs[at], time.as_secs_f64())
    };
    match app.thinker.task() {
        Some((Task::Move, time)) => return (format!("Millstone is thinking {}", spinner(time)), strong),
        Some((Task::Hint, time)) => return (format!("Looking for a hint {}", spinner(time)), strong),
        Some((Task::Value, _)) | None => {}
    }
    if let Some(ending) = app.game.ending() {
        return (ending, strong);
    }
    let side = side_title(pos.side_to_move());
    let due = pos.takes_due(pos.side_to_move());
    let may_slide = pos.rules().may_move_in_placing_phase;
    let task = if pos.is_take_due() && due > 1 {
        format!("take {due} men")
    } else if pos.is_take_due() {
        "take a man".to_owned()
    } else if app.chosen.is_some() {
        "choose where the man goes".to_owned()
    } else if pos.hand(pos.side_to_move()) > 0 && may_slide {
        "place a man or choose one to move".to_owned()
    } else if pos.hand(pos.side_to_move()) > 0 {
        "place a man".to_owned()
    } else {
        "choose a man to move".to_owned()
    };
    (format!("{side}: {task}"), Style::new())
}

/// Draws the most important keys, as many as fit.
fn draw_keys(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = app.look;
    let game: &[(&str, &str)] = match (app.review.is_some(), app.game.is_over()) {
        (true, _) => &[("←→", "turns"), ("↑↓", "mistakes"), ("a", "back"), ("n", "new"), ("q", "quit")],
        (false, true) => &[
            ("a", "analysis"),
            ("n", "new"),
            ("u", "take back"),
            ("s", "save"),
            ("l", "load"),
            ("q", "quit"),
            ("?", "help"),
        ],
        (false, false) => &[
            ("u", "take back"),
            ("r", "redo"),
            ("h", "hint"),
            ("n", "new"),
            ("q", "quit"),
            ("s", "save"),
            ("l", "load"),
            ("f", "flip"),
            ("x", "resign"),
            ("?", "help"),
        ],
    };
    let mut x = area.x + 1;
    for (key, text) in game {
        let key = match *key {
            "←→" => look.pick("←→", "Left/Right"),
            "↑↓" => look.pick("↑↓", "Up/Down"),
            key => key,
        };
        let width = (Span::raw(key).width() + 1 + text.len()) as u16;
        if x + width > area.right() {
            break;
        }
        put(buffer, x, area.y, key, look.style(Part::Strong));
        put(buffer, x + width - text.len() as u16, area.y, text, look.style(Part::Faint));
        x += width + 2;
    }
}

const HELP: [(&str, &str); 17] = [
    ("Arrow keys", "go to the next point"),
    ("Enter, Space", "choose a point"),
    ("Tab", "next point with a move"),
    ("Esc", "cancel selection"),
    ("Mouse", "choose a point"),
    ("u / r", "take back / redo"),
    ("h", "hint at full strength"),
    ("g", "let the engine move"),
    ("m", "type a move"),
    ("n", "new game"),
    ("o", "side, level, time"),
    ("x", "resign"),
    ("s / l", "save / load a game"),
    ("a", "analyse the game"),
    ("f", "flip the board"),
    ("e", "evaluation bar on, off"),
    ("q", "quit; Ctrl-C asks"),
];

fn draw_dialog(dialog: &Dialog, look: Look, buffer: &mut Buffer) {
    let most = usize::from(buffer.area.width.min(64)) - 4;
    let strong = look.style(Part::Strong);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let title = match dialog {
        Dialog::Help => {
            lines.extend(HELP.map(|(key, text)| (format!("{key:13}{text}"), Style::new())));
            "Keys"
        }
        Dialog::Notice(text) => {
            lines.extend(wrap(&look.printable(text, 10 * most), most).into_iter().map(|l| (l, Style::new())));
            "Sorry"
        }
        Dialog::Confirm(_, text) => {
            lines.extend(wrap(&look.printable(text, 4 * most), most).into_iter().map(|l| (l, strong)));
            lines.push((String::new(), Style::new()));
            lines.push(("y yes    n no".to_owned(), Style::new()));
            "Millstone"
        }
        Dialog::Prompt(purpose, text) => {
            let (title, example) = match purpose {
                LinePurpose::Save => ("Save the game to", "a file such as game.pgn"),
                LinePurpose::Load => ("Load a game from", "a file; FILE#2 is its second game"),
                LinePurpose::Move => ("Move", "d6 places, a1-a4 moves, xb4 takes"),
            };
            // Show the end of a long line, where the user types.
            let width = most.min(40);
            let tail: String = text.chars().rev().take(width - 1).collect();
            let shown = look.printable(&tail.chars().rev().collect::<String>(), width);
            lines.push((format!("{shown}{}", look.pick("▏", "_")), strong));
            lines.push((format!("{example:width$}"), look.style(Part::Faint)));
            title
        }
        Dialog::Setup(setup) => {
            setup_lines(setup, look, most, &mut lines);
            if setup.is_new { "New game" } else { "This game" }
        }
    };
    let width = lines.iter().map(|(line, _)| Span::raw(line.as_str()).width()).max().unwrap_or(0);
    let width = (width.max(title.len() + 2) + 4) as u16;
    let height = (lines.len() + 2) as u16;
    let screen = buffer.area;
    let area = Rect {
        x: screen.width.saturating_sub(width) / 2,
        y: screen.height.saturating_sub(height) / 2,
        width: width.min(screen.width),
        height: height.min(screen.height),
    };
    Clear.render(area, buffer);
    draw_frame(area, title, look, buffer);
    for (row, (line, style)) in (area.y + 1..area.bottom() - 1).zip(lines) {
        put(buffer, area.x + 2, row, &look.printable(&line, usize::from(area.width) - 3), style);
    }
}

fn setup_lines(setup: &Setup, look: Look, most: usize, lines: &mut Vec<(String, Style)>) {
    for (n, (name, value)) in setup.rows().into_iter().enumerate() {
        let (open, close) = if n == setup.row { look.pick(("◂", "▸"), ("<", ">")) } else { (" ", " ") };
        let style = if n == setup.row { look.style(Part::Strong) } else { Style::new() };
        lines.push((format!("{name:9} {open} {value} {close}"), style));
    }
    lines.push((String::new(), Style::new()));
    if setup.is_new {
        let mut summary = wrap(setup.summary(), most.min(44));
        summary.resize(3, String::new());
        lines.extend(summary.into_iter().map(|line| (format!("{line:34}"), look.style(Part::Faint))));
    }
    let keys = look.pick("↑↓ row  ←→ change  Enter start", "Up/Down row  Left/Right change  Enter");
    lines.push((keys.to_owned(), look.style(Part::Faint)));
}

/// The lines of a frame in ASCII.
const ASCII: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

fn draw_frame(area: Rect, title: &str, look: Look, buffer: &mut Buffer) {
    Block::bordered()
        .border_set(look.pick(border::ROUNDED, ASCII))
        .border_style(look.style(Part::Faint))
        .render(area, buffer);
    put(buffer, area.x + 2, area.y, &format!(" {title} "), look.style(Part::Strong));
}

/// Divides a text into lines of at most `width` columns, at blanks where there are any.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest = word;
        loop {
            let line = lines.last_mut().expect("there is always a line");
            let used = Span::raw(line.as_str()).width();
            let needed = Span::raw(rest).width() + usize::from(used > 0);
            if used + needed <= width {
                if used > 0 {
                    line.push(' ');
                }
                line.push_str(rest);
                break;
            }
            if used == 0 {
                let cut = rest.char_indices().nth(width / 2).map_or(rest.len(), |(at, _)| at);
                line.push_str(&rest[..cut]);
                rest = &rest[cut..];
            }
            lines.push(String::new());
            if rest.is_empty() {
                break;
            }
        }
    }
    lines
}
