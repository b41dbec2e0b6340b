//! A part of the messages of a template, written without the rest of them.

use super::head::StoredTexts;
use super::messages::{ColumnValues, LengthSource, SlotSource, write_slot};
use super::read::TemplateGroup;
use crate::bytes::Result;
use crate::scan::VariableKind;
use hashbrown::HashMap;
use std::ops::Range;

/// A part of the messages of a template: a range of its key, which begins and ends between slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TemplateSpan {
    /// The template, and the first slot of the range.
    pub(crate) template: usize,
    pub(crate) slot: usize,
    /// The range of the template's key.
    pub(crate) key: Range<usize>,
}

/// A position in the key of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct KeyPosition {
    pub(crate) byte: usize,
    /// The number of slots before it.
    pub(crate) slot: usize,
}

impl KeyPosition {
    fn next(self, is_slot: bool) -> KeyPosition {
        KeyPosition { byte: self.byte + 1, slot: self.slot + usize::from(is_slot) }
    }
}

/// The number of rows whose values are in memory at a time.
const ROWS: usize = 4096;
/// Values below this are remembered in an array.
const SMALL_VALUES: u64 = 1 << 16;
/// An entry that has not been looked up.
const UNKNOWN: u32 = u32::MAX;

/// Numbers the texts of spans. It remembers the number of values that are whole texts.
#[derive(Default)]
pub(crate) struct SpanReader {
    values: ColumnValues,
    sources: Vec<SlotSource>,
    text: Vec<u8>,
    known: Vec<(ValueClass, NumbersByValue)>,
}

/// The class of a slot's values: two slots of the same class write equal values as equal texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueClass {
    /// It is a number of this kind and length, where 0 stands for any length without leading zeros.
    Number(VariableKind, usize),
    /// It is an address.
    Address,
    /// It is a place in the dictionary.
    Word,
}

/// The number of each text, by its value.
#[derive(Default)]
struct NumbersByValue {
    small: Vec<u32>,
    large: HashMap<u64, u32>,
}

impl TemplateGroup {
    /// The position of a template's key that is this many bytes of its messages after another one; `None` if it differs
    /// between messages.
    pub(crate) fn key_after(
        &self,
        template: usize,
        from: KeyPosition,
        mut bytes: usize,
    ) -> Option<KeyPosition> {
        let (key, mut at) = (self.keys().get(template), from);
        while bytes != 0 {
            let is_slot = is_marker(*key.get(at.byte)?);
            bytes = bytes.checked_sub(if is_slot { self.head.length(template, at.slot)? } else { 1 })?;
            at = at.next(is_slot);
        }
        Some(at)
    }

    /// The same position in the message of one row of the template.
    pub(crate) fn key_after_in(
        &self,
        template: usize,
        from: KeyPosition,
        bytes: u32,
        rank: u32,
    ) -> Result<Option<KeyPosition>> {
        let (key, mut at, mut left) = (self.keys().get(template), from, bytes);
        while left != 0 {
            let Some(&byte) = key.get(at.byte) else { return Ok(None) };
            let mut length = [u32::from(!is_marker(byte))];
            if is_marker(byte) {
                self.add_lengths(template, at.slot, &[rank], &mut length)?;
            }
            match left.checked_sub(length[0]) {
                Some(less) => left = less,
                None => return Ok(None),
            }
            at = at.next(is_marker(byte));
        }
        Ok(Some(at))
    }

    /// The end of a template's key.
    pub(crate) fn key_end(&self, template: usize) -> KeyPosition {
        let key = self.keys().get(template);
        KeyPosition { byte: key.len(), slot: key.iter().filter(|&&byte| is_marker(byte)).count() }
    }

    /// The position of the first of some byte after a position of a template's key; `None` if a slot before it may contain
    /// that byte.
    pub(crate) fn key_before(&self, template: usize, from: KeyPosition, end: u8) -> Option<KeyPosition> {
        let mut at = from;
        for &byte in &self.keys().get(template)[from.byte..] {
            match VariableKind::of_marker(byte) {
                Some(kind) if may_hold(kind, end) => return None,
                None if byte == end => return Some(at),
                kind => at = at.next(kind.is_some()),
            }
        }
        None
    }

    /// The number of bytes between two positions of a template's key in the messages of some rows.
    pub(crate) fn lengths(
        &self,
        template: usize,
        between: Range<KeyPosition>,
        ranks: &[u32],
    ) -> Result<Vec<u32>> {
        let Range { start, end } = between;
        let literals = (end.byte - start.byte) - (end.slot - start.slot);
        let mut lengths = vec![literals as u32; ranks.len()];
        for slot in start.slot..end.slot {
            self.add_lengths(template, slot, ranks, &mut lengths)?;
        }
        Ok(lengths)
    }

    /// Adds the lengths of the values that some rows have in a slot.
    fn add_lengths(&self, template: usize, slot: usize, ranks: &[u32], lengths: &mut [u32]) -> Result<()> {
        if let Some(length) = self.head.length(template, slot) {
            lengths.iter_mut().for_each(|sum| *sum += length as u32);
            return Ok(());
        }
        let column = self.column(template, slot)?;
        let mut values = ColumnValues::default();
        let mut words = self.text_reader(StoredTexts::Words);
        let source = self.take(column, ranks, &mut words, &mut values)?;
        let dictionary = self.words_of(&values)?;
        let mut text = Vec::new();
        for (row, sum) in lengths.iter_mut().enumerate() {
            text.clear();
            write_slot(&source, row, &values, dictionary, &mut text);
            *sum += text.len() as u32;
        }
        Ok(())
    }

    /// Calls `number` with the text that rows have in a span, and appends the result for each row to `out`. For equal texts,
    /// it may be called only once.
    pub(crate) fn number_texts(
        &self,
        span: &TemplateSpan,
        ranks: &[u32],
        reader: &mut SpanReader,
        number: &mut dyn FnMut(&[u8]) -> u32,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let key = &self.keys().get(span.template)[span.key.clone()];
        let slots = key.iter().filter(|&&byte| is_marker(byte)).count();
        if slots == 0 {
            let number = number(key);
            out.extend(ranks.iter().map(|_| number));
            return Ok(());
        }
        let mut words = self.text_reader(StoredTexts::Words);
        for ranks in ranks.chunks(ROWS) {
            let SpanReader { values, sources, text, known } = reader;
            values.clear();
            sources.clear();
            for slot in span.slot..span.slot + slots {
                sources.push(self.take(self.column(span.template, slot)?, ranks, &mut words, values)?);
            }
            let dictionary = self.words_of(values)?;
            if key.len() == 1
                && let Some((class, first)) = sources[0].class()
            {
                let known = known_of(class, known);
                for row in 0..ranks.len() {
                    let found = known.entry(values.number(first + row));
                    if *found == UNKNOWN {
                        text.clear();
                        write_slot(&sources[0], row, values, dictionary, text);
                        *found = number(text);
                    }
                    out.push(*found);
                }
                continue;
            }
            for row in 0..ranks.len() {
                text.clear();
                let mut slots = sources.iter().peekable();
                for piece in key.chunk_by(|&one, &other| !is_marker(one) && !is_marker(other)) {
                    match slots.next_if(|_| is_marker(piece[0])) {
                        Some(slot) => write_slot(slot, row, values, dictionary, text),
                        None => text.extend_from_slice(piece),
                    }
                }
                out.push(number(text));
            }
        }
        Ok(())
    }
}

impl SlotSource {
    /// The class and the position of the first value, if a value alone determines the text.
    fn class(&self) -> Option<(ValueClass, usize)> {
        match self {
            SlotSource::Number { kind, lengths: LengthSource::Fixed(length), low, high: None } => {
                Some((ValueClass::Number(*kind, *length), *low))
            }
            SlotSource::Address(first) => Some((ValueClass::Address, *first)),
            SlotSource::Few(first) => Some((ValueClass::Word, *first)),
            SlotSource::Number { .. } | SlotSource::Words(_) => None,
        }
    }
}

/// The known texts of a class.
fn known_of(class: ValueClass, known: &mut Vec<(ValueClass, NumbersByValue)>) -> &mut NumbersByValue {
    let at = known.iter().position(|(other, _)| *other == class).unwrap_or_else(|| {
        known.push((class, NumbersByValue::default()));
        known.len() - 1
    });
    &mut known[at].1
}

/// Whether a value of this kind may contain a byte.
fn may_hold(kind: VariableKind, byte: u8) -> bool {
    match kind {
        VariableKind::Decimal => byte.is_ascii_digit(),
        VariableKind::Hex | VariableKind::HexUpper | VariableKind::Prefixed => {
            byte == b'x' || byte.is_ascii_hexdigit()
        }
        VariableKind::Address => byte == b'.' || byte.is_ascii_digit(),
        VariableKind::Wide => byte == b'-' || byte.is_ascii_hexdigit(),
        VariableKind::Text => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') || !byte.is_ascii(),
    }
}

fn is_marker(byte: u8) -> bool {
    VariableKind::of_marker(byte).is_some()
}

impl NumbersByValue {
    /// The number of a value, or [`UNKNOWN`].
    fn entry(&mut self, value: u64) -> &mut u32 {
        if SMALL_VALUES <= value {
            return self.large.entry(value).or_insert(UNKNOWN);
        }
        let at = value as usize;
        if self.small.len() <= at {
            self.small.resize(at + 1, UNKNOWN);
        }
        &mut self.small[at]
    }
}
