//! What measuring cost, as a sentence: nothing below 2 % of the run, and the first thing to know
//! above 10 %, with the command that makes it less.

use pompeii_analysis::{Dilation, Lens, dilation, format};
use pompeii_model::{Code, Cube, RegionId, Role};

use crate::RunInfo;

/// Below this share of the run without measuring, the cost is not worth a line.
const STATED: f64 = 0.02;
/// Above this share, the report begins with it.
const FIRST: f64 = 0.1;
/// A filter helps if functions and user regions have this share of the cost.
const FILTERABLE: f64 = 0.5;

/// What measuring cost, and whether that comes first; `None` where it is little or not known.
pub fn sentence(cube: &Cube, run: &RunInfo) -> Option<(String, bool)> {
    let measuring = run.measuring?;
    let found = dilation(cube, &measuring);
    if found.share < STATED {
        return None;
    }
    let is_first = found.share > FIRST;
    let mut text = format!("Measuring made the run about {} longer", format::percent(found.share));
    if let Some(&(region, _, visits)) = found.regions.first() {
        let visits = format::counted(visits, "visit");
        match with_added_barrier(cube, region) {
            // The time in the barrier itself costs, and not the visits.
            Some(construct) => {
                text += &format!(", most of it at the barrier added to {construct}");
                if measuring.is_crowded() {
                    text += ": threads that share a CPU wait there for their turn.";
                    return Some((text, is_first));
                }
            }
            None => text += &format!(", most of it for {visits} of {}", name(cube, region)),
        }
    }
    text += ".";
    if is_first {
        text += &advice(cube, run, &found);
    }
    Some((text, is_first))
}

/// The construct at whose end only the instrumented program has this barrier.
fn with_added_barrier(cube: &Cube, barrier: RegionId) -> Option<String> {
    let (lens, calls) = (Lens::new(cube), &cube.calls);
    let mut of_region = calls.ids().filter(|&call| calls.region(call) == barrier);
    let added = of_region.find(|&call| lens.is_added_barrier(call))?;
    Some(name(cube, calls.region(calls.parent(added)?)))
}

fn name(cube: &Cube, region: RegionId) -> String {
    let region = &cube.regions[region];
    let construct = region.construct().to_owned();
    match region.position() {
        Some(place) => format!("{construct} {place}"),
        None => construct,
    }
}

/// How to make it less.
fn advice(cube: &Cube, run: &RunInfo, found: &Dilation) -> String {
    let is_function =
        |region: RegionId| matches!(cube.regions[region].role, Role::Function | Role::User);
    let all: i64 = found.regions.iter().map(|(_, ticks, _)| ticks).sum();
    let of_functions = found.regions.iter().filter(|(region, ..)| is_function(*region));
    let of_functions: i64 = of_functions.map(|(_, ticks, _)| ticks).sum();
    let first = found.regions.first().map(|&(region, ..)| cube.regions[region].role);
    if of_functions as f64 >= FILTERABLE * all as f64 {
        let (experiment, command) = match (run.experiment.as_str(), run.command.as_str()) {
            ("", _) => ("EXP", "PROGRAM"),
            (experiment, "") => (experiment, "PROGRAM"),
            both => both,
        };
        return format!(
            " Leave out short functions: pompeii filter init {experiment} -o short.filter && \
             pompeii run --filter short.filter -- {command}"
        );
    }
    let construct = match first {
        Some(Role::Lock) => "locks",
        Some(role) if is_for_one_at_a_time(role) => first_word(role),
        _ => return " The times of short constructs include it.".to_owned(),
    };
    format!(" Compile with --pomp-disable={construct} to leave these constructs out.")
}

/// These constructs can be left out, by the first word of their names.
fn is_for_one_at_a_time(role: Role) -> bool {
    matches!(role.code(), Code::One | Code::AroundOne | Code::Turn | Code::AroundTurn)
}

fn first_word(role: Role) -> &'static str {
    let name = role.names().first().copied().unwrap_or_default();
    name.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use pompeii_analysis::{Measuring, derive, notation};

    use super::*;

    /// A run of a combined loop whose halves are these.
    fn sentence_of(is_crowded: bool, [parallel, inner]: [&str; 2]) -> Option<String> {
        let text = format!(
            "wall=1000000 locations=2 clock=1000000
             a/{parallel}                                *  time=100000 visits=50
             a/{parallel}/{inner}                        *  time=600000 visits=50
             a/{parallel}/{inner}/implicit barrier@a.c:2  *  \
             time=300000 visits=50 omp_ibarrier_wait=250000"
        );
        let measuring = Measuring {
            clock_ns: 7.5,
            crowded_cpus: usize::from(is_crowded),
            ..Measuring::default()
        };
        let run = RunInfo { measuring: Some(measuring), ..RunInfo::default() };
        let found = sentence(&derive(&notation::cube(&text).unwrap()), &run);
        found.map(|(text, _)| text)
    }

    fn check(is_crowded: bool, expected: &str) {
        let found = sentence_of(is_crowded, ["parallel@a.c:2", "for@a.c:2"]);
        assert_eq!(found.as_deref(), Some(expected));
    }

    /// In a program that was not instrumented, a barrier at the end of a loop is the program's own,
    /// also if both constructs are in one line, or if they have no lines.
    #[test]
    fn a_barrier_of_a_program_that_was_not_instrumented_costs_nothing() {
        for halves in [
            ["parallel@a.c:2 libgomp", "for@a.c:2"],
            ["parallel@a.c:2 ompt", "for@a.c:2"],
            ["parallel@a+0x1200", "for@a+0x1240"],
        ] {
            for is_crowded in [false, true] {
                assert_eq!(sentence_of(is_crowded, halves), None, "{halves:?}");
            }
        }
    }

    /// Of 300 ms in the barrier, the program would wait for 250 ms at the end of the region.
    #[test]
    fn a_barrier_that_measuring_adds_costs_its_time() {
        check(
            false,
            "Measuring made the run about 5 % longer, most of it at the barrier added to \
             for a.c:2.",
        );
        check(
            true,
            "Measuring made the run about 43 % longer, most of it at the barrier added to \
             for a.c:2: threads that share a CPU wait there for their turn.",
        );
    }
}
