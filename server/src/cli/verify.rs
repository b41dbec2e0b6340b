//! `logstead verify`: reads all data and reports every part that differs from what was written.

use super::failure::{CommandFailure, Result};
use super::followed_job::work_on_each;
use super::progress::ByteProgress;
use super::remote::ServerArgs;
use super::store::StoreArgs;
use super::text;
use clap::Args;
use logstead_indexer::{Finding, ReadOnlyLogspace, VerifyReport};
use logstead_work::{Pool, SearchContext};

pub(super) const EXAMPLES: &str = "Examples:
  logstead verify
  logstead verify --data /var/lib/logstead --logspace main
  logstead verify --server http://127.0.0.1:8080 --token TOKEN
  logstead verify --server http://127.0.0.1:8080 --token TOKEN --logspace main --detach

Checks every checksum and the chain of hashes, those of the queues of destinations and of their cursors included, and names
the segment, block and time range of any damage, missing sequences, and files that were set aside. Changes nothing and needs
no lock, so a server may be running, and the data may be on read-only media. A damaged index only costs speed: `logstead
reindex` rebuilds it. With --server, the server verifies its logspaces, each as a job, whose progress is shown. Ctrl-C ends only
this command: the job goes on, and `logstead job` follows or cancels it. Exit code 0: everything is as it was written; 1: something
is damaged, missing or cannot be read; 3: there is no store, the server cannot be reached, or a job was ended.";

#[derive(Args, Debug)]
pub(super) struct Verify {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// With --server: print the ids of the jobs and do not wait for them
    #[arg(long)]
    detach: bool,
}

/// The totals so far.
#[derive(Default)]
struct VerifyTotals {
    parts: usize,
    messages: u64,
    bytes: u64,
    problems: usize,
}

impl Verify {
    pub(super) fn run(&self) -> Result<()> {
        if let Some(remote) = self.store.server_of(&self.server)? {
            return work_on_each(&remote, "verify", self.store.selected(), self.detach);
        }
        if self.detach {
            return Err(CommandFailure::no("--detach is for a server: give --server URL"));
        }
        let (data, logspaces) = self.store.look_at_each()?;
        let mut problems = super::verify_database::verify(&data)?;
        if let Some(wrong) = self.store.look_at_ledger()? {
            problems += tell(&format!("ledger: {wrong}"))?;
        }
        for (id, looked) in &logspaces {
            problems += match looked {
                Ok(looked) => verify(id, looked)?,
                Err(error) => tell(&format!("{id}: it cannot be read: {error}"))?,
            };
        }
        for (id, looked) in &self.store.look_at_queues()? {
            match looked {
                Ok((looked, cursor)) => {
                    problems += verify(id, looked)?;
                    if let Some(wrong) = cursor {
                        problems += tell(&format!(
                            "{id}: cursor: {wrong}: messages that were already sent may be sent again"
                        ))?;
                    }
                }
                Err(error) => problems += tell(&format!("{id}: it cannot be read: {error}"))?,
            }
        }
        if problems == 0 {
            Ok(())
        } else {
            Err(CommandFailure::no(format!("damaged: {}", counted(problems))))
        }
    }
}

/// Prints a problem and counts it.
fn tell(line: &str) -> Result<usize> {
    text::line(line)?;
    Ok(1)
}

/// Verifies a logspace; returns the number of problems.
fn verify(id: &str, looked: &ReadOnlyLogspace) -> Result<usize> {
    let progress = ByteProgress::new(&format!("verify {id}"), Some(looked.searcher.verify_bytes()));
    let (mut seen, mut lines) = (VerifyTotals::default(), Vec::new());
    let lanes = Pool::new(logstead_flow::machine::cores());
    let run = SearchContext { lanes: &lanes, ..SearchContext::alone() };
    for told in looked.recovery.notes_beside_parts() {
        seen.problems += usize::from(told.is_damage);
        lines.push(format!("{id}: {}", told.text));
    }
    looked.searcher.verify(&run, &mut |checked| {
        progress.add(checked.bytes);
        lines.extend(checked.findings.iter().map(|finding| told(id, &checked, finding)));
        seen.add(&checked);
    });
    drop(progress);
    let VerifyTotals { parts, messages, bytes, problems } = seen;
    let state = if problems == 0 { "intact".to_owned() } else { counted(problems) };
    lines.push(format!("{id}: {state}: {messages} messages in {parts} files or segments, {bytes} bytes"));
    lines.iter().try_for_each(|line| text::line(line))?;
    Ok(problems)
}

fn counted(problems: usize) -> String {
    if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") }
}

fn told(id: &str, checked: &VerifyReport, finding: &Finding) -> String {
    let times = finding.times.map(|(from, to)| format!(", messages of {from} to {to}")).unwrap_or_default();
    let lost = if finding.loses_messages { "" } else { ", no message is lost" };
    format!("{id}: {}: {}{times}{lost}", checked.file, finding.what)
}

impl VerifyTotals {
    fn add(&mut self, checked: &VerifyReport) {
        self.parts += 1;
        self.messages += checked.messages;
        self.bytes += checked.bytes;
        self.problems += checked.findings.len();
    }
}
