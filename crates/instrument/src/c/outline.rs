//! The outline of a text in one view: which blocks are namespaces, classes and function bodies.
//!
//! A declaration is collected up to its semicolon or brace; at a brace, [`head`](super::head) says
//! what kind of block the declaration makes of it. A doubtful block is passed over: a function that
//! is not measured is better than a program that does not compile. The walk needs no recursion and
//! is linear in the tokens.

use super::conditions::View;
use super::head::{self, Head, Item, Language, Opens};
use super::lambda::{self, Lambda};
use super::lexer::{Kind, Lexed, Token};
use super::segments::{self, Segments, Stop};
use std::convert::Infallible;

/// A function body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// With the namespaces and classes around it.
    pub(super) name: String,
    /// Offset of the name.
    pub(super) place: usize,
    /// Offset behind the brace that opens the body.
    pub(super) open: usize,
    /// Offset of the brace that closes it.
    pub(super) close: usize,
    /// Whether nothing can be inserted: a coroutine, assembly, code that only a compiler evaluates.
    pub(super) closed: bool,
    pub(super) form: Form,
    /// Whether it may be compiled for a device; found by [`super::device`].
    pub(super) device: bool,
}

/// What kind of function it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Usual,
    /// Compilers may evaluate it, if its standard lets them.
    Constant,
    /// It has no name of its own; `name` is that of what it is in. Compilers may evaluate it.
    Lambda,
}

impl Function {
    /// The last component of the name.
    pub(super) fn last(&self) -> &str {
        head::last_component(&self.name)
    }
}

/// What a segment of one view shows.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) functions: Vec<Function>,
    /// Offset of the first brace or bracket that has no partner.
    pub(super) unbalanced: Option<usize>,
}

/// Finds the function bodies of all views.
pub(super) fn outline(language: Language, lexed: &Lexed, views: &[View]) -> Segments<Outline> {
    let segments = segments::walk(lexed, views, Vec::new(), |view, start, scopes| {
        Ok::<_, Infallible>(segment(language, lexed, view, start, scopes))
    });
    let Ok(segments) = segments;
    segments
}

/// Finds the function bodies of a segment, which is inside of these scopes.
fn segment(
    language: Language,
    lexed: &Lexed,
    view: &View,
    start: usize,
    scopes: Vec<Scope>,
) -> Stop<Vec<Scope>, Outline> {
    let mut walk = Walk {
        text: language.text,
        language,
        lexed,
        view,
        at: start,
        scopes,
        bodies: Vec::new(),
        head: Vec::new(),
        initialised: false,
        old_style: None,
        simd: false,
        outline: Outline::default(),
    };
    while walk.outline.unbalanced.is_none() && !walk.ends_segment(start) && walk.step() {}
    let Walk { mut outline, mut at, scopes, .. } = walk;
    if outline.unbalanced.is_some() {
        at = lexed.tokens.len() - 1;
    } else if lexed.tokens[at].kind == Kind::End {
        outline.unbalanced = scopes.first().map(|scope| scope.start);
    }
    Stop { at, open: scopes, found: outline }
}

/// Names of more scopes than these are not put together.
const SCOPES_MAX: usize = 64;

/// A segment without conditionals has more tokens than these.
const SEGMENT_MIN: usize = 256;

/// A declaration of more tokens is not looked at: its text is read at every brace in it.
const HEAD_MAX: usize = 2000;

/// An open block.
#[derive(Debug, Clone, PartialEq)]
struct Scope {
    kind: Within,
    /// Offset of its brace.
    start: usize,
    /// The name that it adds to those of the functions inside.
    name: String,
}

/// Where a declaration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// A namespace, a linkage specification.
    Namespace,
    Class,
    /// The body of a function, by its index.
    Function(usize),
    /// A block of statements.
    Block,
}

struct Walk<'a> {
    text: &'a [u8],
    language: Language<'a>,
    lexed: &'a Lexed,
    view: &'a View,
    /// Index of the next token.
    at: usize,
    scopes: Vec<Scope>,
    /// The open function bodies, by their indices.
    bodies: Vec<usize>,
    /// The declaration or statement so far, with its brackets as one item each.
    head: Vec<Item>,
    /// Whether it has an initialiser, so that it defines no function.
    initialised: bool,
    /// A head whose parameters are declared behind it, in the style before C89.
    old_style: Option<Head>,
    /// Whether `declare simd` is about this declaration.
    simd: bool,
    outline: Outline,
}

impl Walk<'_> {
    /// What comes next belongs to something new.
    fn clear(&mut self) {
        self.head.clear();
        self.initialised = false;
    }

    /// Whether a segment ends here: between declarations, outside of functions. It ends behind a
    /// block as well, if it has conditionals in it or many tokens: all views walk what lies between
    /// those conditionals and its ends.
    fn ends_segment(&mut self, start: usize) -> bool {
        let tokens = &self.lexed.tokens;
        let conditional = matches!(tokens[self.at].kind, Kind::Condition(_));
        let behind_block = self.at > start && tokens[self.at - 1].kind == Kind::CloseBrace;
        if !(conditional || behind_block)
            || !self.bodies.is_empty()
            || !self.head.is_empty()
            || self.old_style.is_some()
            || self.simd
        {
            return false;
        }
        if conditional {
            self.at = self.lexed.shown_of_segment(self.view, start, self.at);
            return matches!(self.lexed.tokens[self.at].kind, Kind::Condition(_));
        }
        let conditions = &self.lexed.conditions;
        conditions.is_outside(self.at)
            && (self.at - start > SEGMENT_MIN || conditions.any(start..self.at))
    }

    /// Takes one token, or one bracket; false at the end.
    fn step(&mut self) -> bool {
        let token = self.next();
        match token.kind {
            Kind::End => return false,
            Kind::Semicolon => self.end_declaration(),
            Kind::OpenBrace => self.open(token),
            Kind::CloseBrace => self.close(token),
            Kind::OpenParen | Kind::OpenBracket => self.group(token),
            Kind::CloseParen | Kind::CloseBracket => {
                self.outline.unbalanced = Some(token.start as usize);
            }
            Kind::Directive(index) => self.directive(index),
            Kind::Pragma | Kind::Condition(_) => {}
            Kind::Colon if self.ends_label() => self.clear(),
            _ => {
                self.word(token);
                self.head.push(Item { token, close: token.end });
            }
        }
        true
    }

    /// The next token that the view shows.
    #[inline]
    fn next(&mut self) -> Token {
        let mut token = self.lexed.tokens[self.at];
        if matches!(token.kind, Kind::Condition(_)) {
            self.at = self.lexed.shown(self.view, self.at);
            token = self.lexed.tokens[self.at];
        }
        self.at += usize::from(token.kind != Kind::End);
        token
    }

    fn directive(&mut self, index: u32) {
        let words = &self.lexed.directives[index as usize].directive.words;
        let mut name = words.iter().flat_map(|word| word.text.split('_'));
        self.simd |= name.next() == Some("declare") && name.eq(["simd"]);
        self.clear();
    }

    /// Words that make a body one in which nothing can be inserted.
    #[inline]
    fn word(&mut self, token: Token) {
        if self.language.macros.any_closes
            && token.kind == Kind::Word
            && self.language.macros.closes(self.slice(token))
            && let Some(&function) = self.bodies.last()
        {
            self.outline.functions[function].closed = true;
        }
    }

    /// `public:` and labels do not belong to what follows.
    fn ends_label(&self) -> bool {
        let first = self.head.first().map(|item| self.slice(item.token)).unwrap_or_default();
        match self.scopes.last().map(|scope| scope.kind) {
            Some(Within::Class) => {
                matches!(first, b"public" | b"protected" | b"private" | b"signals")
            }
            Some(Within::Function(_) | Within::Block) => !head::is_class_key(first),
            _ => false,
        }
    }

    fn slice(&self, token: Token) -> &[u8] {
        &self.text[token.start as usize..token.end as usize]
    }

    fn end_declaration(&mut self) {
        let old_style = (!self.language.cxx && self.old_style.is_none() && !self.inside_function())
            .then(|| head::old_style(self.language, &self.head))
            .flatten();
        if old_style.is_some() {
            self.old_style = old_style;
        } else if !head::declares_parameters(self.text, &self.head) {
            self.old_style = None;
        }
        self.clear();
        self.simd &= self.old_style.is_some();
    }

    fn inside_function(&self) -> bool {
        let kind = self.scopes.last().map(|scope| scope.kind);
        matches!(kind, Some(Within::Function(_) | Within::Block))
    }

    /// A bracket to its end.
    fn group(&mut self, open: Token) {
        let close = self.skip(open);
        self.head.push(Item { token: open, close });
    }

    /// Passes over what a bracket or brace opens, but for the lambdas in it; returns the offset
    /// behind its end.
    fn skip(&mut self, open: Token) -> u32 {
        let mut depth = 1;
        // Each open lambda, and how deep its body is.
        let mut lambdas: Vec<(usize, usize)> = Vec::new();
        loop {
            let token = self.next();
            match token.kind {
                Kind::OpenBrace => {
                    depth += 1;
                    if let Some(lambda) = self.lambda() {
                        lambdas.push((self.lambda_body(lambda, token), depth));
                    }
                }
                Kind::OpenParen | Kind::OpenBracket => depth += 1,
                Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => {
                    if let Some((lambda, _)) = lambdas.pop_if(|lambda| lambda.1 == depth) {
                        self.bodies.pop();
                        self.outline.functions[lambda].close = token.start as usize;
                    }
                    depth -= 1;
                }
                Kind::End => {
                    self.outline.unbalanced = Some(open.start as usize);
                    return token.end;
                }
                _ => self.word(token),
            }
            if depth == 0 {
                return token.end;
            }
        }
    }

    /// A brace opens.
    fn open(&mut self, token: Token) {
        if let Some(lambda) = self.lambda() {
            let start = token.start as usize;
            let kind = Within::Function(self.lambda_body(lambda, token));
            self.scopes.push(Scope { kind, start, name: String::new() });
            return self.clear();
        }
        let opens = match self.old_style.take() {
            Some(head) if self.head.is_empty() => Opens::Function(head),
            _ if self.initialised => Opens::Part,
            _ if self.head.len() > HEAD_MAX => Opens::Unknown,
            _ if self.inside_function() => head::inner(self.language, &self.head),
            _ => {
                let class = self.scopes.last().filter(|scope| scope.kind == Within::Class);
                let class = class.map(|scope| scope.name.as_str());
                head::outer(self.language, &self.head, class)
            }
        };
        let initialiser = opens == Opens::Initialiser;
        let (kind, name) = match opens {
            Opens::Namespace(name) => (Within::Namespace, name),
            Opens::Class(name) => (Within::Class, name),
            Opens::Function(head) => {
                let name = head.name.clone();
                (Within::Function(self.function(head, token)), name)
            }
            Opens::Block => (Within::Block, String::new()),
            Opens::Enumeration => {
                self.skip(token);
                self.clear();
                return self.stand_in(token);
            }
            Opens::Initialiser | Opens::Part => {
                self.initialised |= initialiser;
                let close = self.skip(token);
                return self.head.push(Item { token, close });
            }
            Opens::Unknown => {
                self.skip(token);
                return self.clear();
            }
        };
        self.scopes.push(Scope { kind, start: token.start as usize, name });
        self.clear();
        self.simd = false;
    }

    /// The lambda whose body the brace before the next token opens.
    fn lambda(&self) -> Option<Lambda> {
        let brace = self.language.cxx.then(|| self.at - 1)?;
        lambda::lambda(self.language, &self.lexed.tokens, brace)
    }

    fn lambda_body(&mut self, lambda: Lambda, open: Token) -> usize {
        let Lambda { place, closed } = lambda;
        let within = self.bodies.last().is_some_and(|&body| self.outline.functions[body].closed);
        let closed = closed || within;
        let head = Head { name: String::new(), place, closed, constant: false };
        let index = self.function(head, open);
        self.outline.functions[index].form = Form::Lambda;
        index
    }

    /// Declarators may follow the type that has ended: its brace stands for it.
    fn stand_in(&mut self, token: Token) {
        let token = Token { kind: Kind::CloseBrace, ..token };
        self.head.push(Item { token, close: token.end });
    }

    /// A body that may get events.
    fn function(&mut self, head: Head, open: Token) -> usize {
        let first = self.lexed.tokens[self.lexed.shown(self.view, self.at)];
        let first = self.slice(first);
        // Local labels must be declared before everything else.
        let special = matches!(first, b"asm" | b"__asm__" | b"__asm" | b"__label__");
        // Deeper nests than that have no name of their own.
        let around = &self.scopes[self.scopes.len().saturating_sub(SCOPES_MAX)..];
        let names = around.iter().map(|scope| scope.name.as_str()).chain([head.name.as_str()]);
        let mut name = String::with_capacity(names.clone().map(|name| name.len() + 2).sum());
        for part in names.filter(|name| !name.is_empty()) {
            name.push_str(if name.is_empty() { "" } else { "::" });
            name.push_str(part);
        }
        self.outline.functions.push(Function {
            name,
            place: head.place,
            open: open.end as usize,
            close: open.end as usize,
            closed: head.closed || special || self.simd,
            form: if head.constant { Form::Constant } else { Form::Usual },
            device: false,
        });
        let index = self.outline.functions.len() - 1;
        self.bodies.push(index);
        index
    }

    /// A brace closes.
    fn close(&mut self, token: Token) {
        self.clear();
        match self.scopes.pop() {
            Some(Scope { kind: Within::Function(function), .. }) => {
                self.bodies.pop();
                self.outline.functions[function].close = token.start as usize;
            }
            Some(Scope { kind: Within::Class, .. }) => self.stand_in(token),
            Some(_) => {}
            None => self.outline.unbalanced = Some(token.start as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer;
    use super::*;
    use crate::LineIndex;

    #[test]
    fn what_is_far_from_conditionals_is_walked_once() {
        let plain = "void f(void) { g(1); }\n".repeat(SEGMENT_MIN);
        let differs = "void h(void) {\n#if A\ng(2);\n#else\ng(3);\n#endif\n}\n";
        let text = [&plain, differs, &plain].concat();
        let lines = LineIndex::new(text.as_bytes());
        let lexed = lexer::lex(text.as_bytes(), &lines, false, true, true, &[]).unwrap();
        let views = lexed.conditions.views(false);
        let macros = head::Macros::of(text.as_bytes());
        let language = Language { text: text.as_bytes(), cxx: false, macros: &macros };
        let outline = outline(language, &lexed, &views);
        let [first, second] = outline.views.as_slice() else { panic!("{}", views.len()) };
        let own: Vec<_> = second.iter().filter(|segment| !first.contains(segment)).collect();
        let [own] = own.as_slice() else { panic!("{own:?}") };
        let walked_again = outline.found[**own].functions.len();
        assert!(walked_again < SEGMENT_MIN / 4, "{walked_again}");
        let all: usize = first.iter().map(|&segment| outline.found[segment].functions.len()).sum();
        assert_eq!(all, 2 * SEGMENT_MIN + 1);
    }
}
