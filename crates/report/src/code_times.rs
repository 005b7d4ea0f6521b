//! Computing times by thread in the code for which others wait, for terminal, JSON and page.

use pompeii_analysis::{CodeTimes, Finding, Lens, code_times, format};
use pompeii_model::{Cube, Id, LocationId, Ticks};
use schemars::JsonSchema;
use serde::Serialize;

/// How long each thread computes in code for which others wait.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonCodeTimes {
    /// The code: an index into `regions`.
    pub region: usize,
    /// Computing in it and in all that it calls, of each entry of `locations`.
    pub computing_s: Vec<f64>,
}

impl JsonCodeTimes {
    /// Those of a finding.
    pub fn all(cube: &Cube, finding: &Finding) -> Vec<Self> {
        let one = |of: CodeTimes| Self {
            region: of.region.index(),
            computing_s: of.by_location.iter().map(|&ticks| cube.clock.seconds(ticks)).collect(),
        };
        code_times(cube, finding).into_iter().map(one).collect()
    }
}

/// More threads are summed up.
const NAMED: usize = 4;

/// A sentence for each code of a finding.
pub(crate) fn sentences(cube: &Cube, finding: &Finding) -> Vec<String> {
    let lens = Lens::new(cube);
    code_times(cube, finding).iter().map(|of| sentence(&lens, of)).collect()
}

fn sentence(lens: &Lens, of: &CodeTimes) -> String {
    let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
    let times: Vec<(LocationId, Ticks)> =
        of.by_location.enumerated().map(|(at, &ticks)| (at, ticks)).collect();
    let code = lens.cube.regions[of.region].label();
    let by_time = |of: &&(LocationId, Ticks)| of.1;
    let most = times.iter().rev().max_by_key(by_time).copied();
    let least = times.iter().min_by_key(by_time).copied();
    let named =
        |(at, ticks): (LocationId, Ticks)| format!("{} ({})", seconds(ticks), lens.thread_name(at));
    match (times.len(), most.zip(least)) {
        (several, Some((most, least))) if several > 1 && seconds(most.1) == seconds(least.1) => {
            format!("Each of the {several} threads computes {} in {code}.", seconds(most.1))
        }
        (several, Some((most, least))) if several > NAMED => {
            let sum: Ticks = times.iter().map(|(_, ticks)| ticks).sum();
            let mean = seconds(sum / several as Ticks);
            let (most, least) = (named(most), named(least));
            format!(
                "The {several} threads compute {mean} in {code} on average, between {least} and \
                 {most}."
            )
        }
        _ => {
            let each = |(place, &(at, ticks)): (usize, &(LocationId, Ticks))| {
                let (name, time) = (lens.thread_name(at), seconds(ticks));
                match place {
                    0 => format!("{name} computes {time} in {code}"),
                    _ => format!("{name} {time}"),
                }
            };
            let all: Vec<String> = times.iter().enumerate().map(each).collect();
            format::sentence(&format!("{}.", all.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_model::RegionId;

    use super::*;

    fn check(text: &str, expect: Expect) {
        let cube = pompeii_analysis::derive(&pompeii_analysis::notation::cube(text).unwrap());
        let found = pompeii_analysis::findings(&cube);
        let json = JsonCodeTimes::all(&cube, &found[0]);
        let of_json: Vec<String> = json
            .iter()
            .map(|of| {
                format!(
                    "{} {:?}",
                    cube.regions[RegionId::from_index(of.region)].label(),
                    of.computing_s
                )
            })
            .collect();
        expect.assert_eq(&[of_json, sentences(&cube, &found[0])].concat().join("\n"));
    }

    #[test]
    fn each_of_a_few_threads_is_named() {
        check(
            "wall=500 locations=2
             a/parallel@a.c:30                 *  visits=1
             a/parallel@a.c:30/assemble@b.c:9  0  time=400 visits=40
             a/parallel@a.c:30/assemble@b.c:9  1  time=100 visits=40
             a/parallel@a.c:30/solve@b.c:20    *  time=100 visits=40
             a/parallel@a.c:30/barrier@a.c:33  0  visits=40 omp_barrier_last=40
             a/parallel@a.c:30/barrier@a.c:33  1  time=300 visits=40 omp_ebarrier_wait=300",
            expect![[r#"
                assemble [0.4, 0.1]
                Thread 0 computes 0.40 s in assemble, thread 1 0.10 s."#]],
        );
    }

    #[test]
    fn many_threads_are_summed_up() {
        check(
            "wall=500 locations=6
             a/parallel@a.c:30                 *    visits=1
             a/parallel@a.c:30/assemble@b.c:9  3    time=400 visits=40
             a/parallel@a.c:30/assemble@b.c:9  0-2  time=100 visits=40
             a/parallel@a.c:30/assemble@b.c:9  4    time=100 visits=40
             a/parallel@a.c:30/assemble@b.c:9  5    time=70 visits=40
             a/parallel@a.c:30/solve@b.c:20    *    time=100 visits=40
             a/parallel@a.c:30/barrier@a.c:33  3    visits=40 omp_barrier_last=40
             a/parallel@a.c:30/barrier@a.c:33  0-2  time=300 visits=40 omp_ebarrier_wait=300
             a/parallel@a.c:30/barrier@a.c:33  4    time=300 visits=40 omp_ebarrier_wait=300
             a/parallel@a.c:30/barrier@a.c:33  5    time=330 visits=40 omp_ebarrier_wait=330",
            expect![[r#"
                assemble [0.1, 0.1, 0.1, 0.4, 0.1, 0.07]
                The 6 threads compute 0.14 s in assemble on average, between 70 ms (thread 5) and 0.40 s (thread 3)."#]],
        );
    }
}
