//! What a location has counted: a row for each node of its call tree.

use pompeii_live::metrics::Source;
use pompeii_live::{Mapped, Node, NodeOffset, metrics_file, node_index};

#[cfg(test)]
use super::is_script_time;
use crate::counters;
use crate::location::roots::{NODES_RESERVED_BYTES, ROOT};
use crate::process::Process;

/// As many rows as a location may have call paths, so that only the disk limits them.
const RESERVED_BYTES: usize = NODES_RESERVED_BYTES / size_of::<Node>() * counters::MOST * 8;
/// Bytes of the file that are there from the beginning.
pub(super) const FIRST_BYTES: usize = 4096;

/// What a location has counted.
pub struct Table {
    rows: Mapped,
    location: u32,
    /// What was counted since the last reading.
    counted: Vec<u64>,
    /// What the trace says: the sum so far, or the mark.
    totals: Vec<u64>,
    #[cfg(test)]
    script_last: u64,
}

impl Table {
    /// For the location with this index; `None` without metrics, or without room, which a message says.
    pub fn new(process: &Process, location: u32) -> Option<Box<Table>> {
        let metrics = process.metrics.list.len();
        if metrics == 0 {
            return None;
        }
        let path = process.options.folder.join(metrics_file(location));
        match Mapped::create(&path, FIRST_BYTES, RESERVED_BYTES) {
            Ok(rows) => {
                let (counted, totals) = (vec![0; metrics], vec![0; metrics]);
                Some(Box::new(Table {
                    rows,
                    location,
                    counted,
                    totals,
                    #[cfg(test)]
                    script_last: 0,
                }))
            }
            Err(error) => {
                process.lost(1, error.errno);
                None
            }
        }
    }

    /// What the trace says: for each metric the sum so far, or the mark.
    pub fn totals(&self) -> &[u64] {
        &self.totals
    }

    /// Adds what the thread has counted since its last reading to the row of `node`.
    pub fn count(&mut self, process: &Process, node: NodeOffset, now: u64) {
        if self.advance(process, now).is_some() {
            self.add(process, node);
        }
    }

    /// Adds what the thread has counted since its last reading to the time outside of teams.
    pub fn count_outside(&mut self, process: &Process, now: u64) {
        if self.advance(process, now).is_some() {
            counters::add_left(&mut self.counted);
            self.add(process, ROOT);
        }
    }

    /// The same for a worker that waits for its next team when another thread ends the process.
    pub fn count_of_waiting(&mut self, process: &Process) {
        #[cfg(test)]
        if is_script_time(process) {
            return;
        }
        counters::with_those_of(self.location, |counters| {
            counters.advance_of_other(&mut self.counted);
            self.add(process, ROOT);
        });
    }

    /// Adds the counts since the last reading to the row of `node`.
    fn add(&mut self, process: &Process, node: NodeOffset) {
        let index = node_index(node) as usize;
        let row_bytes = self.counted.len() * size_of::<u64>();
        if let Err(error) = self.rows.ensure((index + 1) * row_bytes) {
            return process.lost_readings(1, error.errno);
        }
        // SAFETY: `ensure` has allocated the row; only this thread uses the file.
        let row = unsafe {
            let row = self.rows.base().add(index * row_bytes).cast::<u64>();
            std::slice::from_raw_parts_mut(row, self.counted.len())
        };
        for (value, counted) in row.iter_mut().zip(&self.counted) {
            *value += counted;
        }
    }

    #[cfg_attr(not(test), allow(unused_variables, reason = "scripts count their own time"))]
    fn advance(&mut self, process: &Process, now: u64) -> Option<()> {
        #[cfg(test)]
        if is_script_time(process) {
            self.counted.fill(now - std::mem::replace(&mut self.script_last, now));
            self.totals.iter_mut().for_each(|total| *total += self.counted[0]);
            return Some(());
        }
        let of = (std::ptr::from_ref(process) as usize, &process.metrics.list[..]);
        counters::with(of, self.location, |counters| {
            counters.advance(&mut self.counted);
            for (position, total) in self.totals.iter_mut().enumerate() {
                *total = match process.metrics.list[position].source {
                    Source::HighWater => counters.value(position),
                    _ => *total + self.counted[position],
                };
            }
            process.metrics_ran(counters.running_permille() as u32);
        })
    }
}
