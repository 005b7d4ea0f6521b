//! Any bytes as files of a profile of TAU: an error that says where, or a cube that can be written
//! for TAU again. The fuzz target `tau` uses this file, too.

use std::fs;
use std::io;

use pompeii_export::tau::{self, View, import};

/// Imports these bytes: the parts between zero bytes are the files of threads.
pub fn check(input: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    for (thread, bytes) in input.split(|byte| *byte == 0).take(4).enumerate() {
        fs::write(folder.path().join(format!("profile.0.0.{thread}")), bytes).unwrap();
    }
    match import::read(folder.path()) {
        Ok(read) => tau::write(&read.cube, View::Region, |_| Ok(io::sink())).unwrap(),
        Err(error) => assert!(error.to_string().contains("expected "), "{error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use proptest::prelude::*;

    use super::*;
    use crate::common::with_other_bytes;

    /// A profile of two threads.
    fn sound() -> Vec<u8> {
        let files: RefCell<Vec<tempfile::NamedTempFile>> = RefCell::default();
        tau::write(&crate::tau::cube(), View::Region, |_| {
            let file = tempfile::NamedTempFile::new()?;
            let out = file.reopen()?;
            files.borrow_mut().push(file);
            Ok(out)
        })
        .unwrap();
        let read = |file: &tempfile::NamedTempFile| fs::read(file.path()).unwrap();
        files.borrow().iter().map(read).collect::<Vec<_>>().join(&0)
    }

    #[test]
    fn a_file_that_ends_anywhere() {
        let sound = sound();
        check(&sound);
        (0..sound.len()).step_by(5).for_each(|end| check(&sound[..end]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn a_file_with_other_bytes(bytes in with_other_bytes(sound())) {
            check(&bytes);
        }
    }
}
