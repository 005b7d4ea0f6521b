//! What formats of timelines need of tasks: a name for each instance, and a number for the arrows
//! from its creation to its end.

use pompeii_index::TaskId;

/// The name of an instance, as in the timeline of `pompeii view`.
pub fn name(task: TaskId) -> String {
    format!("task_{}_{}", task.thread, task.number)
}

/// The flow of a task. Flows have 64 bits and a task has 96, so its bits are mixed. If a million
/// tasks are alive together, two of them get the same flow with a probability of less than 1 to 10
/// million. The highest bit tells the flows of tasks from those of messages.
pub fn flow(task: TaskId) -> u64 {
    let creator = mix(u64::from(task.team) << 32 | u64::from(task.thread));
    mix(creator ^ u64::from(task.number)) | 1 << 63
}

/// Spreads a number over all bits: the last step of the generator SplitMix64.
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
