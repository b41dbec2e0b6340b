//! Logstead's own log: events go to standard error as text or as JSON, and into the source of kind `internal`, so
//! that they can be searched together with the messages that they concern.

use crate::{HandedBy, Pipeline};
use logstead_config::settings::{LogFormat, LogSettings};
use logstead_flow::machine::clock;
use logstead_flow::request_id;
use logstead_record::{BatchBuilder, Facility, Field, Origin, Priority, Row, Severity};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tracing::field::{self, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

/// Maximum number of events that wait to be stored; further ones only go to standard error.
const EVENTS_MAX: usize = 1024;
/// The number of events that are kept for a support report, and the maximum length of each.
const RECENT_MAX: usize = 300;
const RECENT_BYTES_MAX: usize = 2000;
/// The facility of syslog itself: 5.
const FACILITY_SYSLOG: u8 = 5;

/// One event of our own log.
pub struct LogEvent {
    level: Level,
    message: String,
    fields: Vec<(&'static str, String)>,
    is_audit: bool,
}

/// Records an action of an account. The event is in our own log whatever its level, with the msgid `audit`, by which
/// a route can recognise it.
pub fn audit(user: &str, account: &str, action: &str, detail: &str) {
    tracing::info!(target: AUDIT, user, account, action, "{detail}");
}

const AUDIT: &str = "logstead::audit";

/// The newest lines, oldest first, including those that could not be stored.
static RECENT: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// The newest events except audit events, one line each, oldest first.
pub fn recent() -> Vec<String> {
    RECENT.lock().iter().cloned().collect()
}

fn remember(entry: &LogEvent) {
    let mut line = format!("{} {} {}", clock::now(), entry.level, entry.message);
    for (name, value) in &entry.fields {
        write!(line, " {name}={value}").ok();
    }
    line.truncate(line.floor_char_boundary(RECENT_BYTES_MAX));
    let mut recent = RECENT.lock();
    if recent.len() == RECENT_MAX {
        recent.pop_front();
    }
    recent.push_back(line);
}

/// Sends events to both outputs from now on; the returned entries are for [`feed`].
pub fn start(log: &LogSettings) -> Result<Receiver<LogEvent>, String> {
    let (sender, entries) = sync_channel(EVENTS_MAX);
    let filter = |level: &str| EnvFilter::try_new(level).map_err(|error| format!("log.level: {error}"));
    let level = &of_ours(log.level.name());
    let text = || fmt::layer().with_writer(std::io::stderr).with_ansi(is_coloured());
    let text = (log.format == LogFormat::Text).then(text);
    let json = (log.format == LogFormat::Json).then_some(StderrJson);
    tracing_subscriber::registry()
        .with(text.with_filter(filter(level)?))
        .with(json.with_filter(filter(level)?))
        .with(OwnEvents { entries: sender }.with_filter(filter(&format!("{level},{AUDIT}=info"))?))
        .try_init()
        .map_err(|error| error.to_string())?;
    Ok(entries)
}

/// Whether standard error is a terminal that may show colours (<https://no-color.org>).
fn is_coloured() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A level below `info` applies to our own events only: those of libraries would reveal the data that they send and
/// receive, such as addresses with secrets.
fn of_ours(level: &str) -> String {
    if matches!(level, "debug" | "trace") { format!("info,logstead={level}") } else { level.to_owned() }
}

/// Stores log entries for as long as the process runs.
pub fn feed(entries: Receiver<LogEvent>, pipeline: Arc<Pipeline>) -> std::io::Result<()> {
    let host = logstead_flow::machine::host_name();
    let pid = std::process::id().to_string();
    std::thread::Builder::new().name("internal".to_owned()).spawn(move || {
        let mut builder = BatchBuilder::new();
        while let Ok(entry) = entries.recv() {
            push(&entry, &host, &pid, &mut builder);
            pipeline.submit_own(HandedBy::OwnLog, builder.seal());
        }
    })?;
    Ok(())
}

fn push(entry: &LogEvent, host: &str, pid: &str, builder: &mut BatchBuilder) {
    let received = clock::now();
    builder.origin(Origin { source: b"internal", peer: b"", received });
    for (name, value) in &entry.fields {
        builder.field(name.as_bytes(), value.as_bytes());
    }
    let row =
        Row { time: Some(received), priority: priority(entry.level), ..Row::text(entry.message.as_bytes()) };
    let row = row
        .with(Field::Host, host.as_bytes())
        .with(Field::Program, b"logstead")
        .with(Field::Pid, pid.as_bytes());
    let row = if entry.is_audit { row.with(Field::Msgid, b"audit") } else { row };
    builder.push(&row);
}

fn priority(level: Level) -> Option<Priority> {
    let severity = match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        _ => 7,
    };
    Some(Priority::of(Facility::new(FACILITY_SYSLOG)?, Severity::new(severity)?))
}

/// Collects events of this project at level info and above.
struct OwnEvents {
    entries: SyncSender<LogEvent>,
}

impl<S: Subscriber> Layer<S> for OwnEvents {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() <= Level::INFO && metadata.target().starts_with("logstead") {
            let entry = LogEvent::of(event);
            if !entry.is_audit {
                remember(&entry);
            }
            // If the store is too slow even for its own log, the line on standard error has to suffice.
            self.entries.try_send(entry).ok();
        }
    }
}

/// Writes every event to standard error as a line of JSON.
struct StderrJson;

impl<S: Subscriber> Layer<S> for StderrJson {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let line = json(&LogEvent::of(event), event.metadata().target(), &clock::now().to_string());
        // This error cannot be reported anywhere.
        std::io::Write::write_all(&mut std::io::stderr().lock(), line.as_bytes()).ok();
    }
}

/// An event as a line of JSON. A field whose name is one of ours gets a `_` appended.
fn json(entry: &LogEvent, target: &str, time: &str) -> String {
    let level = entry.level.as_str().to_ascii_lowercase();
    let mut line = serde_json::Map::new();
    for (name, value) in
        [("time", time), ("level", level.as_str()), ("target", target), ("message", entry.message.as_str())]
    {
        line.insert(name.to_owned(), value.into());
    }
    for (name, value) in &entry.fields {
        let mut name = (*name).to_owned();
        while line.contains_key(&name) {
            name.push('_');
        }
        line.insert(name, value.as_str().into());
    }
    format!("{}\n", serde_json::Value::Object(line))
}

impl LogEvent {
    /// An event, and the request that it belongs to.
    fn of(event: &Event<'_>) -> LogEvent {
        let metadata = event.metadata();
        let mut entry = LogEvent {
            level: *metadata.level(),
            message: String::new(),
            fields: Vec::new(),
            is_audit: metadata.target() == AUDIT,
        };
        event.record(&mut entry);
        if let Some(id) = request_id::current() {
            entry.fields.push((request_id::FIELD, id.to_string()));
        }
        entry
    }
}

impl Visit for LogEvent {
    fn record_debug(&mut self, field: &field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            write!(self.message, "{value:?}").ok();
        } else {
            self.fields.push((field.name(), format!("{value:?}")));
        }
    }

    fn record_str(&mut self, field: &field::Field, value: &str) {
        self.fields.push((field.name(), value.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_of_json_whatever_is_in_it() {
        let entry = LogEvent {
            level: Level::WARN,
            message: "two\nlines, \"quoted\" \u{1b}[31m".to_owned(),
            fields: vec![("level", "of something else".to_owned()), ("path", "/a\u{0}b".to_owned())],
            is_audit: false,
        };
        let line = json(&entry, "logstead::api", "2026-01-01T00:00:00Z");
        assert!(line.ends_with('\n') && line.matches(['\n', '\u{1b}', '\0']).count() == 1, "{line}");
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        let expected = serde_json::json!({
            "time": "2026-01-01T00:00:00Z",
            "level": "warn",
            "target": "logstead::api",
            "message": entry.message,
            "level_": "of something else",
            "path": "/a\u{0}b",
        });
        assert_eq!(read, expected);
    }

    /// The output that is written while a request is logged.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_names_the_request_that_caused_it_at_every_level() {
        let (sender, entries) = sync_channel(EVENTS_MAX);
        let written = Written::default();
        let writer = written.clone();
        let text = fmt::layer().with_writer(move || writer.clone()).with_ansi(false);
        let subscriber = tracing_subscriber::registry()
            .with(text.with_filter(EnvFilter::new("error")))
            .with(OwnEvents { entries: sender }.with_filter(EnvFilter::new("error")));
        tracing::subscriber::with_default(subscriber, || {
            let id = request_id::Id::from_client(b"job-7").unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(request_id::within(id, async { tracing::error!("a request failed: x") }));
            tracing::error!("something else");
        });
        let fields: Vec<_> = entries.try_iter().map(|entry| entry.fields).collect();
        assert_eq!(fields, [vec![("request_id", "job-7".to_owned())], vec![]]);
        let text = String::from_utf8(written.0.lock().clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].contains("request{request_id=job-7}") && lines[0].contains("a request failed: x"),
            "{text}"
        );
        assert!(lines.len() == 2 && !lines[1].contains("request_id"), "{text}");
    }
}
