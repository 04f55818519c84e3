//! The solver: row by row, where a row fixes the set of the side that does not move.

pub mod captures;
pub mod moving;
pub mod placing;
mod row;
