//! Damaged traces: any sequence of records is written in all formats, without panic or end, and the
//! results keep the rules of their formats. The fuzz target `export` uses this file, too.

#[path = "packets.rs"]
pub mod packets;
#[path = "../../../replay/tests/all/records.rs"]
pub mod records;

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use pompeii_export::{chrome, csv, firefox, paraver, parquet, perfetto, speedscope};
use serde_json::Value;

/// Writes the trace of these bytes in all formats.
pub fn check(input: &[u8]) {
    let trace = records::trace(input);
    let mut file = Vec::new();
    perfetto::write(&mut || Ok(trace.trace()), &mut file).unwrap();
    check_slices(&packets::show(&file));
    let mut file = Vec::new();
    chrome::write(&mut || Ok(trace.trace()), &mut file).unwrap();
    check_chrome(&serde_json::from_slice(&file).unwrap());
    let mut file = Vec::new();
    speedscope::write(&mut || Ok(trace.trace()), &mut file).unwrap();
    check_speedscope(&serde_json::from_slice(&file).unwrap());
    let mut file = Vec::new();
    firefox::write(&mut || Ok(trace.trace()), &mut file).unwrap();
    check_firefox(&serde_json::from_slice(&file).unwrap());
    let files = Files::default();
    paraver::write(&mut || Ok(trace.trace()), |_| Ok(files.add())).unwrap();
    check_paraver(std::str::from_utf8(&files.0.lock().unwrap()[2]).unwrap());
    for threads in [1, 3] {
        let files = Files::default();
        csv::write(&mut || Ok(trace.trace()), threads, |_| Ok(files.add())).unwrap();
        files.check(|table| {
            let lines = std::str::from_utf8(table).unwrap().lines();
            let commas = |line: &str| line.matches(',').count();
            let mut numbers: Vec<usize> = lines.map(commas).collect();
            numbers.dedup();
            assert_eq!(numbers.len(), 1, "all rows have the same number of cells");
        });
        let files = Files::default();
        parquet::write(&mut || Ok(trace.trace()), threads, |_| Ok(files.add())).unwrap();
        files.check(|table| assert!(table.starts_with(b"PAR1") && table.ends_with(b"PAR1")));
    }
}

/// On each track, slices end after they begin, and all of them end.
fn check_slices(packets: &str) {
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut times: HashMap<&str, u64> = HashMap::new();
    for line in packets.lines().filter(|line| !line.starts_with("track ")) {
        let mut words = line.split([' ', ':']).filter(|word| !word.is_empty());
        let time: u64 = words.next().unwrap().parse().unwrap();
        let (track, kind) = (words.nth(1).unwrap(), words.next().unwrap());
        let depth = open.entry(track).or_default();
        match kind {
            "begin" => *depth += 1,
            "end" => *depth = depth.checked_sub(1).unwrap(),
            _ => continue,
        }
        let before = times.insert(track, time).unwrap_or(0);
        assert!(time >= before, "{line}: after {before}");
    }
    assert!(open.values().all(|depth| *depth == 0), "{packets}");
}

/// On each thread, what begins ends. A region may end before a task that began in it, because
/// records of an inner team are missing.
fn check_chrome(file: &Value) {
    let mut open: HashMap<u64, usize> = HashMap::new();
    for event in file["traceEvents"].as_array().unwrap() {
        let Some(thread) = event["tid"].as_u64() else { continue };
        let depth = open.entry(thread).or_default();
        match event["ph"].as_str().unwrap() {
            "B" => *depth += 1,
            "E" => *depth = depth.checked_sub(1).unwrap(),
            _ => {}
        }
    }
    assert!(open.values().all(|depth| *depth == 0), "{open:?}");
}

/// In each profile, what is opened is closed, and times do not decrease.
fn check_speedscope(file: &Value) {
    for profile in file["profiles"].as_array().unwrap() {
        let (mut open, mut last) = (Vec::new(), 0);
        for event in profile["events"].as_array().unwrap() {
            let (frame, at) = (event["frame"].as_u64().unwrap(), event["at"].as_u64().unwrap());
            match event["type"].as_str().unwrap() {
                "O" => open.push(frame),
                _ => assert_eq!(open.pop(), Some(frame)),
            }
            assert!(at >= last, "{event}: after {last}");
            last = at;
        }
        assert!(open.is_empty() && profile["endValue"].as_u64().unwrap() >= last, "{profile}");
    }
}

/// The columns of a table have its length, numbers are those of rows, and each sample begins where
/// the one before it has ended.
fn check_firefox(file: &Value) {
    for thread in file["threads"].as_array().unwrap() {
        let rows = |table: &str| thread[table]["length"].as_u64().unwrap();
        let tables = ["samples", "markers", "stackTable", "frameTable", "funcTable"];
        for table in tables {
            let columns = thread[table].as_object().unwrap().values().filter_map(Value::as_array);
            columns.for_each(|column| assert_eq!(column.len() as u64, rows(table), "{table}"));
        }
        let strings = thread["stringArray"].as_array().unwrap().len() as u64;
        let references = [
            ("samples", "stack", rows("stackTable")),
            ("stackTable", "prefix", rows("stackTable")),
            ("stackTable", "frame", rows("frameTable")),
            ("frameTable", "func", rows("funcTable")),
            ("funcTable", "name", strings),
            ("funcTable", "fileName", strings),
            ("markers", "name", strings),
        ];
        for (table, column, number) in references {
            let mut values = thread[table][column].as_array().unwrap().iter();
            assert!(values.all(|it| it.as_u64().is_none_or(|it| it < number)), "{table}.{column}");
        }
        let column = |name: &str| thread["samples"][name].as_array().unwrap().iter();
        let mut end_ms = 0.0;
        for (time, weight) in column("time").zip(column("weight")) {
            let (time, weight) = (time.as_f64().unwrap(), weight.as_f64().unwrap());
            // Large numbers are rounded.
            assert!((time - end_ms).abs() <= 1e-6 + 1e-12 * time, "{time} after {end_ms}");
            end_ms = time + weight;
        }
    }
}

/// Records are in the order of time, and states of a thread follow each other.
fn check_paraver(records: &str) {
    let (mut last, mut states) = (0, HashMap::new());
    for line in records.lines().skip(1) {
        let numbers: Vec<u64> = line.split(':').map(|number| number.parse().unwrap()).collect();
        let time = numbers[5];
        assert!(time >= last, "{line}: after {last}");
        last = time;
        if numbers[0] == 1 {
            let before = states.insert((numbers[3], numbers[4]), numbers[6]).unwrap_or(0);
            assert!(before == time && time < numbers[6], "{line}: after {before}");
        }
    }
}

/// Files in memory.
#[derive(Clone, Default)]
struct Files(Arc<Mutex<Vec<Vec<u8>>>>);

/// One of them, by its number.
struct File(Files, usize);

impl Files {
    fn add(&self) -> File {
        let mut files = self.0.lock().unwrap();
        files.push(Vec::new());
        File(self.clone(), files.len() - 1)
    }

    fn check(&self, is_sound: impl Fn(&[u8])) {
        let files = self.0.lock().unwrap();
        assert_eq!(files.len(), 15);
        files.iter().for_each(|file| is_sound(file));
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap()[self.1].extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn any_records_are_written(
            input in proptest::collection::vec(any::<u8>(), 0..1200)
        ) {
            super::check(&input);
        }
    }
}
