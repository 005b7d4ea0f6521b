//! Who waited for whom, summed for people: per construct that threads wait at, the locations that
//! they wait for, each with the call path that it came from.

use pompeii_model::{CallId, LocationId, RegionId, Role, Ticks};

use crate::Lens;

/// A construct at which threads have waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitedAt {
    /// The barrier, critical, lock routine, ordered or taskwait.
    pub region: RegionId,
    /// All waiting there that has a known cause or one that is not told apart.
    pub ticks: Ticks,
    /// What was waited for, the largest first.
    pub causes: Vec<Cause>,
}

/// Something that was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
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
    let mut regions: Vec<RegionId> =
        lens.cube.waits.iter().map(|wait| lens.cube.calls.region(wait.call)).collect();
    regions.sort();
    regions.dedup();
    let of = |region: RegionId| {
        let causes = causes(lens, |call| lens.cube.calls.region(call) == region);
        WaitedAt { region, ticks: causes.iter().map(|cause| cause.ticks).sum(), causes }
    };
    let mut found: Vec<WaitedAt> = regions.into_iter().map(of).collect();
    found.sort_by_key(|at| (-at.ticks, at.region));
    found
}

/// What was waited for at these call paths, the largest first.
pub fn causes(lens: &Lens, at: impl Fn(CallId) -> bool) -> Vec<Cause> {
    let mut found: Vec<Cause> = Vec::new();
    for wait in lens.cube.waits.iter().filter(|wait| at(wait.call)) {
        let by = wait.by.map(|(call, location)| (around(lens, call), location));
        match found.iter_mut().find(|cause| cause.by == by) {
            Some(cause) => {
                cause.visits += wait.visits;
                cause.ticks += wait.ticks();
            }
            None => found.push(Cause { by, visits: wait.visits, ticks: wait.ticks() }),
        }
    }
    found.sort_by_key(|cause| (-cause.ticks, cause.by));
    found
}

/// The call path that a delaying location came from: a construct that synchronises says only where
/// it went.
fn around(lens: &Lens, call: CallId) -> CallId {
    let synchronises = |call: &CallId| {
        matches!(
            lens.role(*call),
            Role::Barrier | Role::ImplicitBarrier | Role::Critical | Role::Ordered | Role::Lock
        )
    };
    lens.cube.calls.ancestors(call).find(|above| !synchronises(above)).unwrap_or(call)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use pompeii_model::Wait;

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
            for Cause { by, visits, ticks } in at.causes {
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
