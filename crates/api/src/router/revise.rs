//! A part of the live document, changed alone: what else it says stays.

use super::apply::{ChangeReason, apply, conflict};
use super::draft::Draft;
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::waiting::blocking;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

/// Makes a revision of what `change` leaves of the live document. `expected` is the revision that was looked at.
pub(super) async fn revise(
    call: &Call,
    expected: Option<u64>,
    motive: ChangeReason,
    change: impl FnOnce(&mut Value) -> Result<()>,
) -> Result<Response> {
    let shared = call.shared.clone();
    if blocking(move || shared.state.revisions.unconfirmed()).await??.is_some() {
        let detail = "the live revision waits to be confirmed: confirm it, or wait until it has gone back";
        return Err(ApiError::new(StatusCode::CONFLICT, detail));
    }
    let live = call.shared.state.pipeline.router();
    if expected.is_some_and(|expected| expected != live.revision) {
        return Err(conflict(live.revision));
    }
    let mut document = serde_json::to_value(&live.document).map_err(ApiError::internal)?;
    change(&mut document)?;
    let draft = Draft::of_value(&document, &live);
    apply(call, draft, Some(live.revision), motive).await
}
