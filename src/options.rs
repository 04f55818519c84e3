//! The options a client can set, as one table: `uci`, `setoption`, `help`, the README list and the tests walk it.
//!
//! Setting an option only records its value in [`Values`]; the returned [`After`] says what has to be redone
//! before the next position or search.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::levels::ELO;
use crate::limits::{Algorithm, MAX_SKILL, TABLE_DEPTH};
use crate::params::search::MAX_QUIESCENCE;
use crate::rules::{RULE_OPTIONS, RuleKind, RuleOption, Rules, parse_bool};
use crate::style::Style;
use crate::types::Depth;
use std::fmt;
use std::time::Duration;

/// The value of every option that acts.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// Threads that search.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Whether the client may ponder.
    pub ponder: bool,
    /// Lines to report.
    pub multi_pv: usize,
    /// Time kept back per move, for clocks.
    pub move_overhead: Duration,
    /// Share of the clock to use, per cent.
    pub slow_mover: u32,
    /// Nodes per millisecond in place of the clock; 0 for real time.
    pub nodes_time: u64,
    /// Time for a `go` without limits; zero for none.
    pub move_time: Duration,
    /// Strength, 0 to [`MAX_SKILL`].
    pub skill: u32,
    /// Whether [`Values::elo`] takes the place of the level.
    pub limit_strength: bool,
    /// Strength to play with, on the scale of [`ELO`].
    pub elo: i32,
    /// Which search.
    pub algorithm: Algorithm,
    /// Whether a search limited by depth goes through all depths below it.
    pub deepening: bool,
    /// Whether a depth that options set is exceeded where the score falls.
    pub depth_extension: bool,
    /// Plies of removals and mills searched beyond the depth.
    pub max_quiescence: u32,
    /// Search little when two men ahead.
    pub lazy: bool,
    /// Search no deeper in the placing phase than people do.
    pub human_experience: bool,
    /// Depth by phase and men rather than by the level.
    pub developer: bool,
    /// What the evaluation looks at.
    pub style: Style,
    /// How much less than nothing a draw is worth, in hundredths of a man.
    pub contempt: i32,
    /// Whether to say that a game is lost.
    pub resign_advice: bool,
    /// Whether equal moves come in random order.
    pub shuffling: bool,
    /// What fixes that order; `None` for a fresh one each time.
    pub seed: Option<u64>,
    /// Whether results of searches are kept and used.
    pub learn: bool,
    /// The file for them; empty for none.
    pub experience_file: String,
    /// Analysis: no weakening and no early end.
    pub analysis: bool,
    /// Whether scores come with win, draw and loss rates.
    pub show_wdl: bool,
    /// File to which the talk is copied; empty for none.
    pub log_file: String,
    /// Form of the output, a name of [`PROTOCOLS`].
    pub protocol: &'static str,
    /// Whether faults are reported in the strict form of the tgf dialect.
    pub strict: bool,
    /// Folders with tables of perfect play, separated as in the system's `PATH`.
    pub table_path: String,
    /// Whether the tables built into the program are used.
    pub table_embedded: bool,
    /// Memory for decoded blocks of tables, in MiB.
    pub table_cache: usize,
    /// Least remaining depth at which the search waits for a table block.
    pub table_depth: Depth,
    /// Whether tables are asked while placing.
    pub table_placing: bool,
    /// Whether `analyze` names the moves to beware of.
    pub trap_awareness: bool,
    /// Whether files of the Malom database are used.
    pub malom: bool,
    /// Their folder.
    pub malom_path: String,
    /// The rules.
    pub rules: Rules,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            threads: 1,
            hash: 16,
            ponder: false,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            slow_mover: 100,
            nodes_time: 0,
            move_time: Duration::from_millis(1000),
            skill: MAX_SKILL,
            limit_strength: false,
            elo: MAX_ELO as i32,
            algorithm: Algorithm::default(),
            deepening: true,
            depth_extension: true,
            max_quiescence: MAX_QUIESCENCE,
            lazy: false,
            human_experience: false,
            developer: false,
            style: Style::default(),
            contempt: 0,
            resign_advice: false,
            shuffling: true,
            seed: None,
            learn: false,
            experience_file: String::new(),
            analysis: false,
            show_wdl: false,
            log_file: String::new(),
            protocol: PROTOCOLS[0],
            strict: false,
            table_path: String::new(),
            table_embedded: true,
            table_cache: 64,
            table_depth: TABLE_DEPTH,
            table_placing: true,
            trap_awareness: false,
            malom: false,
            malom_path: String::new(),
            rules: Rules::NINE,
        }
    }
}

/// The forms of output that the option `Protocol` chooses from.
pub const PROTOCOLS: [&str; 3] = ["standard", "sanmill7", "tgf"];

/// The range of the option `UCI_Elo`.
const MIN_ELO: i64 = ELO[0] as i64;
const MAX_ELO: i64 = ELO[MAX_SKILL as usize] as i64;

/// What the program says about itself.
pub const ABOUT: &str = concat!(
    "Millstone ",
    env!("CARGO_PKG_VERSION"),
    ", an engine for Mill (Nine Men's Morris) and its family. Free software under the MIT licence or the Apache licence 2.0."
);

/// What has to be redone after a value was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// Nothing: the next search reads the value.
    Nothing,
    /// The transposition table gets its new size.
    ResizeHash,
    /// The transposition table is emptied.
    ClearHash,
    /// Threads are started or ended.
    ResizePool,
    /// The initial position of the new rules is set up.
    NewRules,
    /// The tables of perfect play are opened anew.
    OpenTables,
    /// The file of experience is opened or closed.
    OpenExperience,
    /// The log is opened or closed.
    OpenLog,
    /// The dialect changes.
    SwitchProtocol,
}

/// The type, the range and the effect of an option.
#[derive(Clone, Copy)]
pub enum Kind {
    /// True or false.
    Check {
        /// Value at start.
        default: bool,
        /// Records a value.
        set: fn(&mut Values, bool) -> After,
    },
    /// A whole number.
    Spin {
        /// Value at start.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Records a value.
        set: fn(&mut Values, i64) -> After,
    },
    /// One of several words.
    Combo {
        /// Value at start.
        default: &'static str,
        /// The words.
        choices: fn() -> Vec<String>,
        /// Records a value; `None` if it is not one of them.
        set: fn(&mut Values, &str) -> Option<After>,
    },
    /// No value.
    Button {
        /// What pressing it does.
        press: After,
    },
    /// Free text.
    Text {
        /// Value at start.
        default: &'static str,
        /// What text is accepted, for people.
        expected: &'static str,
        /// Records a value; `None` if it is not accepted.
        set: fn(&mut Values, &str) -> Option<After>,
    },
    /// A rule.
    Rule(&'static RuleOption),
}

/// Where an option is announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// In every dialect.
    Everywhere,
    /// In the dialects that begin with `uci`, among which it chooses.
    Uci,
    /// In the GBGP dialect only.
    Gbgp,
    /// Nowhere: a name of other engines that is accepted and does nothing.
    Never,
}

/// An option.
#[derive(Clone, Copy)]
pub struct Opt {
    /// The name, compared without regard to letter case and blanks.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Type, range and effect.
    pub kind: Kind,
    /// Where it is announced.
    pub shown: Shown,
}

const fn opt(name: &'static str, summary: &'static str, kind: Kind) -> Opt {
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
static OPTIONS: &[Opt] = &[
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
                v.ponder = on;
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
                v.multi_pv = n as usize;
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
                v.move_overhead = Duration::from_millis(n as u64);
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
                v.slow_mover = n as u32;
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
                v.nodes_time = n as u64;
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
                v.skill = n as u32;
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
                v.algorithm = Algorithm::ALL[n as usize];
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
                v.deepening = on;
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
                v.depth_extension = on;
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
                v.max_quiescence = n as u32;
                After::ClearHash
            },
        },
    ),
    opt(
        "Shuffling",
        "equal moves come in random order",
        Kind::Check {
            default: true,
            set: |v, on| {
                v.shuffling = on;
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
                v.seed = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
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
                v.lazy = on;
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
                v.human_experience = on;
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
                v.developer = on;
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
                v.style.mobility = on;
                After::ClearHash
            },
        },
    ),
    opt(
        "FocusOnBlockingPaths",
        "the evaluation counts blocked men in place of all men",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.style.blocking = on;
                After::ClearHash
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
                v.contempt = n as i32;
                After::ClearHash
            },
        },
    ),
    opt(
        "ResignIfMostLose",
        "says when a game could be given up; it is played on",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.resign_advice = on;
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
        "analysis: no weakening, no early end when only one move is legal",
        Kind::Check {
            default: false,
            set: |v, on| {
                v.analysis = on;
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
                v.table_depth = n as Depth;
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
                v.table_placing = on;
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

/// Every option: those of the table, then one for each rule.
pub fn all() -> impl Iterator<Item = Opt> {
    let rules = RULE_OPTIONS.iter().map(|rule| opt(rule.name, rule.summary, Kind::Rule(rule)));
    OPTIONS.iter().copied().chain(rules)
}

/// The option with this name, letter case and blanks ignored.
pub fn find(name: &str) -> Option<Opt> {
    let squeeze = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = match squeeze(name).as_str() {
        "rulevariant" => "uci_variant".to_owned(),
        "piececount" => "piecescount".to_owned(),
        other => other.to_owned(),
    };
    all().find(|option| squeeze(option.name) == wanted)
}

impl Opt {
    /// The value at start as the protocol writes it; empty for a button.
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Check { default, .. } => default.to_string(),
            Kind::Spin { default, .. } => default.to_string(),
            Kind::Combo { default, .. } | Kind::Text { default, .. } => default.to_owned(),
            Kind::Button { .. } => String::new(),
            Kind::Rule(rule) => Rules::NINE.value_text(rule),
        }
    }

    /// The type as the protocol writes it.
    pub fn type_text(&self) -> &'static str {
        match self.kind {
            Kind::Check { .. } | Kind::Rule(RuleOption { kind: RuleKind::Check, .. }) => "check",
            Kind::Spin { .. } | Kind::Rule(RuleOption { kind: RuleKind::Spin { .. }, .. }) => "spin",
            Kind::Combo { .. } => "combo",
            Kind::Button { .. } => "button",
            Kind::Text { .. } => "string",
        }
    }

    /// Smallest and largest value of a number.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self.kind {
            Kind::Spin { min, max, .. } => Some((min, max)),
            Kind::Rule(RuleOption { kind: RuleKind::Spin { min, max }, .. }) => {
                Some((i64::from(*min), i64::from(*max)))
            }
            _ => None,
        }
    }

    /// The line that announces the option.
    pub fn announcement(&self) -> String {
        let mut line = format!("option name {} type {}", self.name, self.type_text());
        match self.kind {
            Kind::Button { .. } => {}
            Kind::Text { default: "", .. } => line.push_str(" default <empty>"),
            _ => line.push_str(&format!(" default {}", self.default_text())),
        }
        if let Some((min, max)) = self.range() {
            line.push_str(&format!(" min {min} max {max}"));
        }
        if let Kind::Combo { choices, .. } = self.kind {
            for choice in choices() {
                line.push_str(&format!(" var {choice}"));
            }
        }
        line
    }

    /// What values are accepted, for people.
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Combo { choices, .. } => format!("one of {}", choices().join(", ")),
            Kind::Button { .. } => "no value".to_owned(),
            Kind::Text { expected, .. } => expected.to_owned(),
            _ => match self.range() {
                Some((min, max)) => format!("a number from {min} to {max}"),
                None => "true or false".to_owned(),
            },
        }
    }

    /// Checks a value without recording it.
    ///
    /// # Errors
    /// When the value is missing, unreadable or out of range.
    pub fn read(self, value: Option<&str>) -> Result<Assignment, OptionError> {
        let trimmed = value.map(str::trim);
        let read = match (self.kind, trimmed) {
            (Kind::Button { .. }, _) => return Ok(Assignment { option: self, value: Value::Press }),
            (Kind::Text { .. }, Some("<empty>")) => Some(Value::Word(String::new())),
            (Kind::Text { .. }, Some(text)) => Some(Value::Word(text.to_owned())),
            (_, None | Some("")) => return Err(OptionError::NoValue(self)),
            (Kind::Check { .. }, Some(text)) => parse_bool(text).map(Value::Flag),
            (Kind::Spin { min, max, .. }, Some(text)) => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(Value::Number)
            }
            (Kind::Combo { .. }, Some(text)) => Some(Value::Word(text.to_owned())),
            (Kind::Rule(rule), Some(text)) => {
                let is_good = Rules::NINE.clone().set_option(rule.name, text).is_ok();
                is_good.then(|| Value::Word(text.to_owned()))
            }
        };
        let bad = || OptionError::BadValue(self, trimmed.unwrap_or_default().to_owned());
        let assignment = Assignment { option: self, value: read.ok_or_else(bad)? };
        // Words are judged by the setter itself, tried on values nobody uses.
        assignment.apply(&mut Values::default()).map(|_| assignment)
    }
}

impl fmt::Debug for Opt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[derive(Clone, Debug)]
enum Value {
    Flag(bool),
    Number(i64),
    Word(String),
    Press,
}

/// An option with a value that it accepts.
#[derive(Clone, Debug)]
pub struct Assignment {
    option: Opt,
    value: Value,
}

impl Assignment {
    /// Reads what follows the word `setoption`: `name <id> [value <x>]`.
    ///
    /// # Errors
    /// When the form is wrong, there is no such option, or it does not accept the value.
    pub fn read(text: &str) -> Result<Self, OptionError> {
        let text = text.trim();
        let rest = match text.split_once(char::is_whitespace) {
            Some((word, rest)) if word.eq_ignore_ascii_case("name") => rest.trim(),
            _ => return Err(OptionError::NoName(text.to_owned())),
        };
        // The value keeps the blanks inside it, so the word before it is looked for in the text itself.
        let mut at = 0;
        let mut value = None;
        for word in rest.split(char::is_whitespace) {
            if word.eq_ignore_ascii_case("value") {
                value = Some(at);
                break;
            }
            at += word.len() + rest[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        }
        let (name, value) = match value {
            Some(at) => (&rest[..at], Some(&rest[at + "value".len()..])),
            None => (rest, None),
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(OptionError::NoName(text.to_owned()));
        }
        let option = find(name).ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        option.read(value)
    }

    /// The option.
    pub fn option(&self) -> Opt {
        self.option
    }

    /// Records the value.
    ///
    /// # Errors
    /// When a text or word is not one that the option accepts; [`Opt::read`] has ruled that out.
    pub fn apply(&self, values: &mut Values) -> Result<After, OptionError> {
        let bad = || OptionError::BadValue(self.option, format!("{:?}", self.value));
        match (self.option.kind, &self.value) {
            (Kind::Check { set, .. }, Value::Flag(on)) => Ok(set(values, *on)),
            (Kind::Spin { set, .. }, Value::Number(n)) => Ok(set(values, *n)),
            (Kind::Combo { set, .. } | Kind::Text { set, .. }, Value::Word(text)) => {
                set(values, text).ok_or_else(|| OptionError::BadValue(self.option, text.clone()))
            }
            (Kind::Button { press }, Value::Press) => Ok(press),
            (Kind::Rule(rule), Value::Word(text)) => match values.rules.set_option(rule.name, text) {
                Ok(true) => Ok(After::NewRules),
                Ok(false) => Ok(After::Nothing),
                Err(_) => Err(OptionError::BadValue(self.option, text.clone())),
            },
            _ => Err(bad()),
        }
    }
}

/// Why an option was not set.
#[derive(Clone, Debug)]
pub enum OptionError {
    /// `setoption` was not followed by `name` and a name.
    NoName(String),
    /// There is no option of this name.
    Unknown(String),
    /// The option needs a value.
    NoValue(Opt),
    /// The value is unreadable or out of range.
    BadValue(Opt, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName(text) => {
                write!(f, "setoption: found '{}', expected name <option> [value <value>]", shorten(text))
            }
            Self::Unknown(name) => write!(f, "no such option: {}", shorten(name)),
            Self::NoValue(option) => {
                write!(f, "option {}: found no value, expected {}", option.name, option.expected())
            }
            Self::BadValue(option, value) => {
                write!(
                    f,
                    "option {}: found '{}', expected {}",
                    option.name,
                    shorten(value),
                    option.expected()
                )
            }
        }
    }
}

impl std::error::Error for OptionError {}

/// The first characters of a text that may be of any length.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_accepted_and_is_the_value_at_start() {
        let mut values = Values::default();
        for option in all() {
            let assignment = option.read(Some(&option.default_text())).unwrap();
            assignment.apply(&mut values).unwrap();
        }
        assert_eq!(values, Values::default());
    }

    #[test]
    fn every_neighbour_of_a_range_is_refused() {
        for option in all() {
            if let Some((min, max)) = option.range() {
                for bad in [min - 1, max + 1, i64::MIN, i64::MAX] {
                    assert!(option.read(Some(&bad.to_string())).is_err(), "{} {bad}", option.name);
                }
                for good in [min, max] {
                    assert!(option.read(Some(&good.to_string())).is_ok(), "{} {good}", option.name);
                }
            }
            if option.type_text() == "check" {
                assert!(option.read(Some("OFF")).is_ok() && option.read(Some("perhaps")).is_err());
            }
            if let Kind::Combo { choices, .. } = option.kind {
                for choice in choices() {
                    assert!(option.read(Some(&choice)).is_ok(), "{} {choice}", option.name);
                }
                assert!(option.read(Some("no such choice")).is_err());
            }
            let needs = !matches!(option.kind, Kind::Button { .. });
            assert_eq!(option.read(None).is_err(), needs, "{}", option.name);
        }
    }

    #[test]
    fn names_are_found_in_any_case_with_and_without_blanks() {
        for option in all() {
            assert_eq!(find(&option.name.to_uppercase()).map(|o| o.name), Some(option.name));
            let spread: String = option.name.chars().flat_map(|c| [c, ' ']).collect();
            assert_eq!(find(&spread).map(|o| o.name), Some(option.name));
        }
        assert_eq!(find("piece count").map(|o| o.name), Some("PiecesCount"));
        assert!(find("").is_none() && find("Hash2").is_none());
    }

    #[test]
    fn names_and_values_may_contain_blanks() {
        let mut values = Values::default();
        let set = |text: &str, values: &mut Values| Assignment::read(text)?.apply(values);
        set("name  Debug  Log File value  /tmp/a  b.log ", &mut values).unwrap();
        assert_eq!(values.log_file, "/tmp/a  b.log");
        set("name debug log file value <empty>", &mut values).unwrap();
        assert_eq!(values.log_file, "");
        set("name Debug Log File value", &mut values).unwrap();
        assert_eq!(set("NAME may fly VALUE no", &mut values).unwrap(), After::NewRules);
        assert_eq!(set("name MayFly value false", &mut values).unwrap(), After::Nothing);
        assert_eq!(set("name UCI_Variant value Twelve Men's Morris", &mut values).unwrap(), After::NewRules);
        assert_eq!(values.rules, Rules::TWELVE);
        assert_eq!(set("name SearchShuffleSeed value 0xff", &mut values).unwrap(), After::Nothing);
        assert_eq!(values.seed, Some(255));
        for bad in [
            "",
            "name",
            "name value 3",
            "Hash value 3",
            "name Hash",
            "name Hash value",
            "name Hash value 1.5",
            "name Hash value 99999999999999999999",
            "name SearchShuffleSeed value soon",
            "name Foo value 1",
        ] {
            let before = values.clone();
            assert!(set(bad, &mut values).is_err(), "{bad}");
            assert_eq!(values, before);
        }
    }

    #[test]
    fn the_later_of_the_two_move_times_counts() {
        let mut values = Values::default();
        for (text, ms) in [("name MoveTime value 1", 1000), ("name MoveTimeMs value 50", 50)] {
            Assignment::read(text).unwrap().apply(&mut values).unwrap();
            assert_eq!(values.move_time, Duration::from_millis(ms));
        }
    }
}
