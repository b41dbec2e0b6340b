//! `logstead import`: stores the lines of files, in a data directory or through a running server.
//!
//! **Invariant:** every byte of a line that was read is stored, or the command fails and says how far it got.

use super::failure::{CommandFailure, Result};
use super::progress::ByteProgress;
use super::remote::{Remote, ServerArgs, refused};
use super::settings::DataDirectoryArgs;
use super::store::{LockedStore, options};
use super::{starting, text};
use clap::{ArgGroup, Args};
use crossbeam_channel::{Receiver, bounded};
use jiff::tz::TimeZone;
use logstead_accounts::Meta;
use logstead_config::SourceFormat;
use logstead_flow::machine::memory::Shares;
use logstead_flow::machine::{clock, rights};
use logstead_indexer::{Appender, EncodedBatch, Keeper, OpenLogspace, encode};
use logstead_record::{BatchBuilder, Origin, Timestamp};
use logstead_syslog::format::{FrameContext, SyslogParser};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

pub(super) const EXAMPLES: &str = "Examples:
  logstead import /var/log/syslog.1 /var/log/syslog --logspace main --data data
  logstead import nginx/access.log --logspace main --data data --host web-1
  zcat old.log.gz | logstead import - --logspace archive --server http://127.0.0.1:8080 --token TOKEN

Every line is a message, parsed as by a file source with `format = \"auto\"`: RFC 5424, RFC 3164, the lines that syslog daemons,
web servers and databases write without a priority, or any other text. Empty lines are left out. The host is the one that the
line names, otherwise --host, otherwise the name of this machine. A time without a year falls within the year leading up to
the last write of the file or, for standard input, up to now. With --data, the store must not be in use; a logspace that does
not exist is created. Importing a file twice stores its messages twice. Exit code 0: everything is stored; 1: a file or a line
was refused; 3: the store cannot accept it, and the last line says how far the import got.";

/// The number of bytes that are read at once.
const CHUNK_BYTES: usize = 1 << 20;
/// The length at which a line is split into several messages.
const LINE_BYTES_MAX: usize = 16 << 20;
/// The number of bytes that are appended and synced together, or sent as one body.
const COMMIT_BYTES_MAX: usize = 8 << 20;
/// The first bytes of compressed files.
const COMPRESSED: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "gzip: use `zcat FILE | logstead import -`"),
    (b"\x28\xb5\x2f\xfd", "zstd: use `zstdcat FILE | logstead import -`"),
    (b"\xfd7zXZ", "xz: use `xzcat FILE | logstead import -`"),
    (b"BZh", "bzip2: use `bzcat FILE | logstead import -`"),
];

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("store").args(["data", "server"])))]
pub(super) struct Import {
    /// Text files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The logspace to store in
    #[arg(long, value_name = "L")]
    logspace: String,
    /// The host of lines that do not name one, instead of this machine's name
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// The time zone of times that do not name one
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    timezone: String,
    #[command(flatten)]
    place: DataDirectoryArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// A readable file, or standard input.
struct ImportFile {
    name: String,
    /// Its length; `None` if it is unknown.
    bytes: Option<u64>,
    /// The time at which it was last written, if known.
    written: Option<Timestamp>,
    reader: Box<dyn BufRead>,
}

/// The host and the time zone for lines that have none, as given on the command line.
struct LineDefaults {
    host: String,
    timezone: String,
}

/// Totals of the stored messages.
#[derive(Default)]
struct ImportTotals {
    messages: u64,
    /// The total length of complete lines.
    bytes: u64,
    /// The number of lines that the server refused.
    rejected: u64,
}

/// The store or server that receives the lines.
trait ImportTarget {
    /// Stores complete lines of a file that was last written at this time.
    fn store(&mut self, lines: &[u8], written: Option<Timestamp>) -> Result<ImportTotals>;
}

impl Import {
    pub(super) fn run(&self) -> Result<()> {
        let zone = TimeZone::get(&self.timezone);
        let zone =
            zone.map_err(|_| CommandFailure::no(format!("there is no time zone `{}`", self.timezone)))?;
        let host = self.host.clone().unwrap_or_else(logstead_flow::machine::host_name);
        let context = LineDefaults { host, timezone: self.timezone.clone() };
        let inputs = self.files.iter().map(ImportFile::open).collect::<Result<Vec<_>, _>>()?;
        let started = Instant::now();
        let ImportTotals { messages, bytes, rejected } = match self.server.unless(self.place.data.as_ref())? {
            Some(remote) => {
                let logspace = self.logspace.clone();
                import(inputs, &mut Server { remote, logspace, context })
            }
            None => self.store_in_data(inputs, context, zone),
        }?;
        let seconds = started.elapsed().as_secs_f64();
        let summary = format!("{messages} messages, {bytes} bytes, {seconds:.1} s");
        text::line(&summary)?;
        if rejected == 0 { Ok(()) } else { Err(CommandFailure::no(format!("{rejected} lines were refused"))) }
    }

    /// Stores the inputs in a data directory. Segments are sealed meanwhile, so that searches are fast afterwards.
    fn store_in_data(
        &self,
        inputs: Vec<ImportFile>,
        context: LineDefaults,
        zone: TimeZone,
    ) -> Result<ImportTotals> {
        let settings = self.place.load()?;
        let data = &settings.data;
        rights::keep_to_owner();
        let is_new = !data.join("logspaces").exists();
        let store = LockedStore::create(data, options(&settings))?;
        if is_new {
            // A store with messages but without a database would look as if the database had been lost.
            Meta::open(&starting::database(data)).map_err(CommandFailure::environment)?;
        }
        let OpenLogspace { appender, keeper, .. } = store.open_or_create(&self.logspace)?;
        let (bell, rung) = bounded(1);
        let syslog = SyslogParser::of_lines(SourceFormat::Auto, zone);
        std::thread::scope(|scope| {
            for _ in 0..Shares::of_process(&settings).sealers {
                let (keeper, rung) = (keeper.clone(), rung.clone());
                scope.spawn(move || seal(&keeper, &rung));
            }
            let mut target = Data { appender, keeper: keeper.clone(), bell, syslog, context };
            let imported = import(inputs, &mut target);
            if let Err(error) =
                target.appender.close_old(Timestamp::MAX).and_then(|()| target.appender.close())
            {
                text::error(&format!("warning: the last messages could not be sealed: {error}"));
            }
            // This drops the bell: the sealers end once everything is sealed.
            drop(target);
            imported
        })
    }
}

/// Seals whenever the bell rings, and everything that is left at the end.
fn seal(keeper: &Keeper, rung: &Receiver<()>) {
    loop {
        let is_last = rung.recv().is_err();
        while let Some(task) = keeper.next_task(false) {
            if let Err(error) = keeper.run(&task, &|| false) {
                let task = task.describe();
                text::error(&format!("warning: could not {task}; a server will try again: {error}"));
                return;
            }
        }
        if is_last {
            return;
        }
    }
}

impl ImportFile {
    fn open(path: &PathBuf) -> Result<ImportFile> {
        let name = path.display().to_string();
        let failed = |error: io::Error| CommandFailure::no(format!("{name}: {error}"));
        let (mut reader, bytes, written): (Box<dyn BufRead>, _, _) = if name == "-" {
            (Box::new(BufReader::with_capacity(CHUNK_BYTES, io::stdin())), None, None)
        } else {
            let file = File::open(path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            if metadata.is_dir() {
                return Err(CommandFailure::no(format!("{name} is a folder: name the files in it")));
            }
            let bytes = metadata.is_file().then_some(metadata.len());
            let written = metadata.modified().ok().map(Timestamp::from);
            (Box::new(BufReader::with_capacity(CHUNK_BYTES, file)), bytes, written)
        };
        let beginning = reader.fill_buf().map_err(failed)?;
        match COMPRESSED.iter().find(|(magic, _)| beginning.starts_with(magic)) {
            Some((_, hint)) => Err(CommandFailure::no(format!("{name} is compressed with {hint}"))),
            None => Ok(ImportFile { name, bytes, written, reader }),
        }
    }
}

/// Stores everything from the inputs. A failure says how much was stored before it.
fn import(inputs: Vec<ImportFile>, target: &mut dyn ImportTarget) -> Result<ImportTotals> {
    let total_bytes: Option<u64> = inputs.iter().map(|input| input.bytes).sum();
    let progress = ByteProgress::new("import", total_bytes);
    let mut all = ImportTotals::default();
    for mut input in inputs {
        let mut imported = ImportTotals::default();
        let copied = copy(&mut input, &progress, target, &mut imported);
        all.add(&imported);
        let so_far = |error: String| {
            let ImportTotals { messages, .. } = all;
            let bytes = imported.bytes;
            format!(
                "{error}\n{messages} messages are stored, including those in the first {bytes} bytes of {}",
                input.name
            )
        };
        copied.map_err(|failure| match failure {
            CommandFailure::No(error) => CommandFailure::No(so_far(error)),
            CommandFailure::Environment(error) => CommandFailure::Environment(so_far(error)),
        })?;
    }
    Ok(all)
}

fn copy(
    input: &mut ImportFile,
    progress: &ByteProgress,
    target: &mut dyn ImportTarget,
    imported: &mut ImportTotals,
) -> Result<()> {
    let mut pending = Vec::new();
    loop {
        let read = read_some(&mut *input.reader, &mut pending);
        let read = read.map_err(|error| CommandFailure::environment(format!("{}: {error}", input.name)))?;
        let is_end = read == 0;
        let end = whole_lines(&pending, is_end);
        if COMMIT_BYTES_MAX <= end || is_end && 0 < end {
            imported.add(&target.store(&pending[..end], input.written)?);
            progress.add(end as u64);
            pending.drain(..end);
        }
        if is_end {
            return Ok(());
        }
    }
}

/// The number of bytes that can be stored as lines: those of complete lines, and of a line that is too long to wait
/// for its end.
fn whole_lines(pending: &[u8], is_end: bool) -> usize {
    if is_end {
        return pending.len();
    }
    match memchr::memrchr(b'\n', pending) {
        Some(end) => end + 1,
        None if LINE_BYTES_MAX <= pending.len() => pending.len(),
        None => 0,
    }
}

impl ImportTotals {
    fn add(&mut self, other: &ImportTotals) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.rejected += other.rejected;
    }
}

/// Adds the bytes that can be read at once to `pending`; 0 at the end.
fn read_some(reader: &mut dyn BufRead, pending: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        let read = match reader.fill_buf() {
            Ok(bytes) => {
                pending.extend_from_slice(bytes);
                bytes.len()
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        reader.consume(read);
        return Ok(read);
    }
}

/// A data directory.
struct Data {
    appender: Appender,
    keeper: Keeper,
    bell: crossbeam_channel::Sender<()>,
    syslog: SyslogParser,
    context: LineDefaults,
}

impl ImportTarget for Data {
    fn store(&mut self, lines: &[u8], written: Option<Timestamp>) -> Result<ImportTotals> {
        let received = clock::now();
        let (host, written) = (self.context.host.as_bytes(), written.unwrap_or(received));
        let encoded =
            parse(lines, &self.syslog, FrameContext { peer: host, written, ..FrameContext::at(received) });
        self.appender.append(&encoded).map_err(CommandFailure::environment)?;
        if 0 < self.keeper.backlog().files {
            // If the bell is ringing already, that is enough.
            self.bell.try_send(()).ok();
        }
        let messages = encoded.iter().map(|batch| batch.rows() as u64).sum();
        Ok(ImportTotals { messages, bytes: lines.len() as u64, rejected: 0 })
    }
}

/// Parses lines as batches of about [`CHUNK_BYTES`] each.
fn parse(lines: &[u8], syslog: &SyslogParser, known: FrameContext<'_>) -> Vec<EncodedBatch> {
    let received = known.received;
    let (mut encoded, mut builder, mut bytes) = (Vec::new(), BatchBuilder::new(), 0);
    for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        if builder.rows() == 0 {
            builder.origin(Origin { source: b"import", peer: b"", received });
        }
        syslog.parse(line, known, &mut builder);
        bytes += line.len();
        if CHUNK_BYTES <= bytes {
            encoded.push(encode(Arc::new(builder.seal())));
            bytes = 0;
        }
    }
    if 0 < builder.rows() {
        encoded.push(encode(Arc::new(builder.seal())));
    }
    encoded
}

/// A running server.
struct Server {
    remote: Remote,
    logspace: String,
    context: LineDefaults,
}

impl ImportTarget for Server {
    fn store(&mut self, lines: &[u8], written: Option<Timestamp>) -> Result<ImportTotals> {
        let Server { remote, logspace, context } = self;
        let url = remote.server.clone();
        let unreachable = |error: ureq::Error| CommandFailure::environment(format!("{url}: {error}"));
        let written = written.map(|written| written.to_string());
        let mut answer = remote
            .upload("ingest", &[("Content-Type", "text/plain")])?
            .query("logspace", logspace)
            .query("format", "auto")
            .query("host", &context.host)
            .query("timezone", &context.timezone)
            .query_pairs(written.iter().map(|written| ("written", written)))
            .send(lines)
            .map_err(unreachable)?;
        let body: Value = answer.body_mut().read_json().map_err(unreachable)?;
        let status = answer.status();
        for error in body["errors"].as_array().into_iter().flatten() {
            text::error(&format!("a line was refused: {}", error["reason"].as_str().unwrap_or_default()));
        }
        let count = |name: &str| body[name].as_u64().unwrap_or_default();
        if status.is_success() || 0 < count("rejected") {
            let (messages, rejected) = (count("accepted"), count("rejected"));
            return Ok(ImportTotals { messages, bytes: lines.len() as u64, rejected });
        }
        let detail = body["detail"].as_str().or(body["title"].as_str()).unwrap_or("no reason given");
        let message = format!("{url}: {status}: {detail}");
        Err(refused(status, message))
    }
}
