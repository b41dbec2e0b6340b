//! The forms of texts that the server parses, so that clients can check them before they send. A form allows everything
//! that is accepted, and a little more: the server checks the value.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A time: RFC 3339 or a part of it, or relative to now or to a day.
const TIME: &str = r"^(now|today|yesterday|[-+]?[0-9])[-+:.0-9A-Za-z]*$";
/// A duration: a whole number with its unit.
const DURATION: &str = "^[0-9]+(ms|s|m|h|d|w|y)$";
/// The name of a time zone.
const ZONE: &str = "^[A-Za-z][-+/_0-9A-Za-z]*$";
/// A cursor of a list or a search.
const CURSOR: &str = "^[-_.:0-9A-Za-z]+$";
/// One ETag, weak or strong, or `*`.
const REVISION: &str = r#"^(\*|(W/)?"[^"]+")$"#;
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
/// Members whose name means something else elsewhere: schema, member, form.
const MEMBERS: [(&str, &str, &str); 5] = [
    ("DestinationQueue", "age", DURATION),
    ("FileRotation", "age", DURATION),
    ("Gather", "age", DURATION),
    ("Retention", "age", DURATION),
    ("RetentionRequest", "age", DURATION),
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
            if member == "logspaces" {
                value["minItems"] = json!(1);
            } else {
                form_of(member).into_iter().for_each(|form| set(value, form));
            }
        }
    }
}

fn form_of(name: &str) -> Option<&'static str> {
    FORMS.iter().find(|(of, _)| *of == name).map(|(_, form)| *form)
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
                &["2026-11-21T06:13:00.123456789+01:00", "2026-11", "now", "now-1h30m", "-15m", "today-7d"][..],
            ),
            (DURATION, &["5ms", "90d"]),
            (ZONE, &["UTC", "Europe/Vienna", "Etc/GMT+5", "America/Port-au-Prince", "EST5EDT"]),
            (REVISION, &["*", "\"5\"", "W/\"5\"", "\"1.toml\""]),
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
