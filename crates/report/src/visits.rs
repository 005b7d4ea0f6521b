//! Times of single visits as text: the call paths whose visits take longest in sum, with how much
//! they differ.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use pompeii_analysis::format;
use pompeii_model::{CallId, Cube, Moments};

use crate::layout::even;
use crate::{Options, moments};

/// Call paths that are shown.
const SHOWN: usize = 15;

/// Per call path that has any, the times of its visits over all locations.
pub fn by_call(cube: &Cube) -> Vec<(CallId, Moments)> {
    let mut found: Vec<(CallId, Moments)> = Vec::new();
    let mut places: HashMap<CallId, usize> = HashMap::new();
    for times in &cube.visit_times {
        match places.entry(times.call) {
            Entry::Occupied(place) => found[*place.get()].1.join(&times.ticks),
            Entry::Vacant(place) => {
                place.insert(found.len());
                found.push((times.call, times.ticks));
            }
        }
    }
    found
}

/// The table; empty where such times were not asked for.
pub fn visits(cube: &Cube, options: &Options) -> String {
    let mut found = by_call(cube);
    if found.is_empty() {
        return String::new();
    }
    found.sort_by_key(|(call, moments)| (-moments.sum, *call));
    let mut text = moments::head("Call paths: time per visit", "visits", options);
    for (call, of) in found.iter().take(SHOWN) {
        text += &moments::row(&format::name_with_place(cube, *call), of, cube, options);
    }
    if found.len() > SHOWN {
        let more = format::counted((found.len() - SHOWN) as i64, "call path");
        text += &format!(" ({more} more: --json has all)\n");
    }
    even(&text)
}
