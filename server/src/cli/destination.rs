//! `logstead destination`: manages the destinations of a running server.

use super::failure::{CommandFailure, Result};
use super::format::OutputFormat;
use super::remote::{Remote, ServerArgs};
use super::table::PrintedTable;
use super::text;
use clap::{Args, Subcommand, ValueEnum};
use logstead_config::is_id;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::time::{Duration, Instant};

pub(super) const EXAMPLES: &str = "Examples:
  logstead destination list --server http://127.0.0.1:8080 --token TOKEN
  logstead destination test siem
  logstead destination pause siem
  logstead destination queue siem --limit 5
  logstead destination discard siem --messages 120
  logstead destination quarantine siem
  logstead destination quarantine siem --replay 3
  logstead destination replay siem 'severity>=error' --from 2026-11-21T06:00:00Z --to 2026-11-21T07:00:00Z

The server and the token can also be given as LOGSTEAD_SERVER and LOGSTEAD_TOKEN; the token is that of an operator. Exit code
0: done; 1: the answer is no, such as an unknown destination or a test message that is not accepted; 3: the server cannot be
reached.";

/// The interval at which a replay reports its progress if there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// The greatest length of a line of a replay; real lines are much shorter.
const LINE_BYTES_MAX: u64 = 64 << 10;

#[derive(Args, Debug)]
#[command(mut_subcommands(|each| each.after_help(EXAMPLES)))]
pub(super) struct DestinationCommand {
    #[command(subcommand)]
    action: DestinationAction,
}

/// A destination of that server.
#[derive(Args, Debug)]
struct DestinationArgs {
    /// The destination
    #[arg(value_parser = id)]
    id: String,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Subcommand, Debug)]
enum DestinationAction {
    /// Prints a line for each destination: state, rate, waiting and refused messages, last error
    List {
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Sends a test message, bypassing the queue, and prints the answer of the other side
    Test(DestinationArgs),
    /// Sends nothing until the destination is resumed, also after a restart
    Pause(DestinationArgs),
    /// Resumes sending, beginning with the waiting messages
    Resume(DestinationArgs),
    /// Tries to send at once, instead of at the end of the present pause
    Retry(DestinationArgs),
    /// Prints the oldest waiting messages
    Queue {
        #[command(flatten)]
        named: DestinationArgs,
        #[command(flatten)]
        shown: ShownMessagesArgs,
    },
    /// Drops the oldest waiting messages
    Discard {
        #[command(flatten)]
        named: DestinationArgs,
        /// The number of messages, as `list` or `queue` showed it
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        messages: u64,
    },
    /// Prints the messages that the other side refused, each with the reason; or sends or forgets the oldest of them
    Quarantine {
        #[command(flatten)]
        named: DestinationArgs,
        #[command(flatten)]
        shown: ShownMessagesArgs,
        /// Puts this many of the oldest into the queue again
        #[arg(long, value_name = "N", conflicts_with = "discard", value_parser = clap::value_parser!(u64).range(1..))]
        replay: Option<u64>,
        /// Forgets this many of the oldest
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        discard: Option<u64>,
    },
    /// Sends stored messages once more, through the queue
    Replay {
        #[command(flatten)]
        named: DestinationArgs,
        /// Which messages, in the query language, without stages; '' is everything
        query: String,
        /// From this time on
        #[arg(long, value_name = "T", allow_hyphen_values = true)]
        from: Option<String>,
        /// Up to this time, but not including it
        #[arg(long, value_name = "T", allow_hyphen_values = true)]
        to: Option<String>,
        /// Only this logspace; may be repeated
        #[arg(long = "logspace", value_name = "L")]
        logspaces: Vec<String>,
    },
}

/// The format in which messages are printed.
#[derive(Args, Debug)]
struct ShownMessagesArgs {
    /// The maximum number of messages to print
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ListFormat {
    /// A table in columns
    Text,
    /// A JSON object per line
    Json,
    /// Comma-separated, with a header row
    Csv,
}

impl DestinationCommand {
    pub(super) fn run(&self) -> Result<()> {
        match &self.action {
            DestinationAction::List { format, server } => list(*format, server),
            DestinationAction::Test(named) => test(named),
            DestinationAction::Pause(named) => named.tell("pause", "it is paused"),
            DestinationAction::Resume(named) => named.tell("resume", "it sends again"),
            DestinationAction::Retry(named) => named.tell("retry", "the next attempt begins"),
            DestinationAction::Queue { named, shown } => named.show("queue", shown, "waits"),
            DestinationAction::Discard { named, messages } => named.change("discard", *messages, "discarded"),
            DestinationAction::Quarantine { named, replay: Some(messages), .. } => {
                named.change("quarantine/replay", *messages, "in the queue again")
            }
            DestinationAction::Quarantine { named, discard: Some(messages), .. } => {
                named.change("quarantine/discard", *messages, "forgotten")
            }
            DestinationAction::Quarantine { named, shown, .. } => {
                named.show("quarantine", shown, "was refused")
            }
            DestinationAction::Replay { named, query, from, to, logspaces } => {
                let mut question = json!({ "query": query });
                let times = [("from", from), ("to", to)];
                for (name, time) in times.into_iter().filter_map(|(name, time)| Some((name, time.as_ref()?)))
                {
                    question[name] = json!(time);
                }
                if !logspaces.is_empty() {
                    question["logspaces"] = json!(logspaces);
                }
                replay(named, &question)
            }
        }
    }
}

impl DestinationArgs {
    fn remote(&self) -> Result<Remote> {
        self.server.needed()
    }

    fn path(&self, what: &str) -> String {
        format!("destinations/{}/{what}", self.id)
    }

    fn say(&self, what: &str) -> Result<()> {
        text::line(&format!("{}: {what}", self.id))
    }

    fn tell(&self, action: &str, done: &str) -> Result<()> {
        self.remote()?.post(&self.path(action), &json!({}))?;
        self.say(done)
    }

    fn change(&self, action: &str, messages: u64, done: &str) -> Result<()> {
        self.remote()?.post(&self.path(action), &json!({ "messages": messages }))?;
        self.say(&format!("{} {done}", counted(messages)))
    }

    fn show(&self, list: &str, shown: &ShownMessagesArgs, none: &str) -> Result<()> {
        let limit = shown.limit.to_string();
        let answer = self.remote()?.ask(&self.path(list), &[("limit", &limit)])?;
        let messages: &[Value] = answer["messages"].as_array().map_or(&[], Vec::as_slice);
        match shown.format {
            OutputFormat::Text => messages.iter().try_for_each(print_with_reason)?,
            other => other.print_all(messages)?,
        }
        let total = answer["total"].as_u64().unwrap_or_default();
        match total - total.min(messages.len() as u64) {
            _ if total == 0 => text::error(&format!("{}: nothing {none}", self.id)),
            0 => {}
            more => text::error(&format!("{}: {more} more", self.id)),
        }
        Ok(())
    }
}

/// Prints a message like a search does, with the reason below it if it was refused.
fn print_with_reason(message: &Value) -> Result<()> {
    OutputFormat::Text.print_line(message)?;
    match message["fields"]["logstead.refused"].as_str() {
        Some(reason) => text::line(&format!("  refused: {}", text::shown(reason))),
        None => Ok(()),
    }
}

fn list(format: ListFormat, server: &ServerArgs) -> Result<()> {
    let status = server.needed()?.ask("router/status", &[])?;
    let each = |name: &str| status[name].as_array().cloned().unwrap_or_default();
    let seconds = |of: &Value| of["oldest_ms"].as_u64().map(|ms| ms as f64 / 1000.0);
    let row = |of: &Value, state: &Value| {
        json!([
            of["id"],
            state,
            of["messages_per_second"],
            of["queue_messages"],
            of["queue_bytes"],
            seconds(of),
            of["quarantined"],
            of["queue_error"].as_str().or(of["last_error"].as_str())
        ])
    };
    let left = json!("not in the document");
    let live = each("destinations");
    let live = live.iter().map(|of| row(of, &of["state"]));
    let rows: Vec<Value> = live.chain(each("queues_left").iter().map(|of| row(of, &left))).collect();
    let column = |(name, kind): (&str, &str)| json!({ "name": name, "kind": kind });
    let columns = [
        ("destination", "text"),
        ("state", "text"),
        ("per_second", "number"),
        ("waiting", "number"),
        ("waiting_bytes", "number"),
        ("oldest_seconds", "number"),
        ("refused", "number"),
        ("last_error", "text"),
    ];
    let table = PrintedTable::new(&json!({ "columns": columns.map(column), "rows": rows }));
    table.print(match format {
        ListFormat::Text => OutputFormat::Text,
        ListFormat::Json => OutputFormat::Json,
        ListFormat::Csv => OutputFormat::Csv,
    })
}

fn test(named: &DestinationArgs) -> Result<()> {
    let mut answer = named.remote()?.post("destinations/test", &json!({ "id": named.id }))?;
    let answer: Value = answer.body_mut().read_json().map_err(CommandFailure::environment)?;
    if answer["ok"] != true {
        let error = answer["error"].as_str().unwrap_or("no reason given");
        return Err(CommandFailure::no(format!("{}: {}", named.id, text::shown(error))));
    }
    let took = &answer["took_ms"];
    match answer["answer"].as_str() {
        Some(said) => named.say(&format!("accepted in {took} ms: {}", text::shown(said))),
        None => named.say(&format!(
            "sent in {took} ms; this protocol has no answers, so check that the message arrived on the other side"
        )),
    }
}

/// The progress of a replay.
#[derive(Default)]
struct ReplayProgress {
    messages: u64,
    of: u64,
    missing: u64,
    is_end: bool,
    error: Option<String>,
}

fn replay(named: &DestinationArgs, question: &Value) -> Result<()> {
    let answer = named.remote()?.post(&named.path("replay"), question)?;
    let mut lines = BufReader::new(answer.into_body().into_reader());
    let mut far = ReplayProgress::default();
    let mut told = Instant::now();
    while let Some(line) = next_line(&mut lines)? {
        far = read(&line);
        let is_due = std::io::stderr().is_terminal() || LINE_INTERVAL <= told.elapsed();
        if !far.is_end && is_due {
            told = Instant::now();
            text::error(&format!("{}: {} of {} messages are in the queue", named.id, far.messages, far.of));
        }
    }
    let ReplayProgress { messages, of, missing, is_end, error } = far;
    match error {
        Some(error) => Err(CommandFailure::environment(format!(
            "{}: the replay ended after {messages} of {of} messages: {error}",
            named.id
        ))),
        None if !is_end => Err(CommandFailure::environment(format!(
            "{}: the server broke off the replay after {messages} of {of} messages",
            named.id
        ))),
        None => {
            if 0 < missing {
                text::error(&format!("warning: {missing} messages that match cannot be read"));
            }
            named.say(&format!("{} in the queue", counted(messages)))
        }
    }
}

fn next_line(lines: &mut impl BufRead) -> Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read =
        lines.take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(CommandFailure::environment)?;
    Ok((0 < read).then_some(line))
}

fn read(line: &[u8]) -> ReplayProgress {
    let line: Value = serde_json::from_slice(line).unwrap_or_default();
    let count = |name: &str| line[name].as_u64().unwrap_or_default();
    ReplayProgress {
        messages: count("messages"),
        of: count("of"),
        missing: count("missing"),
        is_end: line["end"] == true,
        error: line["error"].as_str().map(str::to_owned),
    }
}

fn counted(messages: u64) -> String {
    if messages == 1 { "1 message".to_owned() } else { format!("{messages} messages") }
}

fn id(text: &str) -> Result<String, String> {
    if is_id(text) { Ok(text.to_owned()) } else { Err("it is not a destination's name".to_owned()) }
}
