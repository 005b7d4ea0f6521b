//! Tables of how long things took: one row per construct or call path, with number, mean, deviation
//! and extremes.

use pompeii_analysis::format;
use pompeii_model::{Cube, Moments};

use crate::Options;
use crate::layout::{self, Style, fit, left, name_width, right};

/// Widths of the columns of numbers.
const NUMBERS: [usize; 5] = [12, 10, 10, 10, 10];

/// The head of a table of `things`.
pub fn head(title: &str, things: &str, options: &Options) -> String {
    let title = Style::new(options).bold(&named(title, options));
    format!(" {title}{}\n", columns([things, "mean", "deviation", "min", "max"]))
}

/// A row.
pub fn row(name: &str, of: &Moments, cube: &Cube, options: &Options) -> String {
    let seconds = |ticks: f64| format::seconds(ticks / cube.clock.ticks_per_second());
    let numbers = [
        format::count(i64::try_from(of.count).unwrap_or(i64::MAX)),
        seconds(of.mean()),
        seconds(of.deviation()),
        seconds(of.min as f64),
        seconds(of.max as f64),
    ];
    format!(" {}{}\n", named(name, options), columns(numbers.each_ref().map(String::as_str)))
}

/// A row of something that was counted only.
pub fn counted_row(name: &str, count: i64, options: &Options) -> String {
    format!(" {}{}\n", named(name, options), right(&format::count(count), NUMBERS[0]))
}

fn named(name: &str, options: &Options) -> String {
    // A blank stays free between the name and numbers that fill their column.
    let (width, gap) = (name_width(options, &NUMBERS), " ");
    match options.whole_names {
        true => layout::named(&format!("{name}{gap}"), width, options),
        false => left(&fit(name, width - 1), width),
    }
}

fn columns(texts: [&str; 5]) -> String {
    texts.into_iter().zip(NUMBERS).map(|(text, width)| right(text, width)).collect()
}
