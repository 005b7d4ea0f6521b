//! Makes a file of any report: Cube 4, or Cube 3 where the name says so.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use pompeii_cubex::{Cube3Writer, Error, MetricKind, Result, Value, WriteOptions, Writer};

use crate::rows::Rows;
use crate::severity::{Mode, severity};

/// Writes `rows` to `path`: a name that ends in `.cube` or `.cube.gz` makes it Cube 3, any other
/// Cube 4. The file is there when it is whole: it may have the name of one that `rows` are read
/// from. Returns what could not be kept, in sentences for the user.
///
/// # Errors
/// Damage of the operands, and what the system says.
pub fn write(rows: &dyn Rows, path: &Path, options: WriteOptions) -> Result<Vec<String>> {
    let name = path.file_name().unwrap_or_default();
    let text = name.to_string_lossy().to_lowercase();
    let packed = text.ends_with(".cube.gz");
    let mut unfinished: OsString = ".unfinished-".into();
    unfinished.push(name);
    let unfinished = Unfinished(path.with_file_name(unfinished));
    let notes = if packed || text.ends_with(".cube") {
        cube3(rows, &unfinished.0)?
    } else {
        cube4(rows, &unfinished.0, options)?;
        Vec::new()
    };
    fs::rename(&unfinished.0, path).map_err(|source| Error::Io {
        action: format!("rename {} to {}", unfinished.0.display(), path.display()),
        source,
    })?;
    Ok(notes)
}

/// A file that is removed unless it has been renamed.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn cube4(rows: &dyn Rows, path: &Path, options: WriteOptions) -> Result<()> {
    let report = rows.report();
    let mut writer = Writer::create(path, report, options)?;
    for name in rows.files() {
        if let Some(content) = rows.file(&name)? {
            writer.file(&name, &content)?;
        }
    }
    for (metric, definition) in report.metrics.iter() {
        if definition.kind.is_derived() {
            continue;
        }
        for call_path in writer.row_order(metric)? {
            if let Some(row) = rows.row(metric, call_path)? {
                writer.row(metric, call_path, &row)?;
            }
        }
    }
    writer.finish()?;
    Ok(())
}

fn cube3(rows: &dyn Rows, path: &Path) -> Result<Vec<String>> {
    let report = rows.report();
    let mut writer = Cube3Writer::create(path, report)?;
    let mut left_out = Vec::new();
    for (metric, definition) in report.metrics.iter() {
        if !Cube3Writer::<Vec<u8>>::can_hold(definition) {
            left_out.push(definition.unique_name.clone());
            continue;
        }
        for call_path in report.call_paths.ids() {
            let row = match definition.kind {
                MetricKind::Simple => rows.row(metric, call_path)?,
                _ => severity(rows, metric, call_path, Mode::Exclusive)?,
            };
            if let Some(row) = row.filter(|row: &Vec<Value>| !row.is_empty()) {
                writer.row(metric, call_path, &row)?;
            }
        }
    }
    writer.finish()?;
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        notes.push(format!("Cube 3 has no derived and no composite metrics: left out {names}"));
    }
    if !rows.files().is_empty() {
        notes.push("Cube 3 has no embedded files: they are left out".into());
    }
    Ok(notes)
}
