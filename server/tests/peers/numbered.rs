//! Numbered messages, and the check that each of them arrived.

use crate::support::{Server, WAIT_MAX};
use std::collections::BTreeMap;
use std::time::Instant;

/// A text without a number, which may arrive any number of times.
pub(crate) const PROBE: &str = "is anybody there?";

/// The connection, and the number of the message in it.
type Number = (u64, u64);

/// A text like those of syslog-ng's load generator, which other senders are made to send too.
pub(crate) fn text(thread: u64, number: u64) -> String {
    format!("seq: {number:010}, thread: {thread:04}")
}

/// Parses the beginning of a [`text`].
pub(crate) fn parse(text: &str) -> Option<Number> {
    let (number, rest) = text.strip_prefix("seq: ")?.split_once(", thread: ")?;
    let thread = rest.get(..4)?;
    Some((thread.parse().ok()?, number.parse().ok()?))
}

/// Waits until `number` messages of each connection are stored, and then checks that each is there exactly once.
pub(crate) fn each_arrives_once(server: &Server, connections: u64, numbers: std::ops::Range<u64>) {
    let sent = connections * (numbers.end - numbers.start);
    server.wait_for("seq", sent);
    let found = found(server, "seq");
    let of_thread = |thread| numbers.clone().map(move |number| (thread, number));
    let expected: BTreeMap<Number, u64> =
        (0..connections).flat_map(of_thread).map(|number| (number, 1)).collect();
    assert_eq!(found.len() as u64, sent);
    assert!(found == expected, "others than those that were sent: {:?}", difference(&found, &expected));
    assert_eq!(server.count(&format!("-\"{PROBE}\" -\"PROXY TCP4\"")), sent, "something else came as well");
}

/// Waits until every message is stored. A message that was sent again because its acknowledgement was lost may be
/// there twice.
pub(crate) fn each_arrives(server: &Server, numbers: std::ops::Range<u64>) {
    let start = Instant::now();
    loop {
        let found = found(server, "seq");
        let missing: Vec<u64> = numbers.clone().filter(|number| !found.contains_key(&(0, *number))).collect();
        if missing.is_empty() {
            return;
        }
        assert!(start.elapsed() < WAIT_MAX, "of {numbers:?}, these are missing: {missing:?}");
    }
}

/// The number of occurrences of each number.
fn found(server: &Server, query: &str) -> BTreeMap<Number, u64> {
    let mut found = BTreeMap::new();
    for message in server.search(query) {
        let text = message["message"].as_str().unwrap();
        let number = parse(text).unwrap_or_else(|| panic!("a text without a number: {text}"));
        *found.entry(number).or_default() += 1;
    }
    found
}

/// The first few differences: numbers that only one side has, or a different number of times.
fn difference(found: &BTreeMap<Number, u64>, expected: &BTreeMap<Number, u64>) -> Vec<(Number, u64)> {
    let odd = |(number, times): &(&Number, &u64)| expected.get(number) != Some(times);
    let missing = expected.keys().filter(|number| !found.contains_key(number)).map(|number| (*number, 0));
    let surplus = found.iter().filter(odd).map(|(number, times)| (*number, *times));
    missing.chain(surplus).take(5).collect()
}
