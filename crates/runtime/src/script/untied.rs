//! Untied tasks that go on at another thread: where their time goes, and what is in the trace.

use expect_test::expect;

use super::{Setting, check, check_trace};

/// The untied task leaves T0 at its taskwait and goes on at T1; T0 goes back to its barrier, which
/// its own exit finds out.
#[test]
fn untied_task_migrates() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         5 T1 create t a
         6 T1 created t a
         10 T0 arrive barrier
         11 T1 arrive barrier
         12 T0 run t a
         20 T0 create u b
         22 T0 resume t a
         22 T0 created u b
         25 T0 taskwait w
         30 T1 run u b
         40 T1 done u b
         42 T1 resume t a
         42 T1 waited w
         60 T1 done t a
         70 T0 pass barrier
         70 T1 pass barrier
         80 T0 end p
         80 T1 end p
         81 T0 join p",
        expect![[r#"
            T0 until 81
              program 0
                parallel x1 20
                  barrier x1 47 wait=1 starvation=46
                    ~t 0 tasks=13 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                t x1 11
                  create u x1 2 created=1
                  w x1 0
            T1 until 81
              program 0
                T0's parallel x1 20
                  create t x1 1 created=1
                  barrier x1 31 starvation=31 last=1 delay=1
                    ~u 0 tasks=10 switches=1
                    ~t 0 tasks=18 switches=1
                  end of parallel x1 1 starvation=1 last=1
              TASKS 0
                u x1 10
                t 18
        "#]],
    );
}

/// An untied task goes to T1 inside of its creation, comes back from a taskwait before T0 has found
/// out that it had left, and goes to T1 again.
const THERE_AND_BACK: &str = "0 T0 fork parallel p
    0 T0 begin p 0/2
    0 T1 begin p 1/2
    5 T1 create t a
    6 T1 created t a
    10 T0 arrive barrier
    11 T1 arrive barrier
    12 T0 run t a
    14 T0 group g
    20 T0 create u b
    22 T1 resume t a
    23 T1 created u b
    24 T1 taskwait w
    30 T0 resume t a
    31 T0 waited w
    33 T0 group-end g
    34 T0 grouped g
    36 T0 taskwait w
    38 T1 resume t a
    39 T1 waited w
    60 T1 done t a
    61 T1 run u b
    62 T1 done u b
    70 T0 pass barrier
    70 T1 pass barrier
    80 T0 end p
    80 T1 end p
    81 T0 join p";

/// The regions that the task has entered have their ends where it leaves them.
#[test]
fn untied_task_leaves_its_regions_elsewhere() {
    check_trace(
        THERE_AND_BACK,
        Setting::default(),
        expect![[r#"
            T0
                0 ThreadFork 2
                0 ThreadTeamBegin 1
                0 Enter parallel
               10 Enter barrier
               12 ThreadTaskSwitch 1:1:1
               12 Enter t
               14 Enter g
               20 Enter create u
               20 ThreadTaskCreate 1:0:1
               30 ThreadTaskSwitch 1:1:1
               31 Leave w
               33 Enter g end
               34 Leave g end
               34 Leave g
               36 Enter w
               70 ThreadTaskSwitch 1:0:0
               70 Leave barrier
               80 Enter end of parallel
               81 Leave end of parallel
               81 Leave parallel
               81 ThreadTeamEnd 1
               81 ThreadJoin
            T1
                0 ThreadTeamBegin 1
                0 Enter parallel
                5 Enter create t
                5 ThreadTaskCreate 1:1:1
                6 Leave create t
               11 Enter barrier
               22 ThreadTaskSwitch 1:1:1
               23 Leave create u
               24 Enter w
               38 ThreadTaskSwitch 1:1:1
               39 Leave w
               60 Leave t
               60 ThreadTaskComplete 1:1:1
               61 ThreadTaskSwitch 1:0:1
               61 Enter u
               62 Leave u
               62 ThreadTaskComplete 1:0:1
               70 ThreadTaskSwitch 1:1:0
               70 Leave barrier
               80 Enter end of parallel
               81 Leave end of parallel
               81 Leave parallel
               81 ThreadTeamEnd 1
        "#]],
    );
}

/// The runtime says when an untied task has left its thread: the time from then on is no task's.
#[test]
fn untied_task_goes_back_and_on_elsewhere() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         5 T1 create t a
         6 T1 created t a
         10 T0 arrive barrier
         11 T1 arrive barrier
         12 T0 run t a
         25 T0 back t a
         30 T1 resume t a
         60 T1 done t a
         70 T0 pass barrier
         70 T1 pass barrier
         80 T0 end p
         80 T1 end p
         81 T0 join p",
        expect![[r#"
            T0 until 81
              program 0
                parallel x1 20
                  barrier x1 47 wait=1 starvation=46
                    ~t 0 tasks=13 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                t x1 13
            T1 until 81
              program 0
                T0's parallel x1 20
                  create t x1 1 created=1
                  barrier x1 29 starvation=29 last=1 delay=1
                    ~t 0 tasks=30 switches=1
                  end of parallel x1 1 starvation=1 last=1
              TASKS 0
                t 30
        "#]],
    );
}
