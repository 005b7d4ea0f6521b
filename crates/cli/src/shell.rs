//! Words of command lines that other programs read: quoted for the shell, byte for byte. For names
//! in messages, whose bytes must not reach a terminal, there is [`pompeii_finish::quoted`].

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The text as one word of POSIX's shell: as it is where the shell takes it so, else in `'...'`.
pub fn word(text: impl AsRef<OsStr>) -> OsString {
    let bytes = text.as_ref().as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return text.as_ref().to_owned();
    }
    let mut quoted = b"'".to_vec();
    for &byte in bytes {
        match byte {
            b'\'' => quoted.extend(br"'\''"),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_bytes() {
        let of = |bytes: &[u8]| word(OsStr::from_bytes(bytes)).into_vec();
        assert_eq!(of(b"-I/usr/lib"), b"-I/usr/lib");
        assert_eq!(of(b"-I/my lib"), b"'-I/my lib'");
        assert_eq!(of(b"it's \xff"), b"'it'\\''s \xff'");
        assert_eq!(of(b""), b"''");
    }
}
