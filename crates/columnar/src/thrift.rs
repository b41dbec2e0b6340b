//! Thrift's compact protocol, the encoding of the metadata of a Parquet file.

/// A value.
pub(crate) enum ThriftValue {
    Bool(bool),
    Int(i32),
    Long(i64),
    Binary(Vec<u8>),
    List(Vec<ThriftValue>),
    /// A list of structures that have been encoded.
    Encoded(Vec<Vec<u8>>),
    Struct(ThriftStruct),
}

/// The fields of a structure with their numbers, in ascending order.
pub(crate) type ThriftStruct = Vec<(u8, ThriftValue)>;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT: u8 = 5;
const LONG: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A text.
pub(crate) fn text(text: &str) -> ThriftValue {
    ThriftValue::Binary(text.as_bytes().to_vec())
}

/// Encodes a structure.
pub(crate) fn encoded(fields: &ThriftStruct) -> Vec<u8> {
    let mut out = Vec::new();
    structure(fields, &mut out);
    out
}

/// Appends a number in groups of seven bits, the lowest first.
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while 0x7f < number {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn structure(fields: &ThriftStruct, out: &mut Vec<u8>) {
    let mut last = 0;
    for (number, field) in fields {
        out.push((number - last) << 4 | code(field));
        last = *number;
        value(field, out);
    }
    out.push(0);
}

fn value(value_: &ThriftValue, out: &mut Vec<u8>) {
    match value_ {
        // Within a structure, the code says it.
        ThriftValue::Bool(_) => {}
        ThriftValue::Int(number) => zigzag(i64::from(*number), out),
        ThriftValue::Long(number) => zigzag(*number, out),
        ThriftValue::Binary(bytes) => {
            varint(bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        }
        ThriftValue::List(items) => {
            list(items.len(), items.first().map_or(STRUCT, code), out);
            items.iter().for_each(|item| value(item, out));
        }
        ThriftValue::Encoded(items) => {
            list(items.len(), STRUCT, out);
            items.iter().for_each(|item| out.extend_from_slice(item));
        }
        ThriftValue::Struct(fields) => structure(fields, out),
    }
}

fn list(length: usize, kind: u8, out: &mut Vec<u8>) {
    if length < 15 {
        out.push((length as u8) << 4 | kind);
    } else {
        out.push(0xf0 | kind);
        varint(length as u64, out);
    }
}

fn zigzag(number: i64, out: &mut Vec<u8>) {
    varint((number << 1 ^ number >> 63) as u64, out);
}

fn code(value: &ThriftValue) -> u8 {
    match value {
        ThriftValue::Bool(true) => TRUE,
        ThriftValue::Bool(false) => FALSE,
        ThriftValue::Int(_) => INT,
        ThriftValue::Long(_) => LONG,
        ThriftValue::Binary(_) => BINARY,
        ThriftValue::List(_) | ThriftValue::Encoded(_) => LIST,
        ThriftValue::Struct(_) => STRUCT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_encoded_as_the_protocol_describes() {
        let inner = ThriftValue::Struct(vec![(1, ThriftValue::Bool(true)), (2, ThriftValue::Bool(false))]);
        let list = ThriftValue::List(vec![ThriftValue::Int(-1), ThriftValue::Int(64)]);
        let fields = vec![(1, ThriftValue::Long(300)), (3, text("ab")), (4, list), (10, inner)];
        let expected =
            [0x16, 0xd8, 0x04, 0x28, 2, b'a', b'b', 0x19, 0x25, 1, 0x80, 0x01, 0x6c, 0x11, 0x12, 0, 0];
        assert_eq!(encoded(&fields), expected);
        let mut long = Vec::new();
        list_of(20, &mut long);
        assert_eq!(long[..2], [0xf5, 20]);
    }

    fn list_of(length: usize, out: &mut Vec<u8>) {
        value(&ThriftValue::List((0..length).map(|_| ThriftValue::Int(0)).collect()), out);
    }
}
