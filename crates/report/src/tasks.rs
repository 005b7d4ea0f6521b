//! Task instances as text: per construct how long creating, waiting and executing took.

use pompeii_analysis::{TaskInstances, format, task_instances};
use pompeii_model::{Cube, Distribution};

use crate::layout::{even, fit, wrap};
use crate::{Options, moments};

/// Constructs that are shown.
const SHOWN: usize = 10;
/// Bins with a smaller share are left out.
const LEAST_SHARE: f64 = 0.005;

/// The table; empty without task instances.
pub fn tasks(cube: &Cube, options: &Options) -> String {
    let found = task_instances(cube);
    if found.is_empty() {
        return String::new();
    }
    let mut text = moments::head("Tasks: time per instance", "instances", options);
    for of in found.iter().take(SHOWN) {
        text += &construct(cube, of, options);
    }
    if found.len() > SHOWN {
        let more = format::counted((found.len() - SHOWN) as i64, "construct");
        text += &format!(" ({more} more: --json has all)\n");
    }
    even(&text)
}

fn construct(cube: &Cube, of: &TaskInstances, options: &Options) -> String {
    let name = cube.regions[of.region].label();
    let mut text = match options.whole_names {
        true => format!(" {name}\n"),
        false => format!(" {}\n", fit(&name, options.width - 1)),
    };
    for (time, distribution) in of.times() {
        if distribution.moments.count > 0 {
            let name = format!("  {}", time.as_str());
            text += &moments::row(&name, &distribution.moments, cube, options);
        }
    }
    if of.undeferred > 0 {
        text += &moments::counted_row("  undeferred, counted only", of.undeferred, options);
    }
    let bins = histogram(cube, &of.execution);
    text + &wrap(&format!("execution: {bins}"), options.width, "   ", "     ")
}

/// How many instances took how long: the bins that count, each with its upper bound.
fn histogram(cube: &Cube, of: &Distribution) -> String {
    let seconds = |ticks: f64| format::seconds(ticks / cube.clock.ticks_per_second());
    let share = |count: u64| count as f64 / of.moments.count.max(1) as f64;
    let bins = of.histogram().filter(|(.., count)| share(*count) >= LEAST_SHARE);
    let bins: Vec<String> = bins
        .map(|(_, below, count)| format!("{} < {}", format::percent(share(count)), seconds(below)))
        .collect();
    bins.join(", ")
}
