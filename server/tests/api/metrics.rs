//! The shipped dashboard and alert rules use only metrics and labels that the server has.
//!
//! Keywords: metrics, prometheus, grafana, alert rules.

use crate::support;

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use support::{ROUTER, Server};

const DASHBOARD: &str = include_str!("../../../config/grafana/logstead.json");
const ALERTS: &str = include_str!("../../../config/prometheus/alerts.yml");
const MANUAL: &str = include_str!("../../../docs/operating.md");

/// The labels that Prometheus adds.
const ADDED_LABELS: [&str; 2] = ["instance", "job"];

/// A server with one part of each kind.
fn server() -> Server {
    let destination = "[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:1\"\n";
    let router = ROUTER.replace("[[routes]]", &format!("{destination}[[routes]]"));
    let router = router.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]");
    let server = Server::start_with(&router, &["metrics.listen=127.0.0.1:0"]);
    server.ingest("hello\n");
    server
}

fn metrics(server: &Server) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let mut answer = agent.get(format!("{}/metrics", server.named("metrics"))).call().unwrap();
    answer.body_mut().read_to_string().unwrap()
}

/// The names that Prometheus gives the metrics, each with the labels that occur.
fn exposed(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut exposed = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            for suffix in suffixes {
                exposed.insert(format!("{name}{suffix}"), BTreeSet::new());
            }
        } else if !line.starts_with('#') {
            let name = line.split(['{', ' ']).next().unwrap();
            let labels = exposed.get_mut(name).unwrap_or_else(|| panic!("{name} has no TYPE"));
            labels.extend(labels_of(line.rsplit_once('}').map_or("", |(labels, _)| labels)));
        }
    }
    exposed
}

/// The labels within braces.
fn labels_of(text: &str) -> Vec<String> {
    let label = Regex::new(r#"[{,]\s*(\w+)\s*(?:=~|!~|!=|=)\s*\\?""#).unwrap();
    label.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn dashboards_and_alerts_ask_for_what_there_is() {
    let server = server();
    let exposed = exposed(&metrics(&server));
    let use_of_metric = Regex::new(r"(logstead_\w+)(\{[^}]*\})?").unwrap();
    for (file, text) in [("logstead.json", DASHBOARD), ("alerts.yml", ALERTS)] {
        let mut uses = 0;
        for found in use_of_metric.captures_iter(text) {
            let (name, braces) = (&found[1], found.get(2).map_or("", |braces| braces.as_str()));
            let labels = exposed.get(name).unwrap_or_else(|| panic!("{file}: there is no metric {name}"));
            for label in labels_of(braces) {
                // A metric without any value yet shows no labels.
                let is_known = labels.is_empty() || labels.contains(&label);
                assert!(is_known || ADDED_LABELS.contains(&&*label), "{file}: {name} has no label {label}");
            }
            uses += 1;
        }
        assert!(10 < uses, "{file} asks for {uses} metrics");
    }
    serde_json::from_str::<serde_json::Value>(DASHBOARD).unwrap();
}

#[test]
fn the_manual_lists_the_metrics_of_the_web_port() {
    let server = server();
    let text = metrics(&server);
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE logstead_")?.split(' ').next());
    for name in names.filter(|name| name.starts_with("web_") || name.starts_with("http_")) {
        assert!(MANUAL.contains(&format!("`{name}`")), "docs/operating.md does not list {name}");
    }
}

/// The naming conventions of Prometheus, on which dashboards and `sum()` rely.
#[test]
fn names_say_what_they_count_and_nothing_counts_twice() {
    let server = server();
    let text = metrics(&server);
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        assert!(name.starts_with("logstead_") || name.starts_with("process_"), "{line}");
    }
    let value = |start: &str| -> f64 {
        let lines = text.lines().filter_map(|line| line.strip_prefix(start));
        lines.map(|rest| rest.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
    };
    let of = |name: &str| value(&format!("logstead_{name}{{source=\"http\""));
    assert_eq!(of("flow_received_messages_total"), 1.0);
    assert_eq!(of("flow_messages_total") + of("flow_in_flight"), 1.0, "{text}");
    assert_eq!(of("flow_dropped_messages_total"), 0.0);
    // A source that has not received anything has no time of its last message.
    assert!(!text.contains("logstead_source_last_seen_timestamp_seconds{source=\"syslog\"}"), "{text}");
    for name in [
        "cpu_seconds_total", "start_time_seconds", "resident_memory_bytes", "virtual_memory_bytes",
        "open_fds", "max_fds", "threads",
    ] {
        assert!(0.0 < value(&format!("process_{name} ")) || name == "cpu_seconds_total", "{name}");
    }
    for old in [
        "expires_seconds", "last_seen_seconds", "process_resident_bytes", "http_request_seconds",
        "fate=\"received\"",
    ] {
        assert!(!text.contains(old), "{old}");
    }
}

#[test]
fn requests_are_counted_under_the_route_and_not_the_address() {
    let server = server();
    for id in ["main:0", "main:1", "main:2"] {
        server.call("GET", &format!("/messages/{id}"), &[], b"");
    }
    server.call("PATCH", "/nothing", &[], b"");
    server.call("GET", "/nothing", &[], b"");
    for _ in 0..3 {
        server.post("/session", &serde_json::json!({"name": "ada", "password": "guess"}));
    }
    let text = metrics(&server);
    for expected in [
        "logstead_http_requests_total{endpoint=\"GET /api/v1/messages/{id}\",status=\"404\"} 2\n",
        "logstead_http_requests_total{endpoint=\"GET /api/v1/messages/{id}\",status=\"200\"} 1\n",
        "logstead_http_requests_total{endpoint=\"GET /*\",status=\"404\"} 1\n",
        "logstead_http_requests_total{endpoint=\"PATCH /*\",status=\"404\"} 1\n",
        "logstead_http_request_duration_seconds_count{endpoint=\"GET /api/v1/messages/{id}\"} 3\n",
        "logstead_logins_refused_total{reason=\"wrong\"} 3\n",
        "logstead_web_listeners{kind=\"http\"} 1\n",
        "logstead_web_listeners{kind=\"metrics\"} 1\n",
        "logstead_tails_max 64\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
}
