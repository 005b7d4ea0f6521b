//! Arrows inside the runtime go one way: the modules that translate an API, its adapters, use the
//! core and not each other, and the core uses none of them. So an adapter can be added, or left
//! out, without a change of what measures.

use super::Complaint;
use super::style::test_start;

const RUNTIME: &str = "crates/runtime/src/";
/// Modules that translate an API. To add one: its name here; `entry.rs` says what it does first.
const ADAPTERS: [&str; 7] = ["pomp", "pomp2", "mpi", "gomp", "ompt", "io", "pthreads"];

/// Complaints about one file; `is_test`: it is compiled for tests only.
pub(super) fn check(file: &str, text: &str, is_test: bool) -> Vec<Complaint> {
    let Some(module) = file.strip_prefix(RUNTIME) else { return Vec::new() };
    let name = module.split(['/', '.']).next().unwrap_or("");
    // The crate's own file only lists its modules.
    if is_test || name == "lib" {
        return Vec::new();
    }
    let code = text.lines().enumerate().take(test_start(text));
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    let uses = code.filter_map(|(number, line)| Some((number, adapter_in(line, name)?)));
    let complaint = |(number, adapter): (usize, &str)| Complaint {
        file: file.to_owned(),
        line: number + 1,
        what: format!("uses `{adapter}`: only adapters use the core, and nothing uses an adapter"),
    };
    uses.map(complaint).collect()
}

/// The adapter that a line of the module `own` names by its path, if it is another one.
fn adapter_in(line: &str, own: &str) -> Option<&'static str> {
    let paths = line.split("crate::").skip(1);
    let adapter = |name| ADAPTERS.into_iter().find(|&known| known == name && known != own);
    paths.flat_map(first_names).find_map(adapter)
}

/// The first name of each path: one, or those between braces.
fn first_names(path: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let end = |path: &str| path.find(|c: char| !is_name(c)).unwrap_or(path.len());
    match path.strip_prefix('{') {
        Some(group) => group.split(',').map(str::trim_start).map(|of| &of[..end(of)]).collect(),
        None => vec![&path[..end(path)]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(file: &str, text: &str) -> Vec<usize> {
        check(file, text, false).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn the_core_may_not_use_adapters() {
        let text = "//! Of [`crate::mpi`].\nuse crate::mpi::Begun;\nuse crate::{clock, pomp2};\n\
                    use crate::pompous;\nuse crate::{mpis, tls};\nlet x = crate::pomp::ready();\n\
                    #[cfg(test)]\nuse crate::mpi;\n";
        assert_eq!(lines("crates/runtime/src/locks.rs", text), [2_usize, 3, 6]);
        assert_eq!(lines("crates/runtime/src/fast/tasks.rs", text), [2_usize, 3, 6]);
        assert!(lines("crates/finish/src/run.rs", text).is_empty());
        assert!(check("crates/runtime/src/script/polls.rs", text, true).is_empty());
    }

    #[test]
    fn an_adapter_may_use_itself_and_no_other_one() {
        let text = "use crate::gomp::call;\nuse crate::{ways, tls};\nuse crate::pomp::ready;\n";
        assert_eq!(lines("crates/runtime/src/gomp/task.rs", text), [3_usize]);
        assert_eq!(lines("crates/runtime/src/pomp.rs", text), [1_usize]);
    }
}
