//! What `pompeii diff` says, as a page. It has all rows, and whole call paths.

use pompeii_analysis::compare::{Comparison, FindingChange, PathChange};
use pompeii_analysis::format;

use crate::diff::{
    COLUMNS, columns, finding_name, noise, sides, threads_note, unlisted_note, whole_values, wholes,
};
use crate::plain_page::{Page, Row};

/// The comparison as a page. `names` are those of the two sets.
pub fn diff_page(names: [&str; 2], of: &Comparison) -> String {
    let mut page = Page::new(&format!("From {} to {}", names[0], names[1]));
    page.sentence(&noise(of));
    threads_note(of).iter().for_each(|note| page.sentence(note));
    let whole = |whole| {
        let (title, [values, changed], word) = whole_values(whole);
        (title.to_owned(), vec![values, changed, word.to_owned()])
    };
    page.table(&[], wholes(of).map(whole));
    for (title, paths) in sides(of) {
        let row = |of: &&PathChange| {
            let name = format!("{}  {}", of.path.join(" > "), of.metric);
            (name, columns(&of.change, of.share).to_vec())
        };
        table(&mut page, title, paths.iter().map(row).collect());
    }
    page.sentence(&unlisted_note(of));
    let row = |of: &FindingChange| (finding_name(of), columns(&of.change, of.share).to_vec());
    table(&mut page, "Findings", of.findings.iter().map(row).collect());
    page.end()
}

fn table(page: &mut Page, title: &str, rows: Vec<Row>) {
    if !rows.is_empty() {
        page.heading(&format!("{title} ({})", format::counted(rows.len() as i64, "row")));
        let heads = [""].into_iter().chain(COLUMNS).map(str::to_owned).collect::<Vec<_>>();
        page.table(&heads, rows);
    }
}

#[cfg(test)]
mod tests {
    use pompeii_analysis::compare::{Change, Noise};

    use super::*;

    fn change(before: f64, after: f64) -> Change {
        Change { before, after, noise: None, probability: None, is_real: true }
    }

    #[test]
    fn the_page_has_what_the_terminal_shows() {
        let path = |name: &str, after| PathChange {
            path: vec!["main".to_owned(), name.to_owned()],
            metric: "comp".to_owned(),
            change: change(1.0, after),
            share: (after - 1.0) / 5.0,
        };
        let of = Comparison {
            runs: [1, 1],
            threads: [2, 4],
            noise: Noise::Unknown,
            wall: change(2.0, 1.5),
            allocation: change(4.0, 6.0),
            efficiency: change(0.75, 0.5),
            paths: vec![path("solve<int>", 3.0), path("read", 0.5)],
            unlisted: 7,
            findings: vec![FindingChange {
                label: "for a.c:7".to_owned(),
                property: "omp_ibarrier_wait",
                cause: "imbalance_steady",
                change: change(0.0, 1.0),
                share: 0.25,
            }],
        };
        let page = diff_page(["old", "new"], &of);
        for part in [
            "<h1>From old to new</h1>",
            "One run each: the noise is not known",
            "The runs have 2 and 4 threads.",
            "<td>Wall time</td><td class=\"number\">2.0 s -&gt; 1.5 s</td>\
             <td class=\"number\">-25 %</td><td class=\"number\">noise not known</td>",
            "<h2>Less time (1 row)</h2>",
            "<td>main &gt; read  comp</td><td class=\"number\">-0.50 s</td>\
             <td class=\"number\">-10 %</td><td class=\"number\">?</td>",
            "<h2>More time (1 row)</h2>",
            "<td>main &gt; solve&lt;int&gt;  comp</td><td class=\"number\">+2.0 s</td>",
            "7 values of call paths",
            "<td>new: for a.c:7  imbalance_steady</td>",
        ] {
            assert!(page.contains(part), "expected `{part}` in\n{page}");
        }
        assert!(!page.contains("<script"), "{page}");
    }
}
