//! Which loaded file an address is in, and who has called: the first frame outside of the libraries
//! between the program and a function, such as those of MPI, or all of them.

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ops::Range;
use std::path::Path;

use crate::objects;
use crate::openmp;

/// A place in the code of a loaded file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodePlace {
    /// Where the file is.
    pub path: String,
    /// Its build id in hexadecimal digits; empty where it has none.
    pub build_id: String,
    /// The address in the file, that is, without the load base.
    pub address: u64,
}

/// Frames that are looked at for the caller of a binding, the one that the wrapper returns to
/// included.
const BINDING_FRAMES_MAX: usize = 4;
/// Frames of ours, of the wrapper and of the unwinder before them.
const OWN_FRAMES_MAX: usize = 32;
/// Frames of the whole stack that are looked at, with ours.
const STACK_FRAMES_MAX: usize = 40;

/// The place of the call that returns to this address; if that is in a binding, a file between the
/// program and the function that it calls, the place from where the program has called that. `None`
/// if no loaded file has the address.
pub fn caller(address: usize, is_binding: &dyn Fn(&str) -> bool) -> Option<CodePlace> {
    let direct = place(address)?;
    if !is_binding(&direct.path) {
        return Some(direct);
    }
    let places = frames(Some(address), BINDING_FRAMES_MAX).into_iter().filter_map(place);
    Some(places.into_iter().find(|place| !is_binding(&place.path)).unwrap_or(direct))
}

/// The places of all calls that are under way, the innermost one first. Those of this library are
/// among them: `finish` knows them by their names.
pub fn stack() -> Vec<CodePlace> {
    frames(None, STACK_FRAMES_MAX).into_iter().filter_map(place).collect()
}

/// Whether a file is a library of MPI or a binding of it.
pub fn is_of_mpi(path: &str) -> bool {
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

/// Where an address is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its place in the file.
    pub place: CodePlace,
    /// From where to where the file is loaded.
    pub extent: Range<usize>,
}

/// The file that has the call which returns to this address.
pub fn place(address: usize) -> Option<CodePlace> {
    place_of(address.checked_sub(1)?)
}

/// The file that has the code at this address.
pub fn place_of(address: usize) -> Option<CodePlace> {
    find(address).map(|found| found.place)
}

/// The same, with the extent of the file.
pub fn find(address: usize) -> Option<Found> {
    let mut found = None;
    objects::each(&mut |file| {
        found = file.has(address).then(|| Found {
            place: CodePlace {
                path: file.path(),
                build_id: file.build_id(),
                address: address.wrapping_sub(file.base) as u64,
            },
            extent: file.extent(),
        });
        found.is_none()
    });
    found
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn code_is_in_the_file_that_it_was_loaded_from() {
        let own = place(caller as *const () as usize + 1).unwrap();
        assert_eq!(own.path, std::env::current_exe().unwrap().to_string_lossy());
        assert!(own.address > 0 && own.build_id.len().is_multiple_of(2));
        let library = place(libc::getpid as *const () as usize + 1).unwrap();
        assert!(library.path.starts_with('/') && library.path.contains("libc"), "{library:?}");
        assert_eq!(place(1), None);
        assert_eq!(place(0), None);
        let function = caller as *const () as usize;
        assert_eq!(place_of(function), place(function + 1));
        static DATA: AtomicUsize = AtomicUsize::new(0);
        let data = &raw const DATA as usize;
        let extents = [function, data].map(|address| find(address).unwrap().extent);
        assert!(extents.iter().all(|extent| extent.contains(&function) && extent.contains(&data)));
        assert!(!extents[0].contains(&(libc::getpid as *const () as usize)));
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
