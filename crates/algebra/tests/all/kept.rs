//! The tools take reports as they come: over the kept corpus of the fuzz target of the reader, all of
//! them end with a result or an error, and laws hold where values can be read.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use pompeii_algebra::{
    CallTreeOptions, CleanOptions, Combination, CompareOptions, CutOptions, DumpFormat,
    DumpOptions, Input, PartOptions, Pattern, Rows, StatisticsOptions, SystemMode, call_tree,
    choose_metrics, clean, compare, cut, diff, dump, info, mean, merge, part, sanity, statistics,
    top_regions,
};
use pompeii_cubex::{Limits, Reader, Result};

/// Values of a report, at most: the tools are linear, but a debug build is slow.
const VALUES_MAX: usize = 1 << 12;

fn opened() -> Vec<Reader> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/cubex");
    let mut paths: Vec<_> =
        fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let limits = Limits { unpacked_bytes_max: 1 << 20, ..Limits::default() };
    let open = |path: &std::path::PathBuf| {
        let reader = Reader::from_bytes_within(fs::read(path).unwrap(), limits).ok()?;
        let report = reader.report();
        let size = report.metrics.len().max(1) * report.call_paths.len().max(1);
        let row: u64 = report.metrics.iter().filter_map(|(_, m)| m.data_type.size_bytes()).sum();
        let columns = report.system.locations.len();
        (size * columns < VALUES_MAX && row < 1 << 12).then_some(reader)
    };
    paths.iter().filter_map(open).collect()
}

/// Computes every row of a result.
fn all(rows: &dyn Rows) -> Result<usize> {
    let mut stored = 0;
    for metric in rows.report().metrics.ids() {
        for call_path in rows.report().call_paths.ids() {
            let row = rows.row(metric, call_path)?;
            let locations = rows.report().system.locations.len();
            assert!(row.as_ref().is_none_or(|row| row.len() == locations));
            stored += usize::from(row.is_some());
        }
    }
    Ok(stored)
}

fn reports(rows: &dyn Rows) -> Result<()> {
    let metrics = choose_metrics(rows.report(), &[])?;
    let options = StatisticsOptions { metrics: metrics.clone(), ..StatisticsOptions::default() };
    let first = metrics.first().copied();
    for format in [DumpFormat::Human, DumpFormat::Csv2, DumpFormat::Gnuplot, DumpFormat::Json] {
        let metrics = metrics.clone();
        let options = DumpOptions { metrics, format, ..DumpOptions::default() };
        dump(rows, &options, &mut Cursor::new(Vec::new()))?;
    }
    statistics(rows, &options)?;
    first.map(|metric| top_regions(rows, metric, 3)).transpose()?;
    call_tree(rows, &CallTreeOptions { metric: first, ..CallTreeOptions::default() })?;
    info(rows)?;
    sanity(rows)?;
    Ok(())
}

fn smaller(rows: &dyn Rows) -> Result<()> {
    let everything = vec![Pattern::new("*")];
    let leaves = CutOptions { leaves: everything.clone(), ..CutOptions::default() };
    let prune = CutOptions { prune: everything, ..CutOptions::default() };
    for options in [leaves, prune] {
        if let Ok(outcome) = cut(rows, &options) {
            all(&outcome)?;
        }
    }
    if let Ok(outcome) =
        part(rows, &PartOptions { threads: "0".parse().ok(), ..PartOptions::default() })
    {
        all(&outcome)?;
    }
    let options =
        CleanOptions { empty_call_paths: true, empty_metrics: true, empty_locations: true };
    let cleaned = clean(rows, &options)?;
    assert_eq!(all(&clean(&cleaned, &options)?)?, all(&cleaned)?);
    Ok(())
}

#[test]
fn no_report_breaks_a_tool() {
    let readers = opened();
    assert!(readers.len() > 40, "{} reports", readers.len());
    let mut whole = 0;
    for (index, reader) in readers.iter().enumerate() {
        let input = Input::new(reader);
        let other = Input::new(&readers[(index + 1) % readers.len()]);
        let results = [reports(&input), smaller(&input)];
        whole += usize::from(results.iter().all(Result::is_ok));
        for system in [SystemMode::Auto, SystemMode::Collapse, SystemMode::Union] {
            let how = Combination { system, ..Combination::default() };
            let _ = all(&diff(&input, &other, &how));
            let _ = all(&mean(&[&input, &other, &input], &how));
            let _ = all(&merge(&[&other, &input], &how));
        }
        if all(&input).is_ok() {
            let merged = merge(&[&input], &Combination::default());
            let found = compare(&input, &merged, &CompareOptions::default());
            // A value that is no number is not equal to itself, unless it is a plain double.
            assert!(found.is_ok());
        }
    }
    assert!(whole > 30, "{whole} of {} reports could be read to the end", readers.len());
}
