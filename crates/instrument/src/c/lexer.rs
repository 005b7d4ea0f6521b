//! The lexer: from text to the few tokens that decide where a statement ends.
//!
//! Far from any directive, only comments, literals and preprocessor lines are recognised, because
//! nothing else can hide or imitate a directive; that is a search at memory speed. From a directive
//! with a body to the end of the block that surrounds it, all tokens are kept. Operators, numbers
//! and literals are one kind, and neighbours of that kind are one token.

use super::attribute;
use super::conditions::{Conditions, DEPTH_MAX, Turn, View};
use super::meaning::Meanings;
use super::pragma::{self, Found};
use super::scan;
use crate::{Error, LineIndex};
use std::mem;
use std::ops::Range;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A directive of ours, by its index.
    Directive(u32),
    /// Another pragma line.
    Pragma,
    /// A preprocessor conditional, by its index in [`Conditions`].
    Condition(u32),
    If,
    Else,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Try,
    Catch,
    /// Any other name.
    Word,
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Semicolon,
    Colon,
    Question,
    /// Operators, numbers and literals.
    Other,
    /// Behind the last token.
    End,
}

/// A text in tokens.
#[derive(Debug)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) directives: Vec<Found>,
    pub(super) conditions: Conditions,
    /// Line markers of the text itself: offset behind the marker, line, file if it names one.
    pub(super) markers: Vec<(usize, u32, Option<String>)>,
    /// Macro definitions that contain a directive in the form of an operator.
    pub(super) macros: Vec<usize>,
    /// Pragmas that go on in the next line if the compiler knows trigraphs.
    pub(super) trigraphs: Vec<usize>,
    /// Indices of the tokens in front of which text was passed over.
    gaps: Vec<usize>,
    /// Where headers of the system begin and where they end, in turns, by line markers.
    system: Vec<usize>,
}

impl Lexed {
    /// Index of the first token from `at` on that the view shows.
    #[inline]
    pub(super) fn shown(&self, view: &View, mut at: usize) -> usize {
        while let Kind::Condition(line) = self.tokens[at].kind {
            at = self.behind_line(view, line, at);
        }
        at
    }

    /// Where a view goes on behind the conditional at the token `at`.
    #[cold]
    fn behind_line(&self, view: &View, line: u32, at: usize) -> usize {
        let line = &self.conditions.lines[line as usize];
        let jump = match line.turn {
            Turn::End => false,
            // An active branch ends at the next line of its group; the rest is not shown.
            Turn::If | Turn::Else => !view.shows(line.branch),
        };
        if jump { self.conditions.lines[line.next as usize].token } else { at + 1 }
    }

    /// Index of the first token from `at` on that the view shows, or of the first conditional of a
    /// group that lies in no other one, if that comes first and not at `start`.
    pub(super) fn shown_of_segment(&self, view: &View, start: usize, mut at: usize) -> usize {
        while let Kind::Condition(line) = self.tokens[at].kind
            && (at == start || !self.conditions.begins_group(line))
        {
            at = self.behind_line(view, line, at);
        }
        at
    }

    /// Whether this offset is in a header of the system.
    pub(super) fn is_system(&self, offset: usize) -> bool {
        self.system.partition_point(|&turn| turn <= offset) % 2 == 1
    }
}

/// Cuts the text; `everything`: all of it, and not only what is near directives. Headers in
/// `own_folders` are not the system's, whatever line markers say.
pub(super) fn lex(
    text: &[u8],
    lines: &LineIndex,
    cxx: bool,
    openmp: bool,
    everything: bool,
    own_folders: &[String],
) -> Result<Lexed, Error> {
    let mut lexer = Lexer::new(text, lines, cxx, openmp, everything);
    lexer.own_folders = own_folders;
    if u32::try_from(text.len()).is_err() {
        let message = "the text is longer than 4 GiB".to_owned();
        return Err(lines.error(text, 0, message, "a source file, split if need be"));
    }
    let start = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    lexer.run(start..text.len())?;
    lexer.push(Kind::End, text.len(), text.len());
    lexer.lexed.conditions.finish(text, lines)?;
    Ok(lexer.lexed)
}

/// Cuts what was passed over far from directives, too, so that it is as if everything had been
/// wanted at once.
pub(super) fn complete(
    text: &[u8],
    lines: &LineIndex,
    cxx: bool,
    mut lexed: Lexed,
) -> Result<Lexed, Error> {
    let (known, gaps) = (mem::take(&mut lexed.tokens), mem::take(&mut lexed.gaps));
    let mut lexer = Lexer { known: true, ..Lexer::new(text, lines, cxx, true, true) };
    let mut conditionals = lexed.conditions.lines.iter_mut().peekable();
    let mut from = 0;
    for gap in gaps.into_iter().chain([known.len()]) {
        let added = lexer.lexed.tokens.len() - from;
        while let Some(line) = conditionals.next_if(|line| line.token < gap) {
            line.token += added;
        }
        let before = &known[from..gap];
        lexer.lexed.tokens.extend_from_slice(before);
        if let Some(behind) = known.get(gap) {
            let start = before.last().map_or(0, |token| token.end);
            lexer.run(start as usize..behind.start as usize)?;
        }
        from = gap;
    }
    Ok(Lexed { tokens: lexer.lexed.tokens, ..lexed })
}

/// The next place of something that is rarer than what is looked for from one place to the next.
struct Next(usize);

impl Next {
    fn new() -> Self {
        Self(0)
    }

    /// The first place from `at` on, or the end.
    fn from(&mut self, text: &[u8], at: usize, find: impl Fn(&[u8]) -> Option<usize>) -> usize {
        if self.0 < at || at == 0 {
            self.0 = find(&text[at..]).map_or(text.len(), |length| at + length);
        }
        self.0
    }
}

struct Lexer<'a> {
    text: &'a [u8],
    lines: &'a LineIndex,
    cxx: bool,
    /// Whether all tokens are wanted, because functions are looked for.
    everything: bool,
    /// Whether directives mean anything.
    openmp: bool,
    /// Whether directives and conditionals are known, and none are in what is cut.
    known: bool,
    /// Braces open since the directive from which on all tokens are kept; `None` far from any.
    depth: Option<i64>,
    /// Per open conditional: the depth before it, and the greatest at the end of a branch.
    saved: Vec<(Option<i64>, Option<i64>)>,
    /// Whether a line marker says that this is a header of the system: its directives stay alone.
    system: bool,
    /// Folders whose headers are not the system's, whatever markers say.
    own_folders: &'a [String],
    /// The next `#` or `%`, which may begin a preprocessor line.
    next_hash: Next,
    /// The next `_Pragma`.
    next_operator: Next,
    /// The next `[[`.
    next_attribute: Next,
    /// End of the last comment that began a line.
    fresh_comment: usize,
    meanings: Meanings<'a>,
    lexed: Lexed,
}

impl<'a> Lexer<'a> {
    fn new(
        text: &'a [u8],
        lines: &'a LineIndex,
        cxx: bool,
        openmp: bool,
        everything: bool,
    ) -> Self {
        Self {
            text,
            lines,
            cxx,
            everything,
            openmp,
            known: false,
            depth: None,
            saved: Vec::new(),
            system: false,
            own_folders: &[],
            next_hash: Next::new(),
            next_operator: Next::new(),
            next_attribute: Next::new(),
            fresh_comment: usize::MAX,
            meanings: Meanings::default(),
            lexed: Lexed {
                // Most texts have fewer, even where all are kept; what is not used is not touched.
                tokens: Vec::with_capacity(text.len() / 4),
                directives: Vec::new(),
                conditions: Conditions::default(),
                markers: Vec::new(),
                macros: Vec::new(),
                trigraphs: Vec::new(),
                gaps: Vec::new(),
                system: Vec::new(),
            },
        }
    }

    /// Takes the tokens of a part of the text.
    fn run(&mut self, part: Range<usize>) -> Result<(), Error> {
        let mut at = part.start;
        while at < part.end {
            if self.depth.is_none() && !self.everything {
                at = self.next_stop(at);
            }
            at = scan::spaces_end(self.text, at);
            if at < part.end {
                at = self.token(at)?;
            }
        }
        Ok(())
    }

    /// The next byte at which the search for a directive has to look closer: what may begin a
    /// preprocessor line, a comment or a literal.
    fn next_stop(&mut self, at: usize) -> usize {
        let text = self.text;
        let hash = self.next_hash.from(text, at, |rest| memchr::memchr2(b'#', b'%', rest));
        let operator = self.next_operator.from(text, at, pragma::next_operator);
        let attribute = self.next_attribute.from(text, at, attribute::next);
        let stop = hash.min(operator).min(attribute);
        memchr::memchr3(b'"', b'\'', b'/', &text[at..stop]).map_or(stop, |length| at + length)
    }

    fn next(&self, at: usize) -> u8 {
        self.text.get(at + 1).copied().unwrap_or(0)
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        if !self.keeps() {
            self.lexed.gaps.push(self.lexed.tokens.len());
        }
        let (start, end) = (start as u32, end as u32);
        self.lexed.tokens.push(Token { kind, start, end });
    }

    /// Takes the token at `at`; returns the offset behind it.
    fn token(&mut self, at: usize) -> Result<usize, Error> {
        let byte = self.text[at];
        Ok(match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(at)?,
            b'0'..=b'9' => self.other(at, scan::ident_end(self.text, at)),
            b'{' => self.structure(Kind::OpenBrace, at, 1),
            b'}' => self.structure(Kind::CloseBrace, at, 1),
            b'(' => self.structure(Kind::OpenParen, at, 1),
            b')' => self.structure(Kind::CloseParen, at, 1),
            b']' => self.structure(Kind::CloseBracket, at, 1),
            b';' => self.structure(Kind::Semicolon, at, 1),
            b'?' => self.structure(Kind::Question, at, 1),
            b'"' => self.string(at, at)?,
            b'\'' if scan::is_digit_separator(self.text, at) => at + 1,
            b'\'' => self.other(at, scan::literal_end(self.text, at)),
            b'/' if self.next(at) == b'/' => scan::line_comment_end(self.text, at),
            b'/' if self.next(at) == b'*' => self.comment(at)?,
            b'#' if self.is_fresh(at) => self.preprocessor_line(at, at + 1)?,
            b'%' if self.next(at) == b':' && self.is_fresh(at) => {
                self.preprocessor_line(at, at + 2)?
            }
            b'\\' if scan::splice(self.text, at) > 0 => at + scan::splice(self.text, at),
            b'[' | b'<' | b'%' | b':' => self.ambiguous(at),
            _ => self.other(at, at + 1),
        })
    }

    /// A string with the prefix in front of its quote.
    fn string(&mut self, at: usize, quote: usize) -> Result<usize, Error> {
        let end = scan::string_end(self.text, quote);
        let raw = quote > 0 && self.text[quote - 1] == b'R';
        if raw && end == self.text.len() && !self.text.ends_with(b"\"") {
            let message = "this raw string is never closed".to_owned();
            return Err(self.lines.error(self.text, at, message, "its delimiter and `\"`"));
        }
        Ok(self.other(at, end))
    }

    fn comment(&mut self, at: usize) -> Result<usize, Error> {
        let end = scan::block_comment_end(self.text, at).ok_or_else(|| {
            let message = "this comment is never closed".to_owned();
            self.lines.error(self.text, at, message, "`*/`")
        })?;
        if self.is_fresh(at) {
            self.fresh_comment = end;
        }
        Ok(end)
    }

    /// Whether only blanks and comments are before `at` in its line.
    fn is_fresh(&self, at: usize) -> bool {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c);
        let before = at - self.text[..at].iter().rev().take_while(blank).count();
        match &self.text[..before] {
            [] => true,
            [.., b'\\', b'\n'] | [.., b'\\', b'\r', b'\n'] => false,
            [.., b'\n'] => true,
            [0xef, 0xbb, 0xbf] => true,
            _ => before == self.fresh_comment,
        }
    }

    fn other(&mut self, start: usize, end: usize) -> usize {
        if self.keeps() {
            match self.lexed.tokens.last_mut() {
                Some(last) if last.kind == Kind::Other => last.end = end as u32,
                _ => self.push(Kind::Other, start, end),
            }
        }
        end
    }

    /// What the byte behind it decides about.
    fn ambiguous(&mut self, at: usize) -> usize {
        let (kind, length) = match (self.text[at], self.next(at)) {
            (b'<', b'%') => (Kind::OpenBrace, 2),
            (b'%', b'>') => (Kind::CloseBrace, 2),
            (b'[', b'[') if self.openmp => {
                if let Some(found) = attribute::read(&mut self.meanings, self.text, at) {
                    return self.attribute(found);
                }
                (Kind::OpenBracket, 1)
            }
            (b'[', _) => (Kind::OpenBracket, 1),
            (b'<', b':') if self.text.get(at + 2) != Some(&b':') => (Kind::OpenBracket, 2),
            (b':', b'>') => (Kind::CloseBracket, 2),
            (b':', b':') => return self.other(at, at + 2),
            (b':', _) => (Kind::Colon, 1),
            _ => return self.other(at, at + 1),
        };
        self.structure(kind, at, length)
    }

    /// Whether tokens are kept.
    fn keeps(&self) -> bool {
        self.depth.is_some() || self.everything
    }

    #[inline]
    fn structure(&mut self, kind: Kind, start: usize, length: usize) -> usize {
        let end = start + length;
        if self.keeps() {
            self.push(kind, start, end);
        }
        if let Some(depth) = self.depth {
            self.depth = match kind {
                Kind::OpenBrace => Some(depth + 1),
                Kind::CloseBrace if depth == 0 => None,
                Kind::CloseBrace => Some(depth - 1),
                _ => Some(depth),
            };
        }
        end
    }

    fn word(&mut self, at: usize) -> Result<usize, Error> {
        let end = scan::ident_end(self.text, at);
        let word = &self.text[at..end];
        if self.openmp
            && word == b"_Pragma"
            && let Some(found) = pragma::read_operator(&mut self.meanings, self.text, at, end)
        {
            let end = found.span.end;
            self.directive(found);
            return Ok(end);
        }
        // An encoding prefix belongs to its literal.
        if self.text.get(end) == Some(&b'"') {
            return self.string(at, end);
        }
        if self.keeps() {
            self.push(keyword(word, self.cxx), at, end);
        }
        Ok(end)
    }

    fn directive(&mut self, found: Found) {
        let index = self.lexed.directives.len() as u32;
        self.push(Kind::Directive(index), found.span.start, found.span.end);
        if found.needs_tokens() && self.depth.is_none() {
            self.depth = Some(0);
        }
        self.lexed.directives.push(found);
    }

    fn attribute(&mut self, found: Vec<Found>) -> usize {
        let end = found.last().map_or(0, |found| found.span.end);
        for found in found {
            self.directive(found);
        }
        end
    }

    fn preprocessor_line(&mut self, start: usize, after_hash: usize) -> Result<usize, Error> {
        let end = scan::preprocessor_line_end(self.text, after_hash);
        if self.known {
            return Ok(end);
        }
        let name = scan::skip_blank(&self.text[..end], after_hash, false);
        let name_end = scan::ident_end(&self.text[..end], name);
        match &self.text[name..name_end] {
            b"pragma" => self.pragma(start, name_end, end),
            b"line" => self.marker(name_end, end),
            [b'0'..=b'9', ..] => self.marker(name, end),
            b"define" if memchr::memmem::find(&self.text[name..end], b"_Pragma").is_some() => {
                self.lexed.macros.push(start);
            }
            word => {
                if let Some(turn) = Turn::from_word(word) {
                    self.condition(turn, start, name_end..end)?;
                }
            }
        }
        Ok(end)
    }

    fn pragma(&mut self, start: usize, rest: usize, end: usize) {
        let words = self.text[rest..end].trim_ascii();
        if let Some(words) = words.strip_suffix(b"??/")
            && (words.is_empty() || words.starts_with(b"omp") || words.starts_with(b"pomp"))
        {
            self.lexed.trigraphs.push(start);
            return self.push(Kind::Pragma, start, end);
        }
        let (text, lines) = (self.text, self.lines);
        match pragma::read_line(&mut self.meanings, text, start, rest, end, lines) {
            Some(found) if !self.system && self.openmp => self.directive(found),
            _ => self.push(Kind::Pragma, start, end),
        }
    }

    fn marker(&mut self, at: usize, end: usize) {
        let rest = String::from_utf8_lossy(&self.text[at..end]);
        let (number, file) = rest.trim().split_once([' ', '\t']).unwrap_or((rest.trim(), ""));
        let Ok(number) = number.parse() else { return };
        let file = file.trim().strip_prefix('"').and_then(|file| file.rsplit_once('"'));
        if let Some((name, flags)) = file {
            // 1: a file begins, 2: it goes on, 3: it is the system's. Without the first two, a
            // macro of a system header is at work in the user's file.
            let has = |flag| flags.split_ascii_whitespace().any(|word| word == flag);
            let system = has("3") && !self.is_own(name);
            let system = if has("1") || has("2") { system } else { self.system };
            if system != self.system {
                self.lexed.system.push(end);
            }
            self.system = system;
        }
        let file = file.map(|(file, _)| file.replace("\\\\", "\\").replace("\\\"", "\""));
        self.lexed.markers.push((self.lines.next_line(end), number, file));
    }

    /// Whether a header lies in a folder that the user calls the system's, and is not.
    fn is_own(&self, header: &str) -> bool {
        let below = |folder: &String| {
            header.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.own_folders.iter().any(below)
    }

    fn condition(
        &mut self,
        turn: Turn,
        start: usize,
        condition: Range<usize>,
    ) -> Result<(), Error> {
        let end = condition.end;
        let token = self.lexed.tokens.len();
        let index = self.lexed.conditions.push(self.text, turn, start, condition, token);
        let index = index.ok_or_else(|| {
            let message = "no #if is open here".to_owned();
            self.lines.error(self.text, start, message, "an #if, #ifdef or #ifndef before it")
        })?;
        self.push(Kind::Condition(index), start, end);
        if self.saved.len() > DEPTH_MAX {
            let message = "conditionals are nested too deeply".to_owned();
            return Err(self.lines.error(self.text, start, message, "at most 256 levels"));
        }
        match turn {
            Turn::If => self.saved.push((self.depth, None)),
            Turn::Else => {
                if let Some((before, greatest)) = self.saved.last_mut() {
                    *greatest = (*greatest).max(self.depth);
                    self.depth = *before;
                }
            }
            Turn::End => {
                if let Some((_, greatest)) = self.saved.pop() {
                    self.depth = greatest.max(self.depth);
                }
            }
        }
        Ok(())
    }
}

fn keyword(word: &[u8], cxx: bool) -> Kind {
    match word {
        b"if" => Kind::If,
        b"else" => Kind::Else,
        b"for" => Kind::For,
        b"while" => Kind::While,
        b"do" => Kind::Do,
        b"switch" => Kind::Switch,
        b"case" => Kind::Case,
        b"default" => Kind::Default,
        b"try" if cxx => Kind::Try,
        b"catch" if cxx => Kind::Catch,
        _ => Kind::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completed_is_as_if_everything_had_been_wanted() {
        let text = b"int a;\n#if A\nint f(int x) { return x; }\n#pragma omp parallel\n{ b(); }\n\
            #else\nint c; // d\n#pragma omp barrier\n#endif\nint e() {\n#pragma omp for\n\
            for (;;)\n#if B\nf(g);\n#endif\n}\n#pragma once\nint h;\n";
        let lines = LineIndex::new(text);
        let cut = |everything| lex(text, &lines, false, true, everything, &[]).unwrap();
        let shown = |lexed: &Lexed| {
            let conditionals = lexed.conditions.lines.iter().map(|line| line.token);
            (lexed.tokens.clone(), conditionals.collect::<Vec<_>>())
        };
        let (few, all) = (cut(false), cut(true));
        assert!(few.tokens.len() < all.tokens.len());
        assert_eq!(shown(&complete(text, &lines, false, few).unwrap()), shown(&all));
    }
}
