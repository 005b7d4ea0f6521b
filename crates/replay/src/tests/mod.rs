//! Traces as texts with results that were computed by hand. Each of them is analysed with all
//! combinations of threads and windows (`text::analyse`).

mod counters;
mod gaps;
mod instances;
mod legacy;

use expect_test::{Expect, expect};

use crate::text::{self, TextTrace};

/// Analyses a text; the result must be the expected one.
pub(crate) fn check(trace: &str, expect: Expect) {
    check_by(text::analyse, trace, expect);
}

/// The same for what one of the functions of `text` shows of the result.
pub(crate) fn check_by(
    analyse: fn(&TextTrace) -> Result<String, String>,
    trace: &str,
    expect: Expect,
) {
    let trace = text::parse(trace).unwrap();
    expect.assert_eq(&analyse(&trace).unwrap());
}

#[test]
fn a_parallel_region_has_the_time_from_fork_to_join() {
    check(
        "end 60
         team A = 0.0 0.1
         5 0.0 + main
         10 0.0 fork
         12 0.0 team A; + parallel
         14 0.1 team A
         15 0.1 + parallel
         20 0.1 + ibarrier
         30 0.0 + ibarrier
         31 0.1 -; -
         32 0.1 endteam A
         33 0.0 -; -; endteam A
         40 0.0 join
         50 0.0 -",
        expect![[r#"
            program  time=[15, 0]  visits=[1, 0]
            program/main  time=[15, 0]  visits=[1, 0]
            program/main/parallel  time=[27, 19]  visits=[1, 1]
            program/main/parallel/ibarrier  time=[3, 11]  visits=[1, 1]
            barrier 0.1 program/main/parallel/ibarrier 20..31, latest 30 0.0 program/main/parallel/ibarrier: wait 10, starvation 0, join 1
            barrier 0.0 program/main/parallel/ibarrier 30..33, latest 30 0.0 program/main/parallel/ibarrier: wait 0, starvation 0, join 3
            part 0.0 program/main/parallel 10 12..33 40: fork 2, join 7
            part 0.1 program/main/parallel 10 15..31 40: fork 5, join 9
        "#]],
    );
}

#[test]
fn the_clock_of_a_worker_may_put_its_begin_before_the_fork() {
    check(
        "end 50
         team A = 0.0 0.1
         10 0.0 fork
         12 0.0 team A; + parallel
         8 0.1 team A; + parallel
         30 0.1 -; endteam A
         30 0.0 -; endteam A
         30 0.0 join",
        expect![[r#"
            program  time=[30, 0]  visits=[1, 0]
            program/parallel  time=[20, 22]  visits=[1, 1]
            part 0.1 program/parallel 10 8..30 30: fork 0, join 0
            part 0.0 program/parallel 10 12..30 30: fork 2, join 0
        "#]],
    );
}

#[test]
fn nested_regions_have_the_call_paths_of_their_masters() {
    check(
        "end 100
         team A = 0.0 0.1
         team B = 0.1 0.2
         10 0.0 fork
         10 0.0 team A; + parallel:1
         12 0.1 team A; + parallel:1
         20 0.1 + work; fork
         22 0.1 team B; + parallel:2
         24 0.2 team B; + parallel:2
         30 0.2 -; endteam B
         30 0.1 -; endteam B; join
         40 0.1 -; -; endteam A
         50 0.0 -; endteam A; join",
        expect![[r#"
            program  time=[60, 0, 0]  visits=[1, 0, 0]
            program/parallel:1  time=[40, 20, 0]  visits=[1, 1, 0]
            program/parallel:1/work  time=[0, 10, 0]  visits=[0, 1, 0]
            program/parallel:1/work/parallel:2  time=[0, 10, 10]  visits=[0, 1, 1]
            part 0.1 program/parallel:1/work/parallel:2 20 22..30 30: fork 2, join 0
            part 0.2 program/parallel:1/work/parallel:2 20 24..30 30: fork 4, join 0
            part 0.0 program/parallel:1 10 10..50 50: fork 0, join 0
            part 0.1 program/parallel:1 10 12..40 50: fork 2, join 10
        "#]],
    );
}

#[test]
fn tasks_have_call_paths_of_their_own_and_suspend_each_other() {
    check(
        "end 100
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.0 + task_create; create A 0 1
         14 0.0 -
         20 0.0 + ibarrier
         22 0.0 switch A 0 1; + task; + work
         30 0.0 -; + task_create; create A 0 2
         32 0.0 -; + taskwait
         40 0.0 switch A 0 2; + task
         45 0.0 -; done A 0 2
         46 0.0 switch A 0 1; -; -; done A 0 1
         47 0.0 switch A 0 0
         20 0.1 + ibarrier
         50 0.1 -; -; endteam A
         50 0.0 -; -; endteam A; join",
        expect![[r#"
            program  time=[60, 0]  visits=[1, 0]
            program/parallel  time=[8, 10]  visits=[1, 1]
            program/parallel/task_create  time=[2, 0]  visits=[1, 0]
            program/parallel/ibarrier  time=[6, 30]  visits=[1, 1]
            program/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[24, 0]  fragments=[3, 0]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[5, 0]  visits=[2, 0]
            TASKS/task/work  time=[8, 0]  visits=[1, 0]
            TASKS/task/task_create  time=[2, 0]  visits=[1, 0]
            TASKS/task/taskwait  time=[9, 0]  visits=[1, 0]
            no task 0.0 program/parallel/ibarrier 20..22: 2, wait 0 for nothing
            taskwait 0.0 TASKS/task/taskwait 32..40: 8, wait 0 for nothing
            done 0.0 TASKS/task 40..45, created 30 0.0 TASKS/task/task_create: ready 10, work 5, 1 fragments, 0 children
            taskwait 0.0 TASKS/task/taskwait 45..46: 1, wait 0 for nothing
            done 0.0 TASKS/task 22..46, created 12 0.0 program/parallel/task_create: ready 10, work 10, 2 fragments, 1 children
            barrier 0.0 program/parallel/ibarrier 20..50, latest 20 0.1 program/parallel/ibarrier: wait 0, starvation 6, join 0
            no task 0.0 program/parallel/ibarrier 46..50: 4, wait 0 for nothing
            barrier 0.1 program/parallel/ibarrier 20..50, latest 20 0.1 program/parallel/ibarrier: wait 0, starvation 30, join 0
            no task 0.1 program/parallel/ibarrier 20..50: 30, wait 26 for end 46 0.0 TASKS/task
            part 0.0 program/parallel 10 10..50 50: fork 0, join 0
            part 0.1 program/parallel 10 10..50 50: fork 0, join 0
            team 0.0 program/parallel 10..50: 2 tasks, work 35, span 15, bounds 18..33
        "#]],
    );
}

#[test]
fn other_writers_switch_back_from_tasks_only_at_the_end_of_the_barrier() {
    check(
        "end 60
         team A = 0.0
         10 0.0 fork; team A; + parallel
         12 0.0 + ibarrier
         20 0.0 switch A 0 1; + task
         30 0.0 -; done A 0 1
         50 0.0 switch A 0 0; -; -; endteam A; join",
        expect![[r#"
            program  time=[20]  visits=[1]
            program/parallel  time=[2]  visits=[1]
            program/parallel/ibarrier  time=[28]  visits=[1]
            program/parallel/ibarrier/task  time=[0]  visits=[0]  task_time=[10]  fragments=[1]
            TASKS  time=[0]  visits=[0]
            TASKS/task  time=[10]  visits=[1]
            no task 0.0 program/parallel/ibarrier 12..20: 8, wait 0 for nothing
            done 0.0 TASKS/task 20..30, created unknown: ready 0, work 10, 1 fragments, 0 children
            barrier 0.0 program/parallel/ibarrier 12..50, latest 12 0.0 program/parallel/ibarrier: wait 0, starvation 28, join 0
            no task 0.0 program/parallel/ibarrier 30..50: 20, wait 0 for nothing
            team 0.0 program/parallel 10..50: 1 tasks, work 12, span 10, bounds 12..22
            part 0.0 program/parallel 10 10..50 50: fork 0, join 0
        "#]],
    );
}

#[test]
fn an_untied_task_moves_with_its_call_stack() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + ibarrier
         10 0.1 team A; + parallel; + ibarrier
         20 0.1 switch A 0 1; + task; + work
         25 0.1 switch A 0 0
         30 0.0 switch A 0 1
         35 0.0 -
         40 0.0 -; done A 0 1
         41 0.0 switch A 0 0
         50 0.1 -; -; endteam A
         50 0.0 -; -; endteam A; join",
        expect![[r#"
            program  time=[20, 0]  visits=[1, 0]
            program/parallel  time=[0, 0]  visits=[1, 1]
            program/parallel/ibarrier  time=[30, 35]  visits=[1, 1]
            program/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[10, 5]  fragments=[1, 1]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[5, 0]  visits=[0, 1]
            TASKS/task/work  time=[5, 5]  visits=[0, 1]
            no task 0.1 program/parallel/ibarrier 10..20: 10, wait 0 for nothing
            no task 0.0 program/parallel/ibarrier 10..30: 20, wait 15 for creation 25 0.1 program/parallel/ibarrier
            done 0.0 TASKS/task 20..40, created unknown: ready 0, work 15, 2 fragments, 0 children
            barrier 0.0 program/parallel/ibarrier 10..50, latest 10 0.1 program/parallel/ibarrier: wait 0, starvation 30, join 0
            no task 0.0 program/parallel/ibarrier 40..50: 10, wait 0 for nothing
            barrier 0.1 program/parallel/ibarrier 10..50, latest 10 0.1 program/parallel/ibarrier: wait 0, starvation 35, join 0
            no task 0.1 program/parallel/ibarrier 25..50: 25, wait 15 for end 40 0.0 TASKS/task
            part 0.0 program/parallel 10 10..50 50: fork 0, join 0
            part 0.1 program/parallel 10 10..50 50: fork 0, join 0
            team 0.0 program/parallel 10..50: 1 tasks, work 15, span 15, bounds 15..23
        "#]],
    );
}

#[test]
fn sums_take_their_time_from_the_region_around_them() {
    check(
        "end 50
         5 0.0 + main
         15 0.0 + critical; + critical_body; -; -
         20 0.0 sums atomic 3 6; sums critical 2 3; sums critical_body 2 1; -",
        expect![[r#"
            program  time=[35]  visits=[1]
            program/main  time=[6]  visits=[1]
            program/main/critical  time=[2]  visits=[3]
            program/main/critical/critical_body  time=[1]  visits=[3]
            program/main/atomic  time=[6]  visits=[3]
        "#]],
    );
}

#[test]
fn time_without_recording_is_that_of_a_region() {
    check(
        "end 50
         5 0.0 program; + main
         20 0.0 off
         30 0.0 on
         35 0.0 -
         40 0.0 exit",
        expect![[r#"
            program  time=[5]  visits=[1]
            program/main  time=[20]  visits=[1]
            program/main/MEASUREMENT OFF  time=[10]  visits=[1]
        "#]],
    );
}

#[test]
fn values_of_parameters_are_parts_of_call_paths() {
    // A value ends with its region; a new value of the same parameter takes the place of the last
    // one and of those after it. A task takes its values along to the thread that goes on with it.
    check(
        "end 80
         team A = 0.0 0.1
         5 0.0 + main; value level 1
         10 0.0 value size 7; + work
         12 0.0 value level 3; -
         15 0.0 value level 2
         20 0.0 fork; team A; + parallel
         20 0.1 team A; + parallel; + ibarrier
         22 0.0 + task_create; create A 0 1; -; switch A 0 1; + task; value level 4
         25 0.0 switch A 0 0
         30 0.1 switch A 0 1
         32 0.1 value level 5
         36 0.1 -; done A 0 1; switch A 0 0
         40 0.0 value level 6; + ibarrier
         50 0.0 -; -; endteam A; join
         50 0.1 -; -; endteam A
         60 0.0 -",
        expect![[r#"
            program  time=[25, 0]  visits=[1, 0]
            program/main  time=[0, 0]  visits=[1, 0]
            program/main/level=1  time=[5, 0]  visits=[1, 0]
            program/main/level=1/size=7  time=[3, 0]  visits=[1, 0]
            program/main/level=1/size=7/work  time=[2, 0]  visits=[1, 0]
            program/main/level=1/size=7/work/level=3  time=[0, 0]  visits=[1, 0]
            program/main/level=2  time=[15, 0]  visits=[1, 0]
            program/main/level=2/parallel  time=[17, 0]  visits=[1, 1]
            program/main/level=2/parallel/ibarrier  time=[10, 24]  visits=[1, 1]
            program/main/level=2/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[0, 6]  fragments=[0, 1]
            program/main/level=2/parallel/task_create  time=[0, 0]  visits=[1, 0]
            program/main/level=2/parallel/task  time=[0, 0]  visits=[0, 0]  task_time=[3, 0]  fragments=[1, 0]
            program/main/level=2/parallel/level=6  time=[0, 0]  visits=[1, 0]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[0, 0]  visits=[1, 0]
            TASKS/task/level=4  time=[3, 2]  visits=[1, 0]
            TASKS/task/level=5  time=[0, 4]  visits=[0, 1]
            no task 0.1 program/main/level=2/parallel/ibarrier 20..30: 0, wait 0 for creation 25 0.0 program/main/level=2/parallel
            done 0.1 TASKS/task 22..36, created 22 0.0 program/main/level=2/parallel/task_create: ready 0, work 9, 2 fragments, 0 children
            barrier 0.0 program/main/level=2/parallel/ibarrier 40..50, latest 40 0.0 program/main/level=2/parallel/ibarrier: wait 0, starvation 10, join 0
            no task 0.0 program/main/level=2/parallel/ibarrier 40..50: 10, wait 0 for nothing
            barrier 0.1 program/main/level=2/parallel/ibarrier 20..50, latest 40 0.0 program/main/level=2/parallel/ibarrier: wait 14, starvation 10, join 0
            no task 0.1 program/main/level=2/parallel/ibarrier 36..50: 10, wait 0 for nothing
            part 0.0 program/main/level=2/parallel 20 20..50 50: fork 0, join 0
            part 0.1 program/main/level=2/parallel 20 20..50 50: fork 0, join 0
            team 0.0 program/main/level=2/parallel 20..50: 1 tasks, work 26, span 26, bounds 26..39
        "#]],
    );
}

#[test]
fn damage_is_counted_and_reading_goes_on() {
    check(
        "end 50
         team A = 0.0 0.1
         5 0.0 + main; + inner
         10 0.0 - main
         8 0.0 + late
         20 0.0 - never
         10 0.1 team A; + parallel
         12 0.1 switch A 0 7
         15 0.1 + work
         30 0.1 -",
        expect![[r#"
            program  time=[5, 0]  visits=[1, 0]
            program/main  time=[0, 0]  visits=[1, 0]
            program/main/inner  time=[5, 0]  visits=[1, 0]
            program/late  time=[40, 0]  visits=[1, 0]
            program/parallel  time=[0, 2]  visits=[0, 1]
            TASKS  time=[0, 23]  visits=[0, 0]
            TASKS/work  time=[0, 15]  visits=[0, 1]
            Gaps { backward: 1, beyond: 0, unbalanced: 2, open_regions: 1, unknown_forks: 1, unknown_tasks: 1, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 1
        "#]],
    );
}

#[test]
fn processes_have_call_paths_in_common() {
    check(
        "end 50
         comm W = 0 1
         5 0.0 + MPI_Send; send 1 W 7 100
         10 0.0 -
         5 1.0 + MPI_Recv
         12 1.0 recv 0 W 7 100; -",
        expect![[r#"
            program  time=[45, 43]  visits=[1, 1]
            program/MPI_Send  time=[5, 0]  visits=[1, 0]
            program/MPI_Recv  time=[0, 7]  visits=[0, 1]
        "#]],
    );
}
