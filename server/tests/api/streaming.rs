//! Stages that work on messages one by one give the same messages in a search, in its pages, in a table, in a file,
//! in the filter of a route and in the live tail.
//!
//! Keywords: pipeline stages, where, eval, tail, export.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use support::{ROUTER, Server, logstead, output};

/// These match every third message; every other one has no status.
const STAGES: &str =
    "program=nginx | parse json | where status>=500 | eval slow = if(took > 100, \"yes\", \"no\")";

fn lines(count: usize) -> String {
    let line = |number: usize| {
        let status = if number.is_multiple_of(3) { 502 } else { 200 };
        let took = number % 200;
        format!("<13>Nov 22 10:11:12 web-1 nginx: {{\"status\":{status},\"took\":{took},\"n\":{number}}}\n")
    };
    (0..count).map(line).collect()
}

fn numbers(messages: &[Value]) -> Vec<u64> {
    messages.iter().map(|message| message["fields"]["n"].as_str().unwrap().parse().unwrap()).collect()
}

#[test]
fn search_pages_table_file_route_and_tail_agree() {
    let routes = format!(
        "[[logspaces]]\nid = \"bad\"\n\n[[routes]]\nid = \"bad\"\nwhere = '{STAGES}'\nto = [\"bad\"]\n\n[[routes]]"
    );
    let server = Server::start(&ROUTER.replace("[[routes]]", &routes));
    let arguments = [
        "tail",
        STAGES,
        "--server",
        server.web(),
        "--token",
        support::TOKEN,
        "--logspace",
        "main",
        "--format",
        "json",
        "--last",
        "1000",
    ];
    let mut tail = logstead(&arguments).spawn().unwrap();
    server.send(lines(900).as_bytes());
    server.wait_for("program=nginx copies:all", 1200);
    let expected: Vec<u64> = (0..900).filter(|number| number % 3 == 0).rev().collect();

    // The same search in pages, with the cursor.
    let (mut found, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut question = json!({ "query": STAGES, "limit": 47, "logspaces": ["main"] });
        if !cursor.is_null() {
            question["cursor"] = cursor;
        }
        let (status, page) = server.post("/search", &question);
        assert_eq!(status, 200, "{page}");
        assert_eq!(page["coverage"]["complete"], true);
        found.extend(page["messages"].as_array().unwrap().clone());
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
        assert_eq!(found.len() % 47, 0);
    }
    assert_eq!(numbers(&found), expected);
    for message in &found {
        let fields = &message["fields"];
        let took: u64 = fields["took"].as_str().unwrap().parse().unwrap();
        assert_eq!(fields["slow"], if 100 < took { "yes" } else { "no" });
        assert!(message["raw"].as_str().unwrap().starts_with("<13>Nov 22 10:11:12 web-1 nginx: {"));
    }

    // The same as a table, and as files.
    let shown = format!("{STAGES} | fields n, slow");
    let (_, table) = server.post("/aggregate", &json!({ "query": shown, "logspaces": ["main"] }));
    assert_eq!(table["rows"].as_array().unwrap().len(), 300);
    let export = |query: &str, format: &str| {
        let (code, text, errors) = output(&[
            "export",
            query,
            "--server",
            server.web(),
            "--token",
            support::TOKEN,
            "--logspace",
            "main",
            "--format",
            format,
        ]);
        assert_eq!((code, errors.as_str()), (0, ""), "{query}");
        text
    };
    let whole: Vec<Value> =
        export(STAGES, "ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut typed = found.clone();
    for message in &mut typed {
        for (name, value) in message["fields"].as_object_mut().unwrap() {
            // The file has the numbers as they were sent; a search answers texts.
            if name != "slow" {
                *value = serde_json::from_str(value.as_str().unwrap()).unwrap();
            }
        }
    }
    assert_eq!(whole, typed);
    let chosen: Vec<Value> =
        export(&shown, "ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(chosen[0], json!({ "n": 897, "slow": "no" }));
    let csv = export(&shown, "csv");
    assert_eq!(csv.lines().take(2).collect::<Vec<_>>(), ["n,slow", "897,no"]);
    assert_eq!(csv.lines().count(), 301);
    assert_eq!(export(STAGES, "raw").lines().count(), 300);
    let searched = server.post("/search", &json!({ "query": shown, "limit": 1 })).1;
    assert_eq!(searched["columns"], json!(["n", "slow"]));
    assert!(searched["query"].as_str().unwrap().ends_with("| fields n, slow"));

    // The route with this filter stored the messages as received, because a filter selects messages and only steps
    // change them.
    let taken = server.post("/search", &json!({ "query": "*", "limit": 1000, "logspaces": ["bad"] })).1;
    let taken = taken["messages"].as_array().unwrap().clone();
    let raw = |messages: &[Value]| messages.iter().map(|message| message["raw"].clone()).collect::<Vec<_>>();
    assert_eq!(raw(&taken), raw(&found));
    assert!(taken.iter().all(|message| message["fields"]["slow"].is_null()));

    // The tail shows the messages stored before it began and those stored after, each once.
    let mut followed: Vec<u64> = Vec::new();
    let mut reader = BufReader::new(tail.stdout.take().unwrap()).lines();
    while followed.len() < expected.len() {
        let message: Value = serde_json::from_str(&reader.next().unwrap().unwrap()).unwrap();
        followed.extend(numbers(&[message]));
    }
    tail.kill().unwrap();
    tail.wait().unwrap();
    followed.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(followed, expected);

    // A tail begins with the requested number of messages, however many its stages exclude.
    let last =
        ["tail", STAGES, "--token", support::TOKEN, "--logspace", "main", "--format", "json", "--last", "2"];
    for of in [["--server", server.web()], ["--data", server.data().to_str().unwrap()]] {
        let mut tail = logstead(
            &[&last[..2], &of[..], if of[0] == "--server" { &last[2..] } else { &last[4..] }].concat(),
        );
        let mut tail = tail.spawn().unwrap();
        let lines = BufReader::new(tail.stdout.take().unwrap()).lines().take(2);
        let messages: Vec<Value> = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        tail.kill().unwrap();
        tail.wait().unwrap();
        assert_eq!(numbers(&messages), [894, 897], "{of:?}");
    }

    // The logspaces to search are chosen first, in every kind of request.
    let late = "nginx | parse json | where logspace:main";
    let (status, problem) = server.post("/search", &json!({ "query": late }));
    assert_eq!((status, problem.to_string().contains("selects logspaces")), (422, true), "{problem}");
    let (code, _, errors) = output(&["export", late, "--server", server.web(), "--token", support::TOKEN]);
    assert_eq!((code, errors.contains("selects logspaces")), (1, true), "{errors}");

    // A stage that needs more than one message gives an error at its position.
    let (status, problem) = server.post("/search", &json!({ "query": "error | parse json | sort n" }));
    assert_eq!(status, 422);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("`sort n` needs all messages"), "{detail}");
    let (status, problem) =
        server.put_router(&ROUTER.replace("id = \"default\"", "id = \"default\"\nwhere = 'a | top host'"));
    assert_eq!(status, 422, "{problem}");
    assert!(problem.to_string().contains("needs all messages before it can give its first row"), "{problem}");
}
