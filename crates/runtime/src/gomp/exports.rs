//! What the program calls: for each entry point a function of its name, which passes the address
//! that the call returns to on, and jumps to the function of this adapter. That finds the arguments
//! where the caller has left them. If the calls of an entry point are not observed, the jump goes
//! straight to libgomp, which looks at no register that is not an argument.

use std::sync::atomic::AtomicPtr;

use super::table::{COUNT, Entry, entry_points};

/// Puts the return address where the adapter's function looks for it.
macro_rules! returning {
    (0) => {
        "mov rdi, qword ptr [rsp]"
    };
    (1) => {
        "mov rsi, qword ptr [rsp]"
    };
    (2) => {
        "mov rdx, qword ptr [rsp]"
    };
    (3) => {
        "mov rcx, qword ptr [rsp]"
    };
    (six) => {
        "movq xmm0, qword ptr [rsp]"
    };
    ($other:ident) => {
        ""
    };
}

/// Saves a register on the stack, so that the sampler still finds the callers.
macro_rules! push {
    ($register:literal) => {
        concat!("push ", $register, "\n.cfi_adjust_cfa_offset 8")
    };
}

/// Takes a register back.
macro_rules! pop {
    ($register:literal) => {
        concat!("pop ", $register, "\n.cfi_adjust_cfa_offset -8")
    };
}

/// Saves the registers with arguments, and room for one word, and calls the adapter's function with
/// their address: a [`Frame`](super::call::Frame).
macro_rules! framed {
    ($body:expr, $($then:expr),+) => {{
        const _: unsafe extern "C" fn(*mut super::call::Frame) -> usize = $body;

        #[unsafe(naked)]
        unsafe extern "C" fn framed() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                push!("r9"),
                push!("r8"),
                push!("rcx"),
                push!("rdx"),
                push!("rsi"),
                push!("rdi"),
                push!("rax"),
                "mov rdi, rsp",
                "call {body}",
                $($then),+,
                ".cfi_endproc",
                body = sym $body,
            )
        }
        framed as *mut ()
    }};
}

/// What an entry point jumps to. The adapter's function must have as many arguments as the call,
/// and the address.
macro_rules! target {
    (function, $body:expr) => {
        $body as *mut ()
    };
    (0, $body:expr) => {{
        const _: unsafe extern "C" fn(usize) -> usize = $body;
        $body as *mut ()
    }};
    (1, $body:expr) => {{
        const _: unsafe extern "C" fn(usize, usize) -> usize = $body;
        $body as *mut ()
    }};
    (2, $body:expr) => {{
        const _: unsafe extern "C" fn(usize, usize, usize) -> usize = $body;
        $body as *mut ()
    }};
    (3, $body:expr) => {{
        const _: unsafe extern "C" fn(usize, usize, usize, usize) -> usize = $body;
        $body as *mut ()
    }};
    (six, $body:expr) => {{
        const _: unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, f64) -> usize =
            $body;
        $body as *mut ()
    }};
    (before, $body:expr) => {
        framed!(
            $body,
            pop!("r11"),
            pop!("rdi"),
            pop!("rsi"),
            pop!("rdx"),
            pop!("rcx"),
            pop!("r8"),
            pop!("r9"),
            "jmp r11"
        )
    };
    (around, $body:expr) => {
        framed!($body, "add rsp, 56", ".cfi_adjust_cfa_offset -56", "ret")
    };
}

macro_rules! exports {
    ($($entry:ident = $module:ident::$body:ident($arguments:tt);)*) => {
        /// Where the calls of each entry point go to: to this adapter, until they are let go.
        pub static TARGETS: [AtomicPtr<()>; COUNT] = [$(AtomicPtr::new(
            target!($arguments, super::$module::$body::<{ Entry::$entry as usize }>)
        )),*];

        $(
            #[doc = concat!("`", stringify!($entry), "`, observed.")]
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $entry() {
                core::arch::naked_asm!(
                    returning!($arguments),
                    "jmp qword ptr [rip + {targets} + {place}]",
                    targets = sym TARGETS,
                    place = const Entry::$entry as usize * size_of::<AtomicPtr<()>>(),
                )
            }
        )*
    };
}

entry_points!(exports);
