//! The closed lists of a finding's data: what causes a loss, and what kinds of advice there are.
//! Everything else takes the words from here: the JSON report, the manual (a test compares its
//! tables), and the court of `cargo xtask truth`. To add a cause or a kind, add a line here (a
//! cause has a remedy, too), a row to the manual, and a program to `tests/truth` that has it.

/// An enumeration whose values have a word for machines and a meaning for people.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($value:ident = $code:literal: $meaning:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $(#[doc = $meaning] $value,)* }

        impl $name {
            /// All values, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// The word that the JSON report has for it.
            pub fn code(self) -> &'static str {
                match self { $(Self::$value => $code,)* }
            }

            /// What the word means, for people.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$value => $meaning,)* }
            }
        }
    };
}

words! {
    /// What causes the loss of a finding.
    Cause {
        ImbalanceSteady = "imbalance_steady":
            "the same thread has more work than the others in each visit",
        ImbalanceChanging = "imbalance_changing":
            "another thread is late in each visit; sums are balanced",
        ShortRegions = "short_regions":
            "parallel regions are so short that fork and join cost more than they do",
        ShortChunks = "short_chunks":
            "chunks of a loop are so short that handing them out costs more",
        FewUnits = "few_units":
            "fewer sections, iterations or tasks than threads, or no multiple of them",
        Critical = "critical":
            "threads wait for a critical region that one of them holds long or often",
        Lock = "lock": "threads wait for a lock that one of them holds long or often",
        Atomic = "atomic": "threads update the same memory atomically all the time",
        MemoryOrSharing = "memory_or_sharing":
            "work takes longer on several threads than on one: memory, cache lines",
        SerialPart = "serial_part":
            "one thread works between the parallel regions, the others have no work",
        SingleMaster = "single_master":
            "one thread works in single, master or a task, and its team waits",
        NeedlessBarrier = "needless_barrier":
            "an explicit barrier makes threads wait that are balanced without it",
        NowaitPossible = "nowait_possible":
            "an implicit barrier makes threads wait that are balanced without it",
        Ordered = "ordered":
            "an ordered region does most of a loop's work, so iterations take turns",
        NestedTeams = "nested_teams":
            "inner parallel regions make and end teams all the time",
        TasksTooSmall = "tasks_too_small": "creating a task costs more than the task does",
        OneCreator = "one_creator":
            "one thread creates all tasks and cannot do so fast enough",
        TaskwaitInLoop = "taskwait_in_loop":
            "a wait for few tasks keeps the number of tasks too small",
        Dependences = "dependences": "dependences between tasks make a chain of them",
        LongLastTask = "long_last_task":
            "a long task begins when the others are nearly done",
        RankImbalanceSteady = "rank_imbalance_steady":
            "the same rank has more work than the others in each visit",
        RankImbalanceChanging = "rank_imbalance_changing":
            "another rank is late in each visit; sums are balanced",
        LateSender = "late_sender":
            "a rank waits in a receive, since the sender sends late",
        LateReceiver = "late_receiver":
            "a rank waits in a send, since the receiver receives late",
        SerialisedChain = "serialised_chain":
            "ranks take turns: each waits for its predecessor's message",
        MessagePerElement = "message_per_element":
            "messages are so small that each call costs more than its data",
        Polling = "polling": "a rank asks again and again whether a message has come",
        IdleDuringMpi = "idle_during_mpi":
            "threads have no work while one of them communicates",
        Oversubscription = "oversubscription": "more threads than CPUs",
        OneCpu = "one_cpu":
            "threads are bound to one CPU, or to fewer CPUs than there are threads",
        Quota = "quota": "a control group's quota stops the program",
        BusyNeighbour = "busy_neighbour": "other programs use the CPUs",
        LibraryThreads = "library_threads":
            "threads of a library of the program take its CPUs",
    }
}

words! {
    /// What a finding advises. The meaning says what `target` and `value` are.
    AdviceKind {
        Schedule = "schedule":
            "target: the loop, file:line; value: a schedule with its chunk, `dynamic,4`",
        Nowait = "nowait":
            "target: the construct or barrier that needs not wait; no value",
        Merge = "merge":
            "target: the parallel regions to put into one, file:line,...; no value",
        Cutoff = "cutoff":
            "target: the task construct; value: how many present tasks one is to do",
        Binding = "binding":
            "target: the run, or the launcher that binds; value: what OMP_PROC_BIND is set to, or \
             the option of the launcher",
        Threads = "threads": "target: the run or a region; value: the number of threads",
        Messages = "messages":
            "target: the sending call; value: elements to put into one message",
        None = "none":
            "target: empty; value: what to change in the code, or why there is nothing to set",
    }
}

/// What to do about each cause.
macro_rules! remedies {
    ($($value:ident: $remedy:literal,)*) => {
        impl Cause {
            /// What to change, for people.
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$value => $remedy,)* }
            }
        }
    };
}

remedies! {
    ImbalanceSteady: "spread the work by its cost: other loop bounds, a dynamic schedule, tasks",
    ImbalanceChanging:
        "synchronise less often, or balance each visit with a dynamic schedule or tasks",
    ShortRegions:
        "put neighbouring parallel regions into one, or let small ones run on one thread (if)",
    ShortChunks: "use larger chunks, or schedule(static)",
    FewUnits:
        "split the work into more parts than threads, or parallelise an inner loop (collapse)",
    Critical:
        "do less inside, enter less often, or use a reduction, private data or several names",
    Lock: "hold it shorter, take it less often, or use one lock for each part of the data",
    Atomic: "update private copies and add them up at the end (reduction)",
    MemoryOrSharing:
        "let the thread that uses data touch it first, use less memory, pad shared data",
    SerialPart: "parallelise this part, or overlap it with other work",
    SingleMaster: "share its work as tasks or as a loop, or let the others go on (nowait)",
    NeedlessBarrier: "remove the barrier if nothing after it needs the results of other threads",
    NowaitPossible: "add nowait if nothing after it needs the results of other threads",
    Ordered: "move work out of the ordered region, or store the results and order them later",
    NestedTeams: "parallelise the outer level only (OMP_MAX_ACTIVE_LEVELS=1), or use tasks inside",
    TasksTooSmall: "let a task do more: a larger grainsize, a cut-off (if, final)",
    OneCreator: "let tasks create tasks, or create them in a parallel loop",
    TaskwaitInLoop: "wait once after the loop, or describe the order by dependences",
    Dependences: "use finer dependences, so that more tasks are ready at a time",
    LongLastTask: "create the long tasks first (priority), or split them",
    RankImbalanceSteady: "spread the data by its cost over the ranks",
    RankImbalanceChanging: "communicate less often, or compute during a non-blocking operation",
    LateSender: "send earlier, or give the sender less work before it sends",
    LateReceiver: "receive earlier, or use MPI_Isend",
    SerialisedChain:
        "let all ranks work at the same time: MPI_Sendrecv, non-blocking messages, pipelining",
    MessagePerElement: "put many elements into one message",
    Polling: "do more work between the calls, or wait in one call (MPI_Wait, MPI_Probe)",
    IdleDuringMpi: "overlap communication with computation, or let several threads communicate",
    Oversubscription: "use at most as many threads as there are CPUs (OMP_NUM_THREADS)",
    OneCpu:
        "remove or correct the binding (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY; of \
         launchers: --bind-to, --cpu-bind)",
    Quota: "use as many threads as the quota allows, or raise it",
    BusyNeighbour: "measure again on a quiet machine",
    LibraryThreads: "nothing, if the library does the work; otherwise set its number of threads",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_twice() {
        let codes = |list: Vec<&'static str>| {
            let several = list.iter().any(|code| list.iter().filter(|c| *c == code).count() > 1);
            assert!(!several, "{list:?}");
            list.len()
        };
        assert_eq!(codes(Cause::ALL.iter().map(|cause| cause.code()).collect()), 33);
        assert_eq!(codes(AdviceKind::ALL.iter().map(|kind| kind.code()).collect()), 8);
    }
}
