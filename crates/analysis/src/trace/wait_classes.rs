//! Metrics of the classes of waiting, at the place of waiting: direct or indirect, and propagating
//! or terminal.

use pompeii_model::{Cube, Metric};
use pompeii_replay::Outcome;
use pompeii_replay::blame::Kind;
use pompeii_replay::compound::MpiKind;

/// The metrics of a kind of waiting: direct, indirect, propagating and terminal.
fn names(kind: Kind) -> [&'static str; 4] {
    match kind {
        Kind::Threads => {
            ["omp_wait_direct", "omp_wait_indirect", "omp_wait_propagating", "omp_wait_terminal"]
        }
        Kind::Mpi(MpiKind::LateSender) => [
            "mpi_wait_direct_latesender",
            "mpi_wait_indirect_latesender",
            "mpi_wait_propagating_ls",
            "mpi_wait_terminal_ls",
        ],
        Kind::Mpi(MpiKind::LateReceiver) => [
            "mpi_wait_direct_latereceiver",
            "mpi_wait_indirect_latereceiver",
            "mpi_wait_propagating_lr",
            "mpi_wait_terminal_lr",
        ],
        Kind::Mpi(MpiKind::Icollective | MpiKind::Collective(_)) => [
            "mpi_wait_direct_collective",
            "mpi_wait_indirect_collective",
            "mpi_wait_propagating_collective",
            "mpi_wait_terminal_collective",
        ],
    }
}

/// Adds the metrics of a trace.
pub(crate) fn add(cube: &mut Cube, outcome: &Outcome, metric: fn(&str) -> Metric) {
    for &(kind, call, location, classes) in &outcome.wait_classes {
        let values = [classes.direct, classes.indirect, classes.propagating, classes.terminal()];
        for (name, ticks) in names(kind).into_iter().zip(values) {
            if ticks != 0 {
                let id = cube.metric(name).unwrap_or_else(|| cube.add_metric(metric(name)));
                cube.add(id, call, location, ticks);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_replay::{Options, text};

    use crate::trace::analysed;

    /// Shows the classes of waiting of a trace by metric, call path and location. Waiting of
    /// processes is the sum of two of them in two ways.
    fn check(trace: &str, expect: Expect) {
        expect.assert_eq(&classes(trace));
    }

    /// The classes of waiting of a trace by call path and location. Two of them are all waiting.
    fn classes(trace: &str) -> String {
        let trace = text::parse(trace).unwrap();
        let options = Options { path: true, ..Options::default() };
        let (severities, outcome) = analysed(&trace, 1, options);
        let cube = crate::derive(&severities.cube(&outcome));
        let total = |name: &str| cube.total(cube.metric(name).unwrap());
        let mut shown = String::new();
        for (id, metric) in cube.metrics().enumerated() {
            let is_class = ["mpi_wait_", "omp_wait_"].iter().any(|it| metric.name.starts_with(it))
                && metric.name != "mpi_wait_nxn";
            for call in cube.calls.ids().filter(|_| is_class) {
                for (location, ticks) in cube.row(id, call).iter().enumerate() {
                    if *ticks != 0 {
                        let path = outcome.path(call);
                        shown += &format!("{} {path} on {location}: {ticks}\n", metric.name);
                    }
                }
            }
        }
        let pairs = [("direct", "indirect"), ("propagating", "terminal")];
        let all = ["mpi_latesender", "mpi_latereceiver", "mpi_icollective_wait"];
        let operations = ["mpi_wait_nxn", "mpi_barrier_wait", "mpi_latebroadcast"];
        let waiting: i64 = all.into_iter().chain(operations).map(total).sum();
        for (one, other) in pairs {
            let sum = |of: &str| {
                total(&format!("{of}_wait_{one}")) + total(&format!("{of}_wait_{other}"))
            };
            assert_eq!((sum("mpi"), sum("omp")), (waiting, total("delay_omp")), "{one}");
        }
        shown
    }

    /// Rank 1 waits from 10 to 30 for rank 0, in the ways that the calls tell. Rank 2 waits from 5
    /// to 31 for rank 1: of 26 ticks 20 are waiting of rank 1, 5 `program` and 1 the call.
    fn chain(own: &str, other: &str, end: &str) -> String {
        format!(
            "end 60
             comm W = 0 1 2
             comm P = 0 1
             0 0.0 program; + MPI_Init
             0 1.0 program; + MPI_Init
             0 2.0 program; + MPI_Init
             1 0.0 -
             1 1.0 -
             1 2.0 -
             5 2.0 + MPI_Recv
             10 0.0 + late
             10 1.0 + {other}
             30 0.0 -; + {own}
             {end}; + MPI_Send; send 2 W 1 8; -
             32 2.0 recv 1 W 1 8; -
             60 0.0 exit
             60 1.0 exit
             60 2.0 exit"
        )
    }

    #[test]
    fn messages_have_classes() {
        check(
            &chain("MPI_Send; send 1 W 1 8; -", "MPI_Recv", "31 1.0 recv 0 W 1 8; -"),
            expect![[r#"
                mpi_wait_direct program/MPI_Recv on 1: 20
                mpi_wait_direct program/MPI_Recv on 2: 6
                mpi_wait_direct_latesender program/MPI_Recv on 1: 20
                mpi_wait_direct_latesender program/MPI_Recv on 2: 6
                mpi_wait_indirect program/MPI_Recv on 2: 20
                mpi_wait_indirect_latesender program/MPI_Recv on 2: 20
                mpi_wait_propagating program/MPI_Recv on 1: 20
                mpi_wait_propagating_ls program/MPI_Recv on 1: 20
                mpi_wait_terminal program/MPI_Recv on 2: 26
                mpi_wait_terminal_ls program/MPI_Recv on 2: 26
            "#]],
        );
        check(
            &chain("MPI_Recv", "MPI_Ssend; send 0 W 1 8", "31 0.0 recv 1 W 1 8; -\n31 1.0 -"),
            expect![[r#"
                mpi_wait_direct program/MPI_Recv on 2: 6
                mpi_wait_direct program/MPI_Ssend on 1: 20
                mpi_wait_direct_latesender program/MPI_Recv on 2: 6
                mpi_wait_direct_latereceiver program/MPI_Ssend on 1: 20
                mpi_wait_indirect program/MPI_Recv on 2: 20
                mpi_wait_indirect_latesender program/MPI_Recv on 2: 20
                mpi_wait_propagating program/MPI_Ssend on 1: 20
                mpi_wait_propagating_lr program/MPI_Ssend on 1: 20
                mpi_wait_terminal program/MPI_Recv on 2: 26
                mpi_wait_terminal_ls program/MPI_Recv on 2: 26
            "#]],
        );
    }

    #[test]
    fn operations_have_classes() {
        let operations = [
            ("MPI_Barrier", "BARRIER P - 0 0"),
            ("MPI_Allreduce", "ALLREDUCE P - 8 8"),
            ("MPI_Bcast", "BCAST P 0 8 8"),
        ];
        for (name, end) in operations {
            let call = format!("{name}; begin");
            let ends = format!("31 0.0 end {end}; -\n31 1.0 end {end}; -");
            let shown = classes(&chain(&call, &call, &ends)).replace(name, "OPERATION");
            let expected = expect![[r#"
            mpi_wait_direct program/MPI_Recv on 2: 6
            mpi_wait_direct program/OPERATION on 1: 20
            mpi_wait_direct_latesender program/MPI_Recv on 2: 6
            mpi_wait_direct_collective program/OPERATION on 1: 20
            mpi_wait_indirect program/MPI_Recv on 2: 20
            mpi_wait_indirect_latesender program/MPI_Recv on 2: 20
            mpi_wait_propagating program/OPERATION on 1: 20
            mpi_wait_propagating_collective program/OPERATION on 1: 20
            mpi_wait_terminal program/MPI_Recv on 2: 26
            mpi_wait_terminal_ls program/MPI_Recv on 2: 26
        "#]];
            expected.assert_eq(&shown);
        }
    }

    #[test]
    fn threads_have_classes() {
        // Thread 0 waits from 12 to 30 for a lock. At the barrier thread 1 waits 10 ticks for it,
        // which had waited for 18, and was longer by 2 and 10.
        check(
            "end 60
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel
             10 0.1 team A; + parallel; + critical; acquire 0 1; + critical_body
             12 0.0 + critical
             30 0.1 -; release 0 1; -; + ibarrier
             30 0.0 acquire 0 2
             40 0.0 -; release 0 2; + ibarrier
             44 0.0 -; -; endteam A; join
             44 0.1 -; -; endteam A",
            expect![[r#"
                omp_wait_direct program/parallel/critical on 0: 18
                omp_wait_direct program/parallel/ibarrier on 1: 4
                omp_wait_indirect program/parallel/ibarrier on 1: 6
                omp_wait_propagating program/parallel/critical on 0: 6
                omp_wait_terminal program/parallel/critical on 0: 12
                omp_wait_terminal program/parallel/ibarrier on 1: 10
            "#]],
        );
    }
}
