//! What a descriptor says in words, and the regions that follow from it: their kinds and names.

use pompeii_live::RegionKind;

use super::{InCode, Slot};
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
    /// Where the construct is, if its program was not instrumented: then there is no source yet.
    pub code: Option<InCode>,
}

impl Text {
    /// Whether a word of the clauses begins like this. Fortran may write it in any case.
    pub fn has_clause(&self, start: &str) -> bool {
        let mut words = self.clauses.iter().flat_map(|clauses| clauses.split(' '));
        let begins = |word: &str| word.get(..start.len()).map(str::to_ascii_lowercase);
        words.any(|word| begins(word).is_some_and(|begin| begin == start))
    }

    /// What tells the lock of a critical section from others: its name, or, if the program was not
    /// instrumented, `lock(PLACE)` among the clauses.
    pub fn lock(&self) -> &str {
        if self.name != "critical" {
            return "";
        }
        let mut words = self.clauses.iter().flat_map(|clauses| clauses.split(' '));
        words.find(|word| word.starts_with("lock(")).unwrap_or(&self.sub_name)
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
        let place = match &self.code {
            Some(code) => code.text(),
            None => format!("{file_name}:{begin}"),
        };
        let name = match (kind, self.sub_name.as_str()) {
            (RegionKind::User | RegionKind::Function, name) => name.to_owned(),
            (RegionKind::Critical | RegionKind::CriticalBody, name) if !name.is_empty() => {
                format!("!$omp {construct} ({name}) @{place}")
            }
            _ => format!("!$omp {construct} @{place}"),
        };
        let clauses = self.clauses.as_deref().unwrap_or_default();
        // The clauses are the construct's; a part of it has only the function around in common.
        let mut clauses = if slot.is_part() { function_word(clauses) } else { clauses }.to_owned();
        if kind == RegionKind::Target && openmp::finds_no_device() {
            clauses += if clauses.is_empty() { "on_host" } else { " on_host" };
        }
        RegionText { kind, name, file: self.file.clone(), lines: (begin, end), clauses }
    }

    /// What the slot's region is, and its name in the report (Score-P's words).
    fn kind(&self, slot: Slot) -> (RegionKind, &str) {
        use RegionKind as Kind;
        match slot {
            Slot::Barrier if self.name == "barrier" => (Kind::Barrier, "barrier"),
            Slot::User if self.has_clause("function") => (Kind::Function, ""),
            Slot::CancellationPoint => (Kind::Cancel, "cancellation point"),
            // What is combined with these has no events of its own: the name says all of it.
            Slot::Teams | Slot::Distribute | Slot::Target => (slot.kind(), &self.name),
            Slot::Body => self.body(),
            Slot::Worksharing => self.worksharing(),
            _ => named(slot.kind()),
        }
    }

    fn has_word(&self, word: &str) -> bool {
        self.name.split(' ').any(|part| part == word)
    }

    fn body(&self) -> (RegionKind, &'static str) {
        use RegionKind as Kind;
        named(match () {
            () if self.has_word("single") => Kind::SingleBody,
            () if self.has_word("critical") => Kind::CriticalBody,
            () if self.has_word("section") || self.has_word("sections") => Kind::Section,
            () => Kind::Master,
        })
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

/// A kind with the name of its regions; what has a name of its own has none here.
fn named(kind: RegionKind) -> (RegionKind, &'static str) {
    let names = kind.openmp().map(|role| role.names()).unwrap_or_default();
    (kind, names.first().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_regions() {
        let shown = |name: &str, slot: Slot| {
            let (sub_name, file) = (String::new(), "a.c".to_owned());
            let (name, clauses, code) = (name.into(), None, None);
            let text = Text { name, sub_name, file, begin: 3, end: 5, clauses, code };
            let region = text.region(slot);
            format!("{:?} {}", region.kind, region.name)
        };
        for (name, slot, expected) in [
            ("parallel do", Slot::Parallel, "Parallel !$omp parallel @a.c:3"),
            ("parallel do", Slot::Worksharing, "Loop !$omp do @a.c:3"),
            ("parallel do", Slot::Barrier, "ImplicitBarrier !$omp implicit barrier @a.c:5"),
            ("barrier", Slot::Barrier, "Barrier !$omp barrier @a.c:3"),
            ("atomic", Slot::Worksharing, "Atomic !$omp atomic @a.c:3"),
            ("single", Slot::Body, "SingleBody !$omp single sblock @a.c:3"),
            ("critical", Slot::Body, "CriticalBody !$omp critical sblock @a.c:3"),
            ("parallel sections", Slot::Body, "Section !$omp section @a.c:3"),
            ("master", Slot::Body, "Master !$omp master @a.c:3"),
            ("task", Slot::TaskCreate, "TaskCreate !$omp create task @a.c:3"),
            ("ordered", Slot::Source, "Ordered !$omp ordered @a.c:3"),
            ("ordered", Slot::OrderedBody, "OrderedBody !$omp ordered sblock @a.c:3"),
            ("loop", Slot::LoopConstruct, "LoopConstruct !$omp loop @a.c:3"),
            ("teams loop", Slot::Teams, "Teams !$omp teams loop @a.c:3"),
            ("taskgroup", Slot::TaskgroupEnd, "TaskgroupEnd !$omp taskgroup end @a.c:3"),
            ("cancel do", Slot::Cancel, "Cancel !$omp cancel @a.c:3"),
            ("", Slot::CancellationPoint, "Cancel !$omp cancellation point @a.c:3"),
            ("for", Slot::Chunk, "Chunk !$omp chunk @a.c:3"),
        ] {
            assert_eq!(shown(name, slot), expected);
        }
    }

    #[test]
    fn parts_are_in_the_function_of_their_construct() {
        let text = |clauses: &str| Text {
            name: "for".into(),
            sub_name: String::new(),
            file: "a.c".into(),
            begin: 3,
            end: 5,
            clauses: Some(clauses.into()),
            code: None,
        };
        let known = text("in(ns::f) schedule(static,2)");
        assert_eq!(known.region(Slot::Worksharing).clauses, "in(ns::f) schedule(static,2)");
        assert_eq!(known.region(Slot::Barrier).clauses, "in(ns::f)");
        assert_eq!(known.region(Slot::Barrier).name, "!$omp implicit barrier @a.c:5");
        assert_eq!(text("schedule(static,2)").region(Slot::Barrier).clauses, "");
    }
}
