//! The unit that OPARI2's users generate when they link: `POMP2_Init_regions` and its company,
//! which call the initialisation functions of all instrumented objects. Measurement libraries
//! written for OPARI2 ask for them; ours does not.
//!
//! The functions are found by their names in the symbol tables of what is linked, as OPARI2's own
//! script does, so objects of both instrumenters go together. `nm` reads the tables, because it
//! also knows objects of link-time optimisation.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::compiler::CommandLine;
use crate::workplace::Workplace;

/// Initialisation functions: name, and the number of regions at its end.
#[derive(Debug, Default, PartialEq)]
struct Found {
    /// Of OpenMP regions.
    regions: BTreeMap<String, u64>,
    /// Of user regions.
    user_regions: BTreeMap<String, u64>,
    /// The unit is among the objects already.
    has_unit: bool,
}

impl Found {
    /// Notes a symbol, if it is one of these functions.
    fn symbol(&mut self, name: &str) {
        self.has_unit |= name == "POMP2_Init_regions";
        let lower = name.to_ascii_lowercase();
        let of = |prefix: &str| {
            let (_, count) = lower.strip_prefix(prefix)?.split_once('_')?;
            count.trim_end_matches('_').parse().ok().filter(|count| *count > 0)
        };
        if let Some(count) = of("pomp2_init_reg_") {
            self.regions.insert(name.to_owned(), count);
        } else if let Some(count) = of("pomp2_user_init_reg_") {
            self.user_regions.insert(name.to_owned(), count);
        }
    }

    /// Notes the functions that a source text defines.
    fn text(&mut self, text: &[u8]) {
        for prefix in ["POMP2_Init_reg_", "POMP2_USER_Init_reg_"] {
            for at in memchr::memmem::find_iter(text, prefix) {
                let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                let length = text[at..].iter().take_while(word).count();
                self.symbol(&String::from_utf8_lossy(&text[at..at + length]));
            }
        }
    }

    /// The text of the unit.
    fn unit(&self) -> String {
        let mut text = String::new();
        for (prefix, functions) in [("POMP2_", &self.regions), ("POMP2_USER_", &self.user_regions)]
        {
            for name in functions.keys() {
                let _ = writeln!(text, "extern void {name}(void);");
            }
            let _ = writeln!(text, "void {prefix}Init_regions(void) {{");
            for name in functions.keys() {
                let _ = writeln!(text, "  {name}();");
            }
            let count: u64 = functions.values().sum();
            let _ = writeln!(text, "}}\nunsigned long {prefix}Get_num_regions(void) {{");
            let _ = writeln!(text, "  return {count};\n}}");
        }
        let version = concat!("pompeii ", env!("CARGO_PKG_VERSION"));
        let _ = writeln!(text, "const char *POMP2_Get_opari2_version(void) {{");
        let _ = writeln!(text, "  return \"{version}\";\n}}");
        text
    }
}

/// The object of the unit for a command that links; `None` where the command links one already.
/// `texts` are those of instrumented sources that the same command compiles.
///
/// # Errors
/// Where `nm` or the compiler fails.
pub fn unit<'a>(
    line: &CommandLine,
    texts: impl Iterator<Item = &'a [u8]>,
    workplace: &Workplace,
) -> Result<Option<PathBuf>> {
    let mut found = Found::default();
    texts.for_each(|text| found.text(text));
    for file in linked_files(line) {
        symbols(line, &file)?.lines().for_each(|symbol| found.symbol(symbol));
    }
    if found.has_unit {
        return Ok(None);
    }
    let source = workplace.write("pomp2_init.c", found.unit().as_bytes())?;
    let object = source.with_extension("o");
    let mut compile = Command::new(&line.words[0]);
    compile.args(&line.words[1..=line.compiler]);
    compile.args(["-x", "c", "-fPIC", "-c"]).arg(&source).arg("-o").arg(&object);
    output(&mut compile)?;
    Ok(Some(object))
}

/// Objects, archives and shared objects that the command names.
fn linked_files(line: &CommandLine) -> Vec<PathBuf> {
    let words = line.argument_texts();
    let folders: Vec<&OsStr> = line.values("-L").collect();
    let library = |name: &str| {
        let files = [format!("lib{name}.so"), format!("lib{name}.a")];
        let mut paths = folders
            .iter()
            .flat_map(|folder| files.iter().map(move |file| Path::new(folder).join(file)));
        paths.find(|path| path.is_file())
    };
    let given = &line.words[line.words.len() - words.len()..];
    let files = words.iter().zip(given).filter_map(|(word, given)| match word.strip_prefix("-l") {
        Some(name) => library(name),
        None if word.starts_with('-') => None,
        None => Some(PathBuf::from(given)),
    });
    files.filter(|path| has_symbols(path)).collect()
}

/// Whether a file begins like an object, an archive, or intermediate code of LLVM.
fn has_symbols(path: &Path) -> bool {
    let mut begin = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && [*b"\x7fELF", *b"!<ar", *b"BC\xc0\xde"].contains(&begin)
}

/// The names of what a file defines.
fn symbols(line: &CommandLine, file: &Path) -> Result<String> {
    let shared = file.to_string_lossy().contains(".so");
    let options: &[&str] = if shared { &["-D"] } else { &[] };
    let mut last = None;
    for nm in readers(line) {
        let mut command = Command::new(&nm);
        command.args(["--defined-only", "--extern-only", "--format=just-symbols"]).args(options);
        match output(command.arg(file)) {
            Ok(text) => return Ok(text),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("`nm` not found: install binutils")))
}

/// Programs that list symbols: first the one that belongs to the compiler and knows its
/// intermediate code.
fn readers(line: &CommandLine) -> Vec<String> {
    let compiler = line.program_text();
    let own = match compiler.contains("clang") {
        true => {
            let mut ask = Command::new(compiler);
            let answer = ask.arg("-print-prog-name=llvm-nm").output().ok();
            answer.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned())
        }
        false => Some("gcc-nm".to_owned()),
    };
    own.into_iter().filter(|name| !name.is_empty()).chain(["nm".to_owned()]).collect()
}

/// What a command writes to standard output.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("`{name}` fails on the unit that initialises POMP2's handles:\n{}", messages.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::Found;

    #[test]
    fn the_unit_calls_what_the_objects_define() {
        let mut found = Found::default();
        found.text(b"void POMP2_Init_reg_77_2(void);void POMP2_Init_reg_77_2(void){}");
        for name in [
            "main",
            "POMP2_Init_reg_4dk17ac0_3",
            "pomp2_init_reg_t070rupso7tsd_2_",
            "pomp2_user_init_reg_t070rupso7tsd_1__",
            "POMP2_Init_reg_4dk17ac0_0",
            "my_POMP2_Init_reg_4dk17ac0_3",
        ] {
            found.symbol(name);
        }
        expect![[r#"
            extern void POMP2_Init_reg_4dk17ac0_3(void);
            extern void POMP2_Init_reg_77_2(void);
            extern void pomp2_init_reg_t070rupso7tsd_2_(void);
            void POMP2_Init_regions(void) {
              POMP2_Init_reg_4dk17ac0_3();
              POMP2_Init_reg_77_2();
              pomp2_init_reg_t070rupso7tsd_2_();
            }
            unsigned long POMP2_Get_num_regions(void) {
              return 7;
            }
            extern void pomp2_user_init_reg_t070rupso7tsd_1__(void);
            void POMP2_USER_Init_regions(void) {
              pomp2_user_init_reg_t070rupso7tsd_1__();
            }
            unsigned long POMP2_USER_Get_num_regions(void) {
              return 1;
            }
            const char *POMP2_Get_opari2_version(void) {
              return "pompeii 0.1.0";
            }
        "#]]
        .assert_eq(&found.unit());
        assert!(!found.has_unit);
        found.symbol("POMP2_Init_regions");
        assert!(found.has_unit);
    }
}
