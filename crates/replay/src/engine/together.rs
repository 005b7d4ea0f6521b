//! Several ranks that find the critical path and the causes of waiting together. Each rank has its
//! own records with their waits, and of the other ranks the calls of MPI with theirs
//! ([`News`]). It takes all of them in one order, up to the first record of which a rank does not
//! know the waits. So all ranks come to each wait between processes in the same order, and no rank
//! has to ask another one. Then they tell each other ([`Round`]) of jumps of paths
//! (`path/jumps.rs`), explanations and cost (`blame/others.rs`, `blame/far.rs`), until none has
//! anything to tell.

use std::collections::BTreeSet;
use std::sync::Arc;

use pompeii_model::LocationId;

use crate::blame::others::Letter;
use crate::compound::MpiWait;
use crate::definitions::Definitions;
use crate::engine::finders::Finders;
use crate::engine::given::{Given, Known, Queue};
use crate::engine::open::Open;
use crate::engine::ranks::Ranks;
use crate::engine::record::{LAST, Moment, Rec, What};
use crate::engine::records::Window;
use crate::engine::tree::{SharedTree, TreeNode};
use crate::path::jumps::{End, Number, Told};
use crate::transport::Transport;
use crate::transport::dealt::Dealt;
use crate::transport::wire::{self, wire_struct};

/// About as many bytes does a record have that travels.
const RECORD_BYTES: usize = 32;

/// What a rank tells all others when its matchers have taken a window.
#[derive(Debug)]
struct News {
    /// Call paths that are new, in the order of their numbers.
    nodes: Vec<TreeNode>,
    /// The rank has given all its records before this one.
    upto: Moment,
    /// Begins and ends of calls of MPI.
    records: Vec<Rec>,
    /// Waits of these calls, by the number of the record.
    waits: Vec<(u64, MpiWait)>,
    /// Begins of calls to which a later wait may refer.
    needed: Vec<(LocationId, u64)>,
}

/// What a rank tells another one until none has anything to tell.
#[derive(Debug)]
struct Round {
    nodes: Vec<TreeNode>,
    /// The rank tells this to some rank.
    has_news: bool,
    told: Vec<Told>,
    held: Vec<Number>,
    letter: Letter,
}

wire_struct! {
    News { nodes, upto, records, waits, needed }
    Round { nodes, has_news, told, held, letter }
}

impl News {
    fn new(nodes: Vec<TreeNode>, (given, upto): (&Given, Moment), dealt: &Dealt) -> News {
        let needed = given.needed.all_causing().to_vec();
        let records = Vec::with_capacity(given.records());
        let mut news = News { nodes, upto, records, waits: Vec::new(), needed };
        given.each(|record, _, known| {
            let is_call = matches!(
                record.what,
                What::MpiEnter { .. } | What::MpiLeave { .. } | What::CollectiveBegin
            );
            if !is_call || dealt.of_location(record.location) != dealt.rank {
                return;
            }
            for (_, known) in known {
                if let Known::InCall(wait) = known {
                    news.waits.push((news.records.len() as u64, *wait));
                }
            }
            news.records.push(Rec { profile: (0, 0), ..*record });
        });
        news
    }
}

/// This rank among the others.
#[derive(Debug)]
pub(crate) struct Together<'a> {
    definitions: &'a Definitions,
    tree: &'a SharedTree,
    dealt: Arc<Dealt>,
    finders: Finders<'a>,
    /// Records that have been given, by rank.
    queues: Vec<Queue>,
    /// How far each rank has given its records.
    upto: Vec<Moment>,
}

impl<'a> Together<'a> {
    /// Before the first window.
    pub(crate) fn new(
        (definitions, tree): (&'a Definitions, &'a SharedTree),
        dealt: &Arc<Dealt>,
    ) -> Together<'a> {
        let mut finders = Finders::new(definitions, None);
        finders.share(dealt);
        let queues = (0..dealt.ranks).map(|_| Queue::default()).collect();
        let upto = vec![(0, LocationId(0)); dealt.ranks];
        Together { definitions, tree, dealt: dealt.clone(), finders, queues, upto }
    }

    /// The next records of this rank have all their waits: these are all its records up to a time.
    pub(crate) fn take<T: Transport>(
        &mut self,
        (transport, ranks): (&mut T, &mut Ranks),
        mut given: Given,
        upto: Moment,
    ) -> Result<(), T::Error> {
        let late = std::mem::take(&mut given.late);
        let mut needed = Open::default();
        let mut news = News::new(ranks.new_nodes(self.tree), (&given, upto), &self.dealt);
        let own = wire::bytes_about(&news, RECORD_BYTES * news.records.len());
        self.queues[self.dealt.rank].push(given);
        self.upto[self.dealt.rank] = upto;
        news.needed.drain(..).for_each(|(location, time)| needed.causing(location, time));
        let is_own = |rank: usize| rank == self.dealt.rank;
        let to = |rank| if is_own(rank) { Vec::new() } else { own.clone() };
        let all = transport.exchange((0..self.dealt.ranks).map(to).collect())?;
        let own = self.dealt.rank;
        for (rank, bytes) in all.iter().enumerate().filter(|(rank, _)| *rank != own) {
            let Some(news) = ranks.understand(rank, wire::value::<News>(bytes)) else {
                // Nothing more comes from that rank.
                self.upto[rank] = LAST;
                continue;
            };
            self.hear((ranks, rank), news, &mut needed);
        }
        self.finders.explanations.learn(self.tree);
        self.process();
        self.finders.explanations.take_late(&late);
        let waits = self.queues.iter().flat_map(Queue::waits);
        waits.for_each(|wait| needed.causing(wait.causer.location, wait.until));
        needed.sort();
        let is_last = self.upto.iter().all(|upto| *upto == LAST);
        self.finders.window_is_over(&needed, is_last);
        self.settle((transport, ranks))
    }

    fn hear(&mut self, (ranks, rank): (&mut Ranks, usize), news: News, needed: &mut Open) {
        ranks.define(rank, self.tree, &news.nodes);
        let number = ranks.number(rank);
        self.upto[rank] = news.upto;
        news.needed.iter().for_each(|(location, time)| needed.causing(*location, *time));
        let record = |record: Rec| Rec { node: number(record.node), ..record };
        let records = news.records.into_iter().map(record).collect();
        let window = Window::of(records);
        let waits = news.waits.into_iter().map(|(of, wait)| (of as usize, wait.renumber(&number)));
        self.queues[rank].push(Given::of_calls(window, waits));
    }

    /// Takes all records before the first one of which a rank does not know the waits.
    fn process(&mut self) {
        let end = self.upto.iter().min().copied().unwrap_or(LAST);
        let Together { queues, dealt, finders, definitions, .. } = self;
        loop {
            let keys = queues.iter_mut().map(Queue::key).enumerate();
            let mut keys: Vec<_> = keys.filter_map(|(rank, key)| Some((key?, rank))).collect();
            keys.sort_unstable();
            let Some(&(key, rank)) = keys.first() else { return };
            if key >= end && end != LAST {
                return;
            }
            // It has the next records up to the first one of another rank.
            let mut next = Some(key);
            let of_others = keys.get(1).map_or(LAST, |(key, _)| *key).min(end);
            while next.is_some_and(|next| next == key || next < of_others) {
                queues[rank].take(|record, profile, known| {
                    if dealt.of_location(record.location) != rank {
                        // A rank also has some records of others, for its matchers.
                    } else if rank == dealt.rank {
                        finders.record(definitions, record, (profile, known));
                    } else {
                        finders.other_record(record, known);
                    }
                });
                next = queues[rank].key();
            }
        }
    }

    /// The ranks tell each other what they must know, until none has anything to tell.
    fn settle<T: Transport>(
        &mut self,
        (transport, ranks): (&mut T, &mut Ranks),
    ) -> Result<(), T::Error> {
        let mut own = self.finders.paths.held();
        let mut held: BTreeSet<Number> = own.iter().copied().collect();
        let mut is_first = true;
        loop {
            let (told, letters) = (self.finders.paths.tell(), self.finders.explanations.letters());
            let is_silent = told.is_empty() && letters.iter().all(Letter::is_empty);
            let has_news = is_first || !is_silent;
            let nodes = ranks.new_nodes(self.tree);
            let round = |letter| {
                let (nodes, told, held) = (nodes.clone(), told.clone(), own.clone());
                wire::bytes(&Round { nodes, has_news, told, held, letter })
            };
            let all = transport.exchange(letters.into_iter().map(round).collect())?;
            let mut is_over = !has_news;
            let this = self.dealt.rank;
            for (rank, bytes) in all.iter().enumerate().filter(|(rank, _)| *rank != this) {
                let round = ranks.understand(rank, wire::value::<Round>(bytes));
                let Some(Round { nodes, has_news, told, held: other, mut letter }) = round else {
                    continue;
                };
                ranks.define(rank, self.tree, &nodes);
                letter.renumber(&ranks.number(rank));
                is_over &= !has_news;
                held.extend(other);
                self.finders.paths.hear(told);
                self.finders.explanations.learn(self.tree);
                self.finders.explanations.receive(rank, letter);
            }
            if is_over {
                self.finders.paths.collect(&held);
                return Ok(());
            }
            self.finders.explanations.settle_again();
            (own, is_first) = (Vec::new(), false);
        }
    }

    /// All records have been given: what this rank has of the path and the causes.
    pub(crate) fn end<T: Transport>(
        self,
        (transport, ranks): (&mut T, &mut Ranks),
    ) -> Result<crate::outcome::Causes, T::Error> {
        let Together { definitions, finders, .. } = self;
        let own = finders.paths.last_end(definitions);
        let all = transport.exchange(vec![wire::bytes(&own); transport.ranks()])?;
        let ends = all.iter().enumerate().map(|(rank, bytes)| {
            ranks.understand(rank, wire::value::<Option<End>>(bytes)).flatten()
        });
        let last = ends.flatten().max_by_key(|(end, _)| *end);
        Ok(finders.end_with_others(definitions, last))
    }
}
