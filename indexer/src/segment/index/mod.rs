//! The index of a segment, and the sections of its file.
//!
//! | section           | holds                                                                          |
//! |-------------------|--------------------------------------------------------------------------------|
//! | `keys.…`          | the [words](super::words) of templates; a row is the number of a template      |
//! | `words.…`         | the words and the addresses of messages that have no template; missing if there are none |
//! | `values.…`        | those of the values of dynamic fields that are not [parts](logstead_template::FieldParts) of messages; missing if there are none |
//! | `templates`       | the [templates](super::templates), and how many rows of which groups have them |
//! | `places`          | of the hashes of words in slots, the [groups](logstead_template::Rare) that may have them; and of those in `words.…` and `values.…`, two more numbers |
//! | `fields`          | the names of dynamic fields, below                                             |
//! | `field.0` …       | a [column of names](super::names) for each of the first of those               |
//!
//! The section `fields` contains a u8, which is 1 if it has all names, otherwise 0; the number of fields with a
//! column as u32, and the number of those without as u32; then, for each field, its length as u32 and its name in its
//! first spelling. Times and columns that every segment has are read from the blocks, which contain them anyway.
//!
//! **Invariant:** an index is believed only if it was made of these very blocks.

mod layout;
mod write;

use super::blocks::{Blocks, BlocksError, RowGroups};
use super::bundle::{Bundle, BundleKind, IndexError, Section};
use super::cache::{Cache, CacheOwner, CachePart};
use super::column::{COLUMN_COUNT, CommonColumn};
use super::lexicon::TemplateLexicon;
use super::names::{NameValues, NamesColumn};
use super::packed::ColumnFault;
use super::packed::ReadRange;
use super::place::SegmentFile;
use super::templates::Templates;
use super::times::Times;
pub(crate) use layout::FieldTable;
use layout::{DynamicField, FIELDS, TEMPLATES, field_section, identity, seed};
use logstead_record::FieldName;
use logstead_record::TextColumn;
use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};
pub(crate) use write::IndexBuilder;

/// The approximate memory of the small values of columns and of the index of the dictionary itself.
const KEPT_BYTES: usize = 128 << 10;

/// An open index.
pub(crate) struct SegmentIndex {
    bundle: Bundle,
    /// The row groups, which contain times and columns.
    groups: Arc<RowGroups>,
    pub(crate) words: TemplateLexicon,
    pub(crate) times: Arc<Times<Section>>,
    pub(crate) fields: FieldTable,
    values: [OnceLock<Arc<NameValues>>; COLUMN_COUNT],
    /// The cache that also contains this index.
    cache: Weak<Cache>,
    owner: CacheOwner,
}

/// The location of the values of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FieldLocation {
    /// A column that every segment has.
    Known(CommonColumn),
    /// The column of this dynamic field.
    Dynamic(usize),
    /// Nowhere: no row has the field.
    Nowhere,
    /// The blocks only.
    Blocks,
}

impl SegmentIndex {
    /// Opens the index of these blocks.
    pub(crate) fn open(
        file: Arc<dyn SegmentFile>,
        blocks: &Blocks,
        cache: &Arc<Cache>,
        owner: CacheOwner,
    ) -> Result<SegmentIndex, IndexError> {
        let bundle = Bundle::open(BundleKind::Index, file)?;
        if bundle.identity() != identity(blocks) {
            return Err(IndexError::Format("it is an index of other blocks".to_owned()));
        }
        let fields = FieldTable::read(&bundle.section(FIELDS)?.read_all()?)?;
        let groups = Arc::clone(blocks.groups());
        let templates = Templates::read(&bundle.section(TEMPLATES)?.read_all()?)?;
        let seed = seed(blocks.first_sequence, &blocks.previous_hash);
        let (words, times) =
            (TemplateLexicon::open(&bundle, templates, seed, &groups)?, Arc::clone(&groups.times));
        let cache = Arc::downgrade(cache);
        Ok(SegmentIndex { bundle, groups, words, times, fields, values: Default::default(), cache, owner })
    }

    /// The approximate memory that it takes, including the values that it keeps.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<SegmentIndex>()
            + self.bundle.memory_bytes()
            + self.fields.memory_bytes()
            + self.words.memory_bytes()
            + KEPT_BYTES
    }

    /// The length of its file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bundle.bytes()
    }

    /// Checks the checksum of every byte.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        self.bundle.verify()
    }

    /// The location of the values of a field.
    pub(crate) fn place(&self, field: &FieldName) -> FieldLocation {
        match field {
            FieldName::Known(field) => {
                CommonColumn::of(*field).map_or(FieldLocation::Blocks, FieldLocation::Known)
            }
            FieldName::Dynamic(name) => match self.fields.place(name) {
                DynamicField::Column(number) => FieldLocation::Dynamic(number),
                DynamicField::Nowhere => FieldLocation::Nowhere,
                DynamicField::Unknown => FieldLocation::Blocks,
            },
        }
    }

    /// Whether a column without values still tells which rows have one.
    pub(crate) fn knows_presence(&self, place: FieldLocation) -> bool {
        !matches!(place, FieldLocation::Known(CommonColumn::Program | CommonColumn::Priority))
    }

    /// The distinct values of a column, without its rows.
    pub(crate) fn values(&self, place: FieldLocation) -> Result<Arc<NameValues>, IndexError> {
        let FieldLocation::Known(column) = place else {
            return Ok(Arc::new(NameValues::read(&self.section(place)?)?));
        };
        if !self.groups.has_column(column) {
            return Ok(Arc::new(NameValues { texts: TextColumn::default(), is_complete: true }));
        }
        let kept = &self.values[column.number()];
        if let Some(values) = kept.get() {
            return Ok(Arc::clone(values));
        }
        let NameValues { texts, is_complete } = NameValues::read(&self.section(place)?)?;
        let values = Arc::new(NameValues { texts: column.own_part(texts), is_complete });
        // The values of host and program are needed for every bare word, so they are kept unless they are large.
        if values.is_small() {
            kept.get_or_init(|| Arc::clone(&values));
        }
        Ok(values)
    }

    /// A whole column.
    pub(crate) fn names(&self, place: FieldLocation) -> Result<Arc<NamesColumn>, IndexError> {
        let part = match place {
            FieldLocation::Known(column) => return self.groups.column(column).map_err(of_blocks),
            FieldLocation::Dynamic(number) => CachePart::Field(number),
            FieldLocation::Nowhere | FieldLocation::Blocks => return Err(no_column()),
        };
        let read = || {
            let names = NamesColumn::new(&self.section(place)?.read_all()?, self.bundle.identity().rows)?;
            let bytes = names.memory_bytes();
            Ok((names, bytes))
        };
        match self.cache.upgrade() {
            Some(cache) => cache.get(self.owner, part, read),
            None => Ok(Arc::new(read()?.0)),
        }
    }

    fn section(&self, place: FieldLocation) -> Result<Section, IndexError> {
        match place {
            FieldLocation::Known(column) => self.groups.column_section(column),
            FieldLocation::Dynamic(number) => self.bundle.section(&field_section(number)),
            FieldLocation::Nowhere | FieldLocation::Blocks => Err(no_column()),
        }
    }
}

fn no_column() -> IndexError {
    IndexError::Section("of a field without a column".to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn of_blocks(error: BlocksError) -> IndexError {
    IndexError::Format(format!("its blocks: {error}"))
}

impl ReadRange for Section {
    type Error = IndexError;

    fn bytes(&self) -> u64 {
        Section::bytes(self)
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        Section::read(self, range)
    }
}

impl From<ColumnFault> for IndexError {
    fn from(fault: ColumnFault) -> IndexError {
        IndexError::Format(fault.to_string())
    }
}
