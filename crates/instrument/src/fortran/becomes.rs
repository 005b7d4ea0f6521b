//! What a metadirective becomes on the host, if its text says so.

use super::directive::pieces;
use super::directive_text::DirectiveText;
use crate::directive::Directive;
use crate::directives::{self, Kind as Meaning};

/// How a metadirective is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Metadirective {
    /// With `begin`, so that an END closes it.
    pub delimited: bool,
    /// Its text says what it becomes.
    pub decided: bool,
}

impl Metadirective {
    /// Puts what a metadirective becomes in its place, if its text says that and it has events;
    /// `None` if it is none.
    pub fn decide(
        text: &DirectiveText,
        directive: &mut Directive,
        kind: &mut Meaning,
    ) -> Option<Self> {
        let delimited = match directive.words.as_slice() {
            [word] if word.text == "metadirective" => false,
            [begin, word] if begin.text == "begin" && word.text == "metadirective" => true,
            _ => return None,
        };
        let variant = directives::chosen(&text.text, directive, true).filter(|_| !text.has_cpp);
        let decided = variant.is_some();
        if let Some([first, .., last] | [first @ last]) = variant.as_deref() {
            // Cut once more: words that are written together are cut outside of parentheses only.
            let parts = pieces(text, first.start()..last.end());
            let variant = Directive::parse(&text.text, parts, true);
            let meaning = directives::classify(&text.text, &variant);
            // What gets no events is not looked at any closer: the compiler may not know it.
            if matches!(meaning, Meaning::Events(_)) {
                (*directive, *kind) = (variant, meaning);
            }
        }
        Some(Self { delimited, decided })
    }
}
