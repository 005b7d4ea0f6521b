//! Which rank reads which process of the program. Processes are dealt by the number of their
//! events, the largest one first, each to the rank that has the fewest events so far.

use pompeii_model::{IndexVec, LocationId, ProcessId};

use crate::definitions::Definitions;

/// The rank of each process, from the number of events of each location.
pub fn deal(
    definitions: &Definitions,
    events: &IndexVec<LocationId, u64>,
    ranks: usize,
) -> IndexVec<ProcessId, usize> {
    let system = &definitions.system;
    let mut of_process: IndexVec<ProcessId, u64> = system.processes.iter().map(|_| 0).collect();
    for (location, events) in events.enumerated() {
        let sum = &mut of_process[system.locations[location].process];
        *sum = sum.saturating_add(*events);
    }
    let mut order: Vec<(ProcessId, u64)> =
        of_process.enumerated().map(|(process, events)| (process, *events)).collect();
    // Stable: of equal processes the first one comes first.
    order.sort_by_key(|(_, events)| std::cmp::Reverse(*events));
    let mut loads: Vec<u64> = vec![0; ranks.max(1)];
    let mut rank_of: IndexVec<ProcessId, usize> = of_process.iter().map(|_| 0).collect();
    for (process, events) in order {
        let least = (0..loads.len()).min_by_key(|rank| loads[*rank]).unwrap_or(0);
        // A process without events counts, too: otherwise all of them would have one rank.
        loads[least] = loads[least].saturating_add(events.max(1));
        rank_of[process] = least;
    }
    rank_of
}

/// Whether each location belongs to a rank.
pub fn own(
    definitions: &Definitions,
    rank_of: &IndexVec<ProcessId, usize>,
    rank: usize,
) -> Vec<bool> {
    let locations = definitions.system.locations.iter();
    locations.map(|location| rank_of.get(location.process) == Some(&rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn the_largest_processes_come_first() {
        let trace = "1 0.0 -; -\n1 1.0 -\n1 1.1 -; -; -; -\n1 2.0 -; -; -\n1 3.0 -; -";
        let definitions = text::parse(&trace.replace('-', "program")).unwrap().definitions;
        let events: IndexVec<LocationId, u64> = [2, 1, 4, 3, 2].into_iter().collect();
        let ranks = |ranks: usize| -> Vec<usize> {
            deal(&definitions, &events, ranks).iter().copied().collect()
        };
        assert_eq!(ranks(1), [0, 0, 0, 0]);
        // Process 1 has 5 events, process 2 has 3; then 2 and 2.
        assert_eq!(ranks(2), [1, 0, 1, 0]);
        assert_eq!(ranks(3), [2, 0, 1, 2]);
        let rank_of = deal(&definitions, &events, 2);
        assert_eq!(own(&definitions, &rank_of, 0), [false, true, true, false, true]);
    }

    #[test]
    fn processes_without_events_are_dealt_evenly() {
        let definitions = text::parse("1 0.0 fork\n1 3.0 fork").unwrap().definitions;
        let events: IndexVec<LocationId, u64> = [0, 0].into_iter().collect();
        let ranks: Vec<usize> = deal(&definitions, &events, 2).iter().copied().collect();
        assert_eq!(ranks, [0, 1, 0, 1]);
    }
}
