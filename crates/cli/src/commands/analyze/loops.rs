//! What the loops of a trace would take under other schedules, in `analysis.json` and in the
//! summary.

use std::path::Path;

use pompeii_analysis::Dispatch;
use pompeii_analysis::format::{counted, seconds};
use pompeii_analysis::loops::recorded::Recorded;
use pompeii_analysis::loops::{LoopSchedules, OnThreads, loops};
use pompeii_finish::{MANIFEST_FILE, Manifest};
use pompeii_model::{Frequency, Ticks};
use pompeii_replay::Outcome;
use serde::Serialize;

use super::super::report;

/// Loops in the summary.
const LOOPS_SHOWN: usize = 5;

/// A loop.
#[derive(Serialize)]
pub struct Loop {
    label: String,
    file: String,
    line: u32,
    /// The schedule of the run; empty if it is not known.
    schedule: String,
    executions: u64,
    left_out: u64,
    iterations: u64,
    recorded_s: f64,
    /// The same by computation.
    #[serde(skip_serializing_if = "Option::is_none")]
    computed_s: Option<f64>,
    /// The best schedule, if it is a better one than that of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gain_s: Option<f64>,
    on_threads: Vec<Times>,
}

/// The times of a loop on a number of threads.
#[derive(Serialize)]
struct Times {
    threads: usize,
    schedules: Vec<Time>,
}

#[derive(Serialize)]
struct Time {
    schedule: String,
    seconds: f64,
}

/// The loops of a trace, with what handing out a chunk cost on the machine of the run.
pub fn of_trace(
    recorded: &Recorded,
    outcome: &Outcome,
    (anchor, threads): (&Path, &[usize]),
) -> Vec<LoopSchedules> {
    loops(recorded, outcome, (&handing_out(anchor, outcome), threads))
}

/// What handing out a chunk cost on the machine of the run. If the trace is not in an experiment,
/// or the run was not calibrated, it costs nothing.
pub fn handing_out(anchor: &Path, outcome: &Outcome) -> impl Fn(f64, bool) -> f64 {
    let dispatch = measured(anchor, outcome);
    move |chunk_ns: f64, has_reduction: bool| {
        let Some(dispatch) = &dispatch else { return 0.0 };
        // The time of a chunk includes handing it out.
        let [apart, adjacent] = dispatch.of(chunk_ns + dispatch.call_ns as f64);
        if has_reduction { apart } else { adjacent }
    }
}

fn measured(anchor: &Path, outcome: &Outcome) -> Option<Dispatch> {
    let folder = anchor.parent()?;
    if !folder.join(MANIFEST_FILE).exists() {
        return None;
    }
    let system = &outcome.definitions.system;
    let threads = system.locations.len() / system.processes.len().max(1);
    report::dispatch(&Manifest::load(folder).ok()?, threads)
}

/// For programs.
pub fn json(all: &[LoopSchedules], clock: Frequency) -> Vec<Loop> {
    let times = |of: &OnThreads| Times {
        threads: of.threads,
        schedules: of
            .times
            .iter()
            .map(|(schedule, ticks)| Time {
                schedule: schedule.to_string(),
                seconds: clock.seconds(*ticks),
            })
            .collect(),
    };
    let one = |of: &LoopSchedules| Loop {
        label: of.label.clone(),
        file: of.file.clone(),
        line: of.line,
        schedule: of.schedule.clone(),
        executions: of.executions,
        left_out: of.left_out,
        iterations: of.iterations,
        recorded_s: clock.seconds(of.recorded),
        computed_s: of.as_recorded.map(|ticks| clock.seconds(ticks)),
        best: of.gain().map(|(schedule, _)| schedule.to_string()),
        gain_s: of.gain().map(|(_, ticks)| clock.seconds(ticks)),
        on_threads: of.on_threads.iter().map(times).collect(),
    };
    all.iter().map(one).collect()
}

/// For the summary.
pub fn lines(all: &[LoopSchedules], clock: Frequency) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = "\n Loops under other schedules, by the recorded iterations\n".to_owned();
    let (computed, others): (Vec<_>, Vec<_>) = all.iter().partition(|of| of.executions > 0);
    for of in computed.into_iter().take(LOOPS_SHOWN) {
        text += &line(of, &|ticks| seconds(clock.seconds(ticks)));
    }
    if !others.is_empty() {
        let loops = counted(others.len() as i64, "loop");
        text += &format!(
            "   Not computed: {loops}. Pompeii must know the schedule of the run and the time of each \
             iteration\n   (run --trace --iterations), and the loop must have no ordered clause.\n"
        );
    }
    text
}

fn line(of: &LoopSchedules, time: &dyn Fn(Ticks) -> String) -> String {
    let schedule = if of.schedule.is_empty() { "unknown" } else { &of.schedule };
    let computed = of.as_recorded.map(|ticks| format!(", computed {}", time(ticks)));
    let mut text = format!(
        "   {:>9}  {}, {schedule}{}\n",
        time(of.recorded),
        of.label,
        computed.unwrap_or_default()
    );
    for on in &of.on_threads {
        let times = on.times.iter().map(|(schedule, ticks)| format!("{schedule} {}", time(*ticks)));
        let times: Vec<String> = times.collect();
        let threads = counted(on.threads as i64, "thread");
        text += &format!("              on {threads}: {}\n", times.join("; "));
    }
    if let Some((schedule, gain)) = of.gain() {
        text += &format!("              schedule({schedule}) would save {}\n", time(gain));
    }
    if of.left_out > 0 {
        let left_out = counted(of.left_out.cast_signed(), "execution");
        text += &format!("              not computed: {left_out}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pompeii_analysis::loops::schedule::Schedule;

    #[test]
    fn loops_with_and_without_known_iterations() {
        let times = vec![(Schedule::Static, 2_000_000_000), (Schedule::Dynamic(4), 1_500_000_000)];
        let known = LoopSchedules {
            label: "for main a.c:5".to_owned(),
            file: "a.c".to_owned(),
            line: 5,
            schedule: "static".to_owned(),
            executions: 3,
            left_out: 1,
            iterations: 300,
            work: 6_000_000_000,
            recorded: 2_100_000_000,
            as_recorded: Some(2_000_000_000),
            on_threads: vec![OnThreads { threads: 4, times }],
        };
        let unknown = LoopSchedules {
            label: "for main a.c:9".to_owned(),
            executions: 0,
            on_threads: Vec::new(),
            ..known.clone()
        };
        let text = lines(&[known.clone(), unknown], Frequency::NANOSECONDS);
        expect![[r#"
            Summary:
             Loops under other schedules, by the recorded iterations
                   2.1 s  for main a.c:5, static, computed 2.0 s
                          on 4 threads: static 2.0 s; dynamic,4 1.5 s
                          schedule(dynamic,4) would save 0.50 s
                          not computed: 1 execution
               Not computed: 1 loop. Pompeii must know the schedule of the run and the time of each iteration
               (run --trace --iterations), and the loop must have no ordered clause.
        "#]]
        .assert_eq(&format!("Summary:{text}"));
        let json = serde_json::to_value(json(&[known], Frequency::NANOSECONDS)).unwrap();
        assert_eq!((&json[0]["best"], &json[0]["gain_s"]), (&"dynamic,4".into(), &0.5.into()));
        assert_eq!(json[0]["on_threads"][0]["schedules"][1]["seconds"], 1.5);
    }
}
