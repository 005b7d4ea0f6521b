//! The language-neutral model of a directive: its words, its argument and its clauses, each with
//! the byte span it has in the source. The fronts cut a directive into [`Piece`]s, because only
//! they know about comments, splices and continuation lines; what the pieces mean is found here.

use crate::names::{self, Name};
use std::borrow::Cow;
use std::ops::Range;

/// One token of a directive, without blanks, comments, splices and continuation marks. Small,
/// because a directive keeps its own; no text is longer than 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    start: u32,
    end: u32,
}

impl Piece {
    /// A piece and where it is.
    pub fn new(kind: PieceKind, span: Range<usize>) -> Self {
        Self { kind, start: span.start as u32, end: span.end as u32 }
    }

    /// Its first byte.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// Behind its last byte.
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// Where it is.
    pub fn span(self) -> Range<usize> {
        self.start()..self.end()
    }
}

/// The kinds of [`Piece`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// A name.
    Word,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// `,`
    Comma,
    /// `:` alone, not `::`.
    Colon,
    /// Everything else: operators, numbers, strings.
    Other,
}

/// A directive behind its sentinel: `parallel for private(x)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// The words that name the construct: `parallel`, `for`.
    pub words: Vec<Word>,
    /// What is between the parentheses directly behind the words: the name of a critical.
    pub argument: Option<Range<usize>>,
    /// The clauses in their order.
    pub clauses: Vec<Clause>,
    /// Behind the last word, parenthesis or clause: where a clause can be appended.
    pub end: usize,
    /// What it consists of.
    pieces: Vec<Piece>,
}

/// A word of the name of a construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its text, in lower case where the language knows no case.
    pub text: Name,
    /// Where it is.
    pub span: Range<usize>,
}

/// A clause: `reduction(task, + : a, b)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Its name, in lower case where the language knows no case.
    pub name: Name,
    /// From the name to the closing parenthesis.
    pub span: Range<usize>,
    /// What is between the parentheses, from the first to the last piece.
    pub argument: Option<Range<usize>>,
    /// What is before the first colon of the argument that no bracket encloses (behind it, for
    /// `linear` and `aligned`).
    pub modifier: Option<Range<usize>>,
    /// The list: the rest of the argument; see [`Directive::items`]. Indices of pieces.
    list: Range<u32>,
}

/// One item of a clause's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its whole text: `a[0:n]`.
    pub span: Range<usize>,
    /// Its name, if it begins with one: `a`. The `this` of C++ is one.
    pub base: Option<Range<usize>>,
}

/// Words that may follow others in the name of a construct. A word that is a clause as well
/// (`ordered`) is none.
const FOLLOWING: &[&str] = &[
    "parallel",
    "for",
    "do",
    "simd",
    "sections",
    "section",
    "single",
    "workshare",
    "master",
    "masked",
    "task",
    "taskloop",
    "taskgroup",
    "critical",
    "atomic",
    "loop",
    "scope",
    "teams",
    "distribute",
    "data",
    "update",
    "enter",
    "exit",
    "target",
];

/// Clauses whose list is before the colon: `linear(x : 2)`.
const LIST_FIRST: &[&str] = &["linear", "aligned"];

/// First words that are followed by exactly one word that can be anything.
const TAKES_ANY: &[&str] = &["declare", "cancel", "cancellation", "end", "begin", "inst"];

impl Directive {
    /// Finds words, argument and clauses. `fold_case` where the language knows no case.
    pub fn parse(source: &[u8], pieces: Vec<Piece>, fold_case: bool) -> Self {
        let mut reader = Reader { source, pieces: &pieces, at: 0, fold_case };
        let words = reader.words();
        let argument = reader.parenthesis().map(|(inner, _)| inner.argument(&pieces));
        let mut clauses = Vec::new();
        while let Some(clause) = reader.clause() {
            clauses.push(clause);
        }
        let end = pieces.iter().rev().find(|piece| piece.kind != PieceKind::Comma);
        let end = end.map_or(0, |piece| piece.end());
        Self { words, argument: argument.flatten(), clauses, end, pieces }
    }

    /// The words with one blank between.
    pub fn name(&self) -> String {
        let length = self.words.iter().map(|word| word.text.len() + 1).sum();
        let mut name = String::with_capacity(length);
        for word in &self.words {
            name.push_str(if name.is_empty() { "" } else { " " });
            name.push_str(&word.text);
        }
        name
    }

    /// The pieces of a clause's list.
    pub(crate) fn list(&self, clause: &Clause) -> &[Piece] {
        &self.pieces[clause.list.start as usize..clause.list.end as usize]
    }

    /// The list items of a clause: its list cut at commas that no bracket encloses.
    pub fn items(&self, clause: &Clause) -> impl Iterator<Item = Item> + '_ {
        let list = self.list(clause);
        let mut depth = 0usize;
        let items = list.split(move |piece| {
            match piece.kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            piece.kind == PieceKind::Comma && depth == 0
        });
        items.filter_map(|pieces| {
            let (first, last) = (pieces.first()?, pieces.last()?);
            let base = (first.kind == PieceKind::Word).then(|| first.span());
            Some(Item { span: first.start()..last.end(), base })
        })
    }

    /// The list items of all clauses.
    pub fn all_items(&self) -> impl Iterator<Item = Item> + '_ {
        self.clauses.iter().flat_map(|clause| self.items(clause))
    }

    /// Whether two words stand side by side in parentheses. They are one where blanks mean nothing.
    pub(crate) fn has_words_side_by_side(&self) -> bool {
        let mut depth = 0usize;
        let mut word = false;
        self.pieces.iter().any(|piece| {
            match piece.kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            let before = std::mem::replace(&mut word, piece.kind == PieceKind::Word);
            depth > 0 && before && word
        })
    }

    /// The first clause of this name.
    pub fn clause(&self, name: &str) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.name == name)
    }

    /// Whether there is a clause of this name.
    pub fn has(&self, name: &str) -> bool {
        self.clause(name).is_some()
    }
}

impl Clause {
    /// The modifier without blanks, in lower case; empty if there is none.
    pub fn modifier_text(&self, source: &[u8]) -> String {
        let Some(span) = self.modifier.clone() else { return String::new() };
        let visible = source[span].iter().filter(|byte| !byte.is_ascii_whitespace());
        visible.map(|byte| byte.to_ascii_lowercase() as char).collect()
    }

    /// Whether the modifier has this word in its list: `task` in `reduction(task, + : x)`.
    pub fn has_modifier(&self, source: &[u8], word: &str) -> bool {
        self.modifier_text(source).split(',').any(|part| part == word)
    }
}

/// A word without the line splices (`\\` and a line end) that C allows inside of it.
pub(crate) fn without_splices(word: &[u8]) -> Cow<'_, [u8]> {
    if !word.contains(&b'\\') || !word.contains(&b'\n') {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.iter().copied().filter(|byte| !matches!(byte, b'\\' | b'\r' | b'\n')).collect())
}

struct Reader<'a> {
    source: &'a [u8],
    pieces: &'a [Piece],
    at: usize,
    fold_case: bool,
}

/// A range of pieces.
struct Inner(Range<usize>);

impl Inner {
    fn argument(&self, pieces: &[Piece]) -> Option<Range<usize>> {
        let pieces = &pieces[self.0.clone()];
        Some(pieces.first()?.start()..pieces.last()?.end())
    }
}

impl Reader<'_> {
    fn kind(&self, ahead: usize) -> Option<PieceKind> {
        self.pieces.get(self.at + ahead).map(|piece| piece.kind)
    }

    fn text(&self, piece: Piece) -> Name {
        names::name(&without_splices(&self.source[piece.span()]), self.fold_case)
    }

    fn words(&mut self) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::with_capacity(2);
        while self.kind(0) == Some(PieceKind::Word) {
            let piece = self.pieces[self.at];
            let text = self.text(piece);
            if !continues(&words, &text) {
                break;
            }
            words.push(Word { text, span: piece.span() });
            self.at += 1;
        }
        words
    }

    /// Takes a parenthesis with all that it encloses: the pieces inside, and the end offset.
    fn parenthesis(&mut self) -> Option<(Inner, usize)> {
        if self.kind(0) != Some(PieceKind::Open) {
            return None;
        }
        let first = self.at + 1;
        let mut depth = 0usize;
        for (index, piece) in self.pieces.iter().enumerate().skip(self.at) {
            match piece.kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = index + 1;
                return Some((Inner(first..index), piece.end()));
            }
        }
        self.at = self.pieces.len();
        Some((Inner(first..self.at), self.pieces[self.at - 1].end()))
    }

    /// The next clause. Something that is no name (stray text) is a clause whose name is empty, so
    /// that nobody takes the directive for one he knows.
    fn clause(&mut self) -> Option<Clause> {
        while self.kind(0) == Some(PieceKind::Comma) {
            self.at += 1;
        }
        let piece = *self.pieces.get(self.at)?;
        let name = if piece.kind == PieceKind::Word { self.text(piece) } else { Cow::Borrowed("") };
        if piece.kind != PieceKind::Open {
            self.at += 1;
        }
        let mut clause =
            Clause { name, span: piece.span(), argument: None, modifier: None, list: 0..0 };
        if let Some((inner, end)) = self.parenthesis() {
            clause.span.end = end;
            clause.argument = inner.argument(self.pieces);
            self.list(inner.0, &mut clause);
        }
        Some(clause)
    }

    /// Finds the modifier of a clause and its list.
    fn list(&self, inner: Range<usize>, clause: &mut Clause) {
        let mut depth = 0usize;
        let mut list = inner.clone();
        for at in inner.clone() {
            match self.pieces[at].kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth = depth.saturating_sub(1),
                PieceKind::Colon if depth == 0 && LIST_FIRST.contains(&&*clause.name) => {
                    clause.modifier = Inner(at + 1..inner.end).argument(self.pieces);
                    list.end = at;
                    break;
                }
                PieceKind::Colon if depth == 0 && clause.modifier.is_none() => {
                    clause.modifier = Inner(inner.start..at).argument(self.pieces);
                    list.start = at + 1;
                }
                _ => {}
            }
        }
        clause.list = list.start as u32..list.end as u32;
    }
}

/// Whether `word` continues the name of a construct that has begun with `before`.
fn continues(before: &[Word], word: &str) -> bool {
    let following = || FOLLOWING.contains(&word);
    let text = |at: usize| before.get(at).map_or("", |word| &*word.text);
    match (before.len(), text(0)) {
        (0, _) => true,
        (1, first) if TAKES_ANY.contains(&first) => true,
        (2, "begin" | "end") if text(1) == "declare" => true,
        (_, "end") => following(),
        (_, "atomic" | "flush" | "cancel" | "cancellation" | "declare" | "begin" | "inst") => false,
        (_, "metadirective" | "critical" | "task" | "taskwait" | "single" | "barrier") => false,
        (1, "ordered") => word == "simd",
        _ => following(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Cuts without regard for comments, which is what the fronts are for.
    fn pieces(text: &str) -> Vec<Piece> {
        let bytes = text.as_bytes();
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            at += 1;
            let kind = match bytes[start] {
                b' ' => continue,
                b'(' | b'[' | b'{' => PieceKind::Open,
                b')' | b']' | b'}' => PieceKind::Close,
                b',' => PieceKind::Comma,
                b':' => PieceKind::Colon,
                byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                    while at < bytes.len()
                        && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_')
                    {
                        at += 1;
                    }
                    PieceKind::Word
                }
                _ => PieceKind::Other,
            };
            pieces.push(Piece::new(kind, start..at));
        }
        pieces
    }

    fn check(text: &str, expected: &Expect) {
        let directive = Directive::parse(text.as_bytes(), pieces(text), false);
        let mut output = format!("{}\n", directive.name());
        if let Some(argument) = &directive.argument {
            output += &format!("  argument {}\n", &text[argument.clone()]);
        }
        for clause in &directive.clauses {
            let items = directive.items(clause).map(|item| {
                let base = item.base.clone().map_or("-", |base| &text[base]);
                format!(" {} <{base}>", &text[item.span.clone()])
            });
            let modifier = clause.modifier_text(text.as_bytes());
            output += &format!("  {} [{modifier}]{}\n", clause.name, items.collect::<String>());
        }
        expected.assert_eq(&output);
    }

    #[test]
    fn words_and_clauses() {
        check(
            "parallel for simd num_threads(f(a, b)), reduction(task, + : x, y[0:n]) ordered nowait",
            &expect![[r#"
                parallel for simd
                  num_threads [] f(a, b) <f>
                  reduction [task,+] x <x> y[0:n] <y>
                  ordered []
                  nowait []
            "#]],
        );
    }

    #[test]
    fn an_argument_is_no_clause() {
        check(
            "critical (name) hint(omp_sync_hint_none)",
            &expect![[r#"
                critical
                  argument name
                  hint [] omp_sync_hint_none <omp_sync_hint_none>
            "#]],
        );
    }

    #[test]
    fn words_that_are_clauses_elsewhere() {
        check(
            "for ordered",
            &expect![[r#"
            for
              ordered []
        "#]],
        );
        check(
            "cancel parallel if(x)",
            &expect![[r#"
            cancel parallel
              if [] x <x>
        "#]],
        );
        check(
            "atomic read seq_cst",
            &expect![[r#"
            atomic
              read []
              seq_cst []
        "#]],
        );
        check(
            "inst begin(foo)",
            &expect![[r#"
            inst begin
              argument foo
        "#]],
        );
    }

    #[test]
    fn stray_text_has_no_name() {
        check(
            "parallel 3 (x",
            &expect![[r#"
            parallel
               [] x <x>
        "#]],
        );
    }
}
