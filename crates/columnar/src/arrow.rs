//! An Arrow IPC stream: the schema, batches of rows, and a mark of the end.
//!
//! Before each batch, the distinct values of every column of names are sent again. Readers that do not know how to add to
//! the values of the batch before can read that, and no values have to be kept for the whole stream.

use crate::batch::{ColumnBuffer, ColumnType, ColumnValues, NameBuffer, RowBatch, TextBuffer, TypedColumn};
use crate::flatbuffer::{FlatTable, FlatValue, flatbuffer};

/// Buffers begin at multiples of this, so that readers can use them where they are.
const ALIGNMENT: usize = 64;
const CONTINUES: [u8; 4] = [0xff; 4];
/// The version of the format since Arrow 1.0.
const VERSION: i16 = 4;

const SCHEMA: u8 = 1;
const DICTIONARY: u8 = 2;
const BATCH: u8 = 3;

/// A stream that is being written.
pub(crate) struct ArrowStream;

impl ArrowStream {
    /// Appends the beginning of a stream with these columns.
    pub(crate) fn begin(columns: &[TypedColumn], out: &mut Vec<u8>) -> ArrowStream {
        let fields = columns.iter().enumerate().map(|(number, column)| field(number, column)).collect();
        message(SCHEMA, vec![Some(FlatValue::Short(0)), Some(FlatValue::Tables(fields))], &[], out);
        ArrowStream
    }

    /// Appends a batch.
    pub(crate) fn batch(&self, batch: &RowBatch, out: &mut Vec<u8>) {
        for (number, column) in batch.columns().iter().enumerate() {
            if let ColumnValues::Name(NameBuffer { texts, .. }) = &column.values {
                let mut body = BatchBody::default();
                body.node(texts.len(), 0);
                body.buffer(&[]);
                body.texts(texts);
                let (data, body) = body.finish(texts.len());
                let header = vec![Some(FlatValue::Long(number as i64)), Some(FlatValue::Table(data))];
                message(DICTIONARY, header, &body, out);
            }
        }
        let mut body = BatchBody::default();
        batch.columns().iter().for_each(|column| body.column(column, batch.rows()));
        let (header, body) = body.finish(batch.rows());
        message(BATCH, header, &body, out);
    }

    /// Appends the mark of the end.
    pub(crate) fn end(out: &mut Vec<u8>) {
        out.extend_from_slice(&CONTINUES);
        out.extend_from_slice(&[0; 4]);
    }
}

/// The body of a message, and where its parts are.
#[derive(Default)]
struct BatchBody {
    /// The number of values of each column, and how many of them are nulls.
    nodes: Vec<[i64; 2]>,
    /// Where each buffer begins, and how long it is.
    buffers: Vec<[i64; 2]>,
    bytes: Vec<u8>,
}

impl BatchBody {
    fn column(&mut self, column: &ColumnBuffer, rows: usize) {
        self.node(rows, column.nulls);
        self.buffer(if column.nulls == 0 { &[] } else { &column.validity.bytes });
        match &column.values {
            ColumnValues::Integer(values) => self.words(values.iter().map(|value| value.to_le_bytes())),
            ColumnValues::Number(values) => self.words(values.iter().map(|value| value.to_le_bytes())),
            ColumnValues::Boolean(values) => self.buffer(&values.bytes),
            ColumnValues::Text(texts) => self.texts(texts),
            ColumnValues::Name(names) => self.words(names.ids.iter().map(|id| id.to_le_bytes())),
            ColumnValues::List(lists) => {
                self.words(lists.offsets.iter().map(|offset| offset.to_le_bytes()));
                self.node(lists.texts.len(), 0);
                self.buffer(&[]);
                self.texts(&lists.texts);
            }
        }
    }

    fn texts(&mut self, texts: &TextBuffer) {
        self.words(texts.offsets.iter().map(|offset| offset.to_le_bytes()));
        self.buffer(&texts.bytes);
    }

    fn node(&mut self, values: usize, nulls: usize) {
        self.nodes.push([values as i64, nulls as i64]);
    }

    fn words<const BYTES: usize>(&mut self, words: impl ExactSizeIterator<Item = [u8; BYTES]>) {
        let start = self.bytes.len();
        self.bytes.reserve(words.len() * BYTES + ALIGNMENT);
        words.for_each(|word| self.bytes.extend_from_slice(&word));
        self.end_buffer(start);
    }

    fn buffer(&mut self, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.end_buffer(start);
    }

    fn end_buffer(&mut self, start: usize) {
        self.buffers.push([start as i64, (self.bytes.len() - start) as i64]);
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
    }

    fn finish(self, rows: usize) -> (FlatTable, Vec<u8>) {
        let header = vec![
            Some(FlatValue::Long(rows as i64)),
            Some(FlatValue::Pairs(self.nodes)),
            Some(FlatValue::Pairs(self.buffers)),
        ];
        (header, self.bytes)
    }
}

/// Appends a message.
fn message(kind: u8, header: FlatTable, body: &[u8], out: &mut Vec<u8>) {
    let metadata = flatbuffer(&vec![
        Some(FlatValue::Short(VERSION)),
        Some(FlatValue::Byte(kind)),
        Some(FlatValue::Table(header)),
        Some(FlatValue::Long(body.len() as i64)),
    ]);
    out.extend_from_slice(&CONTINUES);
    out.extend_from_slice(&(metadata.len() as u32).to_le_bytes());
    out.extend_from_slice(&metadata);
    out.extend_from_slice(body);
}

/// The description of a column. The distinct values of a column of names have its number as their id.
fn field(number: usize, column: &TypedColumn) -> FlatTable {
    let integer = |bits| vec![Some(FlatValue::Int(bits)), Some(FlatValue::Bool(true))];
    let (code, kind) = match column.kind {
        ColumnType::Integer => (2, integer(64)),
        ColumnType::Number => (3, vec![Some(FlatValue::Short(2))]),
        ColumnType::Text | ColumnType::Name => (5, Vec::new()),
        ColumnType::Boolean => (6, Vec::new()),
        ColumnType::Time => (10, vec![Some(FlatValue::Short(3)), Some(FlatValue::Text("UTC".to_owned()))]),
        ColumnType::List => (12, Vec::new()),
    };
    let item = || {
        let column = TypedColumn { name: "item".to_owned(), kind: ColumnType::Text };
        field(number, &column)
    };
    let is = |kind| column.kind == kind;
    vec![
        Some(FlatValue::Text(column.name.clone())),
        Some(FlatValue::Bool(true)),
        Some(FlatValue::Byte(code)),
        Some(FlatValue::Table(kind)),
        is(ColumnType::Name).then(|| {
            let id = Some(FlatValue::Long(number as i64));
            FlatValue::Table(vec![id, Some(FlatValue::Table(integer(32)))])
        }),
        Some(FlatValue::Tables(is(ColumnType::List).then(item).into_iter().collect())),
    ]
}
