//! Operations that leave the API, and the headers with which callers hear of it in time: `Deprecation` (RFC 9745),
//! `Sunset` (RFC 8594) and a link to the help.
//!
//! docs/stability.md says how long an operation stays after it is in this table.

use axum::extract::{MatchedPath, Request};
use axum::http::header::{HeaderName, LINK};
use axum::http::{HeaderMap, HeaderValue};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde_json::{Value, json};

/// An operation that will be removed.
pub(super) struct DeprecatedOperation {
    /// Its id in the description.
    id: &'static str,
    /// The method, in capital letters.
    method: &'static str,
    /// The path, as in the description.
    path: &'static str,
    /// The time since when callers are told.
    since: &'static str,
    /// The time after which it may be gone.
    until: &'static str,
    /// The advice, as a sentence.
    instead: &'static str,
}

/// All of them.
const DEPRECATED: &[DeprecatedOperation] = &[];

/// The operation that a request calls, if it leaves.
pub(super) fn called(request: &Request) -> Option<&'static DeprecatedOperation> {
    let path = request.extensions().get::<MatchedPath>()?.as_str();
    find(DEPRECATED, request.method().as_str(), path)
}

fn find<'a>(all: &'a [DeprecatedOperation], method: &str, path: &str) -> Option<&'a DeprecatedOperation> {
    all.iter().find(|operation| operation.method == method && operation.path == path)
}

/// The headers of its answers.
pub(super) fn headers(operation: &DeprecatedOperation, base: &str) -> HeaderMap {
    let since = operation.since.parse::<Timestamp>().ok().map(|since| format!("@{}", since.as_second()));
    let until = operation.until.parse::<Timestamp>().ok();
    let until =
        until.and_then(|until| rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&until).ok());
    let link = format!("<{base}/help/api?op={}>; rel=\"deprecation\"; type=\"text/html\"", operation.id);
    let told = [
        (HeaderName::from_static("deprecation"), since),
        (HeaderName::from_static("sunset"), until),
        (LINK, Some(link)),
    ];
    let value = |text: Option<String>| text.and_then(|text| HeaderValue::try_from(text).ok());
    told.into_iter().filter_map(|(name, text)| Some((name, value(text)?))).collect()
}

/// Marks them in the description.
pub(super) fn describe(api: &mut Value) {
    mark(DEPRECATED, api);
}

fn mark(all: &[DeprecatedOperation], api: &mut Value) {
    for operation in all {
        let described = &mut api["paths"][operation.path][operation.method.to_ascii_lowercase()];
        assert_eq!(described["operationId"], operation.id, "deprecated, but not an operation");
        let text = described["description"].as_str().unwrap_or_default();
        let told =
            format!("{text}\n\nDeprecated, and may be gone after {}: {}", operation.until, operation.instead);
        described["description"] = told.trim().into();
        described["deprecated"] = true.into();
        described["x-sunset"] = json!(operation.until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: DeprecatedOperation = DeprecatedOperation {
        id: "get_user",
        method: "GET",
        path: "/api/v1/users/{name}",
        since: "2027-01-01T00:00:00Z",
        until: "2027-07-01T12:00:00Z",
        instead: "use list_users.",
    };

    #[test]
    fn callers_of_what_leaves_hear_of_it() {
        assert!(find(&[EXAMPLE], "GET", "/api/v1/users").is_none());
        assert!(find(&[EXAMPLE], "PUT", "/api/v1/users/{name}").is_none());
        let all = [EXAMPLE];
        let told = headers(find(&all, "GET", "/api/v1/users/{name}").unwrap(), "/logs");
        assert_eq!(told["deprecation"], "@1798761600");
        assert_eq!(told["sunset"], "Thu, 01 Jul 2027 12:00:00 GMT");
        assert_eq!(told["link"], r#"</logs/help/api?op=get_user>; rel="deprecation"; type="text/html""#);
    }

    #[test]
    fn the_description_marks_what_leaves() {
        let mut api = crate::openapi();
        mark(&[EXAMPLE], &mut api);
        let described = &api["paths"]["/api/v1/users/{name}"]["get"];
        assert_eq!(described["deprecated"], true);
        assert!(described["description"].as_str().unwrap().contains("2027-07-01T12:00:00Z: use list_users."));
    }

    #[test]
    fn the_times_of_the_table_can_be_read_and_leave_half_a_year() {
        for operation in DEPRECATED {
            let time = |text: &str| text.parse::<Timestamp>().unwrap();
            let days =
                (time(operation.until) - time(operation.since)).total(jiff::Unit::Hour).unwrap() / 24.0;
            assert!(180.0 <= days, "{}", operation.id);
        }
    }
}
