//! What the waiting goes back to, if a trace of the run was analysed. A profile has sums: it sees
//! who arrives last, and in which code this thread computes longer in all. A trace has each visit.
//! Therefore it shows the code that made a thread late, even if another thread is late each time,
//! and it shows waiting that is a consequence of other waiting.
//!
//! If profile and trace agree, a finding stays as it is, and gets a sentence more. Otherwise its
//! loss moves (`moved.rs`).

use std::collections::{BTreeMap, HashMap};

use pompeii_model::{CallId, CallTree, IndexVec, LocationId, RegionId, Role, Root, Ticks};

use super::moved::move_losses;
use super::{Finding, RootCause, Search, is_barrier};
use crate::{Lens, format};

/// Code that a smaller share of the waiting goes back to is not worth a finding of its own.
pub(super) const SMALL_SHARE: f64 = 0.1;

/// Threads with a smaller share of the delays of some code are not named.
const MOST: f64 = 0.6;

/// Causes that a finding names.
const NAMED: usize = 3;

/// Completes the findings of a search with what the trace says.
pub(super) fn follow(search: &mut Search) {
    if search.lens.cube.roots.is_empty() {
        return;
    }
    let mut found = std::mem::take(&mut search.found);
    let roots = Roots::new(search);
    move_losses(&roots, &mut found);
    for finding in &mut found {
        finding.roots = roots.causes(&finding.calls);
        finding.details.extend(roots.sentence(finding));
    }
    search.found = found;
}

/// The causes of the waiting of a run.
pub(super) struct Roots<'a> {
    pub(super) search: &'a Search<'a>,
    /// By the call path that waits.
    by_call: HashMap<CallId, Vec<&'a Root>>,
    /// The innermost critical construct around each call path.
    critical: IndexVec<CallId, Option<CallId>>,
    /// For each region that delays, the regions at which was waited for it.
    waiting: HashMap<RegionId, BTreeMap<RegionId, Ticks>>,
    /// All waiting at each region.
    waited: HashMap<RegionId, Ticks>,
    nesting: Nesting,
}

/// Code that waiting goes back to.
pub(super) struct Origin {
    pub(super) region: RegionId,
    /// Its call path with the most waiting.
    pub(super) code: CallId,
    /// The construct or function around it, which a finding names.
    pub(super) site: CallId,
    pub(super) ticks: Ticks,
    /// The part that comes through other waiting.
    indirect: Ticks,
    /// By location.
    by: BTreeMap<LocationId, Ticks>,
}

impl<'a> Roots<'a> {
    fn new(search: &'a Search<'a>) -> Self {
        let lens = search.lens;
        let mut by_call: HashMap<CallId, Vec<&Root>> = HashMap::new();
        for root in &lens.cube.roots {
            by_call.entry(root.call).or_default().push(root);
        }
        let tree = &lens.cube.calls;
        let critical = tree.innermost(|call| lens.role(call) == Role::Critical);
        let (waiting, waited) = (HashMap::new(), HashMap::new());
        let nesting = Nesting::new(tree);
        let mut roots = Self { search, by_call, critical, waiting, waited, nesting };
        for root in &lens.cube.roots {
            let (at, by) = (tree.region(root.call), tree.region(roots.site(root.by.0)));
            *roots.waited.entry(at).or_default() += root.ticks();
            *roots.waiting.entry(by).or_default().entry(at).or_default() += root.ticks();
        }
        roots
    }

    fn of(&self, calls: &[CallId]) -> impl Iterator<Item = &'a Root> {
        calls.iter().filter_map(|call| self.by_call.get(call)).flatten().copied()
    }

    /// What a finding names for some code: the critical construct that it is in, the construct that
    /// only one thread executes, or else the innermost construct or function.
    fn site(&self, code: CallId) -> CallId {
        let paths = &self.search.paths;
        let around = self.critical[code].or(paths.for_one[code]).unwrap_or(code);
        paths.construct[around].unwrap_or(around)
    }

    /// What the waiting at these call paths goes back to, the largest part first.
    pub(super) fn origins(&self, calls: &[CallId]) -> Vec<Origin> {
        let tree = &self.search.lens.cube.calls;
        let mut parts: BTreeMap<(RegionId, CallId), Origin> = BTreeMap::new();
        for root in self.of(calls) {
            let (code, location) = root.by;
            let site = self.site(code);
            let region = tree.region(site);
            let origin = parts.entry((region, code)).or_insert_with(|| Origin {
                region,
                code,
                site,
                ticks: 0,
                indirect: 0,
                by: BTreeMap::new(),
            });
            origin.ticks += root.ticks();
            origin.indirect += root.indirect_ticks;
            *origin.by.entry(location).or_default() += root.ticks();
        }
        let mut parts: Vec<Origin> = parts.into_values().collect();
        parts.sort_by_key(|part| (-part.ticks, part.code));
        let mut found: Vec<Origin> = Vec::new();
        let mut known: HashMap<RegionId, usize> = HashMap::new();
        for part in parts {
            match known.get(&part.region) {
                Some(&at) => found[at].add(part),
                None => {
                    known.insert(part.region, found.len());
                    found.push(part);
                }
            }
        }
        found.sort_by_key(|origin| (-origin.ticks, origin.region));
        found
    }

    /// The causes of the waiting of a finding, as data.
    fn causes(&self, calls: &[CallId]) -> Vec<RootCause> {
        let all: Ticks = self.of(calls).map(Root::ticks).sum();
        let origins = self.origins(calls).into_iter();
        let origins = origins.map(|origin| (origin.ticks as f64 / all.max(1) as f64, origin));
        let large = origins.filter(|(share, _)| *share >= SMALL_SHARE).take(NAMED);
        large
            .map(|(share, origin)| RootCause {
                call: origin.code,
                location: origin.most().0,
                ticks: origin.ticks,
                share,
            })
            .collect()
    }

    /// Whether the finding names this code.
    pub(super) fn is_named(&self, finding: &Finding, origin: &Origin) -> bool {
        let lens = &self.search.lens;
        if origin.region == finding.region || is_barrier(lens.role(origin.site)) {
            return true;
        }
        if origin.is_lock(lens) || has_name_of_its_own(lens, origin.site) {
            return false;
        }
        // A part of the construct.
        let around = self.search.paths.by_region[finding.region].iter();
        around.into_iter().any(|&call| self.nesting.is_below(origin.site, call))
    }

    /// The places of waiting that go back to the code of a finding, and to which code most.
    fn sentence(&self, finding: &Finding) -> Option<String> {
        let lens = &self.search.lens;
        let origins = self.origins(&finding.calls);
        let large = origins.iter().take(NAMED);
        let origin = large.into_iter().find(|origin| self.is_named(finding, origin))?;
        if is_barrier(lens.role(origin.site)) {
            return None;
        }
        // Everywhere in the run, and of all waiting at these places.
        let all = |region: &RegionId| self.waited.get(region).copied().unwrap_or(0);
        let places = self.waiting.get(&origin.region)?.iter();
        let large = |&(region, own): &(&RegionId, &Ticks)| {
            *own > 0 && *own as f64 >= SMALL_SHARE * all(region) as f64
        };
        let places: Vec<(&RegionId, &Ticks)> = places.filter(large).collect();
        let sums = places.iter().fold((0, 0), |sum, of| (sum.0 + all(of.0), sum.1 + of.1));
        let share = sums.1 as f64 / sums.0.max(1) as f64;
        let regions: Vec<RegionId> = places.into_iter().map(|(region, _)| *region).collect();
        let place = waiting_places(lens, &regions)?;
        let (location, ticks) = origin.most();
        let who = match ticks as f64 >= MOST * origin.ticks as f64 {
            true => format!(" on {}", lens.thread_name(location)),
            false => String::new(),
        };
        let (percent, code) = (format::percent(share.min(1.0)), name(lens, origin.code));
        Some(format!(
            "According to the trace, {percent} of the waiting at {place} goes back to {code}{who}."
        ))
    }
}

impl Origin {
    fn add(&mut self, other: Self) {
        self.ticks += other.ticks;
        self.indirect += other.indirect;
        for (location, ticks) in other.by {
            *self.by.entry(location).or_default() += ticks;
        }
    }

    /// The location with the largest delay, and this delay.
    fn most(&self) -> (LocationId, Ticks) {
        let most = self.by.iter().rev().max_by_key(|(_, ticks)| **ticks);
        most.map_or((LocationId(0), 0), |(&location, &ticks)| (location, ticks))
    }

    /// Whether it delays by keeping others waiting for a critical construct or a lock.
    pub(super) fn is_lock(&self, lens: &Lens) -> bool {
        let is_lock = matches!(lens.role(self.site), Role::Critical | Role::Lock);
        is_lock && 2 * self.indirect >= self.ticks
    }
}

/// Which call path lies below which: a walk up for each question would take hours in a tree of
/// 100,000 levels.
struct Nesting {
    /// Place of each call path, parents before children, depth first; and the number of call paths
    /// at and below it.
    spans: IndexVec<CallId, (usize, usize)>,
}

impl Nesting {
    fn new(tree: &CallTree) -> Self {
        let mut spans: IndexVec<CallId, (usize, usize)> = tree.ids().map(|_| (0, 1)).collect();
        let depth_first = tree.roots().iter().flat_map(|&root| tree.subtree(root));
        for (place, call) in depth_first.enumerate() {
            spans[call].0 = place;
        }
        // A parent comes before its children.
        for call in tree.ids().rev() {
            if let Some(parent) = tree.parent(call) {
                let below = spans[call].1;
                spans[parent].1 += below;
            }
        }
        Self { spans }
    }

    fn is_below(&self, call: CallId, above: CallId) -> bool {
        let ((place, _), (begin, number)) = (self.spans[call], self.spans[above]);
        (begin..begin + number).contains(&place)
    }
}

/// What people look for by its name: a function, or a region of theirs.
fn has_name_of_its_own(lens: &Lens, code: CallId) -> bool {
    matches!(lens.role(code), Role::Function | Role::User)
}

/// `for relax ocean.c:118`, `assemble (mesh.c:88)`.
fn name(lens: &Lens, code: CallId) -> String {
    let name = format::name_with_place(lens.cube, code);
    match lens.region(code).source().filter(|_| has_name_of_its_own(lens, code)) {
        Some(source) => format!("{name} ({source})"),
        None => name,
    }
}

/// `barrier a.c:5`, `4 barriers`, `3 places`.
fn waiting_places(lens: &Lens, regions: &[RegionId]) -> Option<String> {
    let are_barriers = regions.iter().all(|&region| is_barrier(lens.cube.regions[region].role));
    match (regions, are_barriers) {
        ([], _) => None,
        (&[one], _) => Some(lens.cube.regions[one].label()),
        (several, true) => Some(format!("{} barriers", several.len())),
        (several, false) => Some(format!("{} places", several.len())),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_model::{CallId, Cube, LocationId, Root};

    use super::super::{Cause, Known, check_cube};

    /// Causes: the end of the call path that waits, that of the cause, its location, and direct and
    /// indirect milliseconds.
    fn cube(text: &str, roots: &[(&str, &str, u32, i64, i64)]) -> Cube {
        let mut cube = crate::notation::cube(text).unwrap();
        let name = |call: CallId| {
            let region = &cube.regions[cube.calls.region(call)];
            format!("{}@{}", region.construct(), region.begin_line)
        };
        let find = |end: &str| cube.calls.ids().find(|&call| name(call) == end).unwrap();
        let root = |&(call, by, location, direct_ticks, indirect_ticks)| Root {
            call: find(call),
            by: (find(by), LocationId(location)),
            direct_ticks,
            indirect_ticks,
        };
        cube.roots = roots.iter().map(root).collect();
        cube
    }

    fn check(text: &str, roots: &[(&str, &str, u32, i64, i64)], expect: Expect) {
        check_cube(&crate::derive(&cube(text, roots)), Known::default(), expect);
    }

    const LATE: &str = "wall=500 locations=2
        a/parallel@a.c:30                    *  visits=1
        a/parallel@a.c:30/assemble@b.c:9     0  time=400 visits=40
        a/parallel@a.c:30/assemble@b.c:9     1  time=100 visits=40
        a/parallel@a.c:30/solve@b.c:20       *  time=100 visits=40
        a/parallel@a.c:30/barrier@a.c:33     0  visits=40 omp_barrier_last=40
        a/parallel@a.c:30/barrier@a.c:33     1  time=300 visits=40 omp_ebarrier_wait=300";

    #[test]
    fn what_profile_and_trace_both_know_gets_a_sentence() {
        check(
            LATE,
            &[("barrier@33", "assemble@9", 0, 290, 0), ("barrier@33", "solve@20", 0, 10, 0)],
            expect![[r#"
                b.c:9 assemble | omp_ebarrier_wait lost=300 gain=150 (123 to 177)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 40 visits, 3.8 ms after the average.
                    It computes 0.15 s longer here than its team on average, which waits at barrier a.c:33.
                    According to the trace, 97 % of the waiting at barrier a.c:33 goes back to assemble (b.c:9) on thread 0.
                    This thread has more work: split the work by cost, or use tasks.
            "#]],
        );
    }

    /// Both threads compute equally long in all, but in each visit another one is late.
    #[test]
    fn the_loss_moves_to_the_code_that_makes_another_thread_late_each_time() {
        check(
            "wall=500 locations=2
             a/parallel@a.c:30                    *  visits=1
             a/parallel@a.c:30/assemble@b.c:9     *  time=300 visits=40
             a/parallel@a.c:30/solve@b.c:20       *  time=100 visits=40
             a/parallel@a.c:30/barrier@a.c:33     *  time=100 visits=40 omp_ebarrier_wait=100
             a/parallel@a.c:30/barrier@a.c:33     *  omp_barrier_last=20",
            &[
                ("barrier@33", "assemble@9", 0, 80, 0),
                ("barrier@33", "assemble@9", 1, 85, 0),
                ("barrier@33", "solve@20", 1, 35, 0),
            ],
            expect![[r#"
                b.c:9 assemble | omp_ebarrier_wait lost=165 gain=82 (48 to 99)
                    [imbalance_changing, none]
                    It makes threads late at barrier a.c:33.
                    According to the trace, 82 % of the waiting at barrier a.c:33 goes back to assemble (b.c:9).
                    No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
                b.c:20 solve | omp_ebarrier_wait lost=35 gain=17 (10 to 21)
                    [imbalance_changing, none]
                    It makes threads late at barrier a.c:33.
                    According to the trace, 18 % of the waiting at barrier a.c:33 goes back to solve (b.c:20) on thread 1.
                    No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
            "#]],
        );
    }

    /// After the critical section, the threads come to one of two barriers. Thread 0 waits there
    /// for thread 1, which has waited for the critical section. The profile sees this for the
    /// larger one.
    #[test]
    fn waiting_that_follows_from_a_critical_section_is_lost_there() {
        check(
            "wall=600 locations=2
             a/parallel@a.c:30                     *  visits=1
             a/parallel@a.c:30/critical@a.c:31     *  visits=40
             a/parallel@a.c:30/critical@a.c:31     1  time=200 omp_lock_contention_critical=200
             a/parallel@a.c:30/critical@a.c:31/critical sblock@a.c:31  *  time=200 visits=40
             a/parallel@a.c:30/barrier@a.c:33      1  visits=30 omp_barrier_last=30
             a/parallel@a.c:30/barrier@a.c:33      0  visits=30 time=150 omp_ebarrier_wait=150
             a/parallel@a.c:30/barrier@a.c:36      1  visits=10 omp_barrier_last=10
             a/parallel@a.c:30/barrier@a.c:36      0  visits=10 time=50 omp_ebarrier_wait=50
             a/parallel@a.c:30/solve@b.c:20        *  time=200 visits=40
             a/parallel@a.c:30/implicit barrier@a.c:50  *  visits=1",
            &[
                ("critical@31", "critical sblock@31", 0, 200, 0),
                ("barrier@33", "critical sblock@31", 0, 0, 150),
                ("barrier@36", "critical sblock@31", 0, 0, 48),
                ("barrier@36", "solve@20", 1, 2, 0),
            ],
            expect![[r#"
                a.c:31 critical | omp_lock_contention_critical lost=400 gain=175 (138 to 212)
                    [critical, none]
                    80 visits: 2.5 ms waiting for another thread, 5.0 ms inside.
                    One thread at a time is inside: 80 x 5.0 ms = 0.40 s of the run's 0.60 s.
                    It makes threads late at barrier a.c:36.
                    According to the trace, 100 % of the waiting at 3 places goes back to critical body a.c:31 on thread 0.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
    }

    /// As above with a lock, which thread 0 takes in line 31 and thread 1 in line 40.
    #[test]
    fn waiting_that_follows_from_a_lock_is_lost_at_the_call_that_took_it() {
        let cube = cube(
            "wall=600 locations=2
             a/parallel@a.c:30                     *  visits=1
             a/parallel@a.c:30                     0  time=200
             a/parallel@a.c:30/omp_set_lock@a.c:31  0  visits=40
             a/parallel@a.c:30/omp_set_lock@a.c:40  1  time=200 visits=40 \
             omp_lock_contention_api=200
             a/parallel@a.c:30                     1  time=200
             a/parallel@a.c:30/barrier@a.c:33      1  visits=30 omp_barrier_last=30
             a/parallel@a.c:30/barrier@a.c:33      0  visits=30 time=150 omp_ebarrier_wait=150
             a/parallel@a.c:30/barrier@a.c:36      1  visits=10 omp_barrier_last=10
             a/parallel@a.c:30/barrier@a.c:36      0  visits=10 time=50 omp_ebarrier_wait=50
             a/parallel@a.c:30/solve@b.c:20        *  time=200 visits=40
             a/parallel@a.c:30/implicit barrier@a.c:50  *  visits=1",
            &[
                ("omp_set_lock@40", "omp_set_lock@31", 0, 200, 0),
                ("barrier@33", "omp_set_lock@31", 0, 0, 150),
                ("barrier@36", "omp_set_lock@31", 0, 0, 48),
                ("barrier@36", "solve@20", 1, 2, 0),
            ],
        );
        let found = crate::findings(&crate::derive(&cube));
        let at_lock = found.iter().find(|finding| finding.place == "a.c:31");
        assert_eq!(at_lock.and_then(|finding| finding.cause), Some(Cause::Lock), "{found:?}");
    }

    #[test]
    fn a_call_path_is_below_itself_and_those_around_it() {
        let cube = crate::notation::cube(
            "wall=100 locations=1
             a/f@a.c:2/g@a.c:3     0  time=50
             a/h@a.c:4/g@a.c:3     0  time=50",
        );
        let tree = cube.unwrap().calls;
        let nesting = super::Nesting::new(&tree);
        for call in tree.ids() {
            for other in tree.ids() {
                let is_below = tree.ancestors(call).any(|above| above == other);
                assert_eq!(nesting.is_below(call, other), is_below, "{call:?} {other:?}");
            }
        }
    }

    #[test]
    fn without_a_trace_nothing_changes() {
        check(
            LATE,
            &[],
            expect![[r#"
                b.c:9 assemble | omp_ebarrier_wait lost=300 gain=150 (123 to 177)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 40 visits, 3.8 ms after the average.
                    It computes 0.15 s longer here than its team on average, which waits at barrier a.c:33.
                    This thread has more work: split the work by cost, or use tasks.
            "#]],
        );
    }
}
