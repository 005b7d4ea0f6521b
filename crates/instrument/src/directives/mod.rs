//! What each directive is: which levels a combined one consists of, whether it has a body, and
//! whether anything may be called inside that body. One file per family; the languages differ only
//! in `for` and `do`.
//!
//! To add a directive: give it a [`Level`] if it gets events, else a line in [`passed`], and a
//! place for its clauses in [`crate::clauses`].

mod loops;
mod metadirective;
mod parallel;
pub mod passed;
mod user;

pub use loops::{barrier_stays, depth, transformed};
pub(crate) use metadirective::{chosen, is_undecided, variant};
pub use parallel::levels;
pub use user::{Named, User};

use crate::directive::Directive;

/// One construct of a combined directive; what one directive of the output can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// `parallel`
    Parallel,
    /// `for` and `do`, also with `simd`: nothing is called inside a simd loop.
    Loop {
        /// Whether it is `for simd` or `do simd`.
        simd: bool,
    },
    /// `sections`
    Sections,
    /// `workshare`
    Workshare,
    /// `single`
    Single,
    /// `scope`
    Scope,
    /// `master`
    Master,
    /// `masked`
    Masked,
    /// `critical`
    Critical,
    /// `ordered` with a body.
    Ordered,
    /// `ordered` that waits for or posts an iteration (`depend`, `doacross`).
    Doacross,
    /// `atomic`
    Atomic,
    /// `flush`
    Flush,
    /// `barrier`
    Barrier,
    /// `task`
    Task,
    /// `taskloop` and `taskloop simd`
    Taskloop {
        /// Whether it is `taskloop simd`.
        simd: bool,
    },
    /// `taskgroup`
    Taskgroup,
    /// `taskwait`
    Taskwait,
    /// `taskyield`
    Taskyield,
    /// `cancel`
    Cancel,
    /// `cancellation point`
    CancellationPoint,
    /// `loop`: nothing may be called inside.
    LoopConstruct,
    /// `teams` and what is combined with it.
    Teams {
        /// Whether its body may call routines.
        open: bool,
    },
    /// `distribute` and what is combined with it.
    Distribute {
        /// Whether its body may call routines.
        open: bool,
    },
    /// `target` with a body, and what is combined with it: observed on the host, around it.
    Target {
        /// Whether its body runs on the host and may call routines: `target data`.
        open: bool,
    },
    /// `target update`, `target enter data`, `target exit data`.
    TargetAlone,
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

/// What a directive is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It gets events. The levels from the outermost one; at least one.
    Events(Vec<Level>),
    /// `section`: separates the sections of a `sections` construct.
    Section,
    /// It passes through and has a body.
    Body {
        /// Whether constructs inside may be instrumented.
        inside: bool,
    },
    /// It passes through and is a statement of its own.
    StandAlone,
    /// It passes through and is no statement.
    Declarative,
    /// It belongs to us, not to the compiler.
    User(User),
    /// The END of a construct (Fortran).
    End,
    /// Not a directive that we know.
    Unknown,
}

/// Finds what a directive is.
pub fn classify(source: &[u8], directive: &Directive) -> Kind {
    let mut words: Vec<&str> = directive.words.iter().map(|word| &*word.text).collect();
    // OpenMP 6.0 also spells `declare_target`.
    if words.iter().any(|word| word.contains('_')) {
        words = words.into_iter().flat_map(|word| word.split('_')).collect();
    }
    if let Some(user) = user::classify(source, directive, &words) {
        return Kind::User(user);
    }
    match words.as_slice() {
        ["section"] => Kind::Section,
        ["end", rest @ ..] if !matches!(rest, ["declare" | "assumes", ..]) => Kind::End,
        words => match levels(words, directive) {
            Some(levels) => Kind::Events(levels),
            None => passed::classify(source, directive, words),
        },
    }
}

impl Level {
    /// The word in the names of the POMP routines: `POMP_<stem>_enter`.
    pub fn stem(self, fortran: bool) -> &'static str {
        match self {
            Self::Parallel => "Parallel",
            Self::Loop { .. } if fortran => "Do",
            Self::Loop { .. } => "For",
            Self::Sections => "Sections",
            Self::Workshare => "Workshare",
            Self::Single => "Single",
            Self::Scope => "Scope",
            Self::Master => "Master",
            Self::Masked => "Masked",
            Self::Critical => "Critical",
            Self::Ordered | Self::Doacross => "Ordered",
            Self::Atomic => "Atomic",
            Self::Flush => "Flush",
            Self::Barrier => "Barrier",
            Self::Task => "Task",
            Self::Taskloop { .. } => "Taskloop",
            Self::Taskgroup => "Taskgroup",
            Self::Taskwait => "Taskwait",
            Self::Taskyield => "Taskyield",
            Self::Cancel => "Cancel",
            Self::CancellationPoint => "Cancellation_point",
            Self::LoopConstruct => "Loop",
            Self::Teams { .. } => "Teams",
            Self::Distribute { .. } => "Distribute",
            Self::Target { .. } | Self::TargetAlone => "Target",
        }
    }

    /// The name under which it can be disabled; a parallel region cannot.
    pub fn switch(self) -> Option<&'static str> {
        Some(match self {
            Self::Parallel => return None,
            Self::Loop { .. } => "for",
            Self::Sections => "sections",
            Self::Workshare => "workshare",
            Self::Single => "single",
            Self::Scope => "scope",
            Self::Master => "master",
            Self::Masked => "masked",
            Self::Critical => "critical",
            Self::Ordered | Self::Doacross => "ordered",
            Self::Atomic => "atomic",
            Self::Flush => "flush",
            Self::Barrier => "barrier",
            Self::Task => "task",
            Self::Taskloop { .. } => "taskloop",
            Self::Taskgroup => "taskgroup",
            Self::Taskwait => "taskwait",
            Self::Taskyield => "taskyield",
            Self::Cancel | Self::CancellationPoint => "cancel",
            Self::LoopConstruct => "loop",
            Self::Teams { .. } => "teams",
            Self::Distribute { .. } => "distribute",
            Self::Target { .. } | Self::TargetAlone => "target",
        })
    }

    /// Which events it has.
    pub fn shape(self) -> Shape {
        match self {
            Self::Parallel | Self::Task => Shape::Forking,
            Self::Single | Self::Scope | Self::Critical | Self::Ordered | Self::Taskgroup => {
                Shape::Both
            }
            Self::Master | Self::Masked => Shape::Inside,
            Self::Taskloop { simd: false } => Shape::Taskloop,
            Self::Barrier
            | Self::Taskwait
            | Self::Taskyield
            | Self::Flush
            | Self::Doacross
            | Self::TargetAlone => Shape::Alone,
            Self::Cancel | Self::CancellationPoint => Shape::Mark,
            _ => Shape::Around,
        }
    }

    /// Whether it ends with an implicit barrier that `nowait` would remove.
    pub fn has_barrier(self) -> bool {
        loops::is_worksharing(self)
    }

    /// Whether it is a barrier, or ends with one that cannot be taken out.
    pub fn has_own_barrier(self) -> bool {
        matches!(self, Self::Barrier | Self::LoopConstruct)
    }

    /// Whether the time between its entry and its exit has waiting at a barrier in it that cannot
    /// be told apart.
    pub fn hides_barrier(self, source: &[u8], directive: &Directive) -> bool {
        match self {
            Self::LoopConstruct => !loops::binds_elsewhere(source, directive),
            Self::Teams { open: false } | Self::Distribute { open: false } => {
                directive.words.iter().any(|word| word.text == "parallel")
            }
            _ => false,
        }
    }

    /// Whether each of its iterations can have events.
    pub fn iterates(self) -> bool {
        matches!(self, Self::Loop { simd: false } | Self::Taskloop { simd: false })
    }

    /// Whether its loops are looked for: for calls in their iterations, or for their bounds.
    pub fn has_bounds(self) -> bool {
        self.iterates() || matches!(self, Self::Loop { .. })
    }

    /// Whether it is a statement without a body.
    pub fn stands_alone(self) -> bool {
        matches!(self.shape(), Shape::Alone | Shape::Mark)
    }

    /// Whether routines may be called inside, given the clauses of its directive.
    pub fn allows_calls_inside(self, source: &[u8], directive: &Directive) -> bool {
        match self {
            Self::Atomic | Self::LoopConstruct => false,
            Self::Teams { open } | Self::Target { open } => open,
            Self::Distribute { open } => open && !loops::concurrent(source, directive),
            Self::Loop { simd } | Self::Taskloop { simd } => {
                !simd && !loops::concurrent(source, directive)
            }
            _ => true,
        }
    }
}
