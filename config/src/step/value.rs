//! Types of values that only steps use.

use std::fmt;

use crate::node::{DocumentNode, NodeValue};
use crate::problem::{Findings, Path, quoted};
use crate::read::ReadValue;

/// A share, above 0 and at most 1, in millionths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleShare(u32);

/// A number of messages per interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThrottleRate {
    /// The number of messages.
    pub messages: u64,
    /// The length of the interval in seconds: 1, 60 or 3600.
    pub seconds: u64,
}

const MILLION: f64 = 1_000_000.0;
const UNITS: [(&str, u64); 3] = [("s", 1), ("m", 60), ("h", 3600)];
/// The greatest number of messages in a rate.
const MESSAGES_MAX: u64 = 1_000_000_000;

impl SampleShare {
    /// Makes a share of a number; `None` if it is not a share.
    pub fn new(share: f64) -> Option<SampleShare> {
        let millionths = (share * MILLION).round();
        (1.0..=MILLION).contains(&millionths).then_some(SampleShare(millionths as u32))
    }

    /// The share as a number.
    pub fn as_number(self) -> f64 {
        f64::from(self.0) / MILLION
    }

    /// The share in millionths.
    pub fn millionths(self) -> u32 {
        self.0
    }
}

impl ReadValue for SampleShare {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<SampleShare> {
        let number = match &node.value {
            NodeValue::Integer(number) => Some(*number as f64),
            NodeValue::Fraction(number) => Some(*number),
            NodeValue::Text(text) | NodeValue::Bare(text) => match text.strip_suffix('%') {
                Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
                None => text.parse().ok(),
            },
            _ => None,
        };
        let share = number.and_then(SampleShare::new);
        if share.is_none() {
            findings.value(path, "must be a share above 0 and at most 1, like `0.1` or `\"10%\"`");
        }
        share
    }
}

impl fmt::Display for ThrottleRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, seconds)| *seconds == self.seconds).map_or("s", |(unit, _)| unit);
        write!(f, "{}/{unit}", self.messages)
    }
}

impl ReadValue for ThrottleRate {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<ThrottleRate> {
        let text = String::read(node, path, findings)?;
        let rate = text.split_once('/').and_then(|(messages, unit)| {
            let messages =
                messages.trim().parse().ok().filter(|messages| (1..=MESSAGES_MAX).contains(messages))?;
            let (_, seconds) = UNITS.iter().find(|(known, _)| *known == unit.trim())?;
            Some(ThrottleRate { messages, seconds: *seconds })
        });
        if rate.is_none() {
            findings.value(
                path,
                format!("{} is not a rate: write it like `100/s`, `50/m` or `10/h`", quoted(&text)),
            );
        }
        rate
    }
}

/// A table of texts with arbitrary names.
pub(super) struct TextTable(pub(super) Vec<(String, String)>);

impl ReadValue for TextTable {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<TextTable> {
        let NodeValue::Table(entries) = &node.value else {
            return findings.refuse(
                path,
                format!("must be a table like `{{ zone = \"dmz\" }}`, not {}", node.type_name()),
            );
        };
        let texts: Vec<_> = entries
            .iter()
            .map(|entry| {
                let text = match &entry.node.value {
                    NodeValue::Integer(number) => Some(number.to_string()),
                    NodeValue::Fraction(number) => Some(number.to_string()),
                    NodeValue::Boolean(value) => Some(value.to_string()),
                    _ => String::read(&entry.node, &path.key(&entry.key), findings),
                };
                Some((entry.key.clone(), text?))
            })
            .collect();
        texts.into_iter().collect::<Option<_>>().map(TextTable)
    }
}
