//! Evaluation of an expression for a row.

use super::{Cell, Expression, Operator};
use logstead_record::FieldName;
use logstead_record::{SECOND, Timestamp};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The context of an evaluation.
pub(super) struct EvalContext<'r, 'a> {
    /// The value of a field.
    pub(super) field: &'r dyn Fn(&FieldName) -> Cell<'a>,
    /// The time of day.
    pub(super) now: Timestamp,
}

impl Expression {
    /// Evaluates it with these values of fields.
    pub fn eval<'a>(&'a self, now: Timestamp, field: &dyn Fn(&FieldName) -> Cell<'a>) -> Cell<'a> {
        EvalContext { field, now }.eval(self)
    }
}

impl<'a> EvalContext<'_, 'a> {
    pub(super) fn eval(&self, expression: &'a Expression) -> Cell<'a> {
        match expression {
            Expression::Null | Expression::Regex(_) => Cell::Null,
            Expression::Bool(is_true) => Cell::Bool(*is_true),
            Expression::Number(number) => Cell::of_number(number.value()),
            Expression::Text(text) => Cell::Text(Cow::Borrowed(text.as_bytes())),
            Expression::Field(name) => (self.field)(name),
            Expression::Not(inner) => Cell::Bool(!self.eval(inner).is_true()),
            Expression::Minus(inner) => {
                self.eval(inner).number().map_or(Cell::Null, |number| Cell::of_number(-number))
            }
            Expression::Binary(operator, both) => self.binary(*operator, both),
            Expression::Call(function, arguments) => self.call(function.name, arguments),
        }
    }

    fn binary(&self, operator: Operator, [left, right]: &'a [Expression; 2]) -> Cell<'a> {
        match operator {
            Operator::Or => return Cell::Bool(self.eval(left).is_true() || self.eval(right).is_true()),
            Operator::And => return Cell::Bool(self.eval(left).is_true() && self.eval(right).is_true()),
            _ => {}
        }
        let (left, right) = (self.eval(left), self.eval(right));
        let compares = |test: fn(Ordering) -> bool| Cell::Bool(left.compare(&right).is_some_and(test));
        match operator {
            Operator::Equal => compares(Ordering::is_eq),
            // A missing value is not equal to anything, as in a filter.
            Operator::NotEqual => Cell::Bool(!left.compare(&right).is_some_and(Ordering::is_eq)),
            Operator::Less => compares(Ordering::is_lt),
            Operator::LessOrEqual => compares(Ordering::is_le),
            Operator::Greater => compares(Ordering::is_gt),
            Operator::GreaterOrEqual => compares(Ordering::is_ge),
            _ => arithmetic(operator, &left, &right),
        }
    }
}

fn arithmetic(operator: Operator, left: &Cell<'_>, right: &Cell<'_>) -> Cell<'static> {
    let moved = |time: &Timestamp, seconds: f64| {
        let nanos = seconds * SECOND as f64;
        // Both the cast and the addition saturate at the ends of the range.
        Cell::Time(time.saturating_add(nanos as i64))
    };
    match (operator, left, right) {
        (Operator::Minus, Cell::Time(left), Cell::Time(right)) => {
            Cell::of_number((left.nanos() as f64 - right.nanos() as f64) / SECOND as f64)
        }
        (Operator::Plus, Cell::Time(time), other) | (Operator::Plus, other, Cell::Time(time)) => {
            other.number().map_or(Cell::Null, |seconds| moved(time, seconds))
        }
        (Operator::Minus, Cell::Time(time), other) => {
            other.number().map_or(Cell::Null, |seconds| moved(time, -seconds))
        }
        _ => {
            let (Some(left), Some(right)) = (left.number(), right.number()) else { return Cell::Null };
            Cell::of_number(match operator {
                Operator::Plus => left + right,
                Operator::Minus => left - right,
                Operator::Times => left * right,
                Operator::Over => left / right,
                _ => left % right,
            })
        }
    }
}
