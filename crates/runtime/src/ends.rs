//! How the process ends, as far as it can know: the exit handlers, and `_exit` and the `exec`
//! family, which are interposed for that alone.
//!
//! Live state needs none of it: whatever ends the process, it is complete up to the last event of
//! each thread. What is noted here is the time until the end, and which end it was.
//!
//! Everything here may run in a signal handler, since a program may end in one: no lock, no
//! allocation. The exception is a process that gets its record only at its end (`early.rs`): if it
//! does not end by `exit`, only if it is certain that no signal handler is running. In a child of
//! `vfork`, which shares the parent's memory, nothing is done: the process id tells it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pompeii_live::NotedEnd;

use crate::clock;
use crate::guard;
use crate::location::{Location, metrics};
use crate::openmp;
use crate::process::Process;
use crate::ready;
use crate::start;
use crate::team;
use crate::tls::{self, Thread};
use crate::used;
use crate::visits;

unsafe extern "C" {
    #[cfg(target_env = "gnu")]
    fn on_exit(call: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    #[cfg(target_env = "gnu")]
    fn at_quick_exit(call: extern "C" fn()) -> c_int;
}

/// Registers the exit handlers, and finds what is behind the interposed functions: in a signal
/// handler, or in a child of `vfork`, it would be too late for that.
pub fn register() {
    for next in [&EXIT, &EXECV, &EXECVE, &EXECVP, &EXECVPE, &FEXECVE, &EXECVEAT] {
        next.find();
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: registers functions of this library, which is never unloaded.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        at_quick_exit(at_exit_without_handlers);
    }
    #[cfg(not(target_env = "gnu"))]
    // SAFETY: as above.
    unsafe {
        libc::atexit(at_exit_without_code);
    }
}

#[cfg(target_env = "gnu")]
extern "C" fn at_exit(code: c_int, _argument: *mut c_void) {
    start::keep_if_long();
    note(NotedEnd::Exit(code));
}

#[cfg(target_env = "gnu")]
extern "C" fn at_exit_without_handlers() {
    start::keep_if_long_outside_of_handlers();
    note(NotedEnd::QuickExit);
}

#[cfg(not(target_env = "gnu"))]
extern "C" fn at_exit_without_code() {
    note(NotedEnd::Finalized);
}

/// Ends the measurement before the process: later events are passed over.
pub fn finalize() {
    if note(NotedEnd::Finalized) {
        start::stop();
        tls::close();
    }
}

/// Closes what is open and notes the end. Measuring goes on: destructors of static objects may
/// still have constructs in them, and an `exec` may fail. False where nothing was noted.
fn note(how: NotedEnd) -> bool {
    let Some(process) = start::process() else { return false };
    if !process.is_this() {
        return false;
    }
    let thread = tls::thread();
    tls::close();
    if let Thread::Open(location) = thread {
        // SAFETY: locations are never freed, and this thread's own is used by nobody else.
        let location = unsafe { &mut *location };
        // What is held back of regions that are still open is in the trace from here on.
        guard::flush(location);
        close_outside(process, location);
        visits::settle(location);
        location.count_unkept();
    }
    ready::end_process(process);
    used::note(process);
    process.end(how, clock::calibrate());
    tls::restore(thread);
    if how != NotedEnd::Exec {
        say_farewell();
    }
    true
}

/// The line that the end writes, made before: at the end nothing may be allocated.
static FAREWELL: OnceLock<String> = OnceLock::new();
static IS_SAID: AtomicBool = AtomicBool::new(false);

/// Says this at the end of the process.
pub fn set_farewell(text: Option<String>) {
    if let Some(text) = text {
        let _ = FAREWELL.set(text);
    }
}

fn say_farewell() {
    if let (Some(text), Some(started)) = (FAREWELL.get(), start::started())
        && !IS_SAID.swap(true, Ordering::Relaxed)
    {
        started.write(text);
    }
}

/// Outside of parallel regions the threads of a thread's teams wait inside the OpenMP runtime:
/// their final barriers can be closed for them. Inside (exit in a parallel region) they are still
/// running, and `finish` closes what is open. Returns whether it is outside.
pub fn close_outside(process: &Process, thread: &mut Location) -> bool {
    metrics::count(thread, thread.header.last_ticks);
    let outside = thread.contexts.is_outside();
    if outside {
        process.each_worker_of(thread.index(), |worker| {
            // SAFETY: locations are never freed; nobody else uses this one, see above.
            let worker = unsafe { &mut *worker };
            metrics::count_of_waiting(worker);
            team::settle(worker);
            visits::settle(worker);
            guard::write_outermost(worker);
            worker.count_unkept();
        });
        guard::write_outermost(thread);
    }
    outside
}

/// The function of this name that would be called without this library.
pub struct Next {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Next {
    /// Not looked for yet.
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicUsize::new(0) }
    }

    /// Looks for it.
    pub fn find(&self) -> usize {
        // SAFETY: a NUL-terminated name.
        let address = unsafe { openmp::symbol(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(address, Ordering::Relaxed);
        address
    }

    /// Its address, 0 where there is none (a program without shared libraries).
    pub fn get(&self) -> usize {
        match self.address.load(Ordering::Relaxed) {
            0 => self.find(),
            address => address,
        }
    }
}

static EXIT: Next = Next::new(c"_exit");
static EXECV: Next = Next::new(c"execv");
static EXECVE: Next = Next::new(c"execve");
static EXECVP: Next = Next::new(c"execvp");
static EXECVPE: Next = Next::new(c"execvpe");
static FEXECVE: Next = Next::new(c"fexecve");
static EXECVEAT: Next = Next::new(c"execveat");

/// Interposes `_exit`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(code: c_int) -> ! {
    start::keep_if_long_outside_of_handlers();
    note(NotedEnd::ImmediateExit(code));
    let real = EXIT.get();
    if real != 0 {
        // SAFETY: the next library's function of this name.
        unsafe { transmute::<usize, unsafe extern "C" fn(c_int) -> !>(real)(code) }
    }
    loop {
        // SAFETY: ends all threads of the process; it does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, code) };
    }
}

/// Interposes `_Exit`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(code: c_int) -> ! {
    // SAFETY: the same function by another name.
    unsafe { _exit(code) }
}

/// A NULL-terminated list of strings.
type Strings = *const *const c_char;

/// Calls a function that replaces the program, if it succeeds.
fn exec(next: &Next, call: impl FnOnce(usize) -> c_int) -> c_int {
    let real = next.get();
    if real == 0 {
        // SAFETY: errno is a thread-local integer.
        unsafe { *libc::__errno_location() = libc::ENOSYS };
        return -1;
    }
    start::keep_if_long_outside_of_handlers();
    let noted = note(NotedEnd::Exec);
    let result = call(real);
    // Still here: it has failed.
    if let (true, Some(process)) = (noted, start::process()) {
        process.take_back_end(NotedEnd::Exec);
    }
    result
}

macro_rules! interposed {
    ($($name:ident ($($argument:ident: $type:ty),*) = $next:ident;)*) => { $(
        #[doc = concat!("Interposes `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            exec(&$next, |real| {
                // SAFETY: the next library's function of this name, with the caller's arguments.
                unsafe {
                    transmute::<usize, unsafe extern "C" fn($($type),*) -> c_int>(real)(
                        $($argument),*
                    )
                }
            })
        }
    )* };
}

interposed! {
    execv(path: *const c_char, arguments: Strings) = EXECV;
    execve(path: *const c_char, arguments: Strings, environment: Strings) = EXECVE;
    execvp(file: *const c_char, arguments: Strings) = EXECVP;
    execvpe(file: *const c_char, arguments: Strings, environment: Strings) = EXECVPE;
    fexecve(file: c_int, arguments: Strings, environment: Strings) = FEXECVE;
    execveat(
        folder: c_int, path: *const c_char, arguments: Strings, environment: Strings, flags: c_int
    ) = EXECVEAT;
}

/// Which of the functions that take their strings one by one.
#[cfg(target_arch = "x86_64")]
mod listed {
    /// `execl`.
    pub const PATH: usize = 0;
    /// `execlp`.
    pub const FILE: usize = 1;
    /// `execle`: the environment stands behind the NULL.
    pub const WITH_ENVIRONMENT: usize = 2;
}

/// The arguments of a call with a variable number of them, as C passes them behind the first: five
/// in registers, which have been stored, and the rest on the stack.
#[cfg(target_arch = "x86_64")]
struct Listed {
    registers: Strings,
    stack: Strings,
}

#[cfg(target_arch = "x86_64")]
impl Listed {
    const IN_REGISTERS: usize = 5;

    /// # Safety
    /// The caller must have passed that many.
    unsafe fn get(&self, index: usize) -> *const c_char {
        // SAFETY: the caller's promise.
        unsafe {
            match index.checked_sub(Self::IN_REGISTERS) {
                None => *self.registers.add(index),
                Some(rest) => *self.stack.add(rest),
            }
        }
    }

    /// Strings before the NULL.
    ///
    /// # Safety
    /// There must be a NULL.
    unsafe fn count(&self) -> usize {
        // SAFETY: the caller's promise.
        (0..).take_while(|&index| !unsafe { self.get(index) }.is_null()).count()
    }
}

/// As many arguments are passed on without a list of their own in memory that is asked for.
#[cfg(target_arch = "x86_64")]
const FEW: usize = 256;

/// Passes listed strings on as a list. In a child of `vfork` nothing may be allocated but pages.
///
/// # Safety
/// As for `execl`, `execlp` and `execle`.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn exec_listed(
    path: *const c_char,
    registers: Strings,
    stack: Strings,
    which: usize,
) -> c_int {
    let listed = Listed { registers, stack };
    let mut few = [std::ptr::null(); FEW];
    // SAFETY: the caller's promise: a NULL ends the strings, and an environment follows if it must.
    unsafe {
        let count = listed.count();
        let list = if count < FEW { few.as_mut_ptr() } else { pages(count + 1) };
        if list.is_null() {
            *libc::__errno_location() = libc::E2BIG;
            return -1;
        }
        for index in 0..count {
            *list.add(index) = listed.get(index);
        }
        *list.add(count) = std::ptr::null();
        let result = match which {
            listed::WITH_ENVIRONMENT => execve(path, list, listed.get(count + 1).cast()),
            listed::FILE => execvp(path, list),
            _ => execv(path, list),
        };
        if count >= FEW {
            let errno = *libc::__errno_location();
            libc::munmap(list.cast(), (count + 1) * size_of::<*const c_char>());
            *libc::__errno_location() = errno;
        }
        result
    }
}

#[cfg(target_arch = "x86_64")]
fn pages(strings: usize) -> *mut *const c_char {
    let (protection, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let bytes = strings * size_of::<*const c_char>();
    // SAFETY: a fresh mapping at an address of the system's choice.
    let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if base == libc::MAP_FAILED { std::ptr::null_mut() } else { base.cast() }
}

/// Functions with a variable number of arguments: stores those in registers, and calls
/// [`exec_listed`] with them and with where the rest is.
#[cfg(target_arch = "x86_64")]
macro_rules! interposed_listed {
    ($($name:ident = $which:path;)*) => { $(
        #[doc = concat!("Interposes `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                // The stack is unwound from inside: see `start::keep_if_long_outside_of_handlers`.
                ".cfi_startproc",
                "lea rax, [rsp + 8]",
                "sub rsp, 40",
                ".cfi_adjust_cfa_offset 40",
                "mov [rsp], rsi",
                "mov [rsp + 8], rdx",
                "mov [rsp + 16], rcx",
                "mov [rsp + 24], r8",
                "mov [rsp + 32], r9",
                "mov rsi, rsp",
                "mov rdx, rax",
                "mov ecx, {which}",
                "call {listed}",
                "add rsp, 40",
                ".cfi_adjust_cfa_offset -40",
                "ret",
                ".cfi_endproc",
                which = const $which,
                listed = sym exec_listed,
            );
        }
    )* };
}

#[cfg(target_arch = "x86_64")]
interposed_listed! {
    execl = listed::PATH;
    execlp = listed::FILE;
    execle = listed::WITH_ENVIRONMENT;
}
