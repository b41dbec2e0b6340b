//! A table of the document → [`RouteStep`].

use super::value::{SampleShare, TextTable, ThrottleRate};
use super::{KINDS, ParseFormat, RouteStep, StepAction};
use crate::node::{DocumentNode, NodeValue};
use crate::problem::{Findings, Path, did_you_mean, one_of, quoted};
use crate::read::ReadValue;
use crate::table_reader::TableReader;
use crate::unit::Period;

const FORMATS: [&str; 7] = ["json", "kv", "cef", "leef", "csv", "regex", "extract"];

impl ReadValue for RouteStep {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<RouteStep> {
        let kind = kind(node, path, findings)?;
        let mut fields = TableReader::of(node, path, findings)?;
        let action = action(kind, &mut fields);
        let filter = fields.optional("where");
        fields.finish();
        Some(RouteStep { filter, action: action? })
    }
}

/// The kind of the step, which must be exactly one.
fn kind(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<&'static str> {
    let NodeValue::Table(entries) = &node.value else {
        let message =
            format!("must be a table like `{{ drop = 'severity:debug' }}`, not {}", node.type_name());
        return findings.refuse(path, message);
    };
    let mut kinds = KINDS.into_iter().filter(|kind| entries.iter().any(|entry| entry.key == *kind));
    let Some(kind) = kinds.next() else {
        let meant = entries.iter().map(|entry| did_you_mean(&entry.key, KINDS));
        let meant = meant.into_iter().find(|meant| !meant.is_empty()).unwrap_or_default();
        return findings
            .refuse(path, format!("has no action: give it one of the keys {}{meant}", one_of(KINDS)));
    };
    match kinds.find(|other| kind != "lookup" || *other != "set") {
        Some(other) => {
            findings.refuse(path, format!("has two actions, `{kind}` and `{other}`: split it into two steps"))
        }
        None => Some(kind),
    }
}

fn action(kind: &'static str, fields: &mut TableReader<'_>) -> Option<StepAction> {
    Some(match kind {
        "parse" => StepAction::Parse {
            format: format(fields)?,
            field: fields.optional("field"),
            prefix: fields.or("prefix", String::new()),
        },
        "set" => StepAction::Set(fields.optional::<TextTable>("set")?.0),
        "unset" => StepAction::Unset(fields.optional("unset")?),
        "rename" => StepAction::Rename(fields.optional::<TextTable>("rename")?.0),
        "replace" => StepAction::Replace {
            pattern: fields.optional("replace")?,
            with: fields.required("with", String::new()),
            fields: fields.or("in", vec!["message".to_owned()]),
        },
        "mask" => {
            StepAction::Mask { pattern: fields.optional("mask")?, with: fields.or("with", "****".to_owned()) }
        }
        "drop" => StepAction::Drop(fields.optional("drop")?),
        "keep" => StepAction::Keep(fields.optional("keep")?),
        "sample" => StepAction::Sample {
            share: fields.optional::<SampleShare>("sample")?,
            by: fields.or("by", Vec::new()),
        },
        "throttle" => StepAction::Throttle {
            rate: fields.optional::<ThrottleRate>("throttle")?,
            by: fields.or("by", Vec::new()),
        },
        "dedup" => StepAction::Dedup {
            fields: fields.optional("dedup")?,
            within: fields.optional::<Period>("within").unwrap_or_else(|| Period::seconds(10)),
        },
        "tag" => StepAction::Tag(fields.optional("tag")?),
        _ => StepAction::Lookup {
            file: fields.optional("lookup")?,
            key: fields.required("key", String::new()),
            set: fields.required("set", Vec::new()),
        },
    })
}

fn format(fields: &mut TableReader<'_>) -> Option<ParseFormat> {
    let name: String = fields.optional("parse")?;
    Some(match name.as_str() {
        "json" => ParseFormat::Json,
        "kv" => ParseFormat::KeyValue,
        "cef" => ParseFormat::Cef,
        "leef" => ParseFormat::Leef,
        "csv" => ParseFormat::Csv(fields.required("columns", Vec::new())),
        "regex" => ParseFormat::Regex(fields.required("pattern", String::new())),
        "extract" => ParseFormat::Extract(fields.required("pattern", String::new())),
        other => {
            let meant = did_you_mean(other, FORMATS);
            let message = format!("{} is not a format{meant}: use {}", quoted(other), one_of(FORMATS));
            fields.note("parse", message);
            return None;
        }
    })
}
