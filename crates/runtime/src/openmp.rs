//! What the OpenMP runtime says about the calling thread. The library is not linked against any:
//! it asks the one that the program has.

use std::ffi::{CStr, c_char, c_int};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// A routine of the OpenMP runtime, or what answers where the program has none.
type Routine = AtomicPtr<()>;

static GET_THREAD_NUM: Routine = Routine::new(zero as *mut ());
static GET_NUM_THREADS: Routine = Routine::new(one as *mut ());
static GET_MAX_THREADS: Routine = Routine::new(one as *mut ());
/// Null where nothing is final: to ask costs more than to look.
static IN_FINAL: Routine = Routine::new(null_mut());
static GET_SCHEDULE: Routine = Routine::new(null_mut());
/// Whether an untied task may go on at another thread: tasks of LLVM's library do, and those of
/// libgomp never. Those of the scripts in tests do.
static TASKS_MOVE: AtomicBool = AtomicBool::new(cfg!(test));

/// The thread's number where there is no OpenMP.
extern "C" fn zero() -> c_int {
    0
}

/// How many threads there are then.
extern "C" fn one() -> c_int {
    1
}

/// Weak references: a program without OpenMP (user regions only) links and runs too.
#[cfg(target_arch = "x86_64")]
fn weak_references() -> [usize; 5] {
    let (thread, team, most, in_final, schedule): (usize, usize, usize, usize, usize);
    // SAFETY: loads five addresses, 0 where the symbol does not exist.
    unsafe {
        core::arch::asm!(
            ".weak omp_get_thread_num",
            ".weak omp_get_num_threads",
            ".weak omp_get_max_threads",
            ".weak omp_in_final",
            ".weak omp_get_schedule",
            "mov {0}, qword ptr [rip + omp_get_thread_num@GOTPCREL]",
            "mov {1}, qword ptr [rip + omp_get_num_threads@GOTPCREL]",
            "mov {2}, qword ptr [rip + omp_get_max_threads@GOTPCREL]",
            "mov {3}, qword ptr [rip + omp_in_final@GOTPCREL]",
            "mov {4}, qword ptr [rip + omp_get_schedule@GOTPCREL]",
            out(reg) thread, out(reg) team, out(reg) most, out(reg) in_final, out(reg) schedule,
            options(nostack, preserves_flags, readonly)
        );
    }
    [thread, team, most, in_final, schedule]
}

#[cfg(not(target_arch = "x86_64"))]
fn weak_references() -> [usize; 5] {
    [0; 5]
}

/// The routines that are asked, in the order of [`weak_references`].
fn routines() -> [(&'static CStr, &'static Routine); 5] {
    [
        (c"omp_get_thread_num", &GET_THREAD_NUM),
        (c"omp_get_num_threads", &GET_NUM_THREADS),
        (c"omp_get_max_threads", &GET_MAX_THREADS),
        (c"omp_in_final", &IN_FINAL),
        (c"omp_get_schedule", &GET_SCHEDULE),
    ]
}

/// Looks for OpenMP's routines.
pub fn find() {
    for ((name, place), weak) in routines().into_iter().zip(weak_references()) {
        let found = match weak {
            // SAFETY: a NUL-terminated name.
            0 => unsafe { symbol(libc::RTLD_DEFAULT, name.as_ptr()) },
            weak => weak,
        };
        if found != 0 {
            place.store(found as *mut (), Ordering::Relaxed);
        }
    }
    // SAFETY: a NUL-terminated name.
    let of_llvm = unsafe { symbol(libc::RTLD_DEFAULT, c"__kmpc_omp_task".as_ptr()) };
    if of_llvm != 0 {
        TASKS_MOVE.store(true, Ordering::Relaxed);
    }
}

/// Whether an untied task may go on at another thread.
#[inline(always)]
pub fn tasks_move() -> bool {
    TASKS_MOVE.load(Ordering::Relaxed)
}

/// Whether the routines that are asked are those of this OpenMP library, which may be out of the
/// global scope. If no library was found before, this one is asked from now on.
pub fn is_asked(symbol: impl Fn(&CStr) -> usize) -> bool {
    if GET_THREAD_NUM.load(Ordering::Relaxed) == zero as *mut () {
        for (name, place) in routines() {
            match symbol(name) {
                0 => {}
                found => place.store(found as *mut (), Ordering::Relaxed),
            }
        }
    }
    GET_THREAD_NUM.load(Ordering::Relaxed) as usize == symbol(c"omp_get_thread_num")
}

/// Whether OpenMP has no device for `target` constructs. The library asks OpenMP once for each
/// construct, at its first visit.
pub fn finds_no_device() -> bool {
    // SAFETY: a NUL-terminated name.
    let found = unsafe { symbol(libc::RTLD_DEFAULT, c"omp_get_num_devices".as_ptr()) };
    found != 0 && ask(&Routine::new(found as *mut ())) == 0
}

/// Address of a symbol, 0 where there is none.
///
/// # Safety
/// `name` must be NUL-terminated.
pub unsafe fn symbol(scope: *mut libc::c_void, name: *const c_char) -> usize {
    // SAFETY: the caller's promise.
    unsafe { libc::dlsym(scope, name) as usize }
}

/// What a routine says, one that is known.
#[inline(always)]
fn ask(routine: &Routine) -> u32 {
    let address = routine.load(Ordering::Relaxed);
    // SAFETY: it is the address of a C function of this type, as `find` has stored it or from the
    // beginning.
    let routine = unsafe { transmute::<*mut (), extern "C" fn() -> c_int>(address) };
    // None of them is ever negative.
    routine() as u32
}

/// Thread number and team size of the calling thread.
#[inline(always)]
pub fn thread_of_team() -> (u32, u32) {
    (ask(&GET_THREAD_NUM), ask(&GET_NUM_THREADS))
}

/// Size of the calling thread's team.
#[inline(always)]
pub fn team_size() -> u32 {
    ask(&GET_NUM_THREADS)
}

/// How many threads the next region would get at most.
#[inline(always)]
pub fn max_threads() -> u32 {
    ask(&GET_MAX_THREADS)
}

/// A construct with a `final` clause was met.
static MAY_BE_FINAL: AtomicBool = AtomicBool::new(false);

/// There are constructs that may make tasks final.
pub fn expect_final() {
    MAY_BE_FINAL.store(true, Ordering::Relaxed);
}

/// Whether a task can be final, as far as the constructs say that were met. To ask OpenMP costs a
/// call, which few programs have a reason for.
#[inline(always)]
pub fn may_be_final() -> bool {
    MAY_BE_FINAL.load(Ordering::Relaxed)
}

/// Whether the running task is final, or included in a final one.
#[inline(always)]
pub fn in_final() -> bool {
    !IN_FINAL.load(Ordering::Relaxed).is_null() && ask(&IN_FINAL) != 0
}

/// The schedule that `schedule(runtime)` stands for now: `dynamic,4`. `None` if OpenMP does not
/// say it.
pub fn schedule() -> Option<String> {
    let address = GET_SCHEDULE.load(Ordering::Relaxed);
    if address.is_null() {
        return None;
    }
    // SAFETY: it is the address of a C function of this type, as `find` has stored it.
    let routine = unsafe { transmute::<*mut (), extern "C" fn(*mut c_int, *mut c_int)>(address) };
    let (mut kind, mut chunk) = (0, 0);
    routine(&raw mut kind, &raw mut chunk);
    schedule_text(kind, chunk)
}

/// A schedule in words. The values are those of `omp_sched_t` (OpenMP 5.2, section 18.2.11); the
/// highest bit is the modifier `monotonic`. A chunk below 1 is the one of the implementation.
fn schedule_text(kind: c_int, chunk: c_int) -> Option<String> {
    let kind = match kind & c_int::MAX {
        1 => "static",
        2 => "dynamic",
        3 => "guided",
        4 => return Some("auto".to_owned()),
        _ => return None,
    };
    Some(if chunk > 0 { format!("{kind},{chunk}") } else { kind.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::schedule_text;

    #[test]
    fn schedules_in_words() {
        let text = |kind, chunk| schedule_text(kind, chunk).unwrap_or_default();
        assert_eq!(text(1, 0), "static");
        assert_eq!(text(i32::MIN | 2, 4), "dynamic,4");
        assert_eq!(text(3, 1), "guided,1");
        assert_eq!(text(4, 1), "auto");
        assert_eq!(text(77, 1), "");
    }
}
