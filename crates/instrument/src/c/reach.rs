//! Where functions are named, which tells those that only code for devices calls. What anybody else
//! may call, or takes the address of, is code of the host.

use super::lexer::{Kind, Lexed};
use super::outline::{Form, Function};
use crate::devices::{Names, Place, only_from_devices};
use std::ops::Range;

/// Says of each function whether only the bodies of these `target` constructs, functions that are
/// for devices already, and what they call, can come to it. Functions and bodies are in the order
/// of the text. Functions of one name are called together, since nobody knows here which of them is
/// meant.
pub(super) fn from_devices_only(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    targets: &[Range<usize>],
) -> Vec<bool> {
    let mut names = Names::default();
    // A lambda has none.
    let of: Vec<usize> =
        functions.iter().map(|function| names.add(function.last().as_bytes())).collect();
    let uses = uses(text, lexed, functions, (&names, &of), targets);
    let only = only_from_devices(names.len(), &uses);
    of.iter().map(|&name| only[name]).collect()
}

/// Which names of functions are mentioned where.
fn uses(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    (names, of): (&Names, &[usize]),
    targets: &[Range<usize>],
) -> Vec<(Place, usize)> {
    let mut uses = Vec::new();
    let (mut open, mut next, mut target, mut target_end) = (Vec::new(), 0, 0, 0);
    for (at, token) in lexed.tokens.iter().enumerate() {
        let start = token.start as usize;
        if token.kind != Kind::Word {
            continue;
        }
        let Some(name) = names.number(&text[start..token.end as usize]) else { continue };
        while let Some(function) = functions.get(next).filter(|function| function.open <= start) {
            // What a lambda names is named by the function that it is in.
            if function.form != Form::Lambda {
                open.push(next);
            }
            next += 1;
        }
        while open.last().is_some_and(|&function| functions[function].close <= start) {
            open.pop();
        }
        while let Some(body) = targets.get(target).filter(|body| body.start <= start) {
            target_end = body.end.max(target_end);
            target += 1;
        }
        let place = match open.last() {
            _ if start < target_end => Place::Device,
            Some(&function) if functions[function].device => Place::Device,
            Some(&function) => Place::Function(of[function]),
            // A declaration.
            None if lexed.tokens[at + 1].kind == Kind::OpenParen => continue,
            None => Place::Host,
        };
        uses.push((place, name));
    }
    uses
}
