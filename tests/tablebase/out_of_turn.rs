//! Whole games with turns of their own: men slide while others are in hand, mills take from the hand, or men
//! that come between two others take both.

use super::solving::{build_and_prove, value_by_turns};
use super::{faults_of, replace_values};
use crate::common::Folder;
use crate::fuzzed::chance::fresh;
use millstone::internals::build::Distances;
use millstone::internals::file::TbFile;
use millstone::internals::game::SolvedGame;
use millstone::internals::header::TbKind;
use millstone::internals::tb::plan::{PlanFormat, PlanJob};
use millstone::internals::tb::scope::{Scope, unit_by_name};
use millstone::internals::tb::stats::{ReportStyle, stats};
use millstone::internals::units::Unit;
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::{Sector, Tablebase, TablebaseError, TbValue, Wdl};
use millstone::types::MoveKind;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

/// A position of a sector with random points and colours.
pub(super) fn random_position(random: &mut StdRng, rules: &Rules, sector: Sector) -> Position {
    let mut points: Vec<usize> = (0..24).collect();
    points.shuffle(random);
    let (own, theirs) = (usize::from(sector.own), usize::from(sector.theirs));
    let in_turn = SolvedGame::new(rules).expect("supported").places_in_turn();
    let is_white = match in_turn && sector.own_hand > 0 {
        true => sector.own_hand == sector.their_hand,
        false => random.random(),
    };
    let men = if is_white { ['O', '@'] } else { ['@', 'O'] };
    let mut board = ['*'; 24];
    points[..own].iter().for_each(|&point| board[point] = men[0]);
    points[own..own + theirs].iter().for_each(|&point| board[point] = men[1]);
    let rings: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
    let counts = [(sector.own, sector.own_hand), (sector.theirs, sector.their_hand)];
    let [(w, wh), (b, bh)] = if is_white { counts } else { [counts[1], counts[0]] };
    let side = if is_white { 'w' } else { 'b' };
    let phase = if sector.own_hand > 0 { "p p" } else { "m s" };
    let text =
        format!("{} {side} {phase} {w} {wh} {b} {bh} 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", rings.join("/"));
    Position::from_fen(rules, &text).expect("a sound text")
}

/// Compares the value of a position with that of its best turn by the engine's own moves.
fn compare(tablebase: &Tablebase, pos: &mut Position) -> Wdl {
    let found = tablebase.probe_distance(pos).expect("sound").unwrap_or_else(|| panic!("{}", pos.fen()));
    assert_eq!(found, value_by_turns(tablebase, pos), "{}", pos.fen());
    let ranked = tablebase.rank_moves(pos).expect("sound").expect("known");
    assert_eq!(ranked[0].value, found, "{}", pos.fen());
    found.wdl
}

/// How often random games had a special turn.
#[derive(Debug, Default)]
struct Seen {
    /// Slides with men in hand.
    slides: usize,
    /// Mills that took from the hand.
    from_hand: usize,
    /// Takes after a man had come between two others.
    between: usize,
}

/// Plays random games, in which the tablebase knows every position.
fn play(tablebase: &Tablebase, rules: &Rules, random: &mut StdRng, games: usize) -> Seen {
    let mut seen = Seen::default();
    for _ in 0..games {
        let mut pos = Position::new(rules);
        for _ in 0..40 {
            if pos.outcome().is_over() {
                break;
            }
            if !pos.is_take_due() {
                pos.forget_history();
                compare(tablebase, &mut pos);
            } else {
                tablebase.probe_distance(&pos).expect("sound").expect("known in the middle of a turn");
            }
            let (us, moves) = (pos.side_to_move(), pos.legal_moves());
            let &m = moves.choose(random).expect("a move");
            let hands = [us, !us].map(|side| pos.hand(side));
            let is_between = pos.fen().contains(" i:");
            pos.do_move(m);
            seen.slides += usize::from(m.kind() == MoveKind::Slide && hands[0] > 0);
            seen.from_hand += usize::from(pos.hand(!us) < hands[1]);
            seen.between += usize::from(is_between);
        }
    }
    seen
}

/// Changes one value of a sector, with checksums and counts that fit, and expects that it is found.
fn expect_found(rules: &Rules, folder: &Folder, sector: Sector, random: &mut StdRng) {
    let game = SolvedGame::new(rules).expect("supported");
    let file = TbFile::open_in(folder.path(), &game, sector, TbKind::Distance).expect("a file");
    let right = file.read_all(2).expect("sound");
    let mut wrong = right.clone();
    let value = &mut wrong[random.random_range(0..right.len())];
    *value = match TbValue(*value) {
        TbValue::DRAW => TbValue::decided(21).0,
        _ => TbValue::DRAW.0,
    };
    replace_values(rules, folder, sector, &wrong);
    let faults = faults_of(rules, folder, sector);
    let is_named = |fault: &TablebaseError| fault.to_string().contains(&sector.to_string());
    assert!(faults.iter().any(is_named), "{sector}: {faults:?}");
    replace_values(rules, folder, sector, &right);
}

/// Builds a whole game, proves it, and compares its values with the engine's moves. Returns what `play` has
/// seen.
fn solve_whole(name: &str, rules: &Rules) -> Seen {
    let game = SolvedGame::new(rules).expect("supported");
    let units = Scope::All.units(&game).expect("units");
    let folder = Folder::new(name);
    let tablebase = build_and_prove(rules, &folder, &units);
    let mut random = StdRng::seed_from_u64(fresh(50));
    let mut results = [0; 3];
    for sector in units.iter().flat_map(|unit| unit.sectors()) {
        for _ in 0..40 {
            let mut pos = random_position(&mut random, rules, sector);
            if !pos.outcome().is_over() {
                results[compare(&tablebase, &mut pos) as usize] += 1;
            }
        }
        assert_eq!(unit_by_name(&game, &sector.to_string()).expect("a unit"), Unit::of(&game, sector));
    }
    assert!(results.iter().all(|&count| count > 0), "{results:?}");
    // The line of a win with men in hand ends with the game.
    let with_hands = units.iter().flat_map(|unit| unit.sectors()).filter(|sector| !sector.is_moving());
    let with_hands: Vec<Sector> = with_hands.filter(|sector| sector.own > 2).collect();
    let won = std::iter::repeat_with(|| {
        let &sector = with_hands.choose(&mut random).expect("a sector");
        random_position(&mut random, rules, sector)
    });
    let is_won = |pos: &Position| tablebase.probe(pos).expect("sound") == Some(Wdl::Win);
    for pos in won.filter(is_won).take(20) {
        let line = tablebase.line(&pos).expect("sound");
        let mut end = pos.clone();
        line.iter().for_each(|&m| end.do_move(m));
        assert_eq!(end.outcome().winner, Some(pos.side_to_move()), "{}: {line:?}", pos.fen());
    }
    for kind in [0, 1, 2] {
        // Both hands with men, one hand, no hand.
        let has_hands = |sector: &&Sector| match kind {
            0 => sector.own_hand > 0 && sector.their_hand > 0,
            1 => (sector.own_hand == 0) != (sector.their_hand == 0),
            _ => sector.is_moving(),
        };
        let sectors: Vec<Sector> = units.iter().flat_map(|unit| unit.sectors()).collect();
        let sectors: Vec<&Sector> = sectors.iter().filter(has_hands).collect();
        expect_found(rules, &folder, **sectors.choose(&mut random).expect("a sector"), &mut random);
    }
    // The commands name the same sectors.
    let report = stats(folder.path(), rules, ReportStyle::Csv).expect("a report");
    let plan = |format| {
        let (scope, path, distances) = (Scope::All, folder.path().to_owned(), Distances::Moving);
        PlanJob { rules: *rules, scope, path, distances, format }.text().expect("a plan")
    };
    let [make, snake, json] = [PlanFormat::Make, PlanFormat::Snakemake, PlanFormat::Json].map(plan);
    for unit in &units {
        assert!(make.contains(&format!(" {unit}")), "{unit}");
        assert!(snake.contains(&format!("rule unit_{}:", unit.to_string().replace('-', "_"))), "{unit}");
        assert!(json.contains(&format!("\"unit\": \"{unit}\"")), "{unit}");
        for sector in unit.sectors() {
            assert!(report.contains(&format!("\n{sector},")), "{sector}");
            assert!(snake.contains(&format!("\"{sector}.wdl\"")), "{sector}");
        }
    }
    play(&tablebase, rules, &mut random, 60)
}

#[test]
fn a_game_in_which_men_slide_while_others_are_in_hand_is_solved_whole() {
    let seen = solve_whole("lasker", &Rules { pieces_count: 4, ..Rules::LASKER });
    assert!(seen.slides > 0 && seen.from_hand == 0 && seen.between == 0, "{seen:?}");
}

#[test]
fn a_game_whose_mills_take_from_the_hand_is_solved_whole() {
    let seen = solve_whole("dooz", &Rules { pieces_count: 4, ..Rules::DOOZ });
    assert!(seen.slides == 0 && seen.from_hand > 0 && seen.between == 0, "{seen:?}");
}

#[test]
fn games_in_which_men_come_between_others_are_solved_whole() {
    let mul_mulan = Rules { pieces_count: 4, ..Rules::MUL_MULAN };
    let mut on_sides = Rules { may_remove_from_mills_always: false, may_fly: true, ..mul_mulan };
    on_sides.intervention.on_cross_lines = false;
    for (name, rules) in [("mul-mulan", mul_mulan), ("on-sides", on_sides)] {
        let seen = solve_whole(name, &rules);
        assert!(seen.slides == 0 && seen.from_hand == 0 && seen.between > 0, "{name}: {seen:?}");
    }
}

#[test]
fn variants_of_such_games_are_refused_with_a_reason() {
    let refused = |rules: &Rules| {
        let game = SolvedGame::new(rules).expect("the moving phase is supported");
        Scope::All.units(&game).expect_err("refused").to_string()
    };
    let mut while_moving = Rules::MUL_MULAN;
    while_moving.intervention.in_placing_phase = false;
    for (rules, why) in [
        (Rules { mill_formation_action_in_placing_phase: 1, ..Rules::LASKER }, "MayMoveInPlacingPhase"),
        (Rules { is_defender_move_first: true, ..Rules::LASKER }, "IsDefenderMoveFirst"),
        (Rules { is_defender_move_first: true, ..Rules::DOOZ }, "IsDefenderMoveFirst"),
        (Rules { pieces_count: 12, ..Rules::LASKER }, "BoardFullAction"),
        (Rules { may_remove_multiple: true, ..Rules::LASKER }, "MayRemoveMultiple"),
        (Rules { mill_formation_action_in_placing_phase: 2, ..Rules::DOOZ }, "MillFormationAction"),
        (Rules { pieces_count: 4, pieces_at_least_count: 4, ..Rules::DOOZ }, "PiecesAtLeastCount"),
        (Rules { may_move_in_placing_phase: true, ..Rules::MUL_MULAN }, "strict turn"),
        (Rules { mill_formation_action_in_placing_phase: 5, ..Rules::MUL_MULAN }, "MillFormationAction"),
        (while_moving, "InterventionCaptureInPlacingPhase"),
        (
            Rules { restrict_repeated_mills_formation: true, ..Rules::LASKER },
            "RestrictRepeatedMillsFormation",
        ),
        (Rules { restrict_repeated_mills_formation: true, ..Rules::DOOZ }, "RestrictRepeatedMillsFormation"),
    ] {
        let error = refused(&rules);
        assert!(error.contains(why), "{}: {error}", rules.describe());
    }
}
