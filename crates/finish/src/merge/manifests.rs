//! The manifest of several experiments as one. Its sums and lists are those of all experiments.
//! What only one process can have is taken from the first experiment.

use std::collections::HashSet;

use pompeii_model::Cube;

use super::{Part, cubes};
use crate::counted::Counted;
use crate::dropped::Dropped;
use crate::end::End;
use crate::guard::Guarded;
use crate::hot_lines;
use crate::machine::Resources;
use crate::manifest::{Job, Lost, Manifest, ProcessEntry, RankEntry, RunInfo, WithoutPlace};
use crate::observed::observed_by;
use crate::threads::Threads;
use crate::together::together;

/// When a run began and ended, in nanoseconds since 1970.
pub fn span_of(manifest: &Manifest) -> (u64, u64) {
    let start = manifest.start_realtime_ns;
    (start, start.saturating_add(manifest.wall_ns))
}

/// From the first start to the last end, in nanoseconds.
pub fn span(parts: &[Part]) -> u64 {
    let spans = || parts.iter().map(|part| span_of(&part.manifest));
    let start = spans().map(|(start, _)| start).min().unwrap_or(0);
    spans().map(|(_, end)| end).max().unwrap_or(0) - start
}

/// One job with the ranks of all.
pub fn job(jobs: &[&Job]) -> Job {
    let mut ranks: Vec<RankEntry> = jobs.iter().flat_map(|job| job.ranks.clone()).collect();
    ranks.sort_by_key(|entry| entry.rank);
    let size = jobs.iter().map(|job| job.size).max().unwrap_or(0);
    let there: HashSet<u32> = ranks.iter().map(|entry| entry.rank).collect();
    Job {
        id: jobs[0].id.clone(),
        size,
        missing: (0..size).filter(|rank| !there.contains(rank)).collect(),
        unreadable: jobs.iter().flat_map(|job| job.unreadable.clone()).collect(),
        ranks,
        ..Job::default()
    }
}

/// The manifest of the cube of all parts.
pub fn merged(parts: &[Part], cube: &Cube, job: Option<Job>) -> Manifest {
    let all = || parts.iter().map(|part| &part.manifest);
    let first = &parts[0].manifest;
    let start_realtime_ns = all().map(|of| of.start_realtime_ns).min().unwrap_or(0);
    // Facts about traces are kept only if the merged experiment has a trace.
    let trace = parts.iter().all(|part| part.trace.is_some());
    let traced = || parts.iter().filter(|_| trace);
    Manifest {
        tool: concat!("Pompeii ", env!("CARGO_PKG_VERSION")).to_owned(),
        program: cubes::programs(parts),
        run: run_info(parts),
        end: all().map(|of| &of.end).find(|end| is_bad(end)).unwrap_or(&first.end).clone(),
        forked_from: None,
        start_realtime_ns,
        wall_ns: (cube.clock.seconds(cube.wall_ticks) * 1e9) as u64,
        locations: cube.system.locations.len(),
        observed_by: observed_by(&cube.regions),
        trace,
        regions: cube.regions.len(),
        call_paths: cube.calls.len(),
        counted: all().filter_map(|of| of.counted.clone()).reduce(Counted::with),
        threads: threads(parts),
        lost: Lost {
            is_trace_empty: trace && all().all(|of| of.lost.is_trace_empty),
            dropped: traced().flat_map(|part| dropped(part, start_realtime_ns)).collect(),
            ..lost(parts)
        },
        guarded: together(traced().flat_map(|part| guarded(part, start_realtime_ns))),
        summed_visits: traced()
            .map(|part| part.manifest.summed_visits)
            .fold(0, u64::saturating_add),
        excluded: together(all().flat_map(|of| of.excluded.clone())),
        excluded_visits: all().map(|of| of.excluded_visits).max().unwrap_or(0),
        hot_lines: hot_lines::together(all().flat_map(|of| &of.hot_lines)),
        samples: [0, 1].map(|which| all().map(|of| of.samples[which]).sum()),
        job,
        processes: all().flat_map(|of| failed(&of.processes)).collect(),
        merged: parts.iter().map(|part| part.name.clone()).collect(),
        ..first.clone()
    }
}

fn is_bad(end: &End) -> bool {
    !matches!(end, End::Exit { code: Some(0) | None })
}

/// What is known of the threads of all processes; nothing if it is not known of some.
fn threads(parts: &[Part]) -> Option<Threads> {
    let all: Option<Vec<&Threads>> =
        parts.iter().map(|part| part.manifest.threads.as_ref()).collect();
    Some(Threads::together(all?.into_iter()))
}

/// Processes of which there is nothing. The other ones have experiments in the folders of the
/// parts.
fn failed(processes: &[ProcessEntry]) -> impl Iterator<Item = ProcessEntry> + '_ {
    processes.iter().filter(|entry| entry.problem.is_some()).cloned()
}

/// How the first one was started. What other programs did on a machine is known for the time of
/// each command only, and not for that of all. Nor is the number of CPUs of all: a launcher may
/// have bound each process to other ones.
fn run_info(parts: &[Part]) -> RunInfo {
    let all = || parts.iter().map(|part| &part.manifest.run);
    RunInfo {
        exit_code: all().find_map(|run| run.exit_code.filter(|code| *code != 0)).or(Some(0)),
        signal: all().find_map(|run| run.signal),
        cpus: 0,
        machine: None,
        resources: resources(parts),
        openmp_library: common(all().map(|run| run.openmp_library.as_deref())),
        pid: None,
        ..parts[0].manifest.run.clone()
    }
}

/// The OpenMP library of all parts; `None` if they have different ones: then it tells nothing about
/// a single one of them.
fn common<'a>(mut libraries: impl Iterator<Item = Option<&'a str>>) -> Option<String> {
    let first = libraries.next()??;
    libraries.all(|library| library == Some(first)).then(|| first.to_owned())
}

/// Counters of energy are those of a whole machine, so that the values of two parts on one machine
/// would count the same energy twice.
fn resources(parts: &[Part]) -> Option<Resources> {
    let all: Option<Vec<&Resources>> =
        parts.iter().map(|part| part.manifest.run.resources.as_ref()).collect();
    let all = all?;
    let hosts: HashSet<&str> = parts.iter().map(|part| part.manifest.host.as_str()).collect();
    let energy = || all.iter().map(|of| of.energy_uj).sum::<Option<u64>>();
    Some(Resources {
        peak_bytes: all.iter().filter_map(|of| of.peak_bytes).max(),
        page_faults: all.iter().map(|of| of.page_faults).sum(),
        disk_faults: all.iter().map(|of| of.disk_faults).sum(),
        energy_uj: if hosts.len() == parts.len() { energy() } else { None },
    })
}

fn lost(parts: &[Part]) -> Lost {
    let all = || parts.iter().map(|part| &part.manifest.lost);
    let sum = |of: fn(&Lost) -> u64| all().map(of).fold(0, u64::saturating_add);
    let mut without_place: Vec<WithoutPlace> = Vec::new();
    for of in all().flat_map(|of| &of.without_place) {
        match without_place.iter_mut().find(|known| known.what == of.what) {
            Some(known) => known.count = known.count.saturating_add(of.count),
            None => without_place.push(of.clone()),
        }
    }
    Lost {
        events: sum(|of| of.events),
        more_events: all().any(|of| of.more_events),
        threads: sum(|of| of.threads),
        without_place,
        readings: sum(|of| of.readings),
        reason: all().find_map(|of| of.reason.clone()),
        died: all().any(|of| of.died),
        ..Lost::default()
    }
}

/// How many seconds after the others a part began.
fn later_s(part: &Part, start_realtime_ns: u64) -> f64 {
    part.manifest.start_realtime_ns.saturating_sub(start_realtime_ns) as f64 / 1e9
}

fn guarded(part: &Part, start_realtime_ns: u64) -> Vec<Guarded> {
    let later_s = later_s(part, start_realtime_ns);
    let moved = |of: &Guarded| Guarded {
        since_s: of.since_s + later_s,
        until_s: of.until_s.map(|until_s| until_s + later_s),
        ..of.clone()
    };
    part.manifest.guarded.iter().map(moved).collect()
}

fn dropped(part: &Part, start_realtime_ns: u64) -> Vec<Dropped> {
    let later_s = later_s(part, start_realtime_ns);
    let moved = |of: &Dropped| Dropped {
        location: format!("{}: {}", part.name, of.location),
        from_s: of.from_s + later_s,
        until_s: of.until_s + later_s,
        ..of.clone()
    };
    part.manifest.lost.dropped.iter().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_all_parts_is_that_of_the_whole() {
        let [gcc, clang] = ["libgomp.so.1", "libomp.so.5"].map(Some);
        let of = |all: &[Option<&str>]| common(all.iter().copied());
        assert_eq!(of(&[gcc]).as_deref(), gcc);
        assert_eq!(of(&[gcc, gcc, gcc]).as_deref(), gcc);
        for different in [&[gcc, clang][..], &[gcc, None], &[None, gcc], &[None, None], &[]] {
            assert_eq!(of(different), None, "{different:?}");
        }
    }
}
