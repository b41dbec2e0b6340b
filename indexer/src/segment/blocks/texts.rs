//! The bytes of groups of texts in a file, and the parts of them that are kept in the cache.
//!
//! **Invariant:** the rows of a group are as many as the file says that it has.

use super::error::BlocksError;
use super::groups::RowGroups;
use super::layout::{MESSAGE, ROWS, of_group};
use crate::segment::bundle::{Bundle, Section};
use crate::segment::cache::{Cache, CacheOwner, CachePart};
use logstead_template::{DecodeError, GroupHead, GroupPart, GroupSource, Rows, TemplateGroup};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The length of the rows, at the beginning of a whole group.
const ROWS_HEAD: u64 = 4;

/// A group of texts in a file. Nothing of it is looked for before it is needed.
struct StoredGroup {
    bundle: Bundle,
    section: &'static str,
    group: usize,
    /// The number of rows.
    count: usize,
    cache: Arc<Cache>,
    owner: CacheOwner,
    places: OnceLock<GroupPlaces>,
}

/// The places of a group of texts.
struct GroupPlaces {
    rows: StoredBytes,
    texts: StoredBytes,
}

/// Bytes of a section.
struct StoredBytes {
    section: Section,
    range: Range<u64>,
}

impl RowGroups {
    /// The template of each message of a group.
    pub(crate) fn templates(&self, group: usize) -> Result<Arc<Rows>, BlocksError> {
        self.stored(MESSAGE, group, self.rows_of(group).len()).stored_rows()
    }

    /// The messages of a group.
    pub(crate) fn messages(&self, group: usize) -> Result<Arc<TemplateGroup>, BlocksError> {
        self.stored(MESSAGE, group, self.rows_of(group).len()).open()
    }

    /// Texts whose rows are in the same section.
    pub(super) fn whole_texts(
        &self,
        section: &'static str,
        group: usize,
        rows: usize,
    ) -> Result<Arc<TemplateGroup>, BlocksError> {
        self.stored(section, group, rows).open()
    }

    fn stored(&self, section: &'static str, group: usize, count: usize) -> StoredGroup {
        let (bundle, cache, owner) = (self.bundle.clone(), Arc::clone(&self.cache), self.owner);
        StoredGroup { bundle, section, group, count, cache, owner, places: OnceLock::new() }
    }
}

impl StoredGroup {
    fn open(self) -> Result<Arc<TemplateGroup>, BlocksError> {
        let head = self.cache.get(self.owner, CachePart::Group(self.section, self.group), || {
            let head = GroupHead::read(&self)?;
            self.check_rows(head.rows())?;
            let bytes = head.memory_bytes();
            Ok::<_, BlocksError>((head, bytes))
        })?;
        Ok(Arc::new(TemplateGroup::new(head, Box::new(self))))
    }

    fn stored_rows(&self) -> Result<Arc<Rows>, BlocksError> {
        self.cache.get(self.owner, CachePart::GroupRows(self.section, self.group), || {
            let rows = &self.places()?.rows;
            let rows = Rows::open(&rows.read(0..rows.bytes())?)?;
            self.check_rows(rows.len())?;
            let bytes = rows.memory_bytes();
            Ok((rows, bytes))
        })
    }

    fn places(&self) -> Result<&GroupPlaces, BlocksError> {
        if let Some(places) = self.places.get() {
            return Ok(places);
        }
        let texts = StoredBytes::all(self.bundle.section(&of_group(self.section, self.group))?);
        let places = if self.section == MESSAGE {
            GroupPlaces { rows: StoredBytes::all(self.bundle.section(&of_group(ROWS, self.group))?), texts }
        } else {
            texts.split_rows()?
        };
        Ok(self.places.get_or_init(|| places))
    }

    fn check_rows(&self, rows: usize) -> Result<(), BlocksError> {
        if rows == self.count { Ok(()) } else { Err(BlocksError::Implausible("number of rows")) }
    }
}

impl GroupSource for StoredGroup {
    fn bytes(&self) -> Result<u64, DecodeError> {
        Ok(self.places().map_err(DecodeError::unread)?.texts.bytes())
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, DecodeError> {
        self.places().and_then(|places| places.texts.read(range)).map_err(DecodeError::unread)
    }

    fn rows(&self) -> Result<Arc<Rows>, DecodeError> {
        self.stored_rows().map_err(DecodeError::unread)
    }

    fn part(
        &self,
        number: u32,
        open: &mut dyn FnMut() -> Result<GroupPart, DecodeError>,
    ) -> Result<Arc<GroupPart>, DecodeError> {
        self.cache.get(self.owner, CachePart::GroupPart(self.section, self.group, number), || {
            let part = open()?;
            let bytes = part.memory_bytes();
            Ok((part, bytes))
        })
    }
}

impl StoredBytes {
    fn all(section: Section) -> StoredBytes {
        StoredBytes { range: 0..section.bytes(), section }
    }

    /// The rows and the texts of a whole group.
    fn split_rows(self) -> Result<GroupPlaces, BlocksError> {
        let short = || BlocksError::Implausible("length of a section");
        let head = self.read(0..ROWS_HEAD.min(self.bytes()))?;
        let rows_end = ROWS_HEAD + u64::from(u32::from_le_bytes(*head.first_chunk().ok_or_else(short)?));
        if self.bytes() < rows_end {
            return Err(short());
        }
        let rows = StoredBytes { section: self.section.clone(), range: ROWS_HEAD..rows_end };
        Ok(GroupPlaces { rows, texts: StoredBytes { range: rows_end..self.bytes(), section: self.section } })
    }

    fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, BlocksError> {
        Ok(self.section.read(self.range.start + range.start..self.range.start + range.end)?)
    }
}
