//! The most severe instances of waiting, from the results of `pompeii analyze`. They name threads
//! and count seconds; here they are locations and ticks of the timeline.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use pompeii_analysis::properties;
use pompeii_model::LocationId;
use serde::{Deserialize, Serialize};

use crate::trace::Trace;

/// A larger file is not read: it has instances of more call paths than anybody looks at.
const BYTES_MAX: u64 = 256 << 20;
/// The most severe ones are enough.
const MOST: usize = 500;
/// Times that a page has exactly.
const SECONDS_MAX: f64 = 1e9;

/// What is read of the results.
#[derive(Deserialize)]
struct Results {
    #[serde(default)]
    instances: Vec<OfCall>,
}

#[derive(Deserialize)]
struct OfCall {
    property: String,
    at: String,
    severe: Vec<Severe>,
}

#[derive(Deserialize)]
struct Severe {
    seconds: f64,
    enter_s: f64,
    leave_s: f64,
    location: String,
    by: Option<String>,
    by_location: Option<String>,
}

/// An instance of waiting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Instance {
    property: String,
    title: String,
    ticks: u64,
    /// Where it is.
    pub loc: usize,
    /// When the visit began.
    pub start: u64,
    /// When the visit ended.
    pub end: u64,
    path: String,
    because: String,
}

/// The most severe instances in a file, the largest first. A file that cannot be read has none.
pub fn read(file: &Path, trace: &Trace) -> Vec<Instance> {
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
    let results = read.ok().and_then(|_| serde_json::from_str::<Results>(&text).ok());
    let system = &trace.definitions.system;
    let name = |location: usize| system.thread_name(LocationId(location as u32));
    let locations = (0..trace.locations()).map(|location| (name(location), location)).collect();
    let mut all = Vec::new();
    for of in results.into_iter().flat_map(|results| results.instances) {
        all.extend(of.severe.iter().filter_map(|severe| instance(trace, &locations, &of, severe)));
    }
    all.sort_by(|a, b| (b.ticks, a.start, a.loc).cmp(&(a.ticks, b.start, b.loc)));
    all.truncate(MOST);
    all
}

/// An instance in ticks; `None` if it is none of this trace.
fn instance(
    trace: &Trace,
    locations: &HashMap<String, usize>,
    of: &OfCall,
    severe: &Severe,
) -> Option<Instance> {
    let rate = trace.definitions.ticks_per_second as f64;
    let ticks = |seconds: f64| {
        (0.0..SECONDS_MAX).contains(&seconds).then(|| (seconds * rate).round() as u64)
    };
    let begin = trace.definitions.begin;
    let time = |seconds| Some(trace.since_origin(begin.saturating_add(ticks(seconds)?)));
    let because = match (&severe.by, &severe.by_location) {
        (Some(by), Some(location)) => format!("It waited for {location} at {by}."),
        (Some(by), None) => format!("It waited for {by}."),
        _ => String::new(),
    };
    let property = properties::find(&of.property);
    Some(Instance {
        property: of.property.clone(),
        title: property.map_or_else(|| of.property.clone(), |it| it.title.to_owned()),
        ticks: ticks(severe.seconds)?,
        loc: *locations.get(&severe.location)?,
        start: time(severe.enter_s)?,
        end: time(severe.leave_s)?,
        path: of.at.clone(),
        because,
    })
}
