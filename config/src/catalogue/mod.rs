//! The settings of the router document, each described once. The parser takes defaults and limits from here, the console its
//! forms, and the manual its tables.
//!
//! **Invariant:** a key that the parser reads has a row, and its default can be read (a key without one panics in every
//! test that reads a document).

mod destinations;
mod kinds;
mod rows;
mod setting;
mod sources;

pub use destinations::DestinationType;
pub use setting::{DefaultValue, Setting, SettingKind};
pub use sources::SourceType;

pub(crate) use destinations::DESTINATION;
pub(crate) use rows::{LOGSPACE, ROUTE};
pub(crate) use setting::find;
pub(crate) use sources::SOURCE;

use crate::read::Choice;
use kinds::KindForm;

/// The keys of one kind of item.
#[derive(Clone, Debug)]
pub struct CatalogueItem {
    /// The list of the document that contains it.
    pub section: &'static str,
    /// The kind; empty if all items of a section are of one kind.
    pub kind: &'static str,
    /// The name of the kind for people.
    pub label: &'static str,
    /// The keys that a new item has besides its id and kind, in TOML.
    pub initial: &'static str,
    /// Its keys in the order of the form, `id` and `kind` included.
    pub settings: Vec<&'static Setting>,
}

/// A table of the manual.
#[derive(Clone, Debug)]
pub struct ManualTable {
    /// The name in the markers around it.
    pub name: String,
    /// Its rows.
    pub settings: Vec<&'static Setting>,
}

/// Every kind of item with all its keys.
pub fn catalogue() -> Vec<CatalogueItem> {
    let sources = SourceType::NAMES.iter().map(|(kind, source)| {
        let form = source.form();
        item("sources", kind, &form, &[&[SOURCE], form.settings].concat())
    });
    let destinations = DestinationType::NAMES.iter().map(|(kind, destination)| {
        let form = destination.form();
        item("destinations", kind, &form, form.settings)
    });
    let only = |section, label, settings: &'static [Setting]| {
        let form = KindForm { label, initial: "", settings: &[] };
        item(section, "", &form, &[settings])
    };
    let mut items: Vec<CatalogueItem> = sources.collect();
    items.push(only("logspaces", "Logspace", LOGSPACE));
    items.extend(destinations);
    items.push(only("routes", "Route", ROUTE));
    items
}

/// The name that a key of the document has now, if this is an old one.
pub(crate) fn renamed(key: &str) -> Option<&'static str> {
    let mut settings = catalogue().into_iter().flat_map(|item| item.settings);
    settings.find(|setting| setting.old_key == Some(key)).map(|setting| setting.key)
}

/// The tables of the manual: one for each kind's own keys, and those of keys that several kinds share.
pub fn tables() -> Vec<ManualTable> {
    let table = |name: &str, settings: &'static [Setting]| ManualTable {
        name: name.to_owned(),
        settings: settings.iter().collect(),
    };
    let shared = [
        table("source", SOURCE),
        table("source reading", sources::READING),
        table("source gathering", sources::GATHERING),
        table("source sockets", sources::SOCKETS),
        table("logspace", LOGSPACE),
        table("destination", DESTINATION),
        table("destination stream", destinations::STREAM),
        table("destination token", destinations::TOKEN),
        table("destination posting", destinations::POSTING),
        table("destination http", destinations::HTTP),
        table("route", ROUTE),
    ];
    let sources = SourceType::NAMES.iter().map(|(kind, of)| (format!("source {kind}"), of.form()));
    let destinations =
        DestinationType::NAMES.iter().map(|(kind, of)| (format!("destination {kind}"), of.form()));
    let own =
        sources.chain(destinations).filter_map(|(name, form)| Some(table(&name, form.settings.first()?)));
    shared.into_iter().chain(own).collect()
}

/// Makes an item. A key in two groups has the position in the later group, and the row of the earlier one.
fn item(
    section: &'static str,
    kind: &'static str,
    form: &KindForm,
    groups: &[&'static [Setting]],
) -> CatalogueItem {
    let all: Vec<&'static Setting> = groups.iter().copied().flatten().collect();
    let is_last = |at: usize| !all[at + 1..].iter().any(|later| later.key == all[at].key);
    let lasts = (0..all.len()).filter(|at| is_last(*at));
    let first = |at: usize| all.iter().find(|row| row.key == all[at].key).copied();
    let settings = lasts.filter_map(first).collect();
    CatalogueItem { section, kind, label: form.label, initial: form.initial, settings }
}
