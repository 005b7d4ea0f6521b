//! What a descriptor says in words, and the regions that follow from it: their kinds and names.

use pompeii_live::RegionKind;

use super::Slot;
use crate::definitions::RegionText;
use crate::openmp;

/// A descriptor's content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    pub name: String,
    pub sub_name: String,
    pub file: String,
    pub begin: u32,
    pub end: u32,
    /// See [`Extension::clauses`]; `None` in foreign code.
    pub clauses: Option<String>,
}

impl Text {
    /// Whether a word of the clauses begins like this. Fortran may write it in any case.
    pub fn has_clause(&self, start: &str) -> bool {
        let mut words = self.clauses.iter().flat_map(|clauses| clauses.split(' '));
        let begins = |word: &str| word.get(..start.len()).map(str::to_ascii_lowercase);
        words.any(|word| begins(word).is_some_and(|begin| begin == start))
    }

    /// Whether the loop has the schedule `runtime`.
    pub fn has_runtime_schedule(&self) -> bool {
        let clauses = self.clauses.as_deref().unwrap_or_default().to_ascii_lowercase();
        clauses.split(' ').any(|word| word.starts_with("schedule(") && word.contains("runtime"))
    }

    /// The region that the slot stands for.
    pub fn region(&self, slot: Slot) -> RegionText {
        let (kind, construct) = self.kind(slot);
        let file_name = self.file.rsplit('/').next().unwrap_or("");
        let barrier = kind == RegionKind::ImplicitBarrier;
        let begin = if barrier { self.end } else { self.begin };
        let end = if kind == RegionKind::Barrier { self.begin } else { self.end };
        let name = match (kind, self.sub_name.as_str()) {
            (RegionKind::User | RegionKind::Function, name) => name.to_owned(),
            (RegionKind::Critical | RegionKind::CriticalBody, name) if !name.is_empty() => {
                format!("!$omp {construct} ({name}) @{file_name}:{begin}")
            }
            _ => format!("!$omp {construct} @{file_name}:{begin}"),
        };
        let clauses = self.clauses.as_deref().unwrap_or_default();
        // The clauses are the construct's; a part of it has only the function around in common.
        let mut clauses = if is_part(slot) { function_word(clauses) } else { clauses }.to_owned();
        if kind == RegionKind::Target && openmp::finds_no_device() {
            clauses += if clauses.is_empty() { "on_host" } else { " on_host" };
        }
        RegionText { kind, name, file: self.file.clone(), lines: (begin, end), clauses }
    }

    /// What the slot's region is, and its name in the report (Score-P's words).
    fn kind(&self, slot: Slot) -> (RegionKind, &str) {
        use RegionKind as Kind;
        match slot {
            Slot::Parallel => (Kind::Parallel, "parallel"),
            Slot::Barrier if self.name == "barrier" => (Kind::Barrier, "barrier"),
            Slot::Barrier => (Kind::ImplicitBarrier, "implicit barrier"),
            Slot::TaskCreate => (Kind::TaskCreate, "create task"),
            Slot::Task => (Kind::Task, "task"),
            Slot::Taskwait => (Kind::Taskwait, "taskwait"),
            Slot::User if self.has_clause("function") => (Kind::Function, ""),
            Slot::User => (Kind::User, ""),
            Slot::Ordered | Slot::Source => (Kind::Ordered, "ordered"),
            Slot::OrderedBody => (Kind::OrderedBody, "ordered sblock"),
            Slot::Flush => (Kind::Flush, "flush"),
            Slot::Masked => (Kind::Masked, "masked"),
            Slot::Scope => (Kind::Scope, "scope"),
            Slot::LoopConstruct => (Kind::LoopConstruct, "loop"),
            // What is combined with these has no events of its own: the name says all of it.
            Slot::Teams => (Kind::Teams, &self.name),
            Slot::Distribute => (Kind::Distribute, &self.name),
            Slot::Target => (Kind::Target, &self.name),
            Slot::Taskgroup => (Kind::Taskgroup, "taskgroup"),
            Slot::TaskgroupEnd => (Kind::TaskgroupEnd, "taskgroup end"),
            Slot::Taskyield => (Kind::Taskyield, "taskyield"),
            Slot::Taskloop => (Kind::Taskloop, "taskloop"),
            Slot::Cancel => (Kind::Cancel, "cancel"),
            Slot::CancellationPoint => (Kind::Cancel, "cancellation point"),
            Slot::Chunk => (Kind::Chunk, "chunk"),
            Slot::Body => self.body(),
            Slot::Worksharing => self.worksharing(),
        }
    }

    fn has_word(&self, word: &str) -> bool {
        self.name.split(' ').any(|part| part == word)
    }

    fn body(&self) -> (RegionKind, &'static str) {
        use RegionKind as Kind;
        match () {
            () if self.has_word("single") => (Kind::SingleBody, "single sblock"),
            () if self.has_word("critical") => (Kind::CriticalBody, "critical sblock"),
            () if self.has_word("section") || self.has_word("sections") => {
                (Kind::Section, "section")
            }
            () => (Kind::Master, "master"),
        }
    }

    fn worksharing(&self) -> (RegionKind, &'static str) {
        use RegionKind as Kind;
        let kinds = [
            ("for", Kind::Loop),
            ("do", Kind::Loop),
            ("sections", Kind::Sections),
            ("workshare", Kind::Workshare),
            ("single", Kind::Single),
            ("critical", Kind::Critical),
        ];
        let known = kinds.into_iter().find(|(word, _)| self.has_word(word));
        known.map_or((Kind::Atomic, "atomic"), |(word, kind)| (kind, word))
    }
}

/// The first word of the clauses, if it names the function around the construct.
fn function_word(clauses: &str) -> &str {
    let first = clauses.split(' ').next().unwrap_or_default();
    if first.starts_with("in(") { first } else { "" }
}

/// Whether the slot's region is a part of a construct that has one of its own.
fn is_part(slot: Slot) -> bool {
    use Slot::{Barrier, Body, Chunk, OrderedBody, Task, TaskgroupEnd};
    matches!(slot, Barrier | Body | Chunk | OrderedBody | Task | TaskgroupEnd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_the_function_of_their_construct() {
        let text = |clauses: &str| Text {
            name: "for".into(),
            sub_name: String::new(),
            file: "a.c".into(),
            begin: 3,
            end: 5,
            clauses: Some(clauses.into()),
        };
        let known = text("in(ns::f) schedule(static,2)");
        assert_eq!(known.region(Slot::Worksharing).clauses, "in(ns::f) schedule(static,2)");
        assert_eq!(known.region(Slot::Barrier).clauses, "in(ns::f)");
        assert_eq!(known.region(Slot::Barrier).name, "!$omp implicit barrier @a.c:5");
        assert_eq!(text("schedule(static,2)").region(Slot::Barrier).clauses, "");
    }
}
