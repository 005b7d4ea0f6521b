//! `pompeii dump` as a user sees it: parts, ranges, JSON, damage. `oracle_dump.rs` compares all of its
//! text with the reference tool's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::Sandbox;
use expect_test::{Expect, expect};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples").join(name)
}

/// The text after the title, with the exit code and what was said.
fn check(options: &str, anchor: &Path, expected: Expect) {
    let ended = Sandbox::new().pompeii(&format!("dump {options} {}", anchor.display()));
    let messages = ended.messages.replace(&format!("{}/", anchor.parent().unwrap().display()), "");
    let text = ended.output.replace("\n=== OTF2-PRINT ===\n", "");
    expected.assert_eq(&format!("{text}{messages}code {}\n", ended.code.unwrap()));
}

#[test]
fn ranges_of_time_and_locations() {
    check(
        "-L 1-5 --time 1000590 1000610",
        &sample("hybrid/traces.otf2"),
        expect![[r#"
            === Events =====================================================================
            Event                                   Location            Timestamp  Attributes
            --------------------------------------------------------------------------------
            MPI_RECV                                       1              1000591  Sender: 0 ("Master thread" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 4096
            LEAVE                                          1              1000592  Region: "MPI_Recv" <3>
            ENTER                                          1              1000602  Region: "MPI_Isend" <4>
            MPI_ISEND                                      1              1000603  Receiver: 0 ("Master thread" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 4294967295, Length: 8589934592, Request: 1001
            LEAVE                                          1              1000608  Region: "MPI_Isend" <4>
            code 0
        "#]],
    );
    check(
        "-L 99",
        &sample("hybrid/traces.otf2"),
        expect![[r#"
            pompeii: error: traces.otf2 has no such location; it has 0, 4294967296, 1, 4294967297
            code 2
        "#]],
    );
}

#[test]
fn local_definitions_and_a_single_clock_offset() {
    check(
        "-C",
        &sample("allrecords/traces.otf2"),
        expect![[r#"

            === Per Location Definitions ===================================================

            Definition                      Location  Attributes
            --------------------------------------------------------------------------------
            CLOCK_OFFSET                           0  Time: 1416, Offset: +1099511627776, StdDev: 2.5
            pompeii: warning: traces.def, byte 30: record Paradigm, field name: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 42: record IoParadigm, field identification: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 42: record IoParadigm, field name: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 314: record IoFileProperty, field io_file: expected the id of a definition in front of it, found 0
            code 0
        "#]],
    );
    // Time 102 of the location's clock.
    check(
        "--time 1099511627878 1099511627878",
        &sample("allrecords/traces.otf2"),
        expect![[r#"
            === Events =====================================================================
            Event                                   Location            Timestamp  Attributes
            --------------------------------------------------------------------------------
            ENTER                                          0        1099511627878  Region: "text-570" <0>
            === Snapshots ==================================================================
            Snapshot                                Location            Timestamp  Attributes
            --------------------------------------------------------------------------------
            pompeii: warning: traces.def, byte 30: record Paradigm, field name: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 42: record IoParadigm, field identification: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 42: record IoParadigm, field name: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 314: record IoFileProperty, field io_file: expected the id of a definition in front of it, found 0
            code 0
        "#]],
    );
}

#[test]
fn thumbnails_with_samples() {
    check(
        "--show-thumbnail-samples",
        &sample("allrecords/traces.otf2"),
        expect![[r#"

            Thumbnail headers:
            THUMBNAIL_HEADER            0  Name: "thumb", Description: "a thumbnail", Type: REGION, Samples: 3, 2 Metrics: 0, 1
            THUMBNAIL_SAMPLE            0  Baseline: 100, Metrics: 0, 0
            THUMBNAIL_SAMPLE            1  Baseline: 101, Metrics: 1, 10
            THUMBNAIL_SAMPLE            2  Baseline: 102, Metrics: 2, 20
            pompeii: warning: traces.def, byte 30: record Paradigm, field name: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 42: record IoParadigm, field identification: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 42: record IoParadigm, field name: expected the id of a definition in front of it, found 0
            pompeii: warning: traces.def, byte 314: record IoFileProperty, field io_file: expected the id of a definition in front of it, found 0
            code 0
        "#]],
    );
}

#[test]
fn json_has_one_record_per_line() {
    check(
        "--json -A -M",
        &sample("minimal/traces.otf2"),
        expect![[r#"
            {"part":"anchor","record":"Anchor","version":"3.0.2","event_chunk_bytes":1048576,"definition_chunk_bytes":4194304,"substrate":"POSIX","compression":"NONE","locations":1,"global_definitions":10,"machine":"","creator":"minwriter","description":"","properties":[],"trace_id":"3039","snapshots":0,"thumbnails":0}
            {"part":"definition","record":"ClockProperties","timer_resolution":1000000000,"global_offset":100,"trace_length":1000,"realtime_timestamp":18446744073709551615}
            {"part":"definition","record":"String","id":0,"string":""}
            {"part":"definition","record":"String","id":1,"string":"machine"}
            {"part":"definition","record":"String","id":2,"string":"MPI Rank 0"}
            {"part":"definition","record":"String","id":3,"string":"Master thread"}
            {"part":"definition","record":"String","id":4,"string":"main"}
            {"part":"definition","record":"SystemTreeNode","id":0,"name":1,"class_name":1,"parent":null}
            {"part":"definition","record":"LocationGroup","id":0,"name":2,"location_group_type":"PROCESS","system_tree_parent":0,"creating_location_group":null}
            {"part":"definition","record":"Region","id":0,"name":4,"description":0,"region_type":"FUNCTION","source_file":null,"begin_line_number":0,"end_line_number":0,"canonical_name":4,"region_role":"FUNCTION","paradigm":"USER","region_flags":"NONE"}
            {"part":"definition","record":"Location","id":0,"name":3,"location_type":"CPU_THREAD","number_of_events":4,"location_group":0}
            {"part":"event","record":"Enter","location":0,"time":110,"region":0}
            {"part":"event","record":"Enter","location":0,"time":120,"region":0}
            {"part":"event","record":"Leave","location":0,"time":120,"region":0}
            {"part":"event","record":"Leave","location":0,"time":200,"region":0}
            code 0
        "#]],
    );
    let ended = Sandbox::new()
        .succeeds(&format!("dump --json -A {}", sample("allrecords/traces.otf2").display()));
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for line in ended.output.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let kind = record["part"].as_str().unwrap();
        assert!(record["record"].is_string(), "{line}");
        match kinds.last_mut() {
            Some((last, count)) if last == kind => *count += 1,
            _ => kinds.push((kind.to_owned(), 1)),
        }
    }
    expect![[r#"[("anchor", 1), ("thumbnail", 4), ("definition", 67), ("local definition", 39), ("event", 160), ("snapshot", 20), ("marker", 3)]"#]].assert_eq(&format!("{kinds:?}"));
}

#[test]
fn warnings_are_errors_if_that_is_wanted() {
    let anchor = sample("allrecords/traces.otf2");
    check(
        "-Werror --json -G",
        &anchor,
        expect![[r#"
        pompeii: error: traces.def, byte 30: record Paradigm, field name: expected the id of a definition in front of it, found 0
        pompeii: error: traces.def, byte 42: record IoParadigm, field identification: expected the id of a definition in front of it, found 0
        pompeii: error: traces.def, byte 42: record IoParadigm, field name: expected the id of a definition in front of it, found 0
        pompeii: error: traces.def, byte 314: record IoFileProperty, field io_file: expected the id of a definition in front of it, found 0
        code 1
    "#]],
    );
    check(
        "--warnings-as-errors -I -d",
        &sample("minimal/traces.otf2"),
        expect![[r#"

        Content of OTF2 anchor file:
        Version                        3.0.2
        Chunk size events              1048576
        Chunk size definitions         4194304
        File substrate                 POSIX
        Compression                    NONE
        Number of locations            1
        Number of global definitions   10
        Machine name                   
        Creator                        minwriter
        Description                    
        Number of properties           0
        Trace identifier               3039
        Number of snapshots            0
        Number of thumbnails           0
        pompeii: debug: traces.otf2: 81 bytes
        pompeii: debug: traces.def: 131 bytes
        pompeii: debug: traces/0.def: 20 bytes
        pompeii: debug: traces/0.evt: 55 bytes
        code 0
    "#]],
    );
}

#[test]
fn system_tree_as_a_graph() {
    let sandbox = Sandbox::new();
    let copy = sandbox.path("minimal");
    let mut cp = Command::new("cp");
    assert!(cp.arg("-r").arg(sample("minimal")).arg(&copy).status().unwrap().success());
    sandbox.succeeds("dump minimal/traces.otf2 --system-tree -G");
    let graph = fs::read_to_string(copy.join("traces.SystemTree.dot")).unwrap();
    let edges = graph.lines().filter(|line| line.contains("[dir=back];")).map(str::trim);
    assert!(edges.eq(["n0 -> g0 [dir=back];", "g0 -> l0 [dir=back];"]), "{graph}");
}

#[test]
fn what_is_damaged_is_told_and_the_rest_printed() {
    let sandbox = Sandbox::new();
    let copy = sandbox.path("cut");
    let mut cp = Command::new("cp");
    assert!(cp.arg("-r").arg(sample("hybrid")).arg(&copy).status().unwrap().success());
    let events = copy.join("traces/0.evt");
    let bytes = fs::read(&events).unwrap();
    fs::write(&events, &bytes[..100]).unwrap();
    check(
        "-L 0",
        &copy.join("traces.otf2"),
        expect![[r#"
        === Events =====================================================================
        Event                                   Location            Timestamp  Attributes
        --------------------------------------------------------------------------------
        PROGRAM_BEGIN                                  0              1000000  Name: "" <0>, 2 Arguments: "" <0>, "" <0>
        MEASUREMENT_ON_OFF                             0              1000000  Mode: ON
        ENTER                                          0              1000010  Region: "main" <0>
        METRIC                                         0              1000011  Metric: 0, 3 Values: ("PAPI_TOT_INS" <0>; UINT64; 123456789), ("temp" <1>; INT64; -5), ("power" <2>; DOUBLE; 3.25)
        ENTER                                          0              1000021  Region: "MPI_Init" <1>
        pompeii: error: traces/0.evt: the file ends at byte 99, in chunk 0, without its end mark; what stands before was read
        code 1
    "#]],
    );
    check(
        "-L 0 --silent",
        &copy.join("traces.otf2"),
        expect![[r#"
        pompeii: error: traces/0.evt: the file ends at byte 99, in chunk 0, without its end mark; what stands before was read
        code 1
    "#]],
    );
    fs::write(copy.join("traces.otf2"), b"text").unwrap();
    check(
        "",
        &copy.join("traces.otf2"),
        expect![[r#"
            pompeii: error: expected the anchor of an OTF2 archive (traces.otf2) or an experiment: traces.otf2, byte 0: record anchor: expected 03 and the mark of a byte order, 42 or 23
            code 2
        "#]],
    );
}

#[test]
fn an_archive_without_an_anchor_is_recovered() {
    let sandbox = Sandbox::new();
    let copy = sandbox.path("dead");
    let mut cp = Command::new("cp");
    assert!(cp.arg("-r").arg(sample("hybrid")).arg(&copy).status().unwrap().success());
    fs::remove_file(copy.join("traces.otf2")).unwrap();
    let recovered = sandbox.succeeds("recover dead/traces.otf2").output;
    expect![[r#"
        dead/traces.otf2: can be read now.
          kept: 188 events of 4 locations, 144 global definitions
          problem: the anchor is missing or cannot be read
    "#]]
    .assert_eq(&recovered);
    let events = sandbox.succeeds("dump dead/traces.otf2").output;
    let events = events.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    // The head of the table is one of the lines.
    assert_eq!(events.count(), 1 + 188);
    let again = sandbox.succeeds("recover dead").output;
    assert_eq!(again, "dead/traces.otf2: complete; nothing to do.\n");
}

#[test]
fn checks_rules() {
    check(
        "--check",
        &sample("hybrid/traces.otf2"),
        expect![[r#"
        mpi: region MPI_Init has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Send has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Recv has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Isend has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Irecv has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Waitall has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Allreduce has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Bcast has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Barrier has the file "/src/app.c"; readers expect "MPI"
        mpi: region MPI_Finalize has the file "/src/app.c"; readers expect "MPI"
        188 events of 4 locations: 10 violations, 0 errors
        code 1
    "#]],
    );
    check(
        "--check",
        &sample("multichunk/mc.otf2"),
        expect![[r#"
        60003 events of 2 locations: 0 violations, 0 errors
        code 0
    "#]],
    );
}
