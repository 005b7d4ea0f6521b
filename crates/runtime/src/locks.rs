//! The OpenMP lock routines, interposed: the program's calls come here, by whatever way it got
//! their address, and go on to the next library's routine. The text of the program stays as it is.
//!
//! The exported symbols only pass on the address that they return to, which tells from where they
//! are called: a lock has no construct in the source.
//!
//! To set a lock, to test it and to give it back have a fast way ([`crate::fast::locks`]).

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pompeii_live::{Key, NodeOffset, RegionKind};

use crate::clock::{self, Tsc};
use crate::definitions::RegionText;
use crate::entry::on_thread;
use crate::fast;
use crate::fast::guarded;
use crate::fast::kit::gate::{self, Guarded, Here};
use crate::location::Location;
use crate::next;
use crate::sites::{self, CallSite, Called};
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

    /// The next library's routine for a call from before `caller`.
    #[inline(always)]
    fn real(&self, caller: usize) -> usize {
        match self.real.load(Ordering::Relaxed) {
            0 => self.find(caller),
            address => address,
        }
    }

    /// Calls the next library's routine, which was called before. What it returns is nothing if it
    /// does not test the lock.
    #[inline(always)]
    fn call_known(&self, lock: *mut c_void) -> c_int {
        let real = self.real.load(Ordering::Relaxed);
        // SAFETY: the next library's routine of the same name.
        unsafe { transmute::<usize, extern "C" fn(*mut c_void) -> c_int>(real)(lock) }
    }

    /// Its call that returns to this address.
    #[inline(always)]
    fn called_from(&self, address: usize) -> CallSite {
        (std::ptr::from_ref(self).cast(), address)
    }

    #[cold]
    fn find(&self, caller: usize) -> usize {
        let address = match next::function(self.name, caller) {
            0 => self.without_hint(caller),
            address => address,
        };
        self.real.store(address, Ordering::Relaxed);
        address
    }

    /// The routine that does the same without a hint, 0 for others. Not every OpenMP library has
    /// those with one, but a program that calls them is linked all the same, because we have them.
    fn without_hint(&self, caller: usize) -> usize {
        const HINT: &str = "_with_hint";
        let name = self.name.to_str().unwrap_or_default();
        let Some((front, end)) = name.split_once(HINT) else { return 0 };
        // Zeros end the name.
        let mut plain = [0_u8; 32];
        let bytes = front.bytes().chain(end.bytes()).take(plain.len() - 1);
        plain.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        CStr::from_bytes_until_nul(&plain).map_or(0, |name| next::function(name, caller))
    }
}

impl Called for Routine {
    fn known(&self) -> &AtomicU32 {
        &self.region
    }

    fn text(&self) -> RegionText {
        let name = self.name.to_string_lossy();
        RegionText::without_source(RegionKind::Lock, name.trim_end_matches('_'))
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

/// The routine of the next library.
type Real = extern "C" fn(*mut c_void, usize) -> c_int;

/// A call of a routine for this lock, from before an address, 0 if that is not known.
#[derive(Clone, Copy)]
struct Call {
    routine: &'static Routine,
    lock: *mut c_void,
    address: usize,
}

impl Call {
    fn site(self) -> CallSite {
        self.routine.called_from(self.address)
    }
}

/// The ways of a call: without records, with them, and where other call paths are guarded. Each is
/// a function of its own, as those of [`crate::ways`], and gets its arguments in registers. It
/// returns what the call returns, `None` where nothing was done.
macro_rules! ways {
    ($($name:ident, $traced:ident, $around_guarded:ident, else $rest:expr;)*) => { $(
        #[inline(never)]
        fn $traced<const NESTED: bool>(
            routine: &'static Routine,
            lock: *mut c_void,
            address: usize,
        ) -> Option<c_int> {
            match $name::<true, 0, NESTED>(Call { routine, lock, address }) {
                None => $around_guarded::<NESTED>(routine, lock, address),
                done => done,
            }
        }

        #[cold]
        #[inline(never)]
        fn $around_guarded<const NESTED: bool>(
            routine: &'static Routine,
            lock: *mut c_void,
            address: usize,
        ) -> Option<c_int> {
            let call = Call { routine, lock, address };
            let rest: fn(Call, Guarded) -> Option<c_int> = $rest;
            let thread = Here::now().guarded()?;
            if !NESTED && let Some(done) = rest(call, thread) {
                return Some(done);
            }
            $name::<true, { gate::GUARDED }, NESTED>(call)
        }
    )* };
}

ways! {
    set, set_traced, set_around_guarded, else set_guarded;
    unset, unset_traced, unset_around_guarded, else unset_guarded;
    test, test_traced, test_around_guarded, else |_, _| None;
}

/// Calls the real routine between an enter and an exit of its region.
#[inline(always)]
fn call(
    routine: &'static Routine,
    action: Action,
    (lock, hint): (*mut c_void, usize),
    address: usize,
) -> c_int {
    let call = Call { routine, lock, address };
    let fast = match (action, Here::now().is_traced()) {
        (Action::Set, false) => set::<false, 0, false>(call),
        (Action::Set, true) => set_traced::<false>(routine, lock, address),
        (Action::SetNested, false) => set::<false, 0, true>(call),
        (Action::SetNested, true) => set_traced::<true>(routine, lock, address),
        (Action::Unset, false) => unset::<false, 0, false>(call),
        (Action::Unset, true) => unset_traced::<false>(routine, lock, address),
        (Action::UnsetNested, false) => unset::<false, 0, true>(call),
        (Action::UnsetNested, true) => unset_traced::<true>(routine, lock, address),
        (Action::Test, false) => test::<false, 0, false>(call),
        (Action::Test, true) => test_traced::<false>(routine, lock, address),
        (Action::TestNested, false) => test::<false, 0, true>(call),
        (Action::TestNested, true) => test_traced::<true>(routine, lock, address),
        (Action::Reset, _) => None,
    };
    match fast {
        Some(result) => result,
        None => call_general(routine, action, (lock, hint), address),
    }
}

/// Acquires the lock, if its begin can take the fast way.
#[inline(always)]
fn set<const TRACE: bool, const GATE: u32, const NESTED: bool>(call: Call) -> Option<c_int> {
    let node = fast::locks::ask::<TRACE, GATE>(Here::now(), call.site(), Tsc)?;
    call.routine.call_known(call.lock);
    if !acquired::<TRACE, GATE, NESTED>(call.lock, node, None) {
        let action = if NESTED { Action::SetNested } else { Action::Set };
        exit_general(action, (call.lock as usize, 0), node);
    }
    Some(0)
}

/// The lock was acquired, by a test if its address is `tested`; false where nothing was done.
#[inline(always)]
fn acquired<const TRACE: bool, const GATE: u32, const NESTED: bool>(
    lock: *mut c_void,
    node: NodeOffset,
    tested: Option<usize>,
) -> bool {
    let Some(known) = LOCKS.known(lock as usize) else { return false };
    let thread = Here::now();
    match NESTED {
        true => fast::locks::acquire_nested::<TRACE, GATE>(thread, node, known, tested, Tsc),
        false => fast::locks::acquire::<TRACE, GATE>(thread, node, known, tested, Tsc),
    }
}

/// Tries to acquire the lock, if its begin can take the fast way.
#[inline(always)]
fn test<const TRACE: bool, const GATE: u32, const NESTED: bool>(call: Call) -> Option<c_int> {
    let node = fast::locks::ask::<TRACE, GATE>(Here::now(), call.site(), Tsc)?;
    let result = call.routine.call_known(call.lock);
    let address = call.lock as usize;
    let is_done = match result {
        0 => LOCKS.known(address).is_some_and(|known| {
            fast::locks::refuse::<TRACE, GATE>(Here::now(), node, (known, address), Tsc)
        }),
        _ => acquired::<TRACE, GATE, NESTED>(call.lock, node, Some(address)),
    };
    if !is_done {
        let action = if NESTED { Action::TestNested } else { Action::Test };
        exit_general(action, (address, result), node);
    }
    Some(result)
}

/// Gives the lock back, if its begin can take the fast way.
#[inline(always)]
fn unset<const TRACE: bool, const GATE: u32, const NESTED: bool>(call: Call) -> Option<c_int> {
    let known = LOCKS.known(call.lock as usize)?;
    let (thread, site) = (Here::now(), call.site());
    let node = match NESTED {
        true => fast::locks::give_back_nested::<TRACE, GATE>(thread, site, known, Tsc),
        false => fast::locks::give_back::<TRACE, GATE>(thread, site, known, Tsc),
    }?;
    call.routine.call_known(call.lock);
    if !fast::locks::leave::<TRACE, GATE>(Here::now(), node, Tsc) {
        let action = if NESTED { Action::UnsetNested } else { Action::Unset };
        exit_general(action, (call.lock as usize, 0), node);
    }
    Some(0)
}

/// Acquires the lock, if the guard sums the call.
fn set_guarded(call: Call, thread: Guarded) -> Option<c_int> {
    let key = fast::locks::ask_guarded(thread, call.site(), Tsc)?;
    call.routine.call_known(call.lock);
    let is_done = LOCKS.known(call.lock as usize).is_some_and(|known| {
        let thread = Here::now().guarded();
        thread.is_some_and(|thread| guarded::exit_with_lock(thread, key, known, Tsc))
    });
    if !is_done {
        exit_guarded_general(Action::Set, call.lock as usize, key);
    }
    Some(0)
}

/// Gives the lock back, if the guard sums the call.
fn unset_guarded(call: Call, thread: Guarded) -> Option<c_int> {
    let known = LOCKS.known(call.lock as usize)?;
    let key = fast::locks::give_back_guarded(thread, call.site(), known, Tsc)?;
    call.routine.call_known(call.lock);
    if !Here::now().guarded().is_some_and(|thread| guarded::exit(thread, key, Tsc)) {
        exit_guarded_general(Action::Unset, call.lock as usize, key);
    }
    Some(0)
}

/// The end of a call that has begun on the fast way, at this node, and has returned this.
#[cold]
#[inline(never)]
fn exit_general(action: Action, of: (usize, c_int), node: NodeOffset) {
    on_thread!(|thread| {
        let key = thread.node(node).key;
        exit_of_key(thread, key, action, of);
    });
}

/// The same of one that the guard was to sum.
#[cold]
#[inline(never)]
fn exit_guarded_general(action: Action, lock: usize, key: u64) {
    on_thread!(|thread| exit_of_key(thread, key, action, (lock, 0)));
}

fn exit_of_key(thread: &mut Location, key: u64, action: Action, of: (usize, c_int)) {
    if let Key::Region(region) = Key::decode(key) {
        after(thread, region, action, of);
    }
}

#[inline(never)]
fn call_general(
    routine: &Routine,
    action: Action,
    (lock, hint): (*mut c_void, usize),
    address: usize,
) -> c_int {
    let real = routine.real(address);
    if real == 0 {
        return 0;
    }
    let mut region = None;
    on_thread!(|thread| region = Some(before(thread, routine, action, (lock as usize, address))));
    // SAFETY: the next library's routine of the same name: one or two arguments in registers.
    let real = unsafe { transmute::<usize, Real>(real) };
    let result = real(lock, hint);
    on_thread!(|thread| {
        let region = region.unwrap_or_else(|| routine.region(thread.process));
        after(thread, region, action, (lock as usize, result));
    });
    result
}

/// Enters the region of the call, which it returns.
fn before(
    thread: &mut Location,
    routine: &Routine,
    action: Action,
    (lock, address): (usize, usize),
) -> u32 {
    let region = match address {
        0 => routine.region(thread.process),
        _ => sites::region(thread, routine, address),
    };
    let at = thread.header.current;
    let now = thread.enter(region, clock::now());
    sites::note_node(thread, routine.called_from(address), at, thread.header.current);
    if matches!(action, Action::Reset) {
        LOCKS.forget(lock);
        return region;
    }
    match (action, LOCKS.find(lock)) {
        (Action::Unset, Some(lock)) => sync::unlocked(thread, lock, now),
        (Action::UnsetNested, Some(lock)) if sync::nested_released(lock) => {
            sync::unlocked(thread, lock, now);
        }
        _ => {}
    }
    region
}

fn after(thread: &mut Location, region: u32, action: Action, of: (usize, c_int)) {
    let now = clock::now();
    let (address, result) = of;
    if matches!(action, Action::Reset) {
        return thread.exit(region, now);
    }
    let is_test = matches!(action, Action::Test | Action::TestNested);
    match LOCKS.find(address) {
        Some(lock) if acquires(thread, action, lock, result) => {
            if is_test {
                sync::tested(thread, lock, address, now);
            }
            sync::locked(thread, lock, now);
        }
        Some(lock) if is_test && result == 0 => sync::refused(thread, lock, address),
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

/// Exports a routine under this name: the lock and the hint, if it takes one, stay where they are,
/// and the return address becomes the third argument.
macro_rules! exported {
    ($symbol:ident, $function:ident, $from:path) => {
        exported!($symbol, $function, $from, "xor esi, esi", "mov x1, xzr");
    };
    ($symbol:ident, $function:ident, $from:path, hint) => {
        exported!($symbol, $function, $from, "", "");
    };
    ($symbol:ident, $function:ident, $from:path, $x86:literal, $arm:literal) => {
        #[unsafe(export_name = stringify!($symbol))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $function() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!($x86, "mov rdx, qword ptr [rsp]", "jmp {}", sym $from);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!($arm, "mov x2, x30", "b {}", sym $from);
        }
    };
}

/// A C routine, its Fortran twin, and the name that the POMP paper gives it.
macro_rules! routines {
    ($($c:ident $fortran:ident $pomp:ident $action:ident ($($hint:ident)?);)*) => {
        $(
            routine!($c $action ($($hint)?));
            routine!($fortran $action ($($hint)?));
        )*
        /// Symbols of C, which the program is linked with.
        mod of_c {
            $(exported!($c, $c, super::$c::from $(, $hint)?);)*
        }
        /// Symbols of Fortran.
        mod of_fortran {
            $(exported!($fortran, $fortran, super::$fortran::from $(, $hint)?);)*
        }
        /// Symbols of the POMP paper.
        mod of_pomp {
            $(exported!($pomp, $c, super::$c::from $(, $hint)?);)*
        }
    };
}

/// One routine, and its call from a place that is not known, for those that POMP2 has.
macro_rules! routine {
    ($name:ident $action:ident ()) => {
        #[doc = concat!("`", stringify!($name), "`, measured.")]
        pub fn $name(lock: *mut c_void) -> c_int {
            $name::from(lock, 0, 0)
        }
        routine!($name $action (hint));
    };
    ($name:ident $action:ident (hint)) => {
        #[doc = concat!("`", stringify!($name), "`.")]
        mod $name {
            use super::{Action, Routine, c_int, c_void, call, name};

            static ROUTINE: Routine = Routine::new(name(concat!(stringify!($name), "\0")));

            /// The routine is called from before this address.
            pub extern "C" fn from(lock: *mut c_void, hint: usize, address: usize) -> c_int {
                call(&ROUTINE, Action::$action, (lock, hint), address)
            }
        }
    };
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
