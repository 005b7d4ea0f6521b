//! What the program calls: for each entry point a function of its name, which notes the address
//! that the call returns to and goes on to the function of this adapter. That finds the arguments
//! where the caller has left them. If the calls of an entry point are not observed, it goes
//! straight on to libgomp.

use std::sync::atomic::AtomicUsize;

use super::call::STRAIGHT;
use super::table::{Entry, entry_points};

macro_rules! exports {
    ($($entry:ident = $module:ident::$body:ident;)*) => { $(
        #[doc = concat!("`", stringify!($entry), "`, observed.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $entry() {
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + {straight} + {place}]",
                "test r11, r11",
                "jne 22f",
                "mov r10, qword ptr [rsp]",
                "mov r11, qword ptr [rip + pompeii_gomp_thread@GOTTPOFF]",
                "mov qword ptr fs:[r11], r10",
                "jmp {body}",
                "22:",
                "jmp r11",
                straight = sym STRAIGHT,
                place = const Entry::$entry as usize * size_of::<AtomicUsize>(),
                body = sym super::$module::$body::<{ Entry::$entry as usize }>,
            )
        }
    )* };
}

entry_points!(exports);
