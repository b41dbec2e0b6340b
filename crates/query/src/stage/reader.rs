//! Reads the parts of stages: lists, names, options and numbers, with errors for missing ones.

use super::kinds::{StageKind, WORDS};
use crate::error::ParseError;
use crate::limits::{LIMIT_MAX, STAGE_ITEMS_MAX};
use crate::parse::{Meaning, Parsed};
use crate::syntax::lex::TextCursor;
use crate::syntax::tree::StageNode;
use crate::time::parse_duration;
use logstead_record::Field;
use logstead_record::FieldName;
use std::ops::Range;

/// The default number of rows of a stage.
pub(super) const COUNT_DEFAULT: u64 = 10;

/// Reads the part of a stage after its name.
pub(super) struct StageReader<'a> {
    pub(super) meaning: &'a mut Meaning,
    /// A cursor limited to the stage.
    pub(super) cursor: TextCursor,
    pub(super) node: &'a StageNode,
    pub(super) kind: &'static StageKind,
    /// Its name as written.
    pub(super) name: String,
    /// Whether an earlier stage made a table.
    pub(super) follows_table: bool,
    /// The limit for its rows, unless it has its own.
    pub(super) limit: Option<u64>,
}

/// The columns that define groups.
#[derive(Default)]
pub(super) struct GroupColumns {
    pub(super) fields: Vec<FieldName>,
    /// The span in LogsQL's `by (_time:5m)`.
    pub(super) span_nanos: Option<i64>,
}

impl GroupColumns {
    pub(super) fn columns(&self) -> Vec<&str> {
        self.fields.iter().map(FieldName::as_str).collect()
    }
}

impl StageReader<'_> {
    /// Reads one or more names.
    pub(super) fn names(&mut self) -> Parsed<Vec<FieldName>> {
        let (names, _) = self.list(StageReader::name)?;
        self.check_items(names.iter().map(FieldName::as_str))?;
        Ok(names)
    }

    pub(super) fn by_fields(&mut self) -> Parsed<Vec<FieldName>> {
        if self.keyword("by") { self.names() } else { Ok(Vec::new()) }
    }

    pub(super) fn by(&mut self) -> Parsed<GroupColumns> {
        if !self.keyword("by") {
            return Ok(GroupColumns::default());
        }
        let mut span_nanos = None;
        let (fields, _) = self.list(|reader| {
            let name = reader.name()?;
            let is_span = name == FieldName::Known(Field::Time) && reader.eat(':');
            if is_span {
                span_nanos = Some(reader.span()?);
            }
            Ok((!is_span).then_some(name))
        })?;
        let by = GroupColumns { fields: fields.into_iter().flatten().collect(), span_nanos };
        self.check_items(by.columns().into_iter().chain(span_nanos.map(|_| "time")))?;
        Ok(by)
    }

    /// Reads items with or without commas; returns them, and whether they are in parentheses.
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<(Vec<T>, bool)> {
        let open = self.cursor.at;
        let in_parentheses = self.eat('(');
        let mut items = Vec::new();
        self.skip();
        while self.is_at_item() {
            items.push(item(self)?);
            self.skip();
        }
        if in_parentheses && !self.eat(')') {
            return Err(match self.cursor.is_at_end() {
                true => self.error(open..open + 1, "this parenthesis is never closed"),
                false => self.unexpected(),
            });
        }
        self.skip();
        Ok((items, in_parentheses))
    }

    /// Checks that there are names, not too many, and no duplicates.
    pub(super) fn check_items<'n>(&self, names: impl Iterator<Item = &'n str>) -> Parsed<()> {
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            if seen.iter().any(|earlier| earlier.eq_ignore_ascii_case(name)) {
                let message = format!("`{name}` is given twice: remove one or rename it");
                return Err(self.error(self.node.range.start..self.cursor.at, message));
            }
            seen.push(name);
            if STAGE_ITEMS_MAX < seen.len() {
                let message = format!("a stage has at most {STAGE_ITEMS_MAX} columns: remove some");
                return Err(self.error(self.node.range.start..self.cursor.at, message));
            }
        }
        if seen.is_empty() { Err(self.missing("the name of a field")) } else { Ok(()) }
    }

    pub(super) fn is_at_item(&self) -> bool {
        match self.cursor.peek(0) {
            Some('"' | '-' | '+' | '(') => true,
            _ if self.is_at_option() => false,
            _ => !self.peek_word().is_empty() && !WORDS.contains(&self.peek_word().as_str()),
        }
    }

    /// Skips white space and commas.
    pub(super) fn skip(&mut self) {
        while self.cursor.peek(0).is_some_and(|c| c.is_whitespace() || c == ',') {
            self.cursor.at += 1;
        }
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.cursor.peek(0) == Some(c);
        if found {
            self.cursor.at += 1;
            self.cursor.skip_space();
        }
        found
    }

    /// The word at the cursor, in lower case.
    pub(super) fn peek_word(&self) -> String {
        let at = self.cursor.at;
        self.cursor.text(at..self.cursor.identifier_end(at)).to_ascii_lowercase()
    }

    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.cursor.at += word.len();
            self.cursor.skip_space();
        }
        found
    }

    /// Takes `name=` if it is at the cursor.
    pub(super) fn option(&mut self, name: &str) -> bool {
        let at = self.cursor.at;
        let found = self.keyword(name) && self.eat('=');
        if !found {
            self.cursor.at = at;
        }
        found
    }

    pub(super) fn optional_span(&mut self) -> Parsed<Option<i64>> {
        self.skip();
        if self.option("span") { self.span().map(Some) } else { Ok(None) }
    }

    pub(super) fn span(&mut self) -> Parsed<i64> {
        let (range, text) = self.value("a span")?;
        let nanos = parse_duration(&text).filter(|nanos| 0 < *nanos);
        nanos.ok_or_else(|| self.error(range, format!("`{text}` is not a duration: write 30s, 5m, 1h or 1d")))
    }

    /// Reads a number if there is one: `10`, `limit=10` or `limit 10`.
    pub(super) fn optional_count(&mut self) -> Parsed<Option<u64>> {
        self.skip();
        if self.keyword("limit") {
            self.eat('=');
            return self.number().map(Some);
        }
        let is_number = self.cursor.peek(0).is_some_and(|c| c.is_ascii_digit());
        if is_number { self.number().map(Some) } else { Ok(None) }
    }

    pub(super) fn count(&mut self) -> Parsed<u64> {
        Ok(self.optional_count()?.unwrap_or(COUNT_DEFAULT))
    }

    pub(super) fn number(&mut self) -> Parsed<u64> {
        let (range, text) = self.value("a number")?;
        let number = text.parse::<u64>().ok().filter(|number| (1..=LIMIT_MAX).contains(number));
        number.ok_or_else(|| self.error(range, format!("`{text}` is not a number between 1 and {LIMIT_MAX}")))
    }

    /// Takes the word at the cursor, which errors call `what`.
    fn value(&mut self, what: &str) -> Parsed<(Range<usize>, String)> {
        let range = self.word_range();
        if range.is_empty() {
            return Err(self.missing(what));
        }
        self.cursor.at = range.end;
        self.skip();
        Ok((range.clone(), self.cursor.text(range)))
    }

    pub(super) fn word_range(&self) -> Range<usize> {
        let at = self.cursor.at;
        at..self.cursor.word_end(at, &[',', '|'])
    }

    /// The error that the word at the cursor is unexpected.
    pub(super) fn unexpected(&self) -> ParseError {
        let range = self.word_range();
        let end = range.end.max(range.start + 1);
        let word = self.cursor.text(range.start..end);
        self.error(range.start..end, format!("`{word}` is unexpected here: {usage}", usage = self.usage()))
    }

    pub(super) fn missing(&self, what: &str) -> ParseError {
        self.error_here(format!("{what} is expected here: {usage}", usage = self.usage()))
    }

    pub(super) fn not_available(&self, what: &str, instead: &str) -> ParseError {
        self.error_here(format!("{what} is not available yet: {instead}"))
    }

    pub(super) fn usage(&self) -> String {
        format!("for example `{example}`", example = self.kind.example)
    }

    /// An error at the word at the cursor, or at the end of the text before it.
    pub(super) fn error_here(&self, message: impl Into<String>) -> ParseError {
        let range = self.word_range();
        let range = if range.is_empty() { range.start.saturating_sub(1)..range.start } else { range };
        self.error(range, message)
    }

    pub(super) fn error(&self, range: Range<usize>, message: impl Into<String>) -> ParseError {
        self.cursor.meaning(range, message)
    }
}
