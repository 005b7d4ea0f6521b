//! The threads that are sampled, each with a timer on its own CPU time and with what its handler
//! needs. The handler finds its thread by a number in a table, since all that a timer can give it
//! is a word.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize};

use framehop::MustNotAllocateDuringUnwind;
use framehop::x86_64::CacheX86_64;
use libc::pid_t;

use super::handler;
use crate::helpers;

/// Threads beyond these are not sampled.
const THREADS_MAX: usize = 4096;
/// At least this number of the table's places are filled when none is free.
const FILLED_AT_LEAST: usize = 8;
/// Stacks that are smaller than this may be too small for the handler.
const STACK_BYTES_SMALL: usize = 64 << 10;
const HANDLER_STACK_BYTES: usize = 32 << 10;
/// Room for the registers of a processor, of which the largest vector registers take 3 KB, and for
/// the begin of the handler.
const REGISTERS_BYTES: usize = 6 << 10;
/// What the handler switches to for its work, which takes 10 KB without optimization.
const WORK_STACK_BYTES: usize = 64 << 10;
/// Frames of a sample that count, from the innermost one on.
const FRAMES_MAX: usize = 512;
/// What `timer_create` calls a clock of one thread's CPU time.
const CLOCK: c_int = libc::CLOCK_THREAD_CPUTIME_ID;
const NO_TIMER: c_int = -1;

/// A thread of the program.
pub struct Thread {
    /// The system's number of it; 0 if it has ended.
    id: AtomicI32,
    /// The C library's name of it, which a handler knows without a system call.
    handle: AtomicUsize,
    timer: AtomicI32,
    /// Its location, as far as it was known last: see [`super::Where`].
    pub location: AtomicPtr<c_void>,
    /// Its stack, from the lowest to the highest address.
    stack: [AtomicUsize; 2],
    /// The stack on which its handlers begin, if its own is small; null before.
    handler_stack: AtomicPtr<u8>,
    /// Its handler uses the list of loaded files.
    is_sampling: AtomicBool,
    /// The lowest address of the stack on which its handler works.
    work_stack: AtomicPtr<u8>,
    scratch: UnsafeCell<Scratch>,
}

/// What a handler writes while it runs.
pub struct Scratch {
    /// Rules that unwinding has found before.
    pub cache: CacheX86_64<MustNotAllocateDuringUnwind>,
    /// The places of a sample's frames, the innermost one first.
    pub places: [u64; FRAMES_MAX],
}

// SAFETY: only the handler of the thread uses `scratch`.
unsafe impl Sync for Thread {}

static THREADS: [AtomicPtr<Thread>; THREADS_MAX] =
    [const { AtomicPtr::new(null_mut()) }; THREADS_MAX];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The calling thread, in a handler that got this number from the timer. No system call: the
/// program may have forbidden itself all that it does not need.
pub fn own(number: usize) -> Option<&'static Thread> {
    // SAFETY: threads in the table are never freed.
    let thread = unsafe { THREADS.get(number)?.load(Acquire).as_ref() }?;
    (thread.handle.load(Relaxed) == own_handle()).then_some(thread)
}

/// The calling thread in the table; no lock, no allocation and no system call.
pub fn calling() -> Option<&'static Thread> {
    all().map(|(_, thread)| thread).find(|thread| thread.handle.load(Relaxed) == own_handle())
}

/// What the C library calls the calling thread.
fn own_handle() -> usize {
    // SAFETY: reads a register.
    unsafe { libc::pthread_self() as usize }
}

/// The calling thread, which plays this location from now on, gets `signal` `hz` times in a
/// second of its CPU time, unless it blocks the signal, and as long as `is_on`. Another thread may
/// end sampling meanwhile, and then not see the new timer.
pub fn arm(location: *mut c_void, (signal, hz): (c_int, u32), is_on: impl Fn() -> bool) {
    let Some((number, thread)) = place() else { return };
    thread.location.store(location, Release);
    let stack = own_stack();
    if thread.has_timer_on(stack) {
        return;
    }
    thread.stop();
    thread.handle.store(own_handle(), Relaxed);
    for (end, address) in thread.stack.iter().zip(stack) {
        end.store(address, Relaxed);
    }
    if stack[1] - stack[0] < STACK_BYTES_SMALL {
        thread.use_handler_stack();
    }
    if !handler::is_blocked(signal) && has_room_for_registers() {
        thread.timer.store(start_timer(number, (signal, hz)), SeqCst);
        if !is_on() {
            thread.stop();
        }
    }
}

/// The thread with this number of the system's ends.
pub fn disarm(id: pid_t) {
    if let Some(thread) = all().map(|(_, thread)| thread).find(|thread| thread.is(id)) {
        thread.stop();
        thread.id.store(0, Release);
    }
}

/// No thread is sampled any more.
pub fn disarm_all() {
    all().for_each(|(_, thread)| thread.stop());
}

/// Forgets the threads of the process that this one was forked from; their timers are not here.
pub fn forget() {
    for (_, thread) in all() {
        // The thread that has forked still uses its stack for handlers.
        thread.handler_stack.store(null_mut(), Relaxed);
        thread.is_sampling.store(false, Relaxed);
        thread.timer.store(NO_TIMER, Relaxed);
        thread.id.store(0, Relaxed);
    }
}

/// Whether no handler was using the list of loaded files, each at some time during this call.
pub fn none_is_sampling() -> bool {
    all().all(|(_, thread)| !thread.is_sampling.load(SeqCst))
}

fn all() -> impl Iterator<Item = (usize, &'static Thread)> {
    let count = COUNT.load(Acquire).min(THREADS_MAX);
    // SAFETY: threads in the table are never freed.
    let thread = |place: &AtomicPtr<Thread>| unsafe { place.load(Acquire).as_ref() };
    THREADS[..count].iter().enumerate().filter_map(move |(number, at)| Some((number, thread(at)?)))
}

/// The calling thread in the table: where it is, or in a free place; `None` if the table is full.
fn place() -> Option<(usize, &'static Thread)> {
    let id = own_id();
    let known = all().find(|(_, thread)| thread.is(id));
    known.or_else(|| free_place(id)).or_else(|| {
        // What a handler needs is larger than the stacks of some threads, and is made on a stack.
        let more = COUNT.load(Relaxed).max(FILLED_AT_LEAST);
        helpers::do_with_large_stack(move || fill(more));
        free_place(id)
    })
}

/// A place that is filled and that no thread has, for the thread with this number.
fn free_place(id: pid_t) -> Option<(usize, &'static Thread)> {
    let takes = |thread: &Thread| thread.id.compare_exchange(0, id, AcqRel, Relaxed).is_ok();
    all().find(|(_, thread)| takes(thread))
}

/// Fills this number of places of the table, if there are as many left.
fn fill(more: usize) {
    for _ in 0..more {
        let Some(place) = THREADS.get(COUNT.fetch_add(1, AcqRel)) else { return };
        place.store(Box::into_raw(Box::new(Thread::new())), Release);
    }
}

impl Thread {
    fn new() -> Self {
        Self {
            id: AtomicI32::new(0),
            handle: AtomicUsize::new(0),
            timer: AtomicI32::new(NO_TIMER),
            location: AtomicPtr::new(null_mut()),
            stack: [const { AtomicUsize::new(0) }; 2],
            handler_stack: AtomicPtr::new(null_mut()),
            is_sampling: AtomicBool::new(false),
            work_stack: AtomicPtr::new(stack(WORK_STACK_BYTES)),
            scratch: UnsafeCell::new(Scratch {
                cache: CacheX86_64::new_in(),
                places: [0; FRAMES_MAX],
            }),
        }
    }

    fn is(&self, id: pid_t) -> bool {
        self.id.load(Relaxed) == id
    }

    /// What its handler writes.
    ///
    /// # Safety
    /// For that handler only, which does not interrupt itself.
    #[allow(clippy::mut_from_ref, reason = "the caller's promise")]
    pub unsafe fn scratch(&self) -> &mut Scratch {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.scratch.get() }
    }

    /// The end of the stack on which its handler works, as the ABI wants it.
    pub fn work_stack_end(&self) -> *mut u8 {
        const ALIGN: usize = 16;
        let end = self.work_stack.load(Relaxed).wrapping_add(WORK_STACK_BYTES);
        end.wrapping_sub(end.addr() % ALIGN)
    }

    /// Does this while the thread says that its handler uses the list of loaded files.
    pub fn sampling<T>(&self, work: impl FnOnce() -> T) -> T {
        self.is_sampling.store(true, SeqCst);
        let result = work();
        self.is_sampling.store(false, Release);
        result
    }

    /// The end of the stack that the stack pointer is in; 0 if that is not the thread's own: code
    /// may have made stacks for itself.
    pub fn stack_end(&self, pointer: u64) -> u64 {
        let [low, high] = [&self.stack[0], &self.stack[1]].map(|end| end.load(Relaxed) as u64);
        if (low..high).contains(&pointer) { high } else { 0 }
    }

    /// Whether the stack pointer is in its own stack, with as many bytes below.
    pub fn has_room(&self, pointer: u64, bytes: u64) -> bool {
        let low = self.stack[0].load(Relaxed) as u64;
        self.stack_end(pointer) != 0 && pointer - low >= bytes
    }

    /// Whether its timer is running. If the stack is another one, a thread has ended, and a new one
    /// has its number.
    fn has_timer_on(&self, stack: [usize; 2]) -> bool {
        let same = self.stack.iter().zip(stack).all(|(end, address)| end.load(Relaxed) == address);
        same && self.timer.load(Relaxed) != NO_TIMER
    }

    /// Gives the calling thread, which this is, a stack for signal handlers, if it has none.
    fn use_handler_stack(&self) {
        if handler_stack().ss_flags & libc::SS_DISABLE == 0 {
            return;
        }
        let mut memory = self.handler_stack.load(Relaxed);
        if memory.is_null() {
            memory = stack(HANDLER_STACK_BYTES);
            self.handler_stack.store(memory, Relaxed);
        }
        let (ss_sp, ss_flags, ss_size) = (memory.cast(), 0, HANDLER_STACK_BYTES);
        let own = libc::stack_t { ss_sp, ss_flags, ss_size };
        // SAFETY: the memory is never freed, and no other thread uses it while this one lives.
        unsafe { libc::sigaltstack(&own, null_mut()) };
    }

    fn stop(&self) {
        let timer = self.timer.swap(NO_TIMER, SeqCst);
        if timer != NO_TIMER {
            // SAFETY: a plain system call.
            unsafe { libc::syscall(libc::SYS_timer_delete, timer) };
        }
    }
}

/// The stack that the program has set up for the calling thread's signal handlers.
fn handler_stack() -> libc::stack_t {
    let mut present = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: only asks; zeroes are a description of a stack.
    unsafe {
        libc::sigaltstack(std::ptr::null(), present.as_mut_ptr());
        present.assume_init()
    }
}

/// Whether the system has room for the processor's registers where the calling thread's signal
/// handlers begin. If not, it ends the process at the first signal.
fn has_room_for_registers() -> bool {
    let stack = handler_stack();
    stack.ss_flags & libc::SS_DISABLE != 0 || stack.ss_size >= REGISTERS_BYTES
}

/// Memory for a stack, which is never freed.
fn stack(bytes: usize) -> *mut u8 {
    Box::leak(vec![0; bytes].into_boxed_slice()).as_mut_ptr()
}

fn own_id() -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::syscall(libc::SYS_gettid) as pid_t }
}

/// The calling thread's stack, from the lowest to the highest address; empty if it is not known.
fn own_stack() -> [usize; 2] {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut low, mut bytes) = (null_mut(), 0);
    // SAFETY: the attributes are filled where the first call returns 0, and given back.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return [0; 2];
        }
        let result = libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        if result != 0 {
            return [0; 2];
        }
    }
    [low as usize, low as usize + bytes]
}

/// Makes and starts a timer for the calling thread. (The functions of the C library for it are in
/// another library than the rest where that is older than glibc 2.34.)
fn start_timer(number: usize, (signal, hz): (c_int, u32)) -> c_int {
    let mut event = MaybeUninit::<libc::sigevent>::zeroed();
    let mut timer: c_int = NO_TIMER;
    let interval_ns = 1_000_000_000 / libc::c_long::from(hz.max(1));
    let interval = libc::timespec {
        tv_sec: interval_ns / 1_000_000_000,
        tv_nsec: interval_ns % 1_000_000_000,
    };
    let times = libc::itimerspec { it_interval: interval, it_value: interval };
    let null = null_mut::<libc::itimerspec>();
    // SAFETY: zeroes are an event; the system reads and writes the local variables only.
    unsafe {
        let event = event.assume_init_mut();
        event.sigev_value = libc::sigval { sival_ptr: number as *mut c_void };
        event.sigev_signo = signal;
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_notify_thread_id = own_id();
        if libc::syscall(libc::SYS_timer_create, CLOCK, &raw mut *event, &raw mut timer) != 0 {
            return NO_TIMER;
        }
        libc::syscall(libc::SYS_timer_settime, timer, 0, &raw const times, null);
    }
    timer
}
