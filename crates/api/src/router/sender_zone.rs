//! Changes the time zone of a single sender.

use super::apply::{ChangeReason, RouterChange, revise};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Json, Path};
use axum::response::Response;
use logstead_config::SenderZone;
use logstead_receive::time_zone;
use serde::Deserialize;
use serde_json::{Value, json};

/// The time zone of a sender's timestamps.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ZoneRequest {
    /// An IANA name such as `Europe/Helsinki`, or an offset such as `+02:00`; null for the zone of the source.
    timezone: Option<String>,
}

/// Sets the zone for times that a sender writes without one. This makes a revision of the router document like any
/// other, which applies to messages from now on.
#[utoipa::path(
    put, path = "/api/v1/senders/{source}/{host}/timezone", operation_id = "put_sender_timezone", tag = "senders", request_body = ZoneRequest,
    params(
        ("source" = String, Path, description = "The source"),
        ("host" = String, Path, description = "The host or the address"),
    ),
    responses(
        (
            status = 200, body = RouterChange,
            headers(("ETag" = String, description = "The new revision, for If-Match"))
        ),
        (status = 409, description = "A revision waits to be confirmed"),
    )
)]
pub(crate) async fn put_timezone(
    call: Call,
    Path((source, host)): Path<(String, String)>,
    Json(request): Json<ZoneRequest>,
) -> Result<Response> {
    let refused = |message| ApiError::invalid(message).path("timezone");
    let zone = match &request.timezone {
        Some(zone) => {
            time_zone(zone).map_err(refused)?;
            Some(SenderZone::new(&host, zone).map_err(refused)?)
        }
        None => None,
    };
    let comment = match &zone {
        Some(zone) => format!("`{host}` of `{source}` is in the time zone {}", zone.zone),
        None => format!("`{host}` of `{source}` is in the time zone of its source"),
    };
    let change = |document: &mut Value| {
        let sources = document["sources"].as_array_mut();
        let found = sources.and_then(|sources| sources.iter_mut().find(|found| found["id"] == *source));
        let Some(found) = found else {
            return Err(ApiError::not_found(format!("there is no source `{source}`")));
        };
        if found.get("timezone").is_none() {
            let kind = found["kind"].as_str().unwrap_or_default();
            let detail = format!("source `{source}` is of kind `{kind}`, whose times always name a zone");
            return Err(ApiError::invalid(detail));
        }
        let mut zones = found["timezones"].as_array().cloned().unwrap_or_default();
        let prefix = format!("{host}=");
        zones.retain(|zone| !zone.as_str().is_some_and(|zone| zone.starts_with(&prefix)));
        zones.extend(zone.as_ref().map(|zone| json!(zone.to_string())));
        found["timezones"] = zones.into();
        Ok(())
    };
    revise(&call, None, ChangeReason { comment, terms: None }, change).await
}
