//! Waiting at barriers, named by the construct that the barrier belongs to: who arrives last, by
//! how much, and in which code it is slower than the others.

use std::cmp::Reverse;

use pompeii_model::{CallId, Id, LocationId, RegionId, Role};

use super::{Loss, Search, Site, Words, largest_share};
use crate::{Lens, format};

/// A thread that is last this often is the reason; below, the late thread changes.
const ALWAYS_THE_SAME: f64 = 0.6;

pub(super) fn detect(search: &mut Search) {
    for metric in ["omp_ibarrier_wait", "omp_ebarrier_wait"] {
        for (region, calls) in search.losses(metric) {
            waiting(search, metric, region, calls);
        }
    }
    for metric in ["omp_ibarrier_starvation", "omp_ebarrier_starvation"] {
        for (_, calls) in search.losses(metric) {
            starving(search, metric, calls);
        }
    }
}

/// The construct that a barrier belongs to: its region, its words, and its call path. An explicit
/// barrier is one itself.
pub(super) fn owner(lens: &Lens, barrier: CallId) -> (RegionId, String, CallId) {
    let calls = &lens.cube.calls;
    let own = (calls.region(barrier), lens.region(barrier).construct().to_owned(), barrier);
    let Some(parent) = calls.parent(barrier) else { return own };
    if lens.role(barrier) != Role::ImplicitBarrier || !is_construct(lens.role(parent)) {
        return own;
    }
    // A combined construct is measured as its two halves, which begin on one line.
    let same_line = |&other: &CallId| {
        let (a, b) = (lens.region(other), lens.region(parent));
        a.begin_line == b.begin_line && a.file == b.file
    };
    let half = |&child: &CallId| is_worksharing(lens.role(child)) && same_line(&child);
    let word = lens.region(parent).construct();
    let inner = calls.children(parent).iter().copied().find(half);
    let outer = calls.parent(parent).filter(|&p| lens.role(p) == Role::Parallel && same_line(&p));
    let construct = match (lens.role(parent), inner, outer) {
        (Role::Parallel, Some(inner), _) => format!("parallel {}", lens.region(inner).construct()),
        (Role::Parallel, None, _) => word.to_owned(),
        (_, _, Some(_)) => format!("parallel {word}"),
        _ => word.to_owned(),
    };
    (calls.region(parent), construct, parent)
}

fn is_worksharing(role: Role) -> bool {
    matches!(role, Role::Loop | Role::Sections | Role::Workshare)
}

fn is_construct(role: Role) -> bool {
    is_worksharing(role) || matches!(role, Role::Parallel | Role::Single)
}

fn waiting(search: &mut Search, metric: &'static str, region: RegionId, calls: Vec<CallId>) {
    let lens = search.lens;
    let lost = lens.sum(metric, &calls);
    let threads = lens.threads_at(&calls) as i64;
    let (at_the_end, half) = costlier_half(&lens, metric, &calls);
    let (owner_region, construct, scope) = owner(&lens, half[0]);
    // The late thread may have come from where nobody waits.
    let here = |&call: &CallId| ends_team(&lens, call) == at_the_end;
    let arrived: Vec<CallId> = search.by_region[region].iter().copied().filter(here).collect();
    let arrivals = lens.by_location("omp_barrier_last", &arrived);
    let visits: i64 = arrivals.iter().sum();
    let mut details = Vec::new();
    let late = largest_share(&arrivals);
    if let Some((location, share)) = late {
        let late_by = lens.seconds(lens.sum(metric, &half)) / (threads * visits) as f64;
        let who = lens.thread_name(location) + &came_from(search, &half, location);
        let percent = format::percent(share);
        let (often, late_by) = (format::counted(visits, "visit"), format::seconds(late_by));
        details.push(match visits {
            1 => format!("{who} arrives last, {late_by} after the average."),
            _ if share >= ALWAYS_THE_SAME => {
                format!("{who} arrives last in {percent} of {often}, {late_by} after the average.")
            }
            _ => format!(
                "different threads arrive last ({who} in {percent} of {often}), {late_by} after the \
                 average."
            ),
        });
    }
    let same = late.filter(|(_, share)| *share >= ALWAYS_THE_SAME).map(|(location, _)| location);
    if let Some(more) = same.and_then(|location| slower_code(search, scope, location, threads)) {
        details.push(more);
    }
    let suggestion = suggestion(&construct, lens.role(scope), same.is_some(), late.is_some());
    let site = Site { region: owner_region, construct, metric, calls };
    let words = Words { details, suggestion };
    search.report(metric, site, Loss { lost, gain: divide(lost, threads) }, words);
}

/// Of the barriers of one region, those where more is lost: at the end of teams, or of worksharing.
/// A combined construct has both, one right behind the other, and who comes last to the first is
/// early at the second, since it needs no waking: counted together they would hide who is late.
fn costlier_half(lens: &Lens, metric: &str, calls: &[CallId]) -> (bool, Vec<CallId>) {
    let (team, other): (Vec<CallId>, Vec<CallId>) =
        calls.iter().partition(|&&call| ends_team(lens, call));
    match other.is_empty() || lens.sum(metric, &team) > lens.sum(metric, &other) {
        true => (true, team),
        false => (false, other),
    }
}

fn ends_team(lens: &Lens, call: CallId) -> bool {
    let parent = lens.cube.calls.parent(call);
    lens.role(call) == Role::ImplicitBarrier
        && parent.is_some_and(|parent| lens.role(parent) == Role::Parallel)
}

/// ` in foo`, where the late thread has come to the barrier by another way than those that wait.
fn came_from(search: &Search, calls: &[CallId], late: LocationId) -> String {
    let (lens, tree) = (&search.lens, &search.lens.cube.calls);
    let known = search.waits.causes(calls.iter().copied());
    let known = known.into_iter().filter_map(|cause| cause.by);
    let from = known.filter(|(_, location)| *location == late).map(|(call, _)| call).next();
    let own = |from: &CallId| calls.iter().any(|&call| tree.parent(call) == Some(*from));
    match from.filter(|from| !own(from)) {
        Some(from) => format!(" in {}", format::name_with_place(lens.cube, from)),
        None => String::new(),
    }
}

/// The code in which `location` computes longest beyond the average of its team.
fn slower_code(
    search: &mut Search,
    scope: CallId,
    location: LocationId,
    threads: i64,
) -> Option<String> {
    let lens = search.lens;
    // An explicit barrier has no body: what comes before it is its siblings.
    let scope = match lens.role(scope) {
        Role::Barrier => lens.cube.calls.parent(scope)?,
        _ => scope,
    };
    let excess = |call: CallId| {
        let by_location = lens.metric("comp").map_or(&[][..], |comp| lens.cube.row(comp, call));
        let own = by_location.get(location.index()).copied().unwrap_or(0);
        own - by_location.iter().sum::<i64>() / threads.max(1)
    };
    // Many barriers may have the same siblings.
    let (more, Reverse(most)) = search
        .slower
        .entry((scope, location, threads))
        .or_insert_with(|| {
            let subtree = lens.cube.calls.subtree(scope);
            subtree.into_iter().map(|call| (excess(call), Reverse(call))).max()
        })
        .to_owned()?;
    if more <= 0 || most == scope {
        return None;
    }
    let more = format::seconds(lens.seconds(more));
    let code = format::name_with_place(lens.cube, most);
    Some(format!("It computes {more} more than the average in {code}."))
}

fn suggestion(construct: &str, role: Role, same: bool, known: bool) -> String {
    let loop_like = construct.ends_with("for") || construct.ends_with("do");
    let text = match role {
        Role::Single => "Only one thread works: try nowait, or split its work into tasks.",
        _ if construct.ends_with("sections") => {
            "The sections differ, or are fewer than the threads: split long ones, or use tasks."
        }
        _ if loop_like && same => {
            "Its iterations take longer: try schedule(dynamic), or split them by cost."
        }
        _ if loop_like && known => {
            "Try schedule(dynamic), or nowait if the next code does not need the results."
        }
        _ if loop_like => "Try schedule(dynamic), or split the iterations by cost.",
        Role::Barrier => "Spread the work before the barrier evenly, or remove the barrier.",
        _ if same => "This thread has more work: split the work by cost, or use tasks.",
        _ => "Split the work by cost, or use a parallel loop or tasks.",
    };
    text.to_owned()
}

fn starving(search: &mut Search, metric: &'static str, calls: Vec<CallId>) {
    let lens = search.lens;
    let lost = lens.sum(metric, &calls);
    let threads = lens.threads_at(&calls) as i64;
    let (region, construct, _) = owner(&lens, calls[0]);
    let executed: Vec<CallId> = calls
        .iter()
        .flat_map(|&call| lens.cube.calls.children(call))
        .copied()
        .filter(|&child| lens.is_stub(child))
        .collect();
    let tasks = format::seconds(lens.seconds(lens.sum("task_time", &executed)));
    let wait = format::seconds(lens.seconds(lost) / threads as f64);
    let detail =
        format!("each thread waits {wait} while others execute tasks ({tasks} of tasks in total).");
    let suggestion =
        "Look for one long task, or a chain of dependent tasks: start it first.".into();
    let site = Site { region, construct, metric, calls };
    let words = Words { details: vec![detail], suggestion };
    search.report(metric, site, Loss { lost, gain: divide(lost, threads) }, words);
}

/// Rounded quotient of non-negative integers.
pub(super) fn divide(ticks: i64, by: i64) -> i64 {
    (ticks + by / 2) / by.max(1)
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;
    use pompeii_model::{CallId, LocationId, Wait};

    #[test]
    fn a_combined_loop_with_one_slow_thread() {
        check(
            "wall=1000 locations=4
             a/parallel@a.c:5                          *    visits=10
             a/parallel@a.c:5/for@a.c:5                0    time=1000 visits=10
             a/parallel@a.c:5/for@a.c:5                1-3  time=400 visits=10
             a/parallel@a.c:5/implicit barrier@a.c:9   *    visits=10
             a/parallel@a.c:5/implicit barrier@a.c:9   1-3  time=600 omp_ibarrier_wait=600
             a/parallel@a.c:5/implicit barrier@a.c:9  0  omp_barrier_last=9 omp_barrier_delay=1800
             a/parallel@a.c:5/implicit barrier@a.c:9   2    omp_barrier_last=1",
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=1800 gain=450
                    thread 0 arrives last in 90 % of 10 visits, 45 ms after the average.
                    It computes 0.45 s more than the average in for a.c:5.
                    Its iterations take longer: try schedule(dynamic), or split them by cost.
            "#]],
        );
    }

    /// The barrier of the loop and the team's own are one region; thread 0 is late at the first,
    /// and thread 1, which has to be woken there, at the second.
    #[test]
    fn a_combined_construct_is_late_once_a_visit() {
        check(
            "wall=920 locations=2
             a/parallel@a.c:5                                     *  visits=10
             a/parallel@a.c:5/for@a.c:5                           0  time=900 visits=10
             a/parallel@a.c:5/for@a.c:5                           1  time=500 visits=10
             a/parallel@a.c:5/for@a.c:5/implicit barrier@a.c:9    0  visits=10 omp_barrier_last=10
             a/parallel@a.c:5/for@a.c:5/implicit barrier@a.c:9    1  time=400 visits=10 \
             omp_ibarrier_wait=400
             a/parallel@a.c:5/implicit barrier@a.c:9              0  time=20 visits=10 \
             omp_ibarrier_wait=20
             a/parallel@a.c:5/implicit barrier@a.c:9              1  visits=10 time=20 \
             omp_barrier_last=10",
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=420 gain=210
                    thread 0 arrives last in 100 % of 10 visits, 20 ms after the average.
                    Its iterations take longer: try schedule(dynamic), or split them by cost.
                a.c:5 parallel for | omp_ibarrier lost=20 gain=10
                    40 visits; each costs 500 µs in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
            "#]],
        );
    }

    /// The barrier is in f and in g, which threads call by their number.
    #[test]
    fn the_late_thread_came_by_another_way() {
        let mut measured = crate::notation::cube(
            "wall=100 locations=2
             a/parallel@a.c:2/f@a.c:20/barrier@a.c:9  0  visits=9 omp_barrier_last=9
             a/parallel@a.c:2/g@a.c:30/barrier@a.c:9  1  time=50 visits=9 omp_ebarrier_wait=50",
        )
        .unwrap();
        let calls: Vec<CallId> = measured.calls.ids().collect();
        measured.waits = vec![Wait {
            call: calls[5],
            location: LocationId(1),
            by: Some((calls[3], LocationId(0))),
            visits: 9,
            wait_ticks: 50,
            starvation_ticks: 0,
        }];
        let found = super::super::findings(&crate::derive(&measured));
        let details: Vec<&str> =
            found.iter().flat_map(|f| &f.details).map(String::as_str).collect();
        expect!["thread 0 in f arrives last in 100 % of 9 visits, 5.6 ms after the average."]
            .assert_eq(&details.join("\n"));
    }

    #[test]
    fn the_late_thread_changes() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                   *  time=20 visits=1
             a/parallel@a.c:2/do@a.f90:5                        *  time=60 visits=8
             a/parallel@a.c:2/do@a.f90:5/implicit barrier@a.f90:9  *  time=20 omp_ibarrier_wait=19 \
             omp_barrier_last=4 visits=8",
            expect![[r#"
                a.f90:5 do | omp_ibarrier_wait lost=38 gain=19
                    different threads arrive last (thread 0 in 50 % of 8 visits), 2.4 ms after the average.
                    Try schedule(dynamic), or nowait if the next code does not need the results.
                a.f90:5 do | omp_ibarrier lost=2 gain=1
                    16 visits; each costs 125 µs in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
            "#]],
        );
    }

    #[test]
    fn an_explicit_barrier_and_a_single() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                  *  visits=1
             a/parallel@a.c:2/work@a.c:30                      0  time=60 visits=1
             a/parallel@a.c:2/work@a.c:30                      1  time=20 visits=1
             a/parallel@a.c:2/barrier@a.c:5                    0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/barrier@a.c:5  1  time=40 visits=1 omp_ebarrier_wait=40
             a/parallel@a.c:2/single@a.c:6/single sblock@a.c:6    0  time=40 visits=1
             a/parallel@a.c:2/single@a.c:6/implicit barrier@a.c:8  0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:6/implicit barrier@a.c:8  1  time=40 visits=1 \
             omp_ibarrier_wait=40",
            expect![[r#"
                a.c:5 barrier | omp_ebarrier_wait lost=40 gain=20
                    thread 0 arrives last, 20 ms after the average.
                    It computes 20 ms more than the average in work.
                    Spread the work before the barrier evenly, or remove the barrier.
                a.c:6 single | omp_ibarrier_wait lost=40 gain=20
                    thread 0 arrives last, 20 ms after the average.
                    It computes 20 ms more than the average in single sblock a.c:6.
                    Only one thread works: try nowait, or split its work into tasks.
            "#]],
        );
    }
}
