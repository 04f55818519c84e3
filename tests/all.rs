//! All integration tests as one program, because each further program would link the whole engine again.
//!
//! `cargo test --release --test all perft::` runs the tests of one file. `naive` is the model of the rules
//! that shares no code with the engine, `subject` lets a test run with either, `common` drives the built
//! program, `fuzzed` holds properties of any input.

mod common;
mod fuzzed;
mod naive;
mod subject;

mod algorithms;
mod annotate;
mod arguments;
mod badinput;
mod certificate;
mod checklist;
mod clients;
mod clock;
mod convert;
mod data_packages;
mod dialects;
mod docs;
mod effects;
mod eval_file;
mod examples;
mod experience;
mod foreign_text;
mod hostile;
mod invariants;
mod json_output;
mod layers;
mod limits;
mod manual;
mod match_faults;
mod match_setup;
mod matches;
mod memory;
mod multipv;
mod never_lose;
mod options;
mod oracle;
mod past_draws;
mod perft;
mod plain_data;
mod play;
mod processes;
mod readme;
mod records;
mod resume;
mod scripts;
mod selfplay;
mod solver;
mod statejson;
mod strict;
mod style;
mod tablebase;
mod tablebase_play;
mod tb_commands;
mod tune;
mod uci;
