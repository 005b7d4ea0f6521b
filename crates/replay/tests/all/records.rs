//! Any sequence of records as a trace, for tests of what reads damaged traces: of the analysis and
//! of the writers of other formats.

use std::fmt::Write as _;

use pompeii_replay::text::{self, TextTrace};

/// Definitions that the records refer to; three threads of two processes are in no team.
const DEFINITIONS: &str = "pompeii
end 5000
team A = 0.0 0.1
team B = 0.1 0.2
team C = 1.0 1.1
comm W = 0 1
comm S = 0
";

const LOCATIONS: [&str; 5] = ["0.0", "0.1", "0.2", "1.0", "1.1"];

/// What a location can do. `T`, `R`, `N`, `M`: a team, a region, two numbers.
const EVENTS: [&str; 41] = [
    "+ R",
    "+ R",
    "+ R",
    "- R",
    "- R",
    "- R",
    "- R",
    "- R",
    "fork",
    "fork",
    "join",
    "join",
    "team T",
    "team T",
    "endteam T",
    "endteam T",
    "off",
    "on",
    "program",
    "exit",
    "value level M",
    "sums R N M",
    "create T N M",
    "create T N M",
    "switch T N M",
    "switch T N M",
    "switch T N 0",
    "done T N M",
    "acquire N M",
    "release N M",
    "send N W M 8",
    "isend N W M 8 M",
    "sent M",
    "post M",
    "recv N W M 8",
    "irecv N W M 8 M",
    "cancel M",
    "begin",
    "end ALLREDUCE W - 8 8",
    "end BCAST W N 8 8",
    "complete BARRIER W - 0 0 M",
];

const REGIONS: [&str; 14] = [
    "OFF",
    "parallel",
    "ibarrier",
    "barrier:7",
    "critical",
    "critical_body",
    "omp_set_lock",
    "task",
    "taskwait",
    "work",
    "MPI_Send",
    "MPI_Recv",
    "MPI_Allreduce",
    "MPI_Waitall",
];

/// A trace of these bytes: four for each record. Times may go back.
pub fn trace(input: &[u8]) -> TextTrace {
    let mut lines = DEFINITIONS.to_owned();
    let mut clocks = [10_u64; LOCATIONS.len()];
    for name in LOCATIONS {
        let _ = writeln!(lines, "1 {name} + work");
    }
    for record in input.chunks_exact(4) {
        let [place, kind, number, step] = [record[0], record[1], record[2], record[3]];
        let location = usize::from(place) % LOCATIONS.len();
        let clock = &mut clocks[location];
        *clock = match step {
            250.. => clock.saturating_sub(u64::from(step)),
            _ => *clock + u64::from(step % 32),
        };
        let event = EVENTS[usize::from(kind) % EVENTS.len()];
        let word = |word: &str| match word {
            "T" => ["A", "B", "C"][usize::from(number) % 3].to_owned(),
            "R" => REGIONS[usize::from(number) % REGIONS.len()].to_owned(),
            "N" => (number % 2).to_string(),
            "M" => (number / 2 % 4).to_string(),
            word => word.to_owned(),
        };
        let event: Vec<String> = event.split(' ').map(word).collect();
        let _ = writeln!(lines, "{clock} {} {}", LOCATIONS[location], event.join(" "));
    }
    text::parse(&lines).unwrap()
}
