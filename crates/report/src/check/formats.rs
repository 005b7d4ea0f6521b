//! Results of rules for systems that build and test: JUnit's XML, which most of them show, and the
//! annotations of GitHub, which stand next to the line of the source.

use pompeii_analysis::rules::Place;

use super::words::{name, places, sentence};
use super::{Checked, broken};

/// The results as JUnit has those of tests: a rule is a test case.
pub fn junit(experiment: &str, checked: &[Checked]) -> String {
    let experiment = xml(experiment);
    let counts = format!("tests=\"{}\" failures=\"{}\"", checked.len(), broken(checked));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n\
         \x20 <testsuite name=\"pompeii check {experiment}\" {counts}>\n"
    );
    for of in checked {
        let name = xml(&name(&of.rule));
        let case = format!("    <testcase classname=\"{experiment}\" name=\"{name}\"");
        if of.verdict.holds {
            text += &format!("{case}/>\n");
            continue;
        }
        let (message, places) = (xml(&sentence(of)), xml(&places(of)));
        text += &format!(
            "{case}>\n      <failure type=\"rule\" message=\"{message}\">{places}</failure>\n    \
             </testcase>\n"
        );
    }
    text + "  </testsuite>\n</testsuites>\n"
}

/// Text for an attribute or an element of XML, which has no control characters.
fn xml(text: &str) -> String {
    let escaped = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => "\u{fffd}".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// An annotation of GitHub for each broken rule, at the source line that has most of the value.
/// Sources below `folder`, where the project was checked out, are named from there.
pub fn github(checked: &[Checked], folder: &str) -> String {
    let broken = checked.iter().filter(|of| !of.verdict.holds);
    let line = |of: &Checked| {
        let place = of.verdict.places.iter().find(|place| place.line > 0 && !place.file.is_empty());
        let source = place.map_or(String::new(), |place| format!("{},", source(place, folder)));
        let message = [sentence(of), places(of)].join(" ");
        let message = escaped(message.trim_end(), &[]);
        format!("::error {source}title=pompeii check::{message}\n")
    };
    broken.map(line).collect()
}

fn source(place: &Place, folder: &str) -> String {
    let below = place.file.strip_prefix(folder).and_then(|file| file.strip_prefix('/'));
    let file = below.filter(|_| !folder.is_empty()).unwrap_or(&place.file);
    format!("file={},line={}", escaped(file, &[':', ',']), place.line)
}

/// Text of an annotation, in which `%`, ends of lines, and `more` stand for other things.
fn escaped(text: &str, more: &[char]) -> String {
    let escaped = |c: char| match c {
        '%' | '\r' | '\n' => format!("%{:02X}", c as u32),
        c if more.contains(&c) => format!("%{:02X}", c as u32),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::checked;

    #[test]
    fn rules_are_test_cases() {
        let text = junit("a&b", &checked(&["wall_time<1.5 s", "omp_ibarrier_wait<5%"]));
        let expected = concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
            "<testsuites tests=\"2\" failures=\"1\">\n",
            "  <testsuite name=\"pompeii check a&amp;b\" tests=\"2\" failures=\"1\">\n",
            "    <testcase classname=\"a&amp;b\" name=\"wall_time&lt;1.5 s\"/>\n",
            "    <testcase classname=\"a&amp;b\" name=\"omp_ibarrier_wait&lt;5%\">\n",
            "      <failure type=\"rule\" message=\"omp_ibarrier_wait is 15 % of wall time x ",
            "threads (0.30 s), expected less than 5%.\">Most of it is at implicit barrier a.c:9 ",
            "(0.30 s).</failure>\n",
            "    </testcase>\n",
            "  </testsuite>\n",
            "</testsuites>\n",
        );
        assert_eq!(text, expected);
        assert_eq!(xml("a\x1b\"<ä"), "a\u{fffd}&quot;&lt;ä");
    }

    #[test]
    fn broken_rules_are_annotations_at_lines() {
        let rules = ["wall_time<1.5 s", "omp_ibarrier_wait<5%", "parallel_efficiency>0.9"];
        let expected = concat!(
            "::error file=a.c,line=9,title=pompeii check::omp_ibarrier_wait is 15 %25 of wall ",
            "time x threads (0.30 s), expected less than 5%25. Most of it is at implicit barrier ",
            "a.c:9 (0.30 s).\n",
            "::error title=pompeii check::parallel_efficiency is 60 %25, expected more than 0.9.\n",
        );
        assert_eq!(github(&checked(&rules), "/home/project"), expected);
    }

    #[test]
    fn sources_are_named_from_the_project() {
        let place =
            |file: &str| Place { label: String::new(), file: file.to_owned(), line: 3, value: 0.0 };
        assert_eq!(source(&place("/p/src/a.c"), "/p"), "file=src/a.c,line=3");
        assert_eq!(source(&place("/pp/a.c"), "/p"), "file=/pp/a.c,line=3");
        assert_eq!(source(&place("/p/a,b:c.c"), ""), "file=/p/a%2Cb%3Ac.c,line=3");
    }
}
