//! The second version of a blocks file: columns of the whole segment, and groups of rows whose texts are templates and
//! variables. It is a [bundle](crate::segment::bundle) of these sections:
//!
//! | section              | holds                                                                          |
//! |----------------------|--------------------------------------------------------------------------------|
//! | `rows.G`             | of group G: [which template each message has](logstead_template::Rows)          |
//! | `message.G`          | its messages: [a group of texts](logstead_template::TextGroup)                  |
//! | `pid.G`, `head.G`, `tail.G` | the other texts of its rows, *whole*; missing where all of them are empty |
//! | `fields.G`           | u32 length, [packed](crate::segment::packed) how many dynamic fields each row has; [names](crate::segment::names) of the fields; missing where there are none |
//! | `values.G`           | their values, whole                                                             |
//! | `time`               | the [time](crate::segment::times) that each row counts by                       |
//! | `received`           | when it was received                                                            |
//! | `clock`              | names: 0 where a row counts by its own time, 1 where it has none, 2 where that is not believed |
//! | `own`                | the own time of each row; missing where no row has 2 in `clock`                 |
//! | `host` …             | a column of names for each section of [`COLUMNS`], with all values; in `origin` the rows of each group are in the order of their templates |
//! | `head_form`          | names: the forms of heads                                                       |
//! | `segment`            | below                                                                           |
//! | `pieces`             | BLAKE3 of each 64 KiB of all sections before it; the root in the header is that of the tree over these |
//!
//! A group of texts that is *whole* has in front of it u32 the length of its rows, and these. The section `segment` is
//! 32 bytes: earliest, latest, received first and last of all messages; 32: the hash of the journal frame before the
//! first; 32: the hash of the frame of the last message; then u32 for each group its rows.
//!
//! A block is 1024 rows, the last of each group what is left.
//!
//! **Invariant:** every byte was checked against the checksum of its page when it was read.

use super::error::BlocksError;
use super::pieces::{self, merkle_root};
use super::shared::{Head, Scratch, Span};
use crate::bytes::array_at;
use crate::disk::DiskFile;
use crate::journal::frame::Hash;
use crate::segment::bundle::{Bundle, IndexError, Kind, Section};
use crate::segment::cache::{Cache, Owner, Part};
use crate::segment::column::{COLUMNS, Column, FLAGS, ORIGIN};
use crate::segment::names::Names;
use crate::segment::packed::Packed;
use crate::segment::times::{FRAME_ROWS, Times};
use hashbrown::HashMap;
use logstead_record::columns::{self, Columns};
use logstead_record::{Batch, Field, Group, Groups, NameColumn, Selection, TextColumn, Timestamp};
use logstead_template::{Rows, TextGroup};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

pub(super) const ROWS: &str = "rows";
pub(super) const MESSAGE: &str = "message";
pub(super) const PID: &str = "pid";
pub(super) const HEAD: &str = "head";
pub(super) const TAIL: &str = "tail";
pub(super) const FIELDS: &str = "fields";
pub(super) const VALUES: &str = "values";
pub(super) const TIME: &str = "time";
pub(super) const RECEIVED: &str = "received";
pub(super) const CLOCK: &str = "clock";
pub(super) const OWN: &str = "own";
pub(super) const HEAD_FORM: &str = "head_form";
pub(super) const SEGMENT: &str = "segment";
pub(super) const PIECES: &str = "pieces";

/// The sections of a group.
const GROUP_SECTIONS: [&str; 7] = [ROWS, MESSAGE, PID, HEAD, TAIL, FIELDS, VALUES];
/// Rows of a block.
pub(super) const BLOCK_ROWS: usize = FRAME_ROWS;
const HASH_BYTES: usize = 32;
/// Of a row in `clock`.
pub(super) const OWN_TIME: u8 = 0;
pub(super) const NO_TIME: u8 = 1;
pub(super) const OTHER_TIME: u8 = 2;

/// The sections of an open file.
pub(crate) struct TextGroups {
    bundle: Bundle,
    rows: u32,
    /// The time that each row counts by.
    pub(crate) times: Arc<Times<Section>>,
    received: Times<Section>,
    /// The first row of each group, and where the last one ends.
    starts: Vec<u32>,
    /// The first block of each group, and how many there are.
    first_blocks: Vec<u32>,
    cache: Arc<Cache>,
    owner: Owner,
}

/// The dynamic fields of a group of rows.
struct Fields {
    /// Where the fields of each row end.
    ends: Vec<u32>,
    names: Names,
}

/// The name of a section of a group.
pub(super) fn of_group(section: &str, group: usize) -> String {
    format!("{section}.{group}")
}

impl TextGroups {
    /// Reads what has to be known of a file.
    pub(super) fn open(
        file: Arc<dyn DiskFile>,
        cache: &Arc<Cache>,
    ) -> Result<(Head, TextGroups), BlocksError> {
        let bundle = Bundle::open(Kind::Blocks, file)?;
        let identity = bundle.identity();
        let segment = bundle.section(SEGMENT)?.read_all()?;
        let (fixed, groups) =
            segment.split_at_checked(3 * HASH_BYTES).ok_or(BlocksError::Implausible("length"))?;
        let mut starts = vec![0_u32];
        for group in groups.as_chunks::<4>().0 {
            let end = starts.last().and_then(|start| start.checked_add(u32::from_le_bytes(*group)));
            starts.push(end.ok_or(BlocksError::Implausible("number of rows"))?);
        }
        let are_filled = starts.windows(2).all(|pair| pair[0] < pair[1]);
        if starts.last() != Some(&identity.rows) || !are_filled || identity.rows == 0 {
            return Err(BlocksError::Implausible("number of rows"));
        }
        let mut first_blocks = vec![0];
        for pair in starts.windows(2) {
            let blocks = (pair[1] - pair[0]).div_ceil(BLOCK_ROWS as u32);
            first_blocks.push(first_blocks[first_blocks.len() - 1] + blocks);
        }
        let times = Times::open(bundle.section(TIME)?, identity.rows)?;
        let received = Times::open(bundle.section(RECEIVED)?, identity.rows)?;
        let head = Head {
            first_sequence: identity.first_sequence,
            rows: identity.rows,
            previous_hash: array_at(fixed, HASH_BYTES),
            hash: array_at(fixed, 2 * HASH_BYTES),
            root: identity.blocks_hash,
            span: Span::read(fixed),
            bytes: bundle.bytes(),
        };
        let (cache, owner) = (Arc::clone(cache), cache.owner());
        let groups = TextGroups {
            bundle,
            rows: identity.rows,
            times: Arc::new(times),
            received,
            starts,
            first_blocks,
            cache,
            owner,
        };
        Ok((head, groups))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bundle.memory_bytes()
            + self.times.memory_bytes()
            + self.received.memory_bytes()
            + size_of_val(self.starts.as_slice())
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.first_blocks.last().map_or(0, |&blocks| blocks as usize)
    }

    pub(super) fn row_range(&self, block: usize) -> Range<usize> {
        let group = self.first_blocks.partition_point(|&first| first as usize <= block) - 1;
        let rows = self.rows_of(group);
        let start = rows.start + (block - self.first_blocks[group] as usize) * BLOCK_ROWS;
        start..rows.end.min(start + BLOCK_ROWS)
    }

    pub(super) fn block_of(&self, row: u32) -> usize {
        let group = self.group_of(row as usize);
        self.first_blocks[group] as usize + (row - self.starts[group]) as usize / BLOCK_ROWS
    }

    /// The group that a row is in.
    fn group_of(&self, row: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= row) - 1
    }

    /// By the frames of times that a block's rows are in.
    pub(super) fn span(&self, block: usize) -> Span {
        let rows = self.row_range(block);
        let frames = rows.start / FRAME_ROWS..(rows.end - 1) / FRAME_ROWS + 1;
        let bounds = |times: &Times<Section>| {
            let frames = times.frames()[frames.clone()].iter();
            let bounds = frames.fold((i64::MAX, i64::MIN), |(earliest, latest), frame| {
                (earliest.min(frame.earliest), latest.max(frame.latest))
            });
            (Timestamp::from_nanos(bounds.0), Timestamp::from_nanos(bounds.1))
        };
        let ((earliest, latest), (received_first, received_last)) =
            (bounds(&self.times), bounds(&self.received));
        Span { earliest, latest, received_first, received_last }
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a group.
    pub(crate) fn rows_of(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    /// The blocks of a group.
    pub(crate) fn blocks_of(&self, group: usize) -> Range<usize> {
        self.first_blocks[group] as usize..self.first_blocks[group + 1] as usize
    }

    /// Which template each message of a group has.
    pub(crate) fn templates(&self, group: usize) -> Result<Arc<Rows>, BlocksError> {
        self.kept(Part::Group(ROWS, group), || {
            let rows = Rows::open(&self.section(ROWS, group)?)?;
            self.check_rows(rows.len(), self.rows_of(group).len())?;
            let bytes = rows.memory_bytes();
            Ok((rows, bytes))
        })
    }

    /// The messages of a group.
    pub(crate) fn messages(&self, group: usize) -> Result<Arc<TextGroup>, BlocksError> {
        self.kept(Part::Group(MESSAGE, group), || {
            let texts = TextGroup::open(self.templates(group)?, self.section(MESSAGE, group)?)?;
            let bytes = texts.memory_bytes();
            Ok((texts, bytes))
        })
    }

    /// A column that every segment has.
    pub(crate) fn column(&self, column: Column) -> Result<Arc<Names>, BlocksError> {
        self.kept(Part::Column(column), || {
            let mut names = self.read_names(column.section())?;
            if column.section() == ORIGIN {
                names = self.in_order_of_rows(names)?;
            }
            let names = names.map_values(|values| column.own_part(values));
            let bytes = names.memory_bytes();
            Ok((names, bytes))
        })
    }

    fn in_order_of_rows(&self, names: Names) -> Result<Names, BlocksError> {
        let groups = (0..self.groups()).map(|group| self.templates(group)).collect::<Result<Vec<_>, _>>()?;
        let reordered = names.reordered(|numbers| {
            let mut rows = Vec::with_capacity(numbers.len());
            let mut rest = numbers.as_slice();
            for group in &groups {
                let (of_group, after) = rest.split_at(group.len());
                rows.extend(TemplateOrder::new(group).places().map(|place| of_group[place]));
                rest = after;
            }
            rows
        });
        Ok(reordered.map_err(IndexError::from)?)
    }

    /// The section of a column.
    pub(crate) fn column_section(&self, column: Column) -> Result<Section, IndexError> {
        self.bundle.section(column.section())
    }

    /// The sections of a group as they are, with their names.
    pub(super) fn sections_of(&self, group: usize) -> Result<Vec<(&'static str, Vec<u8>)>, BlocksError> {
        let there = GROUP_SECTIONS.into_iter().filter(|section| self.bundle.has(&of_group(section, group)));
        there.map(|section| Ok((section, self.section(section, group)?))).collect()
    }

    /// What is in columns of the whole segment, and dynamic fields, of some rows of a group.
    pub(super) fn read_columns(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
    ) -> Result<Batch, BlocksError> {
        let groups = Groups::NONE.with(Group::Stamps).with(Group::Names).with(Group::Fields);
        let mut columns = self.read(rows.clone(), groups, scratch)?.columns().clone();
        let forms = self.reuse(scratch, HEAD_FORM, 0, || self.bytes_column(HEAD_FORM))?;
        columns.bytes[columns::HEAD_FORM] = byte_values(&forms, &rows);
        Ok(Batch::from_columns(columns)?)
    }

    /// Forgets what is kept in memory: it is not asked any more.
    pub(crate) fn forget(&self) {
        self.cache.forget(self.owner);
    }

    /// Whether the hashes of the pieces are those of the root, and the pieces are those that were hashed.
    pub(super) fn verify_root(&self) -> Result<(), BlocksError> {
        let wrong = BlocksError::Checksum("root");
        let pieces = self.bundle.section(PIECES)?;
        let body = pieces.start();
        let stored = pieces.read_all()?;
        let stored: Vec<Hash> = stored.as_chunks::<HASH_BYTES>().0.to_vec();
        let mut at = 0;
        for hash in &stored {
            let end = body.min(at + pieces::PIECE_BYTES as u64);
            let piece = self.bundle.body(at..end)?;
            if pieces::hashes(std::iter::once(piece.as_slice())) != [*hash] {
                return Err(wrong);
            }
            at = end;
        }
        let is_root = at == body && merkle_root(stored) == self.bundle.identity().blocks_hash;
        if is_root { Ok(()) } else { Err(wrong) }
    }

    /// Some columns of some rows of a block; the others say nothing.
    pub(super) fn read(
        &self,
        rows: Range<usize>,
        groups: Groups,
        scratch: &mut Scratch,
    ) -> Result<Batch, BlocksError> {
        let mut columns = Columns::empty(rows.len());
        let group = self.group_of(rows.start);
        let within = rows.start - self.starts[group] as usize..rows.end - self.starts[group] as usize;
        for of in Group::ALL.into_iter().filter(|&of| groups.has(of)) {
            match of {
                Group::Stamps => self.read_stamps(&rows, scratch, &mut columns)?,
                Group::Names => self.read_names_of((&rows, None), scratch, &mut columns)?,
                Group::Message => {
                    let texts = self.reuse(scratch, MESSAGE, group, || self.messages(group))?;
                    columns.texts[columns::MESSAGE] = texts.read(within.clone())?.into();
                }
                Group::Pid => {
                    self.read_texts(PID, (group, &within), scratch, &mut columns.texts[columns::PID])?
                }
                Group::Fields => self.read_fields((group, &within), scratch, &mut columns)?,
                Group::Head => {
                    let forms = self.reuse(scratch, HEAD_FORM, 0, || self.bytes_column(HEAD_FORM))?;
                    columns.bytes[columns::HEAD_FORM] = byte_values(&forms, &rows);
                    self.read_texts(HEAD, (group, &within), scratch, &mut columns.texts[columns::HEAD])?;
                    self.read_texts(TAIL, (group, &within), scratch, &mut columns.texts[columns::TAIL])?;
                }
            }
        }
        Ok(Batch::from_columns(columns)?)
    }

    /// The same of only some of these rows.
    pub(super) fn read_some(
        &self,
        rows: Range<usize>,
        picked: &Selection,
        groups: Groups,
        scratch: &mut Scratch,
    ) -> Result<Batch, BlocksError> {
        if !groups.has(Group::Message) {
            return Ok(self.read(rows, groups, scratch)?.take(picked));
        }
        let group = self.group_of(rows.start);
        let first = (rows.start - self.starts[group] as usize) as u32;
        let others = groups.without(Group::Message).without(Group::Names);
        let mut columns = self.read(rows.clone(), others, scratch)?.take(picked).columns().clone();
        if groups.has(Group::Names) {
            self.read_names_of((&rows, Some(picked)), scratch, &mut columns)?;
        }
        let texts = self.reuse(scratch, MESSAGE, group, || self.messages(group))?;
        let picked: Vec<u32> = picked.iter().map(|row| first + row as u32).collect();
        columns.texts[columns::MESSAGE] = texts.read_rows(&picked)?.into();
        Ok(Batch::from_columns(columns)?)
    }

    fn read_stamps(
        &self,
        rows: &Range<usize>,
        scratch: &mut Scratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        let range = rows.start as u32..rows.end as u32;
        let clock = self.reuse(scratch, CLOCK, 0, || self.bytes_column(CLOCK))?;
        let clock = byte_values(&clock, rows);
        let mut own = self.times.read(range.clone())?;
        let others = if clock.contains(&OTHER_TIME) {
            let others = self.reuse(scratch, OWN, 0, || self.own_times())?;
            others.read(range.clone())?
        } else {
            Vec::new()
        };
        for (at, (time, clock)) in own.iter_mut().zip(clock).enumerate() {
            match clock {
                OWN_TIME => {}
                OTHER_TIME => *time = others[at],
                _ => *time = i64::MIN,
            }
        }
        columns.times = [self.received.read(range)?, own];
        let origins = self.reuse(scratch, ORIGIN, 0, || self.column(Column::Priority))?;
        columns.bytes[columns::PRIORITY] = byte_values(&origins, rows);
        let flags = self.reuse(scratch, FLAGS, 0, || self.column(Column::Flags))?;
        columns.bytes[columns::FLAGS] = byte_values(&flags, rows);
        Ok(())
    }

    fn read_names_of(
        &self,
        (rows, picked): (&Range<usize>, Option<&Selection>),
        scratch: &mut Scratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        for (column, section) in COLUMNS {
            let field = match column {
                Column::Names(field) => field,
                Column::Program => Field::Program,
                Column::Priority | Column::Flags => continue,
            };
            // The programs' section is that of the priorities, too.
            let name = if column == Column::Program { "program" } else { section };
            let names = self.reuse(scratch, name, 0, || self.column(column))?;
            let mut ids = names.ids_of(rows.clone());
            if let Some(picked) = picked {
                ids = picked.iter().map(|row| ids[row]).collect();
            }
            columns.names[field.number()] = name_column(&names, ids, field == Field::Program);
        }
        Ok(())
    }

    fn read_texts(
        &self,
        section: &'static str,
        (group, rows): (usize, &Range<usize>),
        scratch: &mut Scratch,
        out: &mut Arc<TextColumn>,
    ) -> Result<(), BlocksError> {
        if self.bundle.has(&of_group(section, group)) {
            let of = self.rows_of(group).len();
            let texts = self.reuse(scratch, section, group, || self.whole_texts(section, group, of))?;
            *out = texts.read(rows.clone())?.into();
        }
        Ok(())
    }

    fn read_fields(
        &self,
        (group, rows): (usize, &Range<usize>),
        scratch: &mut Scratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        if !self.bundle.has(&of_group(FIELDS, group)) {
            return Ok(());
        }
        let fields = self.reuse(scratch, FIELDS, group, || self.fields(group))?;
        let before = |row: usize| row.checked_sub(1).map_or(0, |before| fields.ends[before]);
        let (first, last) = (before(rows.start), before(rows.end));
        columns.field_ends = fields.ends[rows.clone()].iter().map(|end| end - first).collect();
        if first == last {
            return Ok(());
        }
        let of = fields.names.rows();
        let values = self.reuse(scratch, VALUES, group, || self.whole_texts(VALUES, group, of))?;
        let range = first as usize..last as usize;
        columns.field_names = name_column(&fields.names, fields.names.ids_of(range.clone()), false);
        columns.field_values = values.read(range)?;
        Ok(())
    }

    fn section(&self, section: &'static str, group: usize) -> Result<Vec<u8>, IndexError> {
        self.bundle.section(&of_group(section, group))?.read_all()
    }

    fn whole_texts(
        &self,
        section: &'static str,
        group: usize,
        rows: usize,
    ) -> Result<Arc<TextGroup>, BlocksError> {
        self.kept(Part::Group(section, group), || {
            let bytes = self.section(section, group)?;
            let short = BlocksError::Implausible("length of a section");
            let (head, rest) = bytes.split_first_chunk::<4>().ok_or(short.clone())?;
            let (of_rows, texts) = rest.split_at_checked(u32::from_le_bytes(*head) as usize).ok_or(short)?;
            let templates = Rows::open(of_rows)?;
            self.check_rows(templates.len(), rows)?;
            let texts = TextGroup::open(Arc::new(templates), texts.to_vec())?;
            let bytes = texts.memory_bytes() + texts.rows().memory_bytes();
            Ok((texts, bytes))
        })
    }

    fn fields(&self, group: usize) -> Result<Arc<Fields>, BlocksError> {
        self.kept(Part::Group(FIELDS, group), || {
            let bytes = self.section(FIELDS, group)?;
            let short = BlocksError::Implausible("length of a section");
            let (head, rest) = bytes.split_first_chunk::<4>().ok_or(short.clone())?;
            let (counts, names) = rest.split_at_checked(u32::from_le_bytes(*head) as usize).ok_or(short)?;
            let mut ends = Vec::new();
            let counts = Packed::new(counts).map_err(IndexError::from)?;
            counts.unpack_all(&mut ends);
            self.check_rows(ends.len(), self.rows_of(group).len())?;
            let mut end = 0_u32;
            for count in &mut ends {
                end = end.checked_add(*count).ok_or(BlocksError::Implausible("number of fields"))?;
                *count = end;
            }
            let names = Names::new(names, end).map_err(IndexError::from)?;
            let bytes = names.memory_bytes() + size_of_val(ends.as_slice());
            Ok((Fields { ends, names }, bytes))
        })
    }

    fn bytes_column(&self, section: &'static str) -> Result<Arc<Names>, BlocksError> {
        self.kept(Part::Section(section), || {
            let names = self.read_names(section)?;
            let bytes = names.memory_bytes();
            Ok((names, bytes))
        })
    }

    fn own_times(&self) -> Result<Arc<Times<Section>>, BlocksError> {
        self.kept(Part::Section(OWN), || {
            let times = Times::open(self.bundle.section(OWN)?, self.rows)?;
            let bytes = times.memory_bytes();
            Ok((times, bytes))
        })
    }

    fn read_names(&self, section: &str) -> Result<Names, BlocksError> {
        let names =
            Names::new(&self.bundle.section(section)?.read_all()?, self.rows).map_err(IndexError::from)?;
        if names.is_complete() { Ok(names) } else { Err(BlocksError::Implausible("column")) }
    }

    fn check_rows(&self, rows: usize, expected: usize) -> Result<(), BlocksError> {
        if rows == expected { Ok(()) } else { Err(BlocksError::Implausible("number of rows")) }
    }

    fn kept<T: Any + Send + Sync>(
        &self,
        part: Part,
        read: impl FnOnce() -> Result<(T, usize), BlocksError>,
    ) -> Result<Arc<T>, BlocksError> {
        self.cache.get(self.owner, part, read)
    }

    /// What is read from, from the scratch where the last block was read from it too: the cache may be too small.
    fn reuse<T: Any + Send + Sync>(
        &self,
        scratch: &mut Scratch,
        section: &'static str,
        group: usize,
        read: impl FnOnce() -> Result<Arc<T>, BlocksError>,
    ) -> Result<Arc<T>, BlocksError> {
        if scratch.owner != Some(self.owner) {
            scratch.open.clear();
            scratch.owner = Some(self.owner);
        }
        let known = scratch.open.iter().position(|(of, ..)| *of == section);
        if let Some(at) = known {
            let (_, of, open) = &scratch.open[at];
            if *of == group
                && let Ok(open) = Arc::clone(open).downcast()
            {
                return Ok(open);
            }
            scratch.open.swap_remove(at);
        }
        let read = read()?;
        scratch.open.push((section, group, Arc::clone(&read) as Arc<dyn Any + Send + Sync>));
        Ok(read)
    }
}

impl Drop for TextGroups {
    /// What is kept of it goes with it.
    fn drop(&mut self) {
        self.forget();
    }
}

/// Rows in the order of their templates: programs write few statements, so neighbours there are alike.
pub(super) struct TemplateOrder<'r> {
    rows: &'r Rows,
    next: Vec<u32>,
}

impl<'r> TemplateOrder<'r> {
    pub(super) fn new(rows: &'r Rows) -> TemplateOrder<'r> {
        let mut sum = 0;
        let next = rows.counts().iter().map(|count| (sum, sum += count).0).collect();
        TemplateOrder { rows, next }
    }

    /// The place of each row.
    pub(super) fn places(mut self) -> impl Iterator<Item = usize> {
        self.rows.places().iter().map(move |&place| {
            let next = &mut self.next[usize::from(place)];
            *next += 1;
            *next as usize - 1
        })
    }
}

/// The values of some rows, which are single bytes.
fn byte_values(names: &Names, rows: &Range<usize>) -> Vec<u8> {
    let values: Vec<u8> =
        names.values().iter().map(|value| value.first().copied().unwrap_or_default()).chain([0]).collect();
    names.ids_of(rows.clone()).iter().map(|&id| values[id as usize]).collect()
}

/// Values of some rows, by their numbers in the column, with no values but theirs. Values that stand for two fields may be
/// the same in this one.
fn name_column(names: &Names, mut ids: Vec<u32>, may_repeat: bool) -> NameColumn {
    let mut values = TextColumn::default();
    let mut places = Places::new(names.values().len() + 1);
    for id in &mut ids {
        *id = places.of(*id, || {
            let value = if *id == names.absent() { &[][..] } else { names.values().get(*id as usize) };
            let known = values.iter().position(|known| may_repeat && known == value);
            known.unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            }) as u32
        });
    }
    NameColumn::from_parts(values, ids).expect("every id has a value")
}

/// For values of a column their place among those of some rows.
enum Places {
    Few(Vec<u32>),
    Many(HashMap<u32, u32>),
}

impl Places {
    /// A table of more values than this is slower to make than to ask a hash for each row.
    const FEW: usize = 4096;
    const UNKNOWN: u32 = u32::MAX;

    fn new(values: usize) -> Places {
        if values <= Places::FEW {
            Places::Few(vec![Places::UNKNOWN; values])
        } else {
            Places::Many(HashMap::new())
        }
    }

    fn of(&mut self, id: u32, new: impl FnOnce() -> u32) -> u32 {
        match self {
            Places::Few(places) => {
                let place = &mut places[id as usize];
                if *place == Places::UNKNOWN {
                    *place = new();
                }
                *place
            }
            Places::Many(places) => *places.entry(id).or_insert_with(new),
        }
    }
}
