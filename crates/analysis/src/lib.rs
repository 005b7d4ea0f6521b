//! Performance properties over the severity cube: what was lost, why, and what fixing it brings.
