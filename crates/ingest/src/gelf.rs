//! GELF over HTTP: one object, or several in a row.

use crate::batches::BodySender;
use crate::marks::{Marks, mark};
use crate::messages::{BodyError, LIMITS, Messages, NextMessage};
use crate::split::value;
use logstead_record::BatchBuilder;
use logstead_syslog::format::{FrameContext, gelf};

const HINT: &str = "send a JSON object, or several with newlines between them";

/// The messages of a body.
pub struct GelfBody {
    body: Vec<u8>,
    gelf: gelf::GelfParser,
    sender: BodySender,
    at: usize,
    number: usize,
    marks: Option<Marks>,
}

impl GelfBody {
    /// Refuses a body that is not JSON before its first message.
    pub fn of(body: Vec<u8>, sender: BodySender, messages_max: usize) -> Result<GelfBody, BodyError> {
        let (body, marks) = mark(body);
        let (mut at, mut messages) = (0, 0);
        while let Some(next) = value(&body, at) {
            at = next.map_err(|error| BodyError::of_json(&error, HINT))?.1;
            messages += 1;
            BodyError::above(messages, messages_max)?;
        }
        if messages == 0 {
            return Err(BodyError::malformed(format!("the body is empty: {HINT}")));
        }
        Ok(GelfBody {
            body,
            gelf: gelf::GelfParser::new(LIMITS.line_bytes_max),
            sender,
            at: 0,
            number: 0,
            marks,
        })
    }
}

impl Messages for GelfBody {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        let Some(Ok((object, end))) = value(&self.body, self.at) else {
            self.at = self.body.len();
            return None;
        };
        (self.at, self.number) = (end, self.number + 1);
        if let Err(rejected) = LIMITS.check_line(object) {
            return Some(NextMessage::refused(self.number, rejected.to_string()));
        }
        let known =
            FrameContext { peer: self.sender.peer.as_bytes(), ..FrameContext::at(self.sender.received) };
        Some(match self.gelf.read(object, known, builder) {
            Ok(()) => NextMessage::Added { bytes: object.len() },
            Err(error) => NextMessage::refused(self.number, error.to_string()),
        })
    }

    fn rest_bytes(&self) -> usize {
        self.body.len() - self.at
    }

    fn restart(&mut self) {
        (self.at, self.number) = (0, 0);
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::Batches;
    use logstead_record::Timestamp;

    /// The messages of a body, and how many were refused.
    fn read(body: &str) -> Result<(Vec<String>, usize), BodyError> {
        let received = Timestamp::from_nanos(1);
        let sender = BodySender { source: "http".to_owned(), peer: "10.0.0.9".to_owned(), received };
        let mut batches = Batches::of(GelfBody::of(body.as_bytes().to_vec(), sender.clone(), 3)?, sender);
        let batch = batches.next_batch();
        let rows = 0..batch.rows();
        Ok((
            rows.map(|row| String::from_utf8_lossy(batch.message(row)).into_owned()).collect(),
            batches.refused,
        ))
    }

    #[test]
    fn a_body_is_an_object_or_several() {
        let object = |text: &str| format!("{{\"short_message\":\"{text}\"}}");
        let [a, b] = ["a", "b"].map(object);
        for (body, messages, refused) in [
            (a.clone(), &["a"][..], 0),
            (format!(" {a}\n{b}\n"), &["a", "b"], 0),
            (format!("{a}{b}"), &["a", "b"], 0),
            (format!("{a} 7"), &["a"], 1),
            (format!("[{a}]"), &[], 1),
        ] {
            let messages = messages.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(read(&body).unwrap(), (messages, refused), "{body}");
        }
    }

    #[test]
    fn a_body_that_is_not_json_is_refused_as_a_whole() {
        for body in ["", " \n", "hello", "{\"short_message\":", "{} {", "{}{}{}{}"] {
            assert!(read(body).is_err(), "{body}");
        }
    }
}
