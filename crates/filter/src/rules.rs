//! Filter files, in Score-P's syntax: which functions and user regions are measured.
//!
//! A block of rules about files and one about regions (functions), each a list of `INCLUDE` and
//! `EXCLUDE` with patterns behind them, until the next keyword. Everything is included at first,
//! and the last rule that matches decides. A file that is excluded cannot come back by the name of
//! one of its functions. Patterns are those of a shell, but `*` also crosses `/`. `#` begins a
//! comment, a backslash takes the meaning from the next character.
//!
//! Source: Score-P 9, measurement configuration, section "Filtering".

use std::path::Path;

/// A filter file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    files: Vec<Rule>,
    regions: Vec<Rule>,
}

/// One pattern with what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    include: bool,
    /// Whether the pattern is about the name that the linker sees.
    mangled: bool,
    pattern: Vec<Piece>,
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Character(char),
    /// `?`
    Any,
    /// `*`
    Many,
    /// `[a-z]`, and whether it is negated.
    Set(Vec<(char, char)>, bool),
}

/// Where a filter file breaks the syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// 1-based line.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl std::fmt::Display for FilterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for FilterError {}

/// The two kinds of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Files,
    Regions,
}

impl Block {
    fn end(self) -> &'static str {
        match self {
            Self::Files => "SCOREP_FILE_NAMES_END",
            Self::Regions => "SCOREP_REGION_NAMES_END",
        }
    }
}

/// Where the reading of a file stands.
#[derive(Default)]
struct Reader {
    filter: Filter,
    block: Option<Block>,
    /// The rule that patterns belong to: whether it includes.
    include: Option<bool>,
    mangled: bool,
    /// Whether a keyword still waits for its first pattern.
    waiting: bool,
}

impl Filter {
    /// Reads a filter file.
    ///
    /// # Errors
    /// A word where none is expected, with its line.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let mut reader = Reader::default();
        let mut line = 0;
        for (number, text) in text.lines().enumerate() {
            line = number + 1;
            for word in words(text) {
                reader.word(&word).map_err(|message| FilterError { line, message })?;
            }
        }
        match reader.block {
            Some(block) => {
                let message = format!("the file ends inside of a block: expected {}", block.end());
                Err(FilterError { line, message })
            }
            None => Ok(reader.filter),
        }
    }

    /// Whether the functions and user regions of a file are wanted. The path is tried as given and,
    /// if it is relative, in `folder`.
    pub fn wants_file(&self, path: &str, folder: Option<&Path>) -> bool {
        let absolute = folder.map(|folder| folder.join(path).display().to_string());
        last_match(&self.files, |rule| {
            rule.matches(path) || absolute.as_deref().is_some_and(|path| rule.matches(path))
        })
    }

    /// Whether a function of a wanted file is wanted. Any of its names may match; `mangled` is the
    /// one that the linker sees, as far as the source tells.
    pub fn wants_region(&self, names: &[&str], mangled: &str) -> bool {
        last_match(&self.regions, |rule| match rule.mangled {
            true => rule.matches(mangled),
            false => names.iter().any(|name| rule.matches(name)),
        })
    }
}

fn last_match(rules: &[Rule], matches: impl Fn(&Rule) -> bool) -> bool {
    rules.iter().rev().find(|rule| matches(rule)).is_none_or(|rule| rule.include)
}

impl Rule {
    fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        matches(&self.pattern, &text)
    }
}

impl Reader {
    fn word(&mut self, word: &str) -> Result<(), String> {
        let Some(block) = self.block else { return self.begin(word) };
        match word {
            "INCLUDE" | "EXCLUDE" => {
                self.complete()?;
                (self.include, self.mangled) = (Some(word == "INCLUDE"), false);
                self.waiting = true;
            }
            "MANGLED" | "DEMANGLED" if block == Block::Regions && self.include.is_some() => {
                self.mangled = word == "MANGLED";
                self.waiting = true;
            }
            _ if word == block.end() => {
                self.complete()?;
                (self.block, self.include) = (None, None);
            }
            _ if word.starts_with("SCOREP_") && word.ends_with("_NAMES_BEGIN") => {
                return Err(format!("`{word}` inside of a block: expected {}", block.end()));
            }
            _ => return self.pattern(block, word),
        }
        Ok(())
    }

    fn begin(&mut self, word: &str) -> Result<(), String> {
        self.block = Some(match word {
            "SCOREP_FILE_NAMES_BEGIN" => Block::Files,
            "SCOREP_REGION_NAMES_BEGIN" => Block::Regions,
            _ => {
                let expected = "SCOREP_FILE_NAMES_BEGIN or SCOREP_REGION_NAMES_BEGIN";
                return Err(format!("`{word}` is not in a block: expected {expected}"));
            }
        });
        Ok(())
    }

    /// A keyword needs patterns.
    fn complete(&self) -> Result<(), String> {
        match self.waiting {
            true => Err("a rule without a pattern: expected one behind its keyword".to_owned()),
            false => Ok(()),
        }
    }

    fn pattern(&mut self, block: Block, word: &str) -> Result<(), String> {
        let Some(include) = self.include else {
            return Err(format!("`{word}` belongs to no rule: expected INCLUDE or EXCLUDE"));
        };
        self.waiting = false;
        let rule = Rule { include, mangled: self.mangled, pattern: pieces(word) };
        match block {
            Block::Files => self.filter.files.push(rule),
            Block::Regions => self.filter.regions.push(rule),
        }
        Ok(())
    }
}

/// The words of a line: blanks separate, `#` begins a comment, a backslash stays with the character
/// that it protects.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = words.len() - 1;
        match character {
            '#' => break,
            '\\' => {
                words[last].push('\\');
                words[last].extend(characters.next());
            }
            _ if character.is_whitespace() => words.push(String::new()),
            _ => words[last].push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Reads a pattern. A bracket that is never closed stands for itself.
fn pieces(word: &str) -> Vec<Piece> {
    let text: Vec<char> = word.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(&character) = text.get(at) {
        at += 1;
        pieces.push(match character {
            '?' => Piece::Any,
            '*' => Piece::Many,
            '\\' => {
                at += 1;
                Piece::Character(text.get(at - 1).copied().unwrap_or('\\'))
            }
            '[' => match set(&text[at..]) {
                Some((piece, length)) => {
                    at += length;
                    piece
                }
                None => Piece::Character('['),
            },
            _ => Piece::Character(character),
        });
    }
    pieces
}

/// The set behind a `[`, and how long it is with its `]`.
fn set(text: &[char]) -> Option<(Piece, usize)> {
    let negated = matches!(text.first(), Some('!' | '^'));
    let first = usize::from(negated);
    // A bracket in the first place is a member.
    let length = text.iter().skip(first + 1).position(|&character| character == ']')? + first + 1;
    let members = &text[first..length];
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < members.len() {
        if members.get(at + 1) == Some(&'-') && at + 2 < members.len() {
            ranges.push((members[at], members[at + 2]));
            at += 3;
        } else {
            ranges.push((members[at], members[at]));
            at += 1;
        }
    }
    Some((Piece::Set(ranges, negated), length + 1))
}

impl Piece {
    fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(wanted) => *wanted == character,
            Self::Any | Self::Many => true,
            Self::Set(ranges, negated) => {
                let found = ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
                found != *negated
            }
        }
    }
}

/// Whether a pattern takes the whole text. Only the last `*` is ever tried again, so the time is
/// at most the product of both lengths.
fn matches(pattern: &[Piece], text: &[char]) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while next < text.len() {
        match pattern.get(at) {
            Some(Piece::Many) => {
                star = Some((at, next));
                at += 1;
            }
            Some(piece) if piece.takes(text[next]) => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((place, from)) = star else { return false };
                star = Some((place, from + 1));
                (at, next) = (place + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|piece| *piece == Piece::Many)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    const FILTER: &str = "SCOREP_FILE_NAMES_BEGIN # evaluated first\r
  EXCLUDE */filtering/filter*\r
  INCLUDE */filter_test.c
SCOREP_FILE_NAMES_END
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE *
  INCLUDE bar foo
          baz main           # rule continues until next keyword
  EXCLUDE MANGLED _ZN* DEMANGLED ba[xz] q\\#?
SCOREP_REGION_NAMES_END
";

    #[test]
    fn the_last_rule_that_matches_decides() {
        let filter = Filter::parse(FILTER).unwrap();
        let wanted = |name| filter.wants_region(&[name], name);
        let names = ["bar", "foo", "baz", "main", "other", "_ZN3barE", "q#1"];
        assert_eq!(names.map(wanted), [true, true, false, true, false, false, false]);
        assert!(filter.wants_file("src/filtering/test.c", None));
        assert!(!filter.wants_file("src/filtering/filter.c", None));
        assert!(filter.wants_file("src/filtering/filter_test.c", None));
        assert!(!filter.wants_file("filter.c", Some(Path::new("/x/filtering"))));
    }

    #[test]
    fn without_rules_everything_is_wanted() {
        let filter = Filter::parse("# nothing\n").unwrap();
        assert!(filter.wants_region(&["main"], "main") && filter.wants_file("a.c", None));
    }

    #[test]
    fn patterns() {
        let matches = |pattern: &str, text: &str| {
            let text: Vec<char> = text.chars().collect();
            super::matches(&pieces(pattern), &text)
        };
        assert!(matches("*a*b", "xxaxxab") && !matches("*a*b", "xxaxxa"));
        assert!(matches("a/*", "a/b/c") && matches("[!a-c]x", "dx") && !matches("[!a-c]x", "bx"));
        assert!(matches("[]x]", "]") && matches("[a", "[a") && matches("\\*", "*"));
        assert!(!matches("\\*", "x") && matches("?", "ä") && !matches("", "x"));
    }

    fn check(text: &str, expected: Expect) {
        let error = Filter::parse(text).unwrap_err();
        expected.assert_eq(&error.to_string());
    }

    #[test]
    fn errors_name_the_line() {
        check(
            "EXCLUDE x",
            expect![
                "line 1: `EXCLUDE` is not in a block: expected SCOREP_FILE_NAMES_BEGIN or \
                 SCOREP_REGION_NAMES_BEGIN"
            ],
        );
        check(
            "SCOREP_REGION_NAMES_BEGIN\nfoo",
            expect!["line 2: `foo` belongs to no rule: expected INCLUDE or EXCLUDE"],
        );
        check(
            "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE\nSCOREP_REGION_NAMES_END",
            expect!["line 3: a rule without a pattern: expected one behind its keyword"],
        );
        check(
            "SCOREP_FILE_NAMES_BEGIN\nEXCLUDE a\n",
            expect!["line 2: the file ends inside of a block: expected SCOREP_FILE_NAMES_END"],
        );
    }
}
