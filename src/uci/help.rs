//! The answer to `help`: commands, options and rule sets.

use crate::dialect::command::Words;
use crate::dialect::option::announced;
use crate::rules::{NAMED, Rules};

/// Returns the lines of `help` in the words of a dialect. `protocol` is the value of `Protocol` at start.
pub(super) fn lines(words: &Words, protocol: &str) -> Vec<String> {
    let mut lines = commands(words);
    lines.extend(words.own.iter().map(|&line| line.to_owned()));
    for (option, default) in announced(words.hello, protocol) {
        let default = if default.is_empty() { String::new() } else { format!("; default {default}") };
        let (name, expected, summary) = (option.name, option.expected(), option.summary);
        lines.push(format!("option {name} ({expected}{default}): {summary}"));
    }
    lines.extend(NAMED.iter().map(|row| format!("rules {}: {}, {}", row.name, row.title, row.summary)));
    for (number, rules) in Rules::PRESETS.iter().enumerate() {
        lines.push(format!("rules preset{number}: {}", differences(rules)));
    }
    lines
}

fn commands(words: &Words) -> Vec<String> {
    let [wtime, btime, winc, binc] = words.clocks;
    let (hello, new_game, text) = (words.hello, words.new_game, words.text);
    vec![
        format!("{hello}: names the engine and its options"),
        "isready: answers once everything before has taken effect".to_owned(),
        "setoption name <option> [value <value>]: sets an option".to_owned(),
        format!("{new_game}: forgets earlier searches and sets up the initial position"),
        format!(
            "position startpos|{text} <text> [moves <m>...]: sets up a position, \
             as in: position startpos moves d6 f4"
        ),
        format!(
            "go [depth <n>] [nodes <n>] [movetime <ms>] [{wtime} {btime} {winc} {binc} <ms>] \
             [movestogo <n>] [mate <n>] [searchmoves <m>...] [infinite] [ponder] \
             [topn <n>] [perft <n>] [logical]: searches"
        ),
        "stop, ponderhit: end a search, or turn pondering into one".to_owned(),
        format!("analyze startpos|{text} <text> [moves <m>...]: rates every move"),
        "d, fen, moves, eval, key, hist, statejson: show the position and what is known of it".to_owned(),
        "compiler: shows what the program was built with and for".to_owned(),
        "d --svg: draws the board as a picture in SVG".to_owned(),
        "perft <n>, bench [<depth>]: count and measure".to_owned(),
        "experience save|load|merge <file>, experience stat [<file>]: what LearnEndgame has learned"
            .to_owned(),
        "debug on|off: more about each search".to_owned(),
        "quit: ends the program".to_owned(),
    ]
}

/// Returns the options in which rules differ from Nine Men's Morris, with their values.
fn differences(rules: &Rules) -> String {
    let words: Vec<String> = rules.differing_settings().map(|setting| setting.replace('=', " ")).collect();
    if words.is_empty() { "the standard game".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;

    #[test]
    fn help_uses_the_words_of_the_dialect() {
        for dialect in DIALECTS {
            let words = dialect.words();
            let origin = format!(" startpos|{} <text> ", words.text);
            let naming = commands(words).iter().filter(|line| line.contains(&origin)).count();
            assert_eq!(naming, 2, "position and analyze in {}", dialect.name());
        }
    }

    #[test]
    fn help_lists_only_options_that_the_dialect_announces() {
        for (dialect, expected) in DIALECTS.iter().zip([
            ["Protocol"].as_slice(),
            &["Protocol"],
            &["Protocol"],
            &["TwelveMensMorris"],
            &[],
        ]) {
            let lines = lines(dialect.words(), "standard");
            let mut rare = vec!["Protocol", "TwelveMensMorris"];
            rare.retain(|name| lines.iter().any(|line| line.starts_with(&format!("option {name} "))));
            assert_eq!(rare, expected, "{}", dialect.name());
        }
    }
}
