//! The settings of the process, in layers: shipped defaults, a file, the environment, `--set`. A later layer wins.
//!
//! **Invariant:** every default is in the shipped file and nowhere else.

mod effective;
mod web;

use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::accounts::{self, Accounts};
use crate::auto::{CountOrAuto, SizeOrAuto};
use crate::document::place_all;
use crate::node::{DocumentNode, NodeOrigin, NodeValue, TableEntry};
use crate::problem::{Findings, Path, Problem, quoted};
use crate::read::{OneOrMore, choices};
use crate::table_reader::TableReader;
use crate::unit::{Period, Size};

pub use effective::{EffectiveSetting, Layer, in_force};
pub use web::{Web, WebListener};

/// The shipped file, with every setting, its default and its meaning.
pub const DEFAULT_SETTINGS_TOML: &str = include_str!("../logstead.toml");

/// The settings of the process, read when it starts.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The directory that holds everything.
    pub data: PathBuf,
    /// The console and the API.
    pub web: Web,
    /// Logins.
    pub accounts: Accounts,
    /// The limits of requests.
    pub limits: LimitSettings,
    /// The use of memory.
    pub memory: MemorySettings,
    /// The storage of messages on disk.
    pub storage: StorageSettings,
    /// The folders that router documents may use.
    pub files: FileSettings,
    /// The use of threads.
    pub threads: ThreadSettings,
    /// The registry of senders.
    pub senders: SenderSettings,
    /// Metrics for Prometheus.
    pub metrics: MetricsSettings,
    /// Logstead's own log.
    pub log: LogSettings,
}

/// The settings of the registry of senders.
#[derive(Clone, PartialEq, Debug)]
pub struct SenderSettings {
    /// The time without messages after which a sender may count as silent.
    pub silent_after: Period,
}

/// The settings of metrics for Prometheus.
#[derive(Clone, PartialEq, Debug)]
pub struct MetricsSettings {
    /// The addresses at which they can be read without a login; may be empty.
    pub listen: Vec<WebListener>,
}

/// The limits of requests.
#[derive(Clone, PartialEq, Debug)]
pub struct LimitSettings {
    /// The largest body of one ingest request.
    pub ingest_body_max: Size,
    /// The greatest number of messages in one ingest request.
    pub ingest_messages_max: u32,
    /// The greatest number of concurrent searches.
    pub searches_max: u32,
    /// The longest time that a search may take.
    pub search_time_max: Period,
    /// The memory that the result of one search may use while it is computed.
    pub query_memory_max: SizeOrAuto,
    /// The greatest number of concurrent live tails.
    pub tails_max: u32,
    /// The greatest number of messages per second in each live tail.
    pub tail_rate_max: u32,
    /// The greatest number of concurrent exports.
    pub exports_max: u32,
}

/// The use of memory.
#[derive(Clone, PartialEq, Debug)]
pub struct MemorySettings {
    /// The memory of the process. Each of the other limits is a share of it, unless it is given as a size.
    pub max: SizeOrAuto,
    /// The newest messages kept in memory for fast searches, over all logspaces.
    pub tail_max: SizeOrAuto,
    /// Parts of the segments' indexes kept in memory, over all logspaces.
    pub index_max: SizeOrAuto,
    /// Messages received by one source and not stored yet.
    pub source_queue_max: SizeOrAuto,
}

/// The storage of messages on disk: first in journal files, then in segments.
#[derive(Clone, PartialEq, Debug)]
pub struct StorageSettings {
    /// A journal file is sealed when its newest message is older than this, however small it is.
    pub seal_after: Period,
    /// The greatest size of a journal file.
    pub journal_file_max: Size,
    /// The greatest number of messages in a journal file or segment.
    pub segment_rows_max: u32,
    /// The space that the files of export jobs may take together.
    pub export_files_max: Size,
    /// The time for which the file of an export job is kept.
    pub export_files_age: Period,
}

/// The folders in which a router document may name files. Paths are absolute, and subfolders are included.
#[derive(Clone, PartialEq, Debug)]
pub struct FileSettings {
    /// Folders that file sources may read.
    pub read: Vec<String>,
    /// Folders that destinations may write to, besides `forward` in the data directory.
    pub write: Vec<String>,
    /// Folders for unix sockets, besides `run` in the data directory.
    pub sockets: Vec<String>,
}

/// The use of threads.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadSettings {
    /// Threads that parse, route and compress.
    pub workers: CountOrAuto,
    /// Threads that make segments of full journal files.
    pub sealers: CountOrAuto,
}

/// The settings of Logstead's own log.
#[derive(Clone, PartialEq, Debug)]
pub struct LogSettings {
    /// The least urgent level that is written.
    pub level: LogLevel,
    /// The format of lines on standard error.
    pub format: LogFormat,
}

choices! {
    /// The format of a line of our own log on standard error.
    pub enum LogFormat: "log format" {
        /// For people.
        Text = "text",
        /// A JSON object in each line.
        Json = "json",
    }
}

choices! {
    /// The level of a line of our own log.
    pub enum LogLevel: "log level" {
        /// Something failed.
        Error = "error",
        /// Something may fail.
        Warn = "warn",
        /// Something happened.
        Info = "info",
        /// Details for finding a fault.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}

/// The layers over the shipped defaults, in this order.
#[derive(Clone, Default, Debug)]
pub struct Layers {
    /// The text of the file that `--config` names. Problems that have a line are about this text.
    pub file: Option<String>,
    /// The process's environment. Variables that are not settings are ignored.
    pub env: Vec<(String, String)>,
    /// Arguments of `--set`: `key=value`.
    pub set: Vec<String>,
}

/// Merges the layers and reads the result, or reports everything that is wrong with it.
pub fn load(layers: &Layers) -> Result<Settings, Vec<Problem>> {
    let mut findings = Findings::default();
    let node = merged_layers(layers, &mut findings)?;
    let settings = read(&node, &mut findings);
    let settings = place_all(settings, &findings, &node, layers.file.as_deref().unwrap_or_default())?;
    Ok(settings.expect("the defaults hold every setting, so whatever could not be read was found wrong"))
}

/// Merges the layers.
fn merged_layers(layers: &Layers, findings: &mut Findings) -> Result<DocumentNode, Vec<Problem>> {
    let text = layers.file.as_deref().unwrap_or_default();
    let defaults = DocumentNode::from_toml(DEFAULT_SETTINGS_TOML)?;
    let names = names(&defaults);
    let mut node = merged(defaults, DocumentNode::from_toml(text)?);
    for (variable, value) in &layers.env {
        match variable_path(variable, &names) {
            VariableKind::Setting(path) => {
                node = with(node, &path, DocumentNode::bare(value, NodeOrigin::Named(variable.clone())))
            }
            VariableKind::Misspelt(meant) => {
                findings.value(
                    &Path::default().key(variable),
                    format!("is not a setting (did you mean `{meant}`?)"),
                );
            }
            VariableKind::Foreign => {}
        }
    }
    for argument in &layers.set {
        match argument.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                let path: Vec<&str> = key.split('.').collect();
                node =
                    with(node, &path, DocumentNode::bare(value, NodeOrigin::Named(format!("--set {key}"))));
            }
            _ => {
                let message =
                    format!("{} is not `key=value`, like `web.listen=127.0.0.1:8080`", quoted(argument));
                findings.value(&Path::default().key("--set"), message);
            }
        }
    }
    // The whole has several origins, so a problem of no single value has no position.
    node.origin = NodeOrigin::Unplaced;
    Ok(node)
}

/// Reads every field before the first that is missing ends it, so that all problems are found.
macro_rules! all {
    ($type:ident { $($field:ident: $read:expr),+ $(,)? }) => {{
        $(let $field = $read;)+
        Some($type { $($field: $field?),+ })
    }};
}

fn read(node: &DocumentNode, findings: &mut Findings) -> Option<Settings> {
    let mut fields = TableReader::of(node, &Path::default(), findings)?;
    let data = fields.optional::<String>("data");
    if data.as_deref().is_some_and(|data| data.is_empty() || data.contains('\0')) {
        fields.note("data", "must name a directory, like `data`");
    }
    let web = fields.table("web", None, Web::read);
    let accounts = fields.table("accounts", None, accounts::read);
    let limits = fields.table("limits", None, read_limits);
    let memory = fields.table("memory", None, read_memory);
    let storage = fields.table("storage", None, read_storage);
    let files = fields.table("files", None, read_files);
    let threads = fields.table("threads", None, |fields| {
        all!(ThreadSettings { workers: fields.optional("workers"), sealers: fields.optional("sealers") })
    });
    let senders = fields.table("senders", None, |fields| {
        let range = Period::seconds(1)..=Period::seconds(30 * 86_400);
        Some(SenderSettings { silent_after: fields.optional_within("silent_after", range)? })
    });
    let metrics = fields.table("metrics", None, |fields| {
        Some(MetricsSettings { listen: fields.optional::<OneOrMore<WebListener>>("listen")?.0 })
    });
    let log = fields.table("log", None, |fields| {
        all!(LogSettings { level: fields.optional("level"), format: fields.optional("format") })
    });
    let has_providers = accounts.as_ref().is_some_and(|accounts| !accounts.oidc.is_empty());
    if has_providers && web.as_ref().is_some_and(|web| web.public_url.is_empty()) {
        let message = "needs `web.public_url`: the provider sends browsers back to that address";
        fields.note("accounts", message);
    }
    fields.finish();
    Some(Settings {
        data: data?.into(),
        web: web?,
        accounts: accounts?,
        limits: limits?,
        memory: memory?,
        storage: storage?,
        files: files?,
        threads: threads?,
        senders: senders?,
        metrics: metrics?,
        log: log?,
    })
}

fn read_limits(fields: &mut TableReader<'_>) -> Option<LimitSettings> {
    all!(LimitSettings {
        ingest_body_max: fields.optional_within("ingest_body_max", Size::kib(1)..=Size::gib(1)),
        ingest_messages_max: fields.optional_within("ingest_messages_max", 1..=100_000_000),
        searches_max: fields.optional_within("searches_max", 1..=1000),
        search_time_max: fields
            .optional_within("search_time_max", Period::millis(100)..=Period::seconds(3600)),
        query_memory_max: amount(fields, "query_memory_max", Size::mib(1)..=Size::gib(64)),
        tails_max: fields.optional_within("tails_max", 1..=1000),
        tail_rate_max: fields.optional_within("tail_rate_max", 1..=1_000_000),
        exports_max: fields.optional_within("exports_max", 1..=100),
    })
}

fn read_memory(fields: &mut TableReader<'_>) -> Option<MemorySettings> {
    all!(MemorySettings {
        max: amount(fields, "max", Size::mib(64)..=Size::gib(65_536)),
        tail_max: amount(fields, "tail_max", Size::mib(1)..=Size::gib(1024)),
        index_max: amount(fields, "index_max", Size::mib(1)..=Size::gib(1024)),
        source_queue_max: amount(fields, "source_queue_max", Size::mib(1)..=Size::gib(64)),
    })
}

/// Reads `auto`, or a size within these limits.
fn amount(
    fields: &mut TableReader<'_>,
    key: &'static str,
    range: RangeInclusive<Size>,
) -> Option<SizeOrAuto> {
    let amount: SizeOrAuto = fields.optional(key)?;
    if let Some(size) = amount.exactly().filter(|size| !range.contains(size)) {
        fields.note(key, format!("must be `auto`, or {} to {}, not {size}", range.start(), range.end()));
    }
    Some(amount)
}

fn read_storage(fields: &mut TableReader<'_>) -> Option<StorageSettings> {
    all!(StorageSettings {
        seal_after: fields.optional_within("seal_after", Period::seconds(1)..=Period::days(365)),
        journal_file_max: fields.optional_within("journal_file_max", Size::mib(1)..=Size::gib(1)),
        segment_rows_max: fields.optional_within("segment_rows_max", 1000..=1 << 22),
        export_files_max: fields.optional_within("export_files_max", Size::kib(1)..=Size::gib(65_536)),
        export_files_age: fields.optional_within("export_files_age", Period::seconds(1)..=Period::days(7)),
    })
}

fn read_files(fields: &mut TableReader<'_>) -> Option<FileSettings> {
    let mut folders = |key| {
        let folders = fields.optional::<Vec<String>>(key);
        if let Some(wrong) = folders.iter().flatten().find(|folder| !is_folder(folder)) {
            let message =
                format!("{} is not a folder: write it like `/var/log`, without `..`", quoted(wrong));
            fields.note(key, message);
        }
        folders
    };
    all!(FileSettings { read: folders("read"), write: folders("write"), sockets: folders("sockets") })
}

/// Whether a path is absolute and has no `..`.
fn is_folder(path: &str) -> bool {
    path.starts_with('/') && !path.contains('\0') && path.split('/').all(|part| part != "..")
}

/// The meaning of an environment variable.
enum VariableKind<'a> {
    /// The setting at this path.
    Setting(Vec<String>),
    /// A variable that is not a setting, but has a name similar to this one.
    Misspelt(&'a str),
    /// A variable of another program.
    Foreign,
}

/// Interprets a variable. `LOGSTEAD_A__B` is the setting `a.b`, whether it exists or not. Without a `__` it is a setting
/// only if that exists: the same prefix is used by variables that an orchestrator sets for a service of our name
/// (`LOGSTEAD_PORT_8080_TCP`), and the administrator's password and token, which are not settings.
fn variable_path<'a>(variable: &str, names: &'a [String]) -> VariableKind<'a> {
    let Some(rest) = variable.strip_prefix("LOGSTEAD_") else { return VariableKind::Foreign };
    let path: Vec<String> = rest.split("__").map(str::to_lowercase).collect();
    let joined = format!("LOGSTEAD_{}", path.join("__").to_uppercase());
    if path.len() > 1 || names.contains(&joined) {
        return VariableKind::Setting(path);
    }
    let squeezed = |name: &str| name.replace('_', "");
    match names.iter().find(|name| squeezed(name) == squeezed(&joined)) {
        Some(meant) => VariableKind::Misspelt(meant),
        None => VariableKind::Foreign,
    }
}

/// The environment variable of every setting below `node`.
fn names(node: &DocumentNode) -> Vec<String> {
    let mut names = Vec::new();
    collect_names(node, "LOGSTEAD", "_", &mut names);
    names
}

fn collect_names(node: &DocumentNode, name: &str, separator: &str, names: &mut Vec<String>) {
    let NodeValue::Table(entries) = &node.value else {
        names.push(name.to_owned());
        return;
    };
    for entry in entries {
        let below = format!("{name}{separator}{}", entry.key.to_uppercase());
        collect_names(&entry.node, &below, "__", names);
    }
}

/// `over` on top of `base`: tables are joined key by key, anything else is replaced.
fn merged(base: DocumentNode, over: DocumentNode) -> DocumentNode {
    let (NodeValue::Table(mut entries), NodeValue::Table(upper)) = (base.value, over.value.clone()) else {
        return over;
    };
    for upper in upper {
        match entries.iter_mut().find(|entry| entry.key == upper.key) {
            Some(entry) => {
                let node = merged(entry.node.clone(), upper.node);
                *entry = TableEntry { node, ..upper };
            }
            None => entries.push(upper),
        }
    }
    DocumentNode::table(entries, over.origin)
}

/// `node` with `value` at `path`.
fn with(node: DocumentNode, path: &[impl AsRef<str>], value: DocumentNode) -> DocumentNode {
    let origin = value.origin.clone();
    let nested = path.iter().rev().fold(value, |node, key| {
        let entry = TableEntry { key: key.as_ref().to_owned(), key_origin: origin.clone(), node };
        DocumentNode::table(vec![entry], origin.clone())
    });
    merged(node, nested)
}
