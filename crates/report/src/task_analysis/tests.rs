//! The text and the JSON of tasks that are written by hand.

use expect_test::expect;
use pompeii_analysis::tasks::dependences::Dependences;
use pompeii_analysis::tasks::found::{Sums, THREADS, WithoutTask};
use pompeii_analysis::tasks::simulate::Rule;
use pompeii_analysis::tasks::simulated::{Collapsed, OnThreads, Simulated};
use pompeii_analysis::tasks::{Construct, Creators, Moment, Named, TaskAnalysis, TaskRegion};
use pompeii_model::{Distribution, Frequency};
use serde_json::Value;

use super::{task_analysis, task_analysis_json};
use crate::Options;

fn named(label: &str, line: u32) -> Named {
    Named { label: format!("{label} main a.c:{line}"), file: "a.c".to_owned(), line }
}

fn each(ticks: i64) -> Distribution {
    let mut all = Distribution::default();
    (0..300).for_each(|_| all.add(ticks));
    all
}

/// A bound for each number of threads: the last one stands for all further numbers.
fn bounds(first: &[i64]) -> [i64; THREADS.len()] {
    std::array::from_fn(|place| first[place.min(first.len() - 1)] * 100_000_000)
}

/// One thread of four creates 300 tasks of 15 ms, one in 10 ms.
fn slow_creation() -> TaskAnalysis {
    let construct = Construct {
        at: named("task", 12),
        creation: each(2_000),
        ready: each(1_000),
        execution: each(15_000_000),
        at_once: 2,
        fragments: 300,
        creators: vec![("thread 0".to_owned(), 300)],
        critical_ticks: 1_000_000_000,
    };
    let sums = Sums {
        executions: 1,
        threads: 4,
        ticks: 1_800_000_000,
        allocation: 7_200_000_000,
        tasks: 300,
        dependences: Dependences { tasks: 300, edges: 299, unknown: 1 },
        work: 4_400_000_000,
        span: 1_500_000_000,
        least: bounds(&[44, 22, 15]),
        most: bounds(&[59, 37, 26, 21, 18, 16]),
        least_measured: 1_500_000_000,
    };
    let creators = Creators {
        threads: vec!["thread 0".to_owned()],
        created: 300,
        of: 300,
        period: 10e6,
        execution: 15e6,
    };
    let without_task =
        WithoutTask { creation: 2_000_000_000, end: 0, arrival: 0, scheduling: 1_000_000 };
    let region = TaskRegion {
        at: named("parallel", 10),
        call_path: "app/main/parallel".to_owned(),
        sums,
        done: 300,
        execution: 4_500_000_000,
        longest: 15_000_000,
        without_task,
        creation: each(2_000),
        creators: Some(creators),
        simulated: None,
    };
    let moment = |begin, [ready, running, idle, creating]: [f64; 4]| Moment {
        begin,
        ready,
        running,
        idle,
        creating,
    };
    TaskAnalysis {
        program: "app".to_owned(),
        clock: Frequency::NANOSECONDS,
        wall_ticks: 2_000_000_000,
        locations: 4,
        critical_ticks: 2_000_000_000,
        constructs: vec![construct],
        regions: vec![region],
        over_time: vec![
            moment(0, [0.0, 1.5, 2.5, 0.1]),
            moment(1_000_000_000, [0.5, 2.0, 1.5, 0.2]),
        ],
        has_dependences: true,
        incomplete: 0,
    }
}

fn options() -> Options {
    Options { width: 80, whole_names: false, color: false, bars: false, ..Options::default() }
}

#[test]
fn a_slow_creator_with_the_rule_for_threads() {
    let text = task_analysis(&slow_creation(), &options());
    // All lines begin with a blank, which a snapshot keeps only if another line has none.
    expect![[r#"
        page
         app: 300 tasks of 1 construct, 4 threads, 2.0 s

         Problems
           Slow creation: parallel main a.c:10. Thread 0 creates 100 % of 300 tasks,
             each creator one in 10 ms; executing a task takes 15 ms. This feeds 2
             threads, the creators included; from 3 threads on, threads wait. Threads
             waited 2.0 s for the creation of tasks.

         Constructs: mean times of an instance
                                      instances  creation     ready  execution  critical
         task main a.c:12                   300    2.0 µs    1.0 µs      15 ms      50 %
           execution: 100 % < 17 ms
           2 creations executed a task
           created by: thread 0 100 %

         Parallel regions
         parallel main a.c:10: 1.8 s in 1 execution on 4 threads, 300 tasks
           work 4.4 s, span 1.5 s: parallelism 2.9
           300 tasks with depend clauses: 299 dependences. 1 task with items without an
             address in the trace, with mutexinoutset, or a target construct with
             nowait: the span may be longer, so the parallelism is an upper bound
           threads           1        2        4        8       16       32       64
           at least      4.4 s    2.2 s    1.5 s    1.5 s    1.5 s    1.5 s    1.5 s
           at most       5.9 s    3.7 s    2.6 s    2.1 s    1.8 s    1.6 s    1.6 s
           threads without a task: 2.0 s: 2.0 s until a task was created, 1.0 ms for
             scheduling
           Thread 0 creates 100 % of 300 tasks, each creator one in 10 ms; executing a
             task takes 15 ms. This feeds 2 threads, the creators included; from 3
             threads on, threads wait.

         Over time: mean numbers
                from      ready    running       idle   creating
                 0 s        0.0        1.5        2.5        0.1
               1.0 s        0.5        2.0        1.5        0.2
           ready and running: tasks; idle and creating: threads
    "#]]
    .assert_eq(&format!("page\n{text}"));
}

#[test]
fn a_trace_without_tasks_is_one_line() {
    let none = TaskAnalysis {
        constructs: Vec::new(),
        regions: Vec::new(),
        over_time: Vec::new(),
        ..slow_creation()
    };
    assert_eq!(task_analysis(&none, &options()), " app: no task has an end in this trace\n");
}

#[test]
fn programs_get_all_numbers() {
    let json: Value = serde_json::from_str(&task_analysis_json(&slow_creation())).unwrap();
    assert_eq!(json["schema"], "pompeii-tasks-1");
    assert_eq!(json["problems"][0]["kind"], "slow_creation");
    assert_eq!(json["problems"][0]["lost_s"], 2.0);
    assert_eq!(json["problems"].as_array().unwrap().len(), 1);
    let construct = &json["constructs"][0];
    assert_eq!(construct["line"], 12);
    assert_eq!(construct["ready"]["count"], 300);
    let region = &json["regions"][0];
    assert_eq!(region["bounds"].as_array().unwrap().len(), THREADS.len());
    assert_eq!(region["bounds"][1]["threads"], 2);
    assert_eq!(region["bounds"][1]["most_s"], 3.7);
    assert_eq!(region["few_creators"]["threads_fed"], 2);
    assert_eq!(json["over_time"][1]["begin_s"], 1.0);
}

#[test]
fn simulations_have_a_range_and_what_was_measured() {
    let mut tasks = slow_creation();
    tasks.regions[0].simulated = Some(Simulated {
        executions: 2,
        left_out: 1,
        measured: 1_800_000_000,
        as_measured: [1_700_000_000, 1_900_000_000],
        burdened: [4_800_000_000, 1_200_000_000],
        rule: Rule::OpenMp,
        on_threads: vec![
            OnThreads {
                threads: 2,
                ticks: [3_000_000_000; 2],
                held: [0; 2],
                bounds: [3_000_000_000; 2],
            },
            OnThreads {
                threads: 8,
                ticks: [1_600_000_000, 1_500_000_000],
                held: [200_000_000, 100_000_000],
                bounds: [1_500_000_000, 1_600_000_000],
            },
        ],
        ..Simulated::default()
    });
    let text = task_analysis(&tasks, &options());
    for line in [
        "   simulated as measured: 1.7 s to 1.9 s, measured 1.8 s\n",
        "   simulated: 3.0 s on 2 threads, 1.5 s to 1.6 s on 8 threads\n",
        "   with the cost of beginning tasks: work 4.8 s, span 1.2 s, parallelism 4.0\n",
        "     because a tied task waits on it: 0.20 s on 8 threads\n",
        "   not simulated: 1 execution\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let json: Value = serde_json::from_str(&task_analysis_json(&tasks)).unwrap();
    let runs = &json["regions"][0]["simulated"]["on_threads"];
    assert_eq!((&runs[0]["threads"], &runs[2]["oldest_s"]), (&Value::from(4), &Value::from(1.5)));
    assert_eq!((&runs[0]["oldest_held_s"], &runs[2]["oldest_held_s"]), (&Value::Null, &0.1.into()));
    assert_eq!(json["regions"][0]["simulated"]["rule"], "openmp");
}

#[test]
fn tasks_that_were_put_together_have_bounds() {
    let mut tasks = slow_creation();
    tasks.regions[0].simulated = Some(Simulated {
        executions: 1,
        collapsed: Collapsed { tasks: 30_000_000, simulated_as: 4_000 },
        on_threads: vec![OnThreads {
            threads: 8,
            ticks: [1_600_000_000, 1_500_000_000],
            held: [0; 2],
            bounds: [1_400_000_000, 1_700_000_000],
        }],
        ..Simulated::default()
    });
    let text = task_analysis(&tasks, &options());
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    for part in [
        "30.0 million tasks are too many to simulate each: small ones were put together, into",
        "into 4,000 tasks, and one thread executes each of these.",
        "unless tied tasks keep threads from ready ones: 1.4 s to 1.7 s on 8 threads",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json: Value = serde_json::from_str(&task_analysis_json(&tasks)).unwrap();
    let simulated = &json["regions"][0]["simulated"];
    assert_eq!(simulated["collapsed"]["simulated_as"], 4_000);
    let run = &simulated["on_threads"][1];
    assert_eq!((&run["least_s"], &run["most_s"]), (&Value::from(1.4), &Value::from(1.7)));
}

#[test]
fn a_trace_without_dependences_says_so() {
    let of = TaskAnalysis { has_dependences: false, ..slow_creation() };
    let text = task_analysis(&of, &options());
    assert!(text.contains("Dependences between tasks are not in this trace"), "{text}");
    assert!(task_analysis_json(&of).contains("\"parallelism_is_upper_bound\": true"));
}
