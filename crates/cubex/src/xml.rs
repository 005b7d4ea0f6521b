//! Just enough XML to write anchor.xml: nested elements, one per line, with escaped text. Cube's
//! own parser is a lexer with fixed expectations (attributes in double quotes without blanks around
//! the equals sign, leaf elements on one line), so the output is deliberately plain.

/// Text that grows by elements.
#[derive(Default)]
pub(crate) struct XmlWriter {
    text: String,
    open: Vec<&'static str>,
}

impl XmlWriter {
    pub(crate) fn new() -> Self {
        Self { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() }
    }

    /// Opens an element; attributes without a value are left out.
    pub(crate) fn open(&mut self, tag: &'static str, attributes: &[(&str, Option<&str>)]) {
        self.start(tag, attributes);
        self.text.push_str(">\n");
        self.open.push(tag);
    }

    /// Closes the innermost open element.
    pub(crate) fn close(&mut self) {
        debug_assert!(!self.open.is_empty(), "nothing is open");
        if let Some(tag) = self.open.pop() {
            self.indent();
            self.text.extend(["</", tag, ">\n"]);
        }
    }

    /// An element without content.
    pub(crate) fn empty(&mut self, tag: &'static str, attributes: &[(&str, Option<&str>)]) {
        self.start(tag, attributes);
        self.text.push_str("/>\n");
    }

    /// An element that contains text only.
    pub(crate) fn leaf(
        &mut self,
        tag: &'static str,
        attributes: &[(&str, Option<&str>)],
        text: &str,
    ) {
        self.start(tag, attributes);
        self.text.push('>');
        escape(text, false, &mut self.text);
        self.text.extend(["</", tag, ">\n"]);
    }

    /// A text element whose attribute has no quotes. That is not XML, but Cube's own parser accepts
    /// the attributes of CubePL elements in no other form.
    pub(crate) fn leaf_unquoted(&mut self, tag: &'static str, attribute: &str, text: &str) {
        self.indent();
        self.text.extend(["<", tag, " ", attribute, ">"]);
        escape(text, false, &mut self.text);
        self.text.extend(["</", tag, ">\n"]);
    }

    /// The number of open elements.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Closes elements until `depth` are open.
    pub(crate) fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }

    /// The text so far, which may have open elements; it goes on behind it.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// The finished text; everything must be closed.
    pub(crate) fn finish(self) -> String {
        debug_assert!(self.open.is_empty(), "open elements: {:?}", self.open);
        self.text
    }

    fn start(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.indent();
        self.text.extend(["<", tag]);
        for (key, value) in attributes {
            if let Some(value) = value {
                self.text.extend([" ", key, "=\""]);
                escape(value, true, &mut self.text);
                self.text.push('"');
            }
        }
    }

    fn indent(&mut self) {
        // Deep call trees would otherwise cost quadratic space for blanks.
        for _ in 0..self.open.len().min(16) {
            self.text.push_str("  ");
        }
    }
}

fn escape(text: &str, attribute: bool, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // A parser would turn these into blanks or line feeds if they stood there as such.
            '\r' => out.push_str("&#13;"),
            '\n' if attribute => out.push_str("&#10;"),
            '\t' if attribute => out.push_str("&#9;"),
            '\n' | '\t' => out.push(c),
            // No XML document may contain these, in whatever form.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
}

/// Replaces character references. What is not one stays as it is: Cube files are not always XML.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        // A reference ends before the next `&`: many `&` without a `;` are one pass over the text.
        let end = rest[1..].find([';', '&']).map(|end| end + 1);
        let end = end.filter(|&end| rest[end..].starts_with(';'));
        let known = end.and_then(|end| Some((end, reference(&rest[1..end])?)));
        match known {
            Some((end, c)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The character that a reference such as `lt` or `#10` stands for.
pub(crate) fn reference(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let mut xml = XmlWriter::default();
        xml.leaf("e", &[("a", Some(text))], text);
        let xml = xml.finish();
        let (attribute, content) = xml.split_once("\">").unwrap();
        expect.assert_eq(&xml);
        assert_eq!(unescape(&attribute[6..]), text);
        assert_eq!(unescape(content.strip_suffix("</e>\n").unwrap()), text);
    }

    #[test]
    fn markup_in_names() {
        check(
            "operator<<(A&&, 'x', \"y\")",
            expect![[r#"
            <e a="operator&lt;&lt;(A&amp;&amp;, &apos;x&apos;, &quot;y&quot;)">operator&lt;&lt;(A&amp;&amp;, &apos;x&apos;, &quot;y&quot;)</e>
        "#]],
        );
    }

    #[test]
    fn line_ends_in_attributes() {
        check(
            "a\r\n\tb",
            expect![[r#"
            <e a="a&#13;&#10;&#9;b">a&#13;
            	b</e>
        "#]],
        );
    }

    #[test]
    fn stray_ampersands_stay() {
        assert_eq!(unescape("a & b &x; &#xZ; &#65;&lt"), "a & b &x; &#xZ; A&lt");
    }

    /// A search for the `;` of each would read 10^12 bytes.
    #[test]
    fn a_million_ampersands_are_one_pass() {
        let text = "&".repeat(1_000_000);
        assert_eq!(unescape(&text), text);
        assert_eq!(unescape(&format!("{text}lt;")), format!("{}<", &text[1..]));
    }
}
