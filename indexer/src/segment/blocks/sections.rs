//! Opens the sections of a file. An open section is kept in the cache.
//!
//! **Invariant:** an open section has the number of rows that belongs to it: that of the segment, of its group, or of
//! the fields there.

use super::error::BlocksError;
use super::groups::RowGroups;
use super::layout::{GROUP_SECTIONS, OWN, PARTS, PID, VALUES, of_group};
use super::shared::{IndexedTexts, UnsharedValues};
use crate::segment::bundle::{IndexError, Section};
use crate::segment::cache::CachePart;
use crate::segment::column::{CommonColumn, ORIGIN};
use crate::segment::names::NamesColumn;
use crate::segment::times::Times;
use logstead_record::Selection;
use logstead_template::{
    ColumnRequest, FieldColumn, FieldParts, FieldTexts, PlacedNumbers, Rows, TemplateGroup,
};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// The greatest size of the distinct priorities and programs that are read for each group by itself.
const ORIGINS_BYTES_MAX: u64 = 64 << 10;

/// A column of some rows.
pub(super) struct RowsOfColumn {
    names: Arc<NamesColumn>,
    /// The number of the first of them in the segment.
    first: usize,
}

impl RowsOfColumn {
    pub(super) fn names(&self) -> &NamesColumn {
        &self.names
    }

    /// The ids of some rows of the segment.
    pub(super) fn ids_of(&self, rows: &Range<usize>) -> Vec<u32> {
        self.names.ids_of(rows.start - self.first..rows.end - self.first)
    }
}

impl RowGroups {
    /// The texts of a group that are searched for words.
    pub(crate) fn texts(&self, group: usize) -> Result<IndexedTexts, BlocksError> {
        let fields = self.has_fields(group).then(|| self.parts(group)).transpose()?;
        Ok(IndexedTexts { messages: self.messages(group)?, values: self.values(group)?, fields })
    }

    fn values(&self, group: usize) -> Result<Option<UnsharedValues>, BlocksError> {
        if !self.bundle.has(&of_group(VALUES, group)) {
            return Ok(None);
        }
        let rows = self.parts(group)?.rows_elsewhere();
        Ok(Some(UnsharedValues { texts: self.whole_texts(VALUES, group, rows.len())?, rows }))
    }

    /// The column of a field, whose name is given in lower case, for the rows of a group; `None` if it cannot be made of
    /// what is stored. If only some rows are wanted, others have no value.
    pub(crate) fn field(
        &self,
        group: usize,
        name: &[u8],
        wanted: Option<&Selection>,
    ) -> Result<Option<NamesColumn>, BlocksError> {
        let rows = self.rows_of(group).len() as u32;
        if !self.has_fields(group) {
            return Ok(Some(NamesColumn::none(rows)));
        }
        let (parts, templates) = (self.parts(group)?, self.templates(group)?);
        let has_values = self.bundle.has(&of_group(VALUES, group));
        let elsewhere = has_values.then(|| self.whole_texts(VALUES, group, parts.elsewhere())).transpose()?;
        let texts = FieldTexts {
            rows: &templates,
            messages: &*self.messages(group)?,
            elsewhere: elsewhere.as_deref(),
        };
        let request = ColumnRequest { rows: wanted, ..ColumnRequest::default() };
        let Some(FieldColumn { values, rows }) = parts.column(name, &texts, request)? else {
            return Ok(None);
        };
        Ok(Some(NamesColumn::of_numbers(values, rows.into_iter()).map_err(IndexError::from)?))
    }

    /// The process ids of a group; `None` if all are empty.
    pub(crate) fn pids(&self, group: usize) -> Result<Option<Arc<TemplateGroup>>, BlocksError> {
        let is_there = self.bundle.has(&of_group(PID, group));
        is_there.then(|| self.whole_texts(PID, group, self.rows_of(group).len())).transpose()
    }

    /// A column that every segment has.
    pub(crate) fn column(&self, column: CommonColumn) -> Result<Arc<NamesColumn>, BlocksError> {
        self.kept(CachePart::Column(column), || {
            let names = match column.section() {
                ORIGIN => self.read_origins()?,
                _ if !self.has_column(column) => NamesColumn::none(self.rows),
                section => self.read_names(section, self.rows)?,
            };
            let names = names.map_values(|values| column.own_part(values));
            let bytes = names.memory_bytes();
            Ok((names, bytes))
        })
    }

    /// A column for the rows of a group, and the number of its first row in the segment. The priorities and programs of
    /// other groups are not read for it: that would need the template of each of their rows.
    pub(super) fn column_near(
        &self,
        column: CommonColumn,
        group: usize,
    ) -> Result<RowsOfColumn, BlocksError> {
        let whole = |names| RowsOfColumn { names, first: 0 };
        let is_of_groups = column.section() == ORIGIN && 1 < self.groups();
        if !is_of_groups || ORIGINS_BYTES_MAX < self.bundle.section(ORIGIN)?.bytes() {
            return self.column(column).map(whole);
        }
        if let Some(known) = self.cache.find(self.owner, CachePart::Column(column)) {
            return Ok(whole(known));
        }
        let names = self.kept(CachePart::ColumnOfGroup(column, group), || {
            let (values, rows) = (self.origin_values()?, self.templates(group)?);
            let origins = self.origins(group, &rows, values.values().len())?;
            let names = values.with_rows(origins.in_rows(&rows)).map_err(IndexError::from)?;
            let names = names.map_values(|values| column.own_part(values));
            let bytes = names.memory_bytes();
            Ok((names, bytes))
        })?;
        Ok(RowsOfColumn { names, first: self.rows_of(group).start })
    }

    /// Whether the file has a column. If an optional column is missing, no row has a value.
    pub(crate) fn has_column(&self, column: CommonColumn) -> bool {
        !column.may_be_missing() || self.bundle.has(column.section())
    }

    /// The priorities and programs: the distinct ones, and those of each row.
    fn read_origins(&self) -> Result<NamesColumn, BlocksError> {
        let values = self.origin_values()?;
        let groups = (0..self.groups()).map(|group| {
            let rows = self.templates(group)?;
            Ok((self.origins(group, &rows, values.values().len())?, rows))
        });
        let groups = groups.collect::<Result<Vec<_>, BlocksError>>()?;
        let ids = groups.iter().flat_map(|(origins, rows)| origins.in_rows(rows));
        Ok(values.with_rows(ids).map_err(IndexError::from)?)
    }

    /// The distinct priorities and programs.
    pub(super) fn origin_values(&self) -> Result<NamesColumn, BlocksError> {
        self.read_names(ORIGIN, 0)
    }

    /// The ids of the priorities and programs of a group's rows, each below `values`.
    pub(super) fn origins(
        &self,
        group: usize,
        rows: &Rows,
        values: usize,
    ) -> Result<PlacedNumbers, BlocksError> {
        Ok(PlacedNumbers::read(rows, self.section(ORIGIN, group)?, values)?)
    }

    /// The sections of a group, unchanged and with their names.
    pub(super) fn sections_of(&self, group: usize) -> Result<Vec<(&'static str, Vec<u8>)>, BlocksError> {
        let there = GROUP_SECTIONS.into_iter().filter(|section| self.bundle.has(&of_group(section, group)));
        there.map(|section| Ok((section, self.section(section, group)?))).collect()
    }

    fn section(&self, section: &'static str, group: usize) -> Result<Vec<u8>, IndexError> {
        self.bundle.section(&of_group(section, group))?.read_all()
    }

    /// Whether some row of a group has a dynamic field.
    pub(crate) fn has_fields(&self, group: usize) -> bool {
        self.bundle.has(&of_group(PARTS, group))
    }

    /// The dynamic fields of a group that has some.
    pub(crate) fn parts(&self, group: usize) -> Result<Arc<FieldParts>, BlocksError> {
        self.kept(CachePart::Group(PARTS, group), || {
            let parts = FieldParts::open(&self.section(PARTS, group)?, &*self.templates(group)?)?;
            let bytes = parts.memory_bytes();
            Ok((parts, bytes))
        })
    }

    pub(super) fn bytes_column(&self, section: &'static str) -> Result<Arc<NamesColumn>, BlocksError> {
        self.kept(CachePart::Section(section), || {
            let names = self.read_names(section, self.rows)?;
            let bytes = names.memory_bytes();
            Ok((names, bytes))
        })
    }

    pub(super) fn own_times(&self) -> Result<Arc<Times<Section>>, BlocksError> {
        self.kept(CachePart::Section(OWN), || {
            let times = Times::open(self.bundle.section(OWN)?, self.rows)?;
            let bytes = times.memory_bytes();
            Ok((times, bytes))
        })
    }

    fn read_names(&self, section: &str, rows: u32) -> Result<NamesColumn, BlocksError> {
        let bytes = self.bundle.section(section)?.read_all()?;
        Ok(NamesColumn::new(&bytes, rows).map_err(IndexError::from)?)
    }

    fn kept<T: Any + Send + Sync>(
        &self,
        part: CachePart,
        read: impl FnOnce() -> Result<(T, usize), BlocksError>,
    ) -> Result<Arc<T>, BlocksError> {
        self.cache.get(self.owner, part, read)
    }
}
