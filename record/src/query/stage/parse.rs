//! The grammar of pipelines: text to [`Pipeline`].
//!
//! ```text
//! pipeline = filter { "|" stage }
//! stage    = name { option } [ items ] { option } [ "by" items ]
//! items    = item { [ "," ] item } | "(" item { [ "," ] item } ")"
//! ```
//!
//! Which items and options there are is the affair of each stage: `KINDS` lists them. Spellings of SPL and LogsQL
//! are read where they mean the same.

use super::calls::{names_function, nearest};
use super::captures::{Captures, Template};
use super::reader::{COUNT_DEFAULT, Reader};
use super::{Format, Pipeline, PipelineSearch, Ranking, SortKey, Stage};
use crate::field::Field;
use crate::query::STAGES_MAX;
use crate::query::ast::{FieldName, Part, Query, TextTest};
use crate::query::error::{ErrorKind, ParseError, Warning};
use crate::query::lex::Cursor;
use crate::query::parse::{Parsed, Parser, as_it_stands, within_limit};
use std::ops::Range;

/// Reads a pipeline that has to be right.
pub fn parse_pipeline(text: &str) -> Result<Pipeline, ParseError> {
    read(text).map(|(search, _)| search.pipeline)
}

/// Reads what somebody typed or pasted into a search bar: a filter that does not follow the grammar is searched for
/// as it stands, with a warning. Stages have to be right.
pub fn parse_pipeline_search(text: &str) -> Result<PipelineSearch, ParseError> {
    read_search(text).map(|(search, _)| search)
}

/// Where the parts of a pipeline stand, in bytes.
#[derive(Default)]
pub(in crate::query) struct Places {
    /// The clauses of the filter that stand side by side.
    pub(in crate::query) clauses: Vec<Range<usize>>,
    /// The stages, without the `|` before each, and what they are called.
    pub(in crate::query) stages: Vec<(Range<usize>, &'static str)>,
}

/// The same as [`parse_pipeline_search`], and where everything stands.
pub(in crate::query) fn read_search(text: &str) -> Result<(PipelineSearch, Places), ParseError> {
    match read(text) {
        Err(error) if error.kind == ErrorKind::Syntax => read_as_it_stands(text, &error),
        Ok((mut search, places)) if search.warnings.is_empty() => {
            search.warnings.extend(hidden_stage(text, &search.pipeline));
            Ok((search, places))
        }
        other => other,
    }
}

fn read(text: &str) -> Result<(PipelineSearch, Places), ParseError> {
    let mut parser = Parser::of_pipeline(text)?;
    let filter = parser.filter()?;
    let tops = std::mem::take(&mut parser.tops);
    let clauses = tops.into_iter().map(|top| parser.cursor.span(top)).collect();
    let (stages, stages_at) = parser.stages()?;
    let pipeline = Pipeline { filter, stages };
    within_limit(&pipeline, text)?;
    let places = Places { clauses, stages: stages_at };
    Ok((PipelineSearch { pipeline, warnings: parser.warnings }, places))
}

/// What stands before the first stage is a text.
fn read_as_it_stands(text: &str, error: &ParseError) -> Result<(PipelineSearch, Places), ParseError> {
    let mut parser = Parser::of_pipeline(text)?;
    let end = pipe_before_stage(&parser.cursor, false).unwrap_or(text.chars().count());
    let (filter, warning) = as_it_stands(&parser.cursor.text(0..end), error);
    parser.cursor.at = end;
    let (stages, stages_at) = parser.stages()?;
    let pipeline = Pipeline { filter, stages };
    within_limit(&pipeline, text)?;
    let warnings = vec![Warning { suggestion: Some(pipeline.to_string()), ..warning }];
    let start = parser.cursor.space_end(0).min(end);
    let places = Places {
        clauses: vec![parser.cursor.span(start..parser.cursor.trimmed(start..end))],
        stages: stages_at,
    };
    Ok((PipelineSearch { pipeline, warnings }, places))
}

/// `error| top 5 host` searches for texts, which is seldom what was meant.
fn hidden_stage(text: &str, pipeline: &Pipeline) -> Option<Warning> {
    let cursor = Cursor::new(text);
    let at = pipe_before_stage(&cursor, true)?;
    let apart = cursor.rewritten(at..cursor.space_end(at + 1), " | ");
    let has_more = read(&apart).is_ok_and(|(other, _)| pipeline.stages.len() < other.pipeline.stages.len());
    has_more.then(|| Warning {
        message: "`|` is a character of this text; to begin a stage write a space before it".to_owned(),
        span: cursor.span(at..at + 1),
        suggestion: Some(apart),
    })
}

/// The first `|` that the name of a stage follows: one that is joined to what stands before it, or one that is not.
fn pipe_before_stage(cursor: &Cursor, joined: bool) -> Option<usize> {
    let pipes = (0..).map_while(|at| Some((at, cursor.char_at(at)?))).filter(|(_, c)| *c == '|');
    pipes.map(|(at, _)| at).find(|&at| {
        let before = at.checked_sub(1).and_then(|before| cursor.char_at(before));
        let name_at = cursor.space_end(at + 1);
        let name = cursor.text(name_at..cursor.identifier_end(name_at)).to_ascii_lowercase();
        let is_stage = kind_of(&name).is_some() || LATER.contains(&name.as_str());
        is_stage && before.is_some_and(|c| !c.is_whitespace()) == joined
    })
}

/// A kind of stage.
pub(in crate::query) struct Kind {
    /// What it is called, first by its own name.
    pub(in crate::query) names: &'static [&'static str],
    pub(in crate::query) example: &'static str,
    read: fn(&mut Reader<'_>) -> Parsed<Stage>,
}

pub(in crate::query) const KINDS: [Kind; 13] = [
    Kind { names: &["where", "filter", "search"], example: "where status>=500 user:*", read: |r| r.filter() },
    Kind { names: &["fields", "table", "keep"], example: "fields time, host, message", read: |r| r.fields() },
    Kind { names: &["sort", "order"], example: "sort -count, host", read: |r| r.sort() },
    Kind { names: &["limit", "head", "take"], example: "limit 10", read: |r| r.count().map(Stage::Limit) },
    Kind { names: &["tail"], example: "tail 10", read: |r| r.count().map(Stage::Tail) },
    Kind { names: &["stats"], example: "stats count(), avg(bytes) by host", read: |r| r.stats() },
    Kind { names: &["timechart"], example: "timechart span=5m count() by host", read: |r| r.timechart() },
    Kind { names: &["top"], example: "top 10 host by program", read: |r| r.ranking().map(Stage::Top) },
    Kind { names: &["rare"], example: "rare 10 host by program", read: |r| r.ranking().map(Stage::Rare) },
    Kind { names: &["uniq"], example: "uniq host, program", read: |r| r.by_or_names().map(Stage::Uniq) },
    Kind { names: &["dedup"], example: "dedup host, user", read: |r| r.by_or_names().map(Stage::Dedup) },
    Kind { names: &["extract"], example: "extract \"user=<user> from <ip>\"", read: |r| r.extract() },
    Kind {
        names: &["parse", "rex", "extract_regexp"],
        example: "parse json, parse kv, parse regex /user=(?<user>\\w+)/ from message",
        read: |r| r.parse(),
    },
];

/// Stages that are planned.
const LATER: [&str; 6] = ["eval", "patterns", "new_patterns", "context", "gap", "raw"];

pub(in crate::query) fn kind_of(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.names.contains(&name))
}

impl Parser {
    /// All stages, up to the end of the text, and where they stand.
    fn stages(&mut self) -> Parsed<(Vec<Stage>, Vec<(Range<usize>, &'static str)>)> {
        let (mut stages, mut places) = (Vec::new(), Vec::new());
        while !self.cursor.is_at_end() {
            // What is wrong in a stage is never a text to search for.
            let stage = self.stage(&mut stages);
            places.push(stage.map_err(|error| ParseError { kind: ErrorKind::Meaning, ..error })?);
        }
        Ok((stages, places))
    }

    fn stage(&mut self, stages: &mut Vec<Stage>) -> Parsed<(Range<usize>, &'static str)> {
        let pipe = self.cursor.at;
        self.cursor.at += 1;
        self.cursor.skip_space();
        let at = self.cursor.at;
        self.cursor.at = self.cursor.identifier_end(at);
        let name = self.cursor.text(at..self.cursor.at).to_ascii_lowercase();
        let kind = kind_of(&name).ok_or_else(|| self.unknown_stage(pipe, at, &name))?;
        let follows_table = stages.iter().any(Stage::aggregates);
        let mut reader = Reader { parser: self, at, kind, name, follows_table, limit: None };
        let stage = reader.whole()?;
        stages.push(stage);
        stages.extend(reader.limit.map(Stage::Limit));
        if STAGES_MAX < stages.len() {
            let message = format!("the query has more than {STAGES_MAX} stages: leave some out");
            return Err(self.cursor.meaning(pipe..pipe + 1, message));
        }
        let end = self.cursor.trimmed(at..self.cursor.at);
        Ok((self.cursor.span(at..end), kind.names[0]))
    }

    fn unknown_stage(&self, pipe: usize, at: usize, name: &str) -> ParseError {
        let end = self.cursor.at;
        let known = KINDS.iter().map(|kind| kind.names[0]).collect::<Vec<_>>().join(", ");
        if LATER.contains(&name) {
            let message = format!("the stage `{name}` is not available yet: there are {known}");
            return self.cursor.meaning(at..end, message);
        }
        let names = KINDS.iter().flat_map(|kind| kind.names.iter().copied());
        let suggestion = match nearest(name, names) {
            Some(meant) => self.cursor.rewritten(at..end, meant),
            None => self.cursor.rewritten(pipe..pipe + 1, "\"|\""),
        };
        let (range, what) = match name {
            "" => (pipe..pipe + 1, "a stage must follow here".to_owned()),
            _ => (at..end, format!("`{name}` is no stage")),
        };
        let message = format!("{what}: they are {known}; to search for the character write \"|\"");
        ParseError { suggestion: Some(suggestion), ..self.cursor.meaning(range, message) }
    }
}

impl Reader<'_> {
    fn whole(&mut self) -> Parsed<Stage> {
        self.skip();
        let stage = (self.kind.read)(self)?;
        self.skip();
        if self.parser.is_at_stage_end() { Ok(stage) } else { Err(self.unexpected()) }
    }

    fn filter(&mut self) -> Parsed<Stage> {
        if self.parser.is_at_stage_end() {
            return Err(self.missing("a filter"));
        }
        let at = self.parser.cursor.at;
        let query = self.parser.filter()?;
        if self.follows_table && compares_call(&query) {
            let message = "a column with parentheses in its name stands in quotes, as in `\"avg(bytes)\">100`: or \
                           give it a name, as in `avg(bytes) as size`";
            return Err(self.parser.cursor.meaning(at..self.parser.cursor.at, message));
        }
        Ok(Stage::Where(query))
    }

    fn fields(&mut self) -> Parsed<Stage> {
        if self.parser.cursor.peek(0) == Some('-') {
            return Err(self.not_available("leaving fields out", "name those to keep"));
        }
        self.eat('+');
        self.names().map(Stage::Fields)
    }

    fn sort(&mut self) -> Parsed<Stage> {
        self.limit = self.optional_count()?;
        self.keyword("by");
        let (mut keys, in_parentheses) = self.list(Reader::sort_key)?;
        self.check_items(keys.iter().map(|key| key.field.as_str()))?;
        if in_parentheses && self.direction() {
            keys.iter_mut().for_each(|key| key.descending = !key.descending);
        }
        self.limit = self.limit.or(self.optional_count()?);
        Ok(Stage::Sort(keys))
    }

    fn sort_key(&mut self) -> Parsed<SortKey> {
        let is_minus = self.eat('-');
        if !is_minus {
            self.eat('+');
        }
        let field = self.name()?;
        self.parser.cursor.skip_space();
        Ok(SortKey { field, descending: self.direction() != is_minus })
    }

    /// Whether the order is the other way round.
    fn direction(&mut self) -> bool {
        !self.keyword("asc") && self.keyword("desc")
    }

    fn stats(&mut self) -> Parsed<Stage> {
        // LogsQL writes the groups first.
        let mut by = self.by()?;
        let functions = self.functions(by.columns())?;
        if by.fields.is_empty() && by.span_nanos.is_none() {
            by = self.by()?;
            self.check_columns(by.columns(), &functions)?;
        }
        match by.span_nanos {
            None => Ok(Stage::Stats { functions, by: by.fields }),
            Some(_) => {
                Ok(Stage::Timechart { span_nanos: by.span_nanos, functions, by: self.only_one(by.fields)? })
            }
        }
    }

    fn timechart(&mut self) -> Parsed<Stage> {
        let span_before = self.optional_span()?;
        let functions = self.functions(vec!["time"])?;
        let by = self.by()?;
        self.check_columns(by.columns().into_iter().chain(["time"]).collect(), &functions)?;
        let span_nanos = span_before.or(by.span_nanos).or(self.optional_span()?);
        Ok(Stage::Timechart { span_nanos, functions, by: self.only_one(by.fields)? })
    }

    fn only_one(&self, mut fields: Vec<FieldName>) -> Parsed<Option<FieldName>> {
        if 1 < fields.len() {
            let message = "a time chart has one line for each value of one field, and here are more";
            return Err(self.error_here(message));
        }
        Ok(fields.pop())
    }

    fn ranking(&mut self) -> Parsed<Ranking> {
        let mut count = self.optional_count()?;
        let mut fields = if self.is_at_item() { self.names()? } else { Vec::new() };
        count = count.or(self.optional_count()?);
        let mut by = self.by_fields()?;
        count = count.or(self.optional_count()?);
        // LogsQL writes `top 10 by (host)`.
        if fields.is_empty() {
            std::mem::swap(&mut fields, &mut by);
        }
        if fields.is_empty() {
            return Err(self.missing("the name of a field"));
        }
        self.check_items(fields.iter().chain(&by).map(FieldName::as_str).chain(["count"]))?;
        Ok(Ranking { count: count.unwrap_or(COUNT_DEFAULT), fields, by })
    }

    fn by_or_names(&mut self) -> Parsed<Vec<FieldName>> {
        self.keyword("by");
        let fields = self.names()?;
        self.limit = self.optional_count()?;
        Ok(fields)
    }

    fn extract(&mut self) -> Parsed<Stage> {
        let at = self.parser.cursor.at;
        if self.parser.cursor.peek(0) != Some('"') {
            return Err(self.missing("a text in quotes"));
        }
        let text = self.parser.operand(&['|'])?.text;
        let template =
            Template::new(&text).map_err(|error| self.error(at..self.parser.cursor.at, error.to_string()))?;
        self.parser.count_regex(at)?;
        Ok(Stage::Extract { template, from: self.source_field()? })
    }

    fn parse(&mut self) -> Parsed<Stage> {
        if self.name != "parse" {
            return self.rex();
        }
        let word = self.peek_word();
        let format = match word.as_str() {
            "csv" => return Err(self.not_available("`parse csv`", "there are json, kv and regex")),
            "json" => Some(Format::Json),
            "kv" | "logfmt" => Some(Format::KeyValue),
            "regex" | "regexp" => None,
            _ => return Err(self.missing("json, kv or regex")),
        };
        self.keyword(&word);
        let format = format.map_or_else(|| self.regex_format(), Ok)?;
        Ok(Stage::Parse { format, from: self.source_field()? })
    }

    /// `rex field=a "…"`, `extract_regexp "…" from a`.
    fn rex(&mut self) -> Parsed<Stage> {
        let from = if self.option("field") { Some(self.name()?) } else { None };
        self.skip();
        let format = self.regex_format()?;
        Ok(Stage::Parse { format, from: from.map_or_else(|| self.source_field(), Ok)? })
    }

    fn regex_format(&mut self) -> Parsed<Format> {
        let at = self.parser.cursor.at;
        let regex = match (self.parser.regex(&['|'])?, self.parser.cursor.peek(0)) {
            (Some(regex), _) => regex,
            (None, Some('"')) => {
                let source = self.parser.cursor.quoted_regex()?;
                self.parser.compile(at, &source, false)?
            }
            _ => return Err(self.missing("a regular expression such as `/user=(?<user>\\w+)/`")),
        };
        let captures = Captures::new(regex);
        let captures = captures.map_err(|error| self.error(at..self.parser.cursor.at, error.to_string()))?;
        Ok(Format::Regex(captures))
    }

    /// Whose value is read: the message, if nothing is said.
    fn source_field(&mut self) -> Parsed<FieldName> {
        self.skip();
        let is_named = self.keyword("from") || self.is_at_item();
        if is_named { self.name() } else { Ok(FieldName::Known(Field::Message)) }
    }
}

/// Whether a text in it looks like a column such as `avg(bytes)` that is compared.
fn compares_call(query: &Query) -> bool {
    match query {
        Query::And(inner) | Query::Or(inner) => inner.iter().any(compares_call),
        Query::Not(inner) => compares_call(inner),
        Query::Text(TextTest::Pattern(pattern)) => match pattern.parts().first() {
            Some(Part::Text(text)) => text.split_once('(').is_some_and(|(name, _)| names_function(name)),
            _ => false,
        },
        Query::All | Query::Text(TextTest::Regex(_)) | Query::Field(..) => false,
    }
}
