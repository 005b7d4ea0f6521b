//! Single values: from Rust types to the bytes of a data file and back. The common case, a row of
//! numbers, never goes through [`Value`]; that enum is for composite types and for tools that show
//! whatever there is.

use crate::data_type::DataType;

/// The order of bytes in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ByteOrder {
    /// Least significant first.
    #[default]
    Little,
    /// Most significant first.
    Big,
}

/// What Cube's own writer stores in unsigned 64-bit metrics for "no value".
pub const UNDEFINED_UINT64: u64 = u64::MAX;

/// One value of any data type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Any signed integer type.
    Int(i64),
    /// Any unsigned integer type.
    Uint(u64),
    /// `DOUBLE`, `MINDOUBLE`, `MAXDOUBLE`.
    Double(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
    /// Numerator and denominator.
    Rate(f64, f64),
    /// Statistics over events.
    TauAtomic(TauAtomic),
    /// `NDOUBLES(n)`.
    Doubles(Vec<f64>),
    /// `HISTOGRAM(n)`.
    Histogram {
        /// Lower end of the first bin.
        min: f64,
        /// Upper end of the last bin.
        max: f64,
        /// The bins.
        bins: Vec<f64>,
    },
    /// The bytes of one value of a type whose layout we do not know, in the file's byte order.
    Opaque(Vec<u8>),
}

/// Statistics over the events of one call path on one location.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct TauAtomic {
    /// Number of events.
    pub count: u32,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Sum of values.
    pub sum: f64,
    /// Sum of squared values.
    pub sum_of_squares: f64,
}

/// A Rust type that rows can be written from. The data type of the metric must be able to hold
/// every value exactly, in the same arithmetic: integers are never turned into doubles on the way.
pub trait RowValue {
    /// Appends the bytes of the value, or says that `data_type` cannot hold it.
    fn encode(&self, data_type: &DataType, order: ByteOrder, out: &mut Vec<u8>) -> Option<()>;
}

/// A Rust number that rows can be read as.
pub trait Number: Copy + Default + PartialEq + PartialOrd + Send + RowValue {
    /// What messages call the type.
    const NAME: &'static str;
    /// From a stored double; `None` if that cannot be represented.
    fn from_double(value: f64) -> Option<Self>;
    /// From a stored signed integer; `None` if that cannot be represented.
    fn from_int(value: i64) -> Option<Self>;
    /// From a stored unsigned integer; `None` if that cannot be represented.
    fn from_uint(value: u64) -> Option<Self>;
    /// The sum; integers wrap, so that adding undoes subtracting whatever the file holds.
    fn plus(self, other: Self) -> Self;
    /// The difference; integers wrap.
    fn minus(self, other: Self) -> Self;
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Double(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Uint(number)
    }
}

fn put<const N: usize>(out: &mut Vec<u8>, order: ByteOrder, mut little_endian: [u8; N]) {
    if order == ByteOrder::Big {
        little_endian.reverse();
    }
    out.extend_from_slice(&little_endian);
}

fn put_doubles(out: &mut Vec<u8>, order: ByteOrder, values: &[f64]) {
    for value in values {
        put(out, order, value.to_le_bytes());
    }
}

impl RowValue for f64 {
    fn encode(&self, data_type: &DataType, order: ByteOrder, out: &mut Vec<u8>) -> Option<()> {
        match data_type {
            DataType::Double | DataType::MinDouble | DataType::MaxDouble => {
                put(out, order, self.to_le_bytes());
                Some(())
            }
            _ => None,
        }
    }
}

impl RowValue for u64 {
    fn encode(&self, data_type: &DataType, order: ByteOrder, out: &mut Vec<u8>) -> Option<()> {
        match data_type {
            DataType::Uint8 => put(out, order, u8::try_from(*self).ok()?.to_le_bytes()),
            DataType::Uint16 => put(out, order, u16::try_from(*self).ok()?.to_le_bytes()),
            DataType::Uint32 => put(out, order, u32::try_from(*self).ok()?.to_le_bytes()),
            DataType::Uint64 => put(out, order, self.to_le_bytes()),
            _ => i64::try_from(*self).ok()?.encode_signed(data_type, order, out)?,
        }
        Some(())
    }
}

impl RowValue for i64 {
    fn encode(&self, data_type: &DataType, order: ByteOrder, out: &mut Vec<u8>) -> Option<()> {
        match u64::try_from(*self) {
            Ok(value) => value.encode(data_type, order, out),
            Err(_) => self.encode_signed(data_type, order, out),
        }
    }
}

trait EncodeSigned {
    fn encode_signed(self, data_type: &DataType, order: ByteOrder, out: &mut Vec<u8>)
    -> Option<()>;
}

impl EncodeSigned for i64 {
    fn encode_signed(
        self,
        data_type: &DataType,
        order: ByteOrder,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        match data_type {
            DataType::Int8 => put(out, order, i8::try_from(self).ok()?.to_le_bytes()),
            DataType::Int16 => put(out, order, i16::try_from(self).ok()?.to_le_bytes()),
            DataType::Int32 => put(out, order, i32::try_from(self).ok()?.to_le_bytes()),
            DataType::Int64 => put(out, order, self.to_le_bytes()),
            _ => return None,
        }
        Some(())
    }
}

impl RowValue for Value {
    fn encode(&self, data_type: &DataType, order: ByteOrder, out: &mut Vec<u8>) -> Option<()> {
        match (self, data_type) {
            (Self::Int(value), _) => value.encode(data_type, order, out)?,
            (Self::Uint(value), _) => value.encode(data_type, order, out)?,
            (Self::Double(value), _) => value.encode(data_type, order, out)?,
            (Self::Complex(re, im), DataType::Complex) => put_doubles(out, order, &[*re, *im]),
            (Self::Rate(above, below), DataType::Rate) => {
                put_doubles(out, order, &[*above, *below])
            }
            (Self::TauAtomic(tau), DataType::TauAtomic) => {
                put(out, order, tau.count.to_le_bytes());
                put_doubles(out, order, &[tau.min, tau.max, tau.sum, tau.sum_of_squares]);
            }
            (Self::Doubles(values), DataType::Doubles(count)) if fits(values, *count) => {
                put_doubles(out, order, values);
            }
            (Self::Histogram { min, max, bins }, DataType::Histogram(count))
                if fits(bins, *count) =>
            {
                put_doubles(out, order, &[*min, *max]);
                put_doubles(out, order, bins);
            }
            (Self::Opaque(bytes), DataType::Other(_)) => out.extend_from_slice(bytes),
            _ => return None,
        }
        Some(())
    }
}

fn fits(values: &[f64], count: u32) -> bool {
    u32::try_from(values.len()) == Ok(count)
}

impl Number for f64 {
    const NAME: &'static str = "double";
    fn from_double(value: f64) -> Option<Self> {
        Some(value)
    }
    fn from_int(value: i64) -> Option<Self> {
        Some(value as f64)
    }
    fn from_uint(value: u64) -> Option<Self> {
        Some(value as f64)
    }
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn minus(self, other: Self) -> Self {
        self - other
    }
}

impl Number for u64 {
    const NAME: &'static str = "unsigned integer";
    fn from_double(_: f64) -> Option<Self> {
        None
    }
    fn from_int(value: i64) -> Option<Self> {
        value.try_into().ok()
    }
    fn from_uint(value: u64) -> Option<Self> {
        Some(value)
    }
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
}

impl Number for i64 {
    const NAME: &'static str = "signed integer";
    fn from_double(_: f64) -> Option<Self> {
        None
    }
    fn from_int(value: i64) -> Option<Self> {
        Some(value)
    }
    fn from_uint(value: u64) -> Option<Self> {
        value.try_into().ok()
    }
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
}

/// The first `N` bytes as a little-endian number's; zeros where bytes are missing.
pub(crate) fn take<const N: usize>(bytes: &[u8], order: ByteOrder) -> [u8; N] {
    debug_assert!(bytes.len() >= N, "{} of {N} bytes", bytes.len());
    let mut array = [0; N];
    for (to, from) in array.iter_mut().zip(bytes) {
        *to = *from;
    }
    if order == ByteOrder::Big {
        array.reverse();
    }
    array
}

fn double(bytes: &[u8], order: ByteOrder) -> f64 {
    f64::from_le_bytes(take(bytes, order))
}

fn doubles(bytes: &[u8], order: ByteOrder) -> Vec<f64> {
    bytes.chunks_exact(8).map(|chunk| double(chunk, order)).collect()
}

/// Decodes a row of numbers; `None` if the type is not a number's or a value does not fit into `T`.
/// The marker [`UNDEFINED_UINT64`] counts as zero.
pub(crate) fn decode_numbers<T: Number>(
    bytes: &[u8],
    data_type: &DataType,
    order: ByteOrder,
) -> Option<Vec<T>> {
    decode_and_convert(bytes, data_type, order, |number| number)
}

/// The same as other values.
pub(crate) fn decode_and_convert<T: Number, U>(
    bytes: &[u8],
    data_type: &DataType,
    order: ByteOrder,
    convert: impl Fn(T) -> U,
) -> Option<Vec<U>> {
    let signed = |size: usize, number: fn(&[u8], ByteOrder) -> i64| {
        let numbers = bytes.chunks_exact(size).map(|chunk| T::from_int(number(chunk, order)));
        numbers.map(|number| number.map(&convert)).collect()
    };
    let unsigned = |size: usize, number: fn(&[u8], ByteOrder) -> u64| {
        let numbers = bytes.chunks_exact(size).map(|chunk| T::from_uint(number(chunk, order)));
        numbers.map(|number| number.map(&convert)).collect()
    };
    match data_type {
        DataType::Int8 => signed(1, |b, o| i8::from_le_bytes(take(b, o)).into()),
        DataType::Int16 => signed(2, |b, o| i16::from_le_bytes(take(b, o)).into()),
        DataType::Int32 => signed(4, |b, o| i32::from_le_bytes(take(b, o)).into()),
        DataType::Int64 => signed(8, |b, o| i64::from_le_bytes(take(b, o))),
        DataType::Uint8 => unsigned(1, |b, o| u8::from_le_bytes(take(b, o)).into()),
        DataType::Uint16 => unsigned(2, |b, o| u16::from_le_bytes(take(b, o)).into()),
        DataType::Uint32 => unsigned(4, |b, o| u32::from_le_bytes(take(b, o)).into()),
        DataType::Uint64 => unsigned(8, |b, o| match u64::from_le_bytes(take(b, o)) {
            UNDEFINED_UINT64 => 0,
            value => value,
        }),
        DataType::Double | DataType::MinDouble | DataType::MaxDouble => {
            let numbers = bytes.chunks_exact(8).map(|chunk| T::from_double(double(chunk, order)));
            numbers.map(|number| number.map(&convert)).collect()
        }
        _ => None,
    }
}

/// Decodes one value of any type of known layout. `bytes` must be exactly one value.
pub(crate) fn decode_value(bytes: &[u8], data_type: &DataType, order: ByteOrder) -> Option<Value> {
    if data_type.size_bytes().is_some_and(|size| size != bytes.len() as u64) {
        return None;
    }
    Some(match data_type {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
            Value::Int(*decode_numbers(bytes, data_type, order)?.first()?)
        }
        // The marker for "no value" is visible here, unlike in rows of numbers.
        DataType::Uint64 => Value::Uint(u64::from_le_bytes(take(bytes, order))),
        DataType::Uint8 | DataType::Uint16 | DataType::Uint32 => {
            Value::Uint(*decode_numbers(bytes, data_type, order)?.first()?)
        }
        DataType::Double | DataType::MinDouble | DataType::MaxDouble => {
            Value::Double(double(bytes, order))
        }
        DataType::Complex => Value::Complex(double(bytes, order), double(&bytes[8..], order)),
        DataType::Rate => Value::Rate(double(bytes, order), double(&bytes[8..], order)),
        DataType::TauAtomic => Value::TauAtomic(TauAtomic {
            count: u32::from_le_bytes(take(bytes, order)),
            min: double(&bytes[4..], order),
            max: double(&bytes[12..], order),
            sum: double(&bytes[20..], order),
            sum_of_squares: double(&bytes[28..], order),
        }),
        DataType::Doubles(_) => Value::Doubles(doubles(bytes, order)),
        DataType::Histogram(_) => Value::Histogram {
            min: double(bytes, order),
            max: double(&bytes[8..], order),
            bins: doubles(&bytes[16..], order),
        },
        DataType::Other(_) => Value::Opaque(bytes.to_vec()),
    })
}
