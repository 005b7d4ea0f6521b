//! The invariant that makes the tree of properties worth trusting: nothing is missing and nothing
//! is counted twice.

use pompeii_model::{Cube, Id, Metric, MetricId, Row, Ticks};
use thiserror::Error;

use crate::idle::Presence;

/// A sum that does not hold. All numbers are clock ticks.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SumError {
    /// The whole is not wall time x locations.
    #[error(
        "time and idle time sum to {sum} ticks, wall time x locations is {allocation} \
         (difference {})", sum - allocation
    )]
    Allocation {
        /// Total of `time`, which contains idle time.
        sum: Ticks,
        /// Wall time x locations.
        allocation: Ticks,
    },
    /// A master thread was not seen for all of its process's life.
    #[error("location {location} was seen for {seen} ticks of {wall}")]
    Master {
        /// Index of the location.
        location: usize,
        /// Its time in all call paths.
        seen: Ticks,
        /// Wall time of its process.
        wall: Ticks,
    },
    /// Task trees and stub nodes disagree.
    #[error("location {location}: task trees and stub nodes differ by {difference} ticks")]
    Tasks {
        /// Index of the location.
        location: usize,
        /// Time in task trees minus `task_time` of the stub nodes.
        difference: Ticks,
    },
    /// The parts of a metric are more than the metric, or one of them is negative.
    #[error("metric {metric}: {what} at call path {call}, location {location}")]
    Parts {
        /// Name of the metric.
        metric: String,
        /// What does not hold.
        what: String,
        /// Index of the call path.
        call: usize,
        /// Index of the location.
        location: usize,
    },
}

/// Checks an analysed cube ([`crate::derive`]): each master was seen for exactly its process's
/// life, task trees equal stub nodes, every metric contains its parts at every call path and
/// location, and the total is wall time x locations. All comparisons are of integers.
///
/// # Errors
/// The first sum that does not hold.
pub fn check_sum(cube: &Cube) -> Result<(), SumError> {
    check_masters(cube)?;
    check_parts(cube)?;
    let sum = cube.metric("time").map_or(0, |time| cube.total(time));
    let allocation = cube.allocation_ticks();
    if sum == allocation { Ok(()) } else { Err(SumError::Allocation { sum, allocation }) }
}

fn check_masters(cube: &Cube) -> Result<(), SumError> {
    let only_in_task_trees = Presence::new(cube).only_in_task_trees();
    for process in cube.system.processes.iter() {
        let location = process.master;
        let difference = only_in_task_trees[location];
        if difference != 0 {
            return Err(SumError::Tasks { location: location.index(), difference });
        }
        let seen = cube.metric("execution").map_or(0, |time| cube.total_at(time, location));
        if seen != process.wall_ticks {
            let (location, wall) = (location.index(), process.wall_ticks);
            return Err(SumError::Master { location, seen, wall });
        }
    }
    Ok(())
}

fn check_parts(cube: &Cube) -> Result<(), SumError> {
    for (id, metric) in cube.metrics().enumerated() {
        let parts: Vec<MetricId> = cube.metric_children(id).collect();
        for call in cube.calls.ids() {
            let rows = parts.iter().map(|&part| cube.shared_row(part, call));
            let sums = rows.fold(Row::default(), |sum, row| sum.plus(&row));
            if sums.is_empty() && cube.row(id, call).is_empty() {
                continue;
            }
            for location in cube.system.locations.ids() {
                let (whole, sum) = (cube.get(id, call, location), sums.get(location));
                if whole < 0 || sum > whole {
                    return Err(parts_error(metric, (whole, sum), call.index(), location.index()));
                }
            }
        }
    }
    Ok(())
}

fn parts_error(
    metric: &Metric,
    (whole, sum): (i64, i64),
    call: usize,
    location: usize,
) -> SumError {
    let what = match whole {
        ..0 => format!("{whole} is negative"),
        _ => format!("its parts are {sum}, the whole is {whole}"),
    };
    SumError::Parts { metric: metric.name.clone(), what, call, location }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let shown = check_sum(&cube).map_or_else(|error| error.to_string(), |()| "holds".into());
        expect.assert_eq(&shown);
    }

    #[test]
    fn a_serial_part_a_region_and_tasks_sum_to_the_allocation() {
        check(
            "wall=100 locations=3
             a                                               0    time=30
             a/parallel@a.c:2                                0    time=20
             a/parallel@a.c:2                                1    time=25
             a/parallel@a.c:2/implicit barrier@a.c:9         0    time=10
             a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:4  0  task_time=40
             TASKS/task@a.c:4                                0    time=40",
            expect!["holds"],
        );
        check(
            "wall=100 locations=2
             a                                               0    time=60
             a/taskwait@a.c:3/task@a.c:4                     0    task_time=40
             a/TASKS/task@a.c:4                              0    time=40",
            expect!["holds"],
        );
    }

    #[test]
    fn inner_teams_of_a_task_are_no_idle_time() {
        check(
            "wall=100 locations=3
             a                                         0    time=10
             a/parallel@a.c:2                          0    time=20
             a/parallel@a.c:2                          1    time=90
             a/parallel@a.c:2/task@a.c:4               0    task_time=70
             TASKS/task@a.c:4/parallel@a.c:5           0    time=70
             TASKS/task@a.c:4/parallel@a.c:5           2    time=60",
            expect!["holds"],
        );
    }

    #[test]
    fn what_is_missing_is_said() {
        check(
            "wall=100 locations=2\n a  0  time=99",
            expect!["location 0 was seen for 99 ticks of 100"],
        );
        check(
            "wall=100 locations=2
             a                             0  time=60
             a/taskwait@a.c:2/task@a.c:1   0  task_time=39
             TASKS/task@a.c:1              0  time=40",
            expect!["location 0: task trees and stub nodes differ by 1 ticks"],
        );
        check(
            "wall=100 locations=2
             a                             0  time=40
             a/parallel@a.c:2              0  time=60
             a/parallel@a.c:2              1  time=61",
            expect!["metric omp_idle_threads: -1 is negative at call path 1, location 1"],
        );
    }
}
