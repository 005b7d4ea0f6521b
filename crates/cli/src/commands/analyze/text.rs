//! What `pompeii analyze` prints: totals, the longest waiting, its causes, and the critical path.

use std::collections::BTreeMap;
use std::path::Path;

use pompeii_analysis::format::{count, counted, name_with_place, percent, seconds};
use pompeii_analysis::loops::LoopSchedules;
use pompeii_analysis::properties;
use pompeii_model::{CallId, Cube, Role, Ticks, Wait};

use super::{Summary, by_call, counters, instances, loops, what_if};
use crate::analyzed_trace::CUBE_FILE;
use crate::foreign;
use crate::terminal::{shown, shown_name};

/// Lines of the summary about waiting.
const WAITS_SHOWN: usize = 8;
/// The same about causes and the critical path.
const PATH_SHOWN: usize = 5;

/// What is printed.
pub(super) fn of(
    cube: &Cube,
    (summary, of_loops): (&Summary, &[LoopSchedules]),
    folder: &Path,
) -> String {
    let mut text = format!(
        " {}: {} events on {}, {}\n",
        cube.program,
        count(summary.events.cast_signed()),
        counted(summary.locations as i64, "location"),
        seconds(summary.wall_s)
    );
    let all = cube.clock.seconds(cube.allocation_ticks());
    text += &format!("\n Of {} of CPU allocation time\n", seconds(all));
    for property in properties::metrics().filter(|property| is_shown(property.name)) {
        let total = cube.metric(property.name).map_or(0, |metric| cube.total(metric));
        let total = cube.clock.seconds(total);
        if total > 0.0 {
            let share = percent(total / all.max(f64::MIN_POSITIVE));
            text += &format!("   {:38} {:>9} {share:>6}\n", property.title, seconds(total));
        }
    }
    text += &longest_waiting(cube);
    text += &longest(cube, ("delay_omp", "Causes of waiting"));
    text += &longest(cube, ("delay_mpi", "Causes of waiting for other processes"));
    text += &longest(cube, ("critical_path", "Critical path"));
    text += &instances::lines(cube);
    text += &counters::lines(&summary.counters, &summary.processor);
    text += &loops::lines(of_loops, cube.clock);
    text += &summary.what_if.as_ref().map_or_else(String::new, what_if::lines);
    // The report of an experiment uses the analysis of its trace.
    let is_experiment = foreign::is_experiment(folder);
    let next = if is_experiment { folder.to_owned() } else { folder.join(CUBE_FILE) };
    text + &format!("\n Next: pompeii report {}\n", shown(&shown_name(&next)))
}

/// What a thread without a task waits for, if it waits for no other thread.
const SCHEDULING: &str = "the OpenMP runtime: a task was ready, or all tasks were done";

/// Whether waiting that no other thread caused is the cost of scheduling tasks.
fn is_scheduling(cube: &Cube, at: CallId, wait: &Wait) -> bool {
    let role = cube.regions[cube.calls.region(at)].role;
    wait.starvation_ticks > 0 || matches!(role, Role::Taskwait | Role::TaskgroupEnd)
}

/// Where waiting was longest, and for what. A construct may have several call paths, for example
/// the barrier at the end of a loop and that of its parallel region; here they are one.
fn longest_waiting(cube: &Cube) -> String {
    let mut sums: BTreeMap<(String, Option<String>), (Ticks, i64)> = BTreeMap::new();
    for (at, by, wait) in by_call(cube) {
        let place = name_with_place(cube, at);
        let cause = match by {
            Some(by) => Some(name_with_place(cube, by)).filter(|by| *by != place),
            None => is_scheduling(cube, at, &wait).then(|| SCHEDULING.to_owned()),
        };
        let (ticks, visits) = sums.entry((place, cause)).or_default();
        *ticks += wait.ticks();
        *visits += wait.visits;
    }
    let mut waits: Vec<_> = sums.into_iter().collect();
    waits.sort_by_key(|(_, (ticks, _))| -ticks);
    let mut text = String::new();
    for (nth, ((place, cause), (ticks, visits))) in waits.iter().take(WAITS_SHOWN).enumerate() {
        if nth == 0 {
            text += "\n Longest waiting\n";
        }
        let ticks = seconds(cube.clock.seconds(*ticks));
        text += &format!("   {ticks:>9}  at {place}, {}\n", counted(*visits, "time"));
        if let Some(cause) = cause {
            text += &format!("              for {cause}\n");
        }
    }
    text
}

/// The call paths with the most of a property.
fn longest(cube: &Cube, (name, title): (&str, &str)) -> String {
    let Some(metric) = cube.metric(name).filter(|&metric| cube.total(metric) > 0) else {
        return String::new();
    };
    let mut calls: Vec<CallId> = cube.calls.ids().collect();
    calls.sort_by_key(|&call| (-cube.own(metric, call), call));
    let mut text = format!("\n {title}\n");
    for call in calls.into_iter().take(PATH_SHOWN).filter(|&call| cube.own(metric, call) > 0) {
        let own = cube.own(metric, call);
        let share = percent(own as f64 / cube.total(metric) as f64);
        let ticks = seconds(cube.clock.seconds(own));
        text += &format!("   {ticks:>9}  {share:>5}  {}\n", name_with_place(cube, call));
    }
    text
}

/// Properties that say how much was waited, not their sums.
fn is_shown(name: &str) -> bool {
    let is_wait = name.ends_with("_wait")
        || name.ends_with("_starvation")
        || name.contains("contention")
        || matches!(
            name,
            "comp"
                | "omp_fork"
                | "omp_idle_threads"
                | "omp_limited_parallelism"
                | "mpi_latesender"
                | "mpi_latebroadcast"
                | "mpi_earlyreduce"
                | "mpi_earlyscan"
                | "mpi_wait_nxn"
        );
    is_wait && name != "omp_atomic_contention"
}
