//! The finder of the end of a structured block: a walk over the tokens of one view.
//!
//! Statement structure matters only directly after a directive: there the walk decides whether an
//! `else` belongs to it, where a `do` ends, what a label stands before. Inside of a compound
//! statement or a bracket, braces are counted and directives are looked for, nothing else. So the
//! walk is linear in the tokens and knows nothing about declarations and expressions.

use super::conditions::View;
use super::lexer::{Kind, Lexed, Token};
use super::segments::{self, Stop};
use crate::directives::{self, Level};
use crate::{Error, LineIndex};
use std::ops::Range;

/// Where a directive and its body are, in one view.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) directive: usize,
    /// The directive whose body this one is in.
    pub(super) parent: Option<usize>,
    /// The body; `None` for a directive that stands alone.
    pub(super) body: Option<Body>,
    /// The loops of a directive whose iterations can have events.
    pub(super) nest: Option<Nest>,
    /// Whether this is the first section of a `sections` construct, which needs no directive. Then
    /// `directive` is the `sections` one.
    pub(super) implicit_section: bool,
}

/// A body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Body {
    /// Offset of its first token.
    pub(super) start: usize,
    /// Offset after its last token.
    pub(super) end: usize,
    /// Whether it is one compound statement.
    pub(super) compound: bool,
}

/// The nested loops that a directive is about.
#[derive(Debug, Clone)]
pub(super) struct Nest {
    /// What is in the parentheses of each loop, the outermost one first.
    pub(super) headers: Vec<Range<usize>>,
    /// Whether the headers do not tell what the directive is about: another one in between
    /// transforms the loops, or preprocessor branches have other headers.
    pub(super) unclear: bool,
    /// What one iteration of the innermost one executes.
    pub(super) iteration: Body,
}

/// Most directives are about at most this number of loops.
const HEADERS: usize = 4;

/// Loops that are being looked for.
#[derive(Debug, Clone)]
struct Wanted {
    /// Index of the site.
    site: usize,
    /// How many more.
    depth: usize,
    /// What is in the parentheses of those that have been met.
    headers: Vec<Range<usize>>,
    /// See [`Nest::unclear`].
    unclear: bool,
}

/// Finds all constructs, in the order of the views that show them.
pub(super) fn sites(
    text: &[u8],
    lines: &LineIndex,
    lexed: &Lexed,
    views: &[View],
) -> Result<Vec<Site>, Error> {
    let segments = segments::walk(lexed, views, (), |view, start, ()| {
        let mut walk = Walk {
            text,
            lines,
            lexed,
            view,
            at: start,
            end: 0,
            depth: 0,
            parent: None,
            wanted: None,
            sites: Vec::new(),
        };
        walk.segment(start)?;
        Ok(Stop { at: walk.at, open: (), found: walk.sites })
    })?;
    Ok(segments.of(|_, _| true).into_iter().flatten().collect())
}

/// Statements nested deeper than this are refused rather than overflowing the stack. It is clang's
/// limit for brackets.
const DEPTH_MAX: usize = 256;

struct Walk<'a> {
    text: &'a [u8],
    lines: &'a LineIndex,
    lexed: &'a Lexed,
    view: &'a View,
    /// Index of the next token.
    at: usize,
    /// Offset after the last token that was passed.
    end: usize,
    depth: usize,
    parent: Option<usize>,
    /// Between a directive and its loops: those.
    wanted: Option<Wanted>,
    sites: Vec<Site>,
}

impl Walk<'_> {
    /// All constructs up to the end of the segment.
    fn segment(&mut self, start: usize) -> Result<(), Error> {
        loop {
            match self.lexed.tokens[self.at].kind {
                Kind::End => return Ok(()),
                Kind::Condition(_) => {
                    self.at = self.lexed.shown_of_segment(self.view, start, self.at);
                    if let Kind::Condition(_) = self.lexed.tokens[self.at].kind {
                        return Ok(());
                    }
                }
                Kind::Directive(_) => self.directive()?,
                _ => self.at += 1,
            }
        }
    }

    /// The next token that the view shows.
    #[inline]
    fn peek(&mut self) -> Token {
        self.at = self.lexed.shown(self.view, self.at);
        self.lexed.tokens[self.at]
    }

    #[inline]
    fn kind(&mut self) -> Kind {
        self.peek().kind
    }

    #[inline]
    fn advance(&mut self) {
        let token = self.peek();
        if token.kind != Kind::End {
            self.end = token.end as usize;
            self.at += 1;
        }
    }

    fn error(&self, at: usize, message: &str, expected: &str) -> Error {
        self.lines.error(self.text, at, message.to_owned(), expected)
    }

    fn expect(&mut self, kind: Kind, expected: &str) -> Result<(), Error> {
        let token = self.peek();
        if token.kind == kind {
            self.advance();
            return Ok(());
        }
        let message = "the statement that a directive belongs to is not complete here";
        Err(self.error(token.start as usize, message, expected))
    }

    /// A directive with its body, if it has one.
    fn directive(&mut self) -> Result<(), Error> {
        let Kind::Directive(index) = self.kind() else { return Ok(()) };
        let index = index as usize;
        let found = &self.lexed.directives[index];
        self.advance();
        let parent = self.parent;
        let site =
            |body| Site { directive: index, parent, body, nest: None, implicit_section: false };
        match &found.kind {
            directives::Kind::Events(_) | directives::Kind::Body { .. } => {}
            directives::Kind::StandAlone => {}
            directives::Kind::Section => {
                let expected = "a sections construct around it";
                return Err(self.error(found.span.start, "this section stands alone", expected));
            }
            _ => return Ok(()),
        }
        if !found.has_body() {
            if found.is_attribute() && self.kind() == Kind::Semicolon {
                self.advance();
            }
            self.sites.push(site(Some(Body { start: self.end, end: self.end, compound: false })));
            return Ok(());
        }
        let sections = matches!(&found.kind,
            directives::Kind::Events(levels) if levels.contains(&Level::Sections));
        let place = self.sites.len();
        self.sites.push(site(None));
        self.parent = Some(index);
        let outer = self.wanted.take();
        self.wanted = self.loops(index, place, outer);
        let body = if sections { Some(self.sections(index)?) } else { self.body(index)? };
        self.wanted = None;
        self.parent = parent;
        self.sites[place].body = body;
        Ok(())
    }

    /// The loops to look for after a directive. One that transforms loops stands between another
    /// one and its loops.
    fn loops(&self, index: usize, site: usize, outer: Option<Wanted>) -> Option<Wanted> {
        let found = &self.lexed.directives[index];
        match &found.kind {
            directives::Kind::Events(levels) if levels.iter().any(|level| level.has_bounds()) => {
                let depth = directives::depth(&found.text, &found.directive)?;
                let headers = Vec::with_capacity(depth.min(HEADERS));
                Some(Wanted { site, depth, headers, unclear: false })
            }
            directives::Kind::Body { .. } => {
                let outer = outer?;
                let depth = outer.depth.max(directives::transformed(&found.directive)?);
                Some(Wanted { depth, unclear: true, ..outer })
            }
            _ => None,
        }
    }

    /// The statement that follows a directive. One that passes through may have none: what a
    /// metadirective becomes can stand alone.
    fn body(&mut self, directive: usize) -> Result<Option<Body>, Error> {
        let first = self.peek();
        let passes = matches!(self.lexed.directives[directive].kind, directives::Kind::Body { .. });
        let missing = matches!(first.kind, Kind::End | Kind::CloseBrace);
        if missing && passes {
            return Ok(None);
        }
        if missing {
            let at = self.lexed.directives[directive].span.start;
            let message = "no statement follows this directive";
            return Err(self.error(at, message, "the statement that it applies to"));
        }
        self.statement()?;
        let compound = first.kind == Kind::OpenBrace;
        Ok(Some(Body { start: first.start as usize, end: self.end, compound }))
    }

    fn statement(&mut self) -> Result<(), Error> {
        self.enter()?;
        self.statement_inner()?;
        self.depth -= 1;
        Ok(())
    }

    /// One level deeper, before anything that can recurse.
    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let at = self.peek().start as usize;
            return Err(self.error(at, "statements are nested too deeply", "at most 256 levels"));
        }
        Ok(())
    }

    /// One statement. A statement that ends with another one is a turn of the loop.
    fn statement_inner(&mut self) -> Result<(), Error> {
        loop {
            let token = self.peek();
            self.look_no_further(token.kind);
            match token.kind {
                Kind::Directive(_) => {
                    let sites = self.sites.len();
                    self.directive()?;
                    if self.sites.len() > sites {
                        return Ok(());
                    }
                }
                Kind::Pragma => self.advance(),
                Kind::OpenBrace => return self.brackets(),
                Kind::Semicolon => {
                    self.advance();
                    return Ok(());
                }
                Kind::If => {
                    self.header()?;
                    self.statement()?;
                    if self.kind() != Kind::Else {
                        return Ok(());
                    }
                    self.advance();
                }
                Kind::For if self.wanted.is_some() => {
                    if self.wanted_loop()? {
                        return Ok(());
                    }
                }
                Kind::For | Kind::While | Kind::Switch => self.header()?,
                Kind::Do => return self.do_while(),
                Kind::Try => return self.try_block(),
                Kind::Case | Kind::Default => self.label()?,
                Kind::Word if self.is_label() => {
                    self.advance();
                    self.advance();
                    if self.kind() == Kind::CloseBrace {
                        return Ok(());
                    }
                }
                Kind::OpenBracket if self.is_attribute() => self.brackets()?,
                _ => return self.expression(),
            }
        }
    }

    /// `if (...)`, `for (...)` and so on, with `constexpr` and the like before the parenthesis.
    fn header(&mut self) -> Result<(), Error> {
        self.advance();
        while matches!(self.kind(), Kind::Word | Kind::Other) {
            self.advance();
        }
        match self.kind() {
            Kind::OpenParen => self.brackets(),
            // `if consteval {`
            Kind::OpenBrace => Ok(()),
            _ => self.expect(Kind::OpenParen, "`(`"),
        }
    }

    /// Something that cannot stand between a directive and its loops: a loop made by a macro, say.
    fn look_no_further(&mut self, kind: Kind) {
        let between = [Kind::Pragma, Kind::OpenBrace, Kind::OpenBracket, Kind::For];
        if !between.contains(&kind) && !matches!(kind, Kind::Directive(_)) {
            self.wanted = None;
        }
    }

    /// A loop that is looked for, up to its body; with it if it was the innermost one.
    fn wanted_loop(&mut self) -> Result<bool, Error> {
        let Some(mut wanted) = self.wanted.take() else { return Ok(false) };
        let start = self.peek().end as usize;
        self.header()?;
        wanted.depth = wanted.depth.saturating_sub(1);
        wanted.headers.push(start..self.end);
        if wanted.depth > 0 {
            self.wanted = Some(wanted);
            return Ok(false);
        }
        let first = self.peek();
        self.statement()?;
        let compound = first.kind == Kind::OpenBrace;
        let iteration = Body { start: first.start as usize, end: self.end, compound };
        let Wanted { site, headers, unclear, .. } = wanted;
        self.sites[site].nest = Some(Nest { headers, unclear, iteration });
        Ok(true)
    }

    fn do_while(&mut self) -> Result<(), Error> {
        self.advance();
        self.statement()?;
        self.expect(Kind::While, "`while`")?;
        if self.kind() != Kind::OpenParen {
            return self.expect(Kind::OpenParen, "`(`");
        }
        self.brackets()?;
        self.expect(Kind::Semicolon, "`;`")
    }

    fn try_block(&mut self) -> Result<(), Error> {
        self.advance();
        self.statement()?;
        while self.kind() == Kind::Catch {
            self.header()?;
            self.statement()?;
        }
        Ok(())
    }

    /// `case a ? b : c:` and `default:`
    fn label(&mut self) -> Result<(), Error> {
        let mut questions = 0;
        loop {
            match self.kind() {
                Kind::Question => questions += 1,
                Kind::Colon if questions == 0 => break,
                Kind::Colon => questions -= 1,
                Kind::OpenParen | Kind::OpenBracket => {
                    self.brackets()?;
                    continue;
                }
                Kind::Semicolon | Kind::OpenBrace | Kind::CloseBrace | Kind::End => break,
                _ => {}
            }
            self.advance();
        }
        self.expect(Kind::Colon, "`:` behind this label")
    }

    fn following(&mut self, ahead: usize) -> Kind {
        self.peek();
        self.lexed.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn is_label(&mut self) -> bool {
        self.following(1) == Kind::Colon
    }

    fn is_attribute(&mut self) -> bool {
        self.following(1) == Kind::OpenBracket
    }

    /// A declaration or an expression up to its semicolon.
    ///
    /// A name with a parenthesis and then no operator is a macro: of a loop if a statement follows
    /// (`FOREACH(x, list) { ... }`), of a whole statement if the block ends.
    fn expression(&mut self) -> Result<(), Error> {
        let first = self.at;
        let mut macro_call = false;
        loop {
            let token = self.peek();
            let head = macro_call;
            macro_call = false;
            match token.kind {
                Kind::Semicolon => {
                    self.advance();
                    return Ok(());
                }
                Kind::OpenParen => {
                    macro_call =
                        self.at == first + 1 && self.lexed.tokens[first].kind == Kind::Word;
                    self.brackets()?;
                }
                Kind::OpenBracket => self.brackets()?,
                Kind::OpenBrace if head => return self.brackets(),
                Kind::OpenBrace => {
                    let bare = self.at == first + 1;
                    self.brackets()?;
                    if bare && self.ends_bare_block() {
                        return Ok(());
                    }
                }
                Kind::If | Kind::For | Kind::While | Kind::Do | Kind::Switch if head => {
                    return self.statement();
                }
                Kind::Directive(index) if head => {
                    return if self.lexed.directives[index as usize].has_body() {
                        self.statement()
                    } else {
                        Ok(())
                    };
                }
                Kind::CloseBrace if head => return Ok(()),
                Kind::CloseBrace | Kind::CloseParen | Kind::CloseBracket | Kind::End => {
                    return self.expect(Kind::Semicolon, "`;`");
                }
                Kind::Directive(_) => self.directive()?,
                _ => self.advance(),
            }
        }
    }

    /// Whether the block of `NAME { ... }` was a statement, and not an initialiser.
    fn ends_bare_block(&mut self) -> bool {
        !matches!(
            self.kind(),
            Kind::Semicolon | Kind::Other | Kind::OpenParen | Kind::OpenBracket | Kind::Question
        )
    }

    /// A bracket of any kind to its end, with the directives inside.
    fn brackets(&mut self) -> Result<(), Error> {
        let open = self.peek();
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::OpenBrace | Kind::OpenBracket => depth += 1,
                Kind::OpenParen => {
                    depth += 1;
                    self.wanted = None;
                }
                Kind::CloseBrace | Kind::CloseParen | Kind::CloseBracket => depth -= 1,
                Kind::Directive(_) => {
                    self.directive()?;
                    continue;
                }
                Kind::For if self.wanted.is_some() => {
                    self.statement()?;
                    continue;
                }
                Kind::End => return Err(self.unbalanced(open)),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn unbalanced(&self, open: Token) -> Error {
        let expected =
            "a balanced text; where branches of #if disagree, give the preprocessed text";
        self.error(open.start as usize, "this bracket is never closed", expected)
    }

    /// The body of a `sections` construct, with a site per section.
    fn sections(&mut self, sections: usize) -> Result<Body, Error> {
        let open = self.peek();
        if open.kind != Kind::OpenBrace {
            let at = self.lexed.directives[sections].span.start;
            return Err(self.error(at, "no block follows this sections directive", "`{`"));
        }
        self.enter()?;
        self.advance();
        let mut section = Section { directive: sections, implicit: true, site: None };
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Directive(index) if self.is_section(index) => {
                    self.close_section(&section);
                    self.advance();
                    section = Section { directive: index as usize, implicit: false, site: None };
                    self.parent = Some(index as usize);
                }
                Kind::CloseBrace => {
                    self.close_section(&section);
                    self.parent = Some(sections);
                    self.advance();
                    self.depth -= 1;
                    let start = open.start as usize;
                    return Ok(Body { start, end: self.end, compound: true });
                }
                Kind::End => return Err(self.unbalanced(open)),
                kind => {
                    self.open_section(&mut section, sections, token);
                    match kind {
                        Kind::OpenBrace | Kind::OpenParen | Kind::OpenBracket => self.brackets()?,
                        Kind::Directive(_) => self.directive()?,
                        _ => self.advance(),
                    }
                }
            }
        }
    }

    fn is_section(&self, index: u32) -> bool {
        self.lexed.directives[index as usize].kind == directives::Kind::Section
    }

    fn open_section(&mut self, section: &mut Section, sections: usize, first: Token) {
        if section.site.is_some() {
            return;
        }
        section.site = Some(self.sites.len());
        let start = first.start as usize;
        let compound = false;
        self.sites.push(Site {
            directive: section.directive,
            parent: Some(sections),
            body: Some(Body { start, end: start, compound }),
            nest: None,
            implicit_section: section.implicit,
        });
    }

    fn close_section(&mut self, section: &Section) {
        if let Some(body) = section.site.and_then(|site| self.sites[site].body.as_mut()) {
            body.end = self.end;
        }
    }
}

/// The section that is being read.
struct Section {
    directive: usize,
    implicit: bool,
    /// Index of its site, once it has a token.
    site: Option<usize>,
}
