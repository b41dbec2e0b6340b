//! Decides whether the text at a place names a field and compares it, or is plain text.
//!
//! Pasted text must work: times, MAC and IPv6 addresses, URLs and drive letters have colons too. Which fields
//! exist is not known here, so `user=root` is taken for a field whether or not there is one.

use super::lex::Cursor;
use crate::field::Field;
use crate::query::ast::FieldName;
use crate::query::number::Number;
use std::ops::Range;

/// A field that is compared, and where what it is compared with begins.
pub(in crate::query) struct Subject {
    pub(in crate::query) name: Name,
    pub(in crate::query) case_sensitive: bool,
    pub(in crate::query) operator: Operator,
    /// Where the name stands, with its quotes.
    pub(in crate::query) name_at: Range<usize>,
    pub(in crate::query) value_at: usize,
}

/// What stands before an operator.
#[derive(Clone, PartialEq)]
pub(in crate::query) enum Name {
    /// A field.
    Field(FieldName),
    /// `severity_num`: severity by syslog's numbers.
    SeverityNumber,
    /// `_exists_`: its value is the name of a field.
    Exists,
    /// `earliest`: the time from which.
    Earliest,
    /// `latest`: the time before which.
    Latest,
}

/// How a field is compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::query) enum Operator {
    Has,
    Equals,
    NotEquals,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
    NotMatches,
    In,
}

use Operator::{Equals, Greater, GreaterOrEqual, Has, In, Less, LessOrEqual, Matches, NotEquals, NotMatches};

/// Longer ones first.
const OPERATORS: [(&str, Operator); 19] = [
    (":>=", GreaterOrEqual),
    (":<=", LessOrEqual),
    (":>", Greater),
    (":<", Less),
    (":=", Equals),
    (":~", Matches),
    (":!=", NotEquals),
    (":!~", NotMatches),
    (":", Has),
    ("==", Equals),
    ("=~", Matches),
    ("=", Equals),
    ("!=", NotEquals),
    ("!~", NotMatches),
    (">=", GreaterOrEqual),
    ("<=", LessOrEqual),
    (">", Greater),
    ("<", Less),
    ("~", Matches),
];

/// The subject at the cursor, which stays where it is.
pub(in crate::query) fn subject_here(cursor: &mut Cursor) -> Option<Subject> {
    let start = cursor.at;
    let found = find(cursor, start);
    cursor.at = start;
    found
}

impl Name {
    /// `quoted` names are only ever names of fields.
    pub(in crate::query) fn new(text: &str, quoted: bool) -> Name {
        match text.to_ascii_lowercase().as_str() {
            _ if quoted => Name::Field(FieldName::new(text)),
            "severity_num" => Name::SeverityNumber,
            "facility_num" => Name::Field(FieldName::Known(Field::Facility)),
            "_exists_" => Name::Exists,
            "earliest" => Name::Earliest,
            "latest" => Name::Latest,
            _ => Name::Field(FieldName::new(text)),
        }
    }

    /// Whether every message has the field, or the name is one of ours.
    pub(in crate::query) fn is_known(&self) -> bool {
        !matches!(self, Name::Field(FieldName::Dynamic(_)))
    }
}

/// Whether a name without quotes is read as this dynamic field's.
pub(in crate::query) fn is_plain_name(name: &str) -> bool {
    let cursor = Cursor::new(name);
    let is_identifier = name.is_ascii() && cursor.identifier_end(0) == name.len() && !name.is_empty();
    is_identifier
        && !["cs", "and", "or", "not", "in"].contains(&name.to_ascii_lowercase().as_str())
        && Name::new(name, false) == Name::Field(FieldName::Dynamic(name.to_owned()))
}

fn find(cursor: &mut Cursor, start: usize) -> Option<Subject> {
    let case_sensitive = cursor.starts_with(start, "cs:");
    let name_start = if case_sensitive { start + 3 } else { start };
    let quoted = cursor.char_at(name_start) == Some('"');
    let (text, name_end) = if quoted {
        cursor.at = name_start;
        (cursor.plain_quoted()?, cursor.at)
    } else {
        let end = cursor.identifier_end(name_start);
        (cursor.text(name_start..end), end)
    };
    if text.is_empty() {
        return None;
    }
    let name = Name::new(&text, quoted);
    let (operator, value_at) = operator_at(cursor, name_end)?;
    let word = Word {
        name_start,
        name_end,
        value_at,
        known: name.is_known() && !quoted,
        trusted: quoted || name.is_known(),
    };
    let is_field = follows(cursor, value_at) && word.is_comparison(cursor, operator);
    is_field.then_some(Subject { name, case_sensitive, operator, name_at: name_start..name_end, value_at })
}

/// The operator after a name, and where its value begins.
fn operator_at(cursor: &Cursor, name_end: usize) -> Option<(Operator, usize)> {
    let after_space = cursor.space_end(name_end);
    let is_apart = name_end < after_space;
    let after_colon = name_end + usize::from(cursor.char_at(name_end) == Some(':'));
    if is_apart || name_end < after_colon {
        let word = cursor.space_end(after_colon);
        let list = cursor.space_end(word + 2);
        let is_in = cursor.starts_with(word, "in") || cursor.starts_with(word, "IN");
        if is_in && matches!(cursor.char_at(list), Some('(' | '[')) {
            return Some((In, list));
        }
    }
    let (text, operator) = OPERATORS.iter().find(|(text, _)| cursor.starts_with(after_space, text))?;
    let end = after_space + text.len();
    let spaced_value = cursor.space_end(end);
    match operator {
        Has if is_apart => None,
        Has => Some((Has, end)),
        // `host= x` is text, `x = y` and `x >= 5` are comparisons.
        Equals | NotEquals if !is_apart => Some((*operator, end)),
        _ => Some((*operator, spaced_value)),
    }
}

/// Whether a value can begin at `at`.
fn follows(cursor: &Cursor, at: usize) -> bool {
    !cursor.is_boundary(at, &[]) && cursor.char_at(at) != Some('>')
}

/// A word that may compare a field.
struct Word {
    name_start: usize,
    name_end: usize,
    value_at: usize,
    /// Every message has the field.
    known: bool,
    /// It is meant as a field: known or in quotes.
    trusted: bool,
}

impl Word {
    fn is_comparison(&self, cursor: &mut Cursor, operator: Operator) -> bool {
        let value = cursor.text(self.value_at..cursor.word_end(self.value_at, &[]));
        match operator {
            Has | Equals | NotEquals if cursor.is_quoted(self.value_at) => self.quoted_value_ends(cursor),
            // `"a b"~3` is a distance.
            Matches | NotMatches => self.known || value.starts_with(['"', '/']),
            In => true,
            _ if self.trusted => true,
            Less | LessOrEqual | Greater | GreaterOrEqual => Number::parse(value.trim_matches('"')).is_some(),
            Equals | NotEquals => !ends_like_text(&value),
            Has => !self.looks_like_text(cursor, &value),
        }
    }

    /// `level="info",msg="x"` is not one comparison.
    fn quoted_value_ends(&self, cursor: &mut Cursor) -> bool {
        cursor.at = self.value_at;
        cursor.quoted().is_err() || cursor.is_boundary(cursor.at, &['~'])
    }

    fn looks_like_text(&self, cursor: &Cursor, value: &str) -> bool {
        let is_path = value.starts_with('/') && cursor.regex(self.value_at, &[]).is_none();
        let is_drive = self.name_end == self.name_start + 1 && (is_path || value.starts_with('\\'));
        let whole = cursor.text(self.name_start..cursor.word_end(self.value_at, &[]));
        is_drive
            || value.starts_with(':')
            || value.starts_with("//")
            || ends_like_text(value)
            || is_hex_groups(&whole)
    }
}

/// A comma or a colon after a value belongs to a sentence or a list that was pasted.
fn ends_like_text(value: &str) -> bool {
    value.ends_with([',', ';', ':'])
}

/// A MAC or IPv6 address, perhaps with a prefix length.
fn is_hex_groups(word: &str) -> bool {
    let address = word.split('/').next().unwrap_or_default();
    let is_group = |group: &str| group.len() <= 4 && group.bytes().all(|byte| byte.is_ascii_hexdigit());
    2 <= address.matches(':').count() && address.split(':').all(is_group)
}
