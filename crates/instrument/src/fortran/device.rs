//! Code for devices: procedures with `declare target`, and those that only such code names. OpenMP
//! compiles the latter for devices without being told.
//!
//! Every word in the text that is the name of a procedure counts as its use, wherever a reference
//! to it may stand: in actions, PUBLIC lists, generic interfaces, bindings of types, values of
//! procedure pointers. A word too many only means that a procedure stays one of the host. What
//! merely declares a name (EXTERNAL, an interface body, USE) is none.

use super::class::Class;
use super::code::Code;
use super::directive::Parsed;
use super::form::{Form, is_name};
use super::scan::{Cpp, Kind, Scan, Statement};
use super::site::{Close, Event, Nest};
use crate::devices::{Names, Place, only_from_devices};
use crate::directives::{self, Level};
use std::ops::Range;
use std::rc::Rc;

/// Why constructs in such procedures get no events.
pub(super) const CLOSED: &str = "nothing may be called in a pure or device procedure";

/// Closes the procedures that only code for devices comes to, if there is something to close.
pub(super) fn close(
    source: &[u8],
    form: Form,
    scan: &Scan,
    parsed: &[Rc<Parsed>],
    nest: &mut Nest,
) {
    let targets = targets(parsed, nest);
    let devices = !targets.is_empty() || nest.units.iter().any(|unit| unit.device);
    if !devices || !is_needed(scan, nest) {
        return;
    }
    let only = Search::new(source, form, scan, parsed, nest).run(&targets);
    for site in nest.sites.iter_mut().filter(|site| only[site.unit]) {
        site.blocked = site.blocked.or(Some(CLOSED));
    }
    for event in &mut nest.events {
        if let Event::User(own) = event
            && only[own.unit]
        {
            own.blocked = own.blocked.or(Some(CLOSED));
        }
    }
    for (unit, _) in nest.units.iter_mut().zip(only).filter(|(_, only)| *only) {
        unit.procedure.iter_mut().for_each(|procedure| procedure.closed = true);
    }
}

/// Whether a branch of the preprocessor holds what closes its surroundings, as in texts for device
/// and host: where that is left out, constructs in them have events.
pub(super) fn closes_in_branch(scan: &Scan, parsed: &[Rc<Parsed>]) -> bool {
    let mut depth = 0_usize;
    scan.statements.iter().any(|statement| {
        match statement.kind {
            Kind::Cpp(Cpp::If(_)) => depth += 1,
            Kind::Cpp(Cpp::Endif) => depth = depth.saturating_sub(1),
            Kind::Directive(directive) if depth > 0 => {
                let parsed = &parsed[directive];
                return parsed.name == "declare target"
                    || !parsed.allows_calls_inside(&scan.directives[directive].text);
            }
            _ => {}
        }
        false
    })
}

/// The statements in the bodies of `target` constructs, in the order of the text.
fn targets(parsed: &[Rc<Parsed>], nest: &Nest) -> Vec<Range<usize>> {
    let is_target = |directive: usize| {
        parsed[directive].levels().first() == Some(&Level::Target { open: false })
    };
    let sites = nest.sites.iter().filter(|site| is_target(site.directive));
    let bodies = sites.filter_map(|site| match site.close {
        Close::Directive(end) | Close::After(end) => Some(site.opened + 1..end + 1),
        Close::Open | Close::Itself | Close::Nowhere => None,
    });
    bodies.collect()
}

/// Whether a procedure has something that calls would be put in for.
fn is_needed(scan: &Scan, nest: &Nest) -> bool {
    let in_procedure = |unit: usize| is_procedure(scan, nest, unit);
    let open = |event: &Event| match event {
        Event::Open(site) => {
            let site = &nest.sites[*site];
            site.blocked.is_none() && in_procedure(site.unit)
        }
        Event::User(own) => own.blocked.is_none() && in_procedure(own.unit),
        _ => false,
    };
    let measured = |id: usize| {
        let procedure = nest.units[id].procedure.as_ref();
        procedure.is_some_and(|procedure| !procedure.closed) && in_procedure(id)
    };
    nest.events.iter().any(open) || (0..nest.units.len()).any(measured)
}

fn is_procedure(scan: &Scan, nest: &Nest, unit: usize) -> bool {
    match scan.statements[nest.units[unit].first].kind {
        Kind::Code(Class::Unit(unit)) => unit.is_procedure(),
        _ => false,
    }
}

/// Looks for uses.
struct Search<'a> {
    source: &'a [u8],
    form: Form,
    scan: &'a Scan,
    parsed: &'a [Rc<Parsed>],
    nest: &'a Nest,
    /// Numbers of the names of procedures.
    numbers: Names<'a>,
    /// By unit, the number of its name, if it is a procedure.
    of: Vec<Option<usize>>,
    uses: Vec<(Place, usize)>,
}

impl<'a> Search<'a> {
    fn new(
        source: &'a [u8],
        form: Form,
        scan: &'a Scan,
        parsed: &'a [Rc<Parsed>],
        nest: &'a Nest,
    ) -> Self {
        let mut numbers = Names::default();
        let number = |unit: usize| {
            let name = nest.units[unit].name.as_bytes();
            let named = is_procedure(scan, nest, unit) && !name.is_empty();
            named.then(|| numbers.add(name))
        };
        let of = (0..nest.units.len()).map(number).collect();
        Self { source, form, scan, parsed, nest, numbers, of, uses: Vec::new() }
    }

    /// Says of each unit whether only code for devices comes to it.
    fn run(mut self, targets: &[Range<usize>]) -> Vec<bool> {
        let mut targets = targets.iter().peekable();
        let mut target_end = 0;
        let mut changes = self.nest.changes.iter().peekable();
        let mut unit = 0;
        for at in 0..self.scan.statements.len() {
            while let Some(body) = targets.next_if(|body| body.start <= at) {
                target_end = body.end.max(target_end);
            }
            while let Some((_, next)) = changes.next_if(|(from, _)| *from <= at) {
                unit = *next;
            }
            let place = match self.of[unit] {
                _ if at < target_end || self.nest.units[unit].device => Place::Device,
                Some(name) => Place::Function(name),
                None => Place::Host,
            };
            self.statement(at, unit, place);
        }
        let only = only_from_devices(self.numbers.len(), &self.uses);
        self.of.iter().map(|name| name.is_some_and(|name| only[name])).collect()
    }

    fn statement(&mut self, at: usize, unit: usize, place: Place) {
        let statement = self.scan.statements[at];
        match statement.kind {
            Kind::Code(Class::EndUnit) => {}
            Kind::Cpp(_) => self.definition(statement),
            Kind::Directive(directive) => self.directive(directive, place),
            Kind::Code(Class::Unit(_)) if self.nest.units[unit].first == at => {
                let code = self.code(statement);
                if memchr::memmem::find(&code.text, b"bind(").is_some() {
                    self.uses.extend(self.of[unit].map(|name| (Place::Host, name)));
                }
            }
            // The list of a generic interface.
            Kind::Code(Class::Unit(_)) => self.uses_of(&self.code(statement), false, Place::Host),
            Kind::Code(class) if self.may_use(statement) => {
                let code = self.code(statement);
                if code.text.starts_with(b"entry") {
                    self.uses.extend(self.of[unit].map(|name| (Place::Host, name)));
                }
                let declares = class == Class::Preamble || declares(&code.text);
                self.uses_of(&code, declares, place);
            }
            Kind::Code(_) => {}
        }
    }

    /// Whether a statement may name a procedure, or be an ENTRY. That is asked of the words in its
    /// line, which is quick; where a word may be cut into pieces, the answer is yes.
    fn may_use(&self, statement: Statement) -> bool {
        if self.form.is_fixed() || statement.first != statement.last {
            return true;
        }
        let line = self.scan.lines[statement.first];
        let mut words = words(&self.source[statement.start.min(line.end)..line.end]);
        words.any(|word| self.numbers.has_in_any_case(word) || word.eq_ignore_ascii_case(b"entry"))
    }

    /// A macro may be used anywhere.
    fn definition(&mut self, line: Statement) {
        let lines = self.scan.lines[line.first].start..self.scan.lines[line.last].end;
        let text = self.source[lines][1..].trim_ascii_start();
        if text.starts_with(b"define") {
            self.words(&text.to_ascii_lowercase(), Place::Host);
        }
    }

    fn code(&self, statement: Statement) -> Code {
        Code::of(self.source, self.scan, self.form, statement)
    }

    /// A clause may call a function, and name a procedure as a combiner or a variant.
    fn directive(&mut self, directive: usize, place: Place) {
        let parsed = &self.parsed[directive];
        let lists_only = parsed.kind == directives::Kind::Declarative
            && matches!(parsed.name.as_str(), "declare target" | "declare simd");
        if !lists_only {
            let text = &self.scan.directives[directive].text;
            let mut text = text.to_ascii_lowercase();
            if self.form.is_fixed() {
                text.retain(|byte| *byte != b' ');
            }
            self.words(&text, place);
        }
    }

    /// The words of a text that is none of Fortran's statements; in lower case.
    fn words(&mut self, text: &[u8], place: Place) {
        words(text).for_each(|word| self.word(word, place));
    }

    /// The words of a statement; of one that declares, only those in parentheses and behind `=`.
    fn uses_of(&mut self, code: &Code, declares: bool, place: Place) {
        let (mut depth, mut value, mut at) = (0usize, !declares, 0);
        while at < code.text.len() {
            let start = at;
            at += 1;
            match code.text[start] {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b'=' => value = true,
                byte if is_name(byte) => {
                    while at < code.text.len() && is_name(code.text[at]) && self.joined(code, at) {
                        at += 1;
                    }
                    if value || depth > 0 {
                        self.word(&code.text[start..at], place);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a byte belongs to the word of the one before it: in fixed form blanks mean nothing,
    /// in free form a word may only be cut by two `&`.
    fn joined(&self, code: &Code, at: usize) -> bool {
        let (before, this) = (code.at[at - 1], code.at[at]);
        let cut = self.source.get(before + 1) == Some(&b'&') && self.source[this - 1] == b'&';
        self.form.is_fixed() || before + 1 == this || cut
    }

    fn word(&mut self, word: &[u8], place: Place) {
        let known = |word: &[u8]| self.numbers.number(word);
        let glued = GLUED.iter().filter(|_| self.form.is_fixed());
        let behind = glued.filter_map(|keyword| known(word.strip_prefix(*keyword)?));
        self.uses.extend(known(word).into_iter().chain(behind).map(|name| (place, name)));
    }
}

/// The words of a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while !is_name(*text.get(at)?) {
            at += 1;
        }
        let start = at;
        while text.get(at).is_some_and(|byte| is_name(*byte)) {
            at += 1;
        }
        Some(&text[start..at])
    })
}

/// Keywords that a name may follow directly, where blanks mean nothing.
const GLUED: &[&[u8]] = &[
    b"call",
    b"return",
    b"stop",
    b"errorstop",
    b"print",
    b"public",
    b"final",
    b"procedure",
    b"moduleprocedure",
];

/// Whether a statement without blanks declares names, and refers to others only in parentheses and
/// behind `=`. What begins so and does not declare is an assignment, of which the same holds.
fn declares(text: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[
        b"integer",
        b"real",
        b"double",
        b"complex",
        b"logical",
        b"character",
        b"type",
        b"class",
        b"procedure(",
        b"generic",
        b"external",
        b"intrinsic",
        b"private",
        b"optional",
        b"pointer",
        b"save",
        b"dimension",
        b"common",
    ];
    WORDS.iter().any(|word| text.starts_with(word))
}
