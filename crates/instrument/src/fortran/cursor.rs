//! The words of a normalised statement, matched from the front. Free form keeps single blanks,
//! fixed form has none, and [`Cursor::eat`] treats blanks as optional, which covers `end do` and
//! `enddo` alike.

/// A letter, digit, underscore, or the `$` that compilers allow in names.
pub(super) fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$'
}

/// The rest of a statement.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    /// Fixed form: there are no blanks.
    pub(super) fixed: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn starts(self, word: &[u8]) -> bool {
        self.text.starts_with(word)
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn skip(self, count: usize) -> Cursor<'a> {
        Cursor { text: self.text[count..].trim_ascii_start(), ..self }
    }

    /// The rest after `word`; blanks after it are optional.
    pub(super) fn eat(self, word: &[u8]) -> Option<Cursor<'a>> {
        self.starts(word).then(|| self.skip(word.len()))
    }

    /// The rest after `word`, where free form wants the word to end there.
    pub(super) fn eat_word(self, word: &[u8]) -> Option<Cursor<'a>> {
        let ends = self.fixed || self.text.get(word.len()).is_none_or(|c| !is_name(*c));
        if ends { self.eat(word) } else { None }
    }

    /// The rest after a balanced `( ... )`.
    pub(super) fn parentheses(self) -> Option<Cursor<'a>> {
        if self.text.first() != Some(&b'(') {
            return None;
        }
        let mut depth = 0;
        for (at, &c) in self.text.iter().enumerate() {
            match c {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(self.skip(at + 1));
            }
        }
        None
    }

    /// Length of the digits that come next.
    pub(super) fn digits(self) -> usize {
        self.text.iter().take_while(|c| c.is_ascii_digit()).count()
    }

    /// Length of the name that comes next.
    pub(super) fn name(self) -> usize {
        self.text.iter().take_while(|c| is_name(**c)).count()
    }

    /// A name and nothing else, or nothing at all.
    pub(super) fn is_optional_name(self) -> bool {
        self.text.iter().all(|c| is_name(*c))
    }
}
