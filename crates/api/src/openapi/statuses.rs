//! The refusals of each operation: one rule for each reason to refuse, and a table for what only some operations do.
//!
//! The tests of the API compare every answer with these.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The statuses that are described once for all operations: name, description.
const WORDS: [(u16, &str, &str); 14] = [
    (400, "BadRequest", "The request cannot be read, or its query does not follow the query language"),
    (401, "Unauthorized", "The session or token is missing or invalid"),
    (403, "Forbidden", "The caller may not do this, or the CSRF token or a code is wrong"),
    (404, "NotFound", "There is nothing of that name, or it is not the caller's to see"),
    (406, "NotAcceptable", "The answer only exists as a stream of events, which the client does not accept"),
    (408, "RequestTimeout", "The body comes too slowly"),
    (409, "Conflict", "It does not fit what there is: it exists already, has changed, or is in use"),
    (412, "PreconditionFailed", "If-Match names another revision than the live one"),
    (413, "ContentTooLarge", "The body is too long"),
    (415, "UnsupportedMediaType", "The Content-Type is not one that is described"),
    (416, "RangeNotSatisfiable", "The file does not have the bytes that Range names"),
    (422, "UnprocessableContent", "The request can be read, and a value in it is not acceptable"),
    (429, "TooManyRequests", "Too many attempts or jobs: try again after the time in Retry-After"),
    (
        503,
        "ServiceUnavailable",
        "It cannot be done now: try again after the time in Retry-After, if there is one",
    ),
];
const PRECONDITION_REQUIRED: (u16, &str, &str) = (428, "PreconditionRequired", "If-Match is missing");
const INSUFFICIENT_STORAGE: (u16, &str, &str) =
    (507, "InsufficientStorage", "The disk is full: nothing was changed");

/// The refusals of a few operations only, by status.
const REFUSALS: [(u16, &[&str]); 9] = [
    // These need no login, but a token that is sent has to be valid.
    (401, &["get_session", "log_in", "log_out"]),
    (403, &["log_in", "log_out", "set_up_server"]),
    (
        404,
        &[
            "put_sender_timezone", "remove_totp", "renew_recovery_codes", "test_destination",
            "trace_message", "replay_messages", "test_router",
        ],
    ),
    (406, &["stream_changes"]),
    (416, &["download_job_result"]),
    (
        409,
        &[
            "begin_totp", "change_password", "confirm_router", "confirm_totp", "create_saved_search",
            "create_token", "create_user", "delete_job", "delete_lookup", "delete_user", "disable_user",
            "discard_quarantine", "discard_queue", "download_job_result", "put_logspace", "put_saved_search",
            "put_sender_timezone", "put_user", "replay_messages", "replay_quarantine", "rotate_token",
            "set_up_server", "update_token", "update_user",
        ],
    ),
    (422, &["delete_lookup", "get_lookup"]),
    (
        429,
        &[
            "begin_totp", "change_password", "confirm_totp", "log_in", "reindex_logspace", "remove_totp",
            "renew_recovery_codes", "set_up_server", "start_export", "verify_logspace",
        ],
    ),
    (503, &["finish_oidc_login", "get_session", "start_oidc_login"]),
];

/// Operations with these tags that are not a GET write to the database, and so do these others.
const WRITING_TAGS: [&str; 4] = ["account", "accounts", "saved searches", "session"];
const WRITING: [&str; 10] = [
    "confirm_router", "pause_destination", "put_logspace", "put_router", "put_sender_timezone",
    "reindex_logspace", "resume_destination", "roll_back_router", "start_export", "verify_logspace",
];
/// Operations for the search page that read no messages.
const WITHOUT_MESSAGES: [&str; 2] = ["parse_query", "stream_changes"];

/// The operation that a token's limits apply to.
const LIMITED: &str = "ingest_messages";

/// Adds the refusals to all operations, and the headers that they come with.
pub(super) fn describe(api: &mut Value) {
    let mut known = BTreeSet::new();
    let items = api["paths"].as_object_mut().into_iter().flatten().map(|(_, item)| item);
    for (method, operation) in items.filter_map(Value::as_object_mut).flatten() {
        known.insert(operation["operationId"].as_str().unwrap_or_default().to_owned());
        add_refusals(method, operation);
    }
    let named = REFUSALS.iter().flat_map(|(_, of)| *of).chain(&WRITING).chain(&WITHOUT_MESSAGES);
    let unknown: Vec<_> = named.filter(|id| !known.contains(**id)).collect();
    assert!(unknown.is_empty(), "statuses of operations that the API does not have: {unknown:?}");
    api["components"]["responses"] = Value::Object(responses());
    api["components"]["headers"] = headers();
}

fn all() -> impl Iterator<Item = (u16, &'static str, &'static str)> {
    WORDS.into_iter().chain([PRECONDITION_REQUIRED, INSUFFICIENT_STORAGE])
}

fn add_refusals(method: &str, operation: &mut Value) {
    let statuses = refusals(method, operation);
    let is_limited = operation["operationId"] == LIMITED;
    let own = operation["responses"].as_object_mut();
    for (status, response) in own.into_iter().flatten() {
        add_headers(status, response);
        if is_limited && status.starts_with('2') {
            refer_to_headers(response, &["RateLimit", "RateLimit-Policy"]);
        }
    }
    for (status, name, _) in all().filter(|(status, ..)| statuses.contains(status)) {
        let response = &mut operation["responses"][status.to_string()];
        if response.is_null() {
            *response = json!({"$ref": format!("#/components/responses/{name}")});
        }
    }
}

/// The statuses with which an operation is refused.
fn refusals(method: &str, operation: &Value) -> BTreeSet<u16> {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let is_tagged = |tags: &[&str]| {
        operation["tags"]
            .as_array()
            .is_some_and(|own| own.iter().any(|tag| tags.iter().any(|name| tag == name)))
    };
    let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
    let has = |place: &str| parameters.iter().any(|parameter| parameter["in"] == place);
    let matched = parameters.iter().find(|parameter| parameter["name"] == "If-Match");
    let body = &operation["requestBody"]["content"];
    let reads_messages = is_tagged(&["search"]) && !WITHOUT_MESSAGES.contains(&id);
    let writes = method != "get" && is_tagged(&WRITING_TAGS) || WRITING.contains(&id);
    let rules: [(bool, &[u16]); 9] = [
        // The caller is looked up in the database, which may be too busy.
        (operation["security"] != json!([]), &[401, 503]),
        (body.is_object(), &[400, 408, 413, 422]),
        (body["application/json"].is_object(), &[415]),
        (has("query"), &[400, 422]),
        (has("path"), &[404]),
        (matched.is_some(), &[400, 412]),
        (matched.is_some_and(|parameter| parameter["required"] == true), &[428]),
        (reads_messages, &[400, 404, 422]),
        (writes, &[503, 507]),
    ];
    let ruled =
        rules.iter().filter(|(applies, _)| *applies).flat_map(|(_, statuses)| statuses.iter().copied());
    let own = REFUSALS.iter().filter(|(_, of)| of.contains(&id)).map(|(status, _)| *status);
    ruled.chain(own).collect()
}

/// The problems that operations share.
fn responses() -> Map<String, Value> {
    let response = |(status, name, words): (u16, &str, &str)| {
        let schema = json!({"$ref": "#/components/schemas/Problem"});
        let mut response =
            json!({"description": words, "content": {"application/problem+json": {"schema": schema}}});
        add_headers(&status.to_string(), &mut response);
        (name.to_owned(), response)
    };
    all().map(response).collect()
}

/// Every response has the id of its request, and those that tell clients to wait say how long. The headers of streams of
/// events are not described, although they are sent: ogen's clients that have both do not compile.
fn add_headers(status: &str, response: &mut Value) {
    if response["content"]["text/event-stream"].is_object() {
        return;
    }
    refer_to_headers(response, &["X-Request-Id"]);
    if ["429", "503"].contains(&status) {
        refer_to_headers(response, &["Retry-After"]);
    }
}

fn refer_to_headers(response: &mut Value, names: &[&str]) {
    for name in names {
        response["headers"][name] = json!({"$ref": format!("#/components/headers/{name}")});
    }
}

fn headers() -> Value {
    json!({
        "RateLimit": {
            "description": "What is left of the limits of the token: a list of units (`messages`, `bytes`), each with \
                            the rest `r` and the seconds `t` until all of it is there again. Only if the token has \
                            limits. A structured field (RFC 9651).",
            "schema": {"type": "string"},
            "example": "\"messages\";r=75;t=1",
        },
        "RateLimit-Policy": {
            "description": "The limits of the token: a list of units, each with the quota `q` for a window of `w` \
                            seconds. Only if the token has limits. A structured field (RFC 9651).",
            "schema": {"type": "string"},
            "example": "\"messages\";q=100;w=1",
        },
        "Retry-After": {
            "description": "The number of seconds after which it is worth trying again.",
            "schema": {"type": "integer", "format": "int64", "minimum": 0},
        },
        "X-Request-Id": {
            "description": "The id of the request: the one that it was sent with, or a new one.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 128},
        },
    })
}
