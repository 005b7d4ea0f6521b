//! How many megabytes of source per second are instrumented, beside `opari2`. Both read a file and
//! write the result to a file; they take turns, and the median of several turns counts. Texts are
//! made here, or with a folder are the sources below it, joined by language ([`super::suite`]).

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{cpu_time, median, suite};
use crate::shell;

const TURNS: usize = 5;
/// About as large is each text.
pub const SIZE_BYTES: usize = 8_000_000;

/// A source: its file, and what its text repeats. `FILL` stands for so many lines of computation.
struct Source {
    file: &'static str,
    /// What is around it all.
    head: &'static str,
    tail: &'static str,
    /// A procedure with one directive; `NUMBER` makes names unique.
    unit: &'static str,
    /// A line without directives.
    line: &'static str,
    /// How many of these lines come per procedure.
    lines: usize,
}

const C: &str = "void step_NUMBER(int n, double *a, const double *b)\n{\n\
    #pragma omp parallel for schedule(static) shared(a, b)\n\
    \x20   for (int i = 0; i < n; i++)\n        a[i] += 0.5 * b[i];\n}\n";
const C_PLAIN: &str = "static double plain_NUMBER(double x)\n{\n    return x > 1.0 ? x : 1.0;\n}\n";
const C_LINE: &str =
    "extern double table_value(int row, int column, const char *name); /* text */\n";
const FORTRAN: &str = "subroutine step_NUMBER(n, a, b)\n  integer :: n, i\n  real(8) :: a(n), b(n)\n\
    !$omp parallel do schedule(static) shared(a, b)\n\
    \x20 do i = 1, n\n    a(i) = a(i) + 0.5d0 * b(i)\n  end do\n!$omp end parallel do\n";
const FORTRAN_PLAIN: &str = "subroutine plain_NUMBER(x)\n  real(8) :: x\n";
const FORTRAN_LINE: &str = "  x(row) = table(row, column) * 0.25d0 + y(row) - x(row - 1) ! text\n";

/// Real suites have 0.1 to 1.3 directives per kilobyte: `sparse` is in between, `medium` the most.
const SOURCES: [Source; 8] = [
    c("none.c", C_PLAIN, 40),
    c("sparse.c", C, 40),
    c("medium.c", C, 8),
    c("dense.c", C, 0),
    fortran("none.f90", FORTRAN_PLAIN, 40),
    fortran("sparse.f90", FORTRAN, 40),
    fortran("medium.f90", FORTRAN, 8),
    fortran("dense.f90", FORTRAN, 0),
];

const fn c(file: &'static str, unit: &'static str, lines: usize) -> Source {
    Source { file, head: "#include <omp.h>\n", tail: "", unit, line: C_LINE, lines }
}

const fn fortran(file: &'static str, unit: &'static str, lines: usize) -> Source {
    let tail = "end subroutine\n";
    Source { file, head: "! omp\n", tail, unit, line: FORTRAN_LINE, lines }
}

/// Writes the sources and prints the table.
pub fn run(suite: Option<&str>) -> Result<()> {
    let ours = shell::build_pompeii()?.display().to_string();
    let folder = shell::target_folder().join("bench");
    fs::create_dir_all(&folder)?;
    let with_opari2 = shell::works("opari2", &["--help"]);
    if !with_opari2 {
        println!("NOT RUN: opari2 is missing; on Debian, `apt-get install opari2` brings it");
    }
    println!(
        "{:12} {:>6} {:>14} {:>14} {:>14}",
        "", "MB", "directives/kB", "pompeii MB/s", "opari2 MB/s"
    );
    let texts: Vec<Text> = match suite {
        Some(suite) => suite::join(Path::new(suite), &folder, |file| {
            shell::works(&ours, &["instrument", &file.to_string_lossy()])
        })?,
        None => SOURCES.iter().map(|source| write(source, &folder)).collect::<Result<_>>()?,
    };
    for text in &texts {
        println!("{}", row(text, &ours, with_opari2)?);
    }
    let on = suite.map_or_else(String::new, |suite| format!(" {suite}"));
    println!("processor time, median of {TURNS} turns; again: cargo xtask bench instrument{on}");
    Ok(())
}

/// A text on the disk, and how many directives it has.
pub struct Text {
    pub path: PathBuf,
    pub directives: usize,
}

fn write(source: &Source, folder: &Path) -> Result<Text> {
    let mut text = source.head.to_owned();
    let mut units = 0;
    while text.len() < SIZE_BYTES {
        let lines = source.line.repeat(source.lines);
        let unit = source.unit.replace("NUMBER", &units.to_string());
        // In C the lines are between functions, in Fortran in front of the END.
        write!(text, "{unit}{lines}{}", source.tail)?;
        units += 1;
    }
    let path = folder.join(source.file);
    fs::write(&path, &text)?;
    Ok(Text { path, directives: if source.unit.contains("omp") { units } else { 0 } })
}

/// `opari2` fails on some real texts.
fn row(text: &Text, ours: &str, with_opari2: bool) -> Result<String> {
    let path = text.path.display().to_string();
    let output = format!("{path}.out");
    let (mut pompeii, mut opari2) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        pompeii.push(cpu_time::seconds(ours, &["instrument", &path, "-o", &output])?);
        if with_opari2 {
            opari2.extend(cpu_time::seconds("opari2", &[&path, &output]).ok());
        }
    }
    let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
    let speed = |seconds: Vec<f64>| format!("{:.0}", megabytes / median(seconds));
    let theirs = match (with_opari2, opari2.len()) {
        (true, TURNS) => speed(opari2),
        (true, _) => "fails".to_owned(),
        (false, _) => "-".to_owned(),
    };
    let density = text.directives as f64 / megabytes / 1e3;
    let (ours, file) = (speed(pompeii), text.path.file_name().unwrap_or_default());
    let file = file.to_string_lossy();
    Ok(format!("{file:12} {megabytes:6.1} {density:14.2} {ours:>14} {theirs:>14}"))
}
