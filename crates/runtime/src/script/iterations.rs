//! Ordered constructs, taskgroups, and what lasts from one iteration to the next: chunks and the
//! tasks of taskloops.

use expect_test::expect;

use super::{Setting, check, check_trace};

/// T1 waits from 12 to 30 for its turn; a doacross has no body and is nothing but waiting.
#[test]
fn waiting_for_the_turn() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 queue o
         11 T0 turn o
         12 T1 queue o
         29 T0 turned o
         30 T0 past o
         30 T1 turn o
         35 T1 turned o
         36 T1 past o
         40 T1 queue doacross
         50 T1 past doacross
         60 T0 end p
         60 T1 end p
         60 T0 join p",
        expect![[r#"
            T0 until 60
              program 0
                parallel x1 40
                  o x1 2 wait=1
                    o body x1 18
                  end of parallel x1 0
            T1 until 60
              program 0
                T0's parallel x1 26
                  o x1 19 wait=18
                    o body x1 5
                  doacross x1 10 wait=10
                  end of parallel x1 0 last=1
        "#]],
    );
}

/// Tasks executed in the taskgroup's end are not waiting; the body's time is the group's.
#[test]
fn a_taskgroup_waits_without_its_tasks() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 group g
         12 T0 create t a
         13 T0 created t a
         20 T0 group-end g
         25 T0 run t a
         45 T0 done t a
         50 T0 grouped g
         60 T0 end p
         60 T0 join p",
        expect![[r#"
            T0 until 60
              program 0
                parallel x1 20
                  g x1 9
                    create t x1 1 created=1
                    g end x1 10
                      ~t 0 tasks=20 switches=1
                  end of parallel x1 0
              TASKS 0
                t x1 20
        "#]],
    );
}

/// Left by a cancel: neither the task nor the group has an end.
#[test]
fn cancelled_tasks_and_groups_are_left() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 group g
         12 T0 create t a
         13 T0 created t a
         20 T0 group-end g
         25 T0 run t a
         26 T0 enter X
         45 T0 grouped g
         50 T0 enter Y
         60 T0 end p
         60 T0 join p",
        expect![[r#"
            T0 until 60
              program 0
                parallel x1 15
                  g x1 9
                    create t x1 1 created=1
                    g end x1 24
                      ~t 0 tasks=1 switches=1
                  Y x1 10
                  end of parallel x1 0
              TASKS 0
                t x1 1
                  X x1 0
        "#]],
    );
}

/// The end of a construct comes before its barrier, if it has one: only the next event tells.
#[test]
fn what_follows_an_end_at_once_may_belong_to_the_construct() {
    check(
        "0 T0 enter loop
         10 T0 iterated loop
         12 T0 follow loop
         12 T0 enter wait
         20 T0 exit wait
         21 T0 exit loop
         30 T0 enter loop
         40 T0 iterated loop
         50 T0 enter X
         60 T0 exit X",
        expect![[r#"
            T0 until 60
              program 19
                loop x2 23
                  wait x1 8
                X x1 10
        "#]],
    );
}

/// Iterations 0 to 2 follow each other, 8 and 9 do, and each of the last two is one of its own. The
/// time between the last iteration and the next chunk is the loop's.
#[test]
fn consecutive_iterations_are_a_chunk() {
    check(
        "0 T0 enter for
         1 T0 iterate chunk 0/1
         5 T0 iterated chunk
         6 T0 iterate chunk 1/1
         7 T0 enter A
         9 T0 exit A
         10 T0 iterated chunk
         10 T0 iterate chunk 2/1
         11 T0 iterated chunk
         15 T0 iterate chunk 8/1
         16 T0 iterated chunk
         17 T0 iterate chunk 9/1
         18 T0 iterated chunk
         20 T0 iterate chunk 0/0
         21 T0 iterated chunk
         22 T0 iterate chunk 0/0
         23 T0 iterated chunk
         30 T0 exit for",
        expect![[r#"
            T0 until 30
              program 0
                for x1 15
                  chunk x4 13
                    A x1 2
        "#]],
    );
}

/// A loop inside a chunk has chunks of its own, and does not end the one around.
#[test]
fn chunks_in_chunks() {
    check(
        "0 T0 enter for
         1 T0 iterate outer 4/-1
         2 T0 enter for
         2 T0 iterate inner 0/2
         3 T0 iterated inner
         3 T0 iterate inner 2/2
         4 T0 iterated inner
         5 T0 exit for
         6 T0 iterated outer
         7 T0 iterate outer 3/-1
         8 T0 iterated outer
         10 T0 exit for",
        expect![[r#"
            T0 until 10
              program 0
                for x1 3
                  outer x1 4
                    for x1 1
                      inner x1 2
        "#]],
    );
}

/// T0 meets the taskloop and executes the generated task a, T1 executes b. Task a is over at 30, at
/// the end of its second iteration, though T0 comes to the construct's end at 40.
const GENERATED_TASKS: &str = "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         2 T1 arrive b
         5 T0 taskloop t l
         10 T0 step t l#a
         20 T0 stepped t l#a
         21 T0 step t l#a
         30 T0 stepped t l#a
         12 T1 step t l#b
         22 T1 stepped t l#b
         40 T0 looped t l
         41 T0 arrive b
         42 T0 pass b
         42 T1 pass b
         50 T0 end p
         50 T1 end p
         50 T0 join p";

#[test]
fn generated_tasks_end_with_their_last_iteration() {
    check(
        GENERATED_TASKS,
        expect![[r#"
        T0 until 50
          program 0
            parallel x1 14
              taskloop t x1 15 created=1
                ~t 0 tasks=20 switches=1
              b x1 1 starvation=1 last=1 delay=39
              end of parallel x1 0
          TASKS 0
            t x1 20
        T1 until 50
          program 0
            T0's parallel x1 10
              b x1 30 wait=29 starvation=1
                ~t 0 tasks=10 switches=1
              end of parallel x1 0 last=1
            T0's taskloop t 0 created=1
          TASKS 0
            t x1 10
    "#]],
    );
}

#[test]
fn generated_tasks_end_with_their_last_iteration_in_a_trace() {
    check_trace(
        GENERATED_TASKS,
        Setting::default(),
        expect![[r#"
        T0
            0 ThreadFork 2
            0 ThreadTeamBegin 1
            0 Enter parallel
            5 Enter taskloop t
           10 ThreadTaskCreate 1:0:1
           10 ThreadTaskSwitch 1:0:1
           10 Enter t
           30 Leave t
           30 ThreadTaskComplete 1:0:1
           40 ThreadTaskSwitch 1:0:0
           40 Leave taskloop t
           41 Enter b
           42 Leave b
           50 Enter end of parallel
           50 Leave end of parallel
           50 Leave parallel
           50 ThreadTeamEnd 1
           50 ThreadJoin
        T1
            0 ThreadTeamBegin 1
            0 Enter parallel
            2 Enter b
           12 ThreadTaskCreate 1:1:1
           12 ThreadTaskSwitch 1:1:1
           12 Enter t
           22 Leave t
           22 ThreadTaskComplete 1:1:1
           42 ThreadTaskSwitch 1:1:0
           42 Leave b
           50 Enter end of parallel
           50 Leave end of parallel
           50 Leave parallel
           50 ThreadTeamEnd 1
    "#]],
    );
}

/// A task that has the last event of its thread is closed with the team.
#[test]
fn the_last_task_of_a_worker_ends_with_its_iteration() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         5 T0 taskloop t l
         8 T1 end p
         10 T1 step t l#a
         20 T1 stepped t l#a
         30 T0 looped t l
         31 T0 end p
         35 T0 join p",
        expect![[r#"
            T0 until 35
              program 0
                parallel x1 6
                  taskloop t x1 25
                  end of parallel x1 4 starvation=4 last=1 delay=23
            T1 until 35
              program 0
                T0's parallel x1 8
                  end of parallel x1 17 wait=13 starvation=4
                    ~t 0 tasks=10 switches=1
                T0's taskloop t 0 created=1
              TASKS 0
                t x1 10
        "#]],
    );
}

/// A generated task whose iteration was left without an end (cancel) is closed at the barrier; an
/// iteration of another task on top of it ends alone.
#[test]
fn iterations_without_an_end() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         5 T0 taskloop t l
         10 T0 step t l#a
         11 T0 enter A
         20 T0 step t l#b
         25 T0 stepped t l#b
         40 T0 looped t l
         41 T0 arrive b
         42 T0 pass b
         50 T0 end p
         50 T0 join p",
        expect![[r#"
            T0 until 50
              program 0
                parallel x1 14
                  taskloop t x1 20 created=2
                    ~t 0 tasks=15 switches=3
                  b x1 1 starvation=1
                  end of parallel x1 0
              TASKS 0
                t x2 6
                  A x1 9
        "#]],
    );
}

/// The same in a trace, where the cancelled task and the region in it are left when the construct
/// is, with the time of the last event before.
#[test]
fn cancelled_tasks_of_a_taskloop_are_complete_in_traces() {
    check_trace(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         5 T0 taskloop tied l
         10 T0 step tied l#a
         11 T0 enter A
         40 T0 looped tied l
         50 T0 end p
         50 T0 join p",
        Setting::default(),
        expect![[r#"
            T0
                0 ThreadFork 2
                0 ThreadTeamBegin 1
                0 Enter parallel
                5 Enter taskloop tied
               10 ThreadTaskCreate 1:0:1
               10 ThreadTaskSwitch 1:0:1
               10 Enter tied
               11 Enter A
               11 Leave A
               11 Leave tied
               11 ThreadTaskComplete 1:0:1
               11 ThreadTaskSwitch 1:0:0
               40 Leave taskloop tied
               50 Enter end of parallel
               50 Leave end of parallel
               50 Leave parallel
               50 ThreadTeamEnd 1
               50 ThreadJoin
        "#]],
    );
}

/// Iterations of a loop met while recording is off are passed over.
#[test]
fn iterations_while_off() {
    check(
        "0 T0 off
         1 T0 taskloop t l
         2 T0 step t l#a
         3 T0 stepped t l#a
         4 T0 looped t l
         5 T0 iterate chunk 0/1
         6 T0 iterated chunk
         7 T0 on
         10 T0 taskloop t m
         11 T0 off
         12 T0 step t m#a
         13 T0 stepped t m#a
         14 T0 on
         15 T0 looped t m",
        expect![[r#"
            T0 until 15
              program 3
                (off) x1 7
                taskloop t x1 2
                  (off) x1 3
        "#]],
    );
}
