//! The words of findings about communication: what was observed, and what to change.

use pompeii_model::{Paradigm, Region, Role, Ticks};

use super::late_ranks::Delay;
use super::mpi::At;
use super::mpi_functions::{BEGIN_AND_END, Waiting, waiting};
use super::one_late_rank::Late;
use super::{Advice, AdviceKind, Cause, Loss, Site, Words, small_messages};
use crate::{Lens, format, properties};

/// Losses below this share of the run are not worth a line.
const WORTH_A_LINE: f64 = 0.01;

/// What to do if threads have no work while one of them communicates.
pub(super) const WORK_MEANWHILE: &str = "Let the other threads work meanwhile: communicate on one \
    thread of a parallel region (masked, task), next to work that does not need the data.";

/// What to do if one process reads or writes while others wait.
const FILES: &str = "Let all processes read or write their parts together (MPI_File_write_all), use \
    larger portions, or let another thread do it meanwhile.";

/// Which rank is late because of code in this region, and where others wait for it.
pub(super) fn late_sentence(lens: &Lens, region: &Region, late: &Late) -> String {
    let more = format::seconds(lens.seconds(late.delay.excess));
    let rank = late.rank;
    let does = match region.paradigm {
        // A function that moves data of a file.
        Paradigm::Mpi | Paradigm::Io => format!("is in {} {more} longer", region.name),
        _ => format!("computes {more} longer here"),
    };
    let at = late.at.join(", and in ");
    format!("rank {rank} {does} than ranks do on average; others wait for it in {at}.")
}

impl At<'_, '_> {
    /// The same words for the code that delays.
    pub(super) fn explained(&self, delay: &Delay, words: Words) -> Words {
        let Some(region) = delay.region else { return words };
        let is_file = self.lens().cube.regions[region].paradigm == Paradigm::Io;
        let advice = Advice::none(match words.cause {
            _ if is_file => FILES,
            Some(Cause::LateSender) => {
                "Send before this work, or give a part of it to other processes."
            }
            Some(Cause::LateReceiver) => {
                "Receive before this work, or send with a function that does not wait (MPI_Isend)."
            }
            _ => "This process has more work here than others: give it less, or split its work.",
        });
        Words { advice, ..words }
    }

    /// The function, and where it is called.
    pub(super) fn called_from(&self, site: &Site) -> String {
        let source = self.lens().cube.regions[site.region].source();
        let called = source.map_or(String::new(), |source| format!(", called from {source}"));
        format!("{}{called}", self.calls.name)
    }

    pub(super) fn rank(&self, process: usize) -> u32 {
        let mut all = self.calls.lens.cube.system.processes.iter();
        all.nth(process).map_or(0, |process| process.rank)
    }

    pub(super) fn details(&self, cause: Option<Cause>, loss: Loss) -> Vec<String> {
        let calls = &self.calls;
        let mut details = vec![self.times()];
        // More time in other functions than other processes spend there may have other reasons.
        let is_known = cause.is_some() || matches!(waiting(calls.metric), Waiting::Measured(_));
        let waited = calls.waited().filter(|waited| is_known && waited.sum > 0);
        if let (Some(waited), true) = (waited, calls.metric != BEGIN_AND_END) {
            let share = format::percent(waited.sum as f64 / calls.parts().sum.max(1) as f64);
            details.push(format!("{share} of this time is waiting for other processes."));
        }
        let elsewhere = loss.lost - calls.lost;
        if self.lens().share(elsewhere) >= WORTH_A_LINE {
            let seconds = format::seconds(self.lens().seconds(elsewhere));
            details.push(match calls.is_small {
                true => format!("Receiving these messages takes {seconds}."),
                false => format!(
                    "Processes that are late because of it make others wait for {seconds} in \
                     collective operations."
                ),
            });
        }
        if loss.gain.is_none() && cause == Some(Cause::Polling) {
            details.push("Between its calls the rank does nothing else, so it waits.".to_owned());
        } else if loss.gain.is_none() && matches!(waiting(calls.metric), Waiting::Measured(_)) {
            details.push("Run again with --mpi-wait to know the gain.".to_owned());
        }
        details
    }

    fn times(&self) -> String {
        let (lens, calls) = (self.lens(), self.whole);
        let (parts, most) = (calls.parts(), calls.most());
        let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
        let visits = format::counted(lens.sum("visits", &calls.calls), "visit");
        let rank = |process| self.rank(process);
        let early = calls.time.iter().rposition(|&ticks| ticks == most).unwrap_or(0);
        match calls.time.len() {
            1 => format!("{visits}, {} in all.", seconds(parts.sum)),
            _ => format!(
                "{visits}; {} on average, least on rank {} ({}), most on rank {} ({}).",
                seconds(parts.mean()),
                rank(parts.late),
                seconds(parts.least),
                rank(early),
                seconds(most)
            ),
        }
    }

    pub(super) fn advice(&self, cause: Option<Cause>) -> Advice {
        let of_role = || match (self.calls.is_unequal(), self.calls.role) {
            (true, Role::PointToPoint | Role::Function) => {
                "Processes with much time wait for messages: balance the work, or send earlier."
            }
            (true, _) => {
                "The process with the least time comes last, because it has more work before this \
                 call."
            }
            (false, Role::Barrier) => {
                "Remove the barrier if nothing needs it: many only serve time measurement."
            }
            (false, Role::PointToPoint | Role::Function) => {
                "Send fewer and larger messages, or use non-blocking ones and compute before \
                 waiting."
            }
            (false, _) => {
                "Combine small operations, or use non-blocking ones and compute before waiting."
            }
        };
        if self.calls.is_small {
            let value = Some(small_messages::elements(&self.calls).to_string());
            let target = self.calls.name.to_owned();
            return Advice { kind: AdviceKind::Messages, target, value };
        }
        let remedy = || match waiting(self.calls.metric) {
            Waiting::Measured(_) | Waiting::Whole => None,
            _ => properties::find(self.calls.metric).map(|property| property.doc.remedy),
        };
        Advice::none(match cause {
            Some(Cause::Polling) => {
                "It is called again and again: do more work between the calls, or wait in one call \
                 (MPI_Wait, MPI_Probe)."
            }
            Some(Cause::IdleDuringMpi) => WORK_MEANWHILE,
            Some(Cause::RankImbalanceChanging) => {
                "No process is always late: balance each step, or use a non-blocking operation and \
                 compute before waiting."
            }
            Some(Cause::RankImbalanceSteady) => {
                "The process with the least time comes last: give it less work before this call."
            }
            _ => remedy().unwrap_or_else(of_role),
        })
    }
}
