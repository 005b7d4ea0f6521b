//! The signal: which one it is, and what its handler does.
//!
//! The signal is a real-time signal that nothing in the process uses. SIGPROF is none: programs and
//! interpreters have profilers of their own, which use it. System calls that the handler interrupts
//! go on afterwards, as far as they can.
//!
//! A program may have set up a stack of a few kilobytes for its signal handlers, and a walk needs
//! more, so the handler has a stack of its own. Other signals wait until it has ended: their
//! handlers may need more stack than that, or never return.

use std::arch::asm;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64};
use framehop::{MustNotAllocateDuringUnwind, Unwinder as _};
use pompeii_live::SamplePlace;

use super::action::{self, Action};
use super::modules::{self, Modules};
use super::threads::{self, Scratch, Thread};

/// Signals at the end of the range that others take first.
const OTHERS: c_int = 3;
/// The code that a handler returns to: `mov rax, 15; syscall`. Debuggers know it by these bytes,
/// too.
const END_OF_HANDLER: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
/// What looking at all frames takes on the thread's own stack, without optimization.
const WALK_BYTES: u64 = 64 << 10;
/// Frames of a thread that are looked at.
const FRAMES_MAX: usize = 512;
/// What a signal of a timer says of itself.
const SI_TIMER: c_int = -2;

/// A signal's information, as the system has it for one of a timer.
#[repr(C)]
struct Information {
    _signal: c_int,
    _errno: c_int,
    code: c_int,
    _padding: c_int,
    _timer: c_int,
    /// How often the timer has expired since, while the signal was pending.
    overrun: c_int,
    value: usize,
}

/// What the handler does on its own stack.
struct Work {
    thread: &'static Thread,
    registers: Registers,
    /// The number of samples that it counts for.
    weight: u32,
}

/// Where the thread was interrupted.
struct Registers {
    instruction: u64,
    stack: u64,
    frame: u64,
}

/// Takes a signal that is not in use for the handler, or the one that it has from the process which
/// this one was forked from. Returns it with the action that it had, which is the handler in such a
/// process; `None` if there is no such signal.
pub fn install() -> Option<(c_int, Action)> {
    let mut all = (libc::SIGRTMIN()..=libc::SIGRTMAX() - OTHERS).rev();
    let (signal, before) = all.find_map(|signal| {
        let now = action::of(signal)?;
        (now.handler == libc::SIG_DFL || is_ours(&now)).then_some((signal, now))
    })?;
    let flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    let own = Action::new(handler(), flags as u64, u64::MAX);
    action::set(signal, &own).then_some((signal, before))
}

/// Whether the signal still leads to the handler.
pub fn is_installed(signal: c_int) -> bool {
    action::of(signal).as_ref().is_some_and(is_ours)
}

/// Whether this action leads to the handler.
pub fn is_ours(action: &Action) -> bool {
    action.handler == handler()
}

/// Whether the calling thread blocks the signal. It would stay pending until the thread waits for
/// signals, and then surprise the program.
pub fn is_blocked(signal: c_int) -> bool {
    let mut blocked = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: only asks; zeroes are a set.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), blocked.as_mut_ptr()) != 0
            || libc::sigismember(blocked.as_ptr(), signal) != 0
    }
}

fn handler() -> libc::sighandler_t {
    on_signal as *const () as libc::sighandler_t
}

unsafe extern "C" fn on_signal(
    _signal: c_int,
    information: *mut libc::siginfo_t,
    context: *mut c_void,
) {
    // SAFETY: the system's contract for `SA_SIGINFO`; errno is a thread-local integer.
    unsafe {
        let errno = *libc::__errno_location();
        let Information { code, overrun, value, .. } = *information.cast::<Information>();
        let registers = registers(&*context.cast::<libc::ucontext_t>());
        if let (SI_TIMER, Some(thread)) = (code, threads::own(value)) {
            do_on_own_stack(&Work { thread, registers, weight: 1 + overrun.max(0) as u32 });
        }
        *libc::__errno_location() = errno;
    }
}

fn registers(context: &libc::ucontext_t) -> Registers {
    let at = |register: c_int| context.uc_mcontext.gregs[register as usize] as u64;
    Registers { instruction: at(libc::REG_RIP), stack: at(libc::REG_RSP), frame: at(libc::REG_RBP) }
}

/// Calls [`sample`] on the stack that the thread has for it.
///
/// # Safety
/// In the thread's handler, which the system does not interrupt.
unsafe fn do_on_own_stack(work: &Work) {
    let top = work.thread.work_stack_end();
    // SAFETY: the stack is this thread's, and it is not in use. The function keeps r12, as all
    // functions of the C ABI do, and returns.
    unsafe {
        asm!(
            "mov r12, rsp",
            "mov rsp, {top}",
            "call {function}",
            "mov rsp, r12",
            top = in(reg) top,
            function = in(reg) sample as unsafe extern "C" fn(*const Work),
            in("rdi") std::ptr::from_ref(work),
            out("r12") _,
            clobber_abi("C"),
        );
    }
}

/// Counts a sample of the calling thread.
///
/// # Safety
/// The work is that of the calling thread's handler.
unsafe extern "C" fn sample(work: *const Work) {
    // SAFETY: the caller's promise.
    let &Work { thread, ref registers, weight } = unsafe { &*work };
    let Some((node, tree)) = super::place_of(&thread.location) else { return };
    // SAFETY: this is the thread's handler, which the system does not interrupt by the same signal.
    let scratch = unsafe { thread.scratch() };
    let found = thread.sampling(|| {
        // SAFETY: the thread says so.
        unsafe { modules::current() }
            .map_or(Some((0, false)), |modules| unwind(scratch, thread, (modules, registers)))
    });
    let Some((count, is_whole)) = found else { return };
    let count = if is_whole { count } else { with_unknown(scratch, count) };
    tree.add(node, &scratch.places[..count], (weight, is_whole));
}

/// Adds to the first `count` places that frames further outside are unknown. Returns how many
/// there are then.
fn with_unknown(scratch: &mut Scratch, count: usize) -> usize {
    let last = count.min(scratch.places.len() - 1);
    scratch.places[last] = SamplePlace::UNKNOWN;
    last + 1
}

/// Fills in the places of the frames, up to the program's begin or to where an OpenMP runtime has
/// called the function of a construct. Returns how many there are, and whether they are all; `None`
/// inside of a function for files or of threads, whose time is measured apart from that of its
/// caller.
fn unwind(
    scratch: &mut Scratch,
    thread: &Thread,
    (modules, registers): (&Modules, &Registers),
) -> Option<(usize, bool)> {
    let &Registers { instruction, stack, frame } = registers;
    let end = thread.stack_end(stack);
    let mut read = |address: u64| {
        let is_inside = address >= stack && address.is_multiple_of(8) && address < end;
        // SAFETY: the thread's own stack, from where it was interrupted up to its end; both are
        // multiples of 8.
        is_inside.then(|| unsafe { *(address as *const u64) }).ok_or(())
    };
    let Scratch { cache, places } = scratch;
    let registers = UnwindRegsX86_64::new(instruction, stack, frame);
    let mut frames = modules.unwinder.iter_frames(instruction, registers, cache, &mut read);
    for (count, place) in places.iter_mut().enumerate() {
        let address = match frames.next() {
            Ok(Some(frame)) => frame.address_for_lookup(),
            Ok(None) => return Some((count, true)),
            Err(_) => return Some((count, false)),
        };
        let Some(code) = modules.find(address) else { return Some((count, false)) };
        if code.is_observed {
            return None;
        }
        if code.is_runtime {
            return Some((count, true));
        }
        let address = address.wrapping_sub(code.base as u64);
        if code.object >= SamplePlace::OBJECTS {
            return Some((count, false));
        }
        *place = SamplePlace { object: code.object, address }.encode();
    }
    Some((places.len(), false))
}

/// Whether the calling thread is in no signal handler for certain: all its frames are known, and
/// none returns to the end of a handler. No lock and no allocation.
///
/// # Safety
/// Sampling has ended: a handler of the thread would say that it uses the list of loaded files no
/// more.
pub unsafe fn is_outside() -> bool {
    let registers = here();
    let Some(thread) = threads::calling() else { return false };
    let is_on_own_stack = thread.has_room(registers.stack, WALK_BYTES);
    is_on_own_stack
        && thread.sampling(|| {
            // SAFETY: the thread says so.
            let modules = unsafe { modules::current() };
            modules.is_some_and(|modules| is_known_to_be_outside(thread, modules, &registers))
        })
}

/// Where the calling function is.
#[inline(always)]
fn here() -> Registers {
    let (instruction, stack, frame);
    // SAFETY: reads registers.
    unsafe {
        asm!(
            "lea {instruction}, [rip]",
            "mov {stack}, rsp",
            "mov {frame}, rbp",
            instruction = out(reg) instruction,
            stack = out(reg) stack,
            frame = out(reg) frame,
            options(nomem, nostack, preserves_flags)
        );
    }
    Registers { instruction, stack, frame }
}

#[inline(never)]
fn is_known_to_be_outside(thread: &Thread, modules: &Modules, registers: &Registers) -> bool {
    let &Registers { instruction, stack, frame } = registers;
    let end = thread.stack_end(stack);
    let mut read = |address: u64| {
        let is_inside = address >= stack && address.is_multiple_of(8) && address < end;
        // SAFETY: as in `unwind`.
        is_inside.then(|| unsafe { *(address as *const u64) }).ok_or(())
    };
    let mut cache = CacheX86_64::<MustNotAllocateDuringUnwind>::new_in();
    let registers = UnwindRegsX86_64::new(instruction, stack, frame);
    let mut frames = modules.unwinder.iter_frames(instruction, registers, &mut cache, &mut read);
    for _ in 0..FRAMES_MAX {
        match frames.next() {
            Ok(Some(frame)) if !modules.ends_handler(frame.address()) => {}
            Ok(None) => return true,
            _ => return false,
        }
    }
    false
}

impl Modules {
    /// Whether this address is where a handler returns to. Code that is in no file may be anything.
    fn ends_handler(&self, address: u64) -> bool {
        let last = address.wrapping_add(END_OF_HANDLER.len() as u64 - 1);
        if self.find(address).is_none() || self.find(last).is_none() {
            return true;
        }
        // SAFETY: a loaded file has these bytes, and code can be read.
        let code = unsafe { *(address as *const [u8; END_OF_HANDLER.len()]) };
        code == END_OF_HANDLER
    }
}
