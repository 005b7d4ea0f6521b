//! Functions that only code for devices calls, as far as this text shows: OpenMP compiles them for
//! devices without being told, and there no measurement can be called. What anybody else may call,
//! or takes the address of, is code of the host.

use super::lexer::{Kind, Lexed};
use super::outline::{Form, Function};
use std::collections::HashMap;
use std::ops::Range;

/// Says of each function whether only the bodies of these `target` constructs, and what they call,
/// can come to it. Functions and bodies are in the order of the text. Functions of one name are
/// called together, since nobody knows here which of them is meant.
pub(super) fn from_devices_only(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    targets: &[Range<usize>],
) -> Vec<bool> {
    let names = Names::new(functions);
    let uses = uses(text, lexed, functions, &names, targets);
    let mut used = vec![false; names.numbers.len()];
    let mut calls = vec![Vec::new(); names.numbers.len()];
    let (mut host, mut device) = (Vec::new(), Vec::new());
    for (from, to) in uses {
        used[to] = true;
        match from {
            From::Function(function) => calls[names.of[function]].push(to),
            From::Target => device.push(to),
            From::Outside => host.push(to),
        }
    }
    host.extend((0..used.len()).filter(|&name| !used[name]));
    let (host, device) = (reached(host, &calls), reached(device, &calls));
    names.of.iter().map(|&name| device[name] && !host[name]).collect()
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

/// Where a function is named.
#[derive(Clone, Copy)]
enum From {
    /// In the body of a function, by its index, and in no `target` construct.
    Function(usize),
    Target,
    /// In a table of functions, say.
    Outside,
}

/// Which names of functions are mentioned where.
fn uses(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    names: &Names,
    targets: &[Range<usize>],
) -> Vec<(From, usize)> {
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
        let from = match open.last() {
            _ if start < target_end => From::Target,
            Some(&function) => From::Function(function),
            // A declaration.
            None if lexed.tokens[at + 1].kind == Kind::OpenParen => continue,
            None => From::Outside,
        };
        uses.push((from, name));
    }
    uses
}

fn first_letter(name: &[u8]) -> usize {
    name.first().copied().unwrap_or_default().into()
}

fn length_bit(name: &[u8]) -> u64 {
    1 << (name.len() % 64)
}

/// All names that calls lead to.
fn reached(mut from: Vec<usize>, calls: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; calls.len()];
    while let Some(name) = from.pop() {
        if !std::mem::replace(&mut reached[name], true) {
            from.extend_from_slice(&calls[name]);
        }
    }
    reached
}
