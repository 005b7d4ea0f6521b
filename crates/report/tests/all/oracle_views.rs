//! Overview and tasks page in a browser: numbers are those of the report for programs, findings
//! lead to the trees, and the address holds what is seen.

use pompeii_analysis as analysis;
use pompeii_model::{Cube, Distribution, LocationId, Moments, TaskTime, TaskTimes};
use pompeii_report::{RunInfo, html, json};
use pompeii_testing::oracles;

use crate::oracle_web::in_browser;

/// Tasks that are too small: creating one takes longer than executing it.
fn tasks() -> Cube {
    let mut cube = analysis::notation::cube(
        "wall=1000 locations=2 clock=1000000
         a/parallel@a.c:2                                      *  visits=1
         a/parallel@a.c:2/single@a.c:3                         *  visits=1
         a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3     0  time=50 visits=1
         a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  time=850 visits=40 \
         tasks_created=8 tasks_undeferred=32
         a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  0  time=60 visits=1 \
         omp_task_starvation=60 omp_barrier_last=1
         a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1  time=840 visits=1 \
         omp_ibarrier_wait=780 omp_task_starvation=60
         a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  0  task_time=40
         a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  1  task_time=160
         TASKS/task@a.c:5                                      0  time=40 visits=2
         TASKS/task@a.c:5                                      1  time=160 visits=6",
    )
    .unwrap();
    let region = cube.regions.enumerated().find(|(_, r)| r.role.as_str() == "task").unwrap().0;
    let times = |location, time, values: &[i64]| TaskTimes {
        region,
        location: LocationId(location),
        time,
        ticks: distribution(values),
    };
    cube.task_times = vec![
        times(0, TaskTime::Creation, &[60, 100, 110, 110, 110, 110, 120, 130]),
        times(0, TaskTime::Execution, &[10, 30]),
        times(1, TaskTime::Execution, &[10, 20, 30, 30, 30, 40]),
    ];
    analysis::derive(&cube)
}

fn distribution(values: &[i64]) -> Distribution {
    let mut bins = vec![0; 64];
    values.iter().for_each(|value| bins[(64 - value.leading_zeros()) as usize] += 1);
    let moments = Moments {
        count: values.len() as u64,
        min: values.iter().copied().min().unwrap(),
        max: values.iter().copied().max().unwrap(),
        sum: values.iter().sum(),
        sum_of_squares: values.iter().map(|value| (value * value) as f64).sum(),
    };
    Distribution { moments, bins }
}

#[test]
fn views_in_a_browser() {
    if !oracles() {
        return;
    }
    let ocean = analysis::notation::cube(include_str!("ocean.txt")).unwrap();
    let (tasks, run) = (tasks(), RunInfo::default());
    let pages = [
        ("OCEAN", html(&analysis::derive(&ocean), &run)),
        ("TASKS", html(&tasks, &run)),
        ("REPORT", json(&tasks, &run)),
    ];
    let pages: Vec<(&str, &str)> = pages.iter().map(|(name, text)| (*name, &**text)).collect();
    in_browser("views.browser.mjs", &pages);
}
