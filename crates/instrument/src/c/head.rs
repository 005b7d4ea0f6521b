//! What the text in front of a brace says about the block that it opens.
//!
//! Names of types and macros are not known, so a function is recognised by its shape: a name with a
//! parenthesis behind it and something that may be a type before it. Where macros could mean
//! something else, they are told by their capitals, and the block is passed over.

use super::lexer::{Kind, Token};
use super::parts::{Part, parts};
use super::scan;
use std::collections::HashSet;
use std::ops::Range;

/// What has to be known about a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Language<'a> {
    pub(super) text: &'a [u8],
    pub(super) cxx: bool,
    pub(super) macros: &'a Macros<'a>,
}

/// Names of macros.
#[derive(Debug)]
pub(super) struct Macros<'a> {
    /// Those with parameters.
    pub(super) functions: HashSet<&'a [u8]>,
    /// Those that make a function a coroutine.
    suspending: HashSet<&'a [u8]>,
    /// Whether the text has a word that makes a body one in which nothing can be inserted.
    pub(super) any_closes: bool,
    /// Whether the text has an attribute that says so of a function.
    any_attribute: bool,
}

impl<'a> Macros<'a> {
    /// Finds the macros of a text.
    pub(super) fn of(text: &'a [u8]) -> Self {
        let defines = || {
            let at = memchr::memmem::find_iter(text, b"define ").map(|at| at + b"define ".len());
            at.map(|at| at..scan::ident_end(text, at))
        };
        let takes_parameters = |name: &Range<usize>| text.get(name.end) == Some(&b'(');
        let suspends = |name: &Range<usize>| {
            let line = &text[name.end..scan::preprocessor_line_end(text, name.end)];
            SUSPENDING.iter().any(|word| memchr::memmem::find(line, word).is_some())
        };
        // What all of them begin with; few texts have it.
        let any = memchr::memmem::find(text, b"co_").is_some();
        let suspending = || defines().filter(suspends).map(|name| &text[name]).collect();
        Self {
            functions: defines().filter(takes_parameters).map(|name| &text[name]).collect(),
            suspending: if any { suspending() } else { HashSet::new() },
            any_closes: any || memchr::memmem::find(text, MUST_TAIL).is_some(),
            any_attribute: has_attribute(text),
        }
    }
}

/// The attribute of a return behind which nothing may be left to do.
const MUST_TAIL: &[u8] = b"musttail";

/// Words that make a function a coroutine.
const SUSPENDING: [&[u8]; 3] = [b"co_await", b"co_return", b"co_yield"];

impl Macros<'_> {
    /// Whether a word makes the body that it is in one in which nothing can be inserted.
    pub(super) fn closes(&self, word: &[u8]) -> bool {
        word == MUST_TAIL || SUSPENDING.contains(&word) || self.suspending.contains(word)
    }
}

/// A token of a declaration, or a bracket with all that is in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) token: Token,
    /// Offset behind its end.
    pub(super) close: u32,
}

/// A function's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// With the classes that it names itself.
    pub(super) name: String,
    /// Offset of the name.
    pub(super) place: usize,
    /// Whether nothing can be inserted into the body.
    pub(super) closed: bool,
    /// Whether compilers may evaluate it.
    pub(super) constant: bool,
}

/// What a brace opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Opens {
    /// A namespace or a linkage specification, which has no name.
    Namespace(String),
    Class(String),
    Enumeration,
    Function(Head),
    /// Statements.
    Block,
    /// An initialiser, behind which the declaration goes on.
    Initialiser,
    /// Another part of the declaration.
    Part,
    /// Nothing that is known.
    Unknown,
}

/// A brace at the level of declarations. `class`: the name of the class around it.
pub(super) fn outer(language: Language, items: &[Item], class: Option<&str>) -> Opens {
    let Language { text, cxx, .. } = language;
    let Some(parts) = parts(text, items, cxx) else { return Opens::Unknown };
    if let Some(opens) = scope(&parts) {
        return opens;
    }
    let operator = parts.iter().position(|part| part.is(b"operator")).unwrap_or(usize::MAX);
    let equals = parts.iter().position(|part| matches!(part, Part::Symbol(b'=')));
    let concept = parts.iter().any(|part| part.is(b"concept"));
    if equals.is_some_and(|at| at < operator) || concept {
        return Opens::Initialiser;
    }
    if wants_requirements(&parts) {
        return Opens::Part;
    }
    let colon = parts.iter().position(|part| matches!(part, Part::Colon));
    let function = function(language, &parts, class);
    if let Some(key) = parts.iter().position(|part| part.word().is_some_and(is_class_key)) {
        // A class with bases has a colon as well, but a constructor has no such word.
        let shouted = function.as_ref().is_some_and(|head| cxx && is_shouted(head.name.as_bytes()));
        if function.is_none() || colon.is_some() || shouted {
            return record(&parts, key, colon);
        }
    }
    match (function, colon) {
        // A name in front of the brace: the initialiser of a member.
        (Some(_), Some(colon)) if initialises(&parts[colon..]) => Opens::Part,
        (Some(head), _) => Opens::Function(head.with_specifiers(language, items)),
        (None, _) => Opens::Unknown,
    }
}

/// A brace among statements: a local class, a nested function of GNU C, or a block.
pub(super) fn inner(language: Language, items: &[Item]) -> Opens {
    let Language { text, cxx, .. } = language;
    let Some(first) = items.first() else { return Opens::Block };
    let word = slice(text, first.token);
    let class = is_class_key(word) || matches!(word, b"static" | b"const" | b"typedef");
    let nested = !cxx
        && items.len() > 2
        && first.token.kind == Kind::Word
        && !begins_statement(word)
        && items.last().is_some_and(|last| last.token.kind == Kind::OpenParen);
    if !class && !nested {
        return Opens::Block;
    }
    match outer(language, items, None) {
        Opens::Class(name) => Opens::Class(name),
        // With a type in front: else it is the macro of a loop.
        Opens::Function(head) if nested && head.place > first.token.start as usize => {
            Opens::Function(head)
        }
        _ => Opens::Block,
    }
}

/// Whether a word begins a statement.
fn begins_statement(word: &[u8]) -> bool {
    matches!(word, b"return" | b"goto" | b"asm" | b"__asm__" | b"else" | b"typedef")
}

/// The head of a function whose parameters are declared behind it.
pub(super) fn old_style(language: Language, items: &[Item]) -> Option<Head> {
    let text = language.text;
    let list = items.iter().position(|item| item.token.kind == Kind::OpenParen)?;
    let names = text.get(items[list].token.end as usize..items[list].close as usize - 1)?;
    let is_list = names.iter().all(|&byte| scan::is_ident(byte) || b" \t\r\n,".contains(&byte));
    let declares = items.get(list + 1).is_some_and(|item| matches!(item.token.kind, Kind::Word));
    if !is_list || !declares || names.trim_ascii().is_empty() {
        return None;
    }
    let head = function(language, &parts(text, &items[..=list], false)?, None)?;
    Some(head.with_specifiers(language, items))
}

/// Whether this may declare parameters behind such a head.
pub(super) fn declares_parameters(text: &[u8], items: &[Item]) -> bool {
    let first = items.first().map(|item| slice(text, item.token)).unwrap_or_default();
    let plain = items.iter().all(|item| item.token.kind != Kind::OpenBrace);
    !items.is_empty() && plain && !matches!(first, b"typedef" | b"extern" | b"static")
}

/// `class` and the like.
pub(super) fn is_class_key(word: &[u8]) -> bool {
    matches!(word, b"class" | b"struct" | b"union" | b"enum")
}

/// What is behind the last `::` of a name.
pub(super) fn last_component(name: &str) -> &str {
    let scope = name.as_bytes().windows(2).rposition(|pair| pair == b"::");
    &name[scope.map_or(0, |at| at + 2)..]
}

fn slice(text: &[u8], token: Token) -> &[u8] {
    &text[token.start as usize..token.end as usize]
}

/// A namespace, a linkage specification or an exported block.
fn scope(parts: &[Part]) -> Option<Opens> {
    let skipped = |part: &&Part| part.is(b"inline") || part.is(b"__extension__");
    let parts = &parts[parts.iter().take_while(skipped).count()..];
    let unnamed = || Some(Opens::Namespace(String::new()));
    match parts {
        [word, Part::Literal] if word.is(b"extern") => unnamed(),
        [word] if word.is(b"export") => unnamed(),
        [word, rest @ ..] if word.is(b"namespace") => {
            // Attributes are in brackets.
            let words = rest.iter().filter_map(Part::word).filter(|word| *word != b"inline");
            let names: Vec<_> = words.map(String::from_utf8_lossy).collect();
            Some(Opens::Namespace(names.join("::")))
        }
        [word, rest @ ..] if word.is(b"export") => scope(rest),
        _ => None,
    }
}

/// Whether the brace belongs to a `requires` expression. The clause of that name has no brace.
fn wants_requirements(parts: &[Part]) -> bool {
    let parts = match parts {
        [rest @ .., Part::Parens(..)] => rest,
        _ => parts,
    };
    match parts {
        [.., before, last] if last.is(b"requires") => {
            before.is(b"requires") || matches!(before, Part::Symbol(b'&' | b'|' | b'!'))
        }
        _ => false,
    }
}

/// A class or enumeration: the last name before its bases.
fn record(parts: &[Part], key: usize, colon: Option<usize>) -> Opens {
    if parts[key].is(b"enum") {
        return Opens::Enumeration;
    }
    let end = colon.filter(|&colon| colon > key).unwrap_or(parts.len());
    let last = parts[key + 1..end].iter().rposition(|part| part.word().is_some_and(is_plain));
    let name = last.map(|last| qualified(parts, key + 1 + last).0).unwrap_or_default();
    Opens::Class(name)
}

/// A word that can name a class.
fn is_plain(word: &[u8]) -> bool {
    !matches!(word, b"final") && !is_special(word)
}

/// Whether the last of the member initialisers is not complete, so that a brace belongs to it.
fn initialises(parts: &[Part]) -> bool {
    matches!(parts.last(), Some(Part::Word(..) | Part::Angles))
}

/// Whether it is a word with a parenthesis that holds no parameters.
fn is_special(word: &[u8]) -> bool {
    matches!(
        word,
        b"__attribute__"
            | b"__attribute"
            | b"__declspec"
            | b"alignas"
            | b"_Alignas"
            | b"decltype"
            | b"typeof"
            | b"__typeof__"
            | b"__typeof"
            | b"typeof_unqual"
            | b"noexcept"
            | b"throw"
            | b"explicit"
            | b"asm"
            | b"__asm__"
            | b"__asm"
            | b"requires"
            | b"_Atomic"
            | b"_BitInt"
            | b"if"
            | b"while"
            | b"for"
            | b"switch"
            | b"catch"
            | b"return"
    )
}

/// Whether a word cannot come before the name of a function that is defined.
fn is_no_type(word: &[u8]) -> bool {
    matches!(
        word,
        b"return"
            | b"else"
            | b"case"
            | b"goto"
            | b"new"
            | b"typedef"
            | b"using"
            | b"do"
            | b"if"
            | b"catch"
    )
}

/// The function that a declaration defines, if it has the shape of one.
fn function(language: Language, parts: &[Part], class: Option<&str>) -> Option<Head> {
    // What comes behind an arrow is the type, behind a colon the members.
    let end = parts.iter().position(|part| matches!(part, Part::Arrow | Part::Colon));
    let parts = &parts[..end.unwrap_or(parts.len())];
    let candidates = candidates(language.text, parts);
    let end = parts.iter().position(|part| part.is(b"requires"));
    let before = |end: &usize| candidates.iter().any(|found| found.list < *end);
    let end = end.filter(before).unwrap_or(parts.len());
    let mut usable = candidates.iter().rev().filter(|found| found.list < end);
    let first = usable.clone().next_back()?;
    let found = usable.find(|found| !is_shouted(found.last())).unwrap_or(first);
    let type_parts = &parts[..found.first];
    let foreign = |part: &Part| part.word().is_some_and(is_no_type);
    let operates = |part: &Part| {
        matches!(part, Part::Symbol(byte) if !b"*&^".contains(byte)) || matches!(part, Part::Braces)
    };
    if type_parts.iter().any(|part| foreign(part) || operates(part)) {
        return None;
    }
    let typed =
        type_parts.iter().any(|part| !matches!(part, Part::Angles) && !part.is(b"template"));
    (typed || found.needs_no_type(language, class)).then(|| {
        let (closed, constant) = (false, false);
        Head { name: found.name.clone(), place: found.place, closed, constant }
    })
}

/// A name with a list of parameters.
struct Candidate {
    name: String,
    /// Offset of its last word.
    place: usize,
    /// Part index of the first word of the name.
    first: usize,
    /// Part index of the list.
    list: usize,
    operator: bool,
}

impl Candidate {
    /// The last component of the name.
    fn last(&self) -> &[u8] {
        last_component(&self.name).as_bytes()
    }

    /// Constructors, destructors and conversions have no type, nor have functions in old C.
    fn needs_no_type(&self, language: Language, class: Option<&str>) -> bool {
        if !language.cxx {
            return !is_shouted(self.last())
                && !language.macros.functions.contains(self.name.as_bytes());
        }
        let last = last_component(&self.name);
        let scope = self.name[..self.name.len() - last.len()].strip_suffix("::");
        let outer = scope.or(class).map(last_component);
        self.operator || last == "main" || last.starts_with('~') || outer == Some(last)
    }
}

fn candidates(text: &[u8], parts: &[Part]) -> Vec<Candidate> {
    if let Some(operator) = parts.iter().position(|part| part.is(b"operator")) {
        return overloaded(text, parts, operator).into_iter().collect();
    }
    let mut candidates = Vec::new();
    for (list, part) in parts.iter().enumerate() {
        let Part::Parens(start, end) = *part else { continue };
        let before = list.checked_sub(1).map(|before| &parts[before]);
        let first = text[start + 1..end].trim_ascii_start().first();
        let constant = first.is_some_and(u8::is_ascii_digit);
        let pointer = wrapped(text, start + 1..end - 1, false);
        match (before, pointer) {
            // A pointer to an array: `int (*f(void))[3]`.
            (Some(Part::Word(..)), Some((name, place))) => {
                candidates.push(Candidate { name, place, first: list, list, operator: false });
            }
            (Some(&Part::Word(word, place)), None) if !is_special(word) && !constant => {
                let (name, first) = qualified(parts, list - 1);
                candidates.push(Candidate { name, place, first, list, operator: false });
            }
            (Some(&Part::Parens(inner, inner_end)), _) => {
                let typed = list >= 2 && !parts[list - 2].word().is_some_and(is_shouted);
                if let Some((name, place)) = wrapped(text, inner + 1..inner_end - 1, typed) {
                    let first = list - 1;
                    candidates.clear();
                    candidates.push(Candidate { name, place, first, list, operator: false });
                }
            }
            _ => {}
        }
    }
    candidates
}

/// A name in parentheses, `(f)(int x)`, or one that returns a pointer to a function,
/// `(*f(int x))(int)`.
fn wrapped(text: &[u8], inside: std::ops::Range<usize>, typed: bool) -> Option<(String, usize)> {
    let inner = &text[inside.clone()];
    let start = inside.start + inner.iter().position(|&byte| scan::is_ident(byte))?;
    let end = scan::ident_end(text, start);
    let pointer = inner.trim_ascii_start().starts_with(b"*");
    let list = scan::skip_blank(text, end, true);
    let fits = if pointer { text.get(list) == Some(&b'(') } else { typed && list >= inside.end };
    fits.then(|| (String::from_utf8_lossy(&text[start..end]).into_owned(), start))
}

/// An operator: everything up to its parameters is the name.
fn overloaded(text: &[u8], parts: &[Part], operator: usize) -> Option<Candidate> {
    let mut list = parts[operator..].iter().position(|part| matches!(part, Part::Parens(..)))?;
    list += operator;
    if list == operator + 1 && matches!(parts.get(list + 1), Some(Part::Parens(..))) {
        list += 1;
    }
    let &Part::Word(_, place) = &parts[operator] else { return None };
    let &Part::Parens(end, _) = &parts[list] else { return None };
    let words: Vec<_> =
        text[place..end].split(u8::is_ascii_whitespace).map(String::from_utf8_lossy).collect();
    let (_, first) = qualified(parts, operator);
    let scope: String = parts[first..operator]
        .iter()
        .filter_map(Part::word)
        .map(|word| format!("{}::", String::from_utf8_lossy(word)))
        .collect();
    let name = format!("{scope}{}", words.join(" ").trim_end());
    Some(Candidate { name, place, first, list, operator: true })
}

/// The name that ends with this word, and the part that it begins with.
fn qualified(parts: &[Part], last: usize) -> (String, usize) {
    let word = |at: usize| parts[at].word().map(String::from_utf8_lossy).unwrap_or_default();
    let (mut name, mut first) = (word(last).into_owned(), last);
    if first > 0 && matches!(parts[first - 1], Part::Symbol(b'~')) {
        name.insert(0, '~');
        first -= 1;
    }
    while first > 0 && matches!(parts[first - 1], Part::Scope) {
        first -= 1;
        if first > 0 && matches!(parts[first - 1], Part::Angles) {
            first -= 1;
        }
        if first == 0 || parts[first - 1].word().is_none() {
            break;
        }
        first -= 1;
        name = format!("{}::{name}", word(first));
    }
    (name, first)
}

/// Whether this looks like a macro.
fn is_shouted(name: &[u8]) -> bool {
    name.len() > 1
        && name.iter().any(u8::is_ascii_uppercase)
        && !name.iter().any(u8::is_ascii_lowercase)
}

impl Head {
    /// What else its declaration says.
    fn with_specifiers(self, language: Language, items: &[Item]) -> Self {
        let text = language.text;
        let words = items.iter().filter(|item| item.token.kind == Kind::Word);
        let words = words.map(|item| slice(text, item.token));
        let constant = words.clone().any(|word| contains_shouted(word, b"CONSTEXPR"));
        let groups = items.iter().filter(|item| item.close > item.token.end);
        let mut groups = groups.map(|item| &text[item.token.start as usize..item.close as usize]);
        let attribute = language.macros.any_attribute && groups.any(has_attribute);
        let closed = words.into_iter().any(is_foreign) || attribute;
        Self { closed: self.closed || closed, constant, ..self }
    }
}

/// Whether this text in front of a body says that nothing can be inserted there.
pub(super) fn is_closed_text(macros: &Macros, text: &[u8]) -> bool {
    let mut words = text.split(|&byte| !scan::is_ident(byte));
    words.any(is_foreign) || macros.any_attribute && has_attribute(text)
}

/// Whether the word says that compilers alone run the function, that it runs elsewhere, or that it
/// has no frame. It may be a macro that is named after the word which it stands for.
fn is_foreign(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"__global__")
        || word.eq_ignore_ascii_case(b"__device__")
        || contains_shouted(word, b"CONSTEVAL")
        || contains_shouted(word, b"NAKED")
}

/// Whether a word has this part in it, in any case.
fn contains_shouted(word: &[u8], part: &[u8]) -> bool {
    let mut places = word.windows(part.len());
    let first = part[0];
    places.any(|place| place[0].eq_ignore_ascii_case(&first) && place.eq_ignore_ascii_case(part))
}

/// Whether one of these brackets has an attribute that says so.
fn has_attribute(group: &[u8]) -> bool {
    let attributes = [&b"naked"[..], b"no_instrument_function", b"interrupt", b"musttail"];
    // Most groups are short.
    group.len() > b"(naked)".len()
        && attributes.iter().any(|word| memchr::memmem::find(group, word).is_some())
}
