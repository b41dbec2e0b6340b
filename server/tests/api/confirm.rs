//! A revision that needs confirmation is either confirmed or taken back automatically, whatever happens to the
//! process.
//!
//! Keywords: confirm, automatic rollback, trial period.

use crate::support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{ROUTER, Server, wait_until};

/// The shortest allowed time.
const WITHIN: Duration = Duration::from_secs(10);

/// The document with an additional route.
fn changed(id: &str) -> String {
    ROUTER.replacen("[[routes]]", &format!("[[routes]]\nid = \"{id}\"\nto = [\"main\"]\n\n[[routes]]"), 1)
}

/// Applies a document that needs confirmation.
fn put(server: &Server, toml: &str, query: &str) -> Value {
    let headers = [("Content-Type", "application/toml"), ("If-Match", "*")];
    let (status, answer) = server.call("PUT", &format!("/router?{query}"), &headers, toml.as_bytes());
    assert_eq!(status, 200, "{answer}");
    answer
}

fn routes(server: &Server) -> Vec<String> {
    let routes = server.status()["routes"].as_array().unwrap().clone();
    routes.iter().map(|route| route["id"].as_str().unwrap().to_owned()).collect()
}

fn revisions(server: &Server) -> Value {
    server.call("GET", "/router/revisions", &[], b"").1["revisions"].clone()
}

#[test]
fn a_revision_that_nobody_confirms_goes_away_by_itself() {
    let server = Server::start(ROUTER);
    let answer = put(&server, &changed("tried"), "confirm_within=10s&comment=why+not");
    assert_eq!((&answer["revision"], &answer["unconfirmed"]["back_to"]), (&json!(2), &json!(1)));
    assert_eq!(routes(&server), ["tried", "default"]);
    assert_eq!(server.status()["unconfirmed"]["revision"], 2);
    let start = Instant::now();
    wait_until("it is taken back", || routes(&server) == ["default"]);
    assert!(WITHIN - Duration::from_secs(2) < start.elapsed(), "too early");
    let status = server.status();
    assert_eq!((&status["revision"], &status["unconfirmed"]), (&json!(3), &Value::Null));
    let newest = &revisions(&server)[0];
    assert_eq!((&newest["author"], &newest["live"]), (&json!("logstead"), &json!(true)));
    assert_eq!(newest["comment"], "back to revision 1: revision 2 was not confirmed in time");
}

#[test]
fn a_revision_that_is_confirmed_stays() {
    let server = Server::start(ROUTER);
    put(&server, &changed("tried"), "confirm_within=10s");
    let confirm = |revision: &str| server.call("POST", "/router/confirm", &[("If-Match", revision)], b"");
    assert_eq!(confirm("\"1\"").0, 412, "it is not the one that was looked at");
    assert_eq!(confirm("\"2\""), (200, json!({"revision": 2})));
    let start = Instant::now();
    let (status, again) = confirm("*");
    assert_eq!(status, 409);
    assert_eq!(again["detail"], "revision 2 is live, and does not have to be confirmed");
    put(&server, &changed("later"), "confirm_within=10s");
    put(&server, &changed("last"), "");
    // This is a little longer than both times.
    wait_until("the time is over", || WITHIN + Duration::from_secs(2) < start.elapsed());
    assert_eq!(routes(&server), ["last", "default"], "whoever applies the next revision confirms this one");
    assert_eq!(revisions(&server).as_array().unwrap().len(), 4);
}

#[test]
fn a_kill_within_the_time_changes_nothing_about_it() {
    let mut server = Server::start(ROUTER);
    put(&server, &changed("tried"), "confirm_within=10s");
    server.kill_and_restart();
    assert_eq!(routes(&server), ["tried", "default"], "it has some time left");
    wait_until("it is taken back", || routes(&server) == ["default"]);
    put(&server, &changed("again"), "confirm_within=10s");
    let start = Instant::now();
    server.kill();
    wait_until("the time is over", || WITHIN < start.elapsed());
    server.restart();
    assert_eq!(routes(&server), ["default"], "it never ran again");
    assert_eq!(server.status()["revision"], 5);
}

#[test]
fn a_revision_under_which_messages_fare_worse_goes_away_earlier() {
    let server = Server::start(ROUTER);
    let lines: String = (0..500).map(|number| format!("message {number}\n")).collect();
    let start = Instant::now();
    wait_until("there is something to compare with", || {
        server.ingest(&lines);
        Duration::from_secs(8) < start.elapsed()
    });
    let deaf = ROUTER.replace("to = [\"main\"]", "where = 'nothing'\nto = [\"main\"]");
    put(&server, &deaf, "confirm_within=5m&back_if_worse=true");
    let start = Instant::now();
    let mut waited = Duration::ZERO;
    while server.status()["revision"] == 2 {
        server.try_ingest(&lines).ok();
        waited = start.elapsed();
        assert!(waited < Duration::from_secs(60), "{}", server.status()["unconfirmed"]);
    }
    assert!(Duration::from_secs(15) < waited, "it was given some time");
    let comment = revisions(&server)[0]["comment"].clone();
    assert!(
        comment.as_str().unwrap().contains("100.0 % of the messages are dropped instead of 0.0 %"),
        "{comment}"
    );
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let server = Server::start(ROUTER);
    for (query, why) in [
        ("confirm_within=9s", "must be 10s to 1d"),
        ("confirm_within=2d", "must be 10s to 1d"),
        ("confirm_within=soon", "soon"),
        ("back_if_worse=true", "needs `confirm_within`"),
    ] {
        let headers = [("Content-Type", "application/toml"), ("If-Match", "*")];
        let (status, answer) =
            server.call("PUT", &format!("/router?{query}"), &headers, changed("x").as_bytes());
        assert_eq!(status, 422, "{query}: {answer}");
        assert!(answer["detail"].as_str().unwrap().contains(why), "{query}: {answer}");
    }
    assert_eq!(server.status()["revision"], 1);
}
