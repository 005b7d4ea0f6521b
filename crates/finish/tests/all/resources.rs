//! Windows, the groups of their synchronisation, and files of several processes are those of the run
//! in the trace, whatever numbers each process has for them.

use crate::common::{Process, Thread};
use expect_test::expect;
use pompeii_finish::{RunInfo, finish};
use pompeii_live::MpiDefinition;
use pompeii_otf2::definition::Definition;
use pompeii_otf2::enums::RmaSyncLevel;
use pompeii_otf2::event::{IoDestroyHandle, RmaGroupSync, RmaPut};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{GroupRef, IoHandleRef, RmaWinRef};

/// A rank that puts into the window of all, synchronises with all others, and closes the file of
/// all. Rank 1 has other windows, groups and files before these.
fn rank(rank: u32) -> Process {
    let mut process = Process::of_job(rank, 2);
    let mut define = |definition| process.define(pompeii_live::Definition::Mpi(definition));
    for (id, alone) in (0..).zip([true, false].into_iter().skip(usize::from(rank == 0))) {
        let (comm, path) = (u32::from(alone), if alone { "own" } else { "all" });
        define(MpiDefinition::Window { id, comm, number: 0 });
        define(MpiDefinition::WindowName { window: id, name: path.to_owned() });
        let members = if alone { vec![1] } else { vec![0, 1] };
        define(MpiDefinition::Group { id, members });
        define(MpiDefinition::IoFile { id, path: path.to_owned() });
        define(MpiDefinition::IoHandle { id, file: id, comm, number: 0 });
    }
    let (win, sync_level) = (RmaWinRef(rank), RmaSyncLevel::MEMORY);
    let events = vec![
        (1100, RmaPut { win, remote: 0, bytes: 8, matching_id: 1 }.into()),
        (1200, RmaGroupSync { sync_level, win, group: GroupRef(rank) }.into()),
        (1300, IoDestroyHandle { handle: IoHandleRef(rank) }.into()),
    ];
    process.threads = vec![Thread { root_ticks: 1000, events, ..Thread::default() }];
    process
}

#[test]
fn what_is_alike_in_several_processes_is_one_in_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    rank(0).write(&folder.path().join("live"));
    rank(1).write(&folder.path().join("procs/node1-4000001-ocean/live"));
    let command = vec!["mpirun".to_owned()];
    finish(folder.path(), &RunInfo { command, ..RunInfo::default() }).unwrap().unwrap();
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let mut text = String::new();
    for definition in archive.definitions() {
        match definition {
            Definition::Group(_)
            | Definition::RmaWin(_)
            | Definition::IoParadigm(_)
            | Definition::IoRegularFile(_)
            | Definition::IoHandle(_) => text += &format!("{definition:?}\n"),
            _ => {}
        }
    }
    let mut events = archive.merged().unwrap();
    while let Some(record) = events.read_next() {
        let record = record.unwrap();
        text += &format!("{} rank {}: {:?}\n", record.time, record.location.0, record.event);
    }
    expect![[r#"
        Group(Group { id: GroupRef(0), name: StringRef(1), group_type_pre12: GroupTypePre12(0), members: [0, 1], group_type: GroupType(4), paradigm: Paradigm(3), group_flags: GroupFlag(0) })
        Group(Group { id: GroupRef(1), name: StringRef(3), group_type_pre12: GroupTypePre12(6), members: [0, 1], group_type: GroupType(4), paradigm: Paradigm(4), group_flags: GroupFlag(0) })
        Group(Group { id: GroupRef(2), name: StringRef(0), group_type_pre12: GroupTypePre12(5), members: [], group_type: GroupType(6), paradigm: Paradigm(4), group_flags: GroupFlag(0) })
        Group(Group { id: GroupRef(3), name: StringRef(0), group_type_pre12: GroupTypePre12(4), members: [0, 1], group_type: GroupType(5), paradigm: Paradigm(4), group_flags: GroupFlag(0) })
        Group(Group { id: GroupRef(4), name: StringRef(0), group_type_pre12: GroupTypePre12(4), members: [1], group_type: GroupType(5), paradigm: Paradigm(4), group_flags: GroupFlag(0) })
        Group(Group { id: GroupRef(5), name: StringRef(0), group_type_pre12: GroupTypePre12(4), members: [0, 1], group_type: GroupType(5), paradigm: Paradigm(4), group_flags: GroupFlag(0) })
        RmaWin(RmaWin { id: RmaWinRef(0), name: StringRef(16), comm: CommRef(0), flags: RmaWinFlag(1) })
        RmaWin(RmaWin { id: RmaWinRef(1), name: StringRef(17), comm: CommRef(1), flags: RmaWinFlag(1) })
        IoParadigm(IoParadigm { id: IoParadigmRef(0), identification: StringRef(18), name: StringRef(18), io_paradigm_class: IoParadigmClass(1), io_paradigm_flags: IoParadigmFlag(0), properties: [] })
        IoRegularFile(IoRegularFile { id: IoFileRef(0), name: StringRef(16), scope: SystemTreeNodeRef(4294967295) })
        IoRegularFile(IoRegularFile { id: IoFileRef(1), name: StringRef(17), scope: SystemTreeNodeRef(4294967295) })
        IoHandle(IoHandle { id: IoHandleRef(0), name: StringRef(0), file: IoFileRef(0), io_paradigm: IoParadigmRef(0), io_handle_flags: IoHandleFlag(0), comm: CommRef(0), parent: IoHandleRef(4294967295) })
        IoHandle(IoHandle { id: IoHandleRef(1), name: StringRef(0), file: IoFileRef(1), io_paradigm: IoParadigmRef(0), io_handle_flags: IoHandleFlag(0), comm: CommRef(1), parent: IoHandleRef(4294967295) })
        1100 rank 0: RmaPut(RmaPut { win: RmaWinRef(0), remote: 0, bytes: 8, matching_id: 1 })
        1100 rank 1: RmaPut(RmaPut { win: RmaWinRef(0), remote: 0, bytes: 8, matching_id: 1 })
        1200 rank 0: RmaGroupSync(RmaGroupSync { sync_level: RmaSyncLevel(2), win: RmaWinRef(0), group: GroupRef(3) })
        1200 rank 1: RmaGroupSync(RmaGroupSync { sync_level: RmaSyncLevel(2), win: RmaWinRef(0), group: GroupRef(3) })
        1300 rank 0: IoDestroyHandle(IoDestroyHandle { handle: IoHandleRef(0) })
        1300 rank 1: IoDestroyHandle(IoDestroyHandle { handle: IoHandleRef(0) })
        2000 rank 0: ProgramEnd(ProgramEnd { exit_status: 0 })
        2000 rank 1: ProgramEnd(ProgramEnd { exit_status: 0 })
    "#]].assert_eq(&text);
}
