//! What options of compilers mean to us: gcc, clang and gfortran, and the spellings of others where
//! they are known. To teach a spelling: its word in one of these tables.

/// Options that are followed by a word of their own.
const WITH_WORD: [&str; 46] = [
    "-o",
    "-x",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-A",
    "-B",
    "-F",
    "-MF",
    "-MT",
    "-MQ",
    "-include",
    "-imacros",
    "-isystem",
    "-isysroot",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-imultilib",
    "--sysroot",
    "-J",
    "-module",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-G",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xarch_host",
    "-mllvm",
    "-arch",
    "-target",
    "-aux-info",
    "-wrapper",
    "--param",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
];

/// Those of libtool, when it links.
const WITH_WORD_LIBTOOL: [&str; 14] = [
    "-rpath",
    "-R",
    "-version-info",
    "-version-number",
    "-release",
    "-export-symbols",
    "-export-symbols-regex",
    "-dlopen",
    "-dlpreopen",
    "-objectlist",
    "-precious-files-regex",
    "-inst-prefix-dir",
    "-shrext",
    "-Xcompiler",
];

/// Options that switch OpenMP on.
const OPENMP: [&str; 12] = [
    "-fopenmp",
    "-qopenmp",
    "-openmp",
    "-fiopenmp",
    "-mp",
    "-homp",
    "-Kopenmp",
    "-xopenmp",
    "-qsmp",
    "-Mopenmp",
    "--openmp",
    "-OPENMP",
];

/// The same with a runtime, a target or a mode behind `=`.
const OPENMP_WITH: [&str; 4] = ["-fopenmp=", "-mp=", "-qopenmp=", "-xopenmp="];

/// Options that switch it off again.
const NO_OPENMP: [&str; 6] =
    ["-fno-openmp", "-qno-openmp", "-nomp", "-xopenmp=none", "-Mnoopenmp", "-Knoopenmp"];

/// Options after which nothing is compiled.
const ASKING: [&str; 16] = [
    "-E",
    "-M",
    "-MM",
    "-###",
    "-fsyntax-only",
    "--version",
    "-dumpversion",
    "-dumpfullversion",
    "-dumpmachine",
    "-dumpspecs",
    "--target-help",
    "-show",
    "-compile_info",
    "-compile-info",
    "-link_info",
    "-link-info",
];

/// The beginnings of more of them.
const ASKING_WITH: [&str; 6] = ["-print-", "--print-", "--help", "-showme", "--showme", "-help"];

/// How many words an option takes, itself included.
pub fn length(word: &str, libtool: bool) -> usize {
    let two = WITH_WORD.contains(&word) || (libtool && WITH_WORD_LIBTOOL.contains(&word));
    if two { 2 } else { 1 }
}

/// Whether the option switches OpenMP on or off; `None` if it does neither.
pub fn openmp(words: &[String]) -> Option<bool> {
    match (words[0].as_str(), words.get(1).map(String::as_str)) {
        ("-h", Some("omp")) => Some(true),
        ("-h", Some("noomp")) => Some(false),
        // How it is said to Apple's compiler.
        ("-Xpreprocessor" | "-Xclang", Some("-fopenmp")) => Some(true),
        (word, _) if NO_OPENMP.contains(&word) => Some(false),
        (word, _) if OPENMP.contains(&word) => Some(true),
        (word, _) if OPENMP_WITH.iter().any(|prefix| word.starts_with(prefix)) => Some(true),
        (word, _) => {
            word.strip_prefix("-qsmp=")?.split(':').any(|part| part == "omp").then_some(true)
        }
    }
}

/// Whether the compiler is only asked for something.
pub fn only_asks(word: &str) -> bool {
    ASKING.contains(&word) || ASKING_WITH.iter().any(|prefix| word.starts_with(prefix))
}
