//! Plays the examples of the rules: those of the specification in `tests/data/rules_examples.txt`, whose head
//! explains the format, and those in `docs/rules.md`.

use crate::naive;
use crate::subject;

use subject::Subject;

const EXAMPLES: &str = include_str!("data/rules_examples.txt");
const DOCUMENT: &str = include_str!("../docs/rules.md");

/// Runs one example. The error names the line that failed and the reason.
fn run<S: Subject>(lines: &[&str]) -> Result<(), String> {
    let mut rules = S::rules_from("")?;
    let mut game = Ok(S::new(&rules));
    let mut checks = 0;
    for line in lines {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "rejected" {
            checks += 1;
            if let Ok(game) = &game {
                return Err(format!("the text is accepted as `{}`, expected a refusal", game.fen()));
            }
            continue;
        }
        if word == "rules" {
            rules = S::rules_from(rest)?;
            game = Ok(S::new(&rules));
            continue;
        }
        if word == "start" {
            game = S::from_fen(&rules, rest);
            continue;
        }
        let game = game.as_mut().map_err(|error| format!("the text is refused: {error}"))?;
        let (found, expected) = match word {
            "moves" => {
                for action in rest.split_whitespace() {
                    if !game.play(action) {
                        return Err(format!("`{action}` is refused at `{}`", game.fen()));
                    }
                }
                continue;
            }
            "fen" => (game.fen(), rest.to_string()),
            "legal" => {
                let mut expected: Vec<&str> =
                    rest.split_whitespace().filter(|&word| word != "none").collect();
                expected.sort_unstable();
                (game.legal().join(" "), expected.join(" "))
            }
            "count" => (game.legal().len().to_string(), rest.to_string()),
            "result" => {
                let unknown = if game.terminal() { "unknown" } else { "ongoing" };
                (format!("{} {}", game.winner().unwrap_or(unknown), game.reason()), rest.to_string())
            }
            _ => return Err(format!("`{line}` is no line of an example")),
        };
        checks += 1;
        if found != expected {
            return Err(format!("{word}\n  found    {found}\n  expected {expected}"));
        }
    }
    if checks == 0 { Err("the example checks nothing".to_string()) } else { Ok(()) }
}

fn run_all<S: Subject>(text: &str, least: usize) {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut examples = 0;
    let mut failures = Vec::new();
    for example in lines.split(|line| line.trim().is_empty()).filter(|example| !example.is_empty()) {
        examples += 1;
        if let Err(error) = run::<S>(example) {
            failures.push(format!("{}\n{error}", example.join("\n")));
        }
    }
    assert!(examples >= least, "found {examples} examples, expected {least} at least");
    assert!(
        failures.is_empty(),
        "{}: {} of {examples} examples fail\n\n{}",
        S::NAME,
        failures.len(),
        failures.join("\n\n")
    );
}

/// Returns the blocks of `docs/rules.md` that hold examples.
fn document_examples() -> String {
    let blocks = DOCUMENT.split("```text example\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().to_string() + "\n").collect()
}

#[test]
fn naive_model_agrees_with_every_example_of_the_rules() {
    run_all::<naive::Game>(EXAMPLES, 90);
    run_all::<naive::Game>(&document_examples(), 10);
}

#[test]
fn engine_agrees_with_every_example_of_the_rules() {
    run_all::<subject::EngineGame>(EXAMPLES, 90);
    run_all::<subject::EngineGame>(&document_examples(), 10);
}
