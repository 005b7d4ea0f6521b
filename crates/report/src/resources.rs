//! What the command of a run used besides CPU time: memory, page faults and energy.

use pompeii_analysis::format;
use schemars::JsonSchema;
use serde::Serialize;

/// What a command used besides CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Resources {
    /// Most memory that one of its processes had (resident set size); `null` if that is not known.
    pub peak_bytes: Option<u64>,
    /// Page faults of all its processes.
    pub page_faults: u64,
    /// Those of them that had to wait for data on a disk.
    pub disk_faults: u64,
    /// Energy in joules that all processors of the machine used meanwhile; `null` if the system
    /// does not tell.
    pub energy_j: Option<f64>,
}

impl Resources {
    /// A sentence for the report.
    pub fn sentence(&self) -> String {
        let count = |faults: u64| faults.try_into().unwrap_or(i64::MAX);
        let memory = self.peak_bytes.map(|bytes| {
            format!("The largest process had {} of memory at most. ", format::bytes(bytes))
        });
        let faults = format::counted(count(self.page_faults), "page fault");
        let disk = match self.disk_faults {
            0 => "none of them".to_owned(),
            some => format::count(count(some)),
        };
        let energy = self.energy_j.map(|joules| {
            format!(" Meanwhile, the processors of this machine used {joules:.1} J.")
        });
        let (memory, energy) = (memory.unwrap_or_default(), energy.unwrap_or_default());
        format!("{memory}There were {faults}, {disk} for data on a disk.{energy}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_what_is_known() {
        let all = Resources {
            peak_bytes: Some(12_000_000),
            page_faults: 3000,
            disk_faults: 2,
            energy_j: Some(1.5),
        };
        assert_eq!(
            all.sentence(),
            "The largest process had 12 MB of memory at most. There were 3,000 page faults, 2 for \
             data on a disk. Meanwhile, the processors of this machine used 1.5 J."
        );
        let some = Resources { page_faults: 1, ..Resources::default() };
        assert_eq!(some.sentence(), "There were 1 page fault, none of them for data on a disk.");
    }
}
