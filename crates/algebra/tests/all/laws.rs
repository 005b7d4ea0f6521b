//! What holds for any reports: laws of the algebra over random call trees and integers, and that
//! what is written is read back.

use crate::common::{report, text, whole};
use pompeii_algebra::{
    Combination, CompareOptions, CutOptions, Input, Mode, Pattern, Rows, SystemMode, compare, cut,
    diff, mean, merge, severity, unify, write,
};
use pompeii_cubex::{Reader, WriteOptions};
use proptest::prelude::*;

/// A report that a failure shows as text.
struct Sample {
    reader: Reader,
    text: String,
}

impl std::ops::Deref for Sample {
    type Target = Reader;
    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A random report on two threads: regions `a` to `e` in any nesting, integers in both kinds.
fn reports() -> impl Strategy<Value = Sample> {
    let line = (0..4_usize, 0..5_u8, 0..100_u32, 0..100_u32);
    proptest::collection::vec(line, 1..14).prop_map(|lines| {
        let mut text = "incl INCLUSIVE INT64 #\nexcl EXCLUSIVE UINT64 #\n\n".to_owned();
        let mut depth = 0;
        for (index, (indent, region, x, y)) in lines.into_iter().enumerate() {
            depth = if index == 0 { 0 } else { indent.min(depth + 1) };
            let name = char::from(b'a' + region);
            text += &format!("{}{name} incl={x},{y} excl={y},{x}\n", "  ".repeat(depth));
        }
        Sample { reader: report(&[2], &text), text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_report_minus_itself_is_nothing(reader in reports()) {
        let input = Input::new(&reader);
        let nothing = diff(&input, &input, &Combination::default());
        for metric in ["incl", "excl"] {
            prop_assert_eq!(whole(&nothing, metric), 0.0);
        }
    }

    #[test]
    fn differences_are_those_of_the_sums(a in reports(), b in reports()) {
        let (a, b) = (Input::new(&a), Input::new(&b));
        let there = diff(&a, &b, &Combination::default());
        let back = diff(&b, &a, &Combination::default());
        for metric in ["incl", "excl"] {
            prop_assert_eq!(whole(&there, metric), whole(&a, metric) - whole(&b, metric));
            prop_assert_eq!(whole(&there, metric), -whole(&back, metric));
        }
    }

    #[test]
    fn means_are_those_of_the_sums(a in reports(), b in reports()) {
        let (a, b) = (Input::new(&a), Input::new(&b));
        let both = mean(&[&a, &b], &Combination::default());
        for metric in ["incl", "excl"] {
            prop_assert_eq!(whole(&both, metric), (whole(&a, metric) + whole(&b, metric)) / 2.0);
        }
    }

    #[test]
    fn merging_with_itself_changes_nothing(a in reports()) {
        let input = Input::new(&a);
        for system in [SystemMode::Auto, SystemMode::Union] {
            let how = Combination { system, ..Combination::default() };
            prop_assert_eq!(text(&merge(&[&input, &input], &how)), text(&input));
        }
    }

    /// Unifying keeps every definition, maps none twice, and the order of the last two does not
    /// decide about how many there are.
    #[test]
    fn unifying_loses_nothing(a in reports(), b in reports(), c in reports()) {
        let reports = [a.report(), b.report(), c.report()];
        let unified = unify(&reports, SystemMode::Union);
        for (report, mapping) in reports.iter().zip(&unified.mappings) {
            let mut targets = mapping.call_paths.clone();
            targets.sort_unstable();
            targets.dedup();
            prop_assert_eq!(targets.len(), report.call_paths.len());
            for (id, &target) in report.call_paths.ids().zip(&mapping.call_paths) {
                let parent = report.call_paths.parent(id);
                let parent = parent.map(|parent| mapping.call_paths[parent.0 as usize]);
                prop_assert_eq!(unified.report.call_paths.parent(target), parent);
                let region = report.call_paths[id].region;
                prop_assert_eq!(
                    unified.report.call_paths[target].region,
                    mapping.regions[region.0 as usize]
                );
            }
        }
        let other = unify(&[a.report(), c.report(), b.report()], SystemMode::Union);
        prop_assert_eq!(other.report.call_paths.len(), unified.report.call_paths.len());
    }

    #[test]
    fn cutting_keeps_sums(reader in reports(), name in "[a-e]") {
        let input = Input::new(&reader);
        let pattern = vec![Pattern::new(&*name)];
        let leaves = CutOptions { leaves: pattern.clone(), ..CutOptions::default() };
        let prune = CutOptions { prune: pattern, ..CutOptions::default() };
        for options in [leaves, prune] {
            let Ok(outcome) = cut(&input, &options) else { continue };
            if !outcome.notes().is_empty() {
                continue; // a root was pruned
            }
            for metric in ["incl", "excl"] {
                prop_assert_eq!(whole(&outcome, metric), whole(&input, metric));
            }
        }
    }

    #[test]
    fn what_is_written_is_the_same(a in reports(), b in reports(), compress in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (Input::new(&a), Input::new(&b));
        let outcome = diff(&a, &b, &Combination::default());
        for name in ["a.cubex", "a.cube", "a.cube.gz"] {
            let path = folder.path().join(name);
            let options = WriteOptions { compress, ..WriteOptions::default() };
            write(&outcome, &path, options).unwrap();
            let reader = Reader::open(&path).unwrap();
            let again = Input::new(&reader);
            let found = compare(&outcome, &again, &CompareOptions::default()).unwrap();
            prop_assert!(found.is_same(), "{}", found.text());
        }
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn inclusive_is_the_sum_of_exclusive(reader in reports()) {
        let input = Input::new(&reader);
        let report = input.report();
        for metric in report.metrics.ids() {
            for &root in report.call_paths.roots() {
                let sum = |row: Option<Vec<pompeii_cubex::Value>>| -> f64 {
                    row.unwrap_or_default().iter().filter_map(pompeii_algebra::number).sum()
                };
                let mut below = 0.0;
                let mut open = vec![root];
                while let Some(id) = open.pop() {
                    below += sum(severity(&input, metric, id, Mode::Exclusive).unwrap());
                    open.extend(report.call_paths.children(id));
                }
                prop_assert_eq!(sum(severity(&input, metric, root, Mode::Inclusive).unwrap()), below);
            }
        }
    }
}

/// A result may replace the file that it was made of.
#[test]
fn the_output_may_be_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cubex");
    let text = "t EXCLUSIVE UINT64 #\n\nmain t=5\n  f t=6\n";
    std::fs::write(&path, crate::common::bytes(&[1], text, |_| {})).unwrap();
    let reader = Reader::open(&path).unwrap();
    let input = Input::new(&reader);
    let options = CutOptions { leaves: vec![Pattern::new("main")], ..CutOptions::default() };
    write(&cut(&input, &options).unwrap(), &path, WriteOptions::default()).unwrap();
    let again = Reader::open(&path).unwrap();
    assert_eq!(whole(&Input::new(&again), "t"), 11.0);
    assert_eq!(again.report().call_paths.len(), 1);
    assert_eq!(again.files().collect::<Vec<_>>(), ["scorep.cfg"]);
}
