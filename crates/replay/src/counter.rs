//! Counters: values that a trace has next to its events, for example instructions or energy. What a
//! location counts between two readings belongs to the call path that had the time between them; if
//! there were several, to the innermost one around all of them, because the trace does not say
//! more. So a counter is suspended with its task, as time is.
//!
//! How values become amounts, which can be added:
//!
//! | mode | amount |
//! |---|---|
//! | accumulated | difference to the value before; the first value counts from 0 |
//! | relative | the value itself |
//! | absolute | growth: a level as that of memory in use has no sum, but where it grows is known |
//!
//! Values of the timing `NEXT` belong to the time after their reading, all others to that before.

pub mod levels;

use pompeii_model::Id;
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::enums::MetricMode;

/// Names a counter of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CounterId(pub u32);

impl Id for CounterId {
    fn index(self) -> usize {
        self.0 as usize
    }

    fn from_index(index: usize) -> CounterId {
        CounterId(index as u32)
    }
}

/// What a value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The sum of all before.
    Accumulated,
    /// The change.
    Relative,
    /// A level.
    Absolute,
}

/// A counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// What it says of itself.
    pub description: String,
    /// Its unit, as the trace spells it.
    pub unit: String,
    /// What a value says.
    pub kind: Kind,
    /// Values belong to the time after their reading.
    pub is_of_next: bool,
    /// What one of its values is in the unit.
    pub scale: f64,
    /// Amounts are real numbers.
    pub is_real: bool,
}

impl Counter {
    /// A counter of whole numbers.
    pub fn new(name: &str, mode: MetricMode) -> Counter {
        let kind = match mode {
            MetricMode::ABSOLUTE_POINT | MetricMode::ABSOLUTE_LAST | MetricMode::ABSOLUTE_NEXT => {
                Kind::Absolute
            }
            MetricMode::RELATIVE_POINT | MetricMode::RELATIVE_LAST | MetricMode::RELATIVE_NEXT => {
                Kind::Relative
            }
            _ => Kind::Accumulated,
        };
        Counter {
            name: name.to_owned(),
            description: String::new(),
            unit: "#".to_owned(),
            kind,
            is_of_next: matches!(
                mode,
                MetricMode::ACCUMULATED_NEXT
                    | MetricMode::ABSOLUTE_NEXT
                    | MetricMode::RELATIVE_NEXT
            ),
            scale: 1.0,
            is_real: false,
        }
    }

    /// The amount of a value.
    pub fn amount(&self, value: &MetricValue) -> Amount {
        match (*value, self.is_real) {
            (MetricValue::U64(value), false) => {
                Amount::Whole(i64::try_from(value).unwrap_or(i64::MAX))
            }
            (MetricValue::I64(value), false) => Amount::Whole(value),
            (MetricValue::U64(value), true) => Amount::Real(value as f64 * self.scale),
            (MetricValue::I64(value), true) => Amount::Real(value as f64 * self.scale),
            (MetricValue::F64(value), true) if value.is_finite() => {
                Amount::Real(value * self.scale)
            }
            (_, true) => Amount::Real(0.0),
            (_, false) => Amount::Whole(0),
        }
    }

    /// What a value adds, if the one before was `before`. `None` if a sum has become smaller: the
    /// counter has begun anew, or has overflowed.
    pub fn growth(&self, value: Amount, before: Amount) -> Option<Amount> {
        let change = value.minus(before);
        match self.kind {
            Kind::Relative => Some(value),
            Kind::Absolute if change.is_negative() => Some(value.minus(value)),
            Kind::Accumulated if change.is_negative() => None,
            Kind::Absolute | Kind::Accumulated => Some(change),
        }
    }
}

/// How much was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// By a counter of whole numbers.
    Whole(i64),
    /// By any other one.
    Real(f64),
}

impl Amount {
    /// Nothing, of a counter.
    pub fn zero(counter: &Counter) -> Amount {
        if counter.is_real { Amount::Real(0.0) } else { Amount::Whole(0) }
    }

    /// The sum; of numbers of one counter.
    pub fn plus(self, more: Amount) -> Amount {
        match (self, more) {
            (Amount::Whole(one), Amount::Whole(other)) => Amount::Whole(one.saturating_add(other)),
            _ => Amount::Real(self.real() + more.real()),
        }
    }

    /// The difference.
    pub fn minus(self, less: Amount) -> Amount {
        match (self, less) {
            (Amount::Whole(one), Amount::Whole(other)) => Amount::Whole(one.saturating_sub(other)),
            _ => Amount::Real(self.real() - less.real()),
        }
    }

    /// As a real number.
    pub fn real(self) -> f64 {
        match self {
            Amount::Whole(amount) => amount as f64,
            Amount::Real(amount) => amount,
        }
    }

    fn is_negative(self) -> bool {
        self.real() < 0.0
    }

    /// Whether it is nothing.
    pub fn is_zero(self) -> bool {
        self.real() == 0.0
    }

    fn bits(self) -> u64 {
        match self {
            Amount::Whole(amount) => amount.cast_unsigned(),
            Amount::Real(amount) => amount.to_bits(),
        }
    }
}

/// The metrics that one record of a trace has values of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterClass {
    /// The counters, in the order of the values.
    pub members: Vec<CounterId>,
    /// All locations that record the class record the same values, for example those of their
    /// process: the number of what they are recorded for.
    pub shared: Option<u32>,
}

/// A value that several locations record: of a counter, for what is counted there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// The counter.
    pub counter: CounterId,
    /// What it is recorded for.
    pub scope: u32,
    pub(crate) bits: u64,
}

impl Level {
    /// A value of a counter.
    pub fn new(counter: CounterId, scope: u32, value: Amount) -> Level {
        Level { counter, scope, bits: value.bits() }
    }

    fn value(&self, counter: &Counter) -> Amount {
        match counter.is_real {
            true => Amount::Real(f64::from_bits(self.bits)),
            false => Amount::Whole(self.bits.cast_signed()),
        }
    }
}
