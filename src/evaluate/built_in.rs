//! The choice of an evaluation: a network built into the program, one from a file, or the formula.
//!
//! Rules that have no network of their own take that of the nearest game on the same board. It knows their
//! patterns of men, if not every consequence of their rules, and plays far better than the formula. Only
//! rules that are far from all networks have the formula.

use super::network::{self, Network, NetworkError};
use super::packed::{NETWORKS, PackedNetwork};
use crate::platform::files::open_regular;
use crate::platform::memory::check_available;
use crate::rules::{CompiledRules, Rules};
use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The networks of the engine, each decoded when its rules are chosen.
static DECODED: [OnceLock<Arc<Network>>; NETWORKS.len()] = [const { OnceLock::new() }; NETWORKS.len()];

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

/// Returns the place of the network for a game among those that are chosen: that of its own network, or of
/// the nearest game's; `None` if all are too far.
fn nearest(game: &Rules, is_chosen: impl Fn(&'static PackedNetwork) -> bool) -> Option<usize> {
    let chosen = NETWORKS.iter().enumerate().filter(|(_, network)| is_chosen(network));
    let distances = chosen.filter_map(|(at, network)| Some((distance(game, &network.rules)?, at)));
    distances.filter(|(distance, _)| *distance <= FARTHEST).min().map(|(_, at)| at)
}

/// Returns the file that a network lacks, if it lacks one: its own, or that of the network to which it is
/// packed as differences.
fn missing(network: &'static PackedNetwork) -> Option<&'static PackedNetwork> {
    match network.bytes() {
        Some(bytes) => network::base_of(bytes).and_then(missing),
        None => Some(network),
    }
}

/// Returns the name of the file that is to be fetched next for the network of a game; `None` if the network
/// is there, or the game has none.
#[cfg(target_arch = "wasm32")]
pub(crate) fn missing_network(game: &Rules) -> Option<&'static str> {
    missing(&NETWORKS[nearest(game, |_| true)?]).map(|network| network.name)
}

/// Takes a network that has been fetched.
///
/// # Errors
/// If the bytes are damaged, or something else.
#[cfg(target_arch = "wasm32")]
pub(crate) fn provide_network(name: &str, bytes: Vec<u8>) -> Result<(), String> {
    let network = NETWORKS.iter().find(|network| network.name == name).ok_or("found an unknown name")?;
    let (game, _) = network::stored(&bytes).map_err(|why| why.to_string())?;
    if game != network.rules.fingerprint() {
        return Err("found the network of another game".to_owned());
    }
    network.provide(bytes);
    Ok(())
}

/// Returns the built-in network for a game, which the first call decodes; `None` if there is none.
///
/// # Errors
/// If there is no memory, or the bytes are damaged, which a test rules out.
fn built_in(game: &Rules) -> Result<Option<Arc<Network>>, NetworkError> {
    let Some(at) = nearest(game, |network| missing(network).is_none()) else { return Ok(None) };
    if let Some(network) = DECODED[at].get() {
        return Ok(Some(Arc::clone(network)));
    }
    let Some(bytes) = NETWORKS[at].bytes() else { return Ok(None) };
    check_available(MEMORY, 0).map_err(|_| NetworkError::Memory)?;
    let network = Network::read(bytes)?;
    Ok(Some(Arc::clone(DECODED[at].get_or_init(|| Arc::new(network)))))
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

    /// Returns a hash of the file of the network; `None` for the built-in ones.
    #[cfg(feature = "cli")]
    pub(crate) fn file_hash(&self) -> Option<u64> {
        self.0.as_ref().map(|network| network.file_hash)
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
    /// The network of another game.
    Fitted(Arc<Network>),
    /// The formula, for rules that are far from all networks.
    Formula,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_of_the_program_is_sound_and_meant_for_its_rules() {
        for PackedNetwork { rules, name, .. } in NETWORKS.iter().filter(|network| missing(network).is_none())
        {
            let network = built_in(rules).unwrap().unwrap();
            assert_eq!(network.game, rules.fingerprint(), "{name}");
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
            NETWORKS[nearest(&rules, |_| true).unwrap_or_else(|| panic!("no network for {rules}"))].rules
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
        assert!(nearest(&far, |_| true).is_none());
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
