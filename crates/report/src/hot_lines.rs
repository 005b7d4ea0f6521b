//! The lines of the source with most samples, as a table.

use pompeii_analysis::format;

use crate::Options;
use crate::layout::{Style, even, name_width, named, right};

/// A line of the source in samples.
#[derive(Clone, Debug)]
pub struct HotLine {
    /// Its file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function that has it.
    pub function: String,
    /// How many samples.
    pub samples: u64,
}

/// Lines that are shown.
const SHOWN: usize = 30;
/// Columns of numbers: samples, share of all.
const NUMBERS: [usize; 2] = [10, 8];

/// The table; `all` is the number of all samples of the run, those without a line included.
pub fn hot_lines(lines: &[HotLine], all: u64, options: &Options) -> String {
    let width = name_width(options, &NUMBERS);
    let heading = Style::new(options).bold(&named("Lines", width, options));
    let mut text = format!(" {heading}{}", right("samples", NUMBERS[0]));
    text += &format!("{}\n", right("share", NUMBERS[1]));
    for line in lines.iter().take(SHOWN) {
        let file = line.file.rsplit('/').next().unwrap_or_default();
        let place = format!("{file}:{}  {}", line.line, line.function);
        let samples = format::count(line.samples as i64);
        let share = format::percent(line.samples as f64 / all.max(1) as f64);
        text += &format!(" {}{}", named(&place, width, options), right(&samples, NUMBERS[0]));
        text += &format!("{}\n", right(&share, NUMBERS[1]));
    }
    if lines.len() > SHOWN {
        let more = format::counted((lines.len() - SHOWN) as i64, "line");
        text += &format!(" ({more} more: manifest.json has the first 1,000)\n");
    }
    even(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_lines_come_with_their_shares() {
        let line = |line, samples| {
            let (file, function) = ("src/flux.c".to_owned(), "flux".to_owned());
            HotLine { file, line, function, samples }
        };
        let options = Options { width: 50, ..Options::default() };
        let text = hot_lines(&[line(12, 150), line(13, 50)], 300, &options);
        let rows: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        let expected = [
            vec!["Lines", "samples", "share"],
            vec!["flux.c:12", "flux", "150", "50", "%"],
            vec!["flux.c:13", "flux", "50", "17", "%"],
        ];
        assert_eq!(rows, expected);
        let many: Vec<HotLine> = (1..=40).map(|number| line(number, 1)).collect();
        assert!(hot_lines(&many, 40, &options).contains("(10 lines more"));
    }
}
