//! Searches over HTTP: pages, cursors, invalid queries, and slow searches alongside fast ones.
//!
//! Keywords: search, pagination, cursor, timeout, query errors, fairness.

use super::calls::{Server, admin};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use logstead_accounts::Role;
use logstead_config::{Period, Size};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The ids from all pages of a query, in order.
async fn pages(server: &Server, limit: usize, order: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let request = json!({"query": "*", "limit": limit, "order": order, "cursor": cursor});
        let page = server.post("/api/v1/search", &request).await.json();
        let messages = page["messages"].as_array().unwrap();
        assert!(messages.len() <= limit);
        ids.extend(messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            return ids;
        }
        assert_eq!(messages.len(), limit, "only the last page is short");
    }
}

#[tokio::test]
async fn pages_over_two_logspaces_hold_each_message_once() {
    let server = Server::with_admin();
    // There are only a few distinct times, so that both logspaces have messages of the same time.
    for (logspace, count) in [("main", 23), ("other", 17)] {
        let lines: String = (0..count).map(|n| json!({"time": n % 5, "msg": n}).to_string() + "\n").collect();
        server.ingest(&format!("?logspace={logspace}"), "application/x-ndjson", lines).await;
    }
    let newest = pages(&server, 10_000, "newest").await;
    assert_eq!(newest.iter().collect::<BTreeSet<_>>().len(), 40);
    let mut oldest = pages(&server, 10_000, "oldest").await;
    oldest.reverse();
    assert_eq!(newest, oldest);
    for limit in [1, 3, 7, 20, 40] {
        assert_eq!(pages(&server, limit, "newest").await, newest, "by {limit}");
        let mut oldest = pages(&server, limit, "oldest").await;
        oldest.reverse();
        assert_eq!(oldest, newest, "by {limit}");
    }
}

#[tokio::test]
async fn a_query_that_does_not_parse_is_searched_as_text_where_that_is_asked_for() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "open (paren").await;
    let refused = server.post("/api/v1/search", &json!({"query": "open (paren"})).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let refused = refused.json();
    assert_eq!((&refused["line"], &refused["column"]), (&json!(1), &json!(6)), "{refused}");
    let question = json!({"query": "open (paren", "unparsed": "text"});
    let found = server.post("/api/v1/search", &question).await.json();
    assert_eq!(found["messages"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(
        (&found["warnings"][0]["line"], &found["warnings"][0]["code"]),
        (&json!(1), &json!("unparsed_text"))
    );
    assert!(found["warnings"][0]["column"].is_u64() && found["warnings"][0]["end_column"].is_u64());
}

#[tokio::test]
async fn a_search_whose_time_is_up_says_so() {
    let server = Server::start(|settings| settings.limits.search_time_max = Period::millis(0));
    server.ingest("", "text/plain", "hello").await;
    let found = server.get("/api/v1/search").await.json();
    assert_eq!(found["coverage"]["complete"], false, "{found}");
    assert_eq!(found["cursor"], Value::Null);
    assert!(found["warnings"][0]["message"].as_str().unwrap().contains("narrow the time range"));
}

#[tokio::test(flavor = "multi_thread")]
async fn small_questions_of_others_are_answered_beside_two_hundred_slow_ones() {
    let server = Arc::new(Server::start(|settings| settings.limits.searches_max = 1));
    let lines: String =
        (0..40_000).map(|number| format!("user {number:x} of {:x}\n", number * 7919)).collect();
    server.ingest("", "text/plain", lines).await;
    let (greedy, modest) = (server.token(Role::Analyst), server.token(Role::Operator));
    let patterns: Vec<String> =
        (0..60).map(|number| format!("/(u|o)[a-z]+ {number}[0-9a-f]+ (x|y)?z/")).collect();
    let slow = json!({"query": patterns.join(" OR ")});
    let (refused, mut refusals) = tokio::sync::mpsc::unbounded_channel();
    let flood: Vec<_> = (0..200)
        .map(|_| {
            let (server, greedy, slow, refused) =
                (server.clone(), greedy.clone(), slow.clone(), refused.clone());
            tokio::spawn(async move {
                loop {
                    let answer = server.json(Method::POST, "/api/v1/search", &greedy, &slow).await;
                    if answer.status != StatusCode::OK {
                        // Only the first refusal is read.
                        refused.send(answer).ok();
                        return;
                    }
                }
            })
        })
        .collect();
    // If a caller has too many waiting requests, the next is refused with a hint when to try again.
    let answer = refusals.recv().await.unwrap();
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.text());
    let text = answer.text();
    assert!(
        text.contains("searches of token:analyst") && text.contains("are already waiting for their turn"),
        "{text}"
    );
    assert!(answer.headers.contains_key(header::RETRY_AFTER));
    // Even while some of them are running, other callers are answered.
    for _ in 0..25 {
        let answer = server.json(Method::POST, "/api/v1/count", &modest, &json!({"query": "user"})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        assert_eq!(answer.json()["count"], 40_000);
        assert!(flood.iter().any(|one| !one.is_finished()), "the slow ones are too few to tell");
    }
    flood.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn bad_requests_are_told_what_is_wrong() {
    let server = Server::start(|settings| settings.limits.ingest_body_max = Size::kib(4));
    let post = |path: &'static str, body: Value| {
        let server = &server;
        async move { server.post(path, &body).await }
    };
    let search = |body: Value| post("/api/v1/search", body);
    search(json!({"query": "/(/"})).await.is_problem(400, "regular expression");
    search(json!({"query": "severity>=nonsense"})).await.is_problem(400, "not a severity");
    search(json!({"query": "a", "from": "now", "to": "-1h"})).await.is_problem(422, "must be before");
    search(json!({"query": "a", "from": "-1h", "to": "-1h"})).await.is_problem(422, "must be before");
    search(json!({"query": "a", "from": "soon"})).await.is_problem(422, "from `soon` is not a time");
    search(json!({"query": "a", "limit": 0})).await.is_problem(422, "at least 1");
    search(json!({"query": "a", "limit": 10_001})).await.is_problem(422, "cursor");
    let negative = search(json!({"query": "a", "limit": -1})).await;
    negative.is_problem(422, "-1");
    assert_eq!(negative.json()["path"], "limit");
    search(json!({"query": "a", "cursor": "x"})).await.is_problem(422, "start again");
    search(json!({"query": "a", "logspaces": ["nope"]})).await.is_problem(404, "main, other");
    search(json!({"query": "a", "colour": 1})).await.is_problem(400, "colour");
    search(json!({"query": "a".repeat(100_000)})).await.is_problem(400, "query");
    search(json!(7)).await.is_problem(400, "as expected");
    server.get("/api/v1/search?limit=x").await.is_problem(400, "limit");
    server.get("/api/v1/messages/main:99").await.is_problem(404, "main:99");
    server.get("/api/v1/messages/nope").await.is_problem(404, "nope");
    server.get("/api/v1/messages/main:-1").await.is_problem(404, "main:-1");
    server.get("/api/v1/audit?limit=0").await.is_problem(422, "1 to 10000");
    server.get("/api/v1/nothing").await.is_problem(404, "/api/v1/nothing");
    server.get("/api/v1/router/revisions/9").await.is_problem(404, "no revision 9");
    server.get("/api/v1/router/revisions/x").await.is_problem(404, "");
    server.get("/api/v1/router/diff?from=1").await.is_problem(400, "to");
    server.ingest("", "", "x").await.is_problem(415, "no Content-Type");
    server.ingest("", "application/xml", "x").await.is_problem(415, "application/xml");
    server.ingest("", "application/json", "[{").await.is_problem(400, "not JSON");
    server.ingest("?logspace=nope", "text/plain", "x").await.is_problem(404, "main, other");
    server.ingest("", "text/plain", "x".repeat(5000)).await.is_problem(413, "4KiB");
    let broken =
        server.call(Method::POST, "/api/v1/search", &admin(), "application/json", "{\"query\":\n 7}").await;
    broken.is_problem(400, "as expected");
    assert_eq!((&broken.json()["line"], broken.json()["column"].is_u64()), (&json!(2), true));
    let plain = server.call(Method::POST, "/api/v1/search", &admin(), "text/plain", "x").await;
    plain.is_problem(415, "application/json");
    server.call(Method::DELETE, "/api/v1/search", &admin(), "", "").await.is_problem(405, "DELETE");
    let zipped =
        Request::post("/api/v1/ingest").header("content-type", "text/plain").header("content-encoding", "br");
    server.send(admin().sign(zipped).body(Body::from("x")).unwrap()).await.is_problem(415, "send gzip");
    assert_eq!(server.get("/api/v1/count").await.json()["count"], 0, "nothing of these was stored");
}

#[tokio::test]
async fn a_bad_query_is_pointed_at() {
    let server = Server::with_admin();
    let answer = server.post("/api/v1/search", &json!({"query": "ä and\nseverity>=nonsense"})).await;
    answer.is_problem(400, "nonsense");
    let problem = answer.json();
    assert_eq!(problem["line"], 2, "{problem}");
    assert!(problem["column"].as_u64() < problem["end_column"].as_u64(), "{problem}");
}

#[tokio::test]
async fn a_list_of_no_logspaces_is_refused_wherever_one_is_written() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "one").await;
    for path in ["/api/v1/search", "/api/v1/count", "/api/v1/facets"] {
        let body = json!({"query": "*", "fields": ["host"], "logspaces": []});
        let mut body = body.as_object().unwrap().clone();
        if path != "/api/v1/facets" {
            body.remove("fields");
        }
        server.post(path, &Value::Object(body)).await.is_problem(422, "logspaces is an empty list");
    }
    let kept = json!({"name": "none", "query": "*", "logspaces": [], "shared": true});
    server.post("/api/v1/saved-searches", &kept).await.is_problem(422, "logspaces is an empty list");
}

#[tokio::test]
async fn a_logspace_that_a_query_names_in_vain_is_warned_of() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "one").await;
    let warned = async |body: Value| server.post("/api/v1/search", &body).await.json()["warnings"].clone();
    let unknown = warned(json!({"query": "logspace:nope"})).await;
    assert_eq!(unknown[0]["code"], "unknown_logspace", "{unknown}");
    assert!(unknown[0]["message"].as_str().unwrap().contains("there is no such logspace"), "{unknown}");
    let left_out = warned(json!({"query": "logspace:other", "logspaces": ["main"]})).await;
    assert!(left_out[0]["message"].as_str().unwrap().contains("`other` is not searched"), "{left_out}");
    assert_eq!(warned(json!({"query": "logspace:main"})).await, json!([]));
}

#[tokio::test]
async fn a_cursor_is_for_the_question_that_it_came_from() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "a one\na two\na three").await;
    let asked = json!({"query": "a", "limit": 1, "from": "-1h"});
    let cursor = server.post("/api/v1/search", &asked).await.json()["cursor"].clone();
    assert!(cursor.is_string(), "{cursor}");
    let next = async |key: &str, value: Value| {
        let mut request = asked.clone();
        request["cursor"] = cursor.clone();
        request[key] = value;
        server.post("/api/v1/search", &request).await
    };
    for (key, value) in [
        ("query", json!("two")),
        ("from", json!("-2h")),
        ("timezone", json!("Europe/Berlin")),
        ("logspaces", json!(["main"])),
    ] {
        next(key, value).await.is_problem(422, "another search");
    }
    next("order", json!("oldest")).await.is_problem(422, "other order");
    assert_eq!(next("limit", json!(2)).await.json()["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_lacks_the_field_that_a_top_is_by_is_in_none_of_its_groups() {
    let server = Server::with_admin();
    let lines = "{\"message\":\"m\",\"host\":\"a\",\"program\":\"p\"}\n{\"message\":\"m\",\"host\":\"a\"}\n";
    assert_eq!(server.ingest("", "application/x-ndjson", lines).await.status, StatusCode::OK);
    let ask = async |query: &str| server.post("/api/v1/aggregate", &json!({"query": query})).await.json();
    let top = ask("* | top 10 host by program").await;
    let rows = top["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{top}");
    assert!(rows[0].as_array().unwrap().contains(&json!("p")), "{top}");
}
