//! The kind of an expression's values, as far as it is known without a row.

use super::functions::{FunctionResult, ResultType};
use super::{Expression, Operator};
use logstead_record::FieldName;
use logstead_record::{Field, Storage};

impl Expression {
    /// The kind of its values, as far as it is known without a row.
    pub fn gives(&self) -> ResultType {
        match self {
            Expression::Number(_) | Expression::Minus(_) => ResultType::Number,
            Expression::Field(field) => ResultType::of_field(field),
            Expression::Binary(operator, both) => ResultType::of_operator(*operator, both),
            Expression::Call(function, arguments) => function.gives.of(arguments),
            Expression::Null
            | Expression::Bool(_)
            | Expression::Text(_)
            | Expression::Regex(_)
            | Expression::Not(_) => ResultType::Text,
        }
    }
}

impl ResultType {
    fn of_field(field: &FieldName) -> ResultType {
        match field {
            FieldName::Known(field) if matches!(field.storage(), Storage::Time | Storage::Received) => {
                ResultType::Time
            }
            FieldName::Known(Field::Pid) => ResultType::Number,
            FieldName::Known(_) | FieldName::Dynamic(_) => ResultType::Text,
        }
    }

    fn of_operator(operator: Operator, [left, right]: &[Expression; 2]) -> ResultType {
        let is_time = |expression: &Expression| expression.gives() == ResultType::Time;
        match operator {
            Operator::Plus if is_time(left) || is_time(right) => ResultType::Time,
            Operator::Minus if is_time(left) && !is_time(right) => ResultType::Time,
            Operator::Plus | Operator::Minus | Operator::Times | Operator::Over | Operator::Modulo => {
                ResultType::Number
            }
            _ => ResultType::Text,
        }
    }
}

impl FunctionResult {
    fn of(self, arguments: &[Expression]) -> ResultType {
        let same = |values: &mut dyn Iterator<Item = &Expression>| {
            let mut kinds = values.filter(|value| **value != Expression::Null).map(Expression::gives);
            let first = kinds.next().unwrap_or(ResultType::Text);
            if kinds.all(|kind| kind == first) { first } else { ResultType::Text }
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
