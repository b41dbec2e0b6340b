//! Acknowledged messages are never lost, whenever the process is killed: the load generator reports the messages
//! acknowledged over RELP and HTTP, and each is searched for by its run, connection and number.
//!
//! Keywords: kill -9, acknowledged messages, durability.

use crate::support;

use std::collections::HashSet;
use support::loads::{Ended, Load, Number};
use support::{Server, free_port, wait_until};

const ROUNDS: u64 = 10;

fn router(relp_port: u16) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:{relp_port}\"]\n\
         [[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[routes]]\nid = \"default\"\nto = [\"main\"]\n"
    )
}

/// The messages of a run that are stored.
fn stored(server: &Server, run: u64) -> HashSet<Number> {
    let found = server.search_all(&format!("\"runid: {run},\""));
    found.iter().map(|message| Number::of(message["message"].as_str().unwrap()).unwrap()).collect()
}

/// Checks that no acknowledged message is missing, and returns the number of acknowledged ones.
fn assert_none_is_missing(server: &Server, load: &Ended) -> u64 {
    let stored = stored(server, load.run);
    let missing = load.missing(|number| stored.contains(number));
    assert!(missing.is_empty(), "{missing:?} of {} are missing", load.count());
    load.count()
}

fn await_stored(server: &Server, run: u64, messages: u64) {
    let query = format!("\"runid: {run},\"");
    wait_until("a part of the load is stored", || messages < server.count(&query));
}

#[test]
fn every_acknowledged_message_is_there_after_ten_kills() {
    let mut server = Server::start(&router(0));
    let mut ended = Vec::new();
    for round in 0..ROUNDS {
        let relp = format!("relp://{}", server.address("relp"));
        let targets = [(relp.as_str(), 2 * round), (server.web(), 2 * round + 1)];
        let options = ["--rate", "5000", "--window", "64", "--batch", "50"];
        let loads = targets.map(|(target, run)| Load::start(target, run, &options));
        // Each round waits a little longer, so that the kills hit the process in different states.
        for (_, run) in targets {
            await_stored(&server, run, 20 * (round + 1));
        }
        server.kill_and_restart();
        ended.extend(loads.map(Load::end));
    }
    let acknowledged: u64 = ended.iter().map(|load| assert_none_is_missing(&server, load)).sum();
    assert!(1000 < acknowledged, "only {acknowledged} were acknowledged: that proves little");
}

#[test]
fn a_sender_that_repeats_what_was_not_acknowledged_loses_nothing_to_a_kill() {
    const NUMBER: u64 = 3000;
    let web = format!("web.listen=127.0.0.1:{}", free_port());
    let mut server = Server::start_with(&router(free_port()), &[&web]);
    let relp = format!("relp://{}", server.address("relp"));
    let options = ["--rate", "3000", "--batch", "50", "--permanent", "--number", &NUMBER.to_string()];
    let targets = [(relp.as_str(), 1), (server.web(), 2)];
    let loads = targets.map(|(target, run)| Load::start(target, run, &options));
    for kill in 1..=3 {
        for run in [1, 2] {
            await_stored(&server, run, kill * NUMBER / 5);
        }
        server.kill_and_restart();
    }
    for load in loads.map(Load::end) {
        assert!(load.is_complete, "{}", load.said);
        assert_eq!(assert_none_is_missing(&server, &load), 2 * NUMBER);
    }
}
