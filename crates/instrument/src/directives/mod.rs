//! What each directive is: which levels a combined one consists of, whether it has a body, and
//! whether anything may be called inside that body. One file per family; the languages differ only
//! in `for` and `do`.
//!
//! To add a directive: a row in `table.rs` if it gets events, else a line in [`passed`], and a
//! place for its clauses in [`crate::clauses`].

mod loops;
mod metadirective;
mod parallel;
pub mod passed;
mod table;
mod user;

pub use loops::{barrier_stays, depth, transformed};
pub(crate) use metadirective::{chosen, is_undecided, variant};
pub use parallel::levels;
pub(crate) use table::routines;
pub use table::{Level, ROWS, Row, Shape, Trait};
pub use user::{Named, User};

use crate::directive::Directive;

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
    /// Whether the calls of a construct name the items of its `depend` clauses.
    pub fn has_items(self) -> bool {
        let target = matches!(self, Self::Target { .. } | Self::TargetAlone);
        target || matches!(self, Self::Task | Self::Taskwait)
    }

    /// The word in the names of the POMP routines: `POMP_<stem>_enter`.
    pub fn stem(self, fortran: bool) -> &'static str {
        match self {
            Self::Loop { .. } if fortran => "Do",
            _ => self.row().stem,
        }
    }

    /// The name under which it can be disabled; a parallel region cannot.
    pub fn switch(self) -> Option<&'static str> {
        Some(self.row().switch).filter(|name| !name.is_empty())
    }

    /// Which events it has.
    pub fn shape(self) -> Shape {
        match self {
            // Nothing may be called in the iterations.
            Self::Taskloop { simd: true } => Shape::Around,
            _ => self.row().shape,
        }
    }

    /// Whether it ends with an implicit barrier that `nowait` would remove.
    pub fn has_barrier(self) -> bool {
        self.row().has(Trait::Barrier)
    }

    /// Whether it is a barrier, or ends with one that cannot be taken out.
    pub fn has_own_barrier(self) -> bool {
        self.row().has(Trait::OwnBarrier)
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
