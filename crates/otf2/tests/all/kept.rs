//! The kept corpus of the fuzz target, which holds with a stable compiler and without libFuzzer,
//! and a fixed number of changes to it, always the same ones.

use std::fs;
use std::path::Path;

use crate::common::property;
use pompeii_testing::Random;

/// So many changed inputs per kept one.
const ROUNDS: u64 = 40;

/// One to four changes: a bit, a byte, a length of all ones, a piece lost or doubled.
fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(30)).min(bytes.len());
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.below(94) as u8,
            2 => bytes.get_mut(at..end.min(at + 9)).unwrap_or_default().fill(0xff),
            3 => drop(bytes.drain(at..end)),
            _ => {
                let piece = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

#[test]
fn kept_inputs_and_changes_to_them() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/otf2");
    let entries = fs::read_dir(corpus).expect("the corpus");
    let mut paths: Vec<_> = entries.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    assert!(paths.len() > 40, "the corpus is not there");
    let mut readable = 0;
    for (index, path) in paths.iter().enumerate() {
        let bytes = fs::read(path).expect("a kept input");
        readable += usize::from(property::check(&bytes));
        for round in 0..ROUNDS {
            let mut random = Random((index as u64 * ROUNDS + round + 1) << 20);
            property::check(&changed(&bytes, &mut random));
        }
    }
    assert!(readable * 5 > paths.len() * 4, "{readable} of {} can be read", paths.len());
}
