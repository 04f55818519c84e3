//! The rule book: all variants as differences from Nine or Twelve Men's Morris, their names, and rule sets as
//! text.

use super::options::RuleError;
use super::rule_set::{CaptureRule, Rules, blocked, full_board, placing_mill};
use crate::types::serde_as_text;
use std::fmt;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

impl Rules {
    /// Nine men's morris.
    ///
    /// The sides place nine men each in turn, then slide them along the lines. A side that closes a mill,
    /// three men in a row, takes an enemy man. Men in mills are safe unless all are in mills. A side with
    /// three men flies; a side with two men, or without a move, loses. These are the defaults of all rule
    /// options.
    pub const NINE: Self = Self {
        pieces_count: 9,
        fly_piece_count: 3,
        pieces_at_least_count: 3,
        has_diagonal_lines: false,
        mill_formation_action_in_placing_phase: placing_mill::TAKES,
        may_move_in_placing_phase: false,
        is_defender_move_first: false,
        may_remove_multiple: false,
        may_remove_from_mills_always: false,
        restrict_repeated_mills_formation: false,
        one_time_use_mill: false,
        board_full_action: full_board::WHITE_LOSES,
        stop_placing_when_two_empty_squares: false,
        stalemate_action: blocked::LOSES,
        may_fly: true,
        n_move_rule: 100,
        endgame_n_move_rule: 100,
        threefold_repetition_rule: true,
        custodian: CaptureRule::OFF,
        intervention: CaptureRule::OFF,
        leap: CaptureRule::OFF,
    };

    /// Nine men's morris without flying.
    pub const NO_FLYING: Self = Self { may_fly: false, ..Self::NINE };

    /// Nine men's morris with ten men each.
    pub const TEN_MEN: Self = Self { pieces_count: 10, ..Self::NINE };

    /// Twelve men's morris: twelve men each, and lines through the corners.
    pub const TWELVE: Self = Self { pieces_count: 12, has_diagonal_lines: true, ..Self::NINE };

    /// Morabaraba: Twelve Men's Morris in which a full board is a draw.
    ///
    /// No man goes back and forth between two mills, and ten slides with three men draw.
    pub const MORABARABA: Self = Self {
        board_full_action: full_board::DRAWS,
        endgame_n_move_rule: 10,
        restrict_repeated_mills_formation: true,
        ..Self::TWELVE
    };

    /// Morabaraba in which a man that left a mill to close another may go straight back.
    pub const MORABARABA_FREE: Self = Self { restrict_repeated_mills_formation: false, ..Self::MORABARABA };

    /// Dooz: Twelve Men's Morris in which mills closed by placing take from the opponent's hand.
    ///
    /// Mills protect no man, and only White takes a man from a full board.
    pub const DOOZ: Self = Self {
        mill_formation_action_in_placing_phase: placing_mill::TAKES_FROM_HAND,
        board_full_action: full_board::MOVER_TAKES,
        may_remove_from_mills_always: true,
        ..Self::TWELVE
    };

    /// Lasker Morris: ten men each, to be placed or moved in any order.
    pub const LASKER: Self = Self { pieces_count: 10, may_move_in_placing_phase: true, ..Self::NINE };

    /// Russian Mill: Nine Men's Morris in which each mill takes a man only once and mills protect no man.
    pub const RUSSIAN: Self =
        Self { one_time_use_mill: true, may_remove_from_mills_always: true, ..Self::NINE };

    /// Cham Gonu: Twelve Men's Morris with blocked points.
    ///
    /// The point of a man taken while placing stays blocked until all men are placed. Mills protect no man,
    /// and no side flies.
    pub const CHAM_GONU: Self = Self {
        mill_formation_action_in_placing_phase: placing_mill::TAKES_AND_MARKS,
        may_fly: false,
        may_remove_from_mills_always: true,
        ..Self::TWELVE
    };

    /// Zhi Qi: Cham Gonu in which White and then Black take a man from a full board.
    pub const ZHI_QI: Self = Self { board_full_action: full_board::WHITE_TAKES_FIRST, ..Self::CHAM_GONU };

    /// Cheng San Qi: Nine Men's Morris with blocked points.
    ///
    /// The point of a man taken while placing stays blocked until all men are placed, and no side flies.
    pub const CHENG_SAN_QI: Self = Self {
        mill_formation_action_in_placing_phase: placing_mill::TAKES_AND_MARKS,
        may_fly: false,
        ..Self::NINE
    };

    /// Da San Qi: Cham Gonu in which Black opens the moving phase and two mills closed at once take two men.
    pub const DA_SAN_QI: Self =
        Self { is_defender_move_first: true, may_remove_multiple: true, ..Self::CHAM_GONU };

    /// Mul-Mulan: nine men on the board with lines through the corners.
    ///
    /// A man that comes between two opposing men on a line takes both, mills protect no man, and no side
    /// flies.
    pub const MUL_MULAN: Self = Self {
        has_diagonal_lines: true,
        may_fly: false,
        may_remove_from_mills_always: true,
        intervention: CaptureRule { enabled: true, ..CaptureRule::OFF },
        ..Self::NINE
    };

    /// Nerenchi: Twelve Men's Morris in which Black opens the moving phase and mills protect no man.
    pub const NERENCHI: Self =
        Self { is_defender_move_first: true, may_remove_from_mills_always: true, ..Self::TWELVE };

    /// El Filja: twelve men each on the board without diagonals.
    ///
    /// Mills earn nothing while placing; then the sides take men by the number of their mills. Mills protect
    /// no man, and no side flies.
    pub const EL_FILJA: Self = Self {
        pieces_count: 12,
        mill_formation_action_in_placing_phase: placing_mill::SETTLES_LATER,
        may_fly: false,
        may_remove_from_mills_always: true,
        board_full_action: full_board::WHITE_TAKES_FIRST,
        ..Self::NINE
    };

    /// The numbered presets, whose names are `preset0` to `preset10`.
    pub const PRESETS: [Self; 11] = [
        Self::NINE,
        Self::TWELVE,
        Self { mill_formation_action_in_placing_phase: placing_mill::TAKES_FROM_HAND, ..Self::TWELVE },
        Self { may_remove_multiple: true, ..Self::TWELVE },
        Self { one_time_use_mill: true, ..Self::NINE },
        Self::LASKER,
        Self::NO_FLYING,
        Self { is_defender_move_first: true, ..Self::CHAM_GONU },
        Self {
            board_full_action: full_board::WHITE_TAKES_FIRST,
            stalemate_action: blocked::TAKES_AND_MOVES,
            ..Self::TWELVE
        },
        Self::EL_FILJA,
        Self { may_fly: false, board_full_action: full_board::BLACK_TAKES_FIRST, ..Self::NERENCHI },
    ];
}

impl Default for Rules {
    fn default() -> Self {
        Self::NINE
    }
}

/// A rule set that players choose by name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NamedRules {
    /// The name used by options and the command line.
    pub name: &'static str,
    /// The title used in game records.
    pub title: &'static str,
    /// Other accepted names.
    pub ids: &'static [&'static str],
    /// One line that says how it differs from the standard game.
    pub summary: &'static str,
    /// The rules.
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
        summary: "twelve men and diagonals, a full board is a draw, a man may not shuttle between two \
            mills, early draw when a side has three men",
        rules: Rules::MORABARABA,
    },
    NamedRules {
        name: "dooz",
        title: "Dooz",
        ids: &[],
        summary: "twelve men and diagonals, a mill closed by placing takes a man from the opponent's hand, \
            men in mills may be taken",
        rules: Rules::DOOZ,
    },
    NamedRules {
        name: "lasker",
        title: "Lasker Morris",
        ids: &["lasker_morris"],
        summary: "ten men, which may slide before all are placed",
        rules: Rules::LASKER,
    },
    NamedRules {
        name: "russian",
        title: "Russian Mill",
        ids: &["russian_mill"],
        summary: "nine men, each mill takes a man only once, men in mills may be taken",
        rules: Rules::RUSSIAN,
    },
    NamedRules {
        name: "cham-gonu",
        title: "Cham Gonu",
        ids: &["cham_gonu"],
        summary: "twelve men and diagonals, the point of a man taken while placing stays blocked until \
            placing ends, no flying, men in mills may be taken",
        rules: Rules::CHAM_GONU,
    },
    NamedRules {
        name: "zhi-qi",
        title: "Zhi Qi",
        ids: &["zhi_qi"],
        summary: "as cham-gonu; if the board is full of men when placing ends, each side takes a man",
        rules: Rules::ZHI_QI,
    },
    NamedRules {
        name: "cheng-san-qi",
        title: "Cheng San Qi",
        ids: &["cheng_san_qi"],
        summary: "nine men, the point of a man taken while placing stays blocked until placing ends, \
            no flying",
        rules: Rules::CHENG_SAN_QI,
    },
    NamedRules {
        name: "da-san-qi",
        title: "Da San Qi",
        ids: &["da_san_qi"],
        summary: "as cham-gonu; Black moves first after placing, two mills closed at once take two men",
        rules: Rules::DA_SAN_QI,
    },
    NamedRules {
        name: "mul-mulan",
        title: "Mul-Mulan",
        ids: &["mul_mulan"],
        summary: "nine men and diagonals, a man placed or moved between two enemy men takes both, no \
            flying, men in mills may be taken",
        rules: Rules::MUL_MULAN,
    },
    NamedRules {
        name: "nerenchi",
        title: "Nerenchi",
        ids: &[],
        summary: "twelve men and diagonals, Black moves first after placing, men in mills may be taken",
        rules: Rules::NERENCHI,
    },
    NamedRules {
        name: "el-filja",
        title: "El Filja",
        ids: &["el_filja"],
        summary: "twelve men, mills closed by placing take men only when placing ends, no flying, \
            men in mills may be taken",
        rules: Rules::EL_FILJA,
    },
];

impl Rules {
    /// Returns these rules with the draws by counters of the standard game.
    pub(crate) const fn with_standard_counters(self) -> Self {
        let Self { n_move_rule, endgame_n_move_rule, threefold_repetition_rule, .. } = Self::NINE;
        Self { n_move_rule, endgame_n_move_rule, threefold_repetition_rule, ..self }
    }

    /// Returns a number for these rules, whatever draws by counters they have: a hash of the other options
    /// that differ from the standard game.
    pub(crate) fn fingerprint(&self) -> u64 {
        let settings: Vec<String> = self.with_standard_counters().differing_settings().collect();
        xxh3_64(settings.join(",").as_bytes())
    }

    /// Returns the rule set with this name, title or id, in any case.
    ///
    /// Examples are `nine`, `Twelve Men's Morris`, `el_filja` and `preset3`.
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

    /// Returns the names that users choose from: the named rule sets, then the presets.
    pub fn names() -> impl Iterator<Item = String> {
        let named = NAMED.iter().map(|row| row.name.to_owned());
        named.chain((0..Self::PRESETS.len()).map(|n| format!("preset{n}")))
    }

    /// Returns the name of these rules.
    ///
    /// It is that of the first named rule set that matches, else of the preset, else `custom`.
    pub fn name(&self) -> String {
        if let Some(row) = NAMED.iter().find(|row| row.rules == *self) {
            return row.name.to_owned();
        }
        match Self::PRESETS.iter().position(|p| p == self) {
            Some(number) => format!("preset{number}"),
            None => "custom".to_owned(),
        }
    }

    /// Reads `name[,Option=value…]`, the form of the command line. [`FromStr`] is the same.
    ///
    /// # Errors
    /// If the name or an option is unknown, or a value is not accepted.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default().trim();
        let mut rules = Self::by_name(name).ok_or_else(|| RuleError::UnknownRules(name.to_owned()))?;
        let settings =
            parts.map(|part| part.split_once('=').ok_or_else(|| RuleError::NoValue(part.trim().to_owned())));
        let settings = settings.collect::<Result<Vec<_>, _>>()?;
        rules.set_options(settings)?;
        Ok(rules)
    }

    /// Returns the rules as [`Rules::parse`] reads them: the name, or `nine` with the options that differ.
    ///
    /// It refuses values out of range; see [`Rules`].
    pub fn describe(&self) -> String {
        let name = self.name();
        if name != "custom" {
            return name;
        }
        std::iter::once("nine".to_owned()).chain(self.differing_settings()).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Rules {
    /// Writes [`Rules::describe`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl FromStr for Rules {
    type Err = RuleError;

    /// Reads `name[,Option=value…]`, as [`Rules::parse`] does.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        Self::parse(text)
    }
}

serde_as_text!(Rules);

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
    fn descriptions_are_read_back() {
        let custom = Rules { may_fly: false, n_move_rule: 60, leap: Rules::NINE.leap, ..Rules::TWELVE };
        for rules in NAMED.iter().map(|row| row.rules).chain(Rules::PRESETS).chain([custom]) {
            assert_eq!(Rules::parse(&rules.describe()).ok(), Some(rules), "{}", rules.describe());
            let json = serde_json::to_string(&rules).expect("a string");
            assert_eq!(serde_json::from_str::<Rules>(&json).expect("the same"), rules);
        }
        for bad in ["ten", "nine,MayFly", "nine,MayFly=perhaps", "nine,Foo=1", ""] {
            assert!(Rules::parse(bad).is_err(), "{bad}");
        }
    }
}
