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
        let header = vec![Some(FlatValue::Short(0)), Some(FlatValue::Tables(fields))];
        message(SCHEMA, header, &BatchBody::default(), out);
        ArrowStream
    }

    /// Appends a batch.
    pub(crate) fn batch(&self, batch: &RowBatch, out: &mut Vec<u8>) {
        for (number, column) in batch.columns().iter().enumerate() {
            if let ColumnValues::Name(NameBuffer { texts, .. }) = &column.values {
                let mut body = BatchBody::default();
                body.node(texts.len(), 0);
                body.buffer(BodyPart::Bytes(&[]));
                body.texts(texts);
                let data = FlatValue::Table(body.header(texts.len()));
                let header = vec![Some(FlatValue::Long(number as i64)), Some(data)];
                message(DICTIONARY, header, &body, out);
            }
        }
        let mut body = BatchBody::default();
        batch.columns().iter().for_each(|column| body.column(column, batch.rows()));
        message(BATCH, body.header(batch.rows()), &body, out);
    }

    /// Appends the mark of the end.
    pub(crate) fn end(out: &mut Vec<u8>) {
        out.extend_from_slice(&CONTINUES);
        out.extend_from_slice(&[0; 4]);
    }
}

/// The body of a message, and where its parts are.
#[derive(Default)]
struct BatchBody<'a> {
    /// The number of values of each column, and how many of them are nulls.
    nodes: Vec<[i64; 2]>,
    /// Where each buffer begins, and how long it is.
    buffers: Vec<[i64; 2]>,
    parts: Vec<BodyPart<'a>>,
    length: usize,
}

/// The contents of a buffer.
enum BodyPart<'a> {
    Bytes(&'a [u8]),
    Ints(&'a [i32]),
    Integers(&'a [i64]),
    Numbers(&'a [f64]),
}

impl<'a> BatchBody<'a> {
    fn column(&mut self, column: &'a ColumnBuffer, rows: usize) {
        self.node(rows, column.nulls);
        self.buffer(BodyPart::Bytes(if column.nulls == 0 { &[] } else { &column.validity.bytes }));
        match &column.values {
            ColumnValues::Integer(values) => self.buffer(BodyPart::Integers(values)),
            ColumnValues::Number(values) => self.buffer(BodyPart::Numbers(values)),
            ColumnValues::Boolean(values) => self.buffer(BodyPart::Bytes(&values.bytes)),
            ColumnValues::Text(texts) => self.texts(texts),
            ColumnValues::Name(names) => self.buffer(BodyPart::Ints(&names.ids)),
            ColumnValues::List(lists) => {
                self.buffer(BodyPart::Ints(&lists.offsets));
                self.node(lists.texts.len(), 0);
                self.buffer(BodyPart::Bytes(&[]));
                self.texts(&lists.texts);
            }
        }
    }

    fn texts(&mut self, texts: &'a TextBuffer) {
        self.buffer(BodyPart::Ints(&texts.offsets));
        self.buffer(BodyPart::Bytes(&texts.bytes));
    }

    fn node(&mut self, values: usize, nulls: usize) {
        self.nodes.push([values as i64, nulls as i64]);
    }

    fn buffer(&mut self, part: BodyPart<'a>) {
        let bytes = part.length();
        self.buffers.push([self.length as i64, bytes as i64]);
        self.parts.push(part);
        self.length += bytes.next_multiple_of(ALIGNMENT);
    }

    /// The description of the body.
    fn header(&self, rows: usize) -> FlatTable {
        vec![
            Some(FlatValue::Long(rows as i64)),
            Some(FlatValue::Pairs(self.nodes.clone())),
            Some(FlatValue::Pairs(self.buffers.clone())),
        ]
    }
}

impl BodyPart<'_> {
    fn length(&self) -> usize {
        match self {
            BodyPart::Bytes(bytes) => bytes.len(),
            BodyPart::Ints(values) => size_of_val(*values),
            BodyPart::Integers(values) => size_of_val(*values),
            BodyPart::Numbers(values) => size_of_val(*values),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            BodyPart::Bytes(bytes) => out.extend_from_slice(bytes),
            BodyPart::Ints(values) => words(values, |value| value.to_le_bytes(), out),
            BodyPart::Integers(values) => words(values, |value| value.to_le_bytes(), out),
            BodyPart::Numbers(values) => words(values, |value| value.to_le_bytes(), out),
        }
        let padding = self.length().next_multiple_of(ALIGNMENT) - self.length();
        out.extend_from_slice(&[0; ALIGNMENT][..padding]);
    }
}

/// Appends values, each as its bytes.
fn words<T: Copy, const BYTES: usize>(values: &[T], bytes: impl Fn(T) -> [u8; BYTES], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + values.len() * BYTES, 0);
    // Into places that are there already, the compiler copies many at once.
    let places = out[start..].as_chunks_mut().0;
    places.iter_mut().zip(values).for_each(|(place, &value)| *place = bytes(value));
}

/// Appends a message.
fn message(kind: u8, header: FlatTable, body: &BatchBody<'_>, out: &mut Vec<u8>) {
    let metadata = flatbuffer(&vec![
        Some(FlatValue::Short(VERSION)),
        Some(FlatValue::Byte(kind)),
        Some(FlatValue::Table(header)),
        Some(FlatValue::Long(body.length as i64)),
    ]);
    out.reserve(2 * CONTINUES.len() + metadata.len() + body.length);
    out.extend_from_slice(&CONTINUES);
    out.extend_from_slice(&(metadata.len() as u32).to_le_bytes());
    out.extend_from_slice(&metadata);
    body.parts.iter().for_each(|part| part.write(out));
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
