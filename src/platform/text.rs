//! Numbers in sentences.

use std::fmt::Display;

/// Returns a number with the noun that it counts: `1 game`, `2 games`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    counted_as(number, noun, &format!("{noun}s"))
}

/// Returns a number with the noun that it counts: `one` after 1, else `many`.
pub(crate) fn counted_as<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let noun = if number == N::from(1) { one } else { many };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(|n: u32| counted(n, "game")), ["0 games", "1 game", "2 games"]);
        assert_eq!([1_u64, 3].map(|n| counted_as(n, "man", "men")), ["1 man", "3 men"]);
    }
}
