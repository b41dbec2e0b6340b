//! The surroundings of a message, completions, the parts of a query, and answers that grow: over HTTP, on a real
//! pipeline without sockets.
//!
//! Keywords: context, surrounding messages, completion, suggestions, query outline, progress.

use crate::in_process;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use in_process::TOKEN;
use logstead_record::Timestamp;
use serde_json::{Value, json};
use tower::ServiceExt;

/// The server with the calls that these tests make.
type Server = in_process::Server<Calls>;

struct Calls;

impl Server {
    /// Stores messages in the logspaces that they name, and waits until full journal files are sealed.
    async fn with(messages: &[Value]) -> Server {
        let server = Server::start(|settings| settings.storage.segment_rows_max = 100);
        for logspace in ["main", "other"] {
            let of_logspace = messages.iter().filter(|message| message["to"] == logspace);
            let lines: Vec<String> = of_logspace.map(|message| format!("{message}\n")).collect();
            for part in lines.chunks(60) {
                server.ingest(logspace, part.concat()).await;
            }
        }
        while !server.is_sealed().await {
            tokio::task::yield_now().await;
        }
        server
    }

    async fn is_sealed(&self) -> bool {
        let listed = self.get("/logspaces").await;
        let mut waiting =
            listed["logspaces"].as_array().unwrap().iter().map(|logspace| &logspace["unsealed"]["files"]);
        let segments = &self.ask("/explain", json!({})).await["sum"]["segments"];
        waiting.all(|files| *files == 0) && *segments != 0
    }

    async fn ingest(&self, logspace: &str, lines: String) {
        let request = Request::post(format!("/api/v1/ingest?logspace={logspace}"))
            .header(header::CONTENT_TYPE, "application/x-ndjson");
        let (status, text) = self.send(request, lines).await;
        assert_eq!(status, StatusCode::OK, "{text}");
    }

    async fn send(&self, request: axum::http::request::Builder, body: String) -> (StatusCode, String) {
        let request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        let response = self.app.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, String) {
        let request =
            Request::post(format!("/api/v1{path}")).header(header::CONTENT_TYPE, "application/json");
        self.send(request, body.to_string()).await
    }

    /// The answer to a valid request.
    async fn ask(&self, path: &str, body: Value) -> Value {
        let (status, text) = self.post(path, &body).await;
        assert_eq!(status, StatusCode::OK, "{path} {body}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn get(&self, path: &str) -> Value {
        let (status, text) = self.send(Request::get(format!("/api/v1{path}")), String::new()).await;
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Checks that a request is refused with this status and a problem with this text about this part of it.
    async fn refuses(&self, path: &str, status: u16, about: &str, expected: &str) {
        let (found, text) = self.send(Request::get(format!("/api/v1{path}")), String::new()).await;
        is_problem(path, (found, &text), (status, about, expected));
    }
}

fn is_problem(path: &str, (status, text): (StatusCode, &str), (expected, about, says): (u16, &str, &str)) {
    assert_eq!(status.as_u16(), expected, "{path}: {text}");
    let problem: Value = serde_json::from_str(text).unwrap();
    assert!(problem["detail"].as_str().unwrap().contains(says), "{says}: {problem}");
    assert_eq!(problem["path"].as_str().unwrap_or_default(), about, "{problem}");
}

const FIRST: i64 = 1_750_000_000;

/// Messages in both logspaces: several with the same time, some without a host, some with one or two users.
fn messages() -> Vec<Value> {
    let message = |n: i64| {
        let text = if n % 5 == 0 { "login failed" } else { "request done" };
        let level = ["info", "warning", "error"][(n % 3) as usize];
        let mut message = json!({
            "time": FIRST + n / 6 * 3, "level": level,
            "message": format!("{text} number {n}"), "to": if n % 4 == 0 { "other" } else { "main" },
        });
        if n % 7 != 0 {
            message["host"] = json!(format!("web-{}", n % 7));
        }
        if n % 2 == 0 {
            message["user"] = json!(format!("user-{}", n % 30));
        }
        message
    };
    (0..1000).map(message).collect()
}

/// The value by which [`around`] compares messages.
fn value(message: &Value, field: &str) -> Value {
    match field {
        "user" => message["fields"]["user"].clone(),
        field => message[field].clone(),
    }
}

/// The ids of the matching messages before and after one, found by examining every message.
fn around(all: &[Value], anchor: &Value, like: impl Fn(&Value) -> bool) -> (Vec<Value>, Vec<Value>) {
    let at = all.iter().position(|message| message["id"] == anchor["id"]).unwrap();
    let ids = |messages: &[Value]| messages.iter().filter(|m| like(m)).map(|m| m["id"].clone()).collect();
    (ids(&all[..at]), ids(&all[at + 1..]))
}

fn ids(messages: &Value) -> Vec<Value> {
    messages.as_array().unwrap().iter().map(|message| message["id"].clone()).collect()
}

#[tokio::test]
async fn the_messages_around_one_are_those_that_a_look_at_all_finds() {
    let server = Server::with(&messages()).await;
    let all = server.ask("/search", json!({"limit": 10000, "order": "oldest"})).await;
    let all = all["messages"].as_array().unwrap();
    assert_eq!(all.len(), 1000);
    let cases = [
        ("", "", "main,other"),
        ("host", "", "main,other"),
        ("host,severity", "failed", "main"),
        ("user", "", "other,main"),
        ("time", "done", "main,other"),
        ("severity,facility,logspace", "", "main,other"),
        ("", "user:user-2 OR failed", ""),
    ];
    for (number, anchor) in all.iter().enumerate().step_by(37) {
        let (same, query, logspaces) = cases[number % cases.len()];
        let fields: Vec<&str> = same.split(',').filter(|name| !name.is_empty()).collect();
        if fields.iter().any(|name| matches!(value(anchor, name), Value::Null) || value(anchor, name) == "") {
            continue;
        }
        let (before, after) = (number % 11, 3 * (number % 40));
        let path = format!(
            "/messages/{}/context?before={before}&after={after}&same={same}&query={}{}",
            anchor["id"].as_str().unwrap(),
            query.replace(' ', "%20"),
            if logspaces.is_empty() { String::new() } else { format!("&logspaces={logspaces}") },
        );
        let found = server.get(&path).await;
        let (mut expected_before, mut expected_after) = around(all, anchor, |message| {
            let text = message["message"].as_str().unwrap();
            let matches = match query {
                "" => true,
                "user:user-2 OR failed" => text.contains("failed") || value(message, "user") == "user-2",
                query => text.contains(query),
            };
            let here = if logspaces.is_empty() { anchor["logspace"].as_str().unwrap() } else { logspaces };
            matches
                && here.contains(message["logspace"].as_str().unwrap())
                && fields.iter().all(|name| value(message, name) == value(anchor, name))
        });
        assert_eq!(found["more_before"], before < expected_before.len(), "{path}");
        assert_eq!(found["more_after"], after < expected_after.len(), "{path}");
        expected_before.drain(..expected_before.len().saturating_sub(before));
        expected_after.truncate(after);
        assert_eq!(ids(&found["before"]), expected_before, "{path}");
        assert_eq!(ids(&found["after"]), expected_after, "{path}");
        assert_eq!(&found["message"], anchor, "{path}");
        assert_eq!(found["coverage"]["complete"], true, "{path}");
    }
}

#[tokio::test]
async fn context_grows_from_its_outermost_messages() {
    let server = Server::with(&messages()).await;
    let all = server.ask("/search", json!({"limit": 10000, "order": "oldest"})).await;
    let all = ids(&all["messages"]);
    let (mut seen, mut at) = (vec![all[0].clone()], all[0].clone());
    loop {
        let path =
            format!("/messages/{}/context?before=0&after=70&logspaces=main,other", at.as_str().unwrap());
        let found = server.get(&path).await;
        seen.extend(ids(&found["after"]));
        if found["more_after"] == false {
            break;
        }
        at = seen.last().unwrap().clone();
    }
    assert_eq!(seen, all);
}

#[tokio::test]
async fn all_values_of_a_repeated_field_are_the_same() {
    let line = |user: &str, n: u32| {
        format!("<14>1 2026-01-02T03:04:0{n}Z h p - - [a user=\"{user}\" user=\"Ana\"] text\n")
    };
    let server = Server::start(|_| ());
    let lines = [line("ana", 1), line("bob", 2), line("ana", 3), line("Ana", 4)].concat();
    let request = Request::post("/api/v1/ingest?logspace=main&format=auto");
    let (status, text) = server.send(request.header(header::CONTENT_TYPE, "text/plain"), lines).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let found = server.get("/messages/main:2/context?same=a.user,host,program").await;
    assert_eq!((ids(&found["before"]), ids(&found["after"])), (vec![json!("main:0")], vec![]), "{found}");
}

#[tokio::test]
async fn context_that_can_not_be_is_told_why() {
    let server = Server::with(&messages()).await;
    for (path, status, about, says) in [
        ("/messages/main:0/context?before=1001", 422, "before", "at most 1000"),
        ("/messages/main:0/context?after=100000", 422, "after", "at most 1000"),
        ("/messages/main:0/context?same=nope", 422, "same", "no `nope`"),
        ("/messages/main:0/context?same=program", 422, "same", "no `program`"),
        ("/messages/main:0/context?query=severity%3Aloud", 400, "query", "loud"),
        ("/messages/main:0/context?query=x%20%7C%20stats%20count()", 422, "query", "/api/v1/aggregate"),
        ("/messages/main:0/context?logspaces=nope", 404, "logspaces", "main, other"),
        ("/messages/main:999999/context", 404, "", "no message"),
        ("/messages/nope:1/context", 404, "", "no message"),
        ("/messages/x/context", 404, "", "no message"),
    ] {
        server.refuses(path, status, about, says).await;
    }
    let (status, _) =
        server.send(Request::get("/api/v1/messages/main:0/context?before=-1"), String::new()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn an_explanation_says_where_the_clauses_and_stages_stand() {
    let server = Server::with(&messages()).await;
    let query = "ünbekannt -host:web-1 usr:x | top 5 host";
    let found = server.ask("/explain", json!({"query": query})).await;
    let part = |text: &str, start: usize, negated: bool, fields: &[&str]| {
        let end = start + text.chars().count();
        json!({"text": text, "start": start, "end": end, "negated": negated, "fields": fields})
    };
    let clauses = json!([
        part("ünbekannt", 0, false, &[]),
        part("-host:web-1", 10, true, &["host"]),
        part("usr:x", 22, false, &["usr"])
    ]);
    assert_eq!(found["clauses_of_query"], clauses);
    assert_eq!(found["stages"], json!([{"text": "top 5 host", "start": 30, "end": 40, "name": "top"}]));
    assert!(found["warnings"].to_string().contains("did you mean `user`?"), "{found}");
    let pasted = server.ask("/explain", json!({"query": "open (paren", "unparsed": "text"})).await;
    assert_eq!(pasted["clauses_of_query"][0]["text"], "open (paren");
    assert!(pasted["warnings"].to_string().contains("the literal text"), "{pasted}");
}

#[tokio::test]
async fn an_explanation_names_the_templates_that_answer() {
    let message = |number: usize| match number % 3 {
        0 => json!({"to": "main", "message": format!("opened 10.0.0.{number} on port {number}")}),
        _ => json!({"to": "main", "message": format!("closed after {number} ms")}),
    };
    let server = Server::with(&(0..240).map(message).collect::<Vec<_>>()).await;
    let of_main = async |query: &str| {
        let explained = server.ask("/explain", json!({"query": query})).await;
        let logspaces = explained["logspaces"].as_array().unwrap().clone();
        logspaces.into_iter().find(|of| of["logspace"] == "main").unwrap()
    };
    let closed = of_main("closed").await;
    assert_eq!(
        (&closed["templates_found"], &closed["templates"][0]["text"]),
        (&json!(1), &json!("closed after <number> ms"))
    );
    assert_eq!(closed["templates"][0]["messages"], closed["certain_messages"]);
    let both = of_main("closed OR opened").await;
    assert_eq!(
        (&both["templates_found"], &both["templates"][0]),
        (&json!(2), &of_main("closed").await["templates"][0])
    );
    assert_eq!(both["templates"][1]["text"], "opened <address> on port <number>");
    let id = both["templates"][0]["id"].as_str().unwrap();
    assert!(id.len() == 16 && id.bytes().all(|digit| digit.is_ascii_hexdigit()), "{id}");
    // The template does not tell which of its messages have this number.
    assert_eq!(of_main("closed 17").await["templates"], json!([]));
}

/// The completions at `‸`, as `kind label` of each, and the whole answer.
async fn offered(server: &Server, text: &str) -> (Vec<String>, Value) {
    let cursor = text.chars().position(|c| c == '‸').unwrap();
    let body = json!({"query": text.replacen('‸', "", 1), "cursor": cursor});
    let answer = server.ask("/complete", body).await;
    let shown = |option: &Value| {
        let text = |name: &str| option[name].as_str().unwrap();
        format!("{} {}", text("kind"), text("label"))
    };
    (answer["options"].as_array().unwrap().iter().map(shown).collect(), answer)
}

#[tokio::test]
async fn what_may_be_written_next_is_offered() {
    let server = Server::with(&messages()).await;
    for (text, expected) in [
        ("ho‸", &["field host"][..]),
        ("hostn‸", &["field host"]),
        ("us‸", &["field user"]),
        ("user‸", &["field user", "operator =", "operator !="]),
        ("us‸er:x", &["field user"]),
        ("_exists_:us‸", &["field user"]),
        ("error AN‸", &["keyword AND"]),
        ("severity:e‸", &["value err"]),
        ("severity>=n‸", &["value notice", "value info", "value warning"]),
        ("logspace:‸", &["value main", "value other"]),
        ("time:to‸", &["value today"]),
        ("message:lo‸", &[]),
        ("error | to‸", &["stage top"]),
        ("error | stats av‸", &["function avg"]),
        ("error | stats count() b‸", &["keyword by"]),
        ("error | stats count() by us‸", &["field user"]),
        ("error | stats count() by user | sort c‸", &["field count"]),
        ("\"some te‸", &[]),
    ] {
        let (shown, answer) = offered(&server, text).await;
        let is_begun = expected.len() <= shown.len() && shown[..expected.len()] == *expected;
        assert!(is_begun || shown == expected, "{text}: {answer}");
        assert!(answer["complete"] == true, "{text}: {answer}");
    }
}

#[tokio::test]
async fn values_are_counted_in_what_the_rest_of_the_query_finds() {
    let server = Server::with(&messages()).await;
    for (text, rest) in [
        ("host:‸", ""),
        ("host:b-‸ failed", "failed"),
        ("failed AND user:USER-1‸ severity:warning", "failed severity:warning"),
        ("failed OR host:‸", ""),
        ("user:\"user‸", ""),
        ("-host:web‸ logspace:other", "logspace:other"),
        ("failed | where host:‸", "failed"),
        ("host:(web-1 OR web-‸) failed", "failed"),
    ] {
        let (_, answer) = offered(&server, text).await;
        let options = answer["options"].as_array().unwrap();
        assert!(!options.is_empty(), "{text}: {answer}");
        let field = if text.contains("user") { "user" } else { "host" };
        let chars: Vec<char> = text.chars().filter(|c| *c != '‸').collect();
        for option in options {
            let insert = option["insert"].as_str().unwrap();
            let label = option["label"].as_str().unwrap();
            let query = format!("{rest} {field}={label}");
            let counted = server.ask("/count", json!({"query": query})).await;
            assert_eq!(option["count"], counted["count"], "{text} {option}");
            let (from, to) =
                (answer["from"].as_u64().unwrap() as usize, answer["to"].as_u64().unwrap() as usize);
            let typed: String = chars[from..to].iter().filter(|c| **c != '"').collect();
            assert!(label.contains(&typed.to_lowercase()), "{text} {typed} {option}");
            assert_eq!(insert.starts_with('"'), chars[from..to].contains(&'"'), "{text} {option}");
        }
    }
}

#[tokio::test]
async fn fields_say_what_their_values_are() {
    let server = Server::start(|_| ());
    let lines: Vec<String> = (0..50)
        .map(|n| {
            json!({"message": "m", "host": "h", "bytes_in": n, "bytes_ip": format!("10.0.0.{}", n % 7), "bytes_text": format!("a b {n}")})
        })
        .map(|line| format!("{line}\n"))
        .collect();
    server.ingest("main", lines.concat()).await;
    let (_, answer) = offered(&server, "bytes_‸").await;
    let told: Vec<(&str, &str, u64)> = answer["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| {
            let text = |name: &str| option[name].as_str().unwrap();
            (text("insert"), text("type"), option["distinct"].as_u64().unwrap())
        })
        .collect();
    let expected = [("bytes_in:", "number", 50), ("bytes_ip:", "address", 7), ("bytes_text:", "text", 50)];
    assert_eq!(told, expected, "{answer}");
    let (_, answer) = offered(&server, "bytes_text:\"a b 1‸").await;
    assert_eq!(answer["options"][0]["insert"], "\"a b 1\"", "{answer}");
    assert_eq!(answer["from"], 11, "{answer}");
}

#[tokio::test]
async fn a_completion_that_can_not_be_is_told_why() {
    let server = Server::with(&messages()).await;
    for (body, status, about, says) in [
        (json!({"limit": 0}), 422, "limit", "1 to 200"),
        (json!({"limit": 201}), 422, "limit", "1 to 200"),
        (json!({"from": "soon"}), 422, "from", "is not a time"),
        (json!({"logspaces": ["nope"]}), 404, "logspaces", "main, other"),
        (json!({"cursor": -1}), 422, "cursor", "-1"),
        (json!({"colour": 1}), 400, "colour", "colour"),
    ] {
        let (found, text) = server.post("/complete", &body).await;
        is_problem("/complete", (found, &text), (status, about, says));
    }
    for (query, cursor) in [("host:", 1_000_000), (&*"(".repeat(60_000), 60_000), (&*"a ".repeat(40_000), 5)]
    {
        let found = server.ask("/complete", json!({"query": query, "cursor": cursor})).await;
        assert!(found["to"].as_u64().unwrap() as usize <= query.len(), "{found}");
    }
}

#[tokio::test]
async fn what_is_dated_later_than_now_counts_beside_the_buckets() {
    let server = Server::start(|settings| settings.storage.segment_rows_max = 20);
    let now = Timestamp::from_nanos(
        i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos()).unwrap(),
    );
    let at = |seconds: i64| now.saturating_add(seconds * 1_000_000_000).to_string();
    let message =
        |seconds, host: &str| json!({"message": "m", "time": at(seconds), "host": host}).to_string() + "\n";
    let past: String = (0..30).map(|n| message(-60 - n * 60, "a")).collect();
    let later: String = (1..=12).map(|n| message(n * 3600, "b")).collect();
    server.ingest("main", past + &later).await;
    for by in [json!(null), json!("host")] {
        let found = server.ask("/histogram", json!({"query": "m", "by": by})).await;
        assert_eq!((&found["total"], &found["later"]), (&json!(42), &json!(12)), "{found}");
        let last = found["buckets"].as_array().unwrap().last().unwrap()["time"].as_str().unwrap();
        assert!(last <= at(60).as_str() && at(-1800).as_str() <= last, "{found}");
        let found = server.ask("/histogram", json!({"query": "m", "by": by, "from": at(-300)})).await;
        assert_eq!((&found["total"], &found["later"]), (&json!(17), &json!(12)), "{found}");
        let found = server.ask("/histogram", json!({"by": by, "from": at(-300), "to": at(0)})).await;
        assert_eq!((&found["total"], &found["later"]), (&json!(5), &json!(0)), "{found}");
        let found = server.ask("/histogram", json!({"by": by, "from": at(1800)})).await;
        assert_eq!((&found["total"], &found["later"]), (&json!(12), &json!(0)), "{found}");
    }
    let (_, overview) = server.post("/overview", &json!({"query": "host:b"})).await;
    let histogram: Value = serde_json::from_str(overview.lines().nth(1).unwrap()).unwrap();
    assert_eq!(histogram["histogram"]["later"], 12, "{overview}");
}

/// The texts of the messages that a search finds.
async fn found(server: &Server, body: Value) -> Vec<String> {
    let answer = server.ask("/search", body).await;
    let messages = answer["messages"].as_array().unwrap();
    messages.iter().map(|message| message["message"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn queries_are_read_and_edited_as_the_corpus_says() {
    let server = Server::start(|_| {});
    let corpus: Value =
        serde_json::from_str(include_str!("../../../crates/query/tests/grammar.json")).unwrap();
    for case in corpus["edits"].as_array().unwrap() {
        let answer = server
            .ask("/query", json!({"query": case["text"], "unparsed": "text", "edits": [case["edit"]]}))
            .await;
        assert_eq!(answer["query"], case["becomes"], "{case}");
    }
    for case in corpus["terms"].as_array().unwrap() {
        let answer = server.ask("/query", json!({"query": case["text"], "unparsed": "text"})).await;
        assert_eq!(answer["terms"], case["terms"], "{case}");
    }
}

#[tokio::test]
async fn a_query_is_read_with_its_parts_and_terms() {
    let server = Server::start(|_| {});
    let query = "é -host:w* time:-1h cs:user=Root /a.b/i | top 5 host";
    let read = server.ask("/query", json!({"query": query})).await;
    assert_eq!(read["filter"], "é -host:w* time:-1h cs:user=Root /a.b/i");
    assert_eq!(read["sets_range"], true);
    assert_eq!(read["tokens"][1], json!({"kind": "operator", "start": 2, "end": 3}));
    assert_eq!(read["clauses"][1]["text"], "-host:w*");
    assert_eq!(read["stages"][0], json!({"text": "top 5 host", "start": 42, "end": 52, "name": "top"}));
    let terms = json!([
        {"parts": [{"text": "é"}], "case_sensitive": false},
        {"field": "user", "parts": [{"text": "Root"}], "case_sensitive": true},
        {"regex": "a.b", "case_sensitive": false},
    ]);
    assert_eq!(read["terms"], terms);
    let chosen = server.ask("/query", json!({"query": "host in (a, b) -user=c took>=2.5s x"})).await;
    let clauses = chosen["clauses"].as_array().unwrap();
    let values: Vec<_> = clauses.iter().map(|clause| (&clause["values"], &clause["negated"])).collect();
    assert_eq!(values[..2], [(&json!(["a", "b"]), &json!(false)), (&json!(["c"]), &json!(true))]);
    assert_eq!(
        (&clauses[2]["low"], clauses[2].get("high"), clauses[3].get("values")),
        (&json!(2.5), None, None)
    );
    let wild = server.ask("/query", json!({"query": "a?b* OR time:-1h"})).await;
    let parts = json!([{"text": "a"}, {"wildcard": "?"}, {"text": "b"}, {"wildcard": "*"}]);
    assert_eq!((&wild["terms"][0]["parts"], &wild["sets_range"]), (&parts, &json!(false)));
}

#[tokio::test]
async fn an_edit_that_can_not_be_is_told_why() {
    let server = Server::start(|_| {});
    let include = json!({"op": "include", "field": "host", "value": "a"});
    for (body, path, says) in [
        (
            json!({"query": "a b", "edits": [include, {"op": "remove", "start": 0, "end": 2}]}),
            "edits[1]",
            "exactly this place",
        ),
        (json!({"edits": [{"op": "include", "field": "", "value": "a"}]}), "edits[0]", "name of a field"),
        (
            json!({"edits": [{"op": "include", "field": "a", "value": "a", "part": "b"}]}),
            "edits[0]",
            "not both",
        ),
        (
            json!({"edits": [{"op": "include", "field": "severity", "value": "x"}]}),
            "edits[0]",
            "not a severity",
        ),
        (json!({"edits": [{"op": "set_range", "from": "soon"}]}), "edits[0]", "is not a time"),
        (json!({"edits": [{"op": "top", "field": "a", "count": 0}]}), "edits[0]", "1 to 1000000"),
        (json!({"query": "severity>=wrong"}), "query", "not a severity"),
        (json!({"query": "x".repeat(65_537)}), "query", "the limit is 65536"),
        (json!({"query": "x", "edits": [{"op": "add", "text": "x".repeat(65_536)}]}), "edits[0]", "65536"),
        (json!({"edits": vec![include.clone(); 65]}), "edits", "at most 64"),
    ] {
        let (status, text) = server.post("/query", &body).await;
        let refused = if path == "query" { 400 } else { 422 };
        is_problem("/query", (status, &text), (refused, path, says));
    }
}

#[tokio::test]
async fn a_value_that_is_clicked_finds_its_messages_whatever_it_is() {
    let values =
        ["C:\\temp\\", "conn*", "say \"hi\" \\", "a\\*b", "NOT x", "10.0.0.0/8", "1..2", "two\nlines", "ü ?"];
    let server = Server::start(|_| {});
    let lines = values.iter().enumerate().map(|(at, value)| {
        format!("{}\n", json!({"message": format!("m{at}"), "path": value, "odd \"name\"": value}))
    });
    let decoys = ["C:temp", "connect", "conn*x", "10.0.0.1"]
        .map(|path| format!("{}\n", json!({"message": "decoy", "path": path})));
    server.ingest("main", lines.chain(decoys).collect()).await;
    for (at, value) in values.iter().enumerate() {
        for field in ["path", "odd \"name\""] {
            let edits = json!([{"op": "include", "field": field, "value": value}]);
            let query = server.ask("/query", json!({"query": "", "edits": edits})).await["query"].take();
            assert_eq!(found(&server, json!({"query": query})).await, [format!("m{at}")], "{query}");
        }
    }
}

#[tokio::test]
async fn a_time_in_the_query_counts_instead_of_the_range_of_the_request() {
    let server = Server::start(|_| {});
    let line = |hour: u8| {
        format!(
            "{}\n",
            json!({"message": format!("h{hour}"), "time": format!("2026-01-02T{hour:02}:30:00Z")})
        )
    };
    server.ingest("main", (8..12).map(line).collect()).await;
    let range = |query: &str| json!({"query": query, "from": "2026-01-02T10:00:00Z", "to": "2026-01-02T11:00:00Z", "order": "oldest"});
    assert_eq!(found(&server, range("")).await, ["h10"]);
    assert_eq!(found(&server, range("time<2026-01-02T09:00:00Z")).await, ["h8"]);
    assert_eq!(found(&server, range("time>=2026-01-02T09:00:00Z")).await, ["h9", "h10", "h11"]);
    assert_eq!(found(&server, range("-time<2026-01-02T09:00:00Z")).await, ["h10"]);
    assert_eq!(found(&server, range("(time<2026-01-02T09:00:00Z OR h9)")).await, [] as [&str; 0]);
    let codes = |answer: &Value| {
        answer["warnings"].as_array().unwrap().iter().map(|w| w["code"].clone()).collect::<Vec<_>>()
    };
    let said = server.ask("/count", json!({"query": "time:2026-01-02", "from": "-1h"})).await;
    assert_eq!((&said["count"], codes(&said)), (&json!(4), vec![json!("range_in_query")]));
    let alone = server.ask("/count", json!({"query": "time:2026-01-02"})).await;
    assert_eq!((&alone["count"], codes(&alone)), (&json!(4), vec![]));
    let table =
        server.ask("/aggregate", json!({"query": "time:2026-01-02 | stats count()", "from": "-1h"})).await;
    assert_eq!(table["rows"], json!([[4]]));
}

#[tokio::test]
async fn a_time_without_a_zone_is_in_the_zone_of_the_request_wherever_it_stands() {
    let server = Server::start(|_| {});
    let line = |hour: u8| {
        format!(
            "{}\n",
            json!({"message": format!("h{hour}"), "time": format!("2026-01-02T{hour:02}:30:00Z")})
        )
    };
    server.ingest("main", (8..12).map(line).collect()).await;
    let asked = |query: &str, from: &str, zone: &str| json!({"query": query, "from": from, "timezone": zone, "order": "oldest"});
    assert_eq!(found(&server, asked("", "2026-01-02T11:00:00", "Europe/Vienna")).await, ["h10", "h11"]);
    assert_eq!(found(&server, asked("time>=2026-01-02T11:00", "-1h", "Europe/Vienna")).await, ["h10", "h11"]);
    assert_eq!(found(&server, asked("time>=2026-01-02T11:00", "-1h", "UTC")).await, ["h11"]);
    assert_eq!(found(&server, asked("time>=2026-01-02T11:00Z", "-1h", "Europe/Vienna")).await, ["h11"]);
    let echoed = server.ask("/search", asked("time>=2026-01-02T11:00", "-1h", "Europe/Vienna")).await;
    assert_eq!(echoed["query"], "time>=2026-01-02T10:00:00Z");
    let (status, text) = server.post("/search", &asked("", "-1h", "Atlantis")).await;
    is_problem("/search", (status, &text), (422, "timezone", "no time zone `Atlantis`"));
}
