//! Writes batches as the sections of a blocks file.
//!
//! **Invariant:** a group of messages is opened again as soon as it was written: an unreadable one is noticed before
//! anything relies on it.

use super::layout::{
    CLOCK, HEAD, HEAD_FORM, MESSAGE, NO_TIME, OTHER_TIME, OWN, OWN_TIME, PARTS, PID, PIECES, RECEIVED, ROWS,
    SEGMENT, TAIL, TIME, VALUES, of_group,
};
use super::pieces::{self, merkle_root};
use super::shared::MessageSpan;
use super::shared::{IndexedTexts, UnsharedValues};
use crate::journal::frame::Hash;
use crate::segment::bundle::{BundleIdentity, BundleKind, BundleWriter};
use crate::segment::column::{self, COLUMN_COUNT, COLUMNS, CommonColumn, ORIGIN};
use crate::segment::names::NamesBuilder;
use crate::segment::times::TimesBuilder;
use logstead_record::columns::{self, Columns};
use logstead_record::{Batch, TextColumn, Timestamp};
use logstead_template::{
    EncodedGroup, FieldParts, FieldPartsWriter, PlacedNumbers, Rows, TemplateGroup, TemplateGroupWriter,
};
use std::io;
use std::sync::Arc;

/// The greatest number of rows of a group. A damaged page of texts affects only one group.
pub(super) const GROUP_ROWS: usize = 1 << 17;
/// The number of dynamic fields at which a group ends.
const GROUP_FIELDS: usize = 1 << 22;
/// The number of field values that are not parts of messages at which a group ends.
const GROUP_VALUES: usize = 1 << 19;
/// The number of bytes of words and of texts without a template at which a group ends.
const GROUP_TEXT_BYTES: usize = 16 << 20;
/// The number of rows after which the sizes are computed again.
const ROWS_BETWEEN_LOOKS: usize = 64;
/// The memory of a segment's names at which it ends, because all values of a column are read together.
const NAMES_BYTES: usize = 32 << 20;

/// Writes a blocks file.
pub(crate) struct BlocksWriter {
    pub(super) sections: BundleWriter,
    pub(super) head: BundleIdentity,
    previous_hash: Hash,
    pub(super) span: MessageSpan,
    pub(super) time: TimesBuilder,
    pub(super) received: TimesBuilder,
    /// The messages' own times; `None` until the first row has one that is not believed.
    pub(super) own: Option<TimesBuilder>,
    pub(super) clock: NamesBuilder,
    pub(super) columns: [NamesBuilder; COLUMN_COUNT],
    pub(super) head_form: NamesBuilder,
    pub(super) group: GroupWriter,
    pub(super) group_rows: Vec<u32>,
    /// The ids of priorities and programs of the rows of the open group.
    origins: Vec<u32>,
}

/// The texts of the open group.
#[derive(Default)]
pub(super) struct GroupWriter {
    message: TemplateGroupWriter,
    pid: TextsWriter,
    head: TextsWriter,
    tail: TextsWriter,
    parts: FieldPartsWriter,
    /// The values of dynamic fields that are not parts of messages.
    values: TemplateGroupWriter,
}

/// A writer of texts that may all be empty, as they often are.
#[derive(Default)]
struct TextsWriter {
    texts: TemplateGroupWriter,
    has_any: bool,
}

impl BlocksWriter {
    /// Begins a file. `previous_hash` is the hash of the journal frame before its first message.
    pub(crate) fn new(first_sequence: u64, previous_hash: Hash) -> BlocksWriter {
        let head = BundleIdentity { first_sequence, rows: 0, blocks_hash: [0; 32] };
        BlocksWriter {
            sections: BundleWriter::new(BundleKind::Blocks, head),
            head,
            previous_hash,
            span: MessageSpan::NONE,
            time: TimesBuilder::default(),
            received: TimesBuilder::default(),
            own: None,
            clock: NamesBuilder::default(),
            columns: std::array::from_fn(|_| NamesBuilder::default()),
            head_form: NamesBuilder::default(),
            group: GroupWriter::default(),
            group_rows: Vec::new(),
            origins: Vec::new(),
        }
    }

    /// Adds the rows of a batch, and passes the texts of each group that ends to `ended`.
    pub(crate) fn push(&mut self, batch: &Batch, ended: &mut dyn FnMut(&IndexedTexts)) -> io::Result<()> {
        self.push_columns(batch);
        for row in 0..batch.rows() {
            self.group.push(batch.columns(), row);
            if self.group.is_full() {
                ended(&self.end_group()?);
            }
        }
        Ok(())
    }

    /// Adds the columns of the whole segment.
    fn push_columns(&mut self, batch: &Batch) {
        let columns = batch.columns();
        self.span = self.span.join(MessageSpan::of(batch));
        self.push_times(batch);
        self.head.rows += batch.rows() as u32;
        for (names, (column, _)) in self.columns.iter_mut().zip(COLUMNS) {
            column.push(batch, names);
        }
        column::origins(columns, &mut self.columns[CommonColumn::Program.number()], &mut self.origins);
        self.head_form.push_bytes(&columns.bytes[columns::HEAD_FORM], None);
    }

    /// Adds the priorities and programs of the next group.
    pub(super) fn add_origins(&mut self, origins: &PlacedNumbers, rows: &Rows) {
        let mut bytes = Vec::new();
        origins.write(rows, &mut bytes);
        self.sections.add(of_group(ORIGIN, self.group_rows.len()), bytes);
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> u32 {
        self.head.rows
    }

    /// Whether no more rows should be added.
    pub(crate) fn is_full(&self) -> bool {
        NAMES_BYTES < self.columns.iter().map(NamesBuilder::memory_bytes).sum()
    }

    /// The approximate memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let sections: usize = self.sections.sections().map(<[u8]>::len).sum();
        let names: usize = self.columns.iter().map(NamesBuilder::memory_bytes).sum();
        sections + names + self.group.memory_bytes()
    }

    /// Ends the file. `hash` is that of the journal frame of its last message.
    pub(crate) fn finish(
        mut self,
        hash: Hash,
        ended: &mut dyn FnMut(&IndexedTexts),
    ) -> io::Result<BundleWriter> {
        if self.group.rows() != 0 {
            ended(&self.end_group()?);
        }
        let mut sections = self.sections;
        let times = [(TIME, Some(self.time)), (RECEIVED, Some(self.received)), (OWN, self.own)];
        for (section, times) in times {
            let Some(times) = times else { continue };
            let mut bytes = Vec::new();
            times.finish(&mut bytes);
            sections.add(section, bytes);
        }
        let columns =
            COLUMNS.into_iter().zip(self.columns).filter(|((column, _), _)| !column.shares_a_section());
        let columns = columns.filter(|((column, _), names)| !column.may_be_missing() || names.has_values());
        let columns = columns.map(|((_, section), names)| (section, names));
        for (section, names) in columns.chain([(CLOCK, self.clock), (HEAD_FORM, self.head_form)]) {
            let mut bytes = Vec::new();
            names.finish_compressed(&mut bytes);
            sections.add(section, bytes);
        }
        let mut segment = self.span.to_bytes().to_vec();
        segment.extend_from_slice(&self.previous_hash);
        segment.extend_from_slice(&hash);
        self.group_rows.iter().for_each(|rows| segment.extend_from_slice(&rows.to_le_bytes()));
        sections.add(SEGMENT, segment);
        let hashes = pieces::hashes(sections.sections());
        sections.add(PIECES, hashes.concat());
        sections.set_identity(BundleIdentity { blocks_hash: merkle_root(hashes), ..self.head });
        Ok(sections)
    }

    fn push_times(&mut self, batch: &Batch) {
        let [received, own] = &batch.columns().times;
        let mut clock = Vec::with_capacity(batch.rows());
        for (row, &received) in received.iter().enumerate() {
            let time = batch.time(row).nanos();
            self.time.push(time);
            self.received.push(received);
            clock.push(match batch.own_time(row).map(Timestamp::nanos) {
                None => NO_TIME,
                Some(own) if own == time => OWN_TIME,
                Some(_) => OTHER_TIME,
            });
        }
        if self.own.is_some() || clock.contains(&OTHER_TIME) {
            let column = self.own_times();
            own.iter().for_each(|&time| column.push(time));
        }
        self.clock.push_bytes(&clock, None);
    }

    /// The column of own times, which is made when the first row needs it.
    pub(super) fn own_times(&mut self) -> &mut TimesBuilder {
        let rows = self.head.rows as usize;
        self.own.get_or_insert_with(|| {
            let mut own = TimesBuilder::default();
            own.push_unasked(rows);
            own
        })
    }

    /// Ends the open group. Returns its texts.
    pub(super) fn end_group(&mut self) -> io::Result<IndexedTexts> {
        let (group, rows) = (self.group_rows.len(), self.group.rows());
        let EncodedGroup { rows: templates, texts } = self.group.message.finish();
        let messages = open_again(&templates, &texts)?;
        let origins: Vec<u32> = self.origins.drain(..rows).collect();
        let of_rows = messages.rows().map_err(io::Error::other)?;
        self.add_origins(&PlacedNumbers::new(of_rows, &origins), of_rows);
        self.sections.add(of_group(ROWS, group), templates);
        self.sections.add(of_group(MESSAGE, group), texts);
        let open = &mut self.group;
        for (section, texts) in [(PID, &mut open.pid), (HEAD, &mut open.head), (TAIL, &mut open.tail)] {
            if let Some(bytes) = texts.finish() {
                self.sections.add(of_group(section, group), bytes);
            }
        }
        let (mut values, mut fields) = (None, None);
        if let Some(bytes) = open.parts.finish(of_rows) {
            let parts = FieldParts::open(&bytes, of_rows).map_err(io::Error::other)?;
            if 0 < open.values.rows() {
                let written = open.values.finish();
                let texts = Arc::new(open_again(&written.rows, &written.texts)?);
                values = Some(UnsharedValues { texts, rows: parts.rows_elsewhere() });
                self.sections.add(of_group(VALUES, group), whole(written));
            }
            fields = Some(Arc::new(parts));
            self.sections.add(of_group(PARTS, group), bytes);
        }
        self.group_rows.push(rows as u32);
        Ok(IndexedTexts { messages: Arc::new(messages), values, fields })
    }
}

impl GroupWriter {
    fn push(&mut self, columns: &Columns, row: usize) {
        let message = columns.message().get(row);
        self.message.push(message);
        self.pid.push(&columns.texts[columns::PID], row);
        self.head.push(&columns.texts[columns::HEAD], row);
        self.tail.push(&columns.texts[columns::TAIL], row);
        let fields = columns.field_range(row);
        if fields.is_empty() {
            return self.parts.push_none();
        }
        let fields = fields.map(|field| (columns.field_names.get(field), columns.field_values.get(field)));
        let GroupWriter { message: messages, parts, values, .. } = self;
        parts.push(message, messages.last_place(), fields, |value| {
            values.push(value);
        });
    }

    pub(super) fn rows(&self) -> usize {
        self.message.rows()
    }

    fn is_full(&self) -> bool {
        GROUP_ROWS <= self.rows()
            || GROUP_FIELDS <= self.parts.values()
            || GROUP_VALUES <= self.values.rows()
            || self.rows().is_multiple_of(ROWS_BETWEEN_LOOKS)
                && GROUP_TEXT_BYTES <= self.texts().map(TemplateGroupWriter::text_bytes).sum()
    }

    fn memory_bytes(&self) -> usize {
        self.texts().map(TemplateGroupWriter::memory_bytes).sum::<usize>() + self.parts.memory_bytes()
    }

    fn texts(&self) -> impl Iterator<Item = &TemplateGroupWriter> {
        [&self.message, &self.pid.texts, &self.head.texts, &self.tail.texts, &self.values].into_iter()
    }
}

impl TextsWriter {
    fn push(&mut self, texts: &TextColumn, row: usize) {
        let text = texts.get(row);
        self.has_any |= !text.is_empty();
        self.texts.push(text);
    }

    /// The texts, unless all are empty.
    fn finish(&mut self) -> Option<Vec<u8>> {
        let written = self.texts.finish();
        std::mem::take(&mut self.has_any).then(|| whole(written))
    }
}

/// The two sections of a group of texts, joined into one.
fn whole(EncodedGroup { rows, texts }: EncodedGroup) -> Vec<u8> {
    [&(rows.len() as u32).to_le_bytes(), &*rows, &*texts].concat()
}

fn open_again(rows: &[u8], texts: &[u8]) -> io::Result<TemplateGroup> {
    let rows = Rows::open(rows).map_err(io::Error::other)?;
    TemplateGroup::open(Arc::new(rows), texts.to_vec()).map_err(io::Error::other)
}
