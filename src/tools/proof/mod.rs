//! `proof build`: makes the certificate that a side never loses, or both, from a tablebase of the whole game.
//!
//! A policy is fitted to the results; then a walk over all positions that can arise under it collects the
//! turns in which it errs. Uses `certificate`, `tablebase`, `rules`, `types`, `platform` and the shared files
//! of `tools`.

mod checkpoint;
mod fit;
mod results;
mod walk;

use super::arguments::ThreadsArg;
use super::error::{Place, ToolError};
use super::files::{check_other, check_writable, eprint_line, lock_beside, write_file};
use super::progress::Bar;
pub use crate::certificate::Sides;
use crate::certificate::policy::Policy;
use crate::certificate::turns::TurnRules;
use crate::certificate::{Certificate, turn_rules};
use crate::platform::files;
use crate::platform::text::{counted, printable_path};
use crate::rules::Rules;
use crate::tablebase::Sector;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use results::{SectorResults, after, kind_in, taken};
use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use walk::{Walk, lost_positions, open_sectors, sectors};

/// The time after which the state of a walk is saved again. Saving takes seconds.
const SAVE_EVERY: Duration = Duration::from_secs(120);

/// The settings of `proof build`.
#[derive(Clone, Debug, Args)]
pub struct ProofJob {
    /// Folder of the tablebase files, of the whole game
    #[arg(long, alias = "tablebase", default_value = "tables")]
    pub tables: PathBuf,
    /// The side that never loses, or both
    #[arg(long = "side", value_name = "SIDE", value_enum)]
    pub sides: Sides,
    /// Certificate whose policy is taken; only the stages it lacks are fitted
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// File to write
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadsArg,
    /// The rules.
    #[command(flatten)]
    pub rules: Rules,
    /// The time after which the state of the walk is saved again.
    #[arg(skip = SAVE_EVERY)]
    pub save_every: Duration,
}

impl ValueEnum for Sides {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// The figures of a finished build.
#[derive(Clone, Copy, Debug)]
pub struct ProofSummary {
    /// The positions with the side to move that can arise.
    pub positions: u64,
    /// The turns that come before those that are played, and have to be refused.
    pub refused: u64,
    /// The length of the certificate in bytes.
    pub bytes: u64,
}

impl ProofJob {
    /// Makes the certificate and writes it. Resumes where an earlier run for the same file stopped.
    ///
    /// # Errors
    /// If the rules are not supported, a tablebase file is missing or damaged, the side loses, a file cannot
    /// be read or written, the certificate would replace that of the policy, or another run makes the same
    /// file.
    pub fn run(&self) -> Result<ProofSummary, ToolError> {
        check_writable(&self.output)?;
        let (found, expected) = ("the file of --policy", "another file for --output");
        check_other(&self.output, self.policy.as_deref(), found, expected)?;
        let rules = turn_rules(&self.rules)?;
        let (all, open) = (sectors(&rules.game, self.sides), open_sectors(&rules.game));
        let state = checkpoint::path_for(&self.output);
        // Before the lock, whose file stays.
        self.check_inputs(&rules, &all, &open, state.exists())?;
        let _lock = lock_beside(&self.output)?;
        // Walks that were killed while they saved leave large files.
        files::remove_leftovers_of(&state);
        let failed = |cause| ToolError::Io { place: Place::from(&state), cause };
        let saved = state.exists().then(|| checkpoint::load(&state, &self.rules)).transpose()?;
        if let Some(other) = saved.as_ref().filter(|saved| saved.certificate.sides() != self.sides) {
            let found = format!("the saved walk for {}", other.certificate.sides());
            return Err(ToolError::unexpected(&state, found, format!("one for {}, or no file", self.sides)));
        }
        if let Some(other) = saved.as_ref().filter(|saved| saved.done > all.len()) {
            let found = format!("{} done", counted(other.done, "sector"));
            return Err(ToolError::unexpected(&state, found, format!("at most {}, or no file", all.len())));
        }
        let men = rules.game.men;
        let start = Sector { own: 0, theirs: 0, own_hand: men, their_hand: men };
        let policy = match &saved {
            Some(saved) => saved.certificate.policy().clone(),
            None => self.fit(&rules, &all, &open)?,
        };
        let mut walk = Walk::new(&rules, &policy, self.threads.count());
        let mut done = 0;
        let mut results = SectorResults::default();
        let read = |results: &mut SectorResults, wanted: Vec<Sector>| {
            results.want(&self.tables, &rules.game, &wanted, self.threads.count())
        };
        if let Some(saved) = saved {
            eprint_line(format_args!("resuming after {} of {}", saved.done, counted(all.len(), "sector")));
            if let Some(path) = &self.policy {
                let path = printable_path(path);
                eprint_line(format_args!("{path} is not read: the saved walk has its own policy"));
            }
            (done, walk.refused, walk.claims) = (saved.done, saved.refused, saved.certificate.claims());
            (walk.refusals, walk.listed) = saved.certificate.into_sectors()?;
            walk.reached = saved.reached.into_iter().collect();
        } else {
            read(&mut results, after(&rules.game, start).collect())?;
            if !walk.begin(self.sides, &results) {
                return Err(self.lost(start));
            }
            for sector in open {
                read(&mut results, vec![sector])?;
                walk.listed.insert(sector, lost_positions(sector, &results, self.threads.count()));
            }
        }
        let bar = Bar::new(all.len());
        // The first sector is small: what was fitted is saved soon.
        let mut last: Option<Instant> = None;
        for (number, &sector) in all.iter().enumerate().skip(done) {
            if walk.reached.contains_key(&sector) {
                read(&mut results, after(&rules.game, sector).collect())?;
                if let Some(node) = walk.walk(sector, &results) {
                    return Err(self.lost(node.sector()));
                }
            }
            bar.show(number + 1, true, || {
                format!("{sector}: {} walked so far", counted(walk.claims.positions, "position"))
            });
            if last.is_none_or(|last| last.elapsed() >= self.save_every) {
                checkpoint::save(&state, &walk, self.sides, number + 1).map_err(failed)?;
                last = Some(Instant::now());
            }
        }
        // A saved walk of another version may have finished other sectors.
        if let Some((sector, _)) = walk.reached.first_key_value() {
            let found = format!("a walk that has left out {sector}");
            return Err(ToolError::unexpected(&state, found, "one that this version saved, or no file"));
        }
        let bytes = walk
            .certificate(self.sides)
            .map_err(|cause| ToolError::Io { place: Place::from(&self.output), cause })?;
        write_file(&self.output, &bytes)?;
        if state.exists() {
            std::fs::remove_file(&state).map_err(failed)?;
        }
        let (positions, refused) = (walk.claims.positions, walk.refused);
        Ok(ProofSummary { positions, refused, bytes: bytes.len() as u64 })
    }

    /// Checks that the folder exists and, unless a walk was saved, that it holds the game and that the policy
    /// can be read.
    fn check_inputs(
        &self,
        rules: &TurnRules,
        all: &[Sector],
        open: &[Sector],
        is_saved: bool,
    ) -> Result<(), ToolError> {
        if !self.tables.is_dir() {
            return Err(ToolError::NoFolder(self.tables.clone()));
        }
        if is_saved {
            return Ok(());
        }
        let mut needed =
            all.iter().flat_map(|&sector| after(&rules.game, sector)).chain(open.iter().copied());
        if let Some(missing) = needed.find(|&sector| kind_in(&self.tables, sector).is_none()) {
            let (found, expected) = (format!("no file of {missing}"), "the whole game");
            return Err(ToolError::unexpected(&self.tables, found, expected));
        }
        let can_be_read = |path: &PathBuf| Certificate::open(path, &self.rules).map(drop);
        Ok(self.policy.as_ref().map_or(Ok(()), can_be_read)?)
    }

    /// Returns the error of a lost position of a sector with the side to move.
    fn lost(&self, sector: Sector) -> ToolError {
        // A lost position before the side's first turn means that it loses the game, any later one that the
        // tablebase is wrong.
        if sector.own_hand == self.rules.pieces_count {
            let side = if sector.theirs == 0 { Sides::White } else { Sides::Black };
            let (place, found) = (Place::Argument("--side"), format!("{side}, which loses this game"));
            return ToolError::unexpected(place, found, "a side that does not");
        }
        let found = format!("a lost position of {sector} ({})", self.sides);
        ToolError::unexpected(&self.tables, found, "none in a game that is drawn")
    }

    fn fit(&self, rules: &TurnRules, all: &[Sector], open: &[Sector]) -> Result<Policy, ToolError> {
        let mut policy = match &self.policy {
            Some(path) => Certificate::open(path, &self.rules)?.policy().clone(),
            None => fit::unfitted(),
        };
        // In open sectors every safe turn is allowed.
        let mut closed: Vec<Sector> = all.iter().copied().filter(|sector| !open.contains(sector)).collect();
        closed.retain(|sector| sector.is_moving() || taken(&rules.game, *sector) <= fit::MOST_TAKEN);
        let bar = OnceCell::new();
        let shown = |done: usize, sectors: usize| {
            let bar = bar.get_or_init(|| Bar::new(sectors));
            bar.show(done, true, || format!("drew from {done} of {}", counted(sectors, "sector")));
        };
        fit::fit(&mut policy, &self.tables, rules, &closed, self.threads.count(), shown)?;
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::walk::Reached;
    use super::*;

    #[test]
    fn a_saved_walk_that_has_left_out_positions_makes_no_certificate() {
        let folder = tempfile::tempdir().expect("a folder");
        let game = Rules { pieces_count: 3, may_fly: false, ..Rules::NINE };
        let output = folder.path().join("black.mcert");
        let (rules, policy, sides) = (turn_rules(&game).expect("a game"), fit::unfitted(), Sides::Black);
        let mut walk = Walk::new(&rules, &policy, 1);
        let left = Sector { own: 0, theirs: 1, own_hand: 3, their_hand: 2 };
        walk.reached.insert(left, Reached::new(left));
        let done = sectors(&rules.game, sides).len();
        checkpoint::save(&checkpoint::path_for(&output), &walk, sides, done).expect("saved");
        let job = ProofJob {
            rules: game,
            tables: folder.path().to_owned(),
            sides,
            policy: None,
            output,
            threads: 1.into(),
            save_every: Duration::MAX,
        };
        let error = job.run().expect_err("positions are left").to_string();
        assert!(error.contains("found a walk that has left out 0_1_3_2"), "{error}");
        assert!(!job.output.exists());
        let _other_run = lock_beside(&job.output).expect("free again");
        let error = job.run().expect_err("in use").to_string();
        assert!(error.ends_with("black.mcert: another run is writing it"), "{error}");
    }
}
