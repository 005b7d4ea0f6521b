//! The types of OMPT (OpenMP 5.2, chapter 19) that this tool uses, as `omp-tools.h` has them, and
//! what the words of ours mean that OMPT keeps for us.
//!
//! OMPT has a word for each parallel region and each task, which belongs to the tool. Other threads
//! read it, therefore it is atomic here.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// `ompt_data_t`.
#[repr(transparent)]
pub struct Data(AtomicU64);

impl Data {
    /// A word of 0.
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// What the tool has put there; 0 before.
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Puts something there.
    #[inline(always)]
    pub fn set(&self, word: u64) {
        self.0.store(word, Ordering::Release);
    }
}

/// `ompt_function_lookup_t`: an address for the name of an entry point, or null.
pub type Lookup = extern "C" fn(name: *const c_char) -> *const c_void;

/// `ompt_set_callback_t`. The result is [`set_result`].
pub type SetCallback = extern "C" fn(event: c_int, callback: *const c_void) -> c_int;

/// `ompt_start_tool_result_t`.
#[repr(C)]
pub struct StartToolResult {
    /// Called when the runtime is ready; a result of 0 ends the tool.
    pub initialize: extern "C" fn(lookup: Lookup, device: c_int, tool: Option<&Data>) -> c_int,
    /// Called when the runtime ends.
    pub finalize: extern "C" fn(tool: Option<&Data>),
    /// The tool's word.
    pub tool: Data,
}

/// `ompt_set_result_t`: from this one on a callback is sent, at least sometimes.
pub const SET_SOMETIMES: c_int = 3;
/// The callback is sent whenever its event occurs.
pub const SET_ALWAYS: c_int = 5;

/// `ompt_callbacks_t`.
pub mod callback {
    use std::ffi::c_int;

    pub const PARALLEL_BEGIN: c_int = 3;
    pub const PARALLEL_END: c_int = 4;
    pub const TASK_CREATE: c_int = 5;
    pub const TASK_SCHEDULE: c_int = 6;
    pub const IMPLICIT_TASK: c_int = 7;
    pub const SYNC_REGION_WAIT: c_int = 16;
    pub const MUTEX_RELEASED: c_int = 17;
    pub const DEPENDENCES: c_int = 18;
    pub const WORK: c_int = 20;
    pub const MASKED: c_int = 21;
    pub const SYNC_REGION: c_int = 23;
    pub const MUTEX_ACQUIRE: c_int = 26;
    pub const MUTEX_ACQUIRED: c_int = 27;
}

/// `ompt_scope_endpoint_t`; both together for what has no length.
pub mod endpoint {
    use std::ffi::c_int;

    pub const BEGIN: c_int = 1;
    pub const END: c_int = 2;
}

/// `ompt_parallel_flag_t`.
pub mod parallel_flag {
    use std::ffi::c_int;

    /// The program calls the body itself, as programs of gcc do.
    pub const INVOKED_BY_PROGRAM: c_int = 1;
    /// The threads are the initial ones of a league of teams.
    pub const LEAGUE: c_int = 0x4000_0000;
}

/// `ompt_task_flag_t`.
pub mod task_flag {
    use std::ffi::c_int;

    pub const INITIAL: c_int = 1;
    pub const EXPLICIT: c_int = 4;
    pub const TASKWAIT: c_int = 0x10;
    pub const UNDEFERRED: c_int = 0x0800_0000;
    pub const UNTIED: c_int = 0x1000_0000;
    pub const FINAL: c_int = 0x2000_0000;
}

/// `ompt_dependence_t`: an item of a `depend` clause.
#[repr(C)]
pub struct Dependence {
    /// Its address; that of an iteration, of `ordered`.
    pub variable: u64,
    /// How it is used.
    pub kind: c_int,
}

/// `ompt_dependence_type_t`.
pub mod dependence {
    use std::ffi::c_int;

    pub const IN: c_int = 1;
    pub const OUT: c_int = 2;
    pub const INOUT: c_int = 3;
    pub const MUTEXINOUTSET: c_int = 4;
    pub const INOUTSET: c_int = 7;
}

/// `ompt_task_status_t`.
pub mod status {
    use std::ffi::c_int;

    pub const COMPLETE: c_int = 1;
    pub const CANCEL: c_int = 3;
    pub const DETACH: c_int = 4;
    pub const EARLY_FULFILL: c_int = 5;
    pub const LATE_FULFILL: c_int = 6;
    pub const TASKWAIT_COMPLETE: c_int = 8;
}

/// `ompt_sync_region_t`.
pub mod sync {
    use std::ffi::c_int;

    pub const BARRIER: c_int = 1;
    pub const BARRIER_IMPLICIT: c_int = 2;
    pub const BARRIER_EXPLICIT: c_int = 3;
    pub const BARRIER_IMPLEMENTATION: c_int = 4;
    pub const TASKWAIT: c_int = 5;
    pub const TASKGROUP: c_int = 6;
    pub const BARRIER_IMPLICIT_WORKSHARE: c_int = 8;
    pub const BARRIER_IMPLICIT_PARALLEL: c_int = 9;
}

/// `ompt_work_t`.
pub mod work {
    use std::ffi::c_int;

    pub const LOOP: c_int = 1;
    pub const SECTIONS: c_int = 2;
    pub const SINGLE_EXECUTOR: c_int = 3;
    pub const SINGLE_OTHER: c_int = 4;
    pub const WORKSHARE: c_int = 5;
    pub const DISTRIBUTE: c_int = 6;
    pub const TASKLOOP: c_int = 7;
    pub const SCOPE: c_int = 8;
    pub const LOOP_STATIC: c_int = 10;
    pub const LOOP_DYNAMIC: c_int = 11;
    pub const LOOP_GUIDED: c_int = 12;
    pub const LOOP_OTHER: c_int = 13;
}

/// `ompt_mutex_t`. Lock routines are interposed, as in instrumented programs.
pub mod mutex {
    use std::ffi::c_int;

    pub const CRITICAL: c_int = 5;
    pub const ATOMIC: c_int = 6;
    pub const ORDERED: c_int = 7;
}

/// Where the number of a construct is in our words.
const NUMBER_SHIFT: u32 = 48;

/// The word of a parallel region: its construct and its team, if that is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The construct's number; 0 if the region is none that was noted.
    pub construct: u16,
    /// The team.
    pub team: Option<u32>,
}

impl Region {
    /// A region of the runtime itself, none of whose threads is observed.
    pub const RUNTIME: Self = Self { construct: 0, team: Some(0) };
    /// A region of a file that is instrumented, and reports it.
    pub const INSTRUMENTED: Self = Self { construct: 0, team: Some(1) };

    /// As OMPT keeps it.
    #[inline(always)]
    pub fn word(self) -> u64 {
        let team = self.team.map_or(0, |team| u64::from(team) + 1);
        u64::from(self.construct) << NUMBER_SHIFT | team
    }

    /// What [`Region::word`] has made.
    #[inline(always)]
    pub fn of(word: u64) -> Self {
        let team = (word & ((1 << NUMBER_SHIFT) - 1)) as u32;
        Self { construct: (word >> NUMBER_SHIFT) as u16, team: team.checked_sub(1) }
    }
}

/// The word of an implicit task: its region, and what has happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implicit {
    /// Its region.
    pub region: Region,
    /// It is the master's.
    pub is_master: bool,
    /// It has come to its final barrier.
    pub has_ended: bool,
}

impl Implicit {
    const MASTER: u64 = 1 << 40;
    const ENDED: u64 = 1 << 41;

    /// As OMPT keeps it.
    #[inline(always)]
    pub fn word(self) -> u64 {
        let flag = |is: bool, flag: u64| if is { flag } else { 0 };
        self.region.word() | flag(self.is_master, Self::MASTER) | flag(self.has_ended, Self::ENDED)
    }

    /// What [`Implicit::word`] has made; `None` for the word of anything else.
    #[inline(always)]
    pub fn of(word: u64) -> Option<Self> {
        let region = Region::of(word & !(Self::MASTER | Self::ENDED));
        let is_one = word & Explicit::MARK == 0 && region.construct != 0;
        let (is_master, has_ended) = (word & Self::MASTER != 0, word & Self::ENDED != 0);
        is_one.then_some(Self { region, is_master, has_ended })
    }
}

/// The word of an explicit task. An address of an instance is a multiple of 64, so there is room
/// next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explicit {
    /// The construct's number; 0 for a task that its creator executes at once, which is among what
    /// the thread has open.
    pub construct: u16,
    /// The handle of the instance, 0 where it is not observed.
    pub handle: u64,
    /// A thread has begun it.
    pub has_begun: bool,
    /// It may go on at another thread.
    pub is_untied: bool,
    /// It is untied, and has not begun but for its first piece. Clang makes a piece of what comes
    /// before the body: it only hands the task back to the runtime.
    pub is_fresh: bool,
}

impl Explicit {
    /// No implicit task has this bit.
    const MARK: u64 = 1 << 47;
    const BEGUN: u64 = 1 << 3;
    const FRESH: u64 = 1 << 4;
    const UNTIED: u64 = 1 << 5;
    /// What a handle may have: an address below [`Explicit::MARK`], and its lowest bit.
    const HANDLE: u64 = (Self::MARK - 64) | 1;

    /// The word of a task that its creator executes at once.
    pub const UNDEFERRED: Self = Self::created(0, 0, false);

    /// A task that was created just now.
    pub const fn created(construct: u16, handle: u64, is_untied: bool) -> Self {
        Self { construct, handle, has_begun: false, is_untied, is_fresh: is_untied }
    }

    /// Whether a handle fits into a word.
    #[inline(always)]
    pub fn fits(handle: u64) -> bool {
        handle & !Self::HANDLE == 0
    }

    /// As OMPT keeps it.
    #[inline(always)]
    pub fn word(self) -> u64 {
        let flag = |is: bool, flag: u64| if is { flag } else { 0 };
        Self::MARK
            | u64::from(self.construct) << NUMBER_SHIFT
            | self.handle & Self::HANDLE
            | flag(self.has_begun, Self::BEGUN)
            | flag(self.is_untied, Self::UNTIED)
            | flag(self.is_fresh, Self::FRESH)
    }

    /// What [`Explicit::word`] has made; `None` for the word of anything else.
    #[inline(always)]
    pub fn of(word: u64) -> Option<Self> {
        (word & Self::MARK != 0).then_some(Self {
            construct: (word >> NUMBER_SHIFT) as u16,
            handle: word & Self::HANDLE,
            has_begun: word & Self::BEGUN != 0,
            is_untied: word & Self::UNTIED != 0,
            is_fresh: word & Self::FRESH != 0,
        })
    }
}

/// An address that a callback passes, null where it is not known.
pub type Address = *const c_void;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for team in [None, Some(0), Some(u32::MAX - 1)] {
            let region = Region { construct: 0xffff, team };
            assert_eq!(Region::of(region.word()), region);
            for (is_master, has_ended) in [(false, true), (true, false)] {
                let task = Implicit { region, is_master, has_ended };
                assert_eq!(Implicit::of(task.word()), Some(task));
                assert_eq!(Explicit::of(task.word()), None);
            }
        }
        let handle = 0x7fff_ffff_ffc0 | 1;
        assert!(Explicit::fits(handle) && !Explicit::fits(handle | 2));
        for (has_begun, is_untied, is_fresh) in
            [(false, false, true), (false, true, false), (true, false, false)]
        {
            let task = Explicit { construct: 0x8001, handle, has_begun, is_untied, is_fresh };
            assert_eq!(Explicit::of(task.word()), Some(task));
            assert_eq!(Implicit::of(task.word()), None);
        }
        assert_eq!(Explicit::of(Explicit::UNDEFERRED.word()), Some(Explicit::UNDEFERRED));
        assert_eq!((Implicit::of(0), Explicit::of(0)), (None, None));
    }
}
