//! The options that a client can set, as one list (`table.rs`). `uci`, `setoption`, `help` and the tests of
//! the documents read it. Uses `rules`, `params`, `types`, `platform::text`, the settings of the search and
//! the error of the engine.
//!
//! Setting an option records its value in [`OptionValues`]; the returned [`OptionEffect`] names the work that
//! the engine does before the next position or search.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod apply;
pub(super) mod option;
#[cfg(feature = "tune")]
mod params;
mod table;
mod values;

pub use apply::{all, find};
pub use option::{EngineOption, OptionEffect, OptionKind, Shown};
pub use values::{OptionValues, PROTOCOLS};

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::engine::EngineError;
    use crate::rules::Rules;
    use std::time::Duration;

    #[test]
    fn every_default_is_accepted_and_is_the_value_at_start() {
        let mut values = OptionValues::default();
        for option in all() {
            option.set(&mut values, Some(&option.default_text())).unwrap();
        }
        assert_eq!(values, OptionValues::default());
    }

    #[test]
    fn every_neighbour_of_a_range_is_refused() {
        fn set(option: EngineOption, value: Option<&str>) -> Result<OptionEffect, EngineError> {
            option.set(&mut OptionValues::default(), value)
        }
        for option in all() {
            if let Some((min, max)) = option.range() {
                for bad in [min - 1, max + 1, i64::MIN, i64::MAX] {
                    assert!(set(option, Some(&bad.to_string())).is_err(), "{} {bad}", option.name);
                }
                for good in [min, max] {
                    assert!(set(option, Some(&good.to_string())).is_ok(), "{} {good}", option.name);
                }
            }
            if option.type_text() == "check" {
                assert!(set(option, Some("OFF")).is_ok() && set(option, Some("perhaps")).is_err());
            }
            if let OptionKind::Combo { choices, .. } = option.kind {
                for choice in choices() {
                    assert!(set(option, Some(&choice)).is_ok(), "{} {choice}", option.name);
                }
                assert!(set(option, Some("no such choice")).is_err());
            }
            let needs = !matches!(option.kind, OptionKind::Button);
            assert_eq!(set(option, None).is_err(), needs, "{}", option.name);
        }
    }

    #[test]
    fn seeds_are_digits_alone() {
        let seed = find("SearchShuffleSeed").unwrap();
        let read = |text| {
            let mut values = OptionValues::default();
            seed.set(&mut values, Some(text)).map(|_| values.play.seed)
        };
        let good =
            [("AUTO", None), ("7", Some(7)), ("0xfF", Some(255)), ("0XFFFFFFFFFFFFFFFF", Some(u64::MAX))];
        for (text, value) in good {
            assert_eq!(read(text).unwrap(), value, "{text}");
        }
        for bad in ["+5", "0x+5", "-1", "0x", "", "5f", "18446744073709551616", "0x10000000000000000"] {
            assert!(read(bad).is_err(), "{bad}");
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
    fn values_are_read_and_wrong_ones_change_nothing() {
        let mut values = OptionValues::default();
        values.set("Debug  Log File", Some("/tmp/a  b.log")).unwrap();
        assert_eq!(values.log_file, "/tmp/a  b.log");
        values.set("debug log file", Some("<Empty>")).unwrap();
        assert_eq!(values.log_file, "");
        values.set("Debug Log File", Some("")).unwrap();
        assert_eq!(values.set("may fly", Some("no")).unwrap(), OptionEffect::SetRules);
        assert_eq!(values.set("MayFly", Some("false")).unwrap(), OptionEffect::Nothing);
        let variant = Some("Twelve Men's Morris");
        assert_eq!(values.set("UCI_Variant", variant).unwrap(), OptionEffect::SetRules);
        assert_eq!(values.rules, Rules::TWELVE);
        assert_eq!(values.set("SearchShuffleSeed", Some("0xff")).unwrap(), OptionEffect::Nothing);
        assert_eq!(values.play.seed, Some(255));
        for (name, bad) in [
            ("", None),
            ("Hash", None),
            ("Hash", Some("")),
            ("Hash", Some("1.5")),
            ("Hash", Some("99999999999999999999")),
            ("SearchShuffleSeed", Some("soon")),
            ("Foo", Some("1")),
        ] {
            let before = values.clone();
            assert!(values.set(name, bad).is_err(), "{name} {bad:?}");
            assert_eq!(values, before);
        }
    }

    #[test]
    fn the_later_of_the_two_move_times_counts() {
        let mut values = OptionValues::default();
        for (name, value, ms) in [("MoveTime", "1", 1000), ("MoveTimeMs", "50", 50)] {
            values.set(name, Some(value)).unwrap();
            assert_eq!(values.move_time, Duration::from_millis(ms));
        }
    }
}
