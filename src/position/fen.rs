//! Position texts: seventeen fields and extension tokens, read and written.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::board::Position;
use super::error::{FenError, PositionError};
use super::outcome::Reason;
use super::state::{Action, Core, DueTakes, Ending, Extras, LastMill, Phase, Record, StateInfo};
use crate::bitboard::Bitboard;
use crate::rules::{CompiledRules, Rules};
use crate::types::{Color, Square};
use std::fmt::{self, Write as _};
use std::num::IntErrorKind;
use std::str::FromStr;
use std::sync::Arc;

/// The treatment of an unknown action in a text, and of counts that contradict the men on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CountPolicy {
    /// Refuse the text.
    Refuse,
    /// Count the men on the board, limit the hand to what the rules allow, and read an unknown action as
    /// none.
    Repair,
}

/// The number of fields of a position text; extensions follow them.
pub(crate) const FIELDS: usize = 17;

const NAMES: [&str; FIELDS] = [
    "board",
    "side",
    "phase",
    "action",
    "white men on board",
    "white men in hand",
    "black men on board",
    "black men in hand",
    "white takes due",
    "black takes due",
    "white last mill, from",
    "white last mill, to",
    "black last mill, from",
    "black last mill, to",
    "used mills",
    "move counter",
    "move number",
];

fn field_name(index: usize) -> String {
    format!("field {} ({})", index + 1, NAMES[index])
}

/// Reads field `index` as a number in an inclusive range.
fn number<T>(fields: &[&str], index: usize, min: T, max: T) -> Result<T, FenError>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    let text = fields[index];
    match text.parse() {
        Ok(value) if min <= value && value <= max => Ok(value),
        _ => Err(FenError::new(field_name(index), text, format!("a whole number from {min} to {max}"))),
    }
}

/// The largest move number that is written; later moves have it too.
const LAST_NUMBER: u16 = u16::MAX / 2;

/// Returns the number of a move in its range: 1 for what is no number.
fn move_number(text: &str) -> u16 {
    match text.parse::<u64>() {
        Ok(number) => number.clamp(1, LAST_NUMBER.into()) as u16,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => LAST_NUMBER,
        Err(_) => 1,
    }
}

/// The numbering of points in a text.
#[derive(Clone, Copy)]
enum Ids {
    /// 0 to 23, -1 for none.
    Nodes,
    /// 8 to 31, 0 for none: the numbers of older programs.
    Old,
}

impl Ids {
    /// Returns the point of a number, `Some(None)` for the number that means none, `None` for any other
    /// number.
    fn square(self, number: i64) -> Option<Option<Square>> {
        let index = match self {
            Self::Nodes if number == -1 => return Some(None),
            Self::Nodes => number,
            Self::Old if number == 0 => return Some(None),
            Self::Old => number.checked_sub(8)?,
        };
        usize::try_from(index).ok().and_then(Square::try_new).map(Some)
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Nodes => "a point number from 0 to 23, or -1 for none",
            Self::Old => "a point number from 8 to 31, or 0 for none",
        }
    }
}

impl Position {
    /// Reads a position text under a rule set. The position has no history.
    ///
    /// ```
    /// use millstone::{Position, Rules};
    ///
    /// let text = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    /// let pos = Position::from_fen(&Rules::NINE, text)?;
    /// assert_eq!(pos.fen(), text);
    /// let error = Position::from_fen(&Rules::NINE, &text.replace(" w ", " x ")).unwrap_err();
    /// assert_eq!(error.to_string(), "field 2 (side): found 'x', expected w or b");
    /// # Ok::<(), millstone::PositionError>(())
    /// ```
    ///
    /// # Errors
    /// Names a field that cannot be read, is out of range or contradicts the board or the rules. The number
    /// of the move is never refused: below 1 or no number, it counts as 1, and above 32767 as 32767.
    ///
    /// # Panics
    /// If the rules are out of range; see [`Rules`].
    pub fn from_fen(rules: &Rules, text: &str) -> Result<Self, PositionError> {
        Self::from_fen_with(Arc::new(CompiledRules::new(rules)), text, CountPolicy::Refuse)
    }

    /// Reads a position text and repairs the counts of men that contradict the board or the rules.
    ///
    /// An unknown letter for the action is read as `?`.
    ///
    /// # Errors
    /// Names a field that cannot be read or is out of range. A board with too many men is not repaired.
    ///
    /// # Panics
    /// If the rules are out of range; see [`Rules`].
    pub fn from_fen_repaired(rules: &Rules, text: &str) -> Result<Self, PositionError> {
        Self::from_fen_with(Arc::new(CompiledRules::new(rules)), text, CountPolicy::Repair)
    }

    /// Reads a position text under compiled rules.
    ///
    /// # Errors
    /// As for [`Position::from_fen`]. With [`CountPolicy::Repair`] contradicting counts and an unknown letter
    /// for the action are no errors.
    pub(crate) fn from_fen_with(
        compiled: Arc<CompiledRules>,
        text: &str,
        policy: CountPolicy,
    ) -> Result<Self, PositionError> {
        Self::read_fen(compiled, text, policy).map_err(PositionError::Fen)
    }

    fn read_fen(compiled: Arc<CompiledRules>, text: &str, policy: CountPolicy) -> Result<Self, FenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().take(NAMES.len()).collect();
        if fields.len() < NAMES.len() {
            let missing = NAMES[fields.len()];
            let expected = format!("17 fields; the first missing is {missing}");
            return Err(FenError::new("position text", text.trim(), expected));
        }
        let tokens = || text.split_ascii_whitespace().skip(NAMES.len());
        let ids = if tokens().any(|t| t.eq_ignore_ascii_case("ids:nodes")) { Ids::Nodes } else { Ids::Old };

        let mut pos = Self::with_compiled(compiled);
        let mut extras = Extras::default();
        let mut core = Core(0);
        extras.marked = read_board(fields[0], &mut core)?;
        let side = match fields[1] {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::new(field_name(1), other, "w or b")),
        };
        core.set_side(side);
        core.set_phase(match fields[2] {
            "p" | "r" | "n" => Phase::Placing,
            "m" => Phase::Moving,
            "o" => Phase::Over,
            other => return Err(FenError::new(field_name(2), other, "one of p, m, o, r, n")),
        });
        core.set_action(match fields[3] {
            "p" => Action::Place,
            "s" => Action::Slide,
            "r" => Action::Take,
            "?" => Action::None,
            other if policy == CountPolicy::Repair && other.chars().count() == 1 => Action::None,
            other => return Err(FenError::new(field_name(3), other, "one of p, s, r, ?")),
        });
        for color in Color::ALL {
            read_counts(&fields, color, pos.rules().pieces_count, policy, &mut core)?;
            let at = 8 + color.index();
            let due: i32 = number(&fields, at, -128, 127)?;
            extras.due[color.index()] = due.unsigned_abs() as u8;
            extras.own_due[color.index()] = due < 0;
            let at = 10 + 2 * color.index();
            let square = |at: usize| {
                let read = fields[at].parse().ok().and_then(|n| ids.square(n));
                read.ok_or_else(|| FenError::new(field_name(at), fields[at], ids.expected()))
            };
            extras.last_mill[color.index()] = LastMill { from: square(at)?, to: square(at + 1)? };
        }
        extras.used = read_used(&fields, ids)?;
        let move_counter: u16 = number(&fields, 15, 0, u16::MAX)?;
        let ply = 2 * (move_number(fields[16]) - 1) + side as u16;
        for token in tokens() {
            read_token(token, ids, &mut extras)?;
        }
        pos.set_up(core, extras, move_counter, ply);
        pos.note_extras();
        pos.action_in_doubt |= pos.next_by_rules() != pos.action();
        Ok(pos)
    }

    /// Sets up the position from the parts of a text, and applies the rules that can end the game at once.
    fn set_up(&mut self, core: Core, mut extras: Extras, move_counter: u16, ply: u16) {
        let us = core.side();
        if core.action() == Action::Take && extras.due == [0, 0] && extras.records[us].count() == 0 {
            extras.due[us] = 1;
        }
        extras.mill_due = extras.due != [0, 0] && extras.records[us].count() == 0;
        let ending = if core.phase() == Phase::Over { Ending::Imported } else { Ending::None };
        let counted = core.phase() == Phase::Moving
            || core.phase() == Phase::Placing && self.rules().may_move_in_placing_phase;
        self.first_ply = ply;
        self.state =
            StateInfo { core, move_counter, window: 0, ending, counted, passed: false, uses_extras: false };
        self.choose_instance(extras);
        if ending != Ending::None {
            return;
        }
        self.check_full_board();
        if self.state.ending != Ending::None {
            self.state.core.set_action(core.action());
            // A full board decides before the counter.
            self.state.counted = false;
            return;
        }
        if core.phase() == Phase::Moving {
            let few = |color: &Color| self.material(*color) < self.compiled.least;
            if let Some(loser) = Color::ALL.iter().find(|c| few(c)) {
                self.state.core.set_phase(Phase::Over);
                self.state.ending = Ending::TooFew(*loser);
                return;
            }
        }
        let read = self.claimable_draw().map(|_| Box::new(self.clone()));
        self.check_blocked();
        if self.extras.drawn.is_some() {
            self.as_read = read;
        }
        self.begin_window();
    }

    /// Sets [`Extras`] if the position needs them: under rules with extras, and for any state that the packed
    /// word cannot hold.
    fn choose_instance(&mut self, extras: Extras) {
        let us = self.state.core.side();
        let due = u32::from(extras.due[us]);
        let plain = extras == Extras::of_takes(us, extras.due[us]) && due <= Core::MAX_DUE;
        if !self.compiled.extras && plain {
            let core = self.state.core;
            if due > 0 && core.action() == Action::Take {
                self.state.core.set_due(due);
            }
            let fits = due == 0 || core.action() == Action::Take;
            if fits && (self.state.ending != Ending::None || self.check_regular().is_ok()) {
                return;
            }
            self.state.core = core;
        }
        self.extras = extras;
        self.has_extras = true;
    }

    /// Returns the position as text: seventeen fields and extension tokens.
    ///
    /// `docs/rules.md`, section *Position text*, describes them. It has no history: read back, a position
    /// drawn by repetition is not drawn, and one in which a side has lost does not say which.
    pub fn fen(&self) -> String {
        self.stated().write_fen()
    }

    /// Returns the position that the text describes: this one, or the one that was read.
    fn stated(&self) -> &Self {
        match &self.as_read {
            Some(read) if self.stack.is_empty() => read,
            _ => self,
        }
    }

    /// Returns the action that the text of the position names. Unlike [`Position::action`] it considers how
    /// the game has ended.
    pub(crate) fn stated_action(&self) -> Action {
        let pos = self.stated();
        let outcome = pos.outcome();
        let too_few = matches!(pos.state.ending, Ending::TooFew(_));
        let found_on_import = pos.is_found_on_import(outcome.reason);
        match pos.state.core.action() {
            _ if outcome.is_over() && pos.state.ending == Ending::None && !found_on_import => Action::None,
            // The take that ends the game stays the action of the text.
            _ if too_few && !found_on_import => Action::Take,
            action => action,
        }
    }

    /// Returns the takes that the text of the position says are due for a side, also when the game is over.
    pub(crate) fn stated_takes_due(&self, color: Color) -> u32 {
        let pos = self.stated();
        pos.takes_when_drawn().map_or(pos.takes_due(color), |drawn| u32::from(drawn.due[color.index()]))
    }

    /// Returns the takes due before the rule about blocked sides took effect, if the game is drawn by
    /// repetition or by a counter: such a draw comes before that rule, so the text omits its effect.
    fn takes_when_drawn(&self) -> Option<DueTakes> {
        self.extras.drawn.filter(|_| self.outcome().reason.is_claimable())
    }

    /// Returns true if the game was over when the position was read, except by a blocked side.
    fn is_found_on_import(&self, reason: Reason) -> bool {
        self.stack.is_empty() && !matches!(reason, Reason::LoseNoLegalMoves | Reason::DrawStalemateCondition)
    }

    fn write_fen(&self) -> String {
        let outcome = self.outcome();
        let core = self.state.core;
        let mut text = String::with_capacity(96);
        for square in Square::all() {
            if square.index() % 8 == 0 && square.index() > 0 {
                text.push('/');
            }
            text.push(self.letter(square));
        }
        let side = self.mover();
        let phase = match core.phase() {
            _ if outcome.is_over() => 'o',
            Phase::Placing => 'p',
            _ => 'm',
        };
        let action = match self.stated_action() {
            Action::Place => 'p',
            Action::Slide => 's',
            Action::Take => 'r',
            Action::None => '?',
        };
        let side_letter = side.map_or('w', Color::letter);
        let _ = write!(text, " {side_letter} {phase} {action}");
        for color in Color::ALL {
            let _ = write!(text, " {} {}", self.men(color).count(), self.hand(color));
        }
        for color in Color::ALL {
            let due = self.stated_takes_due(color);
            let sign = if self.extras.own_due[color.index()] && due > 0 { "-" } else { "" };
            let _ = write!(text, " {sign}{due}");
        }
        for mill in &self.extras.last_mill {
            for point in [mill.from, mill.to] {
                match point {
                    Some(square) => write!(text, " {}", square.index()),
                    None => write!(text, " -1"),
                }
                .unwrap_or_default();
            }
        }
        let [white, black] = self.extras.used;
        let used = u64::from(white.0) << 32 | u64::from(black.0);
        let black_moves = i32::from(side == Some(Color::Black));
        let move_number = (1 + (self.ply() as i32 - black_moves) / 2).clamp(1, LAST_NUMBER.into());
        let _ = write!(text, " {used} {} {move_number} ids:nodes", self.state.move_counter);
        let due = self.takes_when_drawn().unwrap_or(self.extras.due_takes());
        self.write_tokens(&mut text, due);
        text
    }

    fn write_tokens(&self, text: &mut String, due: DueTakes) {
        let [white, black] = &self.extras.records;
        for (letter, white, black) in [
            ('c', white.custodian, black.custodian),
            ('i', white.intervention, black.intervention),
            ('l', white.leap, black.leap),
        ] {
            if white != Record::EMPTY || black != Record::EMPTY {
                let points = |record: Record| {
                    let numbers: Vec<String> =
                        record.targets.into_iter().map(|s| s.index().to_string()).collect();
                    numbers.join(".")
                };
                let (w, b) = (points(white), points(black));
                let _ = write!(text, " {letter}:w-{}-{w}|b-{}-{b}", white.count, black.count);
            }
        }
        if let Some(point) = self.extras.preferred {
            let _ = write!(text, " p:{}", point.index());
        }
        if due.take_then_move {
            text.push_str(" s:1");
        } else if due.both_take {
            text.push_str(" s:2");
        }
    }
}

/// Reads field 1 into the packed word. Returns the marked points.
fn read_board(text: &str, core: &mut Core) -> Result<Bitboard, FenError> {
    let bad = |expected: String| FenError::new(field_name(0), text, expected);
    let groups: Vec<&str> = text.split('/').collect();
    if groups.len() != 3 {
        return Err(bad(format!("three groups joined by '/', not {}", groups.len())));
    }
    let mut marked = Bitboard::EMPTY;
    for (ring, group) in groups.iter().enumerate() {
        let count = group.chars().count();
        if count != 8 {
            return Err(bad(format!("eight points in each group, not {count} in group {}", ring + 1)));
        }
        for (k, letter) in group.chars().enumerate() {
            let point = Bitboard(1 << (8 * ring + k));
            match letter {
                'O' => core.flip(0, point),
                '@' => core.flip(1, point),
                'X' => marked |= point,
                '*' => {}
                other => return Err(bad(format!("O, @, X or * for each point, not '{other}'"))),
            }
        }
    }
    Ok(marked)
}

/// Reads the men of one side on the board and in hand.
fn read_counts(
    fields: &[&str],
    color: Color,
    pieces: u8,
    policy: CountPolicy,
    core: &mut Core,
) -> Result<(), FenError> {
    let at = 4 + 2 * color.index();
    let stated: u32 = number(fields, at, 0, 255)?;
    let hand: u32 = number(fields, at + 1, 0, 255)?;
    let men = core.men(color.index()).count();
    let pieces = u32::from(pieces);
    if policy == CountPolicy::Repair {
        // No repair for more men on the board than the rules allow.
        if men > pieces {
            let expected = format!("at most {pieces} men of one side");
            return Err(FenError::new(field_name(0), fields[0], expected));
        }
        core.give_hand(color.index(), hand.min(pieces - men));
        return Ok(());
    }
    if stated != men {
        return Err(FenError::new(field_name(at), fields[at], format!("{men}, the men on the board")));
    }
    if men + hand > pieces {
        let expected = format!("board and hand together at most {pieces}");
        let at = if men > pieces { at } else { at + 1 };
        return Err(FenError::new(field_name(at), fields[at], expected));
    }
    core.give_hand(color.index(), hand);
    Ok(())
}

/// Reads field 15: the points of used mills of both sides.
fn read_used(fields: &[&str], ids: Ids) -> Result<[Bitboard; 2], FenError> {
    let packed: u64 = number(fields, 14, 0, u64::MAX)?;
    let halves = [(packed >> 32) as u32, packed as u32];
    match ids {
        Ids::Old => Ok(halves.map(|half| Bitboard(half >> 8 & Bitboard::FULL.0))),
        Ids::Nodes if halves.iter().all(|half| half & !Bitboard::FULL.0 == 0) => Ok(halves.map(Bitboard)),
        Ids::Nodes => {
            Err(FenError::new(field_name(14), fields[14], "a number whose two halves fit in 24 bits each"))
        }
    }
}

/// Reads one extension token. Unknown tokens are ignored.
fn read_token(token: &str, ids: Ids, extras: &mut Extras) -> Result<(), FenError> {
    let bad = |expected: &str| FenError::new("extension token", token, expected);
    let Some((letter, value)) = token.split_once(':') else { return Ok(()) };
    match letter {
        "c" | "i" | "l" => {
            for segment in value.split('|') {
                let (color, count, points) = read_segment(segment, ids).ok_or_else(|| {
                    bad("segments such as w-1-16|b-0- with a count and points joined by dots")
                })?;
                let records = &mut extras.records[color.index()];
                let record = match letter {
                    "c" => &mut records.custodian,
                    "i" => &mut records.intervention,
                    _ => &mut records.leap,
                };
                record.targets |= points;
                record.count = record.count.saturating_add(count);
            }
        }
        "p" => {
            let point = value.parse().ok().and_then(|n| ids.square(n));
            extras.preferred = point.ok_or_else(|| bad(ids.expected()))?;
        }
        "s" => {
            let kind: i64 = value.parse().map_err(|_| bad("a whole number after s:"))?;
            extras.take_then_move = kind == 1;
            extras.both_take = kind == 2;
        }
        _ => {}
    }
    Ok(())
}

/// Reads `w-<count>-<points>`.
fn read_segment(segment: &str, ids: Ids) -> Option<(Color, u8, Bitboard)> {
    let mut parts = segment.splitn(3, '-');
    let color = match parts.next()? {
        "w" => Color::White,
        "b" => Color::Black,
        _ => return None,
    };
    let count: u64 = parts.next()?.parse().ok()?;
    let mut points = Bitboard::EMPTY;
    for number in parts.next()?.split('.').filter(|n| !n.is_empty()) {
        match ids.square(number.parse().ok()?) {
            Some(Some(square)) => points |= square.into(),
            // 0 is "no point" in the old numbering; the new one has no such entry in a record.
            Some(None) if matches!(ids, Ids::Old) => {}
            _ => return None,
        }
    }
    Some((color, count.min(255) as u8, points))
}
