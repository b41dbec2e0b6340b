//! The changes between two router documents, as ids and as sentences.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use crate::checked::Checked;
use crate::step::KINDS;

/// The differences between two documents.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    /// Sources to open, replace and close.
    pub sources: ChangedIds,
    /// Logspaces.
    pub logspaces: ChangedIds,
    /// Destinations.
    pub destinations: ChangedIds,
    /// Routes, without those that only moved.
    pub routes: ChangedIds,
    /// Whether routes that are in both documents have another order.
    pub reordered: bool,
    /// A sentence for each difference; empty when nothing differs.
    pub changes: Vec<String>,
}

/// The changes of the entries of one kind, by id.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ChangedIds {
    /// Only in the new document.
    pub added: Vec<String>,
    /// In both, and different.
    pub changed: Vec<String>,
    /// Only in the old document.
    pub removed: Vec<String>,
}

/// The key of a route's steps.
const STEPS: &str = "steps";

/// The differences of `new` from `old`.
pub fn diff(old: &Checked, new: &Checked) -> Changes {
    let mut changes = Vec::new();
    let sources = entries("source", &old.sources, &new.sources, &mut changes);
    let logspaces = entries("logspace", &old.logspaces, &new.logspaces, &mut changes);
    let destinations = entries("destination", &old.destinations, &new.destinations, &mut changes);
    let (old_routes, new_routes) = (routes(old), routes(new));
    let routes = entries("route", &old_routes, &new_routes, &mut changes);
    let reordered = is_reordered(old, new);
    if reordered {
        let order: Vec<String> = new.routes.iter().map(|route| format!("`{}`", route.route.id)).collect();
        changes.push(format!("routes are now in another order: {}", order.join(", ")));
    }
    Changes { sources, logspaces, destinations, routes, reordered, changes }
}

fn routes(checked: &Checked) -> Vec<&crate::route::Route> {
    checked.routes.iter().map(|route| &route.route).collect()
}

fn is_reordered(old: &Checked, new: &Checked) -> bool {
    let ids =
        |of: &Checked| -> Vec<String> { of.routes.iter().map(|route| route.route.id.clone()).collect() };
    let (mut old, mut new) = (ids(old), ids(new));
    let (before, after) = (old.clone(), new.clone());
    old.retain(|id| after.contains(id));
    new.retain(|id| before.contains(id));
    old != new
}

/// The keys of an entry, nested ones joined by dots, with their values as text.
type EntryKeys = BTreeMap<String, String>;

fn entries<T: Serialize>(noun: &str, old: &[T], new: &[T], changes: &mut Vec<String>) -> ChangedIds {
    let (old, new) = (by_id(old), by_id(new));
    let mut ids = ChangedIds::default();
    for (id, before) in &old {
        if !new.iter().any(|(other, _)| other == id) {
            ids.removed.push(id.clone());
            changes.push(format!("{noun} `{id}` is removed{}", summary(before)));
        }
    }
    for (id, after) in &new {
        match old.iter().find(|(other, _)| other == id) {
            None => {
                ids.added.push(id.clone());
                changes.push(format!("{noun} `{id}` is added{}", summary(after)));
            }
            Some((_, before)) if before != after => {
                ids.changed.push(id.clone());
                let sentences = sentences(before, after);
                changes.extend(sentences.into_iter().map(|what| format!("{noun} `{id}`: {what}")));
            }
            Some(_) => {}
        }
    }
    ids
}

fn by_id<T: Serialize>(entries: &[T]) -> Vec<(String, EntryKeys)> {
    let keys = entries.iter().map(|entry| {
        let mut keys = EntryKeys::new();
        let json = serde_json::to_value(entry).expect("an entry of a document can be written as JSON");
        flatten(String::new(), &json, &mut keys);
        keys
    });
    keys.map(|mut keys| (keys.remove("id").unwrap_or_default(), keys)).collect()
}

fn flatten(name: String, json: &Json, keys: &mut EntryKeys) {
    match json {
        Json::Object(table) => {
            let dot = if name.is_empty() { "" } else { "." };
            for (key, value) in table {
                flatten(format!("{name}{dot}{key}"), value, keys);
            }
        }
        Json::Array(items) if name == STEPS => {
            drop(keys.insert(name, items.iter().map(Json::to_string).collect::<Vec<_>>().join("\n")));
        }
        Json::Array(items) if items.is_empty() => drop(keys.insert(name, "[]".to_owned())),
        Json::Array(items) => drop(keys.insert(name, items.iter().map(text).collect::<Vec<_>>().join(", "))),
        value => drop(keys.insert(name, text(value))),
    }
}

/// Whether a key is secret. Sentences are shown to more people than the document, and stored elsewhere.
fn is_secret(key: &str) -> bool {
    matches!(key, "password" | "token" | "api_key" | "secret_key" | "headers" | "proxy")
}

fn text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// The distinguishing keys of an entry, in brackets.
fn summary(keys: &EntryKeys) -> String {
    let told = ["kind", "listen", "where", "to", "path", "url"].iter().filter_map(|key| {
        let value = keys.get(*key)?;
        Some(format!("{key} `{value}`"))
    });
    let steps: Vec<String> = steps_of(keys).iter().map(|step| step_kind(step)).collect();
    let steps = (!steps.is_empty()).then(|| format!("steps `{}`", steps.join(", ")));
    let disabled = (keys.get("enabled").map(String::as_str) == Some("false")).then(|| "disabled".to_owned());
    let told: Vec<String> = told.chain(steps).chain(disabled).collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
}

fn sentences(before: &EntryKeys, after: &EntryKeys) -> Vec<String> {
    if let (Some(old), Some(new)) = (before.get("kind"), after.get("kind"))
        && old != new
    {
        // The other keys depend on the kind, so they are not compared.
        return vec![format!("kind changed from `{old}` to `{new}`")];
    }
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let of_steps = step_sentences(&steps_of(before), &steps_of(after));
    names.retain(|name| *name != STEPS);
    let sentence = |name: &&String| match (before.get(*name), after.get(*name)) {
        (Some(old), Some(new)) if old == new => None,
        (Some(_), Some(enabled)) if *name == "enabled" => {
            Some(if enabled == "true" { "enabled" } else { "disabled" }.to_owned())
        }
        _ if is_secret(name) => Some(format!("{name} changed")),
        (Some(old), Some(new)) => Some(format!("{name} changed from `{old}` to `{new}`")),
        (None, Some(new)) => Some(format!("{name} is set to `{new}`")),
        (Some(old), None) => Some(format!("{name} is no longer set (it was `{old}`)")),
        (None, None) => None,
    };
    names.iter().filter_map(sentence).chain(of_steps).collect()
}

/// The steps, each as JSON.
fn steps_of(keys: &EntryKeys) -> Vec<&str> {
    keys.get(STEPS).into_iter().flat_map(|steps| steps.lines()).collect()
}

/// The changes of a route's steps, each given as JSON. Equal steps at the beginning and at the end are skipped.
fn step_sentences(before: &[&str], after: &[&str]) -> Vec<String> {
    let same = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    let (old, new) = (&before[same..], &after[same..]);
    let behind = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - behind], &new[..new.len() - behind]);
    if !old.is_empty() && sorted(old) == sorted(new) {
        let order: Vec<String> = after.iter().map(|step| step_kind(step)).collect();
        return vec![format!("steps are now in another order: {}", order.join(", "))];
    }
    let longer = old.len().max(new.len());
    let sentence = |at: usize| {
        let number = same + at + 1;
        match (old.get(at), new.get(at)) {
            (Some(old), Some(new)) => {
                format!("step {number} changed from {} to {}", step_words(old), step_words(new))
            }
            (None, Some(new)) => format!("step {number} is added: {}", step_words(new)),
            (Some(old), None) => format!("step {number} is removed: {}", step_words(old)),
            (None, None) => unreachable!("one of the two lists is that long"),
        }
    };
    (0..longer).map(sentence).collect()
}

fn sorted<'a>(steps: &[&'a str]) -> Vec<&'a str> {
    let mut steps = steps.to_vec();
    steps.sort_unstable();
    steps
}

/// A step in words: its kind and main value, then its other keys, as in ``mask `\d+` with `****` ``.
fn step_words(step: &str) -> String {
    let kind = step_kind(step);
    let mut keys = step_keys(step);
    // The kind's own key is the most important, and the condition comes last.
    keys.sort_by_key(|(key, _)| (*key != kind, key == "where"));
    let words = keys.iter().map(|(key, value)| format!("{key} `{}`", step_value(value)));
    words.collect::<Vec<_>>().join(" ")
}

fn step_kind(step: &str) -> String {
    let keys = step_keys(step);
    // A lookup has the key `set` too.
    let kind = KINDS.iter().find(|kind| keys.iter().any(|(key, _)| key == *kind));
    kind.map_or_else(String::new, |kind| (*kind).to_owned())
}

fn step_keys(step: &str) -> Vec<(String, Json)> {
    match serde_json::from_str(step) {
        Ok(Json::Object(keys)) => keys.into_iter().collect(),
        _ => unreachable!("a step was written as a table"),
    }
}

fn step_value(value: &Json) -> String {
    match value {
        Json::Object(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(name, to)| format!("{name} = {}", text(to))).collect();
            pairs.join(", ")
        }
        Json::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        one => text(one),
    }
}
