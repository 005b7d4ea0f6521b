//! What holds for any text: over the whole corpus of programs, over every way of writing them, over
//! many ways of breaking them, and over what fuzzing has found.

mod corpus;
mod kept;
mod long;
mod mutations;
mod property;
mod regressions;
pub mod shapes;
mod spellings;
