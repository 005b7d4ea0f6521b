//! POMP2's calls in Fortran. The text calls appended procedures, as for POMP; these pass the handle
//! and the context string on to the C functions of POMP2, so that no entry point of a Fortran
//! compiler's own mangling is needed.
//!
//! The word that an opening call fills and the closing one gets back is a variable of the user's
//! procedure, like the id of a task. Inside of a parallel region it is the private copy of the
//! word of its fork.

use super::events::Target;
use super::plan::LevelPlan;
use super::rewrite::Rewriter;
use super::tail::{PIECE, Tail};
use super::text::{self, Extra, Names, Routine};
use crate::directives::{Level, Shape};
use crate::pomp2::{Init, context, inits};
use crate::{Options, Region};

impl Rewriter<'_> {
    /// In front of the directive.
    pub(super) fn enter_pomp2(&mut self, to: Target, plan: &LevelPlan) {
        match plan.level {
            Level::Parallel => self.with_id(to, ("Parallel", "fork"), Extra::Out),
            Level::Task => {
                let event = (task(plan), "create_begin");
                self.call(to, event, &[Extra::Out, Extra::Out], &['t', 'o']);
            }
            Level::Barrier => self.with_word(to, ("Barrier", "enter"), Extra::Out),
            Level::Taskwait => self.with_word(to, ("Taskwait", "begin"), Extra::Out),
            level if level.shape() == Shape::Inside => {}
            level => self.call(to, (level.stem(true), "enter"), &[], &[]),
        }
    }

    /// At an end of the body.
    pub(super) fn body_pomp2(&mut self, to: Target, plan: &LevelPlan, what: &'static str) {
        let to = Target { number: plan.own.unwrap_or(to.number), ..to };
        match plan.level {
            Level::Task if what == "begin" => {
                self.with_id_of(to, (task(plan), what), Extra::In, 't');
            }
            Level::Task => self.call(to, (task(plan), what), &[], &[]),
            level if matches!(level.shape(), Shape::Forking | Shape::Both | Shape::Inside) => {
                self.call(to, (level.stem(true), what), &[], &[]);
            }
            _ => {}
        }
    }

    /// Behind the construct.
    pub(super) fn exit_pomp2(&mut self, to: Target, plan: &LevelPlan) {
        match plan.level {
            Level::Parallel => self.with_id(to, ("Parallel", "join"), Extra::In),
            Level::Task => self.with_word(to, (task(plan), "create_end"), Extra::In),
            Level::Barrier => self.with_word(to, ("Barrier", "exit"), Extra::In),
            Level::Taskwait => self.with_word(to, ("Taskwait", "end"), Extra::In),
            level if level.shape() == Shape::Inside => {}
            level => self.call(to, (level.stem(true), "exit"), &[], &[]),
        }
    }

    /// A call with the construct's word.
    fn with_word(&mut self, to: Target, event: text::Event, extra: Extra) {
        self.with_id_of(to, event, extra, 'o');
    }

    /// A call before or behind an implicit barrier; `kind` is that of the word.
    pub(super) fn implicit_pomp2(&mut self, to: Target, what: &'static str, kind: char) {
        let extra = if what == "enter" { Extra::Out } else { Extra::In };
        self.with_id_of(to, ("Implicit_barrier", what), extra, kind);
    }
}

fn task(plan: &LevelPlan) -> &'static str {
    if plan.untied { "Untied_task" } else { "Task" }
}

/// Names the procedures that the initialisation calls.
pub(super) fn use_assignment(names: &mut Names, regions: &[Region]) {
    for (user, stem) in [(false, "Assign"), (true, "USER_Assign")] {
        if regions.iter().any(|region| (region.name == "region") == user) {
            names.routine((stem, "handle"), Some(&[]));
        }
    }
}

/// What a routine gets behind the handle, before and behind its words.
struct Arguments {
    /// Condition and number of threads.
    fork: bool,
    /// Condition.
    create: bool,
    string: bool,
}

impl Arguments {
    fn of(c_name: &str) -> Self {
        let ends = |ends: &[&str]| ends.iter().any(|end| c_name.ends_with(end));
        let opening = ["_enter", "_handle", "2_Begin", "_fork", "_create_begin"];
        let carriers = ["Master_begin", "Section_begin", "Taskwait_begin"];
        Self {
            fork: ends(&["_fork"]),
            create: ends(&["_create_begin"]),
            string: ends(&carriers) || ends(&opening) && !ends(&["Implicit_barrier_enter"]),
        }
    }

    /// The list of a call: the names of words stand between the rest.
    fn list(&self, first: &str, words: &[String], fork: &str, one: &str, last: &str) -> String {
        let mut list = vec![first];
        list.extend(self.fork.then_some(fork));
        list.extend(words.iter().map(String::as_str));
        list.extend(self.create.then_some(one));
        list.extend(self.string.then_some(last));
        list.join(",")
    }
}

impl Tail<'_> {
    /// The procedure for an event of POMP2.
    pub(super) fn event_pomp2(&mut self, name: &str, routine: &Routine, regions: &[Region]) {
        let Some(extras) = routine.extras else {
            return self.lines(&format!(
                "subroutine {name}()
                implicit none
                interface
                subroutine @c() bind(C,name='{}')
                end subroutine
                end interface
                call @c()
                end subroutine",
                routine.c_name
            ));
        };
        let words: Vec<String> = (0..extras.len()).map(|at| format!("@x{at}")).collect();
        let dummies = [&["@n".to_owned()], words.as_slice()].concat().join(",");
        let arguments = Arguments::of(&routine.c_name);
        self.lines(&format!(
            "subroutine {name}({dummies})
            use, intrinsic :: iso_c_binding, only : @k=>c_int64_t, @l=>c_int
            implicit none"
        ));
        self.interface_pomp2(routine, &arguments, &words, extras);
        self.lines("integer :: @n");
        self.common_pomp2(regions.len());
        if !words.is_empty() {
            self.lines(&format!("integer(@k) :: {}", words.join(",")));
        }
        if arguments.fork {
            self.lines("integer(@l) :: @t");
        }
        if arguments.string {
            let fill = self.names.global("fill");
            self.lines(&format!("external :: {fill}\nif (@h(@n)==0) call {fill}(@n)"));
        }
        if arguments.fork {
            self.threads(regions);
        }
        let actuals = arguments.list("@w(@n)", &words, "1_@l,@t", "1_@l", "@h(@n)");
        self.lines(&format!("call @c({actuals})\nend subroutine"));
    }

    /// The C function behind an event.
    fn interface_pomp2(
        &mut self,
        routine: &Routine,
        arguments: &Arguments,
        words: &[String],
        extras: &[Extra],
    ) {
        let dummies = arguments.list("@d", words, "@i,@j", "@i", "@s");
        self.lines(&format!(
            "interface
            subroutine @c({dummies}) bind(C,name='{}')
            import @k, @l
            integer(@k) :: @d",
            routine.c_name
        ));
        if arguments.fork || arguments.create {
            let integers = if arguments.fork { "@i,@j" } else { "@i" };
            self.lines(&format!("integer(@l), value :: {integers}"));
        }
        for (word, extra) in words.iter().zip(extras) {
            let value = if *extra == Extra::In { ", value" } else { "" };
            self.lines(&format!("integer(@k){value} :: {word}"));
        }
        if arguments.string {
            self.lines("integer(@k), value :: @s");
        }
        self.lines("end subroutine");
        if arguments.fork {
            self.lines(
                "function @m() bind(C,name='omp_get_max_threads')
                import @l
                integer(@l) :: @m
                end function",
            );
        }
        self.lines("end interface");
    }

    /// The upper bound of the team: what OpenMP would take, or the number in the clause.
    fn threads(&mut self, regions: &[Region]) {
        self.lines("@t=@m()");
        for (index, region) in regions.iter().enumerate() {
            let clause = region.clauses.split(' ').find_map(|word| {
                word.strip_prefix("num_threads(")?.strip_suffix(')')?.parse::<u16>().ok()
            });
            if let Some(count) = clause {
                self.lines(&format!("if (@n=={}) @t={count}", index + 1));
            }
        }
    }

    /// What all events share: where context strings are, and the handles.
    pub(super) fn common_pomp2(&mut self, regions: usize) {
        let [strings, handles] = ["h", "w"].map(|what| self.names.global(what));
        self.lines(&format!(
            "integer(@k) :: @h({regions}), @w({regions})
            common /{strings}/ @h
            common /{handles}/ @w"
        ));
    }

    /// Strings that are not found yet, and handles of no construct yet.
    pub(super) fn handles_pomp2(&mut self, regions: usize) {
        self.lines(&format!("block data {}", self.names.global("b")));
        self.lines("use, intrinsic :: iso_c_binding, only : @k=>c_int64_t");
        self.lines("implicit none");
        self.common_pomp2(regions);
        self.lines(&format!("data @h/{regions}*0/, @w/{regions}*0/\nend block data"));
    }

    /// The procedure that finds the context string of region `@n`, and ends it for C. Two threads
    /// may come first together.
    pub(super) fn strings_pomp2(&mut self, regions: &[Region], path: &str) {
        // What follows the string takes a NUL. It is found by this mark: for a comparison with a
        // blank gfortran would call its library.
        let texts: Vec<String> = regions.iter().map(|region| context(region, path) + "*").collect();
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        let (row, count) = (longest.div_ceil(PIECE), regions.len());
        let [fill, critical] = ["fill", "c"].map(|what| self.names.global(what));
        self.lines(&format!(
            "subroutine {fill}(@n)
            use, intrinsic :: iso_c_binding, only : @k=>c_int64_t, c_loc, c_char, c_null_char
            implicit none
            integer :: @n"
        ));
        self.common_pomp2(count);
        self.lines(&format!("character({PIECE}), save, target :: @s({row},{count})"));
        for (index, text) in texts.iter().enumerate() {
            let mut pieces = text.as_bytes().chunks(PIECE);
            for piece in 1..=row {
                let text = pieces.next().unwrap_or_default();
                self.element(b"s", &[piece, index + 1], text);
            }
        }
        self.directive(&["critical (", &critical, ")"]);
        self.lines("if (@h(@n)==0) call @p(@s(1,@n))");
        self.directive(&["end critical (", &critical, ")"]);
        let bytes = PIECE * row;
        self.lines(&format!(
            "contains
            subroutine @p(@t)
            character(kind=c_char), target :: @t({bytes})
            integer :: @i
            @i={bytes}
            do while (@t(@i)/='*')
            @i=@i-1
            end do
            @t(@i)=c_null_char"
        ));
        self.directive(&["flush"]);
        self.lines("@h(@n)=transfer(c_loc(@t),@h(@n))\nend subroutine\nend subroutine");
    }

    /// The functions that OPARI2's link step finds by their names.
    pub(super) fn initialisation_pomp2(
        &mut self,
        source: &[u8],
        options: &Options,
        regions: &[Region],
    ) {
        for init in inits(source, &options.path, &options.compilation, regions) {
            let Init { name, assign, regions } = init;
            let what = assign.trim_start_matches("POMP2_").to_ascii_lowercase();
            let [own, assign] = [format!("i{what}"), what].map(|what| self.names.global(&what));
            self.lines(&format!(
                "subroutine {own}() bind(C,name='{name}')
                implicit none
                integer :: @n
                external :: {assign}"
            ));
            for run in regions.chunk_by(|a, b| a + 1 == *b) {
                let (first, last) = (run[0], run[0] + run.len() - 1);
                self.lines(&format!("do @n={first},{last}\ncall {assign}(@n)\nend do"));
            }
            self.lines("end subroutine");
        }
    }
}
