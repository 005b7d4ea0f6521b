//! POMP2's calls in C and C++. A handle and a context string stand for the descriptor; both are
//! reached through functions, as the descriptors of POMP are and for the same reason.
//!
//! POMP2 passes neither team nor task to the ends of a part; it has a word that an opening call
//! fills and the closing one gets back. That word is local to the block around the construct.

use super::emit::Emitter;
use super::levels::{Calls, Names};
use super::prelude::literal;
use super::texts::{Part, Texts};
use crate::directives::Level;
use crate::pomp2::{Init, context, inits};
use crate::{Abi, Language, Region};
use std::fmt::Write;

impl Emitter<'_> {
    /// What the calls of a construct are made with.
    pub(super) fn pomp2<'a>(&'a self, index: usize, names: &'a Names<'a>) -> Construct<'a> {
        let found = &self.lexed.directives[index];
        let directive = &found.directive;
        let argument = directive.clause("num_threads").and_then(|clause| clause.argument.clone());
        let threads = argument.and_then(|span| std::str::from_utf8(&found.text[span]).ok());
        let number = |text: &&str| text.parse::<u16>().is_ok();
        let threads = threads.map(str::trim).filter(number);
        Construct { names, untied: directive.has("untied"), threads }
    }

    /// The number of the `master` in a combined construct: POMP2 has no handle for both.
    pub(super) fn part_of_its_own(&mut self, index: usize, levels: &[Level]) -> Option<usize> {
        let needed = self.options.abi == Abi::Pomp2 && levels.len() > 1;
        if !needed || !levels.contains(&Level::Master) || self.stem(Level::Master).is_none() {
            return None;
        }
        let mut region = self.region(index);
        region.name = "master".to_owned();
        Some(self.add_region(region))
    }

    /// The ends of a section, if its construct has events.
    pub(super) fn section_of_pomp2(
        &self,
        out: &mut Texts,
        construct: Option<usize>,
        cleanup: bool,
    ) -> (Part, Part) {
        let Some((index, number)) = construct.and_then(|index| Some((index, self.numbers[index]?)))
        else {
            return Default::default();
        };
        let accessor = self.accessor(number);
        self.pomp2(index, &self.names(&accessor, cleanup)).section(out)
    }

    /// The prelude.
    pub(super) fn prelude_of_pomp2(&self) -> String {
        let (path, regions) = (&self.options.path, &self.outcome.regions);
        let cxx = self.options.language == Language::Cxx;
        let mut text = declarations(cxx, self.prefix);
        if self.needs.guards {
            guards(&mut text, self.prefix);
        }
        if self.needs.functions {
            functions(&mut text, self.prefix);
            super::functions::declarations(&mut text, Abi::Pomp2, self.prefix, self.needs);
        }
        for (index, region) in regions.iter().enumerate() {
            descriptor(&mut text, path, self.prefix, index + 1, region);
        }
        for init in inits(self.source, path, &self.options.compilation, regions) {
            initialisation(&mut text, cxx, self.prefix, &init);
        }
        text
    }
}

/// What the calls of a construct depend on besides its levels.
#[derive(Clone, Copy)]
pub(super) struct Construct<'a> {
    pub(super) names: &'a Names<'a>,
    /// It is an untied task.
    pub(super) untied: bool,
    /// The number of threads, where the text says it with a number.
    pub(super) threads: Option<&'a str>,
}

impl<'a> Construct<'a> {
    /// The calls around a level that has events.
    pub(super) fn calls(self, out: &mut Texts, level: Level, stem: &str) -> Calls {
        match level {
            Level::Parallel => self.parallel(out),
            Level::Task if self.untied => self.task(out, "Untied_task"),
            Level::Task => self.task(out, "Task"),
            Level::Barrier => self.waiting(out, "Barrier_enter", "Barrier_exit"),
            Level::Taskwait => self.waiting(out, "Taskwait_begin", "Taskwait_end"),
            Level::Master => {
                let (begin, end) = self.body(out, stem, &[], true);
                Calls { begin, end, ..Calls::default() }
            }
            Level::Single | Level::Critical | Level::Ordered => {
                let (begin, end) = self.body(out, stem, &[], false);
                Calls { begin, end, ..self.around(out, stem) }
            }
            _ => self.around(out, stem),
        }
    }

    /// A call: handle, further arguments (each in parts), context string.
    fn call(self, out: &mut Texts, routine: &[&str], arguments: &[&[&str]], string: bool) {
        out.push("POMP2_");
        out.push_all(routine);
        out.push_all(&["(", self.names.accessor]);
        for argument in arguments {
            out.push(", ");
            out.push_all(argument);
        }
        if string {
            out.push(", ");
            out.push_all(&self.names.variable("s"));
            out.push("()");
        }
        out.push(");");
    }

    /// The call before something that is waited for. It fills a word, which is in the variable of a
    /// clean-up where a thread may leave.
    fn before_waiting(self, out: &mut Texts, enter: &str, exit: &str) {
        let string = enter != IMPLICIT.0;
        if self.names.leaves {
            let [prefix, letter, number] = self.names.variable("h");
            self.names.guard(out, "h", &[exit], &["0"]);
            out.push(" ");
            return self.call(out, &[enter], &[&["&", prefix, letter, number, ".id"]], string);
        }
        let [prefix, letter, number] = self.names.variable("o");
        out.push_all(&["long ", prefix, letter, number, "; "]);
        self.call(out, &[enter], &[&["&", prefix, letter, number]], string);
    }

    /// The call behind it, which gets the word back.
    fn behind_waiting(self, out: &mut Texts, exit: &str) {
        if !self.names.leaves {
            out.push(" ");
            self.call(out, &[exit], &[&self.names.variable("o")], false);
        }
    }

    fn waiting(self, out: &mut Texts, enter: &str, exit: &str) -> Calls {
        let before = out.part(|out| self.before_waiting(out, enter, exit));
        let after = out.part(|out| self.behind_waiting(out, exit));
        Calls { before, after, ..Calls::default() }
    }

    /// An implicit barrier that was made explicit.
    fn barrier(self, out: &mut Texts) {
        out.push(" { ");
        self.before_waiting(out, IMPLICIT.0, IMPLICIT.1);
        out.push(" _Pragma(\"omp barrier\")");
        self.behind_waiting(out, IMPLICIT.1);
        out.push(" }");
    }

    fn around(self, out: &mut Texts, stem: &str) -> Calls {
        let before = out.part(|out| {
            if self.names.leaves {
                self.names.guard(out, "e", &[stem, "_exit"], &["0"]);
                out.push(" ");
            }
            self.call(out, &[stem, "_enter"], &[], true);
        });
        let split = self.names.split_barrier;
        let clauses = out.part(|out| out.push(if split { " nowait" } else { "" }));
        let after = out.part(|out| {
            if split {
                self.barrier(out);
            }
            if !self.names.leaves {
                out.push(" ");
                self.call(out, &[stem, "_exit"], &[], false);
            }
        });
        Calls { before, clauses, after, ..Calls::default() }
    }

    /// Both ends of a body, given what the call at its begin gets.
    fn body(
        self,
        out: &mut Texts,
        stem: &str,
        arguments: &[&[&str]],
        string: bool,
    ) -> (Part, Part) {
        let begin = out.part(|out| {
            out.push("{ ");
            if self.names.cleanup {
                // The sections of a construct have its number.
                let letter = if stem == "Section" { "q" } else { "g" };
                self.names.guard(out, letter, &[stem, "_end"], &["0"]);
                out.push(" ");
            }
            self.call(out, &[stem, "_begin"], arguments, string);
            out.push(" ");
        });
        let end = out.part(|out| {
            if !self.names.cleanup {
                if self.names.end_barrier {
                    self.barrier(out);
                }
                out.push(" ");
                self.call(out, &[stem, "_end"], &[], false);
            }
            out.push(" }");
        });
        (begin, end)
    }

    /// The ends of one section: they carry the handle of their construct.
    pub(super) fn section(self, out: &mut Texts) -> (Part, Part) {
        self.body(out, "Section", &[], true)
    }

    /// Fork and join alone, for a combined construct that cannot be split.
    pub(super) fn fork_and_join(self, out: &mut Texts) -> Calls {
        let Calls { before, after, .. } = self.parallel(out);
        Calls { before, after, ..Calls::default() }
    }

    /// The upper bound of the team is what the text says or what OpenMP would take: an expression
    /// is not evaluated twice.
    fn parallel(self, out: &mut Texts) -> Calls {
        let [prefix, letter, number] = self.names.variable("p");
        let most = [prefix, "max()"];
        let threads = self.threads.as_ref().map_or(&most[..], std::slice::from_ref);
        let before = out.part(|out| {
            out.push_all(&["long ", prefix, letter, number, "; "]);
            let word: &[&str] = &["&", prefix, letter, number];
            self.call(out, &["Parallel_fork"], &[&["1"], threads, word], true);
        });
        let (begin, end) = self.body(out, "Parallel", &[], false);
        let after = out.part(|out| {
            out.push(" ");
            self.call(out, &["Parallel_join"], &[&[prefix, letter, number]], false);
        });
        Calls { before, begin, end, after, ..Calls::default() }
    }

    fn task(self, out: &mut Texts, stem: &str) -> Calls {
        let (new, old) = (self.names.variable("t"), self.names.variable("o"));
        let [prefix, t, number] = new;
        let before = out.part(|out| {
            out.push_all(&["long ", prefix, t, number, ", "]);
            out.push_all(&old);
            out.push("; ");
            let words: [&[&str]; 3] =
                [&["&", prefix, t, number], &["&", prefix, old[1], number], &["1"]];
            self.call(out, &[stem, "_create_begin"], &words, true);
        });
        let (begin, end) = self.body(out, stem, &[&new], false);
        let after = out.part(|out| {
            out.push(" ");
            self.call(out, &[stem, "_create_end"], &[&old], false);
        });
        let clauses = out.part(|out| out.push_all(&[" firstprivate(", prefix, t, number, ")"]));
        Calls { before, clauses, begin, end, after, ..Calls::default() }
    }
}

/// The calls around an implicit barrier.
const IMPLICIT: (&str, &str) = ("Implicit_barrier_enter", "Implicit_barrier_exit");

/// Routines and their parameters behind the handle.
const ROUTINES: &[(&str, &str)] = &[
    ("Assign_handle", ",const char*"),
    ("USER_Assign_handle", ",const char*"),
    ("Begin", ",const char*"),
    ("End", ""),
    ("Parallel_fork", ",int,int,long*,const char*"),
    ("Parallel_begin", ""),
    ("Parallel_end", ""),
    ("Parallel_join", ",long"),
    ("For_enter", ",const char*"),
    ("For_exit", ""),
    ("Sections_enter", ",const char*"),
    ("Sections_exit", ""),
    ("Section_begin", ",const char*"),
    ("Section_end", ""),
    ("Single_enter", ",const char*"),
    ("Single_begin", ""),
    ("Single_end", ""),
    ("Single_exit", ""),
    ("Master_begin", ",const char*"),
    ("Master_end", ""),
    ("Critical_enter", ",const char*"),
    ("Critical_begin", ""),
    ("Critical_end", ""),
    ("Critical_exit", ""),
    ("Ordered_enter", ",const char*"),
    ("Ordered_begin", ""),
    ("Ordered_end", ""),
    ("Ordered_exit", ""),
    ("Atomic_enter", ",const char*"),
    ("Atomic_exit", ""),
    ("Flush_enter", ",const char*"),
    ("Flush_exit", ""),
    ("Barrier_enter", ",long*,const char*"),
    ("Barrier_exit", ",long"),
    ("Implicit_barrier_enter", ",long*"),
    ("Implicit_barrier_exit", ",long"),
    ("Task_create_begin", ",long*,long*,int,const char*"),
    ("Task_create_end", ",long"),
    ("Task_begin", ",long"),
    ("Task_end", ""),
    ("Untied_task_create_begin", ",long*,long*,int,const char*"),
    ("Untied_task_create_end", ",long"),
    ("Untied_task_begin", ",long"),
    ("Untied_task_end", ""),
    ("Taskwait_begin", ",long*,const char*"),
    ("Taskwait_end", ",long"),
];

/// Routines that have to run also when a `cancel` leaves the place between them and what opened it,
/// with the parameters behind the handle.
const CLEANUPS: &[(&str, &str)] = &[
    ("Parallel_end", ""),
    ("Task_end", ""),
    ("Untied_task_end", ""),
    ("Section_end", ""),
    ("Barrier_exit", ",g->id"),
    ("Implicit_barrier_exit", ",g->id"),
    ("For_exit", ""),
    ("Sections_exit", ""),
    ("Single_exit", ""),
];

/// The begin of a function that may be unused.
const INLINE: &str = "static __inline__ __attribute__((always_inline,unused))";

/// What `pomp2_lib.h` declares, with the same types by other names, so that the text may include
/// that header as well. The symbol of the number of threads gets a name of ours, because the
/// declaration in `omp.h` differs from compiler to compiler.
fn declarations(cxx: bool, prefix: &str) -> String {
    let mut text = String::new();
    text += if cxx { "extern \"C\" {\n" } else { "" };
    let _ = write!(text, "extern int {prefix}max(void) __asm__(\"omp_get_max_threads\");");
    for routine in ["Init", "Finalize", "On", "Off"] {
        let _ = write!(text, "extern void (POMP2_{routine})(void);");
    }
    text.push('\n');
    for line in ROUTINES.chunks(3) {
        for (name, parameters) in line {
            let _ = write!(text, "extern void (POMP2_{name})(void**{parameters});");
        }
        text.push('\n');
    }
    text + if cxx { "}\n" } else { "" }
}

/// The type of the variables whose cleanup calls a routine, and the cleanups.
fn guards(text: &mut String, prefix: &str) {
    let _ = writeln!(text, "struct {prefix}guard{{void**region;long id;}};");
    for (routine, id) in CLEANUPS {
        let head = "static __inline__ __attribute__((unused))void ";
        let _ = write!(text, "{head}{prefix}{routine}(struct {prefix}guard*g)");
        let _ = writeln!(text, "{{POMP2_{routine}(g->region{id});}}");
    }
}

/// What the variable of a function is initialised with, and its cleanup.
fn functions(text: &mut String, prefix: &str) {
    let _ = writeln!(
        text,
        "{INLINE}void**{prefix}enter(void**h,const char*s){{POMP2_Begin(h,s);return h;}}\n\
         {INLINE}void {prefix}leave(void***h){{POMP2_End(*h);}}"
    );
}

/// Handle and context string of one region.
fn descriptor(text: &mut String, path: &str, prefix: &str, number: usize, region: &Region) {
    let string = literal(&context(region, path));
    let _ = writeln!(
        text,
        "static void*{prefix}d{number};\
         {INLINE}void**{prefix}{number}(void){{return &{prefix}d{number};}}\n\
         {INLINE}const char*{prefix}s{number}(void){{return {string};}}"
    );
}

/// The function that OPARI2's link step finds by its name.
fn initialisation(text: &mut String, cxx: bool, prefix: &str, init: &Init) {
    let Init { name, assign, regions } = init;
    let external = if cxx { "extern \"C\" " } else { "" };
    let _ = writeln!(text, "{external}void {name}(void);{external}void {name}(void){{");
    for number in regions {
        let _ = writeln!(text, "{assign}({prefix}{number}(),{prefix}s{number}());");
    }
    text.push_str("}\n");
}
