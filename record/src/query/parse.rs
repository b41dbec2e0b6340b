//! The grammar: text to [`Query`].
//!
//! ```text
//! query   = [ or ]                             nothing means every message
//! or      = and { ( "OR" | "or" | "||" ) and }
//! and     = not { [ "AND" | "and" | "&&" ] not }
//! not     = ( "NOT" | "not" | "-" | "!" ) not | primary
//! primary = "(" or ")" | field comparison | text
//! ```
//!
//! A `|` at the beginning of a word ends the filter of a pipeline: stages follow.

use super::ast::{Pattern, Query, TextTest};
use super::error::{ErrorKind, ParseError, Search, Warning};
use super::lex::Cursor;
use super::regex::Regex;
use super::subject::subject_here;
use super::value::{Compared, Extent, Operand, pattern};
use super::{CLAUSES_MAX, NESTING_MAX, QUERY_BYTES_MAX, REGEXES_MAX};
use crate::field::Field;
use std::fmt::Display;
use std::ops::Range;

/// Reads a query that has to be right, such as a filter of a route.
pub fn parse(text: &str) -> Result<Query, ParseError> {
    read(text).map(|search| search.query)
}

/// Reads what somebody typed or pasted into a search bar: what does not follow the grammar is searched for as
/// it stands, with a warning.
pub fn parse_search(text: &str) -> Result<Search, ParseError> {
    match read(text) {
        Err(error) if error.kind == ErrorKind::Syntax => {
            let (query, warning) = as_it_stands(text, &error);
            within_limit(&query, text)?;
            Ok(Search { query, warnings: vec![warning] })
        }
        other => other,
    }
}

fn read(text: &str) -> Result<Search, ParseError> {
    let mut parser = Parser::new(text)?;
    let query = parser.filter()?;
    within_limit(&query, text)?;
    Ok(Search { query, warnings: parser.warnings })
}

/// The query for a text that does not follow the grammar, and what to say about it.
pub(super) fn as_it_stands(text: &str, error: &ParseError) -> (Query, Warning) {
    let query = Query::Text(TextTest::Pattern(Pattern::literal(text.trim())));
    let message = format!("searched for the text as it stands, since {error}");
    let suggestion = Some(query.to_string());
    (query, Warning { message, span: error.span.clone(), suggestion })
}

/// A query must be able to travel as text.
pub(super) fn within_limit(query: &impl Display, text: &str) -> Result<(), ParseError> {
    let printed_bytes = query.to_string().len();
    if QUERY_BYTES_MAX < printed_bytes {
        return Err(over_limit(&format!("the query has {printed_bytes} bytes when written out"), text));
    }
    Ok(())
}

fn over_limit(what: &str, text: &str) -> ParseError {
    ParseError {
        kind: ErrorKind::Meaning,
        message: format!("{what} and the limit is {QUERY_BYTES_MAX}: shorten it"),
        span: 0..text.len(),
        suggestion: None,
    }
}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// Where parsing is, and what it has met so far.
pub(super) struct Parser {
    pub(super) cursor: Cursor,
    depth: usize,
    clauses: usize,
    regexes: usize,
    /// Whether stages may follow the filter.
    stages: bool,
    /// Where the clauses of a filter stand that stand side by side, in characters: one where it is a disjunction.
    pub(super) tops: Vec<Range<usize>>,
    pub(super) warnings: Vec<Warning>,
}

/// In `field:( … )` each word is a value.
pub(super) type Values<'a> = Option<(&'a Compared, Extent)>;

impl Parser {
    /// For a filter alone.
    pub(super) fn new(text: &str) -> Parsed<Parser> {
        if QUERY_BYTES_MAX < text.len() {
            return Err(over_limit(&format!("the query has {bytes} bytes", bytes = text.len()), text));
        }
        let cursor = Cursor::new(text);
        Ok(Parser {
            cursor,
            depth: 0,
            clauses: 0,
            regexes: 0,
            stages: false,
            tops: Vec::new(),
            warnings: Vec::new(),
        })
    }

    /// For a filter and stages.
    pub(super) fn of_pipeline(text: &str) -> Parsed<Parser> {
        Ok(Parser { stages: true, ..Parser::new(text)? })
    }

    /// Everything up to the next stage; nothing means every message.
    pub(super) fn filter(&mut self) -> Parsed<Query> {
        self.cursor.skip_space();
        if self.is_at_stage_end() {
            return Ok(Query::All);
        }
        let query = self.or(None)?;
        if !self.is_at_stage_end() {
            let at = self.cursor.at;
            return Err(self.cursor.syntax(at..at + 1, "this parenthesis was not opened"));
        }
        Ok(query)
    }

    /// Whether the text ends here or a stage begins.
    pub(super) fn is_at_stage_end(&self) -> bool {
        let is_pipe = self.cursor.peek(0) == Some('|') && self.or_operator().is_none();
        self.cursor.is_at_end() || (self.stages && self.depth == 0 && is_pipe)
    }

    fn or(&mut self, values: Values<'_>) -> Parsed<Query> {
        let mut queries = vec![self.and(values)?];
        while let Some(end) = self.or_operator() {
            self.cursor.at = end;
            self.cursor.skip_space();
            queries.push(self.and(values)?);
        }
        if self.is_top(values) && 1 < queries.len() {
            self.join_tops();
        }
        Ok(Query::or(queries))
    }

    fn and(&mut self, values: Values<'_>) -> Parsed<Query> {
        let mut queries = vec![self.clause(values)?];
        loop {
            self.cursor.skip_space();
            if let Some(end) = self.and_operator() {
                self.cursor.at = end;
                self.cursor.skip_space();
            } else if self.cursor.peek(0) == Some(')')
                || self.or_operator().is_some()
                || self.is_at_stage_end()
            {
                return Ok(Query::and(queries));
            }
            queries.push(self.clause(values)?);
        }
    }

    fn clause(&mut self, values: Values<'_>) -> Parsed<Query> {
        let at = self.cursor.at;
        let query = self.not(values)?;
        if self.is_top(values) {
            self.tops.push(at..self.cursor.at);
        }
        Ok(query)
    }

    /// Whether what is read here stands side by side with the other clauses of the filter.
    fn is_top(&self, values: Values<'_>) -> bool {
        self.depth == 0 && values.is_none()
    }

    fn join_tops(&mut self) {
        if let (Some(first), Some(last)) = (self.tops.first(), self.tops.last()) {
            self.tops = vec![first.start..last.end];
        }
    }

    pub(super) fn or_operator(&self) -> Option<usize> {
        let at = self.cursor.at;
        self.cursor.keyword(at, "OR").or_else(|| self.cursor.keyword(at, "||"))
    }

    fn and_operator(&self) -> Option<usize> {
        let at = self.cursor.at;
        self.cursor.keyword(at, "AND").or_else(|| self.cursor.keyword(at, "&&"))
    }

    fn not(&mut self, values: Values<'_>) -> Parsed<Query> {
        let Some(end) = self.not_operator() else { return self.primary(values) };
        let at = self.cursor.at;
        self.cursor.at = end;
        self.cursor.skip_space();
        self.nested(at, |parser| Ok(parser.not(values)?.negate()))
    }

    fn not_operator(&self) -> Option<usize> {
        let at = self.cursor.at;
        let sign = matches!(self.cursor.peek(0), Some('-' | '!'));
        // `->`, `--`, `!=` and a lone hyphen are text.
        let before_word =
            self.cursor.peek(1).is_some_and(|c| !c.is_whitespace() && !"-=<>!~),;:".contains(c));
        if sign && before_word { Some(at + 1) } else { self.cursor.keyword(at, "NOT") }
    }

    fn primary(&mut self, values: Values<'_>) -> Parsed<Query> {
        let at = self.cursor.at;
        let operator = self.or_operator().or_else(|| self.and_operator());
        match (self.cursor.peek(0), operator) {
            (None, _) => Err(self.cursor.syntax(at.saturating_sub(1)..at, "something must follow here")),
            (Some(')'), _) => {
                Err(self.cursor.syntax(at..at + 1, "something must stand before this parenthesis"))
            }
            (_, Some(end)) => {
                let word = self.cursor.text(at..end);
                Err(self.cursor.syntax(at..end, format!("`{word}` joins what stands on both sides of it")))
            }
            (Some('|'), _) => {
                let message = if self.stages {
                    "a stage follows a whole filter, not a part of it; to search for the character write \"|\""
                } else {
                    "stages are for the console's search and `POST /aggregate`, and here is only a filter; to \
                     search for the character write \"|\""
                };
                let error = self.cursor.meaning(at..at + 1, message);
                Err(ParseError { suggestion: Some(self.cursor.rewritten(at..at + 1, "\"|\"")), ..error })
            }
            (Some('('), _) => self.group(values),
            _ => self.comparison_or_text(values),
        }
    }

    fn comparison_or_text(&mut self, values: Values<'_>) -> Parsed<Query> {
        match (values, subject_here(&mut self.cursor)) {
            (Some((compared, extent)), _) => self.value(compared, extent, &[]),
            (None, Some(subject)) => self.comparison(&subject),
            (None, None) => self.text(),
        }
    }

    pub(super) fn group(&mut self, values: Values<'_>) -> Parsed<Query> {
        let at = self.cursor.at;
        self.cursor.at += 1;
        self.cursor.skip_space();
        self.nested(at, |parser| {
            let query = parser.or(values)?;
            if parser.cursor.peek(0) != Some(')') {
                return Err(parser.cursor.syntax(at..at + 1, "this parenthesis is not closed"));
            }
            parser.cursor.at += 1;
            Ok(query)
        })
    }

    pub(super) fn nested(
        &mut self,
        at: usize,
        parse: impl FnOnce(&mut Parser) -> Parsed<Query>,
    ) -> Parsed<Query> {
        if self.depth == NESTING_MAX {
            let message =
                format!("parentheses and negations nest deeper than {NESTING_MAX}: simplify the query");
            return Err(self.cursor.meaning(at..at + 1, message));
        }
        self.depth += 1;
        let query = parse(self);
        self.depth -= 1;
        query
    }

    /// A text without a field.
    fn text(&mut self) -> Parsed<Query> {
        let at = self.cursor.at;
        let is_quoted =
            |cursor: &Cursor, prefix| cursor.starts_with(at, prefix) && cursor.is_quoted(at + prefix.len());
        let prefix = match self.cursor.identifier_end(at) - at {
            2 if is_quoted(&self.cursor, "cs") => 2,
            2 if self.cursor.starts_with(at, "cs:") && !self.cursor.is_boundary(at + 3, &[]) => 3,
            _ => 0,
        };
        self.cursor.at += prefix;
        if let Some(regex) = self.regex(&[])? {
            return self.leaf(at, Ok(Query::Text(TextTest::Regex(regex))));
        }
        let operand = self.operand(&[])?;
        self.warn_of_space(at, &operand);
        let query = pattern(operand.parts, 0 < prefix).map(|pattern| match pattern.is_any() {
            true => Query::All,
            false => Query::Text(TextTest::Pattern(pattern)),
        });
        match &query {
            Ok(Query::Text(TextTest::Pattern(pattern))) if pattern.is_empty() => Err(self
                .cursor
                .syntax(at..self.cursor.at, "a text of nothing is nowhere: write * for everything")),
            _ => self.leaf(at, query),
        }
    }

    /// `host: fw1` searches for two texts, which is seldom what was meant. Saying so once is enough.
    fn warn_of_space(&mut self, at: usize, operand: &Operand) {
        if !self.warnings.is_empty() {
            return;
        }
        let name = operand.text.strip_suffix([':', '=']).and_then(Field::from_name);
        let next = self.cursor.space_end(self.cursor.at);
        let (Some(name), false) = (name, self.cursor.is_boundary(next, &[])) else { return };
        let joined = self.cursor.rewritten(self.cursor.at..next, "");
        let message = format!(
            "`{text}` is searched for as text; to compare the field `{name}` write no space after it",
            text = operand.text
        );
        let span = self.cursor.span(at..self.cursor.at);
        self.warnings.push(Warning { message, span, suggestion: Some(joined) });
    }

    pub(super) fn regex(&mut self, stops: &[char]) -> Parsed<Option<Regex>> {
        let at = self.cursor.at;
        let Some((source, ignore_case, end)) = self.cursor.regex(at, stops) else { return Ok(None) };
        self.cursor.at = end;
        self.compile(at, &source, ignore_case).map(Some)
    }

    pub(super) fn compile(&mut self, at: usize, source: &str, ignore_case: bool) -> Parsed<Regex> {
        self.count_regex(at)?;
        let range = at..self.cursor.at;
        Regex::new(source, ignore_case).map_err(|error| self.cursor.meaning(range, error.to_string()))
    }

    /// Counts what stands from `at` to here as one more regular expression.
    pub(super) fn count_regex(&mut self, at: usize) -> Parsed<()> {
        self.regexes += 1;
        if self.regexes <= REGEXES_MAX {
            return Ok(());
        }
        let message =
            format!("the query has more than {REGEXES_MAX} regular expressions: join some with `|`");
        Err(self.cursor.meaning(at..self.cursor.at, message))
    }

    /// Counts what stands from `at` to here as one more clause.
    pub(super) fn leaf(&mut self, at: usize, query: Result<Query, String>) -> Parsed<Query> {
        let range = at..self.cursor.at;
        let query = query.map_err(|message| self.cursor.meaning(range.clone(), message))?;
        self.clauses += match &query {
            Query::Or(tests) => tests.len(),
            _ => 1,
        };
        if CLAUSES_MAX < self.clauses {
            let message = format!("the query has more than {CLAUSES_MAX} texts and comparisons: shorten it");
            return Err(self.cursor.meaning(range, message));
        }
        Ok(query)
    }
}
