//! The template of each row of a group.
//!
//! | bytes                      | meaning                                                                   |
//! |----------------------------|---------------------------------------------------------------------------|
//! | varint, varint             | rows, at most 1 048 576; templates                                        |
//! | [ordered](crate::ordered)  | for each row its template + 1, or 0: the text is kept as it is            |
//!
//! Counts and sets of rows need only this: the texts are in a section of their own.

use super::TEXTS_MAX;
use super::directory::Directory;
use crate::bytes::{ByteReader, Result, put_varint};
use crate::limits::TEMPLATES_MAX;
use crate::ordered;
use logstead_record::{Selection, bits};
use std::ops::Range;
use zstd::bulk::Compressor;

/// Appends the templates of rows: the number of each row's template plus 1, or 0.
pub(super) fn write(rows: &[u16], templates: usize, compressor: &mut Compressor<'_>, out: &mut Vec<u8>) {
    put_varint(rows.len() as u64, out);
    put_varint(templates as u64, out);
    ordered::write(rows, compressor, out);
}

/// The maximum number of places that are compared one after the other with those of rows, which takes less time than
/// a look-up for each row.
const COMPARED_MAX: usize = 4;
/// The number of rows that can be read at the cost of looking up the rank of one.
const LOOKED_AT_PER_RANK: usize = 256;

/// Rows of one place are counted with vectors: this many in the time that is needed to process one row otherwise.
const COUNTED_PER_WALKED: usize = 8;

/// The template of each row.
///
/// A *place* is 0 for rows whose text is kept unchanged, and otherwise a template's number plus 1.
pub struct Rows {
    /// The place of each row.
    pub places: Vec<u16>,
    directory: Directory,
}

/// Some of the rows of one place, by their numbers within that place: their *ranks*.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Ranks {
    /// No row.
    #[default]
    None,
    /// Every row.
    All,
    /// The rows with these ranks, in ascending order.
    Some(Vec<u32>),
}

impl Rows {
    /// Opens stored rows.
    pub fn open(bytes: &[u8]) -> Result<Rows> {
        let mut input = ByteReader::new(bytes);
        let count = input.count(TEXTS_MAX, "a number of rows")?;
        let templates = input.count(TEMPLATES_MAX, "a number of templates")?;
        let mut places = Vec::with_capacity(count);
        ordered::read(&mut input, count, templates as u64, |row| places.push(row as u16))?;
        input.end()?;
        let directory = Directory::new(&places, templates + 1);
        Ok(Rows { places, directory })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The number of rows of each place.
    pub fn counts(&self) -> &[u32] {
        &self.directory.counts
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Rows>() + size_of_val(self.places.as_slice()) + self.directory.memory_bytes()
    }

    /// The number of rows that match: `found` has an entry for each place.
    pub fn count(&self, found: &[Ranks]) -> u64 {
        let of = |(ranks, &count): (&Ranks, &u32)| match ranks {
            Ranks::None => 0,
            Ranks::All => u64::from(count),
            Ranks::Some(ranks) => ranks.len() as u64,
        };
        found.iter().zip(self.counts()).map(of).sum()
    }

    /// The rows of the accepted places: `accepts` has 1 for these, and 0 for others.
    fn at(&self, accepts: &[u8]) -> Selection {
        let accepted = (0..).zip(accepts).filter(|(_, accepts)| **accepts == 1).map(|(place, _)| place);
        let accepted: Vec<u16> = accepted.take(COMPARED_MAX + 1).collect();
        if accepted.len() <= COMPARED_MAX {
            let is_accepted =
                |place| accepted.iter().fold(0, |found, accepted| found | u8::from(place == *accepted));
            return self.rows_where(|places| {
                let mut bytes = [0; 64];
                bytes.iter_mut().zip(places).for_each(|(byte, &place)| *byte = is_accepted(place));
                bits::gather(&bytes)
            });
        }
        // The table has an entry for every possible place, so that no access has to be checked.
        let mut all = vec![0; 1 << u16::BITS];
        all[..accepts.len()].copy_from_slice(accepts);
        let all: &[u8; 1 << u16::BITS] = all.as_slice().try_into().expect("one for each place");
        self.rows_where(|places| {
            let byte_of = |places: &[u16; 8]| {
                places.iter().rev().fold(0, |byte, &place| byte << 1 | all[usize::from(place)])
            };
            u64::from_le_bytes(std::array::from_fn(|at| byte_of(&places.as_chunks().0[at])))
        })
    }

    /// The rows that `word_of` selects: it returns a bit for each of 64 places, with the first one in the lowest bit.
    fn rows_where(&self, word_of: impl Fn(&[u16; 64]) -> u64) -> Selection {
        let (chunks, rest) = self.places.as_chunks();
        let mut words: Vec<u64> = chunks.iter().map(&word_of).collect();
        if !rest.is_empty() {
            let mut last = [0; 64];
            last[..rest.len()].copy_from_slice(rest);
            words.push(word_of(&last) & (u64::MAX >> (64 - rest.len())));
        }
        Selection::from_words(self.len(), words)
    }

    /// The rows that match: `found` has an entry for each place.
    pub fn select(&self, found: &[Ranks]) -> Selection {
        assert_eq!(found.len(), self.counts().len(), "one for each place");
        let accepts: Vec<u8> = found.iter().map(|ranks| u8::from(*ranks == Ranks::All)).collect();
        let mut rows = match accepts.contains(&1) {
            true => self.at(&accepts),
            false => Selection::none(self.len()),
        };
        self.insert(found, &mut rows);
        rows
    }

    /// Keeps those of `rows` that match: `found` has an entry for each place.
    pub fn retain(&self, found: &[Ranks], rows: &mut Selection) {
        let count = rows.count();
        let are_listed = found.iter().any(|ranks| matches!(ranks, Ranks::Some(_)));
        let looked_at = if are_listed { count * LOOKED_AT_PER_RANK } else { count };
        if self.len() <= looked_at {
            return rows.intersect(&self.select(found));
        }
        let asked: Vec<u32> = rows.iter().map(|row| row as u32).collect();
        if are_listed {
            let is_meant = |&(place, rank): &(u16, u32)| match &found[usize::from(place)] {
                Ranks::None => false,
                Ranks::All => true,
                Ranks::Some(ranks) => ranks.binary_search(&rank).is_ok(),
            };
            let others = asked.iter().zip(self.ranks_of(&asked)).filter(|(_, at)| !is_meant(at));
            others.for_each(|(&row, _)| rows.remove(row as usize));
        } else {
            let is_meant = |row: &u32| found[usize::from(self.places[*row as usize])] == Ranks::All;
            asked.iter().filter(|row| !is_meant(row)).for_each(|&row| rows.remove(row as usize));
        }
    }

    /// Adds the rows of ranks that are listed.
    fn insert(&self, found: &[Ranks], rows: &mut Selection) {
        let listed = || found.iter().map(Ranks::listed);
        let looked_at: usize = listed().map(|ranks| self.directory.rows_looked_at(ranks.len())).sum();
        if looked_at <= self.len() * COUNTED_PER_WALKED {
            for (place, ranks) in (0..).zip(listed()) {
                self.directory.for_each_row(&self.places, place, ranks, |row| rows.insert(row));
            }
            return;
        }
        // The next rank of each place, and the listed ranks that are still to come.
        let mut next: Vec<(u32, &[u32])> = listed().map(|ranks| (0, ranks)).collect();
        for (row, &place) in self.places.iter().enumerate() {
            let (rank, listed) = &mut next[usize::from(place)];
            if let Some((first, rest)) = listed.split_first()
                && first == rank
            {
                *listed = rest;
                rows.insert(row);
            }
            *rank += 1;
        }
    }

    /// The place and the rank of each row in a range.
    pub(crate) fn ranks_within(&self, rows: Range<usize>) -> impl Iterator<Item = (u16, u32)> {
        self.directory.ranks_from(&self.places[..rows.end], rows.start)
    }

    /// The place and the rank of each of some rows.
    pub(super) fn ranks_of(&self, rows: &[u32]) -> Vec<(u16, u32)> {
        self.directory.ranks_of(&self.places, rows)
    }
}

impl Ranks {
    /// Some ranks of `rows` rows, in any order and possibly with duplicates.
    pub(super) fn of(mut ranks: Vec<u32>, rows: usize) -> Ranks {
        ranks.sort_unstable();
        ranks.dedup();
        match ranks.len() {
            0 => Ranks::None,
            all if all == rows => Ranks::All,
            _ => Ranks::Some(ranks),
        }
    }

    /// The ranks that are in both.
    #[must_use]
    pub fn and(self, other: &Ranks) -> Ranks {
        match (self, other) {
            (Ranks::None, _) | (_, Ranks::None) => Ranks::None,
            (Ranks::All, other) => other.clone(),
            (one, Ranks::All) => one,
            (Ranks::Some(mut ranks), Ranks::Some(other)) => {
                ranks.retain(|rank| other.binary_search(rank).is_ok());
                if ranks.is_empty() { Ranks::None } else { Ranks::Some(ranks) }
            }
        }
    }

    /// The ranks that are in at least one of both, out of `rows` rows.
    #[must_use]
    pub(super) fn or(self, other: Ranks, rows: usize) -> Ranks {
        match (self, other) {
            (Ranks::None, ranks) | (ranks, Ranks::None) => ranks,
            (Ranks::All, _) | (_, Ranks::All) => Ranks::All,
            (Ranks::Some(mut ranks), Ranks::Some(mut other)) => {
                ranks.append(&mut other);
                Ranks::of(ranks, rows)
            }
        }
    }

    fn listed(&self) -> &[u32] {
        match self {
            Ranks::None | Ranks::All => &[],
            Ranks::Some(ranks) => ranks,
        }
    }
}
