//! An offline page of a trace of many threads: it keeps its size and has the worst moments. The
//! trace is dense and irregular, so that its pictures hardly become smaller when they are packed.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::reference::{LocationGroupRef, LocationRef, RegionRef, SystemTreeNodeRef};
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_report::RunInfo;
use pompeii_serve::{Session, embedded};
use serde_json::{Value, json};

use crate::common::traced;

const PROCESSES: u32 = 4;
const THREADS: u32 = 16;
const LOCATIONS: usize = (PROCESSES * THREADS) as usize;
/// Steps of each location, with ten events or more in each.
const STEPS: u64 = 400;
/// A page is no larger than this (`html.rs` of the command line).
const PAGE_BYTES: usize = 2_000_000;
const MOMENTS: u64 = 8;
const WANTED: usize = 5;

const REGIONS: [(&str, RegionRole, Paradigm); 6] = [
    ("main", RegionRole::FUNCTION, Paradigm::USER),
    ("step", RegionRole::FUNCTION, Paradigm::USER),
    ("solve", RegionRole::FUNCTION, Paradigm::USER),
    ("norm", RegionRole::FUNCTION, Paradigm::USER),
    ("!$omp for @t.c:12", RegionRole::LOOP, Paradigm::OPENMP),
    ("!$omp implicit barrier @t.c:14", RegionRole::IMPLICIT_BARRIER, Paradigm::OPENMP),
];

/// A number that follows from the one before, as if by chance.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// The events of a location, with their times.
fn events(location: u64) -> Vec<(u64, Event)> {
    let (mut state, mut now) = (location + 1, 1000);
    let mut events: Vec<(u64, Event)> = Vec::new();
    let mut at = |now: u64, region: u32, is_begin: bool| {
        let region = RegionRef(region);
        let event = if is_begin { Enter { region }.into() } else { Leave { region }.into() };
        events.push((now, event));
    };
    at(now, 0, true);
    for _ in 0..STEPS {
        at(now, 1, true);
        for _ in 0..=next(&mut state) % 3 {
            let region = 2 + (next(&mut state) % 3) as u32;
            now += 50 + next(&mut state) % 5000;
            at(now, region, true);
            now += 50 + next(&mut state) % 5000;
            at(now, region, false);
        }
        at(now, 5, true);
        now += 50 + next(&mut state) % 9000;
        at(now, 5, false);
        at(now, 1, false);
    }
    at(now, 0, false);
    events
}

/// Writes the trace, with regions in addition that no location visits; returns its length in
/// nanoseconds.
fn write(folder: &Path, more_regions: usize) -> u64 {
    let mut archive = ArchiveWriter::create(folder, "traces", Options::default()).unwrap();
    let all: Vec<Vec<(u64, Event)>> = (0..LOCATIONS as u64).map(events).collect();
    let mut last = 0;
    for (location, events) in all.iter().enumerate() {
        let mut writer = archive.events(LocationRef(location as u64)).unwrap();
        for (time, event) in events {
            writer.event(*time, event, &[]).unwrap();
            last = last.max(*time);
        }
        writer.finish().unwrap();
    }
    archive
        .define(def::ClockProperties {
            timer_resolution: 1_000_000_000,
            global_offset: 0,
            trace_length: last,
            realtime_timestamp: u64::MAX,
        })
        .unwrap();
    let (id, name) = (SystemTreeNodeRef(0), archive.string("machine").unwrap());
    let parent = SystemTreeNodeRef::UNDEFINED;
    archive.define(def::SystemTreeNode { id, name, class_name: name, parent }).unwrap();
    for rank in 0..PROCESSES {
        let name = archive.string(&format!("MPI Rank {rank}")).unwrap();
        let group = def::LocationGroup {
            id: LocationGroupRef(rank),
            name,
            location_group_type: LocationGroupType::PROCESS,
            system_tree_parent: id,
            ..Default::default()
        };
        archive.define(group).unwrap();
    }
    for (number, events) in all.iter().enumerate() {
        let (rank, thread) = (number as u32 / THREADS, number as u32 % THREADS);
        let name = archive.string(&format!("OMP thread {thread}")).unwrap();
        let location = def::Location {
            id: LocationRef(number as u64),
            name,
            location_type: LocationType::CPU_THREAD,
            number_of_events: events.len() as u64,
            location_group: LocationGroupRef(rank),
        };
        archive.define(location).unwrap();
    }
    let more = (0..more_regions)
        .map(|number| (format!("function_{number}"), RegionRole::FUNCTION, Paradigm::USER));
    let regions = REGIONS.map(|(name, role, paradigm)| (name.to_owned(), role, paradigm));
    for (number, (name, region_role, paradigm)) in regions.into_iter().chain(more).enumerate() {
        let (id, name) = (RegionRef(number as u32), archive.string(&name).unwrap());
        let region = def::Region { id, name, region_role, paradigm, ..Default::default() };
        archive.define(region).unwrap();
    }
    archive.finish(Anchor::default()).unwrap();
    last
}

/// Eight moments at places of their own, each a hundredth of the run.
fn analysis(length: u64) -> Value {
    let instances = (0..MOMENTS).map(|number| {
        let seconds = |part: f64| length as f64 * part / 1e9;
        let begin = 0.1 * (number + 1) as f64;
        let severe = json!({
            "seconds": seconds(0.01), "enter_s": seconds(begin), "leave_s": seconds(begin + 0.01),
            "location": "rank 0 thread 1", "by": null, "by_location": null,
        });
        json!({ "property": "omp_ibarrier_wait", "at": format!("{number}"), "severe": [severe] })
    });
    json!({ "instances": instances.collect::<Vec<_>>() })
}

/// What the page has in letters.
fn unpacked(letters: &str) -> Vec<u8> {
    let letter = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut packed = Vec::new();
    for part in letters.as_bytes().chunks(4) {
        let word = part.iter().fold(0_u32, |word, &of| match of {
            b'=' => word << 6,
            of => word << 6 | u32::from(letter(of)),
        });
        packed.extend_from_slice(&word.to_be_bytes()[1..]);
    }
    let mut unpacked = Vec::new();
    ZlibDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// Of an embedded picture: whether each interval is exact, its begin, and its number of rows.
fn head(picture: &str) -> (bool, u64, u64) {
    let mut bytes = unpacked(picture).into_iter();
    let mut number = || {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = bytes.next().unwrap();
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    };
    let (is_exact, _, begin, rows) = (number(), number(), number(), number());
    (is_exact == 1, begin, rows)
}

#[test]
fn a_page_of_64_threads_is_small_and_has_the_worst_moments() {
    let folder = tempfile::tempdir().unwrap();
    let length = write(folder.path(), 0);
    let results = folder.path().join("analysis.json");
    fs::write(&results, analysis(length).to_string()).unwrap();
    let mut viewed = traced(folder.path());
    viewed.analysis = Some(results);
    let session = Session::open(viewed);
    let text =
        format!("wall=10 locations={LOCATIONS}\n main  *  time=4\n main/work@a.c:3  *  time=6");
    let cube = pompeii_analysis::derive(&pompeii_analysis::notation::cube(&text).unwrap());
    let (run, mut page) = (RunInfo::default(), Vec::new());
    pompeii_report::write_html((&cube, &cube), &run, None, &mut page).unwrap();
    let timeline = embedded(&session, PAGE_BYTES - page.len()).unwrap();
    page.clear();
    pompeii_report::write_html((&cube, &cube), &run, Some(&timeline), &mut page).unwrap();
    assert!(page.len() <= PAGE_BYTES, "{} bytes", page.len());

    let timeline: Value = serde_json::from_str(&timeline).unwrap();
    let pictures: Vec<(bool, u64, u64)> = timeline["pictures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| head(it.as_str().unwrap()))
        .collect();
    let instances = timeline["instances"].as_array().unwrap();
    assert_eq!(instances.len(), MOMENTS as usize);
    let has_moment = |instance: &&Value| {
        let (start, end) = (instance["start"].as_u64().unwrap(), instance["end"].as_u64().unwrap());
        let is_here = |begin: u64| begin <= start && begin + (end - start) >= start;
        pictures
            .iter()
            .any(|&(exact, begin, rows)| exact && is_here(begin) && rows >= LOCATIONS as u64)
    };
    let moments = instances.iter().filter(has_moment).count();
    assert!(moments >= WANTED, "{moments} moments, {pictures:?}");
}

/// Their names alone would take more than half of the page.
#[test]
fn a_page_of_thousands_of_regions_has_a_timeline() {
    const REGIONS_MORE: usize = 9000;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), REGIONS_MORE);
    let timeline = embedded(&Session::open(traced(folder.path())), PAGE_BYTES).unwrap();
    assert!(timeline.len() <= PAGE_BYTES, "{} bytes", timeline.len());
    let timeline: Value = serde_json::from_str(&timeline).unwrap();
    let known = unpacked(timeline["known"].as_str().unwrap());
    assert!(known.len() > PAGE_BYTES / 2, "{} bytes", known.len());
    let known: Value = serde_json::from_slice(&known).unwrap();
    let regions = known["open"]["regions"].as_array().unwrap().iter();
    let names = regions.filter_map(|region| region["name"].as_str());
    assert_eq!(names.filter(|name| name.starts_with("function_")).count(), REGIONS_MORE);
    assert!(!timeline["pictures"].as_array().unwrap().is_empty());
}
