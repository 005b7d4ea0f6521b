//! Columns of text: the first one left-aligned, all others right-aligned.

use unicode_width::UnicodeWidthStr;

/// A table with a head line.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&word| word.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn text(&self) -> String {
        text_of(|| self.rows.iter().cloned())
    }
}

/// A longer cell does not make the others of its column wider: a path may have 100 names.
const PADDED_MAX: usize = 200;

/// The table of these rows, which are made twice: first to find how wide the columns are. So a
/// large table takes no more memory than its text.
pub(crate) fn text_of<R: Iterator<Item = Vec<String>>>(rows: impl Fn() -> R) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows() {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(&row) {
            *width = cell.width().min(PADDED_MAX).max(*width);
        }
    }
    let mut text = String::new();
    for row in rows() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(cell.width()));
            match column {
                0 => line.extend([cell.as_str(), &gap]),
                _ => line.extend(["  ", &gap, cell]),
            }
        }
        text.extend([line.trim_end(), "\n"]);
    }
    text
}

/// A number for people: six digits behind the point, and of small numbers the first six that are
/// not zero; exponents where there are more.
pub(crate) fn short(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e15).contains(&number.abs()) {
        return format!("{number:.5e}");
    }
    let places = (5 - number.abs().log10().floor() as i32).max(6) as usize;
    let text = format!("{number:.places$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A field of a CSV file, quoted where it must be.
pub(crate) fn csv(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_fields() {
        let shown = [0.0, 1.5, -2.0, 0.000_123_456_789, 1e-7, 123_456_789.125, 1e20].map(short);
        let expected =
            ["0", "1.5", "-2", "0.000123457", "1.00000e-7", "123456789.125", "1.00000e20"];
        assert_eq!(shown, expected);
        assert_eq!(["a b", "a,b", "a\"b"].map(csv), ["a b", "\"a,b\"", "\"a\"\"b\""]);
    }
}
