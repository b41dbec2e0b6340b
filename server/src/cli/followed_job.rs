//! A job of a running server: starting it, following it to its end, and what came of it.

use super::failure::{CommandFailure, Result};
use super::progress::ToldProgress;
use super::remote::Remote;
use super::text;
use serde_json::{Value, json};

/// How long each request waits for the end of a job, which is also how often its progress is shown.
const WAIT: &str = "1s";
/// The greatest number of findings that are printed.
const FINDINGS_MAX: usize = 1000;

/// A job that was started on a server.
pub(super) struct FollowedJob<'a> {
    remote: &'a Remote,
    id: String,
}

/// Starts work on each of these logspaces, or on all if none is given, and follows each job to its end before the next
/// one is started. Returns the greatest of their failures. Detached jobs are only started.
pub(super) fn work_on_each(remote: &Remote, kind: &str, logspaces: &[String], detach: bool) -> Result<()> {
    let mut failure = None;
    for logspace in each(remote, logspaces)? {
        let job = FollowedJob::start(remote, &format!("logspaces/{logspace}/{kind}"), &json!({}))?;
        if detach {
            text::line(&job.id)?;
            continue;
        }
        text::error(&format!(
            "{kind} {logspace}: job {}; it goes on if this command ends, until `logstead job cancel {}`",
            job.id, job.id
        ));
        if let Err(error) = job.end().and_then(|ended| tell(&ended)) {
            failure = Some(worse(failure, error));
        }
    }
    failure.map_or(Ok(()), Err)
}

fn each(remote: &Remote, logspaces: &[String]) -> Result<Vec<String>> {
    if !logspaces.is_empty() {
        return Ok(logspaces.to_vec());
    }
    let answer = remote.ask("logspaces", &[])?;
    let all = answer["logspaces"].as_array().into_iter().flatten();
    Ok(all.filter_map(|logspace| logspace["id"].as_str().map(str::to_owned)).collect())
}

/// The failure with the greater exit code; the first of two equal ones is printed now, and the second at the end.
fn worse(first: Option<CommandFailure>, second: CommandFailure) -> CommandFailure {
    match (first, second) {
        (Some(CommandFailure::Environment(first)), CommandFailure::No(second)) => {
            text::error(&second);
            CommandFailure::Environment(first)
        }
        (Some(CommandFailure::No(first) | CommandFailure::Environment(first)), second) => {
            text::error(&first);
            second
        }
        (None, second) => second,
    }
}

impl<'a> FollowedJob<'a> {
    /// Starts a job with a request.
    pub(super) fn start(remote: &'a Remote, what: &str, body: &Value) -> Result<FollowedJob<'a>> {
        let job = remote.call("POST", what, Some(body))?;
        let id = job["id"].as_str().map(str::to_owned);
        let id = id.ok_or_else(|| {
            let message = "the server does not answer with a job: it has another version";
            CommandFailure::environment(format!("{}: {message}", remote.server))
        })?;
        Ok(FollowedJob { remote, id })
    }

    pub(super) fn new(remote: &'a Remote, id: &str) -> FollowedJob<'a> {
        FollowedJob { remote, id: id.to_owned() }
    }

    /// Shows the progress until the job has ended; returns it.
    pub(super) fn end(&self) -> Result<Value> {
        let path = format!("jobs/{}", self.id);
        let mut progress = ToldProgress::default();
        loop {
            let job = self.remote.ask(&path, &[("wait", WAIT)]).map_err(|error| self.lost(error))?;
            if !job["finished_at"].is_null() {
                return Ok(job);
            }
            progress.tell(&named(&job), &job["progress"]);
        }
    }

    /// The failure of a command that no longer knows of its job.
    fn lost(&self, failure: CommandFailure) -> CommandFailure {
        match failure {
            CommandFailure::Environment(message) => CommandFailure::Environment(format!(
                "{message}\nthe job may go on: `logstead job wait {}` follows it again",
                self.id
            )),
            no @ CommandFailure::No(_) => no,
        }
    }
}

/// The work of a job in words, such as `verify main`.
pub(super) fn named(job: &Value) -> String {
    let logspaces: Vec<&str> =
        job["logspaces"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    format!("{} {}", job["kind"].as_str().unwrap_or_default(), logspaces.join(","))
}

/// Prints the result of a job that has ended, as the same command does for a data directory. The failure says whether the
/// answer is no, or whether there is no answer.
pub(super) fn tell(job: &Value) -> Result<()> {
    let (id, name) = (job["id"].as_str().unwrap_or_default(), named(job));
    match job["state"].as_str().unwrap_or_default() {
        "done" => {}
        "failed" => {
            let why = job["problem"]["detail"].as_str().unwrap_or("no reason given");
            return Err(CommandFailure::environment(format!("{name}: {why}")));
        }
        "interrupted" => {
            let message = format!("{name}: the server stopped before job {id} was finished: start it again");
            return Err(CommandFailure::environment(message));
        }
        state => return Err(CommandFailure::environment(format!("{name}: job {id} is {state}"))),
    }
    match job["kind"].as_str() {
        Some("verify") => tell_verification(job),
        Some("reindex") => tell_reindexing(job),
        Some("export") => tell_export(job),
        _ => text::line(&job["result"].to_string()),
    }
}

fn first_logspace(job: &Value) -> &str {
    job["logspaces"][0].as_str().unwrap_or_default()
}

fn number(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_default()
}

fn tell_verification(job: &Value) -> Result<()> {
    let (id, result) = (first_logspace(job), &job["result"]);
    for finding in result["findings"].as_array().into_iter().flatten().take(FINDINGS_MAX) {
        let text = |name: &str| text::shown(finding[name].as_str().unwrap_or_default());
        let times = match (finding["from"].as_str(), finding["to"].as_str()) {
            (Some(from), Some(to)) => format!(", messages of {from} to {to}"),
            _ => String::new(),
        };
        let lost = if finding["loses_messages"] == true { "" } else { ", no message is lost" };
        text::line(&format!("{id}: {}: {}{times}{lost}", text("file"), text("what")))?;
    }
    let [problems, messages, parts, bytes] =
        ["problems", "messages", "parts", "bytes"].map(|name| number(result, name));
    let counted = if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") };
    let state = if problems == 0 { "intact" } else { &counted };
    text::line(&format!("{id}: {state}: {messages} messages in {parts} files or segments, {bytes} bytes"))?;
    if problems == 0 { Ok(()) } else { Err(CommandFailure::no(format!("damaged: {counted}"))) }
}

fn tell_export(job: &Value) -> Result<()> {
    let (id, result) = (job["id"].as_str().unwrap_or_default(), &job["result"]);
    let [messages, bytes, missing, damaged] =
        ["messages", "bytes", "missing", "damaged_parts"].map(|name| number(result, name));
    text::line(&format!(
        "{messages} messages, {bytes} bytes: `logstead job download {id} --output {}`",
        text::shown(result["name"].as_str().unwrap_or("FILE"))
    ))?;
    let unfit = number(result, "unfit");
    if unfit != 0 {
        text::error(&format!("{unfit} values cannot be read as the types of their columns, and are null"));
    }
    if missing == 0 && damaged == 0 {
        return Ok(());
    }
    let parts: Vec<&str> =
        result["damaged"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    Err(CommandFailure::no(format!(
        "the export lacks {damaged} parts that cannot be read, with at least {missing} matching messages: {}",
        text::shown(&parts.join("; "))
    )))
}

fn tell_reindexing(job: &Value) -> Result<()> {
    let (id, result) = (first_logspace(job), &job["result"]);
    let failures: Vec<&str> =
        result["failures"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    failures.iter().for_each(|failure| text::error(&format!("{id}: {}", text::shown(failure))));
    let [indexes, messages, ms] = ["indexes", "messages", "took_ms"].map(|name| number(result, name));
    let seconds = ms as f64 / 1000.0;
    text::line(&format!("{id}: {indexes} indexes of {messages} messages were rebuilt in {seconds:.1} s"))?;
    if result["complete"] == true {
        return Ok(());
    }
    Err(CommandFailure::no(format!("{id}: not all indexes could be rebuilt")))
}
