//! Tasks with `depend` clauses begin after the tasks before them, in each scenario.

use super::check;

/// Task 2 comes after task 1, which takes 25 ticks on thread 1. Thread 0 comes to the barrier at 8,
/// and begins task 2 one tick after it can.
#[test]
fn a_task_begins_after_the_one_before_it() {
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         2 0.0 create A 0 1 inout:7; -; + task_create
         4 0.0 create A 0 2 inout:7; -
         5 0.1 switch A 0 1; + task:1
         8 0.0 + ibarrier
         30 0.1 -; done A 0 1; switch A 0 0
         31 0.0 switch A 0 2; + task:2
         50 0.0 -; done A 0 2; switch A 0 0
         52 0.0 -; -; endteam A; join
         52 0.1 -; -; endteam A",
        &[
            ("", 52),
            // Task 1 ends at 10, task 2 takes the time from 11 to 30.
            ("task:1=0.2", 32),
            // Task 1 ends at 5, before thread 0 is there at 8.
            ("task:1=0", 30),
            // It ends at 55, task 2 at 75.
            ("task:1=2", 77),
            ("task:2=0", 33),
            // Task 1 begins at 3.
            ("task_create=0", 50),
            ("parallel=0", 52),
            // Thread 0 goes on at 9.
            ("free ibarrier", 30),
        ],
        52,
    );
}

/// Task 1 is done at 6, long before task 2 is created at 20. Only if it takes longer, the thread of
/// task 2 waits for it.
#[test]
fn a_task_that_is_done_before_the_creation_of_the_next_one_can_end_after_it() {
    check(
        "end 40
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -; + work
         2 0.1 switch A 0 1; + task:1
         6 0.1 -; done A 0 1; switch A 0 0
         19 0.0 -; + task_create
         20 0.0 create A 0 2 in:7; -; + ibarrier
         21 0.0 switch A 0 2; + task:2
         31 0.0 -; done A 0 2; switch A 0 0
         32 0.0 -; -; endteam A; join
         32 0.1 -; -; endteam A",
        &[
            ("task:1=4", 32),
            // Task 1 takes the time from 2 to 22, task 2 that from 23 to 33.
            ("task:1=5", 34),
            // Task 2 is created at 2, but begins at 7, because task 1 is done at 6.
            ("work=0", 18),
            ("task:1=0", 32),
        ],
        32,
    );
}

/// Task 3 comes after task 1, which takes the time from 4 to 20, and task 2, from 5 to 30. Thread 0
/// comes to the taskwait at 6 and needs 1 tick to begin task 3.
#[test]
fn of_several_tasks_before_the_last_one_counts_in_each_scenario() {
    check(
        "end 60
         team A = 0.0 0.1 0.2
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         0 0.2 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -; + task_create
         2 0.0 create A 0 2 inout:8; -; + task_create
         3 0.0 create A 0 3 in:7 in:8; -
         4 0.1 switch A 0 1; + task:1
         5 0.2 switch A 0 2; + task:2
         6 0.0 + taskwait
         20 0.1 -; done A 0 1; switch A 0 0
         30 0.2 -; done A 0 2; switch A 0 0
         31 0.0 switch A 0 3; + task:3
         40 0.0 -; done A 0 3; switch A 0 0
         41 0.0 -; + ibarrier
         42 0.0 -; -; endteam A; join
         42 0.1 -; -; endteam A
         42 0.2 -; -; endteam A",
        &[
            // Task 2 ends at 10, task 1 at 20.
            ("task:2=0.2", 32),
            // Task 1 ends at 36, task 2 at 30.
            ("task:1=2", 48),
            ("task:1=0", 42),
        ],
        42,
    );
}

/// The tasks exclude each other and keep their order. Thread 2 begins task 2 at the time at which
/// thread 1 ends task 1.
#[test]
fn tasks_that_exclude_each_other_keep_their_order() {
    check(
        "end 60
         team A = 0.0 0.1 0.2
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         0 0.2 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 mutexinoutset:7; -; + task_create
         2 0.0 create A 0 2 mutexinoutset:7; -; + ibarrier
         5 0.1 switch A 0 1; + task:1
         15 0.1 -; done A 0 1; switch A 0 0
         15 0.2 switch A 0 2; + task:2
         25 0.2 -; done A 0 2; switch A 0 0
         26 0.0 -; -; endteam A; join
         26 0.1 -; -; endteam A
         26 0.2 -; -; endteam A",
        &[("", 26), ("task:1=2", 36), ("task:1=0", 16), ("task:2=0.5", 21)],
        26,
    );
}

/// Thread 0 begins task 2 at the time at which thread 1 ends task 1. Its record comes first.
#[test]
fn a_task_can_begin_at_the_time_at_which_the_one_before_it_ends() {
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         2 0.0 create A 0 1 inout:7; -; + task_create
         4 0.0 create A 0 2 inout:7; -
         5 0.1 switch A 0 1; + task:1
         8 0.0 + ibarrier
         30 0.0 switch A 0 2; + task:2
         30 0.1 -; done A 0 1; switch A 0 0
         50 0.0 -; done A 0 2; switch A 0 0
         52 0.0 -; -; endteam A; join
         52 0.1 -; -; endteam A",
        &[("", 52), ("task:1=2", 77), ("task:2=0", 32)],
        52,
    );
}

/// Thread 0 waits from 6 to 20 for task 1, and from 22 to 30 for task 2, which takes 25 ticks. It
/// leaves each taskwait one tick later.
#[test]
fn a_taskwait_with_items_waits_for_the_tasks_before_only() {
    check(
        "end 60
         team A = 0.0 0.1 0.2
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         0 0.2 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -; + task_create
         2 0.0 create A 0 2 inout:8; -
         4 0.1 switch A 0 1; + task:1
         5 0.2 switch A 0 2; + task:2
         6 0.0 + taskwait in:7
         20 0.1 -; done A 0 1; switch A 0 0
         21 0.0 -; + other
         22 0.0 -; + taskwait
         30 0.2 -; done A 0 2; switch A 0 0
         31 0.0 -; + rest
         33 0.0 -; + ibarrier
         33 0.0 -; -; endteam A; join
         33 0.1 -; -; endteam A
         33 0.2 -; -; endteam A",
        &[
            // Task 2 ends at 5; thread 0 goes on at 22 and leaves the second taskwait at 23.
            ("task:2=0", 25),
            // Task 1 ends at 36, thread 0 comes to the second taskwait at 38.
            ("task:1=2", 41),
            ("task:1=0", 33),
            ("other=0", 33),
        ],
        33,
    );
}

/// It is not known what thread 0 waits for from 6 to 21, so this time stays.
#[test]
fn a_taskwait_with_items_that_are_not_known_keeps_its_length() {
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -
         4 0.1 switch A 0 1; + task:1
         6 0.0 + taskwait unknown
         20 0.1 -; done A 0 1; switch A 0 0
         21 0.0 -; + ibarrier
         22 0.0 -; -; endteam A; join
         22 0.1 -; -; endteam A",
        &[("", 22), ("task:1=0", 22), ("task_create=0", 21)],
        22,
    );
}

/// Thread 0 creates task 2 at 6 and waits for the end of task 1 at 20. It begins task 2 one tick
/// later.
#[test]
fn a_thread_waits_for_the_tasks_before_one_that_it_executes_at_once() {
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         2 0.0 create A 0 1 inout:7; -
         4 0.1 switch A 0 1; + task:1
         5 0.0 + task_create:2
         6 0.0 create A 0 2 inout:7
         20 0.1 -; done A 0 1; switch A 0 0
         21 0.0 switch A 0 2; + task:2
         25 0.0 -; done A 0 2; switch A 0 0; -
         26 0.0 + ibarrier
         26 0.0 -; -; endteam A; join
         26 0.1 -; -; endteam A",
        &[
            ("", 26),
            // Task 1 ends at 12.
            ("task:1=0.5", 18),
            ("task:1=0", 12),
            ("task:1=2", 42),
            // Task 2 is created at 5, but waits all the same.
            ("task_create:2=0", 26),
            // Thread 0 is done at 12, but waits in the barrier for the end of task 1.
            ("free task_create:2", 20),
        ],
        26,
    );
}

/// Thread 0 waits in a target construct from 3 to 22, where task 1 ends, and goes on at 30.
#[test]
fn a_target_construct_begins_after_the_tasks_before_it() {
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -
         2 0.1 switch A 0 1; + task:1
         3 0.0 + target in:7
         22 0.1 -; done A 0 1; switch A 0 0
         30 0.0 -; + ibarrier
         32 0.0 -; -; endteam A; join
         32 0.1 -; -; endteam A",
        &[
            ("", 32),
            // Task 1 ends at 42.
            ("task:1=2", 52),
            // It ends at 12, so the construct ends at 20.
            ("task:1=0.5", 22),
            // It ends at 2, before thread 0 is there at 3.
            ("task:1=0", 13),
        ],
        32,
    );
}
