//! Errors and warnings of a query text, with their positions and suggestions.

use super::ast::Query;
use std::ops::Range;

/// The greatest length of an excerpt, and of its part before the error, in characters.
const EXCERPT_MAX: usize = 120;
const EXCERPT_BEFORE_MAX: usize = 60;

/// A text that is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// One sentence for the user.
    pub message: String,
    /// The bytes of the text that it refers to.
    pub span: Range<usize>,
    /// A whole query that may have been intended.
    pub suggestion: Option<String>,
}

/// The kind of an error. After an error of the first kind, a search bar searches for the literal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    Syntax,
    /// The text follows the grammar but is invalid: an invalid regular expression, an unknown severity, a limit. Also
    /// every error in a stage.
    Meaning,
}

/// The treatment of a text that does not follow the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unparsed {
    /// It is refused.
    #[default]
    Refused,
    /// It is searched for literally, with a warning.
    Text,
}

/// The kind of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningKind {
    /// The text does not follow the grammar and is searched for literally.
    UnparsedText,
    /// A text looks like a field, but is searched for as text because a space follows the operator.
    SpaceAfterOperator,
    /// A text contains something that looks like a stage.
    PipeInText,
    /// A comparison is searched for as text because its value is not a number.
    ComparisonAsText,
}

/// A warning about a query that runs all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The kind of warning.
    pub kind: WarningKind,
    /// One sentence for the user.
    pub message: String,
    /// The bytes of the text that it refers to.
    pub span: Range<usize>,
    /// A whole query that may have been intended.
    pub suggestion: Option<String>,
}

/// The meaning of a search bar's text.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedSearch {
    /// The query to run.
    pub query: Query,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

impl ParseError {
    /// The line of `text` with the error, with carets below it. A long line is shortened.
    pub fn excerpt(&self, text: &str) -> String {
        let (line, column, end) = self.line_column(text);
        let line: Vec<char> = text.split('\n').nth(line - 1).unwrap_or_default().chars().collect();
        let first = (column - 1).saturating_sub(EXCERPT_BEFORE_MAX);
        let shown = line.iter().skip(first).take(EXCERPT_MAX).map(|c| if c.is_control() { ' ' } else { *c });
        let (before, carets) =
            (column - 1 - first, (end - column).clamp(1, EXCERPT_MAX - EXCERPT_BEFORE_MAX));
        format!("{}\n{}{}", String::from_iter(shown).trim_end(), " ".repeat(before), "^".repeat(carets))
    }

    /// The position in `text`: line, column, and the column after its last character on that line. All count from 1,
    /// columns in characters.
    pub fn line_column(&self, text: &str) -> (usize, usize, usize) {
        let before = text.as_bytes().get(..self.span.start).unwrap_or(text.as_bytes());
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + count_chars(&before[line_start..]);
        let inside = text.as_bytes().get(self.span.clone()).unwrap_or_default();
        let inside = inside.split(|&byte| byte == b'\n').next().unwrap_or_default();
        (line, column, column + count_chars(inside))
    }
}

/// The number of characters in a part of a `str`.
fn count_chars(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
