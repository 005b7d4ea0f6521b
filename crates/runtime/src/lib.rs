//! The measurement runtime: libpomp, the library that lives in the user's process.
//!
//! Design constraints:
//! * An event callback takes no lock, makes no system call and allocates nothing, except at the
//!   first visit of a construct by the process or of a call path by a thread, and when an event
//!   chunk is full (invariant 2).
//! * No panic crosses the C ABI; a failure inside the tool is counted in live state, reported by
//!   `finish`, and the program runs on. No signal handler is installed, unless functions are to be
//!   found by sampling ([`sampling`]).
//! * Only live state is written. Nothing has to happen at the end for the data to be complete.
//!
//! Data flow: an adapter, as [`pomp`] (the C ABI), calls the [`ways`] of an event. These try the
//! fast one ([`fast`]); else they find the thread's [`location`] and the region of the
//! [`descriptor`], read the [`clock`], and go on in the core: [`regions`], [`recording`] (switched
//! off and on), [`team`] (fork to join) with the thread's [`context`] in it, [`barrier`],
//! [`task`], [`sync`] (critical, locks), [`cause`] (who made whom wait), [`serial`] (what a serial
//! part lies between), [`parameters`] (values of the program's in call paths). They share the
//! [`process`], whose [`definitions`] are a log. [`mpi`] is the C ABI of MPI's wrappers; `gomp`
//! and [`ompt`] observe programs that were not instrumented, by the calls of libgomp and by the
//! callbacks of LLVM's OpenMP runtime; [`io`] is the C ABI for functions that read and write files.
//! The core takes the time as an argument, so that tests drive it with a clock of their own.
//!
//! The core has floors; a file uses those below it:
//! * at the bottom plain state, one file each: for example what is known of a barrier
//!   ([`barrier::phase`]), of a lock ([`sync::lock`]), of a task ([`task::instance`]), of guarded
//!   call paths ([`guard::sums`]);
//! * the [`process`], which knows its locations by their headers, and then the [`location`], which
//!   holds the state of one thread, with its call tree and its time;
//! * what events do: functions and methods that take a location.

mod addresses;
mod alive;
mod arrivals;
mod atomics;
mod barrier;
mod blocks;
mod budget;
mod cause;
#[cfg(target_arch = "x86_64")]
pub mod children;
mod clock;
mod context;
mod counters;
mod created;
mod definitions;
mod descriptor;
mod detach;
mod doacross;
mod early;
pub mod ends;
mod entry;
mod events;
mod exclusion;
mod fast;
mod files;
mod filter;
mod folder;
pub mod forks;
mod fortran;
mod fulfil;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod gomp;
mod guard;
mod heap;
mod helpers;
pub mod io;
mod iteration;
mod loaded;
mod location;
mod locks;
mod memory;
mod metrics;
pub mod mpi;
mod names;
mod next;
mod objects;
pub mod ompt;
mod openmp;
mod parameters;
mod parts;
pub mod pomp;
pub mod pomp2;
mod process;
mod processor;
pub mod pthreads;
mod ready;
mod recording;
mod recycle;
mod regions;
mod remote;
mod sampling;
mod seat;
mod serial;
mod shared;
#[cfg(target_arch = "x86_64")]
pub mod signals;
mod sites;
mod start;
mod sync;
mod task;
mod team;
mod tls;
mod transfers;
mod unkept;
pub mod unmodified;
mod used;
mod waiting;
mod ways;
mod window;

use location::visits;

#[cfg(test)]
mod script;
