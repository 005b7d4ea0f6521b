//! The version of the C library that an executable or a shared library needs: the highest one of
//! its symbols.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// The version of the oldest systems that clusters have: that of CentOS 7.
pub const HIGHEST: (u32, u32) = (2, 17);

/// Fails if a file needs a later version.
pub fn check(file: &Path) -> Result<()> {
    let mut readelf = Command::new("readelf");
    let versions = shell::output(readelf.args(["--wide", "--version-info"]).arg(file))?;
    let name = file.display();
    let needed = highest(&versions).with_context(|| format!("{name} names no version of glibc"))?;
    ensure!(
        needed <= HIGHEST,
        "{name} needs glibc {}.{}; at most {}.{} is allowed",
        needed.0,
        needed.1,
        HIGHEST.0,
        HIGHEST.1
    );
    println!("{name} needs glibc {}.{}", needed.0, needed.1);
    Ok(())
}

/// The highest version in what `readelf --version-info` prints.
fn highest(versions: &str) -> Option<(u32, u32)> {
    let names = versions.split("GLIBC_").skip(1);
    let version = |text: &str| {
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    names.filter_map(version).max()
}

#[cfg(test)]
mod tests {
    use super::highest;

    #[test]
    fn versions_are_compared_as_numbers() {
        let text = "
  000000: Version: 1  File: libc.so.6  Cnt: 3
  0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 4
  0x0020:   Name: GLIBC_2.17  Flags: none  Version: 3
  0x0030:   Name: GLIBC_2.9  Flags: none  Version: 2
  0x0040:   Name: GLIBC_PRIVATE  Flags: none  Version: 2";
        assert_eq!(highest(text), Some((2, 17)));
        assert_eq!(highest("Name: GCC_3.0"), None);
    }
}
