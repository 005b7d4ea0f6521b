//! Whether a program may have integers of 16 bytes. The calls that we insert pass integers of 8
//! bytes: sums with such a number, unless the text may have wider ones, which must be shortened.
//!
//! A number of 16 alone says nothing: `integer, parameter :: rows = 16` is no kind. It is one in a
//! declaration, as the kind of a number, or as the value of a name that is used as a kind.

use std::collections::HashSet;

use memchr::memmem;

use super::cursor::is_name;

/// Whether the text may have integers of 16 bytes.
pub(super) fn has_wide_integers(source: &[u8]) -> bool {
    let has = |text: &[u8]| memmem::find(source, text).is_some();
    has(b"int128") || has(b"INT128") || (mentions_16(source) && has_kind_of_16(source))
}

/// Whether the number 16 is a word, or the kind of a number: `step_16` has neither.
fn mentions_16(source: &[u8]) -> bool {
    memmem::find_iter(source, b"16").any(|at| {
        let before = source[..at].iter().rposition(|c| !is_name(*c)).map_or(0, |place| place + 1);
        let is_end = !source.get(at + 2).is_some_and(|c| is_name(*c));
        let digits = source[before..at].strip_suffix(b"_");
        let is_kind = digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit));
        is_end && (before == at || is_kind)
    })
}

/// Whether the number 16 is a kind somewhere, under its own name or another one.
fn has_kind_of_16(source: &[u8]) -> bool {
    // Names with this value, and names that are used as kinds.
    let (mut values, mut kinds) = (HashSet::new(), HashSet::new());
    let (mut before, mut end) = (&b""[..], 0);
    while let Some(blank) = source[end..].iter().position(|c| is_name(*c)) {
        let start = end + blank;
        let length = source[start..].iter().take_while(|c| is_name(**c)).count();
        let word = &source[start..start + length];
        let is = |name: &str| before.eq_ignore_ascii_case(name.as_bytes());
        match source[end..start].trim_ascii() {
            b"(" | b"*" if is("integer") => _ = kinds.insert(word.to_ascii_lowercase()),
            b"=" if is("kind") => _ = kinds.insert(word.to_ascii_lowercase()),
            b"=" if word == b"16" => _ = values.insert(before.to_ascii_lowercase()),
            _ => {}
        }
        // The kind of a number: `10_16`, `1_wide`.
        let digits = word.iter().take_while(|c| c.is_ascii_digit()).count();
        if let (1.., Some(kind)) = (digits, word[digits..].strip_prefix(b"_")) {
            kinds.insert(kind.to_ascii_lowercase());
        }
        (before, end) = (word, start + length);
    }
    values.insert(b"16".to_vec());
    !values.is_disjoint(&kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_16_bytes() {
        for text in [
            "integer(16) :: i",
            "INTEGER (KIND = 16) :: i",
            "integer*16 i",
            "i = 5_16",
            "integer, parameter :: ik = 16\ninteger(ik) :: i",
            "integer, parameter :: ik=16\ninteger(kind=IK) :: i",
            "integer, parameter :: ik = 16\nj = 7_ik",
            "use iso_fortran_env, only: int128",
        ] {
            assert!(has_wide_integers(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_numbers_of_16() {
        for text in [
            "integer, parameter :: rows = 16\ninteger :: a(rows)",
            "real :: a(16)",
            "x_16 = y*16",
            "a16_16 = 1",
            "character(len=16) :: name",
            "do i = 16, n",
            "",
        ] {
            assert!(!has_wide_integers(text.as_bytes()), "{text}");
        }
    }
}
