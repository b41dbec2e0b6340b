//! The sorted table of the words of a dictionary: `tantivy-sstable` with values of our own, read from a section.
//!
//! For each block of words, the values are their count, where the bytes of the first word's rows begin, and then for
//! each word the number of its rows and of their bytes; all are varints.

use crate::segment::bundle::{IndexError, Section};
use logstead_template::{ByteReader, DecodeError, put_varint};
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use tantivy_common::file_slice::{FileHandle, FileSlice};
use tantivy_common::{HasLen, OwnedBytes};
use tantivy_sstable::value::{ValueReader, ValueWriter};
use tantivy_sstable::{Dictionary, SSTable};

/// The place of the rows of a word. The rows of the next word follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TermPlace {
    /// The number of rows.
    pub(super) rows: u32,
    /// Their bytes in the section of rows.
    pub(super) bytes: Range<u64>,
}

/// The kind of sorted table that has the places of rows as its values.
pub(super) struct TermTable;

impl SSTable for TermTable {
    type Value = TermPlace;
    type ValueReader = PlaceReader;
    type ValueWriter = PlaceWriter;
}

/// Opens the table in a section.
pub(super) fn open(section: Section) -> Result<Dictionary<TermTable>, IndexError> {
    Ok(Dictionary::open(FileSlice::new(Arc::new(SectionFile(section))))?)
}

/// Writes the places of the words of a block.
#[derive(Default)]
pub(super) struct PlaceWriter(Vec<TermPlace>);

impl ValueWriter for PlaceWriter {
    type Value = TermPlace;

    fn write(&mut self, place: &TermPlace) {
        self.0.push(place.clone());
    }

    fn serialize_block(&self, out: &mut Vec<u8>) {
        put_varint(self.0.len() as u64, out);
        put_varint(self.0.first().map_or(0, |place| place.bytes.start), out);
        for place in &self.0 {
            put_varint(u64::from(place.rows), out);
            put_varint(place.bytes.end - place.bytes.start, out);
        }
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Reads the places of the words of a block.
#[derive(Default)]
pub(super) struct PlaceReader(Vec<TermPlace>);

impl PlaceReader {
    fn read(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let count = reader.count(bytes.len(), "the number of words of a block")?;
        let mut start = reader.varint()?;
        self.0.clear();
        for _ in 0..count {
            let rows = u32::try_from(reader.varint()?).map_err(|_| DecodeError::Large("a number of rows"))?;
            let end = start.checked_add(reader.varint()?).ok_or(DecodeError::Large("a place of rows"))?;
            self.0.push(TermPlace { rows, bytes: start..end });
            start = end;
        }
        Ok(reader.position())
    }
}

impl ValueReader for PlaceReader {
    type Value = TermPlace;

    fn value(&self, number: usize) -> &TermPlace {
        &self.0[number]
    }

    fn load(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.read(bytes).map_err(|fault| io::Error::other(IndexError::from(fault)))
    }
}

/// A section as a file of tantivy's.
struct SectionFile(Section);

impl FileHandle for SectionFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let read = self.0.read(range.start as u64..range.end as u64);
        read.map(OwnedBytes::new).map_err(io::Error::other)
    }
}

impl HasLen for SectionFile {
    fn len(&self) -> usize {
        self.0.bytes() as usize
    }
}

impl fmt::Debug for SectionFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SectionFile").field(&self.len()).finish()
    }
}

/// The error that our reading gave to tantivy; one of its own if there was none.
impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> IndexError {
        let ours = error.get_ref().and_then(|inner| inner.downcast_ref::<IndexError>());
        ours.cloned().unwrap_or_else(|| IndexError::Format(error.to_string()))
    }
}
