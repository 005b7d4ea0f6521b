//! Long texts of the page in fewer letters: deflated, and in base64, because a page is text. The
//! data of nine thousand call paths are seven megabytes of JSON, and less than one of letters.
//! Short data stay as they are, so that a page can be read without a browser.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Texts of fewer bytes are not packed: a browser reads them in the time that it takes to unpack
/// them, and they leave room for a timeline.
const LONG_BYTES: usize = 512 << 10;

/// A text that is packed when it turns out to be long. It is packed in long parts, because each of
/// them costs more than its bytes.
#[derive(Default)]
pub(crate) struct Packing {
    /// What is not packed yet.
    plain: Vec<u8>,
    packed: Option<ZlibEncoder<Vec<u8>>>,
}

/// The result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// The text itself.
    Plain(Vec<u8>),
    /// Deflated and in base64.
    Packed(String),
}

impl Packing {
    /// The whole text.
    pub(crate) fn finish(mut self) -> io::Result<Text> {
        if self.packed.is_some() {
            self.pack()?;
        }
        Ok(match self.packed {
            Some(packed) => Text::Packed(base64(&packed.finish()?)),
            None => Text::Plain(self.plain),
        })
    }

    fn pack(&mut self) -> io::Result<()> {
        let new = || ZlibEncoder::new(Vec::new(), Compression::default());
        self.packed.get_or_insert_with(new).write_all(&self.plain)?;
        self.plain.clear();
        Ok(())
    }
}

impl Write for Packing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.plain.extend_from_slice(bytes);
        if self.plain.len() > LONG_BYTES {
            self.pack()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A long text, packed; `None` if it is short.
pub fn packed(text: &str) -> Option<String> {
    let mut packing = Packing::default();
    packing.write_all(text.as_bytes()).ok()?;
    match packing.finish().ok()? {
        Text::Packed(letters) => Some(letters),
        Text::Plain(_) => None,
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in letters of an alphabet of 64 (RFC 4648, section 4).
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |place: usize| u32::from(part.get(place).copied().unwrap_or_default());
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= part.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_standard() {
        let all: Vec<String> = ["", "f", "fo", "foo", "foob", "fooba"]
            .iter()
            .map(|it| base64(it.as_bytes()))
            .collect();
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="]);
    }

    #[test]
    fn long_texts_are_packed() {
        let text = |bytes: usize| {
            let mut packing = Packing::default();
            for part in vec![b'x'; bytes].chunks(1000) {
                packing.write_all(part).unwrap();
            }
            packing.finish().unwrap()
        };
        assert_eq!(text(LONG_BYTES), Text::Plain(vec![b'x'; LONG_BYTES]));
        let Text::Packed(letters) = text(4 * LONG_BYTES) else { panic!("it is long") };
        assert!(letters.starts_with("eJ"), "the head of zlib: {letters}");
        assert!(letters.len() < LONG_BYTES / 100);
    }
}
