//! The meaning of a tree: a [`Query`], or the first error in it.

use super::ast::{Pattern, Query, TextTest};
use super::error::{ErrorKind, ParseError, ParsedSearch, Warning, WarningKind};
use super::limits::{CLAUSES_MAX, QUERY_BYTES_MAX, REGEX_CHARS_MAX, REGEXES_MAX};
use super::print::Quoted;
use super::regex::Regex;
use super::steps;
use super::syntax::Tree;
use super::syntax::lex::TextCursor;
use super::syntax::subject::nearly_number;
use super::syntax::tree::{Leaf, NodeKind, Operand, TreeNode};
use super::value::text_test;
use logstead_record::Field;
use std::fmt::Display;
use std::ops::Range;

/// Reads a query that must be valid, for example the filter of a route.
pub fn parse(text: &str) -> Result<Query, ParseError> {
    read(text).map(|search| search.query)
}

/// Reads the text of a search bar: a text that does not follow the grammar is searched for literally, with a warning.
pub fn parse_search(text: &str) -> Result<ParsedSearch, ParseError> {
    match read(text) {
        Err(error) if error.kind == ErrorKind::Syntax => {
            let (query, warning) = as_it_stands(text, &error);
            within_limit(&query, text)?;
            Ok(ParsedSearch { query, warnings: vec![warning] })
        }
        other => other,
    }
}

fn read(text: &str) -> Result<ParsedSearch, ParseError> {
    check_length(text)?;
    let tree = Tree::of_filter(text);
    let mut meaning = Meaning::new(&tree);
    let query = meaning.query(&tree.filter)?;
    within_limit(&query, text)?;
    Ok(ParsedSearch { query, warnings: meaning.warnings })
}

/// The query that searches for the text literally, with a warning.
pub(super) fn as_it_stands(text: &str, error: &ParseError) -> (Query, Warning) {
    let query = Query::Text(TextTest::Pattern(Pattern::literal(text.trim())));
    let message = format!("not a valid query, so this searched for the literal text: {error}");
    let suggestion = Some(query.to_string());
    let kind = WarningKind::UnparsedText;
    (query, Warning { kind, message, span: error.span.clone(), suggestion })
}

pub(super) fn check_length(text: &str) -> Parsed<()> {
    if QUERY_BYTES_MAX < text.len() {
        return Err(over_limit(&format!("the query has {bytes} bytes", bytes = text.len()), text));
    }
    Ok(())
}

/// Checks the length of the printed query, because queries are also transmitted and stored as text.
pub(super) fn within_limit(query: &impl Display, text: &str) -> Parsed<()> {
    let printed_bytes = query.to_string().len();
    steps::count(printed_bytes);
    if QUERY_BYTES_MAX < printed_bytes {
        return Err(over_limit(&format!("the query has {printed_bytes} bytes when written out"), text));
    }
    Ok(())
}

fn over_limit(what: &str, text: &str) -> ParseError {
    ParseError {
        kind: ErrorKind::Meaning,
        message: format!("{what}, and the limit is {QUERY_BYTES_MAX}: shorten it"),
        span: 0..text.len(),
        suggestion: None,
    }
}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// Interprets nodes, and counts what it has met so far.
pub(super) struct Meaning {
    pub(super) cursor: TextCursor,
    clauses: usize,
    regexes: usize,
    regex_chars: usize,
    pub(super) warnings: Vec<Warning>,
}

impl Meaning {
    pub(super) fn new(tree: &Tree) -> Meaning {
        Meaning { cursor: tree.cursor.clone(), clauses: 0, regexes: 0, regex_chars: 0, warnings: Vec::new() }
    }

    /// The meaning of a filter, or of a part that is not in a comparison.
    pub(super) fn query(&mut self, node: &TreeNode) -> Parsed<Query> {
        self.each(node, &mut |meaning, leaf, range| meaning.text(leaf, range))
    }

    /// The meaning of a node, given the meaning of its leaves.
    pub(super) fn each(
        &mut self,
        node: &TreeNode,
        leaf: &mut impl FnMut(&mut Meaning, &Leaf, Range<usize>) -> Parsed<Query>,
    ) -> Parsed<Query> {
        if steps::is_over() {
            return Err(self.ended(node.range.clone()));
        }
        let mut all = |meaning: &mut Meaning, nodes: &[TreeNode]| {
            nodes.iter().map(|node| meaning.each(node, leaf)).collect::<Parsed<Vec<_>>>()
        };
        match &node.kind {
            NodeKind::Nothing => Ok(Query::All),
            NodeKind::And(nodes) => all(self, nodes).map(Query::and),
            NodeKind::Or(nodes) | NodeKind::List(nodes) => all(self, nodes).map(Query::or),
            NodeKind::Not(inner) => self.each(inner, leaf).map(Query::negate),
            NodeKind::Group(inner) => self.each(inner, leaf),
            NodeKind::Comparison(comparison) => self.comparison(comparison),
            NodeKind::Leaf(found) => leaf(self, found, node.range.clone()),
            NodeKind::Error(error) => Err(error.clone()),
        }
    }

    /// A text without a field.
    fn text(&mut self, leaf: &Leaf, range: Range<usize>) -> Parsed<Query> {
        match leaf {
            Leaf::Regex { source, ignore_case } => {
                let regex = self.compile(range.clone(), source, *ignore_case)?;
                self.leaf(range, Ok(Query::Text(TextTest::Regex(regex))))
            }
            Leaf::Operand { operand, case_sensitive } => self.operand(operand, *case_sensitive, range),
            Leaf::Range { .. } | Leaf::Bound { .. } => {
                Err(self.cursor.meaning(range, "write the name of a field before this"))
            }
        }
    }

    fn operand(&mut self, operand: &Operand, case_sensitive: bool, range: Range<usize>) -> Parsed<Query> {
        self.warn_of_space(operand, &range);
        self.warn_of_number(operand, &range);
        let query = text_test(operand.clone(), case_sensitive).map(|test| match test {
            TextTest::Pattern(pattern) if pattern.is_any() => Query::All,
            test => Query::Text(test),
        });
        match &query {
            Ok(Query::Text(TextTest::Pattern(pattern))) if pattern.is_empty() => {
                Err(self.cursor.syntax(range, "an empty text finds nothing: write * for everything"))
            }
            _ => self.leaf(range, query),
        }
    }

    /// Warns that `host: fw1` searches for two texts, which is rarely intended. One warning is enough.
    fn warn_of_space(&mut self, operand: &Operand, range: &Range<usize>) {
        if !self.warnings.is_empty() {
            return;
        }
        let name = operand.text.strip_suffix([':', '=']).and_then(Field::from_name);
        let next = self.cursor.space_end(range.end);
        let (Some(name), false) = (name, self.cursor.is_boundary(next, &[])) else { return };
        let joined = self.cursor.rewritten(range.end..next, "");
        let message = format!(
            "`{text}` is searched for as text; to compare the field `{name}` write no space after it",
            text = operand.text
        );
        let span = self.cursor.span(range.clone());
        let kind = WarningKind::SpaceAfterOperator;
        self.warnings.push(Warning { kind, message, span, suggestion: Some(joined) });
    }

    /// Warns that `took>1x` searches for a text, which is rarely intended.
    fn warn_of_number(&mut self, operand: &Operand, range: &Range<usize>) {
        if !self.warnings.is_empty() || operand.quoted {
            return;
        }
        let Some(value) = nearly_number(&operand.text) else { return };
        let value: String = operand.text.chars().skip(value).collect();
        let message = format!(
            "`{text}` is searched for as text, since `{value}` is not a number: write digits, perhaps with a unit as in \
             10MB or 1.5s",
            text = operand.text
        );
        let suggestion = Some(self.cursor.rewritten(range.clone(), &Quoted(&operand.text).to_string()));
        let (kind, span) = (WarningKind::ComparisonAsText, self.cursor.span(range.clone()));
        self.warnings.push(Warning { kind, message, span, suggestion });
    }

    /// The error after cancellation, which is never shown.
    fn ended(&self, range: Range<usize>) -> ParseError {
        self.cursor.meaning(range, "the query was cancelled")
    }

    /// Compiles a regular expression, and counts it.
    pub(super) fn compile(&mut self, range: Range<usize>, source: &str, ignore_case: bool) -> Parsed<Regex> {
        self.count_regex(range.clone())?;
        self.regex_chars += range.len();
        if REGEX_CHARS_MAX < self.regex_chars {
            let message = format!(
                "the regular expressions of the query have more than {REGEX_CHARS_MAX} characters: shorten them"
            );
            return Err(self.cursor.meaning(range, message));
        }
        if !steps::goes_on() {
            return Err(self.ended(range));
        }
        Regex::new(source, ignore_case).map_err(|error| self.cursor.meaning(range, error.to_string()))
    }

    pub(super) fn count_regex(&mut self, range: Range<usize>) -> Parsed<()> {
        self.regexes += 1;
        if self.regexes <= REGEXES_MAX {
            return Ok(());
        }
        let message =
            format!("the query has more than {REGEXES_MAX} regular expressions: join some with `|`");
        Err(self.cursor.meaning(range, message))
    }

    /// The query of a clause, which is counted.
    pub(super) fn leaf(&mut self, range: Range<usize>, query: Result<Query, String>) -> Parsed<Query> {
        steps::count(1);
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
