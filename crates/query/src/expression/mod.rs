//! Expressions, which the stage `eval` computes for a row.
//!
//! - this file: the [`Expression`]; `functions`: the functions by name; `result_type`: the kind of its values
//! - `read`: text to expression; `print`: expression to text
//! - `cell`: a value and its comparison; `eval`: evaluation for a row; `call`: the results of the functions
//!
//! **Invariant:** for any row, an expression has a value and never fails: if it cannot be computed, it is null.
//! **Invariant:** the text that an [`Expression`] prints as parses to the same expression.

mod call;
mod cell;
mod eval;
mod functions;
mod print;
mod read;
mod result_type;
#[cfg(test)]
mod tests;

use super::number::Number;
use super::regex::Regex;
pub use cell::Cell;
pub(crate) use functions::{FUNCTIONS, function_named};
pub use functions::{Function as ExpressionFunction, ResultType, functions};
use logstead_record::FieldName;
pub(crate) use read::parse_expression;

/// An expression to compute for a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, a size in bytes or a duration in seconds.
    Number(Number),
    /// A text.
    Text(String),
    /// A regular expression; only a function takes one.
    Regex(Regex),
    /// The value of a field.
    Field(FieldName),
    /// The logical negation.
    Not(Box<Expression>),
    /// The negated number.
    Minus(Box<Expression>),
    /// An operator with two operands.
    Binary(Operator, Box<[Expression; 2]>),
    /// A function with its arguments.
    Call(&'static functions::Function, Vec<Expression>),
}

/// An operator of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// Whether at least one operand is true.
    Or,
    /// Whether both operands are true.
    And,
    /// Whether the operands are equal.
    Equal,
    /// Whether the operands are not equal.
    NotEqual,
    /// Whether the first operand is less.
    Less,
    /// Whether the first operand is less or equal.
    LessOrEqual,
    /// Whether the first operand is greater.
    Greater,
    /// Whether the first operand is greater or equal.
    GreaterOrEqual,
    /// The sum; for a time and a number, the time moved by that many seconds.
    Plus,
    /// The difference; for two times, the seconds between them.
    Minus,
    /// The product.
    Times,
    /// The quotient.
    Over,
    /// The remainder.
    Modulo,
}

impl Operator {
    /// Each operator with its text and its precedence.
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
    /// Calls `visit` with every expression in it, itself first.
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
