//! Constructs of programs that were not instrumented. Each is known by an address in the code: of
//! the function that the compiler has made of its body, or of the call that it has become. An
//! adapter gets a descriptor for it, and with that everything that instrumented constructs have:
//! regions, the fast ways, the lock of a critical section. `finish` makes source lines of the
//! addresses.
//!
//! A look-up takes no lock. Only the first visit of a construct makes its descriptor. One address
//! may have several constructs: the function of a parallel loop is that of the region and of the
//! loop.

use std::ffi::CStr;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, AtomicU16};

use crate::addresses::{Addresses, zeroed};
use crate::descriptor::{self, Given, Handle, InCode, Named, Words};
use crate::loaded::{self, CodePlace};
use crate::shared::AtomicUsize;
use crate::shared::Ordering::{Acquire, Relaxed, Release};
use crate::start;

/// Writes the directives down once, with the words that descriptors have for them. To add one: its
/// line here, and its regions in `descriptor/text.rs`.
macro_rules! directives {
    ($($(#[$doc:meta])* $directive:ident = $words:literal,)*) => {
        /// What kind of construct it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names are the OpenMP constructs themselves")]
        pub enum Directive { $($(#[$doc])* $directive),* }

        impl Directive {
            const ALL: &[Directive] = &[$(Directive::$directive),*];

            fn words(self) -> &'static CStr {
                match self { $(Directive::$directive => $words),* }
            }
        }
    };
}

directives! {
    Parallel = c"parallel",
    For = c"for",
    Sections = c"sections",
    Workshare = c"workshare",
    Single = c"single",
    Master = c"master",
    Masked = c"masked",
    Scope = c"scope",
    Loop = c"loop",
    Distribute = c"distribute",
    Teams = c"teams",
    Target = c"target",
    Critical = c"critical",
    Atomic = c"atomic",
    Ordered = c"ordered",
    Barrier = c"barrier",
    Flush = c"flush",
    Task = c"task",
    /// A task whose clauses make its creator execute it at once. The same function may be a task
    /// that is deferred at another visit, and its regions are the same.
    UndeferredTask = c"task",
    Taskloop = c"taskloop",
    Taskwait = c"taskwait",
    Taskgroup = c"taskgroup",
    Taskyield = c"taskyield",
    Cancel = c"cancel",
    CancellationPoint = c"cancellation point",
}

/// Addresses of code lie below this bit.
const DIRECTIVE_BIT: u32 = 57;
const CALL_BIT: u32 = 63;
const _: () = assert!(Directive::ALL.len() < 1 << (CALL_BIT - DIRECTIVE_BIT));

/// Where a construct is, by an address of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The function that the compiler has made of its body begins here.
    Function(usize),
    /// The call that it has become returns to here.
    Call(usize),
}

impl Code {
    /// What the table knows the construct by; never 0.
    #[inline(always)]
    fn key(self, directive: Directive) -> usize {
        let directive = (1 + directive as usize) << DIRECTIVE_BIT;
        match self {
            Code::Function(address) => address ^ directive,
            Code::Call(address) => address ^ directive ^ 1 << CALL_BIT,
        }
    }

    /// The file that has it. Code that the program has made itself is in none. `None` for a file
    /// with instrumented constructs, which report themselves.
    fn find(self) -> Option<InCode> {
        let (inside, address, is_function) = match self {
            Code::Function(address) => (address, address, true),
            Code::Call(address) => (address.wrapping_sub(1), address, false),
        };
        let found = loaded::find(inside);
        if found.as_ref().is_some_and(|found| descriptor::is_instrumented(&found.extent)) {
            return None;
        }
        let place = found.map(|found| found.place);
        let without_file = || CodePlace {
            path: "[made at run time]".to_owned(),
            build_id: String::new(),
            address: address as u64,
        };
        let is_elsewhere = address == 0 || place.as_ref().is_some_and(|at| is_runtime(&at.path));
        let place = place.unwrap_or_else(without_file);
        Some(InCode { place, is_function, address, is_elsewhere })
    }
}

/// Stands for a construct that is not observed, because it is instrumented.
const UNOBSERVED: usize = 1;

/// Addresses of descriptors; 0 for one that is being made.
static CONSTRUCTS: Addresses<AtomicUsize> = Addresses::new();

/// Numbers of constructs; 0 is none's.
const NUMBERS: usize = 1 << 16;

/// How many constructs have numbers. Only who holds [`descriptor::hold`] changes it.
static NUMBERS_USED: AtomicU16 = AtomicU16::new(0);
/// Descriptors by their numbers, null before the first construct.
static NUMBERED: AtomicPtr<[AtomicUsize; NUMBERS]> = AtomicPtr::new(std::ptr::null_mut());

/// The construct of this kind at this address; `None` if its file has instrumented constructs, if
/// nothing is measured, and if there is no memory for it. `words` are asked for at its first visit
/// only.
#[inline(always)]
pub fn construct(directive: Directive, code: Code, words: impl FnOnce() -> Words) -> Option<Given> {
    let known = CONSTRUCTS.known(code.key(directive)).map_or(0, |known| known.load(Acquire));
    if known > UNOBSERVED { Some(given(known)) } else { make(known, directive, code, words) }
}

#[inline(always)]
fn given(descriptor: usize) -> Given {
    // SAFETY: the table has addresses of descriptors only, and they are leaked.
    unsafe { Given::new(descriptor as *mut _) }
}

/// Two threads that come first together get the same.
#[cold]
#[inline(never)]
fn make(
    known: usize,
    directive: Directive,
    code: Code,
    words: impl FnOnce() -> Words,
) -> Option<Given> {
    // A child that is not measured may have been forked while another thread had the lock.
    if known == UNOBSERVED || start::is_off() {
        return None;
    }
    // Not under the lock: look-ups take the loader's, which other threads may have.
    let (place, words) = (code.find(), words());
    let _made_by_this_thread = descriptor::hold();
    let (known, _) = CONSTRUCTS.take(code.key(directive))?;
    let Some(place) = place else {
        known.store(UNOBSERVED, Release);
        return None;
    };
    let mut descriptor = known.load(Acquire);
    if descriptor == 0 {
        let number = next_number();
        descriptor = descriptor::in_code(directive.words(), &words, (place, number)) as usize;
        if let Some(numbered) = numbered_places() {
            numbered[usize::from(number)].store(descriptor, Release);
        }
        known.store(descriptor, Release);
    }
    Some(given(descriptor))
}

/// The next free number, 0 if there is none.
fn next_number() -> u16 {
    if NUMBERED.load(Acquire).is_null() {
        let places: Option<Box<[AtomicUsize; NUMBERS]>> =
            zeroed::<AtomicUsize>(NUMBERS).and_then(|places| places.try_into().ok());
        let Some(places) = places else { return 0 };
        NUMBERED.store(Box::into_raw(places), Release);
    }
    let number = NUMBERS_USED.load(Relaxed).checked_add(1).unwrap_or(0);
    if number != 0 {
        NUMBERS_USED.store(number, Relaxed);
    }
    number
}

fn numbered_places() -> Option<&'static [AtomicUsize; NUMBERS]> {
    // SAFETY: what is stored there is never freed.
    unsafe { NUMBERED.load(Acquire).as_ref() }
}

/// The handle of a construct, for an adapter that keeps it; `None` if nothing is measured.
pub fn handle(construct: Given) -> Option<&'static Handle> {
    // A child that is not measured may have been forked while another thread had the lock.
    construct.known_handle().or_else(|| (!start::is_off()).then(|| construct.handle()))
}

/// The number of a construct, which [`construct`] must have found. It fits where an address does
/// not; 0 if there are more constructs than numbers.
#[inline(always)]
pub fn number(construct: Given) -> u16 {
    // SAFETY: adapters of programs that were not instrumented call this, and have no other ones.
    unsafe { descriptor::number_of(construct.address()) }
}

/// The construct with this number.
#[inline(always)]
pub fn numbered(number: u16) -> Option<Given> {
    let descriptor = numbered_places()?[usize::from(number)].load(Acquire);
    (number != 0 && descriptor != 0).then(|| given(descriptor))
}

/// Whether the address of a construct, which [`construct`] must have found, is not in the program:
/// a call at the end of a function is a jump, and then its return address is that of the OpenMP
/// library which has called the function.
#[inline(always)]
pub fn is_elsewhere(construct: Given) -> bool {
    // SAFETY: as above.
    unsafe { descriptor::code_of(construct.address()) }.is_elsewhere
}

/// Where a construct is, which [`construct`] must have found; `None` where that is unknown.
pub fn code_of(construct: Given) -> Option<Code> {
    // SAFETY: as above.
    let InCode { address, is_function, is_elsewhere, .. } =
        *unsafe { descriptor::code_of(construct.address()) };
    let code = if is_function { Code::Function(address) } else { Code::Call(address) };
    (!is_elsewhere).then_some(code)
}

/// What all places of one critical section have in common, as a clause: the place of their lock.
/// The name of the section is only among the symbols of the file. Empty if no file has the lock: an
/// address in memory would be another one in each run.
pub fn lock_clause(lock: usize) -> String {
    let place = loaded::place_of(lock).map(|place| {
        InCode { place, is_function: false, address: lock, is_elsewhere: false }.text()
    });
    // Clauses end at blanks.
    place.map(|place| format!("lock({})", place.replace(' ', "_"))).unwrap_or_default()
}

/// Whether a file is an OpenMP library, or this one.
pub fn is_runtime(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let libraries = ["libgomp", "libomp", "libiomp5", "libpomp"];
    // A library of a Python package has a part of a hash in its name: `libgomp-e985bcbb.so.1`.
    libraries.iter().any(|library| {
        let rest = name.strip_prefix(library);
        rest.is_some_and(|rest| rest.starts_with(['.', '-']))
    })
}

/// Whether the call that returns to this address is in a library of MPI or OpenMP, or in this one.
pub fn is_parallel_library(address: usize) -> bool {
    let is_library = |path: &str| loaded::is_of_mpi(path) || is_runtime(path);
    loaded::place(address).is_some_and(|place| is_library(&place.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(directive: Directive, code: Code) -> Given {
        construct(directive, code, Words::default).unwrap()
    }

    #[test]
    fn a_construct_is_one_for_its_directive_and_its_address() {
        let here = find as *const () as usize;
        let parallel = find(Directive::Parallel, Code::Function(here));
        let same = construct(Directive::Parallel, Code::Function(here), || unreachable!());
        assert_eq!(same.unwrap().address(), parallel.address());
        let others = [
            find(Directive::For, Code::Function(here)),
            find(Directive::Parallel, Code::Function(here + 1)),
            find(Directive::Parallel, Code::Call(here)),
        ];
        assert!(others.iter().all(|other| other.address() != parallel.address()));
    }

    #[test]
    fn its_place_is_in_a_file_or_nowhere() {
        let own = std::env::current_exe().unwrap();
        let here = find as *const () as usize;
        let function = Code::Function(here).find().unwrap();
        assert_eq!(function.place.path, own.to_string_lossy());
        assert!(function.is_function);
        let call = Code::Call(here + 1).find().unwrap();
        assert_eq!((call.place, call.is_function), (function.place, false));
        let nowhere = Code::Function(0x10).find().unwrap();
        assert_eq!(nowhere.text(), "[made at run time]+0x10");
    }

    #[test]
    fn constructs_are_found_by_their_numbers() {
        let here = find as *const () as usize;
        let constructs = [5, 6].map(|at| find(Directive::Task, Code::Call(here + at)));
        let numbers = constructs.map(number);
        assert_ne!(numbers[0], numbers[1]);
        for (construct, number) in constructs.into_iter().zip(numbers) {
            assert_eq!(numbered(number).unwrap().address(), construct.address());
        }
        assert_eq!(code_of(constructs[1]), Some(Code::Call(here + 6)));
        assert!(numbered(0).is_none());
    }

    #[test]
    fn calls_from_a_runtime_are_elsewhere() {
        for (path, is) in [
            ("/usr/lib/llvm-19/lib/libomp.so.5", true),
            ("/opt/py/faiss.libs/libgomp-e985bcbb.so.1.0.0", true),
            ("/opt/intel/libiomp5.so", true),
            ("/home/me/libompute.so", false),
            ("/home/me/libomp/solver", false),
        ] {
            assert_eq!(is_runtime(path), is, "{path}");
        }
        assert!(is_elsewhere(find(Directive::Barrier, Code::Call(0))));
        let here = find as *const () as usize;
        assert!(!is_elsewhere(find(Directive::Barrier, Code::Call(here + 7))));
    }

    /// Two critical sections of one name are two places with one lock.
    #[test]
    fn places_of_one_critical_section_share_its_lock() {
        let here = find as *const () as usize;
        let critical = |at: usize, lock: &str| {
            let words = Words { clauses: format!("lock({lock})"), ..Words::default() };
            construct(Directive::Critical, Code::Call(here + at), || words).unwrap().handle().lock
        };
        assert!(std::ptr::eq(critical(8, "a.out+0x4010"), critical(9, "a.out+0x4010")));
        assert!(!std::ptr::eq(critical(10, "a.out+0x4018"), critical(8, "a.out+0x4010")));
    }

    #[test]
    fn locks_are_named_by_the_file_that_has_them() {
        static LOCK: [i32; 8] = [1; 8];
        let own = std::env::current_exe().unwrap();
        let name = own.file_name().unwrap().to_string_lossy().into_owned();
        let clause = lock_clause(LOCK.as_ptr() as usize);
        assert!(clause.starts_with(&format!("lock({name}+0x")), "{clause}");
        assert_eq!(lock_clause(0x10), "");
    }

    #[test]
    fn first_words_count() {
        let code = Code::Call(find as *const () as usize + 2);
        let words = || Words { name: "queue".into(), clauses: "hint(2)".into() };
        let critical = construct(Directive::Critical, code, words).unwrap();
        let plain = find(Directive::Critical, code);
        assert_eq!(plain.address(), critical.address());
        // A named critical section has a lock of its own.
        let other = find(Directive::Critical, Code::Call(find as *const () as usize + 3));
        assert!(!std::ptr::eq(critical.handle().lock, other.handle().lock));
    }
}
