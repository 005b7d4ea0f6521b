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

use super::barriers::divide;
use super::task_group::{TaskGroup, TaskNumbers, task_groups};
use super::{Loss, Search, Site, Words};
use crate::properties::{task_creation_bottleneck, tasks_too_few, tasks_too_small};
use crate::{Lens, format};

/// A smaller share of the CPU allocation is not called a problem of the tasks.
const PROBLEM_SHARE: f64 = 0.02;

/// All that is lost at barriers. A final barrier without measured starvation has it in its join.
const AT_BARRIERS: &[&str] = &["omp_barrier", "omp_management"];

/// The metrics that a diagnosis explains there.
const EXPLAINED: &[&str] = &[
    "omp_ibarrier_wait",
    "omp_ebarrier_wait",
    "omp_ibarrier_starvation",
    "omp_ebarrier_starvation",
    "omp_barrier",
    "omp_management",
];

pub(super) fn detect(search: &mut Search) {
    for group in task_groups(&search.lens) {
        diagnose(search, &group);
    }
}

fn diagnose(search: &mut Search, group: &TaskGroup) {
    let lens = search.lens;
    let numbers = TaskNumbers::new(&lens, group);
    let at_barriers: i64 =
        AT_BARRIERS.iter().map(|metric| lens.sum(metric, &numbers.barriers)).sum();
    let taskwait = lens.sum("omp_taskwait", &numbers.taskwaits);
    let lost = at_barriers + numbers.creation + taskwait;
    if numbers.executed == 0 || lens.share(lost) < PROBLEM_SHARE {
        return;
    }
    let name = if tasks_too_small::applies(&numbers) {
        tasks_too_small::PROPERTY.name
    } else if task_creation_bottleneck::applies(&numbers, lost) {
        task_creation_bottleneck::PROPERTY.name
    } else if tasks_too_few::applies(&numbers) {
        tasks_too_few::PROPERTY.name
    } else {
        return;
    };
    for metric in EXPLAINED {
        search.claim(metric, &numbers.barriers);
    }
    search.claim("omp_taskwait", &numbers.taskwaits);
    search.claim("omp_task_creation", &numbers.creations);
    let gain = divide(lost, numbers.threads as i64);
    let site = site(&lens, group, &numbers);
    let words = words(&lens, name, &numbers);
    search.report(name, site, Loss { lost, gain }, words);
}

/// The construct with the most time in its trees, and the metric with the largest loss.
fn site(lens: &Lens, group: &TaskGroup, numbers: &TaskNumbers) -> Site {
    let calls = &lens.cube.calls;
    let time = |task: &RegionId| {
        let tops = calls.ids().filter(|&call| calls.region(call) == *task && !lens.is_stub(call));
        let below: Vec<CallId> = tops.flat_map(|top| calls.subtree(top)).collect();
        (lens.sum("execution", &below), std::cmp::Reverse(*task))
    };
    let region = group.tasks.iter().copied().max_by_key(time).unwrap_or(RegionId(0));
    let mut parts = vec![
        (lens.sum("omp_task_creation", &numbers.creations), "omp_task_creation"),
        (lens.sum("omp_taskwait", &numbers.taskwaits), "omp_taskwait"),
    ];
    parts.extend(
        EXPLAINED
            .iter()
            .filter(|&&m| m != "omp_barrier")
            .map(|&name| (lens.sum(name, &numbers.barriers), name)),
    );
    let (_, metric) = parts.into_iter().max().unwrap_or((0, "omp_task_creation"));
    let calls = match metric {
        "omp_task_creation" => numbers.creations.clone(),
        "omp_taskwait" => numbers.taskwaits.clone(),
        _ => numbers.barriers.clone(),
    };
    Site { region, construct: lens.cube.regions[region].construct().to_owned(), metric, calls }
}

fn words(lens: &Lens, name: &str, numbers: &TaskNumbers) -> Words {
    let seconds = |ticks: f64| format::seconds(ticks / lens.cube.clock.ticks_per_second());
    let mean = |sum: i64, count: i64| sum as f64 / count.max(1) as f64;
    let run = mean(numbers.work, numbers.executed);
    let create = mean(numbers.creation, numbers.created);
    let tasks = format::counted(numbers.executed, "task");
    let each = seconds(run);
    if name == tasks_too_small::PROPERTY.name {
        let larger = format::count((10.0 * create / run.max(0.1)).ceil() as i64);
        let create = seconds(create);
        return Words {
            details: vec![format!("{tasks} of {each} each; creating one takes {create}.")],
            suggestion: format!(
                "Make tasks {larger} times larger (grainsize), or cut off with if or final."
            ),
        };
    }
    let threads = numbers.threads as i64;
    if name == tasks_too_few::PROPERTY.name {
        let ratio = mean(numbers.executed, threads);
        let wanted = format::count(threads * 10);
        return Words {
            details: vec![format!(
                "{tasks} of {each} each for {threads} threads: {ratio:.1} per thread."
            )],
            suggestion: format!("Split the work into {wanted} tasks or more, long ones first."),
        };
    }
    let creators = numbers.creators.len() as i64;
    let created: i64 = numbers.creators.iter().map(|(_, created)| created).sum();
    let share = format::percent(mean(created, numbers.created.max(created)));
    let production = mean(numbers.production + numbers.creators_creation, created);
    let wanted = seconds(run / (threads - creators).max(1) as f64);
    let who = match numbers.creators.as_slice() {
        [(only, _)] => lens.thread_name(*only),
        several => format!("{} threads", several.len()),
    };
    let (verb, need) = if creators == 1 { ("creates", "needs") } else { ("create", "need") };
    Words {
        details: vec![
            format!("{who} {verb} {share} of {tasks} and {need} {} for one;", seconds(production)),
            format!("a task runs {each}, so the others could take one every {wanted}."),
        ],
        suggestion: "Create tasks on several threads, or move the production into the tasks."
            .into(),
    }
}
