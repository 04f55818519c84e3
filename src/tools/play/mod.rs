//! `play`: a game of a person against the engine in the terminal.

mod line;
mod settings;

pub use line::run;
pub use settings::Play;
