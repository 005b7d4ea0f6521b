//! The prefix of every inserted name. A user's variable that happens to be called like one of ours
//! must not change meaning, so the prefix is one that does not occur in the text.

use std::collections::HashSet;

/// The first of `pomp_`, `pomp1_`, `pomp2_`, ... that does not occur in `source` (in any case, as
/// Fortran knows no case). An own name is the prefix, a letter and a number: `pomp_d7`.
pub fn free_prefix(source: &[u8]) -> String {
    let taken: HashSet<&[u8]> = memchr::memchr2_iter(b'p', b'P', source)
        .filter(|&at| source.get(at + 3).is_some_and(|last| last.eq_ignore_ascii_case(&b'p')))
        .filter(|&at| source[at..at + 3].eq_ignore_ascii_case(b"pom"))
        .filter_map(|at| number_of(&source[at + 4..]))
        .collect();
    if !taken.contains(&b""[..]) {
        return "pomp_".to_owned();
    }
    let mut numbers = (1u64..).map(|number| number.to_string());
    let free = numbers.find(|number| !taken.contains(number.as_bytes())).unwrap_or_default();
    format!("pomp{free}_")
}

/// The digits in front of an underscore.
fn number_of(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (text.get(digits) == Some(&b'_')).then_some(&text[..digits])
}

#[cfg(test)]
mod tests {
    use super::free_prefix;

    #[test]
    fn a_taken_prefix_is_avoided() {
        assert_eq!(free_prefix(b"int pomp;"), "pomp_");
        assert_eq!(free_prefix(b"int x_POMP_d1, pomp1_;"), "pomp2_");
    }
}
