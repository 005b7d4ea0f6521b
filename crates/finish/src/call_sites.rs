//! Places in the code: from the addresses that a process has noted to function, file and line. They
//! are call sites of routines, constructs of programs that were not instrumented, and callers.

use std::collections::HashMap;
use std::path::PathBuf;

use pompeii_live::{Definition, LiveProcess, RegionKind};
use pompeii_model::Region;
use pompeii_symbols::{Frame, Loaded, Symbols, first_lines};

use crate::statements::Sources;
use crate::{copies, created_threads, critical_names};

/// A place in the code that makes a region.
struct Place {
    region: u32,
    frame: Frame,
    /// It is a construct of a program that was not instrumented; otherwise a call of a routine.
    is_construct: bool,
}

/// The function of a construct, which is the place of this index.
struct Function {
    place: usize,
    object: u32,
    address: u64,
}

/// What a process has noted of places in the code.
#[derive(Default)]
struct Places {
    objects: Vec<Loaded>,
    found: Vec<Place>,
    /// The calls that were under way when a region was entered for the first time.
    stacks: HashMap<u32, Vec<Frame>>,
}

/// Gives the regions that stand for call sites the function and the line of the call, those of
/// constructs that are known by an address their source, and those whose callers are known their
/// names.
pub fn resolve(live: &mut LiveProcess, symbols: &Symbols) {
    let objects = name_places(&mut live.definitions, symbols);
    critical_names::resolve(&mut live.definitions, &objects);
    // Last, because all that tells constructs apart must be known.
    copies::join(&mut live.definitions);
}

/// Returns the loaded files.
fn name_places(definitions: &mut [Definition], symbols: &Symbols) -> Vec<Loaded> {
    let places = Places::of(definitions, symbols);
    for definition in definitions {
        let Definition::Region { id, kind, name, file, begin_line, end_line, clauses } = definition
        else {
            continue;
        };
        let mut region = Region { clauses: std::mem::take(clauses), ..Region::artificial("") };
        if let Some(stack) = places.stacks.get(id) {
            region.call_from(&callers(stack));
        }
        if let Some(Place { frame, is_construct, .. }) = places.at(*id) {
            if *kind == RegionKind::ThreadStart {
                let start = created_threads::start(frame);
                (*name, *file) = (start.function, start.file);
                (*begin_line, *end_line) = (start.line, start.line);
                continue;
            }
            if *is_construct {
                *name = construct_at(name, frame);
                if matches!(kind, RegionKind::Task | RegionKind::TaskCreate) {
                    region.clauses = without_conditions(&region.clauses);
                }
            }
            region.place_in(&frame.function);
            file.clone_from(&frame.file);
            (*begin_line, *end_line) = (frame.line, frame.line);
        }
        *clauses = region.clauses;
    }
    places.objects
}

impl Places {
    fn of(definitions: &[Definition], symbols: &Symbols) -> Self {
        let mut places = Self::default();
        let mut sources = Sources::default();
        let mut functions: Vec<Function> = Vec::new();
        for definition in definitions {
            match definition {
                Definition::Object { path, build_id, .. } => {
                    let (path, build_id) = (PathBuf::from(path), bytes(build_id));
                    places.objects.push(Loaded { path, build_id });
                }
                Definition::CallSite { region, object, address } => {
                    if let Some(loaded) = places.objects.get(*object as usize) {
                        let mut frame = caller(symbols.frames(loaded, *address));
                        frame.line = sources.first_line(&frame.file, frame.line);
                        places.found.push(Place { region: *region, frame, is_construct: false });
                    }
                }
                &Definition::Construct { region, object, address, is_function } => {
                    if let Some(loaded) = places.objects.get(object as usize) {
                        let mut frames = symbols.frames(loaded, address);
                        // What was inlined at a call is where the construct is written, and what
                        // was inlined into a body is not.
                        let at = if is_function { frames.len() - 1 } else { written_at(&frames) };
                        let has_line = is_wrapper(&frames);
                        let frame = frames.swap_remove(at);
                        if is_function && !has_line {
                            functions.push(Function { place: places.found.len(), object, address });
                        }
                        places.found.push(Place { region, frame, is_construct: true });
                    }
                }
                Definition::Caller { region, object, address } => {
                    if let Some(loaded) = places.objects.get(*object as usize) {
                        let frames = symbols.frames(loaded, *address);
                        places.stacks.entry(*region).or_default().extend(frames);
                    }
                }
                _ => {}
            }
        }
        places.begin_in_first_lines(&functions);
        places.found.sort_by_key(|place| place.region);
        places
    }

    /// The line of a function that the compiler has made of a body is that of the construct.
    fn begin_in_first_lines(&mut self, functions: &[Function]) {
        for (id, loaded) in (0..).zip(&self.objects) {
            let here = || functions.iter().filter(|function| function.object == id);
            let addresses: Vec<u64> = here().map(|function| function.address).collect();
            if addresses.is_empty() {
                continue;
            }
            let lines = first_lines(loaded, &addresses);
            for function in here() {
                if let Some(&line) = lines.get(&function.address) {
                    self.found[function.place].frame.line = line;
                }
            }
        }
    }

    fn at(&self, region: u32) -> Option<&Place> {
        let at = self.found.binary_search_by_key(&region, |place| place.region).ok()?;
        self.found.get(at)
    }
}

/// The name of a construct with the line of its source in place of the address. Without a line it
/// keeps the address, with which a later look-up can find one.
fn construct_at(name: &str, frame: &Frame) -> String {
    let Some((construct, _)) = name.rsplit_once(" @").filter(|_| frame.line > 0) else {
        return name.to_owned();
    };
    let file_name = frame.file.rsplit('/').next().unwrap_or_default();
    format!("{construct} @{file_name}:{}", frame.line)
}

/// Whether the outermost frame is a function of clang around that of a body, which was inlined
/// there. Both have the name of the same function, and the line of the call is that of the
/// construct.
fn is_wrapper(frames: &[Frame]) -> bool {
    matches!(frames, [.., inner, outer] if inner.function == outer.function)
}

/// Clauses of a task without its conditions. Compilers create a task whose condition does not hold
/// by another call, but it is the same construct.
fn without_conditions(clauses: &str) -> String {
    let is_kept = |word: &&str| !word.starts_with("if(") && !word.starts_with("final(");
    clauses.split(' ').filter(is_kept).collect::<Vec<_>>().join(" ")
}

/// The innermost function that is none of a binding whose functions are inlined into the program,
/// as those of C++'s mutexes are.
fn caller(mut frames: Vec<Frame>) -> Frame {
    let is_binding = |frame: &Frame| {
        let prefixes = ["MPI::", "MPI_", "PMPI_", "boost::mpi::"];
        is_in_cpp_header(frame) || prefixes.iter().any(|prefix| frame.function.starts_with(prefix))
    };
    let at = frames.iter().position(|frame| !is_binding(frame)).unwrap_or(0);
    frames.swap_remove(at)
}

/// Whether it is a function of the library of C++ that was inlined.
fn is_in_cpp_header(frame: &Frame) -> bool {
    frame.file.contains("/c++/") || frame.file.is_empty() && frame.function.starts_with("std::")
}

/// The frame of the function that a construct is written in, as far as lines tell. The call at the
/// end of a loop may have the line of what the loop calls last, which may be a function of the
/// library of C++. That has no constructs, apart from its parallel algorithms.
fn written_at(frames: &[Frame]) -> usize {
    let has_constructs =
        |frame: &Frame| !is_in_cpp_header(frame) || frame.file.contains("/parallel/");
    frames.iter().position(has_constructs).unwrap_or(0)
}

/// The names of the functions that have called the one whose construct is entered: the runtime's
/// own are at the begin, after them those of the OpenMP runtime if the program was not
/// instrumented, `main` and what starts it at the end.
fn callers(stack: &[Frame]) -> Vec<String> {
    let is_ours = |frame: &Frame| {
        let runtimes = ["GOMP_", "libgomp", "__kmp", "libomp", "libiomp5"];
        let prefixes = ["POMP_", "POMP2_", "pomp::", "libpomp"].into_iter().chain(runtimes);
        prefixes.into_iter().any(|prefix| frame.function.starts_with(prefix))
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
    fn a_construct_is_not_in_a_function_of_the_library_of_cpp() {
        let written = |places: &[(&'static str, &str)]| -> &'static str {
            let frame = |&(function, file): &(&str, &str)| Frame {
                function: function.into(),
                file: file.into(),
                line: 1,
            };
            let frames: Vec<Frame> = places.iter().map(frame).collect();
            places[written_at(&frames)].0
        };
        let draw = ("std::engine<int>::operator()", "/usr/include/c++/12/bits/random.tcc");
        let sort = ("__gnu_parallel::sort", "/usr/include/c++/12/parallel/sort.h");
        let make = ("make", "/src/make.h");
        assert_eq!(written(&[draw, make]), "make");
        assert_eq!(written(&[("std::engine<int>::operator()", ""), make]), "make");
        assert_eq!(written(&[make, ("main", "/src/main.cc")]), "make");
        assert_eq!(written(&[sort, make]), "__gnu_parallel::sort");
        assert_eq!(written(&[draw]), draw.0);
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
        let by_llvm = "pomp::ompt::begin libomp.so.5+0x9 __kmpc_fork_call flux step main _start";
        assert_eq!(stack(by_llvm), "step");
        assert_eq!(stack("pomp::gomp::fork GOMP_parallel flux step solve main"), "step solve");
    }

    #[test]
    fn constructs_have_the_line_where_it_is_known() {
        let named = |name: &str, file: &str, line| {
            construct_at(name, &Frame { function: "f".into(), file: file.into(), line })
        };
        let critical = "!$omp critical (a @b) @solver+0x12f0";
        assert_eq!(named(critical, "/src/a.c", 7), "!$omp critical (a @b) @a.c:7");
        assert_eq!(named(critical, "", 0), critical);
        assert_eq!(named("no place", "/src/a.c", 7), "no place");
    }

    /// Without the file that was loaded, the address is the function.
    #[test]
    fn a_construct_of_a_missing_file_keeps_its_address() {
        let mut definitions = [
            Definition::Region {
                id: 0,
                kind: RegionKind::Parallel,
                begin_line: 0,
                end_line: 0,
                name: "!$omp parallel @gone.so+0x40".into(),
                file: String::new(),
                clauses: "if(0)".into(),
            },
            Definition::Object { id: 0, path: "/nowhere/gone.so".into(), build_id: "00".into() },
            Definition::Construct { region: 0, object: 0, address: 0x40, is_function: true },
        ];
        name_places(&mut definitions, &Symbols::default());
        let Definition::Region { name, clauses, begin_line, .. } = &definitions[0] else {
            unreachable!("the first one stays a region");
        };
        assert_eq!(name, "!$omp parallel @gone.so+0x40");
        assert_eq!((clauses.as_str(), *begin_line), ("in(gone.so+0x40) if(0)", 0));
    }

    #[test]
    fn clang_puts_bodies_into_functions_of_the_same_name() {
        let frames = |names: &[&str]| -> Vec<Frame> {
            let frame = |name: &&str| Frame { function: (*name).into(), file: "".into(), line: 1 };
            names.iter().map(frame).collect()
        };
        assert!(is_wrapper(&frames(&["swap", "solve", "solve"])));
        assert!(!is_wrapper(&frames(&["swap", "solve"])));
        assert!(!is_wrapper(&frames(&["solve"])));
    }

    #[test]
    fn a_task_is_one_construct_whether_its_condition_holds_or_not() {
        assert_eq!(without_conditions("if(0) untied"), "untied");
        assert_eq!(without_conditions("final(...)"), "");
        assert_eq!(without_conditions("untied"), "untied");
    }

    #[test]
    fn build_ids_are_bytes_again() {
        assert_eq!(bytes("0aff"), [10, 255]);
        for damaged in ["", "0", "0g", "0aé", "aé"] {
            assert!(bytes(damaged).is_empty(), "{damaged}");
        }
    }
}
