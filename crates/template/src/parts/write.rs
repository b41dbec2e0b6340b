//! Writes fields as the bytes of a group.

use super::{OutlineValue, ValueEnd};
use crate::bytes::put_varint;
use crate::group::{PlacedNumbers, Rows};
use crate::interner::Interner;
use crate::{ordered, packet, texts};
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::word;
use memchr::{memchr, memmem};
use std::hash::BuildHasher;
use std::ops::Range;
use zstd::bulk::Compressor;

const LEVEL: i32 = 1;
const OUTLINES_LEVEL: i32 = 3;
/// The number of outlines from which on new ones leave all gaps and lengths open, so that fewer are needed.
const STRICT_OUTLINES: usize = 2048;
/// The maximum number of fields of the previous row's outline that are compared with a field, to allow for missing
/// ones.
const MISSING_MAX: usize = 8;
/// All searches in a message together examine at most this many times its bytes,
const SEARCHES_MAX: usize = 4;
/// and this many bytes in addition, of which each search uses some.
const SEARCH_BYTES_FREE: usize = 4096;
const SEARCH_BYTES: usize = 32;
/// Marks an unknown outline.
const UNKNOWN: u32 = u32::MAX;

/// Gathers the fields of the rows of a group.
#[derive(Default)]
pub struct FieldPartsWriter {
    names: Interner,
    outlines: Outlines,
    /// The outline of each row.
    rows: Vec<u32>,
    /// The numbers that outlines leave open.
    numbers: Vec<u32>,
    /// The outline of the last row of each place, which the next row mostly has, too.
    last: Vec<u32>,
    /// The outline of rows without fields, once there are any.
    empty: Option<u32>,
    /// The outline of the current row.
    open: Vec<OutlineValue>,
    values: usize,
}

/// Distinct outlines, one after the other.
#[derive(Default)]
struct Outlines {
    values: Vec<OutlineValue>,
    ends: Vec<u32>,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// A message in which values are searched for, one after the other.
struct MessageSearch<'m> {
    message: &'m [u8],
    /// The last part that was found, and its distance from the one before it.
    part: Range<usize>,
    gap: usize,
    /// The number of bytes that may still be examined.
    bytes_left: usize,
    /// Whether the last value was not a part of the message.
    was_elsewhere: bool,
}

impl FieldPartsWriter {
    /// Adds the fields of the next row: names and values, in order. `place` is that of its message. Returns the
    /// values that are not parts of the message.
    pub fn push<'f>(
        &mut self,
        message: &[u8],
        place: u16,
        fields: impl Iterator<Item = (&'f [u8], &'f [u8])>,
        mut elsewhere: impl FnMut(&[u8]),
    ) {
        let place = usize::from(place);
        if self.last.len() <= place {
            self.last.resize(place + 1, UNKNOWN);
        }
        let expected = self.outlines.range(self.last[place]);
        let (mut next, mut search) = (expected.clone(), MessageSearch::new(message));
        self.open.clear();
        for (name, text) in fields {
            let known = self.known(next.clone().take(MISSING_MAX), name);
            next.start = known.map_or(next.start, |(at, _)| at + 1);
            let value = match known {
                Some((_, known)) if search.finds(known, text) => known,
                _ => {
                    let name = known.map_or_else(|| self.names.number(name), |(_, known)| known.name);
                    search.find(name, text, STRICT_OUTLINES <= self.outlines.ends.len())
                }
            };
            search.was_elsewhere = value.end == ValueEnd::Elsewhere;
            if search.was_elsewhere {
                elsewhere(text);
            } else if value.end.is_of_part() {
                self.numbers.extend(value.gap.is_none().then_some(search.gap as u32));
                self.numbers.extend((value.end == ValueEnd::Length).then_some(text.len() as u32));
            }
            self.open.push(value);
        }
        self.values += self.open.len();
        if self.last[place] == UNKNOWN || self.open != self.outlines.values[expected] {
            self.last[place] = self.outlines.number(&self.open);
        }
        self.rows.push(self.last[place]);
    }

    /// Adds a row without fields, as most rows of most logs are.
    #[inline]
    pub fn push_none(&mut self) {
        let outlines = &mut self.outlines;
        self.rows.push(*self.empty.get_or_insert_with(|| outlines.number(&[])));
    }

    /// The number of values.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        let numbers = self.rows.capacity() + self.numbers.capacity() + self.last.capacity();
        self.names.memory_bytes() + self.outlines.memory_bytes() + numbers * size_of::<u32>()
    }

    /// Returns the fields as bytes, or `None` if no row has any, and begins the next group. `rows` are those of the
    /// messages.
    pub fn finish(&mut self, rows: &Rows) -> Option<Vec<u8>> {
        let done = std::mem::take(self);
        (0 < done.values).then(|| done.to_bytes(rows))
    }

    fn to_bytes(&self, rows: &Rows) -> Vec<u8> {
        let mut compressor = Compressor::new(LEVEL).expect("zstd has a level 1");
        let (mut out, mut placed) = (Vec::new(), Vec::new());
        texts::write(
            (0..self.names.len() as u32).map(|name| self.names.get(name)),
            &mut compressor,
            &mut out,
        );
        self.outlines.write(&mut out);
        PlacedNumbers::new(rows, &self.rows).write(rows, &mut placed);
        put_varint(placed.len() as u64, &mut out);
        out.extend_from_slice(&placed);
        ordered::write(&self.numbers, &mut compressor, &mut out);
        out
    }

    /// The first of some positions of an outline that has a name, and the value there.
    fn known(&self, mut places: impl Iterator<Item = usize>, name: &[u8]) -> Option<(usize, OutlineValue)> {
        let values = &self.outlines.values;
        let at = places.find(|&at| self.names.get(values[at].name) == name)?;
        Some((at, values[at]))
    }
}

impl Outlines {
    /// The range of the values of an outline; empty if the outline is not known.
    fn range(&self, outline: u32) -> Range<usize> {
        match self.ends.get(outline as usize) {
            Some(&end) => {
                outline.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize)..end as usize
            }
            None => 0..0,
        }
    }

    /// The number of an outline, which is added if it is new.
    fn number(&mut self, outline: &[OutlineValue]) -> u32 {
        let hash = self.hasher.hash_one(outline);
        if let Some(&known) = self.known.find(hash, |&known| self.values[self.range(known)] == *outline) {
            return known;
        }
        let number = self.ends.len() as u32;
        self.values.extend_from_slice(outline);
        self.ends.push(self.values.len() as u32);
        let Outlines { values, ends, known, hasher } = self;
        let start = |number: u32| number.checked_sub(1).map_or(0, |before| ends[before as usize] as usize);
        let hash_of = |&number: &u32| hasher.hash_one(&values[start(number)..ends[number as usize] as usize]);
        known.insert_unique(hash, number, hash_of);
        number
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut plain = Vec::new();
        for outline in 0..self.ends.len() as u32 {
            put_varint(self.range(outline).len() as u64, &mut plain);
        }
        self.values.iter().for_each(|value| put_varint(u64::from(value.name), &mut plain));
        self.values
            .iter()
            .for_each(|value| put_varint(value.gap.map_or(0, |gap| u64::from(gap) + 1), &mut plain));
        self.values.iter().for_each(|value| plain.push(value.end.code()));
        plain.extend(self.values.iter().filter_map(|value| value.end.byte()));
        put_varint(self.ends.len() as u64, out);
        put_varint(plain.len() as u64, out);
        let mut compressor = Compressor::new(OUTLINES_LEVEL).expect("zstd has a level 3");
        packet::write(&plain, &mut compressor, out);
    }

    fn memory_bytes(&self) -> usize {
        self.values.capacity() * size_of::<OutlineValue>()
            + self.ends.capacity() * size_of::<u32>()
            + self.known.allocation_size()
    }
}

impl<'m> MessageSearch<'m> {
    fn new(message: &'m [u8]) -> MessageSearch<'m> {
        let bytes_left = message.len() * SEARCHES_MAX + SEARCH_BYTES_FREE;
        MessageSearch { message, part: 0..0, gap: 0, bytes_left, was_elsewhere: false }
    }

    /// Whether a value is found in the same way as one of another row.
    fn finds(&mut self, known: OutlineValue, text: &[u8]) -> bool {
        let Some(gap) = known.gap else { return known.end == ValueEnd::Empty && text.is_empty() };
        let start = self.part.end + gap as usize;
        if text.is_empty() || self.was_elsewhere || !self.is_part(start, text) {
            return false;
        }
        let end = start + text.len();
        let ends = match known.end {
            ValueEnd::Elsewhere | ValueEnd::Empty => false,
            ValueEnd::Message => end == self.message.len(),
            ValueEnd::Before(byte) => self.message.get(end) == Some(&byte) && memchr(byte, text).is_none(),
            ValueEnd::Length => true,
        };
        if ends {
            self.take(start, end);
        }
        ends
    }

    /// Searches for a value after the last part.
    fn find(&mut self, name: u32, text: &[u8], is_loose: bool) -> OutlineValue {
        if text.is_empty() {
            return OutlineValue { name, gap: None, end: ValueEnd::Empty };
        }
        let Some(start) = self.start_of(text) else {
            return OutlineValue { name, gap: None, end: ValueEnd::Elsewhere };
        };
        let end = start + text.len();
        self.take(start, end);
        let gap = (!is_loose && !self.was_elsewhere).then_some(self.gap as u32);
        let end = match self.message.get(end) {
            None => ValueEnd::Message,
            Some(&byte) if !is_loose && memchr(byte, text).is_none() => ValueEnd::Before(byte),
            Some(_) => ValueEnd::Length,
        };
        OutlineValue { name, gap, end }
    }

    fn start_of(&mut self, text: &[u8]) -> Option<usize> {
        let mut from = self.part.end;
        loop {
            let bytes = (self.message.len() - from).min(self.bytes_left);
            let found = memmem::find(&self.message[from..from + bytes], text);
            self.bytes_left = self.bytes_left.saturating_sub(found.unwrap_or(bytes) + SEARCH_BYTES);
            let start = from + found?;
            if self.is_part(start, text) {
                return Some(start);
            }
            from = start + 1;
        }
    }

    fn take(&mut self, start: usize, end: usize) {
        self.gap = start - self.part.end;
        self.part = start..end;
    }

    /// Whether a text occurs at a position of the message, with whole words.
    fn is_part(&self, start: usize, text: &[u8]) -> bool {
        let (message, end) = (self.message, start + text.len());
        // Next to non-ASCII bytes, a text that is not UTF-8 could be a part of a character.
        let is_ascii = |at: Option<usize>| at.and_then(|at| message.get(at)).is_none_or(u8::is_ascii);
        message.get(start..end) == Some(text)
            && is_ascii(start.checked_sub(1))
            && is_ascii(Some(end))
            && word::may_begin(message, start)
            && word::may_end(message, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_not_searched_without_end() {
        let message = [b'x'; 60_000];
        for text in [&b"absent"[..], b"x", b"xx"] {
            let mut search = MessageSearch::new(&message);
            for _ in 0..100_000 {
                assert_eq!(search.start_of(text), None);
            }
            assert_eq!(search.bytes_left, 0);
        }
    }
}
