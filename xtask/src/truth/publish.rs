//! `cargo xtask truth --publish FILE...`: the page of the manual that shows what the court found,
//! `docs/truth.md`, made from the files that `--json` wrote, one for each seed. The page and its
//! files are committed together, and a test compares them, so that no number on the page is typed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The seeds' files, next to the page.
const FOLDER: &str = "docs/truth";
const PAGE: &str = "docs/truth.md";

/// Copies the files next to the page and writes the page.
pub(super) fn publish(files: &[PathBuf], root: &Path) -> Result<()> {
    ensure!(!files.is_empty(), "--publish needs the files that --json wrote, one for each seed");
    let texts: Vec<String> = files
        .iter()
        .map(|file| std::fs::read_to_string(file).with_context(|| file.display().to_string()))
        .collect::<Result<_>>()?;
    let page = page(&texts)?;
    let folder = root.join(FOLDER);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for text in &texts {
        let seed = &serde_json::from_str::<Value>(text)?["seed"];
        std::fs::write(folder.join(format!("seed-{seed}.json")), text)?;
    }
    std::fs::write(root.join(PAGE), page).with_context(|| PAGE.to_owned())
}

/// The page for the contents of some files.
fn page(texts: &[String]) -> Result<String> {
    let mut seeds: Vec<Value> = texts
        .iter()
        .map(|text| serde_json::from_str(text).context("a file of --json"))
        .collect::<Result<_>>()?;
    seeds.sort_by_key(|seed| seed["seed"].as_u64());
    let mut page = String::from(INTRODUCTION);
    summary(&mut page, &seeds)?;
    for seed in &seeds {
        rows(&mut page, seed)?;
    }
    Ok(page)
}

const INTRODUCTION: &str = "\
# How true the findings are

`cargo xtask truth` compares reports with the truth. Each program of
[tests/truth](../tests/truth/README.md) has one thing that makes it slow, and a second version in
which this one thing is repaired. The first finding must name the cause and its line. Its gain must
be the time that the repair saves, measured without Pompeii in alternating pairs of runs. Following
its advice must not make the program slower. A seed chooses sizes, delays, late threads and numbers
of threads; of several seeds the worst one counts.

This page is made by `cargo xtask truth --publish` from the files in [truth/](truth/).

";

/// Machine and goals of each seed.
fn summary(page: &mut String, seeds: &[Value]) -> Result<()> {
    for seed in seeds {
        let others = 100.0 * seed["others"].as_f64().context("others")?;
        let machine = text(seed, "machine");
        writeln!(page, "* Seed {}: {machine}; other programs took {others:.1} %.", seed["seed"])?;
    }
    let names: String = seeds.iter().map(|seed| format!(" seed {} |", seed["seed"])).collect();
    writeln!(
        page,
        "\n| goal |{names} wanted | met |\n|---|{}---|---|",
        "---|".repeat(seeds.len())
    )?;
    let goals = |seed: &Value| seed["goals"].as_array().cloned().unwrap_or_default();
    let all: Vec<Vec<Value>> = seeds.iter().map(goals).collect();
    for (number, goal) in all.first().context("no seed")?.iter().enumerate() {
        let of_seeds: Vec<&Value> = all.iter().filter_map(|goals| goals.get(number)).collect();
        let values: String =
            of_seeds.iter().map(|goal| format!(" {} of {} |", goal["count"], goal["of"])).collect();
        let met = if of_seeds.iter().all(|goal| goal["met"] == true) { "yes" } else { "no" };
        let wanted = text(goal, "wanted");
        writeln!(page, "| {} |{values} {wanted} | {met} |", text(goal, "goal"))?;
    }
    Ok(())
}

/// The table of one seed.
fn rows(page: &mut String, seed: &Value) -> Result<()> {
    writeln!(page, "\n## Seed {}\n", seed["seed"])?;
    page.push_str(
        "| program | cause | first finding | gain predicted (s) | gain of the repair (s) | advice \
         | dilation stated, measured | verdict |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in seed["rows"].as_array().context("rows")? {
        let wait = if row["mpi_wait"] == false { ", waits not measured" } else { "" };
        write!(page, "| {}{wait} | {} at {} ", text(row, "program"), text(row, "cause"), at(row))?;
        match (row["not_run"].as_str(), row["failed"].as_str()) {
            (Some(lacking), _) => {
                writeln!(page, "| | | | | | not run: the machine lacks {lacking} |")?;
            }
            (_, Some(_)) => writeln!(page, "| | | | | | failed |")?,
            (None, None) => writeln!(page, "{}", observed(row))?,
        }
    }
    Ok(())
}

/// The columns of a row that was measured.
fn observed(row: &Value) -> String {
    let (first, measured) = (&row["first"], &row["measured"]);
    let found = match first["cause"].as_str() {
        Some(cause) => format!("{cause} at {}", at(first)),
        None if first.is_null() => "none".to_owned(),
        None => format!("no cause at {}", at(first)),
    };
    let seconds = |value: &Value| value.as_f64().map_or("-".to_owned(), |s| format!("{s:.3}"));
    let bounds = &first["bounds_s"];
    let predicted = match first["gain_s"].as_f64() {
        Some(gain) => format!("{gain:.3} ({}-{})", seconds(&bounds[0]), seconds(&bounds[1])),
        None => "not known".to_owned(),
    };
    let gained = match measured["gain_s"].as_f64() {
        Some(gain) => format!("{gain:.3} of {}", seconds(&measured["faulty_s"])),
        None => "undecided".to_owned(),
    };
    let advice = match measured["advised_to_faulty"]["median"].as_f64() {
        Some(ratio) => format!("{:+.1} %", 100.0 * (ratio - 1.0)),
        None => "-".to_owned(),
    };
    let percent = |value: &Value| {
        value.as_f64().map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
    };
    let dilation = &row["dilation"];
    let dilation = format!("{}, {}", percent(&dilation["stated"]), percent(&dilation["measured"]));
    format!("| {found} | {predicted} | {gained} | {advice} | {dilation} | {} |", verdict(row))
}

/// What is wrong with a row, or `right`.
fn verdict(row: &Value) -> String {
    let right = &row["right"];
    let mut wrong: Vec<&str> = ["stable", "cause", "line", "gain", "bounds", "dilation"]
        .into_iter()
        .filter(|name| right[*name] == false)
        .collect();
    if let Some(advice @ ("Missing" | "Wrong")) = right["advice"].as_str() {
        wrong.push(if advice == "Wrong" { "advice is wrong" } else { "advice is missing" });
    }
    if wrong.is_empty() { "right".to_owned() } else { format!("**{}**", wrong.join(", ")) }
}

fn at(value: &Value) -> &str {
    value["at"].as_str().unwrap_or("-")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const SEED: &str = r#"{
        "seed": 2, "machine": "2026-01-02; 2 CPUs", "others": 0.004,
        "goals": [{"goal": "gain right", "count": 1, "of": 2, "wanted": ">= 85 %", "met": false}],
        "rows": [
            {"program": "lock", "mpi_wait": true, "cause": "lock", "at": "lock.c:4",
             "first": {"cause": "lock", "at": "lock.c:4", "gain_s": 0.2, "bounds_s": [0.1, 0.3]},
             "measured": {"faulty_s": 0.5, "gain_s": 0.21,
                          "advised_to_faulty": {"median": 0.98}},
             "dilation": {"stated": 0.01, "measured": 0.02},
             "right": {"stable": true, "cause": true, "line": true, "gain": true, "bounds": true,
                       "advice": "Right", "dilation": true}},
            {"program": "ring", "mpi_wait": false, "cause": "late_sender", "at": "ring.c:9",
             "first": null, "measured": null, "dilation": {"stated": null, "measured": null},
             "right": {"stable": true, "cause": false, "line": false, "gain": false,
                       "bounds": null, "advice": "Wrong", "dilation": false}},
            {"program": "numa", "mpi_wait": true, "cause": "none", "at": null,
             "not_run": "2 NUMA nodes"}]
    }"#;

    #[test]
    fn a_page_shows_each_row_and_goal() {
        let page = page(&[SEED.to_owned()]).unwrap();
        let tables = page.strip_prefix(INTRODUCTION).unwrap();
        expect![[r#"
            * Seed 2: 2026-01-02; 2 CPUs; other programs took 0.4 %.

            | goal | seed 2 | wanted | met |
            |---|---|---|---|
            | gain right | 1 of 2 | >= 85 % | no |

            ## Seed 2

            | program | cause | first finding | gain predicted (s) | gain of the repair (s) | advice | dilation stated, measured | verdict |
            |---|---|---|---|---|---|---|---|
            | lock | lock at lock.c:4 | lock at lock.c:4 | 0.200 (0.100-0.300) | 0.210 of 0.500 | -2.0 % | 1 %, 2 % | right |
            | ring, waits not measured | late_sender at ring.c:9 | none | not known | undecided | - | -, - | **cause, line, gain, dilation, advice is wrong** |
            | numa | none at - | | | | | | not run: the machine lacks 2 NUMA nodes |
        "#]]
        .assert_eq(tables);
    }

    /// The committed page is what the committed files say.
    #[test]
    fn the_page_of_the_manual_is_true() {
        let root = crate::root();
        let Ok(folder) = std::fs::read_dir(root.join(FOLDER)) else { return };
        let texts: Vec<String> =
            folder.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
        let committed = std::fs::read_to_string(root.join(PAGE)).unwrap();
        assert_eq!(page(&texts).unwrap(), committed, "cargo xtask truth --publish docs/truth/*");
    }
}
