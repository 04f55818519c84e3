//! Proves that the index orders all positions of a sector, by the engine's symmetries.

use crate::bitboard::{Bitboard, SYMMETRIES};
use crate::tablebase::format::index::{Index, Sector, SetClasses, subsets};
use std::fmt;

/// A fault of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexFault {
    /// A set of men is wrong.
    Set {
        /// The number of men.
        men: usize,
        /// The fault.
        fault: SetFault,
        /// The set.
        set: u32,
    },
    /// The number of sets of this many men is wrong.
    Sets {
        /// The number of men.
        men: usize,
        /// The number of sets.
        found: u32,
        /// The number that there are.
        expected: u64,
    },
    /// The classes of this many men do not hold all sets.
    Classes {
        /// The number of men.
        men: usize,
        /// The number of sets in classes.
        found: u64,
        /// The number that there are.
        expected: u64,
    },
    /// A symmetry is none of the board, or the same as another one.
    Symmetry(usize),
}

/// The fault of the index at a set of men.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetFault {
    /// It is out of order, or has another number of men.
    Set,
    /// It has another rank.
    Rank,
    /// It represents its class but is not the smallest.
    Representative,
    /// Its class has other symmetries.
    Symmetries,
    /// It belongs to another class.
    Class,
}

impl fmt::Display for IndexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { men, fault, set } => {
                let what = match fault {
                    SetFault::Set => "a wrong set",
                    SetFault::Rank => "a wrong rank for",
                    SetFault::Representative => "a class whose smallest set is not",
                    SetFault::Symmetries => "wrong symmetries of",
                    SetFault::Class => "a wrong class for",
                };
                write!(f, "the index of {men} men has {what} {set:06x}")
            }
            Self::Sets { men, found, expected } => {
                write!(f, "the index of {men} men has {found} sets, expected {expected}")
            }
            Self::Classes { men, found, expected } => {
                write!(f, "the classes of {men} men hold {found} sets, expected {expected}")
            }
            Self::Symmetry(g) => {
                write!(f, "symmetry {g} of the index is none of the board, or another one too")
            }
        }
    }
}

/// Returns the images of a set under the engine's symmetries, each once, ascending.
fn images(set: u32) -> Vec<u32> {
    let mut images: Vec<u32> = (0..SYMMETRIES).map(|g| Bitboard(set).transform(g).0).collect();
    images.sort_unstable();
    images.dedup();
    images
}

/// Returns the numbers of the engine's symmetries that keep a set.
pub(super) fn keepers(set: u32) -> Vec<usize> {
    (0..SYMMETRIES).filter(|&g| Bitboard(set).transform(g).0 == set).collect()
}

/// Proves that the order of positions holds each set of `men` men, and each class of them, exactly once, and
/// that the index leads from each set to the representative of its class.
///
/// # Errors
/// The first fault.
pub(crate) fn check_index(men: usize) -> Result<(), IndexFault> {
    let index = Index::get();
    check_classes(index, index.classes(men), men)
}

fn check_classes(index: &Index, classes: &SetClasses, men: usize) -> Result<(), IndexFault> {
    let wrong = |fault, set| Err(IndexFault::Set { men, fault, set });
    // If they ascend and are as many as there are, they are all of them in order.
    let (mut sets, mut last) = (0, None);
    for set in subsets(24, men as u32) {
        let is_next = last.is_none_or(|last| last < set) && set <= Bitboard::FULL.0;
        if !is_next || set.count_ones() as usize != men {
            return wrong(SetFault::Set, set);
        }
        if index.rank(men, set) != sets || index.unrank(men, sets) != set {
            return wrong(SetFault::Rank, set);
        }
        (sets, last) = (sets + 1, Some(set));
    }
    let all = (0..men as u64).fold(1, |all, k| all * (24 - k) / (k + 1));
    if u64::from(sets) != all {
        return Err(IndexFault::Sets { men, found: sets, expected: all });
    }
    let mut reached = 0;
    for (class, (&representative, &stabiliser)) in
        classes.representatives.iter().zip(&classes.stabilisers).enumerate()
    {
        let images = images(representative);
        if images.first() != Some(&representative) {
            return wrong(SetFault::Representative, representative);
        }
        let is_kept = |g| index.symmetries.apply(g, representative) == representative;
        let kept = (0..SYMMETRIES).filter(|&g| is_kept(g)).fold(0, |kept, g| kept | 1 << g);
        if stabiliser != kept || stabiliser.count_ones() as usize * images.len() != SYMMETRIES {
            return wrong(SetFault::Symmetries, representative);
        }
        for &image in &images {
            let found = classes.of_rank(index.rank(men, image) as usize);
            let leads_back = index.symmetries.apply(found.symmetry(), image) == representative;
            if found.class() != class || !leads_back || found.has_more() != (images.len() < SYMMETRIES) {
                return wrong(SetFault::Class, image);
            }
        }
        reached += images.len() as u64;
    }
    // Each image leads to its own class alone, so no set is counted twice.
    if reached != all || Sector::moving(men as u8, 0).rows() != classes.len() {
        return Err(IndexFault::Classes { men, found: reached, expected: all });
    }
    Ok(())
}

/// Proves that the permutations of the index are the engine's sixteen symmetries.
///
/// # Errors
/// The first one that is not.
pub(crate) fn check_symmetries() -> Result<(), IndexFault> {
    let index = Index::get();
    let as_engine = |g: usize| {
        let is_same = |h: &usize| {
            let same = |set: u32| index.symmetries.apply(g, set) == Bitboard(set).transform(*h).0;
            // The index permutes each ring by itself, so the rings can be compared one by one.
            (0..3).all(|ring| (0..256).all(|points: u32| same(points << (8 * ring))))
        };
        (0..SYMMETRIES).find(is_same)
    };
    let found: Vec<Option<usize>> = (0..SYMMETRIES).map(as_engine).collect();
    match found.iter().position(|h| h.is_none() || found.iter().filter(|&other| other == h).count() > 1) {
        None => Ok(()),
        Some(g) => Err(IndexFault::Symmetry(g)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_holds_every_set_once_and_a_wrong_one_is_found() {
        assert_eq!(check_symmetries(), Ok(()));
        for men in 0..=12 {
            assert_eq!(check_index(men), Ok(()));
        }
        let index = Index::get();
        for spoil in [
            &|classes: &mut SetClasses| classes.representatives[5] = classes.representatives[6],
            &|classes: &mut SetClasses| classes.stabilisers[5] ^= 1,
            &|classes: &mut SetClasses| _ = classes.representatives.pop(),
        ] as [&dyn Fn(&mut SetClasses); 3]
        {
            let mut classes = index.classes(4).clone();
            spoil(&mut classes);
            check_classes(index, &classes, 4).expect_err("a wrong index");
        }
    }
}
