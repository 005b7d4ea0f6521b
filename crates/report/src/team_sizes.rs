//! How long a recorded run would take with other numbers of threads, as text and as JSON.

use pompeii_analysis::format::{percent, seconds};
use serde::Serialize;

use crate::Options;
use crate::layout::{right, wrap};

/// Widths of the columns.
const COLUMNS: [usize; 3] = [10, 22, 26];

/// A recorded run with other numbers of threads, computed from its trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TeamSizes {
    /// Wall time as recorded, from the begin of the measurement to the last event.
    pub wall_s: f64,
    /// The run with each number of threads.
    pub runs: Vec<TeamSizeRun>,
    /// What the computation takes for granted, in sentences.
    pub assumptions: Vec<String>,
}

/// The run with a number of threads in each team.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TeamSizeRun {
    /// The number of threads.
    pub threads: usize,
    /// Wall time of the run.
    pub wall_s: f64,
    /// Wall time with the better one of two orders in which threads take tasks; the other one is
    /// `wall_s`.
    pub least_wall_s: f64,
    /// The run takes at least this time, so the gain is an upper bound.
    pub is_upper_bound: bool,
}

impl TeamSizes {
    /// For people.
    pub fn text(&self, options: &Options) -> String {
        let titles = ["threads", "wall time", "compared with the run"].map(str::to_owned);
        let mut text = row(&titles);
        self.runs.iter().for_each(|run| text += &row(&self.cells(run)));
        for sentence in &self.assumptions {
            text += &wrap(sentence, options.width, "   ", "   ");
        }
        text
    }

    fn cells(&self, run: &TeamSizeRun) -> [String; 3] {
        let gain = (self.wall_s - run.wall_s) / self.wall_s.max(f64::MIN_POSITIVE);
        let share = percent(gain.abs());
        let than = match gain {
            0.0 => "as recorded".to_owned(),
            _ if gain > 0.0 && run.is_upper_bound => format!("at most {share} shorter"),
            _ if gain > 0.0 => format!("{share} shorter"),
            _ if run.is_upper_bound => format!("at least {share} longer"),
            _ => format!("{share} longer"),
        };
        let [least, most] = [run.least_wall_s, run.wall_s].map(seconds);
        let time = if least == most { most } else { format!("{least} to {most}") };
        [run.threads.to_string(), time, than]
    }
}

fn row(cells: &[String; 3]) -> String {
    let cells = cells.iter().zip(COLUMNS).map(|(cell, width)| right(cell, width));
    format!("{}\n", cells.collect::<String>())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn bounds_and_ranges_are_named() {
        let run = |threads, least_wall_s, wall_s, is_upper_bound| TeamSizeRun {
            threads,
            wall_s,
            least_wall_s,
            is_upper_bound,
        };
        let sizes = TeamSizes {
            wall_s: 2.0,
            runs: vec![
                run(1, 7.0, 7.0, true),
                run(2, 3.5, 3.6, false),
                run(4, 2.0, 2.0, false),
                run(8, 1.2, 1.2, true),
                run(16, 0.5, 0.8, false),
            ],
            assumptions: vec!["A sentence. ".repeat(9).trim_end().to_owned()],
        };
        expect![[r#"
            page
               threads             wall time     compared with the run
                     1                 7.0 s     at least 250 % longer
                     2        3.5 s to 3.6 s               80 % longer
                     4                 2.0 s               as recorded
                     8                 1.2 s      at most 40 % shorter
                    16      0.50 s to 0.80 s              60 % shorter
               A sentence. A sentence. A sentence. A sentence. A sentence. A sentence. A
               sentence. A sentence. A sentence.
        "#]]
        .assert_eq(&format!("page\n{}", sizes.text(&Options::default())));
    }
}
