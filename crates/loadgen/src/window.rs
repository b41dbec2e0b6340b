//! The messages that a receiver has not acknowledged yet, kept to be sent again if the connection breaks. Pure: the
//! caller has the socket.
//!
//! ```text
//! acknowledged │ written, not acknowledged │ queued to be written │ put │
//!            first                       written                queued put
//! ```
//!
//! **Invariant:** `first ≤ written ≤ queued ≤ put`, and there are no more messages between `first` and `put` than slots.
//! Messages are acknowledged in order: one that is answered early has to wait for those before it.

use super::latency::Latencies;
use logstead_client::relp;
use std::time::Instant;

/// One message.
#[derive(Default)]
struct WindowSlot {
    message: Vec<u8>,
    txnr: u32,
    /// The length of its frame.
    frame_bytes: usize,
    /// The time when it was first written.
    written: Option<Instant>,
    is_answered: bool,
}

/// Messages, in the order in which they were added.
pub(super) struct Window {
    /// Message `n` is in slot `n` modulo the number of slots. Their buffers are reused.
    slots: Vec<WindowSlot>,
    first: u64,
    written: u64,
    queued: u64,
    put: u64,
    /// How many bytes of the first message that is not completely written are written.
    begun_bytes: usize,
    pub(super) latencies: Latencies,
}

/// The result of a write.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WriteProgress {
    /// The number of messages that were written for the first time, and of their bytes.
    pub(super) messages: usize,
    pub(super) bytes: usize,
    /// The number of messages that had been written before.
    pub(super) again: usize,
}

impl Window {
    pub(super) fn new(messages_max: usize) -> Window {
        let slots = (0..messages_max).map(|_| WindowSlot::default()).collect();
        let latencies = Latencies::default();
        Window { slots, first: 0, written: 0, queued: 0, put: 0, begun_bytes: 0, latencies }
    }

    /// How many messages are unacknowledged.
    pub(super) fn open(&self) -> usize {
        (self.put - self.first) as usize
    }

    pub(super) fn is_full(&self) -> bool {
        self.open() == self.slots.len()
    }

    /// Adds a message; the window must have room for it.
    pub(super) fn put(&mut self, message: &[u8]) {
        assert!(!self.is_full(), "the window has room");
        let slot = self.slot_mut(self.put);
        slot.message.clear();
        slot.message.extend_from_slice(message);
        (slot.written, slot.is_answered) = (None, false);
        self.put += 1;
    }

    /// Queues frames up to `bytes_max` bytes. `txnr` is the next transaction number.
    pub(super) fn queue(&mut self, out: &mut Vec<u8>, bytes_max: usize, txnr: &mut u32) {
        while self.queued < self.put && out.len() < bytes_max {
            let before = out.len();
            let slot = self.slot_mut(self.queued);
            slot.txnr = *txnr;
            relp::write(*txnr, "syslog", &slot.message, out);
            slot.frame_bytes = out.len() - before;
            *txnr = relp::next(*txnr);
            self.queued += 1;
        }
    }

    /// Records that this many of the queued bytes were written.
    pub(super) fn wrote(&mut self, bytes: usize, now: Instant) -> WriteProgress {
        self.begun_bytes += bytes;
        let mut wrote = WriteProgress::default();
        while self.written < self.queued {
            let begun_bytes = self.begun_bytes;
            let slot = self.slot_mut(self.written);
            let frame_bytes = slot.frame_bytes;
            if begun_bytes < frame_bytes {
                break;
            }
            match slot.written {
                Some(_) => wrote.again += 1,
                None => {
                    slot.written = Some(now);
                    wrote.messages += 1;
                    wrote.bytes += slot.message.len();
                }
            }
            self.begun_bytes -= frame_bytes;
            self.written += 1;
        }
        wrote
    }

    /// Records that a transaction succeeded; returns how many messages that acknowledges.
    pub(super) fn answered(&mut self, txnr: u32, now: Instant) -> Result<usize, String> {
        let unknown = || format!("the receiver answered transaction {txnr}, which is not open");
        if self.first == self.written {
            return Err(unknown());
        }
        let number = self.first + relp::distance(self.slot_mut(self.first).txnr, txnr) as u64;
        if self.written <= number {
            return Err(unknown());
        }
        let slot = self.slot_mut(number);
        if slot.is_answered {
            return Err(unknown());
        }
        slot.is_answered = true;
        let waited =
            slot.written.map_or_else(Default::default, |written| now.saturating_duration_since(written));
        self.latencies.add(waited, 1);
        let before = self.first;
        while self.first < self.written && self.slot_mut(self.first).is_answered {
            self.first += 1;
        }
        Ok((self.first - before) as usize)
    }

    /// Restarts after the connection broke: everything unacknowledged has to be written again.
    pub(super) fn start_again(&mut self) {
        (self.written, self.queued, self.begun_bytes) = (self.first, self.first, 0);
        for number in self.first..self.put {
            self.slot_mut(number).is_answered = false;
        }
    }

    fn slot_mut(&mut self, number: u64) -> &mut WindowSlot {
        let at = number % self.slots.len() as u64;
        &mut self.slots[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn queued(window: &mut Window, txnr: &mut u32) -> String {
        let mut out = Vec::new();
        window.queue(&mut out, usize::MAX, txnr);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn messages_count_when_they_are_written_whole_and_answered_in_order() {
        let (mut window, mut txnr, now) = (Window::new(3), 2, Instant::now());
        for message in ["a", "bb", "c"] {
            window.put(message.as_bytes());
        }
        assert!(window.is_full());
        let out = queued(&mut window, &mut txnr);
        assert_eq!(out, "2 syslog 1 a\n3 syslog 2 bb\n4 syslog 1 c\n");
        assert_eq!(window.wrote(12, now), WriteProgress::default());
        assert_eq!(window.wrote(2, now), WriteProgress { messages: 1, bytes: 1, again: 0 });
        assert_eq!(window.wrote(out.len() - 14, now), WriteProgress { messages: 2, bytes: 3, again: 0 });
        assert_eq!(window.answered(3, now), Ok(0));
        assert_eq!(window.answered(2, now), Ok(2));
        assert!(window.answered(2, now).is_err() && window.answered(3, now).is_err());
        assert!(window.answered(5, now).is_err());
        assert_eq!((window.answered(4, now), window.open()), (Ok(1), 0));
        assert!(window.answered(4, now).is_err());
    }

    #[test]
    fn after_a_break_everything_that_is_not_acknowledged_goes_again() {
        let (mut window, mut txnr, now) = (Window::new(4), 2, Instant::now());
        for message in ["a", "b", "c"] {
            window.put(message.as_bytes());
        }
        let out = queued(&mut window, &mut txnr);
        window.wrote(out.len() - 1, now);
        assert_eq!((window.answered(2, now), window.answered(3, now)), (Ok(1), Ok(1)));
        window.put(b"d");
        window.start_again();
        txnr = 2;
        let out = queued(&mut window, &mut txnr);
        assert_eq!(out, "2 syslog 1 c\n3 syslog 1 d\n");
        assert_eq!(window.wrote(out.len(), now), WriteProgress { messages: 2, bytes: 2, again: 0 });
        window.start_again();
        txnr = 2;
        let out = queued(&mut window, &mut txnr);
        assert_eq!(window.wrote(out.len(), now), WriteProgress { messages: 0, bytes: 0, again: 2 });
        assert_eq!((window.answered(2, now), window.answered(3, now)), (Ok(1), Ok(1)));
    }

    proptest! {
        /// The steps: 0 adds a message, 1 writes everything, 2 writes one byte, 3 answers the oldest, 4 breaks the
        /// connection.
        #[test]
        fn whatever_happens_messages_are_acknowledged_once_and_in_order(
            steps in proptest::collection::vec(0_u8..5, 1..300),
        ) {
            let (mut window, mut txnr, now) = (Window::new(5), relp::TXNR_MAX - 7, Instant::now());
            let (mut out, mut sent, mut put, mut acknowledged) = (Vec::new(), 0, 0_u64, 0_u64);
            let mut first_txnr = txnr;
            for step in steps {
                match step {
                    0 if !window.is_full() => {
                        window.put(&put.to_le_bytes());
                        put += 1;
                    }
                    1 | 2 => {
                        window.queue(&mut out, usize::MAX, &mut txnr);
                        let bytes = if step == 1 { out.len() } else { 1.min(out.len()) };
                        out.drain(..bytes);
                        sent += window.wrote(bytes, now).messages as u64;
                    }
                    3 if acknowledged < sent && window.first < window.written => {
                        prop_assert_eq!(window.answered(first_txnr, now), Ok(1));
                        acknowledged += 1;
                        first_txnr = relp::next(first_txnr);
                    }
                    4 => {
                        window.start_again();
                        out.clear();
                        first_txnr = txnr;
                    }
                    _ => {}
                }
                prop_assert_eq!((window.first, window.put), (acknowledged, put));
                prop_assert!(acknowledged <= sent && sent <= put);
            }
        }
    }
}
