//! The data types of Cube: how a metric's values are spelled in anchor.xml and how many bytes each
//! takes in the data file. Old reports use the long C-like spellings; we write the short ones.

use std::fmt;

/// What one value of a metric is. Sizes are those of the data file, without padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataType {
    /// 8-bit signed.
    Int8,
    /// 8-bit unsigned.
    Uint8,
    /// 16-bit signed.
    Int16,
    /// 16-bit unsigned.
    Uint16,
    /// 32-bit signed.
    Int32,
    /// 32-bit unsigned.
    Uint32,
    /// 64-bit signed.
    Int64,
    /// 64-bit unsigned.
    Uint64,
    /// IEEE double; Cube's `FLOAT` is the same.
    #[default]
    Double,
    /// A double whose aggregation is the minimum.
    MinDouble,
    /// A double whose aggregation is the maximum.
    MaxDouble,
    /// Real and imaginary part.
    Complex,
    /// Numerator and denominator.
    Rate,
    /// Count, minimum, maximum, sum and sum of squares; 36 bytes.
    TauAtomic,
    /// So many doubles.
    Doubles(u32),
    /// Minimum, maximum and so many bins.
    Histogram(u32),
    /// A type whose layout we do not know (`SCALE_FUNC` has a different one in every release). Its
    /// values are bytes, as many as the data file has per value; they are kept as they are.
    Other(String),
}

/// How values of one metric combine over locations and over the call tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// By addition.
    Sum,
    /// The smallest counts.
    Min,
    /// The largest counts.
    Max,
}

impl DataType {
    /// The type that anchor.xml calls `name`. Unknown names become [`DataType::Other`].
    pub fn parse(name: &str) -> Self {
        let name = name.trim();
        match name {
            "INT8" => Self::Int8,
            "UINT8" | "CHAR" => Self::Uint8,
            "INT16" | "SHORT INT" => Self::Int16,
            "UINT16" | "UNSIGNED SHORT INT" => Self::Uint16,
            "INT32" | "INT" => Self::Int32,
            "UINT32" | "UNSIGNED INT" => Self::Uint32,
            "INT64" | "INTEGER" | "SIGNED INTEGER" => Self::Int64,
            "UINT64" | "UNSIGNED INTEGER" => Self::Uint64,
            "DOUBLE" | "FLOAT" => Self::Double,
            "MINDOUBLE" => Self::MinDouble,
            "MAXDOUBLE" => Self::MaxDouble,
            "COMPLEX" => Self::Complex,
            "RATE" => Self::Rate,
            "TAU_ATOMIC" => Self::TauAtomic,
            _ => Self::parse_sized(name).unwrap_or_else(|| Self::Other(name.to_owned())),
        }
    }

    fn parse_sized(name: &str) -> Option<Self> {
        let (base, rest) = name.split_once('(')?;
        let count = rest.trim_end().strip_suffix(')')?.trim().parse().ok()?;
        match base.trim() {
            "NDOUBLES" => Some(Self::Doubles(count)),
            "HISTOGRAM" => Some(Self::Histogram(count)),
            _ => None,
        }
    }

    /// The bytes of one value in the data file; `None` for a type of unknown layout.
    pub fn size_bytes(&self) -> Option<u64> {
        Some(match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 => 4,
            Self::Int64 | Self::Uint64 | Self::Double | Self::MinDouble | Self::MaxDouble => 8,
            Self::Complex | Self::Rate => 16,
            Self::TauAtomic => 36,
            Self::Doubles(count) => 8 * u64::from(*count),
            Self::Histogram(count) => 8 * (u64::from(*count) + 2),
            Self::Other(_) => return None,
        })
    }

    /// Whether values are single integers.
    pub fn is_integer(&self) -> bool {
        match self {
            Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64 => true,
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Uint64 => true,
            Self::Double | Self::MinDouble | Self::MaxDouble | Self::Complex => false,
            Self::Rate | Self::TauAtomic | Self::Doubles(_) | Self::Histogram(_) => false,
            Self::Other(_) => false,
        }
    }

    /// How values combine.
    pub fn aggregation(&self) -> Aggregation {
        match self {
            Self::MinDouble => Aggregation::Min,
            Self::MaxDouble => Aggregation::Max,
            _ => Aggregation::Sum,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int8 => "INT8",
            Self::Uint8 => "UINT8",
            Self::Int16 => "INT16",
            Self::Uint16 => "UINT16",
            Self::Int32 => "INT32",
            Self::Uint32 => "UINT32",
            Self::Int64 => "INT64",
            Self::Uint64 => "UINT64",
            Self::Double => "DOUBLE",
            Self::MinDouble => "MINDOUBLE",
            Self::MaxDouble => "MAXDOUBLE",
            Self::Complex => "COMPLEX",
            Self::Rate => "RATE",
            Self::TauAtomic => "TAU_ATOMIC",
            Self::Doubles(count) => return write!(f, "NDOUBLES({count})"),
            Self::Histogram(count) => return write!(f, "HISTOGRAM({count})"),
            Self::Other(name) => name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(name: &str, expect: Expect) {
        let data_type = DataType::parse(name);
        expect.assert_eq(&format!("{data_type} {:?}", data_type.size_bytes()));
    }

    #[test]
    fn long_spellings_become_short_ones() {
        check("UNSIGNED INTEGER", expect!["UINT64 Some(8)"]);
        check("FLOAT", expect!["DOUBLE Some(8)"]);
        check("SHORT INT", expect!["INT16 Some(2)"]);
    }

    #[test]
    fn sized_types_and_unknown_ones() {
        check("HISTOGRAM( 5 )", expect!["HISTOGRAM(5) Some(56)"]);
        check("NDOUBLES(10)", expect!["NDOUBLES(10) Some(80)"]);
        check("NDOUBLES(-1)", expect!["NDOUBLES(-1) None"]);
        check("SCALE_FUNC", expect!["SCALE_FUNC None"]);
    }
}
