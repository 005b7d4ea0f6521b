//! Waiting at barriers: who arrives last, by how much, and because of which construct.

use std::collections::HashMap;

use pompeii_model::{CallId, LocationId, ProcessId, Region, RegionId, Role, Ticks};

use super::doubt::{self, Doubt, TOO_FEW_VISITS, Waited};
use super::fractions::divide;
use super::imbalance::{Delays, ENOUGH_VISITS, Kind, Lateness, Parts};
use super::late_threads::{self, Late, Part};
use super::loop_work::LoopWork;
use super::master_in_mpi::InMpi;
use super::one_before::OneBefore;
use super::outside::Outside;
use super::owner::owner;
use super::paths::ends_team;
use super::sections::{sections, units};
use super::slower::{Question, Slower, slower_code};
use super::task_waits::{self, AtBarrier};
use super::{Advice, Cause, Loss, Search, Site, Words};
use crate::dilation::Costs;
use crate::{Lens, format};

pub(super) fn detect(search: &mut Search) {
    let (mut found, mut longest) = (Vec::new(), LongestWaits::new());
    for metric in ["omp_ibarrier_wait", "omp_ebarrier_wait"] {
        let losses = search.losses(metric).into_iter();
        found.extend(losses.filter_map(|loss| Waiting::new(search, metric, loss, &mut longest)));
    }
    let (for_tasks, found): (Vec<Waiting>, Vec<Waiting>) =
        found.into_iter().partition(|waiting| waiting.taskwait.is_some());
    let for_tasks = for_tasks.into_iter().filter_map(|waiting| waiting.for_tasks(search)).collect();
    task_waits::report(search, for_tasks);
    let questions: Vec<Question> = found.iter().flat_map(|w| w.questions(search)).collect();
    let answers = slower_code(&search.lens, &questions);
    let answers = answers.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let costs = search.costs.as_ref().map(Costs::inclusive);
    let doubt = Doubt {
        work: Outside::new(search, &search.paths.execution),
        measuring: costs.as_ref().map(|costs| Outside::new(search, costs)),
    };
    let others = (&doubt, &InMpi::new(search), &OneBefore::new(search));
    let found = found.into_iter().zip(answers);
    let parts: Vec<Part> = found.flat_map(|(w, slower)| w.parts(search, slower, others)).collect();
    late_threads::report(search, parts);
}

/// The waiting at the barriers of one region.
struct Waiting {
    metric: &'static str,
    region: RegionId,
    calls: Vec<CallId>,
    team: Team,
    /// Whether more is lost at the end of teams than at the end of worksharing.
    at_the_end: bool,
    /// The call paths of the costlier half.
    half: Vec<CallId>,
    /// The construct that the barrier belongs to, as [`owner`] has it.
    owner: (RegionId, String, CallId),
    /// The wait for tasks that makes its thread late.
    taskwait: Option<CallId>,
}

impl Waiting {
    fn new(
        search: &Search,
        metric: &'static str,
        (region, calls): (RegionId, Vec<CallId>),
        longest: &mut LongestWaits,
    ) -> Option<Self> {
        let lens = &search.lens;
        // The late thread may have come by a call path at which no thread waits.
        let team = Team::new(lens, metric, (&calls, &search.paths.by_region[region]))?;
        let (at_the_end, half) = costlier_half(lens, metric, &calls);
        let owner = owner(lens, half[0]);
        let taskwait = taskwait(search, owner.2, &team, longest);
        Some(Self { metric, region, calls, team, at_the_end, half, owner, taskwait })
    }

    /// Waiting for a thread that waits for tasks.
    fn for_tasks(self, search: &Search) -> Option<AtBarrier> {
        let wait = self.taskwait?;
        let arrivals = self.arrivals(search);
        let kind = team_kind(search, &self.team, &arrivals);
        let details = arrivals.sentence(search, &self.half, kind);
        let Self { metric, calls, team, .. } = self;
        Some(AtBarrier { wait, metric, calls, lost: team.lost, details })
    }

    fn arrivals(&self, search: &Search) -> Arrivals {
        let lens = search.lens;
        let here = |&call: &CallId| ends_team(&lens, call) == self.at_the_end;
        let all = &search.paths.by_region[self.region];
        let arrived: Vec<CallId> = all.iter().copied().filter(here).collect();
        Arrivals::new(&lens, (self.metric, &arrived), &self.team, search.barriers)
    }

    /// Where the late thread computes longer: in the construct that the barrier belongs to, or else
    /// anywhere in the parallel region.
    fn questions(&self, search: &Search) -> [Question; 2] {
        let Team { late, parts, .. } = self.team;
        let tree = &search.lens.cube.calls;
        let owner = self.owner.2;
        // An explicit barrier has no body: what comes before it is its siblings.
        let is_explicit = search.lens.role(owner) == Role::Barrier;
        let own = tree.parent(owner).filter(|_| is_explicit).unwrap_or(owner);
        let wide = search.paths.outermost_parallel[own].unwrap_or(own);
        let ask =
            |scope, is_wide| Question { scope, location: late, threads: parts.members, is_wide };
        [ask(own, is_explicit), ask(wide, true)]
    }

    /// The waiting, divided among its causes. `slower` are the answers to the questions.
    fn parts(
        self,
        search: &Search,
        (own, wide): (Slower, Slower),
        (doubts, in_mpi, one_before): (&Doubt, &InMpi, &OneBefore),
    ) -> Vec<Part> {
        let lens = search.lens;
        let arrivals = self.arrivals(search);
        let Self { metric, calls, team, half, owner, .. } = self;
        let (owner_region, construct, scope) = owner;
        let kind = team_kind(search, &team, &arrivals);
        let is_last = kind != Kind::Changing && arrivals.lateness != Lateness::Chance;
        let mut details = arrivals.sentence(search, &half, kind);
        details.extend(both_parts(&lens, kind, team.parts));
        let site = Site { region: owner_region, construct, metric, calls };
        let by = team.parts.mean() - team.parts.least;
        let late = (scope, by, team.parts.mean());
        let seen = (&site, team.lost, details.as_slice());
        let is_single = lens.role(scope) == Role::Single;
        let known = in_mpi.finding(search, late, seen).or_else(|| {
            let loss = Loss { lost: team.lost, gain: Some(team.parts.balanced()) };
            let seen = (&site, loss, details.as_slice());
            let can_follow = kind != Kind::Steady && !is_single;
            let of = (half.as_slice(), team.size());
            can_follow.then(|| one_before.finding(search, of, seen)).flatten()
        });
        if let Some((site, loss, words)) = known {
            return vec![Part::whole(site, loss, words)];
        }
        let work = loop_work(search, &half, &team);
        let few = work.as_ref().filter(|work| work.are_few(team.lost));
        details.extend(few.map(LoopWork::sentence));
        let (cause, gain) = match (kind, units(search, scope)) {
            _ if is_single => (Cause::SingleMaster, team.parts.balanced()),
            (_, Some(units)) => sections(&units, &team.parts),
            _ if few.is_some() => (Cause::FewUnits, team.parts.balanced()),
            (Kind::Steady, _) => (Cause::ImbalanceSteady, team.parts.redistributed()),
            (Kind::Both | Kind::Changing, _) => (Cause::ImbalanceChanging, team.parts.balanced()),
        };
        // Other code of the region can make a thread late, and no schedule of the loop helps then.
        let is_inside = match kind {
            Kind::Steady => 2 * own.sum >= by,
            Kind::Both | Kind::Changing => {
                site.construct.starts_with("parallel ")
                    || !doubts.work.explains(search, scope, team.parts)
            }
        };
        let is_imbalance = matches!(cause, Cause::ImbalanceSteady | Cause::ImbalanceChanging);
        let visits = arrivals.visits;
        let waited = Waited { barriers: &half, gain, members: team.parts.members, visits };
        let no_more = || doubt::without_more_work(&lens, (kind, by), &half, (&own, &wide));
        let doubted = doubts.of(search, &waited).or_else(no_more);
        let (doubted, instead) = doubted.filter(|_| is_imbalance).unzip();
        let gain = if instead.is_none() { Some(gain) } else { None };
        details.extend(doubted);
        let schedule = work.as_ref().filter(|_| is_imbalance && is_inside);
        let scheduled = || schedule.and_then(|work| work.schedule(&lens));
        let region = lens.region(scope);
        let advice = instead
            .or_else(scheduled)
            .unwrap_or_else(|| advice(cause, &site.construct, region, arrivals.lateness));
        let words = Words { cause: Some(cause), details, advice };
        let whole = Part::whole(site, Loss { lost: team.lost, gain }, words);
        let (lateness, balanced) = (arrivals.lateness, team.parts.balanced());
        let late = Late { scope, by, lateness, threads: team.size(), balanced };
        match is_last && gain.is_some() && few.is_none() {
            true => late_threads::divide(search, whole, &late, (&own, &wide)),
            false => vec![whole],
        }
    }
}

/// The iterations of the loops that these barriers end.
fn loop_work(search: &Search, barriers: &[CallId], team: &Team) -> Option<LoopWork> {
    let scopes: Vec<CallId> = barriers.iter().map(|&call| owner(&search.lens, call).2).collect();
    LoopWork::new(search, &scopes, team.size())
}

/// The wait for tasks below a scope in which a location is longest, and how long. Many barriers may
/// lie in one scope.
type LongestWaits = HashMap<(CallId, LocationId), Option<(Ticks, CallId)>>;

/// The taskwait, taskgroup or taskloop in which the late thread is most of the time by which it is
/// late, the tasks that it executes there included: no other thread gets more tasks until it goes
/// on.
fn taskwait(
    search: &Search,
    scope: CallId,
    team: &Team,
    longest: &mut LongestWaits,
) -> Option<CallId> {
    let cube = search.lens.cube;
    let lens = &search.lens;
    let ticks = |metric: &str, call| {
        lens.metric(metric).map_or(0, |metric| cube.get(metric, call, team.late))
    };
    let time = |call: CallId| {
        let tasks = cube.calls.children(call).iter().map(|&child| ticks("task_time", child));
        ticks("time", call) + tasks.sum::<Ticks>()
    };
    // An explicit barrier has no code in it: what comes before it lies next to it.
    let around = cube.calls.parent(scope).filter(|_| lens.role(scope) == Role::Barrier);
    let scope = around.unwrap_or(scope);
    let waits = search.paths.taskwaits.get(&scope)?;
    let find = || waits.iter().map(|&call| (time(call), call)).max();
    let (most, call) = (*longest.entry((scope, team.late)).or_insert_with(find))?;
    (2 * most >= team.parts.mean() - team.parts.least).then_some(call)
}

fn team_kind(search: &Search, team: &Team, arrivals: &Arrivals) -> Kind {
    team.parts.kind(arrivals.lateness, search.lens.cube.allocation_ticks())
}

/// How large the steady and the changing part are, if there are both.
fn both_parts(lens: &Lens, kind: Kind, parts: Parts) -> Option<String> {
    let seconds = |ticks| format::seconds(lens.seconds(ticks));
    let (steady, changing) = (seconds(parts.steady()), seconds(parts.changing()));
    (kind == Kind::Both).then(|| {
        format!(
            "{steady} of the loss would vanish with an even spread of the work, {changing} changes \
             from visit to visit."
        )
    })
}

/// The threads that wait for each other at the barriers of one construct. With several processes,
/// each has a team of its own; the parts are sums over the teams.
struct Team {
    parts: Parts,
    /// The late thread of the team with the largest steady part.
    late: LocationId,
    /// The process of this team.
    process: ProcessId,
    teams: i64,
    lost: Ticks,
}

impl Team {
    /// Of those that wait at `calls` and those that come to `barriers`.
    fn new(lens: &Lens, metric: &str, (calls, barriers): (&[CallId], &[CallId])) -> Option<Self> {
        let waits = lens.by_location(metric, calls);
        let visits = lens.by_location("visits", barriers);
        let counted = visits.iter().any(|&visits| visits > 0);
        let is_here = |&at: &LocationId| !counted || visits[at] > 0 || waits[at] > 0;
        let mut teams: Vec<(Parts, LocationId, ProcessId)> = Vec::new();
        let system = &lens.cube.system;
        for (process, threads) in system.processes.ids().zip(system.locations_by_process()) {
            let team: Vec<LocationId> = threads.into_iter().filter(is_here).collect();
            let ticks: Vec<Ticks> = team.iter().map(|&at| waits[at]).collect();
            if let Some(parts) = Parts::new(&ticks) {
                teams.push((parts, team[parts.late], process));
            }
        }
        let &(most, late, process) = teams.iter().rev().max_by_key(|(parts, ..)| parts.steady())?;
        let sum = |of: fn(&Parts) -> i64| teams.iter().map(|(parts, ..)| of(parts)).sum::<i64>();
        let parts = Parts {
            members: sum(|parts| parts.members),
            late: most.late,
            least: divide(sum(|parts| parts.changing()), sum(|parts| parts.members)),
            sum: sum(|parts| parts.sum),
        };
        Some(Self { parts, late, process, teams: teams.len() as i64, lost: parts.sum })
    }

    /// Members of one team.
    fn size(&self) -> i64 {
        self.parts.members / self.teams.max(1)
    }
}

/// Who arrived last.
struct Arrivals {
    /// The thread that is late, and how often it was last.
    late: (LocationId, i64),
    /// The thread of its team that was last most often.
    often: (LocationId, i64),
    visits: i64,
    /// Mean waiting of a thread in a visit, clock ticks.
    by_ticks: f64,
    lateness: Lateness,
}

impl Arrivals {
    fn new(lens: &Lens, (metric, calls): (&str, &[CallId]), team: &Team, barriers: usize) -> Self {
        let arrivals = lens.by_location("omp_barrier_last", calls);
        let system = &lens.cube.system;
        let all = arrivals.enumerated().map(|(at, &last)| (at, last));
        let own: Vec<(LocationId, i64)> =
            all.filter(|(at, _)| system.locations[*at].process == team.process).collect();
        let visits: i64 = own.iter().map(|(_, last)| last).sum();
        let often = own.into_iter().rev().max_by_key(|(_, last)| *last);
        let late = (team.late, arrivals[team.late]);
        let whole = arrivals.iter().sum::<i64>().max(1);
        let members = team.parts.members / team.teams.max(1);
        let by_ticks = team.lost as f64 / (members * whole) as f64;
        let delays = delays(lens, (metric, calls), team);
        let lateness = Lateness::new((late.1, visits), members, barriers, delays);
        Self { late, often: often.unwrap_or(late), visits, by_ticks, lateness }
    }

    /// Who arrives last, how often, and by how much.
    fn sentence(&self, search: &Search, half: &[CallId], kind: Kind) -> Vec<String> {
        let lens = search.lens;
        let (who, last) = if kind == Kind::Steady { self.late } else { self.often };
        if self.visits == 0 {
            return Vec::new();
        }
        let who = lens.thread_name(who) + &came_from(search, half, who);
        let late_by = format::seconds(self.by_ticks / lens.cube.clock.ticks_per_second());
        let visits = format::counted(self.visits, "visit");
        let often = match (self.visits, last == self.visits) {
            (1, _) => String::new(),
            (..ENOUGH_VISITS, true) => format!(" in all {visits}"),
            (..ENOUGH_VISITS, false) => format!(" in {last} of {visits}"),
            _ => format!(" in {} of {visits}", format::percent(last as f64 / self.visits as f64)),
        };
        let is_one = kind == Kind::Steady || last == self.visits;
        vec![match is_one {
            true => format!("{who} arrives last{often}, {late_by} after the average."),
            false => format!(
                "different threads arrive last ({who}{often}), {late_by} after the average."
            ),
        }]
    }
}

/// The unit of `omp_barrier_spread`, in square microseconds.
const SQUARE_US: f64 = 100.0;

/// Delays of the late thread of a team, if they were measured: how long after the mean of its team
/// it arrived is as long as it waited shorter.
fn delays(lens: &Lens, (metric, calls): (&str, &[CallId]), team: &Team) -> Option<Delays> {
    let squares = lens.by_location("omp_barrier_spread", calls);
    let visits = lens.by_location("visits", calls);
    let waits = lens.by_location(metric, calls);
    let locations = &lens.cube.system.locations;
    let is_member = |at: &LocationId| locations[*at].process == team.process && visits[*at] > 0;
    let members: Vec<LocationId> = locations.ids().filter(is_member).collect();
    // Arrivals of teams with tasks are not summed.
    let starvation = ["omp_ibarrier_starvation", "omp_ebarrier_starvation"];
    let has_tasks = starvation.iter().any(|starvation| lens.sum(starvation, calls) > 0);
    let is_known = !has_tasks && squares[team.late] > 0;
    let sum: Ticks = members.iter().map(|&at| waits[at]).sum();
    let mean = sum as f64 / members.len().max(1) as f64;
    let us = 1e6 / lens.cube.clock.ticks_per_second();
    is_known.then(|| Delays {
        visits: visits[team.late],
        sum_us: (mean - waits[team.late] as f64) * us,
        squares_us: squares[team.late] as f64 * SQUARE_US,
    })
}

/// Of the barriers of one region, those where more is lost: at the end of teams, or of worksharing.
/// A combined construct has both, one right after the other, and who comes last to the first is
/// early at the second, since it needs no waking: counted together they would hide who is late.
fn costlier_half(lens: &Lens, metric: &str, calls: &[CallId]) -> (bool, Vec<CallId>) {
    let (team, other): (Vec<CallId>, Vec<CallId>) =
        calls.iter().partition(|&&call| ends_team(lens, call));
    match other.is_empty() || lens.sum(metric, &team) > lens.sum(metric, &other) {
        true => (true, team),
        false => (false, other),
    }
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

/// What to change in a construct, which has this region.
pub(super) fn advice(cause: Cause, construct: &str, region: &Region, lateness: Lateness) -> Advice {
    let role = region.role;
    let is_loop = construct.ends_with("for") || construct.ends_with("do");
    let is_proven = lateness == Lateness::Always;
    Advice::none(match cause {
        Cause::SingleMaster if region.includes_barrier() => {
            "Only one thread works: split its work into tasks or a loop before the values are \
             handed out (copyprivate)."
        }
        Cause::SingleMaster => {
            "Only one thread works: split its work into tasks or a loop, or use nowait if \
             the others have other work."
        }
        Cause::FewUnits if is_loop => {
            "Make more and shorter iterations, or parallelise an inner loop too (collapse)."
        }
        Cause::FewUnits => "There are fewer sections than threads: split them, or use tasks.",
        Cause::ImbalanceSteady if construct.ends_with("sections") => {
            "The sections differ: split long ones, or use tasks."
        }
        Cause::ImbalanceSteady if !is_proven => TOO_FEW_VISITS,
        // Without the number of iterations nothing is known about the cost of a chunk, and a
        // schedule that moves iterations costs more where memory is what takes the time.
        Cause::ImbalanceSteady if is_loop => {
            "It has more or costlier iterations, or slower memory: split the iterations by cost. \
             Compile with --loop-chunks to see them."
        }
        Cause::ImbalanceSteady if role == Role::Barrier => {
            "Spread the work before the barrier evenly."
        }
        Cause::ImbalanceSteady => {
            "This thread has more work: split the work by cost, or use tasks."
        }
        _ if role == Role::Barrier => {
            "No thread is always late: remove the barrier if nothing needs it, or do more work \
             between barriers."
        }
        _ => {
            "No thread is always late: another static split does not help. Do more work between \
              barriers, or use nowait if the next code does not need the results."
        }
    })
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
                a.c:5 parallel for | omp_ibarrier_wait lost=1800 gain=450 (373 to 527)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 9 of 10 visits, 45 ms after the average.
                    It computes 0.45 s more than the average in for a.c:5.
                    Measure a longer run: there are too few visits to tell which thread has more work.
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
                a.c:5 parallel for | omp_ibarrier_wait lost=420 gain=190 (136 to 250)
                    [imbalance_steady, none]
                    Thread 0 arrives last in all 10 visits, 21 ms after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
                a.c:5 parallel for | omp_ibarrier lost=20 gain=10 (7 to 18)
                    [?, none]
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
        expect!["Thread 0 in f arrives last in all 9 visits, 2.8 ms after the average."]
            .assert_eq(&details.join("\n"));
    }

    /// The others have only the tasks that were created before the taskwait.
    #[test]
    fn a_single_that_waits_for_tasks_is_not_its_own_work() {
        check(
            "wall=500 locations=2
             a/parallel@a.c:2                                         *  visits=1
             a/parallel@a.c:2/single@a.c:3                            *  visits=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9     1  time=250 visits=1 \
             omp_ibarrier_wait=240
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9     0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9/task@a.c:5  1  task_time=250
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3        0  time=10 visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/taskwait@a.c:7  0  time=10 visits=90
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/taskwait@a.c:7/task@a.c:5  0  \
             task_time=480
             TASKS/task@a.c:5                                         0  time=480 visits=90
             TASKS/task@a.c:5                                         1  time=250 visits=90",
            expect![[r#"
                a.c:7 taskwait | omp_ibarrier_wait lost=250 gain=125 (73 to 148)
                    [taskwait_in_loop, none]
                    Thread 0 arrives last, 0.12 s after the average.
                    No more tasks exist than are created before each wait: wait once after the loop (taskloop: nogroup), or describe the order by depend.
                a.c:3 single | omp_ibarrier lost=10 gain=5 (3 to 8)
                    [?, none]
                    2 visits; each costs 5.0 ms in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
            "#]],
        );
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
                a.f90:5 do | omp_ibarrier_wait lost=38 gain=19 (11 to 22)
                    [imbalance_changing, none]
                    Different threads arrive last (thread 0 in 4 of 8 visits), 2.4 ms after the average.
                    No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
                a.f90:5 do | omp_ibarrier lost=2 gain=1 (0 to 1)
                    [?, none]
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
                a.c:30 work | omp_ebarrier_wait lost=40 gain=20 (16 to 24)
                    [imbalance_steady, none]
                    Thread 0 arrives last, 20 ms after the average.
                    It computes 20 ms longer here than its team on average, which waits at barrier a.c:5.
                    This thread has more work: split the work by cost, or use tasks.
                a.c:6 single | omp_ibarrier_wait lost=40 gain=20 (12 to 24)
                    [single_master, none]
                    Thread 0 arrives last, 20 ms after the average.
                    It computes 20 ms more than the average in single body a.c:6.
                    Only one thread works: split its work into tasks or a loop, or use nowait if the others have other work.
            "#]],
        );
    }

    #[test]
    fn a_single_with_copyprivate_has_its_barrier_inside() {
        let single = "a/parallel@a.c:2/single@a.c:6 copyprivate(x) barrier_included";
        check(
            &format!(
                "wall=100 locations=2
                 a/parallel@a.c:2             *  time=20 visits=1
                 {single}                     0  time=40 visits=10
                 {single}                     1  time=40 visits=10
                 {single}/single sblock@a.c:6  0  time=40 visits=5
                 {single}/single sblock@a.c:6  1  time=40 visits=5"
            ),
            expect![[r#"
                a.c:6 single | omp_ibarrier_wait lost=80 gain=40 (23 to 46)
                    [single_master, none]
                    Only one thread works: split its work into tasks or a loop before the values are handed out (copyprivate).
            "#]],
        );
    }
}
