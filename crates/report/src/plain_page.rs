//! Pages of headings, sentences, tables and pictures. They have no scripts, and load nothing.

use crate::web::escape;

/// A page that grows from top to bottom.
pub(crate) struct Page {
    text: String,
}

/// A row of a table: the name, with blanks before it if it is a part of the row above, and values.
pub(crate) type Row = (String, Vec<String>);

const STYLE: &str = "body { font-family: sans-serif; margin: 2em; max-width: 60em; }
h2 { font-size: 1em; }
svg { border: 1px solid #ccc; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0 1em 0 0; white-space: pre-wrap; }
.number { text-align: right; white-space: nowrap; }
.good { color: #2e7d32; fill: #2e7d32; }
.bad { color: #c62828; fill: #c62828; }
";

impl Page {
    /// A page that has its title as a heading, too.
    pub(crate) fn new(title: &str) -> Page {
        let title = escape(title);
        let text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <title>{title} - Pompeii</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n"
        );
        Page { text }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.text += &format!("<h2>{}</h2>\n", escape(text));
    }

    pub(crate) fn sentence(&mut self, text: &str) {
        self.text += &format!("<p>{}</p>\n", escape(text));
    }

    /// A table: the heads of its columns, the first one of names and the others of values.
    pub(crate) fn table(&mut self, heads: &[String], rows: impl IntoIterator<Item = Row>) {
        let cell =
            |tag: &str, text: &str| format!("<{tag} class=\"number\">{}</{tag}>", escape(text));
        let line = |tag: &str, name: &str, values: &[String]| {
            let values: String = values.iter().map(|value| cell(tag, value)).collect();
            format!("<tr><{tag}>{}</{tag}>{values}</tr>\n", escape(name))
        };
        self.text += "<table>\n";
        if let Some((name, values)) = heads.split_first() {
            self.text += &line("th", name, values);
        }
        for (name, values) in rows {
            self.text += &line("td", &name, &values);
        }
        self.text += "</table>\n";
    }

    /// What is HTML already: a picture, for example.
    pub(crate) fn html(&mut self, html: &str) {
        self.text += html;
    }

    /// The whole page.
    pub(crate) fn end(self) -> String {
        self.text + "</body>\n</html>\n"
    }
}
