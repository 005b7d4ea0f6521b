//! Names of critical sections in programs that were not instrumented. In such a program, all
//! critical sections of one name have one lock, which is a variable: the runtime says where it is,
//! `lock(FILE+0x4040)` among the clauses, and compilers make the name a part of its symbol.

use std::collections::HashMap;

use pompeii_live::{Definition, RegionKind};
use pompeii_symbols::{Loaded, variables};

/// Begins the symbols of such variables, of gcc and of clang.
const SYMBOL: &str = ".gomp_critical_user_";
/// Ends those of clang.
const END: &str = ".var";

/// Where a construct is: the id of a loaded file and an address in it.
type Place = (u32, u64);

/// Gives critical sections, and their bodies, their names. `objects` are the loaded files by their
/// ids.
pub fn resolve(definitions: &mut [Definition], objects: &[Loaded]) {
    let mut places: HashMap<u32, Place> = HashMap::new();
    let mut locks: Vec<(u32, String, u64)> = Vec::new();
    for definition in definitions.iter() {
        match definition {
            Definition::Construct { region, object, address, .. } => {
                places.insert(*region, (*object, *address));
            }
            Definition::Region { id, kind: RegionKind::Critical, clauses, .. } => {
                if let Some((file, address)) = clauses.split(' ').find_map(lock) {
                    locks.push((*id, file.to_owned(), address));
                }
            }
            _ => {}
        }
    }
    let names = names(&locks, &places, objects);
    if names.is_empty() {
        return;
    }
    for definition in definitions {
        let Definition::Region { id, kind, name, clauses, .. } = definition else { continue };
        let is_critical = matches!(kind, RegionKind::Critical | RegionKind::CriticalBody);
        let named = places.get(id).and_then(|place| names.get(place)).filter(|_| is_critical);
        if let Some(named) = named {
            *name = with_name(name, named);
            *clauses = without_lock(clauses);
        }
    }
}

/// The names of critical sections by their places; empty for those that have none in the source.
fn names(
    locks: &[(u32, String, u64)],
    places: &HashMap<u32, Place>,
    objects: &[Loaded],
) -> HashMap<Place, String> {
    let mut names = HashMap::new();
    for loaded in objects {
        // A word has no blanks.
        let file_name = loaded.path.file_name().unwrap_or_default().to_string_lossy();
        let file_name = file_name.replace(' ', "_");
        let here: Vec<&(u32, String, u64)> =
            locks.iter().filter(|(_, file, _)| *file == file_name).collect();
        if here.is_empty() {
            continue;
        }
        let addresses: Vec<u64> = here.iter().map(|(.., address)| *address).collect();
        for ((region, ..), symbol) in here.into_iter().zip(variables(loaded, &addresses)) {
            let name = symbol.as_deref().and_then(name_of);
            if let (Some(place), Some(name)) = (places.get(region), name) {
                names.insert(*place, name.to_owned());
            }
        }
    }
    names
}

/// File and address of a lock that a word among clauses names.
fn lock(word: &str) -> Option<(&str, u64)> {
    let (file, address) = word.strip_prefix("lock(")?.strip_suffix(')')?.rsplit_once("+0x")?;
    Some((file, u64::from_str_radix(address, 16).ok()?))
}

/// The name of a critical section by the symbol of its lock.
fn name_of(symbol: &str) -> Option<&str> {
    let name = symbol.strip_prefix(SYMBOL)?;
    Some(name.strip_suffix(END).unwrap_or(name))
}

/// The name of the region with that of the critical section.
fn with_name(region: &str, name: &str) -> String {
    match region.rsplit_once(" @").filter(|_| !name.is_empty()) {
        Some((construct, place)) => format!("{construct} ({name}) @{place}"),
        None => region.to_owned(),
    }
}

fn without_lock(clauses: &str) -> String {
    let words = clauses.split(' ').filter(|word| lock(word).is_none());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_symbols_lead_to_names() {
        assert_eq!(lock("lock(a.out+0x4040)"), Some(("a.out", 0x4040)));
        assert_eq!(lock("lock(a+0x1+0x10)"), Some(("a+0x1", 0x10)));
        for word in ["lock(a.out)", "lock(a+0xzz)", "hint(2)", "lock(a+0x10"] {
            assert_eq!(lock(word), None, "{word}");
        }
        assert_eq!(name_of(".gomp_critical_user_second"), Some("second"));
        assert_eq!(name_of(".gomp_critical_user_second.var"), Some("second"));
        assert_eq!(name_of(".gomp_critical_user_.var"), Some(""));
        assert_eq!(name_of("sum"), None);
    }

    #[test]
    fn regions_have_the_name_in_front_of_the_place() {
        let region = "!$omp critical sblock @a.c:7";
        assert_eq!(with_name(region, "second"), "!$omp critical sblock (second) @a.c:7");
        assert_eq!(with_name(region, ""), region);
        assert_eq!(without_lock("in(f) lock(a.out+0x4040)"), "in(f)");
        assert_eq!(without_lock("lock(a.out+0x4040)"), "");
    }

    /// The file is gone, so the place of the lock stays.
    #[test]
    fn without_symbols_the_region_stays_as_it_is() {
        let region = Definition::Region {
            id: 0,
            kind: RegionKind::Critical,
            begin_line: 0,
            end_line: 0,
            name: "!$omp critical @gone.so+0x40".into(),
            file: String::new(),
            clauses: "lock(gone.so+0x80)".into(),
        };
        let place =
            Definition::Construct { region: 0, object: 0, address: 0x40, is_function: false };
        let mut definitions = [region.clone(), place];
        resolve(&mut definitions, &[Loaded { path: "/gone.so".into(), build_id: vec![1] }]);
        assert_eq!(definitions[0], region);
    }
}
