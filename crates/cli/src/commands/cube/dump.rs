//! `pompeii cube dump`: every value, as text.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{
    CallPathChoice, DumpFormat, DumpOptions, Input, Locations, Mode, Pattern, Rows, choose_metrics,
};

use super::operand::{Operand, list, named};
use crate::terminal::Lines;

/// Options of `cube dump`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube dump before                              all values, as tables
    pompeii cube dump before -m time -c roots -t aggr     the sum of the roots
    pompeii cube dump before -m time -x incl -s csv > time.csv
    pompeii cube dump before -m time -c 'name=solve*' -t 0-3 -s gnuplot > time.dat")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Unique names of metrics; may contain * and ? [default: all]
    #[arg(short, long, value_name = "LIST")]
    metrics: Vec<String>,
    /// Call paths: all, roots, leaves, numbers (0,3-5), level=N, level<N, level>N, name=REGION
    #[arg(short, long, value_name = "CHOICE", default_value = "all", value_parser = call_paths)]
    call_paths: CallPathChoice,
    /// Threads: all, aggr (all together), or numbers (0,3-5)
    #[arg(short, long, value_name = "CHOICE", default_value = "all", value_parser = locations)]
    threads: Locations,
    /// Values of a call path with or without its callees
    #[arg(short = 'x', long, value_enum, default_value_t = Form::Excl)]
    calls: Form,
    /// Values of a metric with or without the metrics below it
    #[arg(short = 'z', long, value_enum, default_value_t = Form::Incl)]
    below: Form,
    /// Output format
    #[arg(short = 's', long, value_enum, default_value_t = Style::Human)]
    style: Style,
    /// The same as --style json: one object per line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Included
    Incl,
    /// Excluded
    Excl,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Style {
    /// A table per metric
    Human,
    /// A line per metric and call path, a column per thread
    Csv,
    /// A line per call path and thread, a column per metric
    Csv2,
    /// Blocks of `call-path thread value`
    Gnuplot,
    /// A line per value, with a head line, for read.table
    R,
    /// An object per metric and call path
    Json,
}

fn call_paths(text: &str) -> Result<CallPathChoice, String> {
    let level = |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is not a number"));
    Ok(match text {
        "all" => CallPathChoice::All,
        "roots" => CallPathChoice::Roots,
        "leaves" | "leafes" => CallPathChoice::Leaves,
        _ => {
            if let Some(name) = text.strip_prefix("name=") {
                CallPathChoice::Named(Pattern::new(name))
            } else if let Some(number) = text.strip_prefix("level=") {
                CallPathChoice::Level(level(number)?)
            } else if let Some(number) = text.strip_prefix("level<") {
                CallPathChoice::AboveLevel(level(number)?)
            } else if let Some(number) = text.strip_prefix("level>") {
                CallPathChoice::BelowLevel(level(number)?)
            } else {
                CallPathChoice::Numbers(text.parse()?)
            }
        }
    })
}

fn locations(text: &str) -> Result<Locations, String> {
    Ok(match text {
        "all" => Locations::All,
        "aggr" => Locations::Together,
        _ => Locations::Numbers(text.parse()?),
    })
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let style = if arguments.json { Style::Json } else { arguments.style };
    let json = matches!(style, Style::Json);
    let reader = arguments.report.open_to_print(json)?;
    let input = Input::new(&reader);
    let options = DumpOptions {
        metrics: choose_metrics(input.report(), &list(&arguments.metrics, json))?,
        call_paths: match &arguments.call_paths {
            CallPathChoice::Named(name) => {
                CallPathChoice::Named(Pattern::new(named(name.text(), json)))
            }
            other => other.clone(),
        },
        locations: arguments.threads.clone(),
        mode: if arguments.calls == Form::Incl { Mode::Inclusive } else { Mode::Exclusive },
        metric_exclusive: arguments.below == Form::Excl,
        format: match style {
            Style::Human => DumpFormat::Human,
            Style::Csv => DumpFormat::Csv,
            Style::Csv2 => DumpFormat::Csv2,
            Style::Gnuplot => DumpFormat::Gnuplot,
            Style::R => DumpFormat::R,
            Style::Json => DumpFormat::Json,
        },
    };
    let mut out = Lines { json, out: BufWriter::new(std::io::stdout().lock()) };
    pompeii_algebra::dump(&input, &options, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
