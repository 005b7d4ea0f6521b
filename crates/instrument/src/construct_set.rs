//! Sets of constructs by name: those that get no events (`--pomp-disable`), and those whose events
//! take time stamps although they are only counted by default (`--pomp-enable`).

use std::collections::BTreeSet;

use crate::directives::{ROWS, Row, Trait};

/// What can be disabled and is no construct: lock routines, and user regions.
const LOCKS: &str = "locks";
const REGION: &str = "region";

/// The names of these constructs.
fn switches(wanted: impl Fn(&Row) -> bool) -> BTreeSet<&'static str> {
    let rows = ROWS.iter().filter(|row| !row.switch.is_empty() && wanted(row));
    rows.map(|row| row.switch).collect()
}

/// Names that can be disabled.
fn known() -> BTreeSet<&'static str> {
    let mut names = switches(|_| true);
    names.extend([LOCKS, REGION]);
    names
}

/// What `sync` stands for: all that synchronises, and is short and frequent.
fn sync() -> BTreeSet<&'static str> {
    let mut names = switches(|row| row.has(Trait::Sync));
    names.insert(LOCKS);
    names
}

/// What `extensions` stands for: constructs for which the POMP paper has no routines, so that a
/// library which has no others can be linked.
fn extensions() -> BTreeSet<&'static str> {
    switches(|row| !row.has(Trait::Paper))
}

/// Constructs that are counted, not timed, unless the user asks for more.
fn counted() -> BTreeSet<&'static str> {
    switches(|row| row.has(Trait::Counted))
}

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
                "sync" => sync().into_iter().for_each(|name| set.insert(name)),
                "extensions" => extensions().into_iter().for_each(|name| set.insert(name)),
                "do" => set.insert("for"),
                _ if known().contains(name) => set.insert(name),
                _ => return Err(refused(name, "disabled", &["sync", "extensions"], &known())),
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
            if !counted().contains(name) {
                return Err(refused(name, "enabled", &[], &counted()));
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

fn refused(name: &str, what: &str, special: &[&str], known: &BTreeSet<&str>) -> String {
    let known: Vec<&str> = special.iter().chain(known).copied().collect();
    format!("`{name}` cannot be {what}; known: {}", known.join(", "))
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
        let refused = ConstructSet::disabled("synch").unwrap_err();
        assert_eq!(
            refused,
            "`synch` cannot be disabled; known: sync, extensions, atomic, barrier, cancel, \
             critical, distribute, flush, for, locks, loop, masked, master, ordered, region, \
             scope, sections, single, target, task, taskgroup, taskloop, taskwait, taskyield, \
             teams, workshare"
        );
    }

    #[test]
    fn the_lists_of_sync_and_extensions() {
        let names = |list: &str| {
            let set = ConstructSet::disabled(list).unwrap();
            set.names.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("sync"), "atomic critical flush locks masked master ordered single");
        assert_eq!(
            names("extensions"),
            "cancel distribute flush loop masked ordered scope target task taskgroup taskloop \
             taskwait taskyield teams"
        );
    }

    #[test]
    fn only_what_is_counted_can_be_timed() {
        assert!(ConstructSet::enabled("flush,atomic").unwrap().contains("flush"));
        let refused = ConstructSet::enabled("barrier").unwrap_err();
        assert_eq!(refused, "`barrier` cannot be enabled; known: atomic, flush");
    }
}
