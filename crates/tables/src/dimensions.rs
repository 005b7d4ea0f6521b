//! What severities are spread over, one small table each: metrics, call paths, regions, locations.
//! The row of a number in another table is the one with that number in the first column here.

use arrow_array::{Float64Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::ArrowError;
use pompeii_model::{CallId, CallTree, Cube, Frequency, IndexVec, Region, RegionId, System, Unit};
use pompeii_replay::definitions::{Comm, Definitions, Resource};

use crate::columns::{Columns, texts};

/// Metrics: `metric`, its unique `name`, `title` and `description` for people, the `unit` of its
/// values multiplied by `scale`, and the `parent` that it is a part of. `over_call_paths` and
/// `over_locations` say how its values are combined: `sum`, `maximum` or `mean`. `percent_of` is
/// the name of the metric whose total is 100 %, if the metric says so.
///
/// # Errors
/// Those of Arrow.
pub fn metrics(cube: &Cube) -> Result<RecordBatch, ArrowError> {
    let all = cube.metrics();
    let scales = all.iter().map(|metric| scale(metric.unit, cube.clock));
    let parents = all.iter().map(|metric| metric.parent.map(|parent| parent.0));
    let displays = || all.iter().map(|metric| &metric.display);
    let percents = displays().map(|it| it.percent_of.as_deref());
    Columns::default()
        .with("metric", numbers(all.len()))
        .with("name", texts(all.iter().map(|metric| metric.name.as_str())))
        .with("title", texts(all.iter().map(|metric| metric.title.as_str())))
        .with("description", texts(all.iter().map(|metric| metric.description.as_str())))
        .with("unit", texts(all.iter().map(|metric| metric.unit.cube_name())))
        .with("scale", Float64Array::from_iter_values(scales))
        .with_optional("parent", parents.collect::<UInt32Array>())
        .with("over_call_paths", texts(displays().map(|it| it.over_calls.as_str())))
        .with("over_locations", texts(displays().map(|it| it.over_locations.as_str())))
        .with_optional("percent_of", percents.collect::<StringArray>())
        .batch()
}

/// What a value is multiplied by to be in the unit that it is shown in.
pub fn scale(unit: Unit, clock: Frequency) -> f64 {
    match unit {
        Unit::Ticks => clock.seconds(1),
        other => 1.0 / other.parts(),
    }
}

/// Call paths: `call`, the `region` that it ends in, the `parent` without that region, and how many
/// regions are before it (`depth`). Parents come before their children.
///
/// # Errors
/// Those of Arrow.
pub fn call_paths(calls: &CallTree) -> Result<RecordBatch, ArrowError> {
    let mut depths: IndexVec<CallId, u32> = IndexVec::default();
    for call in calls.ids() {
        let depth = calls.parent(call).map_or(0, |parent| depths[parent].saturating_add(1));
        depths.push(depth);
    }
    let regions = calls.ids().map(|call| calls.region(call).0);
    let parents = calls.ids().map(|call| calls.parent(call).map(|parent| parent.0));
    Columns::default()
        .with("call", numbers(calls.len()))
        .with("region", UInt32Array::from_iter_values(regions))
        .with_optional("parent", parents.collect::<UInt32Array>())
        .with("depth", UInt32Array::from_iter_values(depths))
        .batch()
}

/// Regions: `region`, its `name` as in Cube reports, a short `label` for people, its `role` and
/// `paradigm`, the `file` and the lines where they are known (0 where not), and the `clauses` of
/// its directive.
///
/// # Errors
/// Those of Arrow.
pub fn regions(all: &IndexVec<RegionId, Region>) -> Result<RecordBatch, ArrowError> {
    Columns::default()
        .with("region", numbers(all.len()))
        .with("name", texts(all.iter().map(|region| region.name.as_str())))
        .with("label", texts(all.iter().map(Region::label)))
        .with("role", texts(all.iter().map(|region| region.role.as_str())))
        .with("paradigm", texts(all.iter().map(|region| region.paradigm.as_str())))
        .with("file", texts(all.iter().map(|region| region.file.as_str())))
        .with("begin_line", UInt32Array::from_iter_values(all.iter().map(|it| it.begin_line)))
        .with("end_line", UInt32Array::from_iter_values(all.iter().map(|it| it.end_line)))
        .with("clauses", texts(all.iter().map(Region::written_clauses)))
        .batch()
}

/// Locations: `location`, its `name` for people, the number of its `process`, and of that one the
/// `rank` and the host (`node`).
///
/// # Errors
/// Those of Arrow.
pub fn locations(system: &System) -> Result<RecordBatch, ArrowError> {
    let all = &system.locations;
    let processes = || all.iter().map(|location| location.process);
    let ranks = processes().map(|process| system.processes[process].rank);
    let nodes = processes().map(|process| system.processes[process].node.as_str());
    Columns::default()
        .with("location", numbers(all.len()))
        .with("name", texts(all.ids().map(|location| system.thread_name(location))))
        .with("process", UInt32Array::from_iter_values(processes().map(|process| process.0)))
        .with("rank", UInt32Array::from_iter_values(ranks))
        .with("node", texts(nodes))
        .batch()
}

/// Members of communicators and teams: the `communicator` that events name, the `rank` or thread
/// number in it, and the `location`. Its members on the other side of an inter-communicator come
/// after those of its own side.
///
/// # Errors
/// Those of Arrow.
pub fn communicators(definitions: &Definitions) -> Result<RecordBatch, ArrowError> {
    let comms = definitions.comms.iter().filter(|(_, of)| of.resource == Resource::Communicator);
    let mut comms: Vec<(&u32, &Comm)> = comms.collect();
    comms.sort_by_key(|(id, _)| **id);
    let members = |(id, comm): (&u32, &Comm)| {
        let locations = comm.members.iter().chain(&comm.remote);
        let id = *id;
        (0..).zip(locations).map(move |(rank, at)| (id, rank, at.0)).collect::<Vec<_>>()
    };
    let rows: Vec<(u32, u32, u32)> = comms.into_iter().flat_map(members).collect();
    Columns::default()
        .with("communicator", UInt32Array::from_iter_values(rows.iter().map(|row| row.0)))
        .with("rank", UInt32Array::from_iter_values(rows.iter().map(|row| row.1)))
        .with("location", UInt32Array::from_iter_values(rows.iter().map(|row| row.2)))
        .batch()
}

/// The numbers of this many rows.
fn numbers(rows: usize) -> UInt32Array {
    UInt32Array::from_iter_values(0..rows as u32)
}
