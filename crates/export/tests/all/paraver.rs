//! Traces as records of Paraver. A reader that others wrote checks the format
//! (`cli/tests/all/oracle_convert.rs`).

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use pompeii_export::paraver;
use pompeii_replay::text;

use crate::csv::{File, Files};

/// The files of a trace, by name.
fn files(trace: &str) -> BTreeMap<String, String> {
    let mut trace = text::parse(trace).unwrap();
    trace.definitions.ticks_per_second = 1_000_000_000;
    let files = Files::default();
    let create = |name: &str| Ok(File(files.clone(), name.to_owned()));
    let read = paraver::write(&mut || Ok(trace.trace()), create).unwrap();
    assert_eq!(read.errors, 0);
    let files = std::mem::take(&mut *files.lock().unwrap());
    files.into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect()
}

fn check(trace: &str, expect: Expect) {
    expect.assert_eq(&files(trace)["trace.prv"]);
}

/// The thread waits in its barrier and executes a task there.
#[test]
fn states_are_those_of_the_innermost_region_and_tasks_are_events() {
    check(
        "end 100
         team A = 0.0
         0 0.0 + ibarrier
         5 0.0 create A 0 1
         10 0.0 switch A 0 1; + task
         30 0.0 -; done A 0 1; switch A 0 0
         40 0.0 -",
        expect![[r#"
            #Paraver (01/01/1970 at 00:00):100_ns:1(1):1:1(1:1)
            1:1:1:1:1:0:10:5
            2:1:1:1:1:0:70000001:4
            1:1:1:1:1:10:30:1
            2:1:1:1:1:10:70000002:1000000001
            2:1:1:1:1:10:70000001:5
            1:1:1:1:1:30:40:5
            2:1:1:1:1:30:70000001:4
            2:1:1:1:1:30:70000002:0
            1:1:1:1:1:40:100:1
            2:1:1:1:1:40:70000001:0
        "#]],
    );
}

#[test]
fn records_of_all_threads_and_messages_are_in_the_order_of_time() {
    check(
        "end 100
         comm W = 0 1
         5 0.0 + MPI_Send; send 1 W 7 16
         10 0.0 -
         20 1.0 + MPI_Recv
         25 1.0 recv 0 W 7 16; -",
        expect![[r#"
            #Paraver (01/01/1970 at 00:00):100_ns:1(2):1:2(1:1,1:1)
            1:1:1:1:1:0:5:1
            1:2:1:2:1:0:20:1
            1:1:1:1:1:5:10:3
            2:1:1:1:1:5:70000001:4
            3:1:1:1:1:5:5:2:1:2:1:25:25:16:7
            1:1:1:1:1:10:100:1
            2:1:1:1:1:10:70000001:0
            1:2:1:2:1:20:25:3
            2:2:1:2:1:20:70000001:5
            1:2:1:2:1:25:100:1
            2:2:1:2:1:25:70000001:0
        "#]],
    );
}

#[test]
fn values_of_counters_are_whole_numbers() {
    check(
        "end 30
         counter flops = ACCUMULATED_START
         counter load = ABSOLUTE_POINT real
         0 0.0 + main
         10 0.0 count flops -5; count load 26e-1
         20 0.0 -",
        expect![[r#"
            #Paraver (01/01/1970 at 00:00):30_ns:1(1):1:1(1:1)
            1:1:1:1:1:0:30:1
            2:1:1:1:1:0:70000001:4
            2:1:1:1:1:10:71000000:-5
            2:1:1:1:1:10:71000001:3
            2:1:1:1:1:20:70000001:0
        "#]],
    );
}

#[test]
fn labels_name_what_records_have_as_numbers() {
    let files = files("end 9\ncounter flops = ACCUMULATED_START\n1 0.0 + main\n2 1.0 + main");
    let labels = &files["trace.pcf"];
    for part in [
        "\n1 Running\n",
        "\nEVENT_TYPE\n0 70000001 Region\nVALUES\n0 End\n1 program\n",
        "\n4 main\n",
        "\nEVENT_TYPE\n0 71000000 flops\n",
    ] {
        assert!(labels.contains(part), "{part}\n{labels}");
    }
    let names = &files["trace.row"];
    assert!(names.starts_with("LEVEL CPU SIZE 2\n1.node\n2.node\n\nLEVEL NODE SIZE 1\nnode\n"));
    assert!(names.contains("\nLEVEL THREAD SIZE 2\nTHREAD 1.1.1 "), "{names}");
}
