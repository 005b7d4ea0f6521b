//! Traces in which something was not recorded: what depends on it is counted, and nothing is guessed.

use expect_test::{Expect, expect};

use crate::text::{analyse, parse};

fn check(text: &str, expected: Expect) {
    let found = parse(text).and_then(|trace| analyse(&trace));
    expected.assert_eq(&found.unwrap_or_else(|error| error));
}

#[test]
fn a_barrier_after_a_time_without_recording_may_be_any_one() {
    // Thread 1 was not recorded at the first barrier. The last one of its records is therefore not
    // the second one of thread 0. The next parallel region is not concerned.
    check(
        "pompeii
         end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.1 + OFF; off
         14 0.0 + barrier
         20 0.0 -
         25 0.1 on; -
         26 0.1 + barrier
         30 0.0 + barrier
         31 0.0 -
         31 0.1 -
         40 0.0 -; endteam A; join
         40 0.1 -; endteam A
         50 0.0 fork; team A; + parallel
         50 0.1 team A; + parallel; + ibarrier
         56 0.0 + ibarrier
         60 0.0 -; -; endteam A; join
         60 0.1 -; -; endteam A",
        expect![[r#"
            program  time=[50, 0]  visits=[1, 0]
            program/parallel  time=[29, 12]  visits=[2, 2]
            program/parallel/MEASUREMENT OFF  time=[0, 13]  visits=[0, 1]
            program/parallel/barrier  time=[7, 5]  visits=[2, 1]
            program/parallel/ibarrier  time=[4, 10]  visits=[1, 1]
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
            barrier 0.0 program/parallel/ibarrier 56..60, latest 56 0.0 program/parallel/ibarrier: wait 0, starvation 0, join 4
            barrier 0.1 program/parallel/ibarrier 50..60, latest 56 0.0 program/parallel/ibarrier: wait 6, starvation 0, join 4
            part 0.0 program/parallel 50 50..60 60: fork 0, join 0
            part 0.1 program/parallel 50 50..60 60: fork 0, join 0
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 0, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 1, dropped: 0, errors: 0 }
            incomplete 2
        "#]],
    );
}

#[test]
fn dropped_records_end_what_is_open_on_a_location() {
    // Thread 1 has lost the end of its part and the begin of another one. What it does later is
    // not matched. The lock tells by its order who had it.
    check(
        "pompeii
         end 90
         team A = 0.0 0.1
         5 0.0 + main; fork; team A; + parallel
         6 0.1 team A; + parallel; + work
         10 0.1 off
         12 0.0 + ibarrier
         20 0.0 -; -; endteam A; join; fork; team A; + parallel
         24 0.0 + critical; acquire 0 1; + critical_body
         28 0.1 on; + critical
         30 0.0 -; release 0 1; -; + ibarrier
         34 0.1 acquire 0 2; + critical_body; -; release 0 2; -; + ibarrier
         40 0.0 -; -; endteam A; join
         40 0.1 -; -; endteam A
         50 0.0 fork; team A; + parallel
         52 0.1 team A; + parallel
         60 0.0 -; endteam A; join
         60 0.1 -; endteam A",
        expect![[r#"
            program  time=[5, 0]  visits=[1, 0]
            program/main  time=[40, 0]  visits=[1, 0]
            program/main/parallel  time=[21, 1]  visits=[3, 1]
            program/main/parallel/work  time=[0, 4]  visits=[0, 1]
            program/main/parallel/ibarrier  time=[18, 0]  visits=[2, 0]
            program/main/parallel/critical  time=[0, 0]  visits=[1, 0]
            program/main/parallel/critical/critical_body  time=[6, 0]  visits=[1, 0]
            program/MEASUREMENT OFF  time=[0, 18]  visits=[0, 1]
            program/critical  time=[0, 6]  visits=[0, 1]
            program/critical/critical_body  time=[0, 0]  visits=[0, 1]
            program/ibarrier  time=[0, 6]  visits=[0, 1]
            program/parallel  time=[0, 8]  visits=[0, 1]
            lock 0 #1 0.0 program/main/parallel/critical 24..24, after none: wait 0
            lock 0 #2 0.1 program/critical 28..34, after 30 0.0 program/main/parallel/critical: wait 2
            part 0.0 program/main/parallel 5 5..20 20: fork 0, join 0
            part 0.1 program/main/parallel 5 6..20 20: fork 1, join 0
            part 0.0 program/main/parallel 20 20..40 40: fork 0, join 0
            part 0.0 program/main/parallel 50 50..60 60: fork 0, join 0
            Gaps { backward: 0, beyond: 0, unbalanced: 1, open_regions: 1, unknown_forks: 1, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 1, errors: 0 }
            incomplete 5
        "#]],
    );
}

#[test]
fn no_thread_waits_for_a_master_whose_records_were_dropped() {
    check(
        "pompeii
         end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         20 0.0 -; endteam A; join
         20 0.1 -; endteam A
         25 0.0 off
         30 0.1 team A; + parallel
         40 0.1 -; endteam A
         45 0.0 on
         50 0.0 fork; team A; + parallel
         52 0.1 team A; + parallel; + ibarrier
         54 0.0 + ibarrier
         60 0.0 -; -; endteam A; join
         60 0.1 -; -; endteam A",
        expect![[r#"
            program  time=[50, 0]  visits=[1, 0]
            program/parallel  time=[14, 20]  visits=[2, 3]
            program/parallel/ibarrier  time=[6, 8]  visits=[1, 1]
            program/MEASUREMENT OFF  time=[20, 0]  visits=[1, 0]
            part 0.0 program/parallel 10 10..20 20: fork 0, join 0
            part 0.1 program/parallel 10 10..20 20: fork 0, join 0
            part 0.0 program/parallel 50 50..60 60: fork 0, join 0
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 0, unknown_forks: 2, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 1, errors: 0 }
            incomplete 3
        "#]],
    );
}

#[test]
fn of_two_forks_of_a_team_the_earliest_one_has_the_workers() {
    // Thread 2 is in the parallel region of thread 0, for each number of threads of the analysis.
    check(
        "pompeii
         end 90
         team A = 0.0 0.1 0.2
         5 0.0 + main
         5 0.1 + other
         10 0.0 fork
         20 0.1 fork
         30 0.0 team A
         30 0.1 team A
         40 0.2 team A; + parallel
         50 0.2 -; endteam A",
        expect![[r#"
            program  time=[5, 0, 0]  visits=[1, 0, 0]
            program/main  time=[85, 0, 0]  visits=[1, 0, 0]
            program/main/parallel  time=[0, 0, 40]  visits=[0, 0, 1]
            program/other  time=[0, 85, 0]  visits=[0, 1, 0]
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 2, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 2
        "#]],
    );
}

#[test]
fn other_writers_are_off_without_a_region() {
    check(
        "end 50
         5 0.0 + main
         20 0.0 off
         30 0.0 on; + work
         35 0.0 -; -",
        expect![[r#"
            program  time=[20]  visits=[1]
            program/main  time=[15]  visits=[1]
            program/main/MEASUREMENT OFF  time=[10]  visits=[1]
            program/main/work  time=[5]  visits=[1]
        "#]],
    );
}

#[test]
fn a_message_that_was_sent_without_recording_is_not_the_next_one() {
    // Rank 0 was not recorded when it sent the first message.
    check(
        "pompeii
         end 90
         comm W = 0 1
         5 0.0 + OFF; off
         8 1.0 + MPI_Recv
         12 1.0 recv 0 W 7 100; -
         20 0.0 on; -
         20 1.0 + MPI_Recv
         26 0.0 + MPI_Send; send 1 W 7 200; -
         28 1.0 recv 0 W 7 200; -",
        expect![[r#"
            program  time=[75, 78]  visits=[1, 1]
            program/MEASUREMENT OFF  time=[15, 0]  visits=[1, 0]
            program/MPI_Recv  time=[0, 12]  visits=[0, 2]
            program/MPI_Send  time=[0, 0]  visits=[1, 0]
            late sender 1.0 program/MPI_Recv 20..28: wait 6 for 0.0 program/MPI_Send, 200 bytes
            incomplete 1
        "#]],
    );
}

#[test]
fn messages_and_operations_of_a_process_with_dropped_records_are_not_matched() {
    check(
        "pompeii
         end 90
         comm W = 0 1
         5 0.0 off
         20 0.0 on
         8 1.0 + MPI_Recv
         12 1.0 recv 0 W 7 100; -
         20 1.0 + MPI_Recv
         26 0.0 + MPI_Send; send 1 W 7 200; -
         28 1.0 recv 0 W 7 200; -
         30 0.0 + MPI_Allreduce; begin
         40 1.0 + MPI_Allreduce; begin
         42 0.0 end ALLREDUCE W - 8 8; -
         42 1.0 end ALLREDUCE W - 8 8; -",
        expect![[r#"
            program  time=[63, 76]  visits=[1, 1]
            program/MEASUREMENT OFF  time=[15, 0]  visits=[1, 0]
            program/MPI_Recv  time=[0, 12]  visits=[0, 2]
            program/MPI_Send  time=[0, 0]  visits=[1, 0]
            program/MPI_Allreduce  time=[12, 2]  visits=[1, 1]
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 0, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 1, errors: 0 }
            incomplete 5
        "#]],
    );
}
