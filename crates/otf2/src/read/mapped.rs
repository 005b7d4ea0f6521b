//! Files mapped into memory: the only unsafe code of this crate.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a whole file, without a copy.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file.
    ///
    /// The file must stay as it is meanwhile. If somebody makes it shorter, the system ends the
    /// program at the next look behind the new end; if somebody writes to it, a reader may see old
    /// and new bytes, which it takes for damage. For files that may change, read them instead.
    pub fn open(path: &Path) -> io::Result<MappedFile> {
        let file = File::open(path)?;
        // SAFETY: bytes that change under a reader are the danger. Readers copy each number out of
        // the map once before they check it and look at it, and check every place against the
        // length of the map, so that a change is nothing but damage to them.
        #[allow(unsafe_code, reason = "a map is not possible without")]
        let map = unsafe { Mmap::map(&file)? };
        Ok(MappedFile(map))
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
