//! What a run on one thread tells. No other thread exists, so there are no findings about
//! waiting. The run shows how much of the program is serial, what its constructs cost, and what
//! measuring cost. Waiting shows in runs with more threads, which are the next step.

use pompeii_analysis::{Lens, dilation, format};
use pompeii_model::{CallId, Cube, Paradigm, RegionId, Role, Ticks};

use crate::RunInfo;

/// Above this serial share, more threads bring next to nothing.
const ALL: f64 = 0.995;

/// The sentences; empty if the run had several threads, or no OpenMP constructs.
pub fn sentences(cube: &Cube, run: &RunInfo) -> Vec<String> {
    if !is_alone(cube) {
        return Vec::new();
    }
    let lens = Lens::new(cube);
    let known = [serial_part(&lens), Some(constructs(&lens)), measuring(cube, run)];
    known.into_iter().flatten().collect()
}

/// Whether it is the run of an OpenMP program on one thread.
pub fn is_alone(cube: &Cube) -> bool {
    let is_construct = |region: &pompeii_model::Region| {
        region.paradigm == Paradigm::OpenMp && region.role != Role::Lock
    };
    cube.difference.is_none()
        && cube.system.locations.len() == 1
        && cube.regions.iter().any(is_construct)
}

/// The same command with 2 and with 4 threads.
pub fn next(run: &RunInfo) -> [String; 2] {
    let command = if run.command.is_empty() { "PROGRAM" } else { &run.command };
    [2, 4].map(|threads| format!("OMP_NUM_THREADS={threads} pompeii run -- {command}"))
}

/// The time outside of parallel regions, and what it allows at most (Amdahl's law).
fn serial_part(lens: &Lens) -> Option<String> {
    // Nothing is known of the parallel regions inside of a target region.
    if lens.cube.regions.iter().any(|region| region.role == Role::Target) {
        return None;
    }
    let parallels = lens.outermost_parallels();
    let is_serial = |&call: &CallId| {
        let is_off = lens.region(call).is_measurement_off();
        parallels[call].is_none() && !lens.in_task_tree(call) && !is_off
    };
    let calls: Vec<CallId> = lens.cube.calls.ids().filter(is_serial).collect();
    let (serial, (off, _)) = (lens.sum("execution", &calls), lens.off_ticks());
    let whole = lens.cube.wall_ticks - off;
    if whole <= 0 || serial < 0 {
        return None;
    }
    let share = serial as f64 / whole as f64;
    let (time, percent) = (format::seconds(lens.seconds(serial)), format::percent(share));
    let part = format!("Serial part: {time} ({percent}) lies outside of parallel regions");
    Some(match share {
        ALL.. => format!("{part}, so more threads cannot make this run much shorter."),
        0.001.. => {
            let most = 1.0 / share;
            let most = if most < 9.95 { format!("{most:.1}") } else { format!("{most:.0}") };
            format!("{part}. More threads can make the run at most {most} times as fast.")
        }
        _ => format!("{part}."),
    })
}

/// What the constructs cost, with those that cost most.
fn constructs(lens: &Lens) -> String {
    let (all, share) = (lens.total("omp_time"), lens.share(lens.total("omp_time")));
    let mut text = format!(
        "Cost of OpenMP constructs: {} ({})",
        format::seconds(lens.seconds(all)),
        format::percent(share)
    );
    let of = |(region, calls): (RegionId, &Vec<CallId>)| {
        (lens.sum("omp_time", calls), lens.sum("visits", calls), region)
    };
    let by_region = lens.calls_by_region();
    let parts = by_region.enumerated().map(of);
    let mut parts: Vec<(Ticks, i64, RegionId)> =
        parts.filter(|&(ticks, visits, _)| ticks > 0 && visits > 0).collect();
    parts.sort_by_key(|&(ticks, _, region)| (-ticks, region));
    let named = parts.iter().take(3).map(|&(ticks, visits, region)| {
        let each = format::seconds(lens.seconds(ticks) / visits as f64);
        let visits = format::counted(visits, "visit");
        format!("{} ({visits}, {each} each)", lens.cube.regions[region].label())
    });
    let named = named.collect::<Vec<_>>().join(", ");
    if !named.is_empty() {
        text += &format!(", most of it in {named}");
    }
    text + "."
}

/// What measuring cost, also if it is little: it is the error of the other numbers. If it is much,
/// the report begins with it.
fn measuring(cube: &Cube, run: &RunInfo) -> Option<String> {
    if let Some((sentence, is_first)) = crate::dilation::sentence(cube, run) {
        return (!is_first).then_some(sentence);
    }
    let share = format::percent(dilation(cube, &run.measuring?).share);
    let about = match share.strip_prefix('<') {
        Some(share) => format!("less than {share}"),
        None => format!("about {share}"),
    };
    Some(format!("Cost of measuring: the run took {about} longer."))
}
