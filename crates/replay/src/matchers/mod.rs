//! One matcher for each kind of compound. A matcher has the open instances of its kind, and is done
//! with one as soon as all of its records are there. The tasks have a folder of their own
//! (`task/`), because they have many states.

pub mod all;
pub mod barrier;
mod call;
pub mod collective;
pub mod fork;
mod icollective;
pub mod lock;
pub mod message;
mod message_order;
mod queues;
mod side;
pub mod turn;
pub mod windows;

#[cfg(test)]
mod barrier_tests;
#[cfg(test)]
mod collective_tests;
#[cfg(test)]
mod doacross_tests;
#[cfg(test)]
mod lock_tests;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
mod resource_tests;
