//! Lines behind raw strings in what clang preprocesses.
//!
//! `clang -E` does not count the line ends within a raw string (seen with clang 19): the line that
//! it ends in is followed by as many empty lines too many, and clang itself takes all lines below
//! for later ones. Where it writes a marker instead of empty lines, all is well.

/// The text without those empty lines.
pub fn mend(text: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len());
    let mut copied = 0;
    // Line ends within raw strings of the current line.
    let mut inside = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'R'
            && let Some(length) = raw_string(text, at)
        {
            inside += count_lines(&text[at..at + length]);
            at += length;
        } else if text[at] == b'\n' && inside > 0 {
            let empty = text[at + 1..].iter().take_while(|&&byte| byte == b'\n').count();
            let marker = text[at + 1 + empty..].starts_with(b"# ");
            if empty >= inside && !marker {
                output.extend_from_slice(&text[copied..=at]);
                copied = at + 1 + inside;
            }
            inside = 0;
            at += 1 + empty;
        } else {
            at += 1;
        }
    }
    output.extend_from_slice(&text[copied..]);
    output
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// The length of the raw string whose `R` is at `at`.
fn raw_string(text: &[u8], at: usize) -> Option<usize> {
    let word = text[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if !matches!(&text[at - word..at], b"" | b"L" | b"u" | b"U" | b"u8") {
        return None;
    }
    let rest = text[at..].strip_prefix(b"R\"")?;
    let open = rest.iter().take(17).position(|&byte| byte == b'(')?;
    if rest[..open].iter().any(|byte| byte.is_ascii_whitespace() || b")\\\"".contains(byte)) {
        return None;
    }
    let close = [b")", &rest[..open], b"\""].concat();
    let body = &rest[open + 1..];
    let length = body.windows(close.len()).position(|window| window == close)?;
    Some(2 + open + 1 + length + close.len())
}

#[cfg(test)]
mod tests {
    use super::mend;

    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8(mend(text.as_bytes())).unwrap(), expected);
    }

    #[test]
    fn empty_lines_are_removed_where_they_are_too_many() {
        check("a = R\"x(\n)\"\n)x\";\n\n\nb\n\nc", "a = R\"x(\n)\"\n)x\";\nb\n\nc");
        check("f(u8R\"(\n)\", LR\"(\n)\");\n\n\n\nb", "f(u8R\"(\n)\", LR\"(\n)\");\n\nb");
    }

    #[test]
    fn other_lines_stay() {
        for text in [
            "R\"(\n)\";\n\n# 9 \"a.cc\"\nb",
            "R\"(\n)\";\nb",
            "R\"(x)\";\n\n\nb",
            "\"FOR\"(\n)\"\"\n\nb",
        ] {
            check(text, text);
        }
    }
}
