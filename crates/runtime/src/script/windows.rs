//! Windows of recording: by time, each thread on its own, with teams whole. (Windows by visits are
//! opened by descriptors, so they are tested with real programs.)

use expect_test::expect;

use super::{Run, Setting};

const TEAM: &str = "
    10 T0 enter A
    20 T0 exit A
    30 T0 fork parallel p
    30 T0 begin p 0/2
    30 T1 begin p 1/2
    40 T0 enter X
    50 T0 exit X
    60 T0 enter Y
    60 T1 enter Y
    70 T0 exit Y
    90 T1 exit Y
    95 T1 enter Z
    99 T1 exit Z
    100 T0 arrive b
    110 T1 arrive b
    112 T0 pass b
    112 T1 pass b
    120 T0 end p
    120 T1 end p
    121 T0 join p
    130 T0 enter A
    140 T0 exit A";

fn run(windows: &'static str) -> String {
    let setting = Setting { windows, trace: true, ..Setting::default() };
    let run = Run::new(TEAM, setting);
    run.trees() + &run.records()
}

/// From 55 to 92 nanoseconds: inside of the region, whose team and barrier arrivals are whole.
#[test]
fn a_window_begins_and_ends_inside_of_a_region() {
    expect![[r#"
        T0 until 130
          program 19
            (off) x2 20
            parallel x1 30
              (off) x3 51
              Y x1 10
        T1 until 121
          program 30
            T0's parallel x1 5
              (off) x3 56
              Y x1 30
        T0
           10 Enter (off)
           10 MeasurementOnOff MeasurementMode(2)
           30 MeasurementOnOff MeasurementMode(1)
           30 Leave (off)
           30 ThreadFork 2
           30 ThreadTeamBegin 1
           30 Enter parallel
           30 Enter (off)
           30 MeasurementOnOff MeasurementMode(2)
           60 MeasurementOnOff MeasurementMode(1)
           60 Leave (off)
           60 Enter Y
           70 Leave Y
          100 Enter (off)
          100 MeasurementOnOff MeasurementMode(2)
          120 MeasurementOnOff MeasurementMode(1)
          120 Leave (off)
          120 Enter (off)
          120 MeasurementOnOff MeasurementMode(2)
          121 MeasurementOnOff MeasurementMode(1)
          121 Leave (off)
          121 Leave parallel
          121 ThreadTeamEnd 1
          121 ThreadJoin
          130 Enter (off)
          130 MeasurementOnOff MeasurementMode(2)
        T1
           30 ThreadTeamBegin 1
           30 Enter parallel
           30 Enter (off)
           30 MeasurementOnOff MeasurementMode(2)
           60 MeasurementOnOff MeasurementMode(1)
           60 Leave (off)
           60 Enter Y
           90 Leave Y
           95 Enter (off)
           95 MeasurementOnOff MeasurementMode(2)
          120 MeasurementOnOff MeasurementMode(1)
          120 Leave (off)
          120 Enter (off)
          120 MeasurementOnOff MeasurementMode(2)
          121 MeasurementOnOff MeasurementMode(1)
          121 Leave (off)
          121 Leave parallel
          121 ThreadTeamEnd 1
    "#]]
    .assert_eq(&run("0.000000055:0.000000092"));
}

#[test]
fn everything_until_a_moment() {
    expect![[r#"
        T0 until 130
          program 29
            A x1 10
            parallel x1 0
              (off) x2 91
            (off) x1 0
        T1 until 121
          program 30
            T0's parallel x1 0
              (off) x2 91
        T0
           10 Enter A
           20 Leave A
           30 ThreadFork 2
           30 ThreadTeamBegin 1
           30 Enter parallel
           30 Enter (off)
           30 MeasurementOnOff MeasurementMode(2)
          120 MeasurementOnOff MeasurementMode(1)
          120 Leave (off)
          120 Enter (off)
          120 MeasurementOnOff MeasurementMode(2)
          121 MeasurementOnOff MeasurementMode(1)
          121 Leave (off)
          121 Leave parallel
          121 ThreadTeamEnd 1
          121 ThreadJoin
          130 Enter (off)
          130 MeasurementOnOff MeasurementMode(2)
        T1
           30 ThreadTeamBegin 1
           30 Enter parallel
           30 Enter (off)
           30 MeasurementOnOff MeasurementMode(2)
          120 MeasurementOnOff MeasurementMode(1)
          120 Leave (off)
          120 Enter (off)
          120 MeasurementOnOff MeasurementMode(2)
          121 MeasurementOnOff MeasurementMode(1)
          121 Leave (off)
          121 Leave parallel
          121 ThreadTeamEnd 1
    "#]]
    .assert_eq(&run(":0.000000025"));
}
