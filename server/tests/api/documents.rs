//! Router documents over HTTP: applied, reverted and refused, with tags and secrets.
//!
//! Keywords: router document, revisions, tags, secrets, trace.

use super::calls::{Server, admin};
use crate::in_process::ROUTER;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use logstead_accounts::Role;
use logstead_record::Timestamp;
use serde_json::{Value, json};

#[tokio::test]
async fn a_new_document_becomes_live_and_can_be_taken_back() {
    let server = Server::with_admin();
    let live = server.get("/api/v1/router").await;
    assert_eq!(live.header("etag"), "\"1\"");
    assert_eq!(live.json()["logspaces"][0]["id"], "main");
    assert_eq!(server.get("/api/v1/router?format=toml").await.text(), ROUTER);

    let rerouted = ROUTER.replace("to = [\"main\"]", "to = [\"other\"]");
    let applied = server.put_router("\"1\"", "application/toml", rerouted.clone()).await;
    assert_eq!(applied.status, StatusCode::OK, "{}", applied.text());
    assert_eq!((&applied.json()["revision"], applied.header("etag")), (&json!(2), "\"2\""));
    assert!(!applied.json()["changes"].as_array().unwrap().is_empty());
    server.ingest("", "text/plain", "hello").await;
    assert_eq!(server.get("/api/v1/search").await.json()["messages"][0]["logspace"], "other");

    let again = server.put_router("\"2\"", "application/toml", rerouted.clone()).await;
    assert_eq!(again.json()["revision"], 2, "the same text is no new revision");
    server
        .put_router("\"1\"", "application/toml", ROUTER.to_owned())
        .await
        .is_problem(412, "revision 2 is live");
    server.put_router("\"x\"", "application/toml", ROUTER.to_owned()).await.is_problem(400, "If-Match");
    let missing = server.call(Method::PUT, "/api/v1/router", &admin(), "application/toml", ROUTER).await;
    missing.is_problem(428, "If-Match");

    let mut document = server.get("/api/v1/router").await.json();
    document["routes"][0]["to"] = json!(["main", "other"]);
    let edited = server.put_router("\"2\"", "application/json", document.to_string()).await;
    assert_eq!(edited.json()["revision"], 3, "{}", edited.text());
    assert!(server.get("/api/v1/router?format=toml").await.text().contains("# A comment that stays."));

    let back = server.post("/api/v1/router/rollback/1", &Value::Null).await;
    assert_eq!(back.json()["revision"], 4, "{}", back.text());
    let revisions = server.get("/api/v1/router/revisions").await.json();
    let seen: Vec<_> = revisions["revisions"].as_array().unwrap().iter().collect();
    assert_eq!(seen.len(), 4);
    assert_eq!((&seen[0]["comment"], &seen[0]["live"]), (&json!("back to revision 1"), &json!(true)));
    assert_eq!((&seen[1]["comment"], &seen[1]["author"]), (&json!("why"), &json!("LOGSTEAD_ADMIN_TOKEN")));
    let diff = server.get("/api/v1/router/diff?from=1&to=2").await.json();
    let text = diff["text"].as_str().unwrap();
    assert!(text.contains("-to = [\"main\"]\n+to = [\"other\"]"), "{text}");
    assert_eq!(diff["changes"].as_array().unwrap().len(), 1, "{diff}");
    assert_eq!(server.get("/api/v1/router/revisions/2?format=toml").await.text(), rerouted);
    assert_eq!(server.get("/api/v1/router/revisions/2").await.json()["routes"][0]["to"], json!(["other"]));
}

#[tokio::test]
async fn a_document_that_can_not_run_changes_nothing() {
    let server = Server::with_admin();
    let wrong = ROUTER.replace("to = [\"main\"]", "to = [\"mian\"]\nwhere = '('");
    let refused = server.put_router("\"1\"", "application/toml", wrong.clone()).await;
    refused.is_problem(422, "more problems");
    let problems = refused.json()["problems"].clone();
    assert_eq!(problems.as_array().unwrap().len(), 2, "{problems}");
    assert!(problems[0]["path"].as_str().unwrap().starts_with("routes[0]") && problems[0]["line"].is_u64());

    let checked =
        server.call(Method::POST, "/api/v1/router/validate", &admin(), "application/toml", wrong).await;
    assert_eq!((&checked.json()["valid"], &checked.json()["problems"]), (&json!(false), &problems));
    let broken = server
        .call(Method::POST, "/api/v1/router/validate", &admin(), "application/toml", "version = ")
        .await;
    assert_eq!(broken.json()["valid"], false);
    assert!(broken.json().get("document").is_none());

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("tcp://{}", taken.local_addr().unwrap());
    let source =
        format!("{ROUTER}\n[[sources]]\nid = \"syslog\"\nkind = \"syslog\"\nlisten = [\"{listen}\"]\n");
    let refused = server.put_router("\"1\"", "application/toml", source).await;
    refused.is_problem(422, "listened on");
    assert_eq!(refused.json()["problems"][0]["path"], "sources[1].listen[0]");
    assert_eq!(server.get("/api/v1/router").await.header("etag"), "\"1\"");
    assert_eq!(server.get("/api/v1/router/revisions").await.json()["revisions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_draft_is_converted_between_its_forms() {
    let server = Server::with_admin();
    let mut document = server.get("/api/v1/router").await.json();
    document["routes"][0]["where"] = json!("severity>=err");
    let checked = server.post("/api/v1/router/validate", &document).await.json();
    assert_eq!(checked["valid"], true, "{checked}");
    let toml = checked["toml"].as_str().unwrap().to_owned();
    assert!(toml.contains("# A comment that stays.") && toml.contains("severity>=err"), "{toml}");
    assert_eq!(checked["changes"].as_array().unwrap().len(), 1);
    let back = server
        .call(Method::POST, "/api/v1/router/validate", &admin(), "application/toml", toml.clone())
        .await;
    assert_eq!(back.json()["document"], checked["document"]);
    assert_eq!(back.json()["toml"], toml);
}

#[tokio::test]
async fn a_limit_may_have_its_old_name_and_is_written_with_the_new_one() {
    let server = Server::with_admin();
    let source = "[[sources]]\nid = \"edge\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]\n\
                  max_message = \"8KiB\" # as agreed\n";
    let toml = format!("{ROUTER}\n{source}");
    let applied = server.put_router("\"1\"", "application/toml", toml.clone()).await;
    assert_eq!(applied.status, StatusCode::OK, "{}", applied.text());
    let warning = json!({
        "code": "old-key", "path": "sources[1]",
        "message": "source `edge`: `max_message` is now called `message_max`, so rename it",
    });
    assert!(applied.json()["warnings"].as_array().unwrap().contains(&warning), "{}", applied.text());
    assert_eq!(server.get("/api/v1/router?format=toml").await.text(), toml);

    let mut document = server.get("/api/v1/router").await.json();
    let edge = &mut document["sources"][1];
    assert_eq!((&edge["message_max"], &edge["max_message"]), (&json!("8KiB"), &Value::Null));
    edge["message_max"] = json!("16KiB");
    let edited = server.put_router("\"2\"", "application/json", document.to_string()).await;
    let changes = json!(["source `edge`: message_max changed from `8KiB` to `16KiB`"]);
    assert_eq!(edited.json()["changes"], changes, "{}", edited.text());
    let expected = toml.replace("max_message = \"8KiB\"", "message_max = \"16KiB\"");
    assert_eq!(server.get("/api/v1/router?format=toml").await.text(), expected);

    document["sources"][1]["max_message"] = json!("8KiB");
    let both = server.put_router("\"3\"", "application/json", document.to_string()).await;
    both.is_problem(422, "is the old name of `message_max`");
    assert_eq!(both.json()["problems"][0]["path"], "sources[1].max_message");
}

#[tokio::test]
async fn tags_of_the_document_come_back_as_proxies_make_them_and_whoever_has_it_is_told_so() {
    let server = Server::with_admin();
    let toml = server.get("/api/v1/router?format=toml").await;
    assert_eq!(toml.header("etag"), "\"1.toml\"");
    let json = server.get("/api/v1/router").await;
    assert!(json.header("vary").contains("Accept"), "{:?}", json.headers);
    for (number, tag) in
        ["W/\"1\"", "\"2-gzip\"", "\"1\", \"3\"", "*", "W/\"5.toml\""].into_iter().enumerate()
    {
        let changed = format!("# {number}\n{ROUTER}");
        let applied = server.put_router(tag, "application/toml", changed).await;
        assert_eq!(applied.status, StatusCode::OK, "{tag}: {}", applied.text());
    }
    let known = async |path: &str, tag: &str| {
        let request = Request::get(path).header(header::IF_NONE_MATCH, tag);
        server.send(admin().sign(request).body(Body::empty()).unwrap()).await
    };
    let same = known("/api/v1/router", "\"5\", W/\"6\"").await;
    assert_eq!((same.status, same.body.len(), same.header("etag")), (StatusCode::NOT_MODIFIED, 0, "\"6\""));
    for (path, tag) in [("/api/v1/router", "\"5\""), ("/api/v1/router?format=toml", "\"6\"")] {
        assert_eq!(known(path, tag).await.status, StatusCode::OK, "{path} {tag}");
    }
}

#[tokio::test]
async fn secrets_of_the_document_are_for_those_who_may_change_it() {
    let server = Server::with_admin();
    let secret = "s3cret-of-the-siem";
    let router = format!(
        "{ROUTER}# old: {secret}\n[[destinations]]\nid = \"siem\"\nkind = \"splunk_hec\"\nurl = \"http://127.0.0.1:1\"\n\
         token = \"{secret}\"\n"
    );
    assert_eq!(server.put_router("\"1\"", "application/toml", router).await.status, StatusCode::OK);
    let paths = [
        "/api/v1/router",
        "/api/v1/router?format=toml",
        "/api/v1/router/revisions/2",
        "/api/v1/router/revisions/2?format=toml",
        "/api/v1/router/diff?from=1&to=2",
        "/api/v1/router/status",
    ];
    let (analyst, operator) = (server.token(Role::Analyst), server.token(Role::Operator));
    for path in paths {
        let seen = server.call(Method::GET, path, &analyst, "", "").await;
        assert_eq!(seen.status, StatusCode::OK, "{path}: {}", seen.text());
        assert!(!seen.text().contains(secret) && seen.text().contains("siem"), "{path}: {}", seen.text());
        let whole = server.call(Method::GET, path, &operator, "", "").await.text();
        assert!(whole.contains(secret) || path.ends_with("status"), "{path}: {whole}");
    }
    let tags = [&analyst, &operator].map(|who| server.call(Method::GET, "/api/v1/router", who, "", ""));
    let [one, other] = tags;
    assert_ne!(one.await.header("etag"), other.await.header("etag"));
}

#[tokio::test]
async fn the_oldest_revisions_of_a_thousand_go() {
    let server = Server::with_admin();
    for number in 2..=1001 {
        let toml = format!("# {number}\n{ROUTER}");
        server.meta.add_revision(&toml, "ada", "", Timestamp::from_nanos(0)).unwrap();
    }
    assert_eq!(server.meta.revision(1).unwrap(), None);
    assert!(server.meta.revision(2).unwrap().is_some());
}

#[tokio::test]
async fn a_trace_without_a_document_is_of_the_live_one_and_the_description_says_so() {
    let server = Server::with_admin();
    let trace = server.post("/api/v1/router/trace", &json!({"raw": "hello", "source": "http"})).await;
    assert_eq!(trace.status, StatusCode::OK, "{}", trace.text());
    assert_eq!(trace.json()["routes"][0]["id"], "default", "{}", trace.text());
    let described = server.get("/api/v1/openapi.json").await.json();
    let request = &described["components"]["schemas"]["TraceRequest"];
    assert!(request["properties"]["document"].is_object(), "{request}");
    let demanded = request["required"].as_array().into_iter().flatten();
    assert!(demanded.into_iter().all(|name| name != "document"), "{request}");
}
