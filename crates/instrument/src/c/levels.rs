//! The calls that each level of a construct gets: before its directive, at both ends of its body
//! and behind it.

use super::counter::Counter;
use super::texts::{Part, Texts};
use crate::directives::{Level, Shape};

/// What is inserted around one level. Every text may be empty.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Calls {
    /// Declarations and calls before the directive.
    pub(super) before: Part,
    /// Clauses appended to the directive.
    pub(super) clauses: Part,
    /// At the begin of the body, with the brace that opens it.
    pub(super) begin: Part,
    /// At the end of the body, with the brace that closes it.
    pub(super) end: Part,
    /// Behind the body.
    pub(super) after: Part,
    /// At the begin and the end of what an iteration executes.
    pub(super) iteration: (Part, Part),
}

impl Calls {
    /// Whether it begins with a declaration, so that it needs a brace where it is not the first
    /// thing in a block.
    pub(super) fn declares(&self, texts: &Texts) -> bool {
        texts.get(self.before).starts_with("long ")
    }
}

/// What the texts are made with.
pub(super) struct Names<'a> {
    pub(super) prefix: &'a str,
    /// The call that yields the descriptor: the prefix, the number of the region and `()`.
    pub(super) accessor: &'a str,
    /// Whether the end has to be a cleanup.
    pub(super) cleanup: bool,
    /// Whether the implicit barrier is made explicit.
    pub(super) split_barrier: bool,
    /// Whether a thread may leave the parallel region at its barrier, so that the exits have to be
    /// cleanups.
    pub(super) leaves: bool,
    /// Whether a parallel region gets a barrier at its end.
    pub(super) end_barrier: bool,
    /// The number of iterations of a worksharing loop, empty for anything else.
    pub(super) count: &'a str,
    /// The call with the items of the `depend` clauses of a task, or the one that enters a taskwait
    /// or a target construct with such clauses.
    pub(super) depend: &'a str,
}

impl<'a> Names<'a> {
    /// A variable of this region, in parts.
    pub(super) fn variable(&self, letter: &'a str) -> [&'a str; 3] {
        let number = &self.accessor[self.prefix.len()..self.accessor.len() - "()".len()];
        [self.prefix, letter, number]
    }

    /// The call of a routine, given the parts of its name and of its second argument.
    fn call(&self, out: &mut Texts, routine: &[&str], argument: &[&str]) {
        out.push("POMP_");
        out.push_all(routine);
        out.push_all(&["(", self.accessor]);
        out.push(if argument.is_empty() { "" } else { ", " });
        out.push_all(argument);
        out.push(");");
    }

    /// The block-local variable that hands an id from the creation of a team or task to its
    /// members.
    fn id(&self, out: &mut Texts, letter: &'a str, create: &str) {
        let [prefix, letter, number] = self.variable(letter);
        out.push_all(&["long ", prefix, letter, number, "; "]);
        self.call(out, &[create], &["&", prefix, letter, number]);
    }

    /// The declaration of a variable whose cleanup calls a routine. Assignments, because C89 has no
    /// initialiser that is not constant.
    pub(super) fn guard(&self, out: &mut Texts, letter: &'a str, routine: &[&str], id: &[&str]) {
        let variable = self.variable(letter);
        out.push_all(&["struct ", self.prefix, "guard "]);
        out.push_all(&variable);
        out.push_all(&[" __attribute__((cleanup(", self.prefix]);
        out.push_all(routine);
        out.push("))); ");
        out.push_all(&variable);
        out.push_all(&[".region = ", self.accessor, "; "]);
        out.push_all(&variable);
        out.push(".id = ");
        out.push_all(id);
        out.push(";");
    }

    /// Both ends of a body that has an event at each.
    fn ends(&self, out: &mut Texts, stem: &str, id: &[&str]) -> (Part, Part) {
        let begin = out.part(|out| {
            out.push("{ ");
            if self.cleanup {
                self.guard(out, "g", &[stem, "_end"], if id.is_empty() { &["0"] } else { id });
                out.push(" ");
            }
            self.call(out, &[stem, "_begin"], id);
            out.push(" ");
        });
        let end = out.part(|out| {
            if self.end_barrier {
                self.barrier(out);
            }
            if !self.cleanup {
                out.push(" ");
                self.call(out, &[stem, "_end"], id);
            }
            out.push(" }");
        });
        (begin, end)
    }

    /// The call before something that a thread may leave the parallel region in.
    fn enter(&self, out: &mut Texts, letter: &'a str, stem: &str, argument: &[&str]) {
        if self.leaves {
            self.guard(out, letter, &[stem, "_exit"], &["0"]);
            out.push(" ");
        }
        self.call(out, &[stem, "_enter"], argument);
    }

    /// The call behind it.
    fn exit(&self, out: &mut Texts, stem: &str) {
        if !self.leaves {
            out.push(" ");
            self.call(out, &[stem, "_exit"], &[]);
        }
    }

    fn barrier(&self, out: &mut Texts) {
        out.push(if self.leaves { " { " } else { " " });
        self.enter(out, "h", "Barrier", &[]);
        out.push(" _Pragma(\"omp barrier\")");
        self.exit(out, "Barrier");
        out.push(if self.leaves { " }" } else { "" });
    }

    /// The calls around a level that has events.
    pub(super) fn calls(&self, out: &mut Texts, level: Level, stem: &str) -> Calls {
        match level.shape() {
            Shape::Forking if level == Level::Task => {
                self.forking(out, "t", stem, "Task_create_begin", "Task_create_end")
            }
            Shape::Forking => self.forking(out, "p", stem, "Parallel_fork", "Parallel_join"),
            Shape::Inside => {
                let (begin, end) = self.ends(out, stem, &[]);
                Calls { begin, end, ..Calls::default() }
            }
            Shape::Both => {
                let (begin, end) = self.ends(out, stem, &[]);
                Calls { begin, end, ..self.around(out, stem) }
            }
            Shape::Mark => {
                let before = out.part(|out| self.call(out, &[stem], &[]));
                Calls { before, ..Calls::default() }
            }
            Shape::Taskloop => self.taskloop(out),
            Shape::Around if matches!(level, Level::Taskloop { .. }) => self.unseen_taskloop(out),
            Shape::Alone if level == Level::Taskwait && !self.depend.is_empty() => {
                self.selective_wait(out)
            }
            Shape::Around | Shape::Alone => self.around(out, stem),
        }
    }

    /// Entry and exit with the id of what the construct makes, and each iteration in its task: the
    /// variable is 0 in the first one.
    fn taskloop(&self, out: &mut Texts) -> Calls {
        let ([prefix, l, number], [_, t, _]) = (self.variable("l"), self.variable("t"));
        let before = out.part(|out| {
            out.push_all(&["long ", prefix, l, number, ", ", prefix, t, number, " = 0; "]);
            self.call(out, &["Taskloop_enter"], &["&", prefix, l, number]);
        });
        let clauses = out.part(|out| {
            out.push_all(&[" firstprivate(", prefix, l, number, ", ", prefix, t, number, ")"]);
        });
        let begin = out.part(|out| {
            out.push("{ ");
            self.guard(out, "i", &["Taskloop_end"], &["0"]);
            out.push(" ");
            let arguments = [prefix, l, number, ", &", prefix, t, number];
            self.call(out, &["Taskloop_begin"], &arguments);
            out.push(" ");
            out.push_all(&self.variable("i"));
            out.push_all(&[".id = ", prefix, t, number, "; "]);
        });
        let end = out.part(|out| out.push(" }"));
        Calls { before, clauses, iteration: (begin, end), ..self.unseen_taskloop(out) }
    }

    /// Both ends of an iteration of a worksharing loop. What kind of variable counts is for an
    /// overloaded function to find out in C++.
    pub(super) fn iteration(
        &self,
        out: &mut Texts,
        counter: Option<Counter>,
        cxx: bool,
    ) -> (Part, Part) {
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
        let begin = out.part(|out| {
            out.push("{ ");
            self.guard(out, "i", &["Iteration_end"], &["0"]);
            out.push(" ");
            self.call(out, &["Iteration_begin"], &[&arguments]);
            out.push(" ");
        });
        (begin, out.part(|out| out.push(" }")))
    }

    /// Entry and exit of a taskloop in whose iterations nothing can be called.
    pub(super) fn unseen_taskloop(&self, out: &mut Texts) -> Calls {
        let before = out.part(|out| self.id(out, "l", "Taskloop_enter"));
        let after = out.part(|out| {
            out.push(" ");
            self.call(out, &["Taskloop_exit"], &self.variable("l"));
        });
        Calls { before, after, ..Calls::default() }
    }

    /// Entry and exit, with the barrier that was implicit before.
    fn around(&self, out: &mut Texts, stem: &str) -> Calls {
        let count = [self.count];
        let argument: &[&str] = if self.count.is_empty() { &[] } else { &count };
        let before = out.part(|out| match self.depend {
            "" => self.enter(out, "e", stem, argument),
            // Only constructs with a barrier may be left in other ways; these have none.
            items => out.push(items.trim_start()),
        });
        let clauses = out.part(|out| out.push(if self.split_barrier { " nowait" } else { "" }));
        let after = out.part(|out| {
            if self.split_barrier {
                self.barrier(out);
            }
            self.exit(out, stem);
        });
        Calls { before, clauses, after, ..Calls::default() }
    }

    /// Entry and exit of a taskwait that waits for some tasks only.
    fn selective_wait(&self, out: &mut Texts) -> Calls {
        let before = out.part(|out| out.push(self.depend.trim_start()));
        let after = out.part(|out| {
            out.push(" ");
            self.call(out, &["Taskwait_depend_exit"], &[]);
        });
        Calls { before, after, ..Calls::default() }
    }

    fn forking(
        &self,
        out: &mut Texts,
        letter: &'a str,
        stem: &str,
        create: &str,
        finish: &str,
    ) -> Calls {
        let id = self.variable(letter);
        let before = out.part(|out| {
            self.id(out, letter, create);
            out.push(self.depend);
        });
        let (begin, end) = self.ends(out, stem, &id);
        let after = out.part(|out| {
            out.push(" ");
            self.call(out, &[finish], &id);
        });
        let clauses = out.part(|out| {
            out.push(" firstprivate(");
            out.push_all(&id);
            out.push(")");
        });
        Calls { before, clauses, begin, end, after, ..Calls::default() }
    }

    /// The end of the body of a task that is complete when this event is fulfilled, too.
    pub(super) fn detached(&self, out: &mut Texts, event: &str, cxx: bool) -> Part {
        let [prefix, letter, number] = self.variable("t");
        let (cast, close) =
            if cxx { ("static_cast<unsigned long>(", ")") } else { ("(unsigned long)", "") };
        out.part(|out| {
            out.push(" ");
            self.call(out, &["Task_detach"], &[prefix, letter, number, ", ", cast, event, close]);
            out.push(" }");
        })
    }

    /// Fork and join alone, for a combined construct that cannot be split.
    pub(super) fn fork_and_join(&self, out: &mut Texts) -> Calls {
        let before = out.part(|out| self.id(out, "p", "Parallel_fork"));
        let after = out.part(|out| {
            out.push(" ");
            self.call(out, &["Parallel_join"], &self.variable("p"));
        });
        Calls { before, after, ..Calls::default() }
    }

    /// The ends of one section.
    pub(super) fn section(&self, out: &mut Texts) -> (Part, Part) {
        self.ends(out, "Section", &[])
    }
}
