//! The findings of the report: the problems of the run, what to change, and what that would gain.

use pompeii_analysis::{Cause, Finding, Gain};
use pompeii_model::{Cube, Id, Ticks};
use schemars::JsonSchema;
use serde::Serialize;

use crate::code_times::JsonCodeTimes;
use crate::json_roots::JsonRootCause;
use crate::json_schema::{advice_kind, cause_or_null, gain_origin};

/// One problem of the run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonFinding {
    /// What causes the loss; `null` if the measurement does not tell.
    #[schemars(schema_with = "cause_or_null")]
    pub cause: Option<&'static str>,
    /// What to change.
    pub advice: JsonAdvice,
    /// The property that was lost; `pompeii explain` describes it.
    pub property: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The metric whose severities show it best.
    pub metric: &'static str,
    /// The construct: an index into `regions`.
    pub region: usize,
    /// The construct in the user's words.
    pub construct: String,
    /// Construct, function, file and line: `parallel for CalcForce lulesh.cc:782`.
    pub label: String,
    /// The function around the construct; empty if it is unknown.
    pub function: String,
    /// The source file of the construct; empty if it is unknown.
    pub file: String,
    /// Its first line; 0 if it is unknown.
    pub line: u32,
    /// CPU time lost, summed over all threads.
    pub lost_s: f64,
    /// By how much the run would be shorter without the loss, wall time; `null` if the measurement
    /// does not tell.
    pub gain_s: Option<f64>,
    /// The least gain that is expected, wall time.
    pub gain_low_s: Option<f64>,
    /// The largest gain that is expected, wall time.
    pub gain_high_s: Option<f64>,
    /// Where the gain comes from: `profile` is a prediction from what was measured, `trace` is the
    /// recorded run, played again without the loss; `null` if the gain is not known.
    #[schemars(schema_with = "gain_origin")]
    pub gain_origin: Option<&'static str>,
    /// `gain_s` is an upper bound: nothing took the place of what was removed.
    pub gain_is_upper_bound: bool,
    /// The share of a gain from the trace that depends on the order in which threads got locks in
    /// this run; `null` if the program has no locks, and for other gains.
    pub gain_lock_order_share: Option<f64>,
    /// `lost_s` as a share of the CPU allocation time, between 0 and 1.
    pub share: f64,
    /// Whether loss or gain are at least 1 % of the run, and the gain may be as large. The summary
    /// shows only such findings.
    pub significant: bool,
    /// The `cause` of an entry of `machine` that explains the loss, or `null`.
    #[schemars(schema_with = "cause_or_null")]
    pub explained_by: Option<&'static str>,
    /// What the waiting goes back to, the largest part first; empty without an analysis of a trace.
    pub root_causes: Vec<JsonRootCause>,
    /// How long each thread computes in the code for which others wait; empty if the cause is
    /// another one, and for findings that are not significant.
    pub code_times: Vec<JsonCodeTimes>,
    /// What was observed, as sentences.
    pub details: Vec<String>,
    /// The advice as a sentence.
    pub suggestion: String,
    /// Where the loss is, the largest part first: indices into `call_paths` of the report.
    pub call_paths: Vec<usize>,
}

/// What to change; the sentence `suggestion` is made from it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonAdvice {
    /// The kind of change. Its description says what `target` and `value` are.
    #[schemars(schema_with = "advice_kind")]
    pub kind: &'static str,
    /// What the advice is applied to; empty for `none`.
    pub target: String,
    /// What to set; `null` if the kind has no value.
    pub value: Option<String>,
}

pub(super) fn json_finding(cube: &Cube, finding: &Finding) -> JsonFinding {
    let region = &cube.regions[finding.region];
    let from_trace = finding.from_trace;
    let gain = |of: fn(Gain) -> Ticks| finding.gain.map(|gain| cube.clock.seconds(of(gain)));
    JsonFinding {
        cause: finding.cause.map(Cause::code),
        advice: JsonAdvice {
            kind: finding.advice.kind.code(),
            target: finding.advice.target.clone(),
            value: finding.advice.value.clone(),
        },
        property: finding.property.name,
        title: finding.property.title,
        metric: finding.metric,
        region: finding.region.index(),
        construct: finding.construct.clone(),
        label: format!("{} {}", finding.construct, finding.place).trim_end().to_owned(),
        function: region.function().unwrap_or_default().to_owned(),
        file: region.file.clone(),
        line: region.begin_line,
        lost_s: cube.clock.seconds(finding.lost_ticks),
        gain_s: gain(|gain| gain.ticks),
        gain_low_s: gain(|gain| gain.low_ticks),
        gain_high_s: gain(|gain| gain.high_ticks),
        gain_origin: finding.gain.map(|_| if from_trace.is_some() { "trace" } else { "profile" }),
        gain_is_upper_bound: from_trace.is_some_and(|of| of.is_bound),
        gain_lock_order_share: from_trace.and_then(|of| of.lock_order_share),
        share: finding.share,
        significant: finding.is_significant(cube),
        explained_by: finding.explained_by.map(Cause::code),
        root_causes: JsonRootCause::all(cube, finding),
        code_times: JsonCodeTimes::all(cube, finding),
        details: finding.details.clone(),
        suggestion: finding.advice.sentence(),
        call_paths: finding.calls.iter().map(|call| call.index()).collect(),
    }
}
