//! Parts of a trace that were given up: chunks that could not be written, or were beyond the budget
//! (`run --memory`).

use std::collections::HashMap;

use pompeii_live::{Definition, LiveProcess};
use pompeii_model::{Frequency, System};
use serde::{Deserialize, Serialize};

/// A part of a location's trace that was given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Name of the location.
    pub location: String,
    /// Events.
    pub events: u64,
    /// Time of the first, in seconds since the start.
    pub from_s: f64,
    /// Time of the last.
    pub until_s: f64,
}

/// What the runtime has written down. Chunks that follow each other, with none kept in between, are
/// one part: all of them were to have the same number.
pub fn dropped(live: &LiveProcess, system: &System, clock: Frequency) -> Vec<Dropped> {
    let mut parts: Vec<((u32, u64), u64, u64, u64)> = Vec::new();
    let mut places: HashMap<(u32, u64), usize> = HashMap::new();
    for definition in &live.definitions {
        let Definition::Dropped { location, chunk, events, from, until } = *definition else {
            continue;
        };
        let place = *places.entry((location, chunk)).or_insert(parts.len());
        match parts.get_mut(place) {
            Some(part) => (part.1, part.3) = (part.1.saturating_add(events), until),
            None => parts.push(((location, chunk), events, from, until)),
        }
    }
    let start = live.start.ticks;
    let seconds = |ticks: u64| clock.seconds(ticks.saturating_sub(start) as i64);
    let told = parts.into_iter().map(|((location, _), events, from, until)| Dropped {
        location: name(live, system, location),
        events,
        from_s: seconds(from),
        until_s: seconds(until),
    });
    told.collect()
}

fn name(live: &LiveProcess, system: &System, index: u32) -> String {
    let place = live.locations.iter().position(|location| location.index == index);
    let known = place.and_then(|place| system.locations.iter().nth(place));
    known.map_or_else(|| format!("location {index}"), |location| location.name.clone())
}
