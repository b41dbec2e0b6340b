//! Users, tokens, settings and reports, over HTTP.
//!
//! Keywords: users, tokens, first administrator, setup code, support report, settings, certificates.

use super::calls::{As, PASSWORD, Server, admin};
use crate::in_process::{ROUTER, SETUP_CODE, TOKEN as ADMIN_TOKEN};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use logstead_accounts::{NewToken, Role};
use logstead_api as api;
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tower::ServiceExt;

#[tokio::test]
async fn things_belong_to_accounts_and_not_to_names() {
    let server = Server::with_admin();
    let ada = server.log_in("ada").await;
    let search = json!({"name": "errors", "query": "error", "shared": true});
    let saved = server.json(Method::POST, "/api/v1/saved-searches", &ada, &search).await.json();
    let path = format!("/api/v1/saved-searches/{}", saved["id"]);
    let of_token = |id: &Value| format!("/api/v1/tokens/{id}");
    // Neither a new token with the name of a deleted one nor a token named like the owner may change it.
    let new = |name: &str| json!({"name": name, "role": "analyst"});
    let first = server.post("/api/v1/tokens", &new("ci")).await.json();
    let secret =
        |made: &Value| As { token: Some(made["token"].as_str().unwrap().to_owned()), ..As::default() };
    let of_first = server.json(Method::POST, "/api/v1/saved-searches", &secret(&first), &search).await.json();
    server.post("/api/v1/tokens", &new("ci")).await.is_problem(409, "already a token");
    server.call(Method::DELETE, &of_token(&first["id"]), &admin(), "", "").await;
    let second = server.post("/api/v1/tokens", &new("ci")).await.json();
    let path_of_first = format!("/api/v1/saved-searches/{}", of_first["id"]);
    let refused = server.json(Method::DELETE, &path_of_first, &secret(&second), &Value::Null).await;
    refused.is_problem(403, "belongs to token:ci");
    let namesake = server.post("/api/v1/tokens", &new("ada")).await.json();
    let refused = server.json(Method::DELETE, &path, &secret(&namesake), &Value::Null).await;
    refused.is_problem(403, "belongs to ada");
    // A later user with the same name does not own the searches of the earlier one either.
    let user = |name: &str, role: &str| json!({"name": name, "role": role, "password": PASSWORD});
    server.post("/api/v1/users", &user("bo", "admin")).await;
    let removed = server.call(Method::DELETE, "/api/v1/users/ada", &admin(), "", "").await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    server.post("/api/v1/users", &user("ada", "analyst")).await;
    let again = server.log_in("ada").await;
    server.json(Method::DELETE, &path, &again, &Value::Null).await.is_problem(403, "belongs to ada");
    let audit = server.get("/api/v1/audit?limit=100").await.json();
    let entries = audit["entries"].as_array().unwrap();
    let of_ada = entries.iter().filter(|entry| entry["user"] == "ada");
    let accounts: BTreeSet<&str> = of_ada.map(|entry| entry["account"].as_str().unwrap()).collect();
    assert_eq!(accounts, BTreeSet::from(["user:1", "user:3"]));
    assert!(entries.iter().any(|entry| entry["account"] == "environment"));
}

#[tokio::test]
async fn the_first_administrator_is_made_with_the_code_and_only_once() {
    let server = Server::start(|_| {});
    let nobody = As::default();
    let session = server.call(Method::GET, "/api/v1/session", &nobody, "", "").await.json();
    assert_eq!(session["setup_required"], true);
    let set_up = |code: &str, password: &str| {
        let body = json!({"code": code, "password": password});
        let server = &server;
        async move { server.json(Method::POST, "/api/v1/setup", &As::default(), &body).await }
    };
    set_up("AAAA-AAAA-AAAA-AAAA", PASSWORD).await.is_problem(403, "code");
    set_up(SETUP_CODE, "short").await.is_problem(422, "at least 8");
    let made = set_up(&SETUP_CODE.to_lowercase(), PASSWORD).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text());
    assert_eq!(
        made.json()["user"],
        json!({"name": "admin", "role": "admin", "logspaces": null, "scope": null})
    );
    let users = server.call(Method::GET, "/api/v1/users", &made.session(), "", "").await;
    assert_eq!(users.json()["users"][0]["name"], "admin");
    set_up(SETUP_CODE, PASSWORD).await.is_problem(409, "exists already");
}

#[tokio::test]
async fn users_come_change_and_go() {
    let server = Server::with_admin();
    let user =
        |name: &str, role: &str, password: &str| json!({"name": name, "role": role, "password": password});
    assert_eq!(
        server.post("/api/v1/users", &user("bo", "analyst", PASSWORD)).await.status,
        StatusCode::CREATED
    );
    server.post("/api/v1/users", &user("bo", "admin", PASSWORD)).await.is_problem(409, "already a user");
    server.post("/api/v1/users", &user("BO", "admin", PASSWORD)).await.is_problem(422, "lower-case letters");
    server.post("/api/v1/users", &user("b o", "admin", PASSWORD)).await.is_problem(422, "letters");
    server.post("/api/v1/users", &user("cy", "admin", "short")).await.is_problem(422, "at least 8");
    server.post("/api/v1/users", &user("cy", "king", PASSWORD)).await.is_problem(422, "king");
    let bo = server.log_in("bo").await;
    let own = json!({"password": "another horse", "current_password": PASSWORD});
    let changed = server.json(Method::PUT, "/api/v1/users/bo/password", &bo, &own).await;
    assert_eq!(changed.status, StatusCode::NO_CONTENT);
    server.json(Method::PUT, "/api/v1/users/ada/password", &bo, &own).await.is_problem(403, "admin");
    server.call(Method::GET, "/api/v1/users", &bo, "", "").await.is_problem(403, "needs the role admin");
    let gone = server.call(Method::DELETE, "/api/v1/users/bo", &admin(), "", "").await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    server.call(Method::GET, "/api/v1/logspaces", &bo, "", "").await.is_problem(401, "log in");
    server.call(Method::DELETE, "/api/v1/users/bo", &admin(), "", "").await.is_problem(404, "no user");
    server
        .call(Method::DELETE, "/api/v1/users/ada", &admin(), "", "")
        .await
        .is_problem(409, "last administrator");
}

#[tokio::test]
async fn tokens_work_until_they_are_removed() {
    let server = Server::with_admin();
    let new = json!({"name": "ci", "role": "analyst", "expires_at": "2100-01-01T00:00:00Z"});
    let made = server.post("/api/v1/tokens", &new).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let made = made.json();
    let who = As { token: Some(made["token"].as_str().unwrap().to_owned()), ..As::default() };
    assert_eq!(server.call(Method::GET, "/api/v1/logspaces", &who, "", "").await.status, StatusCode::OK);
    let listed = server.get("/api/v1/tokens").await.json();
    let listed = &listed["tokens"][0];
    assert_eq!((&listed["name"], &listed["created_by"]), (&json!("ci"), &json!("LOGSTEAD_ADMIN_TOKEN")));
    assert!(listed["last_used"].is_string() && listed.get("token").is_none());
    let path = format!("/api/v1/tokens/{}", made["id"]);
    assert_eq!(server.call(Method::DELETE, &path, &admin(), "", "").await.status, StatusCode::NO_CONTENT);
    server
        .call(Method::GET, "/api/v1/logspaces", &who, "", "")
        .await
        .is_problem(401, "unknown or has expired");
    let past = json!({"name": "ci", "role": "analyst", "expires_at": "2020-01-01T00:00:00Z"});
    server.post("/api/v1/tokens", &past).await.is_problem(422, "in the past");
}

#[tokio::test]
async fn a_support_report_helps_and_holds_no_secret() {
    let server = Server::start(|_| {});
    let body = r#"{"host": "web-1", "message": "the words of a sender"}"#;
    server.ingest("", "application/json", body).await;
    let document = format!(
        "{ROUTER}\n[[destinations]]\nid = \"siem\"\nenabled = false\nkind = \"splunk_hec\"\nurl = \"http://127.0.0.1:1\"\n\
         token = \"s3cret\"\nheaders = [\"X-Key: s3cret\"]\n[[destinations]]\nid = \"hook\"\nkind = \"ndjson_http\"\n\
         url = \"http://127.0.0.1:1/in?key=s3cret\"\n"
    );
    let change = server.put_router("\"1\"", "application/toml", document).await;
    assert_eq!(change.status, StatusCode::OK, "{}", change.text());
    let answer = server.get("/api/v1/support-report").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let name = answer.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
    assert!(name.starts_with("attachment; filename=\"logstead-support-20"), "{name}");
    let report = answer.text();
    for part in [
        "=== About ===",
        "=== Ready ===\nready",
        "limits.tails_max = ",
        "\"token\": \"(hidden)\"",
        "\"X-Key: (hidden)\"",
        "http://127.0.0.1:1/in?(hidden)",
        "\"host\":\"web-1\"",
        "# HELP logstead_",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    for secret in ["s3cret", "the words of a sender", ADMIN_TOKEN, SETUP_CODE] {
        assert!(!report.contains(secret), "{secret}: {report}");
    }
}

#[tokio::test]
async fn settings_say_where_they_are_from_and_certificates_how_long_they_last() {
    let data = tempfile::tempdir().unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["logs.example.org".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    let file = data.path().join("web.pem");
    std::fs::write(&file, certificate.pem()).unwrap();
    let server = Server::start(|settings| {
        let tls = logstead_config::Tls {
            certificate: file.display().to_string(),
            key: String::new(),
            client_ca: None,
            require_client_certificate: false,
        };
        settings.web.tls = Some(tls);
    });
    let found = server.get("/api/v1/certificates").await.json();
    assert_eq!(found["files"][0]["owner"], "web");
    assert_eq!(found["files"][0]["certificates"][0]["names"], json!(["logs.example.org"]));
    assert_eq!(found["files"][0]["error"], Value::Null);
    std::fs::remove_file(&file).unwrap();
    let found = server.get("/api/v1/certificates").await.json();
    assert_eq!(found["files"][0]["certificates"], json!([]));
    assert!(found["files"][0]["error"].as_str().unwrap().contains("web.pem"), "{found}");

    let settings = server.get("/api/v1/settings").await.json();
    let settings = settings["settings"].as_array().unwrap();
    let level = settings.iter().find(|setting| setting["key"] == "log.level").unwrap();
    assert_eq!((&level["origin"], &level["place"]), (&json!("default"), &json!("")));
    let about = server.get("/api/v1/about").await.json();
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    assert!(about["cores"].as_u64().unwrap() > 0, "{about}");
}

#[tokio::test]
async fn the_server_tells_how_it_is() {
    let server = Server::with_admin();
    let nobody = As::default();
    assert_eq!(server.call(Method::GET, "/healthz", &nobody, "", "").await.text(), "ok\n");
    assert_eq!(server.call(Method::GET, "/readyz", &nobody, "", "").await.text(), "ready\n");
    server.ingest("", "text/plain", "hello").await;
    assert!(server.get("/metrics").await.text().contains("# TYPE "));
    let status = server.get("/api/v1/router/status").await.json();
    assert_eq!((&status["revision"], &status["sources"][0]["messages"]), (&json!(1), &json!(1)));
    let logspaces = server.get("/api/v1/logspaces").await.json();
    assert_eq!(logspaces["logspaces"][0]["messages"], 1);
    assert_eq!(server.get("/api/v1/openapi.json").await.json(), api::openapi());
}

/// An export that is read slowly ends when the right to it is removed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_ends_with_the_token_that_asked_for_it() {
    use axum::body::HttpBody;
    let server = Server::with_admin();
    for _ in 0..8 {
        let lines = format!("{}\n", "x".repeat(1000)).repeat(2000);
        assert_eq!(server.ingest("", "text/plain", lines).await.status, StatusCode::OK);
    }
    let new = NewToken { name: "reader", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (id, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    let read = async |remove: bool| {
        let request = Request::get("/api/v1/export?format=raw")
            .header(header::AUTHORIZATION, format!("Bearer {}", secret.reveal()));
        let response = server.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let mut body = response.into_body();
        let (mut bytes, mut pieces) = (0, 0);
        while let Some(frame) =
            std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).await
        {
            let Ok(frame) = frame else { return (bytes, true) };
            bytes += frame.data_ref().map_or(0, |data| data.len());
            pieces += 1;
            if remove && pieces == 1 {
                server.meta.remove_token(id).unwrap();
            }
        }
        (bytes, false)
    };
    let (whole, broken) = read(false).await;
    assert!(16_000_000 < whole && !broken, "{whole}");
    let (part, broken) = read(true).await;
    assert!(broken && part < whole / 2, "{part} of {whole}, broken off: {broken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_destination_answers_and_the_end_of_its_address_are_for_operators() {
    let server = Server::with_admin();
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]")
        + "[[destinations]]\nid = \"siem\"\nkind = \"ndjson_http\"\nurl = \"http://127.0.0.1:1/in?signature=s3cret\"\n";
    assert_eq!(server.put_router("\"1\"", "application/toml", router).await.status, StatusCode::OK);
    assert_eq!(server.ingest("", "text/plain", "one").await.status, StatusCode::OK);
    let seen_by = async |who: &As| {
        let status = server.call(Method::GET, "/api/v1/router/status", who, "", "").await.json();
        status["destinations"][0].clone()
    };
    let operator = server.token(Role::Operator);
    let known = loop {
        let seen = seen_by(&operator).await;
        if seen["last_error"].is_string() {
            break seen;
        }
        tokio::task::yield_now().await;
    };
    assert!(known["last_error"].as_str().unwrap().contains("127.0.0.1:1"), "{known}");
    let seen = seen_by(&server.token(Role::Analyst)).await;
    assert_eq!(seen["last_error"], "it cannot send; operators see why");
    assert_eq!(seen["to"], "http://127.0.0.1:1/in");
    assert!(!seen.to_string().contains("s3cret"), "{seen}");
}
