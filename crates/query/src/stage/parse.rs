//! The grammar of pipelines: text to [`Pipeline`].
//!
//! ```text
//! pipeline = filter { "|" stage }
//! stage    = name { option } [ items ] { option } [ "by" items ]
//! items    = item { [ "," ] item } | "(" item { [ "," ] item } ")"
//! ```
//!
//! Each stage has its own items and options: `KINDS` lists the stages. Spellings of SPL and LogsQL are accepted if they
//! mean the same.

use super::calls::names_function;
use super::captures::{CaptureTemplate, Captures};
use super::kinds::{KINDS, LATER, kind_of};
use super::reader::{COUNT_DEFAULT, StageReader};
use super::{Expression, GAP_COLUMNS, Pipeline, PipelineSearch, Ranking, SortKey, Stage, TextFormat};
use crate::ast::{PatternPart, Query, TextTest};
use crate::error::{ErrorKind, ParseError, Unparsed, Warning, WarningKind};
use crate::expression::parse_expression;
use crate::limits::{STAGE_ITEMS_MAX, STAGES_MAX};
use crate::parse::{Meaning, Parsed, as_it_stands, check_length, within_limit};
use crate::suggest::{nearest, suggested_query};
use crate::syntax::lex::TextCursor;
use crate::syntax::tree::{Body, NodeKind, StageNode, TreeNode};
use crate::syntax::{Tree, operand_at};
use logstead_record::Field;
use logstead_record::FieldName;
use std::ops::Range;

/// Reads a pipeline that must be valid.
pub fn parse_pipeline(text: &str) -> Result<Pipeline, ParseError> {
    read(text).map(|(search, _)| search.pipeline)
}

/// Reads the text of a search bar: a filter that does not follow the grammar is searched for literally, with a warning.
/// Stages must be valid.
pub fn parse_pipeline_search(text: &str) -> Result<PipelineSearch, ParseError> {
    read_search(text).map(|(search, _)| search)
}

/// Reads the query of a request: a filter that does not follow the grammar is refused with a suggestion, or searched for
/// literally.
pub fn parse_asked(text: &str, unparsed: Unparsed) -> Result<PipelineSearch, ParseError> {
    if unparsed == Unparsed::Text {
        return parse_pipeline_search(text);
    }
    read_warned(text).map(|(search, _)| search).map_err(|error| match error {
        ParseError { kind: ErrorKind::Syntax, suggestion: None, .. } => {
            ParseError { suggestion: suggestion(text), ..error }
        }
        other => other,
    })
}

/// The positions of a pipeline's parts, in bytes.
#[derive(Default)]
pub(crate) struct PipelineSpans {
    /// The clauses of the filter that are joined by AND.
    pub(crate) clauses: Vec<Range<usize>>,
    /// The stages.
    pub(crate) stages: Vec<StageSpan>,
}

/// The position of a stage, without the `|` before it, and its name.
type StageSpan = (Range<usize>, &'static str);

/// Reads like [`parse_pipeline_search`], and returns the positions of all parts.
pub(crate) fn read_search(text: &str) -> Result<(PipelineSearch, PipelineSpans), ParseError> {
    match read_warned(text) {
        Err(error) if error.kind == ErrorKind::Syntax => read_as_it_stands(text, &error),
        other => other,
    }
}

/// Reads a text that must be valid, with warnings.
fn read_warned(text: &str) -> Result<(PipelineSearch, PipelineSpans), ParseError> {
    let (mut search, places) = read(text)?;
    if search.warnings.is_empty() {
        search.warnings.extend(hidden_stage(text, &search.pipeline));
    }
    Ok((search, places))
}

fn read(text: &str) -> Result<(PipelineSearch, PipelineSpans), ParseError> {
    check_length(text)?;
    let tree = Tree::new(text);
    let mut meaning = Meaning::new(&tree);
    let filter = meaning.query(&tree.filter)?;
    let pipeline = Pipeline { filter, stages: meaning.stages(&tree.stages)? };
    within_limit(&pipeline, text)?;
    let clauses = tree.filter.clauses().iter().map(|clause| clause.range.clone());
    let places = PipelineSpans::new(&tree, clauses);
    Ok((PipelineSearch { pipeline, warnings: meaning.warnings }, places))
}

/// Reads a text whose filter is to be searched for literally.
fn read_as_it_stands(text: &str, error: &ParseError) -> Result<(PipelineSearch, PipelineSpans), ParseError> {
    let cursor = TextCursor::new(text);
    let end = pipe_before_stage(&cursor, false).unwrap_or(cursor.end);
    let (filter, warning) = as_it_stands(&cursor.text(0..end), error);
    let tree = Tree::of_stages(text, end);
    let pipeline = Pipeline { filter, stages: Meaning::new(&tree).stages(&tree.stages)? };
    within_limit(&pipeline, text)?;
    let warnings = vec![Warning { suggestion: Some(pipeline.to_string()), ..warning }];
    let start = cursor.space_end(0).min(end);
    let places = PipelineSpans::new(&tree, std::iter::once(start..cursor.trimmed(start..end)));
    Ok((PipelineSearch { pipeline, warnings }, places))
}

impl PipelineSpans {
    fn new(tree: &Tree, clauses: impl Iterator<Item = Range<usize>>) -> PipelineSpans {
        let stage = |stage: &StageNode| {
            let name = stage.kind.map_or("", |kind| kind.name());
            (tree.cursor.span(stage.range.clone()), name)
        };
        PipelineSpans {
            clauses: clauses.map(|clause| tree.cursor.span(clause)).collect(),
            stages: tree.stages.iter().map(stage).collect(),
        }
    }
}

/// The warning that `error| top 5 host` searches for texts, which is rarely intended.
fn hidden_stage(text: &str, pipeline: &Pipeline) -> Option<Warning> {
    let cursor = TextCursor::new(text);
    let at = pipe_before_stage(&cursor, true)?;
    let apart = cursor.rewritten(at..cursor.space_end(at + 1), " | ");
    let has_more = read(&apart).is_ok_and(|(other, _)| pipeline.stages.len() < other.pipeline.stages.len());
    has_more.then(|| Warning {
        kind: WarningKind::PipeInText,
        message: "`|` is part of this text; to start a stage, put a space before it".to_owned(),
        span: cursor.span(at..at + 1),
        suggestion: Some(apart),
    })
}

/// The position of the first `|` before the name of a stage; `joined` says whether it must be joined to the text
/// before it or must not be.
fn pipe_before_stage(cursor: &TextCursor, joined: bool) -> Option<usize> {
    let pipes = (0..).map_while(|at| Some((at, cursor.char_at(at)?))).filter(|(_, c)| *c == '|');
    pipes.map(|(at, _)| at).find(|&at| {
        let before = at.checked_sub(1).and_then(|before| cursor.char_at(before));
        let name_at = cursor.space_end(at + 1);
        let name = cursor.text(name_at..cursor.identifier_end(name_at)).to_ascii_lowercase();
        let is_stage = kind_of(&name).is_some() || LATER.contains(&name.as_str());
        is_stage && before.is_some_and(|c| !c.is_whitespace()) == joined
    })
}

impl Meaning {
    /// The meaning of stages.
    pub(crate) fn stages(&mut self, nodes: &[StageNode]) -> Parsed<Vec<Stage>> {
        let mut stages = Vec::new();
        for node in nodes {
            // A stage with an error is never a text to search for.
            let stage = self.stage(node, &mut stages);
            stage.map_err(|error| ParseError { kind: ErrorKind::Meaning, ..error })?;
        }
        Ok(stages)
    }

    fn stage(&mut self, node: &StageNode, stages: &mut Vec<Stage>) -> Parsed<()> {
        let name = self.cursor.text(node.name.clone()).to_ascii_lowercase();
        let kind = node.kind.ok_or_else(|| self.unknown_stage(node, &name))?;
        let follows_table = stages.iter().any(Stage::aggregates);
        let cursor = self.cursor.within(node.name.end..node.end);
        let mut reader = StageReader { meaning: self, cursor, node, kind, name, follows_table, limit: None };
        let stage = reader.whole()?;
        let limit = reader.limit.map(Stage::Limit);
        stages.push(stage);
        stages.extend(limit);
        if STAGES_MAX < stages.len() {
            let message = format!("the query has more than {STAGES_MAX} stages: remove some");
            return Err(self.cursor.meaning(node.pipe..node.pipe + 1, message));
        }
        Ok(())
    }

    fn unknown_stage(&self, node: &StageNode, name: &str) -> ParseError {
        let known = KINDS.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        if LATER.contains(&name) {
            let message = format!("the stage `{name}` is not available yet: use {known}");
            return self.cursor.meaning(node.name.clone(), message);
        }
        let names = KINDS.iter().flat_map(|kind| kind.names.iter().copied());
        let pipe = node.pipe..node.pipe + 1;
        let suggestion = match nearest(name, names) {
            Some(meant) => self.cursor.rewritten(node.name.clone(), meant),
            None => self.cursor.rewritten(pipe.clone(), "\"|\""),
        };
        let (range, what) = match name {
            "" => (pipe, "a stage is missing here".to_owned()),
            _ => (node.name.clone(), format!("`{name}` is not a stage")),
        };
        let message = format!("{what}: use {known}; to search for the character, write \"|\"");
        ParseError { suggestion: Some(suggestion), ..self.cursor.meaning(range, message) }
    }
}

impl StageReader<'_> {
    fn whole(&mut self) -> Parsed<Stage> {
        if let Body::Filter(filter) = &self.node.body {
            return self.filter(filter);
        }
        self.skip();
        let stage = self.body()?;
        self.skip();
        if self.cursor.is_at_end() { Ok(stage) } else { Err(self.unexpected()) }
    }

    fn body(&mut self) -> Parsed<Stage> {
        match self.kind.name() {
            "fields" => self.fields(),
            "sort" => self.sort(),
            "limit" => self.count().map(Stage::Limit),
            "tail" => self.count().map(Stage::Tail),
            "stats" => self.stats(),
            "timechart" => self.timechart(),
            "top" => self.ranking().map(Stage::Top),
            "rare" => self.ranking().map(Stage::Rare),
            "uniq" => self.by_or_names().map(Stage::Uniq),
            "dedup" => self.by_or_names().map(Stage::Dedup),
            "gap" => self.gap(),
            "extract" => self.extract(),
            "eval" => self.eval(),
            "raw" => Ok(Stage::Fields(vec![FieldName::Known(Field::Raw)])),
            _ => self.parse(),
        }
    }

    fn filter(&mut self, filter: &TreeNode) -> Parsed<Stage> {
        if matches!(filter.kind, NodeKind::Nothing) {
            self.cursor.at = self.cursor.end;
            return Err(self.missing("a filter"));
        }
        let query = self.meaning.query(filter)?;
        if self.follows_table && compares_call(&query) {
            let message = "a column with parentheses in its name must be in quotes, as in \
                           `\"avg(bytes)\">100`; or give it a name, as in `avg(bytes) as size`";
            return Err(self.error(filter.range.clone(), message));
        }
        Ok(Stage::Where(query))
    }

    fn fields(&mut self) -> Parsed<Stage> {
        if self.cursor.peek(0) == Some('-') {
            return Err(self.not_available("leaving fields out", "name those to keep"));
        }
        self.eat('+');
        self.names().map(Stage::Fields)
    }

    fn sort(&mut self) -> Parsed<Stage> {
        self.limit = self.optional_count()?;
        self.keyword("by");
        let (mut keys, in_parentheses) = self.list(StageReader::sort_key)?;
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
        self.cursor.skip_space();
        Ok(SortKey { field, descending: self.direction() != is_minus })
    }

    /// Whether the order is descending.
    fn direction(&mut self) -> bool {
        !self.keyword("asc") && self.keyword("desc")
    }

    fn stats(&mut self) -> Parsed<Stage> {
        // In LogsQL, the groups come first.
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
            let message = "a time chart has one line for each value of one field, and this names more than \
                           one field";
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
        // In LogsQL, this is written `top 10 by (host)`.
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

    /// Reads `host > 10m`, `host 10m` or `10m by host`.
    fn gap(&mut self) -> Parsed<Stage> {
        let is_length = self.cursor.peek(0).is_some_and(|c| c == '>' || c.is_ascii_digit());
        let before = if is_length { Some(self.gap_length()?) } else { None };
        self.keyword("by");
        let by = self.names()?;
        let longest_nanos = before.map_or_else(|| self.gap_length(), Ok)?;
        self.check_items(by.iter().map(FieldName::as_str).chain(GAP_COLUMNS))?;
        Ok(Stage::Gap { by, longest_nanos })
    }

    fn gap_length(&mut self) -> Parsed<i64> {
        self.skip();
        let is_longer = self.cursor.peek(0) == Some('>') && self.cursor.peek(1) != Some('=');
        if is_longer {
            self.eat('>');
        }
        match self.cursor.peek(0) {
            Some(c) if is_longer || c.is_ascii_digit() => self.span(),
            Some(_) => Err(self.unexpected()),
            None => Err(self.missing("`>` and a span")),
        }
    }

    fn extract(&mut self) -> Parsed<Stage> {
        let at = self.cursor.at;
        if self.cursor.peek(0) != Some('"') {
            return Err(self.missing("a text in quotes"));
        }
        let text = operand_at(&mut self.cursor, &['|'])?.text;
        let template =
            CaptureTemplate::new(&text).map_err(|error| self.error(at..self.cursor.at, error.to_string()))?;
        self.meaning.count_regex(at..self.cursor.at)?;
        Ok(Stage::Extract { template, from: self.source_field()? })
    }

    fn parse(&mut self) -> Parsed<Stage> {
        if self.name != "parse" {
            return self.rex();
        }
        let word = self.peek_word();
        let format = match word.as_str() {
            "json" => Some(TextFormat::Json),
            "kv" | "logfmt" => Some(TextFormat::KeyValue),
            "cef" => Some(TextFormat::Cef),
            "leef" => Some(TextFormat::Leef),
            "csv" | "regex" | "regexp" => None,
            _ => return Err(self.missing("json, kv, regex, csv, cef or leef")),
        };
        self.keyword(&word);
        let format = match format {
            Some(format) => format,
            None if word == "csv" => self.csv_format()?,
            None => self.regex_format()?,
        };
        Ok(Stage::Parse { format, from: self.source_field()? })
    }

    /// Reads `rex field=a "…"` or `extract_regexp "…" from a`.
    fn rex(&mut self) -> Parsed<Stage> {
        let from = if self.option("field") { Some(self.name()?) } else { None };
        self.skip();
        let format = self.regex_format()?;
        Ok(Stage::Parse { format, from: from.map_or_else(|| self.source_field(), Ok)? })
    }

    /// The names of the columns; `_` for one that is left out.
    fn csv_format(&mut self) -> Parsed<TextFormat> {
        let at = self.cursor.at;
        let (columns, _) = self.list(|reader| {
            let skipped = reader.keyword("_");
            if skipped { Ok(String::new()) } else { reader.new_name() }
        })?;
        self.check_items(columns.iter().map(String::as_str).filter(|name| !name.is_empty()))?;
        if STAGE_ITEMS_MAX < columns.len() {
            let message = format!("a stage has at most {STAGE_ITEMS_MAX} columns: remove some");
            return Err(self.error(at..self.cursor.at, message));
        }
        Ok(TextFormat::Csv(columns))
    }

    /// Reads assignments: `a = 1, b = a + 1`.
    fn eval(&mut self) -> Parsed<Stage> {
        let mut assignments: Vec<(String, Expression)> = Vec::new();
        loop {
            self.skip();
            if self.cursor.is_at_end() && !assignments.is_empty() {
                break;
            }
            let name = self.new_name()?;
            self.cursor.skip_space();
            if !self.eat('=') {
                return Err(self.missing("`=` and a value"));
            }
            assignments.push((name, parse_expression(self.meaning, &mut self.cursor)?));
            if self.cursor.peek(0) != Some(',') {
                break;
            }
        }
        // A name may occur twice, because a later assignment may use the earlier value.
        if STAGE_ITEMS_MAX < assignments.len() {
            let message = format!("a stage has at most {STAGE_ITEMS_MAX} columns: remove some");
            return Err(self.error(self.node.range.clone(), message));
        }
        Ok(Stage::Eval(assignments))
    }

    fn regex_format(&mut self) -> Parsed<TextFormat> {
        let at = self.cursor.at;
        let (source, ignore_case) = match (self.cursor.regex(at, &['|']), self.cursor.peek(0)) {
            (Some((source, ignore_case, end)), _) => {
                self.cursor.at = end;
                (source, ignore_case)
            }
            (None, Some('"')) => (self.cursor.quoted_regex()?, false),
            _ => return Err(self.missing("a regular expression such as `/user=(?<user>\\w+)/`")),
        };
        let regex = self.meaning.compile(at..self.cursor.at, &source, ignore_case)?;
        let captures = Captures::new(regex);
        let captures = captures.map_err(|error| self.error(at..self.cursor.at, error.to_string()))?;
        Ok(TextFormat::Regex(captures))
    }

    /// The field to read: the message by default.
    fn source_field(&mut self) -> Parsed<FieldName> {
        self.skip();
        let is_named = self.keyword("from") || self.is_at_item();
        if is_named { self.name() } else { Ok(FieldName::Known(Field::Message)) }
    }
}

/// Whether a text in the query looks like a comparison of a column such as `avg(bytes)`.
fn compares_call(query: &Query) -> bool {
    match query {
        Query::And(inner) | Query::Or(inner) => inner.iter().any(compares_call),
        Query::Not(inner) => compares_call(inner),
        Query::Text(TextTest::Pattern(pattern)) => match pattern.parts().first() {
            Some(PatternPart::Text(text)) => {
                text.split_once('(').is_some_and(|(name, _)| names_function(name))
            }
            _ => false,
        },
        Query::All
        | Query::Copies
        | Query::Text(TextTest::Near(_) | TextTest::Regex(_))
        | Query::Field(..) => false,
    }
}

/// A suggestion for a text that is not a query.
fn suggestion(text: &str) -> Option<String> {
    let in_quotes = |text: &str| Some(parse_pipeline_search(text).ok()?.pipeline.to_string());
    suggested_query(text, |text| parse_pipeline(text).is_ok(), in_quotes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gets_what_it_lacks_or_quotes() {
        for (text, expected) in [
            ("(a", "(a)"),
            ("a (b (c or d)", "a (b (c or d))"),
            ("\"open", "\"open\""),
            ("severity>=err AND", "severity>=err"),
            ("host:", "host:*"),
            ("host=", "host=*"),
            ("a )", "\"a )\""),
            ("severity>=", "\"severity>=\""),
            ("connect(fd, 3) failed | top host", "\"connect(fd, 3) failed\" | top 10 host"),
        ] {
            assert_eq!(suggestion(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(suggestion("(a | nothing"), None);
    }
}
