//! Logstead's own log: events go to standard error as text, and into the source of kind `internal`, so that
//! they can be searched along with what they are about.

use crate::machine::clock;
use crate::pipeline::Pipeline;
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

/// Events that wait to be stored. More than that are on standard error only.
const EVENTS_MAX: usize = 1024;
/// What is remembered for a support report, and of each event at most.
const RECENT_MAX: usize = 300;
const RECENT_BYTES_MAX: usize = 2000;
/// syslog's facility 5.
const FACILITY_SYSLOG: u8 = 5;

/// One event of our own log.
pub(crate) struct Entry {
    level: Level,
    message: String,
    fields: Vec<(&'static str, String)>,
    is_audit: bool,
}

/// Records what an account did. The event is in our own log whatever its level, with the msgid `audit`, by which a route
/// can tell it from others.
pub(crate) fn audit(user: &str, account: &str, action: &str, detail: &str) {
    tracing::info!(target: AUDIT, user, account, action, "{detail}");
}

const AUDIT: &str = "logstead::audit";

/// The newest lines, the oldest first. Also those that could not be stored.
static RECENT: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// The newest events but those of the audit, as a line each, the oldest first.
pub(crate) fn recent() -> Vec<String> {
    RECENT.lock().iter().cloned().collect()
}

fn remember(entry: &Entry) {
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

/// Sends events to both from now on; the returned entries are for [`feed`].
pub(crate) fn start(level: &str) -> Result<Receiver<Entry>, String> {
    let (sender, entries) = sync_channel(EVENTS_MAX);
    let filter = |level: &str| EnvFilter::try_new(level).map_err(|error| format!("log.level: {error}"));
    let level = &of_ours(level);
    let text = fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    tracing_subscriber::registry()
        .with(text.with_filter(filter(level)?))
        .with(Own { entries: sender }.with_filter(filter(&format!("{level},{AUDIT}=info"))?))
        .try_init()
        .map_err(|error| error.to_string())?;
    Ok(entries)
}

/// A level below `info` is for what we say: libraries then say what they send and receive, such as addresses with secrets.
fn of_ours(level: &str) -> String {
    if matches!(level, "debug" | "trace") { format!("info,logstead={level}") } else { level.to_owned() }
}

/// Stores entries for as long as the process runs.
pub(crate) fn feed(entries: Receiver<Entry>, pipeline: Arc<Pipeline>) -> std::io::Result<()> {
    let host = crate::machine::host_name();
    let pid = std::process::id().to_string();
    std::thread::Builder::new().name("internal".to_owned()).spawn(move || {
        let mut builder = BatchBuilder::new();
        while let Ok(entry) = entries.recv() {
            push(&entry, &host, &pid, &mut builder);
            pipeline.submit_internal(builder.seal());
        }
    })?;
    Ok(())
}

fn push(entry: &Entry, host: &str, pid: &str, builder: &mut BatchBuilder) {
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

/// Takes events of this project at level info and above.
struct Own {
    entries: SyncSender<Entry>,
}

impl<S: Subscriber> Layer<S> for Own {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() <= Level::INFO && metadata.target().starts_with("logstead") {
            let mut entry = Entry {
                level: *metadata.level(),
                message: String::new(),
                fields: Vec::new(),
                is_audit: metadata.target() == AUDIT,
            };
            event.record(&mut entry);
            if !entry.is_audit {
                remember(&entry);
            }
            // If the store is too slow even for its own log, standard error has to suffice.
            self.entries.try_send(entry).ok();
        }
    }
}

impl Visit for Entry {
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
