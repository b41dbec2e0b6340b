//! The values of a group's rows as they come. The columns of a template are made of them at the end: a row is then one
//! place to write to, not one for each of its variables.

use super::column::NATURAL_LENGTH;
use crate::scan::{Kind, Variable};

/// Of each row its values, a wide one as two.
#[derive(Default)]
pub(super) struct Values {
    values: Vec<u64>,
    /// Of a number how long it is written.
    lengths: Vec<u8>,
}

/// How many values a variable of a kind is.
pub(super) fn count_of(kind: Kind) -> usize {
    if kind == Kind::Wide { 2 } else { 1 }
}

/// Where the rows of each template begin among the values.
pub(super) struct Starts {
    /// Of all rows of the first template, then of the next one.
    starts: Vec<u32>,
    /// How many there are up to each template.
    ends: Vec<u32>,
}

impl Values {
    /// Adds the next value of a row: `low` is it, or its low half, or a number in its stead. `text` is where it stands.
    #[inline]
    pub(super) fn push(&mut self, variable: &Variable, low: u64, text: &[u8]) {
        self.values.push(low);
        let length = match variable.kind {
            Kind::Address | Kind::Text => NATURAL_LENGTH,
            Kind::Wide => variable.bytes as u8,
            _ if variable.is_natural(text) => NATURAL_LENGTH,
            _ => variable.bytes as u8,
        };
        self.lengths.push(length);
        if variable.kind == Kind::Wide {
            self.values.push(variable.high);
            self.lengths.push(NATURAL_LENGTH);
        }
    }

    /// The values of one slot, which is so many values after the start of its row.
    pub(super) fn gather(&self, starts: &[u32], slot: usize, out: &mut Vec<u64>) {
        out.clear();
        out.extend(starts.iter().map(|&start| self.values[start as usize + slot]));
    }

    /// And how long they are written; nothing where all are natural, as most are.
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
    /// None where no row has a value. `places` are those of the rows, and `counts` how many values a row of each place has, 0 where it has no template.
    pub(super) fn new(places: &[u16], counts: &[u32]) -> Starts {
        let mut ends = vec![0; counts.len()];
        if counts.iter().all(|&count| count == 0) {
            // Nothing to gather: most texts of such a column are empty.
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

    /// Those of the rows at a place.
    pub(super) fn at(&self, place: usize) -> &[u32] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.starts[start as usize..self.ends[place] as usize]
    }
}
