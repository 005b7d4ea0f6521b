//! The tasks of a trace for programs. Times are seconds; those of `over_time` count from the begin
//! of the measurement.

use pompeii_analysis::tasks::found::THREADS;
use pompeii_analysis::tasks::problems::Problem;
use pompeii_analysis::tasks::simulate::Rule;
use pompeii_analysis::tasks::simulated::{OnThreads, Simulated};
use pompeii_analysis::tasks::{Construct, Named, TaskAnalysis, TaskRegion};
use pompeii_model::{Frequency, Ticks};
use serde::Serialize;

use crate::json_distributions::{JsonDistribution, distribution};

#[derive(Debug, Serialize)]
struct JsonTaskAnalysis {
    schema: &'static str,
    program: String,
    threads: usize,
    wall_s: f64,
    critical_path_s: f64,
    problems: Vec<JsonProblem>,
    constructs: Vec<JsonConstruct>,
    regions: Vec<JsonRegion>,
    over_time: Vec<JsonMoment>,
    incomplete: u64,
}

/// A problem; `place` is an index into `constructs` for `too_small`, else into `regions`.
#[derive(Debug, Serialize)]
struct JsonProblem {
    kind: &'static str,
    place: usize,
    lost_s: f64,
    /// Execution of a task divided by its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    benefit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks_per_thread: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_share: Option<f64>,
}

#[derive(Debug, Serialize)]
struct JsonPlace {
    label: String,
    file: String,
    line: u32,
}

#[derive(Debug, Serialize)]
struct JsonConstruct {
    #[serde(flatten)]
    at: JsonPlace,
    creation: JsonDistribution,
    ready: JsonDistribution,
    execution: JsonDistribution,
    /// Creations in which the creator executed a task.
    at_once: u64,
    fragments: u64,
    creators: Vec<JsonCreator>,
    critical_path_s: f64,
}

#[derive(Debug, Serialize)]
struct JsonCreator {
    thread: String,
    created: u64,
}

#[derive(Debug, Serialize)]
struct JsonRegion {
    #[serde(flatten)]
    at: JsonPlace,
    call_path: String,
    executions: u64,
    threads: usize,
    wall_s: f64,
    tasks: u64,
    work_s: f64,
    span_s: f64,
    parallelism: f64,
    /// Pairs of tasks of which one may not begin before the other one is done.
    dependences: u64,
    /// Tasks may have further dependences: the parallelism is an upper bound.
    parallelism_is_upper_bound: bool,
    bounds: Vec<JsonBound>,
    /// Time of threads without a task, by the reason.
    wait_creation_s: f64,
    wait_end_s: f64,
    wait_arrival_s: f64,
    scheduling_s: f64,
    creation: JsonDistribution,
    longest_task_s: f64,
    few_creators: Option<JsonCreators>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<JsonSimulated>,
}

/// The executions on other numbers of threads. The times `newest` are those if a thread takes the
/// newest task first; with the rule `libgomp`, which has one order, those if threads without a task
/// wake up as slowly as in the run (`newest`), and if they do so at once (`oldest`).
#[derive(Debug, Serialize)]
struct JsonSimulated {
    executions: u64,
    left_out: u64,
    measured_s: f64,
    /// With the cost of beginning tasks.
    burdened_work_s: f64,
    burdened_span_s: f64,
    /// Which tasks a thread may execute while a task of it waits: `untied` (all), `openmp` (the
    /// task scheduling constraint) or `libgomp`.
    rule: &'static str,
    on_threads: Vec<JsonRun>,
    /// There were too many tasks: small ones were put together, and `on_threads` have bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    collapsed: Option<JsonCollapsed>,
}

#[derive(Debug, Serialize)]
struct JsonCollapsed {
    tasks: u64,
    /// Tasks that stand for them. One thread executes each of these.
    simulated_as: u64,
}

#[derive(Debug, Serialize)]
struct JsonRun {
    threads: usize,
    newest_s: f64,
    oldest_s: f64,
    /// Part of these times in which a thread had no task although one was ready, because of the
    /// rule. It is not computed for the measured run.
    #[serde(skip_serializing_if = "Option::is_none")]
    newest_held_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_held_s: Option<f64>,
    /// What a simulation of all tasks would give, if tasks were put together.
    #[serde(skip_serializing_if = "Option::is_none")]
    least_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most_s: Option<f64>,
}

/// Bounds of the duration with this number of threads.
#[derive(Debug, Serialize)]
struct JsonBound {
    threads: usize,
    least_s: f64,
    most_s: f64,
}

/// The few threads that create nearly all tasks.
#[derive(Debug, Serialize)]
struct JsonCreators {
    threads: Vec<String>,
    created: u64,
    of: u64,
    period_s: f64,
    execution_s: f64,
    /// With more threads than that some of them wait.
    threads_fed: usize,
}

#[derive(Debug, Serialize)]
struct JsonMoment {
    begin_s: f64,
    ready: f64,
    running: f64,
    idle: f64,
    creating: f64,
}

/// The tasks of a trace as JSON.
pub fn task_analysis_json(of: &TaskAnalysis) -> String {
    let json = JsonTaskAnalysis {
        schema: "pompeii-tasks-1",
        program: of.program.clone(),
        threads: of.locations,
        wall_s: of.clock.seconds(of.wall_ticks),
        critical_path_s: of.clock.seconds(of.critical_ticks),
        problems: of.problems().iter().map(|it| problem(of.clock, it)).collect(),
        constructs: of.constructs.iter().map(|it| construct(of.clock, it)).collect(),
        regions: of.regions.iter().map(|it| region(of, it)).collect(),
        over_time: over_time(of),
        incomplete: of.incomplete,
    };
    serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
}

fn problem(clock: Frequency, of: &Problem) -> JsonProblem {
    let lost_s = clock.seconds(of.lost());
    let new = |kind, place| JsonProblem {
        kind,
        place,
        lost_s,
        benefit: None,
        tasks_per_thread: None,
        longest_share: None,
    };
    match *of {
        Problem::TooSmall { construct, benefit, .. } => {
            JsonProblem { benefit: Some(benefit), ..new("too_small", construct) }
        }
        Problem::TooFew { region, per_thread, longest_share, .. } => JsonProblem {
            tasks_per_thread: Some(per_thread),
            longest_share: Some(longest_share),
            ..new("too_few", region)
        },
        Problem::SlowCreation { region, .. } => new("slow_creation", region),
    }
}

fn place(at: &Named) -> JsonPlace {
    JsonPlace { label: at.label.clone(), file: at.file.clone(), line: at.line }
}

fn construct(clock: Frequency, of: &Construct) -> JsonConstruct {
    let creator = |(thread, created): &(String, u64)| JsonCreator {
        thread: thread.clone(),
        created: *created,
    };
    JsonConstruct {
        at: place(&of.at),
        creation: distribution(clock, &of.creation),
        ready: distribution(clock, &of.ready),
        execution: distribution(clock, &of.execution),
        at_once: of.at_once,
        fragments: of.fragments,
        creators: of.creators.iter().map(creator).collect(),
        critical_path_s: clock.seconds(of.critical_ticks),
    }
}

fn region(all: &TaskAnalysis, of: &TaskRegion) -> JsonRegion {
    let clock = all.clock;
    let parallelism_is_upper_bound = !all.has_dependences || of.sums.dependences.unknown > 0;
    let seconds = |ticks: Ticks| clock.seconds(ticks);
    let bound = |(threads, (least, most)): (&usize, (&Ticks, &Ticks))| JsonBound {
        threads: *threads,
        least_s: seconds(*least),
        most_s: seconds(*most),
    };
    let per_second = clock.ticks_per_second();
    let creators = of.creators.as_ref().map(|creators| JsonCreators {
        threads: creators.threads.clone(),
        created: creators.created,
        of: creators.of,
        period_s: creators.period / per_second,
        execution_s: creators.execution / per_second,
        threads_fed: creators.threads_fed(),
    });
    JsonRegion {
        at: place(&of.at),
        call_path: of.call_path.clone(),
        executions: of.sums.executions,
        threads: of.sums.threads,
        wall_s: seconds(of.sums.ticks),
        tasks: of.sums.tasks,
        work_s: seconds(of.sums.work),
        span_s: seconds(of.sums.span),
        parallelism: of.parallelism(),
        dependences: of.sums.dependences.edges,
        parallelism_is_upper_bound,
        bounds: THREADS.iter().zip(of.sums.least.iter().zip(&of.sums.most)).map(bound).collect(),
        wait_creation_s: seconds(of.without_task.creation),
        wait_end_s: seconds(of.without_task.end),
        wait_arrival_s: seconds(of.without_task.arrival),
        scheduling_s: seconds(of.without_task.scheduling),
        creation: distribution(clock, &of.creation),
        longest_task_s: seconds(of.longest),
        few_creators: creators,
        simulated: of.simulated.as_ref().map(|it| simulated(clock, it, of.sums.threads)),
    }
}

/// The first number of threads is that of the measured run.
fn simulated(clock: Frequency, of: &Simulated, threads: usize) -> JsonSimulated {
    let run = |threads, [newest, oldest]: [Ticks; 2]| JsonRun {
        threads,
        newest_s: clock.seconds(newest),
        oldest_s: clock.seconds(oldest),
        newest_held_s: None,
        oldest_held_s: None,
        least_s: None,
        most_s: None,
    };
    let is_collapsed = of.collapsed.tasks > 0;
    let other = |of: &OnThreads| {
        let [newest_held_s, oldest_held_s] = of.held.map(|ticks| Some(clock.seconds(ticks)));
        let bounds = of.bounds.map(|ticks| is_collapsed.then(|| clock.seconds(ticks)));
        let [least_s, most_s] = bounds;
        let own = run(of.threads, of.ticks);
        JsonRun { newest_held_s, oldest_held_s, least_s, most_s, ..own }
    };
    let measured = std::iter::once(run(threads, of.as_measured));
    JsonSimulated {
        executions: of.executions,
        left_out: of.left_out,
        measured_s: clock.seconds(of.measured),
        burdened_work_s: clock.seconds(of.burdened[0]),
        burdened_span_s: clock.seconds(of.burdened[1]),
        rule: match of.rule {
            Rule::Untied => "untied",
            Rule::OpenMp => "openmp",
            Rule::Libgomp => "libgomp",
        },
        on_threads: measured.chain(of.on_threads.iter().map(other)).collect(),
        collapsed: is_collapsed.then_some(JsonCollapsed {
            tasks: of.collapsed.tasks,
            simulated_as: of.collapsed.simulated_as,
        }),
    }
}

fn over_time(of: &TaskAnalysis) -> Vec<JsonMoment> {
    let moment = |it: &pompeii_analysis::tasks::Moment| JsonMoment {
        begin_s: of.clock.seconds(it.begin),
        ready: it.ready,
        running: it.running,
        idle: it.idle,
        creating: it.creating,
    };
    of.over_time.iter().map(moment).collect()
}
