//! Ingest in our own format: every form, every answer, and the stored messages.
//!
//! Keywords: ingest, json, lines, unrouted, invalid input, idempotency key.

use super::calls::{Answer, As, Server, admin};
use crate::in_process::ROUTER;
use axum::http::{Method, Request, StatusCode, header};
use logstead_api as api;
use logstead_config::Size;
use serde_json::json;

#[tokio::test]
async fn what_is_ingested_is_found_at_once() {
    let server = Server::with_admin();
    for number in 0..50 {
        let line =
            json!({"message": format!("number {number}"), "host": "web-1", "level": "error"}).to_string();
        let answer = server.ingest("", "application/x-ndjson", line.clone()).await;
        assert_eq!(answer.json(), json!({"accepted": 1, "dropped": 0, "rejected": 0, "errors": []}));
        let query = json!({"query": format!("\"number {number}\" severity>=err"), "from": "-1h"});
        let found = server.post("/api/v1/search", &query).await.json();
        assert_eq!(found["messages"].as_array().unwrap().len(), 1, "{found}");
        let message = &found["messages"][0];
        assert_eq!(message["raw"], line);
        assert_eq!((&message["host"], &message["source"]), (&json!("web-1"), &json!("http")));
        assert_eq!(found["coverage"]["complete"], true);
        let by_id = server.get(&format!("/api/v1/messages/{}", message["id"].as_str().unwrap())).await.json();
        assert_eq!(&by_id, message);
    }
    assert_eq!(server.post("/api/v1/count", &json!({"query": "*"})).await.json()["count"], 50);
    assert_eq!(server.get("/api/v1/count?query=host:web-1&logspaces=main").await.json()["count"], 50);
    assert_eq!(
        server.get("/api/v1/search?query=number&limit=3").await.json()["messages"][2]["message"],
        "number 47"
    );
}

#[tokio::test]
async fn ingest_says_what_no_route_took() {
    let server = Server::with_admin();
    let filtered = ROUTER.replace("to = [\"main\"]", "to = [\"main\"]\nwhere = \"severity:err\"");
    let changed = server.put_router("\"1\"", "application/toml", filtered).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    let lines = "{\"msg\":\"a\",\"level\":\"error\"}\n{\"msg\":\"b\",\"level\":\"info\"}\nbad\n";
    let answer = server.ingest("", "application/x-ndjson", lines).await.json();
    let counts = ["accepted", "dropped", "rejected"].map(|name| answer[name].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 1], "{answer}");
    assert_eq!(server.get("/api/v1/count?query=*").await.json()["count"], 1);
    let into_a_logspace = server.ingest("?logspace=other", "application/x-ndjson", lines).await.json();
    assert_eq!((&into_a_logspace["accepted"], &into_a_logspace["dropped"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn every_shape_of_ingest_is_answered_line_by_line() {
    let server = Server::with_admin();
    for (content, body, accepted, bad_lines) in [
        ("application/json", r#"[{"msg":"a"},{"msg":"b"},3]"#, 2, vec![3]),
        ("application/json; charset=utf-8", r#"{"msg":"a"}"#, 1, vec![]),
        ("application/x-ndjson", "{\"msg\":\"a\"}\nbad\n\n{\"msg\":\"c\"}\n{", 2, vec![2, 5]),
        ("text/plain", "one\r\n\ntwo\n", 2, vec![]),
        ("text/plain", "", 0, vec![]),
    ] {
        let answer = server.ingest("?logspace=other", content, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let answer = answer.json();
        assert_eq!(answer["accepted"], accepted, "{body}");
        let lines: Vec<_> = answer["errors"].as_array().unwrap().iter().map(|e| e["line"].clone()).collect();
        assert_eq!(lines, bad_lines, "{body}");
        assert_eq!(answer["rejected"], bad_lines.len());
    }
    let all_bad = server.ingest("", "application/x-ndjson", "bad\nworse\n").await;
    all_bad.is_problem(400, "none of 2");
    assert_eq!((&all_bad.json()["accepted"], &all_bad.json()["rejected"]), (&json!(0), &json!(2)));
    assert_eq!(server.get("/api/v1/count?logspaces=other").await.json()["count"], 7);
    assert_eq!(server.get("/api/v1/count?logspaces=main").await.json()["count"], 0);
    let named =
        server.ingest("?message_field=text,m&time_field=at", "application/json", r#"{"m":"x","at":5}"#).await;
    assert_eq!(named.status, StatusCode::OK);
    let found = server.get("/api/v1/search?query=x&logspaces=main").await.json();
    assert_eq!(found["messages"][0]["time"], "1970-01-01T00:00:05Z");
}

#[tokio::test]
async fn every_answer_of_ingest_is_described() {
    let server = Server::start(|settings| {
        (settings.limits.ingest_body_max, settings.limits.ingest_messages_max) = (Size::kib(1), 10);
    });
    let document = api::openapi();
    let described = &document["paths"]["/api/v1/ingest"]["post"]["responses"];
    let check = |answer: Answer, status: u16| {
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
        assert!(described[status.to_string()].is_object(), "{status} is not described");
    };
    let (long, many) = ("x".repeat(1025), "x\n".repeat(11));
    for (status, parameters, content, body) in [
        (200, "", "text/plain", "x"),
        (400, "", "application/json", "{"),
        (404, "?logspace=nowhere", "text/plain", "x"),
        (413, "", "text/plain", &long),
        (413, "", "text/plain", &many),
        (415, "", "image/png", "x"),
    ] {
        check(server.ingest(parameters, content, body.to_owned()).await, status);
    }
    check(server.call(Method::POST, "/api/v1/ingest", &As::default(), "text/plain", "x").await, 401);
    // The timeout needs a real socket, so only its description is checked here.
    assert!(described["408"].is_object());
    let without = ROUTER.replace("kind = \"http\"", "kind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]");
    let changed = server.put_router("\"1\"", "application/toml", without).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    check(server.ingest("", "text/plain", "x").await, 409);
    server.pipeline.stop();
    check(server.ingest("", "text/plain", "x").await, 503);
}

#[tokio::test]
async fn lines_of_text_are_messages_or_syslog_as_the_sender_says() {
    let server = Server::with_admin();
    let line = "<34>Oct  1 22:14:15 web-2 su[230]: denied";
    for (parameters, hosts) in [("", 0), ("?format=text", 0), ("?format=auto", 1)] {
        let answer = server.ingest(parameters, "text/plain", line).await;
        assert_eq!(answer.json()["accepted"], 1, "{}", answer.text());
        let count = server.get("/api/v1/count?query=host:web-2%20pid:230").await.json();
        assert_eq!(count["count"], hosts, "{parameters}");
    }
    assert_eq!(server.get("/api/v1/count?query=denied").await.json()["count"], 3);
    let answer = server.ingest("?format=auto", "application/x-ndjson", "{}").await;
    answer.is_problem(422, "format is for text/plain");
    server.ingest("?format=rfc9999", "text/plain", line).await.is_problem(422, "format");
    server.ingest("?timezone=Mars", "text/plain", line).await.is_problem(422, "no time zone `Mars`");
    server.ingest("?written=once", "text/plain", line).await.is_problem(422, "`once` is not a time");
}

#[tokio::test]
async fn the_request_says_what_lines_leave_open() {
    let server = Server::with_admin();
    let parameters = "?format=auto&host=web-9&timezone=Europe/Berlin&written=2023-01-03T00:00:00Z";
    for line in ["Dec 31 12:00:00 web-8 su[7]: first", "2022-12-31 12:00:00 second"] {
        server.ingest(parameters, "text/plain", line).await;
    }
    server.ingest("?host=web-9", "application/json", r#"{"msg":"third"}"#).await;
    for (query, host) in [("first", "web-8"), ("second", "web-9"), ("third", "web-9")] {
        let found = server.get(&format!("/api/v1/search?query={query}")).await.json();
        let message = &found["messages"][0];
        assert_eq!(message["host"], host, "{message}");
        assert!(query == "third" || message["time"] == "2022-12-31T11:00:00Z", "{message}");
    }
}

#[tokio::test]
async fn every_key_of_an_object_is_found_by_a_query() {
    let server = Server::with_admin();
    let body = r#"{"message":"one","message":"two","tag":"a","program":"b","priority":"notice","FACILITY":"local3",
        "facility_num":19,"source":"s","flag":"f","level":"HIGH","time":"Nov 22 05:11:01","process":{"name":"p","pid":9}}"#;
    assert_eq!(server.ingest("", "application/json", body).await.status, StatusCode::OK);
    for query in [
        "message=one",
        "json.message=two",
        "program=b",
        "json.tag=a",
        "severity=notice facility=local3",
        "facility_num=19",
        "json.source=s",
        "json.flag=f",
        "json.level=HIGH",
        "pid=9",
        "process.name=p",
    ] {
        let body = json!({"query": query});
        assert_eq!(server.post("/api/v1/count", &body).await.json()["count"], 1, "{query}");
    }
    let found = server.get("/api/v1/search?query=one").await.json();
    assert!(found["messages"][0]["time"].as_str().unwrap().ends_with("-11-22T05:11:01Z"), "{found}");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", &b"caf\xE9 \x00 end"[..]).await;
    let found = server.get("/api/v1/search?query=caf").await.json();
    assert_eq!(found["messages"][0]["raw_base64"], "Y2Fm6SAAIGVuZA==");
    assert_eq!(found["messages"][0]["message"], "caf\u{FFFD} \0 end");
}

#[tokio::test]
async fn a_key_of_a_request_is_for_the_logspace_that_it_names() {
    let server = Server::with_admin();
    let send = async |logspace: &str| {
        let request = Request::post(format!("/api/v1/ingest?logspace={logspace}"))
            .header(header::CONTENT_TYPE, "text/plain")
            .header("Idempotency-Key", "k");
        server.send(admin().sign(request).body("the same".into()).unwrap()).await
    };
    let first = send("main").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text());
    let again = send("main").await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (StatusCode::OK, "true"));
    // It is a different request, so it is not answered as already stored.
    let elsewhere = send("other").await;
    assert_ne!(elsewhere.header("idempotency-replayed"), "true", "{}", elsewhere.text());
    let body = json!({"query": "*", "logspaces": ["other"]});
    let stored = server.post("/api/v1/count", &body).await.json()["count"].as_u64();
    assert_eq!(stored == Some(1), elsewhere.status == StatusCode::OK, "{}", elsewhere.text());
}
