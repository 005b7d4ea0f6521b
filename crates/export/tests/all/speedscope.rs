//! Traces as profiles of Speedscope. A reader that others wrote checks the format
//! (`cli/tests/all/oracle_convert.rs`).

use expect_test::{Expect, expect};
use pompeii_export::speedscope;

use crate::common::json;

/// The profiles of a trace.
fn check(trace: &str, expect: Expect) {
    let text =
        json(trace, |trace, file| speedscope::write(&mut || Ok(trace.trace()), file).unwrap());
    let (_, text) = text.split_once("\"shared\":").unwrap();
    expect.assert_eq(text);
}

/// Task 1 is suspended while task 2 is executed.
#[test]
fn a_suspended_task_ends_and_begins_again() {
    check(
        "end 100
         team A = 0.0
         0 0.0 + ibarrier
         10 0.0 switch A 0 1; + task
         30 0.0 switch A 0 2; + task
         60 0.0 -; done A 0 2; switch A 0 1
         70 0.0 -; done A 0 1; switch A 0 0
         90 0.0 -",
        expect![[r#"
            {"frames":[
            {"name":"program"},
            {"name":"TASKS"},
            {"name":"MEASUREMENT OFF"},
            {"name":"ibarrier"},
            {"name":"task ocean.c:118","file":"src/ocean.c","line":118}
            ]},
            "profiles":[
            {"type":"evented","unit":"nanoseconds","startValue":0,"name":"0.0","events":[
            {"type":"O","frame":3,"at":0},
            {"type":"O","frame":4,"at":10},
            {"type":"C","frame":4,"at":30},
            {"type":"O","frame":4,"at":30},
            {"type":"C","frame":4,"at":60},
            {"type":"O","frame":4,"at":60},
            {"type":"C","frame":4,"at":70},
            {"type":"C","frame":3,"at":90}],"endValue":100}
            ]}
        "#]],
    );
}

#[test]
fn each_location_has_a_profile_with_the_name_of_its_process() {
    check(
        "end 50
         comm W = 0 1
         5 0.0 + a
         6 1.0 + a
         7 1.0 -",
        expect![[r#"
            {"frames":[
            {"name":"program"},
            {"name":"TASKS"},
            {"name":"MEASUREMENT OFF"},
            {"name":"a"}
            ]},
            "profiles":[
            {"type":"evented","unit":"nanoseconds","startValue":0,"name":"rank 0, 0.0","events":[
            {"type":"O","frame":3,"at":5},
            {"type":"C","frame":3,"at":50}],"endValue":50},
            {"type":"evented","unit":"nanoseconds","startValue":0,"name":"rank 1, 1.0","events":[
            {"type":"O","frame":3,"at":6},
            {"type":"C","frame":3,"at":7}],"endValue":50}
            ]}
        "#]],
    );
}
