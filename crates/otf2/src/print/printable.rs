//! Foreign text as a line shows it: names come from files that anybody may have written, and a
//! terminal obeys the control characters in them. Each such character is shown by its escape.
//!
//! Text without them stays as it is, backslashes included: escapes are for reading, and no format
//! that a program reads has them.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character changes more than its own place on the screen: control characters (C0, DEL,
/// C1), ends of lines and paragraphs, and marks that change the direction of the text around them.
pub fn acts_on_a_terminal(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2066}'..='\u{2069}')
}

/// `text` on one line and without control characters: `\n`, `\t`, `\r`, `\x1b`, `\u{202e}`.
///
/// ```
/// use pompeii_otf2::print::printable;
///
/// assert_eq!(printable("solve"), "solve");
/// assert_eq!(printable("so\x1b[2Jlve\n"), r"so\x1b[2Jlve\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    if text.bytes().all(is_plain) || !text.chars().any(acts_on_a_terminal) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    put(&mut shown, text);
    Cow::Owned(shown)
}

/// As [`printable`], for bytes that are perhaps not UTF-8, such as paths: `\xff`.
pub fn printable_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return printable(text);
    }
    let mut shown = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        put(&mut shown, chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    Cow::Owned(shown)
}

fn put(shown: &mut String, text: &str) {
    for character in text.chars() {
        let number = u32::from(character);
        // A String takes all that is written.
        let _ = match character {
            '\n' => shown.write_str("\\n"),
            '\t' => shown.write_str("\\t"),
            '\r' => shown.write_str("\\r"),
            _ if !acts_on_a_terminal(character) => shown.write_char(character),
            _ if number < 0x80 => write!(shown, "\\x{number:02x}"),
            _ => write!(shown, "\\u{{{number:x}}}"),
        };
    }
}

/// JSON without control characters, with the same meaning: they can only stand in strings, where
/// each has an escape. Lines keep their ends.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) || byte == b'\n';
    let is_foreign = |character| character != '\n' && acts_on_a_terminal(character);
    if json.bytes().all(is_plain) || !json.chars().any(is_foreign) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        let _ = match is_foreign(character) {
            // All of them are in the basic plane: one unit each.
            true => write!(shown, "\\u{:04x}", u32::from(character)),
            false => shown.write_char(character),
        };
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        for text in ["", "main", r"C:\a\x1b", "größe", "計算", "a…b", "MPI_Send @ {3}"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text}");
            assert!(matches!(printable_bytes(text.as_bytes()), Cow::Borrowed(_)), "{text}");
            assert!(matches!(printable_json(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        for (text, expected) in [
            ("a\x1b]0;title\x07b", r"a\x1b]0;title\x07b"),
            ("a\nb\tc\rd\0", r"a\nb\tc\rd\x00"),
            ("\x7f", r"\x7f"),
            ("ü\u{9b}31m", r"ü\u{9b}31m"),
            ("\u{202e}cba\u{2069}\u{200f}", r"\u{202e}cba\u{2069}\u{200f}"),
        ] {
            assert_eq!(printable(text), expected);
            assert_eq!(printable_bytes(text.as_bytes()), expected);
        }
        assert_eq!(printable_bytes(b"a\xff\xc3\n"), r"a\xff\xc3\n");
    }

    #[test]
    fn all_characters_that_are_shown_are_harmless() {
        let all: String = (0..=0x0010_ffff).filter_map(char::from_u32).collect();
        assert!(!printable(&all).chars().any(acts_on_a_terminal));
        let json = printable_json(&all);
        assert_eq!(json.chars().filter(|&character| acts_on_a_terminal(character)).count(), 1);
    }
}
