//! The interface of the core for adapters: each common event in its ways, in the order in which
//! they are tried. An adapter gives a construct, as [`Given`](crate::descriptor::Given) names it,
//! and says what happens to it; it need not know which way the event takes, and where its regions
//! are.
//!
//! All ways but the first are functions of their own, so that the first needs no frame; what it has
//! found out is handed on in the registers where it is. The suffix of a function says which way it
//! tries first; where that declines, it goes on to a later one:
//!
//! | suffix | way |
//! |---|---|
//! | none | the fast one ([`crate::fast`]), which is inlined into the function of the API |
//! | `_guarded` | that of a visit which the guard may sum, or of its body ([`crate::fast::guarded`]) |
//! | `_around_guarded` | the fast one, where other call paths of the location are guarded |
//! | `_unless_filtered` | none for a region that the filter leaves out |
//! | `_general` | that of the core, which any event may take |
//!
//! Tasks ([`tasks`]) and parallel regions ([`teams`]) have more fast ways, by what the event has to
//! find, and each with records (`_traced`) and without.

pub mod constructs;
pub mod iterations;
pub mod program;
pub mod regions;
pub mod tasks;
pub mod teams;

/// Runs an event of a construct on this thread's location, with the process and the construct's
/// handle.
macro_rules! on_given {
    ($construct:expr, |$thread:ident, $process:tt, $handle:ident| $event:expr) => {
        $crate::entry::on_thread!(|$thread| {
            let $process = $thread.process;
            let $handle = $crate::descriptor::Named::handle($construct);
            $event
        })
    };
}
pub(crate) use on_given;

/// The same for the begin and the end of an iteration: what ends unless the next one follows has
/// not ended yet.
macro_rules! on_iteration {
    ($construct:expr, |$thread:ident, $process:tt, $handle:ident| $event:expr) => {{
        let location = match $crate::tls::location() {
            Some(location) => location.as_ptr(),
            None => $crate::entry::first_event(),
        };
        if !location.is_null() {
            $crate::tls::close();
            // SAFETY: as for `on_thread`.
            let $thread = unsafe { &mut *location };
            let $process = $thread.process;
            let $handle = $crate::descriptor::Named::handle($construct);
            $event;
            $crate::tls::open(location);
        }
    }};
}
pub(crate) use on_iteration;
