//! The fate of every message.

use crate::error::{ApiError, Result};
use crate::extract::Query;
use crate::question::clocks::Clocks;
use crate::question::time;
use crate::state::SharedState;
use crate::waiting::blocking;
use axum::extract::State;
use logstead_flow::ledger::{self, LedgerReport, ReportStep};
use logstead_flow::machine::clock;
use serde::Deserialize;

/// The range without `from`: an hour.
const RANGE_NANOS: i64 = 3_600_000_000_000;

/// The time range, and the length of its steps.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FlowParams {
    /// The start, such as `-1h` or RFC 3339; it moves back to a whole step. By default, an hour before `to`.
    from: Option<String>,
    /// The end; it moves forward to a whole step. By default, now.
    to: Option<String>,
    /// The length of a step; by default the shortest one that gives a few hundred points. Minutes are kept for two
    /// days, hours for two months and days for thirteen months: for older messages the step is longer than requested.
    #[param(inline)]
    step: Option<ReportStep>,
}

/// The fate of every message in a time range: for each source, received = stored + forwarded + dropped +
/// unacknowledged + in flight, and for each destination, queued = delivered + quarantined + dropped + waiting. A
/// message counts once, at the time at which it was received.
#[utoipa::path(get, path = "/api/v1/flow", operation_id = "get_flow", tag = "router", params(FlowParams), responses((status = 200, body = LedgerReport)))]
pub(crate) async fn flow(
    State(shared): State<SharedState>,
    Query(params): Query<FlowParams>,
) -> Result<axum::Json<LedgerReport>> {
    let now = clock::now();
    let clocks = Clocks::new(None)?;
    let time = |text: Option<&String>, name| text.map(|text| time(text, name, &clocks, now)).transpose();
    let to = time(params.to.as_ref(), "to")?.unwrap_or(now);
    let from = time(params.from.as_ref(), "from")?.unwrap_or(to.saturating_add(-RANGE_NANOS));
    if to <= from {
        return Err(ApiError::invalid("`from` must be before `to`").path("from"));
    }
    let query = ledger::ReportQuery { from, to, step: params.step };
    blocking(move || axum::Json(shared.state.pipeline.ledger.report(&query))).await
}
