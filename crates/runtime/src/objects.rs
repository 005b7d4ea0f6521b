//! The files that are loaded into the process: the program and its libraries.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write;
use std::ops::Range;

/// A file that is loaded, as the loader describes it. It stays loaded as long as this lives,
/// because the loader holds its lock meanwhile.
pub struct LoadedFile<'a> {
    /// What loading adds to the addresses of the file.
    pub base: usize,
    /// Its program headers.
    pub headers: &'a [libc::Elf64_Phdr],
    /// How many files have been loaded and unloaded so far.
    pub changes: u64,
    name: *const c_char,
}

impl LoadedFile<'_> {
    /// Whether one of its segments has this address of the process.
    pub fn has(&self, address: usize) -> bool {
        self.headers.iter().any(|header| {
            let start = self.base.wrapping_add(header.p_vaddr as usize);
            header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz as usize
        })
    }

    /// From the begin of its first segment to the end of its last one.
    pub fn extent(&self) -> Range<usize> {
        let segments = || self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let start = segments().map(|segment| segment.p_vaddr).min().unwrap_or(0);
        let end = segments().map(|segment| segment.p_vaddr + segment.p_memsz).max().unwrap_or(0);
        self.base.wrapping_add(start as usize)..self.base.wrapping_add(end as usize)
    }

    /// Its whole path.
    pub fn path(&self) -> String {
        // SAFETY: a text of the loader's.
        unsafe { path(self.name) }
    }

    /// Its build id in hexadecimal digits; empty where it has none.
    pub fn build_id(&self) -> String {
        let notes = self.headers.iter().filter(|header| header.p_type == libc::PT_NOTE);
        let mut ids = notes.filter_map(|header| {
            let start = self.base.wrapping_add(header.p_vaddr as usize) as *const u8;
            // SAFETY: the segment is loaded, and stays so while the loader holds its lock.
            let notes = unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) };
            build_id(notes, if header.p_align == 8 { 8 } else { 4 })
        });
        ids.next().unwrap_or_default()
    }
}

/// What looks at the loaded files; false ends it.
type Look<'a> = &'a mut dyn FnMut(&LoadedFile) -> bool;

/// Looks at the loaded files one after the other.
pub fn each(mut look: Look) {
    // SAFETY: the callback has this type, and gets the closure for as long as this call.
    unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut look).cast()) };
}

unsafe extern "C" fn look_at(
    info: *mut libc::dl_phdr_info,
    _bytes: libc::size_t,
    look: *mut c_void,
) -> c_int {
    // SAFETY: the loader's contract, and `each` has handed the closure over.
    let (info, look) = unsafe { (&*info, &mut *look.cast::<Look>()) };
    let count = info.dlpi_phnum.into();
    let file = LoadedFile {
        base: info.dlpi_addr as usize,
        // SAFETY: the loader says how many there are.
        headers: unsafe { std::slice::from_raw_parts(info.dlpi_phdr, count) },
        changes: info.dlpi_adds.wrapping_add(info.dlpi_subs),
        name: info.dlpi_name,
    };
    c_int::from(!look(&file))
}

/// The whole path of a loaded file. The program itself has no name.
///
/// # Safety
/// Null, or NUL-terminated.
unsafe fn path(name: *const c_char) -> String {
    // SAFETY: the caller's promise.
    let name = if name.is_null() { c"" } else { unsafe { CStr::from_ptr(name) } };
    let name = name.to_string_lossy().into_owned();
    let whole = match name.as_str() {
        "" => std::env::current_exe(),
        name if name.starts_with('/') => return name.to_owned(),
        name => std::fs::canonicalize(name),
    };
    whole.map_or(name, |path| path.to_string_lossy().into_owned())
}

/// The build id among the notes of a segment, as hexadecimal digits.
fn build_id(mut notes: &[u8], align: usize) -> Option<String> {
    const BUILD_ID: u32 = 3;
    loop {
        let word = |at: usize| {
            let bytes = notes.get(at..at + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        let (name, length, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let start = 12 + name.next_multiple_of(align);
        let content = notes.get(start..start.checked_add(length)?)?;
        if kind == BUILD_ID && notes.get(12..12 + name)? == b"GNU\0" {
            return Some(content.iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            }));
        }
        notes = notes.get(start + length.next_multiple_of(align)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::build_id;

    #[test]
    fn a_build_id_is_found_among_notes() {
        let note = |kind: u32, content: &[u8]| {
            let mut bytes = Vec::new();
            for number in [4, content.len() as u32, kind] {
                bytes.extend(number.to_ne_bytes());
            }
            bytes.extend(b"GNU\0");
            bytes.extend(content);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let notes = [note(1, &[9; 5]), note(3, &[0x0a, 0xff, 1])].concat();
        assert_eq!(build_id(&notes, 4).as_deref(), Some("0aff01"));
        for cut in 0..notes.len() - 1 {
            assert_eq!(build_id(&notes[..cut], 4), None);
        }
        assert_eq!(build_id(&[0xff; 40], 4), None);
    }
}
