//! Functions that only code for devices calls, as far as this text shows: OpenMP compiles them for
//! devices without being told, and there no measurement can be called. What anybody else may call,
//! or takes the address of, is code of the host.

use super::lexer::{Kind, Lexed};
use super::outline::Function;
use std::collections::HashMap;
use std::ops::Range;

/// Says of each function whether only the bodies of these `target` constructs, and what they call,
/// can come to it. Functions and bodies are in the order of the text.
pub(super) fn from_devices_only(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    targets: &[Range<usize>],
) -> Vec<bool> {
    let uses = uses(text, lexed, functions, targets);
    let mut used = vec![false; functions.len()];
    let mut calls = vec![Vec::new(); functions.len()];
    let (mut host, mut device) = (Vec::new(), Vec::new());
    for (from, to) in uses {
        used[to] = true;
        match from {
            From::Function(function) => calls[function].push(to),
            From::Target => device.push(to),
            From::Outside => host.push(to),
        }
    }
    host.extend((0..functions.len()).filter(|&function| !used[function]));
    let (host, device) = (reached(host, &calls), reached(device, &calls));
    device.into_iter().zip(host).map(|(device, host)| device && !host).collect()
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

/// Which functions are named where. A name may be that of several functions.
fn uses(
    text: &[u8],
    lexed: &Lexed,
    functions: &[Function],
    targets: &[Range<usize>],
) -> Vec<(From, usize)> {
    let mut names: HashMap<&[u8], Vec<usize>> = HashMap::new();
    // Most words are rejected by their first letters and lengths.
    let mut lengths = [0u64; 256];
    for (index, function) in functions.iter().enumerate() {
        let name = function.last().as_bytes();
        names.entry(name).or_default().push(index);
        lengths[first_letter(name)] |= length_bit(name);
    }
    let mut uses = Vec::new();
    let (mut open, mut next, mut target, mut target_end) = (Vec::new(), 0, 0, 0);
    for (at, token) in lexed.tokens.iter().enumerate() {
        let start = token.start as usize;
        let word = &text[start..token.end as usize];
        if token.kind != Kind::Word || lengths[first_letter(word)] & length_bit(word) == 0 {
            continue;
        }
        let Some(named) = names.get(word) else { continue };
        while functions.get(next).is_some_and(|function| function.open <= start) {
            open.push(next);
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
        uses.extend(named.iter().map(|&function| (from, function)));
    }
    uses
}

fn first_letter(name: &[u8]) -> usize {
    name.first().copied().unwrap_or_default().into()
}

fn length_bit(name: &[u8]) -> u64 {
    1 << (name.len() % 64)
}

/// All functions that calls lead to.
fn reached(mut from: Vec<usize>, calls: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; calls.len()];
    while let Some(function) = from.pop() {
        if !std::mem::replace(&mut reached[function], true) {
            from.extend_from_slice(&calls[function]);
        }
    }
    reached
}
