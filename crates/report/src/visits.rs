//! Times of single visits as text: the call paths whose visits take longest in sum, with how much
//! they differ.

use pompeii_analysis::format;
use pompeii_model::{CallId, Cube, Moments};

use crate::Options;
use crate::layout::{Style, fit, left, name_width, right};

/// Call paths that are shown.
const SHOWN: usize = 15;
const NUMBERS: [usize; 5] = [12, 10, 10, 10, 10];

/// Per call path that has any, the times of its visits over all locations.
pub fn by_call(cube: &Cube) -> Vec<(CallId, Moments)> {
    let mut found: Vec<(CallId, Moments)> = Vec::new();
    for times in &cube.visit_times {
        match found.iter_mut().find(|(call, _)| *call == times.call) {
            Some((_, moments)) => moments.join(&times.ticks),
            None => found.push((times.call, times.ticks)),
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
    let heading = left("Call paths: time per visit", name_width(options, &NUMBERS));
    let titles = ["visits", "mean", "deviation", "min", "max"];
    let columns: String = titles.iter().zip(NUMBERS).map(|(title, n)| right(title, n)).collect();
    let mut text = format!(" {}{columns}\n", Style::new(options).bold(&heading));
    for (call, moments) in found.iter().take(SHOWN) {
        text += &line(cube, *call, moments, options);
    }
    if found.len() > SHOWN {
        let more = format::counted((found.len() - SHOWN) as i64, "call path");
        text += &format!(" ({more} more: --json has all)\n");
    }
    text
}

fn line(cube: &Cube, call: CallId, of: &Moments, options: &Options) -> String {
    let seconds = |ticks: f64| format::seconds(ticks / cube.clock.ticks_per_second());
    let name = &cube.regions[cube.calls.region(call)].name;
    let numbers = [
        format::count(i64::try_from(of.count).unwrap_or(i64::MAX)),
        seconds(of.mean()),
        seconds(of.deviation()),
        seconds(of.min as f64),
        seconds(of.max as f64),
    ];
    let columns: String = numbers.iter().zip(NUMBERS).map(|(text, n)| right(text, n)).collect();
    let name = name.strip_prefix("!$omp ").unwrap_or(name);
    format!(
        " {}{columns}\n",
        left(&fit(name, name_width(options, &NUMBERS) - 1), name_width(options, &NUMBERS))
    )
}
