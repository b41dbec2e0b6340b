//! Following stored messages: each comes once, in order, whatever happens to the files, the connection and the
//! server.
//!
//! Keywords: tail, follow, server-sent events, resume, position.

use crate::in_process;
use axum::body::{Body, BodyDataStream};
use axum::http::{Method, Request, StatusCode, header};
use futures_core::Stream;
use in_process::TOKEN;
use logstead_accounts::{Browser, Grant, NewToken, Role, Secret, SessionLimits};
use logstead_config::settings::Settings;
use logstead_config::{Period, Size};
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;
use tower::ServiceExt;

/// The server with the calls that these tests make.
type Server = in_process::Server<Calls>;

struct Calls;

/// The longest time that a test waits for an expected event.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// An event of a stream.
#[derive(Debug)]
struct Event {
    name: String,
    id: Option<String>,
    data: Value,
}

/// A stream that is being read.
struct Events {
    body: BodyDataStream,
    text: String,
}

/// The sums of a stream's statuses, and the texts of its messages.
#[derive(Default, Debug)]
struct Seen {
    texts: Vec<String>,
    received: u64,
    matched: u64,
    shown: u64,
    sampled: bool,
}

impl Server {
    async fn ingest(&self, logspace: &str, lines: String) {
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("/api/v1/ingest?logspace={logspace}"))
            .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"))
            .header(header::CONTENT_TYPE, "text/plain");
        let response = self.app.clone().oneshot(request.body(Body::from(lines)).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }

    async fn try_tail(&self, parameters: &str, position: Option<&str>, token: &str) -> (StatusCode, Events) {
        let uri = format!("/api/v1/tail?{parameters}");
        let mut request =
            Request::builder().uri(uri).header(header::AUTHORIZATION, format!("Bearer {token}"));
        if let Some(position) = position {
            request = request.header("Last-Event-ID", position);
        }
        let response = self.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let status = response.status();
        (status, Events { body: response.into_body().into_data_stream(), text: String::new() })
    }

    async fn changes(&self, token: &str) -> Events {
        let request = Request::builder()
            .uri("/api/v1/changes")
            .header(header::ACCEPT, "text/event-stream")
            .header(header::AUTHORIZATION, format!("Bearer {token}"));
        let response = self.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        Events { body: response.into_body().into_data_stream(), text: String::new() }
    }

    async fn tail(&self, parameters: &str, position: Option<&str>) -> Events {
        let (status, mut events) = self.try_tail(parameters, position, TOKEN).await;
        if status != StatusCode::OK {
            panic!("{status}: {}", events.rest().await);
        }
        events
    }
}

impl Events {
    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let event = Event::parse(event);
                self.text = rest.to_owned();
                return Some(event);
            }
            if !self.read().await {
                return None;
            }
        }
    }

    async fn read(&mut self) -> bool {
        let next = poll_fn(|context| Pin::new(&mut self.body).poll_next(context));
        match tokio::time::timeout(WAIT_MAX, next).await.expect("nothing comes") {
            Some(bytes) => {
                self.text.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
                true
            }
            None => false,
        }
    }

    async fn rest(&mut self) -> String {
        while self.read().await {}
        std::mem::take(&mut self.text)
    }

    /// Reads until this many messages have matched, and returns everything that was read.
    async fn until_matched(&mut self, count: u64) -> Seen {
        let mut seen = Seen::default();
        while seen.matched < count || seen.texts.len() as u64 != seen.shown {
            let event = self.next().await.expect("the stream goes on");
            seen.add(&event);
        }
        seen
    }
}

impl Event {
    fn parse(text: &str) -> Event {
        let field = |name: &str| {
            let prefix = format!("{name}: ");
            text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
        };
        let data = serde_json::from_str(&field("data").unwrap()).unwrap();
        Event { name: field("event").unwrap(), id: field("id"), data }
    }

    fn texts(&self) -> impl Iterator<Item = String> + '_ {
        let messages = self.data["messages"].as_array().into_iter().flatten();
        messages.map(|message| message["message"].as_str().unwrap().to_owned())
    }
}

impl Seen {
    fn add(&mut self, event: &Event) {
        match event.name.as_str() {
            "messages" => {
                let before = self.texts.len();
                self.texts.extend(event.texts());
                assert!((1..=500).contains(&(self.texts.len() - before)));
            }
            "status" => {
                let count = |name: &str| event.data[name].as_u64().unwrap();
                assert_eq!(event.data["sampled_one_in"].is_null(), count("matched") == count("shown"));
                self.received += count("received");
                self.matched += count("matched");
                self.shown += count("shown");
                self.sampled |= !event.data["sampled_one_in"].is_null();
            }
            _ => panic!("{event:?}"),
        }
    }
}

/// Lines of the form `TEXT NUMBER`.
fn lines(text: &str, numbers: std::ops::Range<u64>) -> String {
    numbers.map(|number| format!("{text} {number}\n")).collect()
}

fn numbered(text: &str, numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| format!("{text} {number}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_sent_in_order_and_counted_exactly() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |settings| settings.limits.tail_rate_max = 1_000_000);
    server.ingest("main", lines("before", 0..50)).await;
    let mut events = server.tail("query=apple", None).await;
    let first = events.next().await.unwrap();
    assert_eq!((first.name.as_str(), first.id.as_deref()), ("status", Some("main:50,other:0")));
    assert_eq!(first.data["received"], 0);
    assert!(first.data["last_match"].is_null());
    for part in 0..7 {
        server.ingest("main", lines("apple", part * 300..(part + 1) * 300)).await;
        server.ingest("main", lines("pear", 0..100)).await;
    }
    let seen = events.until_matched(2100).await;
    assert_eq!(seen.texts, numbered("apple", 0..2100));
    assert_eq!((seen.received, seen.matched, seen.shown, seen.sampled), (2800, 2100, 2100, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tail_begins_with_the_newest_stored_messages_where_it_is_asked_to() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    server.ingest("main", lines("apple", 0..700)).await;
    server.ingest("other", lines("apple", 700..705)).await;
    let mut events = server.tail("last=7&query=apple", None).await;
    let first = events.next().await.unwrap();
    let messages = events.next().await.unwrap();
    assert_eq!(messages.texts().collect::<Vec<_>>(), numbered("apple", 698..705));
    assert_eq!(
        (messages.id.as_deref(), first.id.as_deref()),
        (Some("main:700,other:5"), Some("main:700,other:5"))
    );
    server.ingest("main", lines("apple", 705..710)).await;
    assert_eq!(events.until_matched(5).await.texts, numbered("apple", 705..710));
    // If there is a position, this parameter has no effect.
    let mut again = server.tail("last=7&query=apple", Some("main:704,other:5")).await;
    assert_eq!(again.until_matched(1).await.texts, numbered("apple", 709..710));
}

/// Reads some events and disconnects, again and again, while messages arrive, files are sealed and the server is
/// restarted.
#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_at_any_position_sees_each_message_once() {
    const PARTS: u64 = 40;
    let data = TempDir::new().unwrap();
    let adjust = |settings: &mut Settings| {
        settings.storage.segment_rows_max = 1000;
        settings.storage.seal_after = Period::seconds(1);
        settings.storage.journal_file_max = Size::mib(1);
        settings.memory.tail_max = Size::mib(16).into();
    };
    let mut server = Some(Server::start_in(data.path(), adjust));
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut position = Some("main:0,other:0".to_owned());
    for part in 0..PARTS {
        if part % 15 == 14 {
            drop(server.take());
            server = Some(Server::start_in(data.path(), adjust));
        }
        let server = server.as_ref().unwrap();
        server.ingest("main", lines("main", part * 200..(part + 1) * 200)).await;
        server.ingest("other", lines("other", part * 100..(part + 1) * 100)).await;
        // Only a part is read; the rest is read after it was sealed, or from the next server.
        let mut events = server.tail("", position.as_deref()).await;
        for _ in 0..part % 4 {
            take(&events.next().await.unwrap(), &mut seen, &mut position);
        }
    }
    let server = server.unwrap();
    let is_sealed = || server.pipeline.searchers().iter().all(|(_, searcher)| 0 < searcher.stats().segments);
    let began = Instant::now();
    while !is_sealed() {
        assert!(began.elapsed() < WAIT_MAX, "nothing is sealed");
        tokio::task::yield_now().await;
    }
    let mut events = server.tail("", position.as_deref()).await;
    while position.as_deref() != Some("main:8000,other:4000") {
        take(&events.next().await.unwrap(), &mut seen, &mut position);
    }
    assert_eq!(seen["main"], numbered("main", 0..PARTS * 200));
    assert_eq!(seen["other"], numbered("other", 0..PARTS * 100));
}

fn take(event: &Event, seen: &mut BTreeMap<String, Vec<String>>, position: &mut Option<String>) {
    for message in event.data["messages"].as_array().into_iter().flatten() {
        let text = |name: &str| message[name].as_str().unwrap().to_owned();
        seen.entry(text("logspace")).or_default().push(text("message"));
    }
    assert_ne!(event.name, "gap");
    position.clone_from(&event.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_messages_are_sampled_and_the_counts_say_so() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |settings| settings.limits.tail_rate_max = 10);
    let mut events = server.tail("query=apple", None).await;
    server.ingest("main", lines("apple", 0..3000) + &lines("pear", 0..500)).await;
    let seen = events.until_matched(3000).await;
    assert_eq!((seen.received, seen.matched), (3500, 3000));
    assert!(seen.sampled && seen.shown == seen.texts.len() as u64 && seen.shown < 1000, "{}", seen.shown);
    // Messages that waited for a returning client are not sampled.
    let mut events = server.tail("query=apple", Some("main:0")).await;
    let seen = events.until_matched(3000).await;
    assert_eq!((seen.texts.len(), seen.sampled), (3000, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_client_holds_nobody_back_and_gets_all_of_it() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |settings| settings.limits.tail_rate_max = 1_000_000);
    let mut slow = server.tail("", None).await;
    let mut quick = server.tail("", None).await;
    for part in 0..20 {
        server.ingest("main", lines(&"long ".repeat(40), part * 1000..(part + 1) * 1000)).await;
    }
    assert_eq!(quick.until_matched(20_000).await.texts.len(), 20_000);
    let expected = numbered(&"long ".repeat(40), 0..20_000);
    assert!(slow.until_matched(20_000).await.texts == expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_makes_room_for_another() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |settings| settings.limits.tails_max = 1);
    let first = server.tail("", None).await;
    let (status, mut refused) = server.try_tail("", None, TOKEN).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.rest().await.contains("limits.tails_max"));
    drop(first);
    let began = Instant::now();
    while server.try_tail("", None, TOKEN).await.0 != StatusCode::OK {
        assert!(began.elapsed() < WAIT_MAX, "its place is never free");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_ends_the_streams_at_once() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let mut events = server.tail("", None).await;
    let mut idle = server.tail("", None).await;
    assert_eq!(events.next().await.unwrap().name, "status");
    let began = Instant::now();
    server.pipeline.end_streams();
    for events in [&mut events, &mut idle] {
        let text = events.rest().await;
        assert!(text.contains("event: problem\ndata: ") && text.contains("the server is stopping"), "{text}");
    }
    assert!(began.elapsed() < Duration::from_secs(1));
    // A stream that is opened now gets the message immediately as well.
    let mut late = server.tail("", None).await;
    assert!(late.rest().await.contains("the server is stopping"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_taken_away_ends_its_tails() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let new = NewToken { name: "watcher", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (id, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    let (status, mut events) = server.try_tail("", None, secret.reveal()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(events.next().await.unwrap().name, "status");
    server.meta.remove_token(id).unwrap();
    let last = loop {
        let event = events.next().await.unwrap();
        if event.name != "status" {
            break event;
        }
    };
    assert_eq!((last.name.as_str(), &last.data["status"]), ("problem", &Value::from(401)));
    assert!(events.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tail_ends_when_its_token_may_see_less_and_goes_on_when_only_its_limits_change() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let new = NewToken { name: "watcher", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (id, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    let patch = async |change: &Value| {
        let request = Request::builder()
            .method(Method::PATCH)
            .uri(format!("/api/v1/tokens/{id}"))
            .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"))
            .header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(change.to_string())).unwrap();
        assert_eq!(server.app.clone().oneshot(request).await.unwrap().status(), StatusCode::OK);
    };
    let (status, mut events) = server.try_tail("", None, secret.reveal()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(events.next().await.unwrap().name, "status");
    patch(&json!({"limits": {"messages_per_second": 5}})).await;
    server.ingest("main", lines("seen", 0..1)).await;
    events.until_matched(1).await;
    patch(&json!({"scope": "host:other"})).await;
    server.ingest("main", lines("hidden", 0..1)).await;
    let rest = events.rest().await;
    assert!(rest.contains("urn:logstead:problem:rights-changed"), "{rest}");
    assert!(!rest.contains("hidden"), "{rest}");
}

/// The longest time until a stream ends, with room for a busy machine.
const ENDS_WITHIN: Duration = Duration::from_secs(if cfg!(debug_assertions) { 3 } else { 1 });

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_stored_after_who_asked_was_removed_is_seen() {
    let data = TempDir::new().unwrap();
    let server = Arc::new(Server::start_in(data.path(), |_| {}));
    let at = Timestamp::from_nanos(0);
    let new = NewToken { name: "watcher", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (token, secret) = server.meta.add_token(&new, at).unwrap();
    let bearer = (header::AUTHORIZATION, format!("Bearer {}", secret.reveal()));
    server.meta.add_user("ana", Role::Analyst, "hash", at).unwrap();
    let user = server.meta.credentials("ana").unwrap().unwrap().id;
    let session = Secret::session().unwrap();
    let (week, now) =
        (Duration::from_hours(24 * 7), SystemTime::now().duration_since(SystemTime::UNIX_EPOCH));
    let limits = SessionLimits { idle_max: week, age_max: week };
    let now = Timestamp::from_nanos(now.unwrap().as_nanos() as i64);
    server.meta.add_session(user, session.hash(), &Browser::default(), &limits, now).unwrap();
    let cookie = (header::COOKIE, format!("logstead_session={}", session.reveal()));
    for (by, (name, value)) in [("token", bearer), ("user", cookie)] {
        let request = Request::builder().uri("/api/v1/tail").header(name, value);
        let response = server.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let mut events = Events { body: response.into_body().into_data_stream(), text: String::new() };
        assert_eq!(events.next().await.unwrap().name, "status");
        // Stores one batch after another; each is stored when the next begins.
        let (stored, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let flow = {
            let (server, stored, is_over) = (server.clone(), stored.clone(), is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    let number = stored.load(Ordering::Relaxed);
                    server.ingest("main", format!("{by} {number}\n")).await;
                    stored.store(number + 1, Ordering::Relaxed);
                }
            })
        };
        let mut seen = Seen::default();
        while seen.texts.len() < 20 {
            seen.add(&events.next().await.unwrap());
        }
        match by {
            "token" => server.meta.remove_token(token).map(drop).unwrap(),
            _ => server.meta.remove_user("ana").map(drop).unwrap(),
        }
        // At most the next stored message may still be on its way.
        let (removed, last) = (Instant::now(), stored.load(Ordering::Relaxed) + 1);
        let rest = events.rest().await;
        let took = removed.elapsed();
        let sent_on = stored.load(Ordering::Relaxed);
        is_over.store(true, Ordering::Relaxed);
        flow.await.unwrap();
        assert!(took <= ENDS_WITHIN, "by {by}: {took:?}");
        assert!(rest.contains("event: problem") && rest.contains("401"), "{rest}");
        let after = (last + 1..=sent_on).find(|number| rest.contains(&format!("{by} {number}\"")));
        assert_eq!(after, None, "stored after the {by} was removed: {rest}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_position_of_another_store_is_a_gap() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    server.ingest("main", lines("old", 0..5)).await;
    let mut events = server.tail("logspaces=main", Some("main:99,gone:7")).await;
    let (_, gap) = (events.next().await, events.next().await.unwrap());
    assert_eq!((gap.name.as_str(), gap.id.as_deref()), ("gap", Some("main:5")));
    assert!(gap.data["reason"].as_str().unwrap().contains("beyond what is stored"));
    server.ingest("main", lines("new", 0..5)).await;
    assert_eq!(events.until_matched(5).await.texts, numbered("new", 0..5));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_told_what_is_wrong() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let cases = [
        ("last=1001", None, 422, "at most 1000"),
        ("last=-1", None, 422, "last"),
        ("since=yesterday", None, 422, "since is not a position"),
        ("", Some("main:1,"), 422, "Last-Event-ID is not a position"),
        ("query=a%20%7C%20stats%20count()", None, 422, "needs all messages before it can give its first row"),
        ("query=severity%3E%3Dnonsense", None, 400, "not a severity"),
        ("logspaces=main,nowhere", None, 404, "nowhere"),
        ("from=-1h", None, 400, "from"),
    ];
    for (parameters, position, status, expected) in cases {
        let (answered, mut body) = server.try_tail(parameters, position, TOKEN).await;
        let text = if answered == StatusCode::OK { String::new() } else { body.rest().await };
        assert_eq!(answered.as_u16(), status, "{parameters}: {text}");
        assert!(text.contains(expected), "{parameters}: {text}");
    }
    let (status, _) = server.try_tail("", None, "guess").await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_changes_hears_of_them_and_of_nothing_else() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let mut changes = server.changes(TOKEN).await;
    changes.read().await;
    assert_eq!(changes.text, ":\n\n", "nothing is stored");
    changes.text.clear();

    let began = Instant::now();
    for number in 0..40 {
        server.ingest("main", format!("message {number}")).await;
    }
    while !changes.text.contains("event: stored") {
        assert!(changes.read().await);
    }
    let events_max = 2 + began.elapsed().as_millis() / 500;
    server.pipeline.end_streams();
    let text = changes.rest().await;
    let events = text.matches("event: stored\ndata: {}\n\n").count();
    assert!((1..=events_max).contains(&(events as u128)), "{events} of at most {events_max}: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_in_other_logspaces_is_no_news() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let new = NewToken { name: "watcher", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let grant = Grant { logspaces: Some(vec!["other".to_owned()]), scope: None };
    let (_, secret) = server.meta.add_granted_token(&new, &grant, Timestamp::from_nanos(0)).unwrap();
    let mut changes = server.changes(secret.reveal()).await;
    changes.read().await;
    changes.text.clear();

    server.ingest("main", "hidden".to_owned()).await;
    changes.read().await;
    assert_eq!(changes.text, ":\n\n", "the next thing heard is the next sign of life");
    server.ingest("other", "shown".to_owned()).await;
    while !changes.text.contains("event: stored") {
        assert!(changes.read().await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_taken_away_hears_of_no_changes() {
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    let new = NewToken { name: "watcher", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (id, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    let mut changes = server.changes(secret.reveal()).await;
    changes.read().await;
    server.meta.remove_token(id).unwrap();
    assert!(!changes.rest().await.contains("event: stored"));
}

/// Each of these messages is a separate event, and several of them are read at a time.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_for_a_tail_is_not_sent_once_its_token_is_gone() {
    /// The number of messages that wait for the client, including one that waits for a place.
    const WAITING_MAX: usize = 3;
    let data = TempDir::new().unwrap();
    let server = Server::start_in(data.path(), |_| {});
    server.ingest("main", lines(&"x".repeat(70_000), 0..30)).await;
    let new = NewToken { name: "watcher", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (id, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    let (status, mut events) = server.try_tail("", Some("main:0"), secret.reveal()).await;
    assert_eq!(status, StatusCode::OK);
    while events.next().await.unwrap().name != "messages" {}
    server.meta.remove_token(id).unwrap();
    let mut more = 0;
    loop {
        match events.next().await.unwrap().name.as_str() {
            "messages" => more += 1,
            "problem" => break,
            _ => {}
        }
    }
    assert!(more <= WAITING_MAX, "{more} more events were sent");
}
