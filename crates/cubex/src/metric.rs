//! Metrics: what a value means, in which unit, and how a stored row relates to the call tree.

use crate::attributes::Attributes;
use crate::data_type::DataType;

/// How a metric's stored values relate to the call tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MetricKind {
    /// The value of a call path contains those of its descendants.
    Inclusive,
    /// The value of a call path is its own only.
    #[default]
    Exclusive,
    /// The values of call paths have nothing to do with each other.
    Simple,
    /// Computed by CubePL from aggregated values; nothing is stored.
    PostDerived,
    /// Computed by CubePL before aggregation, the result is inclusive; nothing is stored.
    PreDerivedInclusive,
    /// Computed by CubePL before aggregation, the result is exclusive; nothing is stored.
    PreDerivedExclusive,
}

impl MetricKind {
    /// True if values are computed by CubePL instead of being stored.
    pub fn is_derived(self) -> bool {
        matches!(self, Self::PostDerived | Self::PreDerivedInclusive | Self::PreDerivedExclusive)
    }

    /// The spelling of anchor.xml.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inclusive => "INCLUSIVE",
            Self::Exclusive => "EXCLUSIVE",
            Self::Simple => "SIMPLE",
            Self::PostDerived => "POSTDERIVED",
            Self::PreDerivedInclusive => "PREDERIVED_INCLUSIVE",
            Self::PreDerivedExclusive => "PREDERIVED_EXCLUSIVE",
        }
    }

    /// The kind that anchor.xml calls `name`. Like Cube itself, anything unknown is exclusive.
    pub fn parse(name: &str) -> Self {
        match name.trim() {
            "INCLUSIVE" => Self::Inclusive,
            "SIMPLE" => Self::Simple,
            "POSTDERIVED" | "DERIVED" => Self::PostDerived,
            "PREDERIVED_INCLUSIVE" => Self::PreDerivedInclusive,
            "PREDERIVED_EXCLUSIVE" => Self::PreDerivedExclusive,
            _ => Self::Exclusive,
        }
    }
}

/// A metric: the first dimension of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// The name that programs use; unique in the report.
    pub unique_name: String,
    /// The name to show.
    pub display_name: String,
    /// What one value is.
    pub data_type: DataType,
    /// `sec`, `occ`, `bytes`, or anything else.
    pub unit: String,
    /// How rows relate to the call tree.
    pub kind: MetricKind,
    /// Where its documentation is.
    pub url: String,
    /// A sentence about it.
    pub description: String,
    /// A fixed value; `VOID` hides the metric.
    pub value: Option<String>,
    /// True if the metric is not shown, only used by derived ones.
    pub ghost: bool,
    /// False if displays must not keep computed values.
    pub cacheable: bool,
    /// False if a derived metric must not be turned into a stored one.
    pub convertible: bool,
    /// The expressions of a derived metric.
    pub cube_pl: Option<CubePl>,
    /// Further facts.
    pub attributes: Attributes,
}

impl Default for Metric {
    fn default() -> Self {
        Self {
            unique_name: String::new(),
            display_name: String::new(),
            data_type: DataType::default(),
            unit: String::new(),
            kind: MetricKind::default(),
            url: String::new(),
            description: String::new(),
            value: None,
            ghost: false,
            cacheable: true,
            convertible: true,
            cube_pl: None,
            attributes: Vec::new(),
        }
    }
}

impl Metric {
    /// The name of the container's member without its suffix.
    pub(crate) fn member_stem(&self, index: usize) -> String {
        if self.ghost { format!("ghost_{index}") } else { index.to_string() }
    }
}

/// The expressions of a derived metric, verbatim.
#[derive(Clone, Debug, PartialEq)]
pub struct CubePl {
    /// The value itself.
    pub expression: String,
    /// False if the expression must be evaluated value by value, never for a whole row at once.
    pub row_wise: bool,
    /// Executed once before the first evaluation.
    pub init: Option<String>,
    /// What replaces addition, of `arg1` and `arg2`.
    pub plus: Option<String>,
    /// What replaces subtraction.
    pub minus: Option<String>,
    /// What replaces aggregation over locations.
    pub aggregate: Option<String>,
}

impl Default for CubePl {
    fn default() -> Self {
        let expression = String::new();
        Self { expression, row_wise: true, init: None, plus: None, minus: None, aggregate: None }
    }
}
