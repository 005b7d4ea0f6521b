//! What makes a region that one and no other: its construct, its name and its place in the source.

use pompeii_live::RegionKind;

/// A region that is to be defined: everything that makes it one and not another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionText {
    /// Kind of construct.
    pub kind: RegionKind,
    /// Display name.
    pub name: String,
    /// Source file.
    pub file: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// How it runs; says nothing about which region it is.
    pub clauses: String,
}

impl RegionText {
    /// A region that is nowhere in the source.
    pub fn without_source(kind: RegionKind, name: &str) -> Self {
        let (name, file, clauses) = (name.to_owned(), String::new(), String::new());
        Self { kind, name, file, lines: (0, 0), clauses }
    }

    /// Says which schedule a loop with `schedule(runtime)` has.
    pub fn run_with(&mut self, schedule: &str) {
        if !self.clauses.is_empty() {
            self.clauses.push(' ');
        }
        self.clauses.extend(["runs(", schedule, ")"]);
    }
}
