//! The guarantees of the readers of bodies, for arbitrary bytes. Each function is the body of a fuzz target, and
//! panics if its guarantee is broken. Tests run the same functions over random bytes, without a fuzzer.

use logstead_ingest::batches::{Batches, BodySender};
use logstead_ingest::bulk::{Bulk, ReplyFilter};
use logstead_ingest::datadog::Datadog;
use logstead_ingest::encoding::{Encoding, Unpacker, snappy_block};
use logstead_ingest::gelf::GelfBody;
use logstead_ingest::hec::{self, Hec, HecMetadata};
use logstead_ingest::journal::{Journal, JournalEntry, JournalError};
use logstead_ingest::loki::{self, LokiBody};
use logstead_ingest::messages::Messages;
use logstead_ingest::native::{NativeBody, NativeFormat, ReadOptions};
use logstead_ingest::otlp::{self, OtlpBody};
use logstead_record::{Batch, BatchBuilder, Field, Flags, Origin, Timestamp};

const MESSAGES_MAX: usize = 50;
const PEER: &str = "10.0.0.9";
const RECEIVED: Timestamp = Timestamp::from_nanos(1_795_241_580_000_000_000);
/// A low limit, so that entries are cut.
const ENTRY_BYTES_MAX: usize = 64;
const UNPACKED_BYTES_MAX: usize = 4096;

/// Our own protocol: objects in lines or in an array, and lines of text, which must be in the body unchanged.
pub fn native(data: &[u8]) {
    for form in [NativeFormat::JsonLines, NativeFormat::Json, NativeFormat::Text] {
        let (all, _) =
            read(|| NativeBody::of(data.to_vec(), form, ReadOptions::default(), sender(), MESSAGES_MAX).ok());
        are_parts(&all, data);
        if form != NativeFormat::Text {
            are_texts(&all);
        }
    }
}

/// Every action has an item, in order, whether or not its document was stored.
pub fn bulk(data: &[u8]) {
    let open = || Bulk::of(data.to_vec(), None, sender(), MESSAGES_MAX).ok();
    let (all, refused) = read(open);
    are_parts(&all, data);
    are_texts(&all);
    let Some(bulk) = open() else { return };
    let mut batches = Batches::of(bulk, sender());
    let first = batches.next_batch().rows();
    let mut bulk = batches.into_messages();
    bulk.end();
    let reply = bulk.reply(first, &[], None, 0, &ReplyFilter::of(None));
    let reply: serde_json::Value = serde_json::from_str(&reply).expect("a reply is JSON");
    let items = reply["items"].as_array().expect("it has items");
    assert_eq!(items.len(), rows(&all) + refused, "{reply}");
    let statuses = items.iter().flat_map(|item| item.as_object().expect("an object").values());
    let created = statuses.filter(|item| item["status"] == 201).count();
    assert_eq!((created, reply["errors"] == true), (rows(&all), 0 < refused), "{reply}");
}

/// Both forms of Loki's push; the lines of the binary one must be in the body unchanged.
pub fn loki(data: &[u8]) {
    let (all, _) =
        read(|| LokiBody::of(data.to_vec(), loki::LokiEncoding::Json, sender(), MESSAGES_MAX).ok());
    are_texts(&all);
    let (all, _) =
        read(|| LokiBody::of(data.to_vec(), loki::LokiEncoding::Protobuf, sender(), MESSAGES_MAX).ok());
    are_parts(&all, data);
    are_texts(&all);
}

/// Splunk's events and lines: an error names the event that is wrong.
pub fn hec(data: &[u8]) {
    for form in [hec::HecFormat::Events, hec::HecFormat::Lines] {
        let open = || Hec::of(data.to_vec(), form, HecMetadata::default(), sender(), MESSAGES_MAX);
        let (all, refused) = read(|| Some(open()));
        are_parts(&all, data);
        if form == hec::HecFormat::Events {
            are_texts(&all);
        }
        let mut batches = Batches::of(open(), sender());
        batches.check(usize::MAX);
        let fault = batches.messages().fault();
        assert_eq!(fault.is_some(), 0 < refused, "{fault:?}");
        assert!(
            fault.is_none_or(|fault| fault.number == rows(&all)),
            "{fault:?} behind {} events",
            rows(&all)
        );
    }
}

/// Both encodings of OpenTelemetry.
pub fn otlp(data: &[u8]) {
    for encoding in [otlp::Encoding::Json, otlp::Encoding::Protobuf] {
        let (all, _) = read(|| OtlpBody::of(data.to_vec(), encoding, PEER, MESSAGES_MAX).ok());
        are_parts(&all, data);
        if encoding == otlp::Encoding::Json {
            are_texts(&all);
        }
    }
}

/// Graylog's objects.
pub fn gelf(data: &[u8]) {
    let (all, _) = read(|| GelfBody::of(data.to_vec(), sender(), MESSAGES_MAX).ok());
    are_parts(&all, data);
    are_texts(&all);
}

/// Datadog's objects.
pub fn datadog(data: &[u8]) {
    let (all, _) = read(|| Datadog::of(data.to_vec(), sender(), MESSAGES_MAX).ok());
    are_parts(&all, data);
    are_texts(&all);
}

/// The entries of a journal do not depend on how it is divided into reads, and the reader never holds more of it than
/// an entry and a name.
pub fn journal(data: &[u8]) {
    let [seed, journal @ ..] = data else { return };
    let (whole, how) = entries(journal, |left| left);
    let mut state = u32::from(*seed);
    let cut = entries(journal, |left| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (1 + (state >> 24) as usize % 9).min(left)
    });
    assert_eq!(cut, (whole.clone(), how));
    for (raw, ..) in &whole {
        assert!(raw.len() <= ENTRY_BYTES_MAX, "{} bytes", raw.len());
    }
}

/// A body never unpacks to more than is allowed, whatever its encoding, and a refusal has a reason.
pub fn unpack(data: &[u8]) {
    let [max, packed @ ..] = data else { return };
    let bytes_max = usize::from(*max) * UNPACKED_BYTES_MAX / 255;
    for encoding in [Encoding::Gzip, Encoding::Deflate, Encoding::Zstd, Encoding::Snappy] {
        let Ok(mut unpacker) = Unpacker::of(encoding, packed.to_vec(), bytes_max) else { continue };
        let mut bytes = 0;
        let ended = loop {
            match unpacker.step() {
                Ok(0) => break Ok(()),
                Ok(more) => bytes += more,
                Err(error) => break Err(error.to_string()),
            }
        };
        match ended {
            Ok(()) => assert!(bytes <= bytes_max && unpacker.whole().len() == bytes, "{encoding:?}"),
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
    if let Ok(block) = snappy_block(packed, bytes_max) {
        assert!(block.len() <= bytes_max);
    }
}

fn sender() -> BodySender {
    BodySender { source: "http".to_owned(), peer: PEER.to_owned(), received: RECEIVED }
}

/// All batches of a body that was accepted, and the number of refused messages. Reading ends, finds no more than is
/// allowed, and finds the same a second time, whether or not the batches of a check are kept.
fn read<M: Messages>(open: impl Fn() -> Option<M>) -> (Vec<Batch>, usize) {
    let Some(messages) = open() else { return (Vec::new(), 0) };
    let mut batches = Batches::of(messages, sender());
    let all = rest(&mut batches);
    // The message that exceeds the limit may be counted as refused.
    assert!(rows(&all) + batches.refused <= MESSAGES_MAX + 1);
    for batch in &all {
        assert_eq!(
            Batch::from_columns(batch.columns().clone()).as_ref(),
            Ok(batch),
            "the columns fit each other"
        );
    }
    for kept_bytes_max in [0, usize::MAX] {
        let mut again = Batches::of(open().expect("it is a body, as before"), sender());
        assert_eq!(again.check(kept_bytes_max), batches.refused);
        assert_eq!(rest(&mut again), all);
    }
    (all, batches.refused)
}

fn rest<M: Messages>(batches: &mut Batches<M>) -> Vec<Batch> {
    let mut all = Vec::new();
    while 0 < batches.rest_bytes() {
        all.push(batches.next_batch());
    }
    all.retain(|batch| 0 < batch.rows());
    all
}

fn rows(batches: &[Batch]) -> usize {
    batches.iter().map(Batch::rows).sum()
}

/// The raw bytes of every row are in the body, in the order of the rows.
fn are_parts(batches: &[Batch], body: &[u8]) {
    let mut left = body;
    for batch in batches {
        for row in 0..batch.rows() {
            let mut raw = Vec::new();
            batch.write_raw(row, &mut raw);
            let at = (0..=left.len()).find(|at| left[*at..].starts_with(&raw));
            let at = at.unwrap_or_else(|| panic!("{:?} is not in the body", String::from_utf8_lossy(&raw)));
            left = &left[at + raw.len()..];
        }
    }
}

/// Every text of every row is UTF-8, and a row is flagged if its raw bytes are not.
fn are_texts(batches: &[Batch]) {
    for batch in batches {
        for row in 0..batch.rows() {
            let known = Field::OF_ROWS.map(|field| batch.text(field, row));
            let fields = batch.fields(row).flat_map(|(name, value)| [name, value]);
            for text in known.into_iter().chain(fields) {
                assert!(std::str::from_utf8(text).is_ok(), "{:?}", String::from_utf8_lossy(text));
            }
            let mut raw = Vec::new();
            batch.write_raw(row, &mut raw);
            assert!(std::str::from_utf8(&raw).is_ok() || batch.flags(row).has(Flags::NOT_UTF8));
        }
    }
}

/// The bytes and the row of each entry, and the result at the end of the journal.
type Entries = (Vec<(Vec<u8>, Batch)>, Result<(), JournalError>);

/// The entries of a journal that arrives in pieces: `next` returns the length of the next piece, given the number of
/// bytes that are left.
fn entries(journal: &[u8], mut next: impl FnMut(usize) -> usize) -> Entries {
    let mut reader = Journal::new(ENTRY_BYTES_MAX);
    let mut found = Vec::new();
    let mut done = |entry: &JournalEntry| {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"http", peer: PEER.as_bytes(), received: RECEIVED });
        entry.push(PEER.as_bytes(), &mut builder);
        let batch = builder.seal();
        assert_eq!(batch.rows(), 1);
        let mut raw = Vec::new();
        batch.write_raw(0, &mut raw);
        found.push((raw, batch));
    };
    let mut at = 0;
    let mut ended = Ok(());
    while at < journal.len() && ended.is_ok() {
        let end = at + next(journal.len() - at);
        ended = reader.push(&journal[at..end], &mut done);
        at = end;
    }
    let ended = ended.and_then(|()| reader.finish(&mut done));
    (found, ended)
}
