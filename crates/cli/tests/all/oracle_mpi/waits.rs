//! `run --mpi-wait`: who waits for whom, for messages on request only.

use super::{Mpi, Sandbox, Source, all_libraries, command, count, libraries, records};
use crate::common::{oracles, with_more_time};

const WAITS: Source = ("waits.c", include_str!("programs/waits.c"), "mpicc");
const LATE_STAMP: Source = ("late.c", include_str!("programs/late_stamp.c"), "mpicc");
const LATE_MEETING: Source = ("late.c", include_str!("programs/late_meeting.c"), "mpicc");

/// Waiting of all metrics for that, in ticks.
fn waiting(sandbox: &Sandbox) -> [i64; 7] {
    let report = command(sandbox, "report --json exp").output().unwrap().stdout;
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["sum_error"], serde_json::Value::Null);
    let metrics = report["metrics"].as_array().unwrap();
    let names = [
        "mpi_latesender",
        "mpi_wait_nxn",
        "mpi_latebroadcast",
        "mpi_earlyreduce",
        "mpi_earlyscan",
        "mpi_icollective_wait",
        "mpi_barrier_wait",
    ];
    names.map(|name| total(metrics, name))
}

fn total(metrics: &[serde_json::Value], name: &str) -> i64 {
    let metric = metrics.iter().find(|metric| metric["name"] == name);
    metric.map_or(0, |metric| metric["raw"].as_i64().unwrap())
}

fn built(mpi: Mpi, source: Source) -> Sandbox {
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, source, "");
    sandbox
}

fn run(mpi: Mpi, sandbox: &Sandbox, options: &str, how: &str) {
    let options = format!("--replace {options}");
    let ended = mpi.run(sandbox, 2, &options, &format!("./program {how}"));
    assert_eq!(ended.code, Some(0), "{} {how}: {}", mpi.name, ended.messages);
}

/// What a process comes late to, by the place of its metric in `waiting`, has the largest of all
/// waiting. Asked in several tests, since most of each is sleep: so they sleep side by side.
fn is_the_largest_of_all_waiting(places: &[(usize, &str)]) {
    for mpi in all_libraries() {
        let sandbox = built(mpi, WAITS);
        for &(place, how) in places {
            with_more_time(|times| {
                run(mpi, &sandbox, "--mpi-wait", &format!("{how} {times}"));
                let waiting = waiting(&sandbox);
                // Who waits for messages is late himself for the barrier after them.
                let others = waiting[..6].iter().enumerate().filter(|&(other, _)| other != place);
                let largest = others.map(|(_, &waiting)| waiting).max().unwrap();
                match waiting[place] > largest {
                    true => Ok(()),
                    false => Err(format!("{} {how}: {waiting:?}", mpi.name)),
                }
            });
        }
    }
}

#[test]
fn who_waits_for_messages() {
    if oracles() {
        is_the_largest_of_all_waiting(&[(0, "messages"), (0, "parts"), (0, "many")]);
    }
}

#[test]
fn who_waits_for_messages_in_other_communicators() {
    if oracles() {
        let places = [(0, "duplicates"), (0, "inter"), (0, "inter_duplicates")];
        is_the_largest_of_all_waiting(&places);
    }
}

#[test]
fn who_waits_in_collective_operations() {
    if oracles() {
        let places = [(1, "nxn"), (1, "neighbours"), (2, "broadcast"), (3, "reduce"), (4, "scan")];
        is_the_largest_of_all_waiting(&places);
    }
}

#[test]
fn who_waits_for_collective_operations_begun_before() {
    if oracles() {
        is_the_largest_of_all_waiting(&[(5, "icollective"), (5, "persistent"), (5, "iscan")]);
    }
}

/// A stamp that comes when no call looks for it any more is not taken for that of the next message.
#[test]
fn late_stamps_are_told_from_those_behind_them() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = built(mpi, LATE_STAMP);
        with_more_time(|times| {
            run(mpi, &sandbox, "--mpi-wait", &times.to_string());
            let [late_sender, ..] = waiting(&sandbox);
            // A stamp of the first message makes the sleep no time at all.
            if late_sender > 0 { Ok(()) } else { Err(mpi.name.to_owned()) }
        });
    }
}

/// The program's operation may be complete a moment before the message that follows it.
#[test]
fn who_is_late_for_an_operation_is_known_soon_after_it() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let sandbox = built(mpi, LATE_MEETING);
        with_more_time(|times| {
            run(mpi, &sandbox, "--mpi-wait", &times.to_string());
            let waiting = waiting(&sandbox);
            if waiting[5] > 0 { Ok(()) } else { Err(format!("{}: {waiting:?}", mpi.name)) }
        });
    }
}

/// Times of messages are sent only if the user wants them; what they cost is known. Those of
/// collective operations are measured without being asked for.
#[test]
fn collective_operations_alone_are_measured() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = built(mpi, WAITS);
        for options in ["", "--mpi-wait=collectives"] {
            run(mpi, &sandbox, options, "messages 1");
            let [late_sender, _, _, _, _, _, barrier] = waiting(&sandbox);
            assert_eq!((late_sender, barrier > 0), (0, true), "{} {options}", mpi.name);
        }
        for (which, is_measured) in
            [("=no", false), ("=collectives", true), ("=all", true), ("", true)]
        {
            run(mpi, &sandbox, &format!("--mpi-wait{which}"), "nxn 1");
            let report = command(&sandbox, "report --json exp").output().unwrap().stdout;
            let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
            let metrics = report["metrics"].as_array().unwrap();
            let names = ["mpi_wait_nxn", "mpi_own_messages"];
            let found = names.map(|name| total(metrics, name) > 0);
            assert_eq!(found, [is_measured; 2], "{} {which}", mpi.name);
        }
    }
}

#[test]
fn nothing_is_measured_if_the_user_wants_nothing_and_our_messages_are_in_no_trace() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = built(mpi, WAITS);
        run(mpi, &sandbox, "--mpi-wait=no", "messages");
        assert_eq!(waiting(&sandbox), [0; 7], "{}", mpi.name);
        run(mpi, &sandbox, "--mpi-wait --trace --no-guard", "messages");
        let text = records(&sandbox);
        let names = ["MPI_ISEND", "MPI_IRECV", "MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END"];
        let collective = 2 * (2 * 2 + 1 + 1 + 1 + 1);
        assert_eq!(count(&text, names), [301, 301, 1, 1, collective], "{}", mpi.name);
    }
}
