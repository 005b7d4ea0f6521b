//! Who made whom wait.

use std::fmt::Write;

use expect_test::expect;

use super::check_causes;

/// T1 waits for T0 at the first and at the last barrier, T0 for T1 at the second.
#[test]
fn barriers_name_who_arrives_last_and_where() {
    check_causes(
        "100 T0 fork parallel p
         105 T0 begin p 0/2
         110 T1 begin p 1/2
         120 T1 arrive barrier
         150 T0 arrive barrier
         151 T0 pass barrier
         151 T1 pass barrier
         160 T0 arrive barrier
         170 T1 enter f
         175 T1 arrive barrier
         176 T0 pass barrier
         176 T1 pass barrier
         177 T1 exit f
         180 T1 end p
         200 T0 end p
         201 T0 join p",
        expect![[r#"
            T0 in barrier for T1's barrier x1 0 wait=15
            T1 in barrier for T0's barrier x1 0 wait=30
            T1 in end of parallel for T0's end of parallel x1 0 wait=20
        "#]],
    );
}

/// Both threads have arrived at 20; T1 runs a task until 70 and T0 starves meanwhile.
#[test]
fn starvation_names_who_ran_the_last_task() {
    check_causes(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         5 T0 create t a
         6 T0 created t a
         10 T1 arrive barrier
         12 T1 run t a
         20 T0 arrive barrier
         70 T1 done t a
         71 T0 pass barrier
         71 T1 pass barrier
         72 T0 end p
         72 T1 end p
         73 T0 join p",
        expect![[r#"
            T0 in barrier for T1's ~t x1 0 starvation=51
            T1 in barrier for T0's barrier x1 0 wait=2
        "#]],
    );
}

/// T0 waits from 20 on, executes one child itself, and has nothing to do from 40 to 55, when T1 has
/// executed the other; a task of T0's that waits for its own child knows nothing of that. Nobody is
/// waited for where all was done before.
#[test]
fn a_taskwait_names_who_ran_the_last_child() {
    check_causes(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         5 T0 create t a
         6 T0 created t a
         7 T0 create t b
         8 T0 created t b
         10 T1 arrive barrier
         12 T1 run t a
         20 T0 taskwait w
         22 T0 run t b
         24 T0 create t c
         25 T0 created t c
         26 T0 taskwait w
         30 T0 run t c
         33 T0 done t c
         35 T0 waited w
         40 T0 done t b
         50 T1 done t a
         55 T0 waited w
         56 T0 create t d
         57 T0 created t d
         58 T1 run t d
         59 T1 done t d
         60 T0 taskwait w
         62 T0 waited w
         70 T0 arrive barrier
         71 T0 pass barrier
         71 T1 pass barrier
         72 T0 end p
         72 T1 end p
         73 T0 join p",
        expect![[r#"
            T0 in w for T1's ~t x1 0 wait=15
            T1 in barrier for T0's barrier x1 0 wait=21
        "#]],
    );
}

#[test]
fn criticals_and_locks_name_their_holder() {
    check_causes(
        "0 T0 request c
         1 T0 hold c
         5 P request c
         9 T0 release c
         9 T0 leave c
         10 P hold c
         11 P release c
         12 P leave c
         20 T0 enter f
         20 T0 set l
         21 T0 got l
         22 P set l
         30 T0 unset l
         31 T0 gone l
         32 P got l",
        expect![[r#"
            P in c for T0's c x1 0 wait=4
            P in l for T0's l x1 0 wait=8
        "#]],
    );
}

#[test]
fn an_ordered_construct_names_who_had_its_turn_before() {
    check_causes(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 queue o
         11 T0 turn o
         12 T1 queue o
         30 T0 turned o
         31 T0 past o
         33 T1 turn o
         34 T1 turned o
         34 T1 past o
         35 T0 end p
         35 T1 end p
         36 T0 join p",
        expect![[r#"
            T1 in o for T0's o x1 0 wait=21
        "#]],
    );
}

/// T0 has posted before T2 waits, and for T1 while T2 waits, too: T2's wait ends behind T1's post.
/// Its next one ends at once.
#[test]
fn a_sink_names_who_came_to_a_source_last_meanwhile() {
    check_causes(
        "0 T0 fork parallel p
         0 T0 begin p 0/3
         0 T1 begin p 1/3
         0 T2 begin p 2/3
         5 T0 post source
         6 T0 exit source
         10 T1 queue sink
         10 T2 queue sink
         20 T0 post source
         22 T0 exit source
         23 T1 past sink
         40 T1 post source
         41 T1 exit source
         42 T2 past sink
         50 T2 queue sink
         51 T2 past sink
         60 T0 end p
         60 T1 end p
         60 T2 end p
         61 T0 join p",
        expect![[r#"
            T1 in sink for T0's source x1 0 wait=13
            T2 in sink for T1's source x1 0 wait=32
        "#]],
    );
}

/// T0 waits for 20 threads in turn, and for the last of them again: 16 have entries of their own.
#[test]
fn lists_are_bounded() {
    let mut script = String::new();
    for (number, time) in (0..20).chain([19]).zip((0..).step_by(10)) {
        let _ = write!(
            script,
            "{time} P{number} request c
             {} P{number} hold c
             {} T0 request c
             {} P{number} release c
             {} P{number} leave c
             {} T0 hold c
             {} T0 release c
             {} T0 leave c
            ",
            time + 1,
            time + 2,
            time + 5,
            time + 5,
            time + 6,
            time + 7,
            time + 8,
        );
    }
    check_causes(
        &script,
        expect![[r#"
        T0 in c for others x5 0 wait=15
        T0 in c for P15's c x1 0 wait=3
        T0 in c for P14's c x1 0 wait=3
        T0 in c for P13's c x1 0 wait=3
        T0 in c for P12's c x1 0 wait=3
        T0 in c for P11's c x1 0 wait=3
        T0 in c for P10's c x1 0 wait=3
        T0 in c for P9's c x1 0 wait=3
        T0 in c for P8's c x1 0 wait=3
        T0 in c for P7's c x1 0 wait=3
        T0 in c for P6's c x1 0 wait=3
        T0 in c for P5's c x1 0 wait=3
        T0 in c for P4's c x1 0 wait=3
        T0 in c for P3's c x1 0 wait=3
        T0 in c for P2's c x1 0 wait=3
        T0 in c for P1's c x1 0 wait=3
        T0 in c for P0's c x1 0 wait=3
    "#]],
    );
}
