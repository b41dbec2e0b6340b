//! `FlatBuffers`, the encoding of the metadata of an Arrow stream: tables whose fields are found through offsets.
//!
//! A buffer is written from its root on, each table before the parts that it refers to.

/// A value of a field.
pub(crate) enum FlatValue {
    Bool(bool),
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    Text(String),
    Table(FlatTable),
    Tables(Vec<FlatTable>),
    /// Structures of pairs of numbers.
    Pairs(Vec<[i64; 2]>),
}

/// The fields of a table by their numbers; `None` for those that have their default.
pub(crate) type FlatTable = Vec<Option<FlatValue>>;

const ALIGNMENT: usize = 8;
const OFFSET_BYTES: usize = 4;

/// A buffer whose root is this table, padded to a multiple of eight bytes.
pub(crate) fn flatbuffer(root: &FlatTable) -> Vec<u8> {
    let mut out = vec![0; OFFSET_BYTES];
    let at = table(root, &mut out);
    refer(0, at, &mut out);
    pad(&mut out, 0);
    out
}

/// Appends a table, and returns its position.
fn table(fields: &FlatTable, out: &mut Vec<u8>) -> usize {
    let (offsets, bytes) = layout(fields);
    pad(out, 2 * (offsets.len() + 2));
    let vtable = out.len();
    let sizes = [2 * (offsets.len() + 2), bytes].into_iter().chain(offsets.iter().copied());
    sizes.for_each(|size| out.extend_from_slice(&(size as u16).to_le_bytes()));
    let start = out.len();
    out.resize(start + bytes, 0);
    put(start, &((start - vtable) as i32).to_le_bytes(), out);
    for (field, offset) in fields.iter().zip(offsets) {
        let at = start + offset;
        match field {
            None => {}
            Some(FlatValue::Bool(value)) => out[at] = u8::from(*value),
            Some(FlatValue::Byte(value)) => out[at] = *value,
            Some(FlatValue::Short(value)) => put(at, &value.to_le_bytes(), out),
            Some(FlatValue::Int(value)) => put(at, &value.to_le_bytes(), out),
            Some(FlatValue::Long(value)) => put(at, &value.to_le_bytes(), out),
            Some(part) => {
                let position = part_of(part, out);
                refer(at, position, out);
            }
        }
    }
    start
}

/// The offset of each field in its table, 0 for absent ones, and the length of the table.
fn layout(fields: &FlatTable) -> (Vec<usize>, usize) {
    let mut bytes = OFFSET_BYTES;
    let place = |field: &Option<FlatValue>| {
        let Some(field) = field else { return 0 };
        let size = match field {
            FlatValue::Bool(_) | FlatValue::Byte(_) => 1,
            FlatValue::Short(_) => 2,
            FlatValue::Long(_) => 8,
            _ => OFFSET_BYTES,
        };
        let offset = bytes.next_multiple_of(size);
        bytes = offset + size;
        offset
    };
    (fields.iter().map(place).collect(), bytes)
}

/// Appends what a field refers to, and returns its position.
fn part_of(part: &FlatValue, out: &mut Vec<u8>) -> usize {
    match part {
        FlatValue::Table(fields) => table(fields, out),
        FlatValue::Tables(tables) => {
            let at = vector(tables.len(), out);
            let first = out.len();
            out.resize(first + tables.len() * OFFSET_BYTES, 0);
            for (number, fields) in tables.iter().enumerate() {
                let position = table(fields, out);
                refer(first + number * OFFSET_BYTES, position, out);
            }
            at
        }
        FlatValue::Pairs(pairs) => {
            let at = vector(pairs.len(), out);
            pairs.as_flattened().iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
            at
        }
        FlatValue::Text(text) => {
            let at = vector(text.len(), out);
            out.extend_from_slice(text.as_bytes());
            out.push(0);
            at
        }
        _ => unreachable!("numbers are in the table itself"),
    }
}

/// Appends the length of a vector, so that its elements are aligned, and returns its position.
fn vector(length: usize, out: &mut Vec<u8>) -> usize {
    pad(out, OFFSET_BYTES);
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.len() - OFFSET_BYTES
}

/// Appends zeros, so that what begins this many bytes later is aligned.
fn pad(out: &mut Vec<u8>, later: usize) {
    let length = (out.len() + later).next_multiple_of(ALIGNMENT) - later;
    out.resize(length, 0);
}

fn refer(at: usize, to: usize, out: &mut [u8]) {
    put(at, &((to - at) as u32).to_le_bytes(), out);
}

fn put(at: usize, bytes: &[u8], out: &mut [u8]) {
    out[at..at + bytes.len()].copy_from_slice(bytes);
}
