//! Reads the text of an [`Expression`].
//!
//! ```text
//! or         = and { ( "or" | "||" ) and }
//! and        = not { ( "and" | "&&" ) not }
//! not        = ( "not" | "!" ) not | comparison
//! comparison = sum [ ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum ]
//! sum        = product { ( "+" | "-" ) product }
//! product    = sign { ( "*" | "/" | "%" ) sign }
//! sign       = "-" sign | number | text | field | function "(" [ or { "," or } ] ")" | "(" or ")"
//! ```

use super::functions::{Function, RegexUse};
use super::{Expression, FUNCTIONS, Operator, function_named};
use crate::error::ParseError;
use crate::limits::{EXPRESSION_PARTS_MAX, NESTING_MAX};
use crate::number::Number;
use crate::parse::{Meaning, Parsed};
use crate::suggest::nearest;
use crate::syntax::lex::TextCursor;
use crate::syntax::subject::SubjectName;
use logstead_record::FieldName;
use std::ops::Range;

/// Reads one expression, and moves the cursor to its end.
pub(crate) fn parse_expression(meaning: &mut Meaning, cursor: &mut TextCursor) -> Parsed<Expression> {
    let mut reading = ExpressionReader { meaning, cursor, parts: 0, depth: 0 };
    reading.skip();
    reading.or()
}

struct ExpressionReader<'r> {
    meaning: &'r mut Meaning,
    cursor: &'r mut TextCursor,
    parts: usize,
    depth: usize,
}

/// The operators of one precedence, longer ones first.
const COMPARISONS: [(&str, Operator); 7] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];
const SUMS: [(&str, Operator); 2] = [("+", Operator::Plus), ("-", Operator::Minus)];
const PRODUCTS: [(&str, Operator); 3] =
    [("*", Operator::Times), ("/", Operator::Over), ("%", Operator::Modulo)];

impl ExpressionReader<'_> {
    fn or(&mut self) -> Parsed<Expression> {
        self.deeper(|reading| {
            let mut left = reading.and()?;
            while reading.word("or") || reading.symbol("||") {
                left = reading.joined(Operator::Or, left, ExpressionReader::and)?;
            }
            Ok(left)
        })
    }

    fn and(&mut self) -> Parsed<Expression> {
        let mut left = self.not()?;
        while self.word("and") || self.symbol("&&") {
            left = self.joined(Operator::And, left, ExpressionReader::not)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed<Expression> {
        let is_negated =
            self.word("not") || !self.cursor.starts_with(self.cursor.at, "!=") && self.symbol("!");
        if !is_negated {
            return self.comparison();
        }
        self.deeper(|reading| Ok(Expression::Not(Box::new(reading.not()?))))
    }

    fn comparison(&mut self) -> Parsed<Expression> {
        let left = self.sum()?;
        match self.one_of(&COMPARISONS) {
            Some(operator) => self.joined(operator, left, ExpressionReader::sum),
            None => Ok(left),
        }
    }

    fn sum(&mut self) -> Parsed<Expression> {
        let mut left = self.product()?;
        while let Some(operator) = self.one_of(&SUMS) {
            left = self.joined(operator, left, ExpressionReader::product)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expression> {
        let mut left = self.sign()?;
        while let Some(operator) = self.one_of(&PRODUCTS) {
            left = self.joined(operator, left, ExpressionReader::sign)?;
        }
        Ok(left)
    }

    fn sign(&mut self) -> Parsed<Expression> {
        if self.symbol("-") {
            return self.deeper(|reading| Ok(Expression::Minus(Box::new(reading.sign()?))));
        }
        self.count()?;
        let at = self.cursor.at;
        match self.cursor.peek(0) {
            Some('(') => self.group(),
            Some('"') => match self.cursor.plain_quoted() {
                Some(text) => self.behind(Expression::Text(text)),
                None => Err(self.error(at..at + 1, "this quote is not closed")),
            },
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some('/') => Err(self.error(
                at..at + 1,
                "a regular expression is for the functions `matches` and `replace`, as in `matches(path, /^a/)`",
            )),
            _ => self.named(),
        }
    }

    fn group(&mut self) -> Parsed<Expression> {
        let open = self.cursor.at;
        self.symbol("(");
        let inner = self.or()?;
        self.close(open)?;
        Ok(inner)
    }

    /// Reads a number such as `10`, `1.5`, `10MB` or `5m`.
    fn number(&mut self) -> Parsed<Expression> {
        let at = self.cursor.at;
        let is_inner = |at: usize| {
            let exponent = |at: usize| matches!(self.cursor.char_at(at), Some('e' | 'E'));
            match self.cursor.char_at(at) {
                Some('+' | '-') => {
                    exponent(at - 1) && self.cursor.char_at(at + 1).is_some_and(|c| c.is_ascii_digit())
                }
                Some(c) => c.is_alphanumeric() || c == '.',
                None => false,
            }
        };
        let end = (at + 1..).find(|&at| !is_inner(at)).unwrap_or(at + 1);
        let text = self.cursor.text(at..end);
        self.cursor.at = end;
        match Number::parse(&text) {
            Some(number) => self.behind(Expression::Number(number)),
            None => Err(self.error(at..end, format!("`{text}` is not a number: put text in quotes"))),
        }
    }

    /// A field, a function or a constant.
    fn named(&mut self) -> Parsed<Expression> {
        let at = self.cursor.at;
        let end = self.cursor.identifier_end(at);
        if at == end {
            return Err(self.unexpected("a value is expected here"));
        }
        let text = self.cursor.text(at..end);
        self.cursor.at = end;
        if self.cursor.char_at(self.cursor.space_end(end)) == Some('(') {
            return self.function(at..end, &text.to_ascii_lowercase());
        }
        let constant = match text.to_ascii_lowercase().as_str() {
            "null" => Some(Expression::Null),
            "true" => Some(Expression::Bool(true)),
            "false" => Some(Expression::Bool(false)),
            _ => None,
        };
        if let Some(constant) = constant {
            return self.behind(constant);
        }
        match SubjectName::new(&text, false) {
            SubjectName::Field(field) => self.behind(Expression::Field(field)),
            _ => Err(self.error(at..end, format!("`{text}` works only in filters: it is not a field here"))),
        }
    }

    fn function(&mut self, range: Range<usize>, name: &str) -> Parsed<Expression> {
        let open = self.cursor.space_end(self.cursor.at);
        self.skip();
        self.symbol("(");
        if name == "field" {
            return self.quoted_field(range.start, open);
        }
        let Some(function) = function_named(name) else { return Err(self.unknown_function(range, name)) };
        let mut arguments = Vec::new();
        while !self.cursor.is_at_end() && self.cursor.peek(0) != Some(')') {
            if !arguments.is_empty() && !self.symbol(",") {
                return Err(self.unexpected("a comma or `)` is expected here"));
            }
            arguments.push(self.argument(function, arguments.len())?);
        }
        self.close(open)?;
        let range = range.start..self.cursor.at.min(self.cursor.end);
        if !function.takes.contains(&arguments.len()) {
            let example = function.example;
            let message = format!("`{name}` takes a different number of arguments: for example `{example}`");
            return Err(self.error(range, message));
        }
        Ok(Expression::Call(function, arguments))
    }

    fn argument(&mut self, function: &'static Function, number: usize) -> Parsed<Expression> {
        let Some((_, must)) = function.regex.filter(|(place, _)| *place == number) else { return self.or() };
        let at = self.cursor.at;
        match (self.cursor.regex(at, &[',', ')']), must) {
            (Some((source, ignore_case, end)), _) => {
                self.cursor.at = end;
                let regex = self.meaning.compile(at..end, &source, ignore_case)?;
                self.behind(Expression::Regex(regex))
            }
            (None, RegexUse::Required) if self.cursor.peek(0) == Some('"') => {
                let source = self.cursor.quoted_regex()?;
                let regex = self.meaning.compile(at..self.cursor.at, &source, false)?;
                self.behind(Expression::Regex(regex))
            }
            (None, RegexUse::Required) => {
                let example = function.example;
                Err(self.unexpected(&format!("a regular expression is expected here, as in `{example}`")))
            }
            (None, RegexUse::Allowed) => self.or(),
        }
    }

    /// Reads `field("avg(bytes)")`, which can name any field.
    fn quoted_field(&mut self, start: usize, open: usize) -> Parsed<Expression> {
        self.skip();
        let name = if self.cursor.peek(0) == Some('"') { self.cursor.plain_quoted() } else { None };
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            let range = start..self.cursor.at;
            return Err(
                self.error(range, "`field` has a name in quotes: for example `field(\"avg(bytes)\")`")
            );
        };
        self.skip();
        self.close(open)?;
        Ok(Expression::Field(FieldName::new(&name)))
    }

    fn unknown_function(&self, range: Range<usize>, name: &str) -> ParseError {
        let names = || FUNCTIONS.iter().map(|function| function.name);
        let meant = nearest(name, names());
        let suggestion = meant.map(|meant| self.cursor.rewritten(range.clone(), meant));
        let all = names().collect::<Vec<_>>().join(", ");
        let message = format!("`{name}` is not a function of expressions: use {all}");
        ParseError { suggestion, ..self.error(range, message) }
    }

    fn joined(
        &mut self,
        operator: Operator,
        left: Expression,
        right: impl FnOnce(&mut Self) -> Parsed<Expression>,
    ) -> Parsed<Expression> {
        self.count()?;
        let right = right(self)?;
        Ok(Expression::Binary(operator, Box::new([left, right])))
    }

    fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<Expression>) -> Parsed<Expression> {
        let at = self.cursor.at;
        self.depth += 1;
        if NESTING_MAX < self.depth {
            let message =
                format!("more than {NESTING_MAX} nested parentheses and signs: split it into two fields");
            return Err(self.error(at..at + 1, message));
        }
        let found = inner(self);
        self.depth -= 1;
        found
    }

    /// Counts one more value or operator.
    fn count(&mut self) -> Parsed<()> {
        self.parts += 1;
        if self.parts <= EXPRESSION_PARTS_MAX {
            return Ok(());
        }
        let message =
            format!("an expression has at most {EXPRESSION_PARTS_MAX} parts: split it into two fields");
        Err(self.error(self.cursor.at..self.cursor.at + 1, message))
    }

    fn close(&mut self, open: usize) -> Parsed<()> {
        if self.symbol(")") {
            return Ok(());
        }
        match self.cursor.is_at_end() {
            true => Err(self.error(open..open + 1, "this parenthesis is never closed")),
            false => Err(self.unexpected("an operator or `)` is expected here")),
        }
    }

    fn behind(&mut self, expression: Expression) -> Parsed<Expression> {
        self.skip();
        Ok(expression)
    }

    fn skip(&mut self) {
        self.cursor.skip_space();
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.cursor.starts_with(self.cursor.at, symbol);
        if found {
            self.cursor.at += symbol.len();
            self.skip();
        }
        found
    }

    fn one_of(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        operators.iter().find(|(symbol, _)| self.symbol(symbol)).map(|(_, operator)| *operator)
    }

    /// Takes an operator that is a word, in any case.
    fn word(&mut self, word: &str) -> bool {
        let at = self.cursor.at;
        let end = self.cursor.identifier_end(at);
        let found = self.cursor.text(at..end).eq_ignore_ascii_case(word);
        if found {
            self.cursor.at = end;
            self.skip();
        }
        found
    }

    fn unexpected(&self, what: &str) -> ParseError {
        let at = self.cursor.at.min(self.cursor.end);
        let end = self.cursor.word_end(at, &[',', '|']).max((at + 1).min(self.cursor.end));
        let message = format!("{what}: for example `eval seconds = took / 1000`");
        let range = if at == end { at.saturating_sub(1)..at } else { at..end };
        self.error(range, message)
    }

    fn error(&self, range: Range<usize>, message: impl Into<String>) -> ParseError {
        self.cursor.meaning(range, message)
    }
}
