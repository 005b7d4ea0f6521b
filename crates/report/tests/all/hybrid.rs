//! Reports of a made-up hybrid run: processes are a level of their own, and beside each other.

use expect_test::{Expect, expect};
use pompeii_analysis as analysis;
use pompeii_model::Cube;
use pompeii_report::{Options, RunInfo, TreeOptions, json_report, processes, summary, trees};

/// Two processes of two threads: the first waits for the second, which came 20 ms later.
fn hybrid() -> Cube {
    let text = include_str!("hybrid.txt");
    let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
    analysis::check_sum(&cube).unwrap();
    cube
}

/// Each line with a `|` before it, because a snapshot's common indentation does not count.
fn check(text: &str, expect: Expect) {
    let shown: String = text.lines().map(|line| format!("|{line}\n")).collect();
    expect.assert_eq(&shown);
}

#[test]
fn the_first_answer() {
    let text = summary(&hybrid(), &RunInfo::default(), &Options::default());
    check(
        &text,
        expect![[r#"
            | ocean: 1.00 s on 4 threads (2 processes); 3 regions, 4 call paths
            |
            | Parallel efficiency 77 %  =  process balance 90 %  x  MPI efficiency 93 %
            |                           x  thread balance 100 %  x  parallel share 92 %
            |                           x  OpenMP efficiency 100 %
            |
            | 4 x 1.00 s of CPU allocation went to
            |   computing                  3.1 s     77 %
            |   in MPI                    0.30 s      8 %
            |   idle while in MPI         0.30 s      8 %
            |   idle in serial parts      0.28 s      7 %
            |   processes not running      40 ms      1 %
            |
            | Fix first
            | 1  ocean.c:31  parallel  collective communication
            |    lost 0.60 CPU s; gain not known
            |    Rank 1 computes 0.10 s longer here than ranks do on average; others wait for
            |    it in MPI_Allreduce, called from ocean.c:20.
            |    200 visits; 0.15 s on average, least on rank 1 (50 ms), most on rank 0 (0.25
            |    s).
            |    Run again with --mpi-wait to know the gain.
            |    Rank 0 thread 0 computes 0.60 s in parallel ocean.c:31, rank 0 thread 1 0.60
            |    s, rank 1 thread 0 0.80 s, rank 1 thread 1 0.80 s.
            |    This process has more work here than others: give it less, or split its
            |    work.
            | 2  ocean.c:20  step      idle threads
            |    lost 0.24 CPU s; gain 60 ms (41 to 79) of 1.00 s
            |    0.12 s run on one thread of each process.
            |    It lies next to parallel ocean.c:31 (100 visits).
            |    Parallelise it, or overlap it with other work.
            | 3              ocean     idle threads
            |    lost 40 CPU ms; gain 10 ms (7.0 to 19) of 1.00 s
            |    20 ms run on one thread of each process.
            |    Mark regions with `omp inst begin(name)` to see which code this is.
            | Do not add the gains: each is that of one repair alone, and several may save
            |   the same time. All repairs together bring at most 0.23 s.
            |
            | Next: pompeii explain mpi_collective
        "#]],
    );
}

#[test]
fn what_mpi_takes_to_begin_is_said_where_it_hides_the_program() {
    let run = |begin: i64| {
        let text = format!(
            "wall=1000 locations=4 processes=2
             a              0    time=1 visits=1
             a              2    time=1 visits=1
             a/MPI_Init     0    time={begin} visits=1
             a/MPI_Init     2    time={begin} visits=1
             a/parallel@a.c:7  *  time={} visits=1",
            999 - begin
        );
        let cube = analysis::derive(&analysis::notation::cube(&text).unwrap());
        summary(&cube, &RunInfo::default(), &Options::default())
    };
    let said = |begin| {
        run(begin).lines().find(|line| line.contains("MPI_Finalize took")).map(str::to_owned)
    };
    assert_eq!(said(99), None);
    let line = " MPI_Init and MPI_Finalize took 40 % of the run. They take no longer in a longer";
    assert_eq!(said(400).as_deref(), Some(line));
}

#[test]
fn names_are_whole_where_only_the_problem_can_be_cut() {
    let text = "wall=1000 locations=2 processes=2
        a/exchange@processes_mpi.f90:23            0  time=100 visits=1
        a/exchange@processes_mpi.f90:23            1  time=900 visits=1
        a/exchange@processes_mpi.f90:23/MPI_Allreduce  0  time=900 visits=9
        a/exchange@processes_mpi.f90:23/MPI_Allreduce  1  time=100 visits=9";
    let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
    let found = summary(&cube, &RunInfo::default(), &Options::default());
    let line = found.lines().find(|line| line.starts_with(" 1")).unwrap_or_default();
    check(
        line,
        expect![[r#"
            | 1  processes_mpi.f90:23  exchange  collective communication
        "#]],
    );
}

#[test]
fn processes_beside_each_other() {
    check(
        &processes(&hybrid(), &Options::default()),
        expect![[r#"
        | Processes                         computing        MPI       idle  not there
        | MPI Rank 0 on node                    1.4 s     0.25 s     0.40 s        0 s
        | MPI Rank 1 on node                    1.7 s      50 ms     0.18 s      40 ms
        | average                               1.5 s     0.15 s     0.29 s      20 ms
        | largest                               1.7 s     0.25 s     0.40 s      40 ms
    "#]],
    );
    let alone = analysis::notation::cube("wall=9 locations=2\n a  0  time=9").unwrap();
    assert_eq!(processes(&analysis::derive(&alone), &Options::default()), "");
}

#[test]
fn of_many_processes_the_extremes_are_shown() {
    let mut text = String::from("wall=100 locations=40 processes=40\n");
    for rank in 0..40 {
        text += &format!("a  {rank}  time={}\na/MPI_Barrier  {rank}  time={}\n", 100 - rank, rank);
    }
    let cube = analysis::derive(&analysis::notation::cube(&text).unwrap());
    check(
        &processes(&cube, &Options::default()),
        expect![[r#"
        | Processes                         computing        MPI
        | MPI Rank 0 on node                   0.10 s        0 s
        | MPI Rank 1 on node                    99 ms     1.0 ms
        | MPI Rank 2 on node                    98 ms     2.0 ms
        | MPI Rank 3 on node                    97 ms     3.0 ms
        | MPI Rank 4 on node                    96 ms     4.0 ms
        | MPI Rank 5 on node                    95 ms     5.0 ms
        | MPI Rank 6 on node                    94 ms     6.0 ms
        | MPI Rank 7 on node                    93 ms     7.0 ms
        | MPI Rank 32 on node                   68 ms      32 ms
        | MPI Rank 33 on node                   67 ms      33 ms
        | MPI Rank 34 on node                   66 ms      34 ms
        | MPI Rank 35 on node                   65 ms      35 ms
        | MPI Rank 36 on node                   64 ms      36 ms
        | MPI Rank 37 on node                   63 ms      37 ms
        | MPI Rank 38 on node                   62 ms      38 ms
        | MPI Rank 39 on node                   61 ms      39 ms
        | (24 between these not shown; --json has them)
        | average                               80 ms      19 ms
        | largest                              0.10 s      39 ms
    "#]],
    );
}

#[test]
fn the_system_tree_has_nodes_processes_and_threads() {
    let text = trees(&hybrid(), &TreeOptions::default());
    let (_, system) = text.split_once(" Locations").unwrap();
    check(
        system,
        expect![[r#"
        |: time                                  collapsed     expanded   share
        | machine                                              4.0 s            -   100 %
        |   node                                               4.0 s            -   100 %
        |     MPI Rank 0                                       2.0 s            -    50 %
        |       Master thread                                  1.0 s        1.0 s    25 %
        |       OMP thread 1                                   1.0 s        1.0 s    25 %
        |     MPI Rank 1                                       2.0 s            -    50 %
        |       Master thread                                  1.0 s        1.0 s    25 %
        |       OMP thread 1                                   1.0 s        1.0 s    25 %
    "#]],
    );
    let json = json_report(&hybrid(), &RunInfo::default());
    let ranks: Vec<String> = json
        .ranks
        .iter()
        .map(|of| format!("{} {} {:?} mpi {}", of.rank, of.wall_s, of.locations, of.metrics["mpi"]))
        .collect();
    check(
        &ranks.join("\n"),
        expect![[r#"
        |0 1 [0, 1] mpi 0.25
        |1 0.98 [2, 3] mpi 0.05
    "#]],
    );
}
