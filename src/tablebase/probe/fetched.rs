//! The files of the built-in tablebase in browsers, where they are fetched: each is larger than the engine.

use crate::rules::Rules;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::Sector;
use std::sync::OnceLock;

/// The names of the files and their games. That of the standard game is large and comes last.
const FILES: [(&str, Rules); 11] = [
    ("tablebase-no-flying", Rules::NO_FLYING),
    ("tablebase-el-filja", Rules::EL_FILJA),
    ("tablebase-ten-men", Rules::TEN_MEN),
    ("tablebase-twelve", Rules::TWELVE),
    ("tablebase-morabaraba", Rules::MORABARABA),
    ("tablebase-morabaraba-free", Rules::MORABARABA_FREE),
    ("tablebase-lasker", Rules::LASKER),
    ("tablebase-nerenchi", Rules::NERENCHI),
    ("tablebase-mul-mulan", Rules::MUL_MULAN),
    ("tablebase-dooz", Rules::DOOZ),
    ("tablebase", Rules::NINE),
];

/// The same files, once they have been fetched.
static FETCHED: [OnceLock<Vec<u8>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// Returns the files that have been fetched. Tests have all of them.
#[cfg(not(test))]
pub(super) fn containers() -> impl Iterator<Item = &'static [u8]> {
    FETCHED.iter().filter_map(OnceLock::get).map(Vec::as_slice)
}

/// Returns true if a file of a game holds positions of another game too: the first turns, if these have
/// values, or for that of the standard game the endgames.
fn holds_for(of: &Rules, game: &SolvedGame) -> bool {
    let Ok(own) = SolvedGame::new(of) else { return false };
    let hand = of.pieces_count;
    let start = Sector { own: 0, theirs: 0, own_hand: hand, their_hand: hand };
    let start = game.placing_refused.is_none().then_some(start);
    let endgame = (*of == Rules::NINE).then_some(Sector::moving(3, 3));
    [start, endgame].into_iter().flatten().any(|sector| own.fingerprint(sector) == game.fingerprint(sector))
}

/// Returns the names of the files for a game.
pub(crate) fn tables_for(rules: &Rules) -> Vec<&'static str> {
    let Ok(game) = SolvedGame::new(rules) else { return Vec::new() };
    FILES.iter().filter(|(_, of)| holds_for(of, &game)).map(|(name, _)| *name).collect()
}

/// Returns the game of a file and its place; `None` for unknown names.
pub(super) fn place_of(name: &str) -> Option<(SolvedGame, &'static OnceLock<Vec<u8>>)> {
    let ((_, rules), place) = FILES.iter().zip(&FETCHED).find(|((known, _), _)| *known == name)?;
    Some((SolvedGame::new(rules).ok()?, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_its_first_turns_and_some_the_endgames_of_the_standard_game() {
        let files = |rules: &str| tables_for(&rules.parse().expect("rules")).join(" ");
        for (rules, expected) in [
            ("nine", "tablebase"),
            ("nine,NMoveRule=50", "tablebase"),
            ("nine,MayFly=false", "tablebase-no-flying"),
            ("nine,PiecesCount=10", "tablebase-ten-men tablebase"),
            ("nine,PiecesCount=11", "tablebase"),
            ("lasker", "tablebase-lasker tablebase"),
            ("twelve", "tablebase-twelve"),
            ("morabaraba", "tablebase-morabaraba"),
            ("morabaraba,RestrictRepeatedMillsFormation=false", "tablebase-morabaraba-free"),
            ("el-filja", "tablebase-el-filja"),
            ("russian", ""),
            ("cheng-san-qi", ""),
        ] {
            assert_eq!(files(rules), expected, "{rules}");
        }
    }
}
