//! The offline page: one file with data, styles and script inside, which loads nothing.

use std::io::{self, Write};

use pompeii_model::Cube;

use crate::RunInfo;
use crate::packing::{Packing, Text};
use crate::page::Page;
use crate::web::{PAGE, SCRIPT, STYLE, escape};

/// One file that works from a disk without a network, and proves it: nothing may be loaded.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\"
      content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">
";

/// The page of an analysed run.
pub fn html(cube: &Cube, run: &RunInfo) -> String {
    let mut page = Vec::new();
    // Writing to memory fails on non-string keys only, and there are none.
    let _ = write_html((cube, cube), run, None, &mut page);
    String::from_utf8(page).unwrap_or_default()
}

/// Writes the page of an analysed run, with the JSON of a timeline if there is a trace ([`Html`]).
///
/// # Errors
/// What cannot be written.
pub fn write_html(
    cubes: (&Cube, &Cube),
    run: &RunInfo,
    timeline: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    Html::new(cubes, run)?.write(timeline, out)
}

/// The page of an analysed run, before it is known which timeline it has room for.
pub struct Html {
    title: String,
    /// Its elements with data.
    data: Vec<u8>,
}

impl Html {
    /// `trees` may have more call paths than the cube of the overview, after those of it. Long data
    /// are packed, and then their begin comes first.
    ///
    /// # Errors
    /// What cannot be packed.
    pub fn new((cube, trees): (&Cube, &Cube), run: &RunInfo) -> io::Result<Html> {
        let page = Page::new((cube, trees), run);
        let mut data = Vec::new();
        if let Some(first) = page.first() {
            write_json("data-first", first.as_bytes(), &mut data)?;
        }
        let mut packing = Packing::default();
        page.write(trees, &mut packing)?;
        match packing.finish()? {
            Text::Plain(json) => write_json("data", &json, &mut data)?,
            Text::Packed(letters) => {
                writeln!(data, "<script type=\"text/plain\" id=\"data\">{letters}</script>")?;
            }
        }
        Ok(Html { title: format!("{} - Pompeii", cube.program), data })
    }

    /// Writes it, with the JSON of a timeline.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, timeline: Option<&str>, out: &mut impl Write) -> io::Result<()> {
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            out.write_all(before.as_bytes())?;
            match name {
                "POLICY" => out.write_all(POLICY.as_bytes())?,
                "TITLE" => write!(out, "{}", escape(&self.title))?,
                "STYLES" => write!(out, "<style>\n{}\n</style>\n", *STYLE)?,
                "SCRIPT" => write!(out, "<script>\n{}</script>\n", *SCRIPT)?,
                "DATA" => {
                    out.write_all(&self.data)?;
                    if let Some(timeline) = timeline {
                        write_json("timeline", timeline.as_bytes(), out)?;
                    }
                }
                _ => {}
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }
}

fn write_json(id: &str, json: &[u8], out: &mut impl Write) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" id=\"{id}\">")?;
    WithoutTags(&mut *out).write_all(json)?;
    out.write_all(b"</script>\n")
}

/// JSON for a script element, in which only `</script` and `<!--` end the text: no `<`, no problem.
struct WithoutTags<W>(W);

impl<W: Write> Write for WithoutTags<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = bytes.split(|&byte| byte == b'<');
        self.0.write_all(parts.next().unwrap_or_default())?;
        for part in parts {
            self.0.write_all(b"\\u003c")?;
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_program_cannot_leave_their_element() {
        let text = "wall=1 locations=1\n </script><b>x  0  time=1";
        let cube = pompeii_analysis::derive(&pompeii_analysis::notation::cube(text).unwrap());
        let page = html(&cube, &RunInfo::default());
        assert_eq!(page.matches("</script>").count(), 2, "data and script");
        assert!(!page.contains("<b>x"));
        let mut page = Vec::new();
        let timeline = Some("{\"title\": \"</script><b>x\"}");
        write_html((&cube, &cube), &RunInfo::default(), timeline, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("</script>").count(), 3, "data, timeline and script");
        assert!(!page.contains("<b>x"));
    }
}
