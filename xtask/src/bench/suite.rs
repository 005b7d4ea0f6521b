//! The sources of a real program or suite as large texts: those of one language are joined, and
//! repeated where they are few. What they are to a compiler does not matter, since nobody compiles
//! them; each file is what somebody has written.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::instrument::{SIZE_BYTES, Text};

/// The name of a text, and the suffixes of the files that it is made of.
const LANGUAGES: [(&str, &[&str]); 4] = [
    ("suite.c", &["c"]),
    ("suite.cpp", &["cpp", "cc", "cxx"]),
    ("suite.f90", &["f90", "F90", "f95", "f03", "f08"]),
    ("suite.f", &["f", "F", "for"]),
];

/// Joins what is below `suite` into texts in `folder`, but for files that `is_accepted` refuses:
/// examples of what is wrong, which would end a text.
pub fn join(suite: &Path, folder: &Path, is_accepted: impl Fn(&Path) -> bool) -> Result<Vec<Text>> {
    let mut files = Vec::new();
    find(suite, &mut files)?;
    files.sort();
    let mut texts = Vec::new();
    for (name, suffixes) in LANGUAGES {
        let is_one = |file: &&PathBuf| {
            file.extension()
                .and_then(|suffix| suffix.to_str())
                .is_some_and(|s| suffixes.contains(&s))
        };
        let mut joined = Vec::new();
        for file in files.iter().filter(is_one).filter(|file| is_accepted(file)) {
            joined.extend(fs::read(file).with_context(|| file.display().to_string())?);
            joined.push(b'\n');
        }
        if joined.is_empty() {
            continue;
        }
        let text = joined.repeat(SIZE_BYTES.div_ceil(joined.len()));
        let path = folder.join(name);
        fs::write(&path, &text)?;
        texts.push(Text { path, directives: directives(&text) });
    }
    if texts.is_empty() {
        bail!("{}: no sources in C, C++ or Fortran below it", suite.display());
    }
    Ok(texts)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => find(&entry.path(), files)?,
            kind if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

/// Lines that begin with a sentinel; that a directive may go on behind its line is of no account
/// here.
fn directives(text: &[u8]) -> usize {
    let begins = |line: &[u8]| {
        let line = line.trim_ascii_start().to_ascii_lowercase();
        let pragma = line.strip_prefix(b"#").is_some_and(|rest| {
            let rest = rest.trim_ascii_start().strip_prefix(b"pragma");
            rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"omp"))
        });
        pragma || [b"!$omp", b"c$omp", b"*$omp"].iter().any(|s| line.starts_with(*s))
    };
    text.split(|&byte| byte == b'\n').filter(|line| begins(line)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_lines_that_begin_with_a_sentinel() {
        let text = b"# pragma omp for\n#pragma once\n  !$OMP do\nc$omp end do\nx ! $omp\n!$ y\n";
        assert_eq!(directives(text), 3);
    }

    #[test]
    fn a_folder_is_joined_by_language() {
        let suite = tempfile::tempdir().unwrap();
        fs::create_dir(suite.path().join("sub")).unwrap();
        fs::write(suite.path().join("a.c"), "int a;\n#pragma omp flush\n").unwrap();
        fs::write(suite.path().join("sub/b.c"), "int b;").unwrap();
        fs::write(suite.path().join("sub/b.h"), "int c;").unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(suite.path().join("wrong.c"), "#pragma omp").unwrap();
        let is_accepted = |path: &Path| !path.ends_with("wrong.c");
        let texts = join(suite.path(), folder.path(), is_accepted).unwrap();
        let [text] = texts.as_slice() else { panic!("{}", texts.len()) };
        let joined = fs::read_to_string(&text.path).unwrap();
        let once = "int a;\n#pragma omp flush\n\nint b;\n";
        assert!(joined.starts_with(once) && joined.len() >= SIZE_BYTES);
        assert_eq!(text.directives, joined.len() / once.len());
        assert!(join(&suite.path().join("none"), folder.path(), is_accepted).is_err());
    }
}
