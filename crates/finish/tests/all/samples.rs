//! Samples divide the time of the node in which they were taken among the functions that they have
//! met there, to the tick.

use crate::common::{Process, Thread, node, region};
use crate::unlike_ranks::{finished, rows};
use expect_test::{Expect, expect};
use pompeii_live::{Definition, Key, RegionKind, SampleFrame, SamplePlace, node_offset};

/// A frame at the top, of a node of the call tree.
fn top(node: u32, samples: u32) -> SampleFrame {
    SampleFrame { samples, place: node_offset(node).into(), ..SampleFrame::default() }
}

/// A frame that another one has called, in the only object.
fn called_by(parent: u32, address: u64, samples: u32) -> SampleFrame {
    let place = SamplePlace { object: 0, address }.encode();
    SampleFrame { parent, samples, place, ..SampleFrame::default() }
}

/// A program whose file is not there any more, so that its functions have addresses for names:
/// 700 ticks outside of a parallel region, and 300 in it.
fn program(samples: Vec<SampleFrame>) -> Process {
    let mut process = Process::of_job(0, 1);
    process.define(region(2, RegionKind::Parallel, "!$omp parallel"));
    let (path, build_id) = ("/nowhere/solver".to_owned(), String::new());
    process.define(Definition::Object { id: 0, path, build_id });
    let nodes = vec![node(Key::Region(2), 1, 2, 300)];
    process.threads = vec![Thread { root_ticks: 700, nodes, samples, ..Thread::default() }];
    process
}

fn check(samples: Vec<SampleFrame>, expected: Expect) {
    let folder = finished(&[program(samples)]);
    let profile = folder.path().join("profile.cubex");
    let mut lines: Vec<String> = Vec::new();
    for metric in ["time", "visits", "samples"] {
        let rows = rows(&profile, metric);
        let mut of_metric: Vec<String> = rows.lines().map(str::to_owned).collect();
        of_metric.sort();
        lines.extend(of_metric);
    }
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

/// The function that a compiler has made of the region's body, at 0x400, is the region itself; the
/// one at 0x100 is the entry of the program.
#[test]
fn time_is_divided_by_the_samples_of_each_node() {
    let samples = vec![
        top(1, 1),
        called_by(1, 0x100, 0),
        called_by(2, 0x200, 6),
        called_by(2, 0x300, 3),
        top(3, 2),
        called_by(5, 0x400, 1),
        called_by(6, 0x200, 3),
    ];
    check(
        samples,
        expect![[r#"
            time !$omp parallel [150]
            time ocean [70]
            time solver+0x200 [150]
            time solver+0x200 [420]
            time solver+0x300 [210]
            visits !$omp parallel [2]
            visits ocean [1]
            samples !$omp parallel [3]
            samples ocean [1]
            samples solver+0x200 [3]
            samples solver+0x200 [6]
            samples solver+0x300 [3]
        "#]],
    );
}

/// The innermost function of a sample on another stack is not the body of the region, and what is
/// in none of the files is not the runtime.
#[test]
fn functions_whose_callers_are_unknown_are_in_the_region() {
    let unknown = |parent, samples| {
        let place = SamplePlace::UNKNOWN;
        SampleFrame { parent, samples, place, ..SampleFrame::default() }
    };
    check(
        vec![top(3, 0), unknown(1, 1), called_by(2, 0x400, 2)],
        expect![[r#"
            time !$omp parallel [100]
            time ocean [700]
            time solver+0x400 [200]
            visits !$omp parallel [2]
            visits ocean [1]
            samples !$omp parallel [1]
            samples solver+0x400 [2]
        "#]],
    );
}

#[test]
fn a_function_that_calls_itself_is_one_call_path() {
    check(
        vec![
            top(1, 0),
            called_by(1, 0x50, 0),
            called_by(2, 0x100, 1),
            called_by(3, 0x100, 1),
            called_by(4, 0x100, 2),
        ],
        expect![[r#"
            time !$omp parallel [300]
            time solver+0x100 [700]
            visits !$omp parallel [2]
            visits ocean [1]
            samples solver+0x100 [4]
        "#]],
    );
}
