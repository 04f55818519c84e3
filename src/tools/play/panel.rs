//! The panel beside or below the board: the moves, or the analysis.

use super::board::put;
use super::game::{PlayedGame, ShownTurn};
use super::layout::Layout;
use super::look::{Look, Part};
use super::review::Review;
use crate::platform::text::counted;
use crate::tools::annotate::mark_sign;
use crate::tools::game_end::side_title;
use crate::types::{Color, Move};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// Draws the latest moves.
pub(super) fn draw_moves(game: &PlayedGame, layout: &Layout, look: Look, buffer: &mut Buffer) {
    let turns = game.turns();
    let area = layout.moves;
    if area.height < 3 {
        // One line: as many turns as fit, the latest last.
        let mut text = String::new();
        for (n, turn) in turns.iter().enumerate().rev() {
            let follows = n > 0 && turns[n - 1].number == turn.number;
            let number = |dots: &str| format!("{}{dots} ", turn.number);
            let before = if follows { String::new() } else { number(".") };
            let longer = format!("{before}{} {text}", turn.text);
            // If the line begins with Black's turn, three dots replace White's turn.
            let cut = if follows { number("...").len() } else { 0 };
            if longer.len() + cut + 1 > usize::from(area.width) {
                break;
            }
            text = longer;
        }
        let shown = text.split_whitespace().filter(|word| !word.ends_with('.')).count();
        if let Some(first) = turns.len().checked_sub(shown).and_then(|n| turns.get(n))
            && !text.starts_with(&format!("{}.", first.number))
        {
            text.insert_str(0, &format!("{}... ", first.number));
        }
        put(buffer, area.x + 1, area.y, text.trim_end(), Style::new());
        return;
    }
    draw_list(turns, None, |_| "", area, look, buffer);
}

/// Draws turns in two columns, the latest at the bottom. The turn `current` is marked and visible.
fn draw_list<'a>(
    turns: &[ShownTurn],
    current: Option<usize>,
    sign: impl Fn(usize) -> &'a str,
    area: Rect,
    look: Look,
    buffer: &mut Buffer,
) {
    // Each row: the number of the pair, and the turns of both sides.
    let mut rows: Vec<(u32, [Option<usize>; 2])> = Vec::new();
    for (n, turn) in turns.iter().enumerate() {
        match rows.last_mut() {
            Some((number, pair)) if *number == turn.number => pair[turn.side.index()] = Some(n),
            _ => {
                let mut pair = [None, None];
                pair[turn.side.index()] = Some(n);
                rows.push((turn.number, pair));
            }
        }
    }
    let height = usize::from(area.height);
    let at = current.map(|n| rows.iter().position(|(_, pair)| pair.contains(&Some(n))).unwrap_or(0));
    let last = rows.len().saturating_sub(height);
    let first = at.map_or(last, |row| row.saturating_sub(height / 2).min(last));
    let column = (area.width.saturating_sub(6) / 2).min(16);
    for (y, (number, pair)) in (area.y..area.bottom()).zip(rows.iter().skip(first)) {
        put(buffer, area.x, y, &format!("{number:>4}."), look.style(Part::Faint));
        for (side, n) in pair.iter().enumerate() {
            let Some(n) = *n else { continue };
            let is_last = n + 1 == turns.len();
            let sign = sign(n);
            let style = if current == Some(n) {
                Style::new().add_modifier(Modifier::REVERSED)
            } else if !sign.is_empty() {
                look.style(Part::Mistake)
            } else if is_last && current.is_none() {
                look.style(Part::Strong)
            } else {
                Style::new()
            };
            let text = look.printable(&format!("{}{sign}", turns[n].text), usize::from(column) - 1);
            put(buffer, area.x + 6 + side as u16 * column, y, &text, style);
        }
    }
}

/// Draws the analysis: the graph, the worst turns, and the moves.
pub(super) fn draw_review(review: &Review, layout: &Layout, look: Look, buffer: &mut Buffer) {
    let area = layout.moves;
    let sign = |n: usize| review.judged.get(n).map_or("", |turn| mark_sign(turn.mark));
    if area.height < 4 {
        draw_graph(review, area, look, buffer);
        return;
    }
    let graph = Rect { height: (area.height / 3).clamp(3, 8), ..area };
    draw_graph(review, graph, look, buffer);
    let mut y = graph.bottom();
    let mut line = |text: &str, style: Style, buffer: &mut Buffer| {
        if y < area.bottom() {
            put(buffer, area.x, y, &look.printable(text, area.width.into()), style);
            y += 1;
        }
    };
    let faint = look.style(Part::Faint);
    if review.is_running() {
        line(
            &format!("{} of {} judged", review.judged.len(), counted(review.shown.len(), "turn")),
            faint,
            buffer,
        );
    } else if let Some(why) = &review.failure {
        line(why, look.style(Part::Mistake), buffer);
    } else {
        for side in Color::ALL {
            let [kept, all] = review.kept(side);
            let text = format!("{}: {kept} of {} good", side_title(side), counted(all, "move"));
            line(&text, faint, buffer);
        }
    }
    line("", faint, buffer);
    let worst = review.worst();
    let rows = usize::from(area.height.saturating_sub(graph.height + 4) / 2).min(6);
    line(if worst.is_empty() { "No mistake found" } else { "Worst turns" }, look.style(Part::Strong), buffer);
    for &n in worst.iter().take(rows) {
        let style =
            if review.at() == n { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        line(&line_of(review, n), style, buffer);
    }
    line("", faint, buffer);
    let rest = Rect { y, height: area.bottom().saturating_sub(y), ..area };
    if rest.height > 0 {
        draw_list(&review.shown, review.at().checked_sub(1), sign, rest, look, buffer);
    }
}

/// Returns a turn with its value and the better one, as the list of the worst turns shows it.
fn line_of(review: &Review, n: usize) -> String {
    let (Some(shown), Some(judged)) = (review.shown.get(n), review.judged.get(n)) else {
        return String::new();
    };
    let dots = if shown.side == Color::White { "." } else { "..." };
    let mut text = format!("{}{dots} {}{}", shown.number, shown.text, mark_sign(judged.mark));
    if !judged.better.is_empty() {
        let better: String = judged.better.iter().map(Move::to_string).collect();
        text += &format!(", better {better}");
    }
    text
}

/// Returns the known values of the position that the analysis shows.
pub(super) fn describe(review: &Review) -> String {
    let Some(n) = review.at().checked_sub(1) else {
        return format!("Start of the game, {}", counted(review.shown.len(), "turn"));
    };
    let text = line_of(review, n);
    match (review.judged.get(n), review.shown.get(n)) {
        (Some(judged), _) => format!("{text}: {}", judged.value),
        (None, Some(shown)) => format!("{}: not judged yet", shown.text),
        (None, None) => text,
    }
}

/// Draws White's expected score after each turn as a graph: White's share is below the line.
fn draw_graph(review: &Review, area: Rect, look: Look, buffer: &mut Buffer) {
    let count = review.shown.len().max(1);
    let width = usize::from(area.width.saturating_sub(1)).max(1);
    // A short game gets columns of more than one character.
    let wide = (width / count).clamp(1, 4);
    let columns = (count * wide).min(width);
    let eighths = look
        .pick([" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], [" ", " ", ".", ".", ":", ":", "|", "|", "#"]);
    for column in 0..columns {
        let n = column * count / columns;
        let x = area.x + column as u16;
        let is_current = review.at() == n + 1;
        let Some(turn) = review.judged.get(n) else {
            put(buffer, x, area.bottom() - 1, look.pick("·", "."), look.style(Part::Faint));
            continue;
        };
        let filled = (turn.points * f64::from(area.height) * 8.0).round() as usize;
        let style = if turn.mark > 0 { look.style(Part::Mistake) } else { Style::new() };
        let style = if is_current { style.add_modifier(Modifier::REVERSED) } else { style };
        for row in 0..area.height {
            let below = usize::from(area.height - 1 - row) * 8;
            let part = filled.saturating_sub(below).min(8);
            put(buffer, x, area.y + row, eighths[part], style);
        }
    }
}
