//! The sequence of POMP2 calls of a program instrumented by us and by OPARI2, seen by a library
//! that this test generates from OPARI2's own header: the same calls on the same constructs. It
//! also watches the words that go from opening calls to closing ones.
//!
//! Needs opari2 and libpomp2-dev: runs only with `POMPEII_ORACLES` set. Programs with constructs
//! that OPARI2 misses or breaks are not among them.

use pompeii_instrument::{Abi, Language, Locks, Options, instrument};
use pompeii_testing::oracles;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADERS: [&str; 2] =
    ["/usr/include/opari2/pomp2_lib.h", "/usr/include/opari2/pomp2_user_lib.h"];

/// What the generated functions call. A handle leads to the text of its construct; a word is what
/// one call has given and another one must give back.
const SUPPORT: &str = "#include <opari2/pomp2_lib.h>
#include <opari2/pomp2_user_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char known[1000][80]; static int places; static char given[100000]; static int64_t words;
static void make(void **handle, const char *ctc) {
  char *to = known[places++]; const char *type = strchr(ctc, '=') + 1;
  int length = (int)strcspn(type, \"*\"); const char *file = strstr(ctc, \"sscl=\");
  const char *end = file + strcspn(file, \"*\");
  int colons = 0; while (colons < 2) colons += *--end == ':';
  sprintf(to, \"%.*s%.*s\", length, type, (int)strcspn(end, \"*\"), end);
  if (strtol(ctc, (char **)&type, 10) <= 0 || *type != '*') strcat(to, \" BAD LENGTH\");
  *handle = to;
}
static void note(const char *name, void **handle, const char *ctc) {
  if (handle && ctc && !*handle) make(handle, ctc);
  printf(\"POMP2 %s %s\\n\", name, !handle ? \"\" : *handle ? (char *)*handle : \"NEVER OPENED\");
  fflush(stdout);
}
static void give(int64_t *word) { *word = ++words; given[words] = 1; }
static void take(int64_t word, const char *name) {
  if (word <= 0 || word > words || !given[word]) printf(\"POMP2 %s WRONG WORD\\n\", name);
}
";

/// A prototype of the header: name, result and parameters with their names.
struct Prototype {
    name: String,
    result: String,
    parameters: Vec<(String, String)>,
}

fn prototypes(header: &str) -> Vec<Prototype> {
    let mut text = String::new();
    let mut rest = header;
    while let Some((before, comment)) = rest.split_once("/*") {
        text += before;
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    text += rest;
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    lines.join(" ").split(';').filter_map(prototype).collect()
}

fn prototype(text: &str) -> Option<Prototype> {
    let (head, parameters) = text.split_once('(')?;
    let head = head.split_once("extern").map_or(head, |(_, head)| head).trim();
    let (result, name) = head.rsplit_once(char::is_whitespace)?;
    if !name.starts_with("POMP2_") {
        return None;
    }
    let parameters = parameters.trim().strip_suffix(')')?;
    let split = |parameter: &str| {
        let parameter = parameter.trim().replace("[]", "");
        let (kind, name) = parameter.rsplit_once(char::is_whitespace)?;
        let kind = kind.split_whitespace().collect::<Vec<_>>().join(" ");
        let star = if text.contains("ctc_string[]") && name == "ctc_string" { "*" } else { "" };
        Some((format!("{kind}{star}"), name.to_owned()))
    };
    Some(Prototype {
        name: name.to_owned(),
        result: result.trim().to_owned(),
        parameters: parameters.split(',').filter_map(split).collect(),
    })
}

impl Prototype {
    fn is_lock(&self) -> bool {
        self.name.ends_with("_lock")
    }

    fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|(_, parameter)| parameter == name)
    }

    /// The statements of its body, for values that are at hand.
    fn body(&self, omp_suffix: &str) -> String {
        let short = self.name.trim_start_matches("POMP2_").replace("USER_", "");
        let handle = if self.has("pomp2_handle") { "pomp2_handle" } else { "0" };
        let ctc = if self.has("ctc_string") { "ctc_string" } else { "0" };
        let mut text = format!("note(\"{short}\", {handle}, {ctc});");
        for (kind, name) in &self.parameters {
            match kind.as_str() {
                "POMP2_Task_handle*" => write!(text, " give({name});").unwrap(),
                "POMP2_Task_handle" => write!(text, " take({name}, \"{short}\");").unwrap(),
                _ => {}
            }
        }
        if self.is_lock() {
            let omp = format!("omp_{}{omp_suffix}", short.to_ascii_lowercase());
            let back = if self.result == "int" { "return " } else { "" };
            write!(text, " {back}{omp}(s);").unwrap();
        } else if self.name.ends_with("max_threads") {
            text = "return omp_get_max_threads();".to_owned();
        } else if self.result != "void" {
            text = "return ++words;".to_owned();
        }
        text
    }

    fn c(&self) -> String {
        let list = self.parameters.iter().map(|(kind, name)| format!("{kind} {name}"));
        let list = list.collect::<Vec<_>>().join(", ");
        let list = if list.is_empty() { "void" } else { &list };
        format!("{} {}({list}) {{ {} }}\n", self.result, self.name, self.body(""))
    }

    /// The entry point of Fortran: everything by reference.
    fn fortran(&self) -> String {
        let name = self.name.to_ascii_lowercase().replace("_for_", "_do_");
        let by_value = |kind: &str| kind == "int" || kind == "POMP2_Task_handle";
        let list = self.parameters.iter().map(|(kind, name)| match by_value(kind) {
            true => format!("{kind} *at_{name}"),
            false => format!("{kind} {name}"),
        });
        let list = list.collect::<Vec<_>>().join(", ");
        let values = self.parameters.iter().filter(|(kind, _)| by_value(kind));
        let values: String =
            values.map(|(kind, name)| format!("{kind} {name} = *at_{name};")).collect();
        let body = self.body("_");
        let (result, omp) = (&self.result, name.replace("pomp2_", "omp_"));
        let extern_ =
            if self.is_lock() { format!("extern {result} {omp}();\n") } else { String::new() };
        format!("{extern_}{result} {name}_({list}) {{ {values} {body} }}\n")
    }
}

/// The library, compiled; functions that the link step generates are left to it.
fn library(folder: &Path) -> PathBuf {
    let mut text = SUPPORT.to_owned();
    let headers = HEADERS.map(|path| fs::read_to_string(path).unwrap());
    let mut count = 0;
    for prototype in headers.iter().flat_map(|header| prototypes(header)) {
        if ["Init_regions", "num_regions", "version"]
            .iter()
            .any(|end| prototype.name.ends_with(end))
        {
            continue;
        }
        count += 1;
        text += &prototype.c();
        text += &prototype.fortran();
    }
    assert!(count > 55, "{count} prototypes");
    let (source, object) = (folder.join("log.c"), folder.join("log.o"));
    fs::write(&source, text).unwrap();
    run(Command::new("gcc").args(["-w", "-fopenmp", "-c"]).arg(source).arg("-o").arg(&object));
    object
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{messages}");
    String::from_utf8(output.stdout).unwrap()
}

/// A program of `tests/programs/probes` in a folder of its own.
struct Probe {
    folder: PathBuf,
    name: &'static str,
    compiler: &'static str,
    language: Language,
    library: PathBuf,
}

impl Probe {
    fn new(all: &Path, name: &'static str, library: &Path) -> Self {
        let folder = all.join(name.replace('.', "_"));
        fs::create_dir_all(&folder).unwrap();
        let probes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/probes");
        fs::copy(probes.join(name), folder.join(name)).unwrap();
        let (compiler, language) = match name.rsplit_once('.').unwrap().1 {
            "c" => ("gcc", Language::C),
            "cpp" => ("g++", Language::Cxx),
            "f" => ("gfortran", Language::FortranFixed),
            _ => ("gfortran", Language::FortranFree),
        };
        Self { folder, name, compiler, language, library: library.to_owned() }
    }

    /// The calls of the program that `source` is compiled to.
    fn calls(&self, source: &str) -> Vec<String> {
        let program = self.folder.join("program");
        let mut compile = Command::new(self.compiler);
        compile.args(["-fopenmp", "-I", "."]).arg(source).arg(&self.library);
        run(compile.arg("-o").arg(&program).current_dir(&self.folder));
        let output = run(Command::new(program).env("OMP_THREAD_LIMIT", "1"));
        let calls = output.lines().filter_map(|line| line.strip_prefix("POMP2 "));
        calls.map(str::to_owned).collect()
    }

    fn theirs(&self) -> Vec<String> {
        let (stem, suffix) = self.name.rsplit_once('.').unwrap();
        let suffix = if suffix.starts_with('f') { suffix.to_uppercase() } else { suffix.into() };
        let options = ["--omp-task-untied=keep", self.name];
        run(Command::new("opari2").args(options).current_dir(&self.folder));
        self.calls(&format!("{stem}.mod.{suffix}"))
    }

    fn ours(&self) -> Vec<String> {
        let source = fs::read(self.folder.join(self.name)).unwrap();
        let mut options = Options::new(self.name, self.language);
        (options.abi, options.locks, options.end_barrier) = (Abi::Pomp2, Locks::Rewrite, true);
        let text = instrument(&source, &options).unwrap().text;
        let (stem, suffix) = self.name.rsplit_once('.').unwrap();
        let copy = format!("{stem}.ours.{suffix}");
        fs::write(self.folder.join(&copy), text).unwrap();
        self.calls(&copy)
    }
}

fn check(test: &str, names: &[&'static str]) {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("oracle_pomp2_{test}"));
    fs::create_dir_all(&folder).unwrap();
    let library = library(&folder);
    for name in names {
        let probe = Probe::new(&folder, name, &library);
        let theirs = probe.theirs();
        assert!(!theirs.is_empty(), "{name}: no calls");
        assert_eq!(probe.ours(), theirs, "{name}");
    }
}

#[test]
fn c_programs_make_the_calls_of_opari2() {
    check(
        "c",
        &[
            "s_atomic_variants.c",
            "s_barrier_flush.c",
            "s_critical.c",
            "s_for.c",
            "s_locks.c",
            "s_master.c",
            "s_ordered.c",
            "s_parallel.c",
            "s_parallel_for.c",
            "s_parallel_sections.c",
            "s_parallel_stmt.c",
            "s_sections.c",
            "s_single.c",
            "s_single_copyprivate.c",
            "s_task_untied_last.c",
            "s_user_region.c",
            "l_task_depend.c",
            "x_nested_parallel.c",
        ],
    );
}

#[test]
fn cxx_programs_make_the_calls_of_opari2() {
    let names =
        ["l_class_member.cpp", "l_lambda.cpp", "l_template.cpp", "x_exception_in_critical.cpp"];
    check("cxx", &names);
}

#[test]
fn fortran_programs_make_the_calls_of_opari2() {
    check(
        "fortran",
        &[
            "ff_fixed.f",
            "fs_do.f90",
            "fs_locks.f90",
            "fs_ordered.f90",
            "fs_parallel.f90",
            "fs_parallel_do.f90",
            "fs_sections.f90",
            "fs_single_master_critical.f90",
            "fs_task.f90",
            "fs_task_untied.f90",
            "fs_user.f90",
            "fs_workshare.f90",
        ],
    );
}
