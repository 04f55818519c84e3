//! Random rule sets, choices of moves and unusual position texts, from which the games are made.

use millstone::bitboard::Bitboard;
use millstone::position::Position;
use millstone::rules::{RULE_OPTIONS, RuleKind, Rules};
use millstone::types::{Color, Move, MoveKind};
use proptest::prelude::*;

/// A rule set as a name and changes of options, each an index and a number that is brought into range.
#[derive(Clone, Debug)]
pub(super) struct RawRules {
    base: usize,
    changes: Vec<(usize, u16)>,
}

impl RawRules {
    pub(super) fn rules(&self) -> Rules {
        let names: Vec<String> = Rules::names().collect();
        let mut rules = Rules::by_name(&names[self.base % names.len()]).expect("a name of the list");
        for &(option, value) in &self.changes {
            let option = &RULE_OPTIONS[option];
            let number = match option.kind {
                RuleKind::Check => value % 2,
                // Long counts are hardly ever reached in play: most values lie near the lower end.
                RuleKind::Spin { min, max } if max - min > 20 && value % 4 != 0 => min + value / 4 % 20,
                RuleKind::Spin { min, max } => min + value % (max - min + 1),
            };
            rules.set_option(option.name, &number.to_string()).expect("a value in range");
        }
        rules
    }
}

pub(super) fn rule_sets() -> impl Strategy<Value = RawRules> {
    let changes = prop_oneof![
        1 => prop::collection::vec((0..RULE_OPTIONS.len(), any::<u16>()), 0..6),
        3 => prop::collection::vec((0..RULE_OPTIONS.len(), any::<u16>()), 0..80),
    ];
    (0..24_usize, changes).prop_map(|(base, changes)| RawRules { base, changes })
}

/// A game: rules, whether draws are played past, and a number for each ply that [`pick`] turns into a move.
pub(super) type RawGame = (RawRules, Vec<u16>);

pub(super) fn games(longest: usize) -> impl Strategy<Value = RawGame> {
    (rule_sets(), prop::collection::vec(any::<u16>(), 0..longest))
}

/// Turns a number into a playable move. Small numbers choose by index; the others prefer what random games
/// seldom see: closed mills and captures, a man going back where it came from, blocked opponents, moves while
/// there is still something to place.
pub(super) fn pick(pos: &Position, played: &[Move], choice: u16) -> Option<Move> {
    let list = pos.playable_moves();
    let index = usize::from(choice / 8);
    let any_of = |moves: &[Move]| (!moves.is_empty()).then(|| moves[index % moves.len()]);
    let those = |wanted: &dyn Fn(Move) -> bool| {
        let moves: Vec<Move> = list.iter().copied().filter(|&m| wanted(m)).collect();
        any_of(&moves)
    };
    let after = |m: Move| {
        let mut next = pos.clone();
        next.do_move(m);
        next
    };
    let us = pos.side_to_move();
    let preferred = match choice % 8 {
        3 | 4 => those(&|m| {
            let next = after(m);
            !m.is_take() && next.is_take_due() && next.side_to_move() == us || next.hand(!us) < pos.hand(!us)
        }),
        5 => {
            let back = played.iter().rev().nth(1).filter(|m| m.kind() == MoveKind::Slide);
            back.and_then(|m| those(&|other| other == Move::slide(m.to(), m.from())))
        }
        6 => {
            let mobility = |m: Move| after(m).playable_moves().len();
            list.iter().copied().min_by_key(|&m| mobility(m))
        }
        7 => those(&|m| m.kind() == MoveKind::Slide),
        _ => None,
    };
    preferred.or_else(|| any_of(&list))
}

/// The parts of a position text as random numbers; [`RawText::write`] fits them to the rules, so that most
/// texts are accepted, and spoils some of them.
#[derive(Clone, Debug)]
pub(super) struct RawText {
    cells: Vec<u8>,
    density: u8,
    black_to_move: bool,
    phase: u8,
    action: u8,
    hands: (u8, u8),
    takes_due: (i8, i8),
    mills: Vec<u8>,
    used: Option<(u32, u32)>,
    move_counter: u16,
    number: u16,
    records: Vec<(u8, u8, u8, Vec<u8>)>,
    preferred: Option<u8>,
    blocked: Option<u8>,
    old_ids: bool,
    spoilt: Option<(u8, u8)>,
}

pub(super) fn texts() -> impl Strategy<Value = RawText> {
    let men = (prop::collection::vec(any::<u8>(), 24), any::<u8>(), any::<bool>(), 0..16_u8, 0..16_u8);
    let counts = (
        (any::<u8>(), any::<u8>()),
        prop_oneof![4 => Just((0_i8, 0_i8)), 3 => (-3..4_i8, -3..4_i8), 1 => (any::<i8>(), any::<i8>())],
        prop::collection::vec(0..60_u8, 4),
        prop::option::weighted(0.3, (any::<u32>(), any::<u32>())),
        prop_oneof![Just(0_u16), 0..30_u16, 95..210_u16],
        prop_oneof![0..40_u16, 0..16_000_u16],
    );
    let record = (0..3_u8, 0..2_u8, prop_oneof![0..4_u8, any::<u8>()], prop::collection::vec(0..24_u8, 0..3));
    let tokens = (
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(record, 1..4)],
        prop::option::weighted(0.2, 0..25_u8),
        prop::option::weighted(0.1, 0..4_u8),
        prop::bool::weighted(0.3),
        prop::option::weighted(0.15, (0..24_u8, any::<u8>())),
    );
    (men, counts, tokens).prop_map(|(men, counts, tokens)| {
        let (cells, density, black_to_move, phase, action) = men;
        let (hands, takes_due, mills, used, move_counter, number) = counts;
        let (records, preferred, blocked, old_ids, spoilt) = tokens;
        RawText {
            cells,
            density,
            black_to_move,
            phase,
            action,
            hands,
            takes_due,
            mills,
            used,
            move_counter,
            number,
            records,
            preferred,
            blocked,
            old_ids,
            spoilt,
        }
    })
}

impl RawText {
    // Field by field, in the order of the text.
    #[allow(clippy::too_many_lines)]
    pub(super) fn write(&self, rules: &Rules) -> String {
        let pieces = usize::from(rules.pieces_count);
        let marks = if rules.mill_formation_action_in_placing_phase == 4 { 24 } else { 2 };
        let mut men = [0; 2];
        let mut board = String::new();
        for (n, &cell) in self.cells.iter().enumerate() {
            if n % 8 == 0 && n > 0 {
                board.push('/');
            }
            let empty = self.density / 2 + 20;
            board.push(match cell.checked_sub(empty) {
                None => '*',
                Some(rest) if rest < marks => 'X',
                Some(rest) => {
                    let color = usize::from(rest % 2);
                    if men[color] < pieces {
                        men[color] += 1;
                        ['O', '@'][color]
                    } else {
                        '*'
                    }
                }
            });
        }
        let us = usize::from(self.black_to_move);
        let side = ["w", "b"][us];
        // Often no hand at all, often just what is missing.
        let hand = |raw: u8, men: usize| match raw % 4 {
            0 | 1 => 0,
            2 => pieces - men,
            _ => usize::from(raw / 4) % (pieces - men + 1),
        };
        let hands = [hand(self.hands.0, men[0]), hand(self.hands.1, men[1])];
        let regular_phase = if hands[us] > 0 { "p" } else { "m" };
        let phase = ["p", "m", "o", "r", "n"].get(usize::from(self.phase)).unwrap_or(&regular_phase);
        let mut takes_due = [i32::from(self.takes_due.0), i32::from(self.takes_due.1)];
        let regular_action = match (takes_due[us], hands[us]) {
            (0, 0) => "s",
            (0, _) => "p",
            _ => "r",
        };
        let mut action = *["p", "s", "r", "?"].get(usize::from(self.action)).unwrap_or(&regular_action);
        // The rules do not define pending takes of own men together with a capture record or another action.
        let mut records = self.records.clone();
        if rules.mill_formation_action_in_placing_phase == 5 {
            // The settlement may ask for own men while the other side still has a record.
            records.clear();
        }
        if takes_due.iter().any(|&due| due < 0) {
            if records.is_empty() {
                action = if matches!(action, "p" | "r") { action } else { "r" };
            } else {
                takes_due = takes_due.map(i32::abs).map(|due| due.min(127));
            }
        }
        // Nor which of several partners on different lines stays: one intervention record of two for each
        // side.
        let mut seen = [false; 2];
        records.retain(|&(kind, color, ..)| {
            kind != 1 || !std::mem::replace(&mut seen[usize::from(color)], true)
        });

        let shift = if self.old_ids { 8 } else { 0 };
        let none = if self.old_ids { 0 } else { -1 };
        let mill = |raw: u8| if raw < 24 { i32::from(raw) + shift } else { none };
        let mills: Vec<String> = self.mills.iter().map(|&raw| mill(raw).to_string()).collect();
        let used = self.used.map_or(0, |(white, black)| {
            let half = |bits: u32| u64::from(bits & Bitboard::FULL.0) << shift;
            half(white) << 32 | half(black)
        });
        let mut fields = vec![board, side.into(), (*phase).into(), action.into()];
        for color in Color::ALL.map(Color::index) {
            fields.extend([men[color].to_string(), hands[color].to_string()]);
        }
        fields.extend(takes_due.map(|due| due.to_string()));
        fields.extend(mills);
        fields.extend([used.to_string(), self.move_counter.to_string(), self.number.to_string()]);
        if !self.old_ids {
            fields.push("ids:nodes".to_owned());
        }
        for (kind, color, count, points) in &records {
            let points: Vec<String> = points.iter().map(|&p| (i32::from(p) + shift).to_string()).collect();
            let kind = ['c', 'i', 'l'][usize::from(*kind)];
            fields.push(format!("{kind}:{}-{count}-{}", ['w', 'b'][usize::from(*color)], points.join(".")));
        }
        if let Some(point) = self.preferred {
            fields.push(format!("p:{}", if point < 24 { i32::from(point) + shift } else { none }));
        }
        if let Some(kind) = self.blocked {
            fields.push(format!("s:{kind}"));
        }
        if let Some((field, with)) = self.spoilt {
            const STRANGE: [&str; 26] = [
                "-1", "0", "+0", "-0", "1", "007", "8", "24", "31", "32", "-128", "-129", "127", "128",
                "255", "256", "65535", "65536", "x", "q", "r", "é", "w-1-", "c:", "i:w-1", "l:b-1-99",
            ];
            let field = usize::from(field) % fields.len();
            let spoilt = STRANGE[usize::from(with) % STRANGE.len()];
            let whole = fields.join(" ");
            // The rules do not define counters near the end of their range.
            if with >= 240 {
                fields.remove(field);
            } else if !matches!(field, 15 | 16) || !spoilt.starts_with("655") {
                fields[field] = spoilt.to_owned();
            }
            let own_due = fields[8..10].iter().any(|due| due.parse().is_ok_and(|due: i32| due < 0));
            let has_records = fields.iter().any(|field| matches!(field.get(..2), Some("c:" | "i:" | "l:")));
            if own_due && (has_records || !matches!(&*fields[3], "p" | "r")) {
                return whole;
            }
        }
        fields.join(" ")
    }
}
