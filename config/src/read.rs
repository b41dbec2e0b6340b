//! Reads typed values out of a [`Node`] and notes everything that is wrong on the way, instead of stopping at
//! the first thing.
//!
//! **Invariant:** a key that nobody asked for is a problem, with the nearest key that somebody did ask for.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

use ipnet::IpNet;

use crate::catalogue::{Setting, find};
use crate::node::{Entry, Node, Value};
use crate::problem::{Findings, Path, did_you_mean, one_of, quoted};
use crate::unit::{Period, Size};

/// How many entries any list may have.
const LIST_ITEMS_MAX: usize = 1000;

/// What a value can be read as. `None` means that a finding says why not.
pub(crate) trait Read: Sized {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Self>;
}

/// What has an order, and a text for the message that says which part of it is allowed.
pub(crate) trait Bounded: Read + PartialOrd + Display {}

impl<T: Read + PartialOrd + Display> Bounded for T {}

/// A type with few values, each with a name.
pub(crate) trait Choice: Copy + 'static {
    /// What the names are names of, as in "is not a {NOUN}".
    const NOUN: &'static str;
    const NAMES: &'static [(&'static str, Self)];
    /// Names that have a meaning, but not in this version.
    const LATER: &'static [&'static str] = &[];
}

/// The keys of one table, as they are asked for one after the other.
pub(crate) struct Fields<'a> {
    entries: &'a [Entry],
    path: Path,
    known: Vec<&'static str>,
    findings: &'a mut Findings,
    /// Where the keys stand in the catalogue: the table with its dot, and the groups.
    table: &'static str,
    groups: &'static [&'static [Setting]],
}

impl<'a> Fields<'a> {
    /// Of a node that must be a table.
    pub(crate) fn of(node: &'a Node, path: &Path, findings: &'a mut Findings) -> Option<Fields<'a>> {
        let Value::Table(entries) = &node.value else {
            findings.value(path, format!("must be a table, not {}", node.type_name()));
            return None;
        };
        Some(Fields { entries, path: path.clone(), known: Vec::new(), findings, table: "", groups: &[] })
    }

    /// From now on, these groups of the catalogue say what the keys can be.
    pub(crate) fn told_by(&mut self, groups: &'static [&'static [Setting]]) {
        self.groups = groups;
    }

    /// The value of `key`, or what the catalogue says.
    pub(crate) fn get<T: Read>(&mut self, key: &'static str) -> T {
        let row = find(self.groups, self.table, key);
        self.optional(key).unwrap_or_else(|| row.standard())
    }

    /// As [`Fields::get`], within the limits of the catalogue.
    pub(crate) fn get_within<T: Bounded>(&mut self, key: &'static str) -> T {
        let row = find(self.groups, self.table, key);
        self.optional_told(key).unwrap_or_else(|| row.standard())
    }

    /// As [`Fields::optional`], within the limits of the catalogue.
    pub(crate) fn optional_told<T: Bounded>(&mut self, key: &'static str) -> Option<T> {
        let value: T = self.optional(key)?;
        match find(self.groups, self.table, key).limits::<T>() {
            (Some(min), Some(max)) if value < min || max < value => {
                self.note(key, format!("must be {min} to {max}, not {value}"));
            }
            (Some(min), None) if value < min => self.note(key, format!("must be at least {min}")),
            _ => {}
        }
        Some(value)
    }

    /// A table of settings with its dot, such as `coalesce.`, all of which have defaults.
    pub(crate) fn told_table<T>(&mut self, dotted: &'static str, read: impl Fn(&mut Fields<'_>) -> T) -> T {
        let groups = self.groups;
        self.optional_table(dotted, &read).unwrap_or_else(|| defaults(groups, dotted, read))
    }

    /// As [`Fields::told_table`], where nothing counts without it.
    pub(crate) fn optional_table<T>(
        &mut self,
        dotted: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> Option<T> {
        let groups = self.groups;
        self.table(dotted.trim_end_matches('.'), None, |fields| {
            (fields.table, fields.groups) = (dotted, groups);
            Some(read(fields))
        })
    }

    /// The value of `key`, if it is there and right. JSON's `null` counts as not there.
    pub(crate) fn optional<T: Read>(&mut self, key: &'static str) -> Option<T> {
        let node = self.take(key)?;
        T::read(node, &self.path.key(key), self.findings)
    }

    /// The value of `key`, or `default` when it is not there.
    pub(crate) fn or<T: Read>(&mut self, key: &'static str, default: T) -> T {
        self.optional(key).unwrap_or(default)
    }

    /// The value of `key`, which must be there. A wrong one reads as `stand_in` beside the finding.
    pub(crate) fn required<T: Read>(&mut self, key: &'static str, stand_in: T) -> T {
        match self.take(key) {
            Some(node) => T::read(node, &self.path.key(key), self.findings).unwrap_or(stand_in),
            None => {
                self.findings.value(&self.path.key(key), "is missing");
                stand_in
            }
        }
    }

    /// Like [`Fields::or`], for a table: `read` is given its fields, or none when it is not there.
    pub(crate) fn table<T>(
        &mut self,
        key: &'static str,
        default: T,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> T {
        let Some(node) = self.take(key) else { return default };
        let Some(mut fields) = Fields::of(node, &self.path.key(key), self.findings) else { return default };
        let value = read(&mut fields);
        fields.finish();
        value
    }

    /// Like [`Fields::optional`], and the value must lie in `range`.
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
    pub(crate) fn later(&mut self, key: &'static str, empty: &Value, instead: &str) {
        let Some(node) = self.take(key) else { return };
        let same = match (&node.value, empty) {
            (Value::List(list), Value::List(_)) => list.is_empty(),
            (value, empty) => value == empty,
        };
        if !same {
            let message = format!("is not supported by this version: {instead}");
            self.findings.value(&self.path.key(key), message);
        }
    }

    /// Notes something about the value of `key`.
    pub(crate) fn note(&mut self, key: &'static str, message: impl Into<String>) {
        self.findings.value(&self.path.key(key), message);
    }

    /// Every key that was not asked for is a problem.
    pub(crate) fn finish(self) {
        let Fields { entries, path, known, findings, .. } = self;
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let suggestion = did_you_mean(&entry.key, known.iter().copied());
            let hint = if suggestion.is_empty() {
                format!("; known here: {}", known.join(", "))
            } else {
                suggestion
            };
            findings.key(&path.key(&entry.key), format!("unknown key {}{hint}", quoted(&entry.key)));
        }
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        let entries: &'a [Entry] = self.entries;
        let node = entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)?;
        (node.value != Value::Null).then_some(node)
    }
}

/// What `read` makes of a table that says nothing.
pub(crate) fn defaults<T>(
    groups: &'static [&'static [Setting]],
    table: &'static str,
    read: impl Fn(&mut Fields<'_>) -> T,
) -> T {
    let (path, known, findings) = (Path::default(), Vec::new(), &mut Findings::default());
    read(&mut Fields { entries: &[], path, known, findings, table, groups })
}

/// Reads a string and then what it says.
pub(crate) fn parsed<T>(
    node: &Node,
    path: &Path,
    findings: &mut Findings,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    let text = String::read(node, path, findings)?;
    parse(&text).map_err(|message| findings.value(path, message)).ok()
}

/// The value that `text` names, or what it should have been.
pub(crate) fn choose<T: Choice>(text: &str) -> Result<T, String> {
    let names = || T::NAMES.iter().map(|(name, _)| *name);
    if let Some((_, value)) = T::NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    if T::LATER.contains(&text) {
        return Err(format!("`{text}` is not supported by this version: use {}", one_of(names())));
    }
    let suggestion = did_you_mean(text, names());
    Err(format!("{} is not a {}{suggestion}: use {}", quoted(text), T::NOUN, one_of(names())))
}

impl<T: Choice> Read for T {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<T> {
        parsed(node, path, findings, choose)
    }
}

impl Read for String {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<String> {
        match &node.value {
            Value::Text(text) | Value::Bare(text) => Some(text.clone()),
            _ => {
                findings.value(path, format!("must be a string, not {}", node.type_name()));
                None
            }
        }
    }
}

impl Read for bool {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<bool> {
        match &node.value {
            Value::Boolean(value) => return Some(*value),
            Value::Bare(text) if text == "true" => return Some(true),
            Value::Bare(text) if text == "false" => return Some(false),
            _ => findings.value(path, format!("must be true or false, not {}", node.type_name())),
        }
        None
    }
}

impl Read for u32 {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<u32> {
        let number = match &node.value {
            Value::Integer(number) => u32::try_from(*number).ok(),
            Value::Bare(text) => text.parse().ok(),
            _ => {
                findings.value(path, format!("must be a whole number, not {}", node.type_name()));
                return None;
            }
        };
        if number.is_none() {
            findings.value(path, format!("must be a whole number from 0 to {}", u32::MAX));
        }
        number
    }
}

impl Read for Size {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Size> {
        parsed(node, path, findings, |text| text.parse().map_err(|error| format!("{error}")))
    }
}

impl Read for Period {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Period> {
        parsed(node, path, findings, |text| text.parse().map_err(|error| format!("{error}")))
    }
}

impl Read for SocketAddr {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<SocketAddr> {
        parsed(node, path, findings, |text| {
            let hint = "write an address and a port, like `127.0.0.1:8080` or `[::1]:8080`";
            text.parse().map_err(|_| format!("{} is not an address to listen on: {hint}", quoted(text)))
        })
    }
}

impl Read for IpNet {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<IpNet> {
        parsed(node, path, findings, |text| {
            let hint = "write it like `10.0.0.0/8`, `192.0.2.7` or `2001:db8::/32`";
            let host = || text.parse::<IpAddr>().ok().map(IpNet::from);
            let network = text.parse().ok().or_else(host);
            network.ok_or_else(|| format!("{} is not a network: {hint}", quoted(text)))
        })
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Vec<T>> {
        let split;
        let nodes = match &node.value {
            Value::List(nodes) => nodes,
            // On a command line and in the environment there are no brackets.
            Value::Bare(text) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                split = items.map(|item| Node::bare(item, node.origin.clone())).collect();
                &split
            }
            _ => {
                findings.value(path, format!("must be a list, not {}", node.type_name()));
                return None;
            }
        };
        if nodes.len() > LIST_ITEMS_MAX {
            findings.value(path, format!("has {} entries, and the limit is {LIST_ITEMS_MAX}", nodes.len()));
            return None;
        }
        // All are read for their findings; a list with a hole would shift the indexes of what follows.
        let item = |(index, node)| T::read(node, &path.index(index), findings);
        let items: Vec<Option<T>> = nodes.iter().enumerate().map(item).collect();
        items.into_iter().collect()
    }
}
