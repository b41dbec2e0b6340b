//! Named sections in one file, with a checksum for each page: both files of a segment.
//!
//! | offset | size | field          | meaning                                                           |
//! |-------:|-----:|----------------|-------------------------------------------------------------------|
//! |      0 |    4 | magic          | `LSI1` for an index, `LSB2` for blocks                            |
//! |      4 |    4 | header crc     | CRC-32C of the header from here on                                |
//! |      8 |    4 | version        | of what the sections hold; these 80 bytes stay the same in every version |
//! |     12 |    4 | rows           | number of messages in the segment                                 |
//! |     16 |    8 | first sequence | of the first of them                                              |
//! |     24 |   32 | blocks hash    | the root of the blocks: of those that an index was made of, or of these |
//! |     56 |    8 | body bytes     | length of all sections together                                   |
//! |     64 |    4 | sections       | number of sections                                                |
//! |     68 |    4 | tables bytes   | length of the tables, which end the file                          |
//! |     72 |    4 | tables crc     | CRC-32C of the tables                                             |
//! |     76 |    4 | reserved       | zero                                                              |
//! |     80 |      | sections       | back to back                                                      |
//!
//! The tables are for each section u8 length of its name, its name and u64 its length, and behind all of these one u32 for
//! each page, its CRC-32C. A page is 16 KiB of a section, and the last of each may be shorter: so damage hits one section. In version 1
//! a page is 16 KiB of all sections together, and the checksums stand before the lengths. All numbers are little endian.
//!
//! An index is derived: one that is damaged, short or of another version can be made again from the blocks.
//!
//! **Invariant:** no byte leaves this file that was not checked since it was read from the disk.

use crate::bytes::{array_at, u32_at, u64_at};
use crate::disk::DiskFile;
use parking_lot::Mutex;
use std::io::{self, IoSlice};
use std::ops::Range;
use std::sync::Arc;

const HEADER_BYTES: usize = 80;
const PAGE_BYTES: usize = 16 << 10;
/// The version whose pages are of all sections together.
const ONE_BODY: u32 = 1;
const CRC_BYTES: usize = 4;

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An index of a segment.
    Index,
    /// The messages of a segment.
    Blocks,
}

impl Kind {
    /// What its files begin with.
    pub(crate) const fn magic(self) -> [u8; 4] {
        match self {
            Kind::Index => *b"LSI1",
            Kind::Blocks => *b"LSB2",
        }
    }

    /// The newest version that is read, and the one that is written.
    const fn version(self) -> u32 {
        2
    }
}

/// Why an index cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// The disk did not give the bytes.
    #[error("the index cannot be read: {0}")]
    Disk(String),
    /// It is something else.
    #[error("the file is not an index: it does not begin with LSI1")]
    Magic,
    /// It was written by a later release.
    #[error("the index has version {0}, and the newest that is known here is {newest}", newest = Kind::Index.version())]
    Newer(u32),
    /// Some bytes are not what was written.
    #[error("the index is damaged: the checksum of what is at byte {offset} is wrong")]
    Checksum {
        /// Where they begin.
        offset: u64,
    },
    /// It is not as long as it was.
    #[error("the index has {have_bytes} bytes where {want_bytes} were written")]
    Length {
        /// How long it is.
        have_bytes: u64,
        /// How long it was.
        want_bytes: u64,
    },
    /// A section is not there.
    #[error("the index has no section {0:?}")]
    Section(String),
    /// Its checksums are right, and yet it is not what it should be.
    #[error("the index cannot be understood: {0}")]
    Format(String),
}

impl From<logstead_template::Fault> for IndexError {
    fn from(fault: logstead_template::Fault) -> IndexError {
        IndexError::Format(fault.to_string())
    }
}

/// What an index is the index of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Sequence of the first message.
    pub(crate) first_sequence: u64,
    /// How many messages.
    pub(crate) rows: u32,
    /// BLAKE3 of the file of blocks.
    pub(crate) blocks_hash: [u8; 32],
}

/// Gathers the sections of a file.
pub(crate) struct BundleWriter {
    kind: Kind,
    version: u32,
    identity: Identity,
    sections: Vec<(String, Vec<u8>)>,
}

impl BundleWriter {
    /// A file without sections.
    pub(crate) fn new(kind: Kind, identity: Identity) -> BundleWriter {
        BundleWriter { kind, version: kind.version(), identity, sections: Vec::new() }
    }

    /// The sections so far.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &[u8]> {
        self.sections.iter().map(|(_, bytes)| bytes.as_slice())
    }

    /// It turns out to be this.
    pub(crate) fn set_identity(&mut self, identity: Identity) {
        self.identity = identity;
    }

    /// Adds a section.
    ///
    /// # Panics
    /// When the name is longer than 255 bytes or there is a section of that name: names are the program's own.
    pub(crate) fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        let name = name.into();
        assert!(name.len() <= usize::from(u8::MAX), "section {name:?} has too long a name");
        assert!(self.sections.iter().all(|(other, _)| *other != name), "section {name:?} is there twice");
        self.sections.push((name, bytes));
    }

    /// The parts of the file, in order.
    pub(crate) fn finish(self) -> Vec<Vec<u8>> {
        let mut tables = Vec::new();
        write_section_table(&self.sections, &mut tables);
        self.sections().for_each(|bytes| write_page_table(bytes, &mut tables));
        let header = Header {
            version: self.version,
            identity: self.identity,
            body_bytes: self.sections.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
            sections: self.sections.len() as u32,
            tables_bytes: u32::try_from(tables.len()).expect("an index is far below 16 TiB"),
            tables_crc: crc32c::crc32c(&tables),
        };
        let sections = self.sections.into_iter().map(|(_, bytes)| bytes);
        std::iter::once(header.to_bytes(self.kind).to_vec()).chain(sections).chain([tables]).collect()
    }

    /// Appends the file to an empty one, in one go. Returns its length.
    pub(crate) fn write_to(self, file: &dyn DiskFile) -> io::Result<u64> {
        let parts = self.finish();
        let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
        file.append(&mut slices)?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }
}

/// An open file of sections. Clones share it.
#[derive(Clone)]
pub(crate) struct Bundle {
    inner: Arc<Inner>,
}

struct Inner {
    file: Arc<dyn DiskFile>,
    header: Header,
    page_crcs: Vec<u32>,
    /// Where each page begins among the bytes of all sections, and where the last ends.
    page_starts: Vec<u64>,
    sections: Vec<(String, Range<u64>)>,
    /// The page that was read last: much that is read lies side by side.
    last_page: Mutex<Option<(usize, Arc<Vec<u8>>)>>,
}

impl Bundle {
    /// Opens a file: reads its header and its tables, and nothing else.
    pub(crate) fn open(kind: Kind, file: Arc<dyn DiskFile>) -> Result<Bundle, IndexError> {
        let have_bytes = file.bytes().map_err(|error| IndexError::Disk(error.to_string()))?;
        if have_bytes < HEADER_BYTES as u64 {
            return Err(IndexError::Length { have_bytes, want_bytes: HEADER_BYTES as u64 });
        }
        let header = Header::read(kind, &read_array(&*file)?)?;
        let want_bytes = header.file_bytes()?;
        if have_bytes != want_bytes {
            return Err(IndexError::Length { have_bytes, want_bytes });
        }
        // Not more than the file has, so a header that claims much costs no memory.
        let mut tables = vec![0; header.tables_bytes as usize];
        let offset = HEADER_BYTES as u64 + header.body_bytes;
        read_at(&*file, offset, &mut tables)?;
        if crc32c::crc32c(&tables) != header.tables_crc {
            return Err(IndexError::Checksum { offset });
        }
        let (page_crcs, page_starts, sections) = read_tables(&tables, &header)?;
        let last_page = Mutex::default();
        Ok(Bundle { inner: Arc::new(Inner { file, header, page_crcs, page_starts, sections, last_page }) })
    }

    /// The version of what its sections hold.
    pub(crate) fn version(&self) -> u32 {
        self.inner.header.version
    }

    /// What this is the index of, or which blocks these are.
    pub(crate) fn identity(&self) -> Identity {
        self.inner.header.identity
    }

    /// How long the file is.
    pub(crate) fn bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.inner.header.body_bytes + u64::from(self.inner.header.tables_bytes)
    }

    /// What its tables take in memory, and the page that was read last.
    pub(crate) fn memory_bytes(&self) -> usize {
        let names: usize =
            self.inner.sections.iter().map(|section| size_of_val(section) + section.0.len()).sum();
        let pages =
            size_of_val(self.inner.page_crcs.as_slice()) + size_of_val(self.inner.page_starts.as_slice());
        pages + names + PAGE_BYTES
    }

    /// The name and length of every section.
    pub(crate) fn sections(&self) -> Vec<(String, u64)> {
        let length = |range: &Range<u64>| range.end - range.start;
        self.inner.sections.iter().map(|(name, range)| (name.clone(), length(range))).collect()
    }

    /// A section.
    pub(crate) fn section(&self, name: &str) -> Result<Section, IndexError> {
        let (_, range) = self
            .inner
            .sections
            .iter()
            .find(|(other, _)| other == name)
            .ok_or_else(|| IndexError::Section(name.to_owned()))?;
        Ok(Section { inner: Arc::clone(&self.inner), range: range.clone() })
    }

    /// Whether there is a section of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.inner.sections.iter().any(|(other, _)| other == name)
    }

    /// Bytes of all sections as they lie in the file, from the first one on.
    pub(crate) fn body(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        let bytes = self.inner.header.body_bytes;
        if bytes < range.end {
            return Err(IndexError::Format(format!("bytes {range:?} of a body of {bytes}")));
        }
        self.inner.read(range)
    }

    /// Reads all of it and checks every checksum.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        (0..self.inner.page_crcs.len()).try_for_each(|page| self.inner.read_pages(page..page + 1).map(drop))
    }
}

/// A section of a file. Clones share the file.
#[derive(Clone)]
pub(crate) struct Section {
    inner: Arc<Inner>,
    /// Where it is in the body.
    range: Range<u64>,
}

impl Section {
    /// How long it is.
    pub(crate) fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Where it begins among the bytes of all sections.
    pub(crate) fn start(&self) -> u64 {
        self.range.start
    }

    /// Some bytes of it.
    pub(crate) fn read(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        if range.end < range.start || self.bytes() < range.end {
            let bytes = self.bytes();
            return Err(IndexError::Format(format!("bytes {range:?} of a section of {bytes}")));
        }
        self.inner.read(self.range.start + range.start..self.range.start + range.end)
    }

    /// All of it.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, IndexError> {
        self.read(0..self.bytes())
    }
}

impl Inner {
    /// Bytes of the body.
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let pages = self.page_of(range.start)..self.page_of(range.end - 1) + 1;
        let start = (range.start - self.page_starts[pages.start]) as usize;
        let end = start + (range.end - range.start) as usize;
        if pages.len() == 1 {
            return Ok(self.page(pages.start)?[start..end].to_vec());
        }
        let mut bytes = self.read_pages(pages)?;
        bytes.truncate(end);
        bytes.drain(..start);
        Ok(bytes)
    }

    /// One page, checked when it was read.
    fn page(&self, page: usize) -> Result<Arc<Vec<u8>>, IndexError> {
        if let Some((_, bytes)) = self.last_page.lock().as_ref().filter(|(last, _)| *last == page) {
            return Ok(Arc::clone(bytes));
        }
        let bytes = Arc::new(self.read_pages(page..page + 1)?);
        *self.last_page.lock() = Some((page, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// Whole pages, checked.
    fn read_pages(&self, pages: Range<usize>) -> Result<Vec<u8>, IndexError> {
        let starts = &self.page_starts[pages.start..=pages.end];
        let mut bytes = vec![0; (starts[pages.len()] - starts[0]) as usize];
        read_at(&*self.file, HEADER_BYTES as u64 + starts[0], &mut bytes)?;
        let mut rest = bytes.as_slice();
        for (bounds, crc) in starts.windows(2).zip(&self.page_crcs[pages]) {
            let (page, after) = rest.split_at((bounds[1] - bounds[0]) as usize);
            if crc32c::crc32c(page) != *crc {
                return Err(IndexError::Checksum { offset: HEADER_BYTES as u64 + bounds[0] });
            }
            rest = after;
        }
        Ok(bytes)
    }

    fn page_of(&self, offset: u64) -> usize {
        self.page_starts.partition_point(|&start| start <= offset) - 1
    }
}

/// What the first bytes of the file say.
struct Header {
    version: u32,
    identity: Identity,
    body_bytes: u64,
    sections: u32,
    tables_bytes: u32,
    tables_crc: u32,
}

impl Header {
    fn to_bytes(&self, kind: Kind) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(&kind.magic());
        bytes.extend_from_slice(&[0; CRC_BYTES]);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&self.identity.rows.to_le_bytes());
        bytes.extend_from_slice(&self.identity.first_sequence.to_le_bytes());
        bytes.extend_from_slice(&self.identity.blocks_hash);
        bytes.extend_from_slice(&self.body_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.sections.to_le_bytes());
        bytes.extend_from_slice(&self.tables_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.tables_crc.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes.try_into().expect("the fields are as long as the header")
    }

    fn read(kind: Kind, bytes: &[u8; HEADER_BYTES]) -> Result<Header, IndexError> {
        if bytes[..4] != kind.magic() {
            return Err(IndexError::Magic);
        }
        if u32_at(bytes, 4) != crc32c::crc32c(&bytes[8..]) {
            return Err(IndexError::Checksum { offset: 0 });
        }
        let version = u32_at(bytes, 8);
        if kind.version() < version {
            return Err(IndexError::Newer(version));
        }
        let identity = Identity {
            rows: u32_at(bytes, 12),
            first_sequence: u64_at(bytes, 16),
            blocks_hash: array_at(bytes, 24),
        };
        Ok(Header {
            version,
            identity,
            body_bytes: u64_at(bytes, 56),
            sections: u32_at(bytes, 64),
            tables_bytes: u32_at(bytes, 68),
            tables_crc: u32_at(bytes, 72),
        })
    }

    /// How long the file is that begins with this.
    fn file_bytes(&self) -> Result<u64, IndexError> {
        self.body_bytes
            .checked_add(HEADER_BYTES as u64 + u64::from(self.tables_bytes))
            .ok_or_else(|| IndexError::Format(format!("{bytes} bytes of sections", bytes = self.body_bytes)))
    }
}

fn write_page_table(section: &[u8], table: &mut Vec<u8>) {
    section.chunks(PAGE_BYTES).for_each(|page| table.extend_from_slice(&crc32c::crc32c(page).to_le_bytes()));
}

/// Where each page begins, and where the last ends.
fn page_starts(version: u32, sections: &[(String, Range<u64>)], body_bytes: u64) -> Vec<u64> {
    let mut starts = Vec::new();
    match version {
        ONE_BODY => starts.extend((0..body_bytes).step_by(PAGE_BYTES)),
        _ => sections.iter().for_each(|(_, range)| starts.extend(range.clone().step_by(PAGE_BYTES))),
    }
    starts.push(body_bytes);
    starts
}

fn write_section_table(sections: &[(String, Vec<u8>)], table: &mut Vec<u8>) {
    for (name, bytes) in sections {
        table.push(name.len() as u8);
        table.extend_from_slice(name.as_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    }
}

/// The checksums of the pages, where these begin, and the sections with their places in the body.
type Tables = (Vec<u32>, Vec<u64>, Vec<(String, Range<u64>)>);

fn read_tables(tables: &[u8], header: &Header) -> Result<Tables, IndexError> {
    let read = || {
        let (sections, crcs) = match header.version {
            ONE_BODY => {
                let pages = usize::try_from(header.body_bytes.div_ceil(PAGE_BYTES as u64)).ok()?;
                let (crcs, mut rest) = tables.split_at_checked(pages.checked_mul(CRC_BYTES)?)?;
                let sections = read_sections(&mut rest, header)?;
                rest.is_empty().then_some((sections, crcs))?
            }
            _ => {
                let mut rest = tables;
                (read_sections(&mut rest, header)?, rest)
            }
        };
        let starts = page_starts(header.version, &sections, header.body_bytes);
        let is_whole = crcs.len() == (starts.len() - 1) * CRC_BYTES;
        let crcs = crcs.as_chunks().0.iter().map(|&crc| u32::from_le_bytes(crc)).collect();
        is_whole.then_some((crcs, starts, sections))
    };
    read().ok_or_else(|| IndexError::Format("its tables do not fit its header".to_owned()))
}

/// The sections, which fill the body.
fn read_sections(rest: &mut &[u8], header: &Header) -> Option<Vec<(String, Range<u64>)>> {
    let mut sections = Vec::new();
    let mut start = 0_u64;
    for _ in 0..header.sections {
        let (name, bytes) = read_section_entry(rest)?;
        let end = start.checked_add(bytes).filter(|end| *end <= header.body_bytes)?;
        sections.push((name, start..end));
        start = end;
    }
    (start == header.body_bytes).then_some(sections)
}

fn read_section_entry(rest: &mut &[u8]) -> Option<(String, u64)> {
    let (name_bytes, after) = rest.split_first()?;
    let (name, after) = after.split_at_checked(usize::from(*name_bytes))?;
    let (bytes, after) = after.split_first_chunk()?;
    *rest = after;
    Some((str::from_utf8(name).ok()?.to_owned(), u64::from_le_bytes(*bytes)))
}

fn read_at(file: &dyn DiskFile, offset: u64, buffer: &mut [u8]) -> Result<(), IndexError> {
    file.read_at(offset, buffer).map_err(|error| IndexError::Disk(error.to_string()))
}

fn read_array<const N: usize>(file: &dyn DiskFile) -> Result<[u8; N], IndexError> {
    let mut bytes = [0; N];
    read_at(file, 0, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Disk, Fault, SimDisk};
    use proptest::prelude::*;
    use std::path::Path;

    pub(crate) const IDENTITY: Identity = Identity { first_sequence: 7, rows: 100, blocks_hash: [9; 32] };
    const PATH: &str = "dir/a.index";

    /// A disk with a file of these bytes.
    pub(crate) fn disk_with(bytes: &[u8]) -> (SimDisk, Arc<dyn DiskFile>) {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("dir")).unwrap();
        let file = disk.create(Path::new(PATH)).unwrap();
        file.append(&mut [IoSlice::new(bytes)]).unwrap();
        (disk, file)
    }

    fn file_bytes(sections: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut writer = BundleWriter::new(Kind::Index, IDENTITY);
        for (name, bytes) in sections {
            writer.add(name.clone(), bytes.clone());
        }
        writer.finish().concat()
    }

    fn open(bytes: &[u8]) -> Result<Bundle, IndexError> {
        Bundle::open(Kind::Index, disk_with(bytes).1)
    }

    fn sections() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
        let size = prop_oneof![Just(0), Just(1), Just(PAGE_BYTES), 0..3 * PAGE_BYTES];
        let section = size.prop_map(|bytes| (0..bytes).map(|at| (at / 3) as u8).collect::<Vec<u8>>());
        proptest::collection::vec(section, 0..6).prop_map(|sections| {
            sections.into_iter().enumerate().map(|(at, bytes)| (format!("s{at}"), bytes)).collect()
        })
    }

    /// The file with a header whose checksum is right and whose field is not.
    fn with_field(bytes: &[u8], offset: usize, value: u32) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[8..HEADER_BYTES]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn what_was_added_is_read_in_any_piece(
            sections in sections(),
            pieces in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 8),
        ) {
            let bundle = open(&file_bytes(&sections)).unwrap();
            prop_assert_eq!(bundle.identity(), IDENTITY);
            prop_assert_eq!(bundle.verify(), Ok(()));
            for (name, bytes) in &sections {
                let section = bundle.section(name).unwrap();
                prop_assert_eq!(&section.read_all().unwrap(), bytes);
                for (from, to) in &pieces {
                    let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
                    let (from, to) = (from.min(to), from.max(to));
                    prop_assert_eq!(&section.read(from as u64..to as u64).unwrap(), &bytes[from..to]);
                }
                let beyond = section.read(0..bytes.len() as u64 + 1);
                prop_assert!(matches!(beyond, Err(IndexError::Format(_))), "{:?}", beyond);
            }
        }

        #[test]
        fn a_flipped_bit_is_found(sections in sections(), bit in any::<prop::sample::Index>()) {
            let mut bytes = file_bytes(&sections);
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(open(&bytes).and_then(|bundle| bundle.verify()).is_err());
        }

        #[test]
        fn a_file_of_another_length_is_no_index(sections in sections(), cut in any::<prop::sample::Index>()) {
            let bytes = file_bytes(&sections);
            let cut = &bytes[..cut.index(bytes.len())];
            let longer = [&bytes[..], &[0]].concat();
            for bytes in [cut, &longer] {
                let refused = open(bytes).err();
                let expected = matches!(refused, Some(IndexError::Length { have_bytes, .. })
                    if have_bytes == bytes.len() as u64);
                prop_assert!(expected, "{:?}", refused);
            }
        }

        #[test]
        fn tables_that_lie_are_refused(sections in sections(), garbage in any::<Vec<u8>>()) {
            let mut bytes = file_bytes(&sections);
            let body_end = HEADER_BYTES + sections.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
            bytes.truncate(body_end);
            bytes.extend_from_slice(&garbage);
            let bytes = with_field(&bytes, 68, garbage.len() as u32);
            let bytes = with_field(&bytes, 72, crc32c::crc32c(&garbage));
            if let Ok(bundle) = open(&bytes) {
                prop_assert!(bundle.verify().is_err() || sections.iter().all(|(_, bytes)| bytes.is_empty()));
            }
        }
    }

    #[test]
    fn what_can_not_be_is_a_clear_error() {
        let bytes = file_bytes(&[("a".to_owned(), vec![1; 100])]);
        let check = |bytes: &[u8], expected: IndexError| assert_eq!(open(bytes).err(), Some(expected));
        check(b"", IndexError::Length { have_bytes: 0, want_bytes: 80 });
        check(&[b'x'; 200], IndexError::Magic);
        check(&with_field(&bytes, 8, 3), IndexError::Newer(3));
        check(
            &with_field(&bytes, 64, u32::MAX),
            IndexError::Format("its tables do not fit its header".to_owned()),
        );
        let huge = with_field(&with_field(&bytes, 56, u32::MAX), 60, u32::MAX);
        check(&huge, IndexError::Format(format!("{bytes} bytes of sections", bytes = u64::MAX)));
        let missing = open(&bytes).unwrap().section("b").err();
        assert_eq!(missing, Some(IndexError::Section("b".to_owned())));
    }

    #[test]
    fn a_file_is_written_in_one_call_and_opened_in_three() {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("dir")).unwrap();
        let file = disk.create(Path::new(PATH)).unwrap();
        let mut writer = BundleWriter::new(Kind::Index, IDENTITY);
        writer.add("a", vec![1; 100]);
        writer.add("b", vec![2; 40_000]);
        let calls = disk.calls();
        let bytes = writer.write_to(&*file).unwrap();
        assert_eq!(disk.calls() - calls, 1);
        let bundle = Bundle::open(Kind::Index, file).unwrap();
        assert_eq!(disk.calls() - calls, 4, "the length, the header, the tables");
        assert_eq!(bundle.bytes(), bytes);
    }

    #[test]
    fn a_disk_that_fails_is_an_error() {
        let (disk, file) = disk_with(&file_bytes(&[("a".to_owned(), vec![1; 100])]));
        let expected = Some(IndexError::Disk("the disk failed".to_owned()));
        for call in 0..3 {
            disk.fault_after(call, Fault::Fail);
            assert_eq!(Bundle::open(Kind::Index, Arc::clone(&file)).err(), expected);
        }
        let section = Bundle::open(Kind::Index, file).unwrap().section("a").unwrap();
        disk.fault_after(0, Fault::Fail);
        assert_eq!(section.read_all().err(), expected);
        assert_eq!(section.read_all(), Ok(vec![1; 100]));
    }

    #[test]
    fn the_version_that_is_written_keeps_its_bytes() {
        let bytes = file_bytes(&[("a".to_owned(), b"hello".to_vec())]);
        let hash = blake3::hash(&bytes).to_hex().to_string();
        assert!(hash.starts_with("3f4cefd87ae3e6ee"), "{hash}");
    }
}
