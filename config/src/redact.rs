//! A router document without its secrets, to pass on.

use crate::catalogue::{Setting, catalogue};
use crate::destination::without_password;
use crate::document::{Document, from_json};
use serde_json::Value;

/// The replacement for a secret.
const HIDDEN: &str = "(hidden)";

/// The document as JSON with its secrets hidden: tokens, passwords, keys, the values of headers, the queries of
/// URLs, and users and passwords of proxies. The names of files with secrets stay.
pub fn redacted(document: &Document) -> Value {
    let mut json = serde_json::to_value(document).unwrap_or_default();
    for item in catalogue() {
        for found in json[item.section].as_array_mut().into_iter().flatten() {
            item.settings.iter().for_each(|setting| hide(found, setting));
        }
    }
    json
}

/// The document with its secrets hidden. Entries that cannot be read without their secrets are left out.
pub fn redacted_document(document: &Document) -> Document {
    from_json(redacted(document).to_string().as_bytes()).unwrap_or_else(|_| Document {
        sources: Vec::new(),
        destinations: Vec::new(),
        ..document.clone()
    })
}

fn hide(item: &mut Value, setting: &Setting) {
    let Some(value) = setting.key.split('.').try_fold(item, |value, key| value.get_mut(key)) else { return };
    match (setting.key, value) {
        (_, Value::String(text)) if setting.is_secret => HIDDEN.clone_into(text),
        ("headers", Value::Array(headers)) => headers.iter_mut().for_each(hide_value_of),
        ("url", Value::String(url)) => {
            if let Some((address, _)) = url.split_once('?') {
                *url = format!("{address}?{HIDDEN}");
            }
        }
        ("proxy", Value::String(proxy)) => *proxy = without_password(proxy),
        _ => {}
    }
}

/// Hides the value of a header, `Name: value`.
fn hide_value_of(header: &mut Value) {
    let name = header.as_str().and_then(|header| header.split_once(':')).map_or("", |(name, _)| name);
    *header = format!("{name}: {HIDDEN}").into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::from_toml;

    const DOCUMENT: &str = r#"
version = 1
[[destinations]]
id = "siem"
kind = "splunk_hec"
url = "https://siem.example.org"
token = "s3cret"
headers = ["X-Key: s3cret", "X-Other:s3cret"]
[[destinations]]
id = "elastic"
kind = "elastic"
url = "https://elastic.example.org"
api_key = "s3cret"
index = "logs"
[[destinations]]
id = "basic"
kind = "loki"
url = "https://loki.example.org"
user = "ana"
password = "s3cret"
[[destinations]]
id = "file"
kind = "otlp"
url = "https://otel.example.org"
token_file = "otel.token"
[[destinations]]
id = "hook"
kind = "ndjson_http"
url = "https://hook.example.org/in?token=s3cret"
[[destinations]]
id = "archive"
kind = "s3"
bucket = "logs"
region = "eu-central-1"
proxy = "http://ann:s3cret@proxy.example.org:3128"
access_key = "AKIA"
secret_key = "s3cret"
"#;

    #[test]
    fn secrets_are_hidden_and_the_rest_stays() {
        let json = redacted(&from_toml(DOCUMENT).unwrap_or_else(|problems| panic!("{problems:?}")));
        let text = json.to_string();
        assert!(!text.contains("s3cret"), "{text}");
        assert_eq!(json["destinations"][0]["token"], HIDDEN);
        assert_eq!(json["destinations"][0]["headers"][0], "X-Key: (hidden)");
        assert_eq!(json["destinations"][0]["url"], "https://siem.example.org");
        assert_eq!(json["destinations"][1]["index"], "logs");
        assert_eq!(json["destinations"][2]["user"], "ana");
        assert_eq!(json["destinations"][3]["token_file"], "otel.token");
        assert_eq!(json["destinations"][4]["url"], "https://hook.example.org/in?(hidden)");
        assert_eq!(json["destinations"][5]["access_key"], "AKIA");
        assert_eq!(json["destinations"][5]["proxy"], "http://(hidden)@proxy.example.org:3128");
        let document =
            redacted_document(&from_toml(DOCUMENT).unwrap_or_else(|problems| panic!("{problems:?}")));
        assert_eq!(document.destinations.len(), 6);
        assert_eq!(serde_json::to_value(&document).unwrap(), json);
    }

    #[test]
    fn no_secret_can_be_forgotten() {
        for item in catalogue() {
            for setting in item.settings {
                let last = setting.key.rsplit('.').next().unwrap_or_default();
                let sounds_secret = ["token", "password", "api_key", "secret_key", "secret"].contains(&last);
                assert_eq!(setting.is_secret, sounds_secret, "{} of {}", setting.key, item.kind);
            }
        }
    }
}
