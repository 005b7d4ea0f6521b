//! Traces as profiles of Firefox Profiler. The profiler's own code checks the format
//! (`cli/tests/all/oracle_convert.rs`).

use expect_test::{Expect, expect};
use pompeii_export::firefox;

use crate::common::json;

/// The threads of a trace.
fn check(trace: &str, expect: Expect) {
    let text = json(trace, |trace, file| firefox::write(&mut || Ok(trace.trace()), file).unwrap());
    let (_, text) = text.split_once("\"threads\":").unwrap();
    expect.assert_eq(text);
}

/// Task 1 is suspended while task 2 is executed. Before 5 ns and after 90 ns no region is open.
#[test]
fn samples_have_the_time_between_events() {
    check(
        "end 100
         team A = 0.0
         5 0.0 + ibarrier
         10 0.0 switch A 0 1; + task
         30 0.0 switch A 0 2; + task
         60 0.0 -; done A 0 2; switch A 0 1
         70 0.0 -; done A 0 1; switch A 0 0
         90 0.0 -",
        expect![[r#"
            [

            {"processType":"default","processStartupTime":0,"processShutdownTime":0.000100,"registerTime":0,"unregisterTime":0.000100,"pausedRanges":[],"name":"0.0","isMainThread":true,"processName":"rank 0","pid":"1","tid":1,"samples":{"length":7,"weightType":"tracing-ms","stack":[null,0,1,1,1,0,null],"time":[0.000000,0.000005,0.000010,0.000030,0.000060,0.000070,0.000090],"weight":[0.000005,0.000005,0.000020,0.000030,0.000010,0.000020,0.000000]},
            "markers":{"length":3,"data":[{"type":"task","instance":"task_0_1"},{"type":"task","instance":"task_0_2"},{"type":"task","instance":"task_0_1"}],"startTime":[0.000010,0.000030,0.000060],"endTime":[0.000030,0.000060,0.000070],"name":[0,0,0],"phase":[1,1,1],"category":[0,0,0]},
            "stackTable":{"length":2,"frame":[3,4],"prefix":[null,0]},
            "frameTable":{"length":5,"func":[0,1,2,3,4],"category":[0,0,0,2,2],"subcategory":[0,0,0,0,0],"line":[null,null,null,null,118],"address":[-1,-1,-1,-1,-1],"inlineDepth":[0,0,0,0,0],"nativeSymbol":[null,null,null,null,null],"innerWindowID":[null,null,null,null,null],"column":[null,null,null,null,null]},
            "funcTable":{"length":5,"name":[1,2,3,4,5],"fileName":[null,null,null,null,10],"lineNumber":[null,null,null,null,118],"columnNumber":[null,null,null,null,null],"resource":[-1,-1,-1,-1,-1],"isJS":[false,false,false,false,false],"relevantForJS":[false,false,false,false,false]},
            "resourceTable":{"length":0,"lib":[],"name":[],"host":[],"type":[]},
            "nativeSymbols":{"length":0,"libIndex":[],"address":[],"name":[],"functionSize":[]},"stringArray":["task","program","TASKS","MEASUREMENT OFF","ibarrier","task ocean.c:118","","","","","src/ocean.c"]}
            ]}
        "#]],
    );
}

#[test]
fn threads_of_several_processes_have_numbers_of_their_own() {
    check(
        "end 50
         comm W = 0 1
         5 0.0 + a
         6 1.0 + a
         7 1.0 + a
         9 1.0 -; -",
        expect![[r#"
            [

            {"processType":"default","processStartupTime":0,"processShutdownTime":0.000050,"registerTime":0,"unregisterTime":0.000050,"pausedRanges":[],"name":"0.0","isMainThread":true,"processName":"rank 0","pid":"1","tid":1,"samples":{"length":3,"weightType":"tracing-ms","stack":[null,0,null],"time":[0.000000,0.000005,0.000050],"weight":[0.000005,0.000045,0.000000]},
            "markers":{"length":0,"data":[],"startTime":[],"endTime":[],"name":[],"phase":[],"category":[]},
            "stackTable":{"length":1,"frame":[3],"prefix":[null]},
            "frameTable":{"length":4,"func":[0,1,2,3],"category":[0,0,0,1],"subcategory":[0,0,0,0],"line":[null,null,null,null],"address":[-1,-1,-1,-1],"inlineDepth":[0,0,0,0],"nativeSymbol":[null,null,null,null],"innerWindowID":[null,null,null,null],"column":[null,null,null,null]},
            "funcTable":{"length":4,"name":[1,2,3,4],"fileName":[null,null,null,null],"lineNumber":[null,null,null,null],"columnNumber":[null,null,null,null],"resource":[-1,-1,-1,-1],"isJS":[false,false,false,false],"relevantForJS":[false,false,false,false]},
            "resourceTable":{"length":0,"lib":[],"name":[],"host":[],"type":[]},
            "nativeSymbols":{"length":0,"libIndex":[],"address":[],"name":[],"functionSize":[]},"stringArray":["task","program","TASKS","MEASUREMENT OFF","a","","","",""]},
            {"processType":"default","processStartupTime":0,"processShutdownTime":0.000050,"registerTime":0,"unregisterTime":0.000050,"pausedRanges":[],"name":"1.0","isMainThread":true,"processName":"rank 1","pid":"2","tid":2,"samples":{"length":4,"weightType":"tracing-ms","stack":[null,0,1,null],"time":[0.000000,0.000006,0.000007,0.000009],"weight":[0.000006,0.000001,0.000002,0.000000]},
            "markers":{"length":0,"data":[],"startTime":[],"endTime":[],"name":[],"phase":[],"category":[]},
            "stackTable":{"length":2,"frame":[3,3],"prefix":[null,0]},
            "frameTable":{"length":4,"func":[0,1,2,3],"category":[0,0,0,1],"subcategory":[0,0,0,0],"line":[null,null,null,null],"address":[-1,-1,-1,-1],"inlineDepth":[0,0,0,0],"nativeSymbol":[null,null,null,null],"innerWindowID":[null,null,null,null],"column":[null,null,null,null]},
            "funcTable":{"length":4,"name":[1,2,3,4],"fileName":[null,null,null,null],"lineNumber":[null,null,null,null],"columnNumber":[null,null,null,null],"resource":[-1,-1,-1,-1],"isJS":[false,false,false,false],"relevantForJS":[false,false,false,false]},
            "resourceTable":{"length":0,"lib":[],"name":[],"host":[],"type":[]},
            "nativeSymbols":{"length":0,"libIndex":[],"address":[],"name":[],"functionSize":[]},"stringArray":["task","program","TASKS","MEASUREMENT OFF","a","","","",""]}
            ]}
        "#]],
    );
}
