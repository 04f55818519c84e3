//! The options in the order of their announcement: name, default, range, setter, effect and description.

use super::option::OptionEffect::{
    ClearHash, OpenExperience, OpenLog, OpenTablebase, ReadCertificate, ReadNetwork, ResizeHash, ResizePool,
    SetRules, SwitchProtocol,
};
use super::option::{EngineOption, Shown, button, check, combo, spin, text};
use super::values::{ABOUT, MAX_ELO, MIN_ELO, OptionValues, PROTOCOLS, START};
use crate::rules::{RepetitionProfile, Rules};
use crate::search::limits::{Algorithm, MAX_SKILL, SearchSettings};
use crate::types::Depth;
use std::time::Duration;

/// The part of the defaults that the search has.
const PLAY: &SearchSettings = &START.play;

/// All options but those of the rules. A row takes its default from [`START`]. Only the seed and the rule
/// set, whose defaults are words here, and options without effect have a default of their own.
pub(super) static OPTIONS: &[EngineOption] = &[
    spin("Threads", START.threads as i64, [1, 512], |v, n| v.threads = n as usize)
        .then(ResizePool)
        .summary("search threads"),
    spin("Hash", START.hash as i64, [1, 1 << 20], |v, n| v.hash = n as usize).then(ResizeHash).summary(
        "size of the transposition table in MiB; if the memory is not available, the old size stays",
    ),
    button("Clear Hash").then(ClearHash).summary("empties the transposition table"),
    check("Ponder", PLAY.ponder, |v, on| v.play.ponder = on)
        .summary("tells the engine that the client lets it ponder; it then uses more time per move"),
    spin("MultiPV", PLAY.multi_pv as i64, [1, 500], |v, n| v.play.multi_pv = n as usize)
        .summary("number of best lines to report"),
    spin("Move Overhead", PLAY.move_overhead.as_millis() as i64, [0, 5000], set_move_overhead)
        .summary("milliseconds reserved per move for delays when a clock runs"),
    spin("Slow Mover", PLAY.slow_mover as i64, [10, 1000], |v, n| v.play.slow_mover = n as u32)
        .summary("time to use per move when a clock runs, in per cent of normal"),
    spin("nodestime", PLAY.nodes_time as i64, [0, 10_000], |v, n| v.play.nodes_time = n as u64)
        .summary("counts time in nodes, this many per millisecond; 0 for real time"),
    spin("MoveTime", START.move_time.as_secs() as i64, [0, 60], |v, n| set_move_time(v, 1000 * n))
        .summary("seconds per move for a go without limits; 0 means ten seconds"),
    spin("MoveTimeMs", START.move_time.as_millis() as i64, [0, 60_000], set_move_time)
        .summary("the same setting in milliseconds; of MoveTime and MoveTimeMs, the one set last applies"),
    spin("SkillLevel", PLAY.skill as i64, [0, MAX_SKILL as i64], |v, n| v.play.skill = n as u32)
        .summary("strength; 30 is full strength"),
    check("UCI_LimitStrength", START.limit_strength, |v, on| v.limit_strength = on)
        .summary("plays at the strength of UCI_Elo and ignores SkillLevel"),
    spin("UCI_Elo", START.elo as i64, [MIN_ELO, MAX_ELO], |v, n| v.elo = n as i32)
        .summary("Elo on a scale on which the player greedy has 1000; rounded up to the next level"),
    spin("Algorithm", PLAY.algorithm as i64, [0, Algorithm::ALL.len() as i64 - 1], set_algorithm).summary(
        "0 alpha-beta, 1 principal variation search, 2 MTD(f), 3 Monte-Carlo tree search, 4 random moves",
    ),
    check("IDSEnabled", PLAY.deepening, |v, on| v.play.deepening = on)
        .summary("iterative deepening; if off, a search limited only by depth starts at that depth"),
    check("DepthExtension", PLAY.depth_extension, |v, on| v.play.depth_extension = on)
        .summary("if the score drops, searches up to two plies beyond the depth limit of a level or option"),
    spin("MaxQuiescenceDepth", PLAY.max_quiescence as i64, [0, 16], |v, n| v.play.max_quiescence = n as u32)
        .then(ClearHash)
        .summary(
            "maximum plies of the quiescence search, which tries only takes and moves that close a mill",
        ),
    check("NeverLose", PLAY.never_lose, |v, on| v.play.never_lose = on).summary(
        "plays Nine Men's Morris at full strength, with one line, from a certificate, so that it never loses",
    ),
    text("CertificateFile", START.certificate_file.as_str(), "the name of a file", |v, text| {
        store(&mut v.certificate_file, text)
    })
    .then(ReadCertificate)
    .summary("file for NeverLose, from millstone proof build; empty for the built-in one"),
    check("Shuffling", PLAY.shuffling, |v, on| v.play.shuffling = on)
        .summary("chooses at random among equally good moves"),
    text("SearchShuffleSeed", "auto", SEED_EXPECTED, set_seed)
        .summary("seed of the random choice; auto uses a new one for each search"),
    check("AiIsLazy", PLAY.lazy, |v, on| v.play.lazy = on)
        .summary("searches less deeply when at least two men ahead"),
    check("DrawOnHumanExperience", PLAY.human_experience, |v, on| v.play.human_experience = on)
        .summary("limits the depth in the placing phase to roughly how far people look ahead"),
    check("DeveloperMode", PLAY.developer, |v, on| v.play.developer = on)
        .summary("limits the depth by phase and number of men instead of by level"),
    text("EvalFile", START.eval_file.as_str(), "the name of a file", |v, text| store(&mut v.eval_file, text))
        .then(ReadNetwork)
        .summary(
            "network file, from millstone tune, for the rules it was fitted to; empty for the built-in ones",
        ),
    check("ConsiderMobility", PLAY.style.mobility, |v, on| v.play.style.mobility = on)
        .summary("the evaluation counts mobility, the slides that each side can make"),
    check("FocusOnBlockingPaths", PLAY.style.blocking, |v, on| v.play.style.blocking = on)
        .summary("the evaluation counts blocked men instead of all men"),
    spin("Contempt", PLAY.contempt as i64, [-100, 100], |v, n| v.play.contempt = n as i32).summary(
        "cost of a draw in hundredths of a man; negative values make a draw desirable; no effect in analysis",
    ),
    check("ResignIfMostLose", PLAY.resign_advice, |v, on| v.play.resign_advice = on)
        .summary("reports when the engine would resign; it plays on"),
    check("LearnEndgame", START.learn, |v, on| v.learn = on).then(OpenExperience).summary(
        "remembers results of deep searches and uses them later; ExperienceFile keeps them in a file",
    ),
    text("ExperienceFile", START.experience_file.as_str(), "the name of a file", |v, text| {
        store(&mut v.experience_file, text)
    })
    .then(OpenExperience)
    .summary("file for LearnEndgame; read when set, written when a game or session ends"),
    check("UCI_AnalyseMode", PLAY.analysis, |v, on| v.play.analysis = on).summary(
        "analysis: full strength, no Contempt or style options, full time even with only one legal move",
    ),
    check("UCI_ShowWDL", START.show_wdl, |v, on| v.show_wdl = on)
        .summary("adds the chances of win, draw and loss to each score, per mille"),
    text("UCI_EngineAbout", ABOUT, "any text", |_, _| Some(()))
        .summary("name, purpose and licence of the program; a value that is sent has no effect"),
    text("Debug Log File", START.log_file.as_str(), "the name of a file", |v, text| {
        store(&mut v.log_file, text)
    })
    .then(OpenLog)
    .summary("log of all input and output; must be a new file, an empty one or an earlier log"),
    combo("Protocol", START.protocol, || owned(&PROTOCOLS), set_protocol)
        .then(SwitchProtocol)
        .shown(Shown::Uci)
        .summary("dialect: form of the output and scale of the scores"),
    check("StrictFailurePolicy", START.strict, |v, on| v.strict = on)
        .summary("strict mode: reports errors of position and go as JSON objects and repairs nothing"),
    combo("StrictRefereeProfile", START.profile.name(), profiles, set_profile).summary(
        "positions that count for repetition: with sanmill-live-v1 those after a slide, flight or leap \
         without a take; with mif-stable-moving-v1 all in the moving phase in which no take is due",
    ),
    check("TwelveMensMorris", START.twelve_men, set_twelve_men).then(SetRules).shown(Shown::Gbgp).summary(
        "on: Twelve Men's Morris; off: Nine Men's Morris if the rules are Twelve Men's Morris or the \
         option was on",
    ),
    text("TablebasePath", START.tablebase_path.as_str(), "folders", |v, text| {
        store(&mut v.tablebase_path, text)
    })
    .then(OpenTablebase)
    .summary("folders with tablebase files, separated as in the PATH variable; empty for none"),
    check("TablebaseEmbedded", START.tablebase_embedded, |v, on| v.tablebase_embedded = on)
        .then(OpenTablebase)
        .summary("uses the built-in tablebase"),
    spin("TablebaseCache", START.tablebase_cache as i64, [1, 65_536], |v, n| v.tablebase_cache = n as usize)
        .then(OpenTablebase)
        .summary("MiB of cache for decoded tablebase blocks; at most half of the available memory is used"),
    spin("TablebaseProbeDepth", PLAY.tablebase_depth as i64, [0, 64], set_tablebase_depth)
        .summary("minimum remaining depth at which the search reads a tablebase block that is not in memory"),
    check("TablebasePlacing", PLAY.tablebase_placing, |v, on| v.play.tablebase_placing = on)
        .summary("probes the tablebase in the placing phase too"),
    check("TrapAwareness", START.trap_awareness, |v, on| v.trap_awareness = on)
        .summary("analyze lists moves that close or block a mill although another move has a better result"),
    check("UsePerfectDatabase", START.malom, |v, on| v.malom = on)
        .then(OpenTablebase)
        .summary("uses the Malom database in PerfectDatabasePath"),
    text("PerfectDatabasePath", START.malom_path.as_str(), "a folder", |v, text| {
        store(&mut v.malom_path, text)
    })
    .then(OpenTablebase)
    .summary("folder with the files of the Malom database"),
    combo("UCI_Variant", "nine", || Rules::names().collect(), set_variant)
        .then(SetRules)
        .summary("sets all rule options to those of a rule set; single rule options may follow"),
    check("UseLazySmp", false, |_, _| {}).ignored(),
    spin("PerfectDatabaseCacheSectors", 0, [0, 1 << 20], |_, _| {}).ignored(),
    combo("PerfectDatabaseOrdering", "auto", orderings, |_, text| listed(orderings, text)).ignored(),
    text("PatchPath", "", "any text", |_, _| Some(())).ignored(),
    text("TrapPath", "", "any text", |_, _| Some(())).ignored(),
    check("PatchAvoidTraps", false, |_, _| {}).ignored(),
    check("PatchMakeTraps", false, |_, _| {}).ignored(),
    text("PatchTraceTag", "", "any text", |_, _| Some(())).ignored(),
    combo("Analysis Contempt", "Both", contempt_sides, |_, text| listed(contempt_sides, text)).ignored(),
    check("OwnBook", false, |_, _| {}).ignored(),
    text("BookFile", "", "any text", |_, _| Some(())).ignored(),
];

/// The accepted values of `SearchShuffleSeed`.
const SEED_EXPECTED: &str = "auto, a decimal number or 0x and a hexadecimal number below 2^64";

fn set_seed(values: &mut OptionValues, text: &str) -> Option<()> {
    values.play.seed = if text.eq_ignore_ascii_case("auto") {
        None
    } else {
        let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let (digits, radix) = hexadecimal.map_or((text, 10), |digits| (digits, 16));
        // The library reads a sign too.
        let is_digits = digits.chars().all(|digit| digit.is_digit(radix));
        Some(u64::from_str_radix(digits, radix).ok().filter(|_| is_digits)?)
    };
    Some(())
}

fn set_move_time(values: &mut OptionValues, ms: i64) {
    values.move_time = Duration::from_millis(ms as u64);
}

fn set_move_overhead(values: &mut OptionValues, ms: i64) {
    values.play.move_overhead = Duration::from_millis(ms as u64);
}

fn set_tablebase_depth(values: &mut OptionValues, depth: i64) {
    values.play.tablebase_depth = depth as Depth;
}

fn set_algorithm(values: &mut OptionValues, number: i64) {
    values.play.algorithm = Algorithm::ALL[number as usize];
}

fn set_protocol(values: &mut OptionValues, text: &str) -> Option<()> {
    values.protocol = PROTOCOLS.iter().find(|p| p.eq_ignore_ascii_case(text))?;
    Some(())
}

fn set_profile(values: &mut OptionValues, text: &str) -> Option<()> {
    values.profile = RepetitionProfile::ALL.into_iter().find(|p| p.name().eq_ignore_ascii_case(text))?;
    Some(())
}

fn set_variant(values: &mut OptionValues, text: &str) -> Option<()> {
    values.rules = Rules::by_name(text)?;
    values.twelve_men = false;
    Some(())
}

/// Sets the rules of the GBGP dialect. Off leaves all rules but those of Twelve Men's Morris as they are.
fn set_twelve_men(values: &mut OptionValues, on: bool) {
    if on {
        values.rules = Rules::TWELVE;
    } else if values.twelve_men || values.rules == Rules::TWELVE {
        values.rules = Rules::NINE;
    }
    values.twelve_men = on;
}

fn store(field: &mut String, text: &str) -> Option<()> {
    text.clone_into(field);
    Some(())
}

fn listed(choices: fn() -> Vec<String>, text: &str) -> Option<()> {
    choices().iter().any(|c| c.eq_ignore_ascii_case(text)).then_some(())
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&w| w.to_owned()).collect()
}

fn profiles() -> Vec<String> {
    owned(&RepetitionProfile::ALL.map(RepetitionProfile::name))
}

fn orderings() -> Vec<String> {
    owned(&["auto", "legacy", "strict"])
}

fn contempt_sides() -> Vec<String> {
    owned(&["Off", "White", "Black", "Both"])
}
