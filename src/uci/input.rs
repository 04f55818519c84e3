//! Reads lines from the client in a thread of its own, so that input is read at all times.

use super::output::WriteProgress;
use crate::tools::files::eprint_line;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::io::{BufRead, BufReader, Read};

/// The longest line in bytes; the rest is dropped. A game of a million moves is shorter, and an endless line
/// must not take all memory.
const LONGEST: u64 = 1 << 28;

/// The capacity of the channel in lines; a client that sends more has to wait.
const AHEAD: usize = 4096;

/// Starts a thread that reads `input`. Returns its lines without line ends; the channel closes with the
/// input.
///
/// `progress` is that of the output: after `quit` a client may leave a line unread.
pub(super) fn lines(input: impl Read + Send + 'static, progress: WriteProgress) -> Receiver<Vec<u8>> {
    let (sender, receiver) = bounded(AHEAD);
    let spawned =
        std::thread::Builder::new().name("input".to_owned()).spawn(move || read(input, &sender, &progress));
    if let Err(error) = spawned {
        // The sender is dropped with the closure, so that the loop sees the end of input.
        eprint_line(format_args!("no thread to read the input: {error}"));
    }
    receiver
}

fn read(input: impl Read, lines: &Sender<Vec<u8>>, progress: &WriteProgress) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                eprint_line(format_args!("the input cannot be read: {error}"));
                return;
            }
        }
        if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST {
            eprint_line(format_args!("a line of more than {LONGEST} bytes was cut"));
            if input.skip_until(b'\n').is_err() {
                return;
            }
        }
        while matches!(line.last(), Some(b'\n' | b'\r')) {
            line.pop();
        }
        let is_quit = line.trim_ascii() == b"quit";
        if lines.send(line).is_err() {
            return;
        }
        if is_quit {
            progress.end_when_stuck();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_newline_with_or_without_return_or_with_the_input() {
        let read: Vec<Vec<u8>> =
            lines(&b"uci\r\n\xff\x00\n\nisready"[..], WriteProgress::default()).iter().collect();
        assert_eq!(read, [&b"uci"[..], b"\xff\x00", b"", b"isready"]);
    }
}
