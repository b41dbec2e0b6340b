//! The shipped files are correct, and the manual names everything that can be configured.
//!
//! Keywords: shipped files, documentation, catalogue.

use logstead_config::catalogue::{CatalogueItem, DefaultValue, catalogue};
use logstead_config::settings::DEFAULT_SETTINGS_TOML;
use logstead_config::{DEFAULT_ROUTER_TOML, check_toml, from_json, from_toml, merge_into_toml, to_toml};
use std::path::Path;

const ROUTER_MANUAL: &str = include_str!("../../../docs/router.md");
const HTTP_MANUAL: &str = include_str!("../../../docs/forwarding-http.md");
const S3_MANUAL: &str = include_str!("../../../docs/forwarding-s3.md");
const SETTINGS_MANUAL: &str = include_str!("../../../docs/configuration.md");

/// A document with at least one item of every kind.
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
to = 'tls://siem.example:6514'
tls = { ca = 'ca.pem', certificate = 'a.pem', key = 'a.key', server_name = 'siem' }
[[destinations]]
id = 'certain'
kind = 'relp'
to = ['relp+tls://siem.example:2514', 'relp+tls://siem.example:2515']
tls = { ca = 'ca.pem', certificate = 'a.pem', key = 'a.key', server_name = 'siem' }
[[destinations]]
id = 'copy'
kind = 'file'
path = 'copy-{host}.log'
rotate = { size = '1GiB', age = '1d' }
[[destinations]]
id = 'objects'
kind = 's3'
url = 'https://s3.example'
bucket = 'logs'
access_key = 'AKIA'
secret_key_file = 's3.key'
tls = { ca = 'ca.pem', certificate = 'a.pem', key = 'a.key', server_name = 's3' }
[[destinations]]
id = 'elastic'
kind = 'elastic'
url = 'https://es.example:9200'
index = 'logs'
user = 'logstead'
password_file = 'elastic.password'
tls = { ca = 'ca.pem', certificate = 'a.pem', key = 'a.key', server_name = 'es' }
[[destinations]]
id = 'loki'
kind = 'loki'
url = 'http://loki.example:3100'
tenant = 'blue'
token = 'x'
[[destinations]]
id = 'splunk'
kind = 'splunk_hec'
url = 'https://splunk.example:8088'
token_file = 'splunk.token'
channel = 'fe0ecfad-13d5-401b-847d-77833bd77131'
[[destinations]]
id = 'otlp'
kind = 'otlp'
url = 'http://collector.example:4318'
[[destinations]]
id = 'any'
kind = 'ndjson_http'
url = 'https://logs.example/ingest?a=b'
[[routes]]
id = 'default'
to = ['main', 'siem', 'certain', 'copy']
";

#[test]
fn the_shipped_router_document_is_right_and_unremarkable() {
    let (document, checked) = check_toml(DEFAULT_ROUTER_TOML).expect("it is right");
    assert_eq!(checked.warnings, []);
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
fn the_catalogue_has_every_key_and_its_default() {
    let json = serde_json::to_value(from_toml(EVERYTHING).expect("a document")).expect("as JSON");
    let text = |json: &serde_json::Value| match json {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => {
            items.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    for (section, kind, item) in items(&json) {
        let listed = catalogue().into_iter().find(|item| (item.section, item.kind) == (section, kind));
        let listed = listed.unwrap_or_else(|| panic!("the catalogue has no {kind} in {section}"));
        for (key, value) in leaves(item) {
            let row = listed.settings.iter().find(|row| row.key == key);
            let row = row.unwrap_or_else(|| panic!("{section} {kind} has no `{key}`"));
            if let DefaultValue::Value(default) = row.standard {
                assert_eq!(text(value), default, "{section} {kind} {key}");
            }
        }
    }
}

#[test]
fn the_catalogue_of_the_console_is_fresh() {
    let mut sections = serde_json::Map::new();
    for CatalogueItem { section, kind, label, initial, settings } in catalogue() {
        let initial: toml::Table = initial.parse().expect("the keys of a new item are TOML");
        let item =
            serde_json::json!({"kind": kind, "label": label, "initial": initial, "settings": settings});
        let items = sections.entry(section).or_insert_with(|| serde_json::json!([]));
        items.as_array_mut().expect("a list").push(item);
    }
    let fresh = serde_json::to_string_pretty(&sections).expect("as JSON") + "\n";
    is_fresh("web/src/router/catalogue.json", &fresh);
}

/// A row of a table of the manual: the name of the table, the key, its default and its meaning.
struct ManualRow<'a> {
    table: &'a str,
    key: &'a str,
    default: &'a str,
    meaning: &'a str,
}

/// The rows of all tables between their markers.
fn manual_rows() -> Vec<ManualRow<'static>> {
    let tables = ROUTER_MANUAL.split("<!-- settings: ").skip(1).map(|rest| {
        let (table, rest) = rest.split_once(" -->\n").expect("the end of a marker");
        (table, rest.split_once("<!-- end -->").expect("the end of a table").0)
    });
    let rows = tables.flat_map(|(table, text)| text.lines().skip(3).map(move |line| (table, line)));
    let row = |(table, line): (&'static str, &'static str)| {
        let mut cells = line.strip_prefix('|')?.strip_suffix('|')?.splitn(3, '|').map(str::trim);
        let key = cells.next()?.trim_matches('`');
        Some(ManualRow { table, key, default: cells.next()?, meaning: cells.next()? })
    };
    rows.filter_map(row).collect()
}

#[test]
fn the_router_manual_has_every_key_with_its_default_and_limits_and_no_other() {
    let rows = manual_rows();
    let kinds: Vec<String> = catalogue().iter().map(table_of).collect();
    let mut told = vec![false; rows.len()];
    for item in catalogue() {
        let (own, section) = (table_of(&item), item.section.trim_end_matches('s'));
        // Keys that several kinds share are in a table of the section.
        let is_of = |table: &str| {
            table == own
                || table.split(' ').next() == Some(section) && !kinds.iter().any(|kind| kind == table)
        };
        for setting in &item.settings {
            let default = match setting.standard {
                DefaultValue::Required => "required".to_owned(),
                DefaultValue::Nothing => String::new(),
                // Only lists have an empty default.
                DefaultValue::Value("") => "`[]`".to_owned(),
                DefaultValue::Value(value) => format!("`{value}`"),
            };
            let limits = [setting.min.filter(|min| !min.starts_with('0')), setting.max];
            let limits: Vec<&str> = limits.into_iter().flatten().collect();
            let is_told = |row: &ManualRow<'_>| {
                let is_right = is_of(row.table) && row.key == setting.key && row.default == default;
                is_right && !row.meaning.is_empty() && limits.iter().all(|limit| row.meaning.contains(limit))
            };
            let right: Vec<usize> = (0..rows.len()).filter(|at| is_told(&rows[*at])).collect();
            let key = setting.key;
            assert!(
                !right.is_empty(),
                "the manual lacks `{key}` of {own}: default {default}, limits {limits:?}"
            );
            right.into_iter().for_each(|at| told[at] = true);
        }
    }
    let others = rows.iter().zip(&told).filter(|(_, told)| !**told);
    let others: Vec<String> = others.map(|(row, _)| format!("{}: {}", row.table, row.key)).collect();
    assert_eq!(others, [] as [&str; 0], "the manual has keys that the document has not");
}

/// The name of the table with a kind's own keys.
fn table_of(item: &CatalogueItem) -> String {
    format!("{} {}", item.section.trim_end_matches('s'), item.kind).trim_end().to_owned()
}

/// Checks a file that is made from the catalogue; if `UPDATE` is set in the environment, the file is written instead.
#[expect(clippy::disallowed_methods, reason = "a test may write what it compares with")]
fn is_fresh(file: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).expect("a file");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let how = "UPDATE=1 cargo test -p logstead-config --test documents shipped";
    assert!(committed == fresh, "{file} is stale: {how}");
}

#[test]
fn the_examples_of_the_router_manual_are_right() {
    let of = |manual: &'static str| {
        manual.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect::<Vec<_>>()
    };
    let examples = [of(ROUTER_MANUAL), of(HTTP_MANUAL), of(S3_MANUAL)].concat();
    assert!(examples.len() >= 8);
    for example in examples {
        let (_, checked) = check_toml(example).unwrap_or_else(|problems| panic!("{example}\n{problems:?}"));
        assert_eq!(checked.warnings, [], "{example}");
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
    let syslog = &json["sources"][0];
    assert_eq!(syslog["coalesce"], serde_json::json!({"delay": "5ms", "buffer": "1MiB"}));
    assert_eq!((&syslog["connections_max"], &syslog["allow"]), (&1000.into(), &serde_json::json!([])));
    assert_eq!(json["sources"][1]["coalesce"]["delay"], "0ms");
    assert_eq!(json["sources"][2]["start"], "end");
    assert_eq!(json["sources"][3], serde_json::json!({"id": "http", "enabled": true, "kind": "http"}));
    let route = serde_json::json!({
        "id": "default", "enabled": true, "from": [], "where": "*", "steps": [], "to": ["main", "siem", "certain", "copy"],
        "final": false, "fallback": false, "flow_control": true,
    });
    assert_eq!(json["routes"][0], route);
    assert_eq!(from_json(json.to_string().as_bytes()), Ok(document));
}

/// Section, kind and item of each entry of a document.
fn items(document: &serde_json::Value) -> Vec<(&str, &str, &serde_json::Value)> {
    let sections = document.as_object().expect("a document").iter();
    let mut items = Vec::new();
    for (section, list) in sections {
        for item in list.as_array().into_iter().flatten() {
            items.push((section.as_str(), item["kind"].as_str().unwrap_or_default(), item));
        }
    }
    items
}

/// Each value with its dotted key.
fn leaves(item: &serde_json::Value) -> Vec<(String, &serde_json::Value)> {
    let mut leaves = Vec::new();
    for (key, value) in item.as_object().expect("an item") {
        match value.as_object() {
            Some(table) => {
                leaves.extend(table.iter().map(|(inner, value)| (format!("{key}.{inner}"), value)))
            }
            None => leaves.push((key.clone(), value)),
        }
    }
    leaves
}
