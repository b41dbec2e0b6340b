//! [`RouteStep`] → a table of the shape from which it is read.

use super::{ParseFormat, RouteStep, StepAction};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

impl Serialize for RouteStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        action(&self.action, &mut map)?;
        if let Some(filter) = &self.filter {
            map.serialize_entry("where", filter)?;
        }
        map.end()
    }
}

fn action<M: SerializeMap>(action: &StepAction, map: &mut M) -> Result<(), M::Error> {
    let kind = action.kind();
    match action {
        StepAction::Parse { format, field, prefix } => {
            parse(format, map)?;
            if let Some(field) = field {
                map.serialize_entry("field", field)?;
            }
            if !prefix.is_empty() {
                map.serialize_entry("prefix", prefix)?;
            }
            Ok(())
        }
        StepAction::Set(texts) | StepAction::Rename(texts) => {
            let texts: BTreeMap<_, _> = texts.iter().map(|(name, text)| (name, text)).collect();
            map.serialize_entry(kind, &texts)
        }
        StepAction::Unset(names) | StepAction::Tag(names) => map.serialize_entry(kind, names),
        StepAction::Replace { pattern, with, fields } => {
            map.serialize_entry(kind, pattern)?;
            map.serialize_entry("with", with)?;
            map.serialize_entry("in", fields)
        }
        StepAction::Mask { pattern, with } => {
            map.serialize_entry(kind, pattern)?;
            map.serialize_entry("with", with)
        }
        StepAction::Drop(query) | StepAction::Keep(query) => map.serialize_entry(kind, query),
        StepAction::Sample { share, by } => {
            map.serialize_entry(kind, &share.as_number())?;
            if by.is_empty() { Ok(()) } else { map.serialize_entry("by", by) }
        }
        StepAction::Throttle { rate, by } => {
            map.serialize_entry(kind, &rate.to_string())?;
            if by.is_empty() { Ok(()) } else { map.serialize_entry("by", by) }
        }
        StepAction::Dedup { fields, within } => {
            map.serialize_entry(kind, fields)?;
            map.serialize_entry("within", within)
        }
        StepAction::Lookup { file, key, set } => {
            map.serialize_entry(kind, file)?;
            map.serialize_entry("key", key)?;
            map.serialize_entry("set", set)
        }
    }
}

fn parse<M: SerializeMap>(format: &ParseFormat, map: &mut M) -> Result<(), M::Error> {
    let name = match format {
        ParseFormat::Json => "json",
        ParseFormat::KeyValue => "kv",
        ParseFormat::Cef => "cef",
        ParseFormat::Leef => "leef",
        ParseFormat::Csv(_) => "csv",
        ParseFormat::Regex(_) => "regex",
        ParseFormat::Extract(_) => "extract",
    };
    map.serialize_entry("parse", name)?;
    match format {
        ParseFormat::Csv(columns) => map.serialize_entry("columns", columns),
        ParseFormat::Regex(pattern) | ParseFormat::Extract(pattern) => {
            map.serialize_entry("pattern", pattern)
        }
        _ => Ok(()),
    }
}
