//! Style of a Rust file, and the budget over all functions (STYLE.md).

use super::Complaint;

const WIDTH_MAX: usize = 100;
const FUNCTION_LINES_MAX: usize = 70;
const FUNCTION_LINES_P90: usize = 30;
/// Folders and files in which `unsafe` may stand (invariant 6).
const MAY_BE_UNSAFE: [&str; 4] = [
    "crates/runtime/",
    "crates/live/",
    "crates/otf2/src/read/mapped.rs",
    "crates/cli/src/mpi/loaded.rs",
];
/// Words that libraries do not use outside of tests, and why.
const FORBIDDEN: [(&str, &str); 4] = [
    (".unwrap()", "an error says what, where and what to do; an unwrap says nothing"),
    ("println!(", "libraries never print"),
    ("dbg!(", "libraries never print"),
    ("todo!(", "no stubs"),
];

/// Complaints about one file; `is_test`: it is compiled for tests only.
pub(super) fn check(file: &str, text: &str, is_test: bool) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut add = |line: usize, what: String| {
        complaints.push(Complaint { file: file.to_owned(), line, what });
    };
    let tests_from = if is_test || file.contains("/tests/") { 0 } else { test_start(text) };
    let in_test = |line: usize| line >= tests_from;
    if !text.starts_with("//!") {
        add(1, "no module doc: say what the file is and why it is so".to_owned());
    }
    for (number, line) in text.lines().enumerate() {
        // A string may be longer, and a row of a table: they cannot always be broken.
        let breaks = !line.contains('"') && !line.starts_with("//! |");
        if line.chars().count() > WIDTH_MAX && breaks && !in_test(number) {
            add(number + 1, format!("longer than {WIDTH_MAX} columns"));
        }
    }
    for (line, length) in function_lengths(text) {
        // A test may be a long table.
        if length > FUNCTION_LINES_MAX && !in_test(line) {
            let what = format!("a function of {length} lines; {FUNCTION_LINES_MAX} at most");
            add(line, what);
        }
    }
    for (number, line) in library_lines(file, text, tests_from) {
        for (word, why) in FORBIDDEN {
            if line.contains(word) {
                add(number, format!("`{word}`: {why}"));
            }
        }
        let is_unsafe = line.contains("unsafe {") || line.contains("unsafe fn");
        if is_unsafe && !MAY_BE_UNSAFE.iter().any(|folder| file.starts_with(folder)) {
            add(
                number,
                "`unsafe` lives in runtime, live, mapped files and loaded.rs only (invariant 6)"
                    .to_owned(),
            );
        }
    }
    complaints
}

/// Where the test module begins.
pub(super) fn test_start(text: &str) -> usize {
    text.lines().position(|line| line.trim() == "#[cfg(test)]").unwrap_or(usize::MAX)
}

/// Code lines that are neither tests nor a developer's tool nor comments.
fn library_lines<'a>(
    file: &str,
    text: &'a str,
    tests_from: usize,
) -> impl Iterator<Item = (usize, &'a str)> {
    let library = file.starts_with("crates/")
        && !["/tests/", "/examples/", "/benches/", "build.rs", "crates/testing/"]
            .iter()
            .any(|part| file.contains(part));
    let end = if library { tests_from } else { 0 };
    let code = |(_, line): &(usize, &str)| !line.trim_start().starts_with("//");
    text.lines().enumerate().take(end).filter(code).map(|(number, line)| (number + 1, line))
}

/// First line and number of lines of each function.
pub(super) fn function_lengths(text: &str) -> Vec<(usize, usize)> {
    let mut lengths = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        match open {
            None if begins_function(line) && !line.trim_end().ends_with([';', '}']) => {
                open = Some((number, indent));
            }
            Some((start, depth)) if indent == depth && line.trim() == "}" => {
                lengths.push((start + 1, number - start + 1));
                open = None;
            }
            Some((_, depth)) if indent == depth && line.trim_end().ends_with(';') => open = None,
            _ => {}
        }
    }
    lengths
}

fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let before = ["pub", "pub(crate)", "pub(super)", "const", "unsafe", "extern", "\"C\"", "async"];
    words.find(|word| !before.contains(word)) == Some("fn")
}

/// The budget over all functions of the project.
pub(super) fn check_budget(mut lengths: Vec<usize>) -> Option<Complaint> {
    lengths.sort_unstable();
    let p90 = *lengths.get(lengths.len() * 9 / 10)?;
    let what = format!("90 % of functions have {p90} lines or less; {FUNCTION_LINES_P90} expected");
    (p90 > FUNCTION_LINES_P90).then(|| Complaint { file: "crates".to_owned(), line: 0, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(file: &str, text: &str) -> Vec<(usize, String)> {
        check(file, text, false).into_iter().map(|c| (c.line, c.what[..12].to_owned())).collect()
    }

    #[test]
    fn each_rule_can_fail() {
        assert_eq!(what("crates/a/src/b.rs", "//! Doc.\nfn f() {}\n"), []);
        assert_eq!(what("crates/a/src/b.rs", "fn f() {}\n"), [(1, "no module do".into())]);
        let wide = format!("//! Doc.\n// {}\n", "x".repeat(100));
        assert_eq!(what("crates/a/src/b.rs", &wide), [(2, "longer than ".into())]);
        let call = "//! Doc.\nfn f() {\n    x.unwrap();\n}\n#[cfg(test)]\nmod t { x.unwrap() }\n";
        assert_eq!(what("crates/a/src/b.rs", call), [(3, "`.unwrap()`:".into())]);
        assert_eq!(what("xtask/src/b.rs", call), []);
        let raw = "//! Doc.\nfn f() {\n    unsafe { g() }\n}\n";
        assert_eq!(what("crates/live/src/b.rs", raw), []);
        assert_eq!(what("crates/cli/src/b.rs", raw), [(3, "`unsafe` liv".into())]);
    }

    #[test]
    fn functions_are_measured() {
        let text = "impl A {\n    pub fn f() -> u32 {\n        1\n    }\n\n    fn g() {}\n}\n";
        assert_eq!(function_lengths(text), [(2, 3)]);
        let split = "pub fn f(\n    a: u32,\n) -> u32 {\n    1\n}\n";
        assert_eq!(function_lengths(split), [(1, 5)]);
        assert_eq!(check_budget(vec![10; 100]), None);
        assert!(check_budget((0..100).collect()).is_some());
    }
}
