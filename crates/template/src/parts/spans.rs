//! Finds the part of a template that each value is in the rows of a kind. Mostly the template and the outline tell. If a
//! distance differs between messages, because there are slots of several lengths in between, it is measured in the message of
//! one row, and then compared with that of all others.

use super::kind_spans::{KindSpans, PackedSpan};
use super::read::FieldParts;
use super::{FieldTexts, OutlineValue, ValueEnd};
use crate::bytes::Result;
use crate::group::{KeyPosition, TemplateGroup};
use std::ops::Range;

/// The number of rows of a kind from which on they are measured.
const MEASURED_MIN: u32 = if cfg!(test) { 1 } else { 8 };
/// The maximum number of rows that are compared at once.
const ROWS: usize = 1 << 14;

/// Rows of a kind whose values have to be measured.
#[derive(Default)]
struct MeasuredRows {
    /// Their numbers in their place.
    ranks: Vec<u32>,
    /// The position of the first open number of each.
    numbers: Vec<u32>,
}

/// Goes through the values of an outline, from the beginning of a key to its end.
#[derive(Clone)]
struct SpanWalk<'p> {
    parts: &'p FieldParts,
    messages: &'p TemplateGroup,
    template: usize,
    /// The end of the last part.
    end: KeyPosition,
    /// The number of open numbers that were passed.
    numbers: u32,
}

/// A kind whose values are known up to one of them.
struct UnmeasuredKind<'p> {
    kind: usize,
    at: usize,
    walk: SpanWalk<'p>,
}

/// Finds the parts of templates that all values are.
pub(super) fn find(parts: &FieldParts, texts: &FieldTexts<'_>) -> Result<KindSpans> {
    let (mut spans, mut unmeasured) = (KindSpans::default(), Vec::new());
    for (number, kind) in parts.kinds.iter().enumerate() {
        let outline = parts.outline(kind.outline);
        let of_kind = spans.add(outline.len());
        let Some(template) = kind.place.checked_sub(1) else { continue };
        let mut walk = SpanWalk::new(parts, texts.messages, template.into());
        if let Some(at) = walk.go(outline, 0, None, of_kind)?
            && MEASURED_MIN <= kind.rows
        {
            unmeasured.push(UnmeasuredKind { kind: number, at, walk });
        }
    }
    let rows = MeasuredRows::of(parts, &unmeasured, texts);
    for (UnmeasuredKind { kind, at, mut walk }, rows) in unmeasured.into_iter().zip(rows) {
        let outline = parts.outline(parts.kinds[kind].outline);
        walk.go(outline, at, Some(&rows), spans.of_kind(kind))?;
    }
    Ok(spans)
}

impl MeasuredRows {
    /// The rows of some kinds.
    fn of(
        parts: &FieldParts,
        unmeasured: &[UnmeasuredKind<'_>],
        texts: &FieldTexts<'_>,
    ) -> Vec<MeasuredRows> {
        let mut rows: Vec<MeasuredRows> = unmeasured.iter().map(|_| MeasuredRows::default()).collect();
        if unmeasured.is_empty() {
            return rows;
        }
        let mut of_kinds = vec![None; parts.kinds.len()];
        unmeasured.iter().enumerate().for_each(|(at, unmeasured)| of_kinds[unmeasured.kind] = Some(at));
        let (mut ranks, mut before) = (vec![0; texts.rows.counts().len()], 0);
        for &number in &parts.rows {
            let kind = parts.kinds[number as usize];
            let rank = &mut ranks[usize::from(kind.place)];
            if let Some(at) = of_kinds[number as usize] {
                rows[at].ranks.push(*rank);
                rows[at].numbers.push(before);
            }
            *rank += 1;
            before += parts.each[kind.outline as usize].numbers as u32;
        }
        rows
    }
}

impl<'p> SpanWalk<'p> {
    fn new(parts: &'p FieldParts, messages: &'p TemplateGroup, template: usize) -> SpanWalk<'p> {
        SpanWalk { parts, messages, template, end: KeyPosition::default(), numbers: 0 }
    }

    /// Finds the spans of the values of an outline, from one of them on. Returns the position of the first value that is not
    /// found.
    fn go(
        &mut self,
        outline: &[OutlineValue],
        from: usize,
        rows: Option<&MeasuredRows>,
        spans: &mut [PackedSpan],
    ) -> Result<Option<usize>> {
        for (at, value) in outline.iter().enumerate().skip(from).filter(|(_, value)| value.end.is_of_part()) {
            let Some(start) = self.start(*value, rows)? else { return Ok(Some(at)) };
            let Some(end) = self.end(value.end, start) else { return Ok(Some(at)) };
            let Some(span) = PackedSpan::new(start, end) else { return Ok(Some(at)) };
            spans[at] = span;
            self.numbers += u32::from(value.gap.is_none());
            self.end = end;
        }
        Ok(None)
    }

    /// The start of the next value.
    fn start(&self, value: OutlineValue, rows: Option<&MeasuredRows>) -> Result<Option<KeyPosition>> {
        let known = value.gap.and_then(|gap| self.messages.key_after(self.template, self.end, gap as usize));
        match (known, value.gap, rows) {
            (Some(_), _, _) | (None, _, None) => Ok(known),
            (None, Some(gap), Some(rows)) => self.measured(rows, &|_| Some(gap)),
            (None, None, Some(rows)) => {
                let at = |first: u32| self.parts.numbers.get((first + self.numbers) as usize).copied();
                self.measured(rows, &at)
            }
        }
    }

    /// The end of a value that starts at a position.
    fn end(&self, end: ValueEnd, start: KeyPosition) -> Option<KeyPosition> {
        match end {
            ValueEnd::Message => Some(self.messages.key_end(self.template)),
            ValueEnd::Before(byte) => self.messages.key_before(self.template, start, byte),
            ValueEnd::Elsewhere | ValueEnd::Empty | ValueEnd::Length => None,
        }
    }

    /// The position of the key that is at a distance from the last part in all rows; `distance` gives it for the first open
    /// number of a row.
    fn measured(
        &self,
        rows: &MeasuredRows,
        distance: &dyn Fn(u32) -> Option<u32>,
    ) -> Result<Option<KeyPosition>> {
        let (Some(&rank), Some(&first)) = (rows.ranks.first(), rows.numbers.first()) else { return Ok(None) };
        let Some(bytes) = distance(first) else { return Ok(None) };
        let Some(found) = self.messages.key_after_in(self.template, self.end, bytes, rank)? else {
            return Ok(None);
        };
        for (ranks, numbers) in rows.ranks.chunks(ROWS).zip(rows.numbers.chunks(ROWS)) {
            let between = Range { start: self.end, end: found };
            let lengths = self.messages.lengths(self.template, between, ranks)?;
            if !lengths.into_iter().map(Some).eq(numbers.iter().map(|&first| distance(first))) {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}
