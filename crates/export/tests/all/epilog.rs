//! Traces as EPILOG and back: which records an archive becomes, that nothing is lost on the way to
//! OTF2 and back, and what a reader says that was written from the description of the format alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU64;

use expect_test::{Expect, expect};
use pompeii_epilog::record::*;
use pompeii_epilog::{Endian, NO_ID, Reader, Writer};
use pompeii_export::epilog;
use pompeii_export::epilog::import::{Files, Source};
use pompeii_otf2::check::Checker;
use pompeii_otf2::read::Archive;

pub const HYBRID: &str = "../otf2/tests/samples/hybrid/traces.otf2";

pub fn records(bytes: &[u8]) -> Vec<Record> {
    let mut reader = Reader::new(bytes).unwrap();
    std::iter::from_fn(|| reader.next_record().unwrap()).collect()
}

pub fn file(records: &[Record], endian: Endian) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), endian).unwrap();
    records.iter().for_each(|record| writer.record(record).unwrap());
    writer.finish().unwrap()
}

/// The file of an archive, and what was left out.
pub fn exported(anchor: &Path) -> (Vec<u8>, String) {
    let archive = Archive::open(anchor).unwrap();
    let mut bytes = Vec::new();
    let written = epilog::write(&archive, &mut bytes, &AtomicU64::new(0)).unwrap();
    assert_eq!(written.read.errors, 0);
    (bytes, written.left_out.to_string())
}

/// The archive of a file, and what was left out.
fn imported(bytes: &[u8], folder: &Path) -> Result<(PathBuf, String), String> {
    let path = folder.join("trace.elg");
    fs::write(&path, bytes).unwrap();
    let done = AtomicU64::new(0);
    let source = Source::open(&Files::Merged(path), &done).map_err(|error| error.to_string())?;
    let left_out = source.write(&folder.join("out"), &done).map_err(|error| error.to_string())?;
    Ok((folder.join("out/traces.otf2"), left_out.to_string()))
}

/// What breaks the rules of other readers.
fn violations(anchor: &Path) -> Vec<String> {
    let archive = Archive::open(anchor).unwrap();
    let mut checker = Checker::new(&archive);
    for event in archive.merged().unwrap() {
        let event = event.unwrap();
        checker.event(pompeii_otf2::read::EventView {
            location: event.location,
            time: event.time,
            event: &event.event,
            attributes: &event.attributes,
        });
    }
    checker.end();
    checker.take().iter().map(ToString::to_string).collect()
}

/// Two processes; the first one has two threads.
fn definitions() -> Vec<Record> {
    let texts = [
        "vm",
        "node",
        "Rank 0",
        "Rank 1",
        "master",
        "worker",
        "a.c",
        "main",
        "halo",
        "MPI_Send",
        "MPI_Recv",
        "MPI_Bcast",
        "!$omp parallel",
        "!$omp for",
        "MPI",
        "app",
        "instructions",
        "omp_set_lock",
    ];
    let texts = (0..).zip(texts).map(|(id, text)| Text { id, text: text.to_owned() }.into());
    let region = |id, name, file, begin_line, kind| {
        let end_line = begin_line;
        Region { id, name, file, begin_line, end_line, description: NO_ID, kind }.into()
    };
    let place = |id, process, thread| {
        LocationDefinition { id, machine: 0, node: 0, process, thread }.into()
    };
    let mut all: Vec<Record> = texts.collect();
    all.extend([
        File { id: 0, name: 6 }.into(),
        File { id: 1, name: 14 }.into(),
        Machine { id: 0, nodes: 1, name: 0 }.into(),
        Node { id: 0, machine: 0, cpus: 4, name: 1, clock_rate: Some(2e9) }.into(),
        Process { id: 0, name: 2 }.into(),
        Process { id: 1, name: 3 }.into(),
        Thread { id: 0, process: 0, name: 4 }.into(),
        Thread { id: 1, process: 0, name: 5 }.into(),
        Thread { id: 0, process: 1, name: 4 }.into(),
        place(0, 0, 0),
        place(1, 0, 1),
        place(2, 1, 0),
        region(0, 7, 0, 3, region_kind::FUNCTION),
        region(1, 8, 0, 9, region_kind::FUNCTION),
        region(2, 9, 1, NO_ID, region_kind::FUNCTION),
        region(3, 10, 1, NO_ID, region_kind::FUNCTION),
        region(4, 11, 1, NO_ID, region_kind::ONE_TO_ALL),
        region(5, 12, 0, 20, region_kind::OMP_PARALLEL),
        region(6, 13, 0, 21, region_kind::OMP_LOOP),
        region(7, 15, NO_ID, NO_ID, region_kind::UNKNOWN),
        region(8, 17, NO_ID, NO_ID, region_kind::FUNCTION),
        CallSite { id: 0, file: 0, line: 10, entered: 2, left: 1 }.into(),
        Metric { id: 0, name: 16, description: NO_ID, data_type: 0, mode: 0, interval: 0 }.into(),
        MpiComm { id: 0, mode: Mode(0), number: Count(1), members: Each(vec![3]) }.into(),
        MpiGroup { id: 0, mode: 0, number: Count(2), ranks: Each(vec![1, 0]) }.into(),
        MpiCommReference { id: 1, group: 0 }.into(),
    ]);
    all
}

/// Events of the processes above: a message, a broadcast, a team with a lock.
fn events() -> Vec<Record> {
    let mut clock = 0.0;
    let mut at = |id: u32| {
        clock += 0.000_000_5;
        (id.into(), (clock * 1e9_f64).round() / 1e9)
    };
    let mut enter = |id, region| {
        let (location, time_s) = at(id);
        Enter { location, time_s, region, values: vec![u64::from(id) + 7] }.into()
    };
    let mut all: Vec<Record> = vec![enter(0, 7), enter(0, 0), enter(2, 7), enter(2, 0)];
    let ((location, time_s), values) = (at(0), vec![8]);
    all.push(EnterCallSite { location, time_s, call_site: 0, values }.into());
    all.push(NumberAttribute { kind: attribute_kind::REQUEST, value: 5 }.into());
    let (location, time_s) = at(0);
    all.push(MpiSend { location, time_s, to: 2, comm: 0, tag: 4, size_bytes: 100 }.into());
    let ((location, time_s), values) = (at(0), vec![9]);
    all.push(Exit { location, time_s, values }.into());
    let ((location, time_s), values) = (at(2), vec![9]);
    all.push(Enter { location, time_s, region: 3, values }.into());
    all.push(NumberAttribute { kind: attribute_kind::BYTES, value: 100 }.into());
    let (location, time_s) = at(2);
    let (size_bytes, comm) = (None, 1);
    all.push(MpiReceive { location, time_s, from: 0, comm, tag: 4, size_bytes }.into());
    let ((location, time_s), values) = (at(2), vec![10]);
    all.push(Exit { location, time_s, values }.into());
    for id in [0, 2] {
        let ((location, time_s), values) = (at(id), vec![11]);
        all.push(Enter { location, time_s, region: 4, values }.into());
    }
    for id in [0, 2] {
        let ((location, time_s), values) = (at(id), vec![12]);
        let (root, comm, sent_bytes, received_bytes) = (2, 0, 8 * id, 8);
        all.push(
            MpiCollectiveExit { location, time_s, values, root, comm, sent_bytes, received_bytes }
                .into(),
        );
    }
    let (location, time_s) = at(0);
    all.push(OmpFork { location, time_s }.into());
    for (id, region) in [(1, 5), (0, 5), (0, 6), (1, 6)] {
        let ((location, time_s), values) = (at(id), vec![13]);
        all.push(Enter { location, time_s, region, values }.into());
    }
    let (location, time_s) = at(1);
    all.push(OmpAcquireLock { location, time_s, lock: 3 }.into());
    let (location, time_s) = at(1);
    all.push(OmpReleaseLock { location, time_s, lock: 3 }.into());
    for id in [0, 1, 1, 0] {
        let ((location, time_s), values) = (at(id), vec![14]);
        all.push(OmpCollectiveExit { location, time_s, values }.into());
    }
    let (location, time_s) = at(0);
    all.push(OmpJoin { location, time_s }.into());
    // In OTF2 a flush has no values of metrics: they are those of the event before.
    let ((location, time_s), values) = (at(2), vec![12]);
    all.push(EnterTracing { location, time_s, values: values.clone() }.into());
    let (location, time_s) = at(2);
    all.push(ExitTracing { location, time_s, values }.into());
    for id in [0, 2, 0, 2] {
        let ((location, time_s), values) = (at(id), vec![15]);
        all.push(Exit { location, time_s, values }.into());
    }
    all
}

pub fn whole() -> Vec<Record> {
    let mut all = definitions();
    let events = events();
    let number = events.iter().filter(|record| record.at().is_some()).count() as u32;
    all.extend([NumberOfEvents { number }.into(), LastDefinition {}.into()]);
    all.extend(events);
    all
}

fn lines(records: &[Record]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Order among definitions of different kinds has no meaning.
fn sorted(records: &[Record]) -> String {
    let end = records.iter().position(|it| matches!(it, Record::LastDefinition(_))).unwrap();
    let mut definitions: Vec<String> =
        records[..end].iter().map(|record| format!("{record}\n")).collect();
    definitions.sort_unstable();
    definitions.concat() + &lines(&records[end..])
}

#[test]
fn a_file_comes_back_from_otf2_as_it_was() {
    for endian in [Endian::Little, Endian::Big] {
        let folder = tempfile::tempdir().unwrap();
        let (anchor, left_out) = imported(&file(&whole(), endian), folder.path()).unwrap();
        assert_eq!(left_out, "");
        // Regions of call sites have the file of the call.
        let expected = "mpi: region MPI_Send has the file \"a.c\"; readers expect \"MPI\"";
        assert_eq!(violations(&anchor), [expected]);
        let (again, left_out) = exported(&anchor);
        assert_eq!(left_out, "");
        similar(&sorted(&records(&again)), &sorted(&whole()));
    }
}

#[track_caller]
fn similar(found: &str, expected: &str) {
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}

/// The sample has all that EPILOG has, and tasks, parameters and asynchronous metrics besides.
#[test]
fn an_archive_comes_back_without_what_epilog_lacks() {
    let (first, left_out) = exported(Path::new(HYBRID));
    check_text(
        &left_out,
        expect![
            "4 creations and ends of communicators, 4 records of non-blocking collective \
             operations, 8 records of tasks, 4 sizes above 4 GiB, which are written as 4 GiB, 2 \
             values of metrics and sums of visits, 12 values of parameters"
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let (anchor, left_out) = imported(&first, folder.path()).unwrap();
    assert_eq!(left_out, "");
    let (second, left_out) = exported(&anchor);
    assert_eq!(left_out, "");
    similar(&sorted(&records(&second)), &sorted(&records(&first)));
}

fn check_text(text: &str, expect: Expect) {
    expect.assert_eq(text);
}

#[test]
fn damage_is_told_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let all = whole();
    let bytes = file(&all, Endian::Little);
    let error = imported(&bytes[..bytes.len() - 3], folder.path()).unwrap_err();
    assert!(error.contains("record EXIT: expected the rest of the record"), "{error}");
    let mut unknown = all.clone();
    unknown.push(OmpFork { location: 9.into(), time_s: 1.0 }.into());
    let error = imported(&file(&unknown, Endian::Little), folder.path()).unwrap_err();
    assert_eq!(
        error,
        format!("byte {}: location 9 of the event is not defined before it", bytes.len())
    );
    let mut timeless = all;
    timeless.push(OmpFork { location: 0.into(), time_s: f64::NAN }.into());
    let error = imported(&file(&timeless, Endian::Little), folder.path()).unwrap_err();
    assert!(error.ends_with("expected a time in seconds, found NaN"), "{error}");
    assert!(!folder.path().join("out").exists());
}

/// The reader is written from the description of the format alone. It checks ids, nesting and times,
/// and prints each record with its values, which are compared with ours.
#[test]
fn an_independent_reader_finds_the_same_records() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("hybrid", exported(Path::new(HYBRID)).0),
        ("little", file(&whole(), Endian::Little)),
        ("big", file(&whole(), Endian::Big)),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let mut command = Command::new(&python);
        let output = command.arg("tests/epilog_reader.py").arg(&path).output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {messages}");
        let found = String::from_utf8(output.stdout).unwrap();
        let expected: String = records(&bytes).iter().map(line).collect();
        similar(&values(&found), &values(&expected));
    }
}

/// A record as text; the members of a communicator as ranks.
fn line(record: &Record) -> String {
    let Record::MpiComm(comm) = record else { return format!("{record}\n") };
    let is_member = |rank: &usize| comm.members.0[rank / 8] >> (rank % 8) & 1 == 1;
    let ranks = (0..8 * comm.members.0.len()).filter(is_member);
    let ranks: Vec<String> = ranks.map(|rank| rank.to_string()).collect();
    let MpiComm { id, mode, number, .. } = comm;
    format!("MPI_COMM id={id} mode={} number={} members=[{}]\n", mode.0, number.0, ranks.join(","))
}

/// Name and values of each record; the names of fields differ. The reader also prints the number of
/// records that a text goes on in, and writes small numbers in another way.
fn values(text: &str) -> String {
    let value = |word: &str| {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        let is_number = value.starts_with(|letter: char| letter.is_ascii_digit());
        let number = value.parse::<f64>().ok().filter(|_| is_number);
        number.map_or(value.to_owned(), |number| format!("{number:?}"))
    };
    let line = |line: &str| {
        let words = line.split(' ').filter(|word| !word.starts_with("cntc="));
        words.map(value).collect::<Vec<_>>().join(" ") + "\n"
    };
    text.lines().map(line).collect()
}
