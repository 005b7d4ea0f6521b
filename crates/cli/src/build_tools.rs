//! Programs that start compilers and are none, such as make. After `pompeii compile --` such a
//! command would build the program without measurement, and take the library for a target.
//!
//! To teach another one: a row of the table.

use anyhow::{Result, bail};

use crate::compiler::words::base_name;

/// How a build is given the drop-in compilers.
#[derive(Clone, Copy)]
enum Way {
    /// In the command itself.
    Arguments,
    /// In variables of the command that configures.
    Variables,
    /// A build that is configured already keeps its compilers.
    ConfiguredBefore,
}

const TOOLS: [(&str, Way); 13] = [
    ("make", Way::Arguments),
    ("gmake", Way::Arguments),
    ("bmake", Way::Arguments),
    ("scons", Way::Arguments),
    ("configure", Way::Variables),
    ("cmake", Way::Variables),
    ("meson", Way::Variables),
    ("bazel", Way::Variables),
    ("pip", Way::Variables),
    ("pip3", Way::Variables),
    ("spack", Way::Variables),
    ("ninja", Way::ConfiguredBefore),
    ("ninja-build", Way::ConfiguredBefore),
];

/// # Errors
/// The command's first word is such a program.
pub fn refuse(words: &[String]) -> Result<()> {
    let Some(tool) = words.first() else { return Ok(()) };
    let Some((_, way)) = TOOLS.iter().find(|(name, _)| *name == base_name(tool)) else {
        return Ok(());
    };
    let compilers = "CC=pompeii-gcc CXX=pompeii-g++ FC=pompeii-gfortran";
    let given = words.join(" ");
    let instead = match way {
        Way::Arguments => format!("{given} {compilers}"),
        Way::Variables => format!("{compilers} {given}"),
        Way::ConfiguredBefore => {
            format!("configure the build anew with {compilers}, then {given}")
        }
    };
    bail!(
        "`{tool}` starts compilers and is none; expected a compiler, such as gcc, after `--`\n  \
         give the build the drop-in compilers, which `pompeii wrappers` creates: {instead}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(command: &str) -> Option<String> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        refuse(&words).err().map(|error| error.to_string())
    }

    #[test]
    fn what_starts_compilers_is_none() {
        for (command, instead) in [
            ("/usr/bin/make -j all", "/usr/bin/make -j all CC=pompeii-gcc CXX="),
            ("./configure", "FC=pompeii-gfortran ./configure"),
            ("ninja -C build", "configure the build anew with CC=pompeii-gcc"),
        ] {
            let message = refused(command).unwrap_or_default();
            assert!(message.contains(instead), "{command}: {message}");
        }
    }

    #[test]
    fn compilers_and_their_wrappers_pass() {
        for command in ["gcc make.c", "ccache gcc a.c", "./my-cc a.c", "libtool --mode=link gcc"] {
            assert_eq!(refused(command), None);
        }
    }
}
