//! Rows gathered in columns, each of which has one type.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Maximum number of rows of a batch.
const ROWS_MAX: usize = 16_384;
/// The size at which a batch takes no more rows.
const BATCH_BYTES: usize = 2 << 20;

/// Why its offsets have 32 bits.
const FITS: &str = "a batch is far below 2 GiB";

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
    bytes_max: usize,
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
            bytes_max: BATCH_BYTES,
        }
    }

    /// Takes no more rows once it has this many bytes.
    pub(crate) fn limit_bytes(&mut self, bytes_max: usize) {
        self.bytes_max = BATCH_BYTES.min(bytes_max);
    }

    /// The columns, each of which takes the next row's value before the row is ended.
    pub(crate) fn columns_mut(&mut self) -> &mut [ColumnBuffer] {
        &mut self.columns
    }

    /// Ends some rows, and returns the bytes that they took.
    ///
    /// # Panics
    /// When a column did not get one value for each.
    pub(crate) fn end_rows(&mut self, rows: usize) -> usize {
        self.rows += rows;
        assert!(
            self.columns.iter().all(|column| column.validity.len() == self.rows),
            "a value for each column"
        );
        let bytes = self.columns.iter().map(ColumnBuffer::bytes).sum();
        bytes - std::mem::replace(&mut self.bytes, bytes)
    }

    /// The number of rows that it still takes.
    pub(crate) fn room(&self) -> usize {
        ROWS_MAX.saturating_sub(self.rows)
    }

    /// Whether it should be written before it takes another row.
    pub(crate) fn is_full(&self) -> bool {
        ROWS_MAX <= self.rows || self.bytes_max <= self.bytes
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

    /// Appends integers, or times as nanoseconds since 1970, for as many rows.
    ///
    /// # Panics
    /// Like the others below, when the column has another type.
    pub fn push_integers(&mut self, numbers: impl ExactSizeIterator<Item = i64>) {
        let ColumnValues::Integer(values) = &mut self.values else { panic!("the column has no integers") };
        self.validity.push_ones(numbers.len());
        values.extend(numbers);
    }

    /// Appends integers and nulls.
    pub fn push_optional_integers(&mut self, numbers: impl Iterator<Item = Option<i64>>) {
        let ColumnValues::Integer(values) = &mut self.values else { panic!("the column has no integers") };
        for number in numbers {
            self.validity.push(number.is_some());
            self.nulls += usize::from(number.is_none());
            values.push(number.unwrap_or_default());
        }
    }

    /// Appends texts for as many rows, each of which is one of the distinct `values` by its number; an empty one is null.
    pub fn push_names<'a>(
        &mut self,
        values: usize,
        value: impl Fn(usize) -> &'a [u8],
        rows: impl ExactSizeIterator<Item = usize>,
    ) {
        let ColumnValues::Name(names) = &mut self.values else { panic!("the column has no names") };
        const UNKNOWN: i32 = -1;
        const NULL: i32 = -2;
        let mut ids = vec![UNKNOWN; values];
        let (first, mut nulls) = (names.ids.len(), 0);
        names.ids.reserve(rows.len());
        for number in rows {
            if ids[number] == UNKNOWN {
                let text = value(number);
                ids[number] = if text.is_empty() { NULL } else { names.id(text) };
            }
            nulls += usize::from(ids[number] == NULL);
            names.ids.push(ids[number]);
        }
        if nulls == 0 {
            return self.validity.push_ones(names.ids.len() - first);
        }
        self.nulls += nulls;
        for id in &mut names.ids[first..] {
            self.validity.push(*id != NULL);
            *id = (*id).max(0);
        }
    }

    /// Appends texts, each of which ends at an offset in `bytes` and begins where the one before it ends, or at `start`;
    /// an empty one is null.
    pub fn push_texts_of(&mut self, bytes: &[u8], mut start: usize, ends: &[u32]) {
        let ColumnValues::Text(texts) = &mut self.values else { panic!("the column has no texts") };
        let end = ends.last().map_or(start, |&end| end as usize);
        let is_ascii = bytes[start..end].is_ascii();
        if is_ascii {
            let shift = texts.bytes.len() as i64 - start as i64;
            texts.bytes.extend_from_slice(&bytes[start..end]);
            i32::try_from(texts.bytes.len()).expect(FITS);
            texts.offsets.extend(ends.iter().map(|&end| (i64::from(end) + shift) as i32));
        }
        let has_nulls = ends.first().is_some_and(|&end| end as usize == start)
            || ends.windows(2).fold(false, |has_nulls, pair| has_nulls | (pair[0] == pair[1]));
        if is_ascii && !has_nulls {
            return self.validity.push_ones(ends.len());
        }
        for &end in ends {
            let text = &bytes[start..end as usize];
            start = end as usize;
            self.validity.push(!text.is_empty());
            self.nulls += usize::from(text.is_empty());
            if !is_ascii {
                texts.push(text);
            }
        }
    }

    /// Appends texts; an empty one is null. If it is known that all are ASCII, they are not checked.
    pub fn push_texts<'a>(&mut self, rows: impl Iterator<Item = &'a [u8]>, is_ascii: bool) {
        let ColumnValues::Text(texts) = &mut self.values else { panic!("the column has no texts") };
        for text in rows {
            self.validity.push(!text.is_empty());
            self.nulls += usize::from(text.is_empty());
            if is_ascii {
                texts.bytes.extend_from_slice(text);
                texts.end();
            } else {
                texts.push(text);
            }
        }
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

    fn push_ones(&mut self, mut bits: usize) {
        while 0 < bits && !self.bits.is_multiple_of(8) {
            self.push(true);
            bits -= 1;
        }
        self.bytes.resize(self.bytes.len() + bits / 8, u8::MAX);
        self.bits += bits / 8 * 8;
        (0..bits % 8).for_each(|_| self.push(true));
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
        self.offsets.push(i32::try_from(self.bytes.len()).expect(FITS));
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
        let id = self.id(text);
        self.ids.push(id);
    }

    /// The position of a text, which is added if it is new.
    fn id(&mut self, text: &[u8]) -> i32 {
        let NameBuffer { texts, known, hasher, .. } = self;
        let lossy;
        let text = match std::str::from_utf8(text) {
            Ok(_) => text,
            Err(_) => {
                lossy = String::from_utf8_lossy(text);
                lossy.as_bytes()
            }
        };
        let same = |&id: &i32| texts.get(id as usize) == text;
        let hash = hasher.hash_one(text);
        if let Some(&id) = known.find(hash, same) {
            return id;
        }
        let id = texts.len() as i32;
        texts.push(text);
        known.insert_unique(hash, id, |&id| hasher.hash_one(texts.get(id as usize)));
        id
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
