//! Elasticsearch: `_bulk`, and the requests that shippers send before they use it.
//!
//! Shippers ask for the version and the license, look for templates, policies and pipelines, and create missing ones.
//! None of this has a meaning for Logstead, so the answers are those after which shippers begin to send. An index is
//! only a word in the path of a document: every index exists, and creating one is acknowledged.
//!
//! **Invariant:** an item is answered as created when its message is durable. One that could not be stored has 429, and its
//! sender sends it again.

use super::incoming::{IngestOutcome, RefusableRequest};
use super::route::ProtocolRoute;
use crate::error::{ApiError, RefusalDetail, Result};
use crate::extract::{Path, Query, media_type, unsupported};
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use axum::Json;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, head, post};
use logstead_flow::request_id;
use logstead_ingest::bulk::{Bulk, ReplyFilter};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Instant;

/// The header by which clients recognise a server that they may use. Every response has it.
const PRODUCT: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-elastic-product"), HeaderValue::from_static("Elasticsearch"));
/// The version reported to clients that do not name theirs.
const VERSION: &str = "8.17.0";
/// The media types accepted for bulk bodies.
const MEDIA_TYPES: [&str; 5] = [
    "application/x-ndjson",
    "application/ndjson",
    "application/json",
    "application/vnd.elasticsearch+x-ndjson",
    "application/vnd.elasticsearch+json",
];

pub(super) const ROUTES: &[ProtocolRoute] = &[
    ProtocolRoute::new(&["POST", "PUT"], &["/_bulk"], || post(bulk).put(bulk)),
    ProtocolRoute::new(&["POST", "PUT"], &["/{index}/_bulk", "/{index}/_doc/_bulk"], || {
        post(bulk_of).put(bulk_of)
    }),
    ProtocolRoute::new(&["GET", "HEAD"], &["/_license", "/_xpack/license"], || get(license)),
    ProtocolRoute::new(&["GET", "HEAD"], &["/_xpack"], || get(xpack)),
    ProtocolRoute::new(&["GET", "HEAD"], &["/_cluster/health", "/_cluster/health/{index}"], || get(health)),
    ProtocolRoute::new(&["GET"], &["/_cluster/state/version"], || get(state_version)),
    ProtocolRoute::new(&["GET"], &["/_nodes", "/_nodes/http", "/_nodes/_all/http"], || get(nodes)),
    ProtocolRoute::new(&["GET"], &["/_security/_authenticate"], || get(whoami)),
    ProtocolRoute::new(&["POST"], &["/_security/user/_has_privileges"], || post(privileges)),
    ProtocolRoute::new(&["GET"], &["/_logstash/pipeline", "/_logstash/pipeline/{name}"], || get(empty)),
    ProtocolRoute::new(
        &["GET", "HEAD", "PUT", "POST"],
        &[
            "/_index_template/{name}",
            "/_component_template/{name}",
            "/_template/{name}",
            "/_ilm/policy/{name}",
            "/_ingest/pipeline/{name}",
            "/_data_stream/{name}",
            "/_alias/{name}",
            "/{index}/_alias/{name}",
            "/{index}/_mapping",
            "/{index}/_settings",
        ],
        || any(thing),
    ),
    ProtocolRoute::new(
        &["GET", "HEAD"],
        &["/_index_template", "/_template", "/_ilm/policy", "/_ingest/pipeline", "/_data_stream", "/_alias"],
        || get(empty),
    ),
];

/// The path of an index. The console uses the same path, so its methods are not listed with the others.
pub(super) const INDEX: ProtocolRoute = ProtocolRoute::new(&["HEAD", "PUT"], &["/{index}"], index);

/// The routes of an index.
pub(crate) fn index() -> MethodRouter<SharedState> {
    head(exists).put(create)
}

#[derive(Deserialize)]
struct BulkParameters {
    filter_path: Option<String>,
}

async fn bulk(
    offered: RefusableRequest,
    Query(parameters): Query<BulkParameters>,
    body: Body,
) -> Result<Response> {
    store(offered, None, parameters, body).await
}

async fn bulk_of(
    offered: RefusableRequest,
    Path(index): Path<String>,
    Query(parameters): Query<BulkParameters>,
    body: Body,
) -> Result<Response> {
    store(offered, Some(index), parameters, body).await
}

async fn store(
    RefusableRequest { incoming, refusal }: RefusableRequest,
    index: Option<String>,
    parameters: BulkParameters,
    body: Body,
) -> Result<Response> {
    let begin = Instant::now();
    let media_type = media_type(&incoming.headers);
    if let Some(found) = &media_type
        && !MEDIA_TYPES.contains(&found.as_str())
    {
        return Err(unsupported(Some(found), MEDIA_TYPES[0]));
    }
    let (body, _room) = match incoming.read(body, None).await {
        Ok(read) => read,
        Err(error) => return Err(refusal.unwrap_or(error)),
    };
    let owner = incoming.owner();
    let bulk = move |sender, max| Bulk::of(body, index, sender, max).map(|bulk| bulk.owned_by(owner));
    let batches = match incoming.decode(bulk).await {
        Ok(batches) => batches,
        Err(error) => return Err(refusal.unwrap_or(error)),
    };
    let has_ids = batches.messages().has_ids();
    let mut stored = match refusal {
        Some(refusal) => IngestOutcome::nothing(batches, refusal),
        None if has_ids => {
            // The work goes on if the sender disconnects, so that its outcome is known when the documents are sent
            // again.
            let this = incoming.clone();
            let storing = tokio::spawn(request_id::followed(async move { this.store(batches, None).await }));
            storing.await.map_err(ApiError::internal)??
        }
        None => incoming.store(batches, None).await?,
    };
    let taken = stored.taken();
    let stopped = stored.stopped.take();
    let filter = ReplyFilter::of(parameters.filter_path.as_deref());
    let took_ms = begin.elapsed().as_millis();
    let (mut messages, late) = (stored.messages, stored.late);
    // A body of which nothing is accepted is refused as a whole, so that its sender waits for the time it is told to.
    let refusal = stopped.as_ref().filter(|_| taken == 0).map(ApiError::refusal);
    let reply = move || {
        messages.end();
        messages.reply(taken, &late, stopped.as_ref().map(ApiError::detail), took_ms, &filter)
    };
    let reply = incoming.blocking(reply).await?;
    let kind = [(header::CONTENT_TYPE, answer_type(&incoming.headers))];
    let response = match refusal {
        Some(refusal) => refused_each(&refusal, kind, &reply),
        None => (kind, reply).into_response(),
    };
    Ok(if has_ids { incoming.says_since(response) } else { response })
}

/// Refuses all documents, each by itself: rsyslog loses documents that are refused in any other way.
fn refused_each(refusal: &RefusalDetail, kind: [(HeaderName, HeaderValue); 1], reply: &str) -> Response {
    let whole = said(refusal).to_string();
    let (of_items, of_whole) =
        (reply.strip_suffix('}').unwrap_or(reply), whole.strip_prefix('{').unwrap_or(&whole));
    let between = if of_items == "{" { "" } else { "," };
    let mut response = (refusal.status, kind, format!("{of_items}{between}{of_whole}")).into_response();
    if let Some(seconds) = refusal.retry_after_seconds {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// Clients of version 8 ask for a special media type, and check it in the response.
fn answer_type(headers: &HeaderMap) -> HeaderValue {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let compatible = ["8", "9"].into_iter().find(|version| {
        let wanted = format!("compatible-with={version}");
        accepted.contains("application/vnd.elasticsearch+json") && accepted.contains(&wanted)
    });
    match compatible {
        Some("8") => HeaderValue::from_static("application/vnd.elasticsearch+json;compatible-with=8"),
        Some(_) => HeaderValue::from_static("application/vnd.elasticsearch+json;compatible-with=9"),
        None => HeaderValue::from_static("application/json"),
    }
}

fn answer(headers: &HeaderMap, body: &Value) -> Response {
    ([(header::CONTENT_TYPE, answer_type(headers))], body.to_string()).into_response()
}

/// The response to `GET /` for clients other than browsers. Clients refuse servers older than themselves, so each is
/// told its own version.
pub(crate) fn greeting(headers: &HeaderMap) -> Response {
    let body = json!({
        "name": "logstead",
        "cluster_name": "logstead",
        "cluster_uuid": "bG9nc3RlYWQtbG9nc3RlYWQ",
        "version": {
            "number": version_of(headers).unwrap_or_else(|| VERSION.to_owned()),
            "build_flavor": "default",
            "build_type": "tar",
            "build_hash": "0000000000000000000000000000000000000000",
            "build_date": "2026-01-01T00:00:00.000Z",
            "build_snapshot": false,
            "lucene_version": "9.12.0",
            "minimum_wire_compatibility_version": "7.17.0",
            "minimum_index_compatibility_version": "7.0.0",
        },
        "tagline": "You Know, for Search",
    });
    named(answer(headers, &body))
}

/// The version of a client that shares its server's version numbers: `Filebeat/8.11.3 (…)`, `elasticsearch-py/9.0.1
/// (…)`.
fn version_of(headers: &HeaderMap) -> Option<String> {
    let agent = headers.get(header::USER_AGENT)?.to_str().ok()?;
    let (name, rest) = agent.split_once('/')?;
    let name = name.to_ascii_lowercase();
    let is_known = name.contains("beat") || name.contains("elastic");
    let version: String =
        rest.trim_start_matches('v').chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let parts: Vec<&str> = version.split('.').collect();
    let is_version = parts.len() == 3 && parts.iter().all(|part| matches!(part.len(), 1..=3));
    // Clients of version 6 would reject our version as too new; each client is told the version it expects.
    (is_known && is_version).then_some(version)
}

async fn license(headers: HeaderMap) -> Response {
    let license = json!({"license": {
        "uid": "00000000-0000-0000-0000-000000000000", "type": "basic", "mode": "basic", "status": "active",
        "issued_to": "logstead", "issuer": "logstead", "expiry_date_in_millis": 4_000_000_000_000_u64,
    }});
    answer(&headers, &license)
}

async fn xpack(headers: HeaderMap) -> Response {
    let license = json!({"type": "basic", "mode": "basic", "status": "active"});
    answer(&headers, &json!({"build": {}, "features": {}, "license": license}))
}

async fn health(headers: HeaderMap) -> Response {
    let health = json!({
        "cluster_name": "logstead", "status": "green", "timed_out": false, "number_of_nodes": 1,
        "number_of_data_nodes": 1, "active_primary_shards": 1, "active_shards": 1, "relocating_shards": 0,
        "initializing_shards": 0, "unassigned_shards": 0,
    });
    answer(&headers, &health)
}

async fn state_version(headers: HeaderMap) -> Response {
    answer(
        &headers,
        &json!({"cluster_name": "logstead", "cluster_uuid": "bG9nc3RlYWQtbG9nc3RlYWQ", "version": 1}),
    )
}

async fn nodes(headers: HeaderMap) -> Response {
    answer(
        &headers,
        &json!({"_nodes": {"total": 0, "successful": 0, "failed": 0}, "cluster_name": "logstead", "nodes": {}}),
    )
}

async fn whoami(headers: HeaderMap) -> Response {
    let whoami =
        json!({"username": "logstead", "roles": ["ingest"], "enabled": true, "authentication_type": "token"});
    answer(&headers, &whoami)
}

async fn privileges(headers: HeaderMap) -> Response {
    answer(&headers, &json!({"username": "logstead", "has_all_requested": true, "cluster": {}, "index": {}}))
}

async fn empty(headers: HeaderMap) -> Response {
    answer(&headers, &json!({}))
}

/// A template, a policy, a pipeline or an index: it always exists, and changes to it are acknowledged.
async fn thing(method: Method, headers: HeaderMap) -> Response {
    match method {
        Method::GET | Method::HEAD => answer(&headers, &json!({})),
        Method::PUT | Method::POST => {
            answer(&headers, &json!({"acknowledged": true, "shards_acknowledged": true}))
        }
        _ => ApiError::new(ProblemType::MethodNotAllowed, format!("{method} is not allowed here"))
            .into_response(),
    }
}

async fn exists(headers: HeaderMap) -> Response {
    answer(&headers, &json!({}))
}

async fn create(headers: HeaderMap, Path(index): Path<String>) -> Response {
    answer(&headers, &json!({"acknowledged": true, "shards_acknowledged": true, "index": index}))
}

fn said(refusal: &RefusalDetail) -> Value {
    let kind = match refusal.status.as_u16() {
        401 | 403 => "security_exception",
        404 => "resource_not_found_exception",
        413 => "content_too_long_exception",
        429 | 503 => "es_rejected_execution_exception",
        500 => "exception",
        _ => "illegal_argument_exception",
    };
    let cause = json!({"type": kind, "reason": refusal.detail});
    json!({
        "error": {"root_cause": [cause], "type": kind, "reason": refusal.detail},
        "status": refusal.status.as_u16(),
    })
}

/// A refusal in Elasticsearch's format.
pub(super) fn refused(refusal: &RefusalDetail) -> Response {
    let mut response = (refusal.status, Json(said(refusal))).into_response();
    if refusal.status == StatusCode::UNAUTHORIZED {
        // Clients that have a name and a password send them only when asked to.
        let ask = HeaderValue::from_static("Basic realm=\"logstead\", charset=\"UTF-8\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
    }
    response
}

/// Adds the header that clients look for.
pub(super) fn named(mut response: Response) -> Response {
    let (name, value) = PRODUCT;
    response.headers_mut().insert(name, value);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_hear_the_version_that_is_theirs() {
        for (agent, expected) in [
            ("Filebeat/8.11.3 (linux; amd64; abc)", Some("8.11.3")),
            ("elasticsearch-py/9.0.1 (Python/3.11; elastic-transport/8.15.0)", Some("9.0.1")),
            ("elastic-transport-js/8.9.1 (linux)", Some("8.9.1")),
            ("Vector/0.40.0", None),
            ("curl/8.5.0", None),
            ("Filebeat", None),
            ("Filebeat/8", None),
            ("Filebeat/1234.1.1", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::USER_AGENT, agent.parse().unwrap());
            assert_eq!(version_of(&headers).as_deref(), expected, "{agent}");
        }
    }

    #[test]
    fn answers_have_the_media_type_that_is_asked_for() {
        for (accept, expected) in [
            ("application/json", "application/json"),
            ("*/*", "application/json"),
            (
                "application/vnd.elasticsearch+json; compatible-with=8",
                "application/vnd.elasticsearch+json;compatible-with=8",
            ),
            (
                "application/vnd.elasticsearch+json;compatible-with=9,text/plain",
                "application/vnd.elasticsearch+json;compatible-with=9",
            ),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(answer_type(&headers), expected);
        }
    }
}
