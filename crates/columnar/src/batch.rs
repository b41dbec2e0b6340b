//! Rows gathered in columns, each of which has one type.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Maximum number of rows of a batch.
const ROWS_MAX: usize = 16_384;
/// The size at which a batch takes no more rows.
const BATCH_BYTES: usize = 2 << 20;

/// The type of a column. Every column may have nulls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// Text.
    Text,
    /// Text with few distinct values, each of which is written once for many rows.
    Name,
    /// Integers of 64 bits.
    Integer,
    /// Floating point numbers of 64 bits.
    Number,
    /// True or false.
    Boolean,
    /// Nanoseconds since 1970 in UTC.
    Time,
    /// Lists of texts.
    List,
}

/// A column of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypedColumn {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: ColumnType,
}

/// Rows in columns, each row with a value or null in every column.
pub(crate) struct RowBatch {
    columns: Vec<ColumnBuffer>,
    rows: usize,
    bytes: usize,
}

/// The values of a column of a batch.
pub struct ColumnBuffer {
    pub(crate) validity: BitBuffer,
    pub(crate) nulls: usize,
    pub(crate) values: ColumnValues,
}

/// The values of a column, with an unspecified one for each null.
pub(crate) enum ColumnValues {
    /// Integers, and times.
    Integer(Vec<i64>),
    Number(Vec<f64>),
    Boolean(BitBuffer),
    Text(TextBuffer),
    Name(NameBuffer),
    List(ListBuffer),
}

/// Bits, beginning with the lowest of the first byte.
#[derive(Default)]
pub(crate) struct BitBuffer {
    pub(crate) bytes: Vec<u8>,
    bits: usize,
}

/// Texts, back to back.
pub(crate) struct TextBuffer {
    /// The offset at which each text begins, and the end of the last one.
    pub(crate) offsets: Vec<i32>,
    pub(crate) bytes: Vec<u8>,
}

/// Texts of which each is kept once.
#[derive(Default)]
pub(crate) struct NameBuffer {
    /// The position of each row's text.
    pub(crate) ids: Vec<i32>,
    pub(crate) texts: TextBuffer,
    known: HashTable<i32>,
    hasher: DefaultHashBuilder,
}

/// Lists of texts.
pub(crate) struct ListBuffer {
    /// The position at which each list begins in the texts, and the end of the last one.
    pub(crate) offsets: Vec<i32>,
    pub(crate) texts: TextBuffer,
}

impl RowBatch {
    /// An empty batch with these columns.
    pub(crate) fn new(columns: &[TypedColumn]) -> RowBatch {
        RowBatch {
            columns: columns.iter().map(|column| ColumnBuffer::new(column.kind)).collect(),
            rows: 0,
            bytes: 0,
        }
    }

    /// The columns, each of which takes the next row's value before the row is ended.
    pub(crate) fn columns_mut(&mut self) -> &mut [ColumnBuffer] {
        &mut self.columns
    }

    /// Ends a row, and returns the bytes that it took.
    ///
    /// # Panics
    /// When a column did not get one value for it.
    pub(crate) fn end_row(&mut self) -> usize {
        self.rows += 1;
        assert!(
            self.columns.iter().all(|column| column.validity.len() == self.rows),
            "a value for each column"
        );
        let bytes = self.columns.iter().map(ColumnBuffer::bytes).sum();
        bytes - std::mem::replace(&mut self.bytes, bytes)
    }

    /// Whether it should be written before it takes another row.
    pub(crate) fn is_full(&self) -> bool {
        ROWS_MAX <= self.rows || BATCH_BYTES <= self.bytes
    }

    /// Removes all rows. The memory is kept, unless it is much more than a batch usually needs.
    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(ColumnBuffer::clear);
        (self.rows, self.bytes) = (0, 0);
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> &[ColumnBuffer] {
        &self.columns
    }
}

impl ColumnBuffer {
    fn new(kind: ColumnType) -> ColumnBuffer {
        let values = match kind {
            ColumnType::Integer | ColumnType::Time => ColumnValues::Integer(Vec::new()),
            ColumnType::Number => ColumnValues::Number(Vec::new()),
            ColumnType::Boolean => ColumnValues::Boolean(BitBuffer::default()),
            ColumnType::Text => ColumnValues::Text(TextBuffer::default()),
            ColumnType::Name => ColumnValues::Name(NameBuffer::default()),
            ColumnType::List => ColumnValues::List(ListBuffer::default()),
        };
        ColumnBuffer { validity: BitBuffer::default(), nulls: 0, values }
    }

    /// Appends null.
    pub fn push_null(&mut self) {
        self.validity.push(false);
        self.nulls += 1;
        match &mut self.values {
            ColumnValues::Integer(values) => values.push(0),
            ColumnValues::Number(values) => values.push(0.0),
            ColumnValues::Boolean(values) => values.push(false),
            ColumnValues::Text(texts) => texts.end(),
            ColumnValues::Name(names) => names.ids.push(0),
            ColumnValues::List(lists) => lists.end(),
        }
    }

    /// Appends an integer, or a time as nanoseconds since 1970.
    ///
    /// # Panics
    /// Like the others below, when the column has another type.
    pub fn push_integer(&mut self, value: i64) {
        self.validity.push(true);
        let ColumnValues::Integer(values) = &mut self.values else { panic!("the column has no integers") };
        values.push(value);
    }

    /// Appends a number.
    pub fn push_number(&mut self, value: f64) {
        self.validity.push(true);
        let ColumnValues::Number(values) = &mut self.values else { panic!("the column has no numbers") };
        values.push(value);
    }

    /// Appends a truth value.
    pub fn push_boolean(&mut self, value: bool) {
        self.validity.push(true);
        let ColumnValues::Boolean(values) = &mut self.values else { panic!("the column has no booleans") };
        values.push(value);
    }

    /// Appends a text; bytes that are not UTF-8 become `U+FFFD`.
    pub fn push_text(&mut self, text: &[u8]) {
        self.validity.push(true);
        match &mut self.values {
            ColumnValues::Text(texts) => texts.push(text),
            ColumnValues::Name(names) => names.push(text),
            _ => panic!("the column has no texts"),
        }
    }

    /// Appends a list of texts.
    pub fn push_list<'a>(&mut self, texts: impl Iterator<Item = &'a [u8]>) {
        self.validity.push(true);
        let ColumnValues::List(lists) = &mut self.values else { panic!("the column has no lists") };
        texts.for_each(|text| lists.texts.push(text));
        lists.end();
    }

    fn bytes(&self) -> usize {
        match &self.values {
            ColumnValues::Integer(values) => values.len() * size_of::<i64>(),
            ColumnValues::Number(values) => values.len() * size_of::<f64>(),
            ColumnValues::Boolean(values) => values.bytes.len(),
            ColumnValues::Text(texts) => texts.memory_bytes(),
            ColumnValues::Name(names) => size_of_val(names.ids.as_slice()) + names.texts.memory_bytes(),
            ColumnValues::List(lists) => size_of_val(lists.offsets.as_slice()) + lists.texts.memory_bytes(),
        }
    }

    fn clear(&mut self) {
        self.validity.clear();
        self.nulls = 0;
        match &mut self.values {
            ColumnValues::Integer(values) => values.clear(),
            ColumnValues::Number(values) => values.clear(),
            ColumnValues::Boolean(values) => values.clear(),
            ColumnValues::Text(texts) => texts.clear(),
            ColumnValues::Name(names) => names.clear(),
            ColumnValues::List(lists) => lists.clear(),
        }
    }
}

impl BitBuffer {
    fn push(&mut self, bit: bool) {
        let within = self.bits % 8;
        if within == 0 {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << within;
        }
        self.bits += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.bits
    }

    pub(crate) fn get(&self, bit: usize) -> bool {
        self.bytes[bit / 8] >> (bit % 8) & 1 == 1
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.bits = 0;
    }
}

impl Default for TextBuffer {
    fn default() -> TextBuffer {
        TextBuffer { offsets: vec![0], bytes: Vec::new() }
    }
}

impl TextBuffer {
    fn push(&mut self, text: &[u8]) {
        match std::str::from_utf8(text) {
            Ok(_) => self.bytes.extend_from_slice(text),
            Err(_) => self.bytes.extend_from_slice(String::from_utf8_lossy(text).as_bytes()),
        }
        self.end();
    }

    fn end(&mut self) {
        self.offsets.push(i32::try_from(self.bytes.len()).expect("a batch is far below 2 GiB"));
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn get(&self, at: usize) -> &[u8] {
        &self.bytes[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    fn memory_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(self.offsets.as_slice())
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.bytes.clear();
        self.bytes.shrink_to(2 * BATCH_BYTES);
    }
}

impl NameBuffer {
    fn push(&mut self, text: &[u8]) {
        let NameBuffer { ids, texts, known, hasher } = self;
        let same = |&id: &i32| texts.get(id as usize) == text;
        let hash = hasher.hash_one(text);
        let id = match known.find(hash, same) {
            Some(&id) => id,
            None => {
                let id = texts.len() as i32;
                texts.push(text);
                known.insert_unique(hash, id, |&id| hasher.hash_one(texts.get(id as usize)));
                id
            }
        };
        ids.push(id);
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.texts.clear();
        self.known.clear();
    }
}

impl Default for ListBuffer {
    fn default() -> ListBuffer {
        ListBuffer { offsets: vec![0], texts: TextBuffer::default() }
    }
}

impl ListBuffer {
    fn end(&mut self) {
        self.offsets.push(self.texts.len() as i32);
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.texts.clear();
    }
}
