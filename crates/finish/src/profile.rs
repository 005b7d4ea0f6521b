//! The profile as a Cube report. Seconds are doubles there; [`pompeii_model::Frequency`] makes the
//! same ticks of them again, by the attribute `pompeii::ticks_per_second`.

use std::collections::HashMap;
use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use pompeii_cubex::Id as _;
use pompeii_cubex::{
    self as cubex, DataType, Dimension, LocationGroup, MetricKind, Place, Report, SystemNode,
    Topology, WriteOptions, Writer,
};
use pompeii_model::{
    CALLER_PARAMETER, CallId, Combine, Communicator, CommunicatorId, Cube, Definitions, Display,
    Id, IndexVec, Map, Metric, MetricId, ProcessId, ROOTS_FILE, Root, STATISTICS_FILE, Statistics,
    TASKS_FILE, TaskTimes, Union, Unit, VISITS_FILE, VisitTimes, WAITS_FILE, Wait,
};
use pompeii_otf2::folder::Folder;

use crate::files::FileRegions;
use crate::measured::is_measured;
use crate::values::{Column, Entry, Values};
use crate::{Error, task_times, visit_times};

/// Attribute of the report, and of each process: how long it was observed.
const WALL_TICKS: &str = "pompeii::wall_ticks";

/// Writes the file, which is empty. The communicators are those of the run, for topologies.
pub fn write(
    (cube, values): (&Cube, &Values),
    communicators: &IndexVec<CommunicatorId, Communicator>,
    file: File,
) -> Result<(), Error> {
    let (mut report, calls) = report(cube);
    report.topologies = topologies(cube, communicators);
    let mut writer = Writer::new(file, &report, WriteOptions::default())?;
    write_files(&mut writer, cube, &calls)?;
    let own: HashMap<cubex::CallPathId, CallId> =
        calls.enumerated().map(|(own, &theirs)| (theirs, own)).collect();
    for metric in cube.metrics().ids() {
        write_metric(&mut writer, cube, values, metric)?;
    }
    write_statistics(&mut writer, cube, &own)?;
    writer.finish().map(drop)?;
    Ok(())
}

/// Writes the severities of a cube in the form of a profile to a file of this name in a folder. It
/// takes the place of an older one when it is complete.
///
/// # Errors
/// What cannot be written.
pub fn write_cube(cube: &Cube, folder: &Path, name: &str) -> Result<(), Error> {
    let folder = Folder::open(folder)?;
    let mut union = Union::default();
    let metrics = cube.metrics().clone();
    let (regions, calls, system) = (cube.regions.clone(), cube.calls.clone(), cube.system.clone());
    let communicators = IndexVec::default();
    let map = union.add(Definitions { regions, calls, metrics, system, communicators });
    let mut values = Values::new(folder.again()?);
    values.add(&RowOrder::new(cube)?.column(cube, &map))?;
    let unfinished = format!("{name}.part");
    write((cube, &values), &IndexVec::default(), folder.create(&unfinished)?)?;
    folder.rename(&unfinished, &folder, name)?;
    Ok(())
}

/// Only rows that have values, and the first, which makes the metric be there.
fn write_metric(
    writer: &mut Writer<'_, File>,
    cube: &Cube,
    values: &Values,
    metric: MetricId,
) -> Result<(), Error> {
    let unit = cube.metrics()[metric].unit;
    let is_real = data_type(&cube.metrics()[metric]) != DataType::Uint64;
    let theirs = cubex::MetricId(metric.0);
    let width = cube.system.locations.len();
    let (mut ticks, mut seconds, mut counts) = (vec![0; width], vec![0.0; width], vec![0; width]);
    let mut rows = values.rows(metric);
    for (row, call) in (0..).zip(writer.row_order(theirs)?) {
        if row > 0 && rows.is_empty() {
            break;
        }
        ticks.fill(0);
        if !rows.fill(row, &mut ticks)? && row > 0 {
            continue;
        }
        if is_real {
            let of = |&value: &i64| match unit {
                Unit::Ticks => cube.clock.seconds(value),
                _ => value as f64 / unit.parts(),
            };
            seconds.iter_mut().zip(&ticks).for_each(|(to, from)| *to = of(from));
            writer.row(theirs, call, &seconds)?;
        } else {
            counts.iter_mut().zip(&ticks).for_each(|(to, from)| *to = from.cast_unsigned());
            writer.row(theirs, call, &counts)?;
        }
    }
    Ok(())
}

/// Where the call paths' rows are in the profile.
pub struct RowOrder {
    inclusive: IndexVec<CallId, u32>,
    exclusive: IndexVec<CallId, u32>,
}

impl RowOrder {
    /// For the call paths of this cube.
    pub fn new(cube: &Cube) -> Result<Self, Error> {
        let (report, calls) = report(cube);
        let writer = Writer::new(Cursor::new(Vec::new()), &report, WriteOptions::default())?;
        let positions = |metric: u32| -> Result<IndexVec<CallId, u32>, Error> {
            let order = (0..).zip(writer.row_order(cubex::MetricId(metric))?);
            let known: HashMap<cubex::CallPathId, u32> =
                order.map(|(position, call)| (call, position)).collect();
            Ok(calls.iter().map(|call| known[call]).collect())
        };
        Ok(Self { inclusive: positions(0)?, exclusive: positions(1)? })
    }

    /// The severities of a process's cube, whose ids this map makes those of the run, as they are
    /// stored.
    pub fn column(&self, own: &Cube, map: &Map) -> Column {
        let mut column = Column::default();
        for (metric, &theirs) in map.metrics.enumerated() {
            let is_inclusive = theirs.index() == 0;
            let order = if is_inclusive { &self.inclusive } else { &self.exclusive };
            let with_below = is_inclusive.then(|| inclusive(own, metric));
            let mut entries = Vec::new();
            for call in own.calls.ids() {
                let values = match &with_below {
                    Some(rows) => &rows[call][..],
                    None => own.row(metric, call),
                };
                let row = order[map.calls[call]];
                let places = map.locations.iter().zip(values).filter(|(_, value)| **value != 0);
                entries.extend(places.map(|(&location, &value)| Entry { row, location, value }));
            }
            column.add(theirs, entries);
        }
        column
    }
}

/// A metric's values by call path and location, with all below.
fn inclusive(cube: &Cube, metric: MetricId) -> IndexVec<CallId, Vec<i64>> {
    let width = cube.system.locations.len();
    let row = |call| match cube.row(metric, call) {
        [] => vec![0; width],
        row => row.to_vec(),
    };
    let mut rows: IndexVec<CallId, Vec<i64>> = cube.calls.ids().map(row).collect();
    for call in cube.calls.ids().rev() {
        let Some(parent) = stored_parent(cube, call) else { continue };
        let below = rows[call].clone();
        rows[parent]
            .iter_mut()
            .zip(below)
            .for_each(|(sum, value)| *sum = sum.saturating_add(value));
    }
    rows
}

/// What has a dimension that the cube lacks, or is read back exactly; nothing where there is none.
fn write_files(
    writer: &mut Writer<'_, File>,
    cube: &Cube,
    calls: &IndexVec<CallId, cubex::CallPathId>,
) -> Result<(), cubex::Error> {
    let waits: Vec<Wait> = cube.waits.iter().map(|wait| stored(wait, calls)).collect();
    let root = |root: &Root| Root {
        call: in_report(root.call, calls),
        by: (in_report(root.by.0, calls), root.by.1),
        ..*root
    };
    let roots: Vec<Root> = cube.roots.iter().map(root).collect();
    let visit = |times: &VisitTimes| VisitTimes { call: in_report(times.call, calls), ..*times };
    let visits: Vec<VisitTimes> = cube.visit_times.iter().map(visit).collect();
    let regions = FileRegions::new(&cube.regions);
    let in_file =
        |times: &TaskTimes| TaskTimes { region: regions.of[times.region], ..times.clone() };
    let times: Vec<TaskTimes> = cube.task_times.iter().map(in_file).collect();
    let files = [
        (VISITS_FILE, VisitTimes::write_all(&visits)),
        (TASKS_FILE, TaskTimes::write_all(&times)),
        (WAITS_FILE, Wait::write_all(&waits)),
        (ROOTS_FILE, Root::write_all(&roots)),
        (STATISTICS_FILE, Statistics::write_all(cube, &|call| calls[call].index())),
    ];
    for (name, text) in files.iter().filter(|(_, text)| !text.is_empty()) {
        writer.file(name, text.as_bytes())?;
    }
    Ok(())
}

/// Behind the metrics of the cube: statistics of task instances and of visits.
fn write_statistics(
    writer: &mut Writer<'_, File>,
    cube: &Cube,
    own: &HashMap<cubex::CallPathId, CallId>,
) -> Result<(), cubex::Error> {
    let times = task_times::metrics(cube);
    let visits = visit_times::Rows::new(cube);
    for position in 0..times.len() + visit_times::metrics(cube).len() {
        let metric = cubex::MetricId::from_index(cube.metrics().len() + position);
        let row_of = |call: CallId| match times.get(position) {
            Some((time, _)) => task_times::row(cube, *time, call),
            None => visits.row(position - times.len(), call),
        };
        for path in writer.row_order(metric)? {
            if let Some(row) = own.get(&path).and_then(|&call| row_of(call)) {
                writer.row(metric, path, &row)?;
            }
        }
    }
    Ok(())
}

/// The wait with the report's call paths; locations are the same there.
fn stored(wait: &Wait, calls: &IndexVec<CallId, cubex::CallPathId>) -> Wait {
    Wait {
        call: in_report(wait.call, calls),
        by: wait.by.map(|(call, location)| (in_report(call, calls), location)),
        ..*wait
    }
}

/// A call path by its number in the report.
fn in_report(call: CallId, calls: &IndexVec<CallId, cubex::CallPathId>) -> CallId {
    CallId::from_index(calls[call].index())
}

/// The parent in the file. Readers expect one root (pycubexr refuses two), so the root of tasks
/// stands below the program there.
fn stored_parent(cube: &Cube, call: CallId) -> Option<CallId> {
    let program = *cube.calls.roots().first()?;
    cube.calls.parent(call).or((call != program).then_some(program))
}

/// Marks a metric that was asked for next to time.
fn counted() -> (String, String) {
    ("pompeii::counted".to_owned(), "true".to_owned())
}

/// With how many decimals the values of a metric are exact.
fn decimals(unit: Unit) -> Option<(String, String)> {
    match unit {
        Unit::Decimals(decimals) => Some(("pompeii::decimals".to_owned(), decimals.to_string())),
        _ => None,
    }
}

/// How a metric's values are combined, and what its percentages refer to, if that is unusual.
fn display(metric: &Metric) -> impl Iterator<Item = (String, String)> + '_ {
    let Display { over_calls, over_locations, percent_of } = &metric.display;
    let how =
        [("pompeii::over_call_paths", over_calls), ("pompeii::over_locations", over_locations)];
    let how = how.into_iter().filter(|_| !metric.display.is_sum());
    let how = how.map(|(key, how)| (key.to_owned(), how.as_str().to_owned()));
    how.chain(percent_of.iter().map(|whole| ("pompeii::percent_of".to_owned(), whole.clone())))
}

/// What Cube calls the type of a metric's values. It has a type for values whose maximum is shown,
/// over call paths and locations alike; all other readers show sums of what is neither.
fn data_type(metric: &Metric) -> DataType {
    let Display { over_calls, over_locations, .. } = metric.display;
    match metric.unit {
        _ if (over_calls, over_locations) == (Combine::Maximum, Combine::Maximum) => {
            DataType::MaxDouble
        }
        Unit::Ticks | Unit::Decimals(_) => DataType::Double,
        Unit::Count | Unit::Bytes | Unit::Nanoseconds => DataType::Uint64,
    }
}

/// The metric that a metric of the user's own is a part of.
fn whole(cube: &Cube, metric: &Metric) -> Option<(String, String)> {
    let (_, whole) = cube.parts.iter().find(|(name, _)| *name == metric.name)?;
    Some(("pompeii::part_of".to_owned(), whole.clone()))
}

/// The definitions, and the report's call path of each of ours.
fn report(cube: &Cube) -> (Report, IndexVec<CallId, cubex::CallPathId>) {
    let mut report = Report::new(concat!("Pompeii ", env!("CARGO_PKG_VERSION")));
    let attributes = [
        ("pompeii::ticks_per_second", format!("{:?}", cube.clock.ticks_per_second())),
        (WALL_TICKS, cube.wall_ticks.to_string()),
        ("pompeii::program", cube.program.clone()),
        ("pompeii::threads", cube.system.locations.len().to_string()),
    ];
    report.attributes.extend(attributes.map(|(key, value)| (key.to_owned(), value)));
    describe_metrics(cube, &mut report);
    let files = FileRegions::new(&cube.regions);
    describe_regions(&files, &mut report);
    let calls = describe_calls(cube, &files, &mut report);
    describe_system(cube, &mut report);
    (report, calls)
}

fn describe_metrics(cube: &Cube, report: &mut Report) {
    for (position, metric) in cube.metrics().iter().enumerate() {
        report.metrics.push(
            None,
            cubex::Metric {
                unique_name: metric.name.clone(),
                display_name: metric.title.clone(),
                data_type: data_type(metric),
                unit: metric.unit.cube_name().to_owned(),
                kind: if position == 0 { MetricKind::Inclusive } else { MetricKind::Exclusive },
                description: metric.description.clone(),
                attributes: match is_measured(&metric.name) {
                    true => Vec::new(),
                    false => {
                        let further = decimals(metric.unit).into_iter().chain(whole(cube, metric));
                        [counted()].into_iter().chain(further).chain(display(metric)).collect()
                    }
                },
                ..cubex::Metric::default()
            },
        );
    }
    let times = task_times::metrics(cube).into_iter().map(|(_, metric)| metric);
    for metric in times.chain(visit_times::metrics(cube)) {
        report.metrics.push(None, metric);
    }
}

fn describe_regions(files: &FileRegions, report: &mut Report) {
    for region in files.regions.iter() {
        let line = |line: u32| (line != 0).then_some(line);
        report.regions.push(cubex::Region {
            name: region.name.clone(),
            paradigm: region.paradigm.as_str().to_owned(),
            role: region.role.as_str().to_owned(),
            file: region.file.clone(),
            begin_line: line(region.begin_line),
            end_line: line(region.end_line),
            description: region.clauses.clone(),
            ..cubex::Region::default()
        });
    }
}

/// The report's call path of each of ours.
fn describe_calls(
    cube: &Cube,
    files: &FileRegions,
    report: &mut Report,
) -> IndexVec<CallId, cubex::CallPathId> {
    let mut calls: IndexVec<CallId, cubex::CallPathId> = IndexVec::default();
    for call in cube.calls.ids() {
        let parent = stored_parent(cube, call).map(|parent| calls[parent]);
        let region = &cube.regions[cube.calls.region(call)];
        let parameter = region.parameter().map(|(key, value)| cubex::Parameter {
            key: key.to_owned(),
            value: value.to_owned(),
            numeric: value.parse::<i128>().is_ok(),
        });
        let is_site = region.is_call_site();
        let caller = region.function().filter(|_| is_site).map(|function| cubex::Parameter {
            key: CALLER_PARAMETER.to_owned(),
            value: function.to_owned(),
            numeric: false,
        });
        let callee = cubex::RegionId::from_index(files.index(cube.calls.region(call)));
        let path = cubex::CallPath {
            line: (is_site && region.begin_line != 0).then_some(region.begin_line),
            file: if is_site { region.file.clone() } else { String::new() },
            parameters: parameter.into_iter().chain(caller).collect(),
            ..cubex::CallPath::new(callee)
        };
        calls.push(report.call_paths.push(parent, path));
    }
    calls
}

fn describe_system(cube: &Cube, report: &mut Report) {
    let node = |name: &str, class: &str| SystemNode {
        name: name.to_owned(),
        class: class.to_owned(),
        ..SystemNode::default()
    };
    let machine = report.system.nodes.push(None, node(&cube.system.machine, "machine"));
    let hosts: HashMap<&str, cubex::NodeId> = cube
        .system
        .hosts()
        .into_iter()
        .map(|host| (host, report.system.nodes.push(Some(machine), node(host, "node"))))
        .collect();
    let locations = cube.system.locations_by_process();
    for (id, process) in cube.system.processes.enumerated() {
        let host = hosts[process.node.as_str()];
        let mut group = LocationGroup::process(host, process.name.as_str(), process.rank.into());
        group.attributes.push((WALL_TICKS.to_owned(), process.wall_ticks.to_string()));
        let group = report.system.groups.push(None, group);
        for (rank, &location) in locations[id].iter().enumerate() {
            let name = cube.system.locations[location].name.as_str();
            report.system.locations.push(cubex::Location::thread(group, name, rank as i64));
        }
    }
}

/// Cartesian communicators: how processes are arranged.
fn topologies(
    cube: &Cube,
    communicators: &IndexVec<CommunicatorId, Communicator>,
) -> Vec<Topology> {
    let processes: HashMap<u32, ProcessId> =
        cube.system.processes.enumerated().map(|(id, process)| (process.rank, id)).collect();
    let topology = |of: &Communicator| {
        let grid = of.grid.as_ref()?;
        let dimension = |&(size, periodic): &(u32, bool)| Dimension {
            name: String::new(),
            size: size.into(),
            periodic,
        };
        let coordinates = grid.coordinates.iter().filter_map(|(&rank, coordinates)| {
            let process = processes.get(&rank)?;
            let place = Place::Group(cubex::GroupId(process.0));
            Some((place, coordinates.iter().map(|&at| i64::from(at)).collect()))
        });
        Some(Topology {
            name: of.name.clone(),
            dimensions: grid.dimensions.iter().map(dimension).collect(),
            coordinates: coordinates.collect(),
        })
    };
    communicators.iter().filter_map(topology).collect()
}
