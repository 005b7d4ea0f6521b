//! Directives of the measurement itself: `pomp inst begin(name)`, `pomp noinstrument` and so on.
//! They may also be written with the `omp` sentinel, as in the POMP proposal.

use crate::directive::Directive;

/// A directive that is replaced by calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// `inst begin(name)`
    Begin(String),
    /// `inst end(name)`
    End(String),
    /// `inst altend(name)`: another way out of the region.
    AlternativeEnd(String),
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

pub(super) fn classify(source: &[u8], directive: &Directive, words: &[&str]) -> Option<User> {
    let name = || {
        let span = directive.argument.clone()?;
        Some(String::from_utf8_lossy(&source[span]).trim().to_owned())
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
