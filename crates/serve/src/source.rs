//! Source text for the page. An experiment may come from another user and name any file, for
//! example a private key. Therefore only files below one folder are shown, which the user has
//! chosen, and only those that definitions name, that have names of sources, and that are small.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::reply::Refused;

/// The largest file that is shown.
const BYTES_MAX: u64 = 4 << 20;

/// How names of sources end.
const ENDINGS: [&str; 22] = [
    "c", "cc", "cpp", "cxx", "c++", "cu", "f", "f03", "f08", "f77", "f90", "f95", "for", "fpp",
    "ftn", "h", "hh", "hpp", "hxx", "i90", "inc", "inl",
];

/// The text of a file that a definition names.
///
/// # Errors
/// A sentence that says why it is not shown.
pub fn text(named: &str, folder: Option<&Path>) -> Result<String, Refused> {
    let missing = |why: &str| Refused::Missing(format!("{named}: {why}"));
    let path = Path::new(named);
    let ending = path.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase);
    if !ending.is_some_and(|it| ENDINGS.contains(&it.as_str())) {
        return Err(missing("this is not the name of a source"));
    }
    let choose = "name the folder of the sources: pompeii view --source DIR";
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    let folder = folder.ok_or_else(|| missing(&format!("the folder is not there; {choose}")))?;
    let found = find(path, &folder);
    let found =
        found.ok_or_else(|| missing(&format!("not found below {}; {choose}", folder.display())))?;
    let facts = fs::metadata(&found).map_err(|error| missing(&error.to_string()))?;
    if !facts.is_file() || facts.len() > BYTES_MAX {
        return Err(missing("it is no regular file, or larger than 4 MB"));
    }
    let mut bytes = Vec::new();
    let read = File::open(&found).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    read.map_err(|error| missing(&error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The file below the folder: by its whole name, or without folders in front of it, as the program
/// may have been compiled elsewhere. Links that lead out of the folder are not followed.
fn find(named: &Path, folder: &Path) -> Option<PathBuf> {
    let is_below = |path: PathBuf| {
        let real = path.canonicalize().ok()?;
        real.starts_with(folder).then_some(real)
    };
    if named.is_absolute()
        && let Some(found) = is_below(named.to_owned())
    {
        return Some(found);
    }
    let parts: Vec<Component> = named
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .collect();
    (0..parts.len()).find_map(|skipped| {
        let rest: PathBuf = parts[skipped..].iter().collect();
        is_below(folder.join(rest))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_sources_below_the_folder_are_shown() {
        let place = tempfile::tempdir().unwrap();
        let (inside, outside) = (place.path().join("in"), place.path().join("out"));
        fs::create_dir_all(inside.join("src/deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(inside.join("src/a.c"), "a\u{e4}").unwrap();
        fs::write(inside.join("src/deep/b.F90"), b"b\xff").unwrap();
        fs::write(inside.join("key"), "secret").unwrap();
        fs::write(outside.join("c.c"), "secret").unwrap();
        fs::write(inside.join("large.c"), vec![b' '; BYTES_MAX as usize + 1]).unwrap();
        fs::create_dir(inside.join("folder.c")).unwrap();
        symlink(outside.join("c.c"), inside.join("link.c")).unwrap();
        symlink(inside.join("key"), inside.join("link.h")).unwrap();
        let of = |named: &str| text(named, Some(&inside));
        assert_eq!(of("src/a.c"), Ok("a\u{e4}".to_owned()));
        assert_eq!(of("/home/other/project/src/a.c"), Ok("a\u{e4}".to_owned()));
        assert_eq!(of("../x/src/a.c"), Ok("a\u{e4}".to_owned()));
        assert_eq!(of(inside.join("src/a.c").to_str().unwrap()), Ok("a\u{e4}".to_owned()));
        assert!(of("deep/b.F90").is_err(), "the folder src is not known");
        assert_eq!(of("src/deep/b.F90"), Ok("b\u{fffd}".to_owned()));
        let absolute = outside.join("c.c");
        for wrong in [
            "key",
            "src/key",
            "../out/c.c",
            "../../out/c.c",
            absolute.to_str().unwrap(),
            "link.c",
            "large.c",
            "folder.c",
            "nosuch.c",
            "",
            "/",
            "..",
            "../key",
            "/etc/passwd",
            ".c",
        ] {
            let error = of(wrong).unwrap_err();
            assert!(matches!(error, Refused::Missing(_)), "{wrong}");
        }
        assert!(text("src/a.c", None).is_err());
        // A link inside leads to a file inside; its own name is that of a source.
        assert_eq!(of("link.h"), Ok("secret".to_owned()));
    }
}
