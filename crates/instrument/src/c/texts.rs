//! The texts of one construct, written one behind the other. There are a dozen of them, and a
//! string for each would be what the time goes to where directives are dense.

/// Texts in parts.
#[derive(Debug, Default)]
pub(super) struct Texts(String);

/// Where a part is. The default one is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Part {
    start: usize,
    end: usize,
}

impl Part {
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Texts {
    /// Forgets all parts.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// What `write` writes.
    pub(super) fn part(&mut self, write: impl FnOnce(&mut Self)) -> Part {
        let start = self.0.len();
        write(self);
        Part { start, end: self.0.len() }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.0.push_str(text);
    }

    pub(super) fn push_all(&mut self, texts: &[&str]) {
        texts.iter().for_each(|text| self.0.push_str(text));
    }

    /// Writes a part once more.
    pub(super) fn again(&mut self, part: Part) {
        self.0.extend_from_within(part.start..part.end);
    }

    pub(super) fn get(&self, part: Part) -> &str {
        &self.0[part.start..part.end]
    }
}
