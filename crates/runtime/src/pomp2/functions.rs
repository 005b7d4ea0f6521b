//! The C functions of `pomp2_lib.h` and `pomp2_user_lib.h`.
#![allow(non_snake_case, reason = "the names are POMP2's")]

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI64, Ordering};

use pompeii_live::UNKNOWN_ITERATIONS;

use super::{Word, known, open, task};
use crate::clock::{self, System};
use crate::descriptor::{Given, Handle, Slot};
use crate::pomp::{self, on_construct};
use crate::{locks, openmp, parts, team};

/// Calls that open a construct: they carry its context string.
macro_rules! opening {
    ($($name:ident = $pomp:ident;)*) => { $(
        #[doc = concat!("`", stringify!($pomp), "` of POMP.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *const Word, ctc: *const c_char) {
            // SAFETY: the contract of `pomp2`.
            unsafe { pomp::$pomp(open(handle, ctc)) }
        }
    )* };
}

/// Calls on a construct that is open; one that is not is passed over.
macro_rules! following {
    ($($name:ident = $pomp:ident;)*) => { $(
        #[doc = concat!("`", stringify!($pomp), "` of POMP.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *const Word) {
            // SAFETY: the contract of `pomp2`.
            unsafe {
                if let Some(descriptor) = known(handle) {
                    pomp::$pomp(descriptor);
                }
            }
        }
    )* };
}

opening! {
    POMP2_Atomic_enter = POMP_Atomic_enter;
    POMP2_Critical_enter = POMP_Critical_enter;
    POMP2_Flush_enter = POMP_Flush_enter;
    POMP2_Master_begin = POMP_Master_begin;
    POMP2_Ordered_enter = POMP_Ordered_enter;
    POMP2_Section_begin = POMP_Section_begin;
    POMP2_Sections_enter = POMP_Sections_enter;
    POMP2_Single_enter = POMP_Single_enter;
    POMP2_Workshare_enter = POMP_Workshare_enter;
}

/// A worksharing loop is met; how many iterations it has is not known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_For_enter(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { pomp::POMP_For_enter(open(handle, ctc), UNKNOWN_ITERATIONS) }
}

following! {
    POMP2_Atomic_exit = POMP_Atomic_exit;
    POMP2_Critical_begin = POMP_Critical_begin;
    POMP2_Critical_end = POMP_Critical_end;
    POMP2_Critical_exit = POMP_Critical_exit;
    POMP2_Flush_exit = POMP_Flush_exit;
    POMP2_For_exit = POMP_For_exit;
    POMP2_Master_end = POMP_Master_end;
    POMP2_Ordered_begin = POMP_Ordered_begin;
    POMP2_Ordered_end = POMP_Ordered_end;
    POMP2_Ordered_exit = POMP_Ordered_exit;
    POMP2_Section_end = POMP_Section_end;
    POMP2_Sections_exit = POMP_Sections_exit;
    POMP2_Single_begin = POMP_Single_begin;
    POMP2_Single_end = POMP_Single_end;
    POMP2_Single_exit = POMP_Single_exit;
    POMP2_Workshare_exit = POMP_Workshare_exit;
}

/// A user region begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Begin(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { pomp::POMP_Begin(open(handle, ctc)) }
}

/// A user region ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_End(handle: *const Word) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(descriptor) = known(handle) {
            pomp::POMP_End(descriptor);
        }
    }
}

/// Makes the descriptor before the first event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Assign_handle(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { open(handle, ctc) };
}

/// Makes the descriptor of a user region before the first event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_USER_Assign_handle(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { open(handle, ctc) };
}

/// A number that no other call has given.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Get_new_task_handle() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// `omp_get_max_threads`, for Fortran units that do not use `omp_lib`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Lib_get_max_threads() -> c_int {
    openmp::max_threads() as c_int
}

/// Starts the measurement before the first construct.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Init() {
    pomp::POMP_Init();
}

/// Ends the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Finalize() {
    pomp::POMP_Finalize();
}

/// Goes on with recording.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_On() {
    pomp::POMP_On();
}

/// Stops recording on this thread until `POMP2_On`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Off() {
    pomp::POMP_Off();
}

/// Fills a task word, where the program has one.
#[inline(always)]
unsafe fn fill(word: *mut i64, value: i64) {
    if !word.is_null() {
        // SAFETY: the contract of `pomp2`.
        unsafe { word.write(value) };
    }
}

/// The master meets a parallel region: `old_task` carries its team to the join.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_fork(
    handle: *const Word,
    _if_clause: c_int,
    num_threads: c_int,
    old_task: *mut i64,
    ctc: *const c_char,
) {
    let mut id = None;
    // SAFETY: the contract of `pomp2`.
    let descriptor = unsafe { open(handle, ctc) };
    on_construct!(descriptor, |thread, process, handle| {
        let requested = u32::try_from(num_threads).unwrap_or(1);
        id = team::fork(thread, handle.region(process, Slot::Parallel), requested, clock::now());
        handle.last_team.store(id.unwrap_or(u32::MAX), Ordering::Release);
    });
    // SAFETY: as above.
    unsafe { fill(old_task, id.map_or(-1, i64::from)) };
}

/// A thread begins its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_begin(handle: *const Word) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(descriptor) = known(handle) {
            parts::begin(Given::new(descriptor), Handle::forked_last);
        }
    }
}

/// A thread ends its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_end(handle: *const Word) {
    // SAFETY: the contract of `pomp2`.
    let Some(descriptor) = (unsafe { known(handle) }) else { return };
    on_construct!(descriptor, |thread, _, _handle| {
        if let Some(team) = parts::team_around(thread) {
            team::end(thread, team, clock::now());
        }
    });
}

/// The master is behind the parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_join(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    let Some(descriptor) = (unsafe { known(handle) }) else { return };
    on_construct!(descriptor, |thread, _, _handle| {
        team::join(thread, u32::try_from(old_task).ok(), clock::now());
    });
}

/// Enters an explicit barrier. No task can migrate there, so `old_task` has nothing to carry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_enter(
    handle: *const Word,
    _old_task: *mut i64,
    ctc: *const c_char,
) {
    // SAFETY: the contract of `pomp2`.
    unsafe { pomp::POMP_Barrier_enter(open(handle, ctc)) }
}

/// Leaves an explicit barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_exit(handle: *const Word, _old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(descriptor) = known(handle) {
            pomp::POMP_Barrier_exit(descriptor);
        }
    }
}

/// Enters a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_enter(handle: *const Word, _old_task: *mut i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(descriptor) = known(handle) {
            pomp::POMP_Barrier_enter(descriptor);
        }
    }
}

/// Leaves a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_exit(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe { POMP2_Barrier_exit(handle, old_task) }
}

/// Enters a taskwait: `old_task` carries an untied task over it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Taskwait_begin(
    handle: *const Word,
    old_task: *mut i64,
    ctc: *const c_char,
) {
    let mut current = 0;
    // SAFETY: the contract of `pomp2`.
    let descriptor = unsafe { open(handle, ctc) };
    on_construct!(descriptor, |thread, process, handle| {
        current = task::current_untied(thread) as i64;
        crate::task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
    // SAFETY: as above.
    unsafe { fill(old_task, current) };
}

/// Leaves a taskwait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Taskwait_end(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    let Some(descriptor) = (unsafe { known(handle) }) else { return };
    on_construct!(descriptor, |thread, process, handle| {
        crate::task::wait_exit(thread, handle.region(process, Slot::Taskwait), System);
        task::go_on(thread, old_task as usize);
    });
}

unsafe fn create_begin(
    handle: *const Word,
    (new_task, old_task): (*mut i64, *mut i64),
    untied: bool,
    ctc: *const c_char,
) {
    let mut id = 0;
    // SAFETY: the contract of `pomp2`.
    let descriptor = unsafe { open(handle, ctc) };
    on_construct!(descriptor, |thread, process, handle| {
        id = task::create_begin(thread, handle.task(process), untied) as i64;
    });
    // SAFETY: as above. The end of the creation gets the old task's word only.
    unsafe {
        fill(new_task, id);
        fill(old_task, id);
    }
}

macro_rules! tasks {
    ($untied:literal $create_begin:ident $create_end:ident $begin:ident $end:ident) => {
        /// A task instance is created; both words receive its id.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create_begin(
            handle: *const Word,
            new_task: *mut i64,
            old_task: *mut i64,
            _if_value: c_int,
            ctc: *const c_char,
        ) {
            // SAFETY: the contract of `pomp2`.
            unsafe { create_begin(handle, (new_task, old_task), $untied, ctc) }
        }

        /// The creation of a task instance is over.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create_end(handle: *const Word, old_task: i64) {
            // SAFETY: the contract of `pomp2`.
            let Some(descriptor) = (unsafe { known(handle) }) else { return };
            on_construct!(descriptor, |thread, process, handle| {
                task::create_end(thread, old_task as usize, handle.task(process));
            });
        }

        /// A thread begins to execute a task instance.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $begin(handle: *const Word, new_task: i64) {
            // SAFETY: the contract of `pomp2`.
            let Some(descriptor) = (unsafe { known(handle) }) else { return };
            on_construct!(descriptor, |thread, process, handle| {
                task::begin(thread, new_task as usize, handle.task(process));
            });
        }

        /// A thread has executed a task instance.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $end(handle: *const Word) {
            // SAFETY: the contract of `pomp2`.
            let Some(descriptor) = (unsafe { known(handle) }) else { return };
            on_construct!(descriptor, |thread, process, handle| {
                task::end(thread, handle.task(process));
            });
        }
    };
}

tasks!(false POMP2_Task_create_begin POMP2_Task_create_end POMP2_Task_begin POMP2_Task_end);
tasks!(true POMP2_Untied_task_create_begin POMP2_Untied_task_create_end POMP2_Untied_task_begin
    POMP2_Untied_task_end);

/// The lock routines: the OpenMP operation, measured as the program's own calls of it are.
macro_rules! lock_routines {
    ($($name:ident = $omp:ident;)*) => { $(
        #[doc = concat!("`", stringify!($omp), "`, measured.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(lock: *mut c_void) -> c_int {
            locks::$omp(lock)
        }
    )* };
}

lock_routines! {
    POMP2_Init_lock = omp_init_lock;
    POMP2_Destroy_lock = omp_destroy_lock;
    POMP2_Set_lock = omp_set_lock;
    POMP2_Unset_lock = omp_unset_lock;
    POMP2_Test_lock = omp_test_lock;
    POMP2_Init_nest_lock = omp_init_nest_lock;
    POMP2_Destroy_nest_lock = omp_destroy_nest_lock;
    POMP2_Set_nest_lock = omp_set_nest_lock;
    POMP2_Unset_nest_lock = omp_unset_nest_lock;
    POMP2_Test_nest_lock = omp_test_nest_lock;
}
