//! Tests a destination: sends one message to it, and returns the other side's answer.
//!
//! **Invariant:** the queue of a destination is not touched, and nobody waits longer than the deadline.

use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::Json;
use crate::state::ApiInner;
use crate::waiting::busy;
use logstead_config::{Destination, Period, Problem, destination_from_json};
use logstead_flow::request_id;
use logstead_forward::send_test;
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a caller waits.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// The time that the other side has. A sink that gives up by itself reports what it was waiting for.
const ANSWER_WAIT_MAX: Period = Period::seconds(9);

/// The result of a test message.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TestAnswer {
    /// Whether the other side has accepted it, as far as its protocol shows.
    ok: bool,
    took_ms: u64,
    /// The other side's answer, if its protocol has answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    answer: Option<String>,
    /// The error: what went wrong, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
}

/// Sends a message that identifies itself as a test, and returns the other side's answer if it arrives within ten
/// seconds. The body is a destination as in a router document, or `{"id": …}` of a live one. Its queue is not
/// touched.
#[utoipa::path(
    post, path = "/api/v1/destinations/test", operation_id = "test_destination", tag = "destinations", request_body = Destination,
    responses((status = 200, body = TestAnswer))
)]
pub(crate) async fn test(call: Call, Json(body): Json<Map<String, Value>>) -> Result<axum::Json<TestAnswer>> {
    let destination = read(&call.shared, &body)?;
    let Ok(permit) = call.shared.test_messages.clone().try_acquire_owned() else {
        return Err(busy("other test messages are still on their way"));
    };
    call.audit("destination.test", destination.id.clone()).await;
    let (begin, by) = (Instant::now(), call.caller.name.clone());
    let folders = call.shared.state.pipeline.folders.clone();
    let (tell, told) = oneshot::channel();
    // Not a thread of the runtime, because nothing waits for the sink once the deadline has passed.
    let send = request_id::carried(move || {
        let _permit = permit;
        tell.send(send_test(&destination, &folders, &by, ANSWER_WAIT_MAX)).ok();
    });
    std::thread::Builder::new().name("test message".to_owned()).spawn(send).map_err(ApiError::internal)?;
    let done = match timeout(WAIT_MAX, told).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err("a bug in this kind of destination; please report it".to_owned()),
        Err(_) => Err(format!(
            "no answer within {} s: check the address, and that no firewall is in between",
            WAIT_MAX.as_secs()
        )),
    };
    let took_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(axum::Json(match done {
        Ok(answer) => TestAnswer { ok: true, took_ms, answer, error: None },
        Err(error) => TestAnswer { ok: false, took_ms, answer: None, error: Some(error) },
    }))
}

/// The requested destination, if the settings of the process allow it.
fn read(shared: &ApiInner, body: &Map<String, Value>) -> Result<Destination> {
    let pipeline = &shared.state.pipeline;
    let destination = match body.get("id").and_then(Value::as_str) {
        Some(id) if body.len() == 1 => {
            let live = pipeline.router();
            let found = live.checked.destinations.iter().find(|destination| destination.id == id).cloned();
            found.ok_or_else(|| {
                ApiError::not_found(format!("the router document has no destination `{id}`")).path("id")
            })?
        }
        _ => {
            let json = serde_json::to_vec(body).map_err(ApiError::internal)?;
            destination_from_json(&json).map_err(ApiError::of_document)?
        }
    };
    match pipeline.folders.refused_sink(&destination.kind) {
        None => Ok(destination),
        Some(message) => {
            let path = "path".to_owned();
            Err(ApiError::of_document(vec![Problem { path, message, line: None, column: None }]))
        }
    }
}
