//! Explicit tasks: where their time goes, and what the barrier around them waits for.

use expect_test::expect;

use super::check;

/// T1 executes two tasks in the barrier, the second beyond T0's arrival at 60: T1 waits from 20 to
/// 60 without the 30 + 10 ticks of tasks there, and starves from 75 to 90.
#[test]
fn tasks_in_a_barrier_with_one_across_the_latest_arrival() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 create t a
         11 T0 created t a
         12 T0 create t b
         13 T0 created t b
         15 T1 arrive barrier
         20 T1 run t a
         45 T1 done t a
         50 T1 run t b
         60 T0 arrive barrier
         75 T1 done t b
         90 T1 pass barrier
         90 T0 pass barrier
         95 T0 end p
         95 T1 end p
         96 T0 join p",
        expect![[r#"
            T0 until 96
              program 0
                parallel x1 63
                  create t x2 2 created=2
                  barrier x1 30 starvation=30 last=1 delay=45
                  end of parallel x1 1 starvation=1
            T1 until 96
              program 0
                T0's parallel x1 20
                  barrier x1 25 wait=10 starvation=15
                    ~t 0 tasks=50 switches=2
                  end of parallel x1 1 starvation=1 last=1
              TASKS 0
                t x2 50
        "#]],
    );
}

#[test]
fn tasks_of_the_final_barrier() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 create t a
         12 T0 created t a
         20 T1 end p
         30 T0 end p
         35 T1 run t a
         80 T1 done t a
         85 T0 join p
         99 T0 enter A
         100 T0 exit A",
        expect![[r#"
            T0 until 100
              program 14
                parallel x1 28
                  create t x1 2 created=1
                  end of parallel x1 55 starvation=55 last=1 delay=10
                A x1 1
            T1 until 85
              program 0
                T0's parallel x1 20
                  end of parallel x1 20 wait=10 starvation=10
                    ~t 0 tasks=45 switches=1
              TASKS 0
                t x1 45
        "#]],
    );
}

/// Undeferred instances are counted, and the time goes on where it was.
#[test]
fn undeferred_tasks_are_counted_only() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         12 T0 run t a
         15 T0 enter X
         20 T0 exit X
         25 T0 done t a
         30 T0 created t a
         40 T0 create t b
         40 T0 run t b
         40 T0 create t c
         40 T0 run t c
         40 T0 done t c
         40 T0 created t c
         40 T0 taskwait w
         40 T0 waited w
         40 T0 done t b
         40 T0 created t b
         60 T0 end p
         61 T0 join p",
        expect![[r#"
            T0 until 61
              program 0
                parallel x1 55
                  create t x3 0 undeferred=3
                  X x1 5
                  w x1 0
                  end of parallel x1 1 management=1
        "#]],
    );
}

/// A cancelled undeferred instance has no end, and ends with its creation: behind a taskwait that
/// was none of its own there are no children to wait for.
#[test]
fn cancelled_undeferred_tasks_end_with_their_creation() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         10 T0 run t a
         20 T0 created t a
         20 T0 create u b
         21 T0 created u b
         30 T0 taskwait w
         31 T0 run u b
         41 T0 done u b
         42 T0 waited w
         50 T0 taskwait w
         60 T0 waited w
         60 T0 end p
         61 T0 join p",
        expect![[r#"
            T0 until 61
              program 0
                parallel x1 47
                  create t x1 0 undeferred=1
                  create u x1 1 created=1
                  w x2 2
                    ~u 0 tasks=10 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                u x1 10
        "#]],
    );
}

/// The prediction fails: an instance taken for undeferred is executed later, even by its creator.
#[test]
fn deferred_after_undeferred_is_a_task_again() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         10 T0 run t a
         10 T0 done t a
         10 T0 created t a
         20 T0 create t b
         20 T0 created t b
         30 T0 taskwait w
         31 T0 run t b
         41 T0 done t b
         42 T0 waited w
         50 T0 end p
         51 T0 join p",
        expect![[r#"
            T0 until 51
              program 0
                parallel x1 38
                  create t x2 0 created=1 undeferred=1
                  w x1 2
                    ~t 0 tasks=10 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                t x1 10
        "#]],
    );
}

/// The same inside of one that was undeferred, whose handle names the same instance.
#[test]
fn deferred_inside_of_undeferred_is_a_task_of_its_own() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         10 T0 run t a
         10 T0 done t a
         10 T0 created t a
         20 T0 create t b
         20 T0 run t b
         20 T0 create t c
         20 T0 run t c
         20 T0 create t d
         20 T0 created t d
         21 T0 create t e
         21 T0 run t e
         21 T0 done t e
         21 T0 created t e
         30 T0 taskwait w
         31 T0 run t d
         41 T0 done t d
         42 T0 waited w
         43 T0 done t c
         43 T0 created t c
         44 T0 done t b
         44 T0 created t b
         45 T0 create t f
         45 T0 run t f
         45 T0 done t f
         45 T0 created t f
         50 T0 end p
         51 T0 join p",
        expect![[r#"
            T0 until 51
              program 0
                parallel x1 38
                  create t x6 0 created=1 undeferred=5
                  w x1 2
                    ~t 0 tasks=10 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                t x1 10
        "#]],
    );
}

#[test]
fn nested_tasks_have_one_stub_at_the_implicit_task() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         11 T0 created t a
         20 T0 taskwait w
         21 T0 run t a
         25 T0 create u b
         26 T0 created u b
         30 T0 taskwait v
         31 T0 run u b
         51 T0 done u b
         52 T0 waited v
         60 T0 done t a
         61 T0 waited w
         70 T0 taskwait w
         71 T0 waited w
         80 T0 end p
         80 T0 join p",
        expect![[r#"
            T0 until 80
              program 0
                parallel x1 38
                  create t x1 1 created=1
                  w x2 2
                    ~t 0 tasks=19 switches=2
                    ~u 0 tasks=20 switches=1
                  end of parallel x1 0
              TASKS 0
                t x1 16
                  create u x1 1 created=1
                  v x1 2
                u x1 20
        "#]],
    );
}

#[test]
fn a_task_executed_inside_the_creation_of_another() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         11 T0 created t a
         20 T0 create t b
         22 T0 run t a
         32 T0 done t a
         34 T0 run t b
         44 T0 done t b
         45 T0 created t b
         60 T0 end p
         60 T0 join p",
        expect![[r#"
            T0 until 60
              program 0
                parallel x1 34
                  create t x2 6 created=2
                    ~t 0 tasks=20 switches=2
                  end of parallel x1 0
              TASKS 0
                t x2 20
        "#]],
    );
}

/// The team's workers are present for the task at T0's scheduling point.
#[test]
fn nested_parallel_region_in_a_task() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T1 create t a
         12 T1 created t a
         20 T1 arrive barrier
         22 T0 arrive barrier
         30 T0 run t a
         32 T0 fork inner q
         33 T0 begin q 0/2
         34 T0.1 begin q 1/2
         40 T0 arrive ib
         45 T0.1 arrive ib
         46 T0 pass ib
         46 T0.1 pass ib
         50 T0 end q
         50 T0.1 end q
         52 T0 join q
         60 T0 done t a
         62 T0 pass barrier
         62 T1 pass barrier
         70 T0 end p
         70 T1 end p
         71 T0 join p",
        expect![[r#"
            T0 until 71
              program 0
                parallel x1 30
                  barrier x1 10 starvation=10 last=1 delay=2
                    ~t 0 tasks=30 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                t x1 10
                  inner x1 12 management=1 fork=1
                    ib x1 6 wait=5 spread=6.25
                    end of inner x1 2 management=2
            T1 until 71
              program 0
                T0's parallel x1 26
                  create t x1 2 created=1
                  barrier x1 42 wait=2 starvation=40
                  end of parallel x1 1 starvation=1 last=1
            T0.1 until 52
              program 32
                T0's inner x1 17 management=2 fork=2
                  ib x1 1 last=1 delay=5 spread=6.25
                  end of inner x1 2 management=2 last=1
                T0's ~t 0 tasks=20
        "#]],
    );
}

/// A region inside a task inside the final barrier of another region: both barriers are closed.
#[test]
fn nested_parallel_region_in_a_task_of_the_final_barrier() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         11 T0 created t a
         20 T0 end p
         21 T0 run t a
         22 T0 fork inner q
         23 T0 begin q 0/1
         30 T0 end q
         31 T0 join q
         40 T0 done t a
         45 T0 join p
         50 T0 enter A
         60 T0 exit A",
        expect![[r#"
            T0 until 60
              program 5
                parallel x1 19
                  create t x1 1 created=1
                  end of parallel x1 6 starvation=6
                    ~t 0 tasks=19 switches=1
                A x1 10
              TASKS 0
                t x1 10
                  inner x1 8 management=1 fork=1
                    end of inner x1 1 management=1
        "#]],
    );
}

#[test]
fn cancelled_task_leaves_its_regions() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create t a
         11 T0 created t a
         20 T0 taskwait w
         21 T0 run t a
         22 T0 enter X
         23 T0 enter Y
         30 T0 done t a
         31 T0 waited w
         40 T0 end p
         40 T0 join p",
        expect![[r#"
            T0 until 40
              program 0
                parallel x1 28
                  create t x1 1 created=1
                  w x1 2
                    ~t 0 tasks=9 switches=1
                  end of parallel x1 0
              TASKS 0
                t x1 1
                  X x1 1
                    Y x1 7
        "#]],
    );
}

#[test]
fn instances_are_used_again() {
    let mut script = String::from("0 T0 fork parallel p\n0 T0 begin p 0/2\n0 T1 begin p 1/2\n");
    for i in 0..200 {
        script += &format!("T0 create t {i}\nT0 created t {i}\nT1 run t {i}\nT1 done t {i}\n");
    }
    script += "T0 end p\nT1 end p\n T0 join p";
    let run = super::Run::new(&script, super::Setting::default());
    let handles: std::collections::HashSet<usize> = run.tasks.values().copied().collect();
    assert!(handles.len() <= 32, "{} instances for one live at a time", handles.len());
}
