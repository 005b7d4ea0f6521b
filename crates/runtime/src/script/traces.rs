//! Records: what a trace says about the same scripts.

use expect_test::expect;

use super::{Setting, check_trace};

const TIMED: Setting = Setting {
    trace: true,
    timed_undeferred: true,
    statistics: false,
    iterations: false,
    guard: None,
    metrics: false,
    windows: "",
    general_only: false,
};

/// Figure 1 of the tasks paper: Enter, TaskCreate, TaskSwitch, Enter, Leave, TaskComplete, TaskSwitch
/// back, Leave.
#[test]
fn creation_with_its_task_executed_at_once() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         20 T0 create task a
         21 T0 run task a
         25 T0 enter work
         26 T0 exit work
         30 T0 done task a
         31 T0 created task a
         40 T0 end p
         41 T0 join p",
        TIMED,
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter create task
               20 ThreadTaskCreate 1:0:1
               21 ThreadTaskSwitch 1:0:1
               21 Enter task
               25 Enter work
               26 Leave work
               30 Leave task
               30 ThreadTaskComplete 1:0:1
               31 ThreadTaskSwitch 1:0:0
               31 Leave create task
               40 Enter end of parallel
               41 Leave end of parallel
               41 Leave parallel
               41 ThreadTeamEnd 1
               41 ThreadJoin
        "#]],
    );
}

/// Items of `depend` clauses are attributes of the record that creates the task, which is written
/// at once. A creation without a known item has the number of the others only.
#[test]
fn items_of_depend_clauses_are_attributes_of_the_creation() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         20 T0 create task a
         20 T0 depend a in:7,inout:9,?,inoutset:65536,mutexinoutset:8
         22 T0 created task a
         24 T0 create task b
         24 T0 depend b ?
         26 T0 run task b
         30 T0 done task b
         31 T0 created task b
         40 T0 end p
         42 T0 run task a
         43 T0 done task a
         50 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter create task
               20 ThreadTaskCreate 1:0:1 1=U64(7) 6=U64(9) 12=U64(65536) 15=U64(8) 0=U64(1)
               22 Leave create task
               24 Enter create task
               24 ThreadTaskCreate 1:0:2 0=U64(1)
               26 ThreadTaskSwitch 1:0:2
               26 Enter task
               30 Leave task
               30 ThreadTaskComplete 1:0:2
               31 ThreadTaskSwitch 1:0:0
               31 Leave create task
               40 Enter end of parallel
               42 ThreadTaskSwitch 1:0:1
               42 Enter task
               43 Leave task
               43 ThreadTaskComplete 1:0:1
               50 ThreadTaskSwitch 1:0:0
               50 Leave end of parallel
               50 Leave parallel
               50 ThreadTeamEnd 1
               50 ThreadJoin
        "#]],
    );
}

/// Items of a taskwait are attributes of its Enter. After it other children may be running, so the
/// next taskwait has records, too. One without children is counted only, with items, too.
#[test]
fn items_of_a_taskwait_are_attributes_of_its_enter() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         12 T0 await w in:7
         13 T0 awaited w
         20 T0 create task a
         20 T0 depend a inout:7
         22 T0 created task a
         30 T0 await w in:7,?
         31 T0 run task a
         32 T0 done task a
         33 T0 awaited w
         34 T0 taskwait v
         35 T0 waited v
         36 T0 await w in:7
         37 T0 awaited w
         40 T0 end p
         50 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter create task
               20 ThreadTaskCreate 1:0:1 2=U64(7)
               22 Leave create task
               30 Enter w 1=U64(7) 0=U64(1)
               31 ThreadTaskSwitch 1:0:1
               31 Enter task
               32 Leave task
               32 ThreadTaskComplete 1:0:1
               33 ThreadTaskSwitch 1:0:0
               33 Leave w
               34 Enter v
               35 Leave v
               40 Enter end of parallel
               50 Leave end of parallel
               50 Leave parallel
               50 ThreadTeamEnd 1
               50 ThreadJoin
        "#]],
    );
}

/// Figure 1 without a task executed inside: no switch before the Leave.
#[test]
fn creation_of_a_deferred_task_has_no_switch() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         20 T0 create task a
         31 T0 created task a
         40 T0 end p
         42 T0 run task a
         43 T0 done task a
         50 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter create task
               20 ThreadTaskCreate 1:0:1
               31 Leave create task
               40 Enter end of parallel
               42 ThreadTaskSwitch 1:0:1
               42 Enter task
               43 Leave task
               43 ThreadTaskComplete 1:0:1
               50 ThreadTaskSwitch 1:0:0
               50 Leave end of parallel
               50 Leave parallel
               50 ThreadTeamEnd 1
               50 ThreadJoin
        "#]],
    );
}

/// Figure 2: at a taskwait and at a barrier the switch back is there where a task was executed.
#[test]
fn scheduling_points_with_and_without_tasks() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         20 T0 create task a
         21 T0 created task a
         22 T0 create task b
         23 T0 created task b
         30 T0 taskwait taskwait
         31 T0 run task a
         32 T0 done task a
         33 T0 run task b
         34 T0 done task b
         35 T0 waited taskwait
         40 T0 taskwait taskwait
         41 T0 waited taskwait
         50 T0 create task c
         51 T0 created task c
         60 T0 arrive barrier
         61 T0 run task c
         62 T0 done task c
         63 T0 pass barrier
         64 T0 arrive barrier
         65 T0 pass barrier
         70 T0 end p
         71 T0 join p",
        TIMED,
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter create task
               20 ThreadTaskCreate 1:0:1
               21 Leave create task
               22 Enter create task
               22 ThreadTaskCreate 1:0:2
               23 Leave create task
               30 Enter taskwait
               31 ThreadTaskSwitch 1:0:1
               31 Enter task
               32 Leave task
               32 ThreadTaskComplete 1:0:1
               33 ThreadTaskSwitch 1:0:2
               33 Enter task
               34 Leave task
               34 ThreadTaskComplete 1:0:2
               35 ThreadTaskSwitch 1:0:0
               35 Leave taskwait
               40 Enter taskwait
               41 Leave taskwait
               50 Enter create task
               50 ThreadTaskCreate 1:0:3
               51 Leave create task
               60 Enter barrier
               61 ThreadTaskSwitch 1:0:3
               61 Enter task
               62 Leave task
               62 ThreadTaskComplete 1:0:3
               63 ThreadTaskSwitch 1:0:0
               63 Leave barrier
               64 Enter barrier
               65 Leave barrier
               70 Enter end of parallel
               71 Leave end of parallel
               71 Leave parallel
               71 ThreadTeamEnd 1
               71 ThreadJoin
        "#]],
    );
}

#[test]
fn counted_tasks_and_waits_leave_no_records() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         20 T0 create t a
         21 T0 run t a
         22 T0 taskwait w
         23 T0 waited w
         25 T0 done t a
         26 T0 created t a
         30 T0 create t b
         31 T0 run t b
         32 T0 done t b
         33 T0 created t b
         40 T0 end p
         41 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               40 Enter end of parallel
               41 Leave end of parallel
               41 Leave parallel
               41 ThreadTeamEnd 1
               41 ThreadJoin
        "#]],
    );
}

#[test]
fn two_threads_with_loop_and_critical() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/2
         12 T1 begin p 1/2
         20 T0 enter for
         21 T1 enter for
         22 T0 request c
         23 T0 hold c
         24 T0 release c
         25 T0 leave c
         26 T1 request c
         27 T1 hold c
         28 T1 release c
         29 T1 leave c
         30 T0 arrive barrier
         35 T1 arrive barrier
         36 T0 pass barrier
         99 T0 loop-exit for
         37 T1 pass barrier
         99 T1 loop-exit for
         40 T0 end p
         41 T1 end p
         50 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter for
               22 Enter c
               23 ThreadAcquireLock 0 1
               23 Enter c body
               24 Leave c body
               24 ThreadReleaseLock 0 1
               25 Leave c
               30 Enter barrier
               36 Leave barrier
               36 Leave for
               40 Enter end of parallel
               50 Leave end of parallel
               50 Leave parallel
               50 ThreadTeamEnd 1
               50 ThreadJoin
            T1
               12 ThreadTeamBegin 1
               12 Enter parallel
               21 Enter for
               26 Enter c
               27 ThreadAcquireLock 0 2
               27 Enter c body
               28 Leave c body
               28 ThreadReleaseLock 0 2
               29 Leave c
               35 Enter barrier
               37 Leave barrier
               37 Leave for
               41 Enter end of parallel
               50 Leave end of parallel
               50 Leave parallel
               50 ThreadTeamEnd 1
        "#]],
    );
}

#[test]
fn nested_teams_have_communicators_of_their_own() {
    check_trace(
        "10 T0 fork outer p
         11 T0 begin p 0/2
         12 T1 begin p 1/2
         20 T0 fork inner q
         21 T0 begin q 0/2
         22 T0.1 begin q 1/2
         23 T0 create t a
         24 T0 created t a
         30 T0 end q
         31 T0.1 end q
         32 T0.1 run t a
         33 T0.1 done t a
         35 T0 join q
         40 T0 end p
         41 T1 end p
         50 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter outer
               20 ThreadFork 2
               21 ThreadTeamBegin 2
               21 Enter inner
               23 Enter create t
               23 ThreadTaskCreate 2:0:1
               24 Leave create t
               30 Enter end of inner
               35 Leave end of inner
               35 Leave inner
               35 ThreadTeamEnd 2
               35 ThreadJoin
               40 Enter end of outer
               50 Leave end of outer
               50 Leave outer
               50 ThreadTeamEnd 1
               50 ThreadJoin
            T1
               12 ThreadTeamBegin 1
               12 Enter outer
               41 Enter end of outer
               50 Leave end of outer
               50 Leave outer
               50 ThreadTeamEnd 1
            T0.1
               22 ThreadTeamBegin 2
               22 Enter inner
               31 Enter end of inner
               32 ThreadTaskSwitch 2:0:1
               32 Enter t
               33 Leave t
               33 ThreadTaskComplete 2:0:1
               35 ThreadTaskSwitch 2:1:0
               35 Leave end of inner
               35 Leave inner
               35 ThreadTeamEnd 2
        "#]],
    );
}

#[test]
fn unwinding_and_recording_off() {
    check_trace(
        "10 T0 enter A
         20 T0 enter B
         30 T0 exit A
         40 T0 off
         50 T0 enter C
         60 T0 exit C
         70 T0 on",
        Setting::default(),
        expect![[r#"
            T0
               10 Enter A
               20 Enter B
               30 Leave B
               30 Leave A
               40 Enter (off)
               40 MeasurementOnOff MeasurementMode(2)
               70 MeasurementOnOff MeasurementMode(1)
               70 Leave (off)
        "#]],
    );
}

/// A tied task that was cancelled has no end in the program: it ends where its thread goes on.
#[test]
fn a_cancelled_task_is_complete_in_the_trace() {
    check_trace(
        "10 T0 fork parallel p
         11 T0 begin p 0/1
         20 T0 create tied a
         21 T0 created tied a
         30 T0 enter single
         40 T0 run tied a
         41 T0 enter work
         50 T0 exit single
         60 T0 end p
         61 T0 join p",
        TIMED,
        expect![[r#"
            T0
               10 ThreadFork 2
               11 ThreadTeamBegin 1
               11 Enter parallel
               20 Enter create tied
               20 ThreadTaskCreate 1:0:1
               21 Leave create tied
               30 Enter single
               40 ThreadTaskSwitch 1:0:1
               40 Enter tied
               41 Enter work
               41 Leave work
               41 Leave tied
               41 ThreadTaskComplete 1:0:1
               41 ThreadTaskSwitch 1:0:0
               50 Leave single
               60 Enter end of parallel
               61 Leave end of parallel
               61 Leave parallel
               61 ThreadTeamEnd 1
               61 ThreadJoin
        "#]],
    );
}
