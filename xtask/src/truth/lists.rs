//! The closed lists of the court: causes that a finding may name, and kinds of advice that it may
//! give. `cargo xtask truth --list` prints them. A program whose header uses another word is an
//! error, and so is a report that does. To add a cause or a kind: a line here and a program that
//! has it.

/// A word of a closed list and what it means.
pub(super) struct Word {
    pub(super) code: &'static str,
    pub(super) meaning: &'static str,
}

const fn word(code: &'static str, meaning: &'static str) -> Word {
    Word { code, meaning }
}

/// A program's header says this where there is nothing to repair; no finding names it.
pub(super) const NO_CAUSE: &str = "none";

/// What a finding's `cause` may be.
pub(super) const CAUSES: [Word; 34] = [
    word("imbalance_steady", "the same thread has more work than the others in each visit"),
    word("imbalance_changing", "another thread is late in each visit; sums are balanced"),
    word(
        "short_regions",
        "parallel regions are so short that fork and join cost more than they do",
    ),
    word("short_chunks", "chunks of a loop are so short that handing them out costs more"),
    word("few_units", "fewer sections, iterations or tasks than threads, or no multiple of them"),
    word("critical", "threads wait for a critical region that one of them holds long or often"),
    word("lock", "threads wait for a lock that one of them holds long or often"),
    word("atomic", "threads update the same memory atomically all the time"),
    word(
        "memory_or_sharing",
        "work takes longer on several threads than on one: memory, cache lines",
    ),
    word("serial_part", "one thread works between the parallel regions, the others have no work"),
    word("single_master", "one thread works in single or master, and its team waits"),
    word("needless_barrier", "an explicit barrier makes threads wait that are balanced without it"),
    word("nowait_possible", "an implicit barrier makes threads wait that are balanced without it"),
    word("ordered", "an ordered region does most of a loop's work, so iterations take turns"),
    word("nested_teams", "inner parallel regions make and end teams all the time"),
    word("tasks_too_small", "creating a task costs more than the task does"),
    word("one_creator", "one thread creates all tasks and cannot do so fast enough"),
    word("taskwait_in_loop", "a taskwait after few tasks keeps the number of tasks too small"),
    word("dependences", "dependences between tasks make a chain of them"),
    word("long_last_task", "a long task begins when the others are nearly done"),
    word("rank_imbalance_steady", "the same rank has more work than the others in each visit"),
    word("rank_imbalance_changing", "another rank is late in each visit; sums are balanced"),
    word("late_sender", "a rank waits in a receive, since the sender sends late"),
    word("late_receiver", "a rank waits in a send, since the receiver receives late"),
    word("serialised_chain", "ranks take turns: each waits for its predecessor's message"),
    word("message_per_element", "messages are so small that each call costs more than its data"),
    word("polling", "a rank asks again and again whether a message has come"),
    word("idle_during_mpi", "threads have no work while one of them communicates"),
    word("oversubscription", "more threads than CPUs"),
    word("one_cpu", "threads are bound to one CPU, or to fewer than they are"),
    word("quota", "a control group's quota stops the program"),
    word("busy_neighbour", "other programs use the CPUs"),
    word("library_threads", "threads of a library of the program take its CPUs"),
    word(NO_CAUSE, "the program is good: no finding with a gain above 3 % of the run"),
];

/// The kind that says why there is nothing to set.
pub(super) const NO_ADVICE: &str = "none";

/// What `advice.kind` may be. The meaning says what `target` and `value` are.
pub(super) const ADVICE: [Word; 8] = [
    word("schedule", "target: the loop, file:line; value: a schedule with its chunk, `dynamic,4`"),
    word("nowait", "target: the construct or barrier that needs not wait; no value"),
    word("merge", "target: the parallel regions to put into one, file:line,...; no value"),
    word("cutoff", "target: the task construct; value: how many present tasks one is to do"),
    word("binding", "target: the run; value: what OMP_PROC_BIND is set to"),
    word("threads", "target: the run or a region; value: the number of threads"),
    word("messages", "target: the sending call; value: elements to put into one message"),
    word(NO_ADVICE, "target: empty; value: the reason why there is nothing to set"),
];

/// Whether the list has this word.
pub(super) fn has(list: &[Word], code: &str) -> bool {
    list.iter().any(|word| word.code == code)
}

/// One of the lists, a line for each word.
pub(super) fn print(title: &str, list: &[Word]) {
    println!("{title}");
    for Word { code, meaning } in list {
        println!("  {code:24} {meaning}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{self, Program};
    use super::*;

    #[test]
    fn no_word_stands_twice() {
        for list in [&CAUSES[..], &ADVICE[..]] {
            for word in list {
                assert_eq!(list.iter().filter(|other| other.code == word.code).count(), 1);
            }
        }
        assert!(has(&ADVICE, "schedule") && !has(&ADVICE, "faster"));
    }

    #[test]
    fn each_word_has_a_program() {
        let programs = Program::all(&program::folder()).unwrap();
        for cause in &CAUSES {
            let mut headers = programs.iter().map(|program| &program.header);
            assert!(headers.any(|header| header.cause == cause.code), "{}", cause.code);
        }
        for kind in &ADVICE {
            let mut headers = programs.iter().map(|program| &program.header);
            let is_there = headers.any(|header| header.settings_for(kind.code).is_some());
            assert!(is_there || kind.code == NO_ADVICE, "{}", kind.code);
        }
    }
}
