//! What we write, read by the reference tools: `otf2-print` and the Python reader.
//!
//! Run with `POMPEII_ORACLES=1`; without it the tests say so and return. The Python reader is a
//! compiled extension of the system's interpreter, so `/usr/bin/python3` is tried as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::chunk::EventChunk;
use pompeii_otf2::definition::{
    self, ClockOffset, ClockProperties, Comm, Definition, Group, Location, LocationGroup,
    MappingTable, MetricClass, MetricMember, Parameter, Region, SystemTreeNode,
    SystemTreeNodeDomain,
};
use pompeii_otf2::encode::{self, MetricValue};
use pompeii_otf2::enums::*;
use pompeii_otf2::folder::Folder;
use pompeii_otf2::mapping::IdMap;
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_otf2::{Error, Timestamp};
use pompeii_testing::oracles;

const CHUNK_BYTES: usize = 256 << 10;
const EVENTS: u64 = 50_000;

/// Two threads, many chunks, ids of their own, offsets of their clocks, one empty location.
fn write_archive(folder: &Path) -> Result<PathBuf, Error> {
    let options = Options {
        event_chunk_bytes: CHUNK_BYTES,
        definition_chunk_bytes: CHUNK_BYTES,
        ..Options::default()
    };
    let mut archive = ArchiveWriter::create(folder, "traces", options)?;
    let (first, second, third) = (LocationRef(0), LocationRef(1 << 32), LocationRef(2 << 32));
    let live = folder.join("live");
    for location in [first, second] {
        fs::write(&live, live_chunks().concat()).expect("live file");
        let adopted = archive.adopt_events(location, (&Folder::open(folder)?, "live"))?;
        assert_eq!((adopted.events, adopted.damaged_chunks), (EVENTS, 0));
        assert!(!live.exists());
        archive.local_definitions(location, &local_definitions())?;
    }
    define_clock_and_system(&mut archive, &[(first, EVENTS), (second, EVENTS), (third, 0)])?;
    define_program(&mut archive, &[first, second, third])?;
    archive.finish(Anchor {
        machine: "machine".into(),
        creator: "pompeii-otf2".into(),
        description: "written without the reference library".into(),
        properties: vec![("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE".into(), "true".into())],
        trace_id: 0x1234,
        ..Anchor::default()
    })
}

/// The events as a measurement leaves them: chunks in recycled memory, the last one half full, and
/// one that was never begun.
fn live_chunks() -> Vec<Vec<u8>> {
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    let (mut event, mut time) = (0, 0);
    while event < EVENTS {
        let mut memory = vec![0xa5; CHUNK_BYTES];
        let mut chunk = EventChunk::begin(&mut memory, event + 1, time).expect("room");
        while event < EVENTS && push(&mut chunk, event) {
            event += 1;
        }
        (event, time) = (chunk.last_event(), chunk.last_time());
        chunks.push(memory);
    }
    chunks.push(vec![0; CHUNK_BYTES]);
    chunks
}

/// The event with this number, from 0.
fn push(chunk: &mut EventChunk<'_>, event: u64) -> bool {
    let time = 1000 + event * 10;
    let values = [MetricValue::U64(event), MetricValue::F64(0.5)];
    if event == 0 {
        return chunk.large_event(|free, last| encode::program_begin(free, last, time, 0, &[0]));
    }
    if event + 1 == EVENTS {
        return chunk.event(|room, last| encode::program_end(room, last, time, 0));
    }
    match event % 10 {
        0 => chunk.event(|room, last| encode::thread_fork(room, last, time, 3, 2)),
        1 => chunk.event(|room, last| encode::thread_team_begin(room, last, time, 0)),
        2 => chunk.event(|room, last| encode::enter(room, last, time, 0)),
        3 => chunk.large_event(|free, last| encode::metric(free, last, time, 0, &values)),
        4 => chunk.event(|room, last| encode::thread_task_create(room, last, time, 0, 0, 300)),
        5 => chunk.event(|room, last| encode::thread_acquire_lock(room, last, time, 3, 1, 70_000)),
        6 => chunk.event(|room, last| encode::parameter_int(room, last, time, 0, -5)),
        7 => chunk.event(|room, last| encode::leave(room, last, time, 0)),
        8 => chunk.event(|room, last| encode::thread_team_end(room, last, time, 0)),
        _ => chunk.event(|room, last| encode::thread_join(room, last, time, 3)),
    }
}

fn local_definitions() -> Vec<Definition> {
    let offset = |time, offset| {
        ClockOffset { time: Timestamp(time), offset, standard_deviation: 0.0 }.into()
    };
    let table = MappingTable {
        mapping_type: MappingType::REGION,
        id_map: IdMap::from_dense(vec![1, 0]).expect("not the identity"),
    };
    vec![table.into(), offset(1000, 100), offset(1000 + 10 * EVENTS, 200)]
}

fn define_clock_and_system(
    archive: &mut ArchiveWriter,
    locations: &[(LocationRef, u64)],
) -> Result<(), Error> {
    archive.define(ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: 1000,
        trace_length: 10 * EVENTS + 1000,
        realtime_timestamp: 1_700_000_000_123_456_789,
    })?;
    let name = archive.string("OpenMP")?;
    archive.define(definition::Paradigm {
        paradigm: Paradigm::OPENMP,
        name,
        paradigm_class: ParadigmClass::THREAD_FORK_JOIN,
    })?;
    let template = archive.string("Thread team ${id}")?;
    archive.define(definition::ParadigmProperty {
        paradigm: Paradigm::OPENMP,
        property: ParadigmProperty::COMM_NAME_TEMPLATE,
        value: template.into(),
    })?;
    let name = archive.string("machine")?;
    let node = SystemTreeNodeRef(0);
    let parent = SystemTreeNodeRef::UNDEFINED;
    archive.define(SystemTreeNode { id: node, name, class_name: name, parent })?;
    let system_tree_domain = SystemTreeDomain::MACHINE;
    archive.define(SystemTreeNodeDomain { system_tree_node: node, system_tree_domain })?;
    let name = archive.string("Process")?;
    archive.define(LocationGroup {
        id: LocationGroupRef(0),
        name,
        location_group_type: LocationGroupType::PROCESS,
        system_tree_parent: node,
        ..Default::default()
    })?;
    for (number, &(id, number_of_events)) in locations.iter().enumerate() {
        let name = archive.string(&format!("OMP thread {number}"))?;
        archive.define(Location {
            id,
            name,
            location_type: LocationType::CPU_THREAD,
            number_of_events,
            location_group: LocationGroupRef(0),
        })?;
    }
    Ok(())
}

fn define_program(archive: &mut ArchiveWriter, locations: &[LocationRef]) -> Result<(), Error> {
    for (id, name) in [(0, "main"), (1, "!$omp parallel @a.c:3")] {
        let name = archive.string(name)?;
        let source_file = archive.string("/src/a.c")?;
        archive.define(Region {
            id: RegionRef(id),
            name,
            canonical_name: name,
            description: StringRef(0),
            source_file,
            begin_line_number: 3,
            end_line_number: 9,
            region_role: RegionRole::PARALLEL,
            paradigm: Paradigm::OPENMP,
            ..Default::default()
        })?;
    }
    let groups = [
        (GroupType::COMM_LOCATIONS, locations.iter().map(|location| location.0).collect()),
        (GroupType::COMM_GROUP, vec![0, 1]),
    ];
    for (id, (group_type, members)) in (0..).zip(groups) {
        let paradigm = Paradigm::OPENMP;
        let (id, name) = (GroupRef(id), StringRef(0));
        archive.define(Group { id, name, members, group_type, paradigm, ..Default::default() })?;
    }
    let (id, name, group) = (CommRef(0), StringRef(0), GroupRef(1));
    archive.define(Comm { id, name, group, ..Default::default() })?;
    for (id, value_type) in [(0, ValueType::UINT64), (1, ValueType::DOUBLE)] {
        let name = archive.string(&format!("metric {id}"))?;
        archive.define(MetricMember {
            id: MetricMemberRef(id),
            name,
            description: name,
            metric_type: MetricType::USER,
            metric_mode: MetricMode::ABSOLUTE_POINT,
            value_type,
            unit: name,
            ..Default::default()
        })?;
    }
    archive.define(MetricClass {
        id: MetricRef(0),
        metric_members: vec![MetricMemberRef(0), MetricMemberRef(1)],
        metric_occurrence: MetricOccurrence::SYNCHRONOUS,
        recorder_kind: RecorderKind::CPU,
    })?;
    let name = archive.string("parameter")?;
    let parameter_type = ParameterType::INT64;
    archive.define(Parameter { id: ParameterRef(0), name, parameter_type })
}

/// Standard output of a tool that must not complain; it may not write more than 64 MiB or take
/// longer than ten minutes, since a damaged archive can make the reference reader run for ever.
fn output(tool: &str, arguments: &[&str], anchor: &Path) -> String {
    let file = anchor.with_extension("out");
    let limited = r#"out="$1"; shift; ulimit -f 131072; exec timeout 600 "$@" > "$out""#;
    let mut command = Command::new("bash");
    command.args(["-c", limited, "bash"]).arg(&file).arg(tool).args(arguments).arg(anchor);
    let output = command.output().unwrap_or_else(|error| panic!("{tool}: {error}"));
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{tool}: {complaints}");
    fs::read_to_string(file).expect("the tool's output")
}

#[test]
fn otf2_print_reads_what_we_write() {
    if !oracles() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let anchor = write_archive(folder.path()).expect("archive");
    let text = output("otf2-print", &["-A", "-G", "-I", "-C"], &anchor);
    for complaint in ["INVALID", "INTEGRITY", "UNKNOWN", "[OTF2]"] {
        assert!(!text.contains(complaint), "{complaint} in\n{text}");
    }
    let events = output("otf2-print", &[], &anchor);
    let of = |name: &str| events.lines().filter(|line| line.starts_with(name)).count() as u64;
    assert_eq!((of("ENTER "), of("LEAVE ")), (EVENTS / 5, EVENTS / 5));
    assert_eq!((of("METRIC "), of("THREAD_TASK_CREATE ")), (EVENTS / 5, EVENTS / 5));
    assert_eq!((of("PROGRAM_BEGIN "), of("PROGRAM_END ")), (2, 2));
    // Region 0 of the locations is region 1 of the archive, and the clock runs 100 ticks ahead.
    let enter = events.lines().find(|line| line.starts_with("ENTER ")).expect("an event");
    assert!(enter.contains("1120") && enter.contains("!$omp parallel @a.c:3"), "{enter}");
}

const PYTHON: &str = r#"
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    counts = {}
    last = 0
    for location, event in trace.events:
        counts[type(event).__name__] = counts.get(type(event).__name__, 0) + 1
        assert last <= event.time
        last = event.time
    print(len(trace.definitions.locations), len(trace.definitions.regions), sorted(counts.items()))
"#;

#[test]
fn python_reads_what_we_write() {
    if !oracles() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let anchor = write_archive(folder.path()).expect("archive");
    let has_reader = |python: &&str| {
        let import = Command::new(python).args(["-c", "import otf2"]).output();
        import.is_ok_and(|output| output.status.success())
    };
    let python = ["python3", "/usr/bin/python3"].into_iter().find(has_reader);
    let python = python.expect("no python3 with the module otf2 (Debian: python3-otf2)");
    let text = output(python, &["-c", PYTHON], &anchor);
    expect_test::expect![[r#"
        3 2 [('Enter', 10000), ('Leave', 10000), ('Metric', 10000), ('ParameterInt', 10000), ('ProgramBegin', 2), ('ProgramEnd', 2), ('ThreadAcquireLock', 10000), ('ThreadFork', 9998), ('ThreadJoin', 9998), ('ThreadTaskCreate', 10000), ('ThreadTeamBegin', 10000), ('ThreadTeamEnd', 10000)]
    "#]].assert_eq(&text);
}
