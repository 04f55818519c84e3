//! Reads lines from the client in a thread of its own, so that input is read at all times.

use super::client_pipe::Quit;
use super::line::{InputLine, LONGEST, LONGEST_WORD, Room, Share, first_word};
use crate::platform::files;
use crate::platform::text::BYTE_ORDER_MARK;
use crate::platform::threads::{STACK_SIZE, spawn};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// The bytes that a line takes besides its text.
const OVERHEAD: usize = 128;

/// Starts a thread that reads `input`. Returns its lines; the channel closes with the input, after the error
/// if it cannot be read. `quit` is notified of a `quit` line at once, even while the session is blocked.
///
/// # Errors
/// If no thread can be started.
pub(super) fn lines(
    input: impl Read + Send + 'static,
    quit: Quit,
) -> io::Result<Receiver<io::Result<InputLine>>> {
    // Unbounded, since the room bounds it.
    let (sender, receiver) = unbounded();
    spawn("input", STACK_SIZE, move || read(input, &sender, &quit))?;
    Ok(receiver)
}

fn read(input: impl Read, lines: &Sender<io::Result<InputLine>>, quit: &Quit) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let room = Arc::new(Room::default());
    let mut is_first = true;
    loop {
        let (mut bytes, is_cut) = match read_line(&mut input) {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => {
                // Fails if the session has ended.
                let _ = lines.send(Err(error));
                return;
            }
        };
        if std::mem::take(&mut is_first) && bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let is_quit = first_word(&bytes) == b"quit";
        let share = Share::take(&room, bytes.len() + OVERHEAD);
        if lines.send(Ok(InputLine { bytes, is_cut, _share: Some(share) })).is_err() {
            return;
        }
        if is_quit {
            quit.announce();
        }
    }
}

/// Reads a line; a too long one is cut to its first word. Returns `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut line = Vec::new();
    let is_cut = files::read_line(input, LONGEST, &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if is_cut {
        let word = first_word(&line);
        line = word[..word.len().min(LONGEST_WORD)].to_vec();
    }
    while matches!(line.last(), Some(b'\n' | b'\r')) {
        line.pop();
    }
    Ok(Some((line, is_cut)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::uci::line::AHEAD;
    use std::time::Duration;

    #[test]
    fn lines_end_with_newline_with_or_without_return_or_with_the_input() {
        let lines = lines(&b"\xef\xbb\xbfuci\r\n\xff\x00\n\nisready"[..], Quit::default()).unwrap();
        let read: Vec<Vec<u8>> = lines.iter().map(|line| line.unwrap().bytes).collect();
        assert_eq!(read, [&b"uci"[..], b"\xff\x00", b"", b"isready"]);
    }

    #[test]
    fn input_is_read_ahead_only_as_far_as_there_is_room() {
        // An endless input: if it were read further, the channel would grow without limit.
        let lines = lines(io::repeat(b'\n'), Quit::default()).unwrap();
        let most = AHEAD / OVERHEAD;
        while lines.len() < most {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(lines.len(), most);
        assert!(lines.recv().unwrap().is_ok());
        while lines.len() < most {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_line_longer_than_the_longest_keeps_its_first_word() {
        let long =
            io::Cursor::new(b"go ").chain(io::repeat(b'x').take(LONGEST + 5)).chain(&b"\nisready\n"[..]);
        let mut input = BufReader::new(long);
        assert_eq!(read_line(&mut input).unwrap(), Some((b"go".to_vec(), true)));
        assert_eq!(read_line(&mut input).unwrap(), Some((b"isready".to_vec(), false)));
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
