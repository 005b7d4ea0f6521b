//! The paths that a Rust file writes: its imports, and all other paths of several names. Comments,
//! strings and code that is compiled for tests only do not count. This reads words, not grammar:
//! for the question which file uses which, that is enough.

/// What one file says of names.
pub(super) struct Names {
    /// Imports: the name here, and the path that it stands for.
    pub(super) imports: Vec<(String, Vec<String>)>,
    /// Other paths of at least two names.
    pub(super) paths: Vec<Vec<String>>,
}

impl Names {
    /// Reads the text of a file.
    pub(super) fn of(text: &str) -> Self {
        let tokens = tokens(&without_tests(&code(text)));
        let mut names = Self { imports: Vec::new(), paths: Vec::new() };
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at] == "use" {
                at = names.import(&tokens, at + 1, &[]);
            } else if is_name(&tokens[at]) {
                let path = path(&tokens[at..]);
                at += path.len() * 2 - 1;
                if path.len() > 1 {
                    names.paths.push(path);
                }
            } else {
                at += 1;
            }
        }
        names
    }

    /// Reads one tree of a `use` below the path `before`; returns where it ends.
    fn import(&mut self, tokens: &[String], mut at: usize, before: &[String]) -> usize {
        let mut path = before.to_vec();
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "::" => at += 1,
                "{" => return self.group(tokens, at + 1, &path),
                "as" => {
                    let name = tokens.get(at + 1).cloned().unwrap_or_default();
                    self.imports.push((name, path));
                    return at + 2;
                }
                name if is_name(name) || name == "*" => {
                    path.push(name.to_owned());
                    at += 1;
                }
                _ => break,
            }
        }
        if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
            path.pop();
        }
        let name = path.last().cloned().unwrap_or_default();
        self.imports.push((name, path));
        at
    }

    fn group(&mut self, tokens: &[String], mut at: usize, before: &[String]) -> usize {
        while tokens.get(at).is_some_and(|token| token != "}") {
            let end = self.import(tokens, at, before);
            // A comma, or a token that cannot stand here.
            at = end + usize::from(end == at || tokens.get(end).is_some_and(|token| token == ","));
        }
        at + 1
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The names of the path with which the tokens begin.
fn path(tokens: &[String]) -> Vec<String> {
    let mut names = vec![tokens[0].clone()];
    for pair in tokens[1..].chunks_exact(2) {
        if pair[0] != "::" || !is_name(&pair[1]) {
            break;
        }
        names.push(pair[1].clone());
    }
    names
}

/// Names, `::`, and single characters.
fn tokens(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match rest.find(|c| !is_part(c)).unwrap_or(rest.len()) {
            0 if rest.starts_with("::") => 2,
            0 => first.len_utf8(),
            length => length,
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The text without comments, strings and characters.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'', '#']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with(['"', '#']) && code.ends_with('r') {
            raw_string(rest)
        } else if rest.starts_with('"') {
            string(rest)
        } else if rest.starts_with('\'') {
            character(rest)
        } else {
            1
        };
        code.push_str(if length == 1 { &rest[..1] } else { " " });
        rest = &rest[length..];
    }
    code + rest
}

/// The length of the string with which the text begins.
fn string(text: &str) -> usize {
    let mut is_escaped = true;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

/// The length of a string after `r`, from its first `#` or quote on; 1 for anything else.
fn raw_string(text: &str) -> usize {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let Some(inner) = text[hashes..].strip_prefix('"') else { return 1 };
    let end = format!("\"{}", "#".repeat(hashes));
    inner.find(&end).map_or(text.len(), |at| hashes + 1 + at + end.len())
}

/// The length of the character with which the text begins; 1 for the quote of a lifetime.
fn character(text: &str) -> usize {
    let inner = &text[1..];
    let first = |text: &str| text.chars().next().map_or(0, char::len_utf8);
    if let Some(escape) = inner.strip_prefix('\\') {
        let skipped = first(escape);
        return escape[skipped..].find('\'').map_or(text.len(), |end| 2 + skipped + end + 1);
    }
    let length = first(inner);
    if inner[length..].starts_with('\'') { 1 + length + 1 } else { 1 }
}

/// The code without modules, functions and imports that are compiled for tests only.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(") {
        let attribute = rest[at..].find(']').map_or(rest.len(), |end| at + end + 1);
        if !super::is_for_tests(&rest[at..attribute]) {
            kept.push_str(&rest[..attribute]);
            rest = &rest[attribute..];
            continue;
        }
        kept.push_str(&rest[..at]);
        rest = &rest[attribute..];
        let is_import = rest.trim_start().starts_with("use ");
        let end = rest.find(|c| c == ';' || (c == '{' && !is_import)).unwrap_or(rest.len());
        let length = if rest[end..].starts_with('{') { end + block(&rest[end..]) } else { end + 1 };
        rest = &rest[length.min(rest.len())..];
    }
    kept + rest
}

/// The length of the block with which the code begins.
fn block(code: &str) -> usize {
    let mut depth = 0;
    let end = code.bytes().position(|byte| {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        depth == 0
    });
    end.map_or(code.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::Names;

    fn check(text: &str, imports: &[&str], paths: &[&str]) {
        let names = Names::of(text);
        let shown = |(name, path): &(String, Vec<String>)| format!("{name} = {}", path.join("::"));
        assert_eq!(names.imports.iter().map(shown).collect::<Vec<_>>(), imports);
        assert_eq!(names.paths.iter().map(|path| path.join("::")).collect::<Vec<_>>(), paths);
    }

    #[test]
    fn imports_are_read_as_trees() {
        check(
            "pub use crate::a::{self, B as C, d::{E, *}};\nuse f;",
            &[
                "a = crate::a",
                "C = crate::a::B",
                "E = crate::a::d::E",
                "* = crate::a::d::*",
                "f = f",
            ],
            &[],
        );
    }

    #[test]
    fn paths_outside_of_code_do_not_count() {
        check(
            "// a::b\nfn f<'a>(x: &'a g::H) { i(\"c::d \\\" e::f\", 'x', '\\'', r#\"j::k\"#); l::m() }",
            &[],
            &["g::H", "l::m"],
        );
    }

    #[test]
    fn what_only_tests_use_does_not_count() {
        check(
            "#[cfg(test)]\nuse a::{b};\n#[cfg(unix)]\nfn f() { c::d() }\n\
             #[cfg(test)]\nmod tests { fn g() { e::f() } }\nfn h() { i::j() }",
            &[],
            &["c::d", "i::j"],
        );
    }
}
