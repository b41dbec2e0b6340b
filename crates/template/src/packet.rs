//! Bytes that are compressed together: their compressed length as a varint, and zstd data.

use crate::bytes::{ByteReader, DecodeError, Result, put_varint};
use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};

thread_local! {
    /// A new decompressor costs more than most packets: its memory is so large that it is mapped each time.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Appends bytes.
pub(crate) fn write(bytes: &[u8], compressor: &mut Compressor<'_>, out: &mut Vec<u8>) {
    let packed = compressor.compress(bytes).expect("the buffer has room for what zstd writes");
    put_varint(packed.len() as u64, out);
    out.extend_from_slice(&packed);
}

/// Reads a packet that must unpack to exactly `bytes` bytes.
pub(crate) fn read(input: &mut ByteReader<'_>, bytes: usize) -> Result<Vec<u8>> {
    let length = input.count(usize::MAX, "a packet")?;
    unpack(input.take(length)?, bytes)
}

pub(crate) fn unpack(packed: &[u8], bytes: usize) -> Result<Vec<u8>> {
    let fault = |_| DecodeError::Compression("a packet");
    let unpacked = DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(kept) => kept,
            none => none.insert(Decompressor::new().map_err(fault)?),
        };
        decompressor.decompress(packed, bytes).map_err(fault)
    })?;
    if unpacked.len() == bytes { Ok(unpacked) } else { Err(DecodeError::Compression("a packet")) }
}
