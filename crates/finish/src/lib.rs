//! Turns live state into an experiment, after a normal end or a death.
