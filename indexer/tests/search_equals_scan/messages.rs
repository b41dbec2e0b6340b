//! Messages that contain matches for the questions, and anything that an index might handle wrongly.

use crate::strategies::NOW;
use logstead_record::{Batch, BatchBuilder, Field, Flags, Origin, Priority, Row, Selection, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The length of a word that is too long for an index to keep it whole.
pub(crate) const LONG_BYTES: usize = 130;

const WORDS: [&str; 24] = [
    "disk", "Disk", "DISK", "full", "error", "failed", "10.0.0.1", "10.0.0.12", "user=anna", "user=bo", "ä",
    "Äb", "\u{212A}elvin", "eth0", "a-b_c", "timeout=250ms", "12", "0x1f", "日本", "a", "b", "--", "", "k9",
];
pub(crate) const NAMES: [&str; 10] = ["a", "A", "b", "x y", "ab", "d@1.q", "shared", "Shared", "rare", "id"];
const HOSTS: [&str; 6] = ["", "web-1", "web-2", "WEB-1", "disk", "ä"];
/// The logspaces that contain originals.
const ORIGINALS: [&str; 2] = ["main", "audit"];
const PROGRAMS: [&str; 5] = ["", "sshd", "kernel", "Error", "a/b"];

/// The time that a message gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Time {
    /// None.
    Missing,
    /// The time at which it was received.
    Now,
    /// This many nanoseconds after [`NOW`].
    Near(i64),
    /// Any time.
    At(i64),
}

#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// The time in nanoseconds since the previous message was received.
    pub(crate) later: i64,
    pub(crate) time: Time,
    pub(crate) origin: (&'static str, &'static str),
    pub(crate) priority: Option<u8>,
    pub(crate) host: String,
    pub(crate) program: &'static str,
    pub(crate) pid: &'static str,
    pub(crate) msgid: &'static str,
    pub(crate) message: Vec<u8>,
    pub(crate) fields: Vec<(String, Vec<u8>)>,
    pub(crate) flags: u8,
    /// The logspace of the original, if this is a copy.
    pub(crate) copy_of: &'static str,
    /// The length of a text appended to the message; a few long ones fill a block.
    pub(crate) tail_bytes: usize,
}

impl Message {
    pub(crate) fn text(message: &[u8]) -> Message {
        Message {
            later: 1,
            time: Time::Missing,
            origin: ("syslog", "10.0.0.1:514"),
            priority: None,
            host: String::new(),
            program: "",
            pid: "",
            msgid: "",
            message: message.to_vec(),
            fields: Vec::new(),
            flags: 0,
            copy_of: "",
            tail_bytes: 0,
        }
    }

    /// A message with its own host and fields.
    pub(crate) fn numbered(number: usize) -> Message {
        let late = (number == 69_999).then(|| ("late".to_owned(), b"69999".to_vec()));
        let fields = [("number".to_owned(), number.to_string().into_bytes())].into_iter().chain(late);
        Message { host: format!("h{number}"), fields: fields.collect(), ..Message::text(b"numbered") }
    }

    /// A message with this many fields that no other message has.
    pub(crate) fn with_fields(count: usize) -> Message {
        let fields = (0..count).map(|number| (format!("n{number}"), b"v".to_vec())).collect();
        Message { fields, ..Message::text(b"many") }
    }
}

/// Builds a batch of messages that are received one after another, from `now` on.
pub(crate) fn batch(messages: &[Message], now: &mut i64) -> Batch {
    let mut builder = BatchBuilder::new();
    for message in messages {
        *now += message.later;
        push(&mut builder, message, Timestamp::from_nanos(*now));
    }
    let batch = builder.seal();
    let copies = |of: &str| Selection::from_fn(batch.rows(), |row| messages[row].copy_of == of);
    batch.with_copies(&ORIGINALS.map(|of| (copies(of), of)))
}

fn push(builder: &mut BatchBuilder, message: &Message, received: Timestamp) {
    let (source, peer) = message.origin;
    builder.origin(Origin { source: source.as_bytes(), peer: peer.as_bytes(), received });
    for (name, value) in &message.fields {
        builder.field(name.as_bytes(), value);
    }
    let mut raw = message.message.clone();
    raw.resize(raw.len() + message.tail_bytes, b' ');
    builder.push(
        &Row {
            time: match message.time {
                Time::Missing => None,
                Time::Now => Some(received),
                Time::Near(nanos) => Some(NOW.saturating_add(nanos)),
                Time::At(nanos) => Some(Timestamp::from_nanos(nanos)),
            },
            priority: message.priority.and_then(Priority::new),
            flags: Flags(message.flags),
            ..Row::text(&raw)
        }
        .with(Field::Host, message.host.as_bytes())
        .with(Field::Program, message.program.as_bytes())
        .with(Field::Pid, message.pid.as_bytes())
        .with(Field::Msgid, message.msgid.as_bytes())
        .with(Field::Message, &message.message),
    );
}

pub(crate) fn messages() -> impl Strategy<Value = Message> {
    let later = prop_oneof![3 => 0_i64..3, 1 => Just(60_000_000_000_i64)];
    let time = prop_oneof![
        3 => Just(Time::Missing),
        3 => Just(Time::Now),
        3 => (-40_i64..40).prop_map(Time::Near),
        1 => any::<i64>().prop_map(Time::At),
        1 => select(vec![i64::MIN, i64::MIN + 1, 0, i64::MAX]).prop_map(Time::At),
    ];
    let peer = select(vec!["10.0.0.1:514", "10.0.0.2", "[::1]:6514", ""]);
    let tail_bytes = prop_oneof![15 => Just(0), 1 => Just(100_000)];
    let names = (select(&HOSTS[..]), select(&PROGRAMS[..]), select(vec!["", "ID1", "id1", "a"]));
    (
        (later, time, (select(vec!["syslog", "ab", ""]), peer), proptest::option::of(0_u8..192)),
        (
            names,
            select(vec!["", "1", "77", "a", "worker-7", "Worker-77", "10.0.0.1", "010.0.0.1", "1.10.0.0.1"]),
            texts(),
            (fields(), parts()),
        ),
        (
            prop_oneof![3 => Just(0), 1 => 0_u8..8],
            prop_oneof![3 => Just(""), 1 => select(&ORIGINALS[..])],
            tail_bytes,
        ),
    )
        .prop_map(
            |(
                (later, time, origin, priority),
                ((host, program, msgid), pid, message, (mut fields, parts)),
                (flags, copy_of, tail_bytes),
            )| {
                let host = host.to_owned();
                for (name, from, to) in parts {
                    let (from, to) = (from.index(message.len() + 1), to.index(message.len() + 1));
                    fields.push((name, message[from.min(to)..from.max(to)].to_vec()));
                }
                Message {
                    later,
                    time,
                    origin,
                    priority,
                    host,
                    program,
                    pid,
                    msgid,
                    message,
                    fields,
                    flags,
                    copy_of,
                    tail_bytes,
                }
            },
        )
}

/// Texts of a few different words, of letters that form words by chance, of an overlong word, and of bytes that are
/// not UTF-8.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let words = (vec(select(&WORDS[..]), 0..6), select(vec![" ", "  ", ", ", ":"]))
        .prop_map(|(words, separator)| words.join(separator).into_bytes());
    let letters = "[aAbBkK\u{212A}iİäÄß1 ._\\-/:\"*?\\\\,(]{0,12}".prop_map(String::into_bytes);
    let long = (LONG_BYTES - 3..LONG_BYTES + 2, select(vec!["", " disk", "x"]))
        .prop_map(|(bytes, end)| format!("{}{end}", "w".repeat(bytes)).into_bytes());
    let no_text =
        (letters.clone(), vec(any::<u8>(), 0..3), letters.clone()).prop_map(|(a, b, c)| [a, b, c].concat());
    prop_oneof![10 => words, 4 => letters, 3 => alike(), 1 => long, 1 => no_text]
}

/// Words whose ends resemble their beginnings, and numbers with more digits than fit into a slot: if they are stored
/// one after another, as in a segment, one of them may be found across the border of two others.
fn alike() -> impl Strategy<Value = Vec<u8>> {
    (vec(alike_word(), 1..5), select(vec![" ", "/", "\":\""]), select(vec!["", "took ", "{\"msg\":\""]))
        .prop_map(|(words, separator, begin)| format!("{begin}{}", words.join(separator)).into_bytes())
}

/// One of these.
pub(crate) fn alike_word() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[aA1]{1,5}", 3 => "[W1]{1,4}", 1 => "[01]{1,24}", 1 => "1?0{15,36}1?", 1 => "[a0]{8,36}"]
}

fn fields() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let number = (0_u32..10_000).prop_map(|number| number.to_string().into_bytes());
    let known = select(vec!["", "10.0.0.1", "10.0.0.1:514", "5", "1.5", "250ms", "12MB", "x"]);
    let value = prop_oneof![texts(), number, known.prop_map(|text| text.as_bytes().to_vec())];
    let field = (select(&NAMES[..]).prop_map(str::to_owned), value);
    prop_oneof![3 => Just(Vec::new()), 4 => vec(field, 1..4)]
}

/// Fields whose values are arbitrary parts of the message.
fn parts() -> impl Strategy<Value = Vec<(String, Index, Index)>> {
    let part = (select(&NAMES[..]).prop_map(str::to_owned), any::<Index>(), any::<Index>());
    prop_oneof![2 => Just(Vec::new()), 1 => vec(part, 1..4)]
}
