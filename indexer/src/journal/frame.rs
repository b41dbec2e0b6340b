//! A frame: one batch in a journal.
//!
//! | offset | size | field          | meaning                                                             |
//! |-------:|-----:|----------------|---------------------------------------------------------------------|
//! |      0 |    4 | magic          | `LSF1`, or `LSF2` for one with a number of copies                   |
//! |      4 |    4 | header crc     | CRC-32C of the header from here on                                  |
//! |      8 |    4 | body crc       | CRC-32C of the body                                                 |
//! |     12 |    4 | body bytes     | length of the body                                                  |
//! |     16 |    4 | columns bytes  | length of the columns that the body holds                           |
//! |     20 |    4 | rows           | number of messages, at least 1                                      |
//! |     24 |    8 | first sequence | of its first message; the others follow without a gap               |
//! |     32 |    8 | earliest       | the earliest time that one of its messages counts by                |
//! |     40 |    8 | latest         | the latest                                                          |
//! |     48 |    8 | received       | when the last received of its messages was                          |
//! |     56 |   32 | previous hash  | the hash of the frame before it, also across files; zero at first   |
//! |     88 |    4 | copies         | only in `LSF2`: how many messages are counted at another journal    |
//! |        |      | body           | the columns as one LZ4 block                                        |
//!
//! All numbers are little endian, and times are nanoseconds since 1970. A message that is in several journals is
//! counted in one of them; in the others it is a copy. The hash of a frame is BLAKE3(header ++ BLAKE3(body)), so
//! every frame vouches for all frames before it, and the chain can be checked with only the headers and the hashes of
//! the bodies.
//!
//! **Invariant:** a reader takes nothing on trust: no length is believed before the header's checksum fits, no
//! body is decompressed before its own does, and a batch is made only from columns that fit each other.

use crate::bytes::{array_at, time_at, u32_at, u64_at};
use crate::columns::{self, ColumnsError};
use logstead_record::{BATCH_ROWS_MAX, Batch, Timestamp};
use std::io::IoSlice;
use std::sync::Arc;

/// The bytes with which every frame begins.
pub(crate) const MAGIC: [u8; 3] = *b"LSF";
/// The magic bytes of frames without and with copies among their messages.
const PLAIN: [u8; 4] = *b"LSF1";
const WITH_COPIES: [u8; 4] = *b"LSF2";
/// The shortest and the longest header of a frame.
pub(crate) const HEADER_BYTES_MIN: usize = 88;
pub(crate) const HEADER_BYTES_MAX: usize = 92;
/// The greatest factor by which a block of LZ4 grows when it is decompressed.
const LZ4_RATIO_MAX: u64 = 255;

/// The BLAKE3 hash of a frame, which is a link of the chain.
pub(crate) type Hash = [u8; 32];

/// A batch encoded for the journal. Any thread can encode it; one thread appends it.
#[derive(Clone)]
pub struct EncodedBatch {
    /// The batch.
    pub batch: Arc<Batch>,
    /// The header, before its sequence and the previous hash are set.
    header: FrameHeader,
    body: Arc<[u8]>,
    body_hash: Hash,
}

/// Encodes a batch. This is the expensive part of writing it: columns, compression and checksums.
///
/// # Panics
/// Panics if the batch is larger than a frame may be: see [`BATCH_ROWS_MAX`], and 4 GiB for all columns together.
pub fn encode(batch: Arc<Batch>) -> EncodedBatch {
    assert!(batch.rows() <= BATCH_ROWS_MAX, "a batch of {rows} rows is sealed too late", rows = batch.rows());
    let mut columns = Vec::new();
    columns::write(&batch, &mut columns);
    let columns_bytes = u32::try_from(columns.len()).expect("a batch is far below 4 GiB");
    let body: Arc<[u8]> = lz4_flex::block::compress(&columns).into();
    let (earliest, latest) = batch.time_range().unwrap_or_default();
    let received = batch.columns().received().iter().copied().max().unwrap_or(0);
    let header = FrameHeader {
        body_crc: crc32c::crc32c(&body),
        body_bytes: u32::try_from(body.len()).expect("a batch is far below 4 GiB"),
        columns_bytes,
        rows: batch.rows() as u32,
        first_sequence: 0,
        earliest,
        latest,
        received: Timestamp::from_nanos(received),
        previous_hash: [0; 32],
        copies: 0,
    };
    EncodedBatch { batch, header, body_hash: *blake3::hash(&body).as_bytes(), body }
}

impl AsRef<EncodedBatch> for EncodedBatch {
    fn as_ref(&self) -> &EncodedBatch {
        self
    }
}

impl EncodedBatch {
    /// Computes the words that speed up searches until the batch is in a segment. Without this call, the appending
    /// thread computes them.
    pub fn prepare_for_search(&self) {
        self.batch.find_shapes();
    }

    /// The number of messages that it holds.
    pub fn rows(&self) -> usize {
        self.header.rows as usize
    }

    /// Sets the number of its messages that are counted in another journal.
    pub fn set_copies(&mut self, copies: usize) {
        self.header.copies = copies.min(self.rows()) as u32;
    }

    /// The number of bytes that it takes in the journal.
    pub fn journal_bytes(&self) -> u64 {
        self.header.frame_bytes()
    }

    /// Gives the batch its place in the journal.
    pub(crate) fn place(&self, first_sequence: u64, previous_hash: Hash) -> LinkedBatch<'_> {
        let header = FrameHeader { first_sequence, previous_hash, ..self.header };
        let header_bytes = header.to_bytes();
        let hash = hash(&header_bytes, &self.body_hash);
        LinkedBatch { encoded: self, header, header_bytes, hash }
    }
}

/// An encoded batch whose place in the journal is known.
pub(crate) struct LinkedBatch<'a> {
    pub(crate) encoded: &'a EncodedBatch,
    pub(crate) header: FrameHeader,
    header_bytes: HeaderBytes,
    pub(crate) hash: Hash,
}

impl LinkedBatch<'_> {
    /// The two parts of the frame.
    pub(crate) fn parts(&self) -> [IoSlice<'_>; 2] {
        [IoSlice::new(self.header_bytes.as_slice()), IoSlice::new(&self.encoded.body)]
    }
}

/// The reasons why bytes are not a valid frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The file ends within the frame.
    #[error("the file ends within it")]
    Torn,
    /// It does not begin with the expected bytes.
    #[error("no frame begins here")]
    Magic,
    /// The checksum of the header is wrong.
    #[error("the checksum of its header is wrong")]
    HeaderChecksum,
    /// The header has impossible values.
    #[error("its header is not possible: {rows} rows in {columns_bytes} bytes of columns")]
    Header {
        /// Number of messages.
        rows: u32,
        /// Length of the columns.
        columns_bytes: u32,
    },
    /// The checksum of the body is wrong.
    #[error("the checksum of its body is wrong")]
    BodyChecksum,
    /// The body cannot be decompressed.
    #[error("its body cannot be decompressed")]
    Compression,
    /// The body does not contain valid columns.
    #[error("its columns cannot be read: {0}")]
    Columns(#[from] ColumnsError),
    /// The frame contains messages that are in an earlier frame.
    #[error("its messages begin at {first_sequence}, but {expected} comes next")]
    Order {
        /// The sequence of its first message.
        first_sequence: u64,
        /// The lowest sequence allowed.
        expected: u64,
    },
}

/// The contents of the header of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FrameHeader {
    pub(crate) body_crc: u32,
    pub(crate) body_bytes: u32,
    pub(crate) columns_bytes: u32,
    pub(crate) rows: u32,
    pub(crate) first_sequence: u64,
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
    pub(crate) received: Timestamp,
    pub(crate) previous_hash: Hash,
    pub(crate) copies: u32,
}

/// The bytes of a header, as on disk.
struct HeaderBytes {
    bytes: [u8; HEADER_BYTES_MAX],
    length: usize,
}

impl HeaderBytes {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl FrameHeader {
    /// Length of the header.
    pub(crate) fn bytes(&self) -> u64 {
        (if self.copies == 0 { HEADER_BYTES_MIN } else { HEADER_BYTES_MAX }) as u64
    }

    /// Length of the whole frame.
    pub(crate) fn frame_bytes(&self) -> u64 {
        self.bytes() + u64::from(self.body_bytes)
    }

    /// The sequence after its last message.
    pub(crate) fn end_sequence(&self) -> u64 {
        self.first_sequence.saturating_add(u64::from(self.rows))
    }

    fn to_bytes(self) -> HeaderBytes {
        let mut bytes = [0; HEADER_BYTES_MAX];
        let length = self.bytes() as usize;
        let mut rest = bytes.as_mut_slice();
        let mut put = |field: &[u8]| {
            let (place, after) = std::mem::take(&mut rest).split_at_mut(field.len());
            place.copy_from_slice(field);
            rest = after;
        };
        put(if self.copies == 0 { &PLAIN } else { &WITH_COPIES });
        put(&[0; 4]);
        put(&self.body_crc.to_le_bytes());
        put(&self.body_bytes.to_le_bytes());
        put(&self.columns_bytes.to_le_bytes());
        put(&self.rows.to_le_bytes());
        put(&self.first_sequence.to_le_bytes());
        put(&self.earliest.nanos().to_le_bytes());
        put(&self.latest.nanos().to_le_bytes());
        put(&self.received.nanos().to_le_bytes());
        put(&self.previous_hash);
        put(&self.copies.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[8..length]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        HeaderBytes { bytes, length }
    }

    /// Reads the header that `bytes` begin with.
    pub(crate) fn read(bytes: &[u8]) -> Result<FrameHeader, FrameError> {
        let length = match bytes.first_chunk() {
            Some(&PLAIN) => HEADER_BYTES_MIN,
            Some(&WITH_COPIES) => HEADER_BYTES_MAX,
            Some(_) => return Err(FrameError::Magic),
            None => return Err(FrameError::Torn),
        };
        let bytes = bytes.get(..length).ok_or(FrameError::Torn)?;
        if u32_at(bytes, 4) != crc32c::crc32c(&bytes[8..]) {
            return Err(FrameError::HeaderChecksum);
        }
        let header = FrameHeader {
            body_crc: u32_at(bytes, 8),
            body_bytes: u32_at(bytes, 12),
            columns_bytes: u32_at(bytes, 16),
            rows: u32_at(bytes, 20),
            first_sequence: u64_at(bytes, 24),
            earliest: time_at(bytes, 32),
            latest: time_at(bytes, 40),
            received: time_at(bytes, 48),
            previous_hash: array_at(bytes, 56),
            copies: if length == HEADER_BYTES_MIN { 0 } else { u32_at(bytes, 88) },
        };
        let has_right_length = header.bytes() == length as u64;
        if has_right_length && header.is_plausible() {
            Ok(header)
        } else {
            Err(FrameError::Header { rows: header.rows, columns_bytes: header.columns_bytes })
        }
    }

    fn is_plausible(&self) -> bool {
        (1..=BATCH_ROWS_MAX as u32).contains(&self.rows)
            && self.copies <= self.rows
            && u64::from(self.columns_bytes) <= u64::from(self.body_bytes) * LZ4_RATIO_MAX
            && self.first_sequence.checked_add(u64::from(self.rows)).is_some()
    }

    /// Checks that `body` is unchanged since it was written.
    pub(crate) fn check_body(&self, body: &[u8]) -> Result<(), FrameError> {
        if crc32c::crc32c(body) == self.body_crc { Ok(()) } else { Err(FrameError::BodyChecksum) }
    }

    /// The batch in a body that has been checked.
    pub(crate) fn decode(&self, body: &[u8]) -> Result<Batch, FrameError> {
        let mut columns = vec![0; self.columns_bytes as usize];
        let written = lz4_flex::block::decompress_into(body, &mut columns);
        if written.ok() != Some(columns.len()) {
            return Err(FrameError::Compression);
        }
        Ok(columns::read(&columns, self.rows as usize)?)
    }

    /// The hash of the frame of this header and this body.
    pub(crate) fn hash(&self, body: &[u8]) -> Hash {
        hash(&self.to_bytes(), blake3::hash(body).as_bytes())
    }
}

fn hash(header: &HeaderBytes, body_hash: &Hash) -> Hash {
    *blake3::Hasher::new().update(header.as_slice()).update(body_hash).finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::batches;
    use proptest::prelude::*;

    fn frame(placed: &LinkedBatch<'_>) -> Vec<u8> {
        placed.parts().iter().flat_map(|part| part.iter().copied()).collect()
    }

    fn read(frame: &[u8]) -> Result<Batch, FrameError> {
        let header = FrameHeader::read(frame)?;
        let body =
            frame.get(header.bytes() as usize..header.frame_bytes() as usize).ok_or(FrameError::Torn)?;
        header.check_body(body)?;
        header.decode(body)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn a_frame_reads_as_the_batch_it_was_made_of(
            batch in batches(),
            copies in 0_usize..3,
            bit in any::<prop::sample::Index>(),
        ) {
            prop_assume!(!batch.is_empty());
            let mut encoded = encode(Arc::new(batch.clone()));
            encoded.set_copies(copies);
            let placed = encoded.place(7, [1; 32]);
            let mut bytes = frame(&placed);
            prop_assert_eq!(encoded.journal_bytes(), bytes.len() as u64);
            prop_assert_eq!(FrameHeader::read(&bytes), Ok(placed.header));
            prop_assert_eq!(placed.header.hash(&bytes[placed.header.bytes() as usize..]), placed.hash);
            prop_assert_eq!(batch.time_range(), Some((placed.header.earliest, placed.header.latest)));
            prop_assert_eq!(read(&bytes), Ok(batch));
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(read(&bytes).is_err());
        }
    }

    #[test]
    fn a_body_that_claims_to_be_huge_is_refused_before_it_is_decompressed() {
        let encoded = encode(Arc::new(Batch::default()));
        let header = FrameHeader { rows: 1, columns_bytes: u32::MAX, ..encoded.header };
        let refused = Err(FrameError::Header { rows: 1, columns_bytes: u32::MAX });
        assert_eq!(FrameHeader::read(header.to_bytes().as_slice()), refused);
        let none = Err(FrameError::Header { rows: 0, columns_bytes: encoded.header.columns_bytes });
        assert_eq!(FrameHeader::read(encoded.header.to_bytes().as_slice()), none);
    }
}
