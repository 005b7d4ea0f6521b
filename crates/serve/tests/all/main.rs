//! Integration tests of the server. They speak HTTP over sockets by hand, because what a browser
//! would never send matters most.
#![allow(clippy::unwrap_used, reason = "tests")]

mod answers;
mod building;
mod common;
mod connections;
mod guard;
mod hostile;
mod many;
mod oracle_embed;
mod oracle_page;
mod searches;
mod startup;
mod tags;
mod trees;
