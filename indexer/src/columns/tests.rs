//! Columns are read back exactly as they were written, and any other bytes are rejected.

use super::*;
use logstead_record::{BatchBuilder, Field, Flags, HeadForm, Origin, Priority, Row, Selection, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;

type Texts = Vec<Vec<u8>>;

/// Batches with arbitrary values in every column: few or many texts, empty or long, of any bytes.
pub(crate) fn batches() -> impl Strategy<Value = Batch> {
    let text = || prop_oneof![6 => vec(any::<u8>(), 0..6), 1 => vec(any::<u8>(), 250..300)];
    let time = prop_oneof![any::<i64>(), 0_i64..1000, Just(i64::MIN), Just(i64::MAX)];
    let field = (vec(97_u8..100, 0..2), text());
    let row = (any::<i64>(), proptest::option::of(time), any::<u8>(), vec(text(), 6), vec(field, 0..3));
    (vec(row, 0..300), any::<bool>()).prop_map(|(rows, has_copies)| {
        let mut builder = BatchBuilder::new();
        for (received, time, byte, texts, fields) in &rows {
            let received = Timestamp::from_nanos(*received);
            builder.origin(Origin { source: &texts[0], peer: &texts[1], received });
            fields.iter().for_each(|(name, value)| builder.field(name, value));
            builder.push(&row_of(time.map(Timestamp::from_nanos), *byte, texts));
        }
        let batch = builder.seal();
        let copies = |of: u8| {
            let is_copy = |row: usize| rows[row].2 % 3 == of && rows[row].2 & Flags::COPY.0 != 0;
            Selection::from_fn(batch.rows(), |row| has_copies && is_copy(row))
        };
        batch.with_copies(&[(copies(1), "main"), (copies(2), "audit")])
    })
}

fn row_of(time: Option<Timestamp>, byte: u8, texts: &Texts) -> Row<'_> {
    Row {
        time,
        priority: Priority::new(byte),
        message_at: byte.is_multiple_of(3).then_some(0),
        head_form: HeadForm::Stored,
        flags: Flags(byte),
        ..Row::text(&texts[usize::from(byte % 2)])
    }
    .with(Field::Host, &texts[2])
    .with(Field::Program, &texts[3])
    .with(Field::Pid, &texts[4])
    .with(Field::Msgid, &texts[5])
}

fn written(batch: &Batch) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(batch, &mut bytes);
    bytes
}

/// Changes a byte. The result must be an error, or a consistent batch.
fn read_changed(bytes: &[u8], rows: usize, at: usize, change: u8) {
    let mut changed = bytes.to_vec();
    changed[at] ^= change;
    if let Ok(batch) = read(&changed, rows) {
        assert_eq!(batch.rows(), rows);
        (0..rows).for_each(|row| batch.write_raw(row, &mut Vec::new()));
    }
}

#[test]
fn numbers_take_as_little_room_as_the_largest_needs() {
    for (largest, bytes) in [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (u32::MAX, 4)] {
        let mut out = Vec::new();
        write_numbers([0, largest].into_iter(), &mut out);
        assert_eq!(out.len(), 1 + 2 * bytes);
        let mut input = ColumnReader { rest: &out, bytes: out.len() };
        assert_eq!(input.numbers(2), Ok(vec![0, largest]));
    }
}

fn two_messages() -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(5) });
    builder.field(b"k", b"v");
    builder.push(
        &Row {
            time: Some(Timestamp::from_nanos(3)),
            priority: Priority::new(13),
            message_at: Some(1),
            flags: Flags::UNPARSED,
            ..Row::text(b"<hi>")
        }
        .with(Field::Host, b"h")
        .with(Field::Program, b"a")
        .with(Field::Pid, b"7")
        .with(Field::Msgid, b"m")
        .with(Field::Message, b"hi"),
    );
    builder.push(&Row::text(b"x"));
    builder.seal()
}

/// The layout of every column in every group, written out. It must not change, because files on disk have it.
#[test]
fn each_group_has_the_bytes_that_it_always_had() {
    let batch = two_messages();
    let name = |text: u8| [2, 0, 0, 0, 1, 1, 0, text, 1, 0, 1];
    let expected: [(ColumnGroup, &[&[u8]]); 6] = [
        (ColumnGroup::Stamps, &[&[10, 0], &[6, 0xfa], &[0xff; 8], &[1], &[13, 255], &[2, 0]]),
        (
            ColumnGroup::Names,
            &[
                b"\x01\0\0\0\x01\x01s\x01\0\0",
                b"\x01\0\0\0\x01\x01p\x01\0\0",
                &name(b'h'),
                &name(b'a'),
                &name(b'm'),
            ],
        ),
        (ColumnGroup::Pid, &[b"\x01\x01\x007"]),
        (ColumnGroup::Message, &[b"\x01\x02\x01hix"]),
        (ColumnGroup::Fields, &[b"\x01\x01\0", b"\x01\0\0\0\x01\x01k\x01\0", b"\x01\x01v"]),
        (ColumnGroup::Head, &[&[0, 0], b"\x01\x01\0<", b"\x01\x01\0>"]),
    ];
    for (group, columns) in expected {
        let mut bytes = Vec::new();
        write_group(&batch, group, &mut bytes);
        assert_eq!(bytes, columns.concat(), "{group:?}");
    }
    let all: Vec<u8> = expected.iter().flat_map(|(_, columns)| columns.concat()).collect();
    assert_eq!(written(&batch), all);
    let copies = batch.with_copies(&[(Selection::from_fn(2, |row| row == 1), "c")]);
    let mut changed = all.clone();
    let flags = expected[0].1.concat().len() - 1;
    changed[flags] = Flags::COPY.0;
    changed.extend([2, 0, 0, 0, 1, 0, 1, b'c', 1, 0, 1]);
    assert_eq!(written(&copies), changed);
}

#[test]
fn columns_of_many_values_and_of_long_texts_are_read_back() {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
    let long = vec![b'x'; 70_000];
    for number in 0..70_000 {
        let host = format!("host-{number}");
        let message = if number == 5 { long.as_slice() } else { b"short" };
        builder.push(&Row::text(message).with(Field::Host, host.as_bytes()));
    }
    let batch = builder.seal();
    assert_eq!(read(&written(&batch), batch.rows()), Ok(batch));
}

#[test]
fn what_claims_more_than_it_holds_is_refused() {
    assert_eq!(read(&[], 1), Err(ColumnsError::Short { at: 0 }));
    assert_eq!(read(&[0; 9], 1 << 20), Err(ColumnsError::Short { at: 9 }));
    let mut input = ColumnReader { rest: &[3, 0, 0, 0], bytes: 4 };
    assert_eq!(input.numbers(1), Err(ColumnsError::Width(3)));
    let lengths = [&[4_u8][..], &[0xff; 8]].concat();
    assert_eq!(ColumnReader { rest: &lengths, bytes: 9 }.ends(2), Err(ColumnsError::Large));
    let too_long = [0xff; 11];
    assert_eq!(ColumnReader { rest: &too_long, bytes: 11 }.varint(), Err(ColumnsError::Difference));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(batch in batches()) {
        let bytes = written(&batch);
        prop_assert_eq!(read(&bytes, batch.rows()), Ok(batch));
    }

    #[test]
    fn what_was_changed_is_refused_or_is_a_sound_batch(
        batch in batches(), changes in vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..40),
    ) {
        let bytes = written(&batch);
        for (at, change) in changes {
            read_changed(&bytes, batch.rows(), at.index(bytes.len()), change);
        }
        for end in 0..bytes.len().min(200) {
            prop_assert!(read(&bytes[..end], batch.rows()).is_err());
        }
        prop_assert!(read(&[&bytes[..], &[0]].concat(), batch.rows()).is_err());
    }

    #[test]
    fn any_bytes_are_refused_or_are_a_sound_batch(bytes in vec(0_u8..5, 0..300), rows in 0_usize..4) {
        if let Ok(batch) = read(&bytes, rows) {
            prop_assert_eq!(batch.rows(), rows);
        }
    }
}
