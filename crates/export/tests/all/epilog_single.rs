//! Experiments of Scalasca 1 whose processes have files of their own: a merged trace is taken apart
//! as Scalasca writes it, and its import is that of the merged one, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use expect_test::{Expect, expect};
use pompeii_epilog::record::*;
use pompeii_epilog::{Endian, Location, NO_ID};
use pompeii_export::epilog::import::{Files, Source};
use pompeii_otf2::read::Archive;

use crate::epilog::{HYBRID, exported, file, records, whole};

/// The files of an experiment: definitions, maps, and the events of each process.
#[derive(Clone)]
struct Experiment {
    definitions: Vec<Record>,
    maps: Vec<Record>,
    events: BTreeMap<u32, Vec<Record>>,
}

/// Offsets of the clock of process 1, which is late by a quarter of a second and gains 2 ms in
/// 2 s: local times and offsets, in seconds.
const OFFSETS_S: [(f64, f64); 2] = [(1.0, 0.25), (3.0, 0.25 + 1.0 / 512.0)];

/// The time that the clock of process 1 shows: the inverse of `local + 0.25 + (local - 1) / 1024`.
fn local_s(time_s: f64) -> f64 {
    (time_s - 0.25 + 1.0 / 1024.0) / (1.0 + 1.0 / 1024.0)
}

/// What the definitions say.
struct Known {
    /// Process and thread of each location.
    locations: BTreeMap<u32, (u32, u32)>,
    comms: BTreeMap<u32, Vec<u32>>,
    regions: u32,
    call_sites: u32,
}

impl Known {
    fn new(definitions: &[Record]) -> Known {
        let (locations, comms) = (BTreeMap::new(), BTreeMap::new());
        let mut known = Known { locations, comms, regions: 0, call_sites: 0 };
        let mut groups = BTreeMap::new();
        for record in definitions {
            match record {
                Record::LocationDefinition(it) => {
                    known.locations.insert(it.id, (it.process, it.thread));
                }
                Record::MpiComm(it) => {
                    let is_member =
                        |rank: &u32| it.members.0[*rank as usize / 8] >> (rank % 8) & 1 == 1;
                    let all = 0..8 * it.members.0.len() as u32;
                    known.comms.insert(it.id, all.filter(is_member).collect());
                }
                Record::MpiGroup(it) => {
                    groups.insert(it.id, it.ranks.0.clone());
                }
                Record::MpiCommReference(it) => {
                    known.comms.insert(it.id, groups[&it.group].clone());
                }
                Record::Region(it) => known.regions = known.regions.max(it.id + 1),
                Record::CallSite(it) => known.call_sites = known.call_sites.max(it.id + 1),
                _ => {}
            }
        }
        known
    }

    fn threads(&self, process: u32) -> usize {
        self.locations.values().filter(|(of, _)| *of == process).count()
    }

    /// The rank of a location's process in a communicator, and the communicator's local id.
    fn partner(&self, (location, comm): (u32, u32), process: u32) -> (u32, u32) {
        let local = 7 * comm + process;
        if location == NO_ID {
            return (NO_ID, local);
        }
        let partner = self.locations[&location].0;
        let rank = self.comms[&comm].iter().position(|member| *member == partner);
        (rank.unwrap() as u32, local)
    }

    /// The section of a process in `epik.map`.
    fn section(&self, process: u32) -> Vec<Record> {
        let reversed = |number: u32| (0..number).rev().collect::<Vec<u32>>();
        let locations = self.locations.iter().filter(|(_, (of, _))| *of == process);
        let pairs = |local: &dyn Fn(u32) -> u32, ids: &mut dyn Iterator<Item = u32>| {
            ids.flat_map(|id| [local(id), id]).collect::<Vec<u32>>()
        };
        let locations = pairs(&|id| id + 40, &mut locations.map(|(id, _)| *id));
        let comms = pairs(&|id| 7 * id + process, &mut self.comms.keys().copied());
        let table = |of, mode, ids: Vec<u32>| {
            Record::from(IdMap { of, mode, number: Count(ids.len() as u32), ids: Each(ids) })
        };
        let mut all: Vec<Record> = vec![MapSection { rank: process }.into()];
        if process == 1 {
            let offset = |(local_time_s, offset_s)| Offset { local_time_s, offset_s }.into();
            all.extend(OFFSETS_S.map(offset));
        }
        all.extend([
            table(7, 1, locations),
            table(9, 0, reversed(self.regions)),
            table(15, 0, reversed(self.call_sites)),
            table(11, 1, comms),
        ]);
        all
    }

    /// An event as its process writes it.
    fn localized(&self, mut record: Record, process: u32) -> Record {
        let is_alone = self.threads(process) == 1;
        let (location, time_s) = record.at_mut().unwrap();
        *location = Location(location.0.filter(|_| !is_alone).map(|id| id + 40));
        if process == 1 {
            *time_s = local_s(*time_s);
        }
        match &mut record {
            Record::Enter(it) => it.region = self.regions - 1 - it.region,
            Record::EnterCallSite(it) => it.call_site = self.call_sites - 1 - it.call_site,
            Record::MpiSend(it) => (it.to, it.comm) = self.partner((it.to, it.comm), process),
            Record::MpiReceive(it) => {
                (it.from, it.comm) = self.partner((it.from, it.comm), process);
            }
            Record::MpiCollectiveExit(it) => {
                (it.root, it.comm) = self.partner((it.root, it.comm), process);
            }
            _ => {}
        }
        record
    }
}

/// Takes a merged trace apart.
fn separate(merged: &[Record]) -> Experiment {
    let of_events = |record: &Record| {
        matches!(record, Record::ByteAttribute(_) | Record::NumberAttribute(_))
            || record.at().is_some()
    };
    let (events, definitions): (Vec<_>, Vec<_>) = merged.iter().cloned().partition(of_events);
    let known = Known::new(&definitions);
    let processes: Vec<u32> = known.locations.values().map(|(process, _)| *process).collect();
    let mut all: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
    let mut attributes = Vec::new();
    for record in events {
        let Some((location, _)) = record.at() else {
            attributes.push(record);
            continue;
        };
        let process = known.locations[&location.0.unwrap()].0;
        let of = all.entry(process).or_default();
        of.append(&mut attributes);
        of.push(known.localized(record, process));
    }
    let mut maps = BTreeMap::new();
    for process in processes {
        maps.insert(process, known.section(process));
        all.entry(process).or_default();
    }
    let maps = maps.into_values().flatten().collect();
    Experiment { definitions, maps, events: all }
}

impl Experiment {
    /// Writes the files. Those of odd processes have the other order of bytes.
    fn write(&self, folder: &Path) {
        fs::create_dir_all(folder.join("ELG")).unwrap();
        fs::write(folder.join("epik.esd"), file(&self.definitions, Endian::Little)).unwrap();
        fs::write(folder.join("epik.map"), file(&self.maps, Endian::Little)).unwrap();
        for (process, events) in &self.events {
            let endian = if process % 2 == 0 { Endian::Little } else { Endian::Big };
            fs::write(folder.join(format!("ELG/{process:05}")), file(events, endian)).unwrap();
        }
    }
}

/// Imports the trace that a path names, and returns the folder with the archive.
fn imported(path: &Path, out: PathBuf) -> Result<PathBuf, String> {
    let done = AtomicU64::new(0);
    let files = Files::find(path).map_err(|error| error.to_string())?.unwrap();
    let source = Source::open(&files, &done).map_err(|error| error.to_string())?;
    let left_out = source.write(&out, &done).map_err(|error| error.to_string())?;
    assert_eq!(left_out.to_string(), "");
    Ok(out)
}

/// The files with definitions and events.
fn contents(archive: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(archive.join("traces")).unwrap().map(|it| it.unwrap().path());
    let files = files.chain([archive.join("traces.def")]);
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

#[track_caller]
fn is_the_merged_one(merged: &[Record]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    separate(merged).write(&folder.join("epik_a"));
    fs::write(folder.join("trace.elg"), file(merged, Endian::Little)).unwrap();
    let expected = contents(&imported(&folder.join("trace.elg"), folder.join("merged")).unwrap());
    for (number, path) in
        ["epik_a", "epik_a/ELG", "epik_a/ELG/00001", "epik_a/epik.esd"].iter().enumerate()
    {
        let found = imported(&folder.join(path), folder.join(number.to_string())).unwrap();
        let found = contents(&found);
        assert!(found.keys().eq(expected.keys()), "{path}: {:?}", found.keys());
        for (name, bytes) in &found {
            assert!(*bytes == expected[name], "{path}: {name} differs");
        }
    }
}

#[test]
fn an_import_is_that_of_the_merged_trace() {
    is_the_merged_one(&whole());
    is_the_merged_one(&records(&exported(Path::new(HYBRID)).0));
}

/// Events of the import, one a line.
fn events(anchor: &Path) -> String {
    let archive = Archive::open(&anchor.join("traces.otf2")).unwrap();
    let events = archive.merged().unwrap().map(|event| event.unwrap());
    events.map(|it| format!("{} {} {:?}\n", it.time, it.location.0, it.event)).collect()
}

/// Two processes, of which the second one's communicator 9 is 0 and its region 0 is 1.
fn small() -> Experiment {
    let text = |id, text: &str| Text { id, text: text.to_owned() }.into();
    let place = |id| LocationDefinition { id, machine: 0, node: 0, process: id, thread: 0 }.into();
    let region = |id| {
        let (name, file, begin_line, end_line) = (id, NO_ID, NO_ID, NO_ID);
        let (description, kind) = (NO_ID, region_kind::FUNCTION);
        Region { id, name, file, begin_line, end_line, description, kind }.into()
    };
    let enter = |region, time_s| {
        Enter { location: Location(None), time_s, region, values: Vec::new() }.into()
    };
    let exit = |time_s| Exit { location: Location(None), time_s, values: Vec::new() }.into();
    let send = |comm, to, time_s| {
        MpiSend { location: Location(None), time_s, to, comm, tag: 3, size_bytes: 8 }.into()
    };
    let definitions = vec![
        text(0, "main"),
        text(1, "MPI_Send"),
        place(0),
        place(1),
        region(0),
        region(1),
        // The ranks of the communicator have the order of process 1, process 0.
        MpiGroup { id: 0, mode: 0, number: Count(2), ranks: Each(vec![1, 0]) }.into(),
        MpiCommReference { id: 0, group: 0 }.into(),
    ];
    let table = |of, mode, ids: &[u32]| {
        let (number, ids) = (Count(ids.len() as u32), Each(ids.to_vec()));
        Record::from(IdMap { of, mode, number, ids })
    };
    let maps = vec![
        MapSection { rank: 0 }.into(),
        MapSection { rank: 1 }.into(),
        Offset { local_time_s: 2.0, offset_s: 0.5 }.into(),
        Offset { local_time_s: 4.0, offset_s: 1.5 }.into(),
        table(9, 0, &[1, 0]),
        table(11, 1, &[9, 0]),
    ];
    let of_first = vec![enter(1, 1.0), send(0, 0, 1.5), exit(2.0)];
    let of_second = vec![enter(0, 0.0), send(9, 1, 1.0), exit(5.0)];
    Experiment { definitions, maps, events: BTreeMap::from([(0, of_first), (1, of_second)]) }
}

/// The clock of process 1 is corrected by its time plus 0.5 s, and half of what has passed since
/// its time 2 s: 0 becomes -0.5, 1 becomes 1 and 5 becomes 7. All times count from the first one.
/// Process 0 sends to rank 0, which is process 1, and that one to rank 1.
#[test]
fn clocks_and_ranks_are_those_of_all() {
    let folder = tempfile::tempdir().unwrap();
    small().write(folder.path());
    let archive = imported(folder.path(), folder.path().join("out")).unwrap();
    expect![[r#"
        0 1 Enter(Enter { region: RegionRef(1) })
        1500000000 0 Enter(Enter { region: RegionRef(1) })
        1500000000 1 MpiSend(MpiSend { receiver: 1, communicator: CommRef(0), msg_tag: 3, msg_length: 8 })
        2000000000 0 MpiSend(MpiSend { receiver: 0, communicator: CommRef(0), msg_tag: 3, msg_length: 8 })
        2500000000 0 Leave(Leave { region: RegionRef(1) })
        7500000000 1 Leave(Leave { region: RegionRef(1) })
    "#]].assert_eq(&events(&archive));
}

/// Before version 1.8 of the format, partners are processes: process 0 has rank 1.
#[test]
fn partners_were_processes_before_version_1_8() {
    let folder = tempfile::tempdir().unwrap();
    small().write(folder.path());
    for name in ["epik.esd", "epik.map", "ELG/00000", "ELG/00001"] {
        let mut bytes = fs::read(folder.path().join(name)).unwrap();
        bytes[8] = 7;
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let archive = imported(folder.path(), folder.path().join("out")).unwrap();
    let events = events(&archive);
    let sends: Vec<&str> = events.lines().filter(|line| line.contains("MpiSend")).collect();
    expect![[r#"
        1500000000 1 MpiSend(MpiSend { receiver: 0, communicator: CommRef(0), msg_tag: 3, msg_length: 8 })
        2000000000 0 MpiSend(MpiSend { receiver: 1, communicator: CommRef(0), msg_tag: 3, msg_length: 8 })"#]].assert_eq(&sends.join("\n"));
}

#[track_caller]
fn check_error(change: impl FnOnce(&mut Experiment), expect: Expect) {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = small();
    change(&mut experiment);
    experiment.write(folder.path());
    let out = folder.path().join("out");
    expect.assert_eq(&imported(folder.path(), out.clone()).unwrap_err());
    assert!(!out.exists());
}

#[test]
fn what_is_not_known_of_a_process_is_told() {
    check_error(
        |it| it.maps.truncate(1),
        expect!["epik.map: expected a section for process 1, which epik.esd defines"],
    );
    check_error(
        |it| drop(it.maps.remove(0)),
        expect!["epik.map: expected a section for process 0, which epik.esd defines"],
    );
    check_error(
        |it| drop(it.maps.drain(..2)),
        expect!["epik.map: byte 10: expected the record MAP_SECTION before those of a process"],
    );
    check_error(
        |it| drop(it.maps.remove(2)),
        expect![
            "epik.map: process 1: expected no records OFFSET, or two with which the clock of the \
             process only goes forward; found 1: [(4.0, 1.5)]"
        ],
    );
    check_error(
        |it| it.maps[3] = Offset { local_time_s: 4.0, offset_s: -1.5 }.into(),
        expect![
            "epik.map: process 1: expected no records OFFSET, or two with which the clock of the \
             process only goes forward; found 2: [(2.0, 0.5), (4.0, -1.5)]"
        ],
    );
    check_error(
        |it| {
            it.maps[4] = IdMap { of: 9, mode: 0, number: Count(0), ids: Each(Vec::new()) }.into();
        },
        expect!["ELG/00001: byte 10: expected region 0 of the process in its section of epik.map"],
    );
    check_error(
        |it| drop(it.maps.pop()),
        expect!["ELG/00001: byte 24: expected a process with rank 1 in communicator 9 of epik.esd"],
    );
    check_error(
        |it| it.definitions.truncate(6),
        expect!["ELG/00000: byte 24: expected a process with rank 0 in communicator 0 of epik.esd"],
    );
    check_error(
        |it| {
            it.events.get_mut(&1).unwrap().push(OmpFork { location: 5.into(), time_s: 6.0 }.into())
        },
        expect!["ELG/00001: byte 60: location 5 of the event is not defined before it"],
    );
}

#[test]
fn all_files_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(Files::find(folder).unwrap(), None);
    small().write(folder);
    fs::remove_file(folder.join("ELG/00001")).unwrap();
    let error = imported(folder, folder.join("out")).unwrap_err();
    assert!(error.starts_with("ELG/00001: No such file"), "{error}");
    fs::remove_file(folder.join("epik.map")).unwrap();
    for path in [folder.to_owned(), folder.join("ELG"), folder.join("ELG/00000")] {
        let error = Files::find(&path).unwrap_err().to_string();
        assert!(error.contains("expected the file epik.map next to the folder ELG"), "{error}");
    }
    // The merged trace needs none of them.
    let merged = folder.join("epik.elg");
    fs::write(&merged, file(&whole(), Endian::Little)).unwrap();
    assert_eq!(Files::find(folder).unwrap(), Some(Files::Merged(merged)));
}
