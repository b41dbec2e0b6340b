//! The guarantees of the code that reads untrusted bytes, for arbitrary bytes. Each function is the body of a fuzz
//! target, and panics if its guarantee is broken. Tests run the same functions over random bytes, without a fuzzer.
//!
//! The first bytes of the data choose the other parameters.

use jiff::tz::TimeZone;
use logstead_config::{Framing, SourceFormat};
use logstead_record::FieldName;
use logstead_record::{Batch, BatchBuilder, Flags, Origin, Timestamp};
use logstead_syslog::format::gelf::GelfParser;
use logstead_syslog::format::{FrameContext, SyslogParser};
use logstead_syslog::framing::{Frame, Framer, SplitResult};
use logstead_syslog::proxy::{self, ParsedHeader};
use logstead_syslog::relp::{Commands, RelpCommand};

const PEER: &[u8] = b"10.0.0.9";
const RECEIVED: Timestamp = Timestamp::from_nanos(1_795_241_580_000_000_000);
/// A head with a host and a program only, and without structured data: the message follows it.
const HEAD: &[u8] = b"<13>1 - h a - - - ";
/// The maximum number of fields of a message besides those of its head.
const PAYLOAD_FIELDS_MAX: usize = 256;

/// Frames are ascending, disjoint parts of the stream, and none is too long. They do not depend on how the stream is
/// divided into reads, and every byte is in a frame, part of the framing, or skipped.
pub fn framing(data: &[u8]) {
    let [kind, limit, seed, stream @ ..] = data else { return };
    let kinds = [Framing::Auto, Framing::Newline, Framing::Octet, Framing::Nul, Framing::Multiline];
    // The limit of a source cannot be shorter than a count.
    let (framing, frame_max) = (kinds[usize::from(kind % 5)], usize::from(*limit) + 16);
    let whole = frames(framing, frame_max, stream, |left| left);
    let mut end_before = 0;
    for (start, end, _) in &whole {
        assert!(end_before <= *start && start < end && *end <= stream.len(), "{whole:?}");
        assert!(end - start <= frame_max, "{whole:?}");
        end_before = *end;
    }
    let mut state = u32::from(*seed);
    let cut = frames(framing, frame_max, stream, |left| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (1 + (state >> 24) as usize % 9).min(left)
    });
    assert_eq!(cut, whole, "{framing:?}, frames of up to {frame_max} bytes");
}

/// Commands are ascending, disjoint parts of the stream, and none is too long. They do not depend on how the stream
/// is divided into reads.
pub fn relp(data: &[u8]) {
    let [limit, seed, stream @ ..] = data else { return };
    let data_max = usize::from(*limit);
    let whole = commands(data_max, stream, |left| left);
    let mut end_before = 0;
    for RelpCommand { data, .. } in &whole {
        assert!(end_before <= data.start && data.start <= data.end && data.end as usize <= stream.len());
        assert!((data.end - data.start) as usize <= data_max);
        end_before = data.end;
    }
    let mut state = u32::from(*seed);
    let cut = commands(data_max, stream, |left| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (1 + (state >> 24) as usize % 9).min(left)
    });
    assert_eq!(cut, whole, "data of up to {data_max} bytes");
}

/// The end of a header does not depend on what follows it, and the header is not complete before.
pub fn proxy(data: &[u8]) {
    let Ok(ParsedHeader::Header { taken, peer }) = proxy::parse(data) else { return };
    assert!(taken <= data.len());
    for end in 0..taken {
        let parsed = proxy::parse(&data[..end]);
        assert!(
            matches!(parsed, Ok(ParsedHeader::More(more)) if end + more <= taken),
            "{end} of {taken}: {parsed:?}"
        );
    }
    assert_eq!(proxy::parse(&data[..taken]), Ok(ParsedHeader::Header { taken, peer }));
}

/// A frame becomes a row with exactly its bytes, whatever it looks like.
pub fn format_auto(data: &[u8]) {
    format(SourceFormat::Auto, data);
}

/// The guarantees of [`format_auto`], for sources of RFC 5424.
pub fn format_rfc5424(data: &[u8]) {
    format(SourceFormat::Rfc5424, data);
}

/// The guarantees of [`format_auto`], for sources of RFC 3164.
pub fn format_rfc3164(data: &[u8]) {
    format(SourceFormat::Rfc3164, data);
}

/// The text of a message gives a limited number of fields that queries can name, and changes nothing else.
pub fn payload(data: &[u8]) {
    let batch = parse(
        &SyslogParser::new(SourceFormat::Auto, TimeZone::UTC),
        Flags::default(),
        &[HEAD, data].concat(),
    );
    assert_eq!((batch.host(1), batch.program(1), batch.own_time(1)), (&b"h"[..], &b"a"[..], None));
    let shown = |byte: &u8| !matches!(byte, b'\r' | b'\n' | b' ' | 0);
    let text = &data[..data.iter().rposition(shown).map_or(0, |last| last + 1)];
    let message = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    assert_eq!(batch.message(1), message, "the message is kept as it was sent");
    assert!(batch.fields(1).count() <= PAYLOAD_FIELDS_MAX);
    let mut values_bytes = 0;
    for (name, value) in batch.fields(1) {
        let name = std::str::from_utf8(name).expect("a name is a text");
        assert!(
            !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control()),
            "{name:?}"
        );
        assert!(matches!(FieldName::new(name), FieldName::Dynamic(_)), "{name} is the name of another field");
        values_bytes += value.len();
    }
    assert!(values_bytes <= 2 * data.len(), "{values_bytes} bytes of values from {}", data.len());
}

/// A GELF datagram becomes a row whatever it contains, with no more bytes than a message may have; an uncompressed
/// one is kept as it was sent.
pub fn gelf(data: &[u8]) {
    let [max, frame @ ..] = data else { return };
    let bytes_max = usize::from(*max) + 16;
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"gelf", peer: PEER, received: RECEIVED });
    let gelf = GelfParser::new(bytes_max);
    for _ in 0..2 {
        gelf.parse(frame, FrameContext { peer: PEER, ..FrameContext::at(RECEIVED) }, &mut builder);
    }
    let batch = builder.seal();
    assert_eq!(
        Batch::from_columns(batch.columns().clone()).as_ref(),
        Ok(&batch),
        "the columns fit each other"
    );
    let [raw, again] = [0, 1].map(|row| {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        raw
    });
    assert_eq!((batch.rows(), &raw), (2, &again));
    assert!(batch.fields(0).eq(batch.fields(1)), "one takes nothing from the next");
    match frame {
        // The frame looks compressed. If it cannot be unpacked, it is kept as it is.
        [0x1F, 0x8B, ..] | [0x78, ..] => assert!(raw.len() <= bytes_max || raw == frame),
        _ => assert_eq!(raw, &frame[..frame.len().min(bytes_max)]),
    }
}

fn format(format: SourceFormat, data: &[u8]) {
    let [choice, frame @ ..] = data else { return };
    let zone = if choice & 8 == 0 { TimeZone::UTC } else { budapest() };
    let syslog = SyslogParser { lines: choice & 16 != 0, ..SyslogParser::new(format, zone) };
    let batch = parse(&syslog, Flags(choice & 7), frame);
    let kept = batch.flags(1);
    assert!(kept.has(Flags(choice & 7 & !Flags::UNPARSED.0)), "what framing noted stays");
}

/// Parses a frame between two others: it takes nothing from them and leaves nothing to them.
fn parse(syslog: &SyslogParser, flags: Flags, frame: &[u8]) -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"syslog", peer: PEER, received: RECEIVED });
    let known = FrameContext { peer: PEER, ..FrameContext::at(RECEIVED) };
    let other = b"<13>1 2026-11-21T06:13:00Z h a - - [x k=\"v\"] m";
    syslog.parse(other, known, &mut builder);
    syslog.parse(frame, FrameContext { flags, ..known }, &mut builder);
    syslog.parse(other, known, &mut builder);
    let batch = builder.seal();
    let again = Batch::from_columns(batch.columns().clone()).expect("the columns fit each other");
    assert_eq!(again, batch);
    for (row, expected) in [(0, &other[..]), (1, frame), (2, &other[..])] {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        assert_eq!(raw, expected, "the exact bytes of row {row}");
    }
    assert!(batch.fields(0).eq(batch.fields(2)) && batch.message(0) == batch.message(2));
    batch
}

/// The frames of a stream that arrives in pieces of `piece` bytes, as ranges of the whole.
fn frames(
    framing: Framing,
    frame_max: usize,
    stream: &[u8],
    mut piece: impl FnMut(usize) -> usize,
) -> Vec<(usize, usize, Flags)> {
    let mut framer = Framer::new(framing, frame_max);
    let (mut taken, mut read) = (0, 0);
    let (mut found, mut new, mut skipped_bytes) = (Vec::new(), SplitResult::default(), 0);
    let mut collect = |new: &mut SplitResult, at: usize| {
        found.extend(new.frames.drain(..).map(|f| (at + f.start as usize, at + f.end as usize, f.flags)));
        skipped_bytes += new.skipped.drain(..).map(|s| (s.end - s.start) as usize).sum::<usize>();
    };
    while read < stream.len() {
        read += piece(stream.len() - read);
        let used = framer.split(&stream[taken..read], &mut new);
        collect(&mut new, taken);
        taken += used;
    }
    framer.finish(&stream[taken..], &mut new);
    collect(&mut new, taken);
    let frame_bytes: usize = found.iter().map(|(start, end, _)| end - start).sum();
    assert_eq!(frame_bytes + skipped_bytes + new.framing_bytes, stream.len(), "every byte is accounted for");
    found
}

fn budapest() -> TimeZone {
    TimeZone::get("Europe/Budapest").expect("a zone that every system knows")
}

/// The commands of a stream that arrives in pieces, up to its first error: `next` returns the length of the next
/// piece, given the number of bytes that are left.
fn commands(data_max: usize, stream: &[u8], mut next: impl FnMut(usize) -> usize) -> Vec<RelpCommand> {
    let mut splitter = Commands::new(data_max);
    let (mut start, mut end) = (0, 0);
    let (mut found, mut all) = (Vec::new(), Vec::new());
    while end < stream.len() {
        end += next(stream.len() - end);
        let taken = splitter.split(&stream[start..end], &mut found);
        all.extend(found.drain(..).map(|command| {
            let data = command.data;
            let data = Frame { start: data.start + start as u32, end: data.end + start as u32, ..data };
            RelpCommand { data, ..command }
        }));
        match taken {
            Ok(taken) => start += taken,
            Err(_) => break,
        }
    }
    all
}
