//! The answer to a test of a draft.

use super::shown_message::ShownMessage;
use serde::Serialize;
use std::collections::BTreeMap;

/// The fates of the same messages in two documents.
#[derive(Clone, Default, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestReport)]
pub(crate) struct DryRunReport {
    /// Messages that were tried.
    pub(super) messages: u64,
    /// Messages that match; an estimate until all of them were tried.
    pub(super) total: u64,
    /// Whether all of them were tried.
    pub(super) complete: bool,
    /// Whether the figures are those of a sample: of the newest messages with `limit`, otherwise of messages from the
    /// whole range.
    pub(super) sampled: bool,
    /// The margin of error of a sample from the whole range: how far the share of changed messages may be off, from 0
    /// to 1, in 19 of 20 cases.
    pub(super) margin: f64,
    /// The progress towards exact figures, from 0 to 1.
    pub(super) fraction: f64,
    /// The time range examined, as far as anything is stored in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) range: Option<TestedRange>,
    pub(super) took_ms: u64,
    /// Messages that have other targets or look different.
    pub(super) changed: u64,
    /// The cells, most frequent outcomes first.
    pub(super) matrix: Vec<OutcomeCell>,
    pub(super) routes: Vec<RouteReport>,
    pub(super) targets: Vec<TargetReport>,
    /// Messages that a `parse` step could not read.
    pub(super) parse_failures: BeforeAfter,
    /// Reservations about these figures.
    pub(super) problems: Vec<String>,
}

/// Messages that share the outcome in the live document and the outcome in the draft.
#[derive(Clone, Default, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestOutcome)]
pub(super) struct OutcomeCell {
    /// Their targets, as `logspace:ID` and `destination:ID`; or `dropped:REASON`.
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    pub(super) count: u64,
    /// The number of these messages that reach a target in both documents and look different there.
    pub(super) changed: u64,
    /// How many differ in each field.
    pub(super) differs: BTreeMap<String, u64>,
    /// How many of them each route takes.
    pub(super) taken: RouteCounts,
    /// The changes that the draft's steps make to them, even if they are dropped afterwards.
    pub(super) steps: Vec<StepChanges>,
    pub(super) examples: Vec<Example>,
}

/// How many messages each route takes, by its id; routes that take none are left out.
#[derive(Clone, Default, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestTaken)]
pub(super) struct RouteCounts {
    pub(super) before: BTreeMap<String, u64>,
    pub(super) after: BTreeMap<String, u64>,
}

/// How many messages of an outcome a step changes.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestStepChanges)]
pub(super) struct StepChanges {
    /// The id of its route.
    pub(super) route: String,
    /// The number, counted from 1.
    pub(super) step: usize,
    pub(super) kind: String,
    pub(super) changed: u64,
}

/// A range of time.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(super) struct TestedRange {
    #[schema(format = DateTime)]
    pub(super) from: String,
    #[schema(format = DateTime)]
    pub(super) to: String,
}

/// A message as it is in both documents.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestExample)]
pub(super) struct Example {
    /// The id of a stored message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) id: Option<String>,
    pub(super) before: ShownMessage,
    pub(super) after: ShownMessage,
}

/// The number of messages that a route takes.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(super) struct RouteReport {
    pub(super) id: String,
    pub(super) before: u64,
    pub(super) after: u64,
    /// The effect of each of its steps in the draft.
    pub(super) steps: Vec<StepReport>,
}

/// The effect of a step.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(super) struct StepReport {
    /// The number, counted from 1.
    pub(super) step: usize,
    pub(super) kind: String,
    pub(super) messages: u64,
    pub(super) changed: u64,
    pub(super) dropped: u64,
    pub(super) failed: u64,
    /// Messages before and after it.
    pub(super) examples: Vec<Example>,
}

/// The messages that a target gets.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(super) struct TargetReport {
    pub(super) target: String,
    pub(super) before: Volume,
    pub(super) after: Volume,
}

#[derive(Clone, Copy, Default, Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Volume {
    pub(super) messages: u64,
    /// The size of their raw bytes.
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Default, Debug, Serialize, utoipa::ToSchema)]
pub(super) struct BeforeAfter {
    pub(super) before: u64,
    pub(super) after: u64,
}
