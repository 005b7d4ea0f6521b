//! What each directive is: which levels a combined one consists of, whether it has a body, and
//! whether anything may be called inside that body. One file per family; the languages differ only
//! in `for` and `do`.
//!
//! To add a directive: give it a [`Level`] if it gets events, else a line in [`passed`], and a
//! place for its clauses in [`crate::clauses`].

mod loops;
mod parallel;
pub mod passed;
mod user;

pub use loops::barrier_stays;
pub use parallel::levels;
pub use user::User;

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
    /// `master`
    Master,
    /// `critical`
    Critical,
    /// `atomic`
    Atomic,
    /// `barrier`
    Barrier,
    /// `task`
    Task,
    /// `taskwait`
    Taskwait,
    /// `masked`; no events yet.
    Masked,
    /// `taskloop` and `taskloop simd`; no events yet.
    Taskloop {
        /// Whether it is `taskloop simd`.
        simd: bool,
    },
    /// `loop`; no events yet, and nothing may be called inside.
    LoopConstruct,
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
    // OpenMP 6.0 also spells `declare_target`.
    let words: Vec<&str> = directive.words.iter().flat_map(|word| word.text.split('_')).collect();
    if let Some(user) = user::classify(source, directive, &words) {
        return Kind::User(user);
    }
    match words.as_slice() {
        ["section"] => Kind::Section,
        ["end", rest @ ..] if !matches!(rest, ["declare" | "assumes", ..]) => Kind::End,
        words => match levels(words) {
            Some(levels) => Kind::Events(levels),
            None => passed::classify(source, directive, words),
        },
    }
}

impl Level {
    /// The word in the names of the POMP routines: `POMP_<stem>_enter`. `None`: it has no events.
    pub fn stem(self, fortran: bool) -> Option<&'static str> {
        Some(match self {
            Self::Parallel => "Parallel",
            Self::Loop { .. } if fortran => "Do",
            Self::Loop { .. } => "For",
            Self::Sections => "Sections",
            Self::Workshare => "Workshare",
            Self::Single => "Single",
            Self::Master => "Master",
            Self::Critical => "Critical",
            Self::Atomic => "Atomic",
            Self::Barrier => "Barrier",
            Self::Task => "Task",
            Self::Taskwait => "Taskwait",
            Self::Masked | Self::Taskloop { .. } | Self::LoopConstruct => return None,
        })
    }

    /// The name under which it can be disabled.
    pub fn switch(self) -> Option<&'static str> {
        Some(match self {
            Self::Loop { .. } => "for",
            Self::Sections => "sections",
            Self::Workshare => "workshare",
            Self::Single => "single",
            Self::Master => "master",
            Self::Critical => "critical",
            Self::Atomic => "atomic",
            Self::Barrier => "barrier",
            Self::Task => "task",
            Self::Taskwait => "taskwait",
            _ => return None,
        })
    }

    /// Whether it ends with an implicit barrier that `nowait` would remove.
    pub fn has_barrier(self) -> bool {
        loops::is_worksharing(self)
    }

    /// Whether it is a statement without a body.
    pub fn stands_alone(self) -> bool {
        matches!(self, Self::Barrier | Self::Taskwait)
    }

    /// Whether routines may be called inside, given the clauses of its directive.
    pub fn allows_calls_inside(self, source: &[u8], directive: &Directive) -> bool {
        match self {
            Self::Atomic | Self::LoopConstruct => false,
            Self::Loop { simd } | Self::Taskloop { simd } => {
                !simd && !loops::concurrent(source, directive)
            }
            _ => true,
        }
    }
}
