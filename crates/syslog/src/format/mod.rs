//! Turns one frame into one row of a batch. This never fails and does no I/O: garbage becomes a row whose message is
//! the whole frame.
//!
//! The two RFCs are read in one pass each; the forms of single vendors are tried only if neither fits.

mod cisco;
mod elff;
pub mod fields;
mod frame;
pub mod gelf;
mod headless;
pub mod json;
pub mod keys;
mod lines;
mod payload;
mod rfc3164;
mod rfc5424;
pub mod side_values;
mod stamp;
mod tag;
mod tags;
mod vendor;
mod word;

use encoding_rs::Encoding;
pub use frame::FrameContext;
use frame::{FrameText, text_row};
use jiff::tz::TimeZone;
use logstead_config::SourceFormat;
use logstead_record::{BatchBuilder, DAY, Field, Flags, Priority, Row};
pub use stamp::Clock;
use std::collections::HashMap;
use word::priority;

/// Reads the frames of one source.
pub enum Parser {
    /// Syslog, and lines of files.
    Syslog(SyslogParser),
    /// GELF.
    Gelf(Box<gelf::GelfParser>),
}

impl Parser {
    /// Adds the frame as a row.
    pub fn parse(&self, frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder) {
        match self {
            Parser::Syslog(syslog) => syslog.parse(frame, known, builder),
            Parser::Gelf(gelf) => gelf.parse(frame, known, builder),
        }
    }

    /// Adds a frame that cannot be read because of a bug in its parser: the whole frame is the message.
    pub fn keep(&self, frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder) {
        match self {
            Parser::Syslog(syslog) => syslog.keep(frame, known, builder),
            Parser::Gelf(_) => gelf::keep(frame, known, builder),
        }
    }
}

/// Reads syslog.
pub struct SyslogParser {
    /// The format that the frames are read as.
    pub format: SourceFormat,
    /// The zone of stamps that state none.
    pub zone: TimeZone,
    /// The zones of single senders, by their host name or address.
    pub zones: HashMap<Box<[u8]>, TimeZone>,
    /// The character set of texts that are not UTF-8.
    pub charset: &'static Encoding,
    /// Whether the frames are lines of files, which have no priority, and stamps in the forms of many programs.
    pub lines: bool,
}

impl SyslogParser {
    /// A parser for senders that write UTF-8.
    pub fn new(format: SourceFormat, zone: TimeZone) -> SyslogParser {
        SyslogParser { format, zone, zones: HashMap::new(), charset: encoding_rs::UTF_8, lines: false }
    }

    /// A parser for lines of files in UTF-8.
    pub fn of_lines(format: SourceFormat, zone: TimeZone) -> SyslogParser {
        SyslogParser { lines: true, ..SyslogParser::new(format, zone) }
    }

    /// Adds the frame as a row.
    pub fn parse(&self, frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder) {
        self.parse_in(None, frame, known, builder);
    }

    /// Parses a frame. Times without a zone are in the zone of its sender, which is only known once the frame is
    /// read.
    fn parse_in(
        &self,
        zone: Option<&TimeZone>,
        frame: &[u8],
        known: FrameContext<'_>,
        builder: &mut BatchBuilder,
    ) {
        let bytes = frame;
        let frame = FrameText::new(bytes);
        let clock = self.clock(known, zone.unwrap_or(&self.zone));
        // The row is filled and changed in place: it is so large that copying it would cost more than reading it.
        let mut parsed = match self.format {
            SourceFormat::Raw => {
                let mut row = Row { flags: known.flags, ..text_row(frame) };
                return self.push(&mut row, known, builder);
            }
            SourceFormat::Rfc5424 | SourceFormat::Auto => rfc5424::parse(frame, known, clock, builder),
            SourceFormat::Rfc3164 => None,
        };
        if parsed.is_none() && matches!(self.format, SourceFormat::Rfc3164 | SourceFormat::Auto) {
            parsed = rfc3164::parse(frame, known, clock, builder);
            if parsed.is_none() {
                parsed = headless::parse(frame, known, clock, self.lines, builder);
            }
        }
        let row = parsed.get_or_insert_with(|| {
            builder.forget_fields();
            unparsed(frame, known, self.lines)
        });
        payload::read(row, clock, builder);
        if zone.is_none()
            && !self.zones.is_empty()
            && let Some(zone) = self.zones.get(row[Field::Host]).or_else(|| self.zones.get(known.peer))
        {
            builder.forget_fields();
            return self.parse_in(Some(zone), bytes, known, builder);
        }
        if let Some(count) = vendor::repeated(row[Field::Message]) {
            builder.field(b"repeated", count);
            row.fields_behind += 1;
        }
        self.push(row, known, builder);
    }

    /// Adds a frame that cannot be read because of a bug in its parser: the whole frame is the message.
    pub fn keep(&self, frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder) {
        let flags = known.flags.with(Flags::UNPARSED);
        self.push(
            &mut Row { flags, ..text_row(FrameText::new(frame)) }.with(Field::Host, known.peer),
            known,
            builder,
        );
    }

    /// The facts that the stamps of a frame leave open. A line was written before it was read, whatever its zone.
    fn clock<'a>(&self, known: FrameContext<'_>, zone: &'a TimeZone) -> Clock<'a> {
        let FrameContext { received, written, .. } = known;
        if self.lines {
            let latest = written.min(received).saturating_add(DAY);
            return Clock { received, latest, zone };
        }
        Clock::of_receipt(received, zone)
    }

    /// Adds the row with the facts about its sender.
    fn push(&self, row: &mut Row<'_>, known: FrameContext<'_>, builder: &mut BatchBuilder) {
        if let Some((name, value)) = known.field {
            builder.field(name, value);
            row.fields_behind += 1;
        }
        match self.decoded(row[Field::Message]) {
            None => builder.push(row),
            Some(text) => {
                builder.push(&Row { message_at: None, ..*row }.with(Field::Message, text.as_bytes()))
            }
        }
    }

    /// The text converted to UTF-8, if it is in another character set and one is expected.
    fn decoded(&self, text: &[u8]) -> Option<String> {
        if self.charset == encoding_rs::UTF_8 || std::str::from_utf8(text).is_ok() {
            return None;
        }
        Some(self.charset.decode_without_bom_handling(text).0.into_owned())
    }
}

/// The row if no format fits: the whole frame is the message. A packet without a priority counts as user.notice; a
/// line of a file has no priority.
fn unparsed<'a>(frame: FrameText<'a>, known: FrameContext<'a>, is_line: bool) -> Row<'a> {
    let said = priority(frame.text, frame.start).map(|(priority, _)| priority);
    Row {
        priority: said.or((!is_line).then_some(Priority::DEFAULT)),
        flags: known.flags.with(Flags::UNPARSED),
        ..text_row(frame)
    }
    .with(Field::Host, known.peer)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::frame::visible;
    use super::*;
    use logstead_record::{Batch, Origin, Timestamp};
    use proptest::prelude::*;

    pub(crate) const RECEIVED: &str = "2026-11-21T06:13:00Z";

    pub(crate) fn parse_as(format: SourceFormat, zone: &str, frame: &[u8]) -> Batch {
        let received = Timestamp::parse_rfc3339(RECEIVED.as_bytes()).unwrap();
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"syslog", peer: b"10.0.0.9", received });
        let syslog = SyslogParser::new(format, TimeZone::get(zone).unwrap());
        let known = FrameContext { peer: b"10.0.0.9", ..FrameContext::at(received) };
        syslog.parse(frame, known, &mut builder);
        builder.seal()
    }

    /// Checks the time, priority, host, program, pid, msgid and message of one frame; `-` is a missing time.
    pub(crate) fn check(frame: &str, expected: [&str; 7]) {
        let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = [
            batch.own_time(0).map_or("-".to_owned(), |time| time.to_string()),
            batch.priority(0).map_or("-".to_owned(), |priority| priority.number().to_string()),
            text(batch.host(0)),
            text(batch.program(0)),
            text(batch.pid(0)),
            text(batch.msgid(0)),
            text(batch.message(0)),
        ];
        assert_eq!(found, expected, "{frame}");
        assert_raw(&batch, frame.as_bytes());
    }

    pub(crate) fn assert_raw(batch: &Batch, frame: &[u8]) {
        let mut raw = Vec::new();
        batch.write_raw(0, &mut raw);
        assert_eq!(String::from_utf8_lossy(&raw), String::from_utf8_lossy(frame));
        assert_eq!(raw, frame);
    }

    #[test]
    fn a_sender_may_have_a_zone_of_its_own() {
        let zones = [("edge", "Europe/Helsinki"), ("10.0.0.9", "Asia/Kolkata")];
        let zone = |(sender, zone): (&str, &str)| (sender.as_bytes().into(), TimeZone::get(zone).unwrap());
        let syslog = SyslogParser {
            zones: zones.into_iter().map(zone).collect(),
            ..SyslogParser::new(SourceFormat::Auto, TimeZone::UTC)
        };
        let hour = |frame: &str, peer: &str| {
            let received = Timestamp::parse_rfc3339(b"2026-11-22T12:00:00Z").unwrap();
            let mut builder = BatchBuilder::new();
            builder.origin(Origin { source: b"tcp", peer: peer.as_bytes(), received });
            let known = FrameContext { peer: peer.as_bytes(), ..FrameContext::at(received) };
            syslog.parse(frame.as_bytes(), known, &mut builder);
            let batch = builder.seal();
            assert_eq!(batch.rows(), 1);
            assert_raw(&batch, frame.as_bytes());
            batch.own_time(0).unwrap().to_string().get(11..16).unwrap().to_owned()
        };
        assert_eq!(hour("<13>Nov 22 12:00:00 other app: text", "10.0.0.1"), "12:00");
        assert_eq!(hour("<13>Nov 22 12:00:00 edge app: a=1 b=2", "10.0.0.1"), "10:00");
        assert_eq!(hour("<13>Nov 22 12:00:00 other app: text", "10.0.0.9"), "06:30");
        // The host takes precedence over the address, which may be a relay's.
        assert_eq!(hour("<13>Nov 22 12:00:00 edge app: text", "10.0.0.9"), "10:00");
        assert_eq!(
            hour("<13>1 2026-11-22T12:00:00Z edge app - - - text", "10.0.0.1"),
            "12:00",
            "it says its zone"
        );
    }

    #[test]
    fn what_is_no_syslog_is_kept_whole_and_flagged() {
        for frame in [&b"plain words"[..], b"<999>x", b"<>x", b"<13", b"\xff\xfe\x00\x01", b"", b"{\"a\":1"] {
            let batch = parse_as(SourceFormat::Auto, "UTC", frame);
            assert!(batch.flags(0).has(Flags::UNPARSED), "{frame:?}");
            assert_eq!(batch.message(0), visible(frame));
            assert_eq!((batch.host(0), batch.priority(0)), (&b"10.0.0.9"[..], Some(Priority::DEFAULT)));
            assert_raw(&batch, frame);
        }
    }

    #[test]
    fn text_in_another_character_set_is_shown_as_utf_8_and_kept_as_it_is() {
        let received = Timestamp::parse_rfc3339(RECEIVED.as_bytes()).unwrap();
        let check = |charset: &str, message: &[u8], expected: &str| {
            let charset = Encoding::for_label(charset.as_bytes()).unwrap();
            let syslog = SyslogParser { charset, ..SyslogParser::new(SourceFormat::Auto, TimeZone::UTC) };
            let frame = [b"<13>1 2026-11-21T06:13:00Z h a - - - ", message].concat();
            let mut builder = BatchBuilder::new();
            builder.origin(Origin { source: b"syslog", peer: b"", received });
            syslog.parse(&frame, FrameContext::at(received), &mut builder);
            let batch = builder.seal();
            assert_eq!(String::from_utf8_lossy(batch.message(0)), expected);
            assert_raw(&batch, &frame);
        };
        check("iso-8859-1", b"Gr\xfc\xdfe", "Grüße");
        check("shift_jis", b"\x83\x8d\x83O", "ログ");
        check("gbk", b"\xc8\xd5\xd6\xbe", "日志");
        check("gbk", "already UTF-8: 日志".as_bytes(), "already UTF-8: 日志");
        check("utf-8", b"\xfc", "\u{fffd}");
    }

    #[test]
    fn what_is_known_of_the_sender_is_a_field_that_costs_no_head() {
        let received = Timestamp::parse_rfc3339(RECEIVED.as_bytes()).unwrap();
        let frame = br#"<13>1 2026-11-21T06:13:00Z h a - - [x@1 a="b"] hello"#;
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"syslog", peer: b"", received });
        let known = FrameContext { field: Some((b"tls.subject", b"CN=web-1")), ..FrameContext::at(received) };
        SyslogParser::new(SourceFormat::Auto, TimeZone::UTC).parse(frame, known, &mut builder);
        let batch = builder.seal();
        let fields: Vec<_> = batch.fields(0).collect();
        assert_eq!(fields, [(&b"x@1.a"[..], &b"b"[..]), (b"tls.subject", b"CN=web-1")]);
        assert!(batch.columns().head().bytes().len() <= 1);
        assert_raw(&batch, frame);
    }

    #[test]
    fn a_raw_source_parses_nothing() {
        let batch = parse_as(SourceFormat::Raw, "UTC", b"<13>1 2026-11-21T06:13:00Z h a - - - x\n");
        assert_eq!(batch.message(0), b"<13>1 2026-11-21T06:13:00Z h a - - - x");
        assert!(batch.host(0).is_empty() && batch.flags(0) == Flags::default());
    }

    proptest! {
        #[test]
        fn the_exact_bytes_are_kept_whatever_they_are(
            frame in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "<[0-9]{1,3}>1 2026-11-2[0-9]T06:13:00(\\.[0-9]{1,9})?(Z|\\+0[01]:00) [a-]{1,2} [a-]{1,2} [1-]{1,2} - (-|\\[[a-c@.]{1,4}( [a-b]{1,2}=\"[a\\\\\"\\]]{0,3}\"){0,2}\\]){1,2} ?(\u{feff})?[a-z ]{0,5}\r?"
                    .prop_map(String::into_bytes),
                "<[0-9]{1,3}>(Nov|Jan|Dec|Fob) [ 0-3][0-9] [0-2][0-9]:13:00 [a-b.]{0,3} ?[a-z/]{0,4}(\\[[0-9]{1,3}\\])?:? ?[a-z ]{0,9}"
                    .prop_map(String::into_bytes),
                "( |\u{feff})?<[0-9]{1,3}>(1 |: |41: |sw-1: |RP/0/CPU0:){0,3}[*.]?(2026 )?(Nov|Jan|Fri Jan)  5 (2024 )?02:13:00(\\.[0-9]{1,3})?( UTC| LAB|\\+02)?( 2024)?:? (p\\[1\\]: |h : |lb notice )?(%[A-Z]-[0-9](-[A-Z])?:? ?|last message repeated 3 times)?"
                    .prop_map(String::into_bytes),
                "<13>1 2026-11-21T06:13:00Z h p - - \\[[a-c@. ]{0,4}( ?[a-b]{1,2}=[a\\\\\"\\] ]{0,5}){0,3}\\]? ?(last message repeated 3 times)?"
                    .prop_map(String::into_bytes),
                "<1?[0-9>]{0,3}(1 )?179526240[0-9](\\.[0-9]{1,10})? ?[a-z%: -]{0,9}".prop_map(String::into_bytes),
            ]
        ) {
            for zone in ["UTC", "Europe/Budapest"] {
                assert_raw(&parse_as(SourceFormat::Auto, zone, &frame), &frame);
            }
        }
    }
}
