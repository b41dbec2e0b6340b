//! Histograms, facets, tables, explanations and overviews over HTTP, on a real pipeline without sockets.
//!
//! Keywords: histogram, facets, stats, timechart, explain, overview, cost, timeout.

mod copies;
use crate::in_process;
use crate::support;

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use in_process::TOKEN;
use logstead_accounts::{NewToken, Role};
use logstead_config::{Period, Size};
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tower::ServiceExt;

/// The server with the calls that these tests make.
type Server = in_process::Server<Calls>;

struct Calls;

struct Answer {
    status: StatusCode,
    kind: String,
    body: Vec<u8>,
}

impl Server {
    /// Starts a server with [`messages`] in two logspaces, some of them in sealed segments.
    async fn with_messages() -> Server {
        let server = Server::start(|settings| settings.storage.segment_rows_max = 100);
        for logspace in ["main", "other"] {
            let lines: Vec<String> =
                messages().filter(|m| m["to"] == logspace).map(|m| format!("{m}\n")).collect();
            for part in lines.chunks(60) {
                server.ingest(logspace, part.concat()).await;
            }
        }
        while server.ask("/explain", json!({})).await["sum"]["segments"] == 0 {
            tokio::task::yield_now().await;
        }
        server
    }

    async fn ingest(&self, logspace: &str, lines: String) {
        let request = Request::post(format!("/api/v1/ingest?logspace={logspace}"))
            .header(header::CONTENT_TYPE, "application/x-ndjson");
        let answer = self.send(request, TOKEN, lines.into()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }

    async fn send(&self, request: axum::http::request::Builder, token: &str, body: Body) -> Answer {
        let request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        let response = self.app.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let kind = response.headers()[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec();
        Answer { status, kind, body }
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(post(path), TOKEN, body.to_string().into()).await
    }

    /// The answer to a valid request.
    async fn ask(&self, path: &str, body: Value) -> Value {
        let answer = self.post(path, &body).await;
        assert_eq!(answer.status, StatusCode::OK, "{path} {body}: {}", answer.text());
        answer.json()
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(format!("/api/v1{path}")), TOKEN, Body::empty()).await
    }

    async fn count(&self, query: &str) -> u64 {
        self.ask("/count", json!({"query": query})).await["count"].as_u64().unwrap()
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Checks that the answer is a problem with this status and text about this part of the request.
    fn is_problem(&self, status: u16, path: &str, expected: &str) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.kind, "application/problem+json");
        let problem = self.json();
        assert!(problem["detail"].as_str().unwrap().contains(expected), "{expected}: {problem}");
        assert_eq!(problem["path"], path, "{problem}");
    }
}

fn post(path: &str) -> axum::http::request::Builder {
    let request = Request::builder().method(Method::POST).uri(format!("/api/v1{path}"));
    request.header(header::CONTENT_TYPE, "application/json")
}

const FIRST: i64 = 1_750_000_000;
const COUNT: i64 = 2000;

/// Messages with one every 7 seconds from [`FIRST`] on.
fn messages() -> impl Iterator<Item = Value> {
    (0..COUNT).map(|n| {
        let level = ["info", "warning", "error"][(n % 3) as usize];
        let text = if n % 5 == 0 { "login failed" } else { "request done" };
        let mut message = json!({
            "time": FIRST + n * 7, "host": format!("web-{}", n % 7), "level": level,
            "message": format!("{text} number {n}"), "to": if n % 4 == 0 { "other" } else { "main" },
        });
        if n % 2 == 0 {
            message["user"] = json!(format!("user-{}", n % 300));
        }
        message
    })
}

/// The number of messages for each key.
fn counts<K: Ord>(of: impl Iterator<Item = K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    of.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

fn failed() -> impl Iterator<Item = Value> {
    messages().filter(|message| message["message"].as_str().unwrap().starts_with("login failed"))
}

fn field<'a>(message: &'a Value, name: &str) -> &'a str {
    message[name].as_str().unwrap()
}

fn at(seconds: i64) -> String {
    Timestamp::from_nanos(seconds * 1_000_000_000).to_string()
}

fn warns(answer: &Value, expected: &str) {
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains(expected), "{expected}: {answer}");
}

#[tokio::test]
async fn a_histogram_counts_every_match_in_its_span() {
    let server = Server::with_messages().await;
    let end = at(FIRST + COUNT * 7);
    for (request, interval) in [
        (json!({"to": end, "interval": "10m"}), 600),
        (json!({"from": at(FIRST + 1000), "to": at(FIRST + 2000), "interval": "60s"}), 60),
        (json!({"to": end, "buckets": 60}), 300),
        (json!({"to": end}), 300),
        (json!({"to": end, "buckets": 1}), 12 * 3600),
        (json!({"to": end, "logspaces": ["other"], "interval": "1h"}), 3600),
    ] {
        let seconds = |name: &str, otherwise: i64| {
            let text = request[name].as_str();
            text.map_or(otherwise, |text| {
                Timestamp::parse_rfc3339(text.as_bytes()).unwrap().nanos() / 1_000_000_000
            })
        };
        let range = seconds("from", 0)..seconds("to", i64::MAX);
        let only = request["logspaces"][0].as_str().unwrap_or_default();
        let meant = failed()
            .filter(|m| range.contains(&m["time"].as_i64().unwrap()) && field(m, "to").contains(only));
        let expected = counts(meant.map(|m| at(m["time"].as_i64().unwrap() / interval * interval)));
        let mut body = request.clone();
        body["query"] = json!("failed");
        let found = server.ask("/histogram", body).await;
        let buckets = found["buckets"].as_array().unwrap();
        let counted = buckets.iter().filter(|bucket| bucket["count"] != 0);
        let counted: BTreeMap<String, u64> = counted
            .map(|bucket| (field(bucket, "time").to_owned(), bucket["count"].as_u64().unwrap()))
            .collect();
        assert_eq!(counted, expected, "{request}");
        assert_eq!(found["interval_ms"], interval * 1000, "{request}");
        assert_eq!(found["total"], expected.values().sum::<u64>(), "{request}");
        assert_eq!(found["coverage"]["complete"], true);
        assert!(found.get("values").is_none() && buckets[0].get("by").is_none(), "{found}");
    }
}

#[tokio::test]
async fn a_histogram_by_a_field_tells_its_values_apart() {
    let server = Server::with_messages().await;
    let found = server.ask("/histogram", json!({"query": "failed", "interval": "30d", "by": "host"})).await;
    let expected = counts(failed().map(|m| field(&m, "host").to_owned()));
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for bucket in found["buckets"].as_array().unwrap() {
        let by = bucket["by"].as_object().unwrap();
        assert_eq!(
            by.values().map(|count| count.as_u64().unwrap()).sum::<u64>(),
            bucket["count"].as_u64().unwrap()
        );
        by.iter()
            .for_each(|(host, count)| *counted.entry(host.clone()).or_default() += count.as_u64().unwrap());
    }
    assert_eq!(counted, expected);
    let values = found["values"].as_array().unwrap();
    assert!(values.iter().all(|value| expected[field(value, "value")] == value["count"].as_u64().unwrap()));
    assert!(found.get("other_values").is_none());

    let found = server.ask("/histogram", json!({"query": "*", "interval": "30d", "by": "user"})).await;
    let users = counts(messages().filter_map(|m| m["user"].as_str().map(str::to_owned)));
    assert_eq!(found["values"].as_array().unwrap().len(), 100);
    assert_eq!(found["other_values"], users.len() - 100);
    assert_eq!(found["total"], COUNT);
    let of_buckets = |bucket: &Value| {
        let named =
            bucket["by"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>();
        named + bucket["other"].as_u64().unwrap()
    };
    let counted: u64 = found["buckets"].as_array().unwrap().iter().map(of_buckets).sum();
    assert_eq!(counted, users.values().sum::<u64>(), "messages without a user have no value");

    let found = server.ask("/histogram", json!({"query": "*", "by": "usr"})).await;
    assert_eq!((&found["total"], &found["values"]), (&json!(COUNT), &json!([])));
    warns(&found, "did you mean `user`?");
}

#[tokio::test]
async fn a_histogram_of_nothing_is_empty_or_zero() {
    let server = Server::start(|_| {});
    let found = server.ask("/histogram", json!({"query": "*"})).await;
    assert_eq!(
        (&found["buckets"], &found["interval_ms"], &found["total"]),
        (&json!([]), &json!(0), &json!(0))
    );
    let range = json!({"query": "*", "from": at(0), "to": at(60), "interval": "10s"});
    let found = server.ask("/histogram", range).await;
    assert_eq!(found["buckets"].as_array().unwrap().len(), 6);
    assert_eq!((&found["buckets"][5]["count"], &found["buckets"][5]["time"]), (&json!(0), &json!(at(50))));
}

#[tokio::test]
async fn facets_count_every_value() {
    let server = Server::with_messages().await;
    let request = json!({"query": "failed", "fields": ["host", "severity", "user", "logspace"], "limit": 3});
    let found = server.ask("/facets", request).await;
    for (name, values) in [
        ("host", counts(failed().map(|m| field(&m, "host").to_owned()))),
        ("severity", counts(failed().map(|m| field(&m, "level").replace("error", "err")))),
        ("user", counts(failed().filter_map(|m| m["user"].as_str().map(str::to_owned)))),
        ("logspace", counts(failed().map(|m| field(&m, "to").to_owned()))),
    ] {
        let mut expected: Vec<(&String, &u64)> = values.iter().collect();
        expected.sort_by_key(|(value, count)| (std::cmp::Reverse(**count), *value));
        let expected: Vec<Value> =
            expected.iter().take(3).map(|(value, count)| json!({"value": value, "count": count})).collect();
        let facet = &found["fields"][name];
        if name != "severity" {
            assert_eq!(facet["values"], json!(expected), "{name}");
        }
        assert_eq!(facet["distinct"], values.len(), "{name}");
        assert!(facet.get("partial").is_none());
    }
    let got =
        server.get("/facets?query=failed&fields=host,%20user&limit=1&logspaces=main,other").await.json();
    assert_eq!(got["fields"]["host"]["values"][0], found["fields"]["host"]["values"][0]);
    assert_eq!(got["fields"].as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn a_field_is_counted_without_its_own_clauses() {
    let server = Server::with_messages().await;
    let query = "failed host=web-1 -user=ana severity>=info";
    let wanted = json!({"query": query, "fields": ["host", "user", "program"], "own_clauses": false});
    let found = server.ask("/facets", wanted.clone()).await["fields"].clone();
    for (name, others) in [
        ("host", "failed -user=ana severity>=info"),
        ("user", "failed host=web-1 severity>=info"),
        ("program", query),
    ] {
        let expected = server.ask("/facets", json!({"query": others, "fields": [name]})).await;
        assert_eq!(found[name], expected["fields"][name], "{name}");
        let messages = server.ask("/count", json!({"query": format!("({others}) {name}:*")})).await;
        assert_eq!(found[name]["messages"], messages["count"], "{name}");
    }
    assert!(1 < found["host"]["values"].as_array().unwrap().len(), "{found}");
    let overview = server.post("/overview", &wanted).await;
    let facets = overview.text().lines().find(|line| line.starts_with("{\"facets\"")).unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&facets).unwrap()["facets"], found);
}

#[tokio::test]
async fn numbers_have_a_distribution() {
    let server = Server::start(|_| {});
    let line =
        |number: u32| format!("{{\"message\": \"x\", \"took\": \"{number}ms\", \"user\": \"u{number}\"}}\n");
    server.ingest("main", (1..=100).map(line).collect()).await;
    let found = server.ask("/facets", json!({"fields": ["took", "user"], "numbers": true})).await;
    let numbers = &found["fields"]["took"]["numbers"];
    assert_eq!((&numbers["unit"], &numbers["messages"]), (&json!("duration"), &json!(100)));
    assert_eq!(
        [&numbers["min"], &numbers["median"], &numbers["p95"], &numbers["max"]],
        [&json!(0.001), &json!(0.05), &json!(0.095), &json!(0.1)]
    );
    let buckets = numbers["buckets"].as_array().unwrap();
    assert_eq!(buckets.iter().map(|bucket| bucket["count"].as_u64().unwrap()).sum::<u64>(), 100);
    assert!(found["fields"]["user"].get("numbers").is_none());
}

#[tokio::test]
async fn fields_are_found_in_what_matches() {
    let server = Server::with_messages().await;
    for query in ["*", "failed", "failed host=web-1", "nothing-has-this"] {
        let found = server.ask("/fields", json!({"query": query})).await;
        assert_eq!(
            found["messages"],
            server.ask("/count", json!({"query": query})).await["count"],
            "{query}"
        );
        let fields = found["fields"].as_array().unwrap();
        assert_eq!(found["distinct"], fields.len());
        for of in fields {
            let clause = format!("{query} {name}:*", name = field(of, "name"));
            assert_eq!(
                of["messages"],
                server.ask("/count", json!({"query": clause})).await["count"],
                "{clause}"
            );
        }
        let is_there = fields.iter().any(|of| of["name"] == "user");
        assert_eq!(is_there, query != "nothing-has-this", "{found}");
    }
    let refused = server.post("/fields", &json!({"limit": 0})).await;
    refused.is_problem(422, "limit", "1 to 1000");
}

#[tokio::test]
async fn an_unknown_field_has_no_values_and_a_hint() {
    let server = Server::with_messages().await;
    let found = server.ask("/facets", json!({"query": "*", "fields": ["usr", "zebra", "pid"]})).await;
    assert_eq!(found["fields"]["usr"], json!({"messages": 0, "distinct": 0, "values": []}));
    warns(&found, "a field `usr`: did you mean `user`?");
    warns(&found, "a field `zebra`: check the name in a message");
    assert!(!found["warnings"].to_string().contains("pid"), "every message could have one");
}

#[tokio::test]
async fn a_table_is_what_the_stages_make() {
    let server = Server::with_messages().await;
    let found =
        server.ask("/aggregate", json!({"query": "failed | stats count() by host | sort host"})).await;
    let expected = counts(failed().map(|m| field(&m, "host").to_owned()));
    let rows: Vec<Value> = expected.iter().map(|(host, count)| json!([host, count])).collect();
    assert_eq!(found["rows"], json!(rows));
    assert_eq!(
        found["columns"],
        json!([{"name": "host", "kind": "text"}, {"name": "count", "kind": "number"}])
    );
    assert_eq!((&found["notes"], &found["coverage"]["complete"]), (&json!([]), &json!(true)));

    let filtered = server.ask("/aggregate", json!({"query": "* | where failed | stats count()"})).await;
    assert_eq!(filtered["rows"], json!([[server.count("failed").await]]));
    let top = server.get("/aggregate?query=failed+%7C+top+2+host&logspaces=main").await.json();
    assert_eq!(top["rows"].as_array().unwrap().len(), 2, "{top}");

    let plain = server.ask("/aggregate", json!({"query": "failed"})).await;
    let columns: Vec<&str> = plain["columns"].as_array().unwrap().iter().map(|c| field(c, "name")).collect();
    assert_eq!(columns, ["time", "host", "program", "severity", "message"]);
    assert_eq!(plain["rows"].as_array().unwrap().len(), failed().count());
    assert_eq!(plain["rows"][0][0], at(FIRST + 1995 * 7), "newest first");
    assert_eq!(plain["rows"][0][2], Value::Null, "no program");
}

#[tokio::test]
async fn a_timechart_chooses_spans_that_fit_what_is_stored() {
    let server = Server::with_messages().await;
    let found = server.ask("/aggregate", json!({"query": "* | timechart count()"})).await;
    let rows = found["rows"].as_array().unwrap();
    assert!((10..=200).contains(&rows.len()), "{} rows", rows.len());
    assert_eq!(rows.iter().map(|row| row[1].as_u64().unwrap()).sum::<u64>(), COUNT as u64);
    assert_eq!(found["columns"][0], json!({"name": "time", "kind": "time"}));
    let empty = Server::start(|_| {});
    let found = empty.ask("/aggregate", json!({"query": "* | timechart span=1s count()"})).await;
    assert!(found["rows"].as_array().unwrap().len() <= 1, "{found}");
}

#[tokio::test]
async fn an_overview_is_what_the_single_questions_answer() {
    let server = Server::with_messages().await;
    let base = json!({"query": "failed", "from": at(FIRST), "to": at(FIRST + 9000)});
    let with = |more: Value| {
        let mut body = base.clone();
        more.as_object().unwrap().iter().for_each(|(name, value)| body[name] = value.clone());
        body
    };
    let request =
        with(json!({"limit": 7, "order": "oldest", "buckets": 20, "fields": ["host"], "facet_limit": 3}));
    let answer = server.post("/overview", &request).await;
    assert_eq!((answer.status, answer.kind.as_str()), (StatusCode::OK, "application/x-ndjson"));
    let lines: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&String> = lines.iter().flat_map(|line| line.as_object().unwrap().keys()).collect();
    assert_eq!(names, ["rows", "histogram", "facets", "end"]);
    let rows = server.ask("/search", with(json!({"limit": 7, "order": "oldest"}))).await;
    assert_eq!(lines[0]["rows"]["messages"], rows["messages"]);
    assert_eq!(lines[0]["rows"]["cursor"], rows["cursor"]);
    let histogram = server.ask("/histogram", with(json!({"buckets": 20}))).await;
    assert_eq!(lines[1]["histogram"]["buckets"], histogram["buckets"]);
    assert_eq!(lines[1]["histogram"]["total"], server.ask("/count", base.clone()).await["count"]);
    let facets = server.ask("/facets", with(json!({"fields": ["host"], "limit": 3}))).await;
    assert_eq!(lines[2]["facets"], facets["fields"]);
    assert_eq!(lines[3]["end"]["coverage"]["complete"], true);

    let empty = Server::start(|_| {}).post("/overview", &json!({"query": "*"})).await;
    let lines: Vec<Value> = empty.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["rows"]["messages"], &lines[1]["histogram"]["buckets"]), (&json!([]), &json!([])));
    let fields: Vec<&String> = lines[2]["facets"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["host", "program", "severity"]);
}

#[tokio::test]
async fn a_client_that_goes_leaves_its_turn_to_others() {
    let server = Server::start(|settings| settings.limits.searches_max = 1);
    server.ingest("main", messages().map(|message| format!("{message}\n")).collect()).await;
    for _ in 0..20 {
        let request = post("/overview").header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        let request = request.body(Body::from(json!({"query": "*"}).to_string())).unwrap();
        drop(server.app.clone().oneshot(request).await.unwrap());
    }
    assert_eq!(server.count("*").await, COUNT as u64);
}

/// One caller sends more long requests than may wait; the first one runs for seconds.
#[tokio::test]
async fn questions_of_one_caller_keep_no_other_from_asking() {
    let server = Server::start(|settings| settings.limits.searches_max = 1);
    let lines: String = (0..20_000).map(|number| format!("{{\"message\":\"number {number}\"}}\n")).collect();
    server.ingest("main", lines).await;
    let made = server.post("/tokens", &json!({"name": "other", "role": "analyst"})).await;
    let other = field(&made.json(), "token").to_owned();
    let words: Vec<String> = (0..4000).map(|number| format!("x{number}")).collect();
    let long = json!({"query": words.join(" OR ")}).to_string();
    let mut asked: Vec<_> = (0..40)
        .map(|_| {
            let request = post("/count").header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
            let request = request.body(Body::from(long.clone())).unwrap();
            tokio::spawn(server.app.clone().oneshot(request))
        })
        .collect();
    // A request is refused only because all the others wait.
    let refused = async {
        loop {
            if let Some(at) = asked.iter().position(tokio::task::JoinHandle::is_finished) {
                return asked.swap_remove(at).await.unwrap().unwrap().status();
            }
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(refused.await, StatusCode::SERVICE_UNAVAILABLE);
    for _ in 0..25 {
        let body = json!({"query": "host:nowhere"}).to_string();
        let answer = server.send(post("/count"), &other, body.into()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }
    assert!(asked.iter().any(|asked| !asked.is_finished()), "nobody waited any more");
    asked.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn an_explanation_says_what_is_done_and_what_it_costs() {
    let server = Server::with_messages().await;
    let found = server.ask("/explain", json!({"query": "failed host:web-1 | stats count() by user"})).await;
    assert_eq!(found["cost"], "instant");
    let sum = |name: &str| found["sum"][name].as_i64().unwrap();
    assert_eq!(sum("messages") + sum("tail_messages"), COUNT, "{found}");
    assert!(0 < sum("segments") && sum("undecided_messages") <= sum("messages"), "{found}");
    let logspaces: Vec<&str> =
        found["logspaces"].as_array().unwrap().iter().map(|of| field(of, "logspace")).collect();
    assert_eq!(logspaces, ["main", "other"]);
    assert_eq!(found["filter"], "failed host:web-1");
    assert!(field(&found, "query").contains("| stats count() by user"));
    let clauses = found["logspaces"][0]["clauses"].as_array().unwrap();
    let depths: Vec<u64> = clauses.iter().map(|clause| clause["depth"].as_u64().unwrap()).collect();
    assert_eq!(depths, [0, 1, 1], "{clauses:?}");
    assert!(clauses[2]["how"].as_str().unwrap().contains("host"), "{clauses:?}");
}

#[tokio::test]
async fn answers_whose_time_is_up_say_so() {
    let server = Server::start(|settings| settings.limits.search_time_max = Period::millis(0));
    server.ingest("main", messages().map(|message| format!("{message}\n")).collect()).await;
    for (path, body) in [
        ("/histogram", json!({"query": "*"})),
        ("/facets", json!({"query": "*", "fields": ["host"]})),
        ("/aggregate", json!({"query": "* | stats count()"})),
    ] {
        let found = server.ask(path, body).await;
        assert_eq!(found["coverage"]["complete"], false, "{path}: {found}");
        warns(&found, "narrow the time range");
    }
    let overview = server.post("/overview", &json!({"query": "*"})).await.text();
    assert_eq!(overview.matches("narrow the time range").count(), 2, "rows and end: {overview}");
}

#[tokio::test]
async fn answers_that_take_too_much_memory_say_so() {
    let server = Server::start(|settings| settings.limits.query_memory_max = Size::kib(4).into());
    server.ingest("main", messages().map(|message| format!("{message}\n")).collect()).await;
    let facets = server.ask("/facets", json!({"query": "*", "fields": ["message"]})).await;
    assert!(field(&facets["fields"]["message"], "partial").contains("Narrow the filter"), "{facets}");
    let stats = server.post("/aggregate", &json!({"query": "* | stats count() by message"})).await;
    assert_eq!(stats.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", stats.text());
    assert!(stats.text().contains("limits.query_memory_max"), "{}", stats.text());
    let histogram = server.post("/histogram", &json!({"query": "*", "by": "message"})).await;
    assert_eq!(histogram.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", histogram.text());
    let overview = server.post("/overview", &json!({"query": "*", "by": "message"})).await.text();
    let last: Value = serde_json::from_str(overview.lines().last().unwrap()).unwrap();
    assert_eq!(last["error"]["status"], 422, "{overview}");
    assert!(overview.starts_with("{\"rows\""));
}

#[tokio::test]
async fn bad_requests_are_told_what_is_wrong() {
    let server = Server::with_messages().await;
    let terms = (0..10_000).map(|n| format!("t{n}")).collect::<Vec<_>>().join(" OR ");
    for (path, more) in [
        ("/histogram", json!({})),
        ("/facets", json!({"fields": ["host"]})),
        ("/aggregate", json!({})),
        ("/explain", json!({})),
        ("/overview", json!({})),
    ] {
        let check = async |change: Value, status: u16, about: &str, expected: &str| {
            let mut body = more.clone();
            body["query"] = json!("*");
            change.as_object().unwrap().iter().for_each(|(name, value)| body[name] = value.clone());
            server.post(path, &body).await.is_problem(status, about, expected);
        };
        check(json!({"from": "now", "to": "-1h"}), 422, "from", "must be before").await;
        check(json!({"from": "soon"}), 422, "from", "is not a time").await;
        check(json!({"to": "+999999999y"}), 422, "to", "is not a time").await;
        check(json!({"logspaces": ["nope"]}), 404, "logspaces", "main, other").await;
        check(json!({"logspaces": 7}), 400, "logspaces", "a list of texts").await;
        check(json!({"query": "severity>=nonsense"}), 400, "query", "nonsense").await;
        check(json!({"query": "a".repeat(100_000)}), 400, "query", "limit is 65536").await;
        check(json!({"query": terms}), 400, "query", "").await;
        check(json!({"query": "/(((a{1000}){1000}){1000})/"}), 400, "query", "").await;
        check(json!({"query": "* | nonsense"}), 400, "query", "nonsense").await;
        check(json!({"colour": 1}), 400, "colour", "colour").await;
        let nobody = server.send(post(path), "nobody", more.to_string().into()).await;
        assert_eq!(nobody.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    for (path, body, about, expected) in [
        ("/histogram", json!({"buckets": 0}), "buckets", "1 to 10000"),
        ("/histogram", json!({"buckets": 1_000_000_000}), "buckets", "1 to 10000"),
        ("/histogram", json!({"buckets": -1}), "buckets", "-1"),
        ("/histogram", json!({"buckets": 5, "interval": "5m"}), "interval", "not both"),
        ("/histogram", json!({"interval": "often"}), "interval", "is not a duration"),
        ("/histogram", json!({"interval": "0ms"}), "interval", "longer than zero"),
        (
            "/histogram",
            json!({"interval": "1ms", "from": "1700-01-01", "to": "2200-01-01"}),
            "interval",
            "10000 are allowed",
        ),
        ("/histogram", json!({"by": " "}), "by", "is empty"),
        ("/facets", json!({}), "fields", "name the fields"),
        ("/facets", json!({"fields": []}), "fields", "name the fields"),
        ("/facets", json!({"fields": [""]}), "fields", "is empty"),
        (
            "/facets",
            json!({"fields": (0..33).map(|n| n.to_string()).collect::<Vec<_>>()}),
            "fields",
            "at most 32",
        ),
        ("/facets", json!({"fields": ["host"], "limit": 1_000_000_000}), "limit", "1 to 10000"),
        ("/facets", json!({"fields": ["host"], "limit": 0}), "limit", "1 to 10000"),
        ("/aggregate", json!({"query": "* | limit 1000000000"}), "query", "1000000"),
        ("/aggregate", json!({"query": "* | timechart span=1ms count()"}), "", ""),
        ("/overview", json!({"limit": 1_000_000_000}), "limit", "at most 10000"),
        ("/overview", json!({"facet_limit": 0}), "facet_limit", "1 to 10000"),
        ("/overview", json!({"buckets": 0}), "buckets", "1 to 10000"),
    ] {
        let answer = server.post(path, &body).await;
        if about.is_empty() {
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text());
        } else {
            let status = if about == "query" { 400 } else { 422 };
            answer.is_problem(status, about, expected);
        }
    }
}

#[tokio::test]
async fn stages_are_sent_to_where_tables_are_made() {
    let server = Server::with_messages().await;
    let query = "failed\n| stats count() by host";
    for path in ["/search", "/count", "/histogram", "/overview"] {
        let answer = server.post(path, &json!({"query": query})).await;
        answer.is_problem(422, "query", "/api/v1/aggregate");
        // A search accepts some stages, so the error is at the first one that it does not accept.
        let column = if path == "/search" { 3 } else { 1 };
        assert_eq!((&answer.json()["line"], &answer.json()["column"]), (&json!(2), &json!(column)), "{path}");
    }
    let facets = server.post("/facets", &json!({"query": query, "fields": ["host"]})).await;
    facets.is_problem(422, "query", "/api/v1/aggregate");
    let hidden = server.ask("/histogram", json!({"query": "failed| top 5 host"})).await;
    warns(&hidden, "put a space before it");
}

/// Escapes a text for an address.
fn escape(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A fixed sequence of queries that take long to parse, to prepare or to answer unless that is prevented.
struct Hostile(u64);

impl Hostile {
    fn number(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn repeated(&mut self, pieces: &[&str]) -> String {
        let piece = pieces[self.number(pieces.len())];
        piece.repeat([100, 800, 4000, 60_000][self.number(4)] / piece.len())
    }

    fn query(&mut self) -> String {
        let many = [20, 300, 3000][self.number(3)];
        let each = |text: &dyn Fn(usize) -> String, between: &str| {
            (0..many).map(text).collect::<Vec<_>>().join(between)
        };
        match self.number(18) {
            0 => self.repeated(&["=", "0", "7f", "-", "=-", "_", "1.", "é", "\u{212A}", "日本"]),
            1 => format!("\"{}b\"", self.repeated(&["a ", "=", "0 ", "ab, ", "a"])),
            2 => format!("cs\"{}\"", self.repeated(&["a ", "=", "aB"])),
            3 => format!("{}a", self.repeated(&["(", "NOT ", "!(", "-(", "(a or "])),
            4 => each(&|at| format!("x{at}"), " OR "),
            5 => each(&|at| format!("f{at}:x{at}"), " "),
            6 => format!("message in ({})", each(&|at| format!("v{at}"), ", ")),
            7 => each(&|at| format!("*a{at}*b?"), " OR "),
            8 => format!("{}z", "a*".repeat(self.number(255))),
            9 => (0..64).map(|at| format!("/(\\w{{{}}}-?){{4}}x{at}/ ", 20 + at)).collect(),
            10 => (0..60).map(|at| format!("/[ab]*a[ab]{{{}}}z/i OR ", 100 + at)).collect::<String>() + "b",
            11 => format!("/{}/", self.repeated(&["\\w", "(a|b)", "[^x]", ".?", "a{9}"])),
            12 => each(&|at| format!("\"a b c{at}\"~50"), " "),
            13 => format!(
                "* | {}",
                ["head 5", "where a:b", "eval x = 1 + 1", "sort a", "dedup host"][self.number(5)].to_owned()
                    + &" | where a>1 b:*x*".repeat(30)
            ),
            14 => format!("* | eval x = {}1", self.repeated(&["1 + ", "(", "-", "lower("])),
            15 => format!("host:({})", each(&|at| format!("h{at}*"), " OR ")),
            16 => {
                self.repeated(&["a:[x ", "a=\"x ", "| ", "\\\"", "/a ", "host: ", "a>1x ", "| top a ", ") "])
            }
            _ => {
                let pieces = [
                    "a", "=", ":", "\"", "/", "(", ")", "*", "~3", " ", " OR ", "host:", "severity>=",
                    "| where ",
                ];
                let piece: String = (0..5).map(|_| pieces[self.number(pieces.len())]).collect();
                piece.repeat(1 + self.number(3000))
            }
        }
    }
}

/// The total time for which threads of this process have waited for a core.
fn machine_delay() -> Duration {
    let of_thread = |thread: std::io::Result<std::fs::DirEntry>| {
        let told = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        told.split(' ').nth(1)?.parse::<u64>().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    Duration::from_nanos(threads.filter_map(of_thread).sum())
}

/// Checks that no answer takes longer than a search may, and that a client that has disconnected does not delay
/// others.
async fn ask_hostile(count: usize, longer_max: Duration) {
    let time_max = Duration::from_millis(700);
    let server = Server::start(|settings| {
        settings.limits.searches_max = 1;
        settings.limits.search_time_max = Period::millis(700);
        settings.storage.segment_rows_max = 1000;
    });
    let line = |message: &str| format!("{}\n", json!({"message": message, "a": "b"}));
    server.ingest("main", messages().map(|message| format!("{message}\n")).collect()).await;
    let long =
        ["=".repeat(4000), "a ".repeat(2000), "ab".repeat(2000), "0".repeat(4000), "a, b. ".repeat(700)];
    server.ingest("main", long.iter().cycle().take(200).map(|text| line(text)).collect()).await;
    let paths =
        ["/search", "/count", "/histogram", "/aggregate", "/explain", "/query", "/complete", "/overview"];
    let mut hostile = Hostile(7);
    let (mut latest, mut slowest) = (Duration::ZERO, String::new());
    for number in 0..count {
        let (path, query) = (paths[number % paths.len()], hostile.query());
        let mut body = json!({"query": query});
        if number % 3 == 0 && !path.starts_with("/complete") {
            body["unparsed"] = json!("text");
        }
        let (began, late) = (Instant::now(), machine_delay());
        let is_gone = number % 4 == 3;
        if is_gone {
            let asked = server.post(path, &body);
            tokio::time::timeout(Duration::from_millis(20), asked).await.ok();
            // This request waits for its turn after the disconnected one.
            let answer = server.post("/explain", &json!({"query": "*"})).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        } else {
            let answer = server.post(path, &body).await;
            assert!(answer.status.as_u16() < 500, "{path} {query}: {}", answer.text());
        }
        // The time taken by other programs on the machine does not count.
        let took = began.elapsed().saturating_sub(machine_delay().saturating_sub(late));
        if latest < took {
            let shown: String = query.chars().take(60).collect();
            (latest, slowest) = (took, format!("{path} {shown} ({} bytes, gone: {is_gone})", query.len()));
        }
        assert!(took <= time_max + longer_max, "{took:?} for {slowest}");
    }
}

/// The limit leaves room for a busy machine: without the protection, this would take minutes.
#[tokio::test(flavor = "multi_thread")]
async fn no_query_takes_longer_than_a_search_may() {
    ask_hostile(60, Duration::from_secs(15)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes, and a machine of its own"]
async fn no_query_of_two_thousand_takes_half_a_second_longer_than_a_search_may() {
    ask_hostile(2000, Duration::from_millis(500)).await;
}

/// Sixty expressions with thousands of states each, which take half a second to prepare for each logspace.
fn long_to_prepare() -> String {
    (0..60).map(|at| format!("/[ab]*a[ab]{{{}}}z/i OR ", 100 + at)).collect::<String>() + "b"
}

/// Disconnects while a query is being prepared, and checks that the only place for searches becomes free at once.
fn hang_up(within: Duration) {
    let settings = ["limits.searches_max=1", "limits.search_time_max=5m"];
    let logspaces: String =
        (0..40).map(|number| format!("[[logspaces]]\nid = \"more-{number}\"\n")).collect();
    let server = support::Server::start_with(&(support::ROUTER.to_owned() + &logspaces), &settings);
    let message = |text: &str| server.ingest(&format!("{}\n", json!({"message": text})));
    (0..3).for_each(|_| {
        message(&"ab".repeat(2000));
    });
    let body = json!({"query": long_to_prepare()}).to_string();
    let address = server.web().split_once("://").unwrap().1.to_owned();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /api/v1/explain HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        support::TOKEN,
        body.len()
    );
    std::io::Write::write_all(&mut stream, (head + &body).as_bytes()).unwrap();
    let runs = || server.labelled_metric("searches_running") == 1.0;
    support::wait_until("it runs", runs);
    // Without the disconnection, it would continue for much longer than this.
    let begun = Instant::now();
    support::wait_until("it still runs", || {
        assert!(runs(), "it took {:?} only", begun.elapsed());
        Duration::from_secs(1) < begun.elapsed()
    });
    drop(stream);
    let hung_up = Instant::now();
    let (status, answer) = server.post("/explain", &json!({"query": "*"}));
    let took = hung_up.elapsed();
    assert!(status == 200 && took <= within, "{took:?}: {answer}");
}

#[test]
fn who_hangs_up_while_a_query_is_prepared_makes_room_for_others() {
    hang_up(Duration::from_secs(10));
}

#[test]
#[ignore = "needs a machine of its own"]
fn who_hangs_up_while_a_query_is_prepared_makes_room_for_others_within_half_a_second() {
    hang_up(Duration::from_millis(500));
}

#[tokio::test]
async fn a_query_that_cannot_be_parsed_is_refused_or_searched_for_as_it_stands() {
    let server = Server::with_messages().await;
    for (query, column, suggestion) in [
        ("(a", 1, "(a)"),
        ("severity>=err AND", 17, "severity>=err"),
        ("\"open", 1, "\"open\""),
        ("host:", 1, "host:*"),
        ("severity>=", 1, "\"severity>=\""),
    ] {
        let escaped = escape(query);
        for path in
            ["/search", "/count", "/histogram", "/overview", "/aggregate", "/explain", "/facets", "/query"]
        {
            let mut body = json!({"query": query});
            if path == "/facets" {
                body["fields"] = json!(["host"]);
            }
            let refused = server.post(path, &body).await;
            refused.is_problem(400, "query", "");
            let problem = refused.json();
            assert_eq!((&problem["line"], &problem["column"]), (&json!(1), &json!(column)), "{path} {query}");
            assert_eq!(problem["suggestion"], suggestion, "{path} {query}");
            let caret = format!("{query}\n{}^", " ".repeat(column - 1));
            assert!(problem["excerpt"].as_str().unwrap().starts_with(&caret), "{problem}");
            body["unparsed"] = json!("text");
            let found = server.post(path, &body).await;
            assert_eq!(found.status, StatusCode::OK, "{path} {query}: {}", found.text());
            if !matches!(path, "/overview" | "/query") {
                let found = found.json();
                assert_eq!(found["warnings"][0]["code"], "unparsed_text", "{path} {query}: {found}");
                warns(&found, "searched for the literal text");
            }
        }
        for path in ["search", "count", "export", "tail"] {
            let refused = server.get(&format!("/{path}?query={escaped}")).await;
            refused.is_problem(400, "query", "");
        }
        let found = server.get(&format!("/count?query={escaped}&unparsed=text")).await;
        assert_eq!(found.status, StatusCode::OK, "{}", found.text());
        let saved = json!({"name": "x", "shared": true, "query": query});
        server.post("/saved-searches", &saved).await.is_problem(400, "query", "");
    }
}

#[tokio::test]
async fn what_is_searched_for_as_it_stands_is_found() {
    let server = Server::start(|_| {});
    server.ingest("main", json!({"message": "connect(fd, 3) failed"}).to_string()).await;
    let question = json!({"query": "connect(fd, 3) failed", "unparsed": "text"});
    assert_eq!(server.ask("/count", question).await["count"], 1);
}

#[tokio::test]
async fn analysts_may_ask() {
    let server = Server::with_messages().await;
    let new = NewToken { name: "ana", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (_, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    for path in ["/histogram", "/aggregate", "/explain", "/overview"] {
        let answer =
            server.send(post(path), secret.reveal(), json!({"query": "failed"}).to_string().into()).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
    }
}

#[test]
fn the_command_prints_the_same_table_of_a_running_and_of_a_stopped_server() {
    let mut server = support::Server::start(support::ROUTER);
    let lines: String = messages().map(|message| format!("{message}\n")).collect();
    let kind = [("Content-Type", "application/x-ndjson")];
    assert_eq!(server.call("POST", "/ingest", &kind, lines.as_bytes()).0, 200);
    let query = "failed | stats count() by host | sort host";
    let at_server = ["search", query, "--server", server.web(), "--token", "administrator"];
    let (code, table, errors) = support::output(&at_server);
    assert_eq!((code, errors.as_str()), (0, ""));
    let expected = counts(failed().map(|message| field(&message, "host").to_owned()));
    let read = |line: &str| {
        let (host, count) = line.split_once(' ').unwrap();
        (host.to_owned(), count.trim().parse().unwrap())
    };
    assert_eq!(table.lines().skip(1).map(read).collect::<BTreeMap<String, u64>>(), expected);

    assert!(server.terminate().success());
    let data = server.data().to_str().unwrap();
    assert_eq!(support::output(&["search", query, "--data", data]), (0, table, String::new()));
    let (code, csv, _) = support::output(&["search", query, "--data", data, "--format", "csv"]);
    assert_eq!((code, csv.lines().next()), (0, Some("host,count")));
    let (code, _, errors) = support::output(&["search", query, "--data", data, "--format", "raw"]);
    assert!(code == 1 && errors.contains("makes a table"), "{errors}");
    let (code, _, errors) = support::output(&["search", "* | nonsense", "--data", data]);
    assert!(code == 1 && errors.contains("query:1:"), "{errors}");
}

#[tokio::test]
async fn the_command_puts_messages_of_one_time_in_the_order_of_the_api() {
    let data = tempfile::TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    for logspace in ["main", "other"] {
        let line = |n: i64| format!("{}\n", json!({"time": at(0), "message": format!("same {n}")}));
        server.ingest(logspace, (0..3).map(line).collect()).await;
    }
    let ids = |messages: Vec<Value>| -> Vec<String> {
        messages.iter().map(|message| field(message, "id").to_owned()).collect()
    };
    let printed = |command: &[&str]| -> Vec<String> {
        let data = data.path().to_str().unwrap();
        let (code, out, errors) = support::output(&[command, &["--data", data]].concat());
        assert_eq!(code, 0, "{errors}");
        ids(out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    };
    let found = |answer: Value| ids(answer["messages"].as_array().unwrap().clone());
    let newest = found(server.ask("/search", json!({"query": "same"})).await);
    assert_eq!(newest, ["other:2", "other:1", "other:0", "main:2", "main:1", "main:0"]);
    assert_eq!(printed(&["search", "same", "--format", "json"]), newest);
    assert_eq!(printed(&["search", "same", "--format", "json", "--limit", "4"]), newest[..4]);
    assert_eq!(printed(&["export", "same"]), newest);
}
