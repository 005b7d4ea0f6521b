//! Diagnosis: handing out the chunks of a loop takes longer than a small part of what they do.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Chunks too short.
pub const PROPERTY: Property = Property {
    name: "short_chunks",
    title: "Chunks too short",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Nothing,
    gain: "What handing out takes on each thread on average. Bounds: with what a dispatch costs \
        where threads write nothing in common, and where they also write next to each other.",
    doc: Doc {
        measures: "A dynamic schedule hands out chunks that take less than 50 times what handing \
            them out costs. A dispatch is no event, so its time is part of the loop's.",
        formula: "Chunks = iterations / chunk size. Lost: chunks x cost of a dispatch, at most 95 % \
            of the loop's time. `run` measures the cost after the program has ended: 10 ns for the \
            call, and what an atomic add takes longer with as many threads as the run had.",
        cost: "Each dispatch is a call and an atomic add, for which the cache line with the loop's \
            next iteration moves from core to core.",
        recognise: "The loop takes longer than with schedule(static), and with more threads it \
            does not become shorter.",
        remedy: "A larger chunk, or schedule(static) where iterations cost the same.",
        example: "schedule(dynamic) over a million pixels of 2 ns each: 60 ns for each pixel and \
            thread. schedule(dynamic,1500) leaves 2 %.",
    },
};
