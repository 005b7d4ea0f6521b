//! Traces with the records that OTF2 1.2 has replaced.

use expect_test::expect;

use crate::tests::check;

#[test]
fn locks_and_tasks_without_teams_are_found() {
    // Thread 1 waits for the critical section from 4 to 10. Thread 0 executes a task at the
    // barrier. Nothing is known about the barrier itself.
    check(
        "end 40
         0 0.0 program; omp fork; + parallel
         2 0.1 + parallel; + critical
         3 0.0 + critical; omp acquire 1 1; + critical_body
         4 0.1 - critical; + critical:2
         10 0.0 -; omp release 1 1; -; + task_create; omp create 7; -; + ibarrier
         11 0.1 omp acquire 1 2; + critical_body; -; omp release 1 2; -; + ibarrier
         12 0.0 omp switch 7; + task
         20 0.0 -; omp done 7; omp switch 0
         30 0.0 -; -; omp join
         30 0.1 -; -
         40 0.0 exit",
        expect![[r#"
            program  time=[10, 10]  visits=[1, 0]
            program/parallel  time=[3, 0]  visits=[1, 1]
            program/parallel/critical  time=[0, 2]  visits=[1, 1]
            program/parallel/critical/critical_body  time=[7, 0]  visits=[1, 0]
            program/parallel/critical:2  time=[0, 7]  visits=[0, 1]
            program/parallel/critical:2/critical_body  time=[0, 0]  visits=[0, 1]
            program/parallel/task_create  time=[0, 0]  visits=[1, 0]
            program/parallel/ibarrier  time=[12, 19]  visits=[1, 1]
            program/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[8, 0]  fragments=[1, 0]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[8, 0]  visits=[1, 0]
            lock 1 #1 0.0 program/parallel/critical 3..3, after none: wait 0
            lock 1 #2 0.1 program/parallel/critical:2 4..11, after 10 0.0 program/parallel/critical: wait 6
            forks without team 1
        "#]],
    );
}

#[test]
fn a_task_that_is_open_at_the_end_is_counted() {
    check(
        "end 40
         0 0.0 program; omp fork; + parallel; + task_create; omp create 7; -
         12 0.0 omp switch 7; + task",
        expect![[r#"
            program  time=[0]  visits=[1]
            program/parallel  time=[12]  visits=[1]
            program/parallel/task_create  time=[0]  visits=[1]
            program/parallel/task  time=[0]  visits=[0]  task_time=[28]  fragments=[1]
            TASKS  time=[0]  visits=[0]
            TASKS/task  time=[28]  visits=[1]
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            forks without team 1
        "#]],
    );
}

#[test]
fn teams_without_numbers_have_no_barriers() {
    // Another writer: workers tell nothing of their part, and the master's has no team.
    check(
        "end 40
         0 0.0 program; + parallel; team -; + barrier
         2 0.1 + critical; acquire 1 1; - critical; release 1 1; + barrier
         20 0.0 -; + critical; acquire 1 2; -; release 1 2
         20 0.1 -
         30 0.0 endteam -; -
         40 0.0 exit",
        expect![[r#"
            program  time=[10, 20]  visits=[1, 0]
            program/parallel  time=[10, 0]  visits=[1, 0]
            program/parallel/barrier  time=[20, 0]  visits=[1, 0]
            program/parallel/critical  time=[0, 0]  visits=[1, 0]
            program/barrier  time=[0, 18]  visits=[0, 1]
            program/critical  time=[0, 0]  visits=[0, 1]
            lock 1 #1 0.1 program/critical 2..2, after none: wait 0
            lock 1 #2 0.0 program/parallel/critical 20..20, after 2 0.1 program/critical: wait 0
            forks without team 1
        "#]],
    );
}
