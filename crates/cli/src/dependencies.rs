//! Dependency files that a compiler writes for make and ninja. They name the rewritten copy and
//! shall name the user's source, and the file with settings, which a build must know too.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::compiler::CommandLine;
use crate::compiler::words::joined;
use crate::output::say;
use crate::rewriting::Rewritten;
use crate::settings;
use crate::terminal::cannot;

/// Corrects what the compiler has written.
pub fn mend(line: &CommandLine, rewritten: &[Rewritten], with_settings: bool) {
    let Some(main) = &line.dependencies else { return };
    let settings = if with_settings { settings::file(line) } else { None };
    for path in files(line, main) {
        let Ok(text) = fs::read(&path) else { continue };
        let mended = mended(&text, rewritten, settings.as_deref());
        if mended == text {
            continue;
        }
        if let Err(error) = fs::write(&path, mended) {
            say(format!("warning: {}: {error}", cannot("correct", &path)));
        }
    }
}

/// Compilers differ in where the dependencies of one of several sources go.
fn files(line: &CommandLine, main: &Path) -> Vec<PathBuf> {
    let mut files = vec![main.to_owned()];
    let output = line.output().unwrap_or(OsStr::new("a"));
    for source in &line.sources {
        let name = Path::new(source.path.file_name().unwrap_or_default()).with_extension("d");
        files.push(PathBuf::from(joined([output, OsStr::new("-"), name.as_os_str()])));
        files.push(name);
    }
    files.sort();
    files.dedup();
    files
}

fn mended(text: &[u8], rewritten: &[Rewritten], settings: Option<&Path>) -> Vec<u8> {
    let mut mended = text.to_owned();
    for one in rewritten.iter().filter(|one| one.preprocessed.is_none()) {
        mended = replaced(&mended, &quoted(&one.copy), &quoted(&one.source.path));
    }
    match settings {
        Some(path) => with_prerequisite(&mended, &quoted(path)),
        None => mended,
    }
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len());
    let mut copied = 0;
    for at in memchr::memmem::find_iter(text, from) {
        output.extend_from_slice(&text[copied..at]);
        output.extend_from_slice(to);
        copied = at + from.len();
    }
    output.extend_from_slice(&text[copied..]);
    output
}

/// Adds a prerequisite to the first rule.
fn with_prerequisite(text: &[u8], name: &[u8]) -> Vec<u8> {
    let mut end = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        end += line.strip_suffix(b"\n").unwrap_or(line).len();
        if !line.ends_with(b"\\\n") {
            break;
        }
        end += 1;
    }
    if !text[..end].contains(&b':') {
        return text.to_owned();
    }
    [&text[..end], b" \\\n ", name, &text[end..]].concat()
}

/// A path as compilers write it for make.
fn quoted(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b' ' | b'#' => text.extend([b'\\', byte]),
            b'$' => text.extend(b"$$"),
            _ => text.push(byte),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_a_prerequisite_of_the_first_rule() {
        let rules = b"a.o: a.c \\\n b.h\nb.h:\n";
        assert_eq!(with_prerequisite(rules, b"p"), b"a.o: a.c \\\n b.h \\\n p\nb.h:\n");
        assert_eq!(with_prerequisite(b"a.o: a.c", b"p"), b"a.o: a.c \\\n p");
        assert_eq!(with_prerequisite(b"", b"p"), b"");
    }

    #[test]
    fn paths_are_quoted_for_make() {
        assert_eq!(quoted(Path::new("a b/$c#d")), b"a\\ b/$$c\\#d");
        assert_eq!(replaced(b"x: b/x.c xx", b"x", b"\xff"), b"\xff: b/\xff.c \xff\xff");
    }
}
