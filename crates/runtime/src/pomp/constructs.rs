//! The functions of constructs that one thread enters and leaves.

use crate::descriptor::{Descriptor, Given, Slot};
use crate::pomp::events;
use crate::ways::constructs::{self, each_event};
use crate::ways::regions::{enter, exit};

/// The functions of the events that the core has by the names of constructs.
macro_rules! functions {
    ($($(#[$doc:meta])* $pomp:ident $name:ident($construct:ident) = $event:expr;)*) => {
        events! { $($(#[$doc])* $pomp($construct) = constructs::$name($construct);)* }
    };
}
each_event!(functions);

events! {
    /// A user region begins.
    POMP_Begin(d) = enter(d, Slot::User);
    /// A user region ends.
    POMP_End(d) = exit(d, Slot::User);
    /// Leaves a Fortran worksharing loop.
    POMP_Do_exit(d) = constructs::for_exit(d);
    /// Begins the body of a scope construct, which every thread has: its time is the construct's.
    POMP_Scope_begin(_d) = ();
    /// Ends the body of a scope construct.
    POMP_Scope_end(_d) = ();
}

/// Meets a C worksharing loop with `count` iterations in all; [`UNKNOWN_ITERATIONS`] where they are
/// not known. Foreign code has no such argument.
///
/// [`UNKNOWN_ITERATIONS`]: pompeii_live::UNKNOWN_ITERATIONS
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_For_enter(d: *mut Descriptor, iterations: i64) {
    // SAFETY: the contract of `pomp`.
    constructs::for_enter(unsafe { Given::new(d) }, iterations);
}

/// Meets a Fortran worksharing loop, the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Do_enter(d: *mut Descriptor, iterations: i64) {
    // SAFETY: the contract of `pomp`.
    constructs::for_enter(unsafe { Given::new(d) }, iterations);
}
