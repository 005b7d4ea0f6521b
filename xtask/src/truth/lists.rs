//! The closed lists of the court: causes that a finding may name, and kinds of advice that it may
//! give, as the analysis has them. `cargo xtask truth --list` prints them. A program whose header
//! uses another word is an error, and so is a report that does. To add a cause or a kind: a line in
//! `crates/analysis/src/findings/lists.rs` and a program here that has it.

use pompeii_analysis::{AdviceKind, Cause};

/// A word of a closed list and what it means.
pub(super) struct Word {
    pub(super) code: &'static str,
    pub(super) meaning: &'static str,
}

const fn word(code: &'static str, meaning: &'static str) -> Word {
    Word { code, meaning }
}

/// A program's header says this where there is nothing to repair; no finding names it.
pub(super) const NO_CAUSE: &str = "none";

/// What a finding's `cause` may be, and a header's.
pub(super) fn causes() -> Vec<Word> {
    let known = Cause::ALL.iter().map(|cause| word(cause.code(), cause.meaning()));
    known
        .chain([word(NO_CAUSE, "the program is good: no finding with a gain above 3 % of the run")])
        .collect()
}

/// The kind that says why there is nothing to set.
pub(super) const NO_ADVICE: &str = "none";

/// What `advice.kind` may be. The meaning says what `target` and `value` are.
pub(super) fn advice() -> Vec<Word> {
    AdviceKind::ALL.iter().map(|kind| word(kind.code(), kind.meaning())).collect()
}

/// Whether the list has this word.
pub(super) fn has(list: &[Word], code: &str) -> bool {
    list.iter().any(|word| word.code == code)
}

/// One of the lists, a line for each word.
pub(super) fn print(title: &str, list: &[Word]) {
    println!("{title}");
    for Word { code, meaning } in list {
        println!("  {code:24} {meaning}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{self, Program};
    use super::*;

    #[test]
    fn no_word_stands_twice() {
        for list in [causes(), advice()] {
            for word in &list {
                assert_eq!(list.iter().filter(|other| other.code == word.code).count(), 1);
            }
        }
        assert!(has(&advice(), "schedule") && !has(&advice(), "faster"));
    }

    #[test]
    fn each_word_has_a_program() {
        let programs = Program::all(&program::folder()).unwrap();
        for cause in causes() {
            let mut headers = programs.iter().map(|program| &program.header);
            assert!(headers.any(|header| header.cause == cause.code), "{}", cause.code);
        }
        for kind in advice() {
            let mut headers = programs.iter().map(|program| &program.header);
            let is_there = headers.any(|header| header.settings_for(kind.code).is_some());
            assert!(is_there || kind.code == NO_ADVICE, "{}", kind.code);
        }
    }
}
