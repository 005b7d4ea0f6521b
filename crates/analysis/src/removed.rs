//! Gains of findings from the trace of the run: the run was played again without the loss of a
//! finding. Such a gain takes the place of the prediction from the profile, because the trace shows
//! whether other threads wait for the time that is lost.
//!
//! A finding keeps its prediction if its time in MPI is not known to be waiting, because the run
//! that is played keeps such time. It also keeps it if the trace moves its loss to other code: then
//! it has another loss or another cause, and what was removed is something else.

use pompeii_model::{Cube, MetricId, Ticks};

use crate::dilation::Costs;
use crate::findings::{Finding, FromTrace, Gain};
use crate::format;

/// A finding of the profile that was removed from the recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// Its property.
    pub property: String,
    /// The name of its region.
    pub region: String,
    /// The word of its cause.
    pub cause: String,
    /// CPU time lost, in seconds.
    pub lost_s: f64,
    /// By how much the run was shorter, in seconds.
    pub gain_s: f64,
    /// The gain is an upper bound: nothing took the place of what was removed.
    pub is_bound: bool,
    /// The share of the gain that depends on the recorded order of locks; `None` if the program has
    /// no locks.
    pub lock_order_share: Option<f64>,
}

/// Two losses that differ by less than this share are the same one.
const SAME: f64 = 0.01;

impl Removed {
    /// Whether this is a finding of a cube.
    pub fn is(&self, cube: &Cube, finding: &Finding) -> bool {
        let lost_s = cube.clock.seconds(finding.lost_ticks);
        self.property == finding.property.name
            && self.region == cube.regions[finding.region].name
            && finding.cause.is_some_and(|cause| cause.code() == self.cause)
            && (self.lost_s - lost_s).abs() <= SAME * lost_s.abs()
    }

    /// The gain in ticks of a cube. An upper bound has the lower bound of the profile.
    fn gain(&self, cube: &Cube, known: Option<Gain>) -> Gain {
        let ticks = (self.gain_s * cube.clock.ticks_per_second()).round() as Ticks;
        let low = match (self.is_bound, known) {
            (false, _) => ticks,
            (true, known) => known.map_or(0, |gain| gain.low_ticks).min(ticks),
        };
        Gain::between(low, ticks, ticks)
    }
}

/// Whether it is known that most of the time of a finding is waiting for others. In a run that is
/// played again, calls of MPI keep all other time: that in a send which ends late, for example, or
/// that at the end of a file.
fn is_waiting(cube: &Cube, finding: &Finding) -> bool {
    let Some(metric) = cube.metric(finding.metric).filter(|_| is_of_mpi(finding)) else {
        return true;
    };
    let ticks =
        |part: MetricId| -> Ticks { finding.calls.iter().map(|call| cube.own(part, *call)).sum() };
    let waiting: Ticks = cube.metric_children(metric).map(ticks).sum();
    2 * waiting >= finding.lost_ticks
}

fn is_of_mpi(finding: &Finding) -> bool {
    finding.metric.starts_with("mpi_")
}

/// How much of a gain depends on who got a lock first in the recorded run.
fn lock_order(share: f64) -> String {
    const LITTLE: f64 = 0.005;
    let order = "on the order in which threads got locks in this run.";
    match share < LITTLE {
        true => format!("The gain does not depend {order}"),
        false => format!("Of the gain, {} depends {order}", format::percent(share)),
    }
}

/// Gives findings the gains of the trace. What the machine explains keeps its gain.
pub(crate) fn apply(
    cube: &Cube,
    removed: &[Removed],
    costs: Option<&Costs>,
    found: &mut [Finding],
) {
    let measuring = costs.map_or(0, Costs::run_ticks);
    for finding in found.iter_mut().filter(|finding| finding.explained_by.is_none()) {
        let Some(of) = removed.iter().find(|of| of.is(cube, finding)) else { continue };
        if !is_waiting(cube, finding) {
            continue;
        }
        let (name, lost) = (finding.property.name, finding.lost_ticks);
        let gain = of.gain(cube, finding.gain).in_run(cube, name, lost);
        finding.gain = Some(gain.without_measuring(cube, name, measuring));
        finding.from_trace =
            Some(FromTrace { is_bound: of.is_bound, lock_order_share: of.lock_order_share });
        finding.details.extend(of.lock_order_share.map(lock_order));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{Cause, Machine, derive, findings_on, notation};

    /// The first thread has 600 ticks more work than the three others, ten times.
    const LATE: &str = "wall=1000 locations=4
        a/parallel@a.c:5                          *    visits=10
        a/parallel@a.c:5/for@a.c:5                0    time=1000 visits=10
        a/parallel@a.c:5/for@a.c:5                1-3  time=400 visits=10
        a/parallel@a.c:5/implicit barrier@a.c:9   *    visits=10
        a/parallel@a.c:5/implicit barrier@a.c:9   1-3  time=600 omp_ibarrier_wait=600
        a/parallel@a.c:5/implicit barrier@a.c:9  0  omp_barrier_last=9 omp_barrier_delay=1800
        a/parallel@a.c:5/implicit barrier@a.c:9   2    omp_barrier_last=1";

    /// A run that is 200 ticks shorter without a finding.
    fn without(cube: &Cube, finding: &Finding) -> Removed {
        Removed {
            property: finding.property.name.to_owned(),
            region: cube.regions[finding.region].name.clone(),
            cause: finding.cause.map(Cause::code).unwrap_or_default().to_owned(),
            lost_s: cube.clock.seconds(finding.lost_ticks),
            gain_s: cube.clock.seconds(200),
            is_bound: false,
            lock_order_share: None,
        }
    }

    /// The finding of [`LATE`] with its gain, after a change of what was removed.
    fn check(change: impl Fn(&mut Removed), expect: Expect) {
        let cube = derive(&notation::cube(LATE).unwrap());
        let profile = findings_on(&cube, &Machine::default(), None).swap_remove(0);
        let mut removed = without(&cube, &profile);
        change(&mut removed);
        let machine = Machine { removed: vec![removed], ..Machine::default() };
        let found = findings_on(&cube, &machine, None).swap_remove(0);
        let Gain { ticks, low_ticks, high_ticks } = found.gain.unwrap();
        let origin = found.from_trace.map_or("profile", |_| "trace");
        let is_bound = found.from_trace.is_some_and(|of| of.is_bound);
        let order = found.details.iter().filter(|detail| detail.contains("got locks"));
        let order: String = order.map(|detail| format!("\n{detail}")).collect();
        let text = format!("{ticks} ({low_ticks} to {high_ticks}) {origin} {is_bound}{order}");
        expect.assert_eq(&text);
    }

    /// Runs differ by 15 % of a loss and by 1 % of the wall time.
    #[test]
    fn the_gain_is_that_of_the_trace_with_the_bounds_of_all_gains() {
        check(|_| (), expect!["200 (160 to 240) trace false"]);
        check(|of| of.is_bound = true, expect!["200 (160 to 240) trace true"]);
        check(
            |of| of.lock_order_share = Some(0.25),
            expect![[r#"
                200 (160 to 240) trace false
                Of the gain, 25 % depends on the order in which threads got locks in this run."#]],
        );
        check(
            |of| of.lock_order_share = Some(0.0),
            expect![[r#"
                200 (160 to 240) trace false
                The gain does not depend on the order in which threads got locks in this run."#]],
        );
    }

    /// The first process comes late to an operation of all. What the profile of the second process
    /// has of this time is waiting, or nothing is known of it.
    #[test]
    fn time_in_mpi_that_is_not_known_to_be_waiting_stays_in_the_run() {
        let gain = |waiting: i64| {
            let text = format!(
                "wall=1000 locations=2 processes=2
                 a                          *  time=10
                 a/f@a.c:3                  0  time=900 visits=30
                 a/f@a.c:3                  1  time=300 visits=30
                 a/MPI_Allreduce@a.c:7      0  time=90 visits=30
                 a/MPI_Allreduce@a.c:7      1  time=690 visits=30 mpi_wait_nxn={waiting}"
            );
            let cube = derive(&notation::cube(&text).unwrap());
            let profile = findings_on(&cube, &Machine::default(), None).swap_remove(0);
            assert_eq!(profile.metric, "mpi_collective");
            let removed = vec![without(&cube, &profile)];
            let machine = Machine { removed, ..Machine::default() };
            findings_on(&cube, &machine, None).swap_remove(0).from_trace.is_some()
        };
        assert!(gain(600));
        assert!(!gain(100));
    }

    #[test]
    fn another_finding_keeps_its_prediction() {
        check(
            |of| of.region = "!$omp for @b.c:1".to_owned(),
            expect!["450 (373 to 527) profile false"],
        );
        check(|of| of.lost_s *= 1.1, expect!["450 (373 to 527) profile false"]);
        check(|of| of.cause = "lock".to_owned(), expect!["450 (373 to 527) profile false"]);
    }
}
