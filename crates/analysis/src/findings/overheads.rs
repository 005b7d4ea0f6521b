//! Locks, ordered, fork and join, waiting for tasks, task creation and barriers themselves: losses
//! that lie on each thread and shorten the run by what they cost the thread that the others wait
//! for.

use pompeii_model::{CallId, RegionId, Role};

use super::barriers::{divide, owner};
use super::{Advice, AdviceKind, Cause, Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

pub(super) fn detect(search: &mut Search) {
    mutual_exclusion(search, "omp_critical", "omp_lock_contention_critical");
    mutual_exclusion(search, "omp_lock_api", "omp_lock_contention_api");
    mutual_exclusion(search, "omp_ordered", "omp_ordered_wait");
    fork_and_join(search);
    barriers_themselves(search);
    for metric in [
        "omp_taskwait",
        "omp_taskgroup",
        "omp_taskyield",
        "omp_taskloop",
        "omp_task_creation",
        "omp_flush",
    ] {
        for (region, calls) in search.losses(metric) {
            let construct = search.lens.region(calls[0]).construct().to_owned();
            let words = per_visit(&search.lens, metric, &calls);
            report(search, metric, Site { region, construct, metric, calls }, words);
        }
    }
}

fn report(search: &mut Search, name: &'static str, site: Site, words: Words) {
    let lost = search.lens.sum(name, &site.calls);
    let gain = search.on_the_delaying_thread(name, &site.calls);
    search.report(name, site, Loss::new(lost, gain), words);
}

/// How often, and how long each time.
fn per_visit(lens: &Lens, metric: &str, calls: &[CallId]) -> Words {
    let visits = lens.sum("visits", calls).max(1);
    let each = format::seconds(lens.seconds(lens.sum(metric, calls)) / visits as f64);
    let detail = format!("{}, {each} each.", format::counted(visits, "visit"));
    let cause = match metric {
        "omp_taskwait" | "omp_taskgroup" => Some(Cause::TaskwaitInLoop),
        "omp_taskloop" | "omp_task_creation" => Some(Cause::TasksTooSmall),
        _ => None,
    };
    let advice = match metric {
        "omp_taskwait" | "omp_taskgroup" => {
            "Give the waiting task a part of the work, or create fewer and larger tasks."
        }
        "omp_taskyield" => "Yield less often, or use a task dependence instead.",
        "omp_taskloop" => "Choose grainsize or num_tasks: about ten tasks per thread.",
        "omp_flush" => {
            "Use atomic with acquire and release, or a barrier, instead of flags with flush."
        }
        _ => {
            "Create fewer and larger tasks (grainsize), or stop creating them below a size (if, final)."
        }
    };
    Words { cause, details: vec![detail], advice: Advice::none(advice) }
}

/// Waiting for another thread where that is most of the time, else the cost of the lock as well.
fn mutual_exclusion(search: &mut Search, whole: &'static str, contention: &'static str) {
    for (region, calls) in search.losses(whole) {
        let lens = search.lens;
        let (lost, waiting) = (lens.sum(whole, &calls), lens.sum(contention, &calls));
        let metric = if 2 * waiting >= lost { contention } else { whole };
        let visits = lens.sum("visits", &calls).max(1);
        let each = |ticks: i64| format::seconds(lens.seconds(ticks) / visits as f64);
        let visits = format::counted(visits, "visit");
        let mut detail = match (waiting, lens.role(calls[0])) {
            (0, _) => format!("{visits}, {} each", each(lost)),
            (_, Role::Ordered) => format!("{visits}: {} waiting for its turn", each(waiting)),
            _ => format!("{visits}: {} waiting for another thread", each(waiting)),
        };
        let body = inside(&lens, &calls);
        if !body.is_empty() {
            detail += &format!(", {} inside", each(lens.sum("execution", &body)));
        }
        let cause = match lens.role(calls[0]) {
            Role::Atomic => Cause::Atomic,
            Role::Ordered => Cause::Ordered,
            Role::Critical => Cause::Critical,
            _ => Cause::Lock,
        };
        let advice = match lens.role(calls[0]) {
            Role::Atomic => "Collect in private variables, or use reduction.",
            Role::Ordered => {
                "Use small chunks (schedule(static, 1)), or make the ordered part smaller."
            }
            Role::Critical => {
                "Enter less often (private sums, reduction), or make its body shorter."
            }
            _ if waiting == 0 => "Lock less often: do more while the lock is held.",
            _ => "Hold the lock for a shorter time, or use one lock per independent object.",
        };
        let details = [Some(detail + "."), holder(search, &calls)].into_iter().flatten().collect();
        let words = Words { cause: Some(cause), details, advice: Advice::none(advice) };
        let (region, construct) = locked_in(&lens, region, &calls);
        report(search, metric, Site { region, construct, metric, calls }, words);
    }
}

/// What is executed under mutual exclusion.
fn inside(lens: &Lens, calls: &[CallId]) -> Vec<CallId> {
    let is_body =
        |&call: &CallId| matches!(lens.role(call), Role::CriticalBody | Role::OrderedBody);
    let children = calls.iter().flat_map(|&call| lens.cube.calls.children(call)).copied();
    children.filter(is_body).flat_map(|body| lens.cube.calls.subtree(body)).collect()
}

/// Whom most of the waiting was for, where it was for one: it is the one to relieve.
fn holder(search: &Search, calls: &[CallId]) -> Option<String> {
    const MOST: f64 = 0.6;
    let lens = &search.lens;
    let causes = search.waits.causes(calls.iter().copied());
    let all: i64 = causes.iter().map(|cause| cause.ticks).sum();
    let first = causes.first()?;
    let (call, location) = first.by?;
    let share = first.ticks as f64 / all.max(1) as f64;
    let (who, place) = (lens.thread_name(location), format::name_with_place(lens.cube, call));
    let percent = format::percent(share);
    (share >= MOST && lens.threads() > 2)
        .then(|| format!("{percent} of the waiting is for {who} in {place}."))
}

/// A lock routine has no place of its own: the region that calls it has.
fn locked_in(lens: &Lens, region: RegionId, calls: &[CallId]) -> (RegionId, String) {
    let construct = lens.cube.regions[region].construct().to_owned();
    if lens.cube.regions[region].source().is_some() {
        return (region, construct);
    }
    let mut above = calls.iter().flat_map(|&call| lens.cube.calls.ancestors(call));
    let caller = above.find(|&call| lens.region(call).source().is_some());
    (caller.map_or(region, |call| lens.cube.calls.region(call)), construct)
}

/// Fork and join of a region lie on the region and on its final barrier: one finding.
fn fork_and_join(search: &mut Search) {
    let metric = "omp_management";
    let lens = search.lens;
    let lost = search.losses(metric).into_iter().flat_map(|(_, calls)| calls);
    for (region, calls) in grouped(lost, |call| owner(&lens, call).0) {
        let (_, construct, _) = owner(&lens, calls[0]);
        let parallel: Vec<CallId> =
            calls.iter().copied().filter(|&call| lens.role(call) == Role::Parallel).collect();
        let threads = lens.threads_at(&parallel) as i64;
        let forks = (lens.sum("visits", &parallel) / threads.max(1)).max(1);
        let each = lens.seconds(lens.sum(metric, &calls)) / (forks * threads) as f64;
        let (forks, each) = (format::counted(forks, "time"), format::seconds(each));
        let details =
            vec![format!("forked and joined {forks}; each time costs {each} on every thread.")];
        let target = search.lens.cube.regions[region].source().unwrap_or_default();
        let advice = Advice { kind: AdviceKind::Merge, target, value: None };
        let words = Words { cause: Some(Cause::ShortRegions), details, advice };
        report(search, metric, Site { region, construct, metric, calls }, words);
    }
}

/// What barriers cost beyond waiting: arriving, releasing, waking up.
fn barriers_themselves(search: &mut Search) {
    for (_, calls) in search.losses("omp_barrier") {
        let lens = search.lens;
        let (name, waits) = match lens.role(calls[0]) {
            Role::ImplicitBarrier => {
                ("omp_ibarrier", ["omp_ibarrier_wait", "omp_ibarrier_starvation"])
            }
            _ => ("omp_ebarrier", ["omp_ebarrier_wait", "omp_ebarrier_starvation"]),
        };
        let waiting: i64 = waits.iter().map(|metric| lens.sum(metric, &calls)).sum();
        let lost = lens.sum(name, &calls) - waiting;
        let visits = lens.sum("visits", &calls).max(1);
        let each = format::seconds(lens.seconds(lost) / visits as f64);
        let visits = format::counted(visits, "visit");
        let words = Words {
            cause: None,
            details: vec![format!(
                "{visits}; each costs {each} in addition to waiting for late threads."
            )],
            advice: Advice::none("Use fewer barriers: add nowait, or do more work between them."),
        };
        let threads = lens.threads_at(&calls) as i64;
        let (region, construct, _) = owner(&lens, calls[0]);
        let site = Site { region, construct, metric: name, calls };
        search.report(name, site, Loss::new(lost, divide(lost, threads)), words);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;
    use pompeii_model::{CallId, LocationId, Wait};

    #[test]
    fn a_contended_critical_section_costs_what_it_costs_the_late_thread() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                    0  time=10 visits=1
             a/parallel@a.c:2                                    1  time=30 visits=1
             a/parallel@a.c:2/critical (sum)@a.c:5               0  time=40 visits=20 \
             omp_lock_contention_critical=36
             a/parallel@a.c:2/critical (sum)@a.c:5               1  time=20 visits=20 \
             omp_lock_contention_critical=18
             a/parallel@a.c:2/critical (sum)@a.c:5/critical sblock (sum)@a.c:5  *  time=40 visits=20
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=10 omp_ibarrier_wait=2 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=10 omp_ibarrier_wait=1 visits=1 \
             omp_barrier_last=1 omp_barrier_delay=3",
            expect![[r#"
                a.c:5 critical (sum) | omp_lock_contention_critical lost=54 gain=18 (17 to 19)
                    [critical, none]
                    40 visits: 1.4 ms waiting for another thread, 2.0 ms inside.
                    Enter less often (private sums, reduction), or make its body shorter.
                a.c:2 parallel | omp_ibarrier lost=17 gain=9 (8 to 10)
                    [?, none]
                    2 visits; each costs 8.5 ms in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
                a.c:2 parallel | omp_ibarrier_wait lost=3 gain=2 (0 to 3)
                    [imbalance_changing, none]
                    thread 1 arrives last, 1.5 ms after the average.
                    1.0 ms of the loss would vanish with an even spread of the work, 2.0 ms changes from visit to visit.
                    No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
            "#]],
        );
    }

    #[test]
    fn the_thread_that_holds_a_critical_section_is_named() {
        let mut measured = crate::notation::cube(
            "wall=100 locations=3
             a/parallel@a.c:2/f@a.c:3/critical@a.c:5   *    time=90 visits=9
             a/parallel@a.c:2/f@a.c:3/critical@a.c:5   1-2  omp_lock_contention_critical=80",
        )
        .unwrap();
        let critical = CallId(3);
        measured.waits = vec![Wait {
            call: critical,
            location: LocationId(1),
            by: Some((critical, LocationId(0))),
            visits: 9,
            wait_ticks: 80,
            starvation_ticks: 0,
        }];
        let found = super::super::findings(&crate::derive(&measured));
        expect![[r#"
            [
                "27 visits: 5.9 ms waiting for another thread.",
                "100 % of the waiting is for thread 0 in f.",
            ]
        "#]]
        .assert_debug_eq(&found[0].details);
    }

    #[test]
    fn an_ordered_loop_is_as_good_as_serial() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                      0  time=10 visits=1
             a/parallel@a.c:2                                      1  time=10 visits=1
             a/parallel@a.c:2/ordered@a.c:5                        *  time=50 visits=20 \
             omp_ordered_wait=45
             a/parallel@a.c:2/ordered@a.c:5/ordered sblock@a.c:5   *  time=40 visits=20",
            expect![[r#"
                a.c:5 ordered | omp_ordered_wait lost=90 gain=45 (44 to 46)
                    [ordered, none]
                    40 visits: 2.2 ms waiting for its turn, 2.0 ms inside.
                    Use small chunks (schedule(static, 1)), or make the ordered part smaller.
            "#]],
        );
    }

    #[test]
    fn waiting_at_the_end_of_taskgroups() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                          0  time=10 visits=1
             a/parallel@a.c:2                                          1  time=100 visits=1
             a/parallel@a.c:2/taskgroup@a.c:5                          0  time=10 visits=2
             a/parallel@a.c:2/taskgroup@a.c:5/taskgroup end@a.c:9      0  time=80 visits=2",
            expect![[r#"
                a.c:9 taskgroup end | omp_taskgroup lost=80 gain=40 (39 to 41)
                    [taskwait_in_loop, none]
                    2 visits, 40 ms each.
                    Give the waiting task a part of the work, or create fewer and larger tasks.
            "#]],
        );
    }

    #[test]
    fn a_lock_is_placed_at_its_caller() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                          *  time=50 visits=1
             a/parallel@a.c:2/insert@a.c:5             *  time=20 visits=9
             a/parallel@a.c:2/insert@a.c:5/omp_set_lock  *  time=30 visits=9",
            expect![[r#"
                a.c:5 omp_set_lock | omp_lock_api lost=60 gain=30 (29 to 31)
                    [lock, none]
                    18 visits, 3.3 ms each.
                    Lock less often: do more while the lock is held.
            "#]],
        );
    }

    #[test]
    fn many_small_regions() {
        check(
            "wall=1000 locations=2
             a                                         0  time=100
             a/parallel@a.c:2                          *  time=700 omp_management=200 visits=100
             a/parallel@a.c:2/implicit barrier@a.c:9   *  time=200 omp_management=200 visits=100",
            expect![[r#"
                a.c:2 parallel | omp_management lost=800 gain=400 (390 to 410)
                    [short_regions, merge a.c:2]
                    forked and joined 100 times; each time costs 4.0 ms on every thread.
                    Put a.c:2 and the loop around it into one parallel region, or add an if clause.
                ? a | omp_idle_threads lost=100 gain=50 (40 to 60)
                    [serial_part, none]
                    0.10 s run on one thread.
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }
}
