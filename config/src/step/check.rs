//! [`RouteStep`] → [`CheckedStep`]: expressions are compiled, queries parsed, and names checked to be fields that a step can
//! change.

use super::fits::{example, fits};
use super::template::{TemplatePiece, is_name};
use super::{ParseFormat, RouteStep, SampleShare, StepAction, TextTemplate, ThrottleRate};
use crate::problem::{Findings, Path, quoted};
use logstead_query as query;
use logstead_query::{CaptureTemplate, Captures, Query, Regex};
use logstead_record::Field;
use logstead_record::FieldName;
use std::time::Duration;

/// The known fields that a step can change.
const CHANGED: [Field; 8] = [
    Field::Host,
    Field::Program,
    Field::Pid,
    Field::Msgid,
    Field::Severity,
    Field::Facility,
    Field::Time,
    Field::Message,
];
/// The longest time in which repetitions are detected.
const WITHIN_MAX: Duration = Duration::from_secs(86_400);

/// A step that can run.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedStep {
    /// The step as written.
    pub step: RouteStep,
    /// The messages to which it applies.
    pub filter: Option<Query>,
    /// The action.
    pub action: CheckedAction,
}

/// The checked form of a [`StepAction`].
#[derive(Clone, PartialEq, Debug)]
pub enum CheckedAction {
    /// Adds fields contained in a text.
    Parse {
        /// The format of the text.
        format: CheckedFormat,
        /// The field that contains the text.
        field: FieldName,
        /// The prefix of the fields' names.
        prefix: String,
    },
    /// Sets fields to values.
    Set(Vec<(FieldName, TextTemplate)>),
    /// Removes fields.
    Unset(Vec<FieldName>),
    /// Renames fields.
    Rename(Vec<(FieldName, FieldName)>),
    /// Replaces the matches of an expression in fields.
    Replace {
        /// The expression.
        regex: Regex,
        /// The replacement.
        with: String,
        /// The fields.
        fields: Vec<FieldName>,
    },
    /// Replaces the matches of an expression everywhere.
    Mask {
        /// The expression.
        regex: Regex,
        /// The replacement.
        with: String,
    },
    /// Drops messages.
    Drop(Query),
    /// Drops all messages but these.
    Keep(Query),
    /// Passes a share of the messages, separately for each combination of values.
    Sample(SampleShare, Vec<FieldName>),
    /// Limits messages per interval, separately for each combination of values.
    Throttle(ThrottleRate, Vec<FieldName>),
    /// Passes only the first of the messages that have equal values within this time.
    Dedup(Vec<FieldName>, Duration),
    /// Adds values to the field `tags`.
    Tag(Vec<String>),
    /// Adds columns of a lookup table as fields.
    Lookup {
        /// The file of the table.
        file: String,
        /// The field whose value is looked up.
        key: FieldName,
        /// The columns that become fields.
        set: Vec<String>,
    },
}

/// The format of a text to parse.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckedFormat {
    /// A JSON object.
    Json,
    /// `key=value`.
    KeyValue,
    /// CEF.
    Cef,
    /// LEEF.
    Leef,
    /// Values of these columns, separated by commas.
    Csv(Vec<String>),
    /// The groups of an expression.
    Captures(Captures),
}

/// Checks a step; records a finding if it cannot run.
pub(crate) fn check_step(step: &RouteStep, path: &Path, findings: &mut Findings) -> Option<CheckedStep> {
    let mut checking = StepChecker { path, findings };
    let filter = step.filter.as_ref().map(|text| checking.query("where", text));
    let action = checking.action(&step.action)?;
    let filter = match filter {
        Some(filter) => Some(filter?),
        None => None,
    };
    Some(CheckedStep { step: step.clone(), filter, action })
}

struct StepChecker<'a> {
    path: &'a Path,
    findings: &'a mut Findings,
}

impl StepChecker<'_> {
    fn action(&mut self, action: &StepAction) -> Option<CheckedAction> {
        let kind = action.kind();
        Some(match action {
            StepAction::Parse { format, field, prefix } => CheckedAction::Parse {
                format: self.parsing(format)?,
                field: match field {
                    Some(field) => self.readable("field", field)?,
                    None => FieldName::Known(Field::Message),
                },
                prefix: self.prefix(prefix)?,
            },
            StepAction::Set(texts) => {
                let texts = texts.iter().map(|(name, text)| {
                    let field = self.changeable(kind, name);
                    let template = TextTemplate::parse(text);
                    let template = template
                        .map_err(|message| self.findings.value(&self.path.key(kind).key(name), message));
                    let (field, template) = (field?, template.ok()?);
                    self.constant(name, &field, &template)?;
                    Some((field, template))
                });
                let texts = texts.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>()?;
                CheckedAction::Set(self.some(kind, texts)?)
            }
            StepAction::Unset(names) => CheckedAction::Unset(self.names(kind, names, Self::changeable)?),
            StepAction::Rename(names) => {
                let names = names.iter().map(|(from, to)| {
                    let (from, to) = (self.readable(kind, from), self.changeable(kind, to));
                    Some((from?, to?))
                });
                let names = names.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>()?;
                CheckedAction::Rename(self.some(kind, names)?)
            }
            StepAction::Replace { pattern, with, fields } => CheckedAction::Replace {
                regex: self.regex(kind, pattern)?,
                with: with.clone(),
                fields: self.names("in", fields, Self::text)?,
            },
            StepAction::Mask { pattern, with } => {
                let regex = self.regex(kind, pattern)?;
                if regex.compiled().is_match(b"") {
                    return self.refuse(kind, "also matches the empty text: make it require a character");
                }
                if regex.compiled().is_match(with.as_bytes()) {
                    return self.refuse("with", "is itself matched by the expression: choose another text");
                }
                CheckedAction::Mask { regex, with: with.clone() }
            }
            StepAction::Drop(query) => CheckedAction::Drop(self.query(kind, query)?),
            StepAction::Keep(query) => CheckedAction::Keep(self.query(kind, query)?),
            StepAction::Sample { share, by } => CheckedAction::Sample(*share, self.any_names("by", by)?),
            StepAction::Throttle { rate, by } => CheckedAction::Throttle(*rate, self.any_names("by", by)?),
            StepAction::Dedup { fields, within } => {
                let within = within.duration();
                if within.is_zero() || WITHIN_MAX < within {
                    return self.refuse("within", "must be above 0 and at most 1d");
                }
                CheckedAction::Dedup(self.names(kind, fields, Self::readable)?, within)
            }
            StepAction::Tag(tags) => CheckedAction::Tag(self.some(kind, tags.clone())?),
            StepAction::Lookup { file, key, set } => {
                let key = self.readable("key", key)?;
                if !is_file_name(file) {
                    let message = format!(
                        "{} is not the name of a lookup file: write it like `assets.csv`, without a folder",
                        quoted(file)
                    );
                    return self.refuse(kind, message);
                }
                self.names("set", set, Self::changeable)?;
                CheckedAction::Lookup { file: file.clone(), key, set: set.clone() }
            }
        })
    }

    /// Refuses a constant that the field cannot have as its value.
    fn constant(&mut self, name: &str, field: &FieldName, template: &TextTemplate) -> Option<()> {
        let (FieldName::Known(field), [TemplatePiece::Text(text)]) = (field, template.pieces()) else {
            return Some(());
        };
        if fits(*field, text) {
            return Some(());
        }
        let message = format!("{} is not a valid value: write {}", quoted(text), example(*field));
        self.findings.refuse(&self.path.key("set").key(name), message)
    }

    fn parsing(&mut self, format: &ParseFormat) -> Option<CheckedFormat> {
        Some(match format {
            ParseFormat::Json => CheckedFormat::Json,
            ParseFormat::KeyValue => CheckedFormat::KeyValue,
            ParseFormat::Cef => CheckedFormat::Cef,
            ParseFormat::Leef => CheckedFormat::Leef,
            ParseFormat::Csv(columns) => {
                let bad = columns.iter().find(|name| !name.is_empty() && !is_name(name));
                if let Some(bad) = bad {
                    return self.refuse("columns", format!("{} is not a name of a field", quoted(bad)));
                }
                CheckedFormat::Csv(self.some("columns", columns.clone())?)
            }
            ParseFormat::Regex(pattern) => {
                let captures = Captures::new(self.regex("pattern", pattern)?);
                CheckedFormat::Captures(self.note("pattern", captures)?)
            }
            ParseFormat::Extract(pattern) => {
                let template = CaptureTemplate::new(pattern);
                CheckedFormat::Captures(self.note("pattern", template)?.captures.clone())
            }
        })
    }

    /// Notes why the value of a key is refused; there is nothing in its place.
    fn refuse<T>(&mut self, key: &str, message: impl Into<String>) -> Option<T> {
        self.findings.refuse(&self.path.key(key), message)
    }

    fn note<T>(&mut self, key: &str, result: Result<T, impl ToString>) -> Option<T> {
        result.map_err(|error| self.findings.value(&self.path.key(key), error.to_string())).ok()
    }

    fn regex(&mut self, key: &str, pattern: &str) -> Option<Regex> {
        self.note(key, Regex::new(pattern, false))
    }

    fn query(&mut self, key: &str, text: &str) -> Option<Query> {
        match query::parse(text) {
            Ok(query) if query.uses_logspace() => {
                let message =
                    "a step comes before the logspace, so it cannot ask for one: leave out `logspace:`";
                self.refuse(key, message)
            }
            Ok(query) => Some(query),
            Err(error) => {
                let meant = error.suggestion.map(|meant| format!(" (did you mean `{meant}`?)"));
                let message = format!("{}{}", error.message, meant.unwrap_or_default());
                self.findings.inside(&self.path.key(key), error.span, message);
                None
            }
        }
    }

    fn prefix(&mut self, prefix: &str) -> Option<String> {
        if !prefix.is_empty() && !is_name(prefix) {
            return self
                .refuse("prefix", format!("{} cannot be the beginning of a field's name", quoted(prefix)));
        }
        Some(prefix.to_owned())
    }

    /// Checks that a list is not empty.
    fn some<T>(&mut self, key: &str, list: Vec<T>) -> Option<Vec<T>> {
        if list.is_empty() {
            return self.refuse(key, "must name at least one");
        }
        Some(list)
    }

    fn names(
        &mut self,
        key: &str,
        names: &[String],
        check: fn(&mut Self, &str, &str) -> Option<FieldName>,
    ) -> Option<Vec<FieldName>> {
        let names: Vec<Option<FieldName>> = names.iter().map(|name| check(self, key, name)).collect();
        let names = names.into_iter().collect::<Option<Vec<_>>>()?;
        self.some(key, names)
    }

    fn any_names(&mut self, key: &str, names: &[String]) -> Option<Vec<FieldName>> {
        if names.is_empty() { Some(Vec::new()) } else { self.names(key, names, Self::readable) }
    }

    /// Checks that a name is that of a field that a message may have.
    fn readable(&mut self, key: &str, name: &str) -> Option<FieldName> {
        if !is_name(name) {
            return self.refuse(key, format!("{} is not a name of a field", quoted(name)));
        }
        match FieldName::new(name) {
            FieldName::Known(field @ (Field::Logspace | Field::CopyOf | Field::Flag)) => {
                self.refuse(key, format!("a step cannot use the field `{}`", field.name()))
            }
            field => Some(field),
        }
    }

    /// Checks that a name is that of a field that a step can change.
    fn changeable(&mut self, key: &str, name: &str) -> Option<FieldName> {
        match self.readable(key, name)? {
            FieldName::Known(field) if !CHANGED.contains(&field) => {
                let message = format!(
                    "`{}` records how the message was received, and cannot be changed: choose another name",
                    field.name()
                );
                self.refuse(key, message)
            }
            field => Some(field),
        }
    }

    /// Checks that a name is that of a text field that a step can change.
    fn text(&mut self, key: &str, name: &str) -> Option<FieldName> {
        match self.changeable(key, name)? {
            FieldName::Known(field @ (Field::Severity | Field::Facility | Field::Time)) => {
                self.refuse(key, format!("`{}` is not a text field: use `set`", field.name()))
            }
            field => Some(field),
        }
    }
}

/// Whether a lookup file can have this name.
pub fn is_file_name(name: &str) -> bool {
    let is_seen = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    (1..=100).contains(&name.len()) && name.chars().all(is_seen) && !name.starts_with('.')
}
