//! How long the run would take with changes, computed by several ranks. A scenario needs the
//! records of all processes in one order, so no rank can play it for a part of the trace. Instead,
//! the first rank plans all scenarios, each rank plays its share of them for the whole trace, and
//! the first one puts the durations together. They are those that one process would find.

use std::path::Path;

use anyhow::{Context, Result};
use pompeii_otf2::read::Archive;
use pompeii_replay::Outcome;
use pompeii_replay::scenario::Scenario;
use pompeii_replay::transport::{Transport, wire};
use pompeii_report::WhatIf;

use crate::commands::whatif::{self, Durations};
use crate::mpi::agreement::{Stop, agree};
use crate::mpi::ranks::Ranks;

const NOT_UNDERSTOOD: &str = "a message about scenarios was not understood";

/// Plays what `analyze` always plays. The first rank has the result; `outcome` is whole there.
pub(super) fn play(
    ranks: &mut Ranks,
    (archive, anchor): (&Archive, &Path),
    (threads, outcome): (usize, &Outcome),
) -> Result<Option<WhatIf>, Stop> {
    let plan = (ranks.rank() == 0).then(|| whatif::plan(outcome, anchor));
    let scenarios = plan.as_ref().map(|plan| plan.scenarios()).unwrap_or_default();
    let shares = shares(&scenarios, ranks.ranks());
    let told = ranks.exchange(shares.iter().map(|share| wire::bytes(&share.to_vec())).collect())?;
    let own = told.first().and_then(|bytes| wire::value::<Vec<Scenario>>(bytes));
    let own = agree(ranks, own.context(NOT_UNDERSTOOD))?;
    let played = match own.is_empty() {
        true => Ok(Durations::default()),
        false => whatif::durations((archive, anchor), threads, own),
    };
    let played = agree(ranks, played)?;
    let all = ranks.gather(wire::bytes(&played))?;
    let all: Option<Vec<Durations>> = all.iter().map(|bytes| wire::value(bytes)).collect();
    let all = agree(ranks, all.context(NOT_UNDERSTOOD))?;
    let ticks: Vec<i64> = all.into_iter().flat_map(|(_, ticks)| ticks).collect();
    Ok(plan.map(|plan| plan.result(outcome, (played.0, &ticks))))
}

/// The scenarios of each rank, in their order. The first rank has the first ones, because it also
/// knows the recorded duration.
fn shares<T>(all: &[T], ranks: usize) -> Vec<&[T]> {
    let most = all.len().div_ceil(ranks.max(1)).max(1);
    let mut shares: Vec<&[T]> = all.chunks(most).collect();
    shares.resize(ranks, &[]);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_scenarios_have_a_rank_and_the_first_one_has_some() {
        let of = |scenarios: u32, ranks: usize| -> Vec<Vec<u32>> {
            let all: Vec<u32> = (1..=scenarios).collect();
            shares(&all, ranks).into_iter().map(<[u32]>::to_vec).collect()
        };
        assert_eq!(of(5, 2), [vec![1, 2, 3], vec![4, 5]]);
        assert_eq!(of(3, 4), [vec![1], vec![2], vec![3], Vec::new()]);
        assert_eq!(of(4, 3), [vec![1, 2], vec![3, 4], Vec::new()]);
        assert_eq!(of(0, 2), [Vec::<u32>::new(), Vec::new()]);
    }
}
