//! Constructs of programs that were not instrumented. Each is known by an address in the code: of
//! the function that the compiler has made of its body, or of the call that it has become. An
//! adapter gets a descriptor for it, and with that everything that instrumented constructs have:
//! regions, the fast ways, the lock of a critical section. `finish` makes source lines of the
//! addresses.
//!
//! A look-up takes no lock. Only the first visit of a construct makes its descriptor. One address may
//! have several constructs: the function of a parallel loop is that of the region and of the loop.

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use crate::addresses::Addresses;
use crate::definitions::CodePlace;
use crate::descriptor::{self, Given, InCode, Words};
use crate::loaded;
use crate::shared::AtomicUsize;
use crate::shared::Ordering::{Acquire, Release};

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

    /// The file that has it. Code that the program has made itself is in none.
    fn find(self) -> InCode {
        let (place, address, is_function) = match self {
            Code::Function(address) => (loaded::place_of(address), address, true),
            Code::Call(address) => (loaded::place(address), address, false),
        };
        let without_file = || CodePlace {
            path: "[made at run time]".to_owned(),
            build_id: String::new(),
            address: address as u64,
        };
        InCode { place: place.unwrap_or_else(without_file), is_function }
    }
}

/// Addresses of descriptors; 0 for one that is being made.
static CONSTRUCTS: Addresses<AtomicUsize> = Addresses::new();

/// The construct of this kind at this address; `None` where there is no memory for it. `words` are
/// asked for at its first visit only.
#[inline(always)]
pub fn construct(directive: Directive, code: Code, words: impl FnOnce() -> Words) -> Option<Given> {
    let known = CONSTRUCTS.known(code.key(directive)).map_or(0, |known| known.load(Acquire));
    if known == 0 { make(directive, code, words()) } else { Some(given(known)) }
}

#[inline(always)]
fn given(descriptor: usize) -> Given {
    // SAFETY: the table has addresses of descriptors only, and they are leaked.
    unsafe { Given::new(descriptor as *mut _) }
}

/// Two threads that come first together get the same.
#[cold]
#[inline(never)]
fn make(directive: Directive, code: Code, words: Words) -> Option<Given> {
    static MAKING: Mutex<()> = Mutex::new(());
    // Not under the lock: the look-up takes the loader's, which the other threads may have.
    let place = code.find();
    let _guard = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let (known, _) = CONSTRUCTS.take(code.key(directive))?;
    let mut descriptor = known.load(Acquire);
    if descriptor == 0 {
        descriptor = descriptor::in_code(directive.words(), &words, place) as usize;
        known.store(descriptor, Release);
    }
    Some(given(descriptor))
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
        let function = Code::Function(here).find();
        assert_eq!(function.place.path, own.to_string_lossy());
        assert!(function.is_function);
        let call = Code::Call(here + 1).find();
        assert_eq!((call.place, call.is_function), (function.place, false));
        let nowhere = Code::Function(0x10).find();
        assert_eq!(nowhere.text(), "[made at run time]+0x10");
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
