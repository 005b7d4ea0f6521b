//! The prefix of every inserted name. A user's variable that happens to be called like one of ours
//! must not change meaning, so the prefix is one that does not occur in the text.

use std::collections::HashSet;

/// The first of `pomp_`, `pomp1_`, `pomp2_`, ... that does not occur in `source` (in any case, as
/// Fortran knows no case). An own name is the prefix, a letter and a number: `pomp_d7`.
pub fn free_prefix(source: &[u8]) -> String {
    let blocks = (0..source.len()).step_by(BLOCK).filter(|&start| may_begin_name(source, start));
    let taken: HashSet<&[u8]> = blocks
        .flat_map(|start| start..start + BLOCK)
        .filter(|&at| source.get(at..at + 4).is_some_and(|word| word.eq_ignore_ascii_case(b"pomp")))
        .filter_map(|at| number_of(&source[at + 4..]))
        .collect();
    if !taken.contains(&b""[..]) {
        return "pomp_".to_owned();
    }
    let mut numbers = (1u64..).map(|number| number.to_string());
    let free = numbers.find(|number| !taken.contains(number.as_bytes())).unwrap_or_default();
    format!("pomp{free}_")
}

/// So many bytes are looked at together.
const BLOCK: usize = 64;

/// Whether one of the words that are looked for may begin in the block from `start` on, by their
/// first letter and their last one. Compilers make a few vector instructions of it.
fn may_begin_name(source: &[u8], start: usize) -> bool {
    let first = source[start..].first_chunk::<BLOCK>();
    let last = source.get(start + 3..).and_then(<[u8]>::first_chunk::<BLOCK>);
    // The last block is looked at closely.
    let (Some(first), Some(last)) = (first, last) else { return true };
    let is_p = |byte: u8| u8::from(byte | 0x20 == b'p');
    let fits = first.iter().zip(last).map(|(first, last)| is_p(*first) & is_p(*last));
    fits.fold(0, |any, fits| any | fits) != 0
}

/// The digits in front of an underscore.
fn number_of(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (text.get(digits) == Some(&b'_')).then_some(&text[..digits])
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, free_prefix};

    #[test]
    fn a_taken_prefix_is_avoided() {
        assert_eq!(free_prefix(b"int pomp;"), "pomp_");
        assert_eq!(free_prefix(b"int x_POMP_d1, pomp1_;"), "pomp2_");
        for blanks in 0..2 * BLOCK {
            let text = " ".repeat(blanks) + "pOmP_";
            assert_eq!(free_prefix(text.as_bytes()), "pomp1_");
            assert_eq!(free_prefix(&text.as_bytes()[..blanks + 4]), "pomp_");
        }
    }
}
