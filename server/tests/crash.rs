//! What was acknowledged is there, whenever the process is killed: the load generator says which messages those are, over
//! RELP and HTTP, and each is looked for by its run, connection and number.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod support;

use std::collections::HashSet;
use std::process::{Child, Output};
use support::{Server, free_port, logstead, wait_until};

const ROUNDS: u64 = 10;
const CONNECTIONS: &str = "2";

fn router(relp_port: u16) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:{relp_port}\"]\n\
         [[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[routes]]\nid = \"default\"\nto = [\"main\"]\n"
    )
}

/// Starts a load; what it says at its end is [`acknowledged`].
fn load(target: &str, run_id: u64, options: &[&str]) -> Child {
    let arguments = ["loadgen", target, "--active-connections", CONNECTIONS, "--token", "administrator"];
    let mut command = logstead(&arguments);
    command.args(["--acknowledged", "--quiet", "--run-id", &run_id.to_string()]).args(options);
    command.spawn().unwrap()
}

/// How many messages of each connection were acknowledged: the first ones.
fn acknowledged(output: &Output) -> Vec<(u64, u64)> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let of_line = |line: &str| {
        let (thread, rest) = line.strip_prefix("thread,")?.split_once(",acknowledged,")?;
        Some((thread.parse().unwrap(), rest.parse().unwrap()))
    };
    let found: Vec<(u64, u64)> = text.lines().filter_map(of_line).collect();
    assert!(!found.is_empty(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    found
}

/// Which messages of a run are stored, as connection and number.
fn stored(server: &Server, run_id: u64) -> HashSet<(u64, u64)> {
    let number = |text: &str, name: &str| {
        let (_, rest) = text.split_once(name).unwrap();
        rest.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    let found = server.search_all(&format!("\"runid: {run_id},\""));
    let texts = found.iter().map(|message| message["message"].as_str().unwrap());
    texts.map(|text| (number(text, "thread: "), number(text, "seq: "))).collect()
}

fn assert_none_is_missing(server: &Server, run_id: u64, output: &Output) -> u64 {
    let (acknowledged, stored) = (acknowledged(output), stored(server, run_id));
    for (thread, count) in &acknowledged {
        let missing: Vec<u64> = (0..*count).filter(|number| !stored.contains(&(*thread, *number))).collect();
        assert!(missing.is_empty(), "run {run_id}, connection {thread}: {missing:?} of {count} are missing");
    }
    acknowledged.iter().map(|(_, count)| count).sum()
}

#[test]
fn every_acknowledged_message_is_there_after_ten_kills() {
    let mut server = Server::start(&router(0));
    let mut runs = Vec::new();
    for round in 0..ROUNDS {
        let relp = format!("relp://{}", server.address("relp"));
        let targets = [(relp.as_str(), 2 * round), (server.web(), 2 * round + 1)];
        let options = ["--rate", "5000", "--window", "64", "--batch", "50"];
        let loads = targets.map(|(target, run)| (run, load(target, run, &options)));
        // Each round a little later, so that the kills find the process at different work.
        for (run, _) in &loads {
            let query = format!("\"runid: {run},\"");
            wait_until("some of the load is stored", || 20 * (round + 1) < server.count(&query));
        }
        server.kill_and_restart();
        for (run, load) in loads {
            runs.push((run, load.wait_with_output().unwrap()));
        }
    }
    let acknowledged: u64 =
        runs.iter().map(|(run, output)| assert_none_is_missing(&server, *run, output)).sum();
    assert!(1000 < acknowledged, "only {acknowledged} were acknowledged: that proves little");
}

#[test]
fn a_sender_that_repeats_what_was_not_acknowledged_loses_nothing_to_a_kill() {
    const NUMBER: u64 = 3000;
    let web = format!("web.listen=127.0.0.1:{}", free_port());
    let mut server = Server::start_with(&router(free_port()), &[&web]);
    let relp = format!("relp://{}", server.address("relp"));
    let options = ["--rate", "3000", "--batch", "50", "--permanent", "--number", &NUMBER.to_string()];
    let loads =
        [(relp.as_str(), 1), (server.web(), 2)].map(|(target, run)| (run, load(target, run, &options)));
    for kill in 1..=3 {
        for (run, _) in &loads {
            let query = format!("\"runid: {run},\"");
            wait_until("a part of the load is stored", || kill * NUMBER / 5 < server.count(&query));
        }
        server.kill_and_restart();
    }
    for (run, load) in loads {
        let output = load.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(assert_none_is_missing(&server, run, &output), 2 * NUMBER);
    }
}
