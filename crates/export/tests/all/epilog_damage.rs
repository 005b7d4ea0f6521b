//! Any bytes as a file of EPILOG, or as each file of an experiment whose processes have files of
//! their own: an error that says where, or an archive that can be read to its end and be written as
//! EPILOG again. The fuzz target `epilog` uses this file, too.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use pompeii_export::epilog;
use pompeii_export::epilog::import::{Files, Source};
use pompeii_otf2::read::Archive;

/// Imports these bytes.
pub fn check(input: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(input, folder);
    import(&Files::Merged(folder.join("epik.esd")), &folder.join("merged"));
    import(&Files::Single(folder.to_owned()), &folder.join("single"));
}

/// Writes the same bytes as each file of an experiment: an import takes from each file the records
/// that belong there.
fn write(input: &[u8], folder: &Path) {
    fs::create_dir(folder.join("ELG")).unwrap();
    for name in ["epik.esd", "epik.map", "ELG/00000", "ELG/00001"] {
        fs::write(folder.join(name), input).unwrap();
    }
}

/// Whether there is an archive; otherwise there was an error.
fn import(files: &Files, out: &Path) -> bool {
    let done = AtomicU64::new(0);
    let source = match Source::open(files, &done) {
        Ok(source) => source,
        Err(error) => {
            assert!(error.to_string().contains(' '), "{error:?}");
            return false;
        }
    };
    source.write(out, &done).unwrap();
    let archive = Archive::open(&out.join("traces.otf2")).unwrap();
    archive.merged().unwrap().for_each(|event| drop(event.unwrap()));
    let written = epilog::write(&archive, &mut Vec::new(), &done).unwrap();
    assert_eq!(written.read.errors, 0);
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::common::with_other_bytes;

    const HYBRID: &str = "../otf2/tests/samples/hybrid/traces.otf2";

    /// Definitions, maps and events of two processes, so each file of an experiment.
    const SINGLE: &[u8] = include_bytes!("../../../../fuzz/corpus/epilog/single");

    /// The file of the sample.
    fn sound() -> Vec<u8> {
        let archive = Archive::open(Path::new(HYBRID)).unwrap();
        let mut bytes = Vec::new();
        epilog::write(&archive, &mut bytes, &AtomicU64::new(0)).unwrap();
        bytes
    }

    /// Both processes have 14 events, and a begin and an end of a collective operation. Process 0
    /// also joins and leaves a team. The region of process 1 with that number is another one.
    #[test]
    fn each_process_has_its_events() {
        let folder = tempfile::tempdir().unwrap();
        write(SINGLE, folder.path());
        let out = folder.path().join("out");
        assert!(import(&Files::Single(folder.path().to_owned()), &out));
        let archive = Archive::open(&out.join("traces.otf2")).unwrap();
        let counts: Vec<u64> = archive.locations().map(|it| it.number_of_events).collect();
        assert_eq!(counts, [18, 16]);
    }

    #[test]
    fn a_file_that_ends_anywhere() {
        let sound = sound();
        (0..sound.len()).step_by(7).for_each(|end| check(&sound[..end]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

        #[test]
        fn a_file_with_other_bytes(bytes in with_other_bytes(sound())) {
            check(&bytes);
        }

        #[test]
        fn files_of_processes_with_other_bytes(bytes in with_other_bytes(SINGLE.to_vec())) {
            check(&bytes);
        }
    }
}
