//! What the numbers of a run do not show, as sentences: what was counted and not timed, what the
//! source does not let us see apart, and what is paid once. Terminal and page say the same.

use std::collections::BTreeSet;

use pompeii_analysis::{Lens, counted_only, format};
use pompeii_model::{CallId, Cube, PARAMETER_OTHERS, Region, Role, Ticks};

/// So many places are named.
const PLACES_NAMED: usize = 3;

/// All of it.
pub fn limits(cube: &Cube) -> Vec<String> {
    let limits = [
        counted(cube),
        sampled(cube),
        functions_sampled(cube),
        barriers_included(cube),
        workshares(cube),
        on_host(cube),
        other_values(cube),
        begin_and_end(cube),
        invisible(cube),
    ];
    limits.into_iter().flatten().collect()
}

/// The first of several names; `None` where there is none.
fn first_of(names: &[String]) -> Option<String> {
    let shown = names.iter().take(PLACES_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(PLACES_NAMED) {
        0 => String::new(),
        more => format!(" and {} more", format::count(more as i64)),
    };
    (!names.is_empty()).then(|| shown + &more)
}

fn counted(cube: &Cube) -> Option<String> {
    Some(format!("Only counted, not timed: {}.", all_counted(cube, |role| role != Role::Atomic)?))
}

/// Of atomics, samples are timed.
fn sampled(cube: &Cube) -> Option<String> {
    let shown = all_counted(cube, |role| role == Role::Atomic)?;
    Some(format!("Counted, and one of 1,024 visits of a thread timed: {shown}."))
}

/// Functions whose times are estimates.
fn functions_sampled(cube: &Cube) -> Option<String> {
    let samples = cube.total(cube.metric("samples")?);
    if samples == 0 {
        return Some(
            "No samples were taken: the threads used too little CPU time, or block the signal."
                .to_owned(),
        );
    }
    let functions = cube.regions.iter().filter(|region| region.is_sampled()).count() as i64;
    let samples = format::counted(samples, "sample");
    Some(match functions {
        0 => format!("Of {samples}, none was taken in a function besides the constructs."),
        _ => format!(
            "Found by {samples}: {}. Their times are shares of what was measured around them.",
            format::counted(functions, "function"),
        ),
    })
}

fn all_counted(cube: &Cube, is: fn(Role) -> bool) -> Option<String> {
    let of = counted_only(cube).into_iter().filter(|of| is(cube.regions[of.region].role));
    let named = of.map(|counted| {
        let things = format::counted(counted.count, counted.thing);
        match cube.regions[counted.region].position() {
            Some(place) => format!("{things} ({place})"),
            None => things,
        }
    });
    first_of(&named.collect::<Vec<_>>())
}

/// The places of regions, each once.
fn places(cube: &Cube, is: impl Fn(&Region) -> bool) -> Option<String> {
    let found: BTreeSet<String> =
        cube.regions.iter().filter(|region| is(region)).filter_map(Region::source).collect();
    first_of(&found.into_iter().collect::<Vec<_>>())
}

fn barriers_included(cube: &Cube) -> Option<String> {
    // The own time of a single is nothing but waiting, and is shown as that.
    let is_unknown = |region: &Region| region.includes_barrier() && region.role != Role::Single;
    let places = places(cube, is_unknown)?;
    Some(format!("Barrier included: waiting is part of the time of these constructs: {places}."))
}

fn workshares(cube: &Cube) -> Option<String> {
    let places = places(cube, |region| region.role == Role::Workshare)?;
    Some(format!("Not measured: waiting between the statements of workshare ({places})."))
}

fn on_host(cube: &Cube) -> Option<String> {
    let places = places(cube, Region::is_on_host)?;
    Some(format!("No device was found, so these target regions ran on the host: {places}."))
}

/// What is not observed of a program that was not instrumented.
fn invisible(cube: &Cube) -> Option<String> {
    let is_any = |seen: fn(&Region) -> bool| cube.regions.iter().any(seen);
    let what = match (is_any(Region::is_seen_by_libgomp), is_any(Region::is_seen_by_ompt)) {
        (true, _) => "static loops, master, flush and simple atomics",
        (false, true) => "flush, simple atomics, and the sections of a construct one by one",
        (false, false) => return None,
    };
    let place = "Their time is in the construct around them.";
    Some(format!("Not visible without recompiling: {what}. {place}"))
}

/// From this share of the run on, what is paid once hides what the program does.
const MUCH_BEGIN_AND_END: f64 = 0.1;

/// MPI's begin and end, with the threads that have nothing to do meanwhile, where that is much.
fn begin_and_end(cube: &Cube) -> Option<String> {
    let share = Lens::new(cube).share(begin_and_end_ticks(cube));
    (share >= MUCH_BEGIN_AND_END).then(|| {
        format!(
            "MPI_Init and MPI_Finalize took {} of the run. They take no longer in a longer run.",
            format::percent(share)
        )
    })
}

/// Time in MPI's begin and end, and of the threads that have nothing to do meanwhile.
pub(crate) fn begin_and_end_ticks(cube: &Cube) -> Ticks {
    let lens = Lens::new(cube);
    let calls: Vec<CallId> =
        cube.calls.ids().filter(|&call| lens.own("mpi_init_exit", call) > 0).collect();
    lens.sum("mpi_init_exit", &calls) + lens.sum("omp_idle_threads", &calls)
}

/// Parameters with more values than were told apart.
fn other_values(cube: &Cube) -> Option<String> {
    let others = cube
        .regions
        .iter()
        .filter(|region| region.parameter().is_some_and(|(_, value)| value == PARAMETER_OTHERS));
    let names: Vec<&str> = others.map(|region| region.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "A parameter has too many values: all further values are summed up in {}.",
            names.join(", ")
        )
    })
}
