//! Windows of recording: the parts of a run that are recorded, by time or by visits of a region.
//!
//! ```text
//! 2.5:10        from 2.5 s to 10 s after the start; an end that is left out is that of the run
//! solve@3:5     visits 3 to 5 of the region `solve`, from 0 on; several: solve@0,3:5
//! ```
//! Score-P's files of selective recording are read too: a region in each line, with its visits
//! behind it, all of them where there are none.

/// Parts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Windows {
    /// From and until, in nanoseconds since the start.
    times_ns: Vec<(u64, u64)>,
    regions: Vec<Selected>,
}

/// A region with the visits of it that are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Selected {
    region: String,
    /// First and last.
    visits: Vec<(u64, u64)>,
}

impl Windows {
    /// Reads windows that are separated by `;`.
    ///
    /// # Errors
    /// What is none, and what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut windows = Self::default();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            match part.rsplit_once('@') {
                Some((region, visits)) => windows.select(region, visits.split(','))?,
                None => windows.times_ns.push(time_span(part)?),
            }
        }
        if !windows.times_ns.is_empty() && !windows.regions.is_empty() {
            return Err(format!("`{text}`: expected windows by time or by visits, not both"));
        }
        Ok(windows)
    }

    /// Reads a file of Score-P's selective recording.
    ///
    /// # Errors
    /// The line with visits that are none.
    pub fn parse_selective(text: &str) -> Result<Self, String> {
        let mut windows = Self::default();
        for (number, line) in text.lines().enumerate() {
            let mut words = line.split([' ', '\t', ',', '\r']).filter(|word| !word.is_empty());
            if let Some(region) = words.next() {
                let selected = windows.select(region, words);
                selected.map_err(|error| format!("line {}: {error}", number + 1))?;
            }
        }
        Ok(windows)
    }

    fn select<'a>(
        &mut self,
        region: &str,
        visits: impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        if region.is_empty() {
            return Err("a window without a region: expected REGION@FIRST:LAST".to_owned());
        }
        let mut visits: Vec<(u64, u64)> = visits.map(visit_span).collect::<Result<_, _>>()?;
        if visits.is_empty() {
            visits.push((0, u64::MAX));
        }
        match self.regions.iter_mut().find(|known| known.region == region) {
            Some(known) => known.visits.extend(visits),
            None => self.regions.push(Selected { region: region.to_owned(), visits }),
        }
        Ok(())
    }

    /// Whether everything is recorded.
    pub fn is_whole(&self) -> bool {
        self.times_ns.is_empty() && self.regions.is_empty()
    }

    /// Whether windows are those of time.
    pub fn is_by_time(&self) -> bool {
        !self.times_ns.is_empty()
    }

    /// Whether visits of this region open windows: its place among such regions.
    pub fn find(&self, region: &str) -> Option<usize> {
        self.regions.iter().position(|known| known.region == region)
    }

    /// Whether this visit, from 0 on, of the region at this place is recorded.
    pub fn has_visit(&self, place: usize, visit: u64) -> bool {
        let selected = self.regions.get(place);
        selected.is_some_and(|known| known.visits.iter().any(|(a, b)| (*a..=*b).contains(&visit)))
    }

    /// Whether this moment is recorded, and the next one at which that may change.
    pub fn at(&self, ns: u64) -> (bool, Option<u64>) {
        let inside = self.times_ns.iter().any(|(from, until)| (*from..*until).contains(&ns));
        let borders = self.times_ns.iter().flat_map(|(from, until)| [*from, *until]);
        (inside, borders.filter(|border| *border > ns && *border != u64::MAX).min())
    }
}

/// `2.5:10` in nanoseconds.
fn time_span(text: &str) -> Result<(u64, u64), String> {
    let expected = || format!("`{text}`: expected START:END in seconds, or REGION@FIRST:LAST");
    let (from, until) = text.split_once(':').ok_or_else(expected)?;
    let ns = |text: &str, missing: u64| match text.trim() {
        "" => Some(missing),
        number => {
            let seconds: f64 = number.parse().ok()?;
            (0.0..1e9).contains(&seconds).then_some((seconds * 1e9).round() as u64)
        }
    };
    let span = ns(from, 0).zip(ns(until, u64::MAX)).ok_or_else(expected)?;
    if span.0 >= span.1 {
        return Err(format!("`{text}`: ends before it starts"));
    }
    Ok(span)
}

/// `3:5`, or one visit.
fn visit_span(text: &str) -> Result<(u64, u64), String> {
    let expected = || format!("`{text}`: expected the number of a visit, or FIRST:LAST");
    let number = |text: &str| text.trim().parse().map_err(|_| expected());
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let span = (number(first)?, number(last)?);
    if span.0 > span.1 {
        return Err(format!("`{text}`: the last visit comes before the first"));
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn times() {
        let windows = Windows::parse("1:2.5; 4:").unwrap();
        let at = |seconds: f64| windows.at((seconds * 1e9) as u64);
        assert_eq!(at(0.0), (false, Some(1_000_000_000)));
        assert_eq!(at(1.0), (true, Some(2_500_000_000)));
        assert_eq!(at(2.5), (false, Some(4_000_000_000)));
        assert_eq!(at(9.0), (true, None));
        assert!(windows.is_by_time() && Windows::parse("").unwrap().is_whole());
    }

    #[test]
    fn visits_and_files_of_scorep() {
        let windows = Windows::parse("a@1,3:4;b@2").unwrap();
        let visits = |name: &str| -> Vec<u64> {
            let place = windows.find(name).unwrap();
            (0..6).filter(|&visit| windows.has_visit(place, visit)).collect()
        };
        assert_eq!(visits("a"), [1, 3, 4]);
        assert_eq!(visits("b"), [2]);
        assert_eq!(windows.find("c"), None);
        let file = "a 1, 3:4\n\nb\t2\r\nall\n";
        let file = Windows::parse_selective(file).unwrap();
        assert!(file.has_visit(0, 4) && !file.has_visit(1, 3) && file.has_visit(2, 1 << 40));
    }

    fn check(result: Result<Windows, String>, expected: Expect) {
        expected.assert_eq(&result.unwrap_err());
    }

    #[test]
    fn what_is_no_window_is_said() {
        check(
            Windows::parse("5"),
            expect!["`5`: expected START:END in seconds, or REGION@FIRST:LAST"],
        );
        check(
            Windows::parse("x:2"),
            expect!["`x:2`: expected START:END in seconds, or REGION@FIRST:LAST"],
        );
        check(Windows::parse("3:2"), expect!["`3:2`: ends before it starts"]);
        check(Windows::parse("a@x"), expect!["`x`: expected the number of a visit, or FIRST:LAST"]);
        check(
            Windows::parse("@1"),
            expect!["a window without a region: expected REGION@FIRST:LAST"],
        );
        check(
            Windows::parse("1:2;a@1"),
            expect!["`1:2;a@1`: expected windows by time or by visits, not both"],
        );
        check(
            Windows::parse_selective("a 1\nb 5:3"),
            expect!["line 2: `5:3`: the last visit comes before the first"],
        );
    }
}
