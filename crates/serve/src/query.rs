//! The words of a question, `name=value&name=value`. Numbers are decimal, and all of them are
//! checked against what there is before anything is computed.

use std::borrow::Cow;
use std::ops::Range;

use crate::reply::Refused;

/// Times and counts are exact in a page below this number.
pub const NUMBER_MAX: u64 = 1 << 53;

/// The words of a question.
#[derive(Debug)]
pub struct Query<'a> {
    words: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Query<'a> {
    /// Takes the part of an address after `?`.
    ///
    /// # Errors
    /// A name is there twice, or a part is no text.
    pub fn parse(text: &'a str) -> Result<Query<'a>, Refused> {
        let mut words: Vec<(Cow<str>, Cow<str>)> = Vec::new();
        for word in text.split('&').filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if words.iter().any(|(known, _)| *known == name) {
                return Err(Refused::Bad(format!("{name} is there twice")));
            }
            words.push((name, value));
        }
        Ok(Query { words })
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.words.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The value of a name that must be there.
    pub fn text(&self, name: &str) -> Result<&str, Refused> {
        self.get(name).ok_or_else(|| Refused::Bad(format!("{name} is missing")))
    }

    /// A number that must be there.
    pub fn number(&self, name: &str) -> Result<u64, Refused> {
        number(name, self.text(name)?)
    }

    /// A number up to `most`; `usual` if it is not there.
    pub fn number_up_to(&self, name: &str, usual: u64, most: u64) -> Result<u64, Refused> {
        let value = self.get(name).map_or(Ok(usual), |text| number(name, text))?;
        match value <= most {
            true => Ok(value),
            false => Err(Refused::Bad(format!("{name} is {value}, and may be {most} at most"))),
        }
    }

    /// The window from `t0` to `t1`, which count from the begin of the trace.
    pub fn window(&self) -> Result<Range<u64>, Refused> {
        let window = self.number("t0")?..self.number("t1")?;
        match window.is_empty() {
            false => Ok(window),
            true => Err(Refused::Bad("t1 must be later than t0".to_owned())),
        }
    }

    /// A list of numbers and ranges, `0-63,70`, all below `count`. Without it, all numbers.
    pub fn list(&self, name: &str, count: usize) -> Result<Vec<usize>, Refused> {
        let Some(text) = self.get(name) else { return Ok((0..count).collect()) };
        let mut all = Vec::new();
        for part in text.split(',') {
            all.extend(range(name, part, count)?);
            // The same numbers again and again would be a question without an end.
            if all.len() > count {
                return Err(Refused::Bad(format!("{name} has more than {count} numbers")));
            }
        }
        Ok(all)
    }
}

/// A decimal number below [`NUMBER_MAX`].
pub fn number(name: &str, text: &str) -> Result<u64, Refused> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = is_decimal.then(|| text.parse().ok()).flatten().filter(|it| *it < NUMBER_MAX);
    value.ok_or_else(|| Refused::Bad(format!("{name} must be a whole number below 2^53")))
}

/// `3` or `3-7`, both below `count`.
pub fn range(name: &str, text: &str, count: usize) -> Result<Range<usize>, Refused> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(name, first)? as usize, number(name, last)? as usize);
    match first <= last && last < count {
        true => Ok(first..last + 1),
        false => Err(Refused::Bad(format!("{name}: {text} is not between 0 and {count}"))),
    }
}

/// A part of an address without its escapes.
fn decoded(text: &str) -> Result<Cow<'_, str>, Refused> {
    if !text.contains(['%', '+']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        bytes.push(match first {
            b'+' => b' ',
            b'%' => {
                let digits = after.first_chunk::<2>().and_then(|it| std::str::from_utf8(it).ok());
                let is_hex = |digits: &&str| digits.bytes().all(|it| it.is_ascii_hexdigit());
                let value = digits.filter(is_hex).and_then(|it| u8::from_str_radix(it, 16).ok());
                rest = after.get(2..).unwrap_or_default();
                value.ok_or_else(no_text)?
            }
            other => *other,
        });
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| no_text())
}

fn no_text() -> Refused {
    Refused::Bad("the query has an escape that is no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_escapes_replaced() {
        let query = Query::parse("a=%41+b%3D&c&").unwrap();
        assert_eq!(
            (query.get("a"), query.get("c"), query.get("d")),
            (Some("A b="), Some(""), None)
        );
        for wrong in ["a=%", "a=%4", "a=%+1", "a=%ff", "%zz", "a=1&a=2"] {
            assert!(Query::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_decimal_and_exact() {
        assert_eq!(number("t0", "9007199254740991"), Ok(NUMBER_MAX - 1));
        for wrong in
            ["", "-1", "+1", "1e3", "0x1", " 1", "9007199254740992", "1".repeat(400).as_str()]
        {
            assert!(number("t0", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lists_are_within_what_there_is() {
        let list = |text: &str, count| Query::parse(text).unwrap().list("l", count);
        assert_eq!(list("l=0-2,5", 6), Ok(vec![0, 1, 2, 5]));
        assert_eq!(list("", 3), Ok(vec![0, 1, 2]));
        for wrong in ["l=", "l=3-1", "l=0-6", "l=6", "l=0-5,0-5", "l=0,", "l=0-9007199254740991"] {
            assert!(list(wrong, 6).is_err(), "{wrong}");
        }
    }

    #[test]
    fn windows_have_a_length() {
        let window = |text: &str| Query::parse(text).unwrap().window();
        assert_eq!(window("t0=5&t1=9"), Ok(5..9));
        for wrong in ["", "t0=1", "t0=5&t1=5", "t0=9&t1=5", "t0=a&t1=9"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}
