//! A region: exactly what one descriptor carries.

use crate::Abi;
use crate::clauses::push_without_blanks;

/// One instrumented construct, user function or user region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The words of the directive with one blank between, lower case: `parallel for`. User regions
    /// and functions are called `region`.
    pub name: String,
    /// The name of a critical, user region or function; else empty.
    pub sub_name: String,
    /// Number of sections of a `sections` construct, else 0.
    pub sections: u32,
    /// First and last line of the opening directive, 1-based.
    pub begin: (u32, u32),
    /// First and last line of the END directive (Fortran), or the last line of the body twice (C).
    pub end: (u32, u32),
    /// How it runs: the clauses that say so, in one line as they were written, and our own words
    /// [`TIMED`], [`CALLS`], [`FUNCTION`], [`BARRIER_INCLUDED`] and [`RESULTS_USED`]; one blank
    /// between. Answers an open issue of the POMP paper (section 3.10). The function around comes
    /// first, see [`Region::describe`].
    pub clauses: String,
    /// The file, where a line marker of the source says another one than [`crate::Options::path`].
    pub file: Option<String>,
}

/// Says that an atomic or a flush takes time stamps.
pub const TIMED: &str = "timed";

/// Says that the statement of an atomic calls a function: its time is not that of the update.
pub const CALLS: &str = "calls";

/// Says that a user region is a function.
pub const FUNCTION: &str = "function";

/// Says that a construct keeps its implicit barrier, so that its own time has waiting in it.
pub const BARRIER_INCLUDED: &str = "barrier_included";

/// Says that other code of the parallel region uses what the construct stores, so that its barrier
/// is needed.
pub const RESULTS_USED: &str = "results_used";

/// For the word of the function around, and one of ours.
const ROOM_BYTES: usize = 24;

impl Region {
    /// A region without name of its own, sections or clauses.
    pub fn new(name: impl Into<String>, begin: (u32, u32), end: (u32, u32)) -> Self {
        let (name, sub_name, clauses) = (name.into(), String::new(), String::new());
        Self { name, sub_name, sections: 0, begin, end, clauses, file: None }
    }

    /// The first words of its clauses: the function around the construct as `in(NAME)`, and how the
    /// construct runs. Context strings of POMP2 have no room for the function.
    pub fn describe(&mut self, function: &str, description: &str, abi: Abi) {
        let words = &mut self.clauses;
        words.clear();
        words.reserve(function.len() + description.len() + ROOM_BYTES);
        if !function.is_empty() && abi == Abi::Pomp {
            words.push_str("in(");
            push_without_blanks(words, function);
            words.push(')');
        }
        if !description.is_empty() {
            self.add_clause(description);
        }
    }

    /// Says that it keeps its implicit barrier.
    pub fn include_barrier(&mut self) {
        if !self.clauses.ends_with(BARRIER_INCLUDED) {
            self.add_clause(BARRIER_INCLUDED);
        }
    }

    /// Adds a word to the clauses.
    pub fn add_clause(&mut self, word: &str) {
        if !self.clauses.is_empty() {
            self.clauses.push(' ');
        }
        self.clauses.push_str(word);
    }
}
