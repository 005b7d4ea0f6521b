//! How a program scales over runs on different numbers of threads: efficiencies of each run, time
//! and overhead of each parallel region, and what larger runs would take: `pompeii scaling`.
//!
//! Runs are ordered by their number of threads, all processes together; the one with the fewest is
//! the reference. In strong scaling all runs have the same work, in weak scaling the same work per
//! thread.

mod efficiency;
mod fit;

use pompeii_model::{CallId, Cube, Id, IndexVec};

pub use self::efficiency::{Additive, Multiplicative, hybrid};
pub use self::fit::{Model, POINTS_MIN, Prediction};
use crate::Lens;
use crate::compare::{Paths, own_seconds, parts_of_time};
use crate::efficiency::{Efficiencies, efficiencies};

/// What stays the same from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The work of the program.
    Strong,
    /// The work of a thread.
    Weak,
}

/// A run, or the one with the median wall time of several with the same number of threads.
#[derive(Clone, Debug)]
pub struct Size {
    /// Processes.
    pub processes: usize,
    /// Threads of all processes.
    pub threads: usize,
    /// Wall time in seconds.
    pub wall: f64,
    /// How many times as much work per second as the reference.
    pub speedup: f64,
    /// Speed-up for each thread, compared with the reference: 1 is perfect.
    pub efficiency: f64,
    /// Computation scalability x parallel efficiency: what POP calls the global efficiency. It is
    /// `efficiency` x the parallel efficiency of the reference.
    pub global: f64,
    /// Computation of the reference / that of this run, for the same work: work that became slower,
    /// or more, makes it less than 1.
    pub computation: f64,
    /// The factors of the parallel efficiency, as reports have them.
    pub parts: Efficiencies,
    /// The multiplicative hybrid model.
    pub multiplicative: Multiplicative,
    /// The additive one.
    pub additive: Additive,
}

/// A parallel region over all sizes; numbers are by size.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// As reports name it, with the last line that it had.
    pub label: String,
    /// Seconds of the process that spends most time there, by its master; 0 if it is not there.
    pub seconds: Vec<f64>,
    /// Compared with the first size that has it; 0 if it is not there.
    pub efficiency: Vec<f64>,
    /// CPU seconds that the reference does not need for the same work.
    pub overhead: Vec<f64>,
    /// Number of threads from which on the region takes longer than with fewer threads.
    pub stops_at: Option<usize>,
    /// The metric that grows most from the first to the last size, with its CPU seconds.
    pub grows: Option<(String, f64)>,
}

/// How a program scales.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// What stays the same.
    pub mode: Mode,
    /// By number of threads.
    pub sizes: Vec<Size>,
    /// Parallel regions, the one with the most time in the largest run first.
    pub regions: Vec<Region>,
    /// Models of the wall time; none for fewer than [`POINTS_MIN`] sizes.
    pub models: Vec<Model>,
    /// Wall times on two, four and eight times as many threads.
    pub predictions: Vec<Prediction>,
}

/// Multiples of the largest size that are predicted.
const MULTIPLES: [usize; 3] = [2, 4, 8];

/// Compares runs, of which there is at least one.
pub fn scaling(runs: &[&Cube], mode: Mode) -> Scaling {
    let cubes = by_size(runs);
    let sizes: Vec<Size> = cubes.iter().map(|cube| size(cube, cubes[0], mode)).collect();
    let points: Vec<(f64, f64)> = sizes
        .iter()
        .map(|size| (size.threads as f64, size.wall))
        .filter(|(_, wall)| *wall > 0.0)
        .collect();
    let shapes = match mode {
        Mode::Strong => fit::STRONG,
        Mode::Weak => fit::WEAK,
    };
    let models: Vec<Model> = match points.len() >= POINTS_MIN {
        true => shapes.iter().filter_map(|&shape| Model::fit(shape, &points)).collect(),
        false => Vec::new(),
    };
    let largest = sizes.last().map_or(0, |size| size.threads);
    let predict = |more: &usize| fit::predict(&models, (largest * more) as f64);
    let predictions = MULTIPLES.iter().filter_map(predict).collect();
    Scaling { mode, regions: regions(&cubes, mode), sizes, models, predictions }
}

/// Number of threads of all processes.
fn threads(cube: &Cube) -> usize {
    cube.system.locations.len()
}

/// For each number of threads the run with the median wall time, of two in the middle the faster.
fn by_size<'a>(runs: &[&'a Cube]) -> Vec<&'a Cube> {
    let seconds = |cube: &Cube| cube.clock.seconds(cube.wall_ticks);
    let mut sorted = runs.to_vec();
    sorted.sort_by(|a, b| threads(a).cmp(&threads(b)).then(seconds(a).total_cmp(&seconds(b))));
    let groups = sorted.chunk_by(|a, b| threads(a) == threads(b));
    groups.map(|group| group[(group.len() - 1) / 2]).collect()
}

/// By how much the work differs from that of the reference.
fn work(cube: &Cube, reference: &Cube, mode: Mode) -> f64 {
    match mode {
        Mode::Strong => 1.0,
        Mode::Weak => threads(cube) as f64 / threads(reference).max(1) as f64,
    }
}

fn size(cube: &Cube, reference: &Cube, mode: Mode) -> Size {
    let seconds = |cube: &Cube| cube.clock.seconds(cube.wall_ticks);
    let useful = |cube: &Cube| cube.clock.seconds(Lens::new(cube).total("comp"));
    let more = threads(cube) as f64 / threads(reference).max(1) as f64;
    let work = work(cube, reference, mode);
    let speedup = quotient(seconds(reference) * work, seconds(cube));
    let (multiplicative, additive) = hybrid(cube);
    let computation = quotient(useful(reference) * work, useful(cube));
    let parts = efficiencies(cube);
    Size {
        processes: cube.system.processes.len(),
        threads: threads(cube),
        wall: seconds(cube),
        speedup,
        efficiency: speedup / more,
        global: computation * parts.parallel,
        computation,
        parts,
        multiplicative,
        additive,
    }
}

fn quotient(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 1.0 } else { part / whole }
}

/// What a run spends in its outermost parallel regions, by common call path.
struct Spent {
    /// Seconds of the slowest process.
    seconds: Vec<f64>,
    /// CPU seconds by metric.
    cpu: Vec<(String, Vec<f64>)>,
}

fn regions(cubes: &[&Cube], mode: Mode) -> Vec<Region> {
    let mut paths = Paths::default();
    let places: Vec<_> = cubes.iter().map(|cube| paths.add(cube)).collect();
    let count = paths.all.len();
    let spent: Vec<Spent> = cubes
        .iter()
        .zip(&places)
        .map(|(cube, places)| {
            let top = Lens::new(cube).outermost_parallels().into_iter();
            let top = top.map(|top| top.map(|call| places[call]));
            spent(cube, &top.collect::<Vec<_>>(), count)
        })
        .collect();
    let mut found: Vec<Region> = (0..count)
        .filter(|&at| spent.iter().any(|of| of.seconds[at] > 0.0))
        .map(|at| region(paths.all[at].label.clone(), at, (cubes, spent.as_slice()), mode))
        .collect();
    let last = |region: &Region| region.seconds.last().copied().unwrap_or(0.0);
    found.sort_by(|a, b| last(b).total_cmp(&last(a)));
    found
}

fn spent(cube: &Cube, top: &[Option<usize>], count: usize) -> Spent {
    let mut by_process = vec![vec![0_i64; count]; cube.system.processes.len()];
    if let Some(time) = cube.metric("execution") {
        for call in cube.calls.ids() {
            let Some(place) = top[call.index()] else { continue };
            for (sums, process) in by_process.iter_mut().zip(cube.system.processes.iter()) {
                sums[place] = sums[place].saturating_add(cube.get(time, call, process.master));
            }
        }
    }
    let most = |place: usize| by_process.iter().map(|of| of[place]).max().unwrap_or(0);
    let seconds = (0..count).map(|place| cube.clock.seconds(most(place))).collect();
    let places: IndexVec<CallId, usize> = top.iter().map(|place| place.unwrap_or(count)).collect();
    let cpu = parts_of_time(cube).into_iter().map(|metric| {
        // Call paths outside of parallel regions are in one place more.
        let mut sums = own_seconds(cube, metric, &places, count + 1);
        sums.truncate(count);
        (cube.metrics()[metric].name.clone(), sums)
    });
    Spent { seconds, cpu: cpu.collect() }
}

/// A region over all sizes.
fn region(label: String, at: usize, (cubes, spent): (&[&Cube], &[Spent]), mode: Mode) -> Region {
    let seconds: Vec<f64> = spent.iter().map(|of| of.seconds[at]).collect();
    let cpu = |of: &Spent| of.cpu.iter().map(|(_, sums)| sums[at]).sum::<f64>();
    let first = seconds.iter().position(|&time| time > 0.0).unwrap_or(0);
    let reference = cubes[first];
    let of = |run: usize| {
        let work = work(cubes[run], reference, mode);
        let more = threads(cubes[run]) as f64 / threads(reference).max(1) as f64;
        let is_there = seconds[run] > 0.0;
        let efficiency = if is_there { seconds[first] * work / seconds[run] / more } else { 0.0 };
        let overhead = if is_there { cpu(&spent[run]) - cpu(&spent[first]) * work } else { 0.0 };
        (efficiency, overhead)
    };
    let (efficiency, overhead) = (0..cubes.len()).map(of).unzip();
    let is_slower = |run: &usize| mode == Mode::Strong && seconds[*run] > seconds[run - 1];
    let stops_at = (first + 1..cubes.len()).find(is_slower).map(|run| threads(cubes[run]));
    let last = cubes.len() - 1;
    let work = work(cubes[last], reference, mode);
    let growth = spent[last]
        .cpu
        .iter()
        .zip(&spent[first].cpu)
        .map(|((name, after), (_, before))| (name.clone(), after[at] - before[at] * work));
    let grows = growth.filter(|(_, more)| *more > 0.0).max_by(|a, b| a.1.total_cmp(&b.1));
    Region { label, seconds, efficiency, overhead, stops_at, grows }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run on `n` threads: 100 ms serial, then 800 ms of work that is divided, and `wait` for the
    /// threads apart from the first.
    fn run(n: i64, wait: i64) -> Cube {
        let work = 800 / n;
        let wall = 100 + work + wait;
        let mut text = format!(
            "wall={wall} locations={n}
             a                 0  time=100
             a/parallel@a.c:2  *  time={work} visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time={wait}"
        );
        for thread in 1..n {
            text += &format!(
                "\n a/parallel@a.c:2/implicit barrier@a.c:9  {thread}  time={wait} \
                 omp_ibarrier_wait={wait}"
            );
        }
        crate::derive(&crate::notation::cube(&text).unwrap())
    }

    fn scaled(cubes: &[Cube], mode: Mode) -> Scaling {
        scaling(&cubes.iter().collect::<Vec<_>>(), mode)
    }

    #[test]
    fn sizes_are_compared_with_the_smallest() {
        let of = scaled(&[run(4, 0), run(1, 0), run(2, 0)], Mode::Strong);
        let shown: Vec<_> =
            of.sizes.iter().map(|of| (of.threads, of.wall, of.computation)).collect();
        assert_eq!(shown, [(1, 0.9, 1.0), (2, 0.5, 1.0), (4, 0.3, 1.0)]);
        let last = &of.sizes[2];
        assert!((last.speedup - 3.0).abs() < 1e-9 && (last.efficiency - 0.75).abs() < 1e-9);
        // The efficiency is the parallel efficiency, since the computation has not changed.
        assert!((last.parts.parallel - 0.75).abs() < 1e-9, "{last:?}");
        assert!((last.global - 0.75).abs() < 1e-9, "{last:?}");
        let at = of.predictions[0];
        assert!((at.seconds - 0.2).abs() < 1e-6 && at.threads == 8.0, "{at:?}");
    }

    #[test]
    fn a_region_that_stops_scaling_is_named_with_what_grows() {
        let of = scaled(&[run(1, 0), run(2, 10), run(4, 300)], Mode::Strong);
        let [region] = of.regions.as_slice() else { panic!("{of:?}") };
        assert_eq!((&*region.label, &*region.seconds), ("parallel a.c:2", &[0.8, 0.41, 0.5][..]));
        assert_eq!(region.stops_at, Some(4));
        let (name, more) = region.grows.clone().unwrap();
        assert_eq!(name, "omp_ibarrier_wait");
        assert!((more - 0.9).abs() < 1e-9, "{more}");
        assert!((region.overhead[2] - 1.2).abs() < 1e-9 && region.overhead[0] == 0.0);
        assert!((region.efficiency[2] - 0.8 / 0.5 / 4.0).abs() < 1e-9);
    }

    #[test]
    fn two_sizes_are_too_few_for_a_prediction() {
        let of = scaled(&[run(1, 0), run(2, 0), run(2, 5)], Mode::Strong);
        assert!(of.models.is_empty() && of.predictions.is_empty() && of.sizes.len() == 2);
    }

    #[test]
    fn weak_scaling_has_more_work_on_more_threads() {
        let run = |n: i64, wall: i64| {
            let text = format!("wall={wall} locations={n}\n a/parallel@a.c:2  *  time={wall}");
            crate::derive(&crate::notation::cube(&text).unwrap())
        };
        let of = scaled(&[run(1, 100), run(2, 110), run(4, 125)], Mode::Weak);
        let last = &of.sizes[2];
        assert!((last.efficiency - 0.8).abs() < 1e-9 && (last.speedup - 3.2).abs() < 1e-9);
        assert!((of.regions[0].overhead[2] - 0.1).abs() < 1e-9, "{of:?}");
        assert_eq!(of.regions[0].stops_at, None);
    }
}
