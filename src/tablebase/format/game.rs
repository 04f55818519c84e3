//! The part of a rule set that tablebase values depend on.

use super::index::Sector;
use super::value::TbValue;
use crate::rules::Rules;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// Rules as the solver needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolvedGame {
    /// True if the corners of the rings are joined, with four more lines.
    pub diagonals: bool,
    /// A side flies with at most this many men; 0 forbids flying.
    pub fly_at: u8,
    /// A side with fewer men (board and hand) has lost.
    pub least: u8,
    /// True if men in mills may be taken only when there are no others.
    pub mills_protect: bool,
    /// True if several mills closed at once take several men.
    pub multiple: bool,
    /// True if a side that cannot move draws instead of losing.
    pub blocked_draws: bool,
    /// Men of each side at the start: the most a sector can hold.
    pub men: u8,
    /// True if White loses when the last placement fills the board, instead of drawing.
    ///
    /// Only twelve men a side can.
    pub full_board_loses: bool,
    /// True if both sides take men by the numbers of mills when the last man is placed.
    ///
    /// Mills closed while placing take nothing then.
    pub settles: bool,
    /// True if Black opens the moving phase after it has placed the last man.
    pub black_opens: bool,
    /// The reason why tablebases cannot hold the placing phase of these rules, if there is one.
    pub placing_refused: Option<PlacingRefusal>,
}

/// A rule of the moving phase that needs more state than men and side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnsupportedRule {
    /// Custodian captures.
    Custodian,
    /// Intervention captures.
    Intervention,
    /// Leap captures.
    Leap,
    /// Mills that count only once.
    OneTimeMills,
    /// Mills that must not be closed again at once.
    RepeatedMills,
    /// A side that cannot move neither loses nor draws.
    Stalemate,
}

/// A rule of the placing phase that tablebases cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlacingRefusal {
    /// Captures other than by mills.
    Captures,
    /// Men may move while others are in hand.
    MovingWhilePlacing,
    /// A mill takes a man from the hand, or leaves a mark on the board.
    MillAction,
    /// Black is the first to take men in the settlement.
    DefenderFirst,
    /// Several mills take several men.
    SeveralTakes,
    /// Placing stops when two points are empty.
    TwoEmptySquares,
    /// A full board does not end the game.
    FullBoard,
}

impl fmt::Display for UnsupportedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the index cannot represent ")?;
        f.write_str(match self {
            Self::Custodian => "custodian captures in the moving phase",
            Self::Intervention => "intervention captures in the moving phase",
            Self::Leap => "leap captures in the moving phase",
            Self::OneTimeMills => "mills that count only once (OneTimeUseMill)",
            Self::RepeatedMills => {
                "mills that must not be closed again at once (RestrictRepeatedMillsFormation)"
            }
            Self::Stalemate => {
                "a side that cannot move and neither loses nor draws (StalemateAction 1, 2, 3, 5)"
            }
        })
    }
}

impl fmt::Display for PlacingRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Captures => "the index cannot represent captures other than by mills",
            Self::MovingWhilePlacing => {
                "moving while placing makes hands go down out of turn (MayMoveInPlacingPhase)"
            }
            Self::MillAction => {
                "mills closed while placing must take a man from the board at once, or when all men are \
                 placed (MillFormationActionInPlacingPhase 0, 3 or 5)"
            }
            Self::DefenderFirst => {
                "White must be the first to take when all men are placed (IsDefenderMoveFirst off with \
                 MillFormationActionInPlacingPhase 5)"
            }
            Self::SeveralTakes => "several takes can be due with no man left to take (MayRemoveMultiple)",
            Self::TwoEmptySquares => "hands do not go down in strict turn (StopPlacingWhenTwoEmptySquares)",
            Self::FullBoard => "a full board must end the game (BoardFullAction 0 or 4)",
        })
    }
}

impl SolvedGame {
    /// Returns the part of `rules` that tablebases depend on.
    ///
    /// # Errors
    /// If the rules of the moving phase need more state than men and side to move.
    pub fn new(rules: &Rules) -> Result<Self, UnsupportedRule> {
        let captures = [
            (&rules.custodian, UnsupportedRule::Custodian),
            (&rules.intervention, UnsupportedRule::Intervention),
            (&rules.leap, UnsupportedRule::Leap),
        ];
        let refused = captures
            .into_iter()
            .find_map(|(rule, refusal)| (rule.enabled && rule.in_moving_phase).then_some(refusal))
            .or(rules.one_time_use_mill.then_some(UnsupportedRule::OneTimeMills))
            .or(rules.restrict_repeated_mills_formation.then_some(UnsupportedRule::RepeatedMills))
            .or((!matches!(rules.stalemate_action, 0 | 4)).then_some(UnsupportedRule::Stalemate));
        if let Some(rule) = refused {
            return Err(rule);
        }
        Ok(Self {
            diagonals: rules.has_diagonal_lines,
            fly_at: if rules.may_fly { rules.fly_piece_count } else { 0 },
            least: rules.pieces_at_least_count,
            mills_protect: !rules.may_remove_from_mills_always,
            multiple: rules.may_remove_multiple,
            blocked_draws: rules.stalemate_action == 4,
            men: rules.pieces_count,
            full_board_loses: rules.pieces_count == 12 && rules.board_full_action == 0 && !settles(rules),
            settles: settles(rules),
            black_opens: rules.is_defender_move_first,
            placing_refused: placing_refused(rules),
        })
    }

    /// Returns the men of `set` that the other side may take.
    #[inline]
    pub fn takeable(&self, set: u32) -> u32 {
        let outside = set & !super::board::in_mills(set, self.diagonals);
        if self.mills_protect && outside != 0 { outside } else { set }
    }

    /// The value of a full board, where White is to move and the game is over, for White.
    pub const fn full_board(&self) -> TbValue {
        if self.full_board_loses { TbValue::LOST } else { TbValue::DRAW }
    }

    /// Identifies the rules that the values of a sector depend on.
    ///
    /// In the moving phase the number of men at the start does not matter, so games that differ only before
    /// it share their files.
    pub fn fingerprint(&self, sector: Sector) -> u64 {
        xxh3_64(self.describe(!sector.is_moving()).as_bytes())
    }

    /// The rules in words, as the manifest records them and the fingerprint hashes them.
    pub fn describe(&self, placing: bool) -> String {
        let Self { diagonals, fly_at, least, mills_protect, multiple, blocked_draws, men, .. } = self;
        let full_board = if self.full_board_loses { " full_board_loses=true" } else { "" };
        let moving = format!(
            "diagonals={diagonals} fly_at={fly_at} least={least} mills_protect={mills_protect} \
             multiple={multiple} blocked_draws={blocked_draws}"
        );
        let settles = if self.settles { " settles=true" } else { "" };
        let black_opens = if self.black_opens { " black_opens=true" } else { "" };
        if placing { format!("{moving} men={men}{full_board}{settles}{black_opens}") } else { moving }
    }

    /// The most men of a side in the moving phase: the settlement takes at least one of each side.
    pub const fn most_moving(&self) -> u8 {
        self.men - self.settles as u8
    }

    /// The sectors of the moving phase with at most `most` men on the board.
    ///
    /// Each comes after those it depends on. A pair of sectors stands for both sides to move.
    pub fn pairs(&self, most: u8) -> Vec<(u8, u8)> {
        let (least, men) = (self.least, self.most_moving());
        // A full board has no moves.
        (2 * least..=most.min(2 * men).min(23))
            .flat_map(|total| {
                (least..=men).filter_map(move |b| {
                    let a = total.checked_sub(b)?;
                    (a >= b && a <= men).then_some((a, b))
                })
            })
            .collect()
    }
}

/// Returns true if mills closed while placing count when all men are placed, and not before.
const fn settles(rules: &Rules) -> bool {
    rules.mill_formation_action_in_placing_phase == 5
}

fn placing_refused(rules: &Rules) -> Option<PlacingRefusal> {
    if [&rules.custodian, &rules.intervention, &rules.leap].iter().any(|rule| rule.enabled) {
        Some(PlacingRefusal::Captures)
    } else if rules.may_move_in_placing_phase {
        Some(PlacingRefusal::MovingWhilePlacing)
    } else if !matches!(rules.mill_formation_action_in_placing_phase, 0 | 3) && !settles(rules) {
        Some(PlacingRefusal::MillAction)
    } else if rules.is_defender_move_first && settles(rules) {
        Some(PlacingRefusal::DefenderFirst)
    } else if rules.may_remove_multiple && !settles(rules) {
        Some(PlacingRefusal::SeveralTakes)
    } else if rules.pieces_count == 12 && rules.stop_placing_when_two_empty_squares {
        Some(PlacingRefusal::TwoEmptySquares)
    } else if rules.pieces_count == 12 && !matches!(rules.board_full_action, 0 | 4) && !settles(rules) {
        Some(PlacingRefusal::FullBoard)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_stay_what_they_are_in_files_that_people_have() {
        let placing = Sector { own: 8, theirs: 9, own_hand: 1, their_hand: 0 };
        let game = |rules: &Rules| SolvedGame::new(rules).expect("supported");
        let draws = Rules { board_full_action: 4, ..Rules::TWELVE };
        let text = "diagonals=true fly_at=3 least=3 mills_protect=true multiple=false blocked_draws=false";
        assert_eq!(game(&draws).describe(true), format!("{text} men=12"));
        let loses = game(&Rules::TWELVE);
        assert_eq!(loses.describe(true), format!("{text} men=12 full_board_loses=true"));
        assert_eq!(loses.describe(false), text);
        let black_opens = game(&Rules { is_defender_move_first: true, ..Rules::TWELVE });
        assert_eq!(
            black_opens.describe(true),
            format!("{text} men=12 full_board_loses=true black_opens=true")
        );
        assert_eq!(black_opens.describe(false), text);
        // The settlement leaves no board full, so the rule for full boards does not matter.
        for board_full_action in 0..5 {
            let settles = game(&Rules { board_full_action, ..Rules::EL_FILJA });
            let words = "diagonals=false fly_at=0 least=3 mills_protect=false multiple=false";
            let expected = format!("{words} blocked_draws=false men=12 settles=true");
            assert_eq!(settles.describe(true), expected);
        }
        assert_eq!(game(&Rules::NINE).fingerprint(placing), 0xFEF0_CA8E_EBC1_AB71);
        assert_eq!(game(&Rules::NINE).fingerprint(Sector::moving(9, 8)), 0xFB55_942B_7DF6_71CE);
    }
}
