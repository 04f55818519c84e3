//! The `millstone` program.

fn main() {}
