//! Critical sections, locks and ordered constructs: threads that wait for each other there, and the
//! waiting at the next barrier that follows from it (`next_barrier.rs`).

use std::cmp::Reverse;
use std::collections::HashMap;

use pompeii_model::{CallId, LocationId, RegionId, Role, Ticks};

use super::next_barrier::{Barriers, Next, WAITING};
use super::next_lock::{After, Locks};
use super::{Advice, Cause, Gain, Loss, Search, Site, Words, grouped};
use super::{lock_tests, lock_users};
use crate::{Lens, format};

const KINDS: [(&str, &str); 4] = [
    ("omp_critical", "omp_lock_contention_critical"),
    ("omp_lock_api", "omp_lock_contention_api"),
    ("pthread_lock_api", "pthread_lock_contention_mutex_lock"),
    ("omp_ordered", "omp_ordered_wait"),
];

/// To enter and leave what no other thread has had meanwhile takes two atomic instructions, and in
/// cycles two calls and what the estimate of the cost of measuring may be wrong by.
const ENTRY_CYCLES: f64 = 40.0;

pub(super) fn detect(search: &mut Search) {
    let mut barriers = Barriers::new(search);
    lock_tests::detect(search, &mut barriers);
    for (whole, contention) in KINDS {
        mutual_exclusion(search, &mut barriers, (whole, contention));
    }
}

/// Waiting for another thread where that is most of the time, else the cost of the lock as well.
fn mutual_exclusion(
    search: &mut Search,
    barriers: &mut Barriers,
    (whole, contention): (&'static str, &'static str),
) {
    let longest = longest_kept(search);
    let locks = by_lock(search, whole);
    let all = Locks::new(search, &locks, contention);
    for (lock, calls) in locks.iter().enumerate() {
        let lens = search.lens;
        let (lost, waiting) = (lens.sum(whole, calls), lens.sum(contention, calls));
        let measuring = search.costs.as_ref().map_or(0, |costs| costs.inside(calls)).min(lost);
        let metric = if 2 * waiting >= lost - measuring { contention } else { whole };
        let visits = lens.sum("visits", calls).max(1);
        let each = |ticks: i64| format::seconds(lens.seconds(ticks) / visits as f64);
        let visits = format::counted(visits, "visit");
        let mut detail = match (waiting, lens.role(calls[0])) {
            (0, _) => format!("{visits}, {} each", each(lost)),
            (_, Role::Ordered) => format!("{visits}: {} waiting for its turn", each(waiting)),
            _ => format!("{visits}: {} waiting for another thread", each(waiting)),
        };
        if let Some(ticks) = inside(search, calls) {
            detail += &format!(", {} inside", each(ticks));
        }
        let held = lens.held(calls);
        if held > 0 {
            detail += &format!(", {} with the lock", each(held));
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
            _ if metric == whole => "Lock less often: do more while the lock is held.",
            _ => "Hold the lock for a shorter time, or use one lock per independent object.",
        };
        let (region, construct, held) = locked_in(search, &longest, calls);
        let who = held.or_else(|| holder(search, calls));
        let turns = one_at_a_time(&lens, calls, inside(search, calls));
        let details = [Some(detail + "."), turns, who].into_iter().flatten().collect();
        let words = Words { cause: Some(cause), details, advice: Advice::none(advice) };
        let loss = loss(search, barriers, whole, (calls, lock, &all));
        let loss = loss.without(measuring, lens.threads_at(calls) as Ticks, 0.0);
        let loss = if is_free(search, (lost - measuring, waiting), calls) {
            let waited = search.on_the_delaying_thread(contention, calls);
            Loss { gain: loss.gain.map(|gain| gain.at_least_and_about(waited)), ..loss }
        } else {
            loss
        };
        search.claim(whole, calls);
        let site = Site { region, construct, metric, calls: calls.clone() };
        search.report(metric, site, loss, words);
    }
}

/// The call paths with a loss, those of one lock together, the largest loss first: of two locks
/// before one barrier, it is this one that delays the last thread more. Critical regions of the
/// same name exclude each other, wherever they are. Routines are called with different locks;
/// callers that have waited for each other use the same one.
fn by_lock(search: &Search, metric: &'static str) -> Vec<Vec<CallId>> {
    let lens = &search.lens;
    let losses = search.losses(metric).into_iter().flat_map(|(_, calls)| calls);
    let losses: Vec<CallId> = losses.collect();
    let users = lock_users::same_lock(search, &losses);
    // A lock for readers and writers is one lock for both kinds of calls.
    let is_posix = |call: CallId| lens.region(call).pthread_class().is_some();
    let key = |call: CallId| match lens.role(call) {
        Role::Lock if is_posix(call) => Err(("", users.get(&call).copied())),
        Role::Critical => Err((lens.region(call).construct(), None)),
        Role::Lock => Err((lens.region(call).construct(), users.get(&call).copied())),
        _ => Ok(lens.cube.calls.region(call)),
    };
    let locks = grouped(losses.iter().copied(), key).into_iter();
    let mut locks: Vec<Vec<CallId>> = locks.map(|(_, calls)| calls).collect();
    locks.sort_by_key(|calls| Reverse(lens.sum(metric, calls)));
    locks
}

/// Whether threads mostly find the lock free, and have had it last themselves: they wait for less
/// than half of what they lose (the first number; the second one is waiting), and the rest is what
/// an entry costs anyway. Nothing but fewer entries would save this, if that is possible at all.
fn is_free(search: &Search, (lost, waiting): (Ticks, Ticks), calls: &[CallId]) -> bool {
    let lens = &search.lens;
    let entries = lens.sum("visits", calls) as f64;
    let measuring = search.measuring();
    let entry_ns = 2.0 * measuring.of_atomic_ns() + measuring.ns(ENTRY_CYCLES);
    2 * waiting < lost && lens.seconds(lost - waiting) * 1e9 < entries * entry_ns
}

/// Time under mutual exclusion: of code that the profile has, or else from taking a lock to giving
/// it back.
pub(super) fn kept(search: &Search, calls: &[CallId]) -> Ticks {
    inside(search, calls).unwrap_or_else(|| search.lens.held(calls))
}

/// Time under mutual exclusion; `None` if no code is.
fn inside(search: &Search, calls: &[CallId]) -> Option<Ticks> {
    let lens = &search.lens;
    let is_body =
        |&call: &CallId| matches!(lens.role(call), Role::CriticalBody | Role::OrderedBody);
    let children = calls.iter().flat_map(|&call| lens.cube.calls.children(call)).copied();
    children.filter(is_body).map(|body| search.paths.execution[body]).reduce(|a, b| a + b)
}

/// How much of the run the code under mutual exclusion takes: threads cannot share this time, so it
/// decides whether the region itself holds up the run. `inside` is summed over all threads.
fn one_at_a_time(lens: &Lens, calls: &[CallId], inside: Option<Ticks>) -> Option<String> {
    let (system, inside) = (&lens.cube.system, inside?);
    let visits = lens.by_location("visits", calls);
    let entered = |threads: &Vec<LocationId>| threads.iter().any(|&at| visits[at] > 0);
    let processes = system.locations_by_process().into_iter().filter(entered).count();
    let processes = processes.max(1) as Ticks;
    let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
    let all = seconds(inside / processes);
    let run = seconds(lens.cube.wall_ticks);
    let visits = visits.iter().sum::<i64>().max(1);
    let each = format::seconds(lens.seconds(inside) / visits as f64);
    Some(match processes {
        1 => format!(
            "One thread at a time is inside: {} x {each} = {all} of the run's {run}.",
            format::count(visits)
        ),
        _ => format!(
            "In each process one thread at a time is inside: {all} on average of the run's \
             {run}."
        ),
    })
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

/// Of the critical regions of each name, the one that keeps the lock longest in all: this one is to
/// be relieved, since at others threads may only wait.
fn longest_kept<'a>(search: &Search<'a>) -> HashMap<&'a str, RegionId> {
    let cube = search.lens.cube;
    let mut longest: HashMap<&str, (Ticks, RegionId)> = HashMap::new();
    for (id, region) in cube.regions.enumerated().filter(|(_, r)| r.role == Role::Critical) {
        let kept = inside(search, &search.paths.by_region[id]).unwrap_or(0);
        let known = longest.entry(region.construct()).or_insert((kept, id));
        if kept > known.0 {
            *known = (kept, id);
        }
    }
    longest.into_iter().map(|(name, (_, id))| (name, id)).collect()
}

/// Where the lock is kept, with a sentence if others use it elsewhere. For a lock routine this is
/// the code that calls it.
fn locked_in(
    search: &Search,
    longest: &HashMap<&str, RegionId>,
    calls: &[CallId],
) -> (RegionId, String, Option<String>) {
    let lens = &search.lens;
    let region = lens.cube.calls.region(calls[0]);
    let construct = lens.region(calls[0]).construct();
    let kept = longest.get(construct).copied().unwrap_or(region);
    let is_lock = lens.role(calls[0]) == Role::Lock;
    let user = if is_lock { lock_users::longest(search, calls) } else { None };
    let (user, share) = user.map_or((kept, None), |(user, share)| (user, share));
    let called = &lens.cube.regions[user];
    let construct = called.pthread_class().map_or(construct, |_| called.construct());
    let several = share.filter(|share| *share < 1.0);
    let sentence = several.map(|share| {
        let (percent, name) = (format::percent(share), lens.cube.regions[user].label());
        format!("{percent} of the time with the lock is in {name}.")
    });
    (user, construct.to_owned(), sentence)
}

/// What is lost at the entries and by waiting that follows from them, and what the run would be
/// shorter by. Explained waiting is claimed.
pub(super) fn loss(
    search: &mut Search,
    barriers: &mut Barriers,
    metric: &'static str,
    (calls, lock, all): (&[CallId], usize, &Locks),
) -> Loss {
    let lens = search.lens;
    let mut lost = lens.sum(metric, calls);
    let mut gains = Gain::about(0);
    let outermost = |call| search.paths.outermost_parallel[call];
    for (parallel, calls) in grouped(calls.iter().copied(), outermost) {
        let own = lens.by_location(metric, &calls);
        let entries = lens.sum("visits", &calls);
        let found = parallel.and_then(|of| barriers.next(of, &own, entries).map(|next| (of, next)));
        let gain = match found {
            Some((_, Next { gain, explained: None })) => gain,
            Some((parallel, Next { gain, explained: Some((waiting, barrier)) })) => {
                lost += waiting;
                WAITING.iter().for_each(|metric| search.claim(metric, &barrier));
                let after = After { parallel, lock, barrier: &barrier };
                gain.less(all.wait_instead(search, &after))
            }
            None => Gain::about(search.on_the_delaying_thread(metric, &calls)),
        };
        gains = gains + gain;
    }
    Loss { lost, gain: Some(gains) }
}

#[cfg(test)]
mod tests {
    use super::super::{check, check_with_waits};
    use expect_test::expect;
    use pompeii_model::{CallId, LocationId, Wait};

    /// Each of four threads is inside for 57 ms, one after the other.
    #[test]
    fn a_barrier_after_a_critical_section_is_a_consequence() {
        check(
            "wall=300 locations=4
             a/parallel@a.c:2                           *  time=72 visits=1
             a/parallel@a.c:2/critical@a.c:5            0  visits=1
             a/parallel@a.c:2/critical@a.c:5            1  time=57 visits=1 \
             omp_lock_contention_critical=57
             a/parallel@a.c:2/critical@a.c:5            2  time=114 visits=1 \
             omp_lock_contention_critical=114
             a/parallel@a.c:2/critical@a.c:5            3  time=171 visits=1 \
             omp_lock_contention_critical=171
             a/parallel@a.c:2/critical@a.c:5/critical sblock@a.c:5  *  time=57 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=171 omp_ibarrier_wait=171 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=114 omp_ibarrier_wait=114 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  2  time=57 omp_ibarrier_wait=57 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  3  visits=1 omp_barrier_last=1",
            expect![[r#"
                a.c:5 critical | omp_lock_contention_critical lost=684 gain=171 (143 to 199)
                    [critical, none]
                    4 visits: 86 ms waiting for another thread, 57 ms inside.
                    One thread at a time is inside: 4 x 57 ms = 0.23 s of the run's 0.30 s.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
    }

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
                a.c:5 critical (sum) | omp_lock_contention_critical lost=60 gain=21 (17 to 34)
                    [critical, none]
                    40 visits: 1.4 ms waiting for another thread, 2.0 ms inside.
                    One thread at a time is inside: 40 x 2.0 ms = 80 ms of the run's 0.10 s.
                    Enter less often (private sums, reduction), or make its body shorter.
                a.c:2 parallel | omp_ibarrier lost=17 gain=9 (7 to 11)
                    [?, none]
                    2 visits; each costs 8.5 ms in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
                a.c:2 parallel | omp_ibarrier_wait lost=3 gain=?
                    [imbalance_changing, none]
                    Thread 1 arrives last, 1.5 ms after the average.
                    1.0 ms of the loss would vanish with an even spread of the work, 2.0 ms changes from visit to visit.
                    Threads with the same work differ by as much.
                    Measure a longer run: there are too few visits to tell which thread has more work.
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

    /// Both are the unnamed lock; one keeps it, and the others wait at the other.
    #[test]
    fn the_critical_section_that_keeps_the_lock_is_named() {
        check(
            "wall=300 locations=3
             a/parallel@a.c:2                                *    visits=1
             a/parallel@a.c:2/critical@a.c:28                1-2  time=200 visits=20 \
             omp_lock_contention_critical=190
             a/parallel@a.c:2/critical@a.c:28/critical sblock@a.c:28  1-2  time=10 visits=20
             a/parallel@a.c:2/work@a.c:40                    1-2  time=90 visits=20
             a/parallel@a.c:2/critical@a.c:17                0    time=10 visits=20 \
             omp_lock_contention_critical=5
             a/parallel@a.c:2/critical@a.c:17/critical sblock@a.c:17  0    time=290 visits=20",
            expect![[r#"
                a.c:17 critical | omp_lock_contention_critical lost=410 gain=137 (114 to 160)
                    [critical, none]
                    60 visits: 6.4 ms waiting for another thread, 5.2 ms inside.
                    One thread at a time is inside: 60 x 5.2 ms = 0.31 s of the run's 0.30 s.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
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
                a.c:5 ordered | omp_ordered_wait lost=100 gain=50 (42 to 58)
                    [ordered, none]
                    40 visits: 2.2 ms waiting for its turn, 2.0 ms inside.
                    One thread at a time is inside: 40 x 2.0 ms = 80 ms of the run's 0.10 s.
                    Use small chunks (schedule(static, 1)), or make the ordered part smaller.
            "#]],
        );
    }

    /// Each entry takes 15 ns: no thread has had the lock meanwhile.
    #[test]
    fn a_lock_that_threads_find_free_is_no_gain() {
        check(
            "wall=100000 locations=2 clock=1000000
             a/parallel@a.c:2                          *  time=90000 visits=1
             a/parallel@a.c:2/insert@a.c:5             *  time=7000 visits=9
             a/parallel@a.c:2/insert@a.c:5/omp_set_lock  *  time=3000 visits=200000 \
             omp_lock_contention_api=300",
            expect![[r#"
                a.c:5 omp_set_lock | omp_lock_api lost=6000 gain=300 (225 to 950)
                    [lock, none]
                    400,000 visits: 1.5 ns waiting for another thread.
                    Lock less often: do more while the lock is held.
            "#]],
        );
    }

    /// Three threads want the mutex that the first one holds for 80 ms.
    #[test]
    fn a_mutex_is_placed_where_it_is_held() {
        check_with_waits(
            "wall=100 locations=4
             a                                        0    time=100
             a/refill@a.c:21                          1    time=100 visits=1
             a/refill@a.c:21/pthread_mutex_lock@a.c:22  1  visits=1 pthread_lock_held=80
             a/take@a.c:11                            2-3  time=20 visits=1
             a/take@a.c:11/pthread_mutex_lock@a.c:13  2-3  time=80 visits=9 \
             pthread_lock_contention_mutex_lock=80 pthread_lock_held=1",
            &[
                ("take/pthread_mutex_lock@a.c:13", 2, "refill/pthread_mutex_lock@a.c:22", 1, 80),
                ("take/pthread_mutex_lock@a.c:13", 3, "refill/pthread_mutex_lock@a.c:22", 1, 80),
            ],
            expect![[r#"
                a.c:22 pthread_mutex_lock | pthread_lock_contention_mutex_lock lost=160 gain=40 (33 to 47)
                    [lock, none]
                    18 visits: 8.9 ms waiting for another thread, 111 µs with the lock.
                    100 % of the waiting is for thread 1 in refill.
                    Hold the lock for a shorter time, or use one lock per independent object.
            "#]],
        );
    }

    /// A writer waits for a reader, and a reader for the writer: it is one lock.
    #[test]
    fn readers_and_writers_have_one_lock() {
        check_with_waits(
            "wall=100 locations=3
             a                                          0    time=100
             a/read@a.c:21                              1    time=80 visits=1
             a/read@a.c:21/pthread_rwlock_rdlock@a.c:22  1  time=20 visits=9 \
             pthread_lock_contention_mutex_lock=20 pthread_lock_held=70
             a/write@a.c:11                             2    time=30 visits=1
             a/write@a.c:11/pthread_rwlock_wrlock@a.c:13  2  time=70 visits=9 \
             pthread_lock_contention_mutex_lock=70 pthread_lock_held=20",
            &[
                ("pthread_rwlock_wrlock@a.c:13", 2, "pthread_rwlock_rdlock@a.c:22", 1, 70),
                ("pthread_rwlock_rdlock@a.c:22", 1, "pthread_rwlock_wrlock@a.c:13", 2, 20),
            ],
            expect![[r#"
                a.c:22 pthread_rwlock_rdlock | pthread_lock_contention_mutex_lock lost=90 gain=30 (25 to 35)
                    [lock, none]
                    18 visits: 5.0 ms waiting for another thread, 5.0 ms with the lock.
                    78 % of the time with the lock is in pthread_rwlock_rdlock a.c:22.
                    Hold the lock for a shorter time, or use one lock per independent object.
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
                a.c:5 omp_set_lock | omp_lock_api lost=60 gain=30 (25 to 35)
                    [lock, none]
                    18 visits, 3.3 ms each.
                    Lock less often: do more while the lock is held.
            "#]],
        );
    }
}
