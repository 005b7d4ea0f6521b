//! The layout of live state: what the measured process writes and finish reads.
