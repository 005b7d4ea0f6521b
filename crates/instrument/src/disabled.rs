//! The set of constructs that the user wants no events for (`--pomp-disable`).

use std::collections::BTreeSet;

/// Names that can be disabled. `sync` stands for the list in [`SYNC`].
const KNOWN: &[&str] = &[
    "atomic",
    "barrier",
    "critical",
    "flush",
    "for",
    "locks",
    "master",
    "ordered",
    "region",
    "sections",
    "single",
    "task",
    "taskwait",
    "workshare",
];

/// The synchronisation constructs that are short and frequent.
const SYNC: &[&str] = &["atomic", "critical", "flush", "locks", "master", "ordered", "single"];

/// Constructs that get no events. `do` is the same as `for`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disabled {
    names: BTreeSet<String>,
}

impl Disabled {
    /// Reads a list separated by commas.
    ///
    /// # Errors
    /// A name that is not known, with the list of those that are.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut disabled = Self::default();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "sync" => disabled.names.extend(SYNC.iter().map(ToString::to_string)),
                "do" => disabled.insert("for"),
                _ if KNOWN.contains(&name) => disabled.insert(name),
                _ => {
                    return Err(format!(
                        "`{name}` cannot be disabled; known: sync, {}",
                        KNOWN.join(", ")
                    ));
                }
            }
        }
        Ok(disabled)
    }

    fn insert(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    /// Whether this construct gets no events.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(if name == "do" { "for" } else { name })
    }
}

#[cfg(test)]
mod tests {
    use super::Disabled;

    #[test]
    fn sync_stands_for_the_short_ones() {
        let disabled = Disabled::parse("sync, do").unwrap();
        assert!(disabled.contains("atomic") && disabled.contains("locks"));
        assert!(disabled.contains("do") && disabled.contains("for"));
        assert!(!disabled.contains("barrier"));
        assert!(Disabled::parse("synch").unwrap_err().contains("`synch`"));
    }
}
