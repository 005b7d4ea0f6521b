//! Pictures in as few letters as possible, for a page that has them inside.
//!
//! Most boxes of a row begin where the one before has ended, so a gap and a length take one or two
//! bytes each: numbers of seven bits in each byte, the lowest first. All of it is deflated, and
//! written in base64, because a page is text.
//!
//! | numbers | meaning |
//! |---|---|
//! | 1 | 1 if each interval is exact |
//! | 1 | length of a bin, as a power of two of ticks |
//! | 1 | time of column 0 |
//! | 2 | rows R, boxes N |
//! | 4 R | kind, place, level, number of boxes |
//! | N | gaps: columns from the end of the box before in the row, modulo 2^32 |
//! | N | lengths, in columns |
//! | N | what the box shows |
//! | N | bands, if there are rows of processes |

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pompeii_report::base64;

/// Words of a picture (`wire.rs`) before its rows, and of each row.
const HEAD_WORDS: usize = 8;
const ROW_WORDS: usize = 4;
/// The kind of a row of a process, which has bands.
const PROCESS: u32 = 2;

/// Packs a picture as it goes over the wire; `None` if it is none.
pub fn picture(wire: &[u8]) -> Option<String> {
    let words: Vec<u32> = wire
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let numbers = numbers(&words)?;
    deflated(&numbers).ok().map(|bytes| base64(&bytes))
}

/// The numbers of a picture, each in one or more bytes.
fn numbers(words: &[u32]) -> Option<Vec<u8>> {
    let [_, _, flags, bin_log2, low, high, rows, boxes] = *words.first_chunk::<HEAD_WORDS>()?;
    let (rows, boxes) = (rows as usize, boxes as usize);
    let heads = words.get(HEAD_WORDS..HEAD_WORDS + ROW_WORDS * rows)?;
    let columns = &words[HEAD_WORDS + ROW_WORDS * rows..];
    let column = |number: usize| columns.get(number * boxes..(number + 1) * boxes);
    let mut bytes = Vec::new();
    let mut number = |number: u64| add(&mut bytes, number);
    [u64::from(flags & 1), bin_log2.into(), u64::from(high) << 32 | u64::from(low)]
        .into_iter()
        .for_each(&mut number);
    [rows as u64, boxes as u64].into_iter().for_each(&mut number);
    heads.iter().for_each(|word| number((*word).into()));
    let (x0, x1) = (column(0)?, column(1)?);
    let (mut place, mut has_bands) = (0, false);
    for head in heads.chunks_exact(ROW_WORDS) {
        has_bands |= head[0] == PROCESS;
        let mut end = 0;
        for _ in 0..head[3] {
            number(x0.get(place)?.wrapping_sub(end).into());
            end = x1[place];
            place += 1;
        }
    }
    x0.iter().zip(x1).for_each(|(x0, x1)| number(x1.wrapping_sub(*x0).into()));
    column(2)?.iter().for_each(|word| number((*word).into()));
    if has_bands {
        column(3)?.iter().for_each(|word| number((*word).into()));
    }
    Some(bytes)
}

/// Adds a number: seven bits in each byte, and the highest bit if there are more.
fn add(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn deflated(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same numbers as in the test of the page that reads them (`picture.test.mjs`).
    #[test]
    fn a_picture_is_gaps_and_lengths() {
        let words = [0, 1, 1, 4, 0, 14, 1, 2, 0, 3, 0, 2, 8, 7, 12, 17, (1 << 31) + 1, 2];
        let mut expected = Vec::new();
        let gap_back = (1 << 32) - 5;
        [1, 4, 7 << 33, 1, 2, 0, 3, 0, 2, 8, gap_back, 4, 10, (1 << 31) + 1, 2]
            .into_iter()
            .for_each(|number| add(&mut expected, number));
        assert_eq!(numbers(&words), Some(expected));
        assert_eq!(numbers(&words[..17]), None);
        assert_eq!(numbers(&words[..5]), None);
    }
}
