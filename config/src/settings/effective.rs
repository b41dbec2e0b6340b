//! The effective settings, each with its default and its origin, so that an operator sees which layer won.
//!
//! **Invariant:** no secret is shown. Secrets are in files that a setting names, or only in the environment; the user
//! and the password of a proxy are left out.

use super::{DEFAULT_SETTINGS_TOML, Layers, merged_layers};
use crate::destination::without_password;
use crate::node::{DocumentNode, NodeOrigin, NodeValue, TableEntry};
use crate::problem::{Findings, Path, Problem};

/// An effective setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EffectiveSetting {
    /// The key, dotted as for `--set`.
    pub key: String,
    /// The value as written; a single text is without its quotes.
    pub value: String,
    /// The default value.
    pub default: String,
    /// The layer that it comes from.
    pub from: Layer,
    /// Its description in the shipped file.
    pub about: String,
}

/// The layer of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layer {
    /// The shipped defaults.
    Default,
    /// The line of the settings file, from 1.
    File(usize),
    /// The name of an environment variable or argument.
    Named(String),
}

/// Every setting, in the order of the shipped file.
pub fn in_force(layers: &Layers) -> Result<Vec<EffectiveSetting>, Vec<Problem>> {
    let shipped = DocumentNode::from_toml(DEFAULT_SETTINGS_TOML)?;
    let text = layers.file.as_deref().unwrap_or_default();
    let file = DocumentNode::from_toml(text)?;
    let whole = merged_layers(layers, &mut Findings::default())?;
    let mut found = Vec::new();
    each_setting(&shipped, &Path::default(), &mut |path, default, place| {
        let Some(node) = whole.at(path) else { return };
        let from = match (&node.origin, file.at(path).map(|node| &node.origin)) {
            (NodeOrigin::Named(name), _) => Layer::Named(name.clone()),
            (_, Some(NodeOrigin::Text(range))) => Layer::File(line_of(text, range.start)),
            _ => Layer::Default,
        };
        found.push(EffectiveSetting {
            key: path.to_string(),
            value: written(node),
            default: written(default),
            from,
            about: comment_above(DEFAULT_SETTINGS_TOML, place),
        });
    });
    Ok(found)
}

/// Calls `found` with the path, the node and the position of the key of everything that is not a table.
fn each_setting(node: &DocumentNode, path: &Path, found: &mut impl FnMut(&Path, &DocumentNode, usize)) {
    let NodeValue::Table(entries) = &node.value else { return };
    for entry in entries {
        let below = path.key(&entry.key);
        match (&entry.node.value, &entry.key_origin) {
            (NodeValue::Table(_), _) => each_setting(&entry.node, &below, found),
            (_, NodeOrigin::Text(range)) => found(&below, &entry.node, range.start),
            _ => {}
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The comment above the line of `at`, as one text.
fn comment_above(text: &str, at: usize) -> String {
    let before = text.get(..at).and_then(|before| before.rsplit_once('\n')).map_or("", |(before, _)| before);
    let mut lines: Vec<&str> = before.rsplit('\n').map_while(|line| line.strip_prefix('#')).collect();
    lines.reverse();
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// A value as a person writes it.
fn written(node: &DocumentNode) -> String {
    match &node.value {
        NodeValue::Text(text) | NodeValue::Bare(text) => text.clone(),
        _ => nested(node),
    }
}

fn nested(node: &DocumentNode) -> String {
    match &node.value {
        NodeValue::Null => String::new(),
        NodeValue::Boolean(value) => value.to_string(),
        NodeValue::Integer(number) => number.to_string(),
        NodeValue::Fraction(number) => number.to_string(),
        NodeValue::Text(text) | NodeValue::Bare(text) => format!("{text:?}"),
        NodeValue::Other(name) => (*name).to_owned(),
        NodeValue::List(nodes) => format!("[{}]", nodes.iter().map(nested).collect::<Vec<_>>().join(", ")),
        NodeValue::Table(entries) => {
            let entry = |TableEntry { key, node, .. }: &TableEntry| match &node.value {
                NodeValue::Text(text) if key == "proxy" => format!("{key} = {:?}", without_password(text)),
                _ => format!("{key} = {}", nested(node)),
            };
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

impl DocumentNode {
    /// The node at a path, if there is one.
    fn at(&self, path: &Path) -> Option<&DocumentNode> {
        path.0.iter().try_fold(self, |node, step| node.child(step).map(|(_, below)| below))
    }
}
