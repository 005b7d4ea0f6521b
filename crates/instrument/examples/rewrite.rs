//! Instruments one file to standard output, for trying things out and for tests.
//!
//! `cargo run -p pompeii-instrument --example rewrite -- FILE` (`--undo FILE` restores).

use pompeii_instrument::{Language, Options, instrument, undo};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [flag, path] if flag == "--undo" => read(path).and_then(|text| undo(&text).map_err(show)),
        [path] => rewrite(path),
        _ => Err("usage: rewrite [--undo] FILE".to_owned()),
    };
    match result.and_then(|text| std::io::stdout().write_all(&text).map_err(show)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "{message}");
            ExitCode::FAILURE
        }
    }
}

fn rewrite(path: &str) -> Result<Vec<u8>, String> {
    let language = Language::from_path(path).ok_or_else(|| format!("{path}: unknown suffix"))?;
    let outcome = instrument(&read(path)?, &Options::new(path, language))
        .map_err(|error| format!("{path}: {error}"))?;
    let mut log = std::io::stderr();
    for diagnostic in &outcome.diagnostics {
        let (line, message) = (diagnostic.line, &diagnostic.message);
        writeln!(log, "{path}:{line}: {:?}: {message}", diagnostic.severity).map_err(show)?;
    }
    Ok(outcome.text)
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{path}: {error}"))
}

fn show(error: impl ToString) -> String {
    error.to_string()
}
