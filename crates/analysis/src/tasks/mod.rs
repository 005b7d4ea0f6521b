//! The tasks of a trace: instances by construct, how many tasks were ready and how many threads
//! had none over time, work and span of parallel regions, and the three problems with tasks.

pub mod over_time;
