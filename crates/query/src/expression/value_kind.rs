//! The kind of an expression's values, as far as it is known without a row.

use super::functions::{FunctionResult, ValueKind};
use super::{Expression, Operator};
use logstead_record::FieldName;
use logstead_record::{Field, Storage};

impl Expression {
    /// The kind of its values, as far as it is known without a row.
    pub fn gives(&self) -> ValueKind {
        match self {
            Expression::Number(_) | Expression::Minus(_) => ValueKind::Number,
            Expression::Field(field) => ValueKind::of_field(field),
            Expression::Binary(operator, both) => ValueKind::of_operator(*operator, both),
            Expression::Call(function, arguments) => function.gives.of(arguments),
            Expression::Null
            | Expression::Bool(_)
            | Expression::Text(_)
            | Expression::Regex(_)
            | Expression::Not(_) => ValueKind::Text,
        }
    }
}

impl ValueKind {
    fn of_field(field: &FieldName) -> ValueKind {
        match field {
            FieldName::Known(field) if matches!(field.storage(), Storage::Time | Storage::Received) => {
                ValueKind::Time
            }
            FieldName::Known(Field::Pid) => ValueKind::Number,
            FieldName::Known(_) | FieldName::Dynamic(_) => ValueKind::Text,
        }
    }

    fn of_operator(operator: Operator, [left, right]: &[Expression; 2]) -> ValueKind {
        let is_time = |expression: &Expression| expression.gives() == ValueKind::Time;
        match operator {
            Operator::Plus if is_time(left) || is_time(right) => ValueKind::Time,
            Operator::Minus if is_time(left) && !is_time(right) => ValueKind::Time,
            Operator::Plus | Operator::Minus | Operator::Times | Operator::Over | Operator::Modulo => {
                ValueKind::Number
            }
            _ => ValueKind::Text,
        }
    }
}

impl FunctionResult {
    fn of(self, arguments: &[Expression]) -> ValueKind {
        let same = |values: &mut dyn Iterator<Item = &Expression>| {
            let mut kinds = values.filter(|value| **value != Expression::Null).map(Expression::gives);
            let first = kinds.next().unwrap_or(ValueKind::Text);
            if kinds.all(|kind| kind == first) { first } else { ValueKind::Text }
        };
        match self {
            FunctionResult::Always(gives) => gives,
            FunctionResult::AsFrom(first) => same(&mut arguments.iter().skip(first)),
            FunctionResult::AsSeconds => {
                let pairs = arguments.chunks(2).filter_map(<[Expression]>::last);
                same(&mut pairs.into_iter())
            }
        }
    }
}
