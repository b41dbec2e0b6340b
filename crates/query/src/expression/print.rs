//! The canonical text of an expression.

use super::{Expression, Operator};
use crate::print::Quoted;
use crate::syntax::subject::SubjectName;
use logstead_record::FieldName;
use std::fmt::{self, Display, Formatter};

/// Words that mean something other than a field.
const WORDS: [&str; 6] = ["or", "and", "not", "null", "true", "false"];
/// The precedence of `not` and of a sign.
const NOT: u8 = 3;
const SIGN: u8 = 7;

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Null => f.write_str("null"),
            Expression::Bool(is_true) => write!(f, "{is_true}"),
            Expression::Number(number) => write!(f, "{number}"),
            Expression::Text(text) => write!(f, "{text}", text = Quoted(text)),
            Expression::Regex(regex) => write!(f, "{regex}"),
            Expression::Field(field) => write!(f, "{field}", field = PrintedField(field)),
            Expression::Not(inner) => write!(f, "not {inner}", inner = PrintedPart(inner, NOT)),
            Expression::Minus(inner) => write!(f, "-{inner}", inner = PrintedPart(inner, SIGN)),
            Expression::Binary(operator, both) => {
                let (text, binding) = (operator.text(), operator.binding());
                // Comparisons cannot be chained; all other operators are left-associative.
                let left = if binding == Operator::Equal.binding() { binding + 1 } else { binding };
                let [a, b] = both.as_ref();
                write!(f, "{a} {text} {b}", a = PrintedPart(a, left), b = PrintedPart(b, binding + 1))
            }
            Expression::Call(function, arguments) => {
                write!(f, "{name}(", name = function.name)?;
                for (number, argument) in arguments.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A part of an expression, in parentheses if its precedence is lower than that of its surroundings.
struct PrintedPart<'a>(&'a Expression, u8);

impl Display for PrintedPart<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let binding = match self.0 {
            Expression::Binary(operator, _) => operator.binding(),
            Expression::Not(_) => NOT,
            Expression::Minus(_) => SIGN,
            _ => u8::MAX,
        };
        if binding < self.1 {
            write!(f, "({inner})", inner = self.0)
        } else {
            write!(f, "{inner}", inner = self.0)
        }
    }
}

/// A field, as `field("name")` if its name would be read as something else.
struct PrintedField<'a>(&'a FieldName);

impl Display for PrintedField<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.0.as_str();
        let is_plain = {
            let cursor = crate::syntax::lex::TextCursor::new(name);
            cursor.identifier_end(0) == cursor.end
                && !name.starts_with('.')
                && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
                && SubjectName::new(name, false) == SubjectName::Field(self.0.clone())
        };
        if is_plain { f.write_str(name) } else { write!(f, "field({name})", name = Quoted(name)) }
    }
}
