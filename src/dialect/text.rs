//! Foreign text inside lines of the protocol.

/// Words that clients look for anywhere in a line. Text that comes from outside must not contain them.
const RESERVED: [&str; 6] = ["bestmove", "uciok", "gbgpok", "ugiok", "readyok", "analysis"];

/// Text as it may stand in a line of its own: one line, ASCII only, and a hyphen after the fourth letter of words
/// that clients wait for.
pub(crate) fn tame(text: &str) -> String {
    let mut tamed = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => tamed.push(' '),
            ' '..='~' => tamed.push(c),
            '…' => tamed.push_str("..."),
            _ => tamed.extend(c.escape_default()),
        }
    }
    let mut lower = tamed.to_ascii_lowercase();
    for word in RESERVED {
        // Only the pair `info analysis` is waited for; the word alone is a fine word.
        let mut from = 0;
        while let Some(at) = lower[from..].find(word).map(|at| at + from) {
            from = at + 1;
            if word == "analysis" && !lower[..at].trim_end().ends_with("info") {
                continue;
            }
            tamed.insert(at + 4, '-');
            lower.insert(at + 4, '-');
        }
    }
    tamed
}
