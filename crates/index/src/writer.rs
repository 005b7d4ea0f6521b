//! Writes an index, location by location. What several locations make together, as the row of their
//! process, is collected here and written when the last of them has come.

use std::io::{self, Write};

use pompeii_model::{Id, LocationId, ProcessId};

use crate::build::LocationIndex;
use crate::context::Context;
use crate::ends::{LocationEnds, Packed};
use crate::fold::Fold;
use crate::format::{Checksum, END_MAGIC, Fingerprint, Key, MAGIC, Piece, Section, VERSION};
use crate::links::LinkStore;
use crate::{meeting, messages};

/// A directory entry: key, offset in words, number of words.
type Entry = (Key, u64, u64);

/// Writes an index.
#[derive(Debug)]
pub struct IndexWriter<'a, W> {
    context: &'a Context<'a>,
    out: W,
    written: u64,
    checksum: Checksum,
    directory: Vec<Entry>,
    coarse: Vec<(Key, Vec<u64>)>,
    /// By process.
    processes: Vec<Together>,
    links: LinkStore,
    /// Ends of MPI by location.
    mpi: Vec<(usize, Packed)>,
}

/// What the locations of a process make together.
#[derive(Clone, Debug, Default)]
struct Together {
    /// Locations that have not come.
    left: usize,
    fold: Fold,
    ends: Vec<(usize, Packed)>,
}

impl<'a, W: Write> IndexWriter<'a, W> {
    /// Begins an index of all locations that the definitions have.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        out: W,
        fingerprint: Fingerprint,
        context: &'a Context<'a>,
    ) -> io::Result<IndexWriter<'a, W>> {
        let locations = &context.definitions.system.locations;
        let mut processes: Vec<Together> = Vec::new();
        for location in locations.iter() {
            let process = location.process.index();
            processes.resize_with(processes.len().max(process + 1), Together::default);
            processes[process].left += 1;
        }
        let shape = context.shape;
        let mut writer = IndexWriter {
            context,
            out,
            written: 0,
            checksum: Checksum::new(),
            directory: Vec::new(),
            coarse: Vec::new(),
            processes,
            links: LinkStore::new(shape),
            mpi: Vec::new(),
        };
        let [first, second] = fingerprint;
        let levels = u64::from(shape.unit_log2)
            | u64::from(shape.finest_log2) << 8
            | u64::from(shape.levels) << 16;
        let locations = locations.len() as u64;
        let head = [MAGIC, VERSION, first, second, levels, shape.origin, shape.length, locations];
        writer.checksum.add(&head);
        writer.words(&head)?;
        Ok(writer)
    }

    fn words(&mut self, words: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.out.write_all(&bytes)?;
        self.written += words.len() as u64;
        Ok(())
    }

    fn section(&mut self, key: Key, words: &[u64]) -> io::Result<()> {
        self.directory.push((key, self.written, words.len() as u64));
        self.words(words)
    }

    /// Writes the sections of a location or process; the coarse ones are kept until the end.
    fn pieces(&mut self, of: usize, pieces: Vec<Piece>) -> io::Result<()> {
        for piece in pieces {
            let key = Key::new(piece.section, of, piece.row, piece.level);
            match piece.is_coarse {
                _ if piece.words.is_empty() => {}
                true => self.coarse.push((key, piece.words)),
                false => self.section(key, &piece.words)?,
            }
        }
        Ok(())
    }

    /// Adds a location with its number in the definitions, once and in any order. Memory is least
    /// if the locations of a process follow each other.
    ///
    /// # Errors
    /// Those of the file.
    pub fn add(&mut self, location: usize, mut index: LocationIndex) -> io::Result<()> {
        // A file does not depend on how many builders have made its sections.
        index.pieces.sort_by_key(Piece::place);
        self.pieces(location, index.pieces)?;
        let locations = &self.context.definitions.system.locations;
        if location >= locations.len() {
            return Ok(());
        }
        let process = locations[LocationId::from_index(location)].process;
        let Some(together) = self.processes.get_mut(process.index()) else { return Ok(()) };
        together.fold.add(index.states);
        let LocationEnds { threads, mpi, .. } = index.ends;
        together.ends.push((location, threads));
        if !mpi.is_empty() {
            self.mpi.push((location, mpi));
        }
        together.left = together.left.saturating_sub(1);
        if together.left == 0 { self.finish_process(process) } else { Ok(()) }
    }

    fn finish_process(&mut self, process: ProcessId) -> io::Result<()> {
        let Some(together) = self.processes.get_mut(process.index()) else { return Ok(()) };
        let Together { fold, ends, .. } = std::mem::take(together);
        let curves = meeting::link(self.context, &ends, &mut self.links);
        let shape = self.context.shape;
        let pieces = fold.words(shape).enumerate().map(|(level, words)| {
            let (section, is_coarse) = (Section::Folded, shape.is_coarse(level));
            Piece { section, row: 0, level, words, is_coarse }
        });
        let pieces = pieces.chain(curves).collect();
        self.pieces(process.index(), pieces)
    }

    /// Writes what is left, the directory and the foot, and returns what was written to.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        for process in 0..self.processes.len() {
            if self.processes[process].left > 0 {
                self.finish_process(ProcessId::from_index(process))?;
            }
        }
        messages::link(self.context.definitions, &self.mpi, &mut self.links);
        let links = std::mem::replace(&mut self.links, LinkStore::new(self.context.shape));
        for (kind, piece) in links.pieces() {
            self.pieces(kind, vec![piece])?;
        }
        let coarse_begin = self.written;
        let mut coarse = std::mem::take(&mut self.coarse);
        coarse.sort_by_key(|(key, _)| *key);
        for (key, words) in coarse {
            self.section(key, &words)?;
        }
        self.directory.sort_by_key(|(key, ..)| *key);
        let entries = std::mem::take(&mut self.directory);
        let directory: Vec<u64> =
            entries.iter().flat_map(|(Key(key), offset, words)| [*key, *offset, *words]).collect();
        self.checksum.add(&directory);
        self.words(&directory)?;
        let checksum = self.checksum.value();
        self.words(&[coarse_begin, entries.len() as u64, checksum, END_MAGIC])?;
        self.out.flush()?;
        Ok(self.out)
    }
}
