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
    /// The same by rank of an MPI program; `null` if there are not several ranks that tell it.
    pub ranks: Option<RankResources>,
}

/// How the ranks of an MPI program differ in what they used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RankResources {
    /// Ranks that tell it: those that did not die.
    pub count: usize,
    /// Most memory of each rank (resident set size) in bytes.
    pub peak_bytes: OfRanks,
    /// Page faults of each rank.
    pub page_faults: OfRanks,
    /// Those of them that had to wait for data on a disk.
    pub disk_faults: OfRanks,
}

/// A value of the ranks of an MPI program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct OfRanks {
    /// The smallest value.
    pub least: u64,
    /// The first rank that has it.
    pub least_rank: u32,
    /// The mean of all ranks.
    pub mean: f64,
    /// The largest value.
    pub most: u64,
    /// The first rank that has it.
    pub most_rank: u32,
}

impl OfRanks {
    /// Of ranks with their values; `None` without any.
    pub fn new(values: &[(u32, u64)]) -> Option<Self> {
        let (least_rank, least) = *values.iter().min_by_key(|(rank, value)| (*value, *rank))?;
        let most = values.iter().max_by_key(|(rank, value)| (*value, std::cmp::Reverse(*rank)));
        let (most_rank, most) = *most?;
        let sum: f64 = values.iter().map(|(_, value)| *value as f64).sum();
        Some(Self { least, least_rank, mean: sum / values.len() as f64, most, most_rank })
    }

    /// `120 MB (rank 3) to 300 MB (rank 0), on average 150 MB`.
    fn words(&self, shown: fn(u64) -> String) -> String {
        let Self { least, least_rank, mean, most, most_rank } = *self;
        let [least, most, mean] = [least, most, mean.round() as u64].map(shown);
        format!("{least} (rank {least_rank}) to {most} (rank {most_rank}), on average {mean}")
    }
}

impl RankResources {
    fn sentence(&self) -> String {
        let faults = |faults: u64| format::count(faults.try_into().unwrap_or(i64::MAX));
        let (memory, faults) =
            (self.peak_bytes.words(format::bytes), self.page_faults.words(faults));
        let count = self.count;
        format!(" The memory of the {count} ranks is {memory}; their page faults are {faults}.")
    }
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
        let ranks = self.ranks.map(|ranks| ranks.sentence()).unwrap_or_default();
        format!("{memory}There were {faults}, {disk} for data on a disk.{energy}{ranks}")
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
            ranks: None,
        };
        assert_eq!(
            all.sentence(),
            "The largest process had 12 MB of memory at most. There were 3,000 page faults, 2 for \
             data on a disk. Meanwhile, the processors of this machine used 1.5 J."
        );
        let some = Resources { page_faults: 1, ..Resources::default() };
        assert_eq!(some.sentence(), "There were 1 page fault, none of them for data on a disk.");
    }

    #[test]
    fn ranks_that_differ_are_named() {
        let of = |[a, b, c]: [u64; 3]| OfRanks::new(&[(0, a), (1, b), (5, c)]).unwrap();
        let peak_bytes = of([10_000_000, 40_000_000, 10_000_000]);
        assert_eq!((peak_bytes.least_rank, peak_bytes.most_rank, peak_bytes.mean), (0, 1, 2e7));
        let (page_faults, disk_faults) = (of([1000, 900, 1100]), of([0, 0, 0]));
        let ranks = RankResources { count: 3, peak_bytes, page_faults, disk_faults };
        let used = Resources { page_faults: 3000, ranks: Some(ranks), ..Resources::default() };
        assert_eq!(
            used.sentence(),
            "There were 3,000 page faults, none of them for data on a disk. The memory of the 3 \
             ranks is 10 MB (rank 0) to 40 MB (rank 1), on average 20 MB; their page faults are 900 \
             (rank 1) to 1,100 (rank 5), on average 1,000."
        );
        assert_eq!(OfRanks::new(&[]), None);
    }
}
