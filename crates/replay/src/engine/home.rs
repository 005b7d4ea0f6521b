//! Several ranks that match the records of their own locations. With each window a rank sends the
//! others the records that they need (`engine/facts.rs`), what its matchers must tell theirs
//! (`engine/mail.rs`), and the call paths that are new.
//!
//! If the critical path and the causes of waiting are wanted, the records with their waits then go
//! to `engine/together.rs`.

use std::sync::Arc;

use crate::definitions::Definitions;
use crate::engine::facts::Facts;
use crate::engine::front::Front;
use crate::engine::given::Given;
use crate::engine::mail::{Letters, Mail};
use crate::engine::matching::Matching;
use crate::engine::ranks::Ranks;
use crate::engine::record::{Moment, Rec};
use crate::engine::records::Window;
use crate::engine::tree::{SharedTree, TreeNode};
use crate::transport::Transport;
use crate::transport::dealt::Dealt;
use crate::transport::wire::{self, wire_struct};

/// What goes to another rank with a window.
#[derive(Debug)]
struct Parcel {
    /// Call paths that are new, in the order of their numbers.
    nodes: Vec<TreeNode>,
    /// Milestones of its locations (`engine/patience.rs`).
    milestones: Vec<Moment>,
    records: Vec<Rec>,
    letters: Letters,
}

wire_struct! { Parcel { nodes, milestones, records, letters } }

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
        (own, has_causes): (&Vec<u32>, bool),
    ) -> Result<Home<'a>, T::Error> {
        let all = transport.exchange(vec![wire::bytes(own); transport.ranks()])?;
        let of_ranks = all.iter().map(|bytes| wire::value::<Vec<u32>>(bytes).unwrap_or_default());
        let of_ranks: Vec<Vec<u32>> = of_ranks.collect();
        let own = (transport.rank(), has_causes);
        let dealt = Arc::new(Dealt::new(own, &definitions.system, &of_ranks));
        Ok(Home { definitions, tree, dealt, facts: Facts::default() })
    }

    /// Who has what.
    pub(crate) fn dealt(&self) -> &Arc<Dealt> {
        &self.dealt
    }

    /// A window of this rank is complete: adds the records of other ranks to it, and puts all into
    /// their order again. Returns whether this rank had something to tell besides records.
    pub(crate) fn trade<T: Transport>(
        &mut self,
        (transport, ranks): (&mut T, &mut Ranks),
        window: &mut Window,
        matching: &mut Matching<'_>,
    ) -> Result<bool, T::Error> {
        let mut records: Vec<Vec<Rec>> = vec![Vec::new(); self.dealt.ranks];
        for record in &window.records {
            let mut to = |rank: usize, record: Rec| records[rank].push(record);
            self.facts.record((self.definitions, &self.dealt), record, &mut to);
        }
        let mut mail: Mail = (0..self.dealt.ranks).map(|_| Letters::default()).collect();
        matching.send(&mut mail);
        let has_told = mail.iter().any(|letters| !letters.is_empty());
        let nodes = ranks.new_nodes(self.tree);
        // Only the critical path and the causes of waiting need them.
        let own = if self.dealt.has_causes { window.milestones.clone() } else { Vec::new() };
        let parcels =
            records.into_iter().zip(mail).enumerate().map(|(rank, (records, letters))| {
                let (nodes, milestones) = (nodes.clone(), own.clone());
                match rank == self.dealt.rank {
                    true => Vec::new(),
                    false => wire::bytes(&Parcel { nodes, milestones, records, letters }),
                }
            });
        let parcels = transport.exchange(parcels.collect())?;
        for (rank, bytes) in parcels.iter().enumerate().filter(|(rank, _)| *rank != self.dealt.rank)
        {
            let parcel = ranks.understand(rank, wire::value::<Parcel>(bytes));
            parcel.into_iter().for_each(|it| self.take((ranks, rank), it, window, matching));
        }
        window.sort();
        window.milestones.sort_unstable();
        Ok(has_told)
    }

    fn take(
        &self,
        (ranks, rank): (&mut Ranks, usize),
        parcel: Parcel,
        window: &mut Window,
        matching: &mut Matching<'_>,
    ) {
        let Parcel { nodes, milestones, records, mut letters } = parcel;
        window.milestones.extend(milestones);
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

    /// The trace has ended: returns the last records. Before, the ranks tell each other of the last
    /// waits.
    pub(crate) fn last<T: Transport>(
        &self,
        (transport, ranks): (&mut T, &mut Ranks),
        mut front: Front,
    ) -> Result<Given, T::Error> {
        let mut mail: Mail = (0..self.dealt.ranks).map(|_| Letters::default()).collect();
        front.send(&mut mail);
        let nodes = ranks.new_nodes(self.tree);
        let parcel = |letters| {
            let (nodes, records, milestones) = (nodes.clone(), Vec::new(), Vec::new());
            wire::bytes(&Parcel { nodes, milestones, records, letters })
        };
        let parcels = transport.exchange(mail.into_iter().map(parcel).collect())?;
        for (rank, bytes) in parcels.iter().enumerate().filter(|(rank, _)| *rank != self.dealt.rank)
        {
            let parcel = ranks.understand(rank, wire::value::<Parcel>(bytes));
            let Some(Parcel { nodes, mut letters, .. }) = parcel else { continue };
            ranks.define(rank, self.tree, &nodes);
            letters.renumber(&ranks.number(rank));
            letters.waits.iter().for_each(|(wait, found)| front.note_wait(*wait, *found));
        }
        Ok(front.end())
    }
}
