//! Fields that a regular expression finds in a text, and a simpler notation for it: `user=<user> from <ip>`.
//!
//! **Invariant:** there is at least one field and at most [`STAGE_ITEMS_MAX`], none twice, and none has the name
//! of a field that every message has.

use crate::limits::STAGE_ITEMS_MAX;
use crate::regex::Regex;
use logstead_record::Field;

/// A regular expression whose groups are fields.
#[derive(Clone, PartialEq, Debug)]
pub struct Captures {
    /// The expression.
    pub regex: Regex,
    /// The number of each group that is a field, and the field's name.
    pub fields: Vec<(usize, String)>,
}

/// Literal text with fields in it.
///
/// A field is as short as the text after it allows. If the first or last piece of the template is a field, it contains no
/// white space.
#[derive(Clone, PartialEq, Debug)]
pub struct CaptureTemplate {
    /// Its source text.
    pub text: String,
    /// The expression that finds its fields.
    pub captures: Captures,
}

/// The reason why an expression or template finds no fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CapturesError(String);

impl Captures {
    /// The named groups of `regex`: `(?<user>\w+)`.
    pub fn new(regex: Regex) -> Result<Captures, CapturesError> {
        let names = regex.compiled().capture_names().enumerate();
        let fields: Vec<_> =
            names.filter_map(|(group, name)| name.map(|name| (group, name.to_owned()))).collect();
        if fields.is_empty() {
            return bad("the regular expression names no field: write one as in `(?<user>\\w+)`");
        }
        Captures::of_groups(regex, fields)
    }

    fn of_groups(regex: Regex, fields: Vec<(usize, String)>) -> Result<Captures, CapturesError> {
        if STAGE_ITEMS_MAX < fields.len() {
            return bad(format!("at most {STAGE_ITEMS_MAX} fields can be named: remove some"));
        }
        for (index, (_, name)) in fields.iter().enumerate() {
            if let Some(known) = Field::from_name(name) {
                return bad(format!("`{known}` is a built-in field: choose another name"));
            }
            if fields[..index].iter().any(|(_, earlier)| earlier.eq_ignore_ascii_case(name)) {
                return bad(format!("the field `{name}` is used twice: rename one of them"));
            }
        }
        Ok(Captures { regex, fields })
    }
}

impl CaptureTemplate {
    /// Reads `user=<user> from <ip>`. `<_>` is a field to leave out; `<` before anything but a name is
    /// literal.
    pub fn new(text: &str) -> Result<CaptureTemplate, CapturesError> {
        let pieces = pieces(text);
        for pair in pieces.windows(2) {
            if let [CapturePiece::Field(before), CapturePiece::Field(after)] = pair {
                return bad(format!("`<{before}>` and `<{after}>` need text between them"));
            }
        }
        let names = pieces.iter().filter_map(|piece| match piece {
            CapturePiece::Field(name) if *name != SKIPPED => Some((*name).to_owned()),
            _ => None,
        });
        let fields: Vec<_> = (1..).zip(names).collect();
        if fields.is_empty() {
            return bad("this names no field: write one as in \"user=<user> from <ip>\"");
        }
        if pieces.len() == 1 {
            return bad("this has only a field, and no text that marks where it begins or ends");
        }
        let regex = Regex::new(&source(&pieces), false).map_err(|error| CapturesError(error.to_string()))?;
        Ok(CaptureTemplate { text: text.to_owned(), captures: Captures::of_groups(regex, fields)? })
    }
}

/// The name of a field to leave out.
const SKIPPED: &str = "_";

enum CapturePiece<'a> {
    Text(String),
    Field(&'a str),
}

fn pieces(text: &str) -> Vec<CapturePiece<'_>> {
    let mut pieces = Vec::new();
    let mut parts = text.split('<');
    push_text(&mut pieces, parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once('>').filter(|(name, _)| is_name(name)) {
            Some((name, after)) => {
                pieces.push(CapturePiece::Field(name));
                push_text(&mut pieces, after);
            }
            None => {
                push_text(&mut pieces, "<");
                push_text(&mut pieces, part);
            }
        }
    }
    pieces
}

/// The source of the regular expression; a value may contain bytes that are not UTF-8.
fn source(pieces: &[CapturePiece<'_>]) -> String {
    let pieces = pieces.iter().enumerate().map(|(index, piece)| {
        let value = match index {
            _ if index + 1 == pieces.len() => r"(?-u:\S)*",
            0 => r"(?-u:\S)*?",
            _ => "(?s-u:.)*?",
        };
        match piece {
            CapturePiece::Text(text) => regex::escape(text),
            CapturePiece::Field(SKIPPED) => value.to_owned(),
            CapturePiece::Field(_) => format!("({value})"),
        }
    });
    pieces.collect()
}

fn push_text(pieces: &mut Vec<CapturePiece<'_>>, text: &str) {
    match pieces.last_mut() {
        Some(CapturePiece::Text(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push(CapturePiece::Text(text.to_owned())),
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@' | '.'))
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-'))
}

fn bad<T>(message: impl Into<String>) -> Result<T, CapturesError> {
    Err(CapturesError(message.into()))
}
