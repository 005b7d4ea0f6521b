//! The files that the binary carries inside, deflated: four of them are the runtime library, and
//! these were a third of the binary. `build.rs` makes them, with their lengths and checksums, so
//! that a file on the disk is compared without inflating its copy.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Crc;
use flate2::read::DeflateDecoder;

/// A file, by its name below the folder of the library.
#[derive(Debug)]
pub struct Carried {
    pub name: &'static str,
    length_bytes: u64,
    crc: u32,
    deflated: &'static [u8],
}

pub const FILES: &[Carried] = include!(concat!(env!("OUT_DIR"), "/carried.rs"));

impl Carried {
    /// The bytes of the file.
    ///
    /// # Errors
    /// Where the binary is damaged.
    pub fn content(&self) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        DeflateDecoder::new(self.deflated)
            .read_to_end(&mut content)
            .ok()
            .filter(|_| self.is(&content))
            .with_context(|| {
                format!("{} inside this binary is damaged: install it again", self.name)
            })?;
        Ok(content)
    }

    /// Whether a file has this content. The checksum finds files that are cut off or of another
    /// build. It need not resist forgery, because other users cannot write to the folder.
    pub fn is_at(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|file| file.len() == self.length_bytes)
            && fs::read(path).is_ok_and(|content| self.is(&content))
    }

    fn is(&self, content: &[u8]) -> bool {
        let mut crc = Crc::new();
        crc.update(content);
        content.len() as u64 == self.length_bytes && crc.sum() == self.crc
    }
}

impl Hash for Carried {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.length_bytes, self.deflated).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{Carried, FILES};

    #[test]
    fn all_files_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        for file in FILES {
            let content = file.content().unwrap();
            let path = folder.path().join("file");
            std::fs::write(&path, &content).unwrap();
            assert!(file.is_at(&path), "{}", file.name);
            std::fs::write(&path, &content[1..]).unwrap();
            assert!(!file.is_at(&path), "{}", file.name);
            let mut other = content;
            other[0] ^= 1;
            std::fs::write(&path, &other).unwrap();
            assert!(!file.is_at(&path), "{}", file.name);
        }
        let names: Vec<_> = FILES.iter().map(|file| file.name).collect();
        assert!(names.contains(&"libpomp.a") && names.contains(&"pomp.h"), "{names:?}");
    }

    #[test]
    fn a_damaged_binary_says_so() {
        let [file, ..] = FILES else { panic!("no files") };
        for deflated in [&file.deflated[..file.deflated.len() / 2], b"", b"\xff\xff\xff"] {
            let damaged = Carried { deflated, ..*file };
            let error = damaged.content().unwrap_err().to_string();
            assert!(error.ends_with("is damaged: install it again"), "{error}");
        }
    }
}
