//! The settings of the router document, each described once. The parser takes defaults and limits from here, the console its
//! forms, and the manual its tables.
//!
//! **Invariant:** a key that the parser reads has a row, and its default can be read (a key without one panics in every
//! test that reads a document).

mod destinations;
mod rows;
mod setting;
mod sources;

pub use setting::{DefaultValue, Setting, SettingKind};

pub(crate) use destinations::{
    DESTINATION, ELASTIC_DESTINATION, FILE_DESTINATION, LOKI_DESTINATION, NDJSON_DESTINATION,
    OTLP_DESTINATION, RELP_DESTINATION, S3_DESTINATION, SPLUNK_DESTINATION, STREAM_DESTINATION,
    SYSLOG_DESTINATION,
};
pub(crate) use rows::{LOGSPACE, ROUTE};
pub(crate) use setting::find;
pub(crate) use sources::{
    FILE_SOURCE, GELF_SOURCE, HTTP_SOURCE, OTLP_SOURCE, RELP_SOURCE, SOURCE, SYSLOG_SOURCE,
};

/// The keys of one kind of item.
#[derive(Clone, Debug)]
pub struct CatalogueItem {
    /// The list of the document that contains it.
    pub section: &'static str,
    /// The kind; empty if all items of a section are of one kind.
    pub kind: &'static str,
    /// Its keys in the order of the form, `id` and `kind` included.
    pub settings: Vec<&'static Setting>,
}

/// A table of the manual.
#[derive(Clone, Debug)]
pub struct ManualTable {
    /// The name in the markers around it.
    pub name: &'static str,
    /// Its rows.
    pub settings: Vec<&'static Setting>,
}

/// Every kind of item with all its keys.
pub fn catalogue() -> Vec<CatalogueItem> {
    let source = |kind, groups: &[&'static [Setting]]| item("sources", kind, &[&[SOURCE], groups].concat());
    let destination =
        |kind, groups: &[&'static [Setting]]| item("destinations", kind, &[groups, &[DESTINATION]].concat());
    vec![
        source("syslog", SYSLOG_SOURCE),
        source("relp", RELP_SOURCE),
        source("gelf", GELF_SOURCE),
        source("otlp", OTLP_SOURCE),
        source("file", FILE_SOURCE),
        source("http", HTTP_SOURCE),
        source("internal", &[]),
        item("logspaces", "", &[LOGSPACE]),
        destination("syslog", &[SYSLOG_DESTINATION, STREAM_DESTINATION]),
        destination("relp", &[RELP_DESTINATION, STREAM_DESTINATION]),
        destination("file", &[FILE_DESTINATION]),
        destination("s3", S3_DESTINATION),
        destination("elastic", ELASTIC_DESTINATION),
        destination("loki", LOKI_DESTINATION),
        destination("splunk_hec", SPLUNK_DESTINATION),
        destination("otlp", OTLP_DESTINATION),
        destination("ndjson_http", NDJSON_DESTINATION),
        item("routes", "", &[ROUTE]),
    ]
}

/// The name that a key of the document has now, if this is an old one.
pub(crate) fn renamed(key: &str) -> Option<&'static str> {
    let mut settings = catalogue().into_iter().flat_map(|item| item.settings);
    settings.find(|setting| setting.old_key == Some(key)).map(|setting| setting.key)
}

/// The tables of the manual. Keys that several kinds share have their own table.
pub fn tables() -> Vec<ManualTable> {
    let table = |name, groups: &[&'static [Setting]]| ManualTable {
        name,
        settings: groups.iter().copied().flatten().collect(),
    };
    vec![
        table("source", &[SOURCE]),
        table("source syslog", &[sources::OF_SYSLOG]),
        table("source relp", &[sources::OF_RELP]),
        table("source reading", &[sources::READING]),
        table("source gathering", &[sources::GATHERING]),
        table("source sockets", &[sources::SOCKETS]),
        table("source gelf", &[sources::OF_GELF]),
        table("source otlp", &[sources::OF_OTLP_SOURCE]),
        table("source file", &[sources::OF_FILES]),
        table("source http", &[sources::OF_HTTP]),
        table("logspace", &[LOGSPACE]),
        table("destination", &[DESTINATION]),
        table("destination syslog", &[SYSLOG_DESTINATION]),
        table("destination relp", &[RELP_DESTINATION]),
        table("destination stream", &[STREAM_DESTINATION]),
        table("destination file", &[FILE_DESTINATION]),
        table("destination s3", &[destinations::OF_S3]),
        table("destination elastic", &[destinations::OF_ELASTIC]),
        table("destination loki", &[destinations::OF_LOKI]),
        table("destination splunk_hec", &[destinations::OF_SPLUNK]),
        table("destination otlp", &[destinations::OF_OTLP]),
        table("destination ndjson_http", &[destinations::OF_NDJSON]),
        table("destination token", &[destinations::TOKEN]),
        table("destination posting", &[destinations::POSTING]),
        table("destination http", &[destinations::HTTP]),
        table("route", &[ROUTE]),
    ]
}

/// Makes an item. A key in two groups has the position in the later group, and the row of the earlier one.
fn item(section: &'static str, kind: &'static str, groups: &[&'static [Setting]]) -> CatalogueItem {
    let all: Vec<&'static Setting> = groups.iter().copied().flatten().collect();
    let is_last = |at: usize| !all[at + 1..].iter().any(|later| later.key == all[at].key);
    let lasts = (0..all.len()).filter(|at| is_last(*at));
    let first = |at: usize| all.iter().find(|row| row.key == all[at].key).copied();
    CatalogueItem { section, kind, settings: lasts.filter_map(first).collect() }
}
