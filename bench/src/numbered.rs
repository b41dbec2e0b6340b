//! Records which of the load generator's messages arrived, by connection and number, and how many of them arrived
//! twice.

use crate::test_receiver::TakeMessage;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// One message in this many is refused, if the protocol can express that.
const REFUSED_OF: usize = 10_000;
/// The longest run of one connection that can be recorded, which takes 128 MiB.
const NUMBER_MAX: usize = 1 << 30;

/// Records the numbers of arriving messages.
pub(crate) struct NumberLog {
    refuses: bool,
    arrived: Mutex<Arrivals>,
}

/// The number of messages that arrived.
#[derive(Clone, Copy, Default)]
pub(crate) struct ArrivalCount {
    /// Distinct messages that were accepted.
    pub(crate) taken: u64,
    /// Distinct messages that were refused.
    pub(crate) refused: u64,
    /// Messages that had arrived before.
    pub(crate) doubles: u64,
    /// Messages that no load generator sent.
    pub(crate) strange: u64,
}

#[derive(Default)]
struct Arrivals {
    count: ArrivalCount,
    /// One bit for each number, by run and connection.
    seen: HashMap<(u64, u64), Vec<u64>>,
}

impl NumberLog {
    pub(crate) fn new(refuses: bool) -> NumberLog {
        NumberLog { refuses, arrived: Mutex::default() }
    }

    pub(crate) fn count(&self) -> ArrivalCount {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner).count
    }
}

impl TakeMessage for NumberLog {
    fn take(&self, message: &[u8]) -> bool {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((connection, number)) = number(message) else {
            arrived.count.strange += 1;
            return true;
        };
        let is_taken = !self.refuses || number % REFUSED_OF != REFUSED_OF - 1;
        let is_new = arrived.note(connection, number);
        let count = &mut arrived.count;
        *match (is_new, is_taken) {
            (false, _) => &mut count.doubles,
            (true, true) => &mut count.taken,
            (true, false) => &mut count.refused,
        } += 1;
        is_taken
    }
}

impl Arrivals {
    /// Records a number; returns whether it is new.
    fn note(&mut self, connection: (u64, u64), number: usize) -> bool {
        let seen = self.seen.entry(connection).or_default();
        let (word, bit) = (number / 64, 1 << (number % 64));
        if seen.len() <= word {
            seen.resize(word + 1, 0);
        }
        let is_new = seen[word] & bit == 0;
        seen[word] |= bit;
        is_new
    }
}

/// The run, connection and number in a message of the load generator.
fn number(message: &[u8]) -> Option<((u64, u64), usize)> {
    let at = message.windows(5).position(|five| five == b"seq: ")?;
    let text = std::str::from_utf8(message.get(at..)?.get(..80)?).ok()?;
    let value = |name: &str| text.split_once(name)?.1.split(',').next()?.parse::<u64>().ok();
    let number = usize::try_from(value("seq: ")?).ok().filter(|number| *number < NUMBER_MAX)?;
    Some(((value("runid: ")?, value("thread: ")?), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_counts_once_and_its_doubles_apart() {
        let numbered = NumberLog::new(true);
        let take = |number: u64| {
            let text = format!("<38>x prg: seq: {number:010}, thread: 0001, runid: 7, stamp: {:40}", "");
            numbered.take(text.as_bytes())
        };
        assert_eq!([0, 1, 1, 9999, 9999].map(take), [true, true, true, false, false]);
        assert!(numbered.take(b"nothing"));
        let ArrivalCount { taken, refused, doubles, strange } = numbered.count();
        assert_eq!((taken, refused, doubles, strange), (2, 1, 2, 1));
    }
}
