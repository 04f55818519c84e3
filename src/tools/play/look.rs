//! Colours, characters, and foreign text cut to fit.

use crate::platform::text::printable;
use crate::types::Color as Side;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// The colours to use on the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Palette {
    /// None: shapes, bold and reversed text only.
    Plain,
    /// The sixteen named colours.
    Named,
    /// 256 colours; the board has its own background.
    Full,
}

/// The appearance of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Look {
    /// The colours.
    pub(super) palette: Palette,
    /// True if only ASCII characters are drawn.
    pub(super) ascii: bool,
}

/// A part of the screen that has a style of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The background and the lines of the board.
    Board,
    /// A line that one side fills.
    Mill,
    /// Names of files and ranks.
    Label,
    /// An empty point where a man can go.
    Target,
    /// A marked point: nobody may place there.
    Marked,
    /// The point under the cursor.
    Cursor,
    /// The chosen man.
    Chosen,
    /// A man that can be taken.
    Takeable,
    /// The points of the last move.
    Last,
    /// The points of the hint.
    Hint,
    /// Less important text.
    Faint,
    /// Headings and keys.
    Strong,
    /// The bar at the top.
    Bar,
    /// A mistake.
    Mistake,
}

/// Returns an environment variable of this process; what is no Unicode is replaced.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the value of an environment variable, given by `var`. An empty one counts as not set.
fn value(var: impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    var(name).filter(|value| !value.is_empty())
}

/// Returns true if `NO_COLOR` is set: the person wants no colours, see <https://no-color.org>.
pub(super) fn is_without_colour(var: impl Fn(&str) -> Option<String>) -> bool {
    value(var, "NO_COLOR").is_some()
}

/// Returns true if `TERM` names a terminal that can do more than print text.
pub(super) fn is_capable(var: impl Fn(&str) -> Option<String>) -> bool {
    cfg!(windows) || value(var, "TERM").is_some_and(|term| term != "dumb")
}

impl Look {
    /// Reads the look from environment variables, given by `var`.
    pub(super) fn detect(ascii: bool, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| value(&var, name);
        let term = set("TERM").unwrap_or_default();
        let rich = ["256color", "kitty", "alacritty", "ghostty", "foot", "wezterm", "direct"];
        let palette = if is_without_colour(&var) {
            Palette::Plain
        } else if cfg!(windows) || set("COLORTERM").is_some() || rich.iter().any(|word| term.contains(word)) {
            Palette::Full
        } else {
            Palette::Named
        };
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let locale = locale.to_ascii_lowercase().replace('-', "");
        Self { palette, ascii: ascii || !(cfg!(windows) || locale.contains("utf8")) }
    }

    /// Returns the first or the second text, depending on whether only ASCII may be drawn.
    pub(super) fn pick<T>(self, unicode: T, ascii: T) -> T {
        if self.ascii { ascii } else { unicode }
    }

    /// Returns the style of a part.
    pub(super) fn style(self, part: Part) -> Style {
        match self.palette {
            Palette::Plain => plain(part),
            Palette::Named => named(part),
            Palette::Full => full(part),
        }
    }

    /// Returns the style of a man of `side`.
    pub(super) fn man(self, side: Side) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        match (self.palette, side) {
            (Palette::Plain, _) => bold,
            (Palette::Named, Side::White) => bold.fg(Color::LightYellow),
            (Palette::Named, Side::Black) => bold.fg(Color::LightCyan),
            (Palette::Full, Side::White) => Style::new().fg(Color::Indexed(231)),
            (Palette::Full, Side::Black) => Style::new().fg(Color::Indexed(16)),
        }
    }

    /// Returns the character of a man of `side`. If the sides differ in colour, the shape is the same.
    pub(super) fn man_char(self, side: Side) -> char {
        match (self.ascii, self.palette, side) {
            (true, _, Side::White) => 'O',
            (true, _, Side::Black) => '@',
            (false, Palette::Plain, Side::White) => '○',
            (false, _, _) => '●',
        }
    }

    /// Returns `text` printable and at most `most` columns wide. Where only ASCII is drawn, other characters
    /// become `?`.
    pub(super) fn printable(self, text: &str, most: usize) -> String {
        let width = |text: &str| Span::raw(text).width();
        // No character is wider than two columns, and some have none.
        let mut shown = printable(text, 4 * most + 4);
        if self.ascii {
            shown = shown.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
        }
        if width(&shown) <= most {
            return shown;
        }
        let mut cut = String::new();
        for c in shown.chars() {
            cut.push(c);
            if width(&cut) + 1 > most {
                cut.pop();
                break;
            }
        }
        cut + self.pick("…", "~")
    }
}

/// The styles without colours.
fn plain(part: Part) -> Style {
    let style = Style::new();
    match part {
        Part::Board | Part::Label | Part::Faint | Part::Marked | Part::Last => style,
        Part::Mill | Part::Target | Part::Strong | Part::Takeable | Part::Hint | Part::Mistake => {
            style.add_modifier(Modifier::BOLD)
        }
        Part::Cursor | Part::Bar | Part::Chosen => style.add_modifier(Modifier::REVERSED),
    }
}

/// The styles with the sixteen named colours, which the terminal chooses.
fn named(part: Part) -> Style {
    let style = Style::new();
    match part {
        Part::Board => style,
        Part::Label | Part::Faint => style.add_modifier(Modifier::DIM),
        Part::Mill => style.fg(Color::LightMagenta).add_modifier(Modifier::BOLD),
        Part::Target => style.fg(Color::LightGreen).add_modifier(Modifier::BOLD),
        Part::Marked | Part::Mistake => style.fg(Color::LightRed),
        Part::Cursor | Part::Bar => style.add_modifier(Modifier::REVERSED),
        Part::Chosen => style.bg(Color::Green),
        Part::Takeable => style.bg(Color::Red),
        Part::Last => style.bg(Color::Blue),
        Part::Hint => style.bg(Color::Magenta),
        Part::Strong => style.add_modifier(Modifier::BOLD),
    }
}

/// The styles with 256 colours.
fn full(part: Part) -> Style {
    let style = Style::new();
    let color = |n: u8| Color::Indexed(n);
    match part {
        Part::Board | Part::Label => style.fg(color(94)).bg(color(180)),
        Part::Mill => style.fg(color(160)).bg(color(180)).add_modifier(Modifier::BOLD),
        Part::Target => style.fg(color(22)).bg(color(180)).add_modifier(Modifier::BOLD),
        Part::Marked => style.fg(color(124)).bg(color(180)),
        Part::Cursor => style.fg(color(16)).bg(color(81)),
        Part::Chosen => style.bg(color(114)),
        Part::Takeable => style.bg(color(203)),
        Part::Last => style.bg(color(221)),
        Part::Hint => style.bg(color(141)),
        Part::Faint => style.fg(color(245)),
        Part::Strong => style.add_modifier(Modifier::BOLD),
        Part::Bar => style.fg(color(230)).bg(color(94)),
        Part::Mistake => style.fg(color(203)).add_modifier(Modifier::BOLD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(ascii: bool, vars: &[(&str, &str)]) -> Look {
        let find = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Look::detect(ascii, find)
    }

    #[cfg(unix)]
    #[test]
    fn the_environment_chooses_colours_and_characters() {
        let utf8 = ("LANG", "de_DE.UTF-8");
        let full = detect(false, &[("TERM", "xterm-256color"), utf8]);
        assert_eq!(full, Look { palette: Palette::Full, ascii: false });
        assert_eq!(detect(false, &[("TERM", "xterm"), utf8]).palette, Palette::Named);
        assert_eq!(detect(false, &[("NO_COLOR", "1"), utf8]).palette, Palette::Plain);
        assert_eq!(detect(false, &[("NO_COLOR", ""), utf8]).palette, Palette::Named, "empty is not set");
        assert!(detect(true, &[utf8]).ascii);
        assert!(detect(false, &[]).ascii);
        assert!(detect(false, &[("LC_ALL", "C"), utf8]).ascii, "LC_ALL stands over LANG");
        assert!(!detect(false, &[("LC_CTYPE", "C.utf8"), ("LANG", "C")]).ascii);
    }

    #[cfg(unix)]
    #[test]
    fn a_terminal_without_a_name_can_only_print() {
        let is_capable = |term: Option<&str>| is_capable(|_| term.map(str::to_owned));
        assert!(![None, Some(""), Some("dumb")].into_iter().any(is_capable));
        assert!(is_capable(Some("xterm")));
    }

    #[test]
    fn foreign_text_is_printable_and_short() {
        let look = Look { palette: Palette::Plain, ascii: false };
        assert_eq!(look.printable("Jörg", 10), "Jörg");
        assert_eq!(look.printable("a\x1b[2Jb\u{202e}c\n", 30), "a\\u001b[2Jb\\u202ec\\n");
        assert_eq!(look.printable("0123456789", 10), "0123456789");
        assert_eq!(look.printable("0123456789a", 10), "012345678…");
        assert_eq!(look.printable("木木木木", 5), "木木…");
        assert_eq!(look.printable(&"x".repeat(100_000_000), 5), "xxxx…");
        let ascii = Look { ascii: true, ..look };
        assert_eq!(ascii.printable("Jörg Müller", 8), "J?rg M?~");
    }
}
