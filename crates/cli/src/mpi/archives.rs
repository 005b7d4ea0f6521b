//! MPI libraries that are linked from archives: what a command links is read from its words and
//! from those that the MPI's compiler adds, and what an archive has, from its index.

use std::collections::HashSet;
use std::env;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Mpi;
use crate::compiler::CommandLine;

/// A function that every MPI library has by its second name.
const OF_MPI: &str = "PMPI_Init";
/// How the functions of MPI are named in the shared libraries that call them.
const CALLS: &[u8] = b"\0MPI_";

/// What is linked of a program whose MPI library is in archives.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Archives {
    /// What the archives define.
    pub symbols: HashSet<String>,
    /// Whether shared libraries call MPI, too.
    pub is_called_by_shared: bool,
}

/// What a command links from archives, where MPI is among it.
pub fn of_command(line: &CommandLine) -> Option<Archives> {
    let (program, own) = (line.program_text(), line.argument_texts());
    let shown = Mpi::is_compiler(program).then(|| Mpi::shown(program, own)).flatten();
    let words = shown.unwrap_or_else(|| own.to_vec());
    let linked = libraries(&words, line.libtool, &default_folders());
    let mut found = Archives::default();
    for archive in linked.iter().filter(|path| path.extension().is_some_and(|end| end == "a")) {
        // What cannot be read, the linker will complain about.
        found.symbols.extend(symbols(archive).unwrap_or_default());
    }
    if !found.symbols.contains(OF_MPI) {
        return None;
    }
    let is_shared = |path: &&PathBuf| path.to_string_lossy().contains(".so");
    let calls = |path: &PathBuf| {
        std::fs::read(path).is_ok_and(|text| memchr::memmem::find(&text, CALLS).is_some())
    };
    found.is_called_by_shared = linked.iter().filter(is_shared).any(calls);
    Some(found)
}

/// The files that the linker takes for the libraries among these words.
fn libraries(words: &[String], libtool: bool, default: &[PathBuf]) -> Vec<PathBuf> {
    // What is for the linker has commas between its words.
    let for_linker = |word: &String| match word.strip_prefix("-Wl,") {
        Some(words) => words.split(',').map(str::to_owned).collect(),
        None => vec![word.clone()],
    };
    let words: Vec<String> =
        words.iter().filter(|word| *word != "-Xlinker").flat_map(for_linker).collect();
    let said =
        words.iter().enumerate().filter_map(|(place, word)| match word.strip_prefix("-L")? {
            "" => words.get(place + 1).map(PathBuf::from),
            folder => Some(PathBuf::from(folder)),
        });
    let folders: Vec<PathBuf> = said.chain(default.iter().cloned()).collect();
    // To libtool, `-static` is about its own libraries.
    let is_all = |word: &String| word == "-static" && !libtool || word == "-static-pie";
    let all_static = words.iter().any(is_all);
    let mut from_archives = all_static;
    let mut found = Vec::new();
    for word in &words {
        match word.as_str() {
            "-Bstatic" | "-dn" | "-non_shared" => from_archives = true,
            "-Bdynamic" | "-dy" | "-call_shared" => from_archives = all_static,
            _ => found.extend(library(word, from_archives, &folders)),
        }
    }
    found
}

/// The file of one library.
fn library(word: &str, from_archives: bool, folders: &[PathBuf]) -> Option<PathBuf> {
    let is_library = word.ends_with(".a") || word.ends_with(".so") || word.contains(".so.");
    let Some(name) = word.strip_prefix("-l") else {
        return Some(PathBuf::from(word)).filter(|path| is_library && path.is_file());
    };
    let names = match name.strip_prefix(':') {
        Some(whole) => vec![whole.to_owned()],
        None if from_archives => vec![format!("lib{name}.a")],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    let files = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    files.into_iter().find(|path| path.is_file())
}

/// Where linkers look besides.
fn default_folders() -> Vec<PathBuf> {
    let system = format!("{}-linux-gnu", env::consts::ARCH);
    let own = env::var_os("LIBRARY_PATH").unwrap_or_default();
    let own = env::split_paths(&own).filter(|folder| !folder.as_os_str().is_empty());
    let folders = ["/usr/local/lib", "/usr/lib64", "/usr/lib"].map(PathBuf::from);
    own.chain([Path::new("/usr/lib").join(system)]).chain(folders).collect()
}

/// The symbols that an archive defines, from its index: a number, as many places, as many names.
fn symbols(archive: &Path) -> std::io::Result<Vec<String>> {
    let mut file = File::open(archive)?;
    let mut header = [0; 68];
    file.read_exact(&mut header)?;
    let is_archive = header.starts_with(b"!<arch>\n") || header.starts_with(b"!<thin>\n");
    let number_bytes: u64 = match &header[8..24] {
        b"/               " => 4,
        b"/SYM64/         " => 8,
        _ => 0,
    };
    let size = std::str::from_utf8(&header[56..66]).ok().and_then(|text| text.trim().parse().ok());
    let (true, Some(size), 1..) = (is_archive, size, number_bytes) else { return Ok(Vec::new()) };
    let mut number = [0; 8];
    file.read_exact(&mut number[8 - number_bytes as usize..])?;
    let places = u64::from_be_bytes(number).saturating_mul(number_bytes);
    file.seek(SeekFrom::Start(68_u64.saturating_add(number_bytes).saturating_add(places)))?;
    let mut names = Vec::new();
    file.take(u64::saturating_sub(size, number_bytes.saturating_add(places)))
        .read_to_end(&mut names)?;
    let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// In a folder with these files.
    fn check(files: &[&str], words: &str, expected: Expect) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let path = folder.path().display().to_string();
        let words: Vec<String> = words.replace('@', &path).split(' ').map(str::to_owned).collect();
        let found = libraries(&words, false, &[folder.path().join("system")]);
        let names = found.iter().map(|file| file.strip_prefix(folder.path()).unwrap().display());
        expected.assert_eq(&names.map(|name| format!("{name}\n")).collect::<String>());
    }

    #[test]
    fn libraries_are_those_that_the_linker_takes() {
        let files = ["a/libmpi.a", "a/libmpi.so", "b/libmpi.a", "system/libm.so", "system/libm.a"];
        check(
            &files,
            "main.o -L@/a -lmpi -lm",
            expect![[r"
            a/libmpi.so
            system/libm.so
        "]],
        );
        check(
            &files,
            "-L @/b -L@/a -lmpi -lnone -Wl,-Bstatic,-lm -Xlinker -Bdynamic -lm",
            expect![[r"
            b/libmpi.a
            system/libm.a
            system/libm.so
        "]],
        );
        check(
            &files,
            "-static -L@/a @/b/libmpi.a @/b/none.a -lmpi -Wl,-Bdynamic -l:libm.so",
            expect![[r"
            b/libmpi.a
            a/libmpi.a
            system/libm.so
        "]],
        );
    }

    #[test]
    fn what_an_archive_has_stands_in_its_index() {
        let folder = tempfile::tempdir().unwrap();
        let of = |bytes: &[u8]| {
            let path = folder.path().join("lib.a");
            std::fs::write(&path, bytes).unwrap();
            symbols(&path).unwrap_or_default()
        };
        let header = format!("!<arch>\n{:<16}{:32}{:<10}`\n", "/", "", 26);
        let index = [header.as_bytes(), b"\0\0\0\x02", &[0; 8], b"PMPI_Init\0MPI\0behind"].concat();
        assert_eq!(of(&index), ["PMPI_Init", "MPI"]);
        for cut in 0..index.len() {
            assert!(of(&index[..cut]).len() <= 2);
        }
        let large = [header.as_bytes(), &[255; 40]].concat();
        assert_eq!((of(&large), of(b"no archive")), (Vec::new(), Vec::new()));
    }
}
