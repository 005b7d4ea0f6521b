//! Names of files in messages and in commands that a user copies: quoted for the shell where that
//! is needed, so that no byte of a name acts on a terminal, and none is lost.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

use pompeii_otf2::print::acts_on_a_terminal;

/// The text as a word of a shell: as it is where a shell takes it so, else in `'...'`, and with
/// control characters or bytes that are not UTF-8 in `$'...'`, which has them in octal digits.
pub fn quoted(text: impl AsRef<OsStr>) -> String {
    let bytes = text.as_ref().as_bytes();
    let is_plain = |c: char| c.is_alphanumeric() || "%+,-./:=@_".contains(c);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Ok(text) if !text.chars().any(acts_on_a_terminal) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => in_octal(bytes),
    }
}

fn in_octal(bytes: &[u8]) -> String {
    let mut quoted = "$'".to_owned();
    let octal = |quoted: &mut String, bytes: &[u8]| {
        for byte in bytes {
            let _ = write!(quoted, "\\{byte:03o}");
        }
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => quoted.extend(['\\', c]),
                _ if acts_on_a_terminal(c) => octal(&mut quoted, c.to_string().as_bytes()),
                _ => quoted.push(c),
            }
        }
        octal(&mut quoted, chunk.invalid());
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_a_shell() {
        let names: [&[u8]; 8] = [
            b"a/b-1.c",
            b"",
            b"my exp",
            b"it's $HOME",
            "größe".as_bytes(),
            b"a\xffb",
            b"it's\\\x1b]0;x\x07",
            "a\u{202e}b".as_bytes(),
        ];
        let expected = [
            "a/b-1.c",
            "''",
            "'my exp'",
            r"'it'\''s $HOME'",
            "größe",
            r"$'a\377b'",
            r"$'it\'s\\\033]0;x\007'",
            r"$'a\342\200\256b'",
        ];
        assert_eq!(names.map(|name| quoted(OsStr::from_bytes(name))), expected);
    }
}
