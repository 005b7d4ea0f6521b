//! Communication: functions of MPI in which processes spend very different times, since the one
//! that comes last makes the others wait; and functions that take long in all of them.

use pompeii_model::{CallId, LocationId, ProcessId, RegionId, Role, Ticks};

use super::{Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

/// Every program pays for it once: no finding, unless some processes wait for others at the end.
const BEGIN_AND_END: &str = "mpi_init_exit";

/// What is looked at: metrics of time, and the part of each that is known to be waiting.
const METRICS: [(&str, &[&str]); 5] = [
    (BEGIN_AND_END, &[]),
    ("mpi_sync_collective", &["mpi_barrier_wait"]),
    ("mpi_collective", &["mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", "mpi_earlyscan"]),
    ("mpi_point2point", &["mpi_latesender", "mpi_icollective_wait"]),
    ("mpi_io_collective", &[]),
];

/// Idle threads of the processes meanwhile belong to it, so this comes before idle threads.
pub(super) fn detect(search: &mut Search) {
    for (metric, waits) in METRICS {
        for (function, calls) in search.losses(metric) {
            let tree = &search.lens.cube.calls;
            // A function of MPI has no place of its own: where it is called from has.
            let caller = |call: CallId| tree.parent(call).map(|caller| tree.region(caller));
            for (caller, calls) in grouped(calls, caller) {
                report(search, (metric, waits), (caller, function), calls);
            }
        }
    }
}

fn report(
    search: &mut Search,
    (metric, waits): (&'static str, &[&'static str]),
    (caller, function): (Option<RegionId>, RegionId),
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
    let gain = sum / processes - least.1;
    search.claim("omp_idle_threads", &calls);
    let name = lens.cube.regions[function].name.clone();
    if metric == BEGIN_AND_END && !(name == "MPI_Finalize" && is_unequal(least.1, most.1)) {
        return;
    }
    let mut details = vec![detail(&lens, (processes, sum), least, most, &calls)];
    let waited: Ticks = waits.iter().map(|wait| lens.sum(wait, &calls)).sum();
    if waited > 0 {
        let share = format::percent(waited as f64 / lens.sum(metric, &calls).max(1) as f64);
        details.push(format!("{share} of this time is waiting for other processes."));
    }
    // Who is late at the end waits for no message.
    let role = if metric == BEGIN_AND_END { Role::Barrier } else { lens.role(calls[0]) };
    let suggestion = match is_poll(&name) {
        true => POLLED.to_owned(),
        false => suggestion(role, least.1, most.1),
    };
    let site = Site { region: caller.unwrap_or(function), construct: name, metric, calls };
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

fn is_unequal(least: Ticks, most: Ticks) -> bool {
    (most - least) as f64 > UNEQUAL * most as f64
}

/// Functions that ask whether something has come, without waiting for it.
fn is_poll(name: &str) -> bool {
    ["MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"]
        .iter()
        .any(|poll| name.starts_with(poll))
}

const POLLED: &str = "It is called again and again: do more work between the calls, or wait in one call \
     (MPI_Wait, MPI_Probe).";

fn suggestion(role: Role, least: Ticks, most: Ticks) -> String {
    match (is_unequal(least, most), role) {
        (true, Role::PointToPoint | Role::Function) => {
            "Processes with much time wait for messages: balance the work, or send earlier."
        }
        (true, _) => {
            "The process with the least time comes last, because it has more work before this call."
        }
        (false, Role::Barrier) => {
            "Remove the barrier if nothing needs it: many only serve time measurement."
        }
        (false, Role::PointToPoint | Role::Function) => {
            "Send fewer and larger messages, or use non-blocking ones and compute before waiting."
        }
        (false, _) => {
            "Combine small operations, or use non-blocking ones and compute before waiting."
        }
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
                    71 % of this time is waiting for other processes.
                    The process with the least time comes last, because it has more work before this call.
                a.c:60 main | omp_idle_threads lost=200 gain=50
                    0.10 s run on one thread of each process.
                    Parallelise it, or overlap it with other work.
            "#]],
        );
    }

    #[test]
    fn what_every_process_takes_to_begin_is_no_problem_of_the_program() {
        check(
            "wall=1000 locations=4 processes=2
             a                             0    time=30 visits=1
             a                             2    time=30 visits=1
             a/MPI_Init_thread             0    time=400 visits=1
             a/MPI_Init_thread             2    time=100 visits=1
             a/parallel@a.c:70             0-1  time=300 visits=10
             a/parallel@a.c:70             2-3  time=600 visits=10
             a/MPI_Finalize                0    time=270 visits=1
             a/MPI_Finalize                2    time=270 visits=1",
            expect![[r#"
                ? a | omp_idle_threads lost=60 gain=15
                    30 ms run on one thread of each process.
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn a_process_that_others_wait_for_at_the_end_is_named() {
        check(
            "wall=1000 locations=2 processes=2
             a/parallel@a.c:70  0  time=300 visits=10
             a/parallel@a.c:70  1  time=980 visits=10
             a/MPI_Finalize     0  time=700 visits=1
             a/MPI_Finalize     1  time=20 visits=1",
            expect![[r#"
                ? MPI_Finalize | mpi_init_exit lost=720 gain=340
                    2 visits; 0.36 s on average, least on rank 1 (20 ms), most on rank 0 (0.70 s).
                    The process with the least time comes last, because it has more work before this call.
            "#]],
        );
    }

    #[test]
    fn asking_in_a_loop_is_told_from_waiting() {
        check(
            "wall=1000 locations=2 processes=2
             a              0  time=200 visits=1
             a              1  time=900 visits=1
             a/MPI_Testany  0  time=800 visits=9000
             a/MPI_Testany  1  time=100 visits=1000",
            expect![[r#"
                ? MPI_Testany | mpi_point2point lost=900 gain=350
                    10,000 visits; 0.45 s on average, least on rank 1 (0.10 s), most on rank 0 (0.80 s).
                    It is called again and again: do more work between the calls, or wait in one call (MPI_Wait, MPI_Probe).
            "#]],
        );
    }
}
