//! Completes a query: fields, existing values, stages and functions that can be written next.

use super::value_type::{ValueType, text_of};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::Json;
use crate::question::cancel::{Cancel, Weight, ask_within, reading};
use crate::question::{AllowedStages, CommonParameters, QuestionParameters, QuestionRequest, StoreQuestion};
use logstead_answer::{Facet, Facets};
use logstead_indexer::AnswerTarget;
use logstead_query as query;
use logstead_query::{Completion, FieldTest, Pattern, PatternPart, Query, TextTest};
use logstead_record::FieldName;
use logstead_record::{Field, SEVERITY_NAMES, Storage};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Maximum number of options.
const LIMIT_MAX: u32 = 200;
/// Default number of options.
const LIMIT: u32 = 20;
/// Time limit for counting values.
const TIME_MAX: Duration = Duration::from_millis(300);
/// Time limit for counting the values of fields: a list of names that appears at once is worth more.
const FIELDS_TIME_MAX: Duration = Duration::from_millis(40);
/// Maximum number of fields whose values are counted.
const FACETS_MAX: usize = 20;
/// Maximum number of values to choose from.
const VALUES_MAX: usize = 1000;
/// Maximum length of a value that is offered.
const VALUE_BYTES_MAX: usize = 1024;
/// Memory limit for values.
const MEMORY_BYTES_MAX: usize = 32 << 20;

/// Functions, each with the text that is inserted for it and its meaning.
const FUNCTIONS: [(&str, &str, &str); 10] = [
    ("count", "count()", "how many there are"),
    ("sum", "sum(", "the sum of the numbers"),
    ("avg", "avg(", "the mean of the numbers"),
    ("min", "min(", "the smallest value"),
    ("max", "max(", "the largest value"),
    ("dc", "dc(", "how many different values there are"),
    ("median", "median(", "the value that half of the numbers do not exceed"),
    ("p90", "p90(", "the value that 90 % of the numbers do not exceed"),
    ("p95", "p95(", "the value that 95 % of the numbers do not exceed"),
    ("p99", "p99(", "the value that 99 % of the numbers do not exceed"),
];

/// Times, each with its meaning.
const TIMES: [(&str, &str); 6] = [
    ("-15m", "15 minutes ago"),
    ("-1h", "an hour ago"),
    ("-24h", "24 hours ago"),
    ("-7d", "7 days ago"),
    ("today", "since midnight"),
    ("yesterday", "the day before"),
];

/// The query to complete, and the position of the cursor.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompleteRequest {
    /// The position of the cursor, in characters from 0; the end by default.
    cursor: Option<usize>,
    /// How many options to offer.
    #[schema(default = 20, minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// The possible continuations at the cursor.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CompleteResult {
    /// The first character that an option replaces, from 0.
    from: usize,
    /// The first character after the text that an option replaces.
    to: usize,
    /// The options, most useful first.
    options: Vec<CompleteOption>,
    took_ms: u64,
    /// Whether everything that could be offered was examined. Otherwise there may be other values; if time ran out,
    /// the values listed have no counts.
    complete: bool,
}

/// Something that can be written at the cursor.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CompleteOption {
    /// The text to show.
    #[schema(example = "web-1")]
    label: String,
    /// The text to insert, quoted if necessary.
    insert: String,
    kind: OptionKind,
    /// A short explanation of the option.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
    /// The type of a field's values.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    value_type: Option<ValueType>,
    /// How many different values a field has in the messages that the rest of the query finds, if that could be
    /// determined quickly.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    distinct: Option<u64>,
    /// How many of the messages that the rest of the query finds have a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    count: Option<u64>,
}

/// The kind of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OptionKind {
    Field,
    Value,
    Stage,
    Function,
    Keyword,
    Operator,
}

/// The possible continuations at a position in a query, which need not be valid yet. Answers within about 300 ms with
/// the options found so far.
#[utoipa::path(
    post, path = "/api/v1/complete", operation_id = "complete_query", tag = "search", request_body = CompleteRequest,
    responses((status = 200, body = CompleteResult))
)]
pub(crate) async fn complete(
    call: Call,
    Json(QuestionRequest { common, own }): Json<QuestionRequest<CompleteRequest>>,
) -> Result<axum::Json<CompleteResult>> {
    let started = Instant::now();
    let limit = check_limit(own.limit)?;
    let text = common.query.clone().unwrap_or_default();
    let read = move || Ok(query::writing(&text, own.cursor.unwrap_or(usize::MAX)));
    let (writing, spent) = reading(&call.shared, read).await?;
    let rest = CommonParameters { query: Some(writing.rest.to_string()), ..common };
    let question = StoreQuestion::read(&call.shared, &call.caller, &rest, AllowedStages::None).await?;
    let spent = spent + question.spent;
    let span = writing.span.clone();
    let memory_bytes_max = call.shared.query_memory_max().min(MEMORY_BYTES_MAX);
    let time_max = match writing.wanted {
        Completion::Value { .. } => TIME_MAX,
        _ => FIELDS_TIME_MAX,
    };
    let mut offer = OptionFinder {
        typed: TypedText::new(&writing.typed),
        question,
        limit,
        memory_bytes_max,
        complete: true,
    };
    // The work ends soon by itself.
    let weight = Weight { is_instant: Some(Box::new(|| true)), spent };
    let answer = move |cancel: &Cancel| {
        let mut options = offer.options(&writing.wanted, cancel);
        options.truncate(offer.limit);
        (options, offer.complete)
    };
    let (options, complete) = ask_within(&call.shared, &call.caller, weight, time_max, answer).await?;
    let took_ms = started.elapsed().as_millis() as u64;
    Ok(axum::Json(CompleteResult { from: span.start, to: span.end, options, took_ms, complete }))
}

impl QuestionParameters for CompleteRequest {}

fn check_limit(limit: Option<u32>) -> Result<usize> {
    match limit.unwrap_or(LIMIT) {
        limit @ 1..=LIMIT_MAX => Ok(limit as usize),
        limit => {
            let detail = format!("limit is {limit}: ask for 1 to {LIMIT_MAX} options");
            Err(ApiError::invalid(detail).path("limit"))
        }
    }
}

/// The typed text, which options are compared with.
struct TypedText {
    /// The text in lower case, without wildcards around it.
    text: String,
}

impl TypedText {
    fn new(text: &str) -> TypedText {
        TypedText { text: text.trim_matches('*').to_lowercase() }
    }

    /// 0 for a match at the beginning, 1 for a match elsewhere, `None` for no match.
    fn rank(&self, option: &str) -> Option<u8> {
        match option.to_lowercase().find(&self.text) {
            Some(0) => Some(0),
            Some(_) => Some(1),
            None => None,
        }
    }
}

/// Makes options.
struct OptionFinder {
    typed: TypedText,
    question: StoreQuestion,
    limit: usize,
    memory_bytes_max: usize,
    complete: bool,
}

impl OptionFinder {
    fn options(&mut self, wanted: &Completion, cancel: &Cancel) -> Vec<CompleteOption> {
        match wanted {
            Completion::Clause { columns, has_operator, joins } => {
                let after = if *has_operator { "" } else { ":" };
                let mut options = self.names(columns.as_deref(), after, cancel);
                if !has_operator {
                    options = self.with_operators(options);
                    let keywords = if *joins { &["AND", "OR", "NOT"][..] } else { &["NOT"][..] };
                    options.extend(self.words(keywords, " "));
                }
                options
            }
            Completion::Name => self.names(None, "", cancel),
            Completion::Value { field, quoted, ordered } => self.values(field, *quoted, *ordered, cancel),
            Completion::Stage => self.stages(),
            Completion::Argument { columns, names, functions, words } => {
                let mut options = Vec::new();
                if *names {
                    options.extend(self.names(columns.as_deref(), "", cancel));
                }
                if *functions {
                    options.extend(self.functions());
                }
                options.extend(self.words(words, ""));
                options
            }
            Completion::Computed { columns } => {
                let mut options = self.names(columns.as_deref(), "", cancel);
                options.extend(self.expression_functions());
                options
            }
            Completion::Nothing => Vec::new(),
        }
    }

    fn expression_functions(&self) -> Vec<CompleteOption> {
        let begun =
            query::expression_functions().filter(|function| self.typed.rank(function.name) == Some(0));
        let option = |function: &query::ExpressionFunction| CompleteOption {
            detail: Some(function.example.to_owned()),
            ..CompleteOption::new(function.name, format!("{}(", function.name), OptionKind::Function)
        };
        begun.map(option).collect()
    }

    /// Keywords that begin with the typed text.
    fn words(&self, words: &[&str], after: &str) -> Vec<CompleteOption> {
        let begun = words.iter().filter(|word| self.typed.rank(word) == Some(0));
        begun.map(|word| CompleteOption::new(word, format!("{word}{after}"), OptionKind::Keyword)).collect()
    }

    fn stages(&self) -> Vec<CompleteOption> {
        let stages = query::stages().filter(|(name, _)| self.typed.rank(name) == Some(0));
        let option = |(name, example): (&str, &str)| CompleteOption {
            detail: Some(example.to_owned()),
            ..CompleteOption::new(name, format!("{name} "), OptionKind::Stage)
        };
        stages.map(option).collect()
    }

    fn functions(&self) -> Vec<CompleteOption> {
        let functions = FUNCTIONS.iter().filter(|(name, ..)| self.typed.rank(name) == Some(0));
        let option = |(name, insert, detail): &(&str, &str, &str)| CompleteOption {
            detail: Some((*detail).to_owned()),
            ..CompleteOption::new(name, (*insert).to_owned(), OptionKind::Function)
        };
        functions.map(option).collect()
    }

    /// Columns of a table, or the fields of messages.
    fn names(&self, columns: Option<&[String]>, after: &str, cancel: &Cancel) -> Vec<CompleteOption> {
        let Some(columns) = columns else { return self.fields(after, cancel) };
        let matching = columns.iter().filter(|name| self.typed.rank(name).is_some());
        let option = |name: &String| {
            CompleteOption::new(name, format!("{}{after}", query::written_name(name)), OptionKind::Field)
        };
        matching.map(option).collect()
    }

    /// Fields whose names contain the typed text; those with values in the rest of the query first.
    fn fields(&self, after: &str, cancel: &Cancel) -> Vec<CompleteOption> {
        let mut names = self.field_names(cancel);
        if !self.question.narrowed {
            names.truncate(self.limit);
        }
        let (facets, is_whole) = self.facets(&names, cancel);
        let option = |name: &FieldName| {
            let facet = facets.iter().find(|facet| facet.field == *name);
            let insert = format!("{}{after}", query::written_name(name.as_str()));
            CompleteOption {
                value_type: ValueType::of(name, facet),
                distinct: facet.filter(|_| is_whole).and_then(distinct),
                ..CompleteOption::new(name.as_str(), insert, OptionKind::Field)
            }
        };
        // Callers limited by a grant do not see names that occur only in messages hidden from them.
        let is_shown = |name: &&FieldName| {
            let has_values = || facets.iter().any(|facet| facet.field == **name && !facet.values.is_empty());
            !self.question.narrowed || matches!(name, FieldName::Known(_)) || has_values()
        };
        let mut options: Vec<CompleteOption> = names.iter().filter(is_shown).map(option).collect();
        options.truncate(self.limit);
        options.sort_by_key(|option| option.distinct == Some(0));
        options
    }

    /// The names of fields, best first: names that begin with the typed text come first, and those that all messages
    /// have before others.
    fn field_names(&self, cancel: &Cancel) -> Vec<FieldName> {
        let known = Field::ALL.iter().filter_map(|(field, name, _)| {
            let aliases = Field::ALIASES.iter().filter(|(of, _)| of == field).map(|(_, alias)| *alias);
            let rank =
                self.typed.rank(name).or_else(|| aliases.filter_map(|alias| self.typed.rank(alias)).min());
            rank.map(|rank| (rank, FieldName::Known(*field)))
        });
        let dynamic = self.question.logspaces.field_names(self.question.range, &cancel.run());
        let dynamic = dynamic.into_iter().filter_map(|name| {
            // A built-in field hides another of the same name.
            let name = Some(FieldName::new(&name)).filter(|name| matches!(name, FieldName::Dynamic(_)))?;
            self.typed.rank(name.as_str()).map(|rank| (rank, name))
        });
        let mut ranked: Vec<(u8, FieldName)> = known.chain(dynamic).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, name)| name).collect()
    }

    /// The operators of a field whose name is typed in full.
    fn with_operators(&self, fields: Vec<CompleteOption>) -> Vec<CompleteOption> {
        let whole = fields.iter().find(|field| field.label.to_lowercase() == self.typed.text);
        let operators = whole.map(|field| {
            let operators: &[(&str, &str)] = match field.value_type {
                Some(ValueType::Number | ValueType::Severity) => {
                    &[("=", "is"), ("!=", "is not"), (">=", "at least"), ("<=", "at most")]
                }
                Some(ValueType::Time) => &[(">=", "at or after"), ("<", "before")],
                _ => &[("=", "is"), ("!=", "is not")],
            };
            let name = query::written_name(&field.label);
            let option = |(operator, detail): &(&str, &str)| CompleteOption {
                detail: Some((*detail).to_owned()),
                ..CompleteOption::new(operator, format!("{name}{operator}"), OptionKind::Operator)
            };
            operators.iter().map(option).collect::<Vec<_>>()
        });
        let operators = operators.unwrap_or_default();
        fields.into_iter().chain(operators).collect()
    }

    fn values(
        &mut self,
        field: &FieldName,
        quoted: bool,
        ordered: bool,
        cancel: &Cancel,
    ) -> Vec<CompleteOption> {
        match field {
            FieldName::Known(Field::Message | Field::Raw) => Vec::new(),
            FieldName::Known(Field::Time | Field::Received) => self.times(),
            _ => {
                self.narrow(field);
                let mut counted = self.counted(field, cancel);
                if ordered && *field == FieldName::Known(Field::Severity) {
                    let missing =
                        SEVERITY_NAMES.iter().filter(|name| counted.iter().all(|(known, _)| known != *name));
                    let none = self.complete.then_some(0);
                    counted.extend(missing.map(|name| ((*name).to_owned(), none)).collect::<Vec<_>>());
                }
                self.ranked(counted, quoted)
            }
        }
    }

    fn times(&self) -> Vec<CompleteOption> {
        let times = TIMES.iter().filter(|(text, _)| self.typed.rank(text) == Some(0));
        let option = |(text, detail): &(&str, &str)| CompleteOption {
            detail: Some((*detail).to_owned()),
            ..CompleteOption::new(text, (*text).to_owned(), OptionKind::Value)
        };
        times.map(option).collect()
    }

    /// Limits the query to messages with values that contain the typed text: of a million values only few do.
    fn narrow(&mut self, field: &FieldName) {
        let is_text = match field {
            FieldName::Dynamic(_) => true,
            // There are only few sources, and they can only be compared as a whole.
            FieldName::Known(Field::Source) => false,
            FieldName::Known(field) => matches!(field.storage(), Storage::Name(_) | Storage::Text(_)),
        };
        if is_text && !self.typed.text.is_empty() {
            let text = PatternPart::Text(self.typed.text.clone());
            let pattern = Pattern::new([PatternPart::Run, text, PatternPart::Run], false);
            let test = FieldTest::Holds(TextTest::Pattern(pattern));
            self.question.narrow(Query::Field(field.clone(), test));
        }
    }

    /// The values and the number of messages with each, provided that all were counted.
    fn counted(&mut self, field: &FieldName, cancel: &Cancel) -> Vec<(String, Option<u64>)> {
        let (facets, is_whole) = self.facets(std::slice::from_ref(field), cancel);
        let Some(facet) = facets.into_iter().next() else { return Vec::new() };
        self.complete &= is_whole && facet.partial.is_none();
        let values = facet.values.iter().filter_map(|(value, count)| {
            let text = text_of(value).filter(|text| text.len() <= VALUE_BYTES_MAX)?;
            Some((text, is_whole.then_some(*count)))
        });
        values.collect()
    }

    fn ranked(&self, values: Vec<(String, Option<u64>)>, quoted: bool) -> Vec<CompleteOption> {
        let mut ranked: Vec<(u8, CompleteOption)> = Vec::new();
        for (text, count) in values {
            let Some(rank) = self.typed.rank(&text) else { continue };
            let insert = if quoted { query::written_in_quotes(&text) } else { query::written_value(&text) };
            ranked.push((
                rank,
                CompleteOption { count, ..CompleteOption::new(&text, insert, OptionKind::Value) },
            ));
        }
        // Options of equal rank stay in the order of their counts.
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, option)| option).collect()
    }

    /// The values of fields that have columns, as far as time allows, and whether all of them were counted.
    fn facets(&self, fields: &[FieldName], cancel: &Cancel) -> (Vec<Facet>, bool) {
        use Field::{Message, Raw, Received, Time};
        let counted =
            |field: &&FieldName| !matches!(field, FieldName::Known(Message | Raw | Received | Time));
        let fields: Vec<FieldName> = fields.iter().filter(counted).take(FACETS_MAX).cloned().collect();
        let mut facets = Facets::new(fields, VALUES_MAX, self.memory_bytes_max);
        let is_whole = self.question.peek(cancel, &mut [AnswerTarget::Facets(&mut facets)]);
        (facets.finish(), is_whole)
    }
}

fn distinct(facet: &Facet) -> Option<u64> {
    facet.partial.is_none().then_some(facet.distinct)
}

impl CompleteOption {
    fn new(label: &str, insert: String, kind: OptionKind) -> CompleteOption {
        let label = label.to_owned();
        CompleteOption { label, insert, kind, detail: None, value_type: None, distinct: None, count: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_functions_are_what_the_language_knows() {
        for (text, _) in TIMES {
            query::parse(&format!("time:{text}")).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
        for (_, insert, _) in FUNCTIONS {
            let call = if insert.ends_with('(') { format!("{insert}bytes)") } else { insert.to_owned() };
            query::parse_pipeline(&format!("* | stats {call}"))
                .unwrap_or_else(|error| panic!("{call}: {error}"));
        }
    }
}
