//! The columns of a batch, in memory and on disk. They are arrays, one for each class, so that code for every column
//! is written only once for each class.
//!
//! A field's class and number are in its row of [`Field::ALL`]; the numbers of other columns are below.

use crate::column::{ColumnError, NameColumn, TextColumn};
use crate::field::{Field, Storage, TEXTS};
use crate::field_name::FieldName;
use crate::flags::Flags;
use crate::raw::HeadForm;
use std::array::from_fn;
use std::ops::Range;
use std::sync::Arc;

/// The entry in the time column of a message without a time.
pub(crate) const NO_TIME: i64 = i64::MIN;
/// The entry in the priority column of a message without a priority.
pub(crate) const NO_PRIORITY: u8 = u8::MAX;

/// The number of the time of receipt in [`Columns::times`].
pub const RECEIVED: usize = 0;
/// The number of the sender's own time in [`Columns::times`].
pub const OWN_TIME: usize = 1;
/// The number of the priority in [`Columns::bytes`].
pub const PRIORITY: usize = 0;
/// The number of the flags in [`Columns::bytes`].
pub const FLAGS: usize = 1;
/// The number of the form of the head in [`Columns::bytes`].
pub const HEAD_FORM: usize = 2;
/// The number of the process id in [`Columns::texts`].
pub const PID: usize = Field::Pid.number();
/// The number of the message in [`Columns::texts`].
pub const MESSAGE: usize = Field::Message.number();
/// The number of the stored head in [`Columns::texts`].
pub const HEAD: usize = TEXTS;
/// The number of the tail in [`Columns::texts`].
pub const TAIL: usize = TEXTS + 1;

/// The number of the logspace of a copy's original in [`Columns::names`].
pub const COPY_OF: usize = Field::CopyOf.number();

/// The columns of a batch. They fit each other once they have been [checked](Columns::check).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    /// Nanoseconds since 1970: the time of receipt, and the time that the sender states, or `i64::MIN`.
    pub times: [Vec<i64>; 2],
    /// The priority, 0 to 191 or 255; bits of [`Flags`]; codes of [`HeadForm`].
    pub bytes: [Vec<u8>; 3],
    /// Every field that is a [`Storage::Name`].
    pub names: [NameColumn; Field::NAMES],
    /// A column for every field that is a [`Storage::Text`], one for the raw bytes before the message, and one for
    /// those after it. The bytes before the message are empty if the form gives them, and the count if the form is a
    /// counted one. Texts are most of a batch, so a batch that is made from another one shares those that stay the
    /// same.
    pub texts: [Arc<TextColumn>; TEXTS + 2],
    /// The end of each row's dynamic fields in the two columns below.
    pub field_ends: Vec<u32>,
    /// The name of each dynamic field.
    pub field_names: NameColumn,
    /// The value of each dynamic field.
    pub field_values: TextColumn,
}

impl Columns {
    /// The columns of `rows` empty rows.
    pub fn empty(rows: usize) -> Columns {
        Columns {
            times: [0, NO_TIME].map(|time| vec![time; rows]),
            bytes: [NO_PRIORITY, Flags::default().0, HeadForm::Stored.code()].map(|byte| vec![byte; rows]),
            names: from_fn(|_| NameColumn::empty(rows)),
            texts: from_fn(|_| Arc::new(TextColumn::empty(rows))),
            field_ends: vec![0; rows],
            field_names: NameColumn::default(),
            field_values: TextColumn::default(),
        }
    }

    /// Columns with one row for each of some values of a field. `None` for fields whose values are not stored as
    /// texts.
    pub(crate) fn of_values(field: &FieldName, values: &TextColumn) -> Option<Columns> {
        let mut columns = Columns::empty(values.len());
        match field {
            FieldName::Dynamic(name) => columns.set_dynamic(name, values),
            FieldName::Known(field) => match field.storage() {
                Storage::Name(number) => columns.names[number] = NameColumn::of_values(values.clone()),
                Storage::Text(number) => columns.texts[number] = Arc::new(values.clone()),
                Storage::Priority(_) => columns.bytes[PRIORITY] = first_bytes(values),
                Storage::Flags => columns.bytes[FLAGS] = first_bytes(values),
                Storage::Time | Storage::Received | Storage::Raw | Storage::Logspace => return None,
            },
        }
        Some(columns)
    }

    /// Gives each row one dynamic field of this name.
    fn set_dynamic(&mut self, name: &str, values: &TextColumn) {
        let rows = values.len();
        self.field_ends = (1..=rows as u32).collect();
        let mut names = TextColumn::default();
        names.push(name.as_bytes());
        self.field_names = NameColumn::repeated(names, rows);
        self.field_values = values.clone();
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.times[RECEIVED].len()
    }

    /// The time of receipt of each row.
    pub fn received(&self) -> &[i64] {
        &self.times[RECEIVED]
    }

    /// Bits of [`Flags`].
    pub fn flags(&self) -> &[u8] {
        &self.bytes[FLAGS]
    }

    /// The text of each message.
    pub fn message(&self) -> &TextColumn {
        &self.texts[MESSAGE]
    }

    /// The stored part of each head.
    pub fn head(&self) -> &TextColumn {
        &self.texts[HEAD]
    }

    /// The range of a row's dynamic fields in `field_names` and `field_values`.
    pub fn field_range(&self, row: usize) -> Range<usize> {
        self.fields_before(row)..self.field_ends[row] as usize
    }

    /// The number of dynamic fields of the rows before this one.
    pub(crate) fn fields_before(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.field_ends[before] as usize)
    }

    /// Whether the columns fit each other.
    pub(crate) fn check(&self) -> Result<(), ColumnError> {
        let rows = self.rows();
        let times = self.times.iter().map(Vec::len);
        let lengths =
            times.chain(self.bytes.iter().map(Vec::len)).chain(self.names.iter().map(NameColumn::len));
        let lengths =
            lengths.chain(self.texts.iter().map(|texts| texts.len())).chain([self.field_ends.len()]);
        for length in lengths {
            expect_rows(length, rows)?;
        }
        expect_rows(self.field_names.len(), self.field_values.len())?;
        if !self.field_ends.is_sorted() || self.fields_before(rows) != self.field_values.len() {
            return Err(ColumnError::Ends { arena_bytes: self.field_values.len() });
        }
        match self.bytes[HEAD_FORM].iter().find(|&&code| HeadForm::from_code(code).is_none()) {
            Some(&code) => Err(ColumnError::HeadForm { code }),
            None => Ok(()),
        }
    }

    /// The rows at `rows`, in that order.
    pub(crate) fn take(&self, rows: &[usize]) -> Columns {
        let fields: Vec<usize> = rows.iter().flat_map(|&row| self.field_range(row)).collect();
        let mut fields_end = 0;
        let field_ends = rows.iter().map(|&row| {
            fields_end += self.field_range(row).len() as u32;
            fields_end
        });
        Columns {
            field_ends: field_ends.collect(),
            times: self.times.each_ref().map(|times| take(times, rows)),
            bytes: self.bytes.each_ref().map(|bytes| take(bytes, rows)),
            names: self.names.each_ref().map(|names| names.take(rows)),
            texts: self.texts.each_ref().map(|texts| Arc::new(texts.take(rows))),
            field_names: self.field_names.take(&fields),
            field_values: self.field_values.take(&fields),
        }
    }

    /// The bytes of memory that the columns hold, including those shared with other batches.
    pub(crate) fn memory_bytes(&self) -> usize {
        let texts =
            self.texts.iter().map(Arc::as_ref).chain([&self.field_values]).map(TextColumn::memory_bytes);
        let names = self.names.iter().chain([&self.field_names]).map(NameColumn::memory_bytes);
        let times = self.times.iter().map(|times| times.capacity() * size_of::<i64>());
        let bytes = self.bytes.iter().map(Vec::capacity);
        texts.chain(names).chain(times).chain(bytes).sum::<usize>()
            + self.field_ends.capacity() * size_of::<u32>()
    }
}

/// The first byte of each value.
fn first_bytes(values: &TextColumn) -> Vec<u8> {
    values.iter().map(|value| value.first().copied().unwrap_or(NO_PRIORITY)).collect()
}

fn expect_rows(rows: usize, expected: usize) -> Result<(), ColumnError> {
    if rows == expected { Ok(()) } else { Err(ColumnError::Rows { rows, expected }) }
}

fn take<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| values[row]).collect()
}
