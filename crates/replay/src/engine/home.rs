//! Several ranks that match the records of their own locations. With each window a rank sends the
//! others the records that they need (`engine/facts.rs`), what its matchers must tell theirs
//! (`engine/mail.rs`), and the call paths that are new.
//!
//! This is the way if the critical path is not wanted. The path and the causes of waiting need all
//! records in one order, so with them the first rank matches the records of all
//! (`engine/ranks.rs`).

use std::sync::Arc;

use crate::definitions::Definitions;
use crate::engine::facts::Facts;
use crate::engine::mail::{Letters, Mail};
use crate::engine::matching::{Matching, Window};
use crate::engine::ranks::Ranks;
use crate::engine::record::Rec;
use crate::engine::tree::{SharedTree, TreeNode};
use crate::transport::Transport;
use crate::transport::dealt::Dealt;
use crate::transport::wire::{self, wire_struct};

/// What goes to another rank with a window.
#[derive(Debug)]
struct Parcel {
    /// Call paths that are new, in the order of their numbers.
    nodes: Vec<TreeNode>,
    records: Vec<Rec>,
    letters: Letters,
}

wire_struct! { Parcel { nodes, records, letters } }

/// This rank among the others.
#[derive(Debug)]
pub(crate) struct Home<'a> {
    definitions: &'a Definitions,
    tree: &'a SharedTree,
    dealt: Arc<Dealt>,
    facts: Facts,
}

impl<'a> Home<'a> {
    /// The ranks tell each other which processes they have; `own` are those of this rank.
    pub(crate) fn meet<T: Transport>(
        transport: &mut T,
        (definitions, tree): (&'a Definitions, &'a SharedTree),
        own: &Vec<u32>,
    ) -> Result<Home<'a>, T::Error> {
        let all = transport.exchange(vec![wire::bytes(own); transport.ranks()])?;
        let of_ranks = all.iter().map(|bytes| wire::value::<Vec<u32>>(bytes).unwrap_or_default());
        let of_ranks: Vec<Vec<u32>> = of_ranks.collect();
        let processes = definitions.system.processes.len();
        let dealt = Arc::new(Dealt::new(transport.rank(), processes, &of_ranks));
        Ok(Home { definitions, tree, dealt, facts: Facts::default() })
    }

    /// Who has what.
    pub(crate) fn dealt(&self) -> &Arc<Dealt> {
        &self.dealt
    }

    /// A window of this rank is complete: adds the records of other ranks to it, and puts all into
    /// their order. Returns whether this rank had something to tell besides records.
    pub(crate) fn trade<T: Transport>(
        &mut self,
        (transport, ranks): (&mut T, &mut Ranks),
        window: &mut Window,
        matching: &mut Matching<'_>,
    ) -> Result<bool, T::Error> {
        // Stable: the records of a location keep their order.
        window.records.sort_by_key(|record| (record.time, record.location));
        let mut records: Vec<Vec<Rec>> = vec![Vec::new(); self.dealt.ranks];
        for record in &window.records {
            let mut to = |rank: usize, record: Rec| records[rank].push(record);
            self.facts.record((self.definitions, &self.dealt), record, &mut to);
        }
        let mut mail: Mail = (0..self.dealt.ranks).map(|_| Letters::default()).collect();
        matching.send(&mut mail);
        let has_told = mail.iter().any(|letters| !letters.is_empty());
        let nodes = ranks.new_nodes(self.tree);
        let parcels =
            records.into_iter().zip(mail).enumerate().map(|(rank, (records, letters))| {
                match rank == self.dealt.rank {
                    true => Vec::new(),
                    false => wire::bytes(&Parcel { nodes: nodes.clone(), records, letters }),
                }
            });
        let parcels = transport.exchange(parcels.collect())?;
        for (rank, bytes) in parcels.iter().enumerate().filter(|(rank, _)| *rank != self.dealt.rank)
        {
            let parcel = ranks.understand(rank, wire::value::<Parcel>(bytes));
            parcel.into_iter().for_each(|it| self.take((ranks, rank), it, window, matching));
        }
        window.records.sort_by_key(|record| (record.time, record.location));
        Ok(has_told)
    }

    fn take(
        &self,
        (ranks, rank): (&mut Ranks, usize),
        parcel: Parcel,
        window: &mut Window,
        matching: &mut Matching<'_>,
    ) {
        let Parcel { nodes, records, mut letters } = parcel;
        ranks.define(rank, self.tree, &nodes);
        let number = ranks.number(rank);
        window.records.extend(records.into_iter().map(|record| {
            let node = number(record.node);
            Rec { node, profile: (0, 0), ..record }
        }));
        letters.renumber(&number);
        matching.receive(&letters);
    }

    /// All records are matched: what matchers still tell each other comes to its end.
    pub(crate) fn finish<T: Transport>(
        &mut self,
        (transport, ranks): (&mut T, &mut Ranks),
        matching: &mut Matching<'_>,
    ) -> Result<(), T::Error> {
        loop {
            let mut nothing = Window::default();
            let has_told = self.trade((transport, ranks), &mut nothing, matching)?;
            if transport.min(u64::from(!has_told))? == 1 {
                return Ok(());
            }
        }
    }
}
