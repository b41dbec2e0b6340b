//! The index of a segment: what stands in which sections of its file.
//!
//! | section           | holds                                                                          |
//! |-------------------|--------------------------------------------------------------------------------|
//! | tantivy's files   | the [words](super::words) of the message and of the values of dynamic fields, and the addresses in them |
//! | `times`           | the [time](super::times) that each row counts by                               |
//! | `host` …          | a [column of names](super::names) for each section of [`COLUMNS`]              |
//! | `fields`          | the names of dynamic fields, below                                             |
//! | `field.0` …       | a column of names for each of the first of those                               |
//!
//! The section `fields` is u8 1 if it knows all names, else 0; u32 how many fields have a column, u32 how many
//! have none; then for each a u32 length and its name as first spelled.
//!
//! **Invariant:** an index is made of a batch or of a block in the same way: made again, it answers the same.

use super::blocks::Blocks;
use super::bundle::{Bundle, BundleWriter, Identity, IndexError, Section};
use super::cache::Cache;
use super::counted::Counted;
use super::fields::FieldsBuilder;
use super::inverter::Inverter;
use super::names::{Names, NamesBuilder, Values};
use super::packed::ColumnFault;
use super::times::{ReadRange, Times, TimesBuilder};
use super::words::{self, Words};
use crate::disk::DiskFile;
use logstead_record::columns::{Columns, PRIORITY};
use logstead_record::query::{FieldName, Matcher};
use logstead_record::{Batch, Field, Selection, Storage, TextColumn, word};
use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};

/// A column that every index has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Column {
    /// Of a field that batches keep as names.
    Names(Field),
    /// The programs, in one column with the priorities: a value is the byte of the priority and then the program. A
    /// program has few priorities, so both take hardly more room than one.
    Program,
    /// The priorities, in the column of the programs.
    Priority,
    /// The flags.
    Flags,
    /// The [shapes](word::shape) of messages: what is left of their texts without numbers. There are few shapes, so a
    /// phrase without numbers is compared with those and not with every message.
    Shape,
}

/// Each column's section, in the order of the file.
const COLUMNS: [(Column, &str); COLUMN_COUNT] = columns();
const COLUMN_COUNT: usize = FIRST_COLUMNS.len() + Field::NAMES - FIRST_NAMES;
/// Those of the first version. Fields that came later follow them.
const FIRST_COLUMNS: [(Column, &str); 8] = [
    (Column::Names(Field::Host), "host"),
    (Column::Program, "origin"),
    (Column::Priority, "origin"),
    (Column::Names(Field::Source), "source"),
    (Column::Names(Field::Peer), "peer"),
    (Column::Names(Field::Msgid), "msgid"),
    (Column::Flags, "flags"),
    (Column::Shape, "shape"),
];
/// How many fields the first version kept as names.
const FIRST_NAMES: usize = 5;
/// What the small values of columns and the dictionary's own index take, about.
const KEPT_BYTES: usize = 128 << 10;

/// Builds an index.
pub(crate) struct IndexBuilder {
    rows: u32,
    words: Inverter,
    times: TimesBuilder,
    columns: [NamesBuilder; COLUMN_COUNT],
    /// Scratch: a value.
    text: Vec<u8>,
    fields: FieldsBuilder,
    memory: Counted,
}

/// What was read of indexes lately.
pub(crate) type IndexCache = Cache<Place, SegmentIndex>;

/// An open index.
pub(crate) struct SegmentIndex {
    bundle: Bundle,
    pub(crate) words: Words,
    pub(crate) times: Times<Section>,
    pub(crate) fields: Fields,
    values: [OnceLock<Arc<Values>>; COLUMN_COUNT],
    /// Which keeps this index too.
    cache: Weak<IndexCache>,
}

/// The dynamic fields of a segment.
pub(crate) struct Fields {
    is_complete: bool,
    /// Those with a column, in the order of their sections.
    pub(crate) with_column: Vec<String>,
    pub(crate) without_column: Vec<String>,
}

/// Where the values of a field are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// In a column that every index has.
    Known(Column),
    /// In the column of this dynamic field.
    Dynamic(usize),
    /// No row has the field.
    Nowhere,
    /// In the blocks only.
    Blocks,
}

impl IndexBuilder {
    /// For about this many messages.
    pub(super) fn with_room(rows: usize, memory: Counted) -> IndexBuilder {
        IndexBuilder {
            rows: 0,
            words: Inverter::with_room(rows),
            times: TimesBuilder::default(),
            columns: Default::default(),
            text: Vec::new(),
            fields: FieldsBuilder::default(),
            memory,
        }
    }

    /// Adds the messages that follow.
    pub(crate) fn push(&mut self, batch: &Batch) {
        let columns = batch.columns();
        for row in 0..batch.rows() {
            self.push_text(columns.message().get(row));
            for field in batch.field_range(row) {
                self.push_text(columns.field_values.get(field));
            }
            self.times.push(batch.time(row).nanos());
            self.rows += 1;
        }
        for (names, (column, _)) in self.columns.iter_mut().zip(COLUMNS) {
            column.push(batch, names, &mut self.text);
        }
        self.fields.push_batch(columns);
        self.memory.set(self.words.memory_bytes());
    }

    fn push_text(&mut self, text: &[u8]) {
        self.words.add_text(self.rows, text);
        word::addresses(text).for_each(|range| self.words.add_term(self.rows, &text[range]));
    }

    /// The file of the index of these blocks.
    pub(crate) fn finish(mut self, blocks: &Blocks) -> Result<BundleWriter, IndexError> {
        self.memory.set(self.words.finishing_memory_bytes());
        let mut file = BundleWriter::new(identity(blocks));
        words::write(&self.words.finish(), self.rows, &mut file)?;
        let mut times = Vec::new();
        self.times.finish(&mut times);
        file.add("times", times);
        // Priorities stand in the column of programs.
        let columns =
            COLUMNS.into_iter().zip(self.columns).filter(|((column, _), _)| *column != Column::Priority);
        for ((_, section), column) in columns {
            let mut bytes = Vec::new();
            column.finish(&mut bytes);
            file.add(section, bytes);
        }
        let fields = self.fields.finish();
        let mut names = vec![u8::from(fields.others_known)];
        for count in [fields.columns.len(), fields.others.len()] {
            names.extend_from_slice(&(count as u32).to_le_bytes());
        }
        for name in fields.columns.iter().map(|(name, _)| name.as_slice()).chain(fields.others.iter()) {
            names.extend_from_slice(&(name.len() as u32).to_le_bytes());
            names.extend_from_slice(name);
        }
        file.add("fields", names);
        for (number, (_, column)) in fields.columns.into_iter().enumerate() {
            file.add(format!("field.{number}"), column);
        }
        Ok(file)
    }
}

const fn columns() -> [(Column, &'static str); COLUMN_COUNT] {
    let mut columns = [FIRST_COLUMNS[0]; COLUMN_COUNT];
    columns.split_at_mut(FIRST_COLUMNS.len()).0.copy_from_slice(&FIRST_COLUMNS);
    let mut at = 0;
    while at < Field::ALL.len() {
        if let (field, name, Storage::Name(number)) = Field::ALL[at]
            && FIRST_NAMES <= number
        {
            columns[FIRST_COLUMNS.len() + number - FIRST_NAMES] = (Column::Names(field), name);
        }
        at += 1;
    }
    columns
}

impl Column {
    /// The one with the values of a field.
    fn of(field: Field) -> Option<Column> {
        match field.storage() {
            Storage::Name(_) if field == Field::Program => Some(Column::Program),
            Storage::Name(_) => Some(Column::Names(field)),
            Storage::Priority(_) => Some(Column::Priority),
            Storage::Flags => Some(Column::Flags),
            Storage::Text(_) | Storage::Time | Storage::Received | Storage::Raw | Storage::Logspace => None,
        }
    }

    /// Its place in [`COLUMNS`].
    fn number(self) -> usize {
        let number = COLUMNS.iter().position(|(column, _)| *column == self);
        number.expect("every column has a section")
    }

    /// Appends the rows of a batch. `text` is scratch.
    fn push(self, batch: &Batch, names: &mut NamesBuilder, text: &mut Vec<u8>) {
        let columns = batch.columns();
        match self {
            Column::Names(field) => names.push_names(&columns.names[field.number()]),
            Column::Program => push_origins(columns, names, text),
            Column::Priority => {}
            Column::Flags => names.push_bytes(columns.flags(), None),
            Column::Shape => columns.message().iter().for_each(|message| push_shape(message, names, text)),
        }
    }
}

fn push_origins(columns: &Columns, names: &mut NamesBuilder, text: &mut Vec<u8>) {
    let programs = &columns.names[Field::Program.number()];
    for (row, &priority) in columns.bytes[PRIORITY].iter().enumerate() {
        text.clear();
        text.push(priority);
        text.extend_from_slice(programs.get(row));
        names.push(text);
    }
}

/// Where shapes turn out to be many, they are of no use.
fn push_shape(message: &[u8], names: &mut NamesBuilder, text: &mut Vec<u8>) {
    text.clear();
    if names.is_complete() {
        word::shape(message, text);
    }
    names.push(text);
}

impl SegmentIndex {
    /// Opens the index of these blocks.
    pub(crate) fn open(
        file: Arc<dyn DiskFile>,
        blocks: &Blocks,
        cache: &Arc<IndexCache>,
    ) -> Result<SegmentIndex, IndexError> {
        let bundle = Bundle::open(file)?;
        if bundle.identity() != identity(blocks) {
            return Err(IndexError::Format("it is the index of other blocks".to_owned()));
        }
        let times = Times::open(bundle.section("times")?, blocks.rows())?;
        let fields = Fields::read(&bundle.section("fields")?.read_all()?)?;
        let words = Words::open(&bundle)?;
        let cache = Arc::downgrade(cache);
        Ok(SegmentIndex { bundle, words, times, fields, values: Default::default(), cache })
    }

    /// About how much memory it takes, with the values that it keeps.
    pub(crate) fn memory_bytes(&self) -> usize {
        let names = self.fields.with_column.iter().chain(&self.fields.without_column);
        let names: usize = names.map(|name| size_of::<String>() + name.len()).sum();
        size_of::<SegmentIndex>()
            + self.bundle.memory_bytes()
            + self.times.memory_bytes()
            + names
            + KEPT_BYTES
    }

    /// How long its file is.
    pub(crate) fn bytes(&self) -> u64 {
        self.bundle.bytes()
    }

    /// Checks every byte.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        self.bundle.verify()
    }

    /// Where the values of a field are.
    pub(crate) fn place(&self, field: &FieldName) -> Place {
        match field {
            FieldName::Known(field) => Column::of(*field).map_or(Place::Blocks, Place::Known),
            FieldName::Dynamic(name) => self.fields.place(name),
        }
    }

    /// Whether a column without values still says which rows have one.
    pub(crate) fn knows_presence(&self, place: Place) -> bool {
        !matches!(place, Place::Known(Column::Program | Column::Priority))
    }

    /// The distinct values of a column, without its rows.
    pub(crate) fn values(&self, place: Place) -> Result<Arc<Values>, IndexError> {
        let read = || {
            let Values { texts, is_complete } = Values::read(&self.section(place)?)?;
            Ok::<_, IndexError>(Arc::new(Values { texts: own_part(place, texts), is_complete }))
        };
        let Place::Known(column) = place else { return read() };
        let kept = &self.values[column.number()];
        if let Some(values) = kept.get() {
            return Ok(Arc::clone(values));
        }
        let values = read()?;
        // Every bare word asks for those of host and program: they stay, unless they are very many.
        if values.is_small() {
            kept.get_or_init(|| Arc::clone(&values));
        }
        Ok(values)
    }

    /// A whole column.
    pub(crate) fn names(&self, place: Place) -> Result<Arc<Names>, IndexError> {
        let identity = self.bundle.identity();
        let read = || {
            let names = Names::new(&self.section(place)?.read_all()?, identity.rows)?;
            Ok(names.map_values(|values| own_part(place, values)))
        };
        match self.cache.upgrade() {
            Some(cache) => cache.column((identity.first_sequence, identity.rows), place, read),
            None => Ok(Arc::new(read()?)),
        }
    }

    /// The rows whose shape matches; none where shapes are too many.
    pub(crate) fn rows_with_shape(&self, matcher: &Matcher) -> Result<Option<Selection>, IndexError> {
        let shapes = self.names(Place::Known(Column::Shape))?;
        let field = FieldName::Known(Field::Message);
        let Some(batch) = Batch::of_values(&field, shapes.values()).filter(|_| shapes.is_complete()) else {
            return Ok(None);
        };
        Ok(Some(shapes.rows_with(&matcher.select(&batch))))
    }

    fn section(&self, place: Place) -> Result<Section, IndexError> {
        match place {
            Place::Known(column) => self.bundle.section(COLUMNS[column.number()].1),
            Place::Dynamic(number) => self.bundle.section(&format!("field.{number}")),
            Place::Nowhere | Place::Blocks => {
                Err(IndexError::Section("of a field without a column".to_owned()))
            }
        }
    }
}

impl Fields {
    /// Whether no row has a dynamic field.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_complete && self.with_column.is_empty() && self.without_column.is_empty()
    }

    fn place(&self, name: &str) -> Place {
        let is_it = |other: &String| other.eq_ignore_ascii_case(name);
        match self.with_column.iter().position(is_it) {
            Some(number) => Place::Dynamic(number),
            None if self.is_complete && !self.without_column.iter().any(is_it) => Place::Nowhere,
            None => Place::Blocks,
        }
    }

    fn read(bytes: &[u8]) -> Result<Fields, IndexError> {
        let mut rest = bytes;
        let fields = Fields::read_from(&mut rest).filter(|_| rest.is_empty());
        fields.ok_or_else(|| IndexError::Format("the names of its fields".to_owned()))
    }

    fn read_from(rest: &mut &[u8]) -> Option<Fields> {
        let is_complete = take(rest, 1)? == [1];
        let [with, without] = [take_u32(rest)?, take_u32(rest)?];
        let mut names = |count: u32| -> Option<Vec<String>> {
            // A name is stored in at least four bytes.
            (0..count)
                .map(|_| take_u32(rest).and_then(|bytes| take(rest, bytes as usize)).map(lossy))
                .collect()
        };
        Some(Fields { is_complete, with_column: names(with)?, without_column: names(without)? })
    }
}

impl ReadRange for Section {
    type Error = IndexError;

    fn bytes(&self) -> u64 {
        Section::bytes(self)
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        Section::read(self, range)
    }
}

impl From<ColumnFault> for IndexError {
    fn from(fault: ColumnFault) -> IndexError {
        IndexError::Format(fault.to_string())
    }
}

/// Of values that stand for two fields, the part that is of one.
fn own_part(place: Place, values: TextColumn) -> TextColumn {
    let part = |value: &[u8]| match place {
        Place::Known(Column::Program) => value.get(1..).unwrap_or_default().to_vec(),
        _ => value.get(..1).unwrap_or_default().to_vec(),
    };
    if !matches!(place, Place::Known(Column::Program | Column::Priority)) {
        return values;
    }
    let mut parts = TextColumn::default();
    values.iter().for_each(|value| parts.push(&part(value)));
    parts
}

fn identity(blocks: &Blocks) -> Identity {
    Identity { first_sequence: blocks.first_sequence, rows: blocks.rows(), blocks_hash: blocks.root }
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(bytes)?;
    *rest = left;
    Some(taken)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    take(rest, 4)?.first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_that_has_a_column_has_a_section() {
        for (field, ..) in Field::ALL {
            assert!(Column::of(field).is_none_or(|column| column.number() < COLUMNS.len()), "{field}");
        }
    }
}
