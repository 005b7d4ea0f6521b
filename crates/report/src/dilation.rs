//! What measuring cost, as a sentence: nothing below 2 % of the run, and the first thing to know
//! above 10 %, with the command that makes it less.

use pompeii_analysis::{Dilation, dilation, format};
use pompeii_model::{Cube, RegionId, Role};

use crate::RunInfo;

/// Below this share of the run without measuring, the cost is not worth a line.
const STATED: f64 = 0.02;
/// Above this share, the report begins with it.
const FIRST: f64 = 0.1;
/// A filter helps if functions and user regions have this share of the cost.
const FILTERABLE: f64 = 0.5;

/// What measuring cost, and whether that comes first; `None` where it is little or not known.
pub fn sentence(cube: &Cube, run: &RunInfo) -> Option<(String, bool)> {
    let found = dilation(cube, &run.measuring?);
    if found.share < STATED {
        return None;
    }
    let is_first = found.share > FIRST;
    let mut text = format!("Measuring made the run about {} longer", format::percent(found.share));
    if let Some(&(region, _, visits)) = found.regions.first() {
        let (name, visits) = (name(cube, region), format::counted(visits, "visit"));
        text += &format!(", most of it for {visits} of {name}");
    }
    text += ".";
    if is_first {
        text += &advice(cube, run, &found);
    }
    Some((text, is_first))
}

fn name(cube: &Cube, region: RegionId) -> String {
    let region = &cube.regions[region];
    let construct = region.construct().to_owned();
    match region.source() {
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
        Some(Role::Critical | Role::CriticalBody) => "critical",
        Some(Role::Lock) => "locks",
        Some(Role::Ordered | Role::OrderedBody) => "ordered",
        Some(Role::Single | Role::SingleBody) => "single",
        Some(Role::Master) => "master",
        Some(Role::Masked) => "masked",
        _ => return " The times of short constructs include it.".to_owned(),
    };
    format!(" Compile with --pomp-disable={construct} to leave these constructs out.")
}
