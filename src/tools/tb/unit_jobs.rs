//! The units of a scope as a graph of jobs, for `tb plan`.

use super::scope::Scope;
use crate::tablebase::solve::build::Distances;
use crate::tablebase::solve::units::Unit;

/// A unit, and what a program that runs it has to know.
pub(super) struct UnitJob {
    pub(super) unit: Unit,
    /// The units whose files it reads.
    pub(super) needs: Vec<Unit>,
    /// The names of the files that it reads.
    pub(super) inputs: Vec<String>,
    /// The names of the files that it writes.
    pub(super) outputs: Vec<String>,
    /// The most bytes of its outputs.
    pub(super) written: u64,
    pub(super) resources: Resources,
}

/// The resources of a job.
pub(super) struct Resources {
    /// Bytes of memory.
    pub(super) memory: u64,
    /// The most bytes of its inputs and outputs.
    pub(super) disk: u64,
    /// The time on one slow core, in minutes.
    pub(super) minutes: u64,
}

/// Everything that a plan says.
pub(super) struct JobGraph<'a> {
    pub(super) jobs: Vec<UnitJob>,
    pub(super) scope: Scope,
    /// The rules, as `--rules` takes them.
    pub(super) rules: String,
    pub(super) distances: Distances,
    /// The folder of the tablebase files.
    pub(super) folder: &'a str,
}

impl JobGraph<'_> {
    /// Returns the command that builds with these flags, without folder and scope.
    pub(super) fn command(&self, flags: &str) -> String {
        let command = format!("millstone tb build --rules {} {flags}", self.rules);
        match self.distances {
            Distances::Moving => command,
            distances => format!("{command} --distances {}", distances.name()),
        }
    }
}

impl UnitJob {
    /// The job as a JSON object.
    pub(super) fn json(&self) -> serde_json::Value {
        let Resources { memory, disk, minutes } = self.resources;
        serde_json::json!({
            "unit": self.unit.to_string(), "needs": names(&self.needs), "slots": self.unit.slots(),
            "memory": memory, "disk": disk, "minutes": minutes,
            "inputs": self.inputs, "outputs": self.outputs,
        })
    }
}

/// The names of units.
pub(super) fn names(units: &[Unit]) -> Vec<String> {
    units.iter().map(ToString::to_string).collect()
}
