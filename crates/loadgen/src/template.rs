//! The text of a generated message, which is rendered once; after that only its number and its times are overwritten.
//!
//! ```text
//! <38>Nov 21 16:18:51 localhost prg00001[1234]: seq: 0000000042, thread: 0001, runid: 1793491200, stamp: 2026-11-21T16:18:51 PADDPADD…
//! <38>1 2026-11-21T16:18:51Z localhost prg00001 1234 - - seq: 0000000042, thread: 0001, runid: 1793491200, stamp: …
//! ```

use logstead_record::{MONTHS, Timestamp};

/// The number of digits of a message number; when they are exhausted, the numbers of a connection start over at 0.
const SEQUENCE_DIGITS: usize = 10;
const PADDING: &[u8] = b"PADD";

/// The header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// The header of RFC 3164: `<13>Nov 22 05:11:01 host program: `.
    Rfc3164,
    /// The header of RFC 5424: `<13>1 2026-11-22T05:11:01Z host program - - - `.
    Rfc5424,
}

/// The values that all messages of one connection share.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageIdentity {
    pub(super) run_id: u64,
    /// The number of the connection's thread, from 1.
    pub(super) thread: usize,
}

/// One message.
#[derive(Debug)]
pub(super) struct MessageTemplate {
    pub(super) bytes: Vec<u8>,
    sequence_at: usize,
    header_at: usize,
    header: HeaderKind,
    stamp_at: usize,
}

/// The times in a message for one second.
pub(super) struct Stamps {
    header: Vec<u8>,
    /// The time in the form `2026-11-21T16:18:51`.
    stamp: Vec<u8>,
}

impl MessageTemplate {
    /// A message of exactly `size` bytes, or of the minimum size if that is larger.
    pub(super) fn new(
        header: HeaderKind,
        size: usize,
        identity: MessageIdentity,
        now: Timestamp,
    ) -> Result<MessageTemplate, usize> {
        let stamps = Stamps::new(header, now);
        let MessageIdentity { run_id, thread } = identity;
        let mut bytes = match header {
            HeaderKind::Rfc3164 => b"<38>".to_vec(),
            HeaderKind::Rfc5424 => b"<38>1 ".to_vec(),
        };
        let header_at = bytes.len();
        bytes.extend_from_slice(&stamps.header);
        let program = match header {
            HeaderKind::Rfc3164 => format!(" localhost prg{thread:05}[1234]: seq: "),
            HeaderKind::Rfc5424 => format!(" localhost prg{thread:05} 1234 - - seq: "),
        };
        bytes.extend_from_slice(program.as_bytes());
        let sequence_at = bytes.len();
        bytes.extend_from_slice(&[b'0'; SEQUENCE_DIGITS]);
        bytes.extend_from_slice(format!(", thread: {thread:04}, runid: {run_id}, stamp: ").as_bytes());
        let stamp_at = bytes.len();
        bytes.extend_from_slice(&stamps.stamp);
        let padding = size.checked_sub(bytes.len()).ok_or(bytes.len())?;
        bytes.extend(b" ".iter().chain(PADDING.iter().cycle()).take(padding));
        Ok(MessageTemplate { bytes, sequence_at, header_at, header, stamp_at })
    }

    pub(super) fn stamps(&self, now: Timestamp) -> Stamps {
        Stamps::new(self.header, now)
    }

    /// Writes the number into a copy of the message.
    pub(super) fn number(&self, message: &mut [u8], sequence: u64) {
        let mut rest = sequence;
        for digit in message[self.sequence_at..self.sequence_at + SEQUENCE_DIGITS].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
    }

    /// Writes the times into a copy of the message.
    pub(super) fn stamp(&self, message: &mut [u8], stamps: &Stamps) {
        message[self.header_at..self.header_at + stamps.header.len()].copy_from_slice(&stamps.header);
        message[self.stamp_at..self.stamp_at + stamps.stamp.len()].copy_from_slice(&stamps.stamp);
    }
}

impl Stamps {
    fn new(header: HeaderKind, now: Timestamp) -> Stamps {
        let mut rfc3339 = Vec::with_capacity(20);
        now.write_rfc3339(&mut rfc3339, 0);
        let stamp = rfc3339[..rfc3339.len() - 1].to_vec();
        match header {
            HeaderKind::Rfc5424 => Stamps { header: rfc3339, stamp },
            HeaderKind::Rfc3164 => {
                let (_, month, day, of_day, _) = now.to_civil();
                let month = String::from_utf8_lossy(MONTHS[month as usize - 1]);
                let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
                let header = format!("{month} {day:2} {hour:02}:{minute:02}:{second:02}");
                Stamps { header: header.into_bytes(), stamp }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: MessageIdentity = MessageIdentity { run_id: 1_793_491_200, thread: 1 };

    fn time(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
    }

    fn check(header: HeaderKind, size: usize, sequence: u64, expected: &str) {
        let template = MessageTemplate::new(header, size, IDENTITY, time("2025-01-01T00:00:00Z")).unwrap();
        let mut message = template.bytes.clone();
        template.number(&mut message, sequence);
        template.stamp(&mut message, &template.stamps(time("2026-11-05T16:18:51.9Z")));
        assert_eq!(String::from_utf8(message).unwrap(), expected);
    }

    #[test]
    fn a_message_says_which_it_is_and_is_as_long_as_it_should_be() {
        let text = "seq: 0000000042, thread: 0001, runid: 1793491200, stamp: 2026-11-05T16:18:51";
        let old = format!("<38>Nov  5 16:18:51 localhost prg00001[1234]: {text}");
        check(HeaderKind::Rfc3164, old.len(), 42, &old);
        check(HeaderKind::Rfc3164, old.len() + 1, 42, &format!("{old} "));
        check(HeaderKind::Rfc3164, old.len() + 8, 42, &format!("{old} PADDPAD"));
        let new = format!("<38>1 2026-11-05T16:18:51Z localhost prg00001 1234 - - {text}");
        check(HeaderKind::Rfc5424, new.len() + 3, 42, &format!("{new} PA"));
        check(HeaderKind::Rfc5424, new.len(), 10_000_000_042, &new);
    }

    #[test]
    fn a_size_that_is_too_small_names_the_least_one() {
        let least =
            MessageTemplate::new(HeaderKind::Rfc3164, 10, IDENTITY, Timestamp::from_nanos(0)).unwrap_err();
        assert!(
            MessageTemplate::new(HeaderKind::Rfc3164, least - 1, IDENTITY, Timestamp::from_nanos(0)).is_err()
        );
        let smallest =
            MessageTemplate::new(HeaderKind::Rfc3164, least, IDENTITY, Timestamp::from_nanos(0)).unwrap();
        assert_eq!(smallest.bytes.len(), least);
    }
}
