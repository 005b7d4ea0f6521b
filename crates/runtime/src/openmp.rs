//! What the OpenMP runtime says about the calling thread. The library is not linked against any:
//! it asks the one that the program has.

use std::ffi::{c_char, c_int};
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering};

static GET_THREAD_NUM: AtomicUsize = AtomicUsize::new(0);
static GET_NUM_THREADS: AtomicUsize = AtomicUsize::new(0);
static GET_MAX_THREADS: AtomicUsize = AtomicUsize::new(0);
static IN_FINAL: AtomicUsize = AtomicUsize::new(0);

/// Weak references: a program without OpenMP (user regions only) links and runs too.
#[cfg(target_arch = "x86_64")]
fn weak_references() -> [usize; 4] {
    let (thread, team, most, in_final): (usize, usize, usize, usize);
    // SAFETY: loads four addresses, 0 where the symbol does not exist.
    unsafe {
        core::arch::asm!(
            ".weak omp_get_thread_num",
            ".weak omp_get_num_threads",
            ".weak omp_get_max_threads",
            ".weak omp_in_final",
            "mov {0}, qword ptr [rip + omp_get_thread_num@GOTPCREL]",
            "mov {1}, qword ptr [rip + omp_get_num_threads@GOTPCREL]",
            "mov {2}, qword ptr [rip + omp_get_max_threads@GOTPCREL]",
            "mov {3}, qword ptr [rip + omp_in_final@GOTPCREL]",
            out(reg) thread, out(reg) team, out(reg) most, out(reg) in_final,
            options(nostack, preserves_flags, readonly)
        );
    }
    [thread, team, most, in_final]
}

#[cfg(not(target_arch = "x86_64"))]
fn weak_references() -> [usize; 4] {
    [0; 4]
}

/// Looks for OpenMP's routines, unless they are known.
pub fn find() {
    let names =
        [c"omp_get_thread_num", c"omp_get_num_threads", c"omp_get_max_threads", c"omp_in_final"];
    let places = [&GET_THREAD_NUM, &GET_NUM_THREADS, &GET_MAX_THREADS, &IN_FINAL];
    for ((name, place), weak) in names.into_iter().zip(places).zip(weak_references()) {
        if place.load(Ordering::Relaxed) != 0 {
            continue;
        }
        let found = match weak {
            // SAFETY: a NUL-terminated name.
            0 => unsafe { symbol(libc::RTLD_DEFAULT, name.as_ptr()) },
            weak => weak,
        };
        place.store(found, Ordering::Relaxed);
    }
}

/// Address of a symbol, 0 where there is none.
///
/// # Safety
/// `name` must be NUL-terminated.
pub unsafe fn symbol(scope: *mut libc::c_void, name: *const c_char) -> usize {
    // SAFETY: the caller's promise.
    unsafe { libc::dlsym(scope, name) as usize }
}

#[inline(always)]
fn ask(function: &AtomicUsize, otherwise: c_int) -> u32 {
    let address = function.load(Ordering::Relaxed);
    if address == 0 {
        return otherwise as u32;
    }
    // SAFETY: `find` stored the address of a C function of this type.
    let function = unsafe { transmute::<usize, extern "C" fn() -> c_int>(address) };
    // None of them is ever negative.
    function() as u32
}

/// Thread number and team size of the calling thread.
#[inline(always)]
pub fn thread_of_team() -> (u32, u32) {
    (ask(&GET_THREAD_NUM, 0), ask(&GET_NUM_THREADS, 1))
}

/// Size of the calling thread's team.
#[inline(always)]
pub fn team_size() -> u32 {
    ask(&GET_NUM_THREADS, 1)
}

/// How many threads the next region would get at most.
#[inline(always)]
pub fn max_threads() -> u32 {
    ask(&GET_MAX_THREADS, 1)
}

/// Whether the running task is final, or included in a final one.
#[inline(always)]
pub fn in_final() -> bool {
    ask(&IN_FINAL, 0) != 0
}
