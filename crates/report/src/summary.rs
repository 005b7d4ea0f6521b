//! The first answer: what `run` prints when the program ends. Every line answers a question: how
//! long, how efficient, where did the time go, what to fix first and what would it bring.

use pompeii_analysis::{
    AllocationPart, Finding, Lens, Machine, allocation_on, check_sum, efficiencies, findings_on,
    format,
};
use pompeii_model::{Cube, Paradigm, Region, Role};

use crate::dilation;
use crate::layout::{Style, bar, fit, fit_head, flow, left, right, width, wrap};
use crate::limits::limits;
use crate::{Options, RunInfo};

/// The summary of a run: about 30 lines of text, wrapped to the given width.
pub fn summary(cube: &Cube, run: &RunInfo, options: &Options) -> String {
    let style = Style::new(options);
    let found: Vec<Finding> =
        findings_on(cube, &run.machine).into_iter().filter(|f| f.is_significant(cube)).collect();
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
    text += &problems(Lens::new(cube), &found, options, style);
    text += &hidden(run, found.len(), options, style);
    text += "\n";
    if let Some((sentence, false)) = &measuring {
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
    text + &next_line(run, found.first(), options)
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
    wrap(&text, options.width, " ", "   ").replacen(&first, &style.bold(&first), 1)
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

/// The parallel efficiency and its factors. All of them are efficiencies: 100 % means no loss.
/// Factors that a program cannot lose anything to are left out.
fn efficiency_line(cube: &Cube, options: &Options) -> String {
    let e = efficiencies(cube);
    let head = format!(" Parallel efficiency {}", format::percent(e.parallel));
    let column = width(&head) + 2;
    let processes = cube.system.processes.len();
    let has_threads = cube.system.locations.len() > processes;
    let has_openmp = cube.regions.iter().any(|region| region.paradigm == Paradigm::OpenMp);
    let mut factors = Vec::new();
    if processes > 1 || Lens::new(cube).total("mpi") > 0 {
        factors.push(("process balance", e.process_balance));
        factors.push(("MPI efficiency", e.mpi_communication));
    }
    if has_threads {
        factors.push(("thread balance", e.load_balance));
        factors.push(("parallel share", e.serial_parts));
    }
    if has_threads || has_openmp {
        factors.push(("OpenMP efficiency", e.openmp_overhead));
    }
    let factor = |(position, (name, value)): (usize, (&str, f64))| {
        let sign = if position == 0 { '=' } else { 'x' };
        format!("{sign}  {name} {}", format::percent(value))
    };
    let factors = factors.into_iter().enumerate().map(factor);
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
    if shown.is_empty() {
        return " No problem was found that costs more than 1 % of the run.\n".to_owned();
    }
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
    for sentence in finding.details.iter().chain([&finding.advice.sentence()]) {
        text += &wrap(sentence, options.width, "    ", "    ");
    }
    text
}

/// `lost 3.0 CPU s; gain 0.6 s (0.5 to 0.7) of 3.2 s`.
fn numbers(finding: &Finding, lens: &Lens) -> String {
    let lost = format::seconds(lens.seconds(finding.lost_ticks));
    let lost = lost.rsplit_once(' ').map_or(lost.clone(), |(n, unit)| format!("{n} CPU {unit}"));
    let Some(gain) = finding.gain else { return format!("lost {lost}; gain not known") };
    let of = wall(lens.cube);
    let all = [gain.low_ticks, gain.ticks, gain.high_ticks];
    let [low, ticks, high] = all.map(|ticks| format::seconds(lens.seconds(ticks)));
    let unit = |text: &str| text.rsplit_once(' ').map(|(_, unit)| unit.to_owned());
    let number = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let (low, high) = match unit(&low) == unit(&ticks) && unit(&high) == unit(&ticks) {
        true => (number(&low), number(&high)),
        false => (low, high),
    };
    format!("lost {lost}; gain {ticks} ({low} to {high}) of {of}")
}

/// `Wait at …` in the middle of a line; names such as `OpenMP` keep their capitals.
fn lower_first(title: &str) -> String {
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
    let parts = match run.experiment.as_str() {
        "" => vec![format!(" Next: {explain}")],
        experiment => vec![
            format!(" Next: pompeii html {experiment} -o report.html"),
            format!("or   {explain}"),
        ],
    };
    flow(&parts, "   ", options.width, 7)
}
