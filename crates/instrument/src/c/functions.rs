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
    let mut functions: BTreeMap<usize, Function> = BTreeMap::new();
    let mut unbalanced = None;
    for view in views {
        let outline = outline::outline(language, lexed, view);
        let Outline { functions: found, unbalanced: None } = outline else {
            unbalanced = unbalanced.or(outline.unbalanced);
            continue;
        };
        for function in found {
            let known = functions.entry(function.open).or_insert_with(|| function.clone());
            known.closed |= function.closed;
        }
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
