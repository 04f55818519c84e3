//! The position text: `docs/rules.md`, "Position text".

use super::{
    CUSTODIAN, Expected, Game, INTERVENTION, LEAP, NO_RECORD, Options, POINTS, Phase, Point, Record, Side,
    Side::Black, Side::White,
};
use std::fmt::Write;

const BOTH: [Side; 2] = [White, Black];

impl Game {
    /// Reads a position text and makes the checks that follow ("After reading").
    // Field by field, in the order of the text.
    #[allow(clippy::too_many_lines)]
    pub fn from_fen(options: &Options, text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() < 17 {
            return Err(format!("found {} fields, expected at least 17", words.len()));
        }
        let (fields, tokens) = words.split_at(17);
        let ids = if tokens.iter().any(|token| token.eq_ignore_ascii_case("ids:nodes")) {
            Ids::Nodes
        } else {
            Ids::OldSquares
        };

        let mut game = Self::new(options);
        let now = &mut game.now;
        now.board = read_board(fields[0])?;
        let side = match fields[1] {
            "w" => White,
            "b" => Black,
            other => return Err(format!("field 2: found `{other}`, expected `w` or `b`")),
        };
        now.side = Some(side);
        now.phase = match fields[2] {
            "p" | "r" | "n" => Phase::Placing,
            "m" => Phase::Moving,
            "o" => Phase::Over,
            other => return Err(format!("field 3: found `{other}`, expected a phase")),
        };
        now.expected = match fields[3] {
            "p" => Expected::Place,
            "s" => Expected::Select,
            "r" => Expected::Remove,
            "?" => Expected::Nothing,
            other => return Err(format!("field 4: found `{other}`, expected an action")),
        };
        for side in BOTH {
            let s = side as usize;
            now.on[s] = number::<u8>(fields, 4 + 2 * s)?.into();
            now.hand[s] = number::<u8>(fields, 5 + 2 * s)?.into();
            let men = now.board.iter().filter(|&&point| point == Point::Man(side)).count() as i32;
            if now.on[s] != men {
                return Err(format!(
                    "field {}: found {}, expected the {men} men on the board",
                    5 + 2 * s,
                    now.on[s]
                ));
            }
            if now.on[s] + now.hand[s] > options.pieces_count {
                return Err(format!(
                    "field {}: more than {} men with those on the board",
                    6 + 2 * s,
                    options.pieces_count
                ));
            }
            let due: i32 = number::<i8>(fields, 8 + s)?.into();
            now.due[s] = due.abs();
            now.own_due[s] = due < 0;
            now.last_mill[s] = (ids.point(fields[10 + 2 * s])?, ids.point(fields[11 + 2 * s])?);
        }
        now.used = ids.used_sets(number::<u64>(fields, 14)?)?;
        now.counter = number::<u16>(fields, 15)?.into();
        let move_number = fields[16].parse::<i32>().unwrap_or(1).max(1);
        now.ply = 2 * (move_number - 1) + side as i32;

        for token in tokens {
            let kind = match token.get(..2) {
                Some("c:") => CUSTODIAN,
                Some("i:") => INTERVENTION,
                Some("l:") => LEAP,
                Some("p:") => {
                    now.preferred = ids.point(&token[2..])?;
                    continue;
                }
                Some("s:") => {
                    let kind = token[2..]
                        .parse::<i32>()
                        .map_err(|_| format!("token `{token}`: expected a number"))?;
                    now.take_then_move = kind == 1;
                    now.both_take = kind == 2;
                    continue;
                }
                _ => continue,
            };
            for segment in token[2..].split('|') {
                let (owner, record) = ids.record(segment)?;
                let sum = &mut now.records[owner as usize][kind];
                sum.count = (sum.count + record.count).min(255);
                for point in 0..POINTS {
                    sum.targets[point] |= record.targets[point];
                }
            }
        }

        let captures: i32 = now.records[side as usize].iter().map(|record| record.count).sum();
        if now.expected == Expected::Remove && now.due == [0, 0] && captures == 0 {
            now.due[side as usize] = 1;
        }
        now.mill_due = now.due != [0, 0] && captures == 0;
        if now.phase == Phase::Over {
            game.end_unknown();
        } else {
            game.check_import();
        }
        Ok(game)
    }

    /// The position text.
    pub fn fen(&self) -> String {
        let now = &self.now;
        let mut text = String::with_capacity(96);
        for (i, point) in now.board.iter().enumerate() {
            if i > 0 && i % 8 == 0 {
                text.push('/');
            }
            text.push(match point {
                Point::Empty => '*',
                Point::Man(White) => 'O',
                Point::Man(Black) => '@',
                Point::Marked => 'X',
            });
        }
        text.push_str(if now.side == Some(Black) { " b" } else { " w" });
        text.push_str(match now.phase {
            Phase::Placing => " p",
            Phase::Moving => " m",
            Phase::Over => " o",
        });
        text.push_str(match now.expected {
            Expected::Place => " p",
            Expected::Select => " s",
            Expected::Remove => " r",
            Expected::Nothing => " ?",
        });
        let mut numbers: Vec<i64> = Vec::new();
        for s in 0..2 {
            numbers.extend([now.on[s], now.hand[s]].map(i64::from));
        }
        for s in 0..2 {
            numbers.push(i64::from(if now.own_due[s] { -now.due[s] } else { now.due[s] }));
        }
        for (from, to) in now.last_mill {
            numbers.extend([from.map_or(-1, |p| p as i64), to.map_or(-1, |p| p as i64)]);
        }
        let mut used = [0i64; 2];
        for s in 0..2 {
            for point in 0..POINTS {
                used[s] += i64::from(now.used[s][point]) << point;
            }
        }
        numbers.push((used[0] << 32) + used[1]);
        numbers.push(now.counter.into());
        let black = i32::from(now.side == Some(Black));
        numbers.push((1 + (now.ply - black) / 2).max(1).into());
        for number in numbers {
            write!(text, " {number}").expect("a String takes everything");
        }
        text.push_str(" ids:nodes");
        for (kind, letter) in [(CUSTODIAN, 'c'), (INTERVENTION, 'i'), (LEAP, 'l')] {
            let [white, black] = [&now.records[0][kind], &now.records[1][kind]];
            if !white.is_empty() || !black.is_empty() {
                write!(text, " {letter}:w-{}|b-{}", written(white), written(black))
                    .expect("a String takes everything");
            }
        }
        if let Some(point) = now.preferred {
            write!(text, " p:{point}").expect("a String takes everything");
        }
        if now.take_then_move {
            text.push_str(" s:1");
        } else if now.both_take {
            text.push_str(" s:2");
        }
        text
    }
}

/// A record as `<count>-<points>`.
fn written(record: &Record) -> String {
    let points: Vec<String> =
        (0..POINTS).filter(|&point| record.targets[point]).map(|point| point.to_string()).collect();
    format!("{}-{}", record.count, points.join("."))
}

fn read_board(text: &str) -> Result<[Point; POINTS], String> {
    let mut board = [Point::Empty; POINTS];
    let rings: Vec<&str> = text.split('/').collect();
    if rings.len() != 3 || rings.iter().any(|ring| ring.chars().count() != 8) {
        return Err(format!("field 1: found `{text}`, expected three rings of eight points"));
    }
    for (point, letter) in rings.iter().flat_map(|ring| ring.chars()).enumerate() {
        board[point] = match letter {
            '*' => Point::Empty,
            'O' => Point::Man(White),
            '@' => Point::Man(Black),
            'X' => Point::Marked,
            _ => return Err(format!("field 1: found `{letter}`, expected `O`, `@`, `*` or `X`")),
        };
    }
    Ok(board)
}

fn number<T: std::str::FromStr>(fields: &[&str], index: usize) -> Result<T, String> {
    fields[index]
        .parse()
        .map_err(|_| format!("field {}: found `{}`, expected a number", index + 1, fields[index]))
}

/// The numbering of points in a text ("Extension tokens").
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    Nodes,
    OldSquares,
}

impl Ids {
    fn point(self, text: &str) -> Result<Option<usize>, String> {
        let number =
            text.parse::<i32>().map_err(|_| format!("found `{text}`, expected the number of a point"))?;
        match (self, number) {
            (Self::Nodes, -1) | (Self::OldSquares, 0) => Ok(None),
            (Self::Nodes, 0..=23) => Ok(Some(number as usize)),
            (Self::OldSquares, 8..=31) => Ok(Some(number as usize - 8)),
            _ => Err(format!("found {number}, expected the number of a point")),
        }
    }

    fn used_sets(self, value: u64) -> Result<[[bool; POINTS]; 2], String> {
        let mut halves = [value >> 32, value & 0xffff_ffff];
        if self == Self::OldSquares {
            halves = halves.map(|half| half >> 8);
        } else if halves.iter().any(|half| half >> POINTS != 0) {
            return Err(format!("field 15: found {value}, expected two sets of 24 points"));
        }
        Ok(halves.map(|half| std::array::from_fn(|point| half >> point & 1 == 1)))
    }

    /// Reads one segment of a capture record, such as `w-2-0.16`.
    fn record(self, segment: &str) -> Result<(Side, Record), String> {
        let malformed = || format!("capture record: found `{segment}`, expected `w-<count>-<points>`");
        let parts: Vec<&str> = segment.splitn(3, '-').collect();
        let [owner, count, points] = parts[..] else { return Err(malformed()) };
        let owner = match owner {
            "w" => White,
            "b" => Black,
            _ => return Err(malformed()),
        };
        let mut record = NO_RECORD;
        record.count = count.parse::<i32>().map_err(|_| malformed())?.min(255);
        for item in points.split('.').filter(|item| !item.is_empty()) {
            let point = self.point(item)?.ok_or_else(malformed)?;
            record.targets[point] = true;
        }
        Ok((owner, record))
    }
}
