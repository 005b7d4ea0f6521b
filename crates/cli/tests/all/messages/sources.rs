//! Messages in the sources: the first text after what makes a message of it.

use std::fs;
use std::path::Path;

/// A message as it stands in a source.
pub struct Message {
    /// File and line.
    pub place: String,
    /// The text, on one line, with the names of its values in braces.
    pub text: String,
}

impl Message {
    /// Whether the text is this message, whatever its values are: its own words are in it, one after
    /// another.
    pub fn is_in(&self, text: &str) -> bool {
        let mut rest = text;
        words(&self.text).all(|part| match rest.find(&part.replace("\\n", "\n")) {
            Some(at) => {
                rest = &rest[at..];
                true
            }
            None => false,
        })
    }
}

/// What stands between values.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').enumerate().map(|(number, part)| match number {
        0 => part,
        _ => part.split_once('}').map_or(part, |(_, words)| words),
    })
}

/// What makes a message of the next text.
const MAKERS: [&str; 8] = [
    "say(",
    "bail!(",
    "anyhow!(",
    ".context(",
    "with_context(",
    "cannot(\"",
    "#[error(",
    "complain(",
];
/// Crates whose messages a user meets.
const CRATES: [&str; 9] =
    ["cli", "cubex", "otf2", "epilog", "finish", "analysis", "report", "runtime", "export"];

/// All messages that have words of their own.
pub fn messages(crates: &Path) -> Vec<Message> {
    let mut found = Vec::new();
    let mut open: Vec<_> = CRATES.iter().map(|name| crates.join(name).join("src")).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap();
            let name = path.strip_prefix(crates).unwrap().display().to_string();
            for maker in MAKERS {
                let of = text.match_indices(maker).filter_map(|(at, _)| message(text, at, maker));
                found.extend(
                    of.map(|(line, text)| Message { place: format!("{name}:{line}"), text }),
                );
            }
        }
    }
    let has_words =
        |text: &str| words(text).any(|part| part.chars().filter(|c| c.is_alphabetic()).count() > 3);
    found.retain(|message| has_words(&message.text));
    found.sort_by(|a, b| (&a.text, &a.place).cmp(&(&b.text, &b.place)));
    found.dedup_by(|a, b| a.text == b.text);
    found
}

/// The line, and the text that follows the maker at this byte.
fn message(text: &str, at: usize, maker: &str) -> Option<(usize, String)> {
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let is_comment = text[begin..at].trim_start().starts_with("//");
    let is_definition = text[begin..at].contains("fn ");
    let after = &text[at + maker.len()..];
    let near = &after[..after.char_indices().nth(240).map_or(after.len(), |(at, _)| at)];
    // Of a statement of its own, nothing follows that belongs to this message.
    let near = near.split(";\n").next().unwrap_or(near);
    if is_comment || is_definition || maker != "cannot(\"" && near.contains("cannot(\"") {
        return None;
    }
    let line = text[..at].matches('\n').count() + 1;
    if maker == "cannot(\"" {
        return Some((line, format!("cannot {} {{}}", after.split('"').next()?)));
    }
    let begin = near.find("format!(").map_or(0, |at| at + "format!(".len());
    let quote = begin + near[begin..].find('"')?;
    Some((line, literal(&after[quote + 1..])))
}

/// A literal up to its closing quote; a `\` at the end of a line joins it with the next.
fn literal(text: &str) -> String {
    let mut literal = String::new();
    let mut chars = text.chars().peekable();
    while let Some(character) = chars.next() {
        match character {
            '"' => break,
            '\\' if chars.peek() == Some(&'\n') => {
                while chars.next_if(|next| next.is_whitespace()).is_some() {}
            }
            '\\' => match chars.next() {
                Some('n') => literal.push_str("\\n"),
                Some(other) => literal.push(other),
                None => {}
            },
            other => literal.push(other),
        }
    }
    literal
}
