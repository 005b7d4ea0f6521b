//! Metrics of the causes of waiting: how long other threads and processes waited because of a call
//! path on a location, by the kind of waiting.

use pompeii_model::{Cube, Metric};
use pompeii_replay::Outcome;
use pompeii_replay::blame::Kind;
use pompeii_replay::compound::{MpiKind, Pattern};

/// The metrics of a kind: of all waiting or, between processes, of the direct part, and of the
/// indirect part.
fn names(kind: Kind) -> Option<(&'static str, &'static str)> {
    let Kind::Mpi(kind) = kind else { return Some(("delay_omp", "delay_omp_indirect")) };
    Some(match kind {
        MpiKind::LateSender => ("delay_latesender", "delay_latesender_longterm"),
        MpiKind::LateReceiver => ("delay_latereceiver", "delay_latereceiver_longterm"),
        MpiKind::Icollective => ("delay_icollective", "delay_icollective_longterm"),
        MpiKind::Collective(pattern) => match pattern {
            Pattern::Barrier => ("delay_barrier", "delay_barrier_longterm"),
            Pattern::AllToAll => ("delay_n2n", "delay_n2n_longterm"),
            Pattern::OneToAll => ("delay_12n", "delay_12n_longterm"),
            Pattern::AllToOne => ("delay_n21", "delay_n21_longterm"),
            Pattern::Scan => ("delay_scan", "delay_scan_longterm"),
            Pattern::Finalize => ("delay_finalize", "delay_finalize_longterm"),
            Pattern::Fence => ("delay_fence", "delay_fence_longterm"),
            Pattern::File => ("delay_file", "delay_file_longterm"),
            Pattern::WindowCreate | Pattern::WindowFree => {
                ("delay_window", "delay_window_longterm")
            }
            // The begin of MPI has no cause in the program.
            Pattern::Init => return None,
        },
    })
}

/// Adds the metrics of a trace.
pub(crate) fn add(cube: &mut Cube, outcome: &Outcome, metric: fn(&str) -> Metric) {
    for &(kind, call, location, delay) in &outcome.delays_by_kind {
        let Some((name, indirect)) = names(kind) else { continue };
        let ids = [name, indirect]
            .map(|name| cube.metric(name).unwrap_or_else(|| cube.add_metric(metric(name))));
        let all = if kind == Kind::Threads { delay.indirect } else { 0 };
        cube.add(ids[0], call, location, delay.direct + all);
        cube.add(ids[1], call, location, delay.indirect);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_replay::{Options, text};

    use crate::trace::analysed;

    /// Shows the delays of a trace by metric, call path and location.
    fn check(trace: &str, expect: Expect) {
        let trace = text::parse(trace).unwrap();
        let options = Options { path: true, ..Options::default() };
        let (severities, outcome) = analysed(&trace, 1, options);
        let cube = crate::derive(&severities.cube(&outcome));
        let mut shown = String::new();
        for (id, metric) in cube.metrics().enumerated() {
            let is_delay = metric.name.starts_with("delay") && metric.name != "delay_mpi";
            for call in cube.calls.ids().filter(|_| is_delay) {
                for (location, ticks) in cube.row(id, call).iter().enumerate() {
                    if *ticks != 0 {
                        let path = outcome.path(call);
                        shown += &format!("{} {path} on {location}: {ticks}\n", metric.name);
                    }
                }
            }
        }
        let all = cube.metric("delay_mpi").map_or(0, |metric| cube.total(metric));
        expect.assert_eq(&format!("{shown}delay_mpi: {all}\n"));
    }

    /// Rank 0 is late by `late` for 20 ticks, and rank 1 waits for it in this way.
    fn late(own: &str, other: &str, ends: &str) -> String {
        format!(
            "end 60
             comm W = 0 1
             0 0.0 program; + MPI_Init
             0 1.0 program; + MPI_Init
             1 0.0 -
             1 1.0 -
             10 0.0 + late
             10 1.0 {other}
             30 0.0 -; {own}
             {ends}
             60 0.0 exit
             60 1.0 exit"
        )
    }

    #[test]
    fn messages_have_delays() {
        check(
            &late("+ MPI_Send; send 1 W 1 8; -", "+ MPI_Recv", "32 1.0 recv 0 W 1 8; -"),
            expect![[r#"
                delay_latesender program/late on 0: 20
                delay_mpi: 20
            "#]],
        );
        check(
            &late("+ MPI_Recv", "+ MPI_Ssend; send 0 W 1 8", "32 0.0 recv 1 W 1 8; -\n32 1.0 -"),
            expect![[r#"
                delay_latereceiver program/late on 0: 20
                delay_mpi: 20
            "#]],
        );
    }

    #[test]
    fn operations_have_delays() {
        let ends = [
            ("MPI_Barrier", "BARRIER W - 0 0"),
            ("MPI_Allreduce", "ALLREDUCE W - 8 8"),
            ("MPI_Bcast", "BCAST W 0 8 8"),
            ("MPI_Reduce", "REDUCE W 1 8 8"),
            ("MPI_Scan", "SCAN W - 8 8"),
        ];
        let expected = [
            expect![[r#"
                delay_barrier program/late on 0: 20
                delay_mpi: 20
            "#]],
            expect![[r#"
                delay_n2n program/late on 0: 20
                delay_mpi: 20
            "#]],
            expect![[r#"
                delay_12n program/late on 0: 20
                delay_mpi: 20
            "#]],
            expect![[r#"
                delay_n21 program/late on 0: 20
                delay_mpi: 20
            "#]],
            expect![[r#"
                delay_scan program/late on 0: 20
                delay_mpi: 20
            "#]],
        ];
        for ((name, end), expect) in ends.into_iter().zip(expected) {
            let call = format!("+ {name}; begin");
            let ends = format!("32 0.0 end {end}; -\n32 1.0 end {end}; -");
            check(&late(&call, &call, &ends), expect);
        }
        let finalize = late("+ MPI_Finalize", "+ MPI_Finalize", "32 0.0 -\n32 1.0 -");
        check(
            &finalize,
            expect![[r#"
            delay_finalize program/late on 0: 20
            delay_mpi: 20
        "#]],
        );
    }

    #[test]
    fn fences_and_files_have_delays() {
        let of = |call: &str, end: &str| {
            let ends = format!("32 0.0 {end}; -\n32 1.0 {end}; -");
            let resources = "comm W = 0 1\nwindow N = W\nfile F = W\n";
            late(call, call, &ends).replace("comm W = 0 1\n", resources)
        };
        check(
            &of("+ MPI_Win_fence; meet", "met N"),
            expect![[r#"
                delay_fence program/late on 0: 20
                delay_mpi: 20
            "#]],
        );
        check(
            &of("+ MPI_File_write_all; read F 1", "done F 1"),
            expect![[r#"
                delay_file program/late on 0: 20
                delay_mpi: 20
            "#]],
        );
    }

    #[test]
    fn a_non_blocking_operation_has_delays() {
        let trace = late(
            "+ MPI_Ibarrier; start 1; -",
            "+ MPI_Ibarrier; start 1; -; + MPI_Wait",
            "32 1.0 complete BARRIER W - 0 0 1; -
             33 0.0 + MPI_Wait; complete BARRIER W - 0 0 1; -",
        );
        check(
            &trace,
            expect![[r#"
            delay_icollective program/late on 0: 20
            delay_mpi: 20
        "#]],
        );
    }

    #[test]
    fn waiting_through_others_is_a_delay_of_its_own() {
        // Rank 1 waits from 10 to 30 because of `late`, and then rank 2 from 5 to 31 for rank 1.
        let trace = late(
            "+ MPI_Send; send 1 W 1 8; -",
            "+ MPI_Recv",
            "31 1.0 recv 0 W 1 8; -; + MPI_Send; send 2 W 1 8; -
             0 2.0 program; + MPI_Init
             1 2.0 -
             5 2.0 + MPI_Recv
             32 2.0 recv 1 W 1 8; -
             60 2.0 exit",
        );
        check(
            &trace.replace("comm W = 0 1", "comm W = 0 1 2"),
            expect![[r#"
            delay_latesender program on 1: 5
            delay_latesender program/MPI_Recv on 1: 1
            delay_latesender program/late on 0: 20
            delay_latesender_longterm program/late on 0: 20
            delay_mpi: 46
        "#]],
        );
    }

    #[test]
    fn a_wrong_clock_or_an_open_end_loses_no_delay() {
        // By its clock rank 0 sends after the message was received, and the barrier is not complete.
        check(
            &late(
                "+ MPI_Send; send 1 W 1 8; -",
                "+ MPI_Recv; recv 0 W 1 8",
                "20 1.0 -\n40 1.0 + MPI_Barrier; begin",
            ),
            expect![[r#"
                delay_latesender program/MPI_Send on 0: 10
                delay_mpi: 10
            "#]],
        );
    }
}
