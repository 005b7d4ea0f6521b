//! The same report once more. What this crate has written comes out byte for byte; what others
//! have written comes out in this crate's form, with the same definitions, files and values.

use crate::error::Result;
use crate::reader::Reader;
use crate::tar::Target;
use crate::writer::Writer;

/// Writes the report of `reader` to `out`: files first, then the metrics in the order in which they
/// are stored, compressed and in the byte order as they are.
///
/// # Errors
/// Damage of the report, a report that contradicts itself, and what the system says.
pub fn copy<W: Target>(reader: &Reader, out: W) -> Result<W> {
    let report = reader.report();
    let mut writer = Writer::new(out, report, reader.write_options()?)?;
    for name in reader.files() {
        if let Some(content) = reader.file(name)? {
            writer.file(name, &content)?;
        }
    }
    for metric in reader.stored_metrics() {
        let values = reader.values(metric)?;
        for call_path in writer.row_order(metric)? {
            if let Some(row) = values.row(call_path)? {
                writer.raw_row(metric, call_path, row.bytes())?;
            }
        }
    }
    writer.finish()
}
