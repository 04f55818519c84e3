//! Benchmarks of moves, move generation, evaluation, transposition table, perft, and the search of the
//! positions of `bench`. Run by `cargo bench --bench engine`. Each checks its counts, so that it cannot be
//! fast by doing less.

use brunch::{Bench, Benches};
use millstone::evaluate::evaluate;
use millstone::internals::bench::{self, BenchSettings};
use millstone::internals::{TranspositionTable, TtEntry};
use millstone::movegen;
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::types::{Bound, Move};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time for a benchmark whose single run is long: at least a hundred runs are needed.
const LONG: Duration = Duration::from_secs(60);

/// The positions of recorded games that the perft tests use.
const POSITIONS: &str = include_str!("../tests/data/perft/positions.perft");

/// Returns positions of a preset: the initial one, those of the data file, and all that follow them by one
/// move.
fn positions(preset: &str) -> Vec<Position> {
    let rules = Rules::by_name(preset).expect("a preset");
    let mut current = "";
    let mut positions = vec![Position::new(&rules)];
    for line in POSITIONS.lines() {
        if let Some(name) = line.strip_prefix("rules ") {
            current = name;
        } else if let Some(text) = line.strip_prefix("fen ")
            && current == preset
        {
            positions.push(Position::from_fen(&rules, text).expect("a legal text"));
        }
    }
    assert!(positions.len() > 2, "{} positions of {preset}", positions.len());
    for index in 0..positions.len() {
        let pos = positions[index].clone();
        positions.extend(pos.legal_moves().iter().map(|&m| {
            let mut next = pos.clone();
            next.do_move(m);
            next
        }));
    }
    positions
}

/// Preset 0 runs the instances of the code for plain rules, preset 4 those for rare rules.
fn moves(benches: &mut Benches) {
    for (name, preset) in [("standard", "preset0"), ("one-time mills", "preset4")] {
        let mut all = positions(preset);
        let lists: Vec<Vec<Move>> = all.iter().map(|pos| pos.legal_moves().to_vec()).collect();
        let count: usize = lists.iter().map(Vec::len).sum();
        let keys: Vec<u64> = all.iter().map(Position::key).collect();
        benches.push(Bench::new(format!("{name}: do_move and undo_move, {count} moves")).run(|| {
            let mut sum = 0;
            for (pos, list) in all.iter_mut().zip(&lists) {
                for &m in list {
                    pos.do_move(m);
                    sum ^= black_box(pos.key());
                    pos.undo_move();
                }
            }
            sum
        }));
        assert!(all.iter().map(Position::key).eq(keys), "every move has been taken back");
        benches.push(Bench::new(format!("{name}: move list, {count} moves")).run(|| {
            let listed: usize = all.iter().map(|pos| black_box(pos).playable_moves().len()).sum();
            assert_eq!(listed, count);
        }));
        let evaluations = format!("{name}: evaluate, {} positions", all.len());
        benches.push(
            Bench::new(evaluations).run(|| all.iter().map(|pos| evaluate(black_box(pos))).sum::<i32>()),
        );
    }
}

fn perft(benches: &mut Benches) {
    for (rules, depth, nodes) in [("nine", 6, 96_223_680), ("lasker", 5, 7_871_032)] {
        let mut pos = Position::new(&Rules::by_name(rules).expect("a rule set"));
        let bench = Bench::new(format!("perft {depth} of {rules}, {nodes} nodes")).with_timeout(LONG);
        benches.push(bench.run(|| assert_eq!(movegen::perft(&mut pos, depth), nodes)));
    }
}

fn transposition_table(benches: &mut Benches) {
    const ENTRIES: u64 = 1 << 16;
    let tt = TranspositionTable::new(64).expect("64 MiB");
    let entry = TtEntry { best: Move::NONE, value: 17, eval: None, depth: 5, bound: Bound::Exact };
    let key = millstone::internals::mix;
    (0..ENTRIES).for_each(|n| tt.store(key(n), entry));
    let known: Vec<u64> = (0..ENTRIES).map(key).filter(|&key| tt.probe(key).is_some()).collect();
    assert!(known.len() as u64 > ENTRIES * 9 / 10, "{} of {ENTRIES} entries are kept", known.len());
    benches.push(Bench::new(format!("tt: probe of {} known positions", known.len())).run(|| {
        let hits = known.iter().filter(|&&key| tt.probe(key).is_some()).count();
        assert_eq!(hits, known.len());
    }));
    benches.push(
        Bench::new(format!("tt: store of {}", known.len()))
            .run(|| known.iter().for_each(|&key| tt.store(key, entry))),
    );
}

fn search(benches: &mut Benches) {
    let settings = BenchSettings { depth: 7, ..BenchSettings::default() };
    let count = || {
        let totals = bench::run(&settings, &AtomicBool::new(false), |_| {});
        totals.expect("threads and transposition table").expect("nobody stops it").nodes
    };
    let nodes = count();
    let bench = Bench::new(format!("search of the positions of bench, {nodes} nodes")).with_timeout(LONG);
    benches.push(bench.run(|| assert_eq!(count(), nodes)));
}

fn main() {
    let mut benches = Benches::default();
    moves(&mut benches);
    perft(&mut benches);
    transposition_table(&mut benches);
    search(&mut benches);
    benches.finish();
}
