//! The choice of an evaluation: a network built into the program, one from a file, or the formula.
//!
//! Rules that have no network of their own take that of the nearest game on the same board. It knows their
//! patterns of men, if not every consequence of their rules, and plays far better than the formula. Only
//! rules that are far from all networks have the formula.

#[cfg(not(target_arch = "wasm32"))]
use super::network::NERENCHI;
use super::network::{self, Network, NetworkError};
use crate::platform::files::open_regular;
use crate::platform::memory::check_available;
use crate::rules::{CompiledRules, Rules};
use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A network of the program: its rules, and its bytes as `millstone tune` writes them.
type PackedNetwork = (Rules, &'static [u8]);

/// The network of the standard game.
const NINE: PackedNetwork = (Rules::NINE, network::NINE);

/// The networks of the other named rule sets, of ten men a side, and of Morabaraba without its rule about
/// repeated mills. Among networks that are equally near to a game the first one counts, so those fitted to
/// exact values come first.
#[cfg(not(target_arch = "wasm32"))]
const OTHERS: &[PackedNetwork] = &[
    (Rules::TWELVE, include_bytes!("networks/twelve.bin")),
    (Rules::MORABARABA_FREE, include_bytes!("networks/morabaraba-free.bin")),
    (Rules::DOOZ, include_bytes!("networks/dooz.bin")),
    (Rules::LASKER, include_bytes!("networks/lasker.bin")),
    (Rules::NERENCHI, NERENCHI),
    (Rules::MUL_MULAN, include_bytes!("networks/mul-mulan.bin")),
    (Rules::EL_FILJA, include_bytes!("networks/el-filja.bin")),
    (Rules::TEN_MEN, include_bytes!("networks/ten-men.bin")),
    (Rules::MORABARABA, include_bytes!("networks/morabaraba.bin")),
    (Rules::RUSSIAN, include_bytes!("networks/russian.bin")),
    (Rules::CHAM_GONU, include_bytes!("networks/cham-gonu.bin")),
    (Rules::ZHI_QI, include_bytes!("networks/zhi-qi.bin")),
    (Rules::CHENG_SAN_QI, include_bytes!("networks/cheng-san-qi.bin")),
    (Rules::DA_SAN_QI, include_bytes!("networks/da-san-qi.bin")),
];

/// None: the engine for browsers shall be small.
#[cfg(target_arch = "wasm32")]
const OTHERS: &[PackedNetwork] = &[];

/// The same networks, each decoded when its rules are chosen.
static DECODED: [OnceLock<Arc<Network>>; 1 + OTHERS.len()] = [const { OnceLock::new() }; 1 + OTHERS.len()];

/// Returns the networks of the program, each with the place where it is decoded.
fn all() -> impl Iterator<Item = (&'static PackedNetwork, &'static OnceLock<Arc<Network>>)> {
    std::iter::once(&NINE).chain(OTHERS).zip(&DECODED)
}

/// Returns how much two games on the same board differ, apart from draws by counters and from the lines and
/// phases of captures; `None` on other boards.
///
/// The weights order the networks as matches did: one for a rule, more for those that change most what a
/// pattern of men is worth.
fn distance(one: &Rules, other: &Rules) -> Option<u32> {
    let differs = [
        (4, one.one_time_use_mill != other.one_time_use_mill),
        (4, one.may_move_in_placing_phase != other.may_move_in_placing_phase),
        (4, one.custodian.enabled != other.custodian.enabled),
        (4, one.intervention.enabled != other.intervention.enabled),
        (4, one.leap.enabled != other.leap.enabled),
        (3, one.may_fly != other.may_fly),
        (2, one.mill_formation_action_in_placing_phase != other.mill_formation_action_in_placing_phase),
        (2, one.is_defender_move_first != other.is_defender_move_first),
        (1, one.fly_piece_count != other.fly_piece_count),
        (1, one.pieces_at_least_count != other.pieces_at_least_count),
        (1, one.may_remove_multiple != other.may_remove_multiple),
        (1, one.may_remove_from_mills_always != other.may_remove_from_mills_always),
        (1, one.restrict_repeated_mills_formation != other.restrict_repeated_mills_formation),
        (1, one.board_full_action != other.board_full_action),
        (1, one.stop_placing_when_two_empty_squares != other.stop_placing_when_two_empty_squares),
        (1, one.stalemate_action != other.stalemate_action),
    ];
    let rules: u32 = differs.iter().filter(|(_, differs)| *differs).map(|(weight, _)| weight).sum();
    let men = u32::from(one.pieces_count.abs_diff(other.pieces_count));
    (one.has_diagonal_lines == other.has_diagonal_lines).then_some(rules + men)
}

/// The largest distance at which a network counts: up to it no rules were found that play worse with the
/// network than with the formula.
const FARTHEST: u32 = 8;

/// Returns the network of the program for a game, its own or that of the nearest one, and the place where it
/// is decoded; `None` if all are too far.
fn nearest(game: &Rules) -> Option<(&'static PackedNetwork, &'static OnceLock<Arc<Network>>)> {
    let distances = all().filter_map(|network| Some((distance(game, &network.0.0)?, network)));
    let near = distances.filter(|(distance, _)| *distance <= FARTHEST);
    near.min_by_key(|(distance, _)| *distance).map(|(_, network)| network)
}

/// Returns the built-in network for a game, which the first call decodes; `None` if there is none.
///
/// # Errors
/// If there is no memory, or the bytes are damaged, which a test rules out.
fn built_in(game: &Rules) -> Result<Option<Arc<Network>>, NetworkError> {
    let Some(((_, bytes), decoded)) = nearest(game) else { return Ok(None) };
    if let Some(network) = decoded.get() {
        return Ok(Some(Arc::clone(network)));
    }
    check_available(MEMORY, 0).map_err(|_| NetworkError::Memory)?;
    let network = Network::read(bytes)?;
    Ok(Some(Arc::clone(decoded.get_or_init(|| Arc::new(network)))))
}

/// More bytes than it takes to decode a network.
const MEMORY: u64 = 8 << 20;

/// The network of an evaluation: the built-in ones by default, or one read from a file.
///
/// A network from a file counts for the rules that it was fitted to. Under other rules the built-in ones
/// count: that of the rules, or else that of the nearest game.
#[derive(Clone, Default)]
pub struct EvalNetwork(Option<Arc<Network>>);

impl EvalNetwork {
    /// The built-in networks.
    pub(crate) const BUILT_IN: Self = Self(None);

    /// Reads a file that `millstone tune` wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is not a network or is damaged, or if there is no memory for it.
    pub fn open(path: &Path) -> Result<Self, NetworkError> {
        check_available(MEMORY, 0).map_err(|_| NetworkError::Memory)?;
        let mut bytes = Vec::new();
        open_regular(path)
            .and_then(|file| file.take(Network::LARGEST_FILE + 1).read_to_end(&mut bytes))
            .map_err(NetworkError::File)?;
        Ok(Self(Some(Arc::new(Network::read(&bytes)?))))
    }

    /// Returns what evaluates positions under these rules. A built-in network is decoded at its first use,
    /// which takes some milliseconds.
    ///
    /// # Errors
    /// If there is no memory for that.
    pub(crate) fn load(&self, compiled: &CompiledRules) -> Result<Evaluator, NetworkError> {
        let network = match self.chosen_for(&compiled.rules) {
            Some(network) => Some(network),
            None => built_in(&compiled.rules)?,
        };
        Ok(match network {
            Some(network) if network.game == Rules::NINE.fingerprint() => Evaluator::Standard(network),
            #[cfg(not(target_arch = "wasm32"))]
            Some(network) => Evaluator::Fitted(network),
            _ => Evaluator::Formula,
        })
    }

    /// As [`EvalNetwork::load`], but panics without memory.
    pub(crate) fn get(&self, compiled: &CompiledRules) -> Evaluator {
        self.load(compiled).expect("memory for the network")
    }

    /// Returns the network from a file if it was fitted to this game.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn chosen_for(&self, game: &Rules) -> Option<Arc<Network>> {
        self.0.as_ref().filter(|network| network.game == game.fingerprint()).map(Arc::clone)
    }

    /// Returns nothing: there are no files.
    #[cfg(target_arch = "wasm32")]
    #[expect(clippy::unused_self, reason = "the signature is that of the other targets")]
    const fn chosen_for(&self, _: &Rules) -> Option<Arc<Network>> {
        None
    }
}

/// Compares addresses, not contents: reading one file twice gives two networks that differ.
impl PartialEq for EvalNetwork {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().map(Arc::as_ptr) == other.0.as_ref().map(Arc::as_ptr)
    }
}

impl fmt::Debug for EvalNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "EvalNetwork(from a file)" } else { "EvalNetwork(built in)" })
    }
}

/// An evaluation of the positions of a game.
#[derive(Clone, Debug)]
pub(crate) enum Evaluator {
    /// The network of the standard game, for that game or one near to it.
    Standard(Arc<Network>),
    /// The network of another game; browsers have none.
    #[cfg(not(target_arch = "wasm32"))]
    Fitted(Arc<Network>),
    /// The formula, for rules that are far from all networks.
    Formula,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_of_the_program_is_sound_and_meant_for_its_rules() {
        for (&(rules, _), _) in all() {
            let network = built_in(&rules).unwrap().unwrap();
            assert_eq!(network.game, rules.fingerprint(), "{rules}");
        }
        let other_counters = CompiledRules::new(&Rules { n_move_rule: 50, ..Rules::NINE });
        let evaluator = EvalNetwork::default().load(&other_counters).unwrap();
        assert!(matches!(evaluator, Evaluator::Standard(_)));
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn other_rules_take_the_network_of_the_nearest_game() {
        let nearest_of = |rules: &str| {
            let rules: Rules = rules.parse().unwrap();
            nearest(&rules).map(|(&(game, _), _)| game).unwrap_or_else(|| panic!("no network for {rules}"))
        };
        for (rules, game) in [
            ("preset2", Rules::TWELVE),
            ("preset3", Rules::TWELVE),
            ("preset4", Rules::RUSSIAN),
            ("preset6", Rules::CHENG_SAN_QI),
            ("preset7", Rules::DA_SAN_QI),
            ("preset8", Rules::TWELVE),
            ("preset10", Rules::NERENCHI),
            ("nine,PiecesCount=11", Rules::TEN_MEN),
            ("nine,MayMoveInPlacingPhase=true", Rules::LASKER),
            ("twelve,PiecesCount=9", Rules::TWELVE),
            ("twelve,InterventionCaptureEnabled=true,PiecesCount=9", Rules::MUL_MULAN),
        ] {
            assert_eq!(nearest_of(rules), game, "{rules}");
        }
        let far = "twelve,OneTimeUseMill=true,MayMoveInPlacingPhase=true,PiecesCount=11".parse().unwrap();
        assert!(nearest(&far).is_none());
        let without_its_own = CompiledRules::new(&Rules { fly_piece_count: 4, ..Rules::NINE });
        assert!(matches!(EvalNetwork::default().get(&without_its_own), Evaluator::Standard(_)));
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn a_network_counts_for_its_own_rules_only() {
        let from_file = EvalNetwork(built_in(&Rules::NINE).unwrap());
        for row in &crate::rules::NAMED[1..] {
            let compiled = CompiledRules::new(&row.rules);
            let by = |network: &EvalNetwork| match network.load(&compiled).unwrap() {
                Evaluator::Fitted(network) => Arc::as_ptr(&network),
                _ => panic!("{}", row.name),
            };
            assert_eq!(by(&from_file), by(&EvalNetwork::default()), "{}", row.name);
        }
    }
}
