//! What the values of an expression are, as far as can be told without a row.

use super::functions::{Given, Gives};
use super::{Expression, Operator};
use logstead_record::FieldName;
use logstead_record::{Field, Storage};

impl Expression {
    /// What its values are, as far as can be told without a row.
    pub fn gives(&self) -> Gives {
        match self {
            Expression::Number(_) | Expression::Minus(_) => Gives::Number,
            Expression::Field(field) => Gives::of_field(field),
            Expression::Binary(operator, both) => Gives::of_operator(*operator, both),
            Expression::Call(function, arguments) => function.gives.of(arguments),
            Expression::Null
            | Expression::Bool(_)
            | Expression::Text(_)
            | Expression::Regex(_)
            | Expression::Not(_) => Gives::Text,
        }
    }
}

impl Gives {
    fn of_field(field: &FieldName) -> Gives {
        match field {
            FieldName::Known(field) if matches!(field.storage(), Storage::Time | Storage::Received) => {
                Gives::Time
            }
            FieldName::Known(Field::Pid) => Gives::Number,
            FieldName::Known(_) | FieldName::Dynamic(_) => Gives::Text,
        }
    }

    fn of_operator(operator: Operator, [left, right]: &[Expression; 2]) -> Gives {
        let is_time = |expression: &Expression| expression.gives() == Gives::Time;
        match operator {
            Operator::Plus if is_time(left) || is_time(right) => Gives::Time,
            Operator::Minus if is_time(left) && !is_time(right) => Gives::Time,
            Operator::Plus | Operator::Minus | Operator::Times | Operator::Over | Operator::Modulo => {
                Gives::Number
            }
            _ => Gives::Text,
        }
    }
}

impl Given {
    fn of(self, arguments: &[Expression]) -> Gives {
        let same = |values: &mut dyn Iterator<Item = &Expression>| {
            let mut kinds = values.filter(|value| **value != Expression::Null).map(Expression::gives);
            let first = kinds.next().unwrap_or(Gives::Text);
            if kinds.all(|kind| kind == first) { first } else { Gives::Text }
        };
        match self {
            Given::Always(gives) => gives,
            Given::AsFrom(first) => same(&mut arguments.iter().skip(first)),
            Given::AsSeconds => {
                let pairs = arguments.chunks(2).filter_map(<[Expression]>::last);
                same(&mut pairs.into_iter())
            }
        }
    }
}
