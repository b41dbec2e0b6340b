//! Writes a document as TOML, either as a new text or into one that a person has written and commented.
//!
//! **Invariant:** the written text is read back as the same document.

use serde::Serialize;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Key, Table, TableLike, Value};

use crate::catalogue::renamed;
use crate::document::{Document, VERSION, from_toml};
use crate::node::DocumentNode;
use crate::problem::{Findings, Path};
use crate::read::ReadValue;

/// The document as canonical TOML: keys with their default values are left out.
pub fn to_toml(document: &Document) -> String {
    let empty = Document { version: VERSION, ..Document::default() };
    let mut text = DocumentMut::new();
    text.insert("version", toml_edit::value(i64::from(document.version)));
    merge(&mut text, &empty, document);
    text.to_string()
}

/// Edits `old_text` so that it means `new`. Unchanged parts stay as written, comments and old names of keys included. A
/// text that is not a document is replaced.
pub fn merge_into_toml(old_text: &str, new: &Document) -> String {
    let (Ok(old), Ok(mut text)) = (from_toml(old_text), old_text.parse::<DocumentMut>()) else {
        return to_toml(new);
    };
    merge(&mut text, &old, new);
    let merged = text.to_string();
    // A stored revision must be exactly right, even if its comments are lost.
    if from_toml(&merged).as_ref() == Ok(new) { merged } else { to_toml(new) }
}

/// An entry of one of the document's lists.
trait Listed: ReadValue + PartialEq + Serialize {}

impl<T: ReadValue + PartialEq + Serialize> Listed for T {}

fn merge(text: &mut DocumentMut, old: &Document, new: &Document) {
    merge_list(text, "sources", &old.sources, &new.sources, |source| &source.id);
    merge_list(text, "logspaces", &old.logspaces, &new.logspaces, |logspace| &logspace.id);
    merge_list(text, "destinations", &old.destinations, &new.destinations, |destination| &destination.id);
    merge_list(text, "routes", &old.routes, &new.routes, |route| &route.id);
}

fn merge_list<T: Listed>(text: &mut DocumentMut, key: &str, old: &[T], new: &[T], id: fn(&T) -> &str) {
    if old == new {
        return;
    }
    let tables = text.remove(key).and_then(|item| item.into_array_of_tables().ok()).unwrap_or_default();
    let mut tables: Vec<Option<Table>> = tables.into_iter().map(Some).collect();
    let end = last_position(text.as_table());
    let first = tables.iter().flatten().find_map(Table::position);
    let mut merged = ArrayOfTables::new();
    for entry in new {
        let same =
            old.iter().zip(&mut tables).find(|(before, table)| id(before) == id(entry) && table.is_some());
        let table = match same.and_then(|(before, table)| Some((before, table.take()?))) {
            Some((before, table)) => updated(table, before, entry),
            None => fresh(entry),
        };
        merged.push(table);
    }
    let mut at = first.unwrap_or(end);
    for table in merged.iter_mut() {
        at = placed_after(table, at);
    }
    if !merged.is_empty() {
        text.insert(key, Item::ArrayOfTables(merged));
    }
}

/// Makes sure that a table is printed after position `at`; returns its last position. Tables of one position
/// are printed in the order in which they are nested and listed.
fn placed_after(table: &mut Table, at: isize) -> isize {
    if table.position().is_none_or(|position| position < at) {
        set_positions(table, at);
    }
    last_position(table).max(at)
}

fn set_positions(table: &mut Table, at: isize) {
    table.set_position(Some(at));
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(table) => set_positions(table, at),
            Item::ArrayOfTables(tables) => tables.iter_mut().for_each(|table| set_positions(table, at)),
            Item::Value(_) | Item::None => {}
        }
    }
}

fn last_position(table: &Table) -> isize {
    let below = table.iter().flat_map(|(_, item)| match item {
        Item::Table(table) => vec![last_position(table)],
        Item::ArrayOfTables(tables) => tables.iter().map(last_position).collect(),
        Item::Value(_) | Item::None => Vec::new(),
    });
    below.chain(table.position()).max().unwrap_or(0)
}

/// A table for an entry that is not in the text.
fn fresh<T: Listed>(entry: &T) -> Table {
    let mut table = lean(entry);
    table.decor_mut().set_prefix("\n");
    table
}

/// The table of `before`, with the keys changed that differ in `after`.
fn updated<T: Listed>(mut table: Table, before: &T, after: &T) -> Table {
    if before == after {
        return table;
    }
    rename_old_keys(&mut table);
    let (old, new) = (full(before), full(after));
    if same(old.get("kind"), new.get("kind")) {
        update(&mut table, &old, &new);
        return table;
    }
    // An entry of another kind has other keys, so its table is made anew.
    let mut fresh = lean(after);
    *fresh.decor_mut() = table.decor().clone();
    fresh.set_position(table.position());
    fresh
}

/// Gives keys with old names those that they have now; their places and comments stay.
fn rename_old_keys(table: &mut Table) {
    let written: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    if written.iter().all(|key| renamed(key).is_none()) {
        return;
    }
    // A key cannot be changed where it is, so each moves behind the last one in turn.
    for key in &written {
        let Some((key, item)) = table.remove_entry(key) else { continue };
        let name = renamed(key.get()).map(|name| Key::new(name).with_leaf_decor(key.leaf_decor().clone()));
        table.insert_formatted(&name.unwrap_or(key), item);
    }
}

fn update(table: &mut dyn TableLike, old: &dyn TableLike, new: &dyn TableLike) {
    for (key, _) in old.iter().filter(|(key, _)| new.get(key).is_none()) {
        table.remove(key);
    }
    for (key, after) in new.iter() {
        let before = old.get(key);
        if !same(before, Some(after)) {
            set(table, key, before, after);
        }
    }
}

fn set(table: &mut dyn TableLike, key: &str, before: Option<&Item>, after: &Item) {
    let nested = (before.and_then(Item::as_table_like), after.as_table_like());
    match (table.get_mut(key), nested, after) {
        (Some(written), (Some(before), Some(after)), _) if written.is_table_like() => {
            let written = written.as_table_like_mut().expect("its presence was just checked");
            update(written, before, after);
        }
        (Some(Item::Value(written)), _, Item::Value(after)) => {
            let decor = written.decor().clone();
            *written = after.clone();
            *written.decor_mut() = decor;
        }
        _ => drop(table.insert(key, after.clone())),
    }
}

fn same(a: Option<&Item>, b: Option<&Item>) -> bool {
    let text = |item: &Item| item.to_string();
    a.map(text) == b.map(text)
}

/// Every key of an entry.
fn full<T: Serialize>(entry: &T) -> Table {
    let value =
        entry.serialize(toml_edit::ser::ValueSerializer::new()).expect("an entry is a table of plain values");
    let inline: InlineTable = match value {
        Value::InlineTable(inline) => inline,
        _ => InlineTable::new(),
    };
    inline.into_table()
}

/// The keys that an entry needs to keep its meaning, and those that a reader should not have to guess.
fn lean<T: Listed>(entry: &T) -> Table {
    const SHOWN: [&str; 1] = ["where"];
    let mut table = full(entry);
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys.iter().filter(|key| !SHOWN.contains(&key.as_str())) {
        let mut without = table.clone();
        without.remove(key);
        if reads_as(&without, entry) {
            table = without;
        }
    }
    table
}

fn reads_as<T: Listed>(table: &Table, entry: &T) -> bool {
    let Ok(node) = DocumentNode::from_toml(&table.to_string()) else { return false };
    let mut findings = Findings::default();
    let read = T::read(&node, &Path::default(), &mut findings);
    findings.is_empty() && read.as_ref() == Some(entry)
}
