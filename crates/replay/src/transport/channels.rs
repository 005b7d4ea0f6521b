//! Ranks inside one process, one thread each, with a channel for each pair. Tests use them to show
//! that an analysis on several ranks has the same result as on one, without MPI.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::compound::Compound;
use crate::engine::options::Options;
use crate::engine::window::{Sinks, Trace, replay_on};
use crate::outcome::Outcome;
use crate::transport::Transport;

/// One of the ranks.
#[derive(Debug)]
pub struct Channels {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

/// The thread of another rank has ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Which rank.
    pub rank: usize,
}

impl Channels {
    /// This number of ranks that can reach each other, in their order.
    pub fn connect(ranks: usize) -> Vec<Channels> {
        let pairs: Vec<Vec<_>> =
            (0..ranks).map(|_| (0..ranks).map(|_| channel()).collect()).collect();
        let mut to: Vec<Vec<Sender<Vec<u8>>>> = vec![Vec::new(); ranks];
        let mut from: Vec<Vec<Receiver<Vec<u8>>>> = (0..ranks).map(|_| Vec::new()).collect();
        for (sender, channels) in pairs.into_iter().enumerate() {
            for (receiver, (begin, end)) in channels.into_iter().enumerate() {
                to[sender].push(begin);
                from[receiver].push(end);
            }
        }
        let all = to.into_iter().zip(from).enumerate();
        all.map(|(rank, (to, from))| Channels { rank, to, from }).collect()
    }

    /// Runs a function on this number of ranks at the same time. Returns their results in their
    /// order; `None` for a rank that has panicked.
    pub fn run<R: Send>(ranks: usize, on: &(dyn Fn(Channels) -> R + Sync)) -> Vec<Option<R>> {
        thread::scope(|scope| {
            let all = Channels::connect(ranks).into_iter();
            let threads: Vec<_> = all.map(|rank| scope.spawn(move || on(rank))).collect();
            threads.into_iter().map(|thread| thread.join().ok()).collect()
        })
    }
}

/// Analyses a trace on this number of ranks. `part` gives each of them its part of the trace.
/// Returns what each rank has found, or nothing if a rank has ended too early.
pub fn replay(
    ranks: usize,
    options: Options,
    part: &(dyn Fn(usize, usize) -> Trace + Sync),
) -> Option<Vec<(Outcome, Vec<Compound>)>> {
    let all = Channels::run(ranks, &|mut channels| {
        let mut compounds = Vec::new();
        let trace = part(ranks, channels.rank());
        let mut found = |it| compounds.push(it);
        let sinks = Sinks { found: &mut found, tables: None, scenarios: None };
        let outcome = replay_on(&mut channels, trace, options, sinks);
        outcome.map(|outcome| (outcome, compounds))
    });
    all.into_iter().map(|result| result?.ok()).collect()
}

impl Transport for Channels {
    type Error = Gone;

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn exchange(&mut self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Gone> {
        for (rank, (bytes, to)) in bytes.into_iter().zip(&self.to).enumerate() {
            to.send(bytes).map_err(|_| Gone { rank })?;
        }
        let all = self.from.iter().enumerate();
        all.map(|(rank, from)| from.recv().map_err(|_| Gone { rank })).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_gets_what_the_others_have_for_it() {
        let got = Channels::run(3, &|mut rank| {
            let own = rank.rank() as u8;
            let got = rank.exchange((0..3).map(|to| vec![own, to]).collect()).unwrap();
            let least = rank.min(10 - u64::from(own)).unwrap();
            (got, least, rank.gather(vec![own]).unwrap())
        });
        let all = |to: u8| (0..3).map(|from| vec![from, to]).collect::<Vec<Vec<u8>>>();
        let gathered = vec![vec![0], vec![1], vec![2]];
        assert_eq!(
            got,
            [
                Some((all(0), 8, gathered)),
                Some((all(1), 8, Vec::new())),
                Some((all(2), 8, Vec::new()))
            ]
        );
    }

    #[test]
    fn a_rank_that_ends_too_early_is_an_error_for_the_others() {
        let got = Channels::run(2, &|mut rank| match rank.rank() {
            0 => Ok(Vec::new()),
            _ => rank.gather(vec![1]).and_then(|_| rank.gather(vec![1])),
        });
        assert_eq!(got, [Some(Ok(Vec::new())), Some(Err(Gone { rank: 0 }))]);
    }
}
