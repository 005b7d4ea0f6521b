//! The processes beside each other: where each of them spends its time, so that the one that the
//! others wait for is seen at once.

use std::collections::BTreeMap;

use pompeii_analysis::{Lens, format};
use pompeii_model::{Cube, Id, LocationId, Process, Ticks};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Options;
use crate::json::nonzero;
use crate::layout::{Style, even, named, right};

/// A process in the machine-readable report. Seconds are sums over its threads.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonProcess {
    /// Its name.
    pub name: String,
    /// Its rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// Name of the host.
    pub node: String,
    /// How long it was observed; less than the run where it came later or left earlier.
    pub wall_s: f64,
    /// Its threads: indices into `locations` of the report.
    pub locations: Vec<usize>,
    /// Severities that are not 0, by name of the metric: seconds, or counts.
    pub metrics: BTreeMap<String, f64>,
}

/// All processes.
pub(crate) fn json_processes(cube: &Cube) -> Vec<JsonProcess> {
    let process = |(process, locations): (&Process, Vec<LocationId>)| JsonProcess {
        name: process.name.clone(),
        rank: process.rank,
        node: process.node.clone(),
        wall_s: cube.clock.seconds(process.wall_ticks),
        metrics: nonzero(cube, |metric| cube.shown_at(metric, &locations)),
        locations: locations.into_iter().map(Id::index).collect(),
    };
    cube.system.processes.iter().zip(cube.system.locations_by_process()).map(process).collect()
}

/// So many are shown at most: of more, those with the most and the least computation.
const SHOWN: usize = 16;
/// The columns: metric, and heading.
const COLUMNS: [(&str, &str); 5] = [
    ("comp", "computing"),
    ("mpi", "MPI"),
    ("omp_time", "OpenMP"),
    ("omp_idle_threads", "idle"),
    ("process_absent", "not there"),
];
const NUMBER: usize = 11;

/// A table of the processes with the average and the largest of each column; nothing for one
/// process. Times are sums over the threads of each.
pub fn processes(cube: &Cube, options: &Options) -> String {
    let lens = Lens::new(cube);
    if cube.system.processes.len() < 2 {
        return String::new();
    }
    let columns = COLUMNS.into_iter().filter(|(metric, _)| lens.total(metric) != 0);
    let columns: Vec<(&str, &str)> = columns.collect();
    let processes = cube.system.processes.iter().zip(cube.system.locations_by_process());
    let rows: Vec<(String, Vec<Ticks>)> =
        processes.map(|(process, threads)| row(&lens, process, threads, &columns)).collect();
    let count = rows.len() as Ticks;
    let column = |index: usize| rows.iter().map(move |(_, row)| row[index]);
    let average = (0..columns.len()).map(|index| column(index).sum::<Ticks>() / count).collect();
    let most = (0..columns.len()).map(|index| column(index).max().unwrap_or(0)).collect();
    let width = options.width.saturating_sub(1 + columns.len() * NUMBER).clamp(12, 32);
    let style = Style::new(options);
    let mut text = format!(" {}", style.bold(&named("Processes", width, options)));
    text.extend(columns.iter().map(|(_, heading)| right(heading, NUMBER)));
    text.push('\n');
    let line = |(name, row): &(String, Vec<Ticks>)| {
        let numbers = row.iter().map(|&ticks| format::seconds(lens.seconds(ticks)));
        let numbers: String = numbers.map(|number| right(&number, NUMBER)).collect();
        format!(" {}{numbers}\n", named(name, width, options))
    };
    text.extend(shown(&rows).into_iter().map(line));
    if rows.len() > SHOWN {
        let more = rows.len() - SHOWN;
        text += &style.dim(&format!(" ({more} between these not shown; --json has them)\n"));
    }
    text += &line(&("average".to_owned(), average));
    even(&(text + &line(&("largest".to_owned(), most))))
}

fn row(
    lens: &Lens,
    Process { name, node, .. }: &Process,
    threads: Vec<LocationId>,
    columns: &[(&str, &str)],
) -> (String, Vec<Ticks>) {
    let at = |metric: &str| {
        let of = |metric| threads.iter().map(|&at| lens.cube.total_at(metric, at)).sum();
        lens.cube.metric(metric).map_or(0, of)
    };
    (format!("{name} on {node}"), columns.iter().map(|(metric, _)| at(metric)).collect())
}

/// All rows, or those with the most and the least in the first column.
fn shown(rows: &[(String, Vec<Ticks>)]) -> Vec<&(String, Vec<Ticks>)> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if rows.len() > SHOWN {
        order.sort_by_key(|&index| std::cmp::Reverse(rows[index].1.first().copied()));
        order.drain(SHOWN / 2..rows.len() - SHOWN / 2);
    }
    order.into_iter().map(|index| &rows[index]).collect()
}
