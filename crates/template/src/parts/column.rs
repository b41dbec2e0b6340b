//! The column of a field: its distinct values, and which of them each row has. It need not be stored: most values are
//! slots of templates, so the column is made of those slots when it is asked for, without writing a message.

use super::read::{FieldParts, RowKind};
use super::spans;
use super::{FieldTexts, OutlineValue, ValueEnd};
use crate::bytes::{DecodeError, Result};
use crate::group::{Rows, SpanReader, TemplateSpan};
use crate::interner::Interner;
use hashbrown::HashMap;
use logstead_record::{Selection, TextColumn};
use std::ops::Range;

/// The maximum memory of the distinct values of a column.
const COLUMN_BYTES_MAX: usize = 32 << 20;
/// The number of rows whose values are read between two looks at how many there are.
const ROWS: usize = 1 << 14;

/// The column of a field in a group.
pub struct FieldColumn {
    /// The distinct values.
    pub values: TextColumn,
    /// The number of each row's value plus 1, or 0 if it has none.
    pub rows: Vec<u32>,
}

/// The limits of a column that is asked for: there are none by default.
#[derive(Clone, Copy, Default)]
pub struct ColumnRequest<'r> {
    /// The values of these rows. Others have none.
    pub rows: Option<&'r Selection>,
    /// No column with more distinct values than this.
    pub values_max: Option<usize>,
}

/// The rows of a kind, or all that are read from their messages.
struct KindValues {
    source: ValueSource,
    rows: KindRows,
    /// The value of each row.
    values: Vec<u32>,
}

/// The rows of a kind.
enum KindRows {
    /// All rows of a place; their number is given.
    Place(u32),
    /// The numbers of rows in their place, or of values that are not parts of messages, or of rows.
    Some(Vec<u32>),
}

/// How the value of a field is found in the rows of a kind.
enum ValueSource {
    /// The rows do not have the field.
    Nowhere,
    /// It is empty.
    Empty,
    /// It is a part of the template.
    Span(TemplateSpan),
    /// It is not a part of the message. The number of such values of the row before it is given.
    Elsewhere(usize),
    /// Only the message shows where it is, which has a template.
    Message,
    /// The message has no template.
    Kept,
}

impl FieldParts {
    /// The rows that have a field, whose name is given in lower case, and those in which it is not empty.
    pub fn presence(&self, name: &[u8]) -> [Selection; 2] {
        let names = self.numbers_of(name);
        let flags: Vec<[bool; 2]> = (0..self.outlines() as u32)
            .map(|outline| {
                let mut values = self.outline(outline).iter().filter(|value| names.contains(&value.name));
                let has = |value: &OutlineValue| value.end != ValueEnd::Empty;
                let first = values.next();
                [first.is_some(), first.is_some_and(has) || values.any(has)]
            })
            .collect();
        [0, 1].map(|at| Selection::from_fn(self.rows.len(), |row| flags[self.outline_of(row) as usize][at]))
    }

    /// The rows that have any field.
    pub fn rows_with_any(&self) -> Selection {
        Selection::from_fn(self.rows.len(), |row| !self.outline(self.outline_of(row)).is_empty())
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of selected rows in which each field is not empty, by the number of its name. Names that differ only in
    /// their case are the same field, and counted by the first of them.
    pub fn counts(&self, selected: &Selection) -> Vec<u64> {
        let mut of_outlines = vec![0; self.outlines()];
        selected.iter().for_each(|row| of_outlines[self.outline_of(row) as usize] += 1);
        let mut firsts = HashMap::new();
        let first = |(name, text): (u32, &[u8])| *firsts.entry(text.to_ascii_lowercase()).or_insert(name);
        let fields: Vec<u32> = (0..).zip(self.names.iter()).map(first).collect();
        let mut counts = vec![0; fields.len()];
        // The last outline in which a field was counted: a row may have it several times.
        let mut counted = vec![u32::MAX; fields.len()];
        for (outline, &count) in (0..).zip(&of_outlines).filter(|(_, count)| **count != 0) {
            for value in self.outline(outline).iter().filter(|value| value.end != ValueEnd::Empty) {
                let field = fields[value.name as usize] as usize;
                if std::mem::replace(&mut counted[field], outline) != outline {
                    counts[field] += count;
                }
            }
        }
        counts
    }

    /// The column of a field, whose name is given in lower case. `None` if a row has the field twice, or if it has too many
    /// values.
    pub fn column(
        &self,
        name: &[u8],
        texts: &FieldTexts<'_>,
        request: ColumnRequest<'_>,
    ) -> Result<Option<FieldColumn>> {
        let names = self.numbers_of(name);
        let Some(places) = self.places_of(&names) else { return Ok(None) };
        let (mut kinds, of_kinds) = self.kinds_of(&places, texts, request.rows)?;
        let mut reader = ValueReader {
            at: &places,
            parts: self,
            texts,
            spans: SpanReader::default(),
            values: Interner::default(),
            values_max: request.values_max,
        };
        for kind in &mut kinds {
            if !kind.read(&mut reader)? {
                return Ok(None);
            }
        }
        let values = reader.values;
        let mut next: Vec<_> = kinds.iter().map(|kind| kind.values.iter()).collect();
        let is_wanted = |row: usize| request.rows.is_none_or(|rows| rows.contains(row));
        let number = |(row, &kind): (usize, &u32)| {
            let values = &mut next[of_kinds[kind as usize] as usize];
            if is_wanted(row) { values.next().map_or(0, |value| value + 1) } else { 0 }
        };
        let rows = self.rows.iter().enumerate().map(number).collect();
        Ok(Some(FieldColumn { values: values.into_texts(), rows }))
    }

    /// Whether the values of a field are found without reading messages, but for rows without a template.
    #[cfg(test)]
    pub(super) fn is_in_templates(&self, name: &[u8], texts: &FieldTexts<'_>) -> bool {
        let places = self.places_of(&self.numbers_of(name)).expect("no row has it twice");
        let (kinds, _) = self.kinds_of(&places, texts, None).expect("what was written is read");
        let read = kinds.iter().filter(|kind| matches!(kind.source, ValueSource::Message));
        read.map(|kind| kind.rows.len()).sum::<usize>() < 100
    }

    fn outlines(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of the names that differ from one only in their case.
    fn numbers_of(&self, name: &[u8]) -> Vec<u32> {
        let is_it = |other: &[u8]| other.eq_ignore_ascii_case(name);
        (0..).zip(self.names.iter()).filter(|(_, other)| is_it(other)).map(|(number, _)| number).collect()
    }

    /// The position of a field in each outline that has it; `None` if one has it twice.
    fn places_of(&self, names: &[u32]) -> Option<Vec<Option<usize>>> {
        let places = (0..self.outlines() as u32).map(|outline| {
            let values = self.outline(outline).iter().enumerate();
            let mut places = values.filter(|(_, value)| names.contains(&value.name)).map(|(at, _)| at);
            let place = places.next();
            places.next().is_none().then_some(place)
        });
        places.collect()
    }

    /// How the values of each kind of rows are found, and for each kind, its entry. The messages of all rows that need
    /// them are read together, so their kinds have the same entry.
    fn kinds_of(
        &self,
        places: &[Option<usize>],
        texts: &FieldTexts<'_>,
        wanted: Option<&Selection>,
    ) -> Result<(Vec<KindValues>, Vec<u32>)> {
        let read = [ValueSource::Message, ValueSource::Kept];
        let mut kinds: Vec<KindValues> =
            read.map(|source| KindValues::of(source, KindRows::Some(Vec::new()))).into();
        let mut entries = Vec::with_capacity(self.kinds.len());
        for (kind, source) in self.kinds.iter().zip(self.sources(places, texts)?) {
            if matches!(source, ValueSource::Message) {
                entries.push(u32::from(kind.place == 0));
                continue;
            }
            let is_place = wanted.is_none() && texts.rows.counts()[usize::from(kind.place)] == kind.rows;
            let rows = match source {
                ValueSource::Span(_) if is_place => KindRows::Place(kind.rows),
                ValueSource::Nowhere | ValueSource::Empty => KindRows::Place(kind.rows),
                _ => KindRows::Some(Vec::new()),
            };
            entries.push(kinds.len() as u32);
            kinds.push(KindValues::of(source, rows));
        }
        self.list_rows(&mut kinds, &entries, texts.rows, wanted);
        Ok((kinds, entries))
    }

    /// How the values of each kind of rows are found.
    fn sources(&self, places: &[Option<usize>], texts: &FieldTexts<'_>) -> Result<Vec<ValueSource>> {
        let spans = match self.spans.get() {
            Some(spans) => spans,
            None => {
                let found = spans::find(self, texts)?;
                self.spans.get_or_init(|| found)
            }
        };
        let source = |(number, kind): (usize, &RowKind)| {
            let (outline, at) = (self.outline(kind.outline), places[kind.outline as usize]);
            ValueSource::of(outline, at, |at| spans.get(number, at, kind.place.checked_sub(1)?.into()))
        };
        Ok(self.kinds.iter().enumerate().map(source).collect())
    }

    /// Lists the rows of kinds that are not all rows of a place.
    fn list_rows(&self, kinds: &mut [KindValues], entries: &[u32], rows: &Rows, wanted: Option<&Selection>) {
        let is_listed = |&entry: &u32| matches!(kinds[entry as usize].rows, KindRows::Some(_));
        if !entries.iter().any(is_listed) {
            return;
        }
        let (mut ranks, mut elsewhere) = (vec![0; rows.counts().len()], 0);
        for (row, &kind) in (0..).zip(&self.rows) {
            let RowKind { place, outline, .. } = self.kinds[kind as usize];
            let rank = &mut ranks[usize::from(place)];
            let entry = &mut kinds[entries[kind as usize] as usize];
            if let KindRows::Some(numbers) = &mut entry.rows
                && wanted.is_none_or(|wanted| wanted.contains(row as usize))
            {
                numbers.push(match entry.source {
                    ValueSource::Elsewhere(before) => elsewhere + before as u32,
                    ValueSource::Message | ValueSource::Kept => row,
                    _ => *rank,
                });
            }
            *rank += 1;
            elsewhere += self.each[outline as usize].elsewhere as u32;
        }
    }
}

impl ValueSource {
    /// How the value at a position of an outline is found; `span` gives the part of a template that a value is.
    fn of(
        outline: &[OutlineValue],
        at: Option<usize>,
        span: impl FnOnce(usize) -> Option<TemplateSpan>,
    ) -> ValueSource {
        let Some(at) = at else { return ValueSource::Nowhere };
        match outline[at].end {
            ValueEnd::Empty => ValueSource::Empty,
            ValueEnd::Elsewhere => {
                let before = outline[..at].iter().filter(|value| value.end == ValueEnd::Elsewhere);
                ValueSource::Elsewhere(before.count())
            }
            _ => span(at).map_or(ValueSource::Message, ValueSource::Span),
        }
    }
}

impl KindRows {
    fn len(&self) -> usize {
        match self {
            KindRows::Place(count) => *count as usize,
            KindRows::Some(numbers) => numbers.len(),
        }
    }

    /// Replaces `out` by the numbers from one position to another.
    fn copy(&self, range: Range<usize>, out: &mut Vec<u32>) {
        out.clear();
        match self {
            KindRows::Place(_) => out.extend(range.start as u32..range.end as u32),
            KindRows::Some(numbers) => out.extend_from_slice(&numbers[range]),
        }
    }
}

impl KindValues {
    fn of(source: ValueSource, rows: KindRows) -> KindValues {
        KindValues { source, rows, values: Vec::new() }
    }

    /// Reads the value of each row; `false` if values take too much memory.
    fn read(&mut self, reader: &mut ValueReader<'_>) -> Result<bool> {
        let mut numbers = Vec::new();
        for start in (0..self.rows.len()).step_by(ROWS) {
            self.rows.copy(start..self.rows.len().min(start + ROWS), &mut numbers);
            reader.read(&self.source, &numbers, &mut self.values)?;
            if reader.has_too_many() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Reads the values of a field, and numbers them.
struct ValueReader<'r> {
    /// The position of the field in each outline.
    at: &'r [Option<usize>],
    parts: &'r FieldParts,
    texts: &'r FieldTexts<'r>,
    spans: SpanReader,
    values: Interner,
    values_max: Option<usize>,
}

impl ValueReader<'_> {
    fn has_too_many(&self) -> bool {
        COLUMN_BYTES_MAX < self.values.memory_bytes()
            || self.values_max.is_some_and(|values_max| values_max < self.values.len())
    }

    /// Appends the number of the value of some rows.
    fn read(&mut self, source: &ValueSource, numbers: &[u32], out: &mut Vec<u32>) -> Result<()> {
        let (values, FieldTexts { messages, elsewhere, .. }) = (&mut self.values, self.texts);
        match source {
            ValueSource::Nowhere => {}
            ValueSource::Empty => out.resize(out.len() + numbers.len(), values.number(b"")),
            ValueSource::Span(span) => {
                messages.number_texts(
                    span,
                    numbers,
                    &mut self.spans,
                    &mut |text| values.number(text),
                    out,
                )?;
            }
            ValueSource::Elsewhere(_) => {
                let last = numbers.last().map_or(0, |last| *last as usize);
                let texts = elsewhere.ok_or(DecodeError::Short)?;
                if texts.rows()?.len() <= last {
                    return Err(DecodeError::Short);
                }
                out.extend(texts.read_rows(numbers)?.iter().map(|text| values.number(text)));
            }
            ValueSource::Message => {
                let (texts, mut reader) = (messages.read_rows(numbers)?, self.parts.part_reader(self.at));
                for (&row, message) in numbers.iter().zip(texts.iter()) {
                    out.push(values.number(reader.read(row, message)?));
                }
            }
            ValueSource::Kept => {
                let mut reader = self.parts.part_reader(self.at);
                messages.for_some_kept(numbers, |row, message| {
                    out.push(values.number(reader.read(row, message)?));
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}
