//! When the trace of a process has the end of its program: not while one of its threads is in a
//! team, because readers expect that nothing is open there.

use std::ops::ControlFlow;

use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Definition, Key, RegionKind};
use pompeii_otf2::check::Checker;
use pompeii_otf2::enums;
use pompeii_otf2::event::{
    Enter, Event, Leave, ProgramBegin, ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd,
};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{CommRef, RegionRef, StringRef};

use crate::common::{Process, Thread, node, region};

const PARALLEL: RegionRef = RegionRef(2);
const BARRIER: RegionRef = RegionRef(3);
/// The nodes of the worker: in the parallel region, and in the barrier at its end.
const IN_REGION: u32 = 3;
const IN_BARRIER: u32 = 4;

/// A process that has said that it ends, with a team of two. The master has joined. The worker has
/// the first `worker_events` of its events, and is in the node `current`.
fn process(worker_events: usize, current: u32) -> Process {
    let mut process = Process::of_job(0, 1);
    process.definitions.retain(|definition| !matches!(definition, Definition::Mpi(_)));
    process.define(region(2, RegionKind::Parallel, "!$omp parallel @a.c:7"));
    process.define(region(3, RegionKind::ImplicitBarrier, "!$omp ibarrier @a.c:9"));
    process.define(Definition::Communicator { id: 0, master: 0, size: 2 });
    let model = enums::Paradigm::OPENMP;
    let enter = |region| Event::from(Enter { region });
    let leave = |region| Event::from(Leave { region });
    let begin = Event::from(ThreadTeamBegin { thread_team: CommRef(0) });
    let end = Event::from(ThreadTeamEnd { thread_team: CommRef(0) });
    let part = vec![
        (1110, begin),
        (1110, enter(PARALLEL)),
        (1200, enter(BARRIER)),
        (1290, leave(BARRIER)),
        (1290, leave(PARALLEL)),
        (1290, end),
    ];
    let (program_name, program_arguments) = (StringRef(0), Vec::new());
    let mut master = vec![
        (1000, ProgramBegin { program_name, program_arguments }.into()),
        (1100, ThreadFork { model, number_of_requested_threads: 2 }.into()),
    ];
    master.extend(part.clone());
    master.push((1300, ThreadJoin { model }.into()));
    let own = vec![node(Key::Region(2), 1, 1, 90), node(Key::Region(3), 3, 1, 90)];
    let attach = Key::Attach { location: 0, node: 3 };
    let nodes = vec![node(attach, 1, 1, 90), node(Key::Region(3), 3, 1, 90)];
    let worker_events = part[..worker_events].to_vec();
    process.threads = vec![
        Thread { root_ticks: 820, nodes: own, events: master, ..Thread::default() },
        Thread { nodes, events: worker_events, current, ..Thread::default() },
    ];
    process
}

/// Whether the trace has the end of the program, and what breaks the rules in it.
fn check(process: &Process, has_end: bool) {
    let folder = tempfile::tempdir().unwrap();
    process.write(&folder.path().join("live"));
    finish(folder.path(), &RunInfo::default()).unwrap().unwrap();
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let mut checker = Checker::new(&archive);
    let mut ends = 0;
    let flow: ControlFlow<()> = archive.merged().unwrap().visit(|event| {
        let event = event.unwrap();
        ends += usize::from(matches!(event.event, Event::ProgramEnd(_)));
        checker.event(event);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    checker.end();
    let found: Vec<String> = checker.take().iter().map(ToString::to_string).collect();
    assert_eq!((ends, found), (usize::from(has_end), Vec::new()));
}

#[test]
fn the_program_ends_after_all_teams() {
    check(&process(6, 0), true);
}

#[test]
fn a_worker_in_a_team_keeps_the_program_from_ending() {
    check(&process(2, IN_REGION), false);
    check(&process(3, IN_BARRIER), false);
}
