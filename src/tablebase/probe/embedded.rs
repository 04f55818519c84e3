//! The tablebases built into the program: the small sectors of each game in one file, a *container* made by
//! `millstone tb embed`. The packages `millstone-tablebase` and `millstone-tablebase-variants` in `data` hold
//! the bytes.

#[cfg(target_arch = "wasm32")]
use super::fetched;
#[cfg(all(not(test), target_arch = "wasm32"))]
use super::fetched::containers;
use super::set::TbSet;
use crate::platform::files::{open_regular, read_regular};
#[cfg(target_arch = "wasm32")]
use crate::tablebase::format::error::FileDifference;
use crate::tablebase::format::error::{ContainerFault, TablebaseError};
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::game::SolvedGame;
use std::io::Read as _;
use std::path::Path;

/// Returns the containers: magic, number of files (32 bits), length of each (32 bits), the files.
#[cfg(any(test, not(target_arch = "wasm32")))]
fn containers() -> impl Iterator<Item = &'static [u8]> {
    use millstone_tablebase_variants::{
        DOOZ, EL_FILJA, LASKER, MORABARABA, MORABARABA_FREE, MUL_MULAN, NERENCHI, NO_FLYING, TEN_MEN, TWELVE,
    };
    let variants = [
        NO_FLYING,
        EL_FILJA,
        TEN_MEN,
        TWELVE,
        MORABARABA,
        MORABARABA_FREE,
        LASKER,
        NERENCHI,
        MUL_MULAN,
        DOOZ,
    ];
    std::iter::once(millstone_tablebase::CONTAINER).chain(variants)
}

/// The name of the built-in tablebase in messages.
const NAME: &str = "the built-in tablebase";
const MAGIC: &[u8; 8] = b"MILLSET\x1A";
/// Memory for decoded blocks of the built-in files, enough for all blocks in use at once.
const CACHE_BYTES: usize = 4 << 20;

/// Returns the built-in files that hold for `game`.
///
/// # Errors
/// If the bytes are damaged.
pub(crate) fn open(game: &SolvedGame) -> Result<TbSet, TablebaseError> {
    let mut files = Vec::new();
    for container in containers() {
        files.extend(split(container)?);
    }
    files.retain(|file| file.header.fingerprint == game.fingerprint(file.header.sector));
    Ok(TbSet::new(files, CACHE_BYTES))
}

/// Makes these bytes a file of the built-in tablebase, for good. A second call has no effect, nor has an
/// unknown name.
///
/// # Errors
/// If they are damaged, or those of another file.
#[cfg(target_arch = "wasm32")]
pub(crate) fn provide_tables(name: &str, bytes: Vec<u8>) -> Result<(), TablebaseError> {
    let Some((game, place)) = fetched::place_of(name) else { return Ok(()) };
    // Before they are kept: what is kept stays in memory.
    for file in parts(&bytes)? {
        let (header, _) = TbFile::read_head(Path::new(NAME), &file)?;
        let (found, expected) = (header.fingerprint, game.fingerprint(header.sector));
        if found != expected {
            let difference = FileDifference::Fingerprint { found, expected };
            return Err(TablebaseError::Foreign { path: NAME.into(), difference });
        }
    }
    place.get_or_init(|| bytes);
    Ok(())
}

/// Opens the files of a container.
fn split(bytes: &'static [u8]) -> Result<Vec<TbFile>, TablebaseError> {
    parts(bytes)?.into_iter().map(|file| TbFile::from_memory(NAME, file)).collect()
}

/// Returns the bytes of each file of a container.
fn parts(bytes: &[u8]) -> Result<Vec<&[u8]>, TablebaseError> {
    let damaged = |fault| TablebaseError::damaged(Path::new(NAME), fault);
    let word = |at: usize| -> Result<usize, TablebaseError> {
        let bytes = bytes.get(at..at + 4).ok_or_else(|| damaged(ContainerFault::List))?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()) as usize)
    };
    if !bytes.starts_with(MAGIC) {
        return Err(damaged(ContainerFault::Start));
    }
    let count = word(8)?;
    let mut start = 12 + 4 * count;
    let mut files = Vec::new();
    for number in 0..count {
        let end = start + word(12 + 4 * number)?;
        files.push(bytes.get(start..end).ok_or_else(|| damaged(ContainerFault::File))?);
        start = end;
    }
    Ok(files)
}

/// Returns true if a file begins as a container does.
///
/// # Errors
/// If it cannot be read, or is no regular file.
pub(crate) fn is_container(path: &Path) -> Result<bool, TablebaseError> {
    let fail = |why| TablebaseError::io("read", path)(why);
    let mut start = Vec::new();
    let file = open_regular(path).map_err(fail)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(fail)?;
    Ok(start == MAGIC)
}

/// Puts finished files into one container.
///
/// # Errors
/// If a file cannot be read or is damaged.
pub(crate) fn join(opened: &[TbFile]) -> Result<Vec<u8>, TablebaseError> {
    let mut files = Vec::new();
    for file in opened {
        file.read_all(1)?;
        let path = file.path();
        files.push(read_regular(path, file.bytes()).map_err(TablebaseError::io("read", path))?);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(files.len() as u32).to_le_bytes());
    files.iter().for_each(|file| bytes.extend_from_slice(&(file.len() as u32).to_le_bytes()));
    files.iter().for_each(|file| bytes.extend_from_slice(file));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::rules::Rules;
    use crate::tablebase::{Tablebase, Wdl};
    use crate::types::Color;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    /// The games besides the standard one: the numbers of first turns that win, draw and lose, and the number
    /// of men that have left the hands, placed or taken, up to which positions are built in.
    const VARIANTS: [(Rules, [usize; 3], u32); 10] = [
        (Rules::NO_FLYING, [0, 24, 0], 8),
        (Rules::EL_FILJA, [24, 0, 0], 9),
        (Rules::TEN_MEN, [0, 24, 0], 8),
        (Rules::TWELVE, [12, 8, 4], 8),
        (Rules::MORABARABA, [12, 12, 0], 7),
        (Rules::MORABARABA_FREE, [12, 12, 0], 8),
        (Rules::LASKER, [0, 24, 0], 9),
        (Rules::NERENCHI, [0, 0, 24], 6),
        (Rules::MUL_MULAN, [0, 24, 0], 8),
        (Rules::DOOZ, [24, 0, 0], 8),
    ];

    /// In Node it takes most of a minute.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn the_built_in_tables_are_sound() {
        for container in containers() {
            for file in split(container).expect("a sound container") {
                file.read_all(1).expect("a sound file");
            }
        }
        for rules in VARIANTS.iter().map(|&(rules, ..)| rules).chain([Rules::NINE]) {
            let game = SolvedGame::new(&rules).expect("supported");
            assert!(!open(&game).expect("sound containers").is_empty(), "{rules}");
        }
    }

    #[test]
    fn the_first_turns_of_variants_are_known() {
        for (rules, expected, men) in VARIANTS {
            let mut tablebase = Tablebase::new(&rules).expect("supported");
            tablebase.add_embedded().expect("a sound container");
            let start = Position::new(&rules);
            let (known, unknown) = tablebase.known_moves(&start).expect("a sound tablebase");
            assert!(known.len() == 24 && unknown.is_empty());
            let count = |wdl: Wdl| known.iter().filter(|ranked| ranked.value.wdl == wdl).count();
            assert_eq!([Wdl::Win, Wdl::Draw, Wdl::Loss].map(count), expected, "{rules}");
            // Random games are known up to the last of these men, takes included, and no further.
            let mut random = StdRng::seed_from_u64(1);
            for _ in 0..20 {
                let mut pos = Position::new(&rules);
                let gone = |pos: &Position| 2 * u32::from(rules.pieces_count) - pos.men_in_hand();
                while gone(&pos) <= men {
                    let value = tablebase.probe(&pos).expect("a sound tablebase");
                    // Hands differ by more only where men slide early.
                    let apart = pos.hand(Color::White).abs_diff(pos.hand(Color::Black));
                    let taken = gone(&pos) - pos.men(Color::White).count() - pos.men(Color::Black).count();
                    let is_last = gone(&pos) == men && rules == Rules::LASKER;
                    let is_held = if is_last { apart <= 1 && taken <= 2 } else { apart <= 3 };
                    assert_eq!(value.is_some(), is_held, "{pos:?}");
                    let legal = pos.legal_moves();
                    pos.do_move(legal[random.random_range(0..legal.len())]);
                }
                while pos.is_take_due() {
                    pos.do_move(pos.legal_moves()[0]);
                }
                assert!(tablebase.probe(&pos).expect("a sound tablebase").is_none(), "{pos:?}");
            }
        }
    }

    #[test]
    fn lasker_lacks_what_seldom_arises() {
        let mut tablebase = Tablebase::new(&Rules::LASKER).expect("supported");
        tablebase.add_embedded().expect("a sound container");
        // Eight men placed, hands that differ by two and by four; nine men placed, two and three taken.
        for (board, men, is_held) in [
            ("O*O**@**/*@O*****/@*@*@***", "3 7 5 5", true),
            ("O****@**/*@O*****/@*@*@*@*", "2 8 6 4", false),
            ("O*O**@**/*@O*****/O*@*****", "4 6 3 5", true),
            ("O*O**@**/**O*****/O*@*****", "4 6 2 5", false),
        ] {
            let text = format!("{board} w p p {men} 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
            let pos = Position::from_fen(&Rules::LASKER, &text).expect("a position");
            let value = tablebase.probe(&pos).expect("a sound tablebase");
            assert_eq!(value.is_some(), is_held, "{text}");
        }
    }

    #[test]
    fn the_last_two_placings_of_el_filja_are_known() {
        let mut tablebase = Tablebase::new(&Rules::EL_FILJA).expect("supported");
        tablebase.add_embedded().expect("a sound container");
        let mut random = StdRng::seed_from_u64(1);
        for _ in 0..20 {
            let mut pos = Position::new(&Rules::EL_FILJA);
            while pos.men_in_hand() > 0 {
                let is_held = pos.men_in_hand() >= 15 || pos.men_in_hand() <= 2;
                let value = tablebase.probe(&pos).expect("a sound tablebase");
                assert_eq!(value.is_some(), is_held, "{pos:?}");
                let legal = pos.legal_moves();
                pos.do_move(legal[random.random_range(0..legal.len())]);
            }
        }
    }

    #[test]
    fn every_move_of_the_tenth_turn_is_known() {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game is supported");
        tablebase.add_embedded().expect("a sound container");
        // Only one of fifteen moves keeps the value, and one of seventeen. A search of one second missed
        // both.
        for (fen, value) in [
            ("O@****O*/*@*O@*O*/*O****@* b p p 5 4 4 5 0 0 -1 -1 -1 -1 0 0 5 ids:nodes", Wdl::Win),
            ("****O***/**O*O***/@@**O**@ b p p 4 4 3 5 0 0 -1 -1 -1 -1 0 0 5 ids:nodes", Wdl::Draw),
        ] {
            let pos = Position::from_fen(&Rules::NINE, fen).expect("a position");
            let (known, unknown) = tablebase.known_moves(&pos).expect("a sound tablebase");
            assert!(unknown.is_empty(), "{fen}");
            assert_eq!(known.iter().filter(|ranked| ranked.value.wdl == value).count(), 1, "{fen}");
            assert_eq!(known[0].value.wdl, value, "{fen}");
        }
    }

    #[test]
    fn a_win_of_six_men_against_four_is_followed_to_its_end() {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game is supported");
        tablebase.add_embedded().expect("a sound container");
        let fen = "**O****@/**O@***O/*O*@@OO* w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        let mut pos = Position::from_fen(&Rules::NINE, fen).expect("a position");
        let mut plies = Vec::new();
        while !pos.outcome().is_over() {
            if pos.side_to_move() == Color::Black {
                // The loser plays any move.
                pos.do_move(pos.playable_moves()[0]);
                continue;
            }
            let (known, unknown) = tablebase.known_moves(&pos).expect("a sound tablebase");
            assert!(unknown.is_empty(), "{}", pos.fen());
            plies.push(known[0].value.plies.unwrap_or_else(|| panic!("a distance in {}", pos.fen())));
            pos.do_move(known[0].m);
        }
        assert_eq!(pos.outcome().winner, Some(Color::White));
        assert!(plies[0] >= 20, "too near to need a tablebase: {plies:?}");
        assert!(plies.is_sorted_by(|before, after| before >= after), "{plies:?}");
    }

    #[test]
    fn the_built_in_tables_end_before_the_placing_phase_of_a_whole_game_does() {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game is supported");
        tablebase.add_embedded().expect("a sound container");
        let outlast = |fen: &str| {
            let pos = Position::from_fen(&Rules::NINE, fen).expect("a position");
            assert!(tablebase.probe(&pos).expect("a sound tablebase").is_some(), "{fen}");
            tablebase.outlast_placing(&pos).expect("a sound tablebase")
        };
        assert!(!outlast("********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"));
        assert!(outlast("O@*O****/***@****/**O***@* w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes"));
    }

    #[test]
    fn a_side_without_men_has_none_to_settle() {
        let mut tablebase = Tablebase::new(&Rules::EL_FILJA).expect("supported");
        tablebase.add_embedded().expect("a sound container");
        let text = "O*******/********/******** w p p 1 11 0 0 0 0 -1 -1 -1 -1 0 0 2 ids:nodes";
        let pos = Position::from_fen(&Rules::EL_FILJA, text).expect("a position");
        assert!(!tablebase.outlast_placing(&pos).expect("a sound tablebase"));
    }

    #[test]
    fn a_placing_after_which_the_same_side_moves_keeps_the_result_of_that_side() {
        let rules = Rules { is_defender_move_first: true, pieces_count: 3, ..Rules::NINE };
        let mut tablebase = Tablebase::new(&rules).expect("the moving phase is supported");
        tablebase.add_embedded().expect("a sound container");
        let mut pos = Position::new(&rules);
        for text in ["d6", "f4", "d2", "b4", "a1"] {
            pos.do_move(crate::notation::parse(&pos, text).expect("a legal move"));
        }
        let (known, unknown) = tablebase.known_moves(&pos).expect("a sound tablebase");
        assert!(unknown.is_empty() && !known.is_empty());
        let results = tablebase.move_results(&pos).expect("a sound tablebase").expect("all are known");
        for ranked in &known {
            let mut after = pos.clone();
            after.do_move(ranked.m);
            assert_eq!(after.side_to_move(), Color::Black, "Black opens the moving phase");
            assert_eq!(
                tablebase.probe(&after).expect("a sound tablebase"),
                Some(ranked.value.wdl),
                "{}",
                ranked.m
            );
            assert!(results.contains(&(ranked.m, ranked.value.wdl)), "{}", ranked.m);
        }
    }
}
