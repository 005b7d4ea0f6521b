//! Which loaded file an address is in, and who has called: the first frame outside of MPI's
//! libraries and bindings, or all of them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write;
use std::mem::transmute;
use std::path::Path;

use crate::definitions::CodePlace;
use crate::openmp;

/// Frames that are looked at for the caller of MPI, the one that the wrapper returns to included.
const MPI_FRAMES_MAX: usize = 4;
/// Frames of ours, of the wrapper and of the unwinder before them.
const OWN_FRAMES_MAX: usize = 32;
/// Frames of the whole stack that are looked at, with ours.
const STACK_FRAMES_MAX: usize = 40;

/// The place of the call that returns to this address; if that is in a library or binding of MPI,
/// the place from where the program has called it. `None` if no loaded file has the address.
pub fn caller(address: usize) -> Option<CodePlace> {
    let direct = place(address)?;
    if !is_of_mpi(&direct.path) {
        return Some(direct);
    }
    let places = frames(Some(address), MPI_FRAMES_MAX).into_iter().filter_map(place);
    Some(places.into_iter().find(|place| !is_of_mpi(&place.path)).unwrap_or(direct))
}

/// The places of all calls that are under way, the innermost one first. Those of this library are
/// among them: `finish` knows them by their names.
pub fn stack() -> Vec<CodePlace> {
    frames(None, STACK_FRAMES_MAX).into_iter().filter_map(place).collect()
}

/// Whether a file is a library of MPI or a binding of it.
fn is_of_mpi(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let libraries = ["libmpi", "libpmpi", "libfmpi", "libboost_mpi", "mca_"];
    libraries.iter().any(|library| name.starts_with(library)) || path.contains("/mpi4py/")
}

/// What the unwinder calls for each frame.
struct Walk {
    /// The first address that counts; without it all do.
    from: Option<usize>,
    frames_max: usize,
    passed: usize,
    found: Vec<usize>,
    address_of: extern "C" fn(*mut c_void) -> usize,
}

/// Return addresses from this one outwards, or from here, by the unwinder that the process has
/// loaded.
fn frames(from: Option<usize>, frames_max: usize) -> Vec<usize> {
    // SAFETY: NUL-terminated names.
    let [walk, ip] = [c"_Unwind_Backtrace", c"_Unwind_GetIP"]
        .map(|name| unsafe { openmp::symbol(libc::RTLD_DEFAULT, name.as_ptr()) });
    if walk == 0 || ip == 0 {
        return from.into_iter().collect();
    }
    type Step = extern "C" fn(*mut c_void, *mut Walk) -> c_int;
    // SAFETY: the functions of these names in the C++ ABI have these types.
    let (walk, address_of) = unsafe {
        (
            transmute::<usize, extern "C" fn(Step, *mut Walk) -> c_int>(walk),
            transmute::<usize, extern "C" fn(*mut c_void) -> usize>(ip),
        )
    };
    let mut found = Walk { from, frames_max, passed: 0, found: Vec::new(), address_of };
    walk(step, &raw mut found);
    found.found
}

/// Looks at one frame; anything but 0 ends the walk.
extern "C" fn step(context: *mut c_void, walk: *mut Walk) -> c_int {
    // SAFETY: `frames` hands it to the unwinder, which hands it here.
    let walk = unsafe { &mut *walk };
    let address = (walk.address_of)(context);
    if !walk.found.is_empty() || walk.from.is_none_or(|from| from == address) {
        walk.found.push(address);
    } else {
        walk.passed += 1;
    }
    let ends = walk.found.len() >= walk.frames_max || walk.passed >= OWN_FRAMES_MAX;
    if ends { 4 } else { 0 }
}

/// An address that is looked for among the loaded files.
struct Search {
    address: usize,
    found: Option<CodePlace>,
}

/// The file that has the call which returns to this address.
fn place(address: usize) -> Option<CodePlace> {
    let mut search = Search { address: address.checked_sub(1)?, found: None };
    // SAFETY: the callback has this type, and gets the search for as long as this call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

unsafe extern "C" fn look(
    info: *mut libc::dl_phdr_info,
    _bytes: libc::size_t,
    search: *mut c_void,
) -> c_int {
    // SAFETY: the loader's contract, and `place` has handed the search over.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    let base = info.dlpi_addr as usize;
    // SAFETY: the loader says how many there are.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let has_address = |header: &&libc::Elf64_Phdr| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        header.p_type == libc::PT_LOAD
            && search.address.wrapping_sub(start) < header.p_memsz as usize
    };
    if !headers.iter().any(|header| has_address(&header)) {
        return 0;
    }
    let notes = headers.iter().filter(|header| header.p_type == libc::PT_NOTE);
    let build_id = notes.filter_map(|header| {
        let start = base.wrapping_add(header.p_vaddr as usize) as *const u8;
        // SAFETY: the segment is loaded, and stays so while the loader holds its lock.
        let notes = unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) };
        build_id(notes, if header.p_align == 8 { 8 } else { 4 })
    });
    search.found = Some(CodePlace {
        // SAFETY: a text of the loader's.
        path: unsafe { path(info.dlpi_name) },
        build_id: build_id.into_iter().next().unwrap_or_default(),
        address: (search.address - base) as u64,
    });
    1
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
    use super::*;

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

    #[test]
    fn code_is_in_the_file_that_it_was_loaded_from() {
        let own = place(build_id as *const () as usize + 1).unwrap();
        assert_eq!(own.path, std::env::current_exe().unwrap().to_string_lossy());
        assert!(own.address > 0 && own.build_id.len().is_multiple_of(2));
        let library = place(libc::getpid as *const () as usize + 1).unwrap();
        assert!(library.path.starts_with('/') && library.path.contains("libc"), "{library:?}");
        assert_eq!(place(1), None);
        assert_eq!(place(0), None);
    }

    #[test]
    fn the_stack_begins_here_and_ends_in_the_program() {
        let places = stack();
        assert!((3..=STACK_FRAMES_MAX).contains(&places.len()), "{places:?}");
        let own = std::env::current_exe().unwrap();
        assert_eq!(places[0].path, own.to_string_lossy());
    }

    #[test]
    fn callers_of_mpi_are_outside_of_it() {
        for (path, is) in [
            ("/usr/lib/libmpi.so.40", true),
            ("/usr/lib/x86_64-linux-gnu/libmpi_mpifh.so.40.30.0", true),
            ("/usr/lib/libmpich.so.12", true),
            ("/opt/py/site-packages/mpi4py/MPI.cpython-311.so", true),
            ("/home/me/solver-mpi", false),
            ("/home/me/libsolver.so", false),
        ] {
            assert_eq!(is_of_mpi(path), is, "{path}");
        }
    }
}
