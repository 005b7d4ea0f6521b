//! Communication: functions of MPI in which processes spend very different times, since the one
//! that comes last makes the others wait; and functions that take long in all of them.

use pompeii_model::{CallId, LocationId, ProcessId, RegionId, Role, Ticks};

use super::{Loss, Search, Site, Words};
use crate::{Lens, format};

/// What is looked at: metrics of time, and the part of each that is known to be waiting.
const METRICS: [(&str, &[&str]); 4] = [
    ("mpi_sync_collective", &["mpi_barrier_wait"]),
    ("mpi_collective", &["mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce"]),
    ("mpi_point2point", &["mpi_latesender", "mpi_icollective_wait"]),
    ("mpi_io_collective", &[]),
];

/// Idle threads of the processes meanwhile belong to it, so this comes before idle threads.
pub(super) fn detect(search: &mut Search) {
    for (metric, waits) in METRICS {
        let mut sites: Vec<(Option<CallId>, RegionId, Vec<CallId>)> = Vec::new();
        for (region, calls) in search.losses(metric) {
            for call in calls {
                // A function of MPI has no place of its own: where it is called from has.
                let caller = search.lens.cube.calls.parent(call);
                let from = caller.map(|caller| search.lens.cube.calls.region(caller));
                let same = |(known, at, _): &&mut (Option<CallId>, RegionId, Vec<CallId>)| {
                    *at == region && known.map(|known| search.lens.cube.calls.region(known)) == from
                };
                match sites.iter_mut().find(same) {
                    Some((.., group)) => group.push(call),
                    None => sites.push((caller, region, vec![call])),
                }
            }
        }
        for (caller, region, calls) in sites {
            report(search, (metric, waits), (caller, region), calls);
        }
    }
}

fn report(
    search: &mut Search,
    (metric, waits): (&'static str, &[&'static str]),
    (caller, function): (Option<CallId>, RegionId),
    calls: Vec<CallId>,
) {
    let lens = search.lens;
    let by_process = by_process(&lens, metric, &calls);
    let lost = lens.sum(metric, &calls) + lens.sum("omp_idle_threads", &calls);
    let (Some(least), Some(most)) = (
        by_process.iter().min_by_key(|(_, ticks)| *ticks).copied(),
        by_process.iter().max_by_key(|(_, ticks)| *ticks).copied(),
    ) else {
        return;
    };
    let processes = by_process.len() as i64;
    let sum: Ticks = by_process.iter().map(|(_, ticks)| ticks).sum();
    let gain = sum / processes.max(1) - least.1;
    search.claim("omp_idle_threads", &calls);
    let name = lens.cube.regions[function].name.clone();
    let mut details = vec![detail(&lens, (processes, sum), least, most, &calls)];
    let waited: Ticks = waits.iter().map(|wait| lens.sum(wait, &calls)).sum();
    if waited > 0 {
        let share = format::percent(waited as f64 / lens.sum(metric, &calls).max(1) as f64);
        details.push(format!("{share} of it is measured waiting for others."));
    }
    let suggestion = suggestion(lens.role(calls[0]), least.1, most.1);
    let region = caller.map_or(function, |caller| lens.cube.calls.region(caller));
    let site = Site { region, construct: name, metric, calls };
    search.report(metric, site, Loss { lost, gain }, Words { details, suggestion });
}

/// The time of each process's threads in the call paths.
fn by_process(lens: &Lens, metric: &str, calls: &[CallId]) -> Vec<(ProcessId, Ticks)> {
    let by_location = lens.by_location(metric, calls);
    let system = &lens.cube.system;
    let sum = |threads: Vec<LocationId>| threads.iter().map(|&at| by_location[at]).sum();
    system.processes.ids().zip(system.locations_by_process().into_iter().map(sum)).collect()
}

fn detail(
    lens: &Lens,
    (processes, sum): (i64, Ticks),
    (late, least): (ProcessId, Ticks),
    (early, most): (ProcessId, Ticks),
    calls: &[CallId],
) -> String {
    let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
    let visits = format::counted(lens.sum("visits", calls), "visit");
    let rank = |process: ProcessId| lens.cube.system.processes[process].rank;
    match processes {
        1 => format!("{visits}, {} in all.", seconds(sum)),
        _ => format!(
            "{visits}; {} on average, least on rank {} ({}), most on rank {} ({}).",
            seconds(sum / processes),
            rank(late),
            seconds(least),
            rank(early),
            seconds(most)
        ),
    }
}

/// Where processes differ by more, the work between them does.
const UNEQUAL: f64 = 0.5;

fn suggestion(role: Role, least: Ticks, most: Ticks) -> String {
    let unequal = (most - least) as f64 > UNEQUAL * most as f64;
    match (unequal, role) {
        (true, Role::PointToPoint | Role::Function) => {
            "Those with much time wait for messages of the others: balance the work, or send earlier."
        }
        (true, _) => {
            "The process with the least time comes last: it has more to do before than the others."
        }
        (false, Role::Barrier) => "Leave out what nothing needs; most barriers only serve timing.",
        (false, Role::PointToPoint | Role::Function) => {
            "Fewer and larger messages, or non-blocking ones with work before the wait."
        }
        (false, _) => "Combine small ones, or use non-blocking ones with work between.",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    #[test]
    fn the_late_process_is_named_and_idle_threads_belong_to_it() {
        check(
            "wall=1000 locations=4 processes=2
             a/main@a.c:60                 0    time=100 visits=1
             a/main@a.c:60                 2    time=100 visits=1
             a/main@a.c:60/MPI_Allreduce   0    time=400 visits=10 mpi_wait_nxn=300
             a/main@a.c:60/MPI_Allreduce   2    time=20 visits=10
             a/main@a.c:60/parallel@a.c:70  0-1  time=500 visits=10
             a/main@a.c:60/parallel@a.c:70  2-3  time=880 visits=10",
            expect![[r#"
                a.c:60 MPI_Allreduce | mpi_collective lost=840 gain=190
                    20 visits; 0.21 s on average, least on rank 1 (20 ms), most on rank 0 (0.40 s).
                    71 % of it is measured waiting for others.
                    The process with the least time comes last: it has more to do before than the others.
                a.c:60 main | omp_idle_threads lost=200 gain=50
                    0.10 s run on one thread of each process.
                    Parallelise the largest of these, or overlap it with other work.
            "#]],
        );
    }
}
