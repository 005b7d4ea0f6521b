//! Tests of the reader and the writer: files as texts, round trips of any records, and damage.

#![allow(clippy::unwrap_used)]

mod files;
mod property;
mod round_trip;
