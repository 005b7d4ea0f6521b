//! The language-neutral model of a directive: its words, its argument and its clauses, each with
//! the byte span it has in the source. The fronts cut a directive into [`Piece`]s, because only
//! they know about comments, splices and continuation lines; what the pieces mean is found here.

use std::borrow::Cow;
use std::ops::Range;

/// One token of a directive, without blanks, comments, splices and continuation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it is.
    pub span: Range<usize>,
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
}

/// A word of the name of a construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its text, in lower case where the language knows no case.
    pub text: String,
    /// Where it is.
    pub span: Range<usize>,
}

/// A clause: `reduction(task, + : a, b)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Its name, in lower case where the language knows no case.
    pub name: String,
    /// From the name to the closing parenthesis.
    pub span: Range<usize>,
    /// What is between the parentheses, from the first to the last piece.
    pub argument: Option<Range<usize>>,
    /// What is before the first colon of the argument that no bracket encloses (behind it, for
    /// `linear` and `aligned`).
    pub modifier: Option<Range<usize>>,
    /// The list items: the rest of the argument, cut at commas that no bracket encloses.
    pub items: Vec<Item>,
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
    pub fn parse(source: &[u8], pieces: &[Piece], fold_case: bool) -> Self {
        let mut reader = Reader { source, pieces, at: 0, fold_case };
        let words = reader.words();
        let argument = reader.parenthesis().map(|(inner, _)| inner.argument(pieces));
        let mut clauses = Vec::new();
        while let Some(clause) = reader.clause() {
            clauses.push(clause);
        }
        let end = pieces.iter().rev().find(|piece| piece.kind != PieceKind::Comma);
        let end = end.map_or(0, |piece| piece.span.end);
        Self { words, argument: argument.flatten(), clauses, end }
    }

    /// The words with one blank between.
    pub fn name(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
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
        Some(pieces.first()?.span.start..pieces.last()?.span.end)
    }
}

impl Reader<'_> {
    fn kind(&self, ahead: usize) -> Option<PieceKind> {
        self.pieces.get(self.at + ahead).map(|piece| piece.kind)
    }

    fn text(&self, span: &Range<usize>) -> String {
        let text = without_splices(&self.source[span.clone()]);
        let text = String::from_utf8_lossy(&text);
        if self.fold_case { text.to_ascii_lowercase() } else { text.into_owned() }
    }

    fn words(&mut self) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        while self.kind(0) == Some(PieceKind::Word) {
            let span = self.pieces[self.at].span.clone();
            let text = self.text(&span);
            let before: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            if !continues(&before, &text) {
                break;
            }
            words.push(Word { text, span });
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
                return Some((Inner(first..index), piece.span.end));
            }
        }
        self.at = self.pieces.len();
        Some((Inner(first..self.at), self.pieces[self.at - 1].span.end))
    }

    /// The next clause. Something that is no name (stray text) is a clause whose name is empty, so
    /// that nobody takes the directive for one he knows.
    fn clause(&mut self) -> Option<Clause> {
        while self.kind(0) == Some(PieceKind::Comma) {
            self.at += 1;
        }
        let piece = self.pieces.get(self.at)?;
        let name =
            if piece.kind == PieceKind::Word { self.text(&piece.span) } else { String::new() };
        let mut span = piece.span.clone();
        if piece.kind != PieceKind::Open {
            self.at += 1;
        }
        let mut clause =
            Clause { name, span: span.clone(), argument: None, modifier: None, items: vec![] };
        if let Some((inner, end)) = self.parenthesis() {
            span.end = end;
            clause.argument = inner.argument(self.pieces);
            self.list(inner.0, &mut clause);
        }
        clause.span = span;
        Some(clause)
    }

    fn list(&self, inner: Range<usize>, clause: &mut Clause) {
        let mut depth = 0usize;
        let mut item = inner.start;
        for at in inner.clone() {
            match self.pieces[at].kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth = depth.saturating_sub(1),
                PieceKind::Colon if depth == 0 && LIST_FIRST.contains(&clause.name.as_str()) => {
                    clause.modifier = Inner(at + 1..inner.end).argument(self.pieces);
                    clause.items.extend(self.item(item..at));
                    return;
                }
                PieceKind::Colon if depth == 0 && clause.modifier.is_none() => {
                    clause.modifier = Inner(inner.start..at).argument(self.pieces);
                    clause.items.clear();
                    item = at + 1;
                }
                PieceKind::Comma if depth == 0 => {
                    clause.items.extend(self.item(item..at));
                    item = at + 1;
                }
                _ => {}
            }
        }
        clause.items.extend(self.item(item..inner.end));
    }

    fn item(&self, pieces: Range<usize>) -> Option<Item> {
        let first = self.pieces.get(pieces.start)?;
        let base = (first.kind == PieceKind::Word).then(|| first.span.clone());
        Some(Item { span: Inner(pieces).argument(self.pieces)?, base })
    }
}

/// Whether `word` continues the name of a construct that has begun with `before`.
fn continues(before: &[&str], word: &str) -> bool {
    match before {
        [] => true,
        [first] if TAKES_ANY.contains(first) => true,
        ["begin" | "end", "declare"] => true,
        ["end", ..] => FOLLOWING.contains(&word),
        ["atomic" | "flush" | "cancel" | "cancellation" | "declare" | "begin" | "inst", ..] => {
            false
        }
        ["metadirective" | "critical" | "task" | "taskwait" | "single" | "barrier", ..] => false,
        ["ordered"] => word == "simd",
        _ => FOLLOWING.contains(&word),
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
            pieces.push(Piece { kind, span: start..at });
        }
        pieces
    }

    fn check(text: &str, expected: &Expect) {
        let directive = Directive::parse(text.as_bytes(), &pieces(text), false);
        let mut output = format!("{}\n", directive.name());
        if let Some(argument) = &directive.argument {
            output += &format!("  argument {}\n", &text[argument.clone()]);
        }
        for clause in &directive.clauses {
            let items = clause.items.iter().map(|item| {
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
