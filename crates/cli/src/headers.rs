//! Whether a source includes text with directives. They are seen in preprocessed text only, so this
//! decides whether the preprocessor is asked.
//!
//! Headers are looked for as the compiler does: in the folder of the file that includes them, in
//! those of `-iquote`, `-I` and `-isystem`, and in those of the compiler's variables. The headers
//! of the system and of the compiler are not ours to measure, but `-isystem` is also how CMake
//! names the folder of any library. Conditions around an include are not evaluated: a header too
//! many costs time, nothing else.

use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use pompeii_instrument::{Options, instrument};

use crate::compiler::{CommandLine, Source, source_folder};

/// More headers than this are not looked at.
const HEADERS_MAX: usize = 4000;
/// Longer headers are data.
const HEADER_BYTES_MAX: u64 = 16 << 20;

/// Where headers are looked for.
pub struct Folders {
    /// For `#include "..."` only.
    quoted: Vec<PathBuf>,
    /// For both forms.
    all: Vec<PathBuf>,
}

/// One include line.
struct Include<'a> {
    name: &'a str,
    quoted: bool,
}

impl Folders {
    /// Those of a command.
    pub fn new(line: &CommandLine) -> Self {
        let all = line.values("-I").map(PathBuf::from).chain(in_variable("CPATH"));
        let all = all.chain(own_among_systems(line)).collect();
        Self { quoted: line.values("-iquote").map(PathBuf::from).collect(), all }
    }

    /// The path of a header that a file in `folder` includes.
    pub fn find(&self, name: impl AsRef<Path>, folder: &Path, quoted: bool) -> Option<PathBuf> {
        let name = name.as_ref();
        let beside = quoted.then(|| folder.to_owned());
        let only_quoted = self.quoted.iter().filter(|_| quoted).cloned();
        let mut folders = beside.into_iter().chain(only_quoted).chain(self.all.iter().cloned());
        folders.find_map(|folder| {
            let path =
                if folder == Path::new(".") { PathBuf::from(name) } else { folder.join(name) };
            let data = fs::metadata(&path).ok()?;
            (data.is_file() && data.len() <= HEADER_BYTES_MAX).then_some(path)
        })
    }
}

/// Folders that the compiler takes for the system's because the user says so.
fn own_among_systems(line: &CommandLine) -> impl Iterator<Item = PathBuf> {
    let said = ["-isystem", "-idirafter"].into_iter().flat_map(|option| line.values(option));
    let set = ["C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"].into_iter().flat_map(in_variable);
    let roots = ["--sysroot", "-isysroot"].into_iter().flat_map(|option| line.values(option));
    // `--sysroot=DIR` too.
    let root = |root: &OsStr| {
        let bytes = root.as_bytes();
        fs::canonicalize(OsStr::from_bytes(bytes.strip_prefix(b"=").unwrap_or(bytes))).ok()
    };
    let roots: Vec<PathBuf> = roots.filter_map(root).collect();
    said.map(PathBuf::from).chain(set).filter(move |folder| !is_systems(folder, &roots))
}

/// The same as line markers may name them: as they were given, and without links and dots.
pub fn measured_folders(line: &CommandLine) -> Vec<String> {
    let both = |folder: PathBuf| [fs::canonicalize(&folder).ok(), Some(folder)];
    let folders = own_among_systems(line).flat_map(both).flatten();
    let texts = folders.map(|folder| folder.to_string_lossy().trim_end_matches('/').to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// The folders in a variable of the compiler's.
fn in_variable(name: &str) -> Vec<PathBuf> {
    let value = env::var_os(name).unwrap_or_default();
    env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Whether a folder belongs to the system or to a compiler.
fn is_systems(folder: &Path, roots: &[PathBuf]) -> bool {
    let Ok(folder) = fs::canonicalize(folder) else { return true };
    let parts: Vec<&OsStr> = folder.iter().collect();
    let has = |pair: [&str; 2]| parts.windows(2).any(|parts| parts == pair);
    let of_compiler = has(["lib", "gcc"]) || has(["lib", "clang"]) || has(["include", "c++"]);
    let of_system = folder.starts_with("/usr") && !folder.starts_with("/usr/local");
    of_compiler || of_system || roots.iter().any(|root| folder.starts_with(root))
}

/// Whether any header of this source has a directive, or a macro that the source makes one with.
pub fn hide_directives(line: &CommandLine, source: &Source, text: &[u8]) -> bool {
    let folders = Folders::new(line);
    let mut seen = HashSet::new();
    let mut queue: Vec<PathBuf> = forced(line, &folders);
    let mentions = source.language.is_fortran() || mentions_directive(text);
    if makes_fortran_directives(line, source, text) {
        return true;
    }
    included(text, &source_folder(&source.path), &folders, &mut queue);
    while let Some(path) = queue.pop() {
        if seen.len() >= HEADERS_MAX || !seen.insert(path.clone()) {
            continue;
        }
        let Ok(text) = fs::read(&path) else { continue };
        if has_directives(source, &path, &text, mentions) {
            return true;
        }
        included(&text, &source_folder(&path), &folders, &mut queue);
    }
    false
}

/// Whether a source includes a file of its own folder.
pub fn is_beside(source: &Source, text: &[u8]) -> bool {
    let folder = source_folder(&source.path);
    let text = String::from_utf8_lossy(text);
    let mut found = text.lines().filter_map(include).filter(|found| found.quoted);
    found.any(|found| folder.join(found.name).is_file())
}

/// The files of `-include`.
fn forced(line: &CommandLine, folders: &Folders) -> Vec<PathBuf> {
    let names = line.values("-include");
    names.filter_map(|name| folders.find(name, Path::new("."), true)).collect()
}

/// Adds the headers that a text includes.
fn included(text: &[u8], folder: &Path, folders: &Folders, queue: &mut Vec<PathBuf>) {
    let text = String::from_utf8_lossy(text);
    let found = text.lines().filter_map(include);
    queue.extend(found.filter_map(|found| folders.find(found.name, folder, found.quoted)));
}

/// The file that a line includes, by the preprocessor or by Fortran's INCLUDE.
fn include(line: &str) -> Option<Include<'_>> {
    let line = line.trim_start();
    let (word, fortran) = match line.strip_prefix('#') {
        Some(rest) => (rest.trim_start(), false),
        None => (line, true),
    };
    let head = word.get(..7).filter(|head| head.eq_ignore_ascii_case("include"))?;
    let rest = word[head.len()..].trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' if !fortran => '>',
        '\'' if fortran => '\'',
        _ => return None,
    };
    let (name, _) = rest[1..].split_once(close)?;
    Some(Include { name, quoted: close != '>' })
}

/// The name in an INCLUDE line of Fortran.
pub fn fortran_include(line: &str) -> Option<&str> {
    if line.trim_start().starts_with('#') {
        return None;
    }
    include(line).map(|found| found.name)
}

fn has_directives(source: &Source, path: &Path, text: &[u8], mentions: bool) -> bool {
    if source.language.is_fortran() {
        return has_fortran_directives(text) || defines_sentinel(text);
    }
    if contains(text, b"_Pragma") && (mentions || mentions_directive(text)) {
        return true;
    }
    if !contains(text, b"omp") {
        return false;
    }
    let options = Options::new(&path.display().to_string(), source.language);
    match instrument(text, &options) {
        Ok(outcome) => outcome.directives_found > 0 || outcome.hides_directives(),
        // Perhaps a part of a statement; the preprocessed text shows the whole.
        Err(_) => true,
    }
}

/// Whether there is a sentinel, also one in a macro.
pub fn has_fortran_directives(text: &[u8]) -> bool {
    text.windows(5).any(|window| {
        matches!(window[0], b'!' | b'c' | b'C' | b'*') && window[1..].eq_ignore_ascii_case(b"$omp")
    })
}

/// Whether a macro of a Fortran source, or of the command, has a sentinel or a part of one.
fn makes_fortran_directives(line: &CommandLine, source: &Source, text: &[u8]) -> bool {
    if !source.language.is_fortran() || !line.preprocesses(source) {
        return false;
    }
    line.values("-D").any(|value| has_sentinel(value.as_bytes())) || defines_sentinel(text)
}

/// Whether a macro is defined as a sentinel. Its text may go on in further lines.
fn defines_sentinel(text: &[u8]) -> bool {
    let mut goes_on = false;
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        let word = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let defines = goes_on || word.is_some_and(|word| word.starts_with(b"define"));
        goes_on = defines && line.ends_with(b"\\");
        defines && has_sentinel(line)
    })
}

/// `!$` and `$omp`: a macro may put the two together.
fn has_sentinel(text: &[u8]) -> bool {
    contains(text, b"!$") || text.windows(4).any(|word| word.eq_ignore_ascii_case(b"$omp"))
}

/// Whether a directive is given to a macro: `OMP(omp parallel)`.
fn mentions_directive(text: &[u8]) -> bool {
    [&b"(omp "[..], b"( omp ", b"\"omp "].iter().any(|mention| contains(text, mention))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
