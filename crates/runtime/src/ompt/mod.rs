//! OMPT, the interface for tools of OpenMP: how programs that were not instrumented are observed if
//! they run on LLVM's or Intel's runtime. Thin translations into the core.
//!
//! The runtime finds [`start`]'s function by itself, and calls the callbacks of [`parallel`],
//! [`tasks`], [`work`], [`sync`] and [`mutex`] on the thread that they are about. Each construct
//! has a descriptor that is made of an address in the code ([`crate::unmodified`]), so its regions,
//! its fast ways and everything after them are those of instrumented programs.
//!
//! | difference | how it is closed |
//! |---|---|
//! | an end does not say which construct ends | the thread's list of open constructs, [`open`] |
//! | an address is missing, or is one of the runtime | the function of the body, by [`calls`] |
//! | a worker's final barrier ends with its next region | the core ends it at the join |
//! | a worksharing construct ends before its barrier | the end is kept until the next event |
//! | the first piece of clang's untied tasks is not the task | the second one begins it |
//! | dependences come after the creation of their task | they end the creation ([`depend`]) |
//! | a callback has no counterpart | it is passed over and counted |
//!
//! OMPT keeps a word of ours for each region and each task: [`interface`] has what they mean.
//!
//! # Safety
//! One contract for all callbacks: the runtime passes null, or words that live as long as the
//! region or task. What else it passes is checked. The core gets descriptors of `unmodified`, whose
//! calls carry teams and tasks.

mod calls;
pub(crate) mod depend;
pub(crate) mod interface;
pub(crate) mod mutex;
mod open;
mod parallel;
mod start;
pub(crate) mod sync;
pub(crate) mod tasks;
pub(crate) mod work;
