//! The lines of a file `profile.NODE.CONTEXT.THREAD`: timers, then user events. The header, the
//! number of fields and the counts are checked as `pprof` checks them.

use std::fmt;
use std::str::Lines;

/// Times are microseconds. Larger numbers are damage: no run takes 30 years.
const VALUE_MAX: f64 = 1e15;

/// What a file says of one thread, for one metric.
#[derive(Debug, Default)]
pub struct Profile<'a> {
    /// The metric; `None` in the files of TAU's versions that had only one.
    pub metric: Option<&'a str>,
    /// Facts about the thread and its run, by their names.
    pub facts: Vec<(&'a str, String)>,
    /// All timers, also those of call paths.
    pub timers: Vec<Timer<'a>>,
    /// User events.
    pub events: Vec<Event<'a>>,
}

/// The group of timers for the values of parameters (`TAU_PROFILE_PARAM1L`).
const PARAMETERS: &str = "TAU_PARAM";

/// A line of a timer.
#[derive(Debug)]
pub struct Timer<'a> {
    /// Its name, of a call path with ` => ` between its steps.
    pub name: &'a str,
    /// Visits.
    pub calls: f64,
    /// Value without callees: microseconds, or what the metric counts.
    pub exclusive: f64,
    /// Value with callees.
    pub inclusive: f64,
    /// It counts the visits of another timer in which a parameter had one value.
    pub is_of_parameter: bool,
}

/// A line of a user event.
#[derive(Debug)]
pub struct Event<'a> {
    /// Its name, with ` : ` and a call path if it has one.
    pub name: &'a str,
    /// How often it occurred.
    pub samples: f64,
    /// The average of its values.
    pub mean: f64,
}

/// Where a file is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub struct Damage {
    line: usize,
    expected: &'static str,
    found: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { line, expected, found } = self;
        write!(out, "line {line}: expected {expected}, found {found}")
    }
}

/// Reads the text of a file.
///
/// # Errors
/// The first line that is not as it should be.
pub fn parse(text: &str) -> Result<Profile<'_>, Damage> {
    let mut reader = Reader { lines: text.lines(), line: 0, current: "" };
    let (timers, metric) = reader.opening()?;
    let mut profile = Profile { metric, ..Profile::default() };
    let has_squares = reader.header(&mut profile)?;
    for _ in 0..timers {
        let timer = reader.timer(has_squares)?;
        profile.timers.push(timer);
    }
    let aggregates = reader.count("aggregates", "the line `0 aggregates` after the timers")?;
    for _ in 0..aggregates.unwrap_or(0) {
        reader.next("a line of an aggregate")?;
    }
    let events = reader.count("userevents", "the number of user events, as in `2 userevents`")?;
    if let Some(events) = events {
        reader.next("the names of the columns of user events")?;
        for _ in 0..events {
            let event = reader.event()?;
            profile.events.push(event);
        }
    }
    Ok(profile)
}

struct Reader<'a> {
    lines: Lines<'a>,
    line: usize,
    current: &'a str,
}

impl<'a> Reader<'a> {
    fn next(&mut self, expected: &'static str) -> Result<&'a str, Damage> {
        self.line += 1;
        match self.lines.next() {
            Some(line) => {
                self.current = line;
                Ok(line)
            }
            None => {
                let found = "the end of the file".to_owned();
                Err(Damage { line: self.line, expected, found })
            }
        }
    }

    /// Damage in the current line.
    fn damage(&self, expected: &'static str) -> Damage {
        let mut found: String = self.current.chars().take(60).collect();
        if found.len() < self.current.len() {
            found += "...";
        }
        Damage { line: self.line, expected, found: format!("`{}`", found.escape_debug()) }
    }

    /// The first line: `4 templated_functions_MULTI_TIME`. Returns the number of timers, and the
    /// metric.
    fn opening(&mut self) -> Result<(usize, Option<&'a str>), Damage> {
        let expected =
            "the number of timers and the metric, as in `4 templated_functions_MULTI_TIME`";
        let line = self.next(expected)?;
        let parts = line.trim().split_once(' ').ok_or_else(|| self.damage(expected))?;
        let number = parts.0.parse().map_err(|_| self.damage(expected))?;
        let metric = parts.1.trim().strip_prefix("templated_functions");
        let metric = metric.ok_or_else(|| self.damage(expected))?;
        Ok((number, metric.strip_prefix("_MULTI_").filter(|name| !name.is_empty())))
    }

    /// The names of the columns with the facts after them. Returns whether there is a column with
    /// the sums of squares.
    fn header(&mut self, profile: &mut Profile<'a>) -> Result<bool, Damage> {
        let expected = "the names of the columns, `# Name Calls Subrs Excl Incl ProfileCalls`";
        let line = self.next(expected)?;
        let columns = line.strip_prefix("# Name Calls Subrs Excl Incl ");
        let columns = columns.ok_or_else(|| self.damage(expected))?;
        let has_squares = columns.starts_with("SumExclSqr ProfileCalls");
        if !has_squares && !columns.starts_with("ProfileCalls") {
            return Err(self.damage(expected));
        }
        let attributes = columns.split("<attribute>").skip(1);
        profile.facts = attributes.filter_map(attribute).collect();
        Ok(has_squares)
    }

    /// `"NAME" CALLS SUBRS EXCL INCL [SUMEXCLSQR] PROFILECALLS GROUP="GROUPS"`.
    fn timer(&mut self, has_squares: bool) -> Result<Timer<'a>, Damage> {
        let expected =
            "a timer with its numbers, `\"NAME\" CALLS SUBRS EXCL INCL 0 GROUP=\"GROUP\"`";
        let line = self.next(expected)?;
        let (name, rest) = quoted(line).ok_or_else(|| self.damage(expected))?;
        let (numbers, groups) = rest.split_once("GROUP=").unwrap_or((rest, ""));
        let numbers = self.numbers(numbers, expected)?;
        let (calls, exclusive, inclusive, lines) = match (numbers.as_slice(), has_squares) {
            (&[calls, _, exclusive, inclusive, lines], false)
            | (&[calls, _, exclusive, inclusive, _, lines], true) => {
                (calls, exclusive, inclusive, lines)
            }
            _ => return Err(self.damage(expected)),
        };
        if [calls, exclusive, inclusive].iter().any(|it| !(0.0..=VALUE_MAX).contains(it)) {
            return Err(self.damage("numbers from 0 to 1e15"));
        }
        let is_of_parameter = groups.contains(PARAMETERS);
        let timer = Timer { name, calls, exclusive, inclusive, is_of_parameter };
        for _ in 0..lines as u64 {
            self.next("the time of a single visit")?;
        }
        Ok(timer)
    }

    /// `"NAME" SAMPLES MAX MIN MEAN SUMSQR`.
    fn event(&mut self) -> Result<Event<'a>, Damage> {
        let expected = "a user event with its numbers, `\"NAME\" SAMPLES MAX MIN MEAN SUMSQR`";
        let line = self.next(expected)?;
        let (name, rest) = quoted(line).ok_or_else(|| self.damage(expected))?;
        let numbers = self.numbers(rest, expected)?;
        let &[samples, _, _, mean, _] = numbers.as_slice() else {
            return Err(self.damage(expected));
        };
        if !(0.0..=VALUE_MAX).contains(&samples) {
            return Err(self.damage("a number of samples from 0 to 1e15"));
        }
        Ok(Event { name, samples, mean })
    }

    fn numbers(&self, text: &str, expected: &'static str) -> Result<Vec<f64>, Damage> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
        numbers.ok_or_else(|| self.damage(expected))
    }

    /// The number in a line such as `0 aggregates`; `None` if the file has ended before.
    fn count(&mut self, what: &str, expected: &'static str) -> Result<Option<usize>, Damage> {
        if self.lines.clone().all(|line| line.trim().is_empty()) {
            return Ok(None);
        }
        let line = self.next(expected)?;
        let number = line.trim().strip_suffix(what).and_then(|it| it.trim().parse().ok());
        number.map(Some).ok_or_else(|| self.damage(expected))
    }
}

/// The text in quotes with which a line begins, and the rest.
fn quoted(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((name.trim(), rest))
}

/// `<name>NAME</name><value>VALUE</value>`.
fn attribute(text: &str) -> Option<(&str, String)> {
    let (name, rest) = text.strip_prefix("<name>")?.split_once("</name>")?;
    let (value, _) = rest.strip_prefix("<value>")?.split_once("</value>")?;
    let value = match value.strip_prefix("<![CDATA[").and_then(|it| it.strip_suffix("]]>")) {
        Some(verbatim) => verbatim.to_owned(),
        None => unescaped(value),
    };
    Some((name, value))
}

/// A text without the five names of XML and the line break of TAU.
fn unescaped(text: &str) -> String {
    let names = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#xa;", "\n"),
        ("&amp;", "&"),
    ];
    names.iter().fold(text.to_owned(), |text, (name, letter)| text.replace(name, letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    const HEADER: &str = "# Name Calls Subrs Excl Incl ProfileCalls #";

    fn check(text: &str, expect: Expect) {
        expect.assert_eq(&match parse(text) {
            Ok(profile) => format!("{profile:?}"),
            Err(damage) => damage.to_string(),
        });
    }

    #[test]
    fn all_parts_of_a_file_are_read() {
        let text = "1 templated_functions_MULTI_TIME\n\
            # Name Calls Subrs Excl Incl SumExclSqr ProfileCalls # <metadata><attribute><name>Hostname\
            </name><value>a&lt;b</value></attribute><attribute><name>CWD</name>\
            <value><![CDATA[/x&y]]></value></attribute></metadata>\n\
            \"main int (int)  \" 2 1 1.5 2E3 9 2 GROUP=\"TAU_DEFAULT | MPI\" \n1 2\n3 4\n\
            1 aggregates\nx\n1 userevents\n# eventname numevents max min mean sumsqr\n\
            \"size : main\" 3 9 1 -4.5 7\n";
        check(
            text,
            expect![[
                r#"Profile { metric: Some("TIME"), facts: [("Hostname", "a<b"), ("CWD", "/x&y")], timers: [Timer { name: "main int (int)", calls: 2.0, exclusive: 1.5, inclusive: 2000.0, is_of_parameter: false }], events: [Event { name: "size : main", samples: 3.0, mean: -4.5 }] }"#
            ]],
        );
    }

    #[test]
    fn an_old_file_has_no_metric_and_ends_after_its_timers() {
        let text = format!("1 templated_functions\n{HEADER}\n\"f\" 1 0 2 2 0\n");
        check(
            &text,
            expect![[
                r#"Profile { metric: None, facts: [], timers: [Timer { name: "f", calls: 1.0, exclusive: 2.0, inclusive: 2.0, is_of_parameter: false }], events: [] }"#
            ]],
        );
    }

    #[test]
    fn damage_is_told_with_its_line() {
        check(
            "",
            expect![
                "line 1: expected the number of timers and the metric, as in `4 templated_functions_MULTI_TIME`, found the end of the file"
            ],
        );
        check(
            "x templated_functions",
            expect![
                "line 1: expected the number of timers and the metric, as in `4 templated_functions_MULTI_TIME`, found `x templated_functions`"
            ],
        );
        check(
            "1 templated_functions\n# Name",
            expect![
                "line 2: expected the names of the columns, `# Name Calls Subrs Excl Incl ProfileCalls`, found `# Name`"
            ],
        );
        let with = |lines: &str| format!("1 templated_functions\n{HEADER}\n{lines}");
        let timer = "\"f\" 1 0 2 2 0 GROUP=\"G\"\n";
        check(
            &with(""),
            expect![[
                r#"line 3: expected a timer with its numbers, `"NAME" CALLS SUBRS EXCL INCL 0 GROUP="GROUP"`, found the end of the file"#
            ]],
        );
        check(
            &with("\"f\" 1 0 2"),
            expect![[
                r#"line 3: expected a timer with its numbers, `"NAME" CALLS SUBRS EXCL INCL 0 GROUP="GROUP"`, found `\"f\" 1 0 2`"#
            ]],
        );
        check(
            &with("\"f\" 1 0 nan 2 0"),
            expect![[
                r#"line 3: expected a timer with its numbers, `"NAME" CALLS SUBRS EXCL INCL 0 GROUP="GROUP"`, found `\"f\" 1 0 nan 2 0`"#
            ]],
        );
        check(
            &with("\"f\" 1 0 -2 2 0"),
            expect![[r#"line 3: expected numbers from 0 to 1e15, found `\"f\" 1 0 -2 2 0`"#]],
        );
        check(
            &with("\"f\" 1 0 2 2 1e300"),
            expect!["line 4: expected the time of a single visit, found the end of the file"],
        );
        check(
            &with(&format!("{timer}{timer}")),
            expect![[
                r#"line 4: expected the line `0 aggregates` after the timers, found `\"f\" 1 0 2 2 0 GROUP=\"G\"`"#
            ]],
        );
        check(
            &with(&format!("{timer}0 aggregates\n2 userevents\n#\n\"e\" 1 1 1 1")),
            expect![[
                r#"line 7: expected a user event with its numbers, `"NAME" SAMPLES MAX MIN MEAN SUMSQR`, found `\"e\" 1 1 1 1`"#
            ]],
        );
    }
}
