//! The table of the options: names, meanings, ranges, and where each value is recorded.

use super::{ABOUT, After, Kind, Opt, PROTOCOLS, Shown, Values};

use crate::rules::Rules;
use crate::search::levels::ELO;
use crate::search::limits::{Algorithm, MAX_QUIESCENCE, MAX_SKILL, TABLE_DEPTH};
use crate::types::Depth;
use std::time::Duration;

/// The range of the option `UCI_Elo`.
const MIN_ELO: i64 = ELO[0] as i64;
pub(super) const MAX_ELO: i64 = ELO[MAX_SKILL as usize] as i64;

/// An option that every dialect announces.
pub(super) const fn opt(name: &'static str, summary: &'static str, kind: Kind) -> Opt {
    Opt { name, summary, kind, shown: Shown::Everywhere }
}

/// A name of another engine whose value is checked and then dropped.
const fn inert(name: &'static str, kind: Kind) -> Opt {
    Opt { name, summary: "accepted without effect", kind, shown: Shown::Never }
}

const IDLE_CHECK: Kind = Kind::Check { default: false, set: |_, _| After::Nothing };
const IDLE_TEXT: Kind = Kind::Text { default: "", expected: "any text", set: |_, _| Some(After::Nothing) };

const fn idle_spin(default: i64, min: i64, max: i64) -> Kind {
    Kind::Spin { default, min, max, set: |_, _| After::Nothing }
}

fn listed(choices: fn() -> Vec<String>, text: &str) -> Option<After> {
    choices().iter().any(|c| c.eq_ignore_ascii_case(text)).then_some(After::Nothing)
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&w| w.to_owned()).collect()
}

fn referee_profiles() -> Vec<String> {
    owned(&["sanmill-live-v1", "mif-stable-moving-v1"])
}

fn orderings() -> Vec<String> {
    owned(&["auto", "legacy", "strict"])
}

fn contempt_sides() -> Vec<String> {
    owned(&["Off", "White", "Black", "Both"])
}

fn set_rules(values: &mut Values, rules: Rules) -> After {
    if values.rules == rules {
        return After::Nothing;
    }
    values.rules = rules;
    After::NewRules
}

/// All options but those of the rules, in the order in which they are announced.
pub(super) static OPTIONS: &[Opt] = &[
    opt(
        "Threads",
        "search threads",
        Kind::Spin {
            default: 1,
            min: 1,
            max: 512,
            set: |v, n| {
                v.threads = n as usize;
                After::ResizePool
            },
        },
    ),
    opt(
        "Hash",
        "size of the transposition table in MiB; what cannot be had is refused and the old table stays",
        Kind::Spin {
            default: 16,
            min: 1,
            max: 1 << 20,
            set: |v, n| {
                v.hash = n as usize;
                After::ResizeHash
            },
        },
    ),
    opt("Clear Hash", "empties the transposition table", Kind::Button { press: After::ClearHash }),
    opt(
        "Ponder",
        "the client may let the engine think on the opponent's time",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.ponder = on;
                After::Nothing
            },
        },
    ),
    opt(
        "MultiPV",
        "lines to report, best first",
        Kind::Spin {
            default: 1,
            min: 1,
            max: 500,
            set: |v, n| {
                v.play.multi_pv = n as usize;
                After::Nothing
            },
        },
    ),
    opt(
        "Move Overhead",
        "milliseconds kept back per move when a clock runs",
        Kind::Spin {
            default: 10,
            min: 0,
            max: 5000,
            set: |v, n| {
                v.play.move_overhead = Duration::from_millis(n as u64);
                After::Nothing
            },
        },
    ),
    opt(
        "Slow Mover",
        "share of the clock to use, per cent",
        Kind::Spin {
            default: 100,
            min: 10,
            max: 1000,
            set: |v, n| {
                v.play.slow_mover = n as u32;
                After::Nothing
            },
        },
    ),
    opt(
        "nodestime",
        "nodes per millisecond in place of the clock; 0 for real time",
        Kind::Spin {
            default: 0,
            min: 0,
            max: 10_000,
            set: |v, n| {
                v.play.nodes_time = n as u64;
                After::Nothing
            },
        },
    ),
    opt(
        "MoveTime",
        "seconds for a go without limits, 0 for none; the later of MoveTime and MoveTimeMs counts",
        Kind::Spin {
            default: 1,
            min: 0,
            max: 60,
            set: |v, n| {
                v.move_time = Duration::from_secs(n as u64);
                After::Nothing
            },
        },
    ),
    opt(
        "MoveTimeMs",
        "the same in milliseconds",
        Kind::Spin {
            default: 1000,
            min: 0,
            max: 60_000,
            set: |v, n| {
                v.move_time = Duration::from_millis(n as u64);
                After::Nothing
            },
        },
    ),
    opt(
        "SkillLevel",
        "strength; 30 is full strength",
        Kind::Spin {
            default: MAX_SKILL as i64,
            min: 0,
            max: MAX_SKILL as i64,
            set: |v, n| {
                v.play.skill = n as u32;
                After::Nothing
            },
        },
    ),
    opt(
        "UCI_LimitStrength",
        "plays as strong as UCI_Elo says, whatever SkillLevel is",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.limit_strength = on;
                After::Nothing
            },
        },
    ),
    opt(
        "UCI_Elo",
        "strength as measured, where the built-in player greedy has 1000; rounded up to that of a level",
        Kind::Spin {
            default: MAX_ELO,
            min: MIN_ELO,
            max: MAX_ELO,
            set: |v, n| {
                v.elo = n as i32;
                After::Nothing
            },
        },
    ),
    opt(
        "Algorithm",
        "0 alpha-beta, 1 principal variation search, 2 MTD(f), 3 Monte-Carlo tree search, 4 random moves",
        Kind::Spin {
            default: Algorithm::Mtdf as i64,
            min: 0,
            max: Algorithm::ALL.len() as i64 - 1,
            set: |v, n| {
                v.play.algorithm = Algorithm::ALL[n as usize];
                After::Nothing
            },
        },
    ),
    opt(
        "IDSEnabled",
        "off: a search limited by depth alone goes to that depth at once",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.play.deepening = on;
                After::Nothing
            },
        },
    ),
    opt(
        "DepthExtension",
        "a depth that a level or another option sets is exceeded by up to two where the score falls",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.play.depth_extension = on;
                After::Nothing
            },
        },
    ),
    opt(
        "MaxQuiescenceDepth",
        "plies of removals and closed mills searched beyond the depth",
        Kind::Spin {
            default: MAX_QUIESCENCE as i64,
            min: 0,
            max: 16,
            set: |v, n| {
                v.play.max_quiescence = n as u32;
                After::OutdateHash
            },
        },
    ),
    opt(
        "Shuffling",
        "equal moves come in random order",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.play.shuffling = on;
                After::Nothing
            },
        },
    ),
    opt(
        "SearchShuffleSeed",
        "a number fixes the random order; auto takes a fresh one for each search",
        Kind::Text {
            default: "auto",
            expected: "auto, a decimal number or 0x and a hexadecimal number below 2^64",
            set: |v, text| {
                v.play.seed = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
                    Some(digits) => Some(u64::from_str_radix(digits, 16).ok()?),
                    None if text.eq_ignore_ascii_case("auto") => None,
                    None => Some(text.parse().ok()?),
                };
                Some(After::Nothing)
            },
        },
    ),
    opt(
        "AiIsLazy",
        "searches little when two men ahead",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.lazy = on;
                After::Nothing
            },
        },
    ),
    opt(
        "DrawOnHumanExperience",
        "searches no deeper while placing than people look ahead",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.human_experience = on;
                After::Nothing
            },
        },
    ),
    opt(
        "DeveloperMode",
        "depth by phase and number of men in place of that of the level",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.developer = on;
                After::Nothing
            },
        },
    ),
    opt(
        "ConsiderMobility",
        "the evaluation counts the steps that the sides can make",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.play.style.mobility = on;
                After::Nothing
            },
        },
    ),
    opt(
        "FocusOnBlockingPaths",
        "the evaluation counts blocked men in place of all men",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.style.blocking = on;
                After::Nothing
            },
        },
    ),
    opt(
        "Contempt",
        "how much less than nothing a draw is worth to the engine, in hundredths of a man; not in analysis",
        Kind::Spin {
            default: 0,
            min: -100,
            max: 100,
            set: |v, n| {
                v.play.contempt = n as i32;
                After::Nothing
            },
        },
    ),
    opt(
        "ResignIfMostLose",
        "says when a game could be given up; it is played on",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.resign_advice = on;
                After::Nothing
            },
        },
    ),
    opt(
        "LearnEndgame",
        "learns from deep searches and uses what was learned; ExperienceFile keeps it for later sessions",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.learn = on;
                After::OpenExperience
            },
        },
    ),
    opt(
        "ExperienceFile",
        "file for what LearnEndgame learns, read at once and written when a game or the session ends",
        Kind::Text {
            default: "",
            expected: "the name of a file",
            set: |v, text| {
                text.clone_into(&mut v.experience_file);
                Some(After::OpenExperience)
            },
        },
    ),
    opt(
        "UCI_AnalyseMode",
        "analysis: no weakening, no contempt or style, no early end when only one move is legal",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.play.analysis = on;
                After::Nothing
            },
        },
    ),
    opt(
        "UCI_ShowWDL",
        "adds win, draw and loss per mille to scores",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.show_wdl = on;
                After::Nothing
            },
        },
    ),
    opt(
        "UCI_EngineAbout",
        "what the program is and its licence; cannot be changed",
        Kind::Text { default: ABOUT, expected: "any text", set: |_, _| Some(After::Nothing) },
    ),
    opt(
        "Debug Log File",
        "file to which the talk is appended; empty for none",
        Kind::Text {
            default: "",
            expected: "the name of a file",
            set: |v, text| {
                text.clone_into(&mut v.log_file);
                Some(After::OpenLog)
            },
        },
    ),
    Opt {
        shown: Shown::Uci,
        ..opt(
            "Protocol",
            "form of the output and scale of the scores",
            Kind::Combo {
                default: PROTOCOLS[0],
                choices: || owned(&PROTOCOLS),
                set: |v, text| {
                    v.protocol = PROTOCOLS.iter().find(|p| p.eq_ignore_ascii_case(text))?;
                    Some(After::SwitchProtocol)
                },
            },
        )
    },
    opt(
        "StrictFailurePolicy",
        "faults of position and go are reported as in the tgf dialect",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.strict = on;
                After::Nothing
            },
        },
    ),
    Opt {
        shown: Shown::Gbgp,
        ..opt(
            "TwelveMensMorris",
            "twelve men's morris when on, nine men's morris when off",
            Kind::Check {
                default: false,
                set: |v, on| {
                    let is_on = v.rules == Rules::TWELVE;
                    match (on, is_on) {
                        (true, false) => set_rules(v, Rules::TWELVE),
                        (false, true) => set_rules(v, Rules::NINE),
                        _ => After::Nothing,
                    }
                },
            },
        )
    },
    opt(
        "TablebasePath",
        "folders with tables of perfect play, separated as in PATH; empty for none",
        Kind::Text {
            default: "",
            expected: "folders",
            set: |v, text| {
                text.clone_into(&mut v.table_path);
                Some(After::OpenTables)
            },
        },
    ),
    opt(
        "TablebaseEmbedded",
        "use the tables built into the program",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.table_embedded = on;
                After::OpenTables
            },
        },
    ),
    opt(
        "TablebaseCache",
        "memory for decoded blocks of tables, in MiB",
        Kind::Spin {
            default: 64,
            min: 1,
            max: 65_536,
            set: |v, n| {
                v.table_cache = n as usize;
                After::OpenTables
            },
        },
    ),
    opt(
        "TablebaseProbeDepth",
        "least remaining depth at which the search waits for a table block that is not in memory",
        Kind::Spin {
            default: TABLE_DEPTH as i64,
            min: 0,
            max: 64,
            set: |v, n| {
                v.play.table_depth = n as Depth;
                After::Nothing
            },
        },
    ),
    opt(
        "TablebasePlacing",
        "ask tables of the placing phase too",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.play.table_placing = on;
                After::Nothing
            },
        },
    ),
    opt(
        "TrapAwareness",
        "analyze names the moves that close or block a mill and give a better result away",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.trap_awareness = on;
                After::Nothing
            },
        },
    ),
    opt(
        "UsePerfectDatabase",
        "use files of the Malom database",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.malom = on;
                After::OpenTables
            },
        },
    ),
    opt(
        "PerfectDatabasePath",
        "the folder of these files",
        Kind::Text {
            default: "",
            expected: "a folder",
            set: |v, text| {
                text.clone_into(&mut v.malom_path);
                Some(After::OpenTables)
            },
        },
    ),
    opt(
        "UCI_Variant",
        "sets all rule options to those of a rule set; single rule options may follow",
        Kind::Combo {
            default: "nine",
            choices: || Rules::names().collect(),
            set: |v, text| Rules::by_name(text).map(|rules| set_rules(v, rules)),
        },
    ),
    inert("UseLazySmp", IDLE_CHECK),
    inert("PerfectDatabaseCacheSectors", idle_spin(0, 0, 1 << 20)),
    inert(
        "PerfectDatabaseOrdering",
        Kind::Combo { default: "auto", choices: orderings, set: |_, text| listed(orderings, text) },
    ),
    inert("PatchPath", IDLE_TEXT),
    inert("TrapPath", IDLE_TEXT),
    inert("PatchAvoidTraps", IDLE_CHECK),
    inert("PatchMakeTraps", IDLE_CHECK),
    inert("PatchTraceTag", IDLE_TEXT),
    inert(
        "StrictRefereeProfile",
        Kind::Combo {
            default: "sanmill-live-v1",
            choices: referee_profiles,
            set: |_, text| listed(referee_profiles, text),
        },
    ),
    inert(
        "Analysis Contempt",
        Kind::Combo { default: "Both", choices: contempt_sides, set: |_, text| listed(contempt_sides, text) },
    ),
    inert("OwnBook", IDLE_CHECK),
    inert("BookFile", IDLE_TEXT),
    inert("EvalFile", IDLE_TEXT),
];
