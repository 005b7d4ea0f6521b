//! Whether a source includes text with directives. They are seen in preprocessed text only, so this
//! decides whether the preprocessor is asked.
//!
//! Headers are looked for as the compiler does, in the folder of the file that includes them and in
//! those of `-iquote` and `-I`. The system's are not ours to measure. Conditions around an include
//! are not evaluated: a header too many costs time, nothing else.

use std::collections::HashSet;
use std::fs;
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
        let of = |option: &str| line.values(option).map(PathBuf::from).collect();
        Self { quoted: of("-iquote"), all: of("-I") }
    }

    /// The path of a header that a file in `folder` includes.
    pub fn find(&self, name: &str, folder: &Path, quoted: bool) -> Option<PathBuf> {
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

/// Whether any header of this source has a directive, or a macro that the source makes one with.
pub fn hide_directives(line: &CommandLine, source: &Source, text: &[u8]) -> bool {
    let folders = Folders::new(line);
    let mut seen = HashSet::new();
    let mut queue: Vec<PathBuf> = forced(line, &folders);
    let mentions = source.language.is_fortran() || mentions_directive(text);
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
        return has_fortran_directives(text);
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

/// Whether a directive is given to a macro: `OMP(omp parallel)`.
fn mentions_directive(text: &[u8]) -> bool {
    [&b"(omp "[..], b"( omp ", b"\"omp "].iter().any(|mention| contains(text, mention))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
