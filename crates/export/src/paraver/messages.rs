//! The messages of MPI, in the order of their sends. The analysis of the trace finds them at their
//! receives. Therefore they are sorted: in memory as many as fit, and these runs are merged from a
//! temporary file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use pompeii_model::LocationId;
use pompeii_replay::{Compound, Options, Trace, replay};

use crate::clock::Clock;
use crate::source::Error;

/// Messages of a run, some tens of megabytes.
const RUN: usize = if cfg!(test) { 4 } else { 1 << 20 };
/// Messages of a run that are in memory when runs are merged.
const PART: usize = if cfg!(test) { 2 } else { 1 << 10 };
/// Numbers of a message in the file.
const NUMBERS: usize = 6;

/// A message, with times in nanoseconds. The order is that of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// Time of the send.
    pub sent: u64,
    /// Time of the receive, not before the send.
    pub received: u64,
    /// Where it was sent.
    pub sender: LocationId,
    /// Where it was received.
    pub receiver: LocationId,
    /// Its size.
    pub bytes: u64,
    /// Its tag.
    pub tag: u32,
}

/// All messages, from the first send to the last one.
#[derive(Debug, Default)]
pub struct Messages {
    /// Made for the first run.
    file: Option<File>,
    /// Where each run goes on in the file and where it ends, in messages; and its next messages,
    /// the first one last.
    runs: Vec<(u64, u64, Vec<Message>)>,
    /// The run that has the first message.
    first: Option<usize>,
}

impl Messages {
    /// Of a trace.
    pub fn of(trace: Trace, clock: Clock) -> Result<Messages, Error> {
        let mut messages = Messages::default();
        let mut run: Vec<Message> = Vec::new();
        let mut result: io::Result<()> = Ok(());
        replay(trace, Options::default(), &mut |found| {
            let (Compound::Delivery(it), true) = (&found, result.is_ok()) else { return };
            let (sent, received) = (clock.time_ns(it.sent), clock.time_ns(it.received));
            run.push(Message {
                sent,
                // Clocks that differ may say otherwise.
                received: received.max(sent),
                sender: it.send.at.location,
                receiver: it.at.location,
                bytes: it.send.bytes,
                tag: it.tag,
            });
            if run.len() >= RUN {
                result = messages.add(&mut run);
            }
        });
        result?;
        if !run.is_empty() {
            messages.add(&mut run)?;
        }
        Ok(messages)
    }

    /// Writes a run.
    fn add(&mut self, run: &mut Vec<Message>) -> io::Result<()> {
        run.sort_unstable();
        let from = self.runs.last().map_or(0, |(_, end, _)| *end);
        let bytes: Vec<u8> =
            run.iter().flat_map(|it| it.numbers()).flat_map(u64::to_le_bytes).collect();
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        let file = self.file.insert(file);
        file.write_all_at(&bytes, from * Message::BYTES)?;
        self.runs.push((from, from + run.len() as u64, Vec::new()));
        run.clear();
        Ok(())
    }

    /// The next message.
    pub fn first(&mut self) -> io::Result<Option<Message>> {
        let Some(file) = &self.file else { return Ok(None) };
        for (next, end, part) in &mut self.runs {
            if part.is_empty() && next < end {
                let number = (*end - *next).min(PART as u64);
                *part = read(file, *next, number)?;
                *next += number;
            }
        }
        let heads = self.runs.iter().enumerate();
        let heads = heads.filter_map(|(place, (_, _, part))| Some((*part.last()?, place)));
        let first = heads.min();
        self.first = first.map(|(_, place)| place);
        Ok(first.map(|(message, _)| message))
    }

    /// Removes the message that was the next one.
    pub fn take(&mut self) -> Option<Message> {
        self.runs.get_mut(self.first.take()?)?.2.pop()
    }
}

/// Messages from the file, the first one last.
fn read(file: &File, from: u64, number: u64) -> io::Result<Vec<Message>> {
    let mut bytes = vec![0; (number * Message::BYTES) as usize];
    file.read_exact_at(&mut bytes, from * Message::BYTES)?;
    let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let numbers: Vec<u64> = bytes.as_chunks().0.iter().map(number).collect();
    Ok(numbers.as_chunks().0.iter().rev().map(Message::from_numbers).collect())
}

impl Message {
    const BYTES: u64 = NUMBERS as u64 * 8;

    fn numbers(&self) -> [u64; NUMBERS] {
        let locations = [self.sender, self.receiver].map(|location| u64::from(location.0));
        [self.sent, self.received, locations[0], locations[1], self.bytes, u64::from(self.tag)]
    }

    fn from_numbers(numbers: &[u64; NUMBERS]) -> Message {
        let [sent, received, sender, receiver, bytes, tag] = *numbers;
        let [sender, receiver] = [sender, receiver].map(|number| LocationId(number as u32));
        Message { sent, received, sender, receiver, bytes, tag: tag as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(sent: u64, tag: u32) -> Message {
        let (sender, receiver) = (LocationId(0), LocationId(1));
        Message { sent, received: sent + 1, sender, receiver, bytes: u64::MAX - sent, tag }
    }

    #[test]
    fn messages_of_several_runs_come_in_the_order_of_their_sends() {
        let mut messages = Messages::default();
        let times = [5, 1, 9, 7, 3, 3, 8, 0, 2];
        for (run, tag) in times.chunks(RUN).zip(0..) {
            messages.add(&mut run.iter().map(|sent| message(*sent, tag)).collect()).unwrap();
        }
        let mut found = Vec::new();
        while let Some(first) = messages.first().unwrap() {
            assert_eq!(messages.first().unwrap(), Some(first), "it stays until it is taken");
            assert_eq!(messages.take(), Some(first));
            assert_eq!((first.received, first.bytes), (first.sent + 1, u64::MAX - first.sent));
            found.push((first.sent, first.tag));
        }
        let expected = [(0, 1), (1, 0), (2, 2), (3, 1), (3, 1), (5, 0), (7, 0), (8, 1), (9, 0)];
        assert_eq!(found, expected);
        assert_eq!(messages.take(), None);
    }
}
