//! Traces as trace events of Chrome. A reader that others wrote checks the format
//! (`cli/tests/all/oracle_convert.rs`).

use expect_test::{Expect, expect};
use pompeii_export::chrome;

use crate::common::json;

/// The events of a trace, in which flows have the numbers of their order.
fn check(trace: &str, expect: Expect) {
    let text = json(trace, |trace, file| chrome::write(&mut || Ok(trace.trace()), file).unwrap());
    let mut flows: Vec<&str> = Vec::new();
    let mut shown = String::new();
    for line in text.lines().filter(|line| line.starts_with("{\"ph\"")) {
        let flow = line.split_once("\"id\":\"0x").and_then(|(_, rest)| rest.split_once('"'));
        let Some((flow, _)) = flow else {
            shown += &format!("{line}\n");
            continue;
        };
        let known = flows.iter().position(|known| *known == flow);
        let place = known.unwrap_or_else(|| {
            flows.push(flow);
            flows.len() - 1
        });
        shown += &format!("{}\n", line.replace(&format!("0x{flow}"), &format!("flow {place}")));
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_suspended_task_is_cut_and_its_flow_leads_on() {
    check(
        "end 100
         team A = 0.0
         0 0.0 + ibarrier
         5 0.0 create A 0 1
         10 0.0 switch A 0 1; + task
         30 0.0 switch A 0 2; + task
         60 0.0 -; done A 0 2; switch A 0 1
         1070 0.0 -; done A 0 1; switch A 0 0
         1090 0.0 -",
        expect![[r#"
            {"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 0"}},
            {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"0.0"}},
            {"ph":"B","pid":1,"tid":1,"ts":0.000,"name":"ibarrier","cat":"openmp","args":{}},
            {"ph":"i","pid":1,"tid":1,"ts":0.005,"s":"t","name":"create task_0_1","cat":"task"},
            {"ph":"s","pid":1,"tid":1,"ts":0.005,"name":"task","cat":"task","id":"flow 0"},
            {"ph":"B","pid":1,"tid":1,"ts":0.010,"name":"task_0_1","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.010,"name":"task","cat":"task","id":"flow 0"},
            {"ph":"B","pid":1,"tid":1,"ts":0.010,"name":"task ocean.c:118","cat":"openmp","args":{"file":"src/ocean.c","line":118}},
            {"ph":"E","pid":1,"tid":1,"ts":0.030,"name":"task ocean.c:118","cat":"openmp"},
            {"ph":"E","pid":1,"tid":1,"ts":0.030,"name":"task_0_1","cat":"task"},
            {"ph":"B","pid":1,"tid":1,"ts":0.030,"name":"task_0_2","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.030,"name":"task","cat":"task","id":"flow 1"},
            {"ph":"B","pid":1,"tid":1,"ts":0.030,"name":"task ocean.c:118","cat":"openmp","args":{"file":"src/ocean.c","line":118}},
            {"ph":"E","pid":1,"tid":1,"ts":0.060,"name":"task ocean.c:118","cat":"openmp"},
            {"ph":"f","pid":1,"tid":1,"ts":0.060,"name":"task","cat":"task","id":"flow 1","bp":"e"},
            {"ph":"E","pid":1,"tid":1,"ts":0.060,"name":"task_0_2","cat":"task"},
            {"ph":"B","pid":1,"tid":1,"ts":0.060,"name":"task_0_1","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.060,"name":"task","cat":"task","id":"flow 0"},
            {"ph":"B","pid":1,"tid":1,"ts":0.060,"name":"task ocean.c:118","cat":"openmp","args":{"file":"src/ocean.c","line":118,"goes on":true}},
            {"ph":"E","pid":1,"tid":1,"ts":1.070,"name":"task ocean.c:118","cat":"openmp"},
            {"ph":"f","pid":1,"tid":1,"ts":1.070,"name":"task","cat":"task","id":"flow 0","bp":"e"},
            {"ph":"E","pid":1,"tid":1,"ts":1.070,"name":"task_0_1","cat":"task"},
            {"ph":"E","pid":1,"tid":1,"ts":1.090,"name":"ibarrier","cat":"openmp"}
        "#]],
    );
}

#[test]
fn visits_without_length_are_instants_and_parts_without_length_no_events() {
    check(
        "end 100
         team A = 0.0
         0 0.0 + ibarrier
         10 0.0 switch A 0 1; + task; + taskwait
         30 0.0 switch A 0 2; + task
         60 0.0 -; done A 0 2; switch A 0 1; switch A 0 3; + task
         70 0.0 -; done A 0 3; switch A 0 1; -; -; done A 0 1; switch A 0 0
         80 0.0 + outer; + inner; -; -
         90 0.0 -",
        expect![[r#"
            {"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 0"}},
            {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"0.0"}},
            {"ph":"B","pid":1,"tid":1,"ts":0.000,"name":"ibarrier","cat":"openmp","args":{}},
            {"ph":"B","pid":1,"tid":1,"ts":0.010,"name":"task_0_1","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.010,"name":"task","cat":"task","id":"flow 0"},
            {"ph":"B","pid":1,"tid":1,"ts":0.010,"name":"task ocean.c:118","cat":"openmp","args":{"file":"src/ocean.c","line":118}},
            {"ph":"B","pid":1,"tid":1,"ts":0.010,"name":"taskwait","cat":"openmp","args":{}},
            {"ph":"E","pid":1,"tid":1,"ts":0.030,"name":"taskwait","cat":"openmp"},
            {"ph":"E","pid":1,"tid":1,"ts":0.030,"name":"task ocean.c:118","cat":"openmp"},
            {"ph":"E","pid":1,"tid":1,"ts":0.030,"name":"task_0_1","cat":"task"},
            {"ph":"B","pid":1,"tid":1,"ts":0.030,"name":"task_0_2","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.030,"name":"task","cat":"task","id":"flow 1"},
            {"ph":"B","pid":1,"tid":1,"ts":0.030,"name":"task ocean.c:118","cat":"openmp","args":{"file":"src/ocean.c","line":118}},
            {"ph":"E","pid":1,"tid":1,"ts":0.060,"name":"task ocean.c:118","cat":"openmp"},
            {"ph":"f","pid":1,"tid":1,"ts":0.060,"name":"task","cat":"task","id":"flow 1","bp":"e"},
            {"ph":"E","pid":1,"tid":1,"ts":0.060,"name":"task_0_2","cat":"task"},
            {"ph":"B","pid":1,"tid":1,"ts":0.060,"name":"task_0_1","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.060,"name":"task","cat":"task","id":"flow 0"},
            {"ph":"E","pid":1,"tid":1,"ts":0.060,"name":"task_0_1","cat":"task"},
            {"ph":"B","pid":1,"tid":1,"ts":0.060,"name":"task_0_3","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.060,"name":"task","cat":"task","id":"flow 2"},
            {"ph":"B","pid":1,"tid":1,"ts":0.060,"name":"task ocean.c:118","cat":"openmp","args":{"file":"src/ocean.c","line":118}},
            {"ph":"E","pid":1,"tid":1,"ts":0.070,"name":"task ocean.c:118","cat":"openmp"},
            {"ph":"f","pid":1,"tid":1,"ts":0.070,"name":"task","cat":"task","id":"flow 2","bp":"e"},
            {"ph":"E","pid":1,"tid":1,"ts":0.070,"name":"task_0_3","cat":"task"},
            {"ph":"B","pid":1,"tid":1,"ts":0.070,"name":"task_0_1","cat":"task"},
            {"ph":"t","pid":1,"tid":1,"ts":0.070,"name":"task","cat":"task","id":"flow 0"},
            {"ph":"f","pid":1,"tid":1,"ts":0.070,"name":"task","cat":"task","id":"flow 0","bp":"e"},
            {"ph":"E","pid":1,"tid":1,"ts":0.070,"name":"task_0_1","cat":"task"},
            {"ph":"i","pid":1,"tid":1,"ts":0.080,"s":"t","name":"inner","cat":"user","args":{}},
            {"ph":"i","pid":1,"tid":1,"ts":0.080,"s":"t","name":"outer","cat":"user","args":{}},
            {"ph":"E","pid":1,"tid":1,"ts":0.090,"name":"ibarrier","cat":"openmp"}
        "#]],
    );
}

#[test]
fn a_message_is_a_flow_between_two_processes() {
    check(
        "end 100
         comm W = 0 1
         5 0.0 + MPI_Send; send 1 W 7 16
         10 0.0 -
         20 1.0 + MPI_Recv
         25 1.0 recv 0 W 7 16; -",
        expect![[r#"
            {"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 0"}},
            {"ph":"M","name":"process_name","pid":2,"args":{"name":"rank 1"}},
            {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"0.0"}},
            {"ph":"M","name":"thread_name","pid":2,"tid":2,"args":{"name":"1.0"}},
            {"ph":"B","pid":1,"tid":1,"ts":0.005,"name":"MPI_Send","cat":"mpi","args":{}},
            {"ph":"E","pid":1,"tid":1,"ts":0.010,"name":"MPI_Send","cat":"mpi"},
            {"ph":"B","pid":2,"tid":2,"ts":0.020,"name":"MPI_Recv","cat":"mpi","args":{}},
            {"ph":"E","pid":2,"tid":2,"ts":0.025,"name":"MPI_Recv","cat":"mpi"},
            {"ph":"i","s":"t","pid":1,"tid":1,"ts":0.005,"name":"send","cat":"mpi","args":{"partner":"rank 1","bytes":16,"tag":7,"communicator":0}},
            {"ph":"s","pid":1,"tid":1,"ts":0.005,"name":"message","cat":"mpi","id":"flow 0"},
            {"ph":"i","s":"t","pid":2,"tid":2,"ts":0.025,"name":"receive","cat":"mpi","args":{"partner":"rank 0","bytes":16,"tag":7,"communicator":0}},
            {"ph":"f","bp":"e","pid":2,"tid":2,"ts":0.025,"name":"message","cat":"mpi","id":"flow 0"}
        "#]],
    );
}

#[test]
fn counters_belong_to_their_threads_and_sums_are_instants() {
    check(
        "end 100
         counter flops = ACCUMULATED_START
         counter load = ABSOLUTE_POINT real
         0 0.0 + main
         10 0.0 count flops 5; count load 5e-1
         15 0.0 count flops -2
         20 0.0 sums leaf 3 6; -",
        expect![[r##"
            {"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 0"}},
            {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"0.0"}},
            {"ph":"B","pid":1,"tid":1,"ts":0.000,"name":"main","cat":"user","args":{}},
            {"ph":"C","pid":1,"tid":1,"ts":0.010,"name":"flops","id":1,"args":{"#":5}},
            {"ph":"C","pid":1,"tid":1,"ts":0.010,"name":"load","id":1,"args":{"#":0.5}},
            {"ph":"C","pid":1,"tid":1,"ts":0.015,"name":"flops","id":1,"args":{"#":-2}},
            {"ph":"i","pid":1,"tid":1,"ts":0.020,"name":"visits without records","s":"t","args":{"region":"leaf","visits":3,"duration in ns":6}},
            {"ph":"E","pid":1,"tid":1,"ts":0.020,"name":"main","cat":"user"}
        "##]],
    );
}
