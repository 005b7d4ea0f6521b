//! The processes of an MPI job become one experiment, whatever some of them have lost.

use std::path::Path;

use crate::common::{Process, Thread, node, region};
use expect_test::{Expect, expect};
use pompeii_cubex as cubex;
use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Definition, Key, MpiDefinition, Node, RegionKind};
use pompeii_otf2::definition;
use pompeii_otf2::event::{Enter, Event, Leave, MpiRecv, MpiSend};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{CommRef, RegionRef};

/// A rank with two threads: it sends 80 bytes to the next rank, and has numbers of its own for all.
fn ring(rank: u32, size: u32) -> Process {
    let mut process = Process::of_job(rank, size);
    // The two functions and the communicators are the other way round in odd ranks.
    let (send, receive) = if rank.is_multiple_of(2) { (2, 3) } else { (3, 2) };
    let functions = [(send, "MPI_Send"), (receive, "MPI_Recv")];
    let mut functions = functions.map(|(id, name)| region(id, RegionKind::MpiPointToPoint, name));
    functions.sort_by_key(|function| !matches!(function, Definition::Region { id: 2, .. }));
    functions.into_iter().for_each(|function| process.define(function));
    process.define(region(4, RegionKind::Parallel, "!$omp parallel @ocean.c:7"));
    process.define(Definition::Communicator { id: 2, master: 0, size: 2 });
    let message = |ticks, region| node(Key::Region(region), 1, 1, ticks);
    let master = vec![
        Node { created: 80, task_switches: 1, ..message(50, send) },
        Node { undeferred: 80, last_arrivals: 1, ..message(150, receive) },
        node(Key::Region(4), 1, 2, 300),
    ];
    let worker = vec![node(Key::Attach { location: 0, node: 5 }, 1, 2, 290)];
    let (enter, leave) = (
        |region| Event::Enter(Enter { region: RegionRef(region) }),
        |region| Event::Leave(Leave { region: RegionRef(region) }),
    );
    let (communicator, msg_tag, msg_length) = (CommRef(0), 7, 80);
    let receiver = (rank + 1) % size;
    let sender = (rank + size - 1) % size;
    let to = Event::MpiSend(MpiSend { receiver, communicator, msg_tag, msg_length });
    let from = Event::MpiRecv(MpiRecv { sender, communicator, msg_tag, msg_length });
    let events = vec![
        (process.start + 100, enter(send)),
        (process.start + 110, to),
        (process.start + 150, leave(send)),
        (process.start + 200, enter(receive)),
        (process.start + 340, from),
        (process.start + 350, leave(receive)),
    ];
    process.threads = vec![
        Thread { root_ticks: 500, nodes: master, events, ..Thread::default() },
        Thread { nodes: worker, ..Thread::default() },
    ];
    process
}

/// Writes processes where the runtime of each would: the first that came is in the root.
fn experiment(processes: &[Process]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (index, process) in processes.iter().enumerate() {
        let own = match index {
            0 => folder.path().join("live"),
            _ => folder.path().join(format!("procs/node1-{}-ocean/live", process.pid)),
        };
        process.write(&own);
    }
    folder
}

/// All that the job's experiment says.
fn check(folder: &Path, expected: Expect) {
    let text = finished(folder) + &profile(folder, |_| true) + &communicators(folder);
    expected.assert_eq(&(text + &events(folder)));
}

/// So have processes of other hosts then, of which one cannot know it.
fn launcher_has_ended() -> RunInfo {
    let command = vec!["mpirun".to_owned()];
    RunInfo { command, exit_code: Some(0), ..RunInfo::default() }
}

/// Makes the experiment, and says what is known of the ranks.
fn finished(folder: &Path) -> String {
    let manifest = finish(folder, &launcher_has_ended()).unwrap().unwrap();
    let job = manifest.job.unwrap();
    let mut text = format!("job of {}, missing {:?}\n", job.size, job.missing);
    for rank in &job.ranks {
        text += &format!("rank {} on {}: {}", rank.rank, rank.host, rank.end);
        text += if rank.finalized { ", finalized" } else { "" };
        text += &match rank.clock_error_ns {
            Some(error) => format!(", clock within {error} ns\n"),
            None => ", clock not measured\n".to_owned(),
        };
    }
    assert!(!folder.join("live").exists() && !folder.join("procs").exists());
    text
}

/// What is not 0 of the metrics that are wanted, in nanoseconds.
fn profile(folder: &Path, is_wanted: fn(&str) -> bool) -> String {
    let reader = cubex::Reader::open(folder.join("profile.cubex")).unwrap();
    let report = reader.report();
    let wall = report.attribute("pompeii::wall_ticks").unwrap();
    let mut text = format!("profile of {wall} ticks\n");
    for (_, group) in report.system.groups.iter() {
        let node = &report.system.nodes[group.node];
        text += &format!("  {} on {} {:?}\n", group.name, node.name, group.attributes[0].1);
    }
    for (id, metric) in report.metrics.iter().filter(|(_, it)| is_wanted(&it.unique_name)) {
        let mut values = reader.values(id).unwrap().matrix::<f64>().unwrap();
        if metric.kind == cubex::MetricKind::Inclusive {
            values.to_exclusive(&report.call_paths);
        }
        for path in values.call_paths() {
            let scale = if metric.unit == "sec" { 1e9 } else { 1.0 };
            let row: Vec<i64> = values
                .row(path)
                .unwrap()
                .iter()
                .map(|value| (value * scale).round() as i64)
                .collect();
            if row.iter().any(|&value| value != 0) {
                let region = &report.regions[report.call_paths[path].region];
                text += &format!("  {} {} {row:?}\n", metric.unique_name, region.name);
            }
        }
    }
    text
}

fn trace(folder: &Path) -> Archive {
    Archive::open(&folder.join("traces.otf2")).unwrap()
}

fn communicators(folder: &Path) -> String {
    let archive = trace(folder);
    let mut text = String::from("communicators\n");
    for definition in archive.definitions() {
        match definition {
            definition::Definition::Group(group) => {
                text += &format!("  group {}: {:?}\n", group.id.0, group.members);
            }
            definition::Definition::Comm(comm) => {
                let name = archive.string(comm.name).unwrap();
                text += &format!("  comm {} {name:?}: group {}\n", comm.id.0, comm.group.0);
            }
            _ => {}
        }
    }
    text
}

/// Events in the order of time.
fn events(folder: &Path) -> String {
    let archive = trace(folder);
    let mut text = String::from("events\n");
    let mut events = archive.merged().unwrap();
    while let Some(record) = events.read_next() {
        let record = record.unwrap();
        let what = match &record.event {
            Event::Enter(enter) => format!("enter {}", name(&archive, enter.region)),
            Event::Leave(leave) => format!("leave {}", name(&archive, leave.region)),
            other => format!("{other:?}"),
        };
        let (thread, rank) = (record.location.0 >> 32, record.location.0 & 0xffff_ffff);
        text += &format!("  {} rank {rank} thread {thread}: {what}\n", record.time);
    }
    text
}

fn name(archive: &Archive, region: RegionRef) -> String {
    archive.name("Region", u64::from(region.0)).unwrap_or("?").to_owned()
}

#[test]
fn two_ranks_are_one_experiment() {
    let ranks = [ring(1, 2), ring(0, 2)];
    check(
        experiment(&ranks).path(),
        expect![[r#"
            job of 2, missing []
            rank 0 on node1: exit with code 0, clock within 0 ns
            rank 1 on node1: exit with code 0, clock within 0 ns
            profile of 1000 ticks
              MPI Rank 0 on node1 "1000"
              MPI Rank 1 on node1 "1000"
              time ocean [500, 0, 500, 0]
              time MPI_Send [50, 0, 50, 0]
              time MPI_Recv [150, 0, 150, 0]
              time !$omp parallel @ocean.c:7 [300, 290, 300, 290]
              visits ocean [1, 0, 1, 0]
              visits MPI_Send [1, 0, 1, 0]
              visits MPI_Recv [1, 0, 1, 0]
              visits !$omp parallel @ocean.c:7 [2, 2, 2, 2]
              bytes_sent MPI_Send [80, 0, 80, 0]
              bytes_rcvd MPI_Recv [80, 0, 80, 0]
              comms_send MPI_Send [1, 0, 1, 0]
              comms_recv MPI_Recv [1, 0, 1, 0]
            communicators
              group 0: [0, 4294967296, 1, 4294967297]
              group 1: [0, 1]
              group 2: []
              group 3: [0, 1]
              group 4: [0, 1]
              group 5: [2, 3]
              comm 0 "MPI_COMM_WORLD": group 3
              comm 1 "MPI_COMM_SELF": group 2
              comm 2 "": group 4
              comm 3 "": group 5
            events
              1100 rank 0 thread 0: enter MPI_Send
              1100 rank 1 thread 0: enter MPI_Send
              1110 rank 0 thread 0: MpiSend(MpiSend { receiver: 1, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
              1110 rank 1 thread 0: MpiSend(MpiSend { receiver: 0, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
              1150 rank 0 thread 0: leave MPI_Send
              1150 rank 1 thread 0: leave MPI_Send
              1200 rank 0 thread 0: enter MPI_Recv
              1200 rank 1 thread 0: enter MPI_Recv
              1340 rank 0 thread 0: MpiRecv(MpiRecv { sender: 1, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
              1340 rank 1 thread 0: MpiRecv(MpiRecv { sender: 0, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
              1350 rank 0 thread 0: leave MPI_Recv
              1350 rank 1 thread 0: leave MPI_Recv
              2000 rank 0 thread 0: ProgramEnd(ProgramEnd { exit_status: 0 })
              2000 rank 1 thread 0: ProgramEnd(ProgramEnd { exit_status: 0 })
        "#]],
    );
}

/// Rank 2 was killed before its `MPI_Finalize`, rank 1 never came, or nothing can be read of it.
#[test]
fn what_dead_ranks_leave_is_kept() {
    let mut survivor = ring(0, 3);
    survivor.define(Definition::Mpi(MpiDefinition::Finalized { ticks: 1900 }));
    let killed = Process { noted_end: None, end: 1600, ..ring(2, 3) };
    let mut killed = Process { threads: killed.threads[..1].to_vec(), ..killed };
    killed.threads[0].root_ticks = 100;
    killed.threads[0].events.truncate(2);
    survivor.threads[0].events.truncate(2);
    check(
        experiment(&[survivor, killed]).path(),
        expect![[r#"
            job of 3, missing [1]
            rank 0 on node1: exit with code 0, finalized, clock within 0 ns
            rank 2 on node1: an unknown cause, clock within 0 ns
            profile of 1000 ticks
              MPI Rank 0 on node1 "1000"
              MPI Rank 2 on node1 "600"
              time ocean [500, 0, 100]
              time MPI_Send [50, 0, 50]
              time MPI_Recv [150, 0, 150]
              time !$omp parallel @ocean.c:7 [300, 290, 300]
              visits ocean [1, 0, 1]
              visits MPI_Send [1, 0, 1]
              visits MPI_Recv [1, 0, 1]
              visits !$omp parallel @ocean.c:7 [2, 2, 2]
              bytes_sent MPI_Send [80, 0, 80]
              bytes_rcvd MPI_Recv [80, 0, 80]
              comms_send MPI_Send [1, 0, 1]
              comms_recv MPI_Recv [1, 0, 1]
            communicators
              group 0: [0, 4294967296, 2]
              group 1: [0, 1, 2]
              group 2: []
              group 3: [0, 1, 2]
              group 4: [0, 1]
              group 5: [2]
              comm 0 "MPI_COMM_WORLD": group 3
              comm 1 "MPI_COMM_SELF": group 2
              comm 2 "": group 4
              comm 3 "": group 5
            events
              1100 rank 0 thread 0: enter MPI_Send
              1100 rank 2 thread 0: enter MPI_Send
              1110 rank 0 thread 0: MpiSend(MpiSend { receiver: 1, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
              1110 rank 2 thread 0: MpiSend(MpiSend { receiver: 0, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
              2000 rank 0 thread 0: ProgramEnd(ProgramEnd { exit_status: 0 })
        "#]],
    );
}

/// Rank 1 runs on another host, whose clock counts from elsewhere and is a bit fast: it gains a
/// tick in ten.
#[test]
fn clocks_of_other_hosts_are_brought_together() {
    let mut other = ring(1, 2);
    (other.host, other.monotonic_ns) = ("node2".to_owned(), 900_001_000);
    for (ticks, ahead) in [(1100, -900_000_100_i64), (1900, -900_000_180)] {
        let (offset_ns, error_ns) = (ahead, 20);
        other.define(Definition::Mpi(MpiDefinition::ClockOffset { ticks, offset_ns, error_ns }));
    }
    let folder = experiment(&[ring(0, 2), other]);
    let text = finished(folder.path()) + &profile(folder.path(), |metric| metric == "time");
    expect![[r#"
        job of 2, missing []
        rank 0 on node1: exit with code 0, clock within 0 ns
        rank 1 on node2: exit with code 0, clock within 20 ns
        profile of 1090 ticks
          MPI Rank 0 on node1 "1000"
          MPI Rank 1 on node2 "900"
          time ocean [500, 0, 450, 0]
          time MPI_Send [50, 0, 45, 0]
          time MPI_Recv [150, 0, 135, 0]
          time !$omp parallel @ocean.c:7 [300, 290, 270, 261]
        events
          1000 rank 1 thread 0: enter MPI_Send
          1009 rank 1 thread 0: MpiSend(MpiSend { receiver: 0, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
          1045 rank 1 thread 0: leave MPI_Send
          1090 rank 1 thread 0: enter MPI_Recv
          1100 rank 0 thread 0: enter MPI_Send
          1110 rank 0 thread 0: MpiSend(MpiSend { receiver: 1, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
          1150 rank 0 thread 0: leave MPI_Send
          1200 rank 0 thread 0: enter MPI_Recv
          1216 rank 1 thread 0: MpiRecv(MpiRecv { sender: 0, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
          1225 rank 1 thread 0: leave MPI_Recv
          1340 rank 0 thread 0: MpiRecv(MpiRecv { sender: 1, communicator: CommRef(0), msg_tag: 7, msg_length: 80 })
          1350 rank 0 thread 0: leave MPI_Recv
          1810 rank 1 thread 0: ProgramEnd(ProgramEnd { exit_status: 0 })
          2000 rank 0 thread 0: ProgramEnd(ProgramEnd { exit_status: 0 })
    "#]]
    .assert_eq(&(text + &events(folder.path())));
}

/// What comes from another host when the job's experiment is there is kept: as one of its own.
#[test]
fn a_rank_that_comes_late_has_an_experiment_of_its_own() {
    let folder = experiment(&[ring(0, 3), ring(2, 3)]);
    let info = launcher_has_ended();
    let first = finish(folder.path(), &info).unwrap().unwrap();
    assert_eq!(first.job.unwrap().missing, [1]);
    let late = folder.path().join("procs/node1-7-ocean");
    ring(1, 3).write(&late.join("live"));
    let manifest = finish(folder.path(), &info).unwrap().unwrap();
    assert_eq!(manifest.processes.len(), 1);
    assert!(manifest.processes[0].problem.is_none(), "{:?}", manifest.processes);
    let job = pompeii_finish::Manifest::load(&late).unwrap().job.unwrap();
    assert_eq!(job.missing, [0, 2]);
    assert!(late.join("profile.cubex").exists() && !late.join("live").exists());
    // Once more, nothing happens.
    finish(folder.path(), &info).unwrap();
    assert!(late.join("profile.cubex").exists());
}
