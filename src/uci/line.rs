//! A line of the client, and the memory for lines that wait.

use parking_lot::{Condvar, Mutex};
use std::borrow::Cow;
use std::sync::Arc;

/// The longest line in bytes, for more moves than any game has. An endless line must not use up all memory.
pub(super) const LONGEST: u64 = 1 << 28;

/// The maximum length of the first word in bytes: no command is as long.
pub(super) const LONGEST_WORD: usize = 40;

/// The bytes of lines that are read but not executed yet. When there are more, nothing is read until a
/// command has ended; a single line may be longer.
pub(super) const AHEAD: usize = 1 << 25;

/// A line of the client, without its end.
pub(super) struct InputLine {
    /// The line.
    pub(super) bytes: Vec<u8>,
    /// True if the line was too long, and only its first word is left.
    pub(super) is_cut: bool,
    pub(super) _share: Option<Share>,
}

impl InputLine {
    /// Returns a line that takes no room from others.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn new(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), is_cut: false, _share: None }
    }

    /// Returns the line as text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Returns the first word, cut to a length that still identifies every command; empty if there is none.
    pub(super) fn word(&self) -> String {
        let word = first_word(&self.bytes);
        String::from_utf8_lossy(&word[..word.len().min(LONGEST_WORD)]).into_owned()
    }
}

/// Returns the first word of a line.
pub(super) fn first_word(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    let end = line.iter().position(|byte| b" \t".contains(byte)).unwrap_or(line.len());
    &line[..end]
}

/// The memory for lines that wait.
#[derive(Default)]
pub(super) struct Room {
    used: Mutex<usize>,
    changed: Condvar,
}

/// The share of the room that a line holds until it is dropped.
pub(super) struct Share {
    room: Arc<Room>,
    bytes: usize,
}

impl Share {
    /// Waits for room and takes it.
    pub(super) fn take(room: &Arc<Room>, bytes: usize) -> Self {
        let mut used = room.used.lock();
        while *used > 0 && *used + bytes > AHEAD {
            room.changed.wait(&mut used);
        }
        *used += bytes;
        Self { room: Arc::clone(room), bytes }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.room.used.lock() -= self.bytes;
        self.room.changed.notify_all();
    }
}
