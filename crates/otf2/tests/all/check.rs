//! The checker of archives: each rule can fail, and archives of other writers keep them all.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::check::{Checker, Rule};
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::{
    CollectiveOp, CommFlag, GroupType, MeasurementMode, Paradigm, RegionRole,
};
use pompeii_otf2::event::*;
use pompeii_otf2::read::{Archive, EventView};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_otf2::{Timestamp, check};

const WORKER: u64 = 1 << 32;
const TEAM: CommRef = CommRef(0);
const WORLD: CommRef = CommRef(1);
const REGIONS: [(&str, &str, Paradigm); 6] = [
    ("main", "a.c", Paradigm::USER),
    ("parallel", "a.c", Paradigm::OPENMP),
    ("MPI_Init", "MPI", Paradigm::MPI),
    ("MPI_Send", "MPI", Paradigm::MPI),
    ("MPI_Recv", "MPI", Paradigm::MPI),
    ("MPI_Finalize", "MPI", Paradigm::MPI),
];
const MAIN: u32 = 0;
const PARALLEL: u32 = 1;
const INIT: u32 = 2;
const SEND: u32 = 3;
const RECV: u32 = 4;
const FINALIZE: u32 = 5;

/// An archive: its definitions and the events of each location in the order of their times.
struct Content {
    regions: Vec<(&'static str, &'static str, Paradigm)>,
    groups: Vec<(GroupType, Paradigm, Vec<u64>)>,
    events: Vec<(u64, u64, Event)>,
}

fn enter(region: u32) -> Event {
    Enter { region: RegionRef(region) }.into()
}

fn leave(region: u32) -> Event {
    Leave { region: RegionRef(region) }.into()
}

fn end_of(collective_op: CollectiveOp) -> Event {
    let end = MpiCollectiveEnd { collective_op, communicator: WORLD, ..Default::default() };
    MpiCollectiveEnd { root: ROOT_NONE, ..end }.into()
}

fn task(switch: bool, generation_number: u32) -> Event {
    let (thread_team, creating_thread) = (TEAM, 0);
    match switch {
        true => ThreadTaskSwitch { thread_team, creating_thread, generation_number }.into(),
        false => ThreadTaskComplete { thread_team, creating_thread, generation_number }.into(),
    }
}

/// What a process does with MPI around the rest.
fn mpi(location: u64, between: Vec<Event>) -> Vec<Event> {
    let create = CommCreate { communicator: WORLD }.into();
    let destroy = CommDestroy { communicator: WORLD }.into();
    let (begin, end) = (MpiCollectiveBegin {}.into(), end_of(CollectiveOp::CREATE_HANDLE));
    let mut events = vec![ProgramBegin::default().into(), enter(MAIN), enter(INIT), begin];
    events.extend([create, end, leave(INIT)]);
    events.extend(between);
    let message = (WORLD, 7, 8);
    let (communicator, msg_tag, msg_length) = message;
    match location {
        0 => events.extend([
            enter(SEND),
            MpiSend { receiver: 1, communicator, msg_tag, msg_length }.into(),
            leave(SEND),
        ]),
        _ => events.extend([
            enter(RECV),
            MpiRecv { sender: 0, communicator, msg_tag, msg_length }.into(),
            leave(RECV),
        ]),
    }
    events.extend([enter(FINALIZE), MpiCollectiveBegin {}.into(), destroy]);
    events.extend([end_of(CollectiveOp::DESTROY_HANDLE), leave(FINALIZE), leave(MAIN)]);
    events.push(ProgramEnd { exit_status: 0 }.into());
    events
}

/// Two processes, the first of which has a team of two threads with a task.
fn good() -> Content {
    let (model, number_of_requested_threads) = (Paradigm::OPENMP, 2);
    let begin = || Event::from(ThreadTeamBegin { thread_team: TEAM });
    let end = || Event::from(ThreadTeamEnd { thread_team: TEAM });
    let create = ThreadTaskCreate { thread_team: TEAM, creating_thread: 0, generation_number: 1 };
    let of_task = [task(true, 1), enter(MAIN), leave(MAIN), task(false, 1), task(true, 0)];
    let mut master = vec![ThreadFork { model, number_of_requested_threads }.into(), begin()];
    master.extend([enter(PARALLEL), create.into()]);
    master.extend(of_task);
    master.extend([leave(PARALLEL), end(), ThreadJoin { model }.into()]);
    let worker = vec![begin(), enter(PARALLEL), leave(PARALLEL), end()];
    let of = |location, events: Vec<Event>, from: u64| {
        (from..).map(|time| 10 * time).zip(events).map(move |(time, event)| (location, time, event))
    };
    let mut events: Vec<(u64, u64, Event)> = of(0, mpi(0, master), 1).collect();
    events.extend(of(WORKER, worker, 10));
    events.extend(of(1, mpi(1, Vec::new()), 1));
    Content {
        regions: REGIONS.to_vec(),
        groups: vec![
            (GroupType::COMM_LOCATIONS, Paradigm::OPENMP, vec![0, WORKER, 1]),
            (GroupType::COMM_LOCATIONS, Paradigm::MPI, vec![0, 1]),
            (GroupType::COMM_GROUP, Paradigm::OPENMP, vec![0, 1]),
            (GroupType::COMM_GROUP, Paradigm::MPI, vec![0, 1]),
        ],
        events,
    }
}

impl Content {
    /// The place of the first event of a location with this name.
    fn place(&self, location: u64, name: &str) -> usize {
        let is_it = |of: &(u64, u64, Event)| of.0 == location && of.2.name() == name;
        self.events.iter().position(is_it).unwrap_or_else(|| panic!("{name}"))
    }

    fn remove(&mut self, location: u64, name: &str) -> Event {
        let place = self.place(location, name);
        self.events.remove(place).2
    }

    /// Puts an event before the first one with this name, at its time.
    fn insert(&mut self, location: u64, name: &str, event: Event) {
        let place = self.place(location, name);
        let time = self.events[place].1;
        self.events.insert(place, (location, time, event));
    }

    fn write(self, folder: &Path) -> PathBuf {
        let mut archive =
            ArchiveWriter::create(folder, "traces", Options::default()).expect("a good archive");
        for location in [0, WORKER, 1] {
            let mut file = archive.events(LocationRef(location)).expect("a good archive");
            for (_, time, event) in self.events.iter().filter(|(of, ..)| *of == location) {
                file.event(*time, event, &[]).expect("a good archive");
            }
            file.finish().expect("a good archive");
            let (id, location_group) = (LocationRef(location), LocationGroupRef(location as u32));
            archive
                .define(def::Location { id, location_group, ..Default::default() })
                .expect("a good archive");
        }
        for (id, (name, file, paradigm)) in self.regions.into_iter().enumerate() {
            let (name, source_file) = (
                archive.string(name).expect("a good archive"),
                archive.string(file).expect("a good archive"),
            );
            let region_role = RegionRole::FUNCTION;
            let id = RegionRef(id as u32);
            let region = def::Region { id, name, source_file, region_role, ..Default::default() };
            archive.define(def::Region { paradigm, ..region }).expect("a good archive");
        }
        for (id, (group_type, paradigm, members)) in self.groups.into_iter().enumerate() {
            let group = def::Group { id: GroupRef(id as u32), members, ..Default::default() };
            archive.define(def::Group { group_type, paradigm, ..group }).expect("a good archive");
        }
        let flags = CommFlag::CREATE_DESTROY_EVENTS;
        let comm = |id, group| def::Comm { id, group: GroupRef(group), ..Default::default() };
        archive.define(comm(TEAM, 2)).expect("a good archive");
        archive.define(def::Comm { flags, ..comm(WORLD, 3) }).expect("a good archive");
        archive.finish(Anchor::default()).expect("a good archive")
    }
}

fn violations(archive: &Archive) -> Vec<check::Violation> {
    let mut checker = Checker::new(archive);
    let _ = archive.merged().expect("a good archive").visit(|event| {
        checker.event(event.expect("a good archive"));
        ControlFlow::<()>::Continue(())
    });
    checker.end();
    checker.take()
}

fn violations_of(content: Content) -> Vec<check::Violation> {
    let folder = tempfile::tempdir().expect("a good archive");
    violations(&Archive::open(&content.write(folder.path())).expect("a good archive"))
}

/// What a change breaks.
fn check(change: impl FnOnce(&mut Content), expected: Expect) {
    let mut content = good();
    change(&mut content);
    let violations = violations_of(content);
    let lines: Vec<String> = violations.iter().map(|violation| format!("{violation}\n")).collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn an_archive_that_keeps_all_rules() {
    check(|_| {}, expect![[r#""#]]);
}

#[test]
fn order() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::open(&good().write(folder.path())).unwrap();
    let mut checker = Checker::new(&archive);
    let event = ProgramBegin::default().into();
    for time in [10, 9, 9] {
        let (location, attributes) = (LocationRef(0), &[][..]);
        checker.event(EventView { location, time, event: &event, attributes });
    }
    let found = checker.take();
    assert_eq!(found[0].rule, Rule::Order);
    assert_eq!(found[0].to_string(), "location 0, time 9: order: the time before was 10");
}

#[test]
fn roots() {
    let begin = |content: &mut Content| content.remove(0, "ProgramBegin");
    check(
        |content| {
            begin(content);
            content.remove(0, "ProgramEnd");
            // Nothing encloses the fork any more.
            for _ in 0..2 {
                content
                    .events
                    .retain(|of| of.0 != 0 || (of.2 != enter(MAIN) && of.2 != leave(MAIN)));
            }
        },
        expect![[r#"
            location 0, time 80: root: nothing encloses this fork: neither the begin of the program nor a region
        "#]],
    );
    check(
        |content| drop(begin(content)),
        expect![[r#"
        location 0, time 290: root: the program of this process ends and has never begun
    "#]],
    );
    check(
        |content| {
            let begin = begin(content);
            content.insert(0, "MpiCollectiveBegin", begin);
        },
        expect![[r#"
            location 0, time 40: root: other events of this location precede the begin of the program
        "#]],
    );
    check(
        |content| {
            let end = content.remove(0, "ProgramEnd");
            content.insert(0, "MpiSend", end);
        },
        expect![[r#"
            location 0, time 210: balance: the program ends inside of 2 regions and 0 teams
            location 0, time 210: root: this event follows the end of the program
        "#]],
    );
    check(
        |content| content.insert(1, "MpiRecv", ProgramBegin::default().into()),
        expect![[r#"
        location 1, time 90: root: the program of this process begins a second time
    "#]],
    );
}

#[test]
fn balance() {
    // A region that is left twice, and one that is not left.
    check(
        |content| content.insert(0, "MpiSend", leave(SEND)),
        expect![[r#"
        location 0, time 210: mpi: MpiSend outside of the functions of MPI
        location 0, time 220: balance: MPI_Send is left inside of main
        location 0, time 280: balance: main is left and was not entered
    "#]],
    );
    check(
        |content| content.insert(1, "ProgramEnd", enter(MAIN)),
        expect![[r#"
        location 1, time 170: balance: the program ends inside of 1 regions and 0 teams
    "#]],
    );
    // The task is complete too early, and nothing goes back to the implicit task.
    check(
        |content| {
            let complete = content.remove(0, "ThreadTaskComplete");
            let place = content.place(0, "ThreadTaskSwitch");
            let time = content.events[place].1;
            content.events.insert(place + 2, (0, time, complete));
        },
        expect![[r#"
            location 0, time 130: balance: a task is complete inside of 1 regions
            location 0, time 140: balance: main is left and was not entered
        "#]],
    );
    // A team ends inside of its region, one that has not begun ends, and one never ends.
    check(
        |content| {
            let end = content.remove(WORKER, "ThreadTeamEnd");
            content.insert(WORKER, "Leave", end);
        },
        expect![[r#"
            location 4294967296, time 120: balance: team 0 ends inside of 1 regions
            location 4294967296, time 120: balance: parallel is left and was not entered
        "#]],
    );
    check(
        |content| drop(content.remove(WORKER, "ThreadTeamBegin")),
        expect![[r#"
        location 4294967296, time 130: balance: team 0 ends and has not begun
    "#]],
    );
    check(
        |content| drop(content.remove(WORKER, "ThreadTeamEnd")),
        expect![[r#"
        location 4294967296, time 120: balance: the program has ended, and this location is still in team 0
    "#]],
    );
}

/// A killed program leaves anything open, and what happens while nothing is recorded is unknown.
#[test]
fn what_nobody_can_know_is_no_violation() {
    check(
        |content| {
            let fork = content.place(0, "ThreadTaskComplete");
            let time = content.events[fork].1;
            content.events.retain(|of| of.0 == 1 || of.1 < time);
        },
        expect![[r#""#]],
    );
    check(
        |content| {
            for measurement_mode in [MeasurementMode::ON, MeasurementMode::OFF] {
                content.insert(1, "MpiRecv", MeasurementOnOff { measurement_mode }.into());
            }
            content.insert(1, "MpiRecv", leave(RECV));
        },
        expect![[r#""#]],
    );
}

#[test]
fn flushes() {
    let flush = |stop_time| Event::from(BufferFlush { stop_time: Timestamp(stop_time) });
    check(
        |content| {
            let time = content.events[content.place(0, "MpiSend")].1;
            content.insert(0, "MpiSend", flush(time));
        },
        expect![[r#""#]],
    );
    check(
        |content| content.insert(0, "MpiSend", flush(100_000)),
        expect![[r#"
        location 0, time 210: flush: this location writes its buffer until 100000
    "#]],
    );
    check(
        |content| content.insert(0, "MpiSend", flush(0)),
        expect![[r#"
        location 0, time 210: flush: a flush ends before it begins, at 0
    "#]],
    );
}

/// Location 0 creates a thread and waits for it; it is the worker's location that has it.
fn with_thread(content: &mut Content, [create, begin, end, wait]: [u64; 4]) {
    let thread_contingent = TEAM;
    let of = |sequence_count| ThreadCreate { thread_contingent, sequence_count }.into();
    content.insert(0, "ThreadFork", of(create));
    let of = |sequence_count| ThreadBegin { thread_contingent, sequence_count }.into();
    content.insert(WORKER, "ThreadTeamBegin", of(begin));
    let of = |sequence_count| ThreadEnd { thread_contingent, sequence_count }.into();
    content.events.push((WORKER, 150, of(end)));
    let of = |sequence_count| ThreadWait { thread_contingent, sequence_count }.into();
    content.insert(0, "MpiSend", of(wait));
}

#[test]
fn threads() {
    check(|content| with_thread(content, [1; 4]), expect![[r#""#]]);
    // A part of a longer trace may lack the creation.
    check(|content| with_thread(content, [1, 2, 2, 2]), expect![""]);
    check(
        |content| with_thread(content, [1, 1, 2, 1]),
        expect![[r#"
            location 4294967296, time 150: threads: thread 2 ends where it has not begun
            location 0, time 210: threads: thread 1 was waited for, but it has begun and not ended
        "#]],
    );
    check(
        |content| {
            with_thread(content, [1; 4]);
            // The thread begins and ends inside of the team.
            let begin = content.remove(WORKER, "ThreadBegin");
            let end = content.remove(WORKER, "ThreadEnd");
            content.insert(WORKER, "ThreadTeamEnd", begin);
            content.insert(WORKER, "ThreadTeamEnd", end);
        },
        expect![[r#"
            location 4294967296, time 130: threads: thread 1 begins inside of 1 regions or teams
            location 4294967296, time 130: threads: thread 1 ends inside of 1 regions or teams
        "#]],
    );
    check(
        |content| {
            with_thread(content, [1; 4]);
            content.groups[2].2 = vec![1];
        },
        expect![[r#"
            location 0, time 80: members: this location is no member of contingent 0
            location 0, time 90: members: this location is no member of team 0
            location 0, time 210: members: this location is no member of contingent 0
        "#]],
    );
}

#[test]
fn members_of_groups() {
    check(
        |content| content.groups[0].2.push(99),
        expect![[r#"
        members: group 0 has the member 99, which is not a location
    "#]],
    );
    check(
        |content| content.groups[2].2 = vec![0, 3],
        expect![[r#"
        members: group 2 has the member 3, which is not a place among the locations
        location 4294967296, time 100: members: this location is no member of team 0
    "#]],
    );
    check(
        |content| content.groups[3].2 = vec![0, 1, 1],
        expect![[r#"
        members: group 3 has the member 1 twice
    "#]],
    );
    check(
        |content| content.groups[3].0 = GroupType::LOCATIONS,
        expect![[r#"
        members: communicator 1 has a group of type LOCATIONS
        location 0, time 50: members: CommCreate names communicator 1, which is not defined
        location 1, time 50: members: CommCreate names communicator 1, which is not defined
        location 0, time 60: members: MpiCollectiveEnd names communicator 1, which is not defined
        location 1, time 60: members: MpiCollectiveEnd names communicator 1, which is not defined
        location 1, time 90: members: MpiRecv names communicator 1, which is not defined
        location 1, time 130: members: CommDestroy names communicator 1, which is not defined
        location 1, time 140: members: MpiCollectiveEnd names communicator 1, which is not defined
        location 0, time 210: members: MpiSend names communicator 1, which is not defined
        location 0, time 250: members: CommDestroy names communicator 1, which is not defined
        location 0, time 260: members: MpiCollectiveEnd names communicator 1, which is not defined
    "#]],
    );
    check(
        |content| content.groups.truncate(3),
        expect![[r#"
        members: communicator 1 refers to group 3, which is missing
        location 0, time 50: members: CommCreate names communicator 1, which is not defined
        location 1, time 50: members: CommCreate names communicator 1, which is not defined
        location 0, time 60: members: MpiCollectiveEnd names communicator 1, which is not defined
        location 1, time 60: members: MpiCollectiveEnd names communicator 1, which is not defined
        location 1, time 90: members: MpiRecv names communicator 1, which is not defined
        location 1, time 130: members: CommDestroy names communicator 1, which is not defined
        location 1, time 140: members: MpiCollectiveEnd names communicator 1, which is not defined
        location 0, time 210: members: MpiSend names communicator 1, which is not defined
        location 0, time 250: members: CommDestroy names communicator 1, which is not defined
        location 0, time 260: members: MpiCollectiveEnd names communicator 1, which is not defined
    "#]],
    );
}

#[test]
fn members_who_take_part() {
    // The process, the thread, the other one's rank.
    check(
        |content| content.groups[3].2 = vec![1],
        expect![[r#"
        location 0, time 50: members: this process is no member of communicator 1
        location 0, time 60: members: this process is no member of communicator 1
        location 0, time 210: members: this process is no member of communicator 1
        location 0, time 210: members: MpiSend names rank 1 of communicator 1, which has 1
        location 0, time 250: members: this process is no member of communicator 1
        location 0, time 260: members: this process is no member of communicator 1
    "#]],
    );
    check(
        |content| content.groups[2].2 = vec![0],
        expect![[r#"
        location 4294967296, time 100: members: this location is no member of team 0
    "#]],
    );
    check(
        |content| {
            let team = CommRef(5);
            let place = content.place(0, "ThreadTaskSwitch");
            content.events[place].2 =
                ThreadTaskSwitch { thread_team: TEAM, creating_thread: 2, generation_number: 1 }
                    .into();
            content.insert(0, "ThreadJoin", ThreadTeamBegin { thread_team: team }.into());
            content.insert(0, "ThreadJoin", ThreadTeamEnd { thread_team: team }.into());
        },
        expect![[r#"
            location 0, time 120: members: team 0 has no thread 2
            location 0, time 190: members: team 5 is no communicator
        "#]],
    );
}

#[test]
fn conventions_of_mpi() {
    check(
        |content| content.regions[3].1 = "a.c",
        expect![[r#"
        mpi: region MPI_Send has the file "a.c"; readers expect "MPI"
    "#]],
    );
    check(
        |content| content.regions[3] = ("send", "a.c", Paradigm::USER),
        expect![[r#"
        location 0, time 210: mpi: MpiSend outside of the functions of MPI
    "#]],
    );
    for name in ["MpiCollectiveBegin", "MpiCollectiveEnd", "CommCreate"] {
        let mut content = good();
        content.remove(1, name);
        let found = violations_of(content);
        assert!(!found.is_empty() && found.iter().all(|it| it.rule == Rule::Mpi), "{found:?}");
    }
    check(
        |content| drop(content.remove(1, "MpiCollectiveBegin")),
        expect![[r#"
        location 1, time 60: mpi: a collective operation ends that has not begun
        location 1, time 70: mpi: MPI_Init makes or frees communicators outside of a collective one
    "#]],
    );
    check(
        |content| drop(content.remove(1, "CommCreate")),
        expect![[r#"
        location 1, time 60: mpi: communicator 1 is used before it has come into being
        location 1, time 90: mpi: communicator 1 is used before it has come into being
        location 1, time 130: mpi: communicator 1 ends and is not there
    "#]],
    );
    check(
        |content| {
            let destroy = content.remove(1, "CommDestroy");
            content.insert(1, "MpiRecv", destroy);
        },
        expect![[r#"
            location 1, time 90: mpi: communicator 1 is used after its end
        "#]],
    );
}

/// The folder of samples that are too large for the project, if it is there.
fn samples() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    folder.is_dir().then_some(folder)
}

/// Archives of Score-P and of the reference library. Those that were made up to have all records are
/// left out.
#[test]
fn archives_of_other_writers_keep_the_rules() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut anchors: Vec<PathBuf> =
        ["minimal/traces.otf2", "multichunk/mc.otf2", "v32/traces.otf2"]
            .map(|anchor| own.join(anchor))
            .to_vec();
    if let Some(samples) = samples() {
        let folders = std::fs::read_dir(samples.join("scalasca")).unwrap();
        anchors.extend(folders.map(|folder| folder.unwrap().path().join("traces.otf2")));
        let large = "otf2/scorep_mi300/simple-mi300-example-run/traces.otf2";
        anchors.push(samples.join(large));
    }
    for anchor in anchors.iter().filter(|anchor| anchor.exists()) {
        let found = violations(&Archive::open(anchor).unwrap());
        assert_eq!(found, [], "{}", anchor.display());
    }
    // Its functions of MPI have the file of their caller.
    let found = violations(&Archive::open(&own.join("hybrid/traces.otf2")).unwrap());
    assert!(found.iter().all(|it| it.rule == Rule::Mpi && it.at.is_none()), "{found:?}");
    assert_eq!(found.len(), 10);
}
