//! A user's preferences in the console (theme, time zone, density, columns), the same on every machine.

use super::account::user_id;
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::Json;
use crate::problem_type::ProblemType;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The maximum length of one user's preferences, as JSON.
const BYTES_MAX: usize = 16 << 10;

/// The preferences, by the names that the console uses. The server does not interpret them.
#[derive(Serialize, Deserialize, utoipa::ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct Preferences(Map<String, Value>);

/// Your preferences in the console; an empty object at first.
#[utoipa::path(
    get, path = "/api/v1/account/preferences", tag = "account",
    responses((status = 200, body = Preferences))
)]
pub(crate) async fn get_preferences(call: Call) -> Result<axum::Json<Preferences>> {
    let id = user_id(&call.caller)?;
    Ok(axum::Json(Preferences(call.meta(move |meta| meta.preferences(id)).await?)))
}

/// Replaces your preferences in the console: an object of at most 16 KiB.
#[utoipa::path(
    put, path = "/api/v1/account/preferences", operation_id = "put_preferences", tag = "account", request_body = Preferences,
    responses((status = 204))
)]
pub(crate) async fn set_preferences(
    call: Call,
    Json(Preferences(preferences)): Json<Preferences>,
) -> Result<StatusCode> {
    let id = user_id(&call.caller)?;
    let bytes = serde_json::to_vec(&preferences).map_err(ApiError::internal)?.len();
    if BYTES_MAX < bytes {
        let detail = format!("the preferences have {bytes} bytes: at most {BYTES_MAX} are allowed");
        return Err(ApiError::new(ProblemType::BodyTooLarge, detail));
    }
    call.meta(move |meta| meta.set_preferences(id, &preferences)).await?;
    Ok(StatusCode::NO_CONTENT)
}
