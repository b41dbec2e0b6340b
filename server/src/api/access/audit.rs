//! The log of what accounts did.

use crate::api::error::{ApiError, Result};
use crate::api::extract::Query;
use crate::api::state::Shared;
use axum::extract::State;
use serde::{Deserialize, Serialize};

/// Maximum number of entries in one answer.
const AUDIT_LIMIT_MAX: u32 = 10_000;

/// How much of the audit log.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditQuery {
    /// 1 to 10000.
    #[param(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
}

/// An action.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AuditEntry {
    #[schema(format = DateTime)]
    time: String,
    /// The account: `user:7`, `token:3` or `environment`; null if nobody was logged in, and in entries of versions that
    /// did not record it. Unlike a name, it is never reused.
    #[schema(required)]
    account: Option<String>,
    /// The account's name at that time.
    user: String,
    action: String,
    detail: String,
}

/// The newest entries, newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Audit {
    entries: Vec<AuditEntry>,
}

/// Who did what, newest first.
#[utoipa::path(
    get, path = "/api/v1/audit", tag = "accounts", params(AuditQuery), responses((status = 200, body = Audit))
)]
pub(crate) async fn audit(
    State(shared): State<Shared>,
    Query(query): Query<AuditQuery>,
) -> Result<axum::Json<Audit>> {
    let limit = query.limit.unwrap_or(100);
    if !(1..=AUDIT_LIMIT_MAX).contains(&limit) {
        return Err(ApiError::bad_request(format!("limit is {limit}: it must be 1 to {AUDIT_LIMIT_MAX}")));
    }
    let entries = shared.meta(move |meta| meta.audit(limit)).await?;
    let entries = entries.into_iter().map(|entry| AuditEntry {
        time: entry.time.to_string(),
        account: entry.account.map(|account| account.to_string()),
        user: entry.user,
        action: entry.action,
        detail: entry.detail,
    });
    Ok(axum::Json(Audit { entries: entries.collect() }))
}
