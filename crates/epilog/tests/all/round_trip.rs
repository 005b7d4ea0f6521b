//! Any records, written and read again.

use pompeii_epilog::record::*;
use pompeii_epilog::{Endian, Error, Writer};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::property::{check, file, records};

/// Records with lists or texts of any length, and some of fixed ones.
fn record() -> impl Strategy<Value = Record> {
    let any_text = (any::<u32>(), "[a-zäß ]{0,40}", 0_usize..60);
    prop_oneof![
        any_text.prop_map(|(id, part, times)| Text { id, text: part.repeat(times) }.into()),
        (any::<u32>(), vec(any::<u8>(), 0..900)).prop_map(|(id, members)| {
            let number = Count(members.len() as u32);
            MpiComm { id, mode: Mode(0), number, members: Each(members) }.into()
        }),
        (any::<u32>(), vec(any::<u32>(), 1..300)).prop_map(|(id, ranks)| {
            let number = Count(ranks.len() as u32);
            MpiGroup { id, mode: 0, number, ranks: Each(ranks) }.into()
        }),
        (any::<u8>(), vec(any::<u32>(), 1..300)).prop_map(|(of, ids)| {
            let number = Count(ids.len() as u32);
            IdMap { of, mode: 0, number, ids: Each(ids) }.into()
        }),
        any::<u32>().prop_map(|number| {
            MpiGroup { id: 1, mode: 1, number: Count(number), ranks: Each(Vec::new()) }.into()
        }),
        (any::<u32>(), any::<u8>()).prop_map(|(id, data_type)| {
            Metric { id, name: 0, description: 0, data_type, mode: 0, interval: 0 }.into()
        }),
        (vec(any::<u32>(), 1..5), any::<u32>()).prop_map(|(sizes, name)| {
            let number = sizes.len();
            CartTopology {
                id: 0,
                comm: 1,
                dimensions: Dimensions(number as u8),
                periodic: Each(vec![1; number]),
                name: Some(name),
                names: Some(Each(sizes.clone())),
                sizes: Each(sizes),
            }
            .into()
        }),
        (any::<u32>(), any::<f64>()).prop_map(|(location, time_s)| {
            MpiGetOrigin { location: location.into(), time_s, operation: 5 }.into()
        }),
        (any::<u8>(), any::<u32>())
            .prop_map(|(kind, value)| NumberAttribute { kind, value }.into()),
    ]
}

/// Gives events as many values as metrics stand before them.
fn with_events(records: Vec<(Record, Option<(u32, f64)>)>) -> Vec<Record> {
    let (mut all, mut metrics) = (Vec::new(), 0);
    for (record, event) in records {
        metrics += usize::from(matches!(record, Record::Metric(_)));
        all.push(record);
        let Some((id, time_s)) = event else { continue };
        let (location, values) = (id.into(), (0..metrics as u64).collect());
        all.push(match id % 3 {
            0 => Enter { location, time_s, region: id, values }.into(),
            1 => Exit { location, time_s, values }.into(),
            _ => CollectiveExit {
                location,
                time_s,
                values,
                root: 0,
                comm: id,
                sent_bytes: 1,
                received_bytes: 2,
            }
            .into(),
        });
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_records_are_read_as_they_were_written(
        all in vec((record(), proptest::option::of((any::<u32>(), -1e9..1e9_f64))), 0..12)
    ) {
        let all = with_events(all);
        for endian in [Endian::Little, Endian::Big] {
            let bytes = file(&all, endian);
            let (found, error) = records(&bytes);
            prop_assert!(error.is_none(), "{error:?}");
            prop_assert_eq!(&found, &all);
            // A file that is cut anywhere has its first records.
            let (part, _) = records(&bytes[..bytes.len() / 2]);
            prop_assert_eq!(&part[..], &all[..part.len()]);
        }
    }

    #[test]
    fn any_bytes_end_with_records_or_an_error(
        all in vec(record(), 0..6), places in vec((any::<usize>(), any::<u8>()), 0..8)
    ) {
        let mut bytes = file(&all, Endian::Little);
        for (place, byte) in places {
            let length = bytes.len();
            bytes[place % length] = byte;
        }
        check(&bytes);
    }
}

#[test]
fn a_text_that_no_file_can_hold_is_refused() {
    let mut writer = Writer::new(Vec::new(), Endian::Little).unwrap();
    let text = |bytes: usize| Record::from(Text { id: 0, text: "a".repeat(bytes) });
    // 250 bytes in the first record and 255 in 255 further ones, with the zero.
    let max = 250 + 255 * 255 - 1;
    writer.record(&text(max)).unwrap();
    let error = writer.record(&text(max + 1)).unwrap_err();
    assert!(matches!(error, Error::TooLong { record: "STRING", .. }), "{error:?}");
}
