//! The server of the viewer: a page of this machine asks for what it shows of an experiment.
//!
//! * [`Server`] listens on loopback or on a socket of the user, and answers GET and HEAD. Who may
//!   ask is decided in `guard.rs`, before a path is looked at.
//! * [`Session`] is one open experiment: its report, its trace, and the index of the trace, which
//!   is built in the background if there is none (`building.rs`).
//! * [`embedded`] asks it once for the timeline of an offline page.
//! * `answers/` has one file for each kind of question; `wire.rs` describes the answers.
//!
//! One thread takes requests, and two threads answer those that read the report or the trace. When
//! a server begins, one thread prepares the report, and one thread for each CPU builds an index.
//! The other crates know nothing of HTTP.

mod answers;
mod browser;
mod building;
mod compress;
mod embed;
mod guard;
mod http;
mod instances;
mod progress;
mod query;
mod reply;
mod routes;
mod server;
mod session;
mod source;
mod token;
mod trace;
mod wire;

pub use browser::Redirect;
pub use building::IndexPlace;
pub use embed::embedded;
pub use http::Limits;
pub use progress::{Progress, ProgressState};
pub use server::{Place, Server, Stop};
pub use session::{Report, Session, Viewed};
pub use token::Token;
pub use trace::Unreadable;
