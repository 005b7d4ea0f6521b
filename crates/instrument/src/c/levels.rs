//! The calls that each level of a construct gets: before its directive, at both ends of its body
//! and behind it.

use super::counter::Counter;
use crate::directives::{Level, Shape};

/// What is inserted around one level. Every text may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Calls {
    /// Declarations and calls before the directive.
    pub(super) before: String,
    /// Clauses appended to the directive.
    pub(super) clauses: String,
    /// At the begin of the body, with the brace that opens it.
    pub(super) begin: String,
    /// At the end of the body, with the brace that closes it.
    pub(super) end: String,
    /// Behind the body.
    pub(super) after: String,
    /// At the begin and the end of what an iteration executes.
    pub(super) iteration: (String, String),
}

impl Calls {
    /// The brace that is needed where this level is not the first thing in a block.
    pub(super) fn open(&self) -> &'static str {
        if self.before.starts_with("long ") { "{ " } else { "" }
    }

    /// The brace that closes it.
    pub(super) fn close(&self) -> &'static str {
        if self.before.starts_with("long ") { " }" } else { "" }
    }
}

/// What the texts are made with. They are put together with `concat`, not formatted: where
/// directives are dense, this is what the time goes to.
pub(super) struct Names<'a> {
    pub(super) prefix: &'a str,
    /// Number of the region.
    pub(super) number: &'a str,
    /// Whether the end has to be a cleanup.
    pub(super) cleanup: bool,
    /// Whether the implicit barrier is made explicit.
    pub(super) split_barrier: bool,
    /// Whether a thread may leave the parallel region at its barrier, so that the exits have to be
    /// cleanups.
    pub(super) leaves: bool,
    /// Whether a parallel region gets a barrier at its end.
    pub(super) end_barrier: bool,
}

impl Names<'_> {
    /// The call that yields the descriptor.
    pub(super) fn accessor(&self) -> String {
        [self.prefix, self.number, "()"].concat()
    }

    pub(super) fn variable(&self, letter: &str) -> String {
        [self.prefix, letter, self.number].concat()
    }

    /// The block-local variable that hands an id from the creation of a team or task to its
    /// members.
    fn id(&self, letter: &str, create: &str) -> (String, String) {
        let id = self.variable(letter);
        (["long ", &id, "; ", &self.call_with(&[create], &["&", &id])].concat(), id)
    }

    fn call(&self, routine: &[&str]) -> String {
        self.call_with(routine, &[])
    }

    /// The call of a routine, given the parts of its name and of its second argument.
    fn call_with(&self, routine: &[&str], argument: &[&str]) -> String {
        let mut text = String::with_capacity(96);
        text.push_str("POMP_");
        text.extend(routine.iter().copied());
        text.extend(["(", self.prefix, self.number, "()"]);
        text.push_str(if argument.is_empty() { "" } else { ", " });
        text.extend(argument.iter().copied());
        text.push_str(");");
        text
    }

    /// The declaration of a variable whose cleanup calls a routine. Assignments, because C89 has no
    /// initialiser that is not constant.
    pub(super) fn guard(&self, letter: &str, routine: &str, id: &str) -> String {
        let (prefix, guard, region) = (self.prefix, self.variable(letter), self.accessor());
        let cleanup = format!("__attribute__((cleanup({prefix}{routine})))");
        format!(
            "struct {prefix}guard {guard} {cleanup}; {guard}.region = {region}; {guard}.id = {id};"
        )
    }

    /// Both ends of a body that has an event at each.
    fn ends(&self, stem: &str, id: Option<&str>) -> (String, String) {
        let call = |what: &str| match id {
            Some(id) => self.call_with(&[stem, what], &[id]),
            None => self.call(&[stem, what]),
        };
        if !self.cleanup {
            return (["{ ", &call("_begin"), " "].concat(), [" ", &call("_end"), " }"].concat());
        }
        let guard = self.guard("g", &[stem, "_end"].concat(), id.unwrap_or("0"));
        (format!("{{ {guard} {} ", call("_begin")), " }".to_owned())
    }

    /// The calls before and behind something that a thread may leave the parallel region in.
    fn passing(&self, letter: &str, stem: &str) -> (String, String) {
        let enter = self.call(&[stem, "_enter"]);
        if !self.leaves {
            return (enter, [" ", &self.call(&[stem, "_exit"])].concat());
        }
        let guard = self.guard(letter, &[stem, "_exit"].concat(), "0");
        ([&guard, " ", &enter].concat(), String::new())
    }

    fn barrier(&self) -> String {
        let (enter, exit) = self.passing("h", "Barrier");
        let barrier = [&enter, " _Pragma(\"omp barrier\")", &exit].concat();
        match self.leaves {
            false => [" ", &barrier].concat(),
            true => [" { ", &barrier, " }"].concat(),
        }
    }

    /// The calls around a level that has events.
    pub(super) fn calls(&self, level: Level, stem: &str) -> Calls {
        match level.shape() {
            Shape::Forking if level == Level::Task => {
                self.forking("t", stem, "Task_create_begin", "Task_create_end")
            }
            Shape::Forking => self.forking("p", stem, "Parallel_fork", "Parallel_join"),
            Shape::Inside => {
                let (begin, end) = self.ends(stem, None);
                Calls { begin, end, ..Calls::default() }
            }
            Shape::Both => {
                let (begin, end) = self.ends(stem, None);
                Calls { begin, end, ..self.around(stem) }
            }
            Shape::Mark => Calls { before: self.call(&[stem]), ..Calls::default() },
            Shape::Taskloop => self.taskloop(),
            Shape::Around if matches!(level, Level::Taskloop { .. }) => self.unseen_taskloop(),
            Shape::Around | Shape::Alone => self.around(stem),
        }
    }

    /// Entry and exit with the id of what the construct makes, and each iteration in its task: the
    /// variable is 0 in the first one.
    fn taskloop(&self) -> Calls {
        let (construct, task) = (self.variable("l"), self.variable("t"));
        let enter = self.call_with(&["Taskloop_enter"], &["&", &construct]);
        let begin = self.call_with(&["Taskloop_begin"], &[&construct, ", &", &task]);
        let guard = self.guard("i", "Taskloop_end", "0");
        let fill = format!("{}.id = {task};", self.variable("i"));
        Calls {
            before: format!("long {construct}, {task} = 0; {enter}"),
            clauses: format!(" firstprivate({construct}, {task})"),
            iteration: (format!("{{ {guard} {begin} {fill} "), " }".to_owned()),
            ..self.unseen_taskloop()
        }
    }

    /// Both ends of an iteration of a worksharing loop. What kind of variable counts is for an
    /// overloaded function to find out in C++.
    pub(super) fn iteration(&self, counter: Option<Counter>, cxx: bool) -> (String, String) {
        let prefix = self.prefix;
        let arguments = counter.map_or_else(
            || "0, 0".to_owned(),
            |Counter { variable, step, down }| {
                let minus = if down { "-" } else { "" };
                match cxx {
                    true => {
                        format!(
                            "{prefix}index({variable}), {minus}{prefix}step({variable}, {step})"
                        )
                    }
                    false => format!("(long)({variable}), {minus}(long)({step})"),
                }
            },
        );
        let guard = self.guard("i", "Iteration_end", "0");
        let begin = self.call_with(&["Iteration_begin"], &[&arguments]);
        (format!("{{ {guard} {begin} "), " }".to_owned())
    }

    /// Entry and exit of a taskloop in whose iterations nothing can be called.
    pub(super) fn unseen_taskloop(&self) -> Calls {
        let (before, id) = self.id("l", "Taskloop_enter");
        let after = [" ", &self.call_with(&["Taskloop_exit"], &[&id])].concat();
        Calls { before, after, ..Calls::default() }
    }

    /// Entry and exit, with the barrier that was implicit before.
    fn around(&self, stem: &str) -> Calls {
        let (before, exit) = self.passing("e", stem);
        let (clauses, barrier) = match self.split_barrier {
            true => (" nowait".to_owned(), self.barrier()),
            false => Default::default(),
        };
        let after = barrier + &exit;
        Calls { before, clauses, after, ..Calls::default() }
    }

    fn forking(&self, letter: &str, stem: &str, create: &str, finish: &str) -> Calls {
        let (before, id) = self.id(letter, create);
        let (begin, end) = self.ends(stem, Some(&id));
        let end = if self.end_barrier { self.barrier() + &end } else { end };
        let after = [" ", &self.call_with(&[finish], &[&id])].concat();
        let clauses = [" firstprivate(", &id, ")"].concat();
        Calls { before, clauses, begin, end, after, ..Calls::default() }
    }

    /// Fork and join alone, for a combined construct that cannot be split.
    pub(super) fn fork_and_join(&self) -> Calls {
        let (before, id) = self.id("p", "Parallel_fork");
        let after = format!(" {}", self.call_with(&["Parallel_join"], &[&id]));
        Calls { before, after, ..Calls::default() }
    }

    /// The ends of one section.
    pub(super) fn section(&self) -> (String, String) {
        self.ends("Section", None)
    }
}
