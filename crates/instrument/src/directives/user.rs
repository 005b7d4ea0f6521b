//! Directives of the measurement itself: `pomp inst begin(name)`, `pomp noinstrument` and so on.
//! They may also be written with the `omp` sentinel, as in the POMP proposal.

use crate::directive::Directive;

/// A directive that is replaced by calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// `inst begin(name[, variable])`
    Begin(Named),
    /// `inst end(name[, variable])`
    End(Named),
    /// `inst altend(name[, variable])`: another way out of the region.
    AlternativeEnd(Named),
    /// `inst init`
    Init,
    /// `inst finalize`
    Finalize,
    /// `inst on`
    On,
    /// `inst off`
    Off,
    /// `noinstrument`: no events from here on.
    Suspend,
    /// `instrument`: events again from here on.
    Resume,
}

/// What is in the parentheses of `begin` and `end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name of the region.
    pub name: String,
    /// The variable whose address the routine is to get (POMP paper, section 3.10).
    pub variable: Option<String>,
}

pub(super) fn classify(source: &[u8], directive: &Directive, words: &[&str]) -> Option<User> {
    let name = || {
        let text = String::from_utf8_lossy(&source[directive.argument.clone()?]);
        let (name, variable) = match text.split_once(',') {
            Some((name, variable)) => (name, Some(variable.trim().to_owned())),
            None => (text.as_ref(), None),
        };
        Some(Named { name: name.trim().to_owned(), variable })
    };
    Some(match words {
        ["inst", "begin"] => User::Begin(name()?),
        ["inst", "end"] => User::End(name()?),
        ["inst", "altend"] => User::AlternativeEnd(name()?),
        ["inst", "init"] => User::Init,
        ["inst", "finalize"] => User::Finalize,
        ["inst", "on"] => User::On,
        ["inst", "off"] => User::Off,
        ["noinstrument"] => User::Suspend,
        ["instrument"] => User::Resume,
        _ => return None,
    })
}
