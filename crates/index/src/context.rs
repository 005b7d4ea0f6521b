//! What all locations of a trace use: its definitions, the division of time, the states of regions,
//! the forks. Builders and questions about exact windows need the same, so it is a file below both.

use pompeii_model::{Id, ProcessId};
use pompeii_replay::definitions::Definitions;

use crate::calls::Forks;
use crate::shape::Shape;
use crate::state::State;

/// What all locations of a trace use.
#[derive(Debug)]
pub struct Context<'a> {
    /// Definitions of the trace. A region of an index is its number there.
    pub definitions: &'a Definitions,
    /// The division of time.
    pub shape: Shape,
    states: Vec<State>,
    forks: Forks,
}

impl<'a> Context<'a> {
    /// The context of a trace.
    pub fn new(definitions: &'a Definitions, shape: Shape) -> Context<'a> {
        let states = definitions.regions.iter().map(State::of).collect();
        Context { definitions, shape, states, forks: Forks::default() }
    }

    /// The same with the forks of the trace. Without them, the parts of workers in parallel regions
    /// have call paths that begin at the root.
    pub fn with_forks(self, forks: Forks) -> Context<'a> {
        Context { forks, ..self }
    }

    pub(crate) fn forks(&self) -> &Forks {
        &self.forks
    }

    /// The state of each region.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The numbers of the locations of a process.
    pub fn locations_of(&self, process: ProcessId) -> impl Iterator<Item = usize> {
        let locations = self.definitions.system.locations.enumerated();
        locations.filter(move |(_, it)| it.process == process).map(|(id, _)| id.index())
    }

    /// When the trace ends, in ticks.
    pub(crate) fn end(&self) -> u64 {
        self.shape.origin.saturating_add(self.shape.length)
    }
}
