//! Testing a draft on stored messages, in the real server: first on a sample and finally on every message, each once,
//! with the result of each route and step.
//!
//! Keywords: dry run, draft, preview, stored messages.

use crate::support;

use serde_json::{Value, json};
use support::{ROUTER, Server};

/// A basic document with these routes.
fn document(routes: &str) -> String {
    let basics = ROUTER.split("[[routes]]").next().unwrap();
    format!("{basics}[[logspaces]]\nid = \"fw\"\n\n{routes}")
}

const ALL: &str = "[[routes]]\nid = \"all\"\nto = [\"main\"]\n";

/// The lines of an answer.
fn lines(server: &Server, request: &Value) -> Vec<Value> {
    let headers = [("Content-Type", "application/json"), ("Accept", "application/x-ndjson")];
    let (status, text) = server.call("POST", "/router/test", &headers, request.to_string().as_bytes());
    let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
    assert_eq!(status, 200, "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The targets of messages now and in the draft, with the number of messages for each pair.
fn matrix(report: &Value) -> Vec<(Value, Value, u64)> {
    let cells = report["matrix"].as_array().unwrap();
    cells
        .iter()
        .map(|cell| (cell["before"].clone(), cell["after"].clone(), cell["count"].as_u64().unwrap()))
        .collect()
}

#[test]
fn a_sample_comes_first_and_says_about_what_all_say_in_the_end() {
    const MESSAGES: u64 = 4000;
    let server = Server::start(&document(ALL));
    let line = |n: u64| {
        let program = if n.is_multiple_of(4) { "fw" } else { "web" };
        format!("<13>1 2026-11-22T10:{:02}:{:02}Z host {program} - - - n={n}\n", n / 60 % 60, n % 60)
    };
    server.send((0..MESSAGES).map(line).collect::<String>().as_bytes());
    server.wait_for("source=syslog", MESSAGES);
    let draft = document(&format!(
        "[[routes]]\nid = \"fw\"\nwhere = 'program=fw'\nto = [\"fw\"]\nfinal = true\n{ALL}"
    ));
    let request = |sample: u64| json!({"document": draft, "sample": sample});
    let answer = lines(&server, &request(400));
    let progress: Vec<&Value> = answer.iter().filter_map(|line| line.get("progress")).collect();
    assert_eq!(
        (&progress[0]["messages"], &progress[1]["messages"]),
        (&json!(40), &json!(400)),
        "{answer:#?}"
    );
    for report in &progress {
        let (sampled, complete) = (&report["sampled"], &report["complete"]);
        assert_eq!((sampled, complete, &report["total"]), (&json!(true), &json!(false), &json!(MESSAGES)));
    }
    let share = progress[1]["changed"].as_f64().unwrap() / 400.0;
    let margin = progress[1]["margin"].as_f64().unwrap();
    assert!((share - 0.25).abs() <= margin.max(0.02), "{share} ± {margin}");
    assert!(0.0 < margin && margin < 0.2, "{margin}");
    let end = answer.last().unwrap()["end"].clone();
    assert_eq!((&end["messages"], &end["changed"]), (&json!(MESSAGES), &json!(MESSAGES / 4)));
    assert_eq!(
        (&end["sampled"], &end["complete"], &end["margin"]),
        (&json!(false), &json!(true), &json!(0.0))
    );
    assert_eq!(end["range"]["from"], "2026-11-22T10:00:00Z");
    // There is no progress to report without a response in lines, without a sample, or for few messages.
    assert!(!lines(&server, &request(0)).iter().any(|line| line["progress"]["sampled"] == true));
    assert!(!lines(&server, &request(2000)).iter().any(|line| line["progress"]["messages"] == 2000));
    let (_, whole) = server.post("/router/test", &request(400));
    assert_eq!((&whole["changed"], &whole["sampled"]), (&end["changed"], &json!(false)));
    assert_eq!(server.post("/router/test", &request(100_001)).0, 422);
}

#[test]
fn what_was_stored_by_earlier_routes_is_tried_too_and_copies_once() {
    let server = Server::start(&document("[[routes]]\nid = \"all\"\nto = [\"main\", \"fw\"]\n"));
    let repeated = "<13>1 2026-11-22T10:00:00Z host web - - - the same\n";
    server.send(repeated.repeat(3).as_bytes());
    server.wait_for("source=syslog copies:all", 6);
    let live = document(
        "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ dedup = [\"host\"], within = \"1h\" }]\n",
    );
    assert_eq!(server.put_router(&live).0, 200);
    let (_, report) = server.post("/router/test", &json!({"document": live}));
    let (main, repetitions) = (json!(["logspace:main"]), json!(["dropped:route:all/step:1"]));
    assert_eq!(
        matrix(&report),
        [(repetitions.clone(), repetitions, 2), (main.clone(), main.clone(), 1)],
        "the live steps see each message once"
    );
    // The draft would no longer store messages there, but the stored ones are tested nevertheless.
    let only_fw = document("[[routes]]\nid = \"all\"\nto = [\"fw\"]\n");
    let (_, report) = server.post("/router/test", &json!({"document": only_fw, "logspaces": ["fw"]}));
    assert_eq!(report["messages"], 3, "{report}");
}

#[test]
fn an_outcome_says_by_which_routes_and_which_steps_changed_it() {
    let steps = "steps = [{ dedup = [\"message\"], within = \"1h\" }]";
    let server = Server::start(&document(&format!("{ALL}{steps}\n")));
    let line = |n: u64| format!("<13>1 2026-11-22T10:00:{n:02}Z host pay - - - card=492982115734041{n}\n");
    server.send((0..5).map(line).collect::<String>().as_bytes());
    server.wait_for("source=syslog", 5);
    let masked = "steps = [{ mask = '\\d{16}' }, { dedup = [\"message\"], within = \"1h\" }]";
    let (_, report) =
        server.post("/router/test", &json!({"document": document(&format!("{ALL}{masked}\n"))}));
    let lost = &report["matrix"][0];
    assert_eq!(
        (&lost["count"], &lost["after"]),
        (&json!(4), &json!(["dropped:route:all/step:2"])),
        "{report}"
    );
    assert_eq!(lost["taken"], json!({"before": {"all": 4}, "after": {"all": 4}}));
    assert_eq!(lost["steps"], json!([{"route": "all", "step": 1, "kind": "mask", "changed": 4}]));
}

#[test]
fn the_examples_of_an_outcome_are_those_that_change() {
    let server = Server::start(&document(ALL));
    let line = |n: u64| {
        let text = if n < 20 { "GET / 200".to_owned() } else { format!("card=492982115734041{}", n % 10) };
        format!("<13>1 2026-11-22T10:00:{n:02}Z host pay - - - {text}\n")
    };
    server.send((0..25).map(line).collect::<String>().as_bytes());
    server.wait_for("source=syslog", 25);
    let draft = document(&format!("{ALL}steps = [{{ mask = '\\d{{16}}' }}]\n"));
    let (_, report) = server.post("/router/test", &json!({"document": draft, "query": "source=syslog"}));
    let cell = &report["matrix"][0];
    assert_eq!((&cell["count"], &cell["changed"]), (&json!(25), &json!(5)), "{report}");
    let examples = cell["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 3, "{report}");
    for example in examples {
        assert_eq!(example["after"]["message"], "card=****", "{example}");
    }
}

#[test]
fn what_is_pasted_for_http_is_read_as_it_is_ingested() {
    let server = Server::start(&document(ALL));
    let draft = document(&format!(
        "[[routes]]\nid = \"bad\"\nwhere = 'status>=500'\nto = [\"fw\"]\nfinal = true\n{ALL}"
    ));
    let pasted = |raw: &str| json!({"raw": raw, "source": "http"});
    let messages =
        [r#"{"msg": "failed", "status": 503}"#, r#"{"msg": "fine", "status": 200}"#, "<13>no syslog"];
    let messages: Vec<Value> = messages.iter().map(|raw| pasted(raw)).collect();
    let (status, report) = server.post("/router/test", &json!({"document": draft, "messages": messages}));
    assert_eq!(status, 200, "{report}");
    let (main, fw) = (json!(["logspace:main"]), json!(["logspace:fw"]));
    assert_eq!(matrix(&report), [(main.clone(), main.clone(), 2), (main, fw, 1)]);
    let looks = |at: usize| report["matrix"][0]["examples"][at]["after"]["message"].clone();
    assert_eq!((looks(0), looks(1)), (json!("fine"), json!("<13>no syslog")));
    assert_eq!(report.get("range"), None);
    let as_lines = lines(&server, &json!({"document": draft, "messages": messages}));
    assert_eq!(as_lines[0]["end"]["messages"], 3, "{as_lines:?}");
}
