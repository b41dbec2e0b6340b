//! A batch is the unit in which messages are processed: up to some thousand messages in columns, sealed once and
//! shared from then on.
//!
//! The same type is used from the socket to the disk and back: a worker builds a batch, the router narrows it with
//! [`Selection`]s, the journal writes its [`Columns`], and reading a journal gives a `Batch` again.

use crate::column::{ColumnError, NameColumn, TextColumn};
use crate::columns::{
    Columns, FLAGS, HEAD, HEAD_FORM, MESSAGE, NO_TIME, OWN_TIME, PID, PRIORITY, RECEIVED, TAIL,
};
use crate::field::{Field, Storage};
use crate::field_name::FieldName;
use crate::flags::Flags;
use crate::priority::Priority;
use crate::raw::{HeadForm, HeadParts};
use crate::selection::Selection;
use crate::shapes;
use crate::time::{DAY, Timestamp};
use std::ops::Range;
use std::sync::OnceLock;

/// The maximum number of rows of a batch: a reader of a stored batch refuses more.
pub const BATCH_ROWS_MAX: usize = 1 << 20;
/// The maximum length of one column of a batch.
pub const BATCH_BYTES_MAX: usize = 1 << 30;

/// The maximum by which a message's own time may be later than its receipt; a later one is ignored.
const FUTURE_MAX: i64 = DAY;

const SOURCE: usize = Field::Source.number();
const PEER: usize = Field::Peer.number();
const HOST: usize = Field::Host.number();
const PROGRAM: usize = Field::Program.number();
const MSGID: usize = Field::Msgid.number();

/// An immutable batch of messages in columns.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(crate) columns: Columns,
    /// Computed from the columns at most once.
    times: OnceLock<Option<(Timestamp, Timestamp)>>,
    shapes: OnceLock<Option<NameColumn>>,
}

// Batches are equal when their messages are, whatever was computed from them.
impl PartialEq for Batch {
    fn eq(&self, other: &Batch) -> bool {
        self.columns == other.columns
    }
}

impl Eq for Batch {}

impl Batch {
    /// Makes a batch of columns that fit each other.
    pub(crate) fn new(columns: Columns) -> Batch {
        Batch { columns, times: OnceLock::new(), shapes: OnceLock::new() }
    }

    /// Makes a batch of columns that were read from a file or the like, after checking them.
    pub fn from_columns(columns: Columns) -> Result<Batch, ColumnError> {
        columns.check()?;
        Ok(Batch::new(columns))
    }

    /// A batch with one row for each of some values of a field, so that a matcher can be applied to them. `None` for
    /// fields whose values are not stored as texts.
    pub fn of_values(field: &FieldName, values: &TextColumn) -> Option<Batch> {
        Columns::of_values(field, values).map(Batch::new)
    }

    /// All columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The number of messages.
    pub fn rows(&self) -> usize {
        self.columns.rows()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// The time when it was received.
    pub fn received(&self, row: usize) -> Timestamp {
        Timestamp::from_nanos(self.columns.times[RECEIVED][row])
    }

    /// The time that the sender states, however absurd.
    pub fn own_time(&self, row: usize) -> Option<Timestamp> {
        let nanos = self.columns.times[OWN_TIME][row];
        (nanos != NO_TIME).then_some(Timestamp::from_nanos(nanos))
    }

    /// The time of a message for queries and order: its own, or the time of its receipt if it has none or one that is
    /// more than a day later than that.
    pub fn time(&self, row: usize) -> Timestamp {
        let (time, received) = (self.columns.times[OWN_TIME][row], self.columns.times[RECEIVED][row]);
        let believed = time != NO_TIME && time <= received.saturating_add(FUTURE_MAX);
        Timestamp::from_nanos(if believed { time } else { received })
    }

    /// The priority, if it has one.
    pub fn priority(&self, row: usize) -> Option<Priority> {
        Priority::new(self.columns.bytes[PRIORITY][row])
    }

    /// The flags that were set while it was received and stored.
    pub fn flags(&self, row: usize) -> Flags {
        Flags(self.columns.bytes[FLAGS][row])
    }

    /// The id of the source that received it.
    pub fn source(&self, row: usize) -> &[u8] {
        self.columns.names[SOURCE].get(row)
    }

    /// The address it was sent from.
    pub fn peer(&self, row: usize) -> &[u8] {
        self.columns.names[PEER].get(row)
    }

    /// The host that it claims to come from; empty if it names none.
    pub fn host(&self, row: usize) -> &[u8] {
        self.columns.names[HOST].get(row)
    }

    /// The program; empty if it names none.
    pub fn program(&self, row: usize) -> &[u8] {
        self.columns.names[PROGRAM].get(row)
    }

    /// The process id; empty if it names none.
    pub fn pid(&self, row: usize) -> &[u8] {
        self.columns.texts[PID].get(row)
    }

    /// The message id; empty if it names none.
    pub fn msgid(&self, row: usize) -> &[u8] {
        self.columns.names[MSGID].get(row)
    }

    /// The text.
    pub fn message(&self, row: usize) -> &[u8] {
        self.columns.texts[MESSAGE].get(row)
    }

    /// The text of a field that is kept as names or as texts; empty if the message has none, and for other fields.
    pub fn text(&self, field: Field, row: usize) -> &[u8] {
        match field.storage() {
            Storage::Name(number) => self.columns.names[number].get(row),
            Storage::Text(number) => self.columns.texts[number].get(row),
            _ => b"",
        }
    }

    /// The range of a row's dynamic fields in `field_names` and `field_values`.
    pub fn field_range(&self, row: usize) -> Range<usize> {
        self.columns.field_range(row)
    }

    /// Name and value of each dynamic field of a row, in the order they stood in the message. A name may
    /// repeat.
    pub fn fields(&self, row: usize) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.field_range(row).map(|at| (self.columns.field_names.get(at), self.columns.field_values.get(at)))
    }

    /// The earliest and the latest [`Batch::time`]; `None` for an empty batch. They are calculated only once.
    pub fn time_range(&self) -> Option<(Timestamp, Timestamp)> {
        *self.times.get_or_init(|| {
            let mut times = (0..self.rows()).map(|row| self.time(row));
            let first = times.next()?;
            Some(times.fold((first, first), |(low, high), time| (low.min(time), high.max(time))))
        })
    }

    /// Appends the exact bytes of a row's message as they were received.
    pub fn write_raw(&self, row: usize, out: &mut Vec<u8>) {
        if self.write_head(row, out) {
            out.extend_from_slice(self.message(row));
            out.extend_from_slice(self.columns.texts[TAIL].get(row));
        }
    }

    /// Whether all texts of a row, except its dynamic fields, occur unchanged in its raw bytes.
    pub fn has_written_head(&self, row: usize) -> bool {
        !self.head_form(row).is_stored()
    }

    /// The form of the bytes before the message.
    pub(crate) fn head_form(&self, row: usize) -> HeadForm {
        HeadForm::from_code(self.columns.bytes[HEAD_FORM][row]).unwrap_or_default()
    }

    /// Appends the bytes before the message; `false` if they are the whole raw text.
    pub(crate) fn write_head(&self, row: usize, out: &mut Vec<u8>) -> bool {
        let columns = self.columns();
        let form = self.head_form(row);
        let stored = columns.texts[HEAD].get(row);
        if form.is_stored() {
            out.extend_from_slice(stored);
        } else {
            let fields_max = match stored.first() {
                Some(&count) if form.is_counted() => usize::from(count),
                _ => usize::MAX,
            };
            let parts = HeadParts {
                priority: self.priority(row),
                time: self.own_time(row),
                host: self.host(row),
                program: self.program(row),
                pid: self.pid(row),
                msgid: self.msgid(row),
                fields: self.fields(row).take(fields_max),
            };
            parts.write(form, out);
        }
        form != HeadForm::Whole
    }

    /// The selected rows as a batch of their own.
    #[must_use]
    pub fn take(&self, selection: &Selection) -> Batch {
        assert_eq!(selection.rows(), self.rows(), "the selection belongs to another batch");
        let rows: Vec<usize> = selection.iter().collect();
        Batch::new(self.columns.take(&rows))
    }

    /// Finds the [shapes](crate::word::shape) of its messages, so that searches for words take a fraction of the time. It
    /// costs as much as a few searches, so call it only for batches that will be searched.
    pub fn find_shapes(&self) {
        self.shapes.get_or_init(|| shapes::of(self.columns.message()));
    }

    /// The shapes of its messages, if [`Batch::find_shapes`] was called and there are few.
    pub fn shapes(&self) -> Option<&NameColumn> {
        self.shapes.get()?.as_ref()
    }

    /// The bytes of memory that it holds.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Batch>() + self.columns.memory_bytes() + self.shapes().map_or(0, NameColumn::memory_bytes)
    }
}
