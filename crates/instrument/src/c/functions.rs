//! Events of user functions: a variable at the beginning of the body, whose initialiser enters the
//! region and whose cleanup leaves it, on every way out: `return`, the closing brace, an exception.
//! It is a declaration, so that in C89 declarations may follow; nothing stands at the end of the
//! body.

use super::conditions::View;
use super::device;
use super::emit::Emitter;
use super::head;
use super::lexer::Lexed;
use super::outline::{self, Function, Outline};
use crate::Severity;
use crate::directives::{Kind, User};
use crate::functions::{Named, region};
use std::collections::BTreeMap;

/// The function bodies of all views.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// In the order of the text.
    pub(super) functions: Vec<Function>,
    unbalanced: Option<usize>,
}

/// Finds the function bodies. Views whose braces do not match are not believed.
pub(super) fn bodies(text: &[u8], lexed: &Lexed, views: &[View], cxx: bool) -> Bodies {
    let macros = head::macros(text);
    let language = head::Language { text, cxx, macros: &macros };
    let segments = outline::outline(language, lexed, views);
    let first_unbalanced = |found: &[Outline], segments: &[usize]| {
        segments.iter().find_map(|&segment| found[segment].unbalanced)
    };
    let of_views = segments.views.iter();
    let unbalanced = of_views.filter_map(|view| first_unbalanced(&segments.found, view)).next();
    let believed = segments.of(|found, view| first_unbalanced(found, view).is_none());
    let mut functions: BTreeMap<usize, Function> = BTreeMap::new();
    for function in believed.into_iter().flat_map(|outline| outline.functions) {
        let closed = function.closed;
        functions.entry(function.open).or_insert(function).closed |= closed;
    }
    Bodies { functions: functions.into_values().collect(), unbalanced }
}

impl Emitter<'_> {
    /// Gives every function that is wanted its events.
    pub(super) fn functions(&mut self, bodies: &Bodies) {
        if let Some(at) = bodies.unbalanced {
            let message = "the braces of a preprocessor branch do not match: functions that only \
                           it shows are not seen";
            self.note(at, Severity::Hidden, message.to_owned());
        }
        let (mut muted, mut declare_target) = (false, 0);
        let mut directives = self.lexed.directives.iter().peekable();
        for function in &bodies.functions {
            while let Some(found) = directives.next_if(|found| found.span.start < function.open) {
                match &found.kind {
                    Kind::User(User::Suspend) => muted = true,
                    Kind::User(User::Resume) => muted = false,
                    Kind::Declarative => device::turn(self.source, found, &mut declare_target),
                    _ => {}
                }
            }
            let open = !function.closed && !muted && declare_target == 0;
            if open && !self.lexed.is_system(function.open) && !function.device {
                self.function(function);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let lines = (self.positions.line(function.place), self.positions.line(function.close));
        let named = Named { name: &function.name, lines, file: self.file(function.place) };
        let Some(region) = region(self.options, named) else { return };
        let number = self.add_region(region);
        self.outcome.functions_instrumented += 1;
        self.enter_function(function.open, number);
    }
}
