//! The part of a rule set that tablebase values depend on.

use super::board::{ends_around, is_midpoint, members};
use super::index::Sector;
use super::value::TbValue;
use crate::rules::{CaptureRule, NAMED, Rules, blocked, full_board, placing_mill};
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
    /// True if White loses when the board is full at the end of placing, instead of drawing.
    ///
    /// Only twelve men a side can.
    pub full_board_loses: bool,
    /// True if White takes a man when the board is full at the end of placing, and Black moves next.
    ///
    /// Only twelve men a side can.
    pub full_board_takes: bool,
    /// True if both sides take men by the numbers of mills when the last man is placed.
    ///
    /// Mills closed while placing take nothing then.
    pub settles: bool,
    /// True if Black opens the moving phase after it has placed the last man.
    pub black_opens: bool,
    /// True if a side may slide while it has men in hand.
    pub slides_while_placing: bool,
    /// True if a mill closed by placing takes a man from the opponent's hand, while there is one.
    pub takes_from_hand: bool,
    /// True if a man that left a mill to close another may not go straight back and close the first.
    pub bans_returns: bool,
    /// The lines on which a man that comes between two men of the other side takes both.
    pub intervention: InterventionLines,
    /// The reason why tablebases cannot hold the placing phase of these rules, if there is one.
    pub placing_refused: Option<PlacingRefusal>,
}

/// The families of lines on which interventions take men; on none without the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InterventionLines {
    /// The sides of the rings.
    pub sides: bool,
    /// The lines across the rings that join midpoints.
    pub crosses: bool,
    /// The lines across the rings that join corners.
    pub diagonals: bool,
}

impl InterventionLines {
    fn new(rules: &Rules) -> Self {
        let rule = &rules.intervention;
        if !works_while_moving(rule) {
            return Self::default();
        }
        Self {
            sides: rule.on_square_edges,
            crosses: rule.on_cross_lines,
            diagonals: rule.on_diagonal_lines && rules.has_diagonal_lines,
        }
    }

    /// Returns true if there is an intervention on any line.
    pub const fn any(self) -> bool {
        self.sides || self.crosses || self.diagonals
    }
}

/// The men that an intervention takes.
const MEN_OF_INTERVENTION: u8 = 2;

/// The most mills that one man can close at once, on a board with diagonals.
const MAX_MILLS: u8 = 3;

/// The fewest men on the board that can be a mill.
const MEN_OF_MILL: u8 = 3;

/// A way to begin a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// A man comes from the hand.
    Place,
    /// A man moves to a neighbouring point, or to any empty point if its side flies.
    Slide,
}

impl TurnKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Place, Self::Slide];

    /// The number of men that come to the board.
    pub const fn placed(self) -> u8 {
        matches!(self, Self::Place) as u8
    }
}

/// A rule of the moving phase that needs more state than men and side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnsupportedRule {
    /// Custodian captures.
    Custodian,
    /// Intervention captures with few men only, or where several mills take several men.
    Intervention,
    /// Leap captures.
    Leap,
    /// Mills that count only once.
    OneTimeMills,
    /// Mills that must not be closed again at once, where a turn can take other than one man.
    RepeatedMills,
    /// A side that cannot move neither loses nor draws.
    Stalemate,
}

/// A rule of the placing phase that tablebases cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlacingRefusal {
    /// Custodian or leap captures, or interventions that do not go with the other rules.
    Captures,
    /// Men may move while others are in hand, and mills closed by placing do not just take from the board.
    MovingWhilePlacing,
    /// A mill gives another turn, or leaves a mark on the board.
    MillAction,
    /// Black begins when all men are placed, after a settlement or hands that went down out of turn.
    DefenderFirst,
    /// Several mills take several men.
    SeveralTakes,
    /// Placing stops when two points are empty.
    TwoEmptySquares,
    /// A full board leads to takes that depend on more than the side to move.
    FullBoard,
    /// Takes from the hand can leave a side with too few men, and the game goes on.
    FewMen,
    /// Mills must not be closed again at once, and men slide while others are in hand.
    RepeatedMills,
}

impl fmt::Display for UnsupportedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the index cannot represent ")?;
        f.write_str(match self {
            Self::Custodian => "custodian captures in the moving phase",
            Self::Intervention => {
                "intervention captures in the moving phase together with \
                 InterventionCaptureOnlyWhenOwnPiecesLeq3 or MayRemoveMultiple"
            }
            Self::Leap => "leap captures in the moving phase",
            Self::OneTimeMills => "mills that count only once (OneTimeUseMill)",
            Self::RepeatedMills => {
                "mills that must not be closed again at once (RestrictRepeatedMillsFormation) together with \
                 MayRemoveMultiple or intervention captures in the moving phase"
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
            Self::Captures => {
                "captures other than by mills must be interventions, in both phases, with mills that take at \
                 once and hands that go down in strict turn (InterventionCaptureInPlacingPhase and \
                 InterventionCaptureInMovingPhase, MillFormationActionInPlacingPhase 0 or 3, without \
                 MayMoveInPlacingPhase)"
            }
            Self::MovingWhilePlacing => {
                "mills must take men from the board at once if men may move while others are in hand \
                 (MillFormationActionInPlacingPhase 0 or 3 with MayMoveInPlacingPhase)"
            }
            Self::MillAction => {
                "mills closed while placing must take a man at once, or when all men are placed \
                 (MillFormationActionInPlacingPhase 0, 1, 3 or 5)"
            }
            Self::DefenderFirst => {
                "White must be the first when all men are placed, unless hands go down in strict turn and \
                 mills take at once (IsDefenderMoveFirst off with MayMoveInPlacingPhase or with \
                 MillFormationActionInPlacingPhase 1 or 5)"
            }
            Self::SeveralTakes => "several takes can be due with no man left to take (MayRemoveMultiple)",
            Self::TwoEmptySquares => "hands do not go down in strict turn (StopPlacingWhenTwoEmptySquares)",
            Self::FullBoard => {
                "a full board must end the game, or White must take a man and Black move then \
                 (BoardFullAction 0, 3 or 4; 3 only with IsDefenderMoveFirst off; with \
                 MayMoveInPlacingPhase only 4)"
            }
            Self::RepeatedMills => {
                "men must not slide while others are in hand if mills must not be closed again at once \
                 (RestrictRepeatedMillsFormation with MayMoveInPlacingPhase or with \
                 MillFormationActionInPlacingPhase 1)"
            }
            Self::FewMen => {
                "takes from the hand can leave a side with too few men (MillFormationActionInPlacingPhase 1 \
                 with so small a PiecesCount or so large a PiecesAtLeastCount)"
            }
        })
    }
}

impl SolvedGame {
    /// Returns the part of `rules` that tablebases depend on.
    ///
    /// # Errors
    /// If the rules of the moving phase need more state than men and side to move.
    pub fn new(rules: &Rules) -> Result<Self, UnsupportedRule> {
        let takes_otherwise = rules.may_remove_multiple || works_while_moving(&rules.intervention);
        let is_limited = rules.intervention.only_when_own_pieces_leq3 || rules.may_remove_multiple;
        let refused = (works_while_moving(&rules.custodian).then_some(UnsupportedRule::Custodian))
            .or((works_while_moving(&rules.intervention) && is_limited)
                .then_some(UnsupportedRule::Intervention))
            .or(works_while_moving(&rules.leap).then_some(UnsupportedRule::Leap))
            .or(rules.one_time_use_mill.then_some(UnsupportedRule::OneTimeMills))
            .or((rules.restrict_repeated_mills_formation && takes_otherwise)
                .then_some(UnsupportedRule::RepeatedMills))
            .or((!matches!(rules.stalemate_action, blocked::LOSES | blocked::DRAWS))
                .then_some(UnsupportedRule::Stalemate));
        if let Some(rule) = refused {
            return Err(rule);
        }
        Ok(Self {
            diagonals: rules.has_diagonal_lines,
            fly_at: if rules.may_fly { rules.fly_piece_count } else { 0 },
            least: rules.pieces_at_least_count,
            mills_protect: !rules.may_remove_from_mills_always,
            multiple: rules.may_remove_multiple,
            blocked_draws: rules.stalemate_action == blocked::DRAWS,
            men: rules.pieces_count,
            full_board_loses: fills_board(rules) && rules.board_full_action == full_board::WHITE_LOSES,
            full_board_takes: fills_board(rules) && rules.board_full_action == full_board::MOVER_TAKES,
            settles: settles(rules),
            black_opens: rules.is_defender_move_first,
            slides_while_placing: rules.may_move_in_placing_phase,
            takes_from_hand: rules.mill_formation_action_in_placing_phase == placing_mill::TAKES_FROM_HAND,
            bans_returns: rules.restrict_repeated_mills_formation,
            intervention: InterventionLines::new(rules),
            placing_refused: placing_refused(rules),
        })
    }

    /// Returns the men of `set` that the other side may take.
    #[inline]
    pub fn takeable(&self, set: u32) -> u32 {
        let outside = set & !super::board::in_mills(set, self.diagonals);
        if self.mills_protect && outside != 0 { outside } else { set }
    }

    /// Returns the sets that are left of `set` after so many takes from it, each once.
    pub fn left(&self, set: u32, takes: u32) -> Vec<u32> {
        let mut sets = vec![set];
        for _ in 0..takes {
            let after = |&set: &u32| members(self.takeable(set)).map(move |point| set & !(1 << point));
            sets = sets.iter().flat_map(after).collect();
            sets.sort_unstable();
            sets.dedup();
        }
        sets
    }

    /// Returns the men of `theirs` that a man of the other side takes when it comes to `point` between them.
    ///
    /// It takes no others then. If it comes between men on two lines, that across the rings counts.
    #[inline]
    pub fn between(&self, point: u32, theirs: u32) -> u32 {
        let (across, side) = ends_around(point);
        let InterventionLines { sides, crosses, diagonals } = self.intervention;
        let takes_across = if is_midpoint(point) { crosses } else { diagonals };
        let lines = [(across, takes_across), (side, sides)].into_iter();
        let ends = lines.filter(|&(ends, takes)| takes && ends != 0 && theirs & ends == ends);
        ends.map(|(ends, _)| ends & self.takeable(theirs)).next().unwrap_or(0)
    }

    /// The value of a full board that ends the game, for White, who would be to move.
    pub const fn full_board(&self) -> TbValue {
        if self.full_board_loses { TbValue::LOST } else { TbValue::DRAW }
    }

    /// Returns true if turns alternate strictly while placing: both hands go down by one man a turn.
    pub const fn places_in_turn(&self) -> bool {
        !self.slides_while_placing && !self.takes_from_hand
    }

    /// The most men that one turn takes by mills.
    pub const fn most_by_mills(&self) -> u8 {
        if self.multiple { MAX_MILLS } else { 1 }
    }

    /// The most men that one turn takes.
    pub const fn most_taken(&self) -> u8 {
        // Rules with both `multiple` and interventions are not supported.
        if self.intervention.any() { MEN_OF_INTERVENTION } else { self.most_by_mills() }
    }

    /// Returns true if the mover of `sector` may begin a turn in this way.
    pub const fn allows(&self, sector: Sector, turn: TurnKind) -> bool {
        match turn {
            TurnKind::Place => sector.own_hand > 0,
            TurnKind::Slide => sector.own > 0 && (sector.own_hand == 0 || self.slides_while_placing),
        }
    }

    /// Returns true if the mover of `sector` flies.
    pub const fn flies(&self, sector: Sector) -> bool {
        sector.own_hand == 0 && sector.own <= self.fly_at
    }

    /// Returns true if the mover of `sector` can be without a turn.
    ///
    /// A side that places or flies finds an empty point.
    pub const fn can_be_blocked(&self, sector: Sector) -> bool {
        !self.flies(sector) && !self.allows(sector, TurnKind::Place)
    }

    /// Returns true if slides lead from the sector to its mirror, and back.
    pub const fn is_cyclic(&self, sector: Sector) -> bool {
        self.allows(sector, TurnKind::Slide) && self.allows(sector.mirrored(), TurnKind::Slide)
    }

    /// Returns true if mills closed by this kind of turn take from the hand in `sector`.
    pub const fn takes_in_hand(&self, sector: Sector, turn: TurnKind) -> bool {
        self.takes_from_hand && matches!(turn, TurnKind::Place) && sector.their_hand > 0
    }

    /// Returns the sector after a turn from `sector` that takes `taken` men.
    ///
    /// The mover [may](Self::allows) begin a turn in this way. `None` if it ends the game, or if no turn
    /// takes so many.
    ///
    /// After the last placing of a game that settles, these are the positions before the settlement.
    pub fn after(&self, sector: Sector, turn: TurnKind, taken: u8) -> Option<Sector> {
        if self.settles && turn == TurnKind::Place && taken > 0 {
            return None;
        }
        let from_hand = if self.takes_in_hand(sector, turn) { taken } else { 0 };
        let next = Sector {
            own: sector.theirs.checked_sub(taken - from_hand)?,
            theirs: sector.own + turn.placed(),
            own_hand: sector.their_hand.checked_sub(from_hand)?,
            their_hand: sector.own_hand.checked_sub(turn.placed())?,
        };
        // Only a take from the board can end the game. A take from the hand counts only if the mover has the
        // three men of a mill. A take from the board counts with fewer men too, because the files that people
        // have include the sectors after it.
        let is_possible = match from_hand > 0 {
            true => next.theirs >= MEN_OF_MILL,
            false => next.own + next.own_hand >= self.least,
        };
        is_possible.then_some(next)
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
        let full_board = match (self.full_board_loses, self.full_board_takes) {
            (true, _) => " full_board_loses=true",
            (_, true) => " full_board_takes=true",
            _ => "",
        };
        let InterventionLines { sides, crosses, diagonals: on_diagonals } = self.intervention;
        let intervention = match self.intervention.any() {
            true => format!(" intervention=sides:{sides},crosses:{crosses},diagonals:{on_diagonals}"),
            false => String::new(),
        };
        let returns = if self.bans_returns { " bans_returns=true" } else { "" };
        let moving = format!(
            "diagonals={diagonals} fly_at={fly_at} least={least} mills_protect={mills_protect} \
             multiple={multiple} blocked_draws={blocked_draws}{intervention}{returns}"
        );
        let settles = if self.settles { " settles=true" } else { "" };
        let black_opens = if self.black_opens { " black_opens=true" } else { "" };
        let slides = if self.slides_while_placing { " slides_while_placing=true" } else { "" };
        let hand = if self.takes_from_hand { " takes_from_hand=true" } else { "" };
        match placing {
            true => format!("{moving} men={men}{full_board}{settles}{black_opens}{slides}{hand}"),
            false => moving,
        }
    }

    /// The sectors of the moving phase to which takes lead from `sector` or its mirror, any number of them.
    pub(in crate::tablebase) fn smaller(&self, sector: Sector) -> impl Iterator<Item = Sector> {
        let (most, other) = (sector.own.max(sector.theirs), sector.own.min(sector.theirs));
        let pairs = (self.least..=most).flat_map(move |a| (self.least..=most).map(move |b| (a, b)));
        let fits = move |&(a, b): &(u8, u8)| a.min(b) <= other && (a.max(b), a.min(b)) != (most, other);
        pairs.filter(fits).map(|(a, b)| Sector::moving(a, b))
    }

    /// The most men of a side in the moving phase: the settlement takes at least one of each side.
    const fn most_moving(&self) -> u8 {
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

/// Returns the names of the rule sets whose files have this fingerprint.
fn names_of(fingerprint: u64) -> Vec<&'static str> {
    let has = |game: SolvedGame, placing| xxh3_64(game.describe(placing).as_bytes()) == fingerprint;
    // Without files of the placing phase, its words may be those of a game that has some.
    let fits = |game: SolvedGame| has(game, false) || game.placing_refused.is_none() && has(game, true);
    let named = NAMED.iter().filter(|named| SolvedGame::new(&named.rules).is_ok_and(fits));
    named.map(|named| named.name).collect()
}

/// Returns the named rule sets whose files have this fingerprint, as `dooz or nerenchi`.
pub(crate) fn games_of(fingerprint: u64) -> Option<String> {
    let names = names_of(fingerprint);
    (!names.is_empty()).then(|| names.join(" or "))
}

/// Returns true if files with these fingerprints may belong to one game: if they are equal, or those of the
/// two phases of a named rule set.
pub(in crate::tablebase) fn share_a_game(one: u64, other: u64) -> bool {
    let others = || names_of(other);
    one == other || names_of(one).iter().any(|name| others().contains(name))
}

/// Returns true if a capture rule is on in the moving phase.
const fn works_while_moving(rule: &CaptureRule) -> bool {
    rule.enabled && rule.in_moving_phase
}

/// Returns true if mills closed while placing count when all men are placed, and not before.
const fn settles(rules: &Rules) -> bool {
    rules.mill_formation_action_in_placing_phase == placing_mill::SETTLES_LATER
}

/// Returns true if the last placing can fill the board, and the rule for that applies.
const fn fills_board(rules: &Rules) -> bool {
    rules.pieces_count == 12 && !settles(rules)
}

/// Returns the fewest men that takes from the hand can leave to a side.
///
/// It loses one man a turn, from the third turn of the other side on, and in each turn it places one.
const fn least_after_hand(men: u8) -> u8 {
    men - men.saturating_sub(1) / 2
}

fn placing_refused(rules: &Rules) -> Option<PlacingRefusal> {
    let action = rules.mill_formation_action_in_placing_phase;
    let takes_from_hand = action == placing_mill::TAKES_FROM_HAND;
    let takes_at_once = matches!(action, placing_mill::TAKES | placing_mill::TAKES_TOO);
    let full_board_fits = match rules.board_full_action {
        full_board::WHITE_LOSES => !rules.may_move_in_placing_phase,
        full_board::MOVER_TAKES => !rules.may_move_in_placing_phase && !rules.is_defender_move_first,
        action => action == full_board::DRAWS,
    };
    let intervention = &rules.intervention;
    let is_simple = takes_at_once && !rules.may_move_in_placing_phase;
    let fits = intervention.in_placing_phase && intervention.in_moving_phase && is_simple;
    if rules.custodian.enabled || rules.leap.enabled || intervention.enabled && !fits {
        Some(PlacingRefusal::Captures)
    } else if !takes_at_once && !takes_from_hand && !settles(rules) {
        Some(PlacingRefusal::MillAction)
    } else if rules.may_move_in_placing_phase && !takes_at_once {
        Some(PlacingRefusal::MovingWhilePlacing)
    } else if rules.is_defender_move_first && (!takes_at_once || rules.may_move_in_placing_phase) {
        Some(PlacingRefusal::DefenderFirst)
    } else if rules.may_remove_multiple && !settles(rules) {
        Some(PlacingRefusal::SeveralTakes)
    } else if rules.pieces_count == 12 && rules.stop_placing_when_two_empty_squares {
        Some(PlacingRefusal::TwoEmptySquares)
    } else if fills_board(rules) && !full_board_fits {
        Some(PlacingRefusal::FullBoard)
    } else if takes_from_hand && least_after_hand(rules.pieces_count) < rules.pieces_at_least_count {
        Some(PlacingRefusal::FewMen)
    } else if rules.restrict_repeated_mills_formation && (rules.may_move_in_placing_phase || takes_from_hand)
    {
        Some(PlacingRefusal::RepeatedMills)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn named_games_are_found_by_their_fingerprints() {
        let placing = Sector { own: 8, theirs: 9, own_hand: 1, their_hand: 0 };
        let names = |rules: &Rules, sector| {
            games_of(SolvedGame::new(rules).expect("supported").fingerprint(sector)).unwrap_or_default()
        };
        assert_eq!(names(&Rules::DOOZ, Sector::moving(3, 3)), "dooz or nerenchi");
        assert_eq!(names(&Rules::DOOZ, placing), "dooz");
        // The moving phase is that of cheng-san-qi, which has no files of the placing phase.
        let walking = Rules { may_fly: false, ..Rules::NINE };
        assert_eq!(
            [Sector::moving(3, 3), placing].map(|sector| names(&walking, sector)),
            ["cheng-san-qi", ""]
        );
    }

    #[test]
    fn smaller_sectors_are_all_that_takes_lead_to() {
        let game = SolvedGame::new(&Rules::MORABARABA).expect("supported");
        let (mut found, mut open) = (HashSet::new(), vec![Sector::moving(6, 4)]);
        while let Some(sector) = open.pop() {
            let next = (0..2).filter_map(|taken| game.after(sector, TurnKind::Slide, taken));
            open.extend(next.filter(|&next| found.insert(next)));
        }
        found.retain(|sector| sector.own + sector.theirs < 10);
        assert_eq!(game.smaller(Sector::moving(4, 6)).collect::<HashSet<_>>(), found);
        assert_eq!(game.smaller(Sector::moving(6, 4)).count(), found.len(), "each once");
    }

    #[test]
    fn fingerprints_stay_what_they_are_in_files_that_people_have() {
        let placing = Sector { own: 8, theirs: 9, own_hand: 1, their_hand: 0 };
        let game = |rules: &Rules| SolvedGame::new(rules).expect("supported");
        let draws = Rules { board_full_action: full_board::DRAWS, ..Rules::TWELVE };
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
        let intervenes = game(&Rules::MUL_MULAN);
        let words = "diagonals=true fly_at=0 least=3 mills_protect=false multiple=false blocked_draws=false";
        let expected = format!("{words} intervention=sides:true,crosses:true,diagonals:true");
        assert_eq!(intervenes.describe(false), expected);
        let bans = game(&Rules::MORABARABA);
        assert_eq!(bans.describe(false), format!("{text} bans_returns=true"));
        assert_eq!(bans.describe(true), format!("{text} bans_returns=true men=12"));
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
