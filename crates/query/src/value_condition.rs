//! The condition that the value of a field must meet.

use super::ast::{FieldTest, Pattern, ValueRange};
use super::glob::Glob;
use super::number::{Number, Unit, value_of};
use super::text::TextMatcher;
use ipnet::IpNet;
use logstead_record::word;
use std::net::{IpAddr, SocketAddr};
use std::ops::{Bound, RangeBounds};

/// A condition on a value.
#[derive(Clone, Debug)]
pub(super) enum ValueCondition {
    Exists,
    Holds(TextMatcher),
    Equals { chars: Vec<char>, case_sensitive: bool },
    Fits(Glob),
    Network(IpNet),
    Number { low: Bound<f64>, high: Bound<f64>, unit: Unit },
}

impl ValueCondition {
    pub(super) fn new(test: &FieldTest) -> ValueCondition {
        match test {
            FieldTest::Holds(test) => ValueCondition::Holds(TextMatcher::new(test)),
            FieldTest::Equals(pattern) => ValueCondition::equals(pattern),
            FieldTest::Network(network) => ValueCondition::Network(*network),
            FieldTest::Number(bounds) => ValueCondition::number(bounds),
            FieldTest::Exists | FieldTest::Time(_) | FieldTest::Code(_) | FieldTest::Flag(_) => {
                ValueCondition::Exists
            }
        }
    }

    fn equals(pattern: &Pattern) -> ValueCondition {
        let case_sensitive = pattern.is_case_sensitive();
        let fold = |c| if case_sensitive { c } else { word::fold_char(c) };
        match pattern.as_literal() {
            Some(text) => ValueCondition::Equals { chars: text.chars().map(fold).collect(), case_sensitive },
            None => ValueCondition::Fits(Glob::whole(pattern)),
        }
    }

    fn number(bounds: &ValueRange<Number>) -> ValueCondition {
        let unit = [&bounds.low, &bounds.high].into_iter().find_map(|bound| match bound {
            Bound::Included(number) | Bound::Excluded(number) => {
                Some(number.unit()).filter(|unit| *unit != Unit::Plain)
            }
            Bound::Unbounded => None,
        });
        let value = |bound: &Bound<Number>| bound.as_ref().map(Number::value);
        ValueCondition::Number {
            low: value(&bounds.low),
            high: value(&bounds.high),
            unit: unit.unwrap_or(Unit::Plain),
        }
    }

    /// The rank among conditions on the same column.
    pub(super) fn cost(&self) -> usize {
        match self {
            ValueCondition::Holds(matcher) => matcher.cost(),
            _ => 1,
        }
    }

    /// Like [`ValueCondition::accepts`], but an empty text is not a value: it passes only a comparison with the empty text.
    pub(super) fn accepts_present(&self, value: &[u8]) -> bool {
        let is_present = !value.is_empty() || matches!(self, ValueCondition::Equals { .. });
        is_present && self.accepts(value)
    }

    pub(super) fn accepts(&self, value: &[u8]) -> bool {
        match self {
            ValueCondition::Exists => true,
            ValueCondition::Holds(matcher) => matcher.is_match(value),
            ValueCondition::Equals { chars, case_sensitive } => {
                word::end_of(value, 0, chars, *case_sensitive) == Some(value.len())
            }
            ValueCondition::Fits(glob) => glob.is_match(value),
            ValueCondition::Network(network) => is_in(value, network),
            ValueCondition::Number { low, high, unit } => {
                value_of(value, *unit).is_some_and(|number| (*low, *high).contains(&number))
            }
        }
    }
}

/// Whether an address, with or without a port, or a network lies in `network`.
fn is_in(value: &[u8], network: &IpNet) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim();
    let address = text.parse::<IpAddr>().or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    match address {
        // An IPv4-mapped IPv6 address can lie in networks of both versions.
        Ok(address) => network.contains(&address) || network.contains(&address.to_canonical()),
        Err(_) => text.parse::<IpNet>().is_ok_and(|inner| network.contains(&inner)),
    }
}
