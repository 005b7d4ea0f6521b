//! What only the preprocessed text shows: directives made by macros, clauses that are macros, lines
//! that go on behind a trigraph, constructs that only a preprocessor branch puts on a device. It is
//! said, so that `pompeii compile` takes that text.

use super::constructs::Closed;
use super::device;
use super::emit::Emitter;
use super::pragma::Found;
use super::scan;
use crate::Severity;
use crate::clauses;
use std::cell::LazyCell;

impl Emitter<'_> {
    /// Says what of the whole text is hidden.
    pub(super) fn hidden(&mut self) {
        self.macros();
        self.trigraphs();
    }

    /// A macro among the clauses: it may stand for one that matters, `nowait` for example.
    pub(super) fn macro_in_clauses(&self, found: &Found) -> Option<String> {
        let names = found.directive.clauses.iter().map(|clause| &*clause.name);
        let mut unknown = names.filter(|name| !clauses::is_known(name));
        let defined = |name: &&str| {
            let macros = || self.defined.get_or_init(|| scan::defined_names(self.source));
            name.bytes().any(|byte| byte.is_ascii_uppercase()) || macros().contains(name.as_bytes())
        };
        unknown.find(defined).filter(|_| !self.options.preprocessed).map(str::to_owned)
    }

    /// Only compilers that know trigraphs take the `??/` at the end of a line for a backslash, and
    /// what the preprocessor makes of the text shows what is meant.
    fn trigraphs(&mut self) {
        for &at in self.lexed.trigraphs.iter().filter(|_| !self.options.preprocessed) {
            let message = "this pragma may go on behind a trigraph and is left alone; instrument \
                           the preprocessed text to see it";
            self.note(at, Severity::Hidden, message.to_owned());
        }
    }

    /// Whether there may be a configuration with this directive and without what closes its
    /// surroundings: a branch of the preprocessor makes them that, as in texts for device and host.
    pub(super) fn may_be_left_out(&self, closed: Closed, found: &Found) -> bool {
        let branch = |found: &Found| self.lexed.conditions.branch_at(found.span.start);
        let in_branch = || {
            let mut devices = self.lexed.directives.iter().filter(|found| device::is_for(found));
            devices.any(|found| branch(found) != 0)
        };
        !self.options.preprocessed
            && match closed {
                Closed::Construct(index) => {
                    let outer = branch(&self.lexed.directives[index]);
                    !self.lexed.conditions.within(branch(found), outer)
                }
                Closed::Device => *self.devices_in_branch.get_or_init(in_branch),
            }
    }

    fn macros(&mut self) {
        let anywhere = LazyCell::new(|| scan::mentions_directive(self.source));
        let mut hiding = Vec::new();
        for &at in &self.lexed.macros {
            let end = scan::preprocessor_line_end(self.source, at);
            let from_argument = !scan::has_operator_with_literal(&self.source[at..end]);
            if scan::mentions_directive(&self.source[at..end]) || from_argument && *anywhere {
                hiding.push(at);
            }
        }
        for at in hiding {
            let message = "directives made by this macro are not seen; \
                           instrument the preprocessed text to see them";
            self.note(at, Severity::Hidden, message.to_owned());
        }
    }
}
