//! What the critical path costs on all locations: what they did at most as long as the path, what
//! they did longer, and what they lost because the path is not spread evenly.
//!
//! With g(c) = time of the critical path in call path c, and T(c) = time of a location in c without
//! waiting and without fork and join: min(g, T) are activities of the path, and T - g, if it is
//! more than 0, are activities that are not on it. A location loses the rest of the path's length.
//! This loss goes back to the call paths in proportion to g - T, if it is more than 0. If T is 0 in
//! a call path, the location had no part in it, as in a program whose locations have different
//! tasks (partitions). The loss by such call paths is what the others cannot have caused. All of it
//! together is the length of the path x locations, to the tick, if no location computes longer than
//! the path is.

use pompeii_model::{CallId, Cube, IndexVec, LocationId, MetricId, Row, Ticks};

/// The critical path of a cube, and what it costs.
#[derive(Default)]
pub struct Impact {
    /// By call path: lost because the path is not spread evenly, on all locations. Empty without a
    /// critical path.
    lost: IndexVec<CallId, Ticks>,
    /// The part of it of locations without a part in the call path.
    foreign: IndexVec<CallId, Ticks>,
    metrics: Metrics,
}

/// The metrics that it is computed from.
#[derive(Default)]
struct Metrics {
    path: Option<MetricId>,
    time: Option<MetricId>,
    /// No activities: waiting, fork and join.
    without: Vec<MetricId>,
}

/// Sums over the call paths of a location.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// By which the path is longer than the location.
    longer: Ticks,
    /// Of call paths in which the location has no part.
    foreign: Ticks,
    /// By which the location is longer than the path.
    beyond: Ticks,
}

/// Whether the formulas need this metric of a trace, besides the time.
pub(crate) fn needs(metric: &str) -> bool {
    metric == "critical_path" || is_no_activity(metric)
}

fn is_no_activity(metric: &str) -> bool {
    let waits = ["mpi_wait_direct", "mpi_wait_indirect", "omp_wait_direct", "omp_wait_indirect"];
    metric == "omp_management" || waits.iter().any(|begin| metric.starts_with(begin))
}

/// The part of some ticks that has this share of a sum, rounded down.
fn part(ticks: Ticks, share: Ticks, sum: Ticks) -> Ticks {
    match sum {
        0 => 0,
        _ => (i128::from(ticks) * i128::from(share) / i128::from(sum)) as Ticks,
    }
}

impl Metrics {
    fn new(cube: &Cube) -> Self {
        let known = cube.metrics().enumerated();
        let without = known.filter(|(_, metric)| is_no_activity(&metric.name)).map(|(id, _)| id);
        Self {
            path: cube.metric("critical_path"),
            time: cube.metric("time"),
            without: without.collect(),
        }
    }

    /// Time of the path in a call path by location.
    fn path(&self, cube: &Cube, call: CallId) -> Row {
        self.path.map_or_else(Row::default, |path| cube.shared_row(path, call))
    }

    /// Time on the path, and what each location did.
    fn times(&self, cube: &Cube, call: CallId) -> (Ticks, Vec<Ticks>) {
        let on_path = self.path(cube, call).values().iter().sum::<Ticks>().max(0);
        let time = self.time.map_or_else(Row::default, |time| cube.shared_row(time, call));
        let useful =
            self.without.iter().fold(time, |sum, &id| sum.minus(&cube.shared_row(id, call)));
        let locations = (0..cube.system.locations.len()).map(|at| LocationId(at as u32));
        (on_path, locations.map(|at| useful.get(at).max(0)).collect())
    }
}

impl Impact {
    /// Finds what the critical path of a measured cube costs.
    pub fn new(cube: &Cube) -> Self {
        let metrics = Metrics::new(cube);
        if metrics.path.is_none() {
            return Self::default();
        }
        let mut sums = vec![Sums::default(); cube.system.locations.len()];
        for call in cube.calls.ids() {
            let (on_path, useful) = metrics.times(cube, call);
            for (sums, useful) in sums.iter_mut().zip(useful) {
                sums.longer += (on_path - useful).max(0);
                sums.beyond += (useful - on_path).max(0);
                sums.foreign += if useful == 0 { on_path } else { 0 };
            }
        }
        let mut impact = Self { metrics, ..Self::default() };
        let mut before = vec![0; sums.len()];
        for call in cube.calls.ids() {
            let (on_path, useful) = impact.metrics.times(cube, call);
            let (mut lost, mut foreign) = (0, 0);
            for ((sums, before), useful) in sums.iter().zip(&mut before).zip(useful) {
                // Shares are differences of rounded sums, so they add up to the whole.
                let all = (sums.longer - sums.beyond).max(0);
                let given = part(all, *before, sums.longer);
                *before += (on_path - useful).max(0);
                lost += part(all, *before, sums.longer) - given;
                if useful == 0 {
                    let all = (sums.foreign - sums.beyond).max(0);
                    foreign += part(all, on_path, sums.foreign);
                }
            }
            impact.lost.push(lost);
            impact.foreign.push(foreign);
        }
        impact
    }

    /// What a location did in a call path, at most as long as the path.
    pub fn critical(&self, cube: &Cube, call: CallId) -> Row {
        self.activities(cube, call, |on_path, useful| useful.min(on_path))
    }

    /// What a location did longer than the path.
    pub fn non_critical(&self, cube: &Cube, call: CallId) -> Row {
        self.activities(cube, call, |on_path, useful| (useful - on_path).max(0))
    }

    fn activities(&self, cube: &Cube, call: CallId, of: fn(Ticks, Ticks) -> Ticks) -> Row {
        if self.metrics.path.is_none() {
            return Row::default();
        }
        let (on_path, useful) = self.metrics.times(cube, call);
        Row::new(useful.into_iter().map(|useful| of(on_path, useful)).collect())
    }

    /// Loss of locations that have a part in the call path, at the locations of the path.
    pub fn intra(&self, cube: &Cube, call: CallId) -> Row {
        let Some(lost) = self.lost.get(call) else { return Row::default() };
        self.spread(cube, call, *lost).minus(&self.inter(cube, call))
    }

    /// Loss of locations without a part in the call path, at the locations of the path.
    pub fn inter(&self, cube: &Cube, call: CallId) -> Row {
        let Some(&foreign) = self.foreign.get(call) else { return Row::default() };
        let path = self.metrics.path(cube, call);
        let sum = path.values().iter().sum();
        Row::new(path.values().iter().map(|&ticks| part(foreign, ticks, sum)).collect())
    }

    /// The part of the path that a call path has more than the average location.
    pub fn imbalance(&self, cube: &Cube, call: CallId) -> Row {
        if self.metrics.path.is_none() {
            return Row::default();
        }
        let (on_path, useful) = self.metrics.times(cube, call);
        let average = useful.iter().sum::<Ticks>() / (useful.len() as Ticks).max(1);
        self.spread(cube, call, (on_path - average).max(0))
    }

    /// Divides ticks among the locations of the path.
    fn spread(&self, cube: &Cube, call: CallId, ticks: Ticks) -> Row {
        let path = self.metrics.path(cube, call);
        let sum = path.values().iter().sum();
        let (mut before, mut given) = (0, 0);
        let share = |&own: &Ticks| {
            before += own;
            let up_to = part(ticks, before, sum);
            let share = up_to - given;
            given = up_to;
            share
        };
        Row::new(path.values().iter().map(share).collect())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_replay::{Options, text};

    use crate::trace::analysed;

    const NAMES: [&str; 6] = [
        "critical_path",
        "critical_path_imbalance",
        "critical_path_activities",
        "intra_partition_imbalance",
        "inter_partition_imbalance",
        "non_critical_path_activities",
    ];

    /// Shows what the critical path of a trace costs. All of it is the path's length on all
    /// locations.
    fn check(trace: &str, expect: Expect) {
        let trace = text::parse(trace).unwrap();
        let options = Options { path: true, ..Options::default() };
        let (severities, outcome) = analysed(&trace, 1, options);
        let cube = crate::derive(&severities.cube(&outcome));
        let mut shown = String::new();
        for call in cube.calls.ids() {
            shown += &outcome.path(call);
            for name in NAMES {
                let row = cube.row(cube.metric(name).unwrap(), call);
                if !row.is_empty() {
                    shown += &format!("  {name}={row:?}");
                }
            }
            shown.push('\n');
        }
        expect.assert_eq(&shown);
        let total = |name: &str| cube.total(cube.metric(name).unwrap());
        let all = total("critical_path") * outcome.locations() as i64;
        assert_eq!(total("performance_impact"), all);
    }

    #[test]
    fn the_longest_location_of_a_call_path_makes_the_others_lose() {
        // Both solve, rank 1 for 20 ticks and rank 0 for 10. The path is on rank 1: 20 of solve. It
        // has 5 ticks more than the average, and rank 0 loses 10.
        check(
            "end 40
             comm W = 0 1
             0 0.0 program; + solve
             0 1.0 program; + solve
             10 0.0 -; + MPI_Barrier; begin
             20 1.0 -; + MPI_Barrier; begin
             22 0.0 end BARRIER W - 0 0; -
             22 1.0 end BARRIER W - 0 0; -
             40 0.0 exit
             40 1.0 exit",
            expect![[r#"
                program  critical_path=[18, 0]  critical_path_activities=[18, 18]
                program/solve  critical_path=[0, 20]  critical_path_imbalance=[0, 5]  critical_path_activities=[10, 20]  intra_partition_imbalance=[0, 10]
                program/MPI_Barrier  critical_path=[2, 0]  critical_path_activities=[2, 2]
            "#]],
        );
    }

    #[test]
    fn work_of_one_location_alone_is_of_another_partition() {
        // Only rank 1 is in `assemble`, for 30 ticks, while rank 0 is in `output` for 10 and waits.
        check(
            "end 60
             comm W = 0 1
             0 0.0 program; + output
             0 1.0 program; + assemble
             10 0.0 -; + MPI_Barrier; begin
             30 1.0 -; + MPI_Barrier; begin
             32 0.0 end BARRIER W - 0 0; -
             32 1.0 end BARRIER W - 0 0; -
             60 0.0 exit
             60 1.0 exit",
            expect![[r#"
                program  critical_path=[28, 0]  critical_path_activities=[28, 28]
                program/output  non_critical_path_activities=[10, 0]
                program/assemble  critical_path=[0, 30]  critical_path_imbalance=[0, 15]  critical_path_activities=[0, 30]  inter_partition_imbalance=[0, 20]
                program/MPI_Barrier  critical_path=[2, 0]  critical_path_activities=[2, 2]
            "#]],
        );
    }

    #[test]
    fn threads_without_work_lose_the_serial_part() {
        check(
            "end 60
             team A = 0.0 0.1
             30 0.0 fork; team A; + parallel
             30 0.1 team A; + parallel
             40 0.1 + ibarrier
             50 0.0 + ibarrier
             50 0.0 -; -; endteam A; join
             50 0.1 -; -; endteam A",
            expect![[r#"
                program  critical_path=[40, 0]  critical_path_imbalance=[20, 0]  critical_path_activities=[40, 0]  inter_partition_imbalance=[40, 0]
                program/parallel  critical_path=[20, 0]  critical_path_imbalance=[5, 0]  critical_path_activities=[20, 10]  intra_partition_imbalance=[10, 0]
                program/parallel/ibarrier
            "#]],
        );
    }

    #[test]
    fn a_profile_without_a_path_has_none_of_it() {
        let measured = crate::notation::cube("wall=10 locations=1\n a  0  time=10").unwrap();
        let cube = crate::derive(&measured);
        for name in NAMES {
            assert_eq!(cube.total(cube.metric(name).unwrap()), 0, "{name}");
        }
    }
}
