//! A flat profile, as `pprof` of TAU prints it: a line for each region, each kind of construct or
//! each function, with its times and visits, on a thread or on all together.
//!
//! Inclusive time counts the outermost visits only, so that a recursion is not counted twice.
//! Shares are those of inclusive time.

use std::cmp::Ordering;
use std::collections::HashMap;

use pompeii_analysis::format;
use pompeii_model::sums::{Groups, NoSums, Sums, Values, metrics};
use pompeii_model::{CallId, Cube, LocationId, Paradigm, Region, Role};
use serde::Serialize;

use crate::Options;
use crate::layout::{Style, fit, right};

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatBy {
    /// One construct, function or user region of the source.
    Region,
    /// All constructs of a kind together, and each function or user region.
    Construct,
    /// A function or user region together with the constructs in it.
    Function,
}

/// By which column lines are sorted: the keys of `pprof`. All but the name begin with the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatKey {
    /// Number of visits.
    Visits,
    /// Visits of callees.
    Callees,
    /// Time without callees.
    Exclusive,
    /// Time with callees.
    Inclusive,
    /// Time without callees of a visit.
    ExclusivePerVisit,
    /// Time with callees of a visit.
    InclusivePerVisit,
    /// Alphabetically.
    Name,
}

/// Whose times and visits are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatOf {
    /// Those of all threads together.
    Total,
    /// Those of all threads, divided by their number.
    Mean,
    /// Those of a thread.
    Location(LocationId),
}

/// What a flat profile shows.
#[derive(Clone, Copy, Debug)]
pub struct FlatOptions {
    /// What a line stands for.
    pub by: FlatBy,
    /// By which column lines are sorted.
    pub key: FlatKey,
    /// Whose values they have.
    pub of: FlatOf,
    /// Whether the order is reversed.
    pub is_reversed: bool,
}

/// Columns of numbers, each with its width.
const COLUMNS: [(&str, usize); 6] = [
    ("time", 6),
    ("exclusive", 10),
    ("inclusive", 10),
    ("visits", 12),
    ("callees", 12),
    ("per visit", 10),
];

/// The least width of the column with names, also on a narrow terminal.
const NAME_MIN: usize = 12;

/// A line without its layout.
struct Line {
    name: String,
    sums: Sums,
}

/// The table. Lines without any time and visit are left out.
///
/// # Errors
/// The cube has no times or visits, or is a difference.
pub fn flat(cube: &Cube, flat: &FlatOptions, options: &Options) -> Result<String, NoSums> {
    let (all, lines) = sorted(cube, flat)?;
    let columns = COLUMNS.map(|(_, width)| width);
    let used = 3 + columns.iter().sum::<usize>();
    let width = options.width.saturating_sub(used).max(NAME_MIN);
    let heading = Style::new(options).bold(&format!("Flat profile of {}", whose(cube, flat.of)));
    let headings: String = COLUMNS.iter().map(|(name, width)| right(name, *width)).collect();
    let mut text = format!(" {heading}\n {headings}  {}\n", what(flat.by));
    for Line { name, sums } in &lines {
        let numbers = numbers(cube, flat.of, (sums, all));
        let numbers = numbers.iter().zip(columns).map(|(number, width)| right(number, width));
        let numbers: String = numbers.collect();
        let name = if options.whole_names { name.clone() } else { fit(name, width) };
        text += &format!(" {numbers}  {name}\n");
    }
    Ok(text)
}

/// The table for programs. Times are seconds; `time_s` is the time that is 100 %.
#[derive(Debug, Serialize)]
struct FlatJson {
    by: &'static str,
    /// `total`, `mean`, or a thread as TAU names it.
    thread: String,
    time_s: f64,
    lines: Vec<JsonLine>,
}

#[derive(Debug, Serialize)]
struct JsonLine {
    name: String,
    exclusive_s: f64,
    inclusive_s: f64,
    visits: f64,
    callees: f64,
}

/// The table as JSON, with its lines in the same order.
///
/// # Errors
/// As for [`flat`].
pub fn flat_json(cube: &Cube, flat: &FlatOptions) -> Result<String, NoSums> {
    let (all, lines) = sorted(cube, flat)?;
    let parts = parts(cube, flat.of);
    let seconds = |ticks: i64| cube.clock.seconds(ticks) / parts;
    let line = |Line { name, sums }: Line| JsonLine {
        name,
        exclusive_s: seconds(sums.exclusive),
        inclusive_s: seconds(sums.inclusive),
        visits: sums.visits as f64 / parts,
        callees: sums.called as f64 / parts,
    };
    let thread = match flat.of {
        FlatOf::Total => "total".to_owned(),
        FlatOf::Mean => "mean".to_owned(),
        FlatOf::Location(location) => cube.system.tau_name(location),
    };
    let lines = lines.into_iter().map(line).collect();
    let json = FlatJson { by: what(flat.by), thread, time_s: seconds(all), lines };
    Ok(serde_json::to_string_pretty(&json).unwrap_or_default() + "\n")
}

/// The time that is 100 %, and the lines in their order.
fn sorted(cube: &Cube, flat: &FlatOptions) -> Result<(i64, Vec<Line>), NoSums> {
    let metrics = metrics(cube)?;
    let values = match flat.of {
        FlatOf::Location(location) => Values::at(cube, metrics, location),
        FlatOf::Total | FlatOf::Mean => Values::of_run(cube, metrics),
    };
    let all = values.of_all(cube).inclusive;
    let mut lines = lines(cube, flat.by, values);
    lines.sort_by(|a, b| match flat.is_reversed {
        false => order(flat.key, a, b),
        true => order(flat.key, b, a),
    });
    Ok((all, lines))
}

/// By which number the values of all threads are divided.
fn parts(cube: &Cube, of: FlatOf) -> f64 {
    if of == FlatOf::Mean { cube.system.locations.len().max(1) as f64 } else { 1.0 }
}

fn what(by: FlatBy) -> &'static str {
    match by {
        FlatBy::Region => "region",
        FlatBy::Construct => "construct",
        FlatBy::Function => "function",
    }
}

/// Whose values they are, with the name of TAU for a thread.
fn whose(cube: &Cube, of: FlatOf) -> String {
    let threads = cube.system.locations.len();
    match of {
        FlatOf::Location(location) => {
            let (name, tau) = (cube.system.thread_name(location), cube.system.tau_name(location));
            format!("{name} ({tau})")
        }
        FlatOf::Total if threads == 1 => "the only thread".to_owned(),
        FlatOf::Total => format!("all {threads} threads together"),
        FlatOf::Mean => format!("the mean of {}", format::counted(threads as i64, "thread")),
    }
}

/// One line for each name in a file, in the order of the program.
fn lines(cube: &Cube, by: FlatBy, values: Values) -> Vec<Line> {
    let is_folded = |call: CallId| {
        by == FlatBy::Function && is_inside_of_function(&cube.regions[cube.calls.region(call)])
    };
    let values = values.folded(cube, is_folded);
    let is_shown = |call| cube.calls.parent(call).is_none() || !is_folded(call);
    let shown = cube.calls.innermost(is_shown);
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<(String, &str), usize> = HashMap::new();
    let mut group = |call: CallId| {
        let region = &cube.regions[cube.calls.region(shown[call].unwrap_or(call))];
        *known.entry((name(region, by), file(region, by))).or_insert_with_key(|(name, _)| {
            names.push(name.clone());
            names.len() - 1
        })
    };
    let of: Vec<usize> = cube.calls.ids().map(&mut group).collect();
    let sums = Groups::new(&cube.calls, of, names.len()).sums(&values);
    let lines = names.into_iter().zip(sums).map(|(name, sums)| Line { name, sums });
    lines.filter(|line| line.sums != Sums::default()).collect()
}

/// Whether the time of a region is that of the function around it: of constructs, but not of
/// routines.
fn is_inside_of_function(region: &Region) -> bool {
    let is_construct = region.paradigm == Paradigm::OpenMp && region.role != Role::Lock;
    is_construct || region.role == Role::Parameter
}

/// How the line of a region is named.
fn name(region: &Region, by: FlatBy) -> String {
    match by {
        FlatBy::Region => region.label(),
        _ if region.is_routine() => region.words(),
        FlatBy::Construct if region.paradigm == Paradigm::OpenMp => {
            region.role.as_str().replacen("sblock", "body", 1)
        }
        FlatBy::Construct | FlatBy::Function => region.label(),
    }
}

/// The file that the name belongs to: functions of several files may have the same name.
fn file(region: &Region, by: FlatBy) -> &str {
    let is_kind = by == FlatBy::Construct && region.paradigm == Paradigm::OpenMp;
    if is_kind || region.is_routine() { "" } else { &region.file }
}

fn order(key: FlatKey, a: &Line, b: &Line) -> Ordering {
    let descending = |value: fn(&Sums) -> i64| value(&b.sums).cmp(&value(&a.sums));
    let per_visit = |value: fn(&Sums) -> i64| {
        let of = |sums: &Sums| each(value(sums), sums.visits).unwrap_or(0.0);
        of(&b.sums).total_cmp(&of(&a.sums))
    };
    match key {
        FlatKey::Visits => descending(|sums| sums.visits),
        FlatKey::Callees => descending(|sums| sums.called),
        FlatKey::Exclusive => descending(|sums| sums.exclusive),
        FlatKey::Inclusive => descending(|sums| sums.inclusive),
        FlatKey::ExclusivePerVisit => per_visit(|sums| sums.exclusive),
        FlatKey::InclusivePerVisit => per_visit(|sums| sums.inclusive),
        FlatKey::Name => a.name.cmp(&b.name),
    }
}

/// Ticks of a visit, if there are visits.
fn each(ticks: i64, visits: i64) -> Option<f64> {
    (visits > 0).then(|| ticks as f64 / visits as f64)
}

/// The columns of a line; `all` is the time that is 100 %.
fn numbers(cube: &Cube, of: FlatOf, (sums, all): (&Sums, i64)) -> [String; 6] {
    let parts = parts(cube, of);
    let time = |ticks: i64| format::seconds(cube.clock.seconds(ticks) / parts);
    let number = |count: i64| match of {
        FlatOf::Mean => format!("{:.1}", count as f64 / parts),
        FlatOf::Total | FlatOf::Location(_) => format::count(count),
    };
    let rate = cube.clock.ticks_per_second();
    let per_visit = each(sums.inclusive, sums.visits);
    [
        format::percent(sums.inclusive as f64 / all.max(1) as f64),
        time(sums.exclusive),
        time(sums.inclusive),
        number(sums.visits),
        number(sums.called),
        per_visit.map_or_else(|| "-".to_owned(), |ticks| format::seconds(ticks / rate)),
    ]
}
