//! The table of constructs with events: what the fronts, the sets of constructs and the prelude
//! need to know of each.
//!
//! To add a construct: a row in `levels!`, and its words in `names.rs`. If it has several words, or
//! clauses say what it is, also a line in `parallel.rs` next to this file. Tests name what is
//! missing. The other places: "A directive of your own" in `docs/dev/compiling.md`.

use pompeii_model::Role;

/// What holds for a construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// The POMP paper has routines for it (Table 3). All others are extensions: a library that has
    /// the paper's routines only can be linked if they are disabled.
    Paper,
    /// OPARI2's interface has routines for it.
    Pomp2,
    /// It synchronises, and is short and frequent: a part of `sync`.
    Sync,
    /// It is counted and not timed, unless the user enables that.
    Counted,
    /// It ends with an implicit barrier that `nowait` would remove.
    Barrier,
    /// It is a barrier, or ends with one that cannot be taken out.
    OwnBarrier,
    /// It is in no text of C.
    FortranOnly,
}

/// Which events a construct has, and where they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Fork, begin, end, join, or the same of a task: an id goes from the outside to the inside.
    Forking,
    /// `enter` and `exit` around it, `begin` and `end` in its body.
    Both,
    /// `enter` and `exit` around it.
    Around,
    /// `begin` and `end` in its body.
    Inside,
    /// `enter` and `exit` around it; it has no body.
    Alone,
    /// One call before it; it has no body.
    Mark,
    /// `enter` and `exit` around it, `begin` and `end` in each iteration of its tasks.
    Taskloop,
}

/// What the table says of a construct.
#[derive(Debug)]
pub struct Row {
    /// Its words in a directive, or those of one of its directives.
    pub words: &'static str,
    /// The word in the names of its POMP routines: `POMP_<stem>_enter`.
    pub stem: &'static str,
    /// The name under which it can be disabled; empty for a parallel region, which cannot.
    pub switch: &'static str,
    /// Which events it has.
    pub shape: Shape,
    /// The role of its regions.
    pub role: Role,
    traits: &'static [Trait],
}

impl Row {
    /// Whether this holds for the construct.
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }
}

/// The rows: `Level: "words" "stem" "switch" Shape Role [traits],`. In parentheses after a level
/// stands what its directives differ in.
macro_rules! levels {
    ($(
        $(#[$doc:meta])*
        $level:ident $(($field:ident))?: $words:literal $stem:literal $switch:literal
            $shape:ident $role:ident [$($holds:ident),*],
    )*) => {
        /// One construct of a combined directive; what one directive of the output can be.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "a construct says what its field means")]
        pub enum Level {
            $($(#[$doc])* $level $({ $field: bool })?,)*
        }

        /// The places of the rows.
        enum Place {
            $($level,)*
        }

        /// All rows, in the order in which their routines are declared.
        pub const ROWS: &[Row] = &[$(Row {
            words: $words,
            stem: $stem,
            switch: $switch,
            shape: Shape::$shape,
            role: Role::$role,
            traits: &[$(Trait::$holds),*],
        }),*];

        impl Level {
            /// What the table says of it.
            pub fn row(self) -> &'static Row {
                let place = match self {
                    $(Self::$level $({ $field: _ })? => Place::$level,)*
                };
                &ROWS[place as usize]
            }

            /// The construct of directives with this one word, where nothing else than the word
            /// says which one it is: that is for the caller to know.
            #[allow(unreachable_patterns, reason = "two constructs are `ordered`")]
            pub(super) fn of_word(word: &str) -> Option<Self> {
                Some(match word {
                    $($words => Self::$level $({ $field: false })?,)*
                    _ => return None,
                })
            }
        }
    };
}

levels! {
    /// `parallel`
    Parallel: "parallel" "Parallel" "" Forking Parallel [Paper, Pomp2],
    /// `for` and `do`; `simd` with that word: nothing is called inside a simd loop.
    Loop(simd): "for" "For" "for" Around Loop [Paper, Pomp2, Barrier],
    /// `sections`
    Sections: "sections" "Sections" "sections" Around Sections [Paper, Pomp2, Barrier],
    /// `workshare`
    Workshare: "workshare" "Workshare" "workshare"
        Around Workshare [Paper, Pomp2, Barrier, FortranOnly],
    /// `single`
    Single: "single" "Single" "single" Both Single [Paper, Pomp2, Sync, Barrier],
    /// `scope`
    Scope: "scope" "Scope" "scope" Both Scope [Barrier],
    /// `master`
    Master: "master" "Master" "master" Inside Master [Paper, Pomp2, Sync],
    /// `masked`
    Masked: "masked" "Masked" "masked" Inside Masked [Sync],
    /// `critical`
    Critical: "critical" "Critical" "critical" Both Critical [Paper, Pomp2, Sync],
    /// `ordered` with a body.
    Ordered: "ordered" "Ordered" "ordered" Both Ordered [Pomp2, Sync],
    /// `ordered` that waits for or posts an iteration (`depend`, `doacross`).
    Doacross: "ordered" "Ordered" "ordered" Alone Ordered [Sync],
    /// `atomic`
    Atomic: "atomic" "Atomic" "atomic" Around Atomic [Paper, Pomp2, Sync, Counted],
    /// `flush`
    Flush: "flush" "Flush" "flush" Alone Flush [Pomp2, Sync, Counted],
    /// `barrier`
    Barrier: "barrier" "Barrier" "barrier" Alone Barrier [Paper, Pomp2, OwnBarrier],
    /// `task`
    Task: "task" "Task" "task" Forking Task [Pomp2],
    /// `taskloop`, and with `simd` `taskloop simd`, whose iterations have no events.
    Taskloop(simd): "taskloop" "Taskloop" "taskloop" Taskloop Taskloop [],
    /// `taskgroup`
    Taskgroup: "taskgroup" "Taskgroup" "taskgroup" Both Taskgroup [],
    /// `taskwait`
    Taskwait: "taskwait" "Taskwait" "taskwait" Alone Taskwait [Pomp2],
    /// `taskyield`
    Taskyield: "taskyield" "Taskyield" "taskyield" Alone Taskyield [],
    /// `cancel`
    Cancel: "cancel" "Cancel" "cancel" Mark Cancel [],
    /// `cancellation point`
    CancellationPoint: "cancellation point" "Cancellation_point" "cancel" Mark Cancel [],
    /// `loop`: nothing may be called inside.
    LoopConstruct: "loop" "Loop" "loop" Around LoopConstruct [OwnBarrier],
    /// `teams` and what is combined with it; `open` if its body may call routines.
    Teams(open): "teams" "Teams" "teams" Around Teams [],
    /// `distribute` and what is combined with it; `open` if its body may call routines.
    Distribute(open): "distribute" "Distribute" "distribute" Around Distribute [],
    /// `target` with a body, and what is combined with it: observed on the host, around it. `open`
    /// if its body runs on the host and may call routines: `target data`.
    Target(open): "target" "Target" "target" Around Target [],
    /// `target update`, `target enter data`, `target exit data`.
    TargetAlone: "target update" "Target" "target" Alone Target [],
}

/// A routine: its name without `POMP_`, and its parameters after the descriptor in C.
pub(crate) type Routine = (String, &'static str);

/// The routines that instrumented C may call.
pub(crate) fn routines() -> Vec<Routine> {
    let mut found: Vec<Routine> = Vec::new();
    let mut add = |stem: &str, ends: Ends| {
        for &(end, parameters) in ends {
            let name = format!("{stem}{end}");
            if found.iter().all(|(known, _)| *known != name) {
                found.push((name, parameters));
            }
        }
    };
    add("Begin", &[("", ",void*")]);
    add("End", &[("", ",void*")]);
    for row in ROWS.iter().filter(|row| !row.has(Trait::FortranOnly)) {
        add(row.stem, ends(row));
        if row.role == Role::Sections {
            add("Section", INSIDE);
        }
    }
    add("Iteration", &[("_begin", ",long,long"), ("_end", "")]);
    found
}

/// How the names of a construct's routines end, with their parameters.
type Ends = &'static [(&'static str, &'static str)];

const INSIDE: Ends = &[("_begin", ""), ("_end", "")];
const AROUND: Ends = &[("_enter", ""), ("_exit", "")];
const BOTH: Ends = &[("_enter", ""), ("_begin", ""), ("_end", ""), ("_exit", "")];
const MARK: Ends = &[("", "")];

/// They pass the id of the team.
const PARALLEL: Ends =
    &[("_fork", ",long*"), ("_begin", ",long"), ("_end", ",long"), ("_join", ",long")];

/// They pass the id of the task.
const TASK: Ends = &[
    ("_create_begin", ",long*"),
    ("_depend", ",long,const char*,const volatile void*const*"),
    ("_begin", ",long"),
    ("_end", ",long"),
    ("_detach", ",long,unsigned long"),
    ("_create_end", ",long"),
    ("_resume", ",long"),
];

/// Those with `depend` pass items of such clauses.
const TASKWAIT: Ends = &[
    ("_enter", ""),
    ("_exit", ""),
    ("_depend_enter", ",const char*,const volatile void*const*"),
    ("_depend_exit", ""),
];

/// One passes items of `depend` clauses.
const TARGET: Ends =
    &[("_enter", ""), ("_exit", ""), ("_depend_enter", ",const char*,const volatile void*const*")];

/// They pass the id of the taskloop, of a task, or both.
const TASKLOOP: Ends =
    &[("_enter", ",long*"), ("_begin", ",long,long*"), ("_end", ",long"), ("_exit", ",long")];

/// One passes the number of iterations.
const LOOP: Ends = &[("_enter", ",long"), ("_exit", "")];

fn ends(row: &Row) -> Ends {
    match row.shape {
        Shape::Forking if row.role == Role::Task => TASK,
        Shape::Forking => PARALLEL,
        Shape::Both => BOTH,
        Shape::Around if row.role == Role::Loop => LOOP,
        Shape::Alone if row.role == Role::Taskwait => TASKWAIT,
        Shape::Around | Shape::Alone if row.role == Role::Target => TARGET,
        Shape::Around | Shape::Alone => AROUND,
        Shape::Inside => INSIDE,
        Shape::Mark => MARK,
        Shape::Taskloop => TASKLOOP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::directives::levels;
    use crate::names;
    use std::collections::BTreeSet;

    #[test]
    fn each_row_is_found_by_its_words() {
        for row in ROWS {
            let words: Vec<&str> = row.words.split(' ').collect();
            let directive = Directive::parse(b"", Vec::new(), false);
            let found = levels(&words, &directive).and_then(|levels| levels.last().copied());
            let found = found.unwrap_or_else(|| panic!("`{}`: a line in parallel.rs", row.words));
            assert_eq!(found.row().words, row.words);
            for word in words {
                let name = names::name(word.as_bytes(), false);
                assert!(names::is_usual(&name), "`{word}` in USUAL of names.rs");
            }
        }
    }

    /// Parts of constructs.
    const PARTS: &[Role] = &[
        Role::Section,
        Role::SingleBody,
        Role::CriticalBody,
        Role::OrderedBody,
        Role::ImplicitBarrier,
        Role::TaskCreate,
        Role::TaskgroupEnd,
        Role::Chunk,
    ];

    #[test]
    fn each_role_of_openmp_has_a_construct() {
        let is_openmp = |role: &&Role| !role.names().is_empty() && !PARTS.contains(role);
        for role in Role::ALL.iter().filter(is_openmp) {
            assert!(ROWS.iter().any(|row| row.role == *role), "a row of {role:?}");
        }
    }

    /// The routines of a text of C that declares them: what is between `POMP_` and `)`.
    fn declared(header: &str) -> BTreeSet<String> {
        let lines = header.lines().filter_map(|line| line.strip_prefix("void POMP_"));
        let of_descriptor = lines.filter(|line| line.contains("(OMPRegDescr *d"));
        of_descriptor.map(|line| line.split_once(')').unwrap().0.to_owned()).collect()
    }

    #[test]
    fn the_header_declares_each_routine_with_these_parameters() {
        let header = declared(include_str!("../../../runtime/include/pomp.h"));
        for (name, parameters) in routines() {
            let start = format!("{name}(OMPRegDescr *d");
            let rest = header.iter().find_map(|line| line.strip_prefix(start.as_str()));
            let rest = rest.unwrap_or_else(|| panic!("`POMP_{start})` in pomp.h"));
            // `, long *team` becomes `,long*`: the last word is the name of the parameter.
            let types = rest.split(',').skip(1).map(|parameter| {
                let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                format!(",{}", parameter.trim().trim_end_matches(name).replace(" *", "*").trim())
            });
            assert_eq!(types.collect::<String>(), parameters, "{name}");
        }
    }

    #[test]
    fn the_manual_says_what_is_measured_of_each_construct() {
        let manual = include_str!("../../../../docs/manual.md");
        let (_, section) = manual.split_once("\n### Constructs\n").unwrap();
        let rows = section.lines().take_while(|line| !line.starts_with('#'));
        let cells: Vec<&str> =
            rows.filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
        for row in ROWS {
            let first = row.words.split(' ').next();
            let mut words = cells.iter().flat_map(|cell| cell.split([' ', ',', ':']));
            assert!(words.any(|word| Some(word) == first), "`{}` in the manual", row.words);
        }
    }

    #[test]
    fn no_routine_of_the_header_is_missing() {
        let known: BTreeSet<String> = routines().into_iter().map(|(name, _)| name).collect();
        let header = declared(include_str!("../../../runtime/include/pomp.h"));
        let names = header.iter().map(|line| line.split('(').next().unwrap());
        // Those that only Fortran has.
        let others: Vec<&str> = names.filter(|name| !known.contains(*name)).collect();
        assert_eq!(others, ["Do_enter", "Do_exit", "Workshare_enter", "Workshare_exit"]);
    }
}
