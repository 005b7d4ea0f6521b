//! What a command used besides CPU time: memory, page faults, and the energy of the processors
//! where the system tells it. `run` looks before the start and after the end.

use std::fs;
use std::path::Path;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use pompeii_finish::{Manifest, RankUse, Resources};
use pompeii_report::{OfRanks, RankResources};

/// Where Linux has the energy counters of processors (RAPL). Often only root may read them.
const COUNTERS: &str = "/sys/class/powercap";
/// A counter of a whole processor; those of its parts have one more number.
const PROCESSOR: &str = "intel-rapl:";

/// What was counted up to a moment, of commands that have ended.
pub struct Used {
    /// The most that one of them had.
    peak_bytes: u64,
    /// The most that this process had.
    own_peak_bytes: u64,
    page_faults: u64,
    disk_faults: u64,
    /// By processor; empty if the system does not tell.
    energy: Vec<Counter>,
}

/// Microjoules of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counter {
    value: u64,
    /// The counter begins at 0 again after this value.
    largest: u64,
}

impl Used {
    /// Now.
    pub fn now() -> Self {
        let (own, others) = (UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN);
        let disk_faults = usage(others, Usage::major_page_faults);
        Self {
            peak_bytes: usage(others, Usage::max_rss) << 10,
            own_peak_bytes: usage(own, Usage::max_rss) << 10,
            page_faults: usage(others, Usage::minor_page_faults) + disk_faults,
            disk_faults,
            energy: counters(Path::new(COUNTERS)),
        }
    }

    /// What was used from here to now.
    pub fn until_now(&self) -> Resources {
        self.until(&Self::now())
    }

    fn until(&self, end: &Self) -> Resources {
        // It is the most of all commands so far, so an earlier one may have had it. A command also
        // has, until it replaces this program, the memory of this program.
        let others = self.peak_bytes.max(end.own_peak_bytes);
        Resources {
            peak_bytes: Some(end.peak_bytes).filter(|peak| *peak > others),
            page_faults: end.page_faults.saturating_sub(self.page_faults),
            disk_faults: end.disk_faults.saturating_sub(self.disk_faults),
            energy_uj: energy(&self.energy, &end.energy),
        }
    }
}

fn usage(who: UsageWho, value: fn(&Usage) -> i64) -> u64 {
    getrusage(who).map_or(0, |usage| value(&usage).max(0).cast_unsigned())
}

/// The counters of all processors.
fn counters(root: &Path) -> Vec<Counter> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.strip_prefix(PROCESSOR).is_some_and(|rest| !rest.contains(':')));
    names.sort();
    let number = |name: &str, file: &str| -> Option<u64> {
        fs::read_to_string(root.join(name).join(file)).ok()?.trim().parse().ok()
    };
    let counter = |name: &String| {
        let (value, largest) = (number(name, "energy_uj"), number(name, "max_energy_range_uj"));
        Some(Counter { value: value?, largest: largest? })
    };
    // The energy of some processors only would be mistaken for that of all.
    names.iter().map(counter).collect::<Option<_>>().unwrap_or_default()
}

fn energy(before: &[Counter], after: &[Counter]) -> Option<u64> {
    if before.is_empty() || before.len() != after.len() {
        return None;
    }
    let of = |(before, after): (&Counter, &Counter)| match after.value >= before.value {
        true => after.value - before.value,
        false => after.value.saturating_add(before.largest.saturating_sub(before.value)),
    };
    Some(before.iter().zip(after).map(of).fold(0, u64::saturating_add))
}

/// What a run used, for reports: what `run` has seen, and what its ranks have noted, which may be
/// on other hosts.
pub fn reported(manifest: &Manifest) -> Option<pompeii_report::Resources> {
    let ranks = manifest.job.as_ref().map_or(&[][..], |job| &job.ranks);
    let ranks: Vec<(u32, RankUse)> =
        ranks.iter().filter_map(|entry| Some((entry.rank, entry.used?))).collect();
    let of_ranks = of_ranks(&ranks);
    let Some(of) = &manifest.run.resources else {
        let sum = |value: fn(&RankUse) -> u64| {
            ranks.iter().map(|(_, used)| value(used)).fold(0, u64::saturating_add)
        };
        return of_ranks.map(|of| pompeii_report::Resources {
            peak_bytes: Some(of.peak_bytes.most),
            page_faults: sum(|used| used.page_faults),
            disk_faults: sum(|used| used.disk_faults),
            energy_j: None,
            ranks: of_ranks,
        });
    };
    Some(pompeii_report::Resources {
        peak_bytes: of.peak_bytes,
        page_faults: of.page_faults,
        disk_faults: of.disk_faults,
        energy_j: of.energy_uj.map(|energy| energy as f64 / 1e6),
        ranks: of_ranks,
    })
}

/// How ranks differ, if there are several.
fn of_ranks(ranks: &[(u32, RankUse)]) -> Option<RankResources> {
    let of = |value: fn(&RankUse) -> u64| {
        let values: Vec<(u32, u64)> =
            ranks.iter().map(|(rank, used)| (*rank, value(used))).collect();
        OfRanks::new(&values)
    };
    if ranks.len() < 2 {
        return None;
    }
    Some(RankResources {
        count: ranks.len(),
        peak_bytes: of(|used| used.peak_bytes)?,
        page_faults: of(|used| used.page_faults)?,
        disk_faults: of(|used| used.disk_faults)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(peak: u64, faults: u64, energy: &[(u64, u64)]) -> Used {
        let counter = |&(value, largest): &(u64, u64)| Counter { value, largest };
        Used {
            peak_bytes: peak,
            own_peak_bytes: 2000,
            page_faults: faults,
            disk_faults: faults / 10,
            energy: energy.iter().map(counter).collect(),
        }
    }

    #[test]
    fn a_span_has_what_was_used_in_it() {
        let before = used(1000, 50, &[(900, 1000), (5, 1000)]);
        let span = before.until(&used(3000, 250, &[(100, 1000), (25, 1000)]));
        let expected = Resources {
            peak_bytes: Some(3000),
            page_faults: 200,
            disk_faults: 20,
            // The first counter began again.
            energy_uj: Some(200 + 20),
        };
        assert_eq!(span, expected);
        // An earlier command had as much memory, or this process, so that of this one is not known.
        let earlier = used(4000, 0, &[]);
        assert_eq!(earlier.until(&used(4000, 50, &[])).peak_bytes, None);
        assert_eq!(before.until(&used(2000, 50, &[])).peak_bytes, None);
        assert_eq!(before.until(&used(1000, 50, &[])).energy_uj, None);
    }

    #[test]
    fn ranks_are_compared_if_there_are_several() {
        let used = |peak_bytes, page_faults| RankUse { peak_bytes, page_faults, disk_faults: 1 };
        let of = of_ranks(&[(0, used(30, 5)), (1, used(10, 7)), (3, used(20, 9))]).unwrap();
        let peak = of.peak_bytes;
        assert_eq!((peak.least, peak.least_rank, peak.most, peak.most_rank), (10, 1, 30, 0));
        assert_eq!((of.count, peak.mean, of.page_faults.most_rank), (3, 20.0, 3));
        assert_eq!(of_ranks(&[(0, used(30, 5))]), None);
    }

    #[test]
    fn processors_have_counters_and_their_parts_do_not_count() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, value: &str| {
            let folder = root.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("energy_uj"), format!("{value}\n")).unwrap();
            fs::write(folder.join("max_energy_range_uj"), "262143328850\n").unwrap();
        };
        assert!(counters(root.path()).is_empty());
        write("intel-rapl:0", "77");
        write("intel-rapl:0:0", "33");
        write("intel-rapl-mmio:0", "70");
        assert_eq!(counters(root.path()), [Counter { value: 77, largest: 262_143_328_850 }]);
        write("intel-rapl:1", "no number");
        assert!(counters(root.path()).is_empty());
    }
}
