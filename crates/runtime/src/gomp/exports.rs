//! What the program calls: for each entry point a function of its name, which passes the address
//! that the call returns to on to the function of this adapter. That finds the arguments where the
//! caller has left them. If the calls of an entry point are not observed, it goes straight on to
//! libgomp.

use std::sync::atomic::AtomicUsize;

use super::call::STRAIGHT;
use super::table::{Entry, entry_points};

/// Puts the return address where the adapter's function looks for it.
macro_rules! returning {
    (function) => {
        ""
    };
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
    (many) => {
        "mov r10, qword ptr [rsp]\n\
         mov r11, qword ptr [rip + pompeii_gomp_thread@GOTTPOFF]\n\
         mov qword ptr fs:[r11], r10"
    };
}

/// The adapter's function must have as many arguments, and the address.
macro_rules! checked {
    (0, $body:expr) => {
        const _: unsafe extern "C" fn(usize) -> usize = $body;
    };
    (1, $body:expr) => {
        const _: unsafe extern "C" fn(usize, usize) -> usize = $body;
    };
    (2, $body:expr) => {
        const _: unsafe extern "C" fn(usize, usize, usize) -> usize = $body;
    };
    (3, $body:expr) => {
        const _: unsafe extern "C" fn(usize, usize, usize, usize) -> usize = $body;
    };
    ($other:ident, $body:expr) => {};
}

macro_rules! exports {
    ($($entry:ident = $module:ident::$body:ident($arguments:tt);)*) => { $(
        checked!($arguments, super::$module::$body::<{ Entry::$entry as usize }>);

        #[doc = concat!("`", stringify!($entry), "`, observed.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $entry() {
            core::arch::naked_asm!(
                "cmp qword ptr [rip + {straight} + {place}], 0",
                "jne 22f",
                returning!($arguments),
                "jmp {body}",
                "22:",
                "jmp qword ptr [rip + {straight} + {place}]",
                straight = sym STRAIGHT,
                place = const Entry::$entry as usize * size_of::<AtomicUsize>(),
                body = sym super::$module::$body::<{ Entry::$entry as usize }>,
            )
        }
    )* };
}

entry_points!(exports);
