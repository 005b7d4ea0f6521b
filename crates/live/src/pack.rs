//! The live state of a process as one run of bytes: a process on another host makes files of it
//! again, of which an experiment is made there (`run --summary-only`).
//!
//! ```text
//! name of the process
//! for each file: its name, its size, bytes that follow, these bytes
//! ```
//! A text is its length in 4 bytes and its bytes, a number has 8 bytes, all little-endian. Mapped
//! files end with room for what comes, so the zeros at the end of a file are left out.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path};

/// All regular files in `live`, as bytes; `name` is that of the process.
///
/// # Errors
/// What cannot be read, or that there is no memory.
pub fn pack(live: &Path, name: &str) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    put_text(&mut packed, name);
    for entry in fs::read_dir(live)? {
        let entry = entry?;
        let Some(file) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if !entry.file_type()?.is_file() {
            continue;
        }
        let bytes = fs::read(entry.path())?;
        let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        // Names and numbers take little.
        packed.try_reserve(used + 1024)?;
        put_text(&mut packed, &file);
        for number in [bytes.len(), used] {
            packed.extend((number as u64).to_le_bytes());
        }
        packed.extend(&bytes[..used]);
    }
    Ok(packed)
}

fn put_text(packed: &mut Vec<u8>, text: &str) {
    packed.extend((text.len() as u32).to_le_bytes());
    packed.extend(text.as_bytes());
}

/// Writes the files into `processes/NAME/live`. If there is such a process already, a number
/// follows the name.
///
/// # Errors
/// What cannot be written, or that the bytes are damaged.
pub fn unpack(packed: &[u8], processes: &Path) -> io::Result<()> {
    let mut rest = packed;
    let name = take_name(&mut rest)?;
    fs::create_dir_all(processes)?;
    let numbered = |number: u32| match number {
        1 => processes.join(name),
        _ => processes.join(format!("{name}-{number}")),
    };
    let mut number = 1;
    while let Err(error) = fs::create_dir(numbered(number)) {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return Err(error);
        }
        number += 1;
    }
    let live = numbered(number).join("live");
    fs::create_dir(&live)?;
    while !rest.is_empty() {
        let file = take_name(&mut rest)?;
        let [size, used] = [take_number(&mut rest)?, take_number(&mut rest)?];
        let bytes = take(&mut rest, usize::try_from(used).unwrap_or(usize::MAX))?;
        let mut file = File::create(live.join(file))?;
        file.write_all(bytes)?;
        file.set_len(size.max(used))?;
    }
    Ok(())
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> io::Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(bytes).ok_or_else(damaged)?;
    *rest = left;
    Ok(taken)
}

fn take_number(rest: &mut &[u8]) -> io::Result<u64> {
    let bytes = take(rest, size_of::<u64>())?;
    bytes.try_into().map(u64::from_le_bytes).map_err(|_| damaged())
}

/// A name of a file that is not a path.
fn take_name<'a>(rest: &mut &'a [u8]) -> io::Result<&'a str> {
    let bytes = take(rest, size_of::<u32>())?;
    let length = bytes.try_into().map(u32::from_le_bytes).map_err(|_| damaged())?;
    let text = str::from_utf8(take(rest, length as usize)?).map_err(|_| damaged())?;
    let mut parts = Path::new(text).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == text => Ok(text),
        _ => Err(damaged()),
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what another process has sent is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, sizes and contents of the files in a folder, in the order of their names.
    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let read = |entry: fs::DirEntry| {
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        };
        let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|it| read(it.unwrap())).collect();
        all.sort();
        all
    }

    /// Live state of three files, and its bytes.
    fn packed(folder: &Path) -> Vec<u8> {
        let live = folder.join("live");
        fs::create_dir(&live).unwrap();
        fs::write(live.join("process"), b"header\0\0\0").unwrap();
        fs::write(live.join("0.loc"), vec![0; 4096]).unwrap();
        fs::write(live.join("empty"), b"").unwrap();
        std::os::unix::fs::symlink("/etc", live.join("spill")).unwrap();
        pack(&live, "here-7-ocean").unwrap()
    }

    #[test]
    fn files_come_back_with_their_sizes_and_links_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = packed(folder.path());
        // Four lengths and the texts here-7-ocean, process, 0.loc and empty; three times two
        // numbers; `header`.
        assert_eq!(bytes.len(), 4 * 4 + 12 + 7 + 5 + 5 + 3 * 16 + 6);
        let processes = folder.path().join("procs");
        unpack(&bytes, &processes).unwrap();
        unpack(&bytes, &processes).unwrap();
        let expected = [
            ("0.loc".to_owned(), vec![0; 4096]),
            ("empty".to_owned(), Vec::new()),
            ("process".to_owned(), b"header\0\0\0".to_vec()),
        ];
        for name in ["here-7-ocean", "here-7-ocean-2"] {
            assert_eq!(files(&processes.join(name).join("live")), expected);
        }
    }

    #[test]
    fn bytes_that_are_cut_are_an_error_or_whole_files() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = packed(folder.path());
        let whole = (0..bytes.len())
            .filter(|&length| unpack(&bytes[..length], &folder.path().join("procs")).is_ok())
            .count();
        // After the name, and after each of the first two files.
        assert_eq!(whole, 3);
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", ".", "..", "/etc", "a/b", "a/"] {
            let mut bytes = Vec::new();
            put_text(&mut bytes, name);
            let error = unpack(&bytes, &folder.path().join("procs")).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{name}");
        }
        assert!(!folder.path().join("procs").exists());
    }
}
