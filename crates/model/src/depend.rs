//! `depend` clauses in a trace: each item of a clause is an attribute of the record that creates
//! the task, or enters the taskwait. The attribute says of which kind the item is, and its value is
//! the address of the item.
//! OTF2 allows an attribute once per record, so there is one per kind and place of the item.

/// How a task uses an item of a `depend` clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependKind {
    /// `in`.
    In,
    /// `out` and `inout`, which order tasks in the same way.
    Out,
    /// `mutexinoutset`: tasks in any order, one at a time.
    Mutex,
    /// `inoutset`: tasks in any order, also at the same time.
    Set,
}

/// Items of a task that have their addresses in its record. The record of a task with more items
/// says how many are missing.
pub const DEPEND_ITEMS_MAX: usize = 63;

/// Name of the attribute with the number of items of a task whose addresses are not known.
pub const DEPEND_UNKNOWN: &str = "depend: items without an address";

impl DependKind {
    /// All kinds; the place of a kind is its number.
    pub const ALL: [DependKind; 4] =
        [DependKind::In, DependKind::Out, DependKind::Mutex, DependKind::Set];

    /// The word of OpenMP.
    fn word(self) -> &'static str {
        match self {
            DependKind::In => "in",
            DependKind::Out => "inout",
            DependKind::Mutex => "mutexinoutset",
            DependKind::Set => "inoutset",
        }
    }

    /// Name of the attribute of an item at a place, from 1 on.
    pub fn attribute(self, place: usize) -> String {
        format!("depend({}) {place}", self.word())
    }

    /// The kind of the items of an attribute; `None` if the attribute is another one.
    pub fn of_attribute(name: &str) -> Option<DependKind> {
        let (word, place) = name.strip_prefix("depend(")?.split_once(") ")?;
        let kind = DependKind::ALL.into_iter().find(|kind| kind.word() == word);
        kind.filter(|_| place.parse::<usize>().is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attributes_say_the_kind() {
        for kind in DependKind::ALL {
            assert_eq!(DependKind::of_attribute(&kind.attribute(12)), Some(kind));
        }
        assert_eq!(DependKind::Out.attribute(1), "depend(inout) 1");
        for other in ["depend(in)", "depend(out) 1", "depend(in) x", DEPEND_UNKNOWN] {
            assert_eq!(DependKind::of_attribute(other), None, "{other}");
        }
    }
}
