//! Text on a grid: wrapping, columns, bars and colours. Widths are counted in columns of a
//! terminal, where a character takes none, one or two of them.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::Options;

/// Number of columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Text with blanks after it up to `columns`.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Text with blanks before it up to `columns`.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// What a name gets in front of columns of these widths.
pub fn name_width(options: &Options, columns: &[usize]) -> usize {
    options.width.saturating_sub(columns.iter().sum::<usize>() + 1).max(20)
}

/// Text cut to `columns`, with `…` in its middle: begin and end of a name tell most.
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let kept = columns.saturating_sub(1);
    let (head, tail) = (kept / 2, kept - kept / 2);
    let tail: Vec<char> = first(text.chars().rev(), tail).collect();
    first(text.chars(), head).chain(['…']).chain(tail.into_iter().rev()).collect()
}

/// At most `columns` columns; of a longer text the begin, which says most in a sentence.
pub fn fit_head(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    first(text.chars(), columns.saturating_sub(1)).chain(['…']).collect()
}

/// The characters that fit into so many columns.
fn first(text: impl Iterator<Item = char>, columns: usize) -> impl Iterator<Item = char> {
    text.scan(0, move |used, character| {
        *used += character.width().unwrap_or(0);
        (*used <= columns).then_some(character)
    })
}

/// A name in the first column of a table, `columns` wide. A longer one is cut, or stays whole; then
/// [`even`] widens the column for all lines of the table.
pub fn named(text: &str, columns: usize, options: &Options) -> String {
    match options.whole_names {
        true => left(text, columns) + "\t",
        false => left(&fit(text, columns), columns),
    }
}

/// A table whose first column is as wide as its longest name.
pub fn even(table: &str) -> String {
    let of = |line: &str| line.rsplit_once('\t').map_or(0, |(name, _)| width(name));
    let widest = table.lines().map(of).max().unwrap_or(0);
    let line = |line: &str| match line.rsplit_once('\t') {
        Some((name, rest)) => left(name, widest) + rest + "\n",
        None => line.to_owned() + "\n",
    };
    table.lines().map(line).collect()
}

/// Lines of at most `columns` columns, broken at blanks; the first one starts with `first`, the
/// others with `rest`. A word that is longer than a line stays whole.
pub fn wrap(text: &str, columns: usize, first: &str, rest: &str) -> String {
    let (mut lines, mut line) = (String::new(), first.to_owned());
    let mut empty = true;
    for word in text.split(' ') {
        let space = usize::from(!empty);
        if !empty && width(&line) + space + width(word) > columns {
            lines += line.trim_end();
            lines.push('\n');
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    lines + line.trim_end() + "\n"
}

/// Parts on one line with `between` before all but the first; parts that do not fit begin a new
/// line, which starts at `column`.
pub fn flow(parts: &[String], between: &str, columns: usize, column: usize) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for part in parts {
        let more = if line.is_empty() { part.clone() } else { format!("{between}{part}") };
        if !line.is_empty() && width(&line) + width(&more) > columns {
            lines += line.trim_end();
            lines.push('\n');
            line = format!("{}{}", " ".repeat(column.saturating_sub(width(between))), more);
        } else {
            line += &more;
        }
    }
    lines + line.trim_end() + "\n"
}

/// A bar of `share` of `columns`; at least a thin line for anything above zero.
pub fn bar(share: f64, columns: usize) -> String {
    let blocks = (share * columns as f64).round() as usize;
    match blocks {
        0 if share > 0.0 => "▏".to_owned(),
        blocks => "█".repeat(blocks.min(columns)),
    }
}

/// Colours of a terminal, or none.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    on: bool,
}

impl Style {
    /// The style that the options ask for.
    pub fn new(options: &Options) -> Self {
        Self { on: options.color }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Headings.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Places in the source.
    pub fn place(self, text: &str) -> String {
        self.paint("36", text)
    }

    /// Useful work.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Loss.
    pub fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn long_lines_are_broken_at_blanks() {
        let text = wrap("thread 0 arrives last in 96 % of 2,000 visits.", 25, "1 ", "  ");
        expect![[r#"
            1 thread 0 arrives last
              in 96 % of 2,000
              visits.
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn parts_that_do_not_fit_stand_below() {
        let parts = ["Sum 61 %".to_owned(), "= 72 %".to_owned(), "x 88 %".to_owned()];
        expect![[r#"
            Sum 61 %  = 72 %
                      x 88 %
        "#]]
        .assert_eq(&flow(&parts, "  ", 20, 10));
    }

    #[test]
    fn whole_names_widen_their_column() {
        let whole = Options { whole_names: true, ..Options::default() };
        let table =
            ["a.c", "計算", "image_retrieval.cpp"].map(|name| named(name, 6, &whole) + "1\n");
        expect![[r#"
            a.c                1
            計算               1
            image_retrieval.cpp1
        "#]]
        .assert_eq(&even(&table.concat()));
        assert_eq!(named("image_retrieval.cpp", 6, &Options::default()), "im…cpp");
    }

    #[test]
    fn names_keep_begin_and_end() {
        assert_eq!(fit("image_retrieval.cpp:118", 12), "image…pp:118");
        assert_eq!(fit("a.c:1", 12), "a.c:1");
        assert_eq!([fit("計算する関数.c", 9), fit_head("計算する関数", 6)], ["計算…数.c", "計算…"]);
        assert_eq!([bar(0.5, 4), bar(0.01, 4), bar(0.0, 4)], ["██", "▏", ""]);
    }
}
