//! Small processes that were killed, with at least one of everything that live state can have.

use pompeii_live::metrics::MetricUnit;
use pompeii_live::{
    Definition, Key, MpiDefinition, Node, ParameterKind, RegionKind, SampleFrame, SamplePlace,
    TaskRecord, VisitRecord, node_offset, task_time,
};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::reference::RegionRef;

use super::{Process, Thread, node, region};

/// A process with tasks, metrics, times of visits, samples and parameters on two threads; with a
/// trace, also events, a call path that was summed, and a chunk that was lost.
pub fn process(is_traced: bool) -> Process {
    let mut process = Process::of_job(0, 1);
    process.noted_end = None;
    process.definitions.retain(|definition| !matches!(definition, Definition::Mpi(_)));
    let regions = [
        (RegionKind::Parallel, "!$omp parallel @a.c:7"),
        (RegionKind::ImplicitBarrier, "!$omp ibarrier @a.c:9"),
        (RegionKind::Task, "!$omp task @a.c:8"),
        (RegionKind::TaskCreate, "!$omp create task @a.c:8"),
        (RegionKind::Critical, "!$omp critical @a.c:8"),
        (RegionKind::Parameter, "size=10"),
        (RegionKind::Function, "work"),
    ];
    for (id, (kind, name)) in (2..).zip(regions) {
        process.define(region(id, kind, name));
    }
    process.define(Definition::Parameter { id: 0, kind: ParameterKind::Int, name: "size".into() });
    process.define(Definition::ParameterText { id: 1, text: "fast".into() });
    let (path, build_id) = ("/nowhere/solver".to_owned(), "0a0b".to_owned());
    process.define(Definition::Object { id: 0, path, build_id });
    let metric = |name: &str, unit, mark, missing: &str| {
        let (name, missing) = (name.to_owned(), missing.to_owned());
        Definition::Metric { name, unit, mark, missing }
    };
    process.define(metric("task-clock", MetricUnit::Nanoseconds, false, ""));
    process.define(metric("cycles", MetricUnit::Count, false, "no such counter"));
    process.define(metric("ru_maxrss", MetricUnit::Bytes, true, ""));
    process.define(Definition::MetricReading { everywhere: false, cost_ns: 50 });
    process.define(Definition::Communicator { id: 0, master: 0, size: 2 });
    process.define(Definition::NestedCommunicator { id: 1, master: 0, level: 2, size: 1 });
    if is_traced {
        let (region, class, at) = (8, 2, 1500);
        let of = |begins| Definition::Guarded { region, class, location: 0, node: 11, at, begins };
        [of(true), of(false)].into_iter().for_each(|definition| process.define(definition));
        let (from, until) = (1500, 1600);
        process.define(Definition::Dropped { location: 1, chunk: 2, events: 9, from, until });
    }
    process.threads = vec![master(is_traced), worker(is_traced)];
    process
}

fn master(is_traced: bool) -> Thread {
    let nodes = vec![
        Node { management_ticks: 9, fork_ticks: 4, ..node(Key::Region(2), 1, 2, 300) },
        Node { wait_ticks: 40, last_arrivals: 1, delay_ticks: 7, ..node(Key::Region(3), 3, 2, 60) },
        Node { task_ticks: 90, task_switches: 2, ..node(Key::Stub(4), 4, 0, 0) },
        Node { created: 2, undeferred: 1, ..node(Key::Region(5), 3, 3, 20) },
        node(Key::Region(4), 2, 2, 70),
        Node { wait_ticks: 5, ..node(Key::Region(6), 7, 1, 20) },
        Node { wait_ticks: 5, ..node(Key::Cause { location: 1, node: node_offset(3) }, 8, 1, 0) },
        node(Key::Parameter { parameter: 0, region: 7 }, 1, 1, 0),
        node(Key::Region(8), 10, 1, 30),
    ];
    let nodes_of_all = nodes.len() as u64 + 3;
    let times = |index| VisitRecord {
        begun: index,
        ended: index,
        min_ticks: 10,
        max_ticks: 20,
        sum_ticks: 15 * index,
        sum_of_squares: 225.0,
    };
    let times_of = |time| {
        let mut record = TaskRecord::new(4, time);
        [30, 40].into_iter().for_each(|ticks| record.add(ticks));
        record
    };
    Thread {
        root_ticks: 500,
        nodes,
        events: if is_traced { visits(8, 1100..1110) } else { Vec::new() },
        metrics: (0..nodes_of_all).map(|index| vec![100 * index, index]).collect(),
        visits: (0..nodes_of_all).map(times).collect(),
        tasks: [task_time::CREATION, task_time::WAITING, task_time::EXECUTION]
            .map(times_of)
            .to_vec(),
        samples: samples(),
        ..Thread::default()
    }
}

/// Of the program and of the parallel region.
fn samples() -> Vec<SampleFrame> {
    let place = |address| SamplePlace { object: 0, address }.encode();
    let [program, region] = [1, 3].map(|node| u64::from(node_offset(node)));
    [(0, 2, program), (1, 5, place(0x100)), (0, 1, region), (3, 0, place(0x200)), (4, 3, place(7))]
        .map(|(parent, samples, place)| SampleFrame {
            parent,
            samples,
            place,
            ..SampleFrame::default()
        })
        .to_vec()
}

fn worker(is_traced: bool) -> Thread {
    let nodes =
        vec![node(Key::Attach { location: 0, node: 3 }, 1, 2, 350), node(Key::Region(3), 3, 2, 10)];
    let events = if is_traced { visits(3, 1200..1210) } else { Vec::new() };
    Thread { root_ticks: 640, nodes, events, ..Thread::default() }
}

/// A visit of the region in every second tick.
fn visits(region: u32, times: std::ops::Range<u64>) -> Vec<(u64, Event)> {
    let region = RegionRef(region);
    let event = |time: u64| match time.is_multiple_of(2) {
        true => (time, Event::Enter(Enter { region })),
        false => (time, Event::Leave(Leave { region })),
    };
    times.map(event).collect()
}

/// Two processes of a job of three, on hosts whose clocks tick at different rates.
pub fn job() -> Vec<Process> {
    [(0, 100_000_000), (1, 120_000_007)].map(|(rank, ticks)| rank_of_job(rank, ticks)).to_vec()
}

fn rank_of_job(rank: u32, ticks: u64) -> Process {
    let mut process = Process::of_job(rank, 3);
    process.host = format!("node{rank}");
    process.ticks_of_40_ms = Some(ticks);
    process.end = process.start + ticks;
    process.define(region(2, RegionKind::MpiPointToPoint, "MPI_Send"));
    process.define(region(3, RegionKind::MpiBarrier, "MPI_Barrier"));
    let own = |root: u32, members: Vec<u32>, remote: Vec<u32>, id| MpiDefinition::Comm {
        id,
        root,
        number: 77 + u64::from(id),
        parent: 0,
        size: 2,
        rank,
        name: String::new(),
        members,
        remote,
    };
    let mpi = [
        own(0, if rank == 0 { vec![0, 1] } else { Vec::new() }, Vec::new(), 2),
        own(0, vec![rank], vec![1 - rank], 3),
        MpiDefinition::CommName { comm: 2, name: "ring".into() },
        MpiDefinition::Cart {
            comm: 2,
            dimensions: vec![(2, true), (1, false)],
            coordinates: vec![rank, 0],
        },
        MpiDefinition::Window { id: 0, comm: 2, number: 0 },
        MpiDefinition::WindowName { window: 0, name: "halo".into() },
        MpiDefinition::Group { id: 0, members: vec![0, 1] },
        MpiDefinition::IoFile { id: 0, path: "out.dat".into() },
        MpiDefinition::IoHandle { id: 0, file: 0, comm: 2, number: 0 },
        MpiDefinition::ClockOffset { ticks: 2000, offset_ns: 5000, error_ns: 900 },
        MpiDefinition::ClockOffset { ticks: ticks / 2, offset_ns: 5100, error_ns: 800 },
        MpiDefinition::Finalized { ticks: ticks - 5 },
    ];
    mpi.into_iter().for_each(|definition| process.define(Definition::Mpi(definition)));
    process.define(Definition::Communicator { id: 4, master: 0, size: 1 });
    let message = |region, ticks| node(Key::Region(region), 1, 1, ticks);
    let nodes = vec![
        Node { created: 80, task_switches: 1, ..message(2, ticks / 4) },
        Node { wait_ticks: 50, ..message(3, ticks / 4) },
    ];
    let events = visits(2, process.start + 100..process.start + 110);
    process.threads = vec![Thread { root_ticks: ticks / 2, nodes, events, ..Thread::default() }];
    process
}
