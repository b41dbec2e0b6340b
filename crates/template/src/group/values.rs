//! The values of a group's rows in the order of arrival. The columns of a template are made from them at the end, so
//! a row is written to one place in memory, and not to one for each of its variables.

use super::column::NATURAL_LENGTH;
use crate::scan::{Variable, VariableKind};

/// The values of each row; a wide one takes two entries.
#[derive(Default)]
pub(super) struct RowValues {
    values: Vec<u64>,
    /// The written length of each number.
    lengths: Vec<u8>,
}

/// The number of entries that a variable of a kind takes.
pub(super) fn count_of(kind: VariableKind) -> usize {
    if kind == VariableKind::Wide { 2 } else { 1 }
}

/// The positions at which the rows of each template start among the values.
pub(super) struct Starts {
    /// The starts of all rows of the first template, then those of the next one, and so on.
    starts: Vec<u32>,
    /// The number of starts up to each template.
    ends: Vec<u32>,
}

impl RowValues {
    /// Adds the next value of a row: `low` is the value, its low half, or a number that stands for it. `text` is the
    /// text of the variable.
    #[inline]
    pub(super) fn push(&mut self, variable: &Variable, low: u64, text: &[u8]) {
        self.values.push(low);
        let length = match variable.kind {
            VariableKind::Address | VariableKind::Text => NATURAL_LENGTH,
            VariableKind::Wide => variable.bytes as u8,
            _ if variable.is_natural(text) => NATURAL_LENGTH,
            _ => variable.bytes as u8,
        };
        self.lengths.push(length);
        if variable.kind == VariableKind::Wide {
            self.values.push(variable.high);
            self.lengths.push(NATURAL_LENGTH);
        }
    }

    /// The values of one slot, given its offset from the start of a row.
    pub(super) fn gather(&self, starts: &[u32], slot: usize, out: &mut Vec<u64>) {
        out.clear();
        out.extend(starts.iter().map(|&start| self.values[start as usize + slot]));
    }

    /// The written lengths of the values; nothing if no value has leading zeros, as in most cases.
    pub(super) fn gather_lengths(&self, starts: &[u32], slot: usize, out: &mut Vec<u8>) {
        out.clear();
        let lengths = || starts.iter().map(|&start| self.lengths[start as usize + slot]);
        if lengths().fold(NATURAL_LENGTH, |all, length| all | length) != NATURAL_LENGTH {
            out.extend(lengths());
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.values.capacity() * size_of::<u64>() + self.lengths.capacity()
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.lengths.clear();
    }
}

impl Starts {
    /// Finds the starts; there are none if no row has a value. `places` are those of the rows, and `counts` has the
    /// number of values in a row of each place, 0 if it has no template.
    pub(super) fn new(places: &[u16], counts: &[u32]) -> Starts {
        let mut ends = vec![0; counts.len()];
        if counts.iter().all(|&count| count == 0) {
            // There is nothing to gather: most texts of such a column are empty.
            return Starts { starts: Vec::new(), ends };
        }
        places.iter().for_each(|&place| ends[usize::from(place)] += 1);
        let mut next = ends.clone();
        let mut before = 0;
        for (end, next) in ends.iter_mut().zip(&mut next) {
            *next = before;
            before += *end;
            *end = before;
        }
        let (mut starts, mut start) = (vec![0; places.len()], 0);
        for &place in places {
            let (next, place) = (&mut next[usize::from(place)], usize::from(place));
            starts[*next as usize] = start;
            *next += 1;
            start += counts[place];
        }
        Starts { starts, ends }
    }

    /// The starts of the rows of a place.
    pub(super) fn at(&self, place: usize) -> &[u32] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.starts[start as usize..self.ends[place] as usize]
    }
}
