//! The first answer: what `run` prints when the program ends. Every line answers a question: how
//! long, how efficient, where did the time go, what to fix first and what would it bring.

use pompeii_analysis::{
    AllocationPart, Finding, Lens, Machine, allocation_on, check_sum, efficiencies, findings_on,
    format,
};
use pompeii_model::{Cube, Region, Role};

use crate::factors::factors;
use crate::layout::{Style, bar, fit, fit_head, flow, left, right, width, wrap};
use crate::limits::limits;
use crate::nothing_found::nothing_found;
use crate::{Options, RunInfo, code_times, difference, dilation, gains, one_thread};

/// The summary of a run: about 30 lines of text, wrapped to the given width.
pub fn summary(cube: &Cube, run: &RunInfo, options: &Options) -> String {
    if let Some(operation) = &cube.difference {
        return difference::summary(cube, operation, run, options);
    }
    let style = Style::new(options);
    let mut found = findings_on(cube, &run.machine, run.measuring.as_ref());
    let nothing = nothing_found(cube, run, &found);
    found.retain(|finding| finding.is_significant(cube));
    let mut text = header(cube, run, options, style);
    let measuring = dilation::sentence(cube, run);
    if let Some((sentence, true)) = &measuring {
        text += &style.bad(&wrap(sentence, options.width, " ! ", "   "));
    }
    for cause in &run.machine.causes {
        text += &style.bad(&wrap(&cause.sentence, options.width, " ! ", "   "));
    }
    text += "\n";
    text += &efficiency_line(cube, options);
    text += "\n";
    text += &allocation_table(cube, &run.machine, options, style);
    text += "\n";
    let alone = one_thread::sentences(cube, run);
    text += &on_one_thread(&alone, options, style);
    if alone.is_empty() || !found.is_empty() {
        text += &match nothing {
            Some(nothing) => wrap(&nothing, options.width, " ", "   "),
            None => problems(Lens::new(cube), &found, options, style),
        };
        text += &hidden(run, found.len(), options, style);
        let gains = gains::together(cube, run, &found);
        text += &gains.map_or_else(String::new, |it| wrap(&it, options.width, " ", "   "));
        text += "\n";
    }
    if let Some((sentence, false)) = measuring.as_ref().filter(|_| alone.is_empty()) {
        text += &wrap(sentence, options.width, " ", "   ");
    }
    for limit in limits(cube) {
        text += &wrap(&limit, options.width, " ", "   ");
    }
    if let Err(error) = check_sum(cube) {
        let warning = format!("The values of this report do not add up: {error}.");
        text += &style.bad(&wrap(&warning, options.width, " ! ", "   "));
    }
    for note in &run.notes {
        text += &wrap(note, options.width, " ", "   ");
    }
    match alone.is_empty() {
        true => text + &next_line(run, found.first(), options),
        false => text + &more_threads(run),
    }
}

/// What one thread can tell.
fn on_one_thread(sentences: &[String], options: &Options, style: Style) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let head = "On one thread there is no waiting. This run shows:";
    let lines = sentences.iter().map(|sentence| wrap(sentence, options.width, "   ", "     "));
    format!(" {}\n{}\n", style.bold(head), lines.collect::<String>())
}

fn more_threads(run: &RunInfo) -> String {
    let [two, four] = one_thread::next(run);
    format!(" Next: {two}\n   or: {four}\n")
}

fn header(cube: &Cube, run: &RunInfo, options: &Options, style: Style) -> String {
    let is_source = |region: &&Region| !matches!(region.role, Role::Artificial | Role::Parameter);
    let regions = cube.regions.iter().filter(is_source).count();
    let processes = match cube.system.processes.len() {
        1 => "1 process".to_owned(),
        several => format!("{several} processes"),
    };
    let wall = wall(cube);
    let threads = format::counted(cube.system.locations.len() as i64, "thread");
    let first = format!("{}: {wall} on {threads}", cube.program);
    let observed = match run.observed_by.as_str() {
        "" => String::new(),
        by => format!("observed by {by}, "),
    };
    let mut text = format!(
        "{first} ({processes}); {observed}{}, {}",
        format::counted(regions as i64, "region"),
        format::counted(cube.calls.len() as i64, "call path"),
    );
    if let Some(bytes) = run.trace_bytes {
        text += &format!("; trace {}", format::bytes(bytes));
    }
    let head = wrap(&text, options.width, " ", "   ").replacen(&first, &style.bold(&first), 1);
    head + &circumstances(run, options, style)
}

/// The command, when and where it ran, where the caller wants that said.
fn circumstances(run: &RunInfo, options: &Options, style: Style) -> String {
    if run.started.is_empty() {
        return String::new();
    }
    let mut text = run.started.clone();
    if !run.host.is_empty() {
        text += &format!(" on {}", run.host);
    }
    if !run.command.is_empty() {
        text += &format!(": {}", run.command);
    }
    style.dim(&wrap(&text, options.width, "   ", "     "))
}

/// The wall time, with a digit more than other times have.
fn wall(cube: &Cube) -> String {
    let seconds = cube.clock.seconds(cube.wall_ticks);
    match seconds {
        9.995..99.95 => format!("{seconds:.1} s"),
        1.0..9.995 => format!("{seconds:.2} s"),
        _ => format::seconds(seconds),
    }
}

/// The parallel efficiency and its factors.
fn efficiency_line(cube: &Cube, options: &Options) -> String {
    let head = format!(" Parallel efficiency {}", format::percent(efficiencies(cube).parallel));
    let column = width(&head) + 2;
    let factor = |(position, (name, value)): (usize, (&str, f64))| {
        let sign = if position == 0 { '=' } else { 'x' };
        format!("{sign}  {name} {}", format::percent(value))
    };
    let factors = factors(cube).into_iter().enumerate().map(factor);
    let parts: Vec<String> = std::iter::once(head).chain(factors).collect();
    flow(&parts, "  ", options.width, column)
}

fn allocation_table(cube: &Cube, machine: &Machine, options: &Options, style: Style) -> String {
    let lens = Lens::new(cube);
    let threads = cube.system.locations.len();
    let wall = wall(cube);
    let mut text = format!(" {threads} x {wall} of CPU allocation went to\n");
    let parts: Vec<AllocationPart> =
        allocation_on(cube, machine).into_iter().filter(|part| part.ticks != 0).collect();
    let most = parts.iter().map(|part| lens.share(part.ticks)).fold(0.0, f64::max);
    for part in &parts {
        let share = lens.share(part.ticks);
        let seconds = format::seconds(lens.seconds(part.ticks));
        let mut line = format!("   {}", left(part.title, 23));
        line += &right(&seconds, 9);
        line += &right(&format::percent(share), 9);
        if options.bars && most > 0.0 {
            let bar = bar(share / most, 20.min(options.width.saturating_sub(47)));
            let useful = part.name == "computing";
            line += "  ";
            line += &if useful { style.good(&bar) } else { style.bad(&bar) };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Widths of the columns of the table of problems.
struct Columns {
    place: usize,
    construct: usize,
    problem: usize,
}

/// Rank, and the blanks between columns.
const FIXED: usize = 4 + 2 + 2;

impl Columns {
    /// As wide as the longest entry, where that fits; else the problem's, then the widest, is made
    /// narrower.
    fn new(found: &[&Finding], options: &Options) -> Self {
        let longest = |of: fn(&Finding) -> usize| found.iter().map(|f| of(f)).max().unwrap_or(0);
        let mut columns = [
            longest(|f| width(&f.place)),
            longest(|f| width(&f.construct)),
            longest(|f| width(f.property.title)),
        ];
        let room = match options.whole_names {
            true => usize::MAX,
            false => options.width.saturating_sub(FIXED),
        };
        let excess = |columns: [usize; 3]| columns.iter().sum::<usize>().saturating_sub(room);
        // The sentences below it say what the problem is; names are only here.
        columns[2] -= excess(columns).min(columns[2].saturating_sub(18));
        let least = [12, 10, 18];
        while excess(columns) > 0 {
            let spare = |&i: &usize| columns[i].saturating_sub(least[i]);
            let Some(widest) = (0..3).max_by_key(spare).filter(|i| spare(i) > 0) else { break };
            columns[widest] -= 1;
        }
        let [place, construct, problem] = columns;
        Self { place, construct, problem }
    }
}

/// What all lines of the table of problems share.
struct Table<'a> {
    lens: Lens<'a>,
    columns: Columns,
    options: &'a Options,
    style: Style,
}

fn problems(lens: Lens, found: &[Finding], options: &Options, style: Style) -> String {
    let shown: Vec<&Finding> = found.iter().take(options.top).collect();
    let columns = Columns::new(&shown, options);
    let mut text = format!(" {}\n", style.bold("Fix first"));
    let table = Table { lens, columns, options, style };
    for (index, finding) in shown.iter().enumerate() {
        text += &problem(index + 1, finding, &table);
    }
    text
}

/// How many findings are not shown, and the command that shows them.
fn hidden(run: &RunInfo, found: usize, options: &Options, style: Style) -> String {
    let command = match run.experiment.as_str() {
        "" => String::new(),
        experiment => format!("pompeii report {experiment} "),
    };
    match found.saturating_sub(options.top) {
        0 => String::new(),
        more => style.dim(&format!("    {more} more: {command}--top {found}\n")),
    }
}

fn problem(rank: usize, finding: &Finding, table: &Table) -> String {
    let Table { columns, options, style, .. } = table;
    let place = left(&fit(&finding.place, columns.place), columns.place);
    let construct = left(&fit(&finding.construct, columns.construct), columns.construct);
    let problem = fit_head(&lower_first(finding.property.title), columns.problem);
    let mut text = format!(
        " {} {}  {construct}  {problem}\n",
        left(&rank.to_string(), 2),
        style.place(&place)
    );
    text += &style.bad(&wrap(&numbers(finding, &table.lens), options.width, "    ", "    "));
    let times = code_times::sentences(table.lens.cube, finding);
    for sentence in finding.details.iter().chain(&times).chain([&finding.advice.sentence()]) {
        text += &wrap(sentence, options.width, "    ", "    ");
    }
    text
}

/// `lost 3.0 CPU s; gain 0.6 s (0.5 to 0.7) of 3.2 s, from the trace`.
fn numbers(finding: &Finding, lens: &Lens) -> String {
    let of =
        if finding.gain.is_some() { format!(" of {}", wall(lens.cube)) } else { String::new() };
    let seconds = finding
        .gain
        .map(|gain| [gain.ticks, gain.low_ticks, gain.high_ticks].map(|t| lens.seconds(t)));
    let from_trace = finding.from_trace;
    let gain = gain(seconds, from_trace.is_some_and(|of| of.is_bound));
    let origin = if from_trace.is_some() { ", from the trace" } else { "" };
    format!("lost {}; gain {gain}{of}{origin}", lost(lens.seconds(finding.lost_ticks)))
}

/// CPU time as `3.0 CPU s`.
pub(crate) fn lost(seconds: f64) -> String {
    let lost = format::seconds(seconds);
    lost.rsplit_once(' ').map_or(lost.clone(), |(n, unit)| format!("{n} CPU {unit}"))
}

/// A gain with its bounds as `0.6 s (0.5 to 0.7)`, as `at most 0.6 s` if it is an upper bound, or
/// `not known`.
pub(crate) fn gain(seconds: Option<[f64; 3]>, is_bound: bool) -> String {
    let Some(seconds) = seconds else { return "not known".to_owned() };
    let [gain, low, high] = seconds.map(format::seconds);
    if is_bound {
        return format!("at most {gain}");
    }
    let unit = |text: &str| text.rsplit_once(' ').map(|(_, unit)| unit.to_owned());
    let number = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let (low, high) = match unit(&low) == unit(&gain) && unit(&high) == unit(&gain) {
        true => (number(&low), number(&high)),
        false => (low, high),
    };
    format!("{gain} ({low} to {high})")
}

/// `Wait at …` in the middle of a line; names such as `OpenMP` keep their capitals.
pub(crate) fn lower_first(title: &str) -> String {
    let mut chars = title.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => title.to_owned(),
    }
}

fn next_line(run: &RunInfo, first: Option<&Finding>, options: &Options) -> String {
    let explain = first.map_or("time", |finding| finding.property.name);
    let explain = format!("pompeii explain {explain}");
    let parts = match (run.experiment.as_str(), run.trace_bytes) {
        ("", _) => vec![format!(" Next: {explain}")],
        (experiment, Some(_)) => {
            vec![format!(" Next: pompeii view {experiment}"), format!("or   {explain}")]
        }
        (experiment, None) => vec![
            format!(" Next: pompeii html {experiment} -o report.html"),
            format!("or   {explain}"),
        ],
    };
    flow(&parts, "   ", options.width, 7)
}
