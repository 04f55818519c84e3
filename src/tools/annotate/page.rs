//! The page of annotated games: a board that replays the game, its curve, its moves with their values, and a
//! board for each mistake. It loads nothing from the network, and shows the last position if scripts are
//! disabled.

use super::judgement::{TurnValue, mark_sign};
use crate::record::{GameRecord, Numbering, TurnNumber};
use crate::tools::error::ToolError;
use crate::tools::game_end::outcome_in_words;
use crate::tools::svg::{Overlay, svg, svg_of_states};
use crate::types::{Color, Move};
use std::fmt::Write as _;

// Writing to a string cannot fail, so the functions below drop the results of `write!`.

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The maximum length of a name of a player in a heading, in characters.
const LONGEST_NAME: usize = 200;

/// Returns the name of a player; `None` if it is unknown, which PGN writes as `?`.
pub(super) fn player_name<'a>(game: &'a GameRecord, tag: &str) -> Option<&'a str> {
    game.tag(tag).filter(|name| !matches!(name.trim(), "" | "?"))
}

/// Returns the name of a player for a heading: at most [`LONGEST_NAME`] characters of it.
fn short_name(game: &GameRecord, tag: &str) -> String {
    let name = player_name(game, tag).unwrap_or("?");
    let mut short: String = name.chars().take(LONGEST_NAME).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}

/// Returns a text with the characters that HTML reserves escaped.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the page of these sections.
pub(super) fn page(sections: &[String]) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Annotated games</title>\
         <style>\n{STYLE}</style></head><body>\n{}<script>\n{SCRIPT}</script></body></html>\n",
        sections.concat()
    )
}

fn text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect()
}

/// Returns a game as a section of the page. `values` are those of its turns.
pub(super) fn section(game: &GameRecord, values: &[TurnValue]) -> Result<String, ToolError> {
    let name = |tag: &str| escape(&short_name(game, tag));
    let (white, black, result) = (name("White"), name("Black"), game.result.text());
    let mut out = format!("<section><h1>{white} – {black} <small>{result}</small></h1>\n");
    for comment in &game.main().comments {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(comment));
    }
    let mut pos = game.start_position()?;
    let mut states = vec![(pos.clone(), Overlay::default())];
    let (mut moves, mut mistakes, mut last) = (String::new(), String::new(), "The start".to_owned());
    let turns = &game.main().turns;
    let mut numbering = Numbering::of(game);
    for (index, (turn, value)) in turns.iter().zip(values).enumerate() {
        let TurnNumber { number, is_answer } = numbering.next(turn.side);
        let dots = if turn.side == Color::White { "." } else { "…" };
        let (sign, played) = (mark_sign(value.mark), text(&turn.moves));
        let before = pos.clone();
        turn.moves.iter().for_each(|&m| pos.do_move(m));
        states.push((pos.clone(), Overlay { played: turn.moves.clone(), ..Overlay::default() }));

        let outcome = pos.outcome();
        let words = if outcome.is_over() { outcome_in_words(outcome, &game.rules) } else { value.in_words() };
        last = format!("{number}{dots} {played}{sign}: {words}");
        // The better turn comes before the variations of the record.
        let proposed = turn.variations.first().and_then(|&v| game.lines.get(v)?.turns.first());
        if let (false, Some(better)) = (sign.is_empty(), proposed) {
            let overlay =
                Overlay { played: turn.moves.clone(), proposed: better.moves.clone(), marked: Vec::new() };
            let better = text(&better.moves);
            let caption =
                format!("{number}{dots} {played}{sign} was played (blue), {better} is better (green)");
            mistakes += &figure(&svg(&before, &overlay), &caption);
            let _ = write!(last, "; {better} is better");
        }
        let lead = if is_answer { String::new() } else { format!("{number}{dots} ") };
        let class = if sign.is_empty() { "" } else { " class=\"bad\"" };
        let (short, title, note) = (value.short(), escape(&turn.comments.join(" ")), escape(&last));
        let _ = write!(
            moves,
            "<span{class} data-turn=\"{}\" data-value=\"{short}\" data-note=\"{note}\" title=\"{title}\">\
             {lead}{played}{sign}</span> ",
            index + 1
        );
    }
    let keys = "Arrow keys, Home and End replay the game; so does a click on a move or a point of the curve.";
    let board = figure(&svg_of_states(&states), keys);
    let _ = writeln!(
        out,
        "<div class=\"game\">{board}<div>{}<p class=\"at\" data-start=\"The start\">{}</p>\n\
         <p class=\"moves\">{}</p>\n<p class=\"note\">The small figure is the value for White: 1, ½ or 0 if \
         it is exact, otherwise men by search, or # and the turns to a win.</p></div></div>",
        curve(values),
        escape(&last),
        moves.trim_end()
    );
    Ok(format!("{out}<div class=\"boards\">\n{mistakes}</div></section>\n"))
}

fn figure(picture: &str, caption: &str) -> String {
    format!("<figure>{picture}<figcaption>{}</figcaption></figure>\n", escape(caption))
}

/// The size of the curve, and its left, right and upper edge.
const CURVE: [f64; 2] = [600.0, 170.0];
const LEFT: f64 = 76.0;
const RIGHT: f64 = 590.0;
const TOP: f64 = 12.0;
/// The height of a whole point.
const POINT: f64 = 140.0;

/// Draws the expected score of White, turn by turn.
fn curve(values: &[TurnValue]) -> String {
    let [width, height] = CURVE;
    let mut out = format!(
        "<svg class=\"curve\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\"><title>Expected score of White</title>\n"
    );
    for (points, words) in [(1.0, "White wins"), (0.5, "draw"), (0.0, "Black wins")] {
        let y = TOP + POINT * (1.0 - points);
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {y}H{RIGHT}\"/><text x=\"{}\" y=\"{}\" \
             text-anchor=\"end\">{words}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    let step = (RIGHT - LEFT) / values.len().max(1) as f64;
    let place =
        |n: usize, value: &TurnValue| (LEFT + step * (n + 1) as f64, TOP + POINT * (1.0 - value.points));
    let corners: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(n, value)| place(n, value))
        .map(|(x, y)| format!("{x:.1} {y:.1}"))
        .collect();
    if !corners.is_empty() {
        let _ = writeln!(out, "<path class=\"line\" d=\"M{}\"/>", corners.join("L"));
    }
    for (n, value) in values.iter().enumerate() {
        let (x, y) = place(n, value);
        let (class, radius) = if value.mark == 0 { ("", 3) } else { (" class=\"bad\"", 5) };
        let turn = n + 1;
        let _ =
            writeln!(out, "<circle{class} data-turn=\"{turn}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
    }
    let _ = writeln!(
        out,
        "<path class=\"cursor\" data-step=\"{step:.4}\" transform=\"translate({:.1})\" \
         d=\"M{LEFT} {TOP}v{POINT}\"/></svg>",
        step * values.len() as f64
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{self, ReadOptions};
    use crate::rules::Rules;
    use crate::types::{VALUE_DRAW, mate_in};

    /// Returns the text of a page without its tags.
    fn visible(page: &str) -> String {
        page.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect()
    }

    #[test]
    fn turns_are_written_as_in_a_record_and_every_move_has_a_value() {
        let text = "[White \"A & <B>\"]\n[Black \"C\"]\n\n1. d2 d6 2. b4 d7 3. f4 *";
        let game = record::read("t", text, &ReadOptions::default()).games.remove(0);
        let values: Vec<TurnValue> = [VALUE_DRAW, 31, -20, mate_in(5), 7]
            .into_iter()
            .map(|value| TurnValue { points: 0.5, searched: Some(value), ..TurnValue::default() })
            .collect();
        let html = page(&[section(&game, &values).expect("a legal game")]);
        assert!(visible(&html).contains("1. d2 d6 2. b4 d7 3. f4\n"), "{}", visible(&html));
        assert!(html.contains("A &amp; &lt;B&gt; – C"));
        let short: Vec<&str> =
            html.split("data-value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(short, ["0.00", "+0.31", "-0.20", "#3", "+0.07"]);
        // A state for the start and one for each turn; a point of the curve for each turn.
        assert_eq!(html.matches("<g class=\"state\"").count(), 6);
        assert_eq!(html.matches("<circle data-turn=").count(), 5);
        assert_eq!(html.matches("<span data-turn=").count(), 5);
    }

    #[test]
    fn a_game_without_turns_and_one_that_black_begins_are_shown() {
        let html = section(&GameRecord::new(Rules::NINE), &[]).expect("a legal game");
        assert_eq!(html.matches("<g class=\"state\"").count(), 1);
        assert!(!html.contains("NaN"));
        let text = "[SetUp \"1\"]\n[FEN \"O*O*****/@*@*****/******** b p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 \
                    ids:nodes\"]\n\n3... d7 4. a1 *";
        let game = record::read("t", text, &ReadOptions::default()).games.remove(0);
        let values = vec![TurnValue { points: 0.5, ..TurnValue::default() }; game.main().turns.len()];
        let html = section(&game, &values).expect("a legal game");
        assert!(visible(&html).contains("3… d7 4. a1\n"), "{}", visible(&html));
    }

    #[test]
    fn a_side_that_moves_twice_in_a_row_gets_a_new_number() {
        let rules = Rules { is_defender_move_first: true, pieces_count: 3, ..Rules::NINE };
        let options = ReadOptions { rules: Some(rules), ..ReadOptions::default() };
        let text = "d7 a7 d5 g1 b4 f2 a7-a4 b4-c4 f2-f4";
        let game = record::read("t", text, &options).games.remove(0);
        let values = vec![TurnValue { points: 0.5, ..TurnValue::default() }; game.main().turns.len()];
        let html = section(&game, &values).expect("a legal game");
        let turns = "1. d7 a7 2. d5 g1 3. b4 f2 4… a7-a4 5. b4-c4 f2-f4\n";
        assert!(visible(&html).contains(turns), "{}", visible(&html));
    }
}
