//! The men that a move captures besides mills: custodian and intervention captures.

use super::board::Position;
use super::state::{Phase, Record, Records};
use crate::bitboard::Bitboard;
use crate::rules::CompiledCaptures;
use crate::types::Square;

/// The men that a placing or slide onto a point captures.
pub(super) struct Captures {
    /// Enclosed men.
    pub custodian: Bitboard,
    /// The men on both sides of the man that came between them.
    pub intervention: Bitboard,
}

impl Captures {
    /// No captures.
    pub(super) const NONE: Self = Self { custodian: Bitboard::EMPTY, intervention: Bitboard::EMPTY };

    /// Returns true for [`Captures::NONE`].
    pub(super) const fn is_empty(&self) -> bool {
        self.custodian.is_empty() && self.intervention.is_empty()
    }

    /// Returns these captures as records of the side that makes them.
    pub(super) fn records(&self) -> Records {
        let count = self.intervention.count() as u8;
        Records {
            custodian: Record { targets: self.custodian, count: u8::from(!self.custodian.is_empty()) },
            intervention: Record { targets: self.intervention, count },
            leap: Record::EMPTY,
        }
    }
}

impl Position {
    /// Returns the custodian and intervention captures of a man that has come to `to`.
    ///
    /// `others` are the other men of its side. `custodian` and `intervention` are true if the rule works for
    /// the kind of move.
    pub(super) fn captures(
        &self,
        others: Bitboard,
        to: Square,
        custodian: bool,
        intervention: bool,
    ) -> Captures {
        let theirs = self.state.core.men(self.state.core.side() ^ 1);
        let few = || others.count() < 3 || self.state.core.phase() != Phase::Moving;
        let works = |rule: &CompiledCaptures, phase: bool| phase && (!rule.only_few || few());
        let mut captures = Captures::NONE;
        let rule = &self.compiled.custodian;
        if works(rule, custodian) {
            for line in &rule.as_end[to.row()] {
                if others.covers(line.other_end) && theirs.covers(line.middle) {
                    captures.custodian |= line.middle;
                }
            }
        }
        let rule = &self.compiled.intervention;
        if works(rule, intervention) {
            let preferred = self.extras.preferred;
            let mut lines = rule.as_middle[to.row()].iter().filter(|ends| theirs.covers(**ends));
            let first = lines.clone().next();
            let chosen = preferred.and_then(|p| lines.find(|ends| ends.contains(p))).or(first);
            if let Some(&ends) = chosen {
                captures.intervention = ends;
            }
        }
        // Most moves capture nothing.
        if !captures.is_empty() {
            let capturable = self.capturable();
            captures.custodian &= capturable;
            captures.intervention &= capturable;
        }
        captures
    }
}
