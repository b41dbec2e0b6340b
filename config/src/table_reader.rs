//! Reads the keys of one table, and records everything that is wrong instead of stopping at the first problem.
//!
//! **Invariant:** a key that is never read is a problem, with the most similar key that is read.
//!
//! A key whose row in the catalogue has an old name is read under either, and findings name the one that is written.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::catalogue::{Setting, find};
use crate::node::{DocumentNode, NodeValue, TableEntry};
use crate::problem::{DocumentWarning, DocumentWarningCode, Findings, Path, did_you_mean, quoted};
use crate::read::ReadValue;

/// A type with limits: it has an order, and a text for messages about the limits.
pub(crate) trait Bounded: ReadValue + PartialOrd + Display {}

impl<T: ReadValue + PartialOrd + Display> Bounded for T {}

/// A reader of the keys of one table.
pub(crate) struct TableReader<'a> {
    entries: &'a [TableEntry],
    path: Path,
    known: Vec<&'static str>,
    findings: &'a mut Findings,
    /// The position of the keys in the catalogue: the table with its dot, and the groups.
    table: &'static str,
    groups: &'static [&'static [Setting]],
}

impl<'a> TableReader<'a> {
    /// A reader for a node that must be a table.
    pub(crate) fn of(
        node: &'a DocumentNode,
        path: &Path,
        findings: &'a mut Findings,
    ) -> Option<TableReader<'a>> {
        let NodeValue::Table(entries) = &node.value else {
            return findings.refuse(path, format!("must be a table, not {}", node.type_name()));
        };
        Some(TableReader { entries, path: path.clone(), known: Vec::new(), findings, table: "", groups: &[] })
    }

    /// Sets the groups of the catalogue that describe the keys read from now on.
    pub(crate) fn described_by(&mut self, groups: &'static [&'static [Setting]]) {
        self.groups = groups;
    }

    /// The value of `key`, or its default in the catalogue.
    pub(crate) fn get<T: ReadValue>(&mut self, key: &'static str) -> T {
        let row = self.row(key);
        self.optional(key).unwrap_or_else(|| row.standard())
    }

    /// Like [`TableReader::get`], but the value must also be within the limits of the catalogue.
    pub(crate) fn get_within<T: Bounded>(&mut self, key: &'static str) -> T {
        let row = self.row(key);
        self.optional_in_catalogue(key).unwrap_or_else(|| row.standard())
    }

    /// Like [`TableReader::optional`], but the value must also be within the limits of the catalogue.
    pub(crate) fn optional_in_catalogue<T: Bounded>(&mut self, key: &'static str) -> Option<T> {
        let value: T = self.optional(key)?;
        match self.row(key).limits::<T>() {
            (Some(min), Some(max)) if value < min || max < value => {
                self.note(key, format!("must be {min} to {max}, not {value}"));
            }
            (Some(min), None) if value < min => self.note(key, format!("must be at least {min}")),
            _ => {}
        }
        Some(value)
    }

    /// Reads a table of settings in which every key has a default. The table is named with its dot, such as
    /// `coalesce.`.
    pub(crate) fn settings_table<T>(
        &mut self,
        dotted: &'static str,
        read: impl Fn(&mut TableReader<'_>) -> T,
    ) -> T {
        let groups = self.groups;
        self.optional_table(dotted, &read).unwrap_or_else(|| defaults(groups, dotted, read))
    }

    /// Like [`TableReader::settings_table`], but `None` if the table is missing.
    pub(crate) fn optional_table<T>(
        &mut self,
        dotted: &'static str,
        read: impl FnOnce(&mut TableReader<'_>) -> T,
    ) -> Option<T> {
        let groups = self.groups;
        self.table(dotted.trim_end_matches('.'), None, |fields| {
            (fields.table, fields.groups) = (dotted, groups);
            Some(read(fields))
        })
    }

    /// The value of `key`, if present and valid. JSON's `null` counts as absent.
    pub(crate) fn optional<T: ReadValue>(&mut self, key: &'static str) -> Option<T> {
        let node = self.take(key)?;
        T::read(node, &self.path_of(key), self.findings)
    }

    /// The value of `key`, or `default` if it is missing.
    pub(crate) fn or<T: ReadValue>(&mut self, key: &'static str, default: T) -> T {
        self.optional(key).unwrap_or(default)
    }

    /// The value of `key`, which is required. If it is invalid or missing, the result is `stand_in`, with a finding.
    pub(crate) fn required<T: ReadValue>(&mut self, key: &'static str, stand_in: T) -> T {
        match self.take(key) {
            Some(node) => T::read(node, &self.path_of(key), self.findings).unwrap_or(stand_in),
            None => {
                self.note(key, "is missing");
                stand_in
            }
        }
    }

    /// Like [`TableReader::or`], for a table whose keys are read by `read`.
    pub(crate) fn table<T>(
        &mut self,
        key: &'static str,
        default: T,
        read: impl FnOnce(&mut TableReader<'_>) -> T,
    ) -> T {
        let Some(node) = self.take(key) else { return default };
        let Some(mut fields) = TableReader::of(node, &self.path_of(key), self.findings) else {
            return default;
        };
        let value = read(&mut fields);
        fields.finish();
        value
    }

    /// Like [`TableReader::optional`], but the value must also be in `range`.
    pub(crate) fn optional_within<T: Bounded>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<T>,
    ) -> Option<T> {
        let value = self.optional(key)?;
        if !range.contains(&value) {
            self.note(key, format!("must be {} to {}, not {value}", range.start(), range.end()));
        }
        Some(value)
    }

    /// A key of a later version: only its empty value is accepted here.
    pub(crate) fn later(&mut self, key: &'static str, empty: &NodeValue, instead: &str) {
        let Some(node) = self.take(key) else { return };
        let same = match (&node.value, empty) {
            (NodeValue::List(list), NodeValue::List(_)) => list.is_empty(),
            (value, empty) => value == empty,
        };
        if !same {
            self.note(key, format!("is not supported by this version: {instead}"));
        }
    }

    /// Records a finding about the value of `key`.
    pub(crate) fn note(&mut self, key: &'static str, message: impl Into<String>) {
        self.findings.value(&self.path_of(key), message);
    }

    /// Warns of each key that is written under its old name. `item` is the entry, such as "source `edge`".
    pub(crate) fn warn_of_old_keys(&mut self, item: &str) {
        for key in &self.known {
            if let Some(old) = self.entry(key).map(|entry| &entry.key).filter(|written| written != key) {
                self.findings.warnings.push(DocumentWarning {
                    code: DocumentWarningCode::OldKey,
                    path: self.path.to_string(),
                    message: format!("{item}: `{old}` is now called `{key}`, so rename it"),
                });
            }
        }
    }

    /// Records a finding for every key that was not read.
    pub(crate) fn finish(self) {
        let is_known = |entry: &&TableEntry| {
            let name = entry.key.as_str();
            self.known.iter().any(|key| *key == name || self.old_key(key) == Some(name))
        };
        let unknown: Vec<&TableEntry> = self.entries.iter().filter(|entry| !is_known(entry)).collect();
        for entry in unknown {
            let suggestion = did_you_mean(&entry.key, self.known.iter().copied());
            let hint = if suggestion.is_empty() {
                format!("; known here: {}", self.known.join(", "))
            } else {
                suggestion
            };
            let message = format!("unknown key {}{hint}", quoted(&entry.key));
            self.findings.key(&self.path.key(&entry.key), message);
        }
    }

    fn take(&mut self, key: &'static str) -> Option<&'a DocumentNode> {
        self.known.push(key);
        let entry = self.entry(key)?;
        if let Some(old) = self.old_key(key)
            && entry.key == key
            && self.written(old).is_some()
        {
            let message =
                format!("`{old}` is the old name of `{key}`, which is there as well: leave one of them out");
            self.findings.key(&self.path.key(old), message);
        }
        Some(&entry.node)
    }

    /// The entry of a key, under its name or its old one.
    fn entry(&self, key: &str) -> Option<&'a TableEntry> {
        self.written(key).or_else(|| self.written(self.old_key(key)?))
    }

    /// The entry that is written with this name and has a value.
    fn written(&self, name: &str) -> Option<&'a TableEntry> {
        let entries: &'a [TableEntry] = self.entries;
        entries.iter().find(|entry| entry.key == name && entry.node.value != NodeValue::Null)
    }

    /// The path of a key, as it is written.
    fn path_of(&self, key: &str) -> Path {
        self.path.key(self.entry(key).map_or(key, |entry| &entry.key))
    }

    fn old_key(&self, key: &str) -> Option<&'static str> {
        find(self.groups, self.table, key)?.old_key?.strip_prefix(self.table)
    }

    /// The row of a key, which has one.
    fn row(&self, key: &str) -> &'static Setting {
        find(self.groups, self.table, key)
            .unwrap_or_else(|| panic!("the catalogue has no row for `{}{key}`", self.table))
    }
}

/// The result of `read` for an empty table.
pub(crate) fn defaults<T>(
    groups: &'static [&'static [Setting]],
    table: &'static str,
    read: impl Fn(&mut TableReader<'_>) -> T,
) -> T {
    let (path, known, findings) = (Path::default(), Vec::new(), &mut Findings::default());
    read(&mut TableReader { entries: &[], path, known, findings, table, groups })
}
