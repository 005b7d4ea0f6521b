//! Grids, graphs and intercommunicators, and operations on them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use pompeii_otf2::definition::{CartCoordinate, CartDimension, CartTopology, Definition};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::GroupRef;

use super::{Sandbox, Source, command, libraries};
use crate::common::{oracles, silent};

const GROUPS: Source = ("groups.c", include_str!("programs/groups.c"), "mpicc");

/// Grids with who is where in them, intercommunicators, and the number of operations by kind.
fn known(path: &Path) -> String {
    let archive = Archive::open(path).unwrap();
    let mut text = String::new();
    for definition in archive.definitions() {
        text += &match definition {
            Definition::CartDimension(CartDimension { id, size, cart_periodicity, .. }) => {
                format!("dimension {} of {size}, {cart_periodicity:?}\n", id.0)
            }
            Definition::CartTopology(CartTopology { name, cart_dimensions, .. }) => {
                let name = archive.string(*name).unwrap();
                let dimensions: Vec<u32> = cart_dimensions.iter().map(|id| id.0).collect();
                format!("grid {name:?} of dimensions {dimensions:?}\n")
            }
            Definition::CartCoordinate(CartCoordinate { rank, coordinates, .. }) => {
                format!("  rank {rank} at {coordinates:?}\n")
            }
            Definition::InterComm(between) => {
                let name = archive.string(between.name).unwrap();
                let groups =
                    [between.group_a, between.group_b].map(|group| members(&archive, group));
                format!("{name:?} between {groups:?}\n")
            }
            _ => String::new(),
        };
    }
    let mut operations = BTreeMap::new();
    let mut events = archive.merged().unwrap();
    while let Some(record) = events.read_next() {
        let what = match &record.unwrap().event {
            Event::MpiCollectiveEnd(end) => format!("{:?}", end.collective_op),
            Event::NonBlockingCollectiveComplete(end) => format!("later {:?}", end.collective_op),
            Event::MpiSend(_) => "sent".to_owned(),
            Event::MpiRecv(received) => format!("received from {}", received.sender),
            _ => continue,
        };
        *operations.entry(what).or_insert(0) += 1;
    }
    operations.iter().for_each(|(what, times)| text += &format!("{times} x {what}\n"));
    text
}

fn members(archive: &Archive, group: GroupRef) -> Vec<u64> {
    let mut groups = archive.definitions().iter().filter_map(|definition| match definition {
        Definition::Group(found) if found.id == group => Some(found.members.clone()),
        _ => None,
    });
    groups.next().unwrap()
}

#[test]
fn grids_graphs_and_intercommunicators_are_known() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, what) = (Sandbox::new(), mpi.name);
        mpi.build(&sandbox, GROUPS, "");
        let ended = mpi.run(&sandbox, 4, "--trace", "./program");
        assert_eq!(ended.code, Some(0), "{what}: {}", ended.messages);
        let trace = sandbox.path("exp/traces.otf2");
        let events = silent(Command::new("otf2-print").arg(&trace));
        assert!(!events.contains("UNKNOWN") && !events.contains("INVALID"), "{what}: {events}");
        let known = known(&trace);
        let (expected, later) = (
            expect_test::expect![[r#"
            "sides" between [[0, 2], [1, 3]]
            dimension 0 of 2, CartPeriodicity(1)
            dimension 1 of 2, CartPeriodicity(0)
            grid "grid" of dimensions [0, 1]
              rank 0 at [0, 0]
              rank 1 at [0, 1]
              rank 2 at [1, 0]
              rank 3 at [1, 1]
            dimension 2 of 2, CartPeriodicity(1)
            grid "" of dimensions [2]
              rank 0 at [0]
              rank 1 at [1]
            dimension 3 of 2, CartPeriodicity(1)
            grid "" of dimensions [3]
              rank 0 at [0]
              rank 1 at [1]
            12 x CollectiveOp(0)
            4 x CollectiveOp(1)
            4 x CollectiveOp(11)
            32 x CollectiveOp(17)
            32 x CollectiveOp(18)
            4 x CollectiveOp(6)
            4 x CollectiveOp(8)
            4 x later CollectiveOp(6)
            2 x received from 0
            2 x received from 1
            4 x sent
        "#]],
            ended.output.trim() != "MPI 3",
        );
        // The standard before has no persistent ones.
        let known = if later { known.replace("12 x later CollectiveOp(11)\n", "") } else { known };
        expected.assert_eq(&known);
        let report = command(&sandbox, "report --json exp").output().unwrap().stdout;
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["sum_error"], serde_json::Value::Null, "{what}");
    }
}
