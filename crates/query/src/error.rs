//! What is wrong with a query text, where, and what to write instead.

use super::ast::Query;
use std::ops::Range;

/// Characters of an excerpt, and of them those before what is wrong.
const EXCERPT_MAX: usize = 120;
const EXCERPT_BEFORE_MAX: usize = 60;

/// A text that is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Whether the text does not follow the grammar or asks for what there is not.
    pub kind: ErrorKind,
    /// One sentence for the user.
    pub message: String,
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
    /// A whole query that may have been meant.
    pub suggestion: Option<String>,
}

/// Two kinds of errors: a search bar searches for the text as it stands after one of the first kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    Syntax,
    /// It does, but means nothing: an invalid regular expression, an unknown severity, a limit. Also whatever is
    /// wrong in a stage.
    Meaning,
}

/// What becomes of a text that does not follow the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unparsed {
    /// It is refused.
    #[default]
    Refused,
    /// It is searched for as it stands, with a warning.
    Text,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningKind {
    /// The text does not follow the grammar and is searched for as it stands.
    UnparsedText,
    /// What looks like a field is a text of its own, because a space follows its operator.
    SpaceAfterOperator,
    /// What looks like a stage is a part of a text.
    PipeInText,
    /// What looks like a number, and is compared as one, is none: the comparison is searched for as text.
    ComparisonAsText,
}

/// What a search bar should say about a query that it runs all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// One sentence for the user.
    pub message: String,
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
    /// A whole query that may have been meant.
    pub suggestion: Option<String>,
}

/// What a search bar's text means.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedSearch {
    /// The query to run.
    pub query: Query,
    /// What to say about it.
    pub warnings: Vec<Warning>,
}

impl ParseError {
    /// The line of `text` that it is about, and below it carets where it is. Of a long line a part.
    pub fn excerpt(&self, text: &str) -> String {
        let (line, column, end) = self.line_column(text);
        let line: Vec<char> = text.split('\n').nth(line - 1).unwrap_or_default().chars().collect();
        let first = (column - 1).saturating_sub(EXCERPT_BEFORE_MAX);
        let shown = line.iter().skip(first).take(EXCERPT_MAX).map(|c| if c.is_control() { ' ' } else { *c });
        let (before, carets) =
            (column - 1 - first, (end - column).clamp(1, EXCERPT_MAX - EXCERPT_BEFORE_MAX));
        format!("{}\n{}{}", String::from_iter(shown).trim_end(), " ".repeat(before), "^".repeat(carets))
    }

    /// Where it is in `text`: line, column, and the column after its last character on that line. All count
    /// from 1, columns in characters.
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

/// Characters of a part of a `str`.
fn count_chars(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
