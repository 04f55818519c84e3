//! `chart`: results as SVG charts that are readable on light and dark backgrounds.

use super::arguments::output_file;
use super::error::{InputFault, Place, ToolError};
use super::files::{LONGEST_GAMES, check_other, read_text, shown_input, write_out};
use super::matches::expected_score;
use super::suite::GameStage;
use crate::platform::text::printable;
use clap::{Args, ValueEnum};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use serde_json::Value;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The settings of a chart.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChartSettings {
    /// Kind of chart
    kind: ChartKind,
    /// Output of `match --json`, `accuracy --json` or `annotate --json`; - for standard input
    #[arg(required = true, value_name = "FILE")]
    results: Vec<PathBuf>,
    /// Title of the chart
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

/// The kinds of chart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ChartKind {
    /// Score of matches, or share of kept values, by time control, with intervals where they are known
    Score,
    /// Share of kept values by part of the game, one colour for each file of accuracy
    Accuracy,
    /// Elo of matches with error bars; those without an end reach the edge of the picture
    Elo,
    /// White's expected score, turn by turn, of each game of annotate, at most 12 games
    Game,
}

const SIZE: (u32, u32) = (800, 480);
/// The same contrast to white as to black.
const INK: RGBColor = RGBColor(0x76, 0x76, 0x76);
const GRID: RGBAColor = RGBAColor(0x76, 0x76, 0x76, 0.25);
/// Colours that differ on both backgrounds, also for colour-blind readers (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 12] = [
    RGBColor(0x00, 0x8c, 0xd0),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xc0, 0x90, 0x00),
    RGBColor(0x80, 0x70, 0xd0),
    RGBColor(0x00, 0x40, 0x70),
    RGBColor(0x7a, 0x2c, 0x00),
    RGBColor(0x00, 0x50, 0x38),
    RGBColor(0x80, 0x20, 0x58),
    RGBColor(0x70, 0x70, 0x70),
    RGBColor(0xe8, 0x20, 0x40),
];

/// A value with the interval around it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ValueBar {
    low: f64,
    middle: f64,
    high: f64,
}

/// The least and the greatest share in per cent.
const PERCENT: [f64; 2] = [0.0, 100.0];

/// The bars of one colour: the name, and a bar, where known, for each place of the axis.
struct Series {
    name: String,
    bars: Vec<Option<ValueBar>>,
}

/// Draws a chart.
///
/// # Errors
/// If a file cannot be read, holds no result of this kind, or the chart cannot be written.
pub(crate) fn run(args: &ChartSettings) -> Result<(), ToolError> {
    if let Some(output) = &args.output {
        for result in &args.results {
            check_other(output, Some(result), "a result to draw", "another file for --output")?;
        }
    }
    let results = args.results.iter().map(|path| read(path)).collect::<Result<Vec<_>, ToolError>>()?;
    let picture = match args.kind {
        ChartKind::Score => by_file(&results, args, "share of points or kept values, per cent", score)?,
        ChartKind::Elo => by_file(&results, args, "Elo, 95 % interval", elo)?,
        ChartKind::Accuracy => by_phase(&results, args)?,
        ChartKind::Game => games(&results, args)?,
    };
    write_out(args.output.as_ref(), &picture)
}

/// A result with the name of its file.
struct NamedResult {
    path: PathBuf,
    value: Value,
}

impl NamedResult {
    fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the name of the engine that was measured, or those of the two players of a match.
    fn players(&self) -> Option<String> {
        let text = |key: &str| self.value[key].as_str().filter(|text| !text.is_empty());
        match (text("engine"), text("a"), text("b")) {
            (Some(engine), ..) => Some(engine.to_owned()),
            (None, Some(a), Some(b)) => Some(format!("{a} – {b}")),
            _ => None,
        }
    }

    /// Returns a number of a result of the command `of`.
    fn number(&self, keys: &[&str], of: &str) -> Result<f64, ToolError> {
        let name = keys.join(".");
        let Some(found) = keys.iter().try_fold(&self.value, |value, &key| value.get(key)) else {
            return Err(self.wrong(format!("no '{name}'"), format!("a result of {of} --json")));
        };
        found.as_f64().ok_or_else(|| self.wrong(format!("{found} at '{name}'"), "a number"))
    }

    fn wrong(&self, found: impl Into<String>, expected: impl Into<String>) -> ToolError {
        ToolError::unexpected(&self.path, found, expected)
    }

    /// Returns the bar of three numbers, which have to be in order and within limits.
    fn bar(&self, [low, middle, high]: [f64; 3], [least, most]: [f64; 2]) -> Result<ValueBar, ToolError> {
        // The numbers may be rounded.
        if [least, low, middle, high, most].is_sorted_by(|one, next| *one <= next + 1e-6) {
            return Ok(ValueBar { low, middle, high });
        }
        let expected = format!("three numbers from {least} to {most}, none above the next");
        Err(self.wrong(format!("low {low}, value {middle}, high {high}"), expected))
    }
}

/// Returns the names of results: those of the players, or of the files where names are missing or the same.
fn names(results: &[NamedResult]) -> Vec<String> {
    let players: Option<Vec<String>> = results.iter().map(NamedResult::players).collect();
    players
        .filter(|names| are_distinct(names))
        .unwrap_or_else(|| results.iter().map(NamedResult::stem).collect())
}

fn are_distinct(names: &[String]) -> bool {
    (0..names.len()).all(|n| !names[n].is_empty() && !names[..n].contains(&names[n]))
}

fn read(path: &Path) -> Result<NamedResult, ToolError> {
    let (text, path) = (read_text(path, LONGEST_GAMES)?, shown_input(path));
    let value = serde_json::from_str(&text).map_err(InputFault::NoJson).map_err(ToolError::input(path))?;
    Ok(NamedResult { path: path.to_owned(), value })
}

/// Returns the score of a match, or the share of kept values of an accuracy run, in per cent.
fn score(found: &NamedResult) -> Result<ValueBar, ToolError> {
    let number = |key: &str| found.number(&[key], "match --json or accuracy");
    let percent = |key: &str| number(key).map(|share| 100.0 * share);
    if found.value["share"].is_number() {
        return found.bar([percent("low")?, percent("share")?, percent("high")?], PERCENT);
    }
    // The interval of a score is that of its Elo.
    let middle = percent("score")?;
    let end = |key: &str, infinite: f64| {
        difference(found, key, infinite).map_or(middle, |elo| 100.0 * expected_score(elo))
    };
    found.bar([end("elo_low", f64::NEG_INFINITY), middle, end("elo_high", f64::INFINITY)], PERCENT)
}

/// Returns an Elo difference of a result, if it has one; JSON null is infinite.
fn difference(found: &NamedResult, key: &str, infinite: f64) -> Option<f64> {
    found.value.get(key).and_then(|value| if value.is_null() { Some(infinite) } else { value.as_f64() })
}

fn elo(found: &NamedResult) -> Result<ValueBar, ToolError> {
    let number = |key: &str, infinite: f64| {
        difference(found, key, infinite).map_or_else(|| found.number(&[key], "match"), Ok)
    };
    let low = number("elo_low", f64::NEG_INFINITY)?;
    let high = number("elo_high", f64::INFINITY)?;
    // The infinite value is on the side on which the interval has no end.
    let infinite = if high.is_finite() { f64::NEG_INFINITY } else { f64::INFINITY };
    found.bar([low, number("elo", infinite)?, high], [f64::NEG_INFINITY, f64::INFINITY])
}

/// Draws one bar for each file, named after its time control or its players.
fn by_file(
    results: &[NamedResult],
    args: &ChartSettings,
    axis: &str,
    bar: impl Fn(&NamedResult) -> Result<ValueBar, ToolError>,
) -> Result<String, ToolError> {
    let bars = results.iter().map(|found| bar(found).map(Some)).collect::<Result<Vec<_>, ToolError>>()?;
    let limits: Vec<String> =
        results.iter().map(|found| found.value["go"].as_str().unwrap_or_default().to_owned()).collect();
    let are_limits = args.kind == ChartKind::Score && are_distinct(&limits);
    let names = if are_limits { limits } else { names(results) };
    draw_bars(args, axis, &names, &[Series { name: String::new(), bars }])
}

fn by_phase(results: &[NamedResult], args: &ChartSettings) -> Result<String, ToolError> {
    let mut phases: Vec<String> = Vec::new();
    for found in results {
        let of_file = found.value["by_phase"].as_object();
        let of_file = of_file.ok_or_else(|| found.wrong("no 'by_phase'", "a result of accuracy --json"))?;
        for phase in of_file.keys() {
            if !phases.contains(phase) {
                phases.push(phase.clone());
            }
        }
    }
    // In the order of the game; JSON has them in that of the alphabet.
    phases.sort_by_key(|phase| {
        GameStage::ALL.iter().position(|stage| stage.name() == phase).unwrap_or(usize::MAX)
    });
    let percent = |found: &NamedResult, phase: &str, key: &str| {
        found.number(&["by_phase", phase, key], "accuracy").map(|share| 100.0 * share)
    };
    let series = results.iter().zip(names(results)).map(|(found, name)| {
        let bars = phases.iter().map(|phase| {
            if found.value["by_phase"][phase].is_null() {
                return Ok(None);
            }
            let [low, middle, high] = ["low", "share", "high"].map(|key| percent(found, phase, key));
            found.bar([low?, middle?, high?], PERCENT).map(Some)
        });
        Ok(Series { name, bars: bars.collect::<Result<_, ToolError>>()? })
    });
    let series = series.collect::<Result<Vec<_>, ToolError>>()?;
    draw_bars(args, "kept values, per cent", &phases, &series)
}

/// An axis of names: each name is at a whole number.
#[derive(Clone)]
struct Names(Vec<String>);

impl Ranged for Names {
    type ValueType = f64;
    type FormatOption = NoDefaultFormatting;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value + 0.5) / self.0.len() as f64;
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (0..self.0.len()).map(|n| n as f64).collect()
    }

    fn range(&self) -> Range<f64> {
        -0.5..self.0.len() as f64 - 0.5
    }
}

impl ValueFormatter<f64> for Names {
    fn format_ext(&self, value: &f64) -> String {
        self.0.get(value.round() as usize).cloned().unwrap_or_default()
    }
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Returns a chart with space for labels and title.
fn frame<'a, 'b>(canvas: &'a Canvas<'b>, title: Option<&str>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(canvas);
    chart.margin(16).x_label_area_size(36).y_label_area_size(64);
    if let Some(title) = title {
        chart.caption(cut(title, (SIZE.0 as i32 - 32) * LETTER / TITLE_LETTER), text(20));
    }
    chart
}

/// The left edge of the legend.
const LEGEND_LEFT: i32 = 64;
/// The height of a row of the legend.
const LEGEND_ROW: i32 = 22;
/// The width of a letter in the legend and on the axes, roughly.
const LETTER: i32 = 8;
/// The width of a letter in the title, roughly.
const TITLE_LETTER: i32 = 12;

/// Returns the places of the names of a legend, in rows from the top left corner, and its height.
fn legend(names: &[String]) -> (Vec<(i32, i32)>, i32) {
    let right = SIZE.0 as i32 - 16;
    let (mut x, mut y) = (LEGEND_LEFT, 0);
    let mut places = Vec::new();
    for name in names {
        let width = 36 + LETTER * name.chars().count() as i32;
        if x > LEGEND_LEFT && x + width > right {
            (x, y) = (LEGEND_LEFT, y + LEGEND_ROW);
        }
        places.push((x, y));
        x += width;
    }
    (places, y + LEGEND_ROW + 10)
}

/// Returns a name without characters that XML forbids, cut to a width in the picture.
fn cut(name: &str, width: i32) -> String {
    let most = (width / LETTER).max(4) as usize;
    let name = printable(name, usize::MAX);
    if name.chars().count() <= most {
        return name;
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

/// Draws with `draw`, puts a legend below if there are several series, and returns the picture. Nothing is
/// drawn over the legend, and the legend over nothing.
fn picture(
    series: &[String],
    draw: impl FnOnce(&Canvas<'_>) -> Result<(), ToolError>,
) -> Result<String, ToolError> {
    if series.len() > COLOURS.len() {
        let (found, most) = (format!("{} series", series.len()), COLOURS.len());
        return Err(ToolError::unexpected(Place::Job, found, format!("at most {most}: each has a colour")));
    }
    let mut picture = String::new();
    let series: Vec<String> = if series.len() > 1 {
        series.iter().map(|name| cut(name, SIZE.0 as i32 - LEGEND_LEFT - 52)).collect()
    } else {
        Vec::new()
    };
    let (places, height) = if series.is_empty() { (Vec::new(), 0) } else { legend(&series) };
    {
        let size = (SIZE.0, SIZE.1 + height as u32);
        let canvas = SVGBackend::with_string(&mut picture, size).into_drawing_area();
        let (upper, lower) = canvas.split_vertically(SIZE.1 as i32);
        draw(&upper)?;
        for (n, (name, (x, y))) in series.iter().zip(places).enumerate() {
            lower.draw(&Circle::new((x + 6, y + 8), 5, COLOURS[n].filled())).map_err(ToolError::Chart)?;
            lower.draw(&Text::new(name.as_str(), (x + 18, y + 2), text(14))).map_err(ToolError::Chart)?;
        }
        canvas.present().map_err(ToolError::Chart)?;
    }
    Ok(picture)
}

/// Draws the axes with their names.
fn draw_axes<X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    x: &str,
    y: &str,
) -> Result<(), ToolError>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
{
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_desc(x)
        .y_desc(y)
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(text(14))
        .draw()
        .map_err(ToolError::Chart)
}

/// Draws points with error bars, one colour for each series.
fn draw_bars(
    args: &ChartSettings,
    axis: &str,
    names: &[String],
    series: &[Series],
) -> Result<String, ToolError> {
    let bars = series.iter().flat_map(|series| series.bars.iter().flatten());
    let (mut finite, infinite): (Vec<f64>, Vec<f64>) =
        bars.flat_map(|bar| [bar.low, bar.middle, bar.high]).partition(|value| value.is_finite());
    if !finite.is_empty() && !infinite.is_empty() {
        // The only number of a match without a loss says little where the axis shows nothing else.
        finite.push(0.0);
    }
    let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
    let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return Err(ToolError::unexpected(Place::Job, "no finite value to draw", "at least one"));
    }
    let margin = (0.08 * (high - low)).max(0.5);
    let (bottom, top) = (low - margin, high + margin);
    if !(top - bottom).is_finite() {
        let found = format!("values from {low:e} to {high:e}");
        return Err(ToolError::unexpected(Place::Job, found, "values that fit on one axis"));
    }
    let labels: Vec<String> = series.iter().map(|series| series.name.clone()).collect();
    picture(&labels, |canvas| {
        let room = (SIZE.0 as i32 - 96) / names.len().max(1) as i32;
        let names = Names(names.iter().map(|name| cut(name, room)).collect());
        let mut chart = frame(canvas, args.title.as_deref())
            .build_cartesian_2d(names, bottom..top)
            .map_err(ToolError::Chart)?;
        draw_axes(&mut chart, "", axis)?;
        for (n, Series { bars, .. }) in series.iter().enumerate() {
            let colour = COLOURS[n];
            // Several series are side by side, centred on the name.
            let shift = (n as f64 + 0.5) / series.len() as f64 * 0.6 - 0.3;
            let points = bars.iter().enumerate().filter_map(|(at, bar)| Some((at as f64 + shift, (*bar)?)));
            chart
                .draw_series(points.map(|(x, ValueBar { low, middle, high })| {
                    // Infinite ends reach the edge of the chart.
                    let [low, middle, high] = [low, middle, high].map(|value| value.clamp(bottom, top));
                    ErrorBar::new_vertical(x, low, middle, high, colour.filled(), 12)
                }))
                .map_err(ToolError::Chart)?;
        }
        Ok(())
    })
}

/// Returns the players of a game of `annotate` and its number, or the name of the file and the number.
fn game_name(found: &NamedResult, game: &Value, number: usize) -> String {
    let player = |n: usize| game["players"][n].as_str().filter(|name| !name.is_empty());
    match (player(0), player(1)) {
        (None, None) => format!("{}, game {number}", found.stem()),
        (white, black) => {
            format!("{} – {}, game {number}", white.unwrap_or("?"), black.unwrap_or("?"))
        }
    }
}

/// Draws White's expected score, turn by turn: one line for each game.
fn games(results: &[NamedResult], args: &ChartSettings) -> Result<String, ToolError> {
    let mut lines: Vec<(String, Vec<f64>)> = Vec::new();
    for found in results {
        let games = found.value.as_array();
        let games = games.ok_or_else(|| found.wrong("no list of games", "a result of annotate --json"))?;
        for (number, game) in games.iter().enumerate() {
            let points = game["white_points"].as_array();
            let share = |value: &Value| value.as_f64().filter(|share| (0.0..=1.0).contains(share));
            let points = points.and_then(|points| points.iter().map(share).collect());
            let points = points.ok_or_else(|| {
                let place = Place::Game(found.path.clone(), number + 1);
                let expected = "a list of numbers from 0 to 1";
                ToolError::unexpected(place, "other 'white_points', or none", expected)
            })?;
            lines.push((game_name(found, game, number + 1), points));
        }
    }
    let turns = lines.iter().map(|(_, points)| points.len()).max().unwrap_or_default();
    if turns == 0 {
        return Err(ToolError::unexpected(Place::Job, "no turn to draw", "at least one"));
    }
    let names: Vec<String> = lines.iter().map(|(name, _)| name.clone()).collect();
    // A single game needs no legend, but a title.
    let title = args.title.as_ref().or(if let [name] = &names[..] { Some(name) } else { None });
    picture(&names, |canvas| {
        let mut chart = frame(canvas, title.map(String::as_str))
            .build_cartesian_2d(0..turns + 1, -0.02..1.02)
            .map_err(ToolError::Chart)?;
        draw_axes(&mut chart, "turn", "expected score of White")?;
        for (n, (_, points)) in lines.iter().enumerate() {
            let line = points.iter().enumerate().map(|(turn, &points)| (turn + 1, points));
            // A game of one turn has no line, but a point.
            let style = COLOURS[n].filled().stroke_width(2);
            chart.draw_series(LineSeries::new(line, style).point_size(2)).map_err(ToolError::Chart)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(kind: ChartKind, files: &[(&str, &str)]) -> Result<String, ToolError> {
        let folder = tempfile::tempdir().expect("a folder");
        let results: Vec<PathBuf> = files
            .iter()
            .map(|(name, text)| {
                let path = folder.path().join(name);
                std::fs::write(&path, text).expect("a file");
                path
            })
            .collect();
        let output = folder.path().join("chart.svg");
        let args =
            ChartSettings { kind, results, title: Some("A title".to_owned()), output: Some(output.clone()) };
        run(&args).map(|()| std::fs::read_to_string(&output).expect("a picture"))
    }

    const MATCH: &str = r#"{"score": 0.61, "elo": 78, "elo_low": 50, "elo_high": 110, "go": "movetime 100"}"#;
    const ACCURACY: &str = r#"{"share": 0.98, "low": 0.97, "high": 0.99, "go": "movetime 10",
        "by_phase": {"flying": {"share": 0.9, "low": 0.8, "high": 0.95},
            "moving": {"share": 0.9, "low": 0.8, "high": 0.95},
            "placing": {"share": 0.96, "low": 0.95, "high": 0.97}}}"#;

    #[test]
    fn charts_show_names_and_bars() {
        let elo = chart(ChartKind::Elo, &[("first.json", MATCH), ("second.json", MATCH)]).expect("a chart");
        for word in ["A title", "first", "second", "Elo", "<circle", "</svg>"] {
            assert!(elo.contains(word), "{word} in {elo}");
        }
        let won = r#"{"elo": null, "elo_low": 78.5, "elo_high": null}"#;
        let elo = chart(ChartKind::Elo, &[("all.json", won)]).expect("a chart of what has no end");
        assert!(elo.contains("<circle") && elo.contains("\n0.0\n") && elo.contains("\n80.0\n"), "{elo}");
        let score = chart(ChartKind::Score, &[("m.json", MATCH), ("a.json", ACCURACY)]).expect("a chart");
        assert!(score.contains("movetime 100") && score.contains("movetime 10"));
        let phases =
            chart(ChartKind::Accuracy, &[("old.json", ACCURACY), ("new.json", ACCURACY)]).expect("a chart");
        assert!(["placing", "old", "new"].iter().all(|word| phases.contains(word)));
        let [placing, moving] = ["placing", "moving"].map(|word| phases.find(word));
        assert!(placing < moving, "phases are in the order of the game");
        let game = chart(ChartKind::Game, &[("game.json", r#"[{"white_points": [0.5, 0.7, 1.0]}]"#)])
            .expect("a chart");
        assert!(game.contains("<polyline") && game.contains("turn"));
        let game = chart(ChartKind::Game, &[("game.json", r#"[{"white_points": [0.5]}]"#)]).expect("a chart");
        assert!(game.contains("<circle"), "{game}");
    }

    #[test]
    fn a_long_title_is_cut_to_the_picture_and_printable() {
        let name = "Wilhelmina\u{1b}von und zu\nHohenstauffen\u{ffff}".repeat(3);
        let value = serde_json::json!([{ "players": [name, "Ben"], "white_points": [0.5, 0.7] }]);
        let found = NamedResult { path: "game.json".into(), value };
        let args = ChartSettings { kind: ChartKind::Game, results: Vec::new(), title: None, output: None };
        let picture = games(&[found], &args).expect("a chart");
        let title =
            picture.lines().map(str::trim).find(|line| line.starts_with("Wilhelmina")).expect("a title");
        assert!(title.chars().count() <= 80, "{title}");
        assert!(title.starts_with(r"Wilhelmina\u001bvon und zu\nHohenstauffen\uffff"), "{title}");
    }

    #[test]
    fn players_name_what_is_theirs_and_the_legend_is_below_the_chart() {
        let game = r#"[{"players": ["Anna", "Ben"], "white_points": [0.5, 0.7, 1.0]},
            {"players": [null, "Carl"], "white_points": [0.5, 0.2]}, {"white_points": [0.5, 0.1]}]"#;
        let picture = chart(ChartKind::Game, &[("file.json", game)]).expect("a chart");
        for name in ["Anna – Ben, game 1", "? – Carl, game 2", "file, game 3"] {
            let (before, _) = picture.split_once(name).unwrap_or_else(|| panic!("{name} in {picture}"));
            let (_, place) = before.rsplit_once(" y=\"").expect("a place");
            let y: u32 = place.split('"').next().and_then(|y| y.parse().ok()).expect("a number");
            assert!(y > SIZE.1, "{name} is at {y}");
        }
        let played = |a: &str| {
            format!(r#"{{"a": "{a}", "b": "old", "elo": 7, "elo_low": 1, "elo_high": 9, "score": 0.5}}"#)
        };
        let (new, newer, same) = (played("new"), played("newer"), played("new"));
        let elo = chart(ChartKind::Elo, &[("x.json", &new), ("y.json", &newer)]).expect("a chart");
        assert!(elo.contains("new – old") && elo.contains("newer – old"), "{elo}");
        let elo = chart(ChartKind::Elo, &[("p.json", &new), ("q.json", &same)]).expect("a chart");
        assert!(!elo.contains("new – old"), "the same name twice tells nothing: {elo}");
        let long = "A player with a name that is far too long for the space it has".repeat(3);
        assert!(chart(ChartKind::Elo, &[("z.json", &played(&long))]).expect("a chart").contains('…'));
    }

    #[test]
    fn every_series_has_a_colour_of_its_own() {
        let games = |count: usize| {
            let game = r#"{"white_points": [0.5, 0.7]}"#;
            chart(ChartKind::Game, &[("games.json", &format!("[{}]", vec![game; count].join(",")))])
        };
        let picture = games(COLOURS.len()).expect("a chart");
        for RGBColor(red, green, blue) in COLOURS {
            let colour = format!("#{red:02X}{green:02X}{blue:02X}");
            assert!(picture.contains(&format!("stroke=\"{colour}\"")), "{colour}");
        }
        let why = games(COLOURS.len() + 1).expect_err("refused").to_string();
        assert!(why.contains("13 series") && why.contains("at most 12"), "{why}");
    }

    #[test]
    fn results_of_another_kind_are_named() {
        for (kind, text, expected) in [
            (ChartKind::Elo, ACCURACY, "found no 'elo_low', expected a result of match --json"),
            (ChartKind::Score, "{}", "no 'score', expected a result of match --json or accuracy --json"),
            (ChartKind::Score, r#"{"score": 7}"#, "expected three numbers from 0 to 100"),
            (ChartKind::Elo, r#"{"elo": 7, "elo_low": 8, "elo_high": 9}"#, "found low 8, value 7, high 9"),
            (ChartKind::Elo, r#"{"elo": null, "elo_low": null, "elo_high": null}"#, "no finite value"),
            (ChartKind::Accuracy, MATCH, "by_phase"),
            (ChartKind::Game, MATCH, "list of games"),
            (ChartKind::Game, "[{}]", "white_points"),
            (ChartKind::Game, r#"[{"white_points": [0.5, "a", 1]}]"#, "white_points"),
            (ChartKind::Game, r#"[{"white_points": [0.5, 1.5]}]"#, "a list of numbers from 0 to 1"),
            (ChartKind::Elo, r#"{"elo": 1e308, "elo_low": -1e308, "elo_high": 1e308}"#, "fit on one axis"),
            (ChartKind::Score, "{", "expected JSON"),
            (ChartKind::Game, "[]", "no turn"),
        ] {
            let why = chart(kind, &[("wrong.json", text)]).expect_err("refused");
            assert!(why.to_string().contains(expected), "{why}");
        }
    }
}
