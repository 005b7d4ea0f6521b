//! Threads of POSIX and C++ that wait for each other at barriers, for the ends of threads, and for
//! conditions and semaphores. Each function's call site is a finding, which names the thread that
//! was waited for and what this thread did (`thread_work.rs`). Mutexes are in `locks.rs`.
//!
//! Waiting for a condition is often waiting for work. Then the cause is the thread that makes the
//! work, or there is none, and the condition itself is no problem. Therefore the gain is not known.

use pompeii_model::{CallId, LocationId, PthreadClass, RegionId, Ticks};

use super::imbalance::Parts;
use super::sets::Sets;
use super::thread_work::Work;
use super::{Advice, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

/// A thread that is waited for is named if this share of the waiting is for it.
const NAMED_SHARE: f64 = 0.1;
/// Threads that are named.
const NAMED: usize = 2;
/// A finding says how much waiting has no known cause, from this share of its waiting on.
const UNKNOWN_SHARE: f64 = 0.1;
/// A thread that works for less than this share of the time for which others wait for it is not
/// what they wait for: it waits itself.
const WORKS_SHARE: f64 = 0.5;

/// What threads lose that have ended while another one waits for further ones.
const IDLE: &str = "omp_idle_threads";

pub(super) fn detect(search: &mut Search) {
    if search.lens.total("pthread_synchronization") == 0 {
        return;
    }
    let work = Work::new(&search.lens);
    for (class, metric) in [
        (PthreadClass::Barrier, "pthread_barrier"),
        (PthreadClass::Join, "pthread_join"),
        (PthreadClass::Condition, "pthread_conditional"),
    ] {
        let losses = search.losses(metric).into_iter();
        // Signals take time, too, but do not wait.
        let waits =
            |(region, _): &(RegionId, _)| search.lens.cube.regions[*region].waits_for_thread();
        let sites: Vec<(RegionId, Vec<CallId>)> = losses.filter(waits).collect();
        let sites = match class {
            PthreadClass::Barrier => same_barrier(search, sites),
            _ => sites,
        };
        for (region, calls) in sites {
            let waiting = Waiting::new(search, metric, region, calls);
            let (loss, words) = match class {
                PthreadClass::Barrier => waiting.at_barrier(search, &work),
                PthreadClass::Join => waiting.for_end(search, &work),
                _ => waiting.for_signal(search, &work),
            };
            search.claim(metric, &waiting.site.calls);
            if class == PthreadClass::Join {
                search.claim(IDLE, &waiting.site.calls);
            }
            search.report(metric, waiting.site, loss, words);
        }
    }
}

/// The sites of one barrier together, at the one with the longest waiting. Which barrier a function
/// is called with is not known; but it is known for whom a thread has waited there, and this thread
/// has called the function for the same barrier next.
fn same_barrier(
    search: &Search,
    sites: Vec<(RegionId, Vec<CallId>)>,
) -> Vec<(RegionId, Vec<CallId>)> {
    let lens = &search.lens;
    let tree = &lens.cube.calls;
    let mut same = Sets::new();
    for (region, calls) in &sites {
        for ((around, _), _) in search.waits.enders(calls) {
            let is_barrier =
                |call: &&CallId| lens.region(**call).pthread_class() == Some(PthreadClass::Barrier);
            for &call in tree.children(around).iter().filter(is_barrier) {
                same.join(*region, tree.region(call));
            }
        }
    }
    let all =
        sites.into_iter().flat_map(|(region, calls)| calls.into_iter().map(move |c| (region, c)));
    let barriers = grouped(all, |(region, _)| same.first(region)).into_iter();
    let together = |(_, all): (RegionId, Vec<(RegionId, CallId)>)| {
        let longest = all.iter().max_by_key(|(_, call)| lens.own("pthread_barrier", *call));
        let region = longest.map_or(all[0].0, |(region, _)| *region);
        (region, all.into_iter().map(|(_, call)| call).collect())
    };
    barriers.map(together).collect()
}

/// Waiting in one call site.
struct Waiting {
    site: Site,
    lost: Ticks,
    /// What was waited for, with the call that ended the waiting if there is one, the largest
    /// first.
    causes: Vec<Caused>,
}

/// Where the thread was that was waited for, and for how long.
type Caused = ((CallId, LocationId), Ticks);

impl Waiting {
    fn new(search: &Search, metric: &'static str, region: RegionId, calls: Vec<CallId>) -> Self {
        let lens = &search.lens;
        let causes = search.waits.enders(&calls);
        let construct = lens.cube.regions[region].construct().to_owned();
        let lost = lens.sum(metric, &calls);
        Self { site: Site { region, construct, metric, calls }, lost, causes }
    }

    /// All threads of a process wait for the last one of each round.
    fn at_barrier(&self, search: &Search, work: &Work) -> (Loss, Words) {
        let lens = &search.lens;
        let times = lens.by_location(self.site.metric, &self.site.calls);
        let teams = lens.teams_at(&self.site.calls);
        let waits = |team: &Vec<LocationId>| team.iter().map(|&at| times[at]).collect();
        let parts = Parts::of_teams(teams.iter().map(waits));
        let steady = |team: &Vec<LocationId>| Parts::new(&waits(team)).map_or(0, Parts::steady);
        let is_steady = 2 * parts.steady() >= parts.sum;
        let (cause, advice, gain) = match is_steady {
            true => (
                Cause::ImbalanceSteady,
                "Give each thread the same amount of work before the barrier.",
                parts.redistributed(),
            ),
            false => (
                Cause::ImbalanceChanging,
                "Meet at fewer barriers, or divide the work of each round into small parts that \
                 threads take when they are free.",
                parts.balanced(),
            ),
        };
        let mut details = vec![self.visits(lens)];
        details.extend(self.by_thread(lens));
        if let Some(team) = teams.iter().max_by_key(|team| steady(team)).filter(|_| is_steady)
            && let Some(&late) = team.iter().min_by_key(|&&at| times[at])
        {
            details.extend(work.more_than_others(lens, late, team));
        }
        let words = Words { cause: Some(cause), details, advice: Advice::none(advice) };
        (Loss { lost: self.lost, gain: Some(gain) }, words)
    }

    /// A thread waits for the ends of others. If these have the same function, they could have the
    /// same work, and then all would end at the same time.
    fn for_end(&self, search: &Search, work: &Work) -> (Loss, Words) {
        let lens = &search.lens;
        let (calls, ended): (Vec<CallId>, Vec<LocationId>) =
            self.causes.iter().map(|&(by, _)| by).unzip();
        let is_same = calls
            .iter()
            .all(|&call| lens.cube.calls.region(call) == lens.cube.calls.region(calls[0]));
        let shares = if is_same && ended.len() > 1 { work.imbalance(&ended) } else { None };
        let mut details = vec![self.visits(lens)];
        details.extend(self.by_thread(lens));
        let late = ended.iter().copied().max_by_key(|&at| (work.ticks(at), at));
        details.extend(late.map(|late| work.sentence(lens, late)));
        let is_balanced = shares.is_some_and(|(_, excess)| !is_much(excess, self.lost));
        let is_waiting = late.is_some_and(|late| !works(work, late, self.lost));
        details.extend(late.filter(|_| is_waiting).and_then(|late| work.own_waiting(lens, late)));
        let (cause, advice) = match shares {
            _ if is_waiting => (None, "Look at what these threads wait for themselves."),
            _ if is_balanced => (None, "Let the thread that waits do a part of the work."),
            Some(_) => (Some(Cause::ImbalanceSteady), "Give each thread the same amount of work."),
            None => (
                None,
                "Let the thread that waits do a part of the work, or divide the work of the other \
                 thread among several threads.",
            ),
        };
        if let Some((late, excess)) = shares.filter(|_| !is_balanced && !is_waiting) {
            let (late, more) = (lens.thread_name(late), format::seconds(lens.seconds(excess)));
            let threads = ended.len();
            details.push(format!(
                "{late} works {more} longer than the average of these {threads} threads."
            ));
        }
        let idle = lens.sum(IDLE, &self.site.calls);
        if is_much(idle, self.lost) {
            let idle = format::seconds(lens.seconds(idle));
            details.push(format!("Threads that have ended are idle for {idle} meanwhile."));
        }
        // Threads that wait themselves end earlier if what they wait for is repaired.
        let gain = match is_waiting {
            true => Some(Gain::about(0)),
            false => shares.map(|(_, excess)| Gain::about(excess)),
        };
        let words = Words { cause, details, advice: Advice::none(advice) };
        (Loss { lost: self.lost + idle, gain }, words)
    }

    /// A thread waits until another one signals the condition, or posts the semaphore.
    fn for_signal(&self, search: &Search, work: &Work) -> (Loss, Words) {
        let lens = &search.lens;
        let mut details = vec![self.visits(lens)];
        details.extend(self.by_signal(lens));
        let mut advice =
            "Look in the source for the thread that signals here: can it do so earlier?";
        if let Some(&((_, by), ticks)) = self.causes.first() {
            details.push(work.sentence(lens, by));
            let waiting = lens.threads_at(&self.site.calls).max(1) as Ticks;
            advice = match works(work, by, ticks / waiting) {
                true => {
                    "The waiting threads have no work until this thread signals. Let it signal \
                     earlier, or divide its work among the threads that wait."
                }
                false => {
                    details.extend(work.own_waiting(lens, by));
                    "There was no work meanwhile, because the thread that signals waits itself. \
                     Nothing is to be changed at this call: look at what that thread waits for."
                }
            };
        }
        details.extend(self.unknown(lens));
        let words = Words { cause: None, details, advice: Advice::none(advice) };
        (Loss { lost: self.lost, gain: None }, words)
    }

    fn visits(&self, lens: &Lens) -> String {
        let visits = lens.sum("visits", &self.site.calls).max(1);
        let each = format::seconds(lens.seconds(self.lost) / visits as f64);
        format!("{}, {each} of waiting each.", format::counted(visits, "visit"))
    }

    fn share(&self, ticks: Ticks) -> f64 {
        ticks as f64 / self.lost.max(1) as f64
    }

    /// The threads that most of the waiting was for.
    fn by_thread(&self, lens: &Lens) -> Option<String> {
        let threads = grouped(self.causes.iter().copied(), |((_, by), _)| by).into_iter();
        let sum = |(by, causes): (LocationId, Vec<Caused>)| {
            (by, causes.iter().map(|&(_, ticks)| ticks).sum::<Ticks>())
        };
        let mut sums: Vec<(LocationId, Ticks)> = threads.map(sum).collect();
        sums.sort_by_key(|&(by, ticks)| (-ticks, by));
        let is_large = |&&(_, ticks): &&(LocationId, Ticks)| self.share(ticks) >= NAMED_SHARE;
        let name = |&(by, ticks): &(LocationId, Ticks)| {
            format!("{} ({})", lens.thread_name(by), format::percent(self.share(ticks)))
        };
        let names: Vec<String> = sums.iter().filter(is_large).take(NAMED).map(name).collect();
        (!names.is_empty()).then(|| format!("Most of the waiting is for {}.", names.join(" and ")))
    }

    /// The calls that ended most of the waiting.
    fn by_signal(&self, lens: &Lens) -> Option<String> {
        let name = |&((call, by), ticks): &Caused| {
            let (share, by) = (format::percent(self.share(ticks)), lens.thread_name(by));
            format!("{by} in {} ({share})", format::name_with_place(lens.cube, call))
        };
        let is_large = |&&(_, ticks): &&Caused| self.share(ticks) >= NAMED_SHARE;
        let large = self.causes.iter().filter(is_large).take(NAMED);
        let names: Vec<String> = large.map(name).collect();
        let said = || format!("Most of the waiting is ended by {}.", names.join(" and "));
        (!names.is_empty()).then(said)
    }

    fn unknown(&self, lens: &Lens) -> Option<String> {
        let known: Ticks = self.causes.iter().map(|&(_, ticks)| ticks).sum();
        let unknown = (self.lost - known).max(0);
        (self.share(unknown) >= UNKNOWN_SHARE).then(|| {
            let seconds = format::seconds(lens.seconds(unknown));
            format!(
                "For {seconds} it is not known who ended the waiting: a time limit, for example, or \
                 a thread that had the mutex after the signal."
            )
        })
    }
}

/// Whether a thread works for most of the time for which another one waits for it.
fn works(work: &Work, by: LocationId, waiting: Ticks) -> bool {
    work.ticks(by) as f64 >= WORKS_SHARE * waiting as f64
}

/// Whether a difference is worth a word next to the waiting.
fn is_much(excess: Ticks, lost: Ticks) -> bool {
    10 * excess >= lost
}

#[cfg(test)]
mod tests {
    use super::super::{check, check_with_waits};
    use expect_test::expect;

    /// Two rounds: thread 2 computes 30 ms more than the two others.
    #[test]
    fn the_thread_that_comes_last_to_a_barrier_is_named() {
        check_with_waits(
            "wall=100 locations=4
             a                                       0    time=100
             a/work@a.c:10                           1-2  time=50 visits=1
             a/work@a.c:10                           3    time=80 visits=1
             a/work@a.c:10/pthread_barrier_wait@a.c:12  1-2  time=30 visits=9
             a/work@a.c:10/pthread_barrier_wait@a.c:12  3    visits=9",
            &[
                ("work/pthread_barrier_wait", 1, "work", 3, 30),
                ("work/pthread_barrier_wait", 2, "work", 3, 30),
            ],
            expect![[r#"
                a.c:12 pthread_barrier_wait | pthread_barrier lost=60 gain=20 (16 to 24)
                    [imbalance_steady, none]
                    27 visits, 2.2 ms of waiting each.
                    Most of the waiting is for thread 3 (100 %).
                    Thread 3 works 20 ms longer than the average in work.
                    Give each thread the same amount of work before the barrier.
                ? a | omp_idle_threads lost=60 gain=15 (12 to 18)
                    [serial_part, none]
                    20 ms run on one thread.
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// The late thread calls the barrier at another place, where it does not wait.
    #[test]
    fn a_barrier_may_be_called_at_several_places() {
        check_with_waits(
            "wall=100 locations=3
             a                                       0    time=100
             a/early@a.c:10                          1    time=60 visits=1
             a/early@a.c:10/pthread_barrier_wait@a.c:12  1  time=40 visits=9
             a/late@a.c:20                           2    time=99 visits=1
             a/late@a.c:20/pthread_barrier_wait@a.c:22  2  time=1 visits=9",
            &[("early/pthread_barrier_wait", 1, "late", 2, 40)],
            expect![[r#"
                a.c:12 pthread_barrier_wait | pthread_barrier lost=41 gain=14 (11 to 17)
                    [imbalance_steady, none]
                    18 visits, 2.3 ms of waiting each.
                    Most of the waiting is for thread 2 (98 %).
                    Thread 2 works 50 ms longer than the average in late.
                    Give each thread the same amount of work before the barrier.
            "#]],
        );
    }

    /// Main waits for threads that wait for a mutex.
    #[test]
    fn threads_that_wait_themselves_are_no_reason_to_change_the_join() {
        check_with_waits(
            "wall=100 locations=3
             a                             0    time=10
             a/pthread_join@a.c:30         0    time=90 visits=2
             a/work@a.c:10                 1-2  time=20 visits=1
             a/work@a.c:10/sem_wait@a.c:13  1-2  time=70 visits=1",
            &[("a/pthread_join", 0, "work", 1, 90)],
            expect![[r#"
                a.c:13 sem_wait | pthread_conditional lost=140 gain=?
                    [?, none]
                    2 visits, 70 ms of waiting each.
                    For 0.14 s it is not known who ended the waiting: a time limit, for example, or a thread that had the mutex after the signal.
                    Look in the source for the thread that signals here: can it do so earlier?
                ? a | omp_idle_threads lost=20 gain=7 (5 to 9)
                    [serial_part, none]
                    10 ms run on one thread.
                    Mark regions with `omp inst begin(name)` to see which code this is.
                a.c:30 pthread_join | pthread_join lost=90 gain=0 (0 to 0)
                    [?, none]
                    2 visits, 45 ms of waiting each.
                    Most of the waiting is for thread 1 (100 %).
                    Thread 1 works for 20 ms of the run's 0.10 s: work (20 ms).
                    Thread 1 waits for other threads in sem_wait a.c:13 (70 ms).
                    Look at what these threads wait for themselves.
            "#]],
        );
    }

    /// Each of three threads is the last one in turn.
    #[test]
    fn a_barrier_whose_last_thread_changes_has_no_late_thread() {
        check(
            "wall=100 locations=4
             a                                       0    time=100
             a/work@a.c:10                           1-3  time=60 visits=1
             a/work@a.c:10/pthread_barrier_wait@a.c:12  1-2  time=20 visits=9
             a/work@a.c:10/pthread_barrier_wait@a.c:12  3  time=18 visits=9",
            expect![[r#"
                a.c:12 pthread_barrier_wait | pthread_barrier lost=58 gain=19 (11 to 22)
                    [imbalance_changing, none]
                    27 visits, 2.1 ms of waiting each.
                    Meet at fewer barriers, or divide the work of each round into small parts that threads take when they are free.
                ? a | omp_idle_threads lost=62 gain=16 (13 to 19)
                    [serial_part, none]
                    21 ms run on one thread.
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// The last of three threads has most of the work.
    #[test]
    fn the_thread_whose_end_is_waited_for_is_named() {
        check_with_waits(
            "wall=100 locations=4
             a                             0    time=10
             a/pthread_join@a.c:30         0    time=90 visits=3
             a/work@a.c:10                 1-2  time=30 visits=1
             a/work@a.c:10                 3    time=90 visits=1",
            &[
                ("a/pthread_join", 0, "work", 1, 30),
                ("a/pthread_join", 0, "work", 3, 60),
                ("a/pthread_join", 0, "work", 2, 0),
            ],
            expect![[r#"
                a.c:30 pthread_join | pthread_join lost=210 gain=40 (33 to 47)
                    [imbalance_steady, none]
                    3 visits, 30 ms of waiting each.
                    Most of the waiting is for thread 3 (67 %) and thread 1 (33 %).
                    Thread 3 works for 90 ms of the run's 0.10 s: work (90 ms).
                    Thread 3 works 40 ms longer than the average of these 3 threads.
                    Threads that have ended are idle for 0.12 s meanwhile.
                    Give each thread the same amount of work.
                ? a | omp_idle_threads lost=30 gain=8 (6 to 10)
                    [serial_part, none]
                    10 ms run on one thread.
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// Threads with the same work end together: the thread that waits loses its time, but the run
    /// would not be shorter.
    #[test]
    fn balanced_threads_are_no_gain() {
        check_with_waits(
            "wall=100 locations=3
             a                             0    time=10
             a/pthread_join@a.c:30         0    time=90 visits=2
             a/work@a.c:10                 1-2  time=90 visits=1",
            &[("a/pthread_join", 0, "work", 1, 89), ("a/pthread_join", 0, "work", 2, 1)],
            expect![[r#"
                ? a | omp_idle_threads lost=20 gain=7 (5 to 9)
                    [serial_part, none]
                    10 ms run on one thread.
                    Mark regions with `omp inst begin(name)` to see which code this is.
                a.c:30 pthread_join | pthread_join lost=90 gain=0 (0 to 0)
                    [?, none]
                    2 visits, 45 ms of waiting each.
                    Most of the waiting is for thread 1 (99 %).
                    Thread 2 works for 90 ms of the run's 0.10 s: work (90 ms).
                    Let the thread that waits do a part of the work.
            "#]],
        );
    }

    /// Two threads wait for work that the third one makes in `sort`.
    #[test]
    fn who_signals_late_is_named_with_its_work() {
        check_with_waits(
            "wall=100 locations=4
             a                                     0    time=100
             a/fill@a.c:20                         1    time=20 visits=1
             a/fill@a.c:20/sort@a.c:25             1    time=80 visits=1
             a/fill@a.c:20/pthread_cond_signal@a.c:29  1  visits=9
             a/take@a.c:10                         2-3  time=40 visits=1
             a/take@a.c:10/pthread_cond_wait@a.c:12  2-3  time=60 visits=9",
            &[
                ("take/pthread_cond_wait", 2, "fill/pthread_cond_signal", 1, 60),
                ("take/pthread_cond_wait", 3, "fill/pthread_cond_signal", 1, 40),
            ],
            expect![[r#"
                a.c:12 pthread_cond_wait | pthread_conditional lost=120 gain=?
                    [?, none]
                    18 visits, 6.7 ms of waiting each.
                    Most of the waiting is ended by thread 1 in pthread_cond_signal a.c:29 (83 %).
                    Thread 1 works for 0.10 s of the run's 0.10 s: sort (80 ms) and fill (20 ms).
                    For 20 ms it is not known who ended the waiting: a time limit, for example, or a thread that had the mutex after the signal.
                    The waiting threads have no work until this thread signals. Let it signal earlier, or divide its work among the threads that wait.
            "#]],
        );
    }

    /// The thread that signals waits itself for 96 ms: there is no work.
    #[test]
    fn waiting_without_work_is_not_the_fault_of_the_condition() {
        check_with_waits(
            "wall=100 locations=3
             a                                     0    time=100
             a/fill@a.c:20                         1    time=4 visits=1
             a/fill@a.c:20/sem_wait@a.c:22         1    time=96 visits=9
             a/fill@a.c:20/pthread_cond_signal@a.c:29  1  visits=9
             a/take@a.c:10                         2    time=10 visits=1
             a/take@a.c:10/pthread_cond_wait@a.c:12  2  time=90 visits=9",
            &[("take/pthread_cond_wait", 2, "fill/pthread_cond_signal", 1, 90)],
            expect![[r#"
                a.c:22 sem_wait | pthread_conditional lost=96 gain=?
                    [?, none]
                    9 visits, 11 ms of waiting each.
                    For 96 ms it is not known who ended the waiting: a time limit, for example, or a thread that had the mutex after the signal.
                    Look in the source for the thread that signals here: can it do so earlier?
                a.c:12 pthread_cond_wait | pthread_conditional lost=90 gain=?
                    [?, none]
                    9 visits, 10 ms of waiting each.
                    Most of the waiting is ended by thread 1 in pthread_cond_signal a.c:29 (100 %).
                    Thread 1 works for 4.0 ms of the run's 0.10 s: fill (4.0 ms).
                    Thread 1 waits for other threads in sem_wait a.c:22 (96 ms).
                    There was no work meanwhile, because the thread that signals waits itself. Nothing is to be changed at this call: look at what that thread waits for.
            "#]],
        );
    }
}
