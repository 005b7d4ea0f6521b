//! Metrics: what is counted or timed. A performance property is a metric with a parent of which
//! it is a part.

use crate::{Display, MetricId};

/// What a metric's integers stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Clock ticks of the run's [`crate::Frequency`]; shown as seconds.
    Ticks,
    /// Occurrences.
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds of a clock of the system's.
    Nanoseconds,
    /// Parts of 10^-n: a counter of real numbers, with n decimals.
    Decimals(u8),
}

impl Unit {
    /// The unit of measurement that Cube reports use.
    pub fn cube_name(self) -> &'static str {
        match self {
            Unit::Ticks => "sec",
            Unit::Count => "occ",
            Unit::Bytes => "bytes",
            Unit::Nanoseconds => "ns",
            Unit::Decimals(_) => "#",
        }
    }

    /// How many parts one of it has, if it is not counted in whole ones.
    pub fn parts(self) -> f64 {
        match self {
            Unit::Decimals(decimals) => 10f64.powi(i32::from(decimals)),
            _ => 1.0,
        }
    }
}

/// A metric or performance property. A child's severity is always a part of its parent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Unique name, kept from Scalasca where it has one: scripts rely on it.
    pub name: String,
    /// Name for display.
    pub title: String,
    /// One paragraph for tooltips and reports.
    pub description: String,
    /// What the integers stand for.
    pub unit: Unit,
    /// The metric that this one is a part of.
    pub parent: Option<MetricId>,
    /// How its values are combined, and what its percentages refer to.
    pub display: Display,
}
