//! The meaning of comparisons.

use super::ast::Query;
use super::limits::FIELD_BYTES_MAX;
use super::parse::{Meaning, Parsed};
use super::syntax::subject::{Operator, SubjectName};
use super::syntax::tree::{Comparison, Leaf, NodeKind, Operand, RangeEnd};
use super::value::{ComparedExtent, ComparedField};
use logstead_record::FieldName;
use std::ops::{Bound, Range};

impl Meaning {
    /// The query for a comparison of a field with a value.
    pub(super) fn comparison(&mut self, comparison: &Comparison) -> Parsed<Query> {
        let Comparison { subject, value } = comparison;
        if FIELD_BYTES_MAX < self.cursor.span(subject.name_at.clone()).len() {
            let message = format!("the name of a field is limited to {FIELD_BYTES_MAX} bytes: shorten it");
            return Err(self.cursor.meaning(subject.name_at.clone(), message));
        }
        if is_copies(comparison) {
            return self.leaf(value.range.clone(), Ok(Query::Copies));
        }
        let compared = ComparedField { name: subject.name.clone(), case_sensitive: subject.case_sensitive };
        let found = self.each(value, &mut |meaning, leaf, range| {
            meaning.value(&compared, subject.operator, leaf, range)
        })?;
        let is_negated = matches!(subject.operator, Operator::NotEquals | Operator::NotMatches);
        Ok(if is_negated { found.negate() } else { found })
    }

    fn value(
        &mut self,
        compared: &ComparedField,
        operator: Operator,
        leaf: &Leaf,
        range: Range<usize>,
    ) -> Parsed<Query> {
        match leaf {
            Leaf::Regex { source, ignore_case } => {
                let regex = self.compile(range.clone(), source, *ignore_case)?;
                self.leaf(range, compared.test_regex(regex))
            }
            Leaf::Range { low, high } => self.leaf(range, compared.test_range(low.bound(), high.bound())),
            Leaf::Bound { operator, operand } => {
                let query = bounded(compared, operator, operand);
                self.leaf(range, query)
            }
            Leaf::Operand { operand, .. } => {
                let query = compared_with(compared, operator, operand);
                self.leaf(range, query)
            }
        }
    }
}

/// Whether it is `copies:all`. In quotes, with `=` or in a group, this compares the field of that name instead.
fn is_copies(Comparison { subject, value }: &Comparison) -> bool {
    let (copies, all) = Query::COPIES;
    let is_named = matches!(&subject.name, SubjectName::Field(FieldName::Dynamic(name)) if name.eq_ignore_ascii_case(copies));
    is_named
        && subject.operator == Operator::Has
        && !subject.case_sensitive
        && matches!(&value.kind, NodeKind::Leaf(Leaf::Operand { operand, .. })
            if !operand.quoted && operand.distance.is_none() && operand.text.eq_ignore_ascii_case(all))
}

fn compared_with(compared: &ComparedField, operator: Operator, operand: &Operand) -> Result<Query, String> {
    let sign = match operator {
        Operator::Has => return part(compared, operand),
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::Equals | Operator::NotEquals | Operator::In | Operator::Matches | Operator::NotMatches => {
            return compared.test(ComparedExtent::Whole, operand.clone());
        }
    };
    bounded(compared, sign, operand)
}

fn bounded(compared: &ComparedField, operator: &str, operand: &Operand) -> Result<Query, String> {
    if operand.distance.is_some() {
        return Err("words at a distance cannot be compared by order: write `:` before them".to_owned());
    }
    let (low, high) = bounds(operator, &operand.text);
    compared.test_range(low, high)
}

/// The query for `field:value`, in which the value may be `low..high`.
fn part(compared: &ComparedField, operand: &Operand) -> Result<Query, String> {
    let ends = operand.text.split_once("..").filter(|_| !operand.quoted);
    if let Some((low, high)) = ends {
        let is_end = |text: &str| !text.is_empty() && !text.contains("..");
        let query = compared.test_range(bound_of(low, false), bound_of(high, false));
        if is_end(low) && is_end(high) && query.is_ok() {
            return query;
        }
    }
    compared.test(ComparedExtent::Part, operand.clone())
}

impl RangeEnd {
    fn bound(&self) -> Bound<&str> {
        bound_of(&self.text, self.excluded)
    }
}

/// The bound that a value stands for; `*` leaves the end open.
fn bound_of(text: &str, excluded: bool) -> Bound<&str> {
    match text {
        "*" => Bound::Unbounded,
        text if excluded => Bound::Excluded(text),
        text => Bound::Included(text),
    }
}

/// The bounds that a comparison with a value sets.
fn bounds<'a>(operator: &str, value: &'a str) -> (Bound<&'a str>, Bound<&'a str>) {
    match operator {
        ">=" => (Bound::Included(value), Bound::Unbounded),
        ">" => (Bound::Excluded(value), Bound::Unbounded),
        "<=" => (Bound::Unbounded, Bound::Included(value)),
        _ => (Bound::Unbounded, Bound::Excluded(value)),
    }
}
