//! Lock routines by their POMP names (`--locks=rewrite`), for measurement libraries that cannot
//! stand in for those of OpenMP.
//!
//! A definition before the first header renames them everywhere, also where a pointer to one is
//! taken; the header of OpenMP then declares the POMP routines itself. Preprocessed text knows no
//! definitions: there, each name is replaced.

use super::emit::Emitter;
use super::lexer::Kind;
use crate::{Abi, Options};
use std::fmt::Write;

/// What comes between `omp_` and `_lock`, with what follows it.
const ROUTINES: &[&str] = &[
    "init_lock",
    "init_lock_with_hint",
    "init_nest_lock",
    "init_nest_lock_with_hint",
    "destroy_lock",
    "destroy_nest_lock",
    "set_lock",
    "set_nest_lock",
    "unset_lock",
    "unset_nest_lock",
    "test_lock",
    "test_nest_lock",
];

/// The name in place of that of OpenMP. POMP2 has no routines with hints.
fn renamed(routine: &str, abi: Abi) -> Option<String> {
    let prefix = match abi {
        Abi::Pomp => "POMP_",
        Abi::Pomp2 if routine.ends_with("_hint") => return None,
        Abi::Pomp2 => "POMP2_",
    };
    Some(format!("{prefix}{}{}", routine[..1].to_ascii_uppercase(), &routine[1..]))
}

/// The definitions.
pub(super) fn definitions(text: &mut String, abi: Abi) {
    for routine in ROUTINES {
        if let Some(name) = renamed(routine, abi) {
            let _ = writeln!(text, "#define omp_{routine} {name}");
        }
    }
}

/// Whether the text mentions a lock routine.
pub(super) fn mentioned(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"omp_").any(|at| {
        ROUTINES.iter().any(|routine| text[at + b"omp_".len()..].starts_with(routine.as_bytes()))
    })
}

/// Whether the names have to be replaced one by one.
pub(super) fn replaced(options: &Options) -> bool {
    options.preprocessed && options.rewrites_locks()
}

impl Emitter<'_> {
    /// Replaces the names of lock routines in preprocessed text.
    pub(super) fn rename_locks(&mut self) {
        for token in self.lexed.tokens.iter().filter(|token| token.kind == Kind::Word) {
            let range = token.start as usize..token.end as usize;
            let word = std::str::from_utf8(&self.source[range.clone()]).unwrap_or_default();
            let routine = word.strip_prefix("omp_").filter(|name| ROUTINES.contains(name));
            if let Some(name) = routine.and_then(|routine| renamed(routine, self.options.abi)) {
                self.edits.replace(range, name);
            }
        }
    }
}
