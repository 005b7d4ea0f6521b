//! Where functions are named, which tells those that only code for devices calls. What anybody else
//! may call, or takes the address of, is code of the host.

use super::lexer::{Kind, Lexed};
use super::outline::{Form, Function};
use crate::devices::{Place, only_from_devices};
use std::collections::HashMap;
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
    let names = Names::new(functions);
    let uses = uses(text, lexed, functions, &names, targets);
    let only = only_from_devices(names.numbers.len(), &uses);
    names.of.iter().map(|&name| only[name]).collect()
}

/// The names of functions.
struct Names<'a> {
    /// Their numbers.
    numbers: HashMap<&'a [u8], usize>,
    /// By function, the number of its name.
    of: Vec<usize>,
    /// By first letters, the lengths that there are: most words are rejected by them.
    lengths: [u64; 256],
}

impl<'a> Names<'a> {
    fn new(functions: &'a [Function]) -> Self {
        let mut names = Self {
            numbers: HashMap::new(),
            of: Vec::with_capacity(functions.len()),
            lengths: [0; 256],
        };
        for function in functions {
            // A lambda has none.
            let name = function.last().as_bytes();
            names.lengths[first_letter(name)] |= length_bit(name);
            let next = names.numbers.len();
            names.of.push(*names.numbers.entry(name).or_insert(next));
        }
        names
    }

    fn number(&self, word: &[u8]) -> Option<usize> {
        let possible = self.lengths[first_letter(word)] & length_bit(word) != 0;
        if possible { self.numbers.get(word).copied() } else { None }
    }
}

/// Which names of functions are mentioned where.
fn uses(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    names: &Names,
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
            Some(&function) => Place::Function(names.of[function]),
            // A declaration.
            None if lexed.tokens[at + 1].kind == Kind::OpenParen => continue,
            None => Place::Host,
        };
        uses.push((place, name));
    }
    uses
}

fn first_letter(name: &[u8]) -> usize {
    name.first().copied().unwrap_or_default().into()
}

fn length_bit(name: &[u8]) -> u64 {
    1 << (name.len() % 64)
}
