//! Events with as many values as the caller has: those of a metric class, arguments of a program.

use super::frame::{long_record, with_length};
use super::{Room, TIMESTAMP_BYTES};

const METRIC: u8 = 31;
const PROGRAM_BEGIN: u8 = 83;

/// A metric value in the 64 bits that a trace stores, with the type that it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricValue {
    /// Counts and ticks.
    U64(u64),
    /// Values that may be negative.
    I64(i64),
    /// Everything else.
    F64(f64),
    /// 64 bits of a type that metrics do not have in today's archives.
    Other {
        /// Type id.
        kind: u8,
        /// The bits.
        bits: u64,
    },
}

impl MetricValue {
    /// Type id and bits as in the file.
    #[inline]
    pub const fn to_bits(self) -> (u8, u64) {
        match self {
            MetricValue::U64(value) => (4, value),
            MetricValue::I64(value) => (8, value as u64),
            MetricValue::F64(value) => (10, value.to_bits()),
            MetricValue::Other { kind, bits } => (kind, bits),
        }
    }

    /// The value of these bits.
    #[inline]
    pub const fn from_bits(kind: u8, bits: u64) -> MetricValue {
        match kind {
            4 => MetricValue::U64(bits),
            8 => MetricValue::I64(bits as i64),
            10 => MetricValue::F64(f64::from_bits(bits)),
            _ => MetricValue::Other { kind, bits },
        }
    }
}

/// Bytes that must be free for a metric event with `values` values.
pub const fn metric_room_bytes(values: usize) -> usize {
    // Timestamp, id, long length, class, count, values, and the zero behind a word that is stored.
    TIMESTAMP_BYTES + 10 + 5 + 1 + values * 10 + 8
}

/// Values of all members of the metric class `class`, at most 255.
///
/// Belongs directly before the Enter or Leave with the same time. `None`, and nothing visible
/// written: less than [`metric_room_bytes`] are free, or there are more than 255 values.
#[inline]
pub fn metric(
    free: &mut [u8],
    last_time: &mut u64,
    time: u64,
    class: u32,
    values: &[MetricValue],
) -> Option<usize> {
    let count = u8::try_from(values.len()).ok()?;
    if free.len() < metric_room_bytes(values.len()) {
        return None;
    }
    long_record(free, last_time, time, METRIC, values.len() * 10 + 6, |fields| {
        fields.vu32(class);
        fields.u8(count);
        for value in values {
            let (kind, bits) = value.to_bits();
            fields.u8(kind);
            fields.vu64(bits);
        }
    })
}

/// Values of the four members of a metric class, where no more than an event's room is free.
#[inline]
pub fn metric_of_four(
    room: &mut Room,
    last_time: &mut u64,
    time: u64,
    class: u32,
    values: [u64; 4],
) -> usize {
    with_length(room, last_time, time, METRIC, |fields| {
        fields.vu32(class);
        fields.u8(4);
        for value in values {
            let (kind, bits) = MetricValue::U64(value).to_bits();
            fields.u8(kind);
            fields.vu64(bits);
        }
    })
}

/// Bytes that must be free for the begin of a program with `arguments` arguments.
pub const fn program_begin_room_bytes(arguments: usize) -> usize {
    TIMESTAMP_BYTES + 10 + 5 + 5 + arguments * 5 + 8
}

/// The program `name` begins; name and arguments are string ids.
///
/// `None`, and nothing visible written: less than [`program_begin_room_bytes`] are free.
pub fn program_begin(
    free: &mut [u8],
    last_time: &mut u64,
    time: u64,
    name: u32,
    arguments: &[u32],
) -> Option<usize> {
    let count = u32::try_from(arguments.len()).ok()?;
    if free.len() < program_begin_room_bytes(arguments.len()) {
        return None;
    }
    long_record(free, last_time, time, PROGRAM_BEGIN, arguments.len() * 5 + 10, |fields| {
        fields.vu32(name);
        fields.vu32(count);
        for &argument in arguments {
            fields.vu32(argument);
        }
    })
}
