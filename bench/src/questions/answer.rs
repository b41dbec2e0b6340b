//! The content of an answer: the part of it that must be the same whenever the question is asked, however much work it
//! was and wherever the messages lie.

use serde_json::Value;
use std::fmt::Write as _;

/// The members of a message that do not depend on when it was stored.
const MESSAGE: [&str; 7] = ["time", "host", "program", "pid", "severity", "facility", "message"];

/// The content of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AnswerContent {
    /// A few words for people.
    pub(super) summary: String,
    pub(super) digest: String,
    /// Whether the server says that nothing is missing.
    pub(super) is_complete: bool,
}

impl AnswerContent {
    pub(super) fn read(answer: &Value) -> AnswerContent {
        let mut text = String::new();
        let summary = if let Some(messages) = answer["messages"].as_array() {
            for message in messages {
                MESSAGE.iter().for_each(|member| write_value(&message[*member], &mut text));
            }
            format!("{} messages", messages.len())
        } else if let Some(buckets) = answer["buckets"].as_array() {
            buckets.iter().for_each(|bucket| write_value(bucket, &mut text));
            format!("{} in {} buckets", answer["total"], buckets.len())
        } else if let Some(rows) = answer["rows"].as_array() {
            rows.iter().for_each(|row| write_value(row, &mut text));
            match rows.as_slice() {
                [Value::Array(cells)] if cells.len() == 1 => format!("a row: {}", cells[0]),
                rows => format!("{} rows", rows.len()),
            }
        } else if let Some(fields) = answer["fields"].as_object() {
            write_value(&answer["fields"], &mut text);
            format!("{} facets", fields.len())
        } else {
            write_value(&answer["count"], &mut text);
            format!("{}", answer["count"])
        };
        let is_complete = answer["coverage"]["complete"].as_bool().unwrap_or(false);
        AnswerContent { summary, digest: digest(&text), is_complete }
    }
}

/// Writes a value such that equal ones are written in the same way. A sum of fractions depends on their order in its
/// last digits, which are left out.
fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Array(values) => {
            out.push('[');
            values.iter().for_each(|value| write_value(value, out));
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|member| member.0);
            out.push('{');
            for (name, value) in members {
                out.push_str(name);
                write_value(value, out);
            }
            out.push('}');
        }
        // Writing to a string cannot fail.
        Value::Number(number) if number.is_f64() => {
            write!(out, "{:.8e};", number.as_f64().unwrap_or_default()).ok();
        }
        other => {
            write!(out, "{other};").ok();
        }
    }
}

/// FNV-1a in 64 bits: short, and the same in every version of this program.
fn digest(text: &str) -> String {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_work_for_an_answer_is_not_its_content() {
        let answer = |took: u64, count: u64| json!({ "took_ms": took, "count": count, "coverage": { "complete": true, "blocks": took } });
        let one = AnswerContent::read(&answer(1, 7));
        assert_eq!(one, AnswerContent::read(&answer(2, 7)));
        assert_ne!(one.digest, AnswerContent::read(&answer(1, 8)).digest);
        assert_eq!((one.summary.as_str(), one.is_complete), ("7", true));
    }

    #[test]
    fn an_answer_without_a_word_about_what_is_missing_is_not_complete() {
        assert!(!AnswerContent::read(&json!({ "count": 1 })).is_complete);
    }

    #[test]
    fn the_last_digits_of_a_fraction_do_not_count_and_the_order_of_rows_does() {
        let rows = |rows: Value| AnswerContent::read(&json!({ "rows": rows })).digest;
        assert_eq!(rows(json!([[0.1 + 0.2]])), rows(json!([[0.3]])));
        assert_ne!(rows(json!([[0.3001]])), rows(json!([[0.3]])));
        assert_ne!(rows(json!([["a"], ["b"]])), rows(json!([["b"], ["a"]])));
        assert_eq!(digest(""), "cbf29ce484222325");
    }
}
