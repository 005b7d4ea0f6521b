//! Damaged traces: any sequence of records gives a result, without panic or end, and the same
//! result for all windows and threads. The fuzz target `replay` uses this file, too.

#[path = "records.rs"]
mod records;

use pompeii_replay::text::{self, TextTrace};
use pompeii_replay::{Options, replay};

use records::trace;

/// All that the analysis says.
fn outcome(trace: &TextTrace, options: Options) -> String {
    let mut compounds = Vec::new();
    let outcome = replay(trace.trace(), options, &mut |compound| compounds.push(compound));
    text::show(&outcome, &compounds)
}

/// Analyses it in several ways. In which order locations go on without what is missing depends on
/// the windows, so only traces that miss nothing have one result for all of them. Several threads
/// divide larger windows than those of 64 events for each of the 5 locations, so none is larger.
pub fn check(input: &[u8]) {
    let trace = trace(input);
    for window_events in [1, 7, 50, 320] {
        let of = |threads| {
            outcome(&trace, Options { threads, window_events, path: true, ..Options::default() })
        };
        let (one, several) = (of(1), of(3));
        let lines = one.lines().zip(several.lines());
        let differ: Vec<_> = lines.filter(|(one, several)| one != several).collect();
        assert!(one == several, "windows of {window_events}: {differ:#?}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn any_records_give_one_result(
            input in proptest::collection::vec(any::<u8>(), 0..1200)
        ) {
            super::check(&input);
        }
    }

    /// The inputs at which the fuzz target begins, among them those that once failed.
    #[test]
    fn kept_inputs_give_one_result() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/replay");
        for entry in std::fs::read_dir(folder).unwrap() {
            super::check(&std::fs::read(entry.unwrap().path()).unwrap());
        }
    }
}
