//! Reading lines from the client in a thread of their own, so that input is taken at all times.

use super::output::Progress;
use crate::tools::files::tell;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::io::{BufRead, BufReader, Read};

/// Longest line that is kept, in bytes. A game of a million moves is shorter; an endless line must not take all
/// memory.
const LONGEST: u64 = 1 << 28;

/// Lines waiting to be taken; the client waits when it is that far ahead.
const AHEAD: usize = 4096;

/// Starts a thread that sends the lines of `input` without their ends. The channel closes when the input does.
///
/// `progress` is that of the output, for a client that says `quit` and does not read what is still being written.
pub(super) fn lines(input: impl Read + Send + 'static, progress: Progress) -> Receiver<Vec<u8>> {
    let (sender, receiver) = bounded(AHEAD);
    let spawned =
        std::thread::Builder::new().name("input".to_owned()).spawn(move || read(input, &sender, &progress));
    if let Err(error) = spawned {
        // The sender is gone with the closure, so that the loop sees an end of input.
        tell(format_args!("no thread to read the input: {error}"));
    }
    receiver
}

fn read(input: impl Read, lines: &Sender<Vec<u8>>, progress: &Progress) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                tell(format_args!("the input cannot be read: {error}"));
                return;
            }
        }
        if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST {
            tell(format_args!("a line of more than {LONGEST} bytes was cut"));
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
            lines(&b"uci\r\n\xff\x00\n\nisready"[..], Progress::default()).iter().collect();
        assert_eq!(read, [&b"uci"[..], b"\xff\x00", b"", b"isready"]);
    }
}
