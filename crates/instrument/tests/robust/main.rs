//! What holds for any text: over the whole corpus of programs, over every way of writing them, over
//! many ways of breaking them, and over what fuzzing has found.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails may panic")]
#![allow(clippy::print_stdout, reason = "a test that fails says which text it was")]

mod corpus;
mod kept;
mod long;
mod mutations;
mod property;
mod regressions;
mod shapes;
mod spellings;
