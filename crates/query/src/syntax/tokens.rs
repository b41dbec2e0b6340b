//! The pieces of a text in a row, each with what it is: for colours.

use super::lex::TextCursor;
use crate::number::Number;
use crate::time::parse_time;
use std::ops::Range;

/// A piece of a text. Places are in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryToken {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub range: Range<usize>,
}

/// What a piece of a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A text, or a value that is none of the others.
    Word,
    /// The same with `*` or `?`.
    Wildcard,
    /// The name of a field or column.
    Field,
    /// What compares or negates, and a comma.
    Operator,
    /// A text in quotes.
    Quoted,
    /// A regular expression.
    Regex,
    /// A number, a size, a duration or a time relative to now, where a value stands.
    Number,
    /// `AND`, `OR`, `NOT`, `in`, `TO`, and the words of stages.
    Keyword,
    /// A parenthesis, bracket or brace.
    Bracket,
    /// What begins a stage.
    Pipe,
    /// The name of a stage.
    Stage,
    /// The name of a function.
    Function,
}

impl TokenKind {
    /// Every kind with its name.
    pub const NAMES: [(TokenKind, &'static str); 12] = [
        (TokenKind::Word, "word"),
        (TokenKind::Wildcard, "wildcard"),
        (TokenKind::Field, "field"),
        (TokenKind::Operator, "operator"),
        (TokenKind::Quoted, "quoted"),
        (TokenKind::Regex, "regex"),
        (TokenKind::Number, "number"),
        (TokenKind::Keyword, "keyword"),
        (TokenKind::Bracket, "bracket"),
        (TokenKind::Pipe, "pipe"),
        (TokenKind::Stage, "stage"),
        (TokenKind::Function, "function"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        TokenKind::NAMES.iter().find(|(kind, _)| *kind == self).map_or("word", |(_, name)| name)
    }
}

/// What a bare word is as a text.
pub(super) fn of_text(cursor: &TextCursor, range: Range<usize>) -> TokenKind {
    if cursor.word_parts(range).len() == 1 { TokenKind::Word } else { TokenKind::Wildcard }
}

/// What a bare word is as a value.
pub(super) fn of_value(cursor: &TextCursor, range: Range<usize>) -> TokenKind {
    let text = cursor.text(range.clone());
    if is_number(&text) { TokenKind::Number } else { of_text(cursor, range) }
}

/// A number with its unit, a range of them, or what is relative to now.
pub(super) fn is_number(text: &str) -> bool {
    let is_one = |text: &str| {
        Number::parse(text).is_some()
            || (text.starts_with(['-', '+']) || text.starts_with("now")) && parse_time(text).is_some()
    };
    let is_range = |(low, high): (&str, &str)| is_one(low) && is_one(high);
    is_one(text) || text.split_once("..").is_some_and(is_range)
}
