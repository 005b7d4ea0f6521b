//! Traces as Perfetto's packets.

use expect_test::{Expect, expect};
use pompeii_export::perfetto;
use pompeii_replay::text;

use crate::robust::packets::show;

/// The packets of a trace with this number of ticks in a second.
fn check_ticks(ticks_per_second: u64, trace: &str, expect: Expect) {
    let mut trace = text::parse(trace).unwrap();
    trace.definitions.ticks_per_second = ticks_per_second;
    let mut file = Vec::new();
    let read = perfetto::write(&mut || Ok(trace.trace()), &mut file).unwrap();
    assert_eq!(read.errors, 0);
    expect.assert_eq(&show(&file));
}

fn check(trace: &str, expect: Expect) {
    check_ticks(1_000_000_000, trace, expect);
}

/// As in Figures 3 and 4 of the paper on tasks: task 1 is suspended while task 2 is executed.
#[test]
fn a_suspended_task_is_cut_and_its_flow_leads_on() {
    check(
        "end 100
         team A = 0.0
         0 0.0 + ibarrier
         5 0.0 create A 0 1
         10 0.0 switch A 0 1; + task
         30 0.0 create A 0 2; switch A 0 2; + task
         60 0.0 -; done A 0 2; switch A 0 1
         70 0.0 -; done A 0 1; switch A 0 0
         90 0.0 -",
        expect![[r#"
            track 1: process 1 rank 0
            track 2 in 1: thread 1 of 1 0.0
            0 on 2: begin ibarrier (openmp)
            5 on 2: instant create task_0_1, flow 1
            10 on 2: begin task_0_1, flow 1
            10 on 2: begin task (openmp)
            30 on 2: instant create task_0_2, flow 2
            30 on 2: end
            30 on 2: end
            30 on 2: begin task_0_2, flow 2
            30 on 2: begin task (openmp)
            60 on 2: end
            60 on 2: instant end task_0_2, last of flow 2
            60 on 2: end
            60 on 2: begin task_0_1, flow 1
            60 on 2: begin task (openmp), goes on 1
            70 on 2: end
            70 on 2: instant end task_0_1, last of flow 1
            70 on 2: end
            90 on 2: end
        "#]],
    );
}

#[test]
fn a_message_is_a_flow_between_two_processes() {
    check(
        "end 100
         comm W = 0 1
         5 0.0 + MPI_Send; send 1 W 7 16
         10 0.0 -
         20 1.0 + MPI_Recv
         25 1.0 recv 0 W 7 16; -",
        expect![[r#"
            track 1: process 1 rank 0
            track 2: process 2 rank 1
            track 3 in 1: thread 1 of 1 0.0
            track 4 in 2: thread 2 of 2 1.0
            5 on 3: begin MPI_Send (mpi)
            10 on 3: end
            20 on 4: begin MPI_Recv (mpi)
            25 on 4: end
            5 on 3: instant send, flow 1, partner rank 1, bytes 16, tag 7, communicator 0
            25 on 4: instant receive, flow 1, partner rank 0, bytes 16, tag 7, communicator 0
        "#]],
    );
}

#[test]
fn counters_have_tracks_and_sums_are_instants() {
    check(
        "end 100
         counter flops = ACCUMULATED_START
         counter load = ABSOLUTE_POINT real
         0 0.0 + main
         10 0.0 count flops 5; count load 5e-1
         15 0.0 count flops -2
         20 0.0 sums leaf 3 6; -",
        expect![[r#"
            track 1: process 1 rank 0
            track 2 in 1: thread 1 of 1 0.0
            0 on 2: begin main (user)
            track 3 in 2: counter flops in #
            10 on 3: counter 5
            track 4 in 2: counter load in #
            10 on 4: counter 0.5
            15 on 3: counter -2
            20 on 2: instant visits without records, region leaf, visits 3, duration in ns 6
            20 on 2: end
        "#]],
    );
}

#[test]
fn a_name_is_defined_once_and_what_is_open_ends_with_the_trace() {
    check(
        "end 100
         10 0.0 + a; + b
         20 0.0 -; + b",
        expect![[r#"
            track 1: process 1 rank 0
            track 2 in 1: thread 1 of 1 0.0
            10 on 2: begin a (user)
            10 on 2: begin b (user)
            20 on 2: end
            20 on 2: begin b (user)
            100 on 2: end
            100 on 2: end
        "#]],
    );
}

/// Sources of regions come from the definitions; texts of traces have none.
#[test]
fn a_region_has_its_source() {
    let mut trace = text::parse("end 9\n1 0.0 + parallel\n2 0.0 -").unwrap();
    trace.definitions.ticks_per_second = 1_000_000_000;
    for region in trace.definitions.regions.iter_mut().filter(|it| it.name == "parallel") {
        (region.file, region.begin_line) = ("src/ocean.c".to_owned(), 118);
    }
    let mut file = Vec::new();
    perfetto::write(&mut || Ok(trace.trace()), &mut file).unwrap();
    let shown = show(&file);
    let begin = "1 on 2: begin parallel ocean.c:118 (openmp) src/ocean.c:118";
    assert!(shown.lines().any(|line| line == begin), "{shown}");
}

#[test]
fn times_are_nanoseconds_since_the_begin() {
    check_ticks(
        3,
        "end 3
         1 0.0 + a
         2 0.0 -",
        expect![[r#"
            track 1: process 1 rank 0
            track 2 in 1: thread 1 of 1 0.0
            333333333 on 2: begin a (user)
            666666666 on 2: end
        "#]],
    );
}

/// A disk that is full after some bytes.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let written = bytes.len().min(self.0);
        self.0 -= written;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_wherever_it_is_full() {
    let trace = "comm W = 0 1\n5 0.0 + MPI_Send; send 1 W 7 16\n6 0.0 -\n8 1.0 + MPI_Recv\n\
                 9 1.0 recv 0 W 7 16; -";
    let trace = text::parse(trace).unwrap();
    let mut whole = Vec::new();
    perfetto::write(&mut || Ok(trace.trace()), &mut whole).unwrap();
    for room in 0..whole.len() {
        let result = perfetto::write(&mut || Ok(trace.trace()), &mut Full(room));
        assert!(matches!(result, Err(pompeii_export::Error::Output(_))), "{room}: {result:?}");
    }
}
