//! Foreign text inside lines of the protocol.

use crate::platform::text::escape;

/// Words that clients search for anywhere in a line. Foreign text must not contain them.
const RESERVED: [&str; 6] = ["bestmove", "uciok", "gbgpok", "ugiok", "readyok", "analysis"];

/// Returns the text as one line of ASCII, with a hyphen after the fourth letter of words that clients wait
/// for.
pub(crate) fn tame(text: &str) -> String {
    let mut tamed = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => tamed.push(' '),
            ' '..='~' => tamed.push(c),
            '…' => tamed.push_str("..."),
            _ => escape(c, &mut tamed),
        }
    }
    let mut lower = tamed.to_ascii_lowercase();
    for word in RESERVED {
        let mut from = 0;
        while let Some(at) = lower[from..].find(word).map(|at| at + from) {
            from = at + 1;
            // Clients wait for the pair `info analysis`, not for the word alone.
            if word == "analysis" && !lower[..at].trim_end().ends_with("info") {
                continue;
            }
            tamed.insert(at + 4, '-');
            lower.insert(at + 4, '-');
        }
    }
    tamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_clients_wait_for_are_broken() {
        assert_eq!(tame("x bestmove nobestmovebestmove y"), "x best-move nobest-movebest-move y");
        assert_eq!(tame("UCIOK readyok BestMove"), "UCIO-K read-yok Best-Move");
        assert_eq!(tame("analysis info  analysis"), "analysis info  anal-ysis");
        assert_eq!(tame("a\nb\u{1}\u{2660}\t…"), "a\\nb\\u0001\\u2660 ...");
        let tamed = tame("ucibestmoveok uciuciokok");
        assert!(!tamed.contains("bestmove") && !tamed.contains("uciok"));
    }
}
