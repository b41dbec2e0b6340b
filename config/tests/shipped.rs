//! The files that we ship are right, and the manual names everything that can be configured.

use logstead_config::settings::DEFAULT_SETTINGS_TOML;
use logstead_config::{DEFAULT_ROUTER_TOML, check_toml, from_json, from_toml, merge_into_toml, to_toml};

const ROUTER_MANUAL: &str = include_str!("../../docs/router.md");
const SETTINGS_MANUAL: &str = include_str!("../../docs/configuration.md");

/// A document that has every kind of everything.
const EVERYTHING: &str = "\
version = 1
[[sources]]
id = 'syslog'
kind = 'syslog'
listen = ['udp://0.0.0.0:5514']
[[sources]]
id = 'relp'
kind = 'relp'
listen = ['relp+tls://0.0.0.0:2514']
tls = { certificate = 'a.pem', key = 'a.key', client_ca = 'ca.pem' }
[[sources]]
id = 'nginx'
kind = 'file'
paths = ['/var/log/nginx/*.log']
[[sources]]
id = 'http'
kind = 'http'
[[sources]]
id = 'internal'
kind = 'internal'
[[logspaces]]
id = 'main'
retention = { age = '90d', size = '200GiB' }
[[destinations]]
id = 'siem'
kind = 'syslog'
to = 'tcp://siem.example:514'
[[destinations]]
id = 'copy'
kind = 'file'
path = 'copy.log'
[[routes]]
id = 'default'
to = ['main', 'siem', 'copy']
";

#[test]
fn the_shipped_router_document_is_right_and_unremarkable() {
    let (document, checked) = check_toml(DEFAULT_ROUTER_TOML).expect("it is right");
    assert_eq!(checked.warnings, [] as [&str; 0]);
    assert_eq!(checked.sources.len(), 4);
    assert_eq!(from_toml(&to_toml(&document)), Ok(document.clone()));
    assert_eq!(merge_into_toml(DEFAULT_ROUTER_TOML, &document), DEFAULT_ROUTER_TOML);
}

#[test]
fn the_example_in_the_shipped_router_document_is_right() {
    let uncommented = DEFAULT_ROUTER_TOML.lines().map(|line| match line.strip_prefix("# ") {
        Some(code) if code.starts_with("[[") || code.contains(" = ") => code,
        _ => line,
    });
    let text = uncommented.collect::<Vec<_>>().join("\n");
    let (_, checked) = check_toml(&text).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!((checked.destinations.len(), checked.warnings.len()), (1, 0));
}

#[test]
fn the_router_manual_names_every_key() {
    let document = from_toml(EVERYTHING).expect("a document");
    let json = serde_json::to_value(&document).expect("as JSON");
    let mut keys = Vec::new();
    collect_keys(&json, &mut keys);
    keys.extend(["encryption", "steps"].map(str::to_owned));
    assert!(keys.len() > 25, "{keys:?}");
    for key in keys {
        assert!(ROUTER_MANUAL.contains(&format!("`{key}`")), "docs/router.md says nothing about `{key}`");
    }
}

#[test]
fn the_examples_of_the_router_manual_are_right() {
    let examples: Vec<&str> =
        ROUTER_MANUAL.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        let (_, checked) = check_toml(example).unwrap_or_else(|problems| panic!("{example}\n{problems:?}"));
        assert_eq!(checked.warnings, [] as [&str; 0], "{example}");
    }
}

#[test]
fn the_settings_manual_names_every_setting_with_its_default() {
    let settings = DEFAULT_SETTINGS_TOML.parse::<toml_edit::DocumentMut>().expect("TOML");
    let mut lines = Vec::new();
    for (section, item) in settings.iter() {
        match item.as_table() {
            Some(table) => lines.extend(table.iter().map(|(key, item)| (format!("{section}.{key}"), item))),
            None => lines.push((section.to_owned(), item)),
        }
    }
    for (setting, default) in lines {
        let default = default.as_str().map_or_else(|| default.to_string().trim().to_owned(), str::to_owned);
        let row = format!("| `{setting}` | `{default}` |");
        assert!(SETTINGS_MANUAL.contains(&row), "docs/configuration.md has no row {row}");
    }
}

#[test]
fn the_json_of_a_document_has_every_default_filled_in() {
    let document = from_toml(EVERYTHING).expect("a document");
    let json = serde_json::to_value(&document).expect("as JSON");
    let syslog = serde_json::json!({
        "id": "syslog", "kind": "syslog", "listen": ["udp://0.0.0.0:5514"], "framing": "auto",
        "split_datagrams": false, "format": "auto", "timezone": "UTC", "charset": "utf-8", "max_message": "64KiB", "coalesce": {"delay": "5ms", "buffer": "1MiB"},
        "partitions": "auto", "max_connections": 1000, "allow": [],
        "proxy_protocol": [],
    });
    assert_eq!(json["sources"][0], syslog);
    assert_eq!(json["sources"][1]["coalesce"]["delay"], "0ms");
    assert_eq!(json["sources"][2]["start"], "end");
    assert_eq!(json["sources"][3], serde_json::json!({"id": "http", "kind": "http"}));
    let route = serde_json::json!({
        "id": "default", "from": [], "where": "*", "to": ["main", "siem", "copy"],
        "final": false, "fallback": false, "flow_control": true,
    });
    assert_eq!(json["routes"][0], route);
    assert_eq!(from_json(json.to_string().as_bytes()), Ok(document));
}

fn collect_keys(json: &serde_json::Value, keys: &mut Vec<String>) {
    match json {
        serde_json::Value::Object(table) => {
            for (key, value) in table {
                keys.push(key.clone());
                collect_keys(value, keys);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        _ => {}
    }
    keys.sort();
    keys.dedup();
}
