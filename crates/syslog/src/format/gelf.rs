//! Turns a message in GELF, Graylog's format, into one row of a batch.
//!
//! | in the object                             | becomes                                              |
//! |-------------------------------------------|------------------------------------------------------|
//! | `short_message`, else `full_message`      | message; a `full_message` besides is a field         |
//! | `host`, `timestamp`, `level`              | host, time, severity                                 |
//! | `_app`, `_container_name`, … ([`PROGRAMS`]) | program, and a field if its name is not a column's  |
//! | `_pid`, `_process_id`                     | process id                                           |
//! | `version`                                 | nothing                                              |
//! | any other, as `_user`                     | a field without the underscore, as `user`            |
//!
//! A message may be packed with gzip or zlib. A text that is not an object is kept as it is, flagged as unparsed.
//!
//! **Invariant:** the raw bytes of a row are the object, unpacked; if it cannot be unpacked, they are the bytes as
//! sent.

use super::fields::{FieldWriter, is_taken};
use super::frame::{FrameContext, FrameText, text_row};
use super::json::read_what_fits;
use super::keys::{ColumnKeys, FoundColumns, KeyColumn};
use super::keys::{ObjectPair, pairs};
use super::stamp::Clock;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use jiff::tz::TimeZone;
use logstead_parse::{FIELDS_MAX, JsonLimits, NAME_BYTES_MAX};
use logstead_record::{BatchBuilder, Field, Flags, Row};
use std::borrow::Cow;
use std::io::Read;

/// The keys of the program: there is no rule, so these are the names that libraries use.
const PROGRAMS: &str = "_program,_app,_appname,_app_name,_application,_application_name,applicationName,_service,\
    _service_name,_service.name,_syslog_identifier,_container_name,_tag,_process_name,_logger_name,_logger";
/// The key of the message.
const SHORT: &str = "short_message";
const LIMITS: JsonLimits = JsonLimits::of(FIELDS_MAX, NAME_BYTES_MAX, 32);

/// Reads GELF messages.
pub struct GelfParser {
    keys: ColumnKeys,
    /// The maximum length of an unpacked message.
    message_bytes_max: usize,
}

/// The error for a text that is not a GELF message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is not a JSON object")]
pub struct NotAnObject;

impl GelfParser {
    /// A parser for messages of up to this length when unpacked.
    pub fn new(message_bytes_max: usize) -> GelfParser {
        let keys = ColumnKeys::new(|column| {
            let keys = match column {
                KeyColumn::Message => "short_message,full_message",
                KeyColumn::Host => "host",
                KeyColumn::Time => "timestamp",
                KeyColumn::Severity => "level",
                KeyColumn::Facility => "facility",
                KeyColumn::Program => PROGRAMS,
                KeyColumn::Pid => "_pid,_process_id",
                KeyColumn::Msgid | KeyColumn::Priority => "",
            };
            Some(keys.to_owned())
        });
        GelfParser { keys, message_bytes_max }
    }

    /// Adds a frame as a row, whatever it contains.
    pub fn parse(&self, frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder) {
        let (unpacked, flags) = self.unpack(frame);
        let known = FrameContext { flags: known.flags.with(flags), ..known };
        if self.read(&unpacked, known, builder).is_err() {
            keep(&unpacked, known, builder);
        }
    }

    /// Adds an object as a row; adds nothing if the text is not an object.
    pub fn read(
        &self,
        object: &[u8],
        known: FrameContext<'_>,
        builder: &mut BatchBuilder,
    ) -> Result<(), NotAnObject> {
        let read = read_what_fits(object, LIMITS).ok_or(NotAnObject)?;
        let pairs = pairs(&read);
        let found =
            FoundColumns::among(&pairs, &self.keys, Clock::of_receipt(known.received, &TimeZone::UTC));
        // An empty message is a message as well.
        let message = found.message.or_else(|| pairs.iter().position(|pair| pair.name == SHORT));
        let fields_behind = add_fields(&pairs, &found, message, known, builder);
        let text = |at: Option<usize>| at.map_or(&b""[..], |at| pairs[at].value.as_bytes());
        let host = text(found.host);
        let row = Row {
            time: found.time,
            priority: found.priority(),
            flags: known.flags,
            fields_behind,
            ..Row::text(object)
        }
        .with(Field::Host, if host.is_empty() { known.peer } else { host })
        .with(Field::Program, text(found.program))
        .with(Field::Pid, text(found.pid));
        match message.map(|at| &pairs[at].value) {
            None => builder.push(&row),
            Some(Cow::Borrowed(text)) => {
                let message_at = Some(text.as_ptr().addr() - object.as_ptr().addr());
                builder.push(&Row { message_at, ..row }.with(Field::Message, text.as_bytes()));
            }
            Some(Cow::Owned(text)) => {
                builder.push(&Row { message_at: None, ..row }.with(Field::Message, text.as_bytes()));
            }
        }
        Ok(())
    }

    /// The unpacked content of a frame, as far as it can be unpacked and is not too long.
    fn unpack<'f>(&self, frame: &'f [u8]) -> (Cow<'f, [u8]>, Flags) {
        let packed: Box<dyn Read + 'f> = match frame {
            [0x1F, 0x8B, ..] => Box::new(MultiGzDecoder::new(frame)),
            // A multiple of 31 distinguishes zlib from text.
            [0x78, second, ..] if (0x7800 + u32::from(*second)).is_multiple_of(31) => {
                Box::new(ZlibDecoder::new(frame))
            }
            _ => {
                let kept = frame.get(..self.message_bytes_max);
                let flags = if kept.is_some_and(|kept| kept.len() < frame.len()) {
                    Flags::TRUNCATED
                } else {
                    Flags::default()
                };
                return (Cow::Borrowed(kept.unwrap_or(frame)), flags);
            }
        };
        let mut unpacked = Vec::new();
        let is_damaged = packed.take(self.message_bytes_max as u64 + 1).read_to_end(&mut unpacked).is_err();
        if is_damaged && unpacked.is_empty() {
            return (Cow::Borrowed(frame), Flags::default());
        }
        let is_too_long = self.message_bytes_max < unpacked.len();
        unpacked.truncate(self.message_bytes_max);
        let flags = match (is_damaged, is_too_long) {
            (_, true) => Flags::TRUNCATED,
            (true, false) => Flags::INCOMPLETE,
            (false, false) => Flags::default(),
        };
        (Cow::Owned(unpacked), flags)
    }
}

/// Adds the pairs that are not in a column yet, and returns their number.
fn add_fields(
    pairs: &[ObjectPair<'_, '_>],
    found: &FoundColumns,
    message: Option<usize>,
    known: FrameContext<'_>,
    builder: &mut BatchBuilder,
) -> usize {
    let mut fields = FieldWriter::new(builder, "gelf");
    for (at, pair) in pairs.iter().enumerate() {
        let name = pair.name.strip_prefix('_').filter(|name| !name.is_empty()).unwrap_or(pair.name);
        let is_column = found.taken.contains(&at) || message == Some(at);
        let is_said = is_column && (name == pair.name || is_taken(name.as_bytes()));
        if !is_said && name != "version" {
            fields.add(name.as_bytes(), pair.value.as_bytes());
        }
    }
    let count = fields.count;
    let Some((name, value)) = known.field else { return count };
    builder.field(name, value);
    count + 1
}

/// Adds a text that is not an object.
pub(super) fn keep(text: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder) {
    let flags = known.flags.with(Flags::UNPARSED);
    let mut row = Row { flags, ..text_row(FrameText::new(text)) }.with(Field::Host, known.peer);
    if let Some((name, value)) = known.field {
        builder.field(name, value);
        row.fields_behind += 1;
    }
    builder.push(&row);
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_raw;
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use logstead_record::{Batch, Origin, Timestamp};
    use proptest::prelude::*;
    use std::io::Write;

    const RECEIVED: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

    fn parse(frame: &[u8]) -> Batch {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"gelf", peer: b"10.0.0.9", received: RECEIVED });
        let known = FrameContext { peer: b"10.0.0.9", ..FrameContext::at(RECEIVED) };
        GelfParser::new(1000).parse(frame, known, &mut builder);
        builder.seal()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn zlib(text: &[u8], level: u32) -> Vec<u8> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(level));
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    /// Checks a message against `time severity host program pid | message | name=value …`.
    fn check(text: &str, expected: &str) {
        for frame in [
            text.as_bytes().to_vec(),
            gzip(text.as_bytes()),
            zlib(text.as_bytes(), 1),
            zlib(text.as_bytes(), 9),
        ] {
            let batch = parse(&frame);
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let time = batch.own_time(0).map_or("-".to_owned(), |time| time.to_string());
            let severity = batch.priority(0).map_or("-", |priority| priority.severity().name());
            let columns = [batch.host(0), batch.program(0), batch.pid(0)].map(shown).join(" ");
            let mut row = format!("{time} {severity} {columns} | {} |", shown(batch.message(0)));
            for (name, value) in batch.fields(0) {
                row += &format!(" {}={}", shown(name), shown(value));
            }
            assert_eq!(row, expected);
            assert_raw(&batch, text.as_bytes());
            assert_eq!(batch.flags(0), Flags::default());
        }
    }

    #[test]
    fn a_message_is_a_row() {
        check(
            r#"{"version":"1.1","host":"web-1","short_message":"caf\u00e9 \"x\"","full_message":"long\nstory",
                "timestamp":1385053862.3072,"level":3,"_user_id":9001,"_app":"shop","_pid":42,"_level":"odd",
                "line":356,"_":"x","facility":"daemon"}"#,
            "2013-11-21T17:11:02.307200Z err web-1 shop 42 | café \"x\" | full_message=long\nstory user_id=9001 \
             gelf.level=odd line=356 _=x",
        );
        check(
            r#"{"version":"1.1","host":"dock","short_message":"","level":6,"_container_name":"web","_tag":"f00","_image_name":"x:1"}"#,
            "- info dock web  |  | container_name=web gelf.tag=f00 image_name=x:1",
        );
        check(r#"{"full_message":"all of it"}"#, "- - 10.0.0.9   | all of it |");
        check(
            r#"{"_a":{"b":[1,2]},"timestamp":"x","level":77}"#,
            "- - 10.0.0.9   | {\"_a\":{\"b\":[1,2]},\"timestamp\":\"x\",\"level\":77} | a.b=1 a.b=2 gelf.timestamp=x gelf.level=77",
        );
    }

    #[test]
    fn what_is_not_an_object_is_kept_and_flagged() {
        for text in
            [&b"hello"[..], b"", b"[1]", b"{\"a\":", b"\x1e\x0f", b"x\x9c", b"\xff\xfe", b"\x1f\x8b garbage"]
        {
            let batch = parse(text);
            assert!(batch.flags(0).has(Flags::UNPARSED), "{text:?}");
            assert_eq!(batch.host(0), b"10.0.0.9");
            assert_raw(&batch, text);
        }
    }

    #[test]
    fn what_unpacks_to_too_much_is_cut_and_what_is_damaged_ends_early() {
        let long = format!(r#"{{"short_message":"{}"}}"#, "x".repeat(1_000_000));
        for packed in [gzip(long.as_bytes()), zlib(long.as_bytes(), 9)] {
            let batch = parse(&packed);
            assert!(batch.flags(0).has(Flags::TRUNCATED.with(Flags::UNPARSED)));
            assert_raw(&batch, &long.as_bytes()[..1000]);
        }
        let text = br#"{"short_message":"hello","_a":"1234567890"}"#;
        let packed = zlib(text, 0);
        let batch = parse(&packed[..packed.len() - 10]);
        assert!(batch.flags(0).has(Flags::INCOMPLETE.with(Flags::UNPARSED)));
        assert!(batch.message(0).starts_with(br#"{"short_message":"hello""#));
    }

    proptest! {
        #[test]
        fn any_bytes_become_one_row_whose_raw_bytes_they_are(
            frame in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "\\{(\"(_|host|level|short_message|timestamp|_id)\":(\"[a-c\\\\n\"]{0,3}\"|[0-9.e-]{1,5}|null|\\{\\}),?){0,4}\\}"
                    .prop_map(String::into_bytes),
            ],
        ) {
            let batch = parse(&frame);
            prop_assert_eq!(batch.rows(), 1);
            assert_raw(&batch, &frame);
            assert_raw(&parse(&gzip(&frame)), &frame);
        }
    }
}
