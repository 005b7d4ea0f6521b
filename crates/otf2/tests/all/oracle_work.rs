//! What reading an event costs, in instructions that valgrind counts, so the result is the same on
//! every machine.
//!
//! Runs only with `POMPEII_ORACLES` set; then a missing valgrind is a failure.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use pompeii_otf2::Error;
use pompeii_otf2::enums::{CollectiveOp, Paradigm};
use pompeii_otf2::event::*;
use pompeii_otf2::read::{Bytes, EventReader, EventView, Merged};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::EventWriter;

/// What tells the process under valgrind its task: kind of events, way of reading, rounds.
const TASK: &str = "POMPEII_OTF2_WORK";
const CHUNK_BYTES: u64 = 1 << 20;
const ROUNDS: [u64; 2] = [1_000, 11_000];

/// Nothing but a function.
fn function(number: u64) -> Vec<Event> {
    let region = RegionRef(number as u32 % 300);
    vec![Enter { region }.into(), Leave { region }.into()]
}

/// A task that is created and executed at once.
fn task(number: u64) -> Vec<Event> {
    let (thread_team, creating_thread) = (CommRef(3), number as u32 % 2);
    let generation_number = number as u32;
    let [construct, body] = [RegionRef(7), RegionRef(300)];
    let implicit = ThreadTaskSwitch { thread_team, creating_thread, generation_number: 0 };
    vec![
        Enter { region: construct }.into(),
        ThreadTaskCreate { thread_team, creating_thread, generation_number }.into(),
        Leave { region: construct }.into(),
        ThreadTaskSwitch { thread_team, creating_thread, generation_number }.into(),
        Enter { region: body }.into(),
        Leave { region: body }.into(),
        ThreadTaskComplete { thread_team, creating_thread, generation_number }.into(),
        implicit.into(),
    ]
}

/// A lock that is taken inside a team.
fn lock(number: u64) -> Vec<Event> {
    let (model, lock_id, acquisition_order) = (Paradigm::OPENMP, 5, number as u32);
    let (team, critical) = (CommRef(3), RegionRef(9));
    vec![
        ThreadFork { model, number_of_requested_threads: 4 }.into(),
        ThreadTeamBegin { thread_team: team }.into(),
        Enter { region: critical }.into(),
        ThreadAcquireLock { model, lock_id, acquisition_order }.into(),
        ThreadReleaseLock { model, lock_id, acquisition_order }.into(),
        Leave { region: critical }.into(),
        ThreadTeamEnd { thread_team: team }.into(),
        ThreadJoin { model }.into(),
    ]
}

/// A step of a halo exchange with a reduction.
fn mpi(number: u64) -> Vec<Event> {
    let (communicator, msg_tag, msg_length, request_id) = (CommRef(1), 42, 8 << 10, number);
    let (receiver, sender) = (1, 2);
    let [isend, irecv, wait, reduce] = [10, 11, 12, 13].map(RegionRef);
    let collective_op = CollectiveOp::ALLREDUCE;
    let end = MpiCollectiveEnd {
        collective_op,
        communicator,
        root: ROOT_NONE,
        size_sent: 8,
        size_received: 8,
    };
    vec![
        Enter { region: irecv }.into(),
        MpiIrecvRequest { request_id }.into(),
        Leave { region: irecv }.into(),
        Enter { region: isend }.into(),
        MpiIsend { receiver, communicator, msg_tag, msg_length, request_id }.into(),
        Leave { region: isend }.into(),
        Enter { region: wait }.into(),
        MpiIrecv { sender, communicator, msg_tag, msg_length, request_id }.into(),
        MpiIsendComplete { request_id }.into(),
        Leave { region: wait }.into(),
        Enter { region: reduce }.into(),
        MpiCollectiveBegin {}.into(),
        end.into(),
        Leave { region: reduce }.into(),
    ]
}

fn events_of(kind: &str) -> fn(u64) -> Vec<Event> {
    match kind {
        "function" => function,
        "task" => task,
        "lock" => lock,
        _ => mpi,
    }
}

fn file(kind: &str, rounds: u64) -> Vec<u8> {
    let mut writer = EventWriter::new(Vec::new(), Path::new("0.evt"), CHUNK_BYTES as usize);
    let mut time = 1_000_000;
    for event in (0..rounds).flat_map(events_of(kind)) {
        writer.event(time, &event, &[]).expect("an event");
        time += 100;
    }
    writer.finish().expect("a file")
}

/// What is counted.
#[inline(never)]
fn read(file: &[u8], way: &str) -> u64 {
    let reader = |location| {
        let source = Bytes::new(file, CHUNK_BYTES);
        EventReader::new(source, Path::new("0.evt"), CHUNK_BYTES, LocationRef(location))
    };
    let mut times = 0_u64;
    let see = |event: Result<EventView<'_>, Error>| {
        times = times.wrapping_add(event.map_or(0, |event| event.time));
        ControlFlow::<()>::Continue(())
    };
    let _ = match way {
        "local" => reader(0).visit(see),
        _ => Merged::new([reader(0), reader(1)]).visit(see),
    };
    times
}

/// The task; without one, nothing.
#[test]
fn one_task() {
    let Ok(words) = std::env::var(TASK) else { return };
    let [kind, way, rounds] = words.split(' ').collect::<Vec<_>>()[..] else { panic!("{words}") };
    let bytes = file(kind, rounds.parse().expect("a number"));
    assert_ne!(read(&bytes, way), 0);
}

/// Instructions of reading so many rounds of events.
fn instructions(kind: &str, way: &str, rounds: u64) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=all::oracle_work::read*")
        .arg(std::env::current_exe().expect("a program"))
        .args(["--exact", "oracle_work::one_task"])
        .env(TASK, format!("{kind} {way} {rounds}"))
        .output()
        .expect("valgrind runs");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|line| line.contains("Collected :")).expect("a count");
    line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a number")
}

#[test]
fn instructions_per_event() {
    if std::env::var_os("POMPEII_ORACLES").is_none() {
        return;
    }
    // At most a tenth more than with rustc 1.95.0.
    for (kind, way, bound) in [
        ("function", "local", 31),
        ("function", "merged", 140),
        ("task", "local", 100),
        ("task", "merged", 225),
        ("lock", "local", 100),
        ("lock", "merged", 225),
        ("mpi", "local", 80),
        ("mpi", "merged", 205),
    ] {
        let [few, many] = ROUNDS.map(|rounds| instructions(kind, way, rounds));
        let locations = if way == "merged" { 2 } else { 1 };
        let events = (ROUNDS[1] - ROUNDS[0]) * events_of(kind)(0).len() as u64 * locations;
        let each = (many - few) / events;
        println!("{kind} {way} {each}");
        assert!(each <= bound && each > 10, "{kind}, {way}: {each}, at most {bound}");
    }
}
