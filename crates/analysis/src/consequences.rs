//! Findings that are consequences of one cause in the machine. Threads without a CPU are late
//! everywhere: at barriers, locks and joins of all parallel regions. All of this is repaired
//! together, so it is one finding, at the parallel region in which the program spends most time.

use pompeii_model::{CallId, RegionId, Role};

use crate::findings::{Finding, Gain};
use crate::{Lens, format};

/// The number of places with losses that a finding names.
const NAMED: usize = 3;

/// Makes one finding of consequences of one cause, of which the largest comes first.
pub(crate) fn merged(lens: &Lens, parts: Vec<Finding>) -> Option<Finding> {
    let lost_ticks = parts.iter().map(|part| part.lost_ticks).sum();
    let gain = parts.iter().filter_map(|part| part.gain).reduce(|one, other| one + other);
    let gain = gain.map(|gain: Gain| gain.in_run(lens.cube, parts[0].property.name, lost_ticks));
    let place = longest_region(lens, &parts);
    let mut details: Vec<String> = parts.first()?.details.clone();
    details.extend((parts.len() > 1).then(|| where_lost(lens, &parts)));
    let (region, construct) = match place {
        Some(parallel) => (lens.cube.calls.region(parallel), words(lens, parallel)),
        None => (parts[0].region, parts[0].construct.clone()),
    };
    let place = lens.cube.regions[region].place();
    let share = lens.share(lost_ticks);
    let first = parts.into_iter().next()?;
    Some(Finding { region, construct, place, lost_ticks, gain, share, details, ..first })
}

/// A call path of the outermost parallel region in which most time is spent, of those with a loss.
fn longest_region(lens: &Lens, parts: &[Finding]) -> Option<CallId> {
    let outermost = lens.outermost_parallels();
    let time = lens.cube.all_inclusive(lens.metric("execution")?);
    let around = parts.iter().flat_map(|part| &part.calls).filter_map(|&call| outermost[call]);
    let mut around: Vec<CallId> = around.collect();
    around.sort();
    around.dedup();
    let region = |call: CallId| lens.cube.calls.region(call);
    let sum = |id: RegionId| -> i64 {
        around.iter().filter(|&&call| region(call) == id).map(|&call| time[call]).sum()
    };
    around.iter().copied().max_by_key(|&call| (sum(region(call)), std::cmp::Reverse(call)))
}

/// `parallel`, or `parallel for` of a combined construct, which is measured as its two halves.
fn words(lens: &Lens, parallel: CallId) -> String {
    let outer = lens.region(parallel);
    let is_half = |&call: &CallId| {
        let inner = lens.region(call);
        let is_worksharing = matches!(inner.role, Role::Loop | Role::Sections | Role::Workshare);
        is_worksharing && inner.begin() == outer.begin()
    };
    match lens.cube.calls.children(parallel).iter().copied().find(is_half) {
        Some(half) => format!("{} {}", outer.construct(), lens.region(half).construct()),
        None => outer.construct().to_owned(),
    }
}

/// Where the largest losses are.
fn where_lost(lens: &Lens, parts: &[Finding]) -> String {
    let place = |part: &Finding| {
        let name = match lens.cube.regions[part.region].position() {
            Some(source) => format!("{} {source}", part.construct),
            None => part.construct.clone(),
        };
        let title = part.property.title;
        format!("{title} at {name} ({})", format::seconds(lens.seconds(part.lost_ticks)))
    };
    let named: Vec<String> = parts.iter().take(NAMED).map(place).collect();
    let more = match parts.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and at {}", format::counted(more as i64, "more place")),
    };
    format!("It shows as {}{more}.", named.join(", "))
}
