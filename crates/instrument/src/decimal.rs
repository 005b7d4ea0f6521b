//! Numbers in texts, without the machinery of formatting: there is one in every inserted call.

/// Writes a number behind a text.
pub(crate) fn push_decimal(out: &mut Vec<u8>, number: u32) {
    let mut digits = [0; 10];
    let mut first = digits.len();
    let mut rest = number;
    while rest > 0 || first == digits.len() {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits() {
        let mut out = Vec::new();
        for number in [0, 7, 10, 4_294_967_295] {
            super::push_decimal(&mut out, number);
            out.push(b' ');
        }
        assert_eq!(out, b"0 7 10 4294967295 ");
    }
}
