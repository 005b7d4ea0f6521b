//! What handing out the chunks of a loop costs, as it was measured on the machine of the run.

/// What handing out a chunk of a loop costs a thread, if all threads of the run take chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// The call, without other threads, in nanoseconds.
    pub call_ns: u64,
    /// Chunks that write nothing in common, the shortest first.
    pub apart: Vec<Chunk>,
    /// Chunks that write next to each other, as those of loops over arrays do.
    pub adjacent: Vec<Chunk>,
}

/// A chunk, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What it takes with all that is done in it.
    pub all_ns: u64,
    /// How much of it is there because other threads take chunks, too.
    pub more_ns: u64,
}

impl Dispatch {
    /// What handing out costs for chunks that take so long on average, handing out included: at
    /// least, if they write nothing in common, and if they write next to each other.
    ///
    /// Between two measured chunks the contention grows evenly. Shorter chunks than the first one
    /// have nothing but contention to differ in, and for longer ones the cache line has always
    /// moved already.
    pub fn of(&self, chunk_ns: f64) -> [f64; 2] {
        [&self.apart, &self.adjacent]
            .map(|chunks| self.call_ns as f64 + contention(chunks, chunk_ns))
    }
}

fn contention(chunks: &[Chunk], chunk_ns: f64) -> f64 {
    let mut before = Chunk { all_ns: 0, more_ns: 0 };
    for &chunk in chunks {
        if chunk_ns < chunk.all_ns as f64 && chunk.all_ns > before.all_ns {
            let part = (chunk_ns - before.all_ns as f64) / (chunk.all_ns - before.all_ns) as f64;
            let [from, to] = [before, chunk].map(|of| of.more_ns as f64);
            return from + part * (to - from);
        }
        before = chunk;
    }
    before.more_ns as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contention_of_a_chunk_is_that_of_chunks_that_take_as_long() {
        let chunks = |points: &[(u64, u64)]| -> Vec<Chunk> {
            points.iter().map(|&(all_ns, more_ns)| Chunk { all_ns, more_ns }).collect()
        };
        let dispatch = Dispatch {
            call_ns: 10,
            apart: chunks(&[(20, 10), (120, 60)]),
            adjacent: chunks(&[(100, 90), (200, 150), (400, 170)]),
        };
        assert_eq!(dispatch.of(10.0), [15.0, 19.0]);
        assert_eq!(dispatch.of(70.0), [45.0, 73.0]);
        assert_eq!(dispatch.of(300.0), [70.0, 170.0]);
        assert_eq!(dispatch.of(9000.0), [70.0, 180.0]);
        assert_eq!(Dispatch::default().of(50.0), [0.0, 0.0]);
    }
}
