//! The tunable numbers of `src/params.rs` as options, in builds with the feature `tune`.

use super::option::{EngineOption, OptionEffect, spin};
use super::values::OptionValues;
use crate::params::{self, PARAMS, ParamStore};

impl ParamStore for OptionValues {
    fn set_param(&mut self, name: &'static str, value: i32) {
        if let Some(index) = PARAMS.iter().position(|param| param.name == name) {
            self.params[index] = value;
        }
    }
}

/// Returns an option for each parameter.
pub(super) fn options() -> impl Iterator<Item = EngineOption> {
    PARAMS.iter().zip(params::setters()).map(|(param, set)| {
        spin(param.name, param.default.into(), [param.min.into(), param.max.into()], set)
            // Stored values and move orders come from other parameters.
            .then(OptionEffect::ClearHash)
            .summary("a tunable number of evaluation or search")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::engine::options::find;

    #[test]
    fn every_parameter_can_be_set_by_name_in_its_range() {
        let mut values = OptionValues::default();
        for (index, param) in PARAMS.iter().enumerate() {
            values.set(param.name, Some(&param.max.to_string())).unwrap();
            assert_eq!(values.params[index], param.max, "{}", param.name);
            let option = find(param.name).unwrap();
            assert!(option.set(&mut values, Some(&(i64::from(param.max) + 1).to_string())).is_err());
            assert_eq!(option.range(), Some((param.min.into(), param.max.into())));
        }
    }
}
