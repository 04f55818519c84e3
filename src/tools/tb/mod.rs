//! `tb build` and `tb plan`: which tables a scope asks for, whether the machine can make them, and the
//! progress shown meanwhile.

pub mod probe;
pub mod report;

use crate::rules::Rules;
use crate::tablebase::format::file::Written;
use crate::tablebase::format::header::{Packing, TableKind};
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::solve::build::{BuildSettings, Observer, Unit};
use crate::tablebase::solve::placing;
use crate::tablebase::{Sector, SolvedGame, TablebaseError};
use crate::tools::files::tell;
use crate::tools::progress::{style, with_style};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::time::Instant;

/// Which positions are to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The moving phase with at most so many men on the board.
    Men(u8),
    /// The whole moving phase.
    Moving,
    /// The moving and the placing phase.
    All,
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "moving" => Ok(Self::Moving),
            "all" => Ok(Self::All),
            _ => text
                .strip_suffix("-men")
                .and_then(|men| men.parse().ok())
                .filter(|men| (6..=24).contains(men))
                .map(Self::Men)
                .ok_or_else(|| {
                    let men = "6-men to 24-men (two sides of three or more)";
                    format!("'{text}' is no scope, expected 'moving', 'all' or {men}")
                }),
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Men(men) => write!(f, "{men}-men"),
            Self::Moving => f.write_str("moving"),
            Self::All => f.write_str("all"),
        }
    }
}

/// For which phases distances are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distances {
    /// For none: win, draw and loss only.
    None,
    /// For the moving phase.
    Moving,
    /// For both phases.
    All,
}

impl Scope {
    /// The units of work of this scope, in an order in which each comes after those it needs.
    ///
    /// # Errors
    /// When the placing phase is asked for and tables cannot represent it under these rules.
    pub fn units(self, game: &SolvedGame) -> Result<Vec<Unit>, TablebaseError> {
        let most = if let Self::Men(most) = self { most } else { 2 * game.men };
        let mut units: Vec<Unit> = game.pairs(most).into_iter().map(|(a, b)| Unit::Pair(a, b)).collect();
        if self == Self::All {
            if let Some(why) = game.placing_refused {
                return Err(TablebaseError::Unsupported(format!("in the placing phase {why}")));
            }
            units.extend(placing::sectors(game).into_iter().map(Unit::Placing));
        }
        Ok(units)
    }
}

/// A unit by its name: `9-8`, or `8_9_1_0` while placing.
///
/// # Errors
/// When the game has no such unit.
pub fn unit_by_name(game: &SolvedGame, name: &str) -> Result<Unit, TablebaseError> {
    let scope = if game.placing_refused.is_some() { Scope::Moving } else { Scope::All };
    let units = scope.units(game)?;
    let turned = name.split_once('-').map(|(a, b)| format!("{b}-{a}"));
    let moving = name.strip_suffix("_0_0").map(|pair| pair.replace('_', "-"));
    let names = [Some(name.to_owned()), turned, moving.clone()];
    let again = moving.and_then(|pair| pair.split_once('-').map(|(a, b)| format!("{b}-{a}")));
    units
        .into_iter()
        .find(|unit| names.iter().chain([&again]).flatten().any(|name| *name == unit.to_string()))
        .ok_or_else(|| {
            let expected = "a pair such as 4-3 or a placing sector such as 3_4_6_5";
            TablebaseError::Refused(format!("'{name}' is no unit of this game, expected {expected}"))
        })
}

/// How long a unit takes, in units of effort.
fn effort_of(unit: Unit) -> u64 {
    unit.slots() * effort_of_slot(unit)
}

/// A slot of the moving phase takes about twice as long as one of the placing phase.
fn effort_of_slot(unit: Unit) -> u64 {
    match unit {
        Unit::Pair(..) => 2,
        Unit::Placing(_) => 1,
    }
}

/// Bytes of memory that a unit needs.
fn memory_of(game: &SolvedGame, unit: Unit) -> u64 {
    let kinds = if game.multiple { 3 } else { 1 };
    let slots = unit.slots();
    match unit {
        // Results, open moves and captures of both sectors, a bit for news, and a smaller sector.
        Unit::Pair(..) => slots * (2 + kinds) + slots / 8 + slots,
        // The sector and the two that it leads to, which are about as large.
        Unit::Placing(_) => 3 * slots + slots / 2,
    }
}

/// Bytes of disk that a file takes at most: what the slots take, as measured for the standard game, and what comes with
/// every block.
pub(super) fn disk_of(sector: Sector, kind: TableKind, block_slots: u32) -> u64 {
    // So few slots may not get smaller at all.
    let is_small = block_slots < 4096;
    let bits = match kind {
        TableKind::Wdl if is_small => 2,
        TableKind::Wdl => 1,
        TableKind::Distance if is_small => 8,
        TableKind::Distance => 4,
    };
    sector.slots() * bits / 8 + sector.slots().div_ceil(u64::from(block_slots)) * BLOCK_BYTES + 4096
}

/// Bytes that come with a block: its place in the index (8), its checksum (4), and of a Zstandard frame the head (at most
/// 14) and the head of its block (3), rounded up.
const BLOCK_BYTES: u64 = 32;

/// Makes a folder and refuses to begin work that its disk has no room for.
pub(super) fn check_disk(folder: &Path, needed: u64) -> Result<(), TablebaseError> {
    std::fs::create_dir_all(folder).map_err(TablebaseError::io("create", folder))?;
    let free = fs4::available_space(folder).map_err(TablebaseError::io("measure", folder))?;
    if free < needed {
        let (needed, free) = (needed.div_ceil(1 << 20), free >> 20);
        let why = format!("the tables may take {needed} MiB of disk, {} has {free} left", folder.display());
        return Err(TablebaseError::Refused(why));
    }
    Ok(())
}

/// Memory that can be had now, where the system tells: what is free, or less where the process is held to less.
fn available_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let text = read("/proc/meminfo");
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let free = kib.map(|kib| kib << 10);
    let limit = group_limit(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    free.into_iter().chain(limit).min()
}

/// The least memory limit of the control groups that `groups`, as in `/proc/self/cgroup`, names below `root`: of the
/// process and all above it, in version 2 of the interface or in version 1.
fn group_limit(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let (root, name) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ => (root.join(controllers), "memory.limit_in_bytes"),
        };
        // Inside a container the path may be that outside of it; the folder at the root is then its own.
        let group = Path::new(group.trim_start_matches('/')).to_owned();
        group.ancestors().map(|group| root.join(group).join(name)).collect::<Vec<_>>()
    });
    limits.filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok()).min()
}

/// What `tb build` is asked to do.
#[derive(Clone, Debug)]
pub struct BuildJob {
    /// The rules.
    pub rules: Rules,
    /// What to solve.
    pub scope: Scope,
    /// The folder of the tables.
    pub path: PathBuf,
    /// For which phases distances are stored.
    pub distances: Distances,
    /// Number of threads.
    pub threads: usize,
    /// Most memory to use, in MiB.
    pub memory: Option<u64>,
    /// Build this unit alone, from finished ones.
    pub only: Option<String>,
    /// Show no progress.
    pub quiet: bool,
}

impl BuildJob {
    fn settings(&self) -> Result<BuildSettings, TablebaseError> {
        Ok(BuildSettings {
            game: SolvedGame::new(&self.rules)?,
            folder: self.path.clone(),
            threads: self.threads.max(1),
            moving_distances: self.distances != Distances::None,
            placing_distances: self.distances == Distances::All,
        })
    }

    /// Builds what is missing.
    ///
    /// # Errors
    /// When the rules are not supported, memory or disk do not suffice, or a file stands in the way.
    pub fn run(&self) -> Result<(), TablebaseError> {
        let settings = self.settings()?;
        let units = match &self.only {
            Some(name) => vec![unit_by_name(&settings.game, name)?],
            None => self.scope.units(&settings.game)?,
        };
        if units.is_empty() {
            let (scope, rules, least) = (self.scope, self.rules.describe(), 2 * settings.game.least);
            let why =
                format!("scope {scope} holds nothing under rules {rules}, expected at least {least}-men");
            return Err(TablebaseError::Refused(why));
        }
        let all = units.len();
        let mut missing = Vec::new();
        for unit in units {
            if !settings.is_finished(unit)? {
                missing.push(unit);
            }
        }
        if missing.is_empty() && !self.quiet {
            tell(format_args!("nothing to build: all {all} units are in {}", self.path.display()));
        }
        self.check_resources(&settings, &missing)?;
        let progress = Progress::new(&missing, self.quiet);
        settings.build(&missing, &progress)?;
        progress.end();
        Ok(())
    }

    fn check_resources(&self, settings: &BuildSettings, units: &[Unit]) -> Result<(), TablebaseError> {
        let Some(&largest) = units.iter().max_by_key(|&&unit| memory_of(&settings.game, unit)) else {
            return Ok(());
        };
        let needed = memory_of(&settings.game, largest) >> 20;
        let (given, whence) = match self.memory {
            Some(given) => (Some(given), "--memory allows"),
            None => (available_memory().map(|bytes| bytes >> 20), "the machine has left"),
        };
        if let Some(given) = given.filter(|&given| given < needed) {
            return Err(TablebaseError::Refused(format!(
                "unit {largest} needs {needed} MiB of memory, {whence} {given}"
            )));
        }
        let files = units.iter().flat_map(|unit| unit.sectors());
        let files = files.flat_map(|sector| settings.kinds(sector).iter().map(move |&kind| (sector, kind)));
        let bytes = files.map(|(sector, kind)| {
            disk_of(sector, kind, Packing::usual(&settings.game, sector, kind).block_slots)
        });
        check_disk(&self.path, bytes.sum())
    }
}

/// Shows how far a build is: on a terminal with a bar for the unit in work and one for all, elsewhere with a line for
/// each finished unit.
struct Progress {
    quiet: bool,
    unit: ProgressBar,
    /// In units of effort.
    all: ProgressBar,
    current: Mutex<Option<Current>>,
}

/// The unit that is worked on.
struct Current {
    unit: Unit,
    begun: Instant,
    /// Slots that are settled.
    settled: u64,
    /// Effort of the units before it.
    before: u64,
}

/// What is shown of a unit while it is solved, and of all units.
const SOLVING: &str = "{prefix:9} [{bar:30}] {percent:>3} %, {left} left";
/// What is shown while the tables of a unit are compressed and written.
const PACKING: &str = "{prefix:9} [{bar:30}] {percent:>3} %, packing";

impl Progress {
    fn new(units: &[Unit], quiet: bool) -> Self {
        let is_shown = !quiet && !units.is_empty();
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self::drawn_to(target, units, quiet)
    }

    fn drawn_to(target: ProgressDrawTarget, units: &[Unit], quiet: bool) -> Self {
        let bars = MultiProgress::with_draw_target(target);
        let bar = |length: u64| with_style(bars.add(ProgressBar::new(length)), SOLVING);
        let total = units.iter().map(|&unit| effort_of(unit)).sum();
        Self { quiet, unit: bar(0), all: bar(total).with_prefix("in all"), current: Mutex::default() }
    }

    fn end(&self) {
        self.unit.finish_and_clear();
        self.all.finish();
    }

    /// A bar as text, with the share of all units that is done.
    fn line(&self) -> String {
        let share = self.all.position() as f64 / self.all.length().unwrap_or(0).max(1) as f64;
        let filled = (share * 30.0) as usize;
        format!("[{}{}] {:5.1} %", "#".repeat(filled), ".".repeat(30 - filled), 100.0 * share)
    }
}

impl Observer for Progress {
    fn start(&self, unit: Unit) {
        if let Ok(mut current) = self.current.lock() {
            *current = Some(Current { unit, begun: Instant::now(), settled: 0, before: self.all.position() });
        }
        self.unit.reset();
        self.unit.set_length(unit.slots());
        self.unit.set_prefix(unit.to_string());
        self.unit.set_style(style(SOLVING));
    }

    fn advance(&self, slots: u64) {
        let Ok(mut current) = self.current.lock() else { return };
        let Some(now) = &mut *current else { return };
        // Threads may come out of turn.
        now.settled = now.settled.max(slots);
        self.unit.set_position(now.settled);
        self.all.set_position(now.before + now.settled * effort_of_slot(now.unit));
        if now.settled == now.unit.slots() {
            self.unit.set_style(style(PACKING));
        }
    }

    fn finish(&self, unit: Unit, written: &[Written]) {
        let Some(current) = self.current.lock().ok().and_then(|mut current| current.take()) else { return };
        self.all.set_position(current.before + effort_of(unit));
        if !self.quiet && self.all.is_hidden() {
            let bytes: u64 = written.iter().map(|written| written.bytes).sum();
            let spent = current.begun.elapsed().as_secs_f64();
            tell(format_args!("{} {unit} in {spent:.1} s, {bytes} bytes", self.line()));
        }
    }
}

/// What each unit of a scope depends on, as a makefile or JSON.
///
/// # Errors
/// As [`Scope::units`].
pub fn plan(rules: &Rules, scope: Scope, path: &Path, json: bool) -> Result<String, TablebaseError> {
    let game = SolvedGame::new(rules)?;
    let units = scope.units(&game)?;
    let known: std::collections::HashMap<Sector, Unit> =
        units.iter().flat_map(|&unit| unit.sectors().into_iter().map(move |sector| (sector, unit))).collect();
    let needs = |unit: Unit| {
        let mut needed: Vec<Unit> = unit
            .sectors()
            .into_iter()
            .flat_map(|sector| {
                let most = if game.multiple { 3 } else { 1 };
                (0..=most.min(sector.theirs)).filter_map(move |taken| match unit {
                    Unit::Placing(sector) => placing::next_sector(&game, sector, taken),
                    Unit::Pair(..) => Some(Sector::moving(sector.theirs - taken, sector.own)),
                })
            })
            .filter_map(|sector| known.get(&sector).copied())
            .filter(|&other| other != unit)
            .collect();
        needed.sort_by_key(ToString::to_string);
        needed.dedup();
        needed
    };
    let names = |units: &[Unit]| units.iter().map(ToString::to_string).collect::<Vec<_>>();
    if json {
        let list: Vec<_> = units
            .iter()
            .map(|&unit| {
                serde_json::json!({
                    "unit": unit.to_string(), "needs": names(&needs(unit)), "slots": unit.slots(),
                    "memory": memory_of(&game, unit),
                })
            })
            .collect();
        return Ok(format!("{:#}\n", serde_json::Value::Array(list)));
    }
    let build = format!("millstone tb build --rules {} --threads 1 --quiet", rules.describe());
    let mut text = String::from("# Builds every unit by itself: make -f FILE -j N.\n");
    let _ = writeln!(text, "# Other flags for every unit, such as distances while placing, go into TB:");
    let _ = writeln!(text, "#   make -f FILE -j N TB='{build} --distances all'");
    let _ = writeln!(text, "TB ?= {build}");
    let _ = writeln!(text, "DIR ?= {}", make_value(&path.display().to_string()));
    let _ = writeln!(text, "units := {}", names(&units).join(" "));
    // For the shell nothing is special between single quotes but these.
    let folder = r"'$(subst ','\'',$(DIR))'";
    let _ = writeln!(text, ".PHONY: all $(units)\nall: $(units)\n\t$(TB) --path {folder} --scope {scope}");
    let _ = writeln!(text, "$(units):\n\t$(TB) --path {folder} --only $@");
    for &unit in &units {
        let needed = names(&needs(unit)).join(" ");
        if !needed.is_empty() {
            let _ = writeln!(text, "{unit}: {needed}");
        }
    }
    Ok(text)
}

/// A text as the value of a variable in a makefile.
fn make_value(text: &str) -> String {
    let mut value = String::new();
    // Blanks before a value are left out.
    if text.starts_with(char::is_whitespace) {
        value.push_str("$()");
    }
    let mut backslashes = 0;
    for c in text.chars() {
        match c {
            '$' => value.push('$'),
            // Backslashes before it count as pairs.
            '#' => value.push_str(&"\\".repeat(backslashes + 1)),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        value.push(c);
    }
    // A backslash at the end would join the next line.
    if backslashes > 0 {
        value.push_str("$()");
    }
    value
}

/// The manifest of a folder.
///
/// # Errors
/// When there is none.
pub fn manifest_of(path: &Path) -> Result<Manifest, TablebaseError> {
    Manifest::load(path)?.ok_or_else(|| {
        let why = match path.is_dir() {
            true => format!("{} is missing", crate::tablebase::format::folder::MANIFEST),
            false => "there is no such folder".to_owned(),
        };
        TablebaseError::Refused(format!("{} holds no tables: {why}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_shows_how_far_a_unit_is() {
        let units =
            [Unit::Pair(3, 3), Unit::Placing(Sector { own: 2, theirs: 3, own_hand: 1, their_hand: 0 })];
        let screen = indicatif::InMemoryTerm::new(5, 100);
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let progress = Progress::drawn_to(target, &units, false);
        let check = |unit: &str, all: &str| {
            [&progress.unit, &progress.all].iter().for_each(|bar| bar.force_draw());
            let drawn = screen.contents();
            let lines: Vec<&str> = drawn.lines().collect();
            let fits = lines.len() == 2 && lines[0].contains(unit) && lines[1].contains(all);
            assert!(fits && lines[1].starts_with("in all"), "{drawn}");
        };
        for (unit, part) in units.into_iter().zip(["45", "95"]) {
            progress.start(unit);
            check("]   0 %, ? left", "");
            progress.advance(unit.slots() / 2);
            // Out of turn.
            progress.advance(1);
            check("]  50 %, 00:00:00 left", &format!(" {part} %, 00:00:00 left"));
            progress.advance(unit.slots());
            check("##] 100 %, packing", "");
            assert!(screen.contents().starts_with(&unit.to_string()));
            progress.finish(unit, &[]);
        }
        progress.end();
        assert_eq!(screen.contents(), format!("in all    [{}] 100 %, 00:00:00 left", "#".repeat(30)));
        assert_eq!(progress.line(), format!("[{}] 100.0 %", "#".repeat(30)));
    }

    #[test]
    fn no_file_takes_more_disk_than_foreseen_whatever_its_blocks() {
        let root = std::env::temp_dir().join(format!("millstone-disk-{}", std::process::id()));
        let (from, to) = (root.join("from"), root.join("to"));
        let job = BuildJob {
            rules: Rules::NINE,
            scope: Scope::Men(7),
            path: from.clone(),
            distances: Distances::Moving,
            threads: 2,
            memory: None,
            only: None,
            quiet: true,
        };
        job.run().expect("built");
        for block in [64, 256, 1024, 1 << 13, 1 << 16] {
            let (rules, from, to) = (Rules::NINE, from.clone(), to.clone());
            let (block, level, distances) = (Some(block), Some(1), Distances::All);
            let job =
                crate::tools::tb::report::RepackJob { rules, from, to, block, level, distances, threads: 2 };
            let report = |name: &str, _, bytes| {
                let (sector, kind) = crate::tablebase::format::folder::parse_name(name).expect("a table");
                let most = disk_of(sector, kind, block.unwrap_or_default());
                assert!(bytes <= most, "{name} in blocks of {block:?}: {bytes} bytes, expected up to {most}");
                Ok(())
            };
            job.run(report).unwrap_or_else(|why| panic!("{why}"));
        }
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn memory_is_that_of_the_smallest_group_around_the_process() {
        let root = std::env::temp_dir().join(format!("millstone-groups-{}", std::process::id()));
        let set = |group: &str, name: &str, limit: &str| {
            std::fs::create_dir_all(root.join(group)).expect("a folder");
            std::fs::write(root.join(group).join(name), limit).expect("a file");
        };
        set("a/b", "memory.max", "max\n");
        set("a", "memory.max", "3000\n");
        set("memory/job", "memory.limit_in_bytes", "2000\n");
        set("memory", "memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(group_limit("0::/a/b\n", &root), Some(3000));
        assert_eq!(group_limit("5:memory:/job\n4:cpu:/\n0::/\n", &root), Some(2000));
        assert_eq!(group_limit("5:memory:/seen/from/outside\n", &root), Some(9_223_372_036_854_771_712));
        assert_eq!(group_limit("0::/c\n", &root), None);
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
