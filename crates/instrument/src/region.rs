//! A region: exactly what one descriptor carries.

/// Says of a task that its clauses may make it undeferred. Any other task that its creator executes
/// at once was deferrable, and the OpenMP runtime chose to: the measurement treats it as deferred.
pub const CONDITIONAL: &str = "if";

/// One instrumented construct or user region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The words of the directive with one blank between, lower case: `parallel for`. User regions
    /// are called `region`.
    pub name: String,
    /// The name of a critical or user region; [`CONDITIONAL`] for a task with an `if` or `final`
    /// clause; else empty.
    pub sub_name: String,
    /// Number of sections of a `sections` construct, else 0.
    pub sections: u32,
    /// First and last line of the opening directive, 1-based.
    pub begin: (u32, u32),
    /// First and last line of the END directive (Fortran), or the last line of the body twice (C).
    pub end: (u32, u32),
    /// The file, where a line marker of the source says another one than [`crate::Options::path`].
    pub file: Option<String>,
}

impl Region {
    /// A region without name of its own or sections.
    pub fn new(name: &str, begin: (u32, u32), end: (u32, u32)) -> Self {
        let (name, sub_name) = (name.to_owned(), String::new());
        Self { name, sub_name, sections: 0, begin, end, file: None }
    }
}
