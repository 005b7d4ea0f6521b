//! Who waited for whom, for the page: at each construct the threads that were waited for, with the
//! call path that they came from, and the code there that a finding names.

use std::collections::HashMap;

use pompeii_analysis::{Lens, WaitedAt, WaitedFor, format, waited_at};
use pompeii_model::{CallId, Cube, Id, RegionId};
use serde::Serialize;

use crate::json::JsonFinding;
use crate::page_calls::PageCalls;

/// A construct at which threads waited.
#[derive(Serialize)]
pub(crate) struct PageWait {
    name: String,
    wait_s: f64,
    visits: i64,
    causes: Vec<PageCause>,
}

/// A thread that others waited for.
#[derive(Serialize)]
struct PageCause {
    /// The thread; empty for all causes that are not told apart.
    thread: String,
    /// What it did, and the index of the call path.
    call: Option<(String, usize)>,
    /// The code there that a finding about this waiting names.
    code: Option<String>,
    wait_s: f64,
    visits: i64,
}

/// Causes of each construct that the page has.
const CAUSES: usize = 12;

/// All constructs at which threads waited for each other.
pub(crate) fn page_waits(
    lens: &Lens,
    findings: &[JsonFinding],
    calls: &PageCalls,
) -> Vec<PageWait> {
    let codes = Codes::new(lens.cube, findings);
    waited_at(lens).iter().map(|at| wait(lens, at, (calls, &codes))).collect()
}

fn wait(lens: &Lens, at: &WaitedAt, (calls, codes): (&PageCalls, &Codes)) -> PageWait {
    let cause = |cause: &WaitedFor| PageCause {
        thread: cause.by.map_or_else(String::new, |(_, location)| lens.thread_name(location)),
        call: cause
            .by
            .map(|(call, _)| (format::name_with_place(lens.cube, call), calls.place(call))),
        code: cause.by.and_then(|(call, _)| codes.below(lens.cube, at.region, call)),
        wait_s: lens.seconds(cause.ticks),
        visits: cause.visits,
    };
    PageWait {
        name: lens.cube.regions[at.region].label(),
        wait_s: lens.seconds(at.ticks),
        visits: at.causes.iter().map(|cause| cause.visits).sum(),
        causes: at.causes.iter().take(CAUSES).map(cause).collect(),
    }
}

/// A region, and its name in the finding.
type Code = (RegionId, String);

/// The code that findings name.
struct Codes {
    /// By the construct at which threads wait, in the order of the findings.
    by_construct: HashMap<RegionId, Vec<Code>>,
    /// The call paths of each code.
    calls: HashMap<RegionId, Vec<CallId>>,
}

impl Codes {
    fn new(cube: &Cube, findings: &[JsonFinding]) -> Codes {
        let mut by_construct: HashMap<RegionId, Vec<Code>> = HashMap::new();
        let mut calls: HashMap<RegionId, Vec<CallId>> = HashMap::new();
        for finding in findings.iter().filter(|finding| finding.significant) {
            let code = RegionId::from_index(finding.region);
            calls.entry(code).or_default();
            for &call in &finding.call_paths {
                let of = by_construct.entry(cube.calls.region(CallId::from_index(call)));
                let of = of.or_default();
                if of.iter().all(|(known, _)| *known != code) {
                    of.push((code, finding.label.clone()));
                }
            }
        }
        for call in cube.calls.ids() {
            if let Some(of) = calls.get_mut(&cube.calls.region(call)) {
                of.push(call);
            }
        }
        Codes { by_construct, calls }
    }

    /// The code below a call path that a finding about waiting at a construct names first.
    fn below(&self, cube: &Cube, construct: RegionId, call: CallId) -> Option<String> {
        let is_below = |(code, _): &&Code| {
            let mut of_code = self.calls[code].iter();
            ![construct, cube.calls.region(call)].contains(code)
                && of_code.any(|&at| cube.calls.ancestors(at).any(|above| above == call))
        };
        let (_, label) = self.by_construct.get(&construct)?.iter().find(is_below)?;
        Some(label.clone())
    }
}

#[cfg(test)]
mod tests {
    use pompeii_analysis as analysis;

    use super::*;
    use crate::{RunInfo, json_report};

    /// Thread 1 comes late to the barrier, because a function takes longer there.
    #[test]
    fn a_wait_has_the_code_that_its_finding_names() {
        let measured = analysis::notation::cube(
            "wall=1000 locations=2
             a/parallel@a.c:2                         *  time=100 visits=1
             a/parallel@a.c:2/work@a.c:20             0  time=100 visits=9
             a/parallel@a.c:2/work@a.c:20             1  time=900 visits=9
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=800 visits=1 omp_ibarrier_wait=800
             a/parallel@a.c:2/implicit barrier@a.c:9  1  visits=1 omp_barrier_last=1",
        );
        let mut cube = analysis::derive(&measured.unwrap());
        let named = |name: &str| {
            let is = |call: &CallId| cube.regions[cube.calls.region(*call)].label().contains(name);
            cube.calls.ids().find(is).unwrap()
        };
        let (barrier, parallel) = (named("barrier"), named("parallel"));
        cube.waits.push(pompeii_model::Wait {
            call: barrier,
            location: pompeii_model::LocationId(0),
            by: Some((parallel, pompeii_model::LocationId(1))),
            visits: 1,
            wait_ticks: 800,
            starvation_ticks: 0,
        });
        let findings = json_report(&cube, &RunInfo::default()).findings;
        let waits = page_waits(&Lens::new(&cube), &findings, &PageCalls::new(&cube, 100));
        let causes = waits.iter().flat_map(|wait| &wait.causes);
        let shown: Vec<(&str, Option<&str>)> =
            causes.map(|of| (of.call.as_ref().unwrap().0.as_str(), of.code.as_deref())).collect();
        assert_eq!(shown, [("parallel a.c:2", Some("work a.c:20"))]);
    }
}
