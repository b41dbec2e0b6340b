//! The columns of a batch as bytes, group after group: the body of a journal frame before it is compressed. In a
//! block each group is compressed separately.
//!
//! Everything is little endian. The number of rows is in the frame's header or in the block's table.
//!
//! | group   | columns                                   |
//! |---------|-------------------------------------------|
//! | stamps  | received, time, priority, flags           |
//! | names   | source, peer, host, program, msgid        |
//! | pid     | pid                                       |
//! | message | message                                   |
//! | fields  | field counts, field names, field values   |
//! | head    | head forms, head, tail                    |
//!
//! In a journal the column *copy of* follows the groups, missing where no message is a copy. In a block it is in none of
//! them.
//!
//! | column                                | bytes                                                             |
//! |---------------------------------------|-------------------------------------------------------------------|
//! | received, time                        | for each row the difference to the row before: zigzag, LEB128     |
//! | priority, flags, head forms           | a byte a row                                                      |
//! | field counts                          | *numbers*                                                         |
//! | pid, message, field values, head, tail | *numbers* (length of each row), then all rows back to back       |
//! | source, peer, host, program, msgid, copy of, field names | u32 number of distinct values, those as a text column, *numbers* (the value of each row) |
//!
//! In a block of the first version the message is a byte 1 and then each text with a line feed behind it, where none of them holds one;
//! otherwise a byte 0 and then as above. The lengths of texts take room that their ends do not.
//!
//! *Numbers* are a byte that says how wide each is (1, 2 or 4), then each. No number is stored in no byte, so
//! that a few bytes cannot claim to be many rows.
//!
//! **Invariant:** what [`write`] writes, [`read`] reads as an equal batch; anything else that [`read`] accepts
//! is a batch whose columns fit each other.

use logstead_record::columns::{COPY_OF, FLAGS, HEAD, HEAD_FORM, MESSAGE, PID, PRIORITY, TAIL};
use logstead_record::{BATCH_BYTES_MAX, Batch, ColumnError, Columns, Group, NameColumn, TextColumn};
use std::sync::Arc;

/// Why bytes are not columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    /// They end too early.
    #[error("the columns end at byte {at}, in the middle of something")]
    Short {
        /// How many there are.
        at: usize,
    },
    /// Something follows the last column.
    #[error("{bytes} bytes follow the last column")]
    Long {
        /// How much.
        bytes: usize,
    },
    /// Invalid number width.
    #[error("numbers of {0} bytes")]
    Width(u8),
    /// A difference has more than 64 bits.
    #[error("a time difference of more than 64 bits")]
    Difference,
    /// A column is larger than any column may be.
    #[error("a column of more than {BATCH_BYTES_MAX} bytes")]
    Large,
    /// The columns do not fit each other.
    #[error(transparent)]
    Misfit(#[from] ColumnError),
}

/// Appends all columns of a batch to `out`.
pub(crate) fn write(batch: &Batch, out: &mut Vec<u8>) {
    out.reserve(batch.memory_bytes());
    for group in Group::ALL {
        write_group(batch, group, out);
    }
    if batch.has_copies() {
        write_names(&batch.columns().names[COPY_OF], out);
    }
}

/// Appends the columns of one group to `out`.
pub(crate) fn write_group(batch: &Batch, group: Group, out: &mut Vec<u8>) {
    let c = batch.columns();
    match group {
        Group::Stamps => {
            c.times.iter().for_each(|times| write_differences(times, out));
            out.extend_from_slice(&c.bytes[PRIORITY]);
            out.extend_from_slice(&c.bytes[FLAGS]);
        }
        Group::Names => c.names[..COPY_OF].iter().for_each(|names| write_names(names, out)),
        Group::Pid => write_text(&c.texts[PID], out),
        Group::Message => write_text(&c.texts[MESSAGE], out),
        Group::Fields => {
            write_lengths(&c.field_ends, out);
            write_names(&c.field_names, out);
            write_text(&c.field_values, out);
        }
        Group::Head => {
            out.extend_from_slice(&c.bytes[HEAD_FORM]);
            write_text(&c.texts[HEAD], out);
            write_text(&c.texts[TAIL], out);
        }
    }
}

/// Reads the columns of `rows` rows. They must fill `bytes`.
pub(crate) fn read(bytes: &[u8], rows: usize) -> Result<Batch, ColumnsError> {
    let mut input = Input { rest: bytes, bytes: bytes.len() };
    let mut columns = Columns::default();
    for group in Group::ALL {
        input.group(group, rows, &mut columns)?;
    }
    columns.names[COPY_OF] = match input.rest {
        [] if rows == 0 => NameColumn::default(),
        [] => NameColumn::empty(rows),
        _ => input.names(rows)?,
    };
    input.end()?;
    Ok(Batch::from_columns(columns)?)
}

/// Reads some groups of a block's columns of `rows` rows; the other columns say nothing.
pub(crate) fn read_groups(groups: &[(Group, &[u8])], rows: usize) -> Result<Batch, ColumnsError> {
    let mut columns = Columns::empty(rows);
    for &(group, bytes) in groups {
        let mut input = Input { rest: bytes, bytes: bytes.len() };
        match group {
            Group::Message => columns.texts[MESSAGE] = Arc::new(input.lines_or_text(rows)?),
            _ => input.group(group, rows, &mut columns)?,
        }
        input.end()?;
    }
    Ok(Batch::from_columns(columns)?)
}

fn write_differences(values: &[i64], out: &mut Vec<u8>) {
    let mut before = 0_i64;
    for &value in values {
        let difference = value.wrapping_sub(before);
        before = value;
        let mut zigzag = (difference << 1 ^ difference >> 63) as u64;
        while 0x80 <= zigzag {
            out.push(zigzag as u8 | 0x80);
            zigzag >>= 7;
        }
        out.push(zigzag as u8);
    }
}

fn write_names(names: &NameColumn, out: &mut Vec<u8>) {
    out.extend_from_slice(&(names.values().len() as u32).to_le_bytes());
    write_text(names.values(), out);
    write_numbers(names.ids().iter().copied(), out);
}

fn write_text(text: &TextColumn, out: &mut Vec<u8>) {
    write_lengths(text.ends(), out);
    out.extend_from_slice(text.bytes());
}

fn write_lengths(ends: &[u32], out: &mut Vec<u8>) {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    write_numbers(ends.iter().zip(starts).map(|(end, start)| end - start), out);
}

fn write_numbers(numbers: impl Iterator<Item = u32> + Clone, out: &mut Vec<u8>) {
    match numbers.clone().max().unwrap_or(0) {
        0..=0xff => {
            out.push(1);
            out.extend(numbers.map(|number| number as u8));
        }
        0x100..=0xffff => {
            out.push(2);
            numbers.for_each(|number| out.extend_from_slice(&(number as u16).to_le_bytes()));
        }
        _ => {
            out.push(4);
            numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
    }
}

/// What is still to be read.
struct Input<'a> {
    rest: &'a [u8],
    bytes: usize,
}

impl<'a> Input<'a> {
    fn group(&mut self, group: Group, rows: usize, c: &mut Columns) -> Result<(), ColumnsError> {
        match group {
            Group::Stamps => {
                for times in &mut c.times {
                    *times = self.differences(rows)?;
                }
                c.bytes[PRIORITY] = self.take(rows)?.to_vec();
                c.bytes[FLAGS] = self.take(rows)?.to_vec();
            }
            Group::Names => {
                for names in &mut c.names[..COPY_OF] {
                    *names = self.names(rows)?;
                }
            }
            Group::Pid => c.texts[PID] = Arc::new(self.text(rows)?),
            Group::Message => c.texts[MESSAGE] = Arc::new(self.text(rows)?),
            Group::Fields => {
                c.field_ends = self.ends(rows)?;
                let fields = c.field_ends.last().map_or(0, |&end| end as usize);
                c.field_names = self.names(fields)?;
                c.field_values = self.text(fields)?;
            }
            Group::Head => {
                c.bytes[HEAD_FORM] = self.take(rows)?.to_vec();
                c.texts[HEAD] = Arc::new(self.text(rows)?);
                c.texts[TAIL] = Arc::new(self.text(rows)?);
            }
        }
        Ok(())
    }

    fn lines_or_text(&mut self, rows: usize) -> Result<TextColumn, ColumnsError> {
        match self.byte()? {
            0 => self.text(rows),
            1 => self.lines(rows),
            other => Err(ColumnsError::Width(other)),
        }
    }

    /// `rows` texts with a line feed behind each: all that is left.
    fn lines(&mut self, rows: usize) -> Result<TextColumn, ColumnsError> {
        let bytes = std::mem::take(&mut self.rest);
        let (short, long) =
            (ColumnsError::Short { at: self.bytes }, ColumnsError::Long { bytes: bytes.len() });
        if BATCH_BYTES_MAX < bytes.len() {
            return Err(ColumnsError::Large);
        }
        let mut texts = TextColumn::with_capacity(rows.min(bytes.len()), bytes.len());
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            texts.push(&bytes[start..end]);
            start = end + 1;
        }
        match (start == bytes.len(), texts.len().cmp(&rows)) {
            (true, std::cmp::Ordering::Equal) => Ok(texts),
            (_, std::cmp::Ordering::Greater) => Err(long),
            _ => Err(short),
        }
    }

    fn end(&self) -> Result<(), ColumnsError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ColumnsError::Long { bytes: self.rest.len() }) }
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], ColumnsError> {
        let (taken, rest) =
            self.rest.split_at_checked(bytes).ok_or(ColumnsError::Short { at: self.bytes })?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, ColumnsError> {
        Ok(self.take(1)?[0])
    }

    fn differences(&mut self, rows: usize) -> Result<Vec<i64>, ColumnsError> {
        if self.rest.len() < rows {
            return Err(ColumnsError::Short { at: self.bytes });
        }
        let mut before = 0_i64;
        let mut values = Vec::with_capacity(rows);
        for _ in 0..rows {
            let zigzag = self.varint()?;
            before = before.wrapping_add((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64));
            values.push(before);
        }
        Ok(values)
    }

    fn varint(&mut self) -> Result<u64, ColumnsError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(ColumnsError::Difference);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ColumnsError::Difference)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, ColumnsError> {
        let width = self.byte()?;
        let mut of_width = |width| self.take(count.checked_mul(width).ok_or(ColumnsError::Large)?);
        Ok(match width {
            1 => of_width(1)?.iter().map(|&number| u32::from(number)).collect(),
            2 => of_width(2)?.as_chunks().0.iter().map(|&n| u32::from(u16::from_le_bytes(n))).collect(),
            4 => of_width(4)?.as_chunks().0.iter().map(|&n| u32::from_le_bytes(n)).collect(),
            other => return Err(ColumnsError::Width(other)),
        })
    }

    /// Lengths, as ends.
    fn ends(&mut self, count: usize) -> Result<Vec<u32>, ColumnsError> {
        let mut numbers = self.numbers(count)?;
        let mut end = 0_usize;
        for number in &mut numbers {
            end += *number as usize;
            if BATCH_BYTES_MAX < end {
                return Err(ColumnsError::Large);
            }
            *number = end as u32;
        }
        Ok(numbers)
    }

    fn text(&mut self, rows: usize) -> Result<TextColumn, ColumnsError> {
        let ends = self.ends(rows)?;
        let bytes = self.take(ends.last().map_or(0, |&end| end as usize))?;
        Ok(TextColumn::from_parts(bytes.to_vec(), ends)?)
    }

    fn names(&mut self, rows: usize) -> Result<NameColumn, ColumnsError> {
        let count = self.take(4)?.first_chunk().copied().map_or(0, u32::from_le_bytes);
        let values = self.text(count as usize)?;
        Ok(NameColumn::from_parts(values, self.numbers(rows)?)?)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use logstead_record::{
        BatchBuilder, Field, Flags, HeadForm, Origin, Priority, Row, Selection, Timestamp,
    };
    use proptest::collection::vec;
    use proptest::prelude::*;

    type Texts = Vec<Vec<u8>>;

    /// Batches with anything in every column: a few texts or many, empty or long, and any bytes.
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

    /// Changes a byte, which must not go unnoticed by what relies on it.
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
            let mut input = Input { rest: &out, bytes: out.len() };
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

    /// The layout of every column in every group, written out: what is on disks already is read by it.
    #[test]
    fn each_group_has_the_bytes_that_it_always_had() {
        let batch = two_messages();
        let name = |text: u8| [2, 0, 0, 0, 1, 1, 0, text, 1, 0, 1];
        let expected: [(Group, &[&[u8]]); 6] = [
            (Group::Stamps, &[&[10, 0], &[6, 0xfa], &[0xff; 8], &[1], &[13, 255], &[2, 0]]),
            (
                Group::Names,
                &[
                    b"\x01\0\0\0\x01\x01s\x01\0\0",
                    b"\x01\0\0\0\x01\x01p\x01\0\0",
                    &name(b'h'),
                    &name(b'a'),
                    &name(b'm'),
                ],
            ),
            (Group::Pid, &[b"\x01\x01\x007"]),
            (Group::Message, &[b"\x01\x02\x01hix"]),
            (Group::Fields, &[b"\x01\x01\0", b"\x01\0\0\0\x01\x01k\x01\0", b"\x01\x01v"]),
            (Group::Head, &[&[0, 0], b"\x01\x01\0<", b"\x01\x01\0>"]),
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
        let block = read_groups(&[(Group::Message, b"\x01hi\nx\n")], 2).unwrap();
        assert_eq!(block.columns().message(), batch.columns().message());
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
        let mut input = Input { rest: &[3, 0, 0, 0], bytes: 4 };
        assert_eq!(input.numbers(1), Err(ColumnsError::Width(3)));
        let lengths = [&[4_u8][..], &[0xff; 8]].concat();
        assert_eq!(Input { rest: &lengths, bytes: 9 }.ends(2), Err(ColumnsError::Large));
        let too_long = [0xff; 11];
        assert_eq!(Input { rest: &too_long, bytes: 11 }.varint(), Err(ColumnsError::Difference));
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
}
