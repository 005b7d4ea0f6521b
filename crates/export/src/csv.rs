//! Comma-separated values: a file for each table, with the names of the columns in its first line.
//! Source: RFC 4180, except that lines end as files of Unix do.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use pompeii_replay::table::Column;

use crate::source::{Error, Open, Read};
use crate::tables::{self, Named, Sink, Values};

/// Writes all tables of a trace; `create` makes a file of this name.
///
/// # Errors
/// The trace cannot be opened, or a file cannot be written.
pub fn write<W: Write + Send>(
    open: Open<'_>,
    threads: usize,
    create: impl FnMut(&str) -> io::Result<W> + Send,
) -> Result<Read, Error> {
    let mut files = Files { create, files: BTreeMap::new(), line: Vec::new() };
    tables::write(open, threads, &mut files)
}

/// The files of the tables that have begun.
struct Files<W: Write, F> {
    create: F,
    files: BTreeMap<&'static str, BufWriter<W>>,
    /// Memory for a line.
    line: Vec<u8>,
}

impl<W: Write + Send, F: FnMut(&str) -> io::Result<W> + Send> Sink for Files<W, F> {
    fn add(&mut self, table: &'static str, columns: &[Named]) -> io::Result<()> {
        if !self.files.contains_key(table) {
            let mut file = BufWriter::new((self.create)(&format!("{table}.csv"))?);
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            writeln!(file, "{}", names.join(","))?;
            self.files.insert(table, file);
        }
        let Some(file) = self.files.get_mut(table) else { return Ok(()) };
        for row in 0..columns.first().map_or(0, |(_, values)| values.len()) {
            self.line.clear();
            for (place, (_, values)) in columns.iter().enumerate() {
                if place > 0 {
                    self.line.push(b',');
                }
                cell(values, row, &mut self.line);
            }
            self.line.push(b'\n');
            file.write_all(&self.line)?;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(BufWriter::flush)
    }
}

fn cell(values: &Values, row: usize, to: &mut Vec<u8>) {
    match values {
        Values::Numbers(Column::U64(cells)) => decimal(cells[row], to),
        Values::Numbers(Column::U32(cells) | Column::Calls(cells)) => {
            decimal(u64::from(cells[row]), to)
        }
        Values::Numbers(Column::I64(cells)) => {
            if cells[row] < 0 {
                to.push(b'-');
            }
            decimal(cells[row].unsigned_abs(), to);
        }
        Values::Texts(cells) => quoted(&cells[row], to),
    }
}

/// A number, without the detour of formatting: most of a file are numbers.
fn decimal(mut number: u64, to: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    to.extend_from_slice(&digits[first..]);
}

/// A text, in quotes if it has characters that separate cells.
fn quoted(text: &str, to: &mut Vec<u8>) {
    if !text.contains([',', '"', '\n', '\r']) {
        to.extend_from_slice(text.as_bytes());
        return;
    }
    to.push(b'"');
    to.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    to.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: Values) -> String {
        let mut to = Vec::new();
        for row in 0..values.len() {
            cell(&values, row, &mut to);
            to.push(b' ');
        }
        String::from_utf8(to).unwrap()
    }

    #[test]
    fn numbers_have_all_their_digits() {
        let numbers = vec![0, 9, 10, 12_345, u64::MAX];
        let expected = "0 9 10 12345 18446744073709551615 ";
        assert_eq!(line(Values::Numbers(Column::U64(numbers))), expected);
        let numbers = vec![i64::MIN, -1, 0, i64::MAX];
        let expected = "-9223372036854775808 -1 0 9223372036854775807 ";
        assert_eq!(line(Values::Numbers(Column::I64(numbers))), expected);
        assert_eq!(line(Values::Numbers(Column::U32(vec![u32::MAX]))), "4294967295 ");
    }

    #[test]
    fn texts_are_quoted_if_they_need_it() {
        let texts = ["main", "map<int, int>", "say \"hi\"", "a\nb", ""];
        let texts = texts.map(str::to_owned).to_vec();
        let expected = "main \"map<int, int>\" \"say \"\"hi\"\"\" \"a\nb\"  ";
        assert_eq!(line(Values::Texts(texts)), expected);
    }
}
