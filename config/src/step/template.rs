//! A text with placeholders for fields of a message, such as `{host}-{app.name}`; `{{` stands for a brace.

use std::fmt;

use logstead_record::FieldName;

/// The longest template.
const BYTES_MAX: usize = 4000;

/// A text with placeholders for fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextTemplate(Vec<TemplatePiece>);

/// A piece of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplatePiece {
    /// A literal text.
    Text(String),
    /// The values of this field, joined by `, `; empty if it has none.
    Field(FieldName),
}

impl TextTemplate {
    /// Reads a template, or reports what is wrong.
    pub fn parse(text: &str) -> Result<TextTemplate, String> {
        if BYTES_MAX < text.len() {
            return Err(format!("must have at most {BYTES_MAX} bytes"));
        }
        let (mut pieces, mut literal, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            let (before, behind) = rest.split_at(at);
            literal.push_str(before);
            let doubled = [("{{", '{'), ("}}", '}')];
            let doubled = doubled.iter().find_map(|(pair, one)| Some((behind.strip_prefix(pair)?, *one)));
            if let Some((behind, brace)) = doubled {
                literal.push(brace);
                rest = behind;
                continue;
            }
            let place = behind.strip_prefix('{').and_then(|behind| behind.split_once('}'));
            let (name, behind) =
                place.ok_or("has an unmatched brace: write `{{` or `}}` for a literal brace")?;
            if !is_name(name) {
                return Err(format!(
                    "`{{{name}}}` is not a field: write a field's name in the braces, or `{{{{` for a literal brace"
                ));
            }
            if !literal.is_empty() {
                pieces.push(TemplatePiece::Text(std::mem::take(&mut literal)));
            }
            pieces.push(TemplatePiece::Field(FieldName::new(name)));
            rest = behind;
        }
        literal.push_str(rest);
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(TemplatePiece::Text(literal));
        }
        Ok(TextTemplate(pieces))
    }

    /// Its pieces, at least one.
    pub fn pieces(&self) -> &[TemplatePiece] {
        &self.0
    }
}

/// Whether a field can have this name.
pub(super) fn is_name(name: &str) -> bool {
    const NAME_BYTES_MAX: usize = 128;
    let is_seen =
        |letter: char| !letter.is_whitespace() && !letter.is_control() && !matches!(letter, '{' | '}');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(is_seen)
}

impl fmt::Display for TemplatePiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplatePiece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            TemplatePiece::Field(field) => write!(f, "{{{field}}}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_texts_and_fields() {
        let shown = |text: &str| -> String {
            TextTemplate::parse(text).unwrap().pieces().iter().map(|piece| format!("[{piece}]")).collect()
        };
        assert_eq!(shown("dmz"), "[dmz]");
        assert_eq!(shown(""), "[]");
        assert_eq!(shown("{host}-{app.name}!"), "[{host}][-][{app.name}][!]");
        assert_eq!(shown("{{a}} {x}"), "[{{a}} ][{x}]");
        for (text, why) in [
            ("{host", "unmatched brace"),
            ("host}", "unmatched brace"),
            ("{}", "is not a field"),
            ("{a b}", "not a field"),
        ] {
            assert!(TextTemplate::parse(text).unwrap_err().contains(why), "{text}");
        }
    }
}
