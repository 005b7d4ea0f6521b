//! Addresses of real programs, compiled here in several ways: what they are called.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use pompeii_symbols::{Frame, Loaded, Symbols, first_lines};
use tempfile::TempDir;

const PROGRAM: &str = "void here(void);
void from_library(void);
static inline __attribute__((always_inline)) void inlined(void) {
  here();
  __asm__ volatile(\"\");
}
__attribute__((noinline)) static void plain(void) {
  here();
  __asm__ volatile(\"\");
}
int main(void) {
  plain();
  inlined();
  from_library();
  return 0;
}
";

/// `here` prints the file that it was called from, and the address of the call in that file.
const LIBRARY: &str = "#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
__attribute__((noinline)) void here(void) {
  void *to = __builtin_return_address(0);
  Dl_info info;
  struct link_map *map;
  dladdr1(to, &info, (void **)&map, RTLD_DL_LINKMAP);
  printf(\"%s %lx\\n\", map->l_name, (unsigned long)to - 1 - map->l_addr);
}
__attribute__((noinline)) void from_library(void) {
  here();
  __asm__ volatile(\"\");
}
";

/// The compilers that are there; gcc always is.
fn compilers() -> Vec<&'static str> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let clang = ["clang", "clang-19"].into_iter().find(works);
    if clang.is_none() {
        println!("not run: clang is missing");
    }
    std::iter::once("gcc").chain(clang).collect()
}

fn succeeds(folder: &Path, words: &str) -> String {
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let output = Command::new(words[0]).args(&words[1..]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Program and library in a folder, and the three calls in them.
struct Built {
    folder: TempDir,
    calls: Vec<(PathBuf, u64)>,
}

impl Built {
    fn new(compiler: &str, options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.c"), PROGRAM).unwrap();
        fs::write(folder.path().join("library.c"), LIBRARY).unwrap();
        let id = "-Wl,--build-id=sha1";
        let all = format!("{compiler} -O2 {options} {id}");
        succeeds(folder.path(), &format!("{all} -fPIC -shared library.c -o libhere.so"));
        let link = "-L. -lhere -Wl,-rpath,$ORIGIN";
        succeeds(folder.path(), &format!("{all} program.c -o program {link}"));
        let mut built = Self { folder, calls: Vec::new() };
        built.calls = built.run();
        built
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self) -> Vec<(PathBuf, u64)> {
        let output = succeeds(self.folder.path(), "./program");
        let call = |line: &str| {
            let (file, address) = line.split_once(' ').unwrap();
            let name = if file.is_empty() { "program" } else { "libhere.so" };
            (self.path(name), u64::from_str_radix(address, 16).unwrap())
        };
        output.lines().map(call).collect()
    }

    /// The calls as text: frames of each, the innermost first.
    fn shown(&self) -> Vec<String> {
        let symbols = Symbols::default();
        let of = |(path, address): &(PathBuf, u64)| shown(&symbols.frames(&loaded(path), *address));
        self.calls.iter().map(of).collect()
    }
}

/// The body of a construct may begin at the address of the function that the compiler makes of it.
#[test]
fn functions_of_bodies_begin_in_the_lines_of_their_constructs() {
    const BODIES: &str = "void set(int *one, int *other) {
#pragma omp parallel
  *one = 4;
#pragma omp parallel
  *other = 5;
}
";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bodies.c"), BODIES).unwrap();
    let options = "-O2 -g -fopenmp -fPIC -shared -Wl,--build-id=sha1";
    succeeds(folder.path(), &format!("gcc {options} bodies.c -o libbodies.so"));
    let path = folder.path().join("libbodies.so");
    let bytes = fs::read(&path).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    let bodies = elf.symbols().filter(|symbol| symbol.name().unwrap().starts_with("set._omp_fn."));
    let addresses: Vec<u64> = bodies.map(|symbol| symbol.address()).collect();
    let lines = first_lines(&loaded(&path), &addresses);
    let mut lines: Vec<u32> = lines.into_values().collect();
    lines.sort_unstable();
    assert_eq!(lines, [2, 4]);
    let other = Loaded { build_id: Vec::new(), ..loaded(&path) };
    assert!(first_lines(&other, &addresses).is_empty());
}

/// The file as a process would note it.
fn loaded(path: &Path) -> Loaded {
    let bytes = fs::read(path).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    let build_id = elf.build_id().unwrap().unwrap().to_vec();
    assert_eq!(build_id.len(), 20);
    Loaded { path: path.to_owned(), build_id }
}

fn shown(frames: &[Frame]) -> String {
    let frame = |Frame { function, file, line }: &Frame| {
        let file = file.rsplit('/').next().unwrap();
        if file.is_empty() { function.clone() } else { format!("{function} {file}:{line}") }
    };
    frames.iter().map(frame).collect::<Vec<_>>().join(" < ")
}

#[test]
fn calls_have_function_and_line_and_what_was_inlined() {
    for compiler in compilers() {
        for how in ["-pie -fPIE -g", "-no-pie -fno-PIE -g", "-pie -fPIE -g -gz"] {
            let expected = [
                "plain program.c:8",
                "inlined program.c:4 < main program.c:13",
                "from_library library.c:13",
            ];
            assert_eq!(Built::new(compiler, how).shown(), expected, "{compiler} {how}");
        }
    }
}

#[test]
fn functions_have_the_line_where_they_begin() {
    for compiler in compilers() {
        let built = Built::new(compiler, "-g");
        let symbols = Symbols::default();
        let heads = built.calls.iter().map(|(path, address)| {
            let (file, line) = symbols.head(&loaded(path), *address).unwrap();
            format!("{}:{line}", file.rsplit('/').next().unwrap())
        });
        let heads: Vec<String> = heads.collect();
        assert_eq!(heads, ["program.c:7", "program.c:11", "library.c:12"], "{compiler}");
    }
    let built = Built::new("gcc", "");
    let (path, address) = &built.calls[0];
    assert_eq!(Symbols::default().head(&loaded(path), *address), None);
}

#[test]
fn without_debug_information_the_function_is_known() {
    for compiler in compilers() {
        for how in ["-pie -fPIE", "-no-pie -fno-PIE"] {
            let shown = Built::new(compiler, how).shown();
            assert_eq!(shown, ["plain", "main", "from_library"], "{compiler} {how}");
        }
    }
}

/// Exported functions of a library stay known. An address without a symbol around it has no name,
/// whatever symbol is the nearest before it.
#[test]
fn stripped_files_have_addresses() {
    for compiler in compilers() {
        let built = Built::new(compiler, "-s");
        let address = |at: usize| format!("program+{:#x}", built.calls[at].1);
        assert_eq!(built.shown(), [address(0), address(1), "from_library".to_owned()]);
    }
}

/// All addresses of a function without a name have one name, that of its begin; and what is around
/// a function with a name does not get that name.
#[test]
fn functions_of_stripped_files_are_told_apart_by_their_begins() {
    for compiler in compilers() {
        let built = Built::new(compiler, "-g");
        let bytes = fs::read(built.path("program")).unwrap();
        let elf = object::File::parse(&*bytes).unwrap();
        let start = |name: &str| {
            let mut symbols = elf.symbols();
            symbols.find(|symbol| symbol.name() == Ok(name)).unwrap().address()
        };
        let begins = ["plain", "main"].map(|name| format!("program+{:#x}", start(name)));
        succeeds(built.folder.path(), "strip program libhere.so");
        let symbols = Symbols::default();
        let of =
            |(path, address): &(PathBuf, u64)| shown(&symbols.functions(&loaded(path), *address));
        let names: Vec<String> = built.calls.iter().map(of).collect();
        assert_eq!(names[..2], begins, "{compiler}");
        assert_eq!(names[2], "from_library", "{compiler}");
    }
}

/// Files are looked up by what they are, not by where they were.
#[test]
fn another_file_of_the_same_name_has_no_names() {
    let built = Built::new("gcc", "-g");
    let (path, address) = &built.calls[0];
    let before = loaded(path);
    fs::write(built.path("program.c"), PROGRAM.replace("return 0", "return 7")).unwrap();
    succeeds(built.folder.path(), "gcc -g program.c -o program -L. -lhere -Wl,--build-id=sha1");
    let symbols = Symbols::default();
    assert_eq!(shown(&symbols.frames(&before, *address)), format!("program+{address:#x}"));
    fs::remove_file(path).unwrap();
    assert_eq!(shown(&Symbols::default().frames(&before, 7)), "program+0x7");
}

#[test]
fn what_was_looked_up_stays_known() {
    let built = Built::new("gcc", "-g");
    let (path, address) = &built.calls[0];
    let (symbols, of) = (Symbols::default(), loaded(path));
    let first = symbols.frames(&of, *address);
    symbols.close();
    fs::remove_file(path).unwrap();
    assert_eq!(symbols.frames(&of, *address), first);
}

/// As distributions do it: debug information in a file of its own, next to the other.
#[test]
fn separate_debug_information_is_found() {
    let built = Built::new("gcc", "-g");
    let whole = built.shown();
    let folder = built.folder.path();
    succeeds(folder, "objcopy --only-keep-debug program program.debug");
    succeeds(folder, "objcopy --strip-all --add-gnu-debuglink=program.debug program");
    assert_eq!(built.shown(), whole);
    fs::create_dir(built.path(".debug")).unwrap();
    fs::rename(built.path("program.debug"), built.path(".debug/program.debug")).unwrap();
    assert_eq!(built.shown(), whole);
    fs::remove_file(built.path(".debug/program.debug")).unwrap();
    assert!(built.shown()[0].starts_with("program+0x"));
}

/// Files of any content: no panic, and at least an address.
#[test]
fn damaged_files_have_addresses_or_names() {
    let built = Built::new("gcc", "-g");
    let (path, address) = built.calls[1].clone();
    let (of, bytes) = (loaded(&path), fs::read(&path).unwrap());
    for step in 0..60 {
        let mut damaged = bytes.clone();
        match step % 2 {
            0 => damaged.truncate(bytes.len() * step / 60),
            _ => {
                let places = (step..bytes.len()).step_by(97 + step);
                places.for_each(|at| damaged[at] = damaged[at].wrapping_mul(31) ^ step as u8);
            }
        }
        fs::write(&path, damaged).unwrap();
        assert!(!Symbols::default().frames(&of, address).is_empty());
    }
    fs::write(&path, bytes).unwrap();
    assert_eq!(shown(&Symbols::default().frames(&of, address)), built.shown()[1]);
}
