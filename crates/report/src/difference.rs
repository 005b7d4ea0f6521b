//! The report of a difference: what `pompeii cube diff` made of two reports. Its values have signs.
//! Wall time, shares, efficiencies and findings mean nothing for a difference, so none are shown.

use pompeii_analysis::{AllocationPart, Lens, allocation, format};
use pompeii_model::{Cube, Id, RegionId, Ticks};

use crate::layout::{Style, even, left, name_width, named, right, wrap};
use crate::{Options, RunInfo};

/// `+7.5 ms`: a difference of which `text` shows the value.
pub fn signed(text: String, value: i64) -> String {
    if value > 0 { format!("+{text}") } else { text }
}

/// What the values are, for the head of a report.
pub fn meaning(operation: &str) -> String {
    format!(
        "Each value is that of the first report minus that of the second ({operation}): + means \
         that the first report has more, - that it has less."
    )
}

/// The parts of the CPU time that differ.
pub fn parts(cube: &Cube) -> Vec<AllocationPart> {
    allocation(cube).into_iter().filter(|part| part.ticks != 0).collect()
}

/// A region with the difference of its own time and of its visits.
pub struct Changed {
    /// Which one.
    pub region: RegionId,
    /// The difference of its own times, over all call paths and locations.
    pub ticks: Ticks,
    /// That of its visits.
    pub visits: i64,
}

/// The regions whose own times differ, the largest difference first.
pub fn changed(cube: &Cube) -> Vec<Changed> {
    let lens = Lens::new(cube);
    let by_region = lens.calls_by_region();
    let all = by_region.enumerated().map(|(region, calls)| Changed {
        region,
        ticks: lens.sum("execution", calls),
        visits: lens.sum("visits", calls),
    });
    let mut all: Vec<Changed> = all.filter(|of| of.ticks != 0).collect();
    all.sort_by_key(|of| (-of.ticks.abs(), of.region.index()));
    all
}

/// `3.1 s less in the first report`.
pub fn total(cube: &Cube, parts: &[AllocationPart]) -> String {
    let ticks: Ticks = parts.iter().map(|part| part.ticks).sum();
    let time = format::seconds(cube.clock.seconds(ticks.abs()));
    match ticks {
        0 => "the same in both reports".to_owned(),
        1.. => format!("{time} more in the first report"),
        _ => format!("{time} less in the first report"),
    }
}

/// Width of a column of numbers.
const NUMBER: usize = 13;

/// The summary.
pub fn summary(cube: &Cube, operation: &str, run: &RunInfo, options: &Options) -> String {
    let style = Style::new(options);
    let mut text =
        format!(" {}\n", style.bold(&format!("{}: difference of two reports", cube.program)));
    text += &wrap(&meaning(operation), options.width, "   ", "   ");
    let parts = parts(cube);
    text += &format!("\n CPU time: {}\n", total(cube, &parts));
    for part in &parts {
        let time = signed(format::seconds(cube.clock.seconds(part.ticks)), part.ticks);
        let word = if part.ticks > 0 { "more" } else { "less" };
        text += &format!("   {}{}  {word}\n", left(part.title, 23), right(&time, 9));
    }
    text.push('\n');
    text += &regions(cube, options, style);
    for note in &run.notes {
        text += &wrap(note, options.width, " ", "   ");
    }
    if !run.experiment.is_empty() {
        text += &format!(" Next: pompeii html {} -o difference.html\n", run.experiment);
    }
    text
}

fn regions(cube: &Cube, options: &Options, style: Style) -> String {
    let changed = changed(cube);
    if changed.is_empty() {
        return " No region has another time.\n\n".to_owned();
    }
    let columns = [NUMBER; 2];
    let name = |text: &str| named(text, name_width(options, &columns), options);
    let mut text = format!(
        " {}{}{}\n",
        style.bold(&name("Largest differences")),
        right("own time", NUMBER),
        right("visits", NUMBER)
    );
    for of in changed.iter().take(options.top) {
        let time = signed(format::seconds(cube.clock.seconds(of.ticks)), of.ticks);
        let visits = signed(format::count(of.visits), of.visits);
        text += &format!(
            " {}{}{}\n",
            name(&cube.regions[of.region].label()),
            right(&time, NUMBER),
            right(&visits, NUMBER)
        );
    }
    if changed.len() > options.top {
        let more = changed.len() - options.top;
        text += &style.dim(&format!(" ({more} more: the trees below have them)\n"));
    }
    even(&text) + "\n"
}
