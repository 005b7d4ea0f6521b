//! Any bytes as a file of EPILOG: an error that says where, or an archive that can be read to its
//! end and be written as EPILOG again. The fuzz target `epilog` uses this file, too.

use std::fs;
use std::sync::atomic::AtomicU64;

use pompeii_export::epilog::{self, import};
use pompeii_otf2::read::Archive;

/// Imports these bytes.
pub fn check(input: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("trace.elg"), folder.path().join("out"));
    fs::write(&path, input).unwrap();
    let done = AtomicU64::new(0);
    let source = match import::Source::open(&path, &done) {
        Ok(source) => source,
        Err(error) => return assert!(error.to_string().contains(' '), "{error:?}"),
    };
    source.write(&out, &done).unwrap();
    let archive = Archive::open(&out.join("traces.otf2")).unwrap();
    archive.merged().unwrap().for_each(|event| drop(event.unwrap()));
    let written = epilog::write(&archive, &mut Vec::new(), &done).unwrap();
    assert_eq!(written.read.errors, 0);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::common::with_other_bytes;

    const HYBRID: &str = "../otf2/tests/samples/hybrid/traces.otf2";

    /// The file of the sample.
    fn sound() -> Vec<u8> {
        let archive = Archive::open(Path::new(HYBRID)).unwrap();
        let mut bytes = Vec::new();
        epilog::write(&archive, &mut bytes, &AtomicU64::new(0)).unwrap();
        bytes
    }

    #[test]
    fn traces_of_processes_have_to_be_merged() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(import::find(folder).unwrap(), None);
        let single = folder.join("ELG");
        fs::create_dir(&single).unwrap();
        fs::write(single.join("00000"), sound()).unwrap();
        for path in [folder, &single, &single.join("00000")] {
            let error = import::find(path).unwrap_err().to_string();
            assert!(error.contains("each process has a trace of its own"), "{error}");
            assert!(error.contains("call `elg_merge` of Scalasca 1"), "{error}");
        }
        // When they are merged, the folder has what can be read.
        let merged = folder.join("epik.elg");
        fs::write(&merged, sound()).unwrap();
        assert_eq!(import::find(folder).unwrap(), Some(merged));
        assert!(import::find(&single.join("00000")).is_err());
    }

    #[test]
    fn a_file_that_ends_anywhere() {
        let sound = sound();
        (0..sound.len()).step_by(7).for_each(|end| check(&sound[..end]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn a_file_with_other_bytes(bytes in with_other_bytes(sound())) {
            check(&bytes);
        }
    }
}
