//! Nothing measured is ever lost: however a program ends, whatever it forks, wherever its data
//! goes, and whatever its threads do. Each test is one line of that promise, with a real program
//! whose numbers of visits follow from its source.

mod address_space;
pub mod deep;
mod disks;
mod exits;
mod forks;
pub mod measured;
mod memory;
mod storage;
mod threads;
