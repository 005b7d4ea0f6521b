//! Call sites and callers: from the addresses that a process has noted to function, file and line.

use std::collections::HashMap;
use std::path::PathBuf;

use pompeii_live::{Definition, LiveProcess};
use pompeii_model::Region;
use pompeii_symbols::{Frame, Loaded, Symbols};

use crate::statements::Sources;

/// Gives the regions that stand for call sites the function and the line of the call, and those
/// whose callers are known their names.
pub fn resolve(live: &mut LiveProcess, symbols: &Symbols) {
    let mut objects: Vec<Loaded> = Vec::new();
    let mut sites: Vec<(u32, Frame)> = Vec::new();
    let mut sources = Sources::default();
    let mut stacks: HashMap<u32, Vec<Frame>> = HashMap::new();
    for definition in &live.definitions {
        match definition {
            Definition::Object { path, build_id, .. } => {
                objects.push(Loaded { path: PathBuf::from(path), build_id: bytes(build_id) })
            }
            Definition::CallSite { region, object, address } => {
                if let Some(loaded) = objects.get(*object as usize) {
                    let mut frame = caller(symbols.frames(loaded, *address));
                    frame.line = sources.first_line(&frame.file, frame.line);
                    sites.push((*region, frame));
                }
            }
            Definition::Caller { region, object, address } => {
                if let Some(loaded) = objects.get(*object as usize) {
                    let frames = symbols.frames(loaded, *address);
                    stacks.entry(*region).or_default().extend(frames);
                }
            }
            _ => {}
        }
    }
    sites.sort_by_key(|(region, _)| *region);
    for definition in &mut live.definitions {
        let Definition::Region { id, file, begin_line, end_line, clauses, .. } = definition else {
            continue;
        };
        if let Some(stack) = stacks.get(id) {
            let mut region = Region { clauses: std::mem::take(clauses), ..Region::artificial("") };
            region.call_from(&callers(stack));
            *clauses = region.clauses;
        }
        let Ok(at) = sites.binary_search_by_key(id, |(region, _)| *region) else { continue };
        let frame = &sites[at].1;
        let mut place = Region::artificial("");
        place.place_in(&frame.function);
        *clauses = place.clauses;
        file.clone_from(&frame.file);
        (*begin_line, *end_line) = (frame.line, frame.line);
    }
}

/// The innermost function that is none of a binding whose functions are inlined into the program.
fn caller(mut frames: Vec<Frame>) -> Frame {
    let is_binding = |frame: &Frame| {
        let prefixes = ["MPI::", "MPI_", "PMPI_", "boost::mpi::"];
        prefixes.iter().any(|prefix| frame.function.starts_with(prefix))
    };
    let at = frames.iter().position(|frame| !is_binding(frame)).unwrap_or(0);
    frames.swap_remove(at)
}

/// The names of the functions that have called the one whose construct is entered: the runtime's
/// own are at the begin, `main` and what starts it at the end.
fn callers(stack: &[Frame]) -> Vec<String> {
    let is_ours = |frame: &Frame| {
        let prefixes = ["POMP_", "POMP2_", "pomp::", "libpomp"];
        prefixes.iter().any(|prefix| frame.function.starts_with(prefix))
    };
    let is_main = |name: &&str| {
        let outermost = ["main", "MAIN__", "_start", "start_thread", "clone", "clone3"];
        outermost.contains(name) || name.starts_with("__libc_start")
    };
    let Some(ours) = stack.iter().rposition(is_ours) else { return Vec::new() };
    let mut names: Vec<String> = stack[ours + 1..]
        .iter()
        .skip(1)
        .map(|frame| frame.function.as_str())
        .take_while(|name| !is_main(name))
        .filter(|name| !name.contains("+0x"))
        .map(str::to_owned)
        .collect();
    names.dedup();
    names
}

/// Bytes that are written as hexadecimal digits; none where they are not.
pub fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_bindings_that_were_inlined_are_passed_over() {
        let frame = |function: &str| Frame { function: function.into(), file: "".into(), line: 1 };
        let frames = |names: &[&str]| names.iter().map(|name| frame(name)).collect::<Vec<_>>();
        let of = |names: &[&str]| caller(frames(names)).function;
        assert_eq!(of(&["MPI::Comm::Send", "halo", "main"]), "halo");
        assert_eq!(of(&["halo", "main"]), "halo");
        assert_eq!(of(&["MPI::Comm::Send"]), "MPI::Comm::Send");
    }

    #[test]
    fn callers_are_between_the_runtime_and_main() {
        let stack = |names: &str| {
            let frame = |name: &str| Frame { function: name.into(), file: "".into(), line: 0 };
            callers(&names.split(' ').map(frame).collect::<Vec<_>>()).join(" ")
        };
        let all = "libpomp.so+0x10 POMP_Parallel_fork flux step lib.so+0x1 solve solve main _start";
        assert_eq!(stack("pomp::team::fork pomp::fork_any flux step main"), "step");
        assert_eq!(stack(all), "step solve");
        assert_eq!(stack("POMP_Parallel_fork main __libc_start_main"), "");
        assert_eq!(stack("flux step main"), "");
    }

    #[test]
    fn build_ids_are_bytes_again() {
        assert_eq!(bytes("0aff"), [10, 255]);
        for damaged in ["", "0", "0g", "0aé", "aé"] {
            assert!(bytes(damaged).is_empty(), "{damaged}");
        }
    }
}
