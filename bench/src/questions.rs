//! Eighty questions to the real server, over HTTP, on lines that the run makes itself: first with nothing in
//! memory (a server that has just started, files that the system no longer has in its cache), then again and again.

mod answer;
mod ask;
mod field_lines;
mod list;
mod made;
mod results;
mod server_lines;

use crate::measure::print;
use crate::server::{MeasuredServer, SEAL_SOON, Server, source};
use anyhow::{Context as _, Result, ensure};
use ask::{Asker, REPEATED};
use clap::{Args, ValueEnum};
use list::{Question, QuestionSet};
use results::{QuestionFigures, SetFigures};
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) const EXAMPLES: &str = "Examples:
  logstead-bench questions --json before.json
  logstead-bench questions --compare before.json
  logstead-bench questions --kind syslog --only w3,x1 --messages 5000000";

/// The interval at which the server is looked at while it seals and joins.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// How long to wait without another sealed message before giving up.
const STALL_MAX: Duration = Duration::from_secs(120);
/// How long the server has to be at rest before it is asked, and how long it may take to get there. It is longer than the
/// half minute after which an idle server joins small segments, so that all runs ask segments of the same size.
const REST: Duration = Duration::from_secs(35);
const REST_MAX: Duration = Duration::from_secs(600);
/// The greatest part of a core that is rest.
const REST_PART: f64 = 0.05;
/// How long a server may take to do what it does after a start.
const CALM_MAX: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub(crate) struct Questions {
    #[command(flatten)]
    subject: MeasuredServer,
    /// The data directory of the server; its contents are removed, before and after
    #[arg(long, default_value = "target/bench-questions")]
    data: PathBuf,
    /// The lines and the questions to them
    #[arg(long, value_enum, default_value_t = AskedSets::All)]
    kind: AskedSets,
    /// The number of messages of each kind
    #[arg(long, default_value_t = 1_000_000)]
    messages: u64,
    /// Asks only these questions, such as `w3,x1`
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How often a question is asked again
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Writes the results to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// Prints the ratios to the results in this file
    #[arg(long)]
    compare: Option<PathBuf>,
}

/// The sets of lines to ask about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum AskedSets {
    Syslog,
    Fields,
    All,
}

impl AskedSets {
    fn sets(self) -> &'static [QuestionSet] {
        match self {
            AskedSets::Syslog => &[QuestionSet::Syslog],
            AskedSets::Fields => &[QuestionSet::Fields],
            AskedSets::All => &[QuestionSet::Syslog, QuestionSet::Fields],
        }
    }
}

impl Questions {
    pub(crate) fn run(&self) -> Result<()> {
        let earlier = match &self.compare {
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
                Some(results::read(&text)?)
            }
            None => None,
        };
        self.check_names()?;
        let (mut sets, mut unstable) = (Vec::new(), Vec::new());
        for set in self.kind.sets() {
            let questions = self.questions(*set);
            if questions.is_empty() {
                continue;
            }
            sets.push(self.ask_set(*set, &questions, &mut unstable)?);
            if let Some(path) = &self.json {
                std::fs::write(path, results::write(&sets)?)?;
            }
        }
        if let Some(earlier) = earlier {
            print(&results::compare(&earlier, &sets))?;
        }
        ensure!(unstable.is_empty(), "the same question had different answers: {}", unstable.join(", "));
        Ok(())
    }

    /// The questions of a set that are to be asked.
    fn questions(&self, set: QuestionSet) -> Vec<Question> {
        let is_asked =
            |question: &Question| self.only.is_empty() || self.only.iter().any(|name| name == question.name);
        set.questions().iter().copied().filter(is_asked).collect()
    }

    fn check_names(&self) -> Result<()> {
        let all: Vec<Question> = self.kind.sets().iter().flat_map(|set| set.questions()).copied().collect();
        let unknown = self.only.iter().find(|name| all.iter().all(|question| question.name != **name));
        ensure!(unknown.is_none(), "there is no question {}", unknown.map_or("", String::as_str));
        Ok(())
    }

    /// Stores the lines of a set, and asks all questions.
    fn ask_set(
        &self,
        set: QuestionSet,
        questions: &[Question],
        unstable: &mut Vec<String>,
    ) -> Result<SetFigures> {
        let folder = self.data.join(set.name());
        let mut server = self.fill(set, &folder)?;
        let stored = stored_in(&folder.join("store"))?;
        let bytes_per_message = stored.bytes as f64 / self.messages.max(1) as f64;
        print(&format!(
            "\n{}: {} messages, {bytes_per_message:.1} bytes each, {} segments",
            set.name(),
            self.messages,
            stored.segments
        ))?;
        print(HEAD)?;
        let (mut figures, mut peak) = (Vec::new(), 0);
        for question in questions {
            restart_cold(&mut server, &folder)?;
            let (row, is_stable) = self.ask_one(&server, set, question)?;
            print(&line(&row))?;
            unstable.extend((!is_stable).then(|| question.name.to_owned()));
            figures.push(row);
            peak = peak.max(server.peak_bytes()?);
        }
        restart_cold(&mut server, &folder)?;
        let ready = server.resident_bytes()?;
        unstable.extend(ask_in_a_row(&server, set, questions, &figures)?);
        let memory = [ready, server.resident_bytes()?, peak.max(server.peak_bytes()?)];
        let memory_mib = memory.map(|bytes| bytes as f64 / f64::from(1 << 20)).to_vec();
        print(&format!(
            "memory in MiB: {:.0} when ready, {:.0} after all questions in a row, {:.0} at most",
            memory_mib[0], memory_mib[1], memory_mib[2]
        ))?;
        drop(server);
        std::fs::remove_dir_all(&folder)?;
        let (set, messages) = (set.name().to_owned(), self.messages);
        let segments = stored.segments;
        Ok(SetFigures { set, messages, bytes_per_message, segments, memory_mib, questions: figures })
    }

    /// A server that has stored and sealed all lines of a set, and rests.
    fn fill(&self, set: QuestionSet, folder: &Path) -> Result<Server> {
        // The last messages are sealed only once the others are joined. Otherwise, the number of segments would depend on
        // which of both is first.
        let mut server = self.subject.serve(folder, &router_document())?;
        let lines = folder.join("lines.log");
        let mut out = BufWriter::new(File::create(&lines)?);
        match set {
            QuestionSet::Syslog => server_lines::write_lines(self.messages, &mut out)?,
            QuestionSet::Fields => field_lines::write_lines(self.messages, &mut out)?,
        }
        out.flush()?;
        let load = [server.url("tcp")?.to_owned(), format!("--read-file={}", lines.display())];
        self.subject.send(&load)?.end()?;
        std::fs::remove_file(&lines)?;
        rest(&server)?;
        server.restart_with(SEAL_SOON)?;
        settle(&server, self.messages)?;
        rest(&server)?;
        let found = server.found()?;
        ensure!(found == self.messages, "{found} messages of {} are stored", self.messages);
        Ok(server)
    }

    /// Asks one question of a server that has just started. Returns also whether all answers were the same.
    fn ask_one(
        &self,
        server: &Server,
        set: QuestionSet,
        question: &Question,
    ) -> Result<(QuestionFigures, bool)> {
        let asker = Asker::new(server, set)?;
        let cold = asker.ask(question)?;
        let warm = asker.ask_again(question, &cold.content, self.runs)?;
        let trouble = match cold.problem {
            Some(problem) => problem,
            None if !cold.content.is_complete => "incomplete".to_owned(),
            None if !warm.is_repeat_complete => "incomplete when repeated".to_owned(),
            None => String::new(),
        };
        let figures = QuestionFigures {
            name: question.name.to_owned(),
            query: question.query.to_owned(),
            kind: question.kind.name().to_owned(),
            answer: cold.content.summary,
            digest: cold.content.digest,
            trouble,
            cold_ms: cold.wall_ms,
            cold_cpu_ms: cold.cpu_ms,
            warm_ms: warm.least_wall_ms,
            cpu_ms: warm.cpu_ms,
            repeat_ms: warm.repeat_ms.to_vec(),
        };
        Ok((figures, warm.is_stable))
    }
}

/// Asks each question once, one after the other, as a day of work does; returns those with another answer than before.
fn ask_in_a_row(
    server: &Server,
    set: QuestionSet,
    questions: &[Question],
    figures: &[QuestionFigures],
) -> Result<Vec<String>> {
    let asker = Asker::new(server, set)?;
    let mut others = Vec::new();
    for (question, before) in questions.iter().zip(figures) {
        let content = asker.ask(question)?.content;
        if content.is_complete && before.trouble.is_empty() && content.digest != before.digest {
            others.push(format!("{} in a row", question.name));
        }
    }
    Ok(others)
}

/// The head of the table of questions.
const HEAD: &str = "      kind       first wall      cpu |  warm wall      cpu |   repeat: count   newest     hist.   facets | answer";

fn line(row: &QuestionFigures) -> String {
    let repeat: Vec<String> =
        row.repeat_ms.iter().take(REPEATED.len()).map(|ms| format!("{ms:>8.2}")).collect();
    let first = format!("{:>10.1} {:>8.1}", row.cold_ms, row.cold_cpu_ms);
    let warm = format!("{:>10.2} {:>8.2}", row.warm_ms, row.cpu_ms);
    let (name, kind, answer) = (&row.name, &row.kind, &row.answer);
    let trouble = if row.trouble.is_empty() { String::new() } else { format!(" ({})", row.trouble) };
    format!("{name:<5} {kind:<10} {first} | {warm} |        {}  | {answer}{trouble}", repeat.join("  "))
}

/// The router document: a source, and a logspace that keeps everything however old it is.
fn router_document() -> String {
    format!(
        "version = 1\n{}[[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"default\"\nto = [\"main\"]\n",
        source("syslog", "tcp", "")
    )
}

/// Ends the server, drops its files from the system's cache, and starts it again, until it rests.
fn restart_cold(server: &mut Server, folder: &Path) -> Result<()> {
    server.restart_after(|| drop_cached(folder))?;
    calm(server)
}

/// Makes the system forget the contents of all files in a folder. Only what is on the disk can be forgotten.
fn drop_cached(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            drop_cached(&path)?;
        } else if path.is_file() {
            let file = File::open(&path)?;
            file.sync_all()?;
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
    }
    Ok(())
}

/// The size of a store.
#[derive(Default)]
struct StoreSize {
    bytes: u64,
    segments: u64,
}

/// The size of the store in a folder.
fn stored_in(folder: &Path) -> Result<StoreSize> {
    let mut size = StoreSize::default();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let inner = stored_in(&entry.path())?;
            size.bytes += inner.bytes;
            size.segments += inner.segments;
        } else {
            size.bytes += entry.metadata()?.len();
            size.segments += u64::from(entry.path().extension().is_some_and(|end| end == "blocks"));
        }
    }
    Ok(size)
}

/// Waits until all messages are in segments.
fn settle(server: &Server, wanted: u64) -> Result<()> {
    let (mut last, mut moved) = (0, Instant::now());
    loop {
        let counters = server.counters()?;
        let sealed = counters.get("logspace_sealed_messages");
        if wanted <= sealed {
            return Ok(());
        }
        if sealed != last {
            (last, moved) = (sealed, Instant::now());
        }
        ensure!(moved.elapsed() < STALL_MAX, "{sealed} messages of {wanted} are sealed, and no more are");
        std::thread::sleep(LOOK_INTERVAL);
    }
}

/// Waits until the server does nothing for a while: half a minute after the last message, it joins small segments.
fn rest(server: &Server) -> Result<()> {
    let (start, mut since, mut looked) = (Instant::now(), Instant::now(), Instant::now());
    let mut before: u64 = server.thread_nanos()?.values().sum();
    while since.elapsed() < REST {
        ensure!(start.elapsed() < REST_MAX, "the server is busy for {} s", REST_MAX.as_secs());
        std::thread::sleep(LOOK_INTERVAL);
        let now = server.thread_nanos()?.values().sum();
        if REST_PART < core_part(before, now, looked.elapsed()) {
            since = Instant::now();
        }
        (before, looked) = (now, Instant::now());
    }
    Ok(())
}

/// Waits until the server has done what it does after a start. On a busy machine, threads that wait for a core use no
/// CPU time either, so their states are looked at, several times in a row.
fn calm(server: &Server) -> Result<()> {
    const MOMENT: Duration = Duration::from_millis(10);
    const LOOKS: usize = 4;
    let (start, mut calm) = (Instant::now(), 0);
    while calm < LOOKS {
        ensure!(start.elapsed() < CALM_MAX, "the server is busy {} s after its start", CALM_MAX.as_secs());
        std::thread::sleep(MOMENT);
        calm = if server.is_busy()? { 0 } else { calm + 1 };
    }
    Ok(())
}

/// The part of a core that was used.
fn core_part(before: u64, now: u64, elapsed: Duration) -> f64 {
    now.saturating_sub(before) as f64 / elapsed.as_nanos().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use logstead_config::check_toml;
    use std::collections::BTreeSet;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        questions: Questions,
    }

    fn all() -> Vec<(QuestionSet, Question)> {
        let sets = AskedSets::All.sets().iter();
        sets.flat_map(|set| set.questions().iter().map(move |question| (*set, *question))).collect()
    }

    #[test]
    fn each_question_is_of_the_query_language_and_so_is_its_filter() {
        for (_, question) in all() {
            for text in [question.query, question.filter()] {
                let read = logstead_query::parse_pipeline(text);
                assert!(read.is_ok(), "{}: {text}: {read:?}", question.name);
            }
            let stages = logstead_query::parse_pipeline(question.query).expect("read before").stages.len();
            let is_table = question.kind == list::RequestKind::Aggregate;
            assert_eq!(stages != 0, is_table, "{}", question.name);
        }
    }

    #[test]
    fn each_question_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = all().iter().map(|(_, question)| question.name).collect();
        assert_eq!((names.len(), all().len()), (80, 80));
    }

    #[test]
    fn the_names_in_questions_are_those_of_the_lines() {
        let queries: String = all().iter().map(|(_, question)| question.query).collect();
        assert!(queries.contains(&format!("user={}", made::user_name(7))), "{}", made::user_name(7));
        assert_eq!(queries.matches(&made::trace_id(1000)).count(), 2, "{}", made::trace_id(1000));
    }

    #[test]
    fn the_router_document_is_right() {
        check_toml(&router_document()).unwrap_or_else(|problems| panic!("{problems:?}"));
    }

    #[test]
    fn only_the_named_questions_are_asked_and_others_are_refused() {
        let asked = Cli::parse_from(["questions", "--only", "w3,m1"]).questions;
        let names = |set| asked.questions(set).iter().map(|question| question.name).collect::<Vec<_>>();
        assert_eq!((names(QuestionSet::Syslog), names(QuestionSet::Fields)), (vec!["w3"], vec!["m1"]));
        assert!(asked.check_names().is_ok());
        let other = Cli::parse_from(["questions", "--kind", "syslog", "--only", "m1"]).questions;
        assert!(other.check_names().is_err());
    }
}
