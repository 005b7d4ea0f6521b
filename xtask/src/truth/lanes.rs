//! Several rows at a time. A row whose program sleeps leaves the CPUs to others, so a seed takes
//! less time if such rows are measured next to each other. Those that compute are alone.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::machine;
use super::row::Row;

/// How many rows are built before they are measured: compilers would disturb what is measured.
const GROUP: usize = 16;

/// Rows that are built, and then measured in some lanes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Their places among all rows.
    pub(super) rows: Vec<usize>,
    pub(super) lanes: usize,
}

/// Forms groups of rows that take the same number of lanes.
pub(super) fn groups(rows: &[Row<'_>]) -> Vec<Group> {
    grouped(&rows.iter().map(lanes).collect::<Vec<_>>())
}

/// How many rows of this kind are measured at a time. Threads that sleep take next to nothing, but
/// Pompeii computes before and after a run. A good program is alone, because its largest loss is so
/// small that this shows: next to other rows `good_balanced` lost more than 3 % at its forks, and
/// alone at most 2.6 %. Ranks that wait for a message ask for it all the time.
fn lanes(row: &Row<'_>) -> usize {
    let header = &row.program.header;
    let is_alone = header.computes || header.is_good() || !header.ranks.is_empty();
    if is_alone { 1 } else { machine::cpus() }
}

fn grouped(lanes: &[usize]) -> Vec<Group> {
    let mut kinds = lanes.to_vec();
    kinds.sort_unstable_by(|one, other| other.cmp(one));
    kinds.dedup();
    let of_kind = |kind: usize| (0..lanes.len()).filter(move |&row| lanes[row] == kind);
    let groups = kinds.into_iter().flat_map(|kind| {
        let rows: Vec<usize> = of_kind(kind).collect();
        let groups = rows.chunks(GROUP).map(|rows| Group { rows: rows.to_vec(), lanes: kind });
        groups.collect::<Vec<_>>()
    });
    groups.collect()
}

/// Does the work for each item: each lane takes the next item when it has done one.
pub(super) fn each<T: Send>(items: Vec<T>, lanes: usize, work: impl Fn(T) + Sync) {
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..lanes {
            scope.spawn(|| {
                while let Some(item) = next() {
                    work(item);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_group_has_rows_of_one_kind() {
        let group = |rows: &[usize], lanes| Group { rows: rows.to_vec(), lanes };
        assert_eq!(
            grouped(&[1, 4, 1, 2, 4]),
            [group(&[1, 4], 4), group(&[3], 2), group(&[0, 2], 1)]
        );
        let many = grouped(&[1; 40]);
        assert_eq!(many.iter().map(|of| of.rows.len()).collect::<Vec<_>>(), [16, 16, 8]);
        assert!(grouped(&[]).is_empty());
    }

    #[test]
    fn lanes_work_at_the_same_time_and_all_items_are_done() {
        let (meeting, sum) = (Barrier::new(2), AtomicUsize::new(0));
        each(vec![1, 2, 3, 4], 2, |item| {
            meeting.wait();
            sum.fetch_add(item, Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 10);
    }
}
