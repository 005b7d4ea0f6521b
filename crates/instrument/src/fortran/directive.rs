//! Fortran directives in the shared model: blanks between the words of a name are optional
//! (`paralleldo`, `enddo`), case does not matter, and everything refers to the joined text of the
//! directive, not to the source: a word may be cut by a continuation.

use super::becomes::Metadirective;
use super::directive_text::DirectiveText;
use super::form::{Form, is_name};
use super::offsets::Offsets;
use crate::clauses::{self, Split};
use crate::directive::{Directive, Piece, PieceKind};
use crate::directives::{Kind, Level, ROWS, classify};
use crate::names::{self, Letters};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

/// A directive whose meaning is known.
#[derive(Debug)]
pub(super) struct Parsed {
    /// Its parts; spans are offsets into the joined text.
    pub directive: Directive,
    /// What it is.
    pub kind: Kind,
    /// Its words with one blank between; for an END those of the construct that it ends, for a
    /// metadirective those of what it becomes, if that is known.
    pub name: String,
    /// How it is written, if it is a metadirective.
    pub metadirective: Option<Metadirective>,
    /// How its clauses are distributed over its levels; computed at the first use.
    split: OnceCell<Result<Split, String>>,
    /// Its clauses that say how it runs, for the descriptor; computed at the first use.
    description: OnceCell<String>,
    /// How many blanks its text must lose, if it means something only then.
    without_blanks: Option<usize>,
}

/// Words that may be written together, besides those of constructs with events.
const OTHERS: &[&str] = &[
    "begin",
    "data",
    "declare",
    "do",
    "end",
    "enter",
    "exit",
    "metadirective",
    "nowait",
    "section",
    "simd",
    "threadprivate",
];

/// All words that may be written together, by first letter.
struct Joined {
    words: Vec<&'static str>,
    letters: Letters,
}

static JOINED: LazyLock<Joined> = LazyLock::new(|| {
    let of_constructs = ROWS.iter().flat_map(|row| row.words.split(' '));
    // In Fortran it is `do`.
    let of_constructs = of_constructs.filter(|word| *word != "for");
    let mut words: Vec<&str> = of_constructs.chain(OTHERS.iter().copied()).collect();
    // Longer ones come before their own beginnings.
    words.sort_by_key(|word| (word.as_bytes()[0], Reverse(word.len()), *word));
    words.dedup();
    let letters = Letters::of(&words);
    Joined { words, letters }
});

/// Parses all directives, those of the same text once.
pub(super) fn parse_all(texts: &mut [DirectiveText], form: Form) -> Vec<Rc<Parsed>> {
    let mut known: Vec<[Option<Rc<Parsed>>; 2]> = Vec::new();
    let one = |text: &mut DirectiveText| {
        known.resize_with(known.len().max(text.number + 1), Default::default);
        let known = &mut known[text.number][usize::from(text.has_cpp)];
        let parsed = known.get_or_insert_with(|| Rc::new(parse_in(text, form)));
        if let Some(blanks) = parsed.without_blanks {
            *text = without_blanks(text, blanks);
        }
        Rc::clone(parsed)
    };
    texts.iter_mut().map(one).collect()
}

/// Parses a directive. In fixed form blanks mean nothing, even inside of words: a directive that
/// makes no sense as it is written loses them all or, where it has words that nobody knows, its
/// first ones, as many as it takes.
fn parse_in(text: &DirectiveText, form: Form) -> Parsed {
    // Names have few words; a limit keeps the work in proportion to the text.
    const TRIED: usize = 8;
    let parsed = parse(text);
    let cut = || parsed.directive.has_words_side_by_side();
    if !form.is_fixed() || makes_sense(&parsed) && !cut() {
        return parsed;
    }
    for blanks in std::iter::once(usize::MAX).chain(1..=TRIED) {
        let second = parse(&without_blanks(text, blanks));
        if makes_sense(&second) {
            return Parsed { without_blanks: Some(blanks), ..second };
        }
    }
    parsed
}

/// Whether each word is one that its directive may have.
fn makes_sense(parsed: &Parsed) -> bool {
    let all =
        |known: fn(&str) -> bool| parsed.directive.clauses.iter().all(|clause| known(&clause.name));
    match parsed.kind {
        Kind::Unknown => false,
        Kind::End => all(|name| matches!(name, "nowait" | "copyprivate")),
        Kind::User(_) => true,
        // `task yield`, `section s`: the beginning is a directive of its own.
        _ => {
            let mut words = parsed.directive.words.iter();
            words.all(|word| names::is_usual(&word.text)) && all(clauses::is_known)
        }
    }
}

/// The text without its first blanks, as many as there are up to `count`; those in quotes stay.
fn without_blanks(text: &DirectiveText, mut count: usize) -> DirectiveText {
    let squeezed = count == usize::MAX;
    let (mut bytes, mut places) = (Vec::with_capacity(text.text.len()), Offsets::default());
    let mut quote = None;
    for (at, &byte) in text.text.iter().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            None if matches!(byte, b' ' | b'\t') && count > 0 => {
                count -= 1;
                continue;
            }
            _ => {}
        }
        bytes.push(byte);
        places.push(text.at.of(at), 1);
    }
    DirectiveText { text: bytes.into(), at: places, squeezed, ..text.clone() }
}

/// Parses a directive.
fn parse(text: &DirectiveText) -> Parsed {
    let whole = 0..text.text.len();
    let mut directive = Directive::parse(&text.text, pieces(text, whole), true);
    let mut kind = kind(&text.text, &directive);
    let metadirective = Metadirective::decide(text, &mut directive, &mut kind);
    let mut name = String::with_capacity(24);
    for word in directive.words.iter().skip(usize::from(kind == Kind::End)) {
        name.push_str(if name.is_empty() { "" } else { " " });
        name.push_str(&word.text);
    }
    // OpenMP 6.0 also spells `target_data`.
    if name.contains('_') {
        name = name.replace('_', " ");
    }
    // Its END is `end metadirective`.
    if name.starts_with("begin ") {
        name.drain(.."begin ".len());
    }
    let (split, description) = (OnceCell::new(), OnceCell::new());
    Parsed { directive, kind, name, metadirective, split, description, without_blanks: None }
}

/// The shared meaning, with the differences of Fortran: `begin metadirective` has an END, and
/// `dispatch` and `allocators` belong to the next statement.
fn kind(text: &[u8], directive: &Directive) -> Kind {
    let word = |at: usize| directive.words.get(at).map(|word| &*word.text);
    match (word(0), word(1), directive.words.len()) {
        (Some("begin"), Some("metadirective"), 2) => Kind::Body { inside: false },
        (Some("dispatch" | "allocators"), None, _) => Kind::StandAlone,
        _ => classify(text, directive),
    }
}

impl Parsed {
    /// Whether a DO loop must follow, so that the END is optional.
    pub fn is_loop(&self) -> bool {
        const LOOPS: [&str; 11] = [
            "do",
            "simd",
            "taskloop",
            "distribute",
            "loop",
            "tile",
            "unroll",
            "interchange",
            "reverse",
            "stripe",
            "split",
        ];
        let loops = |level: &Level| matches!(level, Level::Loop { .. } | Level::Taskloop { .. });
        if self.levels().iter().any(loops) {
            return true;
        }
        let has_body = matches!(self.kind, Kind::Events(_) | Kind::Body { .. });
        has_body
            && !self.levels().iter().any(|level| level.stands_alone())
            && !self.name.starts_with("ordered")
            && self.name.split(' ').any(|word| LOOPS.contains(&word))
    }

    /// Whether it is a `metadirective` without `begin`: it may become a directive for the loop or
    /// BLOCK directly after it, or one that stands alone.
    pub fn may_become_any(&self) -> bool {
        self.metadirective.is_some_and(|metadirective| !metadirective.delimited)
    }

    /// The words of its END after `end`.
    pub fn end_name(&self) -> &str {
        if self.metadirective.is_some() { "metadirective" } else { &self.name }
    }

    /// Whether it is a statement without a body.
    pub fn stands_alone(&self) -> bool {
        self.kind == Kind::StandAlone || self.levels().iter().any(|level| level.stands_alone())
    }

    /// The levels of a construct with events, else none.
    pub fn levels(&self) -> &[Level] {
        if let Kind::Events(levels) = &self.kind { levels } else { &[] }
    }

    /// How the clauses of a combined construct are distributed over its levels.
    ///
    /// # Errors
    /// Why it cannot be split.
    pub fn split(&self, text: &[u8]) -> Result<&Split, &str> {
        let split = || clauses::split(text, &self.directive, self.levels());
        self.split.get_or_init(split).as_ref().map_err(String::as_str)
    }

    /// Its clauses that say how it runs, for the descriptor.
    pub fn description(&self, text: &[u8]) -> &str {
        let part = |span: Range<usize>| String::from_utf8_lossy(&text[span]);
        self.description.get_or_init(|| clauses::describe(&self.directive, part))
    }

    /// Whether a routine may be called inside of the body.
    pub fn allows_calls_inside(&self, text: &[u8]) -> bool {
        match &self.kind {
            Kind::Body { inside } => *inside,
            Kind::Events(levels) => levels.iter().all(|level| {
                *level != Level::Workshare && level.allows_calls_inside(text, &self.directive)
            }),
            _ => true,
        }
    }

    /// The span of the words of its name.
    pub fn words_span(&self) -> Range<usize> {
        let words = &self.directive.words;
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => 0..0,
        }
    }
}

/// Cuts a part of a text, in which spans are offsets into the whole.
pub(super) fn pieces(directive: &DirectiveText, part: Range<usize>) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(part.len() / 4 + 4);
    let (mut at, text) = (part.start, &directive.text[..part.end]);
    let words = if directive.squeezed { words_without_blanks } else { words };
    let mut depth = 0i32;
    while at < text.len() {
        let start = at;
        at += 1;
        let kind = match text[start] {
            b' ' | b'\t' => continue,
            b'(' | b'[' => {
                depth += 1;
                PieceKind::Open
            }
            b')' | b']' => {
                depth -= 1;
                PieceKind::Close
            }
            b',' => PieceKind::Comma,
            b':' if text.get(at) == Some(&b':') => {
                at += 1;
                PieceKind::Other
            }
            b':' => PieceKind::Colon,
            quote @ (b'\'' | b'"') => {
                at = text[at..].iter().position(|c| *c == quote).map_or(text.len(), |n| at + n + 1);
                PieceKind::Other
            }
            c if is_name(c) && !c.is_ascii_digit() => {
                at += text[at..].iter().position(|c| !is_name(*c)).unwrap_or(text.len() - at);
                if depth == 0 && words(text, start..at, &mut pieces) {
                    continue;
                }
                PieceKind::Word
            }
            _ => PieceKind::Other,
        };
        pieces.push(Piece::new(kind, start..at));
    }
    pieces
}

/// Cuts a run of letters that consists of words of directives, and perhaps a clause after them:
/// in fixed form a continuation line adds no blank (`parallel` and `if(x)` on the next one).
fn words(text: &[u8], run: Range<usize>, pieces: &mut Vec<Piece>) -> bool {
    let before = pieces.len();
    let mut at = run.start;
    while at < run.end {
        let rest = &text[at..run.end];
        let lower = || rest.to_ascii_lowercase();
        let clause = || std::str::from_utf8(&lower()).is_ok_and(clauses::is_known);
        let mut words = JOINED.words[JOINED.letters.range(rest[0])].iter();
        let length = match words.find(|word| begins(rest, word.as_bytes())) {
            Some(word) => word.len(),
            None if at > run.start && clause() => rest.len(),
            None => {
                pieces.truncate(before);
                return false;
            }
        };
        pieces.push(Piece::new(PieceKind::Word, at..at + length));
        at += length;
    }
    true
}

/// The same where no blanks are left, so that clauses may follow each other.
fn words_without_blanks(text: &[u8], run: Range<usize>, pieces: &mut Vec<Piece>) -> bool {
    let Some(places) = names::cut(&text[run.clone()].to_ascii_lowercase()) else { return false };
    let mut places = places.into_iter().map(|at| run.start + at).peekable();
    while let Some(at) = places.next() {
        let end = places.peek().copied().unwrap_or(run.end);
        pieces.push(Piece::new(PieceKind::Word, at..end));
    }
    true
}

/// Whether a text begins with a word in any case.
fn begins(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(directives: &str, expect: Expect) {
        let mut out = String::new();
        for line in directives.lines() {
            let text = line.as_bytes().into();
            let parsed = parse(&DirectiveText { text, ..DirectiveText::default() });
            let clauses: Vec<&str> =
                parsed.directive.clauses.iter().map(|clause| &*clause.name).collect();
            let mark = if parsed.is_loop() { " loop" } else { "" };
            writeln!(out, "{}: {:?}{mark} {clauses:?}", parsed.name, parsed.kind).unwrap();
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn longer_words_come_before_their_beginnings() {
        for (at, word) in JOINED.words.iter().enumerate() {
            assert!(JOINED.words[..at].iter().all(|before| !word.starts_with(before)), "{word}");
            assert!(JOINED.words[JOINED.letters.range(word.as_bytes()[0])].contains(word));
        }
        assert!(!JOINED.words.contains(&"for") && JOINED.words.contains(&"scope"));
    }

    #[test]
    fn names() {
        check(
            "PARALLELDO SIMD SIMDLEN(4)\nenddo nowait\nEND PARALLEL SECTIONS\nparallel, private(x) if(a('(')>1)\ncritical (name)\nendcritical(name)\natomic capture\nend atomic\ndo ordered\nordered depend(source)\nordered\nend taskgroup\ntarget teams distribute parallel do\ninst begin(foo)\nend target data\ncancel do\nparallel MACRO\nparalleldonum_threads(2)\nparalleldoo",
            expect![[r#"
                parallel do simd: Events([Parallel, Loop { simd: true }]) loop ["simdlen"]
                do: End ["nowait"]
                parallel sections: End []
                parallel: Events([Parallel]) ["private", "if"]
                critical: Events([Critical]) []
                critical: End []
                atomic: Events([Atomic]) ["capture"]
                atomic: End []
                do: Events([Loop { simd: false }]) loop ["ordered"]
                ordered: Events([Doacross]) ["depend"]
                ordered: Events([Ordered]) []
                taskgroup: End []
                target teams distribute parallel do: Events([Target { open: false }]) loop []
                inst begin: User(Begin(Named { name: "foo", variable: None })) []
                target data: End []
                cancel do: Events([Cancel]) []
                parallel: Events([Parallel]) ["macro"]
                parallel do: Events([Parallel, Loop { simd: false }]) loop ["num_threads"]
                paralleldoo: Unknown []
            "#]],
        );
    }
}
