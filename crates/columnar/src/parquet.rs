//! A Parquet file: groups of rows, in each of which a column stands in one piece, and the metadata at the end.
//!
//! A group is kept until it is complete, because its columns come one after the other; its pages are compressed as soon
//! as they are full.

use crate::batch::{ColumnBuffer, ColumnType, ColumnValues, NameBuffer, RowBatch, TypedColumn};
use crate::pages;
use crate::thrift::{ThriftStruct, ThriftValue, encoded, text};
use hashbrown::HashMap;
use zstd::bulk::Compressor;

const MAGIC: &[u8; 4] = b"PAR1";
/// The compressed size at which a group takes no more batches.
const GROUP_BYTES: usize = 16 << 20;
/// The number of rows at which a group takes no more batches.
const GROUP_ROWS: usize = 1 << 20;
/// The size of the distinct values of a column in a group, beyond which values are written as they are.
const DICTIONARY_BYTES_MAX: usize = 1 << 20;
const LEVEL: i32 = 1;

// Numbers of the format.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const DICTIONARY: i32 = 8;
const ZSTD: i32 = 6;
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
const OPTIONAL: i32 = 1;
const REPEATED: i32 = 2;
const REQUIRED: i32 = 0;
const BYTE_ARRAY: i32 = 6;

/// A file that is being written.
pub(crate) struct ParquetFile {
    columns: Vec<TypedColumn>,
    chunks: Vec<ColumnChunk>,
    /// The number of rows in the current group.
    group_rows: usize,
    group_bytes_max: usize,
    /// The metadata of each complete group.
    groups: Vec<Vec<u8>>,
    rows: usize,
    /// How many bytes of the file have been written.
    written: usize,
    compressor: Compressor<'static>,
}

/// A column of the current group.
#[derive(Default)]
struct ColumnChunk {
    pages: Vec<u8>,
    plain_bytes: usize,
    values: usize,
    /// The least and the greatest integer.
    bounds: Option<(i64, i64)>,
    dictionary: Dictionary,
}

/// The distinct values of a column in the current group.
#[derive(Default)]
struct Dictionary {
    ids: HashMap<Box<[u8]>, u32>,
    /// The values in the order of their ids, as a page holds them.
    page: Vec<u8>,
}

impl ParquetFile {
    /// Appends the beginning of a file with these columns.
    pub(crate) fn begin(columns: &[TypedColumn], out: &mut Vec<u8>) -> ParquetFile {
        out.extend_from_slice(MAGIC);
        ParquetFile {
            columns: columns.to_vec(),
            chunks: columns.iter().map(|_| ColumnChunk::default()).collect(),
            group_rows: 0,
            group_bytes_max: GROUP_BYTES,
            groups: Vec::new(),
            rows: 0,
            written: MAGIC.len(),
            compressor: Compressor::new(LEVEL).expect("there is memory for a compressor"),
        }
    }

    /// Completes a group once it has this many bytes.
    pub(crate) fn limit_group_bytes(&mut self, bytes_max: usize) {
        self.group_bytes_max = GROUP_BYTES.min(bytes_max);
    }

    /// Takes a batch, and appends the group if it is complete.
    pub(crate) fn batch(&mut self, batch: &RowBatch, out: &mut Vec<u8>) {
        for (column, chunk) in batch.columns().iter().zip(&mut self.chunks) {
            chunk.page(column, batch.rows(), &mut self.compressor);
        }
        self.group_rows += batch.rows();
        let bytes = self.chunks.iter().map(|chunk| chunk.pages.len() + chunk.dictionary.page.len()).sum();
        if GROUP_ROWS <= self.group_rows || self.group_bytes_max <= bytes {
            self.group(out);
        }
    }

    /// Appends the end of the file, with notes for those who look for them by their keys.
    pub(crate) fn end(mut self, notes: &[(&str, String)], out: &mut Vec<u8>) {
        if 0 < self.group_rows {
            self.group(out);
        }
        let note =
            |(key, value): &(&str, String)| ThriftValue::Struct(vec![(1, text(key)), (2, text(value))]);
        let order = |_| ThriftValue::Struct(vec![(1, ThriftValue::Struct(Vec::new()))]);
        let mut metadata = vec![
            (1, ThriftValue::Int(2)),
            (2, schema(&self.columns)),
            (3, ThriftValue::Long(self.rows as i64)),
            (4, ThriftValue::Encoded(self.groups)),
        ];
        if !notes.is_empty() {
            metadata.push((5, ThriftValue::List(notes.iter().map(note).collect())));
        }
        metadata.push((6, text(concat!("logstead version ", env!("CARGO_PKG_VERSION")))));
        metadata.push((7, ThriftValue::List(self.columns.iter().map(order).collect())));
        let metadata = encoded(&metadata);
        out.extend_from_slice(&metadata);
        out.extend_from_slice(&(metadata.len() as u32).to_le_bytes());
        out.extend_from_slice(MAGIC);
    }

    /// Appends the current group, and begins another.
    fn group(&mut self, out: &mut Vec<u8>) {
        let (mut described, mut bytes) = (Vec::new(), 0);
        for (column, chunk) in self.columns.iter().zip(&mut self.chunks) {
            let start = out.len();
            let metadata = std::mem::take(chunk).write(column, self.written, &mut self.compressor, out);
            self.written += out.len() - start;
            bytes += out.len() - start;
            described.push(ThriftValue::Struct(vec![
                (2, ThriftValue::Long(0)),
                (3, ThriftValue::Struct(metadata)),
            ]));
        }
        self.groups.push(encoded(&vec![
            (1, ThriftValue::List(described)),
            (2, ThriftValue::Long(bytes as i64)),
            (3, ThriftValue::Long(self.group_rows as i64)),
        ]));
        self.rows += std::mem::take(&mut self.group_rows);
    }
}

impl ColumnChunk {
    /// Appends a page with the values of a batch.
    fn page(&mut self, column: &ColumnBuffer, rows: usize, compressor: &mut Compressor<'_>) {
        let pages::PageLevels { values, encoded: mut content } = pages::levels(column, rows);
        let ids = match &column.values {
            ColumnValues::Name(names) => self.dictionary.ids(names, column),
            _ => None,
        };
        match &ids {
            Some(ids) => pages::ids(ids, self.dictionary.ids.len(), &mut content),
            None => pages::plain(column, &mut content),
        }
        if let ColumnValues::Integer(integers) = &column.values {
            let there = (0..rows).filter(|row| column.nulls == 0 || column.validity.get(*row));
            for value in there.map(|row| integers[row]) {
                let (least, greatest) = self.bounds.unwrap_or((value, value));
                self.bounds = Some((least.min(value), greatest.max(value)));
            }
        }
        let encoding = if ids.is_some() { DICTIONARY } else { PLAIN };
        let header = vec![
            (1, ThriftValue::Int(values as i32)),
            (2, ThriftValue::Int(encoding)),
            (3, ThriftValue::Int(RLE)),
            (4, ThriftValue::Int(RLE)),
        ];
        self.values += values;
        self.plain_bytes += append_page(DATA_PAGE, header, &content, compressor, &mut self.pages);
    }

    /// Appends the column, which begins at `start` in the file, and returns its metadata.
    fn write(
        self,
        column: &TypedColumn,
        start: usize,
        compressor: &mut Compressor<'_>,
        out: &mut Vec<u8>,
    ) -> ThriftStruct {
        let (begin, mut plain_bytes) = (out.len(), self.plain_bytes);
        let values = self.dictionary.ids.len();
        if 0 < values {
            let header = vec![(1, ThriftValue::Int(values as i32)), (2, ThriftValue::Int(PLAIN))];
            plain_bytes += append_page(DICTIONARY_PAGE, header, &self.dictionary.page, compressor, out);
        }
        let data = start + out.len() - begin;
        out.extend_from_slice(&self.pages);
        let path = [column.name.as_str(), "list", "element"];
        let path = if column.kind == ColumnType::List { &path[..] } else { &path[..1] };
        let encodings = [PLAIN, RLE, DICTIONARY].map(ThriftValue::Int).into_iter();
        let mut metadata = vec![
            (1, ThriftValue::Int(physical(column.kind))),
            (2, ThriftValue::List(encodings.take(if values == 0 { 2 } else { 3 }).collect())),
            (3, ThriftValue::List(path.iter().map(|part| text(part)).collect())),
            (4, ThriftValue::Int(ZSTD)),
            (5, ThriftValue::Long(self.values as i64)),
            (6, ThriftValue::Long(plain_bytes as i64)),
            (7, ThriftValue::Long((out.len() - begin) as i64)),
            (9, ThriftValue::Long(data as i64)),
        ];
        if 0 < values {
            metadata.push((11, ThriftValue::Long(start as i64)));
        }
        if let Some((least, greatest)) = self.bounds {
            let bytes = |value: i64| ThriftValue::Binary(value.to_le_bytes().to_vec());
            metadata.push((12, ThriftValue::Struct(vec![(5, bytes(greatest)), (6, bytes(least))])));
        }
        metadata
    }
}

impl Dictionary {
    /// The ids of the values that are not null; `None` if the dictionary has no room for them.
    fn ids(&mut self, names: &NameBuffer, column: &ColumnBuffer) -> Option<Vec<u32>> {
        let mut of_name = Vec::with_capacity(names.texts.len());
        for at in 0..names.texts.len() {
            of_name.push(self.id(names.texts.get(at))?);
        }
        if self.ids.is_empty() {
            // Readers want a value even where none is used.
            self.id(b"")?;
        }
        let rows = names.ids.iter().enumerate();
        let there = rows.filter(|(row, _)| column.nulls == 0 || column.validity.get(*row));
        Some(there.map(|(_, &name)| of_name[name as usize]).collect())
    }
}

impl Dictionary {
    fn id(&mut self, name: &[u8]) -> Option<u32> {
        if let Some(&id) = self.ids.get(name) {
            return Some(id);
        }
        let id = self.ids.len() as u32;
        (self.page.len() <= DICTIONARY_BYTES_MAX).then(|| {
            self.ids.insert(name.into(), id);
            pages::text(name, &mut self.page);
            id
        })
    }
}

/// Appends a page with a header of its own, and returns its size before it was compressed.
fn append_page(
    kind: i32,
    own: ThriftStruct,
    content: &[u8],
    compressor: &mut Compressor<'_>,
    out: &mut Vec<u8>,
) -> usize {
    let compressed = compressor.compress(content).expect("there is memory for a page");
    let own_number = if kind == DATA_PAGE { 5 } else { 7 };
    let header = encoded(&vec![
        (1, ThriftValue::Int(kind)),
        (2, ThriftValue::Int(content.len() as i32)),
        (3, ThriftValue::Int(compressed.len() as i32)),
        (own_number, ThriftValue::Struct(own)),
    ]);
    out.extend_from_slice(&header);
    out.extend_from_slice(&compressed);
    header.len() + content.len()
}

/// The list of a root and everything below it.
fn schema(columns: &[TypedColumn]) -> ThriftValue {
    let root = vec![(4, text("schema")), (5, ThriftValue::Int(columns.len() as i32))];
    let elements = [root].into_iter().chain(columns.iter().flat_map(elements));
    ThriftValue::List(elements.map(ThriftValue::Struct).collect())
}

fn elements(column: &TypedColumn) -> Vec<ThriftStruct> {
    let leaf = |name: &str, repetition| {
        let mut fields = vec![
            (1, ThriftValue::Int(physical(column.kind))),
            (3, ThriftValue::Int(repetition)),
            (4, text(name)),
        ];
        fields.extend(logical(column.kind));
        fields
    };
    if column.kind != ColumnType::List {
        return vec![leaf(&column.name, OPTIONAL)];
    }
    let group = |name: &str, repetition| {
        vec![(3, ThriftValue::Int(repetition)), (4, text(name)), (5, ThriftValue::Int(1))]
    };
    let mut list = group(&column.name, OPTIONAL);
    list.push((6, ThriftValue::Int(3)));
    list.push((10, ThriftValue::Struct(vec![(3, ThriftValue::Struct(Vec::new()))])));
    vec![list, group("list", REPEATED), leaf("element", REQUIRED)]
}

fn physical(kind: ColumnType) -> i32 {
    match kind {
        ColumnType::Boolean => 0,
        ColumnType::Integer | ColumnType::Time => 2,
        ColumnType::Number => 5,
        ColumnType::Text | ColumnType::Name | ColumnType::List => BYTE_ARRAY,
    }
}

/// The fields that say how values are to be taken.
fn logical(kind: ColumnType) -> Vec<(u8, ThriftValue)> {
    let nothing = || ThriftValue::Struct(Vec::new());
    match kind {
        ColumnType::Text | ColumnType::Name | ColumnType::List => {
            vec![(6, ThriftValue::Int(0)), (10, ThriftValue::Struct(vec![(1, nothing())]))]
        }
        ColumnType::Time => {
            let nanoseconds = ThriftValue::Struct(vec![(3, nothing())]);
            let time = vec![(1, ThriftValue::Bool(true)), (2, nanoseconds)];
            vec![(10, ThriftValue::Struct(vec![(8, ThriftValue::Struct(time))]))]
        }
        ColumnType::Integer | ColumnType::Number | ColumnType::Boolean => Vec::new(),
    }
}
