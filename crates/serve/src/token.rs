//! What tells the user's page from all others: 128 random bits. Other users of the machine can
//! connect to a port of loopback, too, so the address alone protects nothing.

use std::fs::File;
use std::io::{self, Read};

/// Random bytes of a token.
const BYTES: usize = 16;

/// A secret, as hexadecimal digits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> io::Result<Token> {
        let mut bytes = [0; BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Its digits, for the address that the user opens.
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. The time that it takes does not tell how many digits are right.
    pub fn is(&self, given: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differences = own.iter().zip(given).fold(0, |all, (own, given)| all | (own ^ given));
        own.len() == given.len() && std::hint::black_box(differences) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_right() {
        let token = Token::new().unwrap();
        assert_eq!(token.digits().len(), 2 * BYTES);
        assert!(token.is(token.digits().as_bytes()));
        for wrong in ["", &token.digits()[1..], &format!("{}0", token.digits()), "0"] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
        assert!(!token.is(Token::new().unwrap().digits().as_bytes()));
    }
}
