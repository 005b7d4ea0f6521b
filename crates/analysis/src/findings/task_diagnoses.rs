//! The three task problems of "Performance Analysis Techniques for Task-Based OpenMP Applications"
//! (Schmidl et al.), told apart by the profile alone. All that the threads of a task group lose
//! around its tasks (waiting in its barriers, creating, waiting in taskwait, joining) is given one
//! cause where a cause can be named; else the other detectors report the parts.
//!
//! Why these questions in this order: a creator that is slow makes the others wait whatever it is
//! slow in, so waiting alone cannot tell small tasks from slow production; what the creator does
//! instead can. And few tasks may be produced slowly, but where production does not explain the
//! waiting, their number does.

use pompeii_model::{CallId, RegionId};

use super::fractions::divide;
use super::starvation::is_for_a_long_task;
use super::task_group::{TaskConstruct, TaskGroup, TaskNumbers, Tasks, task_groups};
use super::{Advice, AdviceKind, Cause, Loss, Search, Site, Words};
use crate::properties::{task_creation_bottleneck, tasks_too_few, tasks_too_small};
use crate::task_times::{TaskInstances, task_instances};
use crate::{Lens, format};

/// A smaller share of the CPU allocation is not called a problem of the tasks.
const PROBLEM_SHARE: f64 = 0.02;

/// The properties that are reported here.
pub(super) const NAMES: [&str; 3] = [
    tasks_too_small::PROPERTY.name,
    task_creation_bottleneck::PROPERTY.name,
    tasks_too_few::PROPERTY.name,
];

/// All that is lost at barriers. A final barrier without measured starvation has it in its join.
const AT_BARRIERS: &[&str] = &["omp_barrier", "omp_management"];

/// What a task costs about that another thread executes, in seconds: its memory, the lock of the
/// queue and the counts in it change CPUs, several cache lines each.
const HANDED_OVER_S: f64 = 1e-6;

/// The metrics that a diagnosis explains there.
const EXPLAINED: &[&str] = &[
    "omp_ibarrier_wait",
    "omp_ebarrier_wait",
    "omp_ibarrier_starvation",
    "omp_ebarrier_starvation",
    "omp_barrier",
    "omp_management",
];

/// Waiting for tasks outside of barriers.
const TASK_WAITS: [&str; 3] = ["omp_taskwait", "omp_taskgroup", "omp_taskloop"];

pub(super) fn detect(search: &mut Search) {
    let tasks = Tasks::new(&search.lens);
    let known = task_instances(search.lens.cube);
    for group in task_groups(&search.lens, &tasks) {
        diagnose(search, &group, (&tasks, &known));
    }
}

fn diagnose(search: &mut Search, group: &TaskGroup, (tasks, known): (&Tasks, &[TaskInstances])) {
    let lens = search.lens;
    let numbers = TaskNumbers::new(&lens, (group, tasks), &search.paths.by_region);
    let at_barriers: i64 =
        AT_BARRIERS.iter().map(|metric| lens.sum(metric, &numbers.barriers)).sum();
    let waiting: i64 = TASK_WAITS.iter().map(|metric| lens.sum(metric, &numbers.taskwaits)).sum();
    let lost = at_barriers + numbers.sum(|c| c.creation) + waiting;
    if numbers.sum(|c| c.executed) == 0 || lens.share(lost) < PROBLEM_SHARE {
        return;
    }
    let busiest = numbers.constructs.iter().max_by_key(|c| (c.work, std::cmp::Reverse(c.task)));
    let Some(&busiest) = busiest else { return };
    let small = tasks_too_small::find(&lens.cube.regions, &numbers, lost);
    let (name, parts) = if !small.is_empty() {
        let part = |(small, share): (TaskConstruct, f64)| {
            (small, share, words_too_small(&lens, &small, &numbers))
        };
        (tasks_too_small::PROPERTY.name, small.into_iter().map(part).collect())
    } else if task_creation_bottleneck::applies(&numbers, lost) {
        let words = words_creation(&lens, &numbers);
        (task_creation_bottleneck::PROPERTY.name, vec![(busiest, 1.0, words)])
    } else if tasks_too_few::applies(&numbers, lost)
        && !is_for_a_long_task(&lens, known, &numbers.barriers)
    {
        let words = words_too_few(&lens, &numbers);
        (tasks_too_few::PROPERTY.name, vec![(busiest, 1.0, words)])
    } else {
        return;
    };
    for metric in EXPLAINED {
        search.claim(metric, &numbers.barriers);
    }
    for metric in TASK_WAITS {
        search.claim(metric, &numbers.taskwaits);
    }
    search.claim("omp_task_creation", &numbers.creations);
    let gain = divide(lost, numbers.threads as i64);
    let loss = without_measuring(search, &numbers, Loss::new(lost, gain));
    for (construct, share, words) in parts {
        search.report(name, site(&lens, construct.task, &numbers), loss.part(share), words);
    }
}

/// The loss without what measuring the tasks cost: by how much the parallel regions around them
/// were longer, but for the events in the tasks' own time, which is no part of the loss.
fn without_measuring(search: &Search, numbers: &TaskNumbers, loss: Loss) -> Loss {
    let Some(costs) = &search.costs else { return loss };
    let threads = numbers.threads as i64;
    let places = numbers.barriers.iter().chain(&numbers.creations).chain(&numbers.taskwaits);
    let mut parallels: Vec<CallId> =
        places.filter_map(|&call| search.paths.outermost_parallel[call]).collect();
    parallels.sort();
    parallels.dedup();
    let tasks: Vec<RegionId> = numbers.constructs.iter().map(|of| of.task).collect();
    let is_own = |call: &CallId| {
        search.lens.is_task_tree(*call) && tasks.contains(&search.lens.cube.calls.region(*call))
    };
    let own: Vec<CallId> = search.lens.cube.calls.ids().filter(is_own).collect();
    let longer = costs.longer(&parallels) - divide(costs.inside(&own), threads);
    loss.without(longer.max(0) * threads, threads, costs.unsure_of_tasks())
}

/// The task construct, and the metric with the largest loss; of creations those in its function.
fn site(lens: &Lens, region: RegionId, numbers: &TaskNumbers) -> Site {
    let mut parts = vec![(lens.sum("omp_task_creation", &numbers.creations), "omp_task_creation")];
    parts.extend(TASK_WAITS.map(|metric| (lens.sum(metric, &numbers.taskwaits), metric)));
    let waits = EXPLAINED.iter().filter(|&&metric| metric != "omp_barrier");
    parts.extend(waits.map(|&metric| (lens.sum(metric, &numbers.barriers), metric)));
    let (_, metric) = parts.into_iter().max().unwrap_or((0, "omp_task_creation"));
    let here = &lens.cube.regions[region];
    let is_here = |call: &CallId| {
        let other = lens.region(*call);
        (other.file_name(), other.function()) == (here.file_name(), here.function())
    };
    let calls = match metric {
        "omp_task_creation" => numbers.creations.iter().copied().filter(is_here).collect(),
        metric if TASK_WAITS.contains(&metric) => numbers.taskwaits.clone(),
        _ => numbers.barriers.clone(),
    };
    Site { region, construct: lens.cube.regions[region].construct().to_owned(), metric, calls }
}

/// Fractions of ticks as text.
fn shown(lens: &Lens, ticks: f64) -> String {
    format::seconds(ticks / lens.cube.clock.ticks_per_second())
}

/// `300 tasks of 2.0 ms on average`: the instances of all constructs.
fn tasks_of_each(lens: &Lens, numbers: &TaskNumbers) -> (String, f64) {
    let (executed, work) = (numbers.sum(|c| c.executed), numbers.sum(|c| c.work));
    let mean = work as f64 / executed.max(1) as f64;
    (format!("{} of {} on average", format::counted(executed, "task"), shown(lens, mean)), mean)
}

fn words_too_small(lens: &Lens, small: &TaskConstruct, numbers: &TaskNumbers) -> Words {
    let (work, creation) = (small.mean_work(), small.mean_creation());
    let tasks = format::counted(small.executed, "task");
    let (each, create) = (shown(lens, work), shown(lens, creation));
    let mut details = vec![format!("{tasks} of {each} on average; creating one takes {create}.")];
    if small.undeferred > 0 {
        let more = format::count(small.undeferred);
        details.push(format!("{more} more were executed at once by their creator and not timed."));
    }
    let target = lens.cube.regions[small.task].position().unwrap_or_default();
    let value = larger(lens, small, numbers).to_string();
    let advice = Advice { kind: AdviceKind::Cutoff, target, value: Some(value) };
    Words { cause: Some(Cause::TasksTooSmall), details, advice }
}

/// How many tasks one task may replace so that there are still enough for each thread between two
/// waits, 1 or more.
fn tasks_in_one(lens: &Lens, small: &TaskConstruct, numbers: &TaskNumbers) -> i64 {
    let threads = numbers.threads.max(1) as i64;
    let outside = |calls: &[CallId]| -> Vec<CallId> {
        calls.iter().copied().filter(|&call| !lens.in_task_tree(call)).collect()
    };
    let waits = match small.loop_visits {
        0 => {
            lens.sum("visits", &outside(&numbers.taskwaits))
                + lens.sum("visits", &outside(&numbers.barriers)) / threads
        }
        visits => visits,
    };
    let between = (small.executed + small.undeferred) / waits.max(1);
    (between / (threads * tasks_too_few::ENOUGH_PER_THREAD)).max(1)
}

/// How many present tasks one task is to do. Enough for what creating one takes now; and since
/// larger tasks go to other threads more often, enough for that, too. A taskloop shares one range
/// of iterations: more tasks than are needed even out nothing, and runtime libraries let one thread
/// execute all of them if there are very many.
fn larger(lens: &Lens, small: &TaskConstruct, numbers: &TaskNumbers) -> i64 {
    let work = small.mean_work().max(0.1);
    let worth = |ticks: f64| (tasks_too_small::WORTH * ticks / work).ceil() as i64;
    let most = tasks_in_one(lens, small, numbers);
    let handed_over = HANDED_OVER_S * lens.cube.clock.ticks_per_second();
    let wanted = if small.loop_visits > 0 { most } else { most.min(worth(handed_over)) };
    wanted.max(worth(small.mean_creation()))
}

fn words_too_few(lens: &Lens, numbers: &TaskNumbers) -> Words {
    let threads = numbers.threads as i64;
    let (tasks, _) = tasks_of_each(lens, numbers);
    let loops = numbers.waits_of_loops();
    let all = threads.max(1) * loops.max(1);
    let ratio = numbers.sum(|c| c.executed) as f64 / all as f64;
    let wanted = format::count(threads * tasks_too_few::ENOUGH_PER_THREAD);
    let (visits, advice) = match loops {
        0 => {
            (String::new(), format!("Split the work into {wanted} tasks or more, long ones first."))
        }
        visits => (
            format!(" in {} of taskloops,", format::counted(visits, "visit")),
            format!("Let each taskloop make {wanted} tasks or more (num_tasks, grainsize)."),
        ),
    };
    Words {
        cause: Some(Cause::FewUnits),
        details: vec![format!("{tasks}{visits} for {threads} threads: {ratio:.1} per thread.")],
        advice: Advice::none(advice),
    }
}

fn words_creation(lens: &Lens, numbers: &TaskNumbers) -> Words {
    let creators = numbers.creators.len();
    let by_creators: i64 = numbers.creators.iter().map(|(_, created)| created).sum();
    let created = numbers.sum(|c| c.created);
    let share = format::percent(by_creators as f64 / created.max(1) as f64);
    let producing = (numbers.production + numbers.creators_creation) as f64;
    let need = shown(lens, producing / by_creators.max(1) as f64);
    let (_, mean) = tasks_of_each(lens, numbers);
    let wanted = shown(lens, mean / (numbers.threads - creators).max(1) as f64);
    let tasks = format::counted(created, "task");
    let first = match numbers.creators.as_slice() {
        [(only, _)] => {
            format!("{} creates {share} of {tasks} and needs {need} each;", lens.thread_name(*only))
        }
        _ => format!("{creators} threads create {share} of {tasks} and need {need} each;"),
    };
    let each = shown(lens, mean);
    let second =
        format!("executing a task takes {each}, so the others could take one every {wanted}.");
    Words {
        cause: Some(Cause::OneCreator),
        details: vec![first, second],
        advice: Advice::none(
            "Create tasks on several threads, or move their preparation into the tasks.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{check_measured, gain::Gain};
    use crate::Measuring;
    use expect_test::expect;

    /// Each of 400 tasks costs its creator, which also executes it, four events of 100 us: 160 ms, of
    /// which 40 ms lie in the tasks' own time. That is 20 ms for each of two threads, and no part of
    /// the loss. Without measuring, the gain is 925 - (160 - 20) ms.
    #[test]
    fn what_measuring_tasks_cost_is_no_loss() {
        check_measured(
            "wall=1000 locations=2
             a/parallel@a.c:2                                      *  visits=1
             a/parallel@a.c:2/single@a.c:3                         *  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3     0  time=50 visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  time=850 \
             visits=400 tasks_created=400
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5/task@a.c:5  0  \
             task_switches=400 task_time=100
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1  time=1000 visits=1 \
             omp_ibarrier_wait=1000
             TASKS/task@a.c:5                                      0  time=100 visits=400",
            Measuring { clock_ns: 99_997.5, ..Measuring::default() },
            expect![[r#"
                a.c:5 task | tasks_too_small lost=1570 gain=785 (622 to 888)
                    [tasks_too_small, cutoff a.c:5]
                    400 tasks of 250 µs on average; creating one takes 2.1 ms.
                    Let one task do what 85 tasks do now (grainsize), or create none below a size (if, final).
            "#]],
        );
        assert_eq!(Gain::about(100).without(20, 0.0), Gain::between(74, 80, 86));
        // Others may hide all of it, or nothing.
        assert_eq!(Gain::about(100).without(20, 1.0), Gain::between(60, 80, 100));
    }

    /// Creating a task takes 150 ns, for which 8 tasks in one would do, and a task that another
    /// thread executes about 1 us, for which it is 50. But of 400 tasks in a visit, each of two
    /// threads needs ten.
    #[test]
    fn a_cut_off_is_enough_for_tasks_that_other_threads_execute() {
        let advised = |visits: i64| {
            let cube = crate::notation::cube(&format!(
                "wall=5000 locations=2 clock=1000000000
                 a/parallel@a.c:2                                      *  visits={visits}
                 a/parallel@a.c:2/single@a.c:3                         *  visits={visits}
                 a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  \
                 time=600000 visits=4000 tasks_created=4000
                 a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  0  visits={visits}
                 a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1  time=1000000 \
                 visits={visits} omp_ibarrier_wait=1000000
                 a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  1  \
                 task_switches=4000 task_time=800000
                 TASKS/task@a.c:5                                      1  time=800000 visits=4000",
            ));
            let found = super::super::findings(&crate::derive(&cube.unwrap()));
            found[0].advice.value.clone()
        };
        assert_eq!([advised(1), advised(10)], [Some("50".to_owned()), Some("20".to_owned())]);
        assert_eq!(advised(100), Some("8".to_owned()));
    }
}
