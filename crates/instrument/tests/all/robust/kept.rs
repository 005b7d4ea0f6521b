//! The kept corpus of the fuzz targets: every input that was found to reach something new. It holds
//! with a stable compiler and without libFuzzer.

use super::property;
use std::fs;
use std::path::Path;

const TARGETS: [(&str, &str); 5] = [
    ("c", "t.c"),
    ("cxx", "t.cpp"),
    ("preprocessed", "t.i"),
    ("fortran_free", "t.F90"),
    ("fortran_fixed", "t.F"),
];

#[test]
fn every_kept_input_comes_back() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (target, path) in TARGETS {
        let files: Vec<_> = fs::read_dir(corpus.join(target)).unwrap().collect();
        assert!(files.len() > 100, "the corpus of {target} is not there");
        for file in files {
            let _ =
                property::check(&fs::read(file.unwrap().path()).unwrap(), &property::options(path));
        }
    }
    for file in fs::read_dir(corpus.join("undo")).unwrap() {
        let _ = pompeii_instrument::undo(&fs::read(file.unwrap().path()).unwrap());
    }
}
