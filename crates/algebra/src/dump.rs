//! Every value as text: for people, for spreadsheets, for plotting.

use std::io::{self, Write};
use std::slice;

use pompeii_cubex::{CallPathId, Error, Id, LocationId, MetricId, Report, Result, Value};

use crate::arithmetic::{is_zero, number, show, subtract, zero};
use crate::rows::Rows;
use crate::select::{Pattern, Ranges, choose_call_paths, depths, indent};
use crate::severity::{Mode, severity, total};
use crate::statistics::path;
use crate::table::{Table, csv};

/// How values are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DumpFormat {
    /// A table per metric.
    #[default]
    Human,
    /// One line per metric and call path, one column per location.
    Csv,
    /// One line per call path and location, one column per metric; lines of zeros are left out.
    Csv2,
    /// Per metric a block of lines `call-path location value`, as `splot` and `matrix` want them.
    Gnuplot,
    /// One JSON object per line, of a metric and a call path; composite values are texts.
    Json,
    /// A table that R's `read.table(header=TRUE)` reads: one line per value.
    R,
}

/// Which call paths.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum CallPathChoice {
    /// All, parents first.
    #[default]
    All,
    /// Those without a parent.
    Roots,
    /// Those without children.
    Leaves,
    /// Those with so many above them.
    Level(usize),
    /// Those with fewer above them.
    AboveLevel(usize),
    /// Those with more above them.
    BelowLevel(usize),
    /// Those with these numbers.
    Numbers(Ranges),
    /// Those whose region has a name like this.
    Named(Pattern),
}

/// Which locations.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Locations {
    /// All.
    #[default]
    All,
    /// Those with these numbers.
    Numbers(Ranges),
    /// All together, as the metric aggregates.
    Together,
}

/// What to dump.
#[derive(Clone, Debug, Default)]
pub struct DumpOptions {
    /// The metrics.
    pub metrics: Vec<MetricId>,
    /// The call paths.
    pub call_paths: CallPathChoice,
    /// The locations.
    pub locations: Locations,
    /// With or without what is called.
    pub mode: Mode,
    /// True to subtract from a metric what its children in the metric tree have.
    pub metric_exclusive: bool,
    /// The form.
    pub format: DumpFormat,
}

/// Writes the chosen values to `out`, one row at a time.
///
/// # Errors
/// A choice that fits nothing, damage of the file that the values come from, and what `out` says.
pub fn dump(rows: &dyn Rows, options: &DumpOptions, out: &mut dyn Write) -> Result<()> {
    let dump = Dump { rows, options, call_paths: chosen(rows.report(), &options.call_paths)? };
    check_locations(rows.report(), &options.locations)?;
    match options.format {
        DumpFormat::Human => dump.human(out),
        DumpFormat::Csv => dump.csv(out),
        DumpFormat::Csv2 => dump.csv2(out),
        DumpFormat::Gnuplot => dump.gnuplot(out),
        DumpFormat::Json => dump.json(out),
        DumpFormat::R => dump.r(out),
    }
}

fn chosen(report: &Report, choice: &CallPathChoice) -> Result<Vec<CallPathId>> {
    if let CallPathChoice::Named(pattern) = choice {
        choose_call_paths(report, slice::from_ref(pattern), "dump")?;
    }
    let tree = &report.call_paths;
    let depths = depths(tree);
    let fits = |&id: &CallPathId| {
        let depth = depths[id.index()];
        match choice {
            CallPathChoice::All => true,
            CallPathChoice::Roots => tree.parent(id).is_none(),
            CallPathChoice::Leaves => tree.children(id).is_empty(),
            CallPathChoice::Level(level) => depth == *level,
            CallPathChoice::AboveLevel(level) => depth < *level,
            CallPathChoice::BelowLevel(level) => depth > *level,
            CallPathChoice::Numbers(ranges) => ranges.contains(id.0.into()),
            CallPathChoice::Named(pattern) => pattern.matches_call_path(report, id),
        }
    };
    let chosen: Vec<CallPathId> = tree.preorder().into_iter().filter(fits).collect();
    if chosen.is_empty() && !tree.is_empty() {
        return Err(fits_none("call paths to dump", tree.len()));
    }
    Ok(chosen)
}

fn check_locations(report: &Report, choice: &Locations) -> Result<()> {
    let count = report.system.locations.len();
    match choice {
        Locations::Numbers(ranges) if !(0..count).any(|number| ranges.contains(number as i64)) => {
            Err(fits_none("threads to dump", count))
        }
        _ => Ok(()),
    }
}

/// A choice that fits none of `count` things, which are numbered from 0 on.
fn fits_none(what: &str, count: usize) -> Error {
    Error::Misuse {
        what: what.into(),
        expected: format!("some of the {count} that the report has, from 0 on"),
        found: "a choice that fits none".into(),
    }
}

fn line(out: &mut dyn Write, text: &str) -> Result<()> {
    let text = format!("{text}\n");
    out.write_all(text.as_bytes()).map_err(told)
}

fn told(source: io::Error) -> Error {
    Error::Io { action: "write the values".into(), source }
}

struct Dump<'a> {
    rows: &'a dyn Rows,
    options: &'a DumpOptions,
    call_paths: Vec<CallPathId>,
}

impl Dump<'_> {
    /// The names of the columns, and what one is called in ids.
    fn columns(&self) -> Vec<(String, String)> {
        let report = self.rows.report();
        let named = |id: LocationId| {
            let location = &report.system.locations[id];
            let group = &report.system.groups[location.group];
            (id.0.to_string(), format!("{}.{}", group.rank, location.rank))
        };
        match &self.options.locations {
            Locations::Together => vec![("all".to_owned(), "all".to_owned())],
            Locations::All => report.locations().map(named).collect(),
            Locations::Numbers(ranges) => {
                report.locations().filter(|id| ranges.contains(id.0.into())).map(named).collect()
            }
        }
    }

    /// The chosen values of a call path.
    fn row(&self, metric: MetricId, call_path: CallPathId) -> Result<Vec<Value>> {
        let report = self.rows.report();
        let data_type = &report.metrics[metric].data_type;
        let blank = || vec![zero(data_type); report.system.locations.len()];
        let mode = self.options.mode;
        let mut row = severity(self.rows, metric, call_path, mode)?.unwrap_or_else(blank);
        if self.options.metric_exclusive {
            for &child in report.metrics.children(metric) {
                let below = severity(self.rows, child, call_path, mode)?.unwrap_or_default();
                row.iter_mut().zip(&below).for_each(|(own, below)| *own = minus(own, below));
            }
        }
        Ok(match &self.options.locations {
            Locations::All => row,
            Locations::Together => vec![total(data_type, &row)],
            Locations::Numbers(ranges) => {
                let inside = |(index, _): &(usize, Value)| ranges.contains(*index as i64);
                row.into_iter().enumerate().filter(inside).map(|(_, value)| value).collect()
            }
        })
    }

    fn human(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.rows.report();
        let depths = depths(&report.call_paths);
        let mut head = vec!["Call path".to_owned(), "Id".to_owned()];
        head.extend(self.columns().into_iter().map(|(_, name)| name));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        for &metric in &self.options.metrics {
            let definition = &report.metrics[metric];
            let (name, unit) = (&definition.unique_name, &definition.unit);
            let (kind, data_type) = (definition.kind.name(), &definition.data_type);
            line(out, &format!("{name} [{unit}], {kind} {data_type}"))?;
            let mut table = Table::new(&head);
            for &call_path in &self.call_paths {
                let region = &report.regions[report.call_paths[call_path].region].name;
                let indent = indent(depths[call_path.index()]);
                let mut cells = vec![format!("{indent}{region}"), call_path.0.to_string()];
                cells.extend(self.row(metric, call_path)?.iter().map(show));
                table.row(cells);
            }
            line(out, &table.text())?;
        }
        Ok(())
    }

    fn csv(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.rows.report();
        let names: Vec<String> = self.columns().into_iter().map(|(id, _)| id).collect();
        line(out, &format!("metric,call path id,call path,{}", names.join(",")))?;
        for &metric in &self.options.metrics {
            for &call_path in &self.call_paths {
                let values: Vec<String> =
                    self.row(metric, call_path)?.iter().map(|value| csv(&show(value))).collect();
                let name = csv(&report.metrics[metric].unique_name);
                let path = csv(&path(report, call_path));
                line(out, &format!("{name},{},{path},{}", call_path.0, values.join(",")))?;
            }
        }
        Ok(())
    }

    fn csv2(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.rows.report();
        let metrics = &self.options.metrics;
        let names: Vec<String> =
            metrics.iter().map(|&id| csv(&report.metrics[id].unique_name)).collect();
        line(out, &format!("call path id,location id,{}", names.join(",")))?;
        for &call_path in &self.call_paths {
            let mut columns = Vec::new();
            for &metric in metrics {
                columns.push(self.row(metric, call_path)?);
            }
            for (index, (id, _)) in self.columns().iter().enumerate() {
                let values: Vec<&Value> = columns.iter().filter_map(|row| row.get(index)).collect();
                if values.iter().all(|value| is_zero(value)) {
                    continue;
                }
                let values: Vec<String> = values.into_iter().map(|v| csv(&show(v))).collect();
                line(out, &format!("{},{id},{}", call_path.0, values.join(",")))?;
            }
        }
        Ok(())
    }

    fn gnuplot(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.rows.report();
        for &metric in &self.options.metrics {
            line(
                out,
                &format!("# {}: call path, location, value", report.metrics[metric].unique_name),
            )?;
            for &call_path in &self.call_paths {
                let row = self.row(metric, call_path)?;
                for ((id, _), value) in self.columns().iter().zip(&row) {
                    // A plot of all locations together has them at 0.
                    let id = if id == "all" { "0" } else { id };
                    let value = number(value).map_or("NaN".to_owned(), |number| number.to_string());
                    line(out, &format!("{} {id} {value}", call_path.0))?;
                }
                line(out, "")?;
            }
            line(out, "")?;
        }
        Ok(())
    }

    fn json(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.rows.report();
        for &metric in &self.options.metrics {
            for &call_path in &self.call_paths {
                let value = |value: &Value| match value {
                    Value::Int(number) => serde_json::Value::from(*number),
                    Value::Uint(number) => serde_json::Value::from(*number),
                    Value::Double(number) => serde_json::Value::from(*number),
                    other => serde_json::Value::from(show(other)),
                };
                let values: Vec<serde_json::Value> =
                    self.row(metric, call_path)?.iter().map(value).collect();
                let object = serde_json::json!({
                    "metric": report.metrics[metric].unique_name,
                    "call_path": call_path.0,
                    "path": path(report, call_path),
                    "values": values,
                });
                line(out, &object.to_string())?;
            }
        }
        Ok(())
    }

    fn r(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.rows.report();
        line(out, "metric callpath location value")?;
        for &metric in &self.options.metrics {
            let name = report.metrics[metric].unique_name.replace('"', "'");
            for &call_path in &self.call_paths {
                let row = self.row(metric, call_path)?;
                for ((id, _), value) in self.columns().iter().zip(&row) {
                    let value = number(value).map_or("NA".to_owned(), |number| number.to_string());
                    line(out, &format!("\"{name}\" {} {id} {value}", call_path.0))?;
                }
            }
        }
        Ok(())
    }
}

/// The difference of numbers of any two types; what is no number stays as it is.
fn minus(own: &Value, below: &Value) -> Value {
    match (own, below) {
        (Value::Int(_), Value::Int(_)) | (Value::Uint(_), Value::Uint(_)) => subtract(own, below),
        _ => match (number(own), number(below)) {
            (Some(own), Some(below)) => Value::Double(own - below),
            _ => own.clone(),
        },
    }
}
