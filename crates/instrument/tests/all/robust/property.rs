//! What holds for any bytes, in every language: no panic, and of a text that can be instrumented,
//! the input comes back from the output alone, a second time is refused, and the same text gives
//! the same output again. Shared by the tests beside it and by the fuzz targets in `fuzz/`.

use pompeii_instrument::{Abi, Functions, Language, Locks, Options, Outcome, instrument, undo};

/// The options under which a text is read.
pub fn options(path: &str) -> Options {
    let language = Language::from_path(path).expect("a path with a known suffix");
    Options::new(path, language)
}

/// Instruments `text`, with all that can be asked for and without, and panics if anything does not
/// hold. `None` for what cannot be instrumented.
pub fn check(text: &[u8], options: &Options) -> Option<Outcome> {
    check_once(text, &more(text, options));
    check_once(text, options)
}

/// Events of functions and iterations; the length of the text chooses among what excludes each
/// other, so that a corpus has all of it.
fn more(text: &[u8], options: &Options) -> Options {
    let bit = |bit: usize| text.len() >> bit & 1 == 1;
    Options {
        functions: Some(Functions::default()),
        loop_chunks: true,
        abi: if bit(0) { Abi::Pomp2 } else { Abi::Pomp },
        locks: if bit(1) { Locks::Rewrite } else { Locks::Interpose },
        end_barrier: bit(2),
        ..options.clone()
    }
}

fn check_once(text: &[u8], options: &Options) -> Option<Outcome> {
    let outcome = instrument(text, options).ok()?;
    let again = instrument(text, options).expect("a text that was instrumented once");
    assert!(outcome.text == again.text, "the output differs from one time to the next");
    assert_eq!(outcome.regions, again.regions);
    assert_eq!(outcome.diagnostics, again.diagnostics);
    assert!(outcome.directives_instrumented <= outcome.directives_found);
    let restored = undo(&outcome.text).expect("an output that nobody has edited");
    assert!(restored == text, "undo does not give the input back");
    if outcome.text != text {
        let twice = instrument(&outcome.text, options).expect_err("instrumented twice");
        assert!(twice.message.contains("instrumented before"), "{twice}");
    }
    Some(outcome)
}
