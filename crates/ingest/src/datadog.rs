//! Datadog's log intake: an array of objects, or one object.
//!
//! `hostname`, `service`, `status` and `timestamp` become host, program, severity and time; each of the `ddtags`
//! (`env:prod,team:web`) becomes a field, too.
//!
//! **Invariant:** the raw bytes of a row are the object exactly as it was sent.

use crate::batches::BodySender;
use crate::marks::{Marks, mark};
use crate::messages::{BodyError, LIMITS, Messages, NextMessage};
use crate::split::Elements;
use jiff::tz::TimeZone;
use logstead_record::{BatchBuilder, Field};
use logstead_syslog::format::Clock;
use logstead_syslog::format::json::JsonParser;
use logstead_syslog::format::keys::{ColumnKeys, KEYS, KeyColumn};

const HINT: &str = "send an object with a `message`, or an array of such objects";
/// The maximum number of a message's tags that become fields; the others stay in `ddtags`.
const TAGS_MAX: usize = 100;

/// The messages of a body.
pub struct Datadog {
    body: Vec<u8>,
    json: JsonParser,
    sender: BodySender,
    elements: Elements,
    marks: Option<Marks>,
}

/// Adds a field for each tag, if the member holds tags.
fn add_tags(name: &str, tags: &str, builder: &mut BatchBuilder) {
    if name != "ddtags" {
        return;
    }
    for tag in tags.split(',').take(TAGS_MAX) {
        let Some((name, value)) = tag.trim().split_once(':').filter(|(name, _)| !name.is_empty()) else {
            continue;
        };
        match Field::from_name(name) {
            None => builder.field(name.as_bytes(), value.as_bytes()),
            Some(_) => builder.field(format!("tag.{name}").as_bytes(), value.as_bytes()),
        }
    }
}

fn keys() -> ColumnKeys {
    ColumnKeys::new(|column| {
        let usual = KEYS.iter().find(|(known, _)| *known == column).map_or("", |(_, keys)| *keys);
        match column {
            KeyColumn::Host => Some(format!("hostname,{usual}")),
            KeyColumn::Program => Some(format!("service,{usual},ddsource")),
            KeyColumn::Severity => Some(format!("status,{usual}")),
            _ => None,
        }
    })
}

impl Datadog {
    /// Reads a body, or refuses it if it is malformed.
    pub fn of(body: Vec<u8>, sender: BodySender, messages_max: usize) -> Result<Datadog, BodyError> {
        let (body, marks) = mark(body);
        let elements = Elements::of(&body, messages_max, HINT)?;
        Ok(Datadog { body, json: JsonParser { keys: keys(), limits: LIMITS }, sender, elements, marks })
    }
}

impl Messages for Datadog {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        let object = self.elements.next(&self.body)?;
        let zone = TimeZone::UTC;
        let clock = Clock::of_receipt(self.sender.received, &zone);
        let parsed = self.json.parse_also(object, clock, self.sender.peer.as_bytes(), builder, add_tags);
        if let Err(rejected) = parsed {
            return Some(NextMessage::refused(self.elements.number(), rejected.to_string()));
        }
        Some(NextMessage::Added { bytes: object.len() })
    }

    fn rest_bytes(&self) -> usize {
        self.elements.rest_bytes()
    }

    fn restart(&mut self) {
        self.elements.restart();
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::Batches;
    use logstead_record::{Batch, Timestamp};
    use proptest::prelude::*;

    fn datadog(body: &[u8]) -> Result<Batches<Datadog>, BodyError> {
        let received = Timestamp::from_nanos(1_790_000_000_000_000_000);
        let sender = BodySender { source: "http".to_owned(), peer: "10.0.0.9".to_owned(), received };
        Ok(Batches::of(Datadog::of(body.to_vec(), sender.clone(), 50)?, sender))
    }

    #[test]
    fn a_message_has_its_host_service_status_and_tags() {
        let body = r#"[{"ddsource":"nginx","ddtags":"env:prod, host:x,lonely","hostname":"web-1","service":"shop",
            "status":"warn","message":"slow","timestamp":1700000000123},7]"#;
        let mut batches = datadog(body.as_bytes()).unwrap();
        let batch = batches.next_batch();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let known = [batch.host(0), batch.program(0), batch.message(0)].map(text);
        assert_eq!(known, ["web-1", "shop", "slow"]);
        assert_eq!(batch.priority(0).unwrap().severity().name(), "warning");
        assert_eq!(batch.own_time(0).unwrap().to_string(), "2023-11-14T22:13:20.123Z");
        let fields: Vec<_> =
            batch.fields(0).map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
        assert_eq!(fields, ["ddsource=nginx", "ddtags=env:prod, host:x,lonely", "env=prod", "tag.host=x"]);
        assert_eq!((batch.rows(), batches.refused, batches.refusals[0].number), (1, 1, 2));
    }

    proptest! {
        #[test]
        fn any_bytes_are_messages_or_refused(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..6),
                    proptest::sample::select(vec![
                        "[", "]", ",", "{\"message\":\"m\"}", "{\"ddtags\":\"a:b,,:c\"}", "{\"ddtags\":7}", "{}", "7",
                    ]).prop_map(|text| text.as_bytes().to_vec()),
                ],
                0..12,
            ),
        ) {
            let Ok(mut batches) = datadog(&pieces.concat()) else { return Ok(()) };
            let all: Vec<Batch> = std::iter::from_fn(|| (0 < batches.rest_bytes()).then(|| batches.next_batch())).collect();
            prop_assert!(all.iter().map(Batch::rows).sum::<usize>() + batches.refused <= 50);
        }
    }
}
