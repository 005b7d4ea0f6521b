//! The OpenMP lock routines, interposed: the program's calls come here, by whatever way it got
//! their address, and go on to the next library's routine. Text of the program stays as it is
//! (instrumentation rules, section 5).

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pompeii_live::RegionKind;

use crate::clock;
use crate::definitions::RegionText;
use crate::location::Location;
use crate::openmp;
use crate::pomp::on_thread;
use crate::sync::{self, Lock, LockTable};

static LOCKS: LockTable = LockTable::new();

/// One routine: the next library's address and its region.
struct Routine {
    name: &'static CStr,
    real: AtomicUsize,
    region: AtomicU32,
}

impl Routine {
    const fn new(name: &'static CStr) -> Self {
        Self { name, real: AtomicUsize::new(0), region: AtomicU32::new(0) }
    }

    #[inline(always)]
    fn real(&self) -> usize {
        match self.real.load(Ordering::Relaxed) {
            0 => self.find(),
            address => address,
        }
    }

    #[cold]
    fn find(&self) -> usize {
        // SAFETY: a NUL-terminated name.
        let address = unsafe { openmp::symbol(libc::RTLD_NEXT, self.name.as_ptr()) };
        let address = if address == 0 { self.without_hint() } else { address };
        self.real.store(address, Ordering::Relaxed);
        address
    }

    /// The routine that does the same without a hint, 0 for others. Not every OpenMP library has
    /// those with one, but a program that calls them is linked all the same, because we have them.
    fn without_hint(&self) -> usize {
        const HINT: &str = "_with_hint";
        let name = self.name.to_str().unwrap_or_default();
        let Some((front, end)) = name.split_once(HINT) else { return 0 };
        // Zeros end the name.
        let mut plain = [0_u8; 32];
        let bytes = front.bytes().chain(end.bytes()).take(plain.len() - 1);
        plain.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        // SAFETY: a NUL-terminated name.
        unsafe { openmp::symbol(libc::RTLD_NEXT, plain.as_ptr().cast()) }
    }

    fn region(&self, thread: &Location) -> u32 {
        match self.region.load(Ordering::Relaxed) {
            0 => {
                let name = self.name.to_string_lossy();
                let name = name.trim_end_matches('_');
                let text = RegionText::without_source(RegionKind::Lock, name);
                let id = thread.process.region(&text);
                self.region.store(id + 1, Ordering::Relaxed);
                id
            }
            id => id - 1,
        }
    }
}

/// What a routine does to its lock.
#[derive(Clone, Copy)]
enum Action {
    /// Initialises or destroys it.
    Reset,
    /// Acquires it.
    Set,
    /// Acquires a nestable one.
    SetNested,
    /// Gives it back.
    Unset,
    /// Gives a nestable one back.
    UnsetNested,
    /// Acquires it if it is free.
    Test,
    /// Acquires a nestable one if it is free.
    TestNested,
}

/// Calls the real routine between an enter and an exit of its region.
fn call(routine: &Routine, action: Action, lock: *mut c_void, hint: usize) -> c_int {
    on_thread!(|thread| before(thread, routine, action, lock as usize));
    let real = routine.real();
    if real == 0 {
        return 0;
    }
    // SAFETY: the next library's routine of the same name: one or two arguments in registers.
    let real = unsafe { transmute::<usize, extern "C" fn(*mut c_void, usize) -> c_int>(real) };
    let result = real(lock, hint);
    on_thread!(|thread| after(thread, routine, action, (lock as usize, result)));
    result
}

fn before(thread: &mut Location, routine: &Routine, action: Action, address: usize) {
    let region = routine.region(thread);
    let now = thread.enter(region, clock::now());
    if matches!(action, Action::Reset) {
        return LOCKS.forget(address);
    }
    match (action, LOCKS.find(address)) {
        (Action::Unset, Some(lock)) => sync::unlocked(thread, lock, now),
        (Action::UnsetNested, Some(lock)) if sync::nested_released(lock) => {
            sync::unlocked(thread, lock, now);
        }
        _ => {}
    }
}

fn after(thread: &mut Location, routine: &Routine, action: Action, of: (usize, c_int)) {
    let (region, now) = (routine.region(thread), clock::now());
    let (address, result) = of;
    if matches!(action, Action::Reset) {
        return thread.exit(region, now);
    }
    match LOCKS.find(address) {
        Some(lock) if acquires(thread, action, lock, result) => sync::locked(thread, lock, now),
        Some(_) => {}
        None => thread.process.lost(1, libc::ENOMEM),
    }
    thread.exit(region, now);
}

fn acquires(thread: &Location, action: Action, lock: &Lock, result: c_int) -> bool {
    match action {
        Action::Set => true,
        Action::Test => result != 0,
        Action::SetNested => sync::nested_acquired(thread, lock),
        Action::TestNested => result != 0 && sync::nested_acquired(thread, lock),
        Action::Reset | Action::Unset | Action::UnsetNested => false,
    }
}

/// A C routine, its Fortran twin, and the name that the POMP paper gives it.
macro_rules! routines {
    ($($c:ident $fortran:ident $pomp:ident $action:ident ($($hint:ident)?);)*) => { $(
        #[doc = concat!("Interposes `", stringify!($c), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $c(lock: *mut c_void $(, $hint: usize)?) -> c_int {
            static ROUTINE: Routine = Routine::new(name(concat!(stringify!($c), "\0")));
            call(&ROUTINE, Action::$action, lock, 0 $(+ $hint)?)
        }
        #[doc = concat!("Interposes `", stringify!($c), "` of Fortran.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $fortran(lock: *mut c_void $(, $hint: usize)?) -> c_int {
            static ROUTINE: Routine = Routine::new(name(concat!(stringify!($fortran), "\0")));
            call(&ROUTINE, Action::$action, lock, 0 $(+ $hint)?)
        }
        #[doc = concat!("The POMP paper's name of `", stringify!($c), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $pomp(lock: *mut c_void $(, $hint: usize)?) -> c_int {
            $c(lock $(, $hint)?)
        }
    )* };
}

const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

routines! {
    omp_init_lock omp_init_lock_ POMP_Init_lock Reset ();
    omp_init_nest_lock omp_init_nest_lock_ POMP_Init_nest_lock Reset ();
    omp_destroy_lock omp_destroy_lock_ POMP_Destroy_lock Reset ();
    omp_destroy_nest_lock omp_destroy_nest_lock_ POMP_Destroy_nest_lock Reset ();
    omp_set_lock omp_set_lock_ POMP_Set_lock Set ();
    omp_set_nest_lock omp_set_nest_lock_ POMP_Set_nest_lock SetNested ();
    omp_unset_lock omp_unset_lock_ POMP_Unset_lock Unset ();
    omp_unset_nest_lock omp_unset_nest_lock_ POMP_Unset_nest_lock UnsetNested ();
    omp_test_lock omp_test_lock_ POMP_Test_lock Test ();
    omp_test_nest_lock omp_test_nest_lock_ POMP_Test_nest_lock TestNested ();
    omp_init_lock_with_hint omp_init_lock_with_hint_ POMP_Init_lock_with_hint Reset (hint);
    omp_init_nest_lock_with_hint omp_init_nest_lock_with_hint_
        POMP_Init_nest_lock_with_hint Reset (hint);
}
