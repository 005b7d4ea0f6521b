//! What OMPT's callbacks do not have: the function that the compiler has made of the body of a
//! parallel region, the place where a task is made ready, and the variable that all critical
//! sections of one name have in common. The address that a callback has is worse, because two
//! calls may share a line, a call at the end of a function returns to the runtime itself, and the
//! tasks of all taskloops are created at one place of the runtime. The lock of a critical section
//! that a callback names lies in memory that the runtime has allocated. So the calls of LLVM's
//! runtime that begin these constructs are interposed. Each notes for the callback that follows on
//! the thread what that lacks, and jumps on.
//!
//! The functions have any number of arguments, so nothing of them may be touched: two free
//! registers have to do. Where the next library's function is, is noted once for each thread.

pub use word::{take_critical_lock, take_region_body, task_call};

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod word {
    use std::arch::{asm, global_asm, naked_asm};
    use std::ffi::CStr;

    use crate::{next, start};

    // The body of a parallel region, the call that makes a task ready, and where the calls go on:
    // those of parallel regions, of regions with a condition, of teams, and of tasks. Then the
    // variable of a critical section, and where calls with and without a hint go on.
    global_asm!(
        ".section .tdata,\"awT\",@progbits",
        ".balign 8",
        ".hidden pompeii_called",
        ".globl pompeii_called",
        ".type pompeii_called, @object",
        ".size pompeii_called, 72",
        "pompeii_called: .zero 72",
        ".text",
    );

    /// Takes the word at this place of what is noted.
    #[inline(always)]
    fn take<const AT: usize>() -> usize {
        let word: usize;
        // SAFETY: reads and writes the variable defined above.
        unsafe {
            asm!(
                "mov {place}, qword ptr [rip + pompeii_called@GOTTPOFF]",
                "mov {word}, qword ptr fs:[{place} + {at}]",
                "mov qword ptr fs:[{place} + {at}], 0",
                place = out(reg) _,
                word = out(reg) word,
                at = const AT,
                options(nostack, preserves_flags)
            );
        }
        word
    }

    /// The body of the parallel region that the thread forks now, once; 0 if it is not known.
    #[inline(always)]
    pub fn take_region_body() -> usize {
        take::<0>()
    }

    /// The variable of the critical section that the thread is about to enter, once; 0 if it is not
    /// known.
    #[inline(always)]
    pub fn take_critical_lock() -> usize {
        take::<48>()
    }

    /// Where the call returns to that has made the thread's last task ready; 0 if it is not known.
    #[inline(always)]
    pub fn task_call() -> usize {
        let call: usize;
        // SAFETY: reads the variable defined above.
        unsafe {
            asm!(
                "mov {place}, qword ptr [rip + pompeii_called@GOTTPOFF]",
                "mov {call}, qword ptr fs:[{place} + 8]",
                place = out(reg) _,
                call = out(reg) call,
                options(nostack, preserves_flags, readonly)
            );
        }
        call
    }

    /// A function that puts `$noted`, a register or a word of the stack, into the word at `$to`,
    /// and goes on at the address in the word at `$next`. At its first call on the thread, all
    /// registers that can have arguments are kept while that is looked for.
    macro_rules! interposed {
        ($name:ident, $find:ident, $text:literal, $noted:literal to $to:literal, $next:literal) => {
            #[doc = concat!("`", stringify!($name), "` of LLVM's runtime.")]
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() {
                naked_asm!(
                    "mov r11, qword ptr [rip + pompeii_called@GOTTPOFF]",
                    concat!("mov r10, ", $noted),
                    concat!("mov qword ptr fs:[r11 + ", $to, "], r10"),
                    concat!("mov r11, qword ptr fs:[r11 + ", $next, "]"),
                    "test r11, r11",
                    "je 2f",
                    "jmp r11",
                    "2:",
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "push rax",
                    "sub rsp, 128",
                    "movups xmmword ptr [rsp], xmm0",
                    "movups xmmword ptr [rsp + 16], xmm1",
                    "movups xmmword ptr [rsp + 32], xmm2",
                    "movups xmmword ptr [rsp + 48], xmm3",
                    "movups xmmword ptr [rsp + 64], xmm4",
                    "movups xmmword ptr [rsp + 80], xmm5",
                    "movups xmmword ptr [rsp + 96], xmm6",
                    "movups xmmword ptr [rsp + 112], xmm7",
                    // The address that the call returns to, after seven registers and the above.
                    "mov rdi, qword ptr [rsp + 184]",
                    "call {find}",
                    "movups xmm0, xmmword ptr [rsp]",
                    "movups xmm1, xmmword ptr [rsp + 16]",
                    "movups xmm2, xmmword ptr [rsp + 32]",
                    "movups xmm3, xmmword ptr [rsp + 48]",
                    "movups xmm4, xmmword ptr [rsp + 64]",
                    "movups xmm5, xmmword ptr [rsp + 80]",
                    "movups xmm6, xmmword ptr [rsp + 96]",
                    "movups xmm7, xmmword ptr [rsp + 112]",
                    "add rsp, 128",
                    "mov r11, rax",
                    "pop rax",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "mov r10, qword ptr [rip + pompeii_called@GOTTPOFF]",
                    concat!("mov qword ptr fs:[r10 + ", $next, "], r11"),
                    "jmp r11",
                    find = sym $find,
                );
            }

            extern "C" fn $find(caller: usize) -> usize {
                find($text, caller)
            }
        };
    }

    interposed!(__kmpc_fork_call, find_fork, c"__kmpc_fork_call", "rdx" to "0", "16");
    interposed!(__kmpc_fork_call_if, find_fork_if, c"__kmpc_fork_call_if", "rdx" to "0", "24");
    interposed!(__kmpc_fork_teams, find_teams, c"__kmpc_fork_teams", "rdx" to "0", "32");
    // The address that this call returns to is on top of the stack.
    interposed!(
        __kmpc_omp_task_alloc,
        find_task,
        c"__kmpc_omp_task_alloc",
        "qword ptr [rsp]" to "8",
        "40"
    );

    interposed!(__kmpc_critical, find_critical, c"__kmpc_critical", "rdx" to "48", "56");
    interposed!(
        __kmpc_critical_with_hint,
        find_hinted,
        c"__kmpc_critical_with_hint",
        "rdx" to "48",
        "64"
    );

    /// Where the call goes on. Without that the program has no way on either: its own runtime is
    /// missing.
    fn find(name: &CStr, caller: usize) -> usize {
        let found = next::function(name, caller);
        if found == 0 {
            if let Some(started) = start::started() {
                let name = name.to_string_lossy();
                started.say(&format!("error: no OpenMP library has `{name}`"));
            }
            std::process::abort();
        }
        found
    }
}

/// None of this is known on other processors.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod word {
    pub fn take_region_body() -> usize {
        0
    }

    pub fn take_critical_lock() -> usize {
        0
    }

    pub fn task_call() -> usize {
        0
    }
}
