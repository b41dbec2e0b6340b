//! Builds batches from parsed messages: a [`Row`] for each message, from an [`Origin`].

use crate::batch::Batch;
use crate::column::{NameColumnBuilder, TextColumn};
use crate::columns::{
    COPY_OF, Columns, FLAGS, HEAD, HEAD_FORM, MESSAGE, NO_PRIORITY, NO_TIME, OWN_TIME, PID, PRIORITY,
    RECEIVED, TAIL,
};
use crate::field::{Field, ORIGIN_NAMES, ROW_NAMES, Storage, TEXTS};
use crate::flags::Flags;
use crate::priority::Priority;
use crate::raw::{HeadForm, HeadParts};
use crate::time::Timestamp;
use std::array::from_fn;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

/// The origin of the messages that are pushed next. The clock is read once for many messages.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The id of the configured source.
    pub source: &'a [u8],
    /// The address of the sender.
    pub peer: &'a [u8],
    /// The time of receipt.
    pub received: Timestamp,
}

/// One parsed frame. `row[Field::Host]` is the text of a field; absent texts are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// The time that the message states.
    pub time: Option<Timestamp>,
    /// Its priority.
    pub priority: Option<Priority>,
    /// Its fields that are kept as names or texts.
    pub texts: RowTexts<'a>,
    /// The exact bytes as received.
    pub raw: &'a [u8],
    /// The position of the message in `raw`; `None` if it does not occur there unchanged.
    pub message_at: Option<usize>,
    /// The form in which the bytes before the message can probably be written again.
    pub head_form: HeadForm,
    /// The number of the last fields that do not occur in those bytes.
    pub fields_behind: usize,
    /// Flags set during receipt.
    pub flags: Flags,
}

/// The texts of a row, by the number of their column.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowTexts<'a> {
    names: [&'a [u8]; ROW_NAMES],
    texts: [&'a [u8]; TEXTS],
}

impl<'a> Row<'a> {
    /// Makes a row of bytes that were not parsed: all of them are the message.
    #[inline]
    pub fn text(raw: &'a [u8]) -> Row<'a> {
        Row { raw, message_at: Some(0), ..Row::default() }.with(Field::Message, raw)
    }

    /// Sets the text of a field.
    ///
    /// # Panics
    /// When the field is not one of [`Field::OF_ROWS`].
    #[inline]
    #[must_use]
    pub fn with(mut self, field: Field, text: &'a [u8]) -> Row<'a> {
        self[field] = text;
        self
    }
}

impl<'a> Index<Field> for Row<'a> {
    type Output = &'a [u8];

    /// # Panics
    /// When the field is not one of [`Field::OF_ROWS`].
    #[inline]
    fn index(&self, field: Field) -> &&'a [u8] {
        match field.storage() {
            Storage::Text(number) => &self.texts.texts[number],
            _ => &self.texts.names[field.number() - ORIGIN_NAMES],
        }
    }
}

impl IndexMut<Field> for Row<'_> {
    #[inline]
    fn index_mut(&mut self, field: Field) -> &mut Self::Output {
        match field.storage() {
            Storage::Text(number) => &mut self.texts.texts[number],
            _ => &mut self.texts.names[field.number() - ORIGIN_NAMES],
        }
    }
}

/// Builds batches, one after the other.
#[derive(Default)]
pub struct BatchBuilder {
    /// All columns except those of names and texts.
    columns: Columns,
    texts: [TextColumn; TEXTS + 2],
    received: i64,
    /// The ids of the names that come from the origin.
    origin: [u32; ORIGIN_NAMES],
    names: [NameColumnBuilder; Field::NAMES],
    field_names: NameColumnBuilder,
    /// A buffer for the ids in this batch of another batch's names.
    new_ids: Vec<u32>,
    /// A buffer for a head that is written from the columns for comparison.
    head: Vec<u8>,
}

impl BatchBuilder {
    /// An empty builder.
    pub fn new() -> BatchBuilder {
        BatchBuilder::default()
    }

    /// Reserves room for about this many messages, with this total length in bytes.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        let c = &mut self.columns;
        c.times.iter_mut().for_each(|times| times.reserve(rows));
        c.bytes.iter_mut().for_each(|bytes| bytes.reserve(rows));
        c.field_ends.reserve(rows);
        if self.rows() == 0 {
            let bytes_of = |number| match number {
                MESSAGE => bytes,
                PID => rows * 4,
                _ => 0,
            };
            self.texts = from_fn(|number| TextColumn::with_capacity(rows, bytes_of(number)));
        }
    }

    /// Sets the origin of the messages pushed from now on. Must be called before the first message of a batch.
    pub fn origin(&mut self, origin: Origin<'_>) {
        self.received = origin.received.nanos();
        self.origin = [(Field::Source, origin.source), (Field::Peer, origin.peer)]
            .map(|(field, name)| self.names[field.number()].id(name));
    }

    /// Adds a dynamic field to the message that is pushed next.
    pub fn field(&mut self, name: &[u8], value: &[u8]) {
        self.field_names.push(name);
        self.columns.field_values.push(value);
    }

    /// Adds a dynamic field whose value is appended by `write`.
    pub fn field_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        self.field_names.push(name);
        write(self.columns.field_values.open_row());
        self.columns.field_values.end_row();
    }

    /// Drops the fields that were added since the last message, because it turned out to have another format.
    pub fn forget_fields(&mut self) {
        let kept = self.columns.fields_before(self.rows());
        self.field_names.truncate(kept);
        self.columns.field_values.truncate(kept);
    }

    /// Adds a message with the fields that were added since the last one.
    pub fn push(&mut self, row: &Row<'_>) {
        let fields_start = self.columns.fields_before(self.rows());
        let (head_form, head_fields) = self.head_form(row, fields_start);
        let c = &mut self.columns;
        c.times[RECEIVED].push(self.received);
        c.times[OWN_TIME].push(row.time.map_or(NO_TIME, Timestamp::nanos));
        c.bytes[PRIORITY].push(row.priority.map_or(NO_PRIORITY, Priority::number));
        c.bytes[FLAGS].push(row.flags.0);
        c.bytes[HEAD_FORM].push(head_form.code());
        // The store's names are not known yet: their columns are only filled later if they have any values.
        let (of_origin, of_row) = self.names.split_at_mut(ORIGIN_NAMES);
        of_origin.iter_mut().zip(self.origin).for_each(|(names, id)| names.push_id(id));
        of_row.iter_mut().zip(row.texts.names).for_each(|(names, name)| names.push(name));
        self.texts.iter_mut().zip(row.texts.texts).for_each(|(texts, text)| texts.push(text));
        c.field_ends.push(self.field_names.len() as u32);
        match (head_form, row.message_at) {
            (HeadForm::Whole, _) | (_, None) => {
                self.texts[HEAD].push(row.raw);
                self.texts[TAIL].push(b"");
            }
            (form, Some(at)) => {
                self.texts[HEAD].push(match form {
                    HeadForm::Stored => &row.raw[..at],
                    _ if form.is_counted() => std::slice::from_ref(&head_fields),
                    _ => b"",
                });
                self.texts[TAIL].push(&row.raw[at + row[Field::Message].len()..]);
            }
        }
    }

    /// Adds some rows of another batch unchanged.
    pub fn extend(&mut self, batch: &Batch, rows: Range<usize>) {
        let (c, other, new_ids) = (&mut self.columns, &batch.columns, &mut self.new_ids);
        for (times, other) in c.times.iter_mut().zip(&other.times) {
            times.extend_from_slice(&other[rows.clone()]);
        }
        for (bytes, other) in c.bytes.iter_mut().zip(&other.bytes) {
            bytes.extend_from_slice(&other[rows.clone()]);
        }
        self.names[COPY_OF].fill(c.rows() - rows.len());
        for (names, other) in self.names.iter_mut().zip(&other.names) {
            names.extend(other, rows.clone(), new_ids);
        }
        for (texts, other) in self.texts.iter_mut().zip(&other.texts) {
            texts.extend(other, rows.clone());
        }
        let (first, last) = (other.fields_before(rows.start), other.fields_before(rows.end));
        let shift = self.field_names.len();
        c.field_ends.extend(other.field_ends[rows].iter().map(|&end| (end as usize - first + shift) as u32));
        self.field_names.extend(&other.field_names, first..last, new_ids);
        c.field_values.extend(&other.field_values, first..last);
    }

    /// Adds a dynamic field after those of the last message.
    pub fn field_of_last(&mut self, name: &[u8], value: &[u8]) {
        self.field(name, value);
        if let Some(end) = self.columns.field_ends.last_mut() {
            *end += 1;
        }
    }

    /// The form that really produces this row's head, and the number of fields in the head of a counted form.
    fn head_form(&mut self, row: &Row<'_>, fields_start: usize) -> (HeadForm, u8) {
        let Some(at) = row.message_at else { return (HeadForm::Whole, 0) };
        debug_assert_eq!(&row.raw[at..at + row[Field::Message].len()], row[Field::Message]);
        if matches!(row.head_form, HeadForm::Stored | HeadForm::Whole) {
            return (HeadForm::Stored, 0);
        }
        let BatchBuilder { head, columns, field_names, .. } = self;
        let names = field_names.column();
        let fields_end = names.len().saturating_sub(row.fields_behind).max(fields_start);
        let form = row.head_form.counted(row.fields_behind);
        let head_fields = match u8::try_from(fields_end - fields_start) {
            Ok(count) => count,
            Err(_) if form.is_counted() => return (HeadForm::Stored, 0),
            Err(_) => 0,
        };
        head.clear();
        let parts = HeadParts {
            priority: row.priority,
            time: row.time,
            host: row[Field::Host],
            program: row[Field::Program],
            pid: row[Field::Pid],
            msgid: row[Field::Msgid],
            fields: (fields_start..fields_end).map(|at| (names.get(at), columns.field_values.get(at))),
        };
        let same = parts.write(form, head) && head.as_slice() == &row.raw[..at];
        if same { (form, head_fields) } else { (HeadForm::Stored, 0) }
    }

    /// The number of messages that were pushed.
    pub fn rows(&self) -> usize {
        self.columns.rows()
    }

    /// The total length of the distinct names of dynamic fields.
    pub fn field_names_bytes(&self) -> usize {
        self.field_names.column().values().bytes().len()
    }

    /// The messages pushed so far as a batch; the builder is empty afterwards.
    pub fn seal(&mut self) -> Batch {
        let mut columns = std::mem::take(&mut self.columns);
        columns.texts = std::mem::take(&mut self.texts).map(Arc::new);
        self.names[COPY_OF].fill(columns.rows());
        columns.names = self.names.each_mut().map(NameColumnBuilder::finish);
        columns.field_names = self.field_names.finish();
        self.origin = [0; ORIGIN_NAMES];
        Batch::new(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::ColumnError;
    use crate::selection::Selection;
    use crate::time::DAY;
    use proptest::prelude::*;

    const ORIGIN: Origin<'_> =
        Origin { source: b"syslog", peer: b"10.0.0.1:514", received: Timestamp::from_nanos(5) };

    fn raw(batch: &Batch, row: usize) -> Vec<u8> {
        let mut out = Vec::new();
        batch.write_raw(row, &mut out);
        out
    }

    fn row_5424(frame: &[u8]) -> Row<'_> {
        let at = memchr::memmem::find(frame, b"hello").unwrap();
        Row {
            time: Timestamp::parse_rfc3339(b"2026-11-21T06:13:00.25Z"),
            priority: Priority::new(13),
            message_at: Some(at),
            head_form: HeadForm::Rfc5424 { fraction_digits: 2 },
            ..Row::text(frame)
        }
        .with(Field::Host, b"web-1")
        .with(Field::Program, b"app")
        .with(Field::Message, &frame[at..])
    }

    #[test]
    fn a_head_that_the_columns_give_is_not_stored() {
        let frame = br#"<13>1 2026-11-21T06:13:00.25Z web-1 app - - [x@1 a="b\"c" d="e"][y z=""] hello"#;
        let mut builder = BatchBuilder::new();
        builder.origin(ORIGIN);
        builder.field(b"x@1.a", b"b\"c");
        builder.field(b"x@1.d", b"e");
        builder.field(b"y.z", b"");
        builder.push(&row_5424(frame));
        let batch = builder.seal();
        assert_eq!(batch.columns().head().bytes(), b"");
        assert_eq!(raw(&batch, 0), frame);
    }

    #[test]
    fn a_head_that_differs_in_one_byte_is_stored() {
        let frame = b"<13>1 2026-11-21T06:13:00.25Z web-1 app -  - - hello";
        let mut builder = BatchBuilder::new();
        builder.origin(ORIGIN);
        builder.push(&row_5424(frame));
        let batch = builder.seal();
        assert_ne!(batch.columns().head().bytes(), b"");
        assert_eq!(raw(&batch, 0), frame);
    }

    #[test]
    fn a_head_beside_fields_that_do_not_stand_in_it_costs_one_byte() {
        let frame = br#"<13>1 2026-11-21T06:13:00.25Z web-1 app - - [x@1 a="b"] hello k=v"#;
        for offset in [false, true] {
            let frame = if offset {
                let text = std::str::from_utf8(frame).unwrap();
                text.replace("25Z", "25+00:00").into_bytes()
            } else {
                frame.to_vec()
            };
            let form = HeadForm::Rfc5424Offset { fraction_digits: 2 };
            let head_form = if offset { form } else { row_5424(&frame).head_form };
            let mut builder = BatchBuilder::new();
            builder.origin(ORIGIN);
            builder.field(b"x@1.a", b"b");
            builder.field(b"k", b"v");
            builder.push(&Row { fields_behind: 1, head_form, ..row_5424(&frame) });
            let batch = builder.seal();
            assert_eq!(batch.columns().head().bytes(), [1]);
            assert_eq!(raw(&batch, 0), frame);
        }
    }

    #[test]
    fn every_head_form_has_a_number_of_its_own() {
        let forms: Vec<_> =
            (0..=u8::MAX).filter_map(|code| Some((code, HeadForm::from_code(code)?))).collect();
        assert_eq!(forms.len(), 3 + 4 * 10);
        for (code, form) in forms {
            assert_eq!(form.code(), code);
        }
    }

    #[test]
    fn a_head_form_of_a_later_version_is_refused() {
        let mut builder = BatchBuilder::new();
        builder.origin(ORIGIN);
        builder.push(&Row::text(b"x"));
        let mut columns = builder.seal().columns().clone();
        columns.bytes[HEAD_FORM][0] = 99;
        assert_eq!(Batch::from_columns(columns), Err(ColumnError::HeadForm { code: 99 }));
    }

    #[test]
    fn absurd_and_missing_times_count_by_receipt() {
        let mut builder = BatchBuilder::new();
        builder.origin(ORIGIN);
        let future = Some(Timestamp::from_nanos(6 + DAY));
        for time in [None, future, Some(Timestamp::from_nanos(-9))] {
            builder.push(&Row { time, ..Row::text(b"x") });
        }
        let batch = builder.seal();
        assert_eq!([0, 1, 2].map(|row| batch.time(row).nanos()), [5, 5, -9]);
        assert_eq!(batch.own_time(1), future);
    }

    proptest! {
        #[test]
        fn raw_is_exact_whatever_fields_stand_behind_the_head(
            in_head in proptest::collection::vec(("[a-b]\\.[c-d]", "[x\"\\\\\\]]{0,3}"), 0..4),
            behind in proptest::collection::vec(("[a-d.]{1,3}", "[x-z]{0,2}"), 0..4),
            said_behind in 0_usize..9,
            offset in any::<bool>(),
            many in prop_oneof![9 => Just(false), 1 => Just(true)],
        ) {
            let in_head = if many { vec![("a.b".to_owned(), "x".to_owned()); 300] } else { in_head };
            let head_form = match offset {
                true => HeadForm::Rfc5424Offset { fraction_digits: 2 },
                false => HeadForm::Rfc5424 { fraction_digits: 2 },
            };
            let mut frame = b"<13>1 2026-11-21T06:13:00.25".to_vec();
            frame.extend_from_slice(if offset { b"+00:00" } else { b"Z" });
            frame.extend_from_slice(b" web-1 app - - ");
            let fields = in_head.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            crate::raw::write_structured_data(fields, &mut frame);
            frame.extend_from_slice(b"hello");
            // A wrong count from the caller costs space, but never loses a byte of a message.
            for fields_behind in [behind.len(), said_behind] {
                let mut builder = BatchBuilder::new();
                builder.origin(ORIGIN);
                for (name, value) in in_head.iter().chain(&behind) {
                    builder.field(name.as_bytes(), value.as_bytes());
                }
                builder.push(&Row { fields_behind, head_form, ..row_5424(&frame) });
                let batch = builder.seal();
                prop_assert_eq!(raw(&batch, 0), frame.clone());
                if fields_behind == behind.len() && !many {
                    prop_assert!(batch.columns().head().bytes().len() <= 1);
                }
                let read = Batch::from_columns(batch.columns().clone());
                prop_assert_eq!(read, Ok(batch));
            }
        }

        #[test]
        fn rows_of_other_batches_are_added_as_they_are(
            rows in proptest::collection::vec(
                ("[a-c]{0,2}", "[ -~]{0,9}", proptest::collection::vec(("[a-b]", "[x-z]{0,2}"), 0..3)), 1..20,
            ),
            cuts in proptest::collection::vec(0_usize..20, 0..4),
        ) {
            let mut builder = BatchBuilder::new();
            builder.origin(ORIGIN);
            for (host, message, fields) in &rows {
                for (name, value) in fields {
                    builder.field(name.as_bytes(), value.as_bytes());
                }
                builder.push(&Row::text(message.as_bytes()).with(Field::Host, host.as_bytes()));
            }
            let all = builder.seal();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows.len())).collect();
            cuts.extend([0, rows.len()]);
            cuts.sort_unstable();
            for cut in cuts.windows(2) {
                builder.extend(&all, cut[0]..cut[1]);
            }
            let again = builder.seal();
            prop_assert!(Batch::from_columns(again.columns().clone()).is_ok());
            prop_assert_eq!(again, all);
        }

        #[test]
        fn taking_rows_keeps_every_column(
            rows in proptest::collection::vec(
                ("[a-c]{0,2}", "[ -~]{0,9}", proptest::collection::vec(("[a-b]", "[x-z]{0,2}"), 0..3), any::<bool>()),
                0..20,
            )
        ) {
            let build = |keep_all: bool| {
                let mut builder = BatchBuilder::new();
                builder.origin(ORIGIN);
                for (host, message, fields, keep) in &rows {
                    if keep_all || *keep {
                        for (name, value) in fields {
                            builder.field(name.as_bytes(), value.as_bytes());
                        }
                        builder.push(&Row::text(message.as_bytes()).with(Field::Host, host.as_bytes()));
                    }
                }
                builder.seal()
            };
            let (all, expected) = (build(true), build(false));
            let taken = all.take(&Selection::from_fn(all.rows(), |row| rows[row].3));
            prop_assert_eq!(taken.rows(), expected.rows());
            prop_assert!(Batch::from_columns(taken.columns().clone()).is_ok());
            for row in 0..taken.rows() {
                prop_assert_eq!(taken.host(row), expected.host(row));
                prop_assert_eq!(taken.message(row), expected.message(row));
                prop_assert_eq!(raw(&taken, row), raw(&expected, row));
                prop_assert_eq!(taken.fields(row).collect::<Vec<_>>(), expected.fields(row).collect::<Vec<_>>());
            }
        }
    }
}
