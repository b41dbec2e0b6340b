//! Exports with typed columns have the same rows as those of text, and a broken one does not look complete.
//!
//! Keywords: export, arrow, parquet, typed columns, command line.

use super::arrow_stream::{ReadStream, read_stream};
use crate::support;

use serde_json::{Value, json};
use std::io::Read;
use support::{ROUTER, Server, output};

const TOKEN: &str = "administrator";
const ARROW: &str = "application/vnd.apache.arrow.stream";

/// The status, a header by name, and the body of an answer.
fn export(
    server: &Server,
    accept: &str,
    parameters: &[(&str, &str)],
) -> (u16, ureq::http::HeaderMap, Vec<u8>) {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let mut request = agent.get(format!("{}/api/v1/export", server.web())).header("Accept", accept);
    for (name, value) in parameters {
        request = request.query(*name, *value);
    }
    let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
    let headers = answer.headers().clone();
    let body = answer.body_mut().with_config().limit(1 << 30).read_to_vec().unwrap();
    (answer.status().as_u16(), headers, body)
}

fn arrow(server: &Server, parameters: &[(&str, &str)]) -> ReadStream {
    let (status, headers, body) = export(server, "*/*", &[parameters, &[("format", "arrow")]].concat());
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, ARROW), "{parameters:?}");
    read_stream(&body)
}

/// The names of fields, some of which are hostile.
const NAMES: [&str; 10] = ["status", "a.b", "ünï çode", "\"q'", "a:int", "x\ty", "-", "<b>", "{}", "a\u{0}b"];

/// Messages with few fields each, whose values are of all kinds.
fn messages(count: u64) -> Vec<Value> {
    let value = |random: u64| match random % 9 {
        0 => json!(random % 1000),
        1 => json!(random as f64 / 7.0),
        2 => json!(random.is_multiple_of(2)),
        3 => json!(["a", random % 3, "c\nd"]),
        4 => json!(""),
        5 => json!(i64::MIN),
        6 => json!("2026-11-22T05:11:01.123456789+02:00"),
        7 => json!("世界\u{0}\u{10FFFF}".repeat(1 + random as usize % 50)),
        _ => json!(format!(" {} ", random as i64)),
    };
    let message = |number: u64| {
        let mut random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xABCD;
        let mut message = json!({
            "message": format!("number {number}"), "host": format!("web-{}", random % 7), "pid": random % 3 * 40_000,
            "time": format!("2026-01-02T03:{:02}:{:02}.{:09}Z", number / 60 % 60, number % 60, random % 1_000_000_000),
        });
        for name in NAMES {
            random = random.rotate_left(17).wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(number);
            if random.is_multiple_of(3) {
                message[name] = value(random >> 8);
            }
        }
        if number.is_multiple_of(5) {
            message["severity"] = json!(random % 8);
        }
        message
    };
    (0..count).map(message).collect()
}

fn filled(count: u64) -> Server {
    let server = Server::start_with(ROUTER, &["storage.segment_rows_max=1000", "storage.seal_after=1s"]);
    for messages in messages(count).chunks(1000) {
        let body: String = messages.iter().map(|message| format!("{message}\n")).collect();
        let headers = [("Content-Type", "application/x-ndjson")];
        assert_eq!(server.call("POST", "/ingest", &headers, body.as_bytes()).0, 200);
    }
    server
}

/// A value of an export as text: several values in lines.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => Some(values.iter().filter_map(text).collect::<Vec<_>>().join("\n")),
        other => Some(other.to_string()),
    }
}

#[test]
fn every_row_is_that_of_an_export_as_text() {
    let server = filled(3000);
    let names = [&["time", "host", "pid", "severity", "message", "missing"][..], &NAMES].concat();
    let columns = |kind: &str| names.iter().map(|name| format!("{name}{kind}")).collect::<Vec<_>>().join(",");
    for query in ["*", "host=web-1", "number 77", "nothing that is there"] {
        for order in ["oldest", "newest"] {
            let common = [("query", query), ("order", order)];
            // A name that ends like a type needs one.
            let plain = columns("").replace(",a:int,", ",a:int:text,");
            let (_, _, lines) = export(&server, "*/*", &[&common[..], &[("columns", "message")]].concat());
            let stream = arrow(&server, &[&common[..], &[("columns", &columns(":text"))]].concat());
            assert_eq!(stream.names, names, "in the order that was asked for");
            let rows: Vec<&Vec<Value>> = stream.batches.iter().flatten().collect();
            let found: Vec<Value> = server.search_all(query);
            assert_eq!(
                (rows.len(), lines.iter().filter(|byte| **byte == b'\n').count()),
                (found.len(), found.len())
            );
            let found: Box<dyn Iterator<Item = &Value>> =
                if order == "oldest" { Box::new(found.iter()) } else { Box::new(found.iter().rev()) };
            for (row, message) in rows.iter().zip(found) {
                for (name, value) in names.iter().zip(row.iter()) {
                    let expected = match *name {
                        "severity" => &message["severity_name"],
                        "time" | "host" | "pid" | "message" => &message[*name],
                        name => &message["fields"][name],
                    };
                    let is_known = ["host", "pid", "message"].contains(name);
                    let expected = text(expected).filter(|text| !(is_known && text.is_empty()));
                    assert_eq!(value.as_str().map(str::to_owned), expected, "{name} of {message}");
                }
            }
            assert!(stream.rest.is_some_and(|rest| rest.is_empty()));
            let typed = arrow(&server, &[&common[..], &[("columns", &plain)]].concat());
            assert_eq!(typed.batches.iter().flatten().count(), rows.len());
        }
    }
}

#[test]
fn values_have_the_types_of_their_columns() {
    let server = filled(2000);
    let columns =
        "time,received,host,pid,severity,flag,status:integer,a.b:number,<b>:boolean,-:list,{}:time,a:int:int";
    let stream = arrow(&server, &[("columns", columns), ("order", "oldest")]);
    let found = server.search_all("*");
    for (row, message) in stream.batches.iter().flatten().zip(&found) {
        let field = |name: &str| {
            let value = &message["fields"][name];
            if value.is_array() {
                None
            } else {
                value.as_str().map(str::trim).filter(|text| !text.is_empty())
            }
        };
        let nanoseconds =
            |text: &str| text.parse::<jiff::Timestamp>().ok().map(|time| time.as_nanosecond() as i64);
        assert_eq!(row[0], json!(nanoseconds(message["time"].as_str().unwrap())));
        assert_eq!(row[1], json!(nanoseconds(message["received"].as_str().unwrap())));
        assert_eq!(row[2], message["host"]);
        assert_eq!(row[3], json!(message["pid"].as_str().unwrap().parse::<i64>().unwrap()));
        assert_eq!((&row[4], &row[5]), (&message["severity"], &message["flags"]));
        assert_eq!(row[6], json!(field("status").and_then(|text| text.parse::<i64>().ok())), "{message}");
        let number = field("a.b").filter(|text| text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte)));
        assert_eq!(row[7], json!(number.and_then(|text| text.parse::<f64>().ok())), "{message}");
        assert_eq!(row[8], json!(field("<b>").and_then(|text| text.parse::<bool>().ok())), "{message}");
        let list = &message["fields"]["-"];
        assert_eq!(row[9], if list.is_string() { json!([list]) } else { list.clone() });
        assert_eq!(row[10], json!(field("{}").and_then(nanoseconds)), "{message}");
        assert_eq!(row[11], json!(field("a:int").and_then(|text| text.parse::<i64>().ok())), "{message}");
    }
    assert_eq!(stream.batches.iter().flatten().count(), found.len());
}

#[test]
fn numbers_are_exported_as_they_were_sent() {
    let server = Server::start_with(ROUTER, &[]);
    let message = r#"{"message":"m","status":200,"ok":true,"took":"12","list":[1,"x"],"deep":{"n":1.50}}"#;
    assert_eq!(
        server.call("POST", "/ingest", &[("Content-Type", "application/json")], message.as_bytes()).0,
        200
    );
    let (_, _, whole) = export(&server, "*/*", &[]);
    let whole = String::from_utf8(whole).unwrap();
    let fields = r#""fields":{"deep.n":1.50,"list":[1,"x"],"ok":true,"status":200,"took":"12"}"#;
    assert!(whole.contains(fields), "{whole}");
    let (_, _, chosen) = export(&server, "*/*", &[("columns", "STATUS,took,ok,none,deep.n")]);
    let expected = "{\"STATUS\":200,\"took\":\"12\",\"ok\":true,\"none\":null,\"deep.n\":1.50}\n";
    assert_eq!(String::from_utf8(chosen).unwrap(), expected);
    assert_eq!(server.search_all("*")[0]["fields"]["status"], "200", "searches answer texts");
}

#[test]
fn values_that_do_not_fit_are_counted_and_shown() {
    let server = Server::start_with(ROUTER, &[]);
    let body = "{\"message\":\"m\",\"took\":\"12ms\"}\n{\"message\":\"m\",\"took\":3}\n{\"message\":\"m\",\"took\":[1,2]}\n";
    assert_eq!(
        server.call("POST", "/ingest", &[("Content-Type", "application/x-ndjson")], body.as_bytes()).0,
        200
    );
    let asked = [("columns", "took:int"), ("order", "oldest"), ("summary", "true")];
    let stream = arrow(&server, &asked);
    assert_eq!(stream.batches, [[[Value::Null], [json!(3)], [Value::Null]]]);
    let rest = String::from_utf8(stream.rest.unwrap()).unwrap();
    assert!(rest.starts_with('\n') && rest.ends_with('\n'));
    let summary: Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(summary["messages"], 3);
    assert_eq!(summary["unfit"], json!([{"column": "took", "values": 2, "example": "12ms"}]));
    let (_, _, file) = export(&server, "*/*", &[&asked[..2], &[("format", "parquet")]].concat());
    let note = br#""unfit":[{"column":"took","example":"12ms","values":2}]"#;
    assert!(file.windows(note.len()).any(|part| part == note), "the file keeps it");
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
}

#[test]
fn the_format_is_chosen_by_name_or_by_media_type() {
    let server = filled(10);
    let check = |accept: &str, parameters: &[(&str, &str)], expected: &str| {
        let (status, headers, body) = export(&server, accept, parameters);
        assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, expected), "{accept}");
        assert_eq!(headers["x-logstead-count"], "10");
        body
    };
    check(ARROW, &[], ARROW);
    check("text/html, application/vnd.apache.parquet;q=0.9, */*", &[], "application/vnd.apache.parquet");
    check("text/csv", &[], "text/csv; charset=utf-8");
    check("*/*", &[], "application/x-ndjson");
    check(ARROW, &[("format", "ndjson")], "application/x-ndjson");
    let refused = |parameters: &[(&str, &str)], expected: &str| {
        let (status, _, body) = export(&server, "*/*", parameters);
        let body = String::from_utf8_lossy(&body);
        assert!(status == 422 && body.contains(expected), "{status} {body}");
    };
    refused(&[("format", "arrow"), ("columns", "host,message,HOST")], "twice");
    refused(&[("format", "csv"), ("columns", "status:int")], "only arrow and parquet");
    let both = arrow(&server, &[("columns", "host,hostname,time:text")]);
    assert_eq!(both.names, ["host", "hostname", "time"]);
    let one = arrow(&server, &[("limit", "1")]);
    assert_eq!(one.batches.iter().flatten().count(), 1);
    let table =
        arrow(&server, &[("query", "* | stats count(), max(time) as last by host | sort host | head 1")]);
    assert_eq!(table.names, ["host", "count", "last"]);
    assert!(table.batches[0][0][1].is_i64() && table.batches[0][0][2].is_i64(), "{:?}", table.batches);
}

#[test]
fn a_broken_stream_has_no_end_and_the_command_writes_whole_files() {
    let mut server = Server::start_with(ROUTER, &[]);
    let line = format!("{}\n", "a line that fills the buffers between them ".repeat(40));
    // The export is longer than the buffers of the sockets.
    (0..20).for_each(|_| assert_eq!(server.ingest(&line.repeat(1000)), 1000));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for format in ["arrow", "parquet"] {
        let file = path(format);
        let asked = ["export", "", "--format", format, "--columns", "time,message", "-o", &file];
        let at_server = ["--server", server.web(), "--token", TOKEN];
        assert_eq!(output(&[&asked[..], &at_server[..]].concat()), (0, String::new(), String::new()));
    }
    let whole = std::fs::read(path("arrow")).unwrap();
    let stream = read_stream(&whole);
    assert!(stream.rest.is_some_and(|rest| rest.is_empty()), "the summary is not in the file");
    assert_eq!(stream.batches.iter().flatten().count(), 20_000);
    assert!(std::fs::read(path("parquet")).unwrap().ends_with(b"PAR1"));
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let request = agent.get(format!("{}/api/v1/export?format=arrow", server.web()));
    let answer = request.header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
    let mut body = answer.into_body().into_reader();
    let mut part = vec![0; 1 << 20];
    body.read_exact(&mut part).unwrap();
    server.kill_and_restart();
    body.read_to_end(&mut part).unwrap_err();
    let broken = read_stream(&part);
    assert!(broken.rest.is_none() && !broken.batches.is_empty());
    server.terminate();
    let other = path("from-data");
    let data = server.data().to_str().unwrap();
    let asked =
        ["export", "", "--format", "arrow", "--columns", "time,message", "-o", &other, "--data", data];
    assert_eq!(output(&asked), (0, String::new(), String::new()));
    assert!(std::fs::read(&other).unwrap() == whole);
}
