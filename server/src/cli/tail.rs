//! `logstead tail`: prints messages as they are stored, as reported by a running server or found in a data directory.
//!
//! A broken connection is re-established at the last position that was printed, so nothing is missing and nothing is
//! repeated.

use super::failure::{CommandFailure, Result};
use super::follow::DirectoryTail;
use super::format::OutputFormat as Shown;
use super::question::AsText;
use super::remote::{Remote, ServerArgs, StoreLocation};
use super::text;
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

pub(super) const EXAMPLES: &str = "Examples:
  logstead tail '' --server http://127.0.0.1:8080 --token TOKEN
  logstead tail 'severity>=error' --server https://logs.example --last 20
  logstead tail 'program=sshd' --server http://127.0.0.1:8080 --logspace main --format json | jq .host
  logstead tail 'program=sshd' --data data --last 20
  logstead tail 'program=nginx | parse json | where status>=500' --server http://127.0.0.1:8080

The server and the token can also be given as LOGSTEAD_SERVER and LOGSTEAD_TOKEN, or the token in a file. Runs until Ctrl-C,
or until its output is no longer read (exit code 0). --data needs no lock and changes nothing. A lost connection is
re-established without a gap. If more messages match than the server sends in a second, it sends every n-th, and a line on
standard error says so. Exit code 1: the query is wrong, or the token is no longer valid; 3: the store or the server cannot
be read.";

/// The silence after which a connection counts as broken, because a server sends something every second.
const SILENCE_MAX: Duration = Duration::from_secs(15);
/// The time to wait before the first attempt to reconnect; it is doubled after each attempt.
const RETRY_WAIT: Duration = Duration::from_millis(250);
const RETRY_WAIT_MAX: Duration = Duration::from_secs(10);
/// The greatest number of events that wait to be printed.
const EVENTS_MAX: usize = 16;

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("store").args(["data", "server"])))]
pub(super) struct TailCommand {
    /// What to look for, in the query language, optionally with `where`, `extract`, `parse` and `eval`; '' is everything
    query: String,
    #[command(flatten)]
    as_text: AsText,
    /// A data directory. It is only read, once a second, so a server may be running on it
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
    /// Only this logspace; may be repeated
    #[arg(long = "logspace", value_name = "L")]
    logspaces: Vec<String>,
    #[arg(long, value_enum, default_value_t = TailFormat::Text)]
    format: TailFormat,
    /// Start with this many of the newest messages already stored
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1000))]
    last: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TailFormat {
    /// `TIME HOST PROGRAM[PID]: MESSAGE`
    Text,
    /// A JSON object per line
    Json,
    /// The bytes as received
    Raw,
}

/// An event of the server.
#[derive(Default, Debug, PartialEq, Eq)]
struct ServerEvent {
    name: String,
    id: Option<String>,
    data: String,
}

/// The state after the events printed so far.
#[derive(Default)]
struct TailState {
    position: Option<String>,
    sampled_one_in: Option<u64>,
}

impl TailCommand {
    pub(super) fn run(&self) -> Result<()> {
        end_on_interrupt()?;
        text::end_with_reader().map_err(CommandFailure::environment)?;
        let remote = match self.server.or(self.data.as_ref())? {
            StoreLocation::Data(data) => return self.follow(data),
            StoreLocation::Server(remote) => remote,
        };
        let mut printed = TailState::default();
        let mut events = self.connect(&remote, None)?;
        let mut wait = RETRY_WAIT;
        loop {
            match events.recv_timeout(SILENCE_MAX) {
                Ok(event) => {
                    wait = RETRY_WAIT;
                    self.print(&event, &mut printed, &remote)?;
                }
                Err(ended) => {
                    let why = match ended {
                        RecvTimeoutError::Timeout => "the server sent nothing for too long",
                        RecvTimeoutError::Disconnected => "the connection ended",
                    };
                    text::error(&format!("{}: {why}: reconnecting", remote.server));
                    events = self.connect_again(&remote, printed.position.as_deref(), &mut wait)?;
                }
            }
        }
    }

    fn follow(&self, data: &Path) -> Result<()> {
        let query = (self.query.as_str(), self.as_text.unparsed());
        let (logspaces, last) = (&self.logspaces, self.last as usize);
        DirectoryTail { data, query, logspaces, last }.run(&mut |message| self.format.print(message))
    }

    /// Connects to the stream of events, from now on or after a position.
    fn connect(&self, remote: &Remote, position: Option<&str>) -> Result<Receiver<ServerEvent>> {
        let logspaces = self.logspaces.join(",");
        let last = self.last.to_string();
        let mut parameters = vec![("query", self.query.as_str()), ("last", last.as_str())];
        parameters.extend(self.as_text.parameter().map(|how| ("unparsed", how)));
        if !logspaces.is_empty() {
            parameters.push(("logspaces", &logspaces));
        }
        let headers: Vec<(&str, &str)> =
            position.map(|position| ("Last-Event-ID", position)).into_iter().collect();
        let answer = remote.get("tail", &parameters, &headers)?;
        let reader = BufReader::new(answer.into_body().into_reader());
        let (sender, events) = sync_channel(EVENTS_MAX);
        // A separate thread reads, so that a connection that has become silent can be abandoned.
        let read = move || {
            for event in EventStream(reader) {
                if sender.send(event).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("events".to_owned())
            .spawn(read)
            .map_err(CommandFailure::environment)?;
        Ok(events)
    }

    /// Reconnects, trying until it succeeds or the server refuses.
    fn connect_again(
        &self,
        remote: &Remote,
        position: Option<&str>,
        wait: &mut Duration,
    ) -> Result<Receiver<ServerEvent>> {
        loop {
            std::thread::sleep(*wait);
            *wait = (*wait * 2).min(RETRY_WAIT_MAX);
            match self.connect(remote, position) {
                Err(CommandFailure::Environment(_)) => {}
                connected => return connected,
            }
        }
    }

    fn print(&self, event: &ServerEvent, printed: &mut TailState, remote: &Remote) -> Result<()> {
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        match event.name.as_str() {
            "messages" => {
                let mut messages = data["messages"].as_array().into_iter().flatten();
                messages.try_for_each(|message| self.format.print(message))?;
            }
            "status" => printed.note_sampling(&data),
            "gap" => {
                let reason = data["reason"].as_str().unwrap_or_default();
                text::error(&format!("warning: {} messages are missing: {reason}", data["messages"]));
            }
            "problem" => {
                let detail = data["detail"].as_str().unwrap_or_default();
                let problem = format!("{}: {detail}", remote.server);
                if data["status"].as_u64().is_some_and(|status| status < 500) {
                    return Err(CommandFailure::No(problem));
                }
                text::error(&problem);
            }
            _ => {}
        }
        if event.id.is_some() {
            printed.position.clone_from(&event.id);
        }
        Ok(())
    }
}

impl TailState {
    /// Prints a note when the server begins to send only some of the messages, and when it sends all again.
    fn note_sampling(&mut self, status: &Value) {
        let one_in = status["sampled_one_in"].as_u64();
        match (self.sampled_one_in, one_in) {
            (before, Some(n)) if before != one_in => {
                let matched = &status["matched"];
                text::error(&format!(
                    "warning: {matched} messages match per second: only one in {n} is shown"
                ));
            }
            (Some(_), None) => text::error("all matching messages are shown again"),
            _ => {}
        }
        self.sampled_one_in = one_in;
    }
}

impl TailFormat {
    fn print(self, message: &Value) -> Result<()> {
        match self {
            TailFormat::Text => Shown::Text.print_line(message),
            TailFormat::Json => Shown::Json.print_line(message),
            TailFormat::Raw => Shown::Raw.print_line(message),
        }
    }
}

/// The events in a stream, until it ends or the connection breaks.
struct EventStream<R>(R);

impl<R: BufRead> Iterator for EventStream<R> {
    type Item = ServerEvent;

    fn next(&mut self) -> Option<ServerEvent> {
        let mut event = ServerEvent::default();
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let text = line.trim_end_matches(['\n', '\r']);
            if text.is_empty() {
                return Some(event);
            }
            let (name, value) = text.split_once(':').unwrap_or((text, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "event" => value.clone_into(&mut event.name),
                "id" => event.id = Some(value.to_owned()),
                "data" => event.data.push_str(value),
                _ => {}
            }
        }
    }
}

/// Ctrl-C is the normal way to end the command.
fn end_on_interrupt() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(CommandFailure::environment)?;
    let wait = move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            std::process::exit(0);
        }
    };
    std::thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(wait)
        .map_err(CommandFailure::environment)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_until_the_stream_breaks() {
        let event = |name: &str, id: Option<&str>, data: &str| ServerEvent {
            name: name.to_owned(),
            id: id.map(str::to_owned),
            data: data.to_owned(),
        };
        let stream = "event: status\nid: main:5\ndata: {\"a\":1}\n\n: comment\nevent: gap\r\ndata:{}\r\n\r\nevent: cut";
        let events: Vec<ServerEvent> = EventStream(stream.as_bytes()).collect();
        assert_eq!(events, [event("status", Some("main:5"), "{\"a\":1}"), event("gap", None, "{}")]);
    }
}
