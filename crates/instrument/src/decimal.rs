//! Numbers in texts, without the machinery of formatting: there is one in every inserted call.

/// A number in decimal digits.
pub(crate) struct Decimal {
    digits: [u8; 10],
    first: usize,
}

/// Two digits at a time.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut pair = 0;
    while pair < pairs.len() {
        pairs[pair] = [b'0' + (pair / 10) as u8, b'0' + (pair % 10) as u8];
        pair += 1;
    }
    pairs
};

impl Decimal {
    pub(crate) fn new(number: u32) -> Self {
        let mut digits = [0; 10];
        let mut first = digits.len();
        let mut rest = number;
        while rest >= 10 {
            first -= 2;
            let pair = (rest % 100) as usize;
            digits[first..first + 2].copy_from_slice(&PAIRS[pair]);
            rest /= 100;
        }
        if rest > 0 || first == digits.len() {
            first -= 1;
            digits[first] = b'0' + rest as u8;
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
        for number in [0, 7, 10, 99, 100, 1_000, 40_302, 4_294_967_295] {
            assert_eq!(Decimal::new(number).text(), number.to_string());
        }
    }
}
