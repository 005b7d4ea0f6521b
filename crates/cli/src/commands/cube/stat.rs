//! `pompeii cube stat`: statistics over processes and threads, or the most expensive regions.

use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_algebra::{
    Input, Pattern, Rows, StatisticsOptions, choose_metrics, statistics, statistics_csv,
    statistics_text, top_regions,
};

use super::operand::{Operand, list, print_json};
use crate::output::print;

/// Options of `cube stat`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube stat before -m time,visits               each region, over all threads
    pompeii cube stat before -m time -r 'solve*' --call-paths
    pompeii cube stat before -t 10                        the ten regions that take most time
    pompeii cube stat before -m time --csv > time.csv")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Unique names of metrics; may contain * and ? [default: all; with --top: time]
    #[arg(short, long, value_name = "LIST")]
    metrics: Vec<String>,
    /// Names of regions; may contain * and ? [default: all]
    #[arg(short, long, value_name = "LIST")]
    routines: Vec<String>,
    /// Print one line per call path instead of per region
    #[arg(short, long)]
    call_paths: bool,
    /// Print the N regions with the largest values of the metric, and their visits
    #[arg(short, long, value_name = "N")]
    top: Option<usize>,
    /// Print comma-separated values with all digits instead of a table
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let reader = arguments.report.open_to_print(arguments.json)?;
    let input = Input::new(&reader);
    match arguments.top {
        Some(count) => top(arguments, &input, count)?,
        None => spread(arguments, &input)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn top(arguments: &Arguments, input: &Input<'_>, count: usize) -> Result<()> {
    let mut names = list(&arguments.metrics, arguments.json);
    if names.is_empty() {
        names.push("time".into());
    }
    let metric = *choose_metrics(input.report(), &names)?.first().context("no metric")?;
    let found = top_regions(input, metric, count)?;
    match (arguments.json, arguments.csv) {
        (true, _) => print_json(&found),
        (_, true) => print(&found.csv()),
        _ => print(&found.text()),
    }
}

fn spread(arguments: &Arguments, input: &Input<'_>) -> Result<()> {
    let json = arguments.json;
    let options = StatisticsOptions {
        metrics: choose_metrics(input.report(), &list(&arguments.metrics, json))?,
        regions: list(&arguments.routines, json).into_iter().map(Pattern::new).collect(),
        by_call_path: arguments.call_paths,
    };
    let found = statistics(input, &options)?;
    match (arguments.json, arguments.csv) {
        (true, _) => print_json(&found),
        (_, true) => print(&statistics_csv(&found)),
        _ => print(&statistics_text(&found)),
    }
}
