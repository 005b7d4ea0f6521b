//! An adapter for programs that gcc has compiled and that were not instrumented: the entry points
//! of libgomp, in a library that is loaded before it (`LD_PRELOAD`). The program calls the function
//! here, which makes events of the call and passes it on to libgomp.
//!
//! Constructs are known by addresses ([`crate::unmodified`]): those with a body of their own by the
//! function that gcc has made of it, others by the address that the call returns to. So they have
//! descriptors, and their events are those of the core ([`crate::ways::constructs`]). What
//! libgomp's interface does not show stays invisible: static loops, master, flush, simple atomics,
//! and the end of a single construct with `nowait`.
//!
//! # Safety
//! One contract for all functions: they are called as gcc calls libgomp, so arguments have the
//! types of libgomp's functions. Functions with fewer arguments are declared here with more: those
//! are whatever is in the registers and on the stack, and are only passed on.

#![allow(clippy::too_many_arguments, reason = "functions of libgomp have as many")]

mod call;
mod clauses;
mod critical;
mod depend;
mod exports;
mod header;
mod library;
mod loops;
mod parallel;
mod sections;
mod single;
mod site;
mod split;
mod synchronisation;
mod table;
mod target;
mod task;
mod taskloop;
mod thread;
