//! Which braces open the bodies of lambdas. They stand among expressions, of which the outline
//! knows nothing, so each brace is asked what is in front of it: specifiers, a type behind an
//! arrow, parameters, and the brackets that no operand precedes. A limit keeps that linear; in
//! doubt it is none.

use super::head::{self, Language};
use super::lexer::{Kind, Token};

/// A lambda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lambda {
    /// Offset of its first bracket.
    pub(super) place: usize,
    /// Whether nothing can be inserted into its body.
    pub(super) closed: bool,
}

/// So many tokens in front of a brace are looked at.
const TOKENS_MAX: usize = 256;

/// The lambda whose body the brace at index `brace` opens.
pub(super) fn lambda(language: Language, tokens: &[Token], brace: usize) -> Option<Lambda> {
    let text = language.text;
    let from = brace.saturating_sub(TOKENS_MAX);
    let (mut at, mut angles) = (brace, 0);
    while at > from {
        at -= 1;
        match tokens[at].kind {
            Kind::Word => {}
            Kind::Other => {
                let operators = slice(text, tokens[at]);
                angles += angles_closed(operators);
                if angles <= 0 && separates(operators) {
                    return None;
                }
            }
            Kind::CloseParen => at = opening(&tokens[..at], from)?,
            Kind::CloseBracket => {
                let behind = at + 1;
                at = opening(&tokens[..at], from)?;
                // The brackets of attributes are double.
                if tokens[at + 1].kind != Kind::OpenBracket {
                    if !introduces(text, &tokens[..at]) || !goes_on(text, tokens[behind]) {
                        return None;
                    }
                    let (place, end) = (tokens[at].start as usize, tokens[brace].start as usize);
                    let closed = head::is_closed_text(language.macros, &text[place..end]);
                    return Some(Lambda { place, closed });
                }
            }
            _ => return None,
        }
    }
    None
}

/// The index of the bracket that the last of these tokens is the partner of.
fn opening(inside: &[Token], from: usize) -> Option<usize> {
    let mut depth = 1;
    for at in (from..inside.len()).rev() {
        match inside[at].kind {
            Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => depth += 1,
            Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace => depth -= 1,
            Kind::Condition(_) => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether these operators, numbers and literals end what is in front of a lambda's body. The arrow
/// and what types are made of do not.
fn separates(operators: &[u8]) -> bool {
    operators.iter().any(|byte| b"=,+/%|!\"'".contains(byte))
}

/// How many brackets of templates these operators close, in front of what they open.
fn angles_closed(operators: &[u8]) -> i32 {
    let arrows = operators.windows(2).filter(|pair| *pair == b"->").count() as i32;
    let angles = operators.iter().map(|byte| match byte {
        b'>' => 1,
        b'<' => -1,
        _ => 0,
    });
    angles.sum::<i32>() - arrows
}

/// Whether brackets behind these tokens begin a lambda: they are no subscript, and bind no names.
fn introduces(text: &[u8], before: &[Token]) -> bool {
    let Some(&last) = before.last() else { return false };
    let word = slice(text, last);
    match last.kind {
        Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace | Kind::Semicolon => true,
        Kind::Colon | Kind::Question | Kind::Case | Kind::Else | Kind::Do => true,
        Kind::Word => {
            matches!(word, b"return" | b"co_return" | b"co_yield" | b"co_await" | b"throw")
        }
        Kind::Other => word.last().is_some_and(|byte| b"=,+-/%|^!<".contains(byte)),
        _ => false,
    }
}

/// Whether a lambda can go on with this behind its brackets.
fn goes_on(text: &[u8], token: Token) -> bool {
    match token.kind {
        Kind::OpenBrace | Kind::OpenParen | Kind::OpenBracket | Kind::Word => true,
        Kind::Other => slice(text, token).starts_with(b"<") || slice(text, token) == b"->",
        _ => false,
    }
}

fn slice(text: &[u8], token: Token) -> &[u8] {
    &text[token.start as usize..token.end as usize]
}
