//! Decides whether the text at a position names a field and compares it, or is plain text.
//!
//! Pasted text must work: times, MAC and IPv6 addresses, URLs and drive letters contain colons too. The existing
//! fields are not known here, so `user=root` is read as a field even if there is no such field.

use super::lex::TextCursor;
use crate::number::Number;
use ipnet::IpNet;
use logstead_record::Field;
use logstead_record::FieldName;
use std::net::Ipv6Addr;
use std::ops::Range;

/// A compared field, and the position of the value.
pub(crate) struct ComparisonSubject {
    pub(crate) name: SubjectName,
    pub(crate) case_sensitive: bool,
    pub(crate) operator: Operator,
    /// The position of the name, with its quotes.
    pub(crate) name_at: Range<usize>,
    pub(crate) value_at: usize,
}

/// The name before an operator.
#[derive(Clone, PartialEq)]
pub(crate) enum SubjectName {
    /// A field.
    Field(FieldName),
    /// `severity_num`: severity by syslog's numbers.
    SeverityNumber,
    /// `_exists_`: its value is the name of a field.
    Exists,
    /// `earliest`: the beginning of the range of times.
    Earliest,
    /// `latest`: the end of the range of times.
    Latest,
}

/// The way a field is compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Operator {
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

/// The operators, longer ones first.
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

/// The subject at the cursor, which is not moved.
pub(crate) fn subject_here(cursor: &mut TextCursor) -> Option<SubjectMatch> {
    let start = cursor.at;
    let found = find(cursor, start);
    cursor.at = start;
    found
}

/// The result of looking for a subject: the subject, or a field without a value.
pub(crate) enum SubjectMatch {
    Subject(ComparisonSubject),
    /// A field and an operator without a value after them.
    Valueless {
        name_end: usize,
        operator_end: usize,
    },
}

impl SubjectName {
    /// Reads a name; a `quoted` one can only be that of a field.
    pub(crate) fn new(text: &str, quoted: bool) -> SubjectName {
        match text.to_ascii_lowercase().as_str() {
            _ if quoted => SubjectName::Field(FieldName::new(text)),
            "severity_num" => SubjectName::SeverityNumber,
            "facility_num" => SubjectName::Field(FieldName::Known(Field::Facility)),
            "_exists_" => SubjectName::Exists,
            "earliest" => SubjectName::Earliest,
            "latest" => SubjectName::Latest,
            _ => SubjectName::Field(FieldName::new(text)),
        }
    }

    /// Whether it is a known field or a special name.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self, SubjectName::Field(FieldName::Dynamic(_)))
    }
}

/// The position of a value that looks like a number but is not one: `took>1x`, `bytes>=10kbit`. These are not
/// comparisons, because dynamic fields are compared only with numbers.
pub(crate) fn nearly_number(text: &str) -> Option<usize> {
    let cursor = TextCursor::new(text);
    let name_end = cursor.identifier_end(0);
    let value = ["<=", ">=", "<", ">"]
        .iter()
        .find(|sign| cursor.starts_with(name_end, sign))
        .map(|s| name_end + s.len())?;
    let digits: usize = cursor.char_at(value).is_some_and(|c| matches!(c, '-' | '+')).into();
    let is_number = cursor.char_at(value + digits).is_some_and(|c: char| c.is_ascii_digit());
    (0 < name_end && is_number).then_some(value)
}

/// Whether a name without quotes is read as the name of this dynamic field.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let cursor = TextCursor::new(name);
    let is_identifier = name.is_ascii() && cursor.identifier_end(0) == name.len() && !name.is_empty();
    is_identifier
        && !["cs", "and", "or", "not", "in"].contains(&name.to_ascii_lowercase().as_str())
        && SubjectName::new(name, false) == SubjectName::Field(FieldName::Dynamic(name.to_owned()))
}

fn find(cursor: &mut TextCursor, start: usize) -> Option<SubjectMatch> {
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
    let name = SubjectName::new(&text, quoted);
    let (operator, value_at) = operator_at(cursor, name_end)?;
    let word = ComparedWord {
        name_start,
        name_end,
        value_at,
        known: name.is_known() && !quoted,
        trusted: quoted || name.is_known(),
    };
    if !follows(cursor, value_at) {
        let operator_end = cursor.trimmed(name_end..value_at);
        return word
            .lacks_value(cursor, operator)
            .then_some(SubjectMatch::Valueless { name_end, operator_end });
    }
    let subject =
        ComparisonSubject { name, case_sensitive, operator, name_at: name_start..name_end, value_at };
    word.is_comparison(cursor, operator).then_some(SubjectMatch::Subject(subject))
}

/// The operator after a name, and the position of its value.
fn operator_at(cursor: &TextCursor, name_end: usize) -> Option<(Operator, usize)> {
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

/// Whether a value can begin at `at`. A `|` at the beginning of a word begins a stage.
fn follows(cursor: &TextCursor, at: usize) -> bool {
    let is_apart =
        at.checked_sub(1).and_then(|before| cursor.char_at(before)).is_some_and(char::is_whitespace);
    let is_stage = is_apart && cursor.char_at(at) == Some('|') && !cursor.starts_with(at, "||");
    !cursor.is_boundary(at, &[]) && cursor.char_at(at) != Some('>') && !is_stage
}

/// The number of characters examined to decide whether a word that continues with a parenthesis is text.
const GROUP_CHARS_MAX: usize = 256;

/// A word that may compare a field.
struct ComparedWord {
    name_start: usize,
    name_end: usize,
    value_at: usize,
    /// Whether the field is a known one.
    known: bool,
    /// Whether it is certainly a field: known or in quotes.
    trusted: bool,
}

impl ComparedWord {
    /// Whether it compares a field with nothing: `host:`, `severity>=`, `status>=`. `error:` and `a>` are texts, and so are
    /// `host: ` and `user= ` before another word.
    fn lacks_value(&self, cursor: &TextCursor, operator: Operator) -> bool {
        let next = cursor.space_end(self.value_at);
        let is_last = matches!(cursor.char_at(next), None | Some(')' | '|'));
        let says_so = match operator {
            Has | Equals | Less | Greater | Matches | In => self.trusted,
            NotEquals | LessOrEqual | GreaterOrEqual | NotMatches => true,
        };
        is_last && says_so
    }

    fn is_comparison(&self, cursor: &mut TextCursor, operator: Operator) -> bool {
        match operator {
            Has | Equals | NotEquals if cursor.is_quoted(self.value_at) => self.quoted_value_ends(cursor),
            // In `"a b"~3`, the `~` gives a distance.
            Matches | NotMatches => {
                self.known || cursor.char_at(self.value_at).is_some_and(|c| matches!(c, '"' | '/'))
            }
            In => true,
            _ if self.trusted => true,
            Less | LessOrEqual | Greater | GreaterOrEqual => {
                Number::parse(self.value(cursor).trim_matches('"')).is_some()
            }
            Equals | NotEquals => !ends_like_text(&self.value(cursor)),
            Has => {
                let value = self.value(cursor);
                self.is_network(cursor, &value) || !self.looks_like_text(cursor, &value)
            }
        }
    }

    /// The rest of the word, or the beginning of a group in parentheses: a comparison ends with them, and the rest of
    /// the word may be another comparison, as in `a:(b)a:(b)`.
    fn value(&self, cursor: &TextCursor) -> String {
        let is_group = cursor.char_at(self.value_at) == Some('(');
        let end = if is_group { cursor.end.min(self.value_at + GROUP_CHARS_MAX) } else { cursor.end };
        let end = cursor.within(self.value_at..end).word_end(self.value_at, &[]);
        cursor.text(self.value_at..end)
    }

    /// Whether the value ends with the closing quote: `level="info",msg="x"` is not one comparison.
    fn quoted_value_ends(&self, cursor: &mut TextCursor) -> bool {
        cursor.at = self.value_at;
        cursor.quoted().is_err() || cursor.is_boundary(cursor.at, &['~'])
    }

    /// Whether it is a network, as in `src_ip:::/0` and `src:fe80::/10`; not if all of it is hexadecimal, as in
    /// `fe80::1:2`.
    fn is_network(&self, cursor: &TextCursor, value: &str) -> bool {
        if value.starts_with('(') {
            return false;
        }
        let is_one = value.parse::<IpNet>().is_ok() || value.parse::<Ipv6Addr>().is_ok();
        is_one && !is_hex_groups(&cursor.text(self.name_start..cursor.word_end(self.value_at, &[])))
    }

    fn looks_like_text(&self, cursor: &TextCursor, value: &str) -> bool {
        if value.starts_with('(') {
            return ends_like_text(value);
        }
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

/// Whether a value ends with a comma or a colon, as in a pasted sentence or list.
fn ends_like_text(value: &str) -> bool {
    value.ends_with([',', ';', ':'])
}

/// A MAC or IPv6 address, perhaps with a prefix length.
fn is_hex_groups(word: &str) -> bool {
    let address = word.split('/').next().unwrap_or_default();
    let is_group = |group: &str| group.len() <= 4 && group.bytes().all(|byte| byte.is_ascii_hexdigit());
    2 <= address.matches(':').count() && address.split(':').all(is_group)
}
