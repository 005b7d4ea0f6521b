//! Task instances as text: per construct how long creating, waiting and executing took.

use pompeii_analysis::{TaskInstances, format, task_instances};
use pompeii_model::{Cube, Distribution, TaskTime};

use crate::Options;
use crate::layout::{Style, fit, left, name_width, right, wrap};

/// Constructs that are shown.
const SHOWN: usize = 10;
const NUMBERS: [usize; 5] = [12, 10, 10, 10, 10];
/// Bins with a smaller share are left out.
const LEAST_SHARE: f64 = 0.005;

/// The table; empty without task instances.
pub fn tasks(cube: &Cube, options: &Options) -> String {
    let found = task_instances(cube);
    if found.is_empty() {
        return String::new();
    }
    let heading = left("Tasks: time per instance", name_width(options, &NUMBERS));
    let titles = ["instances", "mean", "deviation", "min", "max"];
    let columns: String = titles.iter().zip(NUMBERS).map(|(title, n)| right(title, n)).collect();
    let mut text = format!(" {}{columns}\n", Style::new(options).bold(&heading));
    for of in found.iter().take(SHOWN) {
        text += &construct(cube, of, options);
    }
    if found.len() > SHOWN {
        let more = format::counted((found.len() - SHOWN) as i64, "construct");
        text += &format!(" ({more} more: --json has all)\n");
    }
    text
}

fn construct(cube: &Cube, of: &TaskInstances, options: &Options) -> String {
    let mut text = format!(" {}\n", fit(&cube.regions[of.region].name, options.width - 1));
    for (time, distribution) in of.times() {
        if distribution.moments.count > 0 {
            text += &line(cube, time, distribution, options);
        }
    }
    if of.undeferred > 0 {
        let name = left("  undeferred, counted only", name_width(options, &NUMBERS));
        text += &format!(" {name}{}\n", right(&format::count(of.undeferred), NUMBERS[0]));
    }
    let bins = histogram(cube, &of.execution);
    text + &wrap(&format!("execution: {bins}"), options.width, "   ", "     ")
}

fn line(cube: &Cube, time: TaskTime, of: &Distribution, options: &Options) -> String {
    let seconds = |ticks: f64| format::seconds(ticks / cube.clock.ticks_per_second());
    let moments = &of.moments;
    let name = format!("  {}", time.as_str());
    let numbers = [
        format::count(i64::try_from(moments.count).unwrap_or(i64::MAX)),
        seconds(moments.mean()),
        seconds(moments.deviation()),
        seconds(moments.min as f64),
        seconds(moments.max as f64),
    ];
    let columns: String = numbers.iter().zip(NUMBERS).map(|(text, n)| right(text, n)).collect();
    format!(" {}{columns}\n", left(&name, name_width(options, &NUMBERS)))
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
