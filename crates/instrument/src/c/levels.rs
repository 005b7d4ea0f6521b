//! The calls that each level of a construct gets: before its directive, at both ends of its body
//! and behind it.

use crate::directives::Level;

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

/// What the texts are made with.
pub(super) struct Names<'a> {
    pub(super) prefix: &'a str,
    /// Number of the region.
    pub(super) number: usize,
    /// Whether the end has to be a cleanup.
    pub(super) cleanup: bool,
    /// Whether the implicit barrier is made explicit.
    pub(super) split_barrier: bool,
}

impl Names<'_> {
    /// The call that yields the descriptor.
    pub(super) fn accessor(&self) -> String {
        format!("{}{}()", self.prefix, self.number)
    }

    fn variable(&self, letter: char) -> String {
        format!("{}{letter}{}", self.prefix, self.number)
    }

    /// The block-local variable that hands an id from the creation of a team or task to its
    /// members.
    fn id(&self, letter: char, create: &str) -> (String, String) {
        let id = self.variable(letter);
        (format!("long {id}; {}", self.call_with(create, &format!("&{id}"))), id)
    }

    fn call(&self, routine: &str) -> String {
        format!("POMP_{routine}({});", self.accessor())
    }

    fn call_with(&self, routine: &str, argument: &str) -> String {
        format!("POMP_{routine}({}, {argument});", self.accessor())
    }

    /// Both ends of a body that has an event at each. Assignments, because C89 has no initialiser
    /// that is not constant.
    fn ends(&self, stem: &str, id: Option<&str>) -> (String, String) {
        let call = |what: &str| match id {
            Some(id) => self.call_with(&format!("{stem}_{what}"), id),
            None => self.call(&format!("{stem}_{what}")),
        };
        if !self.cleanup {
            return (format!("{{ {} ", call("begin")), format!(" {} }}", call("end")));
        }
        let (prefix, guard, region) = (self.prefix, self.variable('g'), self.accessor());
        let kind = stem.to_ascii_lowercase();
        let declaration =
            format!("struct {prefix}guard {guard} __attribute__((cleanup({prefix}end_{kind})));");
        let fill = format!("{guard}.region = {region}; {guard}.id = {};", id.unwrap_or("0"));
        (format!("{{ {declaration} {fill} {} ", call("begin")), " }".to_owned())
    }

    fn barrier(&self) -> String {
        if !self.split_barrier {
            return String::new();
        }
        let (enter, exit) = (self.call("Barrier_enter"), self.call("Barrier_exit"));
        format!(" {enter} _Pragma(\"omp barrier\") {exit}")
    }

    /// The calls around a level that has events.
    pub(super) fn calls(&self, level: Level, stem: &str) -> Calls {
        let enter = self.call(&format!("{stem}_enter"));
        let exit = format!(" {}", self.call(&format!("{stem}_exit")));
        let nowait = if self.split_barrier { " nowait" } else { "" }.to_owned();
        let barrier = self.barrier();
        match level {
            Level::Parallel => self.forking('p', "Parallel", "Parallel_fork", "Parallel_join"),
            Level::Task => self.forking('t', "Task", "Task_create_begin", "Task_create_end"),
            Level::Master => {
                let (begin, end) = self.ends(stem, None);
                Calls { begin, end, ..Calls::default() }
            }
            Level::Critical | Level::Single => {
                let (begin, end) = self.ends(stem, None);
                Calls { before: enter, clauses: nowait, begin, end, after: barrier + &exit }
            }
            _ => {
                Calls { before: enter, clauses: nowait, after: barrier + &exit, ..Calls::default() }
            }
        }
    }

    fn forking(&self, letter: char, stem: &str, create: &str, finish: &str) -> Calls {
        let (before, id) = self.id(letter, create);
        let (begin, end) = self.ends(stem, Some(&id));
        let after = format!(" {}", self.call_with(finish, &id));
        Calls { before, clauses: format!(" firstprivate({id})"), begin, end, after }
    }

    /// Fork and join alone, for a combined construct that cannot be split.
    pub(super) fn fork_and_join(&self) -> Calls {
        let (before, id) = self.id('p', "Parallel_fork");
        let after = format!(" {}", self.call_with("Parallel_join", &id));
        Calls { before, after, ..Calls::default() }
    }

    /// The ends of one section.
    pub(super) fn section(&self) -> (String, String) {
        self.ends("Section", None)
    }
}
