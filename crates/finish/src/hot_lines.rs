//! The lines of the source that samples have met most often.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The number of lines that are kept; lines with fewer samples than these have no use.
const LINES_MAX: usize = 1000;

/// A line of the source, and how often a thread was executing it, or something that it had called
/// and of which no line is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotLine {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function that has it, also if it was inlined there.
    pub function: String,
    /// On all threads.
    pub samples: u64,
}

/// The lines of several processes, those with most samples first.
pub fn together<'a>(all: impl Iterator<Item = &'a HotLine>) -> Vec<HotLine> {
    let mut sums: HashMap<(&str, u32, &str), u64> = HashMap::new();
    for HotLine { file, line, function, samples } in all {
        let sum = sums.entry((file.as_str(), *line, function.as_str())).or_default();
        *sum = sum.saturating_add(*samples);
    }
    let line = |((file, line, function), samples): ((&str, u32, &str), u64)| HotLine {
        file: file.to_owned(),
        line,
        function: function.to_owned(),
        samples,
    };
    let mut lines: Vec<HotLine> = sums.into_iter().map(line).collect();
    lines.sort_by(|a, b| {
        let key = |of: &HotLine| (std::cmp::Reverse(of.samples), of.line);
        key(a).cmp(&key(b)).then_with(|| (&a.file, &a.function).cmp(&(&b.file, &b.function)))
    });
    lines.retain(|line| line.samples > 0);
    lines.truncate(LINES_MAX);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_processes_are_added_up() {
        let line = |line, function: &str, samples| {
            let (file, function) = ("a.c".to_owned(), function.to_owned());
            HotLine { file, line, function, samples }
        };
        let all =
            [line(7, "f", 1), line(9, "f", 2), line(7, "f", 3), line(7, "g", 4), line(8, "h", 0)];
        let expected = [line(7, "f", 4), line(7, "g", 4), line(9, "f", 2)];
        assert_eq!(together(all.iter()), expected);
    }
}
