//! Counts action sequences and compares them with published numbers: the naive model over the small counts,
//! the engine over those below four billion in release, and below a hundred million with the checks of debug
//! builds. `.ci/deep-perft` has the others.

use crate::naive;
use crate::subject;

use std::fs;
use std::path::Path;
use subject::Subject;

/// Checks every count below `limit` of one data file (its head explains the format); returns how many there
/// were.
fn check_file<S: Subject>(path: &Path, limit: u64) -> Result<usize, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rules = S::rules_from("")?;
    let mut game = S::new(&rules);
    let mut counts = 0;
    for (number, line) in
        (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let fail = |error: String| format!("{}:{number}: {error}", path.display());
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "rules" => {
                rules = S::rules_from(rest).map_err(fail)?;
                game = S::new(&rules);
            }
            "fen" => game = S::from_fen(&rules, rest).map_err(fail)?,
            "perft" => {
                let values: Option<Vec<u64>> =
                    rest.split_whitespace().map(|word| word.parse().ok()).collect();
                let Some([depth, nodes]) = values.as_deref() else {
                    return Err(fail(format!("found `{rest}`, expected a depth and a count")));
                };
                if *nodes < limit {
                    let found = game.perft(*depth as u32);
                    if found != *nodes {
                        return Err(fail(format!(
                            "{} counts {found}, expected {nodes}, {}",
                            S::NAME,
                            game.fen()
                        )));
                    }
                    counts += 1;
                }
            }
            _ => return Err(fail(format!("found `{word}`, expected rules, fen or perft"))),
        }
    }
    if counts == 0 { Err(format!("{}: no count below the limit", path.display())) } else { Ok(counts) }
}

fn check_below<S: Subject>(limit: u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/perft");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of perft data")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "perft"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no .perft file in {}", folder.display());
    for file in files {
        match check_file::<S>(&file, limit) {
            Ok(counts) => eprintln!("{}: {counts} counts of {} agree", S::NAME, file.display()),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn naive_model_agrees_with_every_perft_count_below_one_million_in_release() {
    check_below::<naive::Game>(if cfg!(debug_assertions) { 100_000 } else { 1_000_000 });
}

#[test]
fn engine_agrees_with_every_perft_count_below_four_billion_in_release() {
    check_below::<subject::EngineGame>(if cfg!(debug_assertions) { 100_000_000 } else { 4_000_000_000 });
}
