//! More requests under way at the same time than the library has room for: each is recorded or
//! counted.

use pompeii_finish::{Manifest, WithoutPlace};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;

use super::{Sandbox, Source, libraries};
use crate::common::oracles;

const MANY: Source = ("many_requests.c", include_str!("programs/many_requests.c"), "mpicc");
/// Requests that are under way.
const REQUESTS: u64 = 80_000;

#[test]
fn requests_without_a_place_are_counted() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, MANY, "");
        let ended = mpi.run(&sandbox, 1, "--trace", "./program");
        assert_eq!((ended.code, &*ended.output), (Some(0), "difference 0\n"), "{}", mpi.name);
        let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
        let is_complete =
            |event: &Event| matches!(event, Event::MpiIsendComplete(_) | Event::MpiIrecv(_));
        let events = archive.merged().unwrap().map(|record| record.unwrap().event);
        let recorded = events.filter(is_complete).count() as u64;
        let lost = Manifest::load(&sandbox.path("exp")).unwrap().lost;
        let [WithoutPlace { count, places: 16_384, .. }] = lost.without_place[..] else {
            panic!("{}: {lost:?}", mpi.name);
        };
        assert_eq!((lost.events, recorded + count), (0, REQUESTS), "{}", mpi.name);
        assert!((13_000..=16_384).contains(&recorded), "{}: {recorded}", mpi.name);
        let report = sandbox.succeeds("report exp").output;
        let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
        let note = format!(
            "Events of {count} unfinished MPI requests were not recorded: the measurement library \
             has room for at most 16384 at the same time."
        );
        assert!(report.contains(&note), "{}: {report}", mpi.name);
    }
}
