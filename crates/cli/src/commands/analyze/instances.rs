//! The single instances of waiting, in `analysis.json` and in the summary: when the most severe
//! ones were, so that a viewer can show this part of the trace. `explain` reads them back.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use pompeii_analysis::format::{counted, name_with_place, seconds};
use pompeii_analysis::properties;
use pompeii_model::{Cube, Severe, Ticks};
use pompeii_replay::Outcome;
use serde::{Deserialize, Serialize};

use crate::analyzed_trace::JSON_FILE;
use crate::terminal::{make_printable, shown};

/// Instances in the summary, and in `explain`.
const SHOWN: usize = 3;

/// The instances of a property at a call path, in seconds.
#[derive(Deserialize, Serialize)]
pub struct Instances {
    property: String,
    at: String,
    count: u64,
    sum_s: f64,
    mean_s: f64,
    min_s: f64,
    quartile_25_s: f64,
    median_s: f64,
    quartile_75_s: f64,
    max_s: f64,
    /// The most severe ones, the largest first.
    severe: Vec<Instance>,
}

/// One instance; times count from the begin of the measurement.
#[derive(Deserialize, Serialize)]
struct Instance {
    seconds: f64,
    enter_s: f64,
    leave_s: f64,
    location: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_location: Option<String>,
}

/// The instances of each property and call path.
pub fn instances(cube: &Cube, outcome: &Outcome) -> Vec<Instances> {
    let seconds = |ticks: Ticks| cube.clock.seconds(ticks);
    let location = |id| cube.system.thread_name(id);
    let instance = |of: &Severe| Instance {
        seconds: seconds(of.ticks),
        enter_s: seconds(of.enter),
        leave_s: seconds(of.leave),
        location: location(of.location),
        by: of.by.map(|(call, _)| outcome.path(call)),
        by_location: of.by.map(|(_, id)| location(id)),
    };
    let of_calls = cube.statistics.iter().filter_map(|of| Some((of, of.call?)));
    let of_call = |(of, call): (&pompeii_model::Statistics, _)| Instances {
        property: properties::find(&of.metric).map_or(of.metric.as_str(), |it| it.name).to_owned(),
        at: outcome.path(call),
        count: of.count,
        sum_s: seconds(of.sum),
        mean_s: of.mean() / cube.clock.ticks_per_second(),
        min_s: seconds(of.min),
        quartile_25_s: seconds(of.quartiles[0]),
        median_s: seconds(of.quartiles[1]),
        quartile_75_s: seconds(of.quartiles[2]),
        max_s: seconds(of.max),
        severe: of.severe.iter().map(instance).collect(),
    };
    of_calls.map(of_call).collect()
}

/// The lines of the summary: the most severe instances of all properties.
pub fn lines(cube: &Cube) -> String {
    let of_calls = cube.statistics.iter().filter_map(|of| Some((of, of.call?)));
    let mut all: Vec<_> = of_calls
        .flat_map(|(of, call)| of.severe.iter().map(move |severe| (severe, call, of)))
        .collect();
    all.sort_by_key(|(severe, call, of)| (-severe.ticks, severe.enter, *call, of.metric.as_str()));
    let mut text = String::new();
    for (nth, (severe, call, of)) in all.into_iter().take(SHOWN).enumerate() {
        if nth == 0 {
            text += "\n Most severe instances\n";
        }
        let [ticks, enter, median] =
            [severe.ticks, severe.enter, of.quartiles[1]].map(|it| seconds(cube.clock.seconds(it)));
        text += &format!(
            "   {ticks:>9}  {enter} after the begin, on {}, at {}\n",
            cube.system.thread_name(severe.location),
            name_with_place(cube, call)
        );
        let title = properties::find(&of.metric).map_or(of.metric.as_str(), |it| it.title);
        let instances = counted(of.count.cast_signed(), "instance");
        text += &format!("              {title}: {instances}, median {median}\n");
    }
    text
}

/// What is read back of `analysis.json`.
#[derive(Deserialize)]
struct Analysis {
    instances: Vec<Instances>,
}

/// The most severe instances of a property in the analysis of an experiment; empty if it has none.
///
/// # Errors
/// A file that cannot be read, or is damaged.
pub fn explain(folder: &Path, property: &str) -> Result<String> {
    let file = folder.join(JSON_FILE);
    if !file.exists() {
        return Ok(String::new());
    }
    let text = fs::read(&file).with_context(|| shown(&file).to_string())?;
    let analysis: Analysis =
        serde_json::from_slice(&text).with_context(|| shown(&file).to_string())?;
    let of_property = analysis.instances.iter().filter(|of| of.property == property);
    let mut all: Vec<(&Instance, &str)> = of_property
        .flat_map(|of| of.severe.iter().map(|severe| (severe, of.at.as_str())))
        .collect();
    all.sort_by(|(one, _), (other, _)| other.seconds.total_cmp(&one.seconds));
    let lines = all.iter().take(SHOWN).map(|(severe, at)| explained(severe, at));
    let lines: String = lines.collect();
    Ok(if lines.is_empty() { lines } else { format!("Most severe instances\n{lines}") })
}

fn explained(severe: &Instance, at: &str) -> String {
    let (ticks, enter) = (seconds(severe.seconds), seconds(severe.enter_s));
    let mut line = format!("  {ticks}, {enter} after the begin, on {}, at {at}", severe.location);
    if let (Some(by), Some(location)) = (&severe.by, &severe.by_location) {
        line += &format!(", for {by} on {location}");
    }
    make_printable(&mut line);
    line + "\n"
}
