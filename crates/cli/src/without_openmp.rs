//! Sources with directives in a command that does not switch OpenMP on: to the compiler they are
//! comments, so nothing of them is measured, which is rarely what the user wants.

use std::fs;

use pompeii_instrument::Language;

use crate::compiler::words::base_name;
use crate::compiler::{CommandLine, Source};
use crate::headers::has_fortran_directives;
use crate::output::say;

/// How compilers are told to switch OpenMP on, by the beginnings of their names; the first that
/// fits counts. To teach a compiler: a line here.
const OPTIONS: [(&str, &str); 12] = [
    ("icx", "-qopenmp"),
    ("icpx", "-qopenmp"),
    ("ifx", "-qopenmp"),
    ("icc", "-qopenmp"),
    ("icpc", "-qopenmp"),
    ("ifort", "-qopenmp"),
    ("mpii", "-qopenmp"),
    ("nv", "-mp"),
    ("pg", "-mp"),
    ("xl", "-qsmp=omp"),
    ("nagfor", "-openmp"),
    ("sun", "-xopenmp"),
];

/// Warns, once for a command. A command that mentions OpenMP in any way says what it wants.
pub fn warn(line: &CommandLine) {
    let mentions = |word: &String| word.contains("openmp") || word == "-nomp" || word == "noomp";
    if line.openmp || line.argument_texts().iter().any(mentions) {
        return;
    }
    let with_directives = |source: &&Source| {
        !source.is_standard_input()
            && fs::read(&source.path).is_ok_and(|text| has_directives(&text, source.language))
    };
    let Some(source) = line.sources.iter().find(with_directives) else { return };
    say(format!(
        "warning: {} has OpenMP directives, but the command does not switch OpenMP on: they have no \
         effect and are not measured; add {}",
        source.path.display(),
        option_of(line.program_text())
    ));
}

fn option_of(program: &str) -> &'static str {
    let name = base_name(program);
    let found = OPTIONS.iter().find(|(start, _)| name.starts_with(start));
    found.map_or("-fopenmp", |(_, option)| option)
}

/// Whether a text has a directive that stands in a line of its own.
fn has_directives(text: &[u8], language: Language) -> bool {
    if language.is_fortran() {
        return has_fortran_directives(text);
    }
    let ends_word = |rest: &[u8]| !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.split(|&byte| byte == b'\n').any(|line| {
        let mut rest = line;
        for word in [&b"#"[..], b"pragma", b"omp"] {
            let Some(behind) = rest.trim_ascii_start().strip_prefix(word) else { return false };
            rest = behind;
        }
        ends_word(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found_in_lines_of_their_own() {
        let has = |text: &str| has_directives(text.as_bytes(), Language::C);
        assert!(has("int a;\n  # pragma\tomp parallel\n"));
        assert!(has("#pragma omp"));
        assert!(!has("#pragma ompx\n// #pragma omp parallel\n#define omp\n"));
        let has = |text: &str| has_directives(text.as_bytes(), Language::FortranFree);
        assert!(has("x = 1\n  !$OMP parallel\n") && !has("! omp parallel\n"));
    }

    #[test]
    fn each_compiler_has_its_option() {
        for (program, option) in [
            ("gcc-12", "-fopenmp"),
            ("/opt/bin/ifx", "-qopenmp"),
            ("mpiicx", "-qopenmp"),
            ("mpicc", "-fopenmp"),
            ("nvfortran", "-mp"),
            ("xlc_r", "-qsmp=omp"),
            ("nagfor", "-openmp"),
        ] {
            assert_eq!(option_of(program), option, "{program}");
        }
    }
}
