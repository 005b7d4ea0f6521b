//! Critical paths, computed by hand.

use expect_test::{Expect, expect};

use crate::tests::check_by;
use crate::text;

fn check(trace: &str, expect: Expect) {
    check_by(text::analyse_path, trace, expect);
}

#[test]
fn the_path_leads_through_the_last_thread_at_a_barrier() {
    // From the fork to the arrival of thread 1 at 30, then back on thread 0.
    check(
        "end 60
         team A = 0.0 0.1
         5 0.0 + main
         10 0.0 fork; team A; + parallel
         12 0.1 team A; + parallel; + work
         20 0.0 + ibarrier
         29 0.1 -
         30 0.1 + ibarrier
         33 0.0 -; -; endteam A; join
         33 0.1 -; -; endteam A
         50 0.0 -",
        expect![[r#"
            program on 0.0: 15
            program/main on 0.0: 22
            program/main/parallel on 0.1: 3
            program/main/parallel/work on 0.1: 17
            program/main/parallel/ibarrier on 0.0: 3
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_the_holder_of_a_lock() {
    // Thread 1 has the lock up to 30; thread 0 waits for it, and arrives last.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.1 + critical; acquire 0 1; + critical_body
         20 0.0 + critical
         30 0.1 -; release 0 1; -
         31 0.1 + ibarrier
         32 0.0 acquire 0 2; + critical_body
         40 0.0 -; release 0 2; -
         42 0.0 + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A",
        expect![[r#"
            program on 0.0: 26
            program/parallel on 0.0: 2
            program/parallel on 0.1: 2
            program/parallel/critical on 0.0: 2
            program/parallel/critical/critical_body on 0.0: 8
            program/parallel/critical/critical_body on 0.1: 18
            program/parallel/ibarrier on 0.0: 2
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_the_last_task_in_a_barrier() {
    // Thread 1 executes the task up to 40, after both have arrived.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         11 0.0 + task_create; create A 0 1
         12 0.0 -
         20 0.0 + ibarrier
         21 0.1 + ibarrier
         22 0.1 switch A 0 1; + task
         40 0.1 -; done A 0 1; switch A 0 0
         43 0.0 -; -; endteam A; join
         43 0.1 -; -; endteam A",
        expect![[r#"
            program on 0.0: 27
            program/parallel on 0.1: 11
            program/parallel/ibarrier on 0.0: 3
            program/parallel/ibarrier on 0.1: 1
            TASKS/task on 0.1: 18
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_turns() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + for
         10 0.1 team A; + parallel; + for
         12 0.1 + ordered
         14 0.0 + ordered; + ordered_body
         30 0.0 -; -; + ibarrier
         31 0.1 + ordered_body
         40 0.1 -; -; + ibarrier
         44 0.0 -; -; -; endteam A; join
         44 0.1 -; -; -; endteam A",
        expect![[r#"
            program on 0.0: 26
            program/parallel/for on 0.0: 4
            program/parallel/for/ordered on 0.1: 1
            program/parallel/for/ordered/ordered_body on 0.0: 16
            program/parallel/for/ordered/ordered_body on 0.1: 9
            program/parallel/for/ibarrier on 0.0: 4
            length 60
        "#]],
    );
}

#[test]
fn a_clock_error_or_an_open_end_leaves_the_path_whole() {
    // Thread 0 leaves before thread 1 arrives; the second region never ends.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         20 0.0 + ibarrier
         23 0.0 -; -; endteam A; join
         25 0.1 + ibarrier
         26 0.1 -; -; endteam A
         30 0.0 fork; team A; + parallel
         31 0.1 team A; + parallel; + ibarrier
         50 0.0 + work",
        expect![[r#"
            program on 0.0: 17
            program/parallel on 0.0: 30
            program/parallel/ibarrier on 0.0: 3
            program/parallel/work on 0.0: 10
            length 60
        "#]],
    );
}

#[test]
fn nested_teams_are_parts_of_the_path() {
    check(
        "end 80
         team A = 0.0 0.1
         team B = 0.1 0.2
         10 0.0 fork; team A; + parallel:1
         10 0.1 team A; + parallel:1; fork
         11 0.1 team B; + parallel:2
         12 0.2 team B; + parallel:2
         20 0.1 + ibarrier
         35 0.2 + ibarrier
         36 0.1 -; -; endteam B; join
         36 0.2 -; -; endteam B
         15 0.0 + ibarrier
         40 0.1 + ibarrier
         42 0.0 -; -; endteam A; join
         42 0.1 -; -; endteam A",
        expect![[r#"
            program on 0.0: 48
            program/parallel:1 on 0.1: 4
            program/parallel:1/parallel:2 on 0.2: 25
            program/parallel:1/parallel:2/ibarrier on 0.1: 1
            program/parallel:1/ibarrier on 0.0: 2
            length 80
        "#]],
    );
}

#[test]
fn several_processes_have_no_path() {
    check(
        "end 60
         comm W = 0 1
         0 0.0 + MPI_Barrier; begin
         0 1.0 + MPI_Barrier; begin",
        expect![[r#"
            length 0
        "#]],
    );
}
