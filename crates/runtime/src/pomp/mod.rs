//! The POMP API (POMP paper, Table 3, with task functions): thin translations into the core.
//!
//! # Safety
//! One contract for all functions: a descriptor pointer leads to an `OMPRegDescr` that lives as
//! long as the process, and pointers to team and task ids to writable 64-bit integers. Whatever
//! else the calls say is checked: missing, doubled and misplaced events are passed over.

mod constructs;
mod fortran;
mod parallel;
mod parameters;
mod tasks;

use crate::ways::program;

pub use constructs::*;
pub use parallel::*;
pub use parameters::*;
pub use tasks::*;

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident($descriptor:ident) = $call:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($descriptor: *mut Descriptor) {
            // SAFETY: the contract of this module.
            let $descriptor = unsafe { $crate::descriptor::Given::new($descriptor) };
            $call
        }
    )* };
}

pub(crate) use events;

/// Starts the measurement before the first construct.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Init() {
    program::init();
}

/// Ends the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Finalize() {
    program::finalize();
}

/// Goes on with recording.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_On() {
    program::record(true);
}

/// Stops recording on this thread until `POMP_On`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Off() {
    program::record(false);
}
