//! The terminal: set up, restored in every case, and the event loop.

use super::app::App;
use super::input;
use super::look::{Look, variable};
use super::screen;
use super::settings::PlaySettings;
use crate::tools::files::eprint_line;
use parking_lot::Mutex;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyModifiers,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Rect;
use std::io::{self, Stdout};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The longest wait for a key, while a computation runs and otherwise. It bounds the time to notice a signal.
const BUSY: Duration = Duration::from_millis(50);
const IDLE: Duration = Duration::from_millis(150);
/// The polling interval for a hang-up.
#[cfg(unix)]
const HANGUP_CHECK: Duration = Duration::from_millis(500);

/// Restores the terminal. Each step is tried even if an earlier one failed.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
}

/// Sets up the terminal.
fn take_over() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)
}

/// A terminal that was set up; `drop` restores it.
struct Taken;

impl Drop for Taken {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal before a panic of this thread prints its message. Messages of panics in other
/// threads, which the game survives, are kept for later. Returns these messages.
fn restore_on_panic() -> Arc<Mutex<Vec<String>>> {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let (kept, own, usual) = (Arc::clone(&messages), std::thread::current().id(), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == own {
            restore();
            usual(info);
        } else {
            kept.lock().push(info.to_string());
        }
    }));
    messages
}

/// Records the first signal that ends the program. A second one ends it at once, without restoring the
/// terminal: it may be what does not answer.
fn note_signals() -> io::Result<Arc<AtomicUsize>> {
    let noted = Arc::new(AtomicUsize::new(0));
    #[cfg(unix)]
    let signals = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
    #[cfg(not(unix))]
    let signals = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];
    let is_first_noted = Arc::new(AtomicBool::new(false));
    for signal in signals {
        // The order matters: the first signal must not end the program itself.
        let condition = Arc::clone(&is_first_noted);
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, condition)?;
        signal_hook::flag::register(signal, Arc::clone(&is_first_noted))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&noted), signal as usize)?;
    }
    Ok(noted)
}

/// Ends the process soon after a hang-up. Without its terminal, crossterm reads the end of the input over and
/// over, and `event::poll` never returns. The game is saved after every move, so nothing is lost.
#[cfg(unix)]
fn end_after_hangup(noted: Arc<AtomicUsize>) {
    use crate::platform::threads::{STACK_SIZE, spawn};

    // Without this thread such a process takes time of the processor, but the game is saved as well.
    let _ = spawn("hang-up", STACK_SIZE, move || {
        let hangup = signal_hook::consts::SIGHUP;
        while noted.load(Ordering::Relaxed) != hangup as usize {
            std::thread::sleep(HANGUP_CHECK);
        }
        // A terminal that is still there ends the loop by itself in this time.
        std::thread::sleep(HANGUP_CHECK);
        std::process::exit(128 + hangup);
    });
}

/// Plays on the whole screen. A signal ends the process with the status that shells show for it.
///
/// # Errors
/// If the terminal cannot be used, or threads or memory are not available.
pub(super) fn run(play: &PlaySettings) -> io::Result<()> {
    let look = Look::detect(play.ascii, variable);
    let mut app = App::new(play, look)?;
    let signal = note_signals()?;
    #[cfg(unix)]
    end_after_hangup(Arc::clone(&signal));
    let messages = restore_on_panic();
    let taken = Taken;
    take_over()?;
    let ended = Terminal::new(CrosstermBackend::new(io::stdout()))
        .and_then(|mut terminal| play_on(&mut app, &mut terminal, &signal));
    app.save_automatically();
    drop(taken);
    drop(panic::take_hook());
    messages.lock().iter().for_each(eprint_line);
    match signal.load(Ordering::Relaxed) {
        0 => ended,
        signal => std::process::exit(128 + signal as i32),
    }
}

/// Draws the screen and reads keys until the program has to end.
fn play_on(
    app: &mut App,
    terminal: &mut Terminal<CrosstermBackend<Stdout>>,
    signal: &AtomicUsize,
) -> io::Result<()> {
    let mut must_draw = true;
    while !app.is_done && signal.load(Ordering::Relaxed) == 0 {
        must_draw |= app.tick();
        if must_draw {
            terminal.draw(|frame| screen::draw(app, frame.buffer_mut()))?;
            must_draw = false;
        }
        let is_busy = app.thinker.task().is_some() || app.is_busy();
        let mut wait = if is_busy { BUSY } else { IDLE };
        // All typed keys are processed before the screen is drawn.
        while event::poll(wait)? {
            wait = Duration::ZERO;
            let event = event::read()?;
            if is_suspend(&event) {
                suspend(terminal)?;
                must_draw = true;
                continue;
            }
            let size = terminal.size()?;
            let screen = Rect { x: 0, y: 0, width: size.width, height: size.height };
            must_draw |= input::handle(app, &event, screen);
            if app.is_done {
                break;
            }
        }
    }
    Ok(())
}

/// True for Ctrl-Z.
fn is_suspend(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    cfg!(unix) && key.code == KeyCode::Char('z') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Restores the terminal, stops the process as shells expect, and sets up the terminal again when it
/// continues.
fn suspend(terminal: &mut Terminal<CrosstermBackend<Stdout>>) -> io::Result<()> {
    restore();
    #[cfg(unix)]
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    take_over()?;
    terminal.clear()
}
