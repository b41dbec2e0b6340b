//! The tokens of a text in order, for highlighting.

use super::lex::TextCursor;
use crate::number::Number;
use crate::time::parse_time;
use std::ops::Range;

/// A token of a text. Positions are in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryToken {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The position of the token.
    pub range: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A text, or a value that is none of the others.
    Word,
    /// A text with `*` or `?`.
    Wildcard,
    /// The name of a field or column.
    Field,
    /// An operator that compares or negates, or a comma.
    Operator,
    /// A text in quotes.
    Quoted,
    /// A regular expression.
    Regex,
    /// A number, a size, a duration or a time relative to now, in the position of a value.
    Number,
    /// `AND`, `OR`, `NOT`, `in`, `TO`, and the words of stages.
    Keyword,
    /// A parenthesis, bracket or brace.
    Bracket,
    /// The `|` that begins a stage.
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

/// The kind of a bare word in a text.
pub(super) fn of_text(cursor: &TextCursor, range: Range<usize>) -> TokenKind {
    if cursor.word_parts(range).len() == 1 { TokenKind::Word } else { TokenKind::Wildcard }
}

/// The kind of a bare word in a value.
pub(super) fn of_value(cursor: &TextCursor, range: Range<usize>) -> TokenKind {
    let text = cursor.text(range.clone());
    if is_number(&text) { TokenKind::Number } else { of_text(cursor, range) }
}

/// Whether it is a number with or without a unit, a range of numbers, or a time relative to now.
pub(super) fn is_number(text: &str) -> bool {
    let is_one = |text: &str| {
        Number::parse(text).is_some()
            || (text.starts_with(['-', '+']) || text.starts_with("now")) && parse_time(text).is_some()
    };
    let is_range = |(low, high): (&str, &str)| is_one(low) && is_one(high);
    is_one(text) || text.split_once("..").is_some_and(is_range)
}
