//! Traces as comma-separated values.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use pompeii_export::csv;
use pompeii_replay::text;

/// Files in memory, by name.
pub type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// One of them.
pub struct File(pub Files, pub String);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.0.lock().unwrap();
        files.entry(self.1.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The files of a trace, by name.
fn files(trace: &str, threads: usize) -> BTreeMap<String, String> {
    let trace = text::parse(trace).unwrap();
    let files = Files::default();
    let create = |name: &str| Ok(File(files.clone(), name.to_owned()));
    let read = csv::write(&mut || Ok(trace.trace()), threads, create).unwrap();
    assert_eq!(read.errors, 0);
    let files = std::mem::take(&mut *files.lock().unwrap());
    files.into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect()
}

const NESTED: &str = "end 60
    5 0.0 + main
    10 0.0 + inner
    20 0.0 -
    50 0.0 -";

#[test]
fn visits_name_their_call_paths() {
    let files = files(NESTED, 1);
    let of = |name: &str| files[name].as_str();
    assert_eq!(of("trace.csv"), "program,ticks_per_second,begin,end\nprogram,1,0,60\n");
    assert_eq!(of("processes.csv"), "process,name,node,master\n0,rank 0,node,0\n");
    assert_eq!(of("locations.csv"), "location,id,name,process\n0,0,0.0,0\n");
    let regions = "region,name,label,role,paradigm,file,begin_line,end_line\n\
                   0,program,program,artificial,measurement,,0,0\n\
                   1,TASKS,TASKS,artificial,measurement,,0,0\n\
                   2,MEASUREMENT OFF,MEASUREMENT OFF,artificial,measurement,,0,0\n\
                   3,main,main,function,user,,0,0\n\
                   4,inner,inner,function,user,,0,0\n";
    assert_eq!(of("regions.csv"), regions);
    assert_eq!(of("calls.csv"), "call,parent,region\n0,0,0\n1,1,1\n2,0,3\n3,2,4\n");
    let visits = "location,visit,enter,leave,call,parent,task\n\
                  0,2,10,20,3,1,0\n\
                  0,1,5,50,2,0,0\n";
    assert_eq!(of("visits.csv"), visits);
}

/// The program has 5 ticks before `main` and 10 after it, `main` 35 without `inner`.
#[test]
fn severities_are_times_without_callees() {
    let files = files(NESTED, 1);
    let rows = files["severities.csv"].lines().skip(1);
    let mut ticks: Vec<(&str, &str)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            (cells[0], cells[3])
        })
        .collect();
    ticks.sort_unstable();
    assert_eq!(ticks, [("0", "15"), ("2", "35"), ("3", "10")]);
}

#[test]
fn a_table_without_rows_has_its_columns() {
    let files = files(NESTED, 1);
    assert_eq!(files.len(), 15, "{:?}", files.keys());
    let messages = "location,visit,call,post,send,sender,comm,tag,bytes,sent,received\n";
    assert_eq!(files["messages.csv"], messages);
}

/// Thread 1 waits from 20 to 30 for thread 0: the visits of other locations have other numbers.
#[test]
fn a_wait_names_the_visit_that_it_waits_for() {
    let trace = "end 60
        team A = 0.0 0.1
        10 0.0 fork
        12 0.0 team A; + parallel
        14 0.1 team A; + parallel
        20 0.1 + ibarrier
        30 0.0 + ibarrier
        31 0.1 -; -; endteam A
        33 0.0 -; -; endteam A
        40 0.0 join";
    for threads in [1, 2] {
        let files = files(trace, threads);
        let waits: Vec<&str> = files["waits.csv"].lines().collect();
        let columns = "location,visit,call,kind,begin,ticks,causer,causer_call,causer_location";
        assert_eq!(waits[0], columns);
        let cells: Vec<&str> = waits[1].split(',').collect();
        let second = ((1_u64 << 40) | 2).to_string();
        assert_eq!((cells[0], cells[1]), ("1", second.as_str()));
        assert_eq!(&cells[3..7], ["0", "20", "10", "2"]);
        assert_eq!((cells.len(), cells[8], waits.len()), (9, "0", 2));
    }
}

#[test]
fn a_file_that_cannot_be_made_is_an_error() {
    let trace = text::parse(NESTED).unwrap();
    for refused in ["trace.csv", "waits.csv", "severities.csv"] {
        let create = |name: &str| match name {
            _ if name == refused => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
            _ => Ok(io::sink()),
        };
        let result = csv::write(&mut || Ok(trace.trace()), 1, create);
        assert!(matches!(result, Err(pompeii_export::Error::Output(_))), "{refused}");
    }
}
