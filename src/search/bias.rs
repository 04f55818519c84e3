//! The settings that change the values of positions: the playing style and contempt.

use super::limits::{Limits, SearchSettings};
use super::style::PlayStyle;
use crate::types::{Color, VALUE_DRAW, Value};

/// The settings that change the values of positions.
///
/// Searches with different biases cannot share a transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bias {
    /// The playing style.
    pub style: PlayStyle,
    /// The value of a draw for White, in hundredths of a man.
    pub draw: Value,
}

impl SearchSettings {
    /// Returns the bias of a search for side `us`.
    pub fn bias(&self, limits: &Limits, us: Color) -> Bias {
        if self.is_analysis(limits) {
            return Bias::default();
        }
        let contempt = if us == Color::White { self.contempt } else { -self.contempt };
        Bias { style: self.style, draw: VALUE_DRAW - contempt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_searches_decides_what_contempt_makes_of_a_draw_and_analysis_has_no_bias() {
        let style = PlayStyle { mobility: false, blocking: true };
        let settings = SearchSettings { contempt: 40, style, ..SearchSettings::default() };
        let play = Limits::default();
        assert_eq!(settings.bias(&play, Color::White).style, style);
        assert_eq!(settings.bias(&play, Color::White).draw, -40);
        assert_eq!(settings.bias(&play, Color::Black).draw, 40);
        for analysis in
            [Limits { infinite: true, ..Limits::default() }, Limits { analysis: true, ..Limits::default() }]
        {
            assert_eq!(settings.bias(&analysis, Color::White), Bias::default());
        }
    }
}
