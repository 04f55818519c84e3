//! Rule sets: what a rule book says ([`Rules`]) and the tables that the game and the search read ([`Tables`]).
//!
//! A rule set is plain data with one field for each rule option of the protocol. [`Tables::new`] turns every
//! switch into a mask or a number, so that the hot paths have no branch for a rule that is off.

use crate::bitboard::{self, Bitboard, LINES, LineKind};
use crate::types::{Color, ROWS, Square};
use std::fmt;

/// The switches of one capture rule (custodian, intervention or leap).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct CaptureRule {
    /// Whether the rule exists at all.
    pub enabled: bool,
    /// Works on side lines.
    pub on_square_edges: bool,
    /// Works on cross lines.
    pub on_cross_lines: bool,
    /// Works on diagonal lines, where the board has them.
    pub on_diagonal_lines: bool,
    /// Works while placing.
    pub in_placing_phase: bool,
    /// Works while moving.
    pub in_moving_phase: bool,
    /// Needs three or fewer own men on the board.
    pub only_when_own_pieces_leq3: bool,
}

impl CaptureRule {
    /// The rule switched off, the other switches at their defaults.
    pub const OFF: Self = Self {
        enabled: false,
        on_square_edges: true,
        on_cross_lines: true,
        on_diagonal_lines: true,
        in_placing_phase: true,
        in_moving_phase: true,
        only_when_own_pieces_leq3: false,
    };

    /// Whether the rule works on lines of this family.
    pub const fn works_on(&self, kind: LineKind) -> bool {
        match kind {
            LineKind::Side => self.on_square_edges,
            LineKind::Cross => self.on_cross_lines,
            LineKind::Diagonal => self.on_diagonal_lines,
        }
    }
}

/// A rule set as a rule book states it: one field for each rule option, in the protocol's order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Rules {
    /// Men of each side at the start, 9 to 12.
    pub pieces_count: u8,
    /// Flying is allowed with at most this many men on the board, 3 or 4.
    pub fly_piece_count: u8,
    /// A side with fewer men on board and in hand together has lost, 3 to 5.
    pub pieces_at_least_count: u8,
    /// Adds the four diagonals through the corners.
    pub has_diagonal_lines: bool,
    /// What closing a mill by placing does, 0 to 5.
    pub mill_formation_action_in_placing_phase: u8,
    /// A side with men in hand may slide instead of placing.
    pub may_move_in_placing_phase: bool,
    /// Black opens the moving phase.
    pub is_defender_move_first: bool,
    /// Closing several lines at once earns as many removals.
    pub may_remove_multiple: bool,
    /// Mills protect nobody.
    pub may_remove_from_mills_always: bool,
    /// Forbids shuttling one man between two mills.
    pub restrict_repeated_mills_formation: bool,
    /// Each mill earns something only once for each side.
    pub one_time_use_mill: bool,
    /// What happens when the board is full as the moving phase begins, 0 to 4.
    pub board_full_action: u8,
    /// With twelve men, placing ends when at most two points are empty.
    pub stop_placing_when_two_empty_squares: bool,
    /// What happens to a side that cannot move, 0 to 5.
    pub stalemate_action: u8,
    /// Allows flying.
    pub may_fly: bool,
    /// Draw after this many quiet moves, 10 to 200.
    pub n_move_rule: u16,
    /// The same once a side has exactly three men; counts only if smaller. 5 to 200.
    pub endgame_n_move_rule: u16,
    /// Draw at the third occurrence of a position.
    pub threefold_repetition_rule: bool,
    /// Capture by enclosing.
    pub custodian: CaptureRule,
    /// Capture by stepping between two men.
    pub intervention: CaptureRule,
    /// Capture by jumping.
    pub leap: CaptureRule,
}

impl Rules {
    /// Nine men's morris, the defaults of all options.
    pub const NINE: Self = Self {
        pieces_count: 9,
        fly_piece_count: 3,
        pieces_at_least_count: 3,
        has_diagonal_lines: false,
        mill_formation_action_in_placing_phase: 0,
        may_move_in_placing_phase: false,
        is_defender_move_first: false,
        may_remove_multiple: false,
        may_remove_from_mills_always: false,
        restrict_repeated_mills_formation: false,
        one_time_use_mill: false,
        board_full_action: 0,
        stop_placing_when_two_empty_squares: false,
        stalemate_action: 0,
        may_fly: true,
        n_move_rule: 100,
        endgame_n_move_rule: 100,
        threefold_repetition_rule: true,
        custodian: CaptureRule::OFF,
        intervention: CaptureRule::OFF,
        leap: CaptureRule::OFF,
    };

    /// Twelve men's morris on the board with diagonals.
    pub const TWELVE: Self = Self { pieces_count: 12, has_diagonal_lines: true, ..Self::NINE };

    /// The numbered presets, whose names are `preset0` to `preset10`.
    pub const PRESETS: [Self; 11] = [
        Self::NINE,
        Self::TWELVE,
        Self { mill_formation_action_in_placing_phase: 1, ..Self::TWELVE },
        Self { may_remove_multiple: true, ..Self::TWELVE },
        Self { one_time_use_mill: true, ..Self::NINE },
        Self { pieces_count: 10, may_move_in_placing_phase: true, ..Self::NINE },
        Self { may_fly: false, ..Self::NINE },
        Self {
            mill_formation_action_in_placing_phase: 4,
            may_fly: false,
            is_defender_move_first: true,
            may_remove_from_mills_always: true,
            ..Self::TWELVE
        },
        Self { board_full_action: 1, stalemate_action: 2, ..Self::TWELVE },
        Self {
            pieces_count: 12,
            mill_formation_action_in_placing_phase: 5,
            may_fly: false,
            may_remove_from_mills_always: true,
            board_full_action: 1,
            ..Self::NINE
        },
        Self {
            may_fly: false,
            is_defender_move_first: true,
            may_remove_from_mills_always: true,
            board_full_action: 2,
            ..Self::TWELVE
        },
    ];
}

impl Default for Rules {
    fn default() -> Self {
        Self::NINE
    }
}

/// A rule set that players choose by name.
#[derive(Clone, Copy, Debug)]
pub struct NamedRules {
    /// The name used by options and the command line.
    pub name: &'static str,
    /// The title used in game records.
    pub title: &'static str,
    /// Other accepted names.
    pub ids: &'static [&'static str],
    /// One line for people: what sets it apart.
    pub summary: &'static str,
    /// The settings.
    pub rules: Rules,
}

/// The named rule sets, the standard game first.
pub const NAMED: [NamedRules; 13] = [
    NamedRules {
        name: "nine",
        title: "Nine Men's Morris",
        ids: &["standard_9mm", "nmm"],
        summary: "the standard game: nine men, flying with three",
        rules: Rules::NINE,
    },
    NamedRules {
        name: "twelve",
        title: "Twelve Men's Morris",
        ids: &["twelve_mens_morris"],
        summary: "twelve men and diagonals",
        rules: Rules::TWELVE,
    },
    NamedRules {
        name: "morabaraba",
        title: "Morabaraba",
        ids: &[],
        summary: "twelve men and diagonals, full board drawn, no shuttling between two mills, short endgame counter",
        rules: Rules {
            board_full_action: 4,
            endgame_n_move_rule: 10,
            restrict_repeated_mills_formation: true,
            ..Rules::TWELVE
        },
    },
    NamedRules {
        name: "dooz",
        title: "Dooz",
        ids: &[],
        summary: "twelve men and diagonals, mills while placing take from the hand",
        rules: Rules {
            mill_formation_action_in_placing_phase: 1,
            board_full_action: 3,
            may_remove_from_mills_always: true,
            ..Rules::TWELVE
        },
    },
    NamedRules {
        name: "lasker",
        title: "Lasker Morris",
        ids: &["lasker_morris"],
        summary: "ten men, placing or moving in any order",
        rules: Rules::PRESETS[5],
    },
    NamedRules {
        name: "russian",
        title: "Russian Mill",
        ids: &["russian_mill"],
        summary: "nine men, each mill counts once, mills protect nobody",
        rules: Rules { one_time_use_mill: true, may_remove_from_mills_always: true, ..Rules::NINE },
    },
    NamedRules {
        name: "cham-gonu",
        title: "Cham Gonu",
        ids: &["cham_gonu"],
        summary: "twelve men and diagonals, taken points stay marked while placing, no flying",
        rules: Rules {
            mill_formation_action_in_placing_phase: 4,
            may_fly: false,
            may_remove_from_mills_always: true,
            ..Rules::TWELVE
        },
    },
    NamedRules {
        name: "zhi-qi",
        title: "Zhi Qi",
        ids: &["zhi_qi"],
        summary: "as cham-gonu; on a full board both sides remove a man",
        rules: Rules {
            mill_formation_action_in_placing_phase: 4,
            board_full_action: 1,
            may_fly: false,
            may_remove_from_mills_always: true,
            ..Rules::TWELVE
        },
    },
    NamedRules {
        name: "cheng-san-qi",
        title: "Cheng San Qi",
        ids: &["cheng_san_qi"],
        summary: "nine men, taken points stay marked while placing, no flying",
        rules: Rules { mill_formation_action_in_placing_phase: 4, may_fly: false, ..Rules::NINE },
    },
    NamedRules {
        name: "da-san-qi",
        title: "Da San Qi",
        ids: &["da_san_qi"],
        summary: "as cham-gonu; Black opens the moving phase, two mills take two men",
        rules: Rules { may_remove_multiple: true, ..Rules::PRESETS[7] },
    },
    NamedRules {
        name: "mul-mulan",
        title: "Mul-Mulan",
        ids: &["mul_mulan"],
        summary: "nine men and diagonals, stepping between two men takes both, no flying",
        rules: Rules {
            has_diagonal_lines: true,
            may_fly: false,
            may_remove_from_mills_always: true,
            intervention: CaptureRule { enabled: true, ..CaptureRule::OFF },
            ..Rules::NINE
        },
    },
    NamedRules {
        name: "nerenchi",
        title: "Nerenchi",
        ids: &[],
        summary: "twelve men and diagonals, Black opens the moving phase, mills protect nobody",
        rules: Rules { is_defender_move_first: true, may_remove_from_mills_always: true, ..Rules::TWELVE },
    },
    NamedRules {
        name: "el-filja",
        title: "El Filja",
        ids: &["el_filja"],
        summary: "twelve men, mills are settled when placing ends, no flying",
        rules: Rules::PRESETS[9],
    },
];

impl Rules {
    /// The rule set with this name, title or id (`nine`, `Twelve Men's Morris`, `el_filja`, `preset3`), in any case.
    pub fn by_name(name: &str) -> Option<Self> {
        let is = |other: &&str| other.eq_ignore_ascii_case(name);
        if let Some(row) = NAMED.iter().find(|row| is(&row.name) || is(&row.title) || row.ids.iter().any(is))
        {
            return Some(row.rules);
        }
        let preset = name.get(..6).filter(|p| p.eq_ignore_ascii_case("preset")).and(name.get(6..))?;
        let number: usize = preset.parse().ok().filter(|n: &usize| n.to_string() == preset)?;
        Self::PRESETS.get(number).copied()
    }

    /// The names that [`Rules::by_name`] offers to users: the named rule sets, then the presets.
    pub fn names() -> impl Iterator<Item = String> {
        let named = NAMED.iter().map(|row| row.name.to_owned());
        named.chain((0..Self::PRESETS.len()).map(|n| format!("preset{n}")))
    }

    /// The name of these settings: of the first named rule set that matches, else of the preset, else `custom`.
    pub fn name(&self) -> String {
        if let Some(row) = NAMED.iter().find(|row| row.rules == *self) {
            return row.name.to_owned();
        }
        match Self::PRESETS.iter().position(|p| p == self) {
            Some(number) => format!("preset{number}"),
            None => "custom".to_owned(),
        }
    }

    /// Reads `name[,Option=value…]`, as the command line takes it.
    ///
    /// # Errors
    /// When the name is unknown, an option is unknown or its value is not accepted.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default().trim();
        let mut rules = Self::by_name(name).ok_or_else(|| RuleError::UnknownRules(name.to_owned()))?;
        for part in parts {
            let Some((option, value)) = part.split_once('=') else {
                return Err(RuleError::NoValue(part.trim().to_owned()));
            };
            rules.set_option(option, value)?;
        }
        Ok(rules)
    }

    /// The settings as `Rules::parse` reads them: a name, then what differs from it.
    pub fn describe(&self) -> String {
        let name = self.name();
        if name != "custom" {
            return name;
        }
        let differing = |option: &&RuleOption| (option.get)(self) != (option.get)(&Self::NINE);
        let options =
            RULE_OPTIONS.iter().filter(differing).map(|o| format!(",{}={}", o.name, self.value_text(o)));
        std::iter::once("nine".to_owned()).chain(options).collect()
    }

    /// The value of an option as the protocol writes it.
    pub fn value_text(&self, option: &RuleOption) -> String {
        let value = (option.get)(self);
        match option.kind {
            RuleKind::Check => (value != 0).to_string(),
            RuleKind::Spin { .. } => value.to_string(),
        }
    }

    /// Sets a rule option by name. Returns whether the rules changed.
    ///
    /// # Errors
    /// When there is no such option, or the value is unreadable or out of range; nothing changes then.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<bool, RuleError> {
        let option =
            RuleOption::find(name).ok_or_else(|| RuleError::UnknownOption(name.trim().to_owned()))?;
        let number = option.read(value)?;
        let before = *self;
        (option.set)(self, number);
        Ok(*self != before)
    }
}

/// What values a rule option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleKind {
    /// True or false.
    Check,
    /// A number in an inclusive range.
    Spin {
        /// Smallest value.
        min: u16,
        /// Largest value.
        max: u16,
    },
}

/// A rule option: its name in the protocol, its type and range, and how to read and write it.
#[derive(Clone, Copy, Debug)]
pub struct RuleOption {
    /// The name in the protocol.
    pub name: &'static str,
    /// Type and range.
    pub kind: RuleKind,
    /// One line for people.
    pub summary: &'static str,
    /// Reads the value; 0 or 1 for a check.
    pub get: fn(&Rules) -> u16,
    set: fn(&mut Rules, u16),
}

impl RuleOption {
    /// The option with this name, letter case and blanks ignored.
    pub fn find(name: &str) -> Option<&'static Self> {
        let squeezed: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        // A common second name of the number of men.
        let squeezed = if squeezed.eq_ignore_ascii_case("PieceCount") { "PiecesCount" } else { &squeezed };
        RULE_OPTIONS.iter().find(|o| o.name.eq_ignore_ascii_case(squeezed))
    }

    fn read(&'static self, value: &str) -> Result<u16, RuleError> {
        let value = value.trim();
        let number = match self.kind {
            RuleKind::Check => parse_bool(value).map(u16::from),
            RuleKind::Spin { min, max } => value.parse().ok().filter(|n| (min..=max).contains(n)),
        };
        number.ok_or_else(|| RuleError::BadValue { option: self, value: value.to_owned() })
    }
}

/// Reads `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off` in any case.
pub fn parse_bool(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(text));
    match () {
        () if is(&["true", "1", "yes", "on"]) => Some(true),
        () if is(&["false", "0", "no", "off"]) => Some(false),
        () => None,
    }
}

macro_rules! rule_options {
    ($($name:literal $kind:tt $($field:ident).+ : $summary:literal;)*) => {
        &[$(RuleOption {
            name: $name,
            kind: rule_options!(@kind $kind),
            summary: $summary,
            get: |rules: &Rules| rules.$($field).+ as u16,
            set: rule_options!(@set $kind $($field).+),
        }),*]
    };
    (@kind check) => { RuleKind::Check };
    (@kind ($min:literal, $max:literal)) => { RuleKind::Spin { min: $min, max: $max } };
    (@set check $($field:ident).+) => { |rules: &mut Rules, value| rules.$($field).+ = value != 0 };
    (@set ($min:literal, $max:literal) $($field:ident).+) => { |rules: &mut Rules, value| rules.$($field).+ = value as _ };
}

/// All rule options, in the protocol's order.
pub static RULE_OPTIONS: &[RuleOption] = rule_options! {
    "PiecesCount" (9, 12) pieces_count: "men per side";
    "flyPieceCount" (3, 4) fly_piece_count: "a side with this many men or fewer may fly";
    "PiecesAtLeastCount" (3, 5) pieces_at_least_count: "a side with fewer men has lost";
    "HasDiagonalLines" check has_diagonal_lines: "four diagonals through the corners";
    "MillFormationActionInPlacingPhase" (0, 5) mill_formation_action_in_placing_phase:
        "a mill closed by placing: 0, 3 takes from the board; 1 from the hand; 2 from the hand, then again; 4 marks; 5 settled when placing ends";
    "MayMoveInPlacingPhase" check may_move_in_placing_phase: "place or move in any order";
    "IsDefenderMoveFirst" check is_defender_move_first: "Black opens the moving phase";
    "MayRemoveMultiple" check may_remove_multiple: "one removal for each mill closed at once";
    "MayRemoveFromMillsAlways" check may_remove_from_mills_always: "men in mills are never protected";
    "RestrictRepeatedMillsFormation" check restrict_repeated_mills_formation:
        "no closing of a mill by moving straight back out of another";
    "OneTimeUseMill" check one_time_use_mill: "each mill takes a man only once";
    "BoardFullAction" (0, 4) board_full_action:
        "full board after placing: 0 White loses; 1 White then Black removes; 2 Black then White; 3 side to move; 4 draw";
    "StopPlacingWhenTwoEmptySquares" check stop_placing_when_two_empty_squares:
        "with twelve men, placing ends when two points are left";
    "StalemateAction" (0, 5) stalemate_action:
        "a side that cannot move: 0 loses; 1 passes; 2 removes and moves; 3 removes and passes; 4 draws; 5 both remove";
    "MayFly" check may_fly: "flying allowed";
    "NMoveRule" (10, 200) n_move_rule: "quiet moves until a draw";
    "EndgameNMoveRule" (5, 200) endgame_n_move_rule: "the same when a side has three men, if smaller";
    "ThreefoldRepetitionRule" check threefold_repetition_rule: "the third occurrence of a position draws";
    "CustodianCaptureEnabled" check custodian.enabled: "capture by enclosing";
    "CustodianCaptureOnSquareEdges" check custodian.on_square_edges: "enclosing on side lines";
    "CustodianCaptureOnCrossLines" check custodian.on_cross_lines: "enclosing on cross lines";
    "CustodianCaptureOnDiagonalLines" check custodian.on_diagonal_lines: "enclosing on diagonals";
    "CustodianCaptureInPlacingPhase" check custodian.in_placing_phase: "enclosing while placing";
    "CustodianCaptureInMovingPhase" check custodian.in_moving_phase: "enclosing while moving";
    "CustodianCaptureOnlyWhenOwnPiecesLeq3" check custodian.only_when_own_pieces_leq3: "enclosing only with three men";
    "InterventionCaptureEnabled" check intervention.enabled: "capture by stepping between";
    "InterventionCaptureOnSquareEdges" check intervention.on_square_edges: "stepping between on side lines";
    "InterventionCaptureOnCrossLines" check intervention.on_cross_lines: "stepping between on cross lines";
    "InterventionCaptureOnDiagonalLines" check intervention.on_diagonal_lines: "stepping between on diagonals";
    "InterventionCaptureInPlacingPhase" check intervention.in_placing_phase: "stepping between while placing";
    "InterventionCaptureInMovingPhase" check intervention.in_moving_phase: "stepping between while moving";
    "InterventionCaptureOnlyWhenOwnPiecesLeq3" check intervention.only_when_own_pieces_leq3:
        "stepping between only with three men";
    "LeapCaptureEnabled" check leap.enabled: "capture by jumping";
    "LeapCaptureOnSquareEdges" check leap.on_square_edges: "jumping on side lines";
    "LeapCaptureOnCrossLines" check leap.on_cross_lines: "jumping on cross lines";
    "LeapCaptureOnDiagonalLines" check leap.on_diagonal_lines: "jumping on diagonals";
    "LeapCaptureInPlacingPhase" check leap.in_placing_phase: "has no effect: a side with men in hand never jumps";
    "LeapCaptureInMovingPhase" check leap.in_moving_phase: "jumping while moving";
    "LeapCaptureOnlyWhenOwnPiecesLeq3" check leap.only_when_own_pieces_leq3: "jumping only with three men";
};

/// Why a rule set or option was not accepted.
#[derive(Clone, Debug)]
pub enum RuleError {
    /// No rule set has this name.
    UnknownRules(String),
    /// No rule option has this name.
    UnknownOption(String),
    /// `Option=value` was expected.
    NoValue(String),
    /// The value is unreadable or out of range.
    BadValue {
        /// The option.
        option: &'static RuleOption,
        /// What was found.
        value: String,
    },
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRules(name) => {
                let names: Vec<String> = Rules::names().collect();
                write!(f, "no such rule set '{name}', expected one of {}", names.join(", "))
            }
            Self::UnknownOption(name) => write!(f, "no such option: {name}"),
            Self::NoValue(text) => write!(f, "found '{text}', expected Option=value"),
            Self::BadValue { option, value } => match option.kind {
                RuleKind::Check => {
                    write!(f, "option {}: found '{value}', expected true or false", option.name)
                }
                RuleKind::Spin { min, max } => {
                    write!(
                        f,
                        "option {}: found '{value}', expected a number from {min} to {max}",
                        option.name
                    )
                }
            },
        }
    }
}

impl std::error::Error for RuleError {}

/// One line of a capture rule as seen from a point: the point opposite and the one that matters.
#[derive(Clone, Copy, Debug)]
pub struct CaptureLine {
    /// The two other points of the line.
    pub rest: Bitboard,
    /// The middle of the line.
    pub middle: Bitboard,
}

/// The lines of one capture rule, compiled.
#[derive(Clone, Debug)]
pub struct CaptureTables {
    /// For each point the active lines that it is an end of.
    pub as_end: [Vec<CaptureLine>; ROWS],
    /// For each point the two ends of the active lines that it is the middle of: cross, side, diagonal.
    pub as_middle: [Vec<Bitboard>; ROWS],
    /// Works when a man is placed.
    pub placing: bool,
    /// Works when a man is moved; for leaps, in the moving phase.
    pub moving: bool,
    /// Needs three or fewer own men: always for leaps, in the moving phase for the others.
    pub only_few: bool,
}

impl CaptureTables {
    fn new(rule: &CaptureRule, diagonals: bool) -> Self {
        let mut tables = Self {
            as_end: std::array::from_fn(|_| Vec::new()),
            as_middle: std::array::from_fn(|_| Vec::new()),
            placing: rule.enabled && rule.in_placing_phase,
            moving: rule.enabled && rule.in_moving_phase,
            only_few: rule.only_when_own_pieces_leq3,
        };
        if !rule.enabled {
            return tables;
        }
        // The order in which lines compete for an intervention.
        for kind in [LineKind::Cross, LineKind::Side, LineKind::Diagonal] {
            if !rule.works_on(kind) || kind == LineKind::Diagonal && !diagonals {
                continue;
            }
            for line in LINES.iter().filter(|line| line.kind == kind) {
                let ends = line.points.without(line.middle);
                tables.as_middle[line.middle.row()].push(ends);
                for end in ends {
                    let rest = line.points.without(end);
                    tables.as_end[end.row()].push(CaptureLine { rest, middle: line.middle.into() });
                }
            }
        }
        tables
    }
}

/// A rule set as the game and the search read it.
#[derive(Clone, Debug)]
pub struct Tables {
    /// What it was compiled from.
    pub rules: Rules,
    /// For each point the rest of each of its mill lines; unused entries hold a line that no set covers.
    pub partners: [[Bitboard; 3]; ROWS],
    /// For each point its neighbours.
    pub adjacent: [Bitboard; ROWS],
    /// The points with edges and lines across the rings.
    pub spokes: Bitboard,
    /// A side with an empty hand and at most this many men flies; 0 forbids flying.
    pub fly_at: u32,
    /// Men in mills are protected inside this set: all points, or none where mills protect nobody.
    pub guard: Bitboard,
    /// Largest number of removals one placing or move can earn by mills: 1, or 3.
    pub max_takes: u32,
    /// Fewer men on board and in hand lose.
    pub least: u32,
    /// Quiet moves until a draw.
    pub n_move: u16,
    /// The same once a side has exactly three men.
    pub endgame_n_move: u16,
    /// Fewest moves after which a position can return: four where the sides alternate, two where a blocked side
    /// may be passed over, and more than can be played where repetition does not draw.
    pub first_return: u16,
    /// The side that opens the moving phase, or none where the turn order simply goes on.
    pub first_mover: Option<Color>,
    /// Whether a rare rule is on, so that positions carry [`crate::position::Extras`].
    pub extras: bool,
    /// Custodian captures.
    pub custodian: CaptureTables,
    /// Intervention captures.
    pub intervention: CaptureTables,
    /// Leap captures.
    pub leap: CaptureTables,
    /// Whether any capture rule is on.
    pub captures: bool,
    /// Whether placing may end early with two empty points.
    pub stop_at_two_empty: bool,
    /// Whether the game is the standard one, apart from its draws by counters.
    pub standard: bool,
}

impl Tables {
    /// Compiles a rule set.
    pub fn new(rules: &Rules) -> Self {
        let action = rules.mill_formation_action_in_placing_phase;
        let keeps_turn = action == 1
            || action == 2 && rules.may_remove_multiple
            || rules.may_move_in_placing_phase && !matches!(action, 4 | 5);
        let diagonals = rules.has_diagonal_lines;
        let spokes = if diagonals { Bitboard::FULL } else { Bitboard::MIDPOINTS };
        let captures = rules.custodian.enabled || rules.intervention.enabled || rules.leap.enabled;
        let extras = captures
            || !matches!(action, 0 | 3)
            || rules.may_move_in_placing_phase
            || rules.one_time_use_mill
            || rules.restrict_repeated_mills_formation
            || matches!(rules.stalemate_action, 1 | 2 | 3 | 5)
            || rules.pieces_count == 12 && matches!(rules.board_full_action, 1..=3);
        Self {
            rules: *rules,
            partners: bitboard::partners(diagonals),
            adjacent: bitboard::adjacency(spokes),
            spokes,
            fly_at: if rules.may_fly { u32::from(rules.fly_piece_count) } else { 0 },
            guard: if rules.may_remove_from_mills_always { Bitboard::EMPTY } else { Bitboard::FULL },
            max_takes: if rules.may_remove_multiple { 3 } else { 1 },
            least: u32::from(rules.pieces_at_least_count),
            n_move: rules.n_move_rule,
            endgame_n_move: rules.n_move_rule.min(rules.endgame_n_move_rule),
            first_return: match (rules.threefold_repetition_rule, rules.stalemate_action) {
                (false, _) => u16::MAX / 2,
                (true, 1) => 2,
                (true, _) => 4,
            },
            first_mover: match (keeps_turn, rules.is_defender_move_first) {
                (_, true) => Some(Color::Black),
                (false, false) => Some(Color::White),
                (true, false) => None,
            },
            extras,
            custodian: CaptureTables::new(&rules.custodian, diagonals),
            intervention: CaptureTables::new(&rules.intervention, diagonals),
            leap: CaptureTables::new(&rules.leap, diagonals),
            captures,
            stop_at_two_empty: rules.pieces_count == 12 && rules.stop_placing_when_two_empty_squares,
            standard: Rules {
                n_move_rule: Rules::NINE.n_move_rule,
                endgame_n_move_rule: Rules::NINE.endgame_n_move_rule,
                threefold_repetition_rule: Rules::NINE.threefold_repetition_rule,
                ..*rules
            } == Rules::NINE,
        }
    }

    /// The number of mill lines through `to` that `men` (which need not hold `to` itself) completes.
    #[inline(always)]
    pub fn lines_closed(&self, men: Bitboard, to: Square) -> u32 {
        let [a, b, c] = self.partners[to.row()];
        u32::from(men.covers(a)) + u32::from(men.covers(b)) + u32::from(men.covers(c))
    }

    /// Whether a man on `to` completes a mill line together with `men`.
    #[inline(always)]
    pub fn closes_mill(&self, men: Bitboard, to: Square) -> bool {
        let [a, b, c] = self.partners[to.row()];
        men.covers(a) | men.covers(b) | men.covers(c)
    }

    /// Of the men of one side, those that may be taken as far as mills protect: those outside mills, or all where
    /// none stands outside or mills protect nobody.
    #[inline(always)]
    pub fn unprotected(&self, men: Bitboard) -> Bitboard {
        let free = men - (men.milled(self.spokes) & self.guard);
        if free.is_empty() { men } else { free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_its_rules_and_back() {
        for row in &NAMED {
            for name in [row.name, row.title].iter().chain(row.ids) {
                assert_eq!(Rules::by_name(name), Some(row.rules), "{name}");
                assert_eq!(Rules::by_name(&name.to_uppercase()), Some(row.rules), "{name}");
            }
            assert_eq!(row.rules.name(), row.name);
        }
        for (n, rules) in Rules::PRESETS.iter().enumerate() {
            assert_eq!(Rules::by_name(&format!("Preset{n}")), Some(*rules));
        }
        let reported = Rules::PRESETS.map(|p| p.name());
        let expected = "nine twelve preset2 preset3 preset4 lasker preset6 preset7 preset8 el-filja preset10";
        assert_eq!(reported.join(" "), expected);
        for bad in ["", "preset11", "preset", "preset01", "preset-1", "ninety", "prését1"] {
            assert_eq!(Rules::by_name(bad), None, "{bad}");
        }
    }

    #[test]
    fn options_accept_their_range_and_refuse_its_neighbours() {
        for option in RULE_OPTIONS {
            let mut rules = Rules::NINE;
            let value = rules.value_text(option);
            assert_eq!(rules.set_option(option.name, &value).ok(), Some(false), "{}", option.name);
            match option.kind {
                RuleKind::Check => {
                    let other = if value == "true" { "OFF" } else { "Yes" };
                    assert_eq!(rules.set_option(&option.name.to_lowercase(), other).ok(), Some(true));
                    assert!(rules.set_option(option.name, "maybe").is_err());
                }
                RuleKind::Spin { min, max } => {
                    for n in min..=max {
                        rules.set_option(option.name, &n.to_string()).unwrap();
                        assert_eq!((option.get)(&rules), n);
                    }
                    for bad in
                        [(i32::from(min) - 1).to_string(), (max + 1).to_string(), "x".into(), String::new()]
                    {
                        assert!(rules.set_option(option.name, &bad).is_err(), "{} {bad}", option.name);
                    }
                    assert_eq!((option.get)(&rules), max, "a refused value changes nothing");
                }
            }
        }
        let mut rules = Rules::NINE;
        assert!(rules.set_option("custodian capture only when own pieces leq 3", "true").unwrap());
        assert!(rules.set_option("piece count", "10").unwrap());
        assert!(rules.set_option("no such thing", "1").is_err());
    }

    #[test]
    fn descriptions_are_read_back() {
        let custom = Rules { may_fly: false, n_move_rule: 60, leap: Rules::NINE.leap, ..Rules::TWELVE };
        for rules in NAMED.iter().map(|row| row.rules).chain(Rules::PRESETS).chain([custom]) {
            assert_eq!(Rules::parse(&rules.describe()).ok(), Some(rules), "{}", rules.describe());
        }
        for bad in ["ten", "nine,MayFly", "nine,MayFly=perhaps", "nine,Foo=1", ""] {
            assert!(Rules::parse(bad).is_err(), "{bad}");
        }
    }
}
