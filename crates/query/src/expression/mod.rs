//! Expressions: what the stage `eval` computes of a row.
//!
//! - this file: the [`Expression`]; `functions`: the functions by name; `value_kind`: the kind of its values; `read`: text to expression, `print`: and back
//! - `cell`: a value, and how it compares; `eval`: what an expression gives; `call`: what each function gives
//!
//! **Invariant:** whatever the row, an expression gives a value and never fails: what cannot be computed is null.
//! **Invariant:** the text that an [`Expression`] prints as parses to the same expression.

mod call;
mod cell;
mod eval;
mod functions;
mod print;
mod read;
#[cfg(test)]
mod tests;
mod value_kind;

use super::number::Number;
use super::regex::Regex;
pub use cell::Cell;
pub(crate) use functions::{FUNCTIONS, function_named};
pub use functions::{Function as ExpressionFunction, ValueKind, functions};
use logstead_record::FieldName;
pub(crate) use read::parse_expression;

/// What is computed of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// No value.
    Null,
    /// A truth.
    Bool(bool),
    /// A number, a size in bytes or a duration in seconds.
    Number(Number),
    /// A text.
    Text(String),
    /// A regular expression; only a function takes one.
    Regex(Regex),
    /// The value of a field.
    Field(FieldName),
    /// What is true becomes false.
    Not(Box<Expression>),
    /// The same number with the other sign.
    Minus(Box<Expression>),
    /// Two values.
    Binary(Operator, Box<[Expression; 2]>),
    /// A function of values, as many as it takes.
    Call(&'static functions::Function, Vec<Expression>),
}

/// What is made of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// Whether one of them is true.
    Or,
    /// Whether both are.
    And,
    /// Whether they are the same.
    Equal,
    /// Whether they are not.
    NotEqual,
    /// Whether the first is less.
    Less,
    /// Or the same.
    LessOrEqual,
    /// Whether it is greater.
    Greater,
    /// Or the same.
    GreaterOrEqual,
    /// The sum; a time moved by seconds.
    Plus,
    /// The difference; seconds between times.
    Minus,
    /// The product.
    Times,
    /// The quotient.
    Over,
    /// What is left after dividing.
    Modulo,
}

impl Operator {
    /// Each as it is printed, with how tightly it binds.
    const ALL: [(Operator, &'static str, u8); 13] = [
        (Operator::Or, "or", 1),
        (Operator::And, "and", 2),
        (Operator::Equal, "=", 4),
        (Operator::NotEqual, "!=", 4),
        (Operator::LessOrEqual, "<=", 4),
        (Operator::GreaterOrEqual, ">=", 4),
        (Operator::Less, "<", 4),
        (Operator::Greater, ">", 4),
        (Operator::Plus, "+", 5),
        (Operator::Minus, "-", 5),
        (Operator::Times, "*", 6),
        (Operator::Over, "/", 6),
        (Operator::Modulo, "%", 6),
    ];

    fn text(self) -> &'static str {
        Operator::ALL.iter().find(|(operator, ..)| *operator == self).map_or("", |(_, text, _)| text)
    }

    fn binding(self) -> u8 {
        Operator::ALL.iter().find(|(operator, ..)| *operator == self).map_or(0, |(.., binding)| *binding)
    }
}

impl Expression {
    /// Shows every expression in it to `visit`, itself first.
    fn visit<'e>(&'e self, visit: &mut impl FnMut(&'e Expression)) {
        visit(self);
        match self {
            Expression::Not(inner) | Expression::Minus(inner) => inner.visit(visit),
            Expression::Binary(_, both) => both.iter().for_each(|inner| inner.visit(visit)),
            Expression::Call(_, arguments) => arguments.iter().for_each(|inner| inner.visit(visit)),
            _ => {}
        }
    }

    /// The fields that it names.
    pub fn fields(&self) -> Vec<FieldName> {
        let mut fields = Vec::new();
        self.visit(&mut |expression| match expression {
            Expression::Field(field) if !fields.contains(field) => fields.push(field.clone()),
            _ => {}
        });
        fields
    }

    /// Whether it depends on the time of day.
    pub fn uses_now(&self) -> bool {
        let mut found = false;
        self.visit(&mut |expression| {
            found |= matches!(expression, Expression::Call(function, _) if function.name == "now");
        });
        found
    }
}
