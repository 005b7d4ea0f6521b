//! Experiments that no measurement makes: markup in names, times without end, clocks that
//! go back, nothing at all.

use std::path::Path;

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::LocationType;
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::reference::{LocationRef, RegionRef};
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_serve::Viewed;
use serde_json::Value;

use crate::common::{Running, traced};

const MARKUP: &str = "</script><img src=x onerror=alert(1)>\"'&\u{202e}";

/// Writes a trace of one location, whose regions have these names.
fn write(folder: &Path, regions: &[&str], events: &[(u64, Event)]) {
    let mut archive = ArchiveWriter::create(folder, "traces", Options::default()).unwrap();
    let mut writer = archive.events(LocationRef(0)).unwrap();
    for (time, event) in events {
        writer.event(*time, event, &[]).unwrap();
    }
    let number_of_events = writer.events();
    writer.finish().unwrap();
    let last = events.iter().map(|(time, _)| *time).max().unwrap_or_default();
    let clock = def::ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: 0,
        trace_length: last,
        realtime_timestamp: u64::MAX,
    };
    archive.define(clock).unwrap();
    for (number, name) in regions.iter().enumerate() {
        let (id, name) = (RegionRef(number as u32), archive.string(name).unwrap());
        let source_file = name;
        archive.define(def::Region { id, name, source_file, ..Default::default() }).unwrap();
    }
    let name = archive.string(regions.first().unwrap_or(&"")).unwrap();
    let location_type = LocationType::CPU_THREAD;
    let id = LocationRef(0);
    let location =
        def::Location { id, name, location_type, number_of_events, ..Default::default() };
    archive.define(location).unwrap();
    archive.finish(Anchor::default()).unwrap();
}

fn enter(region: u32) -> Event {
    Enter { region: RegionRef(region) }.into()
}

fn leave(region: u32) -> Event {
    Leave { region: RegionRef(region) }.into()
}

/// Windows at the begin, of all times, and at the end of times.
const WINDOWS: [&str; 3] =
    ["t0=0&t1=1", "t0=0&t1=9007199254740991", "t0=9007199254740990&t1=9007199254740991"];

/// All questions have an answer or a refusal, and none fails.
fn ask_all(server: &Running) {
    ask_all_but_trees(server);
    for window in WINDOWS {
        assert_eq!(server.bytes(&format!("trees?{window}")).0, 200, "{window}");
    }
}

fn ask_all_but_trees(server: &Running) {
    for window in WINDOWS {
        for question in [
            "picture?rows=f0,s0.0-9,r0.0-9,p0&px=4096",
            "picture?rows=s0.1023&px=1",
            "sums?by=region",
            "sums?by=location",
            "tasks?max=10",
            "links?kinds=message,lock,task",
            "matrix?",
            "curves?which=idle&process=0&px=4096",
            "histogram?region=0",
            "gaps?px=1",
        ] {
            let (status, _) = server.bytes(&format!("{question}&{window}"));
            assert_eq!(status, 200, "{question}&{window}");
        }
    }
    for question in [
        "open",
        "at?loc=0&t=0",
        "at?loc=0&t=9007199254740991",
        "instances",
        "find?longer=1&from=0",
        "find?longer=1&from=9007199254740991&back=1",
    ] {
        assert_eq!(server.json(question).0, 200, "{question}");
    }
}

#[test]
fn names_stay_texts() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[MARKUP], &[(10, enter(0)), (90, leave(0))]);
    let viewed = Viewed { title: MARKUP.to_owned(), ..traced(folder.path()) };
    let server = Running::ready(viewed);
    let opening = server.answer("open");
    let names: Vec<&Value> =
        opening["regions"].as_array().unwrap().iter().map(|region| &region["name"]).collect();
    assert!(names.contains(&&MARKUP.into()), "{names:?}");
    assert_eq!(
        (&opening["title"], &opening["locations"][0]["name"]),
        (&MARKUP.into(), &MARKUP.into())
    );
    let page = server.request("/", "");
    assert!(page.contains("&lt;img") && !page.contains("<img"), "{page}");
    let answer = server.request("/api/open", "");
    assert!(answer.contains("content-type: application/json") && answer.contains("nosniff"));
    ask_all(&server);
}

#[test]
fn times_without_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &["a"], &[(10, enter(0)), (1 << 63, leave(0))]);
    let server = Running::new(traced(folder.path()));
    let why = server.session.unreadable().unwrap().to_string();
    assert!(why.contains("longer than 2^53 ticks"), "{why}");
    assert_eq!(server.answer("progress")["error"], why);
    assert_eq!(server.refusal("picture?rows=f0&t0=0&t1=1"), (404, why));
}

#[test]
fn strange_events_are_answered() {
    let long = (1 << 53) - 11;
    let all: [&[(u64, Event)]; 7] = [
        &[],
        &[(5, enter(0))],
        &[(5, leave(0)), (5, leave(0))],
        &[(5, enter(0)), (5, leave(0))],
        // Clocks that go back.
        &[(1000, enter(0)), (10, enter(0)), (5, leave(0)), (2000, leave(0))],
        &[(10, enter(0)), (10 + long, leave(0))],
        // A region that is not defined.
        &[(1, enter(7)), (9, leave(8))],
    ];
    for events in all {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &["a"], events);
        let server = Running::ready(traced(folder.path()));
        assert_eq!(server.answer("open")["locations"][0]["events"], events.len());
        ask_all(&server);
    }
}

#[test]
fn deep_stacks_are_shown_in_part() {
    const LEVELS: u64 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let down = (0..LEVELS).map(|level| (level, enter((level % 2) as u32)));
    let up = (0..LEVELS).map(|level| (2 * LEVELS + level, leave(((level + 1) % 2) as u32)));
    let events: Vec<(u64, Event)> = down.chain(up).collect();
    write(folder.path(), &["a", "b"], &events);
    let server = Running::ready(traced(folder.path()));
    let opening = server.answer("open");
    assert_eq!(opening["locations"][0]["stack_levels"], LEVELS);
    let moment = server.answer(&format!("at?loc=0&t={}", LEVELS + LEVELS / 2));
    let stack = moment["stack"].as_array().unwrap();
    assert_eq!((stack.len(), &moment["left_out"]), (1000, &(LEVELS - 1000).into()));
    let since = |place: usize| stack[place]["since"].as_u64().unwrap();
    let origin: u64 = opening["origin"].as_str().unwrap().parse().unwrap();
    let all = [since(0), since(499), since(500), since(999)].map(|since| since + origin);
    assert_eq!(all, [0, 499, LEVELS - 500, LEVELS - 1]);
    assert!(moment["path"].as_str().unwrap().contains("a > b > (99000 levels) > a > b"));
    // An answer with trees takes seconds here, so there is one.
    ask_all_but_trees(&server);
    let trees = server.answer(&format!("trees?t0=0&t1={LEVELS}"));
    assert_eq!(trees["calls"].as_array().unwrap().len(), 10_000);
    assert!(trees["notes"].to_string().contains("deeper than 10,000 levels"), "{}", trees["notes"]);
}
