//! Cut, part and clean: what is left, and that no value is lost on the way.

use crate::common::{bytes, report, text, whole};
use expect_test::{Expect, expect};
use pompeii_algebra::{
    CleanOptions, CutOptions, Input, Outcome, PartOptions, Pattern, Rows, clean, cut, part,
};
use pompeii_cubex::{Reader, Result};

const REPORT: &str = "\
time INCLUSIVE DOUBLE sec
own EXCLUSIVE DOUBLE sec
calls EXCLUSIVE UINT8 occ
least EXCLUSIVE MINDOUBLE sec
note SIMPLE INT32 #

main time=20,30 own=4,8 calls=1,1 least=9,9 note=1,1
  init time=2,2 own=2,2 calls=1,1
  loop time=14,20 own=4,8 calls=200,200 least=3,4 note=2,2
    solve time=8,10 own=6,6 calls=100,100 least=1,5 note=3,3
      dot time=2,4 own=2,4 calls=50,50 least=2,0.5 note=4,4
    output time=2,2 own=2,2 calls=1,1
other time=1,1 own=1,1
";

fn check(outcome: Result<Outcome<'_>>, expect: Expect) {
    match outcome {
        Ok(outcome) => {
            let notes: String =
                outcome.notes().iter().map(|note| format!("note: {note}\n")).collect();
            expect.assert_eq(&(text(&outcome) + &notes));
        }
        Err(error) => expect.assert_eq(&format!("error: {error}\n")),
    }
}

fn check_cut(roots: &[&str], prune: &[&str], leaves: &[&str], expect: Expect) {
    let reader = report(&[2], REPORT);
    let input = Input::new(&reader);
    let patterns = |texts: &[&str]| texts.iter().map(|text| Pattern::new(*text)).collect();
    let options =
        CutOptions { roots: patterns(roots), prune: patterns(prune), leaves: patterns(leaves) };
    let outcome = cut(&input, &options);
    if let (Ok(outcome), true) = (&outcome, roots.is_empty()) {
        for metric in ["time", "own", "calls"].iter().filter(|_| outcome.notes().is_empty()) {
            assert_eq!(whole(outcome, metric), whole(&input, metric), "{metric}");
        }
    }
    check(outcome, expect);
}

#[test]
fn a_subtree() {
    check_cut(
        &["loop"],
        &[],
        &[],
        expect![[r#"
        time INCLUSIVE DOUBLE
        own EXCLUSIVE DOUBLE
        calls EXCLUSIVE UINT8
        least EXCLUSIVE MINDOUBLE
        note SIMPLE INT32
        loop time=14,20 own=4,8 calls=200,200 least=3,4 note=2,2
          solve time=8,10 own=6,6 calls=100,100 least=1,5 note=3,3
            dot time=2,4 own=2,4 calls=50,50 least=2,0.5 note=4,4
          output time=2,2 own=2,2 calls=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    check_cut(
        &["dot", "sol*", "#5"],
        &[],
        &[],
        expect![[r#"
        time INCLUSIVE DOUBLE
        own EXCLUSIVE DOUBLE
        calls EXCLUSIVE UINT8
        least EXCLUSIVE MINDOUBLE
        note SIMPLE INT32
        solve time=8,10 own=6,6 calls=100,100 least=1,5 note=3,3
          dot time=2,4 own=2,4 calls=50,50 least=2,0.5 note=4,4
        output time=2,2 own=2,2 calls=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
}

#[test]
fn pruned() {
    check_cut(
        &[],
        &["solve", "init"],
        &[],
        expect![[r#"
        time INCLUSIVE DOUBLE
        own EXCLUSIVE DOUBLE
        calls EXCLUSIVE UINT64
        least EXCLUSIVE MINDOUBLE
        note SIMPLE INT64
        main time=20,30 own=6,10 calls=2,2 least=9,9 note=1,1
          loop time=14,20 own=12,18 calls=350,350 least=1,0.5 note=2,2
            output time=2,2 own=2,2 calls=1,1
        other time=1,1 own=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    check_cut(
        &["loop"],
        &["dot", "other"],
        &[],
        expect![[r#"
        time INCLUSIVE DOUBLE
        own EXCLUSIVE DOUBLE
        calls EXCLUSIVE UINT64
        least EXCLUSIVE MINDOUBLE
        note SIMPLE INT64
        loop time=14,20 own=4,8 calls=200,200 least=3,4 note=2,2
          solve time=8,10 own=8,10 calls=150,150 least=1,0.5 note=3,3
          output time=2,2 own=2,2 calls=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    check_cut(
        &[],
        &["other"],
        &[],
        expect![[r#"
        time INCLUSIVE DOUBLE
        own EXCLUSIVE DOUBLE
        calls EXCLUSIVE UINT8
        least EXCLUSIVE MINDOUBLE
        note SIMPLE INT32
        main time=20,30 own=4,8 calls=1,1 least=9,9 note=1,1
          init time=2,2 own=2,2 calls=1,1
          loop time=14,20 own=4,8 calls=200,200 least=3,4 note=2,2
            solve time=8,10 own=6,6 calls=100,100 least=1,5 note=3,3
              dot time=2,4 own=2,4 calls=50,50 least=2,0.5 note=4,4
            output time=2,2 own=2,2 calls=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
        note: `other` is a root: what it contains is gone
    "#]],
    );
}

#[test]
fn leaves() {
    check_cut(
        &[],
        &[],
        &["loop"],
        expect![[r#"
        time INCLUSIVE DOUBLE
        own EXCLUSIVE DOUBLE
        calls EXCLUSIVE UINT64
        least EXCLUSIVE MINDOUBLE
        note SIMPLE INT64
        main time=20,30 own=4,8 calls=1,1 least=9,9 note=1,1
          init time=2,2 own=2,2 calls=1,1
          loop time=14,20 own=14,20 calls=351,351 least=1,0.5 note=2,2
        other time=1,1 own=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    check_cut(
        &[],
        &[],
        &["nothing"],
        expect![[r#"
        error: call path to make a leaf: expected the name of a region of a call path, with * and ?, or #NUMBER, found `nothing`, which fits none
    "#]],
    );
}

#[test]
fn some_processes_and_threads() {
    let text = "t EXCLUSIVE UINT64 #\n\nmain t=1,2,4,8,16\n";
    let reader = report(&[2, 2, 1], text);
    let input = Input::new(&reader);
    let options = |processes: &str, threads: &str, invert| PartOptions {
        processes: (!processes.is_empty()).then(|| processes.parse().unwrap()),
        threads: (!threads.is_empty()).then(|| threads.parse().unwrap()),
        invert,
    };
    check(
        part(&input, &options("1-2", "", false)),
        expect![[r#"
        t EXCLUSIVE UINT64
        main t=4,8,16
        thread 0 of rank 1 on host1 [1, 0]
        thread 1 of rank 1 on host1 [1, 1]
        thread 0 of rank 2 on host2 [2, 0]
    "#]],
    );
    check(
        part(&input, &options("1-2", "", true)),
        expect![[r#"
        t EXCLUSIVE UINT64
        main t=1,2
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    check(
        part(&input, &options("", "0", false)),
        expect![[r#"
        t EXCLUSIVE UINT64
        main t=1,4,16
        thread 0 of rank 0 on host0 [0, 0]
        thread 0 of rank 1 on host1 [1, 0]
        thread 0 of rank 2 on host2 [2, 0]
    "#]],
    );
    check(
        part(&input, &options("7", "", false)),
        expect![[r#"
        error: part of the system: expected ranks of processes and threads of which there is at least one, found no location that is left
    "#]],
    );
    let left = part(&input, &options("2", "", false)).unwrap();
    assert_eq!(left.report().system.nodes.len(), 2);
    assert_eq!(left.files(), ["scorep.cfg"]);
    assert_eq!(left.file("scorep.cfg").unwrap().unwrap(), b"SCOREP_TOTAL_MEMORY=1");
}

#[test]
fn what_nobody_needs() {
    let text = "\
time INCLUSIVE DOUBLE sec
named EXCLUSIVE UINT64 #
never EXCLUSIVE UINT64 #
ratio POSTDERIVED DOUBLE # metric::named()
group EXCLUSIVE DOUBLE sec
  part EXCLUSIVE DOUBLE sec

main time=3,0,1
  empty
    below
  full
    deep part=1,0,0
";
    let reader = Reader::from_bytes(bytes(&[2, 1], text, |report| {
        for name in ["unused", "unused too"] {
            let name = name.to_owned();
            report.regions.push(pompeii_cubex::Region { name, ..Default::default() });
        }
    }))
    .unwrap();
    let input = Input::new(&reader);
    let cleaned = clean(&input, &CleanOptions::default()).unwrap();
    assert_eq!(cleaned.report().regions.len(), 5);
    assert_eq!(text_of(&cleaned), text_of(&input));
    let all = CleanOptions { empty_call_paths: true, empty_metrics: true, empty_locations: true };
    check(
        clean(&input, &all),
        expect![[r#"
        time INCLUSIVE DOUBLE
        named EXCLUSIVE UINT64
        ratio POSTDERIVED DOUBLE
        group EXCLUSIVE DOUBLE
          part EXCLUSIVE DOUBLE
        main time=3,1
          full
            deep part=1,0
        thread 0 of rank 0 on host0 [0, 0]
        thread 0 of rank 1 on host1 [1, 0]
    "#]],
    );
    let cleaned = clean(&input, &all).unwrap();
    assert_eq!(cleaned.report().regions.len(), 3);
}

fn text_of(rows: &dyn Rows) -> String {
    text(rows)
}
