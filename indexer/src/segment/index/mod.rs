//! The index of a segment, and the sections of its file.
//!
//! | section           | holds                                                                          |
//! |-------------------|--------------------------------------------------------------------------------|
//! | `keys.…`          | the [words](super::words) of templates; a row is the number of a template      |
//! | `words.…`         | the words and the addresses of messages that have no template; missing if there are none |
//! | `values.…`        | those of the values of dynamic fields that are not [parts](logstead_template::FieldParts) of messages; missing if there are none |
//! | `templates`       | the [templates](super::templates), and how many rows of which groups have them |
//! | `places`          | of the hashes of words in slots, the [groups](logstead_template::Rare) that may have them; and of those in `words.…` and `values.…`, two more numbers |
//! | `fields`          | the [names of dynamic fields](super::fields)                                   |
//! | `field.N.G`       | the [column](super::names) of field N in group G, if it has few values         |
//!
//! Times, columns that every segment has, and the other values of dynamic fields are read from the blocks, which contain
//! them anyway.
//!
//! **Invariant:** an index is believed only if it was made of these very blocks.

mod layout;
mod write;

use super::blocks::{Blocks, BlocksError, RowGroups};
use super::bundle::{Bundle, BundleKind, IndexError, Section};
use super::cache::{Cache, CacheOwner, CachePart};
use super::column::{COLUMN_COUNT, CommonColumn};
use super::fields::FieldNames;
use super::lexicon::TemplateLexicon;
use super::names::{NamesColumn, read_values};
use super::packed::ColumnFault;
use super::packed::ReadRange;
use super::place::SegmentFile;
use super::templates::Templates;
use super::times::Times;
use layout::{FIELDS, TEMPLATES, field_section, identity, seed};
use logstead_record::FieldName;
use logstead_record::{Selection, TextColumn};
use logstead_work::deadline::note_late;
use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};
pub(crate) use write::IndexBuilder;

/// Rows are few if fewer than one in this many are wanted.
const ROWS_PER_FEW: usize = 8;
/// The memory up to which the values of a column are kept.
const SMALL_BYTES: usize = 64 << 10;
/// The approximate memory of the small values of columns and of the index of the dictionary itself.
const KEPT_BYTES: usize = 128 << 10;

/// An open index.
pub(crate) struct SegmentIndex {
    bundle: Bundle,
    /// The row groups, which contain times and columns.
    groups: Arc<RowGroups>,
    pub(crate) words: TemplateLexicon,
    pub(crate) times: Arc<Times<Section>>,
    pub(crate) fields: FieldNames,
    values: [OnceLock<Arc<TextColumn>>; COLUMN_COUNT],
    /// The cache that also contains this index.
    cache: Weak<Cache>,
    owner: CacheOwner,
}

/// The column of a dynamic field for the rows of a group, if it can be made of what is stored.
pub(crate) type GroupFieldColumn = Arc<Option<NamesColumn>>;

/// The location of the values of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FieldLocation {
    /// A column that every segment has.
    Known(CommonColumn),
    /// The values of the dynamic field with this number, in the blocks.
    Dynamic(u32),
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
        let fields = FieldNames::read(&bundle.section(FIELDS)?.read_all()?)?;
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
            FieldName::Dynamic(name) => match self.fields.number(name.to_ascii_lowercase().as_bytes()) {
                Some(number) => FieldLocation::Dynamic(number),
                None if self.fields.is_complete() => FieldLocation::Nowhere,
                None => FieldLocation::Blocks,
            },
        }
    }

    /// The distinct values of a column, without its rows.
    pub(crate) fn values(&self, column: CommonColumn) -> Result<Arc<TextColumn>, IndexError> {
        if !self.groups.has_column(column) {
            return Ok(Arc::default());
        }
        let kept = &self.values[column.number()];
        if let Some(values) = kept.get() {
            return Ok(Arc::clone(values));
        }
        let values = Arc::new(column.own_part(read_values(&self.groups.column_section(column)?)?));
        // The values of host and program are needed for every bare word, so they are kept unless they are large.
        if values.memory_bytes() <= SMALL_BYTES {
            kept.get_or_init(|| Arc::clone(&values));
        }
        Ok(values)
    }

    /// A whole column.
    pub(crate) fn names(&self, column: CommonColumn) -> Result<Arc<NamesColumn>, IndexError> {
        self.groups.column(column).map_err(of_blocks)
    }

    /// The column of a dynamic field for the rows of a group; `None` if it cannot be made of what is stored. It is made
    /// when it is asked for first, unless it is in the index, and kept in the cache.
    pub(crate) fn field(&self, number: u32, group: usize) -> Result<GroupFieldColumn, BlocksError> {
        let read = || {
            let column = match self.stored_field(number, group) {
                Ok(Some(column)) => Some(column),
                Err(IndexError::Late) => return Err(IndexError::Late.into()),
                // What is damaged here can be made of the blocks.
                Ok(None) | Err(_) => self.made_field(number, group, None)?,
            };
            let bytes = column.as_ref().map_or(0, NamesColumn::memory_bytes);
            Ok((column, bytes))
        };
        match self.cache.upgrade() {
            Some(cache) => cache.get(self.owner, CachePart::Field(number, group), read),
            None => Ok(Arc::new(read()?.0)),
        }
    }

    /// The same column. The first time, it has only the values of these rows if they are few; from the second time on, it is
    /// whole and kept.
    pub(crate) fn field_of(
        &self,
        number: u32,
        group: usize,
        rows: &Selection,
    ) -> Result<GroupFieldColumn, BlocksError> {
        let are_few = rows.count() * ROWS_PER_FEW < rows.rows();
        let asked = CachePart::FieldAsked(number, group);
        match self.cache.upgrade() {
            Some(cache)
                if are_few
                    && !self.bundle.has(&field_section(number, group))
                    && cache.find::<()>(self.owner, asked).is_none() =>
            {
                let made = self.made_field(number, group, Some(rows))?;
                cache.keep(self.owner, asked, &Arc::new(()), 0);
                Ok(Arc::new(made))
            }
            _ => self.field(number, group),
        }
    }

    fn made_field(
        &self,
        number: u32,
        group: usize,
        rows: Option<&Selection>,
    ) -> Result<Option<NamesColumn>, BlocksError> {
        let Some(name) = self.fields.lower(number) else { return Ok(None) };
        let cache = self.cache.upgrade();
        let permit = cache.as_ref().map(|cache| cache.permit_making());
        if matches!(permit, Some(None)) {
            note_late();
            return Err(IndexError::Late.into());
        }
        self.groups.field(group, name, rows)
    }

    /// A column with few values, which is in the index.
    fn stored_field(&self, number: u32, group: usize) -> Result<Option<NamesColumn>, IndexError> {
        let section = field_section(number, group);
        if !self.bundle.has(&section) {
            return Ok(None);
        }
        let rows = self.groups.rows_of(group).len() as u32;
        Ok(Some(NamesColumn::new(&self.bundle.section(&section)?.read_all()?, rows)?))
    }

    /// The rows of a group in which a dynamic field is not empty.
    pub(crate) fn filled(&self, number: u32, group: usize) -> Result<Selection, BlocksError> {
        match self.fields.lower(number) {
            Some(name) if self.groups.has_fields(group) => {
                let [_, filled] = self.groups.parts(group)?.presence(name);
                Ok(filled)
            }
            _ => Ok(Selection::none(self.groups.rows_of(group).len())),
        }
    }

    /// The groups of rows.
    pub(crate) fn groups(&self) -> &RowGroups {
        &self.groups
    }

    /// The same column, if it is in the cache.
    pub(crate) fn known_field(&self, number: u32, group: usize) -> Option<GroupFieldColumn> {
        self.cache.upgrade()?.find(self.owner, CachePart::Field(number, group))
    }
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
