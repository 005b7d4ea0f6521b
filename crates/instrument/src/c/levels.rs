//! The calls that each level of a construct gets: before its directive, at both ends of its body
//! and behind it.

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
}

impl Names<'_> {
    /// The call that yields the descriptor.
    pub(super) fn accessor(&self) -> String {
        [self.prefix, self.number, "()"].concat()
    }

    fn variable(&self, letter: &str) -> String {
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

    /// Both ends of a body that has an event at each. Assignments, because C89 has no initialiser
    /// that is not constant.
    fn ends(&self, stem: &str, id: Option<&str>) -> (String, String) {
        let call = |what: &str| match id {
            Some(id) => self.call_with(&[stem, what], &[id]),
            None => self.call(&[stem, what]),
        };
        if !self.cleanup {
            return (["{ ", &call("_begin"), " "].concat(), [" ", &call("_end"), " }"].concat());
        }
        let (prefix, guard, region) = (self.prefix, self.variable("g"), self.accessor());
        let kind = stem.to_ascii_lowercase();
        let declaration =
            format!("struct {prefix}guard {guard} __attribute__((cleanup({prefix}end_{kind})));");
        let fill = format!("{guard}.region = {region}; {guard}.id = {};", id.unwrap_or("0"));
        (format!("{{ {declaration} {fill} {} ", call("_begin")), " }".to_owned())
    }

    fn barrier(&self) -> String {
        if !self.split_barrier {
            return String::new();
        }
        let (enter, exit) = (self.call(&["Barrier_enter"]), self.call(&["Barrier_exit"]));
        [" ", &enter, " _Pragma(\"omp barrier\") ", &exit].concat()
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
            Shape::Around | Shape::Taskloop if matches!(level, Level::Taskloop { .. }) => {
                self.taskloop()
            }
            Shape::Around | Shape::Alone | Shape::Taskloop => self.around(stem),
        }
    }

    /// Entry and exit with the id of what the construct makes.
    fn taskloop(&self) -> Calls {
        let (before, id) = self.id("l", "Taskloop_enter");
        let after = [" ", &self.call_with(&["Taskloop_exit"], &[&id])].concat();
        Calls { before, after, ..Calls::default() }
    }

    /// Entry and exit, with the barrier that was implicit before.
    fn around(&self, stem: &str) -> Calls {
        let before = self.call(&[stem, "_enter"]);
        let clauses = if self.split_barrier { " nowait" } else { "" }.to_owned();
        let after = [&self.barrier(), " ", &self.call(&[stem, "_exit"])].concat();
        Calls { before, clauses, after, ..Calls::default() }
    }

    fn forking(&self, letter: &str, stem: &str, create: &str, finish: &str) -> Calls {
        let (before, id) = self.id(letter, create);
        let (begin, end) = self.ends(stem, Some(&id));
        let after = [" ", &self.call_with(&[finish], &[&id])].concat();
        let clauses = [" firstprivate(", &id, ")"].concat();
        Calls { before, clauses, begin, end, after }
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
