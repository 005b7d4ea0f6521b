//! How often user text has words that make sentences hard to read, and words that connect them
//! (STYLE.md): in the README, in the manual and in all `--help` texts, which are the doc comments
//! of what clap derives its commands from. The figures find text that needs another look; replacing
//! words one by one reaches them and helps no reader.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Complaint, rust_files};

/// Words that often stand for a thing that should be named.
const VAGUE: [&str; 5] = ["what", "which", "who", "where", "that"];
/// Words that plain technical English replaces: *after*, *next to*, the name of who acts.
const ODD: [&str; 4] = ["behind", "beside", "nobody", "somebody"];
/// Words that connect sentences; `for example` is counted as two words that follow each other.
const CONNECTING: [&str; 3] = ["because", "since", "instead"];

/// What is counted, per how many words, and the limits.
struct Rule {
    words: &'static str,
    count: fn(&Counts) -> usize,
    per: f64,
    limit: Limit,
}

#[derive(Clone, Copy)]
enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

const RULES: [Rule; 3] = [
    Rule {
        words: "what, which, who, where, that",
        count: |counts| counts.vague,
        per: 1000.0,
        limit: Limit::AtMost(30.0),
    },
    Rule {
        words: "behind, beside, nobody, somebody",
        count: |counts| counts.odd,
        per: 10_000.0,
        limit: Limit::AtMost(2.0),
    },
    Rule {
        words: "because, since, for example, instead",
        count: |counts| counts.connecting,
        per: 1000.0,
        limit: Limit::AtLeast(3.5),
    },
];

/// The words of a text.
#[derive(Default, Clone, Copy, PartialEq, Debug)]
struct Counts {
    words: usize,
    vague: usize,
    odd: usize,
    connecting: usize,
}

impl Counts {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        let mut before = String::new();
        for word in text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|w| !w.is_empty())
        {
            let word = word.to_lowercase();
            counts.words += 1;
            counts.vague += usize::from(VAGUE.contains(&word.as_str()));
            counts.odd += usize::from(ODD.contains(&word.as_str()));
            let for_example = before == "for" && word == "example";
            counts.connecting += usize::from(for_example || CONNECTING.contains(&word.as_str()));
            before = word;
        }
        counts
    }

    fn plus(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            vague: self.vague + other.vague,
            odd: self.odd + other.odd,
            connecting: self.connecting + other.connecting,
        }
    }
}

impl Rule {
    fn value(&self, counts: &Counts) -> f64 {
        (self.count)(counts) as f64 * self.per / counts.words.max(1) as f64
    }

    /// What is wrong, where something is.
    fn complaint(&self, counts: &Counts) -> Option<String> {
        let value = self.value(counts);
        let (holds, expected) = match self.limit {
            Limit::AtMost(limit) => (value <= limit, format!("at most {limit}")),
            Limit::AtLeast(limit) => (value >= limit, format!("at least {limit}")),
        };
        let (words, per) = (self.words, self.per);
        (!holds).then(|| format!("{words}: {value:.1} per {per} words; {expected} expected"))
    }
}

/// Prints the figures of each text; the rules are about all of them together.
pub(super) fn check(root: &Path) -> Result<Vec<Complaint>> {
    let mut all = Counts::default();
    for (name, counts) in texts(root)? {
        print_figures(name, &counts);
        all = all.plus(counts);
    }
    print_figures("all user text", &all);
    let file = "README.md, docs/manual.md, --help";
    let complaints = RULES.iter().filter_map(|rule| rule.complaint(&all));
    Ok(complaints.map(|what| Complaint { file: file.to_owned(), line: 0, what }).collect())
}

fn print_figures(name: &str, counts: &Counts) {
    let values: Vec<String> =
        RULES.iter().map(|rule| format!("{:.1}", rule.value(counts))).collect();
    println!(
        "{name}: {} words; per 1,000 {} of what, which, who, where, that; per 10,000 {} of behind, \
         beside, nobody, somebody; per 1,000 {} of because, since, for example, instead",
        counts.words, values[0], values[1], values[2]
    );
}

/// Names of texts and their words.
fn texts(root: &Path) -> Result<[(&'static str, Counts); 3]> {
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| path.to_owned());
    let mut help = String::new();
    for path in rust_files(root)? {
        if path.starts_with(root.join("crates/cli/src")) {
            help += &help_texts(&fs::read_to_string(&path)?);
        }
    }
    Ok([
        ("README", Counts::of(&prose(&read("README.md")?))),
        ("manual", Counts::of(&prose(&read("docs/manual.md")?))),
        ("--help", Counts::of(&prose(&help))),
    ])
}

/// A text without blocks of code and code within lines.
fn prose(markdown: &str) -> String {
    let mut text = String::new();
    let mut in_block = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            text.extend(line.split('`').step_by(2).flat_map(|part| [part, " "]));
            text.push('\n');
        }
    }
    text
}

/// The doc comments inside of types that clap derives commands and options from.
fn help_texts(source: &str) -> String {
    const DERIVED: [&str; 4] = ["Parser", "Args", "Subcommand", "ValueEnum"];
    let mut text = String::new();
    let (mut is_derived, mut inside) = (false, false);
    for line in source.lines() {
        if line.starts_with("#[derive(") {
            is_derived = DERIVED.iter().any(|name| line.contains(name));
        } else if line.starts_with('}') {
            (is_derived, inside) = (false, false);
        } else if is_derived && line.ends_with('{') && !line.starts_with(' ') {
            inside = true;
        } else if let (true, Some(doc)) = (inside, line.trim_start().strip_prefix("///")) {
            text += doc;
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted() {
        let counts = Counts::of("What stands behind it, for\nexample; that's because of THAT.");
        assert_eq!(counts, Counts { words: 10, vague: 2, odd: 1, connecting: 2 });
    }

    #[test]
    fn code_is_no_prose() {
        let text = "Use `which` here.\n```console\n$ which cc\n```\nDone.\n";
        assert_eq!(Counts::of(&prose(text)), Counts { words: 3, ..Counts::default() });
    }

    #[test]
    fn help_is_what_clap_shows() {
        let source = "/// Not shown.\n#[derive(clap::Args)]\npub struct A {\n    /// One\n    #[arg(long)]\n    \
                      a: bool,\n}\n\n/// Not shown either.\n#[derive(Debug)]\nstruct B {\n    /// No.\n    b: u32,\n}\n\
                      #[derive(Subcommand)]\nenum C {\n    /// Two\n    X,\n}\n";
        assert_eq!(help_texts(source), " One\n Two\n");
    }

    #[test]
    fn each_rule_can_fail() {
        let failing = |counts: &Counts| -> Vec<bool> {
            RULES.iter().map(|rule| rule.complaint(counts).is_some()).collect()
        };
        let good = Counts { words: 10_000, vague: 300, odd: 2, connecting: 35 };
        assert_eq!(failing(&good), [false, false, false]);
        assert_eq!(failing(&Counts { vague: 301, ..good }), [true, false, false]);
        assert_eq!(failing(&Counts { odd: 3, ..good }), [false, true, false]);
        assert_eq!(failing(&Counts { connecting: 34, ..good }), [false, false, true]);
        let said = RULES[1].complaint(&Counts { odd: 25, ..good });
        let expected = "behind, beside, nobody, somebody: 25.0 per 10000 words; at most 2 expected";
        assert_eq!(said.as_deref(), Some(expected));
    }

    #[test]
    fn the_project_has_texts_of_all_kinds() {
        for (name, counts) in texts(&crate::root()).unwrap() {
            assert!(counts.words > 300, "{name}: {} words", counts.words);
        }
    }
}
