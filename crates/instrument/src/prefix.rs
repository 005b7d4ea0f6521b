//! The prefix of every inserted name. A user's variable that happens to be called like one of ours
//! must not change meaning, so the prefix is one that does not occur in the text.

/// The first of `pomp_`, `pomp1_`, `pomp2_`, ... that does not occur in `source` (in any case, as
/// Fortran knows no case). An own name is the prefix, a letter and a number: `pomp_d7`.
pub fn free_prefix(source: &[u8]) -> String {
    let taken = |prefix: &str| {
        let mut hits = memchr::memchr2_iter(b'p', b'P', source);
        hits.any(|at| {
            source[at..]
                .get(..prefix.len())
                .is_some_and(|s| s.eq_ignore_ascii_case(prefix.as_bytes()))
        })
    };
    let mut prefix = "pomp_".to_owned();
    let mut number = 0;
    while taken(&prefix) {
        number += 1;
        prefix = format!("pomp{number}_");
    }
    prefix
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
