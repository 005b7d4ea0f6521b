//! Metrics of traces that texts describe.

use expect_test::{Expect, expect};
use pompeii_replay::{Options, text};

use super::*;

/// Shows the metrics of a trace by call path, and its waits. They are the same for all numbers of
/// ranks.
fn check(trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    let options = Options { path: true, ..Options::default() };
    let [alone, two, four] = [1, 2, 4].map(|ranks| {
        let (severities, outcome) = analysed(&trace, ranks, options);
        shown(&severities, &outcome)
    });
    assert_eq!(two, alone, "two ranks");
    assert_eq!(four, alone, "four ranks");
    expect.assert_eq(&alone);
}

fn shown(severities: &Severities, outcome: &Outcome) -> String {
    let cube = severities.cube(outcome);
    let mut shown = String::new();
    for call in cube.calls.ids() {
        shown += &outcome.path(call);
        for (id, metric) in cube.metrics().enumerated() {
            let row = cube.row(id, call);
            if row.iter().any(|value| *value != 0) {
                shown += &format!("  {}={row:?}", metric.name);
            }
        }
        shown.push('\n');
    }
    for wait in &cube.waits {
        let by = wait.by.map_or("an unknown cause".to_owned(), |(call, location)| {
            format!("{} on {}", outcome.path(call), location.0)
        });
        let at = (outcome.path(wait.call), wait.location.0);
        shown += &format!(
            "{} on {}: {} visits, {} ticks, {} starvation, for {by}\n",
            at.0, at.1, wait.visits, wait.wait_ticks, wait.starvation_ticks
        );
    }
    // All time is that of the program, of tasks or idle.
    if let Err(error) = crate::check_sum(&crate::derive(&cube)) {
        shown += &format!("! {error}\n");
    }
    shown
}

/// A trace whose times fill 63 bits, so that their sums do not fit. One thread waits for the other.
fn large_trace() -> String {
    use std::fmt::Write as _;
    // The analysis believes no longer time between two events.
    let step = 1_u64 << 56;
    let mut text = format!(
        "end {}\nteam A = 0.0 0.1\n0 0.0 + main; fork; team A; + parallel\n\
         0 0.1 team A; + parallel\n",
        i64::MAX
    );
    for visit in 0..120 {
        let (begin, end) = (visit * step + 1, (visit + 1) * step);
        let _ = write!(text, "{begin} 0.1 + barrier\n{end} 0.0 + barrier; -\n{end} 0.1 -\n");
    }
    text
}

#[test]
fn times_near_the_largest_number_have_findings() {
    let trace = text::parse(&large_trace()).unwrap();
    for path in [false, true] {
        let (severities, outcome) = analysed(&trace, 1, Options { path, ..Options::default() });
        let measured = severities.cube(&outcome);
        let waits = measured.metric("omp_ebarrier_wait").unwrap();
        assert_eq!(measured.total(waits), 120 * ((1 << 56) - 1));
        assert_eq!(measured.allocation_ticks(), i64::MAX);
        let cube = crate::derive(&measured);
        let seconds = |cube: &Cube| cube.clock.seconds(cube.wall_ticks);
        let (before, after) = (seconds(&measured), seconds(&cube));
        assert!((before / after - 1.0).abs() < 1e-9, "{before} {after}");
        let found = crate::findings(&cube);
        let finding = found.iter().find(|it| it.property.name.contains("barrier"));
        let lost = cube.clock.seconds(finding.expect("a finding of the barrier").lost_ticks);
        let waited = measured.clock.seconds(measured.total(waits));
        assert!(lost > 0.4 * waited && lost < 1.001 * waited, "{lost} of {waited}");
        crate::efficiencies(&cube);
    }
}

#[test]
fn constructs_have_their_metrics() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         14 0.1 team A; + parallel; + omp_set_lock; acquire 1 1; -
         15 0.0 + critical; acquire 0 1; + critical_body
         16 0.1 + critical
         20 0.0 -; release 0 1; -
         21 0.1 acquire 0 2; + critical_body; -; release 0 2; -
         22 0.1 + barrier
         30 0.0 + barrier; -
         31 0.1 -; + ordered
         33 0.1 + ordered_body; -; -
         35 0.1 + ibarrier
         40 0.0 + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A",
        expect![[r#"
            program  time=[26, 0]  visits=[1, 0]  critical_path=[26, 0]
            program/parallel  time=[25, 9]  visits=[1, 1]  omp_fork=[0, 4]  omp_management=[0, 4]  critical_path=[25, 0]  delay_omp=[9, 0]
            program/parallel/omp_set_lock  visits=[0, 1]
            program/parallel/critical  time=[0, 5]  visits=[1, 1]  omp_lock_contention_critical=[0, 4]  omp_lock_handover=[0, 1]  omp_wait_direct=[0, 4]  omp_wait_terminal=[0, 4]
            program/parallel/critical/critical_body  time=[5, 0]  visits=[1, 1]  critical_path=[5, 0]  delay_omp=[8, 0]
            program/parallel/barrier  time=[0, 9]  visits=[1, 1]  omp_ebarrier_wait=[0, 8]  omp_barrier_last=[1, 0]  omp_barrier_delay=[8, 0]  omp_wait_direct=[0, 8]  omp_wait_terminal=[0, 8]
            program/parallel/ordered  time=[0, 2]  visits=[0, 1]  omp_ordered_wait=[0, 2]
            program/parallel/ordered/ordered_body  visits=[0, 1]
            program/parallel/ibarrier  time=[4, 9]  visits=[1, 1]  omp_management=[4, 4]  omp_ibarrier_wait=[0, 5]  omp_barrier_last=[1, 0]  omp_barrier_delay=[5, 0]  critical_path=[4, 0]  omp_wait_direct=[0, 5]  omp_wait_terminal=[0, 5]
            program/parallel/critical on 1: 1 visits, 4 ticks, 0 starvation, for program/parallel/critical on 0
            program/parallel/barrier on 1: 1 visits, 8 ticks, 0 starvation, for program/parallel/barrier on 0
            program/parallel/ordered on 1: 1 visits, 2 ticks, 0 starvation, for an unknown cause
            program/parallel/ibarrier on 1: 1 visits, 5 ticks, 0 starvation, for program/parallel/ibarrier on 0
        "#]],
    );
}

#[test]
fn a_barrier_with_tasks_has_starvation() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.0 + task_create; create A 0 1
         14 0.0 -
         20 0.0 + ibarrier
         20 0.1 + ibarrier
         22 0.1 switch A 0 1; + task
         40 0.1 -; done A 0 1; switch A 0 0
         42 0.0 -; -; endteam A; join
         42 0.1 -; -; endteam A",
        expect![[r#"
            program  time=[28, 0]  visits=[1, 0]  critical_path=[28, 0]
            program/parallel  time=[8, 10]  visits=[1, 1]  task_work=[38, 0]  task_span=[20, 0]  task_least=[20, 0]  critical_path=[0, 10]
            program/parallel/task_create  time=[2, 0]  visits=[1, 0]
            program/parallel/ibarrier  time=[22, 4]  visits=[1, 1]  omp_task_starvation=[22, 4]  omp_barrier_last=[0, 1]  task_wait_end=[20, 0]  critical_path=[2, 2]  omp_wait_direct=[20, 0]  omp_wait_terminal=[20, 0]
            program/parallel/ibarrier/task  task_time=[0, 18]  task_switches=[0, 1]
            TASKS
            TASKS/task  time=[0, 18]  visits=[0, 1]  task_ready=[0, 10]  critical_path=[0, 18]  delay_omp=[0, 20]
            program/parallel/ibarrier on 0: 1 visits, 0 ticks, 2 starvation, for an unknown cause
            program/parallel/ibarrier on 0: 1 visits, 0 ticks, 20 starvation, for TASKS/task on 1
            program/parallel/ibarrier on 1: 2 visits, 0 ticks, 4 starvation, for an unknown cause
        "#]],
    );
}

#[test]
fn processes_wait_for_messages_and_operations() {
    check(
        "end 40
         comm W = 0 1
         0 0.0 program; + MPI_Recv
         0 1.0 program
         10 1.0 + MPI_Send; send 0 W 1 8
         11 1.0 -
         12 0.0 recv 1 W 1 8; -
         20 0.0 + MPI_Barrier; begin
         30 1.0 + MPI_Barrier; begin
         32 1.0 end BARRIER W - 0 0; -
         32 0.0 end BARRIER W - 0 0; -
         40 0.0 exit
         40 1.0 exit",
        expect![[r#"
            program  time=[16, 37]  visits=[1, 1]  critical_path=[8, 29]  delay_latesender=[0, 10]  delay_barrier=[0, 10]
            program/MPI_Recv  time=[12, 0]  visits=[1, 0]  comms_recv=[1, 0]  bytes_rcvd=[8, 0]  mpi_latesender=[10, 0]  mpi_cls_count=[1, 0]  mpi_wait_direct_latesender=[10, 0]  mpi_wait_terminal_ls=[10, 0]
            program/MPI_Send  time=[0, 1]  visits=[0, 1]  comms_send=[0, 1]  bytes_sent=[0, 8]  critical_path=[0, 1]
            program/MPI_Barrier  time=[12, 2]  visits=[1, 1]  mpi_barrier_wait=[10, 0]  critical_path=[2, 0]  mpi_wait_direct_collective=[10, 0]  mpi_wait_terminal_collective=[10, 0]
            program/MPI_Recv on 0: 1 visits, 10 ticks, 0 starvation, for program/MPI_Send on 1
            program/MPI_Barrier on 0: 1 visits, 10 ticks, 0 starvation, for program/MPI_Barrier on 1
        "#]],
    );
}

#[test]
fn messages_count_by_their_data_and_their_order() {
    // The receive of tag 1 waits from 10 to 50 for rank 1. That of tag 2 takes an empty message
    // which was sent at 20. MPI_Ssend waits from 60 to 70 for its receive.
    check(
        "end 90
         comm W = 0 1
         0 0.0 program
         0 1.0 program
         10 0.0 + MPI_Recv
         20 1.0 + MPI_Send; send 0 W 2 0
         21 1.0 -
         50 1.0 + MPI_Send; send 0 W 1 8
         51 1.0 -
         52 0.0 recv 1 W 1 8; -
         54 0.0 + MPI_Recv
         55 0.0 recv 1 W 2 0; -
         60 1.0 + MPI_Ssend; send 0 W 3 0
         70 0.0 + MPI_Recv
         75 0.0 recv 1 W 3 0; -
         76 1.0 -
         90 0.0 exit
         90 1.0 exit",
        expect![[r#"
            program  time=[42, 72]  visits=[1, 1]  critical_path=[17, 63]  delay_latesender=[0, 39]  delay_latereceiver=[8, 0]
            program/MPI_Recv  time=[48, 0]  visits=[3, 0]  comms_recv=[3, 0]  bytes_rcvd=[8, 0]  mpi_latesender=[40, 0]  mpi_latesender_wo=[40, 0]  mpi_lswo_same=[40, 0]  mpi_cls_count=[1, 0]  mpi_clswo_count=[1, 0]  critical_path=[3, 0]  delay_latereceiver=[2, 0]  mpi_wait_direct_latesender=[40, 0]  mpi_wait_terminal_ls=[40, 0]
            program/MPI_Send  time=[0, 2]  visits=[0, 2]  comms_send=[0, 2]  bytes_sent=[0, 8]  critical_path=[0, 1]  delay_latesender=[0, 1]
            program/MPI_Ssend  time=[0, 16]  visits=[0, 1]  comms_send=[0, 1]  mpi_latereceiver=[0, 10]  mpi_slr_count=[0, 1]  critical_path=[0, 6]  mpi_wait_direct_latereceiver=[0, 10]  mpi_wait_terminal_lr=[0, 10]
            program/MPI_Recv on 0: 1 visits, 40 ticks, 0 starvation, for program/MPI_Send on 1
            program/MPI_Ssend on 1: 1 visits, 10 ticks, 0 starvation, for program/MPI_Recv on 0
        "#]],
    );
}

#[test]
fn the_begin_and_the_end_of_mpi_and_of_operations_have_metrics() {
    // MPI_Init: rank 1 leaves 2 ticks after rank 0. MPI_Allreduce: rank 0 waits 10 ticks, and
    // leaves 1 tick after rank 1. The barrier is left by rank 0 first. MPI_Finalize: rank 1
    // waits 5 ticks.
    check(
        "end 90
         comm W = 0 1
         0 0.0 program; + MPI_Init
         0 1.0 program; + MPI_Init
         8 0.0 -
         10 1.0 -
         20 0.0 + MPI_Allreduce; begin
         30 1.0 + MPI_Allreduce; begin
         32 1.0 end ALLREDUCE W - 16 8; -
         33 0.0 end ALLREDUCE W - 16 8; -
         40 0.0 + MPI_Barrier; begin
         40 1.0 + MPI_Barrier; begin
         41 0.0 end BARRIER W - 0 0; -
         44 1.0 end BARRIER W - 0 0; -
         60 1.0 + MPI_Finalize
         65 0.0 + MPI_Finalize
         80 0.0 -
         80 1.0 -
         90 0.0 exit
         90 1.0 exit",
        expect![[r#"
            program  time=[53, 54]  visits=[1, 1]  critical_path=[41, 20]  delay_n2n=[0, 8]  delay_finalize=[5, 0]
            program/MPI_Init  time=[8, 10]  visits=[1, 1]  mpi_init_completion=[0, 2]  critical_path=[0, 10]  delay_n2n=[0, 2]
            program/MPI_Allreduce  time=[13, 2]  visits=[1, 1]  bytes_cout=[16, 16]  bytes_cin=[8, 8]  mpi_wait_nxn=[10, 0]  mpi_nxn_completion=[1, 0]  critical_path=[3, 0]  mpi_wait_direct_collective=[10, 0]  mpi_wait_terminal_collective=[10, 0]
            program/MPI_Barrier  time=[1, 4]  visits=[1, 1]  mpi_barrier_completion=[0, 3]  critical_path=[1, 0]
            program/MPI_Finalize  time=[15, 20]  visits=[1, 1]  mpi_finalize_wait=[0, 5]  critical_path=[15, 0]  mpi_wait_direct_collective=[0, 5]  mpi_wait_terminal_collective=[0, 5]
            program/MPI_Allreduce on 0: 1 visits, 10 ticks, 0 starvation, for program/MPI_Allreduce on 1
            program/MPI_Finalize on 1: 1 visits, 5 ticks, 0 starvation, for program/MPI_Finalize on 0
        "#]],
    );
}

#[test]
fn bytes_of_an_operation_are_those_of_the_call_that_begins_it() {
    check(
        "end 40
         comm W = 0 1
         0 0.0 program; + MPI_Iallreduce; start 1
         0 1.0 program; + MPI_Iallreduce; start 1
         1 0.0 -; + MPI_Wait
         1 1.0 -
         9 1.0 + MPI_Wait
         20 0.0 complete ALLREDUCE W - 8 4 1; -
         20 1.0 complete ALLREDUCE W - 8 4 1; -
         40 0.0 exit
         40 1.0 exit",
        expect![[r#"
            program  time=[20, 28]  visits=[1, 1]  critical_path=[20, 0]
            program/MPI_Iallreduce  time=[1, 1]  visits=[1, 1]  bytes_cout=[8, 8]  bytes_cin=[4, 4]  critical_path=[1, 0]
            program/MPI_Wait  time=[19, 11]  visits=[1, 1]  critical_path=[19, 0]
        "#]],
    );
}

#[test]
fn locks_of_other_models_have_no_waiting_of_openmp() {
    check(
        "end 40
         5 0.0 + mutex; acquire 1 1; -
         6 0.1 + mutex
         20 0.0 + unlock; release 1 1; -
         21 0.1 acquire 1 2; -",
        expect![[r#"
            program  time=[40, 19]  visits=[1, 0]  critical_path=[40, 0]  delay_omp=[14, 0]
            program/mutex  time=[0, 15]  visits=[1, 1]  omp_lock_handover=[0, 1]  omp_wait_direct=[0, 14]  omp_wait_terminal=[0, 14]
            program/unlock  visits=[1, 0]
            program/mutex on 1: 1 visits, 14 ticks, 0 starvation, for program/mutex on 0
        "#]],
    );
}
