//! The blocks file of a segment: its messages, as columns of the whole segment, and groups of rows whose texts are
//! templates and variables. It is a [bundle](super::bundle) of these sections:
//!
//! | section              | holds                                                                          |
//! |----------------------|--------------------------------------------------------------------------------|
//! | `rows.G`             | of group G: [which template each message has](logstead_template::Rows)          |
//! | `message.G`          | its messages: [a group of texts](logstead_template::TemplateGroup)                  |
//! | `pid.G`, `head.G`, `tail.G` | the other texts of its rows, *whole*; missing if all of them are empty |
//! | `parts.G`            | its [dynamic fields](logstead_template::FieldParts); missing if there are none    |
//! | `values.G`           | those of their values that are not parts of messages, whole; missing if there are none |
//! | `origin.G`           | the number in `origin` of what each row has, [in the order of places](logstead_template::PlacedNumbers) |
//! | `time`               | the [time](crate::segment::times) that each row counts by                       |
//! | `received`           | when it was received                                                            |
//! | `clock`              | names: 0 if a row counts by its own time, 1 if it has none, 2 if that is not believed |
//! | `own`                | the own time of each row that has 2 in `clock`, and any time for others; missing if no row has 2 |
//! | `host` …             | a column of names for each section of [`COLUMNS`], with all values; that of `origin` has no rows: these are in `origin.G`; that of `copy_of` is missing if no row has a value |
//! | `head_form`          | names: the forms of heads                                                       |
//! | `segment`            | below                                                                           |
//! | `pieces`             | BLAKE3 of each 64 KiB of all sections before it; the root in the header is that of the tree over these |
//!
//! A *whole* group of texts begins with the length of its rows as u32, followed by the rows. The section `segment`
//! consists of 32 bytes: earliest, latest, received first and received last of all messages; 32 bytes: the hash of
//! the journal frame before the first message; 32 bytes: the hash of the frame of the last message; then the number
//! of rows of each group as u32.
//!
//! A block has 1024 rows; the last block of each group has the rest.
//!
//! | module     | owns                                                     |
//! |------------|----------------------------------------------------------|
//! | `layout`   | the names of the sections, and the values in `clock`     |
//! | `write`    | batches → sections                                       |
//! | `take`     | groups of another file, as they are                      |
//! | `groups`   | an open file, and the rows of its groups and blocks      |
//! | `sections` | the sections, once they were opened                      |
//! | `texts`    | the parts of groups of texts, once they were opened      |
//! | `read`     | some columns of some rows                                |
//! | `gather`   | values of some rows of a column                          |
//! | `pieces`   | the tree of hashes over a file                           |
//! | `shared`   | bounds in time, and the texts that an index is made of   |
//! | `error`    | why a file cannot be read                                |
//!
//! **Invariant:** every byte was checked against the checksum of its page when it was read.

mod error;
mod gather;
mod groups;
mod layout;
mod pieces;
mod read;
mod sections;
mod shared;
mod take;
mod texts;
mod write;

use super::cache::Cache;
use super::column::CommonColumn;
use super::place::SegmentFile;
use crate::journal::frame::Hash;
pub use error::BlocksError;
pub(crate) use groups::RowGroups;
use logstead_record::{Batch, ColumnGroups, Field, Selection};
use shared::BlocksHead;
pub(crate) use shared::IndexedTexts;
pub(crate) use shared::{MessageSpan, ReadScratch};
use std::ops::Range;
use std::sync::Arc;
pub(crate) use write::BlocksWriter;

/// An open blocks file.
pub(crate) struct Blocks {
    pub(crate) first_sequence: u64,
    /// The hash of the journal frame before its first message.
    pub(crate) previous_hash: Hash,
    /// The hash of the journal frame of its last message.
    pub(crate) hash: Hash,
    pub(crate) root: Hash,
    pub(crate) span: MessageSpan,
    pub(crate) bytes: u64,
    rows: u32,
    groups: Arc<RowGroups>,
}

impl Blocks {
    /// Opens a file. The parts that are read are kept in `cache`.
    pub(crate) fn open(file: Arc<dyn SegmentFile>, cache: &Arc<Cache>) -> Result<Blocks, BlocksError> {
        let (head, groups) = RowGroups::open(file, cache)?;
        let BlocksHead { first_sequence, rows, previous_hash, hash, root, span, bytes } = head;
        Ok(Blocks { first_sequence, previous_hash, hash, root, span, bytes, rows, groups: Arc::new(groups) })
    }

    /// The groups of texts.
    pub(crate) fn groups(&self) -> &Arc<RowGroups> {
        &self.groups
    }

    /// Whether some of its messages may be copies.
    pub(crate) fn has_copies(&self) -> bool {
        self.groups.has_column(CommonColumn::Names(Field::CopyOf))
    }

    /// The memory that its tables take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.groups.memory_bytes()
    }

    /// The number of messages.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The bounds of the times of a block.
    pub(crate) fn span_of(&self, block: usize) -> MessageSpan {
        self.groups.span(block)
    }

    /// The rows of a block.
    pub(crate) fn row_range(&self, block: usize) -> Range<usize> {
        self.groups.row_range(block)
    }

    /// Whether all of these rows are in one group.
    pub(crate) fn are_in_one_group(&self, rows: &Range<usize>) -> bool {
        self.groups.group_of(rows.start) == self.groups.group_of(rows.end - 1)
    }

    /// The block that a row is in.
    pub(crate) fn block_of(&self, row: u32) -> usize {
        self.groups.block_of(row)
    }

    /// The approximate number of bytes that are read from the file for a block.
    pub(crate) fn bytes_of(&self, block: usize) -> u64 {
        self.bytes * self.row_range(block).len() as u64 / u64::from(self.rows.max(1))
    }

    /// Some columns of a block; the others are empty.
    pub(crate) fn read(
        &self,
        block: usize,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
    ) -> Result<Batch, BlocksError> {
        self.groups.read(self.row_range(block), groups, scratch)
    }

    /// Some columns of some rows of a block.
    pub(crate) fn read_some(
        &self,
        block: usize,
        rows: &Selection,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
    ) -> Result<Batch, BlocksError> {
        self.read_picked(self.row_range(block), rows, groups, scratch)
    }

    /// Some columns of some of these rows of one group.
    pub(crate) fn read_picked(
        &self,
        rows: Range<usize>,
        picked: &Selection,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
    ) -> Result<Batch, BlocksError> {
        self.groups.read_some(rows, picked, groups, scratch)
    }

    /// Checks that the hashes give the root.
    pub(crate) fn verify_root(&self) -> Result<(), BlocksError> {
        self.groups.verify_root()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::batches;
    use crate::segment::blocks::layout::BLOCK_ROWS;
    use crate::segment::bundle::{Bundle, BundleKind};
    use crate::segment::place::LocalFile;
    use crate::{Disk, SimDisk};
    use logstead_record::{BatchBuilder, ColumnGroup, Columns, Field, Origin, Row, Timestamp};
    use logstead_template::WantedWord;
    use logstead_work::Deadline;
    use logstead_work::deadline::watch_late;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::path::Path;
    use std::time::Duration;

    const PATH: &str = "/blocks";

    fn written(batches: &[Batch]) -> SimDisk {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("/")).unwrap();
        let mut writer = BlocksWriter::new(7, [1; 32]);
        let mut groups = 0;
        batches.iter().for_each(|batch| writer.push(batch, &mut |_| groups += 1).unwrap());
        let sections = writer.finish([2; 32], &mut |_| groups += 1).unwrap();
        assert_eq!(groups, 1);
        sections.write_to(&*disk.create(Path::new(PATH)).unwrap()).unwrap();
        disk
    }

    fn open(disk: &SimDisk, cache_bytes: usize) -> Result<Blocks, BlocksError> {
        let file = Arc::new(LocalFile(disk.open(Path::new(PATH)).unwrap()));
        Blocks::open(file, &Arc::new(Cache::new(cache_bytes)))
    }

    /// All values of a row.
    fn said(batch: &Batch, row: usize) -> impl PartialEq + std::fmt::Debug + use<> {
        let columns = batch.columns();
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let names: Vec<Vec<u8>> = columns.names.iter().map(|names| names.get(row).to_vec()).collect();
        let texts: Vec<Vec<u8>> = columns.texts.iter().map(|texts| texts.get(row).to_vec()).collect();
        let fields: Vec<(Vec<u8>, Vec<u8>)> =
            batch.fields(row).map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
        let times = columns.times.each_ref().map(|times| times[row]);
        (raw, names, texts, fields, times, columns.bytes.each_ref().map(|bytes| bytes[row]))
    }

    /// Sets of columns: parts of stamps, names, and other groups.
    fn column_sets() -> impl Strategy<Value = ColumnGroups> {
        let parts = [ColumnGroups::TIMES, ColumnGroups::PRIORITY, ColumnGroups::FLAGS].into_iter();
        let names = (0..Field::NAMES).map(ColumnGroups::of_names);
        let others = ColumnGroup::ALL.into_iter().skip(2).map(ColumnGroups::from);
        let all: Vec<ColumnGroups> = parts.chain(names).chain(others).collect();
        let length = all.len();
        prop::sample::subsequence(all, 0..=length)
            .prop_map(|columns| columns.into_iter().fold(ColumnGroups::NONE, ColumnGroups::and))
    }

    /// A batch with only these columns; the others are empty.
    fn with_only(batch: &Batch, wanted: ColumnGroups) -> Batch {
        let (all, mut columns) = (batch.columns(), Columns::empty(batch.rows()));
        let bytes = [ColumnGroups::PRIORITY, ColumnGroups::FLAGS, ColumnGroup::Head.into()];
        let texts = [ColumnGroup::Pid, ColumnGroup::Message, ColumnGroup::Head, ColumnGroup::Head];
        if wanted.has_all(ColumnGroups::TIMES) {
            columns.times = all.times.clone();
        }
        for (at, _) in bytes.iter().enumerate().filter(|(_, part)| wanted.has_all(**part)) {
            columns.bytes[at] = all.bytes[at].clone();
        }
        for at in (0..Field::NAMES).filter(|&at| wanted.has_all(ColumnGroups::of_names(at))) {
            columns.names[at] = all.names[at].clone();
        }
        for (at, _) in texts.iter().enumerate().filter(|(_, group)| wanted.has(**group)) {
            columns.texts[at] = all.texts[at].clone();
        }
        if wanted.has(ColumnGroup::Fields) {
            columns.field_ends = all.field_ends.clone();
            columns.field_names = all.field_names.clone();
            columns.field_values = all.field_values.clone();
        }
        Batch::from_columns(columns).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn rows_are_read_back_whole_or_in_groups_of_columns(
            batches in vec(batches(), 1..8), has_cache in any::<bool>(), columns in column_sets(),
        ) {
            let rows: usize = batches.iter().map(Batch::rows).sum();
            prop_assume!(rows != 0);
            let disk = written(&batches);
            let blocks = open(&disk, if has_cache { 1 << 20 } else { 0 }).unwrap();
            prop_assert_eq!((blocks.first_sequence, blocks.previous_hash, blocks.hash), (7, [1; 32], [2; 32]));
            prop_assert_eq!(blocks.rows() as usize, rows);
            prop_assert_eq!(blocks.verify_root(), Ok(()));
            let mut expected = batches.iter().flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)));
            let (mut scratch, mut other) = (ReadScratch::default(), ReadScratch::default());
            for block in 0..blocks.len() {
                let range = blocks.row_range(block);
                prop_assert!(range.clone().all(|row| blocks.block_of(row as u32) == block));
                let read = blocks.read(block, ColumnGroups::ALL, &mut scratch).unwrap();
                prop_assert_eq!(read.rows(), range.len());
                let part = blocks.read(block, ColumnGroup::Message.into(), &mut other).unwrap();
                prop_assert_eq!(part.columns().message(), read.columns().message());
                prop_assert_eq!(part.columns().names[Field::Host.number()].get(0), b"");
                let chosen = blocks.read(block, columns, &mut other).unwrap();
                prop_assert_eq!(&chosen, &with_only(&read, columns));
                let some = Selection::from_fn(read.rows(), |row| row % 3 == 1);
                let chosen = blocks.read_some(block, &some, columns, &mut other).unwrap();
                for (at, row) in some.iter().enumerate() {
                    prop_assert_eq!(said(&chosen, at), said(&with_only(&read, columns), row));
                }
                let picked = blocks.read_some(block, &some, ColumnGroups::ALL, &mut other).unwrap();
                for (at, row) in some.iter().enumerate() {
                    prop_assert_eq!(said(&picked, at), said(&read, row));
                }
                let span = blocks.span_of(block);
                for row in 0..read.rows() {
                    let (batch, at) = expected.next().unwrap();
                    prop_assert_eq!(said(&read, row), said(batch, at));
                    prop_assert!((span.earliest..=span.latest).contains(&batch.time(at)));
                    prop_assert!((span.received_first..=span.received_last).contains(&batch.received(at)));
                }
            }
        }

        #[test]
        fn groups_of_other_files_are_taken_as_they_are(
            files in vec(vec(batches(), 1..3), 1..4), between in batches(),
        ) {
            let mut writer = BlocksWriter::new(7, [1; 32]);
            let mut expected: Vec<Batch> = Vec::new();
            for batches in files.iter().filter(|batches| batches.iter().any(|batch| !batch.is_empty())) {
                let blocks = open(&written(batches), 1 << 20).unwrap();
                let groups = blocks.groups();
                writer.push_group(groups, 0, &mut |_| {}).unwrap();
                writer.push(&between, &mut |_| {}).unwrap();
                expected.extend(batches.iter().cloned().chain([between.clone()]));
            }
            let rows: usize = expected.iter().map(Batch::rows).sum();
            prop_assume!(rows != 0);
            let disk = SimDisk::new(0);
            disk.create_dir_all(Path::new("/")).unwrap();
            let sections = writer.finish([2; 32], &mut |_| {}).unwrap();
            sections.write_to(&*disk.create(Path::new(PATH)).unwrap()).unwrap();
            let blocks = open(&disk, 1 << 20).unwrap();
            prop_assert_eq!(blocks.rows() as usize, rows);
            prop_assert_eq!(blocks.verify_root(), Ok(()));
            let mut expected = expected.iter().flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)));
            let mut scratch = ReadScratch::default();
            for block in 0..blocks.len() {
                let range = blocks.row_range(block);
                prop_assert!(range.clone().all(|row| blocks.block_of(row as u32) == block));
                let (read, span) = (blocks.read(block, ColumnGroups::ALL, &mut scratch).unwrap(), blocks.span_of(block));
                for row in 0..read.rows() {
                    let (batch, at) = expected.next().unwrap();
                    prop_assert_eq!(said(&read, row), said(batch, at));
                    prop_assert!((span.earliest..=span.latest).contains(&batch.time(at)));
                }
            }
        }

        #[test]
        fn a_flipped_bit_is_found(batches in vec(batches(), 1..3), bit in any::<prop::sample::Index>()) {
            prop_assume!(batches.iter().any(|batch| !batch.is_empty()));
            let disk = written(&batches);
            let bytes = disk.open(Path::new(PATH)).unwrap().bytes().unwrap() as usize;
            disk.flip(Path::new(PATH), bit.index(bytes * 8));
            if let Ok(blocks) = open(&disk, 0) {
                prop_assert!(blocks.verify_root().is_err());
            }
        }
    }

    /// Messages of two statements, of which only the second has texts that are in no dictionary.
    fn of_two_kinds(rows: u64) -> Batch {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
        for row in 0..rows {
            let mixed = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let text = match row % 2 {
                0 => format!("took {} ms", mixed % 100_000),
                _ => format!("key Z{mixed:x}z of {row}"),
            };
            builder.push(&Row::text(text.as_bytes()));
        }
        builder.seal()
    }

    #[test]
    fn damage_is_noticed_when_its_part_is_needed_and_costs_no_other() {
        let disk = written(&[of_two_kinds(8000)]);
        let file = Arc::new(LocalFile(disk.open(Path::new(PATH)).unwrap()));
        let section = Bundle::open(BundleKind::Blocks, file).unwrap().section("message.0").unwrap();
        let (start, end) = (80 + section.start(), 80 + section.start() + section.bytes());
        // The words that are in no dictionary are at the end.
        disk.flip(Path::new(PATH), (end as usize - 1) * 8);
        let page = start + (section.bytes() - 1) / (16 << 10) * (16 << 10);
        assert!(start < page, "the words have pages of their own");
        for cache_bytes in [0, 1 << 20] {
            let blocks = open(&disk, cache_bytes).unwrap();
            let rows = |kind: usize| Selection::from_fn(BLOCK_ROWS, |row| row % 2 == kind);
            let read = |kind| {
                blocks.read_some(0, &rows(kind), ColumnGroup::Message.into(), &mut ReadScratch::default())
            };
            assert_eq!(read(0).unwrap().rows(), BLOCK_ROWS / 2);
            assert_eq!(read(1).err(), Some(BlocksError::Page { offset: page }));
            let messages = blocks.groups().messages(0).unwrap();
            assert_eq!(messages.rows().unwrap().len(), 8000);
            let found = messages.find(&WantedWord::new(b"took"));
            assert_eq!(BlocksError::from(found.err().unwrap()), BlocksError::Page { offset: page });
        }
        // A bit of the keys or of the directory is noticed at once.
        disk.flip(Path::new(PATH), (start as usize + 30) * 8);
        let opened = open(&disk, 1 << 20).unwrap().groups().messages(0);
        assert_eq!(opened.err(), Some(BlocksError::Page { offset: start }));
    }

    #[test]
    fn a_read_that_is_late_is_no_damage() {
        let disk = written(&[of_two_kinds(8000)]);
        let blocks = open(&disk, 1 << 20).unwrap();
        let messages = blocks.groups().messages(0).unwrap();
        let over = Deadline::after(Duration::ZERO, || Duration::ZERO);
        let (late, is_noted) = watch_late(|| over.during(|| messages.read(0..8000)));
        assert_eq!(late.err().map(BlocksError::from), Some(BlocksError::Late));
        assert!(is_noted);
        assert_eq!(messages.read(0..8000).unwrap().len(), 8000);
    }

    #[test]
    fn another_version_is_its_own_error() {
        let disk = written(&[Batch::from_columns(Columns::empty(1)).unwrap()]);
        let mut bytes = vec![0; disk.open(Path::new(PATH)).unwrap().bytes().unwrap() as usize];
        disk.open(Path::new(PATH)).unwrap().read_at(0, &mut bytes).unwrap();
        for version in [3, 5] {
            bytes[8] = version;
            let crc = crc32c::crc32c(&bytes[8..80]);
            bytes[4..8].copy_from_slice(&crc.to_le_bytes());
            disk.create(Path::new(PATH)).unwrap().append(&mut [std::io::IoSlice::new(&bytes)]).unwrap();
            assert_eq!(open(&disk, 0).err(), Some(BlocksError::Version(version.into())));
        }
    }
}
