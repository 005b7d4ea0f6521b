//! Reports of what `pompeii cube diff` made: values with signs, and nothing that means nothing for
//! differences.

use expect_test::expect;
use pompeii_analysis as analysis;
use pompeii_model::Cube;
use pompeii_report::{Options, RunInfo, TreeOptions, json_report, summary, trees};

use crate::text::check;

/// The first run computes less and waits more than the second one. Its call paths cancel out.
pub fn cube() -> Cube {
    let text = "wall=900 locations=2
         a                                         0  time=-40 visits=0
         a/parallel@a.c:2                          *  time=-300 visits=-10 omp_management=20
         a/parallel@a.c:2/implicit barrier@a.c:9   1  time=640 visits=-10 omp_ibarrier_wait=600";
    let mut measured = analysis::notation::cube(text).unwrap();
    measured.difference = Some("diff before after".into());
    analysis::derive(&measured)
}

fn info() -> RunInfo {
    RunInfo { experiment: "gained.cubex".into(), ..RunInfo::default() }
}

#[test]
fn the_summary_of_a_difference_has_signs() {
    check(
        &summary(&cube(), &info(), &Options::default()),
        80,
        expect![[r#"
        | a: difference of two reports
        |   Each value is that of the first report minus that of the second (diff before
        |   after): + means that the first report has more, - that it has less.
        |
        | CPU time: 0.68 s less in the first report
        |   computing                -0.68 s  less
        |   waiting at barriers      +0.60 s  more
        |   idle in serial parts      -40 ms  less
        |   idle, team too small     -0.64 s  less
        |   locks, tasks, fork/join   +80 ms  more
        |
        | Largest differences                                       own time       visits
        | implicit barrier a.c:9                                     +0.64 s          -10
        | parallel a.c:2                                             -0.60 s          -20
        | a                                                           -40 ms            0
        |
        | Next: pompeii html gained.cubex -o difference.html
    "#]],
    );
}

#[test]
fn trees_of_a_difference_have_signs_and_no_shares() {
    check(
        &trees(&cube(), &TreeOptions::default()),
        80,
        expect![[r#"
        | Properties                                       collapsed     expanded
        | time                                               -0.68 s          0 s
        |   omp_idle_threads                                 -0.68 s       -40 ms
        |     omp_limited_parallelism                        -0.64 s      -0.64 s
        | visits                                                 -30          -30
        |
        | Call paths: time                                 collapsed     expanded
        | a                                                  -0.68 s       -80 ms
        |   parallel a.c:2                                   -0.60 s       -1.2 s
        |     implicit barrier a.c:9                         +0.64 s      +0.64 s
        |
        | Locations: time                                  collapsed     expanded
        | machine                                            -0.68 s            -
        |   node                                             -0.68 s            -
        |     Process                                        -0.68 s            -
        |       Master thread                                -0.34 s      -0.34 s
        |       OMP thread 1                                 -0.34 s      -0.34 s
    "#]],
    );
}

#[test]
fn a_difference_has_no_efficiencies_and_no_findings() {
    let report = json_report(&cube(), &info());
    assert!(report.efficiencies.is_none() && report.findings.is_empty());
    assert_eq!((report.sum_error, report.dilation), (None, None));
    assert_eq!(report.difference.as_deref(), Some("diff before after"));
    assert!(report.notes[0].contains("the first report minus that of the second"));
    assert!(report.allocation.iter().all(|part| part.share == 0.0));
}
