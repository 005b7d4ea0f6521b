//! The number of iterations that the call in front of a worksharing loop passes: which names it may
//! be made of, and what the prelude declares for it.

use super::bounds::Bounds;
use super::emit::Emitter;
use super::operands::operands;
use super::{pragma, scan};
use crate::Language;
use crate::directive::Directive;
use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;
use std::slice;

/// Clauses after which a name means something else inside of the construct, or nothing yet.
const PRIVATISING: &[&str] =
    &["private", "lastprivate", "linear", "reduction", "in_reduction", "task_reduction"];

/// More loops than anybody collapses.
const LOOPS_MAX: usize = 24;

impl Emitter<'_> {
    /// The number of iterations of the loops that a directive distributes.
    pub(super) fn count(&self, index: usize) -> Option<Rc<str>> {
        let found = &self.lexed.directives[index];
        let directive = &found.directive;
        let [nest] = self.constructs[index].nests.as_slice() else { return None };
        let loops = collapsed(&found.text, directive)?;
        let headers = nest.headers.get(..loops.min(LOOPS_MAX)).filter(|_| !nest.unclear)?;
        let private =
            directive.clauses.iter().filter(|clause| PRIVATISING.contains(&&*clause.name));
        let private: HashSet<&[u8]> = private
            .flat_map(|clause| directive.items(clause))
            .filter_map(|item| item.base.map(|base| &found.text[base]))
            .collect();
        match headers {
            [header] if private.is_empty() => self.count_once(header),
            _ => self.count_without(&private, headers),
        }
    }

    /// The number for a loop whose header says all: few texts have many different ones.
    fn count_once(&self, header: &Range<usize>) -> Option<Rc<str>> {
        let text = &self.source[header.clone()];
        if let Some(known) = self.counts.borrow().get(text) {
            return known.clone();
        }
        let count = self.count_without(&HashSet::new(), slice::from_ref(header));
        self.counts.borrow_mut().insert(text, count.clone());
        count
    }

    /// The number for loops in whose headers the private names mean something else.
    fn count_without(&self, private: &HashSet<&[u8]>, headers: &[Range<usize>]) -> Option<Rc<str>> {
        let refuses = |name: &[u8]| private.contains(name) || self.has_effect(name);
        let cxx = self.options.language == Language::Cxx;
        let bounds = Bounds { text: self.source, cxx, prefix: self.prefix, refuses: &refuses };
        bounds.count(headers).map(Rc::from)
    }

    /// Whether reading this name may have an effect: it is volatile, or a macro of this text that
    /// is more than a simple expression.
    pub(super) fn has_effect(&self, name: &[u8]) -> bool {
        let names = self.effects.get_or_init(|| {
            let mut names = volatile_names(self.source);
            if !self.options.preprocessed {
                names.extend(other_macros(self.source, self.options.language == Language::Cxx));
            }
            names
        });
        names.contains(name)
    }
}

/// How many loops a directive distributes together.
fn collapsed(text: &[u8], directive: &Directive) -> Option<usize> {
    let Some(clause) = directive.clause("collapse") else { return Some(1) };
    std::str::from_utf8(&text[clause.argument.clone()?]).ok()?.trim().parse().ok()
}

/// The words after `volatile` up to the end of the declaration.
fn volatile_names(text: &[u8]) -> HashSet<&[u8]> {
    let ends = |byte: &u8| matches!(byte, b';' | b'{' | b'}' | b')');
    let declarations = memchr::memmem::find_iter(text, b"volatile").flat_map(|at| {
        let rest = &text[at..];
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        rest[..end].split(|&byte| !scan::is_ident(byte))
    });
    declarations.filter(|word| !word.is_empty()).collect()
}

/// The macros that have a definition which is not a simple expression.
fn other_macros(text: &[u8], cxx: bool) -> impl Iterator<Item = &[u8]> {
    memchr::memmem::find_iter(text, b"define").filter_map(move |at| {
        let start = scan::skip_blank(text, at + b"define".len(), false);
        let end = scan::ident_end(text, start);
        let body = end..scan::preprocessor_line_end(text, end);
        let is_function = text.get(end) == Some(&b'(');
        let is_simple = operands(text, &pragma::pieces(text, body), cxx, &|_| false).is_some();
        (is_function || !is_simple).then_some(&text[start..end])
    })
}

/// Functions that count: up to a value, to one that belongs to the loop, and the product of two
/// numbers. All are for loops that grow, since the others can be turned around.
pub(super) fn declarations(text: &mut String, cxx: bool, prefix: &str) {
    let head = "static __inline__ __attribute__((always_inline,unused))long ";
    let difference = |minus: &str| {
        let [a, b, s] = ["a", "b", "s"].map(|name| match cxx {
            true => format!("static_cast<unsigned long>({name})"),
            false => format!("(unsigned long){name}"),
        });
        match cxx {
            true => format!("static_cast<long>(({b}-{a}{minus})/{s})"),
            false => format!("(long)(({b}-{a}{minus})/{s})"),
        }
    };
    let _ = writeln!(
        text,
        "{head}{prefix}until(long a,long b,long s){{return s<1?-1:a>=b?0:{}+1;}}\n\
         {head}{prefix}through(long a,long b,long s){{return s<1?-1:a>b?0:{}+1;}}\n\
         {head}{prefix}times(long a,long b)\
         {{long p;return a<0||b<0||__builtin_mul_overflow(a,b,&p)?-1:p;}}",
        difference("-1"),
        difference(""),
    );
}
