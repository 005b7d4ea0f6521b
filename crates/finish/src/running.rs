//! Whether the process that writes live state is still at it. Making an experiment of that would
//! take its files away, so whoever opens an experiment has to ask first.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use pompeii_live::{LiveProcess, PROCESS_FILE};

/// What can be known about the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// It has ended, or has become another program.
    No,
    /// It is running.
    Yes,
    /// It is, or was, on another host, and has not said that it ends.
    Elsewhere,
}

/// Whether the process is running that has left `live` in this folder.
pub fn of(live: &LiveProcess, folder: &Path) -> Running {
    if live.pid == u64::from(std::process::id()) {
        return Running::No;
    }
    if !is_here(&live.host) {
        return if live.noted_end.is_none() { Running::Elsewhere } else { Running::No };
    }
    // Names of files in it may be of any bytes.
    let maps = fs::read(format!("/proc/{}/maps", live.pid)).unwrap_or_default();
    let maps = String::from_utf8_lossy(&maps);
    match fs::metadata(folder.join(PROCESS_FILE)) {
        Ok(file) if has_mapped(&maps, file.ino()) => Running::Yes,
        _ => Running::No,
    }
}

fn is_here(host: &str) -> bool {
    // The runtime cuts it to 63 bytes, as gethostname does.
    let here = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    here.trim().bytes().take(63).eq(host.bytes())
}

/// Whether `/proc/PID/maps` has a file with this inode that is called as the header of live state
/// is: `address permissions offset device inode path`.
fn has_mapped(maps: &str, inode: u64) -> bool {
    let inode = inode.to_string();
    maps.lines().any(|line| {
        let mut words = line.split_ascii_whitespace();
        words.nth(4) == Some(&inode)
            && words.next_back().is_some_and(|path| path.contains("process"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
7f00-7f01 rw-s 00000000 fe:00 4711                       /tmp/exp/live/process
7f02-7f03 r-xp 00000000 fe:00 4712                       /usr/lib/libc.so.6
7f04-7f05 rw-p 00000000 00:00 0
";

    #[test]
    fn the_header_is_known_by_its_inode_and_name() {
        assert!(has_mapped(MAPS, 4711));
        assert!(!has_mapped(MAPS, 4712));
        assert!(!has_mapped(MAPS, 0));
        assert!(!has_mapped("", 4711));
    }
}
