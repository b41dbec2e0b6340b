//! A table of the document → [`Step`].

use super::value::{Rate, Share, Texts};
use super::{Action, KINDS, ParseFormat, Step};
use crate::fields::Fields;
use crate::node::{Node, Value};
use crate::problem::{Findings, Path, did_you_mean, one_of, quoted};
use crate::read::Read;
use crate::unit::Period;

const FORMATS: [&str; 7] = ["json", "kv", "cef", "leef", "csv", "regex", "extract"];

impl Read for Step {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Step> {
        let kind = kind(node, path, findings)?;
        let mut fields = Fields::of(node, path, findings)?;
        let action = action(kind, &mut fields);
        let filter = fields.optional("where");
        fields.finish();
        Some(Step { filter, action: action? })
    }
}

/// The one thing that it does.
fn kind(node: &Node, path: &Path, findings: &mut Findings) -> Option<&'static str> {
    let Value::Table(entries) = &node.value else {
        let message =
            format!("must be a table like `{{ drop = 'severity:debug' }}`, not {}", node.type_name());
        findings.value(path, message);
        return None;
    };
    let mut kinds = KINDS.into_iter().filter(|kind| entries.iter().any(|entry| entry.key == *kind));
    let Some(kind) = kinds.next() else {
        let meant = entries.iter().map(|entry| did_you_mean(&entry.key, KINDS));
        let meant = meant.into_iter().find(|meant| !meant.is_empty()).unwrap_or_default();
        findings.value(path, format!("does nothing: give it one of the keys {}{meant}", one_of(KINDS)));
        return None;
    };
    match kinds.find(|other| kind != "lookup" || *other != "set") {
        Some(other) => {
            findings.value(path, format!("does two things, `{kind}` and `{other}`: make two steps of it"));
            None
        }
        None => Some(kind),
    }
}

fn action(kind: &'static str, fields: &mut Fields<'_>) -> Option<Action> {
    Some(match kind {
        "parse" => Action::Parse {
            format: format(fields)?,
            field: fields.optional("field"),
            prefix: fields.or("prefix", String::new()),
        },
        "set" => Action::Set(fields.optional::<Texts>("set")?.0),
        "unset" => Action::Unset(fields.optional("unset")?),
        "rename" => Action::Rename(fields.optional::<Texts>("rename")?.0),
        "replace" => Action::Replace {
            pattern: fields.optional("replace")?,
            with: fields.required("with", String::new()),
            fields: fields.or("in", vec!["message".to_owned()]),
        },
        "mask" => {
            Action::Mask { pattern: fields.optional("mask")?, with: fields.or("with", "****".to_owned()) }
        }
        "drop" => Action::Drop(fields.optional("drop")?),
        "keep" => Action::Keep(fields.optional("keep")?),
        "sample" => {
            Action::Sample { share: fields.optional::<Share>("sample")?, by: fields.or("by", Vec::new()) }
        }
        "throttle" => {
            Action::Throttle { rate: fields.optional::<Rate>("throttle")?, by: fields.or("by", Vec::new()) }
        }
        "dedup" => Action::Dedup {
            fields: fields.optional("dedup")?,
            within: fields.optional::<Period>("within").unwrap_or_else(|| Period::seconds(10)),
        },
        "tag" => Action::Tag(fields.optional("tag")?),
        _ => Action::Lookup {
            file: fields.optional("lookup")?,
            key: fields.required("key", String::new()),
            set: fields.required("set", Vec::new()),
        },
    })
}

fn format(fields: &mut Fields<'_>) -> Option<ParseFormat> {
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
