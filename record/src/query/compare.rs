//! The grammar of comparisons: what may follow a field and its operator.

use super::ast::{Part, Query};
use super::error::ParseError;
use super::parse::{Parsed, Parser};
use super::subject::{Operator, Subject};
use super::value::{Compared, Extent, Operand};
use std::ops::Bound;

impl Parser {
    /// What compares a field with a value.
    pub(super) fn comparison(&mut self, subject: &Subject) -> Parsed<Query> {
        let at = self.cursor.at;
        self.cursor.at = subject.value_at;
        let compared = Compared { name: subject.name.clone(), case_sensitive: subject.case_sensitive };
        match subject.operator {
            Operator::Has => self.value(&compared, Extent::Part, &[]),
            Operator::Equals => self.value(&compared, Extent::Whole, &[]),
            Operator::NotEquals => {
                self.nested(at, |parser| Ok(parser.value(&compared, Extent::Whole, &[])?.negate()))
            }
            Operator::Matches => self.regex_value(&compared),
            Operator::NotMatches => self.nested(at, |parser| Ok(parser.regex_value(&compared)?.negate())),
            Operator::In => self.nested(at, |parser| parser.list(&compared)),
            Operator::Less => self.bound(&compared, |value| (Bound::Unbounded, Bound::Excluded(value))),
            Operator::LessOrEqual => {
                self.bound(&compared, |value| (Bound::Unbounded, Bound::Included(value)))
            }
            Operator::Greater => self.bound(&compared, |value| (Bound::Excluded(value), Bound::Unbounded)),
            Operator::GreaterOrEqual => {
                self.bound(&compared, |value| (Bound::Included(value), Bound::Unbounded))
            }
        }
    }

    /// What follows `field:` or `field=`, or stands in the parentheses or the list after it.
    pub(super) fn value(&mut self, compared: &Compared, extent: Extent, stops: &[char]) -> Parsed<Query> {
        let at = self.cursor.at;
        if self.cursor.peek(0) == Some('(') {
            return self.group(Some((compared, extent)));
        }
        if extent == Extent::Part {
            if let Some(regex) = self.regex(stops)? {
                return self.leaf(at, compared.test_regex(regex));
            }
            if let Some(query) = self.bracket_range(compared)? {
                return Ok(query);
            }
            if let Some((text, bounds)) = self.bound_operator() {
                self.cursor.at += text.len();
                self.cursor.skip_space();
                return self.bound(compared, bounds);
            }
        }
        let operand = self.operand(stops)?;
        if let (Extent::Part, false, Some((low, high))) =
            (extent, operand.quoted, operand.text.split_once(".."))
        {
            let is_range = |text: &str| !text.is_empty() && !text.contains("..");
            let query = compared.test_range(bound_of(low, false), bound_of(high, false));
            if is_range(low) && is_range(high) && query.is_ok() {
                return self.leaf(at, query);
            }
        }
        let is_list = operand.text.contains(',');
        let query = compared.test(extent, operand);
        if is_list { self.nested(at, |parser| parser.leaf(at, query)) } else { self.leaf(at, query) }
    }

    fn bound_operator(&self) -> Option<(&'static str, BoundsOf)> {
        let operators: [(&str, BoundsOf); 4] = [
            (">=", |value| (Bound::Included(value), Bound::Unbounded)),
            ("<=", |value| (Bound::Unbounded, Bound::Included(value))),
            (">", |value| (Bound::Excluded(value), Bound::Unbounded)),
            ("<", |value| (Bound::Unbounded, Bound::Excluded(value))),
        ];
        operators.into_iter().find(|(text, _)| self.cursor.starts_with(self.cursor.at, text))
    }

    fn bound(
        &mut self,
        compared: &Compared,
        bounds: impl FnOnce(&str) -> (Bound<&str>, Bound<&str>),
    ) -> Parsed<Query> {
        let at = self.cursor.at;
        let operand = self.operand(&[])?;
        let (low, high) = bounds(&operand.text);
        self.leaf(at, compared.test_range(low, high))
    }

    /// `[low TO high}`; nothing where there is no such thing.
    fn bracket_range(&mut self, compared: &Compared) -> Parsed<Option<Query>> {
        let start = self.cursor.at;
        let Some(low_bracket @ ('[' | '{')) = self.cursor.peek(0) else { return Ok(None) };
        self.cursor.at += 1;
        let Some((low, high, high_bracket)) = self.range_ends() else {
            self.cursor.at = start;
            return Ok(None);
        };
        let query =
            compared.test_range(bound_of(&low, low_bracket == '{'), bound_of(&high, high_bracket == '}'));
        self.leaf(start, query).map(Some)
    }

    /// `low TO high}` and the bracket that closes it.
    fn range_ends(&mut self) -> Option<(String, String, char)> {
        self.cursor.skip_space();
        let low = self.operand(&[]).ok()?.text;
        self.cursor.skip_space();
        self.cursor.at = self.cursor.keyword(self.cursor.at, "TO")?;
        self.cursor.skip_space();
        let high = self.operand(&[']', '}']).ok()?.text;
        self.cursor.skip_space();
        let bracket = self.cursor.peek(0).filter(|c| matches!(c, ']' | '}'))?;
        self.cursor.at += 1;
        (!low.is_empty() && !high.is_empty()).then_some((low, high, bracket))
    }

    /// `(a, b)` or `[a b]` after `in`.
    fn list(&mut self, compared: &Compared) -> Parsed<Query> {
        let start = self.cursor.at;
        let close = if self.cursor.peek(0) == Some('(') { ')' } else { ']' };
        let stops = [',', close];
        self.cursor.at += 1;
        let mut queries = Vec::new();
        loop {
            while self.cursor.peek(0).is_some_and(|c| c.is_whitespace() || c == ',') {
                self.cursor.at += 1;
            }
            match self.cursor.peek(0) {
                None => return Err(self.cursor.syntax(start..start + 1, "this list is not closed")),
                Some(c) if c == close => break,
                Some(_) => queries.push(self.list_value(compared, &stops)?),
            }
        }
        self.cursor.at += 1;
        if queries.is_empty() {
            return Err(self.cursor.syntax(start..self.cursor.at, "this list is empty"));
        }
        Ok(Query::or(queries))
    }

    fn list_value(&mut self, compared: &Compared, stops: &[char]) -> Parsed<Query> {
        let at = self.cursor.at;
        let operand = self.operand(stops)?;
        if at == self.cursor.at {
            return Err(self.cursor.syntax(at..at + 1, "a list holds values only"));
        }
        self.leaf(at, compared.test(Extent::Whole, operand))
    }

    /// The value of `~`.
    fn regex_value(&mut self, compared: &Compared) -> Parsed<Query> {
        let at = self.cursor.at;
        let regex = match (self.regex(&[])?, self.cursor.peek(0)) {
            (Some(regex), _) => regex,
            (None, Some('"')) => {
                let source = self.cursor.quoted_regex()?;
                self.expect_boundary(at, &[])?;
                self.compile(at, &source, false)?
            }
            _ => {
                let end = self.cursor.word_end(at, &[]);
                self.cursor.at = end;
                let source = self.cursor.text(at..end);
                self.compile(at, &source, false)?
            }
        };
        self.leaf(at, compared.test_regex(regex))
    }

    /// A quoted text with its wildcards, or a bare word.
    pub(super) fn operand(&mut self, stops: &[char]) -> Parsed<Operand> {
        let at = self.cursor.at;
        let quoted = self.cursor.is_quoted(at);
        let parts = if quoted {
            let parts = self.cursor.quoted()?;
            self.expect_boundary(at, stops)?;
            parts
        } else {
            let end = self.cursor.word_end(at, stops);
            self.cursor.at = end;
            self.cursor.word_parts(at..end)
        };
        let text = if quoted { plain_text(&parts) } else { self.cursor.text(at..self.cursor.at) };
        Ok(Operand { parts, text, quoted })
    }

    /// After a closing quote.
    fn expect_boundary(&self, start: usize, stops: &[char]) -> Parsed<()> {
        let at = self.cursor.at;
        match self.cursor.peek(0) {
            Some('~') if self.cursor.peek(1).is_some_and(|c| c.is_ascii_digit()) => {
                let end = self.cursor.word_end(at, stops);
                let message = "words at a distance (`~` and a number after a quote) are not supported";
                let error = self.cursor.meaning(start..end, message);
                Err(ParseError { suggestion: Some(self.cursor.rewritten(at..end, "")), ..error })
            }
            _ if self.cursor.is_boundary(at, stops) => Ok(()),
            _ => Err(self.cursor.syntax(start..at + 1, "a space must follow the closing quote")),
        }
    }
}

/// What a comparison with a value bounds.
type BoundsOf = fn(&str) -> (Bound<&str>, Bound<&str>);

/// `*` leaves an end open.
fn bound_of(text: &str, excluded: bool) -> Bound<&str> {
    match text {
        "*" => Bound::Unbounded,
        text if excluded => Bound::Excluded(text),
        text => Bound::Included(text),
    }
}

/// Pieces as they were written.
fn plain_text(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Run => "*",
        Part::One => "?",
    });
    texts.collect()
}
