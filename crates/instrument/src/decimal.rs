//! Numbers in texts, without the machinery of formatting: there is one in every inserted call.

/// A number in decimal digits.
pub(crate) struct Decimal {
    digits: [u8; 10],
    first: usize,
}

impl Decimal {
    pub(crate) fn new(number: u32) -> Self {
        let mut digits = [0; 10];
        let mut first = digits.len();
        let mut rest = number;
        while rest > 0 || first == digits.len() {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        Self { digits, first }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.digits[self.first..]
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

/// Writes a number behind a text.
pub(crate) fn push_decimal(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(Decimal::new(number).bytes());
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn digits() {
        for number in [0, 7, 10, 4_294_967_295] {
            assert_eq!(Decimal::new(number).text(), number.to_string());
        }
    }
}
