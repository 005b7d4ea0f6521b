//! Tests over all records: what is written is what is read, in both byte orders, by the tables and
//! by the encoders of the hot path.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use expect_test::expect;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::chunk::{Endian, EventChunk};
use crate::definition::Definition;
use crate::encode::{self, MetricValue, Room};
use crate::event::{self, Event};
use crate::marker::MarkerRecord;
use crate::read::{Bytes, EventReader, EventRecord};
use crate::record::{Family, UnknownRecord};
use crate::reference::LocationRef;
use crate::snapshot::Snapshot;
use crate::thumbnail::Thumbnail;
use crate::value::AttributeValue;
use crate::wire::{Input, Sink, Wire};
use crate::write::EventWriter;

/// Bytes that are fields of something more often than not: sizes, counts and zeros are frequent.
fn field_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![12 => 0u8..=4, 2 => any::<u8>(), 1 => Just(0xff)];
    prop::collection::vec(byte, 120)
}

/// Fields of a record in a byte order.
fn written<T: Family>(record: &T, endian: Endian) -> Vec<u8> {
    let mut sink = Sink::new(endian);
    record.write_fields(&mut sink);
    sink.bytes
}

/// Reads every record of a family from random bytes, writes it and reads it again. Each record must
/// have been read at least once.
fn check_family<T: Family>(one_of_each: Vec<T>) {
    let read = RefCell::new(BTreeSet::new());
    let result = TestRunner::deterministic().run(&field_bytes(), |bytes| {
        for default in &one_of_each {
            let key = default.key();
            let Ok(record) = T::read(key, &mut Input::new(&bytes, Endian::Little)) else {
                continue;
            };
            read.borrow_mut().insert(key);
            for endian in [Endian::Little, Endian::Big] {
                let bytes = written(&record, endian);
                let mut input = Input::new(&bytes, endian);
                let again = T::read(key, &mut input).map_err(|flaw| {
                    TestCaseError::fail(format!("{}: {flaw:?}", T::name_of(key)))
                })?;
                prop_assert!(input.rest.is_empty(), "{}", T::name_of(key));
                // Bytes are compared, since NaN is not equal to itself.
                prop_assert_eq!(written(&again, endian), bytes);
            }
        }
        Ok(())
    });
    result.expect("every record is read as it was written");
    let all: BTreeSet<u16> = one_of_each.iter().map(T::key).collect();
    assert_eq!(read.into_inner(), all);
}

#[test]
fn all_definitions() {
    check_family(Definition::one_of_each());
}

#[test]
fn all_events() {
    check_family(Event::one_of_each());
}

#[test]
fn all_snapshots_markers_and_thumbnails() {
    check_family(Snapshot::one_of_each());
    check_family(MarkerRecord::one_of_each());
    check_family(Thumbnail::one_of_each());
}

#[test]
fn the_tables_are_complete() {
    let keys = |keys: Vec<u16>| keys.into_iter().collect::<BTreeSet<u16>>();
    let events = keys(Event::one_of_each().iter().map(Event::key).collect());
    assert_eq!(events, (10..=92).collect());
    let definitions = keys(Definition::one_of_each().iter().map(Definition::key).collect());
    assert_eq!(definitions, (5..=8).chain(10..=43).chain(0x105..=0x106).collect());
    let snapshots = keys(Snapshot::one_of_each().iter().map(Snapshot::key).collect());
    assert_eq!(snapshots, (10..=29).collect());
}

/// The records of an event file in chunks of 128 bytes.
fn read_back(file: &[u8], chunk_bytes: u64) -> Vec<EventRecord> {
    let source = Bytes::new(file, chunk_bytes);
    let reader = EventReader::new(source, Path::new("0.evt"), chunk_bytes, LocationRef(7));
    reader.map(|record| record.expect("a good event")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn files_of_events(bytes in field_bytes(), gaps in prop::collection::vec(0u64..3, 90)) {
        let mut writer = EventWriter::new(Vec::new(), Path::new("0.evt"), 4096);
        let mut expected = Vec::new();
        let mut time = 0;
        for (default, gap) in Event::one_of_each().iter().zip(gaps) {
            let mut input = Input::new(&bytes, Endian::Little);
            let Ok(event) = Event::read(default.key(), &mut input) else { continue };
            let attributes = Vec::<AttributeValue>::read(&mut input).unwrap_or_default();
            time += gap;
            writer.event(time, &event, &attributes).unwrap();
            let location = LocationRef(7);
            expected.push(EventRecord { location, time, event, attributes });
        }
        // Debug text, since NaN is not equal to itself.
        let read = read_back(&writer.finish().unwrap(), 4096);
        prop_assert_eq!(format!("{read:?}"), format!("{expected:?}"));
    }

    #[test]
    fn encoders_write_what_the_tables_write(a: u32, b: u32, c: u32, d: u64, e: u64, bits in 0..64u32) {
        let [d, e] = [d, e].map(|value| value >> bits);
        let [a, b, c] = [a, b, c].map(|value| value >> (bits / 2));
        check_encoder(|room, last| encode::enter(room, last, 9, a))?;
        check_encoder(|room, last| encode::packed(room, last, 9, encode::Packed::leave(b)))?;
        check_encoder(|room, last| encode::thread_task_switch(room, last, 9, a, b, c))?;
        check_encoder(|room, last| encode::thread_acquire_lock(room, last, 9, a as u8, b, c))?;
        check_encoder(|room, last| encode::mpi_irecv(room, last, 9, a, b, c, d, e))?;
        check_encoder(|room, last| encode::mpi_isend_complete(room, last, 9, d))?;
        check_encoder(|room, last| encode::parameter_int(room, last, 9, a, e as i64))?;
        check_encoder(|room, last| encode::parameter_int(room, last, 9, a, -(e as i64 >> 1)))?;
        check_encoder(|room, last| encode::buffer_flush(room, last, 9, d))?;
        let kind = b as u8;
        check_encoder(|room, last| encode::rma_atomic(room, last, 9, a, b, kind, d, e, 1))?;
        check_encoder(|room, last| {
            encode::rma_collective_end(room, last, 9, kind, a, b, c, d, e)
        })?;
        check_encoder(|room, last| encode::rma_acquire_lock(room, last, 9, a, b, d, kind))?;
        check_encoder(|room, last| encode::io_create_handle(room, last, 9, a, kind, b, c))?;
        check_encoder(|room, last| encode::io_seek(room, last, 9, a, e as i64, kind, d))?;
        check_encoder(|room, last| encode::io_operation_begin(room, last, 9, a, kind, b, d, e))?;
    }

    #[test]
    fn metrics_of_all_sizes(values: Vec<u64>) {
        let values: Vec<MetricValue> =
            values.iter().take(40).map(|&value| MetricValue::I64(value as i64)).collect();
        let mut file = vec![0; 4096];
        let mut chunk = EventChunk::begin(&mut file, 1, 0).expect("room for an event");
        prop_assert!(chunk.large_event(|free, last| encode::metric(free, last, 9, 1, &values)));
        prop_assert_eq!(chunk.used_bytes(), 18 + 9 + by_table(&event::Metric { metric: 1.into(), values }.into()).len());
        let bytes = chunk.end_file();
        prop_assert_eq!(read_back(&file[..bytes], 4096).len(), 1);
    }
}

/// The whole record as the table writes it.
fn by_table(event: &Event) -> Vec<u8> {
    let mut sink = Sink::new(Endian::Little);
    crate::write::write_event(&mut sink, event);
    sink.bytes
}

fn check_encoder(encode: impl FnOnce(&mut Room, &mut u64) -> usize) -> Result<(), TestCaseError> {
    let (event, bytes) = encoded(encode);
    prop_assert_eq!(by_table(&event), bytes);
    Ok(())
}

/// What an encoder writes, as an event and as bytes.
fn encoded(encode: impl FnOnce(&mut Room, &mut u64) -> usize) -> (Event, Vec<u8>) {
    let mut file = vec![0xa5; 256];
    let mut chunk = EventChunk::begin(&mut file, 1, 0).expect("room for an event");
    assert!(chunk.event(encode));
    let bytes = chunk.end_file();
    let record = read_back(&file[..bytes], 256).remove(0);
    assert_eq!(record.time, 9);
    (record.event, file[18 + 9..bytes - 2].to_vec())
}

/// Calls these encoders with the time 9 and these fields.
macro_rules! encoded {
    ($( $encoder:ident ( $($field:expr),* ) ),* $(,)?) => {
        [$( encoded(|room, last| encode::$encoder(room, last, 9 $(, $field)*)) ),*]
    };
}

#[test]
fn fields_of_encoders_are_in_order() {
    let events = encoded! {
        enter(1), leave(1), buffer_flush(1), measurement_on_off(1), mpi_send(1, 2, 3, 4),
        mpi_isend(1, 2, 3, 4, 5), mpi_isend_complete(1), mpi_irecv_request(1),
        mpi_recv(1, 2, 3, 4), mpi_irecv(1, 2, 3, 4, 5), mpi_request_test(1),
        mpi_request_cancelled(1), mpi_collective_begin(), mpi_collective_end(1, 2, 3, 4, 5),
        parameter_int(1, -2), parameter_unsigned_int(1, 2), parameter_string(1, 2),
        thread_fork(3, 2), thread_join(3), thread_team_begin(1), thread_team_end(1),
        thread_acquire_lock(3, 2, 1), thread_release_lock(3, 2, 1), thread_task_create(1, 2, 3),
        thread_task_switch(1, 2, 3), thread_task_complete(1, 2, 3), thread_create(1, 2),
        thread_begin(1, 2), thread_wait(1, 2), thread_end(1, 2), program_end(-1),
        non_blocking_collective_request(1), non_blocking_collective_complete(1, 2, 3, 4, 5, 6),
        comm_create(1), comm_destroy(1),
    };
    let lines: Vec<String> = events.iter().map(|(event, _)| event.to_string()).collect();
    expect![[r#"
        Enter region=1
        Leave region=1
        BufferFlush stop_time=1
        MeasurementOnOff measurement_mode=ON
        MpiSend receiver=1 communicator=2 msg_tag=3 msg_length=4
        MpiIsend receiver=1 communicator=2 msg_tag=3 msg_length=4 request_id=5
        MpiIsendComplete request_id=1
        MpiIrecvRequest request_id=1
        MpiRecv sender=1 communicator=2 msg_tag=3 msg_length=4
        MpiIrecv sender=1 communicator=2 msg_tag=3 msg_length=4 request_id=5
        MpiRequestTest request_id=1
        MpiRequestCancelled request_id=1
        MpiCollectiveBegin
        MpiCollectiveEnd collective_op=BCAST communicator=2 root=3 size_sent=4 size_received=5
        ParameterInt parameter=1 value=-2
        ParameterUnsignedInt parameter=1 value=2
        ParameterString parameter=1 string=2
        ThreadFork model=OPENMP number_of_requested_threads=2
        ThreadJoin model=OPENMP
        ThreadTeamBegin thread_team=1
        ThreadTeamEnd thread_team=1
        ThreadAcquireLock model=OPENMP lock_id=2 acquisition_order=1
        ThreadReleaseLock model=OPENMP lock_id=2 acquisition_order=1
        ThreadTaskCreate thread_team=1 creating_thread=2 generation_number=3
        ThreadTaskSwitch thread_team=1 creating_thread=2 generation_number=3
        ThreadTaskComplete thread_team=1 creating_thread=2 generation_number=3
        ThreadCreate thread_contingent=1 sequence_count=2
        ThreadBegin thread_contingent=1 sequence_count=2
        ThreadWait thread_contingent=1 sequence_count=2
        ThreadEnd thread_contingent=1 sequence_count=2
        ProgramEnd exit_status=-1
        NonBlockingCollectiveRequest request_id=1
        NonBlockingCollectiveComplete collective_op=BCAST communicator=2 root=3 size_sent=4 size_received=5 request_id=6
        CommCreate communicator=1
        CommDestroy communicator=1"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn fields_of_encoders_of_memory_and_files_are_in_order() {
    let events = encoded! {
        rma_win_create(1), rma_win_destroy(1), rma_collective_begin(),
        rma_collective_end(1, 2, 3, 4, 5, 6), rma_group_sync(1, 2, 3),
        rma_request_lock(1, 2, 3, 1), rma_acquire_lock(1, 2, 3, 1), rma_release_lock(1, 2, 3),
        rma_sync(1, 2, 0), rma_put(1, 2, 3, 4), rma_get(1, 2, 3, 4), rma_atomic(1, 2, 3, 4, 5, 6),
        rma_op_complete_non_blocking(1, 2), rma_op_complete_remote(1, 2),
        io_create_handle(1, 2, 1, 2), io_destroy_handle(1), io_seek(1, -2, 1, 4),
        io_delete_file(1, 2), io_operation_begin(1, 1, 2, 3, 4), io_operation_test(1, 2),
        io_operation_issued(1, 2), io_operation_complete(1, 2, 3), io_operation_cancelled(1, 2),
    };
    let lines: Vec<String> = events.iter().map(|(event, _)| event.to_string()).collect();
    expect![[r#"
        RmaWinCreate win=1
        RmaWinDestroy win=1
        RmaCollectiveBegin
        RmaCollectiveEnd collective_op=BCAST sync_level=MEMORY win=3 root=4 bytes_sent=5 bytes_received=6
        RmaGroupSync sync_level=PROCESS win=2 group=3
        RmaRequestLock win=1 remote=2 lock_id=3 lock_type=SHARED
        RmaAcquireLock win=1 remote=2 lock_id=3 lock_type=SHARED
        RmaReleaseLock win=1 remote=2 lock_id=3
        RmaSync win=1 remote=2 sync_type=MEMORY
        RmaPut win=1 remote=2 bytes=3 matching_id=4
        RmaGet win=1 remote=2 bytes=3 matching_id=4
        RmaAtomic win=1 remote=2 kind=COMPARE_AND_SWAP bytes_sent=4 bytes_received=5 matching_id=6
        RmaOpCompleteNonBlocking win=1 matching_id=2
        RmaOpCompleteRemote win=1 matching_id=2
        IoCreateHandle handle=1 mode=READ_WRITE creation_flags=CREATE status_flags=APPEND
        IoDestroyHandle handle=1
        IoSeek handle=1 offset_request=-2 whence=FROM_CURRENT offset_result=4
        IoDeleteFile io_paradigm=1 file=2
        IoOperationBegin handle=1 mode=WRITE operation_flags=COLLECTIVE bytes_request=3 matching_id=4
        IoOperationTest handle=1 matching_id=2
        IoOperationIssued handle=1 matching_id=2
        IoOperationComplete handle=1 bytes_result=2 matching_id=3
        IoOperationCancelled handle=1 matching_id=2"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn older_records_get_defaults() {
    let check = |key: u16, fields: &[u8], expected: expect_test::Expect| {
        let record = Definition::read(key, &mut Input::new(fields, Endian::Little)).unwrap();
        expected.assert_eq(&record.to_string());
    };
    // Region of OTF2 1.0, a group of 1.1, a property of 1.3, a communicator and a clock of 2.3.
    check(
        15,
        &[0, 1, 1, 0, 5, 0xff, 1, 3, 1, 9],
        expect![
            "Region id=0 name=1 description=0 region_type=OMP_PARALLEL source_file=- begin_line_number=3 end_line_number=9 canonical_name=1 region_role=PARALLEL paradigm=OPENMP region_flags=NONE"
        ],
    );
    check(
        18,
        &[0, 0, 4, 1, 2, 0, 1, 1],
        expect![
            "Group id=0 name=0 group_type_pre12=MPI_GROUP members=[0, 1] group_type=COMM_GROUP paradigm=MPI group_flags=NONE"
        ],
    );
    check(
        26,
        &[0, 1, 1, 1, 2],
        expect!["SystemTreeNodeProperty system_tree_node=0 name=1 string_value=2 value=STRING:2"],
    );
    check(22, &[0, 0, 1, 1, 0xff], expect!["Comm id=0 name=0 group=1 parent=- flags=NONE"]);
    check(
        5,
        &[1, 100, 0, 1, 7],
        expect![
            "ClockProperties timer_resolution=100 global_offset=0 trace_length=7 realtime_timestamp=18446744073709551615"
        ],
    );
}

#[test]
fn records_of_later_versions_are_kept() {
    let unknown = Event::Unknown(UnknownRecord { id: 200, payload: vec![1, 2, 3] });
    let mut writer = EventWriter::new(Vec::new(), Path::new("0.evt"), 256);
    writer.event(1, &unknown, &[]).unwrap();
    let file = writer.finish().unwrap();
    let events = read_back(&file, 256);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].event, unknown);
    // More fields than this version of ThreadJoin has: they are skipped.
    let mut input = Input::new(&[3, 1, 2, 3], Endian::Little);
    assert_eq!(Event::read(54, &mut input).unwrap().to_string(), "ThreadJoin model=OPENMP");
}
