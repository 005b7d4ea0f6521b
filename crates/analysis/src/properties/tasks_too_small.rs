//! Diagnosis: a task does less work than it costs to create it, or not much more.

use std::collections::BTreeMap;

use pompeii_model::{IndexVec, Region, RegionId, Unit};

use super::{Compute, Doc, Property, gains};
use crate::findings::task_group::{TaskConstruct, TaskNumbers};

/// Tasks too small.
pub const PROPERTY: Property = Property {
    name: "tasks_too_small",
    title: "Tasks too small",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Nothing,
    gain: gains::AROUND_TASKS,
    doc: Doc {
        measures: "Tasks do less work than creating them costs: the threads are busy with \
            creating, queueing and fetching tasks.",
        formula: "mean work of a task < 10 x mean time to create one, and creating takes at least \
            as long as the creating threads compute between creations. The loss around the tasks \
            is at least 2 % of the CPU allocation, and at most 10 x creation x threads, because a \
            larger loss has another cause. Mean work = computation in the task trees / executed \
            tasks. Lost: waiting, starvation and joining in the tasks' barriers + creation + \
            taskwait.",
        cost: "Creating a task costs up to some microseconds, and more if many threads fetch from \
            the same queue. Executing the body directly would have cost less.",
        recognise: "omp_task_creation and the tasks' barriers are large, tasks_created is in the \
            many thousands, and time / visits of the task is a few microseconds or less.",
        remedy: "Do more work in each task: several iterations, taskloop with grainsize(n), or a \
            recursion that creates no tasks below a certain size (if or final clause, or a \
            version without tasks).",
        example: "for (i...) { task { a[i] = f(i); } } where f takes 50 ns: create one task for \
            1,000 iterations instead.",
    },
};

/// Less than this many times the creation's cost is too small for a task.
pub(crate) const WORTH: f64 = 10.0;

/// While a task is created, each thread may wait for it, and then for others that fetch theirs from
/// the same queue. What is lost beyond so many times that is not due to the tasks' size.
const EXPLAINED_MAX: f64 = 10.0;

/// If several constructs cost about as much, the first of them is named: this share of the most.
const ALIKE: f64 = 0.5;

/// The constructs whose tasks are too small for what they cost, where that explains what was `lost`
/// (clock ticks): one of the costliest of each function, with the share of the cost that lies in
/// the constructs of this function. The halves of a recursion stand next to each other, and one
/// test of the size cuts off both. Constructs of two functions need two repairs.
pub(crate) fn find(
    regions: &IndexVec<RegionId, Region>,
    numbers: &TaskNumbers,
    lost: i64,
) -> Vec<(TaskConstruct, f64)> {
    let small = |c: &&TaskConstruct| c.created > 0 && c.mean_work() < WORTH * c.mean_creation();
    let all: Vec<TaskConstruct> = numbers.constructs.iter().filter(small).copied().collect();
    let creation = whole_creation(&all);
    // A creator that mostly computes is slow for another reason: see task_creation_bottleneck.
    let explained = EXPLAINED_MAX * creation * numbers.threads as f64;
    if creation < numbers.production as f64 || explained < lost as f64 {
        return Vec::new();
    }
    let function = |of: &TaskConstruct| {
        let region = &regions[of.task];
        (region.file_name(), region.function())
    };
    let mut functions: BTreeMap<_, Vec<TaskConstruct>> = BTreeMap::new();
    for construct in all {
        functions.entry(function(&construct)).or_default().push(construct);
    }
    let found = |of: Vec<TaskConstruct>| {
        let most = of.iter().map(TaskConstruct::whole_creation).fold(0.0, f64::max);
        let costly = of.iter().filter(|construct| construct.whole_creation() >= ALIKE * most);
        let first = costly.min_by_key(|construct| construct.task);
        first.map(|&first| (first, whole_creation(&of) / creation))
    };
    functions.into_values().filter_map(found).collect()
}

fn whole_creation(constructs: &[TaskConstruct]) -> f64 {
    constructs.iter().map(TaskConstruct::whole_creation).sum()
}

#[cfg(test)]
mod tests {
    use crate::findings::check;
    use expect_test::expect;
    use pompeii_model::{Distribution, LocationId, Moments, Role, TaskTime, TaskTimes};

    #[test]
    fn one_creator_and_tiny_tasks() {
        check(
            "wall=1000 locations=2 clock=1000000
             a/parallel@a.c:2                                      *  visits=1
             a/parallel@a.c:2/single@a.c:3                         *  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3     0  time=50 visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  time=850 \
             visits=400 tasks_created=400
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  0  time=60 visits=1 \
             omp_task_starvation=60 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1  time=840 visits=1 \
             omp_ibarrier_wait=780 omp_task_starvation=60
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  0  task_time=40
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  1  task_time=160
             TASKS/task@a.c:5                                      0  time=40 visits=80
             TASKS/task@a.c:5                                      1  time=160 visits=320",
            expect![[r#"
                a.c:5 task | tasks_too_small lost=1750 gain=875 (734 to 1000)
                    [tasks_too_small, cutoff a.c:5]
                    400 tasks of 500 ns on average; creating one takes 2.1 µs.
                    Let one task do what 43 tasks do now (grainsize), or create none below a size (if, final).
            "#]],
        );
    }

    /// Three quarters of the loss lie in the tasks of one function, and a repair of these leaves the
    /// others. In one function, one repair removes both.
    #[test]
    fn tasks_of_two_functions_need_two_repairs() {
        let found = |functions: [&str; 2]| -> Vec<String> {
            let mut cube = crate::notation::cube(
                "wall=1000 locations=2 clock=1000000
                 a/parallel@a.c:2                          *  visits=1
                 a/parallel@a.c:2/create task@a.c:5        0  time=600 visits=300 tasks_created=300
                 a/parallel@a.c:2/create task@a.c:9        0  time=200 visits=100 tasks_created=100
                 a/parallel@a.c:2/implicit barrier@a.c:12  1  time=800 visits=1 \
                 omp_ibarrier_wait=800
                 a/parallel@a.c:2/implicit barrier@a.c:12/task@a.c:5  0  task_time=150
                 a/parallel@a.c:2/implicit barrier@a.c:12/task@a.c:9  0  task_time=50
                 TASKS/task@a.c:5                          0  time=150 visits=300
                 TASKS/task@a.c:9                          0  time=50 visits=100",
            )
            .unwrap();
            let ids: Vec<_> = cube.regions.ids().collect();
            for id in ids {
                let function = functions[usize::from(cube.regions[id].begin().1 >= 9)];
                cube.regions[id].place_in(function);
            }
            let found = crate::findings(&crate::derive(&cube));
            let shown = found.iter().map(|of| {
                let gain = of.gain.map(|gain| gain.ticks);
                format!("{} lost {} gain {gain:?}", of.place, of.lost_ticks)
            });
            shown.collect()
        };
        expect![[r#"
            many a.c:5 lost 1200 gain Some(600)
            few a.c:9 lost 400 gain Some(200)
            many a.c:2 lost 200 gain Some(100)"#]]
        .assert_eq(&found(["many", "few"]).join("\n"));
        expect![[r#"
            both a.c:5 lost 1600 gain Some(800)
            both a.c:2 lost 200 gain Some(100)"#]]
        .assert_eq(&found(["both", "both"]).join("\n"));
    }

    /// A taskloop has no events of creations: 780 ms in it are creation, but for the 3 ms that its
    /// longest task can keep it waiting, and the other thread waits for it. With one task of 790 ms
    /// it is all waiting. Ten tasks per thread are enough, however small they are.
    #[test]
    fn a_taskloop_with_tiny_tasks() {
        let found = |longest: i64, count: u64| -> Vec<String> {
            let mut cube = crate::notation::cube(&format!(
                "wall=1000 locations=2 clock=1000000
                 a/parallel@a.c:2                                *  visits=1
                 a/parallel@a.c:2/taskloop@a.c:5                 0  time=780 visits=1
                 a/parallel@a.c:2/taskloop@a.c:5/task@a.c:5      0  task_time=220 \
                 task_switches={count}
                 a/parallel@a.c:2/implicit barrier@a.c:8         1  time=1000 visits=1 \
                 omp_ibarrier_wait=1000
                 TASKS/task@a.c:5                                0  time=220 visits={count}",
            ))
            .unwrap();
            let moments = Moments { count, min: 0, max: longest, sum: 220, sum_of_squares: 0.0 };
            cube.task_times = vec![TaskTimes {
                region: cube.regions.ids().find(|&id| cube.regions[id].role == Role::Task).unwrap(),
                location: LocationId(0),
                time: TaskTime::Execution,
                ticks: Distribution { moments, bins: Vec::new() },
            }];
            let found = crate::findings(&crate::derive(&cube));
            let shown = found.iter().map(|of| {
                format!("{} {} {:?}", of.property.name, of.details.join(" "), of.advice.value)
            });
            shown.collect()
        };
        expect![[
            r#"tasks_too_small 400 tasks of 550 ns on average; creating one takes 1.9 µs. Some("36")"#
        ]]
        .assert_eq(&found(3, 400).join("\n"));
        expect![[
            r#"tasks_too_small 4,000 tasks of 55 ns on average; creating one takes 194 ns. Some("200")"#
        ]]
        .assert_eq(&found(3, 4000).join("\n"));
        expect![[r#"
            omp_ibarrier_wait  Some("No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.")
            omp_taskloop 1 visit, 780 µs each. Some("Choose grainsize or num_tasks: about ten tasks per thread.")"#]].assert_eq(&found(790, 400).join("\n"));
    }

    #[test]
    fn recursion_without_a_cutoff() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                *  visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9         *  visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:20  *  task_time=100
             TASKS/task@a.c:20                               *  time=20 visits=50
             TASKS/task@a.c:20/create task@a.c:20            *  time=50 visits=50 tasks_created=50
             TASKS/task@a.c:20/taskwait@a.c:22               *  time=30 visits=25",
            expect![[r#"
                a.c:20 task | tasks_too_small lost=160 gain=80 (67 to 93)
                    [tasks_too_small, cutoff a.c:20]
                    100 tasks of 400 µs on average; creating one takes 1.0 ms.
                    Let one task do what 25 tasks do now (grainsize), or create none below a size (if, final).
            "#]],
        );
    }

    /// A few tiny tasks in barriers in which threads wait for something else, such as a core.
    #[test]
    fn a_few_tiny_tasks_are_not_what_a_barrier_waits_for() {
        check(
            "wall=1000 locations=2
             a/parallel@a.c:2                                *  visits=1
             a/parallel@a.c:2/create task@a.c:5              *  time=2 visits=5 tasks_created=5
             a/parallel@a.c:2/barrier@a.c:7                  0  time=993 visits=5 \
             omp_ebarrier_wait=400 omp_barrier_last=2
             a/parallel@a.c:2/barrier@a.c:7                  1  time=993 visits=5 \
             omp_ebarrier_wait=500 omp_barrier_last=3
             a/parallel@a.c:2/barrier@a.c:7/task@a.c:5       *  task_time=5
             TASKS/task@a.c:5                                *  time=5 visits=5",
            expect![[r#"
                a.c:7 barrier | omp_ebarrier lost=1086 gain=543 (452 to 634)
                    [?, none]
                    10 visits; each costs 0.11 s in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
                a.c:7 barrier | omp_ebarrier_wait lost=900 gain=450 (261 to 527)
                    [imbalance_changing, none]
                    Different threads arrive last (thread 1 in 3 of 5 visits), 90 ms after the average.
                    No thread is always late: remove the barrier if nothing needs it, or do more work between barriers.
                a.c:5 create task | omp_task_creation lost=4 gain=2 (1 to 7)
                    [tasks_too_small, none]
                    10 visits, 400 µs each.
                    Create fewer and larger tasks (grainsize), or stop creating them below a size (if, final).
            "#]],
        );
    }
}
