//! Sorting of short lists, such as the moves of a position.

/// Sorts a short list by a key. Elements with equal keys keep their order.
///
/// By insertion. The sort of the standard library would be faster for hundreds of elements, but takes about
/// 9 KB of code for each kind of list, which a browser has to load.
pub(crate) fn sort_short<T, K: PartialOrd>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    for end in 1..list.len() {
        let mut place = end;
        while place > 0 && key(&list[place]) < key(&list[place - 1]) {
            list.swap(place - 1, place);
            place -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;

    #[test]
    fn lists_are_sorted_as_by_the_standard_library() {
        let mut number = 1_u32;
        for length in 0..80 {
            let mut list: Vec<u32> = Vec::new();
            for _ in 0..length {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                list.push(number >> 16);
            }
            let mut expected = list.clone();
            expected.sort_by_key(|n| Reverse(n % 16));
            sort_short(&mut list, |n| Reverse(n % 16));
            assert_eq!(list, expected);
        }
    }
}
