//! What holds for any text: no panic, and the input comes back.

use pompeii_instrument::{Language, Options, instrument, undo};
use proptest::prelude::*;

/// Fragments whose sequences are often nearly programs.
const FRAGMENTS: &[&str] = &[
    "\n#pragma omp parallel\n",
    "\n#pragma omp parallel for if(x) \\\n reduction(+:s)\n",
    "\n#pragma omp sections\n",
    "\n#pragma omp section\n",
    "\n#pragma omp task untied\n",
    "\n#pragma omp barrier\n",
    "\n#pragma omp cancel parallel\n",
    "\n#pragma omp target\n",
    "\n#pragma pomp inst begin(a)\n",
    "\n#pragma pomp inst end(a)\n",
    "_Pragma(\"omp critical\")",
    "[[omp::directive(single)]]",
    "[[omp::sequence(directive(parallel), directive(for))]]",
    "\n#ifdef A\n",
    "\n#else\n",
    "\n#elif B\n",
    "\n#endif\n",
    "{",
    "}",
    "(",
    ")",
    ";",
    "if (x)",
    "else",
    "for (;;)",
    "do",
    "while (x)",
    "try",
    "case 1:",
    "x = 1;",
    "'",
    "\"",
    "/*",
    "*/",
    "// x\\\n",
    "R\"(",
    "\r\n",
];

fn holds(text: &[u8], language: Language) {
    if let Ok(outcome) = instrument(text, &Options::new("t.c", language)) {
        assert_eq!(undo(&outcome.text).unwrap(), text);
        assert!(outcome.directives_instrumented <= outcome.directives_found);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn fragments_come_back(
        fragments in proptest::collection::vec(proptest::sample::select(FRAGMENTS), 0..40),
        cxx in any::<bool>(),
    ) {
        holds(fragments.concat().as_bytes(), if cxx { Language::Cxx } else { Language::C });
    }

    #[test]
    fn bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        holds(&[b"\n#pragma omp parallel\n", bytes.as_slice()].concat(), Language::C);
    }
}

#[test]
fn bytes_that_are_not_utf8_never_move() {
    let text = b"void f(int *x) {\n#pragma omp parallel for if(x[\"\xe9\"[0]])\n  \
        for (int i = 0; i < 9; i++) x[i] = i;\n}\n";
    let outcome = instrument(text, &Options::new("t.c", Language::C)).unwrap();
    let clause = b"parallel for if(x[\"\xe9\"[0]])";
    assert!(outcome.text.windows(clause.len()).any(|part| part == clause));
    let reason = "only fork and join are measured: `if` has bytes that are not UTF-8";
    assert_eq!(outcome.diagnostics[0].message, reason);
    assert_eq!(undo(&outcome.text).unwrap(), text);
}
