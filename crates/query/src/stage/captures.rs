//! Fields that a regular expression finds in a text, and a simpler notation for it: `user=<user> from <ip>`.
//!
//! **Invariant:** there is at least one field and at most [`STAGE_ITEMS_MAX`], none twice, and none has the name
//! of a field that every message has.

use crate::limits::STAGE_ITEMS_MAX;
use crate::regex::Regex;
use logstead_record::Field;
use memchr::memmem;

/// A regular expression whose groups are fields.
#[derive(Clone, PartialEq, Debug)]
pub struct Captures {
    /// The expression.
    pub regex: Regex,
    /// The number of each group that is a field, and the field's name.
    pub fields: Vec<(usize, String)>,
    /// The pieces of a template, which are found without its expression.
    pieces: Vec<FoundPiece>,
}

/// A piece of a template to be found.
#[derive(Clone, PartialEq, Debug)]
enum FoundPiece {
    Text(Vec<u8>),
    Field {
        /// Whether its value is wanted.
        is_named: bool,
    },
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
        Ok(Captures { regex, fields, pieces: Vec::new() })
    }

    /// The fields that are found in a text, with their values.
    pub fn find<'c, 't>(&'c self, text: &'t [u8]) -> Vec<(&'c str, &'t [u8])> {
        if !self.pieces.is_empty() {
            let values = find_pieces(&self.pieces, text).unwrap_or_default();
            return self.fields.iter().map(|(_, name)| name.as_str()).zip(values).collect();
        }
        let Some(found) = self.regex.compiled().captures(text) else { return Vec::new() };
        let value = |(group, name): &'c (usize, String)| {
            found.get(*group).map(|value| (name.as_str(), value.as_bytes()))
        };
        self.fields.iter().filter_map(value).collect()
    }
}

/// The values of the named fields, if all pieces are found one after the other. The first place of each text is the one
/// that counts: if the rest is not found behind it, it is not found behind a later place either.
fn find_pieces<'t>(pieces: &[FoundPiece], text: &'t [u8]) -> Option<Vec<&'t [u8]>> {
    let mut values = Vec::new();
    // The end of what was found, and whether the field that begins there, if there is one, is named.
    let (mut end, mut open) = (0, None);
    for (index, piece) in pieces.iter().enumerate() {
        let wanted = match piece {
            FoundPiece::Field { is_named } => {
                open = Some(*is_named);
                continue;
            }
            FoundPiece::Text(wanted) => wanted,
        };
        let at = end + memmem::find(&text[end..], wanted)?;
        // At the beginning of a template, a field contains no white space.
        let start = if index == 1 { after_last_space(&text[..at]) } else { end };
        if open.take() == Some(true) {
            values.push(&text[start..at]);
        }
        end = at + wanted.len();
    }
    if open == Some(true) {
        let rest = &text[end..];
        values.push(&rest[..rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len())]);
    }
    Some(values)
}

fn after_last_space(text: &[u8]) -> usize {
    text.iter().rposition(|&byte| is_space(byte)).map_or(0, |at| at + 1)
}

/// White space as the expression of a template has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' | b' ')
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
        let found = |piece: &CapturePiece<'_>| match piece {
            CapturePiece::Text(text) => FoundPiece::Text(text.clone().into_bytes()),
            CapturePiece::Field(name) => FoundPiece::Field { is_named: *name != SKIPPED },
        };
        let pieces = pieces.iter().map(found).collect();
        let captures = Captures { pieces, ..Captures::of_groups(regex, fields)? };
        Ok(CaptureTemplate { text: text.to_owned(), captures })
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_template_finds_what_its_expression_finds(
            pieces in proptest::collection::vec(prop_oneof!["[ab ]{1,2}", "<[abc_]>"], 1..6),
            text in proptest::collection::vec(proptest::sample::select(b"aab b\t\n\x0b<>\xff\xc3\xa9".to_vec()), 0..24),
        ) {
            let Ok(CaptureTemplate { captures, .. }) = CaptureTemplate::new(&pieces.concat()) else { return Ok(()) };
            let plain = Captures { pieces: Vec::new(), ..captures.clone() };
            prop_assert_eq!(captures.find(&text), plain.find(&text), "{:?}", pieces);
        }
    }
}
