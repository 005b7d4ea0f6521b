//! The three dimensions as text: the property tree, the call tree and the location tree, each node
//! with its value in both modes of the POMP paper's display: collapsed (inclusive, with everything
//! below it) and expanded (exclusive, itself only).

use pompeii_analysis::{Lens, MANY_SAMPLES, format};
use pompeii_model::{CallId, Cube, IndexVec, LocationId, MetricId, Process, ProcessId, Unit};

use crate::Options;
use crate::difference::signed;
use crate::layout::{Style, even, name_width, named, right, wrap};
use crate::shown;

/// What the trees show.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// Width and colour.
    pub layout: Options,
    /// The metric that call tree and location tree are shown for.
    pub metric: String,
    /// Call paths with a smaller inclusive share of the metric's total are left out.
    pub min_share: f64,
    /// Call paths below this number of others are left out: a recursion may be 100,000 calls deep.
    pub max_depth: usize,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { layout: Options::default(), metric: "time".into(), min_share: 0.001, max_depth: 100 }
    }
}

/// The three trees, one below the other. An unknown metric is shown as `time`.
pub fn trees(cube: &Cube, options: &TreeOptions) -> String {
    let lens = Lens::new(cube);
    let metric = cube.metric(&options.metric).or_else(|| cube.metric("time"));
    let Some(metric) = metric else { return String::new() };
    let table = Table { lens, unit: cube.metrics()[metric].unit, options };
    let name = &cube.metrics()[metric].name;
    let meaning = meaning(cube, metric, options);
    let trees = [
        table.heading("Properties") + &properties(&table),
        table.heading(&format!("Call paths: {name}")) + &meaning + &call_paths(&table, metric),
        table.heading(&format!("Locations: {name}")) + &meaning + &locations(&table, metric),
    ];
    trees.map(|tree| even(&tree)).join("\n")
}

/// A line that says how values are combined, if they are no sums.
fn meaning(cube: &Cube, metric: MetricId, options: &TreeOptions) -> String {
    match cube.display(metric).words() {
        words if words.is_empty() => String::new(),
        words => wrap(&format!("({words})"), options.layout.width, " ", "  "),
    }
}

/// Columns of numbers: collapsed, expanded, share of the whole.
const NUMBERS: [usize; 3] = [13, 13, 8];

struct Table<'a> {
    lens: Lens<'a>,
    unit: Unit,
    options: &'a TreeOptions,
}

/// One line of a tree.
struct Line<'a> {
    depth: usize,
    name: &'a str,
    collapsed: f64,
    /// `None` where only the collapsed value means something (inner nodes of the location tree).
    expanded: Option<f64>,
    share: f64,
}

impl Table<'_> {
    fn name_width(&self) -> usize {
        name_width(&self.options.layout, &NUMBERS)
    }

    fn heading(&self, title: &str) -> String {
        let style = Style::new(&self.options.layout);
        let title = named(title, self.name_width(), &self.options.layout);
        let columns = right("collapsed", NUMBERS[0]) + &right("expanded", NUMBERS[1]);
        let share = if self.is_difference() { "" } else { &right("share", NUMBERS[2]) };
        format!(" {}{columns}{share}\n", style.bold(&title))
    }

    /// Then values have signs, and shares mean nothing.
    fn is_difference(&self) -> bool {
        self.lens.cube.difference.is_some()
    }

    fn line(&self, line: &Line) -> String {
        let name = format!("{}{}", "  ".repeat(line.depth), line.name);
        let name = named(&name, self.name_width(), &self.options.layout);
        let expanded = line.expanded.map_or("-".to_owned(), |value| self.value(value));
        let mut text = format!(" {name}{}", right(&self.value(line.collapsed), NUMBERS[0]));
        text += &right(&format!(" {expanded}"), NUMBERS[1]);
        if !self.is_difference() {
            text += &right(&format::percent(line.share), NUMBERS[2]);
        }
        text + "\n"
    }

    fn value(&self, value: f64) -> String {
        let text = shown::value(self.lens.cube, self.unit, value);
        if self.is_difference() { signed(text, value as i64) } else { text }
    }
}

fn properties(table: &Table) -> String {
    let cube = table.lens.cube;
    let mut text = String::new();
    let mut open: Vec<(MetricId, usize, f64)> = Vec::new();
    for (id, metric) in cube.metrics().enumerated().rev() {
        if metric.parent.is_none() && cube.total(id) != 0 {
            // Times are shares of the CPU allocation, in whichever tree they stand.
            let whole = match metric.unit {
                Unit::Ticks => cube.allocation_ticks() as f64,
                _ => cube.shown_total(id),
            };
            open.push((id, 0, whole));
        }
    }
    while let Some((id, depth, whole)) = open.pop() {
        let (metric, total) = (&cube.metrics()[id], cube.shown_total(id));
        let table = Table { unit: metric.unit, ..*table };
        text += &table.line(&Line {
            depth,
            name: &metric.name,
            collapsed: total,
            // A maximum or a mean has no parts.
            expanded: Some(match cube.display(id).is_sum() {
                true => cube.metric_exclusive_total(id) as f64,
                false => total,
            }),
            share: ratio(total, cube.shown_whole(id).unwrap_or(whole)),
        });
        let children: Vec<MetricId> = cube.metric_children(id).collect();
        let parts = children.into_iter().rev().filter(|&child| cube.total(child) != 0);
        open.extend(parts.map(|child| (child, depth + 1, whole)));
    }
    text
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

fn call_paths(table: &Table, metric: MetricId) -> String {
    let cube = table.lens.cube;
    let inclusive = cube.shown_inclusive(metric);
    let sizes = if table.is_difference() { changes(cube, metric) } else { inclusive.clone() };
    let whole = match table.is_difference() {
        true => cube.calls.roots().iter().map(|&root| sizes[root]).sum(),
        false => cube.shown_total(metric),
    };
    let hundred_percent = cube.shown_whole(metric).unwrap_or(whole);
    let (mut text, mut hidden, mut below) = (String::new(), 0, 0);
    let samples = cube.metric("samples").map(|metric| cube.all_inclusive(metric));
    let mut open: Vec<(CallId, usize)> =
        cube.calls.roots().iter().rev().map(|&root| (root, 0)).collect();
    while let Some((call, depth)) = open.pop() {
        let share = ratio(sizes[call], whole);
        if share.abs() < table.options.min_share {
            hidden += cube.calls.subtree(call).len() as i64;
            continue;
        }
        let samples = samples.as_ref().map_or(0, |samples| samples[call]);
        let name = full_name(cube, call, samples);
        text += &table.line(&Line {
            depth,
            name: &name,
            collapsed: inclusive[call],
            expanded: Some(cube.shown_own(metric, call)),
            share: ratio(sizes[call], hundred_percent),
        });
        let children = cube.calls.children(call).iter().rev();
        if depth < table.options.max_depth {
            open.extend(children.map(|&child| (child, depth + 1)));
        } else {
            below += cube.calls.subtree(call).len() as i64 - 1;
        }
    }
    if hidden > 0 {
        let limit = format::percent(table.options.min_share);
        text += &format!(" ({} below {limit} not shown)\n", format::counted(hidden, "call path"));
    }
    if below > 0 {
        let (paths, depth) = (format::counted(below, "call path"), table.options.max_depth);
        text += &format!(" ({paths} deeper than {depth} not shown; --json has them)\n");
    }
    text
}

/// How much changed in and below each call path. Differences with opposite signs do not cancel out.
fn changes(cube: &Cube, metric: MetricId) -> IndexVec<CallId, f64> {
    let mut sizes: IndexVec<CallId, f64> =
        cube.calls.ids().map(|call| cube.own(metric, call).abs() as f64).collect();
    // Parents come before their children.
    for call in cube.calls.ids().rev() {
        if let Some(parent) = cube.calls.parent(call) {
            sizes[parent] += sizes[call];
        }
    }
    sizes
}

/// The region's label. One whose own time has waiting in it says so, and one whose time is an
/// estimate from `samples`.
fn full_name(cube: &Cube, call: CallId, samples: i64) -> String {
    let region = &cube.regions[cube.calls.region(call)];
    let mark = match (region.includes_barrier(), region.is_sampled()) {
        (true, _) => " (barrier included)".to_owned(),
        (false, true) if samples < MANY_SAMPLES => {
            format!(" (about, {})", format::counted(samples, "sample"))
        }
        (false, true) => " (sampled)".to_owned(),
        (false, false) => String::new(),
    };
    region.label() + &mark
}

/// Threads of larger jobs are not listed.
const MOST_THREADS: usize = 512;

fn locations(table: &Table, metric: MetricId) -> String {
    let cube = table.lens.cube;
    let whole = cube.shown_whole(metric).unwrap_or_else(|| cube.shown_total(metric));
    // Time is spent by threads; what is above them has no part of its own.
    let line = |depth, name: &str, collapsed, expanded| {
        table.line(&Line { depth, name, collapsed, expanded, share: ratio(collapsed, whole) })
    };
    let mut text = match cube.system.machine.as_str() {
        "" => String::new(),
        machine => line(0, machine, cube.shown_total(metric), None),
    };
    let shows_threads = cube.system.locations.len() <= MOST_THREADS;
    let threads = cube.system.locations_by_process();
    for host in cube.system.hosts() {
        let here = |process: &Process| process.node == host;
        let processes = cube.system.processes.enumerated().filter(|(_, process)| here(process));
        let processes: Vec<(ProcessId, &Process)> = processes.collect();
        let here: Vec<LocationId> =
            processes.iter().flat_map(|(id, _)| threads[*id].iter().copied()).collect();
        text += &line(1, host, cube.shown_at(metric, &here), None);
        for (id, process) in processes {
            text += &line(2, &process.name, cube.shown_at(metric, &threads[id]), None);
            for &thread in threads[id].iter().filter(|_| shows_threads) {
                let value = cube.shown_at(metric, &[thread]);
                text += &line(3, &cube.system.locations[thread].name, value, Some(value));
            }
        }
    }
    if !shows_threads {
        text += " (threads not shown; --json has them)\n";
    }
    text
}
