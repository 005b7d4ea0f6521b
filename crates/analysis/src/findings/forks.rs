//! Fork and join: short parallel regions that follow each other again and again are one finding, a
//! chain, because they are repaired together. The first fork creates the threads, which is a cost
//! of the start and not of the region.

use std::collections::{HashMap, HashSet};

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::fractions::divide;
use super::owner::owner;
use super::sets::Sets;
use super::{Advice, AdviceKind, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

/// Of fewer forks, the mean is mostly the creation of the threads: it takes ten times as long as a
/// fork of threads that exist, or longer.
const MANY_FORKS: i64 = 20;

pub(super) fn detect(search: &mut Search) {
    let lens = search.lens;
    let lost = search.losses("omp_management").into_iter().flat_map(|(_, calls)| calls);
    let mut barriers = final_barriers(search);
    // A call path with fork or join is a parallel region, or its final barrier.
    let regions: Vec<Forked> = grouped(lost, |call| search.paths.parallel[call])
        .into_iter()
        .filter_map(|(parallel, calls)| {
            let barriers = barriers.remove(&parallel?).unwrap_or_default();
            Some(Forked::new(&lens, parallel?, (calls, barriers)))
        })
        .collect();
    let (chained, few): (Vec<Forked>, Vec<Forked>) =
        regions.into_iter().partition(|region| region.forks >= MANY_FORKS);
    let chains = Chains::new(&lens);
    let forked_by = |at: usize| {
        let parallel = chained[at].parallel;
        let chain = chains.of(chained[at].region);
        // If it is not known what follows what, the regions of a function are a chain. A function
        // that is called from many places has them once in the source.
        let function = lens.cube.calls.parent(parallel).map(|call| lens.cube.calls.region(call));
        (function.filter(|_| chain.is_none()), is_nested(search, parallel), chain)
    };
    for (_, positions) in grouped(0..chained.len(), forked_by) {
        chain(search, positions.into_iter().map(|at| &chained[at]).collect());
    }
    for (_, positions) in grouped(0..few.len(), |at| few[at].region) {
        start_up(search, positions.into_iter().map(|at| &few[at]).collect());
    }
}

/// Two regions follow each other if one of them comes so often after the other one: this share of
/// the times that the first ends, or of the times that the second begins.
const FOLLOWS: f64 = 0.1;

/// Which parallel regions follow each other, with calls of MPI between them or without. Two loops
/// in a row that fork a region each are two problems, although one function contains both.
struct Chains {
    sets: Sets<RegionId>,
    /// Regions of which is known what precedes them.
    known: HashSet<RegionId>,
}

impl Chains {
    fn new(lens: &Lens) -> Self {
        let region = |call: CallId| lens.cube.calls.region(call);
        let mut times: HashMap<(RegionId, RegionId), i64> = HashMap::new();
        let (mut ends, mut begins) = (HashMap::new(), HashMap::new());
        for wait in lens.cube.waits.iter().filter(|wait| wait.is_serial()) {
            // The start of the program is no construct.
            let after = wait.by.filter(|&(after, _)| lens.cube.calls.parent(after).is_some());
            let Some((after, before)) = after.map(|(after, _)| (region(after), region(wait.call)))
            else {
                continue;
            };
            *times.entry((after, before)).or_default() += wait.visits;
            *ends.entry(after).or_insert(0) += wait.visits;
            *begins.entry(before).or_insert(0) += wait.visits;
        }
        let mut sets = Sets::new();
        for ((after, before), times) in times {
            let all: i64 = ends[&after].min(begins[&before]);
            if times as f64 >= FOLLOWS * all as f64 {
                sets.join(after, before);
            }
        }
        Self { sets, known: begins.into_keys().collect() }
    }

    /// What all regions of a chain have in common.
    fn of(&self, region: RegionId) -> Option<RegionId> {
        self.known.contains(&region).then(|| self.sets.first(region))
    }
}

/// The barriers that end each parallel region, alone or together with a worksharing construct, and
/// are not explained yet.
fn final_barriers(search: &Search) -> HashMap<CallId, Vec<CallId>> {
    let mut found: HashMap<CallId, Vec<CallId>> = HashMap::new();
    for &barrier in &search.paths.barriers {
        let parallel = owner_parallel(&search.lens, barrier);
        if let Some(parallel) = parallel.filter(|_| !search.is_claimed("omp_barrier", barrier)) {
            found.entry(parallel).or_default().push(barrier);
        }
    }
    found
}

/// A parallel region at one call path, and what its team costs.
struct Forked {
    parallel: CallId,
    region: RegionId,
    /// Call paths with time of fork and join.
    calls: Vec<CallId>,
    /// Barriers at the end of the region and of its combined worksharing construct.
    barriers: Vec<CallId>,
    forks: i64,
    threads: i64,
    /// Time of fork and join, of all threads.
    managing: Ticks,
    /// What the barriers cost, and what threads wait there no longer than a fork takes.
    ending: Ticks,
    waits_follow: bool,
}

impl Forked {
    fn new(lens: &Lens, parallel: CallId, (calls, barriers): (Vec<CallId>, Vec<CallId>)) -> Self {
        let threads = lens.threads_at(&[parallel]) as i64;
        let forks = (lens.own("visits", parallel) / threads.max(1)).max(1);
        let managing = lens.sum("omp_management", &calls);
        let waiting = lens.sum("omp_ibarrier_wait", &barriers);
        let whole = lens.sum("omp_barrier", &barriers);
        let starving = lens.sum("omp_ibarrier_starvation", &barriers);
        // The thread that is woken last is late by a fork.
        let waits_follow = waiting <= managing;
        // A barrier that only the instrumented program has is no loss of the program.
        let added = barriers.iter().filter(|&&call| lens.is_added_barrier(call));
        let added: Ticks = added.flat_map(|&call| lens.added_barrier(call)).sum();
        let ending = whole - starving - added - if waits_follow { 0 } else { waiting };
        let region = lens.cube.calls.region(parallel);
        Self { parallel, region, calls, barriers, forks, threads, managing, ending, waits_follow }
    }

    fn lost(&self) -> Ticks {
        self.managing + self.ending
    }

    fn claim(&self, search: &mut Search) {
        search.claim("omp_management", &self.calls);
        search.claim("omp_barrier", &self.barriers);
        if self.waits_follow {
            search.claim("omp_ibarrier_wait", &self.barriers);
        }
    }
}

/// The parallel region that a barrier ends, alone or together with a worksharing construct.
fn owner_parallel(lens: &Lens, barrier: CallId) -> Option<CallId> {
    let parent =
        lens.cube.calls.parent(barrier).filter(|_| lens.role(barrier) == Role::ImplicitBarrier)?;
    match lens.role(parent) {
        Role::Parallel => Some(parent),
        _ => {
            let (_, construct, _) = owner(lens, barrier);
            let around = lens.cube.calls.parent(parent)?;
            construct.starts_with("parallel ").then_some(around)
        }
    }
}

/// Whether a thread of a team forks this parallel region.
fn is_nested(search: &Search, parallel: CallId) -> bool {
    search.paths.outermost_parallel[parallel] != Some(parallel)
}

/// Regions that one function forks again and again.
fn chain(search: &mut Search, mut regions: Vec<&Forked>) {
    let lens = search.lens;
    regions.sort_by_key(|region| region.parallel);
    let Some(&first) = regions.first() else { return };
    let sum = |of: fn(&Forked) -> i64| regions.iter().map(|region| of(region)).sum::<i64>();
    let mut distinct: Vec<RegionId> = regions.iter().map(|region| region.region).collect();
    distinct.sort();
    distinct.dedup();
    let (count, forks) = (distinct.len() as i64, sum(|r| r.forks));
    let each = sum(|r| r.managing / r.threads.max(1)) as f64 / forks.max(1) as f64;
    let each = format::seconds(each / lens.cube.clock.ticks_per_second());
    let within = match common_function(&lens, &regions) {
        Some(function) => format!(" in {function}"),
        None => String::new(),
    };
    let forked = format::counted(forks, "fork");
    let detail = match count {
        1 => format!("{forked}, {each} each on every thread{within}."),
        _ => format!("{count} regions, {forked}, {each} each on every thread{within}."),
    };
    let all: Vec<CallId> = regions.iter().flat_map(|region| region.calls.clone()).collect();
    let managed = search.on_the_delaying_thread("omp_management", &all);
    let ended = sum(|r| divide(r.ending, r.threads));
    // Of a chain, one fork stays. Of a single region, none does; but where the next iteration needs
    // the results, a barrier takes the place of each join, and that is half of the cost.
    let kept = if count > 1 { (count - 1) as f64 / count as f64 } else { 0.5 };
    let part = |ticks: Ticks| (ticks as f64 * kept) as Ticks;
    let gain = match count {
        1 => Gain::between(part(managed), managed + ended, managed + ended),
        _ => Gain::between(part(managed), part(managed + ended), part(managed) + ended),
    };
    let cause =
        if is_nested(search, first.parallel) { Cause::NestedTeams } else { Cause::ShortRegions };
    let places: Vec<String> =
        distinct.iter().filter_map(|&region| lens.cube.regions[region].position()).collect();
    let advice = Advice { kind: AdviceKind::Merge, target: places.join(","), value: None };
    let lost = sum(Forked::lost);
    regions.iter().for_each(|region| region.claim(search));
    let construct = lens.region(first.parallel).construct().to_owned();
    let site = Site { region: first.region, construct, metric: "omp_management", calls: all };
    let words = Words { cause: Some(cause), details: vec![detail], advice };
    search.report("omp_management", site, Loss { lost, gain: Some(gain) }, words);
}

/// The innermost function that all of these regions are in. If no function around is measured, it
/// is known from the first visit of each.
fn common_function(lens: &Lens, regions: &[&Forked]) -> Option<String> {
    let functions = |region: &Forked| {
        let region = &lens.cube.regions[region.region];
        region.function().into_iter().chain(region.callers()).collect::<Vec<&str>>()
    };
    let (first, others) = regions.split_first()?;
    let around = common_path(lens, regions)?;
    let is_measured = lens.cube.calls.parent(around).is_some();
    let others: Vec<_> = others.iter().map(|region| functions(region)).collect();
    let is_common = |name: &&str| others.iter().all(|functions| functions.contains(name));
    let common = functions(first).into_iter().find(is_common).filter(|_| !is_measured);
    Some(common.map_or_else(|| format::name_with_place(lens.cube, around), str::to_owned))
}

/// The call path that forks all of these regions, or that calls the functions which do. One
/// function may be called from several places.
fn common_path(lens: &Lens, regions: &[&Forked]) -> Option<CallId> {
    /// The rest of a longer chain is taken to be in the same place.
    const LOOKED_AT: usize = 64;
    let tree = &lens.cube.calls;
    let parent = |region: &&Forked| tree.parent(region.parallel);
    let first = parent(regions.first()?)?;
    let is_same = |call: CallId| tree.region(call) == tree.region(first);
    if regions.iter().filter_map(parent).all(is_same) {
        return Some(first);
    }
    let above = |call: CallId| std::iter::successors(Some(call), |&call| tree.parent(call));
    let heights: HashMap<CallId, usize> = above(first).zip(0..).collect();
    let others = regions.iter().take(LOOKED_AT).filter_map(parent);
    let common = others.filter_map(|other| above(other).find(|call| heights.contains_key(call)));
    common.max_by_key(|call| heights[call])
}

/// A region that is forked a few times.
fn start_up(search: &mut Search, regions: Vec<&Forked>) {
    let lens = search.lens;
    let Some(&first) = regions.first() else { return };
    let calls: Vec<CallId> = regions.iter().flat_map(|region| region.calls.clone()).collect();
    let forks: i64 = regions.iter().map(|region| region.forks).sum();
    let lost = lens.sum("omp_management", &calls);
    let by_thread = lens.by_location("omp_management", &calls);
    let longest = by_thread.iter().copied().max().unwrap_or(0);
    let time = format::seconds(lens.seconds(longest));
    let often = if forks == 1 { "once".to_owned() } else { format::counted(forks, "time") };
    let detail = format!(
        "forked {often}, which took {time}: the first fork of a program creates its threads."
    );
    let advice = Advice::none(
        "Nothing to change: this is a cost of the start, and no larger in a longer run.",
    );
    search.claim("omp_management", &calls);
    let construct = lens.region(first.parallel).construct().to_owned();
    let site = Site { region: first.region, construct, metric: "omp_management", calls };
    let words = Words { cause: None, details: vec![detail], advice };
    search.report("omp_management", site, Loss::new(lost, 0), words);
}

#[cfg(test)]
mod tests {
    use super::super::{Known, check, check_cube};
    use expect_test::{Expect, expect};
    use pompeii_model::{CallId, LocationId, Wait};

    #[test]
    fn a_chain_of_short_regions_is_one_finding() {
        check(
            "wall=1000 locations=2
             a/step@a.c:1                                            0  time=60 visits=100
             a/step@a.c:1/parallel@a.c:2                          *  time=250 omp_management=100 visits=100
             a/step@a.c:1/parallel@a.c:2/implicit barrier@a.c:4   *  time=100 omp_management=40 \
             omp_ibarrier_wait=40 visits=100
             a/step@a.c:1/parallel@a.c:6                          *  time=390 omp_management=100 visits=100
             a/step@a.c:1/parallel@a.c:6/implicit barrier@a.c:8   *  time=200 omp_management=50 \
             omp_ibarrier_wait=100 visits=100",
            expect![[r#"
                a.c:2 parallel | omp_management lost=1000 gain=250 (187 to 379)
                    [short_regions, merge a.c:2,a.c:6]
                    2 regions, 200 forks, 1.4 ms each on every thread in step.
                    Put the parallel regions a.c:2, a.c:6 into one parallel region.
                a.c:1 step | omp_idle_threads lost=60 gain=30 (19 to 43)
                    [serial_part, none]
                    60 ms run on one thread.
                    It lies next to parallel a.c:2 (100 visits), parallel a.c:6 (100 visits).
                    Parallelise it, or overlap it with other work.
            "#]],
        );
    }

    /// Functions are measured, and two of them fork regions in turn.
    #[test]
    fn regions_of_two_functions_that_take_turns_are_one_chain() {
        let text = "wall=1000 locations=2
             a/main@a.c:20                               0  time=100 visits=1
             a/main@a.c:20/even@a.c:1/parallel@a.c:2     *  time=450 omp_management=100 visits=100
             a/main@a.c:20/odd@a.c:5/parallel@a.c:6      *  time=450 omp_management=200 visits=100";
        check_order(
            text,
            &[(20, 2, 1), (2, 6, 100), (6, 2, 99)],
            expect![[r#"
            a.c:2 parallel | omp_management lost=600 gain=150 (118 to 182)
                [short_regions, merge a.c:2,a.c:6]
                2 regions, 200 forks, 1.5 ms each on every thread in main.
                Put the parallel regions a.c:2, a.c:6 into one parallel region.
            a.c:20 main | omp_idle_threads lost=100 gain=50 (33 to 67)
                [serial_part, none]
                0.10 s run on one thread.
                Parallelise it, or overlap it with other work.
        "#]],
        );
    }

    #[test]
    fn a_function_that_is_called_from_two_places_is_one_finding() {
        check(
            "wall=1000 locations=2
             a/coarse@a.c:1/step@a.c:5/parallel@a.c:7   *  time=500 omp_management=200 visits=100
             a/fine@a.c:9/step@a.c:5/parallel@a.c:7     *  time=500 omp_management=100 visits=100",
            expect![[r#"
                a.c:7 parallel | omp_management lost=600 gain=300 (175 to 355)
                    [short_regions, merge a.c:7]
                    200 forks, 1.5 ms each on every thread in step.
                    Put a.c:7 and the loop around it into one parallel region, or add an if clause.
            "#]],
        );
    }

    /// Two regions of one program.
    const TWO: &str = "wall=1000 locations=2
         a                                           0  time=100 visits=1
         a/parallel@a.c:2                            *  time=250 omp_management=100 visits=100
         a/parallel@a.c:2/implicit barrier@a.c:4     *  time=100 visits=100
         a/parallel@a.c:6                            *  time=450 omp_management=200 visits=200
         a/parallel@a.c:6/implicit barrier@a.c:8     *  time=100 visits=200";

    /// The findings if the regions of these lines (0: the start) follow each other so often.
    fn check_order(text: &str, times: &[(u32, u32, i64)], expect: Expect) {
        let mut cube = crate::notation::cube(text).unwrap();
        let call = |line: u32| {
            let begins = |&call: &CallId| cube.regions[cube.calls.region(call)].begin_line == line;
            cube.calls.ids().find(begins).unwrap()
        };
        let part = |&(after, before, visits)| Wait {
            call: call(before),
            location: LocationId(0),
            by: Some((call(after), LocationId(0))),
            visits,
            wait_ticks: 0,
            starvation_ticks: 0,
        };
        cube.waits = times.iter().map(part).collect();
        check_cube(&crate::derive(&cube), Known::default(), expect);
    }

    #[test]
    fn two_loops_in_a_row_are_two_chains() {
        check_order(
            TWO,
            &[(0, 2, 1), (2, 2, 99), (2, 6, 1), (6, 6, 199)],
            expect![[r#"
                a.c:6 parallel | omp_management lost=600 gain=300 (175 to 355)
                    [short_regions, merge a.c:6]
                    200 forks, 1.0 ms each on every thread in a.
                    Put a.c:6 and the loop around it into one parallel region, or add an if clause.
                a.c:2 parallel | omp_management lost=400 gain=200 (117 to 239)
                    [short_regions, merge a.c:2]
                    100 forks, 1.0 ms each on every thread in a.
                    Put a.c:2 and the loop around it into one parallel region, or add an if clause.
                ? a | omp_idle_threads lost=100 gain=50 (33 to 67)
                    [serial_part, none]
                    0.10 s run on one thread.
                    It lies next to parallel a.c:6 (200 visits), parallel a.c:2 (100 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn regions_that_take_turns_are_one_chain() {
        check_order(
            TWO,
            &[(0, 2, 1), (2, 6, 100), (6, 6, 100), (6, 2, 99)],
            expect![[r#"
                a.c:2 parallel | omp_management lost=1000 gain=250 (187 to 379)
                    [short_regions, merge a.c:2,a.c:6]
                    2 regions, 300 forks, 1.0 ms each on every thread in a.
                    Put the parallel regions a.c:2, a.c:6 into one parallel region.
                ? a | omp_idle_threads lost=100 gain=50 (33 to 67)
                    [serial_part, none]
                    0.10 s run on one thread.
                    It lies next to parallel a.c:6 (200 visits), parallel a.c:2 (100 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// The creation of the threads is not repaired by merging regions.
    #[test]
    fn a_region_that_is_forked_once_is_the_start() {
        check(
            "wall=1000 locations=2
             a/parallel@a.c:2                          0  time=1000 visits=1
             a/parallel@a.c:2                          1  time=1000 visits=1 omp_management=82",
            expect![[r#"
                a.c:2 parallel | omp_management lost=82 gain=0 (0 to 5)
                    [?, none]
                    Forked once, which took 82 ms: the first fork of a program creates its threads.
                    Nothing to change: this is a cost of the start, and no larger in a longer run.
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
                a.c:2 parallel | omp_management lost=800 gain=400 (232 to 469)
                    [short_regions, merge a.c:2]
                    100 forks, 4.0 ms each on every thread in a.
                    Put a.c:2 and the loop around it into one parallel region, or add an if clause.
                ? a | omp_idle_threads lost=100 gain=50 (33 to 67)
                    [serial_part, none]
                    0.10 s run on one thread.
                    It lies next to parallel a.c:2 (100 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }
}
