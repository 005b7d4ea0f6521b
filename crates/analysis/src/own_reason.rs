//! Findings with a reason of their own on a machine that other programs use too. Threads without a
//! CPU make everything longer: tasks, their creation, and what a lock protects. So counts and
//! ratios of such times tell the same as on a quiet machine: a task that takes no longer than its
//! creation, tasks of which one runs at a time, a lock that one thread or another has most of the
//! time.

use pompeii_model::{CallId, IndexVec, Role, Ticks};

use crate::Lens;
use crate::findings::{Cause, Finding};

/// A lock is in use all the time if threads have it together for this share of the time of their
/// parallel region.
const IN_USE: f64 = 0.5;

/// Whether threads would lose this time on a quiet machine as well.
pub(crate) fn has_own_reason(lens: &Lens, finding: &Finding) -> bool {
    match (finding.cause, finding.property.name) {
        (Some(Cause::TasksTooSmall), _) => is_dear_on_any_cpus(finding),
        // A few tasks may be as many as the threads need.
        (Some(Cause::FewUnits), "tasks_too_few") => false,
        (Some(Cause::OneCreator | Cause::Dependences | Cause::FewUnits), _) => true,
        (Some(Cause::Critical | Cause::Lock | Cause::Ordered), _) => is_in_use(lens, finding),
        _ => false,
    }
}

/// Whether the work itself costs more than it should, on any number of CPUs and threads. With 2, 4
/// and 8 threads on two CPUs, tasks that took no longer than their creation made a run last 0.22 to
/// 0.24 s; with larger tasks it lasted 0.05 s with each number of threads.
pub(crate) fn is_dear_on_any_cpus(finding: &Finding) -> bool {
    // The time of a creation without other tasks may be that of a thread without a CPU.
    finding.cause == Some(Cause::TasksTooSmall) && finding.property.name != "omp_task_creation"
}

/// Whether what threads wait for is in use most of the time.
fn is_in_use(lens: &Lens, finding: &Finding) -> bool {
    let Some(around) = Around::new(lens, finding) else { return false };
    let is_body =
        |&call: &CallId| matches!(lens.role(call), Role::CriticalBody | Role::OrderedBody);
    let below = finding.calls.iter().flat_map(|&call| lens.cube.calls.children(call)).copied();
    let bodies: Ticks = below.filter(is_body).map(|body| around.time[body]).sum();
    let held = lens.held(&finding.calls);
    bodies.max(held) as f64 >= IN_USE * around.lasted
}

/// Whether the iterations of a doacross loop run one after the other: nearly all threads but one
/// wait for their turn. Many libraries use a CPU for each thread that waits there, so such a loop
/// lacks CPUs because of the turns.
pub(crate) fn is_one_at_a_time(lens: &Lens, finding: &Finding) -> bool {
    const NEARLY: f64 = 0.8;
    if finding.cause != Some(Cause::Ordered) {
        return false;
    }
    let waits = lens.sum("omp_ordered_wait", &finding.calls) as f64;
    let around = Around::new(lens, finding).filter(|around| around.threads > 1.0);
    around.is_some_and(|of| waits >= NEARLY * (of.threads - 1.0) * of.lasted)
}

/// The parallel regions of a finding.
struct Around {
    /// Time in each call path and all below it.
    time: IndexVec<CallId, Ticks>,
    /// How long the regions lasted.
    lasted: f64,
    /// Threads in them.
    threads: f64,
}

impl Around {
    fn new(lens: &Lens, finding: &Finding) -> Option<Self> {
        let time = lens.cube.all_inclusive(lens.metric("execution")?);
        let outermost = lens.outermost_parallels();
        let calls = finding.calls.iter().filter_map(|&call| outermost[call]);
        let mut calls: Vec<CallId> = calls.collect();
        calls.sort();
        calls.dedup();
        let lasted = |&call: &CallId| time[call] as f64 / lens.threads_at(&[call]) as f64;
        let lasted = calls.iter().map(lasted).sum();
        let threads = lens.threads_at(&calls) as f64;
        Some(Self { time, lasted, threads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings with a reason of their own, for threads that are inside of a critical region for
    /// this part of 400 ms, and wait there as long.
    fn reasons(inside: i64) -> Vec<(Option<Cause>, bool)> {
        let outside = 400 - 2 * inside;
        let cube = crate::notation::cube(&format!(
            "wall=400 locations=2
             a/parallel@a.c:2                                      *  time={outside} visits=1
             a/parallel@a.c:2/critical@a.c:5                       *  time={inside} visits=9 \
             omp_lock_contention_critical={inside}
             a/parallel@a.c:2/critical@a.c:5/critical sblock@a.c:5  *  time={inside} visits=9"
        ));
        let cube = crate::derive(&cube.unwrap());
        let found = crate::findings(&cube);
        let lens = Lens::new(&cube);
        found.iter().map(|finding| (finding.cause, has_own_reason(&lens, finding))).collect()
    }

    #[test]
    fn a_lock_that_is_in_use_all_the_time_makes_threads_wait_on_any_machine() {
        assert_eq!(reasons(190), [(Some(Cause::Critical), true)]);
        assert_eq!(reasons(40), [(Some(Cause::Critical), false)]);
    }

    /// Three of four threads wait for their turn, which `others` milliseconds of each are not.
    #[test]
    fn turns_are_taken_on_any_number_of_cpus() {
        let is_serial = |others: i64| {
            let (wait, other) = (300 - others, 100 + others);
            let cube = crate::notation::cube(&format!(
                "wall=400 locations=4
                 a/parallel@a.c:2               *  time={other} visits=1
                 a/parallel@a.c:2/ordered@a.c:5  *  time={wait} visits=9 omp_ordered_wait={wait}"
            ));
            let cube = crate::derive(&cube.unwrap());
            let first = crate::findings(&cube).swap_remove(0);
            (first.cause, is_one_at_a_time(&Lens::new(&cube), &first))
        };
        assert_eq!(is_serial(10), (Some(Cause::Ordered), true));
        assert_eq!(is_serial(150), (Some(Cause::Ordered), false));
    }
}
