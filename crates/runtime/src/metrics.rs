//! Metrics beside time, on request: what a thread's counters have counted is added to the node that
//! its location is in ([`crate::location::metrics`]), exclusively like time, and suspended with a
//! task like time.
//!
//! Where all counters can be read without a system call, they are at every event. Otherwise they
//! are at the borders of parallel regions, user regions, functions and tasks only, and `finish`
//! lifts what was counted in between to the innermost of these. Counters belong to the thread of
//! the system ([`crate::counters`]), whichever location it plays. What a worker counts from the end
//! of its part in a team to the next begin is that of its location's root, the time outside of
//! teams, so the sum of a metric is all that its threads have counted.

mod table;

use std::ops::Range;
use std::sync::OnceLock;

use pompeii_live::metrics::{Counters, Metric, Source};
use pompeii_live::{Definition, RegionKind, metric_classes};

use crate::clock;
use crate::counters;
#[cfg(test)]
use crate::process::Process;

pub use table::Table;

/// Readings that the cost of one is measured with.
const TRIALS: u64 = 64;

/// The metrics of a process.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Those that are counted.
    pub list: Vec<Metric>,
    /// They are read at every event.
    pub everywhere: bool,
}

/// What was chosen when the library was loaded, and what of.
static CHOSEN: OnceLock<(Vec<Metric>, Metrics, Vec<Definition>)> = OnceLock::new();

/// The library is loaded, and the environment asks for these: what the initial thread does before
/// its first event counts, too.
pub fn begin(wanted: &[Metric]) {
    if !wanted.is_empty() {
        let (metrics, said) = Metrics::try_out(wanted);
        counters::begin(&metrics.list);
        let _ = CHOSEN.set((wanted.to_vec(), metrics, said));
    }
}

impl Metrics {
    /// Those of `wanted` that can be counted, and what is to be said about them.
    pub fn choose(wanted: &[Metric]) -> (Metrics, Vec<Definition>) {
        match CHOSEN.get() {
            _ if wanted.is_empty() => (Metrics::default(), Vec::new()),
            Some((chosen_of, metrics, said)) if chosen_of == wanted => {
                (metrics.clone(), said.clone())
            }
            _ => Self::try_out(wanted),
        }
    }

    /// The same, tried on the calling thread.
    fn try_out(wanted: &[Metric]) -> (Metrics, Vec<Definition>) {
        let mut wanted = wanted.to_vec();
        wanted.sort_by_key(is_mark);
        let (_, failed) = Counters::open(&wanted);
        let missing = |position: usize| failed.iter().find(|failed| failed.metric == position);
        let mut said = Vec::new();
        let mut list = Vec::new();
        for (position, metric) in wanted.iter().enumerate() {
            let reason = missing(position).map(|failed| failed.reason());
            said.push(Definition::Metric {
                name: metric.name.clone(),
                unit: metric.unit,
                mark: is_mark(metric),
                missing: reason.clone().unwrap_or_default(),
            });
            if reason.is_none() {
                list.push(metric.clone());
            }
        }
        let (mut counters, _) = Counters::open(&list);
        let everywhere = counters.access().user;
        let cost_ns = cost_ns(&mut counters);
        said.push(Definition::MetricReading { everywhere, cost_ns });
        (Metrics { list, everywhere }, said)
    }

    /// Their classes in the trace.
    pub fn classes(&self) -> impl Iterator<Item = Range<usize>> {
        metric_classes(self.list.len(), self.list.last().is_some_and(is_mark))
    }
}

/// Whether it is the process's, which comes last.
fn is_mark(metric: &Metric) -> bool {
    metric.source == Source::HighWater
}

/// What one reading takes. Nothing is anybody's meanwhile, so that no growth of memory is lost.
fn cost_ns(counters: &mut Counters) -> u64 {
    let before = clock::monotonic_ns();
    (0..TRIALS).for_each(|_| counters.skip());
    clock::monotonic_ns().saturating_sub(before) / TRIALS
}

/// Whether metrics are read where a region of this kind begins or ends.
pub fn is_border(kind: RegionKind) -> bool {
    use RegionKind::{Function, Parallel, Task, User};
    matches!(kind, Parallel | User | Function | Task)
}

/// Name of the metric of scripts, which count their own time.
#[cfg(test)]
pub const SCRIPT_TIME: &str = "script time";

#[cfg(test)]
fn is_script_time(process: &Process) -> bool {
    process.metrics.list.iter().any(|metric| metric.name == SCRIPT_TIME)
}

#[cfg(test)]
mod tests {
    use pompeii_live::metrics::parse_list;
    use pompeii_live::{LiveProcess, VisitRecord, metrics_file, visits_file};

    use super::*;
    use crate::definitions::RegionText;
    use crate::location::visits;
    use crate::process::Options;

    /// A process whose metric is the script's own time.
    fn process() -> (tempfile::TempDir, &'static Process) {
        let folder = tempfile::tempdir().unwrap();
        let mut metrics = parse_list("page-faults", ",").unwrap();
        metrics[0].name = SCRIPT_TIME.to_owned();
        let live = folder.path().to_owned();
        let options = Options { folder: live, metrics, statistics: true, ..Options::default() };
        (folder, Process::start(options, None).unwrap())
    }

    fn define(process: &Process, kind: RegionKind, number: u32) -> u32 {
        process.region(&RegionText::without_source(kind, &format!("r{number}")))
    }

    #[test]
    fn each_of_many_regions_is_a_border() {
        let (_folder, process) = process();
        for number in 0..70_000 {
            let kind = if number % 2 == 0 { RegionKind::Function } else { RegionKind::Loop };
            let region = define(process, kind, number);
            assert_eq!(process.is_border(region), number % 2 == 0, "{region}");
        }
    }

    /// Rows and records beyond the first page of their files cannot be kept.
    #[test]
    fn readings_that_cannot_be_kept_are_counted() {
        const REGIONS: u32 = 1000;
        let (folder, process) = process();
        // SAFETY: this thread's location, which nothing else uses.
        let thread = unsafe { &mut *process.new_location(None).unwrap() };
        for name in [metrics_file(0), visits_file(0)] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        for number in 0..REGIONS {
            let region = define(process, RegionKind::User, number);
            thread.enter(region, 10 * u64::from(number));
            thread.exit(region, 10 * u64::from(number) + 5);
        }
        // Node 0 is unused, 1 and 2 are there from the beginning.
        let nodes = REGIONS as usize + 3;
        let rows = table::FIRST_BYTES / size_of::<u64>();
        let records = visits::FIRST_BYTES / size_of::<VisitRecord>();
        let lost = (nodes - rows) + (nodes - records);
        let live = LiveProcess::open(folder.path()).unwrap();
        assert_eq!((live.lost_readings, live.first_errno), (lost as u64, Some(libc::ENOENT)));
        assert_eq!(live.lost_events, 0);
    }
}
