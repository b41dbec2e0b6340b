//! Steps of routes in the real server: dropped messages are accounted for, masked text is in no file, and a test on
//! stored messages predicts the actual result.
//!
//! Keywords: drop, mask, parse, sample, deduplicate, rate_limit, lookup.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::books::assert_closed;
use support::{ROUTER, Server, free_port, wait_until};

/// A basic document with these routes.
fn document(routes: &str) -> String {
    let basics = ROUTER.split("[[routes]]").next().unwrap();
    format!("{basics}[[logspaces]]\nid = \"fw\"\n\n{routes}")
}

/// The files below a folder that contain these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holds(&path, bytes));
        } else if let Ok(content) = fs::read(&path)
            && content.windows(bytes.len()).any(|window| window == bytes)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn what_is_masked_is_in_no_file_and_in_no_queue_also_after_a_kill() {
    const SECRET: &str = "4929821157340412";
    let nowhere = free_port();
    let router = document(&format!(
        "[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:{nowhere}\"\n\n\
         [[routes]]\nid = \"pay\"\nto = [\"main\", \"siem\"]\nsteps = [{{ parse = \"kv\" }}, {{ mask = '\\b\\d{{13,16}}\\b' }}]\n"
    ));
    let mut server = Server::start_with(&router, &["storage.segment_rows_max=1000", "storage.seal_after=1s"]);
    let line =
        |number| format!("<13>Nov 22 10:11:12 shop-1 api[7]: charge card={SECRET} order={number} ok\n");
    let lines: String = (0..1500).map(line).collect();
    server.send(lines.as_bytes());
    server.wait_for("charge", 1500);
    let queued = |server: &Server| server.status()["destinations"][0]["queue_messages"].clone();
    wait_until("they are queued", || queued(&server) == 1500);
    server.kill_and_restart();
    server.send(lines.as_bytes());
    server.wait_for("charge", 3000);
    wait_until("the others are queued as well", || queued(&server) == 3000);
    let is_sealed = |of: &Value| of["id"] == "main" && of["sealed_messages"] != 0;
    wait_until("some are sealed", || {
        let logspaces = server.call("GET", "/logspaces", &[], b"").1["logspaces"].clone();
        logspaces.as_array().unwrap().iter().any(is_sealed)
    });
    assert_eq!(server.count(&format!("{SECRET} OR raw:{SECRET} OR card={SECRET}")), 0);
    let message = server.search("order=7").remove(0);
    assert_eq!(message["fields"]["card"], "****");
    assert_eq!(message["raw"], "<13>Nov 22 10:11:12 shop-1 api[7]: charge card=**** order=7 ok");
    let queue = server.call("GET", "/destinations/siem/queue?limit=100", &[], b"").1;
    assert_eq!(queue["messages"].as_array().unwrap().len(), 100);
    assert!(!queue.to_string().contains(SECRET));
    server.terminate();
    assert_eq!(holds(server.data(), SECRET.as_bytes()), [""; 0]);
    // This proves that the check above would find it.
    fs::write(server.data().join("seen"), line(1)).unwrap();
    assert_eq!(holds(server.data(), SECRET.as_bytes()).len(), 1);
}

#[test]
fn what_steps_take_out_is_counted_by_route_and_step_and_the_ledger_closes() {
    let router = document(
        "[[routes]]\nid = \"noise\"\nto = [\"main\"]\n\
         steps = [{ drop = 'health' }, { sample = 0.5, where = 'poll' }, { set = { zone = \"dmz\" } }]\n",
    );
    let mut server = Server::start(&router);
    let lines = ["health", "poll 1", "poll 2", "poll 3", "other", "health"].join("\n");
    let (_, answer) = server.call("POST", "/ingest", &[("Content-Type", "text/plain")], lines.as_bytes());
    assert_eq!((&answer["accepted"], &answer["dropped"]), (&json!(3), &json!(3)), "{answer}");
    server.wait_for("zone=dmz", 3);
    let steps = server.status()["routes"][0]["steps"].clone();
    let of = |at: usize, key: &str| steps[at][key].as_u64().unwrap();
    assert_eq!((of(0, "messages"), of(0, "dropped")), (6, 2));
    assert_eq!((of(1, "messages"), of(1, "dropped")), (3, 1));
    assert_eq!((of(2, "messages"), of(2, "changed")), (3, 3));
    let total = |server: &Server| server.call("GET", "/flow?from=-1h", &[], b"").1["total"].clone();
    let dropped = total(&server)["dropped"].clone();
    assert_eq!(dropped, json!({"route:noise/step:1": 2, "route:noise/step:2": 1}));
    assert_eq!(server.labelled_metric("route_step_dropped_total{route=\"noise\",step=\"1\"}"), 2.0);
    server.kill_and_restart();
    assert_closed(&server);
    assert_eq!(total(&server)["dropped"], dropped);
}

#[test]
fn lookup_files_are_stored_used_read_again_and_kept_while_they_are_used() {
    let server = Server::start(ROUTER);
    let put = |text: &str| {
        server.call("PUT", "/lookups/assets.csv", &[("Content-Type", "text/csv")], text.as_bytes())
    };
    let routes = "[[routes]]\nid = \"r\"\nto = [\"main\"]\nsteps = [{ lookup = \"assets.csv\", key = \"unit\", set = [\"owner\"] }, { parse = \"kv\" }]\n";
    let (status, refused) = server.put_router(&document(routes));
    assert_eq!(status, 422, "{refused}");
    assert!(refused.to_string().contains("there is no lookup file `assets.csv`: upload it"), "{refused}");
    assert_eq!(put("unit\n1\n").0, 400);
    assert_eq!(put("unit,owner\nweb,ann\n").0, 204);
    let routes = routes
        .replace("steps = [{ lookup", "steps = [{ parse = \"kv\" }, { lookup")
        .replace(", { parse = \"kv\" }]", "]");
    assert_eq!(server.put_router(&document(&routes)).0, 200);
    server.ingest("unit=web first");
    server.wait_for("owner=ann", 1);
    assert_eq!(put("unit,owner\nweb,bob\n").0, 204);
    server.ingest("unit=web second");
    server.wait_for("owner=bob", 1);
    fs::write(server.data().join("lookups/assets.csv"), "unit,owner\nweb,carl\n").unwrap();
    wait_until("the file is read again", || {
        server.ingest("unit=web third");
        0 < server.count("owner=carl")
    });
    let files = server.call("GET", "/lookups", &[], b"").1;
    assert_eq!((&files["files"][0]["rows"], &files["files"][0]["used_by"]), (&json!(1), &json!(["r"])));
    let (status, answer) = server.call("DELETE", "/lookups/assets.csv", &[], b"");
    assert_eq!((status, &answer["detail"]), (409, &json!("the steps of r use it: change these first")));
    assert_eq!(server.put_router(ROUTER).0, 200);
    assert_eq!(server.call("DELETE", "/lookups/assets.csv", &[], b"").0, 204);
    assert_eq!(server.call("GET", "/lookups/..%2Flock", &[], b"").0, 422);
}

/// The number of messages stored in each logspace, and of those dropped for each reason.
fn happened(server: &Server) -> BTreeMap<String, u64> {
    let total = server.call("GET", "/flow?from=-1h", &[], b"").1["total"].clone();
    let count = |(name, count): (&String, &Value)| (name.clone(), count.as_u64().unwrap());
    let mut found: BTreeMap<String, u64> = total["dropped"]
        .as_object()
        .unwrap()
        .iter()
        .map(count)
        .map(|(name, count)| (format!("dropped:{name}"), count))
        .collect();
    for logspace in ["main", "fw"] {
        found.insert(
            format!("logspace:{logspace}"),
            server.count(&format!("logspace:{logspace} source=syslog")),
        );
    }
    found.retain(|_, count| 0 < *count);
    found
}

/// The same as predicted by a test on stored messages.
fn foretold(report: &Value) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for cell in report["matrix"].as_array().unwrap() {
        for name in cell["after"].as_array().unwrap() {
            *found.entry(name.as_str().unwrap().to_owned()).or_default() += cell["count"].as_u64().unwrap();
        }
    }
    found
}

/// Messages of several formats, some of them equal.
fn mixed(count: u64) -> String {
    let line = |number: u64| {
        let host = format!("web-{}", number % 7);
        match number % 5 {
            0 => format!(
                "<13>Nov 22 10:11:12 {host} sshd[{number}]: Failed password for root from 10.0.0.{} port 22\n",
                number % 250
            ),
            1 => format!(
                "<{}>1 2026-11-22T10:11:12Z {host} app {number} - [m@1 user=\"u{}\"] done\n",
                8 + number % 8,
                number % 3
            ),
            2 => format!(
                "<14>Nov 22 10:11:12 {host} api: {{\"status\":{},\"path\":\"/a\"}}\n",
                200 + 100 * (number % 4)
            ),
            3 => format!(
                "<15>Nov 22 10:11:12 {host} fw: action={} src=10.1.{}.1\n",
                ["deny", "allow"][number as usize % 2],
                number % 9
            ),
            _ => "<15>Nov 22 10:11:12 lb health: check ok\n".to_owned(),
        }
    };
    (0..count).map(line).collect()
}

const DRAFTS: [&str; 20] = [
    "[[routes]]\nid = \"all\"\nto = [\"fw\"]\n",
    "[[routes]]\nid = \"fw\"\nwhere = 'program=fw'\nto = [\"fw\"]\nfinal = true\n[[routes]]\nid = \"all\"\nto = [\"main\"]\n",
    "[[routes]]\nid = \"fw\"\nwhere = 'program=fw'\nto = [\"fw\"]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ drop = 'severity=debug' }]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\", \"fw\"]\nsteps = [{ keep = 'failed or deny' }]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ parse = \"json\", where = 'program=api' }, { drop = 'status>=400' }]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ sample = 0.25 }]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ sample = 0.1, by = [\"host\"] }, { tag = [\"sampled\"] }]\n",
    "[[routes]]\nid = \"one\"\nwhere = 'host=web-1'\nto = [\"fw\"]\n[[routes]]\nid = \"rest\"\nfallback = true\nto = [\"main\"]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ mask = '10\\.[0-9.]+' }]\n",
    "[[routes]]\nid = \"off\"\nenabled = false\nfinal = true\nto = [\"fw\"]\n[[routes]]\nid = \"all\"\nto = [\"main\"]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ set = { host = \"x\" } }, { drop = 'host=x sshd' }]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ parse = \"kv\", where = 'program=fw' }, { drop = 'action=deny' }, { drop = 'action=allow' }]\n",
    "[[routes]]\nid = \"udp\"\nfrom = [\"http\"]\nto = [\"fw\"]\n[[routes]]\nid = \"all\"\nwhere = 'severity<=warning'\nto = [\"main\"]\n",
    "[[routes]]\nid = \"a\"\nwhere = 'user=u1'\nto = [\"fw\"]\nsteps = [{ drop = '*' }]\n[[routes]]\nid = \"b\"\nto = [\"main\"]\n",
    "[[routes]]\nid = \"a\"\nwhere = 'user=u1'\nto = [\"fw\"]\nfinal = true\nsteps = [{ drop = '*' }]\n[[routes]]\nid = \"b\"\nto = [\"main\"]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ parse = \"extract\", pattern = \"from <ip> port\", where = 'sshd' }, { drop = 'ip=10.0.0.5' }]\n",
    "[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ rename = { user = \"who\" } }, { keep = 'who=u0 or sshd' }]\n",
    "[[routes]]\nid = \"all\"\nwhere = 'time>2020-01-01'\nto = [\"main\"]\nsteps = [{ unset = [\"host\"] }, { drop = 'host:*' }]\n",
    "[[routes]]\nid = \"m\"\nwhere = 'done'\nto = [\"main\"]\nsteps = [{ tag = [\"t\"] }]\n[[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ drop = 'tags=t or check' }]\n",
];

#[test]
fn what_a_test_on_history_says_is_what_then_happens() {
    const MESSAGES: u64 = 5000;
    // With a single worker, results that depend on the order of messages are always the same.
    let one = ["threads.workers=1"];
    let (bytes, history) =
        (mixed(MESSAGES), Server::start_with(&document("[[routes]]\nid = \"all\"\nto = [\"main\"]\n"), &one));
    history.send(bytes.as_bytes());
    history.wait_for("source=syslog", MESSAGES);
    for draft in DRAFTS {
        let (status, report) =
            history.post("/router/test", &json!({"document": document(draft), "examples": 1}));
        assert_eq!(status, 200, "{draft}: {report}");
        assert_eq!((&report["messages"], &report["complete"]), (&json!(MESSAGES), &json!(true)), "{draft}");
        let real = Server::start_with(&document(draft), &one);
        real.send(bytes.as_bytes());
        wait_until("everything is received", || real.source("syslog")["messages"] == MESSAGES);
        let expected = foretold(&report);
        let mut found = BTreeMap::new();
        wait_until(&format!("{draft}: it happens as it was foretold: {expected:?}"), || {
            found = happened(&real);
            found.values().sum::<u64>() == expected.values().sum::<u64>()
        });
        assert_eq!(found, expected, "{draft}");
    }
    assert_eq!(history.count("source=syslog"), MESSAGES, "nothing was stored by the tests");
}

#[test]
fn a_test_says_what_differs_and_a_trace_says_why() {
    let server = Server::start(&document("[[routes]]\nid = \"all\"\nto = [\"main\"]\n"));
    server.send(
        b"<13>Nov 22 10:11:12 shop-1 api: charge card=4929821157340412\n<11>Nov 22 10:11:13 db pg: failed\n",
    );
    server.wait_for("source=syslog", 2);
    let draft = document(
        "[[routes]]\nid = \"bad\"\nwhere = 'severity>=error'\nfinal = true\nto = [\"fw\"]\n\
         [[routes]]\nid = \"all\"\nto = [\"main\"]\nsteps = [{ mask = '\\d{16}' }, { drop = 'x', where = 'host=db' }]\n",
    );
    let (_, report) = server.post("/router/test", &json!({"document": draft, "query": "source=syslog"}));
    assert_eq!((&report["changed"], &report["total"]), (&json!(2), &json!(2)), "{report}");
    let cell = |after: &str| {
        report["matrix"].as_array().unwrap().iter().find(|cell| cell["after"][0] == after).unwrap().clone()
    };
    assert_eq!(cell("logspace:fw")["count"], 1);
    let masked = cell("logspace:main");
    assert_eq!(masked["differs"], json!({"message": 1, "raw": 1}));
    assert_eq!(masked["examples"][0]["after"]["message"], "charge card=****");
    assert_eq!(report["routes"][1]["steps"][0]["changed"], 1);
    let pasted = json!({"document": draft, "messages": [{"raw": "<11>x: hi", "source": "syslog"}]});
    assert_eq!(server.post("/router/test", &pasted).1["matrix"][0]["after"], json!(["logspace:fw"]));
    let id = server.search("charge")[0]["id"].clone();
    let (status, trace) = server.post("/router/trace", &json!({"id": id, "document": draft}));
    assert_eq!(status, 200, "{trace}");
    assert_eq!(trace["outcome"], json!(["logspace:main"]));
    let [bad, all] = [&trace["routes"][0], &trace["routes"][1]];
    assert_eq!(
        (&bad["verdict"], &bad["why"]),
        (&json!("not_taken"), &json!("`severity>=err`: its severity is notice"))
    );
    assert_eq!((&all["verdict"], &all["why"]), (&json!("taken"), &json!("it takes every message")));
    assert_eq!(all["steps"][0]["verdict"], "changed");
    assert_eq!(all["steps"][0]["after"]["message"], "charge card=****");
    assert_eq!(
        (&all["steps"][1]["verdict"], &all["steps"][1]["why"]),
        (&json!("skipped"), &json!("`host=db`: its host is shop-1"))
    );
    let partly = document(
        "[[routes]]\nid = \"all\"\nto = [\"main\"]\n\
         steps = [{ set = { severity = \"{host}\", zone = \"dmz\" } }, { parse = \"json\" }]\n",
    );
    let (_, trace) = server.post("/router/trace", &json!({"id": id, "document": partly}));
    let steps = &trace["routes"][0]["steps"];
    assert_eq!(
        (&steps[0]["verdict"], &steps[0]["after"]["fields"]["zone"]),
        (&json!("failed"), &json!("dmz"))
    );
    assert_eq!(steps[0]["why"], "severity cannot be `shop-1`; of the rest, it changes zone");
    assert_eq!(
        steps[1]["why"],
        "the text is not in this format: the message goes on as it is, flagged as unparsed"
    );
    let wrong = server.post("/router/test", &json!({"document": "version = "}));
    assert_eq!(wrong.0, 422, "{}", wrong.1);
    assert_eq!(server.post("/router/trace", &json!({"id": "main:99"})).0, 404);
    assert_eq!(server.status()["revision"], 1, "nothing was applied");
}
