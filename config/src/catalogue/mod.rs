//! The settings of the router document. The parser takes defaults and limits from here, and the console its forms; what
//! they mean is told in the manual, whose tables have the same keys, defaults and limits.
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

/// Makes an item. A key that is in two groups takes its position from the later group and its row from the earlier
/// one.
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
