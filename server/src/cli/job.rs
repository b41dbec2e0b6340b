//! `logstead job`: the jobs of a running server: which there are, how far they are, and ending them.

use super::failure::{CommandFailure, Result};
use super::followed_job::{FollowedJob, named, tell};
use super::format::OutputFormat;
use super::output::Output;
use super::remote::{Remote, ServerArgs};
use super::table::PrintedTable;
use super::text;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "Examples:
  logstead job list --server http://127.0.0.1:8080 --token TOKEN
  logstead job list --format json
  logstead job show 3f9c0f6d2b1e4a57
  logstead job wait 3f9c0f6d2b1e4a57
  logstead job cancel 3f9c0f6d2b1e4a57
  logstead job download 3f9c0f6d2b1e4a57 --output all.ndjson
  logstead job delete 3f9c0f6d2b1e4a57

The server and the token can also be given as LOGSTEAD_SERVER and LOGSTEAD_TOKEN. A token sees the jobs that it has started; that
of an administrator sees all. `wait` prints the result, with the exit code of the command that started the job: 0: done; 1: the
answer is no, such as damage, or an unknown job; 3: the job failed or was ended, or the server cannot be reached. Ctrl-C ends only
the waiting.";

/// The greatest number of characters of a job's id.
const ID_CHARS_MAX: usize = 64;
const PIECE_BYTES: usize = 256 << 10;

#[derive(Args, Debug)]
#[command(mut_subcommands(|each| each.after_help(EXAMPLES)))]
pub(super) struct JobCommand {
    #[command(subcommand)]
    action: JobAction,
}

#[derive(Args, Debug)]
struct JobArgs {
    /// The id of the job
    #[arg(value_parser = id)]
    id: String,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Subcommand, Debug)]
enum JobAction {
    /// Prints a line for each job, the newest first
    List {
        #[arg(long, value_enum, default_value_t = JobListFormat::Text)]
        format: JobListFormat,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Prints everything about a job as JSON
    Show(JobArgs),
    /// Shows the progress of a job until it has ended, then prints its result
    Wait(JobArgs),
    /// Asks a job to end, and waits until it has
    Cancel(JobArgs),
    /// Downloads the file that an export has written
    Download {
        #[command(flatten)]
        named: JobArgs,
        /// The file to write to; standard output by default
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Forgets a job that has ended, and removes its file at the server
    Delete(JobArgs),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum JobListFormat {
    /// A table in columns
    Text,
    /// A JSON object per line, with everything about a job
    Json,
    /// Comma-separated, with a header row
    Csv,
}

impl JobCommand {
    pub(super) fn run(&self) -> Result<()> {
        match &self.action {
            JobAction::List { format, server } => list(*format, server),
            JobAction::Show(JobArgs { id, server }) => {
                let job = server.needed()?.ask(&format!("jobs/{id}"), &[])?;
                text::line(&serde_json::to_string_pretty(&job).map_err(CommandFailure::environment)?)
            }
            JobAction::Wait(JobArgs { id, server }) => {
                let remote = server.needed()?;
                FollowedJob::new(&remote, id).end().and_then(|job| tell(&job))
            }
            JobAction::Cancel(JobArgs { id, server }) => {
                let remote = server.needed()?;
                remote.call("POST", &format!("jobs/{id}/cancel"), Some(&json!({})))?;
                let job = FollowedJob::new(&remote, id).end()?;
                let state = job["state"].as_str().unwrap_or_default();
                text::line(&format!("{}: {state}", named(&job)))
            }
            JobAction::Download { named: JobArgs { id, server }, output } => {
                download(&server.needed()?, id, output.as_deref())
            }
            JobAction::Delete(JobArgs { id, server }) => {
                server.needed()?.call("DELETE", &format!("jobs/{id}"), None)?;
                text::line(&format!("{id}: deleted"))
            }
        }
    }
}

fn download(remote: &Remote, id: &str, output: Option<&Path>) -> Result<()> {
    let mut output = Output::open("download", output)?;
    let answer = remote.get(&format!("jobs/{id}/result"), &[], &[("Accept-Encoding", "identity")])?;
    let mut body = answer.into_body().into_reader();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match body.read(&mut piece) {
            Ok(0) => return output.finish(),
            Ok(read) => output.write(&piece[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let server = &remote.server;
                return Err(CommandFailure::environment(format!(
                    "{server}: the download broke off: {error}"
                )));
            }
        }
    }
}

fn list(format: JobListFormat, server: &ServerArgs) -> Result<()> {
    let remote = server.needed()?;
    let (mut jobs, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page: Vec<(&str, &str)> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
        let mut answer = remote.ask("jobs", &page)?;
        jobs.append(answer["jobs"].as_array_mut().unwrap_or(&mut Vec::new()));
        cursor = answer["cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let format = match format {
        JobListFormat::Json => return jobs.iter().try_for_each(|job| text::line(&job.to_string())),
        JobListFormat::Text => OutputFormat::Text,
        JobListFormat::Csv => OutputFormat::Csv,
    };
    let column = |name: &str| json!({ "name": name, "kind": "text" });
    let columns = ["id", "work", "state", "done", "started_by", "created_at"].map(column);
    let rows: Vec<Value> = jobs.iter().map(row).collect();
    PrintedTable::new(&json!({ "columns": columns, "rows": rows })).print(format)
}

fn row(job: &Value) -> Value {
    let progress = &job["progress"];
    let unit = progress["unit"].as_str().unwrap_or_default();
    let done = match (progress["done"].as_u64(), progress["total"].as_u64()) {
        (Some(done), Some(total)) => format!("{done} of {total} {unit}"),
        (Some(done), None) => format!("{done} {unit}"),
        _ => String::new(),
    };
    json!([job["id"], named(job), job["state"], done, job["started_by"], job["created_at"]])
}

fn id(text: &str) -> Result<String, String> {
    let is_id = text.len() <= ID_CHARS_MAX
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id { Ok(text.to_owned()) } else { Err("it is not the id of a job".to_owned()) }
}
