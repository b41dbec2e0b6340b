//! Delivers messages through a sink. After a failure they are sent again after a pause, split in half, or given up.
//!
//! **Invariant:** every message before the first that is left is delivered, or refused with a reason.

use super::sink::{MessageSink, OutgoingMessage, Remedy, SendFailure, SendReport};
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

/// The pauses between attempts double from the first to the last.
const WAIT_FIRST: Duration = Duration::from_millis(200);
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Maximum pause that the other side may ask for.
const WAIT_ASKED_MAX: Duration = Duration::from_secs(300);
/// How often messages are sent again that the other side did not accept while it accepted others. With the pauses
/// above this takes about ten minutes.
const ATTEMPTS_MAX: u32 = 60;

/// The result of a delivery.
#[derive(Default)]
pub(super) struct DeliveryOutcome<'a> {
    pub(super) delivered: usize,
    pub(super) bytes: usize,
    /// Messages that will never be accepted, with the reasons.
    pub(super) refused: Vec<(OutgoingMessage<'a>, String)>,
    /// The first message that was not sent, if the delivery was interrupted.
    pub(super) left: Option<u64>,
}

/// Waits for this long after a failure; `false` to give up.
pub(super) type Pause<'a> = dyn Fn(&str, Duration) -> bool + Sync + 'a;

/// Minimum number of messages that are worth a request of their own.
const SHARE_MIN: usize = 256;

/// Sends messages through all sinks at the same time, until none are left or `pause` returns `false`.
pub(super) fn deliver<'a>(
    sinks: &mut [Box<dyn MessageSink>],
    messages: &[OutgoingMessage<'a>],
    pause: &Pause<'_>,
) -> DeliveryOutcome<'a> {
    let share = messages.len().div_ceil(sinks.len().max(1)).max(SHARE_MIN);
    let mut parts = sinks.iter_mut().zip(messages.chunks(share));
    let Some((first, part)) = parts.next() else { return DeliveryOutcome::default() };
    thread::scope(|scope| {
        let others = parts.map(|(sink, part)| scope.spawn(|| deliver_part(&mut **sink, part, pause)));
        let others: Vec<_> = others.collect();
        let outcome = deliver_part(&mut **first, part, pause);
        others.into_iter().fold(outcome, |outcome, other| {
            // A panic in a sink is passed on to the thread of the destination, which handles it.
            outcome.and(other.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    })
}

fn deliver_part<'a>(
    sink: &mut dyn MessageSink,
    messages: &[OutgoingMessage<'a>],
    pause: &Pause<'_>,
) -> DeliveryOutcome<'a> {
    let mut delivery =
        PendingDelivery { outcome: DeliveryOutcome::default(), todo: vec![messages.to_vec()], attempts: 0 };
    while let Some(part) = delivery.todo.pop() {
        let failure = match sink.send(&part) {
            Ok(sent) => delivery.sent(&part, sent),
            Err(failure) => delivery.failed(part, failure),
        };
        if let Some(failure) = failure
            && !pause(&failure.reason, wait(delivery.attempts, &failure.remedy))
        {
            delivery.leave();
            break;
        }
    }
    delivery.outcome
}

impl<'a> DeliveryOutcome<'a> {
    /// The combined outcome of both.
    fn and(mut self, other: DeliveryOutcome<'a>) -> DeliveryOutcome<'a> {
        self.delivered += other.delivered;
        self.bytes += other.bytes;
        self.refused.extend(other.refused);
        self.left = [self.left, other.left].into_iter().flatten().min();
        self
    }
}

struct PendingDelivery<'a> {
    outcome: DeliveryOutcome<'a>,
    /// The parts that have yet to be sent; the last one is sent next.
    todo: Vec<Vec<OutgoingMessage<'a>>>,
    /// The number of attempts since the last success.
    attempts: u32,
}

impl<'a> PendingDelivery<'a> {
    /// Processes a report; returns why to wait, if necessary.
    fn sent(&mut self, part: &[OutgoingMessage<'a>], sent: SendReport) -> Option<SendFailure> {
        let SendReport { bytes, refused, again, busy } = sent;
        self.outcome.bytes += bytes;
        self.outcome.delivered += part.len() - refused.len() - again.len();
        self.attempts = if again.len() < part.len() { 0 } else { self.attempts + 1 };
        self.outcome.refused.extend(refused.into_iter().map(|(at, reason)| (part[at], reason)));
        if again.is_empty() {
            return None;
        }
        let again: Vec<_> = again.into_iter().map(|at| part[at]).collect();
        let busy = busy
            .unwrap_or_else(|| SendFailure::wait("the other side did not accept them, and gave no reason"));
        if ATTEMPTS_MAX <= self.attempts && 0 < self.outcome.delivered {
            let reason = format!(
                "not accepted in {ATTEMPTS_MAX} attempts, while other messages were: {}",
                busy.reason
            );
            self.outcome.refused.extend(again.into_iter().map(|message| (message, reason.clone())));
            return None;
        }
        self.todo.push(again);
        Some(busy)
    }

    fn failed(&mut self, mut part: Vec<OutgoingMessage<'a>>, failure: SendFailure) -> Option<SendFailure> {
        match failure.remedy {
            Remedy::Wait(_) => {
                self.attempts += 1;
                self.todo.push(part);
                Some(failure)
            }
            Remedy::Split if part.len() == 1 => {
                self.outcome.refused.push((part.remove(0), failure.reason));
                None
            }
            Remedy::Split => {
                let second = part.split_off(part.len() / 2);
                self.todo.extend([second, part]);
                None
            }
        }
    }

    /// Notes the message at which to continue another time.
    fn leave(&mut self) {
        self.outcome.left = self.todo.iter().flatten().map(|message| message.sequence).min();
    }
}

/// The pause after this number of failures in a row.
fn wait(attempts: u32, remedy: &Remedy) -> Duration {
    let own = WAIT_FIRST.saturating_mul(1 << attempts.saturating_sub(1).min(10)).min(WAIT_MAX);
    match remedy {
        Remedy::Wait(Some(asked)) => own.max((*asked).min(WAIT_ASKED_MAX)),
        Remedy::Wait(None) | Remedy::Split => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Batch, BatchBuilder, Row};
    use parking_lot::Mutex;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier};

    /// A receiver that accepts only a limited number of messages at a time, never accepts some, and fails now and
    /// then.
    struct Moody {
        at_once: usize,
        /// Whether the message with this sequence is refused.
        poison: fn(u64) -> bool,
        busy: Vec<bool>,
        arrived: Arc<Mutex<Vec<u64>>>,
    }

    impl MessageSink for Moody {
        fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
            assert!(!messages.is_empty());
            if self.at_once < messages.len() {
                return Err(SendFailure { reason: "too many".to_owned(), remedy: Remedy::Split });
            }
            if self.busy.pop() == Some(true) {
                return Err(SendFailure::wait("busy"));
            }
            let mut sent = SendReport::default();
            for (at, message) in messages.iter().enumerate() {
                if (self.poison)(message.sequence) {
                    sent.refused.push((at, "poison".to_owned()));
                } else if message.sequence % 5 == 1 && self.busy.pop() == Some(true) {
                    sent.again.push(at);
                } else {
                    self.arrived.lock().push(message.sequence);
                }
            }
            Ok(sent)
        }
    }

    fn batch(rows: usize) -> Batch {
        let mut builder = BatchBuilder::new();
        (0..rows).for_each(|_| builder.push(&Row::text(b"x")));
        builder.seal()
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect()
    }

    proptest! {
        #[test]
        fn every_message_is_delivered_refused_or_left(
            rows in prop_oneof![1..60_usize, 300..1000_usize],
            at_once in 1..70_usize,
            connections in 1..4_usize,
            busy in proptest::collection::vec(any::<bool>(), 0..40),
            patience in 0..40_usize,
        ) {
            let batch = batch(rows);
            let arrived = Arc::new(Mutex::new(Vec::new()));
            let sink = |busy| -> Box<dyn MessageSink> {
                Box::new(Moody { at_once, poison: |sequence| sequence % 7 == 3, busy, arrived: arrived.clone() })
            };
            let mut sinks: Vec<_> = (0..connections).map(|_| sink(busy.clone())).collect();
            let pauses = AtomicUsize::new(0);
            let outcome = deliver(&mut sinks, &messages(&batch), &|_, _| {
                pauses.fetch_add(1, Ordering::Relaxed) + 1 < patience
            });
            let arrived = arrived.lock().clone();
            let mut seen = BTreeMap::new();
            arrived.iter().for_each(|sequence| *seen.entry(*sequence).or_insert(0) += 1);
            prop_assert_eq!(outcome.delivered, arrived.len());
            outcome.refused.iter().for_each(|(message, _)| *seen.entry(message.sequence).or_insert(0) += 1);
            prop_assert!(seen.values().all(|times| *times == 1), "nothing twice within one call");
            let end = outcome.left.unwrap_or(rows as u64);
            prop_assert!((0..end).all(|sequence| seen.contains_key(&sequence)), "nothing skipped before {}", end);
        }
    }

    #[test]
    fn what_is_too_large_on_its_own_is_refused() {
        let batch = batch(3);
        let sink = Moody { at_once: 0, poison: |_| false, busy: vec![], arrived: Arc::default() };
        let outcome =
            deliver(&mut [Box::new(sink)], &messages(&batch), &|_, _| panic!("nothing to wait for"));
        assert_eq!(outcome.refused.len(), 3);
    }

    #[test]
    fn a_message_that_is_never_accepted_does_not_hold_up_the_others_for_ever() {
        struct Stubborn;
        impl MessageSink for Stubborn {
            fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
                let again = (0..messages.len()).filter(|at| messages[*at].sequence == 1).collect();
                Ok(SendReport { again, busy: Some(SendFailure::wait("shard 7")), ..SendReport::default() })
            }
        }
        let batch = batch(3);
        let waits = Mutex::new(Vec::new());
        let outcome = deliver(&mut [Box::new(Stubborn)], &messages(&batch), &|_, wait| {
            waits.lock().push(wait);
            true
        });
        let waits = waits.into_inner();
        assert_eq!(outcome.delivered, 2);
        let [(message, reason)] = &outcome.refused[..] else { panic!("one") };
        assert_eq!(message.sequence, 1);
        assert!(reason.contains("shard 7"), "{reason}");
        assert!(waits.is_sorted() && waits.last() == Some(&WAIT_MAX), "{waits:?}");
    }

    #[test]
    fn several_connections_send_at_the_same_time() {
        /// A sink that answers only when another one has been called as well.
        struct Companion(Arc<Barrier>);
        impl MessageSink for Companion {
            fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
                self.0.wait();
                Ok(SendReport::all(messages.len()))
            }
        }
        let both = Arc::new(Barrier::new(2));
        let sink = || -> Box<dyn MessageSink> { Box::new(Companion(both.clone())) };
        let batch = batch(1000);
        let outcome =
            deliver(&mut [sink(), sink()], &messages(&batch), &|_, _| panic!("nothing to wait for"));
        assert_eq!((outcome.delivered, outcome.bytes, outcome.left), (1000, 1000, None));
    }

    #[test]
    fn the_other_side_may_ask_for_a_longer_pause() {
        assert_eq!(wait(1, &Remedy::Wait(None)), WAIT_FIRST);
        assert_eq!(wait(99, &Remedy::Wait(None)), WAIT_MAX);
        assert_eq!(wait(1, &Remedy::Wait(Some(Duration::from_secs(30)))), Duration::from_secs(30));
        assert_eq!(wait(1, &Remedy::Wait(Some(Duration::MAX))), WAIT_ASKED_MAX);
    }
}
