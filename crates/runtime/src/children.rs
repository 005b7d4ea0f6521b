//! Children that `pthread_atfork` does not know: those of `vfork`, of `clone`, and of `syscall`.
//!
//! A child of `vfork` runs in the parent's memory, thread-local variables included, while the
//! parent's thread waits. Until it has become another program, its events are passed over: they
//! would be written into the parent's location. A child of a system call that forks has the
//! parent's live state mapped, as any other one, and is silent. Whoever asks the system itself,
//! past the C library, is not seen.

use std::ffi::{c_int, c_void};
use std::mem::transmute;

use crate::ends::Next;
use crate::forks;
use crate::signals;
use crate::tls;

/// Interposes `vfork`. It returns twice on one stack, so it cannot call the next one: it keeps its
/// return address and what it changes in registers, which parent and child have of their own, and
/// asks the system as the C library does.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn vfork() -> libc::pid_t {
    core::arch::naked_asm!(
        "mov r9, qword ptr [rip + pompeii_thread_location@GOTTPOFF]",
        "mov r8, qword ptr fs:[r9]",
        "lea rdi, [rip + {closed}]",
        "mov qword ptr fs:[r9], rdi",
        "pop rdi",
        "mov eax, {vfork}",
        "syscall",
        "push rdi",
        "test eax, eax",
        "jz 2f",
        "mov qword ptr fs:[r9], r8",
        "cmp eax, -4095",
        "jae 3f",
        "2:",
        "ret",
        "3:",
        "mov edi, eax",
        "sub rsp, 8",
        "call {failed}",
        "add rsp, 8",
        "ret",
        closed = sym tls::CLOSED,
        vfork = const libc::SYS_vfork,
        failed = sym failed,
    );
}

/// Interposes `syscall`, which asks the system as the C library's does: a number and six arguments.
/// A child with memory of its own is silent; one with the parent's may have another stack, on which
/// it simply returns. The action of a signal goes to [`signals`].
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn syscall() -> libc::c_long {
    core::arch::naked_asm!(
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, qword ptr [rsp + 8]",
        "cmp rax, {fork}",
        "je 2f",
        "cmp rax, {clone}",
        "je 3f",
        "cmp rax, {clone3}",
        "je 4f",
        "cmp rax, {rt_sigaction}",
        "je 8f",
        "syscall",
        "cmp rax, -4095",
        "jae 6f",
        "ret",
        "2:",
        "xor edi, edi",
        "3:",
        "syscall",
        "test rax, rax",
        "jnz 5f",
        "test edi, {shares_memory}",
        "jz 7f",
        "ret",
        // Its flags are in memory, which is there where the system has taken them.
        "4:",
        "syscall",
        "test rax, rax",
        "jnz 5f",
        "test dword ptr [rdi], {shares_memory}",
        "jz 7f",
        "5:",
        "cmp rax, -4095",
        "jae 6f",
        "ret",
        "6:",
        "mov edi, eax",
        "sub rsp, 8",
        "call {failed}",
        "add rsp, 8",
        "cdqe",
        "ret",
        "7:",
        "sub rsp, 8",
        "call {be_silent}",
        "add rsp, 8",
        "xor eax, eax",
        "ret",
        "8:",
        "mov rcx, r10",
        "jmp {action}",
        fork = const libc::SYS_fork,
        clone = const libc::SYS_clone,
        clone3 = const libc::SYS_clone3,
        rt_sigaction = const libc::SYS_rt_sigaction,
        shares_memory = const libc::CLONE_VM,
        failed = sym failed,
        be_silent = sym be_silent,
        action = sym signals::by_system_call,
    );
}

extern "C" fn be_silent() {
    forks::be_silent();
}

/// What a function of the C library returns where the system has refused.
extern "C" fn failed(result: c_int) -> c_int {
    // SAFETY: errno is a thread-local integer.
    unsafe { *libc::__errno_location() = -result };
    -1
}

type Function = extern "C" fn(*mut c_void) -> c_int;
type Clone = unsafe extern "C" fn(
    Function,
    *mut c_void,
    c_int,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

static CLONE: Next = Next::new(c"clone");

/// What a child is to do.
struct Work {
    function: Function,
    argument: *mut c_void,
}

/// Interposes `clone`, whose last three arguments may be missing. A child with memory of its own is
/// silent; one with the parent's, for which that waits, is passed over; a thread is none of ours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clone(
    function: Function,
    stack: *mut c_void,
    flags: c_int,
    argument: *mut c_void,
    parent: *mut c_void,
    storage: *mut c_void,
    child: *mut c_void,
) -> c_int {
    let real = CLONE.get();
    if real == 0 {
        return failed(-libc::ENOSYS);
    }
    // SAFETY: the next library's function of this name.
    let real = unsafe { transmute::<usize, Clone>(real) };
    let shares = |what: c_int| flags & what != 0;
    if !shares(libc::CLONE_VM) {
        // The child has a copy of this stack, too.
        let work = Work { function, argument };
        let work = (&raw const work).cast_mut().cast();
        // SAFETY: the caller's arguments; `work` lives until the child has its copy.
        return unsafe { real(silently, stack, flags, work, parent, storage, child) };
    }
    let thread = tls::thread();
    let passes_over = shares(libc::CLONE_VFORK) && !shares(libc::CLONE_SETTLS);
    if passes_over {
        tls::close();
    }
    // SAFETY: the caller's arguments.
    let result = unsafe { real(function, stack, flags, argument, parent, storage, child) };
    if passes_over {
        tls::restore(thread);
    }
    result
}

extern "C" fn silently(work: *mut c_void) -> c_int {
    forks::be_silent();
    // SAFETY: the child's copy of what `clone` has made.
    let Work { function, argument } = unsafe { work.cast::<Work>().read() };
    function(argument)
}
