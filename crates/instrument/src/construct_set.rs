//! Sets of constructs by name: those that get no events (`--pomp-disable`), and those whose events
//! take time stamps although they are only counted by default (`--pomp-enable`).

use std::collections::BTreeSet;

/// Names that can be disabled. `sync` stands for the list in [`SYNC`], `extensions` for that in
/// [`EXTENSIONS`].
const KNOWN: &[&str] = &[
    "atomic",
    "barrier",
    "cancel",
    "critical",
    "distribute",
    "flush",
    "for",
    "locks",
    "loop",
    "masked",
    "master",
    "ordered",
    "region",
    "scope",
    "sections",
    "single",
    "target",
    "task",
    "taskgroup",
    "taskloop",
    "taskwait",
    "taskyield",
    "teams",
    "workshare",
];

/// The synchronisation constructs that are short and frequent.
const SYNC: &[&str] =
    &["atomic", "critical", "flush", "locks", "masked", "master", "ordered", "single"];

/// The constructs for which the POMP paper has no routines (Table 3), so that a library which has
/// no others can be linked.
const EXTENSIONS: &[&str] = &[
    "cancel",
    "distribute",
    "flush",
    "loop",
    "masked",
    "ordered",
    "scope",
    "target",
    "task",
    "taskgroup",
    "taskloop",
    "taskwait",
    "taskyield",
    "teams",
];

/// Constructs that are counted, not timed, unless the user asks for more.
const COUNTED: &[&str] = &["atomic", "flush"];

/// A set of constructs. `do` is the same as `for`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstructSet {
    names: BTreeSet<String>,
}

impl ConstructSet {
    /// Reads the list of what gets no events, separated by commas.
    ///
    /// # Errors
    /// A name that is not known, with the list of those that are.
    pub fn disabled(list: &str) -> Result<Self, String> {
        let mut set = Self::default();
        for name in names(list) {
            match name {
                "sync" => set.names.extend(SYNC.iter().map(ToString::to_string)),
                "extensions" => set.names.extend(EXTENSIONS.iter().map(ToString::to_string)),
                "do" => set.insert("for"),
                _ if KNOWN.contains(&name) => set.insert(name),
                _ => return Err(refused(name, "disabled", &["sync", "extensions"], KNOWN)),
            }
        }
        Ok(set)
    }

    /// Reads the list of what is timed although it is only counted by default.
    ///
    /// # Errors
    /// A name that is not one of those.
    pub fn enabled(list: &str) -> Result<Self, String> {
        let mut set = Self::default();
        for name in names(list) {
            if !COUNTED.contains(&name) {
                return Err(refused(name, "enabled", &[], COUNTED));
            }
            set.insert(name);
        }
        Ok(set)
    }

    fn insert(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    /// Whether this construct is in the set.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(if name == "do" { "for" } else { name })
    }
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

fn refused(name: &str, what: &str, special: &[&str], known: &[&str]) -> String {
    format!("`{name}` cannot be {what}; known: {}", [special, known].concat().join(", "))
}

#[cfg(test)]
mod tests {
    use super::ConstructSet;

    #[test]
    fn sync_stands_for_the_short_ones() {
        let set = ConstructSet::disabled("sync, do").unwrap();
        assert!(set.contains("atomic") && set.contains("locks"));
        assert!(set.contains("do") && set.contains("for"));
        assert!(!set.contains("barrier"));
        assert!(ConstructSet::disabled("synch").unwrap_err().contains("`synch`"));
    }

    #[test]
    fn only_what_is_counted_can_be_timed() {
        assert!(ConstructSet::enabled("flush,atomic").unwrap().contains("flush"));
        let refused = ConstructSet::enabled("barrier").unwrap_err();
        assert_eq!(refused, "`barrier` cannot be enabled; known: atomic, flush");
    }
}
