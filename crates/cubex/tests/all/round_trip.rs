//! Whatever is written is read back: all data types, all row orders, both forms, both byte orders,
//! any call tree; and converting between inclusive and exclusive values loses nothing.

use crate::common::{shaped_report, value, write};
use pompeii_cubex::{
    Aggregation, ByteOrder, CallPathId, DataType, Matrix, MetricId, MetricKind, Reader, Value,
    WriteOptions,
};
use proptest::prelude::*;

fn data_types() -> impl Strategy<Value = DataType> {
    prop_oneof![
        proptest::sample::select(vec![
            DataType::Int8,
            DataType::Uint8,
            DataType::Int16,
            DataType::Uint16,
            DataType::Int32,
            DataType::Uint32,
            DataType::Int64,
            DataType::Uint64,
            DataType::Double,
            DataType::MinDouble,
            DataType::MaxDouble,
            DataType::Complex,
            DataType::Rate,
            DataType::TauAtomic,
        ]),
        (0..5_u32).prop_map(DataType::Doubles),
        (0..5_u32).prop_map(DataType::Histogram),
    ]
}

fn kinds() -> impl Strategy<Value = MetricKind> {
    proptest::sample::select(vec![MetricKind::Inclusive, MetricKind::Exclusive, MetricKind::Simple])
}

fn options() -> impl Strategy<Value = WriteOptions> {
    (any::<bool>(), any::<bool>(), any::<u64>()).prop_map(|(compress, big, mtime_s)| {
        let byte_order = if big { ByteOrder::Big } else { ByteOrder::Little };
        WriteOptions { compress, byte_order, mtime_s }
    })
}

/// Random numbers of which a good part is zero, so that some rows are left out.
fn seeds() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(prop_oneof![2 => Just(0), 1 => any::<u64>()], 1..40)
}

fn parents() -> impl Strategy<Value = Vec<Option<usize>>> {
    proptest::collection::vec(proptest::option::weighted(0.9, 0..100_usize), 0..30)
}

proptest! {
    #[test]
    fn written_values_are_read(
        data_type in data_types(),
        kind in kinds(),
        options in options(),
        parents in parents(),
        locations in 0..5_usize,
        seeds in seeds(),
    ) {
        let report = shaped_report(data_type.clone(), kind, &parents, locations);
        let expected = |call_path: CallPathId, location: u32| {
            let index = call_path.0 as usize * locations + location as usize;
            value(&data_type, seeds[index % seeds.len()])
        };
        let bytes = write(&report, options, |_, c, l| expected(c, l.0));
        let reader = Reader::from_bytes(bytes).unwrap();
        prop_assert_eq!(reader.report(), &report);
        let values = reader.values(MetricId(0)).unwrap();
        for call_path in report.call_paths.ids() {
            let row = values.row(call_path).unwrap();
            for location in report.locations() {
                let found = match &row {
                    Some(row) => row.value(location).unwrap(),
                    None => value(&data_type, 0),
                };
                prop_assert_eq!(found, expected(call_path, location.0));
            }
        }
    }

    #[test]
    fn numbers_are_the_values(
        kind in kinds(),
        options in options(),
        parents in parents(),
        seeds in seeds(),
    ) {
        let report = shaped_report(DataType::Int64, kind, &parents, 2);
        let number = |call_path: CallPathId, location: u32| {
            seeds[(2 * call_path.0 + location) as usize % seeds.len()] as i64
        };
        let bytes = write(&report, options, |_, c, l| Value::Int(number(c, l.0)));
        let reader = Reader::from_bytes(bytes).unwrap();
        let matrix = reader.values(MetricId(0)).unwrap().matrix::<i64>().unwrap();
        for call_path in report.call_paths.ids() {
            for location in report.locations() {
                prop_assert_eq!(matrix.get(call_path, location), number(call_path, location.0));
            }
        }
    }

    #[test]
    fn inclusive_values_are_sums_over_subtrees(parents in parents(), seeds in seeds()) {
        let report = shaped_report(DataType::Uint64, MetricKind::Exclusive, &parents, 1);
        let tree = &report.call_paths;
        let mut exclusive = Matrix::<u64>::new(tree.len(), 1);
        for call_path in tree.ids() {
            exclusive.set_row(call_path, vec![seeds[call_path.0 as usize % seeds.len()]]);
        }
        let mut expected = exclusive.clone();
        for call_path in tree.ids() {
            let mut ancestor = tree.parent(call_path);
            while let Some(id) = ancestor {
                let sum = expected.row_sum(id).wrapping_add(exclusive.row_sum(call_path));
                expected.set_row(id, vec![sum]);
                ancestor = tree.parent(id);
            }
        }
        let mut converted = exclusive.clone();
        converted.to_inclusive(tree, Aggregation::Sum);
        prop_assert_eq!(&converted, &expected);
        converted.to_exclusive(tree);
        prop_assert_eq!(&converted, &exclusive);
    }
}

#[test]
fn minima_ignore_absent_rows() {
    let report =
        shaped_report(DataType::MinDouble, MetricKind::Exclusive, &[None, Some(0), Some(1)], 2);
    let bytes = write(&report, WriteOptions::default(), |_, call_path, location| {
        Value::Double(f64::from(call_path.0 * (call_path.0 + 3 * location.0)))
    });
    let reader = Reader::from_bytes(bytes).unwrap();
    let minimum = reader.values(MetricId(0)).unwrap().inclusive::<f64>().unwrap();
    assert_eq!(minimum.row(CallPathId(0)), Some(&[1.0, 4.0][..]));
    assert_eq!(minimum.row(CallPathId(2)), Some(&[4.0, 10.0][..]));
}

#[test]
fn doubles_are_not_rounded_to_integers() {
    let report = shaped_report(DataType::Double, MetricKind::Exclusive, &[None], 1);
    let bytes = write(&report, WriteOptions::default(), |_, _, _| Value::Double(2.0));
    let reader = Reader::from_bytes(bytes).unwrap();
    let error = reader.values(MetricId(0)).unwrap().matrix::<u64>().unwrap_err();
    expect_test::expect![
        "metric `m` has DOUBLE values, which are not available as unsigned integer"
    ]
    .assert_eq(&error.to_string());
}

#[test]
fn no_value_counts_as_zero() {
    let report = shaped_report(DataType::Uint64, MetricKind::Exclusive, &[None], 2);
    let mut value = [pompeii_cubex::UNDEFINED_UINT64, 3].into_iter().cycle();
    let value = std::cell::RefCell::new(&mut value);
    let bytes = write(&report, WriteOptions::default(), |_, _, _| {
        Value::Uint(value.borrow_mut().next().unwrap())
    });
    let reader = Reader::from_bytes(bytes).unwrap();
    let matrix = reader.values(MetricId(0)).unwrap().matrix::<u64>().unwrap();
    assert_eq!(matrix.row(CallPathId(0)), Some(&[0, 3][..]));
}
