//! The parts of templates that the values of each kind of rows are, in little memory.

use crate::group::{KeyPosition, TemplateSpan};

/// The parts of templates that the values of each kind of rows are.
#[derive(Default)]
pub(super) struct KindSpans {
    spans: Vec<PackedSpan>,
    /// The position of the first value of each kind.
    firsts: Vec<u32>,
}

/// A part of a template, whose key has at most 4096 bytes.
#[derive(Clone, Copy)]
pub(super) struct PackedSpan {
    start: u16,
    end: u16,
    slot: u16,
}

/// Stands for values of which no such part is known.
const NONE: PackedSpan = PackedSpan { start: u16::MAX, end: u16::MAX, slot: u16::MAX };

impl PackedSpan {
    /// The part between two positions of a key, if they are small enough.
    pub(super) fn new(start: KeyPosition, end: KeyPosition) -> Option<PackedSpan> {
        let [byte, end, slot] = [start.byte, end.byte, start.slot].map(|number| u16::try_from(number).ok());
        Some(PackedSpan { start: byte?, end: end?, slot: slot? })
    }
}

impl KindSpans {
    /// The memory that the spans of this number of values and kinds take.
    pub(super) const fn memory_bytes(values: usize, kinds: usize) -> usize {
        values * size_of::<PackedSpan>() + kinds * size_of::<u32>()
    }

    /// Adds the next kind, which has this number of values. None of them is known yet.
    pub(super) fn add(&mut self, values: usize) -> &mut [PackedSpan] {
        let first = self.spans.len();
        self.firsts.push(first as u32);
        self.spans.resize(first + values, NONE);
        &mut self.spans[first..]
    }

    /// The values of a kind, followed by those of others.
    pub(super) fn of_kind(&mut self, kind: usize) -> &mut [PackedSpan] {
        &mut self.spans[self.firsts[kind] as usize..]
    }

    /// The part that the value at a position is in the rows of a kind with this template.
    pub(super) fn get(&self, kind: usize, at: usize, template: usize) -> Option<TemplateSpan> {
        let PackedSpan { start, end, slot } = self.spans[self.firsts[kind] as usize + at];
        let span = TemplateSpan { template, slot: slot.into(), key: start.into()..end.into() };
        (start <= end && end != NONE.end).then_some(span)
    }
}
