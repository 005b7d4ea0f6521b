//! The words of a command before their meaning: response files, quoting, and what stands in front
//! of the compiler.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Response files within response files, and what one command may include in all; gcc has this
/// limit too.
const FILES_MAX: usize = 2000;

/// Programs that run the compiler behind them.
const LAUNCHERS: [&str; 8] = ["ccache", "sccache", "distcc", "icecc", "env", "sh", "bash", "time"];

/// The command with the words of response files (`@file`) in their place, by gcc's rules: a file
/// that cannot be read is an ordinary word.
pub fn expand(words: &[OsString]) -> Vec<OsString> {
    let mut output = Vec::with_capacity(words.len());
    let mut waiting: Vec<OsString> = words.iter().rev().cloned().collect();
    let mut files = 0;
    while let Some(word) = waiting.pop() {
        let text = match word.as_bytes().strip_prefix(b"@") {
            Some(name) if files < FILES_MAX => fs::read(OsStr::from_bytes(name)).ok(),
            _ => None,
        };
        match text {
            Some(text) => {
                files += 1;
                waiting.extend(split(&text).into_iter().rev());
            }
            None => output.push(word),
        }
    }
    output
}

/// The words of a text: blanks and line ends separate them, quotes of both kinds keep them
/// together, and a backslash takes the meaning from any character.
pub fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(byte),
            b'"' | b'\'' => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// Words as a response file that [`split`] gives back.
pub fn join(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

/// The words as text. What is not UTF-8 in them is replaced, which no option has.
pub fn texts(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// One word of several parts.
pub fn joined<const N: usize>(parts: [&OsStr; N]) -> OsString {
    parts.into_iter().collect()
}

/// Where the compiler stands: behind `ccache`, `env NAME=VALUE` or `libtool --mode=compile`.
pub fn compiler_position(words: &[String]) -> usize {
    let mut position = 0;
    while let Some(word) = words.get(position) {
        if !LAUNCHERS.contains(&base_name(word)) && !is_libtool(word) {
            break;
        }
        position += 1;
        while let Some(option) = words.get(position) {
            let apart = option == "--mode" || option == "--tag";
            if !option.starts_with('-') && !option.contains('=') {
                break;
            }
            position += if apart { 2 } else { 1 };
        }
    }
    if position < words.len() { position } else { 0 }
}

/// Whether this is libtool, which has a name of its own in each tree.
pub fn is_libtool(word: &str) -> bool {
    base_name(word).ends_with("libtool")
}

/// A program without its folder.
pub fn base_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn words_are_split_as_gcc_does() {
        let text = "-O2  'a b.c'\n\"-DX=\\\"1 2\\\"\"\ta\\ b \\\\ '' x'y'z";
        let expected = ["-O2", "a b.c", "-DX=\"1 2\"", "a b", "\\", "", "xyz"];
        assert_eq!(split(text.as_bytes()), expected);
        let bytes = OsString::from_vec(b"a\xff \"\\".to_vec());
        let expected: Vec<OsString> =
            expected.into_iter().map(OsString::from).chain([bytes]).collect();
        assert_eq!(split(&join(&expected)), expected);
    }

    #[test]
    fn response_files_are_nested() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("inner"), "b.c 'c d.c'").unwrap();
        fs::write(path("outer"), format!("a.c @{}\n@{} -o x", path("inner"), path("none")))
            .unwrap();
        let command =
            [words("gcc -c"), vec![format!("@{}", path("outer")).into(), "-g".into()]].concat();
        let none = format!("@{}", path("none"));
        let expected = ["gcc", "-c", "a.c", "b.c", "c d.c", &none, "-o", "x", "-g"];
        assert_eq!(expand(&command), expected);
    }

    #[test]
    fn a_response_file_that_names_itself_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("self").display().to_string();
        fs::write(&path, format!("a @{path}")).unwrap();
        assert_eq!(expand(&[format!("@{path}").into()]).len(), FILES_MAX + 1);
    }

    #[test]
    fn the_compiler_is_found_behind_launchers() {
        for (command, compiler) in [
            ("gcc -c a.c", "gcc"),
            ("ccache gcc -c a.c", "gcc"),
            ("env LANG=C CCACHE_DISABLE=1 ccache g++-12 -c a.c", "g++-12"),
            ("/bin/sh ../libtool --silent --tag=CC --mode compile mpicc -c a.c", "mpicc"),
            ("./x86_64-linux-gnu-libtool --mode=link gcc -o a a.lo", "gcc"),
            ("ccache", "ccache"),
        ] {
            let words = texts(&words(command));
            assert_eq!(words[compiler_position(&words)], compiler, "{command}");
        }
    }
}
