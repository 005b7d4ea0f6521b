//! Programs of the corpus, broken as an editor, a merge or a disk may break them: lines and words
//! deleted, doubled, exchanged; brackets lost; texts cut anywhere; bytes that belong to no text.

use super::corpus::{self, Program};
use super::property;
use std::thread;

/// Broken texts per program: a sample, always the same one. The fuzz targets look for more.
const ROUNDS: u64 = 3;
/// Longer programs are cut to a window of this size, which is a mutation as well.
const LONGEST: usize = 3000;

#[test]
fn broken_programs_come_back() {
    for (index, program) in corpus::programs().iter().enumerate() {
        for round in 0..ROUNDS {
            let mut random = Random::new(index as u64 * ROUNDS + round);
            let mut text = window(&program.text, &mut random);
            for _ in 0..=random.below(4) {
                text = mutate(&text, &mut random);
            }
            let case = Case { program, round, text: &text };
            property::check(case.text, &property::options(program.name));
        }
    }
}

/// Says what was broken how, if it makes the test fail.
struct Case<'a> {
    program: &'a Program,
    round: u64,
    text: &'a [u8],
}

impl Drop for Case<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let (path, name) = (self.program.path.display(), self.program.name);
            println!("{path} as {name}, round {}:\n{}", self.round, self.text.escape_ascii());
        }
    }
}

/// Numbers that only look random: xorshift64*, so that a failure comes back.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        if limit == 0 { 0 } else { number as usize % limit }
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

fn window(text: &[u8], random: &mut Random) -> Vec<u8> {
    let start = random.below(text.len().saturating_sub(LONGEST));
    text[start..text.len().min(start + LONGEST)].to_vec()
}

/// Pieces whose presence or absence decides about structure.
const STRAY: [&[u8]; 24] = [
    b"{",
    b"}",
    b"(",
    b")",
    b"[[omp::directive(",
    b"[[omp::sequence(",
    b")]]",
    b"\"",
    b"'",
    b"/*",
    b"*/",
    b"//",
    b"!",
    b"&",
    b";",
    b"\\\n",
    b"\n#if X\n",
    b"\n#else\n",
    b"\n#endif\n",
    b"\n#pragma omp parallel for if(x)\n",
    b"\n!$omp parallel do if(x)\n",
    b"\n!$omp end parallel do\n",
    b"_Pragma(\"omp ",
    b"R\"x(",
];

fn mutate(text: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(10) {
        0 => text[..random.below(text.len())].to_vec(),
        1 => text[random.below(text.len())..].to_vec(),
        2 => crlf(text),
        3 => replace(text, b"  ", b"\t"),
        4 => replace(text, b"\n", b"\r"),
        5 => with_byte(text, random),
        6 => insert(text, random.below(text.len()), random.of(&STRAY)),
        7 => parts(text, random, |byte| byte == b'\n'),
        8 => parts(text, random, |byte| !byte.is_ascii_alphanumeric()),
        _ => parts(text, random, |byte| b"{}()[]\"';".contains(&byte)),
    }
}

fn crlf(text: &[u8]) -> Vec<u8> {
    replace(text, b"\n", b"\r\n")
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        if rest.starts_with(from) {
            output.extend_from_slice(to);
            rest = &rest[from.len()..];
        } else {
            output.push(first);
            rest = behind;
        }
    }
    output
}

/// Some byte that is in no source: a zero, a half of a character, a control character.
fn with_byte(text: &[u8], random: &mut Random) -> Vec<u8> {
    let byte = random.of(&[0, 0xff, 0xc3, 0x80, 0x1a, 0x0c, b'\r', 0x7f]);
    let mut text = text.to_vec();
    match text.len() {
        0 => text.push(byte),
        length => text[random.below(length)] = byte,
    }
    text
}

fn insert(text: &[u8], at: usize, piece: &[u8]) -> Vec<u8> {
    [&text[..at], piece, &text[at..]].concat()
}

/// Deletes, doubles or exchanges parts that end with such a byte.
fn parts(text: &[u8], random: &mut Random, ends: fn(u8) -> bool) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = text.split_inclusive(|&byte| ends(byte)).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let (one, other) = (random.below(parts.len()), random.below(parts.len()));
    match random.below(3) {
        0 => {
            parts.remove(one);
        }
        1 => parts.insert(other, parts[one]),
        _ => parts.swap(one, other),
    }
    parts.concat()
}
