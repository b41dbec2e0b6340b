//! One active connection from beginning to end: messages are made and sent when they are due. When the connection
//! breaks the worker ends, or reconnects if the connection is permanent.

use super::chunk::FrameChunk;
use super::counts::{ConnectionCounts, ConnectionError, EndCondition};
use super::generated::GeneratedMessages;
use super::lines::FileLines;
use super::rate::SendPace;
use super::socket::POLL_WAIT;
use super::transport::Transport;
use logstead_record::Timestamp;
use std::time::{Duration, Instant, SystemTime};

/// Maximum wait of a permanent connection before it tries to reconnect; the wait grows each time.
const RETRY_WAIT_MAX: Duration = Duration::from_secs(1);
const RETRY_WAIT_MIN: Duration = Duration::from_millis(50);
/// How long a permanent connection tries to get its last messages acknowledged.
const FINISH_WAIT_MAX: Duration = Duration::from_secs(10);

/// The source of the messages.
pub(super) enum Feed {
    Generated(GeneratedMessages),
    Lines(FileLines),
}

/// One connection's thread.
pub(super) struct Worker<'a> {
    pub(super) sender: Box<dyn Transport>,
    pub(super) feed: Feed,
    pub(super) counts: &'a ConnectionCounts,
    pub(super) is_permanent: bool,
    /// The number of messages still to be made.
    pub(super) left: u64,
    /// Maximum number of messages that are made at once.
    pub(super) together_max: usize,
}

impl Worker<'_> {
    /// Sends until the end, starting from the result of a first attempt to connect.
    pub(super) fn run(
        &mut self,
        connected: Result<(), ConnectionError>,
        mut pace: SendPace,
        until: &EndCondition<'_>,
    ) -> Result<(), ConnectionError> {
        connected.or_else(|broken| self.reconnect(broken, until))?;
        let mut chunk = FrameChunk::default();
        while !until.is_over() {
            if 0 < chunk.pending() {
                let sent = self.sender.send(&mut chunk, until, self.counts);
                sent.or_else(|broken| self.reconnect(broken, until))?;
                continue;
            }
            let now = Instant::now();
            let due = pace.due(now).min(self.left).min(self.together_max as u64) as usize;
            if self.left == 0 {
                break;
            }
            if due == 0 {
                let pause = until.cut(pace.wait(now).min(POLL_WAIT));
                let waited = self.sender.wait(pause, self.counts);
                waited.or_else(|broken| self.reconnect(broken, until))?;
                continue;
            }
            let made = self.make(&mut chunk, due)?;
            if made == 0 {
                break;
            }
            pace.record_sent(made);
            self.left -= made as u64;
        }
        self.finish()
    }

    fn make(&mut self, chunk: &mut FrameChunk, wanted: usize) -> Result<usize, ConnectionError> {
        match &mut self.feed {
            Feed::Generated(generated) => generated.fill(chunk, wanted, Timestamp::from(SystemTime::now())),
            Feed::Lines(lines) => lines.fill(chunk, wanted).map_err(ConnectionError::fatal)?,
        }
        Ok(chunk.pending())
    }

    /// Reconnects until that succeeds or the time is up; in the latter case returns the error that ends the
    /// connection.
    fn reconnect(
        &mut self,
        mut broken: ConnectionError,
        until: &EndCondition<'_>,
    ) -> Result<(), ConnectionError> {
        let mut wait = RETRY_WAIT_MIN;
        loop {
            self.counts.broke(&broken);
            if broken.is_final || !self.is_permanent {
                return Err(broken);
            }
            let end = Instant::now() + wait;
            while Instant::now() < end {
                if until.is_over() {
                    return Ok(());
                }
                std::thread::sleep(wait.min(POLL_WAIT));
            }
            match self.sender.connect() {
                Ok(()) => return Ok(()),
                Err(again) => broken = again,
            }
            wait = (wait * 2).min(RETRY_WAIT_MAX);
        }
    }

    fn finish(&mut self) -> Result<(), ConnectionError> {
        let end = Instant::now() + FINISH_WAIT_MAX;
        let mut finished = self.sender.finish(self.counts);
        while let Err(broken) = finished {
            self.counts.broke(&broken);
            if broken.is_final || !self.is_permanent || end <= Instant::now() {
                return Err(broken);
            }
            std::thread::sleep(RETRY_WAIT_MIN);
            finished = self.sender.connect().and_then(|()| self.sender.finish(self.counts));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::{ChunkLimits, Framing};
    use super::super::rate::SendRate;
    use super::super::template::{HeaderKind, MessageIdentity, MessageTemplate};
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::sync::atomic::AtomicBool;

    /// A transport that accepts ten messages at a time and breaks at every third call.
    #[derive(Default)]
    struct Fragile {
        calls: usize,
        connects: Rc<RefCell<usize>>,
        taken: Rc<RefCell<Vec<String>>>,
    }

    impl Transport for Fragile {
        fn connect(&mut self) -> Result<(), ConnectionError> {
            *self.connects.borrow_mut() += 1;
            Ok(())
        }

        fn send(
            &mut self,
            chunk: &mut FrameChunk,
            _: &EndCondition<'_>,
            counts: &ConnectionCounts,
        ) -> Result<(), ConnectionError> {
            self.calls += 1;
            if self.calls.is_multiple_of(3) {
                return Err(ConnectionError::new("third call"));
            }
            let count = chunk.pending().min(10);
            let text = |frame: &[u8]| String::from_utf8_lossy(frame).into_owned();
            self.taken.borrow_mut().extend(chunk.frames().take(count).map(text));
            counts.sent(count, chunk.advance(count));
            Ok(())
        }

        fn finish(&mut self, _: &ConnectionCounts) -> Result<(), ConnectionError> {
            Ok(())
        }
    }

    /// Sends 45 messages, and checks how the connection ended, how often it was established, and how many messages
    /// were sent.
    fn check(is_permanent: bool, ends_well: bool, connects: usize, sent: u64) {
        let limits = ChunkLimits { messages_max: 20, bytes_max: 1 << 20 };
        let identity = MessageIdentity { run_id: 1, thread: 1 };
        let template =
            MessageTemplate::new(HeaderKind::Rfc5424, 200, identity, Timestamp::from_nanos(0)).unwrap();
        let (counts, fragile, stop) =
            (ConnectionCounts::default(), Fragile::default(), AtomicBool::new(false));
        let (made, taken) = (fragile.connects.clone(), fragile.taken.clone());
        let feed = Feed::Generated(GeneratedMessages::new(template, Framing::None, limits));
        let sender = Box::new(fragile);
        let mut worker = Worker { sender, feed, counts: &counts, is_permanent, left: 45, together_max: 20 };
        let until = EndCondition { stop: &stop, deadline: None };
        let ended = worker.run(Ok(()), SendPace::new(SendRate::Max, Instant::now()), &until);
        assert_eq!(ended.is_ok(), ends_well);
        assert_eq!((*made.borrow(), counts.total().sent), (connects, sent));
        let numbered = taken
            .borrow()
            .iter()
            .zip(0..)
            .all(|(text, number): (_, u64)| text.contains(&format!("seq: {number:010},")));
        assert!(numbered, "each message once, in order");
    }

    #[test]
    fn a_connection_that_breaks_ends_unless_it_is_permanent() {
        check(false, false, 0, 20);
        check(true, true, 2, 45);
    }
}
