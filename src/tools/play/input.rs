//! Keys and mouse.

use super::app::App;
use super::board::{Direction, next_point};
use super::dialog::{Dialog, LinePurpose};
use super::layout::Layout;
use super::review::Review;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;

/// Carries out an event on a screen of this size. Returns true if the screen may have changed.
pub(super) fn handle(app: &mut App, event: &Event, screen: Rect) -> bool {
    match event {
        // Some terminals also report released keys.
        Event::Key(key) if key.kind != KeyEventKind::Release => press(app, *key),
        Event::Mouse(mouse) => return click(app, *mouse, screen),
        Event::Resize(..) => {}
        _ => return false,
    }
    true
}

fn press(app: &mut App, key: KeyEvent) {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if let Some(dialog) = &mut app.dialog {
        let answer = dialog.key(key);
        app.answer(answer);
        return;
    }
    app.message = None;
    if is_control {
        match key.code {
            KeyCode::Char('c' | 'd') => app.ask_quit(),
            KeyCode::Char('r') if app.review.is_none() => app.redo(),
            _ => {}
        }
        return;
    }
    match key.code {
        KeyCode::Char('q') => app.quit(),
        KeyCode::Char('?') | KeyCode::F(1) => app.dialog = Some(Dialog::Help),
        KeyCode::Char('f') => app.flipped = !app.flipped,
        KeyCode::Char('a') => app.toggle_review(),
        KeyCode::Char('s') => app.ask_line(LinePurpose::Save),
        KeyCode::Char('l') => app.ask_line(LinePurpose::Load),
        KeyCode::Char('n') => app.ask_setup(true),
        code => match &mut app.review {
            Some(review) if code != KeyCode::Esc => step(review, code),
            Some(_) => app.toggle_review(),
            None => play(app, code),
        },
    }
}

/// The keys of a game.
fn play(app: &mut App, code: KeyCode) {
    let mut go = |direction| app.cursor = next_point(app.cursor, direction, app.flipped);
    match code {
        KeyCode::Up => go(Direction::Up),
        KeyCode::Down => go(Direction::Down),
        KeyCode::Left => go(Direction::Left),
        KeyCode::Right => go(Direction::Right),
        KeyCode::Tab => app.next_target(true),
        KeyCode::BackTab => app.next_target(false),
        KeyCode::Enter | KeyCode::Char(' ') => app.choose(app.cursor),
        KeyCode::Esc => app.chosen = None,
        KeyCode::Char('u') | KeyCode::Backspace => app.undo(),
        KeyCode::Char('r') => app.redo(),
        KeyCode::Char('h') => app.ask_hint(),
        KeyCode::Char('g') => app.let_engine_move(),
        KeyCode::Char('e') => app.toggle_value(),
        KeyCode::Char('o') => app.ask_setup(false),
        KeyCode::Char('m') => app.ask_line(LinePurpose::Move),
        KeyCode::Char('x') => app.ask_resign(),
        _ => {}
    }
}

/// The keys of the analysis.
fn step(review: &mut Review, code: KeyCode) {
    match code {
        KeyCode::Left => review.go_to(review.at().saturating_sub(1)),
        KeyCode::Right | KeyCode::Char(' ') => review.go_to(review.at() + 1),
        KeyCode::Home => review.go_to(0),
        KeyCode::End => review.go_to(review.shown.len()),
        KeyCode::Up | KeyCode::Down => {
            // The board shows the position in which the mistake was made, with the better move.
            let worst = review.worst();
            let now = worst.iter().position(|&n| n == review.at());
            let next = match (now, code) {
                (None, _) => 0,
                (Some(n), KeyCode::Down) => (n + 1).min(worst.len() - 1),
                (Some(n), _) => n.saturating_sub(1),
            };
            if let Some(&turn) = worst.get(next) {
                review.go_to(turn);
            }
        }
        _ => {}
    }
}

fn click(app: &mut App, mouse: MouseEvent, screen: Rect) -> bool {
    if mouse.kind != MouseEventKind::Down(MouseButton::Left) {
        return false;
    }
    if let Some(Dialog::Help | Dialog::Notice(_)) = app.dialog {
        app.dialog = None;
        return true;
    }
    if app.dialog.is_some() || app.review.is_some() {
        return false;
    }
    let Some(layout) = Layout::of(screen, app.flipped) else { return false };
    let Some(square) = layout.board.square_at(mouse.column, mouse.row) else { return false };
    app.message = None;
    app.choose(square);
    true
}
