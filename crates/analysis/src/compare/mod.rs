//! What became better or worse between two sets of runs: `pompeii diff A B`.
//!
//! Two runs of one program are never equal, so a difference means something only next to the noise.
//! A change of a value is listed if
//!
//! * its medians differ by more than the runs of a set differ among themselves, which is the noise
//!   (maximum - minimum, the larger of both sets), and
//! * the test of Mann and Whitney gives it a probability of at most 5 % by chance alone, or, if the
//!   sets are too small for this, the smallest one that their sizes allow.
//!
//! With one run in each set, the noise is not known, and all changes are listed.
//!
//! Values of call paths are CPU times by metric, each without its parts and without callees.
//! Therefore their changes sum to the change of wall time x threads.

mod paths;
mod ranks;

use std::collections::HashMap;

use pompeii_model::{CallId, Cube, IndexVec, MetricId, Role};

pub(crate) use self::paths::Paths;
use crate::efficiency::efficiencies;
use crate::median::median;
pub use crate::run::Run;

/// What is known of the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Nothing, because both sets have one run.
    Unknown,
    /// A little: the sets are too small for a probability of 5 %.
    Few,
    /// Enough.
    Known,
}

/// Two values, each the median of a set of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// In the runs of the first set.
    pub before: f64,
    /// In those of the second set.
    pub after: f64,
    /// By how much runs of one set differ; `None`: not known.
    pub noise: Option<f64>,
    /// The probability of such a difference by chance; `None`: not known.
    pub probability: Option<f64>,
    /// Whether it is more than noise, or the noise is not known.
    pub is_real: bool,
}

/// A metric that changed at a call path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathChange {
    /// The regions from the root to the call path, as reports name them.
    pub path: Vec<String>,
    /// Name of the metric, which counts without its parts.
    pub metric: String,
    /// CPU seconds.
    pub change: Change,
    /// The difference as a share of wall time x threads of the first set.
    pub share: f64,
}

/// A finding that came, went, or changed.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingChange {
    /// Construct and place, of the last run that has the finding.
    pub label: String,
    /// The property.
    pub property: &'static str,
    /// The word of the cause; empty if it is not known.
    pub cause: &'static str,
    /// CPU seconds lost.
    pub change: Change,
    /// The difference as a share of wall time x threads of the first set.
    pub share: f64,
}

/// What two sets of runs have in common, and what not.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How many runs the sets have.
    pub runs: [usize; 2],
    /// Threads of the first run of each set.
    pub threads: [usize; 2],
    /// What is known of the noise.
    pub noise: Noise,
    /// Wall time in seconds.
    pub wall: Change,
    /// Wall time x threads in seconds.
    pub allocation: Change,
    /// The parallel efficiency.
    pub efficiency: Change,
    /// Changes at call paths, the largest first.
    pub paths: Vec<PathChange>,
    /// How many values of call paths are too small or changed too little to be listed.
    pub unlisted: usize,
    /// Changes of findings, the largest first.
    pub findings: Vec<FindingChange>,
}

/// A smaller share of wall time x threads is not listed.
pub const SMALL_SHARE: f64 = 0.001;

/// A change with at most this probability by chance is one.
const PROBABILITY_MAX: f64 = 0.05;

impl Change {
    /// Compares values of two sets, neither of which is empty.
    fn new(before: &[f64], after: &[f64]) -> Self {
        let medians = (median(before.iter().copied()), median(after.iter().copied()));
        let difference = (medians.1 - medians.0).abs();
        let mut change = Self {
            before: medians.0,
            after: medians.1,
            noise: None,
            probability: None,
            is_real: difference > 0.0,
        };
        if before.len() + after.len() > 2 {
            let noise = range(before).max(range(after));
            let probability = ranks::probability(before, after);
            let smallest = ranks::smallest(before.len(), after.len());
            // Probabilities are quotients of counts, so equal ones may differ in the last digit.
            let is_rare = probability <= PROBABILITY_MAX.max(smallest * (1.0 + 1e-9));
            (change.noise, change.probability) = (Some(noise), Some(probability));
            change.is_real = difference > noise && is_rare;
        }
        change
    }

    /// How much more the second set has.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }
}

fn range(values: &[f64]) -> f64 {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    (high - low).max(0.0)
}

fn noise(before: usize, after: usize) -> Noise {
    match before + after {
        ..=2 => Noise::Unknown,
        _ if ranks::smallest(before, after) > PROBABILITY_MAX => Noise::Few,
        _ => Noise::Known,
    }
}

/// Compares two sets of runs, each of which has at least one run.
pub fn compare(before: &[Run], after: &[Run]) -> Comparison {
    let of = |value: &dyn Fn(&Cube) -> f64| {
        let values = |runs: &[Run]| runs.iter().map(|run| value(run.cube)).collect::<Vec<_>>();
        Change::new(&values(before), &values(after))
    };
    let allocation = of(&|cube| cube.clock.seconds(cube.allocation_ticks()));
    let threads = |runs: &[Run]| runs.first().map_or(0, |run| run.cube.system.locations.len());
    let (paths, unlisted) = path_changes(before, after, allocation.before);
    Comparison {
        runs: [before.len(), after.len()],
        threads: [threads(before), threads(after)],
        noise: noise(before.len(), after.len()),
        wall: of(&|cube| cube.clock.seconds(cube.wall_ticks)),
        allocation,
        efficiency: of(&|cube| efficiencies(cube).parallel),
        paths,
        unlisted,
        findings: finding_changes(before, after, allocation.before),
    }
}

/// Metrics that `time` is made of, itself included.
pub(crate) fn parts_of_time(cube: &Cube) -> Vec<MetricId> {
    let Some(time) = cube.metric("time") else { return Vec::new() };
    let metrics = cube.metrics();
    let above = |id: MetricId| std::iter::successors(Some(id), move |&id| metrics[id].parent);
    metrics.ids().filter(|&id| above(id).any(|above| above == time)).collect()
}

/// Seconds of a metric without its parts, by common call path.
pub(crate) fn own_seconds(
    cube: &Cube,
    metric: MetricId,
    places: &IndexVec<CallId, usize>,
    paths: usize,
) -> Vec<f64> {
    let parts: Vec<MetricId> = cube.metric_children(metric).collect();
    let mut seconds = vec![0.0; paths];
    for call in cube.calls.ids() {
        let all = cube.own(metric, call);
        let ticks = parts.iter().fold(all, |left, &part| left.saturating_sub(cube.own(part, call)));
        seconds[places[call]] += cube.clock.seconds(ticks);
    }
    seconds
}

/// The changes that are listed, and how many values are not.
fn path_changes(before: &[Run], after: &[Run], whole: f64) -> (Vec<PathChange>, usize) {
    let mut paths = Paths::default();
    let cubes: Vec<&Cube> = before.iter().chain(after).map(|run| run.cube).collect();
    let places: Vec<_> = cubes.iter().map(|cube| paths.add(cube)).collect();
    let Some(first) = cubes.first() else { return (Vec::new(), 0) };
    let (mut changes, mut unlisted) = (Vec::new(), 0);
    for metric in parts_of_time(first) {
        let name = &first.metrics()[metric].name;
        let values: Vec<Vec<f64>> = cubes
            .iter()
            .zip(&places)
            .map(|(cube, places)| match cube.metric(name) {
                Some(metric) => own_seconds(cube, metric, places, paths.all.len()),
                None => vec![0.0; paths.all.len()],
            })
            .collect();
        for at in 0..paths.all.len() {
            let of: Vec<f64> = values.iter().map(|run| run[at]).collect();
            if of.iter().all(|&value| value == 0.0) {
                continue;
            }
            let (of_before, of_after) = of.split_at(before.len());
            let change = Change::new(of_before, of_after);
            let share = share(change.difference(), whole);
            if !change.is_real || share.abs() < SMALL_SHARE {
                unlisted += 1;
                continue;
            }
            let (path, metric) = (paths.names(at), name.clone());
            changes.push(PathChange { path, metric, change, share });
        }
    }
    changes.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
    (changes, unlisted)
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// What a finding is known by in all runs: lines move when a program is edited.
type FindingKey<'a> = (&'static str, &'static str, &'a str, &'a str, &'a str);

fn finding_changes(before: &[Run], after: &[Run], whole: f64) -> Vec<FindingChange> {
    let runs: Vec<&Run> = before.iter().chain(after).collect();
    // By key: the seconds lost in each run, and the names in the last run.
    let mut found: HashMap<FindingKey, (Vec<f64>, String)> = HashMap::new();
    for (at, run) in runs.iter().enumerate() {
        for finding in run.findings.iter().filter(|finding| finding.is_significant(run.cube)) {
            let region = &run.cube.regions[finding.region];
            let cause = finding.cause.map_or("", |cause| cause.code());
            let function = region.function().unwrap_or_default();
            // The program itself may have another name in each set.
            let name = match region.role {
                Role::Artificial => ("", "", ""),
                _ => (region.construct(), function, region.file_name()),
            };
            let key = (finding.property.name, cause, name.0, name.1, name.2);
            let entry = found.entry(key).or_insert_with(|| (vec![0.0; runs.len()], String::new()));
            entry.0[at] += run.cube.clock.seconds(finding.lost_ticks);
            entry.1 = format!("{} {}", finding.construct, finding.place).trim().to_owned();
        }
    }
    let mut changes: Vec<FindingChange> = found
        .into_iter()
        .map(|((property, cause, ..), (seconds, label))| {
            let (of_before, of_after) = seconds.split_at(before.len());
            let change = Change::new(of_before, of_after);
            let share = share(change.difference(), whole);
            FindingChange { label, property, cause, change, share }
        })
        .filter(|of| of.change.is_real && of.share.abs() >= SMALL_SHARE)
        .collect();
    let name = |of: &FindingChange| (of.label.clone(), of.property, of.cause);
    changes.sort_by(|a, b| {
        b.share.abs().total_cmp(&a.share.abs()).then_with(|| name(a).cmp(&name(b)))
    });
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of two threads, in which thread 0 waits for thread 1, in a loop at a line.
    fn run(line: u32, work: i64, wait: i64) -> Cube {
        let wall = 100 + work + wait;
        let text = format!(
            "wall={wall} locations=2
             a                                   0  time=100
             a/parallel@a.c:{line}               0  time={work} visits=1
             a/parallel@a.c:{line}               1  time={} visits=1
             a/parallel@a.c:{line}/implicit barrier@a.c:{line}  0  time={wait} \
             omp_ibarrier_wait={wait}",
            work + wait
        );
        crate::derive(&crate::notation::cube(&text).unwrap())
    }

    fn compared(before: &[Cube], after: &[Cube]) -> Comparison {
        fn runs(cubes: &[Cube]) -> Vec<Run<'_>> {
            cubes.iter().map(|cube| Run { cube, findings: &[] }).collect()
        }
        compare(&runs(before), &runs(after))
    }

    fn shown(of: &Comparison) -> Vec<String> {
        let line = |of: &PathChange| {
            let Change { before, after, .. } = of.change;
            format!("{} {}: {before} -> {after}", of.path.join("/"), of.metric)
        };
        of.paths.iter().map(line).collect()
    }

    #[test]
    fn of_two_runs_all_changes_are_listed() {
        let of = compared(&[run(5, 400, 200)], &[run(7, 400, 50)]);
        assert_eq!((of.noise, of.runs, of.threads), (Noise::Unknown, [1, 1], [2, 2]));
        assert_eq!((of.wall.before, of.wall.after, of.wall.noise), (0.7, 0.55, None));
        let expected = [
            "a/parallel a.c:7 comp: 1 -> 0.85",
            "a/parallel a.c:7/implicit barrier a.c:7 omp_ibarrier_wait: 0.2 -> 0.05",
        ];
        let mut lines = shown(&of);
        lines.sort();
        assert_eq!(lines, expected);
        let sum: f64 = of.paths.iter().map(|of| of.change.difference()).sum();
        assert!((sum - of.allocation.difference()).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn noise_is_not_listed() {
        let before = [200, 210, 190, 205].map(|wait| run(5, 400, wait));
        let alike = [195, 208, 192, 206].map(|wait| run(5, 400, wait));
        let of = compared(&before, &alike);
        assert_eq!((of.noise, of.wall.is_real), (Noise::Known, false));
        assert!(of.paths.is_empty() && of.unlisted > 0, "{of:?}");
        let better = [52, 50, 45, 55].map(|wait| run(5, 400, wait));
        let of = compared(&before, &better);
        assert!(of.wall.is_real && of.wall.difference() < 0.0);
        assert_eq!(of.paths.len(), 2, "{of:?}");
        let noise = of.wall.noise.unwrap();
        assert!((noise - 0.02).abs() < 1e-9, "{noise}");
    }

    #[test]
    fn few_runs_must_not_overlap() {
        let before = [200, 210, 190].map(|wait| run(5, 400, wait));
        let of = compared(&before, &[150, 160, 155].map(|wait| run(5, 400, wait)));
        assert_eq!((of.noise, of.wall.is_real), (Noise::Few, true));
        let of = compared(&before, &[150, 160, 190].map(|wait| run(5, 400, wait)));
        assert!(!of.wall.is_real);
        // One run is compared with the noise of three.
        let of = compared(&before, &[run(5, 400, 150)]);
        assert!(of.wall.is_real && of.wall.probability == Some(0.5), "{:?}", of.wall);
    }

    /// The program of the second set has another name, and its loop another line.
    #[test]
    fn findings_are_known_by_more_than_names_and_lines() {
        let serial = |text: &str| crate::derive(&crate::notation::cube(text).unwrap());
        let old = serial(
            "wall=1000 locations=2
             old                  0  time=600
             old/parallel@a.c:5   *  time=400 visits=1",
        );
        let new = serial(
            "wall=900 locations=2
             new                  0  time=500
             new/parallel@a.c:9   *  time=400 visits=1",
        );
        let found = [crate::findings(&old), crate::findings(&new)];
        let of = compare(
            &[Run { cube: &old, findings: &found[0] }],
            &[Run { cube: &new, findings: &found[1] }],
        );
        let [change] = of.findings.as_slice() else { panic!("{of:?}") };
        assert_eq!((change.property, change.change.before), ("omp_idle_threads", 0.6));
        assert!((change.change.difference() + 0.1).abs() < 1e-9, "{change:?}");
    }

    #[test]
    fn a_call_path_of_one_set_counts_as_zero_in_the_other() {
        let serial = crate::notation::cube("wall=100 locations=2\n a  0  time=100").unwrap();
        let of = compared(&[run(5, 400, 200)], &[crate::derive(&serial)]);
        assert!(shown(&of).contains(&"a/parallel a.c:5 comp: 1 -> 0".to_owned()), "{of:?}");
    }
}
