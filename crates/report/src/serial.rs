//! What a run costs more than one on one thread, for terminal, JSON and page: the overhead of each
//! construct, and by how much longer its work takes.

use pompeii_analysis::{ConstructCost, Lens, SerialCosts, Spent, format};
use pompeii_model::{Cube, Id, Ticks};
use schemars::JsonSchema;
use serde::Serialize;

use crate::layout::{Style, even, name_width, named, right};
use crate::{Options, RunInfo};

/// What a run costs more than one on one thread in each process.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonSerial {
    /// Wall time on one thread.
    pub wall_s: f64,
    /// CPU allocation time of the run minus that of the run on one thread.
    pub overhead_s: f64,
    /// Constructs and functions, the largest overhead first. Their overheads add up to
    /// `overhead_s`.
    pub constructs: Vec<JsonConstructCost>,
}

/// A construct or function in both runs. Implicit barriers belong to their constructs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonConstructCost {
    /// Its region: an index into `regions`; `null` for all constructs that only the run on one
    /// thread has.
    pub region: Option<usize>,
    /// Construct, function, file and line: `parallel for CalcForce lulesh.cc:782`.
    pub label: String,
    /// CPU allocation time on one thread.
    pub serial_s: f64,
    /// CPU allocation time in this run, on all threads.
    pub parallel_s: f64,
    /// The difference of the two. It is the sum of the next six fields, which are differences, too.
    pub overhead_s: f64,
    /// Computing.
    pub computing_s: f64,
    /// Waiting at barriers.
    pub barriers_s: f64,
    /// Locks, tasks, forks and joins.
    pub openmp_s: f64,
    /// Calls of MPI.
    pub mpi_s: f64,
    /// Threads without work.
    pub idle_s: f64,
    /// Recording was off, or the process was not there.
    pub other_s: f64,
    /// Work inflation: by how much longer all threads together compute than the same work takes on
    /// one thread, at least. `null` outside of parallel regions and tasks.
    pub inflation_low_s: Option<f64>,
    /// The same at most: if threads divide the work among themselves.
    pub inflation_high_s: Option<f64>,
}

impl JsonSerial {
    pub(crate) fn new(cube: &Cube, costs: &SerialCosts) -> Self {
        let seconds = |ticks: Ticks| cube.clock.seconds(ticks);
        let all: Ticks = costs.constructs.iter().map(|of| of.overhead().all()).sum();
        let constructs = costs.constructs.iter().map(|of| JsonConstructCost::new(cube, of));
        Self {
            wall_s: seconds(costs.serial_wall_ticks),
            overhead_s: seconds(all),
            constructs: constructs.collect(),
        }
    }
}

impl JsonConstructCost {
    fn new(cube: &Cube, of: &ConstructCost) -> Self {
        let seconds = |ticks: Ticks| cube.clock.seconds(ticks);
        let overhead = of.overhead();
        Self {
            region: of.region.map(Id::index),
            label: of.label(cube),
            serial_s: seconds(of.serial.all()),
            parallel_s: seconds(of.parallel.all()),
            overhead_s: seconds(overhead.all()),
            computing_s: seconds(overhead.computing),
            barriers_s: seconds(overhead.barriers),
            openmp_s: seconds(overhead.openmp),
            mpi_s: seconds(overhead.mpi),
            idle_s: seconds(overhead.idle),
            other_s: seconds(overhead.other),
            inflation_low_s: of.inflation.map(|(low, _)| seconds(low)),
            inflation_high_s: of.inflation.map(|(_, high)| seconds(high)),
        }
    }
}

/// Constructs that are shown at most.
const SHOWN: usize = 12;
/// The width of a column.
const NUMBER: usize = 10;
const INFLATION: [usize; 3] = [14, 12, 18];

/// A column: its heading, and its value of a construct.
type Column = (&'static str, fn(&ConstructCost) -> Ticks);

/// Those after the first two are shown if one of their values is not 0.
const COLUMNS: [Column; 8] = [
    ("serial", |of| of.serial.all()),
    ("overhead", |of| of.overhead().all()),
    ("computing", |of| of.overhead().computing),
    ("barriers", |of| of.overhead().barriers),
    ("OpenMP", |of| of.overhead().openmp),
    ("MPI", |of| of.overhead().mpi),
    ("idle", |of| of.overhead().idle),
    ("other", |of| of.overhead().other),
];

/// Two tables: overheads by construct, and work inflation. Empty without a run on one thread.
pub fn serial(cube: &Cube, run: &RunInfo, options: &Options) -> String {
    let Some(costs) = run.serial.as_ref().filter(|_| cube.difference.is_none()) else {
        return String::new();
    };
    let lens = Lens::new(cube);
    overheads(&lens, costs, options) + &inflation(&lens, costs, options)
}

fn overheads(lens: &Lens, costs: &SerialCosts, options: &Options) -> String {
    let rows = &costs.constructs;
    let is_used = |(at, (_, of)): &(usize, Column)| *at < 2 || rows.iter().any(|row| of(row) != 0);
    let columns: Vec<Column> =
        COLUMNS.into_iter().enumerate().filter(is_used).map(|(_, column)| column).collect();
    let width = name_width(options, &vec![NUMBER; columns.len()]);
    let line = |name: &str, value: &dyn Fn(&Column) -> Ticks| {
        let numbers = columns
            .iter()
            .map(|column| right(&format::seconds(lens.seconds(value(column))), NUMBER));
        format!(" {}{}\n", named(name, width, options), numbers.collect::<String>())
    };
    let style = Style::new(options);
    let mut text = format!(" {}", style.bold(&named("Overheads", width, options)));
    text.extend(columns.iter().map(|(heading, _)| right(heading, NUMBER)));
    text.push('\n');
    for row in rows.iter().take(SHOWN) {
        text += &line(&row.label(lens.cube), &|(_, of)| of(row));
    }
    let sum = |of: &[ConstructCost], column: &Column| of.iter().map(column.1).sum();
    if let Some(rest) = rows.get(SHOWN..).filter(|rest| !rest.is_empty()) {
        text += &line(&format!("({} more)", rest.len()), &|column| sum(rest, column));
    }
    even(&(text + &line("all", &|column| sum(rows, column))))
}

/// The constructs whose work takes longer, the most first.
fn inflation(lens: &Lens, costs: &SerialCosts, options: &Options) -> String {
    let of = |of: &'_ ConstructCost| of.inflation.filter(|(_, high)| *high > 0);
    let mut rows: Vec<(&ConstructCost, (Ticks, Ticks))> =
        costs.constructs.iter().filter_map(|row| Some((row, of(row)?))).collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by_key(|(_, (low, high))| std::cmp::Reverse((*high, *low)));
    let width = name_width(options, &INFLATION);
    let style = Style::new(options);
    let heads = ["one thread", "all threads", "inflation"];
    let mut text = format!("\n {}", style.bold(&named("Work inflation", width, options)));
    text.extend(heads.iter().zip(INFLATION).map(|(head, columns)| right(head, columns)));
    text.push('\n');
    let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
    for (row, (low, high)) in rows.iter().take(SHOWN) {
        let Spent { computing, .. } = row.parallel;
        let [low, high] = [seconds(*low), seconds(*high)];
        let range = if low == high { low } else { format!("{low} to {high}") };
        let numbers = [seconds(row.serial.computing), seconds(computing), range];
        text += &format!(" {}", named(&row.label(lens.cube), width, options));
        text.extend(numbers.iter().zip(INFLATION).map(|(number, columns)| right(number, columns)));
        text.push('\n');
    }
    even(&text)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use pompeii_analysis::{Reference, derive, notation, reference::Run};

    use super::*;

    /// A loop takes longer on two threads, a region may be divided or repeated, and the rest of the
    /// program has one thread.
    #[test]
    fn overheads_and_inflation_are_tables() {
        let cube = |text| derive(&notation::cube(text).unwrap());
        let run = cube(
            "wall=1200 locations=2
             a                                        0  time=100 visits=1
             a/parallel@a.c:2                         *  visits=1
             a/parallel@a.c:2/for@a.c:2               0  time=600 visits=1
             a/parallel@a.c:2/for@a.c:2               1  time=560 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:4  1  time=40 visits=1 omp_ibarrier_wait=40
             a/parallel@a.c:2/implicit barrier@a.c:4  0  visits=1 omp_barrier_last=1
             a/parallel@a.c:7                         *  time=500 visits=1 omp_management=20",
        );
        let one = cube(
            "wall=1600 locations=1
             a                           0  time=120 visits=1
             a/parallel@a.c:2            0  visits=1
             a/parallel@a.c:2/for@a.c:2  0  time=1000 visits=1
             a/parallel@a.c:7            0  time=480 visits=1",
        );
        let with = |cube| Run { cube, not_on_cpu_ns: None };
        let reference = Reference::new(with(&run), with(&one)).unwrap();
        let serial = Some(SerialCosts::new(&run, &one, &reference));
        let info = RunInfo { serial, ..RunInfo::default() };
        let text = super::serial(&run, &info, &Options::default());
        let shown: String = text.lines().map(|line| format!("|{line}\n")).collect();
        expect![[r#"
            | Overheads               serial  overhead computing  barriers    OpenMP      idle
            | parallel a.c:7          0.48 s    0.52 s    0.48 s       0 s     40 ms       0 s
            | parallel for a.c:2       1.0 s    0.20 s    0.16 s     40 ms       0 s       0 s
            | a                       0.12 s     80 ms    -20 ms       0 s       0 s    0.10 s
            | all                      1.6 s    0.80 s    0.62 s     40 ms     40 ms    0.10 s
            |
            | Work inflation                         one thread all threads         inflation
            | parallel a.c:7                             0.48 s      0.96 s     0 s to 0.48 s
            | parallel for a.c:2                          1.0 s       1.2 s            0.16 s
        "#]]
        .assert_eq(&shown);
        let json = crate::json_report(&run, &info).serial.unwrap();
        assert_eq!((json.wall_s, json.overhead_s), (1.6, 0.8));
        let of = json.constructs.iter().find(|of| of.label == "parallel for a.c:2").unwrap();
        assert_eq!((of.serial_s, of.parallel_s), (1.0, 1.2));
        assert_eq!((of.inflation_low_s, of.inflation_high_s), (Some(0.16), Some(0.16)));
        assert_eq!(super::serial(&run, &RunInfo::default(), &Options::default()), "");
    }
}
