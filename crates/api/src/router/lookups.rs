//! The files of the tables in which steps look up values.
//!
//! **Invariant:** a file is checked before it replaces another one, and one named by the live document cannot be
//! removed.

use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::Path;
use crate::problem_type::ProblemType;
use crate::state::{ApiInner, SharedState};
use crate::waiting::blocking;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_config::{CheckedAction, is_lookup_name};
use logstead_pipeline::KnownLookup;
use logstead_record::Timestamp;
use logstead_route::{LOOKUP_BYTES_MAX, LookupTable};
use serde::Serialize;
use std::io;

/// The file of a table.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LookupFile {
    name: String,
    bytes: u64,
    rows: usize,
    /// The names of the columns; the first one is the key.
    columns: Vec<String>,
    #[schema(format = DateTime)]
    modified: Option<String>,
    /// Routes of the live document with a step that uses the file.
    used_by: Vec<String>,
    /// Why the newest version of the file cannot be used.
    error: Option<String>,
}

/// All of them.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LookupFiles {
    files: Vec<LookupFile>,
}

/// The tables in which steps can look up values.
#[utoipa::path(get, path = "/api/v1/lookups", operation_id = "list_lookups", tag = "router", responses((status = 200, body = LookupFiles)))]
pub(crate) async fn list(State(shared): State<SharedState>) -> axum::Json<LookupFiles> {
    let files = shared.state.pipeline.lookups.all().into_iter();
    let file = |(name, known): (String, KnownLookup)| LookupFile {
        used_by: used_by(&shared, &name),
        name,
        bytes: known.bytes,
        rows: known.rows,
        columns: known.columns,
        modified: Timestamp::from_seconds(known.modified).map(|time| time.to_string()),
        error: known.error,
    };
    axum::Json(LookupFiles { files: files.map(file).collect() })
}

/// A file in CSV format.
#[utoipa::path(
    get, path = "/api/v1/lookups/{name}", operation_id = "get_lookup", tag = "router",
    params(("name" = String, Path, description = "The file", example = "assets.csv")),
    responses((status = 200, body = String, content_type = "text/csv"))
)]
pub(crate) async fn read(State(shared): State<SharedState>, Path(name): Path<String>) -> Result<Response> {
    check_name(&name)?;
    let pipeline = shared.state.pipeline.clone();
    let own = name.clone();
    match blocking(move || pipeline.lookups.read(&own)).await? {
        Ok(text) => Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], text).into_response()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(&name)),
        Err(error) => Err(ApiError::internal(error)),
    }
}

/// Stores a file: CSV whose first line names its columns. Steps use it from now on.
#[utoipa::path(
    put, path = "/api/v1/lookups/{name}", operation_id = "put_lookup", tag = "router",
    params(("name" = String, Path, description = "The file", example = "assets.csv")),
    request_body(content(
        (String = "text/csv"),
        (String = "application/octet-stream")
    )),
    responses((status = 204, description = "The file is stored"))
)]
pub(crate) async fn store(call: Call, Path(name): Path<String>, body: Body) -> Result<StatusCode> {
    check_name(&name)?;
    let text = to_bytes(body, LOOKUP_BYTES_MAX).await.map_err(|_| {
        let detail =
            format!("the file could not be read, or has more than {LOOKUP_BYTES_MAX} bytes (64 MiB)");
        ApiError::new(ProblemType::BodyTooLarge, detail)
    })?;
    let (pipeline, own) = (call.shared.state.pipeline.clone(), name.clone());
    let stored = blocking(move || {
        let table = LookupTable::parse(&text)
            .map_err(|error| ApiError::new(ProblemType::InvalidBody, error.to_string()))?;
        pipeline.lookups.write(&own, &text).map_err(ApiError::internal)?;
        Ok::<_, ApiError>(table.rows())
    });
    let rows = stored.await??;
    call.audit("lookup.store", format!("{name}: {rows} rows")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a file that no route of the live document uses.
#[utoipa::path(
    delete, path = "/api/v1/lookups/{name}", operation_id = "delete_lookup", tag = "router",
    params(("name" = String, Path, description = "The file", example = "assets.csv")),
    responses((status = 204, description = "The file is removed"))
)]
pub(crate) async fn remove(call: Call, Path(name): Path<String>) -> Result<StatusCode> {
    check_name(&name)?;
    let users = used_by(&call.shared, &name);
    if !users.is_empty() {
        let detail = format!("the steps of {} use it: change these first", users.join(", "));
        return Err(ApiError::new(ProblemType::InUse, detail));
    }
    let (pipeline, own) = (call.shared.state.pipeline.clone(), name.clone());
    if !blocking(move || pipeline.lookups.remove(&own)).await?.map_err(ApiError::internal)? {
        return Err(missing(&name));
    }
    call.audit("lookup.remove", name).await;
    Ok(StatusCode::NO_CONTENT)
}

fn check_name(name: &str) -> Result<()> {
    if is_lookup_name(name) {
        return Ok(());
    }
    let detail = format!(
        "`{name}` is not the name of a lookup file: use letters, digits, `_`, `-` and `.`, as in `assets.csv`"
    );
    Err(ApiError::invalid(detail).path("name"))
}

fn missing(name: &str) -> ApiError {
    ApiError::not_found(format!("there is no lookup file `{name}`"))
}

fn used_by(shared: &ApiInner, name: &str) -> Vec<String> {
    let live = shared.state.pipeline.router();
    let uses = |action: &CheckedAction| matches!(action, CheckedAction::Lookup { file, .. } if file == name);
    let routes = live.checked.routes.iter().filter(|route| route.steps.iter().any(|step| uses(&step.action)));
    routes.map(|route| route.route.id.clone()).collect()
}
