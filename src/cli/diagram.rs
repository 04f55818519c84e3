//! The arguments of `diagram`.

use crate::rules::Rules;
use crate::tools::arguments::output_file;
use crate::tools::diagram::DiagramSettings;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `diagram`.
#[derive(Clone, Debug, Args)]
pub(super) struct DiagramArgs {
    /// Position text, or startpos
    #[arg(required = true, value_name = "FEN")]
    position: Vec<String>,
    #[command(flatten)]
    rules: Rules,
    /// Moves to play first; the last turn is drawn
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Legal moves to draw without playing them: moves of this position, or a line of moves
    #[arg(long, value_name = "MOVES", default_value = "")]
    show: String,
    /// Points to mark
    #[arg(long, value_name = "POINTS", default_value = "")]
    mark: String,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

impl DiagramArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> DiagramSettings {
        DiagramSettings {
            position: self.position.join(" "),
            rules: self.rules,
            moves: self.moves,
            show: self.show,
            mark: self.mark,
            output: self.output,
        }
    }
}
