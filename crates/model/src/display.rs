//! How a metric is displayed: how its values are combined over call paths and over locations, and
//! what its percentages refer to. Metrics of Pompeii are sums. A property of the user's own may be
//! a maximum or a mean, for example the longest wait.

/// How several values become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// They are added.
    #[default]
    Sum,
    /// The largest one.
    Maximum,
    /// Their sum divided by their number.
    Mean,
}

impl Combine {
    /// All of them.
    pub const ALL: [Combine; 3] = [Combine::Sum, Combine::Maximum, Combine::Mean];

    /// Its word in files, in declarations and for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Combine::Sum => "sum",
            Combine::Maximum => "maximum",
            Combine::Mean => "mean",
        }
    }

    /// What a word stands for.
    pub fn from_name(name: &str) -> Option<Combine> {
        Self::ALL.into_iter().find(|how| how.as_str() == name)
    }
}

/// How a metric is displayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Display {
    /// How the values of call paths are combined on a location, before those of locations.
    pub over_calls: Combine,
    /// How the values of locations are combined.
    pub over_locations: Combine,
    /// The metric whose total is 100 %.
    pub percent_of: Option<String>,
}

impl Display {
    /// Whether all values are added, so that those of parts add up to those of the whole.
    pub fn is_sum(&self) -> bool {
        self.over_calls == Combine::Sum && self.over_locations == Combine::Sum
    }

    /// What a reader must know to understand a value; empty if it is a sum and the percentages are
    /// the usual ones.
    pub fn words(&self) -> String {
        let (calls, locations) = (self.over_calls.as_str(), self.over_locations.as_str());
        let mut parts = Vec::new();
        if calls == locations && !self.is_sum() {
            parts.push(format!("{calls} over call paths and locations"));
        } else if !self.is_sum() {
            parts.push(format!("{calls} over call paths, {locations} over locations"));
        }
        parts.extend(self.percent_of.iter().map(|whole| format!("percent of {whole}")));
        parts.join("; ")
    }
}

/// Values while they are combined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Combined {
    sum: f64,
    largest: f64,
    count: u64,
}

impl Combined {
    /// One more value.
    pub(crate) fn add(&mut self, value: f64) {
        self.merge(Combined { sum: value, largest: value, count: 1 });
    }

    /// More values.
    pub(crate) fn merge(&mut self, other: Combined) {
        self.largest = match (self.count, other.count) {
            (_, 0) => self.largest,
            (0, _) => other.largest,
            _ => self.largest.max(other.largest),
        };
        self.sum += other.sum;
        self.count += other.count;
    }

    /// All as one; 0 if there is none.
    pub(crate) fn value(self, how: Combine) -> f64 {
        match how {
            Combine::Sum => self.sum,
            Combine::Maximum => self.largest,
            Combine::Mean => self.sum / self.count.max(1) as f64,
        }
    }
}
