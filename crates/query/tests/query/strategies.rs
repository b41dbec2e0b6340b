//! Random queries that the parser can make, and random messages that they have a chance to match.

use logstead_query::{
    Codes, DISTANCE_MAX, FieldTest, Near, Number, Pattern, PatternPart, Query, Regex, TextTest, TimeExpr,
    ValueRange, parse,
};
use logstead_record::FieldName;
use logstead_record::{
    Batch, BatchBuilder, DAY, Field, Flags, Origin, Priority, Row, SHAPED_ROWS_MIN, Timestamp,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::ops::Bound;

/// The time around which random times are chosen.
pub(crate) const NOW: Timestamp = Timestamp::from_nanos(1_795_000_000_000_000_000);

/// A few letters in several cases and widths, and word separators.
const TEXT: &str = "[aAbBkK\u{212A}iİäÄß1 ._\\-/:\"*?\\\\,(]{1,6}";

pub(crate) fn queries() -> impl Strategy<Value = Query> {
    let leaf = prop_oneof![
        1 => select(vec![Query::All, Query::Copies]),
        6 => texts().prop_map(Query::Text),
        3 => dynamic_fields(),
        3 => text_fields(),
        3 => other_fields(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(Query::and),
            vec(inner.clone(), 1..4).prop_map(Query::or),
            inner.prop_map(Query::negate),
        ]
    })
}

fn texts() -> impl Strategy<Value = TextTest> {
    prop_oneof![
        5 => patterns().prop_map(TextTest::Pattern),
        2 => nears().prop_map(TextTest::Near),
        1 => regexes().prop_map(TextTest::Regex),
    ]
}

/// Sequences of a few different words, so that some words are equal and some are prefixes of others.
fn nears() -> impl Strategy<Value = Near> {
    let words = vec(select(vec!["a", "b", "aB", "K", "1", "i", "ä", "ba"]), 2..5);
    let distance = prop_oneof![4 => 0_usize..4, 1 => 0_usize..=DISTANCE_MAX];
    (words, distance, any::<bool>(), any::<bool>()).prop_map(|(words, distance, goes_on, case_sensitive)| {
        Near::new(&words.join(" "), distance, goes_on, case_sensitive).unwrap()
    })
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let part = prop_oneof![5 => TEXT.prop_map(PatternPart::Text), 1 => Just(PatternPart::Run), 1 => Just(PatternPart::One)];
    (vec(part, 1..4), any::<bool>())
        .prop_map(|(parts, case_sensitive)| Pattern::new(parts, case_sensitive))
        .prop_filter("`*` alone is another query", |pattern| !pattern.is_any())
}

/// Searches for a few words, near each other or as a phrase.
pub(crate) fn few_words() -> impl Strategy<Value = Query> {
    let words = || vec(select(vec!["a", "A", "b", "ab"]), 1..4);
    let near = (words(), 0_usize..4, any::<bool>(), any::<bool>());
    let near =
        near.prop_filter_map("one word is near no other", |(words, distance, goes_on, case_sensitive)| {
            Near::new(&words.join("-"), distance, goes_on, case_sensitive).map(TextTest::Near)
        });
    let written = (words(), select(vec![" ", ", "]), any::<bool>(), any::<bool>());
    let written = written.prop_map(|(words, between, goes_on, case_sensitive)| {
        let end = goes_on.then_some(PatternPart::Run);
        let parts = std::iter::once(PatternPart::Text(words.join(between))).chain(end);
        TextTest::Pattern(Pattern::new(parts, case_sensitive))
    });
    (prop_oneof![2 => near, 1 => written], any::<bool>()).prop_map(|(test, in_message)| match in_message {
        true => Query::Field(FieldName::Known(Field::Message), FieldTest::Holds(test)),
        false => Query::Text(test),
    })
}

/// Messages that contain the same words.
pub(crate) fn messages_of_few_words() -> impl Strategy<Value = Batch> {
    let words = vec(select(vec!["a", "A", "b", "ab", "x"]), 0..12);
    let message = (words, select(vec![" ", ", "])).prop_map(|(words, between)| words.join(between));
    vec(message, 1..30).prop_map(|messages| {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: NOW });
        messages.iter().for_each(|message| builder.push(&Row::text(message.as_bytes())));
        builder.seal()
    })
}

fn regexes() -> impl Strategy<Value = Regex> {
    let source = select(vec!["a", "a/b", r"\bk", "^a", "b$", "[ab]+ ", r"a\\", "^$", "\"x y\"", r"\/", "ä"]);
    (source, any::<bool>()).prop_map(|(source, ignore_case)| Regex::new(source, ignore_case).unwrap())
}

fn dynamic_fields() -> impl Strategy<Value = Query> {
    let name = select(vec!["a", "B", "x y", "ab", "in", "earliest", "cs", "d@1.q", "ä", "a\"b"]);
    let networks = select(vec!["10.0.0.0/8", "10.0.0.1/32", "::/0", "fe80::/10"]);
    let test = prop_oneof![
        Just(FieldTest::Exists),
        texts().prop_map(FieldTest::Holds),
        patterns().prop_map(FieldTest::Equals),
        Just(FieldTest::Equals(Pattern::literal(""))),
        networks.prop_map(|network| FieldTest::Network(network.parse().unwrap())),
        bounds(numbers()).prop_map(FieldTest::Number),
    ];
    (name, test).prop_map(|(name, test)| Query::Field(FieldName::Dynamic(name.to_owned()), test))
}

fn text_fields() -> impl Strategy<Value = Query> {
    use Field::{Host, Message, Msgid, Peer, Pid, Program, Raw};
    let field = select(vec![Host, Message, Msgid, Peer, Pid, Program, Raw]);
    let test = prop_oneof![
        1 => Just(FieldTest::Exists),
        4 => texts().prop_map(FieldTest::Holds),
        2 => patterns().prop_map(FieldTest::Equals),
        1 => Just(FieldTest::Equals(Pattern::literal(""))),
        1 => select(vec!["10.0.0.1", "10.0.0.2", "::1", "10.0.0.1:514"])
            .prop_map(|address| FieldTest::Equals(Pattern::literal(address))),
    ];
    (field, test).prop_map(|(field, test)| Query::Field(FieldName::Known(field), test))
}

fn other_fields() -> impl Strategy<Value = Query> {
    let known = |field| move |test| Query::Field(FieldName::Known(field), test);
    let flag = select(Flags::NAMES.map(|(flag, _)| flag).to_vec());
    let network = select(vec!["10.0.0.0/31", "10.0.0.1/32", "::/64"]);
    prop_oneof![
        codes(7).prop_map(FieldTest::Code).prop_map(known(Field::Severity)),
        codes(23).prop_map(FieldTest::Code).prop_map(known(Field::Facility)),
        time_bounds().prop_map(FieldTest::Time).prop_map(known(Field::Time)),
        time_bounds().prop_map(FieldTest::Time).prop_map(known(Field::Received)),
        flag.prop_map(FieldTest::Flag).prop_map(known(Field::Flag)),
        bounds(numbers()).prop_map(FieldTest::Number).prop_map(known(Field::Pid)),
        network.prop_map(|n| FieldTest::Network(n.parse().unwrap())).prop_map(known(Field::Peer)),
        patterns().prop_map(FieldTest::Equals).prop_map(known(Field::Logspace)),
        patterns().prop_map(FieldTest::Equals).prop_map(known(Field::Source)),
        select(vec!["main", "audit", ""])
            .prop_map(|name| FieldTest::Equals(Pattern::literal(name)))
            .prop_map(known(Field::CopyOf)),
        select(vec![
            Field::Severity,
            Field::Time,
            Field::Flag,
            Field::Logspace,
            Field::Source,
            Field::CopyOf,
        ])
        .prop_map(move |field| known(field)(FieldTest::Exists)),
    ]
}

fn codes(last: u8) -> impl Strategy<Value = Codes> {
    (0..=last, 0..=last).prop_map(|(first, last)| Codes::new(first, last))
}

fn numbers() -> impl Strategy<Value = Number> + Clone {
    select(vec!["0", "-5", "1.5", "1e3", "10MB", "1KiB", "250ms", "1.5s"])
        .prop_map(|text| Number::parse(text).unwrap())
}

/// Random bounds of times. A day at the end of a range means the whole day, so such a range ends at the beginning of
/// another day.
fn time_bounds() -> impl Strategy<Value = ValueRange<TimeExpr>> {
    bounds(times()).prop_map(|ValueRange { low, high }| ValueRange {
        low: match low {
            Bound::Excluded(TimeExpr::Day(days)) => Bound::Included(TimeExpr::Day(days + 1)),
            low => low,
        },
        high: match high {
            Bound::Included(TimeExpr::Day(days)) => Bound::Excluded(TimeExpr::Day(days + 1)),
            high => high,
        },
    })
}

fn times() -> impl Strategy<Value = TimeExpr> + Clone {
    prop_oneof![
        (-DAY..DAY).prop_map(|nanos| TimeExpr::At(NOW.saturating_add(nanos))),
        (-DAY..DAY).prop_map(|nanos| TimeExpr::Local(NOW.saturating_add(nanos))),
        (-90_i64..90).prop_map(|minutes| TimeExpr::Now(minutes * 60_000_000_000)),
        (-3_i32..3).prop_map(TimeExpr::Day),
    ]
}

fn bounds<T: Clone + std::fmt::Debug + 'static>(
    ends: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = ValueRange<T>> {
    let end = || {
        let ends = ends.clone();
        prop_oneof![
            ends.clone().prop_map(Bound::Included),
            ends.prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    };
    (end(), end())
        .prop_map(|(low, high)| ValueRange { low, high })
        .prop_filter("one end is bounded", |bounds| {
            !matches!((&bounds.low, &bounds.high), (Bound::Unbounded, Bound::Unbounded))
        })
}

/// Values as senders write them: mostly the letters of the queries, sometimes invalid UTF-8.
fn values() -> impl Strategy<Value = Vec<u8>> {
    let text = "[aAbBkK\u{212A}iİäÄß1 ._\\-/:\"*?\\\\,(]{0,12}".prop_map(String::into_bytes);
    let known = select(vec!["10.0.0.1", "10.0.0.1:514", "[::1]:5", "5", "1.5", "250ms", "12MB", "x y"]);
    let words = vec(select(vec!["a", "b", "ab", "K", "\u{212A}", "1", "I", "Ä", "B", "abc", "x"]), 0..10);
    let words =
        (words, select(vec![" ", ", ", "-"])).prop_map(|(words, between)| words.join(between).into_bytes());
    prop_oneof![
        6 => text.clone(),
        4 => words,
        1 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => (text.clone(), vec(any::<u8>(), 0..3), text).prop_map(|(a, b, c)| [a, b, c].concat()),
    ]
}

#[derive(Clone, Debug)]
struct Message {
    peer: &'static str,
    source: Vec<u8>,
    received: i64,
    time: Option<i64>,
    priority: Option<u8>,
    texts: [Vec<u8>; 4],
    pid: &'static str,
    fields: Vec<(&'static str, Vec<u8>)>,
    flags: u8,
}

fn messages() -> impl Strategy<Value = Message> {
    let peers = select(vec!["10.0.0.1:514", "10.0.0.2", "[::1]:6514", ""]);
    let offset = -2 * DAY..2 * DAY;
    let field = (select(vec!["a", "A", "b", "x y", "ab", "d@1.q"]), values());
    (
        peers,
        "[ab]{0,2}",
        offset.clone(),
        proptest::option::of(offset),
        proptest::option::of(0_u8..192),
        [values(), values(), values(), values()],
        select(vec!["", "1", "77", "a"]),
        vec(field, 0..4),
        0_u8..8,
    )
        .prop_map(|(peer, source, received, time, priority, texts, pid, fields, flags)| Message {
            peer,
            source: source.into_bytes(),
            received,
            time,
            priority,
            texts,
            pid,
            fields,
            flags,
        })
}

pub(crate) fn batches() -> impl Strategy<Value = Batch> {
    vec(messages(), 0..40).prop_map(|messages| {
        let mut builder = BatchBuilder::new();
        for message in &messages {
            push(&mut builder, message);
        }
        builder.seal()
    })
}

/// A few messages that are repeated with different numbers, and with words that queries search for.
pub(crate) fn batches_that_repeat() -> impl Strategy<Value = Batch> {
    let words = vec(select(vec!["a", "A", "b1", "ab1", "1"]), 0..6);
    (vec(messages(), 1..12), words).prop_map(|(messages, words)| {
        let mut builder = BatchBuilder::new();
        for number in 0..SHAPED_ROWS_MIN + 64 {
            let mut message = messages[number % messages.len()].clone();
            let text = &mut message.texts[0];
            for word in words.iter().cycle().skip(number % 3).take(words.len()) {
                text.push(b' ');
                text.extend_from_slice(word.as_bytes());
            }
            let other_number = b'0' + (number % 3) as u8;
            text.iter_mut().filter(|byte| **byte == b'1').for_each(|byte| *byte = other_number);
            push(&mut builder, &message);
        }
        builder.seal()
    })
}

/// A few words, as a phrase or near each other.
pub(crate) fn words_with_numbers() -> impl Strategy<Value = Query> {
    "\"?[aAb1]{1,2}( [ab1]{1,2})?\\*?\"?".prop_filter_map("not a query", |text| parse(&text).ok())
}

fn push(builder: &mut BatchBuilder, message: &Message) {
    let Message { texts: [text, host, program, msgid], .. } = message;
    builder.origin(Origin {
        source: &message.source,
        peer: message.peer.as_bytes(),
        received: NOW.saturating_add(message.received),
    });
    for (name, value) in &message.fields {
        builder.field(name.as_bytes(), value);
    }
    builder.push(
        &Row {
            time: message.time.map(|nanos| NOW.saturating_add(nanos)),
            priority: message.priority.and_then(Priority::new),
            flags: Flags(message.flags),
            ..Row::text(text)
        }
        .with(Field::Host, host)
        .with(Field::Program, program)
        .with(Field::Pid, message.pid.as_bytes())
        .with(Field::Msgid, msgid),
    );
}

/// Texts made of parts of the grammar, most of them not valid queries.
pub(crate) fn garbage() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        " ", " ", " ", "(", ")", "\"", "a", "b", ":", "=", "*", "?", "\\", "/", "and", "OR", "NOT", "-", "!",
        "[", "]", "{", "}", " TO ", "..", "cs", "cs:", "severity", "host", "time", "received", "in", " in (",
        ",", "1", "~", "\"a b\"~1", "~2*", "<", ">", ">=", "|", "||", "10.0.0.0/8", "now", "-5m", "err",
        "warning", "logspace", "flag", "é", "_exists_", "earliest", "2026-09-01", "facility", "\t", "i",
        "source", "ff", "::", "user=", "5MB", "'", " | ", "stats ", "count", "avg(", " by ", "as ", "top ",
        "sort ", "where ", "timechart span=", "gap ", "> 10m", "limit ", "extract \"<a>", "parse ", "json",
        "regex /(?<a>", "fields ", "from ",
    ];
    let pieces = vec(select(PIECES), 0..14).prop_map(|pieces| pieces.concat());
    let stage = select(vec![
        "stats", "timechart", "gap", "top", "sort", "fields", "parse", "extract", "where", "limit", "uniq",
    ]);
    let stages = (pieces.clone(), stage, pieces.clone())
        .prop_map(|(filter, stage, rest)| format!("{filter} | {stage} {rest}"));
    prop_oneof![4 => pieces, 2 => stages, 1 => any::<String>()]
}
