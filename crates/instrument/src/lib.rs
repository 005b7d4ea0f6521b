//! Turns C, C++ and Fortran text with OpenMP directives into the same text with POMP calls.
//!
//! Design constraints:
//! * Text in, text out: no file is read or written, nothing is printed.
//! * Bytes of the user are copied. What has to move (a clause of a combined construct) is an edit,
//!   and the list of all edits is written to the end of the output, so that [`undo`] restores the
//!   input byte for byte from the output alone.
//! * Line numbers of the output are those of the input, in messages and in debug information.
//! * The fronts ([`c`] and `fortran`) know the text of their language; what a directive means and
//!   where its clauses go is said once for all languages in [`directive`], [`clauses`] and
//!   [`directives`].
//!
//! ```
//! use pompeii_instrument::{Language, Options, instrument, undo};
//! let source = b"void f(int *x) {\n#pragma omp parallel\n  *x = 1;\n}\n";
//! let outcome = instrument(source, &Options::new("f.c", Language::C)).unwrap();
//! assert_eq!(outcome.regions[0].name, "parallel");
//! assert_eq!(undo(&outcome.text).unwrap(), source);
//! ```

pub mod c;
pub mod clauses;
pub mod directive;
pub mod directives;
pub mod edit;
pub mod fortran;

mod construct_set;
mod decimal;
mod depend;
mod devices;
mod error;
mod functions;
mod hash;
mod language;
mod lines;
mod names;
pub mod pomp2;
mod prefix;
mod region;
pub mod undo;

pub use construct_set::ConstructSet;
pub use error::{Diagnostic, Error, Severity};
pub use functions::Functions;
pub use language::Language;
pub use lines::LineIndex;
pub use prefix::free_prefix;
pub use region::{BARRIER_INCLUDED, CALLS, FUNCTION, RESULTS_USED, Region, TIMED};

/// How one source text is to be instrumented.
#[derive(Debug, Clone)]
pub struct Options {
    /// The path as it is shown in descriptors and line markers.
    pub path: String,
    /// The language of the text.
    pub language: Language,
    /// Longest line the compiler takes, in columns (Fortran: 72, 132 or what the user's option
    /// says). C and C++ have no limit and ignore it.
    pub line_length: usize,
    /// The interface that the inserted calls follow.
    pub abi: Abi,
    /// What tells this compilation of the text from others that go into the same program (the
    /// compiler's options); it goes into names that must be unique.
    pub compilation: String,
    /// Constructs that get no events.
    pub disabled: ConstructSet,
    /// Constructs that take time stamps although they are only counted by default.
    pub enabled: ConstructSet,
    /// What becomes of calls of lock routines.
    pub locks: Locks,
    /// Whether the iterations of worksharing loops get events, from which chunks are made.
    pub loop_chunks: bool,
    /// Whether a parallel region gets a barrier of its own at its end, as in the text of the POMP
    /// paper (section 3.1), for libraries that cannot tell waiting there without one.
    pub end_barrier: bool,
    /// Whether inserted lines are followed by a marker that restores the user's line number.
    pub line_markers: bool,
    /// Whether the compiler takes the output for preprocessed (`.i`, `.ii`): then it knows `# 12`
    /// and pragma lines, and nothing else of the preprocessor. C and C++ only.
    pub preprocessed: bool,
    /// Folders of headers that are measured although the compiler takes them for the system's
    /// (`-isystem`), as line markers name them.
    pub own_folders: Vec<String>,
    /// User functions that get events; `None` for none.
    pub functions: Option<Functions>,
    /// Whether the directives are in effect. Without OpenMP they are comments, and only functions
    /// can be measured.
    pub openmp: bool,
}

impl Options {
    /// The usual options for a text of this language.
    pub fn new(path: &str, language: Language) -> Self {
        let line_length = if language == Language::FortranFixed { 72 } else { 132 };
        Self {
            path: path.to_owned(),
            language,
            line_length,
            abi: Abi::default(),
            compilation: String::new(),
            disabled: ConstructSet::default(),
            enabled: ConstructSet::default(),
            locks: Locks::Interpose,
            loop_chunks: false,
            end_barrier: false,
            line_markers: true,
            preprocessed: path.ends_with(".i") || path.ends_with(".ii"),
            own_folders: Vec::new(),
            functions: None,
            openmp: true,
        }
    }
}

/// The interface between instrumented code and a measurement library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Abi {
    /// The POMP paper's, with routines for what OpenMP got later (`pomp.h`).
    #[default]
    Pomp,
    /// That of OPARI2 ([`pomp2`]), for the tools that were written for it.
    Pomp2,
}

impl Abi {
    /// Whether it has events for a construct.
    pub(crate) fn knows(self, level: directives::Level) -> bool {
        self == Self::Pomp || pomp2::knows(level)
    }
}

impl Options {
    /// Whether calls of lock routines become calls of the library.
    pub(crate) fn rewrites_locks(&self) -> bool {
        self.locks == Locks::Rewrite && !self.disabled.contains("locks")
    }
}

/// What becomes of calls of the lock routines of OpenMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locks {
    /// They stay; the measurement library stands in for the routines.
    #[default]
    Interpose,
    /// They become calls of the POMP routines of the same name (POMP paper, section 3.2), for
    /// measurement libraries that cannot stand in.
    Rewrite,
}

/// The instrumented text and what there is to say about it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The output, ending with the record that [`undo`] reads. Equal to the input if there was
    /// nothing to instrument.
    pub text: Vec<u8>,
    /// One entry per descriptor; the region with number `n` in the text is `regions[n - 1]`.
    pub regions: Vec<Region>,
    /// Executable directives of the families that can be instrumented, and user-region directives.
    pub directives_found: usize,
    /// How many of them got events.
    pub directives_instrumented: usize,
    /// How many user functions got events.
    pub functions_instrumented: usize,
    /// What was left alone, and why.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Whether there are directives, or clauses of them, that only the preprocessed text shows.
    pub fn hides_directives(&self) -> bool {
        self.diagnostics.iter().any(|remark| {
            remark.severity == Severity::Hidden || remark.message.contains(clauses::UNKNOWN)
        })
    }
}

/// Instruments one source text.
///
/// # Errors
/// A text whose structure cannot be found (unbalanced braces, a missing END, preprocessor branches
/// that disagree) or that has been instrumented before.
pub fn instrument(source: &[u8], options: &Options) -> Result<Outcome, Error> {
    undo::refuse_second_time(source)?;
    if options.language.is_fortran() {
        fortran::instrument(source, options)
    } else {
        c::instrument(source, options)
    }
}

/// Restores the text that an output of [`instrument`] was made from. A text without a record was
/// never changed by us and is returned as it is.
///
/// # Errors
/// A record that is damaged or that does not belong to the text in front of it.
pub fn undo(output: &[u8]) -> Result<Vec<u8>, Error> {
    undo::undo(output)
}
