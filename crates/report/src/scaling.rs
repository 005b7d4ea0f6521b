//! What `pompeii scaling` says: tables with a column for each number of threads, and a picture.

use pompeii_analysis::format;
use pompeii_analysis::scaling::{Mode, POINTS_MIN, Prediction, Region, Scaling, Size};
use serde::Serialize;

use crate::Options;
use crate::layout::{Style, even, named, right, wrap};
use crate::plain_page::Row;

/// Width of a column of numbers, and of the one with names.
const NUMBER: usize = 10;
const NAME: usize = 28;

/// What is the same in all runs.
pub(crate) fn mode(of: &Scaling) -> &'static str {
    match of.mode {
        Mode::Strong => "strong scaling: all runs have the same work",
        Mode::Weak => "weak scaling: all runs have the same work per thread",
    }
}

/// The tables as text.
pub fn scaling_text(of: &Scaling, options: &Options) -> String {
    let style = Style::new(options);
    let mut text = format!(" {}\n\n", style.bold(mode(of)));
    let sizes: String = size_rows(of).into_iter().map(|row| line(row, options)).collect();
    text += &(even(&sizes) + "\n");
    text += &regions(of, options, style);
    text + &predictions(of, options)
}

/// A line of a table.
fn line((name, values): Row, options: &Options) -> String {
    let values: String = values.iter().map(|value| right(value, NUMBER)).collect();
    let line = format!(" {}{values}", named(&name, NAME, options));
    line.trim_end().to_owned() + "\n"
}

type Value = fn(&Size) -> f64;

/// Whether a row is shown for programs without MPI, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Always,
    WithMpi,
}
use Shown::{Always, WithMpi};

/// Rows with shares. An indented one is a part of the one above it.
const SHARES: [(&str, Shown, Value); 17] = [
    ("Speed-up per thread", Always, |of| of.efficiency),
    ("Global efficiency", Always, |of| of.global),
    ("  computation scalability", Always, |of| of.computation),
    ("  parallel efficiency", Always, |of| of.parts.parallel),
    ("Factors (multiplicative):", Always, |_| f64::NAN),
    ("  MPI", WithMpi, |of| of.multiplicative.mpi),
    ("    balance", WithMpi, |of| of.multiplicative.mpi_balance),
    ("    communication", WithMpi, |of| of.multiplicative.mpi_communication),
    ("  OpenMP", Always, |of| of.multiplicative.openmp),
    ("    balance", Always, |of| of.multiplicative.openmp_balance),
    ("    communication", Always, |of| of.multiplicative.openmp_communication),
    ("Losses (additive):", Always, |_| f64::NAN),
    ("  process balance", WithMpi, |of| 1.0 - of.additive.process_balance),
    ("  process communication", WithMpi, |of| 1.0 - of.additive.process_communication),
    ("  serial parts", Always, |of| 1.0 - of.additive.serial_region),
    ("  in parallel regions", Always, |of| 1.0 - of.additive.openmp_region),
    ("  sum", Always, |of| 1.0 - of.additive.parallel),
];

/// What the sizes have, a column for each. Factors of MPI are left out without it.
pub(crate) fn size_rows(of: &Scaling) -> Vec<Row> {
    let row = |name: &str, value: &dyn Fn(&Size) -> String| {
        (name.to_owned(), of.sizes.iter().map(value).collect())
    };
    let mut rows = vec![row("Threads", &|of| of.threads.to_string())];
    if of.sizes.iter().any(|size| size.processes > 1) {
        rows.push(row("Processes", &|of| of.processes.to_string()));
    }
    rows.push(row("Wall time", &|of| format::seconds(of.wall)));
    rows.push(row("Speed-up", &|of| format!("{:.2}", of.speedup)));
    let has_mpi = of.sizes.iter().any(|of| of.processes > 1 || of.multiplicative.mpi < 1.0);
    for (name, _, value) in SHARES.iter().filter(|(_, shown, _)| has_mpi || *shown == Always) {
        let share = |of: &Size| match value(of) {
            share if share.is_nan() => String::new(),
            share => format::percent(share),
        };
        rows.push(row(name, &share));
    }
    rows
}

/// The regions: time, efficiency and overhead, and what makes them slower.
fn regions(of: &Scaling, options: &Options, style: Style) -> String {
    let mut text = String::new();
    for region in of.regions.iter().take(options.top) {
        let mut table = format!(" {}\n", style.bold(&region.label));
        table.extend(region_rows(region).into_iter().map(|row| line(row, options)));
        text += &even(&table);
        text += &wrap(&reason(region), options.width, "   ", "   ");
    }
    if of.regions.len() > options.top {
        let more = of.regions.len() - options.top;
        text += &style.dim(&format!(" ({more} more: --top {} shows them)\n", of.regions.len()));
    }
    text + "\n"
}

/// What a region has, a column for each size.
pub(crate) fn region_rows(region: &Region) -> [Row; 3] {
    let known = |value: &f64, shown: String| match *value == 0.0 {
        true => "-".to_owned(),
        false => shown,
    };
    let seconds = region.seconds.iter().map(|time| known(time, format::seconds(*time)));
    let shares = region.efficiency.iter().map(|share| known(share, format::percent(*share)));
    let overhead = region.overhead.iter().map(|time| format::seconds(*time));
    [
        ("  time".to_owned(), seconds.collect()),
        ("  efficiency".to_owned(), shares.collect()),
        ("  overhead, CPU time".to_owned(), overhead.collect()),
    ]
}

/// Why a region does not scale.
pub(crate) fn reason(region: &Region) -> String {
    let stops = match region.stops_at {
        Some(threads) => format!("It is slower on {threads} threads than on fewer."),
        None => String::new(),
    };
    let grows = match &region.grows {
        Some((metric, more)) => {
            format!("{metric} grows most, by {} of CPU time.", format::seconds(*more))
        }
        None => "Nothing grows.".to_owned(),
    };
    format!("{stops} {grows}").trim_start().to_owned()
}

/// Why there is no prediction.
pub(crate) fn no_prediction(of: &Scaling) -> String {
    let sizes = of.sizes.len();
    format!(
        "No prediction: it needs runs on at least {POINTS_MIN} different numbers of threads, and \
         there are {sizes}."
    )
}

/// The wall time on a number of threads, and the interval in which it is.
pub(crate) fn prediction_values(at: &Prediction) -> Row {
    let interval = format!("{} to {}", format::seconds(at.low), format::seconds(at.high));
    (format!("{} threads", at.threads), vec![format::seconds(at.seconds), interval])
}

/// The models that were used, and how well they describe the runs.
pub(crate) fn models_note(of: &Scaling) -> String {
    let models = of.models.iter();
    let models = models.map(|model| {
        format!("{} (differs by {} from the runs)", model.name, format::percent(model.error))
    });
    format!("Models: {}.", models.collect::<Vec<_>>().join(", "))
}

fn predictions(of: &Scaling, options: &Options) -> String {
    if of.predictions.is_empty() {
        return wrap(&no_prediction(of), options.width, " ", "   ");
    }
    let mut text = " Wall time on more threads (and where it is in 95 % of the cases)\n".to_owned();
    for at in &of.predictions {
        let (threads, values) = prediction_values(at);
        text += &format!(" {}{}  ({})\n", right(&threads, 16), right(&values[0], 10), values[1]);
    }
    text + &wrap(&models_note(of), options.width, " ", "   ")
}

/// The same for programs. Numbers of regions are by size.
#[derive(Debug, Serialize)]
struct JsonScaling<'a> {
    schema: &'static str,
    mode: &'static str,
    sizes: Vec<JsonSize>,
    regions: Vec<JsonRegion<'a>>,
    models: Vec<JsonModel>,
    predictions: Vec<JsonPrediction>,
}

#[derive(Debug, Serialize)]
struct JsonSize {
    processes: usize,
    threads: usize,
    wall_s: f64,
    speedup: f64,
    efficiency: f64,
    global: f64,
    computation: f64,
    parallel: f64,
    mpi: f64,
    mpi_balance: f64,
    mpi_communication: f64,
    openmp: f64,
    openmp_balance: f64,
    openmp_communication: f64,
    additive_process: f64,
    additive_process_balance: f64,
    additive_process_communication: f64,
    additive_thread: f64,
    additive_serial_region: f64,
    additive_openmp_region: f64,
}

#[derive(Debug, Serialize)]
struct JsonRegion<'a> {
    label: &'a str,
    time_s: &'a [f64],
    efficiency: &'a [f64],
    overhead_s: &'a [f64],
    stops_at: Option<usize>,
    grows: Option<&'a str>,
    grows_by_s: Option<f64>,
}

#[derive(Debug, Serialize)]
struct JsonModel {
    name: &'static str,
    error: f64,
}

#[derive(Debug, Serialize)]
struct JsonPrediction {
    threads: f64,
    wall_s: f64,
    low_s: f64,
    high_s: f64,
}

impl JsonSize {
    fn new(of: &Size) -> Self {
        let (m, a) = (of.multiplicative, of.additive);
        Self {
            processes: of.processes,
            threads: of.threads,
            wall_s: of.wall,
            speedup: of.speedup,
            efficiency: of.efficiency,
            global: of.global,
            computation: of.computation,
            parallel: of.parts.parallel,
            mpi: m.mpi,
            mpi_balance: m.mpi_balance,
            mpi_communication: m.mpi_communication,
            openmp: m.openmp,
            openmp_balance: m.openmp_balance,
            openmp_communication: m.openmp_communication,
            additive_process: a.process,
            additive_process_balance: a.process_balance,
            additive_process_communication: a.process_communication,
            additive_thread: a.thread,
            additive_serial_region: a.serial_region,
            additive_openmp_region: a.openmp_region,
        }
    }
}

/// The scaling as JSON.
pub fn scaling_json(of: &Scaling) -> String {
    let regions = of.regions.iter().map(|of| JsonRegion {
        label: &of.label,
        time_s: &of.seconds,
        efficiency: &of.efficiency,
        overhead_s: &of.overhead,
        stops_at: of.stops_at,
        grows: of.grows.as_ref().map(|(metric, _)| metric.as_str()),
        grows_by_s: of.grows.as_ref().map(|(_, more)| *more),
    });
    let prediction = |at: &Prediction| JsonPrediction {
        threads: at.threads,
        wall_s: at.seconds,
        low_s: at.low,
        high_s: at.high,
    };
    let models = of.models.iter().map(|of| JsonModel { name: of.name, error: of.error });
    let report = JsonScaling {
        schema: "pompeii-scaling-1",
        mode: if of.mode == Mode::Strong { "strong" } else { "weak" },
        sizes: of.sizes.iter().map(JsonSize::new).collect(),
        regions: regions.collect(),
        models: models.collect(),
        predictions: of.predictions.iter().map(prediction).collect(),
    };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

/// Size of the picture, and of its margins.
const PICTURE: (f64, f64) = (640.0, 400.0);
const MARGIN: f64 = 50.0;

/// The wall times over the numbers of threads as a picture, both in powers of two: measured ones as
/// points, predicted ones as a line with the interval around it.
pub fn scaling_picture(of: &Scaling) -> String {
    let measured: Vec<(f64, f64)> =
        of.sizes.iter().map(|size| (size.threads as f64, size.wall)).collect();
    let xs = measured.iter().map(|of| of.0).chain(of.predictions.iter().map(|at| at.threads));
    let ys = measured.iter().map(|of| of.1);
    let ys = ys.chain(of.predictions.iter().flat_map(|at| [at.low, at.high]));
    let (x, y) = (Axis::new(xs), Axis::new(ys));
    let (width, height) = PICTURE;
    let point = |n: f64, time: f64| {
        let (at, up) =
            (x.place(n) * (width - 2.0 * MARGIN), y.place(time) * (height - 2.0 * MARGIN));
        format!("{:.1},{:.1}", MARGIN + at, height - MARGIN - up)
    };
    let low = of.predictions.iter().map(|at| point(at.threads, at.low));
    let high = of.predictions.iter().rev().map(|at| point(at.threads, at.high));
    let area: Vec<String> = low.chain(high).collect();
    let line = measured.iter().copied();
    let line = line.chain(of.predictions.iter().map(|at| (at.threads, at.seconds)));
    let line: Vec<String> = line.map(|(n, time)| point(n, time)).collect();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <polygon points=\"{}\" fill=\"#1565c0\" fill-opacity=\"0.2\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#1565c0\" stroke-dasharray=\"4\"/>\n",
        area.join(" "),
        line.join(" ")
    );
    for (n, time) in &measured {
        let place = point(*n, *time);
        let (cx, cy) = place.split_once(',').unwrap_or_default();
        text += &format!(
            "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"4\" fill=\"#1565c0\"/>\n\
             <text x=\"{cx}\" y=\"{cy}\" dx=\"6\" dy=\"-6\">{n} threads: {}</text>\n",
            format::seconds(*time)
        );
    }
    text + "<text x=\"10\" y=\"20\">wall time over threads, both logarithmic</text>\n</svg>\n"
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let logarithms = values.filter(|value| *value > 0.0).map(f64::log2);
        let (low, high) = logarithms.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), of| {
            (low.min(of), high.max(of))
        });
        Self { low, high }
    }

    /// Where a value is, between 0 and 1. One that has no logarithm is at the begin.
    fn place(&self, value: f64) -> f64 {
        let range = self.high - self.low;
        match value > 0.0 && range > 0.0 {
            true => ((value.log2() - self.low) / range).clamp(0.0, 1.0),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling_page;
    use pompeii_analysis::{derive, notation};
    use pompeii_model::Cube;

    /// A run on `n` threads with a serial part of 100 ms and 800 ms of work.
    fn run(n: i64) -> Cube {
        let work = 800 / n;
        let text = format!(
            "wall={} locations={n}
             a                 0  time=100
             a/parallel@a.c:2  *  time={work} visits=1",
            100 + work
        );
        derive(&notation::cube(&text).unwrap())
    }

    fn of(sizes: &[i64]) -> Scaling {
        let cubes: Vec<Cube> = sizes.iter().map(|&n| run(n)).collect();
        let cubes: Vec<&Cube> = cubes.iter().collect();
        pompeii_analysis::scaling::scaling(&cubes, Mode::Strong)
    }

    #[test]
    fn each_number_of_threads_has_a_column() {
        let text = scaling_text(&of(&[1, 2, 4]), &Options::default());
        let row = |name: &str, values: [&str; 3]| {
            let [a, b, c] = values;
            format!(" {name:28}{a:>10}{b:>10}{c:>10}\n")
        };
        for line in [
            row("Threads", ["1", "2", "4"]),
            row("Wall time", ["0.90 s", "0.50 s", "0.30 s"]),
            row("Speed-up", ["1.00", "1.80", "3.00"]),
            row("Global efficiency", ["100 %", "90 %", "75 %"]),
            row("  serial parts", ["0 %", "10 %", "25 %"]),
            row("  time", ["0.80 s", "0.40 s", "0.20 s"]),
            " parallel a.c:2\n".to_owned(),
            "   Nothing grows.\n".to_owned(),
        ] {
            assert!(text.contains(&line), "expected `{line}` in\n{text}");
        }
        assert!(text.contains("8 threads    0.20 s  ("), "{text}");
        // Without MPI its factors are 1, which tells nothing.
        assert!(!text.contains("MPI") && !text.contains("process balance"), "{text}");
    }

    #[test]
    fn programs_with_mpi_have_its_factors() {
        let text = "wall=100 locations=2 processes=2
             a                0    time=80
             a                1    time=40
             a/MPI_Allreduce  0    time=20
             a/MPI_Allreduce  1    time=60";
        let cube = derive(&notation::cube(text).unwrap());
        let scaling = pompeii_analysis::scaling::scaling(&[&cube], Mode::Strong);
        let text = scaling_text(&scaling, &Options::default());
        // Outside of MPI: 80 and 40 of 100.
        for (name, value) in [("  MPI", "60 %"), ("    balance", "75 %"), ("  sum", "40 %")] {
            let line = format!(" {name:28}{value:>10}\n");
            assert!(text.contains(&line), "expected `{line}` in\n{text}");
        }
    }

    #[test]
    fn two_sizes_have_no_prediction() {
        let text = scaling_text(&of(&[1, 2]), &Options::default());
        assert!(text.contains("No prediction: it needs runs on at least 3"), "{text}");
    }

    #[test]
    fn programs_and_pictures_have_the_same() {
        let of = of(&[1, 2, 4]);
        let json: serde_json::Value = serde_json::from_str(&scaling_json(&of)).unwrap();
        assert_eq!(
            (&json["schema"], &json["mode"]),
            (&"pompeii-scaling-1".into(), &"strong".into())
        );
        assert_eq!(json["sizes"][2]["wall_s"], 0.3);
        assert_eq!(json["regions"][0]["time_s"][2], 0.2);
        let picture = scaling_picture(&of);
        assert_eq!(picture.matches("<circle").count(), 3, "{picture}");
        assert!(picture.contains("4 threads: 0.30 s") && !picture.contains("NaN"), "{picture}");
    }

    #[test]
    fn the_page_has_what_the_terminal_shows() {
        let page = scaling_page(&of(&[1, 2, 4]));
        let number = |value: &str| format!("<td class=\"number\">{value}</td>");
        let row = |name: &str, values: [&str; 3]| {
            format!("<tr><td>{name}</td>{}</tr>", values.map(number).concat())
        };
        for part in [
            "strong scaling: all runs have the same work".to_owned(),
            "<svg ".to_owned(),
            row("Speed-up", ["1.00", "1.80", "3.00"]),
            row("  serial parts", ["0 %", "10 %", "25 %"]),
            "<td>8 threads</td><td class=\"number\">0.20 s</td>".to_owned(),
            "Models: ".to_owned(),
            "<h2>parallel a.c:2</h2>".to_owned(),
            row("  time", ["0.80 s", "0.40 s", "0.20 s"]),
            "<p>Nothing grows.</p>".to_owned(),
        ] {
            assert!(page.contains(&part), "expected `{part}` in\n{page}");
        }
        assert!(scaling_page(&of(&[1, 2])).contains("No prediction: it needs runs on at least 3"));
    }
}
