//! What a directive says, apart from where it stands. Many directives of a source have the same
//! text: they share one meaning, which is found once.

use super::pragma;
use crate::clauses::{self, Split};
use crate::directive::Directive;
use crate::directives::{self, Kind, Level};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// What a directive says.
#[derive(Debug)]
pub(super) struct Meaning {
    /// The text after the sentinel. All spans of the directive are offsets into it.
    pub(super) text: Box<[u8]>,
    pub(super) directive: Directive,
    pub(super) kind: Kind,
    /// Whether it is what a metadirective becomes, and stands in that one's clause: then it cannot
    /// be split.
    pub(super) variant: bool,
    /// Each of these is computed at its first use.
    split: OnceCell<Result<Split, String>>,
    description: OnceCell<String>,
    barrier_stays: OnceCell<bool>,
}

impl Meaning {
    fn new(text: &[u8]) -> Self {
        let mut directive = Directive::parse(text, pragma::pieces(text, 0..text.len()), false);
        let mut kind = directives::classify(text, &directive);
        let mut variant = false;
        if let Some(chosen) = directives::variant(text, &directive) {
            let chosen = Directive::parse(text, chosen, false);
            let meaning = directives::classify(text, &chosen);
            // What gets no events is not looked at any closer: the compiler may not know it.
            if matches!(meaning, Kind::Events(_)) {
                (directive, kind, variant) = (chosen, meaning, true);
            }
        }
        let (split, description) = (OnceCell::new(), OnceCell::new());
        let (text, barrier_stays) = (text.into(), OnceCell::new());
        Self { text, directive, kind, variant, split, description, barrier_stays }
    }

    /// How the clauses of a combined construct are distributed over its levels.
    ///
    /// # Errors
    /// Why it cannot be split; then only the outermost events are possible.
    pub(super) fn split(&self) -> Result<&Split, &str> {
        let split = || match self.variant {
            true => Err("a metadirective cannot be split".to_owned()),
            false => clauses::split(&self.text, &self.directive, self.levels()),
        };
        self.split.get_or_init(split).as_ref().map_err(String::as_str)
    }

    /// The levels of a construct with events; none for other directives.
    fn levels(&self) -> &[Level] {
        if let Kind::Events(levels) = &self.kind { levels } else { &[] }
    }

    /// Its clauses that say how it runs, for the descriptor.
    pub(super) fn description(&self) -> &str {
        let text = |span| pragma::in_one_line(&self.text, span);
        self.description.get_or_init(|| clauses::describe(&self.directive, text))
    }

    /// Whether its clauses keep the implicit barrier, or take it away.
    pub(super) fn barrier_stays(&self) -> bool {
        let stays = || directives::barrier_stays(&self.text, &self.directive).is_some();
        *self.barrier_stays.get_or_init(stays)
    }
}

/// All meanings of a text, by the text of their directives.
#[derive(Debug, Default)]
pub(super) struct Meanings<'a>(HashMap<&'a [u8], Rc<Meaning>>);

impl<'a> Meanings<'a> {
    /// What the directive in a part of the text says; the part begins after the sentinel.
    pub(super) fn of(&mut self, text: &'a [u8], part: Range<usize>) -> Rc<Meaning> {
        let text = &text[part];
        Rc::clone(self.0.entry(text).or_insert_with(|| Rc::new(Meaning::new(text))))
    }
}
