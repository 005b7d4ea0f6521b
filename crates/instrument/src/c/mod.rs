//! The front for C and C++: text, tokens, constructs, insertions.
//!
//! The phases borrow from each other in this order: [`lexer`] cuts the text and reads its
//! directives ([`pragma`], [`attribute`] and [`meaning`]), [`conditions`] chooses views of the
//! preprocessor's branches, [`statements`] finds the bodies in each view, [`constructs`] puts
//! them together with their surroundings, [`emit`] decides what each construct gets, [`assemble`]
//! makes its texts, [`insertions`] and the edit list write them. For functions, [`outline`] finds
//! the bodies in each view, [`head`] (with [`parts`] and [`lambda`]) says what the text before a
//! brace is, [`bodies`] collects them, [`functions`] places the calls; [`device`] (with
//! [`reach`]) says which of them may be compiled for devices, if that matters ([`callees`]).
//! Every phase is linear in the text; what views show differently is looked at once for each
//! ([`segments`]).

mod abi_pomp2;
mod assemble;
mod attribute;
mod bodies;
mod bounds;
mod callees;
mod calls;
mod conditions;
mod constructs;
mod counter;
mod counts;
mod depend;
mod device;
mod emit;
mod finish;
mod functions;
mod head;
mod hidden;
mod insertions;
mod integers;
mod lambda;
mod levels;
mod lexer;
mod locks;
mod meaning;
mod open_regions;
mod operands;
mod outline;
mod parts;
mod place;
mod positions;
mod pragma;
mod prelude;
mod reach;
mod regions;
mod results;
mod scan;
mod segments;
mod split;
mod statements;
mod texts;
mod user;

use crate::{Abi, Error, Language, LineIndex, Options, Outcome};

/// See [`crate::instrument`].
pub(crate) fn instrument(source: &[u8], options: &Options) -> Result<Outcome, Error> {
    let functions = options.functions.is_some();
    let directives = options.openmp && memchr::memmem::find(source, b"omp").is_some();
    if !functions && !directives && !finish::mentions_pomp(source) {
        return Ok(emit::unchanged(source));
    }
    let cxx = options.language == Language::Cxx;
    let lines = LineIndex::new(source);
    // With directives, names of functions are wanted.
    let names = options.abi == Abi::Pomp && memchr::memmem::find(source, b"pragma omp").is_some();
    let everything = functions || locks::replaced(options) || names;
    let mut lexed =
        lexer::lex(source, &lines, cxx, options.openmp, everything, &options.own_folders)?;
    let views = lexed.conditions.views(cxx);
    let sites = statements::sites(source, &lines, &lexed, &views)?;
    let devices = device::Devices::of(&lexed, &sites);
    let on_devices =
        devices.has_functions(source) && (functions || devices.may_hold_directives(source, &lexed));
    let named = options.abi == Abi::Pomp && !lexed.directives.is_empty();
    if (on_devices || named) && !everything {
        lexed = lexer::complete(source, &lines, cxx, lexed)?;
    }
    let mut bodies = match functions || on_devices || named {
        true => bodies::bodies(source, &lexed, &views, cxx),
        false => bodies::Bodies::default(),
    };
    if on_devices {
        devices.mark(source, &lexed, &mut bodies.functions);
    }
    let device = device::ranges(&bodies);
    let constructs = constructs::collect(source, &lines, &lexed, sites, &device)?;
    let visible = |offset| {
        let branch = lexed.conditions.branch_at(offset);
        views.iter().any(|view| view.shows(branch))
    };
    emit::emit(source, options, &lines, &lexed, &constructs, &bodies, &visible)
}

/// The pieces of a directive, for tests of what is said of directives in all languages.
#[cfg(test)]
pub(crate) fn pieces_of(text: &[u8]) -> Vec<crate::directive::Piece> {
    pragma::pieces(text, 0..text.len())
}
