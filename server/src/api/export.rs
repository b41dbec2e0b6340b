//! All messages that match, as a file.

use super::Shared;
use super::access::Caller;
use super::error::{ApiError, Result};
use super::extract::Query;
use super::scope::list;
use super::search::Order;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

/// Which messages to export, and how.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportRequest {
    /// In the query language; empty or `*` means all. With stages their table is exported.
    #[serde(default)]
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids; all logspaces where it is missing. In an address with commas between them.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    logspaces: Option<Vec<String>>,
    #[schema(default = "ndjson")]
    #[param(default = "ndjson", inline)]
    format: Option<ExportFormat>,
    #[schema(default = "newest")]
    #[param(default = "newest", inline)]
    order: Option<Order>,
    /// Columns of `csv`: any fields, with commas between them. `time`, `received`, `host`, `program`, `pid`, `severity`,
    /// `facility`, `message` and `logspace` where it is missing.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    columns: Option<Vec<String>>,
    /// At most so many; all where it is missing.
    #[schema(minimum = 1)]
    #[param(minimum = 1)]
    limit: Option<u64>,
}

/// What an export is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// A message a line, as JSON.
    #[default]
    Ndjson,
    /// RFC 4180, with a line of headings.
    Csv,
    /// The bytes as they were received, each message with a line feed after it.
    Raw,
}

/// All messages that match, without a limit. An answer that ends before its end was cut off.
#[utoipa::path(
    get, path = "/api/v1/export", tag = "search", params(ExportRequest),
    responses((
        status = 200, description = "The messages, or the table",
        headers(
            ("X-Logstead-Count" = u64, description = "How many messages, or rows, the answer holds"),
            ("Content-Disposition" = String, description = "With the name for the file"),
        ),
        content(
            (String = "application/x-ndjson"),
            (String = "text/csv"),
            (String = "application/octet-stream"),
        )
    ))
)]
pub(crate) async fn export(
    State(_shared): State<Shared>,
    Extension(_caller): Extension<Caller>,
    Query(_request): Query<ExportRequest>,
) -> Result<Response> {
    Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "not yet"))
}
