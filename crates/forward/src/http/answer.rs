//! The response to a request, and its meaning for the messages in it.

use crate::sink::{Remedy, SendFailure, SendReport};
use jiff::fmt::rfc2822;
use std::time::Duration;

/// Maximum wait that a server may ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(3600);

/// A response that was read to the end.
pub(super) struct HttpAnswer {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Vec<u8>,
    /// URL, status and the beginning of the body, without secrets; empty if it is a success.
    pub(super) shown: String,
}

/// The meaning of a response: which side has to change something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerMeaning {
    /// Success: nothing has to change.
    Done,
    /// The request is too large.
    TooLarge,
    /// The message is at fault, and will always be.
    Refused,
    /// The server, the network or the configuration is at fault: the messages wait.
    Later,
}

/// The meaning of a status, for a request or for one message in it.
pub(super) fn meaning(status: u16) -> AnswerMeaning {
    match status {
        200..=299 => AnswerMeaning::Done,
        413 => AnswerMeaning::TooLarge,
        400 | 409 | 422 => AnswerMeaning::Refused,
        // This includes errors about the address or the credentials: an operator can fix those, and no message is
        // lost.
        _ => AnswerMeaning::Later,
    }
}

impl HttpAnswer {
    /// The result for the messages of a request, if the response concerns all of them alike.
    pub(super) fn settle(self, messages: usize, bytes: usize) -> Result<SendReport, SendFailure> {
        match meaning(self.status) {
            AnswerMeaning::Done => Ok(SendReport::all(bytes)),
            AnswerMeaning::Refused if messages == 1 => {
                Ok(SendReport { bytes, refused: vec![(0, self.shown)], ..SendReport::default() })
            }
            // One of the messages is at fault: fewer are sent at a time, until it is alone.
            AnswerMeaning::Refused | AnswerMeaning::TooLarge => Err(self.failure(Remedy::Split)),
            AnswerMeaning::Later => Err(self.later()),
        }
    }

    /// The failure after which all messages wait.
    pub(super) fn later(self) -> SendFailure {
        let wait = self.retry_after;
        self.failure(Remedy::Wait(wait))
    }

    fn failure(self, remedy: Remedy) -> SendFailure {
        SendFailure { reason: self.shown, remedy }
    }
}

/// The time to wait, from the headers `Retry-After` and `Date`. A date is relative to the server's own clock.
pub(super) fn retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
    let wait = match value.trim().parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let time = |text: &str| rfc2822::parse(text.trim()).ok().map(|time| time.timestamp());
            let wait = time(value)?.duration_since(time(date?)?);
            Duration::try_from(wait).unwrap_or_default()
        }
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_bounded() {
        let now = Some("Mon, 23 Nov 2026 05:00:00 GMT");
        for (value, date, expected) in [
            ("7", None, Some(7)),
            (" 0 ", now, Some(0)),
            ("99999999", None, Some(3600)),
            ("Mon, 23 Nov 2026 05:01:30 GMT", now, Some(90)),
            ("Mon, 23 Nov 2026 04:00:00 GMT", now, Some(0)),
            ("Mon, 23 Nov 2026 05:01:30 GMT", None, None),
            ("soon", now, None),
            ("-1", now, None),
        ] {
            assert_eq!(retry_after(value, date), expected.map(Duration::from_secs), "{value}");
        }
    }

    #[test]
    fn only_what_blames_the_message_refuses_it() {
        for (status, expected) in [
            (204, AnswerMeaning::Done),
            (400, AnswerMeaning::Refused),
            (422, AnswerMeaning::Refused),
            (413, AnswerMeaning::TooLarge),
            (301, AnswerMeaning::Later),
            (401, AnswerMeaning::Later),
            (404, AnswerMeaning::Later),
            (429, AnswerMeaning::Later),
            (503, AnswerMeaning::Later),
        ] {
            assert_eq!(meaning(status), expected, "{status}");
        }
    }
}
