//! Who waited for whom, summed for people: per construct that threads wait at, the locations that
//! they wait for, each with the call path that it came from.

use std::collections::HashMap;

use pompeii_model::{CallId, IndexVec, LocationId, Region, RegionId, Role, Ticks, Wait};

use crate::Lens;

/// A construct at which threads have waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitedAt {
    /// The barrier, critical, lock routine, ordered or taskwait, or a function of POSIX threads.
    pub region: RegionId,
    /// All waiting there that has a known cause or one that is not told apart.
    pub ticks: Ticks,
    /// What was waited for, the largest first.
    pub causes: Vec<WaitedFor>,
}

/// Something that was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitedFor {
    /// The delaying location and the call path it was in, without the waiting construct itself:
    /// what is around the barrier, around the held lock, or the task. `None` for all others.
    pub by: Option<(CallId, LocationId)>,
    /// Waits for it.
    pub visits: i64,
    /// Their time.
    pub ticks: Ticks,
}

/// All constructs at which threads have waited for each other, the largest first.
pub fn waited_at(lens: &Lens) -> Vec<WaitedAt> {
    let waits = Waits::new(*lens);
    let mut calls: Vec<(RegionId, CallId)> =
        waits.by_call.keys().map(|&call| (lens.cube.calls.region(call), call)).collect();
    calls.sort();
    let of = |group: &[(RegionId, CallId)]| {
        let causes = waits.causes(group.iter().map(|&(_, call)| call));
        let ticks = causes.iter().map(|cause| cause.ticks).sum();
        WaitedAt { region: group[0].0, ticks, causes }
    };
    let mut found: Vec<WaitedAt> = calls.chunk_by(|a, b| a.0 == b.0).map(of).collect();
    found.sort_by_key(|at| (-at.ticks, at.region));
    found
}

/// The waits of a cube, by the call path that waited.
pub(crate) struct Waits<'a> {
    by_call: HashMap<CallId, Vec<&'a Wait>>,
    /// The call path that a delaying location came from: a construct that synchronises says only
    /// where it went. `None`: the call path has no other part.
    around: IndexVec<CallId, Option<CallId>>,
}

impl<'a> Waits<'a> {
    pub(crate) fn new(lens: Lens<'a>) -> Self {
        let mut by_call: HashMap<CallId, Vec<&Wait>> = HashMap::new();
        for wait in lens.cube.waits.iter().filter(|wait| !wait.is_serial()) {
            by_call.entry(wait.call).or_default().push(wait);
        }
        let around = lens.cube.calls.innermost(|call| !synchronises(lens.region(call)));
        Self { by_call, around }
    }

    /// Where whoever was waited for at this call path was, the waiting construct itself included:
    /// the call that has acquired a lock, for example.
    pub(crate) fn holders(&self, call: CallId) -> impl Iterator<Item = (CallId, Ticks)> {
        let waits = self.by_call.get(&call).into_iter().flatten();
        waits.filter_map(|wait| Some((wait.by?.0, wait.ticks())))
    }

    /// Who was waited for at these call paths, and in which call, the waiting construct itself
    /// included: the one that has signaled a condition, for example. The largest first.
    pub(crate) fn enders(&self, calls: &[CallId]) -> Vec<((CallId, LocationId), Ticks)> {
        let mut found: HashMap<(CallId, LocationId), Ticks> = HashMap::new();
        for wait in calls.iter().filter_map(|call| self.by_call.get(call)).flatten() {
            if let Some(by) = wait.by {
                *found.entry(by).or_default() += wait.ticks();
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by_key(|&(by, ticks)| (-ticks, by));
        found
    }

    /// What was waited for at these call paths, the largest first.
    pub(crate) fn causes(&self, calls: impl IntoIterator<Item = CallId>) -> Vec<WaitedFor> {
        let mut found: HashMap<Option<(CallId, LocationId)>, WaitedFor> = HashMap::new();
        for wait in calls.into_iter().filter_map(|call| self.by_call.get(&call)).flatten() {
            let by = wait.by.map(|(call, at)| (self.around[call].unwrap_or(call), at));
            let cause = found.entry(by).or_insert(WaitedFor { by, visits: 0, ticks: 0 });
            cause.visits += wait.visits;
            cause.ticks += wait.ticks();
        }
        let mut found: Vec<WaitedFor> = found.into_values().collect();
        found.sort_by_key(|cause| (-cause.ticks, cause.by));
        found
    }
}

fn synchronises(region: &Region) -> bool {
    let is_construct = matches!(
        region.role,
        Role::Barrier | Role::ImplicitBarrier | Role::Critical | Role::Ordered | Role::Lock
    );
    is_construct || region.pthread_class().is_some()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn waits_are_summed_by_construct_and_cause() {
        let mut cube = crate::notation::cube(
            "wall=100 locations=3
             a/parallel@a.c:2                          *  time=10
             a/parallel@a.c:2/f@a.c:20/barrier@a.c:5   *  time=10
             a/parallel@a.c:2/g@a.c:30/barrier@a.c:5   *  time=10
             a/parallel@a.c:2/critical@a.c:7           *  time=10",
        )
        .unwrap();
        let call = |line, above: &str| {
            let of = |call: &CallId| {
                let region = &cube.regions[cube.calls.region(*call)];
                let parent = cube.calls.parent(*call).unwrap_or(*call);
                region.begin_line == line && Lens::new(&cube).region(parent).construct() == above
            };
            cube.calls.ids().find(of).unwrap()
        };
        let (f, g, critical) = (call(5, "f"), call(5, "g"), call(7, "parallel"));
        let wait = |call, location, by, visits, wait_ticks| Wait {
            call,
            location: LocationId(location),
            by,
            visits,
            wait_ticks,
            starvation_ticks: 0,
        };
        cube.waits = vec![
            wait(f, 1, Some((g, LocationId(0))), 3, 30),
            wait(g, 2, Some((g, LocationId(0))), 1, 10),
            wait(f, 2, Some((f, LocationId(1))), 1, 5),
            wait(critical, 1, Some((critical, LocationId(0))), 9, 90),
            wait(critical, 1, None, 2, 4),
        ];
        let cube = crate::derive(&cube);
        let lens = Lens::new(&cube);
        let mut text = String::new();
        for at in waited_at(&lens) {
            text += &format!("{} {}\n", cube.regions[at.region].name, at.ticks);
            for WaitedFor { by, visits, ticks } in at.causes {
                let by = by.map_or("others".to_owned(), |(call, location)| {
                    format!("{location:?} in {}", lens.region(call).construct())
                });
                text += &format!("  {by} x{visits} {ticks}\n");
            }
        }
        expect![[r#"
            !$omp critical @a.c:7 94
              LocationId(0) in parallel x9 90
              others x2 4
            !$omp barrier @a.c:5 45
              LocationId(0) in g x4 40
              LocationId(1) in f x1 5
        "#]]
        .assert_eq(&text);
    }
}
