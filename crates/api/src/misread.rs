//! Requests that do not have the described form, in words that do not depend on the language of the server.
//!
//! **Invariant:** 400 if the request cannot be read: its syntax, an unknown, missing or repeated part, or a part of
//! another type. 422 if it can be read, and one of its values is not acceptable.

use crate::error::{ApiError, TextPosition};
use crate::problem_type::ProblemType;
use axum::extract::rejection::QueryRejection;
use serde::de::value::Error as ValueError;
use std::error::Error;

/// The beginnings of the texts with which serde says that a part has not the described form.
const FORM: [&str; 6] = [
    "invalid type", "invalid length", "missing field", "duplicate field", "unknown field",
    "data did not match",
];

/// A JSON body that is not as described; `path` is the part of it, or `.`.
pub(super) fn body(error: &serde_json::Error, path: &str) -> ApiError {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&place).unwrap_or(&text);
    let is_value = error.is_data() && !FORM.iter().any(|form| reason.starts_with(form));
    let kind = if is_value { ProblemType::InvalidValue } else { ProblemType::InvalidBody };
    let place = if error.line() == 0 { String::new() } else { place };
    let refused = ApiError::new(kind, format!("the body is not as expected: {}{place}", plain(reason)));
    let refused = refused.at(TextPosition { line: error.line(), column: error.column(), end_column: None });
    match part(reason, path) {
        Some(path) => refused.path(path),
        None => refused,
    }
}

/// A query string that is not as described.
pub(super) fn query_string(rejection: &QueryRejection, sent: &str) -> ApiError {
    let mut cause: Option<&dyn Error> = Some(rejection);
    while let Some(this) = cause {
        if let Some(error) = this.downcast_ref::<serde_path_to_error::Error<ValueError>>() {
            return parameter(&error.inner().to_string(), &error.path().to_string(), sent);
        }
        cause = this.source();
    }
    ApiError::new(ProblemType::InvalidParameter, "the query string cannot be read")
}

fn parameter(reason: &str, path: &str, sent: &str) -> ApiError {
    let path = part(reason, path);
    let value = path.as_deref().and_then(|path| value_of(sent, path));
    let is_number = value.is_some_and(|value| value.parse::<i128>().is_ok());
    let (kind, reason) = match reason {
        "invalid digit found in string" if is_number => {
            (ProblemType::InvalidValue, "it must not be negative".to_owned())
        }
        "number too large to fit in target type" | "number too small to fit in target type" => {
            (ProblemType::InvalidValue, "the number is out of range".to_owned())
        }
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            (ProblemType::InvalidParameter, "it must be a whole number".to_owned())
        }
        "invalid float literal" | "cannot parse float from empty string" => {
            (ProblemType::InvalidParameter, "it must be a number".to_owned())
        }
        "provided string was not `true` or `false`" => {
            (ProblemType::InvalidParameter, "it must be `true` or `false`".to_owned())
        }
        _ if FORM.iter().any(|form| reason.starts_with(form)) => {
            (ProblemType::InvalidParameter, plain(reason))
        }
        _ => (ProblemType::InvalidValue, plain(reason)),
    };
    match path {
        Some(path) => {
            ApiError::new(kind, format!("the parameter `{path}` is not as expected: {reason}")).path(path)
        }
        None => ApiError::new(kind, format!("the query string is not as expected: {reason}")),
    }
}

/// The value of a parameter, if it consists of characters that need no escape.
fn value_of<'a>(sent: &'a str, name: &str) -> Option<&'a str> {
    sent.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// The part of the request that an error is about. A missing part has no place of its own, and so is only in the text.
fn part(reason: &str, path: &str) -> Option<String> {
    let path = if path == "." { "" } else { path };
    let named = reason.strip_prefix("missing field `").or_else(|| reason.strip_prefix("duplicate field `"));
    let named = named.and_then(|rest| rest.split('`').next());
    let whole = match named {
        Some(name) if path.is_empty() => name.to_owned(),
        // The path of a repeated part ends with its name already.
        Some(name) if path.rsplit('.').next() != Some(name) => format!("{path}.{name}"),
        _ => path.to_owned(),
    };
    Some(whole).filter(|whole| !whole.is_empty())
}

/// A reason of serde without the names of types in Rust.
fn plain(reason: &str) -> String {
    if reason.starts_with("data did not match") {
        return "it has none of the forms that are allowed here".to_owned();
    }
    let Some((found, expected)) = reason.split_once(", expected ") else { return reason.to_owned() };
    let found = found.replace(": sequence", ": a list").replace(": map", ": an object");
    if reason.starts_with("unknown ") {
        return format!("{found}, expected {expected}");
    }
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "u128" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" | "str" | "a character" => "a text",
        "a boolean" => "true or false",
        "unit" => "null",
        _ if expected.starts_with("a sequence") || expected.starts_with("a tuple") => "a list",
        _ if expected.starts_with("struct")
            || expected.starts_with("map")
            || expected.starts_with("a map") =>
        {
            "an object"
        }
        _ if expected.starts_with("internally tagged") || expected.starts_with("adjacently tagged") => {
            "an object"
        }
        _ if expected.contains("enum") || expected.starts_with("string or map") => "a text",
        other => other,
    };
    format!("{found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(error: ApiError) -> [Value; 3] {
        let mut problem = serde_json::to_value(error.into_problem()).unwrap();
        ["status", "path", "detail"].map(|name| problem[name].take())
    }

    #[test]
    fn a_parameter_of_another_type_is_400_and_a_value_out_of_range_is_422() {
        for (reason, path, sent, status, expected, detail) in [
            ("invalid digit found in string", "limit", "limit=x", 400, "limit", "a whole number"),
            ("invalid digit found in string", "limit", "a=b&limit=-1", 422, "limit", "not be negative"),
            ("number too large to fit in target type", "limit", "limit=99", 422, "limit", "out of range"),
            ("missing field `to`", ".", "", 400, "to", "missing"),
            ("unknown field `colour`, expected `a`", "colour", "colour=1", 400, "colour", "expected `a`"),
            ("duplicate field `limit`", "limit", "limit=1&limit=2", 400, "limit", "duplicate"),
            ("unknown variant `xml`, expected `csv`", "format", "format=xml", 422, "format", "xml"),
        ] {
            let [found, path, text] = said(parameter(reason, path, sent));
            assert_eq!((found, path), (json!(status), json!(expected)), "{reason}");
            assert!(text.as_str().unwrap().contains(detail), "{reason}: {text}");
        }
    }

    #[test]
    fn no_type_of_rust_is_named() {
        for (reason, expected) in [
            (
                "invalid type: sequence, expected struct TokenRequest",
                "invalid type: a list, expected an object",
            ),
            ("invalid type: map, expected a sequence", "invalid type: an object, expected a list"),
            (
                "invalid value: integer `-1`, expected u32",
                "invalid value: integer `-1`, expected a whole number from 0 to 4294967295",
            ),
            (
                "invalid type: string \"x\", expected i64",
                "invalid type: string \"x\", expected a whole number",
            ),
            (
                "data did not match any variant of untagged enum Body",
                "it has none of the forms that are allowed here",
            ),
        ] {
            assert_eq!(plain(reason), expected);
        }
    }

    #[test]
    fn a_missing_part_is_named_below_its_object() {
        assert_eq!(part("missing field `name`", "."), Some("name".to_owned()));
        assert_eq!(part("missing field `raw`", "messages[0]"), Some("messages[0].raw".to_owned()));
        assert_eq!(part("duplicate field `name`", "name"), Some("name".to_owned()));
        assert_eq!(part("EOF while parsing", "."), None);
    }
}
