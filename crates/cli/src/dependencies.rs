//! Dependency files that a compiler writes for make and ninja. They name the rewritten copy and
//! shall name the user's source, and the file with settings, which a build must know too.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::say;
use crate::compiler::CommandLine;
use crate::rewriting::Rewritten;
use crate::settings;

/// Corrects what the compiler has written.
pub fn mend(line: &CommandLine, rewritten: &[Rewritten], with_settings: bool) {
    let Some(main) = &line.dependencies else { return };
    let settings = if with_settings { settings::file(line) } else { None };
    for path in files(line, main) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mended = mended(&text, rewritten, settings.as_deref());
        if mended == text {
            continue;
        }
        if let Err(error) = fs::write(&path, mended) {
            say(format!("warning: {}: {error}", path.display()));
        }
    }
}

/// Compilers differ in where the dependencies of one of several sources go.
fn files(line: &CommandLine, main: &Path) -> Vec<PathBuf> {
    let mut files = vec![main.to_owned()];
    let output = line.output().unwrap_or("a");
    for source in &line.sources {
        let name = Path::new(source.path.file_name().unwrap_or_default()).with_extension("d");
        files.push(PathBuf::from(format!("{output}-{}", name.display())));
        files.push(name);
    }
    files.sort();
    files.dedup();
    files
}

fn mended(text: &str, rewritten: &[Rewritten], settings: Option<&Path>) -> String {
    let mut mended = text.to_owned();
    for one in rewritten.iter().filter(|one| one.preprocessed.is_none()) {
        mended = mended.replace(&quoted(&one.copy), &quoted(&one.source.path));
    }
    match settings {
        Some(path) => with_prerequisite(&mended, &quoted(path)),
        None => mended,
    }
}

/// Adds a prerequisite to the first rule.
fn with_prerequisite(text: &str, name: &str) -> String {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.trim_end_matches('\n').len();
        if !line.ends_with("\\\n") {
            break;
        }
        end += 1;
    }
    if !text[..end].contains(':') {
        return text.to_owned();
    }
    format!("{} \\\n {name}{}", &text[..end], &text[end..])
}

/// A path as compilers write it for make.
fn quoted(path: &Path) -> String {
    let mut text = String::new();
    for character in path.display().to_string().chars() {
        match character {
            ' ' | '#' => text.extend(['\\', character]),
            '$' => text.push_str("$$"),
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_a_prerequisite_of_the_first_rule() {
        let rules = "a.o: a.c \\\n b.h\nb.h:\n";
        assert_eq!(with_prerequisite(rules, "p"), "a.o: a.c \\\n b.h \\\n p\nb.h:\n");
        assert_eq!(with_prerequisite("a.o: a.c", "p"), "a.o: a.c \\\n p");
        assert_eq!(with_prerequisite("", "p"), "");
    }

    #[test]
    fn paths_are_quoted_for_make() {
        assert_eq!(quoted(Path::new("a b/$c#d")), "a\\ b/$$c\\#d");
    }
}
