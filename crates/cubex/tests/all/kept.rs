//! The kept corpus of the fuzz target, which holds with a stable compiler and without libFuzzer,
//! and a fixed number of changes to it, always the same ones.

use std::fs;
use std::path::Path;

use crate::common::property;
use pompeii_testing::Random;

/// So many changed inputs per kept one.
const ROUNDS: u64 = 24;

/// One to four changes: a byte replaced, a piece lost, doubled or taken from another input.
fn changed(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(40)).min(bytes.len());
        match random.below(4) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let from = random.below(other.len());
                let to = (from + 40).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn kept_inputs_and_changes_to_them() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/cubex");
    let mut paths: Vec<_> =
        fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let kept: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(kept.len() > 50, "the corpus is not there");
    let mut opened = 0;
    for (index, bytes) in kept.iter().enumerate() {
        opened += usize::from(property::check(bytes));
        for round in 0..ROUNDS {
            let mut random = Random((index as u64 * ROUNDS + round + 1) << 20);
            let other = &kept[random.below(kept.len())];
            property::check(&changed(bytes, other, &mut random));
        }
    }
    assert!(opened * 5 > kept.len(), "{opened} of {} kept inputs can be opened", kept.len());
}
