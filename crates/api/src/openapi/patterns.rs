//! The forms of texts that the server parses, so that clients can check them before they send. A form allows everything
//! that is accepted, and a little more: the server checks the value.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A time: RFC 3339 or the beginning of it, or relative to now or to a day.
const TIME: &str = concat!(
    "^(now|(now)?[-+]([0-9]+(ns|us|ms|s|m|h|d|w))+|today([-+][0-9]+d)?|yesterday|tomorrow",
    "|[0-9]{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])",
    "([Tt ]([01][0-9]|2[0-3])(:[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]+)?)?)?([Zz]|[-+][0-2][0-9]:?[0-5][0-9])?)?)?)$",
);
/// A duration: a whole number with its unit.
const DURATION: &str = "^[0-9]+(ms|s|m|h|d|w|y)$";
/// A size: a whole number with its unit.
const SIZE: &str = "^[0-9]+([KMGT]i?)?B$";
/// The name of a time zone.
const ZONE: &str = "^[A-Za-z][-+/_0-9A-Za-z]*$";
/// A cursor of a list or a search.
const CURSOR: &str = "^[-_.:0-9A-Za-z]+$";
/// One ETag, weak or strong, or `*`.
const REVISION: &str = r#"^(\*|(W/)?"[0-9]{1,19}([-.][-.0-9A-Za-z]+)?")$"#;
/// Ids with commas between them.
const IDS: &str = "^[^,]+(,[^,]+)*$";
/// The name of a file with a table for lookups.
const LOOKUP: &str = r"^[0-9A-Za-z_][-._0-9A-Za-z]*$";

/// Parameters and members of requests, by name.
const FORMS: [(&str, &str); 10] = [
    ("If-Match", REVISION),
    ("confirm_within", DURATION),
    ("cursor", CURSOR),
    ("from", TIME),
    ("interval", DURATION),
    ("logspaces", IDS),
    ("overlap", DURATION),
    ("timezone", ZONE),
    ("to", TIME),
    ("wait", DURATION),
];
/// Names of fields, each of which has at least one character.
const FIELDS: [&str; 3] = ["by", "columns", "fields"];
/// Members whose name means something else elsewhere: schema, member, form.
const MEMBERS: [(&str, &str, &str); 6] = [
    ("DestinationQueue", "age", DURATION),
    ("FileRotation", "age", DURATION),
    ("Gather", "age", DURATION),
    ("Retention", "age", DURATION),
    ("RetentionRequest", "age", DURATION),
    ("RetentionRequest", "size", SIZE),
];
/// Adds them all.
pub(super) fn describe(api: &mut Value) {
    let mut requests = BTreeSet::new();
    for (path, item) in api["paths"].as_object_mut().into_iter().flatten() {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            requests.extend(body.as_str().and_then(|body| body.rsplit('/').next()).map(str::to_owned));
            let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
            for parameter in parameters.into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                let is_lookup = path.starts_with("/api/v1/lookups/") && name == "name";
                let is_page = path.starts_with("/api/v1/oidc/");
                let form = if is_lookup { Some(LOOKUP) } else { form_of(&name).filter(|_| !is_page) };
                form.into_iter().for_each(|form| set(&mut parameter["schema"], form));
                if FIELDS.contains(&name.as_str()) {
                    name_something(&mut parameter["schema"]);
                }
                if parameter["in"] == "header" {
                    // A header that is not needed is left out; it is never null.
                    parameter["schema"]["type"] = json!("string");
                }
            }
        }
    }
    let schemas = &mut api["components"]["schemas"];
    for (schema, member, form) in MEMBERS {
        let value = &mut schemas[schema]["properties"][member];
        assert!(!value.is_null(), "{schema} has no {member}");
        set(value, form);
    }
    // A draft of the document is also answered, whatever it lacks.
    requests.remove("Document");
    for request in requests {
        let members = schemas[request].get_mut("properties").and_then(Value::as_object_mut);
        for (member, value) in members.into_iter().flatten() {
            if ["columns", "logspaces"].contains(&member.as_str()) {
                value["minItems"] = json!(1);
            }
            if FIELDS.contains(&member.as_str()) {
                name_something(value);
            } else {
                form_of(member).into_iter().for_each(|form| set(value, form));
            }
        }
    }
}

fn form_of(name: &str) -> Option<&'static str> {
    FORMS.iter().find(|(of, _)| *of == name).map(|(_, form)| *form)
}

/// Refuses empty names.
fn name_something(schema: &mut Value) {
    let name = if schema["items"].is_object() { &mut schema["items"] } else { schema };
    name["minLength"] = json!(1);
}

/// Sets the form of a text; other values have none.
fn set(schema: &mut Value, form: &str) {
    let kind = &schema["type"];
    let is_text = kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("string")));
    if is_text && schema["format"].is_null() && schema["enum"].is_null() {
        schema["pattern"] = json!(form);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn each_form_takes_what_is_accepted() {
        for (form, texts) in [
            (
                TIME,
                &[
                    "2026-11-21T06:13:00.123456789+01:00",
                    "2026-11",
                    "now",
                    "now-1h30m",
                    "-15m",
                    "today-7d",
                    "2026-11-21",
                    "2026-11-21T06",
                    "2026-11-21T06:13",
                    "2026-11-21T06:13:00",
                    "2026-11-21T06:13Z",
                    "tomorrow",
                    "+5us",
                ][..],
            ),
            (DURATION, &["5ms", "90d"]),
            (SIZE, &["0B", "64KiB", "10GB"]),
            (ZONE, &["UTC", "Europe/Vienna", "Etc/GMT+5", "America/Port-au-Prince", "EST5EDT"]),
            (REVISION, &["*", "\"5\"", "W/\"5\"", "\"1.toml\"", "\"7-gzip\""]),
            (IDS, &["main", "main,other"]),
            (LOOKUP, &["assets.csv", "a-b_c.csv"]),
        ] {
            let regex = Regex::new(form).unwrap();
            for text in texts {
                assert!(regex.is_match(text), "{form} does not take {text}");
            }
            assert!(!regex.is_match(""), "{form}");
        }
    }
}
