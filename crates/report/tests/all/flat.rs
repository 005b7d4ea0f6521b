//! The flat profile of a made-up run. Its columns are the share of the time, exclusive and inclusive
//! time, visits, visits of callees, and inclusive time of a visit.

use pompeii_analysis::notation;
use pompeii_model::{Cube, LocationId};
use pompeii_report::{FlatBy, FlatKey, FlatOf, FlatOptions, Options, flat};

/// Two threads; a tick is a millisecond.
const RUN: &str = "wall=100 locations=2
    main@a.c:1                                            0    time=10 visits=1
    main@a.c:1/solve@a.c:5                                0    time=20 visits=5
    main@a.c:1/solve@a.c:5/parallel@a.c:6                 0-1  time=20 visits=5
    main@a.c:1/solve@a.c:5/parallel@a.c:6/flux@a.c:2      0-1  time=5 visits=5
    main@a.c:1/solve@a.c:5/parallel@a.c:6/barrier@a.c:9   1    time=10 visits=2
    main@a.c:1/solve@a.c:5/barrier@a.c:12                 0    time=2 visits=2";

const TOTAL: FlatOptions = FlatOptions {
    by: FlatBy::Region,
    key: FlatKey::Inclusive,
    of: FlatOf::Total,
    is_reversed: false,
};

fn cube() -> Cube {
    notation::cube(RUN).unwrap()
}

/// The lines with one blank between columns.
fn lines(options: &FlatOptions) -> Vec<String> {
    let text = flat(&cube(), options, &Options::default()).unwrap();
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The names of the lines: they are the last word, or begin with the construct.
fn names(options: &FlatOptions) -> Vec<String> {
    let name = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        words[words.len() - 1].to_owned()
    };
    lines(options).iter().skip(2).map(name).collect()
}

#[test]
fn each_region_has_a_line() {
    let expected = [
        "Flat profile of all 2 threads together",
        "time exclusive inclusive visits callees per visit region",
        "100 % 10 ms 92 ms 1 5 92 ms main",
        "89 % 20 ms 82 ms 5 12 16 ms solve",
        "65 % 40 ms 60 ms 10 12 6.0 ms parallel a.c:6",
        "11 % 10 ms 10 ms 10 0 1.0 ms flux",
        "11 % 10 ms 10 ms 2 0 5.0 ms barrier a.c:9",
        "2 % 2.0 ms 2.0 ms 2 0 1.0 ms barrier a.c:12",
    ];
    assert_eq!(lines(&TOTAL), expected);
}

#[test]
fn constructs_of_a_kind_are_together() {
    let expected = [
        "Flat profile of all 2 threads together",
        "time exclusive inclusive visits callees per visit construct",
        "100 % 10 ms 92 ms 1 5 92 ms main",
        "89 % 20 ms 82 ms 5 12 16 ms solve",
        "65 % 40 ms 60 ms 10 12 6.0 ms parallel",
        "13 % 12 ms 12 ms 4 0 3.0 ms barrier",
        "11 % 10 ms 10 ms 10 0 1.0 ms flux",
    ];
    assert_eq!(lines(&FlatOptions { by: FlatBy::Construct, ..TOTAL }), expected);
}

/// Functions called from constructs are callees of the function that has the construct.
#[test]
fn constructs_belong_to_their_function() {
    let expected = [
        "Flat profile of all 2 threads together",
        "time exclusive inclusive visits callees per visit function",
        "100 % 10 ms 92 ms 1 5 92 ms main",
        "89 % 72 ms 82 ms 5 10 16 ms solve",
        "11 % 10 ms 10 ms 10 0 1.0 ms flux",
    ];
    assert_eq!(lines(&FlatOptions { by: FlatBy::Function, ..TOTAL }), expected);
}

#[test]
fn functions_of_two_files_have_lines_of_their_own() {
    let run = "wall=100 locations=1
    main@a.c:1                  0    time=10 visits=1
    main@a.c:1/step@a.c:5       0    time=20 visits=2
    main@a.c:1/step@b.c:7       0    time=30 visits=3";
    let text = flat(&notation::cube(run).unwrap(), &TOTAL, &Options::default()).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.ends_with(" step")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains(" 30 ms ") && lines[1].contains(" 20 ms "), "{text}");
}

#[test]
fn a_thread_has_its_own_lines() {
    let of = FlatOf::Location(LocationId(1));
    let expected = [
        "Flat profile of thread 1 (0,0,1)",
        "time exclusive inclusive visits callees per visit region",
        "100 % 0 s 35 ms 0 0 - main",
        "100 % 0 s 35 ms 0 5 - solve",
        "100 % 20 ms 35 ms 5 7 7.0 ms parallel a.c:6",
        "29 % 10 ms 10 ms 2 0 5.0 ms barrier a.c:9",
        "14 % 5.0 ms 5.0 ms 5 0 1.0 ms flux",
    ];
    assert_eq!(lines(&FlatOptions { of, ..TOTAL }), expected);
}

#[test]
fn the_mean_divides_times_and_visits() {
    let lines = lines(&FlatOptions { of: FlatOf::Mean, ..TOTAL });
    assert_eq!(lines[0], "Flat profile of the mean of 2 threads");
    assert_eq!(lines[2], "100 % 5.0 ms 46 ms 0.5 2.5 92 ms main");
}

#[test]
fn the_keys_of_pprof_sort() {
    let by = |key| names(&FlatOptions { key, by: FlatBy::Construct, ..TOTAL });
    assert_eq!(by(FlatKey::Visits), ["parallel", "flux", "solve", "barrier", "main"]);
    assert_eq!(by(FlatKey::Callees), ["solve", "parallel", "main", "flux", "barrier"]);
    assert_eq!(by(FlatKey::Exclusive), ["parallel", "solve", "barrier", "main", "flux"]);
    assert_eq!(by(FlatKey::ExclusivePerVisit), ["main", "solve", "parallel", "barrier", "flux"]);
    assert_eq!(by(FlatKey::InclusivePerVisit), ["main", "solve", "parallel", "barrier", "flux"]);
    assert_eq!(by(FlatKey::Name), ["barrier", "flux", "main", "parallel", "solve"]);
    let reversed = FlatOptions { key: FlatKey::Name, is_reversed: true, ..TOTAL };
    let reversed = FlatOptions { by: FlatBy::Construct, ..reversed };
    assert_eq!(names(&reversed), ["solve", "parallel", "main", "flux", "barrier"]);
}

#[test]
fn names_are_whole_in_a_pipe_only() {
    let long = RUN.replace("flux", "a_function_with_a_very_long_name");
    let cube = notation::cube(&long).unwrap();
    let cut = flat(&cube, &TOTAL, &Options::default()).unwrap();
    assert!(cut.lines().any(|line| line.ends_with("a_functi…ong_name")), "{cut}");
    let whole = flat(&cube, &TOTAL, &Options { whole_names: true, ..Options::default() }).unwrap();
    assert!(whole.contains(" a_function_with_a_very_long_name\n"), "{whole}");
}

#[test]
fn a_difference_has_no_flat_profile() {
    let mut cube = cube();
    cube.difference = Some("a - b".to_owned());
    let error = flat(&cube, &TOTAL, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("it is a difference"), "{error}");
}
