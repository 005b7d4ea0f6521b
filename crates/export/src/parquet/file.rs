//! One file: groups of rows, each with a page for each column, then the metadata with the places of
//! all pages. The fields of the metadata are those of `parquet.thrift`.

use std::io::{self, Write};
use std::ops::Range;

use pompeii_replay::table::Column as Numbers;

use super::thrift::{Fields, structure};
use crate::tables::{Named, Values};

/// At the begin and at the end of a file.
const MAGIC: &[u8; 4] = b"PAR1";
/// Rows in a group: some megabytes for each table.
const GROUP_ROWS: usize = if cfg!(test) { 3 } else { 1 << 17 };

/// Numbers of the schema: types, what they stand for, encodings.
const REQUIRED: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;
const VERSION: i32 = 1;

/// How a column is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    U32,
    U64,
    I64,
    Text,
}

impl Kind {
    fn of(values: &Values) -> Kind {
        match values {
            Values::Numbers(Numbers::U32(_) | Numbers::Calls(_)) => Kind::U32,
            Values::Numbers(Numbers::U64(_)) => Kind::U64,
            Values::Numbers(Numbers::I64(_)) => Kind::I64,
            Values::Texts(_) => Kind::Text,
        }
    }

    /// INT32, INT64 or BYTE_ARRAY.
    fn stored(self) -> i32 {
        match self {
            Kind::U32 => 1,
            Kind::U64 | Kind::I64 => 2,
            Kind::Text => 6,
        }
    }

    /// UTF8, UINT_32 or UINT_64; a signed number needs nothing.
    fn meant(self) -> Option<i32> {
        match self {
            Kind::Text => Some(0),
            Kind::U32 => Some(13),
            Kind::U64 => Some(14),
            Kind::I64 => None,
        }
    }
}

/// A column, with its values in the group that is not full.
#[derive(Debug)]
struct Column {
    name: &'static str,
    kind: Kind,
    bytes: Vec<u8>,
}

/// Where a column of a group is.
#[derive(Clone, Copy, Debug)]
struct Page {
    offset: i64,
    /// With the head of the page.
    bytes: i64,
}

/// A group that has been written.
#[derive(Debug)]
struct Group {
    rows: i64,
    pages: Vec<Page>,
}

/// A file while rows are added.
#[derive(Debug)]
pub struct File<W> {
    out: W,
    /// Bytes that have been written.
    position: i64,
    columns: Vec<Column>,
    /// Rows of the group that is not full.
    rows: usize,
    groups: Vec<Group>,
}

impl<W: Write> File<W> {
    /// A file with these columns, without rows.
    pub fn new(mut out: W, columns: &[Named]) -> io::Result<File<W>> {
        out.write_all(MAGIC)?;
        let column = |(name, values): &Named| {
            let (name, kind) = (*name, Kind::of(values));
            Column { name, kind, bytes: Vec::new() }
        };
        let columns = columns.iter().map(column).collect();
        Ok(File { out, position: MAGIC.len() as i64, columns, rows: 0, groups: Vec::new() })
    }

    /// Adds rows.
    pub fn add(&mut self, columns: &[Named]) -> io::Result<()> {
        let rows = columns.first().map_or(0, |(_, values)| values.len());
        let mut from = 0;
        while from < rows {
            let to = rows.min(from + GROUP_ROWS - self.rows);
            for (column, (_, values)) in self.columns.iter_mut().zip(columns) {
                put(values, from..to, &mut column.bytes);
            }
            self.rows += to - from;
            if self.rows == GROUP_ROWS {
                self.write_group()?;
            }
            from = to;
        }
        Ok(())
    }

    /// Writes the rows that are in memory.
    fn write_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut pages = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let head = page_head(self.rows, column.bytes.len())?;
            self.out.write_all(&head)?;
            self.out.write_all(&column.bytes)?;
            let bytes = (head.len() + column.bytes.len()) as i64;
            pages.push(Page { offset: self.position, bytes });
            self.position += bytes;
            column.bytes.clear();
        }
        self.groups.push(Group { rows: self.rows as i64, pages });
        self.rows = 0;
        Ok(())
    }

    /// Writes the rest of the rows and the metadata.
    pub fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        let mut metadata = Vec::new();
        structure(&mut metadata, |to| self.metadata(to));
        self.out.write_all(&metadata)?;
        self.out.write_all(&size(metadata.len())?.to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.flush()
    }

    /// `FileMetaData`.
    fn metadata(&self, to: &mut Fields<'_>) {
        to.i32(1, VERSION);
        to.structures(2, 1 + self.columns.len(), |place, to| match place.checked_sub(1) {
            None => self.root(to),
            Some(column) => self.schema(column, to),
        });
        to.i64(3, self.groups.iter().map(|group| group.rows).sum());
        to.structures(4, self.groups.len(), |group, to| self.group(&self.groups[group], to));
        to.text(6, concat!("Pompeii version ", env!("CARGO_PKG_VERSION")));
    }

    /// `SchemaElement` of the table.
    fn root(&self, to: &mut Fields<'_>) {
        to.text(4, "schema");
        to.i32(5, self.columns.len() as i32);
    }

    /// `SchemaElement` of a column.
    fn schema(&self, column: usize, to: &mut Fields<'_>) {
        let Column { name, kind, .. } = &self.columns[column];
        to.i32(1, kind.stored());
        to.i32(3, REQUIRED);
        to.text(4, name);
        if let Some(meant) = kind.meant() {
            to.i32(6, meant);
        }
    }

    /// `RowGroup`, with a `ColumnChunk` for each column.
    fn group(&self, group: &Group, to: &mut Fields<'_>) {
        to.structures(1, group.pages.len(), |place, to| {
            to.i64(2, 0);
            to.structure(3, |to| self.page(place, group, to));
        });
        to.i64(2, group.pages.iter().map(|page| page.bytes).sum());
        to.i64(3, group.rows);
    }

    /// `ColumnMetaData`.
    fn page(&self, place: usize, group: &Group, to: &mut Fields<'_>) {
        let (column, page) = (&self.columns[place], group.pages[place]);
        to.i32(1, column.kind.stored());
        to.i32s(2, &[PLAIN]);
        to.texts(3, &[column.name]);
        to.i32(4, UNCOMPRESSED);
        to.i64(5, group.rows);
        to.i64(6, page.bytes);
        to.i64(7, page.bytes);
        to.i64(9, page.offset);
    }
}

/// `PageHeader`. All values are required, so there are no levels, whose encoding is named all the
/// same.
fn page_head(rows: usize, bytes: usize) -> io::Result<Vec<u8>> {
    let (rows, bytes) = (size(rows)?, size(bytes)?);
    let mut head = Vec::new();
    structure(&mut head, |to| {
        to.i32(1, DATA_PAGE);
        to.i32(2, bytes);
        to.i32(3, bytes);
        to.structure(5, |to| {
            to.i32(1, rows);
            to.i32(2, PLAIN);
            to.i32(3, RLE);
            to.i32(4, RLE);
        });
    });
    Ok(head)
}

/// A size as the format has it.
fn size(size: usize) -> io::Result<i32> {
    let too_large = |_| io::Error::other("a part of the file is larger than 2 GB");
    i32::try_from(size).map_err(too_large)
}

/// The encoding PLAIN.
fn put(values: &Values, rows: Range<usize>, to: &mut Vec<u8>) {
    match values {
        Values::Numbers(Numbers::U32(cells) | Numbers::Calls(cells)) => {
            cells[rows].iter().for_each(|cell| to.extend_from_slice(&cell.to_le_bytes()));
        }
        Values::Numbers(Numbers::U64(cells)) => {
            cells[rows].iter().for_each(|cell| to.extend_from_slice(&cell.to_le_bytes()));
        }
        Values::Numbers(Numbers::I64(cells)) => {
            cells[rows].iter().for_each(|cell| to.extend_from_slice(&cell.to_le_bytes()));
        }
        Values::Texts(cells) => {
            for cell in &cells[rows] {
                // One that is too long for its length does not fit into a page either.
                to.extend_from_slice(&(cell.len() as u32).to_le_bytes());
                to.extend_from_slice(cell.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(numbers: Vec<u32>, names: &[&str]) -> [Named; 2] {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        [("id", Values::Numbers(Numbers::U32(numbers))), ("name", Values::Texts(names))]
    }

    /// The file and its metadata.
    fn written(parts: &[[Named; 2]]) -> (Vec<u8>, Vec<u8>) {
        let mut out = Vec::new();
        let mut file = File::new(&mut out, &columns(vec![], &[])).unwrap();
        parts.iter().for_each(|part| file.add(part).unwrap());
        file.end().unwrap();
        assert_eq!((&out[..4], &out[out.len() - 4..]), (&MAGIC[..], &MAGIC[..]));
        let length = out[out.len() - 8..].first_chunk::<4>().unwrap();
        let length = u32::from_le_bytes(*length) as usize;
        let metadata = out[out.len() - 8 - length..out.len() - 8].to_vec();
        (out, metadata)
    }

    #[test]
    fn a_page_has_its_head_and_plain_values() {
        let (file, _) = written(&[columns(vec![7, 258], &["a", "bc"])]);
        // Type 0, 8 bytes twice, then 2 values, PLAIN, RLE, RLE; numbers are doubled.
        let head = [0x15, 0, 0x15, 16, 0x15, 16, 0x2c, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        assert_eq!(file[4..21], head);
        assert_eq!(file[21..29], [7, 0, 0, 0, 2, 1, 0, 0]);
        let texts = [1, 0, 0, 0, b'a', 2, 0, 0, 0, b'b', b'c'];
        assert_eq!(file[29 + head.len()..29 + head.len() + texts.len()], texts);
    }

    #[test]
    fn rows_are_in_groups_however_they_come() {
        let all = columns((0..7).collect(), &["a", "b", "c", "d", "e", "f", "g"]);
        let first = columns(vec![0, 1], &["a", "b"]);
        let second = columns(vec![2, 3, 4, 5, 6], &["c", "d", "e", "f", "g"]);
        let (whole, metadata) = written(&[all]);
        assert_eq!(written(&[first, second]).0, whole);
        // Field 3 of the metadata after the schema: 7 rows, in field 4 three groups.
        let rows = [0x16, 14, 0x19, 0x3c];
        assert!(metadata.windows(4).any(|bytes| bytes == rows), "{metadata:?}");
    }

    #[test]
    fn a_table_without_rows_has_a_schema_and_no_group() {
        let (file, metadata) = written(&[]);
        assert_eq!(file.len(), 4 + metadata.len() + 8);
        let mut expected = vec![0x15, 2, 0x19, 0x3c];
        expected.extend([0x48, 6]);
        expected.extend(b"schema");
        expected.extend([0x15, 4, 0]);
        // INT32, required, the name, UINT_32.
        expected.extend([0x15, 2, 0x25, 0, 0x18, 2, b'i', b'd', 0x25, 26, 0]);
        expected.extend([0x15, 12, 0x25, 0, 0x18, 4]);
        expected.extend(b"name");
        expected.extend([0x25, 0, 0]);
        expected.extend([0x16, 0, 0x19, 0x0c, 0x28]);
        assert_eq!(metadata[..expected.len()], expected);
    }
}
