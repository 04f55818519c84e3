//! The rule sets that players choose by name, and rule sets as the command line writes them.

use super::{CaptureRule, RULE_OPTIONS, RuleError, RuleOption, Rules};

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
