//! Where an atomic construct ends: END ATOMIC is optional behind one statement, and the forms with
//! two statements (capture) or an IF (compare) look like ordinary code. So we look ahead.

use super::class::{Class, Construct};
use super::code::Code;
use super::cursor::is_name;
use super::nest::{Nester, State};
use super::plan::Facts;
use super::scan::{Cpp, Kind};
use super::site::{Broken, Site};

impl Nester<'_> {
    /// The state that an atomic directive begins with.
    pub(super) fn atomic(&self, at: usize, directive: usize) -> Result<State, Broken> {
        let first = self.next_code(at).ok_or_else(|| Broken {
            at,
            message: "no statement behind `atomic`".to_owned(),
            expected: "an assignment".to_owned(),
        })?;
        let end = self.whole(first);
        let parsed = &self.parsed[directive].directive;
        if self.is_end_atomic(end + 1) {
            return Ok(State::Loose);
        }
        let two = parsed.has("capture") || parsed.has("compare");
        if two
            && let Some(second) = self.next_code(end)
            && self.is_end_atomic(self.whole(second) + 1)
        {
            return Ok(State::Loose);
        }
        Ok(State::Atomic(end))
    }

    /// The next statement of Fortran, if no directive comes first.
    fn next_code(&self, at: usize) -> Option<usize> {
        let next = self.skip_cpp(at + 1);
        let statement = self.scan.statements.get(next)?;
        matches!(statement.kind, Kind::Code(_)).then_some(next)
    }

    fn skip_cpp(&self, mut at: usize) -> usize {
        while let Some(statement) = self.scan.statements.get(at)
            && matches!(statement.kind, Kind::Cpp(_))
        {
            at += 1;
        }
        at
    }

    /// The last statement of the construct that begins at `at`, or `at` itself.
    fn whole(&self, at: usize) -> usize {
        let wanted = match self.scan.statements[at].kind {
            Kind::Code(Class::Open(construct @ (Construct::If | Construct::Block))) => construct,
            _ => return at,
        };
        let mut depth = 0;
        for (index, statement) in self.scan.statements.iter().enumerate().skip(at) {
            match statement.kind {
                Kind::Code(Class::Open(construct)) if construct == wanted => depth += 1,
                Kind::Code(Class::End(construct)) if construct == wanted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return index;
            }
        }
        at
    }

    /// Whether END ATOMIC is the next directive or statement; `at` may be a preprocessor line.
    fn is_end_atomic(&self, at: usize) -> bool {
        let at = self.skip_alternatives(at);
        match self.scan.statements.get(at).map(|statement| statement.kind) {
            Some(Kind::Directive(directive)) => {
                let parsed = &self.parsed[directive];
                parsed.kind == crate::directives::Kind::End && parsed.name == "atomic"
            }
            _ => false,
        }
    }

    /// Past preprocessor lines and past the branches that are alternatives of the one that ends.
    fn skip_alternatives(&self, mut at: usize) -> usize {
        while let Some(Kind::Cpp(cpp)) = self.scan.statements.get(at).map(|next| next.kind) {
            let end = self.scan.groups.end_of(at).filter(|_| cpp == Cpp::Else);
            at = end.unwrap_or(at) + 1;
        }
        at
    }
}

impl Facts<'_> {
    /// Whether the statement of an atomic calls a function of this file: its time is not that of
    /// the update then. Other names before a parenthesis are mostly arrays.
    pub(super) fn calls(&self, site: &Site) -> bool {
        let directive = &self.parsed[site.directive].directive;
        let most = 1 + usize::from(directive.has("capture") || directive.has("compare"));
        let statements = self.scan.statements.iter().skip(site.opened + 1).take(most);
        let code = statements.filter(|statement| matches!(statement.kind, Kind::Code(_)));
        code.map(|&statement| Code::of(self.source, self.scan, self.form, statement))
            .any(|code| self.has_call(&code.text))
    }

    fn has_call(&self, text: &[u8]) -> bool {
        let opens = text.iter().enumerate().filter(|(_, c)| **c == b'(');
        opens.map(|(at, _)| at).any(|at| {
            let begin = text[..at].iter().rposition(|c| !is_name(*c)).map_or(0, |last| last + 1);
            let name = &text[begin..at];
            self.nest.units.iter().any(|unit| unit.name.as_bytes() == name && !name.is_empty())
        })
    }
}
