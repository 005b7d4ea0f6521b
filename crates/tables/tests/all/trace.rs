//! The tables of a trace, made of a small archive.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatchReader;
use expect_test::{Expect, expect};
use pompeii_model::{LocationId, Unit};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
use pompeii_otf2::event::{Enter, Event, Leave, RmaWaitChange};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_tables::{Combine, Display, OwnProperty, Run, Trace, open};
use tempfile::TempDir;

use crate::show::show;

const THREAD: LocationRef = LocationRef(0);
const MAIN: RegionRef = RegionRef(0);
const WORK: RegionRef = RegionRef(1);

/// A thread in `main`, which calls `work`.
fn events() -> [(u64, Event); 5] {
    [
        (110, Enter { region: MAIN }.into()),
        (120, Enter { region: WORK }.into()),
        (130, RmaWaitChange { win: RmaWinRef(3) }.into()),
        (150, Leave { region: WORK }.into()),
        (200, Leave { region: MAIN }.into()),
    ]
}

fn archive(folder: &Path) -> PathBuf {
    let mut archive = ArchiveWriter::create(folder, "traces", Options::default()).unwrap();
    let mut writer = archive.events(THREAD).unwrap();
    for (time, event) in &events() {
        writer.event(*time, event, &[]).unwrap();
    }
    writer.finish().unwrap();
    define_place(&mut archive);
    for (id, name) in [(MAIN, "main"), (WORK, "work")] {
        let name = archive.string(name).unwrap();
        let region = def::Region {
            id,
            name,
            canonical_name: name,
            region_role: RegionRole::FUNCTION,
            paradigm: Paradigm::USER,
            ..Default::default()
        };
        archive.define(region).unwrap();
    }
    archive.finish(Anchor::default()).unwrap()
}

/// The clock, and a machine with a process with a thread.
fn define_place(archive: &mut ArchiveWriter) {
    let clock = def::ClockProperties {
        timer_resolution: 1_000,
        global_offset: 100,
        trace_length: 100,
        realtime_timestamp: u64::MAX,
    };
    archive.define(clock).unwrap();
    let name = archive.string("machine").unwrap();
    let (id, parent) = (SystemTreeNodeRef(0), SystemTreeNodeRef::UNDEFINED);
    archive.define(def::SystemTreeNode { id, name, class_name: name, parent }).unwrap();
    let name = archive.string("Process").unwrap();
    let process = def::LocationGroup {
        id: LocationGroupRef(0),
        name,
        location_group_type: LocationGroupType::PROCESS,
        system_tree_parent: id,
        ..Default::default()
    };
    archive.define(process).unwrap();
    let name = archive.string("Master thread").unwrap();
    let thread = def::Location {
        id: THREAD,
        name,
        location_type: LocationType::CPU_THREAD,
        number_of_events: events().len() as u64,
        location_group: LocationGroupRef(0),
    };
    archive.define(thread).unwrap();
}

fn trace() -> (TempDir, Trace) {
    let folder = tempfile::tempdir().unwrap();
    let trace = Trace::open(&archive(folder.path())).unwrap();
    assert!(trace.problems().is_empty());
    (folder, trace)
}

fn check(table: &str, columns: &[&str], expected: Expect) {
    let (_folder, trace) = trace();
    let mut table = trace.table(table).unwrap();
    let schema = table.schema();
    let batches: Vec<_> = table.by_ref().collect::<Result<_, _>>().unwrap();
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    assert!(table.problems().is_empty());
    expected.assert_eq(&batches.iter().map(|batch| show(batch, columns)).collect::<String>());
}

#[test]
fn events_have_a_column_for_each_meaning_of_a_field() {
    check(
        "events",
        &["location", "time", "event", "region", "window", "peer"],
        expect![[r#"
            location  time  event  region  window  peer
            0  110  Enter  3  -  -
            0  120  Enter  4  -  -
            0  130  RmaWaitChange  -  3  -
            0  150  Leave  4  -  -
            0  200  Leave  3  -  -
        "#]],
    );
}

#[test]
fn events_of_one_location_are_those_of_no_other_one() {
    let (_folder, trace) = trace();
    let rows = |location: u32| {
        let events = trace.events().unwrap().of(LocationId(location));
        events.map(|batch| batch.unwrap().num_rows()).collect::<Vec<usize>>()
    };
    assert_eq!((rows(0), rows(1), rows(7)), (vec![5], vec![], vec![]));
}

#[test]
fn visits_name_call_paths_of_the_table_of_calls() {
    check(
        "calls",
        &[],
        expect![[r#"
            call  parent  region
            0  0  0
            1  1  1
            2  0  3
            3  2  4
        "#]],
    );
    check(
        "visits",
        &[],
        expect![[r#"
            location  visit  enter  leave  call  parent  task
            0  2  120  150  3  1  0
            0  1  110  200  2  0  0
        "#]],
    );
}

#[test]
fn a_table_without_rows_has_columns() {
    check("waits", &[], expect![[""]]);
}

#[test]
fn other_names_are_errors() {
    let (_folder, trace) = trace();
    let error = trace.table("wait").err().unwrap().to_string();
    assert!(error.starts_with("`wait` is no table; expected one of events, calls,"));
}

#[test]
fn a_trace_alone_has_severities() {
    let folder = tempfile::tempdir().unwrap();
    let run = open(&archive(folder.path())).unwrap();
    let cube = run.cube().unwrap();
    assert!(pompeii_analysis::check_sum(&cube).is_ok());
    // The program, `main` and `work`.
    assert_eq!((cube.calls.len(), cube.wall_ticks), (3, 100));
}

#[test]
fn tables_of_a_run_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let run = open(&archive(folder.path())).unwrap();
    let names = run.tables();
    assert_eq!(names[..2], ["metrics", "call_paths"]);
    for name in ["severities", "trace.locations", "trace.events", "trace.waits"] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    for name in &names {
        let table = run.table(name).unwrap();
        let schema = run.schema(name).unwrap();
        assert!(table.schema() == schema && !schema.fields().is_empty(), "{name}");
        table.map(|batch| batch.unwrap().num_columns()).for_each(|columns| assert!(columns > 0));
    }
    let error = run.table("visits").err().unwrap().to_string();
    assert!(error.contains("`visits` is no table; expected one of metrics,"), "{error}");
    let regions = run.table("trace.regions").unwrap().next().unwrap().unwrap();
    assert!(show(&regions, &["region", "name"]).ends_with("3  main\n4  work\n"));
}

fn own(name: &str, values: &[(u32, u32, i64)]) -> OwnProperty {
    OwnProperty {
        name: name.to_owned(),
        title: "My own".to_owned(),
        description: "What it is.".to_owned(),
        unit: Unit::Ticks,
        part_of: Some("comp".to_owned()),
        display: Display::default(),
        values: values.to_vec(),
    }
}

#[test]
fn properties_of_the_users_own_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = archive(folder.path());
    let run = open(folder.path()).unwrap();
    // `work` has number 3 when a table has been read.
    run.table("trace.calls").unwrap().for_each(|batch| drop(batch.unwrap()));
    run.store(&[own("mine", &[(3, 0, 12), (3, 7, 5), (9, 0, 5)])]).unwrap();
    let stored = open(&folder.path().join("trace.cubex")).unwrap().cube().unwrap();
    let metric = stored.metric("mine").unwrap();
    let rows: Vec<(String, i64)> = stored
        .calls
        .ids()
        .map(|call| {
            (stored.regions[stored.calls.region(call)].name.clone(), stored.own(metric, call))
        })
        .filter(|(_, ticks)| *ticks != 0)
        .collect();
    assert_eq!(rows, [("work".to_owned(), 12)]);
    let definition = &stored.metrics()[metric];
    let parent = definition.parent.map(|parent| stored.metrics()[parent].name.as_str());
    assert_eq!((definition.title.as_str(), parent), ("My own", Some("comp")));
    let error = |run: &Run, name| run.store(&[own(name, &[])]).unwrap_err().to_string();
    assert!(error(&run, "time").starts_with("`time` is the name of a property of Pompeii"));
    assert!(error(&open(&anchor).unwrap(), "mine").contains("expected an experiment"));
}

/// A property that is displayed in this way.
fn shown(name: &str, [calls, locations]: [Combine; 2], percent_of: &str) -> OwnProperty {
    let percent_of = Some(percent_of.to_owned());
    let display = Display { over_calls: calls, over_locations: locations, percent_of };
    OwnProperty { part_of: None, display, ..own(name, &[(3, 0, 12)]) }
}

/// `work` has 12 ticks, of a run of 100 on one location.
#[test]
fn properties_are_stored_with_their_display() {
    use Combine::{Maximum, Mean, Sum};
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let run = open(folder.path()).unwrap();
    run.table("trace.calls").unwrap().for_each(|batch| drop(batch.unwrap()));
    let count = OwnProperty { unit: Unit::Count, ..shown("count", [Maximum; 2], "visits") };
    let properties =
        [shown("longest", [Maximum; 2], "time"), shown("mean", [Sum, Mean], "longest"), count];
    run.store(&properties).unwrap();
    let file = folder.path().join("trace.cubex");
    let stored = open(&file).unwrap().cube().unwrap();
    let report = pompeii_cubex::Reader::open(&file).unwrap();
    for (property, data_type) in properties.iter().zip(["MAXDOUBLE", "DOUBLE", "MAXDOUBLE"]) {
        let metric = stored.metric(&property.name).unwrap();
        assert_eq!(stored.metrics()[metric].display, property.display);
        assert_eq!(stored.metrics()[metric].unit, property.unit);
        assert_eq!(stored.shown_total(metric), 12.0);
        let in_cube = report.report().metric(&property.name).unwrap();
        assert_eq!(report.report().metrics[in_cube].data_type.to_string(), data_type);
    }
    let whole = |name| stored.shown_whole(stored.metric(name).unwrap());
    assert_eq!((whole("longest"), whole("mean")), (Some(100.0), Some(12.0)));
}

#[test]
fn a_display_that_cannot_be_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let run = open(folder.path()).unwrap();
    let check = |properties: &[OwnProperty], expected: Expect| {
        expected.assert_eq(&run.store(properties).unwrap_err().to_string());
    };
    let longest = shown("longest", [Combine::Maximum; 2], "time");
    let part =
        |name: &str, of: &OwnProperty| OwnProperty { part_of: Some(name.to_owned()), ..of.clone() };
    check(
        &[part("comp", &longest)],
        expect![
            "`longest` is a part of `comp` and displayed as maximum over call paths and locations; percent of time; parts are sums: leave the parent out, or declare no maximum and no mean"
        ],
    );
    check(
        &[longest, part("longest", &own("mine", &[]))],
        expect![
            "`mine` is a part of `longest`, which is displayed as maximum over call paths and locations; percent of time; only a sum has parts"
        ],
    );
    check(
        &[shown("mine", [Combine::Sum; 2], "tme")],
        expect![
            "`mine` is shown in percent of `tme`, and there is no such metric; expected the name of a property of `pompeii explain` or of one that is stored together with it"
        ],
    );
    check(
        &[shown("mine", [Combine::Sum; 2], "visits")],
        expect![
            "`mine` is in sec and shown in percent of `visits`, which is in occ; expected two metrics of the same unit"
        ],
    );
}

#[test]
fn what_is_no_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &Path| open(path).err().unwrap().to_string();
    assert!(error(&folder.path().join("none")).contains("no such file or folder"));
    assert!(error(folder.path()).contains("no profile.cubex and no traces.otf2"));
}
