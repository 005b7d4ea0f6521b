//! A cube as text, so that a test shows the run that it is about.
//!
//! ```text
//! wall=100 locations=2                              first line; also: processes=1 clock=1000, and
//!                                                   walls=100,80: how long each process was there
//! ocean                              0    time=40 visits=1
//! ocean/parallel@ocean.c:5           *    time=60 visits=1      * is every location, 1-3 a range
//! ocean/parallel@ocean.c:5/implicit barrier@ocean.c:9  1  time=20 omp_ibarrier_wait=15
//! TASKS/task@ocean.c:7               0    time=5
//! ```
//! Columns are separated by two blanks or more. The parts of a path are `word@file:line` for a
//! construct, a function or a user region, and a bare word for an artificial root (first part) or a
//! routine without a place. Clauses follow after a blank: `for@a.c:7 schedule(dynamic,4)`. A
//! construct without line numbers has its address: `for@ocean+0x1200`.
//! Values are integers, clock ticks or counts.

use pompeii_model::{
    CallId, CallTree, Cube, Display, Frequency, Id, IndexVec, Location, LocationId,
    MEASUREMENT_OFF, Metric, Paradigm, Process, ProcessId, Region, RegionId, Role, System, Unit,
};
use thiserror::Error;

/// A line that is not in the notation.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct NotationError {
    /// 1-based line of the text.
    pub line: usize,
    /// What was expected there.
    pub what: String,
}

/// The cube that `text` describes, with the metrics that it names.
///
/// # Errors
/// The first line that is not in the notation.
pub fn cube(text: &str) -> Result<Cube, NotationError> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let Some((&(first, header), rows)) = lines.split_first() else {
        return Err(NotationError { line: 1, what: "expected wall=TICKS locations=N".into() });
    };
    let header = Header::parse(first, header)?;
    let rows: Vec<Row> =
        rows.iter().map(|&(line, row)| Row::parse(line, row, &header)).collect::<Result<_, _>>()?;
    Ok(build(&header, &rows))
}

struct Header {
    wall: i64,
    locations: usize,
    processes: usize,
    /// By process; empty where all were there from the begin to the end.
    walls: Vec<i64>,
    clock: Frequency,
}

impl Header {
    fn parse(line: usize, text: &str) -> Result<Self, NotationError> {
        let error = |what: String| NotationError { line, what };
        let (mut wall, mut locations, mut processes, mut clock) = (None, 1, 1, 1000);
        let mut walls = Vec::new();
        for field in text.split_whitespace() {
            if let Some(list) = field.strip_prefix("walls=") {
                let ticks: Result<Vec<i64>, _> = list.split(',').map(str::parse).collect();
                walls = ticks.map_err(|_| error(format!("`{field}` is not walls=N,N")))?;
                continue;
            }
            let pair = field.split_once('=').and_then(|(k, v)| Some((k, v.parse::<i64>().ok()?)));
            match pair {
                Some(("wall", value)) => wall = Some(value),
                Some(("locations", value)) => locations = value,
                Some(("processes", value)) => processes = value,
                Some(("clock", value)) => clock = value,
                _ => {
                    return Err(error(format!(
                        "`{field}` is not wall, walls, locations, processes or clock=N"
                    )));
                }
            }
        }
        let wall = wall.ok_or_else(|| error("expected wall=TICKS".into()))?;
        let clock = Frequency::new(clock as f64).ok_or_else(|| error("clock <= 0".into()))?;
        let sizes = (usize::try_from(locations), usize::try_from(processes));
        match sizes {
            (Ok(locations @ 1..4096), Ok(processes @ 1..4096)) if processes <= locations => {
                Ok(Self { wall, locations, processes, walls, clock })
            }
            _ => Err(error("expected 1 <= processes <= locations < 4096".into())),
        }
    }
}

struct Row {
    path: Vec<Region>,
    locations: Vec<LocationId>,
    values: Vec<(String, i64)>,
}

impl Row {
    fn parse(line: usize, text: &str, header: &Header) -> Result<Self, NotationError> {
        let error = |what: String| NotationError { line, what };
        let columns: Vec<&str> =
            text.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
        let [path, locations, values @ ..] = columns.as_slice() else {
            return Err(error(format!("expected `path  locations  metric=value`, found `{text}`")));
        };
        let path = path.split('/').enumerate().map(|(depth, part)| region(part, depth)).collect();
        let locations = locations_of(locations, header.locations)
            .ok_or_else(|| error(format!("`{locations}` is no location of this cube")))?;
        let mut pairs = Vec::new();
        for field in values.iter().flat_map(|column| column.split_whitespace()) {
            let pair = field.split_once('=').and_then(|(k, v)| Some((k, v.parse().ok()?)));
            let (name, value) =
                pair.ok_or_else(|| error(format!("`{field}` is not metric=integer")))?;
            pairs.push((name.to_owned(), value));
        }
        Ok(Self { path, locations, values: pairs })
    }
}

fn locations_of(text: &str, count: usize) -> Option<Vec<LocationId>> {
    let (first, last) = match text.split_once('-') {
        _ if text == "*" => (0, count.checked_sub(1)?),
        Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
        None => (text.parse().ok()?, text.parse().ok()?),
    };
    (last < count).then(|| (first..=last).map(LocationId::from_index).collect())
}

/// The region of one part of a path: `word@file:line`, or `word@file:line CLAUSES`.
fn region(part: &str, depth: usize) -> Region {
    let (word, place) = part.split_once('@').unwrap_or((part, ""));
    let (place, clauses) = place.split_once(' ').unwrap_or((place, ""));
    let address = place.contains("+0x").then_some(("", "0"));
    let (file, line) = address.or_else(|| place.rsplit_once(':')).unwrap_or((place, "0"));
    let line = line.parse().unwrap_or(0);
    let role = role_of(word, depth == 0 && place.is_empty());
    let paradigm = match role {
        _ if word.starts_with("MPI_") => Paradigm::Mpi,
        _ if word.starts_with("pthread_") || word.starts_with("sem_") => Paradigm::Pthread,
        Role::File => Paradigm::Io,
        Role::Artificial => Paradigm::Measurement,
        Role::Function | Role::User => Paradigm::User,
        _ => Paradigm::OpenMp,
    };
    let construct = paradigm == Paradigm::OpenMp && role != Role::Lock;
    let name = if construct { format!("!$omp {word} @{place}") } else { word.to_owned() };
    let (file, clauses) = (file.to_owned(), clauses.to_owned());
    Region { name, role, paradigm, file, begin_line: line, end_line: line, clauses }
}

/// Functions of MPI whose role is not simply that of a function.
const MPI_ROLES: [(&str, Role); 11] = [
    ("MPI_Barrier", Role::Barrier),
    ("MPI_Send", Role::PointToPoint),
    ("MPI_Ssend", Role::PointToPoint),
    ("MPI_Recv", Role::PointToPoint),
    ("MPI_Isend", Role::PointToPoint),
    ("MPI_Irecv", Role::PointToPoint),
    ("MPI_Bcast", Role::OneToAll),
    ("MPI_Reduce", Role::AllToOne),
    ("MPI_Allreduce", Role::AllToAll),
    ("MPI_Scan", Role::Collective),
    ("MPI_Put", Role::OneSided),
];

fn role_of(word: &str, root: bool) -> Role {
    if word.starts_with("MPI_") {
        let known = MPI_ROLES.iter().find(|(name, _)| *name == word);
        return known.map_or(Role::Function, |(_, role)| *role);
    }
    let first = word.split(" (").next().unwrap_or(word);
    match first {
        _ if root => Role::Artificial,
        "for" | "do" => Role::Loop,
        "create task" => Role::TaskCreate,
        "TASKS" | MEASUREMENT_OFF => Role::Artificial,
        _ if first.starts_with("omp_") && first.ends_with("_lock") => Role::Lock,
        _ if first.starts_with("pthread_mutex_") || first.starts_with("pthread_rwlock_") => {
            Role::Lock
        }
        _ if first.starts_with("user:") => Role::User,
        "fread" | "fwrite" => Role::File,
        "function" | "artificial" | "loop" | "lock" | "user" => Role::Function,
        _ => Role::from_name(first).unwrap_or(Role::Function),
    }
}

fn build(header: &Header, rows: &[Row]) -> Cube {
    let mut regions: IndexVec<RegionId, Region> = IndexVec::default();
    let mut calls = CallTree::default();
    let paths: Vec<CallId> =
        rows.iter().map(|row| call(&mut regions, &mut calls, &row.path)).collect();
    let program = rows.first().map_or("", |row| row.path[0].name.as_str()).to_owned();
    let mut cube = Cube::new(header.clock, header.wall, &program, (regions, calls, system(header)));
    for (row, &path) in rows.iter().zip(&paths) {
        for (name, value) in &row.values {
            let metric = cube.metric(name).unwrap_or_else(|| cube.add_metric(metric(name)));
            for &location in &row.locations {
                cube.add(metric, path, location, *value);
            }
        }
    }
    cube
}

fn metric(name: &str) -> Metric {
    let known = crate::properties::find(name);
    Metric {
        name: name.to_owned(),
        title: name.to_owned(),
        description: String::new(),
        unit: known.map_or(Unit::Ticks, |property| property.unit),
        parent: None,
        display: Display::default(),
    }
}

fn call(regions: &mut IndexVec<RegionId, Region>, calls: &mut CallTree, path: &[Region]) -> CallId {
    let mut ids = path.iter().map(|region| {
        let known = regions.enumerated().find(|(_, r)| *r == region).map(|(id, _)| id);
        known.unwrap_or_else(|| regions.push(region.clone()))
    });
    let first = ids.next().unwrap_or(RegionId(0));
    let known = calls.roots().iter().copied().find(|&root| calls.region(root) == first);
    let mut at = known.unwrap_or_else(|| calls.add_root(first));
    for id in ids {
        at = calls.child(at, id);
    }
    at
}

fn system(header: &Header) -> System {
    let mut system = System { machine: "machine".into(), ..System::default() };
    let each = header.locations / header.processes;
    for rank in 0..header.processes {
        let master = LocationId::from_index(rank * each);
        let name =
            if header.processes == 1 { "Process".into() } else { format!("MPI Rank {rank}") };
        let wall_ticks = header.walls.get(rank).copied().unwrap_or(header.wall);
        let rank = u32::try_from(rank).unwrap_or(0);
        system.processes.push(Process { name, rank, node: "node".into(), master, wall_ticks });
    }
    for index in 0..header.locations {
        let rank = (index / each).min(header.processes - 1);
        let thread = index - rank * each;
        let name = match thread {
            0 => "Master thread".into(),
            _ => format!("OMP thread {thread}"),
        };
        system.locations.push(Location { name, process: ProcessId::from_index(rank) });
    }
    system
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let shown = match cube(text) {
            Err(error) => error.to_string(),
            Ok(cube) => {
                let mut lines = Vec::new();
                for call in cube.calls.ids() {
                    let region = &cube.regions[cube.calls.region(call)];
                    let depth = cube.calls.ancestors(call).count() - 1;
                    let values: Vec<String> = cube
                        .metrics()
                        .enumerated()
                        .map(|(id, metric)| format!("{}={:?}", metric.name, cube.row(id, call)))
                        .collect();
                    let (role, values) = (region.role.as_str(), values.join(" "));
                    let indent = "  ".repeat(depth);
                    lines.push(format!("{indent}{} [{role}] {values}", region.name));
                }
                lines.join("\n")
            }
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn rows_become_call_paths_and_values() {
        check(
            "wall=9 locations=2
             a                                     0    time=4 visits=1
             a/solve@a.c:3                         0    time=1
             a/solve@a.c:3/critical (sum)@a.c:5    0-1  time=2
             a/omp_set_lock                        *    time=3
             TASKS/task@a.c:7                      1    time=5",
            expect![[r#"
                a [artificial] time=[4, 0] visits=[1, 0]
                  solve [function] time=[1, 0] visits=[]
                    !$omp critical (sum) @a.c:5 [critical] time=[2, 2] visits=[]
                  omp_set_lock [lock] time=[3, 3] visits=[]
                TASKS [artificial] time=[] visits=[]
                  !$omp task @a.c:7 [task] time=[0, 5] visits=[]"#]],
        );
    }

    #[test]
    fn clauses_follow_the_place() {
        let text = "wall=9\na/for@a.c:5 schedule(dynamic,4) nowait  0  omp_loop_iterations=4";
        let cube = cube(text).unwrap();
        let of = &cube.regions[RegionId(1)];
        assert_eq!((of.begin_line, &*of.schedule()), (5, "dynamic,4"));
        assert_eq!(cube.metrics()[pompeii_model::MetricId(0)].unit, Unit::Count);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        check("", expect!["line 1: expected wall=TICKS locations=N"]);
        check(
            "wall=1 threads=2",
            expect!["line 1: `threads=2` is not wall, walls, locations, processes or clock=N"],
        );
        check("wall=1\na  1  time=1", expect!["line 2: `1` is no location of this cube"]);
        check("wall=1\na  0  time", expect!["line 2: `time` is not metric=integer"]);
        check("wall=1\na", expect!["line 2: expected `path  locations  metric=value`, found `a`"]);
    }
}
