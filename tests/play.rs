//! `play` as the user sees it: the program runs in a pseudo-terminal, the test sends keys and compares the
//! screens with `tests/data/play`. `BLESS=1` rewrites those files; check them before you commit them.

use crate::common::{Folder, plain};
use std::io::Write;
use std::process::{Command, Stdio};

#[cfg(unix)]
mod screens {
    use super::{Folder, plain};
    use crate::common::end_of;
    use pty_process::Size;
    use pty_process::blocking::{self, Pty};
    use std::fs;
    use std::io::{BufRead as _, BufReader, Read, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::path::PathBuf;
    use std::process::{Child, ExitStatus, Stdio};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};
    use vt100::{MouseProtocolMode, Parser};

    const DEADLINE: Duration = Duration::from_secs(60);

    /// The program in a terminal.
    struct Screen {
        pty: Arc<Pty>,
        child: Child,
        parser: Arc<Mutex<Parser>>,
        /// The output of the program so far.
        bytes: Arc<Mutex<Vec<u8>>>,
    }

    /// A terminal of 256 colours and UTF-8.
    const RICH: [(&str, &str); 2] = [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")];
    /// The same without colours.
    const PLAIN: [(&str, &str); 3] = [("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("NO_COLOR", "1")];

    impl Screen {
        /// Starts `millstone play` in a terminal of `columns` and `rows`; its state goes to `folder`.
        fn start(
            folder: &Folder,
            columns: u16,
            rows: u16,
            vars: &[(&str, &str)],
            arguments: &[&str],
        ) -> Self {
            Self::start_program(folder, columns, rows, vars, &[&["play"], arguments].concat())
        }

        /// Starts `millstone` with these arguments.
        fn start_program(
            folder: &Folder,
            columns: u16,
            rows: u16,
            vars: &[(&str, &str)],
            arguments: &[&str],
        ) -> Self {
            let (pty, pts) = blocking::open().expect("a terminal");
            pty.resize(Size::new(rows, columns)).expect("resized");
            let mut command = blocking::Command::new(env!("CARGO_BIN_EXE_millstone"));
            for name in ["LC_ALL", "LC_CTYPE", "NO_COLOR", "COLORTERM"] {
                command = command.env_remove(name);
            }
            let command = command
                .args(arguments)
                .envs(vars.iter().copied())
                .env("XDG_STATE_HOME", folder.path())
                .current_dir(folder.path());
            let child = command.spawn(pts).expect("it starts");
            let pty = Arc::new(pty);
            let parser = Arc::new(Mutex::new(Parser::new(rows, columns, 0)));
            let bytes = Arc::new(Mutex::new(Vec::new()));
            let (source, into, all) = (Arc::clone(&pty), Arc::clone(&parser), Arc::clone(&bytes));
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(count @ 1..) = (&*source).read(&mut buffer) {
                    all.lock().expect("a lock").extend_from_slice(&buffer[..count]);
                    into.lock().expect("a lock").process(&buffer[..count]);
                }
            });
            Self { pty, child, parser, bytes }
        }

        fn send(&self, keys: &str) {
            (&*self.pty).write_all(keys.as_bytes()).expect("keys are taken");
        }

        fn resize(&self, columns: u16, rows: u16) {
            self.parser.lock().expect("a lock").screen_mut().set_size(rows, columns);
            self.pty.resize(Size::new(rows, columns)).expect("resized");
        }

        fn text(&self) -> String {
            let contents = self.parser.lock().expect("a lock").screen().contents();
            contents.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
        }

        /// Waits until the screen contains `word`.
        fn until(&self, word: &str) -> String {
            let begin = Instant::now();
            loop {
                let text = self.text();
                if text.contains(word) {
                    return text;
                }
                assert!(begin.elapsed() < DEADLINE, "no '{word}' on\n{text}");
                std::thread::sleep(Duration::from_millis(10));
            }
        }

        /// Sends keys and waits until the screen contains `word`.
        fn press(&self, keys: &str, word: &str) -> String {
            self.send(keys);
            self.until(word)
        }

        /// Types a turn, and waits until the status line is back.
        fn turn(&self, text: &str) {
            self.press("m", "places, a1-a4");
            self.send(&format!("{text}\r"));
            self.until(text);
        }

        /// Waits until the screen is that of the file.
        fn compare(&self, name: &str) {
            let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/play/{name}.txt"));
            if std::env::var_os("BLESS").is_some() {
                std::thread::sleep(Duration::from_millis(1500));
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(&file, self.text()).expect("written");
            }
            let expected = fs::read_to_string(&file).unwrap_or_default();
            let begin = Instant::now();
            while self.text() != expected {
                let text = self.text();
                assert!(begin.elapsed() < DEADLINE, "{name}: found\n{text}\nexpected\n{expected}");
                std::thread::sleep(Duration::from_millis(10));
            }
        }

        /// Waits for the end of the program, and checks that the terminal is as it was.
        fn end(mut self) -> ExitStatus {
            let begin = Instant::now();
            let status = loop {
                if let Some(status) = self.child.try_wait().expect("a status") {
                    break status;
                }
                assert!(begin.elapsed() < DEADLINE, "it does not end:\n{}", self.text());
                std::thread::sleep(Duration::from_millis(10));
            };
            let is_back = || {
                let parser = self.parser.lock().expect("a lock");
                let screen = parser.screen();
                !screen.alternate_screen()
                    && screen.mouse_protocol_mode() == MouseProtocolMode::None
                    && !screen.hide_cursor()
            };
            while !is_back() {
                assert!(begin.elapsed() < DEADLINE, "the terminal is not given back");
                std::thread::sleep(Duration::from_millis(10));
            }
            status
        }
    }

    impl Drop for Screen {
        fn drop(&mut self) {
            // The program has ended, or a test has failed.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    const UP: &str = "\x1b[A";
    const RIGHT: &str = "\x1b[C";
    const LEFT: &str = "\x1b[D";

    #[test]
    fn a_position_is_drawn_at_every_size() {
        let folder = Folder::new("play sizes");
        let screen = Screen::start(&folder, 80, 24, &PLAIN, &["--side", "both"]);
        screen.until("White: place a man");
        screen.send("e");
        for turn in ["d7", "d6", "g7", "b4", "a7xd6"] {
            screen.turn(turn);
        }
        screen.until("Black: place a man");
        screen.compare("80x24");
        for (columns, rows) in [(120, 40), (44, 22), (40, 20), (62, 60), (39, 10), (80, 24)] {
            screen.resize(columns, rows);
            screen.compare(&format!("{columns}x{rows}"));
        }
        screen.send("f");
        screen.compare("flipped");
        screen.send("q");
        assert!(screen.end().success());
    }

    #[test]
    fn men_are_placed_taken_and_moved_with_cursor_keys_and_mouse() {
        let folder = Folder::new("play keys");
        let screen = Screen::start(&folder, 80, 24, &PLAIN, &["--side", "both", "--ascii"]);
        screen.until("White: place a man");
        screen.send("e");
        // From d6 up to d7, right to g7, back over d7 to a7; Black plays by mouse.
        screen.press(&format!("{UP}\r"), "1. d7");
        let click = |column: u16, row: u16| format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m");
        // b4 is in column 10 and row 11, counted from 0; the mouse counts from 1.
        screen.press(&click(11, 12), "1. d7          b4");
        screen.press(&format!("{UP}{RIGHT}{UP}{UP}"), "place");
        screen.turn("g7");
        screen.turn("d6");
        screen.turn("a7");
        screen.until("White: take a man");
        screen.compare("take");
        screen.press(&click(11, 12), "3. a7xb4");
        screen.compare("taken");
        screen.press(&click(5, 3), "the man on a7 is not yours");
        screen.press("u", "White: place a man");
        screen.compare("taken_back");
        screen.press("r", "3. a7xb4");
        screen.press("?", "hint at full strength");
        screen.compare("help");
        screen.send(" ");
        screen.press("n", "New game");
        screen.press(RIGHT, "Twelve Men's Morris");
        screen.compare("new_game");
        screen.press("\r", "White: place a man");
        screen.compare("twelve");
        screen.send("q");
        assert!(screen.end().success());
    }

    #[test]
    fn a_man_is_chosen_and_goes_to_a_marked_point() {
        let folder = Folder::new("play moving");
        let moves = "d6 f4 d2 b4 e5 c3 e3 c5 d7 g4 d1 a4 g7 a1 g1 f2 f6 b2";
        let record = folder.write("moves.txt", format!("{moves}\n"));
        let screen = Screen::start(&folder, 80, 24, &PLAIN, &["--side", "both"]);
        screen.until("White: place a man");
        screen.send("e");
        screen.press("l", "Load a game from");
        screen.send(&format!("\x15{}\r", plain(&record)));
        screen.until("9. f6");
        // The cursor is on d6, whose free neighbours are d5 and b6.
        screen.press("\r", "choose where the man goes");
        screen.compare("chosen");
        screen.press(&format!("{LEFT}\r"), "d6-b6");
        screen.until("Black: choose a man to move");
        screen.send("q");
        assert!(screen.end().success());
    }

    #[test]
    fn tab_reaches_men_that_may_move_while_others_are_placed() {
        let folder = Folder::new("play tab");
        let arguments = ["--side", "both", "--rules", "lasker", "--no-autosave"];
        let screen = Screen::start(&folder, 80, 24, &PLAIN, &arguments);
        screen.until("White: place a man");
        ["d6", "f4"].iter().for_each(|turn| screen.turn(turn));
        // 22 empty points and d6, from where it begins.
        screen.press(&format!("{}\r", "\t".repeat(23)), "choose where the man goes");
        screen.press("q", "Quit?");
        screen.send("y");
        assert!(screen.end().success());
    }

    #[test]
    fn all_rule_sets_can_be_played() {
        let folder = Folder::new("play rules");
        for row in millstone::rules::NAMED {
            let arguments = ["--side", "both", "--rules", row.name, "--no-autosave"];
            let screen = Screen::start(&folder, 80, 24, &PLAIN, &arguments);
            screen.until(row.title);
            screen.until("White: place a man");
            for turn in ["d7", "d6", "g7", "b4"] {
                screen.turn(turn);
            }
            screen.send("e");
            if row.name == "cham-gonu" {
                screen.turn("a7xd6");
                screen.compare("marked_point");
            }
            screen.press("q", "The game is not saved");
            screen.send("y");
            assert!(screen.end().success(), "{}", row.name);
        }
        assert!(folder.names().is_empty(), "no autosave means no file");
    }

    #[test]
    fn the_engine_answers_gives_hints_and_the_finished_game_is_analysed() {
        let folder = Folder::new("play engine");
        let arguments = ["--level", "2", "--movetime", "50"];
        let screen = Screen::start(&folder, 80, 24, &RICH, &arguments);
        screen.until("White: place a man");
        screen.press("\r", "1. d6  ");
        screen.until("White: place a man");
        screen.press("h", "Hint: ");
        screen.press("x", "Resign the game?");
        screen.press("y", "Black wins: White has resigned");
        screen.press("a", "White: 1 of 1 move good");
        screen.press("a", "a analysis");
        screen.press("u", "White: place a man");
        screen.send("q");
        assert!(screen.end().success());
    }

    #[test]
    fn a_game_that_can_no_longer_be_saved_is_told_though_the_engine_answers() {
        let folder = Folder::new("play unsaved");
        let screen = Screen::start(&folder, 80, 24, &RICH, &["--level", "2", "--movetime", "50"]);
        screen.until("White: place a man");
        // Nothing can be written under the name of a folder.
        fs::create_dir_all(folder.file("millstone/game.pgn")).expect("a folder");
        screen.press("\r", "1. d6  ");
        screen.until("White: place a man");
        screen.until("The game is no longer saved to");
        screen.press("\r", "White: place a man");
        screen.press("q", "Quit? The game is not saved.");
        screen.send("y");
        assert!(screen.end().success());
    }

    #[test]
    fn the_game_is_resumed_and_ctrl_c_asks() {
        let folder = Folder::new("play resume");
        let start = || Screen::start(&folder, 44, 22, &PLAIN, &["--side", "both"]);
        let screen = start();
        screen.until("White: place a man");
        screen.turn("d7");
        let second = Screen::start(&folder, 80, 24, &PLAIN, &["--side", "black"]);
        second.until("Sorry");
        // The engine has moved, and the notice is still there.
        second.until("1. ");
        second.until("This game is not saved: another session writes");
        second.press("\r", "Black: place a man");
        second.press("q", "Quit? The game is not saved.");
        second.send("y");
        assert!(second.end().success());
        screen.press("\x03", "Quit? The game can be resumed.");
        screen.press("n", "Black: place a man");
        screen.press("\x03", "Quit?");
        screen.send("\x03");
        assert!(screen.end().success());
        let screen = start();
        screen.until("Resume the last game?");
        // The game was read before the question.
        fs::remove_file(folder.file("millstone/game.pgn")).expect("removed");
        screen.press("y", "1. d7");
        screen.until("Black: place a man");
        screen.turn("f4");
        screen.send("q");
        assert!(screen.end().success());
        assert_eq!(folder.names(), ["millstone"]);
        let record = fs::read_to_string(folder.file("millstone/game.pgn")).expect("a game");
        assert!(record.ends_with("\n1. d7 f4 *\n\n"), "{record}");
    }

    #[test]
    fn signals_give_the_terminal_back_and_keep_the_game() {
        for (signal, status) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
            let folder = Folder::new(&format!("play signal {signal}"));
            let screen = Screen::start(&folder, 80, 24, &RICH, &["--side", "both"]);
            screen.until("White: place a man");
            screen.press("\r", "1. d6");
            let id = screen.child.id().to_string();
            let killed = std::process::Command::new("kill").args([&format!("-{signal}"), &id]).status();
            assert!(killed.expect("kill").success());
            let ended = screen.end();
            assert_eq!((ended.code(), ended.signal()), (Some(status), None));
            assert!(folder.file("millstone/game.pgn").exists());
        }
    }

    #[test]
    fn a_second_signal_ends_a_program_whose_terminal_takes_no_output() {
        let folder = Folder::new("play two signals");
        let mut screen = Screen::start(&folder, 200, 60, &RICH, &["--side", "both"]);
        screen.until("White: place a man");
        let parser = Arc::clone(&screen.parser);
        // Nobody reads the output, and every size is drawn.
        let held = parser.lock().expect("a lock");
        for n in 0..100 {
            screen.pty.resize(Size::new(60 + n % 2, 200)).expect("resized");
            std::thread::sleep(Duration::from_millis(10));
        }
        let id = screen.child.id().to_string();
        let signal = || std::process::Command::new("kill").arg(&id).status().expect("kill runs");
        assert!(signal().success());
        std::thread::sleep(Duration::from_millis(500));
        // It may have ended if the terminal has taken all.
        signal();
        let begin = Instant::now();
        let ended = loop {
            if let Some(status) = screen.child.try_wait().expect("a status") {
                break status;
            }
            assert!(begin.elapsed() < DEADLINE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        drop(held);
        assert_eq!(ended.code(), Some(143));
    }

    #[test]
    fn the_engine_in_a_terminal_says_what_it_is_and_leads_to_play() {
        let folder = Folder::new("play greeting");
        let screen = Screen::start_program(&folder, 100, 24, &PLAIN, &[]);
        let greeting = screen.until("To play against it, leave and run: millstone play");
        assert!(greeting.starts_with("Millstone ") && greeting.trim_end().lines().count() == 2, "{greeting}");
        screen.press("play\r", "play is a subcommand; leave with quit and run: millstone play");
        let typed = "millstone tb build --path x\r";
        screen.press(typed, "tb is a subcommand; leave with quit and run: millstone tb build --path x");
        screen.press("plaything\r", "info string unknown command: plaything");
        screen.send("quit\r");
        assert!(screen.end().success());
    }

    #[test]
    fn the_greeting_goes_to_standard_error_alone() {
        let (pty, pts) = blocking::open().expect("a terminal");
        let command = blocking::Command::new(env!("CARGO_BIN_EXE_millstone")).arg("uci");
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn(pts).expect("it starts");
        let mut line = String::new();
        let errors = child.stderr.take().expect("a pipe");
        BufReader::new(errors).read_line(&mut line).expect("a line");
        assert!(line.starts_with("Millstone "), "{line}");
        (&pty).write_all(b"quit\r").expect("keys are taken");
        assert!(child.wait().expect("a status").success());
        let mut output = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
        assert_eq!(output, "");
    }

    #[test]
    fn a_terminal_that_is_gone_ends_the_program() {
        let folder = Folder::new("play hang-up");
        let (pty, pts) = blocking::open().expect("a terminal");
        pty.resize(Size::new(24, 80)).expect("resized");
        let command =
            blocking::Command::new(env!("CARGO_BIN_EXE_millstone")).args(["play", "--side", "both"]);
        let command = command.envs(RICH).env("XDG_STATE_HOME", folder.path());
        let mut child = command.spawn(pts).expect("it starts");
        assert!((&pty).read(&mut [0; 64]).expect("the screen") > 0);
        drop(pty);
        end_of(&mut child, |_| ());
    }

    #[test]
    fn games_are_saved_and_loaded_and_foreign_text_is_printable() {
        let folder = Folder::new("play files");
        folder.write("evil.pgn", "[White \"\x1b[31mEve\x07\"]\n[Black \"B\"]\n\n1. d7 d6 2. d7 *\n");
        let screen = Screen::start(&folder, 120, 40, &PLAIN, &["--side", "both", "--no-autosave"]);
        screen.until("White: place a man");
        screen.press("l", "Load a game from");
        screen.press("\x15evil.pgn\r", "read up to the first fault");
        let text = screen.until("[31mEve");
        assert!(text.contains("illegal move 'd7'"), "{text}");
        screen.press("l", "Load a game from");
        screen.press("\x15no/such\r", "Leave this game? It is not saved.");
        screen.send("n");
        screen.press("q", "Quit? The game is not saved.");
        screen.send("n");
        screen.press("s", "Save the game to");
        screen.press("\x15new\r", "saved to new");
        screen.press("s", "Save the game to");
        screen.press("\x15new\r", "Replace new?");
        screen.press("y", "saved to new");
        assert!(fs::read_to_string(folder.file("new")).expect("a file").contains("1. d7 d6 *"));
        screen.press("l", "Load a game from");
        screen.press("\x15no/such\r", "no/such: ");
        screen.send(" ");
        // The game has been saved.
        screen.send("q");
        assert!(screen.end().success());
    }

    #[test]
    fn colours_follow_no_color_and_dumb_terminals_get_lines() {
        let folder = Folder::new("play colours");
        let has_colour = |screen: &Screen| {
            let parser = screen.parser.lock().expect("a lock");
            let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
            let is_coloured = |(row, column)| {
                let cell = parser.screen().cell(row, column).expect("a cell");
                cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default
            };
            cells.into_iter().any(is_coloured)
        };
        for (vars, is_coloured) in [(RICH.as_slice(), true), (PLAIN.as_slice(), false)] {
            let screen = Screen::start(&folder, 80, 24, vars, &["--side", "both"]);
            screen.until("White: place a man");
            assert_eq!(has_colour(&screen), is_coloured);
            screen.send("q");
            assert!(screen.end().success());
        }
        let screen = Screen::start(&folder, 80, 24, &[("TERM", "dumb")], &["--side", "both"]);
        screen.until("white>");
        screen.send("fen ********/********/OO***@@O w m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes\r");
        screen.until("White wins: Black has fewer than three men left");
        screen.send("quit\r");
        let bytes = Arc::clone(&screen.bytes);
        assert!(screen.end().success());
        let written = String::from_utf8_lossy(&bytes.lock().expect("a lock")).into_owned();
        assert!(!written.contains("\x1b[?1049h") && !written.contains("\x1b[1;93m"), "{written:?}");
    }
}

#[test]
fn scripts_get_the_same_lines_as_ever() {
    let folder = Folder::new("play pipe");
    let lines = include_str!("data/play/pipe.in");
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(["play", "--side", "both"])
        .env("XDG_STATE_HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("lines are taken");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("data/play/pipe.out"));
    assert!(folder.names().is_empty(), "scripts leave nothing: {}", plain(folder.path()));
}
