//! The end of the work: what stands before the first line, and the output.

use super::emit::Emitter;
use super::{locks, prelude, scan};
use crate::undo::CommentStyle;
use crate::{Abi, Error, Language, Outcome};

/// The year and month of the POMP proposal, for conditional compilation (POMP paper, section 3.6).
const POMP: &str = "#ifndef _POMP\n#define _POMP 200110\n#endif\n";

impl Emitter<'_> {
    pub(super) fn finish(mut self) -> Result<Outcome, Error> {
        self.close_regions()?;
        self.count_sections();
        let definitions = self.definitions();
        if self.insertions.is_empty() && self.edits.is_empty() && definitions.is_empty() {
            self.outcome.text = self.source.to_vec();
            return Ok(self.outcome);
        }
        if self.calls || !definitions.is_empty() {
            self.before_first_line(definitions);
        }
        self.insertions.finish(&mut self.edits);
        self.outcome.text = self.edits.apply(self.source, CommentStyle::C);
        Ok(self.outcome)
    }

    /// Macros that the text is compiled with. Preprocessed text knows none.
    fn definitions(&mut self) -> String {
        let mut text = String::new();
        let rewrite = self.options.rewrites_locks();
        if self.options.preprocessed {
            if rewrite {
                self.rename_locks();
            }
            return text;
        }
        if self.calls || mentions_pomp(self.source) {
            text += POMP;
        }
        if rewrite && (self.calls || locks::mentioned(self.source)) {
            locks::definitions(&mut text, self.options.abi);
        }
        text
    }

    fn before_first_line(&mut self, definitions: String) {
        let preprocessed = self.options.preprocessed;
        let at = match preprocessed {
            true => behind_first_markers(self.source),
            false => prelude_offset(self.source),
        };
        let cxx = self.options.language == Language::Cxx;
        let (path, regions) = (&self.options.path, &self.outcome.regions);
        let mut text = definitions;
        if self.calls {
            match self.options.abi {
                Abi::Pomp => {
                    prelude::prelude(&mut text, path, cxx, self.prefix, regions, self.needs);
                }
                Abi::Pomp2 => text += &self.prelude_of_pomp2(),
            }
        }
        if self.options.line_markers {
            let word = self.insertions.marker_word();
            let file = self.positions.file(at).unwrap_or(path);
            // A name that was not UTF-8 cannot be written here, so it stays what it is.
            let named = !file.contains(char::REPLACEMENT_CHARACTER);
            if preprocessed && named {
                text.insert_str(0, "# 1 \"<pompeii>\"\n");
            }
            let line = self.positions.line(at);
            let name = if named { format!(" {}", prelude::literal(file)) } else { String::new() };
            text += &format!("{word} {line}{name}\n");
        }
        let prelude = self.edits.begin_long();
        self.edits.insert_part(at, i64::MIN, prelude, 0..text.len());
        self.edits.end_long(prelude, text.into_bytes());
    }
}

/// Whether the text asks if it is instrumented.
pub(super) fn mentions_pomp(text: &[u8]) -> bool {
    let name = b"_POMP";
    memchr::memmem::find_iter(text, name).any(|at| {
        let around = [at.checked_sub(1), at.checked_add(name.len())];
        around.into_iter().flatten().all(|at| !text.get(at).is_some_and(|&b| scan::is_ident(b)))
    })
}

/// In preprocessed text, the prelude goes behind the markers that name the source and, if it ends
/// with two slashes, the folder: compilers look for them in the first two lines.
fn behind_first_markers(source: &[u8]) -> usize {
    let mut at = 0;
    for suffix in ["\"", "//\""] {
        let end = memchr::memchr(b'\n', &source[at..]).map_or(source.len(), |end| at + end + 1);
        let line = source[at..end].trim_ascii_end();
        if !line.starts_with(b"# ") || !line.ends_with(suffix.as_bytes()) {
            break;
        }
        at = end;
    }
    at
}

/// The prelude goes before the first line, but behind a byte order mark, and behind the `module;`
/// that must be the first thing in a module unit.
fn prelude_offset(source: &[u8]) -> usize {
    let start = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut at = start;
    loop {
        at = scan::skip_blank(source, at, true);
        if !source[at..].starts_with(b"//") {
            break;
        }
        at = scan::line_comment_end(source, at);
    }
    let word = scan::ident_end(source, at);
    let semicolon = scan::skip_blank(source, word, true);
    if &source[at..word] == b"module" && source.get(semicolon) == Some(&b';') {
        let line = memchr::memchr(b'\n', &source[semicolon..]);
        return line.map_or(source.len(), |length| semicolon + length + 1);
    }
    start
}
