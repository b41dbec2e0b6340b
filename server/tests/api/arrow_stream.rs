//! A reader of Arrow IPC streams, written from the description of the format and not from the code that writes them.
//!
//! Keywords: arrow, flatbuffers.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A stream that was read.
pub(super) struct ReadStream {
    /// The names of the columns.
    pub(super) names: Vec<String>,
    /// The rows of each batch.
    pub(super) batches: Vec<Vec<Vec<Value>>>,
    /// The bytes behind the mark of the end; `None` if that is missing.
    pub(super) rest: Option<Vec<u8>>,
}

/// Reads a stream as far as it goes.
pub(super) fn read_stream(bytes: &[u8]) -> ReadStream {
    let mut stream = ReadStream { names: Vec::new(), batches: Vec::new(), rest: None };
    let (mut fields, mut dictionaries) = (Vec::new(), BTreeMap::new());
    let mut at = 0;
    while let Some(begin) = bytes.get(at..at + 8) {
        assert_eq!(&begin[..4], [0xff; 4], "each message begins with a mark");
        let length = number::<4>(begin, 4) as usize;
        if length == 0 {
            stream.rest = Some(bytes[at + 8..].to_vec());
            return stream;
        }
        let Some(metadata) = bytes.get(at + 8..at + 8 + length) else { return stream };
        let message = FlatTable { bytes: metadata, at: number::<4>(metadata, 0) as usize };
        let (kind, header) = (message.number::<1>(1), message.table(2).unwrap());
        let body_at = at + 8 + length;
        let Some(body) = bytes.get(body_at..body_at + message.number::<8>(3) as usize) else { return stream };
        assert!(at % 8 == 0 && body.len() % 8 == 0, "messages are aligned");
        match kind {
            1 => {
                fields = header.tables(1).iter().map(StreamField::new).collect();
                stream.names = fields.iter().map(|field: &StreamField| field.name.clone()).collect();
            }
            2 => {
                let mut parts = BatchParts::new(header.table(1).unwrap(), body);
                let rows = parts.rows;
                dictionaries.insert(header.number::<8>(0), parts.texts(rows));
            }
            _ => stream.batches.push(rows(&fields, &dictionaries, header, body)),
        }
        at = body_at + body.len();
    }
    stream
}

fn rows(
    fields: &[StreamField],
    dictionaries: &BTreeMap<i64, Vec<Value>>,
    header: FlatTable<'_>,
    body: &[u8],
) -> Vec<Vec<Value>> {
    let mut parts = BatchParts::new(header, body);
    let columns: Vec<Vec<Value>> = fields.iter().map(|field| parts.column(field, dictionaries)).collect();
    (0..parts.rows).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
}

struct StreamField {
    name: String,
    kind: i64,
    dictionary: Option<i64>,
}

impl StreamField {
    fn new(field: &FlatTable<'_>) -> StreamField {
        let dictionary = field.table(4).map(|encoding| encoding.number::<8>(0));
        StreamField { name: field.text(0), kind: field.number::<1>(2), dictionary }
    }
}

/// The buffers of a batch that have not been read yet.
struct BatchParts<'a> {
    rows: usize,
    buffers: std::vec::IntoIter<&'a [u8]>,
}

impl<'a> BatchParts<'a> {
    fn new(header: FlatTable<'_>, body: &'a [u8]) -> BatchParts<'a> {
        let begin = header.part(2).unwrap();
        let buffer = |number_: usize| {
            let at = begin + 4 + number_ * 16;
            let [offset, length] = [0, 8].map(|more| number::<8>(header.bytes, at + more) as usize);
            assert_eq!(offset % 64, 0, "buffers are aligned");
            &body[offset..offset + length]
        };
        let count = number::<4>(header.bytes, begin) as usize;
        let buffers: Vec<&[u8]> = (0..count).map(buffer).collect();
        BatchParts { rows: header.number::<8>(0) as usize, buffers: buffers.into_iter() }
    }

    fn column(&mut self, field: &StreamField, dictionaries: &BTreeMap<i64, Vec<Value>>) -> Vec<Value> {
        if let (None, 5) = (field.dictionary, field.kind) {
            return self.texts(self.rows);
        }
        let validity = self.buffers.next().unwrap();
        let rows = self.rows;
        let values = self.buffers.next().unwrap();
        let value = |row: usize| match (field.dictionary, field.kind) {
            (Some(id), _) => dictionaries[&id].get(number::<4>(values, row * 4) as usize).cloned(),
            (_, 2 | 10) => Some(json!(number::<8>(values, row * 8))),
            (_, 3) => Some(json!(f64::from_bits(number::<8>(values, row * 8) as u64))),
            (_, 6) => Some(json!(bit(values, row))),
            _ => None,
        };
        if field.kind == 12 {
            let ends: Vec<usize> = (0..=rows).map(|row| number::<4>(values, row * 4) as usize).collect();
            let texts = self.texts(ends[rows]);
            let list = |row: usize| json!(texts[ends[row]..ends[row + 1]]);
            return (0..rows)
                .map(|row| if is_valid(validity, row) { list(row) } else { Value::Null })
                .collect();
        }
        let valid = |row: usize| if is_valid(validity, row) { value(row).unwrap() } else { Value::Null };
        (0..rows).map(valid).collect()
    }

    fn texts(&mut self, rows: usize) -> Vec<Value> {
        let [validity, ends, bytes] = [(); 3].map(|()| self.buffers.next().unwrap());
        let text = |row: usize| {
            let [start, end] = [row, row + 1].map(|at| number::<4>(ends, at * 4) as usize);
            if is_valid(validity, row) {
                json!(std::str::from_utf8(&bytes[start..end]).unwrap())
            } else {
                Value::Null
            }
        };
        (0..rows).map(text).collect()
    }
}

fn is_valid(validity: &[u8], row: usize) -> bool {
    validity.is_empty() || bit(validity, row)
}

fn bit(bytes: &[u8], at: usize) -> bool {
    bytes[at / 8] >> (at % 8) & 1 == 1
}

/// A signed number of this many bytes.
fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> i64 {
    let mut wide = [0; 8];
    wide[..BYTES].copy_from_slice(&bytes[at..at + BYTES]);
    let unused = 64 - 8 * BYTES as u32;
    i64::from_le_bytes(wide) << unused >> unused
}

/// A table of a buffer.
#[derive(Clone, Copy)]
struct FlatTable<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FlatTable<'a> {
    fn field(&self, field: usize) -> Option<usize> {
        let offsets = (self.at as i64 - number::<4>(self.bytes, self.at)) as usize;
        let entry = 4 + 2 * field;
        let length = number::<2>(self.bytes, offsets) as usize;
        let offset = if entry < length { number::<2>(self.bytes, offsets + entry) as usize } else { 0 };
        (offset != 0).then_some(self.at + offset)
    }

    fn number<const BYTES: usize>(&self, field: usize) -> i64 {
        self.field(field).map_or(0, |at| {
            assert_eq!(at % BYTES, 0, "numbers are aligned");
            number::<BYTES>(self.bytes, at)
        })
    }

    /// The position of what a field refers to.
    fn part(&self, field: usize) -> Option<usize> {
        self.field(field).map(|at| at + number::<4>(self.bytes, at) as usize)
    }

    fn table(&self, field: usize) -> Option<FlatTable<'a>> {
        self.part(field).map(|at| FlatTable { at, ..*self })
    }

    fn tables(&self, field: usize) -> Vec<FlatTable<'a>> {
        let begin = self.part(field).unwrap();
        let element = |number_: usize| {
            let at = begin + 4 + number_ * 4;
            FlatTable { at: at + number::<4>(self.bytes, at) as usize, ..*self }
        };
        (0..number::<4>(self.bytes, begin) as usize).map(element).collect()
    }

    fn text(&self, field: usize) -> String {
        let begin = self.part(field).unwrap();
        let end = begin + 4 + number::<4>(self.bytes, begin) as usize;
        assert_eq!(self.bytes[end], 0, "a text ends with zero");
        String::from_utf8(self.bytes[begin + 4..end].to_vec()).unwrap()
    }
}
