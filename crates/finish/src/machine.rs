//! What `run` has seen of the machine while a command ran: who used the CPUs that the command was
//! allowed to use. The values are of the host of `run` only.

use serde::{Deserialize, Serialize};

/// What a command used besides CPU time, with its processes that have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// The most memory that one process had at a time; `None` if that is not known.
    pub peak_bytes: Option<u64>,
    /// Page faults of all processes.
    pub page_faults: u64,
    /// Those of them that waited for data from a disk.
    pub disk_faults: u64,
    /// Energy of all processors of the machine meanwhile, in microjoules; `None` if the system does
    /// not tell it.
    pub energy_uj: Option<u64>,
}

/// CPU time on the command's CPUs while it ran. A value that the system does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// From the start of the command to its end.
    pub wall_ns: u64,
    /// CPUs that the command's affinity allowed.
    pub cpus: usize,
    /// CPU time of the command and of its children that have ended.
    pub command_ns: u64,
    /// CPU time of other programs on the command's CPUs.
    pub others_ns: Option<u64>,
    /// Time in which the hypervisor did not run these CPUs although they had work.
    pub steal_ns: Option<u64>,
    /// The smallest limit on CPU time of the command's control groups, in thousandths of a CPU;
    /// `None` if there is no limit.
    pub quota_millicpus: Option<u64>,
    /// CPU time for which this limit stopped threads.
    pub throttled_ns: Option<u64>,
}

impl Machine {
    /// The time of all of the command's CPUs.
    pub fn capacity_ns(&self) -> u64 {
        self.wall_ns.saturating_mul(self.cpus as u64)
    }
}
