//! Loads of the load generator: each message contains its load, connection and number, and each load reports at its
//! end which of its messages were acknowledged.

use super::{TOKEN, logstead};
use std::ops::Range;
use std::process::Child;

/// The number of connections of a load.
const CONNECTIONS: &str = "2";

/// A running load.
pub struct Load {
    run: u64,
    child: Child,
}

/// A load that has ended.
pub struct Ended {
    pub run: u64,
    /// The connections, with the number of acknowledged messages of each; these are the first ones.
    pub acknowledged: Vec<(u64, u64)>,
    /// Whether there was no error.
    pub is_complete: bool,
    pub said: String,
}

/// The identity of a message in a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    pub run: u64,
    pub connection: u64,
    pub number: u64,
}

impl Load {
    pub fn start(target: &str, run: u64, options: &[&str]) -> Load {
        let mut command = logstead(&["loadgen", target, "--active-connections", CONNECTIONS]);
        command.args(["--token", TOKEN, "--acknowledged", "--quiet", "--run-id", &run.to_string()]);
        Load { run, child: command.args(options).spawn().unwrap() }
    }

    /// Waits for the load to end by itself.
    pub fn end(self) -> Ended {
        let output = self.child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8(output.stdout).unwrap();
        let of_line = |line: &str| {
            let (connection, rest) = line.strip_prefix("thread,")?.split_once(",acknowledged,")?;
            Some((connection.parse().unwrap(), rest.parse().unwrap()))
        };
        let acknowledged: Vec<(u64, u64)> = text.lines().filter_map(of_line).collect();
        assert!(!acknowledged.is_empty(), "{text}{said}");
        Ended { run: self.run, acknowledged, is_complete: output.status.success(), said }
    }
}

impl Ended {
    /// The number of acknowledged messages.
    pub fn count(&self) -> u64 {
        self.acknowledged.iter().map(|(_, count)| count).sum()
    }

    /// The acknowledged messages that did not arrive.
    pub fn missing(&self, is_there: impl Fn(&Number) -> bool) -> Vec<Number> {
        let numbers = |&(connection, count): &(u64, u64)| {
            let numbers: Range<u64> = 0..count;
            numbers.map(move |number| Number { run: self.run, connection, number })
        };
        self.acknowledged.iter().flat_map(numbers).filter(|number| !is_there(number)).collect()
    }
}

impl Number {
    /// The identity in the text of a message.
    pub fn of(text: &str) -> Option<Number> {
        let value = |name: &str| {
            let (_, rest) = text.split_once(name)?;
            rest.split_once(',')?.0.parse().ok()
        };
        Some(Number { number: value("seq: ")?, connection: value("thread: ")?, run: value("runid: ")? })
    }
}
