//! The folder that is installed, with the layout below a prefix: what `pompeii config --install`
//! makes, and what shells, `man` and environment modules read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{root, shell};

/// The name and the version, as folders have them.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the readers of the command line look, with the word of `pompeii completions`.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "share/bash-completion/completions"),
    ("zsh", "share/zsh/site-functions"),
    ("fish", "share/fish/vendor_completions.d"),
    ("man", "share/man/man1"),
];

/// The module file, from the prefix.
pub fn module() -> PathBuf {
    Path::new("share/modulefiles/pompeii").join(VERSION)
}

/// Makes the folder anew, with a name that says what it is. Returns its path.
pub fn make(pompeii: &Path, above: &Path) -> Result<PathBuf> {
    let _ = fs::remove_dir_all(above);
    let tree = above.join(format!("pompeii-{VERSION}-{}-linux", std::env::consts::ARCH));
    shell::run(Command::new(pompeii).args(["config", "--install"]).arg(&tree))?;
    let installed = tree.join("bin/pompeii");
    for (reader, folder) in COMPLETIONS {
        let mut completions = Command::new(&installed);
        shell::run(completions.args(["completions", reader, "--dir"]).arg(tree.join(folder)))?;
    }
    let text = fs::read_to_string(root().join("packaging/modulefile"))?;
    write(&tree.join(module()), &text.replace("@VERSION@", VERSION))?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        let text = fs::read_to_string(root().join(name)).context(name)?;
        write(&tree.join("share/doc/pompeii").join(name), &text)?;
    }
    Ok(tree)
}

/// Writes a file, and the folders around it.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let name = || path.display().to_string();
    fs::create_dir_all(path.parent().unwrap_or(path)).with_context(name)?;
    fs::write(path, text).with_context(name)
}
