//! Templates of names with fields of a message: `logs/{host}/{received:%Y-%m-%d}`.
//!
//! **Invariant:** only the document separates folders: a value from a message becomes one name or a part of one, so it never
//! leads out of the folder at the beginning of the template.

use std::fmt;

use crate::choice::Label;
use crate::problem::{one_of, quoted};
use crate::read::{Choice, text_value};

/// The longest template.
const BYTES_MAX: usize = 4000;

/// A name with placeholders for fields of a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NameTemplate {
    text: String,
    parts: Vec<NamePart>,
}

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NamePart {
    /// A literal text.
    Literal(String),
    /// The value of a label.
    Label(Label),
    /// A part of a time, in UTC.
    Time(MessageTime, TimePart),
}

/// A time of a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MessageTime {
    /// The time of receipt.
    Received,
    /// Its own time, if it has one.
    Own,
}

/// A part of a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimePart {
    /// `%Y`: four digits.
    Year,
    /// `%m`: two digits, like all the following ones.
    Month,
    /// `%d`.
    Day,
    /// `%H`.
    Hour,
    /// `%M`.
    Minute,
    /// `%S`.
    Second,
}

const TIME_PARTS: [(char, TimePart); 6] = [
    ('Y', TimePart::Year),
    ('m', TimePart::Month),
    ('d', TimePart::Day),
    ('H', TimePart::Hour),
    ('M', TimePart::Minute),
    ('S', TimePart::Second),
];

impl NameTemplate {
    /// The greatest length of a label's value in a name.
    pub const LABEL_BYTES_MAX: usize = 100;

    /// Reads a template, or reports what is wrong.
    pub fn parse(text: &str) -> Result<NameTemplate, String> {
        if BYTES_MAX < text.len() || text.contains(char::is_control) {
            return Err(format!("must be one line of at most {BYTES_MAX} bytes"));
        }
        let mut parts = NameParts::default();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, behind) = rest.split_at(at);
            parts.literal(before);
            rest = match behind.get(..2) {
                Some(brace @ ("{{" | "}}")) => {
                    parts.literal(brace.get(..1).unwrap_or_default());
                    behind.get(2..).unwrap_or_default()
                }
                _ => {
                    let place = behind.strip_prefix('{').and_then(|behind| behind.split_once('}'));
                    let (place, rest) = place.ok_or_else(|| {
                        format!("{} has an unmatched brace: write `{{{{` for a literal brace", quoted(text))
                    })?;
                    parts.place(place)?;
                    rest
                }
            };
        }
        parts.literal(rest);
        Ok(NameTemplate { text: text.to_owned(), parts: parts.0 })
    }

    /// The template as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its parts.
    pub fn parts(&self) -> &[NamePart] {
        &self.parts
    }

    /// Whether it is the same for all messages.
    pub fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, NamePart::Literal(_)))
    }

    /// An example of the longest name that the template can produce.
    pub(crate) fn shape(&self) -> String {
        let shape = |part: &NamePart| match part {
            NamePart::Literal(text) => text.clone(),
            NamePart::Label(_) => "x".repeat(NameTemplate::LABEL_BYTES_MAX),
            NamePart::Time(_, TimePart::Year) => "yyyy".to_owned(),
            NamePart::Time(..) => "tt".to_owned(),
        };
        self.parts.iter().map(shape).collect()
    }
}

/// Parts that are being read.
#[derive(Default)]
struct NameParts(Vec<NamePart>);

impl NameParts {
    fn literal(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(NamePart::Literal(before)) => before.push_str(text),
            _ => self.0.push(NamePart::Literal(text.to_owned())),
        }
    }

    /// Adds the part for the text between braces.
    fn place(&mut self, place: &str) -> Result<(), String> {
        let (name, format) = place.split_once(':').map_or((place, None), |(name, rest)| (name, Some(rest)));
        let moment = match name {
            "received" => Some(MessageTime::Received),
            "time" => Some(MessageTime::Own),
            _ => None,
        };
        match (moment, format) {
            (Some(moment), Some(format)) => self.time(moment, format),
            (Some(_), None) => Err(format!("`{{{name}}}` needs a form: write it like `{{{name}:%Y-%m-%d}}`")),
            (None, None) => {
                let label = Label::NAMES.iter().find(|(known, _)| *known == name);
                let (_, label) = label.ok_or_else(|| unknown(place))?;
                self.0.push(NamePart::Label(*label));
                Ok(())
            }
            (None, Some(_)) => Err(unknown(place)),
        }
    }

    fn time(&mut self, moment: MessageTime, format: &str) -> Result<(), String> {
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                self.literal(letter.encode_utf8(&mut [0; 4]));
                continue;
            }
            let letter = letters.next();
            let part = TIME_PARTS.iter().find(|(known, _)| Some(*known) == letter);
            let (_, part) = part.ok_or_else(|| {
                let known = one_of(["%Y", "%m", "%d", "%H", "%M", "%S"]);
                format!(
                    "{} is not a part of a time: use {known}",
                    quoted(&format!("%{}", letter.unwrap_or(' ')))
                )
            })?;
            self.0.push(NamePart::Time(moment, *part));
        }
        Ok(())
    }
}

fn unknown(place: &str) -> String {
    let labels = Label::NAMES.iter().map(|(name, _)| *name);
    let known = one_of(labels.chain(["received:%Y-%m-%d", "time:%Y-%m-%d"]));
    format!("{} is not a part of a message: use {known} in braces", quoted(place))
}

impl fmt::Display for NameTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

text_value!(NameTemplate, NameTemplate::parse);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_template_has_literal_parts_labels_and_times() {
        let parts = |text: &str| NameTemplate::parse(text).expect("a template").parts;
        let literal = |text: &str| NamePart::Literal(text.to_owned());
        let received = |part| NamePart::Time(MessageTime::Received, part);
        assert_eq!(parts("all.log"), [literal("all.log")]);
        assert_eq!(parts("a{{b}}"), [literal("a{b}")]);
        assert_eq!(
            parts("in/{host}-{received:%Y/%m}.log"),
            [
                literal("in/"),
                NamePart::Label(Label::Host),
                literal("-"),
                received(TimePart::Year),
                literal("/"),
                received(TimePart::Month),
                literal(".log")
            ]
        );
        assert_eq!(parts("{time:%S}"), [NamePart::Time(MessageTime::Own, TimePart::Second)]);
        assert_eq!(NameTemplate::parse("{received:../%Y}").expect("a template").shape(), "../yyyy");
    }

    #[test]
    fn a_template_that_cannot_be_read_says_why() {
        for (text, why) in [
            ("{host", "unmatched brace"),
            ("host}", "unmatched brace"),
            ("{hosts}", "`hosts` is not a part of a message: use `host`, `program`"),
            ("{message}", "is not a part of a message"),
            ("{host:x}", "is not a part of a message"),
            ("{time}", "write it like `{time:%Y-%m-%d}`"),
            ("{time:%q}", "`%q` is not a part of a time: use `%Y`"),
            ("{time:%}", "is not a part of a time"),
            ("a\nb", "must be one line"),
            (&"x".repeat(4001), "at most 4000 bytes"),
        ] {
            let error = NameTemplate::parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[{}:%YmAhost/.\u{e4}-]{0,24}") {
            if let Ok(template) = NameTemplate::parse(&text) {
                prop_assert_eq!(template.as_str(), text.as_str());
                prop_assert_eq!(template.is_constant(), template.parts().len() <= 1 && !text.replace("{{", "").contains('{'));
            }
        }
    }
}
