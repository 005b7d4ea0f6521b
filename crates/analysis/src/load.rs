//! From a Cube report to the measured cube: seconds become the integer clock ticks that they were,
//! and inclusive values become exclusive ones in integers, where differences are exact.
//!
//! Reports of Score-P and Scalasca are read too: without the clock that Pompeii writes, a tick is a
//! nanosecond and the wall time is that of the master threads.

use std::collections::{BTreeMap, HashMap, HashSet};

use pompeii_cubex as cubex;
use pompeii_cubex::Id as _;
use pompeii_model::{
    CALLER_PARAMETER, CallId, CallTree, Cube, Frequency, Id, IndexVec, Location, LocationId,
    Metric, MetricId, Paradigm, Process, ProcessId, ROOTS_FILE, Region, RegionId, Role, Root, Row,
    System, TASKS_FILE, TaskTimes, Unit, VISITS_FILE, VisitTimes, WAITS_FILE, Wait,
};
use thiserror::Error;

use crate::bounds;
use crate::derive::derive;
use crate::display::display;
use crate::properties;

/// Why a report could not be analysed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The report itself is not readable.
    #[error(transparent)]
    Cube(#[from] cubex::Error),
    /// A metric that everything else is computed from is missing.
    #[error("the report has no metric `{0}`; expected a profile.cubex of pompeii or of Score-P")]
    NoMetric(&'static str),
    /// An attribute is not what it should be.
    #[error("attribute `{key}` is `{found}`, expected {expected}")]
    Attribute {
        /// Key of the attribute.
        key: &'static str,
        /// Its value.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A profile of ours lacks a row that it must have.
    #[error(
        "the data of metric `{metric}` has no row of call path {call} (`{region}`), {why}; \
         the report is damaged"
    )]
    MissingRow {
        /// The metric's unique name.
        metric: String,
        /// The call path's number in the report.
        call: u32,
        /// Its region.
        region: String,
        /// Why the row must be there.
        why: &'static str,
    },
    /// The values of a metric are larger than any program can have.
    #[error(
        "the values of metric `{metric}` at call path {call} (`{region}`) are larger than any \
         program can have; the report is damaged, or the live state that it was made of"
    )]
    TooLarge {
        /// The metric's unique name.
        metric: String,
        /// The call path's number in the report.
        call: u32,
        /// Its region.
        region: String,
    },
    /// There is nothing to analyse.
    #[error("the report has no {0}")]
    Empty(&'static str),
}

/// Metrics that the measurement writes and that are read back, besides those of the catalogue.
const MEASURED_ONLY: &[&str] = &["omp_task_starvation"];
/// What says of a metric of the report that it was asked for next to time.
const COUNTED: &str = "pompeii::counted";
/// The name of the metric that a metric of the user's own is a part of.
const PART_OF: &str = "pompeii::part_of";
/// How many decimals a counter of real numbers has.
const DECIMALS: &str = "pompeii::decimals";
/// More are not written.
const DECIMALS_MAX: u8 = 9;

/// Reads a report and computes all properties of the catalogue.
///
/// # Errors
/// A report that cannot be read, or that has no `time`.
pub fn load(report: &cubex::Reader) -> Result<Cube, LoadError> {
    measured(report).map(|cube| derive(&cube))
}

/// Reads the measured metrics of a report.
///
/// # Errors
/// A report that cannot be read, or that has no `time`.
pub fn measured(reader: &cubex::Reader) -> Result<Cube, LoadError> {
    let report = reader.report();
    let mut regions = report.regions.iter().map(|(_, region)| region_of(region)).collect();
    let (calls, call_ids) = call_tree(report, &mut regions);
    let (system, locations) = system(report);
    if calls.is_empty() {
        return Err(LoadError::Empty("call paths"));
    }
    if system.locations.is_empty() {
        return Err(LoadError::Empty("threads"));
    }
    let clock = clock(report)?;
    let program = report.attribute("pompeii::program").map_or_else(
        || root_name(report).unwrap_or_default(),
        |name| name.rsplit('/').next().unwrap_or(name).to_owned(),
    );
    let mut cube = Cube::new(clock, 0, &program, (regions, calls, system));
    let ids = Ids { calls: call_ids, locations };
    let names = properties::metrics().map(|property| property.name);
    for name in names.chain(MEASURED_ONLY.iter().copied()) {
        let known = report.metric(name).filter(|&id| !report.metrics[id].kind.is_derived());
        if let Some(metric) = known {
            read_metric(&mut cube, reader, metric, &ids)?;
        }
    }
    for (id, metric) in report.metrics.iter() {
        let counted = metric.attributes.iter().any(|(key, _)| key == COUNTED);
        if counted && cube.metric(&metric.unique_name).is_none() {
            read_metric(&mut cube, reader, id, &ids)?;
            let whole = metric.attributes.iter().find(|(key, _)| key == PART_OF);
            cube.parts.extend(whole.map(|(_, name)| (metric.unique_name.clone(), name.clone())));
        }
    }
    let time = cube.metric("time").ok_or(LoadError::NoMetric("time"))?;
    if is_own(report) && !reader.shows_damaged() {
        check_rows(reader)?;
    }
    cube.difference = difference(report);
    cube.wall_ticks = wall_ticks(reader, &cube, time)?;
    complete_walls(&mut cube, report, time);
    cube.waits = waits(reader, &ids)?;
    cube.roots = roots(reader, &ids)?;
    cube.visit_times = visit_times(reader, &ids)?;
    cube.task_times = task_times(reader, cube.regions.len(), &ids)?;
    Ok(cube)
}

/// Whether we have measured it, and no operator of `pompeii cube` has changed it.
fn is_own(report: &cubex::Report) -> bool {
    report.attribute("Creator").is_some_and(|creator| creator.starts_with("Pompeii"))
        && report.attribute(OPERATION).is_none()
        && report.attribute(WALL_TICKS).is_some()
}

/// The operation that made the report, if it subtracted one report from another.
fn difference(report: &cubex::Report) -> Option<String> {
    let operation = report.attribute(OPERATION)?;
    operation.starts_with("diff ").then(|| operation.to_owned())
}

/// What a profile of ours cannot lack: an inclusive value contains those below it, and who has
/// entered a function or a parallel region twice has spent time there.
fn check_rows(reader: &cubex::Reader) -> Result<(), LoadError> {
    let report = reader.report();
    let missing = |metric: cubex::MetricId, path: cubex::CallPathId, why| LoadError::MissingRow {
        metric: report.metrics[metric].unique_name.clone(),
        call: path.0,
        region: report.regions[report.call_paths[path].region].name.clone(),
        why,
    };
    let Some(time) = report.metric("time") else { return Ok(()) };
    let mut has_time = vec![false; report.call_paths.len()];
    reader.values(time)?.call_paths().for_each(|path| has_time[path.index()] = true);
    for path in report.call_paths.ids() {
        let parent = report.call_paths.parent(path).filter(|parent| !has_time[parent.index()]);
        if let (true, Some(parent)) = (has_time[path.index()], parent) {
            return Err(missing(time, parent, "though a call path below it has one"));
        }
    }
    let Some(visits) = report.metric("visits") else { return Ok(()) };
    let values = reader.values(visits)?;
    for path in values.call_paths().filter(|path| !has_time[path.index()]) {
        let region = &report.regions[report.call_paths[path].region];
        let is_timed = matches!(region.role.as_str(), "function" | "parallel" | "user");
        let row = values.row(path)?.and_then(|row| row.numbers::<f64>()).unwrap_or_default();
        if is_timed && row.iter().sum::<f64>() >= 2.0 {
            return Err(missing(time, path, "though it was visited"));
        }
    }
    Ok(())
}

/// Who waited for whom, where the report says so. What is said of unknown ids is passed over.
fn waits(reader: &cubex::Reader, ids: &Ids) -> Result<Vec<Wait>, LoadError> {
    let text = reader.file(WAITS_FILE)?.unwrap_or_default();
    let known = |wait: Wait| {
        let by = match wait.by {
            Some((by, at)) => Some((ids.call(by)?, ids.location(at)?)),
            None => None,
        };
        Some(Wait {
            call: ids.call(wait.call)?,
            location: ids.location(wait.location)?,
            by,
            ..wait
        })
    };
    let waits = Wait::parse_all(&String::from_utf8_lossy(&text)).into_iter();
    let mut waits: Vec<Wait> = waits.filter_map(known).collect();
    bounds::keep_waits(&mut waits);
    Ok(waits)
}

/// What the waiting goes back to, if the report is that of a trace.
fn roots(reader: &cubex::Reader, ids: &Ids) -> Result<Vec<Root>, LoadError> {
    let text = reader.file(ROOTS_FILE)?.unwrap_or_default();
    let known = |root: Root| {
        let by = (ids.call(root.by.0)?, ids.location(root.by.1)?);
        Some(Root { call: ids.call(root.call)?, by, ..root })
    };
    let roots = Root::parse_all(&String::from_utf8_lossy(&text)).into_iter();
    let mut roots: Vec<Root> = roots.filter_map(known).collect();
    bounds::keep_roots(&mut roots);
    Ok(roots)
}

/// Times of single visits, where they were asked for.
fn visit_times(reader: &cubex::Reader, ids: &Ids) -> Result<Vec<VisitTimes>, LoadError> {
    let text = reader.file(VISITS_FILE)?.unwrap_or_default();
    let known = |times: VisitTimes| {
        let (call, location) = (ids.call(times.call)?, ids.location(times.location)?);
        Some(VisitTimes { call, location, ..times })
    };
    let times = VisitTimes::parse_all(&String::from_utf8_lossy(&text));
    Ok(times.into_iter().filter_map(known).collect())
}

/// Times of task instances. Regions have the same ids in the report and in the model.
fn task_times(
    reader: &cubex::Reader,
    regions: usize,
    ids: &Ids,
) -> Result<Vec<TaskTimes>, LoadError> {
    let text = reader.file(TASKS_FILE)?.unwrap_or_default();
    let known = |times: TaskTimes| {
        let location = ids.location(times.location)?;
        (times.region.index() < regions).then_some(TaskTimes { location, ..times })
    };
    let times = TaskTimes::parse_all(&String::from_utf8_lossy(&text));
    Ok(times.into_iter().filter_map(known).collect())
}

/// Where the report's call paths and locations are in the model.
struct Ids {
    calls: BTreeMap<cubex::CallPathId, CallId>,
    locations: BTreeMap<cubex::LocationId, LocationId>,
}

impl Ids {
    /// The call path that a file next to the values names by its number in the report.
    fn call(&self, stored: CallId) -> Option<CallId> {
        self.calls.get(&cubex::CallPathId::from_index(stored.index())).copied()
    }

    /// The location that such a file names.
    fn location(&self, stored: LocationId) -> Option<LocationId> {
        self.locations.get(&cubex::LocationId::from_index(stored.index())).copied()
    }
}

/// With how many decimals a counter of real numbers is kept. Values of another file may be too
/// large for these; a conversion to integers makes them the largest one.
fn decimals(metric: &cubex::Metric) -> Option<u8> {
    let (_, text) = metric.attributes.iter().find(|(key, _)| key == DECIMALS)?;
    text.trim().parse().ok().filter(|&decimals| decimals <= DECIMALS_MAX)
}

fn read_metric(
    cube: &mut Cube,
    reader: &cubex::Reader,
    id: cubex::MetricId,
    ids: &Ids,
) -> Result<(), LoadError> {
    let definition = &reader.report().metrics[id];
    let clock = cube.clock;
    let unit = match definition.unit.as_str() {
        "sec" => Unit::Ticks,
        "bytes" => Unit::Bytes,
        "ns" => Unit::Nanoseconds,
        _ => decimals(definition).map_or(Unit::Count, Unit::Decimals),
    };
    let mut values = reader.values(id)?.converted(|number: f64| match unit {
        Unit::Ticks => clock.ticks(number),
        _ => (number * unit.parts()).round() as i64,
    })?;
    if definition.kind == cubex::MetricKind::Inclusive {
        values.to_exclusive(&reader.report().call_paths);
    }
    let metric = cube.add_metric(Metric {
        name: definition.unique_name.clone(),
        title: definition.display_name.clone(),
        description: definition.description.clone(),
        unit,
        parent: None,
        display: display(definition)?,
    });
    let mut order = vec![cubex::LocationId::from_index(0); ids.locations.len()];
    ids.locations.iter().for_each(|(&stored, at)| order[at.index()] = stored);
    let is_in_order = order.iter().map(|stored| stored.index()).eq(0..order.len());
    let mut row_of = |path| {
        let mut row = values.take_row(path)?;
        if is_in_order {
            row.truncate(order.len());
            return Some(Row::new(row));
        }
        let value = |stored: &cubex::LocationId| row.get(stored.index()).copied().unwrap_or(0);
        Some(Row::new(order.iter().map(value).collect()))
    };
    let rows = ids.calls.iter().filter_map(|(&path, &call)| Some((path, call, row_of(path)?)));
    let mut rows: Vec<(cubex::CallPathId, CallId, Row)> = rows.collect();
    bounds::check_rows(reader, id, &mut rows)?;
    rows.into_iter().for_each(|(_, call, row)| cube.set_row(metric, call, row));
    Ok(())
}

/// The model's call tree: in depth-first order, so that parents come before their children.
/// Routines that are called from a known place get a region for each such place.
fn call_tree(
    report: &cubex::Report,
    regions: &mut IndexVec<RegionId, Region>,
) -> (CallTree, BTreeMap<cubex::CallPathId, CallId>) {
    let (mut calls, mut ids) = (CallTree::default(), BTreeMap::new());
    let mut sites = CallSites::new(report);
    for path in report.call_paths.preorder() {
        let region = sites.region(&report.call_paths[path], regions);
        let parent = report.call_paths.parent(path).and_then(|parent| ids.get(&parent));
        let id = match parent {
            Some(&parent) => calls.add_child(parent, region),
            None => calls.add_root(region),
        };
        ids.insert(path, id);
    }
    (calls, ids)
}

/// Regions of routines by the places that they are called from.
struct CallSites {
    known: HashMap<Region, RegionId>,
    /// Regions that stand for call paths without a place, or for a place already.
    taken: HashSet<RegionId>,
}

impl CallSites {
    fn new(report: &cubex::Report) -> Self {
        let paths = report.call_paths.ids().map(|path| &report.call_paths[path]);
        let plain = paths.filter(|path| caller(path).is_none());
        let taken = plain.map(|path| RegionId::from_index(path.region.index())).collect();
        Self { known: HashMap::new(), taken }
    }

    /// The region of a call path. The first place of a routine that is called from known places
    /// alone takes the place of the routine.
    fn region(
        &mut self,
        path: &cubex::CallPath,
        regions: &mut IndexVec<RegionId, Region>,
    ) -> RegionId {
        let routine = RegionId::from_index(path.region.index());
        let Some(site) = call_site(path, &regions[routine]) else { return routine };
        if let Some(&known) = self.known.get(&site) {
            return known;
        }
        let id = match self.taken.insert(routine) {
            true => {
                regions[routine] = site.clone();
                routine
            }
            false => regions.push(site.clone()),
        };
        self.known.insert(site, id);
        id
    }
}

/// The function that a call path's routine is called from.
fn caller(path: &cubex::CallPath) -> Option<&str> {
    let mut parameters = path.parameters.iter();
    parameters.find(|known| known.key == CALLER_PARAMETER).map(|known| known.value.as_str())
}

/// The region that stands for the calls of a routine from the place that a path has.
fn call_site(path: &cubex::CallPath, routine: &Region) -> Option<Region> {
    let caller = caller(path)?;
    let line = path.line.unwrap_or(0);
    let mut site =
        Region { file: path.file.clone(), begin_line: line, end_line: line, ..routine.routine() };
    site.place_in(caller);
    routine.is_routine().then_some(site)
}

fn root_name(report: &cubex::Report) -> Option<String> {
    let &root = report.call_paths.roots().first()?;
    Some(report.regions[report.call_paths[root].region].name.clone())
}

fn region_of(region: &cubex::Region) -> Region {
    let role = match region.role.as_str() {
        "do" => Role::Loop,
        "create task" => Role::TaskCreate,
        name => Role::from_name(name).unwrap_or(Role::Function),
    };
    Region {
        name: region.name.clone(),
        role,
        paradigm: Paradigm::from_name(&region.paradigm).unwrap_or(Paradigm::User),
        file: region.file.clone(),
        begin_line: region.begin_line.unwrap_or(0),
        end_line: region.end_line.unwrap_or(0),
        clauses: region.description.clone(),
    }
}

/// Processes by rank and their threads by rank; locations that are no threads are left out.
fn system(report: &cubex::Report) -> (System, BTreeMap<cubex::LocationId, LocationId>) {
    let (mut system, mut ids) = (System::default(), BTreeMap::new());
    let machine = report.system.nodes.roots().first();
    system.machine = machine.map_or_else(String::new, |&id| report.system.nodes[id].name.clone());
    let mut groups: Vec<_> = report.system.groups.iter().collect();
    groups.sort_by_key(|(id, group)| (group.rank, *id));
    for (group_id, group) in groups {
        let threads = report.system.locations.iter();
        let mut threads: Vec<_> = threads
            .filter(|(_, location)| location.group == group_id && location.kind == "thread")
            .collect();
        threads.sort_by_key(|(id, location)| (location.rank, *id));
        if threads.is_empty() {
            continue;
        }
        let process = system.processes.push(Process {
            name: group.name.clone(),
            rank: u32::try_from(group.rank).unwrap_or(0),
            node: report.system.nodes[group.node].name.clone(),
            master: LocationId::from_index(system.locations.len()),
            wall_ticks: wall(&group.attributes).unwrap_or(UNKNOWN),
        });
        for (id, location) in threads {
            ids.insert(id, add_thread(&mut system, process, location));
        }
    }
    (system, ids)
}

fn add_thread(system: &mut System, process: ProcessId, location: &cubex::Location) -> LocationId {
    system.locations.push(Location { name: location.name.clone(), process })
}

/// Nanoseconds, where the report does not name its clock.
const DEFAULT_TICKS_PER_SECOND: f64 = 1e9;

fn clock(report: &cubex::Report) -> Result<Frequency, LoadError> {
    let key = "pompeii::ticks_per_second";
    let text = report.attribute(key);
    let ticks = text.map_or(Some(DEFAULT_TICKS_PER_SECOND), |text| text.trim().parse().ok());
    ticks.and_then(Frequency::new).ok_or_else(|| LoadError::Attribute {
        key,
        found: text.unwrap_or_default().to_owned(),
        expected: "a positive number",
    })
}

/// Attribute of the report: the operator of `pompeii cube` that made it, with its operands.
const OPERATION: &str = "Pompeii::operation";
/// Attribute of the report, and of each process: how long it was observed.
const WALL_TICKS: &str = "pompeii::wall_ticks";
/// Until the values are read.
const UNKNOWN: i64 = -1;

fn wall(attributes: &[(String, String)]) -> Option<i64> {
    let (_, text) = attributes.iter().find(|(key, _)| key == WALL_TICKS)?;
    text.trim().parse().ok().filter(|&ticks| bounds::is_wall(ticks, 1))
}

/// Where nothing is said of a process, it was there for the run, or for what its master was seen.
fn complete_walls(cube: &mut Cube, report: &cubex::Report, time: MetricId) {
    let whole = report.attribute(WALL_TICKS).map(|_| cube.wall_ticks);
    for id in cube.system.processes.ids() {
        let Process { wall_ticks, master, .. } = cube.system.processes[id];
        if wall_ticks == UNKNOWN {
            let seen = whole.unwrap_or_else(|| cube.total_at(time, master));
            cube.system.processes[id].wall_ticks = seen;
        }
    }
}

fn wall_ticks(reader: &cubex::Reader, cube: &Cube, time: MetricId) -> Result<i64, LoadError> {
    let key = WALL_TICKS;
    let text = reader.report().attribute(key);
    let known = text.and_then(|text| text.trim().parse().ok());
    let known = known.filter(|&ticks| bounds::is_wall(ticks, cube.system.locations.len()));
    match (known, text) {
        (Some(ticks), _) => Ok(ticks),
        (None, Some(text)) if !reader.shows_damaged() => Err(LoadError::Attribute {
            key,
            found: text.to_owned(),
            expected: "a number of ticks that the threads can have spent",
        }),
        _ => {
            let masters = cube.system.processes.iter().map(|process| process.master);
            Ok(masters.map(|master| cube.total_at(time, master)).max().unwrap_or(0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regions of a call tree with these calls of the root, each with its caller if it has one.
    fn regions_of(calls: &[(&str, Option<&str>)]) -> (Vec<String>, Vec<usize>) {
        let mut report = cubex::Report::new("test");
        let mut push = |name: &str, paradigm: Paradigm| {
            let (name, paradigm) = (name.to_owned(), paradigm.as_str().to_owned());
            report.regions.push(cubex::Region { name, paradigm, ..cubex::Region::default() })
        };
        let program = push("program", Paradigm::User);
        let known = ["MPI_Send", "MPI_Recv"].map(|name| (name, push(name, Paradigm::Mpi)));
        let root = report.call_paths.push(None, cubex::CallPath::new(program));
        for (line, (name, caller)) in (7..).zip(calls) {
            let region = known.iter().find(|(known, _)| known == name).unwrap().1;
            let parameters = caller.map(|value| cubex::Parameter {
                key: CALLER_PARAMETER.to_owned(),
                value: value.to_owned(),
                numeric: false,
            });
            let path = cubex::CallPath {
                line: Some(line),
                file: "a.c".to_owned(),
                parameters: parameters.into_iter().collect(),
                ..cubex::CallPath::new(region)
            };
            report.call_paths.push(Some(root), path);
        }
        let mut regions = report.regions.iter().map(|(_, region)| region_of(region)).collect();
        let (tree, _) = call_tree(&report, &mut regions);
        let labels = regions.iter().map(Region::label).collect();
        (labels, tree.ids().skip(1).map(|call| tree.region(call).index()).collect())
    }

    #[test]
    fn routines_have_a_region_for_each_place_that_they_are_called_from() {
        let (regions, calls) = regions_of(&[
            ("MPI_Send", Some("f")),
            ("MPI_Send", Some("g")),
            ("MPI_Recv", None),
            ("MPI_Recv", Some("f")),
        ]);
        let expected =
            ["program", "MPI_Send f a.c:7", "MPI_Recv", "MPI_Send g a.c:8", "MPI_Recv f a.c:10"];
        assert_eq!((regions, calls), (expected.map(str::to_owned).into(), vec![1, 3, 2, 4]));
    }
}
