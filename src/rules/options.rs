//! The rule options of the protocol: names, types and ranges, and how their values are read.

use super::rule_set::Rules;
use crate::platform::text::{parse_bool, printable, quoted};
use std::fmt;

/// The type and range of a rule option.
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
    /// One line of description.
    pub summary: &'static str,
    /// Returns the value; 0 or 1 for a check.
    pub get: fn(&Rules) -> u16,
    set: fn(&mut Rules, u16),
}

impl RuleOption {
    /// Returns the option with this name. Letter case and blanks do not matter.
    pub fn find(name: &str) -> Option<&'static Self> {
        let squeezed: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        // Another common name of the same option.
        let squeezed = if squeezed.eq_ignore_ascii_case("PieceCount") { "PiecesCount" } else { &squeezed };
        RULE_OPTIONS.iter().find(|o| o.name.eq_ignore_ascii_case(squeezed))
    }

    /// As [`RuleOption::find`], but an unknown name is an error.
    fn named(name: &str) -> Result<&'static Self, RuleError> {
        Self::find(name).ok_or_else(|| RuleError::UnknownOption(name.trim().to_owned()))
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
    (@set ($min:literal, $max:literal) $($field:ident).+) => {
        |rules: &mut Rules, value| rules.$($field).+ = value as _
    };
}

/// All rule options, in the protocol's order.
pub static RULE_OPTIONS: &[RuleOption] = rule_options! {
    "PiecesCount" (9, 12) pieces_count: "men per side";
    "flyPieceCount" (3, 4) fly_piece_count: "a side with this many men or fewer may fly";
    "PiecesAtLeastCount" (3, 5) pieces_at_least_count: "a side with fewer men, hand included, has lost";
    "HasDiagonalLines" check has_diagonal_lines: "four diagonals through the corners";
    "MillFormationActionInPlacingPhase" (0, 5) mill_formation_action_in_placing_phase:
        "a mill closed by placing: 0 or 3 takes from the board; 1 takes from the hand; 2 takes from the hand \
            and moves again; 4 takes from the board and marks the point; 5 takes when placing ends";
    "MayMoveInPlacingPhase" check may_move_in_placing_phase: "men may slide before all men are placed";
    "IsDefenderMoveFirst" check is_defender_move_first: "Black moves first after placing";
    "MayRemoveMultiple" check may_remove_multiple: "one take for each mill closed at once";
    "MayRemoveFromMillsAlways" check may_remove_from_mills_always: "men in mills may always be taken";
    "RestrictRepeatedMillsFormation" check restrict_repeated_mills_formation:
        "a man that left a mill to close another may not go straight back to close the first";
    "OneTimeUseMill" check one_time_use_mill: "each mill takes a man only once";
    "BoardFullAction" (0, 4) board_full_action:
        "full board after placing: 0 White loses; 1 White then Black takes; 2 Black then White \
            takes; 3 White (with IsDefenderMoveFirst Black) takes, then the other side moves; 4 draw";
    "StopPlacingWhenTwoEmptySquares" check stop_placing_when_two_empty_squares:
        "with twelve men, placing ends when at most two points are empty";
    "StalemateAction" (0, 5) stalemate_action:
        "a side that cannot move: 0 loses; 1 passes; 2 takes and moves; 3 takes and passes; 4 draws; 5 both \
            take";
    "MayFly" check may_fly: "a side with few men may fly; see flyPieceCount";
    "NMoveRule" (10, 200) n_move_rule: "moves without a placing or a take until a draw";
    "EndgameNMoveRule" (5, 200) endgame_n_move_rule:
        "the same while a side has three men; used only if it is below NMoveRule";
    "ThreefoldRepetitionRule" check threefold_repetition_rule: "the third occurrence of a position draws";
    "CustodianCaptureEnabled" check custodian.enabled:
        "custodian capture: enclosing an enemy man between two men takes it";
    "CustodianCaptureOnSquareEdges" check custodian.on_square_edges: "enclosing on side lines";
    "CustodianCaptureOnCrossLines" check custodian.on_cross_lines: "enclosing on cross lines";
    "CustodianCaptureOnDiagonalLines" check custodian.on_diagonal_lines: "enclosing on diagonals";
    "CustodianCaptureInPlacingPhase" check custodian.in_placing_phase: "enclosing while placing";
    "CustodianCaptureInMovingPhase" check custodian.in_moving_phase: "enclosing while moving";
    "CustodianCaptureOnlyWhenOwnPiecesLeq3" check custodian.only_when_own_pieces_leq3:
        "enclosing only with at most three men, but while placing always";
    "InterventionCaptureEnabled" check intervention.enabled:
        "intervention capture: a man placed or moved between two enemy men takes them";
    "InterventionCaptureOnSquareEdges" check intervention.on_square_edges: "stepping between on side lines";
    "InterventionCaptureOnCrossLines" check intervention.on_cross_lines: "stepping between on cross lines";
    "InterventionCaptureOnDiagonalLines" check intervention.on_diagonal_lines: "stepping between on \
        diagonals";
    "InterventionCaptureInPlacingPhase" check intervention.in_placing_phase: "stepping between while placing";
    "InterventionCaptureInMovingPhase" check intervention.in_moving_phase: "stepping between while moving";
    "InterventionCaptureOnlyWhenOwnPiecesLeq3" check intervention.only_when_own_pieces_leq3:
        "stepping between only with at most three men, but while placing always";
    "LeapCaptureEnabled" check leap.enabled: "leap capture: leaping over an enemy man takes it";
    "LeapCaptureOnSquareEdges" check leap.on_square_edges: "leaping on side lines";
    "LeapCaptureOnCrossLines" check leap.on_cross_lines: "leaping on cross lines";
    "LeapCaptureOnDiagonalLines" check leap.on_diagonal_lines: "leaping on diagonals";
    "LeapCaptureInPlacingPhase" check leap.in_placing_phase: "leaping while placing; this can occur only \
        in a position text with an empty hand";
    "LeapCaptureInMovingPhase" check leap.in_moving_phase: "leaping while moving";
    "LeapCaptureOnlyWhenOwnPiecesLeq3" check leap.only_when_own_pieces_leq3:
        "leaping only with at most three men";
};

/// Options are equal if their names are.
impl PartialEq for RuleOption {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RuleOption {}

/// The reason why a rule set or rule option is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleError {
    /// No rule set has this name.
    UnknownRules(String),
    /// No rule option has this name.
    UnknownOption(String),
    /// `Option=value` was expected.
    NoValue(String),
    /// An option is set twice.
    Repeated(&'static RuleOption),
    /// The value is unreadable or out of range.
    BadValue {
        /// The option.
        option: &'static RuleOption,
        /// The value that was found.
        value: String,
    },
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| printable(text, 60);
        match self {
            Self::UnknownRules(name) => {
                let names: Vec<String> = Rules::names().collect();
                write!(f, "no such rule set '{}', expected one of {}", shown(name), names.join(", "))
            }
            Self::UnknownOption(name) => {
                write!(
                    f,
                    "no such rule option '{}', expected one such as {}",
                    shown(name),
                    RULE_OPTIONS[0].name
                )
            }
            Self::NoValue(text) => write!(f, "found {}, expected Option=value", quoted(text)),
            Self::Repeated(option) => write!(f, "option {}: found twice, expected once", option.name),
            Self::BadValue { option, value } => {
                write!(f, "option {}: found {}, expected ", option.name, quoted(value))?;
                match option.kind {
                    RuleKind::Check => f.write_str("true or false"),
                    RuleKind::Spin { min, max } => write!(f, "a number from {min} to {max}"),
                }
            }
        }
    }
}

impl std::error::Error for RuleError {}

impl Rules {
    /// Returns the value of an option as the protocol writes it.
    pub fn value_text(&self, option: &RuleOption) -> String {
        let value = (option.get)(self);
        match option.kind {
            RuleKind::Check => (value != 0).to_string(),
            RuleKind::Spin { .. } => value.to_string(),
        }
    }

    /// Returns the options in which these rules differ from Nine Men's Morris.
    pub fn differing_options(&self) -> impl Iterator<Item = &'static RuleOption> {
        RULE_OPTIONS.iter().filter(|option| (option.get)(self) != (option.get)(&Self::NINE))
    }

    /// Returns [`Rules::differing_options`] with their values, as `name=value`.
    pub(crate) fn differing_settings(&self) -> impl Iterator<Item = String> {
        self.differing_options().map(|option| format!("{}={}", option.name, self.value_text(option)))
    }

    /// Sets a rule option by name. Returns true if the rules changed.
    ///
    /// # Errors
    /// If there is no such option, or the value is not a number or out of range. The rules do not change
    /// then.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<bool, RuleError> {
        RuleOption::named(name).and_then(|option| self.set(option, value))
    }

    /// As [`Rules::set_option`].
    fn set(&mut self, option: &'static RuleOption, value: &str) -> Result<bool, RuleError> {
        let number = option.read(value)?;
        let before = *self;
        (option.set)(self, number);
        Ok(*self != before)
    }

    /// Sets rule options, each by name and value.
    ///
    /// # Errors
    /// As [`Rules::set_option`], and if an option is set twice. The options before it are set then.
    pub(crate) fn set_options<'a>(
        &mut self,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), RuleError> {
        let mut names = Vec::new();
        for (name, value) in settings {
            let option = RuleOption::named(name)?;
            if names.contains(&option.name) {
                return Err(RuleError::Repeated(option));
            }
            self.set(option, value)?;
            names.push(option.name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
