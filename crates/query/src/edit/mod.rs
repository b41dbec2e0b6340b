//! Changes of a query's text, as made by a click.
//!
//! An edit states the meaning of the new text. The text that keeps most of the old one is tried first, and the canonical
//! text last, so an edit need not know how the grammar might misread joined texts.
//!
//! **Invariant:** the edited text has the meaning that the edit states, whatever the text, the name and the value are.

use super::ast::{FieldTest, Pattern, Query, TextTest, ValueRange};
use super::error::{ErrorKind, ParseError};
use super::number::Number;
use super::outline::outline;
use super::parse::{parse, within_limit};
use super::regex::Regex;
use super::stage::{
    Aggregate, Function, Measure, Pipeline, Ranking, Stage, parse_pipeline, parse_pipeline_search,
};
use super::steps;
use super::time::TimeExpr;
use logstead_record::Field;
use logstead_record::FieldName;
use std::ops::{Bound, Range};

/// A change of a query.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Show only messages whose field passes.
    Include(FieldName, FieldContent),
    /// Show only messages whose field does not.
    Exclude(FieldName, FieldContent),
    /// Replace the whole filter by this condition.
    Only(FieldName, FieldContent),
    /// Add a value to those that the field may have, or remove it.
    Toggle(FieldName, String),
    /// Require a number from the first to below the second, instead of the query's own numbers. Without either end, the
    /// query has no condition on the number.
    Between(FieldName, Option<Number>, Option<Number>),
    /// Negate the clause at these bytes.
    Negate(Range<usize>),
    /// Remove the clause or stage at these bytes.
    Remove(Range<usize>),
    /// Add a clause, or with a leading `|`, a stage.
    Add(String),
    /// Show only messages of these times, instead of the query's own. Without either end, the query has no condition on
    /// time.
    SetRange(Option<TimeExpr>, Option<TimeExpr>),
    /// Replace the stages by the most frequent values of a field.
    Top(FieldName, u64),
    /// Replace the stages by a summary of a field's numbers.
    Summarize(FieldName),
    /// Show the messages that a table is made of, instead of the table.
    Messages,
}

/// A condition on a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldContent {
    /// The field has exactly this value.
    Value(String),
    /// The field contains this text, in any case.
    Part(String),
    /// The field has no value.
    Nothing,
}

/// Edits the text of a search bar.
pub fn edit(text: &str, edit: &Edit) -> Result<String, ParseError> {
    let written = WrittenQuery::new(text)?;
    let edited = match edit {
        Edit::Include(field, content) => written.with(EditedClause::new(field, content, false)?),
        Edit::Exclude(field, content) => written.with(EditedClause::new(field, content, true)?),
        Edit::Only(field, content) => written.rewritten(None, &[EditedClause::new(field, content, false)?]),
        Edit::Toggle(field, value) => written.toggled(field, value)?,
        Edit::Between(field, low, high) => written.between(field, low.as_ref(), high.as_ref()),
        Edit::Negate(range) => written.negated(range)?,
        Edit::Remove(range) => written.without(range)?,
        Edit::Add(part) => written.added(part)?,
        Edit::SetRange(from, to) => written.in_range(*from, *to),
        Edit::Top(field, count) => written.with_stage(top(field, *count)),
        Edit::Summarize(field) => written.with_stage(summary(field)),
        Edit::Messages => written.messages(),
    };
    within_limit(&edited, &edited)?;
    Ok(edited)
}

/// The parts of a query's text.
struct WrittenQuery<'a> {
    text: &'a str,
    filter: &'a str,
    clauses: Vec<EditedClause>,
    /// The text of the stages, with the `|` before the first.
    stages: &'a str,
    stages_at: Vec<Range<usize>>,
    pipeline: Pipeline,
}

/// A clause of a filter.
#[derive(Clone)]
struct EditedClause {
    /// Its position; empty if it is new.
    span: Range<usize>,
    text: String,
    query: Query,
}

impl<'a> WrittenQuery<'a> {
    fn new(text: &'a str) -> Result<WrittenQuery<'a>, ParseError> {
        let pipeline = parse_pipeline_search(text)?.pipeline;
        let outline = outline(text)?;
        let end = outline.clauses.last().map_or(0, |clause| clause.span.end);
        let clause = |span: Range<usize>| match parse(part(text, &span)) {
            Ok(query) => Ok(EditedClause { text: part(text, &span).to_owned(), query, span }),
            // Reading was cancelled. Then each clause would be taken for the whole filter.
            Err(error) if steps::is_over() => Err(error),
            // A text that is searched for literally is the whole filter.
            Err(_) => {
                Ok(EditedClause { text: pipeline.filter.to_string(), query: pipeline.filter.clone(), span })
            }
        };
        let clauses =
            outline.clauses.into_iter().map(|written| clause(written.span)).collect::<Result<_, _>>()?;
        let stages_at: Vec<_> = outline.stages.into_iter().map(|stage| stage.span).collect();
        let stages = if stages_at.is_empty() { "" } else { part(text, &(end..text.len())).trim() };
        Ok(WrittenQuery { text, filter: part(text, &(0..end)).trim(), clauses, stages, stages_at, pipeline })
    }

    /// The text with these clauses as its filter: `preferred` if it has that meaning, otherwise the clauses joined by
    /// spaces.
    fn rewritten(&self, preferred: Option<String>, clauses: &[EditedClause]) -> String {
        let filter = match clauses.len() {
            0 => Query::All,
            _ => Query::and(clauses.iter().map(|clause| clause.query.clone()).collect()),
        };
        let meant = Pipeline { filter, stages: self.pipeline.stages.clone() };
        let preferred = preferred.filter(|text| parse_pipeline(text).as_ref() == Ok(&meant));
        preferred.unwrap_or_else(|| self.joined(clauses, &meant))
    }

    fn joined(&self, clauses: &[EditedClause], meant: &Pipeline) -> String {
        let texts: Vec<String> = match clauses {
            [only] => vec![only.text.clone()],
            many => many.iter().map(EditedClause::grouped).collect(),
        };
        let text = format!("{filter} {stages}", filter = texts.join(" "), stages = self.stages);
        let is_right = parse_pipeline(&text).as_ref() == Ok(meant);
        if is_right { text.trim().to_owned() } else { meant.to_string() }
    }

    /// The text with one more clause, unless present.
    fn with(&self, clause: EditedClause) -> String {
        if self.clauses.iter().any(|other| other.query == clause.query) {
            return self.text.to_owned();
        }
        if self.pipeline.filter == Query::All {
            return self.rewritten(None, &[clause]);
        }
        let preferred = format!(
            "{filter} {clause} {stages}",
            filter = self.filter,
            clause = clause.grouped(),
            stages = self.stages
        );
        let clauses: Vec<EditedClause> = self.clauses.iter().cloned().chain([clause]).collect();
        self.rewritten(Some(preferred.trim().to_owned()), &clauses)
    }

    fn added(&self, text: &str) -> Result<String, ParseError> {
        let added = parse_pipeline_search(text)?.pipeline;
        if added.stages.is_empty() {
            return Ok(self.with(EditedClause {
                span: 0..0,
                text: text.trim().to_owned(),
                query: added.filter,
            }));
        }
        let mut meant = self.pipeline.clone();
        meant.stages.extend(added.stages);
        let preferred = format!("{before} {text}", before = self.text);
        Ok(first_of(preferred.trim(), &meant))
    }

    /// The text with a value added to those that the field may have, or removed if it is among them.
    fn toggled(&self, field: &FieldName, value: &str) -> Result<String, ParseError> {
        let content = FieldContent::Value(value.to_owned());
        let (chosen, excluded) =
            (EditedClause::new(field, &content, false)?, EditedClause::new(field, &content, true)?);
        if let Some(at) = self.clauses.iter().position(|clause| clause.query == excluded.query) {
            return Ok(self.without_clause(at));
        }
        let is_list =
            |clause: &EditedClause| clause.alternatives().iter().all(|query| is_value_of(query, field));
        let Some(at) = self.clauses.iter().position(is_list) else { return Ok(self.with(chosen)) };
        let mut values = self.clauses[at].alternatives().to_vec();
        // The list may spell the name of the field in another way.
        let chosen = match (&values[0], chosen.query) {
            (Query::Field(name, _), Query::Field(_, test)) => Query::Field(name.clone(), test),
            (_, other) => other,
        };
        match values.iter().position(|query| *query == chosen) {
            Some(known) => drop(values.remove(known)),
            None => values.push(chosen),
        }
        Ok(if values.is_empty() {
            self.without_clause(at)
        } else {
            self.replaced(at, EditedClause::list(values))
        })
    }

    fn between(&self, field: &FieldName, low: Option<&Number>, high: Option<&Number>) -> String {
        let is_number = |clause: &EditedClause| match &clause.query {
            Query::Field(name, FieldTest::Number(_)) => name.is(field),
            _ => false,
        };
        let bounds = ValueRange {
            low: low.cloned().map_or(Bound::Unbounded, Bound::Included),
            high: high.cloned().map_or(Bound::Unbounded, Bound::Excluded),
        };
        let query = Query::Field(field.clone(), FieldTest::Number(bounds));
        let new = (low.is_some() || high.is_some()).then(|| EditedClause::of(query));
        let mut known = (0..self.clauses.len()).filter(|&at| is_number(&self.clauses[at]));
        match (known.next(), known.next(), new) {
            (None, _, None) => self.text.to_owned(),
            (None, _, Some(new)) => self.with(new),
            (Some(at), None, Some(new)) => self.replaced(at, new),
            (Some(at), None, None) => self.without_clause(at),
            (Some(_), Some(_), new) => {
                let others = self.clauses.iter().filter(|clause| !is_number(clause)).cloned();
                self.rewritten(None, &others.chain(new).collect::<Vec<_>>())
            }
        }
    }

    /// The text with one clause replaced.
    fn replaced(&self, at: usize, clause: EditedClause) -> String {
        let span = self.clauses[at].span.clone();
        let mut clauses = self.clauses.clone();
        clauses[at] = clause;
        let (before, after) =
            (part(self.text, &(0..span.start)), part(self.text, &(span.end..self.text.len())));
        let preferred = format!("{before}{new}{after}", new = clauses[at].text);
        self.rewritten(Some(preferred), &clauses)
    }

    fn without_clause(&self, at: usize) -> String {
        let mut clauses = self.clauses.clone();
        clauses.remove(at);
        self.rewritten(Some(self.cut(at)), &clauses)
    }

    fn negated(&self, range: &Range<usize>) -> Result<String, ParseError> {
        let at = self.clause_at(range)?;
        Ok(self.replaced(at, self.clauses[at].opposite()))
    }

    fn without(&self, range: &Range<usize>) -> Result<String, ParseError> {
        if let Some(at) = self.stages_at.iter().position(|stage| stage == range) {
            return Ok(self.without_stage(at));
        }
        Ok(self.without_clause(self.clause_at(range)?))
    }

    /// The text without a clause and what joins it with its neighbour.
    fn cut(&self, at: usize) -> String {
        let here = &self.clauses[at].span;
        let range = match (at.checked_sub(1), self.clauses.get(at + 1)) {
            (Some(before), _) => self.clauses[before].span.end..here.end,
            (None, Some(after)) => here.start..after.span.start,
            (None, None) => here.clone(),
        };
        let (before, after) =
            (part(self.text, &(0..range.start)), part(self.text, &(range.end..self.text.len())));
        format!("{before}{after}").trim().to_owned()
    }

    fn without_stage(&self, at: usize) -> String {
        let range = &self.stages_at[at];
        let before = part(self.text, &(0..range.start)).trim_end();
        let before = before.strip_suffix('|').unwrap_or(before).trim_end();
        let after = part(self.text, &(range.end..self.text.len())).trim();
        let text = format!("{before} {after}");
        // Removing the stage may change the meaning of the filter. In that case, the text is assembled from the parts
        // that remain.
        match parse_pipeline(&text) {
            Ok(left) if left.filter == self.pipeline.filter => text.trim().to_owned(),
            _ => {
                let texts = self.stages_at.iter().enumerate().filter(|(other, _)| *other != at);
                let stages: Vec<_> =
                    texts.map(|(_, range)| format!("| {}", part(self.text, range))).collect();
                format!("{filter} {stages}", filter = self.pipeline.filter, stages = stages.join(" "))
            }
        }
    }

    fn clause_at(&self, range: &Range<usize>) -> Result<usize, ParseError> {
        let found = self.clauses.iter().position(|clause| clause.span == *range);
        found.ok_or_else(|| ParseError {
            kind: ErrorKind::Meaning,
            message: "no clause or stage is at exactly this place: read the query again".to_owned(),
            span: 0..0,
            suggestion: None,
        })
    }

    fn in_range(&self, from: Option<TimeExpr>, to: Option<TimeExpr>) -> String {
        let bounds = ValueRange {
            low: from.map_or(Bound::Unbounded, Bound::Included),
            high: to.map_or(Bound::Unbounded, Bound::Excluded),
        };
        let is_open = from.is_none() && to.is_none();
        if is_open && !self.pipeline.filter.sets_range() {
            return self.text.to_owned();
        }
        let query = Query::Field(FieldName::Known(Field::Time), FieldTest::Time(bounds));
        let range = EditedClause { span: 0..0, text: query.to_string(), query };
        let others = self.clauses.iter().filter(|clause| !clause.query.is_time()).cloned();
        self.rewritten(None, &others.chain((!is_open).then_some(range)).collect::<Vec<_>>())
    }

    /// The filter and this stage alone.
    fn with_stage(&self, stage: Stage) -> String {
        let text = format!("{filter} | {stage}", filter = self.filter);
        first_of(text.trim(), &Pipeline { filter: self.pipeline.filter.clone(), stages: vec![stage] })
    }

    /// The filter, with the `where` conditions of the stages before the first table added.
    fn messages(mut self) -> String {
        let stages = std::mem::take(&mut self.pipeline.stages);
        self.stages = "";
        let before: Vec<Stage> = stages.into_iter().take_while(|stage| !stage.aggregates()).collect();
        // Conditions on fields added by a stage would find nothing, because no message has them.
        let adds_fields =
            before.iter().any(|stage| matches!(stage, Stage::Extract { .. } | Stage::Parse { .. }));
        let before = before.into_iter().filter(|_| !adds_fields);
        let conditions = before.filter_map(|stage| match stage {
            Stage::Where(query) => Some(EditedClause { span: 0..0, text: query.to_string(), query }),
            _ => None,
        });
        let clauses: Vec<EditedClause> = self.clauses.iter().cloned().chain(conditions).collect();
        self.rewritten(None, &clauses)
    }
}

impl EditedClause {
    fn new(field: &FieldName, content: &FieldContent, excluded: bool) -> Result<EditedClause, ParseError> {
        let (test, excluded) = match content {
            FieldContent::Value(value) => (FieldTest::Equals(Pattern::literal(value)), excluded),
            FieldContent::Part(text) => (FieldTest::Holds(TextTest::Regex(containing(text)?)), excluded),
            FieldContent::Nothing => (FieldTest::Exists, !excluded),
        };
        let sign = if excluded { "-" } else { "" };
        let text = format!("{sign}{test}", test = Query::Field(field.clone(), test));
        match parse(&text) {
            Ok(query) => Ok(EditedClause { span: 0..0, text, query }),
            // A severity is never an empty text: it is missing.
            Err(_) if *content == FieldContent::Value(String::new()) => {
                EditedClause::new(field, &FieldContent::Nothing, excluded)
            }
            Err(error) => Err(error),
        }
    }

    /// A clause in canonical text.
    fn of(query: Query) -> EditedClause {
        EditedClause { span: 0..0, text: query.to_string(), query }
    }

    /// The clause for any of these values of a field: `host in (a, b)` if they can be written so.
    fn list(mut values: Vec<Query>) -> EditedClause {
        if values.len() == 1 {
            return EditedClause::of(values.remove(0));
        }
        let texts: Vec<String> = values.iter().map(Query::to_string).collect();
        let name = texts[0].split('=').next().unwrap_or_default().to_owned();
        let value = |text: &String| Some(text.strip_prefix(&name)?.strip_prefix('=')?.to_owned());
        let listed: Option<Vec<String>> = texts.iter().map(value).collect();
        let canonical = EditedClause::of(Query::or(values));
        let text = listed.map(|values| format!("{name} in ({values})", values = values.join(", ")));
        let text = text.filter(|text| parse(text).as_ref() == Ok(&canonical.query));
        EditedClause { text: text.unwrap_or(canonical.text), ..canonical }
    }

    /// The conditions of a disjunction; for anything else, the condition itself.
    fn alternatives(&self) -> &[Query] {
        match &self.query {
            Query::Or(queries) => queries,
            one => std::slice::from_ref(one),
        }
    }

    /// Its text, in parentheses if its parts would otherwise join with other clauses.
    fn grouped(&self) -> String {
        match self.query {
            Query::Or(_) => format!("({text})", text = self.text),
            _ => self.text.clone(),
        }
    }

    fn opposite(&self) -> EditedClause {
        let query = match &self.query {
            Query::Not(inner) => (**inner).clone(),
            other => other.clone().negate(),
        };
        let texts = [
            self.text.strip_prefix(['-', '!']).unwrap_or_default().to_owned(),
            self.text.get(3..).unwrap_or_default().trim().to_owned(),
            format!("-{text}", text = self.grouped()),
            format!("-({text})", text = self.text),
        ];
        let text = texts.into_iter().find(|text| parse(text).as_ref() == Ok(&query));
        EditedClause { span: self.span.clone(), text: text.unwrap_or_else(|| query.to_string()), query }
    }
}

/// Whether it requires one value of the field.
fn is_value_of(query: &Query, field: &FieldName) -> bool {
    let Query::Field(name, test) = query else { return false };
    let is_value = match test {
        FieldTest::Equals(pattern) => !pattern.is_case_sensitive(),
        FieldTest::Code(codes) => codes.first() == codes.last(),
        FieldTest::Flag(_) => true,
        _ => false,
    };
    is_value && name.is(field)
}

fn part<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or_default()
}

/// The text if it has this meaning, otherwise the canonical text.
fn first_of(text: &str, meant: &Pipeline) -> String {
    if parse_pipeline(text).as_ref() == Ok(meant) { text.to_owned() } else { meant.to_string() }
}

fn containing(text: &str) -> Result<Regex, ParseError> {
    Regex::new(&regex::escape(text), true).map_err(|error| ParseError {
        kind: ErrorKind::Meaning,
        message: error.to_string(),
        span: 0..0,
        suggestion: None,
    })
}

fn top(field: &FieldName, count: u64) -> Stage {
    Stage::Top(Ranking { count, fields: vec![field.clone()], by: Vec::new() })
}

fn summary(field: &FieldName) -> Stage {
    let measures = [
        (Measure::Min, "min"),
        (Measure::Avg, "avg"),
        (Measure::Percentile(95_000), "p95"),
        (Measure::Max, "max"),
    ];
    let function = |(measure, alias): (Measure, &str)| Aggregate {
        function: Function::Of(measure, field.clone()),
        alias: Some(alias.to_owned()),
    };
    Stage::Stats { functions: measures.map(function).to_vec(), by: Vec::new() }
}

#[cfg(test)]
mod tests;
